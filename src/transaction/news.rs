//! What is told once the lock is released: that there is another index.

use crate::repo::{Repo, hooks};
use crate::system::{Identity, identity_at};
use llmpatch::progress::Progress;

/// The index as it was before the lock was taken. When this is dropped, after the lock was released,
/// a hook hears of it if there is another then.
#[derive(Debug)]
pub(super) struct IndexNews<'r> {
    repo: &'r Repo,
    before: Option<Identity>,
    progress: Progress,
}

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
            hooks::tell_of_index(self.repo);
        }
    }
}

fn identity(repo: &Repo) -> Option<Identity> {
    identity_at(repo.index_path()).ok()
}
