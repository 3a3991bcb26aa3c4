//! Whether files that git is to store are in the work tree already: then there is nothing to write
//! there.

use super::index_tree::IndexTree;
use super::objects::blob_id;
use super::work_tree::WorkTree;
use super::{Repo, RepoError};
use llmpatch::path::RepoPath;
use llmpatch::tree::{Entry, File, Obstacle, Tree as _, TreeError};

/// The work tree and the index beside each other.
pub(crate) struct MadeTree<'r> {
    work: WorkTree<'r>,
    index: IndexTree<'r>,
    /// Whether the executable bit on disk means anything (`core.fileMode`).
    trusts_mode: bool,
}

impl<'r> MadeTree<'r> {
    /// Returns what knows whether a change is in the work tree already.
    ///
    /// # Errors
    /// If there is no work tree, or the index can't be read.
    pub(crate) fn new(repo: &'r Repo) -> Result<Self, RepoError> {
        Ok(Self {
            work: WorkTree::new(repo)?,
            index: IndexTree::new(repo)?,
            trusts_mode: repo.config.trusts_mode()?,
        })
    }
}

impl MadeTree<'_> {
    /// Returns whether the work tree has at a path what git would store as a file, or none; and the
    /// index that, or what was before.
    ///
    /// # Errors
    /// If either can't be read.
    pub(crate) fn has(
        &self,
        path: &RepoPath,
        before: Option<&File>,
        after: Option<&File>,
    ) -> Result<bool, TreeError> {
        let entry = self.index.entry(path)?;
        let is_staged = |file: Option<&File>| match (&entry, file) {
            (Some(entry), Some(file)) => {
                let id = blob_id(entry.id().object_format(), file.content.kept());
                (entry.id(), entry.mode()) == (id, file.mode.git())
            }
            (entry, file) => entry.is_none() && file.is_none(),
        };
        if !is_staged(before) && !is_staged(after) {
            return Ok(false);
        }
        let (after, now) = match (after, self.work.read(path)?) {
            (Some(after), Entry::File(now)) if !after.mode.is_link() => (after, now),
            (Some(after), Entry::Other(Obstacle::Link)) if after.mode.is_link() => {
                let link = self.work.link(path)?;
                return Ok(link.is_some_and(|target| target == after.content));
            }
            (None, Entry::Absent | Entry::Beneath { .. } | Entry::Directory) => return Ok(true),
            _ => return Ok(false),
        };
        let indexed = || Ok::<_, RepoError>(entry.as_ref().map(|entry| entry.id()));
        let stored = self.work.conversion.to_git(path, &now.content, indexed);
        let stored = stored.map_err(|error| error.at(path))?;
        let has_mode = !self.trusts_mode || now.mode.executable == after.mode.executable;
        Ok(has_mode && stored.kept() == after.content.kept())
    }
}
