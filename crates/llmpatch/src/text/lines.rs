use std::fmt;
use std::sync::Arc;

/// The number of a line, from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
pub struct LineNo(u32);

impl LineNo {
    /// The first line.
    pub const FIRST: LineNo = LineNo(1);

    /// Makes the number of the line at an index from 0.
    pub fn from_index(index: usize) -> Self {
        Self(u32::try_from(index + 1).unwrap_or(u32::MAX))
    }

    /// Returns the number, from 1.
    pub fn get(self) -> u32 {
        self.0
    }

    /// Returns the index, from 0.
    pub fn index(self) -> usize {
        self.0 as usize - 1
    }

    /// Returns the number of the line behind it.
    pub fn next(self) -> Self {
        Self(self.0.saturating_add(1))
    }
}

impl fmt::Display for LineNo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// How a line ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ending {
    /// The text ends without a terminator.
    None,
    /// `\n`
    Lf,
    /// `\r\n`
    CrLf,
}

impl Ending {
    /// Returns the terminator's bytes.
    pub fn as_bytes(self) -> &'static [u8] {
        match self {
            Ending::None => b"",
            Ending::Lf => b"\n",
            Ending::CrLf => b"\r\n",
        }
    }
}

/// A line of a file: its text and how it ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line<'a> {
    /// The bytes without the terminator.
    pub text: &'a [u8],
    /// The terminator.
    pub ending: Ending,
}

impl<'a> Line<'a> {
    /// Takes the terminator off, if there is one.
    pub fn new(raw: &'a [u8]) -> Self {
        match raw {
            [text @ .., b'\r', b'\n'] => Line {
                text,
                ending: Ending::CrLf,
            },
            [text @ .., b'\n'] => Line {
                text,
                ending: Ending::Lf,
            },
            text => Line {
                text,
                ending: Ending::None,
            },
        }
    }
}

/// The lines of a file, indexed once. A byte order mark at the start of the file is not part of the
/// first line.
///
/// `"a\n"` has one line, `"a\n\n"` two, `"a\nb"` two of which the last has no terminator, `""`
/// none.
#[derive(Clone, Debug)]
pub struct Lines<'a> {
    bytes: &'a [u8],
    starts: Starts,
    bom: usize,
}

/// Where the lines of some bytes start, without the bytes.
#[derive(Clone, Debug)]
pub struct Starts(Arc<Vec<usize>>);

impl std::ops::Deref for Starts {
    type Target = [usize];

    /// Returns the start of each line, and the end of the bytes as the last item.
    fn deref(&self) -> &[usize] {
        &self.0
    }
}

impl<'a> Lines<'a> {
    /// The UTF-8 byte order mark.
    pub const BOM: &'static [u8] = b"\xef\xbb\xbf";

    /// Splits bytes at each LF.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self::split(bytes, Self::bom_len(bytes))
    }

    /// Returns how long the byte order mark is that bytes begin with; 0 for none.
    pub(crate) fn bom_len(bytes: &[u8]) -> usize {
        if bytes.starts_with(Self::BOM) {
            Self::BOM.len()
        } else {
            0
        }
    }

    fn split(bytes: &'a [u8], bom: usize) -> Self {
        // Most lines of code have so many bytes.
        let mut starts = Vec::with_capacity(bytes.len() / 32 + 2);
        starts.push(bom);
        each_newline(bytes, |at| starts.push(at + 1));
        if *starts.last().expect("there is a first start") < bytes.len() {
            starts.push(bytes.len());
        }
        Self {
            bytes,
            starts: Starts(Arc::new(starts)),
            bom,
        }
    }

    /// Splits bytes from within a file at each LF: what they begin with is no byte order mark.
    pub fn within(bytes: &'a [u8]) -> Self {
        Self::split(bytes, 0)
    }

    /// Makes the lines of bytes once more, of which [`Lines::starts`] has been asked.
    pub fn with(bytes: &'a [u8], starts: Starts) -> Self {
        Self {
            bytes,
            bom: starts[0],
            starts,
        }
    }

    /// Returns where they start, for [`Lines::with`].
    pub fn starts(&self) -> Starts {
        self.starts.clone()
    }

    /// Returns how many LFs are before a byte offset.
    pub(crate) fn newlines_before(&self, offset: usize) -> usize {
        let before = self.started(offset).saturating_sub(1);
        let is_open = offset == self.bytes.len()
            && !self.bytes[self.bom..].is_empty()
            && !self.bytes.ends_with(b"\n");
        before - usize::from(is_open)
    }

    /// Returns how many lines there are.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Returns whether there is no line.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the whole bytes, the byte order mark included.
    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// Returns the byte order mark, or nothing.
    pub fn bom(&self) -> &'a [u8] {
        &self.bytes[..self.bom]
    }

    /// Returns the byte offset at which line `index` (from 0) starts; for `index == len()`, the end
    /// of the bytes.
    pub fn start(&self, index: usize) -> usize {
        self.starts[index]
    }

    /// Returns the bytes of the lines `range` (indices from 0), terminators included.
    pub fn raw(&self, range: std::ops::Range<usize>) -> &'a [u8] {
        &self.bytes[self.starts[range.start]..self.starts[range.end]]
    }

    /// Returns line `index`, from 0.
    ///
    /// # Panics
    /// If there are fewer lines.
    pub fn get(&self, index: usize) -> Line<'a> {
        Line::new(self.raw(index..index + 1))
    }

    /// Returns the text of line `index`, from 0, without its terminator.
    pub fn text(&self, index: usize) -> &'a [u8] {
        self.get(index).text
    }

    /// Returns the lines in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = Line<'a>> + ExactSizeIterator + '_ {
        (0..self.len()).map(|index| self.get(index))
    }

    /// Returns the index, from 0, of the line that holds a byte offset; an offset past the end is
    /// in the last line.
    pub fn index_at(&self, offset: usize) -> usize {
        self.started(offset)
            .saturating_sub(1)
            .min(self.len().saturating_sub(1))
    }

    /// Returns how many of the starts are at or before an offset: about as many as if all lines
    /// were equally long.
    fn started(&self, offset: usize) -> usize {
        let guess = offset as u128 * self.starts.len() as u128 / self.bytes.len().max(1) as u128;
        partition_near(&self.starts, guess as usize, |&start| start <= offset)
    }

    /// Returns the terminator that most lines have: LF where they are even or there is none.
    pub(crate) fn majority(&self) -> Ending {
        let crlf = self
            .iter()
            .filter(|line| line.ending == Ending::CrLf)
            .count();
        let lf = self.iter().filter(|line| line.ending == Ending::Lf).count();
        if crlf > lf { Ending::CrLf } else { Ending::Lf }
    }
}

/// Returns the index of the first item for which something doesn't hold; it holds for none behind
/// that. It is looked for from a guess on, farther and farther away, so that a good one saves most
/// of the search.
fn partition_near<T>(all: &[T], guess: usize, holds: impl Fn(&T) -> bool) -> usize {
    let guess = guess.min(all.len());
    let mut start = guess;
    let mut end = guess;
    let mut reach = 1;
    while start > 0 && !holds(&all[start - 1]) {
        (start, end, reach) = (start.saturating_sub(reach), start - 1, reach * 2);
    }
    while end >= guess && end < all.len() && holds(&all[end]) {
        (start, end, reach) = (end + 1, all.len().min(end + reach), reach * 2);
    }
    start + all[start..end].partition_point(holds)
}

/// Calls `found` with the offset of every LF. With lines as short as lines of code, this takes half
/// the time of a search for each LF, however fast that is.
pub(super) fn each_newline(bytes: &[u8], mut found: impl FnMut(usize)) {
    const WORD: usize = 8;
    const LF: u64 = u64::from_le_bytes([b'\n'; WORD]);
    const LOW: u64 = u64::from_le_bytes([0x7f; WORD]);
    let words = bytes.chunks_exact(WORD);
    let rest = bytes.len() - words.remainder().len();
    for (nth, word) in words.enumerate() {
        let word = u64::from_le_bytes(word.try_into().expect("a chunk is a word")) ^ LF;
        // The highest bit of each byte that is zero.
        let mut zeros = !(((word & LOW) + LOW) | word | LOW);
        while zeros != 0 {
            found(nth * WORD + zeros.trailing_zeros() as usize / 8);
            zeros &= zeros - 1;
        }
    }
    (rest..bytes.len())
        .filter(|&at| bytes[at] == b'\n')
        .for_each(found);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splits_on_lf_only() {
        for (bytes, want) in [
            ("", &[][..]),
            ("a", &[("a", Ending::None)]),
            ("a\n", &[("a", Ending::Lf)]),
            ("a\n\n", &[("a", Ending::Lf), ("", Ending::Lf)]),
            ("a\r\nb\rc\n", &[("a", Ending::CrLf), ("b\rc", Ending::Lf)]),
            ("\u{feff}a\n\r", &[("a", Ending::Lf), ("\r", Ending::None)]),
            ("\u{feff}", &[]),
            ("x\u{2028}y\u{c}z\n", &[("x\u{2028}y\u{c}z", Ending::Lf)]),
        ] {
            let lines = Lines::new(bytes.as_bytes());
            let got: Vec<_> = lines
                .iter()
                .map(|line| (std::str::from_utf8(line.text).unwrap(), line.ending))
                .collect();
            assert_eq!(got, want, "{bytes:?}");
            assert_eq!(
                [lines.bom(), lines.raw(0..lines.len())].concat(),
                bytes.as_bytes(),
                "{bytes:?}"
            );
        }
    }

    #[test]
    fn a_partition_is_the_same_from_every_guess() {
        for len in 0..20 {
            let all: Vec<usize> = (0..len).collect();
            for (guess, want) in
                (0..len + 2).flat_map(|guess| (0..=len).map(move |want| (guess, want)))
            {
                assert_eq!(
                    partition_near(&all, guess, |&item| item < want),
                    want,
                    "of {len}, from {guess}"
                );
            }
        }
    }

    #[test]
    fn the_majority_decides_and_lf_wins_a_tie() {
        for (bytes, want) in [
            ("", Ending::Lf),
            ("a\r\nb\n", Ending::Lf),
            ("a\r\nb\r\nc\n", Ending::CrLf),
            ("a", Ending::Lf),
        ] {
            assert_eq!(Lines::new(bytes.as_bytes()).majority(), want, "{bytes:?}");
        }
    }

    #[test]
    fn offsets_lead_back_to_lines() {
        let lines = Lines::new(b"ab\nc\n");
        let got: Vec<_> = (0..7).map(|offset| lines.index_at(offset)).collect();
        assert_eq!(got, [0, 0, 0, 1, 1, 1, 1]);
    }
}
