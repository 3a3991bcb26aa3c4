//! How a line of a patch differs from the line of the file that it seems to mean: which characters, and what they are called
//! where they can't be told apart by looking.

use std::fmt;
use std::ops::Range;

use bstr::ByteSlice as _;

use crate::plan::{line_number, part_of};
use crate::search::{ascii, looks};
use crate::text::Shown;

/// How two lines differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Difference {
    /// The bytes of the patch's line that aren't so in the file's.
    pub(super) patch: Range<usize>,
    /// The bytes of the file's line that aren't so in the patch's.
    pub(super) file: Range<usize>,
    /// What kind of difference it is.
    pub(super) how: How,
}

/// What kind of difference there is between a line of a patch and one of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum How {
    /// Only the whitespace at the end, in the patch and in the file.
    End(Spaces, Spaces),
    /// Only the indentation, in the patch and in the file.
    Indent(Spaces, Spaces),
    /// Only whitespace between words, in the patch and in the file.
    Between(Spaces, Spaces),
    /// A character that looks like another: in which column, from 1, which in the patch and which in the file.
    LookAlike(usize, Option<char>, Option<char>),
    /// The same letter, spelt with a combining mark on one side only; in this column, from 1.
    Combining(usize, Writer),
    /// The patch has characters escaped as in JSON: this one, such as `\"`.
    Escaped(String),
    /// The patch has `\n` as two characters where the file's line ends.
    EscapedNewline,
    /// The patch has an entity, such as `&lt;`, for this character.
    Entity(String, char),
    /// The patch's line begins with a line number.
    Numbered(String),
    /// The patch's line lacks this character at the start: its prefix has been left out, and the first character of the code
    /// was taken for it.
    Unprefixed(char),
    /// The file has this character as one byte, as in Latin-1, and the patch in UTF-8.
    Encoding(char),
    /// Upper and lower case.
    Case,
    /// The patch's line is only the beginning of the file's; whether it ends with an ellipsis.
    Cut(bool),
    /// Other characters.
    Other,
    /// Hardly anything in common.
    Unlike,
}

/// Who wrote something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Writer {
    /// The model.
    Patch,
    /// The file.
    File,
}

/// A run of whitespace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Spaces(pub(super) Vec<u8>);

impl Difference {
    /// Compares a line of a patch with the file's, which differs from it. With `part`, the patch's is one end of a line or a
    /// part of it, and the rest of the file's is no difference.
    pub(super) fn of(patch: &[u8], file: &[u8], alike: u8, part: bool) -> Self {
        let window = if part { part_of(patch, file) } else { None }.unwrap_or(0..file.len());
        let is_line = window == (0..file.len());
        let (skipped, file) = (window.start, &file[window]);
        let Change { patch: left, file: right } = Change::of(patch, file, part && is_line);
        let how = how(patch, file, alike, (&left, &right), part);
        let (left, right) = match how {
            How::Indent(..) | How::Unprefixed(_) => (0..indent(patch).len(), 0..indent(file).len()),
            How::End(..) => (trim_end(patch).len()..patch.len(), trim_end(file).len()..file.len()),
            How::Unlike | How::Case => (indent(patch).len()..patch.len(), indent(file).len()..file.len()),
            _ => (left, right),
        };
        Self { patch: left, file: right.start + skipped..right.end + skipped, how }
    }

    /// Returns whether a reader can't see it by looking at both lines.
    pub(super) fn is_hidden(&self) -> bool {
        !matches!(self.how, How::Other | How::Unlike | How::Cut(false))
    }
}

fn how(patch: &[u8], file: &[u8], alike: u8, (left, right): (&Range<usize>, &Range<usize>), part: bool) -> How {
    if trim_end(patch) == trim_end(file) {
        return How::End(Spaces(patch[trim_end(patch).len()..].into()), Spaces(file[trim_end(file).len()..].into()));
    }
    if trim_end(trim_start(patch)) == trim_end(trim_start(file)) {
        let (patch, file) = (indent(patch), indent(file));
        let is_one_less = !part && file.strip_prefix(b" ") == Some(patch) && file.len() % 2 == 0;
        return if is_one_less { How::Unprefixed(' ') } else { How::Indent(Spaces(patch.into()), Spaces(file.into())) };
    }
    if !part && file.strip_prefix(b"-") == Some(patch) {
        return How::Unprefixed('-');
    }
    if let Some(how) = mangled(patch, file).or_else(|| encoded(patch, file)) {
        return how;
    }
    if let Some(how) = look_alike(patch, file) {
        return how;
    }
    let (patch_trimmed, file_trimmed) = (patch.trim_ascii(), file.trim_ascii());
    if patch_trimmed.eq_ignore_ascii_case(file_trimmed) {
        return How::Case;
    }
    for ellipsis in [&b"..."[..], "…".as_bytes()] {
        if let Some(start) = patch_trimmed.strip_suffix(ellipsis)
            && start.len() > 3
            && file_trimmed.starts_with(start.trim_ascii_end())
        {
            return How::Cut(true);
        }
    }
    if patch_trimmed.len() > 3 && file_trimmed.starts_with(patch_trimmed) {
        return How::Cut(false);
    }
    if alike < 50 || (left.len() * 4 > 3 * patch.len() && right.len() * 4 > 3 * file.len()) {
        return How::Unlike;
    }
    How::Other
}

/// What becomes of text on its way through formats that it wasn't meant for.
fn mangled(patch: &[u8], file: &[u8]) -> Option<How> {
    let same = |patch: &[u8]| patch.trim_ascii() == file.trim_ascii();
    if let Some(number) = line_number(patch, file) {
        return Some(How::Numbered(number.to_str_lossy().into_owned()));
    }
    if memchr::memchr(b'\\', patch).is_some() {
        if let Some(at) = memchr::memmem::find(patch, b"\\n")
            && patch.len() > 4
            && patch[..at].trim_ascii() == file.trim_ascii()
        {
            return Some(How::EscapedNewline);
        }
        let mut plain = patch.to_vec();
        let mut first = None;
        for (escape, meant) in [("\\\"", "\""), ("\\'", "'"), ("\\t", "\t"), ("\\/", "/"), ("\\\\", "\\")] {
            if memchr::memmem::find(&plain, escape.as_bytes()).is_some() {
                plain = plain.replace(escape, meant);
                first.get_or_insert(escape);
                if same(&plain) {
                    return first.map(|escape| How::Escaped(escape.to_owned()));
                }
            }
        }
    }
    if memchr::memchr(b'&', patch).is_some() {
        let mut plain = patch.to_vec();
        let mut first = None;
        let entities =
            [("&lt;", '<'), ("&gt;", '>'), ("&quot;", '"'), ("&#39;", '\''), ("&apos;", '\''), ("&amp;", '&')];
        for (entity, meant) in entities {
            if memchr::memmem::find(&plain, entity.as_bytes()).is_some() {
                plain = plain.replace(entity, meant.to_string());
                first.get_or_insert((entity, meant));
            }
        }
        if let Some((entity, meant)) = first.filter(|_| same(&plain)) {
            return Some(How::Entity(entity.to_owned(), meant));
        }
    }
    None
}

/// The first character that is a byte in the file, where the file's line would be the patch's if it were UTF-8.
fn encoded(patch: &[u8], file: &[u8]) -> Option<How> {
    let odd = |byte: &&u8| **byte >= 0xa0;
    let first = file.iter().find(odd).filter(|_| file.to_str().is_err())?;
    let decoded: String = file.iter().map(|&byte| char::from(byte)).collect();
    (decoded.trim().as_bytes() == patch.trim_ascii()).then_some(How::Encoding(char::from(*first)))
}

/// The first characters that differ, where they are all that differs and look the same or nearly so.
fn look_alike(patch: &[u8], file: &[u8]) -> Option<How> {
    let plain = |line: &[u8]| line.trim_ascii().chars().map(ascii).collect::<String>();
    let (plain_patch, plain_file) = (plain(patch), plain(file));
    let (offset_patch, offset_file) = (indent(patch).len(), indent(file).len());
    let column = |at: usize| at + 1 + offset_patch;
    if plain_patch == plain_file {
        let (left, right) = (patch[offset_patch..].chars(), file[offset_file..].chars());
        let (at, (left, right)) = left.zip(right).enumerate().find(|(_, (left, right))| left != right)?;
        return Some(How::LookAlike(column(at), Some(left), Some(right)));
    }
    let without_spaces = |text: &str| text.split_whitespace().collect::<String>();
    if without_spaces(&plain_patch) == without_spaces(&plain_file) {
        let run = |text: &str, from: usize| {
            let start = text[..from].trim_end().len();
            Spaces(text[start..].bytes().take_while(u8::is_ascii_whitespace).collect())
        };
        let same = plain_patch.char_indices().zip(plain_file.chars()).find(|((_, left), right)| left != right);
        let at = same.map_or(plain_patch.len().min(plain_file.len()), |((at, _), _)| at);
        return Some(How::Between(run(&plain_patch, at), run(&plain_file, at)));
    }
    let is_mark = |c: char| matches!(c, '\u{300}'..='\u{36f}');
    let base = |text: &str| text.chars().filter(|&c| c.is_ascii() && !is_mark(c)).collect::<String>();
    let marks = |text: &str| text.chars().filter(|&c| is_mark(c)).count();
    let (in_patch, in_file) = (marks(&plain_patch), marks(&plain_file));
    if in_patch != in_file
        && plain_patch.chars().count().abs_diff(plain_file.chars().count()) == in_patch.abs_diff(in_file)
    {
        // What is a letter and a mark on one side is one letter on the other.
        let (spelt, joined) =
            if in_patch > in_file { (&plain_patch, &plain_file) } else { (&plain_file, &plain_patch) };
        let without: String = {
            let mut chars = spelt.chars().peekable();
            let mut kept = String::new();
            while let Some(c) = chars.next() {
                if chars.peek().is_some_and(|&next| is_mark(next)) || is_mark(c) {
                    continue;
                }
                kept.push(c);
            }
            kept
        };
        let at = plain_patch.chars().zip(plain_file.chars()).position(|(a, b)| a != b)?;
        let writer = if in_patch > in_file { Writer::Patch } else { Writer::File };
        return (base(joined) == base(&without)).then_some(How::Combining(column(at), writer));
    }
    let mut left = plain_patch.chars();
    let is_same = looks(patch.trim_ascii()) == looks(file.trim_ascii());
    let hidden = |c: char| !Shown::is_harmless(c) && c != '\t';
    let visible = |text: &str| text.chars().filter(|&c| !hidden(c)).collect::<String>();
    if is_same || visible(&plain_patch) == visible(&plain_file) {
        let mut right = plain_file.chars();
        return (0..).find_map(|at| {
            let (patch, file) = (left.next(), right.next());
            (patch != file).then_some(How::LookAlike(column(at), patch, file))
        });
    }
    None
}

/// The bytes in which two lines differ: what is left without their common beginning and end, widened to whole words.
struct Change {
    patch: Range<usize>,
    file: Range<usize>,
}

impl Change {
    fn of(patch: &[u8], file: &[u8], part: bool) -> Self {
        // A part of a line begins where the file's line agrees with it best; its indentation is what can be missing.
        let skipped =
            if part && indent(patch).len() < indent(file).len() { indent(file).len() - indent(patch).len() } else { 0 };
        let file = &file[skipped..];
        let common = |a: u8, b: u8| a == b;
        let mut start = patch.iter().zip(file).take_while(|(a, b)| common(**a, **b)).count();
        let rest = patch.len().min(file.len()) - start;
        let mut end =
            patch.iter().rev().zip(file.iter().rev()).take(rest).take_while(|(a, b)| common(**a, **b)).count();
        let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || *byte >= 0x80;
        while start > 0
            && is_word(&patch[start - 1])
            && [patch, file].iter().any(|side| side.get(start).is_some_and(is_word))
        {
            start -= 1;
        }
        let before = |side: &[u8]| side.len() - end;
        let mut widen = end > 0
            && is_word(&patch[before(patch)])
            && [patch, file].iter().any(|side| before(side) > start && is_word(&side[before(side) - 1]));
        while widen {
            end -= 1;
            widen = end > 0 && is_word(&patch[patch.len() - end]);
        }
        let clamp = |len: usize| start.min(len)..(len - end).max(start.min(len));
        let (left, right) = (clamp(patch.len()), clamp(file.len()));
        Self { patch: left, file: right.start + skipped..right.end + skipped }
    }
}

fn indent(line: &[u8]) -> &[u8] {
    &line[..line.len() - trim_start(line).len()]
}

fn trim_start(line: &[u8]) -> &[u8] {
    let spaces = line.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    &line[spaces..]
}

fn trim_end(line: &[u8]) -> &[u8] {
    line.trim_ascii_end()
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.how {
            How::End(patch, file) => match (patch.0.is_empty(), file.0.is_empty()) {
                (true, _) => write!(f, "the file's line ends with {file}, the patch's doesn't"),
                (_, true) => write!(f, "the patch's line ends with {patch}, the file's doesn't"),
                _ => write!(f, "the file's line ends with {file}, the patch's with {patch}"),
            },
            How::Indent(patch, file) => write!(f, "the file indents this line by {file}, the patch by {patch}"),
            How::Between(patch, file) => write!(f, "the file has {file} there, the patch {patch}"),
            How::LookAlike(column, patch, file) => {
                write!(f, "in column {column} the file has {}, the patch {}", name(*file), name(*patch))
            }
            How::Combining(column, writer) => {
                let (one, two) = match writer {
                    Writer::Patch => ("file", "patch"),
                    Writer::File => ("patch", "file"),
                };
                write!(
                    f,
                    "in column {column} the {one} has one character (NFC), where the {two} has a letter and a combining mark (NFD)"
                )
            }
            How::Escaped(escape) => {
                write!(f, "the patch's line is escaped as in JSON: it has `{escape}`, the file hasn't")
            }
            How::EscapedNewline => {
                f.write_str("the patch has `\\n` as two characters, a backslash and an n, where the file's line ends")
            }
            How::Entity(entity, meant) => write!(f, "the patch has the entity `{entity}` where the file has `{meant}`"),
            How::Numbered(number) => {
                write!(f, "the patch's line begins with a line number, `{}`", Shown(number.as_bytes()))
            }
            How::Unprefixed(' ') => {
                f.write_str("the patch's line has one blank less: the blank that is a context line's prefix is missing")
            }
            How::Unprefixed(sign) => {
                write!(
                    f,
                    "the file's line begins with `{sign}` itself, which was taken for the prefix of the patch's line"
                )
            }
            How::Encoding(c) => write!(
                f,
                "the file isn't in UTF-8: it has `{c}` as the single byte \\{:03o}, as Latin-1 has it",
                u32::from(*c)
            ),
            How::Case => f.write_str("the two differ only in upper and lower case"),
            How::Cut(true) => f.write_str("the patch's line ends with an ellipsis, where the file's goes on"),
            How::Cut(false) => f.write_str("the patch's line is only the beginning of the file's"),
            How::Other => f.write_str("the marked characters differ"),
            How::Unlike => f.write_str("the two lines have little in common"),
        }
    }
}

impl fmt::Display for Spaces {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str("nothing");
        }
        let mut first = true;
        for run in self.0.chunk_by(|a, b| a == b) {
            if !std::mem::take(&mut first) {
                f.write_str(" and ")?;
            }
            let (one, many) = match run[0] {
                b' ' => ("a space", "spaces"),
                b'\t' => ("a tab", "tabs"),
                b'\r' => ("a carriage return", "carriage returns"),
                _ => ("an odd blank", "odd blanks"),
            };
            match run.len() {
                1 => f.write_str(one)?,
                count => write!(f, "{count} {many}")?,
            }
        }
        Ok(())
    }
}

fn name(character: Option<char>) -> String {
    let Some(character) = character else { return "the end of the line".into() };
    match character {
        ' ' => "a space".into(),
        '\t' => "a tab".into(),
        '\r' => "a carriage return".into(),
        '\u{a0}' => "a no-break space (U+00A0)".into(),
        '\u{202f}' => "a narrow no-break space (U+202F)".into(),
        '\u{200b}' => "a zero-width space (U+200B)".into(),
        '\u{feff}' => "a byte order mark (U+FEFF)".into(),
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
            format!("a control of writing direction (U+{:04X})", u32::from(character))
        }
        '\u{2018}' | '\u{2019}' => format!("a curly apostrophe `{character}`"),
        '\u{201c}' | '\u{201d}' => format!("a curly quote `{character}`"),
        '\u{2010}' => "a hyphen `‐` (U+2010)".into(),
        '\u{2011}' => "a no-break hyphen (U+2011)".into(),
        '\u{2012}' => "a figure dash `‒`".into(),
        '\u{2013}' => "an en dash `–`".into(),
        '\u{2014}' => "an em dash `—`".into(),
        '\u{2212}' => "a minus sign `−` (U+2212)".into(),
        '`' => "a backtick".into(),
        '\u{370}'..='\u{3ff}' => format!("a Greek `{character}` (U+{:04X})", u32::from(character)),
        '\u{400}'..='\u{52f}' => format!("a Cyrillic `{character}` (U+{:04X})", u32::from(character)),
        '\u{ff01}'..='\u{ff5e}' => format!("a full-width `{character}` (U+{:04X})", u32::from(character)),
        shown if shown.is_ascii_graphic() || shown.is_alphanumeric() => format!("`{shown}`"),
        hidden => format!("U+{:04X}", u32::from(hidden)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_is_named() {
        for (patch, file, said) in [
            ("    b", "\tb", "the file indents this line by a tab, the patch by 4 spaces"),
            ("  b", "    b", "the file indents this line by 4 spaces, the patch by 2 spaces"),
            (
                "   b",
                "    b",
                "the patch's line has one blank less: the blank that is a context line's prefix is missing",
            ),
            (
                " comment",
                "- comment",
                "the file's line begins with `-` itself, which was taken for the prefix of the patch's line",
            ),
            ("a", "a  ", "the file's line ends with 2 spaces, the patch's doesn't"),
            ("a \t", "a", "the patch's line ends with a space and a tab, the file's doesn't"),
            ("a", "a\r", "the file's line ends with a carriage return, the patch's doesn't"),
            ("it's", "it’s", "in column 3 the file has a curly apostrophe `’`, the patch `'`"),
            ("“a”", "\"a\"", "in column 1 the file has `\"`, the patch a curly quote `“`"),
            ("1–2", "1-2", "in column 2 the file has `-`, the patch an en dash `–`"),
            ("a b", "a\u{a0}b", "in column 2 the file has a no-break space (U+00A0), the patch a space"),
            ("ab", "a\u{200b}b", "in column 2 the file has a zero-width space (U+200B), the patch `b`"),
            ("x = 1;  // n", "x = 1; // n", "the file has a space there, the patch 2 spaces"),
            ("f(a,b)", "f(a, b)", "the file has a space there, the patch nothing"),
            (
                "caf\u{e9} x",
                "cafe\u{301} x",
                "in column 4 the patch has one character (NFC), where the file has a letter and a combining mark (NFD)",
            ),
            (
                "say(\\\"hi\\\")",
                "say(\"hi\")",
                "the patch's line is escaped as in JSON: it has `\\\"`, the file hasn't",
            ),
            (
                "a();\\n    b();",
                "a();",
                "the patch has `\\n` as two characters, a backslash and an n, where the file's line ends",
            ),
            ("if a &lt; b &amp;&amp; c", "if a < b && c", "the patch has the entity `&lt;` where the file has `<`"),
            ("  12: let a = 1;", "let a = 1;", "the patch's line begins with a line number, `12:`"),
            (" 9 -let a;", "let a;", "the patch's line begins with a line number, `9`"),
            ("12 |     let a;", "    let a;", "the patch's line begins with a line number, `12 |`"),
            ("Let A", "let a", "the two differ only in upper and lower case"),
            ("fn long(a...", "fn long(a: u8) {", "the patch's line ends with an ellipsis, where the file's goes on"),
            ("fn long(a: u8)", "fn long(a: u8) {", "the patch's line is only the beginning of the file's"),
        ] {
            let difference = Difference::of(patch.as_bytes(), file.as_bytes(), 90, false);
            assert_eq!(difference.to_string(), said, "{patch:?} for {file:?}");
        }
    }

    #[test]
    fn a_file_in_latin_1_is_told() {
        let difference = Difference::of("caf\u{e9} = 1".as_bytes(), b"caf\xe9 = 1", 90, false);
        let said = "the file isn't in UTF-8: it has `\u{e9}` as the single byte \\351, as Latin-1 has it";
        assert_eq!((difference.to_string(), difference.is_hidden()), (said.to_owned(), true));
    }

    #[test]
    fn the_words_that_differ_are_marked() {
        for (patch, file, in_patch, in_file) in [
            ("let port = cfg.port;", "let port = cfg.port_or(80);", "port", "port_or(80)"),
            ("a + b", "a - b", "+", "-"),
            ("call(one)", "call(one, two)", "", ", two"),
            ("let value_1 = 2;", "let value_12 = 2;", "value_1", "value_12"),
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
            let _ = Difference::of(patch.as_bytes(), file.as_bytes(), 90, false).to_string();
        }
    }
}
