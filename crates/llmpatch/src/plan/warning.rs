//! What planning dropped, guessed or relaxed, as data: what is said of it beside its headline is
//! made in `explain/`.

use super::place_error::{Part, Places};
use crate::kind::Kind;
use crate::path::RepoPath;
use crate::search::{Document, Fuzz, Relaxation, Side};
use crate::text::{Excerpt, LineNo, Lines, Located, lines};
use std::borrow::Cow;
use std::num::NonZeroUsize;
use strum::EnumProperty as _;

/// What planning dropped, guessed or relaxed.
#[allow(missing_docs, reason = "the message says what the fields are")]
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, strum::EnumProperty)]
#[non_exhaustive]
pub enum Warning {
    /// A hunk, or a find, has its place by more than its lines, or does nothing there.
    #[error("{part} of `{path}`{how}")]
    Placed {
        path: RepoPath,
        part: Part,
        how: Placing,
    },
    /// The file's mode isn't the mode that the patch says it had.
    #[error("`{path}` has mode {file:06o}; the patch was made for one with {patch:06o}")]
    #[strum(props(kind = "mode-differs"))]
    ModeDiffers {
        path: RepoPath,
        file: u32,
        patch: u32,
    },
    /// The patch was made from another content of the file. Both ids are as long as the patch's.
    #[error(
        "`{path}` isn't the file that the patch was made from: its id is {file}, the patch says {patch}"
    )]
    #[strum(props(kind = "id-differs"))]
    IdDiffers {
        path: RepoPath,
        file: String,
        patch: String,
    },
    /// The last line had no terminator and now has one.
    #[error("`{path}` did not end with a newline; it does now")]
    #[strum(props(kind = "newline-added"))]
    NewlineAdded { path: RepoPath },
    /// What takes the place of the end of the file doesn't end with a newline.
    #[error("`{path}` no longer ends with a newline")]
    #[strum(props(kind = "final-newline"))]
    NewlineGone { path: RepoPath },
    /// All of a line was replaced by nothing, apart from its end and whitespace that it may have.
    #[error(
        "line {at} of `{path}` {}, where text was removed",
        if *has_space { "now holds only whitespace" } else { "is now empty" }
    )]
    #[strum(props(kind = "empty-line"))]
    EmptyLine {
        path: RepoPath,
        at: LineNo,
        has_space: bool,
    },
    /// The last lines were removed, and a blank line before them is now the last.
    #[error("`{path}` now ends with an empty line, since what came after it was removed")]
    #[strum(props(kind = "empty-line"))]
    BlankEnd { path: RepoPath },
    /// All of a file was removed, and the file stays.
    #[error("`{path}` is left without a line, and stays, empty")]
    #[strum(props(kind = "empty-line"))]
    Emptied { path: RepoPath },
    /// An edit that changes nothing.
    #[error("this edit of `{path}` changes nothing")]
    #[strum(props(kind = "no-change"))]
    NoChange { path: RepoPath },
    /// The new file is already there, byte for byte.
    #[error("`{path}` is already there with exactly this content")]
    #[strum(props(kind = "no-change"))]
    AlreadyThere { path: RepoPath },
    /// A file of the same name is in the directory from which somebody may mean the path.
    #[error("`{path}` is changed, and not `{other}`: paths count from the top of the work tree")]
    #[strum(props(kind = "directory"))]
    Namesake { path: RepoPath, other: RepoPath },
    /// A new file where an empty one is.
    #[error("`{path}` is there already and empty; it is filled")]
    #[strum(props(kind = "filled-empty"))]
    Filled { path: RepoPath },
    /// A delete body that shows only a part of the file, from line to line.
    #[error("`{path}` is deleted whole, though this section shows only {} of {total}", range(*first, *last))]
    #[strum(props(kind = "partial-delete-body"))]
    PartialDeleteBody {
        path: RepoPath,
        first: LineNo,
        last: LineNo,
        total: usize,
    },
    /// Lines that the file holds without the backslashes before what would else be markers.
    #[error(
        "SEARCH in `{path}` is in the file only without the backslashes before its markers; they are left out"
    )]
    #[strum(props(kind = "escaped-marker"))]
    Unescaped { path: RepoPath },
    /// A match that begins or ends inside a word.
    #[error("the match in `{path}` {how} inside a word on line {}", .line.line)]
    #[strum(props(kind = "inside-word"))]
    InsideWord {
        path: RepoPath,
        how: Side,
        line: Quote,
    },
    /// A match that begins inside the indentation of its line, of which the new text has several.
    #[error(
        "the match in `{path}` begins inside the indentation of line {}, which the further lines of the new text may lack", .line.line
    )]
    #[strum(props(
        kind = "inside-indentation",
        help = "if they do, give the text to find with the whole indentation of its first line"
    ))]
    InsideIndentation { path: RepoPath, line: Quote },
}

/// How the place of a hunk or a find was found. Its property `how` is what reports call it; where it
/// has none, the lines are in the file byte for byte, and another place may be meant.
#[allow(missing_docs, reason = "the message says what the fields are")]
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, strum::EnumProperty)]
#[non_exhaustive]
pub enum Placing {
    /// Its lines are in the file byte for byte. That isn't said.
    #[error("")]
    Exact,
    /// A hunk of added lines only, which can go nowhere else. That isn't said.
    #[error("")]
    #[strum(props(how = "addition"))]
    Added,
    /// A context line was found by a looser rule.
    #[error(": context line isn't in the file as written; line {}, which {how}, is used", .line.line)]
    #[strum(props(kind = "locator-relaxed", how = "locator"))]
    Relaxed { how: Relaxation, line: Quote },
    /// A context line, or old lines that are elsewhere, too, aren't in the block that the context
    /// line before opens, and that ends before another line.
    #[error(": line {} is outside of the block of its context line {outer}, which ends before line {end}", .line.line)]
    #[strum(props(
        kind = "outside-context",
        help = "if another is meant, name the block that it is in; --unique refuses such hunks"
    ))]
    OutsideContext {
        outer: LineNo,
        line: Quote,
        end: LineNo,
    },
    /// A context line is before the hunk before, and what follows it is ahead only once.
    #[error(
        ": its context line {at} is before the previous hunk, in the same block; what comes after that in the patch is on line {ahead}"
    )]
    #[strum(props(kind = "locator-relaxed"))]
    Behind { at: LineNo, ahead: LineNo },
    /// The old lines were found at a level; `line` is the first that differs.
    #[error(
        " isn't in the file as written; it is applied on line {at}, which is the same apart from {} (--fuzz={level})",
        level.allows()
    )]
    #[strum(props(kind = "fuzzy"))]
    Fuzzy {
        level: Fuzz,
        at: LineNo,
        line: Quote,
    },
    /// The old lines begin with this line, the context line itself.
    #[error(": its lines begin with its own context line {_0}, and are changed there")]
    #[strum(props(kind = "restated", how = "restated"))]
    Restated(LineNo),
    /// The old lines begin, with this line, in the context that ends the hunk before.
    #[error(": its lines begin on line {_0}, in the context of the hunk before, which both have")]
    #[strum(props(kind = "overlap"))]
    Shared(LineNo),
    /// A trailing empty line that isn't in the file was left out, and the hunk was placed on this
    /// one.
    #[error(": its last old line is empty and isn't in the file; placed on line {_0} without it")]
    #[strum(props(kind = "blank-dropped", how = "blank-dropped"))]
    BlankDropped(LineNo),
    /// A find matches on this line only without the empty lines at its edges.
    #[error(
        " matches on line {_0} only without the empty lines at its edges; they are left out of find and put"
    )]
    #[strum(props(kind = "blank-edges", how = "blank-edges"))]
    BlankEdges(LineNo),
    /// The lines are in other places, too; the first few of all places are shown.
    #[error(": its lines are in {} places; line {chosen} is changed; they are also on {others}", .others.count + 1)]
    #[strum(props(kind = "duplicates"))]
    Duplicates {
        chosen: LineNo,
        others: Places,
        lines: Vec<Quote>,
    },
    /// A hunk of added lines only, which go to the end of the file.
    #[error(" only adds lines: they go after the last line of the file")]
    #[strum(props(kind = "addition-place", how = "addition"))]
    AddedAtEnd,
    /// A hunk of added lines only, which go behind its context line; `others` equal that.
    #[error(
        " only adds lines: they go right after its context line {after}{}",
        if others.count == 0 { String::new() } else { format!("; the same line is also on {others}") }
    )]
    #[strum(props(kind = "addition-place", how = "addition"))]
    AddedAfter { after: LineNo, others: Places },
    /// A hunk of a unified diff that is elsewhere than its number says, and so far from there that
    /// lines which come or go elsewhere don't explain it.
    #[error(
        " isn't on line {claimed}, as its number says; its lines are on line {at}, and are changed there"
    )]
    #[strum(props(kind = "hunk-moved", how = "moved"))]
    Moved {
        claimed: LineNo,
        at: LineNo,
        is_far: bool,
    },
    /// A hunk of a unified diff that is where its number says, and whose lines are, too, where that
    /// number was before the response.
    #[error(
        " is changed on line {at}, as its number says; counted in the file as it was before the response, that is line {other} now, which has its lines too"
    )]
    #[strum(props(
        kind = "duplicates",
        help = "if the other is meant, count in the file as the diffs before leave it, or give more lines around the change"
    ))]
    Shifted { at: LineNo, other: LineNo },
    /// A hunk of a unified diff that only its number places at the top of the file.
    #[error(" only adds lines: they go at the top of the file, by its number alone")]
    #[strum(props(kind = "addition-place", how = "addition"))]
    AddedAtTop,
    /// A hunk of a unified diff that only its number places, behind this line.
    #[error(" only adds lines: they go after line {_0}, by its number alone")]
    #[strum(props(kind = "addition-place", how = "addition"))]
    AddedByNumber(LineNo),
    /// The rightmost match of a find overlaps the last as occurrences are counted, this `number`.
    #[error(
        ": the rightmost match, on line {at}, is changed; counted from the start without overlaps, the last is number {number}, on line {counted}"
    )]
    #[strum(props(kind = "overlap"))]
    Overlapping {
        at: LineNo,
        counted: LineNo,
        number: NonZeroUsize,
    },
    /// The added lines are right before or behind the old lines already, from this line on.
    #[error(": what is added is there already, on line {_0}; it is added a second time")]
    #[strum(props(
        kind = "already-there",
        help = "leave it out, unless it is to be there twice"
    ))]
    Again(LineNo),
    /// A hunk that changes nothing.
    #[error(" changes nothing")]
    #[strum(props(kind = "no-change"))]
    Idle,
}

/// A line of a file or a response, as a message shows it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Quote {
    /// The line.
    pub line: LineNo,
    /// Its text, as far as it is shown, and the part that is meant.
    pub excerpt: Excerpt,
    /// The nearest line above that is indented less, which names what the line is part of; else the
    /// one right above. It is there only where it helps to tell the line from others.
    pub heading: Option<(LineNo, Excerpt)>,
    /// The few words below the part that is meant.
    pub label: String,
}

impl Quote {
    /// How many lines are shown among which nothing decides: they all look alike, and their numbers
    /// are told anyway.
    pub(crate) const DRAWN: usize = 3;
    /// How many lines above a line are searched for the line under which it is.
    const ABOVE: usize = 1000;

    /// Takes a line by its number and its text.
    pub fn of(line: LineNo, excerpt: Excerpt) -> Self {
        Self {
            line,
            excerpt,
            heading: None,
            label: String::new(),
        }
    }

    /// Adds the words below the part that is meant.
    #[must_use]
    pub fn labelled(self, label: &str) -> Self {
        Self {
            label: label.into(),
            ..self
        }
    }

    /// Takes a line by its index.
    pub fn new(lines: &Lines<'_>, index: usize) -> Self {
        Self::of(
            LineNo::from_index(index),
            Excerpt::of_line(lines.text(index)),
        )
    }

    /// Takes a line by its index, and the line under which it is.
    pub(crate) fn with_heading(lines: &Lines<'_>, index: usize) -> Self {
        Self::under(|at| Cow::Borrowed(lines.text(at)), index)
    }

    /// The same, of lines that are given by their indices.
    pub(super) fn under<'l>(text: impl Fn(usize) -> Cow<'l, [u8]>, index: usize) -> Self {
        let indent = |at: usize| {
            text(at)
                .iter()
                .take_while(|byte| byte.is_ascii_whitespace())
                .count()
        };
        let has_text = |at: &usize| indent(*at) < text(*at).len();
        let mut above = (index.saturating_sub(Self::ABOVE)..index)
            .rev()
            .filter(has_text);
        let own = indent(index);
        let outer = if own > 0 {
            above.find(|&above| indent(above) < own)
        } else {
            None
        };
        let heading = outer.or_else(|| index.checked_sub(1).filter(has_text));
        let heading = heading.map(|at| (LineNo::from_index(at), Excerpt::of_line(&text(at))));
        Self {
            heading,
            ..Self::of(LineNo::from_index(index), Excerpt::of_line(&text(index)))
        }
    }
}

impl Placing {
    /// What reports call the ways in which places are found, the loosest last.
    pub const NAMES: [&'static str; 10] = [
        "exact",
        "addition",
        "locator",
        "moved",
        "restated",
        "blank-dropped",
        "blank-edges",
        "trailing",
        "indent",
        "unicode",
    ];

    /// Returns the level of fuzz that it took.
    pub(super) fn level(&self) -> Option<Fuzz> {
        match self {
            Placing::Fuzzy { level, .. }
            | Placing::Relaxed {
                how: Relaxation::Level(level),
                ..
            } => Some(*level),
            _ => None,
        }
    }

    /// Returns the stable name, such as `moved`.
    pub fn name(&self) -> &'static str {
        match self.level() {
            Some(level) => level.name(),
            None => self.get_str("how").unwrap_or("exact"),
        }
    }

    fn looseness(&self) -> Option<usize> {
        Self::NAMES.iter().position(|name| *name == self.name())
    }

    /// Returns the loosest of the ways in which a place was found together.
    pub(super) fn loosest(ways: &[Located<Placing>]) -> Self {
        let ways = ways.iter().map(|way| &way.value);
        let loosest = ways.max_by_key(|way| way.looseness());
        let loosest = loosest.filter(|way| way.looseness() > Some(0));
        loosest.cloned().unwrap_or(Placing::Exact)
    }

    /// Returns whether it is worth a warning.
    pub(super) fn is_told(&self) -> bool {
        !matches!(self, Placing::Exact | Placing::Added)
    }

    /// Makes the note that lines are in other places, too.
    pub(super) fn duplicates(file: &Document, chosen: LineNo, others: Places) -> Self {
        let mut first: Vec<_> = others
            .lines
            .iter()
            .copied()
            .take(Quote::DRAWN - 1)
            .chain([chosen])
            .collect();
        first.sort();
        let lines = first
            .iter()
            .map(|line| Quote::under(|at| file.text(at), line.index()))
            .collect();
        Placing::Duplicates {
            chosen,
            others,
            lines,
        }
    }
}

impl Warning {
    /// Returns the stable kind.
    pub fn kind(&self) -> Kind {
        let kind = match self {
            Warning::Placed { how, .. } => Kind::at_variant(how),
            _ => Kind::at_variant(self),
        };
        kind.unwrap_or(Kind::NoChange)
    }

    /// Returns the file that it is about.
    pub fn path(&self) -> &RepoPath {
        let (Warning::Placed { path, .. }
        | Warning::ModeDiffers { path, .. }
        | Warning::IdDiffers { path, .. }
        | Warning::NewlineAdded { path }
        | Warning::NewlineGone { path }
        | Warning::EmptyLine { path, .. }
        | Warning::BlankEnd { path }
        | Warning::Emptied { path }
        | Warning::NoChange { path }
        | Warning::AlreadyThere { path }
        | Warning::Filled { path }
        | Warning::Namesake { path, .. }
        | Warning::PartialDeleteBody { path, .. }
        | Warning::Unescaped { path }
        | Warning::InsideWord { path, .. }
        | Warning::InsideIndentation { path, .. }) = self;
        path
    }
}

fn range(first: LineNo, last: LineNo) -> String {
    lines(&[(first, last)], 1)
}
