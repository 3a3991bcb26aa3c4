//! Hashes for what only costs another look, or a worse message, where two things have the same. Of a
//! map whose keys a response chooses, the hash must depend on a random number besides.

/// Spreads a word over the high bits: they alone are to be used.
#[inline]
pub(crate) const fn spread(word: u64) -> u64 {
    word.wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// Mixes another word into a hash.
#[inline]
pub(crate) const fn mixed(sum: u64, word: u64) -> u64 {
    let mixed = spread(sum ^ word);
    mixed ^ (mixed >> 29)
}

/// Returns a hash of bytes, in each of which these bits are set first. It takes a word at a time;
/// the last word may overlap the word before.
pub(crate) fn hash(bytes: &[u8], bits: u8) -> u64 {
    let bits = u64::from_ne_bytes([bits; 8]);
    let word = |word: &[u8; 8]| u64::from_le_bytes(*word) | bits;
    let (words, rest) = bytes.as_chunks();
    let hash = words.iter().map(word).fold(bytes.len() as u64, mixed);
    let short = || {
        rest.iter()
            .fold(0, |last, byte| last << 8 | u64::from(*byte))
            | bits
    };
    mixed(hash, bytes.last_chunk().map_or_else(short, word))
}
