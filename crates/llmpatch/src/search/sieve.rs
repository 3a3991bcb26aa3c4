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
