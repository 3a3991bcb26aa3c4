//! What a response is read as.

use bstr::BString;

use super::{Block, Error, Session, Warning};
use crate::patch::{Format, Patch};
use crate::text::{Located, Span};

/// What was read from a response: everything that could be, and everything that is wrong with the
/// rest.
#[derive(Debug)]
pub struct Parsed<'a> {
    /// The edits. With errors beside it, it is good for finding more errors and for nothing else.
    pub patch: Patch<'a>,
    /// Why the response can't be applied; none if it can, as far as its text goes.
    pub errors: Vec<Located<Error>>,
    /// What was dropped or guessed.
    pub warnings: Vec<Located<Warning>>,
    /// The revisions that it says it is about, each once: what `<opx>` has for a `base`, or else a
    /// line `Base: <id>` before the patches.
    pub bases: Vec<Located<BString>>,
    /// The parts of the response that have patches, in order, whether they are read or not.
    pub parts: Vec<ResponsePart>,
    /// The calls of the session that it is a part of.
    pub(crate) session: Session,
}

/// A part of a response that has a patch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResponsePart {
    /// Where the patch begins.
    pub span: Option<Span>,
    /// What the part is: `answer`, `draft`, `quotation`, `undone-call`, …
    pub role: &'static str,
    /// The format of the patch, if it is known.
    pub format: Option<Format>,
    /// The directory in which the patch is meant; empty for the top.
    pub directory: String,
    /// Why it isn't read; `None` if it is.
    pub why: Option<String>,
    /// The call that asks for it, if one does.
    pub call: Option<PartCall>,
}

/// A call of a tool that asks for a patch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartCall {
    /// Its number among the calls of the response, from 1.
    pub number: usize,
    /// The id that the response gives it.
    pub id: Option<String>,
    /// The name of the tool; empty if none is named.
    pub tool: String,
    /// The paths of its edits, as the response writes them.
    pub paths: Vec<BString>,
}

impl ResponsePart {
    /// Makes one of a patch that isn't read, at the top or where its directory doesn't matter.
    pub(super) fn unread(
        format: Format,
        span: Option<Span>,
        role: &'static str,
        why: String,
    ) -> Self {
        Self {
            span,
            role,
            format: Some(format),
            directory: String::new(),
            why: Some(why),
            call: None,
        }
    }
}

impl Parsed<'_> {
    /// Returns what is read of a response in a format that asks for nothing.
    pub(crate) fn of(format: Format) -> Self {
        Self {
            patch: Patch {
                format,
                edits: Vec::new(),
            },
            errors: Vec::new(),
            warnings: Vec::new(),
            bases: Vec::new(),
            parts: Vec::new(),
            session: Session::default(),
        }
    }

    /// Returns whether there is a patch, even a patch that can't be read.
    pub fn has_patch(&self) -> bool {
        !self.patch.edits.is_empty()
            || self
                .errors
                .iter()
                .any(|error| !matches!(error.value, Error::NoPatch(_)))
    }

    /// Returns what was read of a text that is decoded from another, as a block of that.
    pub(crate) fn into_block(self, place: &dyn Fn(Span) -> Span) -> Block<'static> {
        let block = Block {
            edits: self.patch.edits,
            errors: self.errors,
            warnings: self.warnings,
            ..Block::empty(self.patch.format, 0..0)
        };
        block.relocated(place)
    }
}
