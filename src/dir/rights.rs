//! What a new file takes over from the one whose place it takes, besides its bytes: owner, group, access list and attributes.
//!
//! Nobody may do more with the new file than with the old one. What can't be taken over is dropped to the narrower side and told.

use std::fs::File;
use std::io;

use rustix::fs::{self, Gid, Uid};

use super::Stat;
use super::system::attributes;
use super::write::{mode, step};

/// What a new file doesn't have of what the old one had.
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

/// The bits by which a program runs as its file's owner or group.
pub(crate) const SET_ID: u16 = 0o6000;

/// Gives a new file, which nobody else can open yet, what an old one has, and permission bits, of which some may have to go. Returns
/// the bits that it has then.
pub(crate) fn take_over((from, old): (&File, &Stat), to: &File, bits: u16) -> io::Result<(u16, Vec<Lost>)> {
    let new = Stat::of(to)?;
    let mut lost = Vec::new();
    if old.bits & SET_ID != 0 {
        lost.push(Lost::SetId);
    }
    step("set the owner of a file")?;
    if old.owner != new.owner && fs::fchown(to, Some(Uid::from_raw(old.owner)), None).is_err() {
        lost.push(Lost::Owner);
    }
    if old.group != new.group && fs::fchown(to, None, Some(Gid::from_raw(old.group))).is_err() {
        lost.push(Lost::Group);
    }
    lost.extend(attributes(from, to)?);
    let mut bits = bits & !SET_ID;
    if lost.contains(&Lost::Group) || lost.contains(&Lost::AccessList) {
        // Whoever was in the old group may be among the others now, and the other way round.
        let both = bits >> 3 & bits & 7;
        bits = bits & 0o1700 | both << 3 | both;
    }
    step("set the mode of a file")?;
    fs::fchmod(to, mode(bits))?;
    Ok((bits, lost))
}
