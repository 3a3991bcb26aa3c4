//! Which lines differ where it is known what took the place of what, told without a diff of the
//! whole file where that can't come to anything else.
//!
//! If no line that goes is in the new file, and no line that comes is in the old file, then a diff
//! of the whole has nothing to match them with: the lines that go and come are what differs, and no
//! run of them can be shifted. Only where the engine takes a line for noise, since it is often in
//! the file and many lines that differ are around it, might it say more; so there must be enough
//! lines between.

use std::collections::BTreeSet;
use std::ops::Range;

use bstr::ByteSlice as _;

use crate::compare::Region;
use crate::search::Sieve;
use crate::text::{Lines, Splice, hash, same_end, same_start};

/// How many lines on each side of a line decide whether it is noise (xdiff: `XDL_SIMSCAN_WINDOW`).
const WINDOW: usize = 100;
/// How many differing lines there must be for each line that is noise (xdiff: one less than
/// `XDL_KPDIS_RUN`).
const NOISE: usize = 3;

/// Returns the runs of lines that differ, or `None` where only a diff of the whole file can tell.
pub(super) fn regions(file: &Lines<'_>, splices: &[Splice]) -> Option<Vec<Region>> {
    let old = file.bytes();
    let rewritten = rewritten(old, splices);
    let gone: BTreeSet<_> = rewritten
        .iter()
        .flat_map(|run| lines(&old[run.old.clone()]))
        .collect();
    let come: BTreeSet<_> = rewritten.iter().flat_map(|run| lines(&run.new)).collect();
    if !gone.is_disjoint(&come) {
        return None;
    }
    let changed = Changed::new(gone.into_iter().chain(come).collect());
    let mut regions = Vec::<Region>::new();
    let mut kept_from = 0;
    let mut old_line = 0;
    let mut new_line = 0;
    for run in &rewritten {
        let start = file.newlines_before(run.old.start);
        if changed.has_any(file, kept_from, old_line..start) {
            return None;
        }
        let start_new = new_line + (start - old_line);
        old_line = start + lines(&old[run.old.clone()]).count();
        new_line = start_new + lines(&run.new).count();
        regions.push(Region {
            old: start..old_line,
            new: start_new..new_line,
        });
        kept_from = run.old.end;
    }
    let is_certain = !changed.has_any(file, kept_from, old_line..file.len())
        && (0..regions.len().saturating_sub(1)).all(|gap| is_kept(&regions, gap));
    is_certain.then_some(regions)
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
    // Texts that take the place of others often begin and end alike, and would touch the next.
    let splices = splices
        .iter()
        .map(|splice| trimmed(old, splice.old.clone(), splice.new.clone()));
    let mut splices = splices.filter(|run| !run.is_empty()).peekable();
    let mut runs = Vec::new();
    while let Some(Rewritten { old: range, new }) = splices.next() {
        let start = line_start(old, range.start);
        let mut end = range.end;
        let mut new = [&old[start..range.start], &new].concat();
        loop {
            let ends = is_start(&old[..end]) && is_start(&new);
            let more = if ends {
                0
            } else {
                memchr::memchr(b'\n', &old[end..]).map_or(old.len() - end, |at| at + 1)
            };
            let Some(next) = splices.next_if(|next| line_start(old, next.old.start) <= end + more)
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
    let gone = &old[range.clone()];
    let mut head = same_start(gone, &new);
    if head < gone.len() || head < new.len() {
        head = line_start(&new, head);
    }
    range.start += head;
    new.drain(..head);
    let gone = &old[range.clone()];
    let mut tail = same_end(gone, &new);
    let [gone, come] = [gone, &new].map(|side| side.split_at(side.len() - tail));
    if !(is_start(gone.0) && is_start(come.0)) {
        tail -= memchr::memchr(b'\n', gone.1).map_or(tail, |at| at + 1);
    }
    range.end -= tail;
    new.truncate(new.len() - tail);
    Rewritten { old: range, new }
}

/// Returns where the line starts that an offset is in.
fn line_start(bytes: &[u8], at: usize) -> usize {
    memchr::memrchr(b'\n', &bytes[..at]).map_or(0, |at| at + 1)
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
fn lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    bytes.lines_with_terminator()
}

/// The lines that go or come.
struct Changed<'l> {
    lines: BTreeSet<&'l [u8]>,
    /// Tells of most lines that they are none of these.
    sieve: Sieve,
}

impl<'l> Changed<'l> {
    fn new(lines: BTreeSet<&'l [u8]>) -> Self {
        let mut sieve = Sieve::new(16 * lines.len() + (1 << 10));
        lines.iter().for_each(|line| sieve.add(hash(line, 0)));
        Self { lines, sieve }
    }

    /// Returns whether one of these is among the lines of a file that are kept from an offset on.
    fn has_any(&self, file: &Lines<'_>, mut from: usize, kept: Range<usize>) -> bool {
        // A byte order mark alone is a line here, and none there.
        let ends = file.starts();
        let mut ends = ends.iter().take(kept.end + 1).skip(kept.start + 1);
        ends.any(|&end| {
            let line = &file.bytes()[from..end];
            from = end;
            self.sieve.may_have(hash(line, 0)) && self.lines.contains(line)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_is_told_of_what_took_the_place_of_what() {
        for (old, range, new, want) in [
            ("a\nb\nc\n", 2..4, "x\n", Some((1..2, 1..2))),
            ("a\nb\nc\n", 0..6, "a\nx\nc\n", Some((1..2, 1..2))),
            ("a\nb\nc", 4..5, "c\nx", Some((2..3, 2..4))),
            ("a\nbcd\n", 3..4, "x", Some((1..2, 1..2))),
            ("a\nb\n", 4..4, "x\n", Some((2..2, 2..3))),
            ("a\nb\n", 0..2, "", Some((0..1, 0..0))),
            ("\u{feff}", 3..3, "x\n", Some((0..1, 0..1))),
            ("\u{feff}a\nb\n", 5..7, "x\n", Some((1..2, 1..2))),
            // These may be shifted, or matched with others.
            ("a\nb\na\n", 4..6, "", None),
            ("a\nb\n", 4..4, "a\n", None),
            ("\u{feff}a\nb\n", 5..7, "\u{feff}a\n", None),
        ] {
            let new = new.into();
            let splice = Splice { old: range, new };
            let got = regions(&Lines::new(old.as_bytes()), &[splice]);
            let want = want.map(|(old, new)| vec![Region { old, new }]);
            assert_eq!(got, want, "{old:?}");
        }
    }
}
