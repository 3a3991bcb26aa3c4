use crate::format::opx::{Child, Error, NoEnd, Op, Warning};
use crate::kind::Kind;
use crate::report::{Diagnose, Diagnostic};
use crate::text::Shown;

const OPERATIONS: &str = "`new` (make a file), `patch` (change a part), `replace` (replace the whole file), \
     `remove`, `move`";

impl Diagnose for Error {
    fn diagnostic(&self) -> Diagnostic {
        let of = Diagnostic::new(Kind::Parse);
        match self {
            Error::Unclosed { tag } => of
                .label("this tag goes on to here")
                .help(format!("end the tag with `>`: `<{} …>`", Shown(tag))),
            Error::Unquoted { attribute, value } => {
                of.help(format!("write `{}=\"{}\"`", Shown(attribute), Shown(value)))
            }
            Error::OpenValue { attribute } => of.help(format!(
                "write `{}=\"…\"`, all on one line",
                Shown(attribute)
            )),
            Error::DuplicateAttribute { .. } => of.help("keep the one that is meant"),
            Error::NoAttribute { .. } => {
                of.help("write attributes as `name=\"value\"`, with a space between them")
            }
            Error::OtherAttribute { attribute, .. } => {
                of.help(format!("write `{attribute}=\"…\"`"))
            }
            Error::MissingAttribute { tag, attribute } => {
                of.help(missing_attribute(tag, attribute))
            }
            Error::Marker => Diagnostic::new(Kind::Unsupported)
                .help("leave `marker` out and put the text between `<<<` and `>>>` lines"),
            Error::UnknownOperation { written } => of.help(match meant(written) {
                Some(meant) => format!("write {meant}"),
                None => format!("write one of {OPERATIONS}"),
            }),
            Error::Occurrence { .. } => Diagnostic::new(Kind::Occurrence).help(
                "write `first`, `last` or a number from 1; or leave `occurrence` out if \
                     the text is in the file once",
            ),
            Error::MissingChild { op, child } => of
                .label(format!("this edit has no `<{}>`", child.name()))
                .help(missing(*op, *child)),
            Error::OtherName { child, .. } => of.help(format!(
                "write `<{0}>` and `</{0}>`, with the text between a line that is only \
                     `<<<` and a line that is only `>>>`",
                child.name()
            )),
            Error::DuplicateChild {
                child: Child::Find | Child::Put,
            } => of.help("write one `<edit>` for each text to change"),
            Error::DuplicateChild { child } => of.help(format!("keep one `<{}>`", child.name())),
            Error::ForeignChild { op, child } => of.help(foreign(*op, *child)),
            Error::StrayText { .. } => of.help(
                "if this belongs to a text to find or put, it must be between that one's \
                     `<<<` and `>>>` lines; else leave it out",
            ),
            Error::StrayClose { .. } => of.help("leave it out, or add what it was meant to close"),
            Error::Truncated { tag } => of.label("opened here").help(not_closed(tag, None)),
            Error::NotClosed { tag, before } => {
                of.label("opened here").help(not_closed(tag, Some(before)))
            }
            Error::NestedWrapper => of.help("put all edits into one `<opx>`, or leave `<opx>` out"),
            Error::EmptyWrapper => of.help("put the edits between `<opx>` and `</opx>`"),
            Error::NoMarker { found } => no_marker(of, found),
            Error::Cdata => of.help(
                "put the text between a line that is only `<<<` and a line that is only \
                     `>>>`, in place of `<![CDATA[` and `]]>`; nothing in it is escaped",
            ),
            Error::OpenPayload { holder, clue } => {
                no_end(of.label("the text begins here"), holder.name(), clue)
            }
            Error::EmptyFind => of.help(
                "write the text that is to be replaced, as it is in the file; to replace \
                     the whole file, write op=\"replace\"",
            ),
            Error::EnvelopeInside { .. } => {
                of.help("write the whole response in one of the two formats")
            }
        }
    }
}

impl Diagnose for Warning {
    fn diagnostic(&self) -> Diagnostic {
        match self {
            Warning::TypographicQuotes { .. } => {
                Diagnostic::new(Kind::TypographicQuotes).help("write straight quotes: `\"`")
            }
            Warning::UnknownAttribute { attribute, .. }
                if attribute.eq_ignore_ascii_case(b"occurrence") =>
            {
                Diagnostic::new(Kind::UnknownMarkup).help("`occurrence` belongs to `<find>`")
            }
            Warning::UnknownAttribute { .. } | Warning::UnknownElement { .. } => {
                Diagnostic::new(Kind::UnknownMarkup)
            }
            Warning::StrayText { .. } => Diagnostic::new(Kind::StrayText),
            Warning::ProseEdit => Diagnostic::new(Kind::ProseEdit)
                .help("if it is to be applied, begin a line with it"),
            Warning::CommentedEdit => Diagnostic::new(Kind::CommentedPatch),
            Warning::IndentedPayload { .. } => Diagnostic::new(Kind::IndentedPayload)
                .help("if the file is not indented so, write the text from the first column"),
        }
    }
}

fn missing_attribute(tag: &str, attribute: &str) -> String {
    match (tag, attribute) {
        ("to", _) => "say where the file moves to: `<to file=\"new/path\"/>`".into(),
        (_, "op") => format!("add `op=\"…\"`: {OPERATIONS}"),
        _ => "say which file is meant: `file=\"path/from/the/top\"`".into(),
    }
}

fn missing(op: Op, child: Child) -> &'static str {
    match (op, child) {
        (Op::Patch, Child::Find) => {
            "add `<find>` with the text to look for, or write op=\"replace\" to replace \
                 the whole file"
        }
        (Op::Patch, _) => {
            "add `<put>` with the text to put in its place; nothing between its `<<<` and \
                 `>>>` lines deletes the text"
        }
        (_, Child::To) => "say where the file moves to: `<to file=\"new/path\"/>`",
        _ => "add `<put>` with the file's content between a `<<<` and a `>>>` line",
    }
}

fn foreign(op: Op, child: Child) -> String {
    match (op, child) {
        (Op::New | Op::Replace, Child::Find) => {
            "leave `<find>` out, or write op=\"patch\" to change a part of the file".into()
        }
        (_, Child::To) => "write the move as an edit of its own, with op=\"move\"".into(),
        (Op::Move, _) => {
            "a move leaves the content alone: change the file in an edit of its own, with \
                 its new path"
                .into()
        }
        _ => format!(
            "leave `<{}>` out, or name the operation that is meant: {OPERATIONS}",
            child.name()
        ),
    }
}

/// Returns what to do about an element that isn't closed before something, or before the response
/// ends.
fn not_closed(tag: &[u8], before: Option<&bstr::BString>) -> String {
    match before {
        _ if tag.eq_ignore_ascii_case(b"to") => "write `<to file=\"new/path\"/>`".into(),
        None => format!(
            "the response seems to be cut off; it must go on to `</{}>`",
            Shown(tag)
        ),
        Some(_) if tag.eq_ignore_ascii_case(b"why") => {
            "close it with `</why>`; a tag that the note is about is written `&lt;put>`".into()
        }
        Some(before) => format!("write `</{}>` before `{}`", Shown(tag), Shown(before)),
    }
}

fn no_marker(of: Diagnostic, found: &[u8]) -> Diagnostic {
    let label = (!found.is_empty()).then(|| "`<<<` must be here, alone on its line".into());
    let help = if found.starts_with(b"<<<") {
        "write `<<<` alone on the line after `<find>` or `<put>`, and the text on the \
             lines after it"
    } else {
        "put the text inside of `<find>` or `<put>` between a line that is only `<<<` and \
             a line that is only `>>>`"
    };
    Diagnostic { label, ..of }.help(help)
}

fn no_end(of: Diagnostic, holder: &str, clue: &NoEnd) -> Diagnostic {
    let end =
        format!("end the text with a line that is only `>>>`, and close it with `</{holder}>`");
    match clue {
        NoEnd::Unmarked(line) => of
            .note(format!(
                "`</{holder}>` on line {line} has no `>>>` line before it"
            ))
            .help(format!(
                "write `>>>` on a line of its own before the `</{holder}>` on line {line}"
            )),
        NoEnd::OtherTag(line, tag) => of
            .note(format!(
                "the `>>>` before line {line} is followed by `{}` instead of `</{holder}>`",
                Shown(tag)
            ))
            .help(end),
        NoEnd::Pair(line) => of
            .note(format!(
                "the text quotes a `<put>` or `<find>`, and the first end after its `<<<` \
                     on line {line} belongs to that one"
            ))
            .help(format!(
                "quote the whole of it, to its `>>>` and closing tag, or quote none of \
                     it; and end this text with `>>>` and `</{holder}>`"
            )),
        NoEnd::Cut => of.note("the response seems to be cut off").help(end),
    }
}

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
