//! Regions that differ → texts to find and to put, one after the other, each of which is there once
//! when its turn comes.

use std::num::NonZeroUsize;

use super::proof::texts;
use crate::compare::Region;
use crate::patch::{Occurrence, Operation, Substitution};
use crate::search::{Bounds, Document, Matches, Needle};
use crate::text::{Lines, Text};

/// Up to how many unchanged lines between two changes keep them in one edit: less than the lines
/// that another one takes.
const TOGETHER: usize = 3;

/// How many lines of context are tried before an occurrence is counted.
const MOST: usize = 24;

/// How many bytes are searched at most. A file of megabytes that changes in thousands of places is
/// better changed in one.
const ENOUGH: usize = 1 << 30;

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
    let mut spent = 0;
    let mut made = Vec::new();
    for group in
        regions.chunk_by(|one, next| next.old.start - one.old.end <= TOGETHER.max(2 * context))
    {
        let first = &group[0];
        let last = &group[group.len() - 1];
        let change = Change {
            old: &old,
            new: &new,
            gone: first.old.start..last.old.end,
            come: first.new.start..last.new.end,
        };
        made.push(Operation::Substitute(
            change.substitution(context, one, &mut spent)?,
        ));
    }
    Some(made)
}

/// Some lines in place of others. All before them is new already, all behind them is as it was.
struct Change<'l, 'c> {
    old: &'l Lines<'c>,
    new: &'l Lines<'c>,
    gone: std::ops::Range<usize>,
    come: std::ops::Range<usize>,
}

impl<'c> Change<'_, 'c> {
    fn substitution(
        &self,
        context: usize,
        one: Occurrence,
        spent: &mut usize,
    ) -> Option<Substitution<'c>> {
        let mut state = self.new.bytes()[..self.new.start(self.come.start)].to_vec();
        state.extend_from_slice(&self.old.bytes()[self.old.start(self.gone.start)..]);
        let document = Document::new(state.into(), []);
        let bounds = if matches!(one, Occurrence::Lines(_)) {
            Bounds::LINES
        } else {
            Bounds::default()
        };
        // Text byte for byte has the end of its last line in it where the whole line goes.
        let end = matches!(one, Occurrence::Text(_)).then(|| Text::derived(&b""[..]));
        let mut counted = None;
        for (above, below) in around(context) {
            let above = above.min(self.come.start);
            let below = below.min(self.old.len() - self.gone.end);
            let (above, below) = if end.is_some() {
                self.to_text(above, below)
            } else {
                (above, below)
            };
            let above_texts = texts(self.new, self.come.start - above..self.come.start);
            let below_texts = texts(self.old, self.gone.end..self.gone.end + below);
            let mut find = [
                &above_texts[..],
                &texts(self.old, self.gone.clone()),
                &below_texts,
            ]
            .concat();
            let mut put = [
                &above_texts[..],
                &texts(self.new, self.come.clone()),
                &below_texts,
            ]
            .concat();
            if find.iter().all(|line| line.trim_ascii().is_empty()) {
                if (above, below) == (self.come.start, self.old.len() - self.gone.end) {
                    break;
                }
                continue;
            }
            *spent += document.len();
            if *spent > ENOUGH {
                return None;
            }
            let at = document.start(self.come.start - above);
            if above + below + self.come.len() == 0 {
                [&mut find, &mut put]
                    .into_iter()
                    .for_each(|side| side.extend(end.clone()));
            }
            let lines: Vec<&[u8]> = find.iter().map(|line| &line[..]).collect();
            let needle = if end.is_some() {
                Needle::bytes(&lines)
            } else {
                Needle::text(&lines, bounds)
            };
            let matches = document.matches(&needle);
            let substitution = |occurrence| Substitution {
                find: find.clone(),
                put: put.clone(),
                occurrence,
                written: None,
            };
            if matches.only().is_some_and(|range| range.start == at) {
                return Some(substitution(one));
            }
            if counted.is_none()
                && one == Occurrence::Only
                && above + below >= 2.min(self.come.start + self.old.len() - self.gone.end)
            {
                counted = occurrence(&matches, at).map(substitution);
            }
        }
        counted
    }

    /// Returns so many lines above and below that text byte for byte neither begins nor ends with
    /// an empty line, if there are: its line break would be that of any line.
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

/// Returns how many lines above and below to try, one after the other.
fn around(context: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..=MOST).map(move |more| (context + more.div_ceil(2), context + more / 2))
}

fn occurrence(matches: &Matches<'_>, at: usize) -> Option<Occurrence> {
    let is_here = |range: std::ops::Range<usize>| range.start == at;
    if matches.first().is_some_and(is_here) {
        return Some(Occurrence::First);
    }
    if matches.last().is_some_and(is_here) {
        return Some(Occurrence::Last);
    }
    for number in (1..).map_while(NonZeroUsize::new) {
        match matches.nth(number) {
            Ok(range) if range.start == at => return Some(Occurrence::Nth(number)),
            Ok(range) if range.start < at => {}
            _ => return None,
        }
    }
    None
}
