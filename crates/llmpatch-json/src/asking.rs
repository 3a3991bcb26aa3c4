//! A tree of the files of a request, which notes the files that it is asked for and doesn't have.

use std::cell::RefCell;
use std::collections::BTreeSet;

use llmpatch::path::windows_fault;
use llmpatch::tree::{Content, Entry, Id, Remedy, TreeError};
use llmpatch::{MemoryTree, RepoPath, Tree};

use crate::blobs;

/// Files in memory, some known not to be there, and perhaps others that the caller has.
///
/// A path that isn't UTF-8 is refused: the caller can neither give such a file nor be asked for it,
/// so what is there isn't known. Where the files are on Windows, what is no file's name there is, too.
pub(crate) struct AskingTree {
    known: MemoryTree,
    absent: BTreeSet<RepoPath>,
    /// Whether the caller may have other files.
    asks: bool,
    on_windows: bool,
    wanted: RefCell<BTreeSet<RepoPath>>,
}

impl AskingTree {
    /// Makes a tree of the files that a request has.
    pub(crate) fn new(
        known: MemoryTree,
        absent: BTreeSet<RepoPath>,
        asks: bool,
        on_windows: bool,
    ) -> Self {
        Self {
            known,
            absent,
            asks,
            on_windows,
            wanted: RefCell::default(),
        }
    }

    /// Says what is wrong with a path that no file here can have.
    fn misnamed(&self, path: &RepoPath) -> Option<TreeError> {
        let path = path.clone();
        if std::str::from_utf8(path.as_bytes()).is_err() {
            return Some(TreeError::Unsupported {
                path,
                what: "isn't UTF-8, and files are named by text here".into(),
                remedy: Remedy::Name,
            });
        }
        let why = self.on_windows.then(|| windows_fault(&path)).flatten();
        why.map(|why| TreeError::Misnamed { path, why })
    }

    /// Returns the files that it was asked for and doesn't know of.
    pub(crate) fn wanted(&self) -> Vec<String> {
        let wanted = self.wanted.borrow();
        let name = |path: &RepoPath| path.as_bstr().to_string();
        wanted.iter().map(name).collect()
    }
}

impl Tree for AskingTree {
    fn below(&self) -> Option<&dyn Tree> {
        Some(&self.known)
    }

    fn read(&self, path: &RepoPath) -> Result<Entry, TreeError> {
        if let Some(error) = self.misnamed(path) {
            return Err(error);
        }
        let entry = self.known.read(path)?;
        if self.asks && entry == Entry::Absent {
            // Where nothing is, a file may be in place of a directory above.
            let above = path.ancestors().filter(|_| self.absent.contains(path));
            let unknown = above.chain([path.clone()]).filter(|path| {
                !self.absent.contains(path) && matches!(self.known.read(path), Ok(Entry::Absent))
            });
            self.wanted.borrow_mut().extend(unknown);
        }
        Ok(entry)
    }

    fn id(&self, _: &RepoPath, content: &Content) -> Result<Option<Id>, TreeError> {
        let content = content.clone();
        Ok(Some(Box::new(move || blobs::id(&content))))
    }
}
