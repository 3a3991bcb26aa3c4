//! What a format can't say, found out before anything is printed.

use std::fmt;

use bstr::{BString, ByteSlice as _};

use crate::explain::Explain;
use crate::kind::Kind;
use crate::patch::{FileEdit, Format};
use crate::text::Shown;

/// An edit that can't be printed in a format so that it would be read back the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsaid {
    /// The file.
    pub path: BString,
    /// The format.
    pub format: Format,
    /// What stands in the way.
    pub why: Why,
}

/// What stands in the way of printing an edit.
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
    /// Blank lines at the edges of a whole file.
    BlankEdges,
    /// A text to find that is blank.
    BlankFind,
}

impl Unsaid {
    pub(super) fn of(edit: &FileEdit<'_>, format: Format, why: Why) -> Self {
        Self { path: edit.path.as_bstr().into(), format, why }
    }
}

impl fmt::Display for Unsaid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} can't say what is to become of `{}`: {}", self.format.the(), Shown(&self.path), self.why)
    }
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Why::Operation => "it has no such operation",
            Why::Detail => "it has no room for a mode, a note or a line without a newline",
            Why::Path => "its path would be read as another",
            Why::Nul => "its text has a NUL in it",
            Why::Markup => "a line of its text would be read as a part of the patch",
            Why::BlankEdges => "blank lines at the edges of a whole file are dropped",
            Why::BlankFind => "a text to find can't be blank",
        })
    }
}

impl std::error::Error for Unsaid {}

impl Explain for Unsaid {
    fn kind(&self) -> Kind {
        Kind::Inexpressible
    }

    fn path(&self) -> Option<BString> {
        Some(self.path.clone())
    }
}
