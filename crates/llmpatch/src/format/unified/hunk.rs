//! One hunk: its numbers, and where its lines end.

use bstr::{BString, ByteSlice as _};

use super::error::{Error, Warning};
use super::parse::Rows;
use crate::format::has_line_number;
use crate::patch::{Hunk, HunkLine, Mark, Position};
use crate::text::{Ending, Located, Row, Text};

/// Returns whether a line is a hunk's header.
pub(crate) fn is_header(text: &[u8]) -> bool {
    numbers(text).is_some()
}

/// Reads `@@ -1,7 +1,8 @@ heading`.
fn numbers(text: &[u8]) -> Option<Position> {
    let rest = text.strip_prefix(b"@@ -")?;
    let (old_start, old_lines, rest) = range(rest)?;
    let (new_start, new_lines, rest) = range(rest.strip_prefix(b" +")?)?;
    let rest = rest.strip_prefix(b" @@")?;
    let heading = rest.strip_prefix(b" ").unwrap_or(rest).to_vec();
    Some(Position {
        old_start,
        old_lines,
        new_start,
        new_lines,
        heading,
    })
}

fn range(text: &[u8]) -> Option<(u32, u32, &[u8])> {
    let (start, rest) = number(text)?;
    match rest.strip_prefix(b",") {
        Some(rest) => number(rest).map(|(lines, rest)| (start, lines, rest)),
        None => Some((start, 1, rest)),
    }
}

/// Reads a number; one that is too large for any file is the largest.
fn number(text: &[u8]) -> Option<(u32, &[u8])> {
    let len = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let digits = text[..len]
        .to_str()
        .ok()
        .filter(|digits| !digits.is_empty())?;
    Some((digits.parse().unwrap_or(u32::MAX), &text[len..]))
}

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

/// Reads the hunk whose header is at a line, the `number`th of its section.
pub(super) fn read<'a>(
    rows: &Rows<'a, '_>,
    at: usize,
    (path, number): (&BString, usize),
    strict: bool,
) -> Result<HunkRead<'a>, Located<Error>> {
    let Some(row) = rows.get(at) else {
        return Err(Located::new(None, Error::NoNumbers));
    };
    let span = row.span;
    let Some(mut position) = numbers(row.text) else {
        let is_cut = row.ending == Ending::None
            && b"@@ -".starts_with(row.text.get(..4).unwrap_or(row.text));
        return Err(Located::new(
            span,
            if is_cut {
                Error::CutHeader
            } else {
                Error::NoNumbers
            },
        ));
    };
    let mut body = Body {
        rows,
        crlf: row.ending == Ending::CrLf,
        lines: Vec::new(),
        errors: Vec::new(),
    };
    let claimed = [position.old_lines, position.new_lines];
    let (counted, fits) = body.counted(at + 1, claimed);
    let own = body.lines.len();
    let mut excess = 0;
    let mut left_out = None;
    let end = if fits {
        let end = body.excess(counted);
        left_out = body.left_out(end);
        let beyond = &body.lines[own..];
        // Lines that are only added change nothing of what the file must hold.
        excess = if beyond.iter().all(|line| line.mark == Mark::Added) {
            0
        } else {
            beyond.len()
        };
        end
    } else {
        (body.lines, body.errors) = (Vec::new(), Vec::new());
        body.uncounted(at + 1)
    };
    body.check_marks();
    let found = body.counts();
    let unended = body.unended(end);
    let Body {
        lines, mut errors, ..
    } = body;
    // A line that contradicts the counts shows that they are wrong, unless the response is cut off
    // in any case.
    let is_cut = errors.is_empty()
        && (found[0] < claimed[0] || found[1] < claimed[1])
        && (rows.is_end(counted) || rows.is_end(end) && is_open(rows, end));
    if is_cut {
        errors.push(Located::new(span, Error::CutHunk { claimed, found }));
    } else if lines.is_empty() && errors.is_empty() {
        errors.push(Located::new(span, Error::NoLines));
    }
    let is_lost = !errors.is_empty();
    let mut warnings = Vec::new();
    if found != claimed && !is_cut {
        [position.old_lines, position.new_lines] = found;
        let taken = lines.len().saturating_sub(own);
        let first = rows
            .get(counted)
            .filter(|_| taken > 0)
            .map_or(span, |row| row.span);
        if !is_lost && strict {
            errors.push(Located::new(
                span,
                Error::Miscounted {
                    number,
                    claimed,
                    found,
                },
            ));
        } else if !is_lost {
            let path = path.clone();
            warnings.push(Located::new(
                first,
                Warning::Recounted {
                    path,
                    number,
                    claimed,
                    found,
                    taken,
                },
            ));
        }
    }
    let unended = unended.filter(|_| !is_lost).map(|row| {
        (
            row,
            Warning::Unended {
                path: path.clone(),
                number,
            },
        )
    });
    let left_out = left_out.map(|row| {
        (
            row,
            Warning::LeftOut {
                path: path.clone(),
                number,
            },
        )
    });
    warnings.extend(
        unended
            .into_iter()
            .chain(left_out)
            .map(|(row, warning)| Located::new(row.span, warning)),
    );
    let hunk = Hunk {
        lines,
        position: Some(position),
        excess,
        span: Some(span),
        ..Hunk::default()
    };
    Ok(HunkRead {
        hunk,
        end,
        is_lost,
        errors,
        warnings,
    })
}

/// Returns whether the response, if it ends here, ends in a fence, in a heredoc, or within a line.
fn is_open(rows: &Rows<'_, '_>, end: usize) -> bool {
    let last = end.checked_sub(1).and_then(|last| rows.get(last));
    rows.around.fenced
        || rows.around.heredoc.is_some()
        || last.is_some_and(|row| row.ending == Ending::None)
}

struct Body<'a, 'r, 'o> {
    rows: &'r Rows<'a, 'o>,
    /// Whether the response has CRLF line ends, so that a CR is no part of a line.
    crlf: bool,
    lines: Vec<HunkLine<'a>>,
    errors: Vec<Located<Error>>,
}

/// What a line of a hunk may be.
enum LineKind {
    Line(Mark),
    NoNewline,
    Empty,
    None,
}

fn kind(row: Row<'_>) -> LineKind {
    match row.text {
        [] => LineKind::Empty,
        [b' ', ..] => LineKind::Line(Mark::Context),
        [b'-', ..] => LineKind::Line(Mark::Removed),
        [b'+', ..] => LineKind::Line(Mark::Added),
        [b'\\', b' ', ..] => LineKind::NoNewline,
        _ => LineKind::None,
    }
}

/// Returns whether a line may be an item of a list in Markdown, or a rule.
fn is_item(text: &[u8]) -> bool {
    match text {
        [_, b' ', next, ..] => !next.is_ascii_whitespace(),
        _ => text.trim_ascii_end().iter().all(|&byte| byte == b'-'),
    }
}

impl<'a> Body<'a, '_, '_> {
    /// Returns how many old and new lines there are.
    fn counts(&self) -> [u32; 2] {
        let without = |mark| self.lines.iter().filter(|line| line.mark != mark).count();
        [Mark::Added, Mark::Removed].map(|mark| u32::try_from(without(mark)).unwrap_or(u32::MAX))
    }

    /// Returns the last line, if it may go on: it is an added one, which no file confirms, and the
    /// response ends in it, and in a fence or a heredoc.
    fn unended(&self, end: usize) -> Option<Row<'a>> {
        let is_added = self
            .lines
            .last()
            .is_some_and(|line| line.mark == Mark::Added && !line.unterminated);
        let is_within = self.rows.around.fenced || self.rows.around.heredoc.is_some();
        let last = end.checked_sub(1).and_then(|last| self.rows.get(last));
        last.filter(|row| is_added && is_within && row.ending == Ending::None)
    }

    /// Takes as many lines as the header claims; returns the line behind them and whether there are
    /// so many.
    fn counted(&mut self, mut index: usize, claimed: [u32; 2]) -> (usize, bool) {
        let [mut old, mut new] = claimed;
        while old > 0 || new > 0 {
            let Some(row) = self.rows.get(index) else {
                return (index, false);
            };
            let mark = match kind(row) {
                LineKind::Line(mark) => mark,
                LineKind::Empty => Mark::Context,
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
        let ends = |other: Mark| {
            let last = self.lines.iter().rev().find(|line| line.mark != other);
            mark != other && last.is_some_and(|line| line.unterminated)
        };
        ends(Mark::Added) || ends(Mark::Removed)
    }

    /// Returns whether a line is the `-- ` above a signature.
    fn is_separator(&self, index: usize) -> bool {
        let is_prose = |row: Row<'_>| matches!(kind(row), LineKind::Empty | LineKind::None);
        self.rows.get(index).is_some_and(|row| row.text == b"-- ")
            && self.rows.get(index + 1).is_none_or(is_prose)
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
                .for_each(|blank| self.push(blank, Mark::Context));
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
