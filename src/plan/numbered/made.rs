//! Puts a file together from the lines that stay and those that the placed hunks of a unified diff bring.

use super::{PlacedHunk, text, without_mark};
use crate::patch::Mark;
use crate::plan::splice::terminator;
use crate::text::{Ending, Lines};

/// A file in the making.
pub(super) struct Made<'f> {
    lines: &'f Lines<'f>,
    out: Vec<u8>,
    /// The first old line that has been neither taken over nor left out.
    next: usize,
    /// Whether the section shows which lines end in CRLF.
    shows_cr: bool,
    /// Whether a line had no newline and got one.
    closed: bool,
}

impl<'f> Made<'f> {
    pub(super) fn new(lines: &'f Lines<'f>, shows_cr: bool) -> Self {
        let mut out = Vec::with_capacity(lines.bytes().len() + 256);
        out.extend_from_slice(lines.bom());
        Self { lines, out, next: 0, shows_cr, closed: false }
    }

    pub(super) fn put(&mut self, placed: &PlacedHunk<'_, '_>) {
        self.keep_to(placed.range.start);
        // Behind lines that another hunk adds at the top, a byte order mark would no longer be one.
        let has_mark = self.next == 0 && !self.lines.bom().is_empty();
        let stays_first = !has_mark || self.out.len() == self.lines.bom().len();
        if placed.is_exact && stays_first {
            if has_mark {
                // The byte order mark is part of what is replaced.
                self.out.clear();
            }
            // An old line without newline says nothing of the others.
            let shows_end = self.shows_cr || placed.hunk.old().any(|line| !line.unterminated);
            for line in &placed.hunk.lines {
                self.next += usize::from(line.mark != Mark::Added);
                let ending = match line.mark {
                    Mark::Removed => continue,
                    _ if line.unterminated => Ending::None,
                    _ if shows_end => Ending::Lf,
                    _ => self.ending(None),
                };
                self.add(&line.text, ending.as_bytes());
            }
            return;
        }
        let mut is_first = placed.is_marked || placed.is_exact && has_mark;
        for block in placed.hunk.lines.chunk_by(|a, b| a.mark != Mark::Context && b.mark != Mark::Context) {
            if block[0].mark == Mark::Context {
                self.keep_to(self.next + 1);
                is_first = false;
                continue;
            }
            let start = self.next;
            let removed = block.iter().filter(|line| line.mark == Mark::Removed).count();
            self.next += removed;
            for (index, line) in block.iter().filter(|line| line.mark == Mark::Added).enumerate() {
                let plain = if is_first { without_mark(line).unwrap_or(text(line)) } else { text(line) };
                is_first = false;
                let ending = match line.unterminated {
                    true => Ending::None,
                    false if self.shows_cr && placed.range.is_empty() => match text(line).len() < line.text.len() {
                        true => Ending::CrLf,
                        false => Ending::Lf,
                    },
                    false => self.ending((index < removed).then(|| start + index)),
                };
                self.add(plain, ending.as_bytes());
            }
        }
    }

    /// Returns how a new line ends: as the one that it replaces, the one before it, the one after it, or most.
    fn ending(&self, replaced: Option<usize>) -> Ending {
        let of = |at: usize| terminator(self.lines.get(at).ending);
        let before = match &self.out[..] {
            [.., b'\r', b'\n'] => Some(Ending::CrLf),
            [.., b'\n'] => Some(Ending::Lf),
            // An unterminated last line goes by the one before it.
            _ => self.next.checked_sub(2).and_then(of),
        };
        let after = || (self.next < self.lines.len()).then(|| of(self.next)).flatten();
        replaced.and_then(of).or(before).or_else(after).unwrap_or_else(|| self.lines.majority())
    }

    fn add(&mut self, text: &[u8], ending: &[u8]) {
        if self.out.len() > self.lines.bom().len() && self.out.last() != Some(&b'\n') {
            self.out.extend_from_slice(self.ending(None).as_bytes());
            self.closed = true;
        }
        self.out.extend_from_slice(text);
        self.out.extend_from_slice(ending);
    }

    fn keep_to(&mut self, index: usize) {
        if index > self.next {
            self.out.extend_from_slice(self.lines.raw(self.next..index));
            self.next = index;
        }
    }

    pub(super) fn finish(mut self) -> (Vec<u8>, bool) {
        self.keep_to(self.lines.len());
        (self.out, self.closed)
    }
}
