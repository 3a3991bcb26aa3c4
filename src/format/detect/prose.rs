//! What stands around patches: mostly nothing that matters, but for comments, and for what shows that something was lost.

use std::collections::HashMap;
use std::ops::Range;

use bstr::ByteSlice as _;

use super::{Fault, Found, Warning};
use crate::format::envelope::{self, Marker, Meant};
use crate::format::{opx, unified};
use crate::patch::Format;
use crate::text::{LineNo, Located, Source, Span};

/// How much of a tag in mid-line is looked at. Quotes can make every tag of a line reach to the line's end, and here it is
/// only about a warning.
const WINDOW: usize = 512;

/// The reader of prose, line by line.
#[derive(Debug, Default)]
pub(super) struct Prose {
    comment: Option<Comment>,
    fence: Option<Fence>,
    /// What ends the shell's heredoc that is open.
    heredoc: Option<Vec<u8>>,
    seen: Seen,
    unified: Unified,
    /// The last line that is nearly a Begin.
    pub(super) near_begin: Option<(LineNo, Span)>,
    /// The first patch in a comment.
    pub(super) commented: Option<Span>,
    /// Where a unified diff begins that isn't at the start of its line.
    pub(super) diff: Option<Span>,
}

/// An HTML comment that isn't closed yet.
#[derive(Debug)]
struct Comment {
    /// How much had been found before it.
    found: usize,
    /// What had been seen before it.
    seen: Seen,
    /// Whether it is in a fence, beyond which it can't go.
    in_fence: bool,
}

/// An open Markdown fence.
#[derive(Clone, Copy, Debug)]
struct Fence {
    of: u8,
    length: usize,
}

/// Which patches stand above.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    /// Whether the last OPX element before is sound.
    opx: bool,
    /// The last line of the envelope before.
    envelope_end: Option<LineNo>,
    /// The blanks before that envelope, as offsets.
    indent: (usize, usize),
}

/// Returns the format of which the last line of an answer, which isn't terminated, is the beginning of a patch's beginning.
fn cut_start(line: &[u8]) -> Option<Format> {
    let cut = |whole: &[u8], least: usize| line.len() >= least && line.len() < whole.len() && whole.starts_with(line);
    if cut(b"*** Begin Patch", b"*** B".len()) {
        Some(Format::Envelope)
    } else if cut(b"<edit ", b"<ed".len()) || line.starts_with(b"<edit ") && !line.contains(&b'>') {
        Some(Format::Opx)
    } else if cut(b"diff --git ", b"diff --".len()) || line.starts_with(b"diff --git a/") {
        Some(Format::Unified)
    } else {
        None
    }
}

/// How far the headers of a unified diff have been seen.
#[derive(Debug, Default)]
enum Unified {
    #[default]
    No,
    Old(Span),
    New(Span),
}

impl Prose {
    /// Returns what stands around the line that comes next.
    pub(super) fn around(&self) -> unified::Around<'_> {
        unified::Around {
            fenced: self.fence.is_some(),
            commented: self.comment.is_some(),
            heredoc: self.heredoc.as_deref(),
        }
    }

    /// Notes that an envelope ended, with its last line and where the blanks before its Begin are.
    pub(super) fn envelope_ends(&mut self, last: LineNo, indent: Range<usize>) {
        self.seen.envelope_end = Some(last);
        self.seen.indent = (indent.start, indent.end);
    }

    /// Notes that an OPX element ended. What lies about after one that is broken is its wreck, and no news.
    pub(super) fn opx_ends(&mut self, sound: bool) {
        self.seen.opx = sound;
    }

    /// Reads a whole line.
    pub(super) fn line(
        &mut self,
        source: &Source,
        line: &[u8],
        start: usize,
        number: LineNo,
        found: &mut Vec<Found<'_>>,
    ) {
        let span = source.span(start..start + line.len());
        self.fences(line);
        self.heredocs(line);
        let is_last = number.index() + 1 == source.line_count();
        if is_last && matches!(self.unified, Unified::Old(_)) && line.starts_with(b"+++ ") {
            let fault = Fault::CutStart { start: excerpt(line).into() };
            found.push(Found::Residue(Format::Unified, Located::new(span, fault)));
        }
        self.look_around(line, span, number, found);
        self.remains(line, span, found);
        self.headers(source, line, span, found);
        self.ends(line, span, number, found);
        if start + line.len() == source.bytes().len()
            && let Some(format) = cut_start(envelope::trim_start(line))
        {
            let start = excerpt(envelope::trim_start(line)).into();
            found.push(Found::Residue(format, Located::new(span, Fault::CutStart { start })));
        }
        let bullets = bullets(line);
        let behind = &line[bullets..];
        let closes_comment = self.comment.is_some() && line[..bullets].contains_str("-->");
        let is_begin = envelope::starts_here(behind);
        if bullets > 0 && !closes_comment && (is_begin || opx::starts_here(behind)) {
            let format = if is_begin { Format::Envelope } else { Format::Opx };
            let prefix = envelope::trim(&line[..bullets]);
            let fault = Fault::Prefixed { format, prefix: excerpt(prefix).into() };
            found.push(Found::Residue(format, Located::new(span, fault)));
            self.tags(source, &behind[1..], start + bullets + 1, found);
        } else {
            self.rest(source, line, start, found);
        }
    }

    /// Reads a line, or what follows an element on its line.
    pub(super) fn rest(&mut self, source: &Source, line: &[u8], start: usize, found: &mut Vec<Found<'_>>) {
        if self.seen.opx
            && let Some(tag) = closing(line)
        {
            let at = start + (line.len() - envelope::trim_start(line).len());
            let fault = Fault::StrayClosing { tag: tag.into() };
            found.push(Found::Residue(Format::Opx, Located::new(source.span(at..at + tag.len()), fault)));
        }
        self.tags(source, line, start, found);
    }

    /// Follows Markdown fences, which bound comments.
    fn fences(&mut self, line: &[u8]) {
        let text = envelope::trim(line);
        let Some(&of @ (b'`' | b'~')) = text.first() else { return };
        let length = text.iter().take_while(|&&byte| byte == of).count();
        let info = &text[length..];
        match self.fence {
            None if length >= 3 && (of == b'~' || !info.contains(&b'`')) => self.fence = Some(Fence { of, length }),
            Some(fence) if fence.of == of && length >= fence.length && info.is_empty() => {
                self.fence = None;
                self.comment.take_if(|comment| comment.in_fence);
            }
            _ => {}
        }
    }

    /// Follows the shell's heredocs, the end of which is no line of a diff.
    fn heredocs(&mut self, line: &[u8]) {
        if self.heredoc.as_deref().is_some_and(|delimiter| delimiter == line) {
            self.heredoc = None;
        } else if let Some(at) = line.rfind(b"<<") {
            let word = line[at + 2..].trim_start_with(|c| c == '-' || c == ' ');
            let word = word.trim_with(|c| c == '\'' || c == '"');
            let is_word = word.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
            self.heredoc = (is_word && !word.is_empty()).then(|| word.to_vec()).or(self.heredoc.take());
        }
    }

    /// Finds what can only have been part of a unified diff.
    fn remains(&self, line: &[u8], span: Span, found: &mut Vec<Found<'_>>) {
        let fault = if unified::is_hunk_header(line) {
            if let Some(Found::Residue(_, Located { value: Fault::StrayHunk { more }, .. })) = found.last_mut() {
                *more += 1;
                return;
            }
            Fault::StrayHunk { more: 0 }
        } else if line.starts_with(b"@@@ -") && line[3..].contains_str("@@@") {
            Fault::Combined
        } else if line.starts_with(b"Binary files ") && line.ends_with(b" differ") {
            Fault::Binary { line: excerpt(line).into() }
        } else {
            return;
        };
        found.push(Found::Residue(Format::Unified, Located::new(span, fault)));
    }

    /// Finds file headers outside of envelopes.
    fn headers(&mut self, source: &Source, line: &[u8], span: Span, found: &mut Vec<Found<'_>>) {
        let indent = &source.bytes()[self.seen.indent.0..self.seen.indent.1];
        let indented = line.strip_prefix(indent).unwrap_or(line);
        let Some(marked) = envelope::read_marker(line).or_else(|| envelope::read_marker(indented)) else { return };
        if !matches!(marked.marker, Marker::Header(..) | Marker::MoveTo(_)) {
            return;
        }
        let comment_begins = self.comment.as_ref().is_some_and(|comment| comment.found == found.len());
        if let Some(Found::Residue(_, Located { value: Fault::StrayHeader { more, .. }, .. })) = found.last_mut()
            && !comment_begins
        {
            *more += 1;
            return;
        }
        let ended = self.seen.envelope_end;
        let begin = self.near_begin.map(|(line, _)| line).filter(|line| ended.is_none_or(|ended| *line > ended));
        let header = excerpt(envelope::trim(line)).into();
        let fault = Fault::StrayHeader { header, more: 0, begin, ended };
        found.push(Found::Residue(Format::Envelope, Located::new(span, fault)));
    }

    /// Finds end markers that end nothing.
    fn ends(&mut self, line: &[u8], span: Span, number: LineNo, found: &mut Vec<Found<'_>>) {
        let Some(marked) = envelope::read_marker(envelope::trim_start(line)) else { return };
        let stray = |marker| Found::Remark(Located::new(span, Warning::StrayMarker { marker }));
        let is_lost = matches!(found.last(), Some(Found::Residue(_, fault)) if fault.value.loses_an_envelope());
        match (marked.marker, self.seen.envelope_end) {
            (Marker::EndOfFile, _) => found.push(stray("*** End of File")),
            // It ends what has been reported as standing in no patch.
            (Marker::End, _) if is_lost => {}
            (Marker::End, Some(ended)) if number.get() > ended.get() + 1 => {
                found.push(Found::Residue(Format::Envelope, Located::new(span, Fault::StrayEnd { ended })));
            }
            (Marker::End, _) => found.push(stray("*** End Patch")),
            _ => {}
        }
    }

    /// Remembers what explains later why there is no patch.
    fn look_around(&mut self, line: &[u8], span: Span, number: LineNo, found: &mut Vec<Found<'_>>) {
        let text = envelope::trim(line);
        let begin = b"*** Begin Patch";
        if text.ends_with(begin)
            || text.starts_with(begin)
            || text.starts_with(b"*") && envelope::meant(text) == Some(Meant::Begin)
        {
            self.near_begin = Some((number, span));
        }
        let text = line.trim_start_with(|c| matches!(c, '>' | ' ' | '\t'));
        self.unified = match self.unified {
            Unified::Old(at) if text.starts_with(b"+++ ") => Unified::New(at),
            Unified::New(at) if text.starts_with(b"@@ -") => {
                self.diff.get_or_insert(at);
                Unified::No
            }
            Unified::New(_) if line.starts_with(b"@@") && !line.starts_with(b"@@@") => {
                found.push(Found::Residue(Format::Unified, Located::new(span, Fault::Unnumbered)));
                Unified::No
            }
            _ if text.starts_with(b"--- ") => Unified::Old(span),
            _ => Unified::No,
        };
        if text.starts_with(b"diff --git a/") {
            self.diff.get_or_insert(span);
        }
    }

    /// Finds comments, and edits in mid-line.
    fn tags(&mut self, source: &Source, line: &[u8], start: usize, found: &mut Vec<Found<'_>>) {
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
                    self.close_comment(found);
                    close = None;
                    at = end + b"-->".len();
                    continue;
                }
            }
            let tag = &line[at..stop];
            if tag[0] == b'`' {
                at = spans.behind(&line[..stop], at);
            } else if tag.starts_with(b"<!--") && self.comment.is_none() {
                self.comment = Some(Comment { found: found.len(), seen: self.seen, in_fence: self.fence.is_some() });
                at += b"<!--".len();
                close = line[at..].find(b"-->").map(|end| at + end);
            } else {
                let window = &source.bytes()[start + at..];
                if opx::starts_here(&window[..window.len().min(WINDOW)]) {
                    let shown = &tag[..tag.len().min(200)];
                    let end = memchr::memchr(b'>', shown).map_or(shown.len(), |end| end + 1);
                    let span = source.span(start + at..start + at + end);
                    found.push(Found::Remark(Located::new(span, Warning::ProseEdit)));
                }
                at += 1;
            }
        }
    }

    /// Ends the open comment: what was found in it doesn't count.
    fn close_comment(&mut self, found: &mut Vec<Found<'_>>) {
        let Some(comment) = self.comment.take() else { return };
        self.seen = comment.seen;
        let commented: Vec<_> = found
            .drain(comment.found..)
            .filter_map(|found| match found {
                Found::Block(block) => Some(Located::new(block.start, Warning::Commented { format: block.format })),
                Found::Remark(Located { span, value: Warning::ProseEdit }) => {
                    Some(Located { span, value: Warning::Commented { format: Format::Opx } })
                }
                Found::Residue(..) | Found::Remark(_) => None,
            })
            .collect();
        self.commented = self.commented.or(commented.first().and_then(|warning| warning.span));
        found.extend(commented.into_iter().map(Found::Remark));
    }
}

/// The code spans of a line, found in one pass: a run of backticks opens one if another run of its length follows.
struct CodeSpans {
    /// Where the last run of each length begins.
    last: HashMap<usize, usize>,
}

impl CodeSpans {
    fn of(line: &[u8]) -> Self {
        let mut last = HashMap::new();
        let mut at = 0;
        while let Some(next) = memchr::memchr(b'`', &line[at..]) {
            at += next;
            let length = run(&line[at..]);
            last.insert(length, at);
            at += length;
        }
        Self { last }
    }

    /// Returns the offset behind the code span that a run of backticks opens, or else behind that run.
    fn behind(&self, line: &[u8], mut at: usize) -> usize {
        let length = run(&line[at..]);
        let opens = self.last.get(&length).is_some_and(|&last| last > at);
        at += length;
        while opens && let Some(next) = memchr::memchr(b'`', &line[at..]) {
            at += next;
            let other = run(&line[at..]);
            at += other;
            if other == length {
                break;
            }
        }
        at
    }
}

fn run(text: &[u8]) -> usize {
    text.iter().take_while(|&&byte| byte == b'`').count()
}

/// Returns how many bytes of list bullets and quotation marks a line begins with, blanks included; 0 if there are none.
fn bullets(line: &[u8]) -> usize {
    let mut rest = envelope::trim_start(line);
    let mut any = false;
    loop {
        let blank = |at: usize| matches!(rest.get(at), Some(b' ' | b'\t'));
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let length = match rest {
            [b'>' | b'+' | b'-', ..] => 1,
            [b'*', ..] if blank(1) => 1,
            [0xe2, 0x80, 0xa2, ..] => 3,
            _ if digits > 0 && matches!(rest.get(digits), Some(b'.' | b')')) && blank(digits + 1) => digits + 1,
            _ => break,
        };
        any = true;
        rest = envelope::trim_start(&rest[length..]);
    }
    if any { line.len() - rest.len() } else { 0 }
}

/// Returns the closing tag that a line starts with, or the `>>>` that it is.
fn closing(line: &[u8]) -> Option<&[u8]> {
    let text = envelope::trim(line);
    if text == b">>>" {
        return Some(text);
    }
    let name = text.strip_prefix(b"</")?;
    for known in ["edit", "put", "find", "opx"] {
        let Some(rest) = name.get(known.len()..) else { continue };
        if name[..known.len()].eq_ignore_ascii_case(known.as_bytes()) && envelope::trim_start(rest).starts_with(b">") {
            let end = text.len() - envelope::trim_start(rest).len() + 1;
            return Some(&text[..end]);
        }
    }
    None
}

/// Cuts what a message quotes to a length that fits one.
fn excerpt(text: &[u8]) -> &[u8] {
    const FITS: usize = 80;
    let fits = text.char_indices().map(|(_, end, _)| end).take_while(|&end| end <= FITS).last().unwrap_or(0);
    &text[..fits]
}
