//! Finds the patches inside an answer: fences, prose around them, which format.
//!
//! Walks the answer once, from top to bottom. A line that begins a patch is handed to its format's reader, which says where
//! the patch ends; whatever stands inside starts nothing. Everything else is prose. So which lines are a patch never depends
//! on what stands around it, and an answer is read in one pass, however often markers are repeated in it.
//!
//! # Where the contract on the formats is silent
//! - An HTML comment is closed by the first `-->` in prose: a patch between is a patch whatever it contains, so an unclosed
//!   `<!--` in a remark never hides a patch that has `-->` in its content. `<!--` in backticks opens nothing, and one in a
//!   Markdown fence opens nothing beyond it.
//! - List bullets are `-`, `*`, `+`, `•`, `1.`, `1)`; any number of them and of `>` may stand before what is then residue.
//! - Blanks before `*** End Patch` and closing tags don't make them less of a residue; file headers are one at column 0 and
//!   at the column of the last envelope. Headers up to the next patch are one error.
//! - Residue of a format that wasn't asked for is no error, and neither is what is wrong in a patch that is skipped, unless
//!   that patch never ends and so has swallowed one that was asked for.
//! - What would be residue behind a broken OPX element is its wreck: that it is broken is error enough.
//! - `<edit` directly follows another element if blanks only stand between; other tags before it on its line make it prose.
//! - Unified diffs begin at column 0; one that is indented or quoted isn't read, and if there is nothing else, that is said.
//! - A hunk's header in prose, and what else could only have been part of a diff, is residue.
//! - Of an answer in two formats, the first one's edits are kept, so that planning can find more that is wrong.

mod absence;
mod fault;
mod prose;
#[cfg(test)]
mod tests;

use std::ops::Range;

pub use fault::{Absence, Fault, Warning};

use super::{Options, Parsed, envelope, opx, unified};
use crate::patch::{FileEdit, Format, Patch};
use crate::text::{LineNo, Lines, Located, Source, Span};
use prose::Prose;

/// Finds and reads the patches of a response.
pub fn parse<'a>(source: &'a Source, options: &Options) -> Parsed<'a> {
    if let Some(encoding) = absence::marked_utf16(source.bytes()) {
        let nothing = Patch { format: options.format.unwrap_or(Format::Envelope), edits: Vec::new() };
        let fault = Located::new(source.span(0..2), Fault::Utf16 { encoding }.into());
        return Parsed { patch: nothing, faults: vec![fault], warnings: Vec::new() };
    }
    let (found, prose) = Walk::new(source, options).run();
    settle(source, options, found, &prose)
}

/// What a walk has come upon.
#[derive(Debug)]
enum Found<'a> {
    /// A patch.
    Block(Block<'a>),
    /// Something in prose that shows that something was lost, of a patch in this format.
    Residue(Format, Located<Fault>),
    /// Something in prose that is worth a remark.
    Remark(Located<Warning>),
}

/// A patch and where it stands.
#[derive(Debug)]
struct Block<'a> {
    format: Format,
    /// The marker or the `<`, by which messages point at it.
    start: Span,
    range: Range<usize>,
    edits: Vec<FileEdit<'a>>,
    faults: Vec<Located<super::Fault>>,
    warnings: Vec<Located<super::Warning>>,
}

struct Walk<'a, 'o> {
    source: &'a Source,
    options: &'o Options,
    found: Vec<Found<'a>>,
    prose: Prose,
    /// How many edits have been read, an element or an envelope without any counted as one.
    edits: usize,
}

/// The most edits that a response may have. Each takes up to a kilobyte once it is read, however short it is.
const MOST_EDITS: usize = 1 << 18;

impl<'a, 'o> Walk<'a, 'o> {
    fn new(source: &'a Source, options: &'o Options) -> Self {
        Self { source, options, found: Vec::new(), prose: Prose::default(), edits: 0 }
    }

    fn run(mut self) -> (Vec<Found<'a>>, Prose) {
        let bytes = self.source.bytes();
        let mut number = LineNo::FIRST;
        while let (Some(line), Some(start)) = (self.source.line(number), self.source.line_start(number)) {
            let bom = if start == 0 && line.starts_with(Lines::BOM) { Lines::BOM.len() } else { 0 };
            let (line, start) = (&line[bom..], start + bom);
            let first = start + (line.len() - envelope::trim_start(line).len());
            number = if envelope::starts_here(line) {
                self.envelope(number, first)
            } else if opx::starts_here(&bytes[first..]) {
                self.elements(first)
            } else if unified::starts_here(self.source, number) {
                self.section(number, start)
            } else {
                self.prose.line(self.source, line, start, number, &mut self.found);
                after(number)
            };
            if self.edits > MOST_EDITS {
                break;
            }
        }
        (self.found, self.prose)
    }

    /// Takes in a patch. Of one that brings more edits than there may be, what it is too much of is all that is said.
    fn push(&mut self, block: Block<'a>) {
        self.edits += block.edits.len().max(1);
        if self.edits > MOST_EDITS {
            let fault = Located::new(block.start, Fault::TooMany { most: MOST_EDITS });
            self.found.push(Found::Residue(block.format, fault));
        } else {
            self.found.push(Found::Block(block));
        }
    }

    /// Reads the envelope that begins in a line; returns the line behind it.
    fn envelope(&mut self, number: LineNo, first: usize) -> LineNo {
        let block = envelope::parse_block(self.source, number, self.options);
        let end = self.source.line_start(block.end).unwrap_or(self.source.bytes().len());
        let line_start = self.source.line_start(number).unwrap_or(first);
        let line_end = line_start + self.source.line(number).map_or(0, <[u8]>::len);
        let last = LineNo::from_index(block.end.index().saturating_sub(1));
        self.prose.envelope_ends(last, line_start..first);
        self.push(Block {
            format: Format::Envelope,
            start: self.source.span(first..line_end),
            range: first..end,
            edits: block.edits,
            faults: block.faults.into_iter().map(|fault| fault.map(Into::into)).collect(),
            warnings: block.warnings.into_iter().map(|warning| warning.map(Into::into)).collect(),
        });
        block.end
    }

    /// Reads the section of a unified diff that begins in a line; returns the line behind it.
    fn section(&mut self, number: LineNo, start: usize) -> LineNo {
        let block = unified::parse_block(self.source, number, self.prose.around(), self.options);
        let end = self.source.line_start(block.end).unwrap_or(self.source.bytes().len());
        let line_end =
            self.source.line_start(number).unwrap_or(start) + self.source.line(number).map_or(0, <[u8]>::len);
        self.push(Block {
            format: Format::Unified,
            start: self.source.span(start..line_end),
            range: start..end,
            edits: block.edits,
            faults: block.faults.into_iter().map(|fault| fault.map(Into::into)).collect(),
            warnings: block.warnings.into_iter().map(|warning| warning.map(Into::into)).collect(),
        });
        block.end
    }

    /// Reads the OPX element at an offset and those that directly follow it; returns the line to go on with.
    fn elements(&mut self, mut at: usize) -> LineNo {
        let bytes = self.source.bytes();
        loop {
            let block = opx::parse_block(self.source, at, self.options);
            let end = block.end.clamp(at + 1, bytes.len());
            let line_end = memchr::memchr(b'\n', &bytes[at..end]).map_or(end, |length| at + length);
            self.prose.opx_ends(block.faults.is_empty());
            self.push(Block {
                format: Format::Opx,
                start: self.source.span(at..line_end),
                range: at..end,
                edits: block.edits,
                faults: block.faults.into_iter().map(|fault| fault.map(Into::into)).collect(),
                warnings: block.warnings.into_iter().map(|warning| warning.map(Into::into)).collect(),
            });
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

fn after(number: LineNo) -> LineNo {
    LineNo::from_index(number.index() + 1)
}

/// Decides which of the patches count, and whether the answer as a whole is one that can be applied.
fn settle<'a>(source: &'a Source, options: &Options, found: Vec<Found<'a>>, prose: &Prose) -> Parsed<'a> {
    let blocks = || found.iter().filter_map(|found| if let Found::Block(block) = found { Some(block) } else { None });
    let first = blocks().next().map(|block| (block.format, block.start));
    let other = blocks().find(|block| Some(block.format) != first.map(|(format, _)| format));
    let format = options.format.or(first.map(|(format, _)| format)).unwrap_or(Format::Envelope);
    let mut parsed = Parsed { patch: Patch { format, edits: Vec::new() }, faults: Vec::new(), warnings: Vec::new() };
    if let (None, Some((first, span)), Some(other)) = (options.format, first, other) {
        let line = source.line_at(span.start as usize);
        let mixed = Fault::Mixed { first, line, second: other.format };
        parsed.faults.push(Located::new(other.start, mixed.into()));
    }
    let mut wanted = false;
    let mut skipped = None;
    for found in found {
        match found {
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
                        parsed.faults.extend(block.faults);
                    }
                }
            },
            Found::Residue(of, fault) => {
                if options.format.is_none_or(|asked| asked == of) {
                    parsed.faults.push(fault.map(Into::into));
                }
            }
            Found::Remark(warning) => parsed.warnings.push(warning.map(Into::into)),
        }
    }
    if !wanted && parsed.faults.is_empty() {
        let (span, fault) = absence::find(source, prose, &parsed.warnings, skipped);
        if matches!(fault, Fault::Utf16 { .. } | Fault::NoPatch(Absence::Json { .. } | Absence::Escaped)) {
            parsed.warnings.clear();
        }
        parsed.faults.push(Located::new(span, fault.into()));
    }
    parsed.faults.sort_by_key(|fault| fault.span);
    parsed.warnings.sort_by_key(|warning| warning.span);
    parsed
}

/// Takes a patch into what was read.
fn accept<'a>(source: &'a Source, block: Block<'a>, parsed: &mut Parsed<'a>) {
    let format = block.format;
    if let Some(nul) = memchr::memchr(0, &source.bytes()[block.range.clone()]) {
        let at = block.range.start + nul;
        parsed.faults.push(Located::new(source.span(at..at + 1), Fault::Nul { format }.into()));
    } else if block.edits.is_empty() && block.faults.is_empty() {
        parsed.faults.push(Located::new(block.start, Fault::Empty { format }.into()));
    }
    parsed.faults.extend(block.faults);
    parsed.warnings.extend(block.warnings);
    if format == parsed.patch.format {
        parsed.patch.edits.extend(block.edits);
    }
}

/// Returns whether a patch that is left out goes on to the end of the answer, although it shouldn't, and holds the start of
/// one that was asked for.
fn has_swallowed(source: &Source, block: &Block<'_>, asked: Format) -> bool {
    let bytes = &source.bytes()[block.range.clone()];
    !block.faults.is_empty()
        && block.range.end == source.bytes().len()
        && Lines::new(bytes).iter().skip(1).any(|line| match asked {
            Format::Opx => opx::starts_here(envelope::trim_start(line.text)),
            Format::Unified => line.text.starts_with(b"diff --git ") || line.text.starts_with(b"@@ -"),
            Format::Envelope => envelope::starts_here(line.text),
        })
}
