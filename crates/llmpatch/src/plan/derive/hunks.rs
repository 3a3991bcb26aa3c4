//! Regions that differ → hunks as a unified diff has them: context around them, numbers, a heading.
//!
//! It compares nothing itself: it is told which lines differ. Every byte of a hunk is a byte of
//! either content.

use std::borrow::Cow;
use std::ops::Range;

use crate::compare::{Options, Region, heading};
use crate::patch::{Hunk, HunkLine, Mark, Position};
use crate::text::{Content, Lines, Text};

/// A content and its lines. A line ends behind its LF; CRs and byte order marks are bytes of it.
pub(super) struct Side<'s, 'c> {
    content: &'s Cow<'c, Content>,
    lines: Lines<'s>,
}

impl<'s, 'c> Side<'s, 'c> {
    pub(super) fn of(content: &'s Cow<'c, Content>) -> Self {
        Self {
            content,
            lines: Lines::within(content),
        }
    }

    /// Returns how many lines there are.
    pub(super) fn count(&self) -> usize {
        self.lines.len()
    }

    fn line(&self, mark: Mark, line: usize) -> HunkLine<'c> {
        let start = self.lines.start(line);
        let end = self.lines.start(line + 1);
        let unterminated = !self.content[start..end].ends_with(b"\n");
        let end = if unterminated { end } else { end - 1 };
        let text = match self.content {
            Cow::Borrowed(content) => Text::derived(&content[start..end]),
            Cow::Owned(content) => Text::derived(content[start..end].to_vec()),
        };
        HunkLine {
            mark,
            text,
            unterminated,
        }
    }
}

/// Makes the hunks of a file, given what was and what will be. Each is named by the nearest line
/// above it that can; no line is looked at twice.
pub(super) fn hunks<'c>(
    sides: &[Side<'_, 'c>; 2],
    regions: &[Region],
    options: &Options,
) -> Vec<Hunk<'c>> {
    let [old_lines, new_lines] = sides.each_ref().map(|side| &side.lines);
    let context = options.context as usize;
    let mut searched = 0;
    let mut name = None;
    let groups = options.groups(regions).map(|group| {
        let Region { old, new } = Region::over(group);
        let before = context.min(old.start).min(new.start);
        let after = context
            .min(old_lines.len() - old.end)
            .min(new_lines.len() - new.end);
        let shown = Region {
            old: old.start - before..old.end + after,
            new: new.start - before..new.end + after,
        };
        let above = (searched..shown.old.start).rev();
        let mut names = above.filter_map(|at| heading(old_lines.raw(at..at + 1)));
        name = names.next().or(name);
        searched = shown.old.start;
        hunk(sides, group, &shown, name.unwrap_or_default())
    });
    groups.collect()
}

/// Makes the hunk of some regions that shows these lines.
pub(super) fn hunk<'c>(
    [old, new]: &[Side<'_, 'c>; 2],
    regions: &[Region],
    shown: &Region,
    heading: &[u8],
) -> Hunk<'c> {
    Hunk {
        lines: lines(regions, shown.old.clone(), |mark, line| match mark {
            Mark::Added => new.line(mark, line),
            _ => old.line(mark, line),
        }),
        position: Some(Position {
            old_start: start(&shown.old),
            old_lines: number(shown.old.len()),
            new_start: start(&shown.new),
            new_lines: number(shown.new.len()),
            heading: heading.to_vec(),
        }),
        ..Hunk::default()
    }
}

/// Makes the lines of a hunk that shows these old lines; `line` makes a hunk's line of an old line
/// or, if it is added, of a new line.
pub(super) fn lines<T>(
    regions: &[Region],
    shown: Range<usize>,
    line: impl Fn(Mark, usize) -> T,
) -> Vec<T> {
    let mut lines = Vec::with_capacity(shown.len());
    let mut at = shown.start;
    for region in regions {
        lines.extend((at..region.old.start).map(|at| line(Mark::Context, at)));
        lines.extend(region.old.clone().map(|at| line(Mark::Removed, at)));
        lines.extend(region.new.clone().map(|at| line(Mark::Added, at)));
        at = region.old.end;
    }
    lines.extend((at..shown.end).map(|at| line(Mark::Context, at)));
    lines
}

/// An empty run is behind the line that it names, so that its number is one less.
fn start(lines: &Range<usize>) -> u32 {
    number(lines.start + usize::from(!lines.is_empty()))
}

fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(
        old: &str,
        new: &str,
        regions: &[(Range<usize>, Range<usize>)],
        context: u32,
    ) -> Vec<String> {
        let regions: Vec<_> = regions
            .iter()
            .map(|(old, new)| Region {
                old: old.clone(),
                new: new.clone(),
            })
            .collect();
        let contents: [Cow<'_, Content>; 2] = [old, new].map(|text| Cow::Owned(text.into()));
        let options = Options {
            context,
            ..Options::default()
        };
        let shown = |hunk: Hunk<'_>| {
            let at = hunk.position.expect("a derived hunk has a position");
            let heading = String::from_utf8_lossy(&at.heading);
            format!(
                "-{},{} +{},{} {heading}",
                at.old_start, at.old_lines, at.new_start, at.new_lines
            )
        };
        hunks(&contents.each_ref().map(Side::of), &regions, &options)
            .into_iter()
            .map(shown)
            .collect()
    }

    #[test]
    fn context_joins_regions_and_ends_with_the_file() {
        let old = "f\n 1\n 2\n 3\n 4\n 5\ng\n 7\n 8\n 9\n";
        let new = "f\n 2\n 3\n 4\n 5\ng\n 7\n 8\n 9\nx\n";
        let regions = [(1..2, 1..1), (10..10, 9..10)];
        for (context, want) in [
            (0, &["-2,1 +1,0 f", "-10,0 +10,1 g"][..]),
            (1, &["-1,3 +1,2 ", "-10,1 +9,2 g"]),
            (3, &["-1,5 +1,4 ", "-8,3 +7,4 g"]),
            (4, &["-1,10 +1,10 "]),
            (u32::MAX, &["-1,10 +1,10 "]),
        ] {
            assert_eq!(
                numbers(old, new, &regions, context),
                want,
                "context {context}"
            );
        }
    }

    #[test]
    fn an_empty_side_is_numbered_zero() {
        assert_eq!(numbers("", "a\nb", &[(0..0, 0..2)], 3), ["-0,0 +1,2 "]);
        assert_eq!(numbers("a\n", "", &[(0..1, 0..0)], 3), ["-1,1 +0,0 "]);
    }
}
