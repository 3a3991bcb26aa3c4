//! The names in a unified diff: quoted or not, with prefixes or without, and which file they come
//! to.

use std::borrow::Cow;

use super::error::Error;
use super::quote::unquote;
use crate::text::{Row, Span, Text};

/// Reads the rest of a header line, which is a name and nothing else.
pub(super) fn whole(row: Row<'_>) -> Result<Text<'_>, Error> {
    let (name, len) = read(row)?;
    if len < row.text.len() {
        Err(Error::Quoting)
    } else {
        Ok(name)
    }
}

/// Reads what follows `--- ` or `+++ `: a name, unless it is `/dev/null`, and behind a tab what
/// `diff -u` says of the time.
pub(super) fn side(row: Row<'_>) -> Result<Option<Text<'_>>, Error> {
    let (name, len) = read(row)?;
    if row
        .text
        .get(len)
        .is_some_and(|&byte| byte != b'\t' && byte != b' ')
    {
        return Err(Error::Quoting);
    }
    Ok(Some(name).filter(|name| **name != *b"/dev/null"))
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

/// Returns whether a name means a path, with a prefix or without.
pub(super) fn means(name: &[u8], path: &[u8]) -> bool {
    name == path || prefix(name).is_some_and(|(_, rest)| rest == path)
}

/// Takes the prefix away.
fn stripped(name: Text<'_>) -> Text<'_> {
    let is_plain = |span: &Span| name.bytes.len() == (span.end - span.start) as usize;
    let span = name.span.map(|span| Span {
        start: span.start + if is_plain(&span) { 2 } else { 0 },
        ..span
    });
    let bytes = match name.bytes {
        Cow::Borrowed(bytes) => Cow::Borrowed(&bytes[2..]),
        Cow::Owned(bytes) => Cow::Owned(bytes[2..].to_vec()),
    };
    Text { bytes, span }
}

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

/// Returns the one path that the names of both sides mean.
pub(super) fn join<'a>(old: Text<'a>, new: Text<'a>) -> Option<Text<'a>> {
    match are_one(&old, &new) {
        (true, true) => Some(stripped(new)),
        (true, false) => Some(new),
        _ => None,
    }
}

/// Returns whether two names mean one path, and whether they have different prefixes.
fn are_one(old: &[u8], new: &[u8]) -> (bool, bool) {
    match (prefix(old), prefix(new)) {
        (Some((a, old)), Some((b, new))) if a != b => (old == new, true),
        _ => (old == new, false),
    }
}

/// Returns the path that a name means whose other side is `/dev/null`: the usual letter of its side
/// is a prefix.
pub(super) fn alone(name: Text<'_>, is_new: bool) -> Text<'_> {
    let usual = if is_new { NEW } else { OLD };
    if prefix(&name).is_some_and(|(letter, _)| usual.contains(&letter)) {
        stripped(name)
    } else {
        name
    }
}

/// Splits what follows `diff --git `, if it can be: names without quotes may have whitespace in
/// them, so that only two names of one length, or ones without any space, can be told apart.
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
    let halves =
        |at: usize| (at > 0 && text.get(at) == Some(&b' ')).then(|| [&text[..at], &text[at + 1..]]);
    let only = || {
        memchr::memchr(b' ', text)
            .filter(|&at| memchr::memrchr(b' ', text) == Some(at))
            .and_then(halves)
    };
    let pair = halves(text.len() / 2)
        .filter(|[old, new]| are_one(old, new).0)
        .or_else(only)?;
    pair.iter()
        .all(|name| !name.is_empty())
        .then(|| pair.map(Cow::from))
}
