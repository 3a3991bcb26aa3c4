use bstr::BString;

use super::marker::Family;
use crate::text::{LineNo, Shown, listed};

/// Why a block, or what is around it, can't be read.
#[allow(missing_docs, reason = "the message says what the fields are")]
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, strum::EnumProperty)]
#[non_exhaustive]
pub enum Error {
    #[error("nothing says which file this block is about")]
    #[strum(props(
        label = "of which file?",
        help = "put the path alone on the line before it, or give it with --file=<path>",
        advice = "put the file's path alone on the line before each block"
    ))]
    NoPath,
    #[error(
        "this block names two files, `{}` and `{}`",
        Shown(first),
        Shown(second)
    )]
    #[strum(props(
        label = "of which file?",
        help = "name one file, on the line before it"
    ))]
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
    #[strum(props(
        help = "give all markers of a block seven signs, or leave --strict out",
        advice = "give all markers seven signs"
    ))]
    Divider { divider: usize, opener: usize },
    #[error("`{}` in a block isn't part of a whole conflict", Shown(marker))]
    #[strum(props(label = "a line of the file?"))]
    Unclear { marker: BString },
    #[error("this line is indented differently from the first line of its block")]
    #[strum(props(
        label = "indented less",
        help = "indent all lines of a block as its first line is, or none; markers best come first on their lines"
    ))]
    Unindented,
    #[error("`{}` isn't a line number", Shown(written))]
    #[strum(props(help = "write `:start_line:` and a number from 1, once, or leave the line out"))]
    LineNumber { written: BString },
    #[error("`{}` among the new lines", Shown(written))]
    #[strum(props(label = "no line of the file"))]
    StrayNumber { written: BString },
    #[error("the lines to search for have no text")]
    #[strum(props(
        label = "nothing but whitespace",
        help = "give lines that have text, too; for a new file, put nothing between SEARCH and `=======`"
    ))]
    BlankSearch,
    #[error("the Markdown fence around this block would become a line of the file")]
    #[strum(props(
        label = "would be a line of the file",
        help = "close the fence after the block, not in it; around a text that has fences, use a longer one"
    ))]
    Fence,
    #[error("`{}` outside of a block", Shown(marker))]
    #[strum(props(
        label = "ends nothing",
        help = "the start of its block is missing, or the one before ended too early: ask for the response again"
    ))]
    StrayEnd { marker: BString },
    #[error(
        "`{}` isn't written as the first line of a block must be",
        Shown(marker)
    )]
    #[strum(props(label = "nearly the start of a block"))]
    NearOpener { marker: BString },
    #[error("`<{tag}>` is not closed")]
    #[strum(props(
        label = "this tag",
        help = "the response was probably cut off: ask for the whole response again",
        advice = "close every tag, and send the whole of it"
    ))]
    OpenTag { tag: &'static str },
    #[error("`<{tag}>` {}", Error::calls(tag))]
    #[strum(props(
        kind = "unsupported",
        help = "ask for the change in search/replace blocks; or take this call out and make its change by hand",
        advice = "send this change, too, as `<<<<<<< SEARCH` blocks, each below the path of its file"
    ))]
    Tool { tag: &'static str },
}

impl Error {
    /// Says what a tag is that can't be read.
    fn calls(tag: &str) -> &'static str {
        match tag {
            "old_text" => {
                "is of an edit in `<old_text>` and `<new_text>` (Zed), which isn't read here"
            }
            _ => "calls a tool that isn't known here",
        }
    }

    /// Returns whether it is about tags that other formats' patches may be between.
    pub(crate) fn is_of_tags(&self) -> bool {
        matches!(self, Error::OpenTag { .. } | Error::Tool { .. })
    }
}

/// What was guessed or left out while reading a block or what is around it.
#[allow(missing_docs, reason = "the message says what the fields are")]
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, strum::EnumProperty)]
#[non_exhaustive]
pub enum Warning {
    #[error(
        "the line between old and new lines has other signs than the block's first line: {divider} instead of {opener}"
    )]
    #[strum(props(kind = "divider"))]
    Divider { divider: usize, opener: usize },
    #[error("this line is read as the one between old and new lines; line{} {} could be that, too", crate::text::plural(lines.len()), listed(lines, lines.len()))]
    #[strum(props(
        kind = "divider",
        label = "has as many signs as the block's first line"
    ))]
    Dividers { lines: Vec<LineNo> },
    #[error("the backslash before a marker is removed")]
    #[strum(props(
        kind = "escaped-marker",
        help = "if the file is to have the backslash, write it twice"
    ))]
    Unescaped,
    #[error("a conflict as git leaves it is ignored")]
    #[strum(props(
        kind = "prose-conflict",
        help = "if it is meant as a change, write `SEARCH` and `REPLACE` in place of the names"
    ))]
    Conflict,
}
