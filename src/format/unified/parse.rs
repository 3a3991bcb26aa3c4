//! One section of a unified diff: its header, and its hunks.

use super::fault::{Fault, Warning};
use super::header::{Said, Settled, excerpt};
use super::hunk;
use super::names::Name;
use super::rows::{self, Rows};
use crate::format::Options;
use crate::patch::{FileEdit, Header, Hunk, Mark, Operation, Status};
use crate::text::{LineNo, Located, Source, Span, Text};

/// What was read of one section.
#[derive(Debug)]
pub struct Block<'a> {
    /// The first line behind it.
    pub end: LineNo,
    /// The edit; of a section that can't be read, one for each path that it names.
    pub edits: Vec<FileEdit<'a>>,
    /// Why it can't be applied.
    pub faults: Vec<Located<Fault>>,
    /// What was guessed.
    pub warnings: Vec<Located<Warning>>,
}

/// What stands around a diff in a response.
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
    let (mut said, mut index) = Said::read(&rows, begin.index());
    let span = rows.get(begin.index()).map(|row| row.span(source));
    let mut faults = std::mem::take(&mut said.faults);
    let paths = said.paths();
    let settled = said.settle();
    let is_binary = matches!(settled, Err(Fault::Binary { .. }));
    let mut warnings = Vec::new();
    let mut hunks = Vec::new();
    // Where it ends doesn't depend on how strictly it is read: a hunk of a known end may be miscounted.
    let mut is_lost = !faults.is_empty();
    let path = paths.last().map(|path| excerpt(&path.bytes)).unwrap_or_default();
    while !is_binary && let Some(at) = next_hunk(&rows, index, hunks.is_empty()) {
        match hunk::read(&rows, at) {
            Ok(read) => {
                if let Some(claimed) = read.miscounted {
                    let (number, at) = (hunks.len() + 1, read.hunk.span);
                    let found = read.hunk.position.as_ref().map_or(claimed, |now| [now.old_lines, now.new_lines]);
                    if options.strict && read.faults.is_empty() {
                        faults.push(Located::new(at, Fault::Miscounted { number, claimed, found }));
                    } else if read.faults.is_empty() {
                        warnings
                            .push(Located::new(at, Warning::Recounted { path: path.clone(), number, claimed, found }));
                    }
                }
                is_lost |= !read.faults.is_empty();
                faults.extend(read.faults);
                hunks.push(read.hunk);
                index = read.end;
            }
            Err(fault) => {
                is_lost = true;
                faults.push(fault);
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
    match &settled {
        // What it says of the names may follow from a line that can't be read.
        Err(fault) if faults.is_empty() || is_binary => faults.insert(0, Located::new(span, fault.clone())),
        Ok(settled) if faults.is_empty() => faults.extend(check(settled, &hunks).map(|fault| fault_at(fault, span))),
        _ => {}
    }
    let end = LineNo::from_index(index);
    let edits = match settled {
        Ok(settled) if faults.is_empty() => vec![edit(source, settled, hunks, span)],
        _ => paths.into_iter().map(|path| unreadable(source, path, span)).collect(),
    };
    Block { end, edits, faults, warnings }
}

fn fault_at(fault: Located<Fault>, span: Option<Span>) -> Located<Fault> {
    Located { span: fault.span.or(span), value: fault.value }
}

/// Returns the line of the next hunk's header. Blank lines may stand between hunks.
fn next_hunk(rows: &Rows<'_, '_>, index: usize, is_first: bool) -> Option<usize> {
    let blanks = (index..).take_while(|&at| rows.get(at).is_some_and(|row| row.text().is_empty())).count();
    let at = index + if is_first { 0 } else { blanks };
    rows.starts_with(at, b"@@").then_some(at)
}

/// Checks that header and hunks go together.
fn check(settled: &Settled<'_>, hunks: &[Hunk<'_>]) -> Option<Located<Fault>> {
    let Header { status, old_mode, new_mode, .. } = &settled.header;
    match status {
        Status::Added => {
            if let Some(second) = hunks.get(1) {
                return Some(Located::new(second.span, Fault::AddedTwice));
            }
            let old = hunks.iter().flat_map(Hunk::old).next()?;
            Some(Located::new(old.text.span, Fault::AddedHasOld))
        }
        Status::Modified if hunks.is_empty() && (old_mode == new_mode || new_mode.is_none()) => {
            Some(Located::new(None, Fault::Nothing))
        }
        _ => None,
    }
}

fn edit<'a>(source: &'a Source, settled: Settled<'a>, hunks: Vec<Hunk<'a>>, span: Option<Span>) -> FileEdit<'a> {
    let Settled { path, to, header } = settled;
    debug_assert!(header.status != Status::Added || hunks.iter().flat_map(|hunk| &hunk.lines).all(is_added));
    let operation = Operation::Update { to: to.map(|to| text(source, to)), hunks };
    FileEdit { path: text(source, path), root: None, operation, header: Some(header), why: None, span }
}

fn is_added(line: &crate::patch::HunkLine<'_>) -> bool {
    line.mark == Mark::Added
}

fn unreadable<'a>(source: &'a Source, path: Name<'a>, span: Option<Span>) -> FileEdit<'a> {
    let (path, operation) = (text(source, path), Operation::Unreadable);
    FileEdit { path, root: None, operation, header: None, why: None, span }
}

fn text<'a>(source: &Source, name: Name<'a>) -> Text<'a> {
    let (start, end) = name.at;
    Text::at(name.bytes, source.span(start..end))
}
