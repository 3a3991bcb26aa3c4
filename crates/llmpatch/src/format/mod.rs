//! Text ⇄ [`Patch`]: one room a format, each with what reads it and what prints it.
//!
//! Parsers know no git, no files and no clock. They read on after an error, so that a single run
//! names everything that is wrong.

pub(crate) mod blocks;
pub(crate) mod envelope;
pub(crate) mod fence;
pub(crate) mod files;
pub(crate) mod opx;
mod print;
mod prose;
#[cfg(test)]
mod tests;
pub(crate) mod tool;
pub mod unified;

pub use print::{is_of_printing, print};
pub use prose::prose;
pub use tool::json_fault;

use std::fmt;
use std::ops::Range;

use bstr::{BString, ByteSlice as _};

use crate::patch::{FileEdit, Format, Patch};
use crate::response;
use crate::text;
use crate::text::{Located, Row, Shown, Source, Span, line_number, number_mark};

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
    /// Whether it is a part that is closed, so that nothing of it was cut off at its end.
    pub is_closed: bool,
    /// What knows the files; without it, there are none. A line with spaces is a path only of a
    /// file that is there.
    pub is_file: Option<IsFile<'o>>,
    /// What other parts of a session say of the calls of this part.
    pub beside: Option<&'o response::Beside>,
}

/// What was read from a response: everything that could be, and everything that is wrong with the
/// rest.
#[derive(Debug)]
pub struct Parsed<'a> {
    /// The edits. With errors beside it, it is good for finding more errors and for nothing else.
    pub patch: Patch<'a>,
    /// Why the response can't be applied; none if it can, as far as its text goes.
    pub errors: Vec<Located<Error>>,
    /// What was dropped or guessed.
    pub warnings: Vec<Located<Warning>>,
    /// The revisions that it says it is about, each once: what `<opx>` has for a `base`, or else a
    /// line `Base: <id>` before the patches.
    pub bases: Vec<Located<BString>>,
    /// The parts of the response that have patches, in order, whether they are read or not.
    pub parts: Vec<ResponsePart>,
    /// The calls of the session that it is a part of.
    pub(crate) session: response::Session,
}

/// A part of a response that has a patch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResponsePart {
    /// Where the patch begins.
    pub span: Option<Span>,
    /// What the part is: `answer`, `draft`, `quotation`, `undone-call`, …
    pub role: &'static str,
    /// The format of the patch, if it is known.
    pub format: Option<Format>,
    /// The directory in which the patch is meant; empty for the top.
    pub directory: String,
    /// Why it isn't read; `None` if it is.
    pub why: Option<String>,
    /// The call that asks for it, if one does.
    pub call: Option<PartCall>,
}

/// A call of a tool that asks for a patch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartCall {
    /// Its number among the calls of the response, from 1.
    pub number: usize,
    /// The id that the response gives it.
    pub id: Option<String>,
    /// The name of the tool; empty if none is named.
    pub tool: String,
    /// The paths of its edits, as the response writes them.
    pub paths: Vec<BString>,
}

impl Parsed<'_> {
    /// Returns what is read of a response in a format that asks for nothing.
    pub(crate) fn of(format: Format) -> Self {
        Self {
            patch: Patch {
                format,
                edits: Vec::new(),
            },
            errors: Vec::new(),
            warnings: Vec::new(),
            bases: Vec::new(),
            parts: Vec::new(),
            session: response::Session::default(),
        }
    }

    /// Returns whether there is a patch, even a patch that can't be read.
    pub(crate) fn has_patch(&self) -> bool {
        !self.patch.edits.is_empty() || self.errors.iter().any(|error| is_of_patch(&error.value))
    }

    /// Returns what was read of a text that is decoded from another, with its places in that.
    pub(crate) fn relocated(self, place: &dyn Fn(Span) -> Span) -> Parsed<'static> {
        let edits = self.patch.edits.into_iter();
        let parts = self.parts.into_iter().map(|part| ResponsePart {
            span: part.span.map(place),
            ..part
        });
        Parsed {
            patch: Patch {
                format: self.patch.format,
                edits: edits.map(|edit| edit.relocated(place)).collect(),
            },
            errors: relocated(self.errors, place),
            warnings: relocated(self.warnings, place),
            bases: relocated(self.bases, place),
            parts: parts.collect(),
            session: self.session,
        }
    }

    /// Returns what was read of a text that is decoded from another, as a block of that.
    pub(crate) fn into_block(self, place: &dyn Fn(Span) -> Span) -> Block<'static> {
        let parsed = self.relocated(place);
        Block {
            edits: parsed.patch.edits,
            errors: parsed.errors,
            warnings: parsed.warnings,
            ..Block::empty(parsed.patch.format, 0..0)
        }
    }
}

fn relocated<T>(all: Vec<Located<T>>, place: &dyn Fn(Span) -> Span) -> Vec<Located<T>> {
    all.into_iter()
        .map(|one| Located::new(one.span.map(place), one.value))
        .collect()
}

fn is_of_patch(error: &Error) -> bool {
    !error.is_absence() && !matches!(error, Error::Response(response::Error::Residue(_)))
}

/// Reads the patches of a response. Never panics, whatever the bytes.
pub fn parse<'a>(source: &'a Source, options: &Options<'_>) -> Parsed<'a> {
    response::parse(source, options)
}

/// Reads responses that are one change, some of which may be parts of one session: such a part needs
/// no patch of its own.
pub fn parse_all<'a>(sources: &'a [Source], options: &Options<'_>) -> Vec<Parsed<'a>> {
    let mut all: Vec<_> = sources
        .iter()
        .map(|source| parse(source, options))
        .collect();
    let sessions: Vec<_> = all
        .iter_mut()
        .map(|parsed| std::mem::take(&mut parsed.session))
        .collect();
    let beside = response::Session::beside(&sessions);
    for ((read, source), beside) in all.iter_mut().zip(sources).zip(&beside) {
        if beside.says_something() {
            let beside = Some(beside);
            *read = parse(source, &Options { beside, ..*options });
        }
    }
    if all.iter().any(Parsed::has_patch) {
        let parts = all.iter_mut().zip(&beside);
        for (part, _) in parts.filter(|(_, beside)| beside.is_part) {
            part.errors.retain(|error| !error.value.is_absence());
        }
    }
    all
}

/// Why a response can't be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(transparent)]
#[non_exhaustive]
#[allow(missing_docs, reason = "each is of the room that it is named after")]
pub enum Error {
    Response(#[from] response::Error),
    Envelope(#[from] envelope::Error),
    #[error("{}{}", _0.what, in_edit(_0.path.as_ref()))]
    Opx(#[from] InFile<opx::Error>),
    Unified(#[from] unified::Error),
    Blocks(#[from] InFile<blocks::Error>),
    Tool(#[from] InFile<tool::Error>),
    Files(#[from] InFile<files::Error>),
    Fenced(#[from] InFile<fence::FencedFile>),
}

impl Error {
    /// Returns whether it says that there is no patch.
    pub(crate) fn is_absence(&self) -> bool {
        matches!(self, Error::Response(response::Error::NoPatch(_)))
    }
}

/// What was dropped or guessed while reading a response.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(transparent)]
#[non_exhaustive]
#[allow(missing_docs, reason = "each is of the room that it is named after")]
pub enum Warning {
    Response(#[from] response::Warning),
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
pub(crate) struct Block<'a> {
    pub(crate) format: Format,
    /// From its marker or its `<` to behind its last line.
    pub(crate) range: Range<usize>,
    /// The edits, in order; of what can't be read, one for each path that it names.
    pub(crate) edits: Vec<FileEdit<'a>>,
    /// Why it can't be applied.
    pub(crate) errors: Vec<Located<Error>>,
    /// What was ignored or guessed.
    pub(crate) warnings: Vec<Located<Warning>>,
    /// The number of the call or the text of a session that it is of, in JSON.
    pub(crate) call: Option<usize>,
    /// The directory in which its command runs; empty for the top.
    pub(crate) directory: String,
}

impl<'a> Block<'a> {
    pub(crate) fn new<E: Into<Error>, W: Into<Warning>>(
        format: Format,
        range: Range<usize>,
        edits: Vec<FileEdit<'a>>,
        errors: Vec<Located<E>>,
        warnings: Vec<Located<W>>,
    ) -> Self {
        let errors = errors.into_iter().map(|error| error.map(Into::into));
        let warnings = warnings.into_iter().map(|warning| warning.map(Into::into));
        Self {
            edits,
            errors: errors.collect(),
            warnings: warnings.collect(),
            ..Self::empty(format, range)
        }
    }

    /// Returns a block of which nothing is read.
    pub(crate) fn empty(format: Format, range: Range<usize>) -> Self {
        let (edits, errors, warnings) = Default::default();
        Self {
            format,
            range,
            edits,
            errors,
            warnings,
            call: None,
            directory: String::new(),
        }
    }

    /// Returns a block that can't be read.
    pub(crate) fn refused(format: Format, span: Span, error: impl Into<Error>) -> Self {
        Self {
            errors: vec![Located::new(span, error.into())],
            ..Self::empty(format, span.start as usize..span.end as usize)
        }
    }

    /// Returns what was read of a text that is decoded from another, with its places in that.
    pub(crate) fn relocated(self, place: &dyn Fn(Span) -> Span) -> Block<'static> {
        let edits = self.edits.into_iter();
        Block {
            edits: edits.map(|edit| edit.relocated(place)).collect(),
            errors: relocated(self.errors, place),
            warnings: relocated(self.warnings, place),
            call: self.call,
            directory: self.directory,
            ..Block::empty(self.format, self.range)
        }
    }

    /// Returns its first line, by which messages point at it.
    pub(crate) fn start(&self, source: &Source) -> Span {
        let Range { start, end } = self.range;
        let length = memchr::memchr(b'\n', &source.bytes()[start..end]);
        source.span(start..length.map_or(end, |length| start + length))
    }
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
