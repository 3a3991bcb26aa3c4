//! Texts put in the place of others, one edit after the other, in files that are read once for all such edits in a row.

use std::cell::OnceCell;
use std::ops::Range;

use super::error::Error;
use super::lint::{self, Blank, Finding};
use super::place::{self, by_text};
use super::planner::{Failed, Planner};
use super::warning::Warning;

use crate::patch::{FileEdit, Operation, Substitution};
use crate::path::RepoPath;
use crate::search::{Document, Needle};
use crate::text::{Located, Span};
use crate::tree::{File, Mode};

/// A file that one text after the other is replaced in.
pub(super) struct Open {
    document: Document,
    mode: Mode,
    /// What its lines are indented with, once somebody asked.
    indentation: OnceCell<Option<Blank>>,
    /// Whether the overlay hasn't got what the document has.
    is_ahead: bool,
}

impl Planner<'_> {
    /// Puts one text in the place of another, in a file that is read once for all such edits in a row.
    pub(super) fn substitute(
        &mut self,
        path: &RepoPath,
        edit: &FileEdit<'_>,
        substitution: &Substitution<'_>,
        span: Option<Span>,
    ) -> Result<(), Failed> {
        let file = self.base(path, span)?;
        if file.content.is_binary() {
            return self.fail(span, Error::Binary { path: path.clone(), content: Some(file.content) });
        }
        let mut open = match self.open.remove(path) {
            Some(open) => open,
            None => Open {
                document: Document::new(file.content, self.needles(path)),
                mode: file.mode,
                indentation: OnceCell::new(),
                is_ahead: false,
            },
        };
        let document = &mut open.document;
        let done = match by_text::place(path, document, substitution, self.rules, &self.effort) {
            Ok(done) => {
                self.warnings.extend(done.warnings);
                self.note(path, [done.placed]);
                if !(done.range.is_empty() && done.new.is_empty()) {
                    self.lint_substitution(path, edit, document, &open.indentation, (&done.range, &done.new));
                    document.replace(done.range, &done.new);
                    open.is_ahead = true;
                }
                if open.is_ahead && self.overlay.keeps(path) {
                    self.overlay.put(path, File { content: document.content(), mode: open.mode });
                    open.is_ahead = false;
                }
                Ok(())
            }
            Err(error) => {
                let lost = self.overlay.lost(path);
                let texts = substitution.find.iter().map(|line| &line[..]);
                let follows = place::follows_from(&error.value, texts, lost);
                lost.extend(substitution.put.iter().map(|line| line.to_vec()));
                if !follows {
                    let file = File { content: document.content(), mode: open.mode };
                    let error = self.unfound(path, &file, substitution, error);
                    self.errors.push(Located::new(error.span.or(span), error.value));
                }
                Err(Failed::Partly)
            }
        };
        self.open.insert(path.clone(), open);
        done
    }

    /// Returns what this and the following edits look for in a file, up to the next one that isn't of this kind.
    fn needles(&self, path: &RepoPath) -> Vec<Needle> {
        let following = self.edits[self.number..].iter().map_while(|edit| match &edit.operation {
            Operation::Substitute(substitution) => Some((edit, substitution)),
            _ => None,
        });
        let of_file = following.filter(|(edit, _)| {
            self.resolver.resolve(edit.root.as_deref(), &edit.path).is_ok_and(|resolved| resolved == *path)
        });
        of_file.flat_map(|(_, substitution)| by_text::needles(substitution)).collect()
    }

    /// Puts down what edits of open files have come to.
    pub(super) fn settle(&mut self) {
        for (path, open) in std::mem::take(&mut self.open) {
            if open.is_ahead {
                self.overlay.put(&path, File { content: open.document.content(), mode: open.mode });
            }
        }
    }

    /// Looks at what a substitution is about to make of a file.
    fn lint_substitution(
        &mut self,
        path: &RepoPath,
        edit: &FileEdit<'_>,
        document: &Document,
        indentation: &OnceCell<Option<Blank>>,
        (range, new): (&Range<usize>, &[u8]),
    ) {
        for found in lint::in_document(edit, document, indentation, (range, new)) {
            self.warn(found.span, Warning::Found { path: path.clone(), finding: found.value });
        }
        if self.history.note(path, range.start, &document.slice(range.clone()), new) {
            self.warn(edit.span, Warning::Found { path: path.clone(), finding: Finding::Undone });
        }
    }
}
