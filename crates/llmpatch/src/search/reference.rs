//! The searches as their descriptions put them, without a thought for speed. The fast searches must
//! agree with them.

use std::ops::Range;

use super::{Bounds, Relaxation};
use crate::text::Lines;

/// `seekSequence` of the envelope's line matching, to the letter; `None` is its -1.
pub(super) fn seek_sequence(lines: &[&[u8]], pattern: &[&[u8]], start: usize) -> Option<usize> {
    if pattern.is_empty() {
        return None;
    }
    (start..(lines.len() + 1).saturating_sub(pattern.len()))
        .find(|&i| (0..pattern.len()).all(|j| lines[i + j] == pattern[j]))
}

/// All matches of a text, overlaps included, by trying every pair of ends.
pub(super) fn occurrences(hay: &Lines<'_>, find: &[&[u8]], bounds: Bounds) -> Vec<Range<usize>> {
    let bytes = hay.bytes();
    let text = find.join(&b'\n');
    let several = find.len() > 1;
    let first_whole = several && find.first().is_some_and(|line| line.is_empty());
    let last_whole = several && find.last().is_some_and(|line| line.is_empty());
    let line_starting = |at: usize| (0..hay.len()).find(|&line| hay.start(line) == at);
    let is_line_end =
        |at: usize| (0..hay.len()).any(|line| hay.start(line) + hay.text(line).len() == at);
    let is_empty_line = |at: usize| line_starting(at).is_some_and(|line| hay.text(line).is_empty());
    let splits_crlf =
        |at: usize| at > 0 && bytes[..at].ends_with(b"\r") && bytes[at..].starts_with(b"\n");

    let mut found = Vec::new();
    for start in hay.bom().len()..bytes.len() {
        for end in start + 1..=bytes.len() {
            let normal = String::from_utf8_lossy(&bytes[start..end]).replace("\r\n", "\n");
            if normal.as_bytes() == text
                && !splits_crlf(start)
                && !splits_crlf(end)
                && (!first_whole || is_empty_line(start))
                && (!last_whole || is_empty_line(end))
                && (!bounds.start_at_line || line_starting(start).is_some())
                && (!bounds.end_at_line || is_line_end(end))
            {
                found.push(start..end);
            }
        }
    }
    found
}

/// Every line at or after `from` that a locator may mean, under the tightest rule that any
/// satisfies.
pub(super) fn relaxed(
    lines: &[&[u8]],
    locator: &[u8],
    from: usize,
) -> Option<(Relaxation, Vec<usize>)> {
    let text = trim(locator);
    let contains =
        |line: &[u8]| !text.is_empty() && line.windows(text.len()).any(|window| window == text);
    let starts = |line: &[u8]| !text.is_empty() && trim(line).starts_with(text);
    let equals = |line: &[u8]| trim(line) == text;
    let all = |rule: &dyn Fn(&[u8]) -> bool| {
        (from..lines.len())
            .filter(|&at| rule(lines[at]))
            .collect::<Vec<_>>()
    };
    [
        (Relaxation::SurroundingSpace, all(&equals)),
        (Relaxation::Prefix, all(&starts)),
        (Relaxation::Contained, all(&contains)),
    ]
    .into_iter()
    .find(|(_, places)| !places.is_empty())
}

fn trim(text: &[u8]) -> &[u8] {
    let text = std::str::from_utf8(text).expect("tests use ASCII");
    text.trim_matches([' ', '\t']).as_bytes()
}
