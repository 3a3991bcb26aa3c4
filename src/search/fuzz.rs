//! The named looser levels at which lines may be compared: what each takes for the same, and nothing of what to do about it.
//!
//! Each level includes those before it, so two lines that are the same at one are the same at every looser one. A line is
//! brought into the form that all its likes have at a level; forms are compared byte for byte. All works on bytes: what
//! isn't UTF-8 stays as it is, and so never equals anything but itself.
//!
//! Blanks are spaces and tabs, and at [`Fuzz::Unicode`] the odd spaces too. Not every look-alike is folded: ellipses,
//! guillemets, full-width forms and characters without width say something else than their ASCII neighbours, or
//! something that an author should look at.

use std::borrow::Cow;

use bstr::ByteSlice as _;
use unicode_normalization::{IsNormalized, UnicodeNormalization as _, is_nfc_quick};

use super::ascii;

/// How much may differ between a line of a patch and the line of the file that it means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Fuzz {
    /// Nothing.
    #[default]
    Exact,
    /// Blanks at the end.
    Trailing,
    /// Blanks at the start as well.
    Indent,
    /// Also typographic quotes, dashes and odd spaces against their ASCII forms, and composed against decomposed letters.
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
            Fuzz::Trailing => Cow::Borrowed(trimmed_end(line)),
            Fuzz::Indent => Cow::Borrowed(&trimmed_end(line)[indentation_len(trimmed_end(line))..]),
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
            IsNormalized::Yes => plain.for_each(|c| out.extend_from_slice(c.encode_utf8(&mut encoded).as_bytes())),
            _ => plain.nfc().for_each(|c| out.extend_from_slice(c.encode_utf8(&mut encoded).as_bytes())),
        }
        out.extend_from_slice(chunk.invalid());
    }
    Cow::Owned(out)
}

fn trimmed_end(line: &[u8]) -> &[u8] {
    line.trim_end_with(|c| matches!(c, ' ' | '\t'))
}

/// Returns how many bytes of blanks a line begins with.
pub(super) fn indentation_len(line: &[u8]) -> usize {
    line.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The tightest level at which two lines are the same.
    fn level(a: &[u8], b: &[u8]) -> Option<Fuzz> {
        [Fuzz::Exact].into_iter().chain(Fuzz::LEVELS).find(|level| level.form(a) == level.form(b))
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
            ("say “it’s” – now".as_bytes(), b"say \"it's\" - now", Some(Unicode)),
            ("a\u{a0}b".as_bytes(), b"a b", Some(Unicode)),
            ("\u{a0}\u{3000}a\u{2009}".as_bytes(), b"\ta", Some(Unicode)),
            ("é".as_bytes(), "e\u{301}".as_bytes(), Some(Unicode)),
            ("각".as_bytes(), "\u{1100}\u{1161}\u{11a8}".as_bytes(), Some(Unicode)),
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
        /// A form is its own form, at its level and at every tighter one, and what two lines share at a level they share at
        /// all looser ones.
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
}
