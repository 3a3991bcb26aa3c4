//! Regions that differ → hunks as a unified diff has them: context around them, numbers, a heading.
//!
//! It compares nothing itself: it is told which lines differ. Every byte of a hunk is a byte of
//! either content.

use std::borrow::Cow;
use std::ops::Range;

use crate::compare::{Options, Region, heading};
use crate::patch::{Hunk, HunkLine, Mark, Position};
use crate::text::{Content, Lines, Text};

/// Two contents. A line ends behind its LF; CRs and byte order marks are bytes of their line.
pub(super) struct Sides<'c> {
    old: Cow<'c, Content>,
    new: Cow<'c, Content>,
}

impl<'c> Sides<'c> {
    /// Takes what was and what will be.
    pub(super) fn of(old: Option<Cow<'c, Content>>, new: Option<Cow<'c, Content>>) -> Self {
        let side =
            |content: Option<_>| content.unwrap_or_else(|| Cow::Owned(Content::from(Vec::new())));
        Self {
            old: side(old),
            new: side(new),
        }
    }

    /// Returns both with their lines.
    pub(super) fn numbered(&self) -> [Numbered<'_, 'c>; 2] {
        [&self.old, &self.new].map(Numbered::new)
    }
}

/// One of them, and where its lines start.
pub(super) struct Numbered<'s, 'c> {
    content: &'s Cow<'c, Content>,
    lines: Lines<'s>,
}

impl<'s, 'c> Numbered<'s, 'c> {
    fn new(content: &'s Cow<'c, Content>) -> Self {
        Self {
            content,
            lines: Lines::within(content),
        }
    }

    pub(super) fn line(&self, mark: Mark, line: usize) -> HunkLine<'c> {
        let start = self.lines.start(line);
        let end = self.lines.start(line + 1);
        let unterminated = self.content[start..end].last() != Some(&b'\n');
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

/// Makes the hunks of a file.
pub(super) fn hunks<'c>(sides: Sides<'c>, regions: &[Region], options: &Options) -> Vec<Hunk<'c>> {
    let [old_side, new_side] = sides.numbered();
    let context = options.context as usize;
    let mut heading = Heading {
        searched: 0,
        found: None,
    };
    let mut hunks = Vec::new();
    for group in options.groups(regions) {
        let first = &group[0];
        let last = &group[group.len() - 1];
        let before = context.min(first.old.start).min(first.new.start);
        let after = context
            .min(old_side.lines.len() - last.old.end)
            .min(new_side.lines.len() - last.new.end);
        let old = first.old.start - before..last.old.end + after;
        let new = first.new.start - before..last.new.end + after;
        hunks.push(Hunk {
            lines: lines(group, old.clone(), |mark, line| match mark {
                Mark::Added => new_side.line(mark, line),
                _ => old_side.line(mark, line),
            }),
            position: Some(Position {
                old_start: start(&old),
                old_lines: number(old.len()),
                new_start: start(&new),
                new_lines: number(new.len()),
                heading: heading
                    .above(&old_side.lines, old.start)
                    .map(<[u8]>::to_vec)
                    .unwrap_or_default(),
            }),
            ..Hunk::default()
        });
    }
    hunks
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
    number(if lines.is_empty() {
        lines.start
    } else {
        lines.start + 1
    })
}

pub(super) fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// The search for the nearest line above each hunk that names it. No line is looked at twice.
struct Heading {
    searched: usize,
    found: Option<usize>,
}

impl Heading {
    fn above<'s>(&mut self, old: &Lines<'s>, line: usize) -> Option<&'s [u8]> {
        let named = (self.searched..line)
            .rev()
            .find(|&at| heading(old.raw(at..at + 1)).is_some());
        self.found = named.or(self.found);
        self.searched = line;
        self.found.and_then(|at| heading(old.raw(at..at + 1)))
    }
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
        let sides = Sides::of(Some(Cow::Owned(old.into())), Some(Cow::Owned(new.into())));
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
        hunks(sides, &regions, &options)
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
