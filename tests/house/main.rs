//! What the package itself must keep to: who may use whom in it, and what it is built from.

#![allow(clippy::unwrap_used, reason = "a test that can't go on has failed")]

mod architecture;
mod licences;

use std::fs;
use std::path::Path;

/// Returns the text of a file of this package.
fn here(file: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(file)).unwrap()
}
