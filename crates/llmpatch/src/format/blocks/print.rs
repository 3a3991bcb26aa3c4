//! An edit → the block that is read as this very edit.
//!
//! New lines that would be markers are printed with a backslash before them; old lines can't be,
//! since the file may hold a backslash. Lines of `=` are told from the divider by their length, and
//! markers of a family are text in blocks of the other family.

use super::marker::{self, Family, Marker};
use super::path;
use crate::format::{add_line, add_lines};
use crate::patch::{FileEdit, Occurrence, Operation, Substitution, What};
use crate::text::Text;

/// Prints a block, its path above it.
pub(crate) fn print(edit: &FileEdit<'_>) -> Result<Vec<u8>, What> {
    let (old, new): (&[Text<'_>], &[Text<'_>]) = match &edit.operation {
        Operation::Create {
            lines,
            fills_empty: true,
            ends_open: false,
        } => (&[], lines),
        Operation::Substitute(Substitution {
            find,
            put,
            occurrence: Occurrence::Lines(None),
            written: None,
        }) => (find, put),
        _ => return Err(What::Misread),
    };
    if old
        .iter()
        .chain(new)
        .chain([&edit.path])
        .any(|line| memchr::memchr(0, line).is_some())
    {
        return Err(What::Binary);
    }
    let markers: Vec<Marker> = old
        .iter()
        .chain(new)
        .filter_map(|line| Marker::read(line))
        .collect();
    let has_angles = markers.iter().any(|marker| is_of(marker, Family::Angles));
    let (family, first, last) = if has_angles {
        (Family::Dashes, "-", "+")
    } else {
        (Family::Angles, "<", ">")
    };
    let length = [marker::SEVEN, 8, 9, 6, 5]
        .into_iter()
        .find(|length| !markers.contains(&Marker::Divider(*length)))
        .ok_or(What::Markup)?;
    let mut out = named(&edit.path)?;
    add_line(
        &mut out,
        "",
        format!("\n{} SEARCH", first.repeat(length)).as_bytes(),
    );
    add_lines(&mut out, "", old);
    add_line(&mut out, &"=".repeat(length), b"");
    for line in new {
        let is_marker = match Marker::read(line) {
            Some(marker @ (Marker::Open(..) | Marker::End(..))) => is_of(&marker, family),
            Some(Marker::ConflictStart | Marker::ConflictEnd | Marker::Number) => true,
            Some(Marker::Divider(_) | Marker::Rule) | None => marker::unescaped(line).is_some(),
        };
        add_line(&mut out, if is_marker { "\\" } else { "" }, line);
    }
    add_line(&mut out, &last.repeat(length), b" REPLACE");
    Ok(out)
}

fn is_of(marker: &Marker, family: Family) -> bool {
    matches!(marker, Marker::Open(of, _) | Marker::End(of, _) if *of == family)
}

/// Returns the line that names a path.
fn named(path: &[u8]) -> Result<Vec<u8>, What> {
    let is_read = |line: &[u8]| path::named(line, true, |_| false) == Some(path);
    let longest = path
        .split(|&byte| byte != b'`')
        .map(<[u8]>::len)
        .max()
        .unwrap_or(0);
    let quotes = vec![b'`'; longest + 1];
    let quoted = [&quotes[..], path, &quotes].concat();
    let is_word = !path.contains(&b'/') && !path.contains(&b'.');
    [path.to_vec(), quoted]
        .into_iter()
        .skip(usize::from(is_word))
        .find(|line| is_read(line))
        .ok_or(What::Path)
}
