//! Parts that hold others: fences, comments, and what marks open.

use bstr::ByteSlice as _;

use super::walk::{DEEPEST, Open, Walk};
use super::{Parts, What};
use crate::format::fence::Fence;
use crate::format::files;
use crate::patch::Format;
use crate::response::losses::{self, PatchesAbove};
use crate::response::marks::{self, MarkAt};
use crate::response::paths::{OpenFence, Paths};
use crate::response::{Error, NoPatch, Warning, json, lines};
use crate::text::{Row, trim_start};

impl<'a> Walk<'a, '_> {
    /// Returns the innermost fence that is open.
    pub(super) fn fence(&self) -> Option<&OpenFence<'a>> {
        self.open.iter().rev().find_map(|open| open.fence.as_ref())
    }

    /// Passes over what an opening mark begins.
    pub(super) fn marked(&mut self, row: Row<'a>, open: MarkAt<'a>) -> usize {
        let mut patch = None;
        let mut fence: Option<Fence> = None;
        let mut close = None;
        for line in self.source.rows(row.number) {
            self.parts.steps += 1;
            let rest = if line.number == row.number {
                row.behind(open.end())
            } else {
                line
            };
            let read = Fence::read(rest.text);
            match fence {
                Some(of) => fence = fence.filter(|_| !of.is_closed_by(rest.text)),
                None => fence = read.map(|(fence, _)| fence),
            }
            let is_first = line.number == row.number;
            let found = marks::closing(rest.text, is_first);
            let found = found.filter(|found| fence.is_none() && open.is_closed_by(found));
            if let Some(found) = found {
                close = Some(rest.start() + found.end());
                break;
            }
            if patch.is_none() {
                patch = self.begun(rest).map(|format| (format, rest.span));
            }
        }
        let end = close.unwrap_or(self.source.bytes().len());
        let is_closed = close.is_some();
        let span = self.source.span(row.start() + open.start..end);
        let what = What::Marked {
            open,
            is_closed,
            patch,
        };
        self.push(what, span);
        self.paths = Paths::default();
        end
    }

    /// Refuses a closing mark behind a patch in a fence, which should perhaps have ended before it. Any
    /// other in a fence is text, if the fence is closed.
    pub(super) fn fenced_mark(&mut self, row: Row<'a>, mark: MarkAt<'a>) {
        let fence = self.open.iter().rev().find(|open| open.fence.is_some());
        if fence.is_some_and(|open| open.has_patch) {
            let close = mark.shown();
            let refused = What::Refused(Box::new(Error::FencedMark { close }));
            self.push(refused, row.span);
            return;
        }
        let mark = self.push(What::FencedMark(mark), row.span);
        self.open.iter_mut().for_each(|open| open.mark = Some(mark));
    }

    /// Makes a draft of all before a closing mark.
    pub(super) fn lone_mark(&mut self, row: Row<'a>, mark: MarkAt<'a>) -> usize {
        let start = row.start();
        self.open.clear();
        self.scripts.begin(start + mark.end());
        let span = self.source.span(start + mark.start..start + mark.end());
        let part = self.push(What::LoneMark(mark), span);
        self.parts.lone_marks.push(part);
        self.paths = Paths::default();
        self.seen.above = PatchesAbove::default();
        self.parts.bases.clear();
        start + mark.end()
    }

    /// Returns the format of the patch that begins in a line of a part that isn't read.
    pub(super) fn begun(&self, row: Row<'a>) -> Option<Format> {
        if self.options.format == Some(Format::Files) {
            return files::path(self.source, row, self.options).map(|_| Format::Files);
        }
        let patch = lines::patch(self.source, row).map(|(format, _)| format);
        let is_call = || json::is_call(self.source, trim_start(row.text));
        patch.or_else(|| is_call().then_some(Format::Tool))
    }

    /// Tells of a patch that would begin in a quoted line.
    pub(super) fn quotation(&mut self, row: Row<'a>, text: &'a [u8]) {
        let inner = row.behind(row.text.len() - text.len());
        let below = self.source.line(row.number.next()).unwrap_or_default();
        let is_pair = text.starts_with(b"--- ") && below.contains_str("> +++ ");
        let format = if is_pair || text.starts_with(b"diff --git ") {
            Some(Format::Unified)
        } else {
            self.begun(inner)
        };
        if let Some(format) = format {
            self.push(What::Quotation(format), inner.span);
        }
        self.paths.line();
    }

    /// Reads a line that opens or closes a fence.
    pub(super) fn fence_line(&mut self, row: Row<'a>, fence: Fence, info: &'a [u8]) {
        let closed = self.open.iter().rposition(|open| {
            let of = open.fence.as_ref().map(|open| open.fence);
            of.is_some_and(|of| of.is_closed_by(row.text))
        });
        let comment = self.open.iter().rposition(|open| open.fence.is_none());
        if let Some(index) = closed.filter(|index| comment.is_none_or(|comment| comment < *index)) {
            self.close(index, row.span.end as usize);
            return;
        }
        let is_text = self
            .fence()
            .is_some_and(|open| open.fence.is_like(fence) && info.is_empty());
        if is_text || self.open.len() >= DEEPEST {
            return;
        }
        self.near(row);
        let names = files::path(self.source, row, self.options)
            .filter(|_| self.fence().is_none())
            .map(|path| path[..].into());
        let part = self.push(What::Fence, row.span);
        let fence = self.paths.open(fence, info, names);
        self.open.push(Open {
            part,
            fence: Some(fence),
            mark: None,
            has_patch: false,
            read_as: None,
            above: self.seen.above.clone(),
        });
    }

    /// Returns whether a line is the closing tag of the fence that is open, and closes it.
    pub(super) fn closes_tag(&mut self, row: Row<'a>) -> bool {
        let closed = self.open.iter().rposition(|open| {
            let of = open.fence.as_ref().map(|open| open.fence);
            of.is_some_and(|of| !of.is_markdowns() && of.is_closed_by(row.text))
        });
        if let Some(index) = closed {
            self.close(index, row.span.end as usize);
        }
        closed.is_some()
    }

    /// Closes an open part, and all that are open in it.
    pub(super) fn close(&mut self, index: usize, end: usize) {
        for open in self.open.drain(index..).rev().collect::<Vec<_>>() {
            self.parts.all[open.part].range.end = end;
            let Some(fence) = open.fence else {
                self.parts.all[open.part].what = What::Comment { is_closed: true };
                self.seen.above = open.above;
                continue;
            };
            if !open.has_patch {
                self.whole_file(open.part, &fence);
            }
            self.paths.close(fence);
        }
    }

    /// Tells of a fence without a patch that names a file.
    fn whole_file(&mut self, part: usize, fence: &OpenFence<'a>) {
        let Some(path) = fence.names.clone() else {
            return;
        };
        let opener = self.parts.all[part].range.start;
        let row = self.source.row(self.source.line_at(opener));
        let span = row.map_or(self.source.span(opener..opener), |row| row.span);
        self.push(What::Nearly(NoPatch::WholeFile { path }), span);
    }

    /// Reads where comments begin and end in a line, and finds edits in the middle of it.
    pub(super) fn comments(&mut self, row: Row<'a>, is_lost: bool) {
        let is_fenced = self.fence().is_some();
        for found in losses::in_line(row.text) {
            let comment = self.open.iter().position(|open| open.fence.is_none());
            let at = row.start() + found.at;
            match (found.what, comment) {
                (losses::InLine::CommentEnds, Some(index)) => self.close(index, at + 3),
                (losses::InLine::CommentBegins, None) if !is_fenced => {
                    let span = self.source.span(at..at + 4);
                    let part = self.push(What::Comment { is_closed: false }, span);
                    self.open.push(Open {
                        part,
                        fence: None,
                        mark: None,
                        has_patch: false,
                        read_as: None,
                        above: self.seen.above.clone(),
                    });
                }
                (losses::InLine::Edit(length), _) if !is_lost => {
                    let span = self.source.span(at..at + length);
                    self.push(What::Told(Box::new(Warning::ProseEdit)), span);
                }
                _ => {}
            }
        }
    }

    /// Ends the walk: a comment that never closed is none, and a fence that never closed may have ended in
    /// a block.
    pub(super) fn end(mut self) -> Parts<'a> {
        let mut found = Vec::new();
        for open in std::mem::take(&mut self.open).into_iter().rev() {
            self.parts.all[open.part].range.end = self.source.bytes().len();
            let Some(fence) = open.fence else {
                continue;
            };
            if !open.has_patch {
                self.whole_file(open.part, &fence);
            }
            self.paths.unclosed(fence, &mut found);
            if let Some(mark) = open.mark.map(|mark| &mut self.parts.all[mark].what)
                && let What::FencedMark(found) = mark
            {
                let close = found.shown();
                *mark = What::Refused(Box::new(Error::FencedMark { close }));
            }
        }
        self.paths.end(&mut found);
        self.push_found(found);
        self.parts
    }
}
