use std::ops::Range;

use bstr::BString;

use super::whitespace::indentation;

/// A part of one line with a part of it marked: as much as a message can show, so that a line of a
/// gigabyte costs nothing.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Excerpt {
    text: BString,
    mark: Range<usize>,
    cut_before: bool,
    cut_after: bool,
}

impl Excerpt {
    /// How many bytes are kept before the mark, and from its start.
    const KEPT: (usize, usize) = (512, 1024);

    /// Cuts a line around a mark; a mark that reaches past the line ends where the line ends.
    pub fn new(line: &[u8], mark: Range<usize>) -> Self {
        let mark = mark.start.min(line.len())..mark.end.min(line.len());
        let from = boundary(line, mark.start.saturating_sub(Self::KEPT.0));
        let to = boundary(
            line,
            mark.start.saturating_add(Self::KEPT.1).min(line.len()),
        );
        Self {
            text: line[from..to].into(),
            mark: mark.start - from..mark.end.clamp(mark.start, to) - from,
            cut_before: from > 0,
            cut_after: to < line.len(),
        }
    }

    /// Takes a whole line of which everything but the indentation is marked.
    pub fn of_line(line: &[u8]) -> Self {
        let indent = indentation(line);
        if indent == line.len() {
            Self::new(line, 0..line.len())
        } else {
            Self::new(line, indent..line.len())
        }
    }

    /// Returns the column, from 1, in which the mark of a line that [`Self::of_line`] took begins.
    pub fn column(&self) -> usize {
        self.mark.start + 1
    }

    /// Returns the bytes that were kept, as they are in the line.
    pub fn text(&self) -> &[u8] {
        &self.text
    }

    /// Returns which of these are marked.
    pub fn mark(&self) -> Range<usize> {
        self.mark.clone()
    }

    /// Returns whether something of the line was left out before and behind them.
    pub fn is_cut(&self) -> (bool, bool) {
        (self.cut_before, self.cut_after)
    }
}

/// Returns the nearest offset at or before `at` that isn't inside a character.
fn boundary(line: &[u8], at: usize) -> usize {
    let is_inside = |at: usize| at < line.len() && line[at] & 0xc0 == 0x80;
    (at.saturating_sub(3)..=at)
        .rev()
        .find(|&at| !is_inside(at))
        .unwrap_or(at)
}
