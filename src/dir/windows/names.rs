//! Names that are those of one file.

use std::ffi::OsStr;

use super::Errno;
use llmpatch::path::{RepoPath, is_windows_name};

/// Checks that a name names a file, and only one.
pub(super) fn checked(name: &OsStr) -> Result<&str, Errno> {
    let name = name
        .to_str()
        .filter(|name| is_windows_name(name.as_bytes()));
    name.ok_or(Errno::NAME)
}

/// Returns whether every name of a path is one that a file can have.
pub(in crate::dir) fn can_name(path: &RepoPath) -> bool {
    path.to_path().is_ok()
}
