//! An edge of what an edit adds that is the file's next line already: the old text ended before a
//! line that the new text has, so that it is there twice.

use std::collections::HashMap;

use bstr::ByteSlice as _;

use super::Finding;
use super::touched::Touched;
use crate::text::{Located, Splice, Text};

/// How many bytes a line has at most that is looked at: a longer one may hold a great many edits.
const LONGEST: usize = 1000;

/// Finds last lines that are the line behind them, too, and first lines that are the line above.
pub(super) fn find(touched: &Touched<'_>) -> Vec<Located<Finding>> {
    let Some((base, splices)) = touched.after.splices() else {
        return Vec::new();
    };
    let repeated = splices.iter().map(|splice| repeated(base, splice));
    let repeated: Vec<_> = repeated
        .filter(|lines| lines.iter().flatten().any(|line| has_word(line)))
        .collect();
    if repeated.is_empty() {
        return Vec::new();
    }
    let edges = [0, 1].map(|side| {
        let lines = touched.runs.iter().filter_map(|run| run.edges[side]);
        let lines = lines.filter(|line| has_word(line));
        let lines = lines.map(|line| (&line[..], line));
        lines.collect::<HashMap<&[u8], &Text<'_>>>()
    });
    let lines = repeated
        .iter()
        .flat_map(|lines| lines.iter().zip(&edges))
        .filter_map(|(line, edges)| edges.get((*line)?));
    lines
        .map(|line| Located::new(line.span, Finding::Repeated))
        .collect()
}

/// Returns the line above a splice if the first line of the splice is like it, and the line behind
/// if the last line is.
fn repeated<'b>(base: &'b [u8], splice: &Splice) -> [Option<&'b [u8]>; 2] {
    let Splice { old, new } = splice;
    // A line and its terminator, and a byte by which a longer line shows.
    let near = LONGEST + 3;
    let before = |at: usize| &base[at.saturating_sub(near)..at];
    let behind = |at: usize| &base[at..base.len().min(at + near)];
    let head = before(old.start);
    let head = match head.rfind_byte(b'\n') {
        Some(newline) => &head[newline + 1..],
        None if head.len() < near => head,
        None => return [None, None],
    };
    // What ends the last line: its own newline, or what the file has behind it.
    let is_whole = base[..old.end].last().is_none_or(|byte| *byte == b'\n');
    let (body, rest) = match (is_whole, new.strip_suffix(b"\n")) {
        (true, Some(body)) => (body, &b""[..]),
        (true, None) => return [None, None],
        (false, _) => {
            let rest = behind(old.end).lines_with_terminator().next();
            (&new[..], rest.unwrap_or_default())
        }
    };
    let above = before(old.start - head.len()).lines().next_back();
    let below = behind(old.end + rest.len()).lines().next();
    let end = [body, text(rest)];
    let first = match body.find_byte(b'\n') {
        Some(newline) => [head, &body[..newline], b""],
        None => [head, end[0], end[1]],
    };
    let last = match body.rfind_byte(b'\n') {
        Some(newline) => [b"", &body[newline + 1..], end[1]],
        None => [head, end[0], end[1]],
    };
    [
        above.filter(|line| is_made_of(line, first)),
        below.filter(|line| is_made_of(line, last)),
    ]
}

/// Returns whether a line is these parts, one behind the other, with or without a carriage return
/// at its end.
fn is_made_of(line: &[u8], parts: [&[u8]; 3]) -> bool {
    let rest = parts
        .iter()
        .try_fold(line, |line, part| line.strip_prefix(text(part)));
    rest == Some(b"")
}

/// Returns a line without its terminator, or the carriage return that is left of it.
fn text(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// Returns whether a line has a word of three letters: brackets and short ends are often repeated.
fn has_word(line: &[u8]) -> bool {
    let mut words = line.split(|byte| !byte.is_ascii_alphabetic() && byte.is_ascii());
    words.any(|word| word.len() > 2)
}
