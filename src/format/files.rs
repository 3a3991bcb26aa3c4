//! Whole files, each in a Markdown fence that has its path above it or behind its backticks.
//!
//! Read only where that is asked for: answers show code in fences to explain it, too, and nothing in one says whether it is a whole file.
//! A fence without a path is left out with a warning. What is in the others is text, whatever it looks like.

use bstr::BString;

use super::blocks::path;
use super::envelope::{is_blank, trim_start};
use super::fence::Fence;
use super::{InFile, Options, detect};
use crate::patch::{FileEdit, Operation};
use crate::text::{LineNo, Located, Source, Span, Text};

/// Why a file in a fence can't be read.
#[allow(missing_docs, reason = "the message says what the fields are")]
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    #[error("the fence around this file is never closed")]
    NoEnd,
    #[error("the line that closes this file's fence may be a line of the file")]
    Unclear,
    #[error("this line isn't indented as the fence around it is")]
    Unindented,
    #[error("this fence has two paths, above it and behind its backticks")]
    TwoPaths,
}

/// What was read of one file. Its end is the line behind it.
pub type Block<'a> = super::Block<'a, LineNo, InFile<Error>, detect::Warning>;

/// Returns whether a line may open a fence.
pub(super) fn starts_here(line: &[u8]) -> bool {
    Fence::read(line).is_some()
}

/// Returns the first fence with a path, and its path.
pub(super) fn first<'a>(source: &'a Source, options: &Options<'_>) -> Option<(Span, Text<'a>)> {
    let mut open: Option<Fence> = None;
    (0..source.line_count()).map(LineNo::from_index).find_map(|number| {
        let (fence, line, span) = opener(source, number)?;
        match open {
            Some(fence) => {
                open = Some(fence).filter(|fence| !fence.is_closed_by(line));
                None
            }
            None => {
                open = Some(fence);
                Some((span, paths(source, number, options).into_iter().next()?))
            }
        }
    })
}

/// Reads the file whose fence a line opens; `None` if the line opens no fence, or one without a path.
pub(super) fn parse_block<'a>(source: &'a Source, number: LineNo, options: &Options<'_>) -> Option<Block<'a>> {
    let (fence, opener, opening) = opener(source, number)?;
    let paths = paths(source, number, options);
    let path = paths.first()?.clone();
    let mut reader = Reader { path: path[..].into(), errors: Vec::new() };
    if path::one(&paths).is_err() {
        reader.wrong(opening, Error::TwoPaths);
    }
    let indent = &opener[..opener.len() - trim_start(opener).len()];
    let (mut lines, mut closing) = (Vec::new(), None);
    for (number, line, start) in rows(source, number) {
        let text = match line.strip_prefix(indent) {
            Some(text) => text,
            None if is_blank(line) => b"",
            None => {
                reader.wrong(source.span(start..start + line.len()), Error::Unindented);
                continue;
            }
        };
        let span = source.span(start + line.len() - text.len()..start + line.len());
        let own = text.len() - trim_start(text).len();
        if own > DEEPEST || text.starts_with(b"\t") || !Fence::read(text).is_some_and(|(other, _)| fence.is_like(other))
        {
            lines.push(Text::at(text, span));
        } else if own > 0 || !fence.is_closed_by(text) {
            reader.wrong(span, Error::Unclear);
        } else {
            closing = Some((number, span));
            break;
        }
    }
    match closing {
        None => reader.wrong(opening, Error::NoEnd),
        Some((number, span)) if path::is_markdown(&path) && goes_on(source, number, fence, options) => {
            reader.wrong(span, Error::Unclear);
        }
        Some(_) => {}
    }
    let operation = match reader.errors.is_empty() {
        true => Operation::Create { lines, fills_empty: false, ends_open: false },
        false => Operation::Unreadable,
    };
    let end = closing.map_or(source.line_count(), |(number, _)| number.index() + 1);
    let edit = FileEdit::new(path, operation, Some(opening));
    Some(Block { end: LineNo::from_index(end), edits: vec![edit], errors: reader.errors, warnings: Vec::new() })
}

/// What is wrong with one file.
struct Reader {
    path: BString,
    errors: Vec<Located<InFile<Error>>>,
}

impl Reader {
    /// Takes note of an error, unless it was met before.
    fn wrong(&mut self, span: Span, what: Error) {
        if self.errors.iter().all(|error| error.value.what != what) {
            self.errors.push(Located::new(span, InFile { path: Some(self.path.clone()), what }));
        }
    }
}

/// From how many spaces on, beyond that of its opening, a line of backticks is code in Markdown and closes nothing, less one.
const DEEPEST: usize = 3;

fn opener(source: &Source, number: LineNo) -> Option<(Fence, &[u8], Span)> {
    let (line, start) = (source.line(number)?, source.line_start(number)?);
    Some((Fence::read(line)?.0, line, source.span(start..start + line.len())))
}

/// Returns the lines behind one, with their numbers and offsets.
fn rows(source: &Source, number: LineNo) -> impl Iterator<Item = (LineNo, &[u8], usize)> {
    let numbers = (number.index() + 1..source.line_count()).map(LineNo::from_index);
    numbers.filter_map(|number| Some((number, source.line(number)?, source.line_start(number)?)))
}

/// Returns the paths that the line above a fence and what is behind its backticks name.
fn paths<'a>(source: &'a Source, number: LineNo, options: &Options<'_>) -> Vec<Text<'a>> {
    let line = |index: usize| source.line(LineNo::from_index(index)).unwrap_or_default();
    let above = (0..number.index()).rev().find(|&index| !is_blank(line(index))).and_then(|index| {
        let start = source.line_start(LineNo::from_index(index))?;
        path::above(source, start..start + line(index).len(), index + 1 == number.index(), options)
    });
    let info = Fence::read(line(number.index())).map_or(&b""[..], |(_, info)| info);
    above.into_iter().chain(path::behind(source, info)).collect()
}

/// Returns whether the next fence behind a file has no language and no path, so that it may be in that file, and end there what the
/// closing line began.
fn goes_on(source: &Source, closing: LineNo, fence: Fence, options: &Options<'_>) -> bool {
    let next = rows(source, closing).find(|(_, line, _)| Fence::read(line).is_some());
    next.is_some_and(|(number, line, _)| fence.is_closed_by(line) && paths(source, number, options).is_empty())
}
