//! What placed hunks make of their file.

use std::borrow::Cow;
use std::ops::Range;

use super::super::again::already_there;
use super::super::place_error::Part;
use super::super::placement::Placement;
use super::super::splice::{Last, Splicer};
use super::super::warning::{Placing, Warning};
use super::{Outcome, Task};
use crate::patch::{Hunk, HunkLine, Mark};
use crate::search::Document;
use crate::text::{Ending, LineNo, Located, Span};

/// A hunk and the lines of the file that it takes the place of.
pub(super) struct PlacedHunk<'h> {
    pub(super) number: usize,
    pub(super) span: Option<Span>,
    pub(super) range: Range<usize>,
    pub(super) how: Placing,
    pub(super) lines: Vec<&'h HunkLine<'h>>,
    /// The added lines as the file needs them, and how they end if that isn't left to their
    /// neighbours.
    pub(super) added: AddedLines<'h>,
    /// Whether the byte order mark of the file is part of its lines.
    pub(super) has_mark: bool,
}

pub(super) type AddedLines<'h> = Vec<(Cow<'h, [u8]>, Option<Ending>)>;

impl PlacedHunk<'_> {
    /// Returns whether the new lines are the same as the old lines.
    pub(super) fn is_idle(&self) -> bool {
        let side = |without: Mark| {
            let lines = self.lines.iter().filter(move |line| line.mark != without);
            lines.map(|line| (&line.text[..], line.unterminated))
        };
        side(Mark::Added).eq(side(Mark::Removed))
    }

    /// Returns the line behind what the hunk changes; the lines between it and the hunk's end are
    /// context, which a later hunk may begin with.
    pub(super) fn core_end(&self) -> usize {
        let context = context_behind(self.lines.iter().copied());
        self.range.end.saturating_sub(context).max(self.range.start)
    }

    /// Leaves the context from a line on to a later hunk.
    pub(super) fn leave(&mut self, from: usize) {
        let shared = self.range.end.saturating_sub(from);
        self.lines.truncate(self.lines.len() - shared);
        self.range.end -= shared;
    }

    /// Returns where the added lines are, if they are right before or behind the old lines already.
    fn again(&self, file: &Document) -> Option<LineNo> {
        let removed = self.lines.iter().filter(|line| line.mark == Mark::Removed);
        if self.added.len() <= removed.count() {
            // There are no more lines than before.
            return None;
        }
        let mut old = self.range.clone();
        let mut added = self.added.iter().map(|(text, _)| Cow::Borrowed(&text[..]));
        let mut new = Vec::new();
        for line in &self.lines {
            let text = match line.mark {
                Mark::Added => added.next(),
                Mark::Context => old.next().map(|at| file.text(at)),
                Mark::Removed => old.next().and(None),
            };
            new.extend(text);
        }
        already_there(file, &self.range, &new).map(LineNo::from_index)
    }

    fn put(&self, splicer: &mut Splicer<'_>) {
        splicer.keep_to(self.range.start);
        if self.has_mark {
            splicer.take_mark();
        }
        let mut added = self.added.iter().map(|(text, ending)| (&text[..], *ending));
        for block in blocks(&self.lines) {
            if block[0].mark == Mark::Context {
                splicer.keep_to(splicer.next() + block.len());
                continue;
            }
            let removed = block
                .iter()
                .filter(|line| line.mark == Mark::Removed)
                .count();
            splicer.replace(removed, added.by_ref().take(block.len() - removed));
        }
    }
}

/// Returns how many lines of context are behind what lines change.
pub(super) fn context_behind<'l, 'p: 'l>(
    lines: impl DoubleEndedIterator<Item = &'l HunkLine<'p>>,
) -> usize {
    let is_context = |line: &&HunkLine<'_>| line.mark == Mark::Context;
    lines.rev().take_while(is_context).count()
}

/// Splits lines into runs of context and, between them, runs of removed and added lines: one
/// replacement each, in whatever order they are.
pub(super) fn blocks<'l, 'h, 'p>(
    lines: &'l [&'h HunkLine<'p>],
) -> impl Iterator<Item = &'l [&'h HunkLine<'p>]> {
    lines.chunk_by(|a, b| (a.mark == Mark::Context) == (b.mark == Mark::Context))
}

/// Returns which lines of the file a hunk at a line changes; where it only adds lines, none between
/// two.
pub(super) fn changed<'l>(
    lines: &'l [&'l HunkLine<'_>],
    at: usize,
) -> impl Iterator<Item = Range<usize>> + 'l {
    let mut next = at;
    blocks(lines).filter_map(move |block| {
        let start = next;
        next += block.iter().filter(|line| line.mark != Mark::Added).count();
        (block[0].mark != Mark::Context).then_some(start..next)
    })
}

/// Makes splices of hunks, given in the file's order. `all` also has the hunks without a place, in
/// the order of the response.
pub(super) fn made(
    task: Task<'_>,
    all: &[Hunk<'_>],
    hunks: &[PlacedHunk<'_>],
    last: Last,
    outcome: Outcome,
) -> Outcome {
    let outcome = Outcome {
        placed: placed(task, hunks),
        ..outcome
    };
    if hunks.iter().all(PlacedHunk::is_idle) {
        // That is said once, of the whole section.
        return outcome;
    }
    let mut warnings = outcome.warnings;
    let mut splicer = Splicer::new(task.file);
    let mut again = None;
    let mut does_more = false;
    for hunk in hunks {
        let mut said = None;
        if !hunk.is_idle() {
            hunk.put(&mut splicer);
            // A line number alone is a place that its author means.
            let is_numbered = all[hunk.number - 1].position.is_some() && hunk.range.is_empty();
            let line = hunk.again(task.file).filter(|_| !is_numbered);
            does_more |= line.is_none();
            again = again.or(line);
            said = line.map(Placing::Again);
        } else if hunk.lines.iter().any(|line| line.mark != Mark::Context) {
            said = Some(Placing::Idle);
        }
        let said = said.map(|said| Located::new(hunk.span, said));
        warnings.extend(task.warnings(Part::Hunk(hunk.number), said));
    }
    let (splices, adds_newline) = splicer.finish(last);
    if adds_newline {
        let span = all.first().and_then(|hunk| hunk.span);
        warnings.push(Located::new(
            span,
            Warning::NewlineAdded {
                path: task.path.clone(),
            },
        ));
    }
    Outcome {
        splices,
        warnings,
        again: again.filter(|_| !does_more),
        ..outcome
    }
}

/// Returns where hunks, given in the file's order, are before and afterwards.
fn placed(task: Task<'_>, hunks: &[PlacedHunk<'_>]) -> Vec<Placement> {
    let mut old_end = 0;
    let mut new_end = 0;
    let mut placed: Vec<_> = hunks
        .iter()
        .map(
            |PlacedHunk {
                 number,
                 range,
                 lines,
                 span,
                 how,
                 ..
             }| {
                let start = new_end + (range.start - old_end);
                (old_end, new_end) = (
                    range.end,
                    start
                        + lines
                            .iter()
                            .filter(|line| line.mark != Mark::Removed)
                            .count(),
                );
                task.placement(*number, *span, range.clone(), start..new_end, how.clone())
            },
        )
        .collect();
    placed.sort_by_key(|placed| placed.number);
    placed
}
