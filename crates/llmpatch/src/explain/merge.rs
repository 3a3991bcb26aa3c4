//! What is said of a file that a change can't be merged with: what the two sides of the conflict
//! are.

use bstr::ByteSlice as _;

use crate::plan::Unmerged;
use crate::report::Diagnostic;
use crate::text::Shown;

/// How many lines that are in conflict are shown.
const MARKED: usize = 40;

/// Says what the two sides of a conflict are.
pub(super) fn unmerged(of: Diagnostic, why: &Unmerged) -> Diagnostic {
    let of = of
        .help("make this change by hand, or ask the model again with the files as they are now")
        .advice(
            "the file has changed since you saw it, where you change it: write the patch for \
             what it is now",
        );
    let Unmerged::Lines(marked) = why else {
        return of;
    };
    let mut is_in = false;
    let conflicts = marked.lines().filter(|line| {
        let was_in = is_in || line.starts_with(b"<<<<<<< here");
        is_in = was_in && !line.starts_with(b">>>>>>> response");
        was_in
    });
    let lines: Vec<_> = conflicts.map(|line| format!("  {}", Shown(line))).collect();
    if lines.is_empty() {
        return of
            .note("its lines can't be merged: it is binary, or the attribute `merge` or the setting `merge.default` says so");
    }
    let more = if lines.len() > MARKED { "\n  ..." } else { "" };
    of.note(format!(
        "the two sides are:\n{}{more}",
        lines[..lines.len().min(MARKED)].join("\n")
    ))
}
