//! Many changes of a commit's tree, each by itself, whose objects go into packs: nothing names what
//! is written but the response to the line, which is given once it is on the disk.

use std::collections::BTreeSet;
use std::path::Path;

use git2::{ObjectType, Oid};

use super::onto;
use crate::repo::{
    CommitError, CommitRequest, Committer, NewObjects, ObjectStore as _, Pack, Packing, Repo,
    RepoError, Revision, TreeWriter,
};
use llmpatch::plan::ChangeSet;

/// How many bytes of new objects a pack has at most, but for the last change that is put into it
/// and what its deltas are of.
const FULL: usize = 32 << 20;

/// What makes candidates: trees, or commits, of changes to one revision.
pub struct Candidates<'r> {
    repo: &'r Repo,
    top: Oid,
    writer: TreeWriter<'r>,
    packing: Packing,
    kind: CandidateKind,
}

/// What candidates are to be.
#[derive(Clone, Debug)]
pub(crate) enum CandidateKind {
    Trees,
    Commits {
        parent: Oid,
        /// Who makes them, if git needn't.
        committer: Option<Committer>,
    },
}

impl CandidateKind {
    /// Returns the kind that is made of changes of a revision. Of commits, git is asked who makes
    /// them.
    ///
    /// # Errors
    /// With `commits`: `identity`, or if the revision is no commit.
    pub(crate) fn of(repo: &Repo, revision: &Revision, commits: bool) -> Result<Self, CommitError> {
        if !commits {
            return Ok(CandidateKind::Trees);
        }
        let parent = revision.commit.ok_or_else(|| CommitError::NoParent {
            id: revision.to_string(),
        })?;
        let committer = repo.committer()?;
        Ok(CandidateKind::Commits { parent, committer })
    }
}

/// A change that is made, but not stored yet.
#[derive(Debug)]
pub struct Candidate {
    /// The name of its tree.
    pub tree: String,
    /// The name of its commit.
    pub commit: Option<String>,
    objects: NewObjects,
}

impl<'r> Candidates<'r> {
    /// Makes ready for changes of a revision.
    pub(crate) fn new(repo: &'r Repo, revision: &Revision, kind: CandidateKind) -> Self {
        Self {
            repo,
            top: revision.tree,
            writer: TreeWriter::new(repo, revision.tree),
            packing: Packing::new(repo),
            kind,
        }
    }

    /// Makes the tree of a change, and the commit if one is wanted.
    ///
    /// # Errors
    /// `unchanged` if a commit would hold what its parent does; `io`, or what git says.
    pub fn make(
        &mut self,
        changes: &ChangeSet,
        request: impl FnOnce() -> CommitRequest,
    ) -> Result<Candidate, CommitError> {
        let made = self.put(changes, request);
        // What a failure leaves belongs to no candidate.
        let objects = self.packing.take();
        let (tree, commit) = made?;
        Ok(Candidate {
            tree: tree.to_string(),
            commit: commit.map(|id| id.to_string()),
            objects,
        })
    }

    fn put(
        &mut self,
        changes: &ChangeSet,
        request: impl FnOnce() -> CommitRequest,
    ) -> Result<(Oid, Option<Oid>), CommitError> {
        let CandidateKind::Commits { parent, committer } = &self.kind else {
            return Ok((
                onto::write_tree(&self.writer, changes, &mut self.packing)?,
                None,
            ));
        };
        let request = request();
        let committer = committer.as_ref().filter(|_| request.author.is_none());
        let mut loose = self.repo;
        let tree = match committer {
            Some(_) => onto::write_tree(&self.writer, changes, &mut self.packing)?,
            // git looks for it.
            None => onto::write_tree(&self.writer, changes, &mut loose)?,
        };
        if tree == self.top {
            return Err(CommitError::NothingToCommit);
        }
        let commit = match committer {
            Some(committer) => {
                let commit = committer.commit(&request, tree, *parent).into();
                self.packing.put(ObjectType::Commit, &commit, None)?
            }
            None => self.repo.commit_tree(&request, tree, *parent)?,
        };
        Ok((tree, Some(commit)))
    }
}

impl std::fmt::Debug for Candidates<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Candidates")
            .field("top", &self.top)
            .finish_non_exhaustive()
    }
}

impl Candidate {
    /// Returns about how many bytes its objects have.
    pub fn weight(&self) -> usize {
        self.objects.len()
    }
}

/// Writes a bundle of trees or commits, each under a reference of its own name, for whoever has the
/// revision that they were made of.
///
/// # Errors
/// `io`, or what git says.
pub fn bundle(
    repo: &Repo,
    onto: &Revision,
    made: &BTreeSet<String>,
    path: &Path,
) -> Result<(), RepoError> {
    repo.write_bundle(onto, made, path)
}

/// Removes what runs that were killed left of packs.
pub fn remove_dead_packs(repo: &Repo) {
    repo.remove_dead_packs();
}

/// Candidates that are to be stored together.
#[derive(Debug, Default)]
pub struct CandidatePack(Pack);

impl CandidatePack {
    /// Adds a candidate.
    pub fn add(&mut self, candidate: Candidate) {
        self.0.add(candidate.objects);
    }

    /// Returns whether it is large enough to be stored.
    pub fn is_full(&self) -> bool {
        self.0.len() >= FULL
    }

    /// Stores all of them, so that they can be named.
    ///
    /// # Errors
    /// `io`
    pub fn store(self, repo: &Repo) -> Result<(), RepoError> {
        self.0.write(repo)?;
        repo.flush_objects()
    }
}
