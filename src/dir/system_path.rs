use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::system::OsStrExt as _;
use llmpatch::path::RepoPath;

/// A path as the system's calls take it. That of a [`RepoPath`] is relative to the work tree's top,
/// not to the current directory.
pub trait SystemPath {
    /// Returns the path.
    fn as_path(&self) -> &Path;
}

impl SystemPath for RepoPath {
    fn as_path(&self) -> &Path {
        self.as_bytes().as_path()
    }
}

impl SystemPath for [u8] {
    fn as_path(&self) -> &Path {
        Path::new(OsStr::from_bytes(self))
    }
}

impl SystemPath for PathBuf {
    fn as_path(&self) -> &Path {
        self
    }
}

/// What has a name and no path, such as the index.
impl SystemPath for str {
    fn as_path(&self) -> &Path {
        Path::new(self)
    }
}

impl SystemPath for Path {
    fn as_path(&self) -> &Path {
        self
    }
}
