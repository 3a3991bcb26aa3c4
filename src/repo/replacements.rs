//! What stands for an object (`git replace`): git reads another in its place, wherever it is named.
//! libgit2 knows nothing of it.

use std::collections::HashMap;
use std::fs;

use bstr::ByteSlice as _;
use git2::Oid;

use super::git::Git;
use super::objects::whole_id;
use super::{Repo, RepoError, get_or_try_init};

/// Where the names of replaced objects are.
const BASE: &str = "refs/replace/";

/// Returns what is read where an object is named.
///
/// # Errors
/// If the references can't be read.
pub(super) fn follow(repo: &Repo, id: Oid) -> Result<Oid, RepoError> {
    let replacements = all(repo)?;
    let next = |id: &Oid| replacements.get(id).copied();
    // git follows as many.
    Ok(std::iter::successors(Some(id), next)
        .take(6)
        .last()
        .unwrap_or(id))
}

/// Returns whether anything is read in the place of an object.
///
/// # Errors
/// If the references can't be read.
pub(super) fn are_there(repo: &Repo) -> Result<bool, RepoError> {
    Ok(!all(repo)?.is_empty())
}

fn all(repo: &Repo) -> Result<&HashMap<Oid, Oid>, RepoError> {
    get_or_try_init(&repo.replacements, || read_all(repo))
}

fn read_all(repo: &Repo) -> Result<HashMap<Oid, Oid>, RepoError> {
    let is_off = std::env::var_os("GIT_NO_REPLACE_OBJECTS").is_some()
        || repo.config.bool("core.useReplaceRefs")? == Some(false);
    let base = std::env::var("GIT_REPLACE_REF_BASE").unwrap_or_else(|_| BASE.into());
    // Hardly any repository has one: git is asked only where there may be.
    let may_be_there = || {
        let packed = fs::read(repo.common_dir().join("packed-refs"));
        repo.standin.is_some()
            || repo.common_dir().join(&base).is_dir()
            || packed.is_ok_and(|packed| packed.contains_str(&base))
    };
    if is_off || !may_be_there() {
        return Ok(HashMap::new());
    }
    let format = "--format=%(refname) %(objectname)";
    let said = Git::new(repo).output(["for-each-ref", format, &base], b"")?;
    let pairs = said.lines().filter_map(|line| {
        let (name, by) = line.to_str().ok()?.split_once(' ')?;
        Some((whole_id(name.strip_prefix(&base)?)?, whole_id(by)?))
    });
    Ok(pairs.collect())
}
