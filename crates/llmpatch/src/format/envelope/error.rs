use std::sync::Arc;

use bstr::BString;

use super::marker::{Habit, Meant, Verb};
use crate::text::{LineNo, Shown, Span};

/// Why an envelope can't be read. `more` is where the further lines in a row are of which the same
/// is true, and `path` and `verb` are of the section.
#[allow(missing_docs, reason = "the message says what the fields are")]
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, strum::EnumProperty)]
#[non_exhaustive]
pub enum Error {
    /// Lines of the patch that lack the whitespace before its Begin.
    #[error("a line is indented less than the `*** Begin Patch` of its patch")]
    #[strum(props(help = "indent every line of a patch like its `*** Begin Patch`, or none"))]
    LessIndented { begin: LineNo, more: Option<Span> },
    /// Text before the first header. `meant` is the header that it nearly is.
    #[error("text before the first file header of a patch")]
    BeforeHeader {
        meant: Option<Meant>,
        more: Option<Span>,
    },
    /// A Begin inside the envelope that begins in line `first`. `near` is an End in between that
    /// doesn't count; `is_repeated` says that nothing else is in between.
    #[error("`*** Begin Patch` inside the patch that begins in line {first}")]
    NestedBegin {
        first: LineNo,
        near: Option<(LineNo, NearEnd)>,
        is_repeated: bool,
        more: Option<Span>,
    },
    /// A header, up to its colon, and what was meant, if that is plain.
    #[error("unknown header `{}`", Shown(header))]
    UnknownHeader {
        header: BString,
        meant: Option<Meant>,
    },
    #[error("`*** Move to:` isn't on the line after an `*** Update File:`")]
    #[strum(props(label = "can't be here"))]
    MisplacedMove {
        path: Option<Arc<[u8]>>,
        verb: Option<Verb>,
    },
    #[error("`*** End of File` follows no hunk")]
    #[strum(props(label = "can't be here"))]
    MisplacedEndOfFile {
        path: Option<Arc<[u8]>>,
        verb: Option<Verb>,
    },
    #[error("a line that can't be read in the section of `{}`", Shown(path))]
    BadLine {
        path: Arc<[u8]>,
        verb: Verb,
        habit: Habit,
        more: Option<Span>,
    },
    #[error("headers of a unified diff in the section of `{}`", Shown(path))]
    #[strum(props(label = "these belong to another format"))]
    UnifiedHeader {
        path: Arc<[u8]>,
        verb: Verb,
        more: Option<Span>,
    },
    #[error("`{}` is to be updated, but no change follows", Shown(path))]
    #[strum(props(
        label = "nothing to do",
        help = "write the change: a line `@@`, then the lines with a space, `-` or `+` before each; to rename only, write `*** Move to: <new path>`"
    ))]
    NoChunk { path: Arc<[u8]> },
    /// A chunk without lines, and whether its `@@` names a place.
    #[error("a hunk of `{}` has no lines", Shown(path))]
    #[strum(props(label = "no line follows"))]
    EmptyChunk { path: Arc<[u8]>, is_located: bool },
    #[error("`*** End Patch` is followed by `{}` on its line", Shown(tail))]
    #[strum(props(
        label = "must be on its own line",
        help = "begin a new line after `*** End Patch`"
    ))]
    EndWithTail { tail: BString },
    /// An envelope without an End. `near` is an End that doesn't count, `fence` a Markdown fence.
    #[error("a patch has no `*** End Patch`")]
    Truncated {
        begin: LineNo,
        path: Option<Arc<[u8]>>,
        near: Option<(LineNo, NearEnd)>,
        fence: Option<LineNo>,
    },
    /// More errors than are worth saying.
    #[error("{count} further problems in the same section")]
    #[strum(props(
        help = "ask for this section again",
        advice = "write this section anew"
    ))]
    More {
        path: Option<Arc<[u8]>>,
        count: usize,
    },
    /// A warning, in `--strict`.
    #[error(transparent)]
    Strict(Warning),
}

/// An `*** End Patch` that isn't one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NearEnd {
    /// It is at the end of another line.
    Glued,
    /// It has whitespace before it, so it is a line of context.
    Indented,
    /// It is written in another way.
    Misspelt,
}

/// What was guessed or ignored in a section of an envelope, and how often.
#[allow(missing_docs, reason = "the message says what the fields are")]
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, strum::EnumProperty)]
#[non_exhaustive]
pub enum Warning {
    #[error("a marker with ` ***` after it{}", times(*count))]
    #[strum(props(
        kind = "decorated-marker",
        label = "read as the marker alone",
        help = "write the marker without the stars at its end"
    ))]
    DecoratedMarker {
        path: Option<Arc<[u8]>>,
        count: usize,
    },
    #[error("a marker with whitespace before it{}", times(*count))]
    #[strum(props(
        kind = "decorated-marker",
        label = "read as the marker alone",
        help = "begin the marker at the start of its line"
    ))]
    IndentedMarker {
        path: Option<Arc<[u8]>>,
        count: usize,
    },
    #[error("`*** Environment ID:` is ignored")]
    #[strum(props(
        kind = "unknown-markup",
        label = "means nothing here",
        help = "leave the line out: the patch is applied to this work tree"
    ))]
    Environment,
    #[error("an empty line of `{}` has no `{}` and is read as an empty line of the file{}", Shown(path), verb.sign(), times(*count))]
    #[strum(props(kind = "blank-in-body", label = "an empty line"))]
    BlankInBody {
        path: Arc<[u8]>,
        verb: Verb,
        count: usize,
    },
    #[error("`@@` without a space after it in the section of `{}`{}", Shown(path), times(*count))]
    #[strum(props(
        kind = "locator-spacing",
        label = "read as the text after `@@ `",
        help = "write one space between `@@` and the text"
    ))]
    LocatorSpacing { path: Arc<[u8]>, count: usize },
    #[error("line numbers after `@@` in the section of `{}`{}: they are ignored", Shown(path), times(*count))]
    #[strum(props(
        kind = "locator-numbers",
        label = "read as `@@` alone",
        help = "write `@@`, or `@@ ` and a line of the file that is before the change; numbers are never a position"
    ))]
    LocatorNumbers { path: Arc<[u8]>, count: usize },
    #[error("`\\ No newline at end of file` in the section of `{}` is ignored{}", Shown(path), times(*count))]
    #[strum(props(
        kind = "no-newline-mark",
        label = "this format has no such line",
        help = "leave the line out: a file that an envelope changes ends with a newline"
    ))]
    NoNewlineMark { path: Arc<[u8]>, count: usize },
    #[error(
        "the `+` at the end of `{}` is read as the newline of its last line",
        Shown(path)
    )]
    #[strum(props(
        kind = "last-plus",
        help = "if the file is to end with an empty line, write one `+` more"
    ))]
    LastPlus { path: Arc<[u8]> },
}

impl Error {
    pub(super) fn more_mut(&mut self) -> Option<&mut Option<Span>> {
        match self {
            Error::LessIndented { more, .. }
            | Error::BeforeHeader { more, .. }
            | Error::NestedBegin { more, .. }
            | Error::BadLine { more, .. }
            | Error::UnifiedHeader { more, .. } => Some(more),
            _ => None,
        }
    }
}

impl Warning {
    /// Counts one more like it.
    pub(super) fn again(&mut self) {
        match self {
            Warning::DecoratedMarker { count, .. }
            | Warning::IndentedMarker { count, .. }
            | Warning::BlankInBody { count, .. }
            | Warning::LocatorSpacing { count, .. }
            | Warning::LocatorNumbers { count, .. }
            | Warning::NoNewlineMark { count, .. } => *count += 1,
            Warning::LastPlus { .. } | Warning::Environment => {}
        }
    }
}

fn times(count: usize) -> String {
    if count == 1 {
        String::new()
    } else {
        format!(", {count} times")
    }
}
