//! Parts of a file that something has taken the place of, in order: where what is between them is now.

use std::ops::Range;

use crate::text::Splice;

/// A part of the base that something has taken the place of, and where that is now.
#[derive(Debug)]
pub(super) struct Spliced {
    pub(super) splice: Splice,
    /// The offset of the new bytes.
    pub(super) start: usize,
    /// The index of the line in which they begin.
    pub(super) line: usize,
}

impl Spliced {
    pub(super) fn end(&self) -> usize {
        self.start + self.splice.new.len()
    }
}

/// Returns where bytes of the base are now, if nothing touches them, or else what does. What comes right behind a CR at their end
/// may make it part of a line end, so that touches them as well.
pub(super) fn kept<'s>(all: &'s [Spliced], range: &Range<usize>) -> Result<Range<usize>, &'s Spliced> {
    let before = all.partition_point(|spliced| spliced.splice.old.end < range.start);
    if let Some(touched) = all.get(before).filter(|spliced| spliced.splice.old.start <= range.end + 1) {
        return Err(touched);
    }
    let shift = |at: usize| match before.checked_sub(1).map(|before| &all[before]) {
        Some(before) => before.end() + (at - before.splice.old.end),
        None => at,
    };
    Ok(shift(range.start)..shift(range.end))
}

/// Returns the offset in the base of one that is now; of one among new bytes, that behind what they took the place of.
pub(super) fn in_base(all: &[Spliced], at: usize) -> usize {
    match all.partition_point(|spliced| spliced.start <= at).checked_sub(1).map(|before| &all[before]) {
        Some(before) => before.splice.old.end + at.saturating_sub(before.end()),
        None => at,
    }
}
