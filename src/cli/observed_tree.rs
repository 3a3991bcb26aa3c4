//! The tree that a plan is made for, watched for reads of what an interrupted apply may have left
//! half changed, and counted for whoever waits.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;

use super::error::{CliError, Failure};
use crate::transaction::Interrupted;
use llmpatch::path::RepoPath;
use llmpatch::progress::{Progress, Stage};
use llmpatch::report::Diagnostic;
use llmpatch::tree::{Entry, Tree, TreeError};

/// A tree that notes whether such a path was read.
pub(super) struct ObservedTree<'t> {
    tree: &'t dyn Tree,
    interrupted: Option<Interrupted>,
    was_read: Cell<bool>,
    progress: Progress,
    /// The paths that are yet to be read and are counted.
    unread: RefCell<BTreeSet<RepoPath>>,
    /// Whether one of them has been read, and is at work.
    is_at_work: Cell<bool>,
}

impl<'t> ObservedTree<'t> {
    /// Watches for the paths of what was interrupted, if anything was.
    pub(super) fn new(interrupted: Option<Interrupted>, tree: &'t dyn Tree) -> Self {
        let was_read = Cell::new(false);
        let is_at_work = Cell::new(false);
        Self {
            tree,
            interrupted,
            was_read,
            progress: Progress::default(),
            unread: RefCell::default(),
            is_at_work,
        }
    }

    /// Tells how many of these paths were read and done with: a path is done with once the next
    /// path is read.
    pub(super) fn counting(self, paths: BTreeSet<RepoPath>, progress: &Progress) -> Self {
        progress.enter(Stage::Planning, paths.len());
        Self {
            progress: progress.clone(),
            unread: RefCell::new(paths),
            ..self
        }
    }

    /// Returns a warning if a change was interrupted; an error if a path of it was read, or if its
    /// paths aren't known.
    pub(super) fn verdict(&self) -> Result<Option<Diagnostic>, Failure> {
        let Some(interrupted) = &self.interrupted else {
            return Ok(None);
        };
        if self.was_read.get() || interrupted.paths.is_empty() {
            Err(CliError::HalfDone(interrupted.clone()).into())
        } else {
            Ok(Some(Diagnostic::from(&CliError::HalfDoneElsewhere {
                origin: interrupted.origin,
            })))
        }
    }

    /// Records that a path is read.
    pub(super) fn note(&self, path: &RepoPath) {
        let mut torn = self.interrupted.iter().flat_map(|change| &change.paths);
        if torn.any(|torn| torn == path || torn.is_below(path) || path.is_below(torn)) {
            self.was_read.set(true);
        }
    }
}

impl Tree for ObservedTree<'_> {
    fn below(&self) -> Option<&dyn Tree> {
        Some(self.tree)
    }

    fn read(&self, path: &RepoPath) -> Result<Entry, TreeError> {
        self.note(path);
        if self.unread.borrow_mut().remove(path) && self.is_at_work.replace(true) {
            self.progress.step();
        }
        self.tree.read(path)
    }

    fn leaves_below(&self, directory: &RepoPath) -> Result<Vec<RepoPath>, TreeError> {
        self.note(directory);
        self.tree.leaves_below(directory)
    }
}
