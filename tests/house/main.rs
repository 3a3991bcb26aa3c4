//! What the compiler can't hold of how this project is built: who may use whom within a package,
//! what it is built from, and what its files are called.

#![allow(clippy::unwrap_used, reason = "a test that can't go on has failed")]

mod names;
mod packages;
mod rooms;
mod variants;
