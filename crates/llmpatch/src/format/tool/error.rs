use bstr::BString;

use crate::text::Shown;

/// Why a tool call can't be read.
#[allow(missing_docs, reason = "the message says what the fields are")]
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, strum::EnumProperty)]
#[non_exhaustive]
pub enum Error {
    #[error("the JSON of a tool call breaks off")]
    #[strum(props(
        label = "the JSON ends before it is complete",
        help = "the response was probably cut off: ask for the whole response again",
        advice = "send every call whole, as valid JSON"
    ))]
    CutJson,
    #[error("the JSON of a tool call can't be read: {what}")]
    #[strum(props(
        label = "no JSON from here on",
        help = "correct the JSON: names and strings in double quotes, line breaks in strings as `\\n`, no comma before `}` or `]`",
        advice = "send every call as valid JSON, with line breaks in strings as `\\n`"
    ))]
    Json { what: String },
    #[error("`role` of a message must be a string, and is `{}`", Shown(is.as_bytes()))]
    #[strum(props(
        label = "nobody is named here",
        help = "give the message of the model by itself"
    ))]
    Role { is: String },
    #[error("a tool call is nested too deeply to be read")]
    #[strum(props(
        label = "too deep",
        help = "take the call out of what is around it, and give it by itself"
    ))]
    Deep,
    #[error("text after a tool call on the same line")]
    #[strum(props(
        label = "after the call",
        help = "put each call on a line, or lines, of its own"
    ))]
    Behind,
    #[error("`{field}` is there twice in one object")]
    #[strum(props(
        label = "the second one",
        help = "leave one of them out",
        advice = "give each field once"
    ))]
    Twice { field: String },
    #[error("`{first}` and `{second}` of one call differ")]
    #[strum(props(
        label = "the second one",
        help = "leave out the one that isn't meant",
        advice = "give each field once"
    ))]
    Spellings { first: String, second: String },
    #[error("this call is given both `{first}` and `{second}`")]
    #[strum(props(
        label = "this call",
        help = "make two calls of it, or leave out what isn't meant",
        advice = "give every call its arguments once, under one name"
    ))]
    Wrappers { first: String, second: String },
    #[error("this call has both `{first}` and `{second}`, each a change by itself")]
    #[strum(props(
        label = "this call",
        help = "make two calls of it, or leave out the field that isn't meant",
        advice = "give a call either `old_string` and `new_string`, or `edits`, or `content`"
    ))]
    Rivals { first: String, second: String },
    #[error("an edit of this call names another file, `{}`", Shown(path.as_bytes()))]
    #[strum(props(
        label = "another file",
        help = "leave it out here, and make a call of its own for that file"
    ))]
    OtherFile { path: String },
    #[error(
        "this call names `{}`, and the patch in its `{field}` names `{}`",
        Shown(path),
        Shown(other)
    )]
    #[strum(props(
        label = "another file",
        advice = "give every call only what changes the file that it names"
    ))]
    OtherPatch {
        field: String,
        path: BString,
        other: BString,
    },
    #[error("this call has no `{field}`")]
    #[strum(props(label = "in this call"))]
    Missing { field: &'static str },
    #[error("`{field}` must be {wanted}, and is {is}")]
    #[strum(props(
        label = "not so here",
        help = "correct the value, or ask for the call again"
    ))]
    Type {
        field: String,
        wanted: &'static str,
        is: &'static str,
    },
    #[error("`{field}` must be a plain number from 1, and is {}", Shown(written.as_bytes()))]
    #[strum(props(
        kind = "occurrence",
        label = "no number from 1",
        help = "say how often the text is in the file, or leave the field out if it is there once"
    ))]
    Count { field: String, written: String },
    #[error("`{field}` isn't supported, and the call would mean something else without it")]
    Field { field: String },
    /// A call that writes a file in a way that no shape has.
    #[error("this call{} isn't read", of_tool(name))]
    #[strum(props(
        kind = "unsupported",
        label = "half a change is no change",
        help = "ask for the change as `path`, `old_string` and `new_string`, with the text as it is in the file; for a new file `path` and `content`",
        advice = "send `path`, `old_string` and `new_string`, with the text as it is in the file; for a new file `path` and `content`"
    ))]
    Unread { name: BString },
    #[error("two different calls have the id `{}`", Shown(id.as_bytes()))]
    #[strum(props(
        label = "the second one",
        help = "two responses were mixed up, or one was changed: give each in a file of its own"
    ))]
    Id { id: String },
    #[error("a NUL byte in a tool call")]
    #[strum(props(
        label = "it has `\\u0000` in it",
        help = "no text file holds this byte: ask for the call again"
    ))]
    Nul,
    #[error("the `diff` of this call isn't a single change of the call's file")]
    #[strum(props(
        label = "this `diff`",
        help = "a `diff` holds the hunks of the one file that `path` names: `@@`, then lines that begin with a space, `-` or `+`"
    ))]
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
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, strum::EnumProperty)]
#[non_exhaustive]
pub enum Warning {
    /// Calls of a tool; a session has hundreds of them.
    #[error("{}", skipped(name, *count))]
    #[strum(props(kind = "skipped-call"))]
    Skipped { name: BString, count: usize },
    #[error("a call that repeats one of the same id is ignored: it is applied once")]
    #[strum(props(kind = "skipped-call", label = "the second one"))]
    Repeated,
    #[error("the new file doesn't end with a newline")]
    #[strum(props(
        kind = "final-newline",
        help = "end the text with `\\n` if the file is to end with a newline"
    ))]
    NoNewline,
}

/// Names the tool of a call, if it has a name.
fn of_tool(name: &BString) -> String {
    let shown = Shown(name);
    if name.is_empty() {
        String::new()
    } else {
        format!(" of `{shown}`")
    }
}

/// Tells of calls that change nothing.
fn skipped(name: &BString, count: usize) -> String {
    let is_nameless = name.is_empty();
    let name = Shown(name);
    match count {
        1 if is_nameless => {
            "an object that names a file is ignored: it doesn't say how the file changes".into()
        }
        _ if is_nameless => format!(
            "{count} objects that name files are ignored: they don't say how the files change"
        ),
        1 => format!("the call of `{name}` is ignored: it doesn't say how a file changes"),
        _ => format!("{count} calls of `{name}` are ignored: they don't say how a file changes"),
    }
}
