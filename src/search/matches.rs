//! The matches of a needle.

use std::num::NonZeroUsize;
use std::ops::Range;
use std::rc::Rc;

use super::places::Places;
use super::spliced::{self, Spliced};
use super::view::View;

/// All matches of a needle in a file, as byte ranges in order, overlapping ones included.
pub struct Matches<'v> {
    /// Where they began in the view of the file as it was read.
    pub(super) places: Rc<Places>,
    /// How many bytes of the view each has.
    pub(super) len: usize,
    pub(super) view: View<'v>,
    /// What edits have done since.
    pub(super) spliced: &'v [Spliced],
    /// Those that weren't in the file as it was read, in order.
    pub(super) fresh: Vec<Range<usize>>,
}

/// Of so few places each is looked at, rather than what is between edits.
const FEW: usize = 32;

impl Matches<'_> {
    /// Returns how many there are.
    pub fn count(&self) -> usize {
        self.count_from(0)
    }

    /// Returns how many begin at or after an offset.
    pub fn count_from(&self, from: usize) -> usize {
        if self.places.count() <= FEW {
            return self.iter_from(from).count();
        }
        let mut kept = 0;
        let mut start = self.view.first_at(spliced::in_base(self.spliced, from));
        let first = self.spliced.partition_point(|spliced| spliced.start <= from);
        let next = self.spliced[first..].iter().map(Some).chain([None]);
        if let Some(before) = first.checked_sub(1) {
            start = start.max(self.view.first_at(self.spliced[before].splice.old.end + 1));
        }
        for next in next {
            let end = next.map_or(usize::MAX, |next| {
                self.view.first_at(next.splice.old.start.saturating_sub(1)).saturating_sub(self.len)
            });
            kept += self.places.count_from(start) - self.places.count_from(end.max(start));
            start = next.map_or(0, |next| self.view.first_at(next.splice.old.end + 1));
        }
        kept + self.fresh.iter().filter(|range| range.start >= from).count()
    }

    /// Returns the one that begins first.
    pub fn first(&self) -> Option<Range<usize>> {
        self.iter().next()
    }

    /// Returns the one that begins last.
    pub fn last(&self) -> Option<Range<usize>> {
        match self.spliced {
            [] => self.places.last().map(|at| self.view.original(at..at + self.len)),
            _ => self.iter().last(),
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
        self.iter_from(0)
    }

    /// Returns those that begin at or after an offset, in order.
    pub fn iter_from(&self, from: usize) -> impl Iterator<Item = Range<usize>> {
        let mut next = self.view.first_at(spliced::in_base(self.spliced, from));
        let kept = std::iter::from_fn(move || {
            loop {
                let at = self.places.at_or_after(next)?;
                let range = self.view.original(at..at + self.len);
                next = at + 1;
                match spliced::kept(self.spliced, &range) {
                    Ok(range) => return Some(range),
                    // All that it touches is gone.
                    Err(touched) => next = next.max(self.view.first_at(touched.splice.old.end + 1)),
                }
            }
        });
        let mut kept = kept.skip_while(move |range| range.start < from).peekable();
        let mut fresh = self.fresh.iter().filter(move |range| range.start >= from).cloned().peekable();
        std::iter::from_fn(move || match (kept.peek(), fresh.peek()) {
            (Some(kept_next), Some(new)) if new.start < kept_next.start => fresh.next(),
            (None, _) => fresh.next(),
            _ => kept.next(),
        })
    }
}

#[cfg(test)]
mod tests;
