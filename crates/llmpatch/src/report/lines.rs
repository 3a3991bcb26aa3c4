//! Lines of files: those that a message shows beside the response, and those that a program or a
//! model is told.

use std::ops::Range;

use bstr::{BStr, BString};

use crate::plan::Quote;
use crate::text::{self, Excerpt, LineNo, Lines, Source, Span};

/// A place in a response or a file, with the lines that a message shows of it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Place {
    /// The name of the response; the path of the file, from the top of the work tree.
    pub file: BString,
    /// The column at which the marked part of the first line begins, from 1, in characters.
    pub column: usize,
    /// A sentence to introduce it, such as `closest match: lines 52–54 (2 of 3 lines agree)`; empty
    /// in a response.
    pub caption: String,
    /// The line that is meant.
    pub first: Quote,
    /// Further lines of the file that the caption introduces.
    pub more: Vec<Quote>,
    /// The last line that is meant, of a response.
    pub last: LineNo,
    /// The offset in a response, in bytes.
    pub offset: u32,
}

impl Place {
    /// Makes a place in a file.
    pub fn new(file: impl Into<BString>, caption: impl Into<String>, first: Quote) -> Self {
        Self {
            file: file.into(),
            column: first.excerpt.column(),
            caption: caption.into(),
            last: first.line,
            first,
            more: Vec::new(),
            offset: 0,
        }
    }

    /// Returns the place of a span; `None` if it is of none of these responses.
    pub(super) fn of_span(span: Span, sources: &[Source]) -> Option<Self> {
        let source = sources.iter().find(|source| source.id() == span.source)?;
        let (line, column) = source.position(span.start as usize);
        let start = source.line_start(line)?;
        let text = source.line(line)?;
        let bom = if line == LineNo::FIRST && text.starts_with(Lines::BOM) {
            Lines::BOM.len()
        } else {
            0
        };
        let within = |offset: u32| (offset as usize).saturating_sub(start + bom);
        let excerpt = Excerpt::new(&text[bom..], within(span.start)..within(span.end));
        let column = if bom > 0 {
            column.saturating_sub(1).max(1)
        } else {
            column
        };
        let last = source
            .line_at((span.end as usize).saturating_sub(1))
            .max(line);
        Some(Self {
            column,
            last,
            offset: span.start,
            ..Self::new(source.name(), "", Quote::of(line, excerpt))
        })
    }

    /// Returns the line that is meant.
    pub fn line(&self) -> LineNo {
        self.first.line
    }

    /// Names the line, or the first and the last.
    pub fn lines(&self) -> String {
        text::lines(&[(self.line(), self.last)], 1)
    }
}

/// The place in a file that comes nearest to what a patch looks for, for programs: people are shown
/// a [`Place`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Nearest {
    /// Its first line.
    pub start: LineNo,
    /// Its first line that differs, or its first line if none does: where the lines are where they
    /// mustn't.
    pub line: LineNo,
    /// That line's text, without its terminator; of a line longer than [`Nearest::LONGEST`] the
    /// part around what differs.
    pub text: BString,
}

impl Nearest {
    /// How many bytes of a line are kept.
    pub const LONGEST: usize = 1 << 14;

    /// Makes one of a line; of a line that is very long, the beginning is kept.
    pub fn new(start: LineNo, line: LineNo, text: &[u8]) -> Self {
        Self::around(start, line, text, 0)
    }

    /// Makes one of a line that differs at an offset; of a line that is very long, what is around
    /// that is kept.
    pub fn around(start: LineNo, line: LineNo, text: &[u8], differs: usize) -> Self {
        let latest = text.len().saturating_sub(Self::LONGEST);
        let from = differs.saturating_sub(Self::LONGEST / 2).min(latest);
        Self {
            start,
            line,
            text: text[from..text.len().min(from + Self::LONGEST)].into(),
        }
    }
}

/// Some lines of a file as they are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Passage {
    /// The file, from the top of the work tree.
    pub path: BString,
    /// The number of the first of the lines.
    pub start: LineNo,
    /// The lines, without terminators.
    pub lines: Vec<BString>,
    /// Whether it is the whole file.
    pub is_whole: bool,
    /// Whether it is so only since earlier edits of the response, which aren't made.
    pub is_left: bool,
}

impl Passage {
    /// Takes the beginning of a file: all of it if it is small.
    pub fn beginning(path: &BStr, lines: &Lines<'_>) -> Vec<Passage> {
        let is_large = lines.len() > Self::SMALL;
        Self::around(
            path,
            lines,
            is_large
                .then_some(0..Self::SMALL - Self::AROUND)
                .into_iter()
                .collect(),
        )
    }

    /// How many lines are shown before and behind what is meant.
    const AROUND: usize = 3;
    /// How many bytes of a file are shown at most for a problem.
    const MOST: usize = 6000;
    /// A file of not more lines is shown whole where nothing in it is meant.
    const SMALL: usize = 40;

    /// Takes the lines around some ranges of a file's lines, from 0. Where they meet they are one
    /// passage; where there are no ranges, the whole file if it is small.
    pub fn around(path: &BStr, lines: &Lines<'_>, mut ranges: Vec<Range<usize>>) -> Vec<Passage> {
        if ranges.is_empty() {
            let is_small = lines.len() <= Self::SMALL && lines.bytes().len() <= Self::MOST;
            ranges.extend((is_small && !lines.is_empty()).then_some(0..lines.len()));
        }
        ranges.sort_by_key(|range| range.start);
        let mut joined: Vec<Range<usize>> = Vec::new();
        for range in ranges {
            let start = range.start.saturating_sub(Self::AROUND);
            let end = range.end.saturating_add(Self::AROUND).min(lines.len());
            match joined.last_mut() {
                Some(last) if start <= last.end => last.end = last.end.max(end),
                _ => joined.push(start..end),
            }
        }
        let mut room = Self::MOST;
        let mut passages = Vec::new();
        for range in joined {
            let mut passage = Passage {
                path: path.to_owned(),
                start: LineNo::from_index(range.start),
                lines: Vec::new(),
                is_whole: range == (0..lines.len()),
                is_left: false,
            };
            for at in range {
                let Some(left) = room.checked_sub(lines.text(at).len() + 1) else {
                    passage.is_whole = false;
                    room = 0;
                    break;
                };
                room = left;
                passage.lines.push(lines.text(at).into());
            }
            if !passage.lines.is_empty() {
                passages.push(passage);
            }
        }
        passages
    }
}
