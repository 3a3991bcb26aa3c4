//! What is told once the lock is released: that there is another index.

use std::fs;
use std::os::unix::fs::MetadataExt as _;

use crate::repo::Repo;
use llmpatch::progress::Progress;

/// The index as it was before the lock was taken. When this is dropped, after the lock was released,
/// a hook hears of it if there is another then.
#[derive(Debug)]
pub(super) struct IndexNews<'r> {
    repo: &'r Repo,
    before: Option<Identity>,
    progress: Progress,
}

/// What no two indexes share that take each other's place: inode, size, time.
type Identity = (u64, u64, i64, i64);

impl<'r> IndexNews<'r> {
    pub(super) fn of(repo: &'r Repo, progress: &Progress) -> Self {
        Self {
            repo,
            before: identity(repo),
            progress: progress.clone(),
        }
    }
}

impl Drop for IndexNews<'_> {
    fn drop(&mut self) {
        if identity(self.repo) != self.before {
            self.progress.rest();
            self.repo.tell_of_index();
        }
    }
}

fn identity(repo: &Repo) -> Option<Identity> {
    let seen = fs::metadata(repo.index_path()).ok()?;
    Some((seen.ino(), seen.size(), seen.mtime(), seen.mtime_nsec()))
}
