//! What a patch may have gone through on its way: a mail's encodings, a terminal's colours, escapes
//! of HTML and Markdown, git's word diff.
//!
//! # Which colour codes are a tool's
//!
//! A file can hold escape sequences of its own, and lines that are added to it hold them too. The
//! codes of a text are a tool's if a tool coloured a line's first character: a header of a diff or
//! an envelope begins with a code, or a line below such a header does (no uncoloured line of a hunk
//! can). Otherwise they are content ([`Coloured::No`]), whichever lines have them.
//!
//! A tool colours every header and every removed or added line, and it colours them in a way that
//! can be told from content: colours are not nested, and a colour starts before a line's sign,
//! right behind it, or before the blanks at the line's end (git shows whitespace errors so). A
//! patch in which all lines are so is [`Coloured::Whole`]. Whatever departs is
//! [`Coloured::Partly`]: a header or a changed line without codes, a code in the midst of a hunk's
//! line (the file's own, or a word diff's), a coloured line without a sign in a hunk (a word
//! diff's), context lines of which some begin with a colour and others don't.

use std::ops::Range;

use base64::Engine as _;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use bstr::ByteSlice as _;

use crate::text::Splice;

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
fn lines(text: &[u8], range: Range<usize>) -> impl Iterator<Item = Range<usize>> {
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
        for part in parts(text, body, parameter(content, "boundary")) {
            if nested > 0
                && let Some((headers, start)) = self::headers(text, part.clone())
            {
                find_bodies(text, &headers, start..part.end, nested - 1, bodies);
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

/// Returns the parts between the lines of a boundary, headers included.
fn parts(text: &[u8], body: Range<usize>, boundary: &str) -> Vec<Range<usize>> {
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
            parts.extend(start.take().map(|start| start..line.start));
            if !rest.is_empty() {
                return parts;
            }
            start = Some(line.end);
        }
    }
    parts.extend(start.map(|start| start..end));
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
    let decoded = decoded(text, body, &edits);
    let is_plain = decoded.is_ascii() && decoded.find_byteset(b"\0\x1b").is_none();
    match latin {
        // Mails are labelled Latin-1 wrongly; no text in it is UTF-8 by chance.
        Some(_) if decoded.to_str().is_ok() => Ok(edits),
        Some(is_windows) => Ok(recode(text, body, edits, is_windows)),
        None if is_plain && !charset.eq_ignore_ascii_case("utf-7") => Ok(edits),
        None => Err(Undecodable::Charset(charset.to_owned())),
    }
}

/// Returns what a body is after edits.
fn decoded(text: &[u8], body: &Range<usize>, edits: &[Splice]) -> Vec<u8> {
    let (mut bytes, mut at) = (Vec::with_capacity(body.len()), body.start);
    for edit in edits {
        bytes.extend_from_slice(&text[at..edit.old.start]);
        bytes.extend_from_slice(&edit.new);
        at = edit.old.end;
    }
    bytes.extend_from_slice(&text[at..body.end]);
    bytes
}

fn quoted_printable(text: &[u8], body: Range<usize>) -> Vec<Splice> {
    let mut edits = Vec::new();
    for line in lines(text, body) {
        let whole = text[line.clone()].trim_end_with(|c| matches!(c, '\r' | '\n'));
        let trimmed = whole.trim_end_with(|c| matches!(c, ' ' | '\t'));
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

fn splice(old: Range<usize>, new: Vec<u8>) -> Splice {
    Splice { old, new }
}

fn hexadecimal(digits: &[u8]) -> Option<u8> {
    let digits = digits.iter().map(|&digit| char::from(digit).to_digit(16));
    let value = digits.reduce(|high, low| Some(high? * 16 + low?))??;
    u8::try_from(value).ok()
}

/// Base64 as mails have it; a mail that was cut by a few characters is read as well.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true),
);

fn base64(text: &[u8], body: Range<usize>) -> Result<Vec<Splice>, Undecodable> {
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
    let character = |&byte: &u8| match byte {
        0x80..0xa0 if is_windows => WINDOWS.chars().nth(usize::from(byte - 0x80)),
        _ => Some(char::from(byte)),
    };
    let text: String = bytes.iter().filter_map(character).collect();
    text.into_bytes()
}

/// Colour codes (SGR escape sequences, `\x1b[…m`, and `\x1b[K`) of a patch.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Coloured {
    /// No tool coloured the patch.
    No,
    /// All lines that a coloured diff would colour have codes: the edits take them off.
    Whole(Vec<Splice>),
    /// Only some lines have codes, or some codes may be a file's own.
    Partly {
        /// The first line or code that says so.
        at: usize,
    },
}

/// Where a line of a patch is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum DiffState {
    Outside,
    Header,
    Hunk,
}

/// Looks for colour codes in a text: of a response, or a part of it.
pub(crate) fn colours(text: &[u8]) -> Coloured {
    if text.find(b"\x1b[").is_none() {
        return Coloured::No;
    }
    let (mut edits, mut is_coloured, mut odd) = (Vec::new(), false, None);
    let (mut place, mut context) = (DiffState::Outside, None);
    for range in lines(text, 0..text.len()) {
        let line = Painted::new(&text[range.clone()]);
        place = place_of(&line.bare, place);
        let leads = line.codes.first().is_some_and(|code| code.start == 0);
        is_coloured |= leads && place != DiffState::Outside;
        let found = odd_code(&line, place, &mut context);
        odd = odd.or(found.map(|at| range.start + at));
        for code in line.codes {
            let code = range.start + code.start..range.start + code.end;
            edits.push(splice(code, Vec::new()));
        }
    }
    match odd {
        _ if !is_coloured => Coloured::No,
        Some(at) => Coloured::Partly { at },
        None => Coloured::Whole(edits),
    }
}

/// Returns where a line is, by what it holds beside codes and where the line before it is.
fn place_of(bare: &[u8], before: DiffState) -> DiffState {
    let starts_with = |start: &&str| bare.starts_with(start.as_bytes());
    let line = bare.trim_end_with(|c| matches!(c, '\r' | '\n'));
    if line == b"-- "
        || ["*** End Patch", "```", "commit ", "From "]
            .iter()
            .any(starts_with)
    {
        DiffState::Outside
    } else if ["@@", "*** "].iter().any(starts_with) {
        DiffState::Hunk
    } else if starts_with(&"diff --") || before == DiffState::Outside && starts_with(&"--- ") {
        DiffState::Header
    } else {
        before
    }
}

/// A line of which codes are known.
struct Painted<'l> {
    line: &'l [u8],
    codes: Vec<Range<usize>>,
    /// The line without codes.
    bare: Vec<u8>,
}

impl<'l> Painted<'l> {
    fn new(line: &'l [u8]) -> Self {
        let code_at = |at: usize| {
            let parameters = line[at + 1..].strip_prefix(b"[")?;
            let end = parameters.iter().position(|byte| !is_parameter(*byte))?;
            matches!(parameters[end], b'm' | b'K').then_some(at..at + end + 3)
        };
        let codes: Vec<_> = memchr::memchr_iter(0x1b, line)
            .filter_map(code_at)
            .collect();
        let (mut bare, mut at) = (Vec::with_capacity(line.len()), 0);
        for code in &codes {
            bare.extend_from_slice(&line[at..code.start]);
            at = code.end;
        }
        bare.extend_from_slice(&line[at..]);
        Self { line, codes, bare }
    }

    /// Returns whether a code sets a colour, rather than going back to the terminal's.
    fn sets(&self, code: &Range<usize>) -> bool {
        let parameters = &self.line[code.start + 2..code.end - 1];
        let is_default = |parameter: &[u8]| matches!(parameter, b"" | b"0" | b"00" | b"39" | b"49");
        self.line[code.end - 1] == b'm' && !parameters.split_str(";").all(is_default)
    }

    /// Returns the first code of a hunk's line that no tool puts there.
    fn own_code(&self) -> Option<usize> {
        // How much of the bare line is the sign with blanks behind it, and all but blanks at its
        // end.
        let text = self.bare.get(1..).unwrap_or_default();
        let start = 1 + text.len() - text.trim_start().len();
        let end = self.bare.trim_end().len();
        let (mut leads, mut is_set, mut in_codes) = (false, false, 0);
        // Whether no colour was set and no text was seen.
        let mut is_plain = true;
        for code in &self.codes {
            let before = code.start - in_codes;
            in_codes += code.len();
            if self.line[code.end - 1] == b'K' {
                continue;
            }
            let sets = self.sets(code);
            let fits = if sets {
                !is_set && (before == 0 || before >= end || leads && before <= start)
            } else {
                let is_short = before <= 1 && code.len() == b"\x1b[m".len();
                is_set || before == 0 || is_plain && (is_short || before >= end)
            };
            if !fits {
                return Some(code.start);
            }
            leads |= sets && before == 0;
            is_set = sets;
            is_plain &= !sets && before <= 1;
        }
        None
    }
}

fn is_parameter(byte: u8) -> bool {
    byte.is_ascii_digit() || byte == b';' || byte == b':'
}

/// Returns the offset in a line at which it isn't as in a patch that is coloured as a whole.
/// `context` is whether context lines begin with a colour.
fn odd_code(line: &Painted<'_>, place: DiffState, context: &mut Option<bool>) -> Option<usize> {
    let first = line.bare.first()?;
    let is_header = ["@@", "diff --", "*** "]
        .iter()
        .any(|start| line.bare.starts_with(start.as_bytes()));
    let is_changed = matches!(first, b'-' | b'+');
    let mut setting = line.codes.iter().filter(|code| line.sets(code));
    if place == DiffState::Outside && !line.bare.starts_with(b"*** End Patch") {
        None
    } else if is_header || is_changed {
        if line.codes.is_empty() {
            return Some(0);
        }
        (place == DiffState::Hunk && is_changed)
            .then(|| line.own_code())
            .flatten()
    } else if place == DiffState::Header || line.bare.trim().is_empty() {
        None
    } else if *first == b' ' {
        let leads = setting.next().is_some_and(|code| code.start == 0);
        if *context.get_or_insert(leads) != leads {
            return Some(0);
        }
        line.own_code()
    } else if *first == b'\\' {
        None
    } else {
        setting.next().map(|code| code.start)
    }
}

/// How a marker of a patch is escaped, so that it begins no patch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Escaped {
    /// Angle brackets written as entities.
    Html,
    /// Backslashes before punctuation.
    Markdown,
    /// Line ends written as `\n`.
    LineEnds,
}

/// Returns how a line's marker is escaped, if it is nearly a first line of a patch.
pub(crate) fn escaped_marker(line: &[u8]) -> Option<Escaped> {
    // No marker is longer, however it is escaped.
    let line = line.trim();
    let head = &line[..line.len().min(200)];
    if let Some(rest) = after_opener(head) {
        let rest = rest.trim_start();
        let is_line_end = rest.starts_with(br"\n") || rest.starts_with(br"\r");
        return is_line_end.then_some(Escaped::LineEnds);
    }
    let is_opener = |bytes: &[u8]| after_opener(bytes).is_some();
    if head.contains(&b'&') {
        let mut plain = head.to_vec();
        for (entity, sign) in ENTITIES {
            plain = plain.replace(entity, sign);
        }
        is_opener(&plain).then_some(Escaped::Html)
    } else if head.contains(&b'\\') {
        is_opener(&head.replace(r"\", "")).then_some(Escaped::Markdown)
    } else {
        None
    }
}

const ENTITIES: [(&str, &str); 6] = [
    ("&lt;", "<"),
    ("&gt;", ">"),
    ("&#60;", "<"),
    ("&#62;", ">"),
    ("&#x3c;", "<"),
    ("&#x3C;", "<"),
];

/// Returns what is behind the marker of a patch's first line.
fn after_opener(line: &[u8]) -> Option<&[u8]> {
    if let Some(rest) = line.strip_prefix(b"*** Begin Patch") {
        return Some(rest);
    }
    for tag in [&b"<opx"[..], b"<edit"] {
        if let Some(rest) = line.strip_prefix(tag) {
            let end = rest.find_byte(b'>').map_or(rest.len(), |end| end + 1);
            return matches!(rest.first(), Some(b' ' | b'>')).then_some(&rest[end..]);
        }
    }
    let sign = *line.first().filter(|sign| matches!(sign, b'<' | b'-'))?;
    let signs = line.iter().take_while(|&&byte| byte == sign).count();
    let rest = line[signs..].strip_prefix(b" SEARCH")?;
    (5..=9).contains(&signs).then_some(rest)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Returns a text after edits of all of it; they must be in order and within it.
    fn after(text: &[u8], edits: &[Splice]) -> Vec<u8> {
        let mut at = 0;
        for edit in edits {
            assert!(
                at <= edit.old.start && edit.old.start <= edit.old.end,
                "{edits:?}"
            );
            at = edit.old.end;
        }
        assert!(at <= text.len());
        decoded(text, &(0..text.len()), edits)
    }

    /// Returns what a text is once its mails are decoded, and the troubles.
    fn read(text: &[u8]) -> (Vec<u8>, Vec<Undecodable>) {
        let (mut edits, mut troubles) = (Vec::new(), Vec::new());
        for body in mail_bodies(text) {
            match body.edits {
                Ok(some) => {
                    let within = |edit: &Splice| {
                        body.range.start <= edit.old.start && edit.old.end <= body.range.end
                    };
                    assert!(some.iter().all(within));
                    edits.extend(some);
                }
                Err(trouble) => troubles.push(trouble),
            }
        }
        (after(text, &edits), troubles)
    }

    fn mail(transfer: &str, charset: &str, body: &[u8]) -> Vec<u8> {
        let head = format!(
            "Subject: x\nContent-Type: text/plain; charset={charset}\n\
             Content-Transfer-Encoding: {transfer}\n\n"
        );
        [head.as_bytes(), body].concat()
    }

    #[test]
    fn quoted_printable_is_undone() {
        for (body, want) in [
            ("a=3Db\n", "a=b\n"),
            ("caf=C3=A9\n", "café\n"),
            ("caf=c3=a9\n", "café\n"),
            (" d =20\n", " d  \n"),
            ("long=\n line\n", "long line\n"),
            ("long= \t\r\n line\r\n", "long line\r\n"),
            ("gone  \t\nkept\n", "gone\nkept\n"),
            ("gone \r\n", "gone\r\n"),
            ("bad =4 =G1 =\tx\n", "bad =4 =G1 =\tx\n"),
            ("a==41\n", "a=A\n"),
            ("a=3D=\nb", "a=b"),
            ("==\nb\n", "=b\n"),
            ("end=", "end"),
            ("end=4", "end=4"),
            ("+=1B[31mred=1B[0m\n", "+\x1b[31mred\x1b[0m\n"),
            ("a=0D\n", "a\r\n"),
            ("--=20\n2.47.3\n", "-- \n2.47.3\n"),
        ] {
            let text = mail("Quoted-Printable", "UTF-8", body.as_bytes());
            let want = mail("Quoted-Printable", "UTF-8", want.as_bytes());
            assert_eq!(read(&text), (want, vec![]), "{body:?}");
        }
    }

    #[test]
    fn base64_is_undone_line_by_line() {
        for (body, want, splices) in [
            ("LWEKK2IK\n", "-a\n+b\n", 1),
            ("LWEK\r\nK2IK\r\n", "-a\n+b\n", 2),
            ("LWEKK\n2IK\nLWEK\n", "-a\n+b\n-a\n", 2),
            ("LW EK\n\n", "-a\n", 2),
            ("LWENCg==\n", "-a\r\n", 1),
            ("w6k=", "é", 1),
            ("w6k\n", "é", 1),
            ("w6\nk", "é", 1),
        ] {
            let text = mail("base64", "utf-8", body.as_bytes());
            let bodies = mail_bodies(&text);
            let edits = bodies[0].edits.as_ref().unwrap();
            assert_eq!(edits.len(), splices, "{body:?}");
            assert_eq!(
                after(&text, edits),
                mail("base64", "utf-8", want.as_bytes())
            );
        }
    }

    #[test]
    fn charsets_become_utf8() {
        let none: Result<&str, &str> = Err("");
        for (transfer, charset, body, want) in [
            ("8bit", "iso-8859-1", &b"na\xefve\n"[..], Ok("naïve\n")),
            ("8bit", "ISO-8859-1", b"\x80\n", Ok("\u{80}\n")),
            ("8bit", "Windows-1252", b"\x80 \x9f \xe9\n", Ok("€ Ÿ é\n")),
            ("8bit", "windows-1252", b"\x81\n", Ok("\u{81}\n")),
            (
                "quoted-printable",
                "\"iso-8859-1\"",
                b"=EF\xef=3D\n",
                Ok("ïï=\n"),
            ),
            ("base64", "latin1", b"bmHvdmU=\n", Ok("naïve")),
            ("quoted-printable", "iso-8859-1", b"=C3=A9\n", Ok("é\n")),
            ("8bit", "iso-8859-1", "é\n".as_bytes(), none),
            ("8bit", "utf-8", b"\xe9\n", none),
            ("7bit", "us-ascii", b"a\n", none),
            ("7bit", "iso-8859-15", b"a\n", none),
            ("7bit", "koi8-r", b"\xe9\n", Err("koi8-r")),
            ("7bit", "iso-2022-jp", b"\x1b$B\n", Err("iso-2022-jp")),
            ("7bit", "UTF-7", b"a\n", Err("UTF-7")),
        ] {
            let text = mail(transfer, charset, body);
            let want = match want {
                Ok(want) => (mail(transfer, charset, want.as_bytes()), vec![]),
                Err("") => (text.clone(), vec![]),
                Err(name) => (text.clone(), vec![Undecodable::Charset(name.into())]),
            };
            assert_eq!(read(&text), want, "{charset} {}", body.as_bstr());
        }
    }

    #[test]
    fn what_cannot_be_decoded_is_told() {
        for (transfer, body, want) in [
            (
                "x-uuencode",
                "a",
                Some(Undecodable::Transfer("x-uuencode".into())),
            ),
            ("x-uuencode", "", None),
            ("base64", "LWEK\n--\n", Some(Undecodable::Base64 { at: 5 })),
            ("base64", "LWEKL", Some(Undecodable::Base64 { at: 0 })),
            ("base64", "LW=K\n", Some(Undecodable::Base64 { at: 0 })),
        ] {
            let text = mail(transfer, "utf-8", body.as_bytes());
            let start = text.len() - body.len();
            let want = want.map(|trouble| match trouble {
                Undecodable::Base64 { at } => Undecodable::Base64 { at: start + at },
                other => other,
            });
            let want: Vec<_> = want.into_iter().collect();
            assert_eq!(read(&text), (text.clone(), want), "{body:?}");
        }
    }

    const QP: &str = "Content-Transfer-Encoding: quoted-printable\n";

    #[test]
    fn mails_are_found_where_they_are() {
        for (text, want) in [
            // No mails.
            (format!("{QP}\n=41\n"), None),
            (format!("Here you are:\nSubject: x\n{QP}\n=41\n"), None),
            (format!("Subject: x\n{QP}=41\n"), None),
            (format!("Subject: x\n{QP}no header\n\n=41\n"), None),
            (format!("  Subject: x\n{QP}\n=41\n"), None),
            (format!("Subject: x\n{QP}"), None),
            // Mails.
            (format!("\n\nSubject: x\n{QP}\n=41\n"), Some("A\n")),
            (
                format!("From 12ab Mon Sep\nSubject: x\n folded\n{QP}\n=41"),
                Some("A"),
            ),
            (
                format!("Subject: x\r\n{}\r\n=41", QP.replace('\n', "\r\n")),
                Some("A"),
            ),
            (
                format!("subject: x\n{}\n=41\n", QP.to_uppercase()),
                Some("A\n"),
            ),
            (
                format!("Here:\n\nFrom 12ab Mon Sep\nSubject: x\n{QP}\n=41\n"),
                Some("A\n"),
            ),
            (
                format!("```\nFrom 1 Mon\nSubject: x\n{QP}\n=41\n```\n=41\n"),
                Some("A\n```\n=41\n"),
            ),
            (
                format!("From 1 Mon\nSubject: x\n{QP}\n=41\n\nFrom 2 Mon\nA: x\nB: x\n\n=41\n"),
                Some("A\n\nFrom 2 Mon\nA: x\nB: x\n\n=41\n"),
            ),
            (
                format!("From 1 Mon\nA: x\nB: x\n\n=41\n\nFrom 2 Mon\nA: x\n{QP}\n=41\n"),
                Some("A\n"),
            ),
        ] {
            let got = read(text.as_bytes()).0;
            match want {
                None => assert_eq!(got, text.as_bytes(), "{text}"),
                Some(want) => assert!(got.ends_with(want.as_bytes()), "{text}\n{}", got.as_bstr()),
            }
        }
    }

    #[test]
    fn parts_are_decoded_by_their_headers() {
        let head = "Subject: x\nContent-Type: multipart/mixed; x=y; boundary=\"=b;1\"\n\n=41\n";
        for (parts, want) in [
            // As Python writes it.
            (
                "--=b;1\nContent-Type: text/x-patch; charset=\"utf-8\"\n\
                 Content-Transfer-Encoding: base64\n\nLWEKK2IK\n\n--=b;1--\n=41\n",
                "--=b;1\nContent-Type: text/x-patch; charset=\"utf-8\"\n\
                 Content-Transfer-Encoding: base64\n\n-a\n+b\n--=b;1--\n=41\n",
            ),
            (
                "--=b;1\nContent-Transfer-Encoding: quoted-printable\n\n=41\n--=b;1\n\n=41\n",
                "--=b;1\nContent-Transfer-Encoding: quoted-printable\n\nA\n--=b;1\n\n=41\n",
            ),
            (
                "--=b;1\nContent-Type: text/html\nContent-Transfer-Encoding: base64\n\nLWEK\n",
                "--=b;1\nContent-Type: text/html\nContent-Transfer-Encoding: base64\n\nLWEK\n",
            ),
            (
                "--=b;1\nContent-Type: image/png; name=a.patch\n\
                 Content-Transfer-Encoding: base64\n\nLWEK\n",
                "--=b;1\nContent-Type: image/png; name=a.patch\n\
                 Content-Transfer-Encoding: base64\n\nLWEK\n",
            ),
            (
                "--=b;1 \nContent-Type: application/octet-stream; name=\"1.PATCH\"\n\
                 Content-Transfer-Encoding: base64\n\nLWE=\n--=b;1--\n",
                "--=b;1 \nContent-Type: application/octet-stream; name=\"1.PATCH\"\n\
                 Content-Transfer-Encoding: base64\n\n-a\n--=b;1--\n",
            ),
            (
                "--=b;1\nContent-Type: application/octet-stream\n\
                 Content-Disposition: attachment;\n filename=a.diff\n\
                 Content-Transfer-Encoding: base64\n\nLWEK\n",
                "--=b;1\nContent-Type: application/octet-stream\n\
                 Content-Disposition: attachment;\n filename=a.diff\n\
                 Content-Transfer-Encoding: base64\n\n-a\n",
            ),
            (
                "--=b;1\nContent-Type: multipart/alternative; boundary=c\n\n--c\n\
                 Content-Transfer-Encoding: base64\n\nLWEK\n--c--\n--=b;1--\n",
                "--=b;1\nContent-Type: multipart/alternative; boundary=c\n\n--c\n\
                 Content-Transfer-Encoding: base64\n\n-a\n--c--\n--=b;1--\n",
            ),
        ] {
            let (text, want) = (format!("{head}{parts}"), format!("{head}{want}"));
            let (got, troubles) = read(text.as_bytes());
            assert_eq!(got.as_bstr(), want.as_bytes().as_bstr());
            assert_eq!(troubles, []);
        }
    }

    /// Writes `{…}` as a code.
    fn painted(text: &str) -> String {
        text.replace('{', "\x1b[").replace('}', "m")
    }

    #[test]
    fn colours_of_all_lines_come_off() {
        let head = "{1}diff --git a/f b/f{}\n{1}index 8..2 100644{}\n{1}--- a/f{}\n{1}+++ b/f{}\n";
        for (text, want) in [
            // git diff --color=always.
            (
                "{36}@@ -1,5 +1,7 @@{} fn x{}\n a{}\n{31}-b{}\n{32}+{}{32}B{}\n {}\n{32}+{}\n",
                "@@ -1,5 +1,7 @@ fn x\n a\n-b\n+B\n \n+\n",
            ),
            // Older git.
            (
                "{36}@@ -1,5 +1,7 @@{}\n a\n{31}-b{}\n\\ No newline at end of file\n",
                "@@ -1,5 +1,7 @@\n a\n-b\n\\ No newline at end of file\n",
            ),
            // Whitespace that git frowns upon, and CRLF.
            (
                "{36}@@ -1 +1 @@{}\n{32}+{}{32}x{}{41}  {}\n{32}+{}  {41}  {}\t{32}x{}\n\
                 {32}+{}{32}x{}{41}\r{}\n",
                "@@ -1 +1 @@\n+x  \n+    \tx\n+x\r\n",
            ),
            // git diff --ws-error-highlight=all.
            (
                "{36}@@ -1 +1 @@{}\n {}a{}\n {}  {41} {}\n {}{}\n{31}-{}{31}b{}\n",
                "@@ -1 +1 @@\n a\n    \n \n-b\n",
            ),
            // Pygments, for 16 and for 256 colours.
            (
                "{01}{35}@@ -1 +1 @@{39;49;00}{37}{39;49;00}\n{37} {39;49;00}a{37}{39;49;00}\n\
                 {91}-B{39;49;00}{37}{39;49;00}\n",
                "@@ -1 +1 @@\n a\n-B\n",
            ),
            (
                "{38;5;90;01}@@ -1 +1 @@{39;00}\n{38;5;250} {39}a\n{38;5;124}-B{39}\n",
                "@@ -1 +1 @@\n a\n-B\n",
            ),
            // Colours that last until the next line's; text that no diff is made of.
            (
                "{36}@@ -1 +1 @@\n{}{31}-a\n{}{32}+b\n{}```\n- prose\n",
                "@@ -1 +1 @@\n-a\n+b\n```\n- prose\n",
            ),
            (
                "{36}@@ -1 +1 @@{}\n{31}-a{}\n\n{33}commit 12ab{}\nAuthor: x\n\n    - why\n- why\n",
                "@@ -1 +1 @@\n-a\n\ncommit 12ab\nAuthor: x\n\n    - why\n- why\n",
            ),
            (
                "{36}@@ -1 +1 @@{}\n{31}-a{}\n-- \n2.47.3\n",
                "@@ -1 +1 @@\n-a\n-- \n2.47.3\n",
            ),
        ] {
            let text = painted(&format!("- prose\n{head}{text}"));
            let plain = head.replace("{1}", "").replace("{}", "");
            let want = format!("- prose\n{plain}{want}");
            let Coloured::Whole(edits) = colours(text.as_bytes()) else {
                panic!("{text:?}: {:?}", colours(text.as_bytes()));
            };
            assert_eq!(
                after(text.as_bytes(), &edits).as_bstr(),
                want.as_bytes().as_bstr()
            );
        }
    }

    #[test]
    fn colours_of_an_envelope_come_off() {
        let text = painted(
            "{1}*** Begin Patch{0}\n{1}*** Update File: a{0}\n{31}-a{0}\x1b[K\n{32}+b{0}\n\
             {1}*** End Patch{0}\n- done\n",
        );
        let Coloured::Whole(edits) = colours(text.as_bytes()) else {
            panic!("{:?}", colours(text.as_bytes()));
        };
        assert_eq!(
            after(text.as_bytes(), &edits).as_bstr(),
            "*** Begin Patch\n*** Update File: a\n-a\n+b\n*** End Patch\n- done\n"
        );
    }

    #[test]
    fn colours_of_some_lines_are_told() {
        // Where the `^` is; no `^`: these are no tool's colours.
        for text in [
            "no codes",
            "[31m",
            "@@ -1 +1 @@\n-a\n+{31}b{0}\n",
            "*** Begin Patch\n*** Add File: a\n+{31}a{0}\n*** End Patch\n",
            "{31}- prose{0}\n",
            "<<<<<<< SEARCH\n{31}-a{}\n=======\n",
            "@@ -1 +1 @@\n-a\n+\x1b[2J\n",
            // Only some lines.
            "^@@ -1 +1 @@\n{31}-a{}\n{32}+b{}\n",
            "{36}@@ -1 +1 @@{}\n{31}-a{}\n^+b\n",
            "{36}@@ -1 +1 @@{}\n^-a\n{32}+b{}\n",
            "{1}diff --git a/a b/a{}\n^--- a/a\n+++ b/a\n",
            "{1}--- a/a{}\n{1}+++ b/a{}\n^@@ -1 +1 @@\n{31}-a{}\n",
            "{1}*** Begin Patch{}\n{1}*** Add File: a{}\n{32}+a{}\n^*** End Patch\n",
            // Codes in the file.
            "{36}@@ -1 +1 @@{}\n{31}-^{31}red{0}{}\n",
            "{36}@@ -1 +1 @@{}\n{32}+{}{32}^{31}red{0}{}\n",
            "{36}@@ -1 +1 @@{}\n{32}+{}{32}red{0}^{}\n",
            "{36}@@ -1 +1 @@{}\n{32}+{}{32}a {}^{31}red{}\n",
            "{36}@@ -1 +1 @@{}\n ^{31}red{0}{}\n",
            "{36}@@ -1 +1 @@{}\n a^{}a{}\n",
            "{36}@@ -1 +1 @@{}\n ^{0}a{}\n",
            // Word diffs.
            "{36}@@ -1 +1 @@{}\n a ^{31}b{}{32}c{} d{}\n",
            "{36}@@ -1 +1 @@{}\n^{31}b{}{32}c{}\n",
            "{36}@@ -1 +1 @@{}\na{}\nb = ^{31}b{}{32}c{}\n",
            "{36}@@ -1 +1 @@{}\n  a{}\n^{32}  b{}\n",
        ] {
            let at = text.find('^').map(|at| painted(&text[..at]).len());
            let text = painted(&text.replace('^', ""));
            let want = at.map_or(Coloured::No, |at| Coloured::Partly { at });
            assert_eq!(colours(text.as_bytes()), want, "{text:?}");
        }
    }

    #[test]
    fn escapes_of_markers_are_recognised() {
        use Escaped::{Html, LineEnds, Markdown};
        for (line, want) in [
            ("&lt;&lt;&lt;&lt;&lt;&lt;&lt; SEARCH", Some(Html)),
            ("&lt;edit file=\"a\"&gt;", Some(Html)),
            ("  &lt;edit file=&quot;a&quot;&gt;\r\n", Some(Html)),
            ("&lt;opx&gt;", Some(Html)),
            ("&#60;opx&#62;", Some(Html)),
            ("<opx&gt;", Some(Html)),
            ("&lt;editor file=\"a\"&gt;", None),
            ("&lt;&lt;&lt; SEARCH", None),
            ("&lt;&lt;&lt;&lt;&lt;&lt;&lt; HEAD", None),
            (r"\*\*\* Begin Patch", Some(Markdown)),
            (r"\*** Begin Patch", Some(Markdown)),
            (r#"\<edit file="a">"#, Some(Markdown)),
            (r#"\<edit file="a"\>"#, Some(Markdown)),
            (r"\<opx>", Some(Markdown)),
            (r"\<<<<<<< SEARCH", Some(Markdown)),
            (r"\<\<\<\<\<\<\< SEARCH", Some(Markdown)),
            (r"\------- SEARCH", Some(Markdown)),
            (r"\*\* Begin Patch", None),
            (r"*** Begin Patch\n*** Update File: a\n", Some(LineEnds)),
            (r"*** Begin Patch\r\n*** Update File: a", Some(LineEnds)),
            (r"<<<<<<< SEARCH\na\n=======", Some(LineEnds)),
            (r#"<edit file="a">\n<find>"#, Some(LineEnds)),
            (r#"<edit file="src\new.rs">"#, None),
            (r"*** Begin Patch of \n", None),
            ("*** Begin Patch", None),
            ("<<<<<<< SEARCH", None),
            ("<opx>", None),
            ("a &lt;opx&gt;", None),
            ("", None),
        ] {
            assert_eq!(escaped_marker(line.as_bytes()), want, "{line}");
        }
    }

    /// Encodes as RFC 2045 says, with lines of this width.
    fn to_quoted_printable(text: &[u8], width: usize) -> String {
        let mut encoded = String::new();
        for line in text.lines_with_terminator() {
            let (body, end) = match line.strip_suffix(b"\n") {
                Some(body) => (body, "\n"),
                None => (line, ""),
            };
            let mut column = 0;
            for (i, &byte) in body.iter().enumerate() {
                let is_last = i + 1 == body.len();
                let word = match byte {
                    b' ' | b'\t' if !is_last => char::from(byte).to_string(),
                    b'!'..=b'<' | b'>'..=b'~' => char::from(byte).to_string(),
                    _ => format!("={byte:02X}"),
                };
                if column + word.len() > width {
                    encoded += "=\n";
                    column = 0;
                }
                column += word.len();
                encoded += &word;
            }
            encoded += end;
        }
        encoded
    }

    fn words() -> impl Strategy<Value = Vec<u8>> {
        let word = proptest::sample::select(vec![
            "From 1 Mon\n",
            "From: x\n",
            "Subject: y\n",
            "Content-Type: text/plain",
            "; charset=iso-8859-1",
            "; charset=koi8-r",
            "Content-Type: multipart/mixed; boundary=b\n",
            QP,
            "Content-Transfer-Encoding: base64\n",
            "\n",
            "\r\n",
            "\n\n",
            "--b",
            "--",
            "b",
            "=",
            "=41",
            "=\n",
            " ",
            "\t",
            "LWEK",
            "LW",
            "```\n",
            "é",
            "\x1b[",
            "\x1b[31m",
            "\x1b[m",
            "\x1b[K",
            "\x1b",
            "@@ -1 +1 @@",
            "-",
            "+",
            "*** Begin Patch",
            "*** End Patch",
            "diff --git a/a b/a",
            "--- a",
            "\\",
            "&lt;",
            "<",
            "<edit",
            "SEARCH",
            " SEARCH",
            ">",
            "\\n",
            "[-",
            "-]",
            "{+",
            "+}",
            "\"",
            ";",
            "boundary=",
            "\0",
        ]);
        let bytes = proptest::collection::vec(any::<u8>(), 0..3);
        let word = prop_oneof![9 => word.prop_map(|word| word.as_bytes().to_vec()), 1 => bytes];
        proptest::collection::vec(word, 0..60).prop_map(|words| words.concat())
    }

    proptest! {
        #[test]
        fn quoted_printable_comes_back(text in words(), width in 3_usize..80) {
            let encoded = to_quoted_printable(&text, width);
            let body = encoded.as_bytes();
            prop_assert_eq!(after(body, &quoted_printable(body, 0..body.len())), text);
        }

        #[test]
        fn base64_comes_back(text in words(), width in 1_usize..80) {
            let encoded = BASE64.encode(&text);
            let rows: Vec<_> = encoded.as_bytes().chunks(width).collect();
            let body = rows.join(&b"\n"[..]);
            let edits = base64(&body, 0..body.len()).unwrap();
            prop_assert_eq!(after(&body, &edits), text);
        }

        #[test]
        fn any_bytes_are_read(text in words(), headed in any::<bool>()) {
            let text = if headed { [b"A: b\nB: c\n", &text[..]].concat() } else { text };
            read(&text);
            if let Coloured::Whole(edits) = colours(&text) {
                after(&text, &edits);
            }
            for line in text.lines() {
                escaped_marker(line);
            }
        }
    }
}
