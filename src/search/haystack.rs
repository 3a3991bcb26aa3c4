//! Runs of whole lines in a file, by line numbers.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use super::Fuzz;
use super::index::Index;
use super::needle::Needle;
use super::places::Places;
use super::view::View;
use crate::text::Lines;

/// The lines of a file, compared exactly or at a fuzz level, read once for the runs that are known beforehand.
#[derive(Debug)]
pub struct Haystack<'f> {
    level: Fuzz,
    index: Index<'f>,
    known: RefCell<HashMap<Needle, Rc<Places>>>,
}

/// A run of lines, looked up in the [`Haystack`] that made it.
#[derive(Clone, Debug)]
pub struct Run {
    places: Rc<Places>,
}

impl<'f> Haystack<'f> {
    /// Reads a file with an eye to these runs of lines. Others are found too, each for the price of reading the file again.
    pub fn new<'p, R: IntoIterator<Item = &'p [u8]>>(lines: &Lines<'f>, runs: impl IntoIterator<Item = R>) -> Self {
        Self::at(Fuzz::Exact, lines, runs)
    }

    /// The same, with lines compared at a level: [`Haystack::run`] then finds what is the same there.
    pub fn at<'p, R: IntoIterator<Item = &'p [u8]>>(
        level: Fuzz,
        lines: &Lines<'f>,
        runs: impl IntoIterator<Item = R>,
    ) -> Self {
        let runs = runs.into_iter().map(|run| needle(level, run));
        Self { level, index: Index::new(View::at(level, lines), runs), known: RefCell::default() }
    }

    /// Looks a run up. Lines are compared by their text without terminators.
    pub fn run<'p>(&self, lines: impl IntoIterator<Item = &'p [u8]>) -> Run {
        let needle = needle(self.level, lines);
        if let Some(places) = self.known.borrow().get(&needle) {
            return Run { places: Rc::clone(places) };
        }
        let places = Rc::new(self.index.places(&needle).map(|at| self.index.view().line(at)));
        self.known.borrow_mut().insert(needle, Rc::clone(&places));
        Run { places }
    }

    /// Returns the index, from 0, of the first line of the first place at or after `from`. An empty run is nowhere.
    pub fn first(&self, run: &Run, from: usize) -> Option<usize> {
        run.places.at_or_after(from)
    }

    /// Returns whether a run's first line is line `at`, from 0, and the others follow.
    pub fn stands_at(&self, run: &Run, at: usize) -> bool {
        run.places.contains(at)
    }

    /// Returns all places of a run in the whole file: the indices of their first lines. Overlaps count.
    pub fn places<'r>(&self, run: &'r Run) -> &'r Places {
        &run.places
    }
}

fn needle<'p>(level: Fuzz, run: impl IntoIterator<Item = &'p [u8]>) -> Needle {
    match level {
        Fuzz::Exact => Needle::lines(run),
        _ => {
            let forms: Vec<_> = run.into_iter().map(|line| level.form(line)).collect();
            Needle::lines(forms.iter().map(|form| &**form))
        }
    }
}

#[cfg(test)]
mod tests;
