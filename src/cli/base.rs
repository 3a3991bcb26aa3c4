use super::error::Failure;
use super::options;
use crate::repo::{self, Repo, Side};
use llmpatch::tree::Tree;

/// Who says which tree responses are about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum About {
    /// The base is this, whatever a response says.
    Asked(String),
    /// The base is the commit that review comments were written for, or that a response names.
    Auto,
    /// Each response names its base, or else it is this, if it is given.
    Open(Option<String>),
    /// None: they are about what is to change.
    Nothing,
}

/// The state of the files that a change is worked out against.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Base {
    /// The work tree.
    WorkTree,
    /// The index.
    Index,
    /// The work tree, where it agrees with the index, or with index and HEAD.
    Agreeing(repo::Against),
    /// A commit.
    Revision(String),
}

impl Base {
    /// Parses the options of the commands that only read.
    pub(super) fn of(against: &options::Against) -> Self {
        match (&against.onto, against.cached) {
            (Some(rev), _) => Base::Revision(rev.clone()),
            (None, true) => Base::Index,
            (None, false) => Base::WorkTree,
        }
    }

    /// Opens the tree of this state.
    ///
    /// # Errors
    /// If the repository doesn't have it, or refuses to open it.
    pub(super) fn tree<'r>(&self, repo: &'r Repo) -> Result<Box<dyn Tree + 'r>, Failure> {
        Ok(match self {
            Base::WorkTree => Box::new(repo.work_tree()?),
            Base::Index => Box::new(repo.index_tree()?),
            Base::Agreeing(against) => Box::new(repo.agreeing_tree(*against)?),
            Base::Revision(rev) => Box::new(repo.revision_tree(rev)?),
        })
    }

    /// Returns the revision whose history led to it.
    pub(super) fn tip(&self) -> &str {
        if let Base::Revision(rev) = self {
            rev
        } else {
            "HEAD"
        }
    }

    /// Returns what its files hold: bytes as on disk, or as git stores them.
    pub(super) fn side(&self) -> Side {
        match self {
            Base::WorkTree | Base::Agreeing(_) => Side::WorkTree,
            Base::Index | Base::Revision(_) => Side::Blobs,
        }
    }
}
