//! library
pub mod compare;
pub mod diagnose;
pub mod format;
pub mod kind;
pub mod leftover;
pub mod message;
pub mod patch;
pub mod path;
pub mod pathspec;
pub mod plan;
pub mod progress;
pub mod report;
pub mod respond;
pub mod search;
pub mod text;
pub mod threads;
pub mod tree;
