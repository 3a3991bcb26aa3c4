//! The search for the old lines of a hunk, from the cursor on.

use super::super::fuzz::FileAtLevel;
use super::super::place_error::{Ambiguity, PlaceError, Places};
use super::super::warning::Placing;
use super::context::ToldAgain;
use super::in_order::OrderPlacer;
use super::no_place;
use crate::patch::{Hunk, HunkLine, Mark};
use crate::search::Run;
use crate::text::{LineNo, Located};

/// A hunk that is to be placed.
#[derive(Clone, Copy)]
pub(super) struct SoughtRun<'h> {
    pub(super) hunk: &'h Hunk<'h>,
    /// Where its last context line is, if it has one at or after the cursor.
    pub(super) context: Option<usize>,
    /// Where its last context line is, be it before the cursor.
    pub(super) opener: Option<usize>,
    /// The last context line, if it is before the cursor.
    pub(super) again: Option<ToldAgain<'h>>,
}

/// How a run of old lines was found.
pub(super) struct RunPlace<'h> {
    pub(super) at: usize,
    /// All places of the lines, the chosen place among them.
    pub(super) run: Run<'h>,
    /// The level at which they were found; `None` if the file has them as written.
    pub(super) level: Option<&'h FileAtLevel>,
    /// The lines of the hunk, as far as they count.
    pub(super) lines: Vec<&'h HunkLine<'h>>,
}

impl<'f> OrderPlacer<'f> {
    /// Finds the old lines of a hunk: as written, then at the context line, then both without a
    /// trailing empty line; and if none of that finds any, the same at each level.
    pub(super) fn seek_lines(
        &mut self,
        wanted: SoughtRun<'f>,
    ) -> Result<RunPlace<'f>, Located<PlaceError>> {
        if let Some(found) = self.seek_at(None, wanted)? {
            return Ok(found);
        }
        if let Some(found) = self.seek_shared(wanted) {
            return Ok(found);
        }
        for level in self.search.levels().iter() {
            if let Some(found) = self.seek_at(Some(level), wanted)? {
                return Ok(found);
            }
        }
        Err(self.place_error(wanted))
    }

    fn seek_at(
        &mut self,
        level: Option<&'f FileAtLevel>,
        wanted: SoughtRun<'f>,
    ) -> Result<Option<RunPlace<'f>>, Located<PlaceError>> {
        let SoughtRun { hunk, context, .. } = wanted;
        let mut lines: Vec<_> = hunk.lines.iter().collect();
        let mut is_trimmed = false;
        loop {
            let run = match level {
                Some(level) => level.run(old(&lines)),
                None => self.task.file.run(old(&lines)),
            };
            let found = if hunk.end_of_file {
                let at = self.task.file.line_count().checked_sub(run.len());
                at.filter(|&at| at >= self.cursor && run.contains(at))
            } else if let Some(level) = level {
                self.seek_only(level, wanted, &lines, &run)?
            } else {
                self.seek_run(wanted, &run)?
            };
            if let Some(at) = found {
                let line = LineNo::from_index(at);
                let restated = (context == Some(at)).then_some(Placing::Restated(line));
                let trimmed = is_trimmed.then_some(Placing::BlankDropped(line));
                let ways = restated.into_iter().chain(trimmed);
                ways.for_each(|way| self.tell(hunk.span, way));
                return Ok(Some(RunPlace {
                    at,
                    run,
                    level,
                    lines,
                }));
            }
            if is_trimmed || !trim(&mut lines) || old(&lines).next().is_none() {
                return Ok(None);
            }
            is_trimmed = true;
        }
    }

    /// Finds old lines that begin in the context of the hunk before, and takes that context from it.
    fn seek_shared(
        &mut self,
        SoughtRun { hunk, context, .. }: SoughtRun<'f>,
    ) -> Option<RunPlace<'f>> {
        let run = self.search.run(hunk);
        let before = self.placed.last_mut()?;
        let is_next = before.range.end == self.cursor && context.is_none() && !hunk.end_of_file;
        let at = run.at_or_after(before.core_end())?;
        if self.task.rules.strict || !is_next || at >= self.cursor {
            return None;
        }
        before.leave(at);
        self.tell(hunk.span, Placing::Shared(LineNo::from_index(at)));
        Some(RunPlace {
            at,
            run,
            level: None,
            lines: hunk.lines.iter().collect(),
        })
    }

    /// Finds the only candidate for the old lines of a hunk at a level.
    fn seek_only(
        &mut self,
        level: &FileAtLevel,
        SoughtRun {
            hunk,
            context,
            again,
            ..
        }: SoughtRun<'f>,
        lines: &[&'f HunkLine<'f>],
        run: &Run<'_>,
    ) -> Result<Option<usize>, Located<PlaceError>> {
        let end = again.map_or(usize::MAX, |again| again.end);
        let at = run.at_or_after(context.unwrap_or(self.cursor));
        let Some(at) = at.filter(|at| *at < end) else {
            return Ok(None);
        };
        let lines: Vec<_> = old(lines).collect();
        let is_anywhere = context.is_none() && again.is_none();
        let within = if is_anywhere { 0 } else { at }..end;
        let places = self
            .untaken
            .first(level.level(), lines.clone(), run, within.clone());
        if places.count > 1 {
            let places = self.untaken.all(&lines, run, within);
            return Err(no_place(hunk, level.ambiguity(places)));
        }
        Ok(Some(at))
    }

    fn seek_run(
        &self,
        SoughtRun {
            hunk,
            context,
            again,
            ..
        }: SoughtRun<'_>,
        run: &Run<'_>,
    ) -> Result<Option<usize>, Located<PlaceError>> {
        let forward = self.ahead(run, again);
        let restated = context.filter(|&at| !self.task.rules.strict && run.contains(at));
        if let (Some(context), Some(behind)) = (restated, forward) {
            let context = LineNo::from_index(context);
            let behind = LineNo::from_index(behind);
            return Err(no_place(hunk, Ambiguity::RestatedTwice { context, behind }));
        }
        let found = forward.or(restated);
        if forward.is_some_and(|at| at > self.cursor && run.count_from(self.cursor) > 1)
            && hunk.is_blank()
            && !hunk.is_anchor()
        {
            let places = Places::from(run, self.cursor);
            return Err(no_place(hunk, Ambiguity::Blank(places)));
        }
        if hunk.numbered
            && let Some(at) = found
        {
            let from = self.cursor.min(at);
            if run.count_from(from) > 1 {
                return Err(no_place(hunk, Ambiguity::Numbers(Places::from(run, from))));
            }
        }
        Ok(found)
    }
}

/// Drops a trailing empty old line, and a trailing empty added line if the new lines end with one.
/// Returns whether there was anything to drop: an empty context line that added lines follow is not
/// superfluous, since it says where they go.
pub(super) fn trim(lines: &mut Vec<&HunkLine<'_>>) -> bool {
    let Some(last) = lines.iter().rposition(|line| line.mark != Mark::Added) else {
        return false;
    };
    let is_last = last + 1 == lines.len();
    if !lines[last].text.is_empty() || (lines[last].mark == Mark::Context && !is_last) {
        return false;
    }
    if lines.remove(last).mark == Mark::Removed
        && let Some(last) = lines.iter().rposition(|line| line.mark != Mark::Removed)
        && lines[last].mark == Mark::Added
        && lines[last].text.is_empty()
    {
        lines.remove(last);
    }
    true
}

pub(super) fn old<'a, 'h>(
    lines: &'a [&'h HunkLine<'_>],
) -> impl Iterator<Item = &'h [u8]> + Clone + use<'a, 'h> {
    lines
        .iter()
        .filter(|line| line.mark != Mark::Added)
        .map(|line| &line.text[..])
}
