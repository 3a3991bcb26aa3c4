//! Reads one top-level element: an `<edit>`, or an `<opx>` and the edits in it.
//!
//! One [`EditReader`] walks forward and never back; how it reads an element is told in `edit.rs`.
//! Where one isn't closed, it goes on at the place that stopped it, so that each byte is looked at
//! a fixed number of times.

use std::ops::Range;

use bstr::BString;

use super::error::{Error, Warning};
use super::literal::LineSpan;
use super::reader::{EditReader, EditState};
use super::tags::{self, Form, Tag};
use super::{Child, starts_here};
use crate::format::Block;
use crate::text::{Located, Source};

/// Reads the element whose `<` is at `at`, which is first on its line or directly follows another
/// element.
///
/// What was read ends behind the closing tag. Of an element that isn't closed: where the next edit
/// begins, if that can be told, or else the end of the response. Always behind the `<` where
/// reading began. An edit whose file isn't known is left out; errors and warnings are in the order
/// of the response.
pub(crate) fn parse_block(source: &Source, at: usize, strict: bool) -> Block<'_> {
    let bytes = source.bytes();
    let mut reader = EditReader {
        source,
        bytes,
        pos: at,
        // Mostly there is one, and the room for others that a vector begins with would be all that
        // a long response needs once more.
        edits: Vec::with_capacity(1),
        errors: Vec::new(),
        warnings: Vec::new(),
        state: EditState::default(),
        indented: Vec::new(),
        strict,
    };
    match tags::scan(bytes, at) {
        Some(tag) if tag.is("opx") => reader.wrapper(&tag),
        Some(tag) => reader.edit(&tag),
        // Nobody calls it for that; it must end all the same.
        None => reader.pos = (at + 1).min(bytes.len()),
    }
    reader.finish(at)
}

/// Returns what the `<opx>` that begins at an offset says that it is about.
pub(crate) fn base(source: &Source, at: usize) -> Option<Located<BString>> {
    tags::name_at(source.bytes(), at).filter(|(_, name)| tags::is(name, "opx"))?;
    let tag = tags::scan(source.bytes(), at)?;
    let base = tag.attribute("base")?;
    Some(Located::new(
        source.span(base.value_at.clone()),
        base.value.trim_ascii().into(),
    ))
}

/// How an `<opx>` is read: its edits, and what is between them.
impl<'a> EditReader<'a> {
    pub(super) fn wrapper(&mut self, tag: &Tag<'a>) {
        self.flaws(tag);
        self.unknown_attributes(tag, &["base"]);
        self.pos = tag.range.end;
        self.state.in_wrapper = true;
        let mut depth = usize::from(tag.form == Form::Open);
        let mut edits = 0usize;
        while depth > 0 {
            self.skip_whitespace();
            if self.pos == self.bytes.len() {
                if !self.state.cut {
                    self.error(
                        tag.range.clone(),
                        Error::Truncated {
                            tag: tag.name.into(),
                        },
                    );
                }
                return;
            }
            match tags::name_at(self.bytes, self.pos) {
                Some((_, name)) if tags::is(name, "opx") => {
                    let Some(inner) = tags::scan(self.bytes, self.pos) else {
                        return;
                    };
                    self.flaws(&inner);
                    self.pos = inner.range.end;
                    if inner.form == Form::Close {
                        depth -= 1;
                    } else {
                        depth += usize::from(inner.form == Form::Open);
                        self.error(inner.range, Error::NestedWrapper);
                    }
                }
                Some((Form::Open, name)) if tags::is(name, "edit") => {
                    let Some(edit) = tags::scan(self.bytes, self.pos) else {
                        return;
                    };
                    edits += 1;
                    self.edit(&edit);
                }
                _ => self.between_edits(),
            }
        }
        if edits == 0 && self.errors.is_empty() {
            self.error(tag.range.clone(), Error::EmptyWrapper);
        }
    }

    /// Passes over what is between the edits of a wrapper, at least one byte of it.
    fn between_edits(&mut self) {
        let start = self.pos;
        if let Some(place) = self.comment_at(start, |reader, at| reader.closes(at, "opx")) {
            let comment = &self.bytes[..place.end];
            let has_edit =
                tags::starts(comment, place.clone()).any(|at| starts_here(&comment[at..]));
            let warning = if has_edit {
                Warning::CommentedEdit
            } else {
                Warning::UnknownElement {
                    tag: "!-- … --".into(),
                }
            };
            self.pos = place.end;
            return self.warn(place, warning);
        }
        if let Some(tag) = self.stray_close(start) {
            self.pos = tag.range.end;
            let text = self.shown(&tag.range);
            return self.error(tag.range, Error::StrayClose { text });
        }
        let mut end = self.bytes.len();
        for at in tags::starts(self.bytes, start + 1..end) {
            let Some((side, name)) = tags::name_at(self.bytes, at) else {
                if self.bytes[at..].starts_with(b"<!--") && self.is_first_on_line(at) {
                    end = at;
                    break;
                }
                continue;
            };
            let first = self.is_first_on_line(at);
            let wraps = side == Form::Close && tags::is(name, "opx");
            let is_edit = side == Form::Open && starts_here(&self.bytes[at..]);
            if wraps || first && (is_edit || self.stray_close(at).is_some()) {
                end = at;
                break;
            }
            if is_edit && !self.is_in_backticks(at) {
                self.warn(at..at + 1 + name.len(), Warning::ProseEdit);
            }
        }
        self.pos = end;
        self.judge_text(start..end);
    }

    /// Returns the format's closing tag at an offset where none was opened.
    fn stray_close(&self, at: usize) -> Option<Tag<'a>> {
        let (Form::Close, name) = tags::name_at(self.bytes, at)? else {
            return None;
        };
        if Child::named(name).is_none() && !tags::is(name, "edit") {
            return None;
        }
        tags::scan(self.bytes, at)
    }

    /// Says what is to be said of text between edits: an error for each sign that something was
    /// lost, or else one warning.
    fn judge_text(&mut self, place: Range<usize>) {
        let mut at = place.start;
        let mut is_residue = false;
        while let Some(line) = LineSpan::at(&self.bytes[..place.end], at) {
            at = line.next;
            let text = line.trimmed(self.bytes);
            let is_envelope = is_envelope_header(&self.bytes[line.start..line.end]);
            let shown = || self.shown(&text);
            let error = match &self.bytes[text.clone()] {
                b">>>" => Error::StrayClose { text: shown() },
                _ if is_envelope => Error::EnvelopeInside { line: shown() },
                _ => continue,
            };
            self.error(text, error);
            is_residue = true;
        }
        if !is_residue {
            let place = self.first_line(place);
            let text = self.shown(&place);
            self.warn(place, Warning::StrayText { text });
        }
    }
}

fn is_envelope_header(line: &[u8]) -> bool {
    let headers = [
        "*** Begin Patch",
        "*** End Patch",
        "*** Add File:",
        "*** Update File:",
        "*** Delete File:",
        "*** Move to:",
    ];
    headers
        .iter()
        .any(|header| line.starts_with(header.as_bytes()))
}
