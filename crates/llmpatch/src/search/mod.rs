//! Where is this text in that file? All places in order, as byte offsets or lines; no files, no
//! formats, no choice among places.
//!
//! A file is compared with LF for CRLF, or with every line in the form that it has at a level of
//! [`Fuzz`]. A [`Needle`] is a text to find in it: whole lines, or part of a line up to part of
//! another. A [`Document`] reads the file once for all needles, so that a thousand edits cost
//! little more than one, and goes on as edits change it: it knows the [`Matches`] of any needle,
//! and the places of a [`Run`] of whole lines. [`Locators`] find the one line that a loose `@@`
//! text may mean, [`IndentedBlock`] what it opens, a [`LineIndex`] what a file has instead of lines
//! that it was [expected](Sought) to hold. No search is
//! slower than linear in the file, whatever response and file look like: both come from strangers.

mod align;
mod block;
mod document;
mod fresh;
mod fuzz;
mod kmp;
mod locator;
mod many;
mod matches;
mod nearest;
mod needle;
mod places;
mod plain;
#[cfg(test)]
mod reference;
mod sieve;
mod sought;
mod spliced;
#[cfg(test)]
mod tests;
mod view;
mod word;

pub(crate) use align::{Alignment, Ends, Gap, is_telling, is_version};
pub(crate) use block::IndentedBlock;
pub(crate) use document::Document;
pub use fuzz::Fuzz;
pub(crate) use fuzz::Shift;
pub(crate) use locator::{Locators, Loose, Relaxation};
pub(crate) use matches::{Matches, Run};
pub(crate) use nearest::{Effort, LineIndex, has_all};
pub(crate) use needle::{Bounds, Needle};
pub(crate) use plain::{ascii, looks};
pub(crate) use sieve::Sieve;
pub(crate) use sought::{Counterpart, Sought};
pub(crate) use view::first;
pub(crate) use word::{Side, cuts_word};
