//! What a commit holds in the end, where a hook had a hand in it.

use bstr::{BString, ByteSlice as _};
use git2::Oid;
use llmpatch::report::Extent;

use crate::repo::directories::Directories;
use crate::repo::git::Git;
use crate::repo::{Repo, RepoError};

/// Returns the paths at which two trees differ.
///
/// # Errors
/// If one of them can't be read.
pub(crate) fn paths_between(repo: &Repo, old: Oid, new: Oid) -> Result<Vec<BString>, RepoError> {
    Directories::new(repo, new).differing_from(Some(old))
}

/// Returns how much a commit changes.
///
/// # Errors
/// If git can't tell.
pub(crate) fn extent(repo: &Repo, commit: Oid) -> Result<Extent, RepoError> {
    let look = [
        "diff-tree",
        "--root",
        "--no-commit-id",
        "-r",
        "-M",
        "--numstat",
    ];
    let commit = commit.to_string();
    let said = Git::new(repo).output(look.into_iter().chain([commit.as_str()]), b"")?;
    let mut extent = Extent {
        files: 0,
        added: 0,
        removed: 0,
    };
    for line in said.lines() {
        // Of a binary file there are no numbers.
        let mut counts = line
            .split_str("\t")
            .map(|count| count.to_str().ok()?.parse().ok());
        extent.files += 1;
        extent.added += counts.next().flatten().unwrap_or(0);
        extent.removed += counts.next().flatten().unwrap_or(0);
    }
    Ok(extent)
}
