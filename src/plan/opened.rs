//! Files that edits change one after the other, each of which is read once for all edits in a row.

use std::cell::OnceCell;

use super::error::Error;
use super::lint::{self, Blank, Finding};
use super::place::{self, Policy, Task, by_number, by_text, in_order};
use super::planner::{Done, Failed, Named, Planner};
use super::unplaced;
use super::warning::Warning;
use crate::patch::{FileEdit, Header, Hunk, Operation, Status, Substitution};
use crate::path::RepoPath;
use crate::search::{Document, Needle};
use crate::text::{Located, Span, Splice};
use crate::tree::{Content, File};

/// A file that one edit after the other changes.
pub(super) struct Open {
    document: Document,
    /// What its lines are indented with, once somebody asked.
    indentation: OnceCell<Option<Blank>>,
    /// What the overlay has of it; `None` if that isn't yet what the document has.
    content: Option<Content>,
}

impl Planner<'_> {
    /// Puts one text in the place of another.
    pub(super) fn substitute(&mut self, at: Named<'_, '_>, substitution: &Substitution<'_>) -> Done {
        let Named { path, span, .. } = at;
        let (file, mut open) = self.opened(path, span)?;
        match by_text::place(path, &open.document, substitution, self.rules, &self.effort) {
            Ok(done) => {
                self.warnings.extend(done.warnings);
                self.note(path, done.placed);
                self.change(path, &mut open, &done.splices);
                self.close(path, open, &file);
                Ok(())
            }
            Err(error) => {
                let lost = self.overlay.lost(path);
                let texts = substitution.find.iter().map(|line| &line[..]);
                let follows = place::follows_from(&error.value, texts, lost);
                lost.extend(substitution.put.iter().map(|line| line.to_vec()));
                if !follows {
                    let file = File { content: open.document.content(), mode: file.mode };
                    let error = self.unfound(path, &file, substitution, error);
                    self.errors.push(Located::new(error.span.or(span), error.value));
                }
                self.close(path, open, &file);
                Err(Failed::Partly)
            }
        }
    }

    /// Does what hunks say to a file that stays where it is.
    pub(super) fn rewrite(&mut self, at: Named<'_, '_>, hunks: &[Hunk<'_>], policy: Policy) -> Done {
        let Named { path, span, .. } = at;
        let (file, mut open) = self.opened(path, span)?;
        let (splices, done) = self.placed(path, &open, (hunks, policy), &file);
        if done.is_ok() && splices.is_empty() {
            self.warn(span, Warning::NoChange { path: path.clone() });
        }
        self.change(path, &mut open, &splices);
        self.close(path, open, &file);
        done
    }

    /// Returns what the hunks make of a file that goes elsewhere; where some fail, what the others make of it.
    pub(super) fn rewritten(
        &mut self,
        Named { path, span, .. }: Named<'_, '_>,
        file: &File,
        hunks: &[Hunk<'_>],
        policy: Policy,
    ) -> (Content, Done) {
        if hunks.is_empty() {
            return (file.content.clone(), Ok(()));
        }
        if let Some(error) = Error::no_text(path, &file.content) {
            return (file.content.clone(), self.fail(span, error));
        }
        let document = policy.read(&file.content, hunks);
        let mut open = Open { document, indentation: OnceCell::new(), content: None };
        let (splices, done) = self.placed(path, &open, (hunks, policy), file);
        self.change(path, &mut open, &splices);
        (open.document.content(), done)
    }

    /// Returns what hunks do to a file, and records why some have no place.
    fn placed(
        &mut self,
        path: &RepoPath,
        open: &Open,
        (hunks, policy): (&[Hunk<'_>], Policy),
        file: &File,
    ) -> (Vec<Splice>, Done) {
        let lost = self.overlay.lost(path);
        let (file_now, rules, effort) = (&open.document, self.rules, &self.effort);
        let outcome = (policy.place)(Task { path, file: file_now, hunks, rules, effort }, lost);
        self.warnings.extend(outcome.warnings);
        if !outcome.errors.is_empty() {
            let file = &File { content: open.document.content(), mode: file.mode };
            let section = unplaced::Section { path, file, hunks, placed: &outcome.placed, policy };
            self.unplaced(&section, outcome.errors);
        }
        self.note(path, outcome.placed);
        (outcome.splices, if outcome.whole { Ok(()) } else { Err(Failed::Partly) })
    }

    /// Returns a file, read with an eye to all that edits look for in it from this one on.
    fn opened(&mut self, path: &RepoPath, span: Option<Span>) -> Result<(File, Open), Failed> {
        let file = self.base(path, span)?;
        let open = self.open.remove(path);
        if let Some(open) = open.filter(|open| open.content.as_ref().is_none_or(|content| content.is(&file.content))) {
            return Ok((file, open));
        }
        if let Some(error) = Error::no_text(path, &file.content) {
            return self.fail(span, error);
        }
        let document = Document::new(file.content.clone(), self.needles(path));
        let open = Open { document, indentation: OnceCell::new(), content: Some(file.content.clone()) };
        Ok((file, open))
    }

    /// Makes the splices of one edit, and looks at what they do.
    fn change(&mut self, path: &RepoPath, open: &mut Open, splices: &[Splice]) {
        if splices.is_empty() {
            return;
        }
        let (edit, document) = (self.edits[self.number], &mut open.document);
        // Of a file that goes, nothing is left to look at.
        let goes = edit.header.as_ref().is_some_and(|header| header.status == Status::Deleted);
        if goes {
            return document.change(splices);
        }
        let of_path = |finding| Warning::Found { path: path.clone(), finding };
        let found = lint::in_document(edit, document, &open.indentation, splices);
        self.found.extend(found.into_iter().map(|found| found.map(of_path)));
        let changes =
            splices.iter().map(|splice| (splice.old.start, document.slice(splice.old.clone()), &splice.new[..]));
        if edit.destination().is_none() && self.history.note(path, changes) {
            self.found.push(Located::new(edit.span, of_path(Finding::Undone)));
        }
        document.change(splices);
        open.content = None;
    }

    /// Puts an open file down, unless later edits go on with it and nobody has to know what it is now.
    fn close(&mut self, path: &RepoPath, mut open: Open, file: &File) {
        let is_last = self.rows.get(path).and_then(|row| row.last()).is_none_or(|last| *last <= self.number);
        if open.content.is_none() && (is_last || self.overlay.keeps(path)) {
            self.put(path, &mut open, file.mode);
        }
        self.is_ahead |= open.content.is_none();
        // What is no longer before the first line isn't a byte order mark as the file was read.
        if !is_last && !open.document.has_lost_mark() {
            self.open.insert(path.clone(), open);
        } else if open.content.is_none() {
            self.put(path, &mut open, file.mode);
        }
    }

    fn put(&mut self, path: &RepoPath, open: &mut Open, mode: crate::tree::Mode) {
        let content = open.document.content();
        open.content = Some(content.clone());
        self.overlay.put(path, File { content, mode });
    }

    /// Puts down what edits of open files have come to.
    pub(super) fn settle(&mut self) {
        if !std::mem::take(&mut self.is_ahead) {
            return;
        }
        let mut all = std::mem::take(&mut self.open);
        for (path, open) in all.iter_mut().filter(|(_, open)| open.content.is_none()) {
            if let Some(mode) = self.overlay.now(path).map(|file| file.mode) {
                self.put(path, open, mode);
            }
        }
        self.open = all;
    }

    /// Returns what this and the following edits look for in a file.
    fn needles(&self, path: &RepoPath) -> Vec<Needle> {
        let row = self.rows.get(path).map_or(&[][..], |row| &row[row.partition_point(|edit| *edit < self.number)..]);
        let mut needles = Vec::new();
        for edit in row.iter().map(|number| self.edits[*number]) {
            match &edit.operation {
                Operation::Substitute(substitution) => needles.extend(by_text::needles(substitution)),
                Operation::Update { hunks, .. } => needles.extend(policy(edit.header.as_ref()).needles(hunks)),
                _ => {}
            }
        }
        needles
    }
}

/// Returns whether an edit changes a file in its place, and says what it looks for there.
pub(super) fn is_in_place(edit: &FileEdit<'_>) -> bool {
    matches!(edit.operation, Operation::Substitute(_) | Operation::Update { .. })
}

/// Returns how the hunks of a section are placed.
fn policy(header: Option<&Header>) -> Policy {
    if header.is_some() { by_number::POLICY } else { in_order::POLICY }
}
