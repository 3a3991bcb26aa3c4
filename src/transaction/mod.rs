//! Makes a [`ChangeSet`] true, or leaves no trace. It decides nothing about the patch.
//!
//! [`begin`] refuses all that can be refused, then prepares all that takes room on a disk: new contents beside their targets,
//! blobs, the next index. [`Prepared::publish`] makes the change visible. Whatever fails after that, what was done is taken
//! back, the last step first, and so it is when a `Prepared` is dropped.
//!
//! From begin to end git's own `index.lock` is held, for a change of the work tree alone too: it keeps `git add` and
//! `git commit` from seeing half of it.
//!
//! The order at the end: files, then the index by one rename, which can't fail halfway. With a commit: files, then the
//! commit on a private index, then the index. Once HEAD moved there is no way back, so an index that then can't follow is a
//! warning.

mod fault;
mod lock;
mod publish;
mod recheck;
mod store;
mod undo;
mod workplace;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::path::PathBuf;

pub use fault::{Fault, Holder, Warning};

use crate::dir::{Found, Stat};
use crate::path::RepoPath;
use crate::plan::ChangeSet;
use crate::repo::{self, Against, Blob, CommitFault, Consult, NextIndex, Repo};
pub use crate::repo::{CommitRequest, Committed, Sign};
use crate::tree::File;
use lock::{IndexLock, Patience};
use workplace::{Watch, Workplace};

/// What is to be changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// The work tree alone.
    WorkTree {
        /// Whether new files are recorded in the index as to be added, so that `git diff` shows them. A file whose place in
        /// the index is taken, by an entry of its own or by one above or below it, is left out.
        intent_to_add: bool,
    },
    /// The work tree and the index.
    IndexAndWorkTree,
    /// The index alone.
    Index,
    /// The work tree and the index, and then a commit of just this.
    Commit(CommitRequest),
}

/// What was done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Done {
    /// The commit, if one was asked for.
    pub commit: Option<Committed>,
    /// What is worth a word.
    pub warnings: Vec<Warning>,
}

/// Why nothing was done after all.
#[derive(Debug, thiserror::Error)]
#[error("{fault}")]
pub struct Undone {
    /// What went wrong.
    pub fault: Fault,
    /// The paths that aren't what they were: they couldn't be put back, or somebody else changed them meanwhile, and then
    /// their content was left alone. None: everything was put back.
    pub attention: Vec<RepoPath>,
    /// Where the originals of these paths are kept, if there is one that isn't in its place.
    pub kept: Option<PathBuf>,
}

/// A change whose new contents are safely on disk. Nothing that has a name has been touched yet.
///
/// Dropping it removes what was prepared.
#[derive(Debug)]
#[must_use = "a prepared change is none until `publish`"]
pub struct Prepared<'r> {
    repo: &'r Repo,
    changes: &'r ChangeSet,
    target: Target,
    index_path: PathBuf,
    place: Option<Workplace<'r>>,
    blobs: Vec<(&'r RepoPath, Option<Blob>)>,
    next: Option<NextIndex>,
    private: Option<NextIndex>,
    warnings: Vec<Warning>,
    /// The last field, so that it is released when all else is tidied up.
    _lock: IndexLock,
}

/// Refuses what can't be done, then prepares the rest. Nothing visible has changed afterwards, whatever it returns.
///
/// # Errors
/// `locked`, `stale`, `file-exists`, `identity`, `unsupported`, `unchanged`, `io`: see [`Fault`].
pub fn begin<'r>(repo: &'r Repo, changes: &'r ChangeSet, target: Target) -> Result<Prepared<'r>, Fault> {
    if let Target::Commit(request) = &target {
        if request.message.trim_ascii().is_empty() && !request.edit {
            return Err(CommitFault::EmptyMessage.into());
        }
        repo.check_identity(request)?;
    }
    let index_path = repo.index_path();
    let patience = Patience::from_setting(repo.config().int("llmpatch.lockTimeout")?);
    let lock = IndexLock::take(&index_path, patience)?;
    if !matches!(target, Target::WorkTree { .. }) {
        repo.refresh_index()?;
    }
    match &target {
        Target::WorkTree { .. } => recheck::still_holds(&repo.work_tree()?, changes)?,
        Target::Index => recheck::still_holds(&repo.index_tree()?, changes)?,
        Target::IndexAndWorkTree => recheck::still_holds(&repo.agreeing_tree(Against::Index)?, changes)?,
        Target::Commit(_) => {
            repo.check_calm()?;
            recheck::still_holds(&repo.agreeing_tree(Against::IndexAndHead)?, changes)?;
        }
    }
    let mut prepared = Prepared {
        repo,
        changes,
        target,
        index_path,
        place: None,
        blobs: Vec::new(),
        next: None,
        private: None,
        warnings: Vec::new(),
        _lock: lock,
    };
    prepared.prepare()?;
    Ok(prepared)
}

impl<'r> Prepared<'r> {
    fn prepare(&mut self) -> Result<(), Fault> {
        let watch = match self.target {
            Target::Index => None,
            Target::Commit(_) => Some(Watch::Hooks),
            Target::WorkTree { .. } | Target::IndexAndWorkTree => Some(Watch::None),
        };
        if let Some(watch) = watch {
            self.look_around()?;
            self.place = Some(Workplace::prepare(self.repo, self.changes, watch)?);
        }
        if self.wants_index() {
            let beside = lock::with_suffix(&self.index_path, &format!(".llmpatch-{:016x}", lock::nonce()));
            self.next = Some(NextIndex::copy(self.repo, &self.index_path, beside)?);
        }
        match (&self.target, &self.next) {
            (Target::WorkTree { .. }, _) | (_, None) => {}
            (Target::Index, _) => self.blobs = self.blobs(|_, file| self.repo.write_blob(file))?,
            (_, Some(next)) => {
                let conversion = self.repo.conversion(Consult::Index)?;
                self.blobs = self.blobs(|path, file| next.clean_blob(&conversion, path, file))?;
            }
        }
        if let (Target::Commit(_), Some(place)) = (&self.target, &mut self.place) {
            let path = place.store()?.path().join("index");
            let mut private = NextIndex::copy(self.repo, &self.index_path, path)?;
            let head = self.repo.head_tree()?;
            private.reset_to(head)?;
            set_all(&mut private, &self.blobs, &BTreeMap::new())?;
            if head == Some(private.tree()?) {
                return Err(CommitFault::NothingToCommit.into());
            }
            self.private = Some(private);
        }
        Ok(())
    }

    fn wants_index(&self) -> bool {
        match self.target {
            Target::WorkTree { intent_to_add } => {
                intent_to_add && self.changes.iter().any(|change| change.before.is_none())
            }
            _ => true,
        }
    }

    /// Looks at what the change would do to the file system beyond the files' content.
    fn look_around(&mut self) -> Result<(), Fault> {
        let dir = self.repo.dir()?;
        for change in self.changes {
            let io = |source| Fault::io("look at", &change.path, source);
            match (dir.look(&change.path).map_err(io)?, &change.after) {
                (Found::File(stat), Some(_)) if stat.links > 1 => {
                    self.warnings.push(Warning::HardLink { path: change.path.clone(), others: stat.links - 1 });
                }
                (Found::Folder, Some(_)) if dir.is_current(&change.path).map_err(io)? => {
                    return Err(Fault::CurrentFolder { path: change.path.clone() });
                }
                _ => {}
            }
        }
        Ok(())
    }
}

impl<'r> Prepared<'r> {
    fn blobs(
        &self,
        write: impl Fn(&RepoPath, &File) -> Result<Blob, repo::Fault>,
    ) -> Result<Vec<(&'r RepoPath, Option<Blob>)>, Fault> {
        let mut blobs = Vec::new();
        for change in self.changes {
            let blob = change.after.as_ref().map(|file| write(&change.path, file)).transpose()?;
            blobs.push((&change.path, blob));
        }
        Ok(blobs)
    }

    /// Puts everything in place, or puts everything back.
    ///
    /// # Errors
    /// Says what went wrong, and which paths aren't what they were.
    pub fn publish(mut self) -> Result<Done, Undone> {
        let commit = match self.make_visible() {
            Ok(commit) => commit,
            Err(fault) => {
                let attention = self.place.as_mut().map(Workplace::take_back).unwrap_or_default();
                let kept = self.place.as_ref().and_then(|place| place.made_store()?.kept());
                return Err(Undone { fault, attention, kept });
            }
        };
        if let Some(place) = self.place.take() {
            self.warnings.extend(place.settle());
        }
        Ok(Done { commit, warnings: std::mem::take(&mut self.warnings) })
    }

    fn make_visible(&mut self) -> Result<Option<Committed>, Fault> {
        let mut stats = BTreeMap::new();
        if let Some(place) = &mut self.place {
            place.publish()?;
            if self.next.is_some() {
                stats = place.stats()?;
            }
        }
        let Some(mut next) = self.next.take() else {
            self.confirm()?;
            return Ok(None);
        };
        if let Target::WorkTree { .. } = self.target {
            for change in self.changes.iter().filter(|change| change.before.is_none()) {
                if let Some(after) = &change.after {
                    next.intend(&change.path, after.mode)?;
                }
            }
        } else {
            set_all(&mut next, &self.blobs, &stats)?;
        }
        next.write()?;
        self.confirm()?;
        let Some(mut private) = self.private.take() else {
            next.install(&self.index_path)?;
            return Ok(None);
        };
        set_all(&mut private, &self.blobs, &stats)?;
        private.write()?;
        self.commit(&mut private, next).map(Some)
    }

    fn confirm(&self) -> Result<(), Fault> {
        self.place.as_ref().map_or(Ok(()), Workplace::confirm)
    }

    /// Commits what the private index holds; then lets the index follow.
    fn commit(&mut self, private: &mut NextIndex, next: NextIndex) -> Result<Committed, Fault> {
        let (Target::Commit(request), Some(place)) = (&self.target, &mut self.place) else {
            unreachable!("there is a private index for a commit only")
        };
        place.clear_the_view()?;
        let before = self.repo.head_commit()?;
        let folder = place.store()?.path();
        let expected = private.tree()?;
        let id = self.repo.commit(request, private.path(), folder)?;
        // From here on there is a commit, and nothing is taken back.
        let following = self.repo.tree_of(id).map_err(Fault::from).and_then(|tree| {
            let next = if tree == expected {
                next
            } else {
                // A hook added something of its own.
                drop(next);
                let beside = lock::with_suffix(&self.index_path, &format!(".llmpatch-{:016x}", lock::nonce()));
                let mut next = NextIndex::copy(self.repo, &self.index_path, beside)?;
                next.follow(before, id, private.path())?;
                next.write()?;
                next
            };
            Ok(next.install(&self.index_path)?)
        });
        if let Err(fault) = following {
            self.warnings.push(Warning::IndexBehind { reason: fault.to_string() });
        }
        Ok(self.repo.describe_commit(id))
    }
}

fn set_all(
    index: &mut NextIndex,
    blobs: &[(&RepoPath, Option<Blob>)],
    stats: &BTreeMap<&RepoPath, Stat>,
) -> Result<(), Fault> {
    // All that goes first: it may stand in the way of what comes.
    for (path, _) in blobs.iter().filter(|(_, blob)| blob.is_none()) {
        index.set(path, None, None)?;
    }
    for (path, blob) in blobs.iter().filter(|(_, blob)| blob.is_some()) {
        index.set(path, *blob, stats.get(path))?;
    }
    Ok(())
}
