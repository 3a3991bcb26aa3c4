//! Which of the patches that a walk came upon count, and whether the response as a whole can be
//! applied.

use std::collections::HashMap;

use bstr::BString;

use super::answer::{Answer, AnswerItem};
use super::error::{Error, Warning};
use super::near::{CALL_IN_TAGS, HUNK, NEAR};
use super::no_patch::NoPatch;
use super::session::Session;
use super::{Block, Parsed, PartCall, ResponsePart, absence, repeats, review};
use crate::format::fence::{self, Fence};
use crate::format::{self, InFile, Options, blocks, envelope, opx, tool};
use crate::patch::{Format, Operation};
use crate::text;
use crate::text::{Lines, Located, Source, Span};

/// Decides which of the patches count, and whether the response as a whole can be applied.
pub(super) fn settle<'a>(
    source: &'a Source,
    options: &Options,
    found: Vec<AnswerItem<'a>>,
    answer: &Answer<'_>,
) -> Parsed<'a> {
    let first = blocks(&found).next().map(|block| block.format);
    let is_without_blocks =
        first.is_some() && blocks(&found).all(|block| block.format != Format::Blocks);
    let mut parsed = Parsed::of(options.format.or(first).unwrap_or(Format::Envelope));
    parsed.parts.extend_from_slice(&answer.parts);
    if options.format.is_none() {
        parsed.errors.extend(mixed(source, &answer.session, &found));
    }
    let repeated = repeats::patches(source, &answer.session, &found, &mut parsed);
    let found = found.into_iter().zip(repeated);
    let found = found.filter(|(_, is_repeated)| !is_repeated);
    let mut taken = Taken {
        session: &answer.session,
        any: false,
        skipped: None,
    };
    for (item, _) in found {
        match item {
            AnswerItem::Block(block) => taken.block(source, block, options.format, &mut parsed),
            AnswerItem::Residue(of, residue) => {
                let is_half = is_without_blocks && is_of_tags(&residue.value);
                if is_half || options.format.is_none_or(|asked| asked == of) {
                    parsed
                        .errors
                        .push(residue.map(|residue| lost(residue, is_half)));
                }
            }
            AnswerItem::Remark(warning) => parsed.warnings.push(warning),
        }
    }
    let refused = answer.refused.iter().cloned();
    parsed.errors.extend(refused);
    if taken.any {
        excuse_hunks(&mut parsed);
        let near = answer.nearly.iter();
        let near = near.map(|(span, what)| nearly(*span, what.clone()));
        parsed.warnings.extend(near);
    } else {
        explain_absence(source, options, answer, taken.skipped, &mut parsed);
    }
    debug_assert!(
        !parsed.errors.is_empty()
            || parsed
                .patch
                .edits
                .iter()
                .all(|edit| edit.operation != Operation::Unreadable),
        "what can't be read has an error"
    );
    review::join(&mut parsed);
    repeats::edits(source, &parsed.patch.edits, &mut parsed.warnings);
    count_skipped(&mut parsed.warnings);
    parsed.errors.sort_by_key(|error| error.span);
    parsed.warnings.sort_by_key(|warning| warning.span);
    parsed
}

/// What became of the patches.
struct Taken<'s> {
    session: &'s Session,
    /// Whether there is one in the format that was asked for, if any was.
    any: bool,
    /// The first in another: the format that was asked for, its own, and where it begins.
    skipped: Option<(Format, Format, Span)>,
}

impl Taken<'_> {
    /// Takes a patch in, or leaves it out if another format was asked for.
    fn block<'a>(
        &mut self,
        source: &'a Source,
        block: Block<'a>,
        asked: Option<Format>,
        parsed: &mut Parsed<'a>,
    ) {
        match asked.filter(|asked| *asked != block.format) {
            None => {
                self.any = true;
                let call = block.call.and_then(|call| self.session.described(call));
                accept(source, block, call, parsed);
            }
            Some(asked) => {
                let skipped = (asked, block.format, block.start(source));
                self.skipped.get_or_insert(skipped);
                skip(source, block, asked, parsed);
            }
        }
    }
}

/// Adds the error that says why there is nothing to apply, unless other errors do. A hunk below what
/// is nearly a patch is a part of that.
fn explain_absence(
    source: &Source,
    options: &Options<'_>,
    answer: &Answer<'_>,
    skipped: Option<(Format, Format, Span)>,
    parsed: &mut Parsed<'_>,
) {
    parsed.errors.retain(|error| {
        let mut nearly = answer.nearly.iter();
        !is_stray_hunk(error) || !nearly.any(|(span, _)| Some(*span) < error.span)
    });
    if !parsed.errors.is_empty() {
        return;
    }
    let (span, error) = absence::find(source, options, answer, &parsed.warnings, skipped);
    if matches!(error, Error::Utf16 { .. }) {
        parsed.warnings.clear();
    }
    parsed.errors.push(Located::new(span, error));
}

/// Returns the warning of what is nearly a patch.
fn nearly(span: impl Into<Option<Span>>, what: NoPatch) -> Located<Warning> {
    Located::new(span, Warning::Nearly { what })
}

/// Returns the error of residue; of a call in tags beside a patch, that the patch may be half of a change.
fn lost(residue: NoPatch, is_half: bool) -> Error {
    if is_half {
        let near = &NEAR[CALL_IN_TAGS];
        return Error::Half { near };
    }
    Error::from(residue)
}

/// Returns whether residue is of a call in tags.
fn is_of_tags(residue: &NoPatch) -> bool {
    matches!(residue, NoPatch::Blocks(error) if error.is_of_tags())
}

/// Makes one warning of all calls of a tool that change nothing.
fn count_skipped(warnings: &mut Vec<Located<Warning>>) {
    let mut counts = HashMap::new();
    for name in warnings
        .iter()
        .filter_map(|warning| skipped(&warning.value))
    {
        *counts.entry(name.clone()).or_insert(0) += 1;
    }
    warnings.retain_mut(|warning| {
        let Warning::Format(format::Warning::Tool(InFile {
            what: tool::Warning::Skipped { name, count },
            ..
        })) = &mut warning.value
        else {
            return true;
        };
        let first = counts.remove(name);
        *count = first.unwrap_or(*count);
        first.is_some()
    });
}

/// Returns the name of a tool whose call changes nothing.
fn skipped(warning: &Warning) -> Option<&BString> {
    match warning {
        Warning::Format(format::Warning::Tool(InFile {
            what: tool::Warning::Skipped { name, .. },
            ..
        })) => Some(name),
        _ => None,
    }
}

/// Returns the patches that a walk came upon.
pub(super) fn blocks<'i, 'a>(found: &'i [AnswerItem<'a>]) -> impl Iterator<Item = &'i Block<'a>> {
    found.iter().filter_map(AnswerItem::block)
}

/// Returns the error that patches are in two formats.
fn mixed(source: &Source, session: &Session, found: &[AnswerItem<'_>]) -> Option<Located<Error>> {
    // What is none, since it broke off, say, is told by itself.
    let patches = || blocks(found).filter(|block| !block.edits.is_empty());
    let is_of_message =
        |block: &Block<'_>| block.call.is_some_and(|call| session.is_of_message(call));
    // In messages, each call says its own.
    if patches().all(is_of_message) {
        return None;
    }
    let mut patches = patches();
    let first = patches.next()?;
    let other = patches.find(|block| block.format != first.format)?;
    let mixed = Error::Mixed {
        first: first.format,
        line: source.line_at(first.start(source).start as usize),
        second: other.format,
    };
    Some(Located::new(other.start(source), mixed))
}

fn is_mixed(error: &Located<Error>) -> bool {
    matches!(error.value, Error::Mixed { .. })
}

/// Leaves out a patch in another format than was asked for.
fn skip<'a>(source: &'a Source, block: Block<'a>, asked: Format, parsed: &mut Parsed<'a>) {
    let found = block.format;
    let warning = Warning::Skipped { found, asked };
    let span = block.start(source);
    let part = ResponsePart::unread(found, Some(span), "answer", warning.to_string());
    parsed.parts.push(part);
    parsed.warnings.push(Located::new(span, warning));
    if has_swallowed(source, &block, asked) {
        parsed.errors.extend(block.errors);
    }
}

/// Makes warnings of hunks of no file beside whole patches of another format, where nothing else is
/// wrong: they explain something.
fn excuse_hunks(parsed: &mut Parsed<'_>) {
    let is_whole = parsed.patch.format != Format::Unified && !parsed.patch.edits.is_empty();
    if !is_whole || !parsed.errors.iter().all(is_stray_hunk) {
        return;
    }
    let hunks = parsed.errors.drain(..);
    let hunks = hunks.map(|error| nearly(error.span, NoPatch::Near(&NEAR[HUNK])));
    parsed.warnings.extend(hunks);
}

fn is_stray_hunk(error: &Located<Error>) -> bool {
    matches!(error.value, Error::NoPatch(NoPatch::StrayHunk { .. }))
}

/// Takes a patch into what was read.
fn accept<'a>(
    source: &'a Source,
    block: Block<'a>,
    call: Option<PartCall>,
    parsed: &mut Parsed<'a>,
) {
    let format = block.format;
    if let Some(nul) = memchr::memchr(0, &source.bytes()[block.range.clone()]) {
        let at = block.range.start + nul;
        parsed
            .errors
            .push(Located::new(source.span(at..at + 1), Error::Nul { format }));
    } else if block.edits.is_empty() && block.errors.is_empty() {
        parsed
            .errors
            .push(Located::new(block.start(source), Error::Empty { format }));
    }
    parsed.parts.push(ResponsePart {
        span: Some(block.start(source)),
        role: "answer",
        format: Some(format),
        directory: block.directory,
        why: None,
        call,
    });
    parsed.errors.extend(block.errors);
    parsed.warnings.extend(block.warnings);
    // It was looked for before anything else.
    let is_mixed = parsed.errors.first().is_some_and(is_mixed);
    if format == parsed.patch.format || !is_mixed {
        let fenced = block.edits.iter().filter_map(fence::around_file);
        let fenced = fenced.map(|error| error.map(Error::of));
        parsed.errors.extend(fenced);
        parsed.patch.edits.extend(block.edits);
    }
}

/// Returns whether a patch that is left out goes on to the end of the response, although it
/// shouldn't, and holds the start of a patch that was asked for.
fn has_swallowed(source: &Source, block: &Block<'_>, asked: Format) -> bool {
    let bytes = &source.bytes()[block.range.clone()];
    !block.errors.is_empty()
        && block.range.end == source.bytes().len()
        && Lines::new(bytes).iter().skip(1).any(|line| match asked {
            Format::Opx => opx::starts_here(text::trim_start(line.text)),
            Format::Unified => {
                line.text.starts_with(b"diff --git ") || line.text.starts_with(b"@@ -")
            }
            Format::Envelope => envelope::starts_here(line.text),
            Format::Blocks => blocks::opener(line.text).is_some(),
            Format::Files => Fence::read(line.text).is_some_and(|(_, info)| !text::is_blank(info)),
            Format::Tool => false,
        })
}
