//! A folder of our own in the repository's git folder, for what must not lie in the work tree: `llmpatch/<number>`.
//!
//! It is made when first needed and is gone afterwards, unless something in it must not be lost.

use std::cell::Cell;
use std::io;
use std::path::{Path, PathBuf};

use super::fault::Fault;
use super::lock::path_bytes;
use crate::dir::Dir;
use crate::dir::write::step;
use crate::path::RepoPath;

/// The folder. Dropping it removes it and all in it.
#[derive(Debug)]
pub(super) struct Store {
    dir: Dir,
    folder: Folder,
    count: Cell<u32>,
}

#[derive(Debug)]
struct Folder {
    path: PathBuf,
    kept: Cell<bool>,
}

impl Store {
    /// Makes the folder.
    pub(super) fn make(git_folder: &Path, nonce: u64) -> Result<Self, Fault> {
        let home = git_folder.join("llmpatch");
        // From here on whatever was made goes, even if not all of it was.
        let folder = Folder { path: home.join(format!("{nonce:016x}")), kept: Cell::new(false) };
        let make = || -> io::Result<Dir> {
            step("make the store")?;
            match std::fs::create_dir(&home) {
                Err(fault) if fault.kind() != io::ErrorKind::AlreadyExists => return Err(fault),
                _ => {}
            }
            step("make the store's folder")?;
            std::fs::create_dir(&folder.path)?;
            Dir::open(&folder.path)
        };
        match make() {
            Ok(dir) => Ok(Self { dir, folder, count: Cell::new(0) }),
            Err(source) => Err(Fault::Io { doing: "make the folder", path: path_bytes(&folder.path), source }),
        }
    }

    /// Returns a handle on the folder.
    pub(super) fn dir(&self) -> &Dir {
        &self.dir
    }

    /// Returns where it is.
    pub(super) fn path(&self) -> &Path {
        &self.folder.path
    }

    /// Returns where something in it is.
    pub(super) fn path_of(&self, name: &RepoPath) -> PathBuf {
        use std::os::unix::ffi::OsStrExt as _;
        self.folder.path.join(std::ffi::OsStr::from_bytes(name.as_bytes()))
    }

    /// Returns a name in it that nothing has.
    pub(super) fn free_name(&self) -> RepoPath {
        self.count.set(self.count.get() + 1);
        RepoPath::new(format!("original-{}", self.count.get()).as_bytes()).expect("the name is plain")
    }

    /// Has what is in it outlive us.
    pub(super) fn keep(&self) {
        self.folder.kept.set(true);
    }

    /// Returns the folder if it outlives us.
    pub(super) fn kept(&self) -> Option<PathBuf> {
        self.folder.kept.get().then(|| self.folder.path.clone())
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if self.kept.get() {
            return;
        }
        // What remains is in a folder of ours that nothing reads: no reason to fail for.
        let _ = std::fs::remove_dir_all(&self.path);
        if let Some(home) = self.path.parent() {
            // Only if nothing else is in it.
            let _ = std::fs::remove_dir(home);
        }
    }
}
