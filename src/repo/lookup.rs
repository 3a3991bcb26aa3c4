//! What the index in use has at some paths: read by libgit2, or, where that can't read it (split, sparse), by git.

use std::collections::BTreeMap;

use bstr::ByteSlice as _;

use super::git::Git;
use super::objects::whole_id;
use super::{Repo, RepoError};
use crate::path::RepoPath;

impl Repo {
    /// Returns mode and blob of each path that has an entry and is in no merge.
    ///
    /// # Errors
    /// If neither can read the index.
    pub(super) fn entries_at(&self, paths: &[RepoPath]) -> Result<BTreeMap<RepoPath, (u32, git2::Oid)>, RepoError> {
        if paths.is_empty() {
            return Ok(BTreeMap::new());
        }
        match self.plain_index() {
            Ok(index) => {
                let entry = |path: &RepoPath| index.get_path(path.as_path(), 0).map(|entry| (entry.mode, entry.id));
                Ok(paths.iter().filter_map(|path| Some((path.clone(), entry(path)?))).collect())
            }
            Err(RepoError::Unsupported { .. }) => self.entries_by_git(paths),
            Err(error) => Err(error),
        }
    }

    fn entries_by_git(&self, paths: &[RepoPath]) -> Result<BTreeMap<RepoPath, (u32, git2::Oid)>, RepoError> {
        let git = Git::new(self);
        let mut command = git.command(["--literal-pathspecs", "ls-files", "-z", "--stage", "--full-name", "--"]);
        // Paths count from the current directory there.
        self.top.as_ref().map(|top| command.current_dir(top));
        let output = git.run(command.args(paths.iter().map(RepoPath::as_path)), b"")?;
        if !output.status.success() {
            return Err(RepoError::Child { command: "ls-files".into(), message: output.stderr.trim().into() });
        }
        // mode, blob and stage, then a tab and the path; of a directory, what is below it is listed
        let entry = |line: &[u8]| {
            let (what, path) = line.split_once_str("\t")?;
            let path = paths.iter().find(|wanted| wanted.as_bytes() == path)?;
            let mut what = what.to_str().ok()?.split(' ');
            let mode = u32::from_str_radix(what.next()?, 8).ok()?;
            let id = whole_id(what.next()?)?;
            (what.next()? == "0").then(|| (path.clone(), (mode, id)))
        };
        Ok(output.stdout.split_str("\0").filter_map(entry).collect())
    }
}
