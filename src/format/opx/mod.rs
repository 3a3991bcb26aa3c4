//! OPX: `<edit file=… op=…>` elements whose payloads are literal.

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
