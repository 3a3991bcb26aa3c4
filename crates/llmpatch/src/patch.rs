//! The edit model in which all formats meet: what the author of a patch meant, before any file is
//! looked at.
//!
//! Texts are borrowed from the response or owned, with places that equality ignores. Paths are as
//! written: unchecked bytes that only [`crate::path`] can turn into something that names a file.

mod binary;
mod unrepresentable;

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::ops::Range;

use crate::text::{LineNo, Span, Text};

pub use binary::{Binary, BinaryFault};
pub use unrepresentable::{Unrepresentable, What};

/// The formats that can be read.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    strum::Display,
    strum::IntoStaticStr,
    strum::VariantArray,
)]
#[strum(serialize_all = "lowercase")]
pub enum Format {
    /// `*** Begin Patch` … `*** End Patch`
    Envelope,
    /// `<edit file=… op=…>`
    Opx,
    /// git's unified diff
    Unified,
    /// `<<<<<<< SEARCH` … `>>>>>>> REPLACE`
    Blocks,
    /// `{"path": …, "old_string": …, "new_string": …}`
    Tool,
    /// Whole files in Markdown fences, read only where that is asked for
    Files,
}

impl Format {
    /// Names the format in a sentence.
    pub fn the(self) -> &'static str {
        self.names().0
    }

    /// Names a patch of the format in a sentence.
    pub(crate) fn a_patch(self) -> &'static str {
        self.names().1
    }

    fn names(self) -> (&'static str, &'static str) {
        match self {
            Format::Envelope => ("an envelope", "an envelope"),
            Format::Opx => ("OPX", "an OPX patch"),
            Format::Unified => ("a unified diff", "a unified diff"),
            Format::Blocks => ("search/replace blocks", "a search/replace block"),
            Format::Tool => ("tool calls", "a tool call"),
            Format::Files => ("whole files in fences", "a file in a fence"),
        }
    }
}

/// All edits of a response, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Patch<'a> {
    /// The format it was read from, or is to be printed in.
    pub format: Format,
    /// The edits, in the order in which they take effect.
    pub edits: Vec<FileEdit<'a>>,
}

/// One edit of one file.
#[derive(Clone, Debug)]
pub struct FileEdit<'a> {
    /// The path as the response wrote it.
    pub path: Text<'a>,
    /// The OPX attribute `root`.
    pub root: Option<Text<'a>>,
    /// What is to be done.
    pub operation: Operation<'a>,
    /// What a unified diff says of the file beside its hunks; the other formats have none.
    pub header: Option<Box<Header>>,
    /// The author's note: decoded, unfolded.
    pub why: Option<Text<'a>>,
    /// The header line or opening tag; a derived edit has none.
    pub span: Option<Span>,
    /// What a session says of the call that asks for it. Equality ignores it: a derived edit has
    /// none.
    pub record: Option<Box<CallRecord>>,
    /// How many directories `-p` may take off the file's name in a diff, prefix included, where
    /// nothing says how many it is to take. Equality ignores it.
    pub depth: Option<usize>,
}

/// What a session says of a call.
#[derive(Clone, Debug, Default)]
pub struct CallRecord {
    /// The directory in which the call is made; empty if none is named.
    pub directory: Vec<u8>,
    /// What the call's file held before.
    pub before: Option<Vec<u8>>,
    /// What is said of it if it is a comment of a review that suggests lines.
    pub comment: Option<ReviewComment>,
}

/// What is said of comments that suggest lines of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReviewComment {
    /// Who wrote them, as a trailer of a commit names authors: `name <address>`.
    pub authors: Vec<String>,
    /// The commits that they were written for, each with the ids of its comments.
    pub commits: BTreeMap<String, Vec<String>>,
}

impl<'a> FileEdit<'a> {
    /// Makes an edit that says only what is to be done with which file.
    pub fn new(path: Text<'a>, operation: Operation<'a>, span: Option<Span>) -> Self {
        Self {
            path,
            root: None,
            operation,
            header: None,
            why: None,
            span,
            record: None,
            depth: None,
        }
    }

    /// Returns the path that the file gets, as the response wrote it, if it is to get one.
    pub fn destination(&self) -> Option<&Text<'a>> {
        match &self.operation {
            Operation::Update { to, .. } => to.as_ref(),
            Operation::Move { to } => Some(to),
            _ => None,
        }
    }

    /// Returns the same edit with texts of its own, which are at other places.
    pub(crate) fn relocated(self, place: &dyn Fn(Span) -> Span) -> FileEdit<'static> {
        let text = |text: Text<'_>| text.relocated(place);
        FileEdit {
            path: text(self.path),
            root: self.root.map(text),
            operation: self.operation.relocated(place),
            header: self.header,
            why: self.why.map(text),
            span: self.span.map(place),
            record: self.record,
            depth: self.depth,
        }
    }
}

impl PartialEq for FileEdit<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for FileEdit<'_> {}

impl PartialOrd for FileEdit<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for FileEdit<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        let one = (&self.path, &self.root, &self.operation);
        let two = (&other.path, &other.root, &other.operation);
        one.cmp(&two)
            .then_with(|| (&self.header, &self.why).cmp(&(&other.header, &other.why)))
    }
}

/// What git's unified diff says of a file beside its hunks.
///
/// An edit that has one is an [`Operation::Update`], whatever becomes of the file: its hunks hold
/// every line that goes or comes, so that they can say of each whether it is terminated, and the
/// header says whether the file is new or gone.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Header {
    /// What becomes of the file as a whole.
    pub status: Status,
    /// The mode before, as git writes it (`0o100644`); `None` where there is no file before, or it
    /// isn't said.
    pub old_mode: Option<u32>,
    /// The mode afterwards; `None` where there is no file afterwards, or it isn't said.
    pub new_mode: Option<u32>,
    /// The ids of the contents before and after, as abbreviated as they are in the line `index`.
    pub ids: Option<(String, String)>,
    /// How similar the contents of a renamed or copied file are, in percent.
    pub similarity: Option<u8>,
    /// What is in place of hunks where lines make no sense.
    pub binary: Option<Binary>,
}

/// What becomes of a file as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Status {
    /// It stays, with another content or mode.
    Modified,
    /// It is new.
    Added,
    /// It goes.
    Deleted,
    /// It gets another path, and possibly another content or mode.
    Renamed,
    /// It stays, and another path begins as its copy.
    Copied,
}

/// What an edit does to its file. Lines are without terminators, and paths as the response wrote
/// them.
#[allow(missing_docs, reason = "the text above each says what the fields are")]
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Operation<'a> {
    /// Makes a new file of these lines, each terminated.
    Create {
        lines: Vec<Text<'a>>,
        /// Whether they may be put into a file that is there and empty.
        fills_empty: bool,
        /// Whether the last line isn't terminated after all.
        ends_open: bool,
    },
    /// Puts these lines in place of all that an existing file holds.
    Replace { lines: Vec<Text<'a>> },
    /// Removes a file, and says what the author believes to be in it, if the patch does.
    Delete { expected: Option<Vec<Text<'a>>> },
    /// Renames a file and leaves its content alone.
    Move { to: Text<'a> },
    /// Changes runs of lines, each found in the file's order, and possibly renames the file.
    Update {
        to: Option<Text<'a>>,
        hunks: Vec<Hunk<'a>>,
    },
    /// Puts a text in place of another, found anywhere.
    Substitute(Substitution<'a>),
    /// An edit that could not be read. It is here so that planning knows which file's state is not
    /// known from here on.
    Unreadable,
}

impl Operation<'_> {
    fn relocated(self, place: &dyn Fn(Span) -> Span) -> Operation<'static> {
        let text = |text: Text<'_>| text.relocated(place);
        let texts = |lines: Vec<Text<'_>>| lines.into_iter().map(text).collect::<Vec<_>>();
        match self {
            Operation::Create {
                lines,
                fills_empty,
                ends_open,
            } => Operation::Create {
                lines: texts(lines),
                fills_empty,
                ends_open,
            },
            Operation::Replace { lines } => Operation::Replace {
                lines: texts(lines),
            },
            Operation::Delete { expected } => Operation::Delete {
                expected: expected.map(texts),
            },
            Operation::Move { to } => Operation::Move { to: text(to) },
            Operation::Update { to, hunks } => Operation::Update {
                to: to.map(text),
                hunks: hunks
                    .into_iter()
                    .map(|hunk| hunk.relocated(place))
                    .collect(),
            },
            Operation::Substitute(Substitution {
                find,
                put,
                occurrence,
                written,
            }) => {
                let written = written.map(|written| {
                    Box::new(Written {
                        find: texts(written.find),
                        put: texts(written.put),
                    })
                });
                Operation::Substitute(Substitution {
                    find: texts(find),
                    put: texts(put),
                    occurrence,
                    written,
                })
            }
            Operation::Unreadable => Operation::Unreadable,
        }
    }
}

/// A run of lines to find and change.
#[derive(Clone, Debug, Default)]
pub struct Hunk<'a> {
    /// The texts after `@@`, in order; empty for a bare `@@` or none.
    pub locators: Vec<Text<'a>>,
    /// Whether the hunk's header claimed line numbers (`@@ -1,7 +1,8 @@`), which the envelope gives
    /// no meaning.
    pub numbered: bool,
    /// The lines.
    pub lines: Vec<HunkLine<'a>>,
    /// Whether the old lines must end where the file ends.
    pub end_of_file: bool,
    /// Where a unified diff says that it is; in an edit without a header, behind which line of the
    /// base its lines are to be inserted.
    pub position: Option<Position>,
    /// Whether what is behind it isn't shown, so that no context there doesn't mean the file's end.
    /// Equality ignores it: a derived hunk shows it.
    pub breaks_off: bool,
    /// A line behind its own that was read as the patch's end, and would be its next if the file
    /// held it. Equality ignores it: a derived hunk has none.
    pub end: Option<Text<'a>>,
    /// The header line (`@@ …`) or else the first line; a derived hunk has none.
    pub span: Option<Span>,
}

impl<'a> Hunk<'a> {
    /// Returns the lines that the file must hold: context and removed lines.
    pub fn old(&self) -> impl DoubleEndedIterator<Item = &HunkLine<'a>> + Clone {
        self.lines.iter().filter(|line| line.mark != Mark::Added)
    }

    /// Returns the lines that the hunk adds.
    pub fn added(&self) -> impl DoubleEndedIterator<Item = &HunkLine<'a>> + Clone {
        self.lines.iter().filter(|line| line.mark == Mark::Added)
    }

    /// Returns whether nothing but whitespace is in the lines that the file must hold.
    pub(crate) fn is_blank(&self) -> bool {
        self.old().all(|line| line.text.trim_ascii().is_empty())
    }

    /// Returns whether all lines are context: it only says where the next hunk is looked for.
    pub(crate) fn is_anchor(&self) -> bool {
        self.lines.iter().all(|line| line.mark == Mark::Context)
    }

    fn relocated(self, place: &dyn Fn(Span) -> Span) -> Hunk<'static> {
        Hunk {
            locators: self
                .locators
                .into_iter()
                .map(|text| text.relocated(place))
                .collect(),
            lines: self
                .lines
                .into_iter()
                .map(|line| HunkLine {
                    text: line.text.relocated(place),
                    ..line
                })
                .collect(),
            end: self.end.map(|text| text.relocated(place)),
            span: self.span.map(place),
            ..self
        }
    }

    /// Returns the lines that the file holds afterwards: context and added lines.
    pub fn new_lines(&self) -> impl DoubleEndedIterator<Item = &HunkLine<'a>> + Clone {
        self.lines.iter().filter(|line| line.mark != Mark::Removed)
    }
}

impl PartialEq for Hunk<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Hunk<'_> {}

impl PartialOrd for Hunk<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Hunk<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.compared().cmp(&other.compared())
    }
}

impl Hunk<'_> {
    fn compared(&self) -> impl Ord {
        (
            (self.numbered, self.end_of_file),
            (&self.position, &self.locators, &self.lines),
        )
    }
}

/// One line of a hunk.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct HunkLine<'a> {
    /// Whether it stays, goes or comes.
    pub mark: Mark,
    /// The text without its prefix and terminator.
    pub text: Text<'a>,
    /// Whether it is said to end without a newline (unified diffs only).
    pub unterminated: bool,
}

/// What happens to a line of a hunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mark {
    /// It is in the file and stays.
    Context,
    /// It is in the file and goes.
    Removed,
    /// It is new.
    Added,
}

impl Mark {
    /// Returns what is before such a line in a hunk.
    pub(crate) fn prefix(self) -> &'static str {
        match self {
            Mark::Context => " ",
            Mark::Removed => "-",
            Mark::Added => "+",
        }
    }
}

/// The numbers in a unified hunk header and the text behind them. Starts are 0 where the count is 0
/// and nothing precedes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// First old line, from 1.
    pub old_start: u32,
    /// How many old lines.
    pub old_lines: u32,
    /// First new line, from 1.
    pub new_start: u32,
    /// How many new lines.
    pub new_lines: u32,
    /// The function or section that git names after the numbers.
    pub heading: Vec<u8>,
}

impl Position {
    /// Returns the old lines, from 0.
    pub(crate) fn was(&self) -> Range<usize> {
        run(self.old_start, self.old_lines)
    }

    /// Returns the new lines, from 0.
    pub(crate) fn now(&self) -> Range<usize> {
        run(self.new_start, self.new_lines)
    }
}

/// An empty run is numbered as the line that it is behind.
fn run(start: u32, count: u32) -> Range<usize> {
    let start = start.saturating_sub(u32::from(count > 0)) as usize;
    start..start + count as usize
}

/// A text to find and what to put in its place.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Substitution<'a> {
    /// The lines to find, at least one; the text is these joined by newlines.
    pub find: Vec<Text<'a>>,
    /// The lines to put; none deletes.
    pub put: Vec<Text<'a>>,
    /// Which of several matches is meant.
    pub occurrence: Occurrence,
    /// What it is if the file holds the lines to find with the backslashes that these were read
    /// without.
    pub written: Option<Box<Written<'a>>>,
}

/// The lines of a substitution as they were written, where that isn't how they are read.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Written<'a> {
    /// The lines to find.
    pub find: Vec<Text<'a>>,
    /// The lines to put.
    pub put: Vec<Text<'a>>,
}

/// Which of several matches is meant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Occurrence {
    /// The only occurrence: there must be no other.
    #[default]
    Only,
    /// The first.
    First,
    /// The last.
    Last,
    /// The Nth from the start, from 1, counted without overlaps.
    Nth(std::num::NonZeroUsize),
    /// Whole lines, which must occur once; or several times, with an occurrence that begins at this
    /// line of the file as the response finds it.
    Lines(Option<LineNo>),
    /// Text byte for byte, empty lines at its edges included, as often as this.
    Text(Times),
}

/// How often a text is there and is replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Times {
    /// Once; more often is ambiguous.
    Once,
    /// As often as it is there.
    Every,
    /// So often.
    Exactly(std::num::NonZeroUsize),
}
