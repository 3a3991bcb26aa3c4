//! The index file: read as the bytes that it is, and written as a splice of them. What nobody asked
//! to change keeps every byte.
//!
//! Versions 2 to 4 are read, and written as they were. Where a path changes, the trees that git
//! remembers of its directories are forgotten ([`cache_tree`]); what was recorded of resolved
//! merges stays. Other extensions are git's to make anew: see [`shape`](super::shape).

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::iter;
use std::ops::Range;
use std::path::Path;
use std::rc::Rc;

use git2::{IndexEntry, ObjectFormat, Oid};

use super::cache_tree;
use super::index_record::{Record, expand, number, record_len, write_varint, written};
use super::index_write::{INTENT_TO_ADD, STAGE};
use super::objects::{checksum, id_len};
use super::shape::IndexExtras;
use crate::system::FileExt as _;

/// A path and a stage, by which entries are sorted.
type Key = (Vec<u8>, u8);

/// An index in memory.
#[derive(Clone)]
pub(super) struct IndexFile {
    base: Rc<Base>,
    /// What became of entries since: what is written for them now, or nothing.
    changes: BTreeMap<Key, Option<Vec<u8>>>,
}

/// What was read.
struct Base {
    format: ObjectFormat,
    version: u32,
    /// Holds the entries, one behind the other as versions 2 and 3 write them.
    bytes: Vec<u8>,
    /// Where each entry begins, and where the last entry ends.
    starts: Vec<usize>,
    /// The trees of directories whose entries haven't changed.
    trees: Vec<u8>,
    /// What was recorded of resolved merges.
    resolved: Vec<u8>,
    shape: IndexExtras,
    /// Whether it ends in its checksum (`index.skipHash`).
    is_hashed: bool,
}

/// What tells the content of an index file from any other: its size and the checksum at its end.
#[derive(PartialEq, Eq)]
pub(super) struct Fingerprint(u64, Vec<u8>);

impl Fingerprint {
    /// Reads the checksum of a file; `None` if there is no file, or it has none (`index.skipHash`).
    ///
    /// # Errors
    /// If it can't be read.
    pub(super) fn of(file: &Path, format: ObjectFormat) -> io::Result<Option<Self>> {
        let file = match fs::File::open(file) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            file => file?,
        };
        let size = file.metadata()?.len();
        let mut checksum = vec![0; id_len(format)];
        let Some(start) = size.checked_sub(checksum.len() as u64) else {
            return Ok(None);
        };
        file.read_exact_at(&mut checksum, start)?;
        Ok(checksum
            .iter()
            .any(|byte| *byte != 0)
            .then_some(Self(size, checksum)))
    }
}

impl IndexFile {
    /// Reads a file; an empty index where there is none.
    ///
    /// # Errors
    /// If it can't be read, or isn't an index.
    pub(super) fn read(file: &Path, format: ObjectFormat) -> io::Result<Self> {
        let base = match fs::read(file) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Base::empty(format),
            bytes => Base::parse(bytes?, format).ok_or_else(|| {
                io::Error::new(io::ErrorKind::InvalidData, "it isn't a whole index")
            })?,
        };
        Ok(Self {
            base: Rc::new(base),
            changes: BTreeMap::new(),
        })
    }

    /// Returns whether bytes are an index that could be read.
    pub(super) fn is_one(bytes: &[u8], format: ObjectFormat) -> bool {
        Base::parse(bytes.to_vec(), format).is_some()
    }

    /// Returns what it has that only git understands.
    pub(super) fn shape(&self) -> IndexExtras {
        self.base.shape
    }

    /// Returns the entry of a path in a stage.
    pub(super) fn get(&self, path: &[u8], stage: u8) -> Option<Record<'_>> {
        if let Some(change) = self.changes.get(&(path.to_vec(), stage)) {
            return change.as_ref().map(|bytes| self.base.made(bytes));
        }
        self.base
            .find(path, stage)
            .ok()
            .map(|at| self.base.record(at))
    }

    /// Returns all entries in order.
    pub(super) fn iter(&self) -> impl Iterator<Item = Record<'_>> {
        self.iter_from(b"")
    }

    /// Returns the entries of all paths that start so, in order.
    pub(super) fn starting_with(
        &self,
        start: Vec<u8>,
    ) -> impl Iterator<Item = Record<'_>> + use<'_> {
        self.iter_from(&start)
            .take_while(move |record| record.path().starts_with(&start))
    }

    fn iter_from(&self, path: &[u8]) -> impl Iterator<Item = Record<'_>> + use<'_> {
        let (Ok(first) | Err(first)) = self.base.find(path, 0);
        let mut old = (first..self.base.len())
            .map(|at| self.base.record(at))
            .peekable();
        let mut changes = self.changes.range((path.to_vec(), 0)..).peekable();
        iter::from_fn(move || {
            loop {
                let Some(&((path, stage), change)) = changes.peek() else {
                    return old.next();
                };
                if let Some(before) = old.next_if(|old| old.key() < (path, *stage)) {
                    return Some(before);
                }
                old.next_if(|old| old.key() == (path, *stage));
                changes.next();
                if let Some(bytes) = change {
                    return Some(self.base.made(bytes));
                }
            }
        })
    }

    /// Returns whether a path is in a merge that isn't finished.
    pub(super) fn is_unmerged(&self, path: &[u8]) -> bool {
        (1..=3).any(|stage| self.get(path, stage).is_some())
    }

    /// Returns whether any path is in a conflict.
    pub(super) fn has_conflicts(&self) -> bool {
        self.iter().any(|record| record.stage() != 0)
    }

    /// Sets an entry. What is in the way of its path in the same stage, as a file above it or as
    /// files below it, goes.
    pub(super) fn add(&mut self, entry: &IndexEntry) {
        let stage = ((entry.flags & STAGE) >> 12) as u8;
        let above = entry
            .path
            .iter()
            .enumerate()
            .filter(|(_, byte)| **byte == b'/')
            .map(|(at, _)| &entry.path[..at]);
        above.for_each(|above| self.remove(above, stage));
        let below = self
            .starting_with([&entry.path, &b"/"[..]].concat())
            .filter(|record| record.stage() == stage);
        let below: Vec<_> = below.map(|record| record.path().to_vec()).collect();
        below.iter().for_each(|below| self.remove(below, stage));
        self.changes
            .insert((entry.path.clone(), stage), Some(written(entry)));
    }

    /// Removes the entry of a path in a stage, if there is one.
    pub(super) fn remove(&mut self, path: &[u8], stage: u8) {
        let key = (path.to_vec(), stage);
        match self.base.find(path, stage) {
            Ok(_) => drop(self.changes.insert(key, None)),
            Err(_) => drop(self.changes.remove(&key)),
        }
    }

    /// Returns the tree of all entries, if git has noted it.
    pub(super) fn tree(&self) -> Option<Oid> {
        if self.changed_paths().next().is_some() {
            None
        } else {
            cache_tree::top(&self.base.trees, id_len(self.base.format))
        }
    }

    /// Returns the paths whose entries say something else than they did, in order.
    fn changed_paths(&self) -> impl Iterator<Item = &[u8]> {
        let others = self.changes.iter().filter(|((path, stage), change)| {
            let old = self.base.find(path, *stage).ok();
            let old = old.map(|at| content(&self.base.record(at)));
            old != change.as_ref().map(|bytes| content(&self.base.made(bytes)))
        });
        others.map(|((path, _), _)| &path[..])
    }

    /// Returns the bytes of a file that holds this.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let is_new = |(path, stage): &Key| self.base.find(path, *stage).is_err();
        let mut count = self.base.len();
        for (key, change) in &self.changes {
            match (change, is_new(key)) {
                (Some(_), true) => count += 1,
                (None, false) => count -= 1,
                _ => {}
            }
        }
        let version = match self.base.version {
            2 if !self
                .changes
                .values()
                .flatten()
                .any(|bytes| self.base.made(bytes).is_extended()) =>
            {
                2
            }
            2 | 3 if self.iter().any(|record| record.is_extended()) => 3,
            3 => 2,
            version => version,
        };
        let mut bytes = Vec::with_capacity(self.base.bytes.len() + 0x1000);
        bytes.extend_from_slice(b"DIRC");
        bytes.extend_from_slice(&version.to_be_bytes());
        bytes.extend_from_slice(&(count as u32).to_be_bytes());
        match version {
            4 => self.write_compressed(&mut bytes),
            _ => self.write_plain(&mut bytes),
        }
        let changed: Vec<_> = self.changed_paths().collect();
        let trees = cache_tree::without(&self.base.trees, &changed, id_len(self.base.format))
            .unwrap_or_default();
        for (name, content) in [(b"TREE", &trees), (b"REUC", &self.base.resolved)] {
            if !content.is_empty() {
                bytes.extend_from_slice(name);
                bytes.extend_from_slice(&(content.len() as u32).to_be_bytes());
                bytes.extend_from_slice(content);
            }
        }
        let end = if self.base.is_hashed {
            checksum(&[&bytes], self.base.format)
        } else {
            vec![0; id_len(self.base.format)]
        };
        bytes.extend(end);
        bytes
    }

    /// Writes all entries whole; entries between changes in one go.
    fn write_plain(&self, bytes: &mut Vec<u8>) {
        let mut next = 0;
        let run = |range: Range<usize>| {
            if range.is_empty() {
                &[][..]
            } else {
                &self.base.bytes[self.base.starts[range.start]..self.base.starts[range.end]]
            }
        };
        for ((path, stage), change) in &self.changes {
            let (at, after) = match self.base.find(path, *stage) {
                Ok(at) => (at, at + 1),
                Err(at) => (at, at),
            };
            bytes.extend_from_slice(run(next..at));
            bytes.extend(change.iter().flatten());
            next = after;
        }
        bytes.extend_from_slice(run(next..self.base.len()));
    }

    /// Writes of each path only what the path before doesn't start with.
    fn write_compressed(&self, bytes: &mut Vec<u8>) {
        let mut before: &[u8] = b"";
        for record in self.iter() {
            let path = record.path();
            let shared = before
                .iter()
                .zip(path)
                .take_while(|(one, other)| one == other)
                .count();
            bytes.extend_from_slice(record.head());
            write_varint(before.len() - shared, bytes);
            bytes.extend_from_slice(&path[shared..]);
            bytes.push(0);
            before = path;
        }
    }
}

impl Base {
    fn empty(format: ObjectFormat) -> Self {
        let (bytes, starts, trees, resolved, shape) = Default::default();
        Self {
            format,
            version: 2,
            bytes,
            starts,
            trees,
            resolved,
            shape,
            is_hashed: true,
        }
    }

    /// Parses the bytes of an index; `None` if they are something else.
    fn parse(bytes: Vec<u8>, format: ObjectFormat) -> Option<Self> {
        let id_len = id_len(format);
        let end = bytes.len().checked_sub(id_len)?;
        let [signature, version, count] = [0, 4, 8].map(|at| bytes.get(at..at + 4));
        let version = number(version?);
        let count = number(count?) as usize;
        let is_hashed = bytes[end..].iter().any(|byte| *byte != 0);
        let is_right = !is_hashed || checksum(&[&bytes[..end]], format) == bytes[end..];
        if signature? != b"DIRC" || !(2..=4).contains(&version) || !is_right {
            return None;
        }
        let mut index = Self {
            version,
            is_hashed,
            ..Self::empty(format)
        };
        let mut at = 12;
        let mut whole = Vec::new();
        for _ in 0..count {
            let before = index.starts.last().copied();
            index
                .starts
                .push(if version == 4 { whole.len() } else { at });
            at = match version {
                4 => expand(&bytes[..end], at, before, &mut whole, id_len)?,
                _ => at + record_len(bytes.get(at..end)?, id_len)?,
            };
        }
        index
            .starts
            .push(if version == 4 { whole.len() } else { at });
        index.take_extensions(bytes.get(at..end)?)?;
        index.bytes = if version == 4 { whole } else { bytes };
        let mut last: (&[u8], u8) = (b"", 3);
        let mut keys = (0..count).map(|at| index.record(at).key());
        // The entries of a split index are only to be understood with those of another file.
        let is_sound = index.shape.split || keys.all(|key| std::mem::replace(&mut last, key) < key);
        is_sound.then_some(index)
    }

    /// Parses the extensions, which follow the entries.
    fn take_extensions(&mut self, mut rest: &[u8]) -> Option<()> {
        while !rest.is_empty() {
            let name = rest.get(..4)?;
            let size = number(rest.get(4..8)?) as usize;
            let content = rest[8..].get(..size)?;
            match name {
                b"TREE" => self.trees = content.to_vec(),
                b"REUC" => self.resolved = content.to_vec(),
                b"link" => self.shape.split = true,
                b"sdir" => self.shape.sparse = true,
                b"UNTR" => self.shape.untracked = true,
                b"FSMN" => self.shape.monitored = true,
                [first, ..] if !first.is_ascii_uppercase() => return None,
                _ => {}
            }
            rest = &rest[8 + size..];
        }
        Some(())
    }

    /// Returns how many entries there were at first.
    fn len(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    fn record(&self, at: usize) -> Record<'_> {
        Record {
            bytes: &self.bytes[self.starts[at]..self.starts[at + 1]],
            id_len: id_len(self.format),
        }
    }

    /// Finds where an entry that was there at first is, or would be.
    fn find(&self, path: &[u8], stage: u8) -> Result<usize, usize> {
        let mut low = 0;
        let mut high = self.len();
        while low < high {
            let middle = low.midpoint(high);
            match self.record(middle).key().cmp(&(path, stage)) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Equal => return Ok(middle),
                std::cmp::Ordering::Greater => high = middle,
            }
        }
        Err(low)
    }

    /// Returns an entry that was written here.
    fn made<'i>(&self, bytes: &'i [u8]) -> Record<'i> {
        Record {
            bytes,
            id_len: id_len(self.format),
        }
    }
}

/// Returns what of an entry says what its path holds.
fn content(record: &Record<'_>) -> (u32, git2::Oid, u16) {
    let intended = record.extended() & INTENT_TO_ADD;
    (record.mode(), record.id(), intended)
}
