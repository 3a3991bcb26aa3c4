//! How a line of a patch differs from the line of the file that it seems to mean: which characters,
//! and what they are called where they can't be told apart by looking.

use std::ops::Range;

use bstr::ByteSlice as _;
use unicode_normalization::UnicodeNormalization as _;

use super::characters::{Spaces, name};
use super::mangled::{encoded, mangled};
use crate::search::{ascii, looks};
use crate::text::{Shown, is_word};

/// How two lines differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Difference {
    /// The bytes of the patch's line that aren't so in the file's.
    pub(super) patch: Range<usize>,
    /// The bytes of the file's line that aren't so in the patch's.
    pub(super) file: Range<usize>,
    pub(super) found: DifferenceFound,
}

/// What is found of a difference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct DifferenceFound {
    /// What a reader can't see by looking at both lines.
    pub(super) note: Option<String>,
    /// What is said where the patch's line differs; nothing in particular if it is empty.
    pub(super) label: String,
    pub(super) advice: Advice,
}

/// What whoever wrote the patch should have done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Advice {
    /// Given the line byte for byte.
    Bytes,
    /// Given a line that is at this place.
    Line,
    /// Given whole lines.
    Whole,
    /// Put the prefix of a context line before it.
    Prefix,
    /// Something else that is always so, which is said.
    Habit(&'static str),
}

impl DifferenceFound {
    pub(super) fn new(note: String, advice: Advice) -> Self {
        Self {
            note: Some(note),
            label: String::new(),
            advice,
        }
    }

    pub(super) fn label(self, label: impl Into<String>) -> Self {
        Self {
            label: label.into(),
            ..self
        }
    }
}

impl Advice {
    fn alone(self) -> DifferenceFound {
        DifferenceFound {
            note: None,
            label: String::new(),
            advice: self,
        }
    }
}

impl Difference {
    /// Compares a line of a patch with the file's, which differs from it. With `part`, the patch's
    /// is one end of a line or a part of it, and the rest of the file's is no difference.
    pub(super) fn of(patch: &[u8], file: &[u8], alike: u8, part: bool) -> Self {
        let window = if part { part_of(patch, file) } else { None }.unwrap_or(0..file.len());
        if window.len() < file.len() && file[window.clone()] == *patch {
            // Nothing differs but what the file's line has beside it.
            return Self::of(patch, file, alike, false);
        }
        let is_line = window == (0..file.len());
        let start = window.start;
        let file = &file[window];
        let missing = indent(file).len().saturating_sub(indent(patch).len());
        // A part of a line begins where the file's line agrees with it best; its indentation is
        // what can be missing.
        let skipped = if part && is_line { missing } else { 0 };
        let (left, right) = change(patch, &file[skipped..]);
        let right = right.start + skipped..right.end + skipped;
        let (found, [left, right]) = spaced(patch, file, part)
            .or_else(|| Some((written(patch, file)?, [left.clone(), right.clone()])))
            .unwrap_or_else(|| other(patch, file, alike, [left, right]));
        Self {
            patch: left,
            file: right.start + start..right.end + start,
            found,
        }
    }

    /// Returns how two names differ that look the same.
    pub(super) fn of_names(patch: &[u8], file: &[u8]) -> Option<String> {
        if patch.trim_ascii_end() == file && patch != file {
            let spaces = spaces(&patch[file.len()..]);
            return Some(format!("the patch's name ends with {spaces}"));
        }
        look_alike(patch, file)
    }
}

/// Returns how two lines differ of which only the indentation or the end isn't the same, or the
/// prefix of the patch's line is missing, and which bytes that are.
fn spaced(patch: &[u8], file: &[u8], part: bool) -> Option<(DifferenceFound, [Range<usize>; 2])> {
    const PREFIX: &str = "the prefix is missing";
    let lines = [patch, file];
    let ends = lines.map(|line| line.trim_ascii_end().len()..line.len());
    let indents = lines.map(|line| 0..indent(line).len());
    if patch[..ends[0].start] == file[..ends[1].start] {
        let [was, is] = [
            spaces(&patch[ends[0].start..]),
            spaces(&file[ends[1].start..]),
        ];
        let note = format!("the file's line ends with {is}, the patch's with {was}");
        let found = DifferenceFound::new(note, Advice::Bytes);
        let found = if was.0.is_empty() {
            found.label(format!("the file's line has {is} here"))
        } else {
            found
        };
        return Some((found, ends));
    }
    let [was, is] = [indent(patch), indent(file)];
    let found = if !part && file.strip_prefix(b"-") == Some(patch) {
        let note = "the file's line begins with `-` itself, which was read as the prefix of the \
             patch's line";
        let habit = "write the prefix before the line's own first character: `--` for a line that \
             begins with `-` and goes, a space and `-` if it stays";
        DifferenceFound::new(note.into(), Advice::Habit(habit)).label(PREFIX)
    } else if bare(patch) != bare(file) {
        return None;
    } else if !part && is.strip_prefix(b" ") == Some(was) && is.len().is_multiple_of(2) {
        let note = "the patch's line has one space less: the one that is a context line's prefix \
             is missing";
        DifferenceFound::new(note.into(), Advice::Prefix).label(PREFIX)
    } else {
        let [was, is] = [was, is].map(spaces);
        let note = format!("the file indents this line by {is}, the patch by {was}");
        let found = DifferenceFound::new(note, Advice::Bytes);
        if was.0.is_empty() {
            found.label("the file's line is indented")
        } else {
            found
        }
    };
    Some((found, indents))
}

/// Returns how two lines differ that say the same in other characters.
fn written(patch: &[u8], file: &[u8]) -> Option<DifferenceFound> {
    let alike = || {
        Some(DifferenceFound::new(
            look_alike(patch, file)?,
            Advice::Bytes,
        ))
    };
    mangled(patch, file)
        .or_else(|| encoded(patch, file))
        .or_else(alike)
}

/// Returns how two lines differ of which one may be a part of the other, or another line.
fn other(
    patch: &[u8],
    file: &[u8],
    alike: u8,
    [left, right]: [Range<usize>; 2],
) -> (DifferenceFound, [Range<usize>; 2]) {
    let [patch_trimmed, file_trimmed] = [patch.trim_ascii(), file.trim_ascii()];
    let whole = [patch, file].map(|line| indent(line).len()..line.len());
    let is_elided = |ellipsis: &[u8]| {
        let start = patch_trimmed
            .strip_suffix(ellipsis)
            .filter(|start| start.len() > 3);
        start.is_some_and(|start| file_trimmed.starts_with(start.trim_ascii_end()))
    };
    if patch_trimmed.eq_ignore_ascii_case(file_trimmed) {
        let note = "the two differ only in upper and lower case";
        (DifferenceFound::new(note.into(), Advice::Bytes), whole)
    } else if is_elided(b"...") || is_elided("…".as_bytes()) {
        let note = "the patch's line ends with an ellipsis, where the file's line continues";
        (
            DifferenceFound::new(note.into(), Advice::Whole),
            [left, right],
        )
    } else if patch_trimmed.len() > 3 && file_trimmed.starts_with(patch_trimmed) {
        (Advice::Whole.alone(), [left, right])
    } else if alike < 50 || (left.len() * 4 > 3 * patch.len() && right.len() * 4 > 3 * file.len()) {
        (Advice::Line.alone(), whole)
    } else {
        (Advice::Bytes.alone(), [left, right])
    }
}

fn spaces(bytes: &[u8]) -> Spaces {
    Spaces(bytes.to_str_lossy().into_owned())
}

fn bare(line: &[u8]) -> Vec<u8> {
    line[indent(line).len()..].trim_ascii_end().to_vec()
}

/// Returns the first characters that differ, where they are all that differs and look the same or
/// nearly so, or are spaces between words.
fn look_alike(patch: &[u8], file: &[u8]) -> Option<String> {
    let text = |line: &[u8]| line[indent(line).len()..].to_str_lossy().into_owned();
    let plain = |line: &[u8]| text(line.trim_ascii_end()).chars().map(ascii).collect();
    let texts = [text(patch), text(file)];
    let plain: [String; 2] = [plain(patch), plain(file)];
    let is_same = plain[0] == plain[1];
    let (at, patch_has, file_has) = first_other(if is_same { &texts } else { &plain })?;
    let column = at + 1 + indent(patch).chars().count();
    if !is_same && without_spaces(&plain[0]) == without_spaces(&plain[1]) {
        let [patch, file] = texts.map(|text| run(&text, at));
        return Some(format!("the file has {file} there, the patch {patch}"));
    }
    let lengths = plain.each_ref().map(|text| text.chars().count());
    if lengths[0] != lengths[1] && plain[0].nfc().eq(plain[1].nfc()) {
        let [one, two] = if lengths[0] > lengths[1] {
            ["file", "patch"]
        } else {
            ["patch", "file"]
        };
        return Some(format!(
            "in column {column} the {one} has one character (NFC), where the {two} has a letter \
             and a combining mark (NFD)"
        ));
    }
    let visible = |text: &str| text.chars().filter(|&c| !hidden(c)).collect::<String>();
    let is_alike = if is_same {
        patch_has.is_some() && file_has.is_some()
    } else {
        looks(patch.trim_ascii()) == looks(file.trim_ascii())
            || visible(&plain[0]) == visible(&plain[1])
    };
    let [patch, file] = [patch_has, file_has].map(name);
    is_alike.then(|| format!("in column {column} the file has {file}, the patch {patch}"))
}

/// Returns the first characters that differ, and their number; a side that has ended has none.
fn first_other([one, other]: &[String; 2]) -> Option<(usize, Option<char>, Option<char>)> {
    let mut left = one.chars();
    let mut right = other.chars();
    (0..=one.len().max(other.len()))
        .map(|at| (at, left.next(), right.next()))
        .find(|(_, left, right)| left != right)
}

fn without_spaces(text: &str) -> String {
    text.split_whitespace().collect::<String>()
}

/// Returns the whitespace around the character of this number.
fn run(text: &str, number: usize) -> Spaces {
    let from = text
        .char_indices()
        .nth(number)
        .map_or(text.len(), |(at, _)| at);
    let rest = &text[text[..from].trim_end().len()..];
    Spaces(rest.chars().take_while(|c| c.is_whitespace()).collect())
}

fn hidden(c: char) -> bool {
    !Shown::is_harmless(c) && c != '\t'
}

/// A word as long as this may be data.
const LONG: usize = 200;

/// Returns the bytes in which two lines differ: all but the words and single characters that they
/// begin and end with alike, and of long words but the characters.
fn change(patch: &[u8], file: &[u8]) -> (Range<usize>, Range<usize>) {
    let (left, right) = between(patch, file, |line| {
        line.chunk_by(|a, b| is_word(*a) && is_word(*b))
    });
    if left.len().min(right.len()) < LONG {
        return (left, right);
    }
    let (inner, outer) = between(&patch[left.clone()], &file[right.clone()], |word| {
        word.char_indices().map(|(start, end, _)| &word[start..end])
    });
    (
        left.start + inner.start..left.start + inner.end,
        right.start + outer.start..right.start + outer.end,
    )
}

/// Returns the bytes of two lines between the parts that they begin and end with alike.
fn between<'l, P: DoubleEndedIterator<Item = &'l [u8]>>(
    patch: &'l [u8],
    file: &'l [u8],
    parts: impl Fn(&'l [u8]) -> P,
) -> (Range<usize>, Range<usize>) {
    let head = length_alike(parts(patch), parts(file));
    let (left, right) = (&patch[head..], &file[head..]);
    let tail = length_alike(parts(left).rev(), parts(right).rev());
    (head..patch.len() - tail, head..file.len() - tail)
}

/// Returns how many bytes the first parts have that are the same.
fn length_alike<'l>(
    left: impl Iterator<Item = &'l [u8]>,
    right: impl Iterator<Item = &'l [u8]>,
) -> usize {
    let pairs = left.zip(right).take_while(|(left, right)| left == right);
    pairs.map(|(part, _)| part.len()).sum()
}

/// Returns the part of a file's line that a text seems to mean: from where the text's beginning is
/// to where its end is.
fn part_of(patch: &[u8], file: &[u8]) -> Option<Range<usize>> {
    const SEED: std::ops::RangeInclusive<usize> = 4..=64;
    let indent = indent(patch).len();
    let text = &patch[indent..];
    let lengths = || SEED.rev().filter(|&length| length <= text.len());
    let head =
        lengths().find_map(|length| Some((memchr::memmem::find(file, &text[..length])?, length)));
    let from = head.map_or(0, |(at, length)| at + length);
    let tail = lengths().find_map(|length| {
        let at = memchr::memmem::find(&file[from..], &text[text.len() - length..])?;
        Some(from + at + length)
    });
    let range = match (head, tail) {
        (Some((start, _)), Some(end)) => start..end,
        (Some((start, _)), None) => {
            let rest = &file[start..];
            start
                ..start
                    + rest
                        .char_indices()
                        .take_while(as_wide(text, rest))
                        .last()
                        .map_or(0, |(_, end, _)| end)
        }
        (None, Some(end)) => {
            let rest = &file[..end];
            rest.char_indices()
                .rev()
                .take_while(as_wide(text, rest))
                .last()
                .map_or(end, |(start, ..)| start)..end
        }
        (None, None) => return None,
    };
    let start = if indent > 0 && is_space(&file[..range.start]) {
        0
    } else {
        range.start
    };
    let end = if is_space(&file[range.end..]) {
        file.len()
    } else {
        range.end
    };
    Some(start..end)
}

/// Spaces at the ends of the line are part of it: they may be all that differs.
fn is_space(part: &[u8]) -> bool {
    part.trim_ascii().is_empty()
}

/// Returns what takes characters of a file's line, one after the other, until they look as long as
/// a text.
fn as_wide(text: &[u8], file: &[u8]) -> impl FnMut(&(usize, usize, char)) -> bool {
    let mut left = Some(width(text));
    move |&(start, end, _)| {
        left = left.and_then(|left| left.checked_sub(width(&file[start..end])));
        left.is_some()
    }
}

fn width(text: &[u8]) -> usize {
    looks(text).chars().count()
}

fn indent(line: &[u8]) -> &[u8] {
    let end = line.char_indices().find(|(.., c)| !c.is_whitespace());
    &line[..end.map_or(line.len(), |(start, ..)| start)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_is_named() {
        for (patch, file, said) in [
            (
                "    b",
                "\tb",
                "the file indents this line by a tab, the patch by 4 spaces",
            ),
            (
                "  b",
                "    b",
                "the file indents this line by 4 spaces, the patch by 2 spaces",
            ),
            (
                "   b",
                "    b",
                "the patch's line has one space less: the one that is a context line's \
                     prefix is missing",
            ),
            (
                " comment",
                "- comment",
                "the file's line begins with `-` itself, which was read as the prefix of \
                     the patch's line",
            ),
            (
                "a",
                "a  ",
                "the file's line ends with 2 spaces, the patch's with nothing",
            ),
            (
                "a \t",
                "a",
                "the file's line ends with nothing, the patch's with a space and a tab",
            ),
            (
                "a",
                "a\r",
                "the file's line ends with a carriage return, the patch's with nothing",
            ),
            (
                "it's",
                "it’s",
                "in column 3 the file has a curly apostrophe `’`, the patch `'`",
            ),
            (
                "“a”",
                "\"a\"",
                "in column 1 the file has `\"`, the patch a curly quote `“`",
            ),
            (
                "1–2",
                "1-2",
                "in column 2 the file has `-`, the patch an en dash `–`",
            ),
            (
                "a b",
                "a\u{a0}b",
                "in column 2 the file has a no-break space (U+00A0), the patch a space",
            ),
            (
                "ab",
                "a\u{200b}b",
                "in column 2 the file has a zero-width space (U+200B), the patch `b`",
            ),
            (
                "    b",
                "\u{a0}\u{a0}\u{a0}\u{a0}b",
                "the file indents this line by 4 no-break spaces (U+00A0), the patch by 4 spaces",
            ),
            (
                "\u{3000}b",
                "        b",
                "the file indents this line by 8 spaces, the patch by an ideographic space (U+3000)",
            ),
            (
                "x = 1; // n",
                "x = 1;\u{a0} // n",
                "the file has a no-break space (U+00A0) and a space there, the patch a space",
            ),
            (
                "x = 1;  // n",
                "x = 1; // n",
                "the file has a space there, the patch 2 spaces",
            ),
            (
                "f(a,b)",
                "f(a, b)",
                "the file has a space there, the patch nothing",
            ),
            (
                "caf\u{e9} x",
                "cafe\u{301} x",
                "in column 4 the patch has one character (NFC), where the file has a \
                     letter and a combining mark (NFD)",
            ),
            (
                "say(\\\"hi\\\")",
                "say(\"hi\")",
                "the patch's line is escaped as in JSON: it has `\\\"`, the file hasn't",
            ),
            (
                "a();\\n    b();",
                "a();",
                "the patch has `\\n` as two characters, a backslash and an n, where the \
                     file's line ends",
            ),
            (
                "if a &lt; b &amp;&amp; c",
                "if a < b && c",
                "the patch has the entity `&lt;` where the file has `<`",
            ),
            (
                "  12: let a = 1;",
                "let a = 1;",
                "the patch's line begins with a line number, `12:`",
            ),
            (
                " 9 -let a;",
                "let a;",
                "the patch's line begins with a line number, `9`",
            ),
            (
                "12 |     let a;",
                "    let a;",
                "the patch's line begins with a line number, `12 |`",
            ),
            (
                "Let A",
                "let a",
                "the two differ only in upper and lower case",
            ),
            (
                "fn long(a...",
                "fn long(a: u8) {",
                "the patch's line ends with an ellipsis, where the file's line continues",
            ),
        ] {
            let difference = Difference::of(patch.as_bytes(), file.as_bytes(), 90, false);
            let note = difference.found.note.unwrap_or_default();
            assert_eq!(note, said, "{patch:?} for {file:?}");
        }
    }

    #[test]
    fn a_line_of_a_text_may_go_on_in_the_file() {
        for (text, line) in [
            ("f(a)", "f(a);"),
            ("  if a:", "  if a:  # b"),
            ("f(a) ", "f(a) # b"),
        ] {
            let found = Difference::of(text.as_bytes(), line.as_bytes(), 90, true).found;
            assert_eq!(found, Advice::Whole.alone(), "{text:?} for {line:?}");
        }
    }

    #[test]
    fn a_file_in_latin_1_is_told() {
        let difference = Difference::of("caf\u{e9} = 1".as_bytes(), b"caf\xe9 = 1", 90, false);
        let said = "the file has `\u{e9}` as the single byte \\351, as Latin-1 has it";
        assert_eq!(difference.found.note.as_deref(), Some(said));
    }

    #[test]
    fn the_words_that_differ_are_marked() {
        for (patch, file, in_patch, in_file) in [
            (
                "let port = cfg.port;",
                "let port = cfg.port_or(80);",
                "port",
                "port_or(80)",
            ),
            ("a + b", "a - b", "+", "-"),
            ("call(one)", "call(one, two)", "", ", two"),
            (
                "let value_1 = 2;",
                "let value_12 = 2;",
                "value_1",
                "value_12",
            ),
            ("über alles", "üben alles", "über", "üben"),
            ("aaa", "aa", "aaa", "aa"),
        ] {
            let difference = Difference::of(patch.as_bytes(), file.as_bytes(), 90, false);
            let got = (&patch[difference.patch], &file[difference.file]);
            assert_eq!(got, (in_patch, in_file), "{patch:?} for {file:?}");
        }
    }

    proptest::proptest! {
        #[test]
        fn whatever_the_bytes_the_marks_are_in_the_lines(patch: Vec<u8>, file: Vec<u8>, part: bool) {
            let Difference { patch: left, file: right, .. } = Difference::of(&patch, &file, 60, part);
            proptest::prop_assert!(patch.get(left).is_some() && file.get(right).is_some());
        }

        #[test]
        fn whatever_the_text_there_is_a_name(patch in "[ \tab’'é\u{301}\\\\n&lt;0-9.…]{0,12}", file in "[ \tab’'é\u{301}\\\\n<0-9.…]{0,12}") {
            let _ = Difference::of(patch.as_bytes(), file.as_bytes(), 90, false);
        }
    }
}
