//! What only Linux has. `portable.rs` has the same functions for other systems.

use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;

use rustix::fs::{self, Mode, OFlags, ResolveFlags};
use rustix::io::retry_on_intr;

pub(super) use super::attributes::*;
pub(super) use super::unix::*;

/// How a directory is opened that is only gone through.
pub(super) const HANDLE: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

/// How something is opened of which only the name counts.
pub(super) const NAME: OFlags = OFlags::PATH.union(OFlags::CLOEXEC);

/// Opens a directory anywhere, by the call that confines what is opened beneath it.
pub(super) fn open_top(path: &Path) -> Result<OwnedFd, Errno> {
    retry_on_intr(|| fs::openat2(fs::CWD, path, HANDLE, Mode::empty(), ResolveFlags::empty()))
}

/// Opens, or makes, what is at the end of a path of which no part may be a link, and none may lead
/// out.
pub(super) fn open_confined(
    top: &OwnedFd,
    path: &OsStr,
    how: Opening,
    bits: u16,
) -> Result<OwnedFd, Errno> {
    let mode = Mode::from_raw_mode(bits.into());
    let confined = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    let mut tries = 0;
    loop {
        match fs::openat2(top, path, how | OFlags::NOFOLLOW, mode, confined) {
            // The kernel asks to try again when something was renamed meanwhile.
            Err(Errno::INTR) => {}
            Err(Errno::AGAIN) if tries < 64 => tries += 1,
            done => return done,
        }
    }
}

/// Fails: names are exchanged, and where the file system can't do that, another program's new file
/// isn't overwritten.
pub(super) fn keep(_: Named<'_>, _: Named<'_>) -> Result<(), Errno> {
    Err(Errno::NOSYS)
}

/// Waits until all that was written to the file system of a directory is on the disk.
pub(super) fn flush_file_system(directory: OwnedFd) -> io::Result<()> {
    Ok(fs::syncfs(directory)?)
}

/// Does nothing: [`flush_file_system`] waits for all of them at once.
#[expect(clippy::unnecessary_wraps, reason = "it fails on other systems")]
pub(super) fn hand_over(_: &File) -> io::Result<()> {
    Ok(())
}

/// Waits until a file, or the names in a directory, are on the disk.
pub(super) fn flush(file: impl AsFd) -> io::Result<()> {
    Ok(fs::fsync(file)?)
}

/// Returns the time by the clock that files get theirs from.
pub(super) fn now() -> Option<(i64, u32)> {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::RealtimeCoarse);
    Some((now.tv_sec, u32::try_from(now.tv_nsec).ok()?))
}

/// Returns whether a file may be on another machine, whose kernel and clock are others: it isn't on
/// one of the file systems that are known to be this machine's own.
pub(super) fn is_remote(file: &File) -> bool {
    /// FAT, exFAT, NTFS, HFS+, eCryptfs, UBIFS, UDF, ReiserFS, JFS, NILFS.
    const OTHERS: [u32; 10] = [
        0x4d44,
        0x2011_bab0,
        0x7366_746e,
        0x482b,
        0xf15f,
        0x2405_1905,
        0x1501_3346,
        0x5265_4973,
        0x3153_464a,
        0x3434,
    ];
    let kind = kind(file);
    !kind.is_some_and(|kind| EXACT.contains(&kind) || OTHERS.contains(&kind))
}

/// The file systems of this machine that keep a file's time as exactly as the kernel has it: ext2
/// to ext4, XFS, Btrfs, tmpfs, ramfs, overlayfs, F2FS, ZFS, bcachefs.
const EXACT: [u32; 9] = [
    0xef53,
    0x5846_5342,
    0x9123_683e,
    0x0102_1994,
    0x8584_58f6,
    0x794c_7630,
    0xf2f5_2010,
    0x2fc1_2fc1,
    0xca45_1a4e,
];

/// Returns whether a file system keeps a file's time exactly.
pub(super) fn is_exact(file: impl AsFd) -> bool {
    kind(file).is_some_and(|kind| EXACT.contains(&kind))
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "all of them have 32 bits"
)]
fn kind(file: impl AsFd) -> Option<u32> {
    fs::fstatfs(file).ok().map(|system| system.f_type as u32)
}
