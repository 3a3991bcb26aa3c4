//! What the work tree holds now, kept for later. Only objects and references of ours are written.

use crate::repo::{KeepingReference, Keeps, Repo, RepoError, kept_pack, objects, snapshot};

/// Keeps what the work tree holds now as a tree, for as long as `llmpatch.snapshotExpire` says, and
/// returns its id.
///
/// # Errors
/// `unsupported` without a work tree, `io`.
pub fn snapshot(repo: &Repo, with_untracked: bool) -> Result<String, RepoError> {
    let (tree, kept) = snapshot::store(repo, with_untracked)?;
    objects::flush(repo)?;
    KeepingReference::make(repo, Keeps::Snapshot, tree)?;
    drop(kept);
    kept_pack::tidy(repo);
    Ok(tree.to_string())
}
