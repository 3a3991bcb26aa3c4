//! A hunk that has its place: what it does to the lines there.

use std::ops::Range;

use super::fuzz::{self, Block, ShiftError};
use super::placement::{Match, Placed};
use super::splice::Splice;
use crate::patch::{HunkLine, Mark};
use crate::search::Fuzz;
use crate::text::{Lines, Span};

/// A hunk and the lines of the file that it takes the place of.
pub(super) struct PlacedHunk<'h, 'p> {
    pub(super) number: usize,
    pub(super) range: Range<usize>,
    pub(super) lines: Vec<&'h HunkLine<'p>>,
    pub(super) span: Option<Span>,
    pub(super) how: Match,
    /// The added lines as the file needs them; `None` for as they are.
    pub(super) fitted: Option<Vec<Vec<u8>>>,
}

impl PlacedHunk<'_, '_> {
    /// Returns whether the new lines are the old ones.
    pub(super) fn is_idle(&self) -> bool {
        let side =
            |without: Mark| self.lines.iter().filter(move |line| line.mark != without).map(|line| &line.text[..]);
        side(Mark::Added).eq(side(Mark::Removed))
    }

    /// Makes its change in a file that has been taken over up to the place before.
    pub(super) fn put(&self, splice: &mut Splice<'_>) {
        let (mut at, mut added) = (self.range.start, 0);
        splice.keep_to(at);
        for block in blocks(&self.lines) {
            if block[0].mark == Mark::Context {
                at += 1;
                splice.keep_to(at);
                continue;
            }
            let removed = block.iter().filter(|line| line.mark == Mark::Removed).count();
            let count = block.len() - removed;
            match &self.fitted {
                Some(fitted) => splice.replace(removed, fitted[added..added + count].iter().map(|line| &line[..])),
                None => {
                    splice.replace(removed, block.iter().filter(|l| l.mark == Mark::Added).map(|line| &line.text[..]));
                }
            }
            added += count;
            at += removed;
        }
    }
}

/// Context lines one by one, and each run of removed and added lines between them, which is one replacement whatever their
/// order in it.
fn blocks<'l, 'h, 'p>(lines: &'l [&'h HunkLine<'p>]) -> impl Iterator<Item = &'l [&'h HunkLine<'p>]> {
    lines.chunk_by(|a, b| a.mark != Mark::Context && b.mark != Mark::Context)
}

/// Makes the added lines of a hunk that was found at a looser level fit in at its place.
pub(super) fn fit(
    file: &Lines<'_>,
    at: usize,
    level: Fuzz,
    lines: &[&HunkLine<'_>],
) -> Result<Vec<Vec<u8>>, ShiftError> {
    let old: Vec<&[u8]> = lines.iter().filter(|line| line.mark != Mark::Added).map(|line| &line.text[..]).collect();
    let mut next = 0;
    let blocks = blocks(lines).filter_map(|block| {
        let old = next..next + block.iter().filter(|line| line.mark != Mark::Added).count();
        next = old.end;
        let new: Vec<_> = block.iter().filter(|line| line.mark == Mark::Added).map(|line| &line.text[..]).collect();
        (!new.is_empty()).then_some(Block { old, new })
    });
    fuzz::fit(file, at, level, &old, &blocks.collect::<Vec<_>>())
}

/// Says where hunks, given by their place in the file, are before and afterwards.
pub(super) fn placed(hunks: &[PlacedHunk<'_, '_>]) -> Vec<Placed> {
    let (mut old_end, mut new_end) = (0, 0);
    let mut placed: Vec<_> = hunks
        .iter()
        .map(|PlacedHunk { number, range, lines, span, how, .. }| {
            let start = new_end + (range.start - old_end);
            (old_end, new_end) = (range.end, start + lines.iter().filter(|line| line.mark != Mark::Removed).count());
            Placed { number: *number, span: *span, old: range.clone(), new: start..new_end, how: *how }
        })
        .collect();
    placed.sort_by_key(|placed| placed.number);
    placed
}
