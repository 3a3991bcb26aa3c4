//! What the work tree holds now, kept for later. Only objects and references of ours are written.

use crate::repo::{Keeps, Repo, RepoError};

/// Keeps what the work tree holds now as a tree, for as long as `llmpatch.snapshotExpire` says, and
/// returns its id.
///
/// # Errors
/// `unsupported` without a work tree, `io`.
pub fn snapshot(repo: &Repo, with_untracked: bool) -> Result<String, RepoError> {
    let (tree, kept) = repo.store_work_tree(with_untracked)?;
    repo.flush_objects()?;
    repo.keep(Keeps::Snapshot, tree)?;
    drop(kept);
    repo.tidy();
    Ok(tree.to_string())
}
