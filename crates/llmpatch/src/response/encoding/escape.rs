//! Markers that are escaped for HTML, Markdown or JSON.

use bstr::ByteSlice as _;

use crate::text::decode;

/// How a marker of a patch is escaped, so that it begins no patch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Escaped {
    /// Angle brackets written as entities.
    Html,
    /// Backslashes before punctuation.
    Markdown,
    /// Line ends written as `\n`.
    LineEnds,
}

/// Returns how a line's marker is escaped, if it is nearly a first line of a patch.
pub(crate) fn escaped_marker(line: &[u8]) -> Option<Escaped> {
    // No marker is longer, however it is escaped.
    let line = line.trim();
    let head = &line[..line.len().min(200)];
    if let Some(rest) = after_opener(head) {
        let rest = rest.trim_start();
        let is_line_end = rest.starts_with(br"\n") || rest.starts_with(br"\r");
        return is_line_end.then_some(Escaped::LineEnds);
    }
    let is_opener = |bytes: &[u8]| after_opener(bytes).is_some();
    if head.contains(&b'&') {
        is_opener(&decode(head)).then_some(Escaped::Html)
    } else if head.contains(&b'\\') {
        is_opener(&head.replace(r"\", "")).then_some(Escaped::Markdown)
    } else {
        None
    }
}

/// Returns what is behind the marker of a patch's first line.
fn after_opener(line: &[u8]) -> Option<&[u8]> {
    if let Some(rest) = line.strip_prefix(b"*** Begin Patch") {
        return Some(rest);
    }
    for tag in [&b"<opx"[..], b"<edit"] {
        if let Some(rest) = line.strip_prefix(tag) {
            let end = rest.find_byte(b'>').map_or(rest.len(), |end| end + 1);
            return matches!(rest.first(), Some(b' ' | b'>')).then_some(&rest[end..]);
        }
    }
    let sign = *line.first().filter(|sign| matches!(sign, b'<' | b'-'))?;
    let signs = line.iter().take_while(|&&byte| byte == sign).count();
    let rest = line[signs..].strip_prefix(b" SEARCH")?;
    (5..=9).contains(&signs).then_some(rest)
}
