//! OPX: `<edit file=… op=…>` elements whose payloads are literal.
//!
//! ```text
//! <edit file="src/api.rs" op="patch">
//!   <why>Time out slow calls</why>
//!   <find occurrence="first">
//! <<<
//! fn call() {
//! >>>
//!   </find>
//!   <put>
//! <<<
//! fn call(timeout: Duration) {
//! >>>
//!   </put>
//! </edit>
//! ```
//!
//! It looks like XML and is none: nothing in a payload is ever decoded, and whatever is in it may
//! look like a tag. So tags are read one at a time, where the grammar allows one, and payloads line
//! by line.
//!
//! What is not here: finding the edits among the prose of a response, and all that needs a file.
//!
//! The invariant: an edit is either read whole, to the letter, or there is an error and it is in
//! the model as [`Operation::Unreadable`](crate::patch::Operation::Unreadable). Reading goes on
//! behind it. What can be taken in two ways is an error, and what is passed over is a warning. Time
//! is linear in the length of the response, and no depth of nesting costs stack.
//!
//! Decisions of this reader, where the format is silent:
//!
//! - Whitespace is spaces and tabs. A marker's line may have it around it; a lone CR is an ordinary
//!   byte there too.
//! - A quoted value ends on its line, and no two attributes touch: a forgotten quote then can't go
//!   unnoticed.
//! - A `<why>` may hold anything up to its `</why>` but another edit, another `<why>`, or a line
//!   that begins with one of the format's tags; that is a note that isn't closed. A note of nothing
//!   but whitespace is none.
//! - A comment between the children of an edit, or between edits, is ignored with a warning, as an
//!   unknown element is; a comment that runs over the end of the edit is text.
//! - An unknown element ends at its first closing tag, before which neither `</edit>` nor an edit
//!   may begin.
//! - Between the edits of an `<opx>`, text is ignored with a warning, but for what shows that
//!   something was lost: a closing tag of the format, a line that is only `>>>`, a header of the
//!   envelope. These are errors.
//! - An `<opx>` that holds no edit is an error.
//! - `occurrence` is digits, or `first` or `last`, without whitespace around them.
//! - No more than the first thousand errors and as many warnings of a top-level element are kept.

mod children;
mod edit;
mod error;
mod literal;
mod parse;
mod print;
mod reader;
mod tags;
#[cfg(test)]
mod tests;
mod work;

pub(crate) use error::{Error, NoEnd, Warning};
pub(crate) use literal::closing_tag;
pub(crate) use parse::{base, parse_block};
pub(crate) use print::print;
pub(crate) use tags::starts_here;

/// The operations that `op` knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    /// Makes a file.
    New,
    /// Puts a text in place of another.
    Patch,
    /// Replaces all of a file.
    Replace,
    /// Deletes a file.
    Remove,
    /// Renames a file.
    Move,
}

impl Op {
    const ALL: [Op; 5] = [Op::New, Op::Patch, Op::Replace, Op::Remove, Op::Move];

    /// Returns the operation of a name, in any case.
    pub(crate) fn named(written: &[u8]) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|op| written.eq_ignore_ascii_case(op.name().as_bytes()))
    }

    /// Returns the name.
    pub fn name(self) -> &'static str {
        match self {
            Op::New => "new",
            Op::Patch => "patch",
            Op::Replace => "replace",
            Op::Remove => "remove",
            Op::Move => "move",
        }
    }

    /// Returns the children that it needs, one of each.
    pub(crate) fn needs(self) -> &'static [Child] {
        match self {
            Op::New | Op::Replace => &[Child::Put],
            Op::Patch => &[Child::Find, Child::Put],
            Op::Remove => &[],
            Op::Move => &[Child::To],
        }
    }
}

/// The elements that an `<edit>` may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Child {
    /// The text to look for.
    Find,
    /// The text to put.
    Put,
    /// Where a file moves to.
    To,
    /// A note of the model.
    Why,
}

impl Child {
    pub(crate) const ALL: [Child; 4] = [Child::Find, Child::Put, Child::To, Child::Why];

    /// Returns the child of a name, in any case.
    pub(crate) fn named(written: &[u8]) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|child| written.eq_ignore_ascii_case(child.name().as_bytes()))
    }

    /// Returns the element's name.
    pub fn name(self) -> &'static str {
        match self {
            Child::Find => "find",
            Child::Put => "put",
            Child::To => "to",
            Child::Why => "why",
        }
    }
}
