//! Puts a file together from lines that stay and lines that are new, and decides how the new ones end.
//!
//! Every kept line keeps its own bytes. A new line takes the terminator of the line that it replaces, else of the line
//! before it, else of the line after it, else what most lines of the file have. The byte order mark stays where it is.

use crate::text::{Ending, Lines};

/// A file in the making: what of the old one has been taken over or left out so far, and the new bytes.
pub(super) struct Splice<'f> {
    lines: &'f Lines<'f>,
    out: Vec<u8>,
    /// Index of the first old line that is neither kept nor left out yet.
    next: usize,
    /// How the last line of `out` ends, if it has a terminator.
    before: Option<Ending>,
    /// Whether the last line of `out` has no terminator; it is an old one then.
    open: bool,
}

impl<'f> Splice<'f> {
    pub(super) fn new(lines: &'f Lines<'f>) -> Self {
        let mut out = Vec::with_capacity(lines.bytes().len() + 256);
        out.extend_from_slice(lines.bom());
        Self { lines, out, next: 0, before: None, open: false }
    }

    /// Keeps the old lines up to, not including, line `index`.
    pub(super) fn keep_to(&mut self, index: usize) {
        if index <= self.next {
            return;
        }
        self.out.extend_from_slice(self.lines.raw(self.next..index));
        let ending_of = |line: usize| terminator(self.lines.get(line).ending);
        let last = ending_of(index - 1);
        self.open = last.is_none();
        // Only a file's last line can be without a terminator; what is added behind it goes by the line before.
        self.before = match last {
            None if index - 1 > self.next => ending_of(index - 2),
            None => self.before,
            some => some,
        };
        self.next = index;
    }

    /// Leaves out the next `count` old lines and puts the new ones in their place, pairing them in order.
    pub(super) fn replace<'t>(&mut self, count: usize, new: impl IntoIterator<Item = &'t [u8]>) {
        let first = self.next;
        self.next += count;
        for (index, text) in new.into_iter().enumerate() {
            let replaced = (index < count).then(|| first + index);
            let ending = replaced.and_then(|line| terminator(self.lines.get(line).ending)).or_else(|| self.fallback());
            self.close();
            let ending = ending.unwrap_or_else(|| self.lines.majority());
            self.out.extend_from_slice(text);
            self.out.extend_from_slice(ending.as_bytes());
            self.before = Some(ending);
        }
    }

    /// Keeps the rest and returns the new bytes, the last line terminated, and whether that took a newline at the end of
    /// an old line.
    pub(super) fn finish(mut self) -> (Vec<u8>, bool) {
        self.keep_to(self.lines.len());
        let was_open = self.open;
        self.close();
        (self.out, was_open)
    }

    fn fallback(&self) -> Option<Ending> {
        let after = (self.next < self.lines.len()).then(|| self.lines.get(self.next).ending);
        self.before.or_else(|| after.and_then(terminator))
    }

    fn close(&mut self) {
        if self.open {
            let ending = self.before.unwrap_or_else(|| self.lines.majority());
            self.out.extend_from_slice(ending.as_bytes());
            self.before = Some(ending);
            self.open = false;
        }
    }
}

/// Returns the terminator, if there is one.
pub(super) fn terminator(ending: Ending) -> Option<Ending> {
    (ending != Ending::None).then_some(ending)
}
