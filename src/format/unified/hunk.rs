//! One hunk: its numbers, and where its lines end.

use bstr::ByteSlice as _;

use super::fault::{Fault, Misplaced};
use super::rows::{Row, Rows};
use crate::patch::{Hunk, HunkLine, Mark, Position};
use crate::text::{Located, Text};

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
    Some(Position { old_start, old_lines, new_start, new_lines, heading })
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
    let digits = text[..len].to_str().ok().filter(|digits| !digits.is_empty())?;
    Some((digits.parse().unwrap_or(u32::MAX), &text[len..]))
}

/// What was read of a hunk.
pub(super) struct Read<'a> {
    pub(super) hunk: Hunk<'a>,
    /// The line behind it.
    pub(super) end: usize,
    /// The counts that its header claims and that it hasn't: old and new.
    pub(super) miscounted: Option<[u32; 2]>,
    pub(super) faults: Vec<Located<Fault>>,
}

/// Reads the hunk whose header is at a line.
pub(super) fn read<'a>(rows: &Rows<'a, '_>, at: usize) -> Result<Read<'a>, Located<Fault>> {
    let Some(row) = rows.get(at) else { return Err(Located::new(None, Fault::NoNumbers)) };
    let span = row.span(rows.source);
    let Some(position) = numbers(row.text()) else { return Err(Located::new(span, Fault::NoNumbers)) };
    let mut body = Body { rows, crlf: row.has_cr(), lines: Vec::new(), faults: Vec::new() };
    let claimed = [position.old_lines, position.new_lines];
    let (end, fits) = body.counted(at + 1, claimed);
    let end = if fits && body.is_complete(end) {
        end
    } else {
        (body.lines, body.faults) = (Vec::new(), Vec::new());
        body.uncounted(at + 1)
    };
    body.check_marks();
    let Body { lines, mut faults, .. } = body;
    let hunk = Hunk { lines, position: Some(position), span: Some(span), ..Hunk::default() };
    let count = |len: usize| u32::try_from(len).unwrap_or(u32::MAX);
    let found = [count(hunk.old().count()), count(hunk.new_lines().count())];
    let is_cut = (found[0] < claimed[0] || found[1] < claimed[1]) && ends_within(rows, end);
    if is_cut {
        faults.push(Located::new(span, Fault::CutHunk { claimed, found }));
    } else if hunk.lines.is_empty() && faults.is_empty() {
        faults.push(Located::new(span, Fault::NoLines));
    }
    let miscounted = (found != claimed && !is_cut).then_some(claimed);
    let mut read = Read { hunk, end, miscounted, faults };
    if let (Some(_), Some(position)) = (miscounted, &mut read.hunk.position) {
        [position.old_lines, position.new_lines] = found;
    }
    Ok(read)
}

/// Returns whether the response ends at a line as if it had been cut off: in a fence, in a heredoc, or within a line.
fn ends_within(rows: &Rows<'_, '_>, end: usize) -> bool {
    let rest = (end..).map_while(|index| rows.get(index)).all(|row| row.text().is_empty());
    let last = end.checked_sub(1).and_then(|last| rows.get(last));
    let is_open = rows.around.fenced || rows.around.heredoc.is_some();
    rest && (is_open || last.is_some_and(|row| !row.terminated))
}

struct Body<'a, 'r, 'o> {
    rows: &'r Rows<'a, 'o>,
    /// Whether the response has CRLF line ends, so that a CR is no part of a line.
    crlf: bool,
    lines: Vec<HunkLine<'a>>,
    faults: Vec<Located<Fault>>,
}

/// What a line of a hunk may be.
enum Kind {
    Line(Mark, usize),
    NoNewline,
    Empty,
    None,
}

fn kind(row: Row<'_>) -> Kind {
    match row.text() {
        [] => Kind::Empty,
        [b' ', ..] => Kind::Line(Mark::Context, 1),
        [b'-', ..] => Kind::Line(Mark::Removed, 1),
        [b'+', ..] => Kind::Line(Mark::Added, 1),
        [b'\\', b' ', ..] => Kind::NoNewline,
        _ => Kind::None,
    }
}

impl<'a> Body<'a, '_, '_> {
    /// Takes as many lines as the header claims; returns the line behind them and whether there are so many.
    fn counted(&mut self, mut index: usize, claimed: [u32; 2]) -> (usize, bool) {
        let [mut old, mut new] = claimed;
        while old > 0 || new > 0 {
            let Some(row) = self.rows.get(index) else { return (index, false) };
            let (mark, skip) = match kind(row) {
                Kind::Line(mark, skip) => (mark, skip),
                Kind::Empty => (Mark::Context, 0),
                Kind::NoNewline => {
                    self.no_newline(row);
                    index += 1;
                    continue;
                }
                Kind::None => return (index, false),
            };
            let (of_old, of_new) = (u32::from(mark != Mark::Added), u32::from(mark != Mark::Removed));
            if of_old > old || of_new > new {
                return (index, false);
            }
            (old, new) = (old - of_old, new - of_new);
            self.push(row, mark, skip);
            index += 1;
        }
        if let Some(row) = self.rows.get(index)
            && matches!(kind(row), Kind::NoNewline)
        {
            self.no_newline(row);
            index += 1;
        }
        (index, true)
    }

    /// Returns whether nothing that looks like a further line of it follows a hunk that is complete by its numbers.
    fn is_complete(&self, end: usize) -> bool {
        let mut blank = false;
        for index in end.. {
            if self.rows.stops(index) {
                break;
            }
            let Some(row) = self.rows.get(index) else { break };
            match kind(row) {
                Kind::Line(Mark::Context, _) if index == end => return false,
                Kind::Line(Mark::Added | Mark::Removed, _) => return false,
                // A paragraph of prose.
                Kind::None if blank && !self.rows.around.fenced => break,
                kind => blank = matches!(kind, Kind::Empty),
            }
        }
        true
    }

    /// Takes all lines up to what can be none; returns the line behind them.
    fn uncounted(&mut self, mut index: usize) -> usize {
        let mut blanks = Vec::new();
        while !self.rows.stops(index)
            && let Some(row) = self.rows.get(index)
        {
            let kind = kind(row);
            if matches!(kind, Kind::Empty) {
                blanks.push(row);
                index += 1;
                continue;
            }
            if matches!(kind, Kind::None) && !blanks.is_empty() && self.is_prose(index) {
                return index;
            }
            blanks.drain(..).for_each(|blank| self.push(blank, Mark::Context, 0));
            match kind {
                Kind::Line(mark, skip) => self.push(row, mark, skip),
                Kind::NoNewline => self.no_newline(row),
                Kind::Empty | Kind::None => {
                    self.faults.push(Located::new(row.span(self.rows.source), Fault::NoPrefix));
                    return self.skip(index + 1);
                }
            }
            index += 1;
        }
        index - blanks.len()
    }

    /// Returns whether what follows can be prose: nothing of it looks as if it belonged to a hunk.
    fn is_prose(&self, index: usize) -> bool {
        let rest = (index..).take_while(|&index| !self.rows.stops(index)).map_while(|index| self.rows.get(index));
        !self.rows.around.fenced && !rest.into_iter().any(|row| matches!(row.text().first(), Some(b'+' | b'-')))
    }

    fn skip(&self, mut index: usize) -> usize {
        while !self.rows.stops(index) {
            index += 1;
        }
        index
    }

    fn push(&mut self, row: Row<'a>, mark: Mark, skip: usize) {
        let line = if self.crlf { row.text() } else { row.raw() };
        let start = row.start + skip;
        let text = Text::at(&line[skip..], self.rows.source.span(start..row.start + line.len()));
        self.lines.push(HunkLine { mark, text, unterminated: false });
    }

    fn no_newline(&mut self, row: Row<'_>) {
        match self.lines.last_mut() {
            Some(line) => line.unterminated = true,
            None => self.faults.push(Located::new(row.span(self.rows.source), Fault::Mark(Misplaced::First))),
        }
    }

    /// Checks that what has no newline is the last line of its side.
    fn check_marks(&mut self) {
        let (mut old, mut new) = (false, false);
        for line in self.lines.iter().rev() {
            let (of_old, of_new) = (line.mark != Mark::Added, line.mark != Mark::Removed);
            if line.unterminated && (of_old && old || of_new && new) {
                self.faults.push(Located::new(line.text.span, Fault::Mark(Misplaced::Within)));
            }
            (old, new) = (old || of_old, new || of_new);
        }
    }
}
