//! How much a response may make of what it finds and brings. A text that is put in many places,
//! edit after edit, or a file that is copied again and again makes much of little.

use std::cell::Cell;

use crate::patch::{FileEdit, Operation};

/// An edit may add up to this many times the bytes that its file had and the response brings.
const TIMES: usize = 100;
/// The most bytes that all edits of a response may add beyond what it brings. Where an
/// edit's file and the response have more bytes than that, the sum may reach their number.
const MOST: usize = 256 << 20;

/// What a response makes of a file.
#[derive(Clone, Copy)]
pub(super) struct Growth<'g> {
    /// How many bytes the file had before the response, and all that the response brings.
    given: usize,
    /// How many bytes the response has added so far that it doesn't bring.
    added: &'g Cell<usize>,
}

impl<'g> Growth<'g> {
    pub(super) fn new(given: usize, added: &'g Cell<usize>) -> Self {
        Self { given, added }
    }

    /// Notes that bytes are about to be unpacked of a response that says how many they are. Returns
    /// false if they are too many.
    pub(super) fn bring(self, bytes: usize) -> bool {
        let added = self.added.get().saturating_add(bytes);
        let may_be = added <= self.given.max(MOST);
        if may_be {
            self.added.set(added);
        }
        may_be
    }

    /// Notes that bytes are about to be added. Returns false if they are too many.
    pub(super) fn add(self, bytes: usize) -> bool {
        bytes <= self.given.saturating_mul(TIMES) && self.bring(bytes)
    }
}

/// Returns how many bytes of lines, or of binary patches, edits bring.
pub(super) fn brought<'p>(edits: impl Iterator<Item = &'p FileEdit<'p>>) -> usize {
    let binary = |edit: &FileEdit<'_>| {
        let binary = edit.header.as_ref()?.binary.as_ref()?;
        Some(binary.text.len())
    };
    edits
        .map(|edit| binary(edit).unwrap_or_else(|| of(&edit.operation)))
        .sum()
}

fn of(operation: &Operation<'_>) -> usize {
    let size = |lines: &[crate::text::Text<'_>]| lines.iter().map(|line| line.len() + 1).sum();
    match operation {
        Operation::Create { lines, .. } | Operation::Replace { lines } => size(lines),
        Operation::Substitute(edit) => size(&edit.find) + size(&edit.put),
        Operation::Update { hunks, .. } => {
            let lines = hunks.iter().flat_map(|hunk| &hunk.lines);
            lines.map(|line| line.text.len() + 1).sum()
        }
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_added_is_bounded_by_what_is_given_and_in_all() {
        let added = Cell::default();
        let small = Growth::new(1000, &added);
        assert!(small.add(100_000));
        assert!(!small.add(100_001));
        let large = Growth::new(10 << 20, &added);
        assert!(large.add(200 << 20));
        assert!(!large.add(60 << 20));
        // One copy of a file of any size.
        let added = Cell::default();
        let huge = Growth::new(1 << 30, &added);
        assert!(huge.add(1 << 30));
        assert!(!huge.add(1));
    }
}
