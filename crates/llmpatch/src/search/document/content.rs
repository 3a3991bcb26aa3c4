//! What a file is once edits have changed it, by offsets.

use std::borrow::Cow;
use std::ops::Range;

use super::super::spliced::{Nth, Spliced};
use super::Document;
use crate::text::{Content, Lines};

impl Document {
    /// Returns the lines of what the file was.
    pub(crate) fn base_lines(&self) -> Lines<'_> {
        Lines::with(&self.base, self.starts.clone())
    }

    /// Returns what the file is now.
    pub(crate) fn content(&self) -> Content {
        if self.is_untouched() {
            return self.base.clone();
        }
        Content::spliced(
            self.base.clone(),
            self.spliced
                .iter()
                .map(|spliced| spliced.splice.clone())
                .collect(),
        )
    }

    /// Returns how many bytes the file has now.
    pub(crate) fn len(&self) -> usize {
        self.spliced
            .last()
            .map_or(self.base.len(), |last| last.now(self.base.len()))
    }

    /// Returns whether the file is empty now.
    pub(crate) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns whether no edit has changed anything yet.
    pub(crate) fn is_untouched(&self) -> bool {
        self.spliced.is_empty()
    }

    /// Returns the lines of what the file is now.
    pub(crate) fn lines(&self) -> Lines<'_> {
        if self.is_untouched() {
            return self.base_lines();
        }
        let (content, starts) = self.now.get_or_init(|| {
            let content = self.content();
            let starts = Lines::new(&content).starts();
            (content, starts)
        });
        Lines::with(content, starts.clone())
    }

    /// Returns the bytes of a range, as it is now.
    pub(crate) fn slice(&self, range: Range<usize>) -> Cow<'_, [u8]> {
        let mut parts = self.parts(range);
        match (parts.next(), parts.next()) {
            (None, _) => Cow::Borrowed(&[]),
            (Some(only), None) => Cow::Borrowed(only),
            (Some(first), Some(second)) => {
                Cow::Owned(parts.fold([first, second].concat(), |mut all, part| {
                    all.extend_from_slice(part);
                    all
                }))
            }
        }
    }

    /// Returns the bytes of a range, as it is now, in parts of which none is empty.
    pub(crate) fn parts(&self, range: Range<usize>) -> impl Iterator<Item = &[u8]> {
        let mut at = range.start;
        let mut next = self
            .spliced
            .position(|spliced| spliced.end() <= range.start);
        std::iter::from_fn(move || {
            while at < range.end {
                let following = self.spliced.get(next);
                let begin = at;
                if let Some(spliced) = following.filter(|spliced| spliced.start <= at) {
                    at = spliced.end().min(range.end).max(at);
                    next = self.spliced.behind(next);
                    let part = &spliced.splice.new[begin - spliced.start..at - spliced.start];
                    if part.is_empty() {
                        continue;
                    }
                    return Some(part);
                }
                at = following.map_or(range.end, |spliced| spliced.start.min(range.end));
                let before = self.spliced.before(next);
                let start = before.map_or(begin, |before| before.in_base(begin));
                return Some(&self.base[start..start + (at - begin)]);
            }
            None
        })
    }

    /// Returns whether the byte order mark that the file began with is no longer what it begins
    /// with, or others came before it.
    pub(crate) fn has_lost_mark(&self) -> bool {
        let mark = self.starts[0];
        self.spliced
            .iter()
            .next()
            .is_some_and(|first| first.splice.old.start < mark.max(1))
            && (mark > 0 || self.bom() > 0)
    }

    /// Returns how long the byte order mark is that the file begins with now.
    pub(crate) fn bom(&self) -> usize {
        if self.is_untouched() {
            return self.starts[0];
        }
        let start = self.slice(0..self.len().min(Lines::BOM.len()));
        if *start == *Lines::BOM {
            start.len()
        } else {
            0
        }
    }

    /// Returns the offset in the base that corresponds to `at`. Several do where bytes were
    /// removed: the first of them, or else the last.
    pub(super) fn in_base(&self, at: usize, first: bool) -> usize {
        let before = self.spliced.position(|spliced| {
            if first {
                spliced.end() < at
            } else {
                spliced.end() <= at
            }
        });
        let before = self.spliced.before(before);
        before.map_or(at, |before| before.in_base(at))
    }

    /// Returns the offset in the base that corresponds to `at`; inside new bytes, the end of the
    /// range that they replace.
    pub(in crate::search) fn behind_in_base(&self, at: usize) -> usize {
        let before = self.spliced.before(self.begun(at));
        before.map_or(at, |before| before.in_base(at.max(before.end())))
    }

    /// Returns what begins behind an offset.
    pub(in crate::search) fn begun(&self, at: usize) -> Nth {
        self.spliced.position(|part| part.start <= at)
    }

    /// Returns where bytes of the base are now, if nothing touches them, or else what does. What
    /// comes right behind a CR at their end may make it part of a line end, so that touches them as
    /// well.
    pub(in crate::search) fn kept(
        &self,
        range: &Range<usize>,
    ) -> Result<Range<usize>, Spliced<'_>> {
        let before = self
            .spliced
            .position(|spliced| spliced.splice.old.end < range.start);
        if let Some(touched) = self
            .spliced
            .get(before)
            .filter(|spliced| spliced.splice.old.start <= range.end + 1)
        {
            return Err(touched);
        }
        let now = |at: usize| {
            let before = self.spliced.before(before);
            before.map_or(at, |before| before.now(at))
        };
        Ok(now(range.start)..now(range.end))
    }
}
