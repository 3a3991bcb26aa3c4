//! Hunks of unified diffs whose old lines only a level finds.
//!
//! At each level the place at the hunk's number is tried first, then the only place that fits. A
//! mark of no final newline still says that the lines are the last of the file, but not how these
//! end.

use super::super::fuzz::{FileAtLevel, Fitted};
use super::super::place_error::PlaceError;
use super::super::warning::{Placing, Quote};
use super::by_number::NumberPlacer;
use super::hunk_place::{HunkPlace, text};
use super::no_place;
use crate::patch::{Hunk, HunkLine};
use crate::text::{Ending, Located};

impl NumberPlacer<'_> {
    /// Finds the old lines of a hunk at the tightest level that has them: at the line that its
    /// number claims, or else in the only place at or after a line.
    pub(super) fn at_a_level(
        &self,
        hunk: &Hunk<'_>,
        claimed: Option<usize>,
        from: usize,
    ) -> Result<Option<HunkPlace>, Located<PlaceError>> {
        let count = hunk.old().count();
        let Some(last) = self.task.file.line_count().checked_sub(count) else {
            return Ok(None);
        };
        let is_end = hunk.lines.iter().any(|line| line.unterminated);
        let allowed = if is_end { last } else { 0 }..last + 1;
        for level in self.search.levels().iter() {
            let run = level.run(hunk.old().map(text));
            let fits = |at: &usize| self.fits(&run, *at, &allowed);
            if let Some(at) = claimed.filter(fits) {
                return self.fit(level, hunk, at).map(Some);
            }
            let taken = match claimed {
                Some(_) => &self.taken,
                None => &self.changed,
            };
            let places = taken.candidates(&run, allowed.start.max(from)..allowed.end);
            let only = places.only();
            let only = only.map_err(|places| no_place(hunk, level.ambiguity(places)))?;
            if let Some(at) = only.filter(fits) {
                return self.fit(level, hunk, at).map(Some);
            }
        }
        Ok(None)
    }

    /// Makes the added lines of a hunk that was found at a level fit in there, and warns of it.
    fn fit(
        &self,
        level: &FileAtLevel,
        hunk: &Hunk<'_>,
        at: usize,
    ) -> Result<HunkPlace, Located<PlaceError>> {
        let lines: Vec<_> = hunk.lines.iter().collect();
        let Fitted { lines, mut warning } = self.search.fit(hunk, level, &lines, at)?;
        let range = at..at + hunk.old().count();
        let file = self.task.file;
        let mut pairs = hunk.old().zip(range.clone());
        if let Placing::Fuzzy { line, .. } = &mut warning.value
            && pairs.all(|(old, at)| *text(old) == *file.text(at))
        {
            // Only the newline at the end differs.
            *line = Quote::new(&file.lines(), range.end - 1);
            warning.span = hunk.old().next_back().and_then(|line| line.text.span);
        }
        Ok(HunkPlace {
            how: warning,
            fitted: Some(lines),
            ..HunkPlace::exact(range)
        })
    }

    /// Returns how an added line of a hunk that was found at a level ends, if that isn't left to
    /// its neighbours: a last line ends as the file's last line does, unless the hunk changes that.
    pub(super) fn ending_at_level(
        &self,
        hunk: &Hunk<'_>,
        line: &HunkLine<'_>,
        end: usize,
    ) -> Option<Ending> {
        let last = hunk.new_lines().next_back()?;
        if end < self.task.file.line_count() || !std::ptr::eq(last, line) {
            return None;
        }
        let was_open = hunk.old().next_back()?.unterminated;
        let is_open = if was_open == last.unterminated {
            self.is_open()
        } else {
            last.unterminated
        };
        is_open.then_some(Ending::None)
    }
}
