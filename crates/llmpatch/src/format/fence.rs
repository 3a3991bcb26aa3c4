//! Fences around code: Markdown's, and the tag that stands for one.

use super::envelope;

/// What a fence is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fence {
    of: u8,
    length: usize,
}

/// What is a fence where the code has backticks in it: aider asks models for that.
const TAG: (&[u8], &[u8]) = (b"<source>", b"</source>");

impl Fence {
    /// Reads a line that can begin a fence, and of Markdown's end one, and returns what is behind
    /// the backticks, tildes or tag.
    pub(crate) fn read(line: &[u8]) -> Option<(Self, &[u8])> {
        let text = envelope::trim(line);
        let &of @ (b'`' | b'~' | b'<') = text.first()? else {
            return None;
        };
        if of == b'<' {
            let info = text.strip_prefix(TAG.0)?;
            return (!info.contains(&b'<')).then_some((Self { of, length: 1 }, info));
        }
        let length = text.iter().take_while(|&&byte| byte == of).count();
        let info = &text[length..];
        (length >= 3 && (of == b'~' || !info.contains(&b'`')))
            .then_some((Self { of, length }, info))
    }

    /// Returns whether a line ends it.
    pub(crate) fn is_closed_by(self, line: &[u8]) -> bool {
        match self.of {
            b'<' => envelope::trim(line) == TAG.1,
            _ => {
                Self::read(line).is_some_and(|(other, info)| info.is_empty() && self.is_like(other))
            }
        }
    }

    /// Returns whether it is of backticks or tildes; a tag may as well be XML.
    pub(crate) fn is_markdowns(self) -> bool {
        self.of != b'<'
    }

    /// Returns whether another is of the same kind, and not shorter.
    pub(crate) fn is_like(self, other: Self) -> bool {
        self.of == other.of && other.length >= self.length
    }

    /// Returns whether a line begins or ends any.
    pub(crate) fn is_at(line: &[u8]) -> bool {
        Self::read(line).is_some() || envelope::trim(line) == TAG.1
    }
}
