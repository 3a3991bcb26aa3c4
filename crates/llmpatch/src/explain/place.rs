//! What is said of a hunk or a find that has no place.

use std::borrow::Cow;
use std::ops::Range;

use super::closest;
use super::file::File;
use super::mangled::UNSHOWABLE;
use super::nearest::{Reason, SearchedFiles};
use crate::plan::{Ambiguity, Earlier, Part, PlaceError, Places, Quote, Unplaced};
use crate::report::{Diagnose, Diagnostic};
use crate::search::Effort;
use crate::text::{Excerpt, LineNo, Shown, is_utf8, listed};
use crate::tree::is_pointer;

pub(super) const BYTE_FOR_BYTE: &str = "old lines must be in the file byte for byte";
pub(super) const CORRECT_THEM: &str = "old lines must be in the file byte for byte; correct them, or give the model what \
     --feedback prints";
const FOUND: &str = "the lines are here";
const ENDS_OPEN: &str = "the line gets a newline: remove it (`-`), put `\\ No newline at end of file` on a line of its own \
     after it, and add it again (`+`) before the new lines";

impl Diagnose for Unplaced {
    fn diagnostic(&self) -> Diagnostic {
        let effort = Effort::default();
        explained(self, &SearchedFiles::new(std::iter::once(self), &effort))
    }
}

/// Says why something has no place: in the file before the response if the same is true there, or
/// else in the file as the edits before it leave it.
pub(super) fn explained<'u>(of: &'u Unplaced, files: &SearchedFiles<'u>) -> Diagnostic {
    let now = told(of, files);
    let Some(before) = &of.before else { return now };
    let before = told(before, files);
    let said = |of: &Diagnostic| {
        let line = of.places.first().map(|place| place.first.excerpt.clone());
        (of.label.clone(), of.advice.clone(), of.spans.mark, line)
    };
    if said(&before) == said(&now) {
        Diagnostic {
            help: now.help,
            ..before
        }
    } else {
        now
    }
}

/// Says why something has no place in its file.
fn told<'u>(of: &'u Unplaced, files: &SearchedFiles<'u>) -> Diagnostic {
    let reason = files.instead_of(of);
    let mut of = Cow::Borrowed(of);
    if let Some(Reason::New(at)) = reason {
        of.to_mut().error = PlaceError::Applied { at };
    }
    let unfound = Unfound {
        of: &of,
        file: &File::seen(&of.path, &of.seen),
    };
    let said = Diagnostic {
        message: of.to_string(),
        ..unfound.diagnostic(reason.as_ref())
    }
    .notes(unfound.notes())
    .path(&of.path);
    if is_pointer(&of.seen.content) {
        in_pointer(said)
    } else {
        said
    }
}

/// Says of what has no place in a file of git-lfs that its content isn't here: nobody has use for
/// the lines that name it.
fn in_pointer(said: Diagnostic) -> Diagnostic {
    Diagnostic {
        passages: Vec::new(),
        ..said
    }
    .note("the file is a pointer of git-lfs: its content isn't here")
    .help("fetch the content first, with `git lfs install` and `git lfs pull`")
    .advice("leave the file alone: its content isn't at hand here")
}

/// What has no place, and the file in which it has none.
struct Unfound<'u> {
    of: &'u Unplaced,
    file: &'u File<'u>,
}

impl Unfound<'_> {
    /// Returns what is to be known of the file as a whole.
    fn notes(&self) -> Vec<String> {
        let (path, lines) = (&self.of.path, &self.file.lines);
        let mut notes = Vec::new();
        let shown = self.elsewhere().map(|(at, ..)| at);
        let after = self.of.error.after().filter(|line| shown != Some(*line));
        if let Some(line) = after.filter(|line| line.index() < lines.len()) {
            let text = Excerpt::of_line(lines.text(line.index()).trim_ascii());
            notes.push(format!("line {line} is `{}`", Shown(text.text())));
        }
        if self.of.seen.is_left {
            notes.push(format!(
                "that is `{path}` as the edits before this one leave it, not as it is"
            ));
        }
        if lines.len() == 1 && lines.text(0).trim_ascii_end().contains(&b'\r') {
            notes.push(format!(
                "the lines of `{path}` end with a carriage return alone, so that it is one line: \
                 convert it first"
            ));
        }
        if !is_utf8(&self.of.seen.content) {
            notes.push(
                "the file isn't UTF-8, so the response's text beyond ASCII isn't in it; with \
                 `working-tree-encoding=<encoding>` in `.gitattributes`, git converts it"
                    .to_owned(),
            );
        }
        notes
    }

    fn diagnostic(&self, reason: Option<&Reason<'_>>) -> Diagnostic {
        let of = match self.elsewhere() {
            Some((at, caption, label)) => self.at(at, caption, label),
            None => self.said([]),
        };
        match &self.of.error {
            PlaceError::NotFound { .. } => self.not_found(reason),
            PlaceError::Context { places, lines, .. } => self.context(places, reason, *lines),
            PlaceError::Earlier { at, than, .. } => self.earlier(*at, than),
            PlaceError::Ambiguous(ambiguity) => self.ambiguous(ambiguity),
            PlaceError::Newline { last, .. } => self
                .up_to(*last)
                .note("the file ends with a newline; the patch says that it doesn't"),
            PlaceError::NoNewline {
                last, is_followed, ..
            } => {
                let of = self
                    .up_to(*last)
                    .note("the file doesn't end with a newline; the patch says that it does");
                if *is_followed {
                    of.habit(ENDS_OPEN)
                } else {
                    of
                }
            }
            PlaceError::OutOfRange { places, .. } | PlaceError::Times { places, .. } => {
                self.counted(places)
            }
            PlaceError::Unnumbered { claimed, .. } => {
                of.note(format!("its number says that they are on line {claimed}"))
            }
            PlaceError::ContextEarlier { outer: Some(_), .. } => {
                of.help("name this line before the other, or this one alone")
            }
            PlaceError::ContextEarlier { outer: None, .. } => of.stated(&Earlier::Previous),
            PlaceError::OutsideContext { outer, end, .. } => of.note(format!(
                "line {end} is indented no deeper than line {outer}, and ends its block"
            )),
            PlaceError::NotAtEnd { mark, .. } => {
                of.help(format!("drop `{mark}`, or give the file's last lines"))
            }
            PlaceError::Applied { .. } => Diagnostic {
                is_made: !self.of.seen.is_left,
                ..of
            },
            PlaceError::Indentation { at, .. } => Diagnostic {
                passages: self.file.passages([self.from(*at)]),
                ..of
            },
            _ => of,
        }
    }

    /// Returns the line of the file that shows why there is no place, a sentence that introduces
    /// it, and what is so there.
    fn elsewhere(&self) -> Option<(LineNo, &'static str, &'static str)> {
        let (at, caption, label) = match &self.of.error {
            PlaceError::Edges { at } => (
                at,
                "the text is here, without empty lines around it",
                "in the middle of other text",
            ),
            PlaceError::OpenEnd { at } => {
                (at, "the text is here", "the file ends without a newline")
            }
            PlaceError::Unnumbered { at, .. } => (at, FOUND, "not where the hunk's number says"),
            PlaceError::ContextEarlier { at, outer, .. } => (
                at,
                "the context line is here",
                match outer {
                    Some(_) => "before the one that it follows",
                    None => "before the previous hunk",
                },
            ),
            PlaceError::OutsideContext { at, .. } => (at, "the line is here", "in another block"),
            PlaceError::Applied { at } => (
                at,
                match self.of.part {
                    Part::Find => "the new text is here already",
                    _ => "the new lines are here already",
                },
                "from here on",
            ),
            PlaceError::NotAtEnd { at, .. } => (at, FOUND, "not at the end of the file"),
            PlaceError::Indentation { line, .. } => (
                line,
                "the file's line for it",
                "indented differently from the lines before it",
            ),
            PlaceError::Unshiftable { at } => (at, FOUND, "indented less than in the patch"),
            PlaceError::TooDeep { at } => (at, FOUND, "indented more than in the patch"),
            _ => return None,
        };
        Some((*at, caption, label))
    }

    /// Makes the diagnostic of the error, with the passages of the file around some ranges.
    fn said(&self, ranges: impl IntoIterator<Item = Range<usize>>) -> Diagnostic {
        Diagnostic {
            passages: self.file.passages(ranges),
            ..Diagnostic::fixed(self.of.error.kind(), &self.of.error)
        }
    }

    /// As `said`, for lines that the file doesn't have: no passages, and a label in the response.
    fn nowhere(&self, label: &str) -> Diagnostic {
        self.said([]).label(label)
    }

    /// As `said`, and points at the line of the file where the lines are instead.
    fn at(&self, at: LineNo, caption: &str, label: &str) -> Diagnostic {
        self.said([self.from(at)])
            .at(self.file.place(at.index(), caption, label))
    }

    fn from(&self, line: LineNo) -> Range<usize> {
        line.index()..line.index() + self.of.len.max(1)
    }

    fn earlier(&self, at: LineNo, than: &Earlier) -> Diagnostic {
        let label = match than {
            Earlier::Previous => "before what earlier hunks have reached",
            Earlier::AtContext => "the context line itself",
            Earlier::Context(_) => "before the context line",
            Earlier::Shared => "begins among the lines of an earlier hunk",
            Earlier::Taken => "an earlier hunk has lines here",
        };
        let context = match than {
            Earlier::AtContext => Some(at),
            Earlier::Context(context) => Some(*context),
            _ => None,
        };
        let note =
            |line| format!("its context line is line {line}, and a hunk's lines come after that");
        self.at(at, FOUND, label)
            .stated(than)
            .notes(context.map(note))
    }

    fn context(
        &self,
        places: &Places,
        reason: Option<&Reason<'_>>,
        lines: Option<LineNo>,
    ) -> Diagnostic {
        let said = match reason {
            Some(Reason::Near(near)) => Diagnostic {
                advice: None,
                ..closest::diagnostic(self.of.error.kind(), near, self.file)
            },
            _ => {
                let caption = if places.count > Quote::DRAWN {
                    format!(
                        "the first {} of {} lines that hold that text",
                        Quote::DRAWN,
                        places.count
                    )
                } else {
                    "each of these lines holds that text".into()
                };
                let said = self
                    .said(first_few(&places.lines, 1))
                    .label("this line is not there");
                Diagnostic {
                    places: self.file.rivals(&places.lines, &caption),
                    line: lines,
                    ..said
                }
            }
        };
        let said = Diagnostic {
            candidates: places.lines.clone(),
            ..said
        };
        let Some(line) = lines else {
            return said.help("give a whole line of the file after `@@`, or drop it");
        };
        Diagnostic {
            passages: self.file.passages([self.from(line)]),
            ..said
        }
        .note(format!(
            "the hunk's own lines are in the file once, on line {line}"
        ))
        .help("drop the text after `@@`, or give a whole line of the file there")
    }

    fn not_found(&self, reason: Option<&Reason<'_>>) -> Diagnostic {
        match reason {
            Some(Reason::Near(near)) => closest::diagnostic(self.of.error.kind(), near, self.file),
            Some(Reason::NoSuchLine(line)) => {
                let said = self
                    .nowhere("this line is not in the file")
                    .mark(line.and_then(|line| line.span));
                let is_plain = line.is_none_or(|line| line.is_ascii());
                if is_plain || is_utf8(&self.of.seen.content) {
                    corrected(said)
                } else {
                    said.habit(UNSHOWABLE)
                }
            }
            Some(Reason::NotTogether(lines)) if !lines.is_empty() => {
                corrected(self.said(first_few(lines, 1)))
                    .label("from here on")
                    .note(format!(
                        "every one of these lines is in the file, but they don't follow one \
                         another there: they are on lines {}",
                        listed(lines, lines.len())
                    ))
            }
            Some(Reason::EmptyFile) => {
                corrected(self.nowhere("from here on")).note("the file is empty")
            }
            _ => corrected(self.nowhere("from here on"))
                .note("the closest match wasn't looked for, because that would take too long"),
        }
    }

    /// Begins what is said of lines that end with the file, and shows them.
    fn up_to(&self, last: LineNo) -> Diagnostic {
        let end = last.index() + 1;
        let lines = end.saturating_sub(self.of.len.max(1))..end;
        self.said([lines])
            .at(self.file.place(last.index(), FOUND, "where they end"))
    }

    /// Shows several places of which nothing says which is meant.
    fn several(&self, places: &Places) -> Diagnostic {
        let caption = if places.count > Quote::DRAWN {
            format!(
                "the first {} of {} places that match",
                Quote::DRAWN,
                places.count
            )
        } else {
            "each of these places matches".into()
        };
        self.which(&places.lines, &caption)
    }

    /// Shows two places of which nothing says which is meant.
    fn both(&self, one: LineNo, other: LineNo) -> Diagnostic {
        self.which(&[one, other], "both of these places match")
    }

    /// Shows the places of a text that isn't there as often as was said.
    fn counted(&self, places: &Places) -> Diagnostic {
        Diagnostic {
            places: self.file.rivals(&places.lines, "the text is here"),
            candidates: places.lines.clone(),
            ..self.said(first_few(&places.lines, self.of.len))
        }
    }

    fn which(&self, lines: &[LineNo], caption: &str) -> Diagnostic {
        let said = self.said(first_few(lines, self.of.len)).label("which one?");
        Diagnostic {
            places: self.file.rivals(lines, caption),
            candidates: lines.into(),
            ..said
        }
    }

    fn ambiguous(&self, ambiguity: &Ambiguity) -> Diagnostic {
        let of = match ambiguity {
            Ambiguity::Find(places) => self.several(places).help(match self.of.part {
                Part::Text => {
                    "give more of the text around it, or `replace_all` if every place is \
                     meant"
                }
                _ => {
                    "give more of the text around it, or occurrence=\"first\", \"last\" or a \
                     number"
                }
            }),
            Ambiguity::Lines { places, claimed } => self
                .several(places)
                .help("give more of the lines around the change")
                .notes(claimed.map(|line| format!("`:start_line:` says line {line}"))),
            Ambiguity::Numbers(places)
            | Ambiguity::Blank(places)
            | Ambiguity::Unique(places)
            | Ambiguity::Fuzz { places, .. } => self.several(places),
            Ambiguity::Moved(places) => self
                .several(places)
                .note("none of them is where the hunk's number says"),
            Ambiguity::Heading {
                numbered: one,
                other,
                ..
            }
            | Ambiguity::End {
                numbered: one,
                end: other,
            }
            | Ambiguity::RestatedTwice {
                context: one,
                behind: other,
            } => self.both(*one, *other),
            Ambiguity::Nowhere
            | Ambiguity::Anywhere
            | Ambiguity::Added { .. }
            | Ambiguity::NumberOnly => self.said([]),
        };
        of.stated(ambiguity)
    }
}

fn corrected(said: Diagnostic) -> Diagnostic {
    said.help(CORRECT_THEM).advice(BYTE_FOR_BYTE)
}

/// Returns the ranges of `len` lines from each of the first few places on.
fn first_few(places: &[LineNo], len: usize) -> impl Iterator<Item = Range<usize>> {
    places
        .iter()
        .take(3)
        .map(move |line| line.index()..line.index() + len.max(1))
}
