//! Calls of edit tools, as JSON: what agents are given, and what providers log.
//!
//! ```text
//! {"path": "src/app.py", "old_string": "factorial(n)", "new_string": "math.factorial(n)"}
//! ```
//!
//! A value of JSON that begins a line and ends one is looked through for calls, however deep they
//! are in a provider's message. Which calls change a file is told by their members, never by the
//! tool's name: names differ with every agent. A string of JSON is decoded once, and where it is
//! given to a call as JSON once more, so are the strings in that. A patch of another format in a
//! string is read as what it is.
//!
//! The invariant: JSON with a call in it is either read whole or there is an error. What a model
//! didn't say (results, other people's messages, thoughts) is no part of it. JSON without any call
//! is prose.
//!
//! # Where the format's descriptions are silent
//! - A string as the whole response is read as the text that it holds.
//! - Strings of objects that are no calls and in no message hold patches, too; that is warned of.
//! - An `edits` item may name the file once more, if it is the same file.
//! - A member that is null, or false where it would change the meaning, is as if it weren't there.
//! - A value that can't be read goes up to the line that closes it, the next fence or tag, or the
//!   next value.
//! - A value that the response's end breaks off is an error, whatever it was to be.

mod calls;
mod error;
pub(crate) mod fields;
pub(crate) mod json;
mod parse;
mod patches;
mod print;
#[cfg(test)]
mod tests;

use bstr::ByteSlice as _;

use crate::text;

pub(crate) use error::{Error, Warning};
pub(crate) use parse::{CallReader, relocated};
pub(crate) use patches::is_same_file;
pub(crate) use print::print;

/// How many strings may be in each other for patches in them to be found: the string of a message,
/// and of a call in its text.
pub(crate) const DEEPEST_TEXT: u8 = 2;

/// Returns what is wrong with JSON.
pub(crate) fn broken(error: &serde_json::Error) -> Error {
    match error.is_eof() {
        true => Error::CutJson,
        false => Error::Json {
            what: json_fault(error),
        },
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
    let changes = [fields::CONTENT, fields::EDITS, fields::DIFF, fields::LINE];
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

fn has_file_type(text: &[u8]) -> bool {
    fields::FILE_TYPES
        .iter()
        .any(|name| text.contains_str(name))
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
