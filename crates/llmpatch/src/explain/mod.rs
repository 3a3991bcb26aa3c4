//! What is said of an error or a warning beside its headline: labels, places, notes, help, advice
//! to the model.
//!
//! Errors are data, and their `Display` is the headline. Here each of them is turned into a
//! [`Diagnostic`], in one `match` arm a variant, so that all that is said of it is together and is
//! found by searching for its name. Rooms that make errors know nothing of this one.

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
