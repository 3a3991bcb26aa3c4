//! What is around blocks: the lines above one, the fence and the tags that it is in. They say which file it is about.

use std::ops::Range;

use bstr::ByteSlice as _;

use super::error::{Error, Warning};
use super::marker::{self, Marker};
use super::parse::{Block, Reader};
use super::path;
use super::tags::{self, Tags};
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

/// The reader of what is around blocks, line by line.
#[derive(Debug, Default)]
pub(in crate::format) struct Around<'a> {
    above: Above,
    fence: Option<Open>,
    /// Lines of blocks that may have been meant to close a fence which another line closes.
    doubtful: Vec<Span>,
    tags: Tags<'a>,
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
        if let Some(notes) = self.tags.line(source, line, start) {
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
        let open = self.tags.unclosed();
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
            if is_blank(glued) { Vec::new() } else { self.tags.line(source, glued, line_start).unwrap_or_default() };
        let path = self.named(source, options);
        let reader = Reader::new(source, at, path.clone().ok(), options);
        let (mut block, closing) = reader.read(self.fence.as_ref().map(|open| open.fence));
        if let Err(error) = &path {
            let span = source.span(at..at + source.bytes()[at..].find_byte(b'\n').unwrap_or(0));
            let what = InFile { path: None, what: error.clone() };
            block.errors.insert(0, Located::new(span, what));
        }
        if let Some(line) = self.tags.block() {
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
            notes.extend(self.tags.line(source, rest, block.end).unwrap_or_default());
        }
        (block, notes)
    }

    /// Returns the file that a block here is about.
    fn named(&self, source: &'a Source, options: &Options<'_>) -> Result<Text<'a>, Error> {
        let above = |above: &Above| path::above(source, above.line.clone()?, !above.is_apart, options);
        let mut all: Vec<Text<'a>> = above(&self.above).into_iter().collect();
        if let Some(open) = self.fence.as_ref().filter(|open| open.blocks == 0) {
            all.extend(above(&open.above));
            all.extend(path::behind(source, &source.bytes()[open.info.clone()]));
        }
        all.extend(self.tags.path.clone());
        match path::one(&all) {
            Ok(Some(path)) => Ok(path),
            Ok(None) => {
                let before = self.last.clone().map(|path| path.ok_or(Error::NoPath));
                let given = || options.file.map(|file| Text::derived(file.to_vec())).ok_or(Error::NoPath);
                before.unwrap_or_else(given)
            }
            Err([first, second]) => Err(Error::TwoPaths { first, second }),
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

/// Returns whether what is between two blocks leaves them one patch: blank lines, fences, paths, tags, and what is glued to the first.
pub(in crate::format) fn are_between(text: &[u8]) -> bool {
    text.lines().all(|line| {
        let text = trim(line).strip_prefix(b"]]>").unwrap_or(trim(line));
        is_blank(line)
            || Fence::read(line).is_some()
            || tags::are_all(text)
            || path::named(line, true, |_| false).is_some()
    })
}
