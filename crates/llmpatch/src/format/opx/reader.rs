//! The reader of an element: where it is, and what it has found wrong.

use std::borrow::Cow;
use std::ops::Range;

use bstr::{BString, ByteSlice as _};
use memchr::{memchr_iter, memchr2_iter, memrchr};

use super::error::{Error, Warning};
use super::literal::{LineSpan, Payload};
use super::tags::{self, Attribute, Form, Tag};
use super::{Child, starts_here, work};
use crate::format::{Block, InFile};
use crate::patch::{FileEdit, Format, Operation, Substitution};
use crate::text::{Located, Source, Text, is_space, is_spaces, trim_spaces_end};

/// How many errors, and how many warnings, are kept of a top-level element: enough for any reader,
/// and a hostile response can't fill the memory with them.
const KEPT: usize = 1000;

/// How many characters of the response a message quotes.
const LONGEST: usize = 60;

pub(super) struct EditReader<'a> {
    pub(super) source: &'a Source,
    pub(super) bytes: &'a [u8],
    pub(super) pos: usize,
    pub(super) edits: Vec<FileEdit<'a>>,
    pub(super) errors: Vec<Located<InFile<Error>>>,
    pub(super) warnings: Vec<Located<InFile<Warning>>>,
    pub(super) state: EditState,
    /// The warnings of payloads that are indented as their markers are, each with the length of
    /// that indentation; the end of the block decides which of them count.
    pub(super) indented: Vec<(usize, Located<InFile<Warning>>)>,
    /// Whether what is read in a relaxed way is an error.
    pub(super) strict: bool,
}

#[derive(Default)]
pub(super) struct EditState {
    /// The file of the edit that is being read.
    pub(super) path: Option<BString>,
    /// Whether that edit has an error.
    pub(super) broken: bool,
    pub(super) in_wrapper: bool,
    /// Whether the response ended inside of an element.
    pub(super) cut: bool,
    /// Whether the rest of the edit is lost in one of its children, so that its end needn't be
    /// looked for.
    pub(super) abandoned: bool,
    /// No comment that begins before this offset has an end.
    pub(super) no_comment_before: usize,
}

impl<'a> EditReader<'a> {
    /// Finds the closing tag of an element that holds text. An edit that begins, the end of this
    /// edit or of the wrapper stop the search; so does a tag that is named in `stops` and is the
    /// first on its line.
    ///
    /// A note, whose `stops` aren't empty, may speak of `</edit>`.
    ///
    /// # Errors
    /// With where the search was stopped, if only by the end of the response.
    pub(super) fn closing(&mut self, name: &str, stops: &[&str]) -> Result<Tag<'a>, usize> {
        let is_note = !stops.is_empty();
        for at in tags::starts(self.bytes, self.pos..self.bytes.len()) {
            let Some((form, found)) = tags::name_at(self.bytes, at) else {
                continue;
            };
            if form == Form::Close
                && tags::is(found, name)
                && let Some(tag) = tags::scan(self.bytes, at)
            {
                return Ok(tag);
            }
            let is_first = || self.is_first_on_line(at);
            let stop = if form == Form::Open {
                if starts_here(&self.bytes[at..]) {
                    is_note && tags::is(found, "edit") || is_first()
                } else {
                    stops.iter().any(|stop| tags::is(found, stop))
                        && (tags::is(found, "why") || is_first())
                }
            } else if tags::is(found, "edit") {
                !is_note || is_first()
            } else {
                self.state.in_wrapper && tags::is(found, "opx") && is_first()
            };
            if stop {
                return Err(at);
            }
        }
        Err(self.bytes.len())
    }

    /// Goes on where a search stopped. If another edit begins there, or the wrapper ends, this
    /// edit's end was passed over.
    pub(super) fn resume(&mut self, at: usize) {
        self.pos = at;
        let ends_wrapper = self.state.in_wrapper && self.closes(at, "opx");
        self.state.abandoned = ends_wrapper || starts_here(&self.bytes[at..]);
        self.state.cut = at == self.bytes.len();
    }

    pub(super) fn closes(&self, at: usize, name: &str) -> bool {
        tags::name_at(self.bytes, at)
            .is_some_and(|(form, found)| form == Form::Close && tags::is(found, name))
    }

    /// Returns the place of the comment that begins at an offset, if it ends before something that
    /// `stops` it.
    pub(super) fn comment_at(
        &mut self,
        at: usize,
        stops: impl Fn(&Self, usize) -> bool,
    ) -> Option<Range<usize>> {
        if at < self.state.no_comment_before || !self.bytes[at..].starts_with(b"<!--") {
            return None;
        }
        for inner in memchr2_iter(b'<', b'-', &self.bytes[at + 4..]).map(|inner| at + 4 + inner) {
            if self.bytes[inner..].starts_with(b"-->") {
                work::add(inner - at);
                return Some(at..inner + 3);
            }
            if stops(self, inner) {
                work::add(inner - at);
                self.state.no_comment_before = inner;
                return None;
            }
        }
        work::add(self.bytes.len() - at);
        self.state.no_comment_before = self.bytes.len();
        None
    }

    // ---- places ----

    pub(super) fn skip_whitespace(&mut self) {
        let rest = &self.bytes[self.pos..];
        let len = rest.len() - rest.trim_ascii_start().len();
        work::add(len);
        self.pos += len;
    }

    /// Returns whether nothing but whitespace is before an offset on its line. Looks back no
    /// further than it must.
    pub(super) fn is_first_on_line(&self, at: usize) -> bool {
        let before = self.bytes[..at].iter().rposition(|&byte| !is_space(byte));
        work::add(at - before.unwrap_or(0));
        before.is_none_or(|before| self.bytes[before] == b'\n')
    }

    /// Returns whether an odd number of backticks is before an offset on its line. Looks back 1000
    /// bytes at most.
    pub(super) fn is_in_backticks(&self, at: usize) -> bool {
        let near = &self.bytes[at.saturating_sub(1000)..at];
        let line = &near[memrchr(b'\n', near).map_or(0, |end| end + 1)..];
        memchr_iter(b'`', line).count() % 2 == 1
    }

    /// Returns the first line of a place, trimmed. Looks no further than a message can show.
    pub(super) fn first_line(&self, place: Range<usize>) -> Range<usize> {
        let end = place.end.min(place.start + 4 * LONGEST);
        let line =
            LineSpan::at(&self.bytes[..end], place.start).map(|line| line.trimmed(self.bytes));
        line.unwrap_or(place)
    }

    /// Returns what is at a place, cut to what a message can hold.
    pub(super) fn shown(&self, place: &Range<usize>) -> BString {
        shortened(&self.bytes[place.clone()])
    }

    /// Returns the value of an attribute, and where it is.
    pub(super) fn value(&self, attribute: &Attribute<'a>) -> Text<'a> {
        Text::at(
            attribute.value.clone(),
            self.source.span(attribute.value_at.clone()),
        )
    }

    /// Returns the tag, or the beginning of the text, at a place.
    pub(super) fn tag_text(&self, at: usize) -> BString {
        let place = tags::scan(self.bytes, at).map(|tag| tag.range);
        self.shown(&place.unwrap_or_else(|| self.first_line(at..self.bytes.len())))
    }

    // ---- what is wrong ----

    pub(super) fn error(&mut self, place: Range<usize>, what: Error) {
        self.state.broken = true;
        if self.errors.len() < KEPT {
            // One of a response is enough: it is a way of writing, and no matter of the file.
            let path = self.state.path.clone().filter(|_| what != Error::Cdata);
            self.errors
                .push(Located::new(self.source.span(place), InFile { path, what }));
        }
    }

    pub(super) fn warn(&mut self, place: Range<usize>, what: Warning) {
        if self.warnings.len() < KEPT {
            let warning = InFile {
                path: self.state.path.clone(),
                what,
            };
            self.warnings
                .push(Located::new(self.source.span(place), warning));
        }
    }

    /// Reports what is wrong with a tag by itself. Returns whether its attributes can be counted on
    /// to be all.
    pub(super) fn flaws(&mut self, tag: &Tag<'a>) -> bool {
        let mut readable = true;
        // A quote that isn't closed hides the end of the tag, and without the end, the rest is
        // hardly what was meant.
        let worst: [fn(&Error) -> bool; 3] = [
            |flaw| matches!(flaw, Error::OpenValue { .. }),
            |flaw| matches!(flaw, Error::Unclosed { .. }),
            |_| true,
        ];
        let counts = worst
            .into_iter()
            .find(|counts| tag.flaws.iter().any(|(_, flaw)| counts(flaw)));
        for (place, flaw) in tag
            .flaws
            .iter()
            .filter(|(_, flaw)| counts.is_some_and(|counts| counts(flaw)))
        {
            readable &= matches!(
                flaw,
                Error::Unquoted { .. } | Error::DuplicateAttribute { .. }
            );
            self.error(place.clone(), flaw.clone());
        }
        readable
    }

    pub(super) fn unknown_attributes(&mut self, tag: &Tag<'a>, known: &[&str]) {
        for attribute in &tag.attributes {
            let name = || shortened(attribute.name);
            let place = attribute.range.clone();
            if attribute.typographic {
                let attribute = name();
                if self.strict {
                    self.error(place.clone(), Error::TypographicQuotes { attribute });
                } else {
                    self.warn(place.clone(), Warning::TypographicQuotes { attribute });
                }
            }
            if tags::is(attribute.name, "marker") && !tag.is("opx") {
                self.error(place, Error::Marker);
            } else if !known.iter().any(|known| tags::is(attribute.name, known)) {
                self.warn(
                    place,
                    Warning::UnknownAttribute {
                        tag: shortened(tag.name),
                        attribute: name(),
                    },
                );
            }
        }
    }

    /// Keeps in mind that a payload is indented as its marker is. Whether that is worth a warning
    /// shows at the end.
    pub(super) fn note_indentation(&mut self, holder: Child, payload: &Payload<'a>) {
        let Payload {
            lines,
            marker,
            indentation,
            ..
        } = payload;
        let mut full = lines.iter().filter(|line| !is_spaces(line)).peekable();
        let shares_it = full.peek().is_some() && full.all(|line| line.starts_with(indentation));
        if !indentation.is_empty() && shares_it && self.indented.len() < KEPT {
            let warning = InFile {
                path: self.state.path.clone(),
                what: Warning::IndentedPayload { holder },
            };
            self.indented.push((
                indentation.len(),
                Located::new(self.source.span(marker.clone()), warning),
            ));
        }
    }

    // ---- the end ----

    /// Takes the indentation of the whole block away, if it is uniform, and hands the block over.
    pub(super) fn finish(mut self, at: usize) -> Block<'a> {
        let outer = uniform_indentation(self.bytes, at.min(self.pos)..self.pos);
        let indented = self
            .indented
            .into_iter()
            .filter(|(width, _)| *width > outer.len());
        let room = KEPT - self.warnings.len();
        self.warnings
            .extend(indented.map(|(_, warning)| warning).take(room));
        if !outer.is_empty() {
            self.edits.iter_mut().for_each(|edit| dedent(edit, outer));
        }
        self.errors.sort_by_key(|error| error.span);
        self.warnings.sort_by_key(|warning| warning.span);
        Block::new(
            Format::Opx,
            at..self.pos,
            self.edits,
            self.errors,
            self.warnings,
        )
    }
}

/// Cuts bytes to what a message can hold.
pub(super) fn shortened(text: &[u8]) -> BString {
    let Some((end, _, _)) = text.char_indices().nth(LONGEST) else {
        return text.into();
    };
    [&text[..end], "…".as_bytes()].concat().into()
}

/// Returns the whitespace before the element that is at `range`, if it is the first on its line and
/// every line of it that isn't blank begins with them.
fn uniform_indentation(bytes: &[u8], range: Range<usize>) -> &[u8] {
    let before = &bytes[..range.start];
    let rest = trim_spaces_end(before);
    let blanks = &before[rest.len()..];
    let is_first = rest.is_empty() || rest.ends_with(b"\n") || rest == b"\xef\xbb\xbf";
    if !is_first || blanks.is_empty() {
        return b"";
    }
    let mut at = range.start;
    while let Some(line) = LineSpan::at(bytes, at).filter(|line| line.start < range.end) {
        let text = &bytes[line.start..line.end];
        if at > range.start && !is_spaces(text) && !text.starts_with(blanks) {
            return b"";
        }
        at = line.next;
    }
    blanks
}

/// Takes the indentation off all payloads of an edit. A blank line may have less of it.
fn dedent(edit: &mut FileEdit<'_>, indentation: &[u8]) {
    let payloads: [&mut [Text<'_>]; 2] = match &mut edit.operation {
        Operation::Create { lines, .. } | Operation::Replace { lines } => [lines, &mut []],
        Operation::Substitute(Substitution { find, put, .. }) => [find, put],
        _ => return,
    };
    for line in payloads.into_iter().flatten() {
        let Cow::Borrowed(bytes) = line.bytes else {
            continue;
        };
        let cut = if bytes.starts_with(indentation) {
            indentation.len()
        } else {
            bytes.len()
        };
        line.bytes = Cow::Borrowed(&bytes[cut..]);
        if let Some(span) = &mut line.span {
            span.start += cut as u32;
        }
    }
}
