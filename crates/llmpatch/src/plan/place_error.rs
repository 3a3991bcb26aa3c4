//! Why a hunk, or a find, has no place, as data.

use std::fmt;
use std::num::NonZeroUsize;

use bstr::BString;

use super::error::FileAsFound;
use crate::kind::Kind;
use crate::path::RepoPath;
use crate::search::{Fuzz, Sought};
use crate::text::{LineNo, Shown, lines};
use crate::tree::Content;

/// How many lines are listed at most among which nothing decides.
pub(super) const CANDIDATES: usize = 10_000;

/// A hunk or a find that has no place in its file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{part} of `{path}` {error}")]
pub struct Unplaced {
    /// The file.
    pub path: RepoPath,
    /// What of the edit has no place.
    pub part: Part,
    /// Why not.
    pub error: PlaceError,
    /// What the file holds.
    pub seen: FileAsFound,
    /// How many old lines it has.
    pub len: usize,
    /// Where it would have a place at a level of fuzz, and the level at which the whole response
    /// would, if it would.
    pub at_level: Option<(LineNo, Fuzz)>,
    /// The same of the file as it was before the response, if that is another and it has no place
    /// there either.
    pub before: Option<Box<Unplaced>>,
}

/// A part of an edit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::Display)]
pub enum Part {
    /// A hunk of its section, from 1.
    #[strum(to_string = "hunk {0}")]
    Hunk(usize),
    /// The text that is looked for.
    #[strum(to_string = "find")]
    Find,
    /// The lines that are looked for.
    #[strum(to_string = "SEARCH")]
    Search,
    /// The text that is replaced byte for byte.
    #[strum(to_string = "old text")]
    Text,
    /// All of a section that deletes a file.
    #[strum(to_string = "the delete section")]
    Delete,
}

/// Why a hunk, or a find, has no place.
#[allow(missing_docs, reason = "the message says what the fields are")]
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, strum::EnumProperty)]
#[non_exhaustive]
pub enum PlaceError {
    /// The context line isn't in the file. `places` are the lines that a looser reading finds, if
    /// they are several; `sought` is the line again if it is worth looking for what is like it, and
    /// `lines` the place of the hunk's old lines, if they have a single place.
    #[error("names a context line that isn't in the file: `{}`", Shown(.text))]
    #[strum(props(kind = "context-not-found"))]
    Context {
        text: BString,
        places: Places,
        sought: Option<Box<Sought>>,
        lines: Option<LineNo>,
    },
    /// The context line is only before the hunks that came before, or not behind the hunk's
    /// context line before it, which is on line `outer`.
    #[error("names a context line that is only on {places}, {}", match outer {
        Some(outer) => format!("and not after line {outer}, where the one before it is"),
        None => "before the previous hunk; hunks must follow the file's order".into(),
    })]
    #[strum(props(kind = "context-not-found", label = "is earlier"))]
    ContextEarlier {
        at: LineNo,
        places: Places,
        outer: Option<LineNo>,
    },
    /// A context line, or old lines that are elsewhere, too, aren't in the block that the context
    /// line before opens, and that ends before another line.
    #[error("leads to line {at}, which is outside of the block of its context line {outer}")]
    #[strum(props(
        kind = "context-not-found",
        label = "not in the block of the context line before it",
        help = "name the block that it is in, or nothing after `@@` but this line"
    ))]
    OutsideContext {
        outer: LineNo,
        at: LineNo,
        end: LineNo,
    },
    /// The lines are nowhere in the file.
    #[error("matches no lines {after}")]
    NotFound { after: After, sought: Box<Sought> },
    /// The text is there, but not the empty lines at its edges.
    #[error("matches no lines of the file")]
    #[strum(props(
        label = "from here on",
        help = "leave out the empty lines at the edges, or give whole lines next to them"
    ))]
    Edges { at: LineNo },
    /// The text is there, at the end of the file, but for the newline at its end.
    #[error("matches no lines of the file")]
    #[strum(props(
        label = "it ends with a newline",
        help = "leave out the newline at the end of the text, and of the new text"
    ))]
    OpenEnd { at: LineNo },
    /// The lines are at the end of the file, which ends with a newline: where the last of them is.
    #[error("matches no lines {after}")]
    #[strum(props(
        label = "shown without a newline",
        help = "remove `\\ No newline at end of file` after the line"
    ))]
    Newline { after: After, last: LineNo },
    /// The lines are at the end of the file, which ends without a newline: where the last of them
    /// is.
    #[error("matches no lines {after}")]
    #[strum(props(
        label = "shown with a newline",
        help = "put `\\ No newline at end of file` on a line of its own after it"
    ))]
    NoNewline {
        after: After,
        last: LineNo,
        /// Whether the hunk keeps that line and adds others behind it.
        is_followed: bool,
    },
    /// The lines aren't where the hunk's number claims, and may not be moved.
    #[error("matches no lines {after}")]
    #[strum(props(
        label = "is elsewhere",
        help = "correct the number, or leave --strict out",
        advice = "correct the number"
    ))]
    Unnumbered {
        after: After,
        at: LineNo,
        claimed: LineNo,
    },
    /// The new lines are there already.
    #[error("seems to be applied already: its new lines are on line {at}")]
    #[strum(props(
        label = "this change is there already",
        help = "leave out what is there already"
    ))]
    Applied { at: LineNo },
    /// The lines are where they may not be any more.
    #[error("matches no lines {after}; found on line {at}, {than}")]
    Earlier {
        after: After,
        at: LineNo,
        than: Earlier,
    },
    /// The lines aren't at the end of the file; `mark` is the line that says so.
    #[error("isn't at the end of the file, though `{mark}` says so")]
    #[strum(props(label = "not at the end of the file"))]
    NotAtEnd { at: LineNo, mark: &'static str },
    /// Several places fit, or nothing says which is meant.
    #[error(transparent)]
    #[strum(props(kind = "ambiguous"))]
    Ambiguous(#[from] Ambiguity),
    /// The lines are there but for their indentation, and the old lines show different shifts:
    /// `line` is the first line that is shifted otherwise than the lines before it.
    #[error(
        "is on line {at} apart from its indentation, which differs from line to line, so that it isn't clear how its added lines are to be indented"
    )]
    #[strum(props(
        label = "shifted differently",
        help = "indent the lines of the patch as the file does"
    ))]
    Indentation { at: LineNo, line: LineNo },
    /// The lines are there but for their indentation, and an added line lacks what is to be taken
    /// away.
    #[error(
        "is on line {at} apart from its indentation, and an added line lacks the spaces by which the file is indented less"
    )]
    #[strum(props(
        label = "indented less than what is to be taken away",
        help = "indent the lines of the patch as the file does"
    ))]
    Unshiftable { at: LineNo },
    /// Added lines behind the end of the file, which has `lines` lines.
    #[error("adds lines after line {after}, but the file has only {lines}")]
    #[strum(props(
        label = "where?",
        help = "correct the number, or give lines of context next to the added ones"
    ))]
    PastEnd { after: usize, lines: usize },
    /// Added lines without newline that aren't the last.
    #[error("adds lines after line {after} without a newline at their end, but more lines follow")]
    #[strum(props(
        label = "where?",
        help = "correct the number, or give lines of context next to the added ones"
    ))]
    NotLast { after: usize },
    /// An occurrence that isn't there.
    #[error("asks for occurrence {wanted}, and the text occurs {}, on {places}", times(.places.count))]
    #[strum(props(
        kind = "occurrence",
        help = "correct the number, or give more of the text around it and no occurrence"
    ))]
    OutOfRange {
        wanted: NonZeroUsize,
        places: Places,
    },
    /// A text that isn't there as often as it is said to be.
    #[error("is to be replaced {}, and occurs {}, on {places}", times(wanted.get()), times(.places.count))]
    #[strum(props(
        kind = "occurrence",
        help = "correct the number, or give more of the text so that only the places that are meant have it"
    ))]
    Times {
        wanted: NonZeroUsize,
        places: Places,
    },
    /// Places that share bytes, and are all to be replaced.
    #[error(
        "occurs on line {at} and again before it ends there, so that not all of them can be replaced"
    )]
    #[strum(props(
        kind = "ambiguous",
        help = "give more of the text around each place, one call a place"
    ))]
    Overlapping { at: LineNo },
    /// The text for all the places is more than a response may make of a file.
    #[error("occurs {}, and its new text in all these places is more than a response may add", times(*.count))]
    #[strum(props(
        kind = "unsupported",
        help = "make fewer places of it, in edits with more of the text around each; LIMITS in `git llmpatch help` says how much may be added"
    ))]
    TooMuch { count: usize },
    /// The lines are there but for their indentation, and that of the added lines would be more than
    /// a response may make of a file.
    #[error(
        "is on line {at} apart from its indentation, and to indent its added lines as much is more than a response may add"
    )]
    #[strum(props(
        kind = "unsupported",
        help = "indent the lines of the patch as the file does"
    ))]
    TooDeep { at: LineNo },
    /// Two hunks change the same lines.
    #[error("changes lines that another hunk changes too")]
    #[strum(props(kind = "conflict", help = "join the two hunks"))]
    Overlap,
}

/// What lines are before, or among, that they would have to come after.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error, strum::EnumProperty)]
pub enum Earlier {
    /// They are before what earlier hunks have reached.
    #[error("before the previous hunk")]
    #[strum(props(
        label = "is earlier",
        help = "put the hunks into the file's order, or into a section of their own"
    ))]
    Previous,
    /// They begin with the hunk's own context line.
    #[error("its context line")]
    #[strum(props(
        label = "is earlier",
        help = "give a context line that comes before these lines, or drop it"
    ))]
    AtContext,
    /// The old lines are before this line, the hunk's own context line.
    #[error("before its context line")]
    #[strum(props(
        label = "is earlier",
        help = "give a context line that comes before these lines, or drop it"
    ))]
    Context(LineNo),
    /// The old lines begin among the old lines of an earlier hunk.
    #[error("among an earlier hunk's lines")]
    #[strum(props(
        label = "shared with an earlier hunk",
        help = "join the two hunks, or leave the lines that they share out of one of them"
    ))]
    Shared,
    /// An earlier hunk has some of them, or adds lines between them.
    #[error("among an earlier hunk's lines")]
    #[strum(props(
        label = "shared with an earlier hunk",
        help = "join the two hunks, or leave the lines that they share out of one of them"
    ))]
    Taken,
}

/// Why nothing says which place is meant.
#[allow(missing_docs, reason = "the message says what the fields are")]
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, strum::EnumProperty)]
pub enum Ambiguity {
    /// A find without `occurrence`.
    #[error("matches {} places, and nothing says which is meant: {_0}", _0.count)]
    Find(Places),
    /// Whole lines, none of which is at the line that is claimed, or may not be chosen by it.
    #[error("matches {} places, and nothing says which is meant: {places}", places.count)]
    Lines {
        /// The places.
        places: Places,
        /// The line that is claimed.
        claimed: Option<LineNo>,
    },
    /// Line numbers in the hunk's header claim a place.
    #[error("matches {} places, and nothing says which is meant: {_0}", _0.count)]
    #[strum(props(
        help = "give more lines around the change, or a context line after `@@` instead of numbers"
    ))]
    Numbers(Places),
    /// Nothing but blank lines.
    #[error(
        "has no old lines but ones without text, which match {} places, and nothing says which is meant: {_0}", _0.count
    )]
    #[strum(props(help = "give a line with text next to the change"))]
    Blank(Places),
    /// `--unique`
    #[error("matches {} places, and nothing says which is meant: {_0}", _0.count)]
    #[strum(props(help = "give more lines around the change, or a context line after `@@`"))]
    Unique(Places),
    /// None of them is where the hunk's number says.
    #[error("matches {} places, and nothing says which is meant: {_0}", _0.count)]
    #[strum(props(help = "give more lines around the change, or the right numbers"))]
    Moved(Places),
    /// A level, which only takes the only candidate.
    #[error("matches {} places apart from {} (--fuzz={level}), and nothing says which is meant: {places}", .places.count, level.allows())]
    #[strum(props(
        help = "give the lines as they are in the file, byte for byte, or more of them"
    ))]
    Fuzz { level: Fuzz, places: Places },
    /// The number in the hunk's header means one place, and the heading behind it another, which is
    /// below the heading.
    #[error(
        "is on line {numbered} by its number, and on line {other} by its heading, which is line {heading}"
    )]
    #[strum(props(
        help = "correct the number or the heading after it, or give more lines around the change"
    ))]
    Heading {
        numbered: LineNo,
        other: LineNo,
        heading: LineNo,
    },
    /// No context follows the changes, as at the end of a file, where the lines are, too.
    #[error(
        "is on line {numbered} by its number, and also at the end of the file, on line {end}, where a hunk without context after its changes belongs"
    )]
    #[strum(props(
        help = "give the lines after the change, or correct the number if the end of the file is meant"
    ))]
    End { numbered: LineNo, end: LineNo },
    /// The lines are at the context line and again behind it.
    #[error(
        "matches at its context line {context} and again on line {behind}, and nothing says which is meant"
    )]
    #[strum(props(help = "give more lines around the change, or another context line"))]
    RestatedTwice { context: LineNo, behind: LineNo },
    /// Added lines with nothing to say where they go.
    #[error("only adds lines, and its line numbers mean nothing in this format")]
    #[strum(props(
        label = "where?",
        help = "give a line of context next to the added ones, or a context line after `@@` instead of numbers"
    ))]
    Nowhere,
    /// Added lines under a header without numbers and without a context line.
    #[error("only adds lines, and nothing says where")]
    #[strum(props(
        label = "where?",
        help = "give a line of context next to the added ones, or a context line after `@@`"
    ))]
    Anywhere,
    /// Added lines, under `--strict`, of which two descriptions of the format say where they go.
    #[error(
        "only adds lines: they go to line {at}, or by another description of the format to line {other}"
    )]
    #[strum(props(
        label = "where?",
        help = "give a line of context next to the added ones, or leave --strict out",
        advice = "give a line of context next to the added ones"
    ))]
    Added { at: LineNo, other: LineNo },
    /// Added lines with nothing but a number to say where they go, where that isn't enough.
    #[error("only adds lines, and nothing but its line number says where")]
    #[strum(props(
        label = "where?",
        help = "give a line of context next to the added ones, or leave --strict out",
        advice = "give a line of context next to the added ones"
    ))]
    NumberOnly,
}

/// Where lines are looked for: behind this line; `None` for the whole file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct After(pub Option<LineNo>);

impl fmt::Display for After {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(line) => write!(f, "after line {line}"),
            None => f.write_str("of the file"),
        }
    }
}

/// Several places, of which the first few are listed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Places {
    /// The lines in which they begin, the first ten thousand of them.
    pub lines: Vec<LineNo>,
    /// How many places there are.
    pub count: usize,
    /// In how many lines they begin: texts may begin in one line several times.
    pub in_lines: usize,
}

impl Places {
    /// Takes places that begin in lines of their own, given by their indices.
    pub(crate) fn new(indices: impl IntoIterator<Item = usize>, count: usize) -> Self {
        let lines = indices
            .into_iter()
            .take(CANDIDATES)
            .map(LineNo::from_index)
            .collect();
        Self {
            lines,
            count,
            in_lines: count,
        }
    }
}

impl fmt::Display for Places {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let runs: Vec<_> = self
            .lines
            .iter()
            .take(6)
            .map(|&line| (line, line))
            .collect();
        f.write_str(&lines(&runs, self.in_lines))
    }
}

impl PlaceError {
    /// Returns the stable kind.
    pub fn kind(&self) -> Kind {
        Kind::at_variant(self).unwrap_or(Kind::LinesNotFound)
    }

    /// Returns whether it says that lines aren't where they are looked for.
    pub(super) fn is_absence(&self) -> bool {
        matches!(self.kind(), Kind::LinesNotFound | Kind::ContextNotFound)
    }

    /// Returns whether a file has the new lines in place of the lines that are nowhere, if that is
    /// worth looking for.
    pub(super) fn is_made_in(&self, content: &Content, is_worth_it: impl Fn() -> bool) -> bool {
        match self {
            PlaceError::NotFound { sought, .. } => {
                is_worth_it() && sought.first_new(&content.lines()).is_some()
            }
            _ => false,
        }
    }

    /// Returns the line behind which lines were looked for.
    pub(crate) fn after(&self) -> Option<LineNo> {
        match self {
            PlaceError::NotFound { after, .. }
            | PlaceError::Newline { after, .. }
            | PlaceError::NoNewline { after, .. }
            | PlaceError::Unnumbered { after, .. }
            | PlaceError::Earlier { after, .. } => after.0,
            _ => None,
        }
    }

    /// Returns whether lines are nowhere, or not as they are given.
    pub(super) fn is_nowhere(&self) -> bool {
        matches!(
            self,
            PlaceError::NotFound { .. }
                | PlaceError::Edges { .. }
                | PlaceError::OpenEnd { .. }
                | PlaceError::Newline { .. }
                | PlaceError::NoNewline { .. }
                | PlaceError::Unnumbered { .. }
        )
    }

    /// Returns where the lines are that are looked for, if that is before where they may be.
    pub(super) fn is_earlier(&self) -> Option<LineNo> {
        if let PlaceError::Earlier { at, .. } = self {
            Some(*at)
        } else {
            None
        }
    }
}

fn times(count: usize) -> String {
    match count {
        1 => "once".into(),
        2 => "twice".into(),
        n => format!("{n} times"),
    }
}
