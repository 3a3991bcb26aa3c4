//! Lines that a file was expected to hold: what it has instead of them.

use std::ops::Range;

use super::align::{Alignment, Ends, Gap, KIN, is_telling};
use super::nearest::{Effort, LineIndex};
use super::needle::{Bounds, Needle};
use super::plain::alike;
use super::view::first;
use super::word::cuts_word;
use crate::text::{Lines, Text};

/// Lines that a file was expected to hold, and the lines that were to take their place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sought {
    /// The lines.
    pub old: Vec<Text<'static>>,
    /// What would be there afterwards; nothing if that says too little to be looked for.
    pub new: Vec<Text<'static>>,
    /// What the first and the last of the lines stand for.
    pub ends: Ends,
    /// The first line of the file, from 0, at which they might have been.
    pub from: usize,
}

/// What a file has instead of lines that it was expected to hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Counterpart {
    /// The new lines, from this line on, counted from 0.
    New(usize),
    /// Lines that are like the old lines, but not the same.
    Near(Alignment),
    /// Nothing like them, as far as was looked.
    Nothing,
}

impl Sought {
    /// Takes one line, which nothing is to replace.
    pub(crate) fn line(text: &Text<'_>, from: usize) -> Self {
        Self {
            old: vec![text.owned()],
            new: Vec::new(),
            ends: Ends::Whole,
            from,
        }
    }

    /// Returns where a file has the new lines first.
    pub(crate) fn first_new(&self, lines: &Lines<'_>) -> Option<Range<usize>> {
        if self.new.is_empty() {
            return None;
        }
        let new: Vec<&[u8]> = self.new.iter().map(|line| &line[..]).collect();
        let bounds = match self.ends {
            Ends::Whole => Bounds::LINES,
            Ends::Part => Bounds::default(),
        };
        first(lines, &Needle::text(&new, bounds))
    }

    /// Returns all of the lines.
    pub(crate) fn lines(&self) -> impl Iterator<Item = &[u8]> {
        self.old.iter().chain(&self.new).map(|line| &line[..])
    }
}

impl LineIndex<'_, '_> {
    /// Finds what the file has instead of sought lines, all of which the index knows.
    pub(crate) fn instead_of(&self, sought: &Sought, effort: &Effort) -> Counterpart {
        let old: Vec<&[u8]> = sought.old.iter().map(|line| &line[..]).collect();
        let near = self.find(&old, sought.ends, sought.from, effort);
        if let Some(at) = self.new_lines(sought, effort)
            && is_made(near.as_ref(), at, sought)
        {
            return Counterpart::New(at);
        }
        near.filter(|near| near.gap.is_some())
            .map_or(Counterpart::Nothing, Counterpart::Near)
    }

    /// Returns the line at which the new lines begin.
    fn new_lines(&self, sought: &Sought, effort: &Effort) -> Option<usize> {
        if sought.ends == Ends::Whole {
            let new: Vec<&[u8]> = sought.new.iter().map(|line| &line[..]).collect();
            let at = self.run(&new, sought.from, effort);
            // What is above its context, which may be told again, is another's.
            return at.filter(|at| at + 1 >= sought.from);
        }
        let lines = self.lines();
        if !effort.spend(lines.bytes().len()) {
            return None;
        }
        let range = sought.first_new(lines)?;
        // Half a word is there by chance.
        let is_whole = cuts_word(lines, &range).is_none();
        is_whole.then(|| lines.index_at(range.start))
    }
}

/// Returns whether the new lines that are in the file from line `at` on have been made of the lines
/// nearest to the old lines, rather than being there by chance while the old lines are elsewhere,
/// misspelt.
fn is_made(near: Option<&Alignment>, at: usize, sought: &Sought) -> bool {
    let telling = sought.new.iter().filter(|line| is_telling(line)).count();
    // One line is often found in other places, also where another is more like the old one; of several,
    // only look-alikes of the old ones cast doubt.
    let alike = if telling < 2 {
        let [old, new] = [&sought.old, &sought.new]
            .map(|lines| bstr::concat(lines.iter().map(|line| &line[..])));
        alike(&old, &new, false).clamp(KIN, 70)
    } else {
        99
    };
    near.is_none_or(|near| {
        let is_other = near.alike >= alike && matches!(near.gap, Some(Gap::Other { .. }));
        !is_other || (at..at + sought.new.len()).contains(&near.start)
    })
}
