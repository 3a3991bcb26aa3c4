//! What every room's errors and warnings can say of themselves, so that reports need to know none of them one by one.

use std::fmt;

use bstr::BString;

use crate::kind::Kind;
use crate::text::LineNo;

/// An error or a warning that can be shown to a person.
///
/// `Display` is the headline: small first letter, no full stop, paths in backticks and through [`crate::text::Shown`].
pub trait Explain: fmt::Display {
    /// Returns the stable kind.
    fn kind(&self) -> Kind;

    /// Returns the few words that stand under the marked place in the response, such as `this line is not there`.
    fn label(&self) -> Option<String> {
        None
    }

    /// Returns the path this is about, as the response wrote it.
    fn path(&self) -> Option<BString> {
        None
    }

    /// Returns the places in files that a reader should look at, best first.
    fn places(&self) -> Vec<FilePlace> {
        Vec::new()
    }

    /// Returns further facts, one sentence each.
    fn notes(&self) -> Vec<String> {
        Vec::new()
    }

    /// Returns what to do about it.
    fn help(&self) -> Option<String> {
        None
    }
}

/// A line of a file in the work tree, the index or a commit, with its text so that a message can show it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilePlace {
    /// The file, from the top of the work tree.
    pub path: BString,
    /// The line.
    pub line: LineNo,
    /// The line's text, without its terminator.
    pub text: BString,
    /// A sentence to introduce it, such as `closest place, 2 of 3 lines agree`.
    pub caption: String,
    /// The few words that stand under the line.
    pub label: String,
}
