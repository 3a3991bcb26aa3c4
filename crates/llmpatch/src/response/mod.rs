//! Takes a response apart, and says which of its patches are the answer.
//!
//! One walk, from top to bottom (`parts`), makes a tree of what is in it: fences, comments, reasoning,
//! results, quotations, patches. A patch is read where it begins, by its format, which says where it
//! ends; whatever is inside starts nothing. What a part means is asked of the tree (`answer`). All
//! forms are rows of tables (`marks`, `near`, `encoded`): what is in none of them is text or is
//! refused.
//!
//! # Where the contract on the formats is silent
//! - An HTML comment is closed by the first `-->` in prose: a patch between is a patch whatever it
//!   contains, so an unclosed `<!--` in a remark never hides a patch that has `-->` in its content.
//!   `<!--` in backticks opens nothing, and one in a Markdown fence opens nothing beyond it.
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
//!   that is skipped, unless that patch never ends and so has swallowed a patch that was asked for.
//! - What would be residue behind a broken OPX element isn't reported: that it is broken is error
//!   enough.
//! - `<edit` directly follows another element if only whitespace is between; other tags before it
//!   on its line make it prose.
//! - Unified diffs begin at column 0; an indented or quoted diff isn't read, and if there is
//!   nothing else, an error says so.
//! - A hunk's header in prose, and what else could only have been part of a diff, is residue.
//! - Of a response in two formats, the first one's edits are kept, so that planning can find more
//!   that is wrong.

mod absence;
mod answer;
pub(crate) mod command;
mod embedded;
mod encoded;
mod error;
mod given;
mod json;
mod lines;
mod literal;
mod losses;
mod marks;
mod messages;
mod near;
mod no_patch;
mod outcomes;
mod parsed;
mod parts;
mod paths;
mod place;
mod prose_line;
mod quotes;
mod repeats;
mod review;
mod rows;
mod schemas;
mod scripts;
mod session;
mod settle;
mod tags;
#[cfg(test)]
mod tests;
mod texts;
mod told;

pub use error::{Error, Warning};
pub(crate) use losses::stated_base;
pub(crate) use no_patch::NoPatch;
pub use parsed::{Parsed, PartCall, ResponsePart};

use crate::format::{self, Options};
use crate::patch::Format;
use crate::text::{Located, Source, Span};
use answer::AnswerItem;
use session::{Beside, Session};
use settle::settle;

/// What was read of a patch, with what the response around it adds.
pub(crate) type Block<'a> = format::Block<'a, Error, Warning>;

/// Finds and reads the patches of a response. Never panics, whatever the bytes.
pub fn parse<'a>(source: &'a Source, options: &Options<'_>) -> Parsed<'a> {
    parse_beside(source, options, None)
}

/// Reads responses that are one change, some of which may be parts of one session: such a part needs
/// no patch of its own.
pub fn parse_all<'a>(sources: &'a [Source], options: &Options<'_>) -> Vec<Parsed<'a>> {
    let mut all: Vec<_> = sources
        .iter()
        .map(|source| parse(source, options))
        .collect();
    let sessions: Vec<_> = all
        .iter_mut()
        .map(|parsed| std::mem::take(&mut parsed.session))
        .collect();
    let beside = Session::beside(&sessions);
    for ((read, source), beside) in all.iter_mut().zip(sources).zip(&beside) {
        if beside.says_something() {
            *read = parse_beside(source, options, Some(beside));
        }
    }
    let missing = |id: &&String| !sessions.iter().any(|session| session.has_call(id));
    if let Some(first) = all.first_mut() {
        let missing = options.only.iter().filter(missing);
        let missing = missing.map(|id| Error::NoCall { id: id.clone() });
        first
            .errors
            .extend(missing.map(|error| Located::new(None, error)));
    }
    if all.iter().any(Parsed::has_patch) {
        let parts = all.iter_mut().zip(&beside);
        for (part, _) in parts.filter(|(_, beside)| beside.is_part) {
            part.errors.retain(|error| !error.value.is_absence());
        }
    }
    all
}

/// Reads a response, of which other parts of its session may say something.
fn parse_beside<'a>(
    source: &'a Source,
    options: &Options<'_>,
    beside: Option<&Beside>,
) -> Parsed<'a> {
    if absence::is_marked_utf16(source.bytes()) {
        let encoding = "UTF-16";
        return refused(source.span(0..2), Error::Utf16 { encoding }, options);
    }
    let mut session = Session::of_part(beside);
    let parts = parts::delimit(source, options, &mut session);
    if let Some(beside) = beside {
        session.join(beside);
    }
    let mut answer = answer::answer(source, parts, session, options.only);
    let found = std::mem::take(&mut answer.found);
    let mut parsed = settle(source, options, found, &answer);
    if let Some(piece) = answer.session.aside.piece
        && parsed.patch.edits.is_empty()
        && !parsed.errors.is_empty()
        && parsed.errors.iter().all(is_of_stream)
    {
        parsed.errors.retain(|error| !error.value.is_absence());
        parsed.errors.insert(0, Located::new(piece, Error::Stream));
    }
    let is_here = |id: &String| answer.session.has_call(id);
    if !options.only.is_empty() && !options.only.iter().any(is_here) {
        // What was asked for is in another response, or that there is none is said.
        parsed.errors.retain(|error| !error.value.is_absence());
    }
    parsed.parts.sort_by_key(|part| part.span);
    drop_told_warnings(&mut parsed);
    Parsed {
        bases: answer.bases,
        session: answer.session,
        ..parsed
    }
}

/// Returns whether an error says no more than that a response comes in pieces.
fn is_of_stream(error: &Located<Error>) -> bool {
    error.value.is_absence() || error.value == Error::Stream
}

/// Drops the warnings of patches that don't count if an error says all that they say.
fn drop_told_warnings(parsed: &mut Parsed<'_>) {
    let is_told = parsed
        .errors
        .iter()
        .any(|error| matches!(&error.value, Error::NoPatch(why) if why.is_hidden()));
    parsed.warnings.retain(|warning| {
        !is_told
            || !matches!(
                warning.value,
                Warning::Hidden { .. } | Warning::Undone { .. }
            )
    });
}

fn refused<'a>(span: Span, error: Error, options: &Options<'_>) -> Parsed<'a> {
    let mut nothing = Parsed::of(options.format.unwrap_or(Format::Envelope));
    nothing.errors.push(Located::new(span, error));
    nothing
}
