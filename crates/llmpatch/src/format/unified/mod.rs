//! git's own unified diff.
//!
//! Reads one file's section at a time, from `diff --git` or `--- ` to the last line of its last
//! hunk. Where sections are in a response is for `response` to find; where their lines are in
//! files is for planning.
//!
//! A section with an error in it leaves an edit that is
//! [`Unreadable`](crate::patch::Operation::Unreadable), so that nobody takes half of what it says
//! for all of it.
//!
//! # Where hunks end
//! The numbers in a hunk's header say how many lines it has. Models count badly, though.
//! - Where the counts are met, and what follows can't belong to the hunk, it ends: a unified diff may
//!   be content of a unified diff. Outside of a fence, a tag or a string, which say where
//!   the diff ends, an empty line ends it there, too: a list in prose is no content.
//! - Else the counts are wrong. The hunk goes on to what can be no line of any: a header, or the end
//!   of the Markdown fence around the diff; once it has as many lines as it claims, text without a
//!   prefix; and outside of a fence a paragraph of prose, or a list, behind an empty line. Blank
//!   lines at its end are none of it.
//! - The names of the next file aren't content, though the counts reach across them, where a hunk
//!   that has context is above them and a hunk below: content has context behind it, or the file's
//!   end.
//! - No fence ends a hunk where changes follow at once, and neither does a line that `diff` or
//!   version control writes between sections: that line is the file's, and lacks its prefix.
//! - Where something says where the diff ends, no line with a prefix is left out: below text that
//!   ends a hunk it is refused. In prose, and behind the end of the fence, lines that look like hunk
//!   lines are warned of.
//! - `-- ` behind a hunk in prose, with no further line of it behind that, is what is above the
//!   signature of a mail.
//! - A hunk with fewer lines than claimed is cut off, not miscounted, if nothing but empty lines
//!   follows it. Where one of its lines contradicts the counts, they are wrong for certain: then
//!   only if the response ends within a line or an open fence.
//!
//! # Where the contract on the formats is silent
//! - `\ No newline at end of file` is any line that begins with `\ `; it must follow the last line
//!   of its side.
//! - Names are cut at a tab, behind which `diff -u` writes the time. git quotes names with tabs.
//! - Names in `rename from` and the like have no prefix. `---`, `+++` and `diff --git` must agree
//!   with them, and with one another, with their prefix or without.
//! - An `index` line that can't be read is no error: it says nothing that an edit needs.
//! - Hunks may follow `diff --git` without `---` and `+++`, as in git.
//! - A new file has one hunk or none.
//! - A header that knows of an old file, by its id or mode, isn't of a new file, though its only
//!   hunk is `@@ -0,0 …`: so git shows lines added above the first line where it shows no context.
//! - A letter before `/dev/null` is no directory, unless it is before both names.
//! - The epoch on both sides, as reproducible archives have it, says of neither that it is absent.
//! - In a header without numbers, dots and what begins with `-` stand for numbers; of two texts,
//!   `@@ … @@ text`, the text behind is the context line. In a fence that isn't closed a hunk
//!   without numbers, which has no counts, is cut off.
//! - A hunk is a word diff if it has that format's marks and can't be read, or is only context, or
//!   has an added line that is an old line but for marks.

mod error;
mod header;
mod hunk;
mod hunk_header;
mod hunk_lines;
mod line_kind;
mod names;
mod parse;
mod print;
mod quote;
mod rows;
mod stat;
#[cfg(test)]
mod tests;
mod time;
mod word_diff;

pub use error::{Error, Warning};
pub(crate) use hunk_header::is_header as is_hunk_header;
pub(crate) use parse::{parse_block, starts_here};
pub use print::print;
pub use quote::Quoting;
pub(crate) use rows::{HunkSurroundings, hunk_begins, names_commit};
pub use stat::{FileStat, Termination, name_only, numstat, stat, summary, total};
