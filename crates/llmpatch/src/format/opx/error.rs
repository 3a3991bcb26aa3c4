use bstr::BString;

use super::{Child, Op};
use crate::text::{LineNo, Shown};

/// Why an edit, or an `<opx>`, can't be read.
#[allow(missing_docs, reason = "the message says what the fields are")]
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    #[error("the tag `<{}` has no `>`", Shown(tag))]
    Unclosed { tag: BString },
    #[error("the value of `{}` is not in quotes", Shown(attribute))]
    Unquoted { attribute: BString, value: BString },
    #[error("the value of `{}` has no closing quote on its line", Shown(attribute))]
    OpenValue { attribute: BString },
    #[error("`<{}>` has two attributes `{}`", Shown(tag), Shown(attribute))]
    DuplicateAttribute { tag: BString, attribute: BString },
    #[error("`{}` in the tag `<{}>` is no attribute", Shown(text), Shown(tag))]
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
    Marker,
    #[error("unknown operation `{}`", Shown(written))]
    UnknownOperation { written: BString },
    #[error("`{}` isn't an occurrence", Shown(written))]
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
    StrayText { text: BString },
    /// A closing tag or a `>>>`.
    #[error("`{}` closes nothing here", Shown(text))]
    StrayClose { text: BString },
    #[error("`<{}>` is not closed before the response ends", Shown(tag))]
    Truncated { tag: BString },
    /// An element that isn't closed where another begins or its parent ends.
    #[error("`<{}>` is not closed before `{}`", Shown(tag), Shown(before))]
    NotClosed { tag: BString, before: BString },
    #[error("an `<opx>` inside an `<opx>`")]
    NestedWrapper,
    #[error("the `<opx>` holds no `<edit>`")]
    EmptyWrapper,
    /// A payload without its `<<<`, and what is there instead.
    #[error("no `<<<` line before a text to find or put")]
    NoMarker { found: BString },
    #[error("the text of an edit is in `<![CDATA[`, which is XML's and not OPX's")]
    Cdata,
    #[error("the text in `<{}>` has no end: no `>>>` line followed by `</{}>`", holder.name(), holder.name())]
    OpenPayload { holder: Child, clue: NoEnd },
    #[error("the text to find is empty")]
    EmptyFind,
    #[error("`{}` inside an `<opx>`, outside of its edits", Shown(line))]
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
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Warning {
    #[error("the value of `{}` is in typographic quotes", Shown(attribute))]
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
    StrayText { text: BString },
    #[error("an `<edit>` in the middle of a line of text is ignored")]
    ProseEdit,
    #[error("an `<edit>` in a comment is ignored")]
    CommentedEdit,
    #[error("every line of `<{}>` is indented as its `<<<` is, and keeps that indentation", holder.name())]
    IndentedPayload { holder: Child },
}
