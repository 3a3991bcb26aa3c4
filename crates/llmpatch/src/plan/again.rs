//! Added lines that are there already: right behind the old lines of a hunk or find, or right before
//! them.
//!
//! An author who shows these lines among the old lines means to have them twice. Blank lines and
//! brackets often are.

use std::ops::Range;

use crate::search::Document;

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
    let says_something = |lines: &[_]| lines.iter().any(is_telling);
    if says_something(&new[old.len()..]) && run.contains(old.start) {
        return Some(old.end);
    }
    let before = old.start.checked_sub(added)?;
    (says_something(&new[..added]) && run.contains(before)).then_some(before)
}

fn is_telling(line: &impl AsRef<[u8]>) -> bool {
    line.as_ref()
        .iter()
        .any(|byte| byte.is_ascii_alphanumeric() || *byte >= 0x80)
}
