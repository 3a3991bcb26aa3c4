//! Applies the patches that language models write: exact, atomic, native to git.
//!
//! Text flows one way, and every stage is a plain value:
//!
//! ```text
//! text ──parse──▶ Patch ──plan──▶ ChangeSet ──begin──▶ Transaction ──publish──▶ Report
//!        format/         plan/               transaction/                report/
//! ```

pub mod cli;
pub mod compare;
pub mod dir;
pub mod explain;
pub mod format;
pub mod kind;
pub mod matching;
pub mod message;
pub mod patch;
pub mod path;
pub mod plan;
pub mod repo;
pub mod report;
pub mod text;
pub mod transaction;
pub mod tree;
