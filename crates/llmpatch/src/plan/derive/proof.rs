//! Tries out what was derived, and says why it doesn't do what it should.

use std::ops::Range;

use crate::kind::Kind;
use crate::patch::What;
use crate::patch::{FileEdit, Format, Operation, Patch};
use crate::path::Resolver;
use crate::plan::{self, Plan, Rules};
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
    [false, true].into_iter().all(|strict| {
        plan::plan(&patch, &tree, &Resolver::default(), &rules(strict)).is_ok_and(|plan| {
            let contents = plan
                .changes
                .iter()
                .map(|change| Some(&change.after.as_ref()?.content));
            contents.eq([Some(&after.content)]) && !is_in_doubt(&plan)
        })
    })
}

/// Returns the rules by default, or the strictest.
pub(crate) fn rules(strict: bool) -> Rules {
    Rules {
        strict,
        unique: strict,
        ..Rules::default()
    }
}

/// Returns whether something was guessed or done beside what was asked for.
pub(crate) fn is_in_doubt(plan: &Plan) -> bool {
    let mut warnings = plan.warnings.iter();
    warnings.any(|warning| leaves_doubt(warning.value.kind()))
}

/// Returns whether lines are the same but for how they end.
pub(crate) fn same_texts(old: &Lines<'_>, new: &Lines<'_>) -> bool {
    let new = new.iter().map(|line| line.text);
    old.iter().map(|line| line.text).eq(new)
}

/// Returns whether operations that change parts of a file, or say all of it, have a NUL in one of
/// their lines.
pub(super) fn has_nul(operations: &[Operation<'_>]) -> bool {
    operations.iter().any(|operation| {
        let lines: Vec<_> = match operation {
            Operation::Create { lines, .. } | Operation::Replace { lines } => {
                lines.iter().collect()
            }
            Operation::Substitute(edit) => edit.find.iter().chain(&edit.put).collect(),
            Operation::Update { hunks, .. } => {
                let lines = hunks.iter().flat_map(|hunk| &hunk.lines);
                lines.map(|line| &line.text).collect()
            }
            _ => Vec::new(),
        };
        lines.iter().any(|line| line.contains(&0))
    })
}

/// Returns whether the last line of a file has an end.
pub(super) fn has_end(lines: &Lines<'_>) -> bool {
    lines.is_empty() || lines.bytes().ends_with(b"\n")
}

/// Returns why a text file's change can't be written as lines.
pub(super) fn reason(old: &Lines<'_>, new: &Lines<'_>) -> What {
    let same_text = same_texts(old, new);
    let has_crlf = |side: &Lines<'_>| side.iter().any(|line| line.ending == Ending::CrLf);
    match (has_end(old), has_end(new)) {
        (true, false) => What::NoFinalNewline,
        (false, true) if same_text => What::FinalNewline,
        _ if same_text || has_crlf(old) || has_crlf(new) => What::LineEnds,
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
    let lines = Lines::within(content);
    texts(&lines, 0..lines.len())
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
