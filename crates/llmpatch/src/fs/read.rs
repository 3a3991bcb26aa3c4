use std::ffi::OsStr;
use std::fs::{self, FileType};
use std::io;
use std::path::{Path, PathBuf};

use bstr::{BString, ByteVec as _};

use super::bits;
use crate::path::RepoPath;
use crate::tree::{CaseTwins, Entry, File, Mode, Obstacle, Tree, TreeError};

/// How many entries of directories are looked at for files to suggest.
const MOST_SUGGESTED: usize = 10_000;

/// The files below a directory, as they are on disk at the time of each read. Links are told, and
/// never followed; what is in a repository of its own isn't read.
#[derive(Debug)]
pub struct DirTree {
    top: PathBuf,
    twins: CaseTwins,
}

impl DirTree {
    /// Makes a tree of what is below a directory.
    pub fn new(top: impl Into<PathBuf>) -> Self {
        Self {
            top: top.into(),
            // As git takes it where it makes a repository.
            twins: CaseTwins::new(cfg!(any(windows, target_vendor = "apple"))),
        }
    }

    /// Returns where a path is on disk.
    pub(super) fn place(&self, path: &RepoPath) -> io::Result<PathBuf> {
        let path = path.to_path().map_err(io::Error::other)?;
        Ok(self.top.join(path))
    }

    fn entry(&self, path: &RepoPath) -> io::Result<Entry> {
        for ancestor in path.ancestors().collect::<Vec<_>>().into_iter().rev() {
            let what = match self.look(&ancestor)? {
                None => return Ok(Entry::Absent),
                Some(kind) if kind.is_file() => None,
                Some(kind) => match obstacle(kind, &self.place(&ancestor)?) {
                    None => continue,
                    what => what,
                },
            };
            return Ok(Entry::Beneath { ancestor, what });
        }
        let place = self.place(path)?;
        Ok(match self.look(path)? {
            None => Entry::Absent,
            Some(kind) if kind.is_file() => Entry::File(file(&place)?),
            Some(kind) => obstacle(kind, &place).map_or(Entry::Directory, Entry::Other),
        })
    }

    fn look(&self, path: &RepoPath) -> io::Result<Option<FileType>> {
        match fs::symlink_metadata(self.place(path)?) {
            Ok(metadata) => Ok(Some(metadata.file_type())),
            Err(error) if is_absence(&error) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Adds the leaves below a directory, the top for `None`, until there are `most` of them.
    fn add_leaves(
        &self,
        directory: Option<&RepoPath>,
        most: usize,
        leaves: &mut Vec<RepoPath>,
    ) -> io::Result<()> {
        for (name, kind) in self.list(directory)? {
            let path = directory.map_or_else(|| RepoPath::new(&name), |above| above.join(&name));
            // What no patch can name, such as `.git`, is no file of the tree.
            let Ok(path) = path else { continue };
            if leaves.len() >= most {
                break;
            }
            if kind.is_dir() && obstacle(kind, &self.place(&path)?).is_none() {
                self.add_leaves(Some(&path), most, leaves)?
            } else {
                leaves.push(path)
            }
        }
        Ok(())
    }

    fn list(&self, directory: Option<&RepoPath>) -> io::Result<Vec<(BString, FileType)>> {
        let place = directory.map_or_else(|| Ok(self.top.clone()), |path| self.place(path))?;
        let entries = match fs::read_dir(place) {
            Ok(entries) => entries,
            Err(error) if is_absence(&error) => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        let named = entries.map(|entry| {
            let entry = entry?;
            Ok((bytes(&entry.file_name()), entry.file_type()?))
        });
        named.collect()
    }
}

impl Tree for DirTree {
    fn read(&self, path: &RepoPath) -> Result<Entry, TreeError> {
        self.entry(path).map_err(of(path))
    }

    fn leaves_below(&self, directory: &RepoPath) -> Result<Vec<RepoPath>, TreeError> {
        let mut leaves = Vec::new();
        self.add_leaves(Some(directory), usize::MAX, &mut leaves)
            .map_err(of(directory))?;
        Ok(leaves)
    }

    fn tracked(&self) -> Vec<RepoPath> {
        let mut leaves = Vec::new();
        match self.add_leaves(None, MOST_SUGGESTED, &mut leaves) {
            Ok(()) => leaves,
            // It is for suggestions alone.
            Err(_) => Vec::new(),
        }
    }

    fn case_twins(&self, path: &RepoPath) -> Result<Vec<RepoPath>, TreeError> {
        self.twins.of(path, |directory| {
            let names = self.list(directory).map_err(of(path))?;
            Ok(names.into_iter().map(|(name, _)| name).collect())
        })
    }

    fn ignores_case(&self) -> bool {
        self.twins.ignores_case
    }
}

fn of(path: &RepoPath) -> impl FnOnce(io::Error) -> TreeError {
    let path = path.clone();
    |source| TreeError::Io { path, source }
}

fn file(place: &Path) -> io::Result<File> {
    let content = fs::read(place)?;
    let bits = bits(&fs::symlink_metadata(place)?);
    let mode = Mode {
        executable: bits.is_some_and(|bits| bits & 0o100 != 0),
        bits,
    };
    Ok(File {
        content: content.into(),
        mode,
    })
}

/// Returns why nothing can be at or below a place that is no regular file; `None` for a directory.
fn obstacle(kind: FileType, place: &Path) -> Option<Obstacle> {
    if kind.is_symlink() {
        return Some(Obstacle::Link);
    }
    if !kind.is_dir() {
        return Some(Obstacle::Special);
    }
    let has_repository = fs::symlink_metadata(place.join(".git")).is_ok();
    has_repository.then_some(Obstacle::Repository)
}

pub(super) fn is_absence(error: &io::Error) -> bool {
    use io::ErrorKind::{NotADirectory, NotFound};
    matches!(error.kind(), NotFound | NotADirectory)
}

fn bytes(name: &OsStr) -> BString {
    Vec::from_os_string(name.to_owned()).map_or_else(
        |name| name.to_string_lossy().as_bytes().into(),
        BString::from,
    )
}
