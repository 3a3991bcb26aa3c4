//! The commit, once the files are in their places: `git commit` makes it, on a private index that
//! holds HEAD and the change.
//!
//! Once HEAD moved there is no way back, so from then on what goes wrong is a warning.

use llmpatch::report::Committed;
use std::cell::Cell;
use std::collections::BTreeMap;

use super::error::{Holder, TransactionError, Unresolved, Warning};
use super::manifest::Manifest;
use super::record::{Entry, Record};
use super::{Prepared, Target, kept, lock, set_all};
use crate::repo::{
    ChildWatch, CommitError, CommitRequest, Draft, NextIndex, Repo, TreeWriter, commit, history,
    hooks, objects, references, tree_write,
};
use crate::signal;
use crate::system::despite_passing_fault;

/// A commit that is still to be made.
#[derive(Debug)]
pub(super) struct Intended<'r> {
    /// HEAD and the change, once the files are in their places.
    pub(super) index: NextIndex<'r>,
    /// What it is to hold.
    tree: git2::Oid,
    /// What it is to say.
    draft: Draft<'r>,
}

impl<'r> Prepared<'r> {
    /// Gets a commit ready: its index and its message, and what recovery would know it by.
    pub(super) fn intend(
        &self,
        request: &CommitRequest,
    ) -> Result<(Intended<'r>, String), TransactionError> {
        let draft = Draft::write(self.repo, request, &self.staging.journal.path())?;
        let path = self.staging.journal.path_of("index");
        let mut index = NextIndex::copy(self.repo, self.repo.index_path(), path)?;
        let ready = request.ready.as_deref().and_then(objects::whole_id);
        if let (Target::Undo(_), Some(ready)) = (&self.target, ready) {
            let tree = history::tree(self.repo, ready)?;
            index.reset_to(Some(tree))?;
            return Ok((Intended { index, tree, draft }, tree.to_string()));
        }
        let head = self
            .head
            .map(|head| history::tree(self.repo, head))
            .transpose()?;
        index.reset_to(head)?;
        set_all(&mut index, &self.blobs, &BTreeMap::new());
        let mut objects = self.repo;
        let base = head.map_or_else(|| tree_write::store_empty(self.repo), Ok)?;
        let tree = TreeWriter::new(self.repo, base).write(&self.blobs, &mut objects)?;
        if head == Some(tree) {
            return Err(CommitError::NothingToCommit.into());
        }
        if let Some(ready) = ready {
            if !history::leads_to(self.repo, self.head, ready)? {
                return Err(CommitError::HeadMoved.into());
            }
            if history::tree(self.repo, ready).ok() != Some(tree) {
                return Err(CommitError::OtherTree.into());
            }
        }
        Ok((Intended { index, tree, draft }, tree.to_string()))
    }

    /// Returns why there is no commit.
    fn not_committed(&self, error: CommitError) -> TransactionError {
        match (error, signal::pending()) {
            (error @ CommitError::InDoubt(_), _) => error.into(),
            (_, Some(signal)) => signal.into(),
            (error, None) => {
                // git gives back what it took; what is held now kept it out.
                let ended = matches!(
                    error,
                    CommitError::NoCommit { status: Some(_) }
                        | CommitError::NotMoved { status: Some(_) }
                );
                let lock = ended
                    .then(|| references::head_locks(self.repo).pop())
                    .flatten();
                lock.map_or_else(|| error.into(), locked)
            }
        }
    }

    /// Commits what the private index holds; then lets the index follow.
    pub(super) fn commit(
        &mut self,
        intended: &mut Intended<'r>,
        next: NextIndex<'r>,
        entries: Vec<Entry>,
    ) -> Result<Made, TransactionError> {
        let Intended {
            index: private,
            draft,
            tree: expected,
        } = intended;
        let repo = self.repo;
        let before = self.head;
        let expected = *expected;
        let refusal = Cell::new(None);
        // git is held there, and with it its hooks, which may rewrite files.
        let held = || {
            let refused = self.look_last().err();
            let may_go = refused.is_none();
            refusal.set(refused);
            may_go
        };
        let lock = self
            .staging
            .journal
            .lend_to_child()
            .map_err(|source| self.of_journal(source))?;
        let watch = ChildWatch {
            held: &held,
            is_to_stop: &|| signal::pending().is_some(),
            lock: &lock,
        };
        signal::check()?;
        // git, hooks and an editor have the terminal now.
        self.staging.progress.rest();
        let made = draft.commit(
            (before, expected),
            private.path(),
            &self.staging.journal.path(),
            &watch,
        );
        if let Some(error) = refusal.take() {
            signal::check()?;
            return Err(error);
        }
        let (id, left) = made.map_err(|error| self.not_committed(error))?;
        // From here on there is a commit, and nothing is taken back: whoever finds the manifest
        // sees that HEAD moved.
        self.staging.leave();
        let made = Made {
            before,
            id,
            expected,
        };
        let is_expected =
            left == expected && history::tree(repo, id).is_ok_and(|tree| tree == expected);
        let is_just_this = if is_expected {
            self.install(next).is_ok()
        } else {
            // A hook added something of its own: another index is made, in the same place.
            drop(next);
            false
        };
        if !is_just_this && let Err(error) = self.follow(before, id, left, private) {
            let reason = error.to_string();
            self.staging.warnings.push(Warning::IndexBehind { reason });
            return Ok(made);
        }
        self.settle(made, entries, is_just_this);
        Ok(made)
    }

    /// Looks at HEAD and the files for the last time before git commits. Whoever saves until here
    /// has saved in time.
    fn look_last(&self) -> Result<(), TransactionError> {
        self.staging
            .journal
            .note_child(self.staging.flush)
            .map_err(|source| self.of_journal(source))?;
        if history::head(self.repo)? != self.head {
            return Err(CommitError::HeadMoved.into());
        }
        self.staging.confirm()
    }

    /// Ends the journal once the index has followed a commit. `is_just_this` says that commit and
    /// index hold the change and nothing else.
    fn settle(&mut self, Made { before, id, .. }: Made, entries: Vec<Entry>, is_just_this: bool) {
        let is_undo = matches!(self.target, Target::Undo(_));
        if before != Some(id) && !is_undo {
            let change = is_just_this.then(|| self.staging.made(self.changes, entries));
            let record = Record::of_commit(
                id.to_string(),
                before.map(|before| before.to_string()),
                change.and_then(Result::ok),
            );
            // Without it undo knows less, that is all.
            let _ = kept::write(&self.staging.journal, record);
        }
        // git flushes neither its objects nor its references of its own accord.
        let ended = despite_passing_fault(|| {
            self.staging.flush_all()?;
            self.decide_on_commit()
        });
        // If the manifest stays, so does the lock, which keeps git out.
        if let Err(error) = ended {
            let path = lock::path_bytes(&self.staging.journal.path());
            self.staging.warnings.push(Warning::Unsettled {
                path,
                reason: error.to_string(),
            });
        }
    }

    /// Copies into the index what a commit changed, and what a hook has staged since in the private
    /// index.
    fn follow(
        &self,
        before: Option<git2::Oid>,
        id: git2::Oid,
        left: git2::Oid,
        private: &NextIndex<'r>,
    ) -> Result<(), TransactionError> {
        let mut next = self.copy_index()?;
        let before = before.map(|id| history::tree(self.repo, id)).transpose()?;
        let committed = history::tree(self.repo, id)?;
        next.follow(before, committed, private.path())?;
        next.follow(Some(committed), left, private.path())?;
        next.write()?;
        self.keep_indexes(&next)?;
        self.staging.flush_all()?;
        self.install(next)
    }
}

/// A commit that was made.
#[derive(Clone, Copy, Debug)]
pub(super) struct Made {
    before: Option<git2::Oid>,
    id: git2::Oid,
    /// What it was to hold.
    expected: git2::Oid,
}

impl Made {
    /// Has the hook run that hears of a commit, now that nothing is locked, and describes what there
    /// is then; where a hook changed what was to be, that is said, for who sees it should know.
    pub(super) fn tell(
        self,
        repo: &Repo,
        request: &CommitRequest,
        warnings: &mut Vec<Warning>,
    ) -> Option<Committed> {
        if request.ready.is_none() {
            hooks::tell_of_commit(repo, request);
        }
        let id = history::head(repo).ok().flatten().unwrap_or(self.id);
        if self.before == Some(id) {
            warnings.push(Warning::CommitTakenBack);
            return None;
        }
        let mut made = commit::describe(repo, id);
        let other = history::tree(repo, id)
            .ok()
            .filter(|tree| *tree != self.expected);
        if let Some(paths) =
            other.and_then(|tree| commit::paths_between(repo, self.expected, tree).ok())
        {
            warnings.push(Warning::HookChanged { paths });
            made.extent = commit::extent(repo, id).ok();
        }
        Some(made)
    }
}

fn locked(lock: std::path::PathBuf) -> TransactionError {
    TransactionError::Locked {
        lock,
        holder: Holder::Unknown,
    }
}

/// Removes the locks on HEAD and its branch that a dead commit of a run left, which hold that
/// commit. Returns the other locks that are in the way of the next commit: nothing proves whose
/// they are.
pub(super) fn remove_ref_locks(repo: &Repo, manifest: &Manifest) -> Vec<Unresolved> {
    let Some(tree) = &manifest.tree else {
        return Vec::new();
    };
    let mut left = references::commit_locks(repo);
    left.retain(|lock| {
        let text = std::fs::read_to_string(lock).unwrap_or_default();
        let is_its = match &manifest.commit {
            Some(commit) => text.trim() == commit,
            None => history::is_commit_of(repo, text.trim(), manifest.head.as_deref(), tree),
        };
        !(is_its && std::fs::remove_file(lock).is_ok())
    });
    left.into_iter().map(Unresolved::Lock).collect()
}
