//! Edits of a response that change the same lines: the earlier edit took away what a later edit
//! needs.
//!
//! An edit finds its file as the edits before it leave it. Where its lines aren't there, the states
//! in which those edits found the file are looked at, the last state first: the edit that found the
//! lines there has changed them.

use std::ops::Range;

use super::place_error::Part;
use super::planner::Planner;
use crate::patch::{HunkLine, Mark, Operation};
use crate::path::RepoPath;
use crate::text::Span;
use crate::tree::Content;

/// An edit that needs lines that an earlier edit of the same response changes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{part} of `{path}` needs lines that an earlier edit of this response changes")]
pub struct Conflict {
    /// The file.
    pub path: RepoPath,
    /// What needs the lines.
    pub part: Part,
    /// Which of the lines it is, from 0.
    pub nth: usize,
    /// The line of the earlier edit that changes it.
    pub by: Option<Span>,
    /// The file before the response: its path, its content, and the range of the needed lines in
    /// it, from 0; `None` if it doesn't have all of them.
    pub found: Option<(RepoPath, Content, Range<usize>)>,
    /// Whether both edits make the same change.
    pub is_same: bool,
}

impl Planner<'_> {
    /// Returns the conflict of an edit that has no place in a file as it is now with the earlier
    /// edit that changed its lines, if there is one. `found` says which lines of a file the edit
    /// would take the place of.
    pub(super) fn conflict(
        &self,
        path: &RepoPath,
        part: Part,
        now: &Content,
        found: impl Fn(&Content) -> Option<Range<usize>>,
    ) -> Option<Conflict> {
        let found = |content: &Content| {
            self.effort
                .spend(content.len())
                .then(|| found(content))
                .flatten()
        };
        let (last, past) = self.overlay.past(path, now);
        if past.is_empty() || found(now).is_some() {
            return None;
        }
        let mut content = last.clone();
        let mut states = past.iter().rev().map_while(|past| {
            content = past.found(&content).filter(|_| self.effort.is_left())?;
            Some((past.edit, content.clone()))
        });
        let (edit, range) = states.find_map(|(edit, content)| Some((edit, found(&content)?)))?;
        let by = self.changed_by(edit, &range);
        let nth = by.map_or(0, |(at, _)| at - range.start);
        let original = self.overlay.in_tree(path);
        let range = original.as_ref().and_then(&found);
        let origin = self.overlay.origin(path).unwrap_or(path);
        let found = original.zip(range.filter(|range| !range.is_empty()));
        let found = found.map(|(original, range)| (origin.clone(), original, range));
        let by = by.map(|(_, span)| span);
        Some(Conflict {
            path: path.clone(),
            part,
            nth,
            by,
            found,
            is_same: false,
        })
    }

    /// Returns the first of these lines that an edit changes in the file that it finds, and which
    /// line of it does.
    fn changed_by(&self, edit: usize, lines: &Range<usize>) -> Option<(usize, Span)> {
        let at = self.edits.get(edit)?.edit;
        let first = self.placements.partition_point(|place| place.edit < edit);
        let placed = self.placements[first..]
            .iter()
            .take_while(|place| place.edit == edit);
        let mut spans = placed.filter_map(|place| {
            let start = place.old.range().start;
            match &at.operation {
                Operation::Update { hunks, .. } => change_among(
                    &hunks.get(place.number.checked_sub(1)?)?.lines,
                    start,
                    lines,
                ),
                _ if start < lines.end && lines.start < start + place.old.count => {
                    Some((start.max(lines.start), place.span?))
                }
                _ => None,
            }
        });
        spans.next().or(Some((lines.start, at.span?)))
    }
}

/// Returns the first of these lines of a file that a hunk changes, or before which it puts
/// something, and its line that does; the first old line of the hunk is line `start` of the file.
pub(super) fn change_among(
    hunk: &[HunkLine<'_>],
    start: usize,
    lines: &Range<usize>,
) -> Option<(usize, Span)> {
    let mut at = start;
    hunk.iter().find_map(|line| {
        let is_among = match line.mark {
            Mark::Context => false,
            Mark::Removed => lines.contains(&at),
            Mark::Added => lines.start < at && at < lines.end,
        };
        let found = is_among.then_some((at, line.text.span?));
        at += usize::from(line.mark != Mark::Added);
        found
    })
}
