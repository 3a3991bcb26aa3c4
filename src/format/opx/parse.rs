//! Reads one top-level element.

use super::Block;
use crate::format::Options;
use crate::text::Source;

/// Reads the element whose `<` is at `at`, which is first on its line or directly follows another element.
pub fn parse_block<'a>(source: &'a Source, at: usize, options: &Options) -> Block<'a> {
    let _ = (at, options);
    Block { end: source.bytes().len(), edits: Vec::new(), faults: Vec::new(), warnings: Vec::new() }
}
