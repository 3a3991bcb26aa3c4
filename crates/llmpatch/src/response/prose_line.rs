//! What a line of prose looks like: a quotation, a prompt, a call, an edit.

use std::collections::HashMap;

use bstr::ByteSlice as _;

use crate::format::opx;
use crate::text;

/// Returns the words that end the heredocs which a line begins, in order.
pub(super) fn heredocs(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split_str("<<").skip(1).filter_map(|sign| {
        let word = sign.trim_start_with(|c| matches!(c, '-' | ' ' | '\\'));
        let (quote, text) = word.split_first()?;
        let end = match quote {
            b'\'' | b'"' => memchr::memchr(*quote, text)? + 1,
            _ => word.iter().take_while(|byte| text::is_name(**byte)).count(),
        };
        let word = word[..end].trim_with(|c| matches!(c, '\'' | '"'));
        (!word.is_empty()).then_some(word)
    })
}

/// Returns whether a line can be one of a hunk: `+`, `-` or a space, and text.
fn is_of_hunk(line: &[u8]) -> bool {
    matches!(line, [b'+' | b'-' | b' ', text @ ..] if !text::is_blank(text))
}

/// Returns whether a line of a diff changes something: it begins with `+` or `-`, and names no file.
pub(super) fn is_change(line: &[u8]) -> bool {
    let is_name = line.starts_with(b"+++ ") || line.starts_with(b"--- ");
    matches!(line, [b'+' | b'-', ..]) && is_of_hunk(line) && !is_name
}

/// Returns how many bytes of list bullets and quotation marks a line begins with, whitespace
/// included; 0 if there are none.
pub(super) fn bullets(line: &[u8]) -> usize {
    let mut rest = text::trim_start(line);
    let mut any = false;
    loop {
        let blank = |at: usize| rest.get(at).is_some_and(|byte| text::is_space(*byte));
        let digits = text::digits(rest);
        let length = match rest {
            [b'>' | b'+' | b'-', ..] => 1,
            [b'*', ..] if blank(1) => 1,
            [0xe2, 0x80, 0xa2, ..] => 3,
            _ if digits > 0
                && matches!(rest.get(digits), Some(b'.' | b')'))
                && blank(digits + 1) =>
            {
                digits + 1
            }
            _ => break,
        };
        any = true;
        rest = text::trim_start(&rest[length..]);
    }
    if any { line.len() - rest.len() } else { 0 }
}

/// Returns the closing tag that a line starts with, or the `>>>` that it is.
pub(super) fn closing(line: &[u8]) -> Option<&[u8]> {
    let text = text::trim(line);
    if text == b">>>" {
        return Some(text);
    }
    let (name, end) = opx::closing_tag(text, 0)?;
    let is_known = ["edit", "put", "find", "opx"]
        .iter()
        .any(|known| name.eq_ignore_ascii_case(known.as_bytes()));
    is_known.then(|| &text[..end])
}

/// The code spans of a line, found in one pass: a run of backticks opens one if another run of its
/// length follows.
pub(super) struct CodeSpans {
    /// Where the last run of each length begins.
    pub(super) last: HashMap<usize, usize>,
}

impl CodeSpans {
    pub(super) fn of(line: &[u8]) -> Self {
        let mut last = HashMap::new();
        let mut at = 0;
        while let Some(next) = memchr::memchr(b'`', &line[at..]) {
            at += next;
            let length = run(&line[at..]);
            last.insert(length, at);
            at += length;
        }
        Self { last }
    }

    /// Returns the offset behind the code span that a run of backticks opens, or else behind that
    /// run.
    pub(super) fn behind(&self, line: &[u8], mut at: usize) -> usize {
        let length = run(&line[at..]);
        let opens = self.last.get(&length).is_some_and(|&last| last > at);
        at += length;
        while opens && let Some(next) = memchr::memchr(b'`', &line[at..]) {
            at += next;
            let other = run(&line[at..]);
            at += other;
            if other == length {
                break;
            }
        }
        at
    }
}

pub(super) fn run(text: &[u8]) -> usize {
    text.iter().take_while(|&&byte| byte == b'`').count()
}
