//! Which lines a hunk has: where they end, and what looks like a line of it and is none.

use bstr::ByteSlice as _;

use super::error::Error;
use super::line_kind::{LineKind, are_changes, first_change, is_change, is_item, kind};
use super::rows::Rows;
use crate::format::fence::{Fence, names_diff};
use crate::format::has_line_number;
use crate::patch::{HunkLine, Mark};
use crate::text::{self, Ending, Located, Row, Text};

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
    /// How many old and new lines the header claims, if it claims any.
    pub(super) claimed: Option<[u32; 2]>,
    /// How many old and new lines there are.
    pub(super) found: [u32; 2],
    /// The first line without a prefix in a new file.
    pub(super) is_filled: Option<Row<'a>>,
    pub(super) lines: Vec<HunkLine<'a>>,
    pub(super) errors: Vec<Located<Error>>,
}

impl<'a> Body<'a, '_, '_> {
    /// Takes the lines of a hunk: as many as its header claims, if the hunk can end there, or else
    /// all lines up to a line that can't belong to it.
    pub(super) fn take(&mut self, start: usize) -> Extent<'a> {
        let (counted, fits) = self.counted(start);
        let own = self.lines.len();
        let end = if !fits {
            (self.lines, self.errors, self.is_filled) = (Vec::new(), Vec::new(), None);
            self.found = [0, 0];
            self.go_on(start)
        } else if self.ends_at_blank(counted) {
            counted
        } else {
            self.go_on(counted)
        };
        self.check_end(end);
        let closes_fence = self.rows.closes_fence(end);
        let is_whole = self.is_whole();
        let left_out = if is_whole || self.rows.is_enclosed() {
            self.left_out(end)
        } else {
            self.list(end)
        };
        Extent {
            fits: fits || self.claimed.is_none(),
            counted,
            own,
            end,
            closes_fence,
            is_list: !is_whole && left_out.is_some(),
            left_out: left_out.or_else(|| closes_fence.then(|| self.behind_fence(end))?),
        }
    }

    /// Returns whether the hunk has all lines that its header claims.
    fn is_whole(&self) -> bool {
        let [old, new] = self.found;
        self.claimed
            .is_some_and(|claimed| old >= claimed[0] && new >= claimed[1])
    }

    /// Returns whether an empty line ends a hunk that has the claimed lines: prose may follow.
    fn ends_at_blank(&self, index: usize) -> bool {
        let row = self.rows.get(index);
        !self.rows.is_enclosed() && row.is_some_and(|row| row.text.is_empty())
    }

    /// Finds what ends the fence or the tag around the diff at the end of an added line, if that has no
    /// other end before the response ends.
    fn check_end(&mut self, end: usize) {
        let is_added = self.lines.last().map(|line| line.mark) == Some(Mark::Added);
        let last = end.checked_sub(1).and_then(|last| self.rows.get(last));
        let Some(row) = last.filter(|_| is_added) else {
            return;
        };
        if self.rows.around.fence.is_some()
            && self.rows.is_end(end)
            && row.text.ends_with(b"```")
            && !Fence::is_at(&row.text[1..])
        {
            self.errors.push(Located::new(row.span, Error::GluedFence));
        }
        if let Some(tag) = self.rows.around.tag
            && row.text.ends_with(tag)
            && row.text[1..].trim_ascii() != tag
            && !self.rows.source.bytes()[row.span.end as usize..].contains_str(tag)
        {
            let tag = tag.into();
            self.errors
                .push(Located::new(row.span, Error::GluedTag { tag }));
        }
    }

    /// Takes as many lines as the header claims; returns the line behind them and whether there
    /// were enough.
    fn counted(&mut self, mut index: usize) -> (usize, bool) {
        let Some(claimed) = self.claimed else {
            return (index, false);
        };
        while self.found != claimed {
            let Some(row) = self.rows.get(index) else {
                return (index, false);
            };
            let mark = match kind(row) {
                LineKind::Line(_) if self.is_header(index, row) => return (index, false),
                LineKind::Line(mark) => mark,
                LineKind::Empty => self.blank,
                LineKind::NoNewline => {
                    self.no_newline(row);
                    index += 1;
                    continue;
                }
                LineKind::None => return (index, false),
            };
            let [old, new] = counts_of(mark);
            if self.found[0] + old > claimed[0] || self.found[1] + new > claimed[1] {
                return (index, false);
            }
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

    /// Returns whether a line within the counts is the header of the next file, since a hunk is right
    /// below its names. Content can be like that only where hunks have no context: else there would
    /// be context behind it, or the end of the file.
    fn is_header(&self, index: usize, row: Row<'_>) -> bool {
        let mut lines = self.lines.iter();
        row.text.starts_with(b"--- ")
            && self.rows.starts_section(index)
            && lines.any(|line| line.mark == Mark::Context)
    }

    /// Returns whether a side that a line would belong to ends without a newline, so that nothing
    /// can follow.
    fn is_ended(&self, mark: Mark) -> bool {
        [Mark::Added, Mark::Removed].iter().any(|other| {
            let last = self.lines.iter().rev().find(|line| line.mark != *other);
            mark != *other && last.is_some_and(|line| line.unterminated)
        })
    }

    /// Returns whether a line is the `-- ` above a signature, which only prose is behind.
    fn is_separator(&self, index: usize) -> bool {
        !self.rows.is_enclosed()
            && self.rows.get(index).is_some_and(|row| row.text == b"-- ")
            && self
                .rows
                .get(index + 1)
                .is_none_or(|row| matches!(kind(row), LineKind::Empty | LineKind::None))
    }

    /// Returns the first line behind a complete hunk that looks like a line of it, rather than like
    /// prose. Where something is open around the diff there is no prose: each line with a prefix
    /// belongs to a hunk.
    fn left_out(&self, end: usize) -> Option<Row<'a>> {
        let is_enclosed = self.rows.is_enclosed();
        let is_names = |index: usize| !is_enclosed && self.rows.names_files(index);
        let ends = |index: usize| self.rows.stops(index) || is_names(index);
        let mut below = (end..)
            .take_while(|&index| !ends(index))
            .map_while(|index| self.rows.get(index));
        if is_enclosed {
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

    /// Takes all lines up to a line that can't belong to the hunk; returns the line behind them.
    /// Blank lines at the end aren't taken.
    fn go_on(&mut self, mut index: usize) -> usize {
        let mut blanks = Vec::new();
        let mut listed = 0;
        // Nothing says of a hunk without counts that a pair of names is of it, but `--recount`.
        let is_counted = self.claimed.is_some() || self.rows.options.recount;
        while !self.rows.stops(index)
            && (is_counted || !self.rows.names_files(index))
            && let Some(row) = self.rows.get(index)
        {
            let kind = kind(row);
            let is_whole = self.is_whole();
            let is_blank = match kind {
                LineKind::Line(Mark::Context) => is_whole && text::is_blank(row.text),
                _ => matches!(kind, LineKind::Empty),
            };
            if is_blank {
                blanks.push(row);
                index += 1;
                continue;
            }
            if is_whole && self.is_foreign(index, &kind) {
                break;
            }
            if !blanks.is_empty() {
                if matches!(kind, LineKind::None) && self.is_prose(index) {
                    return index;
                }
                if index >= listed {
                    listed = self.list_end(index);
                    if self.is_list(index, listed) {
                        break;
                    }
                }
            }
            self.take_blanks(&mut blanks);
            match kind {
                LineKind::Line(mark) => self.push(row, mark),
                LineKind::NoNewline => self.no_newline(row),
                LineKind::Empty | LineKind::None => {
                    self.errors
                        .push(Located::new(row.span, self.without_prefix(index, row)));
                    return self.skip(index + 1);
                }
            }
            index += 1;
        }
        if self.lacks_old_lines() {
            self.take_blanks(&mut blanks);
        }
        index - blanks.len()
    }

    /// Returns whether the header claims old lines and there are none yet, so that blank lines are
    /// all that can be meant.
    fn lacks_old_lines(&self) -> bool {
        self.claimed.is_some_and(|[old, _]| old > 0) && self.found[0] == 0
    }

    /// Takes blank lines that turn out to be of the hunk.
    fn take_blanks(&mut self, blanks: &mut Vec<Row<'a>>) {
        for blank in blanks.drain(..) {
            let mark = if blank.text.is_empty() {
                self.blank
            } else {
                Mark::Context
            };
            self.push(blank, mark);
        }
    }

    /// Returns whether a line can be none of a hunk that has all its lines.
    fn is_foreign(&self, index: usize, kind: &LineKind) -> bool {
        match kind {
            LineKind::Line(mark) => self.is_ended(*mark) || self.is_separator(index),
            LineKind::NoNewline => self.lines.last().is_none_or(|line| line.unterminated),
            LineKind::Empty | LineKind::None => true,
        }
    }

    /// Returns the error of a line in a hunk that has no prefix.
    fn without_prefix(&self, index: usize, row: Row<'_>) -> Error {
        if has_line_number(row.text, self.rows.get(index + 1).map(|row| row.text)) {
            Error::Numbered
        } else if Fence::begins(row.text) {
            Error::FenceWithin
        } else if row.text.starts_with(b"\x1b") {
            Error::Coloured
        } else {
            Error::NoPrefix
        }
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
        let [old, new] = counts_of(mark);
        self.found = [self.found[0] + old, self.found[1] + new];
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

/// Returns how many old and new lines a line is.
fn counts_of(mark: Mark) -> [u32; 2] {
    [Mark::Added, Mark::Removed].map(|other| u32::from(mark != other))
}
