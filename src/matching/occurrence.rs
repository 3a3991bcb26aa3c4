//! A literal text anywhere in a file, line ends aside: the exact substring search of OPX.
//!
//! The lines to find are joined by line ends, and a line end is a line end, LF or CRLF; a CR that no LF follows is an
//! ordinary byte. So a match never begins or ends between CR and LF. The byte order mark at the start of a file is not part
//! of any match. Matches are byte ranges of the file; the terminator behind the last line is never in them.

use std::borrow::Cow;
use std::num::NonZeroUsize;
use std::ops::Range;

use memchr::memmem;

use super::kmp::Kmp;
use crate::text::Lines;

/// What must hold at the ends of a match beside its text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bounds {
    /// It must begin where a line begins.
    pub start_at_line: bool,
    /// It must end where a line's text ends.
    pub end_at_line: bool,
}

/// A text to find.
#[derive(Clone, Debug)]
pub struct Needle {
    /// The lines joined by LF, after an LF where a match must begin at a line's start, before one where it must end at a
    /// line's end: so every rule on the ends is part of the literal, and no candidate is ever found and then rejected.
    literal: memmem::Finder<'static>,
    /// How many LFs of the literal stand before the match, 0 or 1.
    before: usize,
    /// How many stand behind it, 0 or 1.
    behind: usize,
    /// Whether the end of the file is as good as the LF behind the match.
    may_end_file: bool,
}

/// Why there isn't one match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Several {
    /// How many there are, overlapping ones included: none, or more than one.
    pub count: usize,
    /// The indices, from 0, of the first few lines in which one begins, each once.
    pub lines: Vec<usize>,
}

impl Needle {
    /// How many lines of several matches are listed.
    pub const LISTED: usize = 10_000;

    /// Prepares the lines to find, without terminators.
    ///
    /// An empty first (last) one of several stands for a whole empty line of the file, and the match then begins (ends) at
    /// that line's start. A single empty line, or none, is found nowhere.
    pub fn new(lines: &[&[u8]], bounds: Bounds) -> Self {
        let whole = |line: Option<&&[u8]>| lines.len() > 1 && line.is_some_and(|line| line.is_empty());
        let (first_whole, last_whole) = (whole(lines.first()), whole(lines.last()));
        let before = usize::from(first_whole || bounds.start_at_line);
        let behind = usize::from(last_whole || bounds.end_at_line);
        let literal = [&b"\n"[..before], &lines.join(&b'\n'), &b"\n"[..behind]].concat();
        Self {
            literal: memmem::Finder::new(&literal).into_owned(),
            before,
            behind,
            // At the end of a file, behind its last newline, there is no empty line.
            may_end_file: bounds.end_at_line && !last_whole,
        }
    }

    /// Returns the first match.
    pub fn first(&self, hay: &Lines<'_>) -> Option<Range<usize>> {
        let view = self.view(hay);
        self.next(&view.text, 0).map(|at| view.original(at..at + self.text().len()))
    }

    /// Returns the last match: the one that begins last.
    pub fn last(&self, hay: &Lines<'_>) -> Option<Range<usize>> {
        if self.text().is_empty() {
            return None;
        }
        let view = self.view(hay);
        let literal = self.literal.needle();
        let at = self
            .at_end(&view.text)
            .or_else(|| memmem::FinderRev::new(literal).rfind(&view.text).map(|at| at + self.before))
            .or_else(|| self.at_start(&view.text))?;
        Some(view.original(at..at + self.text().len()))
    }

    /// Returns the match number `n`, counted from the start without overlaps.
    ///
    /// # Errors
    /// If there are fewer: how many there are.
    pub fn nth(&self, hay: &Lines<'_>, n: NonZeroUsize) -> Result<Range<usize>, usize> {
        let view = self.view(hay);
        let mut from = 0;
        for count in 0..n.get() {
            let Some(at) = self.next(&view.text, from) else { return Err(count) };
            from = at + self.text().len();
        }
        Ok(view.original(from - self.text().len()..from))
    }

    /// Returns the match if there is only one. Overlapping ones count: `aa` is twice in `aaa`.
    ///
    /// # Errors
    /// If there is none or more than one.
    pub fn only(&self, hay: &Lines<'_>) -> Result<Range<usize>, Several> {
        let view = self.view(hay);
        let mut several = Several { count: 0, lines: Vec::new() };
        let Some(first) = self.next(&view.text, 0) else { return Err(several) };
        if self.next(&view.text, first + 1).is_none() {
            return Ok(view.original(first..first + self.text().len()));
        }
        let mut next_line = 0;
        self.each(&view.text, first, |at| {
            several.count += 1;
            if several.lines.len() < Self::LISTED && view.original(at..at).start >= next_line {
                let line = hay.index_at(view.original(at..at).start);
                several.lines.push(line);
                next_line = hay.start(line + 1);
            }
        });
        Err(several)
    }

    /// What a match consists of.
    fn text(&self) -> &[u8] {
        let literal = self.literal.needle();
        &literal[self.before..literal.len() - self.behind]
    }

    /// Returns the start of the first match that starts at or after `from`.
    fn next(&self, hay: &[u8], from: usize) -> Option<usize> {
        if self.text().is_empty() {
            return None;
        }
        if from == 0
            && let Some(at) = self.at_start(hay)
        {
            return Some(at);
        }
        let skipped = from.saturating_sub(self.before);
        let found = hay.get(skipped..).and_then(|rest| self.literal.find(rest)).map(|at| skipped + at + self.before);
        found.or_else(|| self.at_end(hay).filter(|&at| at >= from))
    }

    /// Returns the match at the very start, if there no LF stands before it that the literal has.
    fn at_start(&self, hay: &[u8]) -> Option<usize> {
        let rest = hay.strip_prefix(self.text()).filter(|_| self.before == 1)?;
        let ends = self.behind == 0 || rest.starts_with(b"\n") || (self.may_end_file && rest.is_empty());
        ends.then_some(0)
    }

    /// Returns the match at the very end, if there no LF stands behind it that the literal has.
    fn at_end(&self, hay: &[u8]) -> Option<usize> {
        let rest = hay.strip_suffix(self.text()).filter(|_| self.may_end_file)?;
        let begins = self.before == 0 || rest.ends_with(b"\n") || rest.is_empty();
        begins.then_some(rest.len())
    }

    /// Calls `found` with the start of every match from the first one on, overlaps included, in linear time.
    fn each(&self, hay: &[u8], first: usize, mut found: impl FnMut(usize)) {
        let literal = self.literal.needle();
        let kmp = Kmp::new(literal);
        let mut matched = if self.before == 1 { kmp.step(0, &b'\n') } else { 0 };
        let end_of_file: &[u8] = if self.may_end_file { b"\n" } else { b"" };
        for (read, byte) in (first + 1..).zip(hay[first..].iter().chain(end_of_file)) {
            matched = kmp.step(matched, byte);
            if matched == literal.len() {
                found(read - self.behind - self.text().len());
            }
        }
    }

    /// Returns the file as the literal must see it: as it is where that makes no difference, else with LFs for CRLFs.
    fn view<'h>(&self, hay: &Lines<'h>) -> View<'h> {
        let skipped = hay.bom().len();
        let text = &hay.bytes()[skipped..];
        // Within a line only a CR at the end could be mistaken for half of a line end.
        let within_line = self.behind == 0 && !self.text().contains(&b'\n') && !self.text().ends_with(b"\r");
        let mut crlfs = memmem::find_iter(text, b"\r\n").peekable();
        if within_line || crlfs.peek().is_none() {
            return View { text: Cow::Borrowed(text), skipped, dropped: Vec::new() };
        }
        let mut unified = Vec::with_capacity(text.len());
        let mut dropped = Vec::new();
        let mut copied = 0;
        for cr in crlfs {
            unified.extend_from_slice(&text[copied..cr]);
            dropped.push(unified.len());
            copied = cr + 1;
        }
        unified.extend_from_slice(&text[copied..]);
        View { text: Cow::Owned(unified), skipped, dropped }
    }
}

/// A file without its byte order mark, possibly without the CRs of its CRLFs.
struct View<'h> {
    text: Cow<'h, [u8]>,
    /// The length of the byte order mark.
    skipped: usize,
    /// The offsets in `text` of the LFs before which a CR was dropped.
    dropped: Vec<usize>,
}

impl View<'_> {
    /// Returns what a range of the view is in the file. At a line end that is before the CR.
    fn original(&self, range: Range<usize>) -> Range<usize> {
        let place = |at: usize| self.skipped + at + self.dropped.partition_point(|&lf| lf < at);
        place(range.start)..place(range.end)
    }
}

#[cfg(test)]
mod tests;
