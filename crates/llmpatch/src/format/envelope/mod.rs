//! The envelope: `*** Begin Patch` … `*** End Patch`.
//!
//! Reads one envelope, from its Begin to its End. Where envelopes are in a response is for
//! [`crate::response`] to find; where their lines are in files is for planning.
//!
//! The reader goes on after an error, and keeps this: a section with an error in it leaves an edit
//! that is [`Unreadable`](crate::patch::Operation::Unreadable), so that nobody takes half of what a
//! section says for all of it.
//!
//! # Where the format's descriptions are silent
//! - Whitespace around a path is trimmed, and `*** Add File:x` needs no space. The rest of a path
//!   is kept as it is; an empty one is refused where paths are.
//! - Empty lines mean nothing between Begin and the first file header, between `*** End of File`
//!   and what follows it, and between `*** Update File:` and `*** Move to:`.
//! - Whitespace before a header or an End is passed over, with a warning, where a line that begins
//!   with it can't be one of a file: before the first header, and in the section of an added or a
//!   deleted file.
//! - `@@` followed by whitespace only is a bare `@@`; `@@ -1,7 +1,8` without the second `@@` claims
//!   line numbers as well.
//! - A first chunk without `@@` begins right behind the header: an empty line before its first line
//!   is its first line.
//! - `--- ` and `+++ ` right after a file header are a unified diff's headers if they come as a
//!   pair or name `a/`, `b/` or `/dev/null`; another `--- ` is a removed line `-- `, as in SQL.
//! - `*** End of File` that follows no chunk is an error, and so is a Begin inside an envelope.
//! - An envelope that its End has something glued to (`*** End Patch```` `) ends there, so that
//!   what follows is not misread.
//! - Lines in a row that can't be read are one error. After twenty errors of a section the rest is
//!   only counted.

mod error;
mod findings;
mod marker;
mod parse;
mod print;
mod section;
#[cfg(test)]
mod tests;

pub(crate) use error::{Error, NearEnd, Warning};
pub(crate) use marker::{Habit, Meant, Verb, boundary};
pub(crate) use marker::{Marker, meant, read as read_marker};
pub(crate) use parse::{parse_block, starts_here};
pub(crate) use print::print;
