//! Markdown's fences.

use super::envelope;

/// What a fence is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fence {
    of: u8,
    length: usize,
}

impl Fence {
    /// Reads a line that can begin or end one, and returns what is behind its backticks or tildes.
    pub(super) fn read(line: &[u8]) -> Option<(Self, &[u8])> {
        let text = envelope::trim(line);
        let &of @ (b'`' | b'~') = text.first()? else { return None };
        let length = text.iter().take_while(|&&byte| byte == of).count();
        let info = &text[length..];
        (length >= 3 && (of == b'~' || !info.contains(&b'`'))).then_some((Self { of, length }, info))
    }

    /// Returns whether a line ends it.
    pub(super) fn is_closed_by(self, line: &[u8]) -> bool {
        Self::read(line).is_some_and(|(other, info)| info.is_empty() && self.is_like(other))
    }

    /// Returns whether another is of the same kind, and not shorter.
    pub(super) fn is_like(self, other: Self) -> bool {
        self.of == other.of && other.length >= self.length
    }
}
