//! What of a change an envelope, OPX or blocks can't say, or only at a price.

use bstr::BString;

use crate::patch::{Patch, Unrepresentable};
use crate::text::Shown;

/// What was derived of a change: all of it, or what the format can say of it and what it can't.
#[derive(Clone, Debug)]
#[must_use = "a patch that doesn't say all of a change isn't that change"]
pub struct Derived<'c> {
    /// What can be said. If anything can't, it is good for finding out what else can't and for
    /// nothing else.
    pub patch: Patch<'c>,
    /// Every file of which the format can't say what becomes of it.
    pub unrepresentable: Vec<Unrepresentable>,
}

/// An existing file of which a response gives all of the content, since no part of it can say the
/// change.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{}` is replaced whole: whatever else was changed in it before this is applied will be lost",
    Shown(path)
)]
pub struct Replaced {
    /// The file.
    pub path: BString,
}
