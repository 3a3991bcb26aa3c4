//! Regions that differ → the chunks of an envelope, each of which can be in one place only.
//!
//! A chunk is found by its old lines, from where the chunk before ended. So it gets more context
//! until these lines are nowhere behind it, and, unless a context line after `@@` leads past them,
//! nowhere before it either. It also shows the lines next to it that are like those that it adds.
//! Chunks that grow into each other are joined; at worst all of the file is a chunk, which is there
//! once.

use std::borrow::Cow;
use std::iter::Peekable;
use std::ops::Range;
use std::vec::IntoIter;

use super::hunks::lines;
use crate::compare::{Options, Region, heading};
use crate::patch::{Hunk, HunkLine, Mark};
use crate::plan::again::already_there;
use crate::search::{Document, IndentedBlock, Run};
use crate::text::{Lines, Text, has_letters, indentation};

/// How many lines of context a chunk gets one by one.
const NEAR: usize = 40;

/// How many lines above a chunk are looked through for a line to name after `@@`.
const ABOVE: usize = 400;

/// The longest line, in bytes, that is named after `@@`.
const WIDEST: usize = 160;

/// Makes the chunks that turn one content into another. Their lines are without terminators and
/// byte order marks.
pub(super) fn chunks<'c>(
    old: &Lines<'c>,
    new: &Lines<'c>,
    regions: &[Region],
    options: &Options,
) -> Vec<Hunk<'c>> {
    let groups = groups(old, new, regions, options);
    let runs = groups
        .iter()
        .map(|group| group.old.clone().map(|line| old.text(line)));
    let file = Document::of_lines(old, runs);
    let headings = (0..old.len())
        .filter(|&line| heading(old.text(line)).is_some())
        .collect();
    let placed = ChunkPlacer {
        old,
        new,
        file,
        headings,
        groups: groups.into_iter().peekable(),
        placed: Vec::new(),
    }
    .run();
    placed
        .into_iter()
        .map(|(group, locators)| hunk(old, new, &group, &locators))
        .collect()
}

/// Makes one chunk of all that differs, with the whole file around it.
pub(super) fn whole<'c>(old: &Lines<'c>, new: &Lines<'c>, regions: &[Region]) -> Vec<Hunk<'c>> {
    let group = Group {
        old: 0..old.len(),
        regions: regions.to_vec(),
    };
    vec![hunk(old, new, &group, &[])]
}

/// Regions that are one chunk, and the old lines that it shows.
#[derive(Clone, Debug)]
struct Group {
    old: Range<usize>,
    regions: Vec<Region>,
}

fn groups(old: &Lines<'_>, new: &Lines<'_>, regions: &[Region], options: &Options) -> Vec<Group> {
    let context = options.context as usize;
    let groups = options.groups(regions).map(|regions| {
        let Range { start, end } = Region::over(regions).old;
        Group {
            old: start.saturating_sub(context)..end.saturating_add(context).min(old.len()),
            regions: regions.to_vec(),
        }
    });
    let mut groups: Vec<_> = groups.collect();
    // A chunk that changes no more than how lines end changes nothing, but as part of another it
    // ends the last line.
    if groups.len() > 1
        && groups.last().is_some_and(|group| group.only_ends(old, new))
        && let Some(last) = groups.pop()
        && let Some(before) = groups.last_mut()
    {
        before.join(last);
    }
    groups
}

impl Group {
    /// Returns whether the texts of all lines stay.
    fn only_ends(&self, old: &Lines<'_>, new: &Lines<'_>) -> bool {
        self.regions.iter().all(|region| {
            let old = region.old.clone().map(|line| old.text(line));
            old.eq(region.new.clone().map(|line| new.text(line)))
        })
    }

    fn join(&mut self, next: Group) {
        self.old.end = self.old.end.max(next.old.end);
        self.regions.extend(next.regions);
    }
}

struct ChunkPlacer<'l, 'c> {
    old: &'l Lines<'c>,
    new: &'l Lines<'c>,
    file: Document,
    /// The lines that name what follows them.
    headings: Vec<usize>,
    groups: Peekable<IntoIter<Group>>,
    placed: Vec<(Group, Vec<usize>)>,
}

impl ChunkPlacer<'_, '_> {
    fn run(mut self) -> Vec<(Group, Vec<usize>)> {
        while let Some(group) = self.groups.next() {
            self.settle(group);
        }
        self.placed
    }

    /// Works out how much context and which lines after `@@` a group needs to be found, and adds
    /// its chunk.
    fn settle(&mut self, mut group: Group) {
        let mut step = 1;
        loop {
            while let Some(next) = (self.groups).next_if(|next| next.old.start <= group.old.end) {
                group.join(next);
            }
            let floor = self.cursor();
            group.old.start = group.old.start.max(floor);
            if let Some(locators) = self.locators(&group) {
                return self.placed.push((group, locators));
            }
            let grown = group.old.start.saturating_sub(step).max(floor)
                ..(group.old.end + step).min(self.old.len());
            // One line at a time at first, then twice as many each time.
            step = if grown.len() > 2 * NEAR { step * 2 } else { 1 };
            if grown != group.old {
                group.old = grown;
            } else if let Some((mut before, _)) = self.placed.pop() {
                before.join(group);
                group = before;
            } else {
                return self.placed.push((group, Vec::new()));
            }
        }
    }

    /// Returns where the search for the next chunk begins.
    fn cursor(&self) -> usize {
        self.placed.last().map_or(0, |(group, _)| group.old.end)
    }

    /// Returns the lines to name after `@@` so that a chunk is found where it is and nothing is to
    /// be warned of; `None` if it needs more context.
    fn locators(&self, group: &Group) -> Option<Vec<usize>> {
        let Range { start, end } = group.old;
        if start == end {
            return self.old.is_empty().then(Vec::new);
        }
        let run = self.run_of(start..end);
        if run.count_from(start + 1) > 0 || self.adds_again(group) {
            return None;
        }
        // What names the place best may be among the chunk's own lines; then the one above names
        // something else.
        let first = group.regions[0].old.start;
        let above = self.headings.partition_point(|&line| line < first);
        let named = self.headings[..above].last().copied();
        let named =
            named.filter(|&line| (self.cursor()..start).contains(&line) && self.is_telling(line));
        if let Some(line) = named.filter(|line| self.run_of(*line..line + 1).count() == 1)
            && self.leads_to(&[line], &run, start)
        {
            return Some(vec![line]);
        }
        if run.count() == 1 {
            return Some(Vec::new());
        }
        let openers = self.openers(start, end);
        let alone = openers.iter().map(|&line| vec![line]);
        let named = named.into_iter();
        let both = openers.iter().flat_map(|&line| {
            let named = named.clone().filter(move |&named| named < line);
            named.map(move |named| vec![named, line])
        });
        alone
            .chain(both)
            .find(|locators| self.leads_to(locators, &run, start))
    }

    /// Returns whether the block that a line opens ends before another line.
    fn is_outside(&self, opener: usize, line: usize) -> bool {
        IndentedBlock::new(opener)
            .end_before(line, |line| Cow::Borrowed(self.old.text(line)))
            .is_some()
    }

    /// Returns whether a chunk seems to add lines that are there already.
    fn adds_again(&self, group: &Group) -> bool {
        let all = lines(&group.regions, group.old.clone(), |mark, at| match mark {
            Mark::Context => Some(self.old.text(at)),
            Mark::Added => Some(self.new.text(at)),
            Mark::Removed => None,
        });
        let new: Vec<_> = all.into_iter().flatten().collect();
        already_there(&self.file, &group.old, &new).is_some()
    }

    /// Returns whether a search for these lines, then for the run, ends where it should.
    fn leads_to(&self, locators: &[usize], run: &Run<'_>, start: usize) -> bool {
        let mut cursor = self.cursor();
        for &line in locators {
            if self.run_of(line..line + 1).at_or_after(cursor) != Some(line) {
                return false;
            }
            cursor = line + 1;
        }
        let sought = locators.iter().copied();
        let sought: Vec<_> = sought.chain((run.count() > 1).then_some(start)).collect();
        let mut pairs = sought.windows(2);
        !pairs.any(|pair| self.is_outside(pair[0], pair[1]))
            && run.at_or_after(cursor) == Some(start)
            && !locators.last().is_some_and(|&line| run.contains(line))
    }

    /// Returns the lines above a chunk that open what it is in: each indented less than all below
    /// it. Nearest first.
    fn openers(&self, start: usize, end: usize) -> Vec<usize> {
        let mut least = (start..end)
            .find_map(|line| self.indent(line))
            .unwrap_or(usize::MAX);
        let floor = self.cursor().max(start.saturating_sub(ABOVE));
        let mut openers = Vec::new();
        for line in (floor..start).rev() {
            if let Some(width) = self.indent(line).filter(|&width| width < least) {
                least = width;
                if self.is_telling(line) {
                    openers.push(line);
                }
            }
        }
        openers
    }

    /// Returns how long the indentation of a line is; `None` of a line without text.
    fn indent(&self, line: usize) -> Option<usize> {
        let text = self.old.text(line);
        (!text.trim_ascii().is_empty()).then(|| indentation(text))
    }

    /// Returns whether a line may be named after `@@`: not if it is nothing but brackets, or could
    /// be taken for numbers.
    fn is_telling(&self, line: usize) -> bool {
        let text = self.old.text(line);
        let trimmed = text.trim_ascii();
        text.len() <= WIDEST
            && text.trim_ascii_end() == text
            && !trimmed.starts_with(b"-")
            && has_letters(trimmed)
    }

    fn run_of(&self, lines: Range<usize>) -> Run<'_> {
        self.file.run(lines.map(|line| self.old.text(line)))
    }
}

fn hunk<'c>(old: &Lines<'c>, new: &Lines<'c>, group: &Group, locators: &[usize]) -> Hunk<'c> {
    let lines = lines(&group.regions, group.old.clone(), |mark, at| {
        let side = if mark == Mark::Added { new } else { old };
        HunkLine {
            mark,
            text: Text::derived(side.text(at)),
            unterminated: false,
        }
    });
    let locators = locators
        .iter()
        .map(|&line| Text::derived(old.text(line)))
        .collect();
    Hunk {
        locators,
        lines,
        ..Hunk::default()
    }
}
