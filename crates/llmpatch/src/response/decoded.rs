//! Text that isn't in a response as it is meant: an escape, a transfer encoding or a colour code is
//! undone, and every place leads back to the response.

use std::ops::Range;

use crate::text::Splice;

/// A decoded text, and where its bytes are in the text that it comes from.
#[derive(Debug)]
pub(super) struct Decoded {
    pub(super) text: Vec<u8>,
    /// Offsets in the decoded text, in order, and in the other; from one to the next they go in
    /// step.
    steps: Vec<(usize, usize)>,
}

impl Decoded {
    /// Decodes a range of a text: splices are in order and within the range; what they leave out
    /// stands for itself.
    pub(super) fn new(whole: &[u8], range: Range<usize>, splices: &[Splice]) -> Self {
        let mut text = Vec::with_capacity(range.len());
        let mut steps = Vec::new();
        let mut at = range.start;
        for splice in splices {
            steps.push((text.len(), at));
            text.extend_from_slice(&whole[at..splice.old.start]);
            steps.push((text.len(), splice.old.start));
            text.extend_from_slice(&splice.new);
            at = splice.old.end;
        }
        steps.push((text.len(), at));
        text.extend_from_slice(&whole[at..range.end]);
        steps.push((text.len(), range.end));
        Self { text, steps }
    }

    /// Returns the offset in the other text of an offset in the decoded text.
    fn at(&self, offset: usize) -> usize {
        let next = self.steps.partition_point(|(from, _)| *from <= offset);
        let (from, at) = self.steps[next.saturating_sub(1)];
        let most = self.steps.get(next).map_or(at, |(_, next)| *next);
        (at + (offset - from)).min(most)
    }

    /// Returns the range in the other text of a range in the decoded text.
    pub(super) fn range(&self, range: Range<usize>) -> Range<usize> {
        let start = self.at(range.start);
        let end = if range.is_empty() {
            start
        } else {
            self.at(range.end)
        };
        start..end.max(start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_lead_back() {
        let splice = |old, new: &str| Splice {
            old,
            new: new.into(),
        };
        let whole = br#"x = "a\nb\u0041c";"#;
        let decoded = Decoded::new(whole, 5..16, &[splice(6..8, "\n"), splice(9..15, "A")]);
        assert_eq!(decoded.text, b"a\nbAc");
        for (range, want) in [
            (0..1, 5..6),
            (2..3, 8..9),
            (3..4, 9..15),
            (4..5, 15..16),
            (0..5, 5..16),
        ] {
            assert_eq!(decoded.range(range.clone()), want, "{range:?}");
        }
    }
}
