//! What shows, in a line that is in no patch, that something of a patch was lost.

use std::ops::Range;

use bstr::ByteSlice as _;

use super::NoPatch;
use super::absence::cut_start;
use super::encoded::encoding;
use super::prose_line::{CodeSpans, bullets, closing};
use crate::format::envelope::{self, Marker, Meant};
use crate::format::{blocks, excerpt, opx, unified};
use crate::patch::Format;
use crate::text::{LineNo, Row, Source, is_name, trim, trim_start};

/// What of the lines above says what a line shows.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    /// How many edits there are, an element or an envelope without any counted as one.
    pub(crate) edits: usize,
    /// Whether an element of OPX has stated a base.
    pub(crate) has_opx_base: bool,
    /// The patches above, but for those in comments and drafts.
    pub(crate) above: PatchesAbove,
    /// The last tag that isn't closed.
    pub(crate) tag: OpenTag,
    /// Up to where no JSON begins that is read.
    pub(crate) plain: usize,
}

/// Which patches are above a line.
#[derive(Clone, Debug, Default)]
pub(crate) struct PatchesAbove {
    /// Whether the last OPX element is sound; `None` if there is none.
    pub(crate) opx: Option<bool>,
    /// The last line of the last envelope, and the whitespace before its Begin, as offsets.
    pub(crate) envelope: Option<(LineNo, Range<usize>)>,
    /// The last line behind that envelope that is nearly a Begin.
    near_begin: Option<LineNo>,
}

/// The last tag on a line of its own that isn't closed yet, as `<diff>` around a diff.
#[derive(Debug, Default)]
pub(crate) struct OpenTag {
    /// What closes it.
    end: Option<Vec<u8>>,
}

impl OpenTag {
    /// Reads a line that is in no patch. What is in a fence is shown and opens nothing.
    pub(crate) fn read(&mut self, line: &[u8], is_fenced: bool) {
        let text = trim(line);
        self.end.take_if(|end| *end == text);
        let inner = text
            .strip_prefix(b"<")
            .and_then(|text| text.strip_suffix(b">"));
        let name = inner
            .and_then(|inner| inner.fields().next())
            .unwrap_or_default();
        let is_of_name = |byte: &u8| is_name(*byte) || *byte == b'-';
        if !is_fenced && !name.is_empty() && name.iter().all(is_of_name) {
            self.end = Some([b"</", name, b">"].concat());
        }
    }

    /// Returns what closes it.
    pub(crate) fn end(&self) -> Option<&[u8]> {
        self.end.as_deref()
    }
}

impl PatchesAbove {
    /// Returns whether something of an element is lost if this closes nothing. Above all elements a
    /// line `>>>` is a prompt of Python.
    fn is_lost(&self, closing: &[u8]) -> bool {
        self.opx.unwrap_or(closing.starts_with(b"</"))
    }
}

impl Seen {
    /// Notes that an envelope ended, with its last line and where the whitespace before its Begin is.
    pub(crate) fn envelope_ends(&mut self, last: LineNo, indent: Range<usize>) {
        self.above.envelope = Some((last, indent));
        self.above.near_begin = None;
    }

    /// Notes a line that is in no patch.
    pub(crate) fn line(&mut self, row: Row<'_>, is_fenced: bool) {
        self.tag.read(row.text, is_fenced);
        let text = trim(row.text);
        let begin = b"*** Begin Patch";
        let is_meant = text.starts_with(b"*") && envelope::meant(text) == Some(Meant::Begin);
        if is_meant || text.starts_with(begin) || text.ends_with(begin) {
            self.above.near_begin = Some(row.number);
        }
    }
}

/// Returns what a line shows to be lost, and of a patch in which format.
pub(crate) fn of(source: &Source, row: Row<'_>, seen: &Seen) -> Option<(Format, NoPatch)> {
    let text = trim_start(row.text);
    let is_last_line = row.number.index() + 1 == source.line_count();
    let is_last = row.span.end as usize == source.bytes().len();
    if let Some(loss) = of_envelope(source, row, seen) {
        Some((Format::Envelope, loss))
    } else if let Some(loss) = of_diff(source, row) {
        Some((Format::Unified, loss))
    } else if let Some(loss) = prefixed(row.text) {
        Some(loss)
    } else if let Some(tag) = closing(row.text).filter(|tag| seen.above.is_lost(tag)) {
        Some((Format::Opx, NoPatch::StrayClosing { tag: tag.into() }))
    } else if is_last_line && text.starts_with(b"+++ ") && above(source, row).starts_with(b"--- ") {
        let start = excerpt(text);
        Some((Format::Unified, NoPatch::CutStart { start }))
    } else if let Some(format) = cut_start(text).filter(|_| is_last) {
        let start = excerpt(text);
        Some((format, NoPatch::CutStart { start }))
    } else {
        None
    }
}

/// Returns the line above a line.
fn above<'a>(source: &'a Source, row: Row<'_>) -> &'a [u8] {
    let above = row.number.index().checked_sub(1).map(LineNo::from_index);
    above
        .and_then(|above| source.line(above))
        .unwrap_or_default()
}

/// Returns what a header or an End outside of an envelope shows to be lost.
fn of_envelope(source: &Source, row: Row<'_>, seen: &Seen) -> Option<NoPatch> {
    let line = row.text;
    let envelope = seen.above.envelope.clone();
    let indent = envelope
        .as_ref()
        .map(|(_, indent)| &source.bytes()[indent.clone()]);
    let ended = envelope.as_ref().map(|(last, _)| *last);
    let indented = line
        .strip_prefix(indent.unwrap_or_default())
        .unwrap_or(line);
    let marked = envelope::read_marker(line).or_else(|| envelope::read_marker(indented));
    if let Some(Marker::Header(..) | Marker::MoveTo(_)) = marked.map(|marked| marked.marker) {
        return Some(NoPatch::StrayHeader {
            header: excerpt(trim(line)),
            more: 0,
            begin: seen.above.near_begin,
            ended,
        });
    }
    let ended = ended?;
    let marked = envelope::read_marker(trim_start(line))?;
    let is_apart = row.number.get() > ended.get() + 1;
    (marked.marker == Marker::End && is_apart).then_some(NoPatch::StrayEnd { ended })
}

/// Returns the end marker that a line is and that ends nothing.
pub(crate) fn stray_marker(row: Row<'_>) -> Option<&'static str> {
    match envelope::read_marker(trim_start(row.text))?.marker {
        Marker::End => Some("*** End Patch"),
        Marker::EndOfFile => Some("*** End of File"),
        _ => None,
    }
}

/// Returns the patch that a line would begin but for the bullets before it.
fn prefixed(line: &[u8]) -> Option<(Format, NoPatch)> {
    let length = bullets(line);
    let (before, behind) = line.split_at(length);
    let format = if length == 0 {
        return None;
    } else if envelope::starts_here(behind) {
        Format::Envelope
    } else if opx::starts_here(behind) {
        Format::Opx
    } else {
        blocks::opener(behind).map(|_| Format::Blocks)?
    };
    let prefix = excerpt(trim(before));
    Some((format, NoPatch::Prefixed { format, prefix }))
}

/// Something within a line of prose.
pub(crate) struct FoundInLine {
    /// Its offset in the line.
    pub(crate) at: usize,
    pub(crate) what: InLine,
}

/// What is within a line of prose.
#[derive(Clone, Copy)]
pub(crate) enum InLine {
    CommentBegins,
    CommentEnds,
    /// A tag that would begin OPX, and how long it is.
    Edit(usize),
}

/// How much of a tag in the middle of a line is looked at: here it is only about a warning.
const WINDOW: usize = 512;

/// Finds, outside of backticks, where comments of HTML begin and end, and edits that aren't first on their
/// line.
pub(crate) fn in_line(line: &[u8]) -> impl Iterator<Item = FoundInLine> + '_ {
    let spans = memchr::memchr2(b'<', b'>', line).map(|_| CodeSpans::of(line));
    let mut at = 0;
    std::iter::from_fn(move || {
        let spans = spans.as_ref()?;
        while let Some(next) = memchr::memchr3(b'`', b'<', b'-', &line[at..]) {
            at += next;
            let text = &line[at..];
            if text[0] == b'`' {
                at = spans.behind(line, at);
                continue;
            }
            let window = &text[..text.len().min(WINDOW)];
            let (what, length) = if text.starts_with(b"<!--") {
                (InLine::CommentBegins, 4)
            } else if text.starts_with(b"-->") {
                (InLine::CommentEnds, 3)
            } else if at > 0 && opx::starts_here(window) {
                let end = window.find_byte(b'>').map_or(window.len(), |end| end + 1);
                (InLine::Edit(end.min(200)), 1)
            } else {
                at += 1;
                continue;
            };
            let found = FoundInLine { at, what };
            at += length;
            return Some(found);
        }
        None
    })
}

/// Returns what a line is of, if it can only have been part of a unified diff.
fn of_diff(source: &Source, row: Row<'_>) -> Option<NoPatch> {
    let line = row.text;
    let encoded = encoding(source, row).filter(|near| near.is_half);
    if let Some(near) = encoded {
        Some(NoPatch::Encoded { near })
    } else if line.starts_with(b"@@@ -") && line[3..].contains_str("@@@") {
        Some(NoPatch::Combined)
    } else if line.starts_with(b"@@")
        && (unified::is_hunk_header(line) || unified::hunk_begins(source, row.number))
    {
        Some(if is_below_names(source, row.number) {
            NoPatch::Apart
        } else {
            NoPatch::StrayHunk { more: 0 }
        })
    } else if line.starts_with(b"Binary files ") && line.ends_with(b" differ") {
        Some(NoPatch::BinaryFile {
            line: excerpt(line),
        })
    } else {
        None
    }
}

/// Returns whether nothing but empty lines is between a line and the names of a diff.
fn is_below_names(source: &Source, line: LineNo) -> bool {
    let above = (0..line.index()).rev().map(LineNo::from_index);
    let mut above = above
        .map(|number| source.line(number).unwrap_or_default())
        .skip_while(|line| line.is_empty());
    let [new, old] = [above.next(), above.next()].map(Option::unwrap_or_default);
    old.starts_with(b"--- ") && new.starts_with(b"+++ ")
}

/// Returns the id that a line names as the base, if it does nothing else: no word of prose is one.
pub(crate) fn stated_base(line: &[u8]) -> Option<&[u8]> {
    let (name, id) = trim(line).split_once_str(":")?;
    let id = trim(id);
    let is_id = (7..=64).contains(&id.len()) && id.iter().all(u8::is_ascii_hexdigit);
    (name.eq_ignore_ascii_case(b"base") && is_id).then_some(id)
}
