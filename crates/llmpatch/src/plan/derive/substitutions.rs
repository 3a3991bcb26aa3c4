//! Regions that differ → texts to find and to put, one after the other, each of which is there once
//! when its turn comes.

use std::num::NonZeroUsize;
use std::ops::Range;

use super::proof::texts;
use crate::compare::Region;
use crate::patch::{Occurrence, Operation, Substitution};
use crate::plan::again::already_there;
use crate::search::{Bounds, Document, Matches, Needle};
use crate::text::{Lines, Text};

/// Up to how many unchanged lines between two changes keep them in one edit: less than the lines
/// that another edit takes.
const TOGETHER: usize = 3;

/// How much is searched at most: bytes of texts that aren't found together with others, and places.
/// A file that takes more is better changed in one.
const ENOUGH: usize = 1 << 28;

/// How many lines of context are tried, the counts of a round together, before an occurrence is
/// counted. Most changes are told apart by little; where it takes much, the context found is only
/// near the least.
const ROUNDS: [&[usize]; 4] = [&[0, 1, 2], &[3, 4, 5, 6], &[8, 10, 12], &[16, 20, 24]];

/// Makes the edits that turn one content into another, given where they differ, in lines from 0;
/// `None` where that can't be done so, or at too great a price. Whether new lines end as they
/// should is for the caller to try. `one` says what must be there once: a text, or whole lines, of
/// which no occurrence is counted.
pub(super) fn substitutions<'c>(
    before: &'c [u8],
    after: &'c [u8],
    regions: &[Region],
    context: usize,
    one: Occurrence,
) -> Option<Vec<Operation<'c>>> {
    let old = Lines::new(before);
    let new = Lines::new(after);
    let changes: Vec<_> = regions
        .chunk_by(|one, next| next.old.start - one.old.end <= TOGETHER.max(2 * context))
        .map(Region::over)
        .map(|region| Change {
            old: &old,
            new: &new,
            gone: region.old,
            come: region.new,
            context,
            one,
        })
        .collect();
    let mut made: Vec<Option<Substitution<'c>>> = vec![None; changes.len()];
    let mut spent = 0;
    let counted = (one == Occurrence::Only).then_some(true);
    for is_counted in [false].into_iter().chain(counted) {
        for levels in ROUNDS {
            settle(&changes, &mut made, &mut spent, levels, is_counted)?;
        }
    }
    let operations = made.into_iter().map(|made| made.map(Operation::Substitute));
    operations.collect()
}

/// Looks for what each change that isn't made yet may be found by, all of it together. Returns
/// `None` if that takes too long.
fn settle<'c>(
    changes: &[Change<'_, 'c>],
    made: &mut [Option<Substitution<'c>>],
    spent: &mut usize,
    levels: &[usize],
    is_counted: bool,
) -> Option<()> {
    let all = made.iter_mut().zip(changes);
    let left: Vec<_> = all
        .filter(|(made, _)| made.is_none())
        .map(|(made, change)| (made, change, change.attempts(levels, is_counted)))
        .collect();
    let Some((_, Change { old, new, .. }, _)) = left.first() else {
        return Some(());
    };
    let needles = || {
        let all = left.iter().flat_map(|(.., all)| all);
        all.map(|one| one.needle.clone())
    };
    let [old, new] = [old, new].map(|side| Document::new(side.bytes().to_vec().into(), needles()));
    let half = State { old, new };
    for (made, change, attempts) in left {
        for attempt in attempts {
            *made = half.attempted(change, attempt, is_counted, spent);
            if *spent > ENOUGH {
                return None;
            }
            if made.is_some() {
                break;
            }
        }
    }
    Some(())
}

/// Some lines in place of others. All before them is new already, all behind them is as it was.
struct Change<'l, 'c> {
    old: &'l Lines<'c>,
    new: &'l Lines<'c>,
    gone: Range<usize>,
    come: Range<usize>,
    /// How many lines of context there are at least.
    context: usize,
    /// What must be there once.
    one: Occurrence,
}

/// A change with some lines around it, which may be all that there is of its kind.
struct Attempt<'c> {
    substitution: Substitution<'c>,
    needle: Needle,
    above: usize,
    /// How many lines of context there are, above and below.
    context: usize,
}

/// The file when the changes before a change are made: the beginning of the new file, and then the
/// end of the old file. Both are read once.
struct State {
    old: Document,
    new: Document,
}

impl State {
    /// Returns the edit that makes a change, if what it looks for is there once, or as often as it
    /// says.
    fn attempted<'c>(
        &self,
        change: &Change<'_, 'c>,
        attempt: Attempt<'c>,
        is_counted: bool,
        spent: &mut usize,
    ) -> Option<Substitution<'c>> {
        let Attempt {
            mut substitution,
            needle,
            above,
            ..
        } = attempt;
        let apart = [&self.old, &self.new]
            .into_iter()
            .filter(|side| !side.knows(&needle));
        *spent += needle.matched().len() + apart.map(Document::len).sum::<usize>();
        let [from, to] = [self.old.matches(&needle), self.new.matches(&needle)];
        let mut all = self.places(change, &needle, [&from, &to]);
        let at = change.new.start(change.come.start - above);
        if is_counted {
            substitution.occurrence = occurrence(all, at, spent)?;
            return Some(substitution);
        }
        let is_here = all.next().is_some_and(|range| range.start == at);
        let is_one = is_here && all.next().is_none();
        (is_one && !change.adds_again(&substitution, above)).then_some(substitution)
    }

    /// Returns where a text is when the changes before one are made, given where it is before and
    /// after all of them.
    fn places<'m>(
        &'m self,
        change: &Change<'_, '_>,
        needle: &Needle,
        [from, to]: [&'m Matches<'_>; 2],
    ) -> impl Iterator<Item = Range<usize>> + 'm {
        let end = change.new.start(change.come.start);
        let start = change.old.start(change.gone.start);
        let reach = needle.longest() + 2;
        let cut = end.saturating_sub(reach);
        let around = [
            self.new.slice(cut..end),
            self.old.slice(start..self.old.len().min(start + reach)),
        ];
        let seam = Document::new(around.concat().into(), []);
        let across: Vec<_> = seam
            .matches(needle)
            .iter()
            .map(|range| range.start + cut..range.end + cut)
            .filter(|range| range.start < end && range.end >= end)
            .collect();
        let behind = from
            .iter_from(start)
            .map(move |range| range.start - start + end..range.end - start + end);
        to.iter()
            .take_while(move |range| range.end < end)
            .chain(across)
            .chain(behind)
    }
}

impl<'c> Change<'_, 'c> {
    /// Returns whether an edit seems to add lines that are there already, when the changes before it
    /// are made.
    fn adds_again(&self, edit: &Substitution<'_>, above: usize) -> bool {
        if edit.put.len() <= edit.find.len() {
            return false;
        }
        let put: Vec<&[u8]> = edit.put.iter().map(|line| &line[..]).collect();
        let first = (self.come.start - above).saturating_sub(put.len());
        let last = (self.gone.start + edit.find.len() + put.len()).min(self.old.len());
        let before = self.new.start(first)..self.new.start(self.come.start);
        let behind = self.old.start(self.gone.start)..self.old.start(last);
        let around = [&self.new.bytes()[before], &self.old.bytes()[behind]];
        let start = self.come.start - above - first;
        let document = Document::new(around.concat().into(), []);
        already_there(&document, &(start..start + edit.find.len()), &put).is_some()
    }

    /// Makes the change with the context of each level. An occurrence is counted with some context,
    /// if there is any.
    fn attempts(&self, levels: &[usize], is_counted: bool) -> Vec<Attempt<'c>> {
        let most = self.come.start + self.old.len() - self.gone.end;
        let enough = if is_counted { most.min(2) } else { 0 };
        let attempts = levels.iter().filter_map(|level| self.attempt(*level));
        attempts
            .filter(|attempt| attempt.context >= enough)
            .collect()
    }

    /// Makes the change with the context of a level; `None` if nothing but blank lines would be
    /// looked for.
    fn attempt(&self, level: usize) -> Option<Attempt<'c>> {
        let above = (self.context + level.div_ceil(2)).min(self.come.start);
        let below = (self.context + level / 2).min(self.old.len() - self.gone.end);
        // Text byte for byte has the end of its last line in it where the whole line goes, or where the
        // file's last line gets or loses its end.
        let is_text = matches!(self.one, Occurrence::Text(_));
        let (above, below) = if is_text {
            self.to_text(above, below)
        } else {
            (above, below)
        };
        let with_context = |lines| {
            let above = texts(self.new, self.come.start - above..self.come.start);
            let below = texts(self.old, self.gone.end..self.gone.end + below);
            [above, lines, below].concat()
        };
        let mut find = with_context(texts(self.old, self.gone.clone()));
        let mut put = with_context(texts(self.new, self.come.clone()));
        if find.iter().all(|line| line.trim_ascii().is_empty()) {
            return None;
        }
        let is_last = self.gone.end + below == self.old.len();
        let [is_ended, will_be] =
            [self.old, self.new].map(|side| !is_last || side.bytes().ends_with(b"\n"));
        if is_text && (above + below + self.come.len() == 0 || is_ended != will_be) {
            find.extend(is_ended.then_some(Text::derived(&b""[..])));
            put.extend((will_be || put.is_empty()).then_some(Text::derived(&b""[..])));
        }
        let lines: Vec<&[u8]> = find.iter().map(|line| &line[..]).collect();
        let needle = match self.one {
            Occurrence::Text(_) => Needle::bytes(&lines),
            Occurrence::Lines(_) => Needle::text(&lines, Bounds::LINES),
            _ => Needle::text(&lines, Bounds::default()),
        };
        Some(Attempt {
            substitution: Substitution {
                find,
                put,
                occurrence: self.one,
                written: None,
            },
            needle,
            above,
            context: above + below,
        })
    }

    /// Returns the context above and below, widened until the text, byte for byte, neither begins nor
    /// ends with an empty line, if it can: its line break would be that of any line.
    fn to_text(&self, above: usize, below: usize) -> (usize, usize) {
        let is_text = |lines: &Lines<'_>, line: usize| !lines.text(line).is_empty();
        let first = (above..=self.come.start).find(|&more| match more {
            0 => !self.gone.is_empty() && is_text(self.old, self.gone.start),
            more => is_text(self.new, self.come.start - more),
        });
        let last = (below..=self.old.len() - self.gone.end).find(|&more| match more {
            0 => !self.gone.is_empty() && is_text(self.old, self.gone.end - 1),
            more => is_text(self.old, self.gone.end + more - 1),
        });
        (first.unwrap_or(above), last.unwrap_or(below))
    }
}

/// Counts the matches, without overlaps, up to the match that begins at an offset.
fn occurrence(
    all: impl Iterator<Item = Range<usize>>,
    at: usize,
    spent: &mut usize,
) -> Option<Occurrence> {
    let mut all = all.peekable();
    let (mut count, mut end) = (0, 0);
    while let Some(range) = all.next_if(|range| range.start < at) {
        *spent += 1;
        if range.start >= end {
            (count, end) = (count + 1, range.end);
        }
    }
    all.next().filter(|range| range.start == at)?;
    match (count, all.next()) {
        (0, _) => Some(Occurrence::First),
        (_, None) => Some(Occurrence::Last),
        _ if at < end => None,
        _ => NonZeroUsize::new(count + 1).map(Occurrence::Nth),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_match_ends_at_is_the_file_as_it_is_then() {
        // An empty line that goes is behind what leads to it: the new file has another there.
        for (after, new) in [("a\nb\n", 1..2), ("a\n", 1..1)] {
            let regions = [Region { old: 1..2, new }];
            let made = substitutions(b"a\n\n", after.as_bytes(), &regions, 0, Occurrence::Only);
            let [Operation::Substitute(one)] = &made.unwrap()[..] else {
                panic!("one change is one edit")
            };
            let find: Vec<&[u8]> = one.find.iter().map(|line| &line[..]).collect();
            assert_eq!(find, [&b"a"[..], b""]);
        }
    }
}
