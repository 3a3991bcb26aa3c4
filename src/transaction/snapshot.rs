//! What the work tree holds now, kept for later. Only objects and references of ours are written.

use std::time::{SystemTime, UNIX_EPOCH};

use super::TransactionError;
use super::flush::Flush;
use crate::repo::Repo;

/// Keeps what the work tree holds now as a tree, for as long as `llmpatch.snapshotExpire` says, and
/// returns its id.
///
/// # Errors
/// `unsupported` without a work tree, `io`.
pub fn snapshot(repo: &Repo, with_untracked: bool) -> Result<String, TransactionError> {
    let tree = repo.write_work_tree(with_untracked)?;
    Flush::from_config(repo.config())?.objects_of(repo)?;
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default()
        .as_secs();
    repo.keep_snapshot(tree, now)?;
    Ok(tree.to_string())
}
