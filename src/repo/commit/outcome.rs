//! What a commit holds in the end, where a hook had a hand in it.

use bstr::BString;
use git2::{Diff, DiffOptions, DiffStats, Oid};
use llmpatch::report::Extent;

use crate::repo::{Repo, RepoError};

impl Repo {
    /// Returns the paths at which two trees differ.
    ///
    /// # Errors
    /// If one of them can't be read.
    pub(crate) fn paths_between(&self, old: Oid, new: Oid) -> Result<Vec<BString>, RepoError> {
        let diff = self
            .between(Some(old), new)
            .map_err(RepoError::git("a commit"))?;
        let paths = diff
            .deltas()
            .map(|delta| delta.new_file().path_bytes().unwrap_or_default().into());
        Ok(paths.collect())
    }

    /// Returns how much a commit changes.
    ///
    /// # Errors
    /// If an object can't be read.
    pub(crate) fn extent_of(&self, commit: Oid) -> Result<Extent, RepoError> {
        let stats = self.stats_of(commit).map_err(RepoError::git("a commit"))?;
        Ok(Extent {
            files: stats.files_changed(),
            added: stats.insertions(),
            removed: stats.deletions(),
        })
    }

    fn stats_of(&self, commit: Oid) -> Result<DiffStats, git2::Error> {
        let commit = self.git2().find_commit(commit)?;
        let parent = commit.parents().next().map(|parent| parent.tree_id());
        let mut diff = self.between(parent, commit.tree_id())?;
        diff.find_similar(None)?;
        diff.stats()
    }

    fn between(&self, old: Option<Oid>, new: Oid) -> Result<Diff<'_>, git2::Error> {
        let old = old.map(|old| self.git2().find_tree(old)).transpose()?;
        let new = self.git2().find_tree(new)?;
        let mut options = DiffOptions::new();
        options.include_typechange(true).indent_heuristic(true);
        self.git2()
            .diff_tree_to_tree(old.as_ref(), Some(&new), Some(&mut options))
    }
}
