//! What the troubleshooting page shows of every kind: what the program says in a case of it.

use std::fs;
use std::path::Path;

use llmpatch::kind::Kind;

use super::roff::Roff;
use crate::here;

/// A response of a shape that many have, and what is said of it.
pub(super) struct Sample {
    pub(super) title: String,
    pub(super) about: String,
    said: String,
}

impl Sample {
    /// Returns the kind that it is found by: that of its first error, else of its first warning.
    pub(super) fn kind(&self) -> &'static Kind {
        let code = self
            .said
            .lines()
            .find_map(|line| line.strip_prefix("error[")?.split(']').next());
        let code = code.or_else(|| {
            self.said
                .lines()
                .find_map(|line| line.strip_suffix(']')?.rsplit('[').next())
        });
        Kind::ALL
            .iter()
            .find(|kind| Some(kind.code()) == code)
            .unwrap_or_else(|| panic!("no kind in {}", self.said))
    }

    /// Returns the lines of it that are shown.
    pub(super) fn lines(&self) -> Vec<String> {
        shown(&self.said)
    }
}

/// Returns the responses that something is said of, by title: the first line of a case's comment.
pub(super) fn samples() -> Vec<Sample> {
    let cases = llmpatch_cases::all().into_iter();
    let shapes = cases.filter(|case| case.name.starts_with("shapes/"));
    // What is passed over in silence needs no help.
    let shapes = shapes.filter(|shape| !shape.expected().said.is_empty());
    let samples = shapes.map(|shape| {
        let (title, about) = shape.rule.split_once('\n').unwrap_or_default();
        Sample {
            title: title.replace('`', ""),
            about: about.trim().replace('\n', " "),
            said: shape.expected().said,
        }
    });
    let mut samples: Vec<_> = samples.collect();
    samples.sort_by_key(|sample| sample.title.to_lowercase());
    samples
}

/// Returns a message of a kind as `tests/messages` has it; nothing if none is there.
pub(super) fn said(kind: Kind) -> Vec<String> {
    let path = here("tests/messages")
        .join(Path::new(kind.code()))
        .with_extension("txt");
    let file = fs::read_to_string(path).unwrap_or_default();
    let wide = file
        .split("\n--- 40 columns")
        .next()
        .and_then(|part| part.split_once('\n'));
    let mut whole = String::new();
    for line in wide.map_or("", |(_, said)| said).lines() {
        // What was broken to fit is put together; places have numbers or arrows before them.
        let rest = line
            .strip_prefix("  ")
            .filter(|rest| rest.starts_with(|c: char| !" |-".contains(c)));
        match rest {
            Some(rest) => whole = format!("{} {rest}\n", whole.trim_end()),
            None => whole += &format!("{line}\n"),
        }
    }
    shown(&whole)
}

/// Returns headlines and help, broken to fit the page.
fn shown(said: &str) -> Vec<String> {
    let is_told = |line: &&str| {
        ["error", "warning", "help: "]
            .iter()
            .any(|start| line.starts_with(start))
    };
    let told: Vec<_> = said.lines().filter(is_told).collect();
    let is_whole =
        |line: &&str| !line.contains("--> ") && line.matches('`').count().is_multiple_of(2);
    assert!(told.iter().all(is_whole), "torn: {told:?}");
    told.into_iter().flat_map(broken).collect()
}

fn broken(line: &str) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in line.split(' ') {
        let last = lines.last_mut().unwrap();
        if last.trim().is_empty() {
            last.push_str(word);
        } else if columns(last) + 1 + columns(word) <= Roff::CODE_WIDTH {
            last.push(' ');
            last.push_str(word);
        } else {
            lines.push(format!("  {word}"));
        }
    }
    lines
}

/// Returns how wide a text is where it is widest: in ASCII, which has three dots for an ellipsis.
fn columns(text: &str) -> usize {
    text.chars().map(|c| if c == '…' { 3 } else { 1 }).sum()
}
