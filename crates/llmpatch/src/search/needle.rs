//! A text to find.

use std::cell::OnceCell;
use std::ops::Range;

use memchr::memmem;

use super::kmp::Kmp;
use super::places::Places;

/// What must hold at the ends of a match beside its text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Bounds {
    /// It must begin where a line begins.
    pub start_at_line: bool,
    /// It must end where a line's text ends.
    pub end_at_line: bool,
}

impl Bounds {
    /// Whole lines.
    pub(crate) const LINES: Bounds = Bounds {
        start_at_line: true,
        end_at_line: true,
    };
}

/// Finds bytes. To prepare a search for many takes longer than to look through a small file, so at
/// first only a part of them is looked for, as long as that doesn't lead astray.
pub(super) struct Finder<'n> {
    literal: &'n [u8],
    /// Finds the bytes of the literal from an offset on.
    part: memmem::Finder<'n>,
    offset: usize,
    whole: OnceCell<memmem::Finder<'n>>,
}

impl<'n> Finder<'n> {
    /// A needle of up to this many bytes is searched with next to no preparation.
    const PART: usize = if cfg!(test) { 4 } else { 32 };
    /// How often the part may be found without the whole: that bounds what is compared by the
    /// length of the text.
    const TRIES: usize = if cfg!(test) { 2 } else { 16 };

    fn new(literal: &'n [u8]) -> Self {
        // The middle of a hunk is likely to be less common than its edges.
        let offset = literal.len().saturating_sub(Self::PART) / 2;
        let part = &literal[offset..literal.len().min(offset + Self::PART)];
        Self {
            literal,
            part: memmem::Finder::new(part),
            offset,
            whole: OnceCell::new(),
        }
    }

    /// Returns where the bytes are first in a text.
    fn find(&self, text: &[u8]) -> Option<usize> {
        let mut from = 0;
        if self.whole.get().is_none() {
            for _ in 0..Self::TRIES {
                let at = from + self.part.find(text.get(from + self.offset..)?)?;
                if text[at..].starts_with(self.literal) {
                    return Some(at);
                }
                from = at + 1;
            }
        }
        let whole = self.whole.get_or_init(|| memmem::Finder::new(self.literal));
        whole.find(&text[from..]).map(|at| from + at)
    }
}

/// A text to find: some lines joined by line ends.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Needle {
    /// The lines joined by LF, after an LF where a match must begin at a line's start, before one
    /// where it must end at a line's end, so that most rules on the ends are part of the literal.
    literal: Vec<u8>,
    /// How many LFs of the literal are before the match, 0 or 1.
    before: usize,
    /// How many are behind it, 0 or 1.
    behind: usize,
    /// Whether the end of the file is as good as the LF behind the match.
    may_end_file: bool,
    /// Whether it has a line at all.
    has_line: bool,
    /// Whether it is only bytes: behind the last newline of a file, too, a match may end.
    is_bytes: bool,
}

impl Needle {
    /// Prepares whole lines, without terminators. No line is found nowhere.
    pub(crate) fn lines(lines: impl IntoIterator<Item = impl AsRef<[u8]>>) -> Self {
        // Room for most hunks at once; of very many, each keeps what it needs.
        let mut literal = Vec::with_capacity(1 << 9);
        literal.push(b'\n');
        for line in lines {
            literal.extend_from_slice(line.as_ref());
            literal.push(b'\n');
        }
        literal.shrink_to_fit();
        let has_line = literal.len() > 1;
        Self {
            literal,
            before: 1,
            behind: usize::from(has_line),
            may_end_file: true,
            has_line,
            is_bytes: false,
        }
    }

    /// Prepares a text of these lines, without terminators, that may begin and end within lines.
    ///
    /// An empty first (last) one of several is a whole empty line of the file, and the match then
    /// begins (ends) at that line's start. A single empty line, or none, is found nowhere.
    pub(crate) fn text(lines: &[&[u8]], bounds: Bounds) -> Self {
        let whole =
            |line: Option<&&[u8]>| lines.len() > 1 && line.is_some_and(|line| line.is_empty());
        let first_whole = whole(lines.first());
        let last_whole = whole(lines.last());
        let before = usize::from(first_whole || bounds.start_at_line);
        let behind = usize::from(last_whole || bounds.end_at_line);
        let text = lines.join(&b'\n');
        let has_line = !text.is_empty();
        let literal = [&b"\n"[..before], &text, &b"\n"[..behind]].concat();
        // At the end of a file, behind its last newline, there is no empty line.
        Self {
            literal,
            before,
            behind,
            may_end_file: bounds.end_at_line && !last_whole,
            has_line,
            is_bytes: false,
        }
    }

    /// Prepares a text byte for byte, given as the lines between its LFs. An empty one is found
    /// nowhere.
    pub(crate) fn bytes(lines: &[&[u8]]) -> Self {
        let literal = lines.join(&b'\n');
        let has_line = !literal.is_empty();
        Self {
            literal,
            before: 0,
            behind: 0,
            may_end_file: false,
            has_line,
            is_bytes: true,
        }
    }

    /// Returns what a match consists of.
    pub(crate) fn matched(&self) -> &[u8] {
        &self.literal[self.before..self.literal.len() - self.behind]
    }

    /// Returns the most bytes that a match can have in a file: its lines may end in CRLF.
    pub(crate) fn longest(&self) -> usize {
        let lines = memchr::memchr_iter(b'\n', self.matched());
        self.matched().len() + lines.count()
    }

    /// Returns the lines joined by LF, with an LF before or behind where a match must begin or end
    /// with a line.
    pub(super) fn literal(&self) -> &[u8] {
        &self.literal
    }

    /// Returns how many bytes of the literal are before the match.
    pub(super) fn before(&self) -> usize {
        self.before
    }

    /// Returns whether a match begins at an offset of a text.
    pub(super) fn is_at(&self, text: &[u8], at: usize) -> bool {
        let matched = self.matched();
        let Some(rest) = text.get(at..).and_then(|rest| rest.strip_prefix(matched)) else {
            return false;
        };
        let begins = self.before == 0 || at == 0 || text[at - 1] == b'\n';
        let ends = self.behind == 0
            || rest.first() == Some(&b'\n')
            || (self.may_end_file && rest.is_empty());
        // Behind the last newline of a file there is no line.
        let is_line =
            self.is_bytes || !rest.is_empty() || !(matched.is_empty() || matched.ends_with(b"\n"));
        self.has_line && begins && ends && is_line
    }

    /// Makes what finds the literal.
    pub(super) fn finder(&self) -> Finder<'_> {
        Finder::new(&self.literal)
    }

    /// Returns the first match that begins at or after an offset.
    pub(crate) fn first(&self, text: &[u8], from: usize) -> Option<usize> {
        self.next(&self.finder(), text, from)
    }

    fn next(&self, literal: &Finder<'_>, text: &[u8], from: usize) -> Option<usize> {
        if !self.has_line {
            return None;
        }
        if from == 0 && self.is_at(text, 0) {
            return Some(0);
        }
        let skipped = from.saturating_sub(self.before);
        let found = text.get(skipped..).and_then(|rest| literal.find(rest));
        let last = self.at_end(text).filter(|&at| at >= from);
        match (found.map(|at| skipped + at + self.before), last) {
            (Some(found), Some(last)) => Some(found.min(last)),
            (found, last) => found.or(last),
        }
    }

    /// Returns every match, overlapping matches included, in time linear in the text.
    pub(super) fn places(&self, literal: &Finder<'_>, text: &[u8]) -> Places {
        let Some(first) = self.next(literal, text, 0) else {
            return Places::default();
        };
        let mut places = Places::default();
        let mut last = first;
        places.push(first);
        // A look takes as long as what it passes and a match, which is linear as long as they don't
        // overlap.
        while let Some(at) = self.next(literal, text, last + 1) {
            if at < last + self.literal.len() {
                return self.overlapping(text, first);
            }
            places.push(at);
            last = at;
        }
        places
    }

    /// Returns every match, given the first, byte by byte.
    fn overlapping(&self, text: &[u8], first: usize) -> Places {
        let mut places = Places::default();
        let kmp = Kmp::new(&self.literal);
        // The start of the text is as good as the LF before the match.
        let mut matched = match (first, self.before) {
            (0, 1) => kmp.step(0, &b'\n'),
            _ => 0,
        };
        let start = first.saturating_sub(self.before);
        let end: &[u8] = if self.may_end_file && text.last() != Some(&b'\n') {
            b"\n"
        } else {
            b""
        };
        for (read, byte) in (start + 1..).zip(text[start..].iter().chain(end)) {
            matched = kmp.step(matched, byte);
            if matched == self.literal.len() {
                places.push(read - self.behind - self.matched().len());
            }
        }
        places
    }

    /// Returns the match that ends with the text, if only the end of the text is behind it.
    fn at_end(&self, text: &[u8]) -> Option<usize> {
        let at = text
            .len()
            .checked_sub(self.matched().len())
            .filter(|_| self.may_end_file)?;
        self.is_at(text, at).then_some(at)
    }

    /// Returns the bytes of a match that begins at an offset.
    pub(crate) fn range(&self, at: usize) -> Range<usize> {
        at..at + self.matched().len()
    }
}
