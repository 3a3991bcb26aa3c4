//! Makes splices of a file: what goes, what comes in its place, and how the lines that come end.
//!
//! Every kept line keeps its own bytes. A new line takes the terminator of the line that it
//! replaces, else of the line before it, else of the line after it, else what most lines of the
//! file have. The byte order mark stays where it is.

use std::ops::{Deref, Range};

use crate::search::Document;
use crate::text::{Ending, Lines, Splice};

/// A new line, and how it ends if that isn't left to its neighbours.
pub(super) type NewLine<'t> = (&'t [u8], Option<Ending>);

/// How the last line of a file is to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Last {
    /// With a newline.
    Terminated,
    /// As the file or the patch has it.
    AsItIs,
}

/// A file in the making: how much of the old file has been kept or left out so far, and the splices
/// for that.
pub(super) struct Splicer<'f> {
    file: &'f Document,
    /// How many lines the file has.
    len: usize,
    splices: Vec<Splice>,
    /// Index of the first old line that is neither kept nor left out yet.
    next: usize,
    /// The terminator of the last line so far that has one, and whether a line without one is
    /// behind it.
    before: Option<Ending>,
    is_open: bool,
    /// Whether a line without newline got one, since others came behind it.
    is_closed: bool,
    /// Whether the byte order mark is part of the first line.
    has_mark: bool,
}

impl<'f> Splicer<'f> {
    pub(super) fn new(file: &'f Document) -> Self {
        Self {
            file,
            len: file.line_count(),
            splices: Vec::new(),
            next: 0,
            before: None,
            is_open: false,
            is_closed: false,
            has_mark: false,
        }
    }

    /// Makes the byte order mark a part of the first line, if nothing is before that.
    pub(super) fn take_mark(&mut self) {
        self.has_mark |= self.next == 0 && self.splices.is_empty();
    }

    /// Returns the index of the first old line that is neither kept nor left out yet.
    pub(super) fn next(&self) -> usize {
        self.next
    }

    /// Keeps the old lines up to, not including, line `index`.
    pub(super) fn keep_to(&mut self, index: usize) {
        if index <= self.next {
            return;
        }
        let last = self.terminator(index - 1);
        self.is_open = last.is_none();
        // Only a file's last line can be without a terminator; what is added behind it goes by the
        // line before.
        let above = if index - 1 > self.next {
            self.terminator(index - 2)
        } else {
            self.before
        };
        self.before = last.or(above);
        self.next = index;
    }

    /// Leaves out the next `count` old lines and puts the new lines in their place, pairing them in
    /// order.
    pub(super) fn replace<'t>(&mut self, count: usize, new: impl IntoIterator<Item = NewLine<'t>>) {
        let first = self.next;
        self.next += count;
        let start = if first == 0 && self.has_mark {
            0
        } else {
            self.file.start(first)
        };
        // A file that is a byte order mark alone has no line here; to git it has one line.
        let end = if count > 0 {
            self.file.start(self.next)
        } else {
            start
        };
        let mut bytes = Vec::new();
        for (nth, (text, written)) in new.into_iter().enumerate() {
            let ending = written.unwrap_or_else(|| {
                ending(
                    (nth < count)
                        .then(|| self.terminator(first + nth))
                        .flatten(),
                    self.before,
                    || self.terminator(self.next),
                    || self.file.lines().majority(),
                )
            });
            self.is_closed |= self.is_open;
            self.close(&mut bytes);
            bytes.extend_from_slice(text);
            bytes.extend_from_slice(ending.as_bytes());
            self.is_open = ending == Ending::None;
            self.before = if self.is_open {
                self.before
            } else {
                Some(ending)
            };
        }
        self.put(start..end, bytes);
    }

    /// Keeps the rest. Returns the splices, and whether the file ends with a newline now, and didn't
    /// before; where the patch says how it ends, whether an old last line got one.
    pub(super) fn finish(mut self, last: Last) -> (Vec<Splice>, bool) {
        if last == Last::AsItIs {
            return (self.splices, self.is_closed && !self.is_open);
        }
        self.keep_to(self.len);
        let last = self.len.checked_sub(1).map(|last| self.file.ending(last));
        let end = self.file.len();
        let mut bytes = Vec::new();
        self.close(&mut bytes);
        self.put(end..end, bytes);
        // A file of which nothing is left ends with nothing.
        (
            self.splices,
            last == Some(Ending::None) && self.before.is_some(),
        )
    }

    /// Returns the terminator of a line, if it is there and has one.
    fn terminator(&self, line: usize) -> Option<Ending> {
        (line < self.len)
            .then(|| self.file.ending(line))
            .filter(|ending| *ending != Ending::None)
    }

    fn close(&mut self, bytes: &mut Vec<u8>) {
        if self.is_open {
            let ending = self.before.unwrap_or_else(|| self.file.lines().majority());
            bytes.extend_from_slice(ending.as_bytes());
            (self.before, self.is_open) = (Some(ending), false);
        }
    }

    fn put(&mut self, old: Range<usize>, new: Vec<u8>) {
        if *self.file.slice(old.clone()) != *new {
            Splice { old, new }.add_to(&mut self.splices);
        }
    }
}

/// Returns the range that is removed and the bytes that replace it where lines are put in place of
/// a range, which may begin and end within lines. The file ends with or without a newline as it
/// did.
pub(super) fn within(
    lines: &Lines<'_>,
    range: Range<usize>,
    put: &[impl Deref<Target = [u8]>],
) -> (Range<usize>, Vec<u8>) {
    let first = lines.index_at(range.start);
    let last = lines.index_at(range.end);
    let Some((last_put, terminated)) = put.split_last() else {
        return (whole_lines(lines, range), Vec::new());
    };
    let mut new = Vec::with_capacity(put.iter().map(|line| line.len() + 2).sum::<usize>());
    let mut before = first
        .checked_sub(1)
        .and_then(|line| terminator(lines, line));
    for (nth, line) in terminated.iter().enumerate() {
        let replaced = (first + nth <= last).then(|| terminator(lines, first + nth));
        let ending = ending(
            replaced.flatten(),
            before,
            || terminator(lines, last + 1),
            || lines.majority(),
        );
        new.extend_from_slice(line);
        new.extend_from_slice(ending.as_bytes());
        before = Some(ending);
    }
    new.extend_from_slice(last_put);
    (range, new)
}

/// Widens a range that covers whole lines by their terminator: the terminator behind it, or, for a
/// last line that has none, the terminator before it.
pub(super) fn whole_lines(lines: &Lines<'_>, range: Range<usize>) -> Range<usize> {
    let first = lines.index_at(range.start);
    let last = lines.index_at(range.end);
    let line = lines.get(last);
    let text_end = lines.start(last) + line.text.len();
    if range.start != lines.start(first) || range.end != text_end {
        return range;
    }
    if line.ending != Ending::None {
        return range.start..text_end + line.ending.as_bytes().len();
    }
    let Some(before) = first.checked_sub(1) else {
        return range;
    };
    range.start - lines.get(before).ending.as_bytes().len()..range.end
}

/// Returns how a new line ends that doesn't say: as the line that it replaces, else as the line
/// before it, else as the line behind it, else as most lines of the file.
fn ending(
    replaced: Option<Ending>,
    before: Option<Ending>,
    behind: impl FnOnce() -> Option<Ending>,
    majority: impl FnOnce() -> Ending,
) -> Ending {
    replaced.or(before).or_else(behind).unwrap_or_else(majority)
}

/// Returns the terminator of a line, if it is there and has one.
fn terminator(lines: &Lines<'_>, line: usize) -> Option<Ending> {
    let ending = (line < lines.len()).then(|| lines.get(line).ending)?;
    (ending != Ending::None).then_some(ending)
}
