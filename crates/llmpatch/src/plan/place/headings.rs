//! The headings behind the numbers of hunks: lines of the file above what the hunks change. They must
//! agree with the numbers.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::super::place_error::{Ambiguity, PlaceError, Places};
use super::by_number::NumberPlacer;
use crate::patch::Hunk;
use crate::search::{IndentedBlock, Run};
use crate::text::{LineNo, Lines, Located};

/// Where the headings of hunks are in a file.
pub(super) struct Headings(HashMap<Vec<u8>, Vec<usize>>);

impl Headings {
    /// How much of a heading is compared: git shows the first 80 bytes of a line, its indentation
    /// among them.
    const LEN: usize = 64;
    /// How many lines above a hunk are looked at before others.
    const NEAR: usize = 256;

    fn new(lines: &Lines<'_>, hunks: &[Hunk<'_>]) -> Self {
        let wanted: HashSet<&[u8]> = hunks.iter().filter_map(Self::of).collect();
        let mut all: HashMap<_, Vec<_>> = HashMap::new();
        if !wanted.is_empty() {
            for (index, line) in lines.iter().enumerate() {
                let key = Self::key(line.text);
                if wanted.contains(key) {
                    all.entry(key.to_vec()).or_default().push(index);
                }
            }
        }
        Self(all)
    }

    /// Returns the lines of the file that are a hunk's heading.
    fn all(&self, hunk: &Hunk<'_>) -> &[usize] {
        let all = Self::of(hunk).and_then(|key| self.0.get(key));
        all.map_or(&[], |all| all)
    }

    fn of<'h>(hunk: &'h Hunk<'_>) -> Option<&'h [u8]> {
        hunk.position
            .as_ref()
            .map(|position| Self::key(&position.heading))
            .filter(|key| !key.is_empty())
    }

    fn key(line: &[u8]) -> &[u8] {
        let line = line.trim_ascii();
        line[..line.len().min(Self::LEN)].trim_ascii_end()
    }
}

impl NumberPlacer<'_> {
    fn headings(&self) -> &Headings {
        self.headings
            .get_or_init(|| Headings::new(&self.task.file.lines(), self.hunks))
    }

    /// Returns the only one of several places that is in the block of a hunk's heading.
    pub(super) fn below_heading(&self, hunk: &Hunk<'_>, places: &Places) -> Option<usize> {
        let headings = self.headings().all(hunk);
        let file = self.task.file;
        let is_below = |at: &usize| {
            let above = headings.partition_point(|heading| heading < at);
            let nearest = above.checked_sub(1).map(|nearest| headings[nearest]);
            nearest.is_some_and(|nearest| {
                IndentedBlock::new(nearest).contains(*at, |line| file.text(line))
            })
        };
        if places.count > places.lines.len() {
            return None;
        }
        let mut below = places
            .lines
            .iter()
            .map(|line| line.index())
            .filter(is_below);
        below.next().filter(|_| below.next().is_none())
    }

    /// Checks that the place at a hunk's number is the place that its heading means.
    pub(super) fn agree(
        &self,
        hunk: &Hunk<'_>,
        numbered: Range<usize>,
        run: &Run<'_>,
        allowed: &Range<usize>,
    ) -> Result<(), Located<PlaceError>> {
        let Some(heading) = Headings::of(hunk) else {
            return Ok(());
        };
        // It is mostly one of the lines right above, and nothing has to be looked for.
        let mut near = (numbered.end.saturating_sub(Headings::NEAR)..numbered.end).rev();
        let file = self.task.file;
        if !file.was_searched() && near.any(|line| Headings::key(&file.text(line)) == heading) {
            return Ok(());
        }
        // Few hunks have another place at all, and only for these the file is read.
        if run.at_or_after(numbered.end.max(allowed.start)).is_none() {
            return Ok(());
        }
        let first = self.headings().all(hunk).first();
        let Some(&heading) = first.filter(|heading| **heading >= numbered.end) else {
            return Ok(());
        };
        let below = allowed.start.max(heading + 1)..allowed.end;
        let places = self.taken.candidates(run, below);
        let Some(&other) = places.lines.first() else {
            return Ok(());
        };
        let [numbered, heading] = [numbered.start, heading].map(LineNo::from_index);
        Err(Located::new(
            hunk.span,
            Ambiguity::Heading {
                numbered,
                other,
                heading,
            }
            .into(),
        ))
    }
}
