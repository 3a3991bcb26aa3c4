//! The lines of a file once edits have changed it, by their indices. Only what is around a line is
//! read.

use std::borrow::Cow;

use super::Document;
use crate::text::Ending;

impl Document {
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
