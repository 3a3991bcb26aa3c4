//! Which lines a hunk has: where they end, and what looks like a line of it and is none.

use bstr::ByteSlice as _;

use super::error::Error;
use super::line_kind::{LineKind, are_changes, first_change, is_change, is_item, kind};
use super::rows::Rows;
use crate::format::fence::{Fence, names_diff};
use crate::format::has_line_number;
use crate::patch::{HunkLine, Mark};
use crate::text::{Ending, Located, Row, Text};

/// Which lines a hunk has.
pub(super) struct Extent<'a> {
    /// Whether the hunk has at least as many lines as its header claims, if it claims any.
    pub(super) fits: bool,
    /// The line of the response behind the claimed lines.
    pub(super) counted: usize,
    /// How many lines of the hunk the header's counts cover.
    pub(super) own: usize,
    /// The line of the response behind the hunk.
    pub(super) end: usize,
    /// How many lines at the hunk's end belong to it only if the file has them.
    pub(super) excess: usize,
    /// Whether the line behind the hunk closes the fence around the diff.
    pub(super) closes_fence: bool,
    /// The first line behind the hunk that looks like a line of it and was left out.
    pub(super) left_out: Option<Row<'a>>,
    /// Whether that line begins a list behind a hunk whose counts don't say where it ends.
    pub(super) is_list: bool,
}

pub(super) struct Body<'a, 'r, 'o> {
    pub(super) rows: &'r Rows<'a, 'o>,
    /// Whether the response has CRLF line ends, so that a CR is no part of a line.
    pub(super) crlf: bool,
    /// What an empty line without a prefix is.
    pub(super) blank: Mark,
    /// The first line without a prefix in a new file.
    pub(super) is_filled: Option<Row<'a>>,
    pub(super) lines: Vec<HunkLine<'a>>,
    pub(super) errors: Vec<Located<Error>>,
}

impl<'a> Body<'a, '_, '_> {
    /// Takes the lines of a hunk: the lines that its header claims, and lines beyond that belong to
    /// it, or else all lines up to a line that can't belong to it.
    pub(super) fn take(&mut self, start: usize, claimed: Option<[u32; 2]>) -> Extent<'a> {
        let (counted, fits) = match claimed {
            Some(claimed) => self.counted(start, claimed),
            None => (start, false),
        };
        let own = self.lines.len();
        let end = match fits {
            true => self.excess(counted),
            false => {
                (self.lines, self.errors, self.is_filled) = (Vec::new(), Vec::new(), None);
                self.uncounted(start)
            }
        };
        self.check_end(end);
        let beyond = if fits { &self.lines[own..] } else { &[] };
        // Lines that are only added change nothing of what the file must hold.
        let is_added = beyond.iter().all(|line| line.mark == Mark::Added);
        let excess = if is_added { 0 } else { beyond.len() };
        let closes_fence = self.rows.closes_fence(end);
        let left_out = match fits {
            true => self.left_out(end),
            false => self.list(end),
        };
        Extent {
            fits: fits || claimed.is_none(),
            counted,
            own,
            end,
            excess,
            closes_fence,
            is_list: !fits && left_out.is_some(),
            left_out: left_out.or_else(|| self.behind_fence(end).filter(|_| closes_fence)),
        }
    }

    /// Returns how many old and new lines there are.
    pub(super) fn counts(&self) -> [u32; 2] {
        let without = |mark| self.lines.iter().filter(|line| line.mark != mark).count();
        [Mark::Added, Mark::Removed].map(|mark| u32::try_from(without(mark)).unwrap_or(u32::MAX))
    }

    /// Finds what ends the fence or the tag around the diff at the end of an added line.
    fn check_end(&mut self, end: usize) {
        self.check_fence(end);
        self.check_tag(end);
    }

    /// Finds the end of the open tag at the end of an added line, if the tag has no other end.
    fn check_tag(&mut self, end: usize) {
        let is_added = self.lines.last().map(|line| line.mark) == Some(Mark::Added);
        let last = end.checked_sub(1).and_then(|last| self.rows.get(last));
        if let Some(row) = last
            && is_added
            && let Some(tag) = self.rows.around.tag
            && row.text.ends_with(tag)
            && row.text[1..].trim_ascii() != tag
            && !self.rows.source.bytes()[row.span.end as usize..].contains_str(tag)
        {
            let tag = tag.into();
            self.errors
                .push(Located::new(row.span, Error::GluedTag { tag }));
        }
    }

    /// Finds the end of the open fence at the end of an added line, if the fence has no other end
    /// before the response ends.
    fn check_fence(&mut self, end: usize) {
        let is_added = self.lines.last().map(|line| line.mark) == Some(Mark::Added);
        let last = end.checked_sub(1).and_then(|last| self.rows.get(last));
        if let Some(row) = last
            && is_added
            && self.rows.around.fence.is_some()
            && self.rows.is_end(end)
            && row.text.ends_with(b"```")
            && !Fence::is_at(&row.text[1..])
        {
            self.errors.push(Located::new(row.span, Error::GluedFence));
        }
    }

    /// Takes as many lines as the header claims; returns the line behind them and whether there
    /// were enough.
    fn counted(&mut self, mut index: usize, claimed: [u32; 2]) -> (usize, bool) {
        let [mut old, mut new] = claimed;
        while old > 0 || new > 0 {
            let Some(row) = self.rows.get(index) else {
                return (index, false);
            };
            let mark = match kind(row) {
                LineKind::Line(mark) => mark,
                LineKind::Empty => self.blank,
                LineKind::NoNewline => {
                    self.no_newline(row);
                    index += 1;
                    continue;
                }
                LineKind::None => return (index, false),
            };
            let of_old = u32::from(mark != Mark::Added);
            let of_new = u32::from(mark != Mark::Removed);
            if of_old > old || of_new > new {
                return (index, false);
            }
            (old, new) = (old - of_old, new - of_new);
            self.push(row, mark);
            index += 1;
        }
        if let Some(row) = self.rows.get(index)
            && matches!(kind(row), LineKind::NoNewline)
        {
            self.no_newline(row);
            index += 1;
        }
        (index, true)
    }

    /// Takes the lines that follow at once on a hunk that is complete by its counts, and that may
    /// be lines of it; returns the line behind them. Lines of nothing but whitespace are none if no
    /// other follows.
    fn excess(&mut self, end: usize) -> usize {
        let mut index = end;
        let mut behind = end;
        let mut len = self.lines.len();
        while !self.rows.stops(index)
            && !self.is_separator(index)
            && let Some(row) = self.rows.get(index)
        {
            match kind(row) {
                LineKind::Line(mark) if !self.is_ended(mark) => self.push(row, mark),
                LineKind::NoNewline if index > end => self.no_newline(row),
                _ => break,
            }
            index += 1;
            if !row.text.trim_ascii().is_empty() {
                (behind, len) = (index, self.lines.len());
            }
        }
        self.lines.truncate(len);
        behind
    }

    /// Returns whether a side that a line would belong to ends without a newline, so that nothing
    /// can follow.
    fn is_ended(&self, mark: Mark) -> bool {
        [Mark::Added, Mark::Removed].iter().any(|other| {
            let last = self.lines.iter().rev().find(|line| line.mark != *other);
            mark != *other && last.is_some_and(|line| line.unterminated)
        })
    }

    /// Returns whether a line is the `-- ` above a signature.
    fn is_separator(&self, index: usize) -> bool {
        self.rows.get(index).is_some_and(|row| row.text == b"-- ")
            && self
                .rows
                .get(index + 1)
                .is_none_or(|row| matches!(kind(row), LineKind::Empty | LineKind::None))
    }

    /// Returns the first line behind a complete hunk that looks like a line of it, rather than like
    /// prose. Where something is open around the diff there is no prose: each line with a prefix
    /// belongs to a hunk.
    fn left_out(&self, end: usize) -> Option<Row<'a>> {
        let ends = |index: usize| self.rows.stops(index) || self.rows.names_files(index);
        let mut below = (end..)
            .take_while(|&index| !ends(index))
            .map_while(|index| self.rows.get(index));
        if self.rows.is_enclosed() {
            let is_line = |row: &Row<'_>| matches!(kind(*row), LineKind::Line(_));
            return below.find(|row| is_line(row) && !row.text.trim_ascii().is_empty());
        }
        let mut blank = false;
        let of_hunk = below.take_while(|row| {
            let is_text = matches!(kind(*row), LineKind::None);
            // A paragraph of prose.
            let is_prose = is_text && blank;
            blank = row.text.is_empty();
            !is_prose
        });
        first_change(of_hunk)
    }

    /// Returns the first line behind a line that ends the fence around the diff, if it looks like a line of
    /// the hunk: the line taken for the fence's end may be a line of the file.
    fn behind_fence(&self, end: usize) -> Option<Row<'a>> {
        let below = (end + 1..).take_while(|&index| !self.rows.names_files(index));
        let rows = below.map_while(|index| self.rows.get(index));
        first_change(rows.take_while(|row| !matches!(kind(*row), LineKind::None)))
    }

    /// Takes all lines up to what can be none; returns the line behind them.
    fn uncounted(&mut self, mut index: usize) -> usize {
        let mut blanks = Vec::new();
        let mut listed = 0;
        while !self.rows.stops(index)
            && let Some(row) = self.rows.get(index)
        {
            let kind = kind(row);
            if matches!(kind, LineKind::Empty) {
                blanks.push(row);
                index += 1;
                continue;
            }
            if !blanks.is_empty() {
                if matches!(kind, LineKind::None) && self.is_prose(index) {
                    return index;
                }
                if index >= listed {
                    listed = self.list_end(index);
                    if self.is_list(index, listed) {
                        return index - blanks.len();
                    }
                }
            }
            blanks
                .drain(..)
                .for_each(|blank| self.push(blank, self.blank));
            match kind {
                LineKind::Line(mark) => self.push(row, mark),
                LineKind::NoNewline => self.no_newline(row),
                LineKind::Empty | LineKind::None => {
                    let is_numbered =
                        has_line_number(row.text, self.rows.get(index + 1).map(|row| row.text));
                    let error = if is_numbered {
                        Error::Numbered
                    } else if Fence::begins(row.text) {
                        Error::FenceWithin
                    } else if row.text.starts_with(b"\x1b") {
                        Error::Coloured
                    } else {
                        Error::NoPrefix
                    };
                    self.errors.push(Located::new(row.span, error));
                    return self.skip(index + 1);
                }
            }
            index += 1;
        }
        index - blanks.len()
    }

    /// Returns the first line of a list behind empty lines.
    fn list(&self, end: usize) -> Option<Row<'a>> {
        let is_text = |index: &usize| self.rows.get(*index).is_none_or(|row| !row.text.is_empty());
        let start = (end..).find(is_text)?;
        let is_list = start > end && self.is_list(start, self.list_end(start));
        self.rows.get(start).filter(|_| is_list)
    }

    /// Returns the line behind the items of a list that all begin with the same sign.
    fn list_end(&self, start: usize) -> usize {
        let sign = self.rows.get(start).map(|row| row.text[0]);
        // A sign alone is an empty line of the file.
        let is_of_list = |text: &[u8]| match text.first() {
            Some(_) if text.len() < 3 || !is_change(text) => false,
            first => first.is_none() || first.copied() == sign && is_item(text),
        };
        let of_list = |index: &usize| {
            let row = self.rows.get(*index);
            !self.rows.stops(*index) && row.is_some_and(|row| is_of_list(row.text))
        };
        start + (start..).take_while(of_list).count()
    }

    /// Returns whether items can be no lines of the hunk: they are outside of a fence, and at most
    /// prose is behind them. A new file may have them.
    fn is_list(&self, start: usize, end: usize) -> bool {
        let is_outside = self.rows.around.fence.is_none() && self.blank == Mark::Context;
        if !is_outside || end == start {
            return false;
        }
        let kind = self.rows.get(end).map(kind);
        self.rows.stops(end) || matches!(kind, Some(LineKind::None)) && self.is_prose(end)
    }

    /// Returns whether what follows can be prose: nothing of it looks as if it belonged to a hunk.
    fn is_prose(&self, start: usize) -> bool {
        if self.rows.around.fence.is_some() {
            return false;
        }
        let mut fence = None;
        let mut lines = Vec::new();
        for index in start.. {
            let Some(row) = self.rows.get(index) else {
                break;
            };
            let read = Fence::read(row.text).filter(|_| Fence::begins(row.text));
            match (fence, read) {
                (None, Some((_, info))) if index == start && names_diff(info) => return true,
                (None, Some((opened, _))) if index == start => fence = Some(opened),
                // What a paragraph tells of is no part of the hunk.
                (None, Some(_)) => break,
                (Some(open), _) if Fence::is_closed_by(open, row.text) => fence = None,
                _ if self.rows.stops(index) => break,
                _ => lines.push(row.text),
            }
        }
        !are_changes(lines.into_iter())
    }

    fn skip(&self, mut index: usize) -> usize {
        while !self.rows.stops(index) {
            index += 1;
        }
        index
    }

    /// Adds a line: all of it but its prefix, if it has one.
    fn push(&mut self, row: Row<'a>, mark: Mark) {
        let skip = usize::from(!row.text.is_empty());
        if skip == 0 && mark == Mark::Added {
            self.is_filled.get_or_insert(row);
        }
        let cr = usize::from(row.ending == Ending::CrLf && !self.crlf);
        let range = row.start() + skip..row.start() + row.text.len() + cr;
        let text = Text::at(
            &self.rows.source.bytes()[range.clone()],
            self.rows.source.span(range),
        );
        self.lines.push(HunkLine {
            mark,
            text,
            unterminated: false,
        });
    }

    fn no_newline(&mut self, row: Row<'_>) {
        match self.lines.last_mut() {
            Some(line) => line.unterminated = true,
            None => self.errors.push(Located::new(row.span, Error::MarkFirst)),
        }
    }

    /// Checks that what has no newline is the last line of its side.
    pub(super) fn check_marks(&mut self) {
        let mut old = false;
        let mut new = false;
        for line in self.lines.iter().rev() {
            let of_old = line.mark != Mark::Added;
            let of_new = line.mark != Mark::Removed;
            if line.unterminated && (of_old && old || of_new && new) {
                self.errors
                    .push(Located::new(line.text.span, Error::MarkWithin));
            }
            (old, new) = (old || of_old, new || of_new);
        }
    }
}
