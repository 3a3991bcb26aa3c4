//! git's own unified diff.
