//! What is said of a response that can't be read, one file a format.

mod blocks;
mod envelope;
mod opx;
mod response;
mod tool;
mod unified;

use super::{Diagnose, Diagnosis};
use crate::format::fence::FencedFile;
use crate::format::{Error, InFile, Warning, files};
use crate::kind::Kind;

impl Diagnose for Error {
    fn diagnosis(&self) -> Diagnosis {
        match self {
            Error::Response(error) => error.diagnosis(),
            Error::Envelope(error) => error.diagnosis(),
            Error::Opx(error) => error.diagnosis(),
            Error::Unified(error) => error.diagnosis(),
            Error::Blocks(error) => error.diagnosis(),
            Error::Tool(error) => error.diagnosis(),
            Error::Files(error) => error.diagnosis(),
            Error::Fenced(error) => error.diagnosis(),
        }
    }
}

impl Diagnose for Warning {
    fn diagnosis(&self) -> Diagnosis {
        match self {
            Warning::Response(warning) => warning.diagnosis(),
            Warning::Envelope(warning) => warning.diagnosis(),
            Warning::Opx(warning) => warning.diagnosis(),
            Warning::Unified(warning) => warning.diagnosis(),
            Warning::Blocks(warning) => warning.diagnosis(),
            Warning::Tool(warning) => warning.diagnosis(),
        }
    }
}

impl<T: Diagnose> Diagnose for InFile<T> {
    fn diagnosis(&self) -> Diagnosis {
        Diagnosis {
            path: self.path.clone(),
            ..self.what.diagnosis()
        }
    }
}

impl Diagnose for FencedFile {
    fn diagnosis(&self) -> Diagnosis {
        Diagnosis::new(Kind::Parse)
            .label("this fence would be the first line of the file")
            .help("leave out the fences: the lines between them are the file's, as they are")
    }
}

/// Says of further lines what was said of one: in these words of one, and of several, with `#` for
/// their number.
fn more(count: usize, one: &str, several: &str) -> Option<String> {
    match count {
        0 => None,
        1 => Some(one.into()),
        _ => Some(several.replace('#', &count.to_string())),
    }
}

impl Diagnose for files::Error {
    fn diagnosis(&self) -> Diagnosis {
        let of = Diagnosis::new(Kind::Parse);
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
        }
    }
}
