//! Where the repository's own paths lead, at the end of all links, how else they may be spelled, and
//! which paths of its work tree are none of its own.
//!
//! It is found out once, when it is first needed, and stays the same for the whole run.

use std::cell::OnceCell;
use std::path::{Path, PathBuf};

use super::open::without_last_slash;
use super::{Repo, RepoError};
use crate::dir::DirectoriesWith;
use crate::system::{OsStrExt as _, real_path, slashed};
use llmpatch::path::{PathError, RepoPath};

/// What was found out.
#[derive(Default)]
pub(super) struct Real {
    top: OnceCell<Option<PathBuf>>,
    git_dir: OnceCell<PathBuf>,
    pub(super) index: OnceCell<PathBuf>,
}

/// Returns this work tree's own part of the repository, at the end of all links.
pub(crate) fn real_git_dir(repo: &Repo) -> &Path {
    repo.real.git_dir.get_or_init(|| {
        let git_dir = without_last_slash(repo.git_dir());
        real_in(repo.top.as_deref().zip(real_top(repo)), &git_dir)
    })
}

/// Returns the ways in which the top may be spelled: as libgit2 found it, without links, and as
/// the shell that we were started from calls it.
pub(super) fn spellings_of_top(repo: &Repo) -> Vec<PathBuf> {
    let Some(top) = &repo.top else {
        return Vec::new();
    };
    let mut spellings = vec![top.clone()];
    let mut add =
        |path: Option<PathBuf>| spellings.extend(path.filter(|path| !spellings.contains(path)));
    let real = real_top(repo);
    add(real.map(Path::to_owned));
    add(real.and_then(logical_top));
    spellings
}

/// Returns the repository's own directories where they lie in its work tree and aren't called
/// `.git`, as in a bare repository of dot files. A hook written there would run.
pub(super) fn own_directories_in_the_work_tree(repo: &Repo) -> Vec<RepoPath> {
    let Some(top) = real_top(repo) else {
        return Vec::new();
    };
    // Only a work tree that was added has two of them.
    let common = (repo.common_dir() != repo.git_dir())
        .then(|| real_path(repo.common_dir()).ok())
        .flatten();
    let own = [Some(real_git_dir(repo)), common.as_deref()];
    // A directory with `.git` in its name is out of reach anyway.
    own.into_iter()
        .filter_map(|own| slashed_path(own?.strip_prefix(top).ok()?))
        .collect()
}

/// Returns the current directory, if it is in the work tree and isn't its top.
pub(crate) fn here(repo: &Repo) -> Option<RepoPath> {
    let here = real_path(&std::env::current_dir().ok()?).ok()?;
    slashed_path(here.strip_prefix(real_top(repo)?).ok()?)
}

/// Returns the top, at the end of all links.
pub(super) fn real_top(repo: &Repo) -> Option<&Path> {
    repo.real
        .top
        .get_or_init(|| real_path(repo.top.as_ref()?).ok())
        .as_deref()
}

fn slashed_path(path: &Path) -> Option<RepoPath> {
    RepoPath::new(&slashed(path.as_os_str().as_bytes())).ok()
}

/// Returns where a path leads, given where a directory leads that it may be in.
pub(super) fn real_in(known: Option<(&Path, &Path)>, path: &Path) -> PathBuf {
    let real = known
        .filter(|(directory, _)| path.parent() == Some(directory))
        .map(|(_, real)| real);
    match (real, path.file_name()) {
        (Some(real), Some(name)) if !path.is_symlink() => real.join(name),
        _ => real_path(path).unwrap_or_else(|_| path.to_owned()),
    }
}

/// Returns the top as `PWD` spells it, which is what a person sees, and what a model was told.
fn logical_top(canonical: &Path) -> Option<PathBuf> {
    let logical = PathBuf::from(std::env::var_os("PWD").filter(|logical| *logical != *canonical)?);
    let physical = real_path(&logical).ok()?;
    let depth = physical.strip_prefix(canonical).ok()?.components().count();
    let top = logical.ancestors().nth(depth)?;
    (logical.is_absolute() && real_path(top).ok()? == canonical).then(|| top.to_owned())
}

/// Returns whether a change of the work tree could touch all of these paths: none lies in
/// another repository, or in an own directory of this repository.
///
/// # Errors
/// If the work tree can't be looked at.
pub(crate) fn may_all_be_touched<'p>(
    repo: &Repo,
    paths: impl Iterator<Item = &'p RepoPath>,
) -> Result<bool, RepoError> {
    let mut paths = paths.peekable();
    if paths.peek().is_none() || repo.top.is_none() {
        return Ok(true);
    }
    let repositories = DirectoriesWith::new(repo.dir()?, ".git");
    let own = own_directories_in_the_work_tree(repo);
    for path in paths {
        if own.iter().any(|own| own == path || path.is_below(own)) {
            return Ok(false);
        }
        let above = repositories.above(path).map_err(RepoError::read(path))?;
        if !above.is_empty() {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Resolves a path as git's commands do: from the current directory, if that is in the work
/// tree, else from the top.
///
/// # Errors
/// If it can't be one of this repository's.
pub(crate) fn path_from_here(
    repo: &Repo,
    here: &Path,
    named: &[u8],
) -> Result<RepoPath, PathError> {
    let here = real_path(here).ok();
    let below = here
        .zip(real_top(repo))
        .and_then(|(here, top)| Some(here.strip_prefix(top).ok()?.to_owned()));
    let below = below.as_ref().map(|below| below.as_os_str().as_bytes());
    let below = below.filter(|below| !below.is_empty()).map(slashed);
    let resolver = repo.resolver(below.as_deref())?;
    resolver.resolve(None, named)
}
