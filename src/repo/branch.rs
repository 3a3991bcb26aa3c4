//! Branches that come to a commit which wasn't made where HEAD is.

use std::fs;
use std::path::Path;

use bstr::{BString, ByteSlice as _};
use git2::Oid;

use super::git::{Git, run};
use super::{CommitError, Repo, RepoError, history, references};

/// Returns whether git would take a name, without `refs/heads/`, for a branch.
pub fn is_branch_name(name: &str) -> bool {
    name != "HEAD" && git2::Branch::name_is_valid(name).unwrap_or(false)
}

/// Checks that nobody loses a commit, or finds files that aren't what was checked out, once a
/// branch comes to a commit that is made on `parent`. Returns where the branch is now; `None`
/// if it doesn't exist.
///
/// # Errors
/// `stale` if it has commits of its own, `unsupported` if a work tree uses it.
pub(crate) fn check(repo: &Repo, name: &str, parent: Oid) -> Result<Option<Oid>, CommitError> {
    let full = format!("refs/heads/{name}");
    check_use(repo, name, &full)?;
    let Some(old) = references::find(repo, &full).map_err(failed)? else {
        return Ok(None);
    };
    if history::is_ancestor(repo, old, parent)? {
        Ok(Some(old))
    } else {
        Err(CommitError::BranchAhead {
            name: name.to_owned(),
        })
    }
}

/// Checks what `git branch -f` does: that no work tree has the branch checked out, rebases or
/// bisects it. A branch may be a symbolic reference; what moves is what that leads to.
fn check_use(repo: &Repo, name: &str, full: &str) -> Result<(), CommitError> {
    let git = Git::new(repo);
    let leads_to = run(&mut git.command(["symbolic-ref", "-q", full]), b"")?.stdout;
    let moved = match leads_to.trim_end() {
        b"" => full.as_bytes(),
        other => other,
    };
    let listed = git.output(["worktree", "list", "--porcelain"], b"")?;
    let name = name.to_owned();
    let mut trees = listed.split_str("\n\n");
    if let Some(tree) = trees.clone().find(|tree| field(tree, "branch ") == moved) {
        let top = field(tree, "worktree ");
        return Err(CommitError::BranchInUse { name, top });
    }
    // The first is the main work tree, whose branch git doesn't name while it rebases or
    // bisects.
    if is_busy_with(repo.common_dir(), moved) {
        let top = field(trees.next().unwrap_or_default(), "worktree ");
        return Err(CommitError::BranchBusy { name, top });
    }
    let linked = fs::read_dir(repo.common_dir().join("worktrees"));
    for own in linked.into_iter().flatten().flatten() {
        if is_busy_with(&own.path(), moved) {
            let file = fs::read(own.path().join("gitdir")).unwrap_or_default();
            let file = file.trim_end();
            let top = file.strip_suffix(b"/.git").unwrap_or(file).into();
            return Err(CommitError::BranchBusy { name, top });
        }
    }
    Ok(())
}

/// Moves a branch to a commit if it still is where it was; git writes that down in its reflog.
///
/// # Errors
/// `locked` if it is elsewhere by now.
pub(crate) fn advance(
    repo: &Repo,
    name: &str,
    old: Option<Oid>,
    new: Oid,
) -> Result<(), CommitError> {
    let full = format!("refs/heads/{name}");
    let was = old.map_or_else(String::new, |old| old.to_string());
    let commit = history::find(repo, new)?;
    let subject = commit
        .message_bytes()
        .lines()
        .next()
        .unwrap_or_default()
        .to_str_lossy()
        .into_owned();
    let reason = format!("git-llmpatch: {subject}");
    let id = new.to_string();
    let moved = references::update(repo, &full, &["-m", &reason, &full, &id, &was], b"");
    let Err(error) = moved else { return Ok(()) };
    match references::find(repo, &full) {
        // What git said of it couldn't be read.
        Ok(now) if now == Some(new) => Ok(()),
        Ok(now) if now != old => Err(CommitError::BranchMoved {
            name: name.to_owned(),
        }),
        _ => Err(error.into()),
    }
}

/// Returns what `git worktree list --porcelain` says of a work tree.
fn field(tree: &[u8], name: &str) -> BString {
    let mut lines = tree.lines();
    let said = lines.find_map(|line| line.strip_prefix(name.as_bytes()));
    said.unwrap_or_default().into()
}

/// Returns whether a work tree, by its own directory of git's, is rebasing or bisecting a branch:
/// `git branch` looks at the same files.
fn is_busy_with(own: &Path, branch: &[u8]) -> bool {
    let short = branch.strip_prefix(b"refs/heads/").unwrap_or(branch);
    [
        ("rebase-merge/head-name", branch),
        ("rebase-merge/update-refs", branch),
        ("rebase-apply/head-name", branch),
        ("BISECT_START", short),
    ]
    .into_iter()
    .any(|(file, branch)| {
        let said = fs::read(own.join(file)).unwrap_or_default();
        said.lines().any(|line| line == branch)
    })
}

fn failed(error: git2::Error) -> RepoError {
    RepoError::git("a branch")(error)
}
