//! Places among which nothing decides, to be drawn: they look alike, so each is shown under the line that it is part of.

use crate::explain::{FileLine, FilePlace};
use crate::path::RepoPath;
use crate::text::{Excerpt, LineNo, Lines};

/// How many places are drawn among which nothing decides: they all look alike, and their numbers are told anyway.
pub(super) const DRAWN: usize = 3;

/// How many lines above a line are searched for the one under which it stands.
const ABOVE: usize = 1000;

/// Makes the place of the first few of several lines that look alike; what tells them apart is under which line each stands.
/// `None` if they aren't several.
pub(super) fn rivals(
    path: &RepoPath,
    lines: &Lines<'_>,
    all: &[LineNo],
    caption: &str,
    label: impl Fn(LineNo) -> &'static str,
) -> Option<FilePlace> {
    let mut shown =
        all.iter().filter(|line| all.len() > 1 && line.index() < lines.len()).take(DRAWN).map(|&line| FileLine {
            line,
            excerpt: Excerpt::of_line(lines.text(line.index())),
            heading: heading(lines, line.index()),
            label: label(line).into(),
        });
    let FileLine { line, excerpt, heading, label } = shown.next()?;
    let (column, path) = (excerpt.column(), path.as_bstr().into());
    Some(FilePlace { path, line, column, excerpt, caption: caption.into(), label, heading, also: shown.collect() })
}

/// Returns the nearest line above that is indented less, which names what the line is part of; else the one right above.
fn heading(lines: &Lines<'_>, at: usize) -> Option<(LineNo, Excerpt)> {
    let indent = |at: usize| lines.text(at).iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    let is_blank = |at: usize| indent(at) == lines.text(at).len();
    let outer = (at.saturating_sub(ABOVE)..at).rev().find(|&above| !is_blank(above) && indent(above) < indent(at));
    let above = outer.or_else(|| at.checked_sub(1).filter(|&above| !is_blank(above)))?;
    Some((LineNo::from_index(above), Excerpt::of_line(lines.text(above))))
}
