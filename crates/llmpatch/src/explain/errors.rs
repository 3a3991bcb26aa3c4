//! All that planning found wrong with responses, told together: a file is searched once for all
//! that it doesn't have, and hunks that are applied already are one error.

use super::place::{SearchedStates, explained};
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
    let mut told = Vec::new();
    for of_file in found.chunk_by(|one, other| is_of_same_file(&one.value, &other.value)) {
        let misses: Vec<_> = of_file
            .iter()
            .filter_map(|error| unplaced(&error.value))
            .collect();
        let files = SearchedStates::new(&misses, &effort);
        for error in of_file {
            let of = match (unplaced(&error.value), &files) {
                (Some(unplaced), Some(files)) => explained(unplaced, files),
                _ => error.value.diagnostic(),
            };
            told.push(of.located_at(&error.value, error.span, sources));
        }
    }
    let hunks = count_hunks(patches.iter().flat_map(|patch| &patch.edits));
    Diagnostic::first_of(joined(told, hunks))
}

fn unplaced(error: &Error) -> Option<&Unplaced> {
    match error {
        Error::Place(unplaced) => Some(unplaced),
        _ => None,
    }
}

/// Returns whether two errors are about the same file in the same states.
fn is_of_same_file(one: &Error, other: &Error) -> bool {
    let (Some(one), Some(other)) = (unplaced(one), unplaced(other)) else {
        return false;
    };
    let is_same_before = match (&one.before, &other.before) {
        (Some((_, one)), Some((_, other))) => one.is(other),
        (one, other) => one.is_none() && other.is_none(),
    };
    one.path == other.path && one.seen.content.is(&other.seen.content) && is_same_before
}

/// Makes one error of all that say that a hunk is applied already, of so many hunks.
fn joined(told: Vec<Diagnostic>, hunks: usize) -> Vec<Diagnostic> {
    let is_applied = |of: &Diagnostic| of.is_made && !of.is_left();
    let Some(first) = told.iter().position(is_applied) else {
        return told;
    };
    let is_other = |(nth, of): &(usize, Diagnostic)| *nth != first && is_applied(of);
    let (others, mut all): (Vec<_>, Vec<_>) = told.into_iter().enumerate().partition(is_other);
    let count = 1 + others.len();
    let (_, of) = &mut all[first];
    of.also
        .extend(others.into_iter().filter_map(|(_, other)| other.response));
    of.notes
        .extend((hunks > 1).then(|| format!("already applied: {count} of {hunks} hunks")));
    all.into_iter().map(|(_, of)| of).collect()
}
