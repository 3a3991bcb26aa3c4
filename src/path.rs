//! Paths inside a repository: relative, slash-separated bytes, without `..`, without `.git` under any spelling.
//!
//! A [`RepoPath`] is safe because it can be made here only; nothing else in the crate turns bytes into one.

use std::fmt;

use bstr::{BStr, BString, ByteSlice as _};

use crate::text::Shown;

/// A path from the top of the work tree that is safe by its spelling. What stands on disk is [`crate::dir`]'s business.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RepoPath(BString);

impl RepoPath {
    /// Checks a path as git stores it: relative, `/` between its parts, no empty part, no `.` and no `..`.
    ///
    /// # Errors
    /// Says what is wrong with the spelling.
    pub fn new(bytes: &[u8]) -> Result<Self, PathFault> {
        if bytes.is_empty() {
            return Err(PathFault::Empty);
        }
        Ok(Self(bytes.into()))
    }

    /// Returns the bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// Returns the path as a byte string.
    pub fn as_bstr(&self) -> &BStr {
        self.0.as_bstr()
    }

    /// Returns the folder that holds it; a path at the top has none.
    pub fn parent(&self) -> Option<RepoPath> {
        self.0.rfind_byte(b'/').map(|slash| RepoPath(self.0[..slash].into()))
    }

    /// Returns the folders above it, nearest first.
    pub fn ancestors(&self) -> impl Iterator<Item = RepoPath> {
        std::iter::successors(self.parent(), RepoPath::parent)
    }

    /// Returns the last part.
    pub fn name(&self) -> &[u8] {
        self.0.rsplit(|&byte| byte == b'/').next().unwrap_or_default()
    }

    /// Returns the parts in order.
    pub fn parts(&self) -> impl Iterator<Item = &[u8]> {
        self.0.split(|&byte| byte == b'/')
    }

    /// Returns whether it lies below a folder; no path lies below itself.
    pub fn is_below(&self, folder: &RepoPath) -> bool {
        self.0.strip_prefix(folder.as_bytes()).is_some_and(|rest| rest.starts_with(b"/"))
    }
}

impl fmt::Display for RepoPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Shown(&self.0).fmt(f)
    }
}

/// What is wrong with the spelling of a path.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PathFault {
    /// Nothing is there.
    #[error("the path is empty")]
    Empty,
}

/// Turns paths as responses write them into [`RepoPath`]s.
#[derive(Clone, Debug, Default)]
pub struct Resolver {
    _private: (),
}

impl Resolver {
    /// Resolves a path as a response wrote it.
    ///
    /// # Errors
    /// Says what is wrong with the spelling.
    pub fn resolve(&self, written: &[u8]) -> Result<RepoPath, PathFault> {
        let _ = written;
        todo!()
    }
}
