//! library
pub mod apply;
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

pub use apply::{Applied, Options, Refusal, apply};
pub use kind::Kind;
pub use patch::Format;
pub use path::{RepoPath, Resolver};
pub use plan::{Change, ChangeSet, Rules};
pub use report::Diagnostic;
pub use search::Fuzz;
pub use tree::{Entry, File, MemoryTree, Mode, Tree};
