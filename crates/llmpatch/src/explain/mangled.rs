//! Lines that were changed on their way to the patch: escapes, entities, line numbers, encodings.

use bstr::ByteSlice as _;

use super::difference::{Advice, DifferenceFound};
use crate::text::{self, ENTITIES, Shown, number_mark};

/// What to do about a line with characters beyond ASCII of a file that isn't UTF-8.
pub(super) const UNSHOWABLE: &str = "a patch in UTF-8 can't show this line as it is: leave it out of the patch, or convert the file first";

/// Returns what became of a text on its way through formats that it wasn't meant for.
pub(super) fn mangled(patch: &[u8], file: &[u8]) -> Option<DifferenceFound> {
    const ESCAPES: &[(&str, &str)] = &[
        ("\\\"", "\""),
        ("\\'", "'"),
        ("\\t", "\t"),
        ("\\/", "/"),
        ("\\\\", "\\"),
    ];
    const NUMBERS: &str =
        "leave the line numbers out of the patch: they were only shown beside the file's text";
    const PLAINLY: &str =
        "give the text itself, not a JSON string: no backslash before quotes, and real line ends";
    const ENTITY: &str = "give the text itself: nothing in a patch is ever decoded, so write `<`, `>` and `&` plainly";
    if let Some(number) = line_number(patch, file) {
        let number = Shown(number);
        let note = format!("the patch's line begins with a line number, `{number}`");
        let found = DifferenceFound::new(note, Advice::Habit(NUMBERS));
        return Some(found.label("a line number, which isn't in the file"));
    }
    if let Some(at) = patch.find("\\n")
        && patch.len() > 4
        && patch[..at].trim_ascii() == file.trim_ascii()
    {
        let note = "the patch has `\\n` as two characters, a backslash and an n, where the file's \
             line ends";
        return Some(DifferenceFound::new(note.into(), Advice::Habit(PLAINLY)));
    }
    if let Some((escape, _)) = decoded(patch, file, ESCAPES) {
        let note =
            format!("the patch's line is escaped as in JSON: it has `{escape}`, the file hasn't");
        return Some(DifferenceFound::new(note, Advice::Habit(PLAINLY)));
    }
    let (entity, meant) = decoded(patch, file, &ENTITIES)?;
    let note = format!("the patch has the entity `{entity}` where the file has `{meant}`");
    Some(DifferenceFound::new(note, Advice::Habit(ENTITY)))
}

/// Returns the first character that is a byte in the file, where the file's line would be the patch's if it
/// were UTF-8.
pub(super) fn encoded(patch: &[u8], file: &[u8]) -> Option<DifferenceFound> {
    let first = *file
        .iter()
        .find(|&&byte| byte >= 0xa0)
        .filter(|_| file.to_str().is_err())?;
    let decoded: String = file.iter().map(|&byte| char::from(byte)).collect();
    (decoded.trim().as_bytes() == patch.trim_ascii()).then(|| {
        let character = char::from(first);
        let note = format!(
            "the file has `{character}` as the single byte \\{first:03o}, as Latin-1 has it"
        );
        DifferenceFound::new(note, Advice::Habit(UNSHOWABLE))
    })
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
