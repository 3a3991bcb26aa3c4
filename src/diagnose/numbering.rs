//! Line numbers that were shown beside a file's text and that a patch has copied.

use std::ops::Range;

use bstr::ByteSlice as _;

use crate::search::looks;

/// Returns the line number, and the mark behind it, that a patch's line has before what is the file's line otherwise.
pub(super) fn line_number<'l>(patch: &'l [u8], file: &[u8]) -> Option<&'l [u8]> {
    let same = |patch: &[u8]| patch.trim_ascii() == file.trim_ascii();
    // What was before the number may be a sign of the patch.
    let sign = |text: &[u8]| text.trim_ascii_start().strip_prefix(b"-").is_some_and(same);
    let digits = patch.trim_ascii_start();
    let number = digits.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let marks = [&b":"[..], b" |", b"|", "→".as_bytes(), b"\t", b".", b"-", b" "];
    let fits = |mark: &&[u8]| digits[number..].strip_prefix(*mark).is_some_and(|text| same(text) || sign(text));
    let mark = marks.into_iter().filter(|_| number > 0).find(fits)?;
    Some(digits[..number + mark.len()].trim_ascii())
}

/// Returns the part of a file's line that a text seems to mean: from where the text's beginning is to where its end is.
pub(super) fn part_of(patch: &[u8], file: &[u8]) -> Option<Range<usize>> {
    const SEED: std::ops::RangeInclusive<usize> = 4..=64;
    let indent = patch.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    let text = &patch[indent..];
    let lengths = || SEED.rev().filter(|&length| length <= text.len());
    let head = lengths().find_map(|length| Some((memchr::memmem::find(file, &text[..length])?, length)));
    let from = head.map_or(0, |(at, length)| at + length);
    let tail = lengths().find_map(|length| {
        let at = memchr::memmem::find(&file[from..], &text[text.len() - length..])?;
        Some(from + at + length)
    });
    let range = match (head, tail) {
        (Some((start, _)), Some(end)) => start..end,
        (Some((start, _)), None) => {
            let rest = &file[start..];
            start..start + rest.char_indices().take_while(as_wide(text, rest)).last().map_or(0, |(_, end, _)| end)
        }
        (None, Some(end)) => {
            let rest = &file[..end];
            rest.char_indices().rev().take_while(as_wide(text, rest)).last().map_or(end, |(start, ..)| start)..end
        }
        (None, None) => return None,
    };
    // Spaces at the ends of the line are part of it: they may be all that differs.
    let is_space = |part: &[u8]| part.trim_ascii().is_empty();
    let start = if indent > 0 && is_space(&file[..range.start]) { 0 } else { range.start };
    let end = if is_space(&file[range.end..]) { file.len() } else { range.end };
    Some(start..end)
}

/// Returns what takes characters of a file's line, one after the other, until they look as long as a text.
fn as_wide(text: &[u8], file: &[u8]) -> impl FnMut(&(usize, usize, char)) -> bool {
    let width = |text: &[u8]| looks(text).chars().count();
    let mut left = Some(width(text));
    move |&(start, end, _)| {
        left = left.and_then(|left| left.checked_sub(width(&file[start..end])));
        left.is_some()
    }
}
