//! Trees, written directory by directory: only directories that change are read, and each new tree
//! is a splice of the old.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::rc::Rc;

use bstr::ByteSlice as _;
use git2::{ObjectType, Oid};

use super::directories::{Directories, Directory, in_order};
use super::objects::TREE;
use super::{Blob, Repo, RepoError, replacements, shared};
use llmpatch::path::RepoPath;
use llmpatch::text::Splice;
use llmpatch::tree::{Content, File};

/// Where new objects go.
pub(crate) trait ObjectStore {
    /// Stores an object and returns its name. Where the content is a splice of another object's,
    /// `base` is the name of that.
    ///
    /// # Errors
    /// If it can't be written.
    fn put(
        &mut self,
        kind: ObjectType,
        content: &Content,
        base: Option<Oid>,
    ) -> Result<Oid, RepoError>;
}

/// Each object becomes a file of its own.
impl ObjectStore for &Repo {
    fn put(
        &mut self,
        kind: ObjectType,
        content: &Content,
        _: Option<Oid>,
    ) -> Result<Oid, RepoError> {
        let _opened = shared::opened(self);
        self.git
            .odb()
            .and_then(|odb| odb.write(kind, content))
            .map_err(writing)
    }
}

/// Stores the tree of a directory that nothing is in.
///
/// # Errors
/// If it can't be written.
pub(crate) fn store_empty(repo: &Repo) -> Result<Oid, RepoError> {
    (&mut &*repo).put(ObjectType::Tree, &Vec::new().into(), None)
}

/// A path below a directory, and what it is to hold; `None` if it goes.
type Leaf<'p> = (&'p [u8], Option<Blob>);

/// What becomes of a name in a directory.
#[derive(Default)]
struct Name<'p> {
    blob: Option<Blob>,
    below: Vec<Leaf<'p>>,
}

/// What becomes of a range of a tree's bytes: the entry of a name, or nothing.
struct Edit<'p> {
    old: Range<usize>,
    name: (&'p [u8], bool),
    new: Vec<u8>,
}

/// What makes trees of changes of a tree.
pub(crate) struct TreeWriter<'r> {
    repo: &'r Repo,
    directories: Directories<'r>,
}

impl<'r> TreeWriter<'r> {
    /// Makes a writer for changes of a tree.
    pub(crate) fn new(repo: &'r Repo, top: Oid) -> Self {
        Self {
            repo,
            directories: Directories::new(repo, top),
        }
    }

    /// Stores a file that takes the place of another.
    ///
    /// # Errors
    /// If it can't be written.
    pub(crate) fn write_blob(
        &self,
        path: &RepoPath,
        before: Option<&File>,
        after: &File,
        store: &mut dyn ObjectStore,
    ) -> Result<Blob, RepoError> {
        let content = after.content.kept();
        let is_splice = content
            .splices()
            .is_some_and(|(base, _)| before.is_some_and(|before| base.is(before.content.kept())));
        let base = if is_splice {
            self.directories.entry(path.as_bytes())?
        } else {
            None
        };
        let base = base
            .map(|(id, _)| replacements::follow(self.repo, id))
            .transpose()?;
        Ok(Blob {
            id: store.put(ObjectType::Blob, content, base)?,
            mode: after.mode.git(),
        })
    }

    /// Stores the tree that comes of it once these paths, each named once, hold these blobs, or
    /// nothing. A directory that nothing is left in goes.
    ///
    /// # Errors
    /// If a tree can't be read or written.
    pub(crate) fn write(
        &self,
        leaves: &[(&RepoPath, Option<Blob>)],
        store: &mut dyn ObjectStore,
    ) -> Result<Oid, RepoError> {
        let leaves = leaves
            .iter()
            .map(|(path, blob)| (path.as_bytes(), *blob))
            .collect();
        match self.write_directory(Some(self.directories.top()), leaves, store)? {
            Some(tree) => Ok(tree),
            None => store.put(ObjectType::Tree, &Vec::new().into(), None),
        }
    }

    /// Stores the tree of a directory; `None` if nothing is in it.
    fn write_directory(
        &self,
        id: Option<Oid>,
        leaves: Vec<Leaf<'_>>,
        store: &mut dyn ObjectStore,
    ) -> Result<Option<Oid>, RepoError> {
        let old = match id {
            Some(id) => self.directories.directory(id)?,
            None => Rc::default(),
        };
        let mut names: BTreeMap<&[u8], Name<'_>> = BTreeMap::new();
        for (path, blob) in leaves {
            match path.split_once_str("/") {
                None => names.entry(path).or_default().blob = blob,
                Some((name, rest)) => names.entry(name).or_default().below.push((rest, blob)),
            }
        }
        let mut edits = Vec::new();
        for entry in old
            .entries
            .iter()
            .filter(|entry| !entry.is_written_so && !names.contains_key(old.name(entry)))
        {
            let new = written(entry.mode, old.name(entry), old.id(entry)?);
            edits.push(Edit {
                old: entry.all.clone(),
                name: (old.name(entry), entry.mode == TREE),
                new,
            });
        }
        for (name, to) in names {
            let becomes = self.becomes(&old, name, to, store)?;
            edits.extend(edits_of(&old, name, becomes));
        }
        let new = Content::spliced(old.raw.clone(), splices(edits));
        if new.size() == 0 {
            Ok(None)
        } else {
            let base = id
                .map(|id| replacements::follow(self.repo, id))
                .transpose()?;
            store.put(ObjectType::Tree, &new, base).map(Some)
        }
    }

    /// Returns the id and the mode that a name of a directory comes to have, once the tree below it
    /// is stored.
    fn becomes(
        &self,
        old: &Directory,
        name: &[u8],
        to: Name<'_>,
        store: &mut dyn ObjectStore,
    ) -> Result<Option<(Oid, u32)>, RepoError> {
        match to.blob {
            Some(Blob { id, mode }) => Ok(Some((id, mode))),
            None if to.below.is_empty() => Ok(None),
            None => {
                let there = old.get(name).filter(|there| there.mode == TREE);
                let id = there.map(|there| old.id(there)).transpose()?;
                let tree = self.write_directory(id, to.below, store)?;
                Ok(tree.map(|id| (id, TREE)))
            }
        }
    }
}

/// Returns what is to be done to the bytes of a tree where a name comes to have an id and a mode.
/// A file that becomes a directory, or the other way round, has another place.
fn edits_of<'p>(
    old: &Directory,
    name: &'p [u8],
    becomes: Option<(Oid, u32)>,
) -> impl Iterator<Item = Edit<'p>> {
    let there = old
        .get(name)
        .map(|there| (there.all.clone(), there.mode == TREE));
    let new = becomes.map(|(id, mode)| (written(mode, name, id), mode == TREE));
    let is_same = there.as_ref().map(|there| there.1) == new.as_ref().map(|new| new.1);
    let removed = there
        .clone()
        .filter(|_| !is_same)
        .map(|(old, is_directory)| Edit {
            old,
            name: (name, is_directory),
            new: Vec::new(),
        });
    let written = new.map(|(new, is_directory)| Edit {
        old: match there {
            Some((all, _)) if is_same => all,
            _ => old.place(name, is_directory),
        },
        name: (name, is_directory),
        new,
    });
    removed.into_iter().chain(written)
}

/// Returns the bytes of a tree in which each of these trees is under its own id.
pub(crate) fn tree_of_trees(trees: BTreeSet<Oid>) -> Vec<u8> {
    let named = trees.into_iter().map(|id| (id.to_string(), id));
    named
        .flat_map(|(name, id)| written(TREE, name.as_bytes(), id))
        .collect()
}

fn written(mode: u32, name: &[u8], id: Oid) -> Vec<u8> {
    [format!("{mode:o} ").as_bytes(), name, b"\0", id.as_bytes()].concat()
}

/// Puts edits in order.
fn splices(mut edits: Vec<Edit<'_>>) -> Vec<Splice> {
    edits.sort_by(|a, b| {
        (a.old.start, a.old.end)
            .cmp(&(b.old.start, b.old.end))
            .then_with(|| in_order(a.name, b.name))
    });
    let edits = edits.into_iter();
    edits
        .map(|Edit { old, new, .. }| Splice { old, new })
        .collect()
}

fn writing(error: git2::Error) -> RepoError {
    RepoError::git("or write an object")(error)
}
