//! Trees, written directory by directory: only those that change are read and written anew.

use std::collections::BTreeMap;

use bstr::ByteSlice as _;
use git2::Oid;

use super::objects::TREE;
use super::{Blob, Repo, RepoError};
use crate::path::RepoPath;

/// A path below a directory, and what it is to hold; `None` if it goes.
type Leaf<'p> = (&'p [u8], Option<Blob>);

/// What becomes of a name in a directory.
#[derive(Default)]
struct Name<'p> {
    blob: Option<Blob>,
    below: Vec<Leaf<'p>>,
}

impl Repo {
    /// Writes the tree that another one becomes once these paths, each named once, hold these blobs, or nothing. A directory that
    /// nothing is left in goes.
    ///
    /// # Errors
    /// If a tree can't be read or written.
    pub(crate) fn write_tree(&self, base: Oid, leaves: &[(&RepoPath, Option<Blob>)]) -> Result<Oid, RepoError> {
        let leaves = leaves.iter().map(|(path, blob)| (path.as_bytes(), *blob)).collect();
        match self.write_directory(Some(base), leaves)? {
            Some(tree) => Ok(tree),
            None => self.git.treebuilder(None).and_then(|empty| empty.write()).map_err(writing),
        }
    }

    /// Writes the tree of one directory; `None` if nothing is in it.
    fn write_directory(&self, base: Option<Oid>, leaves: Vec<Leaf<'_>>) -> Result<Option<Oid>, RepoError> {
        let base = base.map(|id| self.read_object(id, |git| git.find_tree(id))).transpose()?;
        let mut builder = self.git.treebuilder(base.as_ref()).map_err(writing)?;
        for entry in base.iter().flat_map(git2::Tree::iter).filter(|entry| entry.filemode() != entry.filemode_raw()) {
            // Old trees have 100664, which git reads as 100644 and writes so.
            builder.insert(entry.name_bytes(), entry.id(), entry.filemode()).map_err(writing)?;
        }
        let mut names: BTreeMap<&[u8], Name<'_>> = BTreeMap::new();
        for (path, blob) in leaves {
            match path.split_once_str("/") {
                None => names.entry(path).or_default().blob = blob,
                Some((name, rest)) => names.entry(name).or_default().below.push((rest, blob)),
            }
        }
        for (name, Name { blob, below }) in names {
            let entry = match blob {
                Some(Blob { id, mode }) => Some((id, mode)),
                None if below.is_empty() => None,
                None => {
                    let old = base.as_ref().and_then(|tree| tree.get_name_bytes(name));
                    let old = old.filter(|old| old.filemode_raw().cast_unsigned() == TREE).map(|old| old.id());
                    self.write_directory(old, below)?.map(|id| (id, TREE))
                }
            };
            match entry {
                Some((id, mode)) => drop(builder.insert(name, id, mode.cast_signed()).map_err(writing)?),
                None if builder.get(name).map_err(writing)?.is_some() => builder.remove(name).map_err(writing)?,
                None => {}
            }
        }
        if builder.is_empty() { Ok(None) } else { builder.write().map(Some).map_err(writing) }
    }
}

fn writing(error: git2::Error) -> RepoError {
    RepoError::git("or write a tree", error)
}
