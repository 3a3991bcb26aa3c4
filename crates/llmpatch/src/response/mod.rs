//! Finds the patches inside a response: fences, prose around them, which format.
//!
//! Walks the response once, from top to bottom. A line that begins a patch is handed to its
//! format's reader, which says where the patch ends; whatever is inside starts nothing. Everything
//! else is prose. So which lines are a patch never depends on what is around it, and a response is
//! read in one pass, however often markers are repeated in it.
//!
//! # Where the contract on the formats is silent
//! - An HTML comment is closed by the first `-->` in prose: a patch between is a patch whatever it
//!   contains, so an unclosed `<!--` in a remark never hides a patch that has `-->` in its content.
//!   `<!--` in backticks opens nothing, and one in a Markdown fence opens nothing beyond it.
//! - A block of reasoning is closed by the first closing tag of its name, or that of the one that
//!   it is in; what was opened inside and not closed ends there too. A closing tag alone closes
//!   nothing: the patches before it count, with a warning, since the opening tag may have been the
//!   end of the prompt. A block that began in a Markdown fence ends with it.
//! - A whole patch, for what repeats an earlier one, is an envelope, an `<opx>` element, or a run
//!   of `<edit>` elements or of a diff's sections between which there is nothing but whitespace.
//!   Two patches are the same only if all their bytes are, line ends aside; an edit is compared by
//!   what it says. A patch behind a line that names a commit, as in mail and in `git log`, is one
//!   of a series, and counts even if it repeats one before.
//! - `--strict` changes nothing of what is hidden or repeated: it is about reading what is in a
//!   patch.
//! - List bullets are `-`, `*`, `+`, `•`, `1.`, `1)`; any number of them and of `>` may be before
//!   what is then residue.
//! - Whitespace before `*** End Patch` and closing tags doesn't make them less of a residue; file
//!   headers are one at column 0 and at the column of the last envelope. Headers up to the next
//!   patch are one error.
//! - Residue of a format that wasn't asked for is no error, and neither is what is wrong in a patch
//!   that is skipped, unless that patch never ends and so has swallowed one that was asked for.
//! - What would be residue behind a broken OPX element isn't reported: that it is broken is error
//!   enough.
//! - `<edit` directly follows another element if only whitespace is between; other tags before it
//!   on its line make it prose.
//! - Unified diffs begin at column 0; one that is indented or quoted isn't read, and if there is
//!   nothing else, that is said.
//! - A hunk's header in prose, and what else could only have been part of a diff, is residue.
//! - Of a response in two formats, the first one's edits are kept, so that planning can find more
//!   that is wrong.

mod absence;
mod around;
mod error;
mod prose;
mod repeats;
mod tags;
#[cfg(test)]
mod tests;

use bstr::{BString, ByteSlice as _};

pub(crate) use error::{Absence, Error, Hiding, Residue, Warning};

use crate::format::{Block, Options, Parsed, blocks, envelope, files, opx, tool, unified};
use crate::patch::{Format, Patch};
use crate::text::{LineNo, Lines, Located, Row, Source, Span};
use prose::Prose;
pub(super) use prose::REASONING;

/// Finds and reads the patches of a response.
pub(crate) fn parse<'a>(source: &'a Source, options: &Options<'_>) -> Parsed<'a> {
    if let Some(encoding) = absence::marked_utf16(source.bytes()) {
        let nothing = Patch {
            format: options.format.unwrap_or(Format::Envelope),
            edits: Vec::new(),
        };
        let error = Located::new(source.span(0..2), Error::Utf16 { encoding }.into());
        return Parsed {
            patch: nothing,
            errors: vec![error],
            warnings: Vec::new(),
            bases: Vec::new(),
        };
    }
    let (mut prose, bases) = Walk::new(source, options).run();
    let found = std::mem::take(&mut prose.found);
    Parsed {
        bases,
        ..settle(source, options, found, &prose)
    }
}

/// What a walk has come upon.
#[derive(Debug)]
pub(super) enum WalkItem<'a> {
    /// A patch.
    Block(Block<'a>),
    /// Something in prose that shows that something was lost, of a patch in this format.
    Residue(Format, Located<Residue>),
    /// Something in prose that is worth a remark.
    Remark(Located<crate::format::Warning>),
}

impl WalkItem<'_> {
    pub(super) fn residue(format: Format, span: Span, residue: Residue) -> Self {
        WalkItem::Residue(format, Located::new(span, residue))
    }

    pub(super) fn remark(span: Span, warning: impl Into<crate::format::Warning>) -> Self {
        WalkItem::Remark(Located::new(span, warning.into()))
    }
}

struct Walk<'a, 'o> {
    source: &'a Source,
    options: &'o Options<'o>,
    prose: Prose<'a>,
    around: around::Around<'a>,
    /// The tool calls that were met, by their ids.
    calls: tool::Met,
    /// Up to where it is known that no JSON with calls begins.
    plain: usize,
    /// Whether there was something but whitespace so far.
    is_begun: bool,
    /// What the last line before the patches says that they are about, and what OPX does.
    stated: Option<Located<BString>>,
    bases: Vec<Located<BString>>,
    /// How many edits have been read, an element or an envelope without any counted as one.
    edits: usize,
}

/// The most edits that a response may have. Each takes up to a kilobyte once it is read, however
/// short it is.
const MOST_EDITS: usize = 100_000;

impl<'a, 'o> Walk<'a, 'o> {
    fn new(source: &'a Source, options: &'o Options<'o>) -> Self {
        let prose = Prose::default();
        let around = around::Around::default();
        let calls = tool::Met::new();
        let stated = None;
        let bases = Vec::new();
        Self {
            source,
            options,
            prose,
            around,
            calls,
            plain: 0,
            is_begun: false,
            stated,
            bases,
            edits: 0,
        }
    }

    fn run(mut self) -> (Prose<'a>, Vec<Located<BString>>) {
        let mut number = LineNo::FIRST;
        while self.edits <= MOST_EDITS
            && let Some(row) = self.source.row(number)
        {
            let first = row.behind(row.text.len() - envelope::trim_start(row.text).len());
            let end = if let Some(end) = self.file(row) {
                end
            } else if envelope::starts_here(row.text) {
                self.envelope(row, first)
            } else if opx::starts_here(&self.source.bytes()[first.start()..]) {
                self.elements(first.start())
            } else if unified::starts_here(self.source, number) {
                self.push(unified::parse_block(
                    self.source,
                    number,
                    self.prose.around(),
                    self.options,
                ))
            } else if let Some(at) = blocks::opener(row.text) {
                let block =
                    self.around
                        .block(self.source, row, at, self.options, &mut self.prose.found);
                let end = self.push(block);
                self.around.behind(self.source, end, &mut self.prose.found);
                end
            } else if let Some(end) = self.json(row) {
                end
            } else {
                self.prose(row);
                self.source.start_of(number.next())
            };
            number = self.source.line_from(end).max(number.next());
        }
        self.around.end(&mut self.prose.found);
        let bases = if self.bases.is_empty() {
            self.stated.into_iter().collect()
        } else {
            self.bases
        };
        (self.prose, bases)
    }

    /// Reads a line that is in no patch.
    fn prose(&mut self, row: Row<'a>) {
        self.is_begun |= !envelope::is_blank(row.text);
        self.prose.line(self.source, row);
        if self.edits == 0 && !self.prose.is_hidden() {
            let base = stated_base(row.text).map(|id| Located::new(row.span, id.into()));
            self.stated = base.or(self.stated.take());
        }
        let is_fenced = self.prose.around().fenced;
        self.around
            .line(self.source, row, is_fenced, &mut self.prose.found);
    }

    /// Takes in a patch that a reader read; returns the offset behind it. Of one that brings more
    /// edits than there may be, what it is too much of is all that is said.
    fn push(&mut self, block: Block<'a>) -> usize {
        if block.format != Format::Blocks {
            self.around.pass();
        }
        let end = block.range.end;
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
        self.push(block)
    }

    /// Reads the JSON that begins in a line, if there are tool calls or patches in it.
    fn json(&mut self, row: Row<'a>) -> Option<usize> {
        if row.start() < self.plain || self.options.depth >= tool::DEEPEST_TEXT {
            return None;
        }
        let at = row.start() + tool::starts_here(row.text)?;
        // A string is only read as the whole response.
        if self.source.bytes()[at] == b'"' && (self.is_begun || !self.prose.found.is_empty()) {
            return None;
        }
        let read = tool::read(self.source, at, self.options, &mut self.calls)
            .map_err(|end| self.plain = end)
            .ok()?;
        for block in read.blocks {
            self.push(block);
        }
        self.prose
            .found
            .extend(read.remarks.into_iter().map(WalkItem::Remark));
        Some(self.source.start_of(self.source.line_at(read.end).next()))
    }

    /// Reads the file whose fence a line opens, where files were asked for.
    fn file(&mut self, row: Row<'a>) -> Option<usize> {
        if self.options.format != Some(Format::Files)
            || self.prose.around().fenced
            || !files::starts_here(row.text)
        {
            return None;
        }
        let Some(block) = files::parse_block(self.source, row, self.options) else {
            self.prose
                .found
                .push(WalkItem::remark(row.span, Warning::NamelessFence));
            return None;
        };
        Some(self.push(block))
    }

    /// Reads the OPX element at an offset and those that directly follow it.
    fn elements(&mut self, mut at: usize) -> usize {
        loop {
            let base = opx::base(self.source, at);
            let known =
                |base: &Located<BString>| self.bases.iter().any(|known| known.value == base.value);
            self.bases.extend(base.filter(|base| !known(base)));
            let block = opx::parse_block(self.source, at);
            self.prose.opx_ends(block.errors.is_empty());
            let end = self.push(block);
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
            let next = rest.span.end as usize - envelope::trim_start(rest.text).len();
            if !opx::starts_here(&self.source.bytes()[next..]) {
                self.prose.rest(self.source, rest);
                return self.source.start_of(number.next());
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

/// Decides which of the patches count, and whether the response as a whole is one that can be
/// applied.
fn settle<'a>(
    source: &'a Source,
    options: &Options,
    found: Vec<WalkItem<'a>>,
    prose: &Prose<'_>,
) -> Parsed<'a> {
    let blocks = || {
        found.iter().filter_map(|found| {
            if let WalkItem::Block(block) = found {
                Some(block)
            } else {
                None
            }
        })
    };
    let first = blocks()
        .next()
        .map(|block| (block.format, block.start(source)));
    let other = blocks().find(|block| Some(block.format) != first.map(|(format, _)| format));
    let format = options
        .format
        .or(first.map(|(format, _)| format))
        .unwrap_or(Format::Envelope);
    let patch = Patch {
        format,
        edits: Vec::new(),
    };
    let mut parsed = Parsed {
        patch,
        errors: Vec::new(),
        warnings: Vec::new(),
        bases: Vec::new(),
    };
    if let (None, Some((first, span)), Some(other)) = (options.format, first, other) {
        let line = source.line_at(span.start as usize);
        let mixed = Error::Mixed {
            first,
            line,
            second: other.format,
        };
        parsed
            .errors
            .push(Located::new(other.start(source), mixed.into()));
    }
    let is_without_blocks = first.is_some() && blocks().all(|block| block.format != Format::Blocks);
    let mut wanted = false;
    let mut skipped = None;
    let repeated = repeats::patches(source, &found, &mut parsed.warnings);
    for (found, is_repeated) in found.into_iter().zip(repeated) {
        match found {
            WalkItem::Block(_) if is_repeated => {}
            WalkItem::Block(block) => match options.format.filter(|asked| *asked != block.format) {
                None => {
                    wanted = true;
                    accept(source, block, &mut parsed);
                }
                Some(asked) => {
                    let warning = Warning::Skipped {
                        found: block.format,
                        asked,
                    };
                    parsed
                        .warnings
                        .push(Located::new(block.start(source), warning.into()));
                    skipped.get_or_insert((asked, block.format, block.start(source)));
                    if has_swallowed(source, &block, asked) {
                        parsed.errors.extend(block.errors);
                    }
                }
            },
            WalkItem::Residue(of, error) => {
                let is_others = matches!(&error.value, Residue::Blocks(error) if error.is_of_tags())
                    && is_without_blocks;
                if options.format.is_none_or(|asked| asked == of) && !is_others {
                    parsed
                        .errors
                        .push(error.map(|residue| Error::from(residue).into()));
                }
            }
            WalkItem::Remark(warning) => parsed.warnings.push(warning),
        }
    }
    if !wanted && parsed.errors.is_empty() {
        let (span, error) = absence::find(source, options, prose, &parsed.warnings, skipped);
        if matches!(
            error,
            Error::Utf16 { .. } | Error::NoPatch(Absence::Escaped)
        ) {
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
        parsed.errors.push(Located::new(
            source.span(at..at + 1),
            Error::Nul { format }.into(),
        ));
    } else if block.edits.is_empty() && block.errors.is_empty() {
        parsed.errors.push(Located::new(
            block.start(source),
            Error::Empty { format }.into(),
        ));
    }
    parsed.errors.extend(block.errors);
    parsed.warnings.extend(block.warnings);
    if format == parsed.patch.format {
        parsed.patch.edits.extend(block.edits);
    }
}

/// Returns whether a patch that is left out goes on to the end of the response, although it
/// shouldn't, and holds the start of one that was asked for.
fn has_swallowed(source: &Source, block: &Block<'_>, asked: Format) -> bool {
    let bytes = &source.bytes()[block.range.clone()];
    !block.errors.is_empty()
        && block.range.end == source.bytes().len()
        && Lines::new(bytes).iter().skip(1).any(|line| match asked {
            Format::Opx => opx::starts_here(envelope::trim_start(line.text)),
            Format::Unified => {
                line.text.starts_with(b"diff --git ") || line.text.starts_with(b"@@ -")
            }
            Format::Envelope => envelope::starts_here(line.text),
            Format::Blocks => blocks::opener(line.text).is_some(),
            Format::Tool | Format::Files => false,
        })
}
