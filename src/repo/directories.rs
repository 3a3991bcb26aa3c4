//! The tree of a commit, directory by directory, each read once.
//!
//! libgit2 reads the tree of a directory anew for every path that is looked up in it, so that a change of all files in a large
//! directory would take a time that grows with the square of their number.

use std::cell::RefCell;
use std::collections::HashMap;

use bstr::ByteSlice as _;
use git2::{Oid, Repository, Tree};

use super::objects::{TREE, odd};
use crate::path::RepoPath;
use crate::tree::TreeError;

/// A tree, and what was read of the directories in it.
pub(super) struct Directories<'r> {
    git: &'r Repository,
    top: Tree<'r>,
    read: RefCell<HashMap<Oid, Tree<'r>>>,
}

/// What stands at a path of a tree, before anything is read.
pub(super) enum TreePlace {
    Absent,
    Directory(Oid),
    Leaf { id: Oid, mode: u32 },
    Beneath { ancestor: RepoPath, mode: u32 },
}

impl<'r> Directories<'r> {
    pub(super) fn new(git: &'r Repository, top: Tree<'r>) -> Self {
        Self { git, top, read: RefCell::default() }
    }

    /// Returns the whole tree.
    pub(super) fn top(&self) -> Tree<'r> {
        self.top.clone()
    }

    /// Finds a path.
    ///
    /// # Errors
    /// If a directory above it can't be read.
    pub(super) fn find(&self, path: &RepoPath) -> Result<TreePlace, TreeError> {
        let failed = |error| odd(path, error);
        let mut above = path.ancestors().collect::<Vec<_>>();
        let mut here = self.top();
        let mut parts = path.parts().peekable();
        while let Some(part) = parts.next() {
            let Some((id, mode)) = entry(&here, part) else { return Ok(TreePlace::Absent) };
            match (parts.peek(), above.pop()) {
                (None, _) if mode == TREE => return Ok(TreePlace::Directory(id)),
                (None, _) => return Ok(TreePlace::Leaf { id, mode }),
                (Some(_), Some(ancestor)) if mode != TREE => return Ok(TreePlace::Beneath { ancestor, mode }),
                (Some(_), _) => here = self.directory(id).map_err(failed)?,
            }
        }
        Ok(TreePlace::Absent)
    }

    /// Returns the id and the mode of what stands at a path as git names it, which may be one that no patch can name.
    ///
    /// # Errors
    /// If a directory above it can't be read.
    pub(super) fn entry(&self, path: &[u8]) -> Result<Option<(Oid, u32)>, git2::Error> {
        let (above, name) = path.rsplit_once_str("/").unwrap_or((b"", path));
        let mut here = self.top();
        for part in above.split_str("/").filter(|part| !part.is_empty()) {
            match entry(&here, part) {
                Some((id, TREE)) => here = self.directory(id)?,
                _ => return Ok(None),
            }
        }
        Ok(entry(&here, name))
    }

    /// Returns the tree of a directory.
    pub(super) fn directory(&self, id: Oid) -> Result<Tree<'r>, git2::Error> {
        if let Some(tree) = self.read.borrow().get(&id) {
            return Ok(tree.clone());
        }
        let tree = self.git.find_tree(id)?;
        self.read.borrow_mut().insert(id, tree.clone());
        Ok(tree)
    }
}

/// Modes are as git reads them: old trees hold others.
fn entry(tree: &Tree<'_>, name: &[u8]) -> Option<(Oid, u32)> {
    tree.get_name_bytes(name).map(|entry| (entry.id(), entry.filemode().cast_unsigned()))
}

impl std::fmt::Debug for Directories<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Directories").field("top", &self.top).finish_non_exhaustive()
    }
}
