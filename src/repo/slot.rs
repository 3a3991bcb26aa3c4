//! What the index says of a path, so that it can be restored later: all of an entry but the stat
//! data.

use std::fmt;

use git2::{IndexEntry, IndexTime, Oid};

use super::index_record::Record;
use super::index_write::{ASSUME_UNCHANGED, INTENT_TO_ADD, SKIP_WORKTREE};
use super::objects::{LINK, whole_id};
use llmpatch::path::RepoPath;
use llmpatch::tree::Mode;

/// An entry of the index that is in no merge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    pub(super) mode: u32,
    pub(super) id: Oid,
    intended: bool,
    assumed: bool,
    skipped: bool,
}

impl Slot {
    pub(super) fn of(entry: Record<'_>) -> Self {
        let has = |bit| entry.extended() & bit != 0;
        Self {
            mode: entry.mode(),
            id: entry.id(),
            intended: has(INTENT_TO_ADD),
            assumed: entry.flags() & ASSUME_UNCHANGED != 0,
            skipped: has(SKIP_WORKTREE),
        }
    }

    /// Returns whether both say the same of what a commit would hold. Whether git looks at the file
    /// is the user's affair.
    pub(crate) fn agrees(&self, other: &Slot) -> bool {
        (self.mode, self.id, self.intended) == (other.mode, other.id, other.intended)
    }

    /// Returns whether it only says that the path will be added.
    pub(crate) fn is_intended(&self) -> bool {
        self.intended
    }

    /// Returns the entry of a path that says this, without stat data.
    pub(super) fn entry(&self, path: &RepoPath) -> IndexEntry {
        let bit = |is_set, bit| if is_set { bit } else { 0 };
        IndexEntry {
            flags: bit(self.assumed, ASSUME_UNCHANGED),
            flags_extended: bit(self.intended, INTENT_TO_ADD) | bit(self.skipped, SKIP_WORKTREE),
            mode: self.mode,
            id: self.id,
            ..empty(path)
        }
    }

    /// Reads what [`fmt::Display`] wrote; `None` if it isn't that.
    pub(crate) fn parse(word: &str) -> Option<Self> {
        let mut parts = word.split(':');
        let mode = match parts.next()? {
            "100644" => 0o100644,
            "100755" => 0o100755,
            "120000" => LINK,
            _ => return None,
        };
        let id = whole_id(parts.next()?)?;
        let flags = parts
            .next()
            .filter(|flags| flags.chars().all(|flag| "ias".contains(flag)))?;
        let has = |flag| flags.contains(flag);
        let slot = Self {
            mode,
            id,
            intended: has('i'),
            assumed: has('a'),
            skipped: has('s'),
        };
        parts.next().is_none().then_some(slot)
    }
}

impl fmt::Display for Slot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            mode,
            id,
            intended,
            assumed,
            skipped,
        } = self;
        write!(f, "{:o}:{id}:", Mode::of_git(*mode).git())?;
        let flags = [(*intended, 'i'), (*assumed, 'a'), (*skipped, 's')];
        flags
            .iter()
            .filter(|(is_set, _)| *is_set)
            .try_for_each(|(_, flag)| write!(f, "{flag}"))
    }
}

/// Makes an entry that says nothing but its path.
pub(super) fn empty(path: &RepoPath) -> IndexEntry {
    IndexEntry {
        path: path.as_bytes().to_vec(),
        ..blank()
    }
}

/// Makes an entry that says nothing.
pub(super) fn blank() -> IndexEntry {
    IndexEntry {
        ctime: IndexTime::new(0, 0),
        mtime: IndexTime::new(0, 0),
        dev: 0,
        ino: 0,
        mode: 0,
        uid: 0,
        gid: 0,
        file_size: 0,
        id: Oid::ZERO_SHA1,
        flags: 0,
        flags_extended: 0,
        path: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_and_nothing_else() {
        let id = "0123456789012345678901234567890123456789";
        for (word, is_one) in [
            (format!("100644:{id}:"), true),
            (format!("100755:{id}:ias"), true),
            (format!("120000:{id}:"), true),
            (format!("160000:{id}:"), false),
            (format!("100644:{id}:x"), false),
            (format!("100644:{id}::"), false),
            (format!("100644:{id}"), false),
            ("100644:0123:".to_owned(), false),
            (String::new(), false),
        ] {
            let slot = Slot::parse(&word);
            assert_eq!(slot.map(|slot| slot.to_string()), is_one.then_some(word));
        }
    }
}
