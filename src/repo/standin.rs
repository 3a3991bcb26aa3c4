//! Repositories that libgit2 doesn't open: git says where they are, and libgit2 gets one in their
//! place. So it does where there is none.
//!
//! A work tree needs neither objects nor references, so it can be changed in any of them. Where
//! only the references are beyond libgit2 (reftable), the stand-in has the objects and the index of
//! the repository itself, and references are read by git, each time anew. Where the objects are (as
//! with `extensions.compatObjectFormat`), nothing that needs one is done.
//!
//! Outside of any repository the current directory is the top, as for `git apply`. What a
//! repository's own directory is needed for beside git, journals and locks, is in one of the
//! user's, whose name is made from the top's.

use std::ffi::OsStr;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use bstr::{BString, ByteSlice as _};

use super::git::{Command, check_version, checked, temporary};
use super::{Repo, RepoError};
use crate::system::{OsStrExt as _, home, make_directories, symlink};
use crate::temporary::Directory;
use llmpatch::tree::Repair;

/// What libgit2 has in the place of a repository, and what is beyond it.
#[derive(Debug)]
pub(super) struct StandIn {
    place: Directory,
    pub(super) git_dir: PathBuf,
    pub(super) common_dir: PathBuf,
    pub(super) top: Option<PathBuf>,
    /// What is beyond libgit2, such as `keeps its references in reftable`; `None` where there is no
    /// repository.
    beyond: Option<(String, Repair)>,
    /// Whether libgit2 can read its objects and its index.
    has_objects: bool,
}

impl StandIn {
    /// Makes one for the repository that git finds from a directory.
    ///
    /// # Errors
    /// If git finds none either.
    pub(super) fn find(
        here: &Path,
        variables: Variables,
        beyond: (String, Repair),
    ) -> Result<Self, RepoError> {
        let ask = |args: &[&str]| ask(here, variables, args);
        let path = |said: BString| here.join(OsStr::from_bytes(&said));
        let git_dir = path(ask(&["--absolute-git-dir"])?);
        let common_dir = path(ask(&["--path-format=absolute", "--git-common-dir"])?);
        let object_format = ask(&["--show-object-format"])?;
        let is_inside = ask(&["--is-inside-work-tree"])? == "true";
        let top = is_inside
            .then(|| ask(&["--show-toplevel"]).map(path))
            .transpose()?;
        // Whatever else an extension may mean, that of references says nothing of objects.
        let has_objects = ask(&["--show-ref-format"]).is_ok_and(|format| format == "reftable");
        let place = temporary()?;
        let objects = common_dir.join("objects");
        lay_out(
            &place,
            (&git_dir, &common_dir),
            has_objects.then_some(&objects),
            &object_format,
        )
        .map_err(RepoError::read(place.path()))?;
        Ok(Self {
            place,
            git_dir,
            common_dir,
            top,
            beyond: Some(beyond),
            has_objects,
        })
    }

    /// Makes one for a directory that is in no repository.
    ///
    /// # Errors
    /// If no directory of the user's is known.
    pub(super) fn outside(here: &Path) -> Result<Self, RepoError> {
        let state = absolute("XDG_STATE_HOME").or_else(|| {
            Some(
                home()
                    .filter(|home| home.is_absolute())?
                    .join(".local/state"),
            )
        });
        let state = state.ok_or_else(|| RepoError::NoHome {
            directory: here.to_owned(),
        })?;
        let number = blake3::hash(here.as_os_str().as_bytes()).to_hex();
        let own = state.join("git-llmpatch").join(&number[..32]);
        let place = temporary()?;
        lay_out(&place, (&own, &own), None, &"sha1".into())
            .map_err(RepoError::read(place.path()))?;
        let top = Some(here.to_owned());
        Ok(Self {
            place,
            common_dir: own.clone(),
            git_dir: own,
            top,
            beyond: None,
            has_objects: false,
        })
    }

    /// Returns the directory that git is to take for the repository's own.
    pub(super) fn for_git(&self) -> &Path {
        if self.is_outside() {
            self.place.path()
        } else {
            &self.git_dir
        }
    }

    /// Returns the repository's own directory that git finds from a directory, whatever the
    /// environment says.
    ///
    /// # Errors
    /// If it finds none.
    pub(super) fn git_dir_of(directory: &Path) -> Result<PathBuf, RepoError> {
        let said = ask(directory, Variables::Ignored, &["--absolute-git-dir"])?;
        Ok(directory.join(OsStr::from_bytes(&said)))
    }

    /// Opens what libgit2 is to take for the repository, with the same view of case.
    ///
    /// # Errors
    /// If libgit2 doesn't.
    pub(super) fn open(&self, ignores_case: bool) -> Result<git2::Repository, RepoError> {
        let config = self.place.path().join("config");
        fs::File::options()
            .append(true)
            .open(&config)
            .and_then(|mut config| writeln!(config, "[core]\n\tignorecase = {ignores_case}"))
            .map_err(RepoError::read(&config))?;
        git2::Repository::open_bare(self.place.path()).map_err(RepoError::git("the repository"))
    }

    /// Checks that libgit2 can read objects and index.
    ///
    /// # Errors
    /// `unsupported` if it can't.
    pub(super) fn check_objects(&self) -> Result<(), RepoError> {
        match &self.beyond {
            _ if self.has_objects => Ok(()),
            Some((what, repair)) => Err(RepoError::Unsupported {
                what: what.clone(),
                repair: *repair,
            }),
            None => Err(RepoError::NotFound {
                directory: self.top.clone().unwrap_or_default(),
            }),
        }
    }

    /// Returns whether it stands for no repository at all.
    pub(super) fn is_outside(&self) -> bool {
        self.beyond.is_none()
    }
}

fn absolute(name: &str) -> Option<PathBuf> {
    std::env::var_os(name)
        .map(PathBuf::from)
        .filter(|path| path.is_absolute())
}

/// Whether the variables that say which repository is meant count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Variables {
    Heeded,
    Ignored,
}

/// Makes the directory that journals and locks are in, where there is no repository.
///
/// # Errors
/// If it can't be made.
pub(crate) fn make_own_directory(repo: &Repo) -> io::Result<()> {
    if repo.top_without_repository().is_none() {
        return Ok(());
    }
    make_directories(repo.git_dir(), 0o700)
}

/// Asks `git rev-parse` in a directory.
fn ask(here: &Path, variables: Variables, args: &[&str]) -> Result<BString, RepoError> {
    check_version()?;
    let mut command = Command::new("git");
    if variables == Variables::Ignored {
        command
            .env_remove("GIT_DIR")
            .env_remove("GIT_WORK_TREE")
            .env_remove("GIT_COMMON_DIR");
    }
    let said = checked(
        command.arg("rev-parse").args(args).current_dir(here),
        "rev-parse",
        b"",
    )?;
    Ok(said.trim_end().into())
}

fn lay_out(
    place: &Directory,
    (git_dir, common_dir): (&Path, &Path),
    objects: Option<&PathBuf>,
    object_format: &BString,
) -> io::Result<()> {
    place.write("HEAD", b"ref: refs/heads/unborn\n")?;
    let config = format!(
        "[core]\n\trepositoryformatversion = 1\n\tbare = \
             true\n[extensions]\n\tobjectFormat = {object_format}\n"
    );
    place.write("config", config.as_bytes())?;
    let path = |name| place.path().join(name);
    // What tells libgit2 in the middle of what the repository is, if it is there.
    for name in [
        "rebase-merge",
        "rebase-apply",
        "MERGE_HEAD",
        "BISECT_LOG",
        "sequencer",
    ] {
        symlink(git_dir.join(name), path(name))?;
    }
    place.make("refs")?;
    match objects {
        Some(objects) => symlink(objects, path("objects"))?,
        None => place.make("objects")?,
    }
    // For the attributes in it.
    symlink(common_dir.join("info"), path("info"))
}
