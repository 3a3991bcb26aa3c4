//! Takes a response apart: one walk, from top to bottom, over what its lines can begin
//! ([`lines`](super::lines)).
//!
//! The result is a tree of parts: fences, comments, what the model thinks aloud, quotations, patches. A patch
//! is read where it begins, by its format, which says where it ends; whatever is inside starts nothing. No
//! part is looked at twice, and nothing found is taken back: what a part means is asked of the tree, when all
//! of it is there ([`Parts::role`]).

mod open;
mod patches;
#[cfg(test)]
mod tests;
mod walk;

use std::ops::Range;

use bstr::BString;

use super::marks::{MarkAt, MarkOf};
use super::{Block, Error, NoPatch, Warning};
use crate::patch::Format;
use crate::text::{LineNo, Located, Span};

#[cfg(test)]
pub(crate) use walk::MOST_EDITS;
pub(crate) use walk::delimit;

/// The parts of a response, in the order in which they begin.
#[derive(Debug, Default)]
pub(crate) struct Parts<'a> {
    pub(crate) all: Vec<Part<'a>>,
    /// The bases that the response states, each once.
    pub(crate) bases: Vec<Located<BString>>,
    /// How many lines were classified; each is a step of work.
    pub(crate) steps: usize,
    /// The closing marks that nothing opened, by their indices.
    lone_marks: Vec<usize>,
}

/// A part of a response.
#[derive(Debug)]
pub(crate) struct Part<'a> {
    pub(crate) what: What<'a>,
    /// From its first byte to behind its last.
    pub(crate) range: Range<usize>,
    /// The part that it is in, by its index.
    pub(crate) within: Option<usize>,
}

/// What a part is.
#[derive(Debug)]
pub(crate) enum What<'a> {
    Fence,
    /// A comment of HTML; one that never closes hides nothing.
    Comment {
        is_closed: bool,
    },
    /// What a mark opens: what the model thinks aloud, or what a tool returned. Nothing in it is read, but
    /// for where a patch would begin.
    Marked {
        open: MarkAt<'a>,
        is_closed: bool,
        patch: Option<(Format, Span)>,
    },
    /// A closing mark that nothing opened: all before it is a draft.
    LoneMark(MarkAt<'a>),
    /// A closing mark in a fence, where it is text if the fence is closed.
    FencedMark(MarkAt<'a>),
    /// The token of a chat that is written down.
    Chat(MarkAt<'a>),
    /// What the response is refused for.
    Refused(Box<Error>),
    /// A line behind `>` that would begin a patch.
    Quotation(Format),
    Patch(Box<Block<'a>>),
    /// A patch in JSON that isn't read.
    Unread(Format, NoPatch),
    /// What shows that something of a patch was lost.
    Loss(Format, NoPatch),
    /// What is nearly a patch.
    Nearly(NoPatch),
    Told(Box<Warning>),
}

/// What a part means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// Its patches are read.
    Answer,
    /// What the model thinks aloud.
    Draft,
    /// What is shown or commented out.
    Quotation,
    /// What a tool returned.
    Result,
}

impl Parts<'_> {
    /// Returns what a part means, by the parts that it is in and the marks behind it; and the part that says
    /// so.
    pub(crate) fn role(&self, index: usize) -> (Role, Option<usize>) {
        let mut at = Some(index);
        while let Some(part) = at {
            let role = match &self.all[part].what {
                What::Comment { is_closed: true } | What::Quotation(_) => Role::Quotation,
                What::Marked { open, .. } if open.mark.of == MarkOf::Result => Role::Result,
                What::Marked { .. } => Role::Draft,
                _ => {
                    at = self.all[part].within;
                    continue;
                }
            };
            return (role, Some(part));
        }
        let behind = self.lone_marks.partition_point(|&mark| mark <= index);
        match self.lone_marks.get(behind) {
            Some(&mark) => (Role::Draft, Some(mark)),
            None => (Role::Answer, None),
        }
    }
}

impl What<'_> {
    pub(super) fn is_patch(&self) -> bool {
        matches!(self, What::Patch(_))
    }

    /// Returns the line that should have begun the envelope that was lost.
    pub(crate) fn begin(&self) -> Option<LineNo> {
        match self {
            What::Loss(_, NoPatch::StrayHeader { begin, .. }) => *begin,
            _ => None,
        }
    }

    pub(super) fn loses_an_envelope(&self) -> bool {
        matches!(self, What::Loss(_, loss) if loss.loses_an_envelope())
    }
}
