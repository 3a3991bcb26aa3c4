//! The tree as the edits so far have made it: each edit reads what the edits before it left.
//!
//! Every path of the tree below is read once. A path about which an edit failed is *unknown* from
//! there on: later edits of it are passed over in silence, so that a cause makes a single error.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Bound;
use std::rc::Rc;

use bstr::BStr;

use super::changeset::{Change, ChangeSet, attribute_files};
use super::error::{Error, Irregular, Missing, Occupied};
use super::live::LiveFile;
use super::suggest;
use crate::path::RepoPath;
use crate::search::Document;
use crate::text::{Span, Splice};
use crate::tree::{Content, Entry, File, Obstacle, Planned, Tree, TreeError};

pub(super) struct Overlay<'t> {
    tree: &'t dyn Tree,
    /// The directory that `--directory` puts before every path of the response; empty without it.
    /// Only messages use it.
    directory: &'t BStr,
    pub(super) slots: BTreeMap<RepoPath, Slot>,
    /// The paths of the slots by their lower case, where the tree knows no case.
    by_case: HashMap<Vec<u8>, Vec<RepoPath>>,
    /// The edit at work: its number, from 0, and its place in the response.
    pub(super) edit: (usize, Option<Span>),
}

const READ: &str = "a path is read before it is changed";

/// A path that an edit has named.
#[derive(Default)]
pub(super) struct Slot {
    before: Option<File>,
    pub(super) now: Option<LiveFile>,
    /// How the file went, if it did.
    gone: Option<Missing>,
    /// The edits that changed a file and deleted it, for a file that is put here later.
    changed_by: Vec<usize>,
    /// Whether the tree below has a directory here.
    is_directory: bool,
    is_unknown: bool,
    /// A file that was in the way of a new file and waits for the edit that renames or deletes it.
    pub(super) aside: Option<LiveFile>,
    /// Lines that failed edits would have added.
    lost: HashSet<Vec<u8>>,
}

/// Which of the files of a path.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Which {
    /// The file that is there.
    There,
    /// The file that was set aside.
    Aside,
}

/// What an edit finds. The error is `None` where an earlier edit of the path failed: nothing can be
/// said of it then.
pub(super) type Found<T> = Result<T, Option<Error>>;

impl<'t> Overlay<'t> {
    pub(super) fn new(tree: &'t dyn Tree, directory: &'t BStr) -> Self {
        Self {
            tree,
            directory,
            slots: BTreeMap::new(),
            by_case: HashMap::new(),
            edit: (0, None),
        }
    }

    /// Returns the file at a path, to be the base of an edit.
    pub(super) fn file(&mut self, path: &RepoPath) -> Found<File> {
        let slot = self.load(path)?;
        match (&slot.now, &slot.gone) {
            _ if slot.is_unknown => Err(None),
            (Some(file), _) if file.mode.is_link() => Err(Some(Error::Irregular(
                path.clone(),
                Irregular::Other(Obstacle::Link),
            ))),
            (Some(file), _) => Ok(file.file()),
            (None, Some(missing)) => Err(Some(Error::Missing(path.clone(), missing.clone()))),
            (None, None) if slot.is_directory => {
                Err(Some(Error::Irregular(path.clone(), Irregular::Directory)))
            }
            (None, None) => {
                let above = path.ancestors().find(|ancestor| self.live(ancestor));
                let why = above.map_or_else(
                    || suggest::missing(self.tree, path, self.directory),
                    Missing::BelowFile,
                );
                Err(Some(Error::Missing(path.clone(), why)))
            }
        }
    }

    /// Returns the file at the path of a new file; `None` if the path is free.
    ///
    /// # Errors
    /// If something else is in the way (a file above the path, a file below it, a path that differs
    /// only in case), or the path can't be read.
    pub(super) fn obstacle(&mut self, path: &RepoPath) -> Found<Option<File>> {
        let slot = self.load(path)?;
        if slot.is_unknown {
            return Err(None);
        }
        if let Some(file) = &slot.now {
            return Ok(Some(file.file()));
        }
        let is_directory = slot.is_directory;
        if let Some(above) = path.ancestors().find(|ancestor| self.live(ancestor)) {
            return Err(Some(Error::Occupied(
                path.clone(),
                Occupied::FileAbove(above),
            )));
        }
        if let Some(below) = self.live_below(path, is_directory)? {
            return Err(Some(Error::Occupied(
                path.clone(),
                Occupied::Directory(below),
            )));
        }
        if self.tree.ignores_case() {
            let mut twins = self.tree.case_twins(path).map_err(Error::from)?;
            twins.retain(|twin| self.slots.get(twin).is_none_or(|slot| slot.now.is_some()));
            let mut alike = self
                .by_case
                .get(&path.as_bytes().to_ascii_lowercase())
                .into_iter()
                .flatten();
            let made = alike.find(|other| *other != path && self.live(other));
            if let Some(twin) = twins.pop().or(made.cloned()) {
                return Err(Some(Error::Occupied(path.clone(), Occupied::Twin(twin))));
            }
        }
        Ok(None)
    }

    /// Returns whether an empty file is at a path.
    pub(super) fn is_empty(&mut self, path: &RepoPath) -> bool {
        let slot = self.load(path).ok().filter(|slot| !slot.is_unknown);
        let now = slot.and_then(|slot| slot.now.as_ref());
        now.is_some_and(|now| now.content().size() == 0)
    }

    /// Returns the file that is at a path now, if that has been read.
    pub(super) fn now(&self, path: &RepoPath) -> Option<&LiveFile> {
        self.slots.get(path)?.now.as_ref()
    }

    /// Returns the file at a path as it was read for edits to look for something in it; `None` if it
    /// wasn't yet, or is unknown.
    pub(super) fn document(&self, path: &RepoPath) -> Option<Rc<Document>> {
        let slot = self.slots.get(path).filter(|slot| !slot.is_unknown)?;
        slot.now.as_ref()?.document()
    }

    /// Keeps what the file at a path was read as.
    pub(super) fn search(&mut self, path: &RepoPath, document: Rc<Document>) {
        if let Some(now) = &mut self.slot_of(path).now {
            now.search(document);
        }
    }

    /// Returns the file that a new file replaces: the file at a path, or the file there until an
    /// earlier edit deleted it.
    pub(super) fn predecessor(&self, path: &RepoPath) -> Option<File> {
        let slot = self.slots.get(path)?;
        match (&slot.now, &slot.gone) {
            (None, Some(Missing::Deleted(_))) => slot.before.clone(),
            (now, _) => now.as_ref().map(LiveFile::file),
        }
    }

    /// Returns what was at a path in the tree below, if that has been read and is a file.
    pub(super) fn before(&self, path: &RepoPath) -> Option<Content> {
        self.slots
            .get(path)?
            .before
            .as_ref()
            .map(|file| file.content.clone())
    }

    /// Returns what the tree below holds of the file that is at a path now; `None` for a file that
    /// the response made.
    pub(super) fn in_tree(&self, path: &RepoPath) -> Option<Content> {
        self.before(self.origin(path)?)
    }

    /// Returns the path in the tree below of the file that is at a path now.
    pub(super) fn origin(&self, path: &RepoPath) -> Option<&RepoPath> {
        self.now(path)?.origin.as_ref()
    }

    /// Returns the edit that made the file at a path where there was none.
    pub(super) fn maker(&self, path: &RepoPath) -> Option<Span> {
        self.now(path)?.maker
    }

    /// Puts a file at a path that has been read.
    pub(super) fn put(&mut self, path: &RepoPath, file: File) {
        let (number, by) = self.edit;
        let slot = self.slot_of(path);
        slot.gone = None;
        let now = match slot.now.take() {
            Some(now) => self.altered(now, |now| now.replace(file)),
            None => {
                let mut new = LiveFile::new(file, None);
                new.maker = by.filter(|_| slot.before.is_none());
                new.changed_by = std::mem::take(&mut slot.changed_by);
                new.changed_by.push(number);
                new
            }
        };
        self.slot_of(path).now = Some(now);
    }

    /// Changes a file in its place, for the last time or not.
    pub(super) fn change(&mut self, path: &RepoPath, splices: Vec<Splice>, is_last: bool) {
        let now = self.slot_of(path).now.take();
        let now = now.map(|now| self.altered(now, |now| now.change(splices, is_last)));
        self.slot_of(path).now = now;
    }

    /// Deletes a file that has been read.
    pub(super) fn delete(&mut self, path: &RepoPath, which: Which) {
        let (_, by) = self.edit;
        if let Some(file) = self.leave(path, which, Missing::Deleted(by)) {
            let (number, _) = self.edit;
            let slot = self.slot_of(path);
            slot.changed_by = file.changed_by;
            slot.changed_by.push(number);
        }
    }

    /// Renames a file; both paths have been read.
    pub(super) fn rename(&mut self, from: &RepoPath, which: Which, to: &RepoPath, file: File) {
        let (_, by) = self.edit;
        let moved = Missing::Moved { to: to.clone(), by };
        if let Some(old) = self.leave(from, which, moved) {
            let mut new = self.altered(old, |old| old.replace(file));
            let slot = self.slot_of(to);
            new.maker = by.filter(|_| slot.before.is_none());
            (slot.now, slot.gone) = (Some(new), None);
        }
    }

    /// Takes a file from a path.
    fn leave(&mut self, path: &RepoPath, which: Which, gone: Missing) -> Option<LiveFile> {
        let slot = self.slot_of(path);
        let file = match which {
            Which::There => slot.now.take(),
            Which::Aside => slot.aside.take(),
        };
        if slot.now.is_none() {
            slot.gone = Some(gone);
        }
        file
    }

    /// Returns what would be in the way of a new file if another file weren't there that has been
    /// read.
    pub(super) fn obstacle_without(
        &mut self,
        other: &RepoPath,
        path: &RepoPath,
    ) -> Found<Option<File>> {
        let file = self.slot_of(other).now.take();
        let obstacle = self.obstacle(path);
        self.slot_of(other).now = file;
        obstacle
    }

    /// Returns the file that was at a path before the response.
    pub(super) fn original(&mut self, path: &RepoPath) -> Result<Option<File>, Error> {
        Ok(self.load(path)?.before.clone())
    }

    /// Moves a file out of the way of a new file until its own edit comes. What can't be read stays
    /// where it is.
    pub(super) fn set_aside(&mut self, path: &RepoPath) {
        if self.load(path).is_err() {
            return;
        }
        let slot = self.slot_of(path);
        if !slot.is_unknown && slot.aside.is_none() {
            slot.aside = slot.now.take();
        }
    }

    /// Returns the file that was set aside from a path.
    pub(super) fn aside(&self, path: &RepoPath) -> Option<File> {
        let aside = self.slots.get(path)?.aside.as_ref();
        aside.map(LiveFile::file)
    }

    /// Makes nothing known of a path any more.
    pub(super) fn forget(&mut self, path: &RepoPath) {
        self.slot(path.clone(), None).is_unknown = true;
    }

    /// Returns the lines that failed edits of a path would have added.
    pub(super) fn lost(&mut self, path: &RepoPath) -> &mut HashSet<Vec<u8>> {
        &mut self.slot_of(path).lost
    }

    /// Returns the paths at which something is different now.
    pub(super) fn changed(&self) -> impl Iterator<Item = &RepoPath> {
        self.slots
            .iter()
            .filter(|(_, slot)| slot.is_changed())
            .map(|(path, _)| path)
    }

    /// Returns whether edits of some file may have undone each other: it was changed twice, or made
    /// and removed.
    pub(super) fn is_undone(&self) -> bool {
        self.slots.values().any(|slot| {
            let changed_by = slot
                .now
                .as_ref()
                .map_or(&slot.changed_by, |now| &now.changed_by);
            changed_by.len() > 1 || slot.before.is_none() && slot.gone.is_some()
        })
    }

    /// Returns the edits that changed the file so far, wherever it was then, that an edit finds at a
    /// path with this content; it may have been set aside from there.
    pub(super) fn changed_by(&self, path: &RepoPath, content: &Content) -> &[usize] {
        let Some(slot) = self.slots.get(path) else {
            return &[];
        };
        match (&slot.aside, &slot.now) {
            (Some(file), _) if file.content().is(content) => &file.changed_by,
            (_, Some(file)) => &file.changed_by,
            (_, None) => &slot.changed_by,
        }
    }

    /// Changes a file by `alter`, which says whether it did, and records which edit was at work.
    fn altered(
        &mut self,
        mut file: LiveFile,
        alter: impl FnOnce(&mut LiveFile) -> bool,
    ) -> LiveFile {
        if alter(&mut file) {
            file.changed_by.push(self.edit.0);
        }
        file
    }

    /// Returns what is different now, its contents converted to what git would have on disk, or
    /// store, once the change is made; and the error if that can't be done.
    pub(super) fn into_changes(self) -> (ChangeSet, Result<(), TreeError>) {
        let changed = self.slots.iter().filter(|(_, slot)| slot.is_changed());
        let mut changes: Vec<_> = changed
            .map(|(path, slot)| self.change_of(path, slot))
            .collect();
        let rules = attribute_files(changes.iter().map(|(change, _)| change));
        let planned = changes.iter_mut().filter_map(|(change, is_new)| {
            // Attributes are of files.
            let after = change
                .after
                .as_mut()
                .filter(|after| !after.mode.is_link())?;
            Some(Planned {
                path: &change.path,
                is_new: *is_new,
                content: &mut after.content,
            })
        });
        let mut planned: Vec<_> = planned.collect();
        let converted = self.tree.settle(&mut planned, &rules);
        let changes = changes.into_iter().map(|(change, _)| change);
        (ChangeSet::new(changes), converted)
    }

    /// Returns what is different at a path, and whether it has a file that comes from nowhere.
    fn change_of(&self, path: &RepoPath, slot: &Slot) -> (Change, bool) {
        let Slot { before, now, .. } = slot;
        let origin = now.as_ref().and_then(|now| now.origin.as_ref());
        let from = origin.filter(|from| {
            let source = self.slots.get(*from);
            before.is_none() && source.is_some_and(|of| of.before.is_some() && of.now.is_none())
        });
        let change = Change {
            path: path.clone(),
            before: before.clone(),
            after: now.as_ref().map(LiveFile::file),
            from: from.cloned(),
        };
        (change, origin.is_none())
    }

    pub(super) fn slot_of(&mut self, path: &RepoPath) -> &mut Slot {
        self.slots.get_mut(path).expect(READ)
    }

    fn slot(&mut self, path: RepoPath, before: Option<File>) -> &mut Slot {
        if self.tree.ignores_case() && !self.slots.contains_key(&path) {
            self.by_case
                .entry(path.as_bytes().to_ascii_lowercase())
                .or_default()
                .push(path.clone());
        }
        self.slots.entry(path.clone()).or_insert_with(|| Slot {
            now: before.clone().map(|file| LiveFile::new(file, Some(path))),
            before,
            ..Slot::default()
        })
    }

    /// Reads what is at a path, unless that is known.
    fn load(&mut self, path: &RepoPath) -> Result<&Slot, Error> {
        if self.slots.contains_key(path) {
            return Ok(&self.slots[path]);
        }
        let before = match self.tree.read(path)? {
            Entry::File(file) => Some(file),
            Entry::Absent => None,
            // Nothing is at the path; if the file above it is still there, `file` and `obstacle`
            // report it.
            Entry::Beneath {
                what: None,
                ancestor,
            } => {
                self.load(&ancestor)?;
                None
            }
            Entry::Beneath {
                what: Some(what),
                ancestor,
            } => {
                return Err(Error::Irregular(
                    path.clone(),
                    Irregular::Below { at: ancestor, what },
                ));
            }
            Entry::Directory => {
                let slot = self.slot(path.clone(), None);
                slot.is_directory = true;
                return Ok(slot);
            }
            Entry::Other(what) => {
                return Err(Error::Irregular(path.clone(), Irregular::Other(what)));
            }
        };
        Ok(self.slot(path.clone(), before))
    }

    /// Returns whether a path holds a file that the response has made or read.
    fn live(&self, path: &RepoPath) -> bool {
        self.now(path).is_some()
    }

    /// Returns a file that is now below a path, which the tree may have as a directory.
    fn live_below(
        &self,
        directory: &RepoPath,
        is_in_tree: bool,
    ) -> Result<Option<RepoPath>, Error> {
        let start = [directory.as_bytes(), b"/"].concat();
        let from = (Bound::Included(&start[..]), Bound::Unbounded);
        let mut named = self
            .slots
            .range::<[u8], _>(from)
            .take_while(|(path, _)| path.is_below(directory));
        if let Some((path, _)) = named.find(|(_, slot)| slot.now.is_some()) {
            return Ok(Some(path.clone()));
        }
        if !is_in_tree {
            return Ok(None);
        }
        let kept = self.tree.leaves_below(directory)?;
        Ok(kept
            .into_iter()
            .find(|path| self.slots.get(path).is_none_or(|slot| slot.now.is_some())))
    }
}

impl Slot {
    fn is_changed(&self) -> bool {
        self.before != self.now.as_ref().map(LiveFile::file)
    }
}
