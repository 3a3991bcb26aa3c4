//! Why a hunk or a find has no place, once more than its own file as it is now has been looked at:
//! earlier edits of the response, the file before the response, and whether what the message
//! advises would be accepted.

use std::cell::Cell;
use std::collections::HashSet;
use std::ops::Range;

use super::conflict::{Conflict, change_among};
use super::error::{Error, FileAsFound, Occupied};
use super::growth::Growth;
use super::place::{Edit, Task};
use super::place_error::{Part, PlaceError, Unplaced};
use super::placement::Placement;
use super::planner::Planner;
use super::{ENOUGH, Rules};
use crate::path::RepoPath;
use crate::search::{Effort, Fuzz};
use crate::text::{Located, Span};
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
    /// Records why parts of an edit have no place.
    pub(super) fn unplaced(
        &mut self,
        section: &UnplacedEdit<'_, '_>,
        errors: Vec<(usize, Located<PlaceError>)>,
    ) {
        let UnplacedEdit {
            path, file, edit, ..
        } = *section;
        let of = self.number;
        let (given, added) = (self.given(path), &Cell::default());
        let run = |edit: Edit<'_, '_>, content: &Content, rules: &Rules, effort: &Effort| {
            let task = Task {
                number: of,
                path,
                file: &edit.read(content, edit.needles()),
                rules,
                effort,
                growth: Growth::new(given, added),
                enough: ENOUGH,
            };
            edit.place(task, &mut HashSet::new())
        };
        // Which parts have no place at a level either; `None` if that can't be told.
        let mut refused: [Option<Option<HashSet<usize>>>; Fuzz::LEVELS.len()] = Default::default();
        for (number, mut error) in errors {
            let old = edit.old(number);
            let span = |nth: usize| old.get(nth)?.span;
            if let Some(conflict) = within(section, number, &error.value) {
                self.errors.push(Located::new(
                    span(conflict.nth),
                    Error::Conflict(Box::new(conflict)),
                ));
                continue;
            }
            if let Some(level) = error.value.level() {
                let at = Fuzz::LEVELS
                    .iter()
                    .position(|known| Some(*known) == *level)
                    .unwrap_or(0);
                let refused = refused[at].get_or_insert_with(|| {
                    let at_level =
                        |rules: &Rules| run(edit, &file.content, rules, &Effort::new(0)).errors;
                    let errors = self.at_level(*level, &file.content, at_level)?;
                    Some(errors.into_iter().map(|(number, _)| number).collect())
                });
                level.take_if(|_| {
                    refused
                        .as_ref()
                        .is_none_or(|refused| refused.contains(&number))
                });
            }
            let unplaced = (
                edit.part(number),
                old.len(),
                &span as &dyn Fn(usize) -> Option<Span>,
            );
            let error = self.why(path, file, unplaced, error, |content, effort| {
                let mut done = run(edit.alone(number), content, self.rules, effort);
                match (done.errors.pop(), done.placed.first()) {
                    (None, Some(placed)) if done.whole => Ok(placed.old.range()),
                    (error, _) => Err(error.map(|(_, error)| error)),
                }
            });
            self.errors
                .push(Located::new(error.span.or(section.span), error.value));
        }
    }

    /// Advises the fuzz level at which the whole response can be planned, or none: each error was
    /// looked at by itself.
    pub(super) fn agree_on_fuzz(&mut self) {
        fn level(error: &mut Located<Error>) -> Option<&mut Option<Fuzz>> {
            if let Error::Place(unplaced) = &mut error.value {
                unplaced.error.level()
            } else {
                None
            }
        }
        let levels: Vec<_> = self
            .errors
            .iter_mut()
            .map(|error| level(error).copied().flatten())
            .collect();
        let Some(highest) = levels
            .iter()
            .copied()
            .max()
            .flatten()
            .filter(|_| levels.len() > 1)
        else {
            return;
        };
        let size = self.errors.iter().map(|error| error.value.held()).sum();
        let works = levels.iter().all(Option::is_some) && self.effort.spend(size) && {
            let rules = Rules {
                fuzz: highest.max(self.rules.fuzz),
                ..self.rules.clone()
            };
            let mut tried = Planner::new(self.edits.clone(), self.tree, self.resolver, &rules);
            (tried.effort, tried.enough) = (Effort::new(0), 1);
            tried.edit_all().errors.is_empty()
        };
        for level in self.errors.iter_mut().filter_map(level) {
            *level = works.then_some(highest);
        }
    }

    /// Does something as if a level had been asked for; `None` if no level can be, or that would be
    /// too much for a message.
    fn at_level<T>(
        &self,
        level: Option<Fuzz>,
        content: &Content,
        run: impl FnOnce(&Rules) -> T,
    ) -> Option<T> {
        let level = level.filter(|_| !self.rules.strict && self.effort.spend(content.len()))?;
        Some(run(&Rules {
            fuzz: level.max(self.rules.fuzz),
            ..self.rules.clone()
        }))
    }

    /// Returns the error of a part of an edit that has no place in a file: `len` is the number of
    /// its old lines, and `span` tells where they are in the response.
    fn why(
        &self,
        path: &RepoPath,
        file: &File,
        (part, len, span): (Part, usize, &dyn Fn(usize) -> Option<Span>),
        error: Located<PlaceError>,
        place: impl Fn(&Content, &Effort) -> Result<Range<usize>, Option<Located<PlaceError>>>,
    ) -> Located<Error> {
        let unplaced = |error: Located<PlaceError>, seen: FileAsFound| {
            error.map(|error| {
                Error::Place(Box::new(Unplaced {
                    path: path.clone(),
                    part,
                    error,
                    seen,
                    len,
                }))
            })
        };
        let original = self.overlay.in_tree(path);
        let seen = FileAsFound {
            content: file.content.clone(),
            is_left: original.as_ref() != Some(&file.content),
        };
        if !seen.is_left {
            return unplaced(error, seen);
        }
        if error.value.is_absence()
            && let Some(conflict) = self.conflict(path, part, &file.content, |content| {
                place(content, &Effort::new(0)).ok()
            })
        {
            let is_same = matches!(error.value, PlaceError::Applied { .. });
            let span = span(conflict.nth).or(error.span);
            return Located::new(
                span,
                Error::Conflict(Box::new(Conflict {
                    is_same,
                    ..conflict
                })),
            );
        }
        // What is the same in the file before the response is told as it is there.
        if let Some(content) = original.filter(|original| self.effort.spend(original.len()))
            && let Err(Some(before)) = place(&content, &self.effort)
            && before
                .value
                .is_like(&content.lines(), &error.value, &file.content.lines())
        {
            return unplaced(
                before,
                FileAsFound {
                    content,
                    is_left: false,
                },
            );
        }
        unplaced(error, seen)
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
                has_other_ends: has_other_ends(&content, &new.content),
                content,
                format: self.edits[self.number].format,
            },
        };
        Error::Occupied(path.clone(), what)
    }
}

/// Returns whether the lines of two files are the same but for what they end with.
fn has_other_ends(one: &Content, other: &Content) -> bool {
    let (one, other) = (one.lines(), other.lines());
    let texts = other.iter().map(|line| line.text);
    one.iter().map(|line| line.text).eq(texts)
}

/// Returns the conflict of a hunk with another of its section that changes its lines.
fn within(section: &UnplacedEdit<'_, '_>, number: usize, error: &PlaceError) -> Option<Conflict> {
    let UnplacedEdit {
        path,
        file,
        edit,
        placed,
        ..
    } = *section;
    let Edit::Hunks(hunks, _) = edit else {
        return None;
    };
    let hunk = &hunks[number - 1];
    let at = error.is_earlier()?.index();
    let lines = at..at + hunk.old().count();
    let mut others = placed.iter().filter(|other| other.number < number);
    let (other, (changed, by)) = others.find_map(|other| {
        let other_hunk = &hunks[other.number - 1];
        Some((
            other_hunk,
            change_among(&other_hunk.lines, other.old.range().start, &lines)?,
        ))
    })?;
    let nth = changed - at;
    let is_same = other.lines == hunk.lines;
    let found = (!lines.is_empty()).then(|| (path.clone(), file.content.clone(), lines));
    Some(Conflict {
        path: path.clone(),
        part: Part::Hunk(number),
        nth,
        by: Some(by),
        found,
        is_same,
    })
}
