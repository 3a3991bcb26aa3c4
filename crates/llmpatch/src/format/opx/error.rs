use bstr::BString;

use super::{Child, Op};
use crate::text::{LineNo, Shown};

/// Why an edit, or an `<opx>`, can't be read.
#[allow(missing_docs, reason = "the message says what the fields are")]
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, strum::EnumProperty)]
#[non_exhaustive]
pub enum Error {
    #[error("the tag `<{}` has no `>`", Shown(tag))]
    #[strum(props(label = "this tag goes on to here"))]
    Unclosed { tag: BString },
    #[error("the value of `{}` is not in quotes", Shown(attribute))]
    Unquoted { attribute: BString, value: BString },
    /// In `--strict`.
    #[error("the value of `{}` is in typographic quotes", Shown(attribute))]
    #[strum(props(help = "write straight quotes: `\"`; or leave --strict out"))]
    TypographicQuotes { attribute: BString },
    #[error("the value of `{}` has no closing quote on its line", Shown(attribute))]
    OpenValue { attribute: BString },
    #[error("`<{}>` has two attributes `{}`", Shown(tag), Shown(attribute))]
    #[strum(props(help = "keep the one that is meant"))]
    DuplicateAttribute { tag: BString, attribute: BString },
    #[error("`{}` in the tag `<{}>` is no attribute", Shown(text), Shown(tag))]
    #[strum(props(help = "write attributes as `name=\"value\"`, with a space between them"))]
    NoAttribute { tag: BString, text: BString },
    #[error("`<{tag}>` has no attribute `{attribute}`")]
    MissingAttribute {
        tag: &'static str,
        attribute: &'static str,
    },
    /// An attribute where one of another name is missing.
    #[error("the attribute `{}` in place of `{attribute}`", Shown(written))]
    OtherAttribute {
        written: BString,
        attribute: &'static str,
    },
    #[error("the attribute `marker` is reserved for a later version of the format")]
    #[strum(props(
        kind = "unsupported",
        help = "leave `marker` out and put the text between `<<<` and `>>>` lines"
    ))]
    Marker,
    #[error("unknown operation `{}`", Shown(written))]
    UnknownOperation { written: BString },
    #[error("`{}` isn't an occurrence", Shown(written))]
    #[strum(props(
        kind = "occurrence",
        help = "write `first`, `last` or a number from 1; or leave `occurrence` out if the text is in the file once"
    ))]
    Occurrence { written: BString },
    #[error("`<{}>` is missing", child.name())]
    MissingChild { op: Op, child: Child },
    /// An element where one of another name is missing, by which other formats call it.
    #[error("`<{}>` in place of `<{}>`", Shown(written), child.name())]
    OtherName { written: BString, child: Child },
    #[error("a second `<{}>`", child.name())]
    DuplicateChild { child: Child },
    /// A child that means nothing for the operation.
    #[error("`<{}>` does not go with `op=\"{}\"`", child.name(), op.name())]
    ForeignChild { op: Op, child: Child },
    #[error("text between the elements: `{}`", Shown(text))]
    #[strum(props(
        help = "if this belongs to a text to find or put, it must be between that one's `<<<` and `>>>` lines; else leave it out"
    ))]
    StrayText { text: BString },
    /// A closing tag or a `>>>`.
    #[error("`{}` closes nothing here", Shown(text))]
    #[strum(props(help = "leave it out, or add what it was meant to close"))]
    StrayClose { text: BString },
    #[error("`<{}>` is not closed before the response ends", Shown(tag))]
    #[strum(props(label = "opened here"))]
    Truncated { tag: BString },
    /// An element that isn't closed where another begins or its parent ends.
    #[error("`<{}>` is not closed before `{}`", Shown(tag), Shown(before))]
    #[strum(props(label = "opened here"))]
    NotClosed { tag: BString, before: BString },
    #[error("an `<opx>` inside an `<opx>`")]
    #[strum(props(help = "put all edits into one `<opx>`, or leave `<opx>` out"))]
    NestedWrapper,
    #[error("the `<opx>` holds no `<edit>`")]
    #[strum(props(help = "put the edits between `<opx>` and `</opx>`"))]
    EmptyWrapper,
    /// A payload without its `<<<`, and what is there instead.
    #[error("no `<<<` line before a text to find or put")]
    NoMarker { found: BString },
    #[error("the text of an edit is in `<![CDATA[`, which is XML's and not OPX's")]
    #[strum(props(
        help = "put the text between a line that is only `<<<` and a line that is only `>>>`, in place of `<![CDATA[` and `]]>`; nothing in it is escaped"
    ))]
    Cdata,
    #[error("the text in `<{}>` has no end: no `>>>` line followed by `</{}>`", holder.name(), holder.name())]
    OpenPayload { holder: Child, clue: NoEnd },
    #[error("the text to find is empty")]
    #[strum(props(
        help = "write the text that is to be replaced, as it is in the file; to replace the whole file, write op=\"replace\""
    ))]
    EmptyFind,
    #[error("`{}` inside an `<opx>`, outside of its edits", Shown(line))]
    #[strum(props(help = "write the whole response in one of the two formats"))]
    EnvelopeInside { line: BString },
}

/// Why a payload may have no end. Lines are of the response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoEnd {
    /// The closing tag in this line has no `>>>` before it.
    Unmarked(LineNo),
    /// The `>>>` before this line is followed by another closing tag.
    OtherTag(LineNo, BString),
    /// The text quotes a `<put>` or `<find>` whose `<<<` is in this line, and to which the next end
    /// belongs.
    Pair(LineNo),
    /// Nothing else: the response ends.
    Cut,
}

/// What was ignored or guessed while reading an edit or an `<opx>`.
#[allow(missing_docs, reason = "the message says what the fields are")]
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, strum::EnumProperty)]
#[non_exhaustive]
pub enum Warning {
    #[error("the value of `{}` is in typographic quotes", Shown(attribute))]
    #[strum(props(kind = "typographic-quotes", help = "write straight quotes: `\"`"))]
    TypographicQuotes { attribute: BString },
    #[error(
        "the attribute `{}` of `<{}>` means nothing and is ignored",
        Shown(attribute),
        Shown(tag)
    )]
    UnknownAttribute { tag: BString, attribute: BString },
    #[error("`<{}>` means nothing here and is ignored", Shown(tag))]
    UnknownElement { tag: BString },
    #[error("text between the edits is ignored: `{}`", Shown(text))]
    #[strum(props(kind = "stray-text"))]
    StrayText { text: BString },
    #[error("an `<edit>` in the middle of a line of text is ignored")]
    #[strum(props(
        kind = "prose-edit",
        help = "if it is to be applied, begin a line with it"
    ))]
    ProseEdit,
    #[error("an `<edit>` in a comment is ignored")]
    #[strum(props(kind = "commented-patch"))]
    CommentedEdit,
    #[error("every line of `<{}>` is indented as its `<<<` is, and keeps that indentation", holder.name())]
    #[strum(props(
        kind = "indented-payload",
        help = "if the file is not indented so, write the text from the first column"
    ))]
    IndentedPayload { holder: Child },
}
