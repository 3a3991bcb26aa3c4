//! What is before the hunks of a section, and which file, which status and which modes it comes to.

use bstr::ByteSlice as _;

use super::error::Error;
use super::names::{Naming, SideName};
use super::rows::Rows;
use crate::format::excerpt;
use crate::patch::{Binary, Header, Status};
use crate::text::{Located, Row, Text};

/// Header lines below `diff --git`, by how they begin.
const EXTENDED: [&[u8]; 15] = [
    b"old mode ",
    b"new mode ",
    b"deleted file mode ",
    b"new file mode ",
    b"rename from ",
    b"rename to ",
    b"rename old ",
    b"rename new ",
    b"copy from ",
    b"copy to ",
    b"similarity index ",
    b"dissimilarity index ",
    b"index ",
    Binary::HEADER,
    b"Binary files ",
];

/// Returns whether a line goes on with what `diff --git` began.
pub(super) fn continues(row: Option<Row<'_>>) -> bool {
    row.is_some_and(|row| {
        row.text.starts_with(b"--- ") || EXTENDED.iter().any(|start| row.text.starts_with(start))
    })
}

/// What a section's header says, before it is known whether that goes together.
#[derive(Default)]
pub(super) struct RawHeader<'a> {
    naming: Naming,
    /// The names behind `diff --git`, if they could be told apart.
    git: Option<[Text<'a>; 2]>,
    /// What is behind `---` and `+++`.
    sides: Option<[SideName<'a>; 2]>,
    old_mode: Option<u32>,
    new_mode: Option<u32>,
    deleted: bool,
    new: bool,
    rename: [Option<Text<'a>>; 2],
    copy: [Option<Text<'a>>; 2],
    similarity: Option<u8>,
    ids: Option<(String, String)>,
    /// Whether it is said that the file is binary, and no more.
    is_binary: bool,
    /// Whether what is below the header is a binary patch.
    pub(super) has_binary_patch: bool,
    pub(super) errors: Vec<Located<Error>>,
}

/// Reads the id of an object, whole or abbreviated.
fn id(text: &[u8]) -> Option<String> {
    let is_id = !text.is_empty() && text.iter().all(u8::is_ascii_hexdigit);
    is_id.then(|| text.to_str_lossy().into_owned())
}

/// What a header comes to.
pub(super) struct FileHeader<'a> {
    pub(super) path: Text<'a>,
    pub(super) to: Option<Text<'a>>,
    pub(super) header: Header,
    pub(super) depth: Option<usize>,
}

impl<'a> RawHeader<'a> {
    /// Reads the header of the section that starts at a line; returns the line behind it too.
    pub(super) fn read(rows: &Rows<'a, '_>, begin: usize) -> (Self, usize) {
        let naming = rows.naming();
        let mut raw = Self {
            naming,
            ..Self::default()
        };
        let mut index = begin;
        if let Some(row) = rows.get(index)
            && row.text.starts_with(b"diff --git ")
        {
            let names = row.behind(b"diff --git ".len());
            let pair = naming.split(names.text);
            let [old, new] = pair.map_or([false; 2], |[old, new]| naming.are_null([&old, &new]));
            raw.new = old || names.text.starts_with(b"/dev/null ");
            raw.deleted = new || names.text.ends_with(b" /dev/null");
            raw.git = raw.read_of(row, naming.git(names)).flatten();
            index += 1;
            while let Some(row) = rows.get(index)
                && let Some(start) = EXTENDED.iter().find(|start| row.text.starts_with(start))
            {
                raw.extended(row, start);
                index += 1;
                if raw.is_binary || raw.has_binary_patch {
                    return (raw, index);
                }
            }
        }
        if rows.starts_with(index, b"--- ") && rows.starts_with(index + 1, b"+++ ") {
            let sides = [index, index + 1].map(|at| {
                rows.get(at)
                    .and_then(|row| raw.read_of(row, naming.side(row.behind(4))))
            });
            if let [Some(old), Some(new)] = sides {
                raw.sides = Some(naming.nulls([old, new]));
            }
            index += 2;
        }
        (raw, index)
    }

    /// Returns what was read of a line, or records what is wrong with it.
    fn read_of<T>(&mut self, row: Row<'_>, read: Result<T, Error>) -> Option<T> {
        read.map_err(|error| self.errors.push(Located::new(row.span, error)))
            .ok()
    }

    fn extended(&mut self, row: Row<'a>, start: &[u8]) {
        let rest = row.behind(start.len());
        let text = rest.text;
        match start {
            b"old mode " => self.old_mode = self.mode(text, row),
            b"new mode " => self.new_mode = self.mode(text, row),
            b"deleted file mode " => (self.deleted, self.old_mode) = (true, self.mode(text, row)),
            b"new file mode " if text.trim_ascii_end() == b"120000" => {
                (self.new, self.new_mode) = (true, Some(0o120_000));
            }
            b"new file mode " => (self.new, self.new_mode) = (true, self.mode(text, row)),
            b"rename from " | b"rename old " => {
                self.rename[0] = self.read_of(row, self.naming.whole(rest))
            }
            b"rename to " | b"rename new " => {
                self.rename[1] = self.read_of(row, self.naming.whole(rest))
            }
            b"copy from " => self.copy[0] = self.read_of(row, self.naming.whole(rest)),
            b"copy to " => self.copy[1] = self.read_of(row, self.naming.whole(rest)),
            b"similarity index " => {
                let percent = text
                    .strip_suffix(b"%")
                    .and_then(|digits| digits.to_str().ok()?.parse().ok());
                self.similarity = percent.filter(|percent| *percent <= 100);
            }
            b"index " => self.index(text, row),
            b"Binary files " => self.is_binary = true,
            Binary::HEADER => self.has_binary_patch = true,
            _ => {}
        }
    }

    fn mode(&mut self, text: &[u8], row: Row<'_>) -> Option<u32> {
        let mode = text
            .trim_ascii_end()
            .to_str()
            .ok()
            .and_then(|digits| u32::from_str_radix(digits, 8).ok());
        let read = match mode {
            // git keeps whether a file is executable by its owner.
            Some(mode) if mode & 0o170_000 == 0o100_000 => Ok(if mode & 0o100 == 0 {
                0o100_644
            } else {
                0o100_755
            }),
            Some(mode) if mode > 0o7777 => Err(Error::Mode { mode }),
            _ => Err(Error::NoMode {
                text: excerpt(text),
            }),
        };
        self.read_of(row, read)
    }

    fn index(&mut self, text: &[u8], row: Row<'_>) {
        let (ids, mode) = text
            .split_once_str(" ")
            .map_or((text, None), |(ids, mode)| (ids, Some(mode)));
        let Some((old, new)) = ids.split_once_str("..") else {
            return;
        };
        let [Some(old), Some(new)] = [old, new].map(id) else {
            return;
        };
        self.ids = Some((old, new));
        if let Some(mode) = mode.and_then(|mode| self.mode(mode, row)) {
            // A mode here is one that stays.
            self.old_mode = self.old_mode.or(Some(mode));
            self.new_mode = self.new_mode.or(Some(mode));
        }
    }

    /// Returns the name behind `---` (0) or `+++` (1), if it is one.
    fn side(&self, at: usize) -> Option<&Text<'a>> {
        self.sides.as_ref()?[at].name.as_ref()
    }

    /// Returns whether the time behind `---` (0) or `+++` (1) says that no file is there. git's own
    /// header says it otherwise.
    fn is_epoch(&self, at: usize) -> bool {
        self.sides.as_ref().is_some_and(|sides| sides[at].is_epoch)
    }

    /// Returns whether the old (0) or the new (1) side is said to be no file.
    fn is_null(&self, at: usize) -> bool {
        let side = self.sides.as_ref().map(|sides| &sides[at]);
        let by_time = self.git.is_none() && self.is_epoch(at) && !self.is_epoch(1 - at);
        by_time || side.is_some_and(|side| side.name.is_none())
    }

    /// Returns the paths that it names, for when nothing better is known of them.
    pub(super) fn paths(&self) -> Vec<Text<'a>> {
        let mut paths: Vec<Text<'a>> = Vec::new();
        let of_git = self
            .git
            .clone()
            .and_then(|[old, new]| self.naming.join(old, new));
        let of_sides = match (self.side(0).cloned(), self.side(1).cloned()) {
            (Some(old), Some(new)) => {
                let both = [
                    self.naming.alone(old.clone(), false),
                    self.naming.alone(new.clone(), true),
                ];
                let joined = self.naming.join(old, new);
                joined.map_or_else(|| both.to_vec(), |one| vec![one])
            }
            (Some(name), None) => vec![self.naming.alone(name, false)],
            (None, Some(name)) => vec![self.naming.alone(name, true)],
            (None, None) => Vec::new(),
        };
        let moved = self.rename.iter().chain(&self.copy).flatten().cloned();
        for name in moved.chain(of_git).chain(of_sides) {
            if paths.iter().all(|path| path.bytes != name.bytes) {
                paths.push(name);
            }
        }
        paths
    }

    /// Works out what it comes to.
    pub(super) fn resolve(self) -> Result<FileHeader<'a>, Error> {
        if self.is_binary {
            let path = self
                .paths()
                .into_iter()
                .next_back()
                .map(|name| name.bytes.into_owned().into());
            return Err(Error::Binary { path });
        }
        let moved = match (&self.rename, &self.copy) {
            ([None, None], [None, None]) => None,
            ([Some(from), Some(to)], [None, None]) => {
                Some((Status::Renamed, from.clone(), to.clone()))
            }
            ([None, None], [Some(from), Some(to)]) => {
                Some((Status::Copied, from.clone(), to.clone()))
            }
            _ => return Err(Error::HalfRename),
        };
        let is_new = self.new || self.is_null(0);
        let is_gone = self.deleted || self.is_null(1);
        let contradicts = self.new && self.sides.is_some() && !self.is_null(0)
            || self.deleted && self.sides.is_some() && !self.is_null(1)
            || moved.is_some() && (is_new || is_gone);
        if contradicts || is_new && is_gone {
            return Err(Error::Contradiction);
        }
        let (status, path, to) = match moved {
            Some((status, from, to)) => {
                self.agree(&from.bytes, &to.bytes)?;
                (status, from, Some(to))
            }
            None => {
                let path = self.only_path()?;
                self.agree(&path.bytes, &path.bytes)?;
                let status = match (is_new, is_gone) {
                    (true, _) => Status::Added,
                    (_, true) => Status::Deleted,
                    _ => Status::Modified,
                };
                (status, path, None)
            }
        };
        let mut sides = self.sides.iter().flatten();
        let depth = sides.find_map(|side| side.depth);
        let header = Header {
            status,
            old_mode: self.old_mode.filter(|_| !is_new),
            new_mode: self.new_mode.filter(|_| !is_gone),
            ids: self.ids,
            similarity: self.similarity.filter(|_| to.is_some()),
            binary: None,
        };
        Ok(FileHeader {
            path,
            to,
            header,
            depth,
        })
    }

    /// Returns the path that a section without rename and copy is about.
    fn only_path(&self) -> Result<Text<'a>, Error> {
        let of_git = match self.git.clone() {
            Some([old, new]) => Some(self.one(old, new)?),
            None => None,
        };
        let means = |name: &Text<'a>, path: &Text<'a>| self.naming.means(name, path);
        let sides = self.sides.clone().map(|sides| sides.map(|side| side.name));
        Ok(match (sides, of_git) {
            (Some([Some(old), Some(new)]), git) => {
                match git {
                    // The letters were decided there: `+++ a/x` may be `x` then.
                    Some(git) if means(&old, &git) && means(&new, &git) => {
                        return Ok(Text {
                            span: new.span,
                            ..git
                        });
                    }
                    _ => self.one(old, new)?,
                }
            }
            (Some([None, None]), _) => return Err(Error::Contradiction),
            (Some([Some(name), _]), Some(git)) | (Some([_, Some(name)]), Some(git)) => Text {
                span: name.span,
                ..git
            },
            (Some([Some(name), _]), None) => self.naming.alone(name, false),
            (Some([_, Some(name)]), None) => self.naming.alone(name, true),
            (None, Some(git)) => git,
            (None, None) => return Err(Error::NoName),
        })
    }

    fn one(&self, old: Text<'a>, new: Text<'a>) -> Result<Text<'a>, Error> {
        let both = [&old, &new].map(|name| excerpt(&name.bytes));
        self.naming.join(old, new).ok_or_else(|| {
            let [old, new] = both;
            Error::TwoNames { old, new }
        })
    }

    /// Checks that all names are the names that were decided on.
    fn agree(&self, old: &[u8], new: &[u8]) -> Result<(), Error> {
        let is_moved = self.rename[0].is_some() || self.copy[0].is_some();
        let means = |name: &[u8], path: &[u8]| {
            let is_written_so = self.naming.means(name, path);
            is_written_so
                || if is_moved {
                    self.naming.is_prefixed(name, path)
                } else {
                    self.naming.is_backup(name, path)
                }
        };
        for (at, path) in [old, new].into_iter().enumerate() {
            let git = self.git.as_ref().map(|git| &git[at]);
            if let Some(name) = git
                .into_iter()
                .chain(self.side(at))
                .find(|name| !means(name, path))
            {
                return Err(Error::OtherName {
                    name: excerpt(&name.bytes),
                    path: excerpt(path),
                });
            }
        }
        Ok(())
    }
}
