use bstr::BString;

use crate::text::{Shown, plural};

/// Why a section of a unified diff can't be read.
#[allow(missing_docs, reason = "the message says what the fields are")]
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A quoted name that isn't closed, escapes what can't be, or has something behind it.
    #[error("a name in quotes isn't written as git writes it")]
    Quoting,
    #[error(
        "the section names two files, `{}` and `{}`, and says neither rename nor copy",
        Shown(old),
        Shown(new)
    )]
    TwoNames { old: BString, new: BString },
    #[error("the header of `{}` also names `{}`", Shown(path), Shown(name))]
    OtherName { path: BString, name: BString },
    /// `rename from` without `rename to`, or the other way, or one of each kind.
    #[error("the header of a rename or copy doesn't give both names")]
    HalfRename,
    #[error("the section doesn't say which file it is about")]
    NoName,
    #[error(
        "the header contradicts itself: it says that a file is new, deleted, renamed or copied, and its names say otherwise"
    )]
    Contradiction,
    #[error("mode {mode:06o}: only regular files (100644, 100755) can be patched")]
    Mode { mode: u32 },
    #[error("`{}` isn't a file mode", Shown(text))]
    NoMode { text: BString },
    #[error("{} is a binary file, of which the patch shows no lines", path.as_ref().map_or("this".into(), |path| format!("`{}`", Shown(path))))]
    Binary { path: Option<BString> },
    #[error("this section changes nothing: it has no hunk, and the file keeps its name and mode")]
    Nothing,
    /// A name that has too few directories.
    #[error("`{}` has no path left without its first {strip} director{}", Shown(name), if *strip == 1 { "y" } else { "ies" })]
    TooShort { name: BString, strip: u32 },
    /// In `--strict`.
    #[error("a hunk's header has no line numbers")]
    NoNumbers,
    #[error("the line numbers of a hunk's header can't be read")]
    Numbers,
    #[error("the diff of a merge against all its parents can't be applied")]
    Combined,
    #[error("this is a word diff, which doesn't show the lines of the file")]
    WordDiff,
    /// A hunk that only adds lines, though its header claims so many old ones.
    #[error("the hunk's header claims {claimed} old line{}, and the hunk only adds lines", plural(*claimed as usize))]
    NoOld { claimed: u32 },
    /// A hunk that may go on: it has no counts, and what is around it isn't closed.
    #[error(
        "the response ends in an open fence, within a hunk whose header doesn't say how many lines it has"
    )]
    Uncounted,
    #[error("the response ends in the middle of a hunk's header")]
    CutHeader,
    #[error("a hunk has no lines")]
    NoLines,
    #[error("a line of a hunk has no prefix")]
    NoPrefix,
    /// Lines that begin with line numbers, as in a listing.
    #[error("lines of a hunk begin with line numbers")]
    Numbered,
    #[error("the response ends in the middle of a hunk, which claims {} and has {}", counts(*claimed), counts(*found))]
    CutHunk { claimed: [u32; 2], found: [u32; 2] },
    /// A hunk that claims other counts of old and new lines than it has, in `--strict`. `number`
    /// counts the hunks of its section.
    #[error("hunk {number} claims {}, and has {}", counts(*claimed), counts(*found))]
    Miscounted {
        number: usize,
        claimed: [u32; 2],
        found: [u32; 2],
    },
    #[error("`\\ No newline at end of file` follows no line")]
    MarkFirst,
    #[error("`\\ No newline at end of file` comes after a line that isn't the last one")]
    MarkWithin,
    #[error("the file is new, but the hunk has old lines")]
    AddedHasOld,
    #[error("the file is new, but it has several hunks")]
    AddedTwice,
}

/// What was guessed. `number` counts the hunks of a section.
#[allow(missing_docs, reason = "the message says what the fields are")]
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Warning {
    /// A hunk that claims other counts of old and new lines than it has, and how many lines were
    /// `taken` in that they leave out.
    #[error("hunk {number} of `{}` claims {}, but has {}; the lines that it has are used", Shown(path), counts(*claimed), counts(*found))]
    Recounted {
        path: BString,
        number: usize,
        claimed: [u32; 2],
        found: [u32; 2],
        taken: usize,
    },
    /// A hunk whose number is larger than any file's.
    #[error(
        "hunk {number} of `{}` has a line number that no file has; its lines are looked for everywhere",
        Shown(path)
    )]
    Beyond { path: BString, number: usize },
    #[error(
        "an empty line of `{}` has no `+` and is read as an empty line of the file",
        Shown(path)
    )]
    Blank { path: BString },
    #[error(
        "hunk {number} of `{}` is complete by its counts; the lines after it are ignored",
        Shown(path)
    )]
    LeftOut { path: BString, number: usize },
    #[error(
        "hunk {number} of `{}` is complete by its counts; the response ends within its last line",
        Shown(path)
    )]
    Unended { path: BString, number: usize },
}

fn counts([old, new]: [u32; 2]) -> String {
    format!(
        "{old} old and {new} new line{}",
        if new == 1 { "" } else { "s" }
    )
}
