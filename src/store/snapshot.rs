//! What the work tree holds now, kept for later. Only objects and references of ours are written.

use std::time::{SystemTime, UNIX_EPOCH};

use crate::repo::{Repo, RepoError};

/// Keeps what the work tree holds now as a tree, for as long as `llmpatch.snapshotExpire` says, and
/// returns its id.
///
/// # Errors
/// `unsupported` without a work tree, `io`.
pub fn snapshot(repo: &Repo, with_untracked: bool) -> Result<String, RepoError> {
    let tree = repo.write_work_tree(with_untracked)?;
    repo.flush_objects()?;
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default()
        .as_secs();
    repo.keep_snapshot(tree, now)?;
    Ok(tree.to_string())
}
