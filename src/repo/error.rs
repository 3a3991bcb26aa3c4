use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use bstr::BString;

use crate::explain::Explain;
use crate::kind::Kind;
use crate::path::RepoPath;
use crate::text::{Shown, SystemError};
use crate::tree::{Remedy, TreeError};

/// Why a repository can't serve.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RepoError {
    /// No repository around a directory.
    #[error("`{}` is not inside a git repository", shown(directory))]
    NotFound {
        /// Where it was looked for.
        directory: PathBuf,
    },
    /// `GIT_DIR` names something else.
    #[error("`GIT_DIR` is `{}`, which is not a git repository", shown(named))]
    NoGitDir {
        /// What it is set to.
        named: PathBuf,
    },
    /// It belongs to somebody else, and git wasn't told to trust it.
    #[error("the repository `{}` belongs to somebody else", shown(top))]
    NotOwned {
        /// The top of its work tree, or its own directory.
        top: PathBuf,
    },
    /// What looks like a repository's own directory, in the work tree of another.
    #[error("`{}` looks like a git repository and is part of the work tree of another", shown(git_dir))]
    Embedded {
        /// The directory.
        git_dir: PathBuf,
    },
    /// A bare repository, asked for its files.
    #[error("`{}` is a bare repository and has no work tree", shown(git_dir))]
    NoWorkTree {
        /// The repository.
        git_dir: PathBuf,
    },
    /// A work tree that is the repository's own directory.
    #[error("`{}` is both the work tree and the repository's own directory", shown(top))]
    TopIsGitDir {
        /// The directory.
        top: PathBuf,
    },
    /// A repository or an index of a kind that isn't known here.
    #[error("this repository {what}, which git-llmpatch can't handle")]
    Unsupported {
        /// What it has, such as `has a split index`.
        what: String,
    },
    /// An attribute of a path that asks for what isn't done here.
    #[error("a path {what}")]
    Attribute {
        /// What the path has or is, such as `has a filter driver (filter=lfs)`.
        what: String,
    },
    /// A name that stands for no commit or tree.
    #[error("`{}` names no commit here", Shown(rev.as_bytes()))]
    NoRevision {
        /// The name as given.
        rev: String,
    },
    /// A setting that can't be read.
    #[error("`{key}` is set to `{}`, which is not {wanted}", Shown(value))]
    Setting {
        /// The setting.
        key: String,
        /// What it is set to.
        value: BString,
        /// What it should be, such as `a number`.
        wanted: &'static str,
    },
    /// git said no.
    #[error("git {}: {}", Shown(command.as_bytes()), Shown(message))]
    Child {
        /// The subcommand.
        command: String,
        /// What it said.
        message: BString,
    },
    /// There is no git program.
    #[error("the `git` program can't be started: {}", SystemError(source))]
    NoGit {
        /// What the system said.
        source: io::Error,
    },
    /// libgit2 said no.
    #[error("can't read {what}: {}", Shown(source.message().as_bytes()))]
    Git {
        /// What was read.
        what: &'static str,
        /// What it said.
        source: git2::Error,
    },
    /// The system said no.
    #[error("can't read `{}`: {}", Shown(what), SystemError(source))]
    Io {
        /// What was read.
        what: BString,
        /// What it said.
        source: io::Error,
    },
}

fn shown(path: &Path) -> String {
    Shown(path.as_os_str().as_bytes()).to_string()
}

/// What libgit2 says of repositories that it can't read, and what that means.
const BEYOND_LIBGIT2: [(&str, &str); 8] = [
    ("'link'", "has a split index"),
    ("'sdir'", "has a sparse index"),
    ("object format", "uses an object format other than SHA-1"),
    ("objectformat", "uses an object format other than SHA-1"),
    ("invalid hash", "uses an object format other than SHA-1"),
    ("refstorage", "keeps its references in reftable"),
    ("unsupported extension", "uses an extension of the format"),
    ("unsupported repository version", "has a newer format"),
];

impl RepoError {
    /// Says why a repository can't be opened.
    pub(super) fn opening(directory: &Path, error: git2::Error) -> Self {
        match error.code() {
            git2::ErrorCode::NotFound => RepoError::NotFound { directory: directory.to_owned() },
            git2::ErrorCode::Owner => {
                // libgit2 tells the path in its message only.
                let top = error.message().split('\'').nth(1).map(PathBuf::from);
                RepoError::NotOwned { top: top.unwrap_or_else(|| directory.to_owned()) }
            }
            _ => Self::git("the repository", error),
        }
    }

    /// Says why the index can't be read.
    pub(crate) fn index(error: git2::Error) -> Self {
        Self::git("the index", error)
    }

    /// Says the same of one path.
    pub(crate) fn at(self, path: &RepoPath) -> TreeError {
        let path = path.clone();
        let remedy = self.help().map_or(Remedy::ByHand, Remedy::Repository);
        match self {
            RepoError::Unsupported { what } => {
                TreeError::Unsupported { path, what: format!("is in a repository that {what}"), remedy }
            }
            RepoError::Attribute { what } => TreeError::Unsupported { path, what, remedy: Remedy::ByHand },
            RepoError::Io { source, .. } => TreeError::Io { path, source },
            other => TreeError::Io { path, source: io::Error::other(other.to_string()) },
        }
    }

    /// Says why something in the repository can't be read.
    pub(crate) fn git(what: &'static str, source: git2::Error) -> Self {
        match BEYOND_LIBGIT2.iter().find(|(sign, _)| source.message().contains(sign)) {
            Some((_, what)) => RepoError::Unsupported { what: (*what).to_owned() },
            None => RepoError::Git { what, source },
        }
    }
}

impl Explain for RepoError {
    fn kind(&self) -> Kind {
        match self {
            RepoError::NoWorkTree { .. }
            | RepoError::Embedded { .. }
            | RepoError::TopIsGitDir { .. }
            | RepoError::Unsupported { .. }
            | RepoError::Attribute { .. } => Kind::Unsupported,
            _ => Kind::Io,
        }
    }

    fn help(&self) -> Option<String> {
        let help = match self {
            RepoError::NotFound { .. } => {
                "run it inside a work tree, or make one with `git init`; `git -C <directory> llmpatch` runs it elsewhere"
                    .into()
            }
            RepoError::NoGitDir { .. } => "set `GIT_DIR` to the `.git` of a repository, or unset it".into(),
            RepoError::NotOwned { top } => {
                format!("if you trust it, run `git config --global --add safe.directory {}`", shown(top))
            }
            RepoError::Embedded { git_dir } => format!(
                "run it in another directory; if this one is meant, and you trust what is in it, set `GIT_DIR` to `{}`",
                shown(git_dir)
            ),
            RepoError::NoWorkTree { .. } => "run it in a work tree of this repository, or use `--cached`; `check` and `diff` also know `--onto=<rev>`".into(),
            RepoError::TopIsGitDir { .. } => "set `GIT_WORK_TREE` to another directory".into(),
            RepoError::Unsupported { what } if what.contains("split index") => {
                "run `git update-index --no-split-index` first".into()
            }
            RepoError::Unsupported { what } if what.contains("sparse index") => {
                "run `git sparse-checkout reapply --no-sparse-index` first".into()
            }
            RepoError::Unsupported { .. } => {
                "make the change in a clone without it, and fetch it from there".into()
            }
            RepoError::Attribute { .. } => "make this change by hand".into(),
            RepoError::NoRevision { .. } => {
                "name a commit, a branch or a tag; `git log --all --oneline` lists commits".into()
            }
            RepoError::Setting { key, .. } => format!("correct it with `git config {key} <value>`"),
            RepoError::NoGit { .. } => "install git, or put it on the PATH".into(),
            RepoError::Child { .. } | RepoError::Git { .. } | RepoError::Io { .. } => return None,
        };
        Some(help)
    }
}
