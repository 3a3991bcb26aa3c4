//! Lines that an edit puts in the place of others, and where in a file the new ones are.

use std::collections::{HashMap, HashSet};

use super::place::texts;
use crate::patch::{FileEdit, Header, Hunk, HunkLine, Mark, Occurrence, Operation, Status};
use crate::search::{Bounds, Document, Ends, Needle, is_telling};

/// How many bytes of a text that is put may be in a long file by chance.
const SHORT: usize = 8;

/// Lines that an edit puts in the place of others.
pub(super) struct Exchange<'e> {
    pub(super) old: Vec<&'e [u8]>,
    pub(super) new: Vec<&'e [u8]>,
    /// The old lines that aren't put back.
    pub(super) removed: Vec<&'e [u8]>,
    /// The line, from 0, at which the new lines would be.
    number: Option<usize>,
    /// The lines of context that lead to its place.
    locators: Vec<&'e [u8]>,
    /// Whether it puts lines in place of others, or between others.
    is_placed: bool,
    ends: Ends,
}

impl<'e> Exchange<'e> {
    /// Takes lines that are looked for, wherever they are, and what takes their place.
    fn new(old: Vec<&'e [u8]>, new: Vec<&'e [u8]>, ends: Ends) -> Self {
        let put: HashSet<_> = new.iter().copied().collect();
        let removed = old.iter().copied().filter(|line| !put.contains(line));
        Self {
            removed: removed.collect(),
            number: None,
            locators: Vec::new(),
            is_placed: true,
            ends,
            old,
            new,
        }
    }

    /// Returns whether the new lines aren't in a file by chance.
    pub(super) fn is_telling(&self) -> bool {
        let old: HashSet<_> = self.old.iter().collect();
        let mut added = self
            .new
            .iter()
            .filter(|line| !old.contains(line))
            .peekable();
        if added.peek().is_none() {
            return self.is_placed && self.new.iter().filter(|line| is_telling(line)).count() > 1;
        }
        added.any(|line| is_telling(line))
    }

    /// Returns the first line at which the new lines may be: the last line of context that leads to them,
    /// which models tell again.
    fn from(&self, file: &Document) -> usize {
        let locators = self.locators.iter();
        locators.fold(0, |from, locator| {
            file.run([*locator]).at_or_after(from).unwrap_or(from)
        })
    }

    /// Returns where the new lines are in a file that doesn't have the old ones.
    pub(super) fn at(&self, file: &Document) -> Option<usize> {
        // A brace is there by chance, whatever else of the response is.
        if !self.new.iter().any(|line| is_telling(line)) {
            return None;
        }
        let (new, from) = (file.run(&self.new), self.from(file));
        let numbered = self.number.filter(|at| *at >= from && new.contains(*at));
        let at = numbered.or(new.at_or_after(from));
        at.filter(|_| self.removed.is_empty() || file.run(&self.old).first().is_none())
    }

    /// Returns where the new lines are if they can be nowhere else, and are no others by chance.
    pub(super) fn certain(&self, file: &Document, is_small: bool) -> Option<usize> {
        let is_word = self.new.concat().iter().any(u8::is_ascii_alphanumeric);
        if !self.is_placed || !is_word {
            return None;
        }
        let (new, from) = (file.run(&self.new), self.from(file));
        let at = new
            .at_or_after(from)
            .filter(|_| new.count_from(from) == 1)?;
        let is_there = is_small || self.is_long() || self.number == Some(at);
        let is_gone = || {
            self.removed
                .iter()
                .all(|line| file.run([line]).first().is_none())
        };
        (is_there && is_gone()).then_some(at)
    }

    /// Returns where the new text is in a file that doesn't have the old one. A part of a line is there
    /// by chance unless it is long.
    pub(super) fn text_at(&self, file: &Document) -> Option<usize> {
        if self.ends == Ends::Whole || !self.is_long() {
            return None;
        }
        let first = |text| file.matches(&Needle::text(text, Bounds::default())).first();
        let at = first(&self.new)?;
        first(&self.old).is_none().then(|| file.line(at.start))
    }

    fn is_long(&self) -> bool {
        let bytes = self.new.iter().flat_map(|line| line.iter());
        let solid = bytes.filter(|byte| !byte.is_ascii_whitespace());
        solid.take(SHORT + 1).count() > SHORT
    }

    /// Returns all that is looked for.
    pub(super) fn needles(&self) -> impl Iterator<Item = Needle> {
        let all = [&self.old, &self.new];
        let texts = all.into_iter().filter(|_| self.ends == Ends::Part);
        let texts = texts.map(|text| Needle::text(text, Bounds::default()));
        let lines = self.removed.iter().chain(&self.locators);
        let lines = lines.map(|line| Needle::lines([line]));
        lines.chain(all.map(Needle::lines)).chain(texts)
    }

    /// Returns whether it puts lines that an edit behind it removes. `last` says which edit is the last that
    /// removes a line.
    pub(super) fn is_taken_on(&self, index: usize, last: &HashMap<&[u8], usize>) -> bool {
        let old: HashSet<_> = self.old.iter().collect();
        let mut put = self.new.iter().filter(|line| !old.contains(line));
        put.any(|line| last.get(line).is_some_and(|last| *last > index))
    }
}

/// Returns the lines that an edit changes; `None` for an edit of which that can't be said.
pub(super) fn exchanges<'e>(edit: &'e FileEdit<'_>) -> Option<Vec<Exchange<'e>>> {
    if let Some(
        Header {
            binary: Some(_), ..
        }
        | Header {
            status: Status::Copied,
            ..
        },
    ) = edit.header.as_deref()
    {
        return None;
    }
    match &edit.operation {
        Operation::Move { .. } => Some(Vec::new()),
        Operation::Update { hunks, .. } => Some(hunks.iter().map(exchange).collect()),
        Operation::Substitute(of) => {
            let ends = match of.occurrence {
                Occurrence::Lines(_) => Ends::Whole,
                _ => Ends::Part,
            };
            let (mut old, mut new) = (texts(&of.find), texts(&of.put));
            // A newline at the end of both ends their last lines, and is no line.
            let is_ended = |lines: &[&[u8]]| lines.len() > 1 && lines.ends_with(&[b""]);
            if ends == Ends::Part && is_ended(&old) && is_ended(&new) {
                old.pop();
                new.pop();
            }
            Some(vec![Exchange::new(old, new, ends)])
        }
        _ => None,
    }
}

fn exchange<'e>(hunk: &'e Hunk<'_>) -> Exchange<'e> {
    let text = |line: &'e HunkLine<'_>| &line.text[..];
    let old = hunk.old().map(text).collect();
    let new = hunk.new_lines().map(text).collect();
    let marks: Vec<_> = hunk.lines.iter().map(|line| line.mark).collect();
    let (removes, adds) = (marks.contains(&Mark::Removed), marks.contains(&Mark::Added));
    Exchange {
        number: hunk
            .position
            .as_ref()
            .map(|position| (position.new_start as usize).saturating_sub(1)),
        locators: hunk.locators.iter().map(|line| &line[..]).collect(),
        is_placed: removes && adds || is_framed(hunk) && (removes || adds),
        ..Exchange::new(old, new, Ends::Whole)
    }
}

/// Returns whether a hunk of several lines has context on both sides.
pub(super) fn is_framed(hunk: &Hunk<'_>) -> bool {
    let ends = [hunk.lines.first(), hunk.lines.last()];
    hunk.lines.len() > 1
        && ends
            .into_iter()
            .flatten()
            .all(|line| line.mark == Mark::Context)
}
