//! Changes that need no work tree: trees, commits and packs in the object database.
//!
//! There is neither a lock nor a journal here, because there is nothing to take back: an object that
//! no reference names changes nothing. Objects come in packs that no garbage collection removes
//! until a branch names them, or a reference of ours, which is made before anybody is told of them.

mod batch;
mod onto;
mod snapshot;

pub(crate) use batch::CandidateKind;
pub use batch::{Candidate, CandidatePack, Candidates, Results, bundle};
pub use onto::{Onto, Stored, UnnamedCommits, name, store};
pub use snapshot::snapshot;
