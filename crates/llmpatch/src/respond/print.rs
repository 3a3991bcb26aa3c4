//! Printing patches in the formats that hold texts: an edit that can't be printed so that it is
//! read back is refused.

use bstr::ByteSlice as _;

use crate::format::{self, Options, blocks, envelope, fence, opx, tool};
use crate::patch::{FileEdit, Format, Patch, Unrepresentable, What};
use crate::response::{self, Warning};
use crate::text::{Source, SourceId};

/// Prints a patch: elements and blocks with an empty line between them, calls one a line, sections
/// in one envelope. Every edit is read back by itself.
///
/// # Errors
/// With every edit that can't be printed; nothing is printed then.
pub fn print(patch: &Patch<'_>) -> Result<Vec<u8>, Vec<Unrepresentable>> {
    let print: fn(&FileEdit<'_>) -> Result<Vec<u8>, What> = match patch.format {
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
        let text = if !is_said {
            Err(What::Misread)
        } else if fence::around_file(edit).is_some() {
            Err(What::Fence)
        } else {
            print(edit)
        };
        match text.and_then(|text| is_read([begin, &text, end].concat(), edit).map(|()| text)) {
            Ok(text) => printed.push(text),
            Err(what) => refused.push(Unrepresentable {
                path: edit.path.as_bstr().into(),
                format: patch.format.the(),
                what,
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
fn is_read(text: Vec<u8>, edit: &FileEdit<'_>) -> Result<(), What> {
    if memchr::memchr(0, &text).is_some() {
        return Err(What::Binary);
    }
    let Some(source) = Source::new(SourceId(0), "", text) else {
        return Err(What::Markup);
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
        Err(What::Markup)
    }
}

/// Returns whether a warning only says what a printed patch can't do without.
pub fn is_of_printing(warning: &Warning) -> bool {
    use blocks::Warning::{Dividers, Unescaped};
    let Warning::Format(warning) = warning else {
        return false;
    };
    match warning {
        format::Warning::Blocks(warning) => matches!(warning.what, Unescaped | Dividers { .. }),
        format::Warning::Envelope(warning) => matches!(warning, envelope::Warning::LastPlus { .. }),
        format::Warning::Tool(warning) => matches!(warning.what, tool::Warning::NoNewline),
        _ => false,
    }
}
