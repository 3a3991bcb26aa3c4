//! The children of an edit, and the operation that they make.

use std::ops::Range;

use super::{Child, Op};
use crate::patch::{Occurrence, Operation, Substitution};
use crate::text::{Text, is_spaces};

/// What was read of an edit's children.
#[derive(Default)]
pub(super) struct Children<'a> {
    /// Which there are, each once, and where.
    pub(super) seen: Vec<(Child, Range<usize>)>,
    pub(super) find: Option<Vec<Text<'a>>>,
    pub(super) put: Option<Vec<Text<'a>>>,
    pub(super) to: Option<Text<'a>>,
    pub(super) why: Option<Text<'a>>,
    pub(super) occurrence: Occurrence,
    /// Whether the edit was read to its end, so that what is missing is missing.
    pub(super) complete: bool,
}

impl<'a> Children<'a> {
    /// Returns the note, and the operation if nothing is wrong with it.
    pub(super) fn operation(self, op: Option<Op>) -> (Option<Text<'a>>, Operation<'a>) {
        let Children {
            find,
            put,
            to,
            why,
            occurrence,
            ..
        } = self;
        let operation = match (op, find, put, to) {
            (Some(Op::New), None, Some(lines), None) => Operation::Create {
                lines: without_blank_edges(lines),
                fills_empty: false,
                ends_open: false,
            },
            (Some(Op::Replace), None, Some(lines), None) => Operation::Replace {
                lines: without_blank_edges(lines),
            },
            (Some(Op::Remove), None, None, None) => Operation::Delete { expected: None },
            (Some(Op::Move), None, None, Some(to)) => Operation::Move { to },
            (Some(Op::Patch), Some(find), Some(put), None) => Operation::Substitute(Substitution {
                find,
                put,
                occurrence,
                written: None,
            }),
            _ => Operation::Unreadable,
        };
        (why, operation)
    }
}

// What a plan may drop of a find is another thing: lines of any ASCII whitespace.
fn without_blank_edges(mut lines: Vec<Text<'_>>) -> Vec<Text<'_>> {
    let full = |line: &Text<'_>| !is_spaces(line);
    lines.truncate(lines.iter().rposition(full).map_or(0, |last| last + 1));
    lines.drain(..lines.iter().position(full).unwrap_or(0));
    lines
}
