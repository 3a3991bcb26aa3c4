//! Why a response has no patch.

use bstr::ByteSlice as _;

use super::error::{Absence, Error, Warning};
use super::prose::Prose;
use crate::format::envelope;
use crate::patch::Format;
use crate::text::{Lines, Located, Source, Span};

/// Returns the name of the encoding that bytes with a byte order mark of UTF-16 are in.
pub(super) fn marked_utf16(bytes: &[u8]) -> Option<&'static str> {
    [&b"\xff\xfe"[..], b"\xfe\xff"].iter().any(|mark| bytes.starts_with(mark)).then_some("UTF-16")
}

/// Says why there is nothing to apply, and where to look.
pub(super) fn find(
    source: &Source,
    prose: &Prose,
    warnings: &[Located<crate::format::Warning>],
    skipped: Option<(Format, Format, Span)>,
) -> (Option<Span>, Error) {
    let bytes = source.bytes();
    let body = bytes.strip_prefix(Lines::BOM).unwrap_or(bytes);
    if let Some(encoding) = utf16(bytes) {
        return (Some(source.span(0..bytes.len().min(2))), Error::Utf16 { encoding });
    }
    let mid_line = warnings
        .iter()
        .find(|warning| matches!(warning.value, crate::format::Warning::Detect(Warning::ProseEdit)))
        .and_then(|warning| warning.span);
    let (span, absence) = if let Some((asked, found, span)) = skipped {
        (Some(span), Absence::OtherFormat { asked, found })
    } else if let Some((span, absence)) = json(source) {
        (Some(span), absence)
    } else if let Some((_, span)) = prose.near_begin {
        (Some(span), Absence::NearBegin)
    } else if let Some((span, by)) = prose.hidden {
        (Some(span), by.absence())
    } else if let Some(span) = prose.diff {
        (Some(span), Absence::Unified)
    } else if let Some(at) = ["&lt;edit ", "&lt;opx&gt;", "&lt; SEARCH"].iter().find_map(|tag| body.find(tag)) {
        let at = at + bytes.len() - body.len();
        (Some(source.span(at..at + 8)), Absence::Html)
    } else if mid_line.is_some() {
        (mid_line, Absence::MidLine)
    } else if body.lines().all(envelope::is_blank) {
        (None, Absence::Empty)
    } else {
        (None, Absence::Prose)
    };
    (span, Error::NoPatch(absence))
}

/// Returns the name of the encoding if a patch is there with a NUL behind or before each byte.
fn utf16(bytes: &[u8]) -> Option<&'static str> {
    memchr::memchr(0, bytes)?;
    ["*** Begin Patch", "<edit ", "<opx>", "diff --git ", "\n@@ -"].iter().find_map(|start| {
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

/// Finds a patch that is in a JSON string, or was cut out of one, with its line ends or quotes escaped.
fn json(source: &Source) -> Option<(Span, Absence)> {
    let bytes = source.bytes();
    let looks_like_json = matches!(
        bytes.strip_prefix(Lines::BOM).unwrap_or(bytes).iter().find(|byte| !byte.is_ascii_whitespace()),
        Some(b'{' | b'[' | b'"')
    );
    let found = |format, at: usize, length, backslashes| {
        Some((
            source.span(at..at + length),
            Absence::Json { format, twice: backslashes > 1, name: source.name().to_owned() },
        ))
    };
    let slashes = |at: usize| bytes[at..].iter().take_while(|&&byte| byte == b'\\').count();
    let begins = [(Format::Envelope, &b"*** Begin Patch"[..]), (Format::Blocks, b"<<<<<<< SEARCH")];
    for (format, begin) in begins {
        for at in bytes.find_iter(begin) {
            let behind = at + begin.len();
            let count = slashes(behind);
            if count > 0 && matches!(bytes.get(behind + count), Some(b'n' | b'r')) {
                if !looks_like_json {
                    return Some((source.span(at..behind), Absence::Escaped));
                }
                return found(format, at, begin.len(), count);
            }
        }
    }
    if looks_like_json && let Some(at) = bytes.find(br"n@@ -") {
        let count = bytes[..at].iter().rev().take_while(|&&byte| byte == b'\\').count();
        if count > 0 {
            return found(Format::Unified, at + 1, b"@@ -".len(), count);
        }
    }
    if looks_like_json {
        for at in bytes.find_iter(b"<edit ") {
            let value = bytes[at..].iter().take(64).position(|&byte| byte == b'=').map(|equals| at + equals + 1);
            let count = value.map_or(0, slashes);
            if count > 0 {
                return found(Format::Opx, at, b"<edit".len(), count);
            }
        }
    }
    None
}
