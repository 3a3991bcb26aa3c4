//! Edits of a response that change the same lines: the earlier edit took away what a later edit
//! needs.
//!
//! An edit finds its file as the edits before it leave it. Where its lines aren't there, they are
//! looked for in what those edits put there and in the file before the response, and followed through
//! the placements of the edits in between: the first that changes them is the one that took them.

use std::ops::Range;

use bstr::ByteSlice as _;

use super::place_error::Part;
use super::placement::Placement;
use super::planner::Planner;
use crate::patch::{Hunk, Mark, Operation, Substitution};
use crate::path::RepoPath;
use crate::text::{Span, Text};
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
    /// edit that changed its lines, if there is one. `needed` is one of these lines, and `found` says
    /// which lines of a file the edit would take the place of.
    pub(super) fn conflict(
        &self,
        path: &RepoPath,
        part: Part,
        now: &Content,
        needed: &[u8],
        found: impl Fn(&Content) -> Option<Range<usize>>,
    ) -> Option<Conflict> {
        let found = |content: &Content| {
            // One line is found far faster than a place.
            let may_look = self.effort.spend(content.len() / 16);
            let is_there = may_look && content.contains_str(needed);
            let is_worth_it = is_there && self.effort.spend(content.len());
            is_worth_it.then(|| found(content)).flatten()
        };
        let edits = self.overlay.changed_by(path, now);
        if edits.is_empty() || found(now).is_some() {
            return None;
        }
        let original = self.overlay.in_tree(path);
        let original = original.or_else(|| self.overlay.before(path));
        let range = original.as_ref().and_then(&found);
        // The edits in between are no more than the response.
        if !self.effort.spend(2 * self.brought) {
            return None;
        }
        let mut later = (1..edits.len()).rev();
        let of_later = later.find_map(|number| {
            let mut made = self.made_by(edits[number - 1]).into_iter();
            let lines = made.find_map(|(start, content)| {
                let lines = found(&content)?;
                Some(start + lines.start..start + lines.end)
            })?;
            self.first_change(&edits[number..], lines)
        });
        let (nth, by) = of_later.or_else(|| self.first_change(edits, range.clone()?))?;
        let origin = self.overlay.origin(path).unwrap_or(path);
        let found = original.zip(range.filter(|range| !range.is_empty()));
        let found = found.map(|(original, range)| (origin.clone(), original, range));
        Some(Conflict {
            path: path.clone(),
            part,
            nth,
            by,
            found,
            is_same: false,
        })
    }

    /// Follows lines of a file through edits that changed it, to the first edit that changes one of
    /// them. Returns which line that is, from 0, and the line of the edit.
    fn first_change(
        &self,
        edits: &[usize],
        mut lines: Range<usize>,
    ) -> Option<(usize, Option<Span>)> {
        for number in edits {
            let edit = self.edits[*number].edit;
            if !matches!(
                edit.operation,
                Operation::Update { .. } | Operation::Substitute(_)
            ) {
                return Some((0, edit.span));
            }
            let changes = self.changes_of(*number);
            if let Some(change) = changes.iter().find(|change| change.is_among(&lines)) {
                return Some((change.at - lines.start, change.by));
            }
            let before = || changes.iter().filter(|change| change.at <= lines.start);
            let added = before().filter(|change| change.is_added).count();
            let removed = before().count() - added;
            let start = (lines.start + added).saturating_sub(removed);
            lines = start..start + lines.len();
        }
        None
    }

    /// Returns the lines that an edit takes from its file and puts into it.
    fn changes_of(&self, edit: usize) -> Vec<LineChange> {
        let changes = self.placed_by(edit).flat_map(|place| {
            let old = place.old.range();
            match (self.hunk(place), &self.edits[edit].edit.operation) {
                (Some(hunk), _) => LineChange::of(hunk, old.start),
                (None, Operation::Substitute(edit)) => LineChange::of_text(edit, place),
                _ => Vec::new(),
            }
        });
        changes.collect()
    }

    /// Returns the lines that are in a file by an edit, each run with the line of the file at which
    /// it begins, from 0.
    fn made_by(&self, edit: usize) -> Vec<(usize, Content)> {
        let all = |lines: &[Text<'_>]| content(lines.iter().map(|line| &line[..]));
        match &self.edits[edit].edit.operation {
            Operation::Create { lines, .. } | Operation::Replace { lines } => vec![(0, all(lines))],
            operation => {
                let made = self.placed_by(edit).filter_map(|place| {
                    let lines = match (self.hunk(place), operation) {
                        (Some(hunk), _) => content(hunk.new_lines().map(|line| &line.text[..])),
                        (None, Operation::Substitute(edit)) => all(&edit.put),
                        _ => return None,
                    };
                    Some((place.new.range().start, lines))
                });
                made.collect()
            }
        }
    }

    /// Returns where the parts of an edit were placed.
    fn placed_by(&self, edit: usize) -> impl Iterator<Item = &Placement> {
        let first = self.placements.partition_point(|place| place.edit < edit);
        let placed = self.placements[first..].iter();
        placed.take_while(move |place| place.edit == edit)
    }

    /// Returns the hunk that was placed, if it was one.
    fn hunk(&self, place: &Placement) -> Option<&Hunk<'_>> {
        match &self.edits[place.edit].edit.operation {
            Operation::Update { hunks, .. } => hunks.get(place.number.checked_sub(1)?),
            _ => None,
        }
    }
}

/// Makes a content of lines.
fn content<'l>(lines: impl Iterator<Item = &'l [u8]>) -> Content {
    let lines: Vec<_> = lines.flat_map(|line| [line, b"\n"]).collect();
    lines.concat().into()
}

/// A line that an edit takes from a file or puts into it.
pub(super) struct LineChange {
    /// The line of the file as the edit finds it, from 0: the one that goes, or the one before which
    /// the new line comes.
    pub(super) at: usize,
    is_added: bool,
    /// What asks for it.
    pub(super) by: Option<Span>,
}

impl LineChange {
    /// Returns what a hunk does whose first old line is line `start` of the file.
    pub(super) fn of(hunk: &Hunk<'_>, start: usize) -> Vec<Self> {
        let mut at = start;
        let changes = hunk.lines.iter().filter_map(|line| {
            let is_added = line.mark == Mark::Added;
            let change = LineChange {
                at,
                is_added,
                by: line.text.span,
            };
            at += usize::from(!is_added);
            (line.mark != Mark::Context).then_some(change)
        });
        changes.collect()
    }

    /// Returns what the text does that was put in the place of another. Lines that both begin or end
    /// with stay.
    fn of_text(edit: &Substitution<'_>, place: &Placement) -> Vec<Self> {
        let (old, new) = (place.old.range(), place.new.count);
        let (mut find, mut put) = (&edit.find[..], &edit.put[..]);
        // What ends with a line break has an empty line behind it.
        if let ([lines @ .., last], [others @ .., end]) = (find, put)
            && last.is_empty()
            && end.is_empty()
        {
            (find, put) = (lines, others);
        }
        let (mut head, mut tail) = (0, 0);
        if find.len() == old.len() && put.len() == new {
            let pairs = || find.iter().zip(put);
            head = pairs().take_while(|(old, new)| old[..] == new[..]).count();
            let rest = find[head..].iter().rev().zip(put[head..].iter().rev());
            tail = rest.take_while(|(old, new)| old[..] == new[..]).count();
        }
        let span = |line: Option<&Text<'_>>| line.and_then(|line| line.span).or(place.span);
        let removed = (head..old.len() - tail).map(|line| LineChange {
            at: old.start + line,
            is_added: false,
            by: span(find.get(line)),
        });
        let added = (head..new - tail).map(|line| LineChange {
            at: old.end - tail,
            is_added: true,
            by: span(put.get(line)),
        });
        removed.chain(added).collect()
    }

    /// Returns whether it changes one of these lines, or puts something between them.
    pub(super) fn is_among(&self, lines: &Range<usize>) -> bool {
        if self.is_added {
            lines.start < self.at && self.at < lines.end
        } else {
            lines.contains(&self.at)
        }
    }
}
