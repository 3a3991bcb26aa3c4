//! What all added lines have in common: the marks of a file that was shown or quoted on its way to
//! the model.

use std::collections::HashSet;

use bstr::ByteSlice as _;

use super::Finding;
use super::touched::{Run, Touched};
use crate::text::{Located, Text, line_number, number_mark};

/// Finds runs of which every line begins with a number, each higher than the number before, and at
/// least once by 1: others count what a program found.
pub(super) fn line_numbers(touched: &Touched<'_>) -> Vec<Located<Finding>> {
    let is_known = || touched.old().iter().any(|line| number(line.text).is_some());
    first_run(touched, Finding::LineNumbers, |run| {
        let mut lines = texts(run);
        let Some((first, sign)) = lines.next().and_then(|line| number(line)) else {
            return false;
        };
        let mut last = first;
        let mut has_next = false;
        for line in lines {
            match number(line) {
                Some((number, other)) if number > last && other == sign => {
                    has_next |= number == last + 1;
                    last = number;
                }
                _ => return false,
            }
        }
        has_next && !is_known()
    })
}

/// Finds runs of which every line begins with `+`, or with `+` or `-`.
pub(super) fn diff_prefixes(touched: &Touched<'_>) -> Vec<Located<Finding>> {
    let is_known = || touched.old().iter().any(|line| line.text.starts_with(b"+"));
    first_run(touched, Finding::DiffPrefixes, |run| {
        let all = !run.has_prefixes
            && texts(run).all(|line| match &line[..] {
                [sign @ (b'+' | b'-'), rest @ ..] => rest.first() != Some(sign),
                _ => false,
            });
        // AsciiDoc joins paragraphs by a `+` alone.
        all && texts(run).any(|line| line.starts_with(b"+") && line.len() > 1)
            && !is_known()
            && are_lines(touched, run)
    })
}

/// Finds the first run of which something is true.
fn first_run(
    touched: &Touched<'_>,
    finding: Finding,
    is_found: impl Fn(&Run<'_>) -> bool,
) -> Vec<Located<Finding>> {
    let run = touched.runs.iter().find(|run| is_found(run));
    let first = run.and_then(|run| texts(run).next());
    first
        .map(|line| Located::new(line.span, finding))
        .into_iter()
        .collect()
}

/// Returns the lines of a run that aren't blank.
fn texts<'r>(run: &'r Run<'_>) -> impl Iterator<Item = &'r Text<'r>> {
    let is_text = |line: &&Text<'_>| !line.trim_ascii().is_empty();
    run.lines.iter().copied().filter(is_text)
}

/// Returns whether what an edit adds are whole lines of the file, rather than parts of them.
fn are_lines(touched: &Touched<'_>, run: &Run<'_>) -> bool {
    let lines = touched.after.lines();
    let all: HashSet<&[u8]> = lines.iter().map(|line| line.text).collect();
    texts(run).all(|line| all.contains(&line[..]))
}

/// Returns the number that a line begins with as lines of a file that is shown do, and the sign
/// behind it.
fn number(line: &[u8]) -> Option<(u32, &[u8])> {
    let (number, rest) = line_number(line.trim_ascii_start())?;
    let (sign, _) = number_mark(rest.trim_start_with(|c| c == ' '))?;
    Some((number, sign))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_lines_are_told_from_other_numbers() {
        for (line, want) in [
            ("     1\tfn main() {", Some(1)),
            ("12: x", Some(12)),
            ("7|", Some(7)),
            ("  3 | x", Some(3)),
            ("  10→}", Some(10)),
            ("1. one", None),
            ("12 apples", None),
            ("x1: y", None),
        ] {
            let got = number(line.as_bytes()).map(|(number, _)| number);
            assert_eq!(got, want, "{line}");
        }
    }
}
