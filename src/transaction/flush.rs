//! What must be on the disk before what, should the power go: `llmpatch.fsync`, true if not set.
//!
//! Three times: new contents and originals' names before the manifest, the manifest before the
//! first visible change, and all of that before the manifest's end. A whole file system is flushed
//! at once where the system can do that, for what is much cheaper than file by file; each call
//! costs a few milliseconds at most where nothing else is written.

use std::collections::BTreeSet;
use std::fs::File;
use std::io;

use super::error::TransactionError;
use super::manifest::Manifest;
use crate::dir::Dir;
use crate::dir::write;
use crate::repo::{Config, Repo};
use llmpatch::path::RepoPath;
use llmpatch::progress::{Progress, Stage};

/// Whether to wait for the disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flush {
    /// Yes, so that not even a loss of power tears a change.
    Always,
    /// No; a killed process still tears nothing.
    Never,
}

impl Flush {
    pub(super) fn from_config(config: &Config) -> Result<Self, crate::repo::RepoError> {
        Ok(if config.fsync()? {
            Flush::Always
        } else {
            Flush::Never
        })
    }

    /// Waits until a file is on the disk.
    pub(super) fn file(self, file: &File) -> io::Result<()> {
        if self == Flush::Never {
            Ok(())
        } else {
            write::flush(file)
        }
    }

    /// Sees to it that a new file is on the disk once everything is flushed.
    pub(super) fn content(self, file: &File) -> io::Result<()> {
        if self == Flush::Never {
            Ok(())
        } else {
            write::hand_over(file)
        }
    }

    /// Waits until the names in directories are on the disk.
    pub(super) fn directories(self, directories: &[&Dir]) -> io::Result<()> {
        if self == Flush::Never {
            Ok(())
        } else {
            directories
                .iter()
                .try_for_each(|directory| directory.flush())
        }
    }

    /// Waits until all that was written for a change is on the disk: to the git directory, to that
    /// of the index, and to every file system that the work tree has a path of it on.
    pub(super) fn everything_of(
        self,
        repo: &Repo,
        manifest: &Manifest,
        progress: &Progress,
    ) -> Result<(), TransactionError> {
        progress.enter(Stage::Flushing, 0);
        if self == Flush::Never {
            return Ok(());
        }
        let mut devices = BTreeSet::new();
        let mut flush = |dir: &Dir, directory: Option<&RepoPath>| match dir.device(directory) {
            Ok(device) if devices.insert(device) => dir.flush_file_system(directory),
            // What isn't there any more, or not yet, has nothing to flush.
            _ => Ok(()),
        };
        let index = repo.index_path();
        let flushed = Dir::open(repo.git_dir())
            .and_then(|git| flush(&git, None))
            .and_then(|()| {
                let above = index
                    .parent()
                    .filter(|above| !repo.git_dir().starts_with(above))
                    .map(Dir::open);
                above
                    .transpose()?
                    .map_or(Ok(()), |above| flush(&above, None))
            });
        let flushed = flushed.and_then(|()| {
            let Some(dir) = (!manifest.touched.is_empty()).then(|| repo.dir()) else {
                return Ok(());
            };
            let dir = dir.map_err(io::Error::other)?;
            flush(dir, None)?;
            let mut above: Vec<_> = manifest
                .touched
                .iter()
                .filter_map(|touched| touched.path.parent())
                .collect();
            above.dedup();
            above
                .iter()
                .try_for_each(|directory| flush(dir, Some(directory)))
        });
        flushed.map_err(TransactionError::io("flush", "the change"))
    }
}
