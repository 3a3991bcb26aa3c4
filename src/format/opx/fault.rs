//! What can be wrong with OPX, and what is worth a warning, in words.

use std::fmt;

use bstr::BString;

use super::literal::Holder;
use crate::explain::Explain;
use crate::kind::Kind;
use crate::text::{LineNo, Shown};

/// The operations that `op` knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    /// Makes a file.
    New,
    /// Puts a text in place of another.
    Patch,
    /// Replaces all of a file.
    Replace,
    /// Deletes a file.
    Remove,
    /// Renames a file.
    Move,
}

impl Op {
    const ALL: [Op; 5] = [Op::New, Op::Patch, Op::Replace, Op::Remove, Op::Move];

    /// Returns the operation of a name, in any case.
    pub(super) fn named(written: &[u8]) -> Option<Self> {
        Self::ALL.into_iter().find(|op| written.eq_ignore_ascii_case(op.name().as_bytes()))
    }

    /// Returns the name.
    pub fn name(self) -> &'static str {
        match self {
            Op::New => "new",
            Op::Patch => "patch",
            Op::Replace => "replace",
            Op::Remove => "remove",
            Op::Move => "move",
        }
    }

    /// Returns the children that it needs, one of each.
    pub(super) fn needs(self) -> &'static [Child] {
        match self {
            Op::New | Op::Replace => &[Child::Put],
            Op::Patch => &[Child::Find, Child::Put],
            Op::Remove => &[],
            Op::Move => &[Child::To],
        }
    }
}

/// The elements that an `<edit>` may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Child {
    /// The text to look for.
    Find,
    /// The text to put.
    Put,
    /// Where a file moves to.
    To,
    /// The author's note.
    Why,
}

impl Child {
    pub(super) const ALL: [Child; 4] = [Child::Find, Child::Put, Child::To, Child::Why];

    /// Returns the child of a name, in any case.
    pub(super) fn named(written: &[u8]) -> Option<Self> {
        Self::ALL.into_iter().find(|child| written.eq_ignore_ascii_case(child.name().as_bytes()))
    }

    /// Returns the element's name.
    pub fn name(self) -> &'static str {
        match self {
            Child::Find => "find",
            Child::Put => "put",
            Child::To => "to",
            Child::Why => "why",
        }
    }
}

/// Why an edit, or an `<opx>`, can't be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{problem}{}", InEdit(path.as_ref()))]
#[non_exhaustive]
pub struct Fault {
    /// The file of the edit, as written, if it is in one that has a name.
    pub path: Option<BString>,
    /// What is wrong.
    pub problem: Problem,
}

/// What can be wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// A tag without its `>`.
    #[error("the tag `<{}` has no `>`", Shown(tag))]
    UnclosedTag {
        /// The tag's name.
        tag: BString,
    },
    /// A value that isn't in quotes.
    #[error("the value of `{}` is not in quotes", Shown(attribute))]
    Unquoted {
        /// The attribute.
        attribute: BString,
        /// The value.
        value: BString,
    },
    /// A value whose closing quote isn't on its line.
    #[error("the value of `{}` has no closing quote on its line", Shown(attribute))]
    OpenValue {
        /// The attribute.
        attribute: BString,
    },
    /// Two attributes of one name.
    #[error("`<{}>` has two attributes `{}`", Shown(tag), Shown(attribute))]
    DuplicateAttribute {
        /// The tag's name.
        tag: BString,
        /// The attribute.
        attribute: BString,
    },
    /// Something in a tag that is no attribute.
    #[error("`{}` in the tag `<{}>` is no attribute", Shown(text), Shown(tag))]
    NoAttribute {
        /// The tag's name.
        tag: BString,
        /// What stands there.
        text: BString,
    },
    /// An attribute that must be there.
    #[error("`<{tag}>` has no attribute `{attribute}`")]
    MissingAttribute {
        /// The tag's name.
        tag: &'static str,
        /// The attribute.
        attribute: &'static str,
    },
    /// An `op` that doesn't exist.
    #[error("unknown operation `{}`", Shown(written))]
    UnknownOperation {
        /// What the response says.
        written: BString,
    },
    /// An attribute that a later version of the format may define.
    #[error("the attribute `marker` is reserved for a later version of the format")]
    Marker,
    /// An `occurrence` that can't be.
    #[error("`{}` is no occurrence", Shown(written))]
    Occurrence {
        /// What the response says.
        written: BString,
    },
    /// A child that the operation needs.
    #[error("`<{}>` is missing", child.name())]
    MissingChild {
        /// The operation.
        op: Op,
        /// The child.
        child: Child,
    },
    /// A second child of one name.
    #[error("a second `<{}>`", child.name())]
    DuplicateChild {
        /// The child.
        child: Child,
    },
    /// A child that has no meaning for the operation.
    #[error("`<{}>` does not go with `op=\"{}\"`", child.name(), op.name())]
    ForeignChild {
        /// The operation.
        op: Op,
        /// The child.
        child: Child,
    },
    /// Text where only elements may stand.
    #[error("text between the elements: `{}`", Shown(text))]
    StrayText {
        /// Its first line.
        text: BString,
    },
    /// A closing tag, or a `>>>`, that closes nothing.
    #[error("`{}` closes nothing here", Shown(text))]
    StrayClose {
        /// What stands there.
        text: BString,
    },
    /// An element that the response doesn't close before it ends.
    #[error("`<{}>` is not closed before the response ends", Shown(tag))]
    Truncated {
        /// The element.
        tag: BString,
    },
    /// An element that isn't closed where another begins or its parent ends.
    #[error("`<{}>` is not closed before `{}`", Shown(tag), Shown(before))]
    NotClosed {
        /// The element.
        tag: BString,
        /// What stands where it must have been closed.
        before: BString,
    },
    /// An `<opx>` in an `<opx>`.
    #[error("an `<opx>` inside an `<opx>`")]
    NestedWrapper,
    /// An `<opx>` without an edit.
    #[error("the `<opx>` holds no `<edit>`")]
    EmptyWrapper,
    /// A payload without its `<<<`.
    #[error("`<{}>` has no `<<<` line", holder.name())]
    NoMarker {
        /// The element.
        holder: Holder,
        /// What stands there instead.
        found: BString,
    },
    /// A payload without its end.
    #[error("the text in `<{}>` has no end: no `>>>` line followed by `</{}>`", holder.name(), holder.name())]
    OpenPayload {
        /// The element.
        holder: Holder,
        /// What may be the reason.
        clue: Reason,
    },
    /// Nothing to look for.
    #[error("the text to find is empty")]
    EmptyFind,
    /// An envelope between the edits of an `<opx>`.
    #[error("`{}` inside an `<opx>`, outside of its edits", Shown(line))]
    EnvelopeInside {
        /// The line.
        line: BString,
    },
}

/// Why a payload may have no end. Lines are of the response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The closing tag on this line has no `>>>` before it.
    NoEndMarker(LineNo),
    /// The `>>>` before this line is followed by another closing tag.
    OtherTag(LineNo, BString),
    /// The text quotes a `<put>` or `<find>` whose `<<<` is on this line.
    Pair(LineNo),
    /// The response just stops.
    Cut,
}

impl Explain for Fault {
    fn kind(&self) -> Kind {
        match self.problem {
            Problem::Marker => Kind::Unsupported,
            Problem::Occurrence { .. } => Kind::Occurrence,
            _ => Kind::Parse,
        }
    }

    fn path(&self) -> Option<BString> {
        self.path.clone()
    }

    fn label(&self) -> Option<String> {
        Some(match &self.problem {
            Problem::UnclosedTag { .. } => "this tag goes on to here".into(),
            Problem::OpenPayload { .. } => "the text begins here".into(),
            Problem::Truncated { .. } | Problem::NotClosed { .. } => "opened here".into(),
            Problem::NoMarker { found, .. } if !found.is_empty() => "`<<<` must stand here, alone on its line".into(),
            Problem::MissingChild { child, .. } => format!("this edit has no `<{}>`", child.name()),
            _ => return None,
        })
    }

    fn notes(&self) -> Vec<String> {
        let Problem::OpenPayload { holder, clue } = &self.problem else { return Vec::new() };
        let name = holder.name();
        match clue {
            Reason::NoEndMarker(line) => vec![format!("`</{name}>` on line {line} has no `>>>` line before it")],
            Reason::OtherTag(line, tag) => {
                vec![format!("the `>>>` before line {line} is followed by `{}` instead of `</{name}>`", Shown(tag))]
            }
            Reason::Pair(line) => vec![format!(
                "the text quotes a `<put>` or `<find>`, and the first end after its `<<<` on line {line} belongs to that one"
            )],
            Reason::Cut => vec!["the response seems to be cut off".into()],
        }
    }

    fn help(&self) -> Option<String> {
        Some(match &self.problem {
            Problem::UnclosedTag { tag } => format!("end the tag with `>`: `<{} …>`", Shown(tag)),
            Problem::Unquoted { attribute, value } => format!("write `{}=\"{}\"`", Shown(attribute), Shown(value)),
            Problem::OpenValue { attribute } => format!("write `{}=\"…\"`, all on one line", Shown(attribute)),
            Problem::DuplicateAttribute { .. } => "keep the one that is meant".into(),
            Problem::NoAttribute { .. } => "write attributes as `name=\"value\"`, with a blank between them".into(),
            Problem::MissingAttribute { tag: "to", .. } => "say where the file moves to: `<to file=\"new/path\"/>`".into(),
            Problem::MissingAttribute { attribute: "op", .. } => format!("add `op=\"…\"`: {OPERATIONS}"),
            Problem::MissingAttribute { .. } => "say which file is meant: `file=\"path/from/the/top\"`".into(),
            Problem::UnknownOperation { written } => match meant(written) {
                Some(meant) => format!("write {meant}"),
                None => format!("write one of {OPERATIONS}"),
            },
            Problem::Marker => "leave `marker` out and put the text between `<<<` and `>>>` lines".into(),
            Problem::Occurrence { .. } => {
                "write `first`, `last` or a number from 1; or leave `occurrence` out if the text stands once in the file".into()
            }
            Problem::MissingChild { op, child } => match (op, child) {
                (Op::Patch, Child::Find) => "add `<find>` with the text to look for, or write op=\"replace\" to \
                    replace the whole file"
                    .into(),
                (Op::Patch, _) => "add `<put>` with the text to put in its place; nothing between its `<<<` and `>>>` \
                    lines deletes the text"
                    .into(),
                (_, Child::To) => "say where the file moves to: `<to file=\"new/path\"/>`".into(),
                _ => "add `<put>` with the file's content between a `<<<` and a `>>>` line".into(),
            },
            Problem::DuplicateChild { child: Child::Find | Child::Put } => {
                "write one `<edit>` for each text to change".into()
            }
            Problem::DuplicateChild { child } => format!("keep one `<{}>`", child.name()),
            Problem::ForeignChild { op, child } => match (op, child) {
                (Op::New | Op::Replace, Child::Find) => {
                    "leave `<find>` out, or write op=\"patch\" to change a part of the file".into()
                }
                (_, Child::To) => "write the move as an edit of its own, with op=\"move\"".into(),
                (Op::Move, _) => "a move leaves the content alone: change the file in an edit of its own, with its new path".into(),
                _ => format!("leave `<{}>` out, or name the operation that is meant: {OPERATIONS}", child.name()),
            },
            Problem::StrayText { .. } => "if this belongs to a text to find or put, it must stand between that one's `<<<` \
                and `>>>` lines; else leave it out"
                .into(),
            Problem::StrayClose { .. } => "leave it out, or add what it was meant to close".into(),
            Problem::Truncated { tag } | Problem::NotClosed { tag, .. } if tag.eq_ignore_ascii_case(b"to") => {
                "write `<to file=\"new/path\"/>`".into()
            }
            Problem::Truncated { tag } => {
                format!("the response seems to be cut off; it must go on to `</{}>`", Shown(tag))
            }
            Problem::NotClosed { tag, .. } if tag.eq_ignore_ascii_case(b"why") => {
                "close it with `</why>`; a tag that the note is about is written `&lt;put>`".into()
            }
            Problem::NotClosed { tag, before } => format!("write `</{}>` before `{}`", Shown(tag), Shown(before)),
            Problem::NestedWrapper => "put all edits into one `<opx>`, or leave `<opx>` out".into(),
            Problem::EmptyWrapper => "put the edits between `<opx>` and `</opx>`".into(),
            Problem::NoMarker { holder, found } if found.starts_with(b"<<<") => {
                format!("write `<<<` alone on the line after `<{}>`, and the text on the lines after it", holder.name())
            }
            Problem::NoMarker { holder, .. } => format!(
                "put the text between a line that is only `<<<` and a line that is only `>>>`, inside of `<{}>`",
                holder.name()
            ),
            Problem::OpenPayload { holder, clue: Reason::NoEndMarker(line) } => {
                format!("write `>>>` on a line of its own before the `</{}>` on line {line}", holder.name())
            }
            Problem::OpenPayload { holder, clue: Reason::Pair(_) } => format!(
                "quote the whole of it, to its `>>>` and closing tag, or quote none of it; and end this text with `>>>` and \
                `</{}>`",
                holder.name()
            ),
            Problem::OpenPayload { holder, .. } => {
                format!("end the text with a line that is only `>>>`, and close it with `</{}>`", holder.name())
            }
            Problem::EmptyFind => {
                "write the text that is to be replaced, as it stands in the file; to replace the whole file, write op=\"replace\"".into()
            }
            Problem::EnvelopeInside { .. } => "write the whole response in one of the two formats".into(),
        })
    }
}

const OPERATIONS: &str =
    "`new` (make a file), `patch` (change a part), `replace` (replace the whole file), `remove`, `move`";

/// Returns what somebody meant who wrote the word of another tool.
fn meant(written: &[u8]) -> Option<&'static str> {
    Some(match written.to_ascii_lowercase().as_slice() {
        b"create" | b"add" | b"write" | b"insert" => {
            "op=\"new\" for a file that doesn't exist yet, op=\"patch\" to change one"
        }
        b"delete" | b"rm" | b"del" => "op=\"remove\"",
        b"rename" | b"mv" => "op=\"move\"",
        b"modify" | b"update" | b"edit" | b"change" => {
            "op=\"patch\" to change a part of the file, or op=\"replace\" to replace all of it"
        }
        b"rewrite" | b"overwrite" => "op=\"replace\"",
        b"substitute" | b"search" | b"search-replace" | b"diff" => "op=\"patch\"",
        _ => return None,
    })
}

/// What was ignored or guessed while reading an edit or an `<opx>`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{oddity}{}", InEdit(path.as_ref()))]
#[non_exhaustive]
pub struct Warning {
    /// The file of the edit, as written, if it is in one that has a name.
    pub path: Option<BString>,
    /// What it is.
    pub oddity: Oddity,
}

/// What can be odd.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Oddity {
    /// A value in typographic quotes.
    #[error("the value of `{}` is in typographic quotes", Shown(attribute))]
    TypographicQuotes {
        /// The attribute.
        attribute: BString,
    },
    /// An attribute that means nothing there.
    #[error("the attribute `{}` of `<{}>` means nothing and is ignored", Shown(attribute), Shown(tag))]
    UnknownAttribute {
        /// The tag's name.
        tag: BString,
        /// The attribute.
        attribute: BString,
    },
    /// An element that means nothing there, or a comment.
    #[error("`<{}>` means nothing here and is ignored", Shown(tag))]
    UnknownElement {
        /// The element's name.
        tag: BString,
    },
    /// Text between the edits of an `<opx>`.
    #[error("text between the edits is ignored: `{}`", Shown(text))]
    StrayText {
        /// Its first line.
        text: BString,
    },
    /// An edit in the middle of a line of text.
    #[error("an `<edit>` in the middle of a line of text is ignored")]
    ProseEdit,
    /// An edit in a comment.
    #[error("an `<edit>` in a comment is ignored")]
    CommentedEdit,
    /// A payload that was probably not meant to be indented.
    #[error("every line of `<{}>` is indented as its `<<<` is, and keeps that indentation", holder.name())]
    IndentedPayload {
        /// The element.
        holder: Holder,
    },
}

impl Explain for Warning {
    fn kind(&self) -> Kind {
        match self.oddity {
            Oddity::TypographicQuotes { .. } => Kind::TypographicQuotes,
            Oddity::UnknownAttribute { .. } | Oddity::UnknownElement { .. } => Kind::UnknownMarkup,
            Oddity::StrayText { .. } => Kind::StrayText,
            Oddity::ProseEdit => Kind::ProseEdit,
            Oddity::CommentedEdit => Kind::CommentedPatch,
            Oddity::IndentedPayload { .. } => Kind::IndentedPayload,
        }
    }

    fn path(&self) -> Option<BString> {
        self.path.clone()
    }

    fn help(&self) -> Option<String> {
        Some(match &self.oddity {
            Oddity::TypographicQuotes { .. } => "write straight quotes: `\"`".into(),
            Oddity::UnknownAttribute { attribute, .. } if attribute.eq_ignore_ascii_case(b"occurrence") => {
                "`occurrence` belongs to `<find>`".into()
            }
            Oddity::ProseEdit => "if it is to be applied, begin a line with it".into(),
            Oddity::IndentedPayload { .. } => {
                "if the file is not indented so, write the text from the first column".into()
            }
            _ => return None,
        })
    }
}

/// Says which edit is meant, if it has a name.
struct InEdit<'a>(Option<&'a BString>);

impl fmt::Display for InEdit<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.map_or(Ok(()), |path| write!(f, " in the edit of `{}`", Shown(path)))
    }
}
