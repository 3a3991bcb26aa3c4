//! Makes a change of files on disk, or puts back what it made.

use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::read::{DirTree, is_absence};
use super::{bits, set_mode};
use crate::path::RepoPath;
use crate::plan::{Change, ChangeSet};
use crate::tree::{Entry, File, Tree as _};

/// Why a change wasn't made.
#[derive(Debug)]
pub struct WriteError {
    /// The path at which it failed.
    pub path: RepoPath,
    /// What went wrong there.
    pub source: io::Error,
    /// The paths that couldn't be put back; none: everything is as it was.
    pub left: Vec<RepoPath>,
}

impl fmt::Display for WriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "can't change `{}`: {}", self.path, self.source)?;
        for path in &self.left {
            write!(f, "; `{path}` couldn't be put back")?;
        }
        Ok(())
    }
}

impl std::error::Error for WriteError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.source)
    }
}

impl From<WriteError> for io::Error {
    fn from(error: WriteError) -> Self {
        io::Error::new(error.source.kind(), error)
    }
}

impl ChangeSet {
    /// Makes the change in the files below a directory: each file by a temporary file and a rename,
    /// and if one fails, those before it are put back. No link is followed or replaced, and a file
    /// that isn't what it was when the change was worked out is left alone. Directories are made as
    /// they are needed, and go when nothing is left in them. Permission bits are kept.
    ///
    /// The temporary files are in a directory `.llmpatch-…` below `top`, which goes at the end. Only
    /// with the feature `fs`; its module says what this doesn't do.
    ///
    /// # Errors
    /// If the change wasn't made.
    pub fn write_in(&self, top: impl AsRef<Path>) -> Result<(), WriteError> {
        let top = top.as_ref();
        let tree = DirTree::new(top);
        for change in self {
            confirm(&tree, self, change).map_err(|source| failed(change, source))?;
        }
        let Some(first) = self.iter().next() else {
            return Ok(());
        };
        let named = tempfile::Builder::new()
            .prefix(".llmpatch-")
            .tempdir_in(top);
        let beside = named.map_err(|source| failed(first, source))?;
        let mut writing = Writing::new(&tree, beside.path().to_owned());
        let made = writing.stage_all(self).and_then(|()| writing.make(self));
        made.map_err(|(change, source)| {
            let left = writing.put_back();
            if !left.is_empty() {
                // What they were is in there.
                let _ = beside.keep();
            }
            WriteError {
                left,
                ..failed(change, source)
            }
        })
    }
}

fn failed(change: &Change, source: io::Error) -> WriteError {
    WriteError {
        path: change.path.clone(),
        source,
        left: Vec::new(),
    }
}

/// Checks that a path holds what the change was worked out from.
fn confirm(tree: &DirTree, changes: &ChangeSet, change: &Change) -> io::Result<()> {
    let now = tree.read(&change.path).map_err(io::Error::other)?;
    let is_same = match (&change.before, &now) {
        (None, Entry::Absent | Entry::Directory) => true,
        (
            None,
            Entry::Beneath {
                ancestor,
                what: None,
            },
        ) => changes.removes(ancestor),
        (Some(before), Entry::File(now)) => before.content == now.content,
        _ => false,
    };
    if is_same {
        Ok(())
    } else {
        Err(io::Error::other(
            "it isn't what it was when the change was worked out",
        ))
    }
}

/// A change of a path, and why it wasn't made.
type Failed<'w> = (&'w Change, io::Error);

/// A change that is being made.
pub(super) struct Writing<'w> {
    tree: &'w DirTree,
    /// Where the new files are before they are in place, and the old ones afterwards.
    beside: PathBuf,
    /// What can be put back, in the order in which it was done.
    done: Vec<Step<'w>>,
}

/// What was done.
enum Step<'w> {
    /// An original lies beside.
    TookAway {
        path: &'w RepoPath,
        original: PathBuf,
    },
    /// A file is where none was.
    Made {
        path: &'w RepoPath,
    },
    MadeDirectory(PathBuf),
    RemovedDirectory(PathBuf),
}

impl<'w> Writing<'w> {
    pub(super) fn new(tree: &'w DirTree, beside: PathBuf) -> Self {
        Self {
            tree,
            beside,
            done: Vec::new(),
        }
    }

    /// Writes all new files, beside their places.
    pub(super) fn stage_all(&self, changes: &'w ChangeSet) -> Result<(), Failed<'w>> {
        for (number, change) in changes.iter().enumerate() {
            if let Some(file) = &change.after {
                self.stage(number, change, file)
                    .map_err(|error| (change, error))?;
            }
        }
        Ok(())
    }

    /// Puts them in their places, and takes away what goes.
    pub(super) fn make(&mut self, changes: &'w ChangeSet) -> Result<(), Failed<'w>> {
        let all = changes.iter().enumerate();
        // What goes may be in the way of what comes.
        for (number, change) in all.clone().filter(|(_, change)| change.after.is_none()) {
            self.remove(number, &change.path)
                .map_err(|error| (change, error))?;
        }
        for (number, change) in all.filter(|(_, change)| change.after.is_some()) {
            self.put(number, change).map_err(|error| (change, error))?;
        }
        Ok(())
    }

    pub(super) fn new_file(&self, number: usize) -> PathBuf {
        self.beside.join(format!("new-{number}"))
    }

    fn original(&self, number: usize) -> PathBuf {
        self.beside.join(format!("old-{number}"))
    }

    fn stage(&self, number: usize, change: &Change, new: &File) -> io::Result<()> {
        let mut file = fs::File::create_new(self.new_file(number))?;
        io::Write::write_all(&mut file, &new.content)?;
        let mut mode = new.mode;
        let executable = change.before.as_ref().map(|before| before.mode.executable);
        if mode.bits.is_none() && executable == Some(mode.executable) {
            // Where the change was worked out nothing was known of them.
            mode.bits = bits(&fs::symlink_metadata(self.tree.place(&change.path)?)?);
        }
        set_mode(&file, mode)
    }

    fn remove(&mut self, number: usize, path: &'w RepoPath) -> io::Result<()> {
        let (place, original) = (self.tree.place(path)?, self.original(number));
        fs::rename(&place, &original)?;
        self.done.push(Step::TookAway { path, original });
        for above in path.ancestors() {
            let directory = self.tree.place(&above)?;
            if fs::remove_dir(&directory).is_err() {
                break;
            }
            self.done.push(Step::RemovedDirectory(directory));
        }
        Ok(())
    }

    fn put(&mut self, number: usize, change: &'w Change) -> io::Result<()> {
        let path = &change.path;
        let place = self.tree.place(path)?;
        self.make_directories(path)?;
        if change.before.is_some() {
            let original = self.original(number);
            // A second name, or where the file system has none, a copy: the file is never missing.
            fs::hard_link(&place, &original).or_else(|_| fs::copy(&place, &original).map(drop))?;
            self.done.push(Step::TookAway { path, original });
        } else {
            match fs::symlink_metadata(&place) {
                // Emptied by this change, or a directory of directories.
                Ok(found) if found.is_dir() => {
                    fs::remove_dir(&place)?;
                    self.done.push(Step::RemovedDirectory(place.clone()));
                }
                Ok(_) => return Err(io::ErrorKind::AlreadyExists.into()),
                Err(error) if is_absence(&error) => {}
                Err(error) => return Err(error),
            }
            self.done.push(Step::Made { path });
        }
        fs::rename(self.new_file(number), place)
    }

    fn make_directories(&mut self, path: &RepoPath) -> io::Result<()> {
        for above in path.ancestors().collect::<Vec<_>>().into_iter().rev() {
            let directory = self.tree.place(&above)?;
            match fs::create_dir(&directory) {
                Ok(()) => self.done.push(Step::MadeDirectory(directory)),
                Err(_) if fs::symlink_metadata(&directory)?.is_dir() => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Takes back what was done, the last step first; returns the paths with which that failed.
    pub(super) fn put_back(&mut self) -> Vec<RepoPath> {
        let mut left = Vec::new();
        while let Some(step) = self.done.pop() {
            let (path, done) = match &step {
                Step::TookAway { path, original } => {
                    let place = self.tree.place(path);
                    (
                        Some(*path),
                        place.and_then(|place| fs::rename(original, place)),
                    )
                }
                Step::Made { path } => {
                    let place = self.tree.place(path);
                    (Some(*path), place.and_then(fs::remove_file))
                }
                Step::MadeDirectory(directory) => (None, fs::remove_dir(directory)),
                Step::RemovedDirectory(directory) => (None, fs::create_dir(directory)),
            };
            if let (Some(path), Err(error)) = (path, done)
                && !(matches!(step, Step::Made { .. }) && is_absence(&error))
            {
                left.push(path.clone());
            }
        }
        left
    }
}
