//! What a line can begin or end, by its own bytes and those below it, whatever is around it.
//!
//! The one classifier: the walk ([`parts`](super::parts)) asks nothing else what a line is. It looks at no
//! state, so that whether a line counts is decided in one place.

use super::json;
use super::marks::{self, MarkAt};
use crate::format::fence::Fence;
use crate::format::{blocks, envelope, opx, unified};
use crate::patch::Format;
use crate::text::{Row, Source, is_blank, trim_start};

/// What a line can begin or end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Line<'a> {
    Blank,
    /// A patch, at this offset in the line.
    Patch(Format, usize),
    /// A fence, with what is behind its signs; where nothing is, the line may close one, too.
    Fence(Fence, &'a [u8]),
    /// A part that isn't the answer.
    Opens(MarkAt<'a>),
    /// The end of a part that isn't the answer.
    Closes(MarkAt<'a>),
    /// A token with which a chat is written down.
    Token(MarkAt<'a>),
    /// A quotation: the text behind its `>`s.
    Quoted(&'a [u8]),
    /// A value of JSON, at this offset in the line.
    Json(usize),
    Text,
}

impl<'a> Line<'a> {
    /// Says what a line, or the rest of one, can begin or end.
    pub(crate) fn of(source: &'a Source, row: Row<'a>) -> Self {
        let line = row.text;
        let first = line.len() - trim_start(line).len();
        let json = json::starts_here(line);
        // A mark may be glued to the end of a fence.
        let fence = Fence::read(line).filter(|(_, info)| marks::closing(info, false).is_none());
        if is_blank(line) {
            Line::Blank
        } else if let Some((format, at)) = patch(source, row) {
            Line::Patch(format, at)
        } else if let Some((fence, info)) = fence {
            Line::Fence(fence, info)
        } else if let Some(mark) = marks::opening(line) {
            Line::Opens(mark)
        } else if let Some(mark) = marks::closing(line, false)
            && (mark.start == first || json.is_none())
        {
            Line::Closes(mark)
        } else if let Some(mark) = marks::token(line) {
            Line::Token(mark)
        } else if let Some(text) = quoted(line) {
            Line::Quoted(text)
        } else if let Some(at) = json {
            Line::Json(at)
        } else {
            Line::Text
        }
    }
}

/// Returns the format of the patch that a line begins, and where in the line.
pub(crate) fn patch(source: &Source, row: Row<'_>) -> Option<(Format, usize)> {
    let at = row.text.len() - trim_start(row.text).len();
    if envelope::starts_here(row.text) {
        Some((Format::Envelope, at))
    } else if opx::starts_here(&source.bytes()[row.start() + at..]) {
        Some((Format::Opx, at))
    } else if unified::starts_here(source, row.number, b"") {
        Some((Format::Unified, 0))
    } else {
        Some((Format::Blocks, blocks::opener(row.text)?))
    }
}

/// Returns the text behind the `>`s of a quoted line. `>>>` ends a text of OPX.
fn quoted(line: &[u8]) -> Option<&[u8]> {
    let text = trim_start(line);
    let is_quoted = text.starts_with(b">") && !text.starts_with(b">>>");
    let length = text
        .iter()
        .take_while(|byte| b"> \t".contains(byte))
        .count();
    is_quoted.then(|| &text[length..])
}
