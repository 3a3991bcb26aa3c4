//! Text that isn't in a response as it is meant, but in a string of a program or a command: its escapes
//! are undone, and every place leads back to the response.

use std::ops::Range;

use super::Splice;

/// A decoded text.
#[derive(Clone, Debug, Default)]
pub(crate) struct Decoded {
    pub(crate) text: Vec<u8>,
    /// Where its bytes are in the text that it comes from.
    pub(crate) places: DecodedPlaces,
}

impl Decoded {
    /// Decodes a range of a text: splices are in order and within the range; what they leave out
    /// stands for itself.
    pub(crate) fn new(whole: &[u8], range: Range<usize>, splices: &[Splice]) -> Self {
        let mut text = Vec::with_capacity(range.len());
        let mut places = DecodedPlaces::default();
        let mut at = range.start;
        for splice in splices {
            places.note(text.len(), at);
            text.extend_from_slice(&whole[at..splice.old.start]);
            places.note(text.len(), splice.old.start);
            text.extend_from_slice(&splice.new);
            at = splice.old.end;
        }
        places.note(text.len(), at);
        text.extend_from_slice(&whole[at..range.end]);
        places.note(text.len(), range.end);
        Self { text, places }
    }
}

/// Where the bytes of a decoded text are in the text that it comes from: offsets in the one, in
/// order, and in the other. From one to the next they go in step.
#[derive(Clone, Debug, Default)]
pub(crate) struct DecodedPlaces(Vec<(usize, usize)>);

impl DecodedPlaces {
    /// Adds that an offset in the decoded text is this one in the other.
    pub(crate) fn note(&mut self, offset: usize, at: usize) {
        self.0.push((offset, at));
    }

    /// Adds that bytes from an offset on stand for themselves, which are in this range of a text
    /// that is decoded itself.
    pub(crate) fn note_within(&mut self, offset: usize, outer: &Self, plain: Range<usize>) {
        self.note(offset, outer.at(plain.start));
        let first = outer.0.partition_point(|(from, _)| *from <= plain.start);
        let inside = outer.0[first..].iter();
        let inside = inside.take_while(|(from, _)| *from < plain.end);
        self.0
            .extend(inside.map(|(from, at)| (offset + from - plain.start, *at)));
    }

    /// Returns the offset in the other text of an offset in the decoded text.
    pub(crate) fn at(&self, offset: usize) -> usize {
        let next = self.0.partition_point(|(from, _)| *from <= offset);
        let (from, at) = self.0[next.saturating_sub(1)];
        let most = self.0.get(next).map_or(usize::MAX, |(_, next)| *next);
        (at + (offset - from)).min(most)
    }

    /// Returns the range in the other text of a range in the decoded text.
    pub(crate) fn range(&self, range: Range<usize>) -> Range<usize> {
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
            assert_eq!(decoded.places.range(range.clone()), want, "{range:?}");
        }
    }
}
