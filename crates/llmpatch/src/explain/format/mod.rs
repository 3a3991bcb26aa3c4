//! What is said of a response that can't be read, one file a format.

mod blocks;
mod envelope;
mod opx;
mod response;
mod tool;
mod unified;

use crate::format::fence::FencedFile;
use crate::format::{Error, InFile, Warning, files};
use crate::kind::Kind;
use crate::report::{Diagnose, Diagnostic};

impl Diagnose for Error {
    fn diagnostic(&self) -> Diagnostic {
        match self {
            Error::Envelope(error) => error.diagnostic(),
            Error::Opx(error) => error.diagnostic(),
            Error::Unified(error) => error.diagnostic(),
            Error::Blocks(error) => error.diagnostic(),
            Error::Tool(error) => error.diagnostic(),
            Error::Files(error) => error.diagnostic(),
            Error::Fenced(error) => error.diagnostic(),
        }
    }
}

impl Diagnose for Warning {
    fn diagnostic(&self) -> Diagnostic {
        match self {
            Warning::Envelope(warning) => warning.diagnostic(),
            Warning::Opx(warning) => warning.diagnostic(),
            Warning::Unified(warning) => warning.diagnostic(),
            Warning::Blocks(warning) => warning.diagnostic(),
            Warning::Tool(warning) => warning.diagnostic(),
        }
    }
}

impl<T: Diagnose> Diagnose for InFile<T> {
    fn diagnostic(&self) -> Diagnostic {
        Diagnostic {
            path: self.path.clone(),
            ..self.what.diagnostic()
        }
    }
}

impl Diagnose for FencedFile {
    fn diagnostic(&self) -> Diagnostic {
        Diagnostic::new(Kind::Parse)
            .label("this fence would be the first line of the file")
            .help("leave out the fences: the lines between them are the file's, as they are")
    }
}

/// Tells of further lines with the same error: in the words for a single line, or for several, with
/// `#` for their number.
fn more(count: usize, one: &str, several: &str) -> Option<String> {
    match count {
        0 => None,
        1 => Some(one.into()),
        _ => Some(several.replace('#', &count.to_string())),
    }
}

impl Diagnose for files::Error {
    fn diagnostic(&self) -> Diagnostic {
        let of = Diagnostic::new(Kind::Parse);
        match self {
            files::Error::NoEnd => of
                .label("opened here")
                .help("the response was probably cut off: ask for the whole response again")
                .advice("send each file whole, and close its fence"),
            files::Error::Unclear => of
                .label("the end, or a line of the file?")
                .help("put a longer fence around a file that has fences in it")
                .advice("around a file that has fences in it, put one of four backticks"),
            files::Error::Unindented => of
                .label("indented less")
                .help("indent all lines of the file as its fence is, or none"),
            files::Error::TwoPaths => of
                .label("of which file?")
                .help("name one file, on the line above the fence"),
            files::Error::Marker => {
                of.help("give the whole file, or the block alone, with `SEARCH` and `REPLACE`")
            }
            files::Error::Diff => {
                of.help("give the whole file, or the diff with its `---`, `+++` and `@@` lines")
            }
        }
    }
}
