//! Whole files, each in a fence that has its path above it or behind its backticks.
//!
//! Read only where that is asked for: responses show code in fences to explain it, too, and nothing
//! says whether that is a whole file. A fence without a path is left out with a warning. What is in
//! the others is text, whatever it looks like.

use bstr::BString;

use super::blocks::path;
use super::envelope::{is_blank, trim_start};
use super::fence::Fence;
use super::{Block, InFile, Options, Warning, unindented};
use crate::patch::{FileEdit, Format, Operation};
use crate::text::{LineNo, Located, Row, Source, Span, Text};

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
    #[error("this fence has two paths, above it and after its backticks")]
    TwoPaths,
}

/// Returns whether a line may open a fence.
pub(crate) fn starts_here(line: &[u8]) -> bool {
    Fence::read(line).is_some()
}

/// Returns the first fence with a path, and its path.
pub(crate) fn first<'a>(source: &'a Source, options: &Options<'_>) -> Option<(Span, Text<'a>)> {
    let mut open: Option<Fence> = None;
    source.rows(LineNo::FIRST).find_map(|row| {
        if let Some(fence) = open {
            open = Some(fence).filter(|fence| !fence.is_closed_by(row.text));
            return None;
        }
        open = Some(Fence::read(row.text)?.0);
        Some((row.span, paths(source, row, options).into_iter().next()?))
    })
}

/// Reads the file whose fence a line opens; `None` if the line opens no fence, or one without a
/// path.
pub(crate) fn parse_block<'a>(
    source: &'a Source,
    opener: Row<'a>,
    options: &Options<'_>,
) -> Option<Block<'a>> {
    let (fence, _) = Fence::read(opener.text)?;
    let paths = paths(source, opener, options);
    let path = paths.first()?.clone();
    let mut reader = FileErrors {
        path: path[..].into(),
        errors: Vec::new(),
    };
    if path::one(&paths).is_err() {
        reader.wrong(opener.span, Error::TwoPaths);
    }
    let indent = &opener.text[..opener.text.len() - trim_start(opener.text).len()];
    let mut lines = Vec::new();
    let mut closing = None;
    for line in source.rows(opener.number.next()) {
        let Some(row) = unindented(line, indent) else {
            reader.wrong(line.span, Error::Unindented);
            continue;
        };
        let own = row.text.len() - trim_start(row.text).len();
        let is_code = own > DEEPEST || row.text.starts_with(b"\t");
        let closes = fence.is_closed_by(row.text);
        if is_code
            || !closes && !Fence::read(row.text).is_some_and(|(other, _)| fence.is_like(other))
        {
            lines.push(row.whole());
        } else if own > 0 || !closes {
            reader.wrong(row.span, Error::Unclear);
        } else {
            closing = Some(row);
            break;
        }
    }
    match closing {
        None => reader.wrong(opener.span, Error::NoEnd),
        Some(row) if path::is_markdown(&path) && goes_on(source, row.number, fence, options) => {
            reader.wrong(row.span, Error::Unclear);
        }
        Some(_) => {}
    }
    let operation = match reader.errors.is_empty() {
        true => Operation::Create {
            lines,
            fills_empty: false,
            ends_open: false,
        },
        false => Operation::Unreadable,
    };
    let end = closing.map_or(source.bytes().len(), |row| {
        source.start_of(row.number.next())
    });
    let edit = FileEdit::new(path, operation, Some(opener.span));
    let warnings: Vec<Located<Warning>> = Vec::new();
    Some(Block::new(
        Format::Files,
        opener.start()..end,
        vec![edit],
        reader.errors,
        warnings,
    ))
}

/// What is wrong with one file.
struct FileErrors {
    path: BString,
    errors: Vec<Located<InFile<Error>>>,
}

impl FileErrors {
    /// Records an error, unless it was met before.
    fn wrong(&mut self, span: Span, what: Error) {
        if self.errors.iter().all(|error| error.value.what != what) {
            self.errors.push(Located::new(
                span,
                InFile {
                    path: Some(self.path.clone()),
                    what,
                },
            ));
        }
    }
}

/// From how many spaces on, beyond that of its opening, a line of backticks is code in Markdown and
/// closes nothing, less one.
const DEEPEST: usize = 3;

/// Returns the paths that the line above a fence and what is behind its backticks name.
fn paths<'a>(source: &'a Source, opener: Row<'a>, options: &Options<'_>) -> Vec<Text<'a>> {
    let before = (0..opener.number.index())
        .rev()
        .filter_map(|index| source.row(LineNo::from_index(index)));
    let above = before.into_iter().find(|row| !is_blank(row.text));
    let above = above.and_then(|row| path::above(row, row.number.next() == opener.number, options));
    let info = Fence::read(opener.text).map_or(&b""[..], |(_, info)| info);
    above
        .into_iter()
        .chain(path::behind(source, info))
        .collect()
}

/// Returns whether the next fence behind a file has no language and no path, so that it may be in
/// that file, and end there what the closing line began.
fn goes_on(source: &Source, closing: LineNo, fence: Fence, options: &Options<'_>) -> bool {
    let next = source
        .rows(closing.next())
        .find(|row| Fence::is_at(row.text));
    next.is_some_and(|row| fence.is_closed_by(row.text) && paths(source, row, options).is_empty())
}
