//! What the time of a file tells: whether it was written to since it was looked at.

use std::os::fd::AsFd;

use super::{Dir, Stat};

/// A moment, by the clock that the file systems of this machine go by.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moment {
    /// Seconds and nanoseconds.
    now: (i64, u32),
    device: u64,
}

impl Moment {
    /// Returns whether any writing to a file after this moment shows in its time. It doesn't if the clock hasn't moved on since the
    /// file was written to the last time: git's racy rule.
    pub(crate) fn shows_in(&self, stat: &Stat) -> bool {
        let is_older = match stat.modified {
            // Where only whole seconds are kept, or every second one.
            (seconds, 0) => seconds + 2 < self.now.0,
            modified => modified < self.now,
        };
        is_older && stat.device == self.device
    }
}

impl Dir {
    /// Returns this moment, for files of the top's file system; `None` where their times go by another clock, or are inexact.
    pub(crate) fn now(&self) -> Option<Moment> {
        let device = || self.stat().ok().filter(|_| is_exact(&self.top)).map(|stat| stat.device);
        let device = (*self.exact.get_or_init(device))?;
        Some(Moment { now: now()?, device })
    }
}

impl Stat {
    /// Returns whether the file is the one that another was taken of, and wasn't written to in between, as far as its time tells.
    pub(crate) fn is_unwritten_since(&self, other: &Stat) -> bool {
        let of = |stat: &Stat| (stat.device, stat.inode, stat.size, stat.modified, stat.bits);
        of(self) == of(other)
    }
}

#[cfg(target_os = "linux")]
fn now() -> Option<(i64, u32)> {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::RealtimeCoarse);
    Some((now.tv_sec, u32::try_from(now.tv_nsec).ok()?))
}

#[cfg(not(target_os = "linux"))]
fn now() -> Option<(i64, u32)> {
    None
}

/// Returns whether a file may be on another machine, whose kernel and clock are others: it isn't on one of the file systems that are
/// known to be this machine's own.
#[cfg(target_os = "linux")]
pub(crate) fn is_remote(file: impl AsFd) -> bool {
    /// FAT, exFAT, NTFS, HFS+, eCryptfs, UBIFS, UDF, ReiserFS, JFS, NILFS.
    const OTHERS: [u32; 10] =
        [0x4d44, 0x2011_bab0, 0x7366_746e, 0x482b, 0xf15f, 0x2405_1905, 0x1501_3346, 0x5265_4973, 0x3153_464a, 0x3434];
    let kind = kind(&file);
    !kind.is_some_and(|kind| EXACT.contains(&kind) || OTHERS.contains(&kind))
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn is_remote(_: impl AsFd) -> bool {
    false
}

/// The file systems of this machine that keep a file's time as exactly as the kernel has it: ext2 to ext4, XFS, Btrfs, tmpfs, ramfs,
/// overlayfs, F2FS, ZFS, bcachefs.
#[cfg(target_os = "linux")]
const EXACT: [u32; 9] =
    [0xef53, 0x5846_5342, 0x9123_683e, 0x0102_1994, 0x8584_58f6, 0x794c_7630, 0xf2f5_2010, 0x2fc1_2fc1, 0xca45_1a4e];

#[cfg(target_os = "linux")]
fn is_exact(file: impl AsFd) -> bool {
    kind(file).is_some_and(|kind| EXACT.contains(&kind))
}

#[cfg(not(target_os = "linux"))]
fn is_exact(_: impl AsFd) -> bool {
    false
}

#[cfg(target_os = "linux")]
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "all of them have 32 bits")]
fn kind(file: impl AsFd) -> Option<u32> {
    rustix::fs::fstatfs(file).ok().map(|system| system.f_type as u32)
}
