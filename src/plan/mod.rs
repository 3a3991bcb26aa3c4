//! [`Patch`](crate::patch::Patch) + [`Tree`](crate::tree::Tree) → [`ChangeSet`]: all matching, all conflicts, all refusals.

mod changeset;
pub mod derive;
mod hunks;
mod renames;
mod similarity;

pub use changeset::{Change, ChangeSet};
