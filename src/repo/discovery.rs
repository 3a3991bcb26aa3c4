//! The end of git's search for a repository at a `.git` file that leads to none.
//!
//! libgit2 passes over such a file and searches above it. So it would open a repository around the
//! one that is meant, or none, and the settings that guard the files would be missing.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use bstr::ByteSlice as _;

use super::RepoError;
use crate::system::{OsStrExt as _, identity_at, real_path};

/// Checks that no `.git` file on the way to the repository that was found, or to the first that
/// can't be opened, leads to another place or to none.
///
/// # Errors
/// [`RepoError::DeadGitFile`]
pub(super) fn check_git_files(here: &Path, found: Option<&Path>) -> Result<(), RepoError> {
    let is_found = |path: &Path| found.is_some_and(|found| is_same(found, path));
    let device = device_of(here).filter(|_| found.is_none() && !crosses_devices());
    for directory in here.ancestors() {
        let is_beyond = device.is_some() && device_of(directory) != device;
        if is_beyond || (directory != here && is_ceiling(directory)) {
            break;
        }
        let own = directory.join(".git");
        let is_other = found.is_none() && own.join("HEAD").exists();
        if is_other || is_found(&own) || is_found(directory) {
            break;
        }
        // git follows a link here.
        if !fs::metadata(&own).is_ok_and(|own| own.is_file()) {
            continue;
        }
        let said = fs::read(&own).map_err(RepoError::read(&own))?;
        if target_of(directory, &said).is_some_and(|target| is_found(&target)) {
            break;
        }
        return Err(RepoError::DeadGitFile {
            file: own,
            said: said.lines().next().unwrap_or_default().into(),
        });
    }
    Ok(())
}

/// Returns the directory that a `.git` file names.
fn target_of(directory: &Path, said: &[u8]) -> Option<PathBuf> {
    let named = said.strip_prefix(b"gitdir: ")?;
    let named = named.trim_end_with(|c| matches!(c, '\r' | '\n'));
    Some(directory.join(OsStr::from_bytes(named)))
}

fn is_same(path: &Path, other: &Path) -> bool {
    let real = |path| real_path(path).ok();
    path == other || real(path).is_some_and(|path| real(other) == Some(path))
}

fn device_of(directory: &Path) -> Option<u64> {
    let (device, _) = identity_at(directory).ok()?.number;
    Some(device)
}

fn crosses_devices() -> bool {
    let value = std::env::var_os("GIT_DISCOVERY_ACROSS_FILESYSTEM").unwrap_or_default();
    let word = value.as_encoded_bytes().to_ascii_lowercase();
    [&b"true"[..], b"yes", b"on", b"1"].contains(&&word[..])
}

fn is_ceiling(directory: &Path) -> bool {
    let ceilings = std::env::var_os("GIT_CEILING_DIRECTORIES").unwrap_or_default();
    std::env::split_paths(&ceilings).any(|ceiling| is_same(&ceiling, directory))
}
