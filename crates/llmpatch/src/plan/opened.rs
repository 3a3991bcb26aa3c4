//! Files that edits change one after the other, each of which is read once for all edits in a row.

use super::error::Error;
use super::growth::Growth;
use super::place::{Edit, Task};
use super::place_error::PlaceError;
use super::planner::{Done, Failed, Named, Planner};
use super::unplaced;
use super::warning::Warning;
use crate::path::RepoPath;
use crate::search::{Document, Needle};
use crate::text::{Span, Splice};
use crate::tree::{Content, File};

/// A file that one edit after the other changes.
pub(super) struct OpenFile {
    document: Document,
    /// What the overlay has of it; `None` while that isn't what the document has.
    content: Option<Content>,
}

impl Planner<'_> {
    /// Does what an edit says to a file that stays where it is.
    pub(super) fn rewrite(&mut self, at: Named<'_, '_>, edit: Edit<'_, '_>) -> Done {
        let Named { path, span, .. } = at;
        let (file, mut open) = self.opened(path, span, edit)?;
        let (splices, done) = self.placed(at, &open, edit, &file);
        if done.is_ok() && splices.is_empty() && matches!(edit, Edit::Hunks(..)) {
            self.warn(span, Warning::NoChange { path: path.clone() });
        }
        if splices.is_empty() {
            self.close(path, open);
            return done;
        }
        if self.is_last(path) && open.document.is_untouched() {
            // Nobody will look at it again.
            let content = Content::spliced(open.document.base().clone(), splices);
            self.overlay.put(
                path,
                File {
                    content,
                    mode: file.mode,
                },
            );
            return done;
        }
        let back = open.document.taken_by(&splices);
        if !back.is_empty() {
            self.overlay.keep_parts(path, back);
        }
        open.document.change(&splices);
        open.content = None;
        self.close(path, open);
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
        let open = OpenFile {
            document: edit.read(&file.content, edit.needles()),
            content: None,
        };
        let (splices, done) = self.placed(at, &open, edit, file);
        (Content::spliced(file.content.clone(), splices), done)
    }

    /// Returns what an edit does to a file, and records why parts of it have no place.
    fn placed(
        &mut self,
        Named { path, span, .. }: Named<'_, '_>,
        open: &OpenFile,
        edit: Edit<'_, '_>,
        file: &File,
    ) -> (Vec<Splice>, Done) {
        let given = self.given(path);
        let lost = self.overlay.lost(path);
        let rules = self.rules;
        let effort = &self.effort;
        let growth = Growth::new(given, &self.added);
        let enough = self.enough;
        let task = Task {
            number: self.number,
            path,
            file: &open.document,
            rules,
            effort,
            growth,
            enough,
        };
        let outcome = edit.place(task, lost);
        self.warnings.extend(outcome.warnings);
        // What it would be is too large to go on with.
        let is_too_much = |error: &PlaceError| {
            matches!(
                error,
                PlaceError::TooMuch { .. } | PlaceError::TooDeep { .. }
            )
        };
        let mut errors = outcome.errors.iter();
        let failed = match errors.any(|(_, error)| is_too_much(&error.value)) {
            true => Failed::Lost,
            false => Failed::Partly,
        };
        if !outcome.errors.is_empty() {
            let file = &File {
                content: open.document.content(),
                mode: file.mode,
            };
            let section = unplaced::UnplacedEdit {
                path,
                span,
                file,
                edit,
                placed: &outcome.placed,
            };
            self.unplaced(&section, outcome.errors);
        }
        if ends_blank(&open.document, &outcome.splices) {
            self.warn(span, Warning::BlankEnd { path: path.clone() });
        }
        self.placements.extend(outcome.placed);
        match outcome.again {
            Some(line) if self.again.is_none() => {
                self.again = Some((line, open.document.content()));
            }
            Some(_) => {}
            None => self.does_more |= !outcome.splices.is_empty(),
        }
        (
            outcome.splices,
            if outcome.whole { Ok(()) } else { Err(failed) },
        )
    }

    /// Returns how many bytes a file had before the response, and all that the response brings.
    pub(super) fn given(&self, path: &RepoPath) -> usize {
        let found = self.overlay.in_tree(path);
        self.brought + found.map_or(0, |content| content.size())
    }

    /// Returns a file, read with all texts in view that this edit and later edits look for in it.
    fn opened(
        &mut self,
        path: &RepoPath,
        span: Option<Span>,
        edit: Edit<'_, '_>,
    ) -> Result<(File, Box<OpenFile>), Failed> {
        let file = self.base(path, span)?;
        let open = self.open.remove(path);
        if let Some(open) = open.filter(|open| {
            open.content
                .as_ref()
                .is_none_or(|content| content.is(&file.content))
        }) {
            return Ok((file, open));
        }
        if let Some(error) = Error::no_text(path, &file.content) {
            return self.fail(span, error);
        }
        let document = edit.read(&file.content, self.needles(path));
        let open = OpenFile {
            document,
            content: Some(file.content.clone()),
        };
        Ok((file, Box::new(open)))
    }

    /// Returns whether no later edit is of a file.
    fn is_last(&self, path: &RepoPath) -> bool {
        self.rows
            .get(path)
            .and_then(|row| row.last())
            .is_none_or(|last| *last <= self.number)
    }

    /// Keeps an open file for the later edits that go on with it, or else writes what it has become
    /// to the overlay.
    fn close(&mut self, path: &RepoPath, open: Box<OpenFile>) {
        // What is no longer before the first line isn't a byte order mark as the file was read.
        let goes_on = !self.is_last(path) && !open.document.has_lost_mark();
        self.open.insert(path.clone(), open);
        if !goes_on {
            self.settle(path);
            self.open.remove(path);
        }
    }

    /// Writes what edits have made of a file to the overlay, if it is open.
    pub(super) fn settle(&mut self, path: &RepoPath) {
        let open = self.open.get_mut(path);
        if let Some(open) = open.filter(|open| open.content.is_none()) {
            let content = open.document.content();
            self.overlay.set(path, &content);
            open.content = Some(content);
        }
    }

    /// Settles all files that are open.
    pub(super) fn settle_all(&mut self) {
        let open: Vec<_> = self.open.keys().cloned().collect();
        open.iter().for_each(|path| self.settle(path));
    }

    /// Returns what this and the following edits look for in a file.
    fn needles(&self, path: &RepoPath) -> Vec<Needle> {
        let row = self.rows.get(path).map_or(&[][..], |row| {
            &row[row.partition_point(|edit| *edit < self.number)..]
        });
        row.iter()
            .filter_map(|number| Edit::of(self.edits[*number].edit))
            .flat_map(Edit::needles)
            .collect()
    }
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
