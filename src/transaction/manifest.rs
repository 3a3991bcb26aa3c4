//! What a journal says of a change: for every path what it holds before and after, and where its old and its new file may lie.
//!
//! It is complete before anything visible happens, so that recovery needs nothing else. Written as records that each end in a
//! NUL, fields separated by blanks and a path last; the last record seals it with a hash of all before it.

use std::path::{Path, PathBuf};

use bstr::{BString, ByteSlice as _};

use super::lock::path_bytes;
use crate::path::RepoPath;
use crate::repo::content_id;
use crate::tree::File;

/// A change that is being made, or was made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Manifest {
    /// The top of the work tree.
    pub(super) top: PathBuf,
    /// The file of the index.
    pub(super) index: PathBuf,
    /// Whether the index is replaced too.
    pub(super) with_index: bool,
    /// What is being done.
    pub(super) deed: Deed,
    /// For a commit, what it starts from and what it is to hold.
    pub(super) commit: Option<Expected>,
    /// The paths, if files of the work tree change.
    pub(super) touched: Vec<Touched>,
    /// Paths of which only the index changes.
    pub(super) indexed: Vec<RepoPath>,
    /// The folders that weren't there, highest first.
    pub(super) made: Vec<RepoPath>,
    /// The folders that may have to go, with their permission bits, highest first.
    pub(super) removed: Vec<(RepoPath, u16)>,
}

/// What a change comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Deed {
    /// A response.
    #[default]
    Apply,
    /// An earlier change, which it takes back.
    Undo,
}

/// The commit that is to be made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Expected {
    /// The commit that HEAD named.
    pub(super) head: Option<String>,
    /// The tree of the new one, if no hook adds to it.
    pub(super) tree: String,
}

/// A path of the work tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Touched {
    pub(super) path: RepoPath,
    /// What it holds before; `None` if it isn't there.
    pub(super) before: Option<Held>,
    /// What it holds afterwards; `None` if it isn't there.
    pub(super) after: Option<Held>,
    /// Where the new file is prepared, and where the old one is once the two changed places.
    pub(super) stage: Option<RepoPath>,
    /// Where the old file goes if they can't change places, or the store is out of reach.
    pub(super) aside: Option<RepoPath>,
}

/// What a file holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Held {
    /// The [`digest`] of its bytes.
    pub(super) id: String,
    pub(super) size: u64,
    pub(super) executable: bool,
    /// Its permission bits; `None` if the umask decided them.
    pub(super) bits: Option<u16>,
}

impl Held {
    pub(super) fn of(file: &File) -> Self {
        Self {
            id: digest(&file.content),
            size: file.content.len() as u64,
            executable: file.mode.executable,
            bits: file.mode.bits,
        }
    }

    /// Returns whether these are its bytes.
    pub(super) fn has(&self, bytes: &[u8]) -> bool {
        self.size == bytes.len() as u64 && self.id == digest(bytes)
    }
}

const TITLE: &str = "git-llmpatch journal 1";

impl Manifest {
    /// Writes it down.
    pub(super) fn to_bytes(&self) -> BString {
        let mut out = Records::default();
        out.add(TITLE, b"");
        out.add("top", &path_bytes(&self.top));
        out.add(if self.with_index { "index" } else { "lock" }, &path_bytes(&self.index));
        if self.deed == Deed::Undo {
            out.add("undo", b"");
        }
        if let Some(Expected { head, tree }) = &self.commit {
            out.add(&format!("commit {} {tree}", head.as_deref().unwrap_or("-")), b"");
        }
        for Touched { path, before, after, stage, aside } in &self.touched {
            out.add(&format!("path {} {}", word(before.as_ref()), word(after.as_ref())), path.as_bytes());
            for (name, spot) in [("stage", stage), ("aside", aside)] {
                if let Some(spot) = spot {
                    out.add(name, spot.as_bytes());
                }
            }
        }
        self.indexed.iter().for_each(|path| out.add("indexed", path.as_bytes()));
        self.made.iter().for_each(|path| out.add("made", path.as_bytes()));
        self.removed.iter().for_each(|(path, bits)| out.add(&format!("removed {bits:o}"), path.as_bytes()));
        out.sealed()
    }

    /// Reads one; `None` if it isn't whole.
    pub(super) fn parse(bytes: &[u8]) -> Option<Self> {
        let records = Records::parse(bytes, TITLE)?;
        let mut manifest = Manifest::default();
        for record in records {
            let (name, rest) = record.split_once_str(" ")?;
            match name {
                b"top" => manifest.top = Path::new(os(rest)).to_owned(),
                b"index" | b"lock" => {
                    manifest.with_index = name == b"index";
                    manifest.index = Path::new(os(rest)).to_owned();
                }
                b"undo" => manifest.deed = Deed::Undo,
                b"commit" => {
                    let mut words = rest.to_str().ok()?.split(' ');
                    let head = words.next().filter(|head| *head != "-").map(str::to_owned);
                    manifest.commit = Some(Expected { head, tree: words.next()?.to_owned() });
                }
                b"path" => {
                    let (before, rest) = rest.split_once_str(" ")?;
                    let (after, path) = rest.split_once_str(" ")?;
                    let (before, after) = (held(before)?, held(after)?);
                    let path = RepoPath::new(path).ok()?;
                    manifest.touched.push(Touched { path, before, after, stage: None, aside: None });
                }
                b"stage" => manifest.touched.last_mut()?.stage = Some(RepoPath::new(rest).ok()?),
                b"aside" => manifest.touched.last_mut()?.aside = Some(RepoPath::new(rest).ok()?),
                b"indexed" => manifest.indexed.push(RepoPath::new(rest).ok()?),
                b"made" => manifest.made.push(RepoPath::new_after(manifest.made.last(), rest).ok()?),
                b"removed" => {
                    let (bits, path) = rest.split_once_str(" ")?;
                    let bits = u16::from_str_radix(bits.to_str().ok()?, 8).ok()?;
                    let path = RepoPath::new_after(manifest.removed.last().map(|(above, _)| above), path).ok()?;
                    manifest.removed.push((path, bits));
                }
                _ => return None,
            }
        }
        Some(manifest)
    }

    /// Returns every path that it is about.
    pub(super) fn paths(&self) -> impl Iterator<Item = &RepoPath> {
        self.touched.iter().map(|touched| &touched.path).chain(&self.indexed)
    }
}

/// Records that each end in a NUL, the last of which seals those before it.
#[derive(Debug, Default)]
pub(super) struct Records(BString);

impl Records {
    /// Adds one.
    pub(super) fn add(&mut self, name: &str, path: &[u8]) {
        self.0.extend_from_slice(name.as_bytes());
        self.0.push(b' ');
        self.0.extend_from_slice(path);
        self.0.push(0);
    }

    /// Ends them.
    pub(super) fn sealed(mut self) -> BString {
        let seal = content_id(&self.0);
        self.add(&format!("sealed {seal}"), b"");
        self.0
    }

    /// Reads those behind the title; `None` if they aren't whole, or have another.
    pub(super) fn parse<'b>(bytes: &'b [u8], title: &str) -> Option<impl Iterator<Item = &'b [u8]>> {
        let sealed = bytes.rfind(b"sealed ")?;
        if bytes[sealed..] != *format!("sealed {} \0", content_id(&bytes[..sealed])).as_bytes() {
            return None;
        }
        let mut records = bytes[..sealed].split_str("\0").filter(|record| !record.is_empty());
        records.next()?.strip_prefix(title.as_bytes())?;
        Some(records)
    }
}

/// Returns what tells bytes from all others, a hostile patch's included. Large files are gone through twice, before and after, so it is
/// a hash that is several times as fast as git's; what it says is never compared with an object's name.
fn digest(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex().to_string()
}

/// Writes down what a file holds.
pub(super) fn word(held: Option<&Held>) -> String {
    let Some(Held { id, size, executable, bits }) = held else { return "-".to_owned() };
    let bits = bits.map_or_else(|| "-".to_owned(), |bits| format!("{bits:o}"));
    format!("{id}:{size}:{}:{bits}", if *executable { "x" } else { "-" })
}

/// Reads what [`word()`] wrote; the outer `None` if it isn't that.
pub(super) fn held(word: &[u8]) -> Option<Option<Held>> {
    if word == b"-" {
        return Some(None);
    }
    let mut parts = word.to_str().ok()?.split(':');
    let (id, size) = (parts.next()?.to_owned(), parts.next()?.parse().ok()?);
    let executable = parts.next()? == "x";
    let bits = match parts.next()? {
        "-" => None,
        bits => Some(u16::from_str_radix(bits, 8).ok()?),
    };
    Some(Some(Held { id, size, executable, bits }))
}

pub(super) fn os(bytes: &[u8]) -> &std::ffi::OsStr {
    std::os::unix::ffi::OsStrExt::from_bytes(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::Mode;

    #[test]
    fn what_is_written_is_read_and_a_part_of_it_is_not() {
        let path = |path: &str| RepoPath::new(path.as_bytes()).unwrap();
        let file =
            |content: &str, bits| Held::of(&File { content: content.into(), mode: Mode { executable: true, bits } });
        let manifest = Manifest {
            top: "/to p\n".into(),
            index: "/to p/.git/index".into(),
            with_index: true,
            deed: Deed::Undo,
            commit: Some(Expected { head: None, tree: "abc".into() }),
            touched: vec![
                Touched {
                    path: path("a b\nsealed "),
                    before: Some(file("1", Some(0o640))),
                    after: Some(file("2", None)),
                    stage: Some(path(".x")),
                    aside: None,
                },
                Touched { path: path("c"), before: None, after: None, stage: None, aside: Some(path("d/ y")) },
            ],
            indexed: vec![path("i")],
            made: vec![path("m"), path("m/n")],
            removed: vec![(path("r"), 0o2755)],
        };
        let bytes = manifest.to_bytes();
        assert_eq!(Manifest::parse(&bytes), Some(manifest));
        for end in 0..bytes.len() {
            assert_eq!(Manifest::parse(&bytes[..end]), None, "{end}");
        }
    }
}
