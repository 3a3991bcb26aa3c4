//! The work tree's visible change, step by step, in places that the manifest knows, so that each
//! can be taken back.
//!
//! 1. What is to go is taken out of its place, all of it first: it may be where something else
//!    needs a directory, or be the same name in another case.
//! 2. What is to change is exchanged with its new content in one step; what is new is renamed to
//!    its free name. Where names can't be exchanged, the original gets a second name and the new
//!    content is renamed over the first, or the original leaves its place for an instant.
//!    Directories are made where they are missing, and empty directories moved away
//!    where a file goes.
//! 3. Directories that a deletion left empty go with those above them, up to the top and never the
//!    current directory. This is what git does. The system itself says whether they are empty, at the
//!    instant that they go.
//!
//! What comes out of a place must be what was planned on, else the change ends there: an editor
//! that saved meanwhile wins. It may also still hold the old file open and write to it later, so
//! every original is looked at once more before the end ([`Staging::confirm`]). What remains is a
//! write into an original after that: it goes to the file that [`kept`] keeps, which undo then
//! refuses to take for the original.

use std::collections::HashSet;
use std::io;

use super::error::{TransactionError, Warning};
use super::journal::original_name;
use super::kept;
use super::lock::path_bytes;
use super::staging::{Location, Staging, Watch};
use super::undo::{Failed, finish_directories, make_missing};
use crate::dir::clock::Moment;
use crate::dir::{Dir, Found};
use crate::signal;
use crate::system::{despite_passing_fault, is_in_use, is_link};
use llmpatch::path::RepoPath;
use llmpatch::plan::Change;
use llmpatch::progress::Stage;
use llmpatch::text::SystemError;

impl<'r> Staging<'r> {
    /// Puts every file in its place.
    pub(super) fn publish(&mut self) -> Result<(), TransactionError> {
        let Some(dir) = self.dir else { return Ok(()) };
        let changes = self.changes.clone();
        self.progress.enter(Stage::Writing, changes.len());
        self.published = Moment::now(dir);
        self.backdate(dir);
        for (number, change) in changes
            .iter()
            .enumerate()
            .filter(|(_, change)| change.after.is_none())
        {
            self.progress.step();
            self.take_out(dir, number, change)?;
        }
        make_missing(dir, &self.directories).map_err(again)?;
        let numbered = changes.iter().enumerate();
        let come = numbered.filter(|(_, change)| change.after.is_some());
        // Whatever becomes of a directory meanwhile, what was in it is in it.
        let pass = dir.pass();
        for (number, change) in come
            .clone()
            .filter(|(_, change)| change.on_disk().is_some())
        {
            self.progress.step();
            self.swap(dir, number, change)?;
        }
        for (number, change) in come.filter(|(_, change)| change.on_disk().is_none()) {
            self.progress.step();
            self.place(dir, number, change)?;
        }
        drop(pass);
        self.remove_emptied_directories(dir)?;
        finish_directories(dir, &self.directories).map_err(again)
    }

    fn swap(
        &mut self,
        dir: &'r Dir,
        number: usize,
        change: &'r Change,
    ) -> Result<(), TransactionError> {
        signal::check()?;
        let path = &change.path;
        let stage = self.stage_of(number);
        match dir.exchange(path, dir, &stage) {
            Ok(()) => {
                // From here on what has that name is the original.
                self.originals
                    .insert(number, Location::Tree(stage.clone()).into());
                let sheltered = self.shelter(
                    dir,
                    &stage,
                    number,
                    change,
                    TransactionError::io("keep", path),
                )?;
                // One that can't go there stays beside its place until the change is certain.
                if let Some(location) = sheltered {
                    self.originals.insert(number, location.into());
                }
                self.confirm_one(dir, number, change)
            }
            // Not every file system can.
            Err(error) if error.kind() == io::ErrorKind::Unsupported => {
                self.replace(dir, number, change)
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Err(TransactionError::Changed { path: path.clone() })
            }
            Err(error) => Err(TransactionError::io("replace", path)(error)),
        }
    }

    /// Replaces a file by renaming the new file over it, once it has a second name; where that
    /// can't be done, there is no such file for an instant.
    fn replace(
        &mut self,
        dir: &'r Dir,
        number: usize,
        change: &'r Change,
    ) -> Result<(), TransactionError> {
        let path = &change.path;
        if let Some(location) = self.keep(dir, number, path) {
            self.originals.insert(number, location.clone().into());
            let kept = self.at(dir, &location);
            let stage = self.stage_of(number);
            let replaced = self
                .confirm_one(dir, number, change)
                .map(|()| dir.replace(path, (dir, &stage), kept));
            if matches!(replaced, Ok(Ok(true))) {
                return Ok(());
            }
            // It didn't leave its place.
            kept.0
                .remove_file(kept.1)
                .map_err(TransactionError::io("replace", path))?;
            self.originals.remove(&number);
            if let Ok(false) = replaced? {
                return Err(TransactionError::Changed { path: path.clone() });
            }
        }
        self.take_out(dir, number, change)?;
        self.place(dir, number, change)
    }

    /// Gives an original a second name, in the journal or, if that is on another file system and no
    /// hook will look, beside its place; `None` if it can't have a second name.
    fn keep(&self, dir: &Dir, number: usize, path: &RepoPath) -> Option<Location> {
        let name = original_name(number);
        match dir.keep(path, self.journal.dir(), &name) {
            Ok(()) => Some(Location::Journal(name)),
            Err(error)
                if error.kind() == io::ErrorKind::CrossesDevices && self.watch != Watch::Hooks =>
            {
                let aside = self.aside_of(number);
                dir.keep(path, dir, &aside).ok()?;
                Some(Location::Tree(aside))
            }
            Err(_) => None,
        }
    }

    fn take_out(
        &mut self,
        dir: &'r Dir,
        number: usize,
        change: &'r Change,
    ) -> Result<(), TransactionError> {
        signal::check()?;
        let path = &change.path;
        let refused = |error: io::Error| {
            if is_missing(&error) {
                TransactionError::Changed { path: path.clone() }
            } else {
                TransactionError::io("remove", path)(error)
            }
        };
        let location = match self.shelter(dir, path, number, change, refused)? {
            Some(location) => location,
            None => {
                let aside = self.aside_of(number);
                dir.rename_to_own(path, dir, &aside).map_err(refused)?;
                Location::Tree(aside)
            }
        };
        self.originals.insert(number, location.into());
        self.confirm_one(dir, number, change)
    }

    /// Renames an original into the journal, so that its directory can go and nobody sees it;
    /// `None` if that is on another file system and no hook will look.
    fn shelter(
        &self,
        dir: &Dir,
        from: &RepoPath,
        number: usize,
        change: &Change,
        refused: impl Fn(io::Error) -> TransactionError,
    ) -> Result<Option<Location>, TransactionError> {
        let name = original_name(number);
        match dir.rename_to_own(from, self.journal.dir(), &name) {
            Ok(()) => Ok(Some(Location::Journal(name))),
            Err(error) if error.kind() != io::ErrorKind::CrossesDevices => Err(refused(error)),
            Err(_) if self.watch == Watch::Hooks => Err(TransactionError::OtherFileSystem {
                path: change.path.clone(),
            }),
            Err(_) => Ok(None),
        }
    }

    fn place(
        &mut self,
        dir: &'r Dir,
        number: usize,
        change: &'r Change,
    ) -> Result<(), TransactionError> {
        signal::check()?;
        let path = &change.path;
        let stage = self.stage_of(number);
        let mut tries = 0;
        loop {
            let Err(error) = dir.rename_to_free(&stage, dir, path) else {
                return Ok(());
            };
            tries += 1;
            match error.kind() {
                io::ErrorKind::NotFound if tries == 1 => make_directories(dir, path)?,
                io::ErrorKind::AlreadyExists if tries <= 2 => self.clear(dir, path)?,
                io::ErrorKind::AlreadyExists | io::ErrorKind::NotADirectory => {
                    return Err(TransactionError::Appeared { path: path.clone() });
                }
                _ => return Err(TransactionError::io("make", path)(error)),
            }
        }
    }

    /// Removes a directory that is where a file goes, and the directories in it, if there is
    /// nothing else in it.
    fn clear(&mut self, dir: &Dir, path: &RepoPath) -> Result<(), TransactionError> {
        for directory in self.manifest.removed.iter().rev() {
            if directory.path != *path && !directory.path.is_below(path) {
                continue;
            }
            match dir.remove_directory(&directory.path) {
                Err(error) if !is_missing(&error) && stays(&error) => {
                    return Err(TransactionError::Appeared { path: path.clone() });
                }
                Err(error) if !is_missing(&error) => {
                    return Err(TransactionError::io(
                        "remove the directory",
                        &directory.path,
                    )(error));
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Removes the directories that are empty now, the deepest first; one in which something is
    /// left, or came meanwhile, stays.
    fn remove_emptied_directories(&self, dir: &Dir) -> Result<(), TransactionError> {
        let mut staying = HashSet::new();
        for directory in self.manifest.removed.iter().rev() {
            let goes =
                !staying.contains(&directory.path) && self.remove_if_empty(dir, &directory.path)?;
            if !goes {
                staying.extend(directory.path.parent());
            }
        }
        Ok(())
    }

    /// Returns whether a directory is no more.
    fn remove_if_empty(&self, dir: &Dir, directory: &RepoPath) -> Result<bool, TransactionError> {
        let io = TransactionError::io("remove the directory", directory);
        if dir.look(directory).map_err(io)? != Found::Directory {
            return Ok(true);
        }
        if dir.is_current(directory).map_err(io)? {
            return Ok(false);
        }
        match dir.remove_directory(directory) {
            // Not empty, somebody's mount point, or not ours to remove: an empty directory is
            // nothing to fail for.
            Err(error) if stays(&error) => Ok(false),
            done => done.map(|()| true).map_err(io),
        }
    }

    /// Checks once more that every original is what was planned on.
    ///
    /// Also checks that nobody saved over what took its place: such a save would otherwise count as
    /// part of the change.
    pub(super) fn confirm(&self) -> Result<(), TransactionError> {
        let Some(dir) = self.dir else { return Ok(()) };
        let _pass = dir.pass();
        for (number, change) in self.changes.iter().enumerate() {
            self.confirm_one(dir, number, change)?;
            let path = &change.path;
            let io = TransactionError::io("read", &change.path);
            let is_ours = match &change.after {
                Some(after) => self.is_as_written(dir, number, change, after).map_err(io)?,
                None => !matches!(
                    dir.look(path).map_err(io)?,
                    Found::File(_) | Found::Link | Found::Special
                ),
            };
            // Where case doesn't count, another name of the change may be what is there.
            if !is_ours && !self.has_twin(path) {
                return Err(TransactionError::Changed { path: path.clone() });
            }
        }
        Ok(())
    }

    fn has_twin(&self, path: &RepoPath) -> bool {
        let twins = self
            .changes
            .iter()
            .filter(|other| other.path.as_bytes().eq_ignore_ascii_case(path.as_bytes()));
        twins.count() > 1
    }

    fn confirm_one(
        &self,
        dir: &Dir,
        number: usize,
        change: &Change,
    ) -> Result<(), TransactionError> {
        let (Some(original), Some(before)) = (self.originals.get(&number), change.on_disk()) else {
            return Ok(());
        };
        match self.is_as_before(dir, original, before, before.mode.bits) {
            Ok(true) => Ok(()),
            Ok(false) => Err(TransactionError::Changed {
                path: change.path.clone(),
            }),
            Err(error) => Err(TransactionError::io("read", &change.path)(error)),
        }
    }

    /// Keeps what undo will need, and lets go of the rest: the change is certain now. If its
    /// manifest is still there, the run that finds it keeps the change.
    ///
    /// An original that changed after it was confirmed isn't thrown away: somebody wrote to it
    /// while hooks ran.
    pub(super) fn settle(mut self, is_unfinished: bool) -> Vec<Warning> {
        let mut warnings = std::mem::take(&mut self.warnings);
        if is_unfinished {
            // There is something left to be done for whoever recovers.
            self.journal.keep();
            return warnings;
        }
        let mut is_whole = true;
        let mut written_late = Vec::new();
        // Before any original goes, lest the manifest be there again when the power is back.
        let settled = self.flush.directories(&[self.journal.dir()]);
        if let Some(dir) = self.dir {
            for (number, change) in self.changes.iter().enumerate() {
                let (Some(original), Some(before)) =
                    (self.originals.get(&number), change.on_disk())
                else {
                    continue;
                };
                // What can't be looked at may hold what somebody wrote.
                let held = if self.watch == Watch::Hooks {
                    despite_passing_fault(|| self.is_as_before(dir, original, before, None))
                } else {
                    Ok(true)
                };
                let is_late = !matches!(held, Ok(true));
                match &original.location {
                    Location::Journal(name) if is_late => {
                        written_late.push((
                            &change.path,
                            name.clone(),
                            held.err().map(|error| SystemError(&error).to_string()),
                        ));
                    }
                    Location::Journal(_) => {}
                    // On another file system than the journal, where a copy is.
                    Location::Tree(path) => {
                        is_whole = false;
                        if is_late || despite_passing_fault(|| dir.remove_file(path)).is_err() {
                            warnings.push(Warning::Leftover {
                                path: path.as_bstr().to_owned(),
                            });
                        }
                    }
                }
            }
            // Where originals had to stay beside their places, directories are empty only now.
            // Nothing hangs on them any more: an error leaves an empty directory.
            if !is_whole {
                let _ = despite_passing_fault(|| self.remove_emptied_directories(dir));
            }
        }
        if !written_late.is_empty() {
            // The change before isn't the last one any more.
            let _ = kept::forget_all(&self.journal);
            return warnings
                .into_iter()
                .chain(self.keep_originals(&written_late))
                .collect();
        }
        if let Err(error) = settled.and_then(|()| kept::keep(&self.journal)) {
            self.journal.keep();
            let path = path_bytes(&self.journal.path());
            warnings.push(Warning::Unsettled {
                path,
                reason: SystemError(&error).to_string(),
            });
        }
        warnings
    }

    /// Keeps originals that somebody wrote to, and returns warnings that say where they are.
    fn keep_originals(
        &self,
        written_late: &[(&RepoPath, RepoPath, Option<String>)],
    ) -> Vec<Warning> {
        let originals = (0..self.changes.len()).map(original_name);
        for name in originals.filter(|name| !written_late.iter().any(|(_, late, _)| late == name)) {
            // What nobody wrote to is of no use to anybody.
            let _ = self.journal.dir().remove_file(&name);
        }
        let away = despite_passing_fault(|| self.journal.put_away()).unwrap_or_else(|_| {
            self.journal.keep();
            self.journal.path()
        });
        written_late
            .iter()
            .map(|(path, name, unread)| Warning::WrittenLate {
                path: (*path).clone(),
                unread: unread.clone(),
                kept: path_bytes(&away.join(name.as_bstr().to_string())),
            })
            .collect()
    }
}

fn again((directory, source): Failed) -> TransactionError {
    TransactionError::io("make the directory", &directory)(source)
}

/// Makes the directories that a path needs.
fn make_directories(dir: &Dir, path: &RepoPath) -> Result<(), TransactionError> {
    dir.make_directories(path).map_err(|(directory, source)| {
        if source.kind() == io::ErrorKind::NotADirectory || is_link(&source) {
            TransactionError::Appeared { path: directory }
        } else {
            TransactionError::io("make the directory", &directory)(source)
        }
    })
}

pub(super) fn is_missing(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}

fn stays(error: &io::Error) -> bool {
    use io::ErrorKind as Kind;
    is_in_use(error)
        || matches!(
            error.kind(),
            Kind::DirectoryNotEmpty
                | Kind::AlreadyExists
                | Kind::ResourceBusy
                | Kind::PermissionDenied
                | Kind::NotFound
                | Kind::NotADirectory
                | Kind::InvalidInput
        )
}
