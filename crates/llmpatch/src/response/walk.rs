//! The walk through a response, from top to bottom: what begins in each line.

use bstr::{BString, ByteSlice as _};

use super::drafts::Patience;
use super::error::{Nearly, Residue, Warning};
use super::invocation::Invocation;
use super::prose::Prose;
use super::prose_line;
use super::quotes::Quotes;
use super::scripts::{ScriptAround, Scripts};
use super::session::Session;
use super::{around, json, reasoning};
use crate::format::fence::Fence;
use crate::format::{self, Block, Options, blocks, envelope, files, opx, tool, unified};
use crate::patch::Format;
use crate::text;
use crate::text::{LineNo, Located, Row, Source, Span};

/// All that a walk has come upon.
pub(super) struct WalkOutcome<'a> {
    pub(super) prose: Prose<'a>,
    pub(super) bases: Vec<Located<BString>>,
    pub(super) session: Session,
}

/// What a walk has come upon.
#[derive(Debug)]
pub(super) enum WalkItem<'a> {
    /// A patch.
    Block(Block<'a>),
    /// Something in prose that shows that something was lost, of a patch in this format.
    Residue(Format, Located<Residue>),
    /// Something in prose that is worth a remark.
    Remark(Located<format::Warning>),
}

impl<'a> WalkItem<'a> {
    /// Returns the patch, if it is one.
    pub(super) fn block(&self) -> Option<&Block<'a>> {
        match self {
            WalkItem::Block(block) => Some(block),
            _ => None,
        }
    }

    pub(super) fn residue(format: Format, span: Span, residue: Residue) -> Self {
        WalkItem::Residue(format, Located::new(span, residue))
    }

    pub(super) fn remark(span: Span, warning: impl Into<format::Warning>) -> Self {
        WalkItem::Remark(Located::new(span, warning.into()))
    }
}

pub(super) struct Walk<'a, 'o> {
    pub(super) source: &'a Source,
    pub(super) options: &'o Options<'o>,
    pub(super) prose: Prose<'a>,
    pub(super) around: around::Around<'a>,
    /// The tool calls that were met, by their ids.
    pub(super) session: Session,
    /// Up to where it is known that no JSON with calls begins.
    pub(super) plain: usize,
    pub(super) patience: Patience,
    /// Where the first channel of OpenAI's open models begins.
    pub(super) channel: Option<usize>,
    /// Whether there was something but whitespace so far.
    pub(super) is_begun: bool,
    /// The base that the last line `Base: <id>` before the patches names.
    pub(super) stated: Option<Located<BString>>,
    /// The bases that `<opx>` elements name, each once.
    pub(super) bases: Vec<Located<BString>>,
    /// The call in tags in which the next line is.
    pub(super) invocation: Invocation,
    /// How many edits have been read, an element or an envelope without any counted as one.
    pub(super) edits: usize,
    pub(super) scripts: Scripts<'a>,
}

/// Where on its line a closing mark is looked for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum MarkPlace {
    /// Before all else, so that nothing but the mark begins in the line.
    First,
    Any,
}

/// The most edits that a response may have. Each takes up to a kilobyte once it is read, however
/// short it is.
pub(super) const MOST_EDITS: usize = 100_000;
impl<'a, 'o> Walk<'a, 'o> {
    pub(super) fn new(source: &'a Source, options: &'o Options<'o>) -> Self {
        let mut prose = Prose::default();
        prose.is_closed = options.is_closed;
        Self {
            source,
            options,
            prose,
            around: around::Around::default(),
            session: Session::of_part(options.beside),
            plain: 0,
            patience: Patience::new(source.bytes().len(), options.drafts),
            channel: source.bytes().find(reasoning::CHANNEL),
            is_begun: false,
            stated: None,
            bases: Vec::new(),
            invocation: Invocation::default(),
            edits: 0,
            scripts: Scripts::new(source),
        }
    }

    pub(super) fn run(mut self) -> WalkOutcome<'a> {
        let mut number = LineNo::FIRST;
        while self.edits <= MOST_EDITS
            && let Some(row) = self.source.row(number)
        {
            let end = self.row(row);
            let next = self.source.line_from(end).max(number.next());
            let end = self.behind(end);
            number = self.source.line_from(end).max(next);
        }
        self.around.end(&mut self.prose.found);
        self.invocation.end(&mut self.prose.found);
        let bases = if self.bases.is_empty() {
            self.stated.into_iter().collect()
        } else {
            self.bases
        };
        WalkOutcome {
            prose: self.prose,
            bases,
            session: self.session,
        }
    }

    /// Reads the section of a diff that begins in a line.
    pub(super) fn section(&mut self, number: LineNo) -> Block<'a> {
        let fence = self.around.innermost();
        let around = self.prose.around(fence);
        let around = unified::HunkSurroundings {
            tag: fence.and_then(Fence::end_tag).or(around.tag),
            ..around
        };
        unified::parse_block(self.source, number, around, self.options)
    }

    /// Reads what begins in a line, or in the rest of a line; returns the offset behind it.
    pub(super) fn row(&mut self, row: Row<'a>) -> usize {
        if let Some(end) = self.part(row) {
            self.scripts.pass(row.start(), end);
            return end;
        }
        if let Some(end) = self.script(row) {
            return end;
        }
        self.prose(row);
        self.source.start_of(row.number.next())
    }

    /// Reads the script that a line begins, and hands over a patch.
    fn script(&mut self, row: Row<'a>) -> Option<usize> {
        let around = ScriptAround {
            options: *self.options,
            fence: self.around.fence().map(|(fence, _)| fence),
        };
        let found = self.scripts.read(row, &around)?;
        if Fence::read(row.text).is_some() {
            self.prose(row);
            self.scripts.begin(found.end);
        }
        if found.blocks.iter().all(|block| block.errors.is_empty()) {
            let mut next = Some(row);
            while let Some(row) = next.filter(|row| row.start() < found.end) {
                self.note_written(row);
                next = self.source.row(self.scripts.behind_heredocs(row));
            }
        }
        self.is_begun = true;
        for (at, trial) in found.trials {
            self.prose.note_nearly(at, trial);
        }
        for block in found.blocks {
            self.push(block);
        }
        Some(found.end)
    }

    /// Tells of a command that writes its heredoc into a file.
    fn note_written(&mut self, row: Row<'a>) {
        let is_heredoc = prose_line::heredocs(row.text).next().is_some();
        if is_heredoc && prose_line::writes_file(row.text) && !self.prose.is_hidden() {
            self.prose.note_nearly(row.span, Nearly::Written);
        }
    }

    /// Reads what begins in a line if it isn't prose: a patch, or a part that isn't read.
    fn part(&mut self, row: Row<'a>) -> Option<usize> {
        let first = row.behind(row.text.len() - text::trim_start(row.text).len());
        Some(if let Some(end) = self.file(row) {
            end
        } else if let Some(behind) = self.lone_mark(row, MarkPlace::First) {
            self.rest_of(row, behind)
        } else if envelope::starts_here(row.text) {
            self.envelope(row, first)
        } else if opx::starts_here(&self.source.bytes()[first.start()..]) {
            self.elements(first.start())
        } else if unified::starts_here(self.source, row.number) {
            let section = self.section(row.number);
            self.push_bare(section)
        } else if let Some(at) = blocks::opener(row.text) {
            let block =
                self.around
                    .block(self.source, row, at, self.options, &mut self.prose.found);
            let end = self.push_bare(block);
            self.around.behind(self.source, end, &mut self.prose.found);
            end
        } else if let Some(end) = self.thoughts(row) {
            end
        } else if let Some(end) = self.json(row) {
            end
        } else if let Some(behind) = self.lone_mark(row, MarkPlace::Any) {
            self.rest_of(row, behind)
        } else {
            return None;
        })
    }

    /// Returns whether a row is a whole line, and not the rest of a line.
    pub(super) fn is_whole(&self, row: Row<'_>) -> bool {
        let line = self.source.row(row.number);
        line.is_some_and(|line| line.start() == row.start())
    }

    /// Reads a line that is in no patch.
    pub(super) fn prose(&mut self, row: Row<'a>) {
        self.note_written(row);
        let is_code = self.around.fence().is_some() || self.options.depth >= tool::DEEPEST_TEXT;
        self.scripts.line(row, is_code, self.prose.is_hidden());
        self.invocation.line(row.text, &mut self.prose.found);
        self.is_begun |= !text::is_blank(row.text);
        if self.around.fence().is_none()
            && !self.prose.is_hidden()
            && let Some(path) = files::path(self.source, row, self.options)
            && !files::has_patch(self.source, row)
        {
            let path = path.to_vec().into();
            self.prose.note_nearly(row.span, Nearly::File { path });
        }
        let is_fence = self.around.fence_line(row, &mut self.prose.found);
        let is_fenced = self.around.fence().is_some();
        self.prose.line(self.source, row, is_fenced);
        if !is_fence {
            self.loose_change(row);
        }
        if self.edits == 0 && !self.prose.is_hidden() {
            let base = stated_base(row.text).map(|id| Located::new(row.span, id.into()));
            self.stated = base.or(self.stated.take());
        }
        if !is_fence {
            self.around.line(self.source, row, &mut self.prose.found);
        }
    }

    /// Tells of a line of a diff that is in no patch: the first in a fence of diffs in which nothing
    /// else was found.
    fn loose_change(&mut self, row: Row<'a>) {
        let Some((start, found)) = self.around.of_diffs(self.source) else {
            return;
        };
        let last = self.prose.nearly.last();
        let is_told = self.prose.found.len() > found
            || last.is_some_and(|(span, _)| span.start as usize >= start);
        if prose_line::is_change(row.text) && !is_told && !self.prose.is_hidden() {
            self.prose.note_nearly(row.span, Nearly::Hunk);
        }
    }

    /// Takes in a patch that stands by itself.
    fn push_bare(&mut self, mut block: Block<'a>) -> usize {
        self.scripts.refuse_quoted(&mut block);
        let other = self.around.other_file(self.source, &block);
        block.errors.extend(other);
        self.push(block)
    }

    /// Takes in a patch that a reader read; returns the offset behind it. If the response has too
    /// many edits with it, an error takes its place.
    pub(super) fn push(&mut self, block: Block<'a>) -> usize {
        if block.format != Format::Blocks {
            self.around.pass();
        }
        let end = block.range.end;
        self.scripts.quotes = Quotes::default();
        self.edits += block.edits.len().max(1);
        self.prose.found.push(match self.edits > MOST_EDITS {
            true => WalkItem::residue(
                block.format,
                block.start(self.source),
                Residue::TooMany { most: MOST_EDITS },
            ),
            false => WalkItem::Block(block),
        });
        end
    }

    /// Reads the envelope that begins in a line.
    fn envelope(&mut self, row: Row<'a>, first: Row<'a>) -> usize {
        let block = envelope::parse_block(self.source, row, self.options);
        let last = self.source.line_at(block.range.end.saturating_sub(1));
        self.prose.envelope_ends(last, row.start()..first.start());
        self.push_bare(block)
    }

    /// Reads the JSON that begins in a line, if there are tool calls or patches in it.
    fn json(&mut self, row: Row<'a>) -> Option<usize> {
        if row.start() < self.plain || self.options.depth >= tool::DEEPEST_TEXT {
            return None;
        }
        let at = row.start() + json::starts_here(row.text)?;
        // A string is only read as the whole response.
        if self.source.bytes()[at] == b'"' && (self.is_begun || !self.prose.found.is_empty()) {
            return None;
        }
        let has_patch = self.edits > 0;
        let read = json::read(self.source, at, self.options, &mut self.session, has_patch)
            .map_err(|end| self.plain = end)
            .ok()?;
        for mut block in read.blocks {
            self.scripts.refuse_quoted(&mut block);
            self.push(block);
        }
        for (span, by) in &read.hidden {
            self.prose.note_hidden(*span, by);
        }
        self.prose
            .found
            .extend(read.remarks.into_iter().map(WalkItem::Remark));
        Some(read.end)
    }

    /// Reads the file whose fence a line opens, where files were asked for.
    fn file(&mut self, row: Row<'a>) -> Option<usize> {
        if self.options.format != Some(Format::Files)
            || self.around.fence().is_some()
            || !files::starts_here(row.text)
        {
            return None;
        }
        let Some(block) = files::parse_block(self.source, row, self.options) else {
            if !files::holds_patch(self.source, row) {
                let remark = WalkItem::remark(row.span, Warning::NamelessFence);
                self.prose.found.push(remark);
            }
            return None;
        };
        Some(self.push(block))
    }

    /// Reads the OPX element at an offset and the elements that directly follow it.
    fn elements(&mut self, mut at: usize) -> usize {
        loop {
            let base = opx::base(self.source, at);
            let known =
                |base: &Located<BString>| self.bases.iter().any(|known| known.value == base.value);
            self.bases.extend(base.filter(|base| !known(base)));
            let block = opx::parse_block(self.source, at);
            self.prose.opx_ends(block.errors.is_empty());
            let end = self.push_bare(block);
            let number = self.source.line_at(end);
            if self.edits > MOST_EDITS || self.source.line_from(end) == number {
                return end;
            }
            let Some(line) = self
                .source
                .row(number)
                .filter(|line| end <= line.span.end as usize)
            else {
                return end;
            };
            let rest = line.behind(end - line.start());
            let next = rest.span.end as usize - text::trim_start(rest.text).len();
            if !opx::starts_here(&self.source.bytes()[next..]) {
                self.prose.rest(self.source, rest);
                return end;
            }
            at = next;
        }
    }
}

/// Returns the id that a line names as the base, if it does nothing else: no word of prose is one.
pub(crate) fn stated_base(line: &[u8]) -> Option<&[u8]> {
    let (name, id) = text::trim(line).split_once_str(":")?;
    let id = text::trim(id);
    let is_id = (7..=64).contains(&id.len()) && id.iter().all(u8::is_ascii_hexdigit);
    (name.eq_ignore_ascii_case(b"base") && is_id).then_some(id)
}
