//! Notices added text that looks as if the model had left code out.
//!
//! A line that is in the file already is meant. A file that is new can't have lost anything, so its
//! lines aren't looked at.

use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};

use super::Finding;
use super::touched::Touched;
use crate::text::{Lines, Located, Text, looks_elided};

/// Finds the added lines that are written in place of code.
pub(super) fn find(touched: &Touched<'_>) -> Vec<Located<Finding>> {
    let path = touched.path.as_bytes();
    let is_code = has_ending(path, BODIES) || touched.added().any(|line| line.trim_ascii() == RULE);
    let is_prose = has_ending(path, PROSE);
    let is_found = |line: &&Text<'_>| looks_elided(line) && !(is_code && line.trim_ascii() == DOTS);
    if touched.before.is_empty() || !touched.added().any(|line| is_found(&line)) {
        return Vec::new();
    }
    let old = touched.old();
    let known: HashSet<&[u8]> = old.iter().map(|line| line.text.trim_ascii()).collect();
    let after = touched.after.lines();
    let is_more = elided(&after) > elided(&old);
    let of_file_once = OnceCell::new();
    let mut found = Vec::new();
    for run in &touched.runs {
        let finding = if run.is_whole {
            *of_file_once.get_or_init(|| of_file(&old, &after))
        } else if is_more {
            Finding::Elided
        } else {
            // Who puts one in place of another means both.
            continue;
        };
        let mut before: Option<&Text<'_>> = None;
        for &line in &run.lines {
            let goes_on = before.is_some_and(|before| goes_on(before, line));
            before = Some(line);
            // Examples in documents leave out what doesn't matter.
            let is_example = is_prose && !run.is_whole && !has_words(line);
            let is_known = known.contains(line.trim_ascii());
            if is_found(&line) && !is_known && !is_example && !goes_on {
                found.push(Located::new(line.span, finding));
            }
        }
    }
    found
}

/// Returns how many lines look as if they stood for code.
fn elided(lines: &Lines<'_>) -> usize {
    lines.iter().filter(|line| looks_elided(line.text)).count()
}

/// Returns whether a line without dots goes on with the sentence of the comment above it.
fn goes_on(above: &[u8], line: &[u8]) -> bool {
    let sign = |line: &[u8]| line.iter().position(u8::is_ascii_alphanumeric);
    let [above, line] = [above, line].map(<[u8]>::trim_ascii_end);
    let (Some(first), Some(_)) = (sign(line), sign(above)) else {
        return false;
    };
    line[first].is_ascii_lowercase()
        && !line[..first].trim_ascii().is_empty()
        && !line[..first].ends_with(b".")
        && above.get(..first) == Some(&line[..first])
        && above
            .last()
            .is_some_and(|&last| last == b',' || last.is_ascii_alphanumeric())
}

const DOTS: &[u8] = b"...";
/// What a document in YAML begins with, also where its file has another name; dots end it.
const RULE: &[u8] = b"---";
/// Where three dots alone are code: a body in Python, the end of a document in YAML, any statements
/// in Coccinelle.
const BODIES: &[&str] = &["py", "pyi", "pyx", "yaml", "yml", "cocci"];
/// Files in which code is an example.
const PROSE: &[&str] = &["md", "markdown", "mdx", "rst", "adoc", "txt"];

fn has_ending(path: &[u8], endings: &[&str]) -> bool {
    let ending = path.rsplit(|&byte| byte == b'.').next().unwrap_or_default();
    endings
        .iter()
        .any(|known| ending.eq_ignore_ascii_case(known.as_bytes()))
}

fn has_words(line: &[u8]) -> bool {
    line.iter().any(u8::is_ascii_alphanumeric)
}

/// Returns what it means that a line of what replaces a whole file stands for code.
fn of_file(old: &Lines<'_>, new: &Lines<'_>) -> Finding {
    let lost = lost(old, new);
    if lost.iter().all(|line| line.trim_ascii().is_empty()) {
        Finding::Elided
    } else {
        Finding::ElidedFile {
            lost: lost.len(),
            total: old.len(),
        }
    }
}

/// Returns the lines of the old text that the new text has no more, or not so often.
fn lost<'o>(old: &Lines<'o>, new: &Lines<'_>) -> Vec<&'o [u8]> {
    let mut left: HashMap<&[u8], usize> = HashMap::new();
    new.iter()
        .for_each(|line| *left.entry(line.text).or_default() += 1);
    let mut lost = Vec::new();
    for line in old.iter() {
        match left.get_mut(line.text).filter(|left| **left > 0) {
            Some(left) => *left -= 1,
            None => lost.push(line.text),
        }
    }
    lost
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_sentence_is_told_from_a_comment() {
        for (above, line, want) in [
            ("# C and D stay", "# unchanged.", true),
            ("  // the first,", "  // remaining unchanged", true),
            ("# C and D.", "# unchanged", false),
            ("# C and D", "# Rest unchanged", false),
            ("# C and D", "# ... rest unchanged", false),
            ("# C and D", "  # unchanged", false),
            ("let x = c", "// unchanged", false),
            ("", "// unchanged", false),
        ] {
            assert_eq!(goes_on(above.as_bytes(), line.as_bytes()), want, "{line}");
        }
    }
}
