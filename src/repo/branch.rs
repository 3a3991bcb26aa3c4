//! Branches that come to a commit which wasn't made where HEAD is.

use bstr::ByteSlice as _;
use git2::Oid;

use super::git::Git;
use super::{CommitError, Repo, RepoError};

/// Returns whether git would take a name, without `refs/heads/`, for a branch.
pub fn is_branch_name(name: &str) -> bool {
    name != "HEAD" && git2::Branch::name_is_valid(name).unwrap_or(false)
}

impl Repo {
    /// Checks that nobody loses a commit, or finds files that aren't what was checked out, once a
    /// branch comes to a commit that is made on this one. Returns where it is now; `None` if there
    /// is no such branch.
    ///
    /// # Errors
    /// `stale` if it has commits of its own, `unsupported` if it is checked out.
    pub(crate) fn check_branch(&self, name: &str, parent: Oid) -> Result<Option<Oid>, CommitError> {
        let full = format!("refs/heads/{name}");
        let listed = Git::new(self).output(["worktree", "list", "--porcelain"], b"")?;
        for tree in listed.split_str("\n\n") {
            let says = |what: &str| {
                tree.lines()
                    .find_map(|line| line.strip_prefix(what.as_bytes()))
            };
            if says("branch ") == Some(full.as_bytes()) {
                let top = says("worktree ").unwrap_or_default().into();
                return Err(CommitError::BranchInUse {
                    name: name.to_owned(),
                    top,
                });
            }
        }
        let Some(old) = self.reference(&full).map_err(failed)? else {
            return Ok(None);
        };
        match old == parent
            || self
                .git2()
                .graph_descendant_of(parent, old)
                .map_err(failed)?
        {
            true => Ok(Some(old)),
            false => Err(CommitError::BranchAhead {
                name: name.to_owned(),
            }),
        }
    }

    /// Moves a branch to a commit if it still is where it was; git writes that down in its reflog.
    ///
    /// # Errors
    /// `locked` if it is elsewhere by now.
    pub(crate) fn move_branch(
        &self,
        name: &str,
        old: Option<Oid>,
        new: Oid,
    ) -> Result<(), CommitError> {
        let full = format!("refs/heads/{name}");
        let was = old.map_or_else(String::new, |old| old.to_string());
        let commit = self
            .git2()
            .find_commit(new)
            .map_err(|error| RepoError::git("a commit", error))?;
        let subject = commit
            .message_bytes()
            .lines()
            .next()
            .unwrap_or_default()
            .to_str_lossy()
            .into_owned();
        let reason = format!("git-llmpatch: {subject}");
        let moved = Git::new(self).output(
            ["update-ref", "-m", &reason, &full, &new.to_string(), &was],
            b"",
        );
        let Err(error) = moved else { return Ok(()) };
        match self.reference(&full) {
            // What git said of it couldn't be read.
            Ok(now) if now == Some(new) => Ok(()),
            Ok(now) if now != old => Err(CommitError::BranchMoved {
                name: name.to_owned(),
            }),
            _ => Err(error.into()),
        }
    }
}

fn failed(error: git2::Error) -> RepoError {
    RepoError::git("a branch", error)
}
