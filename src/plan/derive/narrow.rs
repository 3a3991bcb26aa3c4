//! Which lines differ where it is known what took the place of what, told without a diff of the whole file where that can't
//! come to anything else.
//!
//! If no line that goes is in the new file, and none that comes in the old one, then a diff of the whole has nothing to match them
//! with: the lines that go and come are what differs, and no run of them can be shifted. Only where the engine takes a line for
//! noise, since it is in the file so often and so many that differ are around it, might it say more; so there must be enough
//! lines between.

use std::collections::HashSet;
use std::ops::Range;

use crate::compare::Region;
use crate::search::Sieve;
use crate::text::Splice;

/// How many lines on each side of a line decide whether it is noise (xdiff: `XDL_SIMSCAN_WINDOW`).
const WINDOW: usize = 100;
/// How many differing lines there must be for each line that is noise (xdiff: one less than `XDL_KPDIS_RUN`).
const NOISE: usize = 3;

/// Returns the runs of lines that differ, or `None` where only a diff of the whole file can tell.
pub(super) fn regions(old: &[u8], new: &[u8], splices: &[Splice]) -> Option<Vec<Region>> {
    let ranges = whole_lines(old, new, splices);
    let (mut gone, mut come) = (HashSet::new(), HashSet::new());
    for (old_range, new_range) in &ranges {
        gone.extend(lines(&old[old_range.clone()]));
        come.extend(lines(&new[new_range.clone()]));
    }
    if !gone.is_disjoint(&come) {
        return None;
    }
    let changed = Changed::new(gone.into_iter().chain(come).collect());
    let (mut regions, mut kept_from) = (Vec::<Region>::new(), 0);
    let (mut old_line, mut new_line) = (0, 0);
    for (old_range, new_range) in &ranges {
        let kept = changed.count_others(&old[kept_from..old_range.start])?;
        let (start, start_new) = (old_line + kept, new_line + kept);
        old_line = start + lines(&old[old_range.clone()]).count();
        new_line = start_new + lines(&new[new_range.clone()]).count();
        regions.push(Region { old: start..old_line, new: start_new..new_line });
        kept_from = old_range.end;
    }
    changed.count_others(&old[kept_from..])?;
    (0..regions.len().saturating_sub(1)).all(|gap| is_kept(&regions, gap)).then_some(regions)
}

/// Returns what splices change as whole lines of both files, without lines that are the same at their edges; none touches another.
fn whole_lines(old: &[u8], new: &[u8], splices: &[Splice]) -> Vec<(Range<usize>, Range<usize>)> {
    let mut ranges: Vec<(Range<usize>, Range<usize>)> = Vec::new();
    let (mut gone, mut come) = (0, 0);
    for splice in splices {
        let is_start = |bytes: &[u8]| bytes.last().is_none_or(|last| *last == b'\n');
        let start = memchr::memrchr(b'\n', &old[..splice.old.start]).map_or(0, |at| at + 1);
        if ranges.last().is_none_or(|(last, _)| last.end < start) {
            let start_new = start + come - gone;
            ranges.push((start..start, start_new..start_new));
        }
        (gone, come) = (gone + splice.old.len(), come + splice.new.len());
        let (end, end_new) = (splice.old.end, splice.old.end + come - gone);
        let rest = &old[end..];
        let ends = is_start(&old[..end]) && is_start(&new[..end_new]);
        let more = if ends { 0 } else { memchr::memchr(b'\n', rest).map_or(rest.len(), |at| at + 1) };
        if let Some((range, range_new)) = ranges.last_mut() {
            (range.end, range_new.end) = (end + more, end_new + more);
        }
    }
    for (range, range_new) in &mut ranges {
        let pairs = lines(&old[range.clone()]).zip(lines(&new[range_new.clone()]));
        let head: usize = pairs.take_while(|(a, b)| a == b).map(|(line, _)| line.len()).sum();
        (range.start, range_new.start) = (range.start + head, range_new.start + head);
        let (mut ends, mut ends_new) = (lines(&old[range.clone()]).rev(), lines(&new[range_new.clone()]).rev());
        while let (Some(a), Some(b)) = (ends.next(), ends_new.next()) {
            if a != b {
                break;
            }
            (range.end, range_new.end) = (range.end - a.len(), range_new.end - b.len());
        }
    }
    ranges.retain(|(range, range_new)| !range.is_empty() || !range_new.is_empty());
    ranges
}

/// Returns whether no line between two regions is noise: of those in its reach that differ, there are too few.
fn is_kept(regions: &[Region], gap: usize) -> bool {
    let size = |region: &Region| region.old.len().max(region.new.len());
    let mut left = regions[..=gap].iter().rev().map(size);
    let mut right = regions[gap + 1..].iter().map(size);
    let around = |sizes: &mut dyn Iterator<Item = usize>| sizes.take(WINDOW).sum::<usize>().min(WINDOW);
    let between = regions[gap + 1].old.start - regions[gap].old.end;
    between > 0 && NOISE * (between + 1) >= around(&mut left) + around(&mut right)
}

/// Splits into lines, terminators included.
fn lines(bytes: &[u8]) -> impl DoubleEndedIterator<Item = &[u8]> {
    bytes.split_inclusive(|byte| *byte == b'\n')
}

/// The lines that go or come.
struct Changed<'l> {
    lines: HashSet<&'l [u8]>,
    /// To pass over most lines quickly.
    sieve: Sieve,
}

impl<'l> Changed<'l> {
    fn new(lines: HashSet<&'l [u8]>) -> Self {
        let mut sieve = Sieve::new(16 * lines.len() + (1 << 10));
        lines.iter().for_each(|line| sieve.add(Self::hash(line)));
        Self { lines, sieve }
    }

    /// Returns a hash of a line's end.
    fn hash(line: &[u8]) -> u64 {
        let end = line.iter().rev().take(9).fold(line.len() as u64, |hash, byte| (hash << 7) ^ u64::from(*byte));
        end.wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }

    /// Counts lines; `None` if one of them is among these.
    fn count_others(&self, bytes: &[u8]) -> Option<usize> {
        let (mut count, mut from) = (0, 0);
        let ends = memchr::memchr_iter(b'\n', bytes).map(|at| at + 1);
        let open = (!bytes.is_empty() && !bytes.ends_with(b"\n")).then_some(bytes.len());
        for end in ends.chain(open) {
            let line = &bytes[from..end];
            if self.sieve.may_have(Self::hash(line)) && self.lines.contains(line) {
                return None;
            }
            (count, from) = (count + 1, end);
        }
        Some(count)
    }
}
