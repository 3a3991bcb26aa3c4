//! What a line of prose looks like: a quotation, a prompt, a call, an edit.

use std::collections::HashMap;

use bstr::ByteSlice as _;

use crate::format::envelope::{self, Meant};
use crate::format::opx;
use crate::patch::Format;
use crate::text;

/// Returns whether a line is behind a quotation mark, rather than the end of a text of OPX.
pub(super) fn is_quoted(line: &[u8]) -> bool {
    let text = text::trim_start(line);
    text.starts_with(b">") && !text.starts_with(b">>>")
}

/// Returns whether a command in a line writes its input into a file: by `cat` and `>`, or by `tee`.
pub(super) fn writes_file(line: &[u8]) -> bool {
    let command = text::trim_start(line);
    let is_of =
        |name: &[u8]| command.starts_with(name) || command.contains_str([b"| ", name].concat());
    let redirects = |at: usize| {
        let before = at.checked_sub(1).map_or(b' ', |before| command[before]);
        let is_of_output = !before.is_ascii_digit() && before != b'&';
        is_of_output
            && command
                .get(at + 1)
                .is_some_and(|byte| !b"&(".contains(byte))
    };
    is_of(b"tee ") || is_of(b"cat ") && command.find_iter(">").any(redirects)
}

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

/// Returns whether a line begins with a tag `<edit` that names a file or an operation by other
/// attributes than OPX has.
pub(super) fn is_edit(text: &[u8]) -> bool {
    let is_named = |name: &&str| text.to_ascii_lowercase().contains_str(name);
    text::starts_with_any_case(text, b"<edit ")
        && [" path=", " action=", " filename="].iter().any(is_named)
        || text == b"<edit>"
}

/// Returns whether a line begins a call whose arguments are in tags: `<invoke name="Edit">`,
/// `<function=edit>`, `<tool_call>edit`.
pub(super) fn is_call(text: &[u8]) -> bool {
    let named = text.strip_prefix(b"<tool_call>").unwrap_or_default();
    let is_named = named.first().is_some_and(u8::is_ascii_alphabetic);
    is_named || text.starts_with(b"<invoke name=") || text.starts_with(b"<function=")
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

/// Returns what is before and behind a mark in a line, if no word and no backtick is before it:
/// nothing, whitespace of any kind, the number of the line, the sign of a comment. A line behind `|`
/// is quoted: so responses that are written here have what could be taken for a patch.
pub(super) fn marked<'l>(line: &'l [u8], mark: &[u8]) -> Option<(&'l [u8], &'l [u8])> {
    let first = memchr::memchr(*mark.first()?, line)?;
    let (before, behind) = line.split_at(first + line[first..].find(mark)?);
    let is_bare = before.chars().all(|c| c != '`' && !c.is_alphabetic());
    (is_bare && !before.starts_with(b"|")).then(|| (before, &behind[mark.len()..]))
}

/// Returns the format of which the first line of a patch is in a line, behind something else, and
/// whether its line ends are escaped.
pub(super) fn prefixed(line: &[u8]) -> Option<Format> {
    let marks: [(&[u8], Format); 2] = [
        (b"*** Begin Patch", Format::Envelope),
        (b"<<<<<<< SEARCH", Format::Blocks),
    ];
    marks.into_iter().find_map(|(mark, format)| {
        let (before, behind) = marked(line, mark)?;
        let is_line = !behind.chars().any(char::is_alphabetic);
        (is_line && !text::is_blank(before)).then_some(format)
    })
}

/// Returns whether a line may have been meant to begin an envelope.
pub(super) fn nearly_begins(text: &[u8]) -> bool {
    let begin = b"*** Begin Patch";
    text.ends_with(begin)
        || text.starts_with(begin)
        || text.starts_with(b"*") && envelope::meant(text) == Some(Meant::Begin)
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
