use llmpatch::report::Diagnose as _;
use std::io;
use std::path::{Path, PathBuf};

use bstr::{BString, ByteSlice as _};

use crate::dir::SystemPath;
use crate::system::OsStrExt as _;
use llmpatch::kind::Kind;
use llmpatch::path::RepoPath;
use llmpatch::text::{Shown, SystemError};
use llmpatch::tree::{Hindrance, Remedy, Repair, TreeError};

/// Why a repository can't serve.
#[allow(missing_docs, reason = "the message says what the fields are")]
#[derive(Debug, thiserror::Error, strum::EnumProperty)]
#[non_exhaustive]
pub enum RepoError {
    /// No repository around a directory.
    #[error("`{}` is not inside a git repository", Shown::path(directory))]
    #[strum(props(
        help = "run it inside a work tree, or make one with `git init`; `git -C <directory> llmpatch` runs it elsewhere"
    ))]
    NotFound { directory: PathBuf },
    /// No repository around a directory, and no directory of the user's for what is kept instead.
    #[error(
        "`{}` is not inside a git repository, and neither XDG_STATE_HOME nor HOME says where to keep a journal",
        Shown::path(directory)
    )]
    #[strum(props(
        help = "set `XDG_STATE_HOME`, or `HOME`, to a directory of yours; or run it inside a work tree"
    ))]
    NoHome { directory: PathBuf },
    /// `GIT_DIR` names something else.
    #[error("`GIT_DIR` is `{}`, which is not a git repository", Shown::path(named))]
    #[strum(props(help = "set `GIT_DIR` to the `.git` of a repository, or unset it"))]
    NoGitDir { named: PathBuf },
    /// A `.git` file on the way upwards, at which git's search ends.
    #[error(
        "`{}` says `{}`, which leads to no git repository",
        Shown::path(file),
        Shown(said)
    )]
    #[strum(props(
        help = "if the repository was moved, run `git worktree repair <directory>` in it; if this directory belongs to no repository any more, remove the file"
    ))]
    DeadGitFile { file: PathBuf, said: BString },
    /// It belongs to somebody else, and git wasn't told to trust it.
    #[error("the repository `{}` belongs to somebody else", Shown::path(top))]
    NotOwned { top: PathBuf },
    /// What looks like a repository's own directory, in the work tree of another.
    #[error(
        "`{}` looks like a git repository and is part of the work tree of another",
        Shown::path(git_dir)
    )]
    #[strum(props(kind = "repository"))]
    Embedded { git_dir: PathBuf },
    /// A bare repository, asked for its files.
    #[error("`{}` is a bare repository and has no work tree", Shown::path(git_dir))]
    #[strum(props(
        kind = "repository",
        help = "run it in a work tree of this repository; where a command has `--onto=<rev>` or `--cached`, it needs none with that"
    ))]
    NoWorkTree { git_dir: PathBuf },
    /// A work tree that is the repository's own directory.
    #[error(
        "`{}` is both the work tree and the repository's own directory",
        Shown::path(top)
    )]
    #[strum(props(kind = "repository", help = "set `GIT_WORK_TREE` to another directory"))]
    TopIsGitDir { top: PathBuf },
    /// A repository or an index of a kind that isn't known here.
    #[error("this repository {what}, which git-llmpatch can't handle")]
    #[strum(props(kind = "repository"))]
    Unsupported { what: String, repair: Repair },
    /// Files that are only to be added, in an index of a shape with which git crashes on them.
    #[error("git can't keep a file that is only to be added in a sparse index")]
    #[strum(props(
        kind = "repository",
        help = "leave --intent-to-add out, or run `git sparse-checkout reapply --no-sparse-index` first"
    ))]
    IntendedInSparse,
    /// An attribute of a path that asks for what isn't done here.
    #[error("a path {what}")]
    #[strum(props(kind = "repository", help = "make this change by hand"))]
    Attribute { what: String },
    /// A filter or an encoding with which git couldn't store a path.
    #[error("a path {what}")]
    #[strum(props(
        kind = "repository",
        help = "see to it that `git add` can store this file"
    ))]
    Unstored { what: String },
    /// A file whose content nobody can tell: what it is, such as `is only a pointer`, and what is
    /// in the way.
    #[error("`{}` {what}", Shown(path))]
    #[strum(props(kind = "repository"))]
    Withheld {
        path: BString,
        what: String,
        by: Hindrance,
    },
    /// An object that isn't there, and what git said when it was to fetch it for a partial clone.
    #[error("object {id} is missing{}", said.as_ref().map_or(String::new(), |said| format!(", and git can't fetch it: {}", Shown(said))))]
    #[strum(props(kind = "repository"))]
    MissingObject { id: String, said: Option<BString> },
    /// A name that stands for no commit or tree.
    #[error("`{}` names no commit here", Shown(rev.as_bytes()))]
    #[strum(props(
        kind = "usage",
        help = "name a commit, a branch or a tag; `git log --all --oneline` lists commits"
    ))]
    NoRevision { rev: String },
    /// Two branches that have no common history, or none here.
    #[error("`{}` and `{}` have no commit in common here", Shown(base.as_bytes()), Shown(head.as_bytes()))]
    #[strum(props(
        kind = "usage",
        help = "name the branch that the pull request is to be merged into; if this clone is shallow, `git fetch --unshallow` gets the rest of the history"
    ))]
    Unrelated { base: String, head: String },
    /// A setting that can't be read.
    #[error("`{key}` is set to `{}`, which is not {wanted}", Shown(value))]
    #[strum(props(kind = "usage"))]
    Setting {
        key: String,
        value: BString,
        wanted: &'static str,
    },
    /// A hook refused to change a reference.
    #[error("the {} hook refused to change `{}`", Shown(hook), Shown(name))]
    #[strum(props(kind = "hook", help = "do what it asks for, then try again"))]
    HookRefused {
        hook: BString,
        name: BString,
        said: BString,
    },
    /// Another program changes a reference, or was killed when it did.
    #[error(
        "`{}` is held by another program, most likely a git command",
        Shown::path(lock)
    )]
    #[strum(props(kind = "locked"))]
    ReferenceLocked { lock: PathBuf },
    /// The name of a reference is that of a directory of others, or the other way round.
    #[error("there can't be both `{}` and `{}`", Shown(name), Shown(other))]
    #[strum(props(
        kind = "repository",
        help = "name another branch, or rename the one that is there"
    ))]
    ReferenceInTheWay { name: BString, other: BString },
    /// git refused.
    #[error("git {}: {}", Shown(command.as_bytes()), Shown(&in_a_line(message)))]
    Child { command: String, message: BString },
    /// There is no git program.
    #[error("the `git` program can't be started: {}", SystemError(source))]
    NoGit { source: io::Error },
    /// The git program is older than what it would be asked for.
    #[error("the `git` program is version {version}, but 2.30 or later is needed")]
    #[strum(props(help = "install a newer git, or put one first on the PATH"))]
    OldGit { version: String },
    /// There is no place for what git's children are given.
    #[error(
        "can't make a directory in `{}`: {}",
        Shown::path(parent),
        SystemError(source)
    )]
    #[strum(props(help = "set `TMPDIR` (on Windows `TMP`) to a directory that you may write to"))]
    NoTemporary { parent: PathBuf, source: io::Error },
    /// libgit2 refused.
    #[error("can't read {what}: {}", Shown(source.message().as_bytes()))]
    Git {
        what: &'static str,
        source: git2::Error,
    },
    /// The system refused to read.
    #[error("can't read `{}`: {}", Shown(what), SystemError(source))]
    Io { what: BString, source: io::Error },
    /// The system refused to write.
    #[error("can't write `{}`: {}", Shown(what), SystemError(source))]
    Write { what: BString, source: io::Error },
}

/// What libgit2 says of repositories that it can't read, and what that means.
const BEYOND_LIBGIT2: [(&str, &str, Repair); 3] = [
    (
        "refstorage",
        "keeps its references in reftable",
        Repair::Clone,
    ),
    (
        "unsupported extension",
        "uses an extension of the format",
        Repair::Clone,
    ),
    (
        "unsupported repository version",
        "has a newer format",
        Repair::Clone,
    ),
];

/// Returns what git says in several lines as one line.
fn in_a_line(said: &BString) -> BString {
    let lines = said.lines().map(|line| line.trim_ascii());
    bstr::join(" ", lines.filter(|line| !line.is_empty())).into()
}

impl RepoError {
    /// Makes errors of reading a path, or something that has a name only.
    pub(crate) fn read<P: SystemPath + ?Sized, E: Into<io::Error>>(
        what: &P,
    ) -> impl Fn(E) -> Self + Copy {
        |source| RepoError::Io {
            what: what.as_path().as_os_str().as_bytes().into(),
            source: source.into(),
        }
    }

    /// Makes errors of writing the same.
    pub(crate) fn write<P: SystemPath + ?Sized>(what: &P) -> impl Fn(io::Error) -> Self + Copy {
        |source| RepoError::Write {
            what: what.as_path().as_os_str().as_bytes().into(),
            source,
        }
    }

    /// Returns why a repository can't be opened.
    pub(super) fn opening(directory: &Path, error: git2::Error) -> Self {
        match error.code() {
            git2::ErrorCode::NotFound => RepoError::NotFound {
                directory: directory.to_owned(),
            },
            git2::ErrorCode::Owner => {
                // libgit2 tells the path in its message only.
                let top = error.message().split('\'').nth(1).map(PathBuf::from);
                RepoError::NotOwned {
                    top: top.unwrap_or_else(|| directory.to_owned()),
                }
            }
            _ => Self::git("the repository")(error),
        }
    }

    /// Returns the error of a path.
    pub(crate) fn at(self, path: &RepoPath) -> TreeError {
        let path = path.clone();
        match self {
            RepoError::Unsupported { what, repair } => {
                let what = format!("is in a repository that {what}");
                TreeError::Unsupported {
                    path,
                    what,
                    remedy: Remedy::Repository(repair),
                }
            }
            RepoError::Attribute { what } => TreeError::Unsupported {
                path,
                what,
                remedy: Remedy::ByHand,
            },
            RepoError::Unstored { what } => TreeError::Unsupported {
                path,
                what,
                remedy: Remedy::Filter,
            },
            RepoError::MissingObject { .. } => TreeError::Unsupported {
                path,
                what: format!("can't be read: {self}"),
                remedy: Remedy::Fetch,
            },
            RepoError::Io { what, source } if what == path.as_bytes() => {
                TreeError::Io { path, source }
            }
            other => TreeError::Backend {
                path,
                help: other.diagnostic().help,
                said: other.to_string(),
            },
        }
    }

    /// Returns whether a file of settings can't be looked at.
    pub(crate) fn is_of_settings(&self) -> bool {
        matches!(self, RepoError::Git { source, .. } if source.class() == git2::ErrorClass::Config)
    }

    /// Makes errors of libgit2, which couldn't read something in the repository.
    pub(crate) fn git(what: &'static str) -> impl Fn(git2::Error) -> Self + Copy {
        move |source| match BEYOND_LIBGIT2
            .iter()
            .find(|(sign, ..)| source.message().contains(sign))
        {
            Some((_, what, repair)) => RepoError::Unsupported {
                what: (*what).to_owned(),
                repair: *repair,
            },
            None => RepoError::Git { what, source },
        }
    }

    /// Returns the error of a name that stands for no commit or tree.
    pub(super) fn no_revision(named: &str) -> Self {
        RepoError::NoRevision {
            rev: named.to_owned(),
        }
    }

    /// Returns the stable kind.
    pub fn kind(&self) -> Kind {
        Kind::at_variant(self).unwrap_or(Kind::Io)
    }
}
