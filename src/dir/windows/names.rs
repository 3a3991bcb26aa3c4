//! Names that Windows takes for something else than one file: devices, streams, and what it drops
//! at a name's end.

use std::ffi::OsStr;

use super::Errno;
use crate::system::OsStrExt as _;
use llmpatch::path::RepoPath;

/// Names of devices, whatever is behind a dot.
const DEVICES: [&str; 6] = ["con", "prn", "aux", "nul", "conin$", "conout$"];

/// Checks that a name names a file, and only one. What has a backslash is nowhere.
pub(super) fn checked(name: &OsStr) -> Result<&str, Errno> {
    let name = name.to_str().ok_or(Errno::NAME)?;
    let stem = name.split('.').next().unwrap_or_default().trim_end();
    let stem = stem.to_ascii_lowercase();
    let is_port = |start| {
        let number = stem.strip_prefix(start).unwrap_or_default();
        matches!(number.chars().next(), Some('0'..='9' | '¹' | '²' | '³'))
            && number.chars().count() == 1
    };
    let is_device = DEVICES.contains(&&stem[..]) || is_port("com") || is_port("lpt");
    if name.contains('\\') {
        Err(Errno::NOENT)
    } else if is_device || name.is_empty() || name.ends_with(['.', ' ']) || has_mark(name) {
        Err(Errno::NAME)
    } else {
        Ok(name)
    }
}

/// Returns whether a name has a character that no file's name has.
pub(super) fn has_mark(name: &str) -> bool {
    name.contains(|character| character < ' ' || "<>:\"/|?*".contains(character))
}

/// Checks that no name of a path is one of those that stand for something else, whether or not there
/// is such a directory.
pub(in crate::dir) fn check(path: &RepoPath) -> Result<(), Errno> {
    let mut parts = path.parts().map(OsStr::from_bytes);
    parts.try_for_each(|part| match checked(part) {
        Err(_) if part.to_str().is_some_and(has_mark) => Ok(()),
        done => done.map(drop),
    })
}
