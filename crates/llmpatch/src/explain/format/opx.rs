use crate::format::opx::{Child, Error, NoEnd, Op, Warning};
use crate::kind::Kind;
use crate::report::{Diagnose, Diagnostic};
use crate::text::Shown;

const OPERATIONS: &str = "`new` (make a file), `patch` (change a part), `replace` (replace the whole file), \
     `remove`, `move`";

impl Diagnose for Error {
    fn diagnostic(&self) -> Diagnostic {
        let of = Diagnostic::fixed(Kind::Parse, self);
        match self {
            Error::Unclosed { tag } => {
                of.help(format!("end the tag with `>`: `<{} …>`", Shown(tag)))
            }
            Error::Unquoted { attribute, value } => {
                of.help(format!("write `{}=\"{}\"`", Shown(attribute), Shown(value)))
            }
            Error::OpenValue { attribute } => of.help(format!(
                "write `{}=\"…\"`, all on one line",
                Shown(attribute)
            )),
            Error::OtherAttribute { attribute, .. } => {
                of.help(format!("write `{attribute}=\"…\"`"))
            }
            Error::MissingAttribute { tag, attribute } => {
                of.help(missing_attribute(tag, attribute))
            }
            Error::UnknownOperation { written } => of.help(match meant(written) {
                Some(meant) => format!("write {meant}"),
                None => format!("write one of {OPERATIONS}"),
            }),
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
            Error::Truncated { tag } => of.help(not_closed(tag, None)),
            Error::NotClosed { tag, before } => of.help(not_closed(tag, Some(before))),
            Error::NoMarker { found } => no_marker(of, found),
            Error::OpenPayload { holder, clue } => {
                no_end(of.label("the text begins here"), holder.name(), clue)
            }
            _ => of,
        }
    }
}

impl Diagnose for Warning {
    fn diagnostic(&self) -> Diagnostic {
        let of = Diagnostic::fixed(Kind::Parse, self);
        match self {
            Warning::UnknownAttribute { attribute, .. }
                if attribute.eq_ignore_ascii_case(b"occurrence") =>
            {
                Diagnostic::new(Kind::UnknownMarkup).help("`occurrence` belongs to `<find>`")
            }
            Warning::UnknownAttribute { .. } | Warning::UnknownElement { .. } => {
                Diagnostic::new(Kind::UnknownMarkup)
            }
            _ => of,
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
