//! What is said of a hunk or a find that has no place.

use std::ops::Range;

use super::{Diagnose, Diagnosis, closest};
use super::{FileLine, FilePlace, Nearest, Passage};
use crate::path::RepoPath;
use crate::plan::{Ambiguity, Earlier, Part, PlaceError, Places, Quote, Reason, Unplaced};
use crate::text::{LineNo, Lines, listed};
use crate::tree::Content;

pub(super) const BYTE_FOR_BYTE: &str = "old lines must be in the file byte for byte";
pub(super) const CORRECT_THEM: &str =
    "old lines must be in the file byte for byte; correct them, or give the model what --feedback prints";
const IN_ORDER: &str = "put the hunks into the file's order, or into a section of their own";
const EARLIER_CONTEXT: &str = "give a context line that comes before these lines, or drop it";
const JOIN: &str = "join the two hunks, or leave the lines that they share out of one of them";
const INDENT: &str = "indent the lines of the patch as the file does";
const FOUND: &str = "the lines are here";

/// A file that a message shows.
pub(super) struct File<'f> {
    path: &'f RepoPath,
    pub(super) lines: Lines<'f>,
}

impl<'f> File<'f> {
    pub(super) fn new(path: &'f RepoPath, content: &'f Content) -> Self {
        Self { path, lines: Lines::new(content) }
    }

    pub(super) fn place(&self, index: usize, caption: &str, label: &str) -> FilePlace {
        place(self.path, &Quote::new(&self.lines, index), caption, label)
    }

    pub(super) fn passage(&self, range: Range<usize>, is_left: bool) -> Vec<Passage> {
        self.passages(vec![range], is_left)
    }

    fn passages(&self, ranges: Vec<Range<usize>>, is_left: bool) -> Vec<Passage> {
        let passages = Passage::around(self.path.as_bstr(), &self.lines, ranges);
        passages.into_iter().map(|passage| Passage { is_left, ..passage }).collect()
    }

    /// Shows the first few of several places; what tells them apart is under which line each is.
    fn rivals(&self, all: &[LineNo], caption: &str) -> Vec<FilePlace> {
        let lines = all.iter().map(|line| line.index()).filter(|&index| index < self.lines.len());
        let quotes: Vec<_> = lines.take(Quote::DRAWN).map(|index| Quote::with_heading(&self.lines, index)).collect();
        if all.len() > 1 { rivals(self.path, &quotes, caption, |_| "").into_iter().collect() } else { Vec::new() }
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
    let more = others.iter().map(|line| FileLine::new(line, label(line.number))).collect();
    Some(FilePlace { more, ..place(path, first, caption, label(first.number)) })
}

impl Diagnosis {
    /// Adds a place in a file that a reader should look at.
    pub(super) fn shows(self, place: FilePlace) -> Self {
        Self { places: vec![place], ..self }
    }

    /// Adds the place in a file that comes nearest to what was looked for.
    pub(super) fn at(self, place: FilePlace) -> Self {
        let nearest = Nearest::new(place.first.line, place.first.line, place.first.excerpt.text());
        Self { nearest: Some(nearest), ..self.shows(place) }
    }
}

impl Diagnose for Unplaced {
    fn diagnosis(&self) -> Diagnosis {
        let file = File::new(&self.path, &self.seen.content);
        let (mut of, ranges) = match &self.error {
            PlaceError::NotFound { reason, .. } => not_found(self, reason, &file),
            PlaceError::Ambiguous(ambiguity) => ambiguous(self, ambiguity, &file),
            PlaceError::Context { places, near, lines, .. } => context(self, places, near.as_deref(), *lines, &file),
            _ => misplaced(self, &file),
        };
        of.passages = file.passages(ranges, self.seen.is_left);
        if self.seen.is_left {
            of = of.note(format!("that is `{}` as the edits before this one leave it, not as it is", self.path));
        }
        of.path(&self.path)
    }
}

impl Unplaced {
    /// Begins what is said, and shows where the lines are instead.
    fn at(&self, at: LineNo, file: &File<'_>, caption: &str, label: &str) -> (Diagnosis, Vec<Range<usize>>) {
        (Diagnosis::new(self.error.kind()).at(file.place(at.index(), caption, label)), vec![self.from(at)])
    }

    fn from(&self, line: LineNo) -> Range<usize> {
        line.index()..line.index() + self.len.max(1)
    }
}

/// A diagnosis and the lines that it is about, to be said more of.
trait Say {
    fn say(self, label: &str, help: &str) -> Self;
}

impl Say for (Diagnosis, Vec<Range<usize>>) {
    fn say(self, label: &str, help: &str) -> Self {
        (self.0.label(label).help(help), self.1)
    }
}

fn misplaced(of: &Unplaced, file: &File<'_>) -> (Diagnosis, Vec<Range<usize>>) {
    let none = || (Diagnosis::new(of.error.kind()), Vec::new());
    match &of.error {
        PlaceError::ContextEarlier { at } => {
            let found = of.at(*at, file, "the context line is here", "before the previous hunk");
            found.say("is earlier", IN_ORDER)
        }
        PlaceError::Applied { at } => {
            let text = "the new text is here already";
            let caption = if of.part == Part::Find { text } else { "the new lines are here already" };
            let found = of.at(*at, file, caption, "from here on");
            let (said, ranges) = found.say("this change is there already", "leave out what is there already");
            (Diagnosis { is_made: true, ..said }, ranges)
        }
        PlaceError::Earlier { at, than, .. } => {
            let (label, said, help) = match than {
                Earlier::Previous => ("before what earlier hunks have reached", "is earlier", IN_ORDER),
                Earlier::AtContext => ("the context line itself", "is earlier", EARLIER_CONTEXT),
                Earlier::Context(_) => ("before the context line", "is earlier", EARLIER_CONTEXT),
                Earlier::Shared => ("begins among the lines of an earlier hunk", "shared with an earlier hunk", JOIN),
                Earlier::Taken => ("an earlier hunk has lines here", "shared with an earlier hunk", JOIN),
            };
            let (found, ranges) = of.at(*at, file, FOUND, label).say(said, help);
            let context = match than {
                Earlier::AtContext => Some(at),
                Earlier::Context(context) => Some(context),
                _ => None,
            };
            let note = |line| format!("its context line is line {line}, and a hunk's lines come after that");
            (found.notes(context.map(note)), ranges)
        }
        PlaceError::NotAtEnd { at } => of
            .at(*at, file, FOUND, "not at the end of the file")
            .say("not at the end of the file", "drop `*** End of File`, or give the file's last lines"),
        PlaceError::Indentation { at, line } => {
            let (found, _) =
                of.at(*line, file, "the file's line for it", "indented otherwise than the lines before it");
            (found, vec![of.from(*at)]).say("shifted otherwise", INDENT)
        }
        PlaceError::Unshiftable { at } => of
            .at(*at, file, FOUND, "indented less than in the patch")
            .say("indented less than what is to be taken away", INDENT),
        PlaceError::Unconfirmed => none().say(
            "a line of the hunk, or prose?",
            "correct the counts after `@@` and the lines; before prose, put an empty line",
        ),
        PlaceError::PastEnd { .. } | PlaceError::NotLast { .. } => {
            none().say("where?", "correct the number, or give lines of context next to the added ones")
        }
        error => (none().0.help(by_number(error)), Vec::new()),
    }
}

/// Says what to do about places of which there aren't as many as are meant, or that are meant twice.
fn by_number(error: &PlaceError) -> &'static str {
    match error {
        PlaceError::OutOfRange { .. } => "correct the number, or give more of the text around it and no occurrence",
        PlaceError::Times { .. } => {
            "correct the number, or give more of the text so that only the places that are meant have it"
        }
        PlaceError::Overlapping { .. } => "give more of the text around each place, one call a place",
        _ => "join the two hunks",
    }
}

fn context(
    of: &Unplaced,
    places: &Places,
    near: Option<&crate::plan::Closest>,
    lines: Option<LineNo>,
    file: &File<'_>,
) -> (Diagnosis, Vec<Range<usize>>) {
    let (said, mut ranges) = match near {
        Some(near) => {
            let (said, ranges) = closest::diagnosis(of.error.kind(), near, file);
            (Diagnosis { advice: None, ..said }, ranges)
        }
        None => {
            let caption = match places.count > Quote::DRAWN {
                true => format!("the first {} of {} lines that hold that text", Quote::DRAWN, places.count),
                false => "each of these lines holds that text".into(),
            };
            let said = Diagnosis::new(of.error.kind()).label("this line is not there");
            let said = Diagnosis { places: file.rivals(&places.lines, &caption), line: lines, ..said };
            (said, places.lines.iter().take(3).map(|line| line.index()..line.index() + 1).collect())
        }
    };
    let said = Diagnosis { candidates: places.lines.clone(), ..said };
    let Some(line) = lines else { return (said.help("give a whole line of the file after `@@`, or drop it"), ranges) };
    ranges = vec![of.from(line)];
    let said = said.note(format!("the hunk's own lines are in the file once, on line {line}"));
    (said.help("drop the text after `@@`, or give a whole line of the file there"), ranges)
}

fn not_found(of: &Unplaced, reason: &Reason, file: &File<'_>) -> (Diagnosis, Vec<Range<usize>>) {
    let none = || Diagnosis::new(of.error.kind()).help(CORRECT_THEM).advice(BYTE_FOR_BYTE);
    match reason {
        Reason::Near(near) => closest::diagnosis(of.error.kind(), near, file),
        Reason::NoSuchLine => (none().label("this line is not in the file"), Vec::new()),
        Reason::NotTogether(lines) => {
            let said = none().label("from here on").note(format!(
                "every one of these lines is in the file, but they don't follow one another there: they are on lines {}",
                listed(lines, lines.len())
            ));
            (said, lines.iter().take(3).map(|line| line.index()..line.index() + 1).collect())
        }
        Reason::EmptyFile => (none().label("from here on").note("the file is empty"), Vec::new()),
        Reason::Edges(at) => of
            .at(*at, file, "the text is here, without blank lines around it", "in the middle of other text")
            .say("from here on", "leave out the blank lines at the edges, or give whole lines next to them"),
        Reason::Newline(last) => {
            let help = "take `\\ No newline at end of file` away behind the line";
            let (said, _) = of.at(*last, file, FOUND, "where they end").say("said to be without newline", help);
            (said.note("the file ends with a newline; the patch says that it doesn't"), vec![of.up_to(*last)])
        }
        Reason::NoNewline(last) => {
            let help = "put `\\ No newline at end of file` on a line of its own behind it";
            let (said, _) = of.at(*last, file, FOUND, "where they end").say("said to end with a newline", help);
            (said.note("the file doesn't end with a newline; the patch says that it does"), vec![of.up_to(*last)])
        }
        Reason::Unnumbered { at, claimed } => {
            let found = of.at(*at, file, FOUND, "not where the hunk's number says");
            let (said, ranges) = found.say("is elsewhere", "correct the number, or leave --strict out");
            let said = said.note(format!("its number says that they are on line {claimed}"));
            (said.advice("correct the number"), ranges)
        }
    }
}

impl Unplaced {
    fn up_to(&self, last: LineNo) -> Range<usize> {
        let end = last.index() + 1;
        end.saturating_sub(self.len.max(1))..end
    }

    /// Shows several places of which nothing says which is meant.
    fn several(&self, places: &Places, file: &File<'_>, help: &str) -> (Diagnosis, Vec<Range<usize>>) {
        let caption = match places.count > Quote::DRAWN {
            true => format!("the first {} of {} places that match", Quote::DRAWN, places.count),
            false => "each of these places matches".into(),
        };
        let of = Diagnosis {
            places: file.rivals(&places.lines, &caption),
            candidates: places.lines.clone(),
            ..Diagnosis::new(self.error.kind())
        };
        (of, places.lines.iter().take(3).map(|line| self.from(*line)).collect()).say("which one?", help)
    }

    /// Shows two places of which nothing says which is meant.
    fn both(&self, places: [LineNo; 2], file: &File<'_>, help: &str) -> (Diagnosis, Vec<Range<usize>>) {
        let of = Diagnosis {
            places: file.rivals(&places, "both of these places match"),
            candidates: places.into(),
            ..Diagnosis::new(self.error.kind())
        };
        (of, places.iter().map(|line| self.from(*line)).collect()).say("which one?", help)
    }
}

fn ambiguous(of: &Unplaced, ambiguity: &Ambiguity, file: &File<'_>) -> (Diagnosis, Vec<Range<usize>>) {
    let none = || (Diagnosis::new(of.error.kind()), Vec::new());
    match ambiguity {
        Ambiguity::Find(places) => {
            let help = match of.part {
                Part::Text => "give more of the text around it, or `replace_all` if every place is meant",
                _ => "give more of the text around it, or occurrence=\"first\", \"last\" or a number",
            };
            of.several(places, file, help)
        }
        Ambiguity::Lines { places, claimed } => {
            let (said, ranges) = of.several(places, file, "give more of the lines around the change");
            let note = |line| format!("`:start_line:` says line {line}");
            (said.notes(claimed.map(note)), ranges)
        }
        Ambiguity::Numbers(places) => {
            let help = "give more lines around the change, or a context line after `@@` instead of numbers";
            of.several(places, file, help)
        }
        Ambiguity::Unique(places) => {
            of.several(places, file, "give more lines around the change, or a context line after `@@`")
        }
        Ambiguity::Moved(places) => {
            let (said, ranges) = of.several(places, file, "give more lines around the change, or the right numbers");
            (said.note("none of them is where the hunk's number says"), ranges)
        }
        Ambiguity::Fuzz { places, .. } => {
            of.several(places, file, "give the lines as they are in the file, byte for byte, or more of them")
        }
        Ambiguity::Heading { numbered, other, .. } => {
            let help = "correct the number or the heading behind it, or give more lines around the change";
            of.both([*numbered, *other], file, help)
        }
        Ambiguity::End { numbered, end } => of.both(
            [*numbered, *end],
            file,
            "give the lines after the change, or correct the number if the end of the file is meant",
        ),
        Ambiguity::RestatedTwice { context, behind } => {
            of.both([*context, *behind], file, "give more lines around the change, or another context line")
        }
        Ambiguity::Nowhere => none().say(
            "where?",
            "give a line of context next to the added ones, or a context line after `@@` instead of numbers",
        ),
        Ambiguity::NumberOnly => {
            let (said, ranges) =
                none().say("where?", "give a line of context next to the added ones, or leave --strict out");
            (said.advice("give a line of context next to the added ones"), ranges)
        }
    }
}
