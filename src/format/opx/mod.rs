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
//! It looks like XML and is none: nothing in a payload is ever decoded, and whatever stands there may look like a tag. So
//! tags are read one at a time, where the grammar lets one stand, and payloads line by line.
//!
//! What is not here: finding the edits among the prose of an answer, and all that needs a file.
//!
//! The invariant: an edit is either read whole, to the letter, or there is a fault and it stands in the model as
//! [`Operation::Unreadable`](crate::patch::Operation::Unreadable). Reading goes on behind it. What can be taken in two
//! ways is a fault, and what is passed over is a warning. Time is linear in the length of the response, and no depth of
//! nesting costs stack.
//!
//! Decisions of this reader, where the format is silent:
//!
//! - Blanks are spaces and tabs. A marker's line may have them around it; a lone CR is an ordinary byte there too.
//! - A quoted value ends on its line, and no two attributes touch: a forgotten quote then can't go unnoticed.
//! - A `<why>` may hold anything up to its `</why>` but another edit, another `<why>`, or a line that begins with one of
//!   the format's tags; that is a note that isn't closed. A note of nothing but blanks is none.
//! - A comment between the children of an edit, or between edits, is ignored with a warning, as an unknown element is; one
//!   that runs over the end of the edit is text.
//! - An unknown element ends at its first closing tag, before which neither `</edit>` nor an edit may begin.
//! - Between the edits of an `<opx>`, text is ignored with a warning, but for what shows that something was lost: a closing
//!   tag of the format, a line that is only `>>>`, a header of the envelope. These are faults.
//! - An `<opx>` that holds no edit is a fault.
//! - `occurrence` is digits, or `first` or `last`, without blanks around them.
//! - Of one top-level element, no more than the first thousand faults and as many warnings are kept.

mod edit;
mod fault;
mod indentation;
mod literal;
mod parse;
mod print;
mod tags;
#[cfg(test)]
mod tests;
mod work;
mod wrapper;

use crate::patch::FileEdit;
use crate::text::Located;

pub use fault::{Child, Fault, Oddity, Op, Problem, Reason, Warning};
pub use literal::Holder;
pub use parse::parse_block;
pub use print::print;
pub use tags::starts_here;

/// What was read of one top-level element: an `<edit>`, or an `<opx>` with all that it holds.
#[derive(Debug)]
pub struct Block<'a> {
    /// Offset behind the closing tag. Of an element that isn't closed: where the next edit begins, if that can be told, or
    /// else the end of the response. Always behind the `<` where reading began.
    pub end: usize,
    /// The edits, in order. One whose file isn't known is left out.
    pub edits: Vec<FileEdit<'a>>,
    /// Why it can't be applied, in the order of the response.
    pub faults: Vec<Located<Fault>>,
    /// What was ignored or guessed, in the order of the response.
    pub warnings: Vec<Located<Warning>>,
}
