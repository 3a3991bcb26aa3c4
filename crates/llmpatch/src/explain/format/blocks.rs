use crate::format::blocks::{Error, Warning};
use crate::kind::Kind;
use crate::report::{Diagnose, Diagnostic};
use crate::text::LineNo;

const ESCAPE: &str = "if it is a line of the file, put a backslash before it";

const BEGINS: &str = "the block that begins here";

impl Diagnose for Error {
    fn diagnostic(&self) -> Diagnostic {
        let of = Diagnostic::new(Kind::Parse);
        match self {
            Error::NoPath => of
                .label("of which file?")
                .help("put the path alone on the line before it, or give it with --file=<path>")
                .advice("put the file's path alone on the line before each block"),
            Error::TwoPaths { .. } => of
                .label("of which file?")
                .help("name one file, on the line before it"),
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
            Error::Divider { .. } => of
                .help("give all markers of a block seven signs, or leave --strict out")
                .advice("give all markers seven signs"),
            Error::Unclear { .. } => of
                .label("a line of the file?")
                .help(format!("take it out; {ESCAPE}")),
            Error::Unindented => of.label("indented less").help(
                "indent all lines of a block as its first line is, or none; markers best \
                     come first on their lines",
            ),
            Error::LineNumber { .. } => {
                of.help("write `:start_line:` and a number from 1, once, or leave the line out")
            }
            Error::StrayNumber { written } => of.label("no line of the file").help(format!(
                "line numbers come right after `<<<<<<< SEARCH`; {}",
                if written.starts_with(b":") {
                    ESCAPE
                } else {
                    "if it is a line of the file, show the line before it, too"
                }
            )),
            Error::BlankSearch => of.label("nothing but whitespace").help(
                "give lines that have text, too; for a new file, put nothing between \
                     SEARCH and `=======`",
            ),
            Error::Fence => of.label("would be a line of the file").help(
                "close the fence after the block, not in it; around a text that has \
                     fences, use a longer one",
            ),
            Error::StrayEnd { .. } => of
                .label("ends nothing")
                .help(
                    "the start of its block is missing, or the one before ended too \
                         early: ask for the response again",
                )
                .advice(format!("begin the block with `<<<<<<< SEARCH`; {ESCAPE}")),
            Error::NearOpener { .. } => of.label("nearly the start of a block").help(
                "write `<<<<<<< SEARCH`, alone on its line, in capitals; if it is only \
                     mentioned, put it in backticks",
            ),
            Error::OpenTag { .. } => of
                .label("this tag")
                .help("the response was probably cut off: ask for the whole response again")
                .advice("close every tag, and send the whole of it"),
            Error::Tool { .. } => Diagnostic::new(Kind::Unsupported)
                .help(
                    "ask for the change in search/replace blocks; or take this call out and \
                     make its change by hand",
                )
                .advice(
                    "send this change, too, as `<<<<<<< SEARCH` blocks, each below the path \
                     of its file",
                ),
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
        match self {
            Warning::Divider { .. } => Diagnostic::new(Kind::Divider),
            Warning::Dividers { .. } => {
                Diagnostic::new(Kind::Divider).label("has as many signs as the block's first line")
            }
            Warning::Unescaped => Diagnostic::new(Kind::EscapedMarker)
                .help("if the file is to have the backslash, write it twice"),
            Warning::Conflict => Diagnostic::new(Kind::ProseConflict).help(
                "if it is meant as a change, write `SEARCH` and `REPLACE` in place of the names",
            ),
        }
    }
}
