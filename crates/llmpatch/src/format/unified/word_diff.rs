//! What `git diff --word-diff` prints in place of lines.

use bstr::ByteSlice as _;

/// Returns the old text of a line with the marks of a word diff, `[-old-]{+new+}`; `None` if it has
/// no marks.
pub(super) fn before_words(line: &[u8]) -> Option<Vec<u8>> {
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
pub(super) fn is_marked(line: &[u8]) -> bool {
    let is_removed = line.starts_with(b"[-") && line.ends_with(b"-]");
    is_removed
        || [("{+", "+}"), ("[-", "-]{+")].iter().any(|(start, end)| {
            line.find(start)
                .is_some_and(|at| line[at..].contains_str(end))
        })
}
