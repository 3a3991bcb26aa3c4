//! The context lines of a hunk, which follow `@@`: found one after the other, or the reason why
//! not.
//!
//! Several context lines narrow: each is to be in the block that the line before opens, and so are
//! old lines that are elsewhere in the file, too. A context line that is only before the cursor is
//! accepted while the cursor is in its block, and what follows it is sought there; so is one that is
//! behind that block again, if it is the context line of the hunk before and the old lines are only
//! in the rest of the block.

use std::collections::hash_map::Entry;

use super::super::place_error::{Ambiguity, PlaceError, Places};
use super::super::warning::{Placing, Quote};
use super::in_order::OrderPlacer;
use super::no_place;
use super::run::SoughtRun;
use crate::patch::Hunk;
use crate::search::{IndentedBlock, Run};
use crate::text::{LineNo, Located, Span, Text};

/// How many lines before the cursor may equal a context line that is meant to be one of them.
const BEHIND: usize = 1000;

/// A context line that is before the cursor, told again for what follows in its block.
#[derive(Clone, Copy)]
pub(super) struct ToldAgain<'h> {
    at: usize,
    /// The line behind its block.
    pub(super) end: usize,
    locator: &'h Text<'h>,
}

/// The context lines of a hunk as far as they are found.
#[derive(Default)]
struct FoundContext<'h> {
    /// Where the last is, if it is at or after the cursor.
    at: Option<usize>,
    /// The last, if it is before the cursor.
    again: Option<ToldAgain<'h>>,
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
            let ahead = self.ahead(&run, context.again);
            if let Some(again) = self.told_again(hunk, locator, &run, &context, ahead)? {
                context.again = Some(again);
                continue;
            }
            let at = match (ahead, run.first()) {
                (Some(at), _) => at,
                (None, Some(at)) => return Err(self.earlier(hunk, locator, at, &context)),
                (None, None) => self.seek_like(hunk, locator)?,
            };
            if let Some(again) = context.again {
                self.check_again(hunk, again, Some(at).filter(|at| *at < again.end))?;
            }
            if let Some(outer) = context.at {
                self.check_inside(locator.span.or(hunk.span), outer, at)?;
            }
            self.cursor = at + 1;
            context = FoundContext {
                at: Some(at),
                again: None,
            };
        }
        let opener = context.again.map(|again| again.at).or(context.at);
        self.opener = opener.zip(hunk.locators.last()).or(self.opener);
        Ok(SoughtRun {
            hunk,
            context: context.at,
            opener,
            again: context.again,
        })
    }

    /// Returns the first place of some lines at or after the cursor, in the block of a context line
    /// that is told again.
    pub(super) fn ahead(&self, run: &Run<'_>, again: Option<ToldAgain<'_>>) -> Option<usize> {
        let at = run.at_or_after(self.cursor)?;
        again.is_none_or(|again| at < again.end).then_some(at)
    }

    /// Returns the error that a context line is only elsewhere than where it is to be, as on the line
    /// `at`.
    fn earlier(
        &self,
        hunk: &Hunk<'_>,
        locator: &Text<'_>,
        at: usize,
        context: &FoundContext<'_>,
    ) -> Located<PlaceError> {
        if let Some(again) = context.again {
            return self.not_again(hunk, again);
        }
        let error = PlaceError::ContextEarlier {
            at: LineNo::from_index(at),
            places: Places::from(&self.search.context(locator), 0),
            outer: context.at.map(LineNo::from_index),
        };
        Located::new(locator.span.or(hunk.span), error)
    }

    /// Returns the error that a context line is before the cursor, and what follows it isn't ahead in
    /// its block.
    pub(super) fn not_again(&self, hunk: &Hunk<'_>, again: ToldAgain<'_>) -> Located<PlaceError> {
        let context = FoundContext::default();
        self.earlier(hunk, again.locator, again.at, &context)
    }

    /// Returns the line before the cursor that a context line tells again: the cursor is in its
    /// block. `ahead` is the context line's place ahead.
    fn told_again(
        &mut self,
        hunk: &Hunk<'_>,
        locator: &'f Text<'f>,
        run: &Run<'_>,
        context: &FoundContext<'_>,
        ahead: Option<usize>,
    ) -> Result<Option<ToldAgain<'f>>, Located<PlaceError>> {
        if self.task.rules.strict || context.at.is_some() {
            return Ok(None);
        }
        let Some(at) = self.before(run, context.again) else {
            return Ok(None);
        };
        let end = self.block_end(at);
        let again = ToldAgain { at, end, locator };
        let is_last = hunk.locators.last().map(|last| &last[..]) == Some(&locator[..]);
        let is_repeated = self.opener.is_some_and(|(opener, _)| opener == at) && is_last;
        match ahead {
            None => Ok(Some(again)),
            Some(later) if is_repeated => self.rest(hunk, again, later),
            Some(_) => Ok(None),
        }
    }

    /// Returns the last line before the cursor of those that equal a context line, if the cursor is
    /// in its block, and that in the block of the context line before.
    fn before(&mut self, run: &Run<'_>, outer: Option<ToldAgain<'_>>) -> Option<usize> {
        if run.count() > BEHIND {
            return None;
        }
        let before = run.iter().take_while(|at| *at < self.cursor).last();
        let at = before.filter(|at| outer.is_none_or(|outer| outer.at < *at))?;
        self.is_inside(at, self.cursor).then_some(at)
    }

    /// Returns the context line of the hunk before, if the old lines are in the rest of its block
    /// only, and not behind a later line that equals it.
    fn rest(
        &self,
        hunk: &Hunk<'_>,
        again: ToldAgain<'f>,
        later: usize,
    ) -> Result<Option<ToldAgain<'f>>, Located<PlaceError>> {
        let run = self.search.run(hunk);
        let old = hunk.old().next();
        let rest = old.and_then(|_| self.ahead(&run, Some(again)).filter(|at| *at < later));
        match (rest, run.at_or_after(later)) {
            (Some(rest), Some(behind)) => {
                let places = Places::new([rest, behind], 2);
                Err(no_place(hunk, Ambiguity::Unique(places)))
            }
            (rest, _) => Ok(rest.map(|_| again)),
        }
    }

    /// Tells that a context line is told again for what is ahead in its block, if that is there.
    pub(super) fn check_again(
        &mut self,
        hunk: &Hunk<'_>,
        again: ToldAgain<'_>,
        ahead: Option<usize>,
    ) -> Result<(), Located<PlaceError>> {
        let Some(ahead) = ahead else {
            return Err(self.not_again(hunk, again));
        };
        let [at, ahead] = [again.at, ahead].map(LineNo::from_index);
        let span = again.locator.span.or(hunk.span);
        self.tell(span, Placing::Behind { at, ahead });
        Ok(())
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
        let (at, way) = if self.task.rules.strict {
            let places = Places::default();
            return Err(self.search.no_context(hunk, locator, from, places));
        } else {
            self.search.like(hunk, locator, from)?
        };
        self.ways.push(way);
        Ok(at)
    }
}
