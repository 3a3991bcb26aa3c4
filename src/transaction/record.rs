//! What is written down of a change that was made, so that it can be taken back: for every path what it held and holds, and
//! where the old bytes are kept; the entries of the index that it changed; the folders that it made and removed.
//!
//! Written as a [`Manifest`](super::manifest) is. What isn't sealed, or says anything that no change could have said, is none.

use std::collections::BTreeSet;

use bstr::{BString, ByteSlice as _};

use super::manifest::{Held, Records, held, word};
use crate::path::RepoPath;
use crate::repo::{Slot, content_id};

/// A change that was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Record {
    /// It was committed, so it is git's to take back.
    Commit(String),
    /// It wasn't.
    Made(Made),
}

/// A change that can be taken back.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Made {
    /// The files of the work tree.
    pub(super) files: Vec<Kept>,
    /// The entries of the index.
    pub(super) entries: Vec<Entry>,
    /// New paths and the old ones that were renamed to them.
    pub(super) renamed: Vec<(RepoPath, RepoPath)>,
    /// Folders that weren't there.
    pub(super) made: Vec<RepoPath>,
    /// Folders that may have gone, with their permission bits.
    pub(super) removed: Vec<(RepoPath, u16)>,
}

/// A file of the work tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Kept {
    pub(super) path: RepoPath,
    /// What it held, and the name of the file beside the record that has the bytes; `None` if it wasn't there.
    pub(super) before: Option<(Held, String)>,
    /// What it holds; `None` if it isn't there.
    pub(super) after: Option<Held>,
}

/// An entry of the index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) path: RepoPath,
    pub(super) before: Option<Slot>,
    pub(super) after: Option<Slot>,
}

const TITLE: &str = "git-llmpatch record 1";

impl Record {
    /// Writes it down.
    pub(super) fn to_bytes(&self) -> BString {
        let mut out = Records::default();
        out.add(TITLE, b"");
        match self {
            Record::Commit(id) => out.add("commit", id.as_bytes()),
            Record::Made(Made { files, entries, renamed, made, removed }) => {
                for Kept { path, before, after } in files {
                    let held = before.as_ref().map(|(held, _)| held);
                    out.add(&format!("path {} {}", word(held), word(after.as_ref())), path.as_bytes());
                    if let Some((_, name)) = before {
                        out.add("kept", name.as_bytes());
                    }
                }
                for Entry { path, before, after } in entries {
                    let word = |slot: &Option<Slot>| slot.map_or_else(|| "-".to_owned(), |slot| slot.to_string());
                    out.add(&format!("entry {} {}", word(before), word(after)), path.as_bytes());
                }
                for (path, from) in renamed {
                    out.add("renamed", path.as_bytes());
                    out.add("from", from.as_bytes());
                }
                made.iter().for_each(|path| out.add("made", path.as_bytes()));
                removed.iter().for_each(|(path, bits)| out.add(&format!("removed {bits:o}"), path.as_bytes()));
            }
        }
        out.sealed()
    }

    /// Reads one; `None` if it isn't whole, or can't be of any change.
    pub(super) fn parse(bytes: &[u8]) -> Option<Self> {
        let mut records = Records::parse(bytes, TITLE)?.peekable();
        if let Some(id) = records.peek().and_then(|record| record.strip_prefix(b"commit ")) {
            let id = id.to_str().ok().filter(|id| id.len() >= 40 && id.bytes().all(|byte| byte.is_ascii_hexdigit()))?;
            let id = id.to_owned();
            return records.nth(1).is_none().then_some(Record::Commit(id));
        }
        let mut made = Made::default();
        while let Some(record) = records.next() {
            let (name, rest) = record.split_once_str(" ")?;
            match name {
                b"path" => {
                    let (before, after, path) = pair(rest)?;
                    let (before, after) = (held(before)?, held(after)?);
                    let kept = match before {
                        Some(held) => {
                            let name = records.next()?.strip_prefix(b"kept ")?.to_str().ok()?;
                            Some((held, is_name(name).then(|| name.to_owned())?))
                        }
                        None => None,
                    };
                    (kept.is_some() || after.is_some()).then_some(())?;
                    made.files.push(Kept { path, before: kept, after });
                }
                b"entry" => {
                    let (before, after, path) = pair(rest)?;
                    let (before, after) = (slot(before)?, slot(after)?);
                    (before != after).then_some(())?;
                    made.entries.push(Entry { path, before, after });
                }
                b"renamed" => {
                    let from = records.next()?.strip_prefix(b"from ")?;
                    made.renamed.push((RepoPath::new(rest).ok()?, RepoPath::new(from).ok()?));
                }
                b"made" => made.made.push(RepoPath::new_after(made.made.last(), rest).ok()?),
                b"removed" => {
                    let (bits, path) = rest.split_once_str(" ")?;
                    let bits = u16::from_str_radix(bits.to_str().ok()?, 8).ok().filter(|bits| *bits <= 0o7777)?;
                    let path = RepoPath::new_after(made.removed.last().map(|(above, _)| above), path).ok()?;
                    made.removed.push((path, bits));
                }
                _ => return None,
            }
        }
        let is_sound = are_different(made.files.iter().map(|file| &file.path))
            && are_different(made.entries.iter().map(|entry| &entry.path));
        is_sound.then_some(Record::Made(made))
    }

    /// Returns the names of the files beside it that it needs.
    pub(super) fn names(&self) -> BTreeSet<&str> {
        match self {
            Record::Commit(_) => BTreeSet::new(),
            Record::Made(made) => {
                made.files.iter().filter_map(|file| file.before.as_ref()).map(|(_, name)| name.as_str()).collect()
            }
        }
    }

    /// Returns what tells it from others.
    pub(super) fn seal(&self) -> String {
        content_id(&self.to_bytes())
    }
}

/// Splits `BEFORE AFTER PATH`.
fn pair(rest: &[u8]) -> Option<(&[u8], &[u8], RepoPath)> {
    let (before, rest) = rest.split_once_str(" ")?;
    let (after, path) = rest.split_once_str(" ")?;
    Some((before, after, RepoPath::new(path).ok()?))
}

fn slot(word: &[u8]) -> Option<Option<Slot>> {
    if word == b"-" { Some(None) } else { Slot::parse(word.to_str().ok()?).map(Some) }
}

/// Returns whether it is the name of a file of old bytes: nothing else is ever opened.
fn is_name(name: &str) -> bool {
    let number = name.strip_prefix("original-").or(name.strip_prefix("copy-"));
    number.is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
}

fn are_different<'p>(paths: impl Iterator<Item = &'p RepoPath>) -> bool {
    let mut seen = BTreeSet::new();
    let mut paths = paths;
    paths.all(|path| seen.insert(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(path: &str) -> RepoPath {
        RepoPath::new(path.as_bytes()).unwrap()
    }

    fn made() -> Made {
        let held = |bits| Held { id: "a1".into(), size: 7, executable: false, bits };
        let slot = |word: &str| Slot::parse(&format!("{word}:")).unwrap();
        let id = "0123456789012345678901234567890123456789";
        Made {
            files: vec![
                Kept { path: path("a b\n"), before: Some((held(Some(0o600)), "original-0".into())), after: None },
                Kept { path: path("b"), before: None, after: Some(held(None)) },
            ],
            entries: vec![Entry { path: path("c"), before: None, after: Some(slot(&format!("100755:{id}"))) }],
            renamed: vec![(path("b"), path("a b\n"))],
            made: vec![path("m"), path("m/n")],
            removed: vec![(path("r"), 0o2755)],
        }
    }

    #[test]
    fn what_is_written_is_read_and_a_part_of_it_is_not() {
        for record in [Record::Made(made()), Record::Commit("0123456789".repeat(4))] {
            let bytes = record.to_bytes();
            assert_eq!(Record::parse(&bytes), Some(record));
            for end in 0..bytes.len() {
                assert_eq!(Record::parse(&bytes[..end]), None, "{end}");
            }
        }
    }

    #[test]
    fn what_no_change_could_have_said_is_none() {
        let sealed = |records: &[(&str, &str)]| {
            let mut out = Records::default();
            out.add(TITLE, b"");
            records.iter().for_each(|(name, path)| out.add(name, path.as_bytes()));
            Record::parse(&out.sealed())
        };
        assert_eq!(sealed(&[]), Some(Record::Made(Made::default())));
        assert!(sealed(&[("path a:1:-:644 -", "a"), ("kept", "original-1")]).is_some());
        let id = "0123456789012345678901234567890123456789";
        let entry = format!("entry - 100644:{id}:");
        for records in [
            &[("path - -", "a")][..],
            &[("path - a:1:-:644", "../a")],
            &[("path - a:1:-:644", ".git/config")],
            &[("path - a:1:-:644", "a"), ("path - a:1:-:644", "a")],
            &[("path a:1:-:644 -", "a")],
            &[("path a:1:-:644 -", "a"), ("kept", "../../config")],
            &[("path a:1:-:644 -", "a"), ("kept", "original-")],
            &[("path a:-1:-:644 -", "a"), ("kept", "original-1")],
            &[("path a:1:-:99999 -", "a"), ("kept", "original-1")],
            &[("entry - -", "a")],
            &[(&entry, "a"), (&entry, "a")],
            &[(&entry, "a/../b")],
            &[("removed 77777", "a")],
            &[("removed 755", "/a")],
            &[("made", "")],
            &[("renamed", "a")],
            &[("commit", "abc")],
            &[("commit", id), ("made", "a")],
            &[("nonsense", "a")],
        ] {
            assert_eq!(sealed(records), None, "{records:?}");
        }
    }
}
