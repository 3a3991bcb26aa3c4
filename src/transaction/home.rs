//! The directory in the git directory that holds all journals of a user, `llmpatch`, and what is
//! kept for undo.
//!
//! Where that is another user's, and in a repository that several users share, it has the user's
//! number in its name. Nobody's but one's own is used.

use crate::dir::SystemPath as _;
use std::io;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use super::error::{TransactionError, Unfit, Why};
use super::journal::plain;
use super::lock::is_held;
use super::recover::Owner;
use crate::dir::{Dir, Found};
use crate::repo::{Repo, shared};
use crate::system::{is_link, user};
use llmpatch::path::RepoPath;
use llmpatch::text::SystemError;

/// A directory of journals of this user.
#[derive(Debug)]
pub(super) struct Home {
    git: Rc<Dir>,
    pub(super) dir: Dir,
    name: RepoPath,
    path: PathBuf,
}

/// All directories of journals.
#[derive(Debug, Default)]
pub(super) struct Homes {
    /// Those of this user.
    pub(super) own: Vec<Rc<Home>>,
    /// The journals of other users' interrupted changes, as far as this user may see them.
    pub(super) interrupted: Vec<Unfit>,
}

impl Home {
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
    /// If one of them can't be looked at.
    pub(super) fn all(repo: &Repo) -> Result<Homes, Unfit> {
        let mut all = Homes::default();
        let user = user();
        for name in [plain("llmpatch"), Self::own_name(user)] {
            match Self::open(repo, name.clone(), user) {
                Err(Unfit {
                    why: Why::Foreign(owner),
                    directory,
                }) => all
                    .interrupted
                    .extend(interrupted_of_another(repo, &name, &directory, owner)),
                found => all.own.extend(found?.map(Rc::new)),
            }
        }
        Ok(all)
    }

    /// Returns the directory of new journals, if it is there.
    pub(super) fn current(repo: &Repo) -> Result<Option<Self>, Unfit> {
        Ok(Self::named(repo)?.1)
    }

    /// Returns the name of the directory of new journals, and the directory if it is there. Once a
    /// user has a directory with the user's number, it stays the one, so that undo finds all that
    /// is kept.
    fn named(repo: &Repo) -> Result<(RepoPath, Option<Self>), Unfit> {
        let user = user();
        let own = Self::own_name(user);
        let found = Self::open(repo, own.clone(), user).map_err(|unfit| match unfit.why {
            Why::Foreign(_) => Unfit {
                why: Why::Misnamed,
                ..unfit
            },
            _ => unfit,
        })?;
        if found.is_some() || shared::is_on(repo) {
            return Ok((own, found));
        }
        let common = plain("llmpatch");
        match Self::open(repo, common.clone(), user) {
            Err(Unfit {
                why: Why::Foreign(_),
                ..
            }) => Ok((own, None)),
            found => Ok((common, found?)),
        }
    }

    /// Makes it, if it isn't there.
    pub(super) fn make(repo: &Repo) -> Result<Self, TransactionError> {
        let io = |source| TransactionError::no_journal(repo, source);
        let (name, _) = Self::named(repo)?;
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
        runs_in(&self.dir).map_err(|error| Unfit {
            directory: self.path.clone(),
            why: Why::of(&error),
        })
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

fn runs_in(home: &Dir) -> io::Result<Vec<RepoPath>> {
    let names = home.list(None)?.into_iter().map(|(name, _)| name);
    let mut runs: Vec<_> = names.filter_map(|name| RepoPath::new(&name).ok()).collect();
    runs.retain(|name| number(name).is_some());
    runs.sort();
    Ok(runs)
}

/// Names the journals of interrupted changes in a directory of another user. What this user may not
/// look at has none; the lock of the index tells of it. Nothing in a journal is read.
fn interrupted_of_another(repo: &Repo, name: &RepoPath, path: &Path, owner: Owner) -> Vec<Unfit> {
    let opened = repo.own_dir().and_then(|git| git.beneath(name));
    let Ok(home) = opened else { return Vec::new() };
    let mut runs = runs_in(&home).unwrap_or_default();
    runs.retain(|run| is_interrupted(&home, run));
    runs.iter()
        .map(|run| Unfit {
            directory: path.join(run.as_path()),
            why: Why::Foreign(owner),
        })
        .collect()
}

/// Returns whether a run has begun a change that isn't finished, and doesn't live.
fn is_interrupted(home: &Dir, run: &RepoPath) -> bool {
    let Ok(run) = home.beneath(run) else {
        return false;
    };
    let is_unfinished = matches!(run.look(&plain("manifest")), Ok(Found::File(_)));
    let lives = || match run.open_file(&plain("stamp")) {
        Ok(Some((stamp, _))) => is_held(&stamp),
        _ => false,
    };
    is_unfinished && !lives()
}

/// Opens a directory that must be this user's.
pub(super) fn open_own(above: &Dir, name: &RepoPath, user: u32) -> Result<Option<Dir>, Why> {
    let owned = above
        .beneath(name)
        .and_then(|dir| Ok((dir.stat()?.owner, dir)));
    match owned {
        Ok((owner, dir)) if owner == user => Ok(Some(dir)),
        Ok((owner, _)) => Err(Why::Foreign(Owner(owner))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        // Some systems open no directory that can't be read.
        Err(error) => {
            let is_closed = error.kind() == io::ErrorKind::PermissionDenied;
            let stat = above
                .glance(name)
                .filter(|stat| is_closed && stat.owner != user);
            Err(stat.map_or_else(|| Why::of(&error), |stat| Why::Foreign(Owner(stat.owner))))
        }
    }
}

impl Why {
    /// Returns why something of a journal can't be read: it is none, or the system refuses.
    pub(super) fn of(error: &io::Error) -> Self {
        let is_elsewhere = matches!(
            error.kind(),
            io::ErrorKind::NotADirectory | io::ErrorKind::CrossesDevices
        );
        if is_elsewhere || is_link(error) {
            Why::Broken
        } else {
            Why::Unreadable {
                message: SystemError(error).to_string(),
            }
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
