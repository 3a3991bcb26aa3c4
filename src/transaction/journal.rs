//! A run's own folder in the repository's git folder, `llmpatch/<number>`: all that is needed to finish or take back a change
//! by somebody who knows nothing of it.
//!
//! | file | what it is |
//! | --- | --- |
//! | `stamp` | who runs; the same file as the lock on the index. A folder without a whole one belongs to a run that had touched nothing |
//! | `litter` | every file that is made elsewhere, written down before it is made |
//! | `manifest` | the change. While it is there, the change is taken back if its owner dies |
//! | `applied` | what the manifest is called once the change is certain: this one rename decides |
//! | `child` | the `git commit` that was started |
//! | `original-N`, `folder-N` | files and folders that had to leave their places |
//! | `index.old`, `index.new` | the index before and after |
//! | `record`, `copy-N` | what `undo` will need beyond `original-N`, see [`last`](mod@super::last) |
//!
//! Nothing here is read by anybody but recovery, and nothing of a living run is touched by others. What remains of the last
//! one whose change is certain is `llmpatch/last`.

use std::cell::Cell;
use std::fs::File;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use bstr::ByteSlice as _;

use super::fault::Fault;
use super::flush::Flush;
use super::lock::{Stamp, nonce, path_bytes};
use super::manifest::{Manifest, os};
use super::owner::{Life, Owner};
use crate::dir::Dir;
use crate::dir::write::step;
use crate::path::RepoPath;

/// The folder of a run. Dropping it removes it and all in it, unless something in it must not be lost.
#[derive(Debug)]
pub(super) struct Journal {
    dir: Dir,
    folder: PathBuf,
    fate: Cell<Fate>,
}

/// What becomes of the folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    Removed,
    Stays,
    /// It went elsewhere.
    Moved,
}

/// Where a file that is made elsewhere lies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Litter {
    /// The lock on the index.
    Lock(PathBuf),
    /// The top of the work tree that the others are in.
    Top(PathBuf),
    /// In the work tree.
    Tree(RepoPath),
    /// Anywhere else.
    File(PathBuf),
}

/// Returns the folder of all journals.
pub(super) fn home(git_folder: &Path) -> PathBuf {
    git_folder.join("llmpatch")
}

impl Journal {
    /// Makes a folder for this run, with its stamp.
    pub(super) fn make(git_folder: &Path) -> Result<(Self, Stamp), Fault> {
        let home = home(git_folder);
        let stamp = Stamp::own(&home);
        let folder = stamp.journal.clone();
        // From here on whatever was made goes, even if not all of it was.
        let guard = Remove(&folder);
        let make = || -> io::Result<Dir> {
            step("make the folder of journals")?;
            match std::fs::create_dir(&home) {
                Err(fault) if fault.kind() != io::ErrorKind::AlreadyExists => return Err(fault),
                _ => {}
            }
            step("make the journal's folder")?;
            std::fs::create_dir(&folder)?;
            step("write the stamp")?;
            stamp.write(&File::create_new(folder.join("stamp"))?)?;
            Dir::open(&folder)
        };
        let mut tries = 0;
        let dir = loop {
            match make() {
                Ok(dir) => break dir,
                // Somebody tidied up between two of these steps.
                Err(fault) if fault.kind() == io::ErrorKind::NotFound && tries < 5 => tries += 1,
                Err(source) => {
                    return Err(Fault::Io { doing: "make the journal", path: path_bytes(&folder), source });
                }
            }
        };
        std::mem::forget(guard);
        Ok((Self { dir, folder, fate: Cell::new(Fate::Removed) }, stamp))
    }

    /// Opens the folder of another run.
    pub(super) fn open(folder: &Path) -> io::Result<Self> {
        Ok(Self { dir: Dir::open(folder)?, folder: folder.to_owned(), fate: Cell::new(Fate::Stays) })
    }

    /// Returns a handle on the folder.
    pub(super) fn dir(&self) -> &Dir {
        &self.dir
    }

    /// Returns where it is.
    pub(super) fn path(&self) -> &Path {
        &self.folder
    }

    /// Returns the number in the names of this run's temporary files.
    pub(super) fn nonce(&self) -> u64 {
        let name = self.folder.file_name().and_then(|name| name.to_str());
        name.and_then(|name| u64::from_str_radix(name, 16).ok()).unwrap_or_default()
    }

    /// Has what is in it outlive us.
    pub(super) fn keep(&self) {
        self.fate.set(Fate::Stays);
    }

    /// Has it go, if somebody else's.
    pub(super) fn let_go(&self) {
        self.fate.set(Fate::Removed);
    }

    /// Has it lie elsewhere, where nobody takes it for a run's.
    pub(super) fn rename(&self, to: &Path) -> io::Result<()> {
        std::fs::rename(&self.folder, to)?;
        self.fate.set(Fate::Moved);
        Ok(())
    }

    /// Writes down, before it happens, what will be made elsewhere.
    pub(super) fn note(&self, litter: &[Litter]) -> Result<(), Fault> {
        let mut records = Vec::new();
        for one in litter {
            let (name, path) = match one {
                Litter::Lock(path) => ("lock", path_bytes(path)),
                Litter::Top(path) => ("top", path_bytes(path)),
                Litter::Tree(path) => ("tree", path.as_bstr().to_owned()),
                Litter::File(path) => ("file", path_bytes(path)),
            };
            records.extend_from_slice(name.as_bytes());
            records.push(b' ');
            records.extend_from_slice(&path);
            records.push(0);
        }
        let path = self.folder.join("litter");
        let write = || {
            step("note what will be made")?;
            File::options().append(true).create(true).open(&path)?.write_all(&records)
        };
        write().map_err(|source| Fault::Io { doing: "write the journal", path: path_bytes(&path), source })
    }

    /// Reads what was written down of it; a last record that isn't whole was of nothing that was made.
    pub(super) fn litter(&self) -> Vec<Litter> {
        let bytes = std::fs::read(self.folder.join("litter")).unwrap_or_default();
        let whole = bytes.rfind_byte(0).map_or(&b""[..], |end| &bytes[..end]);
        let records = whole.split_str("\0").filter_map(|record| {
            let (name, path) = record.split_once_str(" ")?;
            match name {
                b"lock" => Some(Litter::Lock(os(path).into())),
                b"top" => Some(Litter::Top(os(path).into())),
                b"tree" => RepoPath::new(path).ok().map(Litter::Tree),
                b"file" => Some(Litter::File(os(path).into())),
                _ => None,
            }
        });
        records.collect()
    }

    /// Lets the manifest stand: from here on, whoever finds it without its owner takes the change back.
    pub(super) fn begin(&self, manifest: &Manifest, flush: Flush) -> Result<(), Fault> {
        let (draft, path) = (self.folder.join("manifest.draft"), self.folder.join("manifest"));
        let write = || {
            step("write the manifest")?;
            let mut file = File::create(&draft)?;
            file.write_all(&manifest.to_bytes())?;
            flush.file(&file)?;
            step("let the manifest stand")?;
            std::fs::rename(&draft, &path)?;
            flush.folders(&[&self.folder, self.folder.parent().unwrap_or(&self.folder)])
        };
        write().map_err(|source| Fault::Io { doing: "write the journal", path: path_bytes(&path), source })
    }

    /// Makes the change certain. There is no way back afterwards.
    pub(super) fn decide(&self) -> io::Result<()> {
        step("make the change certain")?;
        std::fs::rename(self.folder.join("manifest"), self.folder.join("applied"))
    }

    /// Takes the manifest away once all is as it was before.
    pub(super) fn forget(&self, flush: Flush) -> io::Result<()> {
        let _ = flush.folders(&[&self.folder]);
        step("take the manifest away")?;
        match std::fs::remove_file(self.folder.join("manifest")) {
            Err(fault) if fault.kind() != io::ErrorKind::NotFound => {
                std::fs::rename(self.folder.join("manifest"), self.folder.join("undone"))
            }
            _ => Ok(()),
        }
    }

    /// Writes down which process makes the commit.
    pub(super) fn note_child(&self, pid: u32, flush: Flush) -> io::Result<()> {
        step("note the child")?;
        let path = self.folder.join("child");
        let mut file = File::create(&path)?;
        file.write_all(Owner::of(i32::try_from(pid).unwrap_or(i32::MAX)).to_string().as_bytes())?;
        flush.file(&file)
    }

    /// Takes back that a commit was begun: it ended, and made none.
    pub(super) fn forget_child(&self, flush: Flush) {
        let path = self.folder.join("child");
        if path.exists() && step("forget the child").is_ok() {
            // If it stays, recovery asks HEAD, and only one that somebody else moves until then would mislead it.
            let _ = std::fs::remove_file(path).and_then(|()| flush.folders(&[&self.folder]));
        }
    }

    /// Returns the process that makes the commit, if one was started.
    pub(super) fn child(&self) -> Option<Owner> {
        let text = std::fs::read_to_string(self.folder.join("child")).ok()?;
        Owner::parse(&mut text.lines())
    }

    /// Returns when the process that makes the commit was written down, which was before it was fed.
    pub(super) fn child_since(&self) -> Option<std::time::SystemTime> {
        std::fs::metadata(self.folder.join("child")).and_then(|meta| meta.modified()).ok()
    }

    /// Returns where something in it is.
    pub(super) fn path_of(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// Says of whoever runs, or of its child, whether it lives; what is dead can be tidied up.
    pub(super) fn life(&self) -> (Life, i32) {
        let Some(stamp) = Stamp::read(&self.folder.join("stamp")) else {
            // Whoever made this folder had made nothing else. If it lives, it makes another.
            return (Life::Dead, 0);
        };
        match (stamp.owner.life(), self.child()) {
            (Life::Dead, Some(child)) => (child.life(), child.pid),
            (life, _) => (life, stamp.owner.pid),
        }
    }

    /// Returns whether there is a change that isn't finished.
    pub(super) fn is_standing(&self) -> bool {
        // One that can't be looked at is left to whoever looks next.
        self.folder.join("manifest").try_exists().unwrap_or(true)
    }

    /// Says whether there is a change that isn't finished; the manifest, if it is whole.
    pub(super) fn manifest(&self) -> Option<Option<Manifest>> {
        let bytes = std::fs::read(self.folder.join("manifest")).ok()?;
        Some(Manifest::parse(&bytes))
    }

    /// Reads the manifest of a change that is certain.
    pub(super) fn applied(&self) -> Option<Manifest> {
        Manifest::parse(&std::fs::read(self.folder.join("applied")).ok()?)
    }

    /// Keeps the index that is about to be replaced and the one that replaces it, each by a second name.
    pub(super) fn keep_indexes(&self, index: &Path, next: &Path) -> io::Result<()> {
        for name in ["index.new", "index.old", "index.none"] {
            // Of an attempt that came to nothing.
            let _ = std::fs::remove_file(self.path_of(name));
        }
        step("keep the old index")?;
        match second_name(index, &self.path_of("index.old")) {
            Err(fault) if fault.kind() == io::ErrorKind::NotFound => {
                File::create(self.path_of("index.none"))?;
            }
            done => done?,
        }
        step("keep the next index")?;
        second_name(next, &self.path_of("index.new"))
    }

    /// Returns whether the next index has replaced the index.
    pub(super) fn is_index_new(&self, index: &Path) -> bool {
        let read = |path: &Path| std::fs::read(path).ok();
        read(index).is_some_and(|now| read(&self.path_of("index.new")).is_some_and(|new| new == now))
    }

    /// Puts the old index back, if ours stands in its place.
    pub(super) fn restore_index(&self, index: &Path) -> io::Result<()> {
        let read = |path: &Path| match std::fs::read(path) {
            Err(fault) if fault.kind() == io::ErrorKind::NotFound => Ok(None),
            read => read.map(Some),
        };
        let Some(new) = read(&self.path_of("index.new"))? else { return Ok(()) };
        let (old, is_none) = (self.path_of("index.old"), self.path_of("index.none").exists());
        if read(index)?.as_ref() != Some(&new) {
            return Ok(());
        }
        if is_none {
            step("remove the index")?;
            return std::fs::remove_file(index);
        }
        if read(&old)?.is_none_or(|old| old == new) {
            // It is back.
            return Ok(());
        }
        step("put the index back")?;
        match std::fs::rename(&old, index) {
            // On another file system there is no way but to write it anew.
            Err(fault) if fault.raw_os_error() == Some(rustix::io::Errno::XDEV.raw_os_error()) => {
                let draft = super::lock::with_suffix(index, &format!(".llmpatch-{:016x}", self.nonce()));
                std::fs::copy(&old, &draft)?;
                std::fs::rename(&draft, index)
            }
            done => done,
        }
    }

    /// Has a folder that holds something of somebody's outlive us under a name that recovery leaves alone.
    pub(super) fn put_away(&self) -> io::Result<PathBuf> {
        let away = self.folder.with_file_name(format!("kept-{:016x}", self.nonce()));
        step("put the originals away")?;
        std::fs::rename(&self.folder, &away)?;
        self.fate.set(Fate::Stays);
        for entry in std::fs::read_dir(&away).into_iter().flatten().flatten() {
            // Folders that were moved here are empty.
            if !entry.file_name().to_string_lossy().starts_with("original-") {
                let path = entry.path();
                let _ = std::fs::remove_file(&path).or_else(|_| std::fs::remove_dir(&path));
            }
        }
        Ok(away)
    }
}

impl Drop for Journal {
    fn drop(&mut self) {
        if self.fate.get() == Fate::Removed {
            drop(Remove(&self.folder));
        }
    }
}

/// Removes a journal's folder, and that of all journals if it was the only one.
struct Remove<'p>(&'p Path);

impl Drop for Remove<'_> {
    fn drop(&mut self) {
        // The stamp last: without it nobody could tell whose the rest was. What remains nobody reads but recovery.
        for entry in std::fs::read_dir(self.0).into_iter().flatten().flatten() {
            if entry.file_name() != "stamp" {
                let path = entry.path();
                let _ = if path.is_dir() { std::fs::remove_dir_all(&path) } else { std::fs::remove_file(&path) };
            }
        }
        let _ = std::fs::remove_dir_all(self.0);
        if let Some(home) = self.0.parent() {
            // Only if nothing else is in it.
            let _ = std::fs::remove_dir(home);
        }
    }
}

/// Returns the folders of all runs that are there.
pub(super) fn runs(git_folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(home(git_folder)).into_iter().flatten().flatten();
    let is_run = |name: &std::ffi::OsStr| name.len() == 16 && name.to_str().is_some_and(is_number);
    let mut runs: Vec<_> = entries.filter(|entry| is_run(&entry.file_name())).map(|entry| entry.path()).collect();
    runs.sort();
    runs
}

fn is_number(name: &str) -> bool {
    u64::from_str_radix(name, 16).is_ok()
}

/// Returns the folder of a new run.
pub(super) fn new_folder(home: &Path) -> PathBuf {
    home.join(format!("{:016x}", nonce()))
}

/// Gives a file a second name; where there are no hard links, or not from there to here, a copy.
fn second_name(of: &Path, name: &Path) -> io::Result<()> {
    match std::fs::hard_link(of, name) {
        Err(fault) if !matches!(fault.kind(), io::ErrorKind::NotFound | io::ErrorKind::AlreadyExists) => {
            std::fs::copy(of, name).map(|_| ())
        }
        done => done,
    }
}
