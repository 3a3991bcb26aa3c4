//! An edit → the OPX that is read as this very edit.
//!
//! Nothing in a payload can be escaped, so whether a payload ends where it should is for the reader
//! to say.

use crate::format::add_lines;
use crate::patch::{FileEdit, Occurrence, Operation, Substitution, What};
use crate::text::{Text, encode, is_spaces};

/// Prints an element.
pub(crate) fn print(edit: &FileEdit<'_>) -> Result<Vec<u8>, What> {
    let op = match &edit.operation {
        Operation::Create { .. } => "new",
        Operation::Replace { .. } => "replace",
        Operation::Delete { expected: None } => "remove",
        Operation::Delete { .. } => return Err(What::Misread),
        Operation::Move { .. } => "move",
        Operation::Substitute(_) => "patch",
        Operation::Update { .. } | Operation::Unreadable => return Err(What::Misread),
    };
    let mut out = b"<edit".to_vec();
    attribute(&mut out, "file", &edit.path);
    if let Some(root) = &edit.root {
        attribute(&mut out, "root", root);
    }
    attribute(&mut out, "op", op.as_bytes());
    out.extend(b">\n");
    if let Some(why) = &edit.why {
        out.extend(b"  <why>");
        encode(&mut out, why, b"<&");
        out.extend(b"</why>\n");
    }
    match &edit.operation {
        Operation::Create { lines, .. } | Operation::Replace { lines } => {
            if [lines.first(), lines.last()]
                .into_iter()
                .flatten()
                .any(|line| is_spaces(line))
            {
                return Err(What::BlankEdges);
            }
            payload(&mut out, "put", Occurrence::Only, lines);
        }
        Operation::Substitute(Substitution {
            find,
            put,
            occurrence,
            ..
        }) => {
            if find.iter().all(|line| line.trim_ascii().is_empty()) {
                return Err(What::Misread);
            }
            payload(&mut out, "find", *occurrence, find);
            payload(&mut out, "put", Occurrence::Only, put);
        }
        Operation::Move { to } => {
            out.extend(b"  <to");
            attribute(&mut out, "file", to);
            out.extend(b"/>\n");
        }
        Operation::Delete { .. } | Operation::Update { .. } | Operation::Unreadable => {}
    }
    out.extend(b"</edit>\n");
    Ok(out)
}

fn payload(out: &mut Vec<u8>, holder: &str, occurrence: Occurrence, lines: &[Text<'_>]) {
    out.extend(format!("  <{holder}").bytes());
    match occurrence {
        Occurrence::Only | Occurrence::Lines(_) | Occurrence::Text(_) => {}
        Occurrence::First => attribute(out, "occurrence", b"first"),
        Occurrence::Last => attribute(out, "occurrence", b"last"),
        Occurrence::Nth(number) => attribute(out, "occurrence", number.to_string().as_bytes()),
    }
    out.extend(b">\n<<<\n");
    add_lines(out, "", lines);
    out.extend(format!(">>>\n  </{holder}>\n").bytes());
}

/// Writes an attribute; what would end its value, or its line, as entities.
fn attribute(out: &mut Vec<u8>, name: &str, value: &[u8]) {
    out.extend(format!(" {name}=\"").bytes());
    // A NUL stays one, and is refused as what it is.
    encode(out, value, b"<>&\"\t\n\r");
    out.push(b'"');
}
