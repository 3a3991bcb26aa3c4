//! What is said of a repository or of contents that can't be read, and of a commit that isn't made.

use std::io::ErrorKind;

use bstr::{BString, ByteSlice as _};

use crate::repo::{CommitError, RepoError};
use llmpatch::kind::Kind;
use llmpatch::report::{Diagnose, Diagnostic};
use llmpatch::text::Shown;
use llmpatch::tree::{Remedy, Repair};

impl Diagnose for RepoError {
    fn diagnostic(&self) -> Diagnostic {
        let of = Diagnostic::new(self.kind());
        match self {
            RepoError::NotFound { .. } => of.help(
                "run it inside a work tree, or make one with `git init`; `git -C \
                     <directory> llmpatch` runs it elsewhere",
            ),
            RepoError::NoGitDir { .. } => {
                of.help("set `GIT_DIR` to the `.git` of a repository, or unset it")
            }
            RepoError::NotOwned { top } => of.help(format!(
                "if you trust it, run `git config --global --add safe.directory {}`",
                Shown::path(top)
            )),
            RepoError::Embedded { git_dir } => of.help(format!(
                "run it in another directory; if this one is meant, and you trust what is \
                     in it, set `GIT_DIR` to `{}`",
                Shown::path(git_dir)
            )),
            RepoError::NoWorkTree { .. } => of.help(
                "run it in a work tree of this repository, or use `--cached` or `--onto=<rev>`",
            ),
            RepoError::TopIsGitDir { .. } => of.help("set `GIT_WORK_TREE` to another directory"),
            RepoError::Unsupported { repair, .. } => of.help(repair.help()),
            RepoError::Withheld { by, .. } => of.help(Repair::Content(*by).help()),
            RepoError::Attribute { .. } => of.help("make this change by hand"),
            RepoError::MissingObject { .. } => of.help(Remedy::Fetch.help()),
            RepoError::NoRevision { .. } => {
                of.help("name a commit, a branch or a tag; `git log --all --oneline` lists commits")
            }
            RepoError::Setting { key, .. } => {
                of.help(format!("correct it with `git config {key} <value>`"))
            }
            RepoError::NoGit { source } => match source.kind() {
                ErrorKind::NotFound | ErrorKind::PermissionDenied => {
                    of.help("install git, or put it on the PATH")
                }
                _ => of,
            },
            RepoError::NoTemporary { .. } => {
                of.help("set `TMPDIR` to a directory that you may write to")
            }
            RepoError::OldGit { .. } => {
                of.help("install a newer git, or put one first on the PATH")
            }
            RepoError::Child { .. } | RepoError::Git { .. } | RepoError::Io { .. } => of,
        }
    }
}

impl Diagnose for CommitError {
    fn diagnostic(&self) -> Diagnostic {
        let of = Diagnostic::new;
        match self {
            CommitError::InProgress { finish, .. } => of(Kind::Unsupported).help(format!(
                "end it with {finish}, or apply the change without `--commit`"
            )),
            CommitError::Identity { said } => of(Kind::Identity)
                .notes(last_line(said))
                .help("set `git config user.name` and `git config user.email`, then try again"),
            CommitError::Author { said, .. } => of(Kind::Identity).notes(last_line(said)).help(
                "name somebody as in `--author=\"A <a@example.org>\"`, or by a part of \
                     the name of an author in this history",
            ),
            CommitError::Date { .. } => of(Kind::Identity).help(
                "give a date as for `git commit --date`, such as \
                     `2026-01-31T12:00:00+0100` or `yesterday`",
            ),
            CommitError::HeadMoved => {
                of(Kind::Locked).help("see with `git log` what it committed, then try again")
            }
            CommitError::EmptyMessage => {
                of(Kind::Unsupported).help("give a message with `-m`, or write one with `--edit`")
            }
            CommitError::NoEditor => of(Kind::Unsupported).help(
                "set `git config core.editor`, or give the message with `-m` and without \
                     `--edit`",
            ),
            CommitError::NothingToCommit => of(Kind::Unchanged).help(
                "only line ends or permissions differ, which git doesn't store; apply it \
                     without `--commit`",
            ),
            CommitError::OtherTree => Diagnostic::new(Kind::Unsupported).help(
                "make the commits with `--onto=HEAD --branch=<name>`, then switch to that \
                     branch",
            ),
            CommitError::NoParent { .. } => {
                of(Kind::Unsupported).help("name a commit with `--onto`, or leave `--commit` out")
            }
            CommitError::BranchAhead { name } => of(Kind::Stale).help(format!(
                "name another branch, or make the commit on this one, with `--onto={}`",
                Shown(name.as_bytes())
            )),
            CommitError::BranchInUse { .. } => of(Kind::Unsupported).help(
                "name another branch, or run `git llmpatch apply --commit` in that work \
                     tree",
            ),
            CommitError::BranchBusy { .. } => {
                of(Kind::Unsupported).help("name another branch, or finish that first")
            }
            CommitError::BranchMoved { .. } => {
                of(Kind::Locked).help("see with `git log` where it is now, then try again")
            }
            CommitError::Hook { kept, .. } => of(Kind::Hook)
                .notes(kept.iter().map(|kept| {
                    format!(
                        "the commit message is kept in `{}`, for `-F`",
                        Shown::path(kept)
                    )
                }))
                .help("do what it asks for (its output is above), or commit with `--no-verify`"),
            CommitError::NoCommit { .. } => of(Kind::Io).help("see what git says above"),
            CommitError::InDoubt(_) => of(Kind::Io).help(
                "run `git llmpatch recover` once git has ended and HEAD can be read: it \
                     finishes the apply if there is a commit, and takes it back if not",
            ),
            CommitError::Repository(error) => error.diagnostic(),
            CommitError::Io { .. } => of(Kind::Io),
        }
    }
}

/// Repeats the last thing that git said.
fn last_line(said: &BString) -> Option<String> {
    let mut lines = said
        .lines()
        .map(|line| line.trim_ascii())
        .filter(|line| !line.is_empty());
    lines
        .next_back()
        .map(|line| format!("git says: {}", Shown(line)))
}
