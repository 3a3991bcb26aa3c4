use bstr::{BString, ByteSlice as _};

use crate::text::Shown;

/// A commit that was made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Committed {
    /// Its name, in full.
    pub id: String,
    /// Its name as git abbreviates it here.
    pub short_id: String,
    /// The name of its tree, if it can be read.
    pub tree: Option<String>,
    /// The branch that it is on, without `refs/heads/`; `None` where HEAD is detached.
    pub branch: Option<BString>,
    /// The first line of its message.
    pub summary: BString,
    /// Whether it has no parent.
    pub root: bool,
    /// How much it changes, where that isn't what was asked for since a hook had a hand in it.
    pub extent: Option<Extent>,
}

impl std::fmt::Display for Committed {
    /// Writes it as `git commit` does: `[main abc1234] subject`. What isn't UTF-8 is a question
    /// mark in a diamond.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let branch = self
            .branch
            .as_ref()
            .map_or("detached HEAD".into(), |branch| branch.to_str_lossy());
        let root = if self.root { " (root-commit)" } else { "" };
        let summary = self.summary.to_str_lossy();
        write!(
            f,
            "[{}{root} {}] {}",
            Shown(branch.as_bytes()),
            self.short_id,
            Shown(summary.as_bytes())
        )
    }
}

/// How much a commit changes, as git counts it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// How many files; a renamed file counts once.
    pub files: usize,
    /// How many lines come.
    pub added: usize,
    /// How many go.
    pub removed: usize,
}
