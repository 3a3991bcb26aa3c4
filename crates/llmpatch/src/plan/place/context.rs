//! The context lines of a hunk, which follow `@@`: found one after the other, or the reason why
//! not.
//!
//! Several context lines narrow: each is to be in the block that the line before opens, and so are
//! old lines that are elsewhere in the file, too. A context line that is only before the cursor is
//! accepted where the hunk before is in its block, too, and what follows it is ahead there, and
//! only once.

use std::collections::hash_map::Entry;

use super::super::place_error::{PlaceError, Places};
use super::super::warning::{Placing, Quote};
use super::in_order::OrderPlacer;
use super::run::SoughtRun;
use crate::patch::Hunk;
use crate::search::{IndentedBlock, Run};
use crate::text::{LineNo, Located, Span, Text};

/// How many lines before the cursor may equal a context line that is meant to be one of them.
const BEHIND: usize = 1000;

/// The context lines of a hunk as far as they are found.
#[derive(Default)]
struct FoundContext<'h> {
    /// Where the last is, if it is at or after the cursor.
    at: Option<usize>,
    /// The last, if it is before the cursor.
    behind: Option<(usize, &'h Text<'h>)>,
}

impl<'f> OrderPlacer<'f> {
    /// Finds the context lines of a hunk one after the other, and moves the cursor past each.
    pub(super) fn seek_context(
        &mut self,
        hunk: &'f Hunk<'f>,
    ) -> Result<SoughtRun<'f>, Located<PlaceError>> {
        let mut context = FoundContext::default();
        for locator in &hunk.locators {
            let run = self.search.context(locator);
            let at = match run.at_or_after(self.cursor) {
                Some(at) => {
                    self.check_behind(hunk, &context, self.only_ahead(&run))?;
                    at
                }
                None => {
                    if let Some(at) = self.behind(&run, &context) {
                        context.behind = Some((at, locator));
                        continue;
                    }
                    if let Some(at) = run.first() {
                        return Err(self.earlier(hunk, locator, at, context.at));
                    }
                    let at = self.seek_like(hunk, locator)?;
                    self.check_behind(hunk, &context, Some(at))?;
                    at
                }
            };
            if let Some(outer) = context.at {
                self.check_inside(locator.span.or(hunk.span), outer, at)?;
            }
            self.cursor = at + 1;
            context = FoundContext {
                at: Some(at),
                behind: None,
            };
        }
        if context.behind.is_some() {
            self.check_behind(hunk, &context, self.only_ahead(&self.search.run(hunk)))?;
        }
        let behind = context.behind.map(|(at, _)| at);
        Ok(SoughtRun {
            hunk,
            context: context.at,
            opener: behind.or(context.at),
        })
    }

    /// Returns the only place of some lines at or after the cursor.
    fn only_ahead(&self, run: &Run<'_>) -> Option<usize> {
        let ahead = run.at_or_after(self.cursor)?;
        (run.count_from(self.cursor) == 1).then_some(ahead)
    }

    /// Returns the error that a context line is only before the cursor, as on the line `at`.
    fn earlier(
        &self,
        hunk: &Hunk<'_>,
        locator: &Text<'_>,
        at: usize,
        outer: Option<usize>,
    ) -> Located<PlaceError> {
        let error = PlaceError::ContextEarlier {
            at: LineNo::from_index(at),
            places: Places::from(&self.search.context(locator), 0),
            outer: outer.map(LineNo::from_index),
        };
        Located::new(locator.span.or(hunk.span), error)
    }

    /// Returns the last line before the cursor that equals a context line, if it may be meant.
    fn behind(&mut self, run: &Run<'_>, context: &FoundContext<'_>) -> Option<usize> {
        if self.task.rules.strict || context.at.is_some() || run.count() > BEHIND {
            return None;
        }
        let at = run.iter().last()?;
        let outer = context.behind.map(|(outer, _)| outer);
        let is_inside = outer.is_none_or(|outer| outer < at && self.is_inside(outer, at));
        is_inside.then_some(at)
    }

    /// Checks that what follows a context line before the cursor is in its block; `ahead` is its only
    /// place ahead.
    fn check_behind(
        &mut self,
        hunk: &Hunk<'_>,
        context: &FoundContext<'_>,
        ahead: Option<usize>,
    ) -> Result<(), Located<PlaceError>> {
        let Some((behind, locator)) = context.behind else {
            return Ok(());
        };
        match ahead {
            Some(ahead) if self.is_inside(behind, ahead) => {
                let [at, ahead] = [behind, ahead].map(LineNo::from_index);
                let span = locator.span.or(hunk.span);
                self.tell(span, Placing::Behind { at, ahead });
                Ok(())
            }
            _ => Err(self.earlier(hunk, locator, behind, None)),
        }
    }

    /// Warns of, or refuses, a line that isn't in the block of the context line before.
    pub(super) fn check_inside(
        &mut self,
        span: Option<Span>,
        outer: usize,
        at: usize,
    ) -> Result<(), Located<PlaceError>> {
        let file = self.task.file;
        let Some(end) = self.block(outer).end_before(at, |line| file.text(line)) else {
            return Ok(());
        };
        let rules = self.task.rules;
        let [outer, end] = [outer, end].map(LineNo::from_index);
        if rules.strict || rules.unique {
            let at = LineNo::from_index(at);
            return Err(Located::new(
                span,
                PlaceError::OutsideContext { outer, at, end },
            ));
        }
        let line = Quote::new(&self.task.file.lines(), at);
        self.tell(span, Placing::OutsideContext { outer, line, end });
        Ok(())
    }

    pub(super) fn is_inside(&mut self, outer: usize, inner: usize) -> bool {
        let file = self.task.file;
        self.block(outer).contains(inner, |line| file.text(line))
    }

    /// Returns the line behind the block that a line opens.
    pub(super) fn block_end(&mut self, outer: usize) -> usize {
        let file = self.task.file;
        let len = file.line_count();
        let lines = self.block(outer).lines(len, |line| file.text(line));
        lines.map_or(len, |lines| lines.end)
    }

    /// Returns the block that a line opens.
    fn block(&mut self, outer: usize) -> &mut IndentedBlock {
        match self.blocks.entry(outer) {
            Entry::Occupied(block) => block.into_mut(),
            Entry::Vacant(new) => new.insert(IndentedBlock::new(outer)),
        }
    }

    /// Finds a context line that no line at or after the cursor equals.
    fn seek_like(
        &mut self,
        hunk: &Hunk<'_>,
        locator: &Text<'_>,
    ) -> Result<usize, Located<PlaceError>> {
        let from = self.cursor;
        let (at, way) = match self.task.rules.strict {
            true => {
                let places = Places::default();
                return Err(self.search.no_context(hunk, locator, from, places));
            }
            false => self.search.like(hunk, locator, from)?,
        };
        self.ways.push(way);
        Ok(at)
    }
}
