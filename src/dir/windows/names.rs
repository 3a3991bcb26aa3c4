//! Names that Windows takes for something else than one file: devices, streams, and what it drops
//! at a name's end.

use std::ffi::OsStr;

use super::Errno;
use crate::system::OsStrExt as _;
use llmpatch::path::RepoPath;

/// Names of devices, whatever is behind a dot.
const DEVICES: [&str; 6] = ["con", "prn", "aux", "nul", "conin$", "conout$"];

/// Checks that a name names a file, and only one.
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
    let is_cut = name.is_empty() || name.ends_with(['.', ' ']);
    let has_mark = |name: &str| {
        name.contains(|character| character < ' ' || "<>:\"/\\|?*".contains(character))
    };
    if is_device || is_cut || has_mark(name) {
        Err(Errno::NAME)
    } else {
        Ok(name)
    }
}

/// Returns whether every name of a path is one that a file can have.
pub(in crate::dir) fn can_name(path: &RepoPath) -> bool {
    let mut parts = path.parts().map(OsStr::from_bytes);
    parts.all(|part| checked(part).is_ok())
}
