//! Where does this stand in that? Slices in, places or a miss out; no files, no formats, no decision what to do about it.
//!
//! [`Haystack`] finds runs of whole lines, exactly or at a level of [`Tolerance`], [`Locators`] the one line that a loose
//! `@@` text may mean, [`Needle`] a literal text anywhere, [`Nearness`] the closest miss. All of them compare bytes and look
//! through line ends (LF finds CRLF), and no search is slower than linear
//! in the file, whatever the patch and the file look like: both come from strangers.

mod align;
mod kmp;
mod locator;
mod nearest;
mod occurrence;
mod places;
mod plain;
#[cfg(test)]
mod reference;
mod seek;
mod shift;
mod tolerance;
mod word;

pub use align::{Ends, Gap, Near, align};
pub use locator::{Locators, Loose, Relaxation};
pub use nearest::{Effort, Nearness};
pub use occurrence::{Bounds, Needle, Several};
pub use places::Places;
pub use plain::{ascii, plain};
pub use seek::{Haystack, Run};
pub use shift::Shift;
pub use tolerance::Tolerance;
pub use word::{Side, cuts_word};
