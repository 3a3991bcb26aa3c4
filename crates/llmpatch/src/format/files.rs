//! Whole files, each in a fence that has its path above it, behind its backticks or in a comment on
//! its first line, which stays a line of the file.
//!
//! Read only where that is asked for: responses show code in fences to explain it, too, and nothing
//! says whether that is a whole file. A fence without a path is left out with a warning. A fence
//! whose first text begins a patch of another format is no file, and that patch is left out as it
//! is elsewhere. What is in the others is text, whatever it looks like.
//!
//! A path has a `/` or a dot inside, or is that of a file that is there; else it counts only in
//! backticks, behind a label such as `File:`, or behind the fence's own backticks: a heading above
//! a fence is a word, too.

use bstr::BString;

use super::blocks::marker::Marker;
use super::blocks::{self, path};
use super::envelope::{self};
use super::fence::{Fence, names_diff};
use super::{Block, InFile, Options, Warning, opx, unified, unindented};
use crate::patch::{FileEdit, Format, Operation};
use crate::text::{LineNo, Located, Row, Source, Span, Text};
use crate::text::{is_blank, trim, trim_start};

/// Why a file in a fence can't be read.
#[allow(missing_docs, reason = "the message says what the fields are")]
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    #[error("the fence around this file is never closed")]
    NoEnd,
    #[error("the line that closes this file's fence may be a line of the file")]
    Unclear,
    #[error("this line is indented differently from the fence around it")]
    Unindented,
    #[error("this fence has two paths: above it, after its backticks or in its first line")]
    TwoPaths,
    #[error("this line is a marker of a block or of a conflict, and would be part of the file")]
    Marker,
    #[error("this fence holds a diff, and not the file that it names")]
    Diff,
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
        Some((row.span, path(source, row, options)?))
    })
}

/// Returns the path of the file whose fence a line opens, if it has one.
pub(crate) fn path<'a>(
    source: &'a Source,
    opener: Row<'a>,
    options: &Options<'_>,
) -> Option<Text<'a>> {
    let (_, info) = Fence::read(opener.text)?;
    let path = paths(source, opener, options).into_iter().next()?;
    (!holds_diff_of(info, &path)).then_some(path)
}

/// Returns whether a fence holds a diff of a file rather than the file.
fn holds_diff_of(info: &[u8], path: &[u8]) -> bool {
    names_diff(info) && !path.ends_with(b".diff") && !path.ends_with(b".patch")
}

/// Reads the file whose fence a line opens; `None` if the line opens no fence, or one without a
/// path, or one around a patch of another format.
pub(crate) fn parse_block<'a>(
    source: &'a Source,
    opener: Row<'a>,
    options: &Options<'_>,
) -> Option<Block<'a>> {
    let (fence, info) = Fence::read(opener.text)?;
    let paths = paths(source, opener, options);
    let path = paths.first()?.clone();
    if holds_patch(source, opener) {
        return None;
    }
    let mut reader = FileReader {
        source,
        opener,
        fence,
        is_markdown: path::is_markdown(&path) || is_markdown(info),
        path: path[..].into(),
        errors: Vec::new(),
    };
    if path::agreed(&paths).is_err() {
        reader.wrong(opener.span, Error::TwoPaths);
    }
    if holds_diff_of(info, &reader.path) {
        reader.wrong(opener.span, Error::Diff);
    }
    let (lines, closing) = reader.lines();
    match closing {
        None => reader.wrong(opener.span, Error::NoEnd),
        Some(row) if reader.may_go_on(row.number, options) => {
            reader.wrong(row.span, Error::Unclear);
        }
        Some(_) => {}
    }
    let operation = if reader.errors.is_empty() {
        Operation::Create {
            lines,
            fills_empty: false,
            ends_open: false,
        }
    } else {
        Operation::Unreadable
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

/// Returns whether what a fence holds begins with a patch.
pub(crate) fn holds_patch(source: &Source, opener: Row<'_>) -> bool {
    let mut inside = source.rows(opener.number.next());
    inside
        .find(|row| !is_blank(row.text))
        .is_some_and(|row| begins_patch(source, row))
}

/// Returns whether a patch begins in a line.
pub(crate) fn begins_patch(source: &Source, row: Row<'_>) -> bool {
    let text = row.behind(row.text.len() - trim_start(row.text).len());
    envelope::starts_here(row.text)
        || opx::starts_here(&source.bytes()[text.start()..])
        || unified::starts_here(source, row.number, b"")
        || blocks::opener(row.text).is_some()
}

/// Returns whether what is behind the backticks of a fence says that Markdown is in it.
fn is_markdown(info: &[u8]) -> bool {
    let language = trim(info).to_ascii_lowercase();
    matches!(&language[..], b"markdown" | b"md" | b"mdx")
}

/// What reads one file.
struct FileReader<'a> {
    source: &'a Source,
    /// The line that opens its fence.
    opener: Row<'a>,
    fence: Fence,
    /// Whether it is Markdown, in which fences are usual.
    is_markdown: bool,
    path: BString,
    errors: Vec<Located<InFile<Error>>>,
}

impl<'a> FileReader<'a> {
    /// Returns the lines of the file, and the line that closes its fence. A fence with a language
    /// inside is an error, and its end isn't the end of the file.
    fn lines(&mut self) -> (Vec<Text<'a>>, Option<Row<'a>>) {
        let (source, opener, fence) = (self.source, self.opener, self.fence);
        let indent = &opener.text[..opener.text.len() - trim_start(opener.text).len()];
        let mut lines = Vec::new();
        let mut is_in_other = false;
        let mut last = None;
        for line in source.rows(opener.number.next()) {
            let Some(row) = unindented(line, indent) else {
                self.wrong(line.span, Error::Unindented);
                continue;
            };
            let own = row.text.len() - trim_start(row.text).len();
            let is_code = own > DEEPEST || row.text.starts_with(b"\t");
            let closes = fence.is_closed_by(row.text);
            let is_like =
                closes || Fence::read(row.text).is_some_and(|(other, _)| fence.is_like(other));
            if is_code || !is_like {
                if !self.is_markdown && is_marker(row.text) {
                    self.wrong(row.span, Error::Marker);
                }
                lines.push(row.whole());
            } else if own > 0 || !closes {
                self.wrong(row.span, Error::Unclear);
                is_in_other |= !closes;
            } else if is_in_other {
                is_in_other = false;
                last = Some(row);
            } else {
                return (lines, Some(row));
            }
        }
        (lines, last)
    }

    /// Returns whether the line that closes the fence may as well begin a fence in the file, which
    /// the next fence then ends. The fence that it begins has no language.
    ///
    /// In Markdown it must have a path, and an empty line must be behind the closing line: few
    /// files have one at the start of a fence. In another file text behind the closing line makes
    /// it doubtful, if it doesn't introduce the next fence: text right behind it, or any text where
    /// the file would end with an empty line or a colon, as what is above a fence does.
    fn may_go_on(&self, closing: LineNo, options: &Options<'_>) -> bool {
        let source = self.source;
        let mut behind = source.rows(closing.next());
        let next = behind.find(|row| Fence::is_at(row.text));
        let Some(next) = next.filter(|row| self.fence.is_closed_by(row.text)) else {
            return false;
        };
        let text_at = |number| source.row(number).map_or(&b""[..], |row| row.text);
        let is_close = !is_blank(text_at(closing.next()));
        let has_path = !around(source, next, options).is_empty();
        if self.is_markdown {
            return is_close || !has_path;
        }
        let last = trim(text_at(LineNo::from_index(closing.index() - 1)));
        let is_unfinished = last.is_empty() || last.ends_with(b":");
        let between = text_above(source, next.number).filter(|row| row.number > closing);
        let is_told = between.is_none_or(|row| has_path || is_introduction(row.text));
        !is_told && (is_close || is_unfinished)
    }

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

/// Returns whether a line begins or ends a block, of whatever names, or a conflict.
fn is_marker(line: &[u8]) -> bool {
    let marker = Marker::read(line);
    marker.is_some_and(|marker| {
        matches!(
            marker,
            Marker::Open(..) | Marker::End(..) | Marker::ConflictStart | Marker::ConflictEnd
        )
    })
}

/// From how many spaces on, beyond that of its opening, a line of backticks is code in Markdown and
/// closes nothing, less one.
const DEEPEST: usize = 3;

/// Returns whether a line introduces what follows: it begins with a capital letter and ends with a
/// colon. Code that ends with a colon begins with a small letter.
fn is_introduction(line: &[u8]) -> bool {
    let mut letters = line.iter().filter(|byte| byte.is_ascii_alphabetic());
    trim(line).ends_with(b":") && letters.next().is_none_or(u8::is_ascii_uppercase)
}

/// Returns the nearest line above a line that isn't blank.
fn text_above(source: &Source, below: LineNo) -> Option<Row<'_>> {
    let mut above = (0..below.index()).rev().map(LineNo::from_index);
    above.find_map(|number| source.row(number).filter(|row| !is_blank(row.text)))
}

/// Returns the paths of the file in a fence. Where neither the line above nor what is behind the
/// backticks is sure to name one, the first line inside does, or perhaps what may be a language.
fn paths<'a>(source: &'a Source, opener: Row<'a>, options: &Options<'_>) -> Vec<Text<'a>> {
    let sure = around(source, opener, options);
    if !sure.is_empty() {
        return sure;
    }
    let info = Fence::read(opener.text).map_or(&b""[..], |(_, info)| info);
    let inside = first_line(source, opener).filter(|_| !is_markdown(info));
    let inside = inside.and_then(|row| path::in_comment(source, row.text, options));
    let doubtful = path::or_language(source, info);
    inside.into_iter().chain(doubtful).collect()
}

/// Returns the paths that the line above a fence and what is behind its backticks name.
fn around<'a>(source: &'a Source, opener: Row<'a>, options: &Options<'_>) -> Vec<Text<'a>> {
    let above = text_above(source, opener.number);
    let above = above.and_then(|row| {
        path::of_file(
            source,
            row.text,
            row.number.next() == opener.number,
            options,
        )
    });
    let info = Fence::read(opener.text).map_or(&b""[..], |(_, info)| info);
    above
        .into_iter()
        .chain(path::behind(source, info, options))
        .collect()
}

/// Returns the first line in a fence that isn't blank, but for one that a program must begin with.
fn first_line<'a>(source: &'a Source, opener: Row<'a>) -> Option<Row<'a>> {
    let is_required = |row: &Row<'_>| row.text.starts_with(b"#!") || row.text.starts_with(b"<?");
    let rows = source.rows(opener.number.next());
    let mut rows = rows.filter(|row| !is_blank(row.text));
    rows.next().and_then(|row| {
        if is_required(&row) {
            rows.next()
        } else {
            Some(row)
        }
    })
}
