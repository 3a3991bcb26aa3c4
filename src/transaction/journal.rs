//! A run's own directory in the repository's git directory, `llmpatch/<number>`: all that is needed
//! to finish or take back a change by somebody who knows nothing of it.
//!
//! | file | what it is |
//! | --- | --- |
//! | `stamp` | what the run holds locked as long as it lives; the same file as the lock on the index. On Windows it is beside the journal |
//! | `draft` | the change as it was worked out, before anything was made in the work tree; what the manifest is called once it is taken back |
//! | `manifest` | the change. While it is there, the change is taken back if its run died |
//! | `applied` | what the manifest is called once the change is certain: this one rename decides |
//! | `begun` | says that git was told to make the commit |
//! | `child` | on Windows, what that git has open as long as it lives |
//! | `original-N` | files that had to leave their places |
//! | `index.old`, `index.new` | the index before and after |
//! | `record`, `copy-N` | what `undo` will need beyond `original-N`, see [`last`](mod@super::last) |
//!
//! Nothing here is read by anybody but recovery, and nothing of a living run is touched by others.
//! What remains of the last run whose change is certain is `llmpatch/undo-N`.
//!
//! It is private to its user, and reached through handles that follow no link. What is in it may
//! have been made by anybody, with the git directory: it says nothing about where to write but
//! paths of the work tree.

use crate::dir::SystemPath as _;
use std::cell::{Cell, RefCell};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use super::error::{TransactionError, Unfit, Unresolved, Why};
use super::flush::Flush;
use super::home::{Home, Homes, number, open_own};
use super::lock::{Life, Stamp, is_held, nonce, with_suffix};
use super::manifest::Manifest;
use super::record::Record;
use super::sealed::{MOST, Sealed as _};
use crate::dir::write::step;
use crate::dir::{Dir, Found};
use crate::repo::Repo;
use crate::system::{self, LOCKS_ARE_STRICT, OwnedStream, despite_passing_fault, is_open, user};
use llmpatch::path::RepoPath;

const CHILD: &str = "child";

/// The directory of a run. Dropping it removes it and all in it, unless something in it must not be
/// lost.
#[derive(Debug)]
pub(super) struct Journal {
    home: Rc<Home>,
    dir: Dir,
    name: RepoPath,
    run: u64,
    /// The stamp and its file, locked, if the run is this process.
    stamp: Option<(Stamp, File)>,
    stays: Cell<bool>,
    /// What this process wrote into the draft.
    draft: RefCell<Option<Manifest>>,
    /// The record that this process wrote into it.
    pub(super) record: RefCell<Option<Record>>,
    /// What the record is to say of where the model saw the work tree.
    pub(super) roots: Vec<String>,
}

/// Makes a path of a plain name.
pub(super) fn plain(name: &str) -> RepoPath {
    RepoPath::new(name.as_bytes()).expect("the name is plain")
}

/// Returns the name that an original has in the journal.
pub(super) fn original_name(number: usize) -> RepoPath {
    plain(&format!("original-{number}"))
}

impl Journal {
    /// Makes a directory for this run, with its stamp, which is locked from the instant that it has
    /// its name.
    pub(super) fn make(repo: &Repo) -> Result<Self, TransactionError> {
        let mut tries = 0;
        loop {
            match Self::try_make(repo) {
                // Somebody's last journal went between two steps, and the directory of all journals
                // with it.
                Err(TransactionError::Io { source, .. })
                    if source.kind() == io::ErrorKind::NotFound && tries < 5 =>
                {
                    tries += 1
                }
                made => return made,
            }
        }
    }

    fn try_make(repo: &Repo) -> Result<Self, TransactionError> {
        let home = Home::make(repo)?;
        let run = nonce();
        let name = plain(&format!("{run:016x}"));
        let path = home.path().join(name.as_path());
        let io = |doing| TransactionError::io(doing, &path);
        let opened = home
            .dir
            .make_directory(&name, 0o700)
            .and_then(|()| home.dir.beneath(&name));
        let dir = opened.inspect_err(|_| home.tidy()).map_err(io("make"))?;
        // From here on whatever was made goes, even if not all of it was.
        let mut journal = Self {
            home: Rc::new(home),
            dir,
            name,
            run,
            stamp: None,
            stays: Cell::new(false),
            draft: RefCell::default(),
            record: RefCell::default(),
            roots: Vec::new(),
        };
        let (place, stamp) = journal.place_of_stamp();
        let draft = if LOCKS_ARE_STRICT {
            stamp.clone()
        } else {
            plain("stamp.draft")
        };
        let file = place.create(&draft, 0o666).map_err(io("write"))?;
        file.try_lock().map_err(|error| io("lock")(error.into()))?;
        let own = Stamp::own(run, repo, &file);
        let written = step("write the stamp").and_then(|()| own.write(&file));
        written
            .and_then(|()| {
                if draft == stamp {
                    Ok(())
                } else {
                    place.rename_own(&draft, &stamp)
                }
            })
            .map_err(io("write"))?;
        journal.stamp = Some((own, file));
        Ok(journal)
    }

    /// Returns the directory that the stamp is in, and its name there: beside the journal where
    /// nothing can be renamed in which a locked file is.
    fn place_of_stamp(&self) -> (&Dir, RepoPath) {
        if LOCKS_ARE_STRICT {
            (&self.home.dir, plain(&format!("stamp-{:016x}", self.run)))
        } else {
            (&self.dir, plain("stamp"))
        }
    }

    /// Gives the stamp a second name, which must be free.
    pub(super) fn link_stamp(&self, to: &Path) -> io::Result<()> {
        let (place, stamp) = self.place_of_stamp();
        place.link_to(&stamp, to)
    }

    /// Returns the bytes of this run's stamp.
    pub(super) fn own_stamp(&self) -> Vec<u8> {
        let own = self.stamp.as_ref();
        own.map_or_else(Vec::new, |(stamp, _)| stamp.to_bytes())
    }

    /// Lets go of a stamp that isn't in the journal.
    fn forget_stamp(&self) {
        if LOCKS_ARE_STRICT {
            let (place, stamp) = self.place_of_stamp();
            place.discard(&stamp);
        }
    }

    /// Opens the directory of another run; `None` if it is gone.
    ///
    /// # Errors
    /// If it isn't this user's.
    fn open(home: Rc<Home>, name: &RepoPath) -> Result<Option<Self>, Unfit> {
        match open_own(&home.dir, name, user()) {
            Ok(None) => Ok(None),
            Ok(Some(dir)) => {
                let (name, run) = (name.clone(), number(name).unwrap_or_default());
                let (draft, record, roots) = Default::default();
                Ok(Some(Self {
                    home,
                    dir,
                    name,
                    run,
                    stamp: None,
                    stays: Cell::new(true),
                    draft,
                    record,
                    roots,
                }))
            }
            Err(why) => Err(Unfit {
                directory: home.path().join(name.as_path()),
                why,
            }),
        }
    }

    /// Opens all of this user that are there, and says which can't be, or are of another user whose
    /// change was interrupted.
    pub(super) fn all(repo: &Repo) -> Vec<Result<Self, Unfit>> {
        Self::within(&Home::all(repo))
    }

    /// Opens the journals in these directories.
    pub(super) fn within(homes: &Result<Homes, Unfit>) -> Vec<Result<Self, Unfit>> {
        let homes = match homes {
            Ok(homes) => homes,
            Err(unfit) => return vec![Err(unfit.clone())],
        };
        let mut journals: Vec<_> = homes.interrupted.iter().cloned().map(Err).collect();
        for home in &homes.own {
            match home.runs() {
                Ok(runs) => journals.extend(
                    runs.iter()
                        .filter_map(|run| Self::open(Rc::clone(home), run).transpose()),
                ),
                Err(unfit) => journals.push(Err(unfit)),
            }
        }
        journals
    }

    /// Returns whether its run has ended meanwhile, and the directory has another name or none.
    pub(super) fn is_gone(&self) -> bool {
        matches!(self.home.dir.look(&self.name), Ok(Found::Absent))
    }

    /// Returns a handle on the directory.
    pub(super) fn dir(&self) -> &Dir {
        &self.dir
    }

    /// Returns where it is.
    pub(super) fn path(&self) -> PathBuf {
        self.home.path().join(self.name.as_path())
    }

    /// Returns the directory that it is in.
    pub(super) fn home(&self) -> &Home {
        &self.home
    }

    /// Returns whether its run is this process.
    pub(super) fn is_own(&self) -> bool {
        self.stamp.is_some()
    }

    /// Returns the number in the names of this run's temporary files.
    pub(super) fn run(&self) -> u64 {
        self.run
    }

    /// Returns where something in it is, for git and for people.
    pub(super) fn path_of(&self, name: &str) -> PathBuf {
        self.path().join(name)
    }

    /// Returns where its next index is made, beside an index.
    pub(super) fn beside(&self, index: &Path) -> PathBuf {
        with_suffix(index, &format!(".llmpatch-{:016x}", self.run))
    }

    /// Keeps the directory when this is dropped.
    pub(super) fn keep(&self) {
        self.stays.set(true);
    }

    /// Removes the directory when this is dropped, even if it is another run's.
    pub(super) fn remove_on_drop(&self) {
        self.stays.set(false);
    }

    /// Renames it to another name in the directory of all journals, where nobody takes it for a
    /// run's.
    pub(super) fn rename(&self, to: &RepoPath) -> io::Result<()> {
        self.home.dir.rename_own(&self.name, to)?;
        self.stays.set(true);
        self.forget_stamp();
        self.dir.has_moved(&self.home.dir, to)
    }

    /// Returns a second handle on the lock of the stamp: the lock holds as long as one of them is
    /// open, in whatever process.
    pub(super) fn lend(&self) -> io::Result<OwnedStream> {
        let (_, stamp) = self.stamp.as_ref().ok_or(io::ErrorKind::NotFound)?;
        system::second_handle(stamp)
    }

    /// Returns what a child has as long as it lives, so that recovery waits for it: a second handle
    /// on the lock of the stamp, or, where no child inherits a lock, on a file that is there for
    /// that.
    pub(super) fn lend_to_child(&self) -> io::Result<OwnedStream> {
        if LOCKS_ARE_STRICT {
            Ok(self.dir.put(&plain(CHILD), b"")?.into())
        } else {
            self.lend()
        }
    }

    /// Returns the stamp, open.
    ///
    /// # Errors
    /// If it can't be read.
    pub(super) fn stamp(&self) -> Result<Option<(Stamp, File)>, Why> {
        if let Some((stamp, file)) = &self.stamp {
            let file = file.try_clone().map_err(|error| Why::of(&error))?;
            return Ok(Some((stamp.clone(), file)));
        }
        let (place, stamp) = self.place_of_stamp();
        let file = place.open_file(&stamp).map_err(|error| Why::of(&error))?;
        file.map_or(Ok(None), |(file, _)| {
            Stamp::read_from(file).map_err(|error| Why::of(&error))
        })
    }

    /// Returns whether its run lives; `None` if the run died before it had made anything.
    ///
    /// # Errors
    /// If it can't be a journal of ours, or be read.
    pub(super) fn life(&self) -> Result<Option<Life>, Why> {
        let (place, stamp) = self.place_of_stamp();
        if LOCKS_ARE_STRICT
            && let Ok(Some((file, _))) = place.open_file(&stamp)
            && is_held(&file)
        {
            return Ok(Some(Life::Alive));
        }
        match self.stamp()? {
            Some((stamp, file)) if stamp.run() == Some(self.run) => {
                let life = match stamp.life(&file) {
                    Life::Dead if is_open(&self.path_of(CHILD)) => Life::Alive,
                    life => life,
                };
                Ok(Some(life))
            }
            Some(_) => Err(Why::Broken),
            None => {
                let names = self.dir.list(None).map_err(|error| Why::of(&error))?;
                if names.iter().all(|(name, _)| name == "stamp.draft") {
                    Ok(None)
                } else {
                    Err(Why::Broken)
                }
            }
        }
    }

    /// Writes down, before it happens, what will be made in the work tree.
    pub(super) fn announce(
        &self,
        manifest: &Manifest,
        flush: Flush,
    ) -> Result<(), TransactionError> {
        step("note what will be made")
            .and_then(|()| self.dir.put(&plain("draft"), &manifest.to_bytes()))
            .and_then(|file| flush.content(&file))
            .map_err(TransactionError::io("write", &self.path()))?;
        self.draft.replace(Some(manifest.clone()));
        Ok(())
    }

    /// Puts the manifest in its place: from here on, whoever finds it without its run takes the
    /// change back. All that was written before is on the disk.
    pub(super) fn begin(&self, manifest: &Manifest, flush: Flush) -> io::Result<()> {
        let mut draft = plain("draft");
        step("write the manifest")?;
        // Mostly that is what was announced.
        if self.draft.borrow().as_ref() != Some(manifest) {
            draft = plain("manifest.draft");
            flush.file(&self.dir.put(&draft, &manifest.to_bytes())?)?;
        }
        step("let the manifest stand")?;
        self.dir.rename_own(&draft, &plain("manifest"))?;
        // The name of the directory itself is on the disk with all that was written before.
        flush.directories(&[&self.dir])
    }

    /// Makes the change certain. There is no way back afterwards.
    pub(super) fn decide(&self) -> io::Result<()> {
        step("make the change certain")?;
        self.dir.rename_own(&plain("manifest"), &plain("applied"))
    }

    /// Ends a change that is taken back; returns where the originals are of files in whose places
    /// somebody else's are.
    pub(super) fn end(&self, theirs: &[RepoPath], flush: Flush) -> io::Result<Option<Unresolved>> {
        if theirs.is_empty() {
            self.forget(flush).map(|()| None)
        } else {
            self.put_away().map(|kept| Some(Unresolved::Kept(kept)))
        }
    }

    /// Takes the manifest away once all is as it was before. As a draft it still names what was
    /// made.
    fn forget(&self, flush: Flush) -> io::Result<()> {
        let _ = flush.directories(&[&self.dir]);
        step("take the manifest away")?;
        match self.dir.rename_own(&plain("manifest"), &plain("draft")) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                self.dir.remove_file(&plain("manifest"))
            }
            _ => Ok(()),
        }
    }

    /// Writes down that git may make the commit.
    pub(super) fn note_child(&self, flush: Flush) -> io::Result<()> {
        step("note the child")?;
        flush.file(&self.dir.put(&plain("begun"), b"")?)
    }

    /// Takes back that a commit was begun: it ended, and made none.
    pub(super) fn forget_child(&self, flush: Flush) {
        if self.has_begun() && step("forget the child").is_ok() {
            // If it stays, recovery asks HEAD, and only one that somebody else moves until then
            // would mislead it.
            let _ = self
                .dir
                .remove_file(&plain("begun"))
                .and_then(|()| flush.directories(&[&self.dir]));
        }
    }

    /// Returns whether git was told to make the commit.
    pub(super) fn has_begun(&self) -> bool {
        matches!(self.dir.look(&plain("begun")), Ok(Found::File(_)))
    }

    /// Returns whether there is a change that isn't finished.
    pub(super) fn is_unfinished(&self) -> bool {
        // One that can't be looked at is left to whoever looks next.
        let found = despite_passing_fault(|| self.dir.look(&plain("manifest")));
        !matches!(found, Ok(Found::Absent))
    }

    /// Reads the manifest of a change that isn't finished, if there is one.
    ///
    /// # Errors
    /// If it isn't whole, or can't be read.
    pub(super) fn manifest(&self) -> Result<Option<Manifest>, Why> {
        if self.is_unfinished() {
            self.read("manifest")?.map(Some).ok_or(Why::Broken)
        } else {
            Ok(None)
        }
    }

    /// Reads the manifest of a change that is certain.
    ///
    /// # Errors
    /// If it can't be read.
    pub(super) fn applied(&self) -> Result<Option<Manifest>, Why> {
        self.read("applied")
    }

    /// Reads what was to be made in the work tree, as far as it was worked out.
    ///
    /// # Errors
    /// If it can't be read.
    pub(super) fn draft(&self) -> Result<Option<Manifest>, Why> {
        self.read("draft")
    }

    fn read(&self, name: &str) -> Result<Option<Manifest>, Why> {
        let bytes = self
            .dir
            .read_own(&plain(name), MOST)
            .map_err(|error| Why::of(&error))?;
        Ok(bytes.and_then(|bytes| Manifest::parse(&bytes)))
    }

    /// Renames a directory that holds something of somebody's to a name that recovery leaves alone,
    /// and keeps it.
    pub(super) fn put_away(&self) -> io::Result<PathBuf> {
        let away = plain(&format!("kept-{:016x}", self.run));
        step("put the originals away")?;
        self.rename(&away)?;
        for (name, _) in self.dir.list(None).unwrap_or_default() {
            if let Ok(name) = RepoPath::new(&name)
                && !name.as_bytes().starts_with(b"original-")
            {
                self.dir.discard(&name);
            }
        }
        Ok(self.home.path().join(away.as_path()))
    }
}

impl Drop for Journal {
    fn drop(&mut self) {
        if !self.stays.get() {
            // The stamp last: without it nobody could tell whose the rest was.
            let _ = self.home.dir.remove_flat(&self.name, "", "stamp");
            self.stamp = None;
            self.forget_stamp();
            self.home.tidy();
        }
    }
}
