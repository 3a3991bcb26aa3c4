//! The walk: what begins in each line.

use super::{Part, Parts, What};
use crate::format::fence::names_diff;
use crate::format::{Options, tool};
use crate::patch::Format;
use crate::response::lines::Line;
use crate::response::losses::{self, PatchesAbove, Seen};
use crate::response::marks::MarkOf;
use crate::response::near::{LOOSE_CHANGE, NearLine, near};
use crate::response::paths::{OpenFence, Paths};
use crate::response::prose_line::is_change;
use crate::response::scripts::Scripts;
use crate::response::session::Session;
use crate::response::tags::begin_at;
use crate::response::{NoPatch, Warning, stated_base};
use crate::text::{Located, Row, Source, Span, is_blank};

/// Takes a response apart.
pub(crate) fn delimit<'a>(
    source: &'a Source,
    options: &Options<'_>,
    session: &mut Session,
) -> Parts<'a> {
    let mut walk = Walk {
        source,
        options,
        session,
        parts: Parts::default(),
        open: Vec::new(),
        paths: Paths::default(),
        seen: Seen::default(),
        scripts: Scripts::new(source),
    };
    let mut at = 0;
    while let Some(row) = row_from(source, at)
        && walk.seen.edits <= MOST_EDITS
    {
        at = walk.row(row);
    }
    walk.end()
}

/// Returns the rest of a line from an offset on.
pub(super) fn row_from(source: &Source, at: usize) -> Option<Row<'_>> {
    if at >= source.bytes().len() {
        return None;
    }
    let row = source.row(source.line_at(at))?;
    Some(row.behind(at.saturating_sub(row.start()).min(row.text.len())))
}

/// Returns the innermost fence that is open.
pub(super) fn innermost<'w, 'a>(open: &'w mut [Open<'a>]) -> Option<&'w mut OpenFence<'a>> {
    let mut open = open.iter_mut().rev();
    open.find_map(|open| open.fence.as_mut())
}

/// The most edits that a response may have. Each takes up to a kilobyte once it is read, however
/// short it is.
pub(crate) const MOST_EDITS: usize = 100_000;

/// A part that is open: a fence, or a comment.
pub(super) struct Open<'a> {
    pub(super) part: usize,
    /// None of a comment.
    pub(super) fence: Option<OpenFence<'a>>,
    /// The patches above it.
    pub(super) above: PatchesAbove,
    /// The last closing mark in it.
    pub(super) mark: Option<usize>,
    /// Whether a patch is in it.
    pub(super) has_patch: bool,
    /// What the first patch in it was read from, of commands and JSON.
    pub(super) read_as: Option<ReadAs>,
}

/// What holds a patch.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ReadAs {
    Commands,
    Json,
}

/// How many parts may be open, one in the other; in more, no line opens one.
pub(super) const DEEPEST: usize = 64;

pub(super) struct Walk<'a, 'o> {
    pub(super) source: &'a Source,
    pub(super) options: &'o Options<'o>,
    pub(super) session: &'o mut Session,
    pub(super) parts: Parts<'a>,
    /// The innermost last.
    pub(super) open: Vec<Open<'a>>,
    pub(super) paths: Paths<'a>,
    pub(super) seen: Seen,
    pub(super) scripts: Scripts<'a>,
}

impl<'a> Walk<'a, '_> {
    /// Reads what begins in a line, or in the rest of one; returns the offset behind it.
    pub(super) fn row(&mut self, row: Row<'a>) -> usize {
        self.parts.steps += 1;
        let is_fenced = self.fence().is_some();
        if !is_fenced && let Some(end) = self.file(row) {
            return end;
        }
        let line = Line::of(self.source, row);
        let part = match line {
            Line::Patch(format, at) => Some(self.patch(format, row, at)),
            Line::Opens(mark) if !is_fenced => Some(self.marked(row, mark)),
            Line::Closes(mark) if mark.mark.of == MarkOf::Draft && !is_fenced => {
                Some(self.lone_mark(row, mark))
            }
            Line::Json(at) => self.json(row, at),
            Line::Text if self.begins_diff(row) => Some(self.patch(Format::Unified, row, 0)),
            _ => None,
        };
        if let Some(end) = part {
            self.scripts.pass(row.start(), end);
            return end;
        }
        if let Some(end) = self.script(row) {
            return end;
        }
        match line {
            Line::Closes(mark) if mark.mark.of == MarkOf::Draft => {
                self.fenced_mark(row, mark);
                self.text(row);
            }
            Line::Fence(fence, info) => self.fence_line(row, fence, info),
            Line::Quoted(text) if !is_fenced => self.quotation(row, text),
            Line::Token(mark) if !is_fenced => {
                // What is behind an answer ends it.
                let behind = &self.source.bytes()[row.start() + mark.end()..];
                if !is_blank(behind.trim_ascii()) {
                    self.push(What::Chat(mark), row.span);
                }
                self.text(row);
            }
            Line::Blank => self.paths.blank(),
            _ if is_fenced && self.closes_tag(row) => {}
            _ => self.text(row),
        }
        let is_hidden = self.is_commented();
        let is_code = is_fenced || self.options.depth >= tool::DEEPEST_TEXT;
        self.scripts.line(row, is_code, is_hidden);
        self.source.start_of(row.number.next())
    }

    /// Adds a part to the innermost one that is open; returns its index.
    pub(super) fn push(&mut self, what: What<'a>, span: Span) -> usize {
        if what.is_patch() {
            self.open.iter_mut().for_each(|open| open.has_patch = true);
        }
        self.parts.all.push(Part {
            what,
            range: span.start as usize..span.end as usize,
            within: self.open.last().map(|open| open.part),
        });
        self.parts.all.len() - 1
    }

    /// Adds what a reader of tags or paths found.
    pub(super) fn push_found(&mut self, found: Vec<(What<'a>, Span)>) {
        for (what, span) in found {
            self.push(what, span);
        }
    }

    /// Returns whether a comment is open.
    pub(super) fn is_commented(&self) -> bool {
        self.open.iter().any(|open| open.fence.is_none())
    }

    /// Reads a line that is in no patch, and neither opens nor closes a part.
    pub(super) fn text(&mut self, row: Row<'a>) {
        let is_tagged = self.tags(row);
        let mut is_lost = false;
        if let Some((format, loss)) = losses::of(self.source, row, &self.seen) {
            self.lose(format, loss, row.span);
            is_lost = true;
        } else if let Some(marker) = losses::stray_marker(row) {
            let is_told = self
                .parts
                .all
                .last()
                .is_some_and(|part| part.what.loses_an_envelope());
            if !is_told {
                self.push(
                    What::Told(Box::new(Warning::StrayMarker { marker })),
                    row.span,
                );
            }
        } else if !is_tagged {
            self.near(row);
            self.loose_change(row);
        }
        self.seen.line(row, self.fence().is_some());
        self.comments(row, is_lost);
        if self.seen.edits == 0
            && !self.is_commented()
            && let Some(id) = stated_base(row.text)
        {
            self.parts.bases = vec![Located::new(row.span, id.into())];
        }
    }

    /// Reads the tags around blocks, and what is above one.
    pub(super) fn tags(&mut self, row: Row<'a>) -> bool {
        let mut found = Vec::new();
        let fence = innermost(&mut self.open);
        let is_tagged = self.paths.text(self.source, row, fence, &mut found);
        self.push_found(found);
        if let Some((line, blocks)) = self.paths.said_line() {
            let all = self.parts.all.iter_mut().rev();
            let patches = all.filter_map(|part| match &mut part.what {
                What::Patch(block) if block.format == Format::Blocks => Some(block),
                _ => None,
            });
            patches.take(blocks).for_each(|block| {
                block.edits.iter_mut().for_each(|edit| begin_at(edit, line));
            });
        }
        is_tagged
    }

    /// Adds what was lost, or counts it to what was lost just before.
    pub(super) fn lose(&mut self, format: Format, loss: NoPatch, span: Span) {
        let last = self.parts.all.last_mut().map(|part| &mut part.what);
        match (last, &loss) {
            (
                Some(What::Loss(_, NoPatch::StrayHeader { more, .. })),
                NoPatch::StrayHeader { .. },
            )
            | (Some(What::Loss(_, NoPatch::StrayHunk { more })), NoPatch::StrayHunk { .. }) => {
                *more += 1;
            }
            (Some(What::Loss(_, NoPatch::Encoded { .. })), NoPatch::Encoded { .. }) => {}
            // It is a chunk or the end of what has been told as being in no envelope.
            (Some(last), NoPatch::StrayHunk { .. } | NoPatch::StrayEnd { .. })
                if last.loses_an_envelope() => {}
            _ => {
                self.push(What::Loss(format, loss), span);
            }
        }
    }

    /// Tells of a line that is nearly a patch.
    pub(super) fn near(&mut self, row: Row<'a>) {
        let fence = self.fence();
        let line = NearLine {
            source: self.source,
            row,
            info: fence.map(|open| open.info),
            names_file: fence.is_some_and(|open| open.names.is_some()),
            tag_end: self.seen.tag.end(),
        };
        if let Some(near) = near(line) {
            self.push(What::Nearly(NoPatch::Near(near)), row.span);
        }
    }

    /// Tells of the first change in a fence of diffs in which nothing else was found.
    pub(super) fn loose_change(&mut self, row: Row<'a>) {
        let Some(open) = self.open.last().filter(|open| {
            let info = open.fence.as_ref().map(|fence| fence.info);
            info.is_some_and(names_diff)
        }) else {
            return;
        };
        let is_first = self.parts.all.len() == open.part + 1;
        if is_first && is_change(row.text) {
            self.push(What::Nearly(NoPatch::Near(&LOOSE_CHANGE)), row.span);
        }
    }
}
