//! Why there is no commit.

use std::path::PathBuf;

use bstr::{BString, ByteSlice as _};

use crate::explain::Explain;
use crate::kind::Kind;
use crate::repo::RepoError;
use crate::text::{Shown, SystemError};

/// Why there is no commit.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CommitError {
    /// The repository is in the middle of something that a commit would disturb or complete.
    #[error("{what} is in progress")]
    InProgress {
        /// What it is, such as `a merge`.
        what: &'static str,
        /// The commands that end it.
        finish: &'static str,
    },
    /// git knows no name and address to commit with.
    #[error("git knows no name and address to commit with")]
    Identity {
        /// What git said of it.
        said: BString,
    },
    /// git would take no such author.
    #[error("`{}` is no author that git would take", Shown(author))]
    Author {
        /// What `--author` says.
        author: BString,
        /// What git said of it; it may have said nothing.
        said: BString,
    },
    /// git would take no such date.
    #[error("`{}` is no date that git would take", Shown(date))]
    Date {
        /// What `--date` says.
        date: BString,
    },
    /// Another commit came while ours was being made, so that ours would have taken it back.
    #[error("`HEAD` was moved by another program, most likely a `git commit`")]
    HeadMoved,
    /// There is no message, and nobody is asked for one.
    #[error("the commit message is empty")]
    EmptyMessage,
    /// The message is to be edited, and there is nothing to do it with.
    #[error("git knows no editor for the commit message")]
    NoEditor,
    /// The tree of the new commit would be that of the old one.
    #[error("nothing to commit: what git stores stays the same")]
    NothingToCommit,
    /// A hook said no.
    #[error("the {} said no{}", hook_name(name), exit_status(*status))]
    Hook {
        /// The hook, if git said which.
        name: Option<BString>,
        /// Its exit status, or git's; `None` if it died of a signal.
        status: Option<i32>,
        /// Where the message is kept, as far as git had put it together by then.
        kept: Option<PathBuf>,
    },
    /// `git commit` made no commit, and it was no hook that stopped it.
    #[error("`git commit` made no commit{}", exit_status(*status))]
    NoCommit {
        /// Its exit status; `None` if it died of a signal.
        status: Option<i32>,
    },
    /// Whether `git commit` has ended, or what HEAD is now, can't be read: nobody knows whether there is a commit.
    #[error("whether `git commit` made a commit can't be told: {0}")]
    InDoubt(RepoError),
    /// The repository can't be read, or there is no git program.
    #[error(transparent)]
    Repository(#[from] RepoError),
    /// A file beside the commit can't be written.
    #[error("can't write `{}`: {}", Shown(path), SystemError(source))]
    Io {
        /// The file.
        path: BString,
        /// What the system said.
        source: std::io::Error,
    },
}

fn hook_name(name: &Option<BString>) -> String {
    name.as_ref().map_or_else(|| "repository's hook".to_owned(), |name| format!("{} hook", Shown(name)))
}

fn exit_status(status: Option<i32>) -> String {
    status.map_or_else(String::new, |status| format!(" (exit status {status})"))
}

impl Explain for CommitError {
    fn kind(&self) -> Kind {
        match self {
            CommitError::InProgress { .. } | CommitError::EmptyMessage | CommitError::NoEditor => Kind::Unsupported,
            CommitError::Identity { .. } | CommitError::Author { .. } | CommitError::Date { .. } => Kind::Identity,
            CommitError::NothingToCommit => Kind::Unchanged,
            CommitError::HeadMoved => Kind::Locked,
            CommitError::Hook { .. } => Kind::Hook,
            CommitError::NoCommit { .. } | CommitError::InDoubt(_) | CommitError::Io { .. } => Kind::Io,
            CommitError::Repository(error) => error.kind(),
        }
    }

    fn notes(&self) -> Vec<String> {
        match self {
            CommitError::Identity { said } | CommitError::Author { said, .. } => {
                let mut said = said.lines().map(|line| line.trim_ascii()).filter(|line| !line.is_empty());
                said.next_back().map(|line| format!("git says: {}", Shown(line))).into_iter().collect()
            }
            CommitError::Hook { kept: Some(kept), .. } => {
                let kept = kept.as_os_str().as_encoded_bytes();
                vec![format!("the commit message is kept in `{}`, for `-F`", Shown(kept))]
            }
            CommitError::Repository(error) | CommitError::InDoubt(error) => error.notes(),
            _ => Vec::new(),
        }
    }

    fn help(&self) -> Option<String> {
        Some(match self {
            CommitError::InProgress { finish, .. } => {
                format!("end it with {finish}, or apply the change without `--commit`")
            }
            CommitError::Identity { .. } => {
                "set `git config user.name` and `git config user.email`, then try again".to_owned()
            }
            CommitError::Author { .. } => {
                "name somebody as in `--author=\"A <a@example.org>\"`, or by a part of the name of an author in this history"
                    .to_owned()
            }
            CommitError::Date { .. } => {
                "say when as `git commit --date` has it, such as `2026-01-31T12:00:00+0100` or `yesterday`".to_owned()
            }
            CommitError::HeadMoved => "see with `git log` what it committed, then try again".to_owned(),
            CommitError::EmptyMessage => "give a message with `-m`, or write one with `--edit`".to_owned(),
            CommitError::NoEditor => {
                "set `git config core.editor`, or give the message with `-m` and without `--edit`".to_owned()
            }
            CommitError::NothingToCommit => {
                "only line ends or permissions differ, which git doesn't store; apply it without `--commit`".to_owned()
            }
            CommitError::Hook { .. } => {
                "do what it asks for (its words are above), or commit with `--no-verify`".to_owned()
            }
            CommitError::NoCommit { .. } => "see what git says above".to_owned(),
            CommitError::InDoubt(_) => {
                "run `git llmpatch recover` once git has ended and HEAD can be read: it goes on if there is a commit, and back \
                 if not"
                    .to_owned()
            }
            CommitError::Repository(error) => return error.help(),
            CommitError::Io { .. } => return None,
        })
    }
}
