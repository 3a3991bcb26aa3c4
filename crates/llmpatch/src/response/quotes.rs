//! Quotes that a line opens and doesn't close: what is below is text of a script, of which nobody
//! knows what is done with it.
//!
//! Prose has quotes, too. So text behind an open quote shows a script only if a patch begins with
//! it, or if the quote is assigned to a name or is a long quote in a call.

use bstr::ByteSlice as _;

use super::embedded::begins_patch;
use crate::format::fence::Fence;
use crate::text;

/// What opens and closes a string, the longer quotes first.
const QUOTES: [&str; 5] = ["\"\"\"", "'''", "\"", "'", "`"];

/// The string that the lines above a line open.
#[derive(Debug, Default)]
pub(super) struct Quotes {
    open: Option<Opening>,
}

#[derive(Clone, Copy, Debug)]
struct Opening {
    quote: &'static str,
    /// Whether it holds until it is closed, and not for the next line only.
    lasts: bool,
}

impl Quotes {
    /// Returns whether the next line is in a string.
    pub(super) fn are_open(&self) -> bool {
        self.open.is_some()
    }

    /// Reads a line that is in no patch.
    pub(super) fn line(&mut self, line: &[u8]) {
        let open = self.open.take().filter(|open| open.lasts);
        if Fence::is_at(line) {
            return;
        }
        // What is written here quotes prose by a `|`.
        if line.starts_with(b"|") {
            self.open = open;
            return;
        }
        self.open = match open {
            Some(open) => match behind_close(line, open.quote) {
                Some(rest) => opening(rest),
                None => Some(open),
            },
            None => opening(line),
        };
    }
}

/// Finds the first quote of a line that opens a string which the line doesn't close.
fn opening(line: &[u8]) -> Option<Opening> {
    let mut rest = line;
    while let Some(at) = rest.find_byteset("\"'`") {
        let quote = QUOTES
            .into_iter()
            .find(|quote| rest[at..].starts_with(quote.as_bytes()))?;
        let inner = &rest[at + quote.len()..];
        let before = &line[..line.len() - rest.len() + at];
        let is_apostrophe = quote == "'" && before.last().is_some_and(u8::is_ascii_alphanumeric);
        match behind_close(inner, quote) {
            Some(behind) => rest = if is_apostrophe { inner } else { behind },
            None => {
                let text = inner.trim_end_with(|c| c.is_ascii_whitespace() || c == '\\');
                let is_begun = begins_patch(text) && !text.starts_with(b" ");
                let lasts = is_begun || is_assigned(before, quote);
                if lasts || !is_apostrophe {
                    return (lasts || text.is_empty()).then_some(Opening { quote, lasts });
                }
                rest = inner;
            }
        }
    }
    None
}

/// Returns what is behind the first quote that closes a string.
fn behind_close<'l>(text: &'l [u8], quote: &str) -> Option<&'l [u8]> {
    let mut at = 0;
    while at < text.len() {
        if text[at..].starts_with(quote.as_bytes()) {
            return Some(&text[at + quote.len()..]);
        }
        at += if text[at] == b'\\' { 2 } else { 1 };
    }
    None
}

/// Returns whether a quote is where scripts open strings of several lines.
fn is_assigned(before: &[u8], quote: &str) -> bool {
    match quote {
        "\"" | "'" => before.strip_suffix(b"=").is_some_and(|name| {
            let name = name.rsplit(|byte| *byte == b' ').next().unwrap_or_default();
            !name.is_empty() && name.iter().all(|byte| text::is_word(*byte))
        }),
        _ => {
            // A prefix such as `rb`.
            let before = before.trim_end_with(|c| c.is_ascii_alphabetic()).trim_end();
            let name = before.strip_suffix(b"=").unwrap_or_default().trim_end();
            name.last().is_some_and(|byte| text::is_word(*byte))
                || quote != "`" && before.ends_with(b"(")
        }
    }
}
