//! Names of revisions, and what they stand for.

use bstr::ByteSlice as _;
use git2::{ObjectType, Oid};

use super::git::Git;
use super::objects::whole_id;
use super::{Repo, RepoError, history, objects, replacements};

/// What a name stood for when it was looked up. Written out, it is a name that stands for the same
/// ever after.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Revision {
    /// The commit; `None` where the name is that of a tree.
    pub(crate) commit: Option<Oid>,
    /// The tree.
    pub(crate) tree: Oid,
}

impl std::fmt::Display for Revision {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.commit.unwrap_or(self.tree).fmt(f)
    }
}

impl Revision {
    /// Returns what a name stands for, as for `git rev-parse`.
    ///
    /// # Errors
    /// If it is no commit, and no tree.
    pub fn find(repo: &Repo, rev: &str) -> Result<Revision, RepoError> {
        let mut id = id_of(repo, rev)?;
        loop {
            let stored = replacements::follow(repo, id)?;
            let object = objects::read(repo, stored, |git| git.find_object(stored, None))?;
            match (object.kind(), object.as_tag()) {
                (Some(ObjectType::Commit), _) => {
                    let tree = history::tree(repo, id)?;
                    let commit = Some(id);
                    return Ok(Revision { commit, tree });
                }
                (Some(ObjectType::Tree), _) => {
                    return Ok(Revision {
                        commit: None,
                        tree: id,
                    });
                }
                (_, Some(tag)) => id = tag.target_id(),
                _ => return Err(RepoError::no_revision(rev)),
            }
        }
    }
}

/// Returns the commits of a range, the oldest first; with `first_parent`, only first parents.
///
/// # Errors
/// If there is none of that name.
pub(super) fn ids_in_range(
    repo: &Repo,
    named: &str,
    first_parent: bool,
) -> Result<Vec<git2::Oid>, RepoError> {
    let only = first_parent.then_some("--first-parent");
    let look = ["rev-list", "--topo-order", "--reverse"].into_iter();
    let args = look.chain(only).chain(["--end-of-options", named, "--"]);
    ids_by_git(repo, args, named)
}

/// Returns the id of the object that a name stands for.
///
/// # Errors
/// If there is none of that name.
pub(super) fn id_of(repo: &Repo, named: &str) -> Result<git2::Oid, RepoError> {
    // libgit2 takes the parent of a replaced commit for that of the commit.
    let is_for_git = repo.standin.is_some() || replacements::are_there(repo)?;
    let mut name = named.to_owned();
    if !is_for_git {
        if let Ok(object) = repo.git.revparse_single(named) {
            return Ok(object.id());
        }
        // It may be in a pack, or among packed references, that came while libgit2 looked. Of a
        // whole id git is to say whether it is there.
        name += "^{object}";
    }
    let args = ["rev-parse", "--revs-only", "--end-of-options", &name];
    match ids_by_git(repo, args.into_iter(), named)?[..] {
        [id] => Ok(id),
        _ => Err(RepoError::no_revision(named)),
    }
}

/// Returns the ids that git prints of a name; one that is left out is none.
fn ids_by_git<'a>(
    repo: &Repo,
    args: impl Iterator<Item = &'a str>,
    named: &str,
) -> Result<Vec<git2::Oid>, RepoError> {
    repo.check_objects()?;
    let no_revision = || RepoError::no_revision(named);
    let said = Git::new(repo).output(args, b"");
    let said = said.map_err(|_| no_revision())?;
    let id = |line: &[u8]| line.to_str().ok().and_then(whole_id);
    said.lines()
        .map(|line| id(line).ok_or_else(no_revision))
        .collect()
}
