//! Hunks of unified diffs whose old lines only a level finds.
//!
//! At each level the place at the hunk's number is tried first, then the only place that fits. A
//! mark of no final newline still says that the lines are the last of the file, but not how these
//! end.

use std::borrow::Cow;

use super::super::fuzz::{Block, Fitted, Level, Levels};
use super::super::place_error::PlaceError;
use super::super::warning::{Placing, Quote};
use super::by_number::NumberPlacer;
use super::hunk_place::{HunkPlace, text};
use super::{blocks, first_old};
use crate::patch::{Hunk, HunkLine, Mark};
use crate::text::{Ending, Located, Text};

impl<'f, 'h> NumberPlacer<'f, 'h> {
    pub(super) fn levels(&self) -> &Levels<'f, 'h> {
        self.levels.get_or_init(|| {
            let runs = self.hunks.iter().map(|hunk| hunk.old().map(text).collect());
            let locators = self.hunks.iter().flat_map(|hunk| &hunk.locators);
            let all = runs.chain(locators.map(|locator| vec![&locator[..]]));
            Levels::new(self.task.file.lines(), all, self.task.rules)
        })
    }

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
        let first = if is_end { last } else { 0 };
        for level in self.levels().iter() {
            let run = level.run(hunk.old().map(text));
            let fits = |at: &usize| {
                (first..=last).contains(at)
                    && run.contains(*at)
                    && self.taken.is_free(*at..*at + count)
            };
            if let Some(at) = claimed.filter(fits) {
                return self.fit(level, hunk, at).map(Some);
            }
            let taken = match claimed {
                Some(_) => &self.taken,
                None => &self.changed,
            };
            let places = taken.candidates(&run, first.max(from)..last + 1);
            if places.count > 1 {
                return Err(Located::new(first_old(hunk), level.ambiguous(places)));
            }
            let only = places.lines.first().map(|at| at.index());
            if let Some(at) = only.filter(fits) {
                return self.fit(level, hunk, at).map(Some);
            }
        }
        Ok(None)
    }

    /// Makes the added lines of a hunk that was found at a level fit in there, and warns of it.
    fn fit(
        &self,
        level: &Level,
        hunk: &Hunk<'_>,
        at: usize,
    ) -> Result<HunkPlace, Located<PlaceError>> {
        let file = self.task.file.lines();
        let texts: Vec<_> = hunk
            .lines
            .iter()
            .map(|line| Text {
                bytes: Cow::Borrowed(text(line)),
                span: line.text.span,
            })
            .collect();
        let lines: Vec<_> = hunk.lines.iter().collect();
        let marked = || lines.iter().zip(&texts);
        let old: Vec<_> = marked()
            .filter(|(line, _)| line.mark != Mark::Added)
            .map(|(_, text)| text)
            .collect();
        let mut all = marked();
        let mut next = 0;
        let fitting = blocks(&lines).map(|block| {
            let block = all.by_ref().take(block.len());
            let (new, kept): (Vec<_>, Vec<_>) =
                block.partition(|(line, _)| line.mark == Mark::Added);
            let start = next;
            next += kept.len();
            Block {
                old: start..next,
                new: new.into_iter().map(|(_, text)| text).collect(),
            }
        });
        let fitting: Vec<_> = fitting.collect();
        let Fitted { lines, mut warning } =
            level.fit(&file, at, &old, &fitting, first_old(hunk), self.task.growth)?;
        let last = at + old.len() - 1;
        let mut pairs = old.iter().zip(at..);
        if let Placing::Fuzzy { line, .. } = &mut warning.value
            && pairs.all(|(text, line)| ***text == *file.text(line))
        {
            // Only the newline at the end differs.
            *line = Quote::new(&file, last);
            warning.span = old.last().and_then(|text| text.span);
        }
        Ok(HunkPlace {
            how: level.how(),
            fitted: Some(lines),
            warnings: vec![warning],
            ..HunkPlace::exact(at..last + 1)
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
        let is_open = match was_open == last.unterminated {
            true => self.is_open(),
            false => last.unterminated,
        };
        is_open.then_some(Ending::None)
    }
}
