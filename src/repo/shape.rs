//! Indexes of shapes that libgit2 can't read (split, sparse) or doesn't keep (with an untracked cache or what a monitor told): git makes plain ones of
//! copies of them, and gives what is written the same shape again.

use std::fs;
use std::io::{self, Read as _};
use std::path::Path;

use bstr::ByteSlice as _;
use git2::{Index, ObjectFormat};

use super::git::{Git, temporary};
use super::{Repo, RepoError};

/// What an index has beside its entries that git keeps.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Shape {
    split: bool,
    sparse: bool,
    untracked: bool,
    monitored: bool,
}

impl Shape {
    /// Reads which shape a file has.
    ///
    /// # Errors
    /// If it can't be read.
    pub(super) fn of(file: &Path) -> io::Result<Self> {
        let bytes = match fs::read(file) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            bytes => bytes?,
        };
        let has = |name: &[u8; 4]| bytes.find_iter(name).any(|at| is_extension(&bytes, at));
        Ok(Self { split: has(b"link"), sparse: has(b"sdir"), untracked: has(b"UNTR"), monitored: has(b"FSMN") })
    }

    /// Returns whether libgit2 can't read it.
    fn is_odd(self) -> bool {
        self.split || self.sparse
    }

    /// Has git make a plain index of a copy.
    ///
    /// # Errors
    /// If git says no.
    pub(super) fn flatten(self, git: &Git, copy: &Path) -> Result<(), RepoError> {
        let options =
            ["-c", "index.sparse=false", "-c", "core.splitIndex=false", "-c", "advice.sparseIndexExpanded=false"];
        match self.is_odd() {
            true => rewrite(git, copy, &options, "--no-split-index"),
            false => Ok(()),
        }
    }

    /// Has git give a plain index this shape.
    ///
    /// # Errors
    /// If git says no.
    pub(super) fn restore(self, git: &Git, index: &Path) -> Result<(), RepoError> {
        if self.split {
            rewrite(git, index, &[], "--split-index")?;
        }
        if self.untracked {
            rewrite(git, index, &["-c", "core.untrackedCache=true"], "--untracked-cache")?;
        }
        if self.monitored {
            // What it told of each file is for it to tell anew, if it still can.
            let _ = rewrite(git, index, &[], "--fsmonitor");
        }
        if self.sparse && !self.split && !self.untracked && !self.monitored {
            rewrite(git, index, &[], "--no-split-index")?;
        }
        Ok(())
    }
}

impl Repo {
    /// Returns the index in use, to be read.
    ///
    /// # Errors
    /// If neither libgit2 nor git can read it.
    pub(super) fn index(&self) -> Result<Index, RepoError> {
        self.check_objects()?;
        match self.plain_index() {
            Err(RepoError::Unsupported { .. }) => open(&Git::new(self), self.index_path(), self.git2().object_format()),
            opened => opened,
        }
    }
}

/// Opens an index of any shape, to be read.
///
/// # Errors
/// If neither libgit2 nor git can read it.
pub(super) fn open(git: &Git, file: &Path, format: ObjectFormat) -> Result<Index, RepoError> {
    match open_plain(file, format) {
        Err(RepoError::Unsupported { .. }) => {}
        opened => return opened,
    }
    let failed = |source| RepoError::Io { what: file.as_os_str().as_encoded_bytes().into(), source };
    let directory = temporary()?;
    let copy = directory.path().join("index");
    fs::copy(file, &copy).map_err(failed)?;
    Shape::of(&copy).map_err(failed)?.flatten(git, &copy)?;
    open_plain(&copy, format)
}

/// Opens an index that libgit2 can read; an empty one where there is no such file.
///
/// # Errors
/// If it can't be read whole.
pub(super) fn open_plain(file: &Path, format: ObjectFormat) -> Result<Index, RepoError> {
    let failed = |source| RepoError::Io { what: file.as_os_str().as_encoded_bytes().into(), source };
    let index = Index::open_ext(file, format).map_err(RepoError::index)?;
    // libgit2 takes a file that it can't look at for none, and its index for an empty one: every entry would be lost.
    match entry_count(file).map_err(failed)? {
        Some(count) if count != index.len() => Err(failed(io::Error::other("the index can't be read whole"))),
        _ => Ok(index),
    }
}

/// Returns how many entries an index says that it has; `None` if there is no such file, or too little of it.
fn entry_count(file: &Path) -> io::Result<Option<usize>> {
    let mut header = Vec::new();
    match fs::File::open(file) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        file => drop(file?.take(12).read_to_end(&mut header)?),
    }
    let count = header.get(8..12).and_then(|count| <[u8; 4]>::try_from(count).ok());
    Ok(count.and_then(|count| usize::try_from(u32::from_be_bytes(count)).ok()))
}

fn rewrite(git: &Git, file: &Path, options: &[&str], shape: &str) -> Result<(), RepoError> {
    let args = [options, &["update-index", shape, "--force-write-index"]].concat();
    let output = git.run(git.command(args).env("GIT_INDEX_FILE", file), b"")?;
    match output.status.success() {
        true => Ok(()),
        false => Err(RepoError::Child { command: "update-index".into(), message: output.stderr.trim().into() }),
    }
}

/// Returns whether an extension begins here: from it on, one after the other, they reach to the hash at the end.
fn is_extension(index: &[u8], mut at: usize) -> bool {
    loop {
        let (Some(name), Some(length)) = (index.get(at..at + 4), index.get(at + 4..at + 8)) else { return false };
        let length = <[u8; 4]>::try_from(length).map_or(0, u32::from_be_bytes);
        let Some(next) = usize::try_from(length).ok().and_then(|length| at.checked_add(8 + length)) else {
            return false;
        };
        if !name.iter().all(u8::is_ascii_alphabetic) || next > index.len() {
            return false;
        }
        // The hash is SHA-1's or SHA-256's.
        if [20, 32].contains(&(index.len() - next)) {
            return true;
        }
        at = next;
    }
}
