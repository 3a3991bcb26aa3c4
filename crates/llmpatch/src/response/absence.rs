//! Why a response has no patch.

use bstr::ByteSlice as _;

use super::answer::Answer;
use super::encoded::ENCODINGS;
use super::error::{Error, Warning};
use super::no_patch::NoPatch;
use crate::format::{self, Options, blocks, files};
use crate::patch::Format;
use crate::text;
use crate::text::{Lines, Located, Source, Span, is_binary};

/// Returns whether bytes have a byte order mark of UTF-16.
pub(super) fn is_marked_utf16(bytes: &[u8]) -> bool {
    matches!(bytes, [0xff, 0xfe, ..] | [0xfe, 0xff, ..])
}

/// Returns why there is nothing to apply, and where to look.
pub(super) fn find(
    source: &Source,
    options: &Options<'_>,
    answer: &Answer<'_>,
    warnings: &[Located<Warning>],
    skipped: Option<(Format, Format, Span)>,
) -> (Option<Span>, Error) {
    let bytes = source.bytes();
    let body = bytes.strip_prefix(Lines::BOM).unwrap_or(bytes);
    if let Some(encoding) = utf16(bytes) {
        return (
            Some(source.span(0..bytes.len().min(2))),
            Error::Utf16 { encoding },
        );
    }
    let mid_line = warned(is_prose_edit, warnings).flatten();
    let calls = warned(
        |warning| matches!(warning, Warning::Format(format::Warning::Tool(_))),
        warnings,
    );
    let of_text = answer.session.aside.nearly.as_ref();
    let is_undone = matches!(answer.hidden, Some((_, NoPatch::Undone(_))));
    let (span, absence) = if let Some((asked, found, span)) = skipped {
        (Some(span), NoPatch::OtherFormat { asked, found })
    } else if let Some(span) = calls.filter(|_| !is_undone) {
        (span, NoPatch::Calls)
    } else if let Some((span, what)) = encoded(answer) {
        (Some(*span), what.clone())
    } else if let Some((span, by)) = answer.hidden.clone() {
        (Some(span), by)
    } else if let Some((span, what)) = answer.nearly.first().or(of_text) {
        (Some(*span), what.clone())
    } else if mid_line.is_some() {
        (mid_line, NoPatch::MidLine)
    } else if body.lines().all(text::is_blank) {
        (None, NoPatch::Nothing)
    } else if is_binary(body) {
        (None, NoPatch::NoText)
    } else if let Some((span, path)) = files::first(source, options) {
        let path = path[..].into();
        (Some(span), NoPatch::Files { path })
    } else {
        (None, NoPatch::Prose)
    };
    (span, Error::NoPatch(absence))
}

/// Returns the first patch that isn't as it was written, but of a response in JSON, which says itself
/// what its strings are.
fn encoded<'p>(answer: &'p Answer<'_>) -> Option<&'p (Span, NoPatch)> {
    let is_encoded = |what: &NoPatch| matches!(what, NoPatch::Near(row) if ENCODINGS.contains(row));
    let is_in_json = answer
        .hidden
        .as_ref()
        .is_some_and(|(_, by)| by.is_of_json());
    let mut nearly = answer.nearly.iter().filter(|_| !is_in_json);
    nearly.find(|(_, what)| is_encoded(what))
}

fn is_prose_edit(warning: &Warning) -> bool {
    matches!(warning, Warning::ProseEdit)
}

fn warned(is_it: fn(&Warning) -> bool, warnings: &[Located<Warning>]) -> Option<Option<Span>> {
    warnings
        .iter()
        .find(|warning| is_it(&warning.value))
        .map(|warning| warning.span)
}

/// Returns the name of the encoding if a patch is there with a NUL behind or before each byte.
fn utf16(bytes: &[u8]) -> Option<&'static str> {
    memchr::memchr(0, bytes)?;
    [
        "*** Begin Patch",
        "<edit ",
        "<opx>",
        "diff --git ",
        "\n@@ -",
    ]
    .iter()
    .find_map(|start| {
        let big: Vec<u8> = start.bytes().flat_map(|byte| [0, byte]).collect();
        let little: Vec<u8> = start.bytes().flat_map(|byte| [byte, 0]).collect();
        match (bytes.find(&big), bytes.find(&little)) {
            (None, None) => None,
            // Behind other text both are found; the first byte of each pair tells which it is.
            (Some(at), _) if at % 2 == 0 => Some("UTF-16BE"),
            _ => Some("UTF-16LE"),
        }
    })
}

/// Returns the format of which the last line of a response, which isn't terminated, is the
/// beginning of a patch's beginning.
pub(super) fn cut_start(line: &[u8]) -> Option<Format> {
    if is_cut(line, b"*** Begin Patch", b"*** B".len()) {
        Some(Format::Envelope)
    } else if blocks::is_cut(line) {
        Some(Format::Blocks)
    } else if is_cut(line, b"<edit ", b"<ed".len())
        || line.starts_with(b"<edit ") && !line.contains(&b'>')
    {
        Some(Format::Opx)
    } else if is_cut(line, b"@@ -", 1)
        || is_cut(line, b"diff --git ", b"diff --".len())
        || line.starts_with(b"diff --git a/")
    {
        Some(Format::Unified)
    } else if line.starts_with(b"{") && line.contains(&b':') && !line.contains(&b'}') {
        // Of what is JSON so far, the reader of JSON tells.
        Some(Format::Tool)
    } else {
        None
    }
}

/// Returns whether a line is a beginning of a text, of some bytes at least.
fn is_cut(line: &[u8], whole: &[u8], least: usize) -> bool {
    (least..whole.len()).contains(&line.len()) && whole.starts_with(line)
}
