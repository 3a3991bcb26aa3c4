//! What a file is once edits have changed it: by offsets, and by the indices of its lines, of which only
//! what is around a line is read.

use std::borrow::Cow;
use std::ops::Range;

use super::super::spliced::{Nth, Spliced};
use super::Document;
use crate::text::{Content, Ending, Lines};

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

    /// Returns the index, from 0, of the line that holds an offset, as it is now.
    pub(crate) fn line(&self, at: usize) -> usize {
        let lines = self.base_lines();
        match self.spliced.before(self.begun(at)) {
            None => lines.newlines_before(at),
            Some(spliced) if at <= spliced.end() => spliced.line_of(at),
            Some(spliced) => {
                let end = spliced.splice.old.end;
                let between =
                    lines.newlines_before(spliced.in_base(at)) - lines.newlines_before(end);
                spliced.line_of(spliced.end()) + between
            }
        }
    }

    /// Returns the offset at which the line begins that holds an offset, as it is now.
    pub(crate) fn line_start(&self, at: usize) -> usize {
        let mut end = at;
        let mut reach = 256;
        while end > 0 {
            let start = end.saturating_sub(reach);
            if let Some(found) = memchr::memrchr(b'\n', &self.slice(start..end)) {
                return start + found + 1;
            }
            (end, reach) = (start, reach * 2);
        }
        0
    }

    /// Returns the offset behind the line that holds an offset, as it is now.
    pub(crate) fn line_end(&self, at: usize) -> usize {
        let mut behind = at;
        for part in self.parts(at..self.len()) {
            if let Some(found) = memchr::memchr(b'\n', part) {
                return behind + found + 1;
            }
            behind += part.len();
        }
        behind
    }

    /// Returns how many lines there are now.
    pub(crate) fn line_count(&self) -> usize {
        let len = self.len();
        let is_open = len > self.bom() && !self.slice(len - 1..len).ends_with(b"\n");
        self.line(len) + usize::from(is_open)
    }

    /// Returns by how many lines the file is longer or shorter than it was.
    pub(crate) fn growth(&self) -> usize {
        if self.is_untouched() {
            0
        } else {
            self.line_count().abs_diff(self.base_lines().len())
        }
    }

    /// Returns the offset at which a line begins in the changed file, given by its index from 0;
    /// the file's end if it has fewer lines.
    pub(crate) fn start(&self, line: usize) -> usize {
        if line == 0 {
            return self.bom();
        }
        let lines = self.base_lines();
        let in_base = |line: usize| lines.start(line.min(lines.len()));
        let before = self.spliced.position(|spliced| spliced.line < line);
        let Some(spliced) = self.spliced.before(before) else {
            return in_base(line);
        };
        let end = spliced.splice.old.end;
        // At least one newline is between the two.
        let nth = line - spliced.line - 1;
        match spliced.newlines.get(nth) {
            Some(at) => spliced.start + at + 1,
            None => {
                let left = nth + 1 - spliced.newlines.len();
                let there = lines.newlines_before(end).saturating_add(left);
                spliced.now(in_base(there).max(end))
            }
        }
    }

    /// Returns the offset at which a line of what the file was begins now, given by its index from
    /// 0; `None` if it is gone, or was never there.
    pub(crate) fn start_of_base(&self, line: usize) -> Option<usize> {
        let lines = self.base_lines();
        let at = (line < lines.len()).then(|| lines.start(line))?;
        let before = self
            .spliced
            .position(|spliced| spliced.splice.old.end <= at);
        let is_gone = self
            .spliced
            .get(before)
            .is_some_and(|spliced| spliced.splice.old.start <= at);
        (!is_gone).then(|| {
            let before = self.spliced.before(before);
            before.map_or(at, |before| before.now(at))
        })
    }

    /// Returns a line as it is now, without its terminator, given by its index from 0.
    pub(crate) fn text(&self, line: usize) -> Cow<'_, [u8]> {
        let start = self.start(line);
        let end = self.start(line + 1);
        self.slice(start..end - self.ending(line).as_bytes().len())
    }

    /// Returns how a line ends now.
    pub(crate) fn ending(&self, line: usize) -> Ending {
        let start = self.start(line);
        let end = self.start(line + 1);
        match &*self.slice(end.saturating_sub(2).max(start)..end) {
            b"\r\n" => Ending::CrLf,
            [.., b'\n'] => Ending::Lf,
            _ => Ending::None,
        }
    }
}
