//! What is around patches: mostly nothing that matters, but for what hides patches, and for what
//! shows that something was lost.

use std::ops::Range;

use bstr::ByteSlice as _;

use super::absence::cut_start;
use super::encoded::encoding;
use super::near_diff::{self, Names, OpenTag};
use super::prose_line::{
    CodeSpans, bullets, closing, heredocs, is_call, is_edit, is_quoted, marked, nearly_begins,
    prefixed,
};
use super::{Hiding, Nearly, Residue, WalkItem, Warning, json, reasoning};
use crate::format::envelope::{self, Marker, Meant};
use crate::format::fence::Fence;
use crate::format::tool::is_of_code;
use crate::format::{Warning as Any, blocks, excerpt, opx, unified};
use crate::patch::Format;
use crate::text;
use crate::text::{LineNo, Located, Row, Source, Span};

/// How much of a tag in mid-line is looked at. Quotes can make every tag of a line reach to the
/// line's end, and here it is only about a warning.
const WINDOW: usize = 512;

/// The reader of prose, line by line.
#[derive(Debug, Default)]
pub(super) struct Prose<'a> {
    /// What has been found, patches among it.
    pub(super) found: Vec<WalkItem<'a>>,
    /// Whether a mark closes the text.
    pub(super) is_closed: bool,
    comment: Option<OpenComment>,
    /// Whether the line that is read is in a fence.
    is_fenced: bool,
    /// How much has been found that is in a draft.
    drafts: usize,
    /// What ends the shell's heredoc that is open.
    heredoc: Option<Vec<u8>>,
    seen: PatchesAbove,
    names: Names,
    tag: OpenTag,
    /// The last line that is nearly a Begin.
    pub(super) near_begin: Option<(LineNo, Span)>,
    /// Where a call in tags begins, and how much had been found before.
    call: Option<(Span, usize)>,
    /// What is nearly a patch.
    pub(super) nearly: Vec<(Span, Nearly)>,
    /// The first patch that is hidden.
    pub(super) hidden: Option<(Span, Hiding)>,
    /// Where a unified diff begins that isn't at the start of its line.
    pub(super) diff: Option<Span>,
    /// What the response as a whole is refused for.
    pub(super) refused: Vec<Located<super::Error>>,
}

/// An HTML comment that isn't closed yet.
#[derive(Debug)]
struct OpenComment {
    /// How much had been found before it.
    found: usize,
    /// What had been seen before it.
    seen: PatchesAbove,
    /// Whether it is in a fence, beyond which it can't go.
    is_fenced: bool,
}

/// Which patches are above.
#[derive(Clone, Copy, Debug, Default)]
struct PatchesAbove {
    /// Whether the last OPX element before is sound.
    opx: bool,
    /// The last line of the envelope before.
    envelope_end: Option<LineNo>,
    /// The whitespace before that envelope, as offsets.
    indent: (usize, usize),
}

impl<'a> Prose<'a> {
    /// Returns what is around the line that comes next.
    pub(super) fn around(&self, fence: Option<Fence>) -> unified::HunkSurroundings<'_> {
        unified::HunkSurroundings {
            fence,
            commented: self.comment.is_some(),
            closed: self.is_closed,
            heredoc: self.heredoc.as_deref(),
            tag: self.tag.end(),
        }
    }

    /// Returns whether what comes next is in a comment, as far as is known yet.
    pub(super) fn is_hidden(&self) -> bool {
        self.comment.is_some()
    }

    /// Notes that an envelope ended, with its last line and where the whitespace before its Begin
    /// is.
    pub(super) fn envelope_ends(&mut self, last: LineNo, indent: Range<usize>) {
        self.seen.envelope_end = Some(last);
        self.seen.indent = (indent.start, indent.end);
    }

    /// Notes that an OPX element ended. What is left over behind a broken one isn't reported.
    pub(super) fn opx_ends(&mut self, sound: bool) {
        self.seen.opx = sound;
    }

    /// Records what shows that something was lost.
    fn residue(&mut self, format: Format, span: Span, residue: Residue) {
        self.found.push(WalkItem::residue(format, span, residue));
    }

    /// Reads a whole line; `is_fenced` says whether it is in a fence, or opens one.
    pub(super) fn line(&mut self, source: &Source, row: Row<'_>, is_fenced: bool) {
        let Row {
            number,
            text: line,
            span,
            ..
        } = row;
        self.is_fenced = is_fenced;
        self.comment
            .take_if(|comment| comment.is_fenced && !is_fenced);
        if !is_fenced && self.quoted(source, row) {
            return;
        }
        self.heredocs(line);
        self.tag.read(line, is_fenced);
        let is_last = number.index() + 1 == source.line_count();
        if is_last && matches!(self.names, Names::Old(_)) && line.starts_with(b"+++ ") {
            self.residue(
                Format::Unified,
                span,
                Residue::CutStart {
                    start: excerpt(line),
                },
            );
        }
        self.look_around(source, row);
        self.nearly(source, row);
        self.remains(source, row);
        self.headers(source, row);
        self.ends(row);
        let trimmed = text::trim_start(line);
        if span.end as usize == source.bytes().len()
            && let Some(format) = cut_start(trimmed)
        {
            self.residue(
                format,
                span,
                Residue::CutStart {
                    start: excerpt(trimmed),
                },
            );
        }
        let bullets = bullets(line);
        let behind = &line[bullets..];
        let closes_comment = self.comment.is_some() && line[..bullets].contains_str("-->");
        let format = match behind {
            _ if envelope::starts_here(behind) => Some(Format::Envelope),
            _ if opx::starts_here(behind) => Some(Format::Opx),
            _ => blocks::opener(behind).map(|_| Format::Blocks),
        };
        if let Some(format) = format
            && bullets > 0
            && !closes_comment
        {
            let prefix = excerpt(text::trim(&line[..bullets]));
            self.residue(format, span, Residue::Prefixed { format, prefix });
            self.tags(source, row.behind(bullets + 1));
        } else {
            if let Some(format) = prefixed(line) {
                self.note_nearly(span, Nearly::Behind(format));
            }
            self.rest(source, row);
        }
    }

    /// Reads a line, or what follows an element on its line.
    pub(super) fn rest(&mut self, source: &Source, row: Row<'_>) {
        if self.seen.opx
            && let Some(tag) = closing(row.text)
        {
            self.residue(
                Format::Opx,
                source.place(tag),
                Residue::StrayClosing { tag: tag.into() },
            );
        }
        self.tags(source, row);
    }

    /// Follows the shell's heredocs, the end of which is no line of a diff.
    fn heredocs(&mut self, line: &[u8]) {
        if self.heredoc.as_deref() == Some(line) {
            self.heredoc = None;
        } else if let Some(word) = heredocs(line).last() {
            self.heredoc = Some(word.to_vec());
        }
    }

    /// Returns what begins here and hides what is in it, once it is closed.
    fn open(&self) -> OpenComment {
        OpenComment {
            found: self.found.len(),
            seen: self.seen,
            is_fenced: self.is_fenced,
        }
    }

    /// Makes a draft of all so far, which a closing mark ends that nothing opened.
    pub(super) fn end_draft(&mut self, source: &Source, mark: reasoning::Mark<'_>) {
        (self.seen, self.comment, self.heredoc) = (PatchesAbove::default(), None, None);
        self.names = Names::No;
        self.hide(source, self.drafts, &Hiding::Unopened(mark.shown().1));
        self.drafts = self.found.len();
    }

    /// Finds what can only have been part of a unified diff.
    fn remains(&mut self, source: &Source, row: Row<'_>) {
        let Some(residue) = near_diff::residue(source, row) else {
            return;
        };
        if let Some(WalkItem::Residue(_, last)) = self.found.last_mut() {
            match (&mut last.value, &residue) {
                (Residue::StrayHunk { more }, Residue::StrayHunk { .. }) => return *more += 1,
                (Residue::Encoded { .. }, Residue::Encoded { .. }) => return,
                // It is a chunk of what has been reported as being in no envelope.
                (last, Residue::StrayHunk { .. }) if last.loses_an_envelope() => return,
                _ => {}
            }
        }
        self.residue(Format::Unified, row.span, residue);
    }

    /// Finds file headers outside of envelopes.
    fn headers(
        &mut self,
        source: &Source,
        Row {
            text: line, span, ..
        }: Row<'_>,
    ) {
        let indent = &source.bytes()[self.seen.indent.0..self.seen.indent.1];
        let indented = line.strip_prefix(indent).unwrap_or(line);
        let Some(marked) = envelope::read_marker(line).or_else(|| envelope::read_marker(indented))
        else {
            return;
        };
        if !matches!(marked.marker, Marker::Header(..) | Marker::MoveTo(_)) {
            return;
        }
        let comment_begins = self
            .comment
            .as_ref()
            .is_some_and(|comment| comment.found == self.found.len());
        if let Some(WalkItem::Residue(
            _,
            Located {
                value: Residue::StrayHeader { more, .. },
                ..
            },
        )) = self.found.last_mut()
            && !comment_begins
        {
            *more += 1;
            return;
        }
        let ended = self.seen.envelope_end;
        let begin = self
            .near_begin
            .map(|(line, _)| line)
            .filter(|line| ended.is_none_or(|ended| *line > ended));
        if begin.is_some() {
            // The error says it.
            self.nearly.pop_if(|(_, what)| *what == Nearly::Letters);
        }
        let header = excerpt(text::trim(line));
        self.residue(
            Format::Envelope,
            span,
            Residue::StrayHeader {
                header,
                more: 0,
                begin,
                ended,
            },
        );
    }

    /// Finds end markers that end nothing.
    fn ends(
        &mut self,
        Row {
            text: line,
            span,
            number,
            ..
        }: Row<'_>,
    ) {
        let Some(marked) = envelope::read_marker(text::trim_start(line)) else {
            return;
        };
        let stray = |marker| WalkItem::remark(span, Warning::StrayMarker { marker });
        let is_lost = matches!(self.found.last(), Some(WalkItem::Residue(_, error)) if error.value.loses_an_envelope());
        match (marked.marker, self.seen.envelope_end) {
            (Marker::EndOfFile, _) => self.found.push(stray("*** End of File")),
            // It ends what has been reported as being in no patch.
            (Marker::End, _) if is_lost => {}
            (Marker::End, Some(ended)) if number.get() > ended.get() + 1 => {
                self.residue(Format::Envelope, span, Residue::StrayEnd { ended });
            }
            (Marker::End, _) => self.found.push(stray("*** End Patch")),
            _ => {}
        }
    }

    /// Remembers what explains later why there is no patch.
    fn look_around(&mut self, source: &Source, row: Row<'_>) {
        if nearly_begins(text::trim(row.text)) {
            self.near_begin = Some((row.number, row.span));
        }
        match self.names.read(source, row) {
            Some((at, Nearly::Behind(_))) => self.note_diff(at),
            Some((at, what)) => self.note_nearly(at, what),
            None => {}
        }
        if marked(row.text, b"diff --git a/").is_some() {
            self.note_diff(row.span);
        }
    }

    /// Remembers the first unified diff that isn't at the start of its line.
    fn note_diff(&mut self, at: Span) {
        if self.diff.is_none() {
            self.diff = Some(at);
            self.note_nearly(at, Nearly::Behind(Format::Unified));
        }
    }

    /// Finds comments, and edits in mid-line.
    fn tags(&mut self, source: &Source, row: Row<'_>) {
        let line = row.text;
        let start = row.start();
        let mut close = self.comment.as_ref().and_then(|_| line.find(b"-->"));
        if close.is_none() && memchr::memchr(b'<', line).is_none() {
            return;
        }
        let spans = CodeSpans::of(line);
        let mut at = 0;
        loop {
            let stop = close.unwrap_or(line.len());
            match (memchr::memchr2(b'`', b'<', &line[at..stop]), close) {
                (Some(next), _) => at += next,
                (None, None) => return,
                (None, Some(end)) => {
                    self.close_comment(source);
                    close = None;
                    at = end + b"-->".len();
                    continue;
                }
            }
            let tag = &line[at..stop];
            if tag[0] == b'`' {
                at = spans.behind(&line[..stop], at);
            } else if tag.starts_with(b"<!--") && self.comment.is_none() {
                self.comment = Some(self.open());
                at += b"<!--".len();
                close = line[at..].find(b"-->").map(|end| at + end);
            } else {
                let window = &source.bytes()[start + at..];
                if opx::starts_here(&window[..window.len().min(WINDOW)]) {
                    let shown = &tag[..tag.len().min(200)];
                    let end = memchr::memchr(b'>', shown).map_or(shown.len(), |end| end + 1);
                    let span = source.span(start + at..start + at + end);
                    self.found.push(WalkItem::remark(span, Warning::ProseEdit));
                }
                at += 1;
            }
        }
    }

    /// Ends the open comment: what was found in it doesn't count.
    fn close_comment(&mut self, source: &Source) {
        let Some(comment) = self.comment.take() else {
            return;
        };
        self.seen = comment.seen;
        self.hide(source, comment.found, &Hiding::Comment);
    }

    /// Makes nothing but warnings of the patches found, from index `since` on.
    fn hide(&mut self, source: &Source, since: usize, by: &Hiding) {
        let hidden = self.found.drain(since..).filter_map(|found| {
            let (span, format) = match found {
                WalkItem::Block(block) => (Some(block.start(source)), block.format),
                WalkItem::Remark(warning) => match warning.value {
                    Any::Response(Warning::ProseEdit) => (warning.span, Format::Opx),
                    Any::Response(Warning::Hidden { .. }) => return Some(warning),
                    _ => return None,
                },
                WalkItem::Residue(..) => return None,
            };
            let by = by.clone();
            Some(Located::new(span, Warning::Hidden { format, by }.into()))
        });
        let hidden: Vec<_> = hidden.collect();
        if let Some(span) = hidden.first().and_then(|warning| warning.span) {
            self.note_hidden(span, by);
        }
        self.found.extend(hidden.into_iter().map(WalkItem::Remark));
        // What is still open, and began in there, begins before what is left of it.
        if let Some(comment) = &mut self.comment {
            comment.found = comment.found.min(since);
        }
    }

    /// Remembers the first patch that doesn't count.
    pub(super) fn note_hidden(&mut self, span: Span, by: &Hiding) {
        self.hidden.get_or_insert_with(|| (span, by.clone()));
    }

    /// Remembers what is nearly a patch.
    fn nearly(&mut self, source: &Source, row: Row<'_>) {
        let text = text::trim(row.text);
        if let Some(near) = encoding(source, row) {
            if !near.is_half {
                self.note_nearly(source.place(text), Nearly::Row(near));
            }
            return;
        }
        let brace = text
            .find_byte(b'{')
            .filter(|at| !text[..*at].contains(&b'`'));
        let call = &text[brace.unwrap_or(text.len())..];
        let what = if text.starts_with(b"***") && envelope::meant(text) == Some(Meant::Begin) {
            Nearly::Letters
        } else if is_edit(text) {
            Nearly::Tag
        } else if call.len() < text.len() && json::is_call(source, call) {
            Nearly::Behind(Format::Tool)
        } else if is_call(text) {
            self.call = Some((source.place(text), self.found.len()));
            return;
        } else if CALL_ENDS.iter().any(|end| text.starts_with(end.as_bytes()))
            && let Some((span, since)) = self.call.take()
        {
            let since = self.found.get(since..).unwrap_or_default();
            if since.iter().all(|item| item.block().is_none()) {
                self.note_nearly(span, Nearly::CallTags);
            }
            return;
        } else if is_of_code(text) {
            Nearly::CallCode
        } else {
            return;
        };
        self.note_nearly(source.place(text), what);
    }

    /// Notes what is nearly a patch.
    pub(super) fn note_nearly(&mut self, span: Span, what: Nearly) {
        const MOST: usize = 100;
        if self.nearly.len() < MOST {
            self.nearly.push((span, what));
        }
    }

    /// Tells of a patch that begins in a quoted line; returns whether the line is quoted.
    fn quoted(&mut self, source: &Source, row: Row<'_>) -> bool {
        if !is_quoted(row.text) {
            return false;
        }
        let text = text::trim_start(row.text);
        let inner = text.trim_start_with(|c| matches!(c, '>' | ' ' | '\t'));
        let format = match inner {
            _ if envelope::starts_here(inner) => Format::Envelope,
            _ if opx::starts_here(inner) => Format::Opx,
            _ if inner.starts_with(b"diff --git a/") => Format::Unified,
            _ if inner.starts_with(b"+++ ") && matches!(self.names, Names::Old(_)) => {
                Format::Unified
            }
            _ if inner.starts_with(b"--- ") => {
                self.names = Names::Old(row.span);
                return true;
            }
            _ if blocks::opener(inner).is_some() => Format::Blocks,
            _ if json::is_call(source, inner) => Format::Tool,
            _ => return true,
        };
        let span = source.place(inner);
        let by = Hiding::Quote;
        self.note_hidden(span, &by);
        self.found
            .push(WalkItem::remark(span, Warning::Hidden { format, by }));
        true
    }
}

/// What ends a call in tags.
const CALL_ENDS: [&str; 3] = ["</invoke>", "</function>", "</tool_call>"];
