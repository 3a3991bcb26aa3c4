//! Finds the values of JSON in a response: where a value begins, how far it goes, and what is wrong
//! with a value that was meant as a call and can't be read.

use std::ops::Range;

use bstr::ByteSlice as _;
use serde_json::value::RawValue;

use super::messages::{Messages, ValueRead};
use super::session::Session;
use super::{Block, marks};
use crate::format::fence::Fence;
use crate::format::tool::json::JsonText;
use crate::format::tool::{Error, behind_quote, broken, is_of_calls};
use crate::format::{InFile, Options};
use crate::patch::Format;
use crate::text::{LineNo, Source, is_name, trim, trim_start};

const OPEN: &[u8] = b"<tool_call>";
const CLOSE: &[u8] = b"</tool_call>";
/// How much is looked at of what a brace at the end of a line begins.
const MOST_LOOKED_AT: usize = 512;
/// What is before each message of a stream of server-sent events.
const EVENT: &[u8] = b"data:";

/// Returns where in a line a value may begin.
pub(super) fn starts_here(line: &[u8]) -> Option<usize> {
    let text = trim_start(line);
    let text = [OPEN, EVENT]
        .iter()
        .find_map(|lead| text.strip_prefix(*lead))
        .map_or(text, trim_start);
    let begins = match text.first()? {
        b'{' => begins_members(&text[1..]),
        b'[' => matches!(
            trim_start(&text[1..]).first(),
            None | Some(b'{' | b'[' | b'"' | b'\'')
        ),
        first => *first == b'"',
    };
    begins.then_some(line.len() - text.len())
}

/// Returns whether what is behind a brace on its line can be the members of an object, however badly
/// they are written. Words are code.
fn begins_members(text: &[u8]) -> bool {
    let text = text.trim_start_with(|c| c == '{' || c.is_whitespace());
    let is_comment = [&b"//"[..], b"/*", b"#"]
        .iter()
        .any(|sign| text.starts_with(sign));
    text.is_empty() || text.starts_with(b"}") || is_comment || behind_quote(text).is_some()
}

/// Returns whether the rest of a line looks like a call: if only a brace of it is there, with the
/// lines up to the next brace that closes.
pub(super) fn is_call(source: &Source, rest: &[u8]) -> bool {
    if rest.starts_with(b"\"") || starts_here(rest).is_none() {
        return false;
    }
    let mut text = rest;
    if trim(rest).ends_with(b"{") {
        let behind = &source.bytes()[source.place(rest).start as usize..];
        let behind = &behind[..behind.len().min(MOST_LOOKED_AT)];
        text = &behind[..behind.find_byte(b'}').unwrap_or(behind.len())];
    }
    is_of_calls(text)
}

/// Reads the calls, or the patches in strings, that begin at an offset where a value may, and the
/// values behind it on its line. `has_patch` says whether a patch is above.
///
/// # Errors
/// If what is there is prose, with the offset before which all that begins is.
pub(crate) fn read(
    source: &Source,
    at: usize,
    options: &Options<'_>,
    session: &mut Session,
    has_patch: bool,
) -> Result<ValueRead, usize> {
    let mut read = value(source, at, options, session, has_patch)?;
    if source.bytes()[at] == b'"' {
        read.end = source.bytes().len();
        return Ok(read);
    }
    loop {
        let line_end = line_end(source, source.line_at(read.end)).max(read.end);
        let rest = behind_marks(trim(&source.bytes()[read.end..line_end]));
        let at_rest = line_end - rest.len();
        if ends_draft(rest) {
            read.end = at_rest;
            return Ok(read);
        }
        if rest.starts_with(b"{")
            && let Ok(next) = value(source, at_rest, options, session, has_patch)
        {
            read.append(next);
            continue;
        }
        read.end = line_end;
        if !rest.is_empty() {
            let behind = refused(source, at_rest..line_end, Error::Behind);
            read.blocks.push(behind);
        }
        return Ok(read);
    }
}

/// Reads a value, or says where what isn't any ends.
fn value(
    source: &Source,
    at: usize,
    options: &Options<'_>,
    session: &mut Session,
    has_patch: bool,
) -> Result<ValueRead, usize> {
    // The newline that ends a response is in no string.
    let bytes = source.bytes()[at..].trim_ascii_end();
    let is_string = bytes.starts_with(b"\"");
    let mut values = serde_json::Deserializer::from_slice(bytes).into_iter::<&RawValue>();
    let raw = match values.next() {
        Some(Ok(raw)) => raw.get(),
        Some(Err(error)) => {
            let is_whole_response = options.depth == 0 && !is_string;
            return broken_off(source, at, &error, is_whole_response || has_patch);
        }
        None => return Err(at),
    };
    let end = at + raw.len();
    if is_string && !bytes[raw.len()..].trim_ascii().is_empty() {
        return Err(at);
    }
    let document = JsonText::new(raw, at);
    let value = document.value().map_err(|_| end)?;
    let read = Messages::new(source, options, session).read(value);
    let is_prose = read.blocks.is_empty() && read.told() == 0 && !read.is_message;
    if is_prose { Err(end) } else { Ok(read) }
}

/// Returns whether a text begins with a mark that ends reasoning.
fn ends_draft(text: &[u8]) -> bool {
    marks::closing(text, false).is_some_and(|mark| mark.start == 0)
}

/// Returns what is behind the marks that end a call: a closing tag, and a model's own marks such as
/// `<|call|>`.
fn behind_marks(text: &[u8]) -> &[u8] {
    let mut rest = text;
    while !ends_draft(rest) {
        let behind = rest.strip_prefix(CLOSE).or_else(|| {
            let (name, behind) = rest.strip_prefix(b"<|")?.split_once_str("|>")?;
            name.iter().all(|byte| is_name(*byte)).then_some(behind)
        });
        match behind {
            Some(behind) => rest = trim(behind),
            None => return rest,
        }
    }
    rest
}

/// Returns the offset at which the text of a line ends.
fn line_end(source: &Source, number: LineNo) -> usize {
    source.start_of(number) + source.line(number).map_or(0, <[u8]>::len)
}

/// Returns what is wrong with what begins as JSON but isn't, if it was meant as a call; else where
/// it ends. Of JSON that breaks off, `is_cut` says that the response does, whatever the JSON was to
/// be: a member's name may be cut before it can be known.
fn broken_off(
    source: &Source,
    at: usize,
    error: &serde_json::Error,
    is_cut: bool,
) -> Result<ValueRead, usize> {
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
    let text = &source.bytes()[at..end];
    let is_torn = error.is_eof() && (is_cut || is_in_call(&source.bytes()[..at]));
    if !is_torn && !is_of_message(text) && !is_of_calls(text) {
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
    let mut read = ValueRead::new(end);
    read.blocks.push(refused(source, range, broken(error)));
    Ok(read)
}

/// Returns whether text that isn't JSON was to be a message: it has a member by which messages are
/// known, and begins a patch.
fn is_of_message(text: &[u8]) -> bool {
    const MEMBERS: [&str; 8] = [
        "type",
        "role",
        "message",
        "payload",
        "choices",
        "candidates",
        "content",
        "parts",
    ];
    const PATCHES: [&str; 6] = [
        "*** Begin Patch",
        "<<<<<<< SEARCH",
        "------- SEARCH",
        "diff --git ",
        "\n--- ",
        "<edit ",
    ];
    let has = |name: &&str| text.contains_str(format!("\"{name}\""));
    MEMBERS.iter().any(has) && PATCHES.iter().any(|begin| text.contains_str(begin))
}

/// Returns whether a text ends within the tags of a call.
fn is_in_call(text: &[u8]) -> bool {
    text.trim_ascii_end().ends_with(OPEN)
}

fn refused(source: &Source, range: Range<usize>, what: Error) -> Block<'static> {
    let error = super::Error::of(InFile { path: None, what });
    Block::refused(Format::Tool, source.span(range), error)
}

/// Returns how far a value goes that can't be read from a line on.
fn extent(source: &Source, wrong: LineNo) -> usize {
    let mut end = line_end(source, wrong);
    for number in (wrong.index() + 1..source.line_count()).map(LineNo::from_index) {
        let line = source.line(number).unwrap_or_default();
        let is_tag = trim_start(line).starts_with(b"<");
        // What begins with a quote is a member.
        let is_value = starts_here(line) == Some(0) && !line.starts_with(b"\"");
        if is_tag || is_value || Fence::read(line).is_some() {
            break;
        }
        end = line_end(source, number);
        if matches!(line.first(), Some(b'}' | b']')) {
            break;
        }
    }
    end
}
