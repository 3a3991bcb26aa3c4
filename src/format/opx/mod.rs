//! OPX: `<edit file=… op=…>` elements whose payloads are literal.

mod parse;
mod tags;

use crate::explain::Explain;
use crate::kind::Kind;
use crate::patch::FileEdit;
use crate::text::Located;

pub use parse::parse_block;
pub use tags::starts_here;

/// What was read of one top-level element: an `<edit>`, or an `<opx>` with all that it holds.
#[derive(Debug)]
pub struct Block<'a> {
    /// Offset behind the closing tag; of an element that isn't closed, where reading can go on, mostly the end of the response.
    pub end: usize,
    /// The edits, in order.
    pub edits: Vec<FileEdit<'a>>,
    /// Why it can't be applied.
    pub faults: Vec<Located<Fault>>,
    /// What was ignored or guessed.
    pub warnings: Vec<Located<Warning>>,
}

/// Why it can't be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {}

impl Explain for Fault {
    fn kind(&self) -> Kind {
        Kind::Parse
    }
}

/// What was dropped or guessed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Warning {}

impl Explain for Warning {
    fn kind(&self) -> Kind {
        match *self {}
    }
}
