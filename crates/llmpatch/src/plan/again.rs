//! Added lines, or an added text within a line, that are there already: right behind the old lines of a hunk
//! or find, or right before them.
//!
//! An author who shows these lines among the old lines means to have them twice. Blank lines and
//! brackets often are.

use std::ops::Range;

use crate::search::{Document, is_telling};
use crate::text::has_letters;

/// Returns the line from which on a hunk's new lines are where its old lines are, if there are more
/// new lines than old lines.
pub(super) fn already_there(
    file: &Document,
    old: &Range<usize>,
    new: &[impl AsRef<[u8]>],
) -> Option<usize> {
    let added = new
        .len()
        .checked_sub(old.len())
        .filter(|added| *added > 0)?;
    let run = file.run(new);
    if say_something(&new[old.len()..]) && run.contains(old.start) {
        return Some(old.end);
    }
    let before = old.start.checked_sub(added)?;
    (say_something(&new[..added]) && run.contains(before)).then_some(before)
}

/// Returns whether the text that is put in place of a part of another is what that part begins, or ends,
/// already: `import os, sys` of `import os` in `import os, sys`. A letter or two may well be meant twice.
pub(super) fn is_there(text: &[u8], old: &Range<usize>, new: &[u8]) -> bool {
    let old_text = &text[old.clone()];
    let behind = new.strip_prefix(old_text);
    let before = new.strip_suffix(old_text);
    let says_something = |added: &[u8]| is_telling(added) && has_letters(added);
    behind.is_some_and(|added| says_something(added) && text[old.end..].starts_with(added))
        || before.is_some_and(|added| says_something(added) && text[..old.start].ends_with(added))
}

/// Returns whether lines are more than whitespace and brackets.
fn say_something(lines: &[impl AsRef<[u8]>]) -> bool {
    lines.iter().any(|line| has_letters(line.as_ref()))
}
