//! What edits do to parts of files, in their place or on the way elsewhere.

use std::rc::Rc;

use super::ENOUGH;
use super::error::Error;
use super::growth::Growth;
use super::place::{Edit, Task};
use super::place_error::PlaceError;
use super::planner::{Done, Failed, Named, Planner};
use super::unplaced;
use super::warning::Warning;
use crate::path::RepoPath;
use crate::search::{Document, Needle};
use crate::text::Splice;
use crate::tree::{Content, File, Mode};

impl Planner<'_> {
    /// Does what an edit says to a file that stays where it is.
    pub(super) fn rewrite(&mut self, at: Named<'_, '_>, edit: Edit<'_, '_>) -> Done {
        let Named { path, span, .. } = at;
        let document = self.searched(at, edit)?;
        let (splices, done) = self.placed(at, &document, edit);
        if done.is_ok() && splices.is_empty() && matches!(edit, Edit::Hunks(..)) {
            self.warn(span, Warning::NoChange { path: path.clone() });
        }
        drop(document);
        let is_last = self.is_last(path);
        self.overlay.change(path, splices, is_last);
        done
    }

    /// Returns what an edit makes of a file that goes elsewhere; where some hunks fail, what the
    /// others make of it.
    pub(super) fn rewritten(
        &mut self,
        at: Named<'_, '_>,
        file: &File,
        edit: Edit<'_, '_>,
    ) -> (Content, Done) {
        let Named { path, span, .. } = at;
        if let Edit::Hunks([], _) = edit {
            return (file.content.clone(), Ok(()));
        }
        if let Some(error) = Error::no_text(path, &file.content) {
            return (file.content.clone(), self.fail(span, error));
        }
        let document = edit.read(&file.content, edit.needles());
        let (splices, done) = self.placed(at, &document, edit);
        (Content::spliced(file.content.clone(), splices), done)
    }

    /// Returns what an edit does to a file, and records why parts of it have no place.
    fn placed(
        &mut self,
        Named { path, span, .. }: Named<'_, '_>,
        document: &Document,
        edit: Edit<'_, '_>,
    ) -> (Vec<Splice>, Done) {
        let given = self.given(path);
        let task = Task {
            number: self.number,
            path,
            file: document,
            rules: self.rules,
            growth: Growth::new(given, &self.added),
            enough: ENOUGH,
        };
        let outcome = edit.place(task, self.overlay.lost(path));
        self.warnings.extend(outcome.warnings);
        // What it would be is too large to go on with.
        let is_too_large = outcome.errors.iter().any(|(_, error)| {
            matches!(
                error.value,
                PlaceError::TooMuch { .. } | PlaceError::TooDeep { .. }
            )
        });
        let done = match (outcome.whole, is_too_large) {
            (true, _) => Ok(()),
            (false, true) => Err(Failed::Lost),
            (false, false) => Err(Failed::Partly),
        };
        if !outcome.errors.is_empty() || !outcome.following.is_empty() {
            let file = &File {
                content: document.content(),
                mode: Mode::PLAIN,
            };
            let unplaced = unplaced::UnplacedEdit {
                path,
                span,
                file,
                edit,
                placed: &outcome.placed,
            };
            self.unplaced(&unplaced, outcome.errors, outcome.following);
        }
        if ends_blank(document, &outcome.splices) {
            self.warn(span, Warning::BlankEnd { path: path.clone() });
        } else if matches!(edit, Edit::Text(_)) && empties(document, &outcome.splices) {
            self.warn(span, Warning::Emptied { path: path.clone() });
        }
        self.placements.extend(outcome.placed);
        match outcome.again {
            Some(line) if self.again.is_none() => {
                self.again = Some((line, document.content()));
            }
            Some(_) => {}
            None => self.does_more |= !outcome.splices.is_empty(),
        }
        (outcome.splices, done)
    }

    /// Returns how many bytes a file had before the response, and all that the response brings.
    pub(super) fn given(&self, path: &RepoPath) -> usize {
        let found = self.overlay.in_tree(path);
        self.brought + found.map_or(0, |content| content.size())
    }

    /// Returns a file, read with all texts in view that this edit and later edits look for in it.
    fn searched(&mut self, at: Named<'_, '_>, edit: Edit<'_, '_>) -> Result<Rc<Document>, Failed> {
        let Named { path, span, .. } = at;
        if let Some(document) = self.overlay.document(path) {
            return Ok(document);
        }
        let file = self.base(path, span)?;
        if let Some(error) = Error::no_text(path, &file.content) {
            return self.fail(span, error);
        }
        let document = Rc::new(edit.read(&file.content, self.needles(path)));
        self.overlay.search(path, Rc::clone(&document));
        Ok(document)
    }

    /// Returns whether no later edit is of a file.
    fn is_last(&self, path: &RepoPath) -> bool {
        self.in_place
            .get(path)
            .and_then(|edits| edits.last())
            .is_none_or(|last| *last <= self.number)
    }

    /// Returns what this and the following edits look for in a file.
    fn needles(&self, path: &RepoPath) -> Vec<Needle> {
        let edits = self.in_place.get(path).map_or(&[][..], |edits| {
            &edits[edits.partition_point(|edit| *edit < self.number)..]
        });
        edits
            .iter()
            .filter_map(|number| Edit::of(self.edits[*number].edit))
            .flat_map(Edit::needles)
            .collect()
    }
}

/// Returns whether splices leave nothing of a file.
fn empties(document: &Document, splices: &[Splice]) -> bool {
    matches!(splices, [all] if all.old == (document.bom()..document.len()) && all.new.is_empty())
}

/// Returns whether a blank line is the last of a file once its last lines have gone, and wasn't
/// before.
fn ends_blank(document: &Document, splices: &[Splice]) -> bool {
    let len = document.len();
    let Some(last) = splices.last().filter(|last| last.old.end == len) else {
        return false;
    };
    let is_blank = |line: usize| document.text(line).trim_ascii().is_empty();
    let lines = document.line_count();
    let kept = document.line(last.old.start);
    let is_gone = last.new.is_empty() && document.line_start(last.old.start) == last.old.start;
    is_gone && kept > 0 && kept < lines && is_blank(kept - 1) && !is_blank(lines - 1)
}
