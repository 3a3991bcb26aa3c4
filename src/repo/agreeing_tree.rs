//! The work tree and the index as one place to plan for, which they are only where they agree.
//!
//! Agreement is a matter of content and mode, never of times: a file that was merely touched
//! agrees. It is asked of the paths that change, and of no others. What is said of a path is what
//! is on disk; where only the index knows it, that.

use super::directories::{Directories, TreePlace};
use super::index_record::Record;
use super::index_tree::IndexTree;
use super::objects::{blob_id, leaf, obstacle};
use super::revision_tree::leaves_of;
use super::rules::Consult;
use super::work_tree::WorkTree;
use super::{Conversion, Repo, RepoError, history};
use crate::dir::Found;
use llmpatch::path::RepoPath;
use llmpatch::tree::{Disagreement, Entry, File, Gone, Tree, TreeError};

/// What the work tree must agree with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Against {
    /// The index: `--index`.
    Index,
    /// The index, and the index with `HEAD`: `--commit`.
    IndexAndHead,
}

/// The work tree and the index together.
#[derive(Debug)]
pub struct AgreeingTree<'r> {
    repo: &'r Repo,
    work: WorkTree<'r>,
    index: IndexTree<'r>,
    /// The commit that the index must agree with too; `Some(None)` where there is none yet.
    head: Option<Option<Directories<'r>>>,
    /// Whether the executable bit on disk means anything (`core.fileMode`).
    trusts_mode: bool,
}

impl<'r> AgreeingTree<'r> {
    /// Returns work tree and index as one, for changes of both.
    ///
    /// # Errors
    /// If there is no work tree, or the index can't be read.
    pub fn new(repo: &'r Repo, against: Against) -> Result<Self, RepoError> {
        let head = match against {
            Against::Index => None,
            Against::IndexAndHead => {
                Some(history::head_tree(repo)?.map(|tree| Directories::new(repo, tree)))
            }
        };
        Ok(Self {
            repo,
            work: WorkTree::with(repo, Conversion::new(repo, Consult::Index)?)?,
            index: IndexTree::new(repo)?,
            head,
            trusts_mode: repo.config.trusts_mode()?,
        })
    }

    /// Checks that the index has what `HEAD` has. That holds for what is in a new path's way too: a
    /// file that only `HEAD` has left where a directory is to be, or the other way round, would
    /// silently vanish with the commit.
    fn confirm_head(&self, path: &RepoPath, entry: Option<&Record<'_>>) -> Result<(), TreeError> {
        let agrees = match &self.head {
            None => true,
            Some(None) => entry.is_none(),
            Some(Some(directories)) => match directories.find(path)? {
                TreePlace::Leaf { id, mode } => {
                    entry.is_some_and(|entry| entry.id() == id && kind(entry.mode()) == kind(mode))
                }
                TreePlace::Absent => entry.is_none(),
                TreePlace::Beneath { ancestor, .. } => {
                    entry.is_none() && self.index.entry(&ancestor)?.is_some()
                }
                TreePlace::Directory(id) => {
                    let committed = leaves_of(directories, id, path)?;
                    let staged = self.index.leaves_below(path)?;
                    entry.is_none() && committed.iter().all(|leaf| staged.contains(leaf))
                }
            },
        };
        let how = Disagreement::IndexFromHead;
        if agrees {
            Ok(())
        } else {
            Err(TreeError::Disagrees {
                path: path.clone(),
                how,
            })
        }
    }

    /// Returns whether a file on disk is what an entry of the index says.
    fn is_same(&self, path: &RepoPath, file: &File, entry: &Record<'_>) -> Result<bool, TreeError> {
        if obstacle(entry.mode()).is_some() || (entry.mode() & 0o100 != 0) != file.mode.executable {
            return Ok(false);
        }
        let stored = self
            .work
            .conversion
            .to_git(path, &file.content, || Ok(Some(entry.id())));
        let stored = stored.map_err(|error| error.at(path))?;
        Ok(blob_id(entry.id().object_format(), &stored) == entry.id())
    }
}

/// Returns what git looks at in a mode: what it is, and whether it may be executed.
fn kind(mode: u32) -> u32 {
    mode & 0o170100
}

impl Tree for AgreeingTree<'_> {
    fn below(&self) -> Option<&dyn Tree> {
        Some(&self.work)
    }

    fn read(&self, path: &RepoPath) -> Result<Entry, TreeError> {
        let entry = self.index.entry(path)?;
        match (self.work.read(path)?, entry) {
            (Entry::File(mut file), Some(entry)) if !self.trusts_mode => {
                file.mode.executable = entry.mode() & 0o100 != 0;
                Ok(Entry::File(file))
            }
            (Entry::Absent, Some(entry)) => leaf(
                self.repo,
                &self.work.conversion,
                path,
                entry.id(),
                entry.mode(),
            ),
            (Entry::Absent, None) => Ok(self.index.around(path)),
            (on_disk, _) => Ok(on_disk),
        }
    }

    fn leaves_below(&self, directory: &RepoPath) -> Result<Vec<RepoPath>, TreeError> {
        let mut leaves = match self.work.read(directory)? {
            Entry::Directory => self.work.leaves_below(directory)?,
            _ => Vec::new(),
        };
        leaves.extend(self.index.leaves_below(directory)?);
        leaves.sort();
        leaves.dedup();
        Ok(leaves)
    }

    fn tracked(&self) -> Vec<RepoPath> {
        self.index.tracked()
    }

    fn gone(&self, path: &RepoPath) -> Option<Gone> {
        self.index.gone(path)
    }

    fn case_twins(&self, path: &RepoPath) -> Result<Vec<RepoPath>, TreeError> {
        let mut twins = self.work.case_twins(path)?;
        twins.extend(self.index.case_twins(path)?);
        twins.sort();
        twins.dedup();
        Ok(twins)
    }

    fn confirm(&self, path: &RepoPath, before: Option<&File>) -> Result<(), TreeError> {
        self.work.confirm(path, before)?;
        let is_there = match self.work.look(path) {
            Ok(found) => !matches!(found, Found::Absent | Found::Beneath { .. }),
            Err(source) => {
                return Err(TreeError::Io {
                    path: path.clone(),
                    source,
                });
            }
        };
        let entry = self.index.entry(path)?;
        let is_left_out = self.index.is_left_out(path);
        if let Some(file) = before
            && (is_there || !is_left_out)
        {
            let Some(entry) = &entry else {
                return disagrees(path, Disagreement::Untracked);
            };
            if !is_there {
                return disagrees(path, Disagreement::MissingInWorkTree);
            }
            if !self.is_same(path, file, entry)? {
                let how = if is_left_out {
                    Disagreement::Skipped
                } else {
                    Disagreement::WorkTreeFromIndex
                };
                return disagrees(path, how);
            }
        }
        self.confirm_head(path, entry.as_ref())
    }
}

fn disagrees(path: &RepoPath, how: Disagreement) -> Result<(), TreeError> {
    let path = path.clone();
    Err(TreeError::Disagrees { path, how })
}
