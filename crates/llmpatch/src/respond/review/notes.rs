//! Which suggestions the notes of edits are about: those whose lines the edits made.

use std::ops::Range;

use bstr::BString;

use crate::patch::{Hunk, Patch, Position};
use crate::path::{RepoPath, Resolver};
use crate::plan::{Placement, resolved};

/// A note of an edit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineNote {
    /// The file.
    pub path: RepoPath,
    /// The lines that the edit made, as all edits have left the file, from 0; none if it made all of
    /// the file.
    pub lines: Vec<Range<usize>>,
    /// The note.
    pub text: BString,
}

/// Collects the notes of edits that were planned, in order.
pub fn line_notes(
    patches: &[Patch<'_>],
    placements: &[Placement],
    resolver: &Resolver,
) -> Vec<LineNote> {
    let mut notes = Vec::new();
    for (number, edit) in resolved(patches, resolver).into_iter().enumerate() {
        let (Some(why), Ok(path)) = (&edit.edit.why, edit.path) else {
            continue;
        };
        let own = placements.iter().filter(|place| place.edit == number);
        let later: Vec<_> = placements
            .iter()
            .filter(|place| place.edit > number && place.path == path)
            .collect();
        notes.push(LineNote {
            path,
            lines: own.map(|place| left(place.new.range(), &later)).collect(),
            text: why[..].into(),
        });
    }
    notes
}

/// Returns where lines are once later edits are made.
fn left(lines: Range<usize>, later: &[&Placement]) -> Range<usize> {
    let by_edit = later.chunk_by(|one, next| one.edit == next.edit);
    by_edit.fold(lines, |lines, hunks| {
        moved(lines.start, hunks).start..moved(lines.end, hunks).end
    })
}

/// Returns where an edit puts the place before a line: all that it makes there, if the place is inside
/// of what it replaces.
fn moved(at: usize, hunks: &[&Placement]) -> Range<usize> {
    let mut to = at;
    for hunk in hunks {
        let (old, new) = (hunk.old.range(), hunk.new.range());
        if old.start < at && at < old.end {
            return new;
        }
        if old.end <= at {
            to = (to + new.len()).saturating_sub(old.len());
        }
    }
    to..to
}

/// Returns the notes of each suggestion, of which the file and the hunk are given. A note whose lines
/// no suggestion has is about a hunk that can't be suggested; one without lines is the first's.
pub(super) fn by_suggestion<'n>(
    notes: &'n [LineNote],
    suggested: &[(&RepoPath, Hunk<'_>)],
) -> Vec<Vec<&'n [u8]>> {
    let mut of_each = vec![Vec::new(); suggested.len()];
    for note in notes {
        let own = |(path, _): &(&RepoPath, Hunk<'_>)| **path == note.path;
        let is_about = |hunk: &Hunk<'_>, least: usize| {
            let made = made(hunk);
            let overlap = |lines: &Range<usize>| {
                lines.start.max(made.start) + least <= lines.end.min(made.end)
            };
            note.lines.iter().any(overlap)
        };
        let of_file = suggested.iter().enumerate().filter(|(_, one)| own(one));
        let about = |least| {
            let about = of_file
                .clone()
                .filter(move |(_, (_, hunk))| is_about(hunk, least));
            about.map(|(at, _)| at).collect::<Vec<_>>()
        };
        let all = if note.lines.is_empty() {
            of_file.clone().map(|(at, _)| at).take(1).collect()
        } else {
            // Where lines only go, nothing is left to overlap.
            Some(about(1))
                .filter(|all| !all.is_empty())
                .unwrap_or_else(|| about(0))
        };
        for at in all {
            if !of_each[at].contains(&&note.text[..]) {
                of_each[at].push(&note.text[..]);
            }
        }
    }
    of_each
}

fn made(hunk: &Hunk<'_>) -> Range<usize> {
    hunk.position.as_ref().map_or(0..0, Position::now)
}
