//! How much of a content is in another content, counted as git counts it for its renames.
//!
//! Not a measure of how many lines a diff would show: contents are cut into short pieces, at each
//! LF and after 64 bytes, and the bytes of pieces that both hold count, wherever they are. The
//! numbers are git's own (seen in 2.47), since the percentage is printed.

/// The score of equal contents; half of it makes a rename.
pub(super) const EQUAL: u64 = 60_000;
/// The lowest score of a rename.
pub(super) const RENAME: u64 = EQUAL / 2;

/// The pieces of a content: how many bytes are in pieces of each hash, ordered by hash.
pub(super) struct Pieces {
    counts: Vec<(u32, u64)>,
    len: u64,
}

impl Pieces {
    const LONGEST: u64 = 64;
    const HASHES: u32 = 107_927;

    /// Cuts a content. In a text, the CR of a CRLF doesn't count.
    pub(super) fn new(content: &[u8], is_text: bool) -> Self {
        let mut pieces = Vec::new();
        let mut low = 0_u32;
        let mut high = 0_u32;
        let mut len = 0_u64;
        for (at, &byte) in content.iter().enumerate() {
            if is_text && byte == b'\r' && content.get(at + 1) == Some(&b'\n') {
                continue;
            }
            (low, high) = ((low << 7) ^ (high >> 25), (high << 7) ^ (low >> 25));
            low = low.wrapping_add(u32::from(byte));
            len += 1;
            if len == Self::LONGEST || byte == b'\n' {
                pieces.push((Self::hash(low, high), len));
                (low, high, len) = (0, 0, 0);
            }
        }
        if len > 0 {
            pieces.push((Self::hash(low, high), len));
        }
        pieces.sort_unstable();
        let same = pieces.chunk_by(|one, next| one.0 == next.0);
        let counts = same.map(|same| (same[0].0, same.iter().map(|piece| piece.1).sum()));
        let counts = counts.collect();
        Self {
            counts,
            len: content.len() as u64,
        }
    }

    fn hash(low: u32, high: u32) -> u32 {
        low.wrapping_add(high.wrapping_mul(0x61)) % Self::HASHES
    }

    /// Returns the score, at most [`EQUAL`]: how much of the longer content the other holds too.
    pub(super) fn score(&self, other: &Pieces) -> u64 {
        let longer = self.len.max(other.len);
        if longer == 0 {
            return 0;
        }
        let mut common = 0;
        let mut theirs = other.counts.iter().peekable();
        for &(hash, count) in &self.counts {
            while theirs.next_if(|piece| piece.0 < hash).is_some() {}
            if let Some(piece) = theirs.next_if(|piece| piece.0 == hash) {
                common += count.min(piece.1);
            }
        }
        common * EQUAL / longer
    }
}

/// Returns whether two lengths alone rule out a rename.
pub(super) fn lengths_differ_too_much(a: usize, b: usize) -> bool {
    let longer = a.max(b) as u64;
    let shorter = a.min(b) as u64;
    longer * (EQUAL - RENAME) < (longer - shorter) * EQUAL
}

#[cfg(test)]
mod tests {
    use super::*;

    fn score(a: &[u8], b: &[u8]) -> u64 {
        Pieces::new(a, true).score(&Pieces::new(b, true))
    }

    #[test]
    fn counts_what_both_hold_wherever_it_stands() {
        let long = [b'x'; 64];
        for (a, b, want) in [
            (&b"a\nb\n"[..], &b"b\na\n"[..], EQUAL),
            (b"a\nb\n", b"a\nc\n", EQUAL / 2),
            (b"a\na\n", b"a\n", EQUAL / 2),
            (b"a\r\n", b"a\n", EQUAL * 2 / 3),
            (b"a\nb", b"a\nb", EQUAL),
            (b"a", b"b", 0),
            (b"", b"a", 0),
            (b"", b"", 0),
            (
                &[&long[..], b"a"].concat(),
                &[&long[..], b"b"].concat(),
                64 * EQUAL / 65,
            ),
        ] {
            assert_eq!(
                score(a, b),
                want,
                "{:?} {:?}",
                a.escape_ascii().to_string(),
                b.escape_ascii().to_string()
            );
            assert_eq!(score(b, a), want);
        }
    }

    #[test]
    fn a_carriage_return_counts_in_what_is_no_text() {
        let crlf = Pieces::new(b"a\r\n", false);
        let lf = Pieces::new(b"a\n", false);
        assert_eq!(crlf.score(&lf), 0);
    }

    #[test]
    fn half_as_long_can_be_a_rename() {
        for (a, b, want) in [(10, 5, false), (10, 4, true), (5, 10, false), (0, 1, true)] {
            assert_eq!(lengths_differ_too_much(a, b), want, "{a} {b}");
        }
    }
}
