//! Lines that were changed on their way to the patch: escapes, entities, line numbers, encodings.

use bstr::ByteSlice as _;

use super::difference::How;
use crate::text::{self, ENTITIES, number_mark};

/// Returns what became of a text on its way through formats that it wasn't meant for.
pub(super) fn mangled(patch: &[u8], file: &[u8]) -> Option<How> {
    const ESCAPES: &[(&str, &str)] = &[
        ("\\\"", "\""),
        ("\\'", "'"),
        ("\\t", "\t"),
        ("\\/", "/"),
        ("\\\\", "\\"),
    ];
    if let Some(number) = line_number(patch, file) {
        return Some(How::Numbered(number.into()));
    }
    if let Some(at) = patch.find("\\n")
        && patch.len() > 4
        && patch[..at].trim_ascii() == file.trim_ascii()
    {
        return Some(How::EscapedNewline);
    }
    let escape = decoded(patch, file, ESCAPES).map(|(escape, _)| How::Escaped(escape));
    escape.or_else(|| {
        decoded(patch, file, &ENTITIES).map(|(entity, meant)| How::Entity(entity, meant))
    })
}

/// Returns the first character that is a byte in the file, where the file's line would be the patch's if it
/// were UTF-8.
pub(super) fn encoded(patch: &[u8], file: &[u8]) -> Option<How> {
    let first = *file
        .iter()
        .find(|&&byte| byte >= 0xa0)
        .filter(|_| file.to_str().is_err())?;
    let decoded: String = file.iter().map(|&byte| char::from(byte)).collect();
    (decoded.trim().as_bytes() == patch.trim_ascii())
        .then_some(How::Encoding(first.into(), first.into()))
}

/// Returns the first code in a patch's line that is the file's once codes are replaced by what they
/// mean.
fn decoded(
    patch: &[u8],
    file: &[u8],
    codes: &[(&'static str, &'static str)],
) -> Option<(&'static str, &'static str)> {
    let mut plain = patch.to_vec();
    let mut first = None;
    for (code, meant) in codes.iter().filter(|(code, _)| patch.contains_str(code)) {
        plain = plain.replace(code, meant);
        first.get_or_insert((*code, *meant));
        if plain.trim_ascii() == file.trim_ascii() {
            return first;
        }
    }
    None
}

/// Returns the line number, and the mark behind it, that a patch's line has before what is the
/// file's line otherwise.
fn line_number<'l>(patch: &'l [u8], file: &[u8]) -> Option<&'l [u8]> {
    let same = |patch: &[u8]| patch.trim_ascii() == file.trim_ascii();
    // What was before the number may be a sign of the patch.
    let sign = |text: &[u8]| text.trim_ascii_start().strip_prefix(b"-").is_some_and(same);
    let numbered = patch.trim_ascii_start();
    let (_, rest) = text::line_number(numbered)?;
    // Behind these, a number is a line number only since the file's line follows.
    let plain = [&b"."[..], b"-", b" "].into_iter();
    let plain = plain.filter_map(|mark| Some((mark, rest.strip_prefix(mark)?)));
    let mut marks = number_mark(rest).into_iter().chain(plain);
    let (_, text) = marks.find(|(_, text)| same(text) || sign(text))?;
    Some(numbered[..numbered.len() - text.len()].trim_ascii())
}
