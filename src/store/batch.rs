//! Many changes of a commit's tree, each by itself, whose objects go into packs. The results of a
//! run are kept by one reference: to a commit that has them, and the one before it, for its parents
//! or in its tree.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use git2::{ObjectType, Oid};

use super::onto;
use crate::repo::{
    CommitError, CommitRequest, Committer, KeepingReference, Keeps, NewObjects, ObjectStore as _,
    Pack, Packing, Repo, RepoError, Revision, TreeWriter, commit, kept_pack, objects, pack,
    tree_of_trees,
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
        let committer = Committer::of(repo)?;
        Ok(CandidateKind::Commits { parent, committer })
    }
}

/// A change that is made, but not stored yet.
#[derive(Debug)]
pub struct Candidate {
    tree: Oid,
    commit: Option<Oid>,
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

    /// Makes the tree of a change, and the commit if one is wanted and the change isn't empty.
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
            tree,
            commit,
            objects,
        })
    }

    fn put(
        &mut self,
        changes: &ChangeSet,
        request: impl FnOnce() -> CommitRequest,
    ) -> Result<(Oid, Option<Oid>), CommitError> {
        let tree = onto::write_tree(&self.writer, changes, &mut self.packing)?;
        let CandidateKind::Commits { parent, committer } = &self.kind else {
            return Ok((tree, None));
        };
        // Whoever accepts a response that changes nothing is told of it otherwise.
        if changes.is_empty() {
            return Ok((tree, None));
        }
        if tree == self.top {
            return Err(CommitError::NothingToCommit);
        }
        let request = request();
        let committer = committer.as_ref().filter(|_| request.author.is_none());
        let commit = match committer {
            Some(committer) => {
                let commit = committer.commit(&request, tree, *parent).into();
                self.packing.put(ObjectType::Commit, &commit, None)?
            }
            None => {
                let objects = &mut self.packing;
                commit::make(self.repo, &request, tree, *parent, objects)?
            }
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

    /// Returns the name of its tree.
    pub fn tree(&self) -> String {
        self.tree.to_string()
    }

    /// Returns the name of its commit.
    pub fn commit(&self) -> Option<String> {
        self.commit.map(|id| id.to_string())
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
    pack::write_bundle(repo, onto, made, path)
}

/// Candidates that are to be stored together.
#[derive(Debug, Default)]
pub struct CandidatePack {
    pack: Pack,
    trees: BTreeSet<Oid>,
    commits: BTreeSet<Oid>,
}

impl CandidatePack {
    /// Adds a candidate.
    pub fn add(&mut self, candidate: Candidate) {
        match candidate.commit {
            Some(commit) => self.commits.insert(commit),
            None => self.trees.insert(candidate.tree),
        };
        self.pack.add(candidate.objects);
    }

    /// Returns whether it is large enough to be stored.
    pub fn is_full(&self) -> bool {
        self.pack.len() >= FULL
    }
}

/// The results of a run so far.
#[derive(Debug)]
pub struct Results<'r> {
    repo: &'r Repo,
    /// What keeps them: a commit, and the reference to it.
    kept: Option<(Oid, KeepingReference)>,
}

impl<'r> Results<'r> {
    /// Makes ready to store some.
    pub fn new(repo: &'r Repo) -> Self {
        Self { repo, kept: None }
    }

    /// Stores candidates, so that they can be named: no garbage collection removes them as long as
    /// `llmpatch.snapshotExpire` says.
    ///
    /// # Errors
    /// `io`, or what git says of the reference.
    pub fn store(&mut self, candidates: CandidatePack) -> Result<(), RepoError> {
        let CandidatePack {
            mut pack,
            trees,
            commits,
        } = candidates;
        if trees.is_empty() && commits.is_empty() {
            return Ok(());
        }
        let before = self.kept.as_ref().map(|(commit, _)| *commit);
        let mut packing = Packing::new(self.repo);
        let tree = packing.put(ObjectType::Tree, &tree_of_trees(trees).into(), None)?;
        let commit = keeping_commit(tree, before.into_iter().chain(commits));
        let commit = packing.put(ObjectType::Commit, &commit.into(), None)?;
        pack.add(packing.take());
        let kept = pack.store(self.repo)?;
        objects::flush(self.repo)?;
        let reference = match self.kept.take() {
            None => KeepingReference::make(self.repo, Keeps::Result, commit)?,
            Some((_, before)) => {
                KeepingReference::make_instead(self.repo, Keeps::Result, commit, before)?
            }
        };
        self.kept = Some((commit, reference));
        drop(kept);
        kept_pack::tidy(self.repo);
        Ok(())
    }
}

/// Returns the bytes of a commit that has results for its parents, or in its tree.
fn keeping_commit(tree: Oid, parents: impl Iterator<Item = Oid>) -> Vec<u8> {
    let parents: String = parents.map(|id| format!("parent {id}\n")).collect();
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let who = format!(
        "git-llmpatch <> {} +0000",
        now.unwrap_or_default().as_secs()
    );
    format!(
        "tree {tree}\n{parents}author {who}\ncommitter {who}\n\n\
         Keep results of git llmpatch batch\n"
    )
    .into_bytes()
}
