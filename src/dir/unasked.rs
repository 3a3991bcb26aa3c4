//! What is assumed of files where only Linux is asked, or Linux and macOS are.

use std::fs::File;
#[cfg(windows)]
use std::io;

#[cfg(windows)]
use super::rights::{Attributes, Lost};

/// Returns none: on Windows the directory decides who may do what with a new file.
#[cfg(windows)]
#[expect(clippy::unnecessary_wraps, reason = "it fails on other systems")]
pub(super) fn attributes(_: &File) -> io::Result<Attributes> {
    Ok(Attributes::new())
}

/// Gives none.
#[cfg(windows)]
#[expect(clippy::unnecessary_wraps, reason = "it fails on other systems")]
pub(super) fn give_attributes(_: &Attributes, _: &File) -> io::Result<(bool, Vec<Lost>)> {
    Ok((false, Vec::new()))
}

/// Returns nothing: it isn't known by which clock files get their times, so contents are compared.
pub(super) fn now() -> Option<(i64, u32)> {
    None
}

/// Takes every file to be on this machine.
pub(super) fn is_remote(_: &File) -> bool {
    false
}

/// Takes no file system to keep a file's time exactly.
pub(super) fn is_exact<Directory>(_: Directory) -> bool {
    false
}
