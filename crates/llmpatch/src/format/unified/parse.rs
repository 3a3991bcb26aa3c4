//! One section of a unified diff: its header, and its hunks.

use bstr::BString;

use super::error::{Error, Warning};
use super::header::{FileHeader, RawHeader};
use super::hunk;
use super::line_kind::is_change;
use super::rows::{HunkSurroundings, Rows};
use crate::format::{Block, Options, excerpt};
use crate::patch::{Binary, FileEdit, Format, Header, Hunk, Operation, Status};
use crate::text::{LineNo, Located, Source, Span, Text, is_blank};

/// Returns whether a section starts at a line, behind the indentation of the diff: `diff --git` and
/// what follows it, or `--- `, `+++ ` and `@@`.
pub(crate) fn starts_here(source: &Source, line: LineNo, indent: &[u8]) -> bool {
    let around = HunkSurroundings {
        indent,
        ..HunkSurroundings::default()
    };
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
    let has_binary_patch = raw.has_binary_patch;
    let mut header = raw.resolve();
    let is_binary = matches!(header, Err(Error::Binary { .. }));
    let mut binary = None;
    if has_binary_patch {
        binary = body.read_binary(&rows);
    } else if is_binary {
        body.end = behind_binary(&rows, index);
    } else {
        let is_new = matches!(&header, Ok(file) if file.header.status == Status::Added);
        body.read(&rows, paths.last(), is_new);
    }
    let SectionBody {
        hunks,
        mut errors,
        warnings,
        end,
    } = body;
    if let Ok(file) = &mut header {
        if makes_file(&file.header, &hunks) {
            file.header.status = Status::Added;
            file.header.old_mode = None;
            // What is wrong with that points at what says so.
            file.path.span = hunks.first().and_then(|hunk| hunk.span);
        }
        file.header.binary = binary;
    }
    let wrong = match &header {
        // What it says of the names may follow from a line that can't be read.
        Err(error) => (errors.is_empty() || is_binary).then(|| Located::new(span, error.clone())),
        Ok(file) if errors.is_empty() => check(&file.header, &hunks, span, || rows.unknown(index)),
        Ok(_) => None,
    };
    if let Some(wrong) = wrong {
        errors.insert(0, wrong);
    }
    errors.extend(rows.unindented(begin.index()..end));
    let edits = match header {
        Ok(file) if errors.is_empty() => vec![edit(file, hunks, span)],
        _ => unreadable(paths, span),
    };
    let range = source.start_of(begin)..source.start_of(LineNo::from_index(end));
    Block::new(Format::Unified, range, edits, errors, warnings)
}

/// Returns the line behind what a section of a binary file shows.
fn behind_binary(rows: &Rows<'_, '_>, start: usize) -> usize {
    let ends = |index: &usize| rows.stops(*index) || rows.starts_section(*index);
    (start..).find(ends).unwrap_or(start)
}

/// Reads the hunks of a binary patch, and returns the line behind them too. `start` is the line behind
/// its first.
fn binary_patch(rows: &Rows<'_, '_>, start: usize) -> (Result<Binary, Located<Error>>, usize) {
    let is_within = |index: &usize| {
        let is_empty = rows.texts(*index..index + 1).all(<[u8]>::is_empty);
        !is_empty && !rows.stops(*index) && !rows.starts_section(*index)
    };
    let mut text = [Binary::HEADER, b"\n"].concat();
    let mut end = start;
    for is_first in [true, false] {
        if !is_first && !rows.texts(end..end + 1).any(Binary::begins_hunk) {
            break;
        }
        let below = (end..).find(|index| !is_within(index)).unwrap_or(end);
        for line in rows.texts(end..below) {
            text.extend([line, b"\n"].concat());
        }
        // The empty line of the last hunk is easily lost on the way.
        text.push(b'\n');
        let has_empty = rows.get(below).is_some_and(|row| row.text.is_empty());
        end = below + usize::from(has_empty);
        if !has_empty {
            break;
        }
    }
    let read = Binary::read(text).map_err(|line| {
        let row = rows.get(start + line - 1).or(rows.get(start - 1));
        let span = row.map(|row| row.span);
        Located::new(span, Error::BinaryLine)
    });
    (read, end)
}

/// Returns the edits of a section in which something is wrong, one of each path that it names.
fn unreadable(paths: Vec<Text<'_>>, span: Option<Span>) -> Vec<FileEdit<'_>> {
    let edit = |path| FileEdit::new(path, Operation::Unreadable, span);
    paths.into_iter().map(edit).collect()
}

/// Returns the edit of a section in which nothing is wrong.
fn edit<'a>(file: FileHeader<'a>, hunks: Vec<Hunk<'a>>, span: Option<Span>) -> FileEdit<'a> {
    let operation = Operation::Update { to: file.to, hunks };
    FileEdit {
        header: Some(Box::new(file.header)),
        depth: file.depth,
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
    fn read(&mut self, rows: &Rows<'a, '_>, path: Option<&Text<'_>>, is_new: bool) {
        let path = path.map(|path| excerpt(&path.bytes)).unwrap_or_default();
        let mut is_lost = !self.errors.is_empty();
        let start = self.end;
        while let Some(at) = next_hunk(rows, self.end, self.hunks.is_empty()) {
            let section = SectionPart {
                path: &path,
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
        if self.end == start {
            self.misplaced(rows);
        }
    }

    /// Reads the binary patch of a section.
    fn read_binary(&mut self, rows: &Rows<'a, '_>) -> Option<Binary> {
        let (read, end) = binary_patch(rows, self.end);
        self.end = end;
        read.map_err(|error| self.errors.push(error)).ok()
    }

    /// Finds a hunk that can't be read since its `@@` line is missing, or isn't where it must be.
    fn misplaced(&mut self, rows: &Rows<'a, '_>) {
        let Some((at, row)) = rows.misplaced(self.end) else {
            return;
        };
        let error = if is_change(row.text) {
            Error::NoHunkHeader
        } else {
            Error::Apart
        };
        self.errors.push(Located::new(row.span, error));
        let mut below = at + 1..;
        self.end = below.find(|&index| rows.stops(index)).unwrap_or(at);
    }
}

/// Returns the line of the next hunk's header. Blank lines may be between hunks.
fn next_hunk(rows: &Rows<'_, '_>, index: usize, is_first: bool) -> Option<usize> {
    let blanks = (index..)
        .take_while(|&at| rows.get(at).is_some_and(|row| is_blank(row.text)))
        .count();
    let at = index + if is_first { 0 } else { blanks };
    rows.starts_hunk(at).then_some(at)
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

/// Checks that header and hunks go together; `span` is the section's first line, `unknown` finds a
/// line that breaks the header off.
fn check(
    header: &Header,
    hunks: &[Hunk<'_>],
    span: Option<Span>,
    unknown: impl FnOnce() -> Option<Span>,
) -> Option<Located<Error>> {
    if header.binary.is_some() {
        let is_whole = |id: &str| matches!(id.len(), 40 | 64);
        let ids = header.ids.as_ref();
        let are_whole = ids.is_some_and(|(old, new)| is_whole(old) && is_whole(new));
        return (!are_whole).then(|| Located::new(span, Error::BinaryIds));
    }
    let keeps_mode = header.old_mode == header.new_mode || header.new_mode.is_none();
    let (at, error) = match header.status {
        Status::Added => match hunks.get(1) {
            Some(second) => (second.span, Error::AddedTwice),
            None => {
                let old = hunks.iter().flat_map(Hunk::old).next()?;
                (old.text.span, Error::AddedHasOld)
            }
        },
        Status::Modified if hunks.is_empty() && keeps_mode => match unknown() {
            Some(line) => (Some(line), Error::UnknownLine),
            None => (span, Error::Nothing),
        },
        _ => return None,
    };
    Some(Located::new(at.or(span), error))
}
