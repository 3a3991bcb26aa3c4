//! What models write where a line of an envelope should be.

use bstr::ByteSlice as _;

use super::marker::{self, Meant, Verb};
use super::parse::is_fence;
use crate::format::has_line_number;

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
    /// A character that only looks like a prefix: a no-break space, a typographic minus or dash, a wide plus.
    LookAlike,
    /// Lines after `*** End of File` without an `@@` before them.
    AfterEndOfFile,
    /// A line without a prefix.
    Plain,
}

impl Habit {
    /// Says what a line that can't be in a section looks like. `next` is the one after it.
    pub(super) fn of(text: &[u8], next: Option<&[u8]>, verb: Verb) -> Self {
        let trimmed = marker::trim(text);
        let starts_with = |start: &str| trimmed.starts_with(start.as_bytes());
        let number = trimmed.iter().take_while(|byte| byte.is_ascii_digit()).count();
        if is_fence(text) {
            Habit::Fence
        } else if let (true, Some(meant)) = (starts_with("*"), marker::meant(text)) {
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
        } else if text.chars().next().is_some_and(|first| LOOK_ALIKES.contains(&first)) {
            Habit::LookAlike
        } else if starts_with("<<<<<<<") || starts_with(">>>>>>>") || trimmed == b"=======" {
            Habit::Conflict
        } else if has_line_number(text, next) {
            Habit::Numbered
        } else if starts_with("* ") || starts_with("• ") || (number > 0 && trimmed[number..].starts_with(b". ")) {
            Habit::Bullet
        } else {
            Habit::Plain
        }
    }
}

/// No-break and other odd spaces, hyphens, dashes and the minus sign, wide signs.
const LOOK_ALIKES: &[char] = &[
    '\u{a0}', '\u{2002}', '\u{2003}', '\u{2007}', '\u{2009}', '\u{202f}', '\u{3000}', '\u{2010}', '\u{2011}',
    '\u{2012}', '\u{2013}', '\u{2014}', '\u{2212}', '\u{ff0d}', '\u{ff0b}',
];
