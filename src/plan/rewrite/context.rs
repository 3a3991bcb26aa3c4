//! The context lines of a hunk, those behind `@@`: found one after the other, or said why not.

use super::*;

/// The last context line of a hunk, if it has one, and how the loosest of them was found.
pub(super) struct Context {
    pub(super) at: Option<usize>,
    pub(super) how: Match,
}

impl Placer<'_, '_, '_> {
    /// Finds the context lines of a hunk one after the other, moves the cursor past each, and returns where the last is.
    pub(super) fn seek_context(&mut self, number: usize, hunk: &Hunk<'_>) -> Result<Context, Located<Miss>> {
        let mut context = Context { at: None, how: Match::Exact };
        for locator in &hunk.locators {
            let run = self.haystack.run([&locator[..]]);
            let (at, how) = match self.haystack.first(&run, self.cursor) {
                Some(at) => (at, Match::Exact),
                None => self.seek_loosely(number, hunk, locator, &run)?,
            };
            self.cursor = at + 1;
            context = Context { at: Some(at), how: context.how.max(how) };
        }
        Ok(context)
    }

    fn seek_loosely(
        &mut self,
        number: usize,
        hunk: &Hunk<'_>,
        locator: &Text<'_>,
        run: &Run,
    ) -> Result<(usize, Match), Located<Miss>> {
        let miss = |miss| Err(Located::new(locator.span.or(hunk.span), miss));
        if let Some(at) = self.haystack.first(run, 0) {
            let place = place(self.path, self.lines, at, "the context line stands here", "before the previous hunk");
            return miss(Miss::ContextEarlier { at: LineNo::from_index(at), place });
        }
        if self.rules.strict {
            return Err(self.no_context(hunk, locator));
        }
        match self.like(locator) {
            Loose::One { at, how } => {
                let place = place(self.path, self.lines, at, "the line that is used", "taken for the context line");
                let warning = Warning::Relaxed { path: self.path.clone(), number, how, place };
                self.warn(locator.span.or(hunk.span), warning);
                let how = if let Relaxation::Level(level) = how { Match::at(level) } else { Match::Locator };
                Ok((at, how))
            }
            Loose::Many { places, count, .. } => {
                let places = places.into_iter().map(LineNo::from_index).collect();
                let text = bstr::BString::from(&locator[..]);
                let lines = self.only_place(hunk);
                miss(Miss::Context { text, places, count, near: None, lines })
            }
            Loose::None => Err(self.no_context(hunk, locator)),
        }
    }

    fn no_context(&self, hunk: &Hunk<'_>, locator: &Text<'_>) -> Located<Miss> {
        let text = bstr::BString::from(&locator[..]);
        let near = self.diagnosis.of_locator(locator, self.cursor);
        let span = near.as_ref().and_then(|near| near.span).or(locator.span).or(hunk.span);
        let near = near.map(|near| Box::new(near.value));
        let (places, lines) = (Vec::new(), self.only_place(hunk));
        Located::new(span, Miss::Context { text, places, count: 0, near, lines })
    }

    /// Returns where the old lines of a hunk stand, if that is one place.
    fn only_place(&self, hunk: &Hunk<'_>) -> Option<LineNo> {
        let run = self.haystack.run(hunk.old().map(|line| &line.text[..]));
        let places = self.haystack.places(&run);
        places.first().filter(|_| places.count() == 1).map(LineNo::from_index)
    }

    /// Says which lines at or after the cursor are like a context line: by the rules of the format, or else at a level.
    fn like(&self, locator: &[u8]) -> Loose {
        let loose = self.loose.relaxed(locator, self.cursor);
        if loose != Loose::None {
            return loose;
        }
        for (level, haystack) in self.levels.iter() {
            let run = haystack.run([locator]);
            let places = haystack.places(&run);
            let how = Relaxation::Level(level);
            match (places.at_or_after(self.cursor), places.count_from(self.cursor)) {
                (None, _) => {}
                (Some(at), 1) => return Loose::One { at, how },
                (_, count) => {
                    let places = places.iter_from(self.cursor).take(CANDIDATES).collect();
                    return Loose::Many { how, places, count };
                }
            }
        }
        Loose::None
    }

    /// Returns the lines other than `chosen` that equal the context line as the patch wrote it.
    pub(super) fn others(&self, locator: &[u8], chosen: usize) -> (Vec<LineNo>, usize) {
        let run = self.haystack.run([locator]);
        let places = self.haystack.places(&run);
        let others = places.iter().filter(|&at| at != chosen);
        (others.take(SHOWN).map(LineNo::from_index).collect(), places.count() - usize::from(places.contains(chosen)))
    }
}
