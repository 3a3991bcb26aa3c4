//! What models write where a line of an envelope should stand, and the remedy of each habit.

use super::marker::{Meant, Verb};

/// What a line that can't be read looks like: the habits of models, each with its own remedy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Habit {
    /// A Markdown fence.
    Fence,
    /// A marker that is indented, or written in another way.
    Marker(Meant),
    /// `@@` where there are no chunks.
    Locator,
    /// `\ No newline at end of file` where it makes no sense.
    NoNewline,
    /// A context or removed line in a new file; a context or added line in a delete body.
    OtherSign,
    /// `-- ` of a language whose comments begin so.
    Comment,
    /// A list bullet.
    Bullet,
    /// The markers of a merge conflict or a search-and-replace block.
    Conflict,
    /// A tab where the prefix should be.
    Tab,
    /// A character that only looks like a prefix: a no-break space, a typographic minus or dash, a wide plus.
    LookAlike,
    /// Only blanks, between lines of content.
    Blanks,
    /// Lines after `*** End of File` without an `@@` before them.
    AfterEndOfFile,
    /// A line without a prefix.
    Plain,
}

impl Habit {
    pub(super) fn label(self, verb: Verb) -> &'static str {
        match self {
            Habit::Fence => "a Markdown fence inside the patch",
            Habit::Marker(_) => "this is nearly a marker",
            Habit::Locator => "there are no chunks in this kind of section",
            Habit::NoNewline => "this can't be said here",
            Habit::OtherSign | Habit::Comment if verb == Verb::Add => "a new file has `+` lines only",
            Habit::OtherSign | Habit::Comment => "a deleted file has `-` lines only",
            Habit::Bullet | Habit::Plain | Habit::Conflict => match verb {
                Verb::Add => "starts with no `+`",
                Verb::Delete => "starts with no `-`",
                Verb::Update => "starts with neither blank, `-` nor `+`",
            },
            Habit::Tab => "starts with a tab, not with blank, `-` or `+`",
            Habit::LookAlike => "starts with a character that only looks like a prefix",
            Habit::Blanks => "only blanks",
            Habit::AfterEndOfFile => "belongs to no chunk",
        }
    }

    pub(super) fn help(self, verb: Verb) -> String {
        let sign = match verb {
            Verb::Add => "write `+` before every line of a new file, empty ones included",
            Verb::Delete => "write `-` before every line of a delete body, or leave the body out",
            Verb::Update => {
                "write one blank before a line that stays, `-` before one that goes, `+` before one that comes; the line's \
                 own indentation follows"
            }
        };
        match self {
            Habit::Fence => {
                "close the fence behind `*** End Patch`, not inside the patch; if it is a line of the file, write its \
                 prefix before it"
                    .into()
            }
            Habit::Marker(meant) => format!("write {}, with nothing before it on its line", spelling(meant)),
            Habit::Locator if verb == Verb::Add => {
                "`*** Add File:` takes only the new file's lines, each with `+` before it; to change a file that exists, \
                 write `*** Update File:`"
                    .into()
            }
            Habit::Locator => "`*** Delete File:` needs no lines; to change the file, write `*** Update File:`".into(),
            Habit::NoNewline if verb == Verb::Delete => "leave the line out; a deleted file needs none".into(),
            Habit::NoNewline => "leave the line out; a new file always ends with a newline".into(),
            Habit::OtherSign if verb == Verb::Add => {
                format!("{sign}; to change a file that exists, write `*** Update File:`")
            }
            Habit::OtherSign => format!("{sign}; to change the file, write `*** Update File:`"),
            Habit::Comment => format!("{sign}: a comment `-- …` is written `+-- …`"),
            Habit::Bullet => format!("{sign}; if it is a remark in a list, move it out of the patch"),
            Habit::Conflict => {
                "this looks like a search-and-replace block or a merge conflict: write the old lines with `-` and the new \
                 ones with `+` before each"
                    .into()
            }
            Habit::Tab => format!("{sign}; before the tab of a line that stays, one blank is missing"),
            Habit::LookAlike => {
                format!("{sign}: the ASCII characters, not a no-break space, a typographic minus or a wide plus")
            }
            Habit::Blanks => sign.into(),
            Habit::AfterEndOfFile => "begin a new chunk with a line `@@`, or put `*** End of File` behind these lines".into(),
            Habit::Plain => format!("{sign}; if it is a remark, move it out of the patch"),
        }
    }
}

/// Returns how what was meant is to be written.
pub(super) fn spelling(meant: Meant) -> &'static str {
    match meant {
        Meant::Begin => "`*** Begin Patch`",
        Meant::End => "`*** End Patch`",
        Meant::EndOfFile => "`*** End of File`",
        Meant::Header(Verb::Add) => "`*** Add File: <path>`",
        Meant::Header(Verb::Delete) => "`*** Delete File: <path>`",
        Meant::Header(Verb::Update) => "`*** Update File: <path>`",
        Meant::Replace => "`*** Delete File: <path>`, then `*** Add File: <path>`",
        Meant::Rename => "`*** Update File: <old path>`, on the next line `*** Move to: <new path>`",
    }
}
