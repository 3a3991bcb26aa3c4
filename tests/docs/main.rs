//! What people read and load: the README and its pictures, the manual, and the completion scripts.

#![allow(clippy::unwrap_used, reason = "a test that can't go on has failed")]

mod git_apply;
mod manual;
mod pictures;
mod policies;
mod readme;
mod shells;
#[path = "../support/mod.rs"]
mod support;
#[path = "../support/terminal.rs"]
mod terminal;

use std::path::{Path, PathBuf};

/// Returns where a file of this package is.
fn here(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}
