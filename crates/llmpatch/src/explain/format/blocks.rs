use crate::format::blocks::{Error, Warning};
use crate::kind::Kind;
use crate::report::{Diagnose, Diagnostic};
use crate::text::LineNo;

const ESCAPE: &str = "if it is a line of the file, put a backslash before it";

const BEGINS: &str = "the block that begins here";

impl Diagnose for Error {
    fn diagnostic(&self) -> Diagnostic {
        let of = Diagnostic::fixed(Kind::Parse, self);
        match self {
            Error::NoEnd {
                family,
                before,
                near,
            } => no_end(of.label(BEGINS), family.end(), *before, *near),
            Error::NoDivider { near: Some(near) } => of
                .label(BEGINS)
                .help(format!("write line {near} as `=======`, first on its line")),
            Error::NoDivider { near: None } => of.label(BEGINS).help(
                "put a line `=======` between the lines to search for and those to put in \
                     their place",
            ),
            Error::Dividers {
                is_doubled: true, ..
            } => of
                .label("and once more on the next line")
                .help("if the lines before it are to be deleted, take one of the two out"),
            Error::Dividers { .. } => of.label("the first of them").help(
                "put a backslash before those that are lines of the file; one `=======` \
                     is between old and new lines",
            ),
            Error::Unclear { .. } => of.help(format!("take it out; {ESCAPE}")),
            Error::StrayNumber { written } => of.help(format!(
                "line numbers come right after `<<<<<<< SEARCH`; {}",
                if written.starts_with(b":") {
                    ESCAPE
                } else {
                    "if it is a line of the file, show the line before it, too"
                }
            )),
            Error::NearOpener { marker } => {
                let sign = if marker.starts_with(b"-") { "-" } else { "<" };
                of.help(format!(
                    "write `{} SEARCH`, alone on its line, in capitals; if it is only mentioned, \
                     put it in backticks",
                    sign.repeat(7)
                ))
            }
            Error::StrayEnd { .. } => {
                of.advice(format!("begin the block with `<<<<<<< SEARCH`; {ESCAPE}"))
            }
            _ => of,
        }
    }
}

/// Says what to do about a block without an end, which another follows or the response's end, and
/// that a line is nearly its end.
fn no_end(of: Diagnostic, end: &str, before: Option<LineNo>, near: Option<LineNo>) -> Diagnostic {
    match (near, before) {
        (Some(near), _) => of.help(format!(
            "write line {near} as `{end}`, alone and first on its line"
        )),
        (None, Some(_)) => of.help(format!("end it with `{end}`, first on its line; {ESCAPE}")),
        (None, None) => of
            .help("the response was probably cut off: ask for the whole response again")
            .advice(format!(
                "send every block whole, to its `{end}`, which comes first on its line"
            )),
    }
}

impl Diagnose for Warning {
    fn diagnostic(&self) -> Diagnostic {
        Diagnostic::fixed(Kind::Parse, self)
    }
}
