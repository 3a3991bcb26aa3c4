//! Finds what a response says twice: whole patches, which count once, and single edits, which count
//! as often as they are there.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use bstr::ByteSlice as _;

use super::session::Session;
use super::{AnswerItem, Block, Parsed, ResponsePart, Warning};
use crate::format::unified;
use crate::patch::{FileEdit, Format, Operation};
use crate::text::{Located, Source, Span, starts_with_any_case};

/// What makes two patches the same: their lines, their first file, the call that they are in where
/// it counts by itself, and whether they can be applied at all.
type PatchKey<'f> = (Vec<u8>, Option<&'f [u8]>, Option<usize>, bool);

/// Returns of each thing that was found whether it is a part of a patch that repeats an earlier
/// one, and tells of these patches.
pub(super) fn patches(
    source: &Source,
    session: &Session,
    found: &[AnswerItem<'_>],
    parsed: &mut Parsed<'_>,
) -> Vec<bool> {
    let mut is_repeated = vec![false; found.len()];
    if wholes(source, found).nth(1).is_none() {
        return is_repeated;
    }
    let mut met: HashMap<PatchKey<'_>, Span> = HashMap::new();
    let mut end = 0;
    for (indices, first, text) in wholes(source, found) {
        let between = source
            .bytes()
            .get(end..first.range.start)
            .unwrap_or_default();
        end = first.range.start + text.len();
        // Each patch of a series is one of its own: a commit may make again what one between took
        // back.
        if between.lines().any(unified::names_commit) {
            continue;
        }
        let lines = text.replace("\r\n", "\n");
        // Of blocks, the text doesn't always say which file they are about.
        let file = first.edits.first().map(|edit| &edit.path[..]);
        let lines = lines.trim_end_with(|c| c == '\n').to_vec();
        let call = first.call.filter(|call| session.is_own(*call));
        // A patch that was meant otherwise, such as in reverse, is no repetition.
        let is_refused = !first.errors.is_empty();
        match met.entry((lines, file, call, is_refused)) {
            Entry::Vacant(free) => {
                free.insert(first.start(source));
            }
            Entry::Occupied(earlier) => {
                is_repeated[indices].fill(true);
                let (format, span) = (first.format, first.start(source));
                let line = source.line_at(earlier.get().start as usize);
                let warning = Warning::RepeatedPatch {
                    format,
                    first: line,
                };
                let part = ResponsePart::unread(format, Some(span), "answer", warning.to_string());
                parsed.parts.push(part);
                parsed.warnings.push(Located::new(span, warning));
            }
        }
    }
    is_repeated
}

/// Returns the whole patches: where they are among what was found, their first block, and their
/// text.
fn wholes<'f, 'a>(
    source: &'a Source,
    found: &'f [AnswerItem<'a>],
) -> impl Iterator<Item = (std::ops::Range<usize>, &'f Block<'a>, &'a [u8])> {
    let block = |index: usize| found.get(index).and_then(AnswerItem::block);
    let mut next = 0;
    std::iter::from_fn(move || {
        let start = (next..found.len()).find(|&index| block(index).is_some())?;
        let first = block(start)?;
        let mut last = first;
        next = start + 1;
        while let Some(following) = block(next).filter(|following| goes_on(source, last, following))
        {
            last = following;
            next += 1;
        }
        Some((
            start..next,
            first,
            &source.bytes()[first.range.start..last.range.end],
        ))
    })
}

/// Returns whether a block continues the whole patch that the block before it is in.
fn goes_on(source: &Source, before: &Block<'_>, block: &Block<'_>) -> bool {
    let bytes = source.bytes();
    let between = bytes.get(before.range.end..block.range.start);
    let between = between.unwrap_or_default();
    before.format == block.format
        && block.format != Format::Envelope
        && ![before, block]
            .iter()
            .any(|block| starts_with_any_case(&bytes[block.range.start..], b"<opx"))
        && match block.format {
            Format::Blocks => super::paths::are_between(between),
            _ => between.trim_ascii().is_empty(),
        }
}

/// Returns what two edits are compared by: all but their notes and places.
pub(super) fn without_note<'e, 'a>(edit: &'e FileEdit<'a>) -> impl Ord + use<'e, 'a> {
    (&edit.path, &edit.root, &edit.operation, &edit.header)
}

/// Warns of the edits that repeat an earlier one, with another note perhaps.
pub(super) fn edits(source: &Source, edits: &[FileEdit<'_>], warnings: &mut Vec<Located<Warning>>) {
    let mut sorted: Vec<_> = edits
        .iter()
        .filter(|edit| edit.operation != Operation::Unreadable)
        .collect();
    // Equal edits stay in their order.
    sorted.sort_by(|one, other| without_note(one).cmp(&without_note(other)));
    for same in sorted.chunk_by(|one, other| without_note(one) == without_note(other)) {
        let mut spans = same.iter().filter_map(|edit| edit.span);
        let Some(first) = spans.next().map(|span| source.line_at(span.start as usize)) else {
            continue;
        };
        for span in spans {
            let path = same[0].path.bytes.to_vec().into();
            warnings.push(Located::new(span, Warning::RepeatedEdit { path, first }));
        }
    }
}
