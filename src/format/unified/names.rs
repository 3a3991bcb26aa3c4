//! The names in a unified diff: quoted or not, with prefixes or without, and which file they come to.

use std::borrow::Cow;

use super::error::Error;
use super::quote::unquote;

/// A name as it is in the diff, unquoted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Name<'a> {
    pub(super) bytes: Cow<'a, [u8]>,
    /// Where it is in the response.
    pub(super) at: (usize, usize),
}

/// One side of `---` and `+++`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Side<'a> {
    Null,
    Named(Name<'a>),
}

impl<'a> Name<'a> {
    /// Reads the rest of a header line, which is a name and nothing else.
    pub(super) fn whole((text, start): (&'a [u8], usize)) -> Result<Self, Error> {
        let (bytes, len) = read(text)?;
        if len < text.len() { Err(Error::Quoting) } else { Ok(Self { bytes, at: (start, start + len) }) }
    }

    fn rest(&self) -> Option<(u8, &[u8])> {
        prefix(&self.bytes)
    }

    /// Returns whether it means a path, with a prefix or without.
    pub(super) fn means(&self, path: &[u8]) -> bool {
        *self.bytes == *path || self.rest().is_some_and(|(_, rest)| rest == path)
    }

    /// Takes the prefix away.
    pub(super) fn stripped(self) -> Self {
        let Self { bytes, at: (start, end) } = self;
        let start = start + if bytes.len() == end - start { 2 } else { 0 };
        let bytes = match bytes {
            Cow::Borrowed(bytes) => Cow::Borrowed(&bytes[2..]),
            Cow::Owned(bytes) => Cow::Owned(bytes[2..].to_vec()),
        };
        Self { bytes, at: (start, end) }
    }
}

impl<'a> Side<'a> {
    /// Reads what follows `--- ` or `+++ `: a name, and behind a tab what `diff -u` says of the time.
    pub(super) fn read((text, start): (&'a [u8], usize)) -> Result<Self, Error> {
        let (bytes, len) = read(text)?;
        if text.get(len).is_some_and(|&byte| byte != b'\t' && byte != b' ') {
            return Err(Error::Quoting);
        }
        let name = Name { bytes, at: (start, start + len) };
        Ok(if *name.bytes == *b"/dev/null" { Side::Null } else { Side::Named(name) })
    }
}

/// Reads a name, quoted or up to a tab; returns it and how much of the text it takes.
fn read(text: &[u8]) -> Result<(Cow<'_, [u8]>, usize), Error> {
    if text.starts_with(b"\"") {
        let (bytes, len) = unquote(text).ok_or(Error::Quoting)?;
        return Ok((bytes.into(), len));
    }
    let len = memchr::memchr(b'\t', text).unwrap_or(text.len());
    Ok((text[..len].into(), len))
}

/// The prefixes that git puts before names, `diff.mnemonicPrefix` or not.
const OLD: &[u8] = b"acio1";
const NEW: &[u8] = b"biw2";

fn prefix(name: &[u8]) -> Option<(u8, &[u8])> {
    match name {
        [letter, b'/', rest @ ..] if !rest.is_empty() && (OLD.contains(letter) || NEW.contains(letter)) => {
            Some((*letter, rest))
        }
        _ => None,
    }
}

/// Returns the one path that the names of both sides mean.
pub(super) fn join<'a>(old: Name<'a>, new: Name<'a>) -> Option<Name<'a>> {
    match (old.rest(), new.rest()) {
        (Some((a, old_rest)), Some((b, new_rest))) if a != b => (old_rest == new_rest).then(|| new.stripped()),
        _ => (old.bytes == new.bytes).then_some(new),
    }
}

/// Returns the path that a name means whose other side is `/dev/null`: the usual letter of its side is a prefix.
pub(super) fn alone(name: Name<'_>, is_new: bool) -> Name<'_> {
    let usual = if is_new { NEW } else { OLD };
    if name.rest().is_some_and(|(letter, _)| usual.contains(&letter)) { name.stripped() } else { name }
}

/// Splits what follows `diff --git `, if it can be: names without quotes may have whitespace in them, so that only two names of
/// one length, or ones without any space, can be told apart.
pub(super) fn split(text: &[u8]) -> Option<[Cow<'_, [u8]>; 2]> {
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
    let halves = |at: usize| (at > 0 && text.get(at) == Some(&b' ')).then(|| [&text[..at], &text[at + 1..]]);
    let same = |[old, new]: &[&[u8]; 2]| match (prefix(old), prefix(new)) {
        (Some((a, old_rest)), Some((b, new_rest))) if a != b => old_rest == new_rest,
        _ => old == new,
    };
    let only = || memchr::memchr(b' ', text).filter(|&at| memchr::memrchr(b' ', text) == Some(at)).and_then(halves);
    let pair = halves(text.len() / 2).filter(same).or_else(only)?;
    pair.iter().all(|name| !name.is_empty()).then(|| pair.map(Cow::from))
}
