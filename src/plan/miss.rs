//! Why a hunk, or a find, has no place, and what a person or a program is told of it.

use std::num::NonZeroUsize;
use std::ops::Range;

use bstr::BString;

use super::closest::{BYTE_FOR_BYTE, CORRECT_THEM, Closest};
use super::rivals::{DRAWN, rivals};
use super::wording::{at_level, behind, listed, past, places_of, times, unindentable};
use crate::explain::{FilePlace, Nearest};
use crate::kind::Kind;
use crate::matching::Tolerance;
use crate::path::RepoPath;
use crate::text::{LineNo, Lines, Shown};

/// Why a hunk, or a find, has no place.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Miss {
    /// The context line isn't in the file.
    #[error("names a context line that isn't in the file: `{}`", Shown(.text))]
    Context {
        /// The context line.
        text: BString,
        /// The lines that a looser reading finds, if they are several.
        places: Vec<LineNo>,
        /// How many those are.
        count: usize,
        /// The line that may be meant, if nothing looser finds any.
        near: Option<Box<Closest>>,
        /// The one place where the hunk's old lines stand, if there is only one.
        lines: Option<LineNo>,
    },
    /// The context line stands only before the hunks that came before.
    #[error(
        "names a context line that stands only on line {at}, before the previous hunk; hunks must follow the file's order"
    )]
    ContextEarlier {
        /// Where it stands.
        at: LineNo,
        /// That line.
        place: FilePlace,
    },
    /// The lines are nowhere at or after the cursor.
    #[error("{}", missing(*.after, .reason))]
    Lines {
        /// The line behind which they are looked for; `None` for the whole file.
        after: Option<LineNo>,
        /// What is known of why.
        reason: Reason,
    },
    /// The lines aren't at the end of the file.
    #[error("isn't at the end of the file, where `*** End of File` wants it")]
    NotAtEnd {
        /// A place where the lines do stand.
        stands: Option<FilePlace>,
    },
    /// Several places match and nothing decides.
    #[error("matches {count} places{}, and nothing says which is meant: {}", at_level(*.because), places_of(.places, *.count, *.because))]
    Many {
        /// The places, up to [`crate::explain::CANDIDATES`].
        places: Vec<LineNo>,
        /// How many there are.
        count: usize,
        /// Why that matters here.
        because: Because,
    },
    /// The lines stand there at a level that lets indentation differ, and nothing says how the added ones are to be indented.
    #[error("stands on line {at} but for its indentation, {}", unindentable(*.unshiftable))]
    Indentation {
        /// Where the lines stand.
        at: LineNo,
        /// Whether an added line lacks the blanks that are to be taken away; else its old lines show different shifts.
        unshiftable: bool,
        /// A line that shows it.
        place: FilePlace,
    },
    /// The lines stand at the context line and again behind it.
    #[error("matches at its context line {context} and again on line {behind}, and nothing says which is meant")]
    RestatedTwice {
        /// The context line.
        context: LineNo,
        /// The other place.
        behind: LineNo,
    },
    /// Added lines with nothing to say where they go.
    #[error("only adds lines, and its line numbers mean nothing in this format")]
    Nowhere,
    /// Added lines with nothing but a number to say where they go, where that isn't enough.
    #[error("only adds lines, and nothing but its line number says where")]
    NumberOnly,
    /// Added lines whose number says where they can't go.
    #[error("adds lines after line {after}, {}", past(*.after, *.lines))]
    NoSuchPlace {
        /// The line that its number names.
        after: usize,
        /// How many lines the file has.
        lines: usize,
    },
    /// An occurrence that isn't there.
    #[error("asks for occurrence {wanted}, and the text occurs {}", times(*.count))]
    OutOfRange {
        /// Which was asked for.
        wanted: NonZeroUsize,
        /// How many there are.
        count: usize,
    },
    /// Two hunks change the same lines.
    #[error("changes lines that another hunk changes too")]
    Overlap,
}

/// Why lines that the patch says are there aren't.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// Lines like them stand in the file; the span of the message points at the first that isn't so.
    Near(Box<Closest>),
    /// Nothing in the file is like them; the span points at the first line that is nowhere in the file.
    NoSuchLine,
    /// Each line is in the file, but not in this order one after the other.
    NotTogether {
        /// Where the first few stand.
        lines: Vec<LineNo>,
    },
    /// The new lines are there already.
    Applied {
        /// Where.
        place: FilePlace,
    },
    /// They stand earlier than where this hunk may go: before its own context line, or before what earlier hunks reached.
    Earlier {
        /// Where they stand.
        place: FilePlace,
        /// The hunk's context line, if it names one.
        context: Option<LineNo>,
    },
    /// They stand there, but some of them are an earlier hunk's, or it adds lines between them.
    Shared {
        /// Where they stand.
        place: FilePlace,
    },
    /// The text is there, but not the blank lines at its edges.
    Edges {
        /// Where.
        place: FilePlace,
    },
    /// They stand at the end of the file, and only one of patch and file says that no newline follows.
    Newline {
        /// The file's last line of them.
        place: FilePlace,
        /// Whether the file ends with a newline.
        has: bool,
    },
    /// They don't stand where the hunk's number says, and may not be moved.
    Unnumbered {
        /// Where they stand.
        place: FilePlace,
        /// Where the number says that they are.
        claimed: LineNo,
    },
    /// The file is empty.
    EmptyFile,
}

/// Why several places are too many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Because {
    /// A find without `occurrence`.
    Find,
    /// Line numbers in the hunk's header claim a place.
    Numbers,
    /// `--unique`
    Unique,
    /// A level that only takes what is the one candidate.
    Level(Tolerance),
    /// None of them is where the hunk's number says.
    Moved,
}

fn missing(after: Option<LineNo>, reason: &Reason) -> String {
    match reason {
        Reason::Applied { place } => {
            format!("is already applied, as it seems: its new lines stand on line {}", place.line)
        }
        Reason::Earlier { place, context: None } => {
            format!("matches no lines {}; found on line {}, before the previous hunk", behind(after), place.line)
        }
        Reason::Earlier { place, context: Some(context) } if *context == place.line => {
            format!("matches no lines {}; found on line {}, its context line", behind(after), place.line)
        }
        Reason::Earlier { place, .. } => {
            format!("matches no lines {}; found on line {}, before its context line", behind(after), place.line)
        }
        Reason::Shared { place } => {
            format!("matches no lines {}; found on line {}, among an earlier hunk's lines", behind(after), place.line)
        }
        _ => format!("matches no lines {}", behind(after)),
    }
}

impl Miss {
    pub(super) fn kind(&self) -> Kind {
        match self {
            Miss::Context { .. } | Miss::ContextEarlier { .. } => Kind::ContextNotFound,
            Miss::Lines { .. } | Miss::NotAtEnd { .. } | Miss::Indentation { .. } | Miss::NoSuchPlace { .. } => {
                Kind::LinesNotFound
            }
            Miss::Many { .. } | Miss::RestatedTwice { .. } | Miss::Nowhere | Miss::NumberOnly => Kind::Ambiguous,
            Miss::OutOfRange { .. } => Kind::Occurrence,
            Miss::Overlap => Kind::Conflict,
        }
    }

    pub(super) fn label(&self) -> Option<String> {
        let label = match self {
            Miss::Context { near: Some(near), .. } => return Some(near.how.label_of_patch()),
            Miss::Context { .. } => "this line is not there",
            Miss::ContextEarlier { .. } => "stands earlier",
            Miss::Lines { reason, .. } => match reason {
                Reason::Near(closest) => return Some(closest.how.label_of_patch()),
                Reason::NoSuchLine => "this line is not in the file",
                Reason::Earlier { .. } => "stands earlier",
                Reason::Shared { .. } => "shared with an earlier hunk",
                Reason::Newline { has: true, .. } => "said to be without newline",
                Reason::Newline { has: false, .. } => "said to end with a newline",
                Reason::Unnumbered { .. } => "stands elsewhere",
                Reason::Applied { .. } => "this change is there already",
                Reason::NotTogether { .. } | Reason::Edges { .. } | Reason::EmptyFile => "from here on",
            },
            Miss::NotAtEnd { .. } => "not at the end of the file",
            Miss::Many { .. } | Miss::RestatedTwice { .. } => "which one?",
            Miss::Indentation { unshiftable: true, .. } => "indented less than what is to be taken away",
            Miss::Indentation { .. } => "shifted otherwise",
            Miss::Nowhere | Miss::NumberOnly | Miss::NoSuchPlace { .. } => "where?",
            Miss::OutOfRange { .. } | Miss::Overlap => return None,
        };
        Some(label.into())
    }

    pub(super) fn places(&self) -> Vec<FilePlace> {
        match self {
            Miss::Context { near: Some(near), .. } => vec![near.place.clone()],
            Miss::ContextEarlier { place, .. } => vec![place.clone()],
            Miss::Lines { reason, .. } => match reason {
                Reason::Near(closest) => vec![closest.place.clone()],
                Reason::Earlier { place, .. }
                | Reason::Shared { place }
                | Reason::Applied { place }
                | Reason::Edges { place }
                | Reason::Newline { place, .. }
                | Reason::Unnumbered { place, .. } => {
                    vec![place.clone()]
                }
                _ => Vec::new(),
            },
            Miss::Indentation { place, .. } => vec![place.clone()],
            Miss::NotAtEnd { stands } => stands.iter().cloned().collect(),
            _ => Vec::new(),
        }
    }

    pub(super) fn nearest(&self) -> Option<Nearest> {
        let place = match self {
            Miss::Lines { reason: Reason::Near(closest), .. } => return Some(closest.nearest.clone()),
            Miss::Context { near: Some(closest), .. } => return Some(closest.nearest.clone()),
            Miss::ContextEarlier { place, .. }
            | Miss::Indentation { place, .. }
            | Miss::NotAtEnd { stands: Some(place) } => place,
            Miss::Lines {
                reason:
                    Reason::Earlier { place, .. }
                    | Reason::Shared { place }
                    | Reason::Applied { place }
                    | Reason::Edges { place }
                    | Reason::Newline { place, .. }
                    | Reason::Unnumbered { place, .. },
                ..
            } => place,
            _ => return None,
        };
        Some(Nearest::new(place.line, place.line, place.excerpt.text()))
    }

    /// Returns the line where a hunk's own lines stand whose context line doesn't.
    pub(super) fn line(&self) -> Option<LineNo> {
        if let Miss::Context { lines, near: None, .. } = self { *lines } else { None }
    }

    /// Returns the lines of the file, from 0, that a reader should see who can't look at the file; `len` is how many lines
    /// the hunk looks for.
    pub(super) fn regions(&self, len: usize) -> Vec<Range<usize>> {
        let from = |line: &LineNo| line.index()..line.index() + len.max(1);
        match self {
            Miss::Lines { reason, .. } => match reason {
                Reason::Near(closest) => vec![closest.region.clone()],
                Reason::Earlier { place, .. }
                | Reason::Shared { place }
                | Reason::Applied { place }
                | Reason::Edges { place }
                | Reason::Unnumbered { place, .. } => {
                    vec![from(&place.line)]
                }
                Reason::Newline { place, .. } => {
                    let end = place.line.index() + 1;
                    std::iter::once(end.saturating_sub(len.max(1))..end).collect()
                }
                Reason::NotTogether { lines } => {
                    lines.iter().take(3).map(|line| line.index()..line.index() + 1).collect()
                }
                Reason::NoSuchLine | Reason::EmptyFile => Vec::new(),
            },
            Miss::Context { lines: Some(line), .. } => vec![from(line)],
            Miss::Context { near: Some(near), .. } => vec![near.region.clone()],
            Miss::Context { places, .. } => places.iter().take(3).map(|line| line.index()..line.index() + 1).collect(),
            Miss::ContextEarlier { at, .. } | Miss::Indentation { at, .. } => vec![from(at)],
            Miss::NotAtEnd { stands } => stands.iter().map(|place| from(&place.line)).collect(),
            Miss::Many { places, .. } => places.iter().take(3).map(from).collect(),
            Miss::RestatedTwice { context, behind } => [context, behind].map(from).into(),
            Miss::Nowhere | Miss::NumberOnly | Miss::NoSuchPlace { .. } | Miss::OutOfRange { .. } | Miss::Overlap => {
                Vec::new()
            }
        }
    }

    pub(super) fn candidates(&self) -> Vec<LineNo> {
        match self {
            Miss::Many { places, .. } | Miss::Context { places, .. } => places.clone(),
            Miss::RestatedTwice { context, behind } => vec![*context, *behind],
            _ => Vec::new(),
        }
    }

    /// Returns the first of the places among which nothing decides, to be drawn.
    pub(super) fn rivals(&self, path: &RepoPath, lines: &Lines<'_>) -> Option<FilePlace> {
        let (count, few, many) = match self {
            Miss::Many { count, .. } => (*count, "each of these places matches", "places that match"),
            Miss::RestatedTwice { .. } => (2, "both of these places match", ""),
            Miss::Context { count, .. } => (*count, "each of these lines holds that text", "lines that hold that text"),
            _ => return None,
        };
        let caption = if count > DRAWN { format!("the first {DRAWN} of {count} {many}") } else { few.into() };
        rivals(path, lines, &self.candidates(), &caption, |_| "")
    }

    pub(super) fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        match self {
            Miss::Context { near, lines, .. } => {
                notes.extend(near.iter().flat_map(|near| near.notes()));
                if let Some(line) = lines {
                    notes.push(format!("the hunk's own lines stand in the file once, on line {line}"));
                }
            }
            Miss::Lines { reason, .. } => match reason {
                Reason::Near(closest) => notes.extend(closest.notes()),
                Reason::Earlier { context: Some(line), .. } => {
                    notes.push(format!("its context line is line {line}, and a hunk's lines come after that"));
                }
                Reason::NotTogether { lines } => notes.push(format!(
                    "every one of these lines is in the file, but they don't follow one another there: they stand on lines {}",
                    listed(lines, lines.len())
                )),
                Reason::Newline { has, .. } => {
                    let (file, patch) = if *has { ("ends", "doesn't") } else { ("doesn't end", "does") };
                    notes.push(format!("the file {file} with a newline; the patch says that it {patch}"));
                }
                Reason::Unnumbered { claimed, .. } => {
                    notes.push(format!("its number says that they stand on line {claimed}"));
                }
                Reason::EmptyFile => notes.push("the file is empty".into()),
                _ => {}
            },
            Miss::Many { because: Because::Moved, .. } => {
                notes.push("none of them is where the hunk's number says".into());
            }
            _ => {}
        }
        notes
    }

    pub(super) fn help(&self) -> String {
        let help = match self {
            Miss::Context { lines: Some(_), .. } => "drop the text after `@@`, or give a whole line of the file there",
            Miss::Context { .. } => "give a whole line of the file after `@@`, or drop it",
            Miss::ContextEarlier { .. } => "put the hunks into the file's order, or into a section of their own",
            Miss::Lines { reason, .. } => match reason {
                Reason::Earlier { context: Some(_), .. } => {
                    "give a context line that comes before these lines, or drop it"
                }
                Reason::Earlier { context: None, .. } => {
                    "put the hunks into the file's order, or into a section of their own"
                }
                Reason::Shared { .. } => "join the two hunks, or leave the lines that they share out of one of them",
                Reason::Newline { has: true, .. } => "take `\\ No newline at end of file` away behind the line",
                Reason::Newline { has: false, .. } => {
                    "put `\\ No newline at end of file` on a line of its own behind it"
                }
                Reason::Unnumbered { .. } => "correct the number, or leave --strict out",
                Reason::Applied { .. } => "leave out what is there already",
                Reason::Edges { .. } => "leave out the blank lines at the edges, or give whole lines next to them",
                Reason::Near(closest) => return closest.help(),
                _ => CORRECT_THEM,
            },
            Miss::NotAtEnd { .. } => "drop `*** End of File`, or give the file's last lines",
            Miss::Many { because, .. } => match because {
                Because::Find => "give more of the text around it, or occurrence=\"first\", \"last\" or a number",
                Because::Numbers => {
                    "give more lines around the change, or a context line after `@@` instead of numbers"
                }
                Because::Moved => "give more lines around the change, or the right numbers",
                Because::Unique => "give more lines around the change, or a context line after `@@`",
                Because::Level(_) => "give the lines as they are in the file, byte for byte, or more of them",
            },
            Miss::Indentation { .. } => "indent the lines of the patch as the file does",
            Miss::RestatedTwice { .. } => "give more lines around the change, or another context line",
            Miss::Nowhere => {
                "give a line of context next to the added ones, or a context line after `@@` instead of numbers"
            }
            Miss::NumberOnly => "give a line of context next to the added ones, or leave --strict out",
            Miss::NoSuchPlace { .. } => "correct the number, or give lines of context next to the added ones",
            Miss::OutOfRange { .. } => "correct the number, or give more of the text around it and no occurrence",
            Miss::Overlap => "join the two hunks",
        };
        help.into()
    }
}

impl Miss {
    /// Returns what the author can do, where the help speaks of options.
    pub(super) fn advice(&self) -> Option<String> {
        let advice = match self {
            Miss::Lines { reason: Reason::Unnumbered { .. }, .. } => "correct the number",
            Miss::Lines { reason: Reason::Near(closest), .. } => closest.habit().unwrap_or(BYTE_FOR_BYTE),
            Miss::Lines { reason: Reason::NoSuchLine | Reason::NotTogether { .. } | Reason::EmptyFile, .. } => {
                BYTE_FOR_BYTE
            }
            Miss::NumberOnly => "give a line of context next to the added ones",
            _ => return None,
        };
        Some(advice.into())
    }
}
