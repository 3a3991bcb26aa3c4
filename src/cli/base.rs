use std::collections::BTreeMap;

use super::error::{CliError, Failure, failed};
use super::options;
use crate::repo::{
    self, AgreeingTree, IndexTree, Repo, RepoError, Revision, RevisionTree, Side, WorkTree,
};
use llmpatch::apply::Responses;
use llmpatch::patch::Patch;
use llmpatch::report::Diagnostic;
use llmpatch::text::{Located, Source};
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

impl About {
    /// Returns the full id of the commit or tree that responses are about, if an option, a setting
    /// or a response names one.
    ///
    /// # Errors
    /// If it doesn't exist, or the responses name several.
    pub(super) fn of(
        &self,
        responses: &Responses<'_>,
        sources: &[Source],
        repo: &Repo,
    ) -> Result<Option<String>, Failure> {
        let refused = |error: &Located<_>| failed(Diagnostic::all([error], sources));
        let (rev, span) = match (self, &responses.bases[..]) {
            (About::Asked(rev), _) | (About::Open(Some(rev)), []) => (rev.clone(), None),
            (About::Auto, []) => (commented(&responses.patches)?, None),
            (About::Open(_) | About::Auto, [first, others @ ..]) => {
                if let Some(other) = others.iter().find(|other| other.value != first.value) {
                    let error = CliError::TwoBases {
                        first: first.value.clone(),
                        second: other.value.clone(),
                    };
                    return Err(refused(&Located::new(other.span, error)));
                }
                (first.value.to_string(), first.span)
            }
            _ => return Ok(None),
        };
        match Revision::find(repo, &rev) {
            Ok(revision) => Ok(Some(revision.to_string())),
            Err(RepoError::NoRevision { rev }) if span.is_some() || *self == About::Auto => {
                Err(refused(&Located::new(span, CliError::UnknownBase { rev })))
            }
            Err(RepoError::NoRevision { rev }) if matches!(self, About::Open(_)) => {
                Err(Failure::from(RepoError::Setting {
                    key: "llmpatch.base".to_owned(),
                    value: rev.into(),
                    wanted: "the name of a commit or tree here",
                }))
            }
            Err(error) => Err(error.into()),
        }
    }
}

/// Returns the commit that review comments were written for.
///
/// # Errors
/// If there is none, or if there are several.
fn commented(patches: &[Patch<'_>]) -> Result<String, CliError> {
    let mut commits: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let records = patches.iter().flat_map(|patch| &patch.edits);
    let comments = records.filter_map(|edit| edit.record.as_ref()?.comment.as_ref());
    for (commit, ids) in comments.flat_map(|comment| &comment.commits) {
        let known = commits.entry(commit.clone()).or_default();
        known.extend(ids.iter().cloned());
    }
    match commits.len() {
        0 => Err(CliError::NoCommentedCommit),
        1 => Ok(commits.into_keys().collect()),
        _ => Err(CliError::SeveralCommits { commits }),
    }
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
            Base::WorkTree => Box::new(WorkTree::new(repo)?),
            Base::Index => Box::new(IndexTree::new(repo)?),
            Base::Agreeing(against) => Box::new(AgreeingTree::new(repo, *against)?),
            Base::Revision(rev) => Box::new(RevisionTree::new(repo, rev)?),
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
