//! An edit → the section of an envelope that is read as this very edit.
//!
//! Every chunk begins with its own `@@`, so that no first line is taken for something else.

use crate::format::{add_line, add_lines};
use crate::patch::{FileEdit, Hunk, Operation, What};
use crate::text;

/// Prints a section.
pub(crate) fn print(edit: &FileEdit<'_>) -> Result<Vec<u8>, What> {
    let mut out = Vec::new();
    let path = &edit.path;
    match &edit.operation {
        Operation::Create { lines, .. } => {
            header(&mut out, "*** Add File: ", path)?;
            add_lines(&mut out, "+", lines);
            // Read as the newline of the line before it.
            if lines.len() > 1 && lines.last().is_some_and(|last| last.is_empty()) {
                add_line(&mut out, "+", b"");
            }
        }
        Operation::Delete { expected } => {
            header(&mut out, "*** Delete File: ", path)?;
            add_lines(&mut out, "-", expected.as_deref().unwrap_or_default());
        }
        Operation::Update { to, hunks } => {
            header(&mut out, "*** Update File: ", path)?;
            if let Some(to) = to {
                header(&mut out, "*** Move to: ", to)?;
            }
            hunks.iter().try_for_each(|hunk| chunk(&mut out, hunk))?;
        }
        Operation::Replace { .. }
        | Operation::Move { .. }
        | Operation::Substitute(_)
        | Operation::Unreadable => {
            return Err(What::Misread);
        }
    }
    Ok(out)
}

fn header(out: &mut Vec<u8>, header: &str, path: &[u8]) -> Result<(), What> {
    let is_whole = !path.is_empty() && text::trim(path) == path && !path.ends_with(b" ***");
    if !is_whole || path.contains(&b'\n') {
        return Err(What::Path);
    }
    add_line(out, header, path);
    Ok(())
}

fn chunk(out: &mut Vec<u8>, hunk: &Hunk<'_>) -> Result<(), What> {
    if hunk.position.is_some() || hunk.numbered || hunk.lines.iter().any(|line| line.unterminated) {
        return Err(What::Misread);
    }
    if hunk.locators.is_empty() {
        add_line(out, "@@", b"");
    }
    add_lines(out, "@@ ", &hunk.locators);
    hunk.lines
        .iter()
        .for_each(|line| add_line(out, line.mark.prefix(), &line.text));
    if hunk.end_of_file {
        add_line(out, "*** End of File", b"");
    }
    Ok(())
}
