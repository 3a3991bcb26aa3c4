//! What is put in the place of a text, and what becomes of the lines in which the text begins and
//! ends.

use std::borrow::Cow;
use std::ops::Range;

use bstr::ByteSlice as _;

use super::super::again::{already_there, is_there};
use super::super::splice;
use super::super::warning::{Placing, Quote, Warning};
use super::{Outcome, Task};
use crate::search::{Document, Side, cuts_word};
use crate::text::{
    LineNo, Lines, Located, Span, Splice, Text, indentation, is_blank, same_end, same_start,
};

/// What is put at each place of a text.
pub(super) struct Put<'e, 't> {
    pub(super) lines: &'e [Text<'t>],
    /// The lines as the file needs them; `None` for as they are.
    pub(super) fitted: Option<&'e [Vec<u8>]>,
    pub(super) how: Placing,
    pub(super) span: Option<Span>,
    /// Whether it is what is there.
    pub(super) is_idle: bool,
    /// Whether it is text byte for byte, so that what it leaves of lines is worth a word.
    pub(super) is_literal: bool,
}

impl Outcome {
    /// Puts a text at each of several places, in order. Returns of each where the lines that it adds
    /// are already.
    pub(super) fn put_all(
        &mut self,
        task: Task<'_>,
        ranges: Vec<Range<usize>>,
        edit: &Put<'_, '_>,
    ) -> Vec<Option<LineNo>> {
        let mut ranges = ranges.into_iter().peekable();
        let mut again = Vec::new();
        // Lines with many places are read once.
        while let Some(first) = ranges.peek() {
            let around = TouchedLines::new(task.file, first);
            let lines = around.lines();
            let mut is_first = true;
            while let Some(range) = ranges.next_if(|range| around.are_of(task.file, range)) {
                again.push(self.put(task, range, (&around, &lines, is_first), edit));
                is_first = false;
            }
        }
        again
    }

    /// Notes a place, and what comes there unless it is what is there. Returns where the lines that
    /// it adds are, if they are right before or behind the place already; that is asked of the first
    /// place in a line only, since it takes a look at the whole line.
    fn put(
        &mut self,
        task: Task<'_>,
        range: Range<usize>,
        (around, lines, is_first): (&TouchedLines<'_>, &Lines<'_>, bool),
        edit: &Put<'_, '_>,
    ) -> Option<LineNo> {
        let document = task.file;
        let Put {
            lines: put,
            fitted,
            ref how,
            span,
            is_idle,
            is_literal,
        } = *edit;
        let within = range.start - around.start..range.end - around.start;
        // A line break at the end of both leaves the line behind it alone.
        let ends_line = is_literal && put.last().is_some_and(|line| line.is_empty());
        let matched = &around.bytes[within.clone()];
        let ending = match matched {
            [.., b'\r', b'\n'] if ends_line => 2,
            [.., b'\n'] if ends_line => 1,
            _ => 0,
        };
        let touched = within.start..within.end - ending;
        let rows = rows(lines, &touched, put.len() - usize::from(ending > 0));
        let [old, new] = rows.map(|rows| rows.start + around.line..rows.end + around.line);
        self.placed
            .push(task.placement(0, span, old.clone(), new, how.clone()));
        self.warn_of_edges(task, around, lines, &within, edit);
        if is_idle {
            return None;
        }
        let (within, new) = match fitted {
            Some(fitted) => splice::within(lines, within, fitted),
            None => splice::within(lines, within, put),
        };
        let again = || {
            let lines = already_there(document, &old, &around.with(lines, &touched, &new));
            lines.or_else(|| is_there(&around.bytes, &within, &new).then_some(old.start))
        };
        let again = is_first.then(again).flatten();
        let range = within.start + around.start..within.end + around.start;
        self.warn_of_ends(task, &range, &new, edit);
        let (head, tail) = lines_alike(&around.bytes[within], &new);
        let old = range.start + head..range.end - tail;
        let new = new[head..new.len() - tail].to_vec();
        Splice { old, new }.add_to(&mut self.splices);
        again.map(LineNo::from_index)
    }

    /// Warns of a match that begins or ends inside a word, or begins inside the indentation of a line
    /// although it becomes several, once.
    fn warn_of_edges(
        &mut self,
        task: Task<'_>,
        around: &TouchedLines<'_>,
        lines: &Lines<'_>,
        within: &Range<usize>,
        edit: &Put<'_, '_>,
    ) {
        if self.has_cut {
            return;
        }
        let cut = cuts_word(lines, within);
        let mut further = edit.lines.iter().skip(1);
        let is_of_several = edit.fitted.is_none() && further.any(|line| !is_blank(line));
        self.has_cut = cut.is_some() || is_of_several && is_in_indentation(lines, within.start);
        if !self.has_cut {
            return;
        }
        let at = if cut == Some(Side::End) {
            within.end
        } else {
            within.start
        };
        let index = lines.index_at(at);
        let line = Quote {
            line: LineNo::from_index(index + around.line),
            ..Quote::new(lines, index)
        };
        let path = task.path.clone();
        let warning = match cut {
            Some(how) => Warning::InsideWord { path, how, line },
            None => Warning::InsideIndentation { path, line },
        };
        self.warnings.push(Located::new(edit.span, warning));
    }

    /// Warns of what becomes of the lines at which a text begins and ends.
    fn warn_of_ends(
        &mut self,
        task: Task<'_>,
        range: &Range<usize>,
        new: &[u8],
        edit: &Put<'_, '_>,
    ) {
        let path = task.path.clone();
        let is_gone = new.is_empty() && (edit.is_literal || edit.lines.is_empty());
        let left = || is_gone.then(|| whitespace_left(task.file, range)).flatten();
        let warning = match final_newline(task.file, range, new) {
            Some(true) => Warning::NewlineAdded { path },
            Some(false) if edit.is_literal => Warning::NewlineGone { path },
            _ => match left() {
                Some(left) => Warning::EmptyLine {
                    path,
                    at: LineNo::from_index(task.file.line(range.start)),
                    has_space: left > 0,
                },
                None => return,
            },
        };
        self.warnings.push(Located::new(edit.span, warning));
    }
}

/// Returns whether an offset has whitespace before and behind it, and nothing else before it in its
/// line.
fn is_in_indentation(lines: &Lines<'_>, at: usize) -> bool {
    let index = lines.index_at(at);
    let column = at - lines.start(index);
    let line = lines.text(index);
    column > 0 && column < indentation(line) && indentation(line) < line.len()
}

/// Returns the length in bytes of the whole lines that are equal at the beginning of two texts, and
/// of the whole lines that are equal at the end of the rest.
fn lines_alike(old: &[u8], new: &[u8]) -> (usize, usize) {
    let head = old[..same_start(old, new)]
        .rfind_byte(b'\n')
        .map_or(0, |newline| newline + 1);
    let tail = same_end(&old[head..], &new[head..]);
    (
        head,
        old[old.len() - tail..]
            .find_byte(b'\n')
            .map_or(0, |newline| tail - newline - 1),
    )
}

/// Returns whether a file gets a newline at its end, or loses it, once something takes the place of
/// a range.
fn final_newline(document: &Document, range: &Range<usize>, new: &[u8]) -> Option<bool> {
    let len = document.len();
    let ends = |to: usize| document.slice(to.saturating_sub(1)..to).ends_with(b"\n");
    if range.end < len {
        return None;
    }
    let before = ends(len);
    let after = if new.is_empty() {
        ends(range.start)
    } else {
        new.ends_with(b"\n")
    };
    let is_emptied = new.is_empty() && range.start == 0;
    (before != after && !is_emptied).then_some(after)
}

/// Returns how many bytes of whitespace are left of a line, apart from its end, once a range is
/// gone; `None` if something else is left of it, or nothing at all since whole lines go.
fn whitespace_left(document: &Document, range: &Range<usize>) -> Option<usize> {
    let byte = |at: usize| document.slice(at..at + 1)[0];
    let is_blank = |at: usize| byte(at) != b'\n' && byte(at).is_ascii_whitespace();
    let ends_line = |end: usize| end == document.len() || byte(end) == b'\n';
    let starts_line = |start: usize| start == 0 || byte(start - 1) == b'\n';
    let mut start = range.start;
    while start > 0 && is_blank(start - 1) {
        start -= 1;
    }
    let mut end = range.end;
    while end < document.len() && is_blank(end) {
        end += 1;
    }
    if range.is_empty() || !starts_line(start) || !ends_line(end) {
        return None;
    }
    while end > range.end && byte(end - 1) == b'\r' {
        end -= 1;
    }
    let left = range.start - start + end - range.end;
    let is_whole = starts_line(range.start) && starts_line(range.end);
    let is_last = range.end == document.len() && left == 0;
    (!is_whole && !is_last).then_some(left)
}

/// The lines around a range of a file: the lines that it touches, the line before them and the line
/// behind.
struct TouchedLines<'d> {
    bytes: Cow<'d, [u8]>,
    /// The offset at which they begin in the file.
    start: usize,
    /// The index of the first of them.
    line: usize,
    /// What the touched lines are of the file.
    touched: Range<usize>,
}

impl<'d> TouchedLines<'d> {
    fn new(document: &'d Document, range: &Range<usize>) -> Self {
        let touched = document.line_start(range.start)..document.line_end(range.end);
        let start = document.line_start(touched.start.saturating_sub(1));
        let end = document.line_end(touched.end);
        Self {
            touched,
            bytes: document.slice(start..end),
            start,
            line: document.line(start),
        }
    }

    /// Returns whether they are the lines around this range, too.
    fn are_of(&self, document: &Document, range: &Range<usize>) -> bool {
        let end = self.touched.end;
        self.touched.start <= range.start && (range.end < end || end == document.len())
    }

    fn lines(&self) -> Lines<'_> {
        if self.start == 0 {
            Lines::new(&self.bytes)
        } else {
            Lines::within(&self.bytes)
        }
    }

    /// Returns the lines that a range touches as they are with others in its place.
    fn with(&self, lines: &Lines<'_>, range: &Range<usize>, new: &[u8]) -> Vec<Vec<u8>> {
        let first = lines.start(lines.index_at(range.start));
        let last = lines.index_at(range.end);
        let end = lines.start(last) + lines.text(last).len();
        let behind = &self.bytes[range.end.min(end)..end];
        let all = [&self.bytes[first..range.start], new, behind].concat();
        let lines = Lines::within(&all);
        lines.iter().map(|line| line.text.to_vec()).collect()
    }
}

/// Returns which lines a match touches, and which are there when `put` lines have taken its place.
fn rows(lines: &Lines<'_>, range: &Range<usize>, put: usize) -> [Range<usize>; 2] {
    let first = lines.index_at(range.start);
    let last = lines.index_at(range.end);
    // A match in the middle of a line leaves that line even if nothing is put there.
    let leaves_none = put == 0 && splice::whole_lines(lines, range.clone()) != *range;
    let new = if leaves_none { 0 } else { put.max(1) };
    [first..last + 1, first..first + new]
}
