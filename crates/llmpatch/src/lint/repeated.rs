//! An edge of what an edit adds that is the file's next line already: the old text ended before a
//! line that the new text has, so that it is there twice.

use std::collections::HashMap;

use super::Finding;
use super::touched::Touched;
use crate::text::{Content, Lines, Located, Splice, Text};

/// Finds last lines that are the line behind them, too, and first lines that are the line above.
pub(super) fn find(touched: &Touched<'_>) -> Vec<Located<Finding>> {
    let edges = |side: usize| {
        let lines = touched.runs.iter().filter_map(|run| run.edges[side]);
        let lines = lines.filter(|line| has_word(line));
        lines
            .map(|line| (&line[..], line))
            .collect::<HashMap<&[u8], &Text<'_>>>()
    };
    let Some((base, splices)) = touched.after.splices() else {
        return Vec::new();
    };
    let edges = [edges(0), edges(1)];
    let lines = base.lines();
    if lines.is_empty() || edges.iter().all(HashMap::is_empty) {
        return Vec::new();
    }
    let repeated = |splice| {
        let sides = repeated(base, &lines, splice).into_iter().zip(&edges);
        sides
            .filter_map(|(text, edge)| edge.get(text?))
            .map(|line| Located::new(line.span, Finding::Repeated))
            .collect::<Vec<_>>()
    };
    splices.iter().flat_map(repeated).collect()
}

/// Returns the line above a splice if the first line of the splice is like it, and the line behind
/// if the last line is.
fn repeated<'l>(base: &Content, lines: &Lines<'l>, splice: &Splice) -> [Option<&'l [u8]>; 2] {
    let Splice { old, new } = splice;
    let at = |offset| {
        if offset == base.len() && base.ends_with(b"\n") {
            lines.len()
        } else {
            lines.index_at(offset)
        }
    };
    let [first, last] = [old.start, old.end].map(at);
    // A byte order mark is before the first line.
    let start = lines.start(first).min(old.start);
    let is_whole = lines.start(last) == old.end;
    let (rest, behind) = if is_whole {
        (&[][..], last)
    } else {
        (&base[old.end..lines.start(last + 1)], last + 1)
    };
    let made = [&base[start..old.start], new, rest].concat();
    if is_whole && !made.ends_with(b"\n") {
        return [None, None];
    }
    let made = Lines::within(&made);
    let line = |at: Option<usize>| at.filter(|at| *at < lines.len()).map(|at| lines.text(at));
    let [above, behind] = [line(first.checked_sub(1)), line(Some(behind))];
    let [head, tail] = [made.iter().next(), made.iter().next_back()];
    [
        above.filter(|above| head.is_some_and(|head| head.text == *above)),
        behind.filter(|behind| tail.is_some_and(|tail| tail.text == *behind)),
    ]
}

/// Returns whether a line has a word of three letters: brackets and short ends are often repeated.
fn has_word(line: &[u8]) -> bool {
    let mut words = line.split(|byte| !byte.is_ascii_alphabetic() && byte.is_ascii());
    words.any(|word| word.len() > 2)
}
