//! Changes that need no work tree: trees, commits and packs in the object database.
//!
//! There is neither a lock nor a journal here, because there is nothing to take back: an object that
//! no reference names changes nothing. Only a branch of `--branch` and the references that keep
//! snapshots move, and each of them does so when its objects are on the disk.

mod batch;
mod onto;
mod snapshot;

pub(crate) use batch::CandidateKind;
pub use batch::{Candidate, CandidatePack, Candidates, bundle, remove_dead_packs};
pub use onto::{Onto, Stored, name, store};
pub use snapshot::snapshot;
