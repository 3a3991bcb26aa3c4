//! A change of a commit's tree, made in the object database: there is no file and no index to lock,
//! and nothing to take back. Objects that no reference names change nothing, and a branch moves
//! when they are on the disk.

use git2::Oid;
use llmpatch::report::Committed;

use crate::repo::{CommitError, CommitRequest, ObjectStore, Repo, RepoError, Revision, TreeWriter};
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
        repo.check_request(request)?;
        let branch = self
            .branch
            .as_ref()
            .map(|name| repo.check_branch(name, parent))
            .transpose()?;
        Ok(Some((parent, branch.flatten())))
    }
}

/// Moves a branch to a commit that was made on a revision.
///
/// # Errors
/// `stale` if the branch has commits of its own, `unsupported` if it is checked out, `locked` if
/// another program moved it.
pub fn name(repo: &Repo, branch: &str, base: Revision, commit: &str) -> Result<(), CommitError> {
    let parent = base.commit.ok_or_else(|| CommitError::NoParent {
        id: base.to_string(),
    })?;
    let commit = repo
        .commit_id(commit)
        .ok_or_else(|| CommitError::NoParent {
            id: commit.to_owned(),
        })?;
    repo.move_branch(branch, repo.check_branch(branch, parent)?, commit)
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

/// Writes the tree that a change makes of a revision's, and what else is asked for.
///
/// # Errors
/// As [`Onto::check`]; `unchanged` if a commit would hold what its parent does; `locked` if another
/// program moved the branch. Whatever was written then is named by nothing.
pub fn store(repo: &Repo, changes: &ChangeSet, onto: &Onto) -> Result<Stored, CommitError> {
    let place = onto.place(repo)?;
    let mut objects = repo;
    let tree = write_tree(
        &TreeWriter::new(repo, onto.revision.tree),
        changes,
        &mut objects,
    )?;
    let made = match (&onto.commit, place) {
        (Some(_), _) if tree == onto.revision.tree => {
            return Err(CommitError::NothingToCommit);
        }
        (Some(request), Some((parent, old))) => {
            Some((repo.commit_tree(request, tree, parent)?, old))
        }
        _ => None,
    };
    repo.flush_objects()?;
    let commit = made.map(|(id, old)| {
        if let Some(branch) = &onto.branch {
            repo.move_branch(branch, old, id)?;
        }
        Ok::<_, CommitError>(Committed {
            branch: onto.branch.as_ref().map(|name| name.as_bytes().into()),
            ..repo.describe_commit(id)
        })
    });
    Ok(Stored {
        tree: tree.to_string(),
        commit: commit.transpose()?,
    })
}
