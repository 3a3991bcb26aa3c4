//! What a person sees who runs the program at a terminal.

#![allow(clippy::unwrap_used, reason = "a test that can't go on has failed")]

mod paging;
mod progress;
mod review;
#[path = "../support/mod.rs"]
mod support;
#[path = "../support/terminal.rs"]
mod terminal;
