use std::ops::Range;

use crate::text::{Lines, is_word};

/// An end of a match, or both.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::Display)]
pub enum Side {
    /// Where it begins.
    #[strum(to_string = "begins")]
    Start,
    /// Where it ends.
    #[strum(to_string = "ends")]
    End,
    /// Both.
    #[strum(to_string = "begins and ends")]
    Both,
}

/// Returns at which ends a match cuts a word of the file in two: a `cat` found in `concatenate` is
/// rarely what was meant.
///
/// Words are made of ASCII letters, digits, `_` and bytes from 0x80, which make up letters in every
/// encoding in use. A byte order mark is no part of a word.
pub(crate) fn cuts_word(hay: &Lines<'_>, range: &Range<usize>) -> Option<Side> {
    let bytes = hay.bytes();
    let cuts = |at: usize| {
        at > hay.bom().len()
            && at < bytes.len()
            && range.start < range.end
            && is_word(bytes[at - 1])
            && is_word(bytes[at])
    };
    match (cuts(range.start), cuts(range.end)) {
        (false, false) => None,
        (true, false) => Some(Side::Start),
        (false, true) => Some(Side::End),
        (true, true) => Some(Side::Both),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_letters_digits_underscores_and_high_bytes() {
        for (hay, range, want) in [
            ("concatenate", 3..6, Some(Side::Both)),
            ("cat", 0..3, None),
            ("a cat b", 2..5, None),
            ("cats", 0..3, Some(Side::End)),
            ("my_cat", 3..6, Some(Side::Start)),
            ("x1", 0..1, Some(Side::End)),
            ("é", 1..2, Some(Side::Start)),
            ("(cat)", 1..4, None),
            ("(cat)", 0..4, None),
            ("acat", 1..1, None),
            ("\u{feff}cat", 3..6, None),
            ("a\ncat\nb", 2..5, None),
            ("concat", 3..6, Some(Side::Start)),
        ] {
            assert_eq!(
                cuts_word(&Lines::new(hay.as_bytes()), &range),
                want,
                "{range:?} in {hay:?}"
            );
        }
    }
}
