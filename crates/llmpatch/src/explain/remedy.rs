//! What can be done about contents that can't be read, written or compared.

use crate::compare::CompareError;
use crate::kind::Kind;
use crate::report::{Diagnose, Diagnostic};
use crate::tree::{Hindrance, Remedy, Repair};

impl Remedy {
    /// Returns what to do, in words.
    pub fn help(&self) -> &'static str {
        match self {
            Remedy::Fetch => {
                "let git fetch it first (`git cat-file -e <object>` does), or see what \
                     `git fsck` says"
            }
            Remedy::Filter => "see to it that `git add` can store this file",
            Remedy::ByHand => "make this change by hand, or leave the file out of the patch",
            Remedy::Name => "give the file another name, or leave it out of the patch",
            Remedy::Repository(repair) => repair.help(),
        }
    }
}

impl Repair {
    /// Returns what to do, in words.
    pub fn help(self) -> &'static str {
        match self {
            Repair::Clone => {
                "change its work tree alone, or make the change in a clone without it, \
                     and fetch it from there"
            }
            Repair::Content(Hindrance::Encoding) => "correct the file or its attribute first",
            Repair::Content(Hindrance::Filter) => {
                "see to it that `git checkout` can write this file"
            }
            Repair::Content(Hindrance::NotFetched) => {
                "fetch the content first, with `git lfs pull`"
            }
        }
    }
}

impl Diagnose for CompareError {
    fn diagnostic(&self) -> Diagnostic {
        let of = Diagnostic::fixed(Kind::Io, self);
        match self {
            CompareError::Stored {
                path,
                kind: Kind::Repository,
                ..
            } => Diagnostic::new(Kind::Repository).path(path).help(
                "leave out the option that prints a diff; the change itself doesn't need one",
            ),
            CompareError::Stored { path, kind, .. } => Diagnostic::new(*kind).path(path),
            CompareError::Engine { path, .. } => of.path(path),
            _ => of,
        }
    }
}
