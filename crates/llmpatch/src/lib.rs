//! Files and a language model's response in; the changed files, or a refusal with a message for the
//! model, out.
//!
//! A response is whatever a model writes when it is asked to change files: prose, Markdown fences,
//! and in them patches in one of the formats that models use. The format is detected. A response is
//! one change: every part of it has a place in the files, or nothing is changed.
//!
//! # In use
//!
//! ```
//! use llmpatch::{MemoryTree, Options, apply};
//!
//! let mut files = MemoryTree::new().with("greet.py", "def greet():\n    print('hi')\n");
//! let response = "\
//! Sure, like this:
//!
//! *** Begin Patch
//! *** Update File: greet.py
//!  def greet():
//! -    print('hi')
//! +    print('hello')
//! *** End Patch
//! ";
//! let applied = apply("response", response, &files, &Options::default())?;
//! assert_eq!(applied.message, "Update greet.py\n");
//! applied.changes.make_in(&mut files);
//! # Ok::<(), Box<llmpatch::Refusal>>(())
//! ```
//!
//! A response that doesn't fit is refused. [`Refusal::feedback`] is what to send back to the model:
//! what is wrong, what the files hold there, and what to send instead.
//!
//! ```
//! use llmpatch::{Kind, MemoryTree, Options, apply};
//!
//! let files = MemoryTree::new().with("a.txt", "two\n");
//! let response = "*** Begin Patch\n*** Update File: a.txt\n-too\n+2\n*** End Patch\n";
//! let refusal = apply("response", response, &files, &Options::default()).unwrap_err();
//! assert_eq!(refusal.errors[0].kind, Kind::LinesNotFound);
//! assert!(refusal.feedback.unwrap().contains("The whole of `a.txt` is"));
//! ```
//!
//! - [`apply()`] is the one way in. [`Options`] say how a response is read; [`Rules`] in them how
//!   exact it must be ([`Fuzz`]) and which paths it may touch.
//! - [`Applied::changes`] is a [`ChangeSet`]: a [`Change`] for every path, with what it holds
//!   before and after. Nothing is written; the caller does that, under the name that
//!   [`RepoPath::to_path`] gives, or [`ChangeSet::make_in`] for a tree in memory, or with the feature
//!   `fs` [`ChangeSet::write_in`](ChangeSet#method.write_in) for a directory.
//! - A [`Diagnostic`] is an error or a warning: its [`Kind`], its place in the response, places in
//!   files, what to do. Whatever was dropped, guessed or relaxed is a warning.
//! - Files come from a [`Tree`]: [`MemoryTree`], a function ([`tree::ReadTree`]), with the feature
//!   `fs` a directory (`fs::DirTree`), or an implementation of yours that reads from a disk, an editor's buffers or a database. Each path
//!   is read once, when an edit names it.
//!
//! # Its stages
//!
//! [`apply()`] is short. What it calls can be called one by one ([`stages`]); every stage is a plain
//! value:
//!
//! ```text
//! response ─response::parse─▶ Patch ──plan::plan──▶ ChangeSet
//! response ◀──respond::print─ Patch ◀──plan::derive── ChangeSet
//! ```
//!
//! Everything works on bytes: a file need not be UTF-8. No response makes anything here panic.

#![warn(clippy::print_stdout, clippy::print_stderr)]

#[doc(hidden)]
pub mod apply;
#[doc(hidden)]
pub mod compare;
#[doc(hidden)]
pub mod explain;
#[doc(hidden)]
pub mod format;
#[cfg(feature = "fs")]
pub mod fs;
#[doc(hidden)]
pub mod kind;
#[doc(hidden)]
pub mod leftover;
pub mod lint;
#[doc(hidden)]
pub mod message;
#[doc(hidden)]
pub mod patch;
pub mod path;
#[doc(hidden)]
pub mod pathspec;
#[doc(hidden)]
pub mod plan;
#[doc(hidden)]
pub mod progress;
pub mod report;
#[doc(hidden)]
pub mod respond;
#[doc(hidden)]
pub mod response;
mod search;
#[cfg(test)]
mod testing;
#[doc(hidden)]
pub mod text;
#[doc(hidden)]
pub mod threads;
pub mod tree;

/// What [`apply()`] calls, one by one: for programs that show or keep what is between.
pub mod stages {
    #[doc(inline)]
    pub use crate::{message, patch, plan, respond, response};
}

pub use apply::{Applied, Options, Refusal, apply};
pub use kind::Kind;
pub use patch::Format;
pub use path::RepoPath;
pub use plan::{Change, ChangeSet, Rules};
pub use report::Diagnostic;
pub use search::Fuzz;
pub use tree::{MemoryTree, Tree};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
