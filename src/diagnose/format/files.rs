use crate::diagnose::{Diagnose, Diagnosis};
use crate::format::files::Error;
use crate::kind::Kind;

impl Diagnose for Error {
    fn diagnosis(&self) -> Diagnosis {
        let of = Diagnosis::new(Kind::Parse);
        match self {
            Error::NoEnd => of
                .label("opened here")
                .help("the response was probably cut off: ask for the whole response again")
                .advice("send each file whole, and close its fence"),
            Error::Unclear => of
                .label("the end, or a line of the file?")
                .help("put a longer fence around a file that has fences in it")
                .advice("around a file that has fences in it, put one of four backticks"),
            Error::Unindented => {
                of.label("indented less").help("indent all lines of the file as its fence is, or none")
            }
            Error::TwoPaths => of.label("of which file?").help("name one file, on the line above the fence"),
        }
    }
}
