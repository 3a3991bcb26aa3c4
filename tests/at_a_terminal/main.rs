//! What a person sees who runs the program at a terminal.
//!
//! Linux only: util-linux's `setsid` gives a run a terminal of its own, and editors are GNU sed.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a test that can't go on has failed")]

mod paging;
mod progress;
mod reading;
mod review;
#[path = "../support/mod.rs"]
mod support;
#[path = "../support/terminal.rs"]
mod terminal;
