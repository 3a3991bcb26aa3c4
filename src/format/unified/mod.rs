//! git's own unified diff.
//!
//! Reads one file's section at a time, from `diff --git` or `--- ` to the last line of its last hunk. Where sections stand in
//! an answer is for [`super::detect`] to find; where their lines stand in files is for planning.
//!
//! A section with a fault in it leaves an edit that is [`Unreadable`](crate::patch::Operation::Unreadable), so that nobody
//! takes half of what it says for all of it.
//!
//! # Where hunks end
//! The numbers in a hunk's header say how many lines it has, and nothing else ends it, so a unified diff may be content of a
//! unified diff. Models count badly, though. Where the lines that are there aren't as many as claimed, the hunk goes on to
//! what can be no line of it: a header, a Markdown fence, the end of the response. It goes on, too, where lines with a `+`
//! or `-` follow at once on one that is complete by its numbers, since the other reading would drop them.
//! - In a fence, and directly behind a hunk anywhere, lines with `+` or `-` count as following at once even if others stand
//!   between; out of a fence, a paragraph behind a blank line is prose.
//! - `-- ` and a version number behind a hunk are what mail ends with.
//! - A hunk with fewer lines than claimed is cut off, not miscounted, if the response ends in it within a line or an open
//!   fence.
//!
//! # Where the contract on the formats is silent
//! - `\ No newline at end of file` is any line that begins with `\ `; it must follow the last line of its side.
//! - Names are cut at a tab, behind which `diff -u` writes the time. git quotes names with tabs.
//! - Names in `rename from` and the like have no prefix. `---`, `+++` and `diff --git` must agree with them, and with one
//!   another, with their prefix or without.
//! - An `index` line that can't be read is no fault: it says nothing that an edit needs.
//! - Hunks may follow `diff --git` without `---` and `+++`, as in git.
//! - A new file has one hunk or none.

mod fault;
mod header;
mod hunk;
mod names;
mod parse;
mod print;
mod quote;
mod rows;
mod stat;
#[cfg(test)]
mod tests;

pub use fault::{Fault, Warning};
pub(crate) use hunk::is_header as is_hunk_header;
pub use parse::{Around, Block, parse_block, starts_here};
pub use print::{Style, print};
pub use quote::Quoting;
pub use stat::{Termination, numstat, stat, summary};
