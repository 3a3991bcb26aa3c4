//! The program `git-llmpatch` as a library: a repository to plan for, and transactions that make a
//! change true or leave no trace.
//!
//! What reads responses and works out changes is the crate [`llmpatch`]; its front page is the
//! place to begin. Here is what needs git and files:
//!
//! ```
//! use git_llmpatch::{repo::{Repo, WorkTree}, transaction};
//! use llmpatch::{Options, apply};
//!
//! # let directory = tempfile::tempdir()?;
//! # std::fs::write(directory.path().join("a.txt"), "old\n")?;
//! # std::process::Command::new("git").arg("init").arg("-q").current_dir(&directory).status()?;
//! let repo = Repo::open_at(directory.path())?;
//! let options = Options { resolver: repo.resolver(None)?, ..Options::default() };
//! let response = "*** Begin Patch\n*** Update File: a.txt\n-old\n+new\n*** End Patch\n";
//! let applied = apply("response.txt", response, &WorkTree::new(&repo)?, &options)?;
//!
//! // Nothing has been written yet. Now all of it is, or nothing.
//! let target = transaction::Target::WorkTree { intent_to_add: false };
//! let done = transaction::begin(&repo, &applied.changes, target, Default::default(), &mut Vec::new())?.publish()?;
//! assert!(done.warnings.is_empty());
//! assert_eq!(std::fs::read_to_string(directory.path().join("a.txt"))?, "new\n");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! `docs/architecture.md` leads through both packages.

#![warn(clippy::print_stdout, clippy::print_stderr)]

pub mod cli;
pub mod dir;
mod explain;
pub mod repo;
pub mod report;
mod signal;
pub mod store;
mod system;
mod temporary;
pub mod transaction;
