//! One section of a unified diff: its header, and its hunks.

use bstr::BString;

use super::error::{Error, Warning};
use super::header::{FileHeader, RawHeader};
use super::hunk::{self, Miscounted};
use super::names::Name;
use super::rows::{self, Rows};
use crate::format::{Options, excerpt};
use crate::patch::{FileEdit, Header, Hunk, HunkLine, Mark, Operation, Status};
use crate::text::{LineNo, Located, Source, Span, Text};

/// What was read of one section. Its end is the first line behind it.
pub type Block<'a> = crate::format::Block<'a, LineNo, Error, Warning>;

/// What is around a diff in a response.
#[derive(Clone, Copy, Debug, Default)]
pub struct Around<'o> {
    /// Whether it is in an open Markdown fence.
    pub fenced: bool,
    /// Whether it is in an HTML comment that isn't closed yet.
    pub commented: bool,
    /// What ends the shell's heredoc that it is in.
    pub heredoc: Option<&'o [u8]>,
}

/// Returns whether a section starts at a line: `diff --git` and what follows it, or `--- `, `+++ ` and `@@ -`.
pub fn starts_here(source: &Source, line: LineNo) -> bool {
    rows::starts_section(source, line.index())
}

/// Reads the section that starts at a line for which [`starts_here`] holds.
pub fn parse_block<'a>(source: &'a Source, begin: LineNo, around: Around<'_>, options: &Options) -> Block<'a> {
    let rows = Rows { source, around };
    let (mut raw, mut index) = RawHeader::read(&rows, begin.index());
    let span = rows.get(begin.index()).map(|row| row.span(source));
    let mut errors = std::mem::take(&mut raw.errors);
    let paths = raw.paths();
    let header = raw.resolve();
    let is_binary = matches!(header, Err(Error::Binary { .. } | Error::NamelessBinary));
    let mut warnings = Vec::new();
    let mut hunks = Vec::new();
    // Where it ends doesn't depend on how strictly it is read: a hunk of a known end may be miscounted.
    let mut is_lost = !errors.is_empty();
    let path = paths.last().map(|path| excerpt(&path.bytes)).unwrap_or_default();
    while !is_binary && let Some(at) = next_hunk(&rows, index, hunks.is_empty()) {
        match hunk::read(&rows, at) {
            Ok(read) => {
                let of = Nth { path: &path, number: hunks.len() + 1, strict: options.strict };
                of.check_counts(&read, &mut errors, &mut warnings);
                is_lost |= !read.errors.is_empty();
                errors.extend(read.errors);
                hunks.push(read.hunk);
                index = read.end;
            }
            Err(error) => {
                is_lost = true;
                errors.push(error);
                hunks.push(Hunk::default());
                index = at + 1;
            }
        }
        if is_lost {
            index = (index..).find(|&index| rows.stops(index)).unwrap_or(index);
        }
    }
    if is_binary {
        index = (index..).find(|&index| rows.stops(index) || rows.starts_section(index)).unwrap_or(index);
    }
    match &header {
        // What it says of the names may follow from a line that can't be read.
        Err(error) if errors.is_empty() || is_binary => errors.insert(0, Located::new(span, error.clone())),
        Ok(header) if errors.is_empty() => errors.extend(check(header, &hunks).map(|error| error_at(error, span))),
        _ => {}
    }
    let end = LineNo::from_index(index);
    let edits = match header {
        Ok(header) if errors.is_empty() => vec![edit(source, header, hunks, span)],
        _ => paths.into_iter().map(|path| unreadable(source, path, span)).collect(),
    };
    Block { end, edits, errors, warnings }
}

/// A hunk by its number in the section of a file.
struct Nth<'p> {
    path: &'p BString,
    number: usize,
    strict: bool,
}

impl Nth<'_> {
    /// Adds what is to be said of counts that aren't those of the lines, of an end that may be lost, and of lines behind the hunk that look like some
    /// of it.
    fn check_counts(
        &self,
        read: &hunk::Read<'_>,
        errors: &mut Vec<Located<Error>>,
        warnings: &mut Vec<Located<Warning>>,
    ) {
        let (number, path) = (self.number, || self.path.clone());
        if let Some(Miscounted { claimed, taken, span }) = read.miscounted.filter(|_| read.errors.is_empty()) {
            let found = read.hunk.position.as_ref().map_or(claimed, |now| [now.old_lines, now.new_lines]);
            if self.strict {
                errors.push(Located::new(read.hunk.span, Error::Miscounted { number, claimed, found }));
            } else {
                warnings.push(Located::new(span, Warning::Recounted { path: path(), number, claimed, found, taken }));
            }
        }
        if let Some(span) = read.unended {
            warnings.push(Located::new(span, Warning::Unended { path: path(), number }));
        }
        if let Some(span) = read.left_out {
            warnings.push(Located::new(span, Warning::LeftOut { path: path(), number }));
        }
    }
}

fn error_at(error: Located<Error>, span: Option<Span>) -> Located<Error> {
    Located { span: error.span.or(span), value: error.value }
}

/// Returns the line of the next hunk's header. Blank lines may be between hunks.
fn next_hunk(rows: &Rows<'_, '_>, index: usize, is_first: bool) -> Option<usize> {
    let blanks = (index..).take_while(|&at| rows.get(at).is_some_and(|row| row.text().is_empty())).count();
    let at = index + if is_first { 0 } else { blanks };
    rows.starts_with(at, b"@@").then_some(at)
}

/// Checks that header and hunks go together.
fn check(header: &FileHeader<'_>, hunks: &[Hunk<'_>]) -> Option<Located<Error>> {
    let Header { status, old_mode, new_mode, .. } = &header.header;
    match status {
        Status::Added => {
            if let Some(second) = hunks.get(1) {
                return Some(Located::new(second.span, Error::AddedTwice));
            }
            let old = hunks.iter().flat_map(Hunk::old).next()?;
            Some(Located::new(old.text.span, Error::AddedHasOld))
        }
        Status::Modified if hunks.is_empty() && (old_mode == new_mode || new_mode.is_none()) => {
            Some(Located::new(None, Error::Nothing))
        }
        _ => None,
    }
}

fn edit<'a>(source: &'a Source, header: FileHeader<'a>, hunks: Vec<Hunk<'a>>, span: Option<Span>) -> FileEdit<'a> {
    let FileHeader { path, to, header } = header;
    let is_added = |line: &HunkLine<'_>| line.mark == Mark::Added;
    debug_assert!(header.status != Status::Added || hunks.iter().flat_map(|hunk| &hunk.lines).all(is_added));
    let operation = Operation::Update { to: to.map(|to| text(source, to)), hunks };
    FileEdit { header: Some(header), ..FileEdit::new(text(source, path), operation, span) }
}

fn unreadable<'a>(source: &'a Source, path: Name<'a>, span: Option<Span>) -> FileEdit<'a> {
    FileEdit::new(text(source, path), Operation::Unreadable, span)
}

fn text<'a>(source: &Source, name: Name<'a>) -> Text<'a> {
    let (start, end) = name.at;
    Text::at(name.bytes, source.span(start..end))
}
