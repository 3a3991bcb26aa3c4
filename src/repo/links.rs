//! Where the repository's own paths lead, at the end of all links, and how else they may be
//! spelled.
//!
//! It is found out once, when it is first needed, and stays the same for the whole run.

use std::cell::OnceCell;
use std::path::{Path, PathBuf};

use super::Repo;
use super::open::without_last_slash;
use crate::system::{OsStrExt as _, real_path, slashed};
use llmpatch::path::RepoPath;

/// What was found out.
#[derive(Default)]
pub(super) struct Real {
    top: OnceCell<Option<PathBuf>>,
    git_dir: OnceCell<PathBuf>,
    index: OnceCell<PathBuf>,
}

impl Repo {
    /// Returns this work tree's own part of the repository, at the end of all links.
    pub(crate) fn real_git_dir(&self) -> &Path {
        self.real.git_dir.get_or_init(|| {
            let git_dir = without_last_slash(self.git_dir());
            real_in(self.top.as_deref().zip(self.real_top()), &git_dir)
        })
    }

    /// Returns the file of the index in use, whether or not it is there, at the end of all links.
    pub fn index_path(&self) -> &Path {
        self.real.index.get_or_init(|| {
            real_in(
                Some((self.git_dir(), self.real_git_dir())),
                &self.index_path,
            )
        })
    }

    /// Returns the ways in which the top may be spelled: as libgit2 found it, without links, and as
    /// the shell that we were started from calls it.
    pub(super) fn spellings_of_top(&self) -> Vec<PathBuf> {
        let Some(top) = &self.top else {
            return Vec::new();
        };
        let mut spellings = vec![top.clone()];
        let mut add =
            |path: Option<PathBuf>| spellings.extend(path.filter(|path| !spellings.contains(path)));
        let real = self.real_top();
        add(real.map(Path::to_owned));
        add(real.and_then(logical_top));
        spellings
    }

    /// Returns the repository's own directories where they lie in its work tree and aren't called
    /// `.git`, as in a bare repository of dot files. A hook written there would run.
    pub(super) fn own_directories_in_the_work_tree(&self) -> Vec<RepoPath> {
        let Some(top) = self.real_top() else {
            return Vec::new();
        };
        // Only a work tree that was added has two of them.
        let common = (self.common_dir() != self.git_dir())
            .then(|| real_path(self.common_dir()).ok())
            .flatten();
        let own = [Some(self.real_git_dir()), common.as_deref()];
        // A directory with `.git` in its name is out of reach anyway.
        own.into_iter()
            .filter_map(|own| slashed_path(own?.strip_prefix(top).ok()?))
            .collect()
    }

    /// Returns the current directory, if it is in the work tree and isn't its top.
    pub(crate) fn here(&self) -> Option<RepoPath> {
        let here = real_path(&std::env::current_dir().ok()?).ok()?;
        slashed_path(here.strip_prefix(self.real_top()?).ok()?)
    }

    /// Returns the top, at the end of all links.
    pub(super) fn real_top(&self) -> Option<&Path> {
        self.real
            .top
            .get_or_init(|| real_path(self.top.as_ref()?).ok())
            .as_deref()
    }
}

fn slashed_path(path: &Path) -> Option<RepoPath> {
    RepoPath::new(&slashed(path.as_os_str().as_bytes())).ok()
}

/// Returns where a path leads, given where a directory leads that it may be in.
fn real_in(known: Option<(&Path, &Path)>, path: &Path) -> PathBuf {
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
