//! What the time of a file tells: whether it was written to since it was looked at.

use std::fs::File;

use super::system::{self, is_exact, now};
use super::{Dir, Stat};

/// A moment, by the clock that the file systems of this machine go by.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moment {
    /// Seconds and nanoseconds.
    now: (i64, u32),
    device: u64,
}

impl Moment {
    /// Returns this moment, for files of the file system that a directory is on; `None` where their
    /// times go by another clock, or are inexact.
    pub(crate) fn now(dir: &Dir) -> Option<Self> {
        let device = dir.exact.get_or_init(|| {
            let stat = dir.stat().ok().filter(|_| is_exact(&dir.top));
            stat.map(|stat| stat.device)
        });
        Some(Self {
            device: (*device)?,
            now: now()?,
        })
    }

    /// Returns whether any writing to a file after this moment shows in its time. It doesn't if the
    /// clock hasn't moved on since the file was written to the last time: git's racy rule.
    pub(crate) fn shows_in(&self, stat: &Stat) -> bool {
        let is_older = match stat.modified {
            // Where only whole seconds are kept, or every second one.
            (seconds, 0) => seconds + 2 < self.now.0,
            modified => modified < self.now,
        };
        is_older && stat.device == self.device
    }

    /// Returns what time to give to a file of ours that was written to just now, so that any
    /// writing to it after this moment shows; `None` where that helps nothing.
    pub(crate) fn right_before(&self, stat: &Stat) -> Option<(i64, u32)> {
        let (seconds, nanoseconds) = self.now;
        let helps = stat.device == self.device && stat.modified.1 > 0 && !self.shows_in(stat);
        helps.then_some((seconds, nanoseconds.checked_sub(1)?))
    }
}

impl Stat {
    /// Returns whether another state is of the same file, and the file wasn't written to in
    /// between, as far as its time tells.
    pub(crate) fn is_unwritten_since(&self, other: &Stat) -> bool {
        fingerprint(self) == fingerprint(other)
    }
}

fn fingerprint(stat: &Stat) -> (u64, u64, u64, (i64, u32), u16) {
    (stat.device, stat.inode, stat.size, stat.modified, stat.bits)
}

/// Returns whether a file may be on another machine, whose kernel and clock are others.
pub(crate) fn is_remote(file: &File) -> bool {
    system::is_remote(file)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dir::Found;
    use llmpatch::path::RepoPath;

    #[test]
    fn what_is_written_to_a_backdated_file_shows_however_soon_it_comes() {
        let outer = tempfile::tempdir().unwrap();
        let dir = Dir::open(outer.path()).unwrap();
        let path = RepoPath::new(b"file").unwrap();
        let look = || match dir.look(&path).unwrap() {
            Found::File(stat) => stat,
            found => panic!("{found:?}"),
        };
        for _ in 0..500 {
            std::fs::write(outer.path().join("file"), "ours").unwrap();
            let (mut stat, Some(published)) = (look(), Moment::now(&dir)) else {
                return;
            };
            if let Some(before) = published.right_before(&stat) {
                dir.set_modified(&path, before).unwrap();
                assert!(!look().is_unwritten_since(&stat));
                stat.modified = before;
                assert!(!published.shows_in(&stat) || look().is_unwritten_since(&stat));
            }
            std::fs::write(outer.path().join("file"), "else").unwrap();
            assert!(!published.shows_in(&stat) || !look().is_unwritten_since(&stat));
        }
    }
}
