//! The matches of a needle, by bytes or by lines.

use std::cell::{Cell, OnceCell};
use std::num::NonZeroUsize;
use std::ops::Range;
use std::rc::Rc;

use super::document::Document;
use super::needle::Needle;
use super::places::Places;
use super::spliced::Spliced;
use crate::text::LineNo;

/// The places of a text in the base.
#[derive(Debug)]
pub(super) struct Sites {
    pub(super) places: Places,
    /// The offset in the view before which none of them is kept any more: what is gone stays so.
    pub(super) gone: Cell<usize>,
    /// The offset in the view from which on none of them is kept any more.
    pub(super) gone_from: Cell<usize>,
}

impl Sites {
    pub(super) fn new(places: Places) -> Rc<Self> {
        Rc::new(Self {
            places,
            gone: Cell::new(0),
            gone_from: Cell::new(usize::MAX),
        })
    }
}

/// All matches of a needle in a file as it is now, as byte ranges in order, overlapping matches
/// included.
pub(crate) struct Matches<'d> {
    pub(super) document: &'d Document,
    /// Where they began in the view of the file as it was read.
    pub(super) sites: Rc<Sites>,
    /// How many bytes of the view each has.
    pub(super) len: usize,
    /// The number of the needle, by which `Document::fresh` has the matches that edits have made;
    /// `None` for a needle that wasn't announced.
    pub(super) number: Option<usize>,
    /// For a needle without a number, the matches that edits have made, in order.
    pub(super) fresh: Vec<Range<usize>>,
}

/// Of so few places each is looked at, rather than what is between edits.
const FEW: usize = if cfg!(test) { 1 } else { 32 };

impl Matches<'_> {
    /// Returns how many there are.
    pub(crate) fn count(&self) -> usize {
        self.count_from(0)
    }

    /// Returns how many begin at or after an offset.
    pub(crate) fn count_from(&self, from: usize) -> usize {
        let Sites { places, gone, .. } = &*self.sites;
        if places.count() <= FEW {
            return self.iter_from(from).count();
        }
        let view = &self.document.view;
        let mut kept = 0;
        let mut start = view
            .first_at(self.document.behind_in_base(from))
            .max(gone.get());
        let Document { spliced, .. } = self.document;
        let behind = |part: &Spliced<'_>| view.first_at(part.splice.old.end + 1);
        let begun = self.document.begun(from);
        if let Some(before) = spliced.before(begun) {
            start = start.max(behind(&before));
        }
        let next = spliced.position(|part| part.start <= from || behind(part) <= start);
        for next in spliced.iter_from(next).map(Some).chain([None]) {
            let end = next.as_ref().map_or(usize::MAX, |next| {
                view.first_at(next.splice.old.start.saturating_sub(1))
                    .saturating_sub(self.len)
            });
            kept += places.count_from(start) - places.count_from(end.max(start));
            start = next.as_ref().map_or(0, behind);
        }
        kept + self.fresh_from(from).count()
    }

    /// Returns those that weren't in the file as it was read and that begin at or after an offset,
    /// in order.
    fn fresh_from(&self, from: usize) -> impl Iterator<Item = Range<usize>> {
        let Document { fresh, spliced, .. } = self.document;
        let known = self.number.into_iter();
        let known = known.flat_map(move |number| fresh.iter_from(spliced, number, from));
        let found = &self.fresh[self.fresh.partition_point(|range| range.start < from)..];
        known.chain(found.iter().cloned())
    }

    pub(crate) fn first(&self) -> Option<Range<usize>> {
        self.iter().next()
    }

    pub(crate) fn document(&self) -> &Document {
        self.document
    }

    /// Returns the line in which a match begins.
    pub(crate) fn line(&self, range: &Range<usize>) -> LineNo {
        LineNo::from_index(self.document.line(range.start))
    }

    /// Returns the indices, from 0, of the lines in which they begin, in order.
    pub(crate) fn lines(&self) -> impl Iterator<Item = usize> {
        self.iter().map(|range| self.document.line(range.start))
    }

    pub(crate) fn last(&self) -> Option<Range<usize>> {
        let Self {
            document,
            sites,
            len,
            ..
        } = self;
        let view = &document.view;
        let kept = loop {
            let Some(at) = sites.places.last_before(sites.gone_from.get()) else {
                break None;
            };
            match document.kept(&view.original(at..at + len)) {
                Ok(range) => break Some(range),
                // Of all that reach so far, nothing is left.
                Err(touched) => sites.gone_from.set(
                    at.min((view.first_at(touched.splice.old.start) + 1).saturating_sub(*len)),
                ),
            }
        };
        let Document { fresh, spliced, .. } = document;
        let known = self.number.and_then(|number| fresh.last(spliced, number));
        kept.into_iter()
            .chain(known.or(self.fresh.last().cloned()))
            .max_by_key(|range| range.start)
    }

    /// Returns the match; `None` if there is another.
    pub(crate) fn only(&self) -> Option<Range<usize>> {
        let mut all = self.iter();
        let only = all.next();
        only.filter(|_| all.next().is_none())
    }

    /// Returns the match number `n`, counted from the start without overlaps.
    ///
    /// # Errors
    /// If there are fewer: how many there are.
    pub(crate) fn nth(&self, n: NonZeroUsize) -> Result<Range<usize>, usize> {
        let mut count = 0;
        let mut end = 0;
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

    /// Returns the last match counted from the start without overlaps, and its number, unless it is
    /// the match that begins last.
    pub(crate) fn last_apart(&self, last: &Range<usize>) -> Option<(Range<usize>, NonZeroUsize)> {
        let reach = last.start.saturating_sub(last.len().saturating_sub(1));
        if self.iter_from(reach).next()? == *last {
            return None;
        }
        let mut apart: Option<(Range<usize>, NonZeroUsize)> = None;
        for range in self.iter() {
            apart = match apart {
                None => Some((range, NonZeroUsize::MIN)),
                Some((before, count)) if before.end <= range.start => {
                    Some((range, count.saturating_add(1)))
                }
                before => before,
            };
        }
        apart.filter(|(range, _)| range != last)
    }

    /// Returns all, in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = Range<usize>> {
        self.iter_from(0)
    }

    /// Returns the matches that begin at or after an offset, in order.
    pub(crate) fn iter_from(&self, from: usize) -> impl Iterator<Item = Range<usize>> {
        let document = self.document;
        let view = &self.document.view;
        let Sites { places, gone, .. } = &*self.sites;
        let mut next = view.first_at(document.behind_in_base(from)).max(gone.get());
        // Whether all before this one is gone.
        let mut is_first = from == 0 || next == gone.get();
        let kept = std::iter::from_fn(move || {
            loop {
                let at = places.at_or_after(next)?;
                next = at + 1;
                match document.kept(&view.original(at..at + self.len)) {
                    Ok(range) => {
                        is_first = false;
                        return Some(range);
                    }
                    // All that it touches is gone.
                    Err(touched) => next = next.max(view.first_at(touched.splice.old.end + 1)),
                }
                if is_first {
                    gone.set(next);
                }
            }
        });
        let mut kept = kept.skip_while(move |range| range.start < from).peekable();
        let mut fresh = self.fresh_from(from).peekable();
        std::iter::from_fn(move || match (kept.peek(), fresh.peek()) {
            (Some(kept_next), Some(new)) if new.start < kept_next.start => fresh.next(),
            (None, _) => fresh.next(),
            _ => kept.next(),
        })
    }
}

/// All places of a run of lines in a file as it is now, by the indices, from 0, of their first
/// lines. Overlaps count. They are looked for once somebody asks for more than whether a line is
/// one.
pub(crate) struct Run<'d> {
    pub(super) document: &'d Document,
    /// How many lines each has.
    pub(super) len: usize,
    pub(super) needle: Needle,
    pub(super) matches: OnceCell<Matches<'d>>,
}

impl<'d> Run<'d> {
    fn matches(&self) -> &Matches<'d> {
        self.matches
            .get_or_init(|| self.document.matches(&self.needle))
    }

    /// Returns how many lines each has.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Returns how many there are.
    pub(crate) fn count(&self) -> usize {
        self.matches().count()
    }

    /// Returns how many are at or after a line.
    pub(crate) fn count_from(&self, from: usize) -> usize {
        self.matches().count_from(self.document.start(from))
    }

    /// Returns how many are in a range of lines, and all of these in order.
    pub(crate) fn within(&self, lines: Range<usize>) -> (usize, impl Iterator<Item = usize>) {
        let count = self.count_from(lines.start) - self.count_from(lines.end);
        (
            count,
            self.iter_from(lines.start)
                .take_while(move |at| lines.contains(at)),
        )
    }

    /// Returns the first place.
    pub(crate) fn first(&self) -> Option<usize> {
        self.at_or_after(0)
    }

    /// Returns the first place if there is no other.
    pub(crate) fn only(&self) -> Option<usize> {
        self.first().filter(|_| self.count() == 1)
    }

    /// Returns the first place at or after a line.
    pub(crate) fn at_or_after(&self, from: usize) -> Option<usize> {
        self.iter_from(from).next()
    }

    /// Returns whether a line is a place.
    pub(crate) fn contains(&self, line: usize) -> bool {
        self.document.is_at(&self.needle, self.document.start(line))
    }

    /// Returns the places in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = usize> {
        self.iter_from(0)
    }

    /// Returns the places at or after a line in order.
    pub(crate) fn iter_from(&self, from: usize) -> impl Iterator<Item = usize> {
        let document = self.document;
        self.matches()
            .iter_from(document.start(from))
            .map(|range| document.line(range.start))
    }
}

#[cfg(test)]
mod tests;
