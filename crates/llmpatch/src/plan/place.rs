//! Where an edit goes in a file. [`candidates`] lists the places of old lines; which of them is taken
//! is up to a format's policy: [`in_order`], [`by_number`], [`by_text`].

mod by_level;
pub(super) mod by_number;
mod by_text;
mod candidates;
mod context;
mod headings;
mod hunk_place;
mod hunk_search;
mod in_order;
mod placed;
mod put;
mod run;
mod sought_text;
mod unnumbered;

use std::collections::HashSet;
use std::ops::Range;

use super::Rules;
use super::growth::Growth;
use super::place_error::{Part, PlaceError};
use super::placement::{Placement, Rows};
use super::warning::{Placing, Warning};
use crate::patch::{FileEdit, Hunk, HunkLine, Operation, Status, Substitution};
use crate::path::RepoPath;
use crate::search::{Document, Needle};
use crate::text::{Content, LineNo, Located, Span, Splice, Text};

/// What changes parts of a file.
#[derive(Clone, Copy)]
pub(super) enum Edit<'e, 'p> {
    /// The hunks of a section.
    Hunks(&'e [Hunk<'p>], Policy),
    /// A text that takes the place of another.
    Text(&'e Substitution<'p>),
}

impl<'e, 'p> Edit<'e, 'p> {
    /// Takes an edit that changes parts of a file, if it is one.
    pub(super) fn of(edit: &'e FileEdit<'p>) -> Option<Self> {
        match &edit.operation {
            Operation::Substitute(substitution) => Some(Edit::Text(substitution)),
            Operation::Update { hunks, .. } if edit.header.is_some() => {
                Some(Edit::by_number(hunks))
            }
            Operation::Update { hunks, .. } => Some(Edit::in_order(hunks)),
            _ => None,
        }
    }

    /// Takes hunks each of which is behind the hunk before it.
    pub(super) fn in_order(hunks: &'e [Hunk<'p>]) -> Self {
        Edit::Hunks(hunks, in_order::POLICY)
    }

    /// Takes hunks with numbers.
    pub(super) fn by_number(hunks: &'e [Hunk<'p>]) -> Self {
        Edit::Hunks(hunks, by_number::POLICY)
    }

    /// Takes the hunks of a section of a diff. The hunks of a deleted file show what is lost: they
    /// must be the file's, whatever the level.
    pub(super) fn of_section(status: Status, hunks: &'e [Hunk<'p>]) -> Self {
        match status {
            Status::Deleted => Edit::Hunks(hunks, by_number::EXACT),
            _ => Edit::by_number(hunks),
        }
    }

    /// Returns what is looked for.
    pub(super) fn needles(self) -> Vec<Needle> {
        match self {
            Edit::Hunks(hunks, policy) => policy.needles(hunks).collect(),
            Edit::Text(edit) => by_text::needles(edit),
        }
    }

    /// Reads a file in which this edit is placed, with the needles that will be looked for in it.
    pub(super) fn read(self, content: &Content, needles: Vec<Needle>) -> Document {
        match self {
            Edit::Hunks(
                _,
                Policy {
                    is_numbered: true, ..
                },
            ) => Document::lazily(content.clone(), needles),
            _ => Document::new(content.clone(), needles),
        }
    }

    /// Finds the places of the edit's parts in a file. `lost` holds the added lines of earlier
    /// failed edits of this file; the added lines of hunks that fail here are put into it.
    pub(super) fn place(self, task: Task<'_>, lost: &mut HashSet<Vec<u8>>) -> Outcome {
        match self {
            Edit::Hunks(hunks, policy) => (policy.place)(task, hunks, lost),
            Edit::Text(edit) => by_text::place(task, edit, lost),
        }
    }

    /// Returns one of its hunks alone, by its number from 1.
    pub(super) fn alone(self, number: usize) -> Self {
        match self {
            Edit::Hunks(hunks, policy) => Edit::Hunks(&hunks[number - 1..number], policy),
            Edit::Text(_) => self,
        }
    }

    /// Names a hunk by its number, or the text that is looked for.
    pub(super) fn part(self, number: usize) -> Part {
        match self {
            Edit::Hunks(..) => Part::Hunk(number),
            Edit::Text(edit) => by_text::part(edit),
        }
    }

    /// Returns the lines of a hunk, or of a text, that must be there.
    pub(super) fn old(self, number: usize) -> Vec<&'e Text<'p>> {
        match self {
            Edit::Hunks(hunks, _) => hunks[number - 1].old().map(|line| &line.text).collect(),
            Edit::Text(edit) => edit.find.iter().collect(),
        }
    }
}

pub(super) use self::by_number::whole;

/// The file in which an edit is to be placed.
#[derive(Clone, Copy)]
pub(super) struct Task<'t> {
    /// Which edit of the response it is, from 0.
    pub(super) number: usize,
    pub(super) path: &'t RepoPath,
    pub(super) file: &'t Document,
    pub(super) rules: &'t Rules,
    pub(super) growth: Growth<'t>,
    /// After how many errors others aren't looked for.
    pub(super) enough: usize,
}

impl Task<'_> {
    /// Warns of how a part of an edit came to its place.
    fn warnings(
        &self,
        part: Part,
        ways: impl IntoIterator<Item = Located<Placing>>,
    ) -> impl Iterator<Item = Located<Warning>> {
        let ways = ways.into_iter().filter(|way| way.value.is_told());
        ways.map(move |way| {
            let path = self.path.clone();
            way.map(|how| Warning::Placed { path, part, how })
        })
    }

    /// Returns which lines a hunk or a find replaces, and by which, all counted from 0.
    fn placement(
        &self,
        number: usize,
        span: Option<Span>,
        old: Range<usize>,
        new: Range<usize>,
        how: Placing,
    ) -> Placement {
        let edit = self.number;
        let path = self.path.clone();
        Placement {
            edit,
            path,
            number,
            span,
            old: Rows::of(old),
            new: Rows::of(new),
            how,
        }
    }
}

/// Returns lines as bytes.
pub(super) fn texts<'l>(lines: impl IntoIterator<Item = &'l Text<'l>>) -> Vec<&'l [u8]> {
    lines.into_iter().map(|line| &line[..]).collect()
}

/// Returns where a hunk's old lines begin in the response.
fn first_old(hunk: &Hunk<'_>) -> Option<Span> {
    hunk.old().find_map(|line| line.text.span).or(hunk.span)
}

/// Returns the error that a hunk has no place; it points at its first old line.
fn no_place(hunk: &Hunk<'_>, why: impl Into<PlaceError>) -> Located<PlaceError> {
    Located::new(first_old(hunk), why.into())
}

/// How a format chooses among the places of a hunk.
#[derive(Clone, Copy)]
pub(super) struct Policy {
    place: fn(Task<'_>, &[Hunk<'_>], &mut HashSet<Vec<u8>>) -> Outcome,
    /// Whether most hunks are where their numbers say.
    is_numbered: bool,
    /// Returns the bytes of a hunk's line that are compared with the file's line.
    text: TextOf,
}

/// Returns what is compared of a hunk's line.
pub(super) type TextOf = for<'h> fn(&'h HunkLine<'_>) -> &'h [u8];

impl Policy {
    /// Returns the needles of hunks: the old lines of each hunk, its context lines, and its old
    /// lines without a trailing empty line.
    fn needles(self, hunks: &[Hunk<'_>]) -> impl Iterator<Item = Needle> {
        hunks.iter().flat_map(move |hunk| {
            let more = in_order::runs(hunk).map(Needle::lines);
            std::iter::once(Needle::lines(hunk.old().map(self.text))).chain(more)
        })
    }
}

/// What became of an edit.
#[derive(Default)]
pub(super) struct Outcome {
    /// The splices of the parts that have a place.
    pub(super) splices: Vec<Splice>,
    /// Which hunks have no place, by number from 1, and why; a text has the number 0.
    pub(super) errors: Vec<(usize, Located<PlaceError>)>,
    /// The errors of hunks that may lack a place only because an earlier hunk or edit failed.
    pub(super) following: Vec<(usize, Located<PlaceError>)>,
    /// Whether every part has a place. If not, `errors` or `following` say why.
    pub(super) whole: bool,
    /// The places of the parts that have a place, in their order.
    pub(super) placed: Vec<Placement>,
    /// The line of the first added lines that the file has already, if every part that changes
    /// anything adds only such lines.
    pub(super) again: Option<LineNo>,
    pub(super) warnings: Vec<Located<Warning>>,
    /// Whether a warning says already that a word was cut in two.
    has_cut: bool,
}

impl Policy {
    /// Places every hunk, given with its number from 1, and warns of how its place was found. A
    /// hunk without a place goes to `errors`, or to `following` if only an earlier failure may be
    /// the cause.
    fn each<'h>(
        self,
        task: Task<'_>,
        hunks: &'h [Hunk<'h>],
        lost: &mut HashSet<Vec<u8>>,
        mut place: impl FnMut(usize, &'h Hunk<'h>) -> Result<Vec<Located<Placing>>, Located<PlaceError>>,
    ) -> Outcome {
        let mut outcome = Outcome {
            whole: true,
            ..Outcome::default()
        };
        for (number, hunk) in (1..).zip(hunks) {
            let error = match place(number, hunk) {
                Ok(ways) => {
                    let warnings = task.warnings(Part::Hunk(number), ways);
                    outcome.warnings.extend(warnings);
                    continue;
                }
                Err(error) => error,
            };
            outcome.whole = false;
            if follows_from(&error.value, hunk.old().map(self.text), lost) {
                outcome.following.push((number, error))
            } else {
                outcome.errors.push((number, error))
            }
            if outcome.errors.len() >= task.enough {
                break;
            }
            let added = hunk.added();
            lost.extend(added.map(|line| (self.text)(line).to_vec()));
        }
        outcome
    }
}

/// Returns whether an error is only the consequence of an earlier one: a line is missing that a
/// failed edit would have added.
fn follows_from<'l>(
    error: &PlaceError,
    mut old: impl Iterator<Item = &'l [u8]>,
    lost: &HashSet<Vec<u8>>,
) -> bool {
    let is_lost = |text: &[u8]| !text.trim_ascii().is_empty() && lost.contains(text);
    match error {
        PlaceError::Context { text, .. } => is_lost(text),
        error => {
            let is_absence = error.is_nowhere()
                || error.is_earlier().is_some()
                || matches!(error, PlaceError::NotAtEnd { .. });
            is_absence && old.any(is_lost)
        }
    }
}
