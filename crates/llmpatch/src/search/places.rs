/// Line indices, from 0, ascending. Where they are evenly spaced they take no room, so the million
/// places of a blank line in a file of blank lines are one item; a patch and a file that repeat
/// themselves can't make it grow beyond the file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Places {
    stretches: Vec<Stretch>,
}

/// Places `start`, `start + step`, …: `len` of them (at least one), after `before` places in
/// earlier stretches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stretch {
    start: usize,
    step: usize,
    len: usize,
    before: usize,
}

impl Stretch {
    fn last(&self) -> usize {
        self.start + (self.len - 1) * self.step
    }

    /// Returns how many of its places are before `line`.
    fn count_before(&self, line: usize) -> usize {
        match line.checked_sub(self.start) {
            None | Some(0) => 0,
            Some(distance) => distance.div_ceil(self.step.max(1)).min(self.len),
        }
    }
}

impl Places {
    /// Returns how many there are.
    pub(super) fn count(&self) -> usize {
        self.stretches
            .last()
            .map_or(0, |stretch| stretch.before + stretch.len)
    }

    /// Returns how many are at or after a line.
    pub(super) fn count_from(&self, from: usize) -> usize {
        self.count() - self.count_before(from)
    }

    /// Returns the last place.
    pub(super) fn last(&self) -> Option<usize> {
        self.stretches.last().map(Stretch::last)
    }

    /// Returns the last place before a line, in logarithmic time.
    pub(super) fn last_before(&self, line: usize) -> Option<usize> {
        let behind = self
            .stretches
            .partition_point(|stretch| stretch.start < line);
        let stretch = self.stretches[..behind].last()?;
        Some(stretch.start + (stretch.count_before(line) - 1) * stretch.step)
    }

    /// Returns the first place at or after a line, in logarithmic time.
    pub(super) fn at_or_after(&self, from: usize) -> Option<usize> {
        self.iter_from(from).next()
    }

    /// Returns the places in order.
    pub(super) fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.iter_from(0)
    }

    /// Returns the places at or after a line in order; to get to the first takes logarithmic time.
    pub(super) fn iter_from(&self, from: usize) -> impl Iterator<Item = usize> + '_ {
        let behind = self
            .stretches
            .partition_point(|stretch| stretch.last() < from);
        self.stretches[behind..].iter().flat_map(move |stretch| {
            (stretch.count_before(from)..stretch.len).map(|nth| stretch.start + nth * stretch.step)
        })
    }

    fn count_before(&self, line: usize) -> usize {
        let behind = self
            .stretches
            .partition_point(|stretch| stretch.last() < line);
        self.stretches.get(behind).map_or(self.count(), |stretch| {
            stretch.before + stretch.count_before(line)
        })
    }

    /// Adds a place behind all others.
    pub(super) fn push(&mut self, line: usize) {
        debug_assert!(
            self.last().is_none_or(|last| last < line),
            "places come in order"
        );
        match self.stretches.last_mut() {
            Some(last) if last.len == 1 || last.last() + last.step == line => {
                if last.len == 1 {
                    last.step = line - last.start;
                }
                last.len += 1;
            }
            _ => self.stretches.push(Stretch {
                start: line,
                step: 1,
                len: 1,
                before: self.count(),
            }),
        }
    }
}

impl FromIterator<usize> for Places {
    fn from_iter<I: IntoIterator<Item = usize>>(lines: I) -> Self {
        let mut places = Places::default();
        lines.into_iter().for_each(|line| places.push(line));
        places
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn answers_like_a_set(lines: BTreeSet<u8>, from: u8) {
            let lines: BTreeSet<usize> = lines.into_iter().map(usize::from).collect();
            let from = usize::from(from);
            let places: Places = lines.iter().copied().collect();
            prop_assert_eq!(places.count(), lines.len());
            prop_assert_eq!(places.last(), lines.last().copied());
            prop_assert_eq!(places.count_from(from), lines.range(from..).count());
            prop_assert_eq!(places.at_or_after(from), lines.range(from..).next().copied());
            prop_assert_eq!(places.last_before(from), lines.range(..from).next_back().copied());
            prop_assert!(places.iter().eq(lines.iter().copied()));
            prop_assert!(places.iter_from(from).eq(lines.range(from..).copied()));
        }
    }

    #[test]
    fn even_spacing_takes_no_room() {
        let places: Places = (0..100_000).map(|nth| 7 + 3 * nth).collect();
        assert_eq!(places.stretches.len(), 1);
    }
}
