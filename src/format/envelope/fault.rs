//! What can be wrong with an envelope, and what was made of what isn't quite right.

use std::sync::Arc;

use bstr::BString;

use super::marker::{Meant, Verb};
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

/// What a line that can't be read looks like: the habits of models, each with its own remedy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Habit {
    /// A Markdown fence.
    Fence,
    /// A marker that is indented, or written in another way.
    Marker(Meant),
    /// `@@` where there are no chunks.
    Locator,
    /// `\ No newline at end of file` where it makes no sense.
    NoNewline,
    /// A context or removed line in a new file; a context or added line in a delete body.
    OtherSign,
    /// `-- ` of a language whose comments begin so.
    Comment,
    /// A list bullet.
    Bullet,
    /// The markers of a merge conflict or a search-and-replace block.
    Conflict,
    /// A tab where the prefix should be.
    Tab,
    /// A character that only looks like a prefix: a no-break space, a typographic minus or dash, a wide plus.
    LookAlike,
    /// Only blanks, between lines of content.
    Blanks,
    /// Lines after `*** End of File` without an `@@` before them.
    AfterEndOfFile,
    /// A line without a prefix.
    Plain,
}

/// What was made of what isn't quite right.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Warning {
    /// ` ***` behind a marker.
    #[error("a marker with ` ***` behind it{}", times(*count))]
    DecoratedMarker {
        /// The file of the section.
        path: Option<Arc<[u8]>>,
        /// How often in this section.
        count: usize,
    },
    /// Empty lines where every line has a prefix.
    #[error("{} of `{}` {} no `{}` and {} taken for content", blanks(*count), Shown(path),
        if *count == 1 { "has" } else { "have" }, if *verb == Verb::Delete { '-' } else { '+' },
        if *count == 1 { "is" } else { "are" })]
    BlankInBody {
        /// The file.
        path: Arc<[u8]>,
        /// What the section does.
        verb: Verb,
        /// How many.
        count: usize,
    },
    /// `@@` without a blank after it.
    #[error("`@@` without a blank after it in the section of `{}`{}", Shown(path), times(*count))]
    LocatorSpacing {
        /// The file.
        path: Arc<[u8]>,
        /// How often in this section.
        count: usize,
    },
    /// Line numbers after `@@`.
    #[error("line numbers after `@@` in the section of `{}`{}: they mean nothing here", Shown(path), times(*count))]
    LocatorNumbers {
        /// The file.
        path: Arc<[u8]>,
        /// How often in this section.
        count: usize,
    },
    /// `\ No newline at end of file`
    #[error("`\\ No newline at end of file` in the section of `{}` is ignored{}", Shown(path), times(*count))]
    NoNewlineMark {
        /// The file.
        path: Arc<[u8]>,
        /// How often in this section.
        count: usize,
    },
}

impl Warning {
    /// Returns how often this stands in its section.
    pub(super) fn count_mut(&mut self) -> &mut usize {
        match self {
            Warning::DecoratedMarker { count, .. }
            | Warning::BlankInBody { count, .. }
            | Warning::LocatorSpacing { count, .. }
            | Warning::LocatorNumbers { count, .. }
            | Warning::NoNewlineMark { count, .. } => count,
        }
    }
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

impl Habit {
    fn label(self, verb: Verb) -> &'static str {
        match self {
            Habit::Fence => "a Markdown fence inside the patch",
            Habit::Marker(_) => "this is nearly a marker",
            Habit::Locator => "there are no chunks in this kind of section",
            Habit::NoNewline => "this can't be said here",
            Habit::OtherSign | Habit::Comment if verb == Verb::Add => "a new file has `+` lines only",
            Habit::OtherSign | Habit::Comment => "a deleted file has `-` lines only",
            Habit::Bullet | Habit::Plain | Habit::Conflict => match verb {
                Verb::Add => "starts with no `+`",
                Verb::Delete => "starts with no `-`",
                Verb::Update => "starts with neither blank, `-` nor `+`",
            },
            Habit::Tab => "starts with a tab, not with blank, `-` or `+`",
            Habit::LookAlike => "starts with a character that only looks like a prefix",
            Habit::Blanks => "only blanks",
            Habit::AfterEndOfFile => "belongs to no chunk",
        }
    }

    fn help(self, verb: Verb) -> String {
        let sign = match verb {
            Verb::Add => "write `+` before every line of a new file, empty ones included",
            Verb::Delete => "write `-` before every line of a delete body, or leave the body out",
            Verb::Update => {
                "write one blank before a line that stays, `-` before one that goes, `+` before one that comes; the line's \
                 own indentation follows"
            }
        };
        match self {
            Habit::Fence => {
                "close the fence behind `*** End Patch`, not inside the patch; if it is a line of the file, write its \
                 prefix before it"
                    .into()
            }
            Habit::Marker(meant) => format!("write {}, with nothing before it on its line", spelling(meant)),
            Habit::Locator if verb == Verb::Add => {
                "`*** Add File:` takes only the new file's lines, each with `+` before it; to change a file that exists, \
                 write `*** Update File:`"
                    .into()
            }
            Habit::Locator => "`*** Delete File:` needs no lines; to change the file, write `*** Update File:`".into(),
            Habit::NoNewline => "leave the line out; a new file always ends with a newline".into(),
            Habit::OtherSign if verb == Verb::Add => {
                format!("{sign}; to change a file that exists, write `*** Update File:`")
            }
            Habit::OtherSign => format!("{sign}; to change the file, write `*** Update File:`"),
            Habit::Comment => format!("{sign}: a comment `-- …` is written `+-- …`"),
            Habit::Bullet => format!("{sign}; if it is a remark in a list, move it out of the patch"),
            Habit::Conflict => {
                "this looks like a search-and-replace block or a merge conflict: write the old lines with `-` and the new \
                 ones with `+` before each"
                    .into()
            }
            Habit::Tab => format!("{sign}; before the tab of a line that stays, one blank is missing"),
            Habit::LookAlike => {
                format!("{sign}: the ASCII characters, not a no-break space, a typographic minus or a wide plus")
            }
            Habit::Blanks => sign.into(),
            Habit::AfterEndOfFile => "begin a new chunk with a line `@@`, or put `*** End of File` behind these lines".into(),
            Habit::Plain => format!("{sign}; if it is a remark, move it out of the patch"),
        }
    }
}

impl Explain for Warning {
    fn kind(&self) -> Kind {
        match self {
            Warning::DecoratedMarker { .. } => Kind::DecoratedMarker,
            Warning::BlankInBody { .. } => Kind::BlankInBody,
            Warning::LocatorSpacing { .. } => Kind::LocatorSpacing,
            Warning::LocatorNumbers { .. } => Kind::LocatorNumbers,
            Warning::NoNewlineMark { .. } => Kind::NoNewlineMark,
        }
    }

    fn label(&self) -> Option<String> {
        Some(
            match self {
                Warning::DecoratedMarker { .. } => "taken for the marker alone",
                Warning::BlankInBody { .. } => "an empty line",
                Warning::LocatorSpacing { .. } => "taken for the text after `@@ `",
                Warning::LocatorNumbers { .. } => "taken for a bare `@@`",
                Warning::NoNewlineMark { .. } => "this format can't say that",
            }
            .into(),
        )
    }

    fn path(&self) -> Option<BString> {
        match self {
            Warning::DecoratedMarker { path, .. } => path.as_ref().map(written),
            Warning::BlankInBody { path, .. }
            | Warning::LocatorSpacing { path, .. }
            | Warning::LocatorNumbers { path, .. }
            | Warning::NoNewlineMark { path, .. } => Some(written(path)),
        }
    }

    fn help(&self) -> Option<String> {
        Some(self.remedy().into())
    }
}

impl Warning {
    fn remedy(&self) -> &'static str {
        match self {
            Warning::DecoratedMarker { .. } => "write the marker without the stars at its end",
            Warning::BlankInBody { verb: Verb::Delete, .. } => "write `-` on the line",
            Warning::BlankInBody { .. } => "write `+` on the line",
            Warning::LocatorSpacing { .. } => "write one blank between `@@` and the text",
            Warning::LocatorNumbers { .. } => {
                "write `@@`, or `@@ ` and a line of the file that stands before the change; numbers are never a position"
            }
            Warning::NoNewlineMark { .. } => "leave the line out: a file that an envelope changes ends with a newline",
        }
    }
}

/// Returns how what was meant is to be written.
fn spelling(meant: Meant) -> &'static str {
    match meant {
        Meant::Begin => "`*** Begin Patch`",
        Meant::End => "`*** End Patch`",
        Meant::EndOfFile => "`*** End of File`",
        Meant::Header(Verb::Add) => "`*** Add File: <path>`",
        Meant::Header(Verb::Delete) => "`*** Delete File: <path>`",
        Meant::Header(Verb::Update) => "`*** Update File: <path>`",
        Meant::Replace => "`*** Delete File: <path>`, then `*** Add File: <path>`",
        Meant::Rename => "`*** Update File: <old path>`, on the next line `*** Move to: <new path>`",
    }
}

fn written(path: &Arc<[u8]>) -> BString {
    BString::from(&path[..])
}

fn unreadable(more: usize) -> String {
    if more == 0 { "a line that can't be read".into() } else { format!("{} lines that can't be read", more + 1) }
}

fn blanks(count: usize) -> String {
    if count == 1 { "an empty line".into() } else { format!("{count} empty lines") }
}

fn times(count: usize) -> String {
    if count == 1 { String::new() } else { format!(", {count} times") }
}
