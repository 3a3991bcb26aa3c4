//! What must hold whatever the bytes are: the bodies of the fuzz targets in `fuzz/`, which
//! `tests/fuzz_smoke.rs` runs too.
//!
//! Each takes any bytes and panics where a promise is broken. What two readings of the contract
//! could dispute isn't here; a law that a rule of the formats excepts says which.

#![allow(dead_code, unreachable_pub, reason = "each program uses a part of it")]
#![allow(clippy::unwrap_used, reason = "a law that can't be checked is broken")]

mod deriving;
mod drawing;
mod planning;
mod reading;
mod recovering;

pub use deriving::derive;
pub use drawing::draw;
pub use planning::{place, plan};
pub use reading::{blocks, command, envelope, literal, opx, response, tool, unified};
pub use recovering::recover;

use llmpatch::report::Diagnose;
use llmpatch::text::{Located, Source, SourceId, Span};

/// A name and what it does with bytes.
pub type Target = (&'static str, fn(&[u8]));

/// Every target.
pub const TARGETS: &[Target] = &[
    ("response", response),
    ("envelope", envelope),
    ("opx", opx),
    ("unified", unified),
    ("blocks", blocks),
    ("tool", tool),
    ("command", command),
    ("literal", literal),
    ("place", place),
    ("plan", plan),
    ("derive", derive),
    ("draw", draw),
    ("recover", recover),
];

fn source(bytes: &[u8]) -> Source {
    Source::new(SourceId(0), "answer.txt", bytes.into()).unwrap()
}

/// Chooses by the length of what came: a fuzzer tries so many lengths that each law has its turn,
/// at a fraction of the time that all would take of each input.
fn turn<T, const N: usize>(bytes: &[u8], of: [T; N]) -> T {
    let nth = bytes.len() % N;
    of.into_iter().nth(nth).unwrap()
}

/// Demands that a place is in the response.
fn stands_in(source: &Source, span: Option<Span>) {
    if let Some(span) = span {
        assert!(
            span.start <= span.end && span.end as usize <= source.bytes().len(),
            "{span:?} isn't in the response"
        );
    }
}

/// Demands of all that is said that it is of the right kind and stands in the response. What it
/// looks like is for `draw`: to draw everything takes a hundred times as long as to read it.
fn told<E: Diagnose, W: Diagnose>(source: &Source, errors: &[Located<E>], warnings: &[Located<W>]) {
    errors.iter().for_each(|error| {
        let of = error.value.diagnostic();
        stands_in(source, error.span);
        stands_in(source, of.spans.mark);
        assert!(!of.is_warning, "`{}` is no error", of.kind);
    });
    warnings.iter().for_each(|warning| {
        let of = warning.value.diagnostic();
        stands_in(source, warning.span);
        assert!(of.is_warning, "`{}` is no warning", of.kind);
    });
}
