//! What is computed about an error or a warning: labels, places in files, notes, help.
//!
//! Errors are data: their `Display` is the headline, and the kind, label, help and advice that are
//! the same whatever the fields hold stand at the variant as its properties. Here a
//! [`Diagnostic`](crate::report::Diagnostic) is made of each, with a `match` arm for each variant
//! that needs more words. Rooms that make errors know nothing of this room.

mod additions;
mod characters;
mod closest;
mod difference;
mod errors;
mod file;
mod format;
mod leftover;
mod lint;
mod mangled;
mod merge;
mod missing;
mod nearest;
mod path;
mod place;
mod plan;
mod remedy;
mod review;
mod warning;

pub use self::errors::errors;
