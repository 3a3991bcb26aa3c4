//! What of a change an envelope or OPX can't say, or only at a price.

use std::fmt;

use bstr::BString;

use crate::patch::{Format, Patch};
use crate::text::Shown;

/// What was derived of a change: all of it, or what the format can say of it and what it can't.
#[derive(Clone, Debug)]
#[must_use = "a patch that doesn't say all of a change isn't that change"]
pub struct Derived<'c> {
    /// What can be said. If anything can't, it is good for finding out what else can't and for nothing else.
    pub patch: Patch<'c>,
    /// Every file of which the format can't say what becomes of it, by path.
    pub unrepresentable: Vec<Unrepresentable>,
}

impl<'c> Derived<'c> {
    pub(super) fn new(patch: Patch<'c>, mut unrepresentable: Vec<Unrepresentable>) -> Self {
        unrepresentable.sort_by(|a, b| a.path.cmp(&b.path));
        Self { patch, unrepresentable }
    }
}

/// What becomes of a file, and can't be said in a format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unrepresentable {
    /// The file, as git names it.
    pub path: BString,
    /// The format.
    pub format: Format,
    /// What can't be said.
    pub what: What,
}

/// What can't be said.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum What {
    /// It becomes executable, or is no longer.
    Mode,
    /// It is new and executable.
    NewExecutable,
    /// A symbolic link comes, goes or changes.
    Link,
    /// A submodule comes, goes or changes.
    Submodule,
    /// Its name can't be one of a file that a response names.
    Name,
    /// The response would name another file.
    Path,
    /// A NUL in what comes or goes, or in a file that changes.
    Binary,
    /// It ends without a newline.
    NoFinalNewline,
    /// All that changes is whether it ends with a newline.
    FinalNewline,
    /// Lines end otherwise than the rules for new lines make them.
    LineEnds,
    /// A byte order mark comes or goes.
    Mark,
    /// Blank lines at the edges of a new file.
    BlankEdges,
    /// A line of the text would be read as a part of the patch.
    Markup,
    /// What was written would be read as another change.
    Misread,
}

impl What {
    /// Says it in a few words.
    pub fn words(self) -> &'static str {
        match self {
            What::Mode => "its executable bit changes",
            What::NewExecutable => "it is new and executable",
            What::Link => "it is a symbolic link",
            What::Submodule => "it is a submodule",
            What::Name => "its name can't stand in a response",
            What::Path => "its path would be read as another",
            What::Binary => "it is binary",
            What::NoFinalNewline => "it ends without a newline",
            What::FinalNewline => "only its final newline changes",
            What::LineEnds => "its lines would end otherwise",
            What::Mark => "its byte order mark comes or goes",
            What::BlankEdges => "blank lines at its edges would be dropped",
            What::Markup => "a line of it would be read as a part of the patch",
            What::Misread => "what was written would be read as another change",
        }
    }
}

impl fmt::Display for Unrepresentable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} can't say this change of `{}`: {}", self.format.the(), Shown(&self.path), self.what.words())
    }
}

/// An existing file of which a response gives all of the content, since no part of it can say the change.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{}` is replaced whole: what else is in it when this is applied is lost", Shown(path))]
pub struct Replaced {
    /// The file.
    pub path: BString,
}
