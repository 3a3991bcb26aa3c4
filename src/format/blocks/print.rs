//! A patch → the blocks that are read as this very patch.
//!
//! New lines that would be markers are printed with a backslash before them; old ones can't be, since the file may hold them so. Lines
//! of `=` are told from the divider by their length, and markers of one family are text in a block of the other. Every block is read
//! back, and one that comes out differently isn't printed.

use super::error::Warning;
use super::marker::{self, Family, Marker};
use super::path;
use crate::format::print::{Unrepresentable, Why, each};
use crate::format::{Options, Warning as Any, detect};
use crate::patch::{FileEdit, Occurrence, Operation, Patch, Substitution};
use crate::text::{Source, SourceId, Text};

/// Prints a patch of [`Format::Blocks`](crate::patch::Format::Blocks): a block an edit, its path above it, an empty line between them.
///
/// # Errors
/// With every edit that can't be said; nothing is printed then.
pub fn print(patch: &Patch<'_>) -> Result<Vec<u8>, Vec<Unrepresentable>> {
    each(patch, block).map(|blocks| bstr::join("\n", blocks))
}

/// Returns whether a warning only says what a printed block can't do without.
pub fn is_of_printing(warning: &Warning) -> bool {
    matches!(warning, Warning::Unescaped | Warning::Dividers { .. })
}

/// Prints a block and reads it back.
fn block(edit: &FileEdit<'_>) -> Result<Vec<u8>, Why> {
    if edit.header.is_some() || edit.root.is_some() || edit.why.is_some() {
        return Err(Why::Detail);
    }
    let (old, new): (&[Text<'_>], &[Text<'_>]) = match &edit.operation {
        Operation::Create { lines, fills_empty: true, ends_open: false } => (&[], lines),
        Operation::Substitute(Substitution { find, put, occurrence: Occurrence::Lines(None), written: None }) => {
            (find, put)
        }
        Operation::Substitute(_) => return Err(Why::Detail),
        _ => return Err(Why::Operation),
    };
    if old.iter().chain(new).chain([&edit.path]).any(|line| memchr::memchr(0, line).is_some()) {
        return Err(Why::Nul);
    }
    let markers: Vec<Marker> = old.iter().chain(new).filter_map(|line| Marker::read(line)).collect();
    let has = |family| {
        markers.iter().any(|marker| matches!(marker, Marker::Open(of, _) | Marker::End(of, _) if *of == family))
    };
    let family = if has(Family::Angles) { Family::Dashes } else { Family::Angles };
    let is_free = |length: &usize| !markers.contains(&Marker::Divider(*length));
    let length = [marker::SEVEN, 8, 9, 6, 5].into_iter().find(is_free).ok_or(Why::Markup)?;
    let signs = |sign: &str| sign.repeat(length).into_bytes();
    let (first, last) = if family == Family::Angles { ("<", ">") } else { ("-", "+") };
    let ended = |line: &[u8]| if line.ends_with(b"\r") { b"\r\n" as &[u8] } else { b"\n" };
    let mut out = [&named(&edit.path)?[..], b"\n", &signs(first), b" SEARCH\n"].concat();
    for line in old {
        out.extend_from_slice(&[line, ended(line)].concat());
    }
    out.extend_from_slice(&[&signs("=")[..], b"\n"].concat());
    for line in new {
        let is_marker = match Marker::read(line) {
            Some(Marker::Open(of, _) | Marker::End(of, _)) => of == family,
            Some(Marker::ConflictStart | Marker::ConflictEnd | Marker::Number) => true,
            Some(Marker::Divider(_) | Marker::Rule) | None => marker::unescaped(line).is_some(),
        };
        out.extend_from_slice(&[if is_marker { b"\\" as &[u8] } else { b"" }, line, ended(line)].concat());
    }
    out.extend_from_slice(&[&signs(last)[..], b" REPLACE\n"].concat());
    check(out.clone(), edit).map(|()| out)
}

/// Returns the line that names a path.
fn named(path: &[u8]) -> Result<Vec<u8>, Why> {
    let is_read = |line: &[u8]| path::named(line, true, |_| false) == Some(path);
    let longest = path.split(|&byte| byte != b'`').map(<[u8]>::len).max().unwrap_or(0);
    let quotes = vec![b'`'; longest + 1];
    let quoted = [&quotes[..], path, &quotes].concat();
    let is_word = !path.contains(&b'/') && !path.contains(&b'.');
    [path.to_vec(), quoted].into_iter().skip(usize::from(is_word)).find(|line| is_read(line)).ok_or(Why::Path)
}

/// Checks that a text, which an edit was printed as, is read as that edit and nothing else.
fn check(text: Vec<u8>, edit: &FileEdit<'_>) -> Result<(), Why> {
    let Some(source) = Source::new(SourceId(0), "", text) else { return Err(Why::Markup) };
    let read = detect::parse(&source, &Options::default());
    let is_sound = read.errors.is_empty()
        && read
            .warnings
            .iter()
            .all(|warning| matches!(&warning.value, Any::Blocks(warning) if is_of_printing(&warning.what)));
    if is_sound && read.patch.edits.len() == 1 && read.patch.edits.first() == Some(edit) {
        Ok(())
    } else {
        Err(Why::Markup)
    }
}
