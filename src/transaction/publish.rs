//! The work tree's visible change, step by step, in places that the manifest knows, so that each can be taken back.
//!
//! 1. What is to go is taken out of its place, all of it first: it may stand where something else needs a folder, or be the
//!    same name in another case.
//! 2. What is to change is exchanged with its new content in one step; what is new is renamed to its free name. Folders are
//!    made where they are missing, and empty ones moved away where a file goes.
//! 3. Folders that a deletion left empty go with those above them, up to the top and never the one in which the command was
//!    started. This is what git does. They are renamed into the journal, for a folder that is to come back must need no room.
//!
//! What comes out of a place must be what was planned on, else the change ends there: an editor that saved meanwhile wins. It
//! may also still hold the old file open and write to it later, so every original is read once more before the end
//! ([`Workplace::confirm`]). What remains is a write into an original after that: it goes to the file that
//! [`last`](mod@last) keeps, which undo then refuses to take for the original.

use std::collections::HashSet;
use std::io;

use rustix::io::Errno;

use super::fault::{Fault, Warning};
use super::last;
use super::lock::path_bytes;
use super::signal;
use super::undo::{folder_name, original_name};
use super::workplace::{Modes, Spot, Watch, Workplace};
use crate::dir::{Dir, Found, Shape};
use crate::path::RepoPath;
use crate::plan::Change;
use crate::progress::Stage;

impl<'r> Workplace<'r> {
    /// Puts every file in its place.
    pub(super) fn publish(&mut self) -> Result<(), Fault> {
        let Some(dir) = self.dir else { return Ok(()) };
        let changes = self.changes;
        self.progress.enter(Stage::Writing, changes.len());
        for (number, change) in changes.iter().enumerate().filter(|(_, change)| change.after.is_none()) {
            self.progress.step();
            self.take_out(dir, number, change, Shelter::Journal)?;
        }
        for (number, change) in changes.iter().enumerate().filter(|(_, change)| change.after.is_some()) {
            self.progress.step();
            match &change.before {
                Some(_) => self.swap(dir, number, change)?,
                None => self.place(dir, number, change)?,
            }
        }
        self.remove_emptied_folders(dir)?;
        self.make_folders_again(dir)
    }

    fn swap(&mut self, dir: &'r Dir, number: usize, change: &'r Change) -> Result<(), Fault> {
        self.check_signals()?;
        let path = &change.path;
        let Some(stage) = self.manifest.touched[number].stage.clone() else { return Ok(()) };
        match dir.exchange(path, dir, &stage) {
            Ok(()) => {
                // From here on what has that name is the original.
                self.originals.insert(number, Spot::Tree(stage));
                self.confirm_one(dir, number, change)
            }
            // Not every file system can; for an instant there is no such file then.
            Err(fault) if fault.kind() == io::ErrorKind::Unsupported => {
                self.take_out(dir, number, change, Shelter::Beside)?;
                self.place(dir, number, change)
            }
            Err(fault) if fault.kind() == io::ErrorKind::NotFound => Err(Fault::Changed { path: path.clone() }),
            Err(source) => Err(Fault::io("replace", path, source)),
        }
    }

    fn take_out(&mut self, dir: &'r Dir, number: usize, change: &'r Change, to: Shelter) -> Result<(), Fault> {
        self.check_signals()?;
        let path = &change.path;
        let refused = |fault: io::Error| {
            if is_missing(&fault) { Fault::Changed { path: path.clone() } } else { Fault::io("remove", path, fault) }
        };
        let mut spot = None;
        if to == Shelter::Journal {
            let name = original_name(number);
            match dir.rename_to_free(path, self.journal.dir(), &name) {
                Ok(()) => spot = Some(Spot::Journal(name)),
                Err(fault) if !is_another_file_system(&fault) => return Err(refused(fault)),
                Err(_) if self.watch == Watch::Hooks => return Err(Fault::OtherFileSystem { path: path.clone() }),
                Err(_) => {}
            }
        }
        if spot.is_none() {
            let Some(aside) = self.manifest.touched[number].aside.clone() else { return Ok(()) };
            dir.rename_to_free(path, dir, &aside).map_err(refused)?;
            spot = Some(Spot::Tree(aside));
        }
        self.originals.extend(spot.map(|spot| (number, spot)));
        self.confirm_one(dir, number, change)
    }

    fn place(&mut self, dir: &'r Dir, number: usize, change: &'r Change) -> Result<(), Fault> {
        self.check_signals()?;
        let path = &change.path;
        let Some(stage) = self.manifest.touched[number].stage.clone() else { return Ok(()) };
        let mut tries = 0;
        loop {
            let Err(fault) = dir.rename_to_free(&stage, dir, path) else { return Ok(()) };
            tries += 1;
            match fault.kind() {
                io::ErrorKind::NotFound if tries == 1 => make_folders(dir, path)?,
                io::ErrorKind::AlreadyExists if tries <= 2 => self.clear(dir, path)?,
                io::ErrorKind::AlreadyExists | io::ErrorKind::NotADirectory => {
                    return Err(Fault::Appeared { path: path.clone() });
                }
                _ => return Err(Fault::io("make", path, fault)),
            }
        }
    }

    /// Moves a folder away that stands where a file goes, and the folders in it, if there is nothing else in it.
    fn clear(&mut self, dir: &Dir, path: &RepoPath) -> Result<(), Fault> {
        let io = |source| Fault::io("remove the folder", path, source);
        let appeared = || Fault::Appeared { path: path.clone() };
        if dir.look(path).map_err(io)? != Found::Folder || !holds_only_folders(dir, path).map_err(io)? {
            return Err(appeared());
        }
        let number = self.manifest.removed.iter().position(|(folder, _)| folder == path).ok_or_else(appeared)?;
        let inner = folders_below(dir, path).map_err(io)?;
        if !self.move_away(dir, number, path, Inside::Folders).map_err(io)? {
            return Err(appeared());
        }
        self.cleared.extend(inner);
        Ok(())
    }

    /// Has a folder go; says no if something was put into it meanwhile, and then it is where it was.
    fn move_away(&self, dir: &Dir, number: usize, path: &RepoPath, inside: Inside) -> io::Result<bool> {
        let name = folder_name(number);
        match dir.rename_to_free(path, self.journal.dir(), &name) {
            Ok(()) => {}
            // On another file system, or where folders may not be renamed: removing it does, and it can be made again.
            Err(fault) if is_another_file_system(&fault) || fault.kind() == io::ErrorKind::PermissionDenied => {
                return match (inside, dir.remove_folder(path)) {
                    (_, Ok(())) => Ok(true),
                    (Inside::Folders, Err(fault)) if is_full(&fault) => remove_folders(dir, path).map(|()| true),
                    (_, Err(fault)) => Err(fault),
                };
            }
            Err(fault) => return Err(fault),
        }
        let is_fine = match inside {
            Inside::Nothing => self.journal.dir().list(Some(&name))?.is_empty(),
            Inside::Folders => holds_only_folders(self.journal.dir(), &name)?,
        };
        if !is_fine {
            self.journal.dir().rename_to_free(&name, dir, path)?;
        }
        Ok(is_fine)
    }

    /// Removes the folders that are empty now. From the deepest up, each is looked into once, when all in it that goes is gone.
    fn remove_emptied_folders(&self, dir: &Dir) -> Result<(), Fault> {
        let mut staying = HashSet::new();
        for (number, (folder, _)) in self.manifest.removed.iter().enumerate().rev() {
            if staying.contains(folder) || !self.remove_if_empty(dir, number, folder)? {
                staying.extend(folder.parent());
            }
        }
        Ok(())
    }

    /// Returns whether a folder is no more.
    fn remove_if_empty(&self, dir: &Dir, number: usize, folder: &RepoPath) -> Result<bool, Fault> {
        let io = |source| Fault::io("remove the folder", folder, source);
        if dir.look(folder).map_err(io)? != Found::Folder {
            return Ok(true);
        }
        if dir.is_current(folder).map_err(io)? || !dir.list(Some(folder)).map_err(io)?.is_empty() {
            return Ok(false);
        }
        match self.move_away(dir, number, folder, Inside::Nothing) {
            // Not empty, somebody's mount point, or not ours to remove: an empty folder is nothing to fail for.
            Err(fault) if stays(&fault) => Ok(false),
            done => done.map_err(io),
        }
    }

    /// Makes folders again that are to be there, empty or not, each with the bits that it had.
    fn make_folders_again(&self, dir: &Dir) -> Result<(), Fault> {
        let io = |folder, source| Fault::io("make the folder", folder, source);
        for (folder, _) in &self.folders {
            if dir.look(folder).map_err(|source| io(folder, source))? == Found::Absent {
                dir.make_folder(folder).map_err(|source| io(folder, source))?;
            }
        }
        // The deepest first: one above may be closed to us then.
        for (folder, bits) in self.folders.iter().rev() {
            if dir.look(folder).map_err(|source| io(folder, source))? == Found::Folder {
                dir.set_folder_bits(folder, *bits).map_err(|source| io(folder, source))?;
            }
        }
        Ok(())
    }

    /// Checks once more that every original is what was planned on.
    ///
    /// And that nobody saved over what took its place, which would pass for the new content's rightful end otherwise.
    pub(super) fn confirm(&self) -> Result<(), Fault> {
        let Some(dir) = self.dir else { return Ok(()) };
        for (number, change) in self.changes.iter().enumerate() {
            self.confirm_one(dir, number, change)?;
            let (path, io) = (&change.path, |source| Fault::io("read", &change.path, source));
            let is_ours = match &change.after {
                Some(after) => dir.holds(path, &after.content).map_err(io)?.is_some_and(|(is_held, _)| is_held),
                None => !matches!(dir.look(path).map_err(io)?, Found::File(_) | Found::Link | Found::Special),
            };
            // Where case doesn't count, another name of the change may be what stands there.
            let is_twin = || {
                let twin = |other: &&Change| other.path.as_bytes().eq_ignore_ascii_case(path.as_bytes());
                self.changes.iter().filter(twin).count() > 1
            };
            if !is_ours && !is_twin() {
                return Err(Fault::Changed { path: path.clone() });
            }
        }
        Ok(())
    }

    fn confirm_one(&self, dir: &Dir, number: usize, change: &Change) -> Result<(), Fault> {
        let (Some(spot), Some(before)) = (self.originals.get(&number), &change.before) else { return Ok(()) };
        match self.holds(dir, spot, before, Modes::Compared) {
            Ok(true) => Ok(()),
            Ok(false) => Err(Fault::Changed { path: change.path.clone() }),
            Err(source) => Err(Fault::io("read", &change.path, source)),
        }
    }

    /// Takes the originals out of the work tree. Hooks look there, and a `git add -A` in one would commit them; and once the
    /// change is certain, nothing remains to be tidied up.
    pub(super) fn clear_the_view(&mut self) -> Result<(), Fault> {
        let Some(dir) = self.dir else { return Ok(()) };
        for (number, change) in self.changes.iter().enumerate() {
            let Some(Spot::Tree(temporary)) = self.originals.get(&number).cloned() else { continue };
            self.check_signals()?;
            let name = original_name(number);
            match dir.rename_to_free(&temporary, self.journal.dir(), &name) {
                Ok(()) => {
                    self.originals.insert(number, Spot::Journal(name));
                }
                Err(fault) if !is_another_file_system(&fault) => {
                    return Err(Fault::io("keep", &change.path, fault));
                }
                Err(_) if self.watch == Watch::Hooks => {
                    return Err(Fault::OtherFileSystem { path: change.path.clone() });
                }
                // It stays beside its place until the change is certain.
                Err(_) => {}
            }
        }
        Ok(())
    }

    /// Keeps what undo will need, and lets go of the rest: the change is certain now.
    ///
    /// An original that changed after it was confirmed isn't thrown away: somebody wrote to it while hooks ran.
    pub(super) fn settle(self) -> Vec<Warning> {
        let mut warnings = Vec::new();
        if self.journal.is_standing() {
            // There is something left to be done for whoever recovers.
            self.journal.keep();
            return warnings;
        }
        let mut is_whole = true;
        let mut written_late = Vec::new();
        // Before any original goes, lest the manifest be there again when the power is back.
        let settled = self.flush.folders(&[self.journal.path()]);
        if let Some(dir) = self.dir {
            for (number, change) in self.changes.iter().enumerate() {
                let (Some(spot), Some(before)) = (self.originals.get(&number), &change.before) else { continue };
                // A fault may pass. What can't be looked at may hold what somebody wrote.
                let look = || self.holds(dir, spot, before, Modes::Ignored);
                let held = if self.watch == Watch::Hooks { look().or_else(|_| look()) } else { Ok(true) };
                let is_late = !matches!(held, Ok(true));
                match spot {
                    Spot::Journal(name) if is_late => {
                        written_late.push((&change.path, name.clone(), held.err().map(|fault| fault.to_string())));
                    }
                    Spot::Journal(_) => {}
                    // On another file system than the journal, where a copy is.
                    Spot::Tree(path) => {
                        is_whole = false;
                        if is_late || dir.remove_file(path).or_else(|_| dir.remove_file(path)).is_err() {
                            warnings.push(Warning::Leftover { path: path.as_bstr().to_owned() });
                        }
                    }
                }
            }
            // Where originals had to stay beside their places, folders are empty only now. Nothing hangs on them any more.
            // A fault may pass; one that doesn't leaves an empty folder.
            if !is_whole && self.remove_emptied_folders(dir).is_err() {
                let _ = self.remove_emptied_folders(dir);
            }
        }
        if !written_late.is_empty() {
            // The change before isn't the last one any more.
            let _ = last::forget(&self.journal);
            return warnings.into_iter().chain(self.keep_originals(&written_late)).collect();
        }
        if let Err(fault) = settled.and_then(|()| last::keep(&self.journal)) {
            self.journal.keep();
            let path = path_bytes(self.journal.path());
            warnings.push(Warning::Unsettled { path, reason: fault.to_string() });
        }
        warnings
    }

    /// Has originals that somebody wrote to outlive everything, and says where they are.
    fn keep_originals(&self, written_late: &[(&RepoPath, RepoPath, Option<String>)]) -> Vec<Warning> {
        let originals = (0..self.changes.len()).map(original_name);
        for name in originals.filter(|name| !written_late.iter().any(|(_, late, _)| late == name)) {
            // What nobody wrote to is of no use to anybody.
            let _ = self.journal.dir().remove_file(&name);
        }
        // A fault may pass.
        let away = self.journal.put_away().or_else(|_| self.journal.put_away()).unwrap_or_else(|_| {
            self.journal.keep();
            self.journal.path().to_owned()
        });
        let warning = |(path, name, unread): &(&RepoPath, RepoPath, Option<String>)| Warning::WrittenLate {
            path: (*path).clone(),
            unread: unread.clone(),
            kept: path_bytes(&away.join(name.as_bstr().to_string())),
        };
        written_late.iter().map(warning).collect()
    }

    /// Says that a signal asks to stop.
    pub(super) fn check_signals(&self) -> Result<(), Fault> {
        signal::pending().map_or(Ok(()), |signal| Err(Fault::Interrupted { signal }))
    }
}

/// Where an original is taken that leaves its place for good.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shelter {
    /// The journal, so that its folder can go; beside its place where the journal is on another file system.
    Journal,
    /// Beside its place.
    Beside,
}

/// What may be in a folder that goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Inside {
    Nothing,
    Folders,
}

/// Makes the folders that a path needs.
fn make_folders(dir: &Dir, path: &RepoPath) -> Result<(), Fault> {
    dir.make_folders(path).map_err(|(folder, source)| {
        let is_no_folder = [Errno::NOTDIR, Errno::LOOP].iter().any(|errno| is_errno(&source, *errno));
        if is_no_folder { Fault::Appeared { path: folder } } else { Fault::io("make the folder", &folder, source) }
    })
}

/// Returns whether there are only folders in a folder, and in those, and so on.
fn holds_only_folders(dir: &Dir, folder: &RepoPath) -> io::Result<bool> {
    for (name, shape) in dir.list(Some(folder))? {
        let inner = RepoPath::new(&[folder.as_bytes(), b"/", &name].concat());
        match (shape, inner) {
            (Shape::Folder, Ok(inner)) if holds_only_folders(dir, &inner)? => {}
            _ => return Ok(false),
        }
    }
    Ok(true)
}

/// Returns the folders in a folder, and in those, and so on, with their permission bits.
fn folders_below(dir: &Dir, folder: &RepoPath) -> io::Result<Vec<(RepoPath, u16)>> {
    let mut found = Vec::new();
    let mut left = vec![folder.clone()];
    while let Some(folder) = left.pop() {
        for (name, shape) in dir.list(Some(&folder))? {
            if let (Shape::Folder, Ok(inner)) = (shape, folder.join(&name)) {
                found.push((inner.clone(), dir.folder_bits(&inner)?));
                left.push(inner);
            }
        }
    }
    Ok(found)
}

/// Removes folders that hold nothing but folders.
fn remove_folders(dir: &Dir, folder: &RepoPath) -> io::Result<()> {
    for (name, _) in dir.list(Some(folder))? {
        if let Ok(inner) = RepoPath::new(&[folder.as_bytes(), b"/", &name].concat()) {
            remove_folders(dir, &inner)?;
        }
    }
    dir.remove_folder(folder)
}

fn is_another_file_system(fault: &io::Error) -> bool {
    is_errno(fault, Errno::XDEV)
}

fn is_missing(fault: &io::Error) -> bool {
    matches!(fault.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

fn is_full(fault: &io::Error) -> bool {
    [Errno::NOTEMPTY, Errno::EXIST].iter().any(|errno| is_errno(fault, *errno))
}

fn stays(fault: &io::Error) -> bool {
    [Errno::NOTEMPTY, Errno::EXIST, Errno::BUSY, Errno::PERM, Errno::ACCESS, Errno::NOENT, Errno::INVAL]
        .iter()
        .any(|errno| is_errno(fault, *errno))
}

fn is_errno(fault: &io::Error, errno: Errno) -> bool {
    fault.raw_os_error() == Some(errno.raw_os_error())
}
