//! Indexes of shapes that only git understands (split, sparse) or keeps (with an untracked cache or
//! what a monitor told): git makes plain copies of them, and gives what is written the same shape
//! again.

use std::fs;
use std::io;
use std::path::Path;
use std::time::{Duration, SystemTime};

use super::RepoError;
use super::git::{Git, checked};

/// What an index has beside its entries that git keeps.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct IndexExtras {
    pub(super) split: bool,
    pub(super) sparse: bool,
    pub(super) untracked: bool,
    pub(super) monitored: bool,
}

impl IndexExtras {
    /// Returns whether its entries are all git's to understand.
    pub(super) fn is_odd(self) -> bool {
        self.split || self.sparse
    }

    /// Runs git to make a plain index of a copy.
    ///
    /// # Errors
    /// If git refuses.
    pub(super) fn flatten(git: &Git, copy: &Path) -> Result<(), RepoError> {
        let options = [
            "-c",
            "index.sparse=false",
            "-c",
            "core.splitIndex=false",
            "-c",
            "advice.sparseIndexExpanded=false",
        ];
        rewrite(git, copy, &options, "--no-split-index")
    }

    /// Runs git to give a plain index this shape.
    ///
    /// # Errors
    /// If git refuses.
    pub(super) fn restore(self, git: &Git, index: &Path) -> Result<(), RepoError> {
        if self.split {
            rewrite(git, index, &[], "--split-index")?;
        }
        if self.untracked {
            rewrite(
                git,
                index,
                &["-c", "core.untrackedCache=true"],
                "--untracked-cache",
            )?;
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

/// Runs git to write a file anew. Who wrote it has looked at the files that are as new as it is
/// (`racy`); so git, which would filter them all once more, is shown an index of tomorrow. What it
/// writes is as old as what it read: who reads it later looks at whatever was written meanwhile.
fn rewrite(git: &Git, file: &Path, options: &[&str], shape: &str) -> Result<(), RepoError> {
    let failed = RepoError::write("index");
    let written = fs::metadata(file)
        .and_then(|seen| seen.modified())
        .map_err(failed)?;
    set_modified(file, SystemTime::now() + DAY).map_err(failed)?;
    // A copy is no hook's business.
    let quietly = ["-c", "core.hooksPath=/dev/null"];
    let words = ["update-index", shape, "--force-write-index"];
    let args = [&quietly, options, &words].concat();
    checked(
        git.command(args).env("GIT_INDEX_FILE", file),
        "update-index",
        b"",
    )?;
    set_modified(file, written).map_err(failed)
}

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

fn set_modified(file: &Path, time: SystemTime) -> io::Result<()> {
    fs::File::options()
        .write(true)
        .open(file)?
        .set_modified(time)
}
