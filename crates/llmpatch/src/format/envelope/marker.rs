//! Marker lines: which line of an envelope is which, what a line that is nearly one was meant to
//! be, and what models write where a line of a section should be.

use crate::text::{digits, trim, trim_end, trim_start};
use std::ops::Range;

use bstr::ByteSlice as _;

use crate::format::fence::Fence;
use crate::format::has_line_number;

/// What a file header asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verb {
    /// `*** Add File:`
    Add,
    /// `*** Delete File:`
    Delete,
    /// `*** Update File:`
    Update,
}

impl Verb {
    /// Returns the prefix that all lines of a new or a deleted file have.
    pub(crate) fn sign(self) -> &'static str {
        match self {
            Verb::Add => "+",
            Verb::Update => " ",
            Verb::Delete => "-",
        }
    }
}

/// A line that starts with `*** `. Paths are ranges of the line, without the whitespace around
/// them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Marker {
    /// `*** Begin Patch`
    Begin,
    /// `*** End Patch`
    End,
    /// `*** End Patch` with something else on the line, from this offset.
    EndWithTail(usize),
    /// `*** End of File`
    EndOfFile,
    /// `*** Add File: path` and its like.
    Header(Verb, Range<usize>),
    /// `*** Move to: path`
    MoveTo(Range<usize>),
    /// Anything else.
    Unknown,
}

/// A marker and whether a needless ` ***` is behind it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MarkerLine {
    pub(crate) marker: Marker,
    /// Whether ` ***` follows.
    pub(crate) decorated: bool,
}

/// Reads a line as a marker; `None` if it is none. The line begins at the column where markers are.
pub(crate) fn read(line: &[u8]) -> Option<MarkerLine> {
    const LEAD: usize = b"*** ".len();
    if !line.starts_with(b"*** ") {
        return None;
    }
    let whole = trim_end(line);
    let body = whole.strip_suffix(b" ***").map_or(whole, trim_end);
    let decorated = body.len() != whole.len();
    let rest = body.get(LEAD..)?;
    let header = HEADERS
        .iter()
        .find_map(|(name, verb)| Some((rest.strip_prefix(*name)?, verb)));
    let marker = match (rest, header) {
        (b"Begin Patch", _) => Marker::Begin,
        (b"End Patch", _) => Marker::End,
        (b"End of File", _) => Marker::EndOfFile,
        (_, Some((path, verb))) => {
            let path = body.len() - trim_start(path).len()..body.len();
            match verb {
                Some(verb) => Marker::Header(*verb, path),
                None => Marker::MoveTo(path),
            }
        }
        _ if rest.starts_with(b"End Patch") => Marker::EndWithTail(LEAD + b"End Patch".len()),
        _ => Marker::Unknown,
    };
    Some(MarkerLine { marker, decorated })
}

/// The markers that name a path; `*** Move to:` has no verb of its own.
const HEADERS: [(&[u8], Option<Verb>); 4] = [
    (b"Add File:", Some(Verb::Add)),
    (b"Delete File:", Some(Verb::Delete)),
    (b"Update File:", Some(Verb::Update)),
    (b"Move to:", None),
];

/// Returns the marker that begins or ends an envelope, as it ought to be written, if a line is one.
pub(crate) fn boundary(line: &[u8]) -> Option<&'static str> {
    match read(line)?.marker {
        Marker::Begin => Some("*** Begin Patch"),
        Marker::End => Some("*** End Patch"),
        _ => None,
    }
}

/// What was meant by a line that is nearly a marker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meant {
    /// `*** Begin Patch`
    Begin,
    /// `*** End Patch`
    End,
    /// `*** End of File`
    EndOfFile,
    /// A file header.
    Header(Verb),
    /// All of a file in place of what it holds.
    Replace,
    /// Another name for a file.
    Rename,
}

/// Returns what a line in other words, other case or other decoration means as a marker, if
/// anything.
pub(crate) fn meant(line: &[u8]) -> Option<Meant> {
    let head = &line[..line.len().min(60)];
    let head = head.split(|&byte| byte == b':').next().unwrap_or(head);
    let head = head.trim_start_with(|c| u8::try_from(c).is_ok_and(decoration));
    let head = head.trim_end_with(|c| u8::try_from(c).is_ok_and(decoration));
    let words: Vec<_> = head
        .to_str()
        .ok()?
        .split_ascii_whitespace()
        .map(str::to_ascii_lowercase)
        .collect();
    let words: Vec<_> = words.iter().map(String::as_str).collect();
    let words = match words[..] {
        // The path is behind it, and no colon between.
        [_, "file" | "to", _, ..] if line.starts_with(b"*** ") && !line.contains(&b':') => {
            &words[..2]
        }
        _ => &words[..],
    };
    Some(match *words {
        ["begin", "patch"] => Meant::Begin,
        ["end", "patch"] | ["end", "of", "patch"] => Meant::End,
        ["end", "of", "file"] | ["end", "file"] | ["eof"] => Meant::EndOfFile,
        ["add" | "create" | "new", "file"] | ["add" | "create"] => Meant::Header(Verb::Add),
        ["delete" | "remove", "file"] | ["delete" | "remove"] => Meant::Header(Verb::Delete),
        ["update" | "modify" | "edit" | "change" | "patch", "file"]
        | ["update" | "modify" | "file"] => Meant::Header(Verb::Update),
        ["replace" | "overwrite" | "rewrite", "file"] => Meant::Replace,
        ["rename" | "move", "file"] | ["rename" | "move"] | ["move" | "rename", "to"] => {
            Meant::Rename
        }
        ["move" | "rename", "file", "to"] => Meant::Rename,
        _ => return None,
    })
}

fn decoration(byte: u8) -> bool {
    matches!(
        byte,
        b'*' | b'#' | b'_' | b'`' | b' ' | b'\t' | b'\r' | b'\'' | b'"'
    )
}

/// What a line that can't be read looks like: the habits of models, each with its own remedy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Habit {
    /// A Markdown fence.
    Fence,
    /// A marker that is indented, or written in another way.
    Marker(Meant),
    /// `@@` where there are no chunks.
    Locator,
    /// `\ No newline at end of file` where it makes no sense.
    NoNewline,
    /// A context or removed line in a new file; a context or added line in a delete body.
    OtherSign,
    /// `-- ` of a language whose comments begin so.
    Comment,
    /// A list bullet.
    Bullet,
    /// A line number before the prefix, as in a listing.
    Numbered,
    /// The markers of a merge conflict or a search-and-replace block.
    Conflict,
    /// A tab where the prefix should be.
    Tab,
    /// A character that only looks like a prefix: a no-break space, a typographic minus or dash, a
    /// wide plus.
    LookAlike,
    /// Lines after `*** End of File` without an `@@` before them.
    AfterEndOfFile,
    /// A line without a prefix.
    Plain,
}

impl Habit {
    /// Returns what a line that can't be in a section looks like. `next` is the line after it.
    pub(super) fn of(text: &[u8], next: Option<&[u8]>, verb: Verb) -> Self {
        let trimmed = trim(text);
        let starts_with = |start: &str| trimmed.starts_with(start.as_bytes());
        let number = digits(trimmed);
        if Fence::begins(text) {
            Habit::Fence
        } else if let (true, Some(meant)) = (starts_with("*"), meant(text)) {
            Habit::Marker(meant)
        } else if text.starts_with(b"@@") {
            Habit::Locator
        } else if text.starts_with(br"\ No newline") {
            Habit::NoNewline
        } else if verb == Verb::Add && text.starts_with(b"-- ") {
            Habit::Comment
        } else if matches!(text.first(), Some(b' ' | b'-' | b'+')) {
            Habit::OtherSign
        } else if text.starts_with(b"\t") {
            Habit::Tab
        } else if text
            .chars()
            .next()
            .is_some_and(|first| LOOK_ALIKES.contains(&first))
        {
            Habit::LookAlike
        } else if starts_with("<<<<<<<") || starts_with(">>>>>>>") || trimmed == b"=======" {
            Habit::Conflict
        } else if has_line_number(text, next) {
            Habit::Numbered
        } else if starts_with("* ")
            || starts_with("• ")
            || (number > 0 && trimmed[number..].starts_with(b". "))
        {
            Habit::Bullet
        } else {
            Habit::Plain
        }
    }
}

/// No-break and other odd spaces, hyphens, dashes and the minus sign, wide signs.
const LOOK_ALIKES: &[char] = &[
    '\u{a0}', '\u{2002}', '\u{2003}', '\u{2007}', '\u{2009}', '\u{202f}', '\u{3000}', '\u{2010}',
    '\u{2011}', '\u{2012}', '\u{2013}', '\u{2014}', '\u{2212}', '\u{ff0d}', '\u{ff0b}',
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trailing_blanks_and_stars_are_tolerated() {
        for (line, want) in [
            ("*** Begin Patch", Some((Marker::Begin, false))),
            ("*** End Patch \t\r", Some((Marker::End, false))),
            ("*** End Patch *** ", Some((Marker::End, true))),
            ("*** End of File", Some((Marker::EndOfFile, false))),
            (
                "*** Add File:  a b ",
                Some((Marker::Header(Verb::Add, 15..18), false)),
            ),
            (
                "*** Update File: x ***",
                Some((Marker::Header(Verb::Update, 17..18), true)),
            ),
            (
                "*** Delete File:",
                Some((Marker::Header(Verb::Delete, 16..16), false)),
            ),
            (
                "*** Move to: \u{2003}",
                Some((Marker::MoveTo(13..16), false)),
            ),
            ("*** End Patch```", Some((Marker::EndWithTail(13), false))),
            ("*** End patch", Some((Marker::Unknown, false))),
            ("*** Rename File: x", Some((Marker::Unknown, false))),
            (" *** End Patch", None),
            ("***End Patch", None),
            ("***", None),
            ("*** ***", None),
        ] {
            assert_eq!(
                read(line.as_bytes()).map(|marked| (marked.marker, marked.decorated)),
                want,
                "{line:?}"
            );
        }
    }

    #[test]
    fn what_models_write_instead_is_recognised() {
        for (line, want) in [
            ("***End Patch", Some(Meant::End)),
            ("**Begin Patch**", Some(Meant::Begin)),
            ("*** begin  patch", Some(Meant::Begin)),
            ("*** Rename File: a -> b", Some(Meant::Rename)),
            ("*** Create File: a", Some(Meant::Header(Verb::Add))),
            ("*** update file: a", Some(Meant::Header(Verb::Update))),
            ("*** End of Patch", Some(Meant::End)),
            ("*** Delete File a b.txt", Some(Meant::Header(Verb::Delete))),
            ("*** Move to b.txt", Some(Meant::Rename)),
            ("* Update file handling", None),
            ("*** EOF", Some(Meant::EndOfFile)),
            ("*** Note: read this", None),
            ("", None),
        ] {
            assert_eq!(meant(line.as_bytes()), want, "{line:?}");
        }
    }
}
