//! The tree as the edits so far have made it: each edit reads what the ones before it left.
//!
//! Every path of the tree below is read once. A path about which an edit failed is *unknown* from there on: later edits of
//! it are passed over in silence, so that one cause is one error.

use std::collections::{BTreeMap, HashSet};
use std::ops::Bound;

use bstr::BStr;

use super::fault::{Absence, Fault, Presence};
use crate::path::RepoPath;
use crate::plan::{Change, ChangeSet};
use crate::tree::{Content, Entry, File, Obstacle, Tree};

pub(super) struct Overlay<'t> {
    tree: &'t dyn Tree,
    /// What stands in front of all paths of responses; empty for nothing. Only messages want to know.
    directory: &'t BStr,
    slots: BTreeMap<RepoPath, Slot>,
}

/// A path that an edit has named.
#[derive(Debug)]
struct Slot {
    before: Option<File>,
    now: Option<File>,
    /// How the file went, if it did.
    gone: Option<Absence>,
    /// The path in the tree below whose file this is: this one, or that from which it was moved here.
    origin: Option<RepoPath>,
    /// Whether the tree below has a folder here.
    folder: bool,
    unknown: bool,
    /// A file that stood in a new one's way and waits for the edit that renames or deletes it, and its origin.
    aside: Option<(File, Option<RepoPath>)>,
    /// Lines that failed edits would have added.
    lost: HashSet<Vec<u8>>,
}

/// A file as an edit finds it.
pub(super) enum Found {
    File(File),
    /// An earlier edit of this path failed, so nothing can be said of it.
    Unknown,
}

impl<'t> Overlay<'t> {
    pub(super) fn new(tree: &'t dyn Tree, directory: &'t BStr) -> Self {
        Self { tree, directory, slots: BTreeMap::new() }
    }

    /// Returns the file at a path, to be the base of an edit.
    pub(super) fn file(&mut self, path: &RepoPath) -> Result<Found, Fault> {
        if self.is_unknown(path) {
            return Ok(Found::Unknown);
        }
        if !self.slots.contains_key(path) {
            self.load(path)?;
        }
        let slot = &self.slots[path];
        match (&slot.now, &slot.gone) {
            (Some(file), _) => Ok(Found::File(file.clone())),
            (None, Some(why)) => Err(Fault::Missing { path: path.clone(), why: why.clone() }),
            (None, None) if slot.folder => Err(unfit(path, None, None)),
            (None, None) => {
                let above = path.ancestors().find(|ancestor| self.live(ancestor));
                let why =
                    above.map_or_else(|| super::nearby::absence(self.tree, path, self.directory), Absence::BelowFile);
                Err(Fault::Missing { path: path.clone(), why })
            }
        }
    }

    /// Returns what is in the way of a new file at a path: the file that is there, if it is one.
    pub(super) fn obstacle(&mut self, path: &RepoPath) -> Result<Option<Found>, Fault> {
        if self.is_unknown(path) {
            return Ok(Some(Found::Unknown));
        }
        if !self.slots.contains_key(path) {
            self.load(path)?;
        }
        if let Some(file) = &self.slots[path].now {
            return Ok(Some(Found::File(file.clone())));
        }
        let exists = |what| Err(Fault::Exists { path: path.clone(), what, passages: Vec::new() });
        if let Some(above) = path.ancestors().find(|ancestor| self.live(ancestor)) {
            return exists(Presence::FileAbove(above));
        }
        if let Some(below) = self.live_below(path)? {
            return exists(Presence::Folder(below));
        }
        if self.tree.ignores_case() {
            let mut twins = self.tree.case_twins(path)?;
            twins.retain(|twin| self.slots.get(twin).is_none_or(|slot| slot.now.is_some()));
            let alike = |other: &RepoPath| other != path && other.as_bytes().eq_ignore_ascii_case(path.as_bytes());
            let made = self.slots.iter().find(|(other, slot)| slot.now.is_some() && alike(other));
            if let Some(twin) = twins.pop().or(made.map(|(twin, _)| twin.clone())) {
                return exists(Presence::Twin(twin));
            }
        }
        Ok(None)
    }

    /// Returns what is at a path now, if that has been read and is a file.
    pub(super) fn now(&self, path: &RepoPath) -> Option<Content> {
        self.slots.get(path)?.now.as_ref().map(|file| file.content.clone())
    }

    /// Returns what was at a path in the tree below, if that has been read and is a file.
    pub(super) fn before(&self, path: &RepoPath) -> Option<Content> {
        self.slots.get(path)?.before.as_ref().map(|file| file.content.clone())
    }

    /// Puts a file at a path that has been read.
    pub(super) fn put(&mut self, path: &RepoPath, file: File) {
        let slot = self.slots.get_mut(path).expect("a path is read before it is written");
        if slot.now.is_none() {
            slot.origin = None;
        }
        (slot.now, slot.gone) = (Some(file), None);
    }

    /// Removes a file that has been read.
    pub(super) fn delete(&mut self, path: &RepoPath) {
        let slot = self.slots.get_mut(path).expect("a path is read before it is deleted");
        (slot.now, slot.origin, slot.gone) = (None, None, Some(Absence::Deleted));
    }

    /// Looks at the tree as it would be without a file that has been read.
    pub(super) fn without<T>(&mut self, path: &RepoPath, look: impl FnOnce(&mut Self) -> T) -> T {
        let now = self.slots.get_mut(path).and_then(|slot| slot.now.take());
        let seen = look(self);
        if let Some(slot) = self.slots.get_mut(path) {
            slot.now = now;
        }
        seen
    }

    /// Renames a file; both paths have been read.
    pub(super) fn rename(&mut self, from: &RepoPath, to: &RepoPath, file: File) {
        let slot = self.slots.get_mut(from).expect("a path is read before it is moved");
        let origin = slot.origin.take();
        (slot.now, slot.gone) = (None, Some(Absence::Moved(to.clone())));
        let slot = self.slots.get_mut(to).expect("a path is read before something is moved onto it");
        (slot.now, slot.gone, slot.origin) = (Some(file), None, origin);
    }

    /// Returns the file that stood at a path before the response.
    pub(super) fn original(&mut self, path: &RepoPath) -> Result<Option<File>, Fault> {
        if !self.slots.contains_key(path) {
            self.load(path)?;
        }
        Ok(self.slots[path].before.clone())
    }

    /// Takes a file out of the way of a new one until its own edit comes. What can't be read stays where it is.
    pub(super) fn set_aside(&mut self, path: &RepoPath) {
        if !self.slots.contains_key(path) && self.load(path).is_err() {
            return;
        }
        if let Some(slot) = self.slots.get_mut(path).filter(|slot| !slot.unknown && slot.aside.is_none())
            && let Some(file) = slot.now.take()
        {
            slot.aside = Some((file, slot.origin.take()));
        }
    }

    /// Returns the file that was set aside from a path.
    pub(super) fn aside(&self, path: &RepoPath) -> Option<File> {
        self.slots.get(path).and_then(|slot| slot.aside.as_ref()).map(|(file, _)| file.clone())
    }

    /// Deletes the file that was set aside from a path.
    pub(super) fn drop_aside(&mut self, path: &RepoPath) {
        if let Some(slot) = self.slots.get_mut(path) {
            slot.aside = None;
            if slot.now.is_none() {
                slot.gone = Some(Absence::Deleted);
            }
        }
    }

    /// Renames the file that was set aside from a path; the other path has been read.
    pub(super) fn rename_aside(&mut self, from: &RepoPath, to: &RepoPath, file: File) {
        let aside = self.slots.get_mut(from).and_then(|slot| {
            if slot.now.is_none() {
                slot.gone = Some(Absence::Moved(to.clone()));
            }
            slot.aside.take()
        });
        let slot = self.slots.get_mut(to).expect("a path is read before something is moved onto it");
        (slot.now, slot.gone, slot.origin) = (Some(file), None, aside.and_then(|(_, origin)| origin));
    }

    /// Makes nothing known of a path any more.
    pub(super) fn forget(&mut self, path: &RepoPath) {
        self.slot(path.clone(), None).unknown = true;
    }

    /// Returns the lines that failed edits of a path would have added.
    pub(super) fn lost(&mut self, path: &RepoPath) -> &mut HashSet<Vec<u8>> {
        &mut self.slots.get_mut(path).expect("a path is read before an edit of it fails").lost
    }

    /// Returns every path that an edit has named.
    pub(super) fn paths(&self) -> impl Iterator<Item = &RepoPath> {
        self.slots.keys()
    }

    /// Returns what is different now.
    pub(super) fn into_changes(self) -> ChangeSet {
        let is_source =
            |path: &RepoPath| self.slots.get(path).is_some_and(|slot| slot.before.is_some() && slot.now.is_none());
        let changes: Vec<_> = self
            .slots
            .iter()
            .map(|(path, slot)| Change {
                path: path.clone(),
                before: slot.before.clone(),
                after: slot.now.clone(),
                from: slot.origin.clone().filter(|from| slot.before.is_none() && is_source(from)),
            })
            .collect();
        ChangeSet::new(changes)
    }

    fn is_unknown(&self, path: &RepoPath) -> bool {
        self.slots.get(path).is_some_and(|slot| slot.unknown)
    }

    fn slot(&mut self, path: RepoPath, before: Option<File>) -> &mut Slot {
        let path_of_file = path.clone();
        self.slots.entry(path).or_insert_with(|| Slot {
            origin: before.is_some().then_some(path_of_file),
            folder: false,
            now: before.clone(),
            before,
            gone: None,
            unknown: false,
            aside: None,
            lost: HashSet::new(),
        })
    }

    fn load(&mut self, path: &RepoPath) -> Result<(), Fault> {
        let before = match self.tree.read(path)? {
            Entry::File(file) => Some(file),
            Entry::Absent => None,
            // If the file above is gone by now, nothing is there; if not, that is said where the absence is.
            Entry::Beneath { what: None, ancestor } => {
                self.slots.contains_key(&ancestor).then_some(()).map_or_else(|| self.load(&ancestor), Ok)?;
                None
            }
            Entry::Beneath { what: Some(what), ancestor } => return Err(unfit(path, Some(ancestor), Some(what))),
            Entry::Folder => {
                self.slot(path.clone(), None).folder = true;
                return Ok(());
            }
            Entry::Other(what) => return Err(unfit(path, None, Some(what))),
        };
        self.slot(path.clone(), before);
        Ok(())
    }

    /// Returns whether a file of the response's making, or one that it has read, is at a path.
    fn live(&self, path: &RepoPath) -> bool {
        self.slots.get(path).is_some_and(|slot| slot.now.is_some())
    }

    /// Returns a file that is now below a path.
    fn live_below(&self, folder: &RepoPath) -> Result<Option<RepoPath>, Fault> {
        let start = [folder.as_bytes(), b"/"].concat();
        let from = (Bound::Included(&start[..]), Bound::Unbounded);
        let mut named = self.slots.range::<[u8], _>(from).take_while(|(path, _)| path.is_below(folder));
        if let Some((path, _)) = named.find(|(_, slot)| slot.now.is_some()) {
            return Ok(Some(path.clone()));
        }
        if !self.slots.get(folder).is_some_and(|slot| slot.folder) {
            return Ok(None);
        }
        let kept = self.tree.leaves_below(folder)?;
        Ok(kept.into_iter().find(|path| self.slots.get(path).is_none_or(|slot| slot.now.is_some())))
    }
}

fn unfit(path: &RepoPath, at: Option<RepoPath>, what: Option<Obstacle>) -> Fault {
    Fault::Unfit { path: path.clone(), at, what }
}
