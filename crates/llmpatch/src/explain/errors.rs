//! All that planning found wrong with responses, told together: a file is searched once for all
//! that it doesn't have, and hunks that are applied already are one error.

use super::nearest::SearchedFiles;
use super::place::explained;
use crate::patch::Patch;
use crate::plan::{Error, Unplaced, count_hunks};
use crate::report::{Diagnose as _, Diagnostic};
use crate::search::Effort;
use crate::text::{Located, Source};

/// Tells errors of a plan of these patches, each problem once.
pub fn errors(
    found: &[&Located<Error>],
    patches: &[Patch<'_>],
    sources: &[Source],
) -> Vec<Diagnostic> {
    let effort = Effort::default();
    let files = SearchedFiles::new(found.iter().filter_map(|of| unplaced(&of.value)), &effort);
    let told = found.iter().map(|Located { value, span }| {
        let of = match unplaced(value) {
            Some(unplaced) => explained(unplaced, &files),
            None => value.diagnostic(),
        };
        of.located_at(value, *span, sources)
    });
    let hunks = count_hunks(patches.iter().flat_map(|patch| &patch.edits));
    Diagnostic::first_of(joined(told.collect(), hunks))
}

fn unplaced(error: &Error) -> Option<&Unplaced> {
    match error {
        Error::Place(unplaced) => Some(unplaced),
        _ => None,
    }
}

/// Makes one error of all that say that a hunk is applied already, of so many hunks.
fn joined(mut told: Vec<Diagnostic>, hunks: usize) -> Vec<Diagnostic> {
    let Some(first) = told.iter().position(|of| of.is_made) else {
        return told;
    };
    let (others, rest): (Vec<_>, Vec<_>) = told
        .split_off(first + 1)
        .into_iter()
        .partition(|of| of.is_made);
    if let Some(first) = told.last_mut() {
        let count = 1 + others.len();
        first
            .also
            .extend(others.into_iter().filter_map(|of| of.response));
        let note = format!("already applied: {count} of {hunks} hunks");
        first.notes.extend((hunks > 1).then_some(note));
    }
    told.extend(rest);
    told
}
