//! What a line of a block, or one outside of all, may be beside text.

use crate::text::{trim, trim_start};

/// Which signs the markers of a block are made of. Each family ends with its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// `<<<<<<< SEARCH` … `>>>>>>> REPLACE`
    Angles,
    /// `------- SEARCH` … `+++++++ REPLACE`
    Dashes,
}

impl Family {
    /// Returns the marker at which a block ends.
    pub fn end(self) -> &'static str {
        match self {
            Family::Angles => ">>>>>>> REPLACE",
            Family::Dashes => "+++++++ REPLACE",
        }
    }
}

/// A line that isn't text, if it is where that counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Marker {
    /// The first line of a block, and how many signs it has.
    Open(Family, usize),
    /// What is between old and new lines, and how many signs it has.
    Divider(usize),
    /// The last line of a block, and how many bytes it has before tags that are glued to it.
    End(Family, usize),
    /// The first line of a conflict as git writes it.
    ConflictStart,
    /// The last line of a conflict.
    ConflictEnd,
    /// `:start_line:` or `:end_line:`
    Number,
    /// Seven dashes, which may be between a number and the old lines.
    Rule,
}

/// How many signs a marker of git's has, and one of a block most often.
pub(crate) const SEVEN: usize = 7;
const MARKS: std::ops::RangeInclusive<usize> = 5..=9;
const OPENING: &[&[u8]] = &[b"<diff>", b"<content>", b"<![CDATA["];
const CLOSING: &[&[u8]] = &[b"]]>", b"</content>", b"</diff>"];

impl Marker {
    /// Reads a line.
    pub(crate) fn read(line: &[u8]) -> Option<Self> {
        let &sign @ (b'<' | b'>' | b'-' | b'+' | b'=' | b':') = line.first()? else {
            return None;
        };
        let count = line.iter().take_while(|&&byte| byte == sign).count();
        let rest = &line[count..];
        let text = trim(rest);
        let is_mark = MARKS.contains(&count);
        match sign {
            b'=' => (is_mark && text.is_empty()).then_some(Marker::Divider(count)),
            b':' => [&b":start_line:"[..], b":end_line:"]
                .iter()
                .any(|name| line.starts_with(name))
                .then_some(Marker::Number),
            b'<' | b'-' => {
                let family = if sign == b'<' {
                    Family::Angles
                } else {
                    Family::Dashes
                };
                let rest = rest
                    .strip_prefix(b" SEARCH")
                    .map(|rest| rest.strip_prefix(b">").unwrap_or(rest));
                match rest {
                    Some(rest) if is_mark && trim(rest).is_empty() => {
                        Some(Marker::Open(family, count))
                    }
                    _ if count != SEVEN => None,
                    _ if sign == b'<' => is_label(&line[count..]).then_some(Marker::ConflictStart),
                    _ => text.is_empty().then_some(Marker::Rule),
                }
            }
            _ => {
                let family = if sign == b'>' {
                    Family::Angles
                } else {
                    Family::Dashes
                };
                match rest.strip_prefix(b" REPLACE") {
                    Some(rest) if is_mark && trim(without(rest, CLOSING)).is_empty() => {
                        Some(Marker::End(family, line.len() - rest.len()))
                    }
                    _ => (sign == b'>' && count == SEVEN && is_label(rest))
                        .then_some(Marker::ConflictEnd),
                }
            }
        }
    }
}

/// Returns whether what is behind seven signs is as git writes it: nothing, or a name behind a
/// space.
fn is_label(rest: &[u8]) -> bool {
    rest.is_empty() || rest.starts_with(b" ")
}

/// Leaves out whitespace and tags that a line begins with.
fn without<'l>(line: &'l [u8], tags: &[&[u8]]) -> &'l [u8] {
    let mut rest = trim_start(line);
    while let Some(behind) = tags.iter().find_map(|tag| rest.strip_prefix(*tag)) {
        rest = trim_start(behind);
    }
    rest
}

/// Returns the line without the backslash that says that it is text, if all that it has before a
/// marker is backslashes.
pub(crate) fn unescaped(line: &[u8]) -> Option<&[u8]> {
    let count = line.iter().take_while(|&&byte| byte == b'\\').count();
    (count > 0 && Marker::read(&line[count..]).is_some()).then(|| &line[1..])
}

/// Returns the offset in a line at which a block begins: behind whitespace, and behind tags that
/// are glued to its marker.
pub(crate) fn opener(line: &[u8]) -> Option<usize> {
    let marker = without(line, OPENING);
    matches!(Marker::read(marker), Some(Marker::Open(..))).then(|| line.len() - marker.len())
}

/// Returns whether a line is nearly the first of a block: with too few or too many signs, in lower
/// case, with text behind it.
pub(crate) fn is_nearly_opener(line: &[u8]) -> bool {
    // Rules of three dashes, and dashes before a word in small letters, are common; a word that is
    // alone behind as many dashes as a marker has isn't.
    nearly(line, b"<-", b"SEARCH").is_some_and(|near| match (near.sign, near.is_alone) {
        _ if near.count < 3 => false,
        (b'-', true) => near.is_upper || MARKS.contains(&near.count),
        (b'-', false) => near.is_upper && near.count >= SEVEN,
        (_, is_alone) => near.is_upper || is_alone,
    })
}

/// Returns whether a line of a block without an end is nearly its last.
pub(crate) fn is_nearly_end(line: &[u8]) -> bool {
    // One or two `>` begin a quotation elsewhere.
    nearly(line, b">+", b"REPLACE")
        .is_some_and(|near| near.count >= 3 || near.sign == b'>' && near.is_alone && near.is_upper)
}

/// Returns whether a line of a block without a divider is nearly one.
pub(crate) fn is_nearly_divider(line: &[u8]) -> bool {
    let text = trim(line);
    text.len() >= 3 && text.iter().all(|&byte| byte == b'=') && Marker::read(line).is_none()
}

/// A line that is nearly a marker.
struct Near {
    sign: u8,
    count: usize,
    is_upper: bool,
    /// Whether nothing is behind its word.
    is_alone: bool,
}

/// Reads signs and a word behind them, as loosely as may be meant.
fn nearly(line: &[u8], signs: &[u8], word: &[u8]) -> Option<Near> {
    let text = trim(line);
    let sign = *text.first().filter(|sign| signs.contains(sign))?;
    let count = text.iter().take_while(|&&byte| byte == sign).count();
    let rest = trim_start(&text[count..]);
    let name = rest
        .get(..word.len())
        .filter(|name| name.eq_ignore_ascii_case(word))?;
    let behind = &rest[word.len()..];
    let behind = behind
        .strip_prefix(b">")
        .or(behind.strip_prefix(b"<"))
        .unwrap_or(behind);
    let near = Near {
        sign,
        count,
        is_upper: name == word,
        is_alone: behind.is_empty(),
    };
    // A fence may close on the marker's line.
    (near.is_alone || behind.starts_with(b" ") || behind.starts_with(b"`")).then_some(near)
}

/// Returns whether a line is the beginning of a block's first line, cut off.
pub(crate) fn is_cut(line: &[u8]) -> bool {
    let Some(&sign @ (b'<' | b'-')) = line.first() else {
        return false;
    };
    let count = line.iter().take_while(|&&byte| byte == sign).count();
    let rest = &line[count..];
    let word = b" SEARCH";
    let least = if sign == b'<' { 0 } else { b" S".len() };
    MARKS.contains(&count) && (least..word.len()).contains(&rest.len()) && word.starts_with(rest)
}
