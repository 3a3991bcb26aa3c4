//! What every system can do in place of what only Linux has (`linux.rs`): less, or in more steps.

use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;

use rustix::fs::{self, OFlags};

pub(super) use super::attributes::*;
pub(super) use super::unasked::*;
pub(super) use super::unix::*;

/// How a directory is opened that is only gone through.
pub(super) const HANDLE: OFlags = OFlags::RDONLY
    .union(OFlags::DIRECTORY)
    .union(OFlags::CLOEXEC);

/// How something is opened of which only the name counts.
pub(super) const NAME: OFlags = OFlags::RDONLY.union(OFlags::CLOEXEC);

/// Fails: the system can't confine what is opened, so paths are followed part by part.
pub(super) fn open_top(_: &Path) -> Result<OwnedFd, Errno> {
    Err(Errno::NOSYS)
}

/// Fails: the system can't do it.
pub(super) fn open_confined(_: &OwnedFd, _: &OsStr, _: Opening, _: u16) -> Result<OwnedFd, Errno> {
    Err(Errno::NOSYS)
}

/// Gives a file that is to be replaced a second name.
pub(super) fn keep(from: Named<'_>, to: Named<'_>) -> Result<(), Errno> {
    link(from, to)
}

/// Asks the system to write out everything, whatever the file system, then waits for the disk of a
/// directory.
///
/// Not every system waits for the writing itself: macOS only begins it. What may not be late was
/// given to the disk before ([`hand_over`]).
pub(super) fn flush_file_system(directory: OwnedFd) -> io::Result<()> {
    fs::sync();
    flush(directory)
}

/// Gives the content of a new file to the disk, for which [`flush_file_system`] waits.
pub(super) fn hand_over(file: &File) -> io::Result<()> {
    Ok(fs::fsync(file)?)
}

/// Waits until a file, or the names in a directory, are on the disk.
#[cfg(not(target_vendor = "apple"))]
pub(super) fn flush(file: impl AsFd) -> io::Result<()> {
    Ok(fs::fsync(file)?)
}

/// Waits until a file, or the names in a directory, are on the disk: `fsync` only waits until the
/// disk has them in its cache.
#[cfg(target_vendor = "apple")]
pub(super) fn flush(file: impl AsFd) -> io::Result<()> {
    match fs::fcntl_fullfsync(&file) {
        // Network file systems don't know it.
        Err(Errno::NOTSUP | Errno::OPNOTSUPP | Errno::INVAL | Errno::NOTTY) => Ok(fs::fsync(file)?),
        done => Ok(done?),
    }
}
