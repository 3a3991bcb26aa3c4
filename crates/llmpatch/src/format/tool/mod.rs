//! Calls of edit tools, as JSON: what agents are given, and what providers log.
//!
//! ```text
//! {"path": "src/app.py", "old_string": "factorial(n)", "new_string": "math.factorial(n)"}
//! ```
//!
//! This room knows single calls: which members make an object a call ([`shapes`]), and what it asks
//! for. Where calls are in a response, and which of them were made, is no business of its own. A
//! string that is a patch of another format is left to the caller.
//!
//! The invariant: a call with a shape is either read whole or there is an error. A string of JSON is
//! decoded once.
//!
//! # Where the format's descriptions are silent
//! - An item of `edits` may name the file once more, if it is the same file.
//! - A member that is null, or false where it would change the meaning, is as if it weren't there.

mod calls;
mod diffs;
mod error;
pub(crate) mod fields;
mod insertions;
pub(crate) mod json;
mod print;
pub(crate) mod shapes;
#[cfg(test)]
mod tests;

use bstr::ByteSlice as _;

use crate::text;

pub(crate) use calls::CallReader;
pub(crate) use diffs::is_same_file;
pub(crate) use error::{Error, Warning};
pub(crate) use print::print;

/// How many strings may be in each other for patches in them to be found: the string of a message,
/// and of a call in its text.
pub(crate) const DEEPEST_TEXT: u8 = 2;

/// Returns what is wrong with JSON.
pub(crate) fn broken(error: &serde_json::Error) -> Error {
    if error.is_eof() {
        Error::CutJson
    } else {
        Error::Json {
            what: json_fault(error),
        }
    }
}

/// What serde_json says of JSON, by its first words, and what people are told.
const JSON_FAULTS: [(&str, &str); 12] = [
    ("EOF ", "it breaks off"),
    ("control character", "a line ends within a string"),
    ("key must be a string", "a name in double quotes is missing"),
    ("trailing comma", "a comma is before `}` or `]`"),
    ("trailing characters", "text follows the value"),
    ("expected value", "a value is missing"),
    (
        "expected ident",
        "a word is neither `true`, `false` nor `null`",
    ),
    (
        "invalid escape",
        "a `\\` in a string is before a character that it doesn't escape",
    ),
    ("unexpected end of hex", HALF),
    ("lone leading surrogate", HALF),
    ("invalid unicode", "a byte in a string isn't UTF-8"),
    ("invalid type", "a value isn't a string"),
];
const HALF: &str = "an escape such as `\\ud83d` is only half of a character";

/// Says what is wrong with JSON.
pub fn json_fault(error: &serde_json::Error) -> String {
    let said = error.to_string();
    let said = said.split(" at line ").next().unwrap_or_default();
    let said = said.split(", expected one of").next().unwrap_or_default();
    let told = JSON_FAULTS.iter().find(|(by, _)| said.starts_with(by));
    told.map_or(said, |(_, told)| told).to_owned()
}

/// Returns whether text that isn't JSON was to be a call: names of members are in it that only
/// calls have.
pub(crate) fn is_of_calls(text: &[u8]) -> bool {
    let has = |names: &[&str]| names.iter().any(|name| is_named(text, name));
    let changes = [
        fields::CONTENT,
        fields::EDITS,
        fields::DIFF,
        &["insert_line", "insertLine"],
    ];
    has(fields::OLD)
        || has(fields::NEW)
        || has(&[
            "arguments",
            "tool_calls",
            "function_call",
            "functionCall",
            "file_text",
        ])
        || has(fields::PATH)
            && (changes.into_iter().any(has)
                || fields::has_pair(has)
                || has(fields::TYPE) && has_file_type(text))
        || has(fields::NAME) && has(fields::ARGUMENTS)
}

/// Returns whether a line has a call's members by names without quotes, as code has them: an old
/// text, or a file and what becomes of it.
pub(crate) fn is_of_code(line: &[u8]) -> bool {
    if memchr::memchr2(b'=', b':', line).is_none() || memchr::memchr2(b'"', b'\'', line).is_none() {
        return false;
    }
    let has = |names: &[&str]| names.iter().any(|name| is_given(line, name));
    has(fields::OLD) || (has(fields::CONTENT) || has_file_type(line)) && has(fields::PATH)
}

/// Returns whether a string is given in a line by some name without quotes.
fn is_given(line: &[u8], name: &str) -> bool {
    line.find_iter(name).any(|at| {
        let is_whole = at.checked_sub(1).is_none_or(|at| !text::is_name(line[at]));
        let behind = line[at + name.len()..].trim_ascii_start();
        let value = behind.strip_prefix(b"=").or(behind.strip_prefix(b":"));
        let value = value.unwrap_or_default().trim_ascii_start();
        is_whole && matches!(value.first(), Some(b'"' | b'\''))
    })
}

/// The types of calls that are about a whole file.
const FILE_TYPES: [&str; 3] = ["create_file", "update_file", "delete_file"];

fn has_file_type(text: &[u8]) -> bool {
    FILE_TYPES.iter().any(|name| text.contains_str(name))
}

/// What may be written for the quotes around a name.
const QUOTES: [&str; 6] = ["\"", "'", "“", "”", "‘", "’"];

/// Returns what is behind the quote that a text begins with, escaped or not.
pub(crate) fn behind_quote(text: &[u8]) -> Option<&[u8]> {
    let text = text.trim_start_with(|c| c == '\\');
    QUOTES
        .iter()
        .find_map(|quote| text.strip_prefix(quote.as_bytes()))
}

/// Returns whether a member of some name is in a text, in whatever quotes.
fn is_named(text: &[u8], name: &str) -> bool {
    text.find_iter(name).any(|at| {
        let is_quoted = QUOTES.iter().any(|quote| text[..at].ends_with_str(quote));
        let behind = behind_quote(&text[at + name.len()..]);
        is_quoted && behind.is_some_and(|behind| behind.trim_ascii_start().starts_with(b":"))
    })
}
