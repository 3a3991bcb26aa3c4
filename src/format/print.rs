//! What the printers of the formats that hold texts share: an edit that can't be printed so that it is read back is refused.

use bstr::{BString, ByteSlice as _};

use crate::patch::{FileEdit, Format, Patch};
use crate::text::{Shown, Source, SourceId};

/// An edit that can't be printed in a format so that it would be read back the same.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{} can't say what is to become of `{}`", format.the(), Shown(path))]
pub struct Unrepresentable {
    /// The file.
    pub path: BString,
    /// The format.
    pub format: Format,
    /// What is in the way.
    pub why: Why,
}

/// What is in the way of printing an edit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Why {
    /// The format has no such edit.
    Operation,
    /// The format has no room for what else the edit says: a root, a note, modes, line numbers, a missing newline.
    Detail,
    /// The path would be read as another one.
    Path,
    /// A NUL, which no patch may hold.
    Nul,
    /// A line that would be read as markup.
    Markup,
    /// Blank lines at the edges of a whole file, which readers drop.
    BlankEdges,
    /// A text to find that is blank.
    BlankFind,
    /// Text that isn't UTF-8, in a format of characters.
    Utf8,
}

/// Prints each edit of a patch.
///
/// # Errors
/// With every edit that can't be printed.
pub(super) fn each(
    patch: &Patch<'_>,
    print: impl Fn(&FileEdit<'_>) -> Result<Vec<u8>, Why>,
) -> Result<Vec<Vec<u8>>, Vec<Unrepresentable>> {
    let mut printed = Vec::with_capacity(patch.edits.len());
    let mut refused = Vec::new();
    for edit in &patch.edits {
        match print(edit) {
            Ok(text) => printed.push(text),
            Err(why) => refused.push(Unrepresentable { path: edit.path.as_bstr().into(), format: patch.format, why }),
        }
    }
    if refused.is_empty() { Ok(printed) } else { Err(refused) }
}

/// Checks that a text, which an edit was printed as, is read as that edit and nothing else. The reader returns whether it read
/// all of it, without errors or warnings.
pub(super) fn check<End, E, W>(
    text: Vec<u8>,
    edit: &FileEdit<'_>,
    read: impl for<'a> Fn(&'a Source) -> (super::Block<'a, End, E, W>, bool),
) -> Result<(), Why> {
    if memchr::memchr(0, &text).is_some() {
        return Err(Why::Nul);
    }
    let Some(source) = Source::new(SourceId(0), "", text) else { return Err(Why::Markup) };
    let (block, is_whole) = read(&source);
    let is_sound = is_whole && block.errors.is_empty() && block.warnings.is_empty();
    if is_sound && block.edits.len() == 1 && block.edits.first() == Some(edit) { Ok(()) } else { Err(Why::Markup) }
}
