//! Entries of an index, as versions 2 and 3 write them: the stat data, the id of the object, the
//! flags, the path, and NULs up to a multiple of eight bytes. Version 4 writes of a path what the
//! one before doesn't start with.

use git2::{IndexEntry, IndexTime, Oid};

use super::index_write::{INTENT_TO_ADD, SKIP_WORKTREE, STAGE};

/// How many bytes of an entry are before its object id.
const STAT: usize = 40;
/// In the flags of an entry: more flags follow.
const EXTENDED: u16 = 0x4000;
/// In the flags of an entry: how long its path is, if it isn't longer.
const LENGTH: u16 = 0xfff;

/// An entry as it is written.
#[derive(Clone, Copy)]
pub(super) struct Record<'i> {
    pub(super) bytes: &'i [u8],
    pub(super) id_len: usize,
}

impl<'i> Record<'i> {
    fn number(&self, at: usize) -> u32 {
        number(&self.bytes[at..at + 4])
    }

    pub(super) fn mode(&self) -> u32 {
        self.number(24)
    }

    pub(super) fn size(&self) -> u32 {
        self.number(36)
    }

    /// Returns when its file was last modified, in seconds, cut as git cuts it.
    pub(super) fn modified(&self) -> i32 {
        self.number(8) as i32
    }

    pub(super) fn id(&self) -> Oid {
        Oid::from_bytes(&self.bytes[STAT..STAT + self.id_len]).expect("it is as long as an id is")
    }

    pub(super) fn flags(&self) -> u16 {
        short(&self.bytes[STAT + self.id_len..])
    }

    /// Returns whether there are further flags.
    pub(super) fn is_extended(&self) -> bool {
        self.flags() & EXTENDED != 0
    }

    /// Returns the further flags.
    pub(super) fn extended(&self) -> u16 {
        if !self.is_extended() {
            0
        } else {
            short(&self.bytes[STAT + self.id_len + 2..])
        }
    }

    pub(super) fn stage(&self) -> u8 {
        ((self.flags() & STAGE) >> 12) as u8
    }

    /// Returns what is before the path.
    pub(super) fn head(&self) -> &'i [u8] {
        &self.bytes[..head_len(self.flags(), self.id_len)]
    }

    pub(super) fn path(&self) -> &'i [u8] {
        let rest = &self.bytes[self.head().len()..];
        match self.flags() & LENGTH {
            LENGTH => rest.split(|byte| *byte == 0).next().unwrap_or_default(),
            length => &rest[..length.into()],
        }
    }

    pub(super) fn key(&self) -> (&'i [u8], u8) {
        (self.path(), self.stage())
    }

    /// Returns all that it says.
    pub(super) fn entry(&self) -> IndexEntry {
        let time = |at| IndexTime::new(self.number(at) as i32, self.number(at + 4));
        IndexEntry {
            ctime: time(0),
            mtime: time(8),
            dev: self.number(16),
            ino: self.number(20),
            mode: self.mode(),
            uid: self.number(28),
            gid: self.number(32),
            file_size: self.size(),
            id: self.id(),
            flags: self.flags() & !EXTENDED,
            flags_extended: self.extended(),
            path: self.path().to_vec(),
        }
    }
}

/// Writes an entry as versions 2 and 3 do.
pub(super) fn written(entry: &IndexEntry) -> Vec<u8> {
    let IndexEntry {
        ctime,
        mtime,
        dev,
        ino,
        mode,
        uid,
        gid,
        file_size,
        ..
    } = entry;
    let times = [ctime, mtime]
        .map(|time| [time.seconds() as u32, time.nanoseconds()])
        .concat();
    let mut bytes: Vec<u8> = times
        .iter()
        .chain([dev, ino, mode, uid, gid, file_size])
        .flat_map(|n| n.to_be_bytes())
        .collect();
    bytes.extend_from_slice(entry.id.as_bytes());
    let extended = if entry.flags_extended == 0 {
        0
    } else {
        EXTENDED
    };
    let length = entry.path.len().min(LENGTH.into()) as u16;
    bytes
        .extend_from_slice(&(entry.flags & !(LENGTH | EXTENDED) | length | extended).to_be_bytes());
    if extended != 0 {
        bytes.extend_from_slice(&entry.flags_extended.to_be_bytes());
    }
    bytes.extend_from_slice(&entry.path);
    pad(&mut bytes, 0);
    bytes
}

/// Ends an entry that begins at `start` with one to eight NULs.
fn pad(bytes: &mut Vec<u8>, start: usize) {
    let len = bytes.len() - start;
    bytes.resize(start + ((len + 8) & !7), 0);
}

/// Returns how much of an entry is before its path.
fn head_len(flags: u16, id_len: usize) -> usize {
    STAT + id_len + if flags & EXTENDED == 0 { 2 } else { 4 }
}

/// Returns how long the entry is that some bytes begin with; `None` if it isn't whole, or says what
/// nobody knows.
pub(super) fn record_len(bytes: &[u8], id_len: usize) -> Option<usize> {
    let head = known_head(bytes, id_len)?;
    let path = memchr::memchr(0, bytes.get(head.len()..)?)?;
    let len = (head.len() + path + 8) & !7;
    let is_path = short(&head[STAT + id_len..]) & LENGTH == path.min(LENGTH.into()) as u16;
    (is_path && len <= bytes.len()).then_some(len)
}

/// Returns what is before the path of the entry that some bytes begin with.
fn known_head(bytes: &[u8], id_len: usize) -> Option<&[u8]> {
    let flags = short(bytes.get(STAT + id_len..STAT + id_len + 2)?);
    let head = bytes.get(..head_len(flags, id_len))?;
    let known = INTENT_TO_ADD | SKIP_WORKTREE;
    (flags & EXTENDED == 0 || short(&head[STAT + id_len + 2..]) & !known == 0).then_some(head)
}

/// Appends an entry of version 4, whose path continues the path before, as the other versions write
/// it. Returns where the next entry is.
pub(super) fn expand(
    bytes: &[u8],
    at: usize,
    before: Option<usize>,
    whole: &mut Vec<u8>,
    id_len: usize,
) -> Option<usize> {
    let head = known_head(bytes.get(at..)?, id_len)?;
    let (dropped, path) = read_varint(bytes, at + head.len())?;
    let length = memchr::memchr(0, bytes.get(path..)?)?;
    let before = before
        .map(|before| {
            Record {
                bytes: &whole[before..],
                id_len,
            }
            .path()
            .to_vec()
        })
        .unwrap_or_default();
    let shared = before.get(..before.len().checked_sub(dropped)?)?;
    let start = whole.len();
    whole.extend_from_slice(head);
    whole.extend_from_slice(shared);
    whole.extend_from_slice(&bytes[path..path + length]);
    pad(whole, start);
    record_len(&whole[start..], id_len)?;
    Some(path + length + 1)
}

/// Reads a number as version 4 writes it; returns where it ends, too.
fn read_varint(bytes: &[u8], mut at: usize) -> Option<(usize, usize)> {
    let mut byte = *bytes.get(at)?;
    let mut value = usize::from(byte & 0x7f);
    while byte & 0x80 != 0 {
        at += 1;
        byte = *bytes.get(at)?;
        value = value.checked_add(1)?.checked_mul(0x80)? | usize::from(byte & 0x7f);
    }
    Some((value, at + 1))
}

pub(super) fn write_varint(mut value: usize, bytes: &mut Vec<u8>) {
    let start = bytes.len();
    bytes.push((value & 0x7f) as u8);
    while value >= 0x80 {
        value = (value >> 7) - 1;
        bytes.insert(start, 0x80 | (value & 0x7f) as u8);
    }
}

pub(super) fn number(bytes: &[u8]) -> u32 {
    u32::from_be_bytes(bytes.try_into().expect("they are four"))
}

fn short(bytes: &[u8]) -> u16 {
    u16::from_be_bytes([bytes[0], bytes[1]])
}
