//! The walk through a response, from top to bottom: what begins in each line.

use std::collections::HashSet;
use std::ops::Range;

use bstr::{BString, ByteSlice as _};

use super::error::{Error, Hiding, Nearly, Residue, Warning};
use super::members::Outcome;
use super::prose::{self, Prose};
use super::{around, command, embedded, json, messages, parse, reasoning};
use crate::format::fence::Fence;
use crate::format::{self, Block, Options, blocks, envelope, files, opx, tool, unified};
use crate::patch::Format;
use crate::text;
use crate::text::{LineNo, Located, Row, Source, Span};

/// All that a walk has come upon.
pub(super) struct WalkOutcome<'a> {
    pub(super) prose: Prose<'a>,
    pub(super) bases: Vec<Located<BString>>,
    pub(super) session: messages::Session,
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

impl WalkItem<'_> {
    pub(super) fn residue(format: Format, span: Span, residue: Residue) -> Self {
        WalkItem::Residue(format, Located::new(span, residue))
    }

    pub(super) fn remark(span: Span, warning: impl Into<format::Warning>) -> Self {
        WalkItem::Remark(Located::new(span, warning.into()))
    }
}

/// The text that a command in a response gets.
struct Heredoc {
    /// Whether a patch is first in it.
    begins: bool,
    body: Range<usize>,
    /// The offset behind the line that ends it.
    end: usize,
}

pub(super) struct Walk<'a, 'o> {
    source: &'a Source,
    options: &'o Options<'o>,
    prose: Prose<'a>,
    around: around::Around<'a>,
    /// The tool calls that were met, by their ids.
    session: messages::Session,
    /// Up to where it is known that no JSON with calls begins.
    plain: usize,
    patience: Patience,
    /// Words that end no heredoc from here on.
    unended: HashSet<Vec<u8>>,
    /// Whether there was something but whitespace so far.
    is_begun: bool,
    /// What the last line before the patches says that they are about, and what OPX does.
    stated: Option<Located<BString>>,
    bases: Vec<Located<BString>>,
    /// What the first result says of the calls in the model's last turn.
    outcome: Option<Outcome>,
    /// How many of the items found are above the last result.
    judged: usize,
    /// Whether the last line, which is in no patch, opens quotes.
    is_in_quotes: bool,
    /// How many edits have been read, an element or an envelope without any counted as one.
    edits: usize,
    /// Where the commands run that come next, by the commands above, as far as the fence.
    place: command::WorkingDir,
}

/// Where on its line a closing mark is looked for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum MarkPlace {
    /// Before all else, so that nothing but the mark begins in the line.
    First,
    Any,
}

/// The most edits that a response may have. Each takes up to a kilobyte once it is read, however
/// short it is.
pub(super) const MOST_EDITS: usize = 100_000;

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
const MOST_DRAFTS: u8 = 3;

impl<'a, 'o> Walk<'a, 'o> {
    pub(super) fn new(source: &'a Source, options: &'o Options<'o>) -> Self {
        let mut prose = Prose::default();
        prose.is_closed = options.is_closed;
        let around = around::Around::default();
        let session = messages::Session::default();
        let stated = None;
        let bases = Vec::new();
        let patience = Patience::new(source.bytes().len(), options.drafts);
        Self {
            source,
            options,
            prose,
            around,
            session,
            plain: 0,
            patience,
            unended: HashSet::new(),
            is_begun: false,
            stated,
            bases,
            outcome: None,
            judged: 0,
            is_in_quotes: false,
            edits: 0,
            place: command::WorkingDir::default(),
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

    /// Reads what begins in a line, or in the rest of a line; returns the offset behind it.
    fn row(&mut self, row: Row<'a>) -> usize {
        let first = row.behind(row.text.len() - text::trim_start(row.text).len());
        if let Some(end) = self.file(row) {
            end
        } else if let Some(behind) = self.lone_mark(row, MarkPlace::First) {
            self.rest_of(row, behind)
        } else if envelope::starts_here(row.text) {
            self.envelope(row, first)
        } else if opx::starts_here(&self.source.bytes()[first.start()..]) {
            self.elements(first.start())
        } else if unified::starts_here(self.source, row.number) {
            self.push_bare(unified::parse_block(
                self.source,
                row.number,
                self.prose.around(self.around.fence().is_some()),
                self.options,
            ))
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
        } else if let Some(end) = self.script(row) {
            end
        } else {
            self.prose(row);
            self.source.start_of(row.number.next())
        }
    }

    /// Reads the rest of a row behind a mark; returns the offset behind it. The rest of a line has
    /// no rest of its own.
    fn rest_of(&mut self, row: Row<'a>, behind: usize) -> usize {
        match self.is_whole(row) {
            true => self.rest(row.number, behind),
            false => self.source.start_of(row.number.next()),
        }
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

    /// Reads the rest of a line behind a patch that ends in it, up to a closing mark of reasoning;
    /// returns the offset behind what is read.
    fn behind(&mut self, end: usize) -> usize {
        let number = self.source.line_at(end);
        let rest = self.source.row(number).and_then(|row| {
            (row.start() < end && end < row.span.end as usize)
                .then(|| row.behind(end - row.start()))
        });
        let mark = rest.and_then(|rest| self.lone_mark(rest, MarkPlace::Any));
        mark.map_or(end, |behind| self.rest(number, behind))
    }

    /// Makes a draft of all before a closing mark of reasoning in a line that nothing opened;
    /// returns the offset behind the mark, and behind further marks right behind it.
    fn lone_mark(&mut self, row: Row<'a>, place: MarkPlace) -> Option<usize> {
        let (mark, at, end) = reasoning::closing(row.text)?;
        let before = text::trim_start(&row.text[..at]);
        if place == MarkPlace::First && !before.is_empty() && !before.starts_with(b"<|") {
            return None;
        }
        match self.around.fence() {
            Some((fence, found)) if !self.leaves(fence, found, row.number) => return None,
            None if prose::is_quoted(row.text) => return None,
            _ => {}
        }
        self.prose.end_draft(self.source, mark);
        self.around = around::Around::default();
        self.place = command::WorkingDir::default();
        self.stated = None;
        self.bases.clear();
        (self.is_begun, self.is_in_quotes) = (false, false);
        let mut rest = row.behind(end);
        while let Some((_, at, end)) = reasoning::closing(rest.text)
            && text::is_blank(&rest.text[..at])
        {
            rest = rest.behind(end);
        }
        Some(rest.start())
    }

    /// Returns whether a closing mark in a line leaves the fence around it, before which `found`
    /// items had been found: the fence holds a patch above the mark, or the fences that follow are
    /// all closed only if the mark closes this fence.
    fn leaves(&mut self, fence: Fence, found: usize, number: LineNo) -> bool {
        let inside = self.prose.found.get(found..).unwrap_or_default();
        let has_patch = inside.iter().any(|item| matches!(item, WalkItem::Block(_)));
        if has_patch || !self.patience.is_left() {
            return true;
        }
        let next = number.next();
        let rest = self.source.bytes().len() - self.source.start_of(next);
        self.patience.spend(rest);
        !are_closed(self.source, next, fence)
    }

    /// Returns whether a row is a whole line, and not the rest of a line.
    fn is_whole(&self, row: Row<'_>) -> bool {
        let line = self.source.row(row.number);
        line.is_some_and(|line| line.start() == row.start())
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

    /// Passes over the part in which the model thinks aloud that begins in a line.
    fn thoughts(&mut self, row: Row<'a>) -> Option<usize> {
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
        if part.mark.is_turn() {
            // What came of calls is told in the next turn of the person.
            let rows = self.source.rows(row.number);
            let rows = rows.take_while(|row| row.start() < part.end);
            rows.for_each(|row| self.result(row));
            self.outcome = None;
        }
        if let Some((format, span)) = self.draft(part.start..part.end) {
            self.prose.note_hidden(span, &by);
            let warning = Warning::Hidden { format, by };
            self.prose.found.push(WalkItem::remark(span, warning));
        }
        let behind = part.behind.unwrap_or(self.source.bytes().len());
        Some(self.rest(self.source.line_at(behind), behind))
    }

    /// Reads the script that a line begins: a program or shell commands in a fence or as the whole
    /// response, or a command that has a patch as its input.
    fn script(&mut self, row: Row<'a>) -> Option<usize> {
        let around = self.around.fence().map(|(fence, _)| fence);
        let is_fenced = around.is_some();
        let opens = Fence::read(row.text)
            .map(|(fence, _)| fence)
            .filter(|_| around.is_none_or(|around| !around.is_closed_by(row.text)));
        let body = match opens {
            Some(fence) => {
                let start = self.source.start_of(row.number.next());
                let mut rows = self.source.rows(row.number.next());
                // A fence around others is no script.
                let stop = rows.find(|row| Fence::read(row.text).is_some());
                if stop.is_some_and(|row| !fence.is_closed_by(row.text)) {
                    return self.input(row);
                }
                start..stop.map_or(self.source.bytes().len(), |close| close.start())
            }
            None if !self.is_begun && !is_fenced && is_program(row.text) => {
                row.start()..self.source.bytes().len()
            }
            None => return self.input(row),
        };
        // JSON has strings, too; it says itself what they are.
        let first = self.source.bytes()[body.clone()].trim_ascii_start().first();
        if first.is_some_and(|byte| b"{[".contains(byte)) {
            return self.input(row);
        }
        let (blocks, end) = self.scripts(body.clone(), &command::WorkingDir::default());
        let body = body.start..end;
        let is_other =
            |row: &Row<'_>| row.text.contains_str("<!--") || files::begins_patch(self.source, *row);
        // So do JSON's lines below a line of something else.
        let is_json = |block: &Block<'_>| {
            let row = self.source.row(self.source.line_at(block.range.start));
            let text = row.map_or(&b""[..], |row| row.text.trim_ascii_start());
            text.starts_with(b"{\"") || text.starts_with(b"[{")
        };
        if blocks.is_empty()
            || blocks.iter().any(is_json)
            || self.row_beside(&blocks, body.clone(), is_other).is_some()
        {
            return self.input(row);
        }
        if opens.is_some() {
            self.prose(row);
        }
        self.is_begun = true;
        for block in blocks {
            self.push(block);
        }
        Some(body.end)
    }

    /// Returns the first line of a range that is as asked for and in none of some patches.
    fn row_beside(
        &self,
        blocks: &[Block<'_>],
        range: Range<usize>,
        is_asked: impl Fn(&Row<'a>) -> bool,
    ) -> Option<Row<'a>> {
        let mut ahead = blocks.iter().peekable();
        let rows = self.source.rows(self.source.line_at(range.start));
        let mut rows = rows.take_while(|row| row.start() < range.end);
        rows.find(|row| {
            while ahead
                .next_if(|block| block.range.end <= row.start())
                .is_some()
            {}
            let is_in = ahead
                .peek()
                .is_some_and(|block| block.range.contains(&row.start()));
            !is_in && is_asked(row)
        })
    }

    /// Returns the patches that a script in the response applies, and where the script ends: at the
    /// latest before a closing mark of reasoning that is in none of them.
    fn scripts(
        &self,
        range: Range<usize>,
        place: &command::WorkingDir,
    ) -> (Vec<Block<'static>>, usize) {
        let blocks = self.script_blocks(range.clone(), place);
        let is_mark = |row: &Row<'_>| reasoning::closing(row.text).is_some();
        // A text that a mark is in, and drafts before it, goes beyond what was meant.
        let ends_early = blocks.iter().any(has_draft);
        let beside = if ends_early { &[] } else { &blocks[..] };
        let mark = self.row_beside(beside, range.clone(), is_mark);
        match mark {
            Some(row) if row.start() >= range.start => {
                let range = range.start..row.start();
                (self.script_blocks(range.clone(), place), range.end)
            }
            _ => (blocks, range.end),
        }
    }

    fn script_blocks(
        &self,
        range: Range<usize>,
        place: &command::WorkingDir,
    ) -> Vec<Block<'static>> {
        let Ok(text) = self.source.bytes()[range.clone()].to_str() else {
            return Vec::new();
        };
        let source = self.source;
        let span =
            |inner: Range<usize>| source.span(range.start + inner.start..range.start + inner.end);
        let setting = embedded::Setting {
            id: source.id(),
            name: source.name(),
            options: *self.options,
            directory: place.directory.as_deref().unwrap_or_default(),
            place: &span,
        };
        let mut blocks = embedded::read(text, setting);
        if let Err(doubt) = &*place.directory {
            let refuse = |block| embedded::refuse(block, Error::Command(doubt.clone()));
            blocks.iter_mut().for_each(refuse);
        }
        blocks
    }

    /// Reads a command whose input is a patch: a heredoc, outside of a script that is read whole.
    /// The lines right before it that change the directory are read with it, and so are the
    /// commands right behind it.
    fn input(&mut self, row: Row<'a>) -> Option<usize> {
        let first = self.heredoc(row)?;
        let mut end = first.end;
        let mut number = self.source.line_at(end);
        while let Some(row) = self.source.row(number)
            && !text::is_blank(row.text)
            && Fence::read(row.text).is_none()
        {
            number = number.next();
            if let Some(next) = self.heredoc(row) {
                end = next.end;
                number = self.source.line_at(end).max(number);
            }
        }
        let start = row.start() + prose::prompt(row.text);
        let (blocks, stop) = self.scripts(start..end, &self.place);
        if blocks.is_empty() && !first.begins && self.draft(first.body.clone()).is_none() {
            return None;
        }
        self.is_begun = true;
        if blocks.is_empty() {
            self.prose.note_nearly(row.span, Nearly::Input);
            return Some(first.end);
        }
        for block in blocks {
            self.push(block);
        }
        Some(stop)
    }

    /// Returns the heredoc that a line begins. A heredoc that never ends counts only if a patch is
    /// first in it.
    fn heredoc(&mut self, row: Row<'a>) -> Option<Heredoc> {
        let at = row.text.rfind(b"<<")?;
        let word = prose::delimiter(&row.text[at + 2..])?;
        let next = self.source.row(row.number.next())?;
        let begins = embedded::begins_patch(next.text);
        let is_known = || self.unended.contains(word) || !self.patience.is_left();
        if row.text[..at].ends_with(b"<") || !begins && is_known() {
            return None;
        }
        let ends = |row: &Row<'_>| {
            let text = row.text.trim_start();
            let rest = text.strip_prefix(word).map(|rest| rest.first());
            rest.is_some_and(|next| next.is_none_or(|byte| !byte.is_ascii_alphanumeric()))
        };
        let close = self.source.rows(next.number).find(ends);
        if !begins {
            let end = close.map_or(self.source.bytes().len(), |close| close.start());
            // It is read as a patch, which takes longer than a look for its end.
            self.patience.spend(8 * (end - next.start()));
        }
        if close.is_none() {
            self.unended.insert(word.to_vec());
        }
        if close.is_none() && !begins {
            return None;
        }
        let last = close.map_or(self.source.bytes().len(), |close| close.start());
        Some(Heredoc {
            begins,
            body: next.start()..last,
            end: close.map_or(last, |close| self.source.start_of(close.number.next())),
        })
    }

    /// Returns the first patch in a part that doesn't count, and where it is.
    fn draft(&self, range: Range<usize>) -> Option<(Format, Span)> {
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

    /// Reads what a line says of the calls above, as in a session of Cline, Roo or Kilo that was
    /// exported as Markdown. Results of calls of the same turn that differ are an error: they name
    /// the tool and maybe the file, so that it isn't sure which call they mean.
    fn result(&mut self, row: Row<'a>) {
        if self.around.fence().is_some() {
            return;
        }
        let Some(outcome) = messages::said_in_text(self.source, row) else {
            return;
        };
        let start = std::mem::replace(&mut self.judged, self.prose.found.len());
        for item in &mut self.prose.found[start..] {
            if let WalkItem::Block(block) = item {
                let id = self.session.name_call(None);
                self.session.note_outcome(id.clone(), outcome);
                block.call.get_or_insert(id);
                self.outcome.get_or_insert(outcome);
            }
        }
        if self.outcome.is_some_and(|known| known != outcome) {
            self.outcome = None;
            self.session.refuse(row.span, Error::UnclearResults);
        }
    }

    /// Reads a line that is in no patch.
    fn prose(&mut self, row: Row<'a>) {
        self.is_in_quotes = opens_quotes(row.text);
        self.is_begun |= !text::is_blank(row.text);
        self.result(row);
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
        if Fence::is_at(row.text) {
            self.place = command::WorkingDir::default();
        } else if prose::changes_directory(row.text)
            && let Ok(line) = row.text.to_str()
        {
            command::follow(&mut self.place, line);
        }
        if self.edits == 0 && !self.prose.is_hidden() {
            let base = stated_base(row.text).map(|id| Located::new(row.span, id.into()));
            self.stated = base.or(self.stated.take());
        }
        if !is_fence {
            self.around.line(self.source, row, &mut self.prose.found);
        }
    }

    /// Takes in a patch that stands by itself, unless the line above opens quotes around it: then it
    /// is text of a script, of which nobody knows what is done with it.
    fn push_bare(&mut self, mut block: Block<'a>) -> usize {
        if self.is_in_quotes {
            embedded::refuse(&mut block, Error::Command(command::Doubt::Quotes));
        }
        self.push(block)
    }

    /// Takes in a patch that a reader read; returns the offset behind it. If the response has too
    /// many edits with it, an error takes its place.
    fn push(&mut self, block: Block<'a>) -> usize {
        if block.format != Format::Blocks {
            self.around.pass();
        }
        let end = block.range.end;
        self.is_in_quotes = false;
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
        let read = json::read(self.source, at, self.options, &mut self.session)
            .map_err(|end| self.plain = end)
            .ok()?;
        for block in read.blocks {
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

/// Returns whether a patch has others in it that a closing mark makes drafts of.
fn has_draft(block: &Block<'_>) -> bool {
    let is_draft = |warning: &Located<format::Warning>| {
        matches!(
            &warning.value,
            format::Warning::Response(Warning::Hidden {
                by: Hiding::Unopened(_),
                ..
            })
        )
    };
    block.warnings.iter().any(is_draft)
}

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

/// Returns whether a line ends with a quote that none before it on the line opens. One behind a
/// letter is an apostrophe.
fn opens_quotes(line: &[u8]) -> bool {
    let line = line.trim_end_with(|c| c.is_ascii_whitespace() || c == '\\');
    let Some((quote, before)) = line.split_last() else {
        return false;
    };
    let count = memchr::memchr_iter(*quote, line).count();
    let is_apostrophe = *quote == b'\'' && before.last().is_some_and(u8::is_ascii_alphanumeric);
    b"'\"`".contains(quote) && count % 2 == 1 && !is_apostrophe && !Fence::is_at(line)
}

/// Returns whether a line looks like the first of a program.
fn is_program(line: &[u8]) -> bool {
    const WORDS: [&str; 11] = [
        "const ",
        "let ",
        "var ",
        "await ",
        "import ",
        "from ",
        "async ",
        "//",
        "#!",
        "apply_patch(",
        "tools.",
    ];
    WORDS.iter().any(|word| line.starts_with(word.as_bytes()))
}

/// Returns the id that a line names as the base, if it does nothing else: no word of prose is one.
pub(crate) fn stated_base(line: &[u8]) -> Option<&[u8]> {
    let (name, id) = text::trim(line).split_once_str(":")?;
    let id = text::trim(id);
    let is_id = (7..=64).contains(&id.len()) && id.iter().all(u8::is_ascii_hexdigit);
    (name.eq_ignore_ascii_case(b"base") && is_id).then_some(id)
}
