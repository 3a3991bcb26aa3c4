//! What is computed about an error or a warning: labels, places in files, notes, help.
//!
//! Errors are data: their `Display` is the headline, and the kind, label, help and advice that are
//! the same whatever the fields hold stand at the variant as its properties. Here a
//! [`Diagnostic`](crate::report::Diagnostic) is made of each, in one `match` arm for a variant of
//! which more is to be said. Rooms that make errors know nothing of this one.

mod closest;
mod difference;
mod format;
mod leftover;
mod lint;
mod merge;
mod path;
mod place;
mod plan;
mod remedy;

/// What helps where a response would make more of files than is allowed.
const TOO_MUCH: &str = "make fewer places of it, in edits with more of the text around each; LIMITS in \
                        `git llmpatch help` says how much may be added";
