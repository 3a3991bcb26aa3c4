//! The header of a hunk: where it is and how many lines it has, if it says so.

use bstr::ByteSlice as _;

use super::error::Error;
use super::rows::Rows;
use crate::patch::Position;
use crate::text::{Ending, Located, Row, Text, digits};

/// Returns whether a line is a hunk's header.
pub(crate) fn is_header(text: &[u8]) -> bool {
    numbers(text).is_some()
}

/// Reads `@@ -1,7 +1,8 @@ heading`.
pub(super) fn numbers(text: &[u8]) -> Option<Position> {
    let rest = text.strip_prefix(b"@@ -")?;
    let (old_start, old_lines, rest) = range(rest)?;
    let (new_start, new_lines, rest) = range(rest.strip_prefix(b" +")?)?;
    let rest = rest.strip_prefix(b" @@")?;
    let heading = rest.strip_prefix(b" ").unwrap_or(rest).to_vec();
    Some(Position {
        old_start,
        old_lines,
        new_start,
        new_lines,
        heading,
    })
}

fn range(text: &[u8]) -> Option<(u32, u32, &[u8])> {
    let (start, rest) = number(text)?;
    match rest.strip_prefix(b",") {
        Some(rest) => number(rest).map(|(lines, rest)| (start, lines, rest)),
        None => Some((start, 1, rest)),
    }
}

/// Reads a number; a number that is too large for any file becomes the largest.
fn number(text: &[u8]) -> Option<(u32, &[u8])> {
    let len = digits(text);
    let digits = text[..len].to_str().ok().filter(|_| len > 0)?;
    Some((digits.parse().unwrap_or(u32::MAX), &text[len..]))
}

/// What a hunk's header says.
pub(super) struct HunkHeader<'a> {
    pub(super) row: Row<'a>,
    /// Where the hunk is, unless only its lines say so.
    pub(super) position: Option<Position>,
    /// How many old and new lines it has, if that is said and counts.
    pub(super) claimed: Option<[u32; 2]>,
    /// Whether it has no numbers, and the line that it names in their place.
    pub(super) is_bare: bool,
    pub(super) locator: Option<Text<'a>>,
    /// Whether its number is beyond the lines of any file.
    pub(super) is_beyond: bool,
}

impl<'a> HunkHeader<'a> {
    /// Returns whether it claims that there was nothing before: `@@ -0,0`.
    pub(super) fn is_of_nothing(&self) -> bool {
        let old = self.position.as_ref();
        old.is_some_and(|old| old.old_start == 0 && old.old_lines == 0)
    }

    pub(super) fn read(rows: &Rows<'a, '_>, at: usize) -> Result<Self, Located<Error>> {
        let Some(row) = rows.get(at) else {
            return Err(Located::new(None, Error::NoNumbers));
        };
        let error = |error| Err(Located::new(row.span, error));
        if row.text.starts_with(b"@@@") {
            return error(Error::Combined);
        }
        let header = Self {
            row,
            position: None,
            claimed: None,
            is_bare: false,
            locator: None,
            is_beyond: false,
        };
        if let Some(position) = numbers(row.text) {
            let claimed = [position.old_lines, position.new_lines];
            let is_beyond = position.old_start == u32::MAX;
            return Ok(Self {
                position: Some(position).filter(|_| !is_beyond),
                claimed: Some(claimed).filter(|_| !rows.options.recount),
                is_beyond,
                ..header
            });
        }
        let is_cut = row.ending == Ending::None
            && b"@@ -".starts_with(row.text.get(..4).unwrap_or(row.text));
        if is_cut && rows.get(at + 1).is_none() {
            return error(Error::CutHeader);
        }
        match locator(row) {
            Some(locator) => Ok(Self {
                locator,
                is_bare: true,
                ..header
            }),
            None => error(Error::Numbers),
        }
    }
}

/// Reads a header without numbers: `@@`, `@@ ... @@`, `@@ class K:`, and of that the line that it
/// names, if it names one; `None` where there may have been numbers.
fn locator(row: Row<'_>) -> Option<Option<Text<'_>>> {
    let rest = match &row.text[2..] {
        [] => b"",
        rest => rest.strip_prefix(b" ")?,
    };
    let start = row.text.len() - rest.len();
    let named = match rest.find("@@") {
        Some(at) => {
            let behind = at + 2 + usize::from(rest[at + 2..].starts_with(b" "));
            let (filler, named) = (&rest[..at], &rest[behind..]);
            let is_filler = filler.starts_with(b"-") || is_placeholder(filler);
            if named.trim_ascii().is_empty() && !is_filler {
                0..filler.trim_ascii_end().len()
            } else {
                behind..rest.len()
            }
        }
        None if rest.starts_with(b"-") => return None,
        None if is_placeholder(rest) => 0..0,
        None => 0..rest.len(),
    };
    let is_blank = rest[named.clone()].trim_ascii().is_empty();
    Some((!is_blank).then(|| row.part(start + named.start..start + named.end)))
}

/// Returns whether a text is only dots, which stand for numbers.
fn is_placeholder(text: &[u8]) -> bool {
    let text = text.to_str_lossy();
    text.chars()
        .all(|c| matches!(c, '.' | '\u{2026}' | ' ' | '\t'))
}
