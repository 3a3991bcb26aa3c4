use crate::format::tool::{Error, Warning};
use crate::kind::Kind;
use crate::report::{Diagnose, Diagnostic};

impl Diagnose for Error {
    fn diagnostic(&self) -> Diagnostic {
        let of = Diagnostic::new(Kind::Parse);
        match self {
            Error::CutJson => of
                .label("the JSON ends before it is complete")
                .help("the response was probably cut off: ask for the whole response again")
                .advice("send every call whole, as valid JSON"),
            Error::Json { .. } => of
                .label("no JSON from here on")
                .help(
                    "correct the JSON: names and strings in double quotes, line breaks in \
                         strings as `\\n`, no comma before `}` or `]`",
                )
                .advice("send every call as valid JSON, with line breaks in strings as `\\n`"),
            Error::Deep => of
                .label("too deep")
                .help("take the call out of what is around it, and give it by itself"),
            Error::Stream => of.label("a piece").help(
                "put the pieces together first, or have the provider send the whole \
                     message at once",
            ),
            Error::Behind => of
                .label("after the call")
                .help("put each call on a line, or lines, of its own"),
            Error::Twice { .. } => of
                .label("the second one")
                .help("leave one of them out")
                .advice("give each field once"),
            Error::Spellings { .. } => of
                .label("the second one")
                .help("leave out the one that isn't meant")
                .advice("give each field once"),
            Error::Wrappers { .. } => of
                .label("this call")
                .help("make two calls of it, or leave out what isn't meant")
                .advice("give every call its arguments once, under one name"),
            Error::Rivals { .. } => of
                .label("this call")
                .help("make two calls of it, or leave out the field that isn't meant")
                .advice(
                    "give a call either `old_string` and `new_string`, or `edits`, or `content`",
                ),
            Error::OtherPatch { field, .. } => of
                .label("another file")
                .help(other_patch(field))
                .advice("give every call only what changes the file that it names"),
            Error::OtherFile { .. } => of
                .label("another file")
                .help("leave it out here, and make a call of its own for that file"),
            Error::Missing { field } => of
                .label("in this call")
                .help(missing(field))
                .advice(format!("give every call a `{field}`")),
            Error::Type { .. } => of
                .label("not so here")
                .help("correct the value, or ask for the call again"),
            Error::Count { .. } => Diagnostic::new(Kind::Occurrence)
                .label("no number from 1")
                .help(
                    "say how often the text is in the file, or leave the field out if it is \
                     there once",
                ),
            Error::Field { field } if is_of_writing(field) => Diagnostic::new(Kind::Unsupported)
                .label("not known here")
                .help("leave it out if the file is to be written as the call gives it")
                .advice(format!(
                    "send the call without `{field}`, as it is to be done"
                )),
            Error::Field { .. } => Diagnostic::new(Kind::Unsupported)
                .label("not known here")
                .help(
                    "leave it out if the text is meant as it is; give more of the text \
                         around it if it is there several times",
                )
                .advice(
                    "find text by itself: give as much of the text around it as makes it the \
                     only one in the file",
                ),
            Error::Foreign { .. } => Diagnostic::new(Kind::Unsupported)
                .label("this call")
                .help(
                    "ask for the change as `path`, `old_string` and `new_string`, with the text \
                     as it is in the file",
                )
                .advice(
                    "send `path`, `old_string` and `new_string`, with the text as it is in the \
                     file; for a new file `path` and `content`",
                ),
            Error::Id { .. } => of.label("the second one").help(
                "two responses were mixed up, or one was changed: give each in a file of \
                     its own",
            ),
            Error::Nul => of
                .label("it has `\\u0000` in it")
                .help("no text file holds this byte: ask for the call again"),
            Error::Diff => of.label("this `diff`").help(
                "a `diff` holds the hunks of the one file that `path` names: `@@`, then \
                     lines that begin with a space, `-` or `+`",
            ),
        }
    }
}

/// Returns whether a field says how a file is written, rather than where text is.
fn is_of_writing(field: &str) -> bool {
    ["dryRun", "dry_run", "append", "mode", "overwrite"].contains(&field)
}

fn other_patch(field: &str) -> &'static str {
    match field {
        "diff" | "patch" | "input" => "make a call of its own for that file, or correct the path",
        _ => {
            "send the patch by itself, or correct the path; a file that is to hold a patch is \
             named `*.patch` or `*.diff`"
        }
    }
}

fn missing(field: &str) -> &'static str {
    match field {
        "path" => "say which file is meant",
        "new_string" => "to remove text, say so: give an empty `new_string`",
        _ => "ask for the whole call again",
    }
}

impl Diagnose for Warning {
    fn diagnostic(&self) -> Diagnostic {
        match self {
            Warning::Skipped { .. } => Diagnostic::new(Kind::SkippedCall),
            Warning::Repeated => Diagnostic::new(Kind::SkippedCall).label("the second one"),
            Warning::Field { .. } => Diagnostic::new(Kind::UnknownMarkup),
            Warning::NoNewline => Diagnostic::new(Kind::FinalNewline)
                .help("end the text with `\\n` if the file is to end with a newline"),
            Warning::Inside { .. } => Diagnostic::new(Kind::StrayMarker),
            Warning::NoCall => Diagnostic::new(Kind::JsonPatch)
                .help("take it out of the JSON if it isn't meant to be applied"),
        }
    }
}
