//! [`Patch`](crate::patch::Patch) + [`Tree`](crate::tree::Tree) → [`ChangeSet`]: all matching, all conflicts, all refusals.

mod changeset;

pub use changeset::{Change, ChangeSet};
