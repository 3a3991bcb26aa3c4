//! Takes the indentation off an element that is indented as a whole, as when an answer sets it in a list.

use std::borrow::Cow;

use super::literal::{Line, is_blank, is_blank_byte};
use crate::patch::{FileEdit, Operation, Substitution};
use crate::text::Text;

/// Returns the blanks before the element that stands at `range`, if it is the first on its line and every line of it that
/// isn't blank begins with them.
pub(super) fn uniform(bytes: &[u8], range: std::ops::Range<usize>) -> &[u8] {
    let before = &bytes[..range.start];
    let width = before.iter().rev().take_while(|&&byte| is_blank_byte(byte)).count();
    let (rest, blanks) = before.split_at(before.len() - width);
    let is_first = rest.is_empty() || rest.ends_with(b"\n") || rest == b"\xef\xbb\xbf";
    if !is_first || width == 0 {
        return b"";
    }
    let mut at = range.start;
    while let Some(line) = Line::at(bytes, at).filter(|line| line.start < range.end) {
        let text = &bytes[line.start..line.end];
        if at > range.start && !is_blank(text) && !text.starts_with(blanks) {
            return b"";
        }
        at = line.next;
    }
    blanks
}

/// Takes the indentation off all payloads of an edit. A blank line may have less of it.
pub(super) fn dedent(edit: &mut FileEdit<'_>, indentation: &[u8]) {
    let payloads: [&mut [Text<'_>]; 2] = match &mut edit.operation {
        Operation::Create { lines } | Operation::Replace { lines } => [lines, &mut []],
        Operation::Substitute(Substitution { find, put, .. }) => [find, put],
        _ => return,
    };
    for line in payloads.into_iter().flatten() {
        let Cow::Borrowed(bytes) = line.bytes else { continue };
        let cut = if bytes.starts_with(indentation) { indentation.len() } else { bytes.len() };
        line.bytes = Cow::Borrowed(&bytes[cut..]);
        if let Some(span) = &mut line.span {
            span.start += cut as u32;
        }
    }
}
