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

    /// Returns the place that comes nearest to what was looked for, where there is one.
    fn nearest(&self) -> Option<Nearest> {
        None
    }

    /// Returns the lines, ascending, among which nothing decides: all of them, up to [`CANDIDATES`].
    fn candidates(&self) -> Vec<LineNo> {
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

/// How many lines are listed at most among which nothing decides.
pub const CANDIDATES: usize = 10_000;

/// The place in a file that comes nearest to what a patch looks for, for programs: people are shown a [`FilePlace`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Nearest {
    /// Its first line.
    pub start: LineNo,
    /// Its first line that differs, or its first line if none does: where the lines stand where they mustn't.
    pub line: LineNo,
    /// That line's text, without its terminator; of a line longer than [`Nearest::LONGEST`] the beginning.
    pub text: BString,
}

impl Nearest {
    /// How many bytes of a line are kept.
    pub const LONGEST: usize = 1 << 14;

    /// Makes one of a line; a line that is very long is cut.
    pub fn new(start: LineNo, line: LineNo, text: &[u8]) -> Self {
        Self { start, line, text: text[..text.len().min(Self::LONGEST)].into() }
    }
}
