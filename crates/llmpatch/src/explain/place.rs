//! What is said of a hunk or a find that has no place.

use std::ops::Range;

use super::closest;
use crate::path::RepoPath;
use crate::plan::{
    Ambiguity, Closest, Earlier, FileAsFound, Part, PlaceError, Places, Quote, Reason, Unplaced,
};
use crate::report::{Diagnose, Diagnostic};
use crate::report::{FileLine, FilePlace, Nearest, Passage};
use crate::text::{LineNo, Lines, is_utf8, listed};
use crate::tree::{Content, is_pointer};

pub(super) const BYTE_FOR_BYTE: &str = "old lines must be in the file byte for byte";
pub(super) const CORRECT_THEM: &str = "old lines must be in the file byte for byte; correct them, or give the model what \
     --feedback prints";
const FOUND: &str = "the lines are here";

/// A file that a message shows.
pub(super) struct File<'f> {
    path: &'f RepoPath,
    pub(super) lines: Lines<'f>,
    /// Whether it is so only since earlier edits of the response.
    is_left: bool,
}

impl<'f> File<'f> {
    pub(super) fn new(path: &'f RepoPath, content: &'f Content, is_left: bool) -> Self {
        Self {
            path,
            lines: content.lines(),
            is_left,
        }
    }

    pub(super) fn seen(path: &'f RepoPath, seen: &'f FileAsFound) -> Self {
        Self::new(path, &seen.content, seen.is_left)
    }

    pub(super) fn place(&self, index: usize, caption: &str, label: &str) -> FilePlace {
        place(self.path, &Quote::new(&self.lines, index), caption, label)
    }

    /// Shows the lines around some ranges; where there are none, the whole file if it is small.
    pub(super) fn passages(&self, ranges: impl IntoIterator<Item = Range<usize>>) -> Vec<Passage> {
        let passages = Passage::around(
            self.path.as_bstr(),
            &self.lines,
            ranges.into_iter().collect(),
        );
        passages
            .into_iter()
            .map(|passage| Passage {
                is_left: self.is_left,
                ..passage
            })
            .collect()
    }

    /// Shows the first few of several places; what tells them apart is under which line each is.
    fn rivals(&self, all: &[LineNo], caption: &str) -> Vec<FilePlace> {
        let lines = all
            .iter()
            .map(|line| line.index())
            .filter(|&index| index < self.lines.len());
        let quotes: Vec<_> = lines
            .take(Quote::DRAWN)
            .map(|index| Quote::with_heading(&self.lines, index))
            .collect();
        if all.len() > 1 {
            rivals(self.path, &quotes, caption, |_| "")
                .into_iter()
                .collect()
        } else {
            Vec::new()
        }
    }
}

/// Shows a line of a file.
pub(super) fn place(path: &RepoPath, line: &Quote, caption: &str, label: &str) -> FilePlace {
    FilePlace {
        path: path.as_bstr().into(),
        column: line.text.column(),
        caption: caption.into(),
        first: FileLine::new(line, label),
        more: Vec::new(),
    }
}

/// Shows several lines of a file that look alike.
pub(super) fn rivals(
    path: &RepoPath,
    lines: &[Quote],
    caption: &str,
    label: impl Fn(LineNo) -> &'static str,
) -> Option<FilePlace> {
    let (first, others) = lines.split_first()?;
    let more = others
        .iter()
        .map(|line| FileLine::new(line, label(line.number)))
        .collect();
    Some(FilePlace {
        more,
        ..place(path, first, caption, label(first.number))
    })
}

impl Diagnostic {
    /// Adds a place in a file that a reader should look at.
    pub(super) fn shows(self, place: FilePlace) -> Self {
        Self {
            places: vec![place],
            ..self
        }
    }

    /// Adds the place in a file that comes nearest to what was looked for.
    pub(super) fn at(self, place: FilePlace) -> Self {
        let nearest = Nearest::new(
            place.first.line,
            place.first.line,
            place.first.excerpt.text(),
        );
        Self {
            nearest: Some(nearest),
            ..self.shows(place)
        }
    }
}

impl Diagnose for Unplaced {
    fn diagnostic(&self) -> Diagnostic {
        let file = File::seen(&self.path, &self.seen);
        let said = Place {
            of: self,
            file: &file,
        }
        .diagnostic();
        let note = self.seen.is_left.then(|| {
            format!(
                "that is `{}` as the edits before this one leave it, not as it is",
                self.path
            )
        });
        let lines = &file.lines;
        let is_one_line = lines.len() == 1 && lines.text(0).trim_ascii_end().contains(&b'\r');
        let ends = is_one_line.then(|| {
            format!(
                "the lines of `{}` end with a carriage return alone, so that it is one line: \
                 convert it first",
                self.path
            )
        });
        let is_other = !is_utf8(&self.seen.content);
        let encoding = is_other.then(|| {
            "the file isn't UTF-8, so the response's text beyond ASCII isn't in it; with \
             `working-tree-encoding=<encoding>` in `.gitattributes`, git converts it"
                .to_owned()
        });
        let said = said
            .notes(note)
            .notes(ends)
            .notes(encoding)
            .path(&self.path);
        match is_pointer(&self.seen.content) {
            // Nobody has use for its lines.
            true => Diagnostic {
                passages: Vec::new(),
                ..said
            }
            .note("the file is a pointer of git-lfs: its content isn't here")
            .help("fetch the content first, with `git lfs install` and `git lfs pull`")
            .advice("leave the file alone: its content isn't at hand here"),
            false => said,
        }
    }
}

/// What has no place, and the file in which it has none.
struct Place<'u> {
    of: &'u Unplaced,
    file: &'u File<'u>,
}

impl Place<'_> {
    fn diagnostic(&self) -> Diagnostic {
        match &self.of.error {
            PlaceError::NotFound { reason, .. } => self.not_found(reason),
            PlaceError::Ambiguous(ambiguity) => self.ambiguous(ambiguity),
            PlaceError::Context {
                places,
                near,
                lines,
                ..
            } => self.context(places, near.as_deref(), *lines),
            PlaceError::ContextEarlier { at, outer: Some(_) } => self
                .at(
                    *at,
                    "the context line is here",
                    "before the one that it follows",
                )
                .help("name this line before the other, or this one alone"),
            PlaceError::ContextEarlier { at, outer: None } => self
                .at(*at, "the context line is here", "before the previous hunk")
                .stated(&Earlier::Previous),
            PlaceError::OutsideContext { outer, at, end } => self
                .at(*at, "the line is here", "in another block")
                .note(format!(
                    "line {end} is indented no deeper than line {outer}, and ends its block"
                )),
            PlaceError::Applied { at } => {
                let text = "the new text is here already";
                let caption = if self.of.part == Part::Find {
                    text
                } else {
                    "the new lines are here already"
                };
                let found = self.at(*at, caption, "from here on");
                Diagnostic {
                    is_made: true,
                    ..found
                }
            }
            PlaceError::Earlier { at, than, .. } => self.earlier(*at, than),
            PlaceError::NotAtEnd { at } => self.at(*at, FOUND, "not at the end of the file"),
            PlaceError::Indentation { at, line } => {
                let label = "indented differently from the lines before it";
                let found = self.at(*line, "the file's line for it", label);
                Diagnostic {
                    passages: self.file.passages([self.from(*at)]),
                    ..found
                }
                .label("shifted differently")
            }
            PlaceError::Unshiftable { at } => {
                self.at(*at, FOUND, "indented less than in the patch")
            }
            PlaceError::Unconfirmed => self.nowhere("a line of the hunk, or prose?"),
            PlaceError::PastEnd { .. } | PlaceError::NotLast { .. } => self.nowhere("where?"),
            PlaceError::OutOfRange { places, .. } => self.counted(places),
            PlaceError::Times { places, .. } => self.counted(places),
            PlaceError::Overlapping { .. } => self.said([]),
            PlaceError::TooMuch { .. } => self.said([]),
            PlaceError::TooDeep { at } => self.at(*at, FOUND, "indented more than in the patch"),
            PlaceError::Overlap => self.said([]),
        }
    }

    /// Begins what is said, and shows these lines of the file.
    fn said(&self, ranges: impl IntoIterator<Item = Range<usize>>) -> Diagnostic {
        Diagnostic {
            passages: self.file.passages(ranges),
            ..Diagnostic::fixed(self.of.error.kind(), &self.of.error)
        }
    }

    /// The same of what isn't in the file.
    fn nowhere(&self, label: &str) -> Diagnostic {
        self.said([]).label(label)
    }

    /// The same, and shows where the lines are instead.
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
        near: Option<&Closest>,
        lines: Option<LineNo>,
    ) -> Diagnostic {
        let said = match near {
            Some(near) => Diagnostic {
                advice: None,
                ..closest::diagnostic(self.of.error.kind(), near, self.file)
            },
            None => {
                let caption = match places.count > Quote::DRAWN {
                    true => format!(
                        "the first {} of {} lines that hold that text",
                        Quote::DRAWN,
                        places.count
                    ),
                    false => "each of these lines holds that text".into(),
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

    fn not_found(&self, reason: &Reason) -> Diagnostic {
        let of = match reason {
            Reason::Near(near) => closest::diagnostic(self.of.error.kind(), near, self.file),
            Reason::NoSuchLine => corrected(self.nowhere("this line is not in the file")),
            Reason::NotTogether(lines) if lines.is_empty() => {
                corrected(self.nowhere("from here on"))
                    .note("the closest match wasn't looked for, because that would take too long")
            }
            Reason::NotTogether(lines) => corrected(self.said(first_few(lines, 1)))
                .label("from here on")
                .note(format!(
                    "every one of these lines is in the file, but they don't follow one \
                     another there: they are on lines {}",
                    listed(lines, lines.len())
                )),
            Reason::EmptyFile => corrected(self.nowhere("from here on")).note("the file is empty"),
            Reason::Edges(at) => self.at(
                *at,
                "the text is here, without empty lines around it",
                "in the middle of other text",
            ),
            Reason::Newline(last) => self
                .up_to(*last)
                .note("the file ends with a newline; the patch says that it doesn't"),
            Reason::NoNewline(last) => self
                .up_to(*last)
                .note("the file doesn't end with a newline; the patch says that it does"),
            Reason::Unnumbered { at, claimed } => self
                .at(*at, FOUND, "not where the hunk's number says")
                .note(format!("its number says that they are on line {claimed}")),
        };
        of.stated(reason)
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
        let caption = match places.count > Quote::DRAWN {
            true => format!(
                "the first {} of {} places that match",
                Quote::DRAWN,
                places.count
            ),
            false => "each of these places matches".into(),
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
            Ambiguity::Numbers(places) => self.several(places),
            Ambiguity::Blank(places) => self.several(places),
            Ambiguity::Unique(places) => self.several(places),
            Ambiguity::Moved(places) => self
                .several(places)
                .note("none of them is where the hunk's number says"),
            Ambiguity::Fuzz { places, .. } => self.several(places),
            Ambiguity::Heading {
                numbered, other, ..
            } => self.both(*numbered, *other),
            Ambiguity::End { numbered, end } => self.both(*numbered, *end),
            Ambiguity::RestatedTwice { context, behind } => self.both(*context, *behind),
            Ambiguity::Nowhere => self.nowhere("where?"),
            Ambiguity::Anywhere => self.nowhere("where?"),
            Ambiguity::NumberOnly => self.nowhere("where?"),
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
