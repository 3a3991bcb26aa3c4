//! What the compiler can't hold of how this project is built: who may use whom within a package,
//! and what it is built from.

#![allow(clippy::unwrap_used, reason = "a test that can't go on has failed")]

mod packages;
mod rooms;
mod variants;
