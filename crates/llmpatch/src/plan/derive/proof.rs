//! Tries out what was derived, and says why it doesn't do what it should.

use std::ops::Range;

use crate::kind::Kind;
use crate::patch::What;
use crate::patch::{FileEdit, Format, Operation, Patch};
use crate::path::Resolver;
use crate::plan::{self, Rules};
use crate::text::{Ending, Lines, Text};
use crate::tree::{Entry, File, MemoryTree};

/// What a file is called while edits of it are tried out.
const NAME: &str = "f";

/// Returns whether edits of one file turn one content into another, by the default rules and by the
/// strictest, and leave nothing in doubt. With a NUL they would be no text.
pub(super) fn turns(before: &File, operations: &[Operation<'_>], after: &File) -> bool {
    if has_nul(operations) {
        return false;
    }
    let edits = operations
        .iter()
        .map(|of| FileEdit::new(Text::derived(NAME.as_bytes()), of.clone(), None));
    let patch = [Patch {
        format: Format::Envelope,
        edits: edits.collect(),
    }];
    let tree = MemoryTree::new().with_entry(NAME, Entry::File(before.clone()));
    let rules = [
        Rules::default(),
        Rules {
            strict: true,
            unique: true,
            ..Rules::default()
        },
    ];
    rules.iter().all(|rules| {
        plan::plan(&patch, &tree, &Resolver::default(), rules).is_ok_and(|plan| {
            plan.warnings
                .iter()
                .all(|warning| !leaves_doubt(warning.value.kind()))
                && plan.changes.iter().all(|change| {
                    change
                        .after
                        .as_ref()
                        .is_some_and(|file| file.content == after.content)
                })
                && plan.changes.len() == 1
        })
    })
}

/// Returns whether operations that change parts of a file, or say all of it, have a NUL in one of
/// their lines.
pub(super) fn has_nul(operations: &[Operation<'_>]) -> bool {
    let is_in = |lines: &[Text<'_>]| lines.iter().any(|line| memchr::memchr(0, line).is_some());
    operations.iter().any(|operation| match operation {
        Operation::Create { lines, .. } | Operation::Replace { lines } => is_in(lines),
        Operation::Substitute(substitution) => {
            is_in(&substitution.find) || is_in(&substitution.put)
        }
        Operation::Update { hunks, .. } => hunks
            .iter()
            .flat_map(|hunk| &hunk.lines)
            .any(|line| memchr::memchr(0, &line.text).is_some()),
        _ => false,
    })
}

/// Returns why a text file's change can't be written as lines.
pub(super) fn reason(old: &Lines<'_>, new: &Lines<'_>) -> What {
    let has_end = |lines: &Lines<'_>| lines.is_empty() || lines.bytes().ends_with(b"\n");
    let same_text = old
        .iter()
        .map(|line| line.text)
        .eq(new.iter().map(|line| line.text));
    match (has_end(old), has_end(new)) {
        (true, false) => What::NoFinalNewline,
        (false, true) if same_text => What::FinalNewline,
        _ if same_text
            || [old, new]
                .iter()
                .any(|side| side.iter().any(|line| line.ending == Ending::CrLf)) =>
        {
            What::LineEnds
        }
        (_, false) => What::NoFinalNewline,
        _ => What::Misread,
    }
}

/// Returns the texts of lines.
pub(super) fn texts<'c>(lines: &Lines<'c>, range: Range<usize>) -> Vec<Text<'c>> {
    range.map(|line| Text::derived(lines.text(line))).collect()
}

/// Returns the texts of all lines of a new file; a byte order mark is a part of the first, since
/// nothing else puts it there.
pub(super) fn whole_file(content: &[u8]) -> Vec<Text<'_>> {
    let lines = Lines::new(content);
    let mut texts = texts(&lines, 0..lines.len());
    if let Some(first) = texts.first_mut() {
        *first = Text::derived(&content[..lines.bom().len() + first.len()]);
    }
    texts
}

/// Returns whether a warning of this kind says that something was guessed or done beside what was
/// asked for. Others speak of what the new text looks like, which is none of our making.
pub fn leaves_doubt(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::LocatorRelaxed
            | Kind::OutsideContext
            | Kind::AlreadyThere
            | Kind::Restated
            | Kind::BlankDropped
            | Kind::Duplicates
            | Kind::AdditionPlace
            | Kind::NoChange
            | Kind::PartialDeleteBody
            | Kind::BlankEdges
            | Kind::InsideWord
            | Kind::InsideIndentation
            | Kind::Overlap
    )
}
