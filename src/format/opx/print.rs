//! A patch → the OPX that is read as this very patch.
//!
//! Nothing in a payload can be escaped, so whether a payload ends where it should is for the reader to say: every element is
//! read back, and one that comes out differently isn't printed. A payload line that ends in a CR is ended with CRLF, of which
//! the reader takes one CR away.

use std::io::Write as _;

use super::literal::is_blank;
use super::parse_block;
use crate::format::Options;
use crate::format::print::{Unrepresentable, Why, check, each};
use crate::patch::{FileEdit, Occurrence, Operation, Patch, Substitution};
use crate::text::Text;

/// Prints a patch of [`Format::Opx`](crate::patch::Format::Opx): an element an edit, an empty line between them.
///
/// # Errors
/// With every edit that can't be said; nothing is printed then.
pub fn print(patch: &Patch<'_>) -> Result<Vec<u8>, Vec<Unrepresentable>> {
    each(patch, element).map(|elements| bstr::join("\n", elements))
}

/// Prints an element and reads it back.
fn element(edit: &FileEdit<'_>) -> Result<Vec<u8>, Why> {
    if edit.header.is_some() {
        return Err(Why::Detail);
    }
    let op = match &edit.operation {
        Operation::Create { .. } => "new",
        Operation::Replace { .. } => "replace",
        Operation::Delete { expected: None } => "remove",
        Operation::Delete { .. } => return Err(Why::Detail),
        Operation::Move { .. } => "move",
        Operation::Substitute(_) => "patch",
        Operation::Update { .. } | Operation::Unreadable => return Err(Why::Operation),
    };
    let mut out = Vec::new();
    out.extend_from_slice(b"<edit");
    attribute(&mut out, "file", &edit.path);
    if let Some(root) = &edit.root {
        attribute(&mut out, "root", root);
    }
    attribute(&mut out, "op", op.as_bytes());
    out.extend_from_slice(b">\n");
    if let Some(why) = &edit.why {
        out.extend_from_slice(b"  <why>");
        escape(&mut out, why, b"<&");
        out.extend_from_slice(b"</why>\n");
    }
    match &edit.operation {
        Operation::Create { lines, .. } | Operation::Replace { lines } => {
            let is_edge_blank = |line: Option<&Text<'_>>| line.is_some_and(|line| is_blank(line));
            if is_edge_blank(lines.first()) || is_edge_blank(lines.last()) {
                return Err(Why::BlankEdges);
            }
            payload(&mut out, "put", Occurrence::Only, lines);
        }
        Operation::Substitute(Substitution { find, put, occurrence, .. }) => {
            if find.iter().all(|line| line.trim_ascii().is_empty()) {
                return Err(Why::BlankFind);
            }
            payload(&mut out, "find", *occurrence, find);
            payload(&mut out, "put", Occurrence::Only, put);
        }
        Operation::Move { to } => {
            out.extend_from_slice(b"  <to");
            attribute(&mut out, "file", to);
            out.extend_from_slice(b"/>\n");
        }
        Operation::Delete { .. } | Operation::Update { .. } | Operation::Unreadable => {}
    }
    out.extend_from_slice(b"</edit>\n");
    check(out.clone(), edit, |source| {
        let block = parse_block(source, 0, &Options::default());
        let is_whole = block.end + 1 == source.bytes().len();
        (block, is_whole)
    })?;
    Ok(out)
}

fn payload(out: &mut Vec<u8>, holder: &str, occurrence: Occurrence, lines: &[Text<'_>]) {
    out.extend_from_slice(format!("  <{holder}").as_bytes());
    match occurrence {
        Occurrence::Only | Occurrence::Lines(_) | Occurrence::Text(_) => {}
        Occurrence::First => attribute(out, "occurrence", b"first"),
        Occurrence::Last => attribute(out, "occurrence", b"last"),
        Occurrence::Nth(number) => attribute(out, "occurrence", number.to_string().as_bytes()),
    }
    out.extend_from_slice(b">\n<<<\n");
    for line in lines {
        out.extend_from_slice(line);
        out.extend_from_slice(if line.ends_with(b"\r") { b"\r\n" } else { b"\n" });
    }
    out.extend_from_slice(format!(">>>\n  </{holder}>\n").as_bytes());
}

/// What would end an attribute's value, or its line.
const MARKUP: &[u8] = b"<>&\"\t\n\r";

fn attribute(out: &mut Vec<u8>, name: &str, value: &[u8]) {
    out.push(b' ');
    out.extend_from_slice(name.as_bytes());
    out.extend_from_slice(b"=\"");
    escape(out, value, MARKUP);
    out.push(b'"');
}

/// Writes text, with entities for these bytes. A NUL stays one, and is refused as what it is.
fn escape(out: &mut Vec<u8>, text: &[u8], these: &[u8]) {
    for &byte in text {
        match byte {
            byte if !these.contains(&byte) => out.push(byte),
            b'<' => out.extend_from_slice(b"&lt;"),
            b'>' => out.extend_from_slice(b"&gt;"),
            b'&' => out.extend_from_slice(b"&amp;"),
            b'"' => out.extend_from_slice(b"&quot;"),
            byte => {
                let _ = write!(out, "&#{byte};");
            }
        }
    }
}
