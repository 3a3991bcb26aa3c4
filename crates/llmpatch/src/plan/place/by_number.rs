//! The policy of unified diffs: a hunk is where its number says, or else where its lines are.
//!
//! The number in a hunk's header is where to look first; it refers to the file as it was before the
//! section, so a hunk may be before an earlier hunk, if only they don't overlap. Where its old
//! lines aren't there, the only place behind the hunk before it is taken, with a warning, or of
//! several the only one in the block of the heading behind the number; else none or several are an
//! error. So is a number that contradicts the heading behind it. `unnumbered` has
//! the hunks without a number, and `by_level` the hunks that only a level finds.
//!
//! Where the contract is silent:
//! - Lines are compared without terminators, so that a diff with LF fits a file with CRLF. But a
//!   last line without newline is one on both sides or on neither.
//! - Where the old lines of a hunk with context, but none behind its changes, are both where its
//!   number says and at the end of the file, either may be meant: git takes the latter.
//! - A hunk whose old lines are in the file to the byte, terminators and byte order mark included,
//!   is taken at its word: its new lines end as they are written. In any other hunk, they end as
//!   the lines around them do, and so they do where the only old line is a last line without
//!   newline, which shows no terminator.
//! - Old lines that are all blank say nothing, as no old lines do: where others are like them, the
//!   number alone decides, with a warning.
//! - A heading is a line of the file whatever whitespace is around it; of long headings, which git
//!   cuts, the start is compared.
//! - A file that is only a byte order mark has one line to git, without newline, and none to us.
//!   What removes that line is taken at its word.
//! - In a hunk without old lines, lines end as they are written if any line of the section is
//!   written with CR, and else as the lines around them.
//! - A place that a right number names is the only place for `--unique`, too. `--strict` refuses
//!   what would be moved, and hunks that go by their number alone.
//! - Lines added behind a last line without newline give it one, with a warning.

use std::cell::OnceCell;
use std::collections::HashSet;
use std::ops::Range;

use super::super::place_error::{After, Ambiguity, Earlier, PlaceError, Places};
use super::super::splice::Last;
use super::super::warning::Placing;
use super::candidates::Taken;
use super::headings::Headings;
use super::hunk_place::{HunkPlace, has_cr, text, without_mark};
use super::hunk_search::HunkSearch;
use super::placed::{PlacedHunk, made};
use super::{Outcome, Policy, Task, first_old, no_place};
use crate::patch::{Hunk, HunkLine, Mark};
use crate::plan::Rules;
use crate::search::{Document, Fuzz, Run};
use crate::text::{Ending, LineNo, Lines, Located};

/// The place at the number, or else the only place behind the hunk before.
pub(super) const POLICY: Policy = Policy {
    place,
    is_numbered: true,
    text,
};

/// The same, without the levels.
pub(super) const EXACT: Policy = Policy {
    place: |task, hunks, lost| {
        let fuzz = Fuzz::Exact;
        let rules = &Rules {
            fuzz,
            ..task.rules.clone()
        };
        place(Task { rules, ..task }, hunks, lost)
    },
    ..POLICY
};

fn place(task: Task<'_>, hunks: &[Hunk<'_>], lost: &mut HashSet<Vec<u8>>) -> Outcome {
    if !hunks.iter().any(|hunk| hunk.breaks_off) {
        return place_all(task, hunks, lost);
    }
    let hunks: Vec<_> = hunks.iter().map(|hunk| ended(hunk, task.file)).collect();
    place_all(task, &hunks, lost)
}

/// Returns a hunk that ends as the file does, if it is at the file's end and breaks off before it says
/// how that is.
fn ended<'h>(hunk: &Hunk<'h>, file: &Document) -> Hunk<'h> {
    let mut hunk = hunk.clone();
    let position = hunk.position.as_ref();
    let end = position.map_or(0, |position| {
        position.old_start.saturating_add(position.old_lines)
    });
    let last_line = file.line_count().checked_sub(1);
    let is_at_end = end as usize == file.line_count() + 1;
    let is_open = last_line.is_some_and(|last| file.ending(last) == Ending::None);
    if hunk.breaks_off && is_at_end && is_open {
        let last_old = hunk.lines.iter().rposition(|line| line.mark != Mark::Added);
        let last = hunk.lines.len().checked_sub(1);
        for index in last_old.into_iter().chain(last) {
            hunk.lines[index].unterminated = true;
        }
    }
    hunk
}

fn place_all(task: Task<'_>, hunks: &[Hunk<'_>], lost: &mut HashSet<Vec<u8>>) -> Outcome {
    let shows_cr = hunks.iter().flat_map(|hunk| &hunk.lines).any(has_cr);
    let mut placer = NumberPlacer {
        task,
        search: HunkSearch::new(task, hunks, POLICY.text),
        hunks,
        headings: OnceCell::new(),
        growth: OnceCell::new(),
        cursor: 0,
        core_end: 0,
        taken: Taken::default(),
        cores: Taken::default(),
        changed: Taken::default(),
    };
    let mut found = Vec::new();
    let outcome = POLICY.each(task, hunks, lost, |number, hunk| {
        let placed = placer.place(hunk)?;
        let ways = [placed.how.clone()].into_iter().chain(placed.more.clone());
        let ways = ways.collect();
        found.push((number, hunk, placed));
        Ok(ways)
    });
    // Stable: of hunks at one place insertions come first, and the others are in the order in which
    // the later one shares the earlier one's context.
    found.sort_by_key(|(.., found)| (found.range.start, !found.range.is_empty()));
    let mut is_top = true;
    let mut placed: Vec<_> = found
        .into_iter()
        .map(|(number, hunk, found)| {
            let placed = placer.fitted(number, hunk, found, shows_cr, is_top);
            is_top &= placed.is_idle();
            placed
        })
        .collect();
    leave_shared(&mut placed);
    made(task, hunks, &placed, Last::AsItIs, outcome)
}

/// Gives context that two hunks have to the later one; the hunks are in the file's order.
fn leave_shared(placed: &mut [PlacedHunk<'_>]) {
    for at in 1..placed.len() {
        let start = placed[at].range.start;
        placed[at - 1].leave(start);
    }
}

/// Returns what a new file holds: its lines as they are written.
pub(in crate::plan) fn whole(hunks: &[Hunk<'_>]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for line in hunks.iter().flat_map(Hunk::new_lines) {
        bytes.extend_from_slice(&line.text);
        bytes.extend_from_slice(if line.unterminated { b"" } else { b"\n" });
    }
    bytes
}

pub(super) struct NumberPlacer<'f> {
    pub(super) task: Task<'f>,
    pub(super) search: HunkSearch<'f>,
    pub(super) hunks: &'f [Hunk<'f>],
    pub(super) headings: OnceCell<Headings>,
    /// How many lines a number may be off because hunks add or remove lines, here and earlier in
    /// the response.
    growth: OnceCell<usize>,
    /// Behind the last line of the hunk before.
    pub(super) cursor: usize,
    /// Behind what the hunk before changes: the lines from there to the cursor are its context.
    pub(super) core_end: usize,
    /// The lines of hunks that have a place.
    pub(super) taken: Taken,
    /// The same, apart from the context behind what a hunk changes.
    pub(super) cores: Taken,
    /// The lines that the hunks change: lines without a number may be in what is only context.
    pub(super) changed: Taken,
}

impl NumberPlacer<'_> {
    /// Finds the place of a hunk, and takes it.
    fn place(&mut self, hunk: &Hunk<'_>) -> Result<HunkPlace, Located<PlaceError>> {
        let found = self.find(hunk)?;
        self.take(hunk, found.range.clone());
        Ok(found)
    }

    /// Finds the place of a hunk.
    fn find(&self, hunk: &Hunk<'_>) -> Result<HunkPlace, Located<PlaceError>> {
        let Some(position) = &hunk.position else {
            return self.unnumbered(hunk);
        };
        let claimed = position.old_start as usize;
        let mut old = hunk.old();
        match (old.next(), old.next()) {
            (None, _) => self.add(hunk, claimed),
            (Some(line), None)
                if line.unterminated
                    && *line.text == *Lines::BOM
                    && self.task.file.slice(0..self.task.file.len()) == Lines::BOM =>
            {
                Ok(HunkPlace::exact(0..0))
            }
            _ => self.seek(hunk, claimed.saturating_sub(1)),
        }
    }

    /// Finds the place of old lines.
    fn seek(&self, hunk: &Hunk<'_>, claimed: usize) -> Result<HunkPlace, Located<PlaceError>> {
        let run = self.search.run(hunk);
        let allowed = self.allowed(hunk, run.len());
        if self.fits(&run, claimed, &allowed) {
            return self.numbered(hunk, claimed, &run, &allowed);
        }
        if self.shares(&run, claimed, &allowed) {
            return Ok(self.shared(hunk, claimed, &run));
        }
        if let Some(found) = self.marked(hunk, claimed, &allowed) {
            return Ok(found);
        }
        let behind = allowed.start.max(self.cursor)..allowed.end;
        let places = self.taken.candidates(&run, behind);
        let found = match places.only() {
            Ok(Some(at)) if !self.task.rules.strict => {
                Some(self.moved(hunk, claimed, at..at + run.len()))
            }
            Ok(Some(_)) => None,
            Ok(None) => match run.at_or_after(self.core_end) {
                Some(at) if self.shares(&run, at, &allowed) => Some(self.shared(hunk, at, &run)),
                _ => self.at_a_level(hunk, Some(claimed), self.cursor)?,
            },
            Err(places) => match self.below_heading(hunk, &places) {
                Some(at) if !self.task.rules.strict && !self.task.rules.unique => {
                    let chosen = LineNo::from_index(at);
                    let others = Placing::duplicates(self.task.file, chosen, places.others(chosen));
                    Some(HunkPlace {
                        more: Some(Located::new(hunk.span, others)),
                        ..self.moved(hunk, claimed, at..at + run.len())
                    })
                }
                _ => return Err(no_place(hunk, Ambiguity::Moved(places))),
            },
        };
        found.ok_or_else(|| self.place_error(hunk, &run, claimed))
    }

    /// Returns whether a line is a place of old lines that may begin there, and is free.
    pub(super) fn fits(&self, run: &Run<'_>, at: usize, allowed: &Range<usize>) -> bool {
        run.contains(at) && allowed.contains(&at) && self.taken.is_free(at..at + run.len())
    }

    /// Places a hunk whose old lines are elsewhere than its number says.
    fn moved(&self, hunk: &Hunk<'_>, claimed: usize, range: Range<usize>) -> HunkPlace {
        let how = Placing::Moved {
            claimed: LineNo::from_index(claimed),
            at: LineNo::from_index(range.start),
            is_far: range.start.abs_diff(claimed) > self.growth(),
        };
        HunkPlace::new(range, hunk.span, how)
    }

    /// Returns whether old lines may begin at a line in the context of the hunk before, and end there or
    /// behind it in lines that no other hunk has.
    pub(super) fn shares(&self, run: &Run<'_>, at: usize, allowed: &Range<usize>) -> bool {
        let is_context = (self.core_end..self.cursor).contains(&at) && !self.task.rules.strict;
        let end = at + run.len();
        let is_free = || {
            self.cores.is_free(at..end)
                && (end <= self.cursor || self.taken.is_free(self.cursor..end))
        };
        is_context && run.contains(at) && allowed.contains(&at) && is_free()
    }

    /// Places a hunk that begins in the context of the hunk before.
    pub(super) fn shared(&self, hunk: &Hunk<'_>, at: usize, run: &Run<'_>) -> HunkPlace {
        let how = Placing::Shared(LineNo::from_index(at));
        HunkPlace::new(at..at + run.len(), hunk.span, how)
    }

    /// Places a hunk whose old lines are where its number says.
    fn numbered(
        &self,
        hunk: &Hunk<'_>,
        at: usize,
        run: &Run<'_>,
        allowed: &Range<usize>,
    ) -> Result<HunkPlace, Located<PlaceError>> {
        self.agree(hunk, at..at + run.len(), run, allowed)?;
        // git takes a hunk without context behind its changes for one at the end of the file. One
        // without any context has but its number.
        let end = self.task.file.line_count() - run.len();
        let is_context = |line: &HunkLine<'_>| line.mark == Mark::Context;
        let may_end = !hunk.breaks_off
            && hunk.lines.iter().any(is_context)
            && !hunk.lines.last().is_some_and(is_context);
        if may_end && end != at && self.fits(run, end, allowed) {
            let [numbered, end] = [at, end].map(LineNo::from_index);
            return Err(no_place(hunk, Ambiguity::End { numbered, end }));
        }
        let shifted = || self.told_shifted(at, |other| self.fits(run, other, allowed));
        let more = self.by_number_alone(hunk, at, run)?.or_else(shifted);
        Ok(HunkPlace {
            more: more.map(|how| Located::new(hunk.span, how)),
            ..HunkPlace::exact(at..at + run.len())
        })
    }

    /// Finds old lines at the top of the file of which the first begins with a byte order mark.
    fn marked(&self, hunk: &Hunk<'_>, claimed: usize, allowed: &Range<usize>) -> Option<HunkPlace> {
        let first = hunk.old().next().and_then(without_mark)?;
        let lines = std::iter::once(first).chain(hunk.old().skip(1).map(text));
        let run = self.task.file.run(lines);
        (claimed == 0 && self.fits(&run, 0, allowed)).then(|| HunkPlace {
            is_marked: true,
            ..HunkPlace::exact(0..run.len())
        })
    }

    /// Warns of, or under `strict` refuses, blank old lines that are elsewhere, too: nothing but the
    /// number says where they are.
    fn by_number_alone(
        &self,
        hunk: &Hunk<'_>,
        claimed: usize,
        run: &Run<'_>,
    ) -> Result<Option<Placing>, Located<PlaceError>> {
        if run.count() == 1 || !hunk.is_blank() || hunk.is_anchor() {
            return Ok(None);
        }
        if self.task.rules.strict {
            return Err(no_place(hunk, Ambiguity::Blank(Places::from(run, 0))));
        }
        let chosen = LineNo::from_index(claimed);
        let others = Places::other(run, chosen);
        Ok(Some(Placing::duplicates(self.task.file, chosen, others)))
    }

    /// Returns the warning that another line of the file had a number before the response, if that
    /// line `fits`, too: whoever writes several diffs of a file may count in the file that he has
    /// seen.
    pub(super) fn told_shifted(
        &self,
        line: usize,
        fits: impl FnOnce(usize) -> bool,
    ) -> Option<Placing> {
        let file = self.task.file;
        if file.is_untouched() {
            return None;
        }
        let now = file.line(file.start_of_base(line)?);
        (now != line && fits(now)).then(|| Placing::Shifted {
            at: LineNo::from_index(line),
            other: LineNo::from_index(now),
        })
    }

    fn growth(&self) -> usize {
        let here = || {
            self.hunks
                .iter()
                .map(|hunk| hunk.old().count().abs_diff(hunk.new_lines().count()))
                .sum::<usize>()
        };
        *self.growth.get_or_init(|| here() + self.task.file.growth())
    }

    /// Returns whether the file ends without a newline.
    pub(super) fn is_open(&self) -> bool {
        let lines = self.task.file.line_count();
        lines > 0 && self.task.file.ending(lines - 1) == Ending::None
    }

    /// Returns where a hunk may start for the sake of the newline at the end of the file, which
    /// both sides must agree on.
    pub(super) fn allowed(&self, hunk: &Hunk<'_>, count: usize) -> Range<usize> {
        let Some(last) = self.task.file.line_count().checked_sub(count) else {
            return 0..0;
        };
        let is_open = self.is_open();
        let old_is_open = hunk.old().next_back().is_some_and(|line| line.unterminated);
        let new_is_open = hunk
            .new_lines()
            .next_back()
            .is_some_and(|line| line.unterminated);
        match (old_is_open, is_open) {
            (true, false) => 0..0,
            (true, true) => last..last + 1,
            (false, true) if new_is_open => 0..0,
            (false, true) => 0..last,
            (false, false) if new_is_open => last..last + 1,
            (false, false) => 0..last + 1,
        }
    }

    /// Returns why the old lines of a hunk have no place, and points at the line that shows it
    /// best.
    pub(super) fn place_error(
        &self,
        hunk: &Hunk<'_>,
        run: &Run<'_>,
        claimed: usize,
    ) -> Located<PlaceError> {
        let found = run.at_or_after(self.cursor).or_else(|| run.first());
        let Some(at) = found.filter(|_| self.task.file.line_count() > 0) else {
            return self.search.not_found(hunk, self.cursor);
        };
        let after = After(self.cursor.checked_sub(1).map(LineNo::from_index));
        let count = hunk.old().count();
        if !self.allowed(hunk, count).contains(&at) {
            let last = LineNo::from_index(at + count - 1);
            let shown = hunk.old().next_back();
            let error = if self.is_open() {
                let lasts = [shown, hunk.lines.last()];
                let marks = lasts.map(|line| line.map(|line| line.mark));
                let is_followed = marks == [Some(Mark::Context), Some(Mark::Added)];
                PlaceError::NoNewline {
                    after,
                    last,
                    is_followed,
                }
            } else if shown.is_some_and(|line| line.unterminated) {
                PlaceError::Newline { after, last }
            } else {
                let at = LineNo::from_index(at);
                let mark = "\\ No newline at end of file";
                let span = hunk.new_lines().next_back().and_then(|line| line.text.span);
                return Located::new(span, PlaceError::NotAtEnd { at, mark });
            };
            let span = shown.and_then(|line| line.text.span);
            return Located::new(span.or(first_old(hunk)), error);
        }
        let is_free = self.taken.is_free(at..at + count);
        let is_behind = at >= self.cursor;
        let at = LineNo::from_index(at);
        let error = if is_free && self.task.rules.strict && is_behind {
            PlaceError::Unnumbered {
                after,
                at,
                claimed: LineNo::from_index(claimed),
            }
        } else {
            let than = if is_free {
                Earlier::Previous
            } else {
                Earlier::Taken
            };
            PlaceError::Earlier { after, at, than }
        };
        no_place(hunk, error)
    }
}
