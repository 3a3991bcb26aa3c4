//! Text ⇄ [`Patch`]: one folder a format, each with what reads it and what prints it.
//!
//! Parsers know no git, no files and no clock. They read on after a fault, so that one run names everything that is wrong.

pub mod detect;
pub mod envelope;
pub mod opx;
mod prose;
#[cfg(test)]
mod tests;
pub mod unified;
mod unsaid;

pub use prose::prose;
pub use unsaid::{Unsaid, Why};

use crate::explain::Explain;
use crate::kind::Kind;
use crate::patch::{Format, Patch};
use crate::text::{Located, Source};

/// How a response is to be read.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// Read patches of this format only; `None` finds out.
    pub format: Option<Format>,
    /// Refuse whatever the bare format doesn't know.
    pub strict: bool,
}

/// What was read from a response: everything that could be, and everything that is wrong with the rest.
#[derive(Debug)]
pub struct Parsed<'a> {
    /// The edits. With faults beside it, it is good for finding more faults and for nothing else.
    pub patch: Patch<'a>,
    /// Why the response can't be applied; none if it can, as far as its text goes.
    pub faults: Vec<Located<Fault>>,
    /// What was dropped or guessed.
    pub warnings: Vec<Located<Warning>>,
}

/// Reads the patches of a response. Never panics, whatever the bytes.
pub fn parse<'a>(source: &'a Source, options: &Options) -> Parsed<'a> {
    detect::parse(source, options)
}

/// Why a response can't be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// Finding the patches in the answer.
    #[error(transparent)]
    Detect(#[from] detect::Fault),
    /// Reading an envelope.
    #[error(transparent)]
    Envelope(#[from] envelope::Fault),
    /// Reading OPX.
    #[error(transparent)]
    Opx(#[from] opx::Fault),
    /// Reading a unified diff.
    #[error(transparent)]
    Unified(#[from] unified::Fault),
}

/// What was dropped or guessed while reading a response.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Warning {
    /// Finding the patches in the answer.
    #[error(transparent)]
    Detect(#[from] detect::Warning),
    /// Reading an envelope.
    #[error(transparent)]
    Envelope(#[from] envelope::Warning),
    /// Reading OPX.
    #[error(transparent)]
    Opx(#[from] opx::Warning),
    /// Reading a unified diff.
    #[error(transparent)]
    Unified(#[from] unified::Warning),
}

macro_rules! forward {
    ($($of:ident),*) => { $(
        impl $of {
            fn inner(&self) -> &dyn Explain {
                match self {
                    $of::Detect(inner) => inner,
                    $of::Envelope(inner) => inner,
                    $of::Opx(inner) => inner,
                    $of::Unified(inner) => inner,
                }
            }
        }

        impl Explain for $of {
            fn kind(&self) -> Kind {
                self.inner().kind()
            }

            fn label(&self) -> Option<String> {
                self.inner().label()
            }

            fn path(&self) -> Option<bstr::BString> {
                self.inner().path()
            }

            fn notes(&self) -> Vec<String> {
                self.inner().notes()
            }

            fn help(&self) -> Option<String> {
                self.inner().help()
            }

            fn advice(&self) -> Option<String> {
                self.inner().advice()
            }
        }
    )* };
}

forward!(Fault, Warning);
