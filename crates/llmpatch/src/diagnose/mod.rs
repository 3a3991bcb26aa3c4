//! What is said of an error or a warning beside its headline: labels, places, notes, help, advice
//! to the model.
//!
//! Errors are data, and their `Display` is the headline. Here each of them is turned into a
//! [`Diagnosis`], in one `match` arm a variant, so that all that is said of it is together and is
//! found by searching for its name. Rooms that make errors know nothing of this one.

mod closest;
mod difference;
mod format;
mod leftover;
mod lines;
mod lint;
mod merge;
mod path;
mod place;
mod plan;
mod remedy;

pub use lines::{FileLine, FilePlace, Nearest, Passage};

use std::fmt;

use bstr::BString;

use crate::kind::Kind;
use crate::text::{LineNo, Span};

/// What helps where a response would make more of files than is allowed.
const TOO_MUCH: &str = "make fewer places of it, in edits with more of the text around each; LIMITS in \
                        `git llmpatch help` says how much may be added";

/// What is said of an error or a warning beside its headline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnosis {
    /// The stable kind.
    pub kind: Kind,
    /// Whether it is only noticed, rather than an error. A kind that is noticed may be told to be
    /// an error.
    pub is_warning: bool,
    /// The few words under the marked place in the response, such as `this line is not there`.
    pub label: Option<String>,
    /// The part of the marked place in the response that differs, if that is known.
    pub mark: Option<Span>,
    /// Other places in the responses of which the same is true.
    pub also: Vec<Span>,
    /// The place in the responses that makes it an error here, such as an earlier edit of the same
    /// lines.
    pub cause: Option<Span>,
    /// The path this is about, as the response wrote it.
    pub path: Option<BString>,
    /// The places in files that a reader should look at, best first.
    pub places: Vec<FilePlace>,
    /// The place that comes nearest to what was looked for.
    pub nearest: Option<Nearest>,
    /// The line of the file that this is about, where that is none of the other places.
    pub line: Option<LineNo>,
    /// The lines, ascending, among which nothing decides.
    pub candidates: Vec<LineNo>,
    /// What the file holds around the places in question, for somebody who can't look at it.
    pub passages: Vec<Passage>,
    /// Whether it is that the change is in the file already, as it seems.
    pub is_made: bool,
    /// Whether it is a way of writing that spoils every place alike, so that all that are advised
    /// the same are one.
    pub is_habit: bool,
    /// Further facts, one sentence each.
    pub notes: Vec<String>,
    /// What to do about it.
    pub help: Option<String>,
    /// What the model can do about it, where the help is of use only to somebody at the command
    /// line.
    pub advice: Option<String>,
}

impl Diagnosis {
    /// Makes one that says nothing beside the headline.
    pub fn new(kind: Kind) -> Self {
        Self {
            kind,
            is_warning: kind.is_warning(),
            label: None,
            mark: None,
            also: Vec::new(),
            cause: None,
            path: None,
            places: Vec::new(),
            nearest: None,
            line: None,
            candidates: Vec::new(),
            passages: Vec::new(),
            is_made: false,
            is_habit: false,
            notes: Vec::new(),
            help: None,
            advice: None,
        }
    }

    /// Adds the few words under the marked place in the response.
    #[must_use]
    pub fn label(self, label: impl Into<String>) -> Self {
        Self {
            label: Some(label.into()),
            ..self
        }
    }

    /// Adds the path that it is about.
    #[must_use]
    pub fn path(self, path: &(impl AsRef<[u8]> + ?Sized)) -> Self {
        Self {
            path: Some(path.as_ref().into()),
            ..self
        }
    }

    /// Adds a further fact.
    #[must_use]
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }

    /// Adds further facts.
    #[must_use]
    pub fn notes(mut self, notes: impl IntoIterator<Item = String>) -> Self {
        self.notes.extend(notes);
        self
    }

    /// Adds what to do about it.
    #[must_use]
    pub fn help(self, help: impl Into<String>) -> Self {
        Self {
            help: Some(help.into()),
            ..self
        }
    }

    /// Adds what the model can do about it.
    #[must_use]
    pub fn advice(self, advice: impl Into<String>) -> Self {
        Self {
            advice: Some(advice.into()),
            ..self
        }
    }
}

/// An error or a warning of which something can be said.
///
/// `Display` is the headline: small first letter, no full stop, paths in backticks and through
/// [`crate::text::Shown`].
pub trait Diagnose: fmt::Display {
    /// Returns what is said of it beside the headline.
    fn diagnosis(&self) -> Diagnosis;
}
