//! What the search for hunks has in common, whichever of several places is taken: the file, read
//! in the ways that hunks which aren't in it as written need.

use std::borrow::Cow;
use std::cell::OnceCell;

use super::super::fuzz::{Block, FileAtLevel, FileAtLevels, Fitted};
use super::super::place_error::{After, PlaceError, Places};
use super::super::warning::{Placing, Quote};
use super::placed::blocks;
use super::{Task, TextOf, first_old};
use crate::patch::{Hunk, HunkLine, Mark};
use crate::search::{Locators, Loose, Run, Sought};
use crate::text::{LineNo, Located, Text};

/// The hunks of a section, and the file in which they are looked for.
pub(super) struct HunkSearch<'f> {
    task: Task<'f>,
    hunks: &'f [Hunk<'f>],
    /// What is compared of a line.
    text: TextOf,
    // Most sections need none of these, which read the file.
    levels: OnceCell<FileAtLevels<'f, 'f>>,
    loose: OnceCell<Locators<'f>>,
}

impl<'f> HunkSearch<'f> {
    pub(super) fn new(task: Task<'f>, hunks: &'f [Hunk<'f>], text: TextOf) -> Self {
        let (levels, loose) = Default::default();
        Self {
            task,
            hunks,
            text,
            levels,
            loose,
        }
    }

    /// Returns all places of a hunk's old lines.
    pub(super) fn run(&self, hunk: &Hunk<'_>) -> Run<'f> {
        self.task.file.run(hunk.old().map(self.text))
    }

    /// Returns all places of a context line.
    pub(super) fn context(&self, locator: &Text<'_>) -> Run<'f> {
        self.task.file.run([&locator[..]])
    }

    /// Returns the file at every level that may be tried.
    pub(super) fn levels(&self) -> &FileAtLevels<'f, 'f> {
        self.levels.get_or_init(|| {
            let runs = self
                .hunks
                .iter()
                .map(|hunk| hunk.old().map(self.text).collect());
            let locators = self.hunks.iter().flat_map(|hunk| &hunk.locators);
            let all = runs.chain(locators.map(|locator| vec![&locator[..]]));
            FileAtLevels::new(self.task.file.lines(), all, self.task.rules)
        })
    }

    fn loose(&self) -> &Locators<'f> {
        self.loose.get_or_init(|| {
            let locators = self.hunks.iter().flat_map(|hunk| &hunk.locators);
            Locators::new(self.task.file.lines(), locators.map(|text| &text[..]))
        })
    }

    /// Returns the line at or after another that a context line means, given that no line equals
    /// it: by the rules of the format, or else at a level.
    pub(super) fn like(
        &self,
        hunk: &Hunk<'_>,
        locator: &Text<'_>,
        from: usize,
    ) -> Result<(usize, Located<Placing>), Located<PlaceError>> {
        let levels = self.levels().iter();
        let levels = levels.map(|level| level.locator(locator, from));
        let mut read = std::iter::once_with(|| self.loose().relaxed(locator, from)).chain(levels);
        let places = match read.find(|loose| *loose != Loose::None) {
            Some(Loose::One { at, how }) => {
                let line = Quote::new(&self.task.file.lines(), at);
                let relaxed = Placing::Relaxed { how, line };
                return Ok((at, Located::new(locator.span.or(hunk.span), relaxed)));
            }
            Some(Loose::Many { places, count, .. }) => Places::new(places, count),
            _ => Places::default(),
        };
        Err(self.no_context(hunk, locator, from, places))
    }

    /// Returns the error of a hunk whose old lines are nowhere at or after a line.
    pub(super) fn not_found(&self, hunk: &Hunk<'_>, from: usize) -> Located<PlaceError> {
        let has_lines = self.task.file.line_count() > 0;
        let last = from.checked_sub(1).filter(|_| has_lines);
        let error = PlaceError::NotFound {
            after: After(last.map(LineNo::from_index)),
            sought: Box::new(Sought::of_hunk(hunk, self.text, from)),
        };
        Located::new(first_old(hunk), error)
    }

    /// Returns the error of a context line that no line at or after another equals, and that
    /// several may mean.
    pub(super) fn no_context(
        &self,
        hunk: &Hunk<'_>,
        locator: &Text<'_>,
        from: usize,
        places: Places,
    ) -> Located<PlaceError> {
        let is_alone = places.count == 0;
        let error = PlaceError::Context {
            text: locator[..].into(),
            places,
            sought: is_alone.then(|| Box::new(Sought::line(locator, from))),
            lines: self.run(hunk).only().map(LineNo::from_index),
        };
        Located::new(locator.span.or(hunk.span), error)
    }

    /// Tells behind which of the lines that equal a context line lines are added.
    pub(super) fn added_after(&self, locator: &Text<'_>, at: usize) -> Placing {
        let after = LineNo::from_index(at);
        let others = Places::other(&self.context(locator), after);
        Placing::AddedAfter { after, others }
    }

    /// Makes the added lines of a hunk fit in at a line where a level found its old lines: `lines`
    /// are the lines of the hunk that count.
    pub(super) fn fit<'h>(
        &self,
        hunk: &Hunk<'_>,
        level: &FileAtLevel,
        lines: &[&'h HunkLine<'_>],
        at: usize,
    ) -> Result<Fitted, Located<PlaceError>> {
        let side = |block: &[&'h HunkLine<'_>], is_new| {
            let lines = block
                .iter()
                .filter(|line| (line.mark == Mark::Added) == is_new);
            let texts = lines.map(|line| Text {
                bytes: Cow::Borrowed((self.text)(line)),
                span: line.text.span,
            });
            texts.collect()
        };
        let fitting = blocks(lines).map(|block| Block {
            old: side(block, false),
            new: side(block, true),
        });
        let fitting: Vec<_> = fitting.collect();
        let Task { file, growth, .. } = self.task;
        level.fit(&file.lines(), at, &fitting, first_old(hunk), growth)
    }
}
