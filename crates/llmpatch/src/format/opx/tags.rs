//! Tags and their attributes, each with its place: `<name a="…" b='…'>`, `<name/>`, `</name>`.
//!
//! This is no XML reader and knows nothing of payloads; whoever calls it says where a tag may be. A
//! tag ends at its `>`, and where that is missing, before the next `<` outside of quotes, so that a
//! broken tag never eats what follows. For the same reason a quoted value ends on its line, and
//! before a tag of the format (`&lt;edit` is one way to have that in a value). So no scan of a tag
//! goes past where the next tag of the format begins, and the tags of a text can be scanned from
//! each `<` in linear time, whatever quotes are in it.

use std::borrow::Cow;
use std::ops::Range;

use memchr::{memchr, memchr3_iter};

use super::error::Error;
use super::reader::shortened;
use super::work;
use crate::text::decode;

/// Returns whether bytes begin with a tag at which OPX starts: `<edit` with an attribute `op` or
/// `file`, or `<opx`.
///
/// Only an attribute that has a value counts: `<edit file>` is somebody's HTML.
pub(crate) fn starts_here(bytes: &[u8]) -> bool {
    match name_at(bytes, 0) {
        Some((Form::Open, name)) if is(name, "opx") => true,
        Some((Form::Open, name)) if is(name, "edit") => scan(bytes, 0)
            .is_some_and(|tag| tag.attribute("op").or(tag.attribute("file")).is_some()),
        _ => false,
    }
}

/// Whether a tag opens an element, closes one, or is a whole element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Open,
    Empty,
    Close,
}

/// A tag.
#[derive(Debug)]
pub(super) struct Tag<'a> {
    /// The name as written.
    pub(super) name: &'a [u8],
    pub(super) form: Form,
    /// From the `<` to behind the `>`.
    pub(super) range: Range<usize>,
    /// The attributes that have a value, in order; of several with the same name only the first.
    pub(super) attributes: Vec<Attribute<'a>>,
    /// What is wrong with it: all kinds that are, but not each a thousand times.
    pub(super) flaws: Vec<(Range<usize>, Error)>,
}

/// An attribute and its value.
#[derive(Debug)]
pub(super) struct Attribute<'a> {
    /// The name as written.
    pub(super) name: &'a [u8],
    /// The value, its entities decoded.
    pub(super) value: Cow<'a, [u8]>,
    /// Where the value is, without quotes.
    pub(super) value_at: Range<usize>,
    /// Name, `=` and value.
    pub(super) range: Range<usize>,
    /// Whether its quotes are typographic.
    pub(super) typographic: bool,
}

impl<'a> Tag<'a> {
    /// Returns whether it has this name, in any case.
    pub(super) fn is(&self, name: &str) -> bool {
        is(self.name, name)
    }

    /// Returns the attribute of this name, in any case.
    pub(super) fn attribute(&self, name: &str) -> Option<&Attribute<'a>> {
        self.attributes
            .iter()
            .find(|attribute| is(attribute.name, name))
    }
}

/// The elements of the format.
const NAMES: [&str; 6] = ["edit", "opx", "find", "put", "to", "why"];

/// How many attributes of a tag, and how many of its flaws, are kept. No tag has as many that
/// anybody meant.
const KEPT: usize = 100;

/// Compares names as OPX does, in any case.
pub(super) fn is(written: &[u8], name: &str) -> bool {
    written.eq_ignore_ascii_case(name.as_bytes())
}

/// Reads no more of a tag than its name, and whether it opens or closes. Returns `None` where no
/// tag is.
pub(super) fn name_at(bytes: &[u8], at: usize) -> Option<(Form, &[u8])> {
    let rest = bytes.get(at..)?.strip_prefix(b"<")?;
    let (form, rest) = rest
        .strip_prefix(b"/")
        .map_or((Form::Open, rest), |rest| (Form::Close, rest));
    let len = rest
        .iter()
        .position(|&byte| !is_name_byte(byte))
        .unwrap_or(rest.len());
    let name = &rest[..len];
    work::add(2 + len);
    let complete = rest
        .get(len)
        .is_none_or(|&next| next.is_ascii_whitespace() || matches!(next, b'>' | b'/' | b'<'));
    (complete && name.first().is_some_and(u8::is_ascii_alphabetic)).then_some((form, name))
}

/// Returns the places in a range where a tag may begin: its `<`s.
pub(super) fn starts(bytes: &[u8], range: Range<usize>) -> impl Iterator<Item = usize> {
    let mut from = range.start;
    std::iter::from_fn(move || {
        let found = memchr(b'<', &bytes[from..range.end]);
        work::add(found.map_or(range.end - from, |at| at + 1));
        let at = from + found?;
        from = at + 1;
        Some(at)
    })
}

/// Reads the tag that begins at `at`. Returns `None` where no tag is.
pub(super) fn scan(bytes: &[u8], at: usize) -> Option<Tag<'_>> {
    let (form, name) = name_at(bytes, at)?;
    let pos = at + 1 + usize::from(form == Form::Close) + name.len();
    let tag = Tag {
        name,
        form,
        range: at..pos,
        attributes: Vec::new(),
        flaws: Vec::new(),
    };
    Some(
        Scanner {
            bytes,
            pos,
            tag,
            foreign: None,
        }
        .finish(),
    )
}

pub(super) fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b':')
}

struct Scanner<'a> {
    bytes: &'a [u8],
    pos: usize,
    tag: Tag<'a>,
    /// Where that which is no attribute begins; the first counts, the rest is read for attributes
    /// all the same.
    foreign: Option<usize>,
}

impl<'a> Scanner<'a> {
    fn finish(mut self) -> Tag<'a> {
        let closed = loop {
            let gap = self.skip_whitespace();
            match self.bytes.get(self.pos) {
                None | Some(b'<') => break false,
                Some(b'>') => {
                    self.pos += 1;
                    break true;
                }
                Some(b'/') if self.bytes.get(self.pos + 1) == Some(&b'>') => {
                    if self.tag.form == Form::Open {
                        self.tag.form = Form::Empty;
                    } else {
                        self.foreign.get_or_insert(self.pos);
                    }
                    self.pos += 2;
                    break true;
                }
                Some(_) => {
                    if !gap || self.tag.form == Form::Close {
                        self.foreign.get_or_insert(self.pos);
                    }
                    self.attribute();
                }
            }
        };
        work::add(self.pos - self.tag.range.start);
        let end = if closed {
            self.pos
        } else {
            self.bytes[..self.pos].trim_ascii_end().len()
        };
        self.tag.range.end = end;
        let name = || shortened(self.tag.name);
        if !closed {
            let tag = if self.tag.form == Form::Close {
                [b"/", &name()[..]].concat().into()
            } else {
                name()
            };
            self.tag
                .flaws
                .push((self.tag.range.clone(), Error::Unclosed { tag }));
        } else if let Some(foreign) = self.foreign {
            let tag = name();
            let text = shortened(&self.bytes[foreign..end - 1]);
            self.tag
                .flaws
                .push((foreign..end - 1, Error::NoAttribute { tag, text }));
        }
        self.tag
    }

    fn skip_whitespace(&mut self) -> bool {
        let rest = &self.bytes[self.pos..];
        let len = rest.len() - rest.trim_ascii_start().len();
        self.pos += len;
        len > 0
    }

    /// Reads an attribute, and at least one byte.
    fn attribute(&mut self) {
        let start = self.pos;
        let rest = &self.bytes[start..];
        let len = rest
            .iter()
            .position(|&byte| !is_name_byte(byte))
            .unwrap_or(rest.len());
        if len == 0 {
            self.foreign.get_or_insert(start);
            self.pos += 1;
            return;
        }
        let name = &rest[..len];
        self.pos += len;
        self.skip_whitespace();
        if self.bytes.get(self.pos) != Some(&b'=') {
            self.foreign.get_or_insert(start);
            return;
        }
        self.pos += 1;
        self.skip_whitespace();
        let Some((value_at, typographic)) = self.value(name) else {
            return;
        };
        let range = start..self.pos;
        if self.tag.attributes.len() == KEPT {
            self.foreign.get_or_insert(start);
            return;
        }
        if self
            .tag
            .attributes
            .iter()
            .any(|known| known.name.eq_ignore_ascii_case(name))
        {
            let tag = shortened(self.tag.name);
            let attribute = shortened(name);
            self.flaw(range, Error::DuplicateAttribute { tag, attribute });
            return;
        }
        let value = decode(&self.bytes[value_at.clone()]);
        self.tag.attributes.push(Attribute {
            name,
            value,
            value_at,
            range,
            typographic,
        });
    }

    /// Reads a value and returns its place and whether its quotes are typographic.
    fn value(&mut self, attribute: &'a [u8]) -> Option<(Range<usize>, bool)> {
        let start = self.pos;
        let rest = &self.bytes[start..];
        let typographic = typographic_quote(rest);
        let (open, quote) = match (rest.first(), typographic) {
            (Some(&quote @ (b'"' | b'\'')), _) => (1, quote),
            (_, Some(_)) => (3, 0xe2),
            _ => return self.unquoted(attribute),
        };
        let mut signs = memchr3_iter(quote, b'\n', b'<', &rest[open..]);
        let found = signs.find(|at| match rest[open + at] {
            b'\n' => true,
            b'<' => self.is_tag_of_the_format(start + open + at),
            _ => typographic.is_none() || typographic_quote(&rest[open + at..]) == typographic,
        });
        work::add(found.unwrap_or(rest.len()));
        let Some(len) = found.filter(|len| !matches!(rest[open + len], b'\n' | b'<')) else {
            let value = &rest[..found.map_or(rest.len(), |len| open + len)];
            let attribute = shortened(attribute);
            self.flaw(
                start..start + value.trim_ascii_end().len(),
                Error::OpenValue { attribute },
            );
            // The tag's end is most likely in here, and everything from here on is in doubt anyway.
            self.pos += memchr(b'>', value)
                .or(memchr(b'<', &value[open..]).map(|at| at + open))
                .unwrap_or(value.len());
            return None;
        };
        self.pos = start + open + len + open;
        Some((start + open..start + open + len, typographic.is_some()))
    }

    fn is_tag_of_the_format(&self, at: usize) -> bool {
        name_at(self.bytes, at).is_some_and(|(_, name)| NAMES.iter().any(|known| is(name, known)))
    }

    fn unquoted(&mut self, attribute: &'a [u8]) -> Option<(Range<usize>, bool)> {
        let start = self.pos;
        let rest = &self.bytes[start..];
        let mut len = rest
            .iter()
            .position(|byte| byte.is_ascii_whitespace() || matches!(byte, b'>' | b'<'))
            .unwrap_or(rest.len());
        if rest[..len].ends_with(b"/") && rest.get(len) == Some(&b'>') {
            len -= 1;
        }
        let attribute = shortened(attribute);
        let value = shortened(&rest[..len]);
        self.flaw(start..start + len, Error::Unquoted { attribute, value });
        self.pos += len;
        Some((start..start + len, false))
    }

    /// Records a flaw. An open value is what counts most, so it always has room.
    fn flaw(&mut self, place: Range<usize>, flaw: Error) {
        let flaws = &mut self.tag.flaws;
        if flaws.len() < KEPT
            || is_open_value(&flaw) && !flaws.iter().any(|(_, flaw)| is_open_value(flaw))
        {
            flaws.push((place, flaw));
        }
    }
}

fn is_open_value(flaw: &Error) -> bool {
    matches!(flaw, Error::OpenValue { .. })
}

/// Returns which typographic quotation mark the bytes begin with, single or double, by its first
/// kind. Opening and closing marks aren't told apart: which is which depends on the language.
fn typographic_quote(bytes: &[u8]) -> Option<char> {
    match bytes {
        [0xe2, 0x80, 0x98..=0x9b, ..] => Some('\u{2018}'),
        [0xe2, 0x80, 0x9c..=0x9f, ..] => Some('\u{201c}'),
        _ => None,
    }
}
