//! What a new file takes over, besides bytes, from the file whose place it takes: owner, group,
//! access list and attributes.
//!
//! Nobody may do more with the new file than with the old file. What can't be taken over is dropped
//! to the narrower side and told.

use std::fs::File;
use std::io;

use super::system::{attributes, give_attributes, set_group, set_owner};
use super::write::{set_bits, step};
use super::{Dir, Stat};
use llmpatch::path::RepoPath;

/// What of the old file the new file lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Lost {
    /// Its owner.
    Owner,
    /// Its group.
    Group,
    /// Its access list.
    AccessList,
    /// Extended attributes.
    Attributes,
    /// That it runs as its owner or group.
    SetId,
}

/// An access list and attributes of a user's own: their names, and their values where they could be
/// read.
pub(super) type Attributes = Vec<(Vec<u8>, Option<Vec<u8>>)>;

/// The bits by which a program runs as its file's owner or group.
pub(crate) const SET_ID: u16 = 0o6000;

/// What a file's successor takes over, looked at before that is made.
#[derive(Debug)]
pub(crate) struct Rights {
    /// What the system knows of the file.
    pub(crate) stat: Stat,
    attributes: Attributes,
}

impl Rights {
    /// Looks at a file; `None` if there is none.
    pub(crate) fn at(dir: &Dir, path: &RepoPath) -> io::Result<Option<Self>> {
        let opened = dir.open_file(path)?;
        opened.map(|(file, stat)| Self::of(&file, stat)).transpose()
    }

    /// Looks at an open file.
    pub(crate) fn of(file: &File, stat: Stat) -> io::Result<Self> {
        Ok(Self {
            stat,
            attributes: attributes(file)?,
        })
    }

    /// Returns the rights of a file that was seen to have neither an access list nor attributes.
    pub(crate) fn plain(stat: Stat) -> Self {
        Self {
            stat,
            attributes: Attributes::new(),
        }
    }

    /// Returns whether it has neither an access list nor attributes.
    pub(crate) fn are_plain(&self) -> bool {
        self.attributes.is_empty()
    }

    /// Returns the permission bits with which a new file is made: fewer than it is to have if
    /// somebody could do more with it than with the old file until it has the same group and access
    /// list.
    pub(crate) fn at_first(&self, bits: u16) -> u16 {
        let is_same_for_all = bits & SET_ID == 0 && bits >> 3 & 7 == bits & 7;
        if is_same_for_all && self.are_plain() {
            bits
        } else {
            0o600
        }
    }

    /// Gives the rights to a new file, which nobody else can open yet in a way that the old file
    /// couldn't be, and permission bits, of which some may have to go. Returns the bits that it has
    /// then.
    pub(crate) fn give(
        &self,
        to: &File,
        stat: &mut Stat,
        bits: u16,
    ) -> io::Result<(u16, Vec<Lost>)> {
        let old = &self.stat;
        let new = *stat;
        let mut lost = Vec::new();
        if old.bits & SET_ID != 0 {
            lost.push(Lost::SetId);
        }
        step("set the owner of a file")?;
        if old.owner != new.owner && set_owner(to, old.owner).is_err() {
            lost.push(Lost::Owner);
        }
        if old.group != new.group && set_group(to, old.group).is_err() {
            lost.push(Lost::Group);
        }
        let (is_changed, lacking) = give_attributes(&self.attributes, to)?;
        lost.extend(lacking);
        let mut bits = bits & !SET_ID;
        if lost.contains(&Lost::Group) || lost.contains(&Lost::AccessList) {
            // Whoever was in the old group may be among the others now, and the other way round.
            let both = bits >> 3 & bits & 7;
            bits = bits & 0o1700 | both << 3 | both;
        }
        if is_changed || old.owner != new.owner || old.group != new.group || new.bits != bits {
            set_bits(to, bits)?;
            *stat = Stat::of(to)?;
        }
        Ok((bits, lost))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_may_open_a_new_file_before_it_has_the_rights_of_the_old_one() {
        let outer = tempfile::tempdir().unwrap();
        let (dir, [old, new]) = (
            Dir::open(outer.path()).unwrap(),
            [&b"old"[..], b"new"].map(|path| RepoPath::new(path).unwrap()),
        );
        let anothers = u32::from(crate::system::user() == 0);
        for (bits, want) in [
            (0o644, 0o644),
            (0o755, 0o755),
            (0o600, 0o600),
            (0o640, 0o600),
            (0o604, 0o600),
            (0o4755, 0o600),
        ] {
            let made = |path, bits| {
                let file = dir.create(path, 0o600).unwrap();
                set_bits(&file, bits).unwrap();
                let stat = Stat::of(&file).unwrap();
                (file, stat)
            };
            let (file, _) = made(&old, bits);
            let _ = set_group(&file, anothers);
            let rights = Rights::of(&file, Stat::of(&file).unwrap()).unwrap();
            assert_eq!(rights.at_first(bits), want, "{bits:o}");
            let (file, mut stat) = made(&new, want);
            let (got, lost) = rights.give(&file, &mut stat, bits).unwrap();
            assert_eq!((got, stat), (bits & !SET_ID, Stat::of(&file).unwrap()));
            assert_eq!(
                (stat.bits, stat.group),
                (got, rights.stat.group),
                "{lost:?}"
            );
            dir.remove_file(&old)
                .and_then(|()| dir.remove_file(&new))
                .unwrap();
        }
    }
}
