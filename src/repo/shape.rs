//! Indexes of shapes that only git understands (split, sparse) or keeps (with an untracked cache or
//! what a monitor told): git makes plain copies of them, and gives what is written the same shape
//! again.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;
use std::time::{Duration, SystemTime};

use super::git::{Git, checked, temporary};
use super::index_file::{Fingerprint, IndexFile};
use super::{Repo, RepoError};
use llmpatch::path::RepoPath;

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
    fn is_odd(self) -> bool {
        self.split || self.sparse
    }

    /// Runs git to make a plain index of a copy.
    ///
    /// # Errors
    /// If git refuses.
    fn flatten(git: &Git, copy: &Path) -> Result<(), RepoError> {
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

impl Repo {
    /// Returns the index in use.
    ///
    /// # Errors
    /// If it can't be read.
    pub(super) fn index(&self) -> Result<IndexFile, RepoError> {
        self.index_and_shape().map(|(index, _)| index)
    }

    /// Returns the index in use, and which shape it has. It is read once, as long as its file holds
    /// the same.
    ///
    /// # Errors
    /// If it can't be read.
    pub(super) fn index_and_shape(&self) -> Result<(IndexFile, IndexExtras), RepoError> {
        let file = self.index_path();
        let now =
            Fingerprint::of(file, self.git2().object_format()).map_err(RepoError::read(file))?;
        if let Some((then, index, shape)) = &*self.index.borrow()
            && now.as_ref() == Some(then)
        {
            return Ok((index.clone(), *shape));
        }
        let (index, shape) = self.index_at(file)?;
        *self.index.borrow_mut() = now.map(|now| (now, index.clone(), shape));
        Ok((index, shape))
    }

    /// Returns whether bytes are an index, whatever its shape.
    pub(crate) fn is_index(&self, bytes: &[u8]) -> bool {
        IndexFile::is_one(bytes, self.git2().object_format())
    }

    /// Returns mode and blob of each path that has an entry and is in no merge; outside of a
    /// repository no path has.
    ///
    /// # Errors
    /// If the index can't be read.
    pub(super) fn entries_at(
        &self,
        paths: &[RepoPath],
    ) -> Result<BTreeMap<RepoPath, (u32, git2::Oid)>, RepoError> {
        if paths.is_empty() || self.top_without_repository().is_some() {
            return Ok(BTreeMap::new());
        }
        let index = self.index()?;
        let entries = paths.iter().filter_map(|path| {
            let entry = index.get(path.as_bytes(), 0)?;
            Some((path.clone(), (entry.mode(), entry.id())))
        });
        Ok(entries.collect())
    }

    /// Reads an index, and which shape it has; an empty index where there is no file.
    ///
    /// # Errors
    /// If neither we nor git can read it.
    pub(super) fn index_at(&self, file: &Path) -> Result<(IndexFile, IndexExtras), RepoError> {
        self.check_objects()?;
        let format = self.git2().object_format();
        let failed = RepoError::read(file);
        let index = IndexFile::read(file, format).map_err(failed)?;
        let shape = index.shape();
        if !shape.is_odd() {
            return Ok((index, shape));
        }
        let directory = temporary()?;
        let bytes = fs::read(file).map_err(failed)?;
        let copy = directory.write("index", &bytes).map_err(failed)?;
        IndexExtras::flatten(&Git::new(self), &copy)?;
        Ok((IndexFile::read(&copy, format).map_err(failed)?, shape))
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
