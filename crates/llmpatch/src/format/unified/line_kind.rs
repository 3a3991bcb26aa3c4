//! What a line of a hunk may be, by its first bytes.

use crate::patch::Mark;
use crate::text::Row;

/// What a line of a hunk may be.
pub(super) enum LineKind {
    Line(Mark),
    NoNewline,
    Empty,
    None,
}

pub(super) fn kind(row: Row<'_>) -> LineKind {
    match row.text {
        [] => LineKind::Empty,
        [b' ', ..] => LineKind::Line(Mark::Context),
        [b'-', ..] => LineKind::Line(Mark::Removed),
        [b'+', ..] => LineKind::Line(Mark::Added),
        [b'\\', b' ', ..] => LineKind::NoNewline,
        _ => LineKind::None,
    }
}

/// Returns whether a line would be one that a hunk removes or adds.
pub(super) fn is_change(text: &[u8]) -> bool {
    matches!(text.first(), Some(b'-' | b'+'))
}

/// Returns whether some lines change something, and aren't items of a list: those all begin with the
/// same sign.
pub(super) fn are_changes<'l>(lines: impl Iterator<Item = &'l [u8]>) -> bool {
    let mut sign = None;
    let mut changes = lines.filter(|line| is_change(line));
    changes.any(|line| !is_item(line) || *sign.get_or_insert(line[0]) != line[0])
}

/// Returns the first of some lines behind a hunk that changes something and is no item of a list.
/// Items are changes where they have both signs and context around them.
pub(super) fn first_change<'a>(lines: impl Iterator<Item = Row<'a>>) -> Option<Row<'a>> {
    let mut has_context = false;
    let mut item: Option<Row<'a>> = None;
    let mut is_mixed = false;
    for row in lines {
        match kind(row) {
            LineKind::Line(Mark::Context) => has_context = true,
            LineKind::Line(_) if !is_item(row.text) => return Some(row),
            LineKind::Line(_) => {
                let first = item.get_or_insert(row);
                is_mixed |= first.text[0] != row.text[0];
            }
            _ => {}
        }
    }
    item.filter(|_| is_mixed && has_context)
}

/// Returns whether a line may be an item of a list in Markdown, or a rule.
pub(super) fn is_item(text: &[u8]) -> bool {
    match text {
        [_, b' ', next, ..] => !next.is_ascii_whitespace(),
        _ => text.trim_ascii_end().iter().all(|&byte| byte == b'-'),
    }
}
