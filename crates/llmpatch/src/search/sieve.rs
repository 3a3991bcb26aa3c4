use crate::text::{hash, spread};

/// Knows at a glance of most hashes that they aren't among some others: a bit for each, found by
/// the first bits of the hash.
#[derive(Debug)]
pub(crate) struct Sieve {
    bits: Vec<u64>,
    shift: u32,
}

impl Sieve {
    /// Makes an empty sieve of about `bits` bits.
    pub(crate) fn new(bits: usize) -> Self {
        let bits = bits.next_power_of_two().max(64);
        Self {
            bits: vec![0; bits / 64],
            shift: 64 - bits.trailing_zeros(),
        }
    }

    /// Adds a hash.
    pub(crate) fn add(&mut self, hash: u64) {
        let bit = hash >> self.shift;
        self.bits[bit as usize / 64] |= 1 << (bit % 64);
    }

    /// Returns whether a hash may have been added.
    pub(crate) fn may_have(&self, hash: u64) -> bool {
        let bit = hash >> self.shift;
        self.bits[bit as usize / 64] & 1 << (bit % 64) != 0
    }
}

/// Knows of most texts that they aren't among some others: of most by their lengths alone.
#[derive(Debug)]
pub(super) struct TextSieve {
    lengths: Sieve,
    texts: Sieve,
}

impl TextSieve {
    /// Takes the texts.
    pub(super) fn new<'t>(all: impl ExactSizeIterator<Item = &'t [u8]>) -> Self {
        let mut lengths = Sieve::new(64 * all.len());
        let mut texts = Sieve::new(64 * all.len());
        for text in all {
            lengths.add(spread(text.len() as u64));
            texts.add(hash(text, 0));
        }
        Self { lengths, texts }
    }

    /// Returns whether a text may be one of them.
    pub(super) fn may_have(&self, text: &[u8]) -> bool {
        self.lengths.may_have(spread(text.len() as u64)) && self.texts.may_have(hash(text, 0))
    }
}
