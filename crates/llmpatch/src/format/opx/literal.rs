//! Payloads: the lines between a `<<<` and its `>>>`, taken as they are.
//!
//! The only question here is where a payload ends, since whatever it holds may look like markup.
//! The rules:
//!
//! - It ends at a line that is only `>>>` and is followed, blank lines aside, by the closing tag of
//!   the element it is in (both may share a line). Any other `>>>` is content: a prompt of Python,
//!   a quotation in a mail.
//! - A `<put>` or `<find>` followed by a `<<<` inside of it opens a pair, and the next `>>>` with
//!   that element's closing tag belongs to it. So a payload may quote whole edits. A pair that is
//!   left open swallows the real end, and the payload is then not closed, which is an error: never
//!   an end that is guessed.
//!
//! One mistake would get past these rules: a forgotten `>>>` in one edit and a forgotten `<<<` in a
//! later one make a single payload of all that lies between. So a closing tag in the wrong place
//! (`</put>` without the `>>>` before it, or `</edit>` right behind a `>>>`), *and after it* an
//! `<edit file=… op=…>` where one may begin, is where an open payload stops being read: it is an
//! error, and reading goes on at that edit. It costs the payloads that quote OPX broken in this
//! way, and these alone; an example in which `<put>` and `</put>` are in balance is content.

use std::ops::Range;

use memchr::{memchr, memchr3, memrchr};

use super::error::NoEnd;
use super::reader::shortened;
use super::tags::{self, Form};
use super::{Child, work};
use crate::text::{Source, Text, indentation, is_space, trim_spaces};

/// A payload.
#[derive(Debug)]
pub(super) struct Payload<'a> {
    /// The lines, without terminators.
    pub(super) lines: Vec<Text<'a>>,
    /// The `<<<`.
    pub(super) marker: Range<usize>,
    /// The whitespace before the marker's line.
    pub(super) indentation: &'a [u8],
    /// Offset behind the closing tag.
    pub(super) end: usize,
}

/// A line: where it starts, where its text ends, where the next starts.
#[derive(Clone)]
pub(super) struct LineSpan {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) next: usize,
}

impl LineSpan {
    /// Returns the line, or the rest of a line, that starts at an offset; `None` at the end.
    pub(super) fn at(bytes: &[u8], start: usize) -> Option<Self> {
        let rest = bytes.get(start..).filter(|rest| !rest.is_empty())?;
        Some(Self::ending(bytes, start, memchr(b'\n', rest)))
    }

    /// Returns the same, and whether there is a `<` or a `>` in it.
    fn with_markup(bytes: &[u8], start: usize) -> Option<(Self, bool)> {
        let rest = bytes.get(start..).filter(|rest| !rest.is_empty())?;
        match memchr3(b'\n', b'<', b'>', rest) {
            Some(found) if rest[found] != b'\n' => Some((Self::at(bytes, start)?, true)),
            newline => Some((Self::ending(bytes, start, newline), false)),
        }
    }

    /// Returns the line that starts at an offset and has its LF so far behind that, or none.
    fn ending(bytes: &[u8], start: usize, newline: Option<usize>) -> Self {
        work::add(newline.map_or(bytes.len() - start, |len| len + 1));
        let Some(len) = newline else {
            return Self {
                start,
                end: bytes.len(),
                next: bytes.len(),
            };
        };
        let end = start + len - usize::from(bytes[start..start + len].ends_with(b"\r"));
        Self {
            start,
            end,
            next: start + len + 1,
        }
    }

    /// Returns the place of its text without the whitespace around it.
    pub(super) fn trimmed(&self, bytes: &[u8]) -> Range<usize> {
        let text = &bytes[self.start..self.end];
        let start = self.start + indentation(text);
        start..start + trim_spaces(text).len()
    }
}

/// Returns the place of the first text at or after an offset that is a line's start: a line that
/// isn't blank, trimmed.
fn next_text(bytes: &[u8], mut at: usize) -> Option<(LineSpan, Range<usize>)> {
    while let Some(line) = LineSpan::at(bytes, at) {
        let text = line.trimmed(bytes);
        if !text.is_empty() {
            return Some((line, text));
        }
        at = line.next;
    }
    None
}

/// The `<<<` before a payload.
pub(super) struct BeginMarker {
    pub(super) place: Range<usize>,
    /// Where the line after it starts.
    next: usize,
}

/// Finds the `<<<` of a `<find>` or `<put>` whose opening tag ends before `behind`.
///
/// # Errors
/// If there is none, with the place of what is there instead.
pub(super) fn begin(bytes: &[u8], behind: usize) -> Result<BeginMarker, Range<usize>> {
    let at = bytes.len() - bytes[behind..].trim_ascii_start().len();
    work::add(at - behind);
    begin_marker(bytes, at).ok_or_else(|| {
        // No more of a long line than a message can show: many tags may be on it.
        let near = &bytes[..bytes.len().min(at + 200)];
        LineSpan::at(near, at).map_or(at..at, |line| line.trimmed(bytes))
    })
}

/// Reads the payload behind a `<<<`.
///
/// # Errors
/// If it has no end, with the reason and where reading can go on.
pub(super) fn read(
    source: &Source,
    holder: Child,
    marker: BeginMarker,
) -> Result<Payload<'_>, (NoEnd, usize)> {
    let bytes = source.bytes();
    let line_start = memrchr(b'\n', &bytes[..marker.place.start]).map_or(0, |at| at + 1);
    work::add(marker.place.start - line_start);
    let indented = indentation(&bytes[line_start..]);
    let (lines, end) = PayloadReader::new(source, holder, marker.next).run()?;
    Ok(Payload {
        lines,
        marker: marker.place,
        indentation: &bytes[line_start..line_start + indented],
        end,
    })
}

/// Returns the `<<<` at an offset, if the rest of its line is blank.
fn begin_marker(bytes: &[u8], at: usize) -> Option<BeginMarker> {
    let rest = bytes[at..].strip_prefix(b"<<<")?;
    let spaces = indentation(rest);
    let ending = match &rest[spaces..] {
        [] => 0,
        [b'\n', ..] => 1,
        [b'\r', b'\n', ..] => 2,
        _ => return None,
    };
    Some(BeginMarker {
        place: at..at + 3,
        next: at + 3 + spaces + ending,
    })
}

struct PayloadReader<'a> {
    source: &'a Source,
    bytes: &'a [u8],
    holder: Child,
    start: usize,
    /// The pairs that are open, and where their `<<<` is.
    nested: Vec<(Child, Range<usize>)>,
    /// The pair that was closed last.
    last_pair: Option<(Child, Range<usize>)>,
    /// How many opening tags of the holder are in the payload without a pair of markers, waiting
    /// for their closing tag.
    bare: usize,
    /// Where the last of them is, in case that a `<<<` follows.
    last_bare: Option<usize>,
    /// A closing tag that comes before this offset belongs to a pair that is closed.
    accounted: usize,
    /// The first closing tag in the wrong place.
    wrong: Option<NoEnd>,
}

impl<'a> PayloadReader<'a> {
    fn new(source: &'a Source, holder: Child, start: usize) -> Self {
        Self {
            source,
            bytes: source.bytes(),
            holder,
            start,
            nested: Vec::new(),
            last_pair: None,
            bare: 0,
            last_bare: None,
            accounted: 0,
            wrong: None,
        }
    }

    /// Returns the lines and the offset behind the closing tag; or why there is no end, and where
    /// reading can go on.
    fn run(mut self) -> Result<(Vec<Text<'a>>, usize), (NoEnd, usize)> {
        let mut lines = Vec::new();
        let mut at = self.start;
        while let Some((line, has_markup)) = LineSpan::with_markup(self.bytes, at) {
            at = line.next;
            // A line without `<` and `>` can't end the payload, or open or close a pair.
            if has_markup {
                let place = line.trimmed(self.bytes);
                let text = &self.bytes[place.clone()];
                if text.starts_with(b">>>") {
                    if let Some(end) = self.end_marker(&line, &place) {
                        return Ok((lines, end));
                    }
                } else if text.ends_with(b"<<<") {
                    self.pair(&place);
                } else if self.nested.is_empty() && text.contains(&b'<') {
                    self.account(&place)?;
                }
            }
            lines.push(Text::at(
                &self.bytes[line.start..line.end],
                self.source.span(line.start..line.end),
            ));
        }
        let pair = self
            .nested
            .into_iter()
            .next()
            .or(self.last_pair)
            .map(|(_, place)| NoEnd::Pair(self.source.line_at(place.start)));
        Err((self.wrong.or(pair).unwrap_or(NoEnd::Cut), self.bytes.len()))
    }

    /// Judges a line that starts with `>>>`. Returns the offset behind the closing tag if the
    /// payload ends here.
    fn end_marker(&mut self, line: &LineSpan, place: &Range<usize>) -> Option<usize> {
        let rest = &self.bytes[place.start + 3..place.end];
        let tag_at = match rest.iter().position(|&byte| !is_space(byte)) {
            Some(spaces) => place.start + 3 + spaces,
            None => next_text(self.bytes, line.next)?.1.start,
        };
        let (name, end) = closing_tag(self.bytes, tag_at)?;
        let closes = holder(name);
        match self.nested.last() {
            Some((top, _)) if closes == Some(*top) => {
                self.last_pair = self.nested.pop();
                self.accounted = end;
            }
            Some(_) => {}
            None if closes == Some(self.holder) => return Some(end),
            None if closes.is_some() || tags::is(name, "edit") || tags::is(name, "opx") => {
                let line = self.source.line_at(tag_at);
                self.wrong.get_or_insert_with(|| {
                    NoEnd::OtherTag(line, shortened(&self.bytes[tag_at..end]))
                });
            }
            None => {}
        }
        None
    }

    /// Judges a line that ends in `<<<`: whether a tag `<put>` or `<find>` comes right before that.
    fn pair(&mut self, place: &Range<usize>) {
        let marker = place.end - 3;
        let before = self.bytes[self.start..marker].trim_ascii_end();
        if !before.ends_with(b">") {
            return;
        }
        let found = memrchr(b'<', before);
        work::add(marker - self.start - found.unwrap_or(0));
        let Some(at) = found else { return };
        let tag_at = self.start + at;
        let Some((Form::Open, name)) = tags::name_at(self.bytes, tag_at) else {
            return;
        };
        let Some(holder) = holder(name) else { return };
        if tags::scan(self.bytes, tag_at)
            .as_ref()
            .is_some_and(|tag| tag.form == Form::Open && tag.range.end == self.start + before.len())
        {
            if self.last_bare == Some(tag_at) {
                self.bare -= 1;
                self.last_bare = None;
            }
            self.nested.push((holder, marker..place.end));
        }
    }

    /// Returns whether an edit begins at an offset that has all it needs, so that it can hardly be
    /// anything else.
    fn is_edit(&self, at: usize) -> bool {
        tags::starts_here(&self.bytes[at..])
            && tags::scan(self.bytes, at).is_some_and(|tag| {
                tag.is("edit") && tag.attribute("file").is_some() && tag.attribute("op").is_some()
            })
    }

    /// Keeps account of the holder's own tags that are on a line outside of pairs.
    ///
    /// # Errors
    /// If an edit begins there, behind a closing tag in the wrong place.
    fn account(&mut self, place: &Range<usize>) -> Result<(), (NoEnd, usize)> {
        let bytes = self.bytes;
        for at in tags::starts(bytes, place.clone()) {
            let before = bytes[..at].trim_ascii_end();
            work::add(at - before.len());
            let follows = at == place.start || before.ends_with(b">");
            if self.wrong.is_some()
                && follows
                && self.is_edit(at)
                && let Some(clue) = self.wrong.take()
            {
                return Err((clue, at));
            }
            let own = tags::name_at(self.bytes, at)
                .filter(|(_, name)| tags::is(name, self.holder.name()));
            match own {
                Some((Form::Close, _)) if at < self.accounted => {}
                Some((Form::Close, _)) if self.bare > 0 => {
                    (self.bare, self.last_bare) = (self.bare - 1, None)
                }
                Some((Form::Close, _)) if at == place.start => {
                    let line = self.source.line_at(place.start);
                    self.wrong.get_or_insert(NoEnd::Unmarked(line));
                }
                Some((Form::Open, _))
                    if tags::scan(self.bytes, at).is_some_and(|tag| tag.form == Form::Open) =>
                {
                    (self.bare, self.last_bare) = (self.bare + 1, Some(at));
                }
                _ => {}
            }
        }
        Ok(())
    }
}

/// Returns which of the elements that hold a payload has a name.
fn holder(name: &[u8]) -> Option<Child> {
    Child::named(name).filter(|child| matches!(child, Child::Find | Child::Put))
}

/// Returns the name of the closing tag at an offset, and the offset behind it.
pub(crate) fn closing_tag(bytes: &[u8], at: usize) -> Option<(&[u8], usize)> {
    let (Form::Close, name) = tags::name_at(bytes, at)? else {
        return None;
    };
    let rest = &bytes[at + 2 + name.len()..];
    let spaces = indentation(rest);
    (rest.get(spaces) == Some(&b'>')).then_some((name, at + 2 + name.len() + spaces + 1))
}
