//! The names in a unified diff: quoted or not, with prefixes or without, and which file they come
//! to.

use std::borrow::Cow;

use bstr::ByteSlice as _;

use super::error::Error;
use super::quote::unquote;
use super::time::{is_epoch, time_len};
use crate::format::{Options, excerpt};
use crate::text::{Row, Span, Text};

/// A name behind `---` or `+++`.
#[derive(Clone, Debug)]
pub(super) struct SideName<'a> {
    /// The name; none for `/dev/null`.
    pub(super) name: Option<Text<'a>>,
    /// Whether its time is the epoch, by which `diff -N` says that the file isn't there.
    pub(super) is_epoch: bool,
    /// How many directories `-p` may take off it, where nothing says how many it is to take.
    pub(super) depth: Option<usize>,
}

/// Reads a name, quoted or up to a tab; returns it unquoted, and how much of the text it takes.
fn read(row: Row<'_>) -> Result<(Text<'_>, usize), Error> {
    if row.text.starts_with(b"\"") {
        let (bytes, len) = unquote(row.text).ok_or(Error::Quoting)?;
        return Ok((
            Text {
                bytes: bytes.into(),
                ..row.part(0..len)
            },
            len,
        ));
    }
    let len = memchr::memchr(b'\t', row.text).unwrap_or(row.text.len());
    Ok((row.part(0..len), len))
}

/// Takes the first bytes of a name away.
fn behind(name: Text<'_>, len: usize) -> Text<'_> {
    let is_plain = |span: &Span| name.bytes.len() == (span.end - span.start) as usize;
    let span = name.span.map(|span| Span {
        start: span.start + if is_plain(&span) { len as u32 } else { 0 },
        ..span
    });
    let bytes = match name.bytes {
        Cow::Borrowed(bytes) => Cow::Borrowed(&bytes[len..]),
        Cow::Owned(bytes) => Cow::Owned(bytes[len..].to_vec()),
    };
    Text { bytes, span }
}

/// What is named in place of a file that isn't there.
const NULL: &[u8] = b"/dev/null";

/// The prefixes that git puts before names, `diff.mnemonicPrefix` or not.
const OLD: &[u8] = b"acio1";
const NEW: &[u8] = b"biw2";

fn prefix(name: &[u8]) -> Option<(u8, &[u8])> {
    match name {
        [letter, b'/', rest @ ..]
            if !rest.is_empty() && (OLD.contains(letter) || NEW.contains(letter)) =>
        {
            Some((*letter, rest))
        }
        _ => None,
    }
}

/// Returns the length of the first `count` directories of a name, each up to a slash; `None` if it
/// has fewer.
fn directories(name: &[u8], count: u32) -> Option<usize> {
    let mut at = 0;
    for _ in 0..count {
        at += memchr::memchr(b'/', &name[at..])? + 1;
    }
    Some(at).filter(|&at| at < name.len())
}

/// Returns how long the `./` is with which a name begins, however often.
fn dots(name: &[u8]) -> usize {
    let mut rest = name;
    while let Some(behind) = rest.strip_prefix(b"./") {
        rest = behind;
    }
    name.len() - rest.len()
}

/// How names come to paths: without some of their first directories, or else without git's letters.
#[derive(Clone, Copy, Default)]
pub(super) struct Naming {
    strip: Option<u32>,
}

impl Naming {
    pub(super) fn new(options: &Options<'_>) -> Self {
        let strip = options.strip;
        Self { strip }
    }

    /// Reads the rest of a header line, which is a name without a prefix and nothing else.
    pub(super) fn whole<'a>(&self, row: Row<'a>) -> Result<Text<'a>, Error> {
        let (name, len) = read(row)?;
        if len < row.text.len() {
            return Err(Error::Quoting);
        }
        // git counts the prefix that is missing here.
        self.stripped(name, 1)
    }

    /// Reads what follows `--- ` or `+++ `: a name, unless it is `/dev/null`, and behind a tab or
    /// spaces what `diff -u` says of the time.
    pub(super) fn side<'a>(&self, row: Row<'a>) -> Result<SideName<'a>, Error> {
        let (mut name, mut len) = read(row)?;
        let time_len = time_len(row.text);
        if len == row.text.len() && time_len > 0 {
            len -= time_len;
            name = row.part(0..len);
        }
        let time = row.text.get(len..).unwrap_or_default();
        if time.first().is_some_and(|byte| !b"\t ".contains(byte)) {
            return Err(Error::Quoting);
        }
        let is_epoch = is_epoch(time) == Some(true);
        let is_null = name
            .strip_prefix(NULL)
            .is_some_and(|rest| rest.first().is_none_or(u8::is_ascii_whitespace));
        let depth = (!is_null && self.strip.is_none()).then(|| name.find_iter("/").count());
        let name = (!is_null).then(|| self.stripped(name, 0)).transpose()?;
        Ok(SideName {
            name,
            is_epoch,
            depth,
        })
    }

    /// Takes as many directories off a name as were asked for, less the directories that it lacks.
    fn stripped<'a>(&self, name: Text<'a>, lacks: u32) -> Result<Text<'a>, Error> {
        let Some(strip) = self.strip else {
            let len = dots(&name);
            return Ok(behind(name, len));
        };
        match directories(&name, strip.saturating_sub(lacks)) {
            Some(len) => Ok(behind(name, len)),
            None => Err(Error::TooShort {
                name: excerpt(&name),
                strip,
            }),
        }
    }

    /// Returns the prefix of a name, if names are to be seen for themselves.
    fn prefix<'n>(&self, name: &'n [u8]) -> Option<(u8, &'n [u8])> {
        prefix(name).filter(|_| self.strip.is_none())
    }

    /// Returns whether a name means a path, with a prefix or without.
    pub(super) fn means(&self, name: &[u8], path: &[u8]) -> bool {
        name == path || self.prefix(name).is_some_and(|(_, rest)| rest == path)
    }

    /// Returns whether a name is that of a path's backup, with a prefix or without.
    pub(super) fn is_backup(&self, name: &[u8], path: &[u8]) -> bool {
        let rest = self.prefix(name).map(|(_, rest)| rest);
        is_backup(name, path) || rest.is_some_and(|rest| is_backup(rest, path))
    }

    /// Returns whether a name means a path that a header has without any prefix.
    pub(super) fn is_prefixed(&self, name: &[u8], path: &[u8]) -> bool {
        let rest = name.split_once_str("/").map(|(_, rest)| rest);
        self.strip.is_none() && rest == Some(path)
    }

    /// Returns whether an old (0) or a new (1) name begins with a letter of git's for its side.
    fn has_letter(&self, name: &[u8], side: usize) -> bool {
        self.prefix(name)
            .is_some_and(|(letter, _)| [OLD, NEW][side].contains(&letter))
    }

    /// Returns the path that the names of both sides mean: the shorter, if the other is of a backup.
    pub(super) fn join<'a>(&self, old: Text<'a>, new: Text<'a>) -> Option<Text<'a>> {
        let (are_one, have_letters) = self.are_one(&old, &new);
        let [old, new] = [old, new].map(|name| behind(name, if have_letters { 2 } else { 0 }));
        if are_one || is_backup(&old, &new) {
            return Some(new);
        }
        is_backup(&new, &old).then_some(old)
    }

    /// Returns whether two names mean one path, and whether they have different prefixes.
    fn are_one(&self, old: &[u8], new: &[u8]) -> (bool, bool) {
        match (self.prefix(old), self.prefix(new)) {
            (Some((a, old)), Some((b, new))) if a != b => (old == new, true),
            _ => (old == new, false),
        }
    }

    /// Returns the path that a name means whose other side is `/dev/null`: the usual letter of its
    /// side is a prefix.
    pub(super) fn alone<'a>(&self, name: Text<'a>, is_new: bool) -> Text<'a> {
        if self.has_letter(&name, usize::from(is_new)) {
            behind(name, 2)
        } else {
            name
        }
    }

    /// Reads what follows `diff --git `, if its two names can be told apart. Where a side is
    /// `/dev/null`, the other name is that of both.
    pub(super) fn git<'a>(&self, row: Row<'a>) -> Result<Option<[Text<'a>; 2]>, Error> {
        let Some(pair) = self.split(row.text) else {
            return Ok(None);
        };
        let is_null = self.are_null([&pair[0], &pair[1]]);
        let [old, new] = pair.map(|bytes| {
            let span = Some(row.span);
            self.stripped(Text { bytes, span }, 0)
        });
        let pair = match (is_null, old?, new?) {
            ([true, false], _, new) => [self.alone(new.clone(), true), self.alone(new, true)],
            ([false, true], old, _) => [self.alone(old.clone(), false), self.alone(old, false)],
            (_, old, new) => [old, new],
        };
        // git then looks at the other names alone.
        let is_apart = self.strip.is_some() && pair[0] != pair[1];
        Ok((!is_apart).then_some(pair))
    }

    /// Returns which of two names is no file's. A program may put its letter before `/dev/null`, too.
    pub(super) fn are_null(&self, pair: [&[u8]; 2]) -> [bool; 2] {
        let are_null = pair.map(|name| {
            let rest = self.prefix(name).map(|(_, rest)| rest);
            name == NULL || rest.is_some_and(|rest| rest == &NULL[1..])
        });
        are_null.map(|is_null| is_null && are_null != [true, true])
    }

    /// Returns the names behind `---` and `+++`, a name that is no file's taken away.
    pub(super) fn nulls<'a>(&self, sides: [SideName<'a>; 2]) -> [SideName<'a>; 2] {
        let [old, new] = &sides;
        let (Some(a), Some(b)) = (&old.name, &new.name) else {
            return sides;
        };
        let [is_old, is_new] = self.are_null([a, b]);
        let [old, new] = sides;
        [(old, is_old), (new, is_new)].map(|(side, is_null)| SideName {
            name: side.name.filter(|_| !is_null),
            ..side
        })
    }

    /// Splits what follows `diff --git `, if it can be: names without quotes may have whitespace in
    /// them, so that only two names of equal length, or names without any space, can be told apart.
    pub(super) fn split<'a>(&self, text: &'a [u8]) -> Option<[Cow<'a, [u8]>; 2]> {
        if text.starts_with(b"\"") {
            let (old, len) = unquote(text)?;
            let rest = text[len..].strip_prefix(b" ")?;
            let new = if rest.starts_with(b"\"") {
                let (new, len) = unquote(rest)?;
                (len == rest.len()).then(|| new.into())?
            } else {
                Cow::from(rest)
            };
            return Some([old.into(), new]);
        }
        if text.ends_with(b"\"") {
            let at = memchr::memmem::find(text, b" \"")?;
            let (new, len) = unquote(&text[at + 1..])?;
            return (at + 1 + len == text.len()).then(|| [text[..at].into(), new.into()]);
        }
        let pair = halves(text, text.len() / 2).filter(|pair| self.are_alike(*pair));
        let pair = pair.or_else(|| {
            let only = memchr::memchr(b' ', text)?;
            halves(text, only).filter(|_| memchr::memrchr(b' ', text) == Some(only))
        })?;
        pair.iter()
            .all(|name| !name.is_empty())
            .then(|| pair.map(Cow::from))
    }

    /// Returns whether two names are the same without what is taken off them.
    fn are_alike(&self, [old, new]: [&[u8]; 2]) -> bool {
        match self.strip {
            Some(strip) => {
                let rest = |name: &[u8]| directories(name, strip).map(|len| name[len..].to_vec());
                rest(old).is_some() && rest(old) == rest(new)
            }
            None => {
                let rest = |name: &[u8]| Some(name.split_once_str("/")?.1.to_vec());
                self.are_one(old, new).0 || rest(old).is_some() && rest(old) == rest(new)
            }
        }
    }
}

/// Returns whether a name is that of a path's backup.
fn is_backup(name: &[u8], path: &[u8]) -> bool {
    let end = name.strip_prefix(path);
    end.is_some_and(|end| [&b".orig"[..], b"~", b".bak"].contains(&end))
}

/// Splits a text at a space that isn't its first byte.
fn halves(text: &[u8], at: usize) -> Option<[&[u8]; 2]> {
    (at > 0 && text.get(at) == Some(&b' ')).then(|| [&text[..at], &text[at + 1..]])
}
