use crate::format::tool::{Error, Warning};
use crate::kind::Kind;
use crate::report::{Diagnose, Diagnostic};

impl Diagnose for Error {
    fn diagnostic(&self) -> Diagnostic {
        let of = Diagnostic::fixed(Kind::Parse, self);
        match self {
            Error::OtherPatch { field, .. } => of.help(other_patch(field)),
            Error::Missing { field } => of
                .help(missing(field))
                .advice(format!("give every call a `{field}`")),
            Error::Field { field } if is_of_writing(field) => Diagnostic::new(Kind::Unsupported)
                .label("not known here")
                .help("leave it out if the file is to be written as the call gives it")
                .advice(format!(
                    "send the call without `{field}`, as it is to be done"
                )),
            Error::Field { field } if is_of_patch(field) => Diagnostic::new(Kind::Unsupported)
                .label("not known here")
                .help(
                    "leave it out if the patch is to be applied as it is written, with paths from \
                         the top of the work tree",
                )
                .advice(format!(
                    "send the patch without `{field}`, with paths from the top of the repository"
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
            _ => of,
        }
    }
}

/// Returns whether a field says how a file is written, rather than where text is.
fn is_of_writing(field: &str) -> bool {
    let field = field.replace('_', "").to_ascii_lowercase();
    let names = "dryrun append mode overwrite check checkonly validateonly";
    names.split(' ').any(|name| name == field)
}

/// Returns whether a field says how a patch is applied, and where.
fn is_of_patch(field: &str) -> bool {
    ["reverse", "strip", "p", "directory", "dir", "root"].contains(&field)
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
        Diagnostic::fixed(Kind::Parse, self)
    }
}
