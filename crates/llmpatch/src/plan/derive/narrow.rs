//! Which lines differ where it is known what took the place of what, told without a diff of the
//! whole file where that can't come to anything else.
//!
//! If no line that goes is in the new file, and no line that comes is in the old file, then a diff
//! of the whole has nothing to match them with: the lines that go and come are what differs, and no
//! run of them can be shifted. Only where the engine takes a line for noise, since it is often in
//! the file and many lines that differ are around it, might it say more; so there must be enough
//! lines between.

use std::collections::HashSet;
use std::ops::Range;

use crate::compare::Region;
use crate::search::Sieve;
use crate::text::{Splice, hash};

/// How many lines on each side of a line decide whether it is noise (xdiff: `XDL_SIMSCAN_WINDOW`).
const WINDOW: usize = 100;
/// How many differing lines there must be for each line that is noise (xdiff: one less than
/// `XDL_KPDIS_RUN`).
const NOISE: usize = 3;

/// Returns the runs of lines that differ, or `None` where only a diff of the whole file can tell.
pub(super) fn regions(old: &[u8], splices: &[Splice]) -> Option<Vec<Region>> {
    let rewritten = rewritten(old, splices);
    let gone: HashSet<_> = rewritten
        .iter()
        .flat_map(|run| lines(&old[run.old.clone()]))
        .collect();
    let come: HashSet<_> = rewritten.iter().flat_map(|run| lines(&run.new)).collect();
    if !gone.is_disjoint(&come) {
        return None;
    }
    let changed = Changed::new(gone.into_iter().chain(come).collect());
    let mut regions = Vec::<Region>::new();
    let mut kept_from = 0;
    let mut old_line = 0;
    let mut new_line = 0;
    for run in &rewritten {
        let kept = changed.count_others(&old[kept_from..run.old.start])?;
        let start = old_line + kept;
        let start_new = new_line + kept;
        old_line = start + lines(&old[run.old.clone()]).count();
        new_line = start_new + lines(&run.new).count();
        regions.push(Region {
            old: start..old_line,
            new: start_new..new_line,
        });
        kept_from = run.old.end;
    }
    changed.count_others(&old[kept_from..])?;
    (0..regions.len().saturating_sub(1))
        .all(|gap| is_kept(&regions, gap))
        .then_some(regions)
}

/// Whole lines, by their offsets, and what takes their place.
struct Rewritten {
    old: Range<usize>,
    new: Vec<u8>,
}

impl Rewritten {
    fn is_empty(&self) -> bool {
        self.old.is_empty() && self.new.is_empty()
    }
}

/// Returns what splices change as whole lines, without lines that are the same at their edges; none
/// touches another.
fn rewritten(old: &[u8], splices: &[Splice]) -> Vec<Rewritten> {
    let line_start = |at: usize| memchr::memrchr(b'\n', &old[..at]).map_or(0, |at| at + 1);
    // Texts that take the place of others often begin and end alike, and would touch the next.
    let splices = splices
        .iter()
        .map(|splice| trimmed(old, splice.old.clone(), splice.new.clone()));
    let mut splices = splices.filter(|run| !run.is_empty()).peekable();
    let mut runs = Vec::new();
    while let Some(Rewritten { old: range, new }) = splices.next() {
        let start = line_start(range.start);
        let mut end = range.end;
        let mut new = [&old[start..range.start], &new].concat();
        loop {
            let ends = is_start(&old[..end]) && is_start(&new);
            let more = if ends {
                0
            } else {
                memchr::memchr(b'\n', &old[end..]).map_or(old.len() - end, |at| at + 1)
            };
            let Some(next) = splices.next_if(|next| line_start(next.old.start) <= end + more)
            else {
                new.extend_from_slice(&old[end..end + more]);
                end += more;
                break;
            };
            new.extend_from_slice(&old[end..next.old.start]);
            new.extend_from_slice(&next.new);
            end = next.old.end;
        }
        runs.extend(Some(trimmed(old, start..end, new)).filter(|run| !run.is_empty()));
    }
    runs
}

fn is_start(bytes: &[u8]) -> bool {
    bytes.last().is_none_or(|last| *last == b'\n')
}

/// Takes off the lines that are the same at both ends.
fn trimmed(old: &[u8], mut range: Range<usize>, mut new: Vec<u8>) -> Rewritten {
    let head = same(&mut lines(&old[range.clone()]).zip(lines(&new)));
    range.start += head;
    new.drain(..head);
    let tail = same(&mut lines(&old[range.clone()]).rev().zip(lines(&new).rev()));
    range.end -= tail;
    new.truncate(new.len() - tail);
    Rewritten { old: range, new }
}

fn same(pairs: &mut dyn Iterator<Item = (&[u8], &[u8])>) -> usize {
    pairs
        .take_while(|(a, b)| a == b)
        .map(|(line, _)| line.len())
        .sum()
}

/// Returns whether no line between two regions is noise: too few of the lines in its reach differ.
fn is_kept(regions: &[Region], gap: usize) -> bool {
    let mut left = regions[..=gap].iter().rev().map(size);
    let mut right = regions[gap + 1..].iter().map(size);
    let around =
        |sizes: &mut dyn Iterator<Item = usize>| sizes.take(WINDOW).sum::<usize>().min(WINDOW);
    let between = regions[gap + 1].old.start - regions[gap].old.end;
    between > 0 && NOISE * (between + 1) >= around(&mut left) + around(&mut right)
}

fn size(region: &Region) -> usize {
    region.old.len().max(region.new.len())
}

/// Splits into lines, terminators included.
fn lines(bytes: &[u8]) -> impl DoubleEndedIterator<Item = &[u8]> {
    bytes.split_inclusive(|byte| *byte == b'\n')
}

/// The lines that go or come.
struct Changed<'l> {
    lines: HashSet<&'l [u8]>,
    /// Tells of most lines that they are none of these.
    sieve: Sieve,
}

impl<'l> Changed<'l> {
    fn new(lines: HashSet<&'l [u8]>) -> Self {
        let mut sieve = Sieve::new(16 * lines.len() + (1 << 10));
        lines.iter().for_each(|line| sieve.add(hash(line, 0)));
        Self { lines, sieve }
    }

    /// Counts lines; `None` if one of them is among these.
    fn count_others(&self, bytes: &[u8]) -> Option<usize> {
        let mut count = 0;
        let mut from = 0;
        let ends = memchr::memchr_iter(b'\n', bytes).map(|at| at + 1);
        let open = (!bytes.is_empty() && !bytes.ends_with(b"\n")).then_some(bytes.len());
        for end in ends.chain(open) {
            let line = &bytes[from..end];
            if self.sieve.may_have(hash(line, 0)) && self.lines.contains(line) {
                return None;
            }
            (count, from) = (count + 1, end);
        }
        Some(count)
    }
}
