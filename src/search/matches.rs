//! The matches of a needle.

use std::borrow::Cow;
use std::num::NonZeroUsize;
use std::ops::Range;
use std::rc::Rc;

use super::places::Places;
use super::view::View;

/// All matches of a needle in a file, as byte ranges in order, overlapping ones included.
pub enum Matches<'v> {
    /// Those of a file as it was read.
    Read {
        /// Where they begin in the view.
        places: Rc<Places>,
        /// How many bytes of the view each has.
        len: usize,
        /// The file.
        view: Cow<'v, View<'v>>,
    },
    /// Those of a file that has been changed since.
    Listed(Vec<Range<usize>>),
}

impl Matches<'_> {
    /// Returns how many there are.
    pub fn count(&self) -> usize {
        match self {
            Matches::Read { places, .. } => places.count(),
            Matches::Listed(ranges) => ranges.len(),
        }
    }

    /// Returns the one that begins first.
    pub fn first(&self) -> Option<Range<usize>> {
        self.iter().next()
    }

    /// Returns the one that begins last.
    pub fn last(&self) -> Option<Range<usize>> {
        match self {
            Matches::Read { places, len, view } => places.last().map(|at| view.original(at..at + len)),
            Matches::Listed(ranges) => ranges.last().cloned(),
        }
    }

    /// Returns the only one.
    pub fn only(&self) -> Option<Range<usize>> {
        self.first().filter(|_| self.count() == 1)
    }

    /// Returns the match number `n`, counted from the start without overlaps.
    ///
    /// # Errors
    /// If there are fewer: how many there are.
    pub fn nth(&self, n: NonZeroUsize) -> Result<Range<usize>, usize> {
        let (mut count, mut end) = (0, 0);
        for range in self.iter() {
            if range.start < end && count > 0 {
                continue;
            }
            count += 1;
            if count == n.get() {
                return Ok(range);
            }
            end = range.end;
        }
        Err(count)
    }

    /// Returns all, in order.
    pub fn iter(&self) -> impl Iterator<Item = Range<usize>> {
        let (read, listed) = match self {
            Matches::Read { places, len, view } => (Some((places, *len, view)), None),
            Matches::Listed(ranges) => (None, Some(ranges)),
        };
        let read =
            read.into_iter().flat_map(|(places, len, view)| places.iter().map(move |at| view.original(at..at + len)));
        read.chain(listed.into_iter().flatten().cloned())
    }
}

#[cfg(test)]
mod tests;
