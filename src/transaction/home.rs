//! The directory in the git directory that holds all journals of a user, `llmpatch`, and what is
//! kept for undo.
//!
//! A repository that several users share has one for each. Nobody's but one's own is used.

use crate::dir::SystemPath as _;
use std::io;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use super::error::{TransactionError, Unfit, Why};
use super::journal::plain;
use crate::dir::Dir;
use crate::repo::Repo;
use crate::system::{is_link, user};
use llmpatch::path::RepoPath;
use llmpatch::text::SystemError;

/// A directory of journals. A repository that several users share has one for each.
#[derive(Debug)]
pub(super) struct Home {
    git: Rc<Dir>,
    pub(super) dir: Dir,
    name: RepoPath,
    path: PathBuf,
}

impl Home {
    /// Returns the name of the directory that this user's new journals are in.
    fn name_of(repo: &Repo) -> RepoPath {
        if repo.is_shared() {
            Self::own_name(user())
        } else {
            plain("llmpatch")
        }
    }

    fn own_name(user: u32) -> RepoPath {
        plain(&format!("llmpatch-{user}"))
    }

    fn open(repo: &Repo, name: RepoPath, user: u32) -> Result<Option<Self>, Unfit> {
        let path = repo.git_dir().join(name.as_path());
        let opened = match repo.own_dir() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => Err(Why::of(&error)),
            Ok(git) => open_own(&git, &name, user).map(|dir| (git, dir)),
        };
        match opened {
            Ok((git, dir)) => Ok(dir.map(|dir| Self {
                git,
                dir,
                name,
                path,
            })),
            Err(why) => Err(Unfit {
                directory: path,
                why,
            }),
        }
    }

    /// Returns the directories that are there.
    ///
    /// # Errors
    /// If one of them isn't this user's.
    pub(super) fn all(repo: &Repo) -> Result<Vec<Rc<Self>>, Unfit> {
        let mut all = Vec::new();
        let user = user();
        for name in [plain("llmpatch"), Self::own_name(user)] {
            match Self::open(repo, name, user) {
                // Another's, who shares the repository, is none of ours.
                Err(Unfit {
                    why: Why::Foreign, ..
                }) if repo.is_shared() => {}
                found => all.extend(found?.map(Rc::new)),
            }
        }
        Ok(all)
    }

    /// Returns the directory of new journals, if it is there.
    pub(super) fn current(repo: &Repo) -> Result<Option<Self>, Unfit> {
        Self::open(repo, Self::name_of(repo), user())
    }

    /// Makes it, if it isn't there.
    pub(super) fn make(repo: &Repo) -> Result<Self, TransactionError> {
        let name = Self::name_of(repo);
        let io = |source| TransactionError::no_journal(repo, source);
        match repo
            .own_dir()
            .and_then(|git| git.make_directory(&name, 0o700))
        {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(io(error)),
            _ => {}
        }
        let home = Self::current(repo)?.ok_or_else(|| io(io::ErrorKind::NotFound.into()))?;
        if home.dir.stat().map_err(io)?.bits & 0o077 != 0 {
            home.git.set_directory_bits(&home.name, 0o700).map_err(io)?;
        }
        Ok(home)
    }

    /// Returns the names of all runs that are there.
    ///
    /// # Errors
    /// If they can't be listed.
    pub(super) fn runs(&self) -> Result<Vec<RepoPath>, Unfit> {
        let names = self
            .dir
            .list(None)
            .map_err(|error| Unfit {
                directory: self.path.clone(),
                why: Why::of(&error),
            })?
            .into_iter()
            .map(|(name, _)| name);
        let mut runs: Vec<_> = names.filter_map(|name| RepoPath::new(&name).ok()).collect();
        runs.retain(|name| number(name).is_some());
        runs.sort();
        Ok(runs)
    }

    /// Returns where it is.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Removes it, if nothing is in it.
    pub(super) fn tidy(&self) {
        let _ = self.git.remove_empty(&self.name);
    }
}

/// Opens a directory that must be this user's.
pub(super) fn open_own(above: &Dir, name: &RepoPath, user: u32) -> Result<Option<Dir>, Why> {
    let owned = above
        .beneath(name)
        .and_then(|dir| Ok((dir.stat()?.owner, dir)));
    match owned {
        Ok((owner, dir)) if owner == user => Ok(Some(dir)),
        Ok(_) => Err(Why::Foreign),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Why::of(&error)),
    }
}

impl Why {
    /// Returns why something of a journal can't be read: it is none, or the system refuses.
    pub(super) fn of(error: &io::Error) -> Self {
        let is_elsewhere = matches!(
            error.kind(),
            io::ErrorKind::NotADirectory | io::ErrorKind::CrossesDevices
        );
        match is_elsewhere || is_link(error) {
            true => Why::Broken,
            false => Why::Unreadable {
                message: SystemError(error).to_string(),
            },
        }
    }
}

/// Returns the number of a run that has this name.
pub(super) fn number(name: &RepoPath) -> Option<u64> {
    let name = std::str::from_utf8(name.as_bytes())
        .ok()
        .filter(|name| name.len() == 16)?;
    u64::from_str_radix(name, 16)
        .ok()
        .filter(|number| format!("{number:016x}") == name)
}
