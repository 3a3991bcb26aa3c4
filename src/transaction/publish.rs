//! The work tree's visible change, step by step; each is noted before anything else happens, so that it can be taken back.
//!
//! 1. What is to go is taken out of its place, all of it first: it may stand where something else needs a folder, or be the
//!    same name in another case.
//! 2. What is to change is exchanged with its new content in one step; what is new is renamed to its free name. Folders are
//!    made where they are missing, and empty ones removed where a file goes.
//! 3. Folders that a deletion left empty are removed with those above them, up to the top and never the one in which the
//!    command was started. This is what git does.
//!
//! What comes out of a place must be what was planned on, else the change ends there: an editor that saved meanwhile wins. It
//! may also still hold the old file open and write to it later, so every original is read once more before the end
//! ([`Workplace::confirm`]). What remains is a write into an original after that, which is lost with it.

use std::io;

use rustix::io::Errno;

use super::fault::{Fault, Warning};
use super::workplace::{Deed, Modes, Spot, Watch, Workplace};
use crate::dir::{Found, Shape};
use crate::path::RepoPath;
use crate::tree::File;

impl<'r> Workplace<'r> {
    /// Puts every file in its place.
    pub(super) fn publish(&mut self) -> Result<(), Fault> {
        for change in self.changes {
            if let (Some(before), None) = (&change.before, &change.after) {
                self.take_out(&change.path, before, Shelter::Store)?;
            }
        }
        for at in 0..self.staged.len() {
            let (change, after) = (self.staged[at].change, self.staged[at].after);
            match &change.before {
                Some(before) => self.swap(at, &change.path, before, after)?,
                None => self.place(at, &change.path, after)?,
            }
        }
        self.remove_emptied_folders()
    }

    fn swap(&mut self, at: usize, path: &'r RepoPath, before: &'r File, after: &'r File) -> Result<(), Fault> {
        let Some(temporary) = self.staged[at].temporary.clone() else { return Ok(()) };
        match self.dir.exchange(path, self.dir, &temporary) {
            Ok(()) => {
                // From here on what has that name is the original.
                self.staged[at].temporary = None;
                let original = Spot::Tree(temporary);
                self.deeds.push(Deed::Swapped { path, before, after, original: original.clone() });
                self.confirm_one(path, before, &original)
            }
            // Not every file system can; for an instant there is no such file then.
            Err(fault) if fault.kind() == io::ErrorKind::Unsupported => {
                self.take_out(path, before, Shelter::Beside)?;
                self.place(at, path, after)
            }
            Err(fault) if fault.kind() == io::ErrorKind::NotFound => Err(Fault::Changed { path: path.clone() }),
            Err(source) => Err(Fault::io("replace", path, source)),
        }
    }

    fn take_out(&mut self, path: &'r RepoPath, before: &'r File, shelter: Shelter) -> Result<(), Fault> {
        let io = |source| Fault::io("remove", path, source);
        let mut original = None;
        if shelter == Shelter::Store {
            let spot = self.store()?.free_name();
            let dir = self.dir;
            match dir.rename_to_free(path, self.store()?.dir(), &spot) {
                Ok(()) => original = Some(Spot::Store(spot)),
                Err(fault) if is_another_file_system(&fault) => {}
                Err(fault) if is_missing(&fault) => return Err(Fault::Changed { path: path.clone() }),
                Err(source) => return Err(io(source)),
            }
        }
        let original = match original {
            Some(original) => original,
            None if shelter == Shelter::Store && self.watch == Watch::Hooks => {
                return Err(Fault::OtherFileSystem { path: path.clone() });
            }
            None => {
                let home = self.home(path).map_err(io)?;
                let spot = self.temporary(home.as_ref());
                match self.dir.rename_to_free(path, self.dir, &spot) {
                    Ok(()) => Spot::Tree(spot),
                    Err(fault) if is_missing(&fault) => return Err(Fault::Changed { path: path.clone() }),
                    Err(source) => return Err(io(source)),
                }
            }
        };
        self.deeds.push(Deed::TakenOut { path, before, original: original.clone() });
        self.confirm_one(path, before, &original)
    }

    fn place(&mut self, at: usize, path: &'r RepoPath, after: &'r File) -> Result<(), Fault> {
        let Some(temporary) = self.staged[at].temporary.clone() else { return Ok(()) };
        let mut tries = 0;
        loop {
            let Err(fault) = self.dir.rename_to_free(&temporary, self.dir, path) else {
                self.staged[at].temporary = None;
                self.deeds.push(Deed::Placed { path, after });
                return Ok(());
            };
            tries += 1;
            match fault.kind() {
                io::ErrorKind::NotFound if tries == 1 => self.make_folders(path)?,
                io::ErrorKind::AlreadyExists if tries <= 2 => self.clear(path)?,
                io::ErrorKind::AlreadyExists | io::ErrorKind::NotADirectory => {
                    return Err(Fault::Appeared { path: path.clone() });
                }
                _ => return Err(Fault::io("make", path, fault)),
            }
        }
    }

    /// Makes the folders that a path needs.
    fn make_folders(&mut self, path: &RepoPath) -> Result<(), Fault> {
        let ancestors: Vec<_> = path.ancestors().collect();
        for ancestor in ancestors.into_iter().rev() {
            match self.dir.look(&ancestor).map_err(|source| Fault::io("look at", &ancestor, source))? {
                Found::Folder => continue,
                Found::Absent => {}
                _ => return Err(Fault::Appeared { path: ancestor }),
            }
            self.dir.make_folder(&ancestor).map_err(|source| Fault::io("make the folder", &ancestor, source))?;
            self.deeds.push(Deed::MadeFolder { path: ancestor });
        }
        Ok(())
    }

    /// Removes a folder that stands where a file goes, and the folders in it, if there is nothing else in it.
    fn clear(&mut self, path: &RepoPath) -> Result<(), Fault> {
        let io = |source| Fault::io("remove the folder", path, source);
        if self.dir.look(path).map_err(io)? != Found::Folder {
            return Err(Fault::Appeared { path: path.clone() });
        }
        for (name, shape) in self.dir.list(Some(path)).map_err(io)? {
            let inner = [path.as_bytes(), b"/", &name].concat();
            match (shape, RepoPath::new(&inner)) {
                (Shape::Folder, Ok(inner)) => self.clear(&inner)?,
                _ => return Err(Fault::Appeared { path: path.clone() }),
            }
        }
        let bits = self.dir.folder_bits(path).map_err(io)?;
        self.dir.remove_folder(path).map_err(io)?;
        self.deeds.push(Deed::RemovedFolder { path: path.clone(), bits });
        Ok(())
    }

    fn remove_emptied_folders(&mut self) -> Result<(), Fault> {
        for change in self.changes.iter().filter(|change| change.after.is_none()) {
            for folder in change.path.ancestors() {
                let io = |source| Fault::io("remove the folder", &folder, source);
                match self.dir.look(&folder).map_err(io)? {
                    Found::Folder if !self.dir.is_current(&folder).map_err(io)? => {}
                    Found::Folder | Found::File(_) => break,
                    _ => continue,
                }
                let bits = self.dir.folder_bits(&folder).map_err(io)?;
                match self.dir.remove_folder(&folder) {
                    Ok(()) => self.deeds.push(Deed::RemovedFolder { path: folder, bits }),
                    // Not empty, somebody's mount point, or not ours to remove: an empty folder is nothing to fail for.
                    Err(fault) if stays(&fault) => break,
                    Err(fault) => return Err(io(fault)),
                }
            }
        }
        Ok(())
    }

    /// Checks once more that every original is what was planned on.
    pub(super) fn confirm(&self) -> Result<(), Fault> {
        for deed in &self.deeds {
            if let Deed::Swapped { path, before, original, .. } | Deed::TakenOut { path, before, original } = deed {
                self.confirm_one(path, before, original)?;
            }
        }
        Ok(())
    }

    fn confirm_one(&self, path: &RepoPath, before: &File, original: &Spot) -> Result<(), Fault> {
        match self.holds(original, before, Modes::Compared) {
            Ok(true) => Ok(()),
            Ok(false) => Err(Fault::Changed { path: path.clone() }),
            Err(source) => Err(Fault::io("read", path, source)),
        }
    }

    /// Takes the originals out of the work tree, for hooks look there, and a `git add -A` in one would commit them.
    pub(super) fn clear_the_view(&mut self) -> Result<(), Fault> {
        for at in 0..self.deeds.len() {
            let (path, temporary) = match &self.deeds[at] {
                Deed::Swapped { path, original: Spot::Tree(spot), .. }
                | Deed::TakenOut { path, original: Spot::Tree(spot), .. } => (*path, spot.clone()),
                _ => continue,
            };
            let spot = self.store()?.free_name();
            let dir = self.dir;
            dir.rename_to_free(&temporary, self.store()?.dir(), &spot).map_err(|source| {
                if is_another_file_system(&source) {
                    Fault::OtherFileSystem { path: path.clone() }
                } else {
                    Fault::io("keep", path, source)
                }
            })?;
            if let Deed::Swapped { original, .. } | Deed::TakenOut { original, .. } = &mut self.deeds[at] {
                *original = Spot::Store(spot);
            }
        }
        Ok(())
    }

    /// Lets go of the originals: the change is certain now.
    ///
    /// One that changed after it was confirmed isn't thrown away: somebody wrote to it while hooks ran.
    pub(super) fn settle(mut self) -> Vec<Warning> {
        let mut warnings = Vec::new();
        for deed in std::mem::take(&mut self.deeds) {
            let (Deed::Swapped { before, original, .. } | Deed::TakenOut { before, original, .. }) = deed else {
                continue;
            };
            let late = self.watch == Watch::Hooks && !self.holds(&original, before, Modes::Ignored).unwrap_or(false);
            let (dir, path) = self.at(&original);
            if late || dir.remove_file(path).is_err() {
                let kept = match &original {
                    Spot::Tree(path) => path.as_bstr().to_owned(),
                    Spot::Store(path) => {
                        let store = self.made_store().expect("a spot in the store is made by the store");
                        store.keep();
                        super::lock::path_bytes(&store.path_of(path))
                    }
                };
                warnings.push(Warning::Leftover { path: kept });
            }
        }
        // Where originals had to stay beside their places, folders are empty only now. Nothing hangs on them any more.
        let _ = self.remove_emptied_folders();
        self.deeds.clear();
        warnings
    }
}

/// Where an original is taken that leaves its place for good.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shelter {
    /// The store, so that its folder can go; beside its place where the store is on another file system.
    Store,
    /// Beside its place.
    Beside,
}

fn is_another_file_system(fault: &io::Error) -> bool {
    fault.raw_os_error() == Some(Errno::XDEV.raw_os_error())
}

fn is_missing(fault: &io::Error) -> bool {
    matches!(fault.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

fn stays(fault: &io::Error) -> bool {
    [Errno::NOTEMPTY, Errno::EXIST, Errno::BUSY, Errno::PERM, Errno::ACCESS, Errno::NOENT, Errno::INVAL]
        .iter()
        .any(|errno| fault.raw_os_error() == Some(errno.raw_os_error()))
}
