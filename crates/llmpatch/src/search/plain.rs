//! Text as a reader sees it: what is left of a line when spaces, typographic quotes, dashes and odd
//! spaces don't count.

use std::borrow::Cow;

use bstr::ByteSlice as _;

use crate::text::{self, Invisible, hash, mixed};

/// The hash of a word, or of two neighbouring words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Key(pub(super) u64);

/// How much of a line is looked at.
const READ: usize = 1 << 14;

/// Calls `found` with the key of each word of a line and how much the word says; if `found` returns
/// true for two neighbouring words, also with the key of the pair. Letters have no case.
pub(super) fn keys(line: &[u8], mut found: impl FnMut(Key, u32) -> bool) {
    let line = &line[..line.len().min(READ)];
    let seen = if line.is_ascii() {
        Cow::Borrowed(line)
    } else {
        Cow::Owned(looks(line).into_bytes())
    };
    let mut before: Option<u64> = None;
    for word in seen
        .split(|byte| !IS_WORD[usize::from(*byte)])
        .filter(|word| !word.is_empty())
    {
        let word = hash(word, CASE);
        let is_known = found(Key(word), 1 << 12);
        if let Some(before) = before
            && is_known
        {
            found(Key(mixed(before.rotate_left(17), word)), 1 << 14);
        }
        before = is_known.then_some(word);
    }
}

/// The bytes that words are made of.
const IS_WORD: [bool; 256] = {
    let mut is_word = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        is_word[byte] = text::is_word(byte as u8);
        byte += 1;
    }
    is_word
};

/// What tells a capital letter from a small one.
const CASE: u8 = 0x20;

/// Returns a line without whitespace at its ends and with plain characters for typographic
/// characters.
pub(crate) fn plain(line: &[u8]) -> Vec<u8> {
    let text = if line.is_ascii() {
        Cow::Borrowed(line)
    } else {
        Cow::Owned(line.chars().map(ascii).collect::<String>().into_bytes())
    };
    text.trim_ascii().to_vec()
}

/// Returns the ASCII character that a typographic one is taken for.
pub(crate) fn ascii(odd: char) -> char {
    match odd {
        '\u{2018}'..='\u{201b}' | '\u{2032}' => '\'',
        '\u{201c}'..='\u{201f}' | '\u{2033}' => '"',
        '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
        '\u{a0}' | '\u{1680}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}' => {
            ' '
        }
        plain => plain,
    }
}

/// Returns a line as it looks: without the marks of its letters and what can't be seen, and with
/// Latin letters for their likes.
pub(crate) fn looks(line: &[u8]) -> String {
    let mut seen = String::new();
    line.chars().for_each(|c| look(c, |c| seen.push(c)));
    seen
}

fn look(c: char, mut seen: impl FnMut(char)) {
    unicode_normalization::char::decompose_canonical(ascii(c), |part| match part {
        // Accents, and which of its shapes an emoji has, are the marks of what is before them.
        '\u{ad}' | '\u{300}'..='\u{36f}' | '\u{fe00}'..='\u{fe0f}' => {}
        part if Invisible::of(part).is_some() => {}
        part => seen(latin(part)),
    });
}

/// Returns the Latin letter that a Cyrillic, Greek or full-width character looks like.
fn latin(c: char) -> char {
    const LIKES: [(&str, &str); 2] = [
        ("аеорсухіјѕһԁАВЕКМНОРСТУХІЈЅ", "aeopcyxijshdABEKMHOPCTYXIJS"),
        ("αονΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "aovABEZHIKMNOPTYX"),
    ];
    match c {
        '\u{ff01}'..='\u{ff5e}' => u8::try_from(u32::from(c) - 0xfee0).map_or(c, char::from),
        '\u{370}'..='\u{52f}' => {
            let all = LIKES
                .iter()
                .flat_map(|(odd, latin)| odd.chars().zip(latin.chars()));
            all.filter(|(odd, _)| *odd == c)
                .map(|(_, latin)| latin)
                .next()
                .unwrap_or(c)
        }
        _ => c,
    }
}

/// Returns how much two lines have in common, in percent: of the pairs of neighbouring characters
/// that aren't whitespace, how many both have. With `part`, how many of the first one's the second
/// has.
pub(super) fn alike(a: &[u8], b: &[u8], part: bool) -> u8 {
    let pairs = |line: &[u8]| {
        let line = &line[..line.len().min(READ >> 4)];
        let line = unmangled(if line.is_ascii() {
            plain(line)
        } else {
            looks(line).into_bytes()
        });
        let solid: Vec<u8> = line
            .iter()
            .copied()
            .filter(|byte| !byte.is_ascii_whitespace())
            .collect();
        let mut pairs: Vec<[u8; 2]> = solid.windows(2).map(|pair| [pair[0], pair[1]]).collect();
        if let [only] = solid[..] {
            pairs.push([only, 0]);
        }
        pairs.sort_unstable();
        pairs
    };
    let a = pairs(a);
    let b = pairs(b);
    let mut left = 0;
    let mut right = 0;
    let mut both = 0;
    while left < a.len() && right < b.len() {
        match a[left].cmp(&b[right]) {
            std::cmp::Ordering::Less => left += 1,
            std::cmp::Ordering::Greater => right += 1,
            std::cmp::Ordering::Equal => {
                (left, right, both) = (left + 1, right + 1, both + 1);
            }
        }
    }
    let percent = if part {
        100 * both / a.len().max(1)
    } else {
        200 * both / (a.len() + b.len()).max(1)
    };
    percent.min(100) as u8
}

/// Undoes what HTML and JSON do to the characters of code.
fn unmangled(line: Vec<u8>) -> Vec<u8> {
    match memchr::memchr2(b'&', b'\\', &line) {
        None => line,
        Some(_) => text::decode(&line).replace("\\\"", "\""),
    }
}
