use bstr::BString;

use super::marker::Family;
use crate::text::{LineNo, Shown, listed};

/// Why a block, or what is around it, can't be read.
#[allow(missing_docs, reason = "the message says what the fields are")]
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    #[error("nothing says which file this block is about")]
    NoPath,
    #[error(
        "this block names two files, `{}` and `{}`",
        Shown(first),
        Shown(second)
    )]
    TwoPaths { first: BString, second: BString },
    /// `before` is the line in which another block begins; none where the response ends. `near` is
    /// nearly the end.
    #[error("this block has no `{}` {}", family.end(), before.map_or("before the response ends".into(), |line| format!("before another begins in line {line}")))]
    NoEnd {
        family: Family,
        before: Option<LineNo>,
        near: Option<LineNo>,
    },
    /// `near` is nearly one.
    #[error("this block has no `=======` between old and new lines")]
    NoDivider { near: Option<LineNo> },
    /// Whether they are two in a row right before the end, `is_doubled`.
    #[error("any of the lines {} may be the one between old and new lines", listed(lines, lines.len()))]
    Dividers {
        lines: Vec<LineNo>,
        is_doubled: bool,
    },
    /// A divider of another length, in `--strict`.
    #[error(
        "the line between old and new lines has {divider} signs, and the block's first line {opener}"
    )]
    Divider { divider: usize, opener: usize },
    #[error("`{}` in a block isn't part of a whole conflict", Shown(marker))]
    Unclear { marker: BString },
    #[error("this line isn't indented as the first line of its block is")]
    Unindented,
    #[error("`{}` isn't a line number", Shown(written))]
    LineNumber { written: BString },
    #[error("`{}` among the new lines", Shown(written))]
    StrayNumber { written: BString },
    #[error("the lines to search for have no text")]
    BlankSearch,
    #[error("the Markdown fence around this block would become a line of the file")]
    Fence,
    #[error("`{}` outside of a block", Shown(marker))]
    StrayEnd { marker: BString },
    #[error(
        "`{}` isn't written as the first line of a block must be",
        Shown(marker)
    )]
    NearOpener { marker: BString },
    #[error("`<{tag}>` is not closed")]
    OpenTag { tag: &'static str },
    #[error("`<{tag}>` calls a tool that isn't known here")]
    Tool { tag: &'static str },
}

impl Error {
    /// Returns whether it is about tags that other formats' patches may be between.
    pub(crate) fn is_of_tags(&self) -> bool {
        matches!(self, Error::OpenTag { .. } | Error::Tool { .. })
    }
}

/// What was guessed or left out while reading a block or what is around it.
#[allow(missing_docs, reason = "the message says what the fields are")]
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Warning {
    #[error(
        "the line between old and new lines has other signs than the block's first line: {divider} instead of {opener}"
    )]
    Divider { divider: usize, opener: usize },
    #[error("this line is read as the one between old and new lines; line{} {} could be that, too", crate::text::plural(lines.len()), listed(lines, lines.len()))]
    Dividers { lines: Vec<LineNo> },
    #[error("the backslash before a marker is removed")]
    Unescaped,
    #[error("a conflict as git leaves it is ignored")]
    Conflict,
}
