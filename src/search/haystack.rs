//! Runs of whole lines in a file, by line numbers.

use super::Fuzz;
use super::document::Document;
use super::matches::Matches;
use super::needle::Needle;
use super::view::View;
use crate::text::{Content, Lines};

/// The lines of a file, compared exactly or at a fuzz level.
pub struct Haystack<'d> {
    level: Fuzz,
    document: Held<'d>,
}

enum Held<'d> {
    Own(Box<Document>),
    Lent(&'d Document),
}

/// All places of a run of lines in a [`Haystack`], by the indices, from 0, of their first lines. Overlaps count.
pub struct Run<'d> {
    document: &'d Document,
    matches: Matches<'d>,
}

impl<'d> Haystack<'d> {
    /// Takes a file that edits may have changed. Runs that it has been read for are found soonest.
    pub fn of(document: &'d Document) -> Self {
        Self { level: Fuzz::Exact, document: Held::Lent(document) }
    }

    /// Reads a file with an eye to these runs of lines. Others are found too, each for the price of reading the file again.
    pub fn new<'p, R: IntoIterator<Item = &'p [u8]>>(lines: &Lines<'_>, runs: impl IntoIterator<Item = R>) -> Self {
        Self::at(Fuzz::Exact, lines, runs)
    }

    /// The same, with lines compared at a level: [`Haystack::run`] then finds what is the same there.
    pub fn at<'p, R: IntoIterator<Item = &'p [u8]>>(
        level: Fuzz,
        lines: &Lines<'_>,
        runs: impl IntoIterator<Item = R>,
    ) -> Self {
        let mut text = Vec::with_capacity(lines.bytes().len() + 1);
        for line in lines.iter() {
            text.extend_from_slice(&level.form(line.text));
            text.push(b'\n');
        }
        let (content, runs) = (Content::from(text), runs.into_iter().map(|run| needle(level, run)));
        let starts = Lines::within(&content).starts();
        Self {
            level,
            document: Held::Own(Box::new(Document::with(
                content,
                starts,
                |lines| View::plain(lines).into_text(),
                runs,
            ))),
        }
    }

    /// Looks a run up. Lines are compared by their text without terminators. An empty run is nowhere.
    pub fn run<'p>(&self, lines: impl IntoIterator<Item = &'p [u8]>) -> Run<'_> {
        let document = match &self.document {
            Held::Own(document) => &**document,
            Held::Lent(document) => document,
        };
        Run { document, matches: document.matches(&needle(self.level, lines)) }
    }
}

impl Run<'_> {
    /// Returns how many there are.
    pub fn count(&self) -> usize {
        self.matches.count()
    }

    /// Returns how many are at or after a line.
    pub fn count_from(&self, from: usize) -> usize {
        self.matches.count_from(self.document.start(from))
    }

    /// Returns the first place.
    pub fn first(&self) -> Option<usize> {
        self.iter().next()
    }

    /// Returns the first place at or after a line.
    pub fn at_or_after(&self, from: usize) -> Option<usize> {
        self.iter_from(from).next()
    }

    /// Returns whether a line is a place.
    pub fn contains(&self, line: usize) -> bool {
        self.at_or_after(line) == Some(line)
    }

    /// Returns the places in order.
    pub fn iter(&self) -> impl Iterator<Item = usize> {
        self.iter_from(0)
    }

    /// Returns the places at or after a line in order.
    pub fn iter_from(&self, from: usize) -> impl Iterator<Item = usize> {
        self.matches.iter_from(self.document.start(from)).map(|range| self.document.line(range.start))
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
