//! Knuth, Morris and Pratt's search over anything that can be compared: every occurrence, overlaps
//! included, in linear time.
//!
//! `memchr::memmem` is faster on bytes and is used wherever the first or the last match will do; it
//! has no overlapping search, and knows bytes only.

/// A needle and, for each of its prefixes, the length of the longest border: a proper prefix that
/// is a suffix too.
pub(super) struct Kmp<'n, T> {
    needle: &'n [T],
    borders: Vec<usize>,
}

impl<'n, T: PartialEq> Kmp<'n, T> {
    /// Prepares a needle; an empty one matches nothing.
    pub(super) fn new(needle: &'n [T]) -> Self {
        let mut borders = Vec::with_capacity(needle.len());
        let mut border = 0;
        for (at, item) in needle.iter().enumerate() {
            if at > 0 {
                border = advance(needle, &borders, border, item);
            }
            borders.push(border);
        }
        Self { needle, borders }
    }

    /// Reads another item. `matched` is how many items of the needle agree with the last items read
    /// (0 at first); returns this number with `item` read. If it equals the needle's length, an
    /// occurrence ends here.
    pub(super) fn step(&self, matched: usize, item: &T) -> usize {
        match self.needle.len() {
            0 => 0,
            len if matched == len => {
                advance(self.needle, &self.borders, self.borders[len - 1], item)
            }
            _ => advance(self.needle, &self.borders, matched, item),
        }
    }
}

fn advance<T: PartialEq>(needle: &[T], borders: &[usize], mut matched: usize, item: &T) -> usize {
    loop {
        #[cfg(test)]
        work::add(1);
        if needle[matched] == *item {
            return matched + 1;
        }
        match matched {
            0 => return 0,
            _ => matched = borders[matched - 1],
        }
    }
}

/// Counts comparisons, so that tests can tell linear from quadratic without a clock.
#[cfg(test)]
pub(super) mod work {
    use std::cell::Cell;

    thread_local! { static COMPARISONS: Cell<usize> = const { Cell::new(0) } }

    pub(in crate::search) fn add(count: usize) {
        COMPARISONS.set(COMPARISONS.get() + count);
    }

    pub(in crate::search) fn during<R>(what: impl FnOnce() -> R) -> (R, usize) {
        let before = COMPARISONS.get();
        let result = what();
        (result, COMPARISONS.get() - before)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_overlaps() {
        for (needle, hay, want) in [
            ("a", "aba", &[1, 3][..]),
            ("aa", "aaaa", &[2, 3, 4]),
            ("abab", "ababababb", &[4, 6, 8]),
            ("aab", "aaab", &[4]),
            ("", "aa", &[]),
        ] {
            let kmp = Kmp::new(needle.as_bytes());
            let mut matched = 0;
            let mut ends = Vec::new();
            for (at, byte) in hay.bytes().enumerate() {
                matched = kmp.step(matched, &byte);
                if matched == needle.len() && !needle.is_empty() {
                    ends.push(at + 1);
                }
            }
            assert_eq!(ends, want, "{needle:?} in {hay:?}");
        }
    }
}
