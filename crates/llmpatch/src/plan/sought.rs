//! What hunks and finds look for, as whoever explains why it isn't there searches for it again.

use std::borrow::Cow;

use super::exchange::is_framed;
use super::place::{TextOf, texts};
use crate::patch::{Hunk, HunkLine};
use crate::search::{Ends, Sought, is_telling};
use crate::text::Text;

impl Sought {
    /// Takes the lines of a hunk; `text` is what is compared of a line.
    pub(super) fn of_hunk(hunk: &Hunk<'_>, text: TextOf, from: usize) -> Self {
        let owned = |line: &HunkLine<'_>| Text {
            bytes: Cow::Owned(text(line).to_vec()),
            span: line.text.span,
        };
        let mut added = hunk.added();
        let is_kept = |line: &&HunkLine<'_>| is_telling(text(line));
        let says_enough = match added.clone().next() {
            Some(_) => added.any(|line| is_telling(text(line))),
            None => is_framed(hunk) && hunk.new_lines().filter(is_kept).count() > 1,
        };
        Self {
            old: hunk.old().map(owned).collect(),
            new: if says_enough {
                hunk.new_lines().map(owned).collect()
            } else {
                Vec::new()
            },
            ends: Ends::Whole,
            from,
        }
    }

    /// Takes a text and what replaces it.
    pub(super) fn of_find(find: &[Text<'_>], put: &[Text<'_>], ends: Ends) -> Self {
        // What is only a part of the old text is there whether or not the rest is.
        let is_part =
            || memchr::memmem::find(&texts(find).join(&b'\n'), &texts(put).join(&b'\n')).is_some();
        let says_enough = put.iter().any(|line| is_telling(line)) && !is_part();
        Self {
            old: find.iter().map(Text::owned).collect(),
            new: if says_enough {
                put.iter().map(Text::owned).collect()
            } else {
                Vec::new()
            },
            ends,
            from: 0,
        }
    }
}
