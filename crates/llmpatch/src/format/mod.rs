//! Text ⇄ [`Patch`](crate::patch::Patch): one room a format, each with what reads it and what prints it.
//!
//! Parsers know no git, no files and no clock. They read on after an error, so that a single run
//! names everything that is wrong.

pub(crate) mod blocks;
pub(crate) mod envelope;
pub(crate) mod fence;
pub(crate) mod files;
pub(crate) mod opx;
pub(crate) mod tool;
pub mod unified;

pub use tool::json_fault;

use std::fmt;
use std::ops::Range;

use bstr::{BString, ByteSlice as _};

use crate::patch::{FileEdit, Format};
use crate::text;
use crate::text::{Located, Row, Shown, Source, Span, Text, line_number, number_mark};

/// Returns whether something is the path of a file.
pub type IsFile<'o> = &'o dyn Fn(&[u8]) -> bool;

/// How a response is to be read.
#[derive(Clone, Copy, Default)]
pub struct Options<'o> {
    /// Read patches of this format only; `None` finds out.
    pub format: Option<Format>,
    /// Refuse whatever the bare format doesn't know.
    pub strict: bool,
    /// The file of the blocks that name none.
    pub file: Option<&'o [u8]>,
    /// How many directories are taken off the names in a unified diff; `None` finds out.
    pub strip: Option<u32>,
    /// Take the lines of a diff's hunks as they are, whatever their headers count.
    pub recount: bool,
    /// In how many strings of JSON, one in the other, it is.
    pub depth: u8,
    /// What is before each line of a diff, where the fence around it has it, too.
    pub indent: &'o [u8],
    /// Whether it is a part that is closed, so that nothing of it was cut off at its end.
    pub is_closed: bool,
    /// Read only the calls and comments of a session that have one of these ids; none: all.
    pub only: &'o [String],
    /// Count the lines of review comments in the commits that they were written for.
    pub in_original: bool,
    /// What knows the files; without it, there are none. A line with spaces is a path only of a
    /// file that is there.
    pub is_file: Option<IsFile<'o>>,
}

/// Why a patch can't be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(transparent)]
#[non_exhaustive]
#[allow(missing_docs, reason = "each is of the room that it is named after")]
pub enum Error {
    Envelope(#[from] envelope::Error),
    #[error("{}{}", _0.what, in_edit(_0.path.as_ref()))]
    Opx(#[from] InFile<opx::Error>),
    Unified(#[from] unified::Error),
    Blocks(#[from] InFile<blocks::Error>),
    Tool(#[from] InFile<tool::Error>),
    Files(#[from] InFile<files::Error>),
    Fenced(#[from] InFile<fence::FencedFile>),
}

/// What was dropped or guessed while reading a patch.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(transparent)]
#[non_exhaustive]
#[allow(missing_docs, reason = "each is of the room that it is named after")]
pub enum Warning {
    Envelope(#[from] envelope::Warning),
    #[error("{}{}", _0.what, in_edit(_0.path.as_ref()))]
    Opx(#[from] InFile<opx::Warning>),
    Unified(#[from] unified::Warning),
    Blocks(#[from] InFile<blocks::Warning>),
    Tool(#[from] InFile<tool::Warning>),
}

/// What is said of an edit, with its file as written, if that is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InFile<T> {
    /// The file.
    pub path: Option<BString>,
    /// What is said.
    pub what: T,
}

impl<T: fmt::Display> fmt::Display for InFile<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.path {
            Some(path) => write!(f, "`{}`: {}", Shown(path), self.what),
            None => self.what.fmt(f),
        }
    }
}

impl<T: std::error::Error> std::error::Error for InFile<T> {}

/// Returns words that follow the name of an element and say in which edit it is.
fn in_edit(path: Option<&BString>) -> String {
    path.map_or(String::new(), |path| {
        format!(" in the edit of `{}`", Shown(path))
    })
}

/// What was read of an envelope, element, section, block, call or file.
#[derive(Debug)]
pub(crate) struct Block<'a, E = Error, W = Warning> {
    pub(crate) format: Format,
    /// From its marker or its `<` to behind its last line.
    pub(crate) range: Range<usize>,
    /// The edits, in order; of what can't be read, one for each path that it names.
    pub(crate) edits: Vec<FileEdit<'a>>,
    /// Why it can't be applied.
    pub(crate) errors: Vec<Located<E>>,
    /// What was ignored or guessed.
    pub(crate) warnings: Vec<Located<W>>,
    /// The number of the call or the text of a session that it is of, in JSON.
    pub(crate) call: Option<usize>,
    /// The directory in which its command runs; empty for the top.
    pub(crate) directory: String,
}

impl<'a> Block<'a> {
    pub(crate) fn new<E, W>(
        format: Format,
        range: Range<usize>,
        edits: Vec<FileEdit<'a>>,
        errors: Vec<Located<E>>,
        warnings: Vec<Located<W>>,
    ) -> Self
    where
        Error: From<E>,
        Warning: From<W>,
    {
        let block = Block {
            edits,
            errors,
            warnings,
            ..Block::empty(format, range)
        };
        block.widened()
    }
}

impl<'a, E, W> Block<'a, E, W> {
    /// Returns a block of which nothing is read.
    pub(crate) fn empty(format: Format, range: Range<usize>) -> Self {
        Self {
            format,
            range,
            edits: Vec::new(),
            errors: Vec::new(),
            warnings: Vec::new(),
            call: None,
            directory: String::new(),
        }
    }

    /// Returns a block that can't be read.
    pub(crate) fn refused(format: Format, span: Span, error: impl Into<E>) -> Self {
        Self {
            errors: vec![Located::new(span, error.into())],
            ..Self::empty(format, span.start as usize..span.end as usize)
        }
    }

    /// Returns it with errors and warnings that more rooms may have.
    pub(crate) fn widened<F: From<E>, V: From<W>>(self) -> Block<'a, F, V> {
        let errors = self.errors.into_iter().map(|error| error.map(F::from));
        let warnings = self.warnings.into_iter();
        Block {
            errors: errors.collect(),
            warnings: warnings.map(|warning| warning.map(V::from)).collect(),
            format: self.format,
            range: self.range,
            edits: self.edits,
            call: self.call,
            directory: self.directory,
        }
    }

    /// Returns what was read of a text that is decoded from another, with its places in that.
    pub(crate) fn relocated(self, place: &dyn Fn(Span) -> Span) -> Block<'static, E, W> {
        let edits = self.edits.into_iter();
        Block {
            edits: edits.map(|edit| edit.relocated(place)).collect(),
            errors: relocated(self.errors, place),
            warnings: relocated(self.warnings, place),
            format: self.format,
            range: self.range,
            call: self.call,
            directory: self.directory,
        }
    }

    /// Returns its first line, by which messages point at it.
    pub(crate) fn start(&self, source: &Source) -> Span {
        let Range { start, end } = self.range;
        let length = memchr::memchr(b'\n', &source.bytes()[start..end]);
        source.span(start..length.map_or(end, |length| start + length))
    }
}

/// Moves what is said of a text that is decoded from another to its places in that.
fn relocated<T>(all: Vec<Located<T>>, place: &dyn Fn(Span) -> Span) -> Vec<Located<T>> {
    all.into_iter()
        .map(|one| Located::new(one.span.map(place), one.value))
        .collect()
}

/// Takes the indentation of a block off a line of it, or all of a blank line that has less; `None`
/// of another line that has less.
pub(crate) fn unindented<'a>(row: Row<'a>, indentation: &[u8]) -> Option<Row<'a>> {
    if row.text.starts_with(indentation) {
        return Some(row.behind(indentation.len()));
    }
    text::is_blank(row.text).then(|| row.behind(row.text.len()))
}

/// Cuts what a message quotes to a length that fits one.
pub(crate) fn excerpt(text: &[u8]) -> BString {
    const FITS: usize = 80;
    let fits = text
        .char_indices()
        .map(|(_, end, _)| end)
        .take_while(|&end| end <= FITS)
        .last()
        .unwrap_or(0);
    text[..fits].into()
}

/// Returns whether a line begins with a line number, before the prefix that a line of a hunk has:
/// `12 -old`, `12: +new`; or before text, as `12 old`, `13-old`, where the next line has the next
/// number, or the same. Files are not known here.
pub(crate) fn has_line_number(line: &[u8], next: Option<&[u8]>) -> bool {
    let Some((number, rest)) = line_number(line) else {
        return false;
    };
    let behind = number_mark(rest).map(|(_, behind)| behind);
    // Behind a mark one space may follow; without one there must be a space, and remarks begin with
    // numbers, too.
    let text = match behind {
        Some(behind) => behind,
        None => rest.strip_prefix(b" ").unwrap_or_default(),
    };
    is_prefixed(text)
        || behind.is_some_and(|behind| behind.trim_ascii().is_empty())
        || is_prefixed(rest)
            && next.and_then(line_number).is_some_and(|(other, rest)| {
                is_prefixed(rest) && (number..=number.saturating_add(1)).contains(&other)
            })
}

fn is_prefixed(text: &[u8]) -> bool {
    matches!(text.first(), Some(b' ' | b'-' | b'+'))
}

/// Adds lines to what is printed, each behind a prefix. A line that ends in a CR is ended with
/// CRLF, of which readers take one CR away.
pub(crate) fn add_lines(out: &mut Vec<u8>, prefix: &str, lines: &[Text<'_>]) {
    lines.iter().for_each(|line| add_line(out, prefix, line));
}

/// Adds a line.
pub(crate) fn add_line(out: &mut Vec<u8>, prefix: &str, line: &[u8]) {
    out.extend(
        [
            prefix.as_bytes(),
            line,
            if line.ends_with(b"\r") {
                b"\r\n"
            } else {
                b"\n"
            },
        ]
        .concat(),
    );
}
