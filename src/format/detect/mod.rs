//! Finds the patches inside a response: fences, prose around them, which format.
//!
//! Walks the response once, from top to bottom. A line that begins a patch is handed to its format's reader, which says where
//! the patch ends; whatever is inside starts nothing. Everything else is prose. So which lines are a patch never depends
//! on what is around it, and a response is read in one pass, however often markers are repeated in it.
//!
//! # Where the contract on the formats is silent
//! - An HTML comment is closed by the first `-->` in prose: a patch between is a patch whatever it contains, so an unclosed
//!   `<!--` in a remark never hides a patch that has `-->` in its content. `<!--` in backticks opens nothing, and one in a
//!   Markdown fence opens nothing beyond it.
//! - A block of reasoning is closed by the first closing tag of its name, or that of the one that it is in; what was opened inside
//!   and not closed ends there too. A closing tag alone closes nothing: the patches
//!   before it count, with a warning, since the opening tag may have been the end of the prompt. A block that began in a Markdown fence ends with it.
//! - A whole patch, for what repeats an earlier one, is an envelope, an `<opx>` element, or a run of `<edit>` elements or of a
//!   diff's sections between which there is nothing but whitespace. Two patches are the same only if all their bytes are, line ends
//!   aside; an edit is compared by what it says. A patch behind a line that names a commit, as in mail and in `git log`, is
//!   one of a series, and counts even if it repeats one before.
//! - `--strict` changes nothing of what is hidden or repeated: it is about reading what is in a patch.
//! - List bullets are `-`, `*`, `+`, `•`, `1.`, `1)`; any number of them and of `>` may be before what is then residue.
//! - Whitespace before `*** End Patch` and closing tags doesn't make them less of a residue; file headers are one at column 0 and
//!   at the column of the last envelope. Headers up to the next patch are one error.
//! - Residue of a format that wasn't asked for is no error, and neither is what is wrong in a patch that is skipped, unless
//!   that patch never ends and so has swallowed one that was asked for.
//! - What would be residue behind a broken OPX element is its wreck: that it is broken is error enough.
//! - `<edit` directly follows another element if only whitespace is between; other tags before it on its line make it prose.
//! - Unified diffs begin at column 0; one that is indented or quoted isn't read, and if there is nothing else, that is said.
//! - A hunk's header in prose, and what else could only have been part of a diff, is residue.
//! - Of a response in two formats, the first one's edits are kept, so that planning can find more that is wrong.

mod absence;
mod code_spans;
mod error;
mod prose;
mod repeats;
#[cfg(test)]
mod tests;

use std::ops::Range;

use bstr::{BString, ByteSlice as _};

pub use error::{Absence, Error, Residue, Warning};

use super::{Options, Parsed, blocks, envelope, files, opx, tool, unified};
use crate::patch::{FileEdit, Format, Patch};
use crate::text::{LineNo, Lines, Located, Source, Span};
use prose::Prose;
pub(super) use prose::REASONING;

/// Finds and reads the patches of a response.
pub fn parse<'a>(source: &'a Source, options: &Options<'_>) -> Parsed<'a> {
    if let Some(encoding) = absence::marked_utf16(source.bytes()) {
        let nothing = Patch { format: options.format.unwrap_or(Format::Envelope), edits: Vec::new() };
        let error = Located::new(source.span(0..2), Error::Utf16 { encoding }.into());
        return Parsed { patch: nothing, errors: vec![error], warnings: Vec::new(), bases: Vec::new() };
    }
    let (found, prose, bases) = Walk::new(source, options).run();
    Parsed { bases, ..settle(source, options, found, &prose) }
}

/// What a walk has come upon.
#[derive(Debug)]
enum Found<'a> {
    /// A patch.
    Block(Block<'a>),
    /// Something in prose that shows that something was lost, of a patch in this format.
    Residue(Format, Located<Residue>),
    /// Something in prose that is worth a remark.
    Remark(Located<Warning>),
}

impl Found<'_> {
    fn residue(format: Format, span: Span, residue: Residue) -> Self {
        Found::Residue(format, Located::new(span, residue))
    }

    fn remark(span: Span, warning: Warning) -> Self {
        Found::Remark(Located::new(span, warning))
    }
}

/// A patch and where it is.
#[derive(Debug)]
struct Block<'a> {
    format: Format,
    /// The marker or the `<`, by which messages point at it.
    start: Span,
    range: Range<usize>,
    edits: Vec<FileEdit<'a>>,
    errors: Vec<Located<super::Error>>,
    warnings: Vec<Located<super::Warning>>,
}

struct Walk<'a, 'o> {
    source: &'a Source,
    options: &'o Options<'o>,
    found: Vec<Found<'a>>,
    prose: Prose,
    around: blocks::Around<'a>,
    /// The tool calls that were met, by their ids.
    calls: tool::Met,
    /// Up to where it is known that no JSON with calls begins.
    plain: usize,
    /// Whether there was nothing but whitespace so far.
    is_first: bool,
    /// What the last line before the patches says that they are about, and what OPX does.
    stated: Option<Located<BString>>,
    bases: Vec<Located<BString>>,
    /// How many edits have been read, an element or an envelope without any counted as one.
    edits: usize,
}

/// The most edits that a response may have. Each takes up to a kilobyte once it is read, however short it is.
const MOST_EDITS: usize = 1 << 18;

impl<'a, 'o> Walk<'a, 'o> {
    fn new(source: &'a Source, options: &'o Options<'o>) -> Self {
        Self {
            source,
            options,
            found: Vec::new(),
            prose: Prose::default(),
            around: blocks::Around::default(),
            calls: tool::Met::new(),
            plain: 0,
            is_first: true,
            stated: None,
            bases: Vec::new(),
            edits: 0,
        }
    }

    fn run(mut self) -> (Vec<Found<'a>>, Prose, Vec<Located<BString>>) {
        let bytes = self.source.bytes();
        let mut number = LineNo::FIRST;
        while let (Some(line), Some(start)) = (self.source.line(number), self.source.line_start(number)) {
            let bom = if start == 0 && line.starts_with(Lines::BOM) { Lines::BOM.len() } else { 0 };
            let (line, start) = (&line[bom..], start + bom);
            let first = start + (line.len() - envelope::trim_start(line).len());
            number = if let Some(next) = self.file(number, line, start) {
                next
            } else if envelope::starts_here(line) {
                self.envelope(number, first)
            } else if opx::starts_here(&bytes[first..]) {
                self.elements(first)
            } else if unified::starts_here(self.source, number) {
                self.section(number, start)
            } else if let Some(at) = blocks::opener(line) {
                self.search_replace((start, start + at))
            } else if let Some(next) = self.json(line, start) {
                next
            } else {
                self.is_first &= envelope::is_blank(line);
                self.prose.line(self.source, line, start, number, &mut self.found);
                if self.edits == 0 && !self.prose.is_hidden() {
                    let base = stated_base(line)
                        .map(|id| Located::new(self.source.span(start..start + line.len()), id.into()));
                    self.stated = base.or(self.stated.take());
                }
                let is_fenced = self.prose.around().fenced;
                let notes = self.around.line(self.source, (line, start), is_fenced);
                self.note(notes);
                after(number)
            };
            if self.edits > MOST_EDITS {
                break;
            }
        }
        let notes = self.around.end();
        self.note(notes);
        let bases = if self.bases.is_empty() { self.stated.into_iter().collect() } else { self.bases };
        (self.found, self.prose, bases)
    }

    /// Takes in what is around blocks.
    fn note(&mut self, notes: Vec<Located<blocks::Note>>) {
        for Located { span, value } in notes {
            match value {
                blocks::Note::Error(error) => {
                    self.found.push(Found::Residue(Format::Blocks, Located::new(span, error.into())))
                }
                blocks::Note::Warning(warning) => self.found.push(Found::Remark(Located::new(span, warning.into()))),
                blocks::Note::Start { line, blocks } => {
                    let read = self.found.iter_mut().rev().filter_map(|found| match found {
                        Found::Block(block) if block.format == Format::Blocks => Some(&mut block.edits),
                        _ => None,
                    });
                    read.take(blocks).flatten().for_each(|edit| blocks::begin_at(edit, line));
                }
            }
        }
    }

    /// Takes in a patch that a reader read. Of one that brings more edits than there may be, what it is too much of is all that is
    /// said.
    fn push<End, E: Into<super::Error>, W: Into<super::Warning>>(
        &mut self,
        format: Format,
        range: Range<usize>,
        read: super::Block<'a, End, E, W>,
    ) {
        if format != Format::Blocks {
            self.around.pass();
        }
        let line_end = memchr::memchr(b'\n', &self.source.bytes()[range.clone()]);
        let start = self.source.span(range.start..line_end.map_or(range.end, |length| range.start + length));
        self.edits += read.edits.len().max(1);
        if self.edits > MOST_EDITS {
            return self.found.push(Found::residue(format, start, Residue::TooMany { most: MOST_EDITS }));
        }
        let errors = read.errors.into_iter().map(|error| error.map(Into::into)).collect();
        let warnings = read.warnings.into_iter().map(|warning| warning.map(Into::into)).collect();
        self.found.push(Found::Block(Block { format, start, range, edits: read.edits, errors, warnings }));
    }

    /// Reads the envelope that begins in a line; returns the line behind it.
    fn envelope(&mut self, number: LineNo, first: usize) -> LineNo {
        let block = envelope::parse_block(self.source, number, self.options);
        let (end, line_start) = (block.end, self.source.line_start(number).unwrap_or(first));
        self.prose.envelope_ends(LineNo::from_index(end.index().saturating_sub(1)), line_start..first);
        self.push(Format::Envelope, first..self.start_of(end), block);
        end
    }

    /// Reads the section of a unified diff that begins in a line; returns the line behind it.
    fn section(&mut self, number: LineNo, start: usize) -> LineNo {
        let block = unified::parse_block(self.source, number, self.prose.around(), self.options);
        let end = block.end;
        self.push(Format::Unified, start..self.start_of(end), block);
        end
    }

    /// Reads the block that begins at an offset of a line, given with that of the line; returns the line behind it.
    fn search_replace(&mut self, at: (usize, usize)) -> LineNo {
        let (block, notes) = self.around.block(self.source, at, self.options);
        let (end, last) = (block.end, self.source.line_at(block.end));
        self.push(Format::Blocks, at.1..end, block);
        self.note(notes);
        if self.source.line_start(last) == Some(end) && end < self.source.bytes().len() { last } else { after(last) }
    }

    /// Reads the JSON that begins in a line, if there are tool calls or patches in it; returns the line behind it.
    fn json(&mut self, line: &[u8], start: usize) -> Option<LineNo> {
        if start < self.plain || self.options.depth >= tool::DEEPEST_TEXT {
            return None;
        }
        let at = start + tool::starts_here(line)?;
        // A string is only read as the whole response.
        if self.source.bytes()[at] == b'"' && !(self.is_first && self.found.is_empty()) {
            return None;
        }
        match tool::read(self.source, at, self.options, &mut self.calls) {
            tool::Found::Prose(end) => {
                self.plain = end;
                None
            }
            tool::Found::Calls(end, read) => {
                for block in read.blocks {
                    let (format, range) = block.end.clone();
                    self.push(format, range, block);
                }
                self.found.extend(read.remarks.into_iter().map(|remark| Found::Remark(remark.map(Into::into))));
                Some(after(self.source.line_at(end)))
            }
        }
    }

    /// Reads the file whose fence a line opens, where files were asked for; returns the line behind it.
    fn file(&mut self, number: LineNo, line: &[u8], start: usize) -> Option<LineNo> {
        if self.options.format != Some(Format::Files) || self.prose.around().fenced || !files::starts_here(line) {
            return None;
        }
        let Some(block) = files::parse_block(self.source, number, self.options) else {
            self.found.push(Found::remark(self.source.span(start..start + line.len()), Warning::NamelessFence));
            return None;
        };
        let end = block.end;
        self.push(Format::Files, start..self.start_of(end), block);
        Some(end)
    }

    /// Returns where a line starts, or the end of the response behind the last.
    fn start_of(&self, line: LineNo) -> usize {
        self.source.line_start(line).unwrap_or(self.source.bytes().len())
    }

    /// Reads the OPX element at an offset and those that directly follow it; returns the line to go on with.
    fn elements(&mut self, mut at: usize) -> LineNo {
        let bytes = self.source.bytes();
        loop {
            let base = opx::base(self.source, at);
            let known = |base: &Located<BString>| self.bases.iter().any(|known| known.value == base.value);
            self.bases.extend(base.filter(|base| !known(base)));
            let block = opx::parse_block(self.source, at, self.options);
            let end = block.end.clamp(at + 1, bytes.len());
            self.prose.opx_ends(block.errors.is_empty());
            self.push(Format::Opx, at..end, block);
            if self.edits > MOST_EDITS {
                return self.source.line_at(bytes.len());
            }
            let number = self.source.line_at(end);
            let start = self.source.line_start(number).unwrap_or(end);
            let line_end = start + self.source.line(number).map_or(0, <[u8]>::len);
            if end == start && end < bytes.len() {
                return number;
            }
            let Some(rest) = bytes.get(end..line_end) else { return after(number) };
            let next = line_end - envelope::trim_start(rest).len();
            if !opx::starts_here(&bytes[next..]) {
                self.prose.rest(self.source, rest, end, &mut self.found);
                return after(number);
            }
            at = next;
        }
    }
}

/// Returns the id that a line names as the base, if it does nothing else: no word of prose is one.
pub(super) fn stated_base(line: &[u8]) -> Option<&[u8]> {
    let (name, id) = envelope::trim(line).split_once_str(":")?;
    let id = envelope::trim(id);
    let is_id = (7..=64).contains(&id.len()) && id.iter().all(u8::is_ascii_hexdigit);
    (name.eq_ignore_ascii_case(b"base") && is_id).then_some(id)
}

fn after(number: LineNo) -> LineNo {
    LineNo::from_index(number.index() + 1)
}

/// Decides which of the patches count, and whether the response as a whole is one that can be applied.
fn settle<'a>(source: &'a Source, options: &Options, found: Vec<Found<'a>>, prose: &Prose) -> Parsed<'a> {
    let blocks = || found.iter().filter_map(|found| if let Found::Block(block) = found { Some(block) } else { None });
    let first = blocks().next().map(|block| (block.format, block.start));
    let other = blocks().find(|block| Some(block.format) != first.map(|(format, _)| format));
    let format = options.format.or(first.map(|(format, _)| format)).unwrap_or(Format::Envelope);
    let patch = Patch { format, edits: Vec::new() };
    let mut parsed = Parsed { patch, errors: Vec::new(), warnings: Vec::new(), bases: Vec::new() };
    if let (None, Some((first, span)), Some(other)) = (options.format, first, other) {
        let line = source.line_at(span.start as usize);
        let mixed = Error::Mixed { first, line, second: other.format };
        parsed.errors.push(Located::new(other.start, mixed.into()));
    }
    let is_without_blocks = first.is_some() && blocks().all(|block| block.format != Format::Blocks);
    let mut wanted = false;
    let mut skipped = None;
    let repeated = repeats::patches(source, &found, &mut parsed.warnings);
    for (found, is_repeated) in found.into_iter().zip(repeated) {
        match found {
            Found::Block(_) if is_repeated => {}
            Found::Block(block) => match options.format.filter(|asked| *asked != block.format) {
                None => {
                    wanted = true;
                    accept(source, block, &mut parsed);
                }
                Some(asked) => {
                    let warning = Warning::Skipped { found: block.format, asked };
                    parsed.warnings.push(Located::new(block.start, warning.into()));
                    skipped.get_or_insert((asked, block.format, block.start));
                    if has_swallowed(source, &block, asked) {
                        parsed.errors.extend(block.errors);
                    }
                }
            },
            Found::Residue(of, error) => {
                let is_others =
                    matches!(&error.value, Residue::Blocks(error) if error.is_of_tags()) && is_without_blocks;
                if options.format.is_none_or(|asked| asked == of) && !is_others {
                    parsed.errors.push(error.map(|residue| Error::from(residue).into()));
                }
            }
            Found::Remark(warning) => parsed.warnings.push(warning.map(Into::into)),
        }
    }
    if !wanted && parsed.errors.is_empty() {
        let (span, error) = absence::find(source, options, prose, &parsed.warnings, skipped);
        if matches!(error, Error::Utf16 { .. } | Error::NoPatch(Absence::Escaped)) {
            parsed.warnings.clear();
        }
        parsed.errors.push(Located::new(span, error.into()));
    }
    repeats::edits(source, &parsed.patch.edits, &mut parsed.warnings);
    parsed.errors.sort_by_key(|error| error.span);
    parsed.warnings.sort_by_key(|warning| warning.span);
    parsed
}

/// Takes a patch into what was read.
fn accept<'a>(source: &'a Source, block: Block<'a>, parsed: &mut Parsed<'a>) {
    let format = block.format;
    if let Some(nul) = memchr::memchr(0, &source.bytes()[block.range.clone()]) {
        let at = block.range.start + nul;
        parsed.errors.push(Located::new(source.span(at..at + 1), Error::Nul { format }.into()));
    } else if block.edits.is_empty() && block.errors.is_empty() {
        parsed.errors.push(Located::new(block.start, Error::Empty { format }.into()));
    }
    parsed.errors.extend(block.errors);
    parsed.warnings.extend(block.warnings);
    if format == parsed.patch.format {
        parsed.patch.edits.extend(block.edits);
    }
}

/// Returns whether a patch that is left out goes on to the end of the response, although it shouldn't, and holds the start of
/// one that was asked for.
fn has_swallowed(source: &Source, block: &Block<'_>, asked: Format) -> bool {
    let bytes = &source.bytes()[block.range.clone()];
    !block.errors.is_empty()
        && block.range.end == source.bytes().len()
        && Lines::new(bytes).iter().skip(1).any(|line| match asked {
            Format::Opx => opx::starts_here(envelope::trim_start(line.text)),
            Format::Unified => line.text.starts_with(b"diff --git ") || line.text.starts_with(b"@@ -"),
            Format::Envelope => envelope::starts_here(line.text),
            Format::Blocks => blocks::opener(line.text).is_some(),
            Format::Tool | Format::Files => false,
        })
}
