//! The index in use, and any other: what has been read is kept as long as its file holds the same.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use super::git::{Git, temporary};
use super::index_file::{Fingerprint, IndexFile};
use super::shape::IndexExtras;
use super::{Repo, RepoError};
use llmpatch::path::RepoPath;

/// Returns the index in use.
///
/// # Errors
/// If it can't be read.
pub(super) fn read(repo: &Repo) -> Result<IndexFile, RepoError> {
    read_with_shape(repo).map(|(index, _)| index)
}

/// Returns the index in use, and which shape it has. It is read once, as long as its file holds
/// the same.
///
/// # Errors
/// If it can't be read.
pub(super) fn read_with_shape(repo: &Repo) -> Result<(IndexFile, IndexExtras), RepoError> {
    let file = repo.index_path();
    let now = Fingerprint::of(file, repo.git.object_format()).map_err(RepoError::read(file))?;
    if let Some((then, index, shape)) = &*repo.index.borrow()
        && now.as_ref() == Some(then)
    {
        return Ok((index.clone(), *shape));
    }
    let (index, shape) = read_at(repo, file)?;
    *repo.index.borrow_mut() = now.map(|now| (now, index.clone(), shape));
    Ok((index, shape))
}

/// Returns whether bytes are an index, whatever its shape.
pub(crate) fn is_one(repo: &Repo, bytes: &[u8]) -> bool {
    IndexFile::is_one(bytes, repo.git.object_format())
}

/// Returns mode and blob of a path, as [`entries_at`] does.
///
/// # Errors
/// If the index can't be read.
pub(super) fn entry_at(
    repo: &Repo,
    path: &RepoPath,
) -> Result<Option<(u32, git2::Oid)>, RepoError> {
    Ok(entries_at(repo, std::slice::from_ref(path))?.remove(path))
}

/// Returns mode and blob of each path that has an entry and is in no merge; outside of a
/// repository no path has.
///
/// # Errors
/// If the index can't be read.
pub(super) fn entries_at(
    repo: &Repo,
    paths: &[RepoPath],
) -> Result<BTreeMap<RepoPath, (u32, git2::Oid)>, RepoError> {
    if paths.is_empty() || repo.top_without_repository().is_some() {
        return Ok(BTreeMap::new());
    }
    let index = read(repo)?;
    let entries = paths.iter().filter_map(|path| {
        let entry = index.get(path.as_bytes(), 0)?;
        Some((path.clone(), (entry.mode(), entry.id())))
    });
    Ok(entries.collect())
}

/// Reads an index, and which shape it has; an empty index where there is no file.
///
/// # Errors
/// If neither we nor git can read it.
pub(super) fn read_at(repo: &Repo, file: &Path) -> Result<(IndexFile, IndexExtras), RepoError> {
    repo.check_objects()?;
    let format = repo.git.object_format();
    let failed = RepoError::read(file);
    let index = IndexFile::read(file, format).map_err(failed)?;
    let shape = index.shape();
    if !shape.is_odd() {
        return Ok((index, shape));
    }
    let directory = temporary()?;
    let bytes = fs::read(file).map_err(failed)?;
    let copy = directory.write("index", &bytes).map_err(failed)?;
    IndexExtras::flatten(&Git::new(repo), &copy)?;
    Ok((IndexFile::read(&copy, format).map_err(failed)?, shape))
}
