//! The place of a file that comes nearest to what a patch looks for: what is otherwise there, and
//! what to do about it.

use std::ops::Range;

use bstr::ByteSlice as _;

use super::difference::{Difference, How};
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
            let label = if difference.is_hidden() {
                "similar, but not equal"
            } else {
                "differs here"
            };
            let of = remedied(of, closest, &difference);
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

impl Diagnostic {
    /// Adds what to do about what went wrong when the patch was written; the model is told the
    /// same.
    fn habit(self, help: &str) -> Self {
        self.help(help).advice(help)
    }
}

/// Adds how a line differs, and what to do about it.
fn remedied(of: Diagnostic, closest: &Closest<'_>, difference: &Difference) -> Diagnostic {
    let how = difference.is_hidden().then(|| difference.how.to_string());
    let of = of.notes(how).mark(part(closest, &difference.patch));
    const PLAINLY: &str =
        "give the text itself, not a JSON string: no backslash before quotes, and real line ends";
    let plain = if difference.patch.is_empty() {
        "something is missing here"
    } else {
        "different in the file"
    };
    let (label, habit) = match &difference.how {
        How::Numbered(_) => (
            "a line number, which isn't in the file",
            "leave the line numbers out of the patch: they were only shown beside the file's text",
        ),
        How::Escaped(_) | How::EscapedNewline => (plain, PLAINLY),
        How::Entity(..) => (
            plain,
            "give the text itself: nothing in a patch is ever decoded, so write `<`, `>` \
                 and `&` plainly",
        ),
        How::UnprefixedContext => {
            let habit =
                "begin every context line with one space, in front of the line's own indentation";
            let of = of.label("the prefix is missing").habit(habit);
            return match closest.level {
                Some(level) => of.help(format!("{habit}; or run with --fuzz={level}")),
                None => of,
            };
        }
        How::UnprefixedMinus => (
            "the prefix is missing",
            "write the prefix before the line's own first character: `--` for a line that \
                 begins with `-` and goes, a space and `-` if it stays",
        ),
        How::Cut | How::Elided => (plain, "give whole lines of the file"),
        How::Encoding(..) => (
            plain,
            "a patch in UTF-8 can't show this line as it is: leave it out of the patch, \
                 or convert the file first",
        ),
        How::Unlike if closest.elsewhere.count > 0 => ("the file has another line here", APART),
        how => {
            let of = match how {
                How::EndOfFile(end) => of.label(format!("the file's line has {end} here")),
                How::Unlike => of.label("the file has another line here"),
                How::Indent(ours, _) if ours.0.is_empty() => {
                    of.label("the file's line is indented")
                }
                _ => of.label(plain),
            };
            let of = of.advice(BYTE_FOR_BYTE);
            return match closest.level {
                Some(level) => of.help(format!(
                    "{BYTE_FOR_BYTE}; correct them, or run with --fuzz={level}"
                )),
                None => of.help(CORRECT_THEM),
            };
        }
    };
    let is_habit = !matches!(difference.how, How::Unlike | How::Cut | How::Elided);
    Diagnostic {
        is_habit,
        ..of.label(label).habit(habit)
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
