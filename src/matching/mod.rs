//! Where does this stand in that? Slices in, places or a miss out; no files, no formats, no decision what to do about it.
//!
//! [`Haystack`] finds runs of whole lines. It compares bytes, looks through line ends (LF finds CRLF), and is never slower
//! than linear in the file, whatever the patch and the file look like: both come from strangers.

mod kmp;
mod places;
#[cfg(test)]
mod reference;
mod seek;

pub use places::Places;
pub use seek::{Haystack, Run};
