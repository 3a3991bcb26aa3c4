//! One hunk: where its lines end, and whether they are what its header says.

use super::error::{Error, Warning};
use super::hunk_header::{HunkHeader, numbers};
use super::line_kind::{LineKind, is_item, kind};
use super::parse::{Rows, SectionPart};
use super::word_diff::is_word_diff;
use crate::format::fence::Fence;
use crate::format::has_line_number;
use crate::patch::{Hunk, HunkLine, Mark, Position};
use crate::text::{Ending, Located, Row, Text};

/// What was read of a hunk.
pub(super) struct HunkRead<'a> {
    pub(super) hunk: Hunk<'a>,
    /// The line behind it.
    pub(super) end: usize,
    /// Whether its lines can't be read, so that its end may be elsewhere.
    pub(super) is_lost: bool,
    pub(super) errors: Vec<Located<Error>>,
    pub(super) warnings: Vec<Located<Warning>>,
}

/// Reads the hunk whose header is at a line.
pub(super) fn read<'a>(
    rows: &Rows<'a, '_>,
    at: usize,
    section: SectionPart<'_>,
) -> Result<HunkRead<'a>, Located<Error>> {
    let header = HunkHeader::read(rows, at)?;
    let span = header.row.span;
    let is_new = section.is_new || header.is_of_nothing();
    let mut body = Body {
        rows,
        crlf: header.row.ending == Ending::CrLf,
        blank: if is_new { Mark::Added } else { Mark::Context },
        is_filled: None,
        lines: Vec::new(),
        errors: Vec::new(),
    };
    let extent = body.take(at + 1, header.claimed);
    body.check_marks();
    let found = body.counts();
    let mut errors = std::mem::take(&mut body.errors);
    let texts = rows.texts(at + 1..extent.end);
    if is_word_diff(&body.lines, texts, !errors.is_empty() || !extent.fits) {
        errors = vec![Located::new(span, Error::WordDiff)];
    }
    let trouble = body.trouble(&header, &extent, (is_new, found), section.number);
    // What only contradicts its header ends where it ends.
    let is_whole = matches!(
        trouble,
        None | Some(Error::Miscounted { .. } | Error::NoNumbers | Error::NoOld { .. })
    );
    let is_lost = !errors.is_empty() || !is_whole;
    let trouble = trouble.filter(|_| errors.is_empty());
    errors.extend(trouble.map(|error| Located::new(span, error)));
    let warnings = if errors.is_empty() {
        body.warnings(&header, &extent, found, section)
    } else {
        Vec::new()
    };
    let (path, number) = (section.path.clone(), section.number);
    let left_out = extent
        .left_out
        .map(|row| Located::new(row.span, Warning::LeftOut { path, number }));
    let position = header.position.map(|position| Position {
        old_lines: found[0],
        new_lines: found[1],
        ..position
    });
    let hunk = Hunk {
        locators: header.locator.into_iter().collect(),
        lines: body.lines,
        position,
        excess: extent.excess,
        span: Some(span),
        ..Hunk::default()
    };
    Ok(HunkRead {
        hunk,
        end: extent.end,
        is_lost,
        errors,
        warnings: warnings.into_iter().chain(left_out).collect(),
    })
}

/// Returns whether the response, if it ends here, ends in a fence, in a heredoc, or within a line.
fn is_open(rows: &Rows<'_, '_>, end: usize) -> bool {
    let last = end.checked_sub(1).and_then(|last| rows.get(last));
    is_within(rows) || last.is_some_and(|row| row.ending == Ending::None)
}

/// Returns whether a fence or a heredoc is open.
fn is_within(rows: &Rows<'_, '_>) -> bool {
    rows.around.fenced || rows.around.heredoc.is_some()
}

/// Which lines a hunk has.
struct Extent<'a> {
    /// Whether there are as many as its header claims, at least.
    fits: bool,
    /// The line behind the claimed lines, and how many of the hunk's lines are before it.
    counted: usize,
    own: usize,
    /// The line behind all.
    end: usize,
    /// How many of the last are of it only if the file has them.
    excess: usize,
    /// The first that looks like one more.
    left_out: Option<Row<'a>>,
}

struct Body<'a, 'r, 'o> {
    rows: &'r Rows<'a, 'o>,
    /// Whether the response has CRLF line ends, so that a CR is no part of a line.
    crlf: bool,
    /// What an empty line without a prefix is.
    blank: Mark,
    /// The first line without a prefix in a new file.
    is_filled: Option<Row<'a>>,
    lines: Vec<HunkLine<'a>>,
    errors: Vec<Located<Error>>,
}

impl<'a> Body<'a, '_, '_> {
    /// Takes the lines of a hunk: the lines that its header claims, and lines beyond that belong to
    /// it, or else all lines up to a line that can't belong to it.
    fn take(&mut self, start: usize, claimed: Option<[u32; 2]>) -> Extent<'a> {
        let (counted, fits) = match claimed {
            Some(claimed) => self.counted(start, claimed),
            None => (start, false),
        };
        let own = self.lines.len();
        if !fits {
            (self.lines, self.errors, self.is_filled) = (Vec::new(), Vec::new(), None);
            let end = self.uncounted(start);
            self.check_fence(end);
            return Extent {
                fits: claimed.is_none(),
                counted,
                own,
                end,
                excess: 0,
                left_out: None,
            };
        }
        let end = self.excess(counted);
        self.check_fence(end);
        let beyond = &self.lines[own..];
        // Lines that are only added change nothing of what the file must hold.
        let is_added = beyond.iter().all(|line| line.mark == Mark::Added);
        Extent {
            fits,
            counted,
            own,
            end,
            excess: if is_added { 0 } else { beyond.len() },
            left_out: self.left_out(end),
        }
    }

    /// Returns what is wrong with a hunk whose lines can be read.
    fn trouble(
        &self,
        header: &HunkHeader<'_>,
        extent: &Extent<'_>,
        (is_new, found): (bool, [u32; 2]),
        number: usize,
    ) -> Option<Error> {
        let rows = self.rows;
        let Some(claimed) = header.claimed else {
            let is_cut = !rows.options.recount && is_within(rows) && rows.is_end(extent.end);
            return match self.lines.is_empty() {
                _ if header.is_bare && rows.options.strict => Some(Error::NoNumbers),
                _ if is_cut => Some(Error::Uncounted),
                true => Some(Error::NoLines),
                false => self.claims_old(header, found, is_new),
            };
        };
        // A line that contradicts the counts shows that they are wrong, unless the response is cut
        // off in any case.
        let falls_short = found[0] < claimed[0] || found[1] < claimed[1];
        let is_end =
            rows.is_end(extent.counted) || rows.is_end(extent.end) && is_open(rows, extent.end);
        if falls_short && is_end {
            return Some(Error::CutHunk { claimed, found });
        }
        if self.lines.is_empty() {
            return Some(Error::NoLines);
        }
        let miscounted = Error::Miscounted {
            number,
            claimed,
            found,
        };
        self.claims_old(header, found, is_new)
            .or_else(|| (found != claimed && rows.options.strict).then_some(miscounted))
    }

    /// Returns the error of a header that claims old lines over a hunk that shows none.
    fn claims_old(&self, header: &HunkHeader<'_>, found: [u32; 2], is_new: bool) -> Option<Error> {
        let claimed = numbers(header.row.text).map_or(0, |position| position.old_lines);
        (claimed > 0 && found[0] == 0 && !is_new).then_some(Error::NoOld { claimed })
    }

    /// Returns what was guessed of a hunk.
    fn warnings(
        &self,
        header: &HunkHeader<'_>,
        extent: &Extent<'_>,
        found: [u32; 2],
        section: SectionPart<'_>,
    ) -> Vec<Located<Warning>> {
        let (path, number) = (section.path.clone(), section.number);
        let span = header.row.span;
        let mut warnings = Vec::new();
        if let Some(claimed) = header.claimed.filter(|claimed| *claimed != found) {
            let taken = self.lines.len().saturating_sub(extent.own);
            let first = self.rows.get(extent.counted).filter(|_| taken > 0);
            let warning = Warning::Recounted {
                path: path.clone(),
                number,
                claimed,
                found,
                taken,
            };
            warnings.push(Located::new(first.map_or(span, |row| row.span), warning));
        }
        if header.is_beyond {
            let path = path.clone();
            warnings.push(Located::new(span, Warning::Beyond { path, number }));
        }
        if let Some(row) = self.is_filled {
            let path = path.clone();
            warnings.push(Located::new(row.span, Warning::Blank { path }));
        }
        if let Some(row) = self.unended(extent.end) {
            warnings.push(Located::new(row.span, Warning::Unended { path, number }));
        }
        warnings
    }

    /// Returns how many old and new lines there are.
    fn counts(&self) -> [u32; 2] {
        let without = |mark| self.lines.iter().filter(|line| line.mark != mark).count();
        [Mark::Added, Mark::Removed].map(|mark| u32::try_from(without(mark)).unwrap_or(u32::MAX))
    }

    /// Finds the end of the open fence at the end of an added line, if the fence has no other end
    /// before the response ends.
    fn check_fence(&mut self, end: usize) {
        let is_added = self.lines.last().map(|line| line.mark) == Some(Mark::Added);
        let last = end.checked_sub(1).and_then(|last| self.rows.get(last));
        if let Some(row) = last
            && is_added
            && self.rows.around.fenced
            && self.rows.is_end(end)
            && row.text.ends_with(b"```")
            && !Fence::is_at(&row.text[1..])
        {
            self.errors.push(Located::new(row.span, Error::GluedFence));
        }
    }

    /// Returns the last line, if it may go on: it is an added one, which no file confirms, and the
    /// response ends in it, and in a fence or a heredoc.
    fn unended(&self, end: usize) -> Option<Row<'a>> {
        let is_added = self
            .lines
            .last()
            .is_some_and(|line| line.mark == Mark::Added && !line.unterminated);
        let last = end.checked_sub(1).and_then(|last| self.rows.get(last));
        last.filter(|row| is_added && is_within(self.rows) && row.ending == Ending::None)
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
    /// prose.
    fn left_out(&self, end: usize) -> Option<Row<'a>> {
        let mut blank = false;
        for index in (end..).take_while(|&index| !self.rows.stops(index)) {
            let row = self.rows.get(index)?;
            match kind(row) {
                LineKind::Line(Mark::Added | Mark::Removed) if !is_item(row.text) => {
                    return Some(row);
                }
                // A paragraph of prose.
                LineKind::None if blank && !self.rows.around.fenced => return None,
                kind => blank = matches!(kind, LineKind::Empty),
            }
        }
        None
    }

    /// Takes all lines up to what can be none; returns the line behind them.
    fn uncounted(&mut self, mut index: usize) -> usize {
        let mut blanks = Vec::new();
        while !self.rows.stops(index)
            && let Some(row) = self.rows.get(index)
        {
            let kind = kind(row);
            if matches!(kind, LineKind::Empty) {
                blanks.push(row);
                index += 1;
                continue;
            }
            if matches!(kind, LineKind::None) && !blanks.is_empty() && self.is_prose(index) {
                return index;
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

    /// Returns whether what follows can be prose: nothing of it looks as if it belonged to a hunk.
    fn is_prose(&self, index: usize) -> bool {
        let rest = (index..)
            .take_while(|&index| !self.rows.stops(index))
            .map_while(|index| self.rows.get(index));
        !self.rows.around.fenced
            && !rest
                .into_iter()
                .any(|row| matches!(row.text.first(), Some(b'+' | b'-')))
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
    fn check_marks(&mut self) {
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
