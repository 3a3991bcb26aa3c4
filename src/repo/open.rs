//! Which repository is meant, and how it is opened.
//!
//! Where libgit2 and git disagree about that, git's rule is kept: a relative `GIT_WORK_TREE` is
//! relative to the current directory, and without it `GIT_DIR` makes the current directory the top.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use bstr::ByteSlice as _;

use super::discovery::check_git_files;
use super::git::{Command, checked};
use super::standin::{StandIn, Variables};
use super::{Config, Repo, RepoError};
use crate::system::OsStrExt as _;

/// The environment that says which repository is meant.
#[derive(Debug, Default)]
pub(super) struct Surroundings {
    pub(super) here: PathBuf,
    pub(super) git_dir: Option<OsString>,
    pub(super) work_tree: Option<OsString>,
    pub(super) index_file: Option<OsString>,
}

impl Surroundings {
    /// Returns where the index is of a repository.
    fn index_path(&self, top: Option<&Path>, git_dir: &Path) -> PathBuf {
        match &self.index_file {
            Some(file) => top.unwrap_or(&self.here).join(file),
            None => git_dir.join("index"),
        }
    }
}

impl Repo {
    /// Opens the repository that the environment names (`GIT_DIR` and its kin), or else the
    /// repository around the current directory. Where there is none, that directory is taken for
    /// the top of a work tree, and nothing else can be had.
    ///
    /// # Errors
    /// If it is of a kind that can't be served.
    pub fn open() -> Result<Self, RepoError> {
        let here = std::env::current_dir().map_err(RepoError::read("the current directory"))?;
        let around = Surroundings {
            here,
            git_dir: set("GIT_DIR"),
            work_tree: set("GIT_WORK_TREE"),
            index_file: set("GIT_INDEX_FILE"),
        };
        let mut is_by_git = false;
        let opened = open_from_env(&around).or_else(|error| match error.code() {
            // libgit2 takes what it can't look at for nothing, where it may be a fault that passes
            // (`despite_passing_fault`).
            git2::ErrorCode::NotFound => open_from_env(&around),
            _ => {
                is_by_git = true;
                open_as_git_does(&around, error)
            }
        });
        // git's own HEAD and branches are in no namespace: `GIT_NAMESPACE` is for who serves the
        // repository to others.
        let opened = opened.and_then(|git| git.remove_namespace().map(|()| git));
        let opened = opened.map_err(|error| match (&around.git_dir, error.code()) {
            (Some(named), git2::ErrorCode::NotFound) => RepoError::NoGitDir {
                named: named.into(),
            },
            _ => RepoError::opening(&around.here, error),
        });
        match &opened {
            _ if around.git_dir.is_some() => {}
            Ok(git) => check_git_files(&around.here, Some(git.path()))?,
            Err(RepoError::NotFound { .. } | RepoError::Git { .. }) => {
                check_git_files(&around.here, None)?;
            }
            // Where such a repository is, git itself says.
            Err(_) => {}
        }
        let git = match opened {
            Err(RepoError::Unsupported { what, repair }) => {
                return Self::of(
                    StandIn::find(&around.here, Variables::Heeded, (what, repair))?,
                    &around,
                );
            }
            // Who names a work tree means one of a repository.
            Err(RepoError::NotFound { .. }) if around.work_tree.is_none() => {
                return Self::of(StandIn::outside(&around.here)?, &around);
            }
            opened => opened?,
        };
        if around.git_dir.is_none() {
            check_bare(&git, &around.here)?;
        }
        Self::settle(git, &around, is_by_git)
    }

    /// Opens the repository around a directory, whatever the environment says.
    ///
    /// # Errors
    /// If there is none, or it is of a kind that can't be served.
    pub fn open_at(directory: &Path) -> Result<Self, RepoError> {
        let around = Surroundings {
            here: directory.to_owned(),
            ..Surroundings::default()
        };
        // `discover` opens the directory that a `.git` file names, and takes the one around that
        // for the work tree.
        let flags = git2::RepositoryOpenFlags::CROSS_FS;
        let none = std::iter::empty::<&Path>();
        let git = git2::Repository::open_ext(directory, flags, none);
        match git.map_err(|error| RepoError::opening(directory, error)) {
            Err(RepoError::Unsupported { what, repair }) => Self::of(
                StandIn::find(directory, Variables::Ignored, (what, repair))?,
                &around,
            ),
            opened => Self::settle(opened?, &around, false),
        }
    }

    /// Makes one of a repository that libgit2 doesn't open.
    fn of(standin: StandIn, around: &Surroundings) -> Result<Self, RepoError> {
        let top = standin.top.clone();
        let config = Config::listed_by_git(standin.for_git(), top.as_deref())?;
        let index_path = around.index_path(top.as_deref(), &standin.git_dir);
        let ignores_case = config.ignores_case()?;
        let git = standin.open(ignores_case)?;
        Ok(Self::unused(git, top, index_path, config, Some(standin)))
    }

    pub(super) fn settle(
        git: git2::Repository,
        around: &Surroundings,
        is_by_git: bool,
    ) -> Result<Self, RepoError> {
        if let Some(top) = top_by_git(&git, around) {
            git.set_workdir(&top, false)
                .map_err(RepoError::git("the work tree"))?;
        }
        let top = git.workdir().map(without_last_slash);
        if top.as_deref() == Some(&without_last_slash(git.path())) {
            return Err(RepoError::TopIsGitDir {
                top: top.unwrap_or_default(),
            });
        }
        let config = if is_by_git {
            Config::listed_by_git(git.path(), top.as_deref())?
        } else {
            Config::of(&git, top.as_deref())?
        };
        let index_path = around.index_path(top.as_deref(), git.path());
        Ok(Self::unused(git, top, index_path, config, None))
    }

    /// Reads the configuration again, after a test has put another in its place.
    #[cfg(test)]
    pub(super) fn open_again(repo: Self) -> Result<Self, RepoError> {
        Self::settle(repo.git, &Surroundings::default(), false)
    }

    /// Returns whether git, in a directory, finds this repository.
    pub(crate) fn is_found_from(&self, directory: &Path) -> bool {
        if self.standin.is_some() {
            return StandIn::git_dir_of(directory).is_ok_and(|found| found == self.git_dir());
        }
        let none = std::iter::empty::<&Path>();
        let found =
            git2::Repository::open_ext(directory, git2::RepositoryOpenFlags::CROSS_FS, none);
        found.is_ok_and(|found| found.path() == self.git.path())
    }
}

fn set(name: &str) -> Option<OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}

/// Opens what the environment names. libgit2 gives up where a relative `GIT_WORK_TREE` leads
/// nowhere from the repository's own directory; so it is asked again as if for a bare one, and is
/// told the work tree afterwards.
fn open_from_env(around: &Surroundings) -> Result<git2::Repository, git2::Error> {
    use git2::RepositoryOpenFlags as Flags;
    match (git2::Repository::open_from_env(), &around.work_tree) {
        (Err(error), Some(_)) if error.code() == git2::ErrorCode::NotFound => {
            let git_dir = match &around.git_dir {
                Some(git_dir) => git_dir.into(),
                None => git2::Repository::discover_path(&around.here, &[] as &[&OsStr])?,
            };
            let flags = Flags::FROM_ENV | Flags::BARE | Flags::NO_SEARCH | Flags::NO_DOTGIT;
            git2::Repository::open_ext(git_dir, flags, &[] as &[&OsStr])
        }
        (opened, _) => opened,
    }
}

/// Opens a repository of another owner if git trusts it. libgit2 knows less of `safe.directory`: no
/// `git -c`, `/path/*`, `~/`, slash at the end or link, and it asks for it even where `GIT_DIR`
/// names the repository.
fn open_as_git_does(
    around: &Surroundings,
    error: git2::Error,
) -> Result<git2::Repository, git2::Error> {
    if error.code() != git2::ErrorCode::Owner {
        return Err(error);
    }
    let git_dir = ask(&around.here, "--absolute-git-dir").ok_or(error)?;
    let git = git2::Repository::open_bare(git_dir)?;
    if let Some(top) = ask(&around.here, "--show-toplevel") {
        git.set_workdir(&top, false)?;
    }
    Ok(git)
}

/// Asks git for a directory.
fn ask(here: &Path, what: &str) -> Option<PathBuf> {
    let mut command = Command::new("git");
    command.args(["rev-parse", what]).current_dir(here);
    let said = checked(&mut command, "rev-parse", b"").ok()?;
    let line = said.strip_suffix(b"\n").filter(|line| !line.is_empty())?;
    Some(PathBuf::from(OsStr::from_bytes(line)))
}

/// Checks that git would use a repository that was found by looking upwards, too: a repository that
/// isn't a `.git`, or behind a `.git`, may be part of what somebody cloned (`safe.bareRepository`).
fn check_bare(git: &git2::Repository, here: &Path) -> Result<(), RepoError> {
    let own = git.path();
    let is_plain = own.file_name() == Some(OsStr::new(".git")) || git.is_worktree();
    if is_plain || git.workdir().is_some_and(|top| top.join(".git").is_file()) {
        return Ok(());
    }
    // git says why not.
    let mut command = Command::new("git");
    checked(
        command
            .args(["rev-parse", "--absolute-git-dir"])
            .current_dir(here),
        "rev-parse",
        b"",
    )?;
    let around = own
        .parent()
        .and_then(|above| git2::Repository::discover(above).ok());
    let is_part = around.is_some_and(|around| {
        around.workdir().is_some_and(|top| own.starts_with(top)) && !own.starts_with(around.path())
    });
    if is_part {
        Err(RepoError::Embedded {
            git_dir: own.to_owned(),
        })
    } else {
        Ok(())
    }
}

/// Returns the top as git would have it, where libgit2 decides otherwise.
fn top_by_git(git: &git2::Repository, around: &Surroundings) -> Option<PathBuf> {
    if let Some(work_tree) = &around.work_tree {
        return Some(around.here.join(work_tree));
    }
    let has_own = git
        .config()
        .is_ok_and(|config| config.get_entry("core.worktree").is_ok());
    (around.git_dir.is_some() && !git.is_bare() && !has_own).then(|| around.here.clone())
}

pub(super) fn without_last_slash(path: &Path) -> PathBuf {
    let bytes = path.as_os_str().as_bytes();
    let trimmed = bytes.trim_end_with(|c| c == '/');
    OsStr::from_bytes(if trimmed.is_empty() { bytes } else { trimmed }).into()
}
