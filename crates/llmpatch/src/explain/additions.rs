//! What explanations add to a diagnostic.

use std::sync::Arc;

use crate::path::RepoPath;
use crate::report::{Diagnostic, Nearest, Place};

impl Diagnostic {
    /// Adds a place in a file that a reader should look at.
    pub(super) fn shows(self, place: Place) -> Self {
        Self {
            places: vec![place],
            ..self
        }
    }

    /// Adds the place in a file that comes nearest to what was looked for.
    pub(super) fn at(self, place: Place) -> Self {
        let nearest = Nearest::new(
            place.first.line,
            place.first.line,
            place.first.excerpt.text(),
        );
        Self {
            nearest: Some(nearest),
            ..self.shows(place)
        }
    }

    /// Adds what to do about what went wrong when the patch was written; the model is told the
    /// same.
    pub(super) fn habit(self, help: &str) -> Self {
        self.help(help).advice(help)
    }

    /// Sets the path, if only one file is concerned.
    pub(super) fn of_one(self, paths: &[RepoPath]) -> Self {
        match paths {
            [path] => self.path(path),
            _ => self,
        }
    }

    /// Adds the path of a section, if it has one.
    pub(super) fn of_section(self, path: &Option<Arc<[u8]>>) -> Self {
        Self {
            path: path.as_ref().map(|path| path[..].into()),
            ..self
        }
    }
}
