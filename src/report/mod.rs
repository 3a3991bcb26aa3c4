//! What people see of a report at a terminal or in a log: words, marked lines, colours.
//!
//! Whatever comes from a response or a file is escaped here once more before it is drawn, so that
//! no message can reach a terminal raw.

pub mod human;
pub mod paint;
mod render;
mod wrap;
