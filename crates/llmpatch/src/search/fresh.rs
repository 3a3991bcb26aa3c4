//! Matches that a file didn't have as it was read.
//!
//! Each touches something that edits have put there, and is known by that part and its place beside
//! it: so it moves with the part, and an edit elsewhere leaves it alone.

use std::collections::BTreeMap;
use std::ops::Range;

use super::spliced::{Spliced, SplicedParts};

/// Matches by the number of their needle and the first part that each touches, which is named by its
/// offset in the base.
#[derive(Debug, Default)]
pub(super) struct Fresh {
    matches: BTreeMap<(usize, usize), Vec<Beside>>,
    /// The needles that a part has matches of.
    numbers: BTreeMap<usize, Vec<usize>>,
}

/// Where a match begins, from the start of its part on, and how many bytes it has.
type Beside = (isize, usize);

fn range(part: &Spliced<'_>, (offset, len): Beside) -> Range<usize> {
    let start = part.start.saturating_add_signed(offset);
    start..start + len
}

impl Fresh {
    /// Adds a match, unless it is there already.
    pub(super) fn add(&mut self, parts: &SplicedParts, number: usize, found: &Range<usize>) {
        let Some(part) = parts.get(parts.position(|part| part.end() < found.start)) else {
            return;
        };
        let name = part.splice.old.start;
        let all = self.matches.entry((number, name)).or_default();
        if all.is_empty() {
            self.numbers.entry(name).or_default().push(number);
        }
        let beside = (found.start as isize - part.start as isize, found.len());
        if let Err(at) = all.binary_search(&beside) {
            all.insert(at, beside);
        }
    }

    /// Takes all matches of a part.
    pub(super) fn take(&mut self, part: &Spliced<'_>) -> Vec<(usize, Range<usize>)> {
        let name = part.splice.old.start;
        let mut taken = Vec::new();
        for number in self.numbers.remove(&name).unwrap_or_default() {
            let all = self.matches.remove(&(number, name)).unwrap_or_default();
            taken.extend(all.into_iter().map(|beside| (number, range(part, beside))));
        }
        taken
    }

    /// Returns the matches of a needle that begin at or after an offset, in order.
    pub(super) fn iter_from<'f>(
        &'f self,
        parts: &'f SplicedParts,
        number: usize,
        from: usize,
    ) -> impl Iterator<Item = Range<usize>> + 'f {
        // None touches a part before.
        let first = parts.get(parts.position(|part| part.end() < from));
        let names = first.map(|first| (number, first.splice.old.start)..=(number, usize::MAX));
        let all = names
            .into_iter()
            .flat_map(|names| self.matches.range(names));
        let ranges = all.flat_map(move |((_, name), all)| {
            let part = parts.named(*name);
            part.into_iter()
                .flat_map(|part| all.iter().map(move |beside| range(&part, *beside)))
        });
        ranges.filter(move |range| range.start >= from)
    }

    /// Returns the last match of a needle.
    pub(super) fn last(&self, parts: &SplicedParts, number: usize) -> Option<Range<usize>> {
        let mut all = self.matches.range((number, 0)..=(number, usize::MAX));
        let ((_, name), all) = all.next_back()?;
        Some(range(&parts.named(*name)?, *all.last()?))
    }
}
