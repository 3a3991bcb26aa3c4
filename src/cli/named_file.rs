//! Files that options name to be written.
//!
//! The content of a clone is anybody's, links in it included: none that is in the work tree is
//! followed, and no name that is itself a link.

use std::fs::{File, OpenOptions};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, anyhow};

use super::error::IoError;
use crate::repo::Repo;
use crate::system::{real_path, refusing_links};
use llmpatch::text::Shown;

/// Opens a file to add to it, and makes it if it isn't there.
///
/// # Errors
/// If a symbolic link leads to it, or it is no file, or the system refuses.
pub(super) fn open(repo: &Repo, path: &Path) -> Result<File, IoError> {
    opened(
        repo,
        path,
        OpenOptions::new().read(true).append(true).create(true),
    )
}

/// Writes a file, in place of another if it exists.
///
/// # Errors
/// As [`open`].
pub(super) fn create(repo: &Repo, path: &Path) -> Result<File, IoError> {
    opened(
        repo,
        path,
        OpenOptions::new().write(true).truncate(true).create(true),
    )
}

fn opened(repo: &Repo, path: &Path, options: &mut OpenOptions) -> Result<File, IoError> {
    check(repo, path)?;
    let file = refusing_links(options).open(path);
    let file = file.with_context(|| format!("can't write `{}`", Shown::path(path)));
    let file = file.map_err(IoError::of_output)?;
    if file.metadata()?.is_file() {
        Ok(file)
    } else {
        Err(anyhow!("`{}` is no regular file", Shown::path(path)).into())
    }
}

/// Checks that no link of the work tree leads to a path, and that it isn't one.
///
/// # Errors
/// If one does, or the path has no meaning.
pub(super) fn check(repo: &Repo, path: &Path) -> Result<(), IoError> {
    let top = repo.top().ok().and_then(|top| real_path(top).ok());
    let is_in_the_work_tree = |link: &Path| {
        let directory = link.parent().and_then(|parent| real_path(parent).ok());
        top.as_ref()
            .zip(directory)
            .is_some_and(|(top, directory)| directory.starts_with(top))
    };
    let whole = std::path::absolute(path)
        .with_context(|| format!("can't write `{}`", Shown::path(path)))?;
    // Behind a slash at its end the system would follow a link.
    let whole: PathBuf = whole.components().collect();
    let is_link = |at: &&Path| at.symlink_metadata().is_ok_and(|found| found.is_symlink());
    let link = whole
        .ancestors()
        .filter(is_link)
        .find(|at| *at == whole || is_in_the_work_tree(at));
    match link {
        None => Ok(()),
        Some(link) => {
            let link = Shown::path(link);
            Err(anyhow!("`{link}` is a symbolic link, which isn't followed").into())
        }
    }
}
