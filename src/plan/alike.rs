//! Lines that look the same and aren't: for messages only, says where a file has what a patch seems to mean.
//!
//! Nothing is ever applied for being alike.

use std::borrow::Cow;

use bstr::ByteSlice as _;

use crate::matching::Haystack;
use crate::text::Lines;

/// The size, in bytes, from which on a file isn't searched for what is only alike.
const LARGE: usize = 4 << 20;

/// The first line of a place that is alike and not equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Alike {
    /// Which of the wanted lines it is, from 0.
    pub(super) wanted: usize,
    /// Which line of the file, from 0.
    pub(super) line: usize,
    /// Where the two differ.
    pub(super) difference: Difference,
}

/// Where two lines begin to differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The column, in characters from 1.
    pub column: usize,
    /// What the patch has there; `None` at its line's end.
    pub patch: Option<char>,
    /// What the file has there; `None` at its line's end.
    pub file: Option<char>,
}

impl std::fmt::Display for Difference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "in column {} the file has {}, the patch {}", self.column, name(self.file), name(self.patch))
    }
}

/// Finds the first place of a file where lines stand that differ from the wanted ones in nothing but blanks at their ends,
/// typographic quotes and dashes, and odd spaces. A file that is too large to be gone through for a message has none.
pub(super) fn find<'w>(lines: &Lines<'_>, wanted: impl Iterator<Item = &'w [u8]> + Clone) -> Option<Alike> {
    if lines.bytes().len() > LARGE {
        return None;
    }
    let mut plain_file = Vec::with_capacity(lines.bytes().len());
    for line in lines.iter() {
        plain_file.extend_from_slice(&plain(line.text));
        plain_file.push(b'\n');
    }
    let plain_lines = Lines::new(&plain_file);
    let plain_wanted: Vec<_> = wanted.clone().map(plain).collect();
    let texts = || plain_wanted.iter().map(|text| &text[..]);
    let haystack = Haystack::new(&plain_lines, texts());
    let at = haystack.first(&haystack.run(texts()), 0)?;
    wanted.enumerate().find_map(|(index, text)| {
        let difference = differ(text, lines.text(at + index))?;
        Some(Alike { wanted: index, line: at + index, difference })
    })
}

fn differ(patch: &[u8], file: &[u8]) -> Option<Difference> {
    if patch == file {
        return None;
    }
    let (mut left, mut right) = (patch.chars(), file.chars());
    (1..).find_map(|column| {
        let (patch, file) = (left.next(), right.next());
        let over = patch.is_none() && file.is_none();
        (patch != file || over).then_some(Difference { column, patch, file })
    })
}

fn plain(line: &[u8]) -> Vec<u8> {
    let text = match line.is_ascii() {
        true => Cow::Borrowed(line),
        false => Cow::Owned(line.chars().map(ascii).collect::<String>().into_bytes()),
    };
    text.trim_ascii().to_vec()
}

fn ascii(odd: char) -> char {
    match odd {
        '\u{2018}'..='\u{201b}' => '\'',
        '\u{201c}'..='\u{201f}' => '"',
        '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
        '\u{a0}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}' => ' ',
        plain => plain,
    }
}

fn name(character: Option<char>) -> String {
    let Some(character) = character else { return "the end of the line".into() };
    match character {
        ' ' => "a space".into(),
        '\t' => "a tab".into(),
        '\u{a0}' => "a no-break space".into(),
        '\u{2018}' | '\u{2019}' => format!("a curly apostrophe `{character}`"),
        '\u{201c}' | '\u{201d}' => format!("a curly quote `{character}`"),
        '\u{2010}'..='\u{2015}' => format!("a dash `{character}`"),
        shown if shown.is_ascii_graphic() || shown.is_alphanumeric() => format!("`{shown}`"),
        hidden => format!("U+{:04X}", u32::from(hidden)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn says_where_lines_begin_to_differ() {
        for (file, wanted, want) in [
            ("a\n\tb\n", "a\n    b", Some((1, "in column 1 the file has a tab, the patch a space"))),
            ("a  \nb\n", "a\nb", Some((0, "in column 2 the file has a space, the patch the end of the line"))),
            ("a\nb", "a\nb ", Some((1, "in column 2 the file has the end of the line, the patch a space"))),
            ("x\nit’s\n", "it's", Some((1, "in column 3 the file has a curly apostrophe `’`, the patch `'`"))),
            ("a\u{a0}b\n", "a b", Some((0, "in column 2 the file has a no-break space, the patch a space"))),
            ("a\nb\n", "a\nb", None),
            ("a\nb\n", "a\nc", None),
            ("", "a", None),
        ] {
            let lines = Lines::new(file.as_bytes());
            let got = find(&lines, wanted.split('\n').map(str::as_bytes));
            let got = got.map(|alike| (alike.line, alike.difference.to_string()));
            assert_eq!(got, want.map(|(line, said)| (line, said.to_owned())), "{wanted:?} in {file:?}");
        }
    }
}
