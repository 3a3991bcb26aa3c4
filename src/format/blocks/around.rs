//! What is around blocks: the lines above one, the fence and the tags that it is in. They say which file it is about.

use std::ops::Range;

use bstr::ByteSlice as _;

use super::error::{Error, Warning};
use super::marker::{self, Marker};
use super::parse::{Block, Reader, line_number};
use super::path;
use crate::format::InFile;
use crate::format::Options;
use crate::format::envelope::{is_blank, trim};
use crate::format::fence::Fence;
use crate::patch::{FileEdit, Occurrence, Operation};
use crate::text::{LineNo, Located, Source, Span, Text};

/// Something that the lines around blocks say.
#[derive(Debug)]
pub(in crate::format) enum Note {
    /// That something is wrong or was lost.
    Error(Error),
    /// That something is ignored.
    Warning(Warning),
    /// The line at which so many blocks before begin, where they don't say themselves.
    Start { line: LineNo, blocks: usize },
}

/// The nearest line above that isn't blank, if it is one of text.
#[derive(Clone, Debug, Default)]
struct Above {
    line: Option<Range<usize>>,
    /// Whether a blank line is between.
    is_apart: bool,
}

/// An open fence.
#[derive(Debug)]
struct Open {
    fence: Fence,
    /// What is above it.
    above: Above,
    /// Where what is behind its backticks is.
    info: Range<usize>,
    /// How many blocks, and how many lines beside them, are in it.
    blocks: usize,
    lines: usize,
    /// Lines of blocks at which it may have ended.
    closing: Vec<Span>,
}

/// The tags that blocks may be in.
const TOOLS: [&str; 2] = ["replace_in_file", "apply_diff"];
const PARTS: [&str; 4] = ["args", "file", "diff", "content"];
/// Those that change files, or may do so, and can't be read.
const OTHERS: [&str; 4] = ["write_to_file", "insert_content", "search_and_replace", "invoke"];

/// The reader of what is around blocks, line by line.
#[derive(Debug, Default)]
pub(in crate::format) struct Around<'a> {
    above: Above,
    fence: Option<Open>,
    /// Lines of blocks that may have been meant to close a fence which another line closes.
    doubtful: Vec<Span>,
    /// The tags that are open, the innermost last.
    tags: Vec<(&'static str, Span)>,
    /// The `<path>` of the tag that is open. Several blocks share it, so that none is where it is.
    path: Option<Text<'a>>,
    /// The `<start_line>` of the `<diff>` that is open, and how many blocks are in it.
    start: Option<LineNo>,
    blocks: usize,
    /// The file of the block before, while nothing but blank lines, fences and dots is between; `None` in it for one that isn't known.
    last: Option<Option<Text<'a>>>,
    /// Whether something that is nearly a block's first line has been seen, behind which what follows is no news.
    is_wreck: bool,
    /// How much of a conflict has been seen: its first line, and whether its middle came.
    conflict: Option<(Span, bool)>,
}

impl<'a> Around<'a> {
    /// Reads a line that is in no patch. `is_fenced` says whether a fence is open behind it; one may end with what hides it.
    pub(in crate::format) fn line(
        &mut self,
        source: &'a Source,
        (line, start): (&'a [u8], usize),
        is_fenced: bool,
    ) -> Vec<Located<Note>> {
        let text = trim(line);
        let span = source.span(start..start + line.len());
        let note = |note| vec![Located::new(span, note)];
        if text.is_empty() {
            self.above.is_apart = true;
            return Vec::new();
        }
        let read = Fence::read(line);
        self.fence.take_if(|_| read.is_none() && !is_fenced);
        if let Some((fence, info)) = read {
            return self.fence(fence, info, start + line.len() - trailing(line) - info.len());
        }
        self.above = Above::default();
        if text.iter().all(|&byte| byte == b'.') || text == "…".as_bytes() {
            return Vec::new();
        }
        self.last = None;
        if let Some(notes) = self.tags(source, line, start) {
            return notes;
        }
        if let Some(open) = &mut self.fence {
            open.lines += 1;
        }
        if matches!(Marker::read(text), Some(Marker::End(..))) {
            // What nearly began it has been told.
            if std::mem::take(&mut self.is_wreck) {
                return Vec::new();
            }
            return note(Note::Error(Error::StrayEnd { marker: crate::format::excerpt(text) }));
        }
        if marker::is_nearly_opener(line) {
            self.is_wreck = true;
            return note(Note::Error(Error::NearOpener { marker: crate::format::excerpt(text) }));
        }
        self.above = Above { line: Some(start..start + line.len()), is_apart: false };
        if self.ends_conflict(line, span) { note(Note::Warning(Warning::Conflict)) } else { Vec::new() }
    }

    /// Passes over a patch of another format.
    pub(in crate::format) fn pass(&mut self) {
        (self.above, self.conflict, self.last) = (Above::default(), None, None);
    }

    /// Reads the end of the response.
    pub(in crate::format) fn end(&mut self) -> Vec<Located<Note>> {
        let open = self.tags.first().map(|&(tag, span)| Located::new(span, Note::Error(Error::OpenTag { tag })));
        // Where a fence is left open, one too few closes them, so any of these may have been meant to.
        let closing = self.fence.take().map(|open| [std::mem::take(&mut self.doubtful), open.closing].concat());
        open.into_iter().chain(lost(closing.unwrap_or_default())).collect()
    }

    /// Reads the block that begins at an offset of a line, and what is glued to it.
    pub(in crate::format) fn block(
        &mut self,
        source: &'a Source,
        (line_start, at): (usize, usize),
        options: &Options<'_>,
    ) -> (Block<'a>, Vec<Located<Note>>) {
        let glued = &source.bytes()[line_start..at];
        let mut notes =
            if is_blank(glued) { Vec::new() } else { self.tags(source, glued, line_start).unwrap_or_default() };
        let path = self.named(source, options);
        let reader = Reader::new(source, at, path.clone().ok(), options);
        let (mut block, closing) = reader.read(self.fence.as_ref().map(|open| open.fence));
        if let Err(error) = &path {
            let span = source.span(at..at + source.bytes()[at..].find_byte(b'\n').unwrap_or(0));
            let what = InFile { path: None, what: error.clone() };
            block.errors.insert(0, Located::new(span, what));
        }
        self.blocks += 1;
        if let Some(line) = self.start {
            block.edits.iter_mut().for_each(|edit| begin_at(edit, line));
        }
        if let Some(open) = &mut self.fence {
            open.blocks += 1;
            open.closing.extend(closing);
        }
        (self.above, self.conflict, self.is_wreck) = (Above::default(), None, false);
        self.last = Some(path.ok().map(|path| Text::derived(path.bytes)));
        let rest = source.bytes()[block.end..].lines().next().unwrap_or_default();
        if !is_blank(rest) && block.end > at && source.line_at(block.end) == source.line_at(block.end.saturating_sub(1))
        {
            notes.extend(self.tags(source, rest, block.end).unwrap_or_default());
        }
        (block, notes)
    }

    /// Returns the file that a block here is about.
    fn named(&self, source: &'a Source, options: &Options<'_>) -> Result<Text<'a>, Error> {
        let is_file = |path: &[u8]| options.is_file.is_some_and(|is_file| is_file(path));
        let mut all: Vec<Text<'a>> = Vec::new();
        let mut above = |above: &Above| {
            let Some(range) = above.line.clone() else { return };
            let line = &source.bytes()[range.clone()];
            let Some(path) = path::named(line, !above.is_apart, is_file) else { return };
            let at = range.start + (path.as_ptr().addr() - line.as_ptr().addr());
            all.push(Text::at(path, source.span(at..at + path.len())));
        };
        above(&self.above);
        let first_in = self.fence.as_ref().filter(|open| open.blocks == 0);
        if let Some(open) = first_in {
            above(&open.above);
            let info = &source.bytes()[open.info.clone()];
            all.extend(path::in_info(info).map(|(at, path)| {
                let at = open.info.start + at;
                Text::at(path, source.span(at..at + path.len()))
            }));
        }
        all.extend(self.path.clone());
        let Some(first) = all.first() else {
            let before = self.last.clone().map(|path| path.ok_or(Error::NoPath));
            let given = || options.file.map(|file| Text::derived(file.to_vec())).ok_or(Error::NoPath);
            return before.unwrap_or_else(given);
        };
        let plain = |path: &Text<'_>| path.strip_prefix(b"./").unwrap_or(path).to_vec();
        match all.iter().find(|path| plain(path) != plain(first)) {
            Some(second) => Err(Error::TwoPaths { first: first[..].into(), second: second[..].into() }),
            None => Ok(first.clone()),
        }
    }

    /// Reads a line that opens or closes a fence.
    fn fence(&mut self, fence: Fence, info: &[u8], at: usize) -> Vec<Located<Note>> {
        let above = std::mem::take(&mut self.above);
        match self.fence.take() {
            None => {
                let info = at..at + info.len();
                self.fence = Some(Open { fence, above, info, blocks: 0, lines: 0, closing: Vec::new() });
                Vec::new()
            }
            Some(open) if open.fence.is_like(fence) && info.is_empty() => {
                self.doubtful.extend(open.closing);
                if open.blocks == 0 && open.lines == 1 {
                    self.above = Above { is_apart: false, ..above };
                }
                Vec::new()
            }
            Some(open) => {
                if open.closing.is_empty() || !open.fence.is_like(fence) {
                    self.fence = Some(open);
                    return Vec::new();
                }
                // It ended in a block.
                let notes = lost(open.closing).collect();
                let info = at..at + info.len();
                self.fence = Some(Open { fence, above, info, blocks: 0, lines: 0, closing: Vec::new() });
                notes
            }
        }
    }

    /// Reads a line of tags; `None` if it is something else.
    fn tags(&mut self, source: &'a Source, line: &'a [u8], start: usize) -> Option<Vec<Located<Note>>> {
        let mut rest = trim(line);
        let (mut notes, mut any) = (Vec::new(), false);
        while !rest.is_empty() {
            let at = start + (rest.as_ptr().addr() - line.as_ptr().addr());
            if let Some(behind) = rest.strip_prefix(b"<![CDATA[").or_else(|| rest.strip_prefix(b"]]>")) {
                (rest, any) = (trim(behind), any || !self.tags.is_empty());
                continue;
            }
            let Some((tag, closes, behind)) = tag(rest) else { break };
            let span = source.span(at..at + (rest.len() - behind.len()));
            if OTHERS.contains(&tag) {
                any = true;
                if !closes {
                    notes.push(Located::new(span, Note::Error(Error::Tool { tag })));
                }
            } else if closes {
                any |= self.close(tag, &mut notes);
            } else if tag == "path" || tag == "start_line" {
                if self.tags.is_empty() {
                    break;
                }
                any = true;
                let close = format!("</{tag}>");
                let Some(length) = behind.find(&close) else {
                    notes.push(Located::new(span, Note::Error(Error::OpenTag { tag })));
                    break;
                };
                let value = trim(&behind[..length]);
                let from = start + (value.as_ptr().addr() - line.as_ptr().addr());
                let place = source.span(from..from + value.len());
                if tag == "path" {
                    self.path = Some(Text::derived(value));
                } else {
                    notes.push(Located::new(place, self.start_line(value)));
                }
                rest = trim(&behind[length + close.len()..]);
                continue;
            } else if TOOLS.contains(&tag) || !self.tags.is_empty() {
                any = true;
                self.open(tag, span);
            } else {
                break;
            }
            rest = trim(behind);
        }
        any.then_some(notes)
    }

    fn open(&mut self, tag: &'static str, span: Span) {
        if TOOLS.contains(&tag) || tag == "file" {
            self.path = None;
        }
        if tag == "diff" {
            (self.start, self.blocks) = (None, 0);
        }
        if self.tags.len() < DEEPEST {
            self.tags.push((tag, span));
        }
    }

    /// Closes a tag, and finds those in it that aren't closed. Returns whether it was open.
    fn close(&mut self, tag: &str, notes: &mut Vec<Located<Note>>) -> bool {
        let Some(index) = self.tags.iter().rposition(|(open, _)| *open == tag) else { return false };
        let open = self.tags.split_off(index).into_iter().skip(1);
        notes.extend(open.take(1).map(|(tag, span)| Located::new(span, Note::Error(Error::OpenTag { tag }))));
        if TOOLS.contains(&tag) || tag == "file" {
            self.path = None;
        }
        if tag == "diff" || TOOLS.contains(&tag) {
            (self.start, self.blocks) = (None, 0);
        }
        true
    }

    fn start_line(&mut self, value: &[u8]) -> Note {
        match line_number(value) {
            Some(line) => {
                self.start = Some(line);
                Note::Start { line, blocks: self.blocks }
            }
            None => Note::Error(Error::LineNumber { written: crate::format::excerpt(value) }),
        }
    }

    /// Returns whether a line is the last of a whole conflict.
    fn ends_conflict(&mut self, line: &[u8], span: Span) -> bool {
        match (Marker::read(line), self.conflict) {
            (Some(Marker::ConflictStart), _) => self.conflict = Some((span, false)),
            (Some(Marker::Divider(marker::SEVEN)), Some((start, _))) => self.conflict = Some((start, true)),
            (Some(Marker::ConflictEnd), Some((_, has_middle))) => {
                self.conflict = None;
                return has_middle;
            }
            _ => {}
        }
        false
    }
}

/// How many tags may be open, one inside the other.
const DEEPEST: usize = 16;

/// Says that an edit begins at a line, if it doesn't say itself.
pub(in crate::format) fn begin_at(edit: &mut FileEdit<'_>, line: LineNo) {
    if let Operation::Substitute(substitution) = &mut edit.operation
        && substitution.occurrence == Occurrence::Lines(None)
    {
        substitution.occurrence = Occurrence::Lines(Some(line));
    }
}

fn lost(closing: Vec<Span>) -> impl Iterator<Item = Located<Note>> {
    closing.into_iter().map(|span| Located::new(span, Note::Error(Error::Fence)))
}

/// Returns how many bytes of whitespace a line ends with.
fn trailing(line: &[u8]) -> usize {
    crate::format::envelope::trim_start(line).len() - trim(line).len()
}

/// Reads a tag that is known: its name, whether it closes, and what is behind it.
fn tag(text: &[u8]) -> Option<(&'static str, bool, &[u8])> {
    let inner = text.strip_prefix(b"<")?;
    let (inner, closes) = inner.strip_prefix(b"/").map_or((inner, false), |inner| (inner, true));
    let all = TOOLS.iter().chain(&PARTS).chain(&OTHERS).chain(&["path", "start_line"]);
    all.filter_map(|name| Some((*name, inner.strip_prefix(name.as_bytes())?))).find_map(|(name, behind)| {
        match behind.first() {
            Some(b'>') => Some((name, closes, &behind[1..])),
            Some(b' ') => behind.find_byte(b'>').map(|end| (name, closes, &behind[end + 1..])),
            _ => None,
        }
    })
}

/// Returns whether what is between two blocks leaves them one patch: blank lines, fences, paths, tags, and what is glued to the first.
pub(in crate::format) fn are_between(text: &[u8]) -> bool {
    text.lines().all(|line| {
        let tags = trim(line).strip_prefix(b"]]>").unwrap_or(trim(line));
        is_blank(line) || Fence::read(line).is_some() || is_tags(tags) || path::named(line, true, |_| false).is_some()
    })
}

fn is_tags(mut text: &[u8]) -> bool {
    while let Some((name, _, behind)) = tag(text) {
        text = match name {
            "path" | "start_line" => behind.find_byte(b'>').map_or(behind, |end| &behind[end + 1..]),
            _ => behind,
        };
        text = trim(text).strip_prefix(b"]]>").or_else(|| trim(text).strip_prefix(b"<![CDATA[")).unwrap_or(trim(text));
    }
    text.is_empty()
}
