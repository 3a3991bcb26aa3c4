//! What the benchmarks share: changes of files, the responses that ask for them, and the count of
//! the instructions that a program needs.

#![allow(
    dead_code,
    unreachable_pub,
    reason = "each benchmark uses a part of it"
)]

pub mod callgrind;
pub mod responses;
pub mod scenario;
pub mod session;
