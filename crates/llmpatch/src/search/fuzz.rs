//! The named looser levels at which lines may be compared: what each takes for the same, and how
//! new lines are indented beside lines that are the same only so.
//!
//! Each level includes the levels before, so two lines that are equal at a level are equal at every
//! looser level. A line is brought into the form that all equal lines have at a level; forms are
//! compared byte for byte. All works on bytes: what isn't UTF-8 stays as it is, and so equals
//! nothing but itself.
//!
//! Whitespace is spaces and tabs, and at [`Fuzz::Unicode`] the odd spaces too. Not every look-alike
//! is folded: ellipses, guillemets, full-width forms and characters without width say something
//! else than their ASCII neighbours, or something that an author should look at.

use std::borrow::Cow;

use bstr::ByteSlice as _;
use unicode_normalization::{IsNormalized, UnicodeNormalization as _, is_nfc_quick};

use super::ascii;
use crate::text::{self, trim_spaces, trim_spaces_end};

/// How much may differ between a line of a patch and the line of the file that it means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Fuzz {
    /// Nothing.
    #[default]
    Exact,
    /// Whitespace at the end.
    Trailing,
    /// Whitespace at the start as well.
    Indent,
    /// Also typographic quotes, dashes and odd spaces against their ASCII forms, and composed
    /// against decomposed letters.
    Unicode,
}

impl Fuzz {
    /// The levels above exact, tightest first.
    pub const LEVELS: [Fuzz; 3] = [Fuzz::Trailing, Fuzz::Indent, Fuzz::Unicode];

    /// Returns the stable name, such as `trailing`.
    pub fn name(self) -> &'static str {
        match self {
            Fuzz::Exact => "exact",
            Fuzz::Trailing => "trailing",
            Fuzz::Indent => "indent",
            Fuzz::Unicode => "unicode",
        }
    }

    /// Returns in what lines may differ at this level, in words.
    pub fn allows(self) -> &'static str {
        match self {
            Fuzz::Exact => "nothing",
            Fuzz::Trailing => "whitespace at line ends",
            Fuzz::Indent => "indentation and whitespace at line ends",
            Fuzz::Unicode => "typographic characters and spaces",
        }
    }

    /// Returns the form that a line has in common with all that are the same at this level.
    pub fn form(self, line: &[u8]) -> Cow<'_, [u8]> {
        match self {
            Fuzz::Exact => Cow::Borrowed(line),
            Fuzz::Trailing => Cow::Borrowed(trim_spaces_end(line)),
            Fuzz::Indent => Cow::Borrowed(trim_spaces(line)),
            Fuzz::Unicode => match folded(line) {
                Cow::Borrowed(same) => Fuzz::Indent.form(same),
                Cow::Owned(folded) => Cow::Owned(Fuzz::Indent.form(&folded).into_owned()),
            },
        }
    }
}

impl std::fmt::Display for Fuzz {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// Folds odd characters to ASCII and composes letters, where a line is UTF-8.
fn folded(line: &[u8]) -> Cow<'_, [u8]> {
    if line.is_ascii() {
        return Cow::Borrowed(line);
    }
    let mut out = Vec::with_capacity(line.len());
    for chunk in line.utf8_chunks() {
        let plain = chunk.valid().chars().map(ascii);
        let mut encoded = [0; 4];
        match is_nfc_quick(plain.clone()) {
            IsNormalized::Yes => {
                plain.for_each(|c| out.extend_from_slice(c.encode_utf8(&mut encoded).as_bytes()))
            }
            _ => plain
                .nfc()
                .for_each(|c| out.extend_from_slice(c.encode_utf8(&mut encoded).as_bytes())),
        }
        out.extend_from_slice(chunk.invalid());
    }
    Cow::Owned(out)
}

/// By how much the file is indented otherwise than the patch, so that new lines can be indented as
/// the file is.
///
/// A shift is one of four things, and the same for every line that shows one: nothing; whitespace
/// that the file has in front of the patch's; whitespace that the patch has in front of the file's;
/// or tabs on one side where the other has the same number of spaces for each. Lines of nothing but
/// whitespace show nothing. What fits none of these is no shift: two spaces a level made four, or
/// lines each moved by its own amount.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Shift {
    kind: ShiftKind,
    /// Whether odd spaces in an indentation are taken for spaces.
    folds: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
enum ShiftKind {
    #[default]
    None,
    /// Put this whitespace in front.
    Deeper(Vec<u8>),
    /// Take this whitespace away from the front.
    Shallower(Vec<u8>),
    /// Put a tab for every run of this many spaces.
    Tabs(usize),
    /// Put this many spaces for every tab.
    Spaces(usize),
}

impl Shift {
    /// Finds the shift that every pair of a patch's line and the file's line for it shows.
    ///
    /// # Errors
    /// Returns the number, from 0, of the first pair that doesn't fit the pairs before it.
    pub(crate) fn shown<'l>(
        pairs: impl IntoIterator<Item = (&'l [u8], &'l [u8])>,
        level: Fuzz,
    ) -> Result<Self, usize> {
        let mut shown: Option<Vec<ShiftKind>> = None;
        let mut folds = false;
        for (number, (patch, file)) in pairs.into_iter().enumerate() {
            if level.form(patch).is_empty() {
                continue;
            }
            let raw_patch = indentation(patch, level);
            let raw_file = indentation(file, level);
            folds |= raw_patch != raw_file && !(raw_patch.is_ascii() && raw_file.is_ascii());
            let kinds = kinds(&plain(raw_patch), &plain(raw_file));
            let common: Vec<_> = match &shown {
                None => kinds,
                // Two spaces for no tab, and no space for no tab: what both may be.
                Some(before) => before
                    .iter()
                    .filter(|kind| kinds.iter().any(|other| *kind == other))
                    .cloned()
                    .collect(),
            };
            if common.is_empty() {
                return Err(number);
            }
            shown = Some(common);
        }
        let kind = shown
            .and_then(|kinds| kinds.into_iter().next())
            .unwrap_or_default();
        Ok(Self { kind, folds })
    }

    /// Returns how many bytes it puts in front of a line.
    pub(crate) fn adds(&self) -> usize {
        match &self.kind {
            ShiftKind::Deeper(more) => more.len(),
            _ => 0,
        }
    }

    /// Shifts a new line. A line of nothing but whitespace stays as it is. `None` if the line
    /// doesn't have the whitespace that is to be taken away, or has tabs where spaces are to be
    /// counted.
    pub(crate) fn apply<'l>(&self, line: &'l [u8]) -> Option<Cow<'l, [u8]>> {
        let level = if self.folds {
            Fuzz::Unicode
        } else {
            Fuzz::Indent
        };
        if level.form(line).is_empty() || (self.kind == ShiftKind::None && !self.folds) {
            return Some(Cow::Borrowed(line));
        }
        let raw = indentation(line, level);
        let old = plain(raw);
        let rest = &line[raw.len()..];
        let new = match &self.kind {
            ShiftKind::None => old.into_owned(),
            ShiftKind::Deeper(more) => [more, &*old].concat(),
            ShiftKind::Shallower(less) => old.strip_prefix(&less[..])?.to_vec(),
            ShiftKind::Tabs(unit) => {
                let spaces = all(&old, b' ')?;
                [b"\t".repeat(spaces / unit), b" ".repeat(spaces % unit)].concat()
            }
            ShiftKind::Spaces(unit) => {
                let tabs = old.iter().take_while(|&&byte| byte == b'\t').count();
                let behind = all(&old[tabs..], b' ')?;
                b" ".repeat(tabs.checked_mul(*unit)?.checked_add(behind)?)
            }
        };
        Some(Cow::Owned([&new, rest].concat()))
    }
}

/// Returns all shifts that a pair of indentations may show, the likeliest first. Two lines without
/// indentation need no shift, and may still be part of a change between tabs and spaces.
fn kinds(patch: &[u8], file: &[u8]) -> Vec<ShiftKind> {
    if patch.is_empty() && file.is_empty() {
        return [ShiftKind::None]
            .into_iter()
            .chain((1..=WIDEST).flat_map(|n| [ShiftKind::Tabs(n), ShiftKind::Spaces(n)]))
            .collect();
    }
    if patch == file {
        return vec![ShiftKind::None];
    }
    if let Some(more) = file.strip_suffix(patch) {
        return vec![ShiftKind::Deeper(more.to_vec())];
    }
    if let Some(less) = patch.strip_suffix(file) {
        return vec![ShiftKind::Shallower(less.to_vec())];
    }
    let unit = |spaces: &[u8], tabs: &[u8]| {
        let spaces = all(spaces, b' ')?;
        let tabs = all(tabs, b'\t')?;
        let unit = spaces.checked_div(tabs)?;
        (unit * tabs == spaces && (1..=WIDEST).contains(&unit)).then_some(unit)
    };
    let tabs = unit(patch, file).map(ShiftKind::Tabs);
    tabs.or_else(|| unit(file, patch).map(ShiftKind::Spaces))
        .into_iter()
        .collect()
}

/// How many spaces a tab is worth at most.
const WIDEST: usize = 8;

/// Returns how many characters whitespace has if all of them are `one`.
fn all(space: &[u8], one: u8) -> Option<usize> {
    space.iter().all(|&byte| byte == one).then_some(space.len())
}

/// Returns the whitespace that a line begins with, as it is.
fn indentation(line: &[u8], level: Fuzz) -> &[u8] {
    if level < Fuzz::Unicode || line.is_ascii() {
        return &line[..text::indentation(line)];
    }
    let end = line
        .char_indices()
        .find(|(_, _, c)| !matches!(ascii(*c), ' ' | '\t'))
        .map_or(line.len(), |(at, ..)| at);
    &line[..end]
}

/// Returns whitespace with plain spaces in place of other kinds of spaces.
fn plain(space: &[u8]) -> Cow<'_, [u8]> {
    if space.is_ascii() {
        return Cow::Borrowed(space);
    }
    Cow::Owned(space.chars().map(ascii).collect::<String>().into_bytes())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The tightest level at which two lines are the same.
    fn level(a: &[u8], b: &[u8]) -> Option<Fuzz> {
        [Fuzz::Exact]
            .into_iter()
            .chain(Fuzz::LEVELS)
            .find(|level| level.form(a) == level.form(b))
    }

    #[test]
    fn each_level_takes_its_own_for_the_same() {
        use Fuzz::{Exact, Indent, Trailing, Unicode};
        let rows: [(&[u8], &[u8], Option<Fuzz>); 22] = [
            (b"a", b"a", Some(Exact)),
            (b"a", b"a \t", Some(Trailing)),
            (b"", b"  ", Some(Trailing)),
            (b"  a", b"\ta", Some(Indent)),
            (b"a", b"    a ", Some(Indent)),
            (b"a b", b"a  b", None),
            (b"a", b"A", None),
            (b"a\r", b"a", None),
            (b"a\x0c", b"a", None),
            (
                "say “it’s” – now".as_bytes(),
                b"say \"it's\" - now",
                Some(Unicode),
            ),
            ("a\u{a0}b".as_bytes(), b"a b", Some(Unicode)),
            ("\u{a0}\u{3000}a\u{2009}".as_bytes(), b"\ta", Some(Unicode)),
            ("é".as_bytes(), "e\u{301}".as_bytes(), Some(Unicode)),
            (
                "각".as_bytes(),
                "\u{1100}\u{1161}\u{11a8}".as_bytes(),
                Some(Unicode),
            ),
            ("…".as_bytes(), b"...", None),
            ("«a»".as_bytes(), b"\"a\"", None),
            ("a\u{200b}".as_bytes(), b"a", None),
            ("ﬁ".as_bytes(), b"fi", None),
            (b"\xe9 ", b"\xe9", Some(Trailing)),
            (b"\xe9", "é".as_bytes(), None),
            (b"\xff\xe2\x80\x99x", b"\xff'x", Some(Unicode)),
            (b"\xe2\x80", b"'", None),
        ];
        for (a, b, want) in rows {
            assert_eq!(level(a, b), want, "{:?} {:?}", a.as_bstr(), b.as_bstr());
            assert_eq!(level(b, a), want, "{:?} {:?}", b.as_bstr(), a.as_bstr());
        }
    }

    proptest! {
        /// A form is its own form, at its level and at every tighter level, and what two lines
        /// share at a level they share at all looser levels.
        #[test]
        fn levels_nest(a in proptest::collection::vec(any::<u8>(), 0..12), b in "[ \ta\u{a0}’'é\u{301}\u{200a}]{0,5}", c in "[ \ta\u{a0}’'é\u{301}\u{200a}]{0,5}") {
            for line in [&a[..], b.as_bytes(), c.as_bytes()] {
                for level in Fuzz::LEVELS {
                    let form = level.form(line);
                    prop_assert_eq!(&level.form(&form), &form);
                }
            }
            let same: Vec<_> = Fuzz::LEVELS.iter().map(|level| level.form(b.as_bytes()) == level.form(c.as_bytes())).collect();
            prop_assert!(same.is_sorted(), "{same:?}");
        }
    }

    fn shifted(pairs: &[(&str, &str)], new: &str, level: Fuzz) -> Result<Option<String>, usize> {
        let pairs = pairs
            .iter()
            .map(|(patch, file)| (patch.as_bytes(), file.as_bytes()));
        let shift = Shift::shown(pairs, level)?;
        Ok(shift
            .apply(new.as_bytes())
            .map(|line| String::from_utf8(line.into_owned()).unwrap()))
    }

    #[test]
    fn new_lines_are_shifted_as_the_others_are() {
        for (pairs, new, want) in [
            (&[("a", "a")][..], "  x", Ok(Some("  x"))),
            (
                &[("a", "  a"), ("  b", "    b")],
                "    x",
                Ok(Some("      x")),
            ),
            (&[("a", "\ta"), ("\tb", "\t\tb")], "x", Ok(Some("\tx"))),
            (
                &[("    a", "a"), ("      b", "  b")],
                "    x",
                Ok(Some("x")),
            ),
            (&[("    a", "a")], "  x", Ok(None)),
            (&[("    a", "a")], "    ", Ok(Some("    "))),
            (&[("    a", "a")], "", Ok(Some(""))),
            (
                &[("    a", "\ta"), ("        b", "\t\tb")],
                "            x",
                Ok(Some("\t\t\tx")),
            ),
            (&[("a", "a"), ("  b", "\tb")], "     x", Ok(Some("\t\t x"))),
            (
                &[("\ta", "    a"), ("c", "c")],
                "\t\t x",
                Ok(Some("         x")),
            ),
            (&[("\ta", "    a")], " \tx", Ok(None)),
            (&[("    a", "\ta")], "\tx", Ok(None)),
            (&[("  a", "    a"), ("    b", "        b")], "x", Err(1)),
            (&[("a", " a"), ("b", "  b")], "x", Err(1)),
            (&[("a", "a"), ("b", "  b")], "x", Err(1)),
            (
                &[("a", " a"), ("", "   "), ("  ", ""), ("b", " b")],
                "x",
                Ok(Some(" x")),
            ),
            (&[("   a", "\t\ta")], "x", Err(0)),
            (&[(" \ta", "\t a")], "x", Err(0)),
            (&[("", "")], "  x", Ok(Some("  x"))),
        ] {
            assert_eq!(
                shifted(pairs, new, Fuzz::Indent),
                want.map(|to| to.map(str::to_owned)),
                "{pairs:?} {new:?}"
            );
        }
    }

    #[test]
    fn odd_spaces_in_front_become_the_files_spaces() {
        for (pairs, new, want) in [
            (
                &[("\u{a0}\u{a0}a", "  a")][..],
                "\u{a0}\u{a0}x\u{a0}",
                Some("  x\u{a0}"),
            ),
            (
                &[("\u{a0}\u{a0}a", "\u{a0}\u{a0}a")],
                "\u{a0}x",
                Some("\u{a0}x"),
            ),
            (&[("\u{a0}a", "\ta")], "\u{a0}\u{a0}x", Some("\t\tx")),
            (&[("  a", "\u{a0}\u{a0}a")], "  x", Some("  x")),
        ] {
            let got = shifted(pairs, new, Fuzz::Unicode).unwrap();
            assert_eq!(got.as_deref(), want, "{pairs:?} {new:?}");
        }
    }
}
