use bstr::BString;

use crate::text::Shown;

/// Why a tool call can't be read.
#[allow(missing_docs, reason = "the message says what the fields are")]
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    #[error("the JSON of a tool call breaks off")]
    CutJson,
    #[error("the JSON of a tool call can't be read: {what}")]
    Json { what: String },
    #[error("a tool call is nested too deeply to be read")]
    Deep,
    #[error("these are pieces of a stream, each with a part of the response")]
    Stream,
    #[error("text after a tool call on the same line")]
    Behind,
    #[error("`{field}` is there twice in one call")]
    Twice { field: String },
    #[error("`{first}` and `{second}` of one call differ")]
    Spellings { first: String, second: String },
    #[error("this call is given both `{first}` and `{second}`")]
    Wrappers { first: String, second: String },
    #[error("this call has both `{first}` and `{second}`, each a change by itself")]
    Rivals { first: String, second: String },
    #[error("an edit of this call names another file, `{}`", Shown(path.as_bytes()))]
    OtherFile { path: String },
    #[error(
        "this call names `{}`, and the patch in its `{field}` names `{}`",
        Shown(path),
        Shown(other)
    )]
    OtherPatch {
        field: String,
        path: BString,
        other: BString,
    },
    #[error("this call has no `{field}`")]
    Missing { field: &'static str },
    #[error("`{field}` must be {wanted}, and is {is}")]
    Type {
        field: String,
        wanted: &'static str,
        is: &'static str,
    },
    #[error("`{field}` must be a plain number from 1, and is {}", Shown(written.as_bytes()))]
    Count { field: String, written: String },
    #[error("`{field}` isn't supported, and the call would mean something else without it")]
    Field { field: String },
    #[error("{what} isn't supported")]
    Foreign { what: &'static str },
    #[error("two different calls have the id `{}`", Shown(id.as_bytes()))]
    Id { id: String },
    #[error("a NUL byte in a tool call")]
    Nul,
    #[error("the `diff` of this call isn't a single change of the call's file")]
    Diff,
}

impl Error {
    /// Returns what is wrong with a call that is given two things, by the names of their members.
    pub(crate) fn of_wrappers(first: &str, second: &str) -> Self {
        let first = first.to_owned();
        if first == second {
            return Self::Twice { field: first };
        }
        let second = second.to_owned();
        Self::Wrappers { first, second }
    }
}

/// What was guessed or left out while reading tool calls.
#[allow(missing_docs, reason = "the message says what the fields are")]
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Warning {
    /// Calls of one tool; a session has hundreds of them.
    #[error("{}", skipped(name, *count))]
    Skipped { name: BString, count: usize },
    #[error("a call that repeats one of the same id is ignored: it is applied once")]
    Repeated,
    #[error("the unknown field `{}` is ignored", Shown(field.as_bytes()))]
    Field { field: String },
    #[error("the new file doesn't end with a newline")]
    NoNewline,
    #[error("`{field}` is read as an envelope: `*** Begin Patch` and `*** End Patch` are missing")]
    Inside { field: String },
    #[error("a patch in a JSON object that isn't a tool call is applied, too")]
    NoCall,
}

/// Tells of calls that change nothing.
fn skipped(name: &BString, count: usize) -> String {
    let name = Shown(name);
    match count {
        1 => format!("the call of `{name}` is ignored: it doesn't say how a file changes"),
        _ => format!("{count} calls of `{name}` are ignored: they don't say how a file changes"),
    }
}
