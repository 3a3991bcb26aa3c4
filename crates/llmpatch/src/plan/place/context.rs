//! The context lines of a hunk, which follow `@@`: found one after the other, or the reason why
//! not.
//!
//! Several context lines narrow: each is to be in the block that the line before opens, and so are
//! old lines that are elsewhere in the file, too. A context line that is only before the cursor is
//! accepted where the hunk before is in its block, too, and what follows it is ahead there, and
//! only once.

use std::collections::hash_map::Entry;

use super::super::place_error::{PlaceError, Places as Candidates};
use super::super::placement::Match;
use super::super::warning::{Placing, Quote};
use super::in_order::OrderPlacer;
use crate::patch::Hunk;
use crate::search::{IndentedBlock, Loose, Relaxation, Run};
use crate::text::{LineNo, Located, Span, Text};

/// How many lines before the cursor may equal a context line that is meant to be one of them.
const BEHIND: usize = 1000;

/// The context lines of a hunk as far as they are found.
#[derive(Default)]
pub(super) struct FoundContext<'h, 'p> {
    /// Where the last is, if it is at or after the cursor.
    pub(super) at: Option<usize>,
    /// How the loosest of them was found.
    pub(super) how: Match,
    /// The last, if it is before the cursor.
    behind: Option<(usize, &'h Text<'p>)>,
}

impl<'f, 'p> OrderPlacer<'f, 'p> {
    /// Finds the context lines of a hunk one after the other, and moves the cursor past each.
    pub(super) fn seek_context(
        &mut self,
        number: usize,
        hunk: &'f Hunk<'p>,
    ) -> Result<FoundContext<'f, 'p>, Located<PlaceError>> {
        let mut context = FoundContext::default();
        for locator in &hunk.locators {
            let run = self.task.file.run([&locator[..]]);
            let (at, how) = match run.at_or_after(self.cursor) {
                Some(at) => {
                    self.check_behind(number, hunk, &context, &run)?;
                    (at, Match::Exact)
                }
                None => match self.behind(&run, &context) {
                    Some(at) => {
                        context.behind = Some((at, locator));
                        continue;
                    }
                    None => {
                        let earlier = run.first().map(|at| PlaceError::ContextEarlier {
                            at: LineNo::from_index(at),
                            outer: context.at.map(LineNo::from_index),
                        });
                        self.seek_like(number, hunk, locator, earlier)?
                    }
                },
            };
            if let Some(outer) = context.at {
                self.check_inside(number, locator.span.or(hunk.span), outer, at)?;
            }
            self.cursor = at + 1;
            context = FoundContext {
                at: Some(at),
                how: context.how.max(how),
                behind: None,
            };
        }
        if context.behind.is_some() {
            let old = self.task.file.run(hunk.old().map(|line| &line.text[..]));
            self.check_behind(number, hunk, &context, &old)?;
        }
        Ok(context)
    }

    /// Returns the last line before the cursor that equals a context line, if it may be meant.
    fn behind(&mut self, run: &Run<'_>, context: &FoundContext<'_, '_>) -> Option<usize> {
        if self.task.rules.strict || context.at.is_some() || run.count() > BEHIND {
            return None;
        }
        let at = run.iter().last()?;
        let outer = context.behind.map(|(outer, _)| outer);
        let is_inside = outer.is_none_or(|outer| outer < at && self.is_inside(outer, at));
        is_inside.then_some(at)
    }

    /// Checks that what follows a context line before the cursor is ahead in its block, and only
    /// once.
    fn check_behind(
        &mut self,
        number: usize,
        hunk: &Hunk<'_>,
        context: &FoundContext<'_, '_>,
        next: &Run<'_>,
    ) -> Result<(), Located<PlaceError>> {
        let Some((behind, locator)) = context.behind else {
            return Ok(());
        };
        let span = locator.span.or(hunk.span);
        let at = LineNo::from_index(behind);
        match next.at_or_after(self.cursor) {
            Some(ahead) if next.count_from(self.cursor) == 1 && self.is_inside(behind, ahead) => {
                let ahead = LineNo::from_index(ahead);
                self.warn(number, span, Placing::Behind { at, ahead });
                Ok(())
            }
            _ => {
                let outer = None;
                Err(Located::new(span, PlaceError::ContextEarlier { at, outer }))
            }
        }
    }

    /// Warns of, or refuses, a line that isn't in the block of the context line before.
    pub(super) fn check_inside(
        &mut self,
        number: usize,
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
        self.warn(number, span, Placing::OutsideContext { outer, line, end });
        Ok(())
    }

    fn is_inside(&mut self, outer: usize, inner: usize) -> bool {
        let file = self.task.file;
        self.block(outer).contains(inner, |line| file.text(line))
    }

    /// Returns the block that a line opens.
    fn block(&mut self, outer: usize) -> &mut IndentedBlock {
        match self.blocks.entry(outer) {
            Entry::Occupied(block) => block.into_mut(),
            Entry::Vacant(new) => new.insert(IndentedBlock::new(outer)),
        }
    }

    fn seek_like(
        &mut self,
        number: usize,
        hunk: &Hunk<'_>,
        locator: &Text<'_>,
        earlier: Option<PlaceError>,
    ) -> Result<(usize, Match), Located<PlaceError>> {
        let error = |error| Err(Located::new(locator.span.or(hunk.span), error));
        if let Some(earlier) = earlier {
            return error(earlier);
        }
        if self.task.rules.strict {
            return Err(self.no_context(hunk, locator));
        }
        match self.like(locator) {
            Loose::One { at, how } => {
                let line = Quote::new(&self.task.file.lines(), at);
                self.warn(
                    number,
                    locator.span.or(hunk.span),
                    Placing::Relaxed { how, line },
                );
                let how = if let Relaxation::Level(level) = how {
                    Match::Level(level)
                } else {
                    Match::Locator
                };
                Ok((at, how))
            }
            Loose::Many { places, count, .. } => {
                let places = Candidates::new(places, count);
                let text = bstr::BString::from(&locator[..]);
                let lines = self.only_place(hunk);
                error(PlaceError::Context {
                    text,
                    places,
                    near: None,
                    lines,
                })
            }
            Loose::None => Err(self.no_context(hunk, locator)),
        }
    }

    fn no_context(&self, hunk: &Hunk<'_>, locator: &Text<'_>) -> Located<PlaceError> {
        let text = bstr::BString::from(&locator[..]);
        let near = self.nearest().of_locator(locator, self.cursor);
        let span = near
            .as_ref()
            .and_then(|near| near.span)
            .or(locator.span)
            .or(hunk.span);
        let near = near.map(|near| Box::new(near.value));
        let places = Candidates::default();
        let lines = self.only_place(hunk);
        Located::new(
            span,
            PlaceError::Context {
                text,
                places,
                near,
                lines,
            },
        )
    }

    /// Returns where the old lines of a hunk are, if that is one place.
    fn only_place(&self, hunk: &Hunk<'_>) -> Option<LineNo> {
        self.task
            .file
            .run(hunk.old().map(|line| &line.text[..]))
            .only()
            .map(LineNo::from_index)
    }

    /// Returns which lines at or after the cursor are like a context line: by the rules of the
    /// format, or else at a level.
    fn like(&self, locator: &[u8]) -> Loose {
        let levels = self
            .levels()
            .iter()
            .map(|level| level.locator(locator, self.cursor));
        let mut said =
            std::iter::once_with(|| self.loose().relaxed(locator, self.cursor)).chain(levels);
        said.find(|loose| *loose != Loose::None)
            .unwrap_or(Loose::None)
    }
}
