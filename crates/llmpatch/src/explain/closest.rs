//! The place of a file that comes nearest to what a patch looks for: what is otherwise there, and
//! what to do about it.

use std::ops::Range;

use bstr::ByteSlice as _;

use super::difference::{Advice, Difference, DifferenceFound};
use super::file::File;
use super::place::{BYTE_FOR_BYTE, CORRECT_THEM};
use crate::kind::Kind;
use crate::plan::Places;
use crate::report::{Diagnostic, Nearest};
use crate::search::{Alignment, Ends, Fuzz, Gap, Sought};
use crate::text::{Excerpt, LineNo, Span, Text, lines, looks_elided, plural};

/// The place of a file that comes nearest to lines that were looked for.
pub(super) struct Closest<'s> {
    pub(super) sought: &'s Sought,
    pub(super) near: Alignment,
    /// The file's line, from 0, where the first of the lines isn't as it was written.
    pub(super) line: usize,
    /// Where else the patch's line is as it was written.
    pub(super) elsewhere: Places,
    /// The level of fuzz at which the lines would have this place.
    pub(super) level: Option<Fuzz>,
}

impl Closest<'_> {
    /// Returns the first line of the patch that isn't in the file as it was written.
    fn text(&self) -> &Text<'static> {
        &self.sought.old[self.near.gap().wanted()]
    }

    /// Returns whether that may be a part of a line.
    fn is_part(&self) -> bool {
        let nth = self.near.gap().wanted();
        self.sought.ends == Ends::Part && (nth == 0 || nth + 1 == self.sought.old.len())
    }
}

const APART: &str = "old lines must follow one another without a gap: put the missing ones in, or change the \
     two places apart";

/// What the patch leaves out of the file, shown where it is.
const LEFT_OUT: &str = "the patch leaves this out";

/// Returns how the nearest place differs, and shows it.
pub(super) fn diagnostic(kind: Kind, closest: &Closest<'_>, file: &File<'_>) -> Diagnostic {
    let of = Diagnostic::new(kind);
    let text = file.lines.text(closest.line);
    let mut differs = None;
    let (of, label_of_file) = match closest.near.gap() {
        _ if looks_elided(closest.text()) => (elided(of), LEFT_OUT),
        Gap::Other { alike, .. } => {
            let difference = Difference::of(closest.text(), text, alike, closest.is_part());
            let label = if difference.found.note.is_some() {
                "similar, but not equal"
            } else {
                "differs here"
            };
            let mark = part(closest, &difference.patch);
            let is_gap = difference.patch.is_empty();
            let of = remedied(of, closest, difference.found, is_gap).mark(mark);
            differs = Some(difference.file);
            (of, label)
        }
        Gap::LeftOut { count, .. } => {
            let label = format!(
                "the file has {count} more line{} before this",
                plural(count)
            );
            (of.label(label).habit(APART), LEFT_OUT)
        }
        Gap::Invented { line, count, .. } => {
            let label = if line >= file.lines.len() {
                "the file ends with this line"
            } else {
                "the file continues with this"
            };
            (invented(of, closest, count), label)
        }
    };
    let elsewhere = (closest.elsewhere.count > 0).then(|| {
        format!(
            "the patch's line is in the file, but elsewhere: {}",
            closest.elsewhere
        )
    });
    let offset = differs.as_ref().map_or(0, |mark| mark.start);
    let mut place = file.place(closest.line, &caption(closest), label_of_file);
    if let Some(mark) = differs {
        place.column = text[..mark.start.min(text.len())].chars().count() + 1;
        place.first.excerpt = Excerpt::new(text, mark);
    }
    let start = closest.near.start;
    let nearest = Nearest::around(LineNo::from_index(start), place.first.line, text, offset);
    let region = start..closest.near.end.max(start + 1).min(file.lines.len());
    let mark = of.spans.mark.or(closest.text().span);
    Diagnostic {
        places: vec![place],
        nearest: Some(nearest),
        passages: file.passages([region]),
        ..of
    }
    .notes(elsewhere)
    .mark(mark)
}

/// Says what to do about a line that stands for others.
fn elided(of: Diagnostic) -> Diagnostic {
    let help = "give every line of the file that is there, or begin another hunk after the gap";
    Diagnostic {
        is_habit: true,
        ..of.label("stands for lines of the file").habit(help)
    }
}

/// Says what to do about lines that the file doesn't have.
fn invented(of: Diagnostic, closest: &Closest<'_>, count: usize) -> Diagnostic {
    if closest.text().trim_ascii_start().starts_with(b"```") {
        let help = "leave Markdown's fences out of the patch's lines: they aren't in the file, \
             and would get into it";
        return Diagnostic {
            is_habit: true,
            ..of.label("a Markdown fence, which isn't in the file")
                .habit(help)
        };
    }
    let label = match count {
        1 => "this line is not there".into(),
        _ => format!("from here on, {count} lines are not there"),
    };
    of.label(label).habit(
        "old lines must be in the file byte for byte; leave out those that aren't, or mark new \
         ones as added",
    )
}

/// Adds how a line differs, and what to do about it. A line with a gap lacks something there.
fn remedied(
    of: Diagnostic,
    closest: &Closest<'_>,
    found: DifferenceFound,
    is_gap: bool,
) -> Diagnostic {
    let DifferenceFound {
        note,
        label,
        advice,
    } = found;
    let label = match advice {
        Advice::Line => "the file has another line here".into(),
        _ if !label.is_empty() => label,
        _ if is_gap => "something is missing here".into(),
        _ => "different in the file".into(),
    };
    let of = of.notes(note).label(label);
    let with_level = |help: &str, or: &str| {
        let level = closest.level?;
        Some(format!("{help}; {or} run with --fuzz={level}"))
    };
    match advice {
        Advice::Line if closest.elsewhere.count > 0 => of.habit(APART),
        Advice::Whole => of.habit("give whole lines of the file"),
        Advice::Bytes | Advice::Line => {
            let help = with_level(BYTE_FOR_BYTE, "correct them, or");
            of.advice(BYTE_FOR_BYTE)
                .help(help.unwrap_or_else(|| CORRECT_THEM.into()))
        }
        Advice::Prefix => {
            const HABIT: &str =
                "begin every context line with one space, in front of the line's own indentation";
            let of = of.habit(HABIT);
            match with_level(HABIT, "or") {
                Some(help) => of.help(help),
                None => of,
            }
        }
        Advice::Habit(habit) => Diagnostic {
            is_habit: true,
            ..of.habit(habit)
        },
    }
}

fn caption(closest: &Closest<'_>) -> String {
    let Closest { near, sought, .. } = closest;
    let (of, from) = (sought.old.len(), sought.from);
    let before = if near.start < from {
        format!(", though it must be after line {from}")
    } else {
        String::new()
    };
    let (first, last) = (near.start, near.end.max(near.start + 1) - 1);
    let place = lines(&[(LineNo::from_index(first), LineNo::from_index(last))], 1);
    match of {
        1 => format!("closest match{before}"),
        _ if near.agree == of => {
            format!(
                "closest match: {place} (all {of} lines are there, with others between){before}"
            )
        }
        _ => format!(
            "closest match: {place} ({} of {of} lines agree){before}",
            near.agree
        ),
    }
}

/// Returns where a part of the patch's line is in the response.
fn part(closest: &Closest<'_>, range: &Range<usize>) -> Option<Span> {
    let span = closest.text().span?;
    // The span of a hunk's line begins with its prefix.
    let prefix = ((span.end - span.start) as usize)
        .checked_sub(closest.text().len())
        .filter(|&prefix| prefix <= 1)?;
    let at = |offset: usize| span.start + (prefix + offset) as u32;
    Some(Span {
        start: at(range.start),
        end: at(range.end),
        ..span
    })
}
