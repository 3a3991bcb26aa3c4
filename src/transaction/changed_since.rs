//! What keeps the last change from being taken back.

use std::fmt;
use std::path::PathBuf;

use bstr::BString;

use super::lock::path_bytes;
use crate::explain::Explain;
use crate::kind::Kind;
use crate::path::RepoPath;
use crate::text::Shown;

/// A path that isn't what the last change made of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangedSince {
    /// The path.
    pub path: RepoPath,
    /// What of it changed.
    pub what: ChangedWhat,
}

/// What of a path changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChangedWhat {
    /// The file.
    File,
    /// The file, which isn't there any more.
    Gone,
    /// Something stands where a file is to come back.
    Appeared,
    /// What the index says of it.
    Entry,
    /// The old file itself, which an editor had still open, say.
    Original(PathBuf),
}

impl fmt::Display for ChangedSince {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = &self.path;
        match self.what {
            ChangedWhat::File => write!(f, "`{path}` changed since the last apply"),
            ChangedWhat::Gone => write!(f, "`{path}` went since the last apply"),
            ChangedWhat::Appeared => write!(f, "`{path}` came since the last apply, and stands in the way"),
            ChangedWhat::Entry => write!(f, "the index entry of `{path}` changed since the last apply"),
            ChangedWhat::Original(_) => {
                write!(f, "what `{path}` was before the last apply isn't known any more: it was written to since")
            }
        }
    }
}

impl Explain for ChangedSince {
    fn kind(&self) -> Kind {
        Kind::Stale
    }

    fn path(&self) -> Option<BString> {
        Some(self.path.as_bstr().to_owned())
    }

    fn notes(&self) -> Vec<String> {
        match &self.what {
            ChangedWhat::Original(file) => vec![format!("the old file is `{}`", Shown(&path_bytes(file)))],
            _ => Vec::new(),
        }
    }

    fn help(&self) -> Option<String> {
        Some(match self.what {
            ChangedWhat::Original(_) => "look at the old file, and put right by hand what should be".to_owned(),
            ChangedWhat::Appeared => "move it away, then try again".to_owned(),
            ChangedWhat::File | ChangedWhat::Gone | ChangedWhat::Entry => {
                "undo takes back all or nothing: put this back as the last apply left it, or take that back by hand"
                    .to_owned()
            }
        })
    }
}
