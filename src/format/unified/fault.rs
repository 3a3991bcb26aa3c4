//! What can be wrong with a unified diff, and what was guessed.

use bstr::BString;

use crate::explain::Explain;
use crate::kind::Kind;
use crate::text::Shown;

/// Why a section of a unified diff can't be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// A quoted name that isn't closed, escapes what can't be, or has something behind it.
    #[error("a name in quotes isn't written as git writes it")]
    Quoting,
    /// Two names, and nothing that says how one becomes the other.
    #[error("the section names two files, `{}` and `{}`, and says neither rename nor copy", Shown(old), Shown(new))]
    TwoNames {
        /// The name before.
        old: BString,
        /// The name afterwards.
        new: BString,
    },
    /// A name that isn't the one that the rest of the header means.
    #[error("the header of `{}` also names `{}`", Shown(path), Shown(name))]
    OtherName {
        /// The path that the header is about.
        path: BString,
        /// The other name.
        name: BString,
    },
    /// A header that lacks a part of what it needs.
    #[error("{0}")]
    Incomplete(Missing),
    /// A file that is new and isn't, or that goes and doesn't.
    #[error(
        "the header contradicts itself: it says that a file is new, deleted, renamed or copied, and its names say otherwise"
    )]
    Contradiction,
    /// A mode that no regular file has.
    #[error("mode {mode:06o}: only regular files (100644, 100755) can be patched")]
    Mode {
        /// The mode.
        mode: u32,
    },
    /// What stands in place of a mode.
    #[error("`{}` is no mode", Shown(text))]
    NoMode {
        /// What stands there.
        text: BString,
    },
    /// Contents that aren't shown as lines.
    #[error("{} is a binary file, of which the patch shows no lines", named(path))]
    Binary {
        /// The file, if it could be told.
        path: Option<BString>,
    },
    /// A section that asks for nothing.
    #[error("nothing is to be done in this section: it has no hunk, and the file keeps its name and mode")]
    Nothing,
    /// A hunk header without numbers.
    #[error("a hunk's header has no line numbers")]
    NoNumbers,
    /// A hunk without lines.
    #[error("a hunk has no lines")]
    NoLines,
    /// Lines of a hunk that say neither that they stay nor that they go or come.
    #[error("a line of a hunk has no prefix")]
    NoPrefix,
    /// A hunk in which the response ends.
    #[error("the response ends in the middle of a hunk, which claims {} and has {}", counts(*claimed), counts(*found))]
    CutHunk {
        /// How many old and new lines its header claims.
        claimed: [u32; 2],
        /// How many there are.
        found: [u32; 2],
    },
    /// A hunk whose header claims other counts, where that isn't tolerated.
    #[error("hunk {number} claims {}, and has {}", counts(*claimed), counts(*found))]
    Miscounted {
        /// Which hunk of its section, from 1.
        number: usize,
        /// How many old and new lines its header claims.
        claimed: [u32; 2],
        /// How many there are.
        found: [u32; 2],
    },
    /// A `\ No newline at end of file` that can't be true.
    #[error("`\\ No newline at end of file` {0}")]
    Mark(Misplaced),
    /// A new file with lines that are said to be there.
    #[error("the file is new, yet the hunk has lines that it must have had")]
    AddedHasOld,
    /// A new file in several hunks.
    #[error("the file is new, yet it is shown in several hunks")]
    AddedTwice,
}

/// What a header lacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Missing {
    /// `rename from` without `rename to`, or the other way, or one of each kind.
    #[error("the header of a rename or copy doesn't say both names")]
    OtherName,
    /// No name.
    #[error("the section doesn't say which file it is about")]
    Names,
}

/// Where a `\ No newline at end of file` stands that can't.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Misplaced {
    /// Before any line.
    #[error("follows no line")]
    First,
    /// Before other lines of its side.
    #[error("stands behind a line that others follow")]
    Within,
}

/// What was guessed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Warning {
    /// A hunk whose header claims other counts.
    #[error("hunk {number} of `{}` claims {}; it has {}, and is read so", Shown(path), counts(*claimed), counts(*found))]
    Recounted {
        /// The file.
        path: BString,
        /// Which hunk of its section, from 1.
        number: usize,
        /// How many old and new lines its header claims.
        claimed: [u32; 2],
        /// How many there are.
        found: [u32; 2],
    },
}

fn counts([old, new]: [u32; 2]) -> String {
    format!("{old} old and {new} new line{}", if new == 1 { "" } else { "s" })
}

fn named(path: &Option<BString>) -> String {
    path.as_ref().map_or_else(|| "this".to_owned(), |path| format!("`{}`", Shown(path)))
}

impl Explain for Fault {
    fn kind(&self) -> Kind {
        match self {
            Fault::Mode { .. } | Fault::Binary { .. } => Kind::Unsupported,
            _ => Kind::Parse,
        }
    }

    fn path(&self) -> Option<BString> {
        match self {
            Fault::Binary { path } => path.clone(),
            Fault::OtherName { path, .. } => Some(path.clone()),
            _ => None,
        }
    }

    fn label(&self) -> Option<String> {
        Some(
            match self {
                Fault::CutHunk { .. } => "this hunk",
                Fault::NoPrefix => "neither ` `, `-` nor `+`",
                Fault::NoNumbers => "no numbers",
                Fault::NoLines => "nothing follows",
                Fault::AddedHasOld => "an old line",
                Fault::AddedTwice => "a second hunk",
                Fault::Mark(Misplaced::Within) => "said to be the last line",
                _ => return None,
            }
            .into(),
        )
    }

    fn help(&self) -> Option<String> {
        let help = match self {
            Fault::Quoting => {
                "write it as `git diff` does: in double quotes, with `\\` before quotes, and nothing behind it"
            }
            Fault::TwoNames { old, new } => match one_sided(old, new) {
                Some(path) => return Some(format!("write `--- a/{}` and `+++ b/{}`", Shown(path), Shown(path))),
                None => {
                    "name one file on both sides (`a/` and `b/` before it), or say `rename from` and `rename to` under `diff --git`"
                }
            },
            Fault::OtherName { .. } | Fault::Contradiction => "ask for the patch again, as `git diff` prints it",
            Fault::Incomplete(Missing::OtherName) => {
                "give both `rename from` and `rename to`, or both `copy from` and `copy to`"
            }
            Fault::Incomplete(Missing::Names) => "put `--- a/<path>` and `+++ b/<path>` before its hunks",
            Fault::Mode { .. } => "make the link or submodule by hand, and take this section out",
            Fault::NoMode { .. } => "write 100644, or 100755 for a program",
            Fault::Binary { .. } => "take this section out; `git apply` takes binary patches",
            Fault::Nothing => "take the section out, or ask for its hunks",
            Fault::NoNumbers => "write `@@ -<line>,<count> +<line>,<count> @@`; a guess at the numbers will do",
            Fault::NoLines => "take the hunk out, or ask for its lines",
            Fault::NoPrefix => {
                "put ` `, `-` or `+` before it; if it is no part of the patch, put a blank line before it"
            }
            Fault::CutHunk { .. } => "the answer was probably cut off: ask for the whole answer again",
            Fault::Miscounted { .. } => "correct the numbers, or leave --strict out",
            Fault::Mark(_) => "let it follow the last line of the file, or take it out",
            Fault::AddedHasOld => "give the file only lines with `+`, or take `new file mode` and `/dev/null` away",
            Fault::AddedTwice => "join the hunks",
        };
        Some(help.into())
    }

    fn advice(&self) -> Option<String> {
        let advice = match self {
            Fault::OtherName { .. } | Fault::Contradiction => "write the header as `git diff` prints it",
            Fault::Nothing => "take the section out, or give its hunks",
            Fault::NoLines => "take the hunk out, or give its lines",
            Fault::CutHunk { .. } => "send the whole patch, to its last line",
            Fault::Miscounted { .. } => "correct the numbers",
            _ => return None,
        };
        Some(advice.into())
    }
}

/// Returns the path that two names mean of which only one has its side's letter before it.
fn one_sided<'a>(old: &'a [u8], new: &'a [u8]) -> Option<&'a [u8]> {
    let is_old = old.strip_prefix(b"a/") == Some(new);
    let is_new = new.strip_prefix(b"b/") == Some(old);
    is_old.then_some(new).or(is_new.then_some(old))
}

impl Explain for Warning {
    fn kind(&self) -> Kind {
        Kind::Recounted
    }

    fn path(&self) -> Option<BString> {
        let Warning::Recounted { path, .. } = self;
        Some(path.clone())
    }
}
