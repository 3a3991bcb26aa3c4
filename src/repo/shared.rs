//! Repositories that several users share (`core.sharedRepository`): what one writes, the next must
//! be able to add to.
//!
//! git sets the modes itself. libgit2 only does so when it makes a repository, so what it writes
//! for us goes by the umask, which is that of the whole process: it is another only while objects
//! and indexes are written.

use super::Repo;
use crate::system::{open_umask, set_umask};

/// Makes new files and directories as open as the repository's setting says. Dropping it brings the
/// umask back.
pub(crate) struct Opened(Option<u32>);

/// Returns whether several users share the repository.
pub(crate) fn is_on(repo: &Repo) -> bool {
    bits(repo).is_some()
}

/// Makes what is written to the git directory as open as the setting says, for now.
pub(crate) fn opened(repo: &Repo) -> Opened {
    Opened(bits(repo).map(open_umask))
}

/// Returns the permission bits that the setting asks for; `None` if it leaves all to the umask.
fn bits(repo: &Repo) -> Option<u16> {
    let setting = repo
        .config
        .string("core.sharedRepository")
        .ok()
        .flatten()?
        .to_ascii_lowercase();
    match &setting[..] {
        b"" | b"umask" | b"false" | b"no" | b"off" | b"0" => None,
        b"group" | b"true" | b"yes" | b"on" | b"1" => Some(0o070),
        b"all" | b"world" | b"everybody" | b"2" => Some(0o075),
        octal => {
            let bits = u16::from_str_radix(std::str::from_utf8(octal).ok()?, 8).ok()? & 0o777;
            // Directories that may be read may be entered.
            Some(bits | (bits & 0o444) >> 2)
        }
    }
}

impl Drop for Opened {
    fn drop(&mut self) {
        if let Some(before) = self.0 {
            set_umask(before);
        }
    }
}
