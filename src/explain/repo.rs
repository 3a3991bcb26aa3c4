//! What is said of a repository or of contents that can't be read, and of a commit that isn't made.

use std::io::ErrorKind;

use bstr::{BString, ByteSlice as _};

use super::transaction::{unknown_holder, unwritten};
use crate::repo::{CommitError, RepoError};
use llmpatch::kind::Kind;
use llmpatch::report::{Diagnose, Diagnostic};
use llmpatch::text::{Shown, shell_word};
use llmpatch::tree::{Remedy, Repair};

impl Diagnose for RepoError {
    fn diagnostic(&self) -> Diagnostic {
        let of = Diagnostic::fixed(self.kind(), self);
        match self {
            RepoError::NotOwned { top } => of.help(format!(
                "if you trust it, run `git config --global --add safe.directory {}`",
                shell_word(top.as_os_str().as_encoded_bytes())
            )),
            RepoError::Embedded { git_dir } => of.help(format!(
                "run it in another directory; if this one is meant, and you trust what is \
                     in it, set `GIT_DIR` to `{}`",
                Shown::path(git_dir)
            )),
            RepoError::Unsupported { repair, .. } => of.help(repair.help()),
            RepoError::Withheld { by, .. } => of.help(Repair::Content(*by).help()),
            RepoError::MissingObject { .. } => of.help(Remedy::Fetch.help()),
            RepoError::Setting { key, .. } => of.help(format!(
                "correct it; `git config --show-origin --get-all {key}` says where it is set"
            )),
            RepoError::NoGit { source } => match source.kind() {
                ErrorKind::NotFound | ErrorKind::PermissionDenied => {
                    of.help("install git, or put it on the PATH")
                }
                _ => of,
            },
            RepoError::HookRefused { said, .. } => of.notes(first_lines(said)),
            RepoError::ReferenceLocked { lock } => of.help(unknown_holder(lock)),
            RepoError::Write { source, .. } => unwritten(source, None),
            error if error.is_of_settings() => of.help(
                "correct that file; if it is none of yours, set `HOME` to your own directory, or \
                 `GIT_CONFIG_GLOBAL` to `/dev/null`",
            ),
            _ => of,
        }
    }
}

impl Diagnose for CommitError {
    fn diagnostic(&self) -> Diagnostic {
        let of = Diagnostic::fixed(Kind::Io, self);
        match self {
            CommitError::InProgress { finish, .. } => of.help(format!(
                "end it with {finish}, or apply the change without `--commit`"
            )),
            CommitError::Identity { said } => of.notes(last_line(said)),
            CommitError::Author { said, .. } => of.notes(last_line(said)),
            CommitError::BranchAhead { name } => of.help(format!(
                "name another branch, or make the commit on this one, with `--onto={}`",
                shell_word(name.as_bytes())
            )),
            CommitError::Hook { name, kept, .. } => {
                of.help(hook(name.as_ref())).notes(kept.iter().map(|kept| {
                    format!(
                        "the commit message is kept in `{}`, for `-F`",
                        Shown::path(kept)
                    )
                }))
            }
            CommitError::Repository(error) => error.diagnostic(),
            _ => of,
        }
    }
}

/// Says what can be done about a hook that refuses. Git runs some hooks whatever it is told.
fn hook(name: Option<&BString>) -> &'static str {
    match name.map(|name| &name[..]) {
        Some(b"pre-commit" | b"commit-msg") => {
            "do what it asks for (its output is above), or commit with `--no-verify`"
        }
        Some(_) => "do what it asks for (its output is above)",
        None => {
            "do what it asks for (its output is above); `--no-verify` skips the hooks \
             `pre-commit` and `commit-msg`"
        }
    }
}

/// Repeats what a hook, and git behind it, said first.
fn first_lines(said: &BString) -> impl Iterator<Item = String> {
    const MOST: usize = 10;
    let lines = said.lines().map(|line| line.trim_ascii());
    lines
        .filter(|line| !line.is_empty())
        .take(MOST)
        .map(|line| Shown(line).to_string())
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
