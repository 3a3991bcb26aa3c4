//! A change of a commit's tree, made in the object database: there is no file and no index to lock,
//! and nothing to take back. Objects that no reference names change nothing, and a reference names
//! them when they are on the disk.

use git2::Oid;
use llmpatch::report::Committed;

use crate::repo::{
    CommitError, CommitRequest, KeepingReference, Keeps, KeptPack, ObjectStore, Pack, Packing,
    Repo, RepoError, Revision, TreeWriter, branch, commit, kept_pack, objects,
};
use llmpatch::plan::ChangeSet;

/// What a change is made of, and what is to come of it.
#[derive(Clone, Debug)]
pub struct Onto {
    /// What the change was worked out on.
    pub revision: Revision,
    /// The commit to make of it, if one is wanted.
    pub commit: Option<CommitRequest>,
    /// The branch that comes to the commit, without `refs/heads/`: it is made, or moved forward.
    pub branch: Option<String>,
}

/// What was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stored {
    /// The id of the tree.
    pub tree: String,
    /// The commit, if one was asked for.
    pub commit: Option<Committed>,
}

/// The parent of the new commit, and where the branch is.
type Place = (Oid, Option<Oid>);

impl Onto {
    /// Refuses what the repository wouldn't take, whatever the change is; writes nothing.
    ///
    /// # Errors
    /// `identity`, `unsupported`, `stale`, `io`.
    pub fn check(&self, repo: &Repo) -> Result<(), CommitError> {
        self.place(repo).map(drop)
    }

    fn place(&self, repo: &Repo) -> Result<Option<Place>, CommitError> {
        let Some(request) = &self.commit else {
            return Ok(None);
        };
        let id = || self.revision.to_string();
        let parent = self
            .revision
            .commit
            .ok_or_else(|| CommitError::NoParent { id: id() })?;
        commit::check_request(repo, request)?;
        let branch = self
            .branch
            .as_ref()
            .map(|name| branch::check(repo, name, parent))
            .transpose()?;
        Ok(Some((parent, branch.flatten())))
    }
}

/// Names a commit that was made on a revision: moves a branch to it, or else keeps it from garbage
/// collection.
///
/// # Errors
/// `stale` if the branch has commits of its own, `unsupported` if it is checked out, `locked` if
/// another program moved it.
pub fn name(
    repo: &Repo,
    branch: Option<&str>,
    base: Revision,
    commit: &str,
) -> Result<(), CommitError> {
    let missing = |id| CommitError::NoParent { id };
    let parent = base.commit.ok_or_else(|| missing(base.to_string()))?;
    let found = objects::whole_id(commit);
    let commit = found.ok_or_else(|| missing(commit.to_owned()))?;
    match branch {
        Some(branch) => {
            branch::advance(repo, branch, branch::check(repo, branch, parent)?, commit)?
        }
        None => drop(KeepingReference::make(repo, Keeps::Result, commit)?),
    }
    kept_pack::tidy(repo);
    Ok(())
}

/// Stores the tree that a change makes of another.
pub(super) fn write_tree(
    writer: &TreeWriter<'_>,
    changes: &ChangeSet,
    store: &mut dyn ObjectStore,
) -> Result<Oid, RepoError> {
    let mut leaves = Vec::with_capacity(changes.len());
    for change in changes.iter() {
        let blob = change.after.as_ref();
        let blob = blob
            .map(|after| writer.write_blob(&change.path, change.before.as_ref(), after, store))
            .transpose()?;
        leaves.push((&change.path, blob));
    }
    writer.write(&leaves, store)
}

/// Writes the tree that a change makes of a revision's, and what else is asked for. A reference
/// keeps what is named by no branch.
///
/// # Errors
/// As [`Onto::check`]; `unchanged` if a commit would hold what its parent does; `locked` if another
/// program moved the branch. Whatever was written then is named by nothing.
pub fn store(repo: &Repo, changes: &ChangeSet, onto: &Onto) -> Result<Stored, CommitError> {
    let place = onto.place(repo)?;
    let (made, kept) = write(repo, changes, onto)?;
    match (made.commit, &onto.branch) {
        (Some(id), Some(branch)) => {
            branch::advance(repo, branch, place.and_then(|(_, old)| old), id)?;
        }
        _ if made.tree == onto.revision.tree => {}
        (commit, _) => drop(KeepingReference::make(
            repo,
            Keeps::Result,
            commit.unwrap_or(made.tree),
        )?),
    }
    drop(kept);
    kept_pack::tidy(repo);
    Ok(made.stored(repo, onto.branch.as_ref()))
}

/// Commits that nothing names yet. Until this is dropped, no garbage collection removes them.
#[derive(Debug, Default)]
pub struct UnnamedCommits {
    /// Their names, in the order in which they were made.
    pub ids: Vec<String>,
    packs: Vec<KeptPack>,
}

impl UnnamedCommits {
    /// Adds the commit that a change makes of a revision.
    ///
    /// # Errors
    /// As [`store`].
    pub fn add(
        &mut self,
        repo: &Repo,
        changes: &ChangeSet,
        onto: &Onto,
    ) -> Result<Stored, CommitError> {
        let (made, kept) = write(repo, changes, onto)?;
        self.packs.push(kept);
        let stored = made.stored(repo, None);
        let id = stored.commit.as_ref().map(|commit| commit.id.clone());
        self.ids.extend(id);
        Ok(stored)
    }
}

/// The tree of a change, and its commit if one was asked for.
struct Made {
    tree: Oid,
    commit: Option<Oid>,
}

impl Made {
    fn stored(self, repo: &Repo, branch: Option<&String>) -> Stored {
        let commit = self.commit.map(|id| Committed {
            branch: branch.map(|name| name.as_bytes().into()),
            ..commit::describe(repo, id)
        });
        let tree = self.tree.to_string();
        Stored { tree, commit }
    }
}

/// Puts the objects of a change on the disk.
fn write(repo: &Repo, changes: &ChangeSet, onto: &Onto) -> Result<(Made, KeptPack), CommitError> {
    let top = onto.revision.tree;
    let mut objects = Packing::without_deltas(repo);
    let tree = write_tree(&TreeWriter::new(repo, top), changes, &mut objects)?;
    let commit = match (&onto.commit, onto.revision.commit) {
        (Some(_), _) if tree == top => return Err(CommitError::NothingToCommit),
        (Some(request), Some(parent)) => {
            Some(commit::make(repo, request, tree, parent, &mut objects)?)
        }
        _ => None,
    };
    let mut pack = Pack::default();
    pack.add(objects.take());
    let kept = pack.store(repo)?;
    objects::flush(repo)?;
    Ok((Made { tree, commit }, kept))
}
