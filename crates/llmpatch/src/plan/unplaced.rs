//! Why a hunk or a find has no place, once more than its own file as it is now has been looked at:
//! earlier edits of the response, the file before the response, and the levels of fuzz.
//!
//! Nothing is planned a second time for that: a hunk or a find is looked for once more, by itself,
//! in another content, and of an edit with parts that aren't there all parts at the levels.

use std::cell::Cell;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::conflict::{Conflict, LineChange};
use super::derive::same_texts;
use super::error::{Error, FileAsFound, Occupied};
use super::growth::Growth;
use super::place::{Edit, Task};
use super::place_error::{Part, PlaceError, Unplaced};
use super::placement::Placement;
use super::planner::Planner;
use super::{ENOUGH, Rules};
use crate::path::RepoPath;
use crate::search::{Fuzz, has_all};
use crate::text::{LineNo, Lines, Located, Span, Text};
use crate::tree::{Content, File};

/// An edit of which parts have no place.
pub(super) struct UnplacedEdit<'s, 'p> {
    pub(super) path: &'s RepoPath,
    pub(super) span: Option<Span>,
    pub(super) file: &'s File,
    pub(super) edit: Edit<'s, 'p>,
    /// The places of the parts that have a place.
    pub(super) placed: &'s [Placement],
}

impl Planner<'_> {
    /// Records why parts of an edit have no place. An error in `following` is recorded only if the
    /// change of its hunk is in the file already.
    pub(super) fn unplaced(
        &mut self,
        unplaced: &UnplacedEdit<'_, '_>,
        mut errors: Vec<(usize, Located<PlaceError>)>,
        following: Vec<(usize, Located<PlaceError>)>,
    ) {
        let UnplacedEdit {
            path, file, edit, ..
        } = *unplaced;
        errors.extend(self.already_made(&file.content, following));
        errors.sort_by_key(|(number, _)| *number);
        let of = self.number;
        let (given, added) = (self.given(path), &Cell::default());
        let run = |edit: Edit<'_, '_>, content: &Content, rules: &Rules| {
            let task = Task {
                number: of,
                path,
                file: &edit.read(content, edit.needles()),
                rules,
                growth: Growth::new(given, added),
                enough: ENOUGH,
            };
            edit.place(task, &mut HashSet::new())
        };
        let at_a_level = self.at_a_level(&file.content, &errors, |rules| {
            run(edit, &file.content, rules).placed
        });
        for (number, error) in errors {
            let old = edit.old(number);
            let changed = |nth: usize| old.get(nth)?.span;
            if let Some(conflict) = within(unplaced, number, &error.value) {
                self.errors.push(Located::new(
                    changed(conflict.nth),
                    Error::Conflict(Box::new(conflict)),
                ));
                continue;
            }
            let place = |content: &Content| {
                let mut done = run(edit.alone(number), content, self.rules);
                match (done.errors.pop(), done.placed.first()) {
                    (None, Some(placed)) if done.whole => Ok(placed.old.range()),
                    (error, _) => Err(error.map(|(_, error)| error)),
                }
            };
            let span = error.span.or(unplaced.span);
            let miss = Unplaced {
                path: path.clone(),
                part: edit.part(number),
                error: error.value,
                seen: self.seen(path, &file.content),
                len: old.len(),
                at_level: at_a_level.get(&number).copied(),
                before: None,
            };
            let error = self.why(miss, Located::new(span, &old[..]), place);
            self.errors.push(error);
        }
    }

    /// Returns the parts that are made already, of those without a place in a file.
    fn already_made(
        &self,
        content: &Content,
        mut errors: Vec<(usize, Located<PlaceError>)>,
    ) -> Vec<(usize, Located<PlaceError>)> {
        let is_worth_it = || self.effort.spend(content.len());
        errors.retain(|(_, error)| error.value.is_made_in(content, is_worth_it));
        errors
    }

    /// Returns, by number, the place that each part without a place would have at a level of fuzz,
    /// and that level. Returns nothing once an earlier error of the response has no place at any
    /// level: no level would save the response then.
    fn at_a_level(
        &self,
        content: &Content,
        errors: &[(usize, Located<PlaceError>)],
        place: impl FnOnce(&Rules) -> Vec<Placement>,
    ) -> HashMap<usize, (LineNo, Fuzz)> {
        let [.., loosest] = Fuzz::LEVELS;
        let is_of_use = !self.rules.strict
            && self.rules.fuzz < loosest
            && self
                .errors
                .iter()
                .all(|error| error.value.at_level().is_some())
            && self.effort.spend(Fuzz::LEVELS.len() * content.len())
            && may_be_in(&content.lines(), errors, loosest);
        if !is_of_use {
            return HashMap::new();
        }
        let placed = place(&Rules {
            fuzz: loosest,
            ..self.rules.clone()
        });
        let at_level = |placed: Placement| {
            let at = LineNo::from_index(placed.old.range().start);
            Some((placed.number, (at, placed.how.level()?)))
        };
        placed.into_iter().filter_map(at_level).collect()
    }

    /// Sets the level of every error to the loosest level among them, at which the whole response
    /// has its places; removes the level everywhere if an error has none.
    pub(super) fn agree_on_fuzz(&mut self) {
        let levels = self.errors.iter().map(|error| error.value.at_level());
        let loosest = levels
            .collect::<Option<Vec<_>>>()
            .and_then(|levels| levels.into_iter().max());
        for error in &mut self.errors {
            if let Error::Place(unplaced) = &mut error.value {
                let at = unplaced.at_level.take();
                unplaced.at_level = at.zip(loosest).map(|((at, _), level)| (at, level));
            }
        }
    }

    /// Returns why a part of an edit has no place, which needs these lines: an earlier edit of the
    /// response, or what it is in the file as it is now, and as it was before the response.
    fn why(
        &self,
        unplaced: Unplaced,
        Located { value: old, span }: Located<&[&Text<'_>]>,
        place: impl Fn(&Content) -> Result<Range<usize>, Option<Located<PlaceError>>>,
    ) -> Located<Error> {
        let Unplaced {
            path,
            part,
            error,
            seen,
            ..
        } = &unplaced;
        if error.is_absence() {
            let now = &seen.content;
            let lines = old.iter().map(|line| line.trim_ascii());
            let needed = lines.max_by_key(|line| line.len()).unwrap_or_default();
            let conflict = self.conflict(path, *part, now, needed, |content| place(content).ok());
            if let Some(conflict) = conflict {
                let is_same = error.is_made_in(&seen.content, || true);
                let changed = old.get(conflict.nth).and_then(|line| line.span);
                let conflict = Conflict {
                    is_same,
                    ..conflict
                };
                return Located::new(changed.or(span), Error::Conflict(Box::new(conflict)));
            }
        }
        let original = self
            .overlay
            .in_tree(path)
            .filter(|original| seen.is_left && self.effort.spend(original.len()));
        let before = original.and_then(|content| {
            let error = place(&content).err()??.value;
            let seen = FileAsFound {
                content,
                is_left: false,
            };
            Some(Box::new(Unplaced {
                error,
                seen,
                at_level: None,
                ..unplaced.clone()
            }))
        });
        Located::new(
            span,
            Error::Place(Box::new(Unplaced { before, ..unplaced })),
        )
    }

    /// Returns a file as an edit finds it.
    pub(super) fn seen(&self, path: &RepoPath, content: &Content) -> FileAsFound {
        FileAsFound {
            content: content.clone(),
            is_left: self.overlay.in_tree(path).as_ref() != Some(content),
        }
    }

    /// Returns the error that a file is at the path of a new or moved file.
    pub(super) fn occupied(
        &self,
        path: &RepoPath,
        content: Content,
        new: &File,
        is_target: bool,
    ) -> Error {
        let what = match self.overlay.maker(path) {
            Some(by) => Occupied::Made(by),
            None if is_target => Occupied::Target(content),
            None => Occupied::File {
                has_other_ends: same_texts(&content.lines(), &new.content.lines()),
                content,
                format: self.edits[self.number].format,
            },
        };
        Error::Occupied(path.clone(), what)
    }
}

/// Returns whether a file may have at a level what errors say it hasn't: it has each of the lines.
fn may_be_in(lines: &Lines<'_>, errors: &[(usize, Located<PlaceError>)], level: Fuzz) -> bool {
    let mut wanted = Vec::new();
    for (_, error) in errors {
        let PlaceError::NotFound { sought, .. } = &error.value else {
            return false;
        };
        // An empty line at an edge may be left out.
        let old = sought.old.iter().map(|line| &line[..]);
        wanted.extend(old.filter(|line| !level.form(line).is_empty()));
    }
    has_all(lines, &wanted, level)
}

/// Returns the conflict of a hunk with another of its section that changes its lines.
fn within(unplaced: &UnplacedEdit<'_, '_>, number: usize, error: &PlaceError) -> Option<Conflict> {
    let UnplacedEdit {
        path,
        file,
        edit,
        placed,
        ..
    } = *unplaced;
    let Edit::Hunks(hunks, _) = edit else {
        return None;
    };
    let hunk = &hunks[number - 1];
    let at = error.is_earlier()?.index();
    let lines = at..at + hunk.old().count();
    let mut others = placed.iter().filter(|other| other.number < number);
    let (other, change) = others.find_map(|other| {
        let other_hunk = &hunks[other.number - 1];
        let changes = LineChange::of(other_hunk, other.old.range().start);
        let change = changes.into_iter().find(|change| change.is_among(&lines))?;
        Some((other_hunk, change))
    })?;
    let nth = change.at - at;
    let is_same = other.lines == hunk.lines;
    let found = (!lines.is_empty()).then(|| (path.clone(), file.content.clone(), lines));
    Some(Conflict {
        path: path.clone(),
        part: Part::Hunk(number),
        nth,
        by: change.by,
        found,
        is_same,
    })
}
