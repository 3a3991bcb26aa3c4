//! Search/replace blocks, as aider, Cline and Roo have models write them.
//!
//! ```text
//! src/app.py
//! <<<<<<< SEARCH
//!     return str(factorial(n))
//! =======
//!     return str(math.factorial(n))
//! >>>>>>> REPLACE
//! ```
//!
//! Reads one block at a time, and what is around blocks line by line, which says what files they
//! are about. A block is an edit: its old lines are whole lines of the file, in a row and exact;
//! where they are is for planning.
//!
//! The invariant: a block is either read whole or there is an error, and it is in the model as
//! [`Operation::Unreadable`](crate::patch::Operation::Unreadable). What can be taken in two ways is
//! an error.
//!
//! # Where the format's descriptions are silent
//! - Markers have five to nine signs. The line between old and new lines is the only line of `=`,
//!   or else the only line of `=` that is as long as the first line of the block.
//! - A whole conflict of git's within one section is text, and so are the markers of the other
//!   family.
//! - A backslash before what would be a marker is left out, unless the file holds the old lines
//!   with it.
//! - A bare word, such as `Makefile`, is a path only right above a block or its fence. One before a
//!   colon, or with a full stop behind it, must be a file that is there: it may be a word that
//!   introduces the block.
//! - `<source>`, perhaps with a language behind it, and `</source>` are a fence: aider asks for
//!   them where the content has backticks.
//! - A fence whose only line is a path and that isn't closed ends where the next fence begins.
//! - A sentence between two blocks ends what the first one says of its file.

mod error;
pub(crate) mod marker;
pub(crate) mod parse;
pub(crate) mod path;
mod print;
#[cfg(test)]
mod tests;

pub(crate) use error::{Error, Warning};
pub(crate) use marker::{is_cut, opener};
pub(crate) use print::print;
