use std::io;

use super::{Entry, File, Mode, Tree, TreeError};
use crate::path::RepoPath;

/// The files that a function reads: the bytes at a path, and `None` where there is no file. What
/// else there is isn't known.
///
/// ```
/// use llmpatch::{Options, apply, tree::ReadTree};
///
/// let files = ReadTree::new(|path| Ok((path.as_bytes() == b"a.txt").then(|| "old\n".into())));
/// let response = "*** Begin Patch\n*** Update File: a.txt\n-old\n+new\n*** End Patch\n";
/// assert!(apply("response", response, &files, &Options::default()).is_ok());
/// ```
pub struct ReadTree<F>(F);

impl<F: Fn(&RepoPath) -> io::Result<Option<Vec<u8>>>> ReadTree<F> {
    /// Makes a tree of the function.
    pub fn new(read: F) -> Self {
        Self(read)
    }

    fn bytes(&self, path: &RepoPath) -> Result<Option<Vec<u8>>, TreeError> {
        self.0(path).map_err(|source| TreeError::Io {
            path: path.clone(),
            source,
        })
    }
}

impl<F: Fn(&RepoPath) -> io::Result<Option<Vec<u8>>>> Tree for ReadTree<F> {
    fn read(&self, path: &RepoPath) -> Result<Entry, TreeError> {
        if let Some(bytes) = self.bytes(path)? {
            return Ok(Entry::File(File {
                content: bytes.into(),
                mode: Mode::PLAIN,
            }));
        }
        for ancestor in path.ancestors() {
            if self.bytes(&ancestor)?.is_some() {
                let what = None;
                return Ok(Entry::Beneath { ancestor, what });
            }
        }
        Ok(Entry::Absent)
    }
}
