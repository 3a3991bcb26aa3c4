//! The context lines of a hunk, those behind `@@`: found one after the other, or said why not.

use super::super::duplicates::SHOWN;
use super::super::place_error::{PlaceError, Places as Candidates};
use super::super::placement::Match;
use super::super::warning::{Placing, Quote};
use super::in_order::OrderPlacer;
use crate::patch::Hunk;
use crate::search::{Loose, Relaxation};
use crate::text::{LineNo, Located, Text};

impl OrderPlacer<'_, '_> {
    /// Finds the context lines of a hunk one after the other, moves the cursor past each, and
    /// returns where the last is, if there is one, and how the loosest of them was found.
    pub(super) fn seek_context(
        &mut self,
        number: usize,
        hunk: &Hunk<'_>,
    ) -> Result<(Option<usize>, Match), Located<PlaceError>> {
        let mut context = (None, Match::Exact);
        for locator in &hunk.locators {
            let run = self.task.file.run([&locator[..]]);
            let (at, how) = match run.at_or_after(self.cursor) {
                Some(at) => (at, Match::Exact),
                None => self.seek_like(number, hunk, locator, run.first())?,
            };
            self.cursor = at + 1;
            context = (Some(at), context.1.max(how));
        }
        Ok(context)
    }

    fn seek_like(
        &mut self,
        number: usize,
        hunk: &Hunk<'_>,
        locator: &Text<'_>,
        earlier: Option<usize>,
    ) -> Result<(usize, Match), Located<PlaceError>> {
        let error = |error| Err(Located::new(locator.span.or(hunk.span), error));
        if let Some(at) = earlier {
            return error(PlaceError::ContextEarlier {
                at: LineNo::from_index(at),
            });
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

    /// Returns the lines other than `chosen` that equal the context line as the patch wrote it.
    pub(super) fn others(&self, locator: &[u8], chosen: usize) -> (Vec<LineNo>, usize) {
        let places = self.task.file.run([locator]);
        let others = places.iter().filter(|&at| at != chosen);
        (
            others.take(SHOWN).map(LineNo::from_index).collect(),
            places.count() - usize::from(places.contains(chosen)),
        )
    }
}
