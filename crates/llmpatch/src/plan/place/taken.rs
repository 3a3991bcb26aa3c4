//! The lines of a file that hunks have taken, in whatever order these come.

use std::collections::BTreeMap;
use std::ops::Range;

use super::super::place_error::{CANDIDATES, Places as Candidates};
use crate::search::Run;

/// How many places are looked at one by one.
const FEW: usize = 32;

/// Runs of lines, by their first. Where lines are only added there are none, and no hunk may reach
/// across.
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
        let before = self.0.range(..range.start).next_back();
        let clear = before.is_none_or(|(_, &end)| end <= range.start);
        let mut inside = self.0.range(range.clone());
        clear && (range.is_empty() || inside.all(|(_, &end)| end == range.start))
    }

    /// Returns the places in a range of which no line is taken.
    pub(super) fn candidates(
        &self,
        places: &Run<'_>,
        count: usize,
        within: Range<usize>,
    ) -> Candidates {
        if within.is_empty() {
            return Candidates::default();
        }
        // Where there are few places, many hunks needn't be gone through.
        let (all, inside) = places.within(within.clone());
        if all <= FEW {
            let free: Vec<_> = inside.filter(|&at| self.is_free(at..at + count)).collect();
            let count = free.len();
            return Candidates::new(free, count);
        }
        let mut total = 0;
        let mut shown = Vec::new();
        let mut free = within.start;
        let before = self.0.range(..=free).next_back();
        let taken = before
            .into_iter()
            .chain(self.0.range(free + 1..))
            .map(|(start, end)| (*start, *end));
        for (start, end) in taken.chain([(usize::MAX, usize::MAX)]) {
            let gap = free..start
                .saturating_add(1)
                .saturating_sub(count)
                .min(within.end);
            if gap.start < gap.end {
                let (inside_count, inside) = places.within(gap);
                total += inside_count;
                shown.extend(inside.take(CANDIDATES - shown.len()));
            }
            free = free.max(end);
            if free >= within.end {
                break;
            }
        }
        Candidates::new(shown, total)
    }
}
