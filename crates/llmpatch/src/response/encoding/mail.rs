//! The transfer encodings and charsets of mails.

use std::ops::Range;

use base64::Engine as _;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use bstr::ByteSlice as _;

use crate::text::{Decoded, Splice, trim_spaces_end};

/// A body in a mail whose bytes aren't as they were written.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct MailBody {
    /// Where the body is in the response.
    pub(crate) range: Range<usize>,
    /// What is put in place of what, in order; ranges are of the response. The rest stays.
    pub(crate) edits: Result<Vec<Splice>, Undecodable>,
}

/// Why a mail's body can't be decoded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Undecodable {
    /// The charset, by its name, isn't known here.
    #[error("the mail is in the charset `{0}`, which isn't read")]
    Charset(String),
    /// The transfer encoding, by its name, isn't known here.
    #[error("the mail has the transfer encoding `{0}`, which isn't known")]
    Transfer(String),
    /// Lines from this offset on aren't base64.
    #[error("the mail's text isn't base64, as its header says")]
    Base64 {
        /// An offset in the response.
        at: usize,
    },
}

/// Finds the bodies of mails in a text that have a transfer encoding or a charset which must be
/// undone. Nothing for a text that is no mail.
///
/// A mail begins at the text's first line that isn't blank, or behind a `From ` line; at least two
/// headers and an empty line come first. It ends where the next mail begins, or with the fence that
/// its `From ` line is in.
pub(crate) fn mail_bodies(text: &[u8]) -> Vec<MailBody> {
    let first = text.len() - text.trim_start().len();
    let mut mails: Vec<(Headers, Range<usize>)> = Vec::new();
    let (mut open, mut behind_fence, mut fenced) = (false, false, false);
    for line in lines(text, 0..text.len()) {
        let is_from = text[line.clone()].starts_with(b"From ");
        let is_fence = text[line.clone()].starts_with(b"```");
        let start = if is_from { line.end } else { line.start };
        let begins = (is_from || line.start == first)
            .then(|| headers(text, start..text.len()))
            .flatten()
            .filter(|(headers, _)| headers.len() >= 2);
        if open && (begins.is_some() || fenced && is_fence) {
            open = false;
            if let Some((_, body)) = mails.last_mut() {
                // A header may look like a fence.
                body.end = line.start.max(body.start);
            }
        }
        if let Some((headers, body)) = begins {
            mails.push((headers, body..text.len()));
            (open, fenced) = (true, behind_fence);
        }
        behind_fence = is_fence;
    }
    let mut bodies = Vec::new();
    for (headers, body) in mails {
        find_bodies(text, &headers, body, NESTED, &mut bodies);
    }
    bodies
}

/// So deep may a mail's parts have parts.
const NESTED: usize = 8;

/// The headers of a mail or a part: names in lower case, values in one line.
type Headers = Vec<(String, String)>;

/// Returns the lines of a range of a text by their ranges, line ends included.
pub(super) fn lines(text: &[u8], range: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let mut end = range.start;
    text[range].lines_with_terminator().map(move |line| {
        let start = end;
        end += line.len();
        start..end
    })
}

/// Reads headers and the empty line behind them; returns where the body starts, too.
fn headers(text: &[u8], range: Range<usize>) -> Option<(Headers, usize)> {
    let mut headers = Headers::new();
    for line in lines(text, range) {
        let bytes = text[line.clone()].trim_end();
        if bytes.is_empty() {
            return Some((headers, line.end));
        }
        if bytes.starts_with(b" ") || bytes.starts_with(b"\t") {
            let (_, value) = headers.last_mut()?;
            value.push_str(&bytes.to_str_lossy());
            continue;
        }
        let (name, value) = bytes.split_once_str(":")?;
        if name.is_empty() || !name.iter().all(u8::is_ascii_graphic) {
            return None;
        }
        let name = name.to_str().ok()?.to_ascii_lowercase();
        headers.push((name, value.trim().to_str_lossy().into_owned()));
    }
    None
}

/// Returns the value of a header, or nothing.
fn header<'h>(headers: &'h Headers, name: &str) -> &'h str {
    let found = headers.iter().find(|(other, _)| other == name);
    found.map_or("", |(_, value)| value)
}

/// Returns what a header says before its parameters, in lower case.
fn kind(header: &str) -> String {
    let kind = header.split(';').next().unwrap_or(header);
    kind.trim().to_ascii_lowercase()
}

/// Returns a parameter of a header, such as `charset`, or nothing.
fn parameter<'h>(header: &'h str, name: &str) -> &'h str {
    let mut rest = header;
    while let Some((key, value)) = rest.split_once('=') {
        let value = value.trim_start();
        let (value, behind) = match value.strip_prefix('"') {
            Some(quoted) => quoted.split_once('"').unwrap_or((quoted, "")),
            None => value.split_once(';').unwrap_or((value, "")),
        };
        let key = key.rsplit(';').next().unwrap_or(key);
        if key.trim().eq_ignore_ascii_case(name) {
            return value.trim();
        }
        rest = behind;
    }
    ""
}

/// Finds the bodies of a mail or a part that must be decoded.
fn find_bodies(
    text: &[u8],
    headers: &Headers,
    body: Range<usize>,
    nested: usize,
    bodies: &mut Vec<MailBody>,
) {
    let content = header(headers, "content-type");
    if kind(content).starts_with("multipart/") {
        for (part, end) in parts(text, body, parameter(content, "boundary")) {
            if nested > 0
                && let Some((headers, start)) = self::headers(text, part.clone())
            {
                find_bodies(text, &headers, start..part.end, nested - 1, bodies);
            }
            // It looks like a line of the diff above.
            let range = end.start..end.start + text[end].trim_end().len();
            if !range.is_empty() {
                let edits = Ok(vec![splice(range.clone(), Vec::new())]);
                bodies.push(MailBody { range, edits });
            }
        }
    } else if may_be_patch(headers) {
        let transfer = kind(header(headers, "content-transfer-encoding"));
        let edits = decode(text, &body, transfer, parameter(content, "charset"));
        if !body.is_empty() && edits.as_ref().map_or(true, |edits| !edits.is_empty()) {
            bodies.push(MailBody { range: body, edits });
        }
    }
}

/// Returns the parts between the lines of a boundary, headers included, and the line that ends
/// each.
fn parts(text: &[u8], body: Range<usize>, boundary: &str) -> Vec<(Range<usize>, Range<usize>)> {
    let (mut parts, mut start) = (Vec::new(), None);
    if boundary.is_empty() {
        return parts;
    }
    let end = body.end;
    for line in lines(text, body) {
        let rest = text[line.clone()].strip_prefix(b"--");
        let rest = rest.and_then(|rest| rest.strip_prefix(boundary.as_bytes()));
        let Some(rest) = rest.map(<[u8]>::trim_end) else {
            continue;
        };
        if rest.is_empty() || rest == b"--" {
            let part = start.take().map(|start| start..line.start);
            parts.extend(part.map(|part| (part, line.clone())));
            if !rest.is_empty() {
                return parts;
            }
            start = Some(line.end);
        }
    }
    parts.extend(start.map(|start| (start..end, end..end)));
    parts
}

/// Returns whether a mail or a part is of a type in which patches are sent.
fn may_be_patch(headers: &Headers) -> bool {
    let content = header(headers, "content-type");
    let kind = kind(content);
    let name = match parameter(content, "name") {
        "" => parameter(header(headers, "content-disposition"), "filename"),
        name => name,
    };
    let is_named = |name: &str| name.ends_with("patch") || name.ends_with("diff");
    match kind.split_once('/') {
        None => true,
        Some(("text", subtype)) => subtype != "html",
        Some(("application", subtype)) => is_named(subtype) || is_named(&name.to_lowercase()),
        Some(_) => false,
    }
}

/// Undoes the transfer encoding of a body, then its charset.
fn decode(
    text: &[u8],
    body: &Range<usize>,
    transfer: String,
    charset: &str,
) -> Result<Vec<Splice>, Undecodable> {
    let edits = match &*transfer {
        "quoted-printable" => quoted_printable(text, body.clone()),
        "base64" => base64(text, body.clone())?,
        "" | "7bit" | "8bit" | "binary" => Vec::new(),
        _ => return Err(Undecodable::Transfer(transfer)),
    };
    let latin = match &*charset.to_ascii_lowercase() {
        "" | "utf-8" | "utf8" | "us-ascii" | "ascii" => return Ok(edits),
        "iso-8859-1" | "iso_8859-1" | "latin1" => Some(false),
        "windows-1252" | "cp1252" => Some(true),
        _ => None,
    };
    let decoded = Decoded::new(text, body.clone(), &edits).text;
    let is_plain = decoded.is_ascii() && decoded.find_byteset(b"\0\x1b").is_none();
    match latin {
        // Mails are labelled Latin-1 wrongly; no text in it is UTF-8 by chance.
        Some(_) if decoded.to_str().is_ok() => Ok(edits),
        Some(is_windows) => Ok(recode(text, body, edits, is_windows)),
        None if is_plain && !charset.eq_ignore_ascii_case("utf-7") => Ok(edits),
        None => Err(Undecodable::Charset(charset.to_owned())),
    }
}

pub(super) fn quoted_printable(text: &[u8], body: Range<usize>) -> Vec<Splice> {
    let mut edits = Vec::new();
    for line in lines(text, body) {
        let whole = text[line.clone()].trim_end_with(|c| matches!(c, '\r' | '\n'));
        let trimmed = trim_spaces_end(whole);
        let kept = trimmed.strip_suffix(b"=").unwrap_or(trimmed);
        for at in memchr::memchr_iter(b'=', kept) {
            if let Some(byte) = kept.get(at + 1..at + 3).and_then(hexadecimal) {
                let start = line.start + at;
                edits.push(splice(start..start + 3, vec![byte]));
            }
        }
        let is_soft = kept.len() != trimmed.len();
        let end = line.start + whole.len();
        let gone = line.start + kept.len()..if is_soft { line.end } else { end };
        if !gone.is_empty() {
            edits.push(splice(gone, Vec::new()));
        }
    }
    edits
}

pub(super) fn splice(old: Range<usize>, new: Vec<u8>) -> Splice {
    Splice { old, new }
}

fn hexadecimal(digits: &[u8]) -> Option<u8> {
    let digits = digits.iter().map(|&digit| char::from(digit).to_digit(16));
    let value = digits.reduce(|high, low| Some(high? * 16 + low?))??;
    u8::try_from(value).ok()
}

/// Base64 as mails have it; a mail that was cut by a few characters is read as well.
pub(super) const BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true),
);

pub(super) fn base64(text: &[u8], body: Range<usize>) -> Result<Vec<Splice>, Undecodable> {
    let mut edits: Vec<Splice> = Vec::new();
    let (mut start, end) = (body.start, body.end);
    let mut quantums: Vec<u8> = Vec::new();
    for line in lines(text, body) {
        let encoded = text[line.clone()].iter().copied();
        quantums.extend(encoded.filter(|byte| !byte.is_ascii_whitespace()));
        if quantums.len().is_multiple_of(4) || line.end == end {
            let bytes = BASE64.decode(&quantums);
            let bytes = bytes.map_err(|_| Undecodable::Base64 { at: start })?;
            edits.push(splice(start..line.end, bytes));
            start = line.end;
            quantums.clear();
        }
    }
    let last = edits.iter().rev().find_map(|edit| edit.new.last().copied());
    if let (true, Some(edit)) = (end < text.len() && last != Some(b'\n'), edits.last_mut()) {
        // What comes behind the body is on a line of its own.
        edit.new.push(b'\n');
    }
    Ok(edits)
}

/// Adds to edits that the bytes of a charset, which is Latin-1 or Windows-1252, become UTF-8.
fn recode(text: &[u8], body: &Range<usize>, edits: Vec<Splice>, is_windows: bool) -> Vec<Splice> {
    let (mut recoded, mut at) = (Vec::new(), body.start);
    let end = splice(body.end..body.end, Vec::new());
    for edit in edits.into_iter().chain([end]) {
        for at in (at..edit.old.start).filter(|&at| !text[at].is_ascii()) {
            recoded.push(splice(at..at + 1, utf8(&[text[at]], is_windows)));
        }
        at = edit.old.end;
        if !edit.old.is_empty() {
            recoded.push(splice(edit.old, utf8(&edit.new, is_windows)));
        }
    }
    recoded
}

/// Windows-1252 from 0x80 on. Bytes without a character are control characters, as in Latin-1.
const WINDOWS: &str = "€\u{81}‚ƒ„…†‡ˆ‰Š‹Œ\u{8d}Ž\u{8f}\u{90}‘’“”•–—˜™š›œ\u{9d}žŸ";

fn utf8(bytes: &[u8], is_windows: bool) -> Vec<u8> {
    let text: String = bytes
        .iter()
        .filter_map(|&byte| match byte {
            0x80..0xa0 if is_windows => WINDOWS.chars().nth(usize::from(byte - 0x80)),
            _ => Some(char::from(byte)),
        })
        .collect();
    text.into_bytes()
}
