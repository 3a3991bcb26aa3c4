use std::collections::{BTreeMap, HashSet};

use serde::Serialize;

use crate::path::RepoPath;
use crate::tree::{AttributeFiles, Entry, File, MemoryTree, RULES};

/// What will be true afterwards: for every touched path what it holds before and after, ordered by
/// path as git orders.
///
/// No path occurs twice, and no path is the same before and after. A path that is absent before and
/// after isn't here. A file that is deleted and made again as it was is the same: permission bits
/// that nobody asked for are no change.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChangeSet {
    changes: Vec<Change>,
    unmerged: BTreeMap<RepoPath, Sides>,
}

/// The files that couldn't be merged at a path: as it was, as it is here, and as it was to be;
/// `None` where there is none.
pub type Sides = [Option<File>; 3];

/// What becomes of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The path.
    pub path: RepoPath,
    /// The file before; `None` if there is none.
    pub before: Option<File>,
    /// The file afterwards; `None` if there is none.
    pub after: Option<File>,
    /// For a path that is new, the path that was renamed to it: another change of the set, whose
    /// `after` is `None`.
    pub from: Option<RepoPath>,
}

/// What is done to a file, as git names it by a letter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum FileOperation {
    /// A new file.
    Added,
    /// Its lines or its mode change.
    Modified,
    /// It goes.
    Deleted,
    /// It gets another path, and possibly other lines.
    Renamed,
}

impl FileOperation {
    /// Returns what is done to a file that is there before, or isn't, and afterwards.
    pub fn of<B, A>(before: Option<B>, after: Option<A>) -> Self {
        match (before, after) {
            (None, _) => FileOperation::Added,
            (Some(_), Some(_)) => FileOperation::Modified,
            (Some(_), None) => FileOperation::Deleted,
        }
    }

    /// Returns git's letter.
    pub fn letter(self) -> char {
        match self {
            FileOperation::Added => 'A',
            FileOperation::Modified => 'M',
            FileOperation::Deleted => 'D',
            FileOperation::Renamed => 'R',
        }
    }
}

impl Change {
    /// Returns what is done to the file.
    pub fn operation(&self) -> FileOperation {
        match (&self.from, &self.after) {
            (Some(_), Some(_)) => FileOperation::Renamed,
            _ => FileOperation::of(self.before.as_ref(), self.after.as_ref()),
        }
    }

    /// Returns the file that is replaced on disk; `None` if there is none: the path is new, or the
    /// file is in the index alone.
    pub fn on_disk(&self) -> Option<&File> {
        self.before
            .as_ref()
            .filter(|before| before.mode.bits.is_some())
    }
}

impl ChangeSet {
    /// Orders changes by path and leaves out changes that change nothing.
    ///
    /// # Panics
    /// If a path occurs twice.
    pub fn new(changes: impl IntoIterator<Item = Change>) -> Self {
        Self::with_unmerged(changes, BTreeMap::new())
    }

    /// Makes a change set like [`ChangeSet::new`], and says which paths are left in conflict; these
    /// are in it whether they change or not.
    ///
    /// # Panics
    /// If a path occurs twice.
    pub(crate) fn with_unmerged(
        changes: impl IntoIterator<Item = Change>,
        unmerged: BTreeMap<RepoPath, Sides>,
    ) -> Self {
        let mut changes: Vec<_> = changes
            .into_iter()
            .filter(|change| !is_same(change) || unmerged.contains_key(&change.path))
            .collect();
        changes.sort_by(|a, b| a.path.cmp(&b.path));
        assert!(
            changes.windows(2).all(|pair| pair[0].path < pair[1].path),
            "a path stands in a change set once"
        );
        Self { changes, unmerged }
    }

    /// Returns the changes, by path.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Change> + Clone {
        self.changes.iter()
    }

    /// Returns the changes of files, by path: a rename is the change of its new path.
    pub fn files(&self) -> impl Iterator<Item = &Change> {
        let renamed = self.sources();
        self.iter()
            .filter(move |change| change.after.is_some() || !renamed.contains(&change.path))
    }

    /// Returns what couldn't be merged, by path.
    pub fn unmerged(&self) -> &BTreeMap<RepoPath, Sides> {
        &self.unmerged
    }

    /// Returns the change of a path.
    pub fn get(&self, path: &RepoPath) -> Option<&Change> {
        self.changes
            .binary_search_by(|change| change.path.cmp(path))
            .ok()
            .map(|at| &self.changes[at])
    }

    /// Returns whether nothing is at a path any more once the change is made.
    pub fn removes(&self, path: &RepoPath) -> bool {
        self.get(path).is_some_and(|change| change.after.is_none())
    }

    /// Returns the paths whose files are renamed.
    pub(crate) fn sources(&self) -> HashSet<&RepoPath> {
        let renamed = self.iter().filter_map(|change| change.from.as_ref());
        renamed.collect()
    }

    /// Returns the files among them that hold attributes, as they are afterwards.
    pub fn attribute_files(&self) -> AttributeFiles {
        attribute_files(self.iter())
    }

    /// Makes the change in a tree in memory.
    pub fn make_in(&self, tree: &mut MemoryTree) {
        for change in self.iter().filter(|change| change.after.is_none()) {
            tree.remove(&change.path);
        }
        for change in self {
            if let Some(after) = &change.after {
                tree.insert(change.path.clone(), Entry::File(after.clone()));
            }
        }
    }

    /// Returns how many paths change.
    pub fn len(&self) -> usize {
        self.changes.len()
    }

    /// Returns whether no path changes.
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }
}

/// Returns the files among changed files that hold attributes, as they are afterwards.
pub(super) fn attribute_files<'c>(changes: impl Iterator<Item = &'c Change>) -> AttributeFiles {
    let rules = changes.filter(|change| change.path.name() == RULES.as_bytes());
    let content = |file: &File| file.content.clone();
    rules
        .map(|change| (change.path.clone(), change.after.as_ref().map(content)))
        .collect()
}

fn is_same(change: &Change) -> bool {
    match (&change.before, &change.after) {
        (Some(before), Some(after)) if after.mode.bits.is_none() => {
            before.mode.executable == after.mode.executable && before.content == after.content
        }
        (before, after) => before == after,
    }
}

impl<'a> IntoIterator for &'a ChangeSet {
    type Item = &'a Change;
    type IntoIter = std::slice::Iter<'a, Change>;

    fn into_iter(self) -> Self::IntoIter {
        self.changes.iter()
    }
}
