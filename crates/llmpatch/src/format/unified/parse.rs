//! One section of a unified diff: its header, and its hunks.

use std::ops::Range;

use bstr::BString;

use super::error::{Error, Warning};
use super::header::{FileHeader, RawHeader};
use super::names::Naming;
use super::{header, hunk};
use crate::format::{Block, Options, excerpt};
use crate::patch::{FileEdit, Format, Header, Hunk, Operation, Status};
use crate::text::{LineNo, Located, Row, Source, Span};

/// What is around a diff in a response.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct HunkSurroundings<'o> {
    /// Whether it is in an open Markdown fence.
    pub(crate) fenced: bool,
    /// Whether it is in an HTML comment that isn't closed yet.
    pub(crate) commented: bool,
    /// Whether the text ends where a mark closes it, rather than where the response was cut off.
    pub(crate) closed: bool,
    /// What ends the shell's heredoc that it is in.
    pub(crate) heredoc: Option<&'o [u8]>,
}

/// Returns whether a section starts at a line: `diff --git` and what follows it, or `--- `, `+++ `
/// and `@@`.
pub(crate) fn starts_here(source: &Source, line: LineNo) -> bool {
    let around = HunkSurroundings::default();
    let options = Options::default();
    let rows = Rows {
        source,
        around,
        options,
    };
    rows.starts_section(line.index())
}

/// Reads the section that starts at a line for which [`starts_here`] holds.
pub(crate) fn parse_block<'a>(
    source: &'a Source,
    begin: LineNo,
    around: HunkSurroundings<'_>,
    options: &Options,
) -> Block<'a> {
    let rows = Rows {
        source,
        around,
        options: *options,
    };
    let (mut raw, index) = RawHeader::read(&rows, begin.index());
    let span = rows.get(begin.index()).map(|row| row.span);
    let mut body = SectionBody {
        hunks: Vec::new(),
        errors: std::mem::take(&mut raw.errors),
        warnings: Vec::new(),
        end: index,
    };
    let paths = raw.paths();
    let mut header = raw.resolve();
    let is_binary = matches!(header, Err(Error::Binary { .. }));
    if is_binary {
        body.end = (index..)
            .find(|&index| rows.stops(index) || rows.starts_section(index))
            .unwrap_or(index);
    } else {
        let path = paths.last().map(|path| excerpt(&path.bytes));
        let is_new = matches!(&header, Ok(file) if file.header.status == Status::Added);
        body.read(&rows, &path.unwrap_or_default(), is_new);
    }
    let SectionBody {
        hunks,
        mut errors,
        warnings,
        end,
    } = body;
    if let Ok(file) = &mut header
        && makes_file(&file.header, &hunks)
    {
        file.header.status = Status::Added;
        file.header.old_mode = None;
        // What is wrong with that points at what says so.
        file.path.span = hunks.first().and_then(|hunk| hunk.span);
    }
    let wrong = match &header {
        // What it says of the names may follow from a line that can't be read.
        Err(error) => (errors.is_empty() || is_binary).then(|| Located::new(span, error.clone())),
        Ok(header) if errors.is_empty() => check(&header.header, &hunks, span),
        Ok(_) => None,
    };
    if let Some(wrong) = wrong {
        errors.insert(0, wrong);
    }
    let edits = match header {
        Ok(file) if errors.is_empty() => vec![edit(file, hunks, span)],
        _ => paths
            .into_iter()
            .map(|path| FileEdit::new(path, Operation::Unreadable, span))
            .collect(),
    };
    let range = source.start_of(begin)..source.start_of(LineNo::from_index(end));
    Block::new(Format::Unified, range, edits, errors, warnings)
}

/// Returns the edit of a section in which nothing is wrong.
fn edit<'a>(file: FileHeader<'a>, hunks: Vec<Hunk<'a>>, span: Option<Span>) -> FileEdit<'a> {
    let operation = Operation::Update { to: file.to, hunks };
    FileEdit {
        header: Some(Box::new(file.header)),
        ..FileEdit::new(file.path, operation, span)
    }
}

/// What was read of a section below its header.
struct SectionBody<'a> {
    hunks: Vec<Hunk<'a>>,
    errors: Vec<Located<Error>>,
    warnings: Vec<Located<Warning>>,
    /// The line behind it.
    end: usize,
}

impl<'a> SectionBody<'a> {
    /// Reads the hunks of a section.
    ///
    /// Where they end doesn't depend on how strictly they are read: a hunk of a known end may be
    /// miscounted.
    fn read(&mut self, rows: &Rows<'a, '_>, path: &BString, is_new: bool) {
        let mut is_lost = !self.errors.is_empty();
        while let Some(at) = next_hunk(rows, self.end, self.hunks.is_empty()) {
            let section = SectionPart {
                path,
                number: self.hunks.len() + 1,
                is_new,
            };
            match hunk::read(rows, at, section) {
                Ok(read) => {
                    is_lost |= read.is_lost;
                    self.errors.extend(read.errors);
                    self.warnings.extend(read.warnings);
                    self.hunks.push(read.hunk);
                    self.end = read.end;
                }
                Err(error) => {
                    is_lost = true;
                    self.errors.push(error);
                    self.hunks.push(Hunk::default());
                    self.end = at + 1;
                }
            }
            if is_lost {
                let mut below = self.end..;
                self.end = below.find(|&index| rows.stops(index)).unwrap_or(self.end);
            }
        }
    }
}

/// Returns the line of the next hunk's header. Blank lines may be between hunks.
fn next_hunk(rows: &Rows<'_, '_>, index: usize, is_first: bool) -> Option<usize> {
    let blanks = (index..)
        .take_while(|&at| rows.get(at).is_some_and(|row| row.text.is_empty()))
        .count();
    let at = index + if is_first { 0 } else { blanks };
    rows.starts_with(at, b"@@").then_some(at)
}

/// Returns whether the numbers of the only hunk say that the file is new, whatever its names say. A
/// header that knows of an old file knows better: of lines added above its first, git says the same
/// where it shows no context.
fn makes_file(header: &Header, hunks: &[Hunk<'_>]) -> bool {
    let has_old = match &header.ids {
        Some((old, _)) => old.bytes().any(|digit| digit != b'0'),
        None => header.old_mode.is_some(),
    };
    let [hunk] = hunks else { return false };
    let position = hunk.position.as_ref();
    header.status == Status::Modified
        && position.is_some_and(|position| position.old_start == 0)
        && hunk.old().next().is_none()
        && !has_old
}

/// What of a section a hunk's reader must know.
#[derive(Clone, Copy)]
pub(super) struct SectionPart<'s> {
    pub(super) path: &'s BString,
    /// Which hunk it is, from 1.
    pub(super) number: usize,
    /// Whether the file is new.
    pub(super) is_new: bool,
}

/// Checks that header and hunks go together; `span` is the section's first line.
fn check(header: &Header, hunks: &[Hunk<'_>], span: Option<Span>) -> Option<Located<Error>> {
    let keeps_mode = header.old_mode == header.new_mode || header.new_mode.is_none();
    let (at, error) = match header.status {
        Status::Added => match hunks.get(1) {
            Some(second) => (second.span, Error::AddedTwice),
            None => {
                let old = hunks.iter().flat_map(Hunk::old).next()?;
                (old.text.span, Error::AddedHasOld)
            }
        },
        Status::Modified if hunks.is_empty() && keeps_mode => (span, Error::Nothing),
        _ => return None,
    };
    Some(Located::new(at.or(span), error))
}

/// The lines of a response, and what is around the diff in it.
#[derive(Clone, Copy)]
pub(super) struct Rows<'a, 'o> {
    pub(super) source: &'a Source,
    pub(super) around: HunkSurroundings<'o>,
    pub(super) options: Options<'o>,
}

impl<'a> Rows<'a, '_> {
    /// Returns the line at an index, from 0.
    pub(super) fn get(&self, index: usize) -> Option<Row<'a>> {
        self.source.row(LineNo::from_index(index))
    }

    /// Returns the texts of the lines in a range, as far as there are lines.
    pub(super) fn texts(&self, range: Range<usize>) -> impl Iterator<Item = &'a [u8]> {
        range.map_while(|index| Some(self.get(index)?.text))
    }

    pub(super) fn starts_with(&self, index: usize, prefix: &[u8]) -> bool {
        self.get(index)
            .is_some_and(|row| row.text.starts_with(prefix))
    }

    /// Returns whether a section starts at a line: `diff --git` and two names, or `--- `, `+++ `
    /// and `@@`.
    pub(super) fn starts_section(&self, index: usize) -> bool {
        if self.starts_with(index, b"--- ") {
            return self.starts_with(index + 1, b"+++ ") && self.starts_hunk(index + 2);
        }
        let names = self
            .get(index)
            .and_then(|row| row.text.strip_prefix(b"diff --git "));
        names.is_some_and(|names| {
            Naming::new(&self.options).split(names).is_some()
                || header::continues(self.get(index + 1))
        })
    }

    /// Returns whether a hunk's header may be at a line, with numbers or without.
    pub(super) fn starts_hunk(&self, index: usize) -> bool {
        self.get(index).is_some_and(|row| {
            row.text == b"@@" || row.text.starts_with(b"@@ ") || row.text.starts_with(b"@@@ -")
        })
    }

    /// Returns whether no line of a hunk can be here, unless it was counted: the response ends, or
    /// something else begins.
    pub(super) fn stops(&self, index: usize) -> bool {
        let Some(row) = self.get(index) else {
            return true;
        };
        let text = row.text;
        match text.first() {
            None | Some(b' ' | b'+' | b'\\') => false,
            Some(b'-') => {
                self.starts_section(index)
                    || self.is_signature(index)
                    || self.is_cut_header(index)
                    || self.around.commented && text == b"-->"
            }
            Some(b'@') => self.starts_hunk(index),
            Some(b'`' | b'~') => text.starts_with(b"```") || text.starts_with(b"~~~"),
            _ => {
                const STARTS: [&[u8]; 6] = [
                    b"diff -",
                    b"Index: ",
                    b"Only in ",
                    b"*** Begin Patch",
                    b"<edit ",
                    b"<opx>",
                ];
                STARTS.iter().any(|start| text.starts_with(start))
                    || names_commit(text)
                    || self
                        .around
                        .heredoc
                        .is_some_and(|delimiter| delimiter == text)
            }
        }
    }

    /// Returns whether nothing but empty lines is left of the response.
    pub(super) fn is_end(&self, index: usize) -> bool {
        let mut rest = (index..).map_while(|index| self.get(index));
        !self.around.closed && rest.all(|row| row.text.is_empty())
    }

    /// Returns whether names of a section are all that is left of the response.
    fn is_cut_header(&self, index: usize) -> bool {
        self.starts_with(index, b"--- ")
            && self.starts_with(index + 1, b"+++ ")
            && self.get(index + 2).is_none()
    }

    /// Returns whether a line is the `-- ` with which mail ends, and git's version behind it.
    fn is_signature(&self, index: usize) -> bool {
        self.get(index)
            .is_some_and(|row| matches!(row.text, b"-- " | b"--"))
            && self.get(index + 1).is_some_and(|row| {
                row.text.first().is_some_and(u8::is_ascii_digit)
                    && row.text.contains(&b'.')
                    && row.text.len() < 40
            })
            && self
                .get(index + 2)
                .is_none_or(|row| row.text.is_empty() || self.stops(index + 2))
    }
}

/// Returns whether a line begins a mail or a commit as `git log` shows it.
pub(crate) fn names_commit(text: &[u8]) -> bool {
    let id = text
        .strip_prefix(b"From ")
        .or_else(|| text.strip_prefix(b"commit "));
    id.is_some_and(|id| {
        id.iter()
            .take_while(|byte| byte.is_ascii_hexdigit())
            .count()
            >= 7
    })
}
