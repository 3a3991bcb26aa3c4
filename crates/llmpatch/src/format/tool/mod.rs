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
//! - An `edits` item may name the file once more, if it is the same one.
//! - A member that is null, or false where it would change the meaning, is as if it weren't there.
//! - A value that can't be read goes up to the line that closes it, the next fence or tag, or the
//!   next value.

mod calls;
mod error;
mod fields;
mod json;
mod parse;
mod print;
#[cfg(test)]
mod tests;

use std::ops::Range;

use bstr::ByteSlice as _;
use serde_json::value::RawValue;

pub(crate) use error::{Error, Warning};
pub(crate) use parse::Met;
pub(crate) use print::print;

use super::envelope::{trim, trim_start};
use super::fence::Fence;
use super::{Block, InFile, Options};
use crate::patch::Format;
use crate::text::{LineNo, Located, Source};
use json::JsonText;
use parse::{CallReader, ValueRead};

/// In how many strings, one in the other, patches are looked for: those of a message, and of a call
/// in its text.
pub(crate) const DEEPEST_TEXT: u8 = 2;

const OPEN: &[u8] = b"<tool_call>";
const CLOSE: &[u8] = b"</tool_call>";

/// Returns where in a line a value may begin.
pub(crate) fn starts_here(line: &[u8]) -> Option<usize> {
    let text = trim_start(line);
    let text = text.strip_prefix(OPEN).map_or(text, trim_start);
    let begins = match text.first()? {
        b'{' => matches!(
            trim_start(&text[1..]).first(),
            None | Some(b'"' | b'\'' | b'}')
        ),
        b'[' => matches!(
            trim_start(&text[1..]).first(),
            None | Some(b'{' | b'[' | b'"' | b'\'')
        ),
        first => *first == b'"',
    };
    begins.then_some(line.len() - text.len())
}

/// Reads the calls, or the patches in strings, that begin at an offset where a value may.
///
/// # Errors
/// If what is there is prose, with the offset before which all that begins is.
pub(crate) fn read(
    source: &Source,
    at: usize,
    options: &Options<'_>,
    met: &mut Met,
) -> Result<ValueRead, usize> {
    let bytes = &source.bytes()[at..];
    let is_string = bytes.starts_with(b"\"");
    let mut values = serde_json::Deserializer::from_slice(bytes).into_iter::<&RawValue>();
    let raw = match values.next() {
        Some(Ok(raw)) => raw.get(),
        Some(Err(error)) => return broken_off(source, at, &error),
        None => return Err(at),
    };
    let end = at + raw.len();
    if is_string && !bytes[raw.len()..].trim_ascii().is_empty() {
        return Err(at);
    }
    let document = JsonText::new(raw, at);
    let Ok(value) = document.value() else {
        return Err(end);
    };
    let mut read = CallReader::new(source, options, met).read(value);
    if read.blocks.is_empty() && read.remarks.is_empty() {
        return Err(end);
    }
    let line_end = line_end(source, source.line_at(end)).max(end);
    let rest = trim(&source.bytes()[end..line_end]);
    let rest = trim(rest.strip_prefix(CLOSE).unwrap_or(rest));
    if !rest.is_empty() {
        read.blocks.push(refused(
            source,
            line_end - rest.len()..line_end,
            Error::Behind,
        ));
    }
    read.end = if is_string {
        source.bytes().len()
    } else {
        line_end
    };
    Ok(read)
}

/// Returns the offset at which the text of a line ends.
fn line_end(source: &Source, number: LineNo) -> usize {
    let start = source.line_start(number).unwrap_or(source.bytes().len());
    start + source.line(number).map_or(0, <[u8]>::len)
}

/// Returns what is wrong with what begins as JSON but isn't, if it was meant as a call; else where
/// it ends.
fn broken_off(source: &Source, at: usize, error: &serde_json::Error) -> Result<ValueRead, usize> {
    let first = source.line_at(at);
    let number = LineNo::from_index(first.index() + error.line().saturating_sub(1));
    // What is wrong with the start of a line is that the one before ends.
    let wrong =
        LineNo::from_index(number.index() - usize::from(error.column() == 0 && number > first));
    let end = if error.is_eof() {
        source.bytes().len()
    } else {
        extent(source, wrong)
    }
    .max(at);
    if !is_of_calls(&source.bytes()[at..end]) {
        return Err(end);
    }
    // Columns of the first line count from where the value begins.
    let line = if number == first {
        at
    } else {
        source.line_start(number).unwrap_or(end)
    };
    let to = (line + error.column()).clamp(at, source.bytes().len());
    let range = to.saturating_sub(1).max(at)..to;
    Ok(ValueRead {
        end,
        blocks: vec![refused(source, range, broken(error))],
        remarks: Vec::new(),
    })
}

fn refused(source: &Source, range: Range<usize>, what: Error) -> Block<'static> {
    let error = Located::new(
        source.span(range.clone()),
        InFile { path: None, what }.into(),
    );
    Block {
        format: Format::Tool,
        range,
        edits: Vec::new(),
        errors: vec![error],
        warnings: Vec::new(),
    }
}

/// Returns what is wrong with JSON.
fn broken(error: &serde_json::Error) -> Error {
    if error.is_eof() {
        return Error::CutJson;
    }
    let said = error.to_string();
    let what = said.split(" at line ").next().unwrap_or_default();
    Error::Json {
        what: if what.starts_with("control character") {
            "a line ends within a string"
        } else {
            what
        }
        .to_owned(),
    }
}

/// Returns how far a value goes that can't be read from a line on.
fn extent(source: &Source, wrong: LineNo) -> usize {
    let mut end = line_end(source, wrong);
    for number in (wrong.index() + 1..source.line_count()).map(LineNo::from_index) {
        let line = source.line(number).unwrap_or_default();
        let is_tag = trim_start(line).starts_with(b"<");
        if is_tag || Fence::read(line).is_some() || starts_here(line) == Some(0) {
            break;
        }
        end = line_end(source, number);
        if matches!(line.first(), Some(b'}' | b']')) {
            break;
        }
    }
    end
}

/// Returns whether text that isn't JSON was to be a call: names of members are in it that only
/// calls have.
fn is_of_calls(text: &[u8]) -> bool {
    let has = |names: &[&str]| names.iter().any(|name| is_named(text, name));
    has(fields::OLD)
        || has(fields::NEW)
        || has(&[
            "arguments",
            "tool_calls",
            "function_call",
            "functionCall",
            "file_text",
        ])
        || has(fields::PATH) && (has(fields::CONTENT) || has(fields::EDITS) || has(fields::DIFF))
        || has(fields::NAME) && has(fields::ARGUMENTS)
}

/// Returns whether a member of some name is in a text, in whatever quotes.
fn is_named(text: &[u8], name: &str) -> bool {
    text.find_iter(name).any(|at| {
        let quote = at.checked_sub(1).map(|before| text[before]);
        let behind = &text[at + name.len()..];
        matches!(quote, Some(b'"' | b'\''))
            && quote == behind.first().copied()
            && behind[1..].trim_ascii_start().starts_with(b":")
    })
}
