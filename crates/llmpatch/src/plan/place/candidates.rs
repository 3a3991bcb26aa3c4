//! The candidates of old lines: their places in the file, in its order, apart from those of which
//! hunks have taken a line. Which of them is meant is up to a format's policy.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use super::super::place_error::{CANDIDATES, Places};
use crate::search::{Fuzz, Run};
use crate::text::LineNo;

/// The lines that hunks have taken, in whatever order the hunks come: runs of lines, by their
/// first. Where lines are only added the run is empty, and no candidate may reach across.
#[derive(Default)]
pub(super) struct Taken(BTreeMap<usize, usize>);

impl Taken {
    /// Adds lines, or, with none, a place between two.
    pub(super) fn add(&mut self, range: Range<usize>) {
        let end = self.0.entry(range.start).or_insert(range.end);
        *end = range.end.max(*end);
    }

    /// Returns whether none of these lines is taken and no lines are added between them, or, for
    /// none, whether the place is inside of nothing that is taken.
    pub(super) fn is_free(&self, range: Range<usize>) -> bool {
        if range.is_empty() {
            let before = self.0.range(..range.start).next_back();
            return before.is_none_or(|(_, &end)| end <= range.start);
        }
        self.free_from(range.start, range.len()).is_ok()
    }

    /// If the `len` lines from line `at` on are free, returns the next line from which `len` lines
    /// aren't.
    ///
    /// # Errors
    /// If they aren't free: the next line from which `len` lines may be.
    fn free_from(&self, at: usize, len: usize) -> Result<usize, usize> {
        let before = self.0.range(..=at).next_back();
        if let Some((_, &end)) = before.filter(|(_, end)| **end > at) {
            return Err(end);
        }
        match self.0.range(at + 1..).next() {
            Some((&start, &end)) if start < at + len => Err(end),
            Some((&start, _)) => Ok(start + 1 - len),
            None => Ok(usize::MAX),
        }
    }

    /// Finds the candidates of lines that begin in a range.
    pub(super) fn candidates(&self, run: &Run<'_>, within: Range<usize>) -> Places {
        let mut found = Places::default();
        self.find(&mut found, CANDIDATES, run, within, &[]);
        found
    }

    /// Adds the candidates of lines that begin in a range, apart from places that are `kept`, to the
    /// candidates before the range; lists no more than `most`.
    fn find(
        &self,
        found: &mut Places,
        most: usize,
        run: &Run<'_>,
        within: Range<usize>,
        kept: &[usize],
    ) {
        let mut next = within.start;
        while next < within.end
            && let Some(at) = run.at_or_after(next).filter(|at| *at < within.end)
        {
            next = match self.free_from(at, run.len()) {
                Ok(end) => {
                    found.add(run, at..end.min(within.end), kept, most);
                    end
                }
                Err(next) => next,
            };
        }
    }
}

/// How many other places a warning lists.
const SHOWN: usize = 100;
/// How many places are listed where the chosen place may be among them.
pub(super) const FIRST: usize = SHOWN + 1;

impl Places {
    /// Takes all places of lines that are at or after a line.
    pub(super) fn from(run: &Run<'_>, line: usize) -> Self {
        Self::new(run.iter_from(line), run.count_from(line))
    }

    /// Returns the only place, if there is a place.
    ///
    /// # Errors
    /// If there are several: all of them.
    pub(super) fn only(self) -> Result<Option<usize>, Self> {
        match self.lines[..] {
            [] => Ok(None),
            [only] => Ok(Some(only.index())),
            _ => Err(self),
        }
    }

    /// Takes the places of lines other than a line that is chosen.
    pub(super) fn other(run: &Run<'_>, chosen: LineNo) -> Self {
        Self::new(run.iter().take(FIRST), run.count()).others(chosen)
    }

    /// Adds the places in a range, apart from places that are `kept`; lists no more than `most`.
    fn add(&mut self, run: &Run<'_>, within: Range<usize>, kept: &[usize], most: usize) {
        let before = |line: usize| kept.partition_point(|at| *at < line);
        let kept = &kept[before(within.start)..before(within.end)];
        let (count, inside) = run.within(within);
        let count = count - kept.iter().filter(|at| run.contains(**at)).count();
        let inside = inside.filter(|at| kept.binary_search(at).is_err());
        let inside = inside.take(most - self.lines.len());
        self.lines.extend(inside.map(LineNo::from_index));
        self.count += count;
        self.in_lines += count;
    }

    /// Takes a chosen line out of these places, and keeps no more of them than a warning lists.
    pub(super) fn others(mut self, chosen: LineNo) -> Self {
        self.lines.retain(|line| *line != chosen);
        self.lines.truncate(SHOWN);
        self.count = self.count.saturating_sub(1);
        self.in_lines = self.in_lines.saturating_sub(1);
        self
    }
}

/// The candidates of lines in a file of which hunks take more and more, each behind the hunk
/// before.
///
/// Taken are lines that a hunk removes, and no candidate reaches across lines that it adds. The
/// context of a hunk may be what a later one means, except where both have the same old lines.
///
/// A response may repeat one hunk ten thousand times over a file that repeats itself, so what was
/// found out about lines is kept, and each further question about them looks only at what has been
/// taken since.
#[derive(Default)]
pub(super) struct Untaken<'h> {
    taken: Taken,
    /// Up to where lines are taken.
    end: usize,
    /// What is known of lines at a level.
    known: HashMap<(Fuzz, Vec<&'h [u8]>), Known>,
    /// Where hunks have left their old lines in a row, in order, by these lines.
    kept: HashMap<Vec<&'h [u8]>, Vec<usize>>,
}

/// The candidates before the line up to which lines were taken then.
#[derive(Default)]
struct Known {
    end: usize,
    places: Places,
}

impl<'h> Untaken<'h> {
    /// Takes lines that a hunk removes, or between which it adds lines; they come after all that
    /// was taken before.
    pub(super) fn take(&mut self, range: Range<usize>) {
        self.end = range.end;
        self.taken.add(range);
    }

    /// Records where a hunk leaves all its old lines in a row.
    pub(super) fn keep(&mut self, lines: Vec<&'h [u8]>, at: usize) {
        self.kept.entry(lines).or_default().push(at);
    }

    /// Finds the candidates, in a range, of lines whose places at a level are known; lists only the
    /// first few.
    pub(super) fn first(
        &mut self,
        level: Fuzz,
        lines: Vec<&'h [u8]>,
        run: &Run<'_>,
        within: Range<usize>,
    ) -> Places {
        let Self { taken, end, .. } = self;
        let kept = self.kept.get(&lines).map_or(&[][..], |kept| kept);
        let mut found = Places::default();
        let mut next = within.start;
        if next == 0 {
            let known = self.known.entry((level, lines)).or_default();
            taken.find(&mut known.places, FIRST, run, known.end..*end, kept);
            known.end = *end;
            (next, found) = (*end, known.places.clone());
        }
        taken.find(&mut found, FIRST, run, next..within.end, kept);
        found
    }

    /// Finds the candidates of lines in a range.
    pub(super) fn all(&self, lines: &[&[u8]], run: &Run<'_>, within: Range<usize>) -> Places {
        let kept = self.kept.get(lines).map_or(&[][..], |kept| kept);
        let mut found = Places::default();
        self.taken.find(&mut found, CANDIDATES, run, within, kept);
        found
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::search::Document;
    use crate::text::Lines;

    proptest! {
            #![proptest_config(ProptestConfig { cases: crate::testing::cases(500), failure_persistence: None, ..ProptestConfig::default() })]

            /// Lines and places between lines are taken in any order: what is listed is what a look at
            /// every line lists.
            #[test]
            fn lists_what_no_hunk_has_taken(
                text in "([ab]\n){3,30}", taken in proptest::collection::vec((0..30usize, 0..4usize), 0..8),
                first in 0..30usize, len in 1..4usize, within in (0..30usize, 0..32usize),
            ) {
                let lines = Lines::new(text.as_bytes());
                let texts = |at: usize| (at..at + len).map(|line| lines.text(line));
                let first = first % (lines.len() + 1 - len);
                let document = Document::of_lines(&lines, [[b"a"], [b"b"]]);
                let mut all = Taken::default();
                let mut ranges: Vec<Range<usize>> = Vec::new();
                for range in taken.into_iter().map(|(start, len)| start..start + len) {
                    if all.is_free(range.clone()) {
                        all.add(range.clone());
                        ranges.push(range);
                    }
                }
                let got = all.candidates(&document.run(texts(first)), within.0..within.1);
                let is_taken = |at: usize| ranges.iter().any(|range| if range.is_empty() {
    at < range.start && range.start < at + len
    } else {
    at < range.end && range.start < at + len
    });
                let starts = (within.0..within.1).take_while(|at| at + len <= lines.len());
                let want: Vec<_> = starts.filter(|&at| texts(at).eq(texts(first)) && !is_taken(at)).collect();
                prop_assert_eq!(got, Places::new(want.iter().copied(), want.len()));
            }

            /// Hunks of one or two lines, placed one after the other with lines left between: what is
            /// found around each is what a look at every line finds.
            #[test]
            fn finds_what_a_look_at_every_line_finds(text in "([ab]\n){1,30}", steps in proptest::collection::vec((0..3usize, 1..3usize), 1..8)) {
                let lines = Lines::new(text.as_bytes());
                let haystack = Document::of_lines(&lines, [[b"a"], [b"b"]]);
                let mut untaken = Untaken::default();
                let mut replaced = vec![false; lines.len()];
                let mut cursor = 0;
                for (skip, len) in steps {
                    let chosen = cursor + skip;
                    if chosen + len > lines.len() {
                        break;
                    }
                    let run: Vec<_> = (chosen..chosen + len).map(|line| lines.text(line)).collect();
                    let compiled = haystack.run(run.iter().copied());
                    let got = untaken.first(Fuzz::Exact, run.clone(), &compiled, 0..usize::MAX);
                    prop_assert_eq!(&untaken.all(&run, &compiled, 0..usize::MAX), &got);
                    let is_at = |at: usize| run.iter().enumerate().all(|(nth, text)| lines.text(at + nth) == *text);
                    let want: Vec<_> = (0..=lines.len() - len)
                        .filter(|&at| is_at(at) && !replaced[at..at + len].contains(&true))
                        .collect();
                    prop_assert_eq!(got.count, want.len());
                    prop_assert_eq!(got.lines, want.into_iter().map(LineNo::from_index).collect::<Vec<_>>());
                    untaken.take(chosen..chosen + len);
                    replaced[chosen..chosen + len].fill(true);
                    cursor = chosen + len;
                }
            }
        }
}
