//! Taking back what was done to the work tree, by whoever finds the manifest: this run when
//! something fails, or a later one.
//!
//! Nothing is remembered of what was done: every path is judged by what is there. Our new content
//! goes and the original comes back, the same inode; what still is, or is again, the original
//! stays; anything else is somebody's own edit since, which stays where it is and is named. So it
//! can be stopped anywhere and begun again, and as it only renames and removes, it needs no room on
//! the disk.
//!
//! An original is known by where it lies rather than by its bytes: an editor that held it open may
//! have written to it, and then that is what comes back. Of a run that died nobody knows that: where
//! an original isn't what it was, nothing is taken back.

use std::io;

use super::error::Unresolved;
use super::journal::{Journal, original_name};
use super::manifest::{Held, Manifest, Occupant, RecordedDirectory, Touched};
use crate::dir::rights::SET_ID;
use crate::dir::{Dir, Found};
use llmpatch::path::RepoPath;
use llmpatch::progress::{Progress, Stage};
use llmpatch::tree::Mode;

/// What could not be put back.
#[derive(Debug, Default)]
pub(super) struct Remains {
    /// Somebody else's content is there. Their originals stay in the journal.
    pub(super) theirs: Vec<RepoPath>,
    /// The system refused. Another try may do better.
    pub(super) failed: Vec<Failed>,
    /// What is left of it for a person to see to.
    pub(super) open: Option<Unresolved>,
}

impl Remains {
    /// Returns all paths that aren't what they were.
    pub(super) fn paths(&self) -> Vec<RepoPath> {
        let mut paths: Vec<_> = self
            .theirs
            .iter()
            .chain(self.failed.iter().map(|(path, _)| path))
            .cloned()
            .collect();
        paths.sort();
        paths.dedup();
        paths
    }
}

/// A change that is taken back.
pub(super) struct Undo<'u> {
    pub(super) dir: &'u Dir,
    pub(super) journal: &'u Journal,
    pub(super) manifest: &'u Manifest,
    pub(super) progress: &'u Progress,
}

/// What a directory has for permission bits before it is given its own; nobody else has a use for
/// these.
const UNFINISHED: u16 = 0o1700;

/// A place: in the work tree or in the journal.
struct Location<'u> {
    dir: &'u Dir,
    path: RepoPath,
}

impl<'u> Undo<'u> {
    /// Returns whether every original in the journal is one: none was cut, or written to.
    pub(super) fn has_whole_originals(&self) -> io::Result<bool> {
        for (number, touched) in self.manifest.touched.iter().enumerate() {
            let original = self.in_journal(original_name(number));
            if self.occupant(&original, touched)? == Occupant::Other {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Puts back all that can be.
    pub(super) fn run(&self) -> Remains {
        let mut remains = Remains::default();
        self.progress
            .enter(Stage::Restoring, self.manifest.touched.len());
        let mut touched: Vec<_> = self.manifest.touched.iter().enumerate().collect();
        // What is new goes first, for it may be where an old directory was.
        touched.sort_by_key(|(_, touched)| touched.before.is_some());
        // What was deleted comes last, for it needs its directories.
        let (deleted, present): (Vec<_>, Vec<_>) = touched
            .into_iter()
            .partition(|(_, touched)| touched.after.is_none());
        for (number, touched) in present {
            self.note(&mut remains, &touched.path, self.restore(number, touched));
        }
        for directory in self.manifest.made.iter().rev() {
            match self.dir.look(directory) {
                Ok(Found::Directory) => {}
                Ok(_) => continue,
                Err(error) => {
                    remains.failed.push((directory.clone(), error));
                    continue;
                }
            }
            use io::ErrorKind::{AlreadyExists, DirectoryNotEmpty, NotFound, ResourceBusy};
            if let Err(error) = self.dir.remove_directory(directory)
                // With something of somebody's in it, it stays; what is in it of our making was
                // named.
                && !matches!(error.kind(), AlreadyExists | DirectoryNotEmpty | NotFound | ResourceBusy)
            {
                remains.failed.push((directory.clone(), error));
            }
        }
        let removed = &self.manifest.removed;
        let made =
            make_missing(self.dir, removed).and_then(|()| finish_directories(self.dir, removed));
        remains.failed.extend(made.err());
        for (number, touched) in deleted {
            self.note(&mut remains, &touched.path, self.restore(number, touched));
        }
        remains
    }

    fn note(&self, remains: &mut Remains, path: &RepoPath, outcome: io::Result<bool>) {
        self.progress.step();
        match outcome {
            Ok(true) => {}
            Ok(false) => remains.theirs.push(path.clone()),
            Err(error) => remains.failed.push((path.clone(), error)),
        }
    }

    /// Puts one path back; says whether it is what it was, or at least what its owner made of it
    /// before we came.
    fn restore(&self, number: usize, touched: &Touched) -> io::Result<bool> {
        match (&touched.before, &touched.after) {
            (None, Some(_)) => self.unmake(number, touched),
            _ => self.bring_back(number, touched),
        }
    }

    /// Takes away a file that wasn't there.
    fn unmake(&self, number: usize, touched: &Touched) -> io::Result<bool> {
        let stage = self.in_tree(touched.stage(self.journal.run(), number));
        let place = self.in_tree(touched.path.clone());
        let there = self.occupant(&place, touched)?;
        let staged = self.occupant(&stage, touched)?;
        match (there, staged) {
            // Never put in its place; what is there was there.
            (Occupant::Other, Occupant::New) => Ok(true),
            // Taken away by one who was killed when the old directory was there again.
            (Occupant::Other, Occupant::Nothing) if self.is_old_directory(&touched.path)? => {
                Ok(true)
            }
            (Occupant::Other, Occupant::Nothing) => Ok(false),
            (Occupant::New, staged) => {
                if staged == Occupant::New {
                    // One file by two names, where a rename to a free name is a link and a removal.
                    stage.remove()?;
                }
                place.take_out_to(&stage)?;
                self.throw_away(&stage, &place, touched)
            }
            (_, Occupant::Nothing) => Ok(true),
            (_, _) => self.throw_away(&stage, &place, touched),
        }
    }

    /// Returns whether a directory is at a path where one was before.
    fn is_old_directory(&self, path: &RepoPath) -> io::Result<bool> {
        let was_there = self
            .manifest
            .removed
            .iter()
            .any(|directory| directory.path == *path);
        Ok(was_there && self.dir.look(path)? == Found::Directory)
    }

    /// Removes our new content that was taken out of its place, if that is what it is; else it goes
    /// back there.
    fn throw_away(
        &self,
        stage: &Location<'_>,
        place: &Location<'_>,
        touched: &Touched,
    ) -> io::Result<bool> {
        let is_gone = self.remove_ours(stage, touched)?;
        if !is_gone {
            stage.rename_to(place)?;
        }
        Ok(is_gone)
    }

    /// Removes what is at a place of ours if it is our new content; says whether nothing is there
    /// any more.
    fn remove_ours(&self, at: &Location<'_>, touched: &Touched) -> io::Result<bool> {
        let is_ours = matches!(
            self.occupant(at, touched)?,
            Occupant::New | Occupant::Nothing
        );
        if is_ours {
            at.remove()?;
        }
        Ok(is_ours)
    }

    /// Moves an original back to its place; returns whether nothing is left to look at.
    fn bring_back(&self, number: usize, touched: &Touched) -> io::Result<bool> {
        let place = self.in_tree(touched.path.clone());
        let original = self.find_original(number, touched, &place)?;
        let there = self.occupant(&place, touched)?;
        let Some((original, held)) = original else {
            // It never left its place, or is back; unless ours is there or nothing, and then nobody
            // knows where the original is.
            return Ok(matches!(there, Occupant::Old | Occupant::Other));
        };
        let is_link = touched.before.as_ref().is_some_and(Held::is_link);
        let is_original = match original.dir.look(&original.path)? {
            Found::File(_) => true,
            Found::Link => is_link,
            _ => false,
        };
        if !self.journal.is_own() && !is_original {
            // Only files are changed. This run knows that it took something else in; of another
            // that is for a person to say.
            return Ok(false);
        }
        match (there, held) {
            (Occupant::Nothing, _) => {
                // Somebody may have removed the directories meanwhile.
                self.dir
                    .make_directories(&touched.path)
                    .map_err(|(_, error)| error)?;
                original.rename_to(&place)?;
                Ok(true)
            }
            (Occupant::New, _) if touched.after.is_some() => {
                self.swap_back(number, touched, &place, &original)
            }
            // Put back by hand, or by one who had no time left to tidy up.
            (Occupant::Old, Occupant::Old) => {
                original.remove()?;
                Ok(true)
            }
            // The two changed places, and somebody's save was found: it goes back to where it was
            // made.
            (Occupant::Old, _) => {
                self.exchange(&place, &original)?;
                Ok(self.shelve(number, &original))
            }
            (_, _) => Ok(self.shelve(number, &original)),
        }
    }

    /// Finds where an original is, if it left its place, and removes new content that isn't in
    /// place.
    fn find_original(
        &self,
        number: usize,
        touched: &Touched,
        place: &Location<'u>,
    ) -> io::Result<Option<(Location<'u>, Occupant)>> {
        let mut original = None;
        for location in self.locations(number, touched) {
            match self.occupant(&location, touched)? {
                Occupant::Nothing => {}
                // Not an original, but what took its place, prepared or taken back.
                Occupant::New if touched.after.is_some() => {
                    if self.occupant(place, touched)? != Occupant::New {
                        location.remove()?;
                    }
                }
                held => original = Some((location, held)),
            }
        }
        Ok(original)
    }

    /// Exchanges new content that is in place with the original; returns whether nothing is left to
    /// look at.
    fn swap_back(
        &self,
        number: usize,
        touched: &Touched,
        place: &Location<'u>,
        original: &Location<'u>,
    ) -> io::Result<bool> {
        if !self.exchange(place, original)? {
            // Where names can't be exchanged, ours gets a second name, or goes to where it was
            // prepared, and that is looked at again.
            let stage = self.in_tree(touched.stage(self.journal.run(), number));
            if self.occupant(&stage, touched)? == Occupant::New {
                // One file by two names, as in `unmake`.
                stage.remove()?;
            }
            if self.replace_back(touched, place, original, &stage)? {
                return Ok(true);
            }
            place.take_out_to(&stage)?;
            return self.bring_back(number, touched);
        }
        if self.remove_ours(original, touched)? {
            return Ok(true);
        }
        // Somebody saved in that instant: theirs is what must be there.
        self.exchange(place, original)?;
        Ok(self.shelve(number, original))
    }

    /// Renames an original over new content that is in place; returns whether that could be done.
    fn replace_back(
        &self,
        touched: &Touched,
        place: &Location<'_>,
        original: &Location<'_>,
        stage: &Location<'_>,
    ) -> io::Result<bool> {
        if place.dir.keep(&place.path, stage.dir, &stage.path).is_err() {
            return Ok(false);
        }
        let by = (original.dir, &original.path);
        let kept = (stage.dir, &stage.path);
        let is_back = matches!(self.occupant(stage, touched), Ok(Occupant::New))
            && matches!(place.dir.replace(&place.path, by, kept), Ok(true));
        stage.remove()?;
        Ok(is_back)
    }

    /// Moves an original that can't come back into the journal, out of the way.
    fn shelve(&self, number: usize, original: &Location<'u>) -> bool {
        if !std::ptr::eq(original.dir, self.journal.dir()) {
            // On another file system it stays where it is, and is named with the journal.
            let _ = original.rename_to(&self.in_journal(original_name(number)));
        }
        false
    }

    /// Returns whether two things changed places; where the file system can't, they don't.
    fn exchange(&self, place: &Location<'_>, with: &Location<'_>) -> io::Result<bool> {
        match place.dir.exchange(&place.path, with.dir, &with.path) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::Unsupported => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Returns where an original may lie.
    fn locations(&self, number: usize, touched: &Touched) -> Vec<Location<'u>> {
        let tree = touched.temporaries(self.journal.run(), number);
        tree.map(|path| self.in_tree(path))
            .chain([self.in_journal(original_name(number))])
            .collect()
    }

    fn in_tree(&self, path: RepoPath) -> Location<'u> {
        Location {
            dir: self.dir,
            path,
        }
    }

    fn in_journal(&self, path: RepoPath) -> Location<'u> {
        Location {
            dir: self.journal.dir(),
            path,
        }
    }

    fn occupant(&self, at: &Location<'_>, touched: &Touched) -> io::Result<Occupant> {
        let states = || touched.before.iter().chain(&touched.after);
        Ok(match at.dir.look(&at.path)? {
            Found::Absent | Found::Beneath { .. } => Occupant::Nothing,
            // What is of another size needn't be read.
            Found::File(stat) if !states().any(|held| held.size == stat.size) => Occupant::Other,
            Found::Link if !states().any(Held::is_link) => Occupant::Other,
            Found::File(_) | Found::Link => match at.dir.read_file_or_link(&at.path)? {
                None => Occupant::Nothing,
                Some((bytes, stat)) => {
                    let mode = Mode {
                        executable: stat.is_executable(),
                        bits: Some(stat.bits),
                    };
                    Occupant::judge(
                        touched.before.as_ref(),
                        touched.after.as_ref(),
                        &bytes,
                        mode,
                    )
                }
            },
            _ => Occupant::Other,
        })
    }
}

impl Location<'_> {
    /// Renames it to a name that is ours alone.
    fn take_out_to(&self, own: &Location<'_>) -> io::Result<()> {
        self.dir.rename_to_own(&self.path, own.dir, &own.path)
    }

    fn rename_to(&self, to: &Location<'_>) -> io::Result<()> {
        self.dir.rename_to_free(&self.path, to.dir, &to.path)
    }

    fn remove(&self) -> io::Result<()> {
        match self.dir.remove_file(&self.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            done => done,
        }
    }
}

/// A path, and what the system said of it.
pub(super) type Failed = (RepoPath, io::Error);

/// Makes directories that were there before, highest first, as far as nothing is in their places.
pub(super) fn make_missing(dir: &Dir, directories: &[RecordedDirectory]) -> Result<(), Failed> {
    for RecordedDirectory { path, .. } in directories {
        let made = match dir.look(path) {
            Ok(Found::Absent) => dir.make_directory(path, UNFINISHED),
            found => found.map(drop),
        };
        made.map_err(|error| (path.clone(), error))?;
    }
    Ok(())
}

/// Gives the directories that were made the bits that they had, the deepest first: afterwards a
/// directory above may be closed to us.
pub(super) fn finish_directories(
    dir: &Dir,
    directories: &[RecordedDirectory],
) -> Result<(), Failed> {
    directories.iter().rev().try_for_each(|directory| {
        finish_one(dir, directory).map_err(|error| (directory.path.clone(), error))
    })
}

fn finish_one(dir: &Dir, RecordedDirectory { path, bits }: &RecordedDirectory) -> io::Result<()> {
    // In a directory that passes its group on, a new directory does so too.
    if dir.look(path)? == Found::Directory && dir.directory_bits(path)? & !SET_ID == UNFINISHED {
        dir.set_directory_bits(path, *bits)?;
    }
    Ok(())
}
