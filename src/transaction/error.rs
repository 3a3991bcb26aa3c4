//! What can stand in the way of a change, and what is worth a warning after it.

use std::io;
use std::path::PathBuf;

use bstr::BString;

use super::changed_since::ChangedSince;
use super::lock::path_bytes;
use super::recover::{How, Recovered};
use crate::dir::Lost;
use crate::explain::Explain;
use crate::kind::Kind;
use crate::path::RepoPath;
use crate::repo::{CommitError, NextIndexError};
use crate::text::{Shown, SystemError};
use crate::tree::TreeError;

/// Why a change could not be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TransactionError {
    /// Another program holds the index lock.
    #[error("`{}` is held by {holder}", Shown(&path_bytes(lock)))]
    Locked {
        /// The lock file.
        lock: PathBuf,
        /// Who may hold it.
        holder: Holder,
    },
    /// A signal asked to stop.
    #[error("interrupted by signal {signal}")]
    Interrupted {
        /// Its number.
        signal: i32,
    },
    /// Of a change that was interrupted before, something is left for a person to see to.
    #[error("{}", torn(recovered))]
    Torn {
        /// What became of all that was interrupted.
        recovered: Vec<Recovered>,
    },
    /// What is kept in the git directory isn't what we keep there.
    #[error(transparent)]
    Unfit(#[from] Unfit),
    /// A path isn't what it was when the change was worked out.
    #[error("`{path}` changed while we worked")]
    Changed {
        /// The path.
        path: RepoPath,
    },
    /// Something appeared where a new file goes.
    #[error("`{path}` appeared while we worked")]
    Appeared {
        /// The path.
        path: RepoPath,
    },
    /// What is to be taken back isn't what the last change made of it.
    #[error("{} changed since the last apply", if all.len() == 1 { "a path".to_owned() } else { format!("{} paths", all.len()) })]
    ChangedSince {
        /// All of it, each to be told by itself.
        all: Vec<ChangedSince>,
    },
    /// What was kept of the last change isn't what was worked out from it any more.
    #[error("another apply or undo was made meanwhile")]
    Superseded,
    /// What was kept of the last change makes no sense.
    #[error("what was kept of the last apply, in `{}`, is damaged", Shown(&path_bytes(directory)))]
    Damaged {
        /// The directory that it is in.
        directory: PathBuf,
    },
    /// What is kept is of an apply before the last one, whose own couldn't be kept.
    #[error("what undo needs of the last apply still lies in `{}`, and couldn't be put in its place", Shown(&path_bytes(directory)))]
    Unkept {
        /// The directory that it lies in.
        directory: PathBuf,
    },
    /// A tree couldn't be read again, or isn't what it must be any more.
    #[error(transparent)]
    Tree(#[from] TreeError),
    /// A file goes where the directory stands in which the command was started.
    #[error("`{path}` is the current directory, and a file goes there")]
    CurrentDirectory {
        /// The directory.
        path: RepoPath,
    },
    /// There is no commit.
    #[error(transparent)]
    Commit(#[from] CommitError),
    /// A file stands on another file system than the repository, so that a commit with hooks could not be undone safely.
    #[error("`{path}` is on another file system than the repository's git directory")]
    OtherFileSystem {
        /// The file.
        path: RepoPath,
    },
    /// The repository said no.
    #[error(transparent)]
    Repository(#[from] crate::repo::RepoError),
    /// The system said no.
    #[error("can't {doing} `{}`: {}", Shown(path), SystemError(source))]
    Io {
        /// What was being done, as a verb: `replace`.
        doing: &'static str,
        /// To what.
        path: BString,
        /// What it said.
        source: io::Error,
    },
}

/// A journal that can't be worked with, or isn't.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the journal `{}` {why}", Shown(&path_bytes(directory)))]
pub struct Unfit {
    /// Where it is.
    pub directory: PathBuf,
    /// Why not.
    pub why: Why,
}

/// Why nothing is done with a journal.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Why {
    /// It isn't this user's.
    #[error("belongs to another user")]
    Foreign,
    /// It isn't whole, or no journal.
    #[error("is damaged, or was not made by this program")]
    Broken,
    /// It is of a change that was made with another `GIT_INDEX_FILE`.
    #[error("is about another index than this one")]
    OtherIndex,
    /// Whether its run lives can't be seen from here.
    #[error("is of a run on `{host}`, and nothing says here whether that still lives")]
    Elsewhere {
        /// The machine.
        host: String,
    },
    /// The lock of its run is gone.
    #[error("is of an interrupted run whose `index.lock` somebody removed since")]
    Unlocked,
    /// There are other commits.
    #[error("is of an interrupted run, and HEAD was moved since")]
    HeadMoved,
    /// There is another index.
    #[error("is of an interrupted run, and the index was changed since")]
    IndexMoved,
}

/// What a recovery leaves for a person to see to.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Open {
    /// A journal, with which nothing was done.
    #[error(transparent)]
    Journal(Unfit),
    /// A journal that stays, since the system said no.
    #[error("the journal `{}` stays, so that recovery can be tried again", Shown(&path_bytes(.0)))]
    Again(PathBuf),
    /// The originals of files that somebody changed since.
    #[error("their originals are kept in `{}`", Shown(&path_bytes(.0)))]
    Kept(PathBuf),
    /// A lock that is in the way of the next commit, and that nothing proves to be ours.
    #[error("`{}` is in the way of the next commit, and nothing says whose it is", Shown(&path_bytes(.0)))]
    Lock(PathBuf),
}

impl Why {
    fn help(&self) -> &'static str {
        match self {
            Why::Foreign => "have its owner run `git llmpatch recover`",
            Why::Broken => "look at what is in it, then remove it",
            Why::OtherIndex => "run `git llmpatch recover` with the `GIT_INDEX_FILE` that it was made with",
            Why::Elsewhere { .. } => {
                "wait until it is done; if it runs nowhere any more, run `git llmpatch recover --force`"
            }
            Why::Unlocked | Why::HeadMoved | Why::IndexMoved => {
                "`git llmpatch recover` takes back what that run did to these paths; to keep what is there, remove the journal"
            }
        }
    }
}

impl Open {
    /// Says what a person can do about it.
    pub fn help(&self) -> &'static str {
        match self {
            Open::Journal(unfit) => unfit.why.help(),
            Open::Again(_) => "run `git llmpatch recover` again",
            Open::Kept(_) => "look at these paths, take from the originals what you need, then remove them",
            Open::Lock(_) => "if no git command runs here, remove it",
        }
    }
}

/// Says in one line what is left of changes that were interrupted.
fn torn(recovered: &[Recovered]) -> &'static str {
    let is_left = recovered.iter().any(|one| one.how == How::Left);
    let is_torn = recovered.iter().any(|one| !one.attention.is_empty());
    match (is_torn, is_left) {
        (true, _) => "an apply was interrupted, and what it left can't be put back whole",
        (false, true) => "an apply was interrupted, and it is left as it is",
        (false, false) => "an apply was interrupted, and something that it left is in the way",
    }
}

/// Who may hold a lock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Holder {
    /// A run of this program that lives, or a commit that it began.
    Running,
    /// A run of this program that ended without tidying up.
    Gone,
    /// A run of this program, perhaps on another machine: whether it lives can't be seen from here.
    Elsewhere {
        /// The machine.
        host: String,
    },
    /// Most likely a git command.
    Unknown,
}

impl std::fmt::Display for Holder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Holder::Running => f.write_str("another git-llmpatch, or a git commit that it started"),
            Holder::Gone => f.write_str("a git-llmpatch that is gone"),
            Holder::Elsewhere { host } => {
                write!(f, "a git-llmpatch on `{}`, which may still run", Shown(host.as_bytes()))
            }
            Holder::Unknown => f.write_str("another program, most likely a git command or an editor"),
        }
    }
}

impl TransactionError {
    /// Returns the signal that asked to stop, if one did.
    pub fn signal(&self) -> Option<i32> {
        if let TransactionError::Interrupted { signal } = self { Some(*signal) } else { None }
    }

    /// Makes the error of a call on a path of the work tree.
    pub(super) fn io(doing: &'static str, path: &RepoPath, source: io::Error) -> Self {
        TransactionError::Io { doing, path: path.as_bstr().to_owned(), source }
    }
}

impl From<NextIndexError> for TransactionError {
    fn from(error: NextIndexError) -> Self {
        match error {
            NextIndexError::Repository(error) => TransactionError::Repository(error),
            NextIndexError::Io(source) => {
                TransactionError::Io { doing: "write the next", path: "index".into(), source }
            }
        }
    }
}

impl Explain for TransactionError {
    fn kind(&self) -> Kind {
        match self {
            TransactionError::Locked { .. } => Kind::Locked,
            TransactionError::Interrupted { .. } | TransactionError::Torn { .. } => Kind::Io,
            TransactionError::Changed { .. } | TransactionError::ChangedSince { .. } | TransactionError::Superseded => {
                Kind::Stale
            }
            TransactionError::Appeared { .. } | TransactionError::CurrentDirectory { .. } => Kind::FileExists,
            TransactionError::Tree(TreeError::Disagrees { .. } | TreeError::Unmerged { .. }) => Kind::Stale,
            TransactionError::Tree(TreeError::Unsupported { .. }) => Kind::Unsupported,
            TransactionError::Tree(TreeError::Io { .. }) | TransactionError::Io { .. } => Kind::Io,
            TransactionError::Damaged { .. } | TransactionError::Unkept { .. } | TransactionError::Unfit(_) => Kind::Io,
            TransactionError::OtherFileSystem { .. } => Kind::Unsupported,
            TransactionError::Commit(error) => error.kind(),
            TransactionError::Repository(error) => error.kind(),
        }
    }

    fn path(&self) -> Option<BString> {
        match self {
            TransactionError::Changed { path }
            | TransactionError::Appeared { path }
            | TransactionError::CurrentDirectory { path }
            | TransactionError::OtherFileSystem { path } => Some(path.as_bstr().to_owned()),
            TransactionError::Tree(error) => Some(error.path().as_bstr().to_owned()),
            TransactionError::Repository(error) => error.path(),
            _ => None,
        }
    }

    fn notes(&self) -> Vec<String> {
        match self {
            TransactionError::Torn { recovered } => {
                let left = recovered.iter().filter(|one| one.how == How::Left && !one.paths.is_empty());
                let about = left.map(|one| {
                    let paths: Vec<_> = one.paths.iter().map(|path| path.as_bstr().to_owned()).collect();
                    format!("it is about {}", listed(&paths))
                });
                let notes = recovered.iter().flat_map(|one| &one.notes).cloned().chain(about);
                notes.chain(recovered.iter().flat_map(|one| &one.open).map(ToString::to_string)).collect()
            }
            TransactionError::ChangedSince { all } => all.iter().map(ToString::to_string).collect(),
            TransactionError::Commit(error) => error.notes(),
            TransactionError::Repository(error) => error.notes(),
            _ => Vec::new(),
        }
    }

    fn help(&self) -> Option<String> {
        Some(match self {
            TransactionError::Locked { lock, holder } => {
                let lock = path_bytes(lock);
                match holder {
                    Holder::Running => "wait until it is done, then try again".to_owned(),
                    Holder::Gone => "run `git llmpatch recover`, as the user who owns the lock".to_owned(),
                    Holder::Elsewhere { .. } => Why::Elsewhere { host: String::new() }.help().to_owned(),
                    Holder::Unknown => format!(
                        "wait until no git command runs in this repository, then try again; if none does, \
                         remove `{}`",
                        Shown(&lock)
                    ),
                }
            }
            TransactionError::Interrupted { .. } | TransactionError::ChangedSince { .. } => return None,
            TransactionError::Superseded => "run `git llmpatch undo` again to take that one back".to_owned(),
            TransactionError::Damaged { .. } => {
                "take the change back by hand; the next apply puts what it needs in its place".to_owned()
            }
            TransactionError::Unkept { .. } => "see to it that the directories there can be written to, then run it again".to_owned(),
            TransactionError::Torn { recovered } => {
                let mut helps: Vec<_> = recovered.iter().flat_map(|one| &one.open).map(Open::help).collect();
                helps.dedup();
                helps.join("; ")
            }
            TransactionError::Unfit(unfit) => unfit.why.help().to_owned(),
            TransactionError::Changed { .. } => {
                "another program writes to it; try again, and the change is worked out anew".to_owned()
            }
            TransactionError::Appeared { .. } => "another program made it; look at it, move it away or try again".to_owned(),
            TransactionError::Tree(error) => match error {
                TreeError::Disagrees { .. } => "stage, commit or stash what is there, then try again".to_owned(),
                TreeError::Unmerged { .. } => "finish the merge of this file first".to_owned(),
                _ => return None,
            },
            TransactionError::CurrentDirectory { .. } => "run the command from the top of the work tree".to_owned(),
            TransactionError::Commit(error) => return error.help(),
            TransactionError::OtherFileSystem { .. } => "apply the change with `--index`, then run `git commit`".to_owned(),
            TransactionError::Repository(error) => return error.help(),
            TransactionError::Io { source, .. } => match source.kind() {
                io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => "make room on the disk, then try again",
                _ if source.raw_os_error() == Some(rustix::io::Errno::NOLCK.raw_os_error()) => {
                    "this file system gives no locks, and nothing is changed without one; on NFS, see whether its lock service runs"
                }
                io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                    "see who owns the file and its directory and whether you may write there"
                }
                _ => return None,
            }
            .to_owned(),
        })
    }
}

/// What is worth a word although the change was made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Warning {
    /// The file had more than one name; the others keep the old content.
    #[error("`{path}` had {others} other hard link{} the old content", if *others == 1 { ", which keeps" } else { "s, which keep" })]
    HardLink {
        /// The file.
        path: RepoPath,
        /// How many other names it had.
        others: u64,
    },
    /// The new file doesn't have all that the old one had, and nobody may do more with it.
    #[error("`{path}` lost {}", lost_of(lost))]
    Rights {
        /// The file.
        path: RepoPath,
        /// What it lost.
        lost: Vec<Lost>,
    },
    /// Somebody who held the old file open wrote to it after it was replaced, or may have.
    #[error("`{path}` {}, is `{}`", written_late(unread), Shown(kept))]
    WrittenLate {
        /// The file.
        path: RepoPath,
        /// Why the old file can't be read, if that is why it is kept.
        unread: Option<String>,
        /// Where its original is now.
        kept: BString,
    },
    /// Something is left for a person to see to.
    #[error(transparent)]
    Open(Open),
    /// A file of ours could not be removed.
    #[error("`{}` is left over from this change", Shown(path))]
    Leftover {
        /// The file.
        path: BString,
    },
    /// The change is certain, and its journal could not be put in order.
    #[error("the journal `{}` could not be put in order: {reason}", Shown(path))]
    Unsettled {
        /// The journal's directory.
        path: BString,
        /// Why not.
        reason: String,
    },
    /// The change was made, and what undo would need could not be kept.
    #[error("this change can't be taken back with `git llmpatch undo`: {reason}")]
    NoUndo {
        /// Why not.
        reason: String,
    },
    /// The commit was made, and the index could not follow.
    #[error("the commit was made, but the index could not be brought up to date: {reason}")]
    IndexBehind {
        /// Why not.
        reason: String,
    },
    /// The commit isn't just what the response asks for.
    #[error("the commit doesn't hold just this change: a hook changed {}", listed(paths))]
    HookChanged {
        /// The paths at which the two differ.
        paths: Vec<BString>,
    },
}

fn lost_of(lost: &[Lost]) -> String {
    let name = |lost: &Lost| match lost {
        Lost::Owner => "its owner",
        Lost::Group => "its group, and what only that could do",
        Lost::AccessList => "its access list, and what only that allowed",
        Lost::Attributes => "extended attributes",
        Lost::SetId => "its set-id bits",
    };
    lost.iter().map(name).collect::<Vec<_>>().join("; ")
}

/// Names some of many paths.
fn listed(paths: &[BString]) -> String {
    const SHOWN: usize = 5;
    let shown: Vec<_> = paths.iter().take(SHOWN).map(|path| format!("`{}`", Shown(path))).collect();
    match paths.len().saturating_sub(SHOWN) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

fn written_late(unread: &Option<String>) -> String {
    match unread {
        None => "was written to while it was being replaced; the old file, with what was written".to_owned(),
        Some(reason) => {
            format!(
                "may have been written to while it was being replaced; the old file, which can't be read ({reason})"
            )
        }
    }
}

impl Explain for Warning {
    fn kind(&self) -> Kind {
        match self {
            Warning::HardLink { .. } => Kind::HardLink,
            Warning::Rights { .. } => Kind::Rights,
            Warning::WrittenLate { .. } => Kind::WrittenLate,
            Warning::Open(_) | Warning::Leftover { .. } | Warning::Unsettled { .. } => Kind::Leftover,
            Warning::NoUndo { .. } => Kind::NoUndo,
            Warning::IndexBehind { .. } => Kind::IndexBehind,
            Warning::HookChanged { .. } => Kind::HookChanged,
        }
    }

    fn path(&self) -> Option<BString> {
        match self {
            Warning::HardLink { path, .. } | Warning::Rights { path, .. } | Warning::WrittenLate { path, .. } => {
                Some(path.as_bstr().to_owned())
            }
            Warning::Leftover { path } | Warning::Unsettled { path, .. } => Some(path.clone()),
            _ => None,
        }
    }

    fn help(&self) -> Option<String> {
        Some(match self {
            Warning::HardLink { .. } | Warning::NoUndo { .. } => return None,
            Warning::Rights { .. } => "give it back by hand what it should have".to_owned(),
            Warning::WrittenLate { .. } => "take from it what you need, then remove it".to_owned(),
            Warning::Open(open) => open.help().to_owned(),
            Warning::Leftover { .. } => "remove it".to_owned(),
            Warning::Unsettled { .. } => "the next apply tidies up, and so does `git llmpatch recover`".to_owned(),
            Warning::IndexBehind { .. } => {
                "run `git llmpatch recover` to let the index follow the new commit".to_owned()
            }
            Warning::HookChanged { .. } => "look at it with `git show`".to_owned(),
        })
    }
}
