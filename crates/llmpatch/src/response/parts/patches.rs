//! Reads the patches where they begin.

use super::What;
use super::walk::{MOST_EDITS, ReadAs, Walk, innermost, row_from};
use crate::format::fence::Fence;
use crate::format::{Options, envelope, files, opx, tool, unified};
use crate::patch::Format;
use crate::response::command::Doubt;
use crate::response::embedded::{self, InScript};
use crate::response::near::{COMMAND, NEAR, NearLine};
use crate::response::quotes::Quotes;
use crate::response::scripts::ScriptAround;
use crate::response::{Block, Error, NoPatch, Warning, json, marks};
use crate::text::{Row, is_blank, trim_start};

impl<'a, 'o> Walk<'a, 'o> {
    /// Adds a patch; returns the offset behind it.
    pub(super) fn push_patch(&mut self, block: Block<'a>) -> usize {
        let range = block.range.clone();
        self.scripts.quotes = Quotes::default();
        self.seen.edits += block.edits.len().max(1);
        let what = if self.seen.edits > MOST_EDITS {
            What::Loss(block.format, NoPatch::TooMany { most: MOST_EDITS })
        } else {
            What::Patch(Box::new(block))
        };
        self.push(what, self.source.span(range.clone()));
        range.end
    }

    /// Reads the patch that begins in a line.
    pub(super) fn patch(&mut self, format: Format, row: Row<'a>, at: usize) -> usize {
        if format == Format::Blocks {
            return self.block(row, at);
        }
        let end = match format {
            Format::Envelope => {
                let block = envelope::parse_block(self.source, row, self.options);
                let last = self.source.line_at(block.range.end.saturating_sub(1));
                self.seen.envelope_ends(last, row.start()..row.start() + at);
                self.push_bare(block.widened())
            }
            Format::Opx => self.elements(row.start() + at),
            _ => {
                let mut around = self.around();
                if !row.text.starts_with(around.indent) && self.open.is_empty() {
                    around.indent = b"";
                }
                let block = unified::parse_block(self.source, row.number, around, self.options);
                self.push_bare(block.widened())
            }
        };
        self.paths.pass();
        // A section without a line of its own is passed over with its first.
        end.max(row.start() + 1)
    }

    pub(super) fn push_bare(&mut self, mut block: Block<'a>) -> usize {
        self.scripts.refuse_held(&mut block);
        block
            .errors
            .extend(self.paths.other_file(self.source, &block));
        self.push_patch(block)
    }

    /// Reads the OPX element at an offset and the elements that directly follow it on its last line.
    pub(super) fn elements(&mut self, mut at: usize) -> usize {
        loop {
            let base = opx::base(self.source, at);
            if base.is_some() && !std::mem::replace(&mut self.seen.has_opx_base, true) {
                // It says more than a line of text.
                self.parts.bases.clear();
            }
            let bases = &mut self.parts.bases;
            let base = base.filter(|base| bases.iter().all(|known| known.value != base.value));
            bases.extend(base);
            let block = opx::parse_block(self.source, at, self.options.strict);
            self.seen.above.opx = Some(block.errors.is_empty());
            let end = self.push_bare(block.widened());
            let rest = row_from(self.source, end).filter(|rest| rest.start() == end);
            let line = rest.and_then(|rest| self.source.row(rest.number));
            // What is on a line of its own is read from there.
            let rest = rest.filter(|_| line.is_some_and(|line| line.start() < end));
            let Some(rest) = rest.filter(|_| self.seen.edits <= MOST_EDITS) else {
                return end;
            };
            let next = rest.span.end as usize - trim_start(rest.text).len();
            if !opx::starts_here(&self.source.bytes()[next..]) {
                if marks::closing(rest.text, false).is_some() {
                    return end;
                }
                self.text(rest);
                return self.source.start_of(rest.number.next());
            }
            at = next;
        }
    }

    /// Reads the block that begins at an offset in a line, and the tags that are glued to it.
    pub(super) fn block(&mut self, row: Row<'a>, at: usize) -> usize {
        let mut found = Vec::new();
        let fence = innermost(&mut self.open);
        let mut block = self
            .paths
            .block(self.source, row, at, self.options, fence, &mut found);
        self.scripts.refuse_held(&mut block);
        self.push_found(found);
        let end = self.push_patch(block);
        let mut found = Vec::new();
        let rest = row_from(self.source, end).filter(|rest| {
            self.source
                .row(rest.number)
                .is_some_and(|line| line.start() < end)
        });
        let Some(rest) = rest.filter(|rest| marks::closing(rest.text, false).is_none()) else {
            return end;
        };
        self.paths.tags(self.source, rest.text, &mut found);
        self.push_found(found);
        self.source.start_of(rest.number.next())
    }

    /// Returns what is around a diff.
    pub(super) fn around(&self) -> unified::HunkSurroundings<'_> {
        let fence = self.fence().map(|open| open.fence);
        unified::HunkSurroundings {
            fence,
            commented: self.is_commented(),
            closed: self.options.is_closed,
            tag: fence.and_then(Fence::end_tag).or(self.seen.tag.end()),
            indent: self.indent(),
        }
    }

    /// Returns the whitespace before the fence that is open.
    fn indent<'i>(&self) -> &'i [u8]
    where
        'a: 'i,
        'o: 'i,
    {
        let Some(open) = self.open.last() else {
            return self.options.indent;
        };
        if open.fence.is_none() {
            return b"";
        }
        before(&self.source.bytes()[self.parts.all[open.part].range.clone()])
    }

    /// Returns whether a diff begins in a line that is indented as its fence is.
    pub(super) fn begins_diff(&self, row: Row<'a>) -> bool {
        let indent = self.indent();
        !indent.is_empty()
            && row.text.starts_with(indent)
            && unified::starts_here(self.source, row.number, indent)
    }

    /// Reads the script that a line begins, and hands over a patch.
    pub(super) fn script(&mut self, row: Row<'a>) -> Option<usize> {
        let opened = Fence::read(row.text);
        let indent = match opened {
            Some(_) => before(row.text),
            None => self.indent(),
        };
        let around = ScriptAround {
            options: Options {
                indent,
                ..*self.options
            },
            fence: self.fence().map(|open| open.fence),
        };
        let found = self.scripts.read(row, &around)?;
        if let Some((fence, info)) = opened {
            self.fence_line(row, fence, info);
            self.scripts.begin(found.end);
        }
        if found.blocks.iter().all(|block| block.errors.is_empty()) {
            self.other_commands(row, &found);
        }
        for (at, trial) in found.trials {
            self.push(What::Nearly(trial), at);
        }
        for mut block in found.blocks {
            self.refuse_mixed(&mut block, ReadAs::Commands);
            self.push_patch(block);
        }
        self.paths.pass();
        Some(found.end)
    }

    /// Refuses a patch of a fence that has commands and JSON with patches: a shell that is given the
    /// one would read the other, too.
    fn refuse_mixed(&mut self, block: &mut Block<'_>, read_as: ReadAs) {
        let fence = self.open.last_mut().filter(|open| open.fence.is_some());
        let Some(fence) = fence else { return };
        if *fence.read_as.get_or_insert(read_as) != read_as {
            let doubt = Doubt::Word("{".to_owned());
            embedded::refuse(block, Error::Command(doubt));
        }
    }

    /// Tells of the commands of a script that change files in another way than by a patch.
    fn other_commands(&mut self, first: Row<'a>, found: &InScript) {
        let mut patches = found.blocks.iter().map(|block| &block.range).peekable();
        let mut next = Some(first);
        while let Some(row) = next.filter(|row| row.start() < found.end) {
            while patches.next_if(|patch| patch.end <= row.start()).is_some() {}
            let line = NearLine {
                info: Some(b"sh"),
                ..NearLine::alone(self.source, row)
            };
            let is_command = patches.peek().is_none_or(|patch| row.start() < patch.start);
            if is_command && NEAR[COMMAND].matches(line) {
                self.push(What::Nearly(NoPatch::Near(&NEAR[COMMAND])), row.span);
            }
            next = self.source.row(self.scripts.behind_heredocs(row));
        }
    }

    /// Reads the JSON that begins in a line, if there are calls or patches in it.
    pub(super) fn json(&mut self, row: Row<'a>, at: usize) -> Option<usize> {
        let at = row.start() + at;
        if at < self.seen.plain || self.options.depth >= tool::DEEPEST_TEXT {
            return None;
        }
        // A string is only read as the whole response.
        if self.source.bytes()[at] == b'"' && !is_blank(&self.source.bytes()[..at]) {
            return None;
        }
        let has_patch = self.seen.edits > 0;
        let read = json::read(self.source, at, self.options, self.session, has_patch);
        let read = read.map_err(|end| self.seen.plain = end).ok()?;
        for mut block in read.blocks {
            self.scripts.refuse_held(&mut block);
            self.refuse_mixed(&mut block, ReadAs::Json);
            self.push_patch(block);
        }
        for (format, span, by) in read.hidden {
            self.push(What::Unread(format, by), span);
        }
        let nowhere = self.source.span(0..0);
        for told in read.remarks {
            let span = told.span.unwrap_or(nowhere);
            self.push(What::Told(Box::new(told.value)), span);
        }
        self.paths.pass();
        Some(read.end)
    }

    /// Reads the file whose fence a line opens, where files were asked for.
    pub(super) fn file(&mut self, row: Row<'a>) -> Option<usize> {
        if self.options.format != Some(Format::Files) || Fence::read(row.text).is_none() {
            return None;
        }
        let Some(block) = files::parse_block(self.source, row, self.options) else {
            if !files::holds_patch(self.source, row) {
                self.push(What::Told(Box::new(Warning::NamelessFence)), row.span);
            }
            return None;
        };
        Some(self.push_patch(block.widened()))
    }
}

/// Returns the whitespace that a text begins with.
fn before(text: &[u8]) -> &[u8] {
    &text[..text.len() - trim_start(text).len()]
}
