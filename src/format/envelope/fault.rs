//! What can be wrong with an envelope, and what was made of what isn't quite right.

use std::sync::Arc;

use bstr::BString;

use super::habit::{Habit, spelling};
use super::marker::{Meant, Verb};
use super::warning::Warning;
use crate::explain::Explain;
use crate::kind::Kind;
use crate::text::{LineNo, Shown};

/// Why an envelope can't be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// Lines that lack the blanks that stand before their Begin.
    #[error("a line is indented less than the `*** Begin Patch` of its patch")]
    LessIndented {
        /// Where the Begin is.
        begin: LineNo,
        /// How many further lines of the patch are like this.
        more: usize,
    },
    /// Text between Begin and the first file header.
    #[error("text before the first file header of a patch")]
    BeforeHeader {
        /// The header that this line is but for its indentation or wording, if it is one.
        meant: Option<Meant>,
        /// How many further lines in a row are like this.
        more: usize,
    },
    /// A Begin inside an envelope.
    #[error("`*** Begin Patch` inside the patch that begins in line {first}")]
    NestedBegin {
        /// Where that one begins.
        first: LineNo,
        /// An End in between that doesn't count.
        near: Option<(LineNo, NearEnd)>,
        /// How many further ones follow at once.
        more: usize,
    },
    /// A header that the format doesn't know.
    #[error("unknown header `{}`", Shown(header))]
    UnknownHeader {
        /// The header, up to its colon.
        header: BString,
        /// What it was meant to be, if that is plain.
        meant: Option<Meant>,
    },
    /// A Move that doesn't stand right behind an Update header.
    #[error("`*** Move to:` doesn't stand on the line after an `*** Update File:`")]
    MisplacedMove {
        /// The file of the section.
        path: Option<Arc<[u8]>>,
        /// What the section does.
        verb: Option<Verb>,
    },
    /// An End of File that no chunk stands before.
    #[error("`*** End of File` follows no chunk")]
    MisplacedEndOfFile {
        /// The file of the section.
        path: Option<Arc<[u8]>>,
        /// What the section does.
        verb: Option<Verb>,
    },
    /// Lines that can't stand where they do.
    #[error("{} in the section of `{}`", unreadable(*more), Shown(path))]
    BadLine {
        /// The file of the section.
        path: Arc<[u8]>,
        /// What the section does.
        verb: Verb,
        /// What the first line looks like.
        habit: Habit,
        /// How many further lines in a row can't be read.
        more: usize,
    },
    /// The headers of a unified diff under a file header.
    #[error("headers of a unified diff in the section of `{}`", Shown(path))]
    UnifiedHeader {
        /// The file of the section.
        path: Arc<[u8]>,
        /// What the section does.
        verb: Verb,
        /// How many further lines in a row can't be read.
        more: usize,
    },
    /// An Update without anything to do.
    #[error("`{}` is to be updated, and no change follows", Shown(path))]
    NoChunk {
        /// The file.
        path: Arc<[u8]>,
    },
    /// A chunk without a line.
    #[error("a chunk of `{}` has no lines", Shown(path))]
    EmptyChunk {
        /// The file.
        path: Arc<[u8]>,
        /// What is missing from it.
        chunkless: Chunkless,
    },
    /// An End that something else stands on the line of.
    #[error("`*** End Patch` is followed by `{}` on its line", Shown(tail))]
    EndWithTail {
        /// What follows it.
        tail: BString,
    },
    /// No End.
    #[error("a patch has no `*** End Patch`")]
    Truncated {
        /// Where it begins.
        begin: LineNo,
        /// The file of the section in which it breaks off.
        path: Option<Arc<[u8]>>,
        /// An End that doesn't count.
        near: Option<(LineNo, NearEnd)>,
        /// The line of a Markdown fence in it.
        fence: Option<LineNo>,
    },
    /// More errors in a section than are worth saying.
    #[error("{count} further problems in the same section")]
    More {
        /// The file of the section.
        path: Option<Arc<[u8]>>,
        /// How many.
        count: usize,
    },
    /// A warning where the bare format is asked for.
    #[error(transparent)]
    Strict(Warning),
}

/// An End that isn't one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NearEnd {
    /// It is glued to the end of another line.
    Glued,
    /// It has blanks before it, so it is a line of context.
    Indented,
}

/// What follows a chunk without lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chunkless {
    /// It names a place.
    Located,
    /// It is a bare `@@`.
    Bare,
}

impl Fault {
    /// Returns the count of further lines in a row, if it has one.
    pub(super) fn more_mut(&mut self) -> Option<&mut usize> {
        match self {
            Fault::LessIndented { more, .. }
            | Fault::BeforeHeader { more, .. }
            | Fault::NestedBegin { more, .. }
            | Fault::BadLine { more, .. }
            | Fault::UnifiedHeader { more, .. } => Some(more),
            _ => None,
        }
    }
}

const KNOWN: &str = "the headers are `*** Add File: <path>`, `*** Update File: <path>`, `*** Delete File: <path>`, and \
    `*** Move to: <path>` right after an Update; the markers are `*** End of File` and `*** End Patch`";

impl Explain for Fault {
    fn kind(&self) -> Kind {
        Kind::Parse
    }

    fn label(&self) -> Option<String> {
        Some(match self {
            Fault::LessIndented { begin, .. } => format!("lacks the blanks before line {begin}"),
            Fault::BeforeHeader { meant: Some(_), .. } => "this is nearly a header".into(),
            Fault::BeforeHeader { .. } => "belongs to no file".into(),
            Fault::NestedBegin { .. } => "the patch before has no end".into(),
            Fault::UnknownHeader { .. } => "not a header of this format".into(),
            Fault::MisplacedMove { .. } | Fault::MisplacedEndOfFile { .. } => "can't stand here".into(),
            Fault::BadLine { verb, habit, .. } => habit.label(*verb).into(),
            Fault::UnifiedHeader { .. } => "these belong to another format".into(),
            Fault::NoChunk { .. } => "nothing to do".into(),
            Fault::EmptyChunk { .. } => "no line follows".into(),
            Fault::EndWithTail { .. } => "must stand on its own line".into(),
            Fault::Truncated { near: Some((_, NearEnd::Glued)), .. } => {
                "glued to another line, this ends nothing".into()
            }
            Fault::Truncated { near: Some((_, NearEnd::Indented)), .. } => "indented, this is a line of context".into(),
            Fault::Truncated { .. } => "begins here and never ends".into(),
            Fault::More { .. } => return None,
            Fault::Strict(warning) => return warning.label(),
        })
    }

    fn path(&self) -> Option<BString> {
        match self {
            Fault::BadLine { path, .. }
            | Fault::UnifiedHeader { path, .. }
            | Fault::NoChunk { path }
            | Fault::EmptyChunk { path, .. } => Some(written(path)),
            Fault::More { path, .. }
            | Fault::MisplacedMove { path, .. }
            | Fault::MisplacedEndOfFile { path, .. }
            | Fault::Truncated { path, .. } => path.as_ref().map(written),
            Fault::Strict(warning) => warning.path(),
            _ => None,
        }
    }

    fn notes(&self) -> Vec<String> {
        match self {
            Fault::LessIndented { more, .. } if *more > 0 => {
                vec![format!(
                    "so {} of this patch",
                    if *more == 1 { "is one more line".into() } else { format!("are {more} more lines") }
                )]
            }
            Fault::BeforeHeader { more, .. }
            | Fault::NestedBegin { more, .. }
            | Fault::BadLine { more, .. }
            | Fault::UnifiedHeader { more, .. }
                if *more > 0 =>
            {
                vec![format!(
                    "the same goes for the next {}",
                    if *more == 1 { "line".into() } else { format!("{more} lines") }
                )]
            }
            Fault::Truncated { begin, path, near, .. } => {
                let begin = near.map(|_| format!("the patch begins in line {begin}"));
                let last = path.as_ref().map(|path| format!("the last file that it names is `{}`", Shown(path)));
                begin.into_iter().chain(last).collect()
            }
            _ => Vec::new(),
        }
    }

    fn help(&self) -> Option<String> {
        Some(match self {
            Fault::LessIndented { .. } => "indent every line of a patch like its `*** Begin Patch`, or none".into(),
            Fault::BeforeHeader { meant: Some(meant), .. } => {
                format!("write {}, with nothing before it on its line", spelling(*meant))
            }
            Fault::BeforeHeader { .. } => {
                format!("move it out of the patch, or put the header of its file before it: {KNOWN}")
            }
            Fault::NestedBegin { near: Some((line, near)), .. } => near.help(*line),
            Fault::NestedBegin { .. } => {
                "put `*** End Patch` before it; if the patch before was cut off, ask for it again; if this is a line of a \
                 file, write its prefix before it"
                    .into()
            }
            Fault::UnknownHeader { meant: Some(meant), .. } => format!("write {}", spelling(*meant)),
            Fault::UnknownHeader { .. } => {
                format!("{KNOWN}; if this is a line of a file, write its prefix (blank, `-` or `+`) before it")
            }
            Fault::MisplacedMove { verb: Some(Verb::Add), .. } => {
                "a new file isn't moved: name its path in `*** Add File:`".into()
            }
            Fault::MisplacedMove { .. } => {
                "write `*** Update File: <old path>`, on the next line `*** Move to: <new path>`, then the changes, if any"
                    .into()
            }
            Fault::MisplacedEndOfFile { verb: Some(Verb::Add | Verb::Delete), .. } => {
                "leave the line out: it says of a chunk of an updated file that it stands at the file's end".into()
            }
            Fault::MisplacedEndOfFile { .. } => {
                "put it right behind the lines of a chunk, or leave it out".into()
            }
            Fault::BadLine { verb, habit, .. } => habit.help(*verb),
            Fault::UnifiedHeader { verb: Verb::Update, .. } => {
                "leave out the lines `diff --git`, `index`, `---` and `+++`: the path stands in the file header already; if \
                 the line is one of the file, write a line `@@` before it"
                    .into()
            }
            Fault::UnifiedHeader { .. } => {
                "leave out the lines `diff --git`, `index`, `---`, `+++` and `@@`: the path stands in the file header already"
                    .into()
            }
            Fault::NoChunk { .. } => {
                "write the change: a line `@@`, then the lines with blank, `-` or `+` before each; to rename only, write \
                 `*** Move to: <new path>`"
                    .into()
            }
            Fault::EmptyChunk { chunkless: Chunkless::Located, .. } => {
                "write the lines to change under it, each with blank, `-` or `+` before it; the text after `@@` only says \
                 where to look"
                    .into()
            }
            Fault::EmptyChunk { .. } => {
                "write the lines to change under it, each with blank, `-` or `+` before it, or leave the `@@` out".into()
            }
            Fault::EndWithTail { .. } => "begin a new line after `*** End Patch`".into(),
            Fault::Truncated { near: Some((line, near)), .. } => near.help(*line),
            Fault::Truncated { fence: Some(line), .. } => {
                format!("put `*** End Patch` before the fence in line {line}, if nothing is missing there")
            }
            Fault::Truncated { .. } => {
                "the answer was probably cut off: ask for the whole answer again; if nothing is missing, add a line \
                 `*** End Patch`"
                    .into()
            }
            Fault::More { .. } => "ask for this section again".into(),
            Fault::Strict(warning) => {
                let remedy = warning.remedy();
                format!("{remedy}; without `--strict` this is a warning")
            }
        })
    }

    fn advice(&self) -> Option<String> {
        let advice = match self {
            Fault::NestedBegin { near: None, .. } => {
                "put `*** End Patch` before it; if this is a line of a file, write its prefix before it"
            }
            Fault::Truncated { near: None, fence: None, .. } => "send the whole patch, to its `*** End Patch`",
            Fault::More { .. } => "write this section anew",
            Fault::Strict(warning) => warning.remedy(),
            _ => return None,
        };
        Some(advice.into())
    }
}

impl NearEnd {
    fn help(self, line: LineNo) -> String {
        match self {
            NearEnd::Glued => format!("in line {line}, put `*** End Patch` on a line of its own"),
            NearEnd::Indented => format!("in line {line}, take away the blanks before `*** End Patch`"),
        }
    }
}

pub(super) fn written(path: &Arc<[u8]>) -> BString {
    BString::from(&path[..])
}

fn unreadable(more: usize) -> String {
    if more == 0 { "a line that can't be read".into() } else { format!("{} lines that can't be read", more + 1) }
}
