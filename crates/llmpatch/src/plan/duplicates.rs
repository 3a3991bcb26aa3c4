//! Where else the old lines of a hunk are: in the lines before it that no earlier hunk has
//! replaced, and behind it.
//!
//! Replaced are lines that a hunk removes, and no run reaches across lines that it adds. The
//! context of a hunk may be what a later one means, except where both have the same old lines.
//!
//! A response may repeat one hunk ten thousand times over a file that repeats itself, so what was
//! found out about a run of lines is kept, and each further question about it looks only at what
//! has been replaced since.

use std::collections::HashMap;
use std::ops::Range;

use super::place_error::CANDIDATES;
use super::placement::Match;
use crate::search::Run;
use crate::text::LineNo;

/// How many line numbers are kept of each warning.
pub(super) const SHOWN: usize = 100;

/// The lines that hunks have taken the place of so far, and what is known of runs between them.
#[derive(Default)]
pub(super) struct Duplicates<'h> {
    /// In the file's order; neighbours are one. Where lines are only added, the range is empty.
    replaced: Vec<Range<usize>>,
    seen: HashMap<(Match, Vec<&'h [u8]>), KnownPlaces>,
    /// Where hunks have left their old lines in a row, in order, by these lines.
    kept: HashMap<Vec<&'h [u8]>, Vec<usize>>,
}

/// The places of a run in the gaps before the first `ranges` replaced ranges.
#[derive(Default)]
struct KnownPlaces {
    ranges: usize,
    found: Others,
}

/// Some places and how many there are.
#[derive(Clone, Default)]
pub(super) struct Others {
    /// The first few, by line index.
    pub(super) shown: Vec<usize>,
    pub(super) count: usize,
}

impl Others {
    /// Adds the places in a range, apart from the places in `kept`.
    fn add(&mut self, places: &Run<'_>, within: Range<usize>, kept: &[usize]) {
        let before = |line: usize| kept.partition_point(|at| *at < line);
        let kept = &kept[before(within.start)..before(within.end)];
        let (count, inside) = places.within(within);
        self.count += count - kept.iter().filter(|at| places.contains(**at)).count();
        let inside = inside.filter(|at| kept.binary_search(at).is_err());
        self.shown.extend(inside.take(SHOWN - self.shown.len()));
    }

    pub(super) fn lines(&self) -> Vec<LineNo> {
        self.shown.iter().copied().map(LineNo::from_index).collect()
    }
}

impl<'h> Duplicates<'h> {
    /// Records lines that a hunk removes, or between which it adds lines; they come after all that
    /// was noted before.
    pub(super) fn replace(&mut self, range: Range<usize>) {
        match self.replaced.last_mut() {
            Some(last) if last.end == range.start => last.end = range.end,
            _ => self.replaced.push(range),
        }
    }

    /// Records where a hunk leaves all its old lines in a row.
    pub(super) fn keep(&mut self, run: Vec<&'h [u8]>, at: usize) {
        self.kept.entry(run).or_default().push(at);
    }

    /// Lists all places of a run that [`Self::others`] would count, and the chosen one among them.
    pub(super) fn all(
        &self,
        len: usize,
        places: &Run<'_>,
        chosen: usize,
        is_around: bool,
    ) -> Vec<usize> {
        let is_free = |&at: &usize| {
            let next = self.replaced.partition_point(|range| range.end <= at);
            at >= chosen
                || self
                    .replaced
                    .get(next)
                    .is_none_or(|range| at + len <= range.start)
        };
        let from = if is_around { 0 } else { chosen };
        places
            .iter_from(from)
            .filter(is_free)
            .take(CANDIDATES)
            .collect()
    }

    /// Finds the places of a run behind the chosen place, and, if the whole file `is_around` it,
    /// before it in lines that nothing has replaced. `how` tells its places from the places of the
    /// same run where lines are compared otherwise.
    pub(super) fn others(
        &mut self,
        how: Match,
        run: Vec<&'h [u8]>,
        places: &Run<'_>,
        chosen: usize,
        is_around: bool,
    ) -> Others {
        let mut others = Others::default();
        if is_around && places.count_from(0) > places.count_from(chosen) {
            others = self.before(how, run, places, chosen);
        }
        others.add(places, chosen + 1..usize::MAX, &[]);
        others
    }

    fn before(
        &mut self,
        how: Match,
        run: Vec<&'h [u8]>,
        places: &Run<'_>,
        chosen: usize,
    ) -> Others {
        let len = run.len();
        let kept = self.kept.get(&run).map_or(&[][..], |kept| kept);
        let seen = self.seen.entry((how, run)).or_default();
        let gap = |index: usize| {
            let start = if index == 0 {
                0
            } else {
                self.replaced[index - 1].end
            };
            start
                ..(self.replaced[index].start + 1)
                    .saturating_sub(len)
                    .max(start)
        };
        while seen.ranges < self.replaced.len() {
            let gap = gap(seen.ranges);
            seen.ranges = match places.at_or_after(gap.start) {
                None => self.replaced.len(),
                // Past all gaps that hold no place.
                Some(next) if next >= gap.end => (seen.ranges + 1)
                    .max(self.replaced.partition_point(|range| range.start <= next)),
                Some(_) => {
                    seen.found.add(places, gap, kept);
                    seen.ranges + 1
                }
            };
        }
        let mut others = seen.found.clone();
        let open = self.replaced.last().map_or(0, |last| last.end);
        others.add(places, open.min(chosen)..chosen, kept);
        others
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

        /// Hunks of one or two lines, placed one after the other with lines left between: what is
        /// found around each is what a look at every line finds.
        #[test]
        fn finds_what_a_look_at_every_line_finds(text in "([ab]\n){1,30}", steps in proptest::collection::vec((0..3usize, 1..3usize), 1..8)) {
            let lines = Lines::new(text.as_bytes());
            let haystack = Document::of_lines(&lines, [[b"a"], [b"b"]]);
            let mut duplicates = Duplicates::default();
            let mut replaced = vec![false; lines.len()];
            let mut cursor = 0;
            for (skip, len) in steps {
                let chosen = cursor + skip;
                if chosen + len > lines.len() {
                    break;
                }
                let run: Vec<_> = (chosen..chosen + len).map(|line| lines.text(line)).collect();
                let compiled = haystack.run(run.iter().copied());
                let got = duplicates.others(Match::Exact, run.clone(), &compiled, chosen, true);
                let is_at = |at: usize| run.iter().enumerate().all(|(nth, text)| lines.text(at + nth) == *text);
                let want: Vec<_> = (0..=lines.len() - len)
                    .filter(|&at| at != chosen && is_at(at) && !replaced[at..at + len].contains(&true))
                    .collect();
                prop_assert_eq!(got.count, want.len());
                prop_assert_eq!(&got.shown[..], &want[..want.len().min(SHOWN)]);
                duplicates.replace(chosen..chosen + len);
                replaced[chosen..chosen + len].fill(true);
                cursor = chosen + len;
            }
        }
    }
}
