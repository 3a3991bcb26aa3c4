//! The work tree as a tree, made by git in an index of its own: filters, line ends, modes and
//! submodules are what `git add` makes of them.

use bstr::ByteSlice as _;
use git2::Oid;

use super::git::{Git, checked, run, temporary};
use super::objects::printed_id;
use super::{NextIndex, Repo, RepoError};

/// Where references keep snapshots: below it come the second at which the snapshot was made, and
/// the id of its tree.
const KEPT: &str = "refs/llmpatch/snapshots/";

impl Repo {
    /// Writes the tree that `git add -u`, or with untracked files `git add -A`, and a commit would
    /// make. Neither index nor work tree is changed.
    ///
    /// # Errors
    /// If there is no work tree, or git can't read or store what is in it.
    pub(crate) fn write_work_tree(&self, with_untracked: bool) -> Result<Oid, RepoError> {
        let top = self.top()?;
        let place = temporary()?;
        let mut index = NextIndex::copy(self, self.index_path(), place.path().join("index"))?;
        index.write_plain()?;
        let git = Git::new(self);
        let run = |args: &[&str]| {
            let mut command = git.command(args);
            // What users see of a file matters, not how their index is kept.
            command.current_dir(top).env("GIT_INDEX_FILE", index.path());
            checked(&mut command, args[0], b"")
        };
        run(&["add", if with_untracked { "--all" } else { "--update" }])?;
        printed_id("write-tree", run(&["write-tree"])?)
    }

    /// Makes a reference that keeps a tree from now on, given in seconds, and drops references that
    /// have expired, and references to the same tree.
    ///
    /// # Errors
    /// If a setting or the references can't be read, or not be changed.
    pub(crate) fn keep_snapshot(&self, tree: Oid, now: u64) -> Result<(), RepoError> {
        let git = Git::new(self);
        let key = "llmpatch.snapshotExpire";
        let asked = [
            "config",
            "--type=expiry-date",
            "--default=2.weeks.ago",
            "--get",
            key,
        ];
        let said = run(&mut git.command(asked), b"")?;
        let expired: u64 = match said
            .stdout
            .trim()
            .to_str()
            .ok()
            .and_then(|seconds| seconds.parse().ok())
        {
            Some(seconds) if said.status.success() => seconds,
            _ => {
                let value = self.config().string(key)?.unwrap_or_default();
                return Err(RepoError::Setting {
                    key: key.to_owned(),
                    value,
                    wanted: "a date, `never` or `now`",
                });
            }
        };
        let own = format!("{KEPT}{now}/{tree}");
        // Listed before there is the own one: of two that keep the same tree at once, at most one
        // finds the other's.
        let listed = git.output(
            ["for-each-ref", "--format=%(refname) %(objectname)", KEPT],
            b"",
        )?;
        let kept = self.change_references(&own, &format!("update {own} {tree}\n"));
        if kept.is_err() && self.reference(&own).ok().flatten() != Some(tree) {
            return kept;
        }
        let mut removed = Vec::new();
        for line in listed.lines() {
            let Some((name, id)) = line
                .split_once_str(" ")
                .filter(|(name, _)| *name != own.as_bytes())
            else {
                continue;
            };
            let parts = name
                .strip_prefix(KEPT.as_bytes())
                .and_then(|rest| rest.split_once_str("/"));
            let made: Option<u64> =
                parts.and_then(|(seconds, _)| seconds.to_str().ok()?.parse().ok());
            let is_same = id == tree.to_string().as_bytes();
            // What isn't of this form isn't ours.
            if made.is_some_and(|made| made < expired || is_same) {
                let (name, id) = (name.as_bstr(), id.as_bstr());
                removed.push((name.to_string(), format!("delete {name} {id}\n")));
            }
        }
        // What another run removed first fails, and whatever can't be removed goes with the next
        // snapshot.
        let all: String = removed.iter().map(|(_, change)| &change[..]).collect();
        if self.change_references(KEPT, &all).is_err() {
            removed
                .iter()
                .for_each(|(name, change)| drop(self.change_references(name, change)));
        }
        Ok(())
    }

    /// Changes references, of which one is named, and none that they lead to.
    fn change_references(&self, name: &str, changes: &str) -> Result<(), RepoError> {
        let changes = changes
            .lines()
            .map(|change| format!("option no-deref\n{change}\n"));
        let changes: String = changes.collect();
        self.update_reference(name, &["--stdin"], changes.as_bytes())
    }
}
