//! Parts of a response that don't count: what the model thinks aloud, and what others say.

use std::ops::Range;

use bstr::ByteSlice as _;

use super::error::{Hiding, Warning};
use super::prose_line;
use super::quotes::Quotes;
use super::walk::{MarkPlace, Walk, WalkItem};
use super::{around, parse, reasoning};
use crate::format::fence::Fence;
use crate::format::{Options, files};
use crate::patch::Format;
use crate::text;
use crate::text::{LineNo, Row, Source, Span};

impl<'a> Walk<'a, '_> {
    /// Passes over the part in which the model thinks aloud that begins in a line.
    pub(super) fn thoughts(&mut self, row: Row<'a>) -> Option<usize> {
        if !self.is_whole(row) {
            return None;
        }
        let fence = self.around.fence().map(|(fence, _)| fence);
        let part = reasoning::thoughts(self.source, row.number, fence, &mut self.patience)?;
        if part.behind.is_none() && self.is_in_comment(row.start()) {
            return None;
        }
        let (open, close) = part.mark.shown();
        let by = match part.behind {
            _ if part.mark.is_turn() => Hiding::Turn(open),
            Some(_) => Hiding::Reasoning(open, close),
            None => Hiding::Unclosed(open),
        };
        self.around.pass();
        self.around.end_fence();
        if let Some((format, span)) = self.draft(part.start..part.end) {
            self.prose.note_hidden(span, &by);
            let warning = Warning::Hidden { format, by };
            self.prose.found.push(WalkItem::remark(span, warning));
        }
        let behind = part.behind.unwrap_or(self.source.bytes().len());
        self.scripts.pass(row.start(), behind);
        Some(self.rest(self.source.line_at(behind), behind))
    }

    /// Returns the first patch in a part that doesn't count, and where it is.
    pub(super) fn draft(&self, range: Range<usize>) -> Option<(Format, Span)> {
        if self.options.drafts >= MOST_DRAFTS {
            return None;
        }
        let text = self.source.bytes()[range.clone()].to_vec();
        let source = Source::new(self.source.id(), self.source.name(), text)?;
        let options = Options {
            drafts: self.options.drafts + 1,
            format: self.options.format.filter(|of| *of == Format::Files),
            ..*self.options
        };
        let parsed = parse(&source, &options);
        let part = parsed.parts.first().and_then(|part| part.span);
        let error = parsed.errors.first().and_then(|error| error.span);
        let at = part.or(error).map_or(0, |span| span.start as usize);
        let line = source.row(source.line_at(at)).map(|row| row.span)?;
        let start = range.start + line.start as usize;
        let end = range.start + line.end as usize;
        let has_patch = parsed.has_patch() || !parsed.parts.is_empty();
        has_patch.then(|| (parsed.patch.format, self.source.span(start..end)))
    }

    /// Makes a draft of all before a closing mark of reasoning in a line that nothing opened;
    /// returns the offset behind the mark, and behind further marks right behind it.
    pub(super) fn lone_mark(&mut self, row: Row<'a>, place: MarkPlace) -> Option<usize> {
        let (mark, at, end) = reasoning::closing(row.text)?;
        let before = text::trim_start(&row.text[..at]);
        if place == MarkPlace::First && !before.is_empty() && !before.starts_with(b"<|") {
            return None;
        }
        match self.around.fence() {
            Some((fence, found)) if !self.leaves(fence, found, row.number) => return None,
            None if prose_line::is_quoted(row.text) => return None,
            _ => {}
        }
        // Behind the first, a channel begins what is said next, and ends no draft.
        let is_first = self.channel.is_none_or(|first| row.start() + at <= first);
        if mark != reasoning::Mark::Channel || is_first {
            self.end_draft(mark);
        }
        let mut rest = row.behind(end);
        while let Some((_, at, end)) = reasoning::closing(rest.text)
            && text::is_blank(&rest.text[..at])
        {
            rest = rest.behind(end);
        }
        self.scripts.begin(rest.start());
        Some(rest.start())
    }

    /// Makes a draft of all so far.
    fn end_draft(&mut self, mark: reasoning::Mark<'_>) {
        self.prose.end_draft(self.source, mark);
        self.around = around::Around::default();
        self.stated = None;
        self.bases.clear();
        (self.is_begun, self.scripts.quotes) = (false, Quotes::default());
    }

    /// Returns whether a closing mark in a line leaves the fence around it, before which `found`
    /// items had been found: the fence holds a patch above the mark, or the fences that follow are
    /// all closed only if the mark closes this fence.
    fn leaves(&mut self, fence: Fence, found: usize, number: LineNo) -> bool {
        let inside = self.prose.found.get(found..).unwrap_or_default();
        let has_patch = inside.iter().any(|item| item.block().is_some());
        if has_patch || !self.patience.is_left() {
            return true;
        }
        let next = number.next();
        let rest = self.source.bytes().len() - self.source.start_of(next);
        self.patience.spend(rest);
        !are_closed(self.source, next, fence)
    }

    /// Returns whether an offset is in a comment that ends.
    fn is_in_comment(&mut self, offset: usize) -> bool {
        if !self.prose.is_hidden() || !self.patience.is_left() {
            return false;
        }
        let rest = &self.source.bytes()[offset..];
        self.patience.spend(rest.len());
        rest.contains_str("-->")
    }

    /// Reads the rest of a line behind a patch that ends in it, up to a closing mark of reasoning;
    /// returns the offset behind what is read.
    pub(super) fn behind(&mut self, end: usize) -> usize {
        let number = self.source.line_at(end);
        let rest = self.source.row(number).and_then(|row| {
            (row.start() < end && end < row.span.end as usize)
                .then(|| row.behind(end - row.start()))
        });
        let mark = rest.and_then(|rest| self.lone_mark(rest, MarkPlace::Any));
        mark.map_or(end, |behind| {
            self.scripts.pass(end, behind);
            self.rest(number, behind)
        })
    }

    /// Reads the rest of a line from an offset on; returns the offset behind it.
    fn rest(&mut self, number: LineNo, behind: usize) -> usize {
        match self.source.row(number) {
            Some(row) if behind < row.span.end as usize => {
                self.row(row.behind(behind - row.start()))
            }
            _ => self.source.start_of(number.next()),
        }
    }

    /// Reads the rest of a row behind a mark; returns the offset behind it. The rest of a line has
    /// no rest of its own.
    pub(super) fn rest_of(&mut self, row: Row<'a>, behind: usize) -> usize {
        self.scripts.pass(row.start(), behind);
        match self.is_whole(row) {
            true => self.rest(row.number, behind),
            false => self.source.start_of(row.number.next()),
        }
    }
}

/// How many bytes are searched in vain for the ends of parts, which turn out to be text then: the
/// response's length times `PASSES`, and `FEW` more.
const PASSES: usize = 16;

const FEW: usize = 8 << 20;

/// How much is looked at in vain.
pub(super) struct Patience {
    most: usize,
    spent: usize,
}

impl Patience {
    /// A draft in a draft is looked at with a fraction of it each.
    pub(super) fn new(len: usize, drafts: u8) -> Self {
        let most = (PASSES * len + FEW) >> (6 * drafts);
        Self { most, spent: 0 }
    }

    pub(super) fn is_left(&self) -> bool {
        self.spent <= self.most
    }

    pub(super) fn spend(&mut self, bytes: usize) {
        self.spent = self.spent.saturating_add(bytes + 1);
    }
}

/// In how many drafts, one in the other, patches are looked for.
pub(super) const MOST_DRAFTS: u8 = 3;

/// Returns whether from a line on, in a fence, all fences are closed and none begins in another of
/// its kind, nor a patch in the first.
fn are_closed(source: &Source, number: LineNo, fence: Fence) -> bool {
    let (mut open, mut is_first) = (Some(fence), true);
    for row in source.rows(number) {
        let read = Fence::read(row.text).map(|(fence, _)| fence);
        match open {
            Some(fence) if fence.is_closed_by(row.text) => (open, is_first) = (None, false),
            Some(fence) if read.is_some_and(|other| fence.is_like(other)) => return false,
            Some(_) if is_first && files::begins_patch(source, row) => return false,
            Some(_) => {}
            None => open = read,
        }
    }
    open.is_none()
}
