//! Characters that nobody sees, or that show that others were lost.

use bstr::ByteSlice as _;

use super::Finding;
use super::touched::Touched;
use crate::text::{Invisible, Located, Span};

/// Finds the first added line with a character that nobody sees and that the file hasn't: who has
/// it already means it, as people do who write from right to left.
pub(super) fn find(touched: &Touched<'_>) -> Vec<Located<Finding>> {
    let mut met: Vec<(char, Option<Span>)> = Vec::new();
    for line in touched.added() {
        for character in hidden(line) {
            if met.iter().all(|(known, _)| *known != character) {
                met.push((character, line.span));
            }
        }
    }
    let of_lines = met
        .into_iter()
        .filter(|(found, _)| !touched.before.contains_str(found.to_string()))
        .map(|(found, span)| Located::new(span, Finding::Character(found)))
        .take(1);
    of_name(touched).into_iter().chain(of_lines).collect()
}

/// Finds a character that nobody sees in the name of a file that is new.
fn of_name(touched: &Touched<'_>) -> Option<Located<Finding>> {
    let name = touched.path.as_bytes();
    // A mark that may begin a text begins no name.
    let mut unseen = hidden(&[b"/", name].concat());
    unseen.extend(name.chars().filter(|c| c.is_whitespace() && *c != ' '));
    let mut edges = name
        .chars()
        .next()
        .into_iter()
        .chain(name.chars().next_back());
    unseen.extend(edges.find(|c| *c == ' '));
    let found = unseen.first().copied().filter(|_| touched.is_new)?;
    Some(Located::new(touched.named, Finding::InName(found)))
}

/// Returns the characters of a line that nobody sees and that aren't where writing needs them:
/// joiners are between letters and in emoji, tags in flags, selectors behind ideographs, no-break
/// spaces behind text, and a sign for lost characters that is alone in quotes means itself.
fn hidden(line: &[u8]) -> Vec<char> {
    if line.is_ascii() {
        let escape = memchr::memchr(ESCAPE as u8, line);
        return escape.map(|_| ESCAPE).into_iter().collect();
    }
    let mut before = None;
    let mut is_flag = false;
    let mut is_indentation = true;
    let mut found = Vec::new();
    for (start, end, character) in line.char_indices() {
        let kind = Invisible::of(character);
        is_flag = before == Some('\u{1f3f4}') || is_flag && kind == Some(Invisible::Tag);
        let joins = matches!(character, '\u{200c}' | '\u{200d}')
            && before.is_some_and(|before: char| !before.is_ascii());
        // A selector behind another, or behind an emoji, says something that nobody sees.
        let selects = kind == Some(Invisible::Selector)
            && before.is_some_and(|before| !before.is_ascii() && before.is_alphabetic());
        let is_mark = character == '\u{feff}' && before.is_none();
        // Bytes that aren't UTF-8 are read as this character, too.
        let is_other = character == LOST && &line[start..end] != "\u{fffd}".as_bytes();
        let is_named =
            character == LOST && before.is_some_and(|quote| is_quoted(quote, &line[end..]));
        is_indentation &= character.is_whitespace();
        let is_inside = character == NO_BREAK && !is_indentation;
        before = Some(character);
        if !class(character).is_empty()
            && !joins
            && !selects
            && !is_mark
            && !is_flag
            && !is_other
            && !is_named
            && !is_inside
        {
            found.push(character);
        }
    }
    found
}

/// Returns whether a quote before a character and what is behind the character enclose it.
fn is_quoted(quote: char, behind: &[u8]) -> bool {
    matches!(quote, '"' | '\'' | '`') && behind.chars().next() == Some(quote)
}

const NO_BREAK: char = '\u{a0}';
const ESCAPE: char = '\u{1b}';
const LOST: char = char::REPLACEMENT_CHARACTER;
/// Returns the kind of a character that nobody sees, or that is put where others were lost; an
/// empty text of any other.
pub(super) fn class(character: char) -> &'static str {
    match (Invisible::of(character), character) {
        (Some(kind), _) => kind.into(),
        (None, LOST) => "the sign for a character that was lost",
        (None, NO_BREAK) => "a no-break space in its indentation",
        (None, ESCAPE | '\u{9b}') => "an escape sequence of a terminal",
        (None, _) => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_writing_needs_is_told_from_what_nobody_sees() {
        for (line, want) in [
            ("\u{a0}\u{a0}return 0", true),
            ("a\u{a0}b", false),
            ("the sign (``\u{fffd}``)", false),
            ("c == '\u{fffd}'", false),
            ("\"\u{fffd}\"", false),
            ("\"caf\u{fffd}\"", true),
            ("don\u{fffd}t", true),
            ("\u{fffd}", true),
            ("1 \u{fffd} 2", true),
            ("\u{845b}\u{e0100}", false),
            ("\u{845b}\u{e0100}\u{e0101}", true),
            ("x\u{e0100}", true),
            ("\u{1f600}\u{e0100}", true),
        ] {
            assert_eq!(!hidden(line.as_bytes()).is_empty(), want, "{line}");
        }
    }
}
