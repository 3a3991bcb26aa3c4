//! Finds the patches inside an answer: fences, prose around them, which format.

use crate::explain::Explain;
use crate::kind::Kind;

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

use super::{Options, Parsed};
use crate::text::Source;

/// Finds and reads the patches of a response.
pub fn parse<'a>(source: &'a Source, options: &Options) -> Parsed<'a> {
    let _ = options;
    todo!()
}
