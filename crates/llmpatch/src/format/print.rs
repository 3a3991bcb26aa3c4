//! Printing patches in the formats that hold texts: an edit that can't be printed so that it is
//! read back is refused.

use bstr::{BString, ByteSlice as _};

use super::{Options, Warning, blocks, envelope, fence, opx, tool};
use crate::patch::{FileEdit, Format, Patch};
use crate::response;
use crate::text::{Source, SourceId, Text};

/// An edit that can't be printed in a format so that it would be read back the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unrepresentable {
    /// The file.
    pub path: BString,
    /// What is in the way.
    pub why: Why,
}

/// What is in the way of printing an edit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Why {
    /// The format can't express this kind of edit.
    Operation,
    /// The format has no room for what else the edit says: a root, a note, modes, line numbers, a
    /// missing newline.
    Detail,
    /// The path would be read as another path.
    Path,
    /// A NUL, which no patch may hold.
    Nul,
    /// A line that would be read as markup.
    Markup,
    /// A fence around all of a file, which readers refuse.
    Fence,
    /// Blank lines at the edges of a whole file, which readers drop.
    BlankEdges,
    /// A text to find that is blank.
    BlankFind,
    /// Text that isn't UTF-8, in a format of characters.
    Utf8,
}

/// Prints a patch: elements and blocks with an empty line between them, calls one a line, sections
/// in one envelope. Every edit is read back by itself.
///
/// # Errors
/// With every edit that can't be printed; nothing is printed then.
pub fn print(patch: &Patch<'_>) -> Result<Vec<u8>, Vec<Unrepresentable>> {
    let print: fn(&FileEdit<'_>) -> Result<Vec<u8>, Why> = match patch.format {
        Format::Opx => opx::print,
        Format::Blocks => blocks::print,
        Format::Tool => tool::print,
        Format::Envelope | Format::Unified | Format::Files => envelope::print,
    };
    let (begin, between, end): (&[u8], &[u8], &[u8]) = match patch.format {
        Format::Opx | Format::Blocks => (b"", b"\n", b""),
        Format::Tool => (b"", b"", b""),
        Format::Envelope | Format::Unified | Format::Files => {
            (b"*** Begin Patch\n", b"", b"*** End Patch\n")
        }
    };
    let mut printed = Vec::with_capacity(patch.edits.len());
    let mut refused = Vec::new();
    for edit in &patch.edits {
        let is_said = edit.header.is_none()
            && (patch.format == Format::Opx || edit.root.is_none() && edit.why.is_none());
        let text = match is_said {
            true if fence::around_file(edit).is_some() => Err(Why::Fence),
            true => print(edit),
            false => Err(Why::Detail),
        };
        match text.and_then(|text| is_read([begin, &text, end].concat(), edit).map(|()| text)) {
            Ok(text) => printed.push(text),
            Err(why) => refused.push(Unrepresentable {
                path: edit.path.as_bstr().into(),
                why,
            }),
        }
    }
    if refused.is_empty() {
        Ok([begin, &bstr::join(between, printed), end].concat())
    } else {
        Err(refused)
    }
}

/// Checks that a text, which an edit was printed as, is read as that edit and nothing else, however
/// strictly.
fn is_read(text: Vec<u8>, edit: &FileEdit<'_>) -> Result<(), Why> {
    if memchr::memchr(0, &text).is_some() {
        return Err(Why::Nul);
    }
    let Some(source) = Source::new(SourceId(0), "", text) else {
        return Err(Why::Markup);
    };
    let read = response::parse(
        &source,
        &Options {
            strict: true,
            ..Options::default()
        },
    );
    let is_sound = read.errors.is_empty()
        && read
            .warnings
            .iter()
            .all(|warning| is_of_printing(&warning.value));
    if is_sound && read.patch.edits == std::slice::from_ref(edit) {
        Ok(())
    } else {
        Err(Why::Markup)
    }
}

/// Returns whether a warning only says what a printed patch can't do without.
pub fn is_of_printing(warning: &Warning) -> bool {
    use blocks::Warning::{Dividers, Unescaped};
    match warning {
        Warning::Blocks(warning) => matches!(warning.what, Unescaped | Dividers { .. }),
        Warning::Envelope(warning) => matches!(warning, envelope::Warning::LastPlus { .. }),
        _ => false,
    }
}

/// Adds lines to what is printed, each behind a prefix. A line that ends in a CR is ended with
/// CRLF, of which readers take one CR away.
pub(super) fn add_lines(out: &mut Vec<u8>, prefix: &str, lines: &[Text<'_>]) {
    lines.iter().for_each(|line| add_line(out, prefix, line));
}

/// Adds a line.
pub(super) fn add_line(out: &mut Vec<u8>, prefix: &str, line: &[u8]) {
    out.extend(
        [
            prefix.as_bytes(),
            line,
            if line.ends_with(b"\r") {
                b"\r\n"
            } else {
                b"\n"
            },
        ]
        .concat(),
    );
}
