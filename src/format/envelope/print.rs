//! A patch → the envelope that is read as this very patch.
//!
//! Every chunk begins with its own `@@`, so that no first line is taken for something else. A line that ends in a CR is
//! ended with CRLF, of which the reader takes one CR away. Whatever is printed has been read back: what comes out
//! differently isn't printed.

use crate::format::Options;
use crate::format::envelope::{marker, parse_block};
use crate::format::print::{Unrepresentable, Why, check, each};
use crate::patch::{FileEdit, Hunk, HunkLine, Mark, Operation, Patch};
use crate::text::{LineNo, Text};

/// Prints a patch of [`Format::Envelope`](crate::patch::Format::Envelope).
///
/// # Errors
/// With every edit that can't be said; nothing is printed then.
pub fn print(patch: &Patch<'_>) -> Result<Vec<u8>, Vec<Unrepresentable>> {
    each(patch, section).map(|sections| enclosed(&sections.concat()))
}

fn enclosed(sections: &[u8]) -> Vec<u8> {
    [b"*** Begin Patch\n", sections, b"*** End Patch\n"].concat()
}

/// Prints a section and reads it back.
fn section(edit: &FileEdit<'_>) -> Result<Vec<u8>, Why> {
    if edit.root.is_some() || edit.why.is_some() || edit.header.is_some() {
        return Err(Why::Detail);
    }
    let mut out = Vec::new();
    let path = &edit.path;
    match &edit.operation {
        Operation::Create { lines, .. } => {
            header(&mut out, "*** Add File: ", path)?;
            prefixed(&mut out, b'+', lines);
        }
        Operation::Delete { expected } => {
            header(&mut out, "*** Delete File: ", path)?;
            prefixed(&mut out, b'-', expected.as_deref().unwrap_or_default());
        }
        Operation::Update { to, hunks } => {
            header(&mut out, "*** Update File: ", path)?;
            if let Some(to) = to {
                header(&mut out, "*** Move to: ", to)?;
            }
            hunks.iter().try_for_each(|hunk| chunk(&mut out, hunk))?;
        }
        Operation::Replace { .. } | Operation::Move { .. } | Operation::Substitute(_) | Operation::Unreadable => {
            return Err(Why::Operation);
        }
    }
    let strict = Options { strict: true, ..Options::default() };
    check(enclosed(&out), edit, |source| (parse_block(source, LineNo::FIRST, &strict), true))?;
    Ok(out)
}

fn header(out: &mut Vec<u8>, header: &str, path: &[u8]) -> Result<(), Why> {
    let is_whole = !path.is_empty() && marker::trim(path) == path && !path.ends_with(b" ***");
    if !is_whole || path.contains(&b'\n') {
        return Err(Why::Path);
    }
    line(out, header.as_bytes(), path);
    Ok(())
}

fn prefixed(out: &mut Vec<u8>, prefix: u8, lines: &[Text<'_>]) {
    lines.iter().for_each(|text| line(out, &[prefix], text));
}

fn chunk(out: &mut Vec<u8>, hunk: &Hunk<'_>) -> Result<(), Why> {
    if hunk.position.is_some() || hunk.numbered || hunk.lines.iter().any(|line| line.unterminated) {
        return Err(Why::Detail);
    }
    if hunk.locators.is_empty() {
        line(out, b"@@", b"");
    }
    hunk.locators.iter().for_each(|locator| line(out, b"@@ ", locator));
    for HunkLine { mark, text, .. } in &hunk.lines {
        let prefix: &[u8] = match mark {
            Mark::Context => b" ",
            Mark::Removed => b"-",
            Mark::Added => b"+",
        };
        line(out, prefix, text);
    }
    if hunk.end_of_file {
        line(out, b"*** End of File", b"");
    }
    Ok(())
}

fn line(out: &mut Vec<u8>, start: &[u8], text: &[u8]) {
    out.extend_from_slice(start);
    out.extend_from_slice(text);
    out.extend_from_slice(if text.ends_with(b"\r") { b"\r\n" } else { b"\n" });
}
