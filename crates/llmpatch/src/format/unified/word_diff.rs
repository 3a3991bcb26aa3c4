//! What `git diff --word-diff` prints in place of lines.

use std::collections::HashSet;

use bstr::ByteSlice as _;

use crate::patch::{HunkLine, Mark};

/// Returns whether a hunk shows what changes within its lines, as `git diff --word-diff` does, so
/// that its lines aren't the file's: it can't be read and has marks of a word diff, all of its lines
/// are context, or a line with marks is another without them. `texts` are the lines as they are in
/// the response.
pub(super) fn is_word_diff<'a>(
    lines: &[HunkLine<'_>],
    mut texts: impl Iterator<Item = &'a [u8]>,
    is_odd: bool,
) -> bool {
    if is_odd || lines.iter().all(|line| line.mark == Mark::Context) {
        // `~` is how `--word-diff=porcelain` ends a line.
        return texts.any(|text| text == b"~" || is_marked(text));
    }
    let added = lines.iter().filter(|line| line.mark == Mark::Added);
    let before: Vec<_> = added.filter_map(|line| before_words(&line.text)).collect();
    let before: HashSet<&[u8]> = before.iter().map(|before| &before[..]).collect();
    let mut old = lines.iter().filter(|line| line.mark != Mark::Added);
    old.any(|line| before.contains(&line.text[..]))
}

/// Returns the old text of a line with the marks of a word diff, `[-old-]{+new+}`; `None` if it has
/// no marks.
fn before_words(line: &[u8]) -> Option<Vec<u8>> {
    let mut before = Vec::new();
    let mut rest = line;
    let mut is_marked = false;
    while let Some(at) = rest.find_byteset(b"[{") {
        let (open, close) = if rest[at] == b'[' {
            ("[-", "-]")
        } else {
            ("{+", "+}")
        };
        let inner = rest[at..].strip_prefix(open.as_bytes());
        let end = inner.and_then(|inner| inner.find(close));
        before.extend_from_slice(&rest[..at]);
        let (Some(inner), Some(end)) = (inner, end) else {
            before.push(rest[at]);
            rest = &rest[at + 1..];
            continue;
        };
        if open == "[-" {
            before.extend_from_slice(&inner[..end]);
        }
        rest = &inner[end + 2..];
        is_marked = true;
    }
    before.extend_from_slice(rest);
    is_marked.then_some(before)
}

/// Returns whether a line has marks of a word diff, and not only text that looks like a mark, as
/// `[-+0-9-]` does.
fn is_marked(line: &[u8]) -> bool {
    let is_removed = line.starts_with(b"[-") && line.ends_with(b"-]");
    is_removed
        || [("{+", "+}"), ("[-", "-]{+")].iter().any(|(start, end)| {
            line.find(start)
                .is_some_and(|at| line[at..].contains_str(end))
        })
}
