//! Hunks of unified diffs without numbers: where their lines are, of which there must be one place.
//!
//! A line behind `@@` is a context line as in an envelope: what the hunk changes is at it or behind
//! it. It is looked for behind the hunk before, and then in the whole file, since the hunks of a
//! diff may be in any order.

use std::ops::Range;

use super::super::place_error::{After, Ambiguity, Earlier, PlaceError, Places};
use super::super::warning::Placing;
use super::by_number::NumberPlacer;
use super::hunk_place::HunkPlace;
use super::no_place;
use crate::patch::Hunk;
use crate::search::{IndentedBlock, Run};
use crate::text::{LineNo, Located, Text};

impl NumberPlacer<'_> {
    /// Finds the place of a hunk without numbers.
    pub(super) fn unnumbered(&self, hunk: &Hunk<'_>) -> Result<HunkPlace, Located<PlaceError>> {
        let (context, more) = match hunk.locators.first() {
            Some(locator) => {
                let (at, relaxed) = self.context(hunk, locator)?;
                (Some(at), relaxed)
            }
            None => (None, None),
        };
        let found = match hunk.old().next() {
            Some(_) => self.only(hunk, context)?,
            None => self.behind(hunk, context)?,
        };
        Ok(HunkPlace { more, ..found })
    }

    /// Finds the context line of a hunk.
    fn context(
        &self,
        hunk: &Hunk<'_>,
        locator: &Text<'_>,
    ) -> Result<(usize, Option<Located<Placing>>), Located<PlaceError>> {
        let run = self.search.context(locator);
        if let Some(at) = run.at_or_after(self.cursor).or_else(|| run.first()) {
            return Ok((at, None));
        }
        let (at, relaxed) = self.search.like(hunk, locator, 0)?;
        Ok((at, Some(relaxed)))
    }

    /// Finds the only place of old lines at or after a context line.
    fn only(
        &self,
        hunk: &Hunk<'_>,
        context: Option<usize>,
    ) -> Result<HunkPlace, Located<PlaceError>> {
        let from = context.unwrap_or(0);
        let run = self.search.run(hunk);
        let allowed = self.allowed(hunk, run.len());
        let within = allowed.start.max(from)..allowed.end;
        let only = self.changed.candidates(&run, within.clone()).only();
        let only = only.or_else(|places| match context {
            Some(opener) => self.in_block(&run, opener, within, places),
            None => Err(places),
        });
        let only = only.map_err(|places| no_place(hunk, Ambiguity::Unique(places)))?;
        let only = only.map(|at| at..at + run.len());
        if let Some(at) = only.clone().filter(|at| self.taken.is_free(at.clone())) {
            return Ok(HunkPlace::exact(at));
        }
        if let Some(at) = only.filter(|at| self.shares(&run, at.start, &allowed)) {
            return Ok(self.shared(hunk, at.start, &run));
        }
        if let Some(found) = self.at_a_level(hunk, None, from)? {
            return Ok(found);
        }
        match (run.first(), context.map(LineNo::from_index)) {
            (Some(at), Some(context)) if at < from && run.at_or_after(from).is_none() => {
                let error = PlaceError::Earlier {
                    after: After(Some(context)),
                    at: LineNo::from_index(at),
                    than: Earlier::Context(context),
                };
                Err(no_place(hunk, error))
            }
            _ => Err(self.place_error(hunk, &run, 0)),
        }
    }

    /// Returns the only place of old lines in the block of a context line, of which there are several
    /// behind that.
    fn in_block(
        &self,
        run: &Run<'_>,
        opener: usize,
        within: Range<usize>,
        places: Places,
    ) -> Result<Option<usize>, Places> {
        let file = self.task.file;
        let block = IndentedBlock::new(opener).lines(file.line_count(), |line| file.text(line));
        let Some(block) = block else {
            return Err(places);
        };
        let inside = self
            .changed
            .candidates(run, opener..block.end.min(within.end));
        inside.only().and_then(|only| only.map(Some).ok_or(places))
    }

    /// Places a hunk that has added lines only behind its context line.
    fn behind(
        &self,
        hunk: &Hunk<'_>,
        context: Option<usize>,
    ) -> Result<HunkPlace, Located<PlaceError>> {
        let error = |error| Err(Located::new(hunk.span, error));
        let (at, how) = match (context, hunk.locators.first()) {
            (Some(at), Some(locator)) => (at + 1, self.search.added_after(locator, at)),
            _ if self.task.file.is_empty() => (0, Placing::Added),
            _ => return error(Ambiguity::Anywhere.into()),
        };
        let is_open = hunk.lines.last().is_some_and(|line| line.unterminated);
        if is_open && at < self.task.file.line_count() {
            return error(PlaceError::NotLast { after: at });
        }
        if !self.taken.is_free(at..at) {
            return error(PlaceError::Overlap);
        }
        Ok(HunkPlace::new(at..at, hunk.span, how))
    }
}
