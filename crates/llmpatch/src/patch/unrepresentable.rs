//! What of a change a format can't say.

use bstr::BString;

use crate::text::Shown;

/// What becomes of a file, and can't be said in a format.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{} can't express this change of `{}`: {what}", format, Shown(path))]
pub struct Unrepresentable {
    /// The file, as git names it.
    pub path: BString,
    /// How a sentence names the format.
    pub format: &'static str,
    /// What can't be said.
    pub what: What,
}

/// What can't be said.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, strum::Display)]
#[non_exhaustive]
pub enum What {
    /// It becomes executable, or is no longer.
    #[strum(to_string = "its executable bit changes")]
    Mode,
    /// It is new, and the format only changes files.
    #[strum(to_string = "it is new")]
    New,
    /// It is new and executable.
    #[strum(to_string = "it is new and executable")]
    NewExecutable,
    /// It is deleted, and the format only makes and changes files.
    #[strum(to_string = "it is deleted")]
    Deletion,
    /// It is renamed, and the format only makes and changes files.
    #[strum(to_string = "it is renamed")]
    Rename,
    /// A symbolic link comes, goes or changes.
    #[strum(to_string = "it is a symbolic link")]
    Link,
    /// A submodule comes, goes or changes.
    #[strum(to_string = "it is a submodule")]
    Submodule,
    /// Its name can't be one of a file that a response names.
    #[strum(to_string = "its name can't be written in a response")]
    Name,
    /// The response would name another file.
    #[strum(to_string = "its path would be read as another")]
    Path,
    /// A NUL in what comes or goes, or in a file that changes.
    #[strum(to_string = "it is binary")]
    Binary,
    /// Text that isn't UTF-8, in a format of characters.
    #[strum(to_string = "it isn't UTF-8")]
    Utf8,
    /// It ends without a newline.
    #[strum(to_string = "it ends without a newline")]
    NoFinalNewline,
    /// Whether it ends with a newline changes.
    #[strum(to_string = "its final newline changes")]
    FinalNewline,
    /// Lines end otherwise than the rules for new lines make them.
    #[strum(to_string = "its line endings would differ")]
    LineEnds,
    /// A byte order mark comes or goes.
    #[strum(to_string = "a byte order mark is added or removed")]
    Mark,
    /// Blank lines at the edges of a new file.
    #[strum(to_string = "empty lines at its edges would be dropped")]
    BlankEdges,
    /// A line of the text would be read as a part of the patch.
    #[strum(to_string = "a line of it would be read as a part of the patch")]
    Markup,
    /// A fence is around all of it.
    #[strum(
        to_string = "all of it is in a Markdown fence, which would be taken for one around the file"
    )]
    Fence,
    /// What was written would be read as another change.
    #[strum(to_string = "what was written would be read as another change")]
    Misread,
}
