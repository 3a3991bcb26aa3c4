//! What can be in the way of a change, and what is worth a warning after it.

use crate::dir::SystemPath;
use std::io;
use std::path::PathBuf;

use bstr::BString;

use super::lock::path_bytes;
use super::manifest::RunKind;
use super::recover::{How, Owner, Recovered};
use crate::dir::Lost;
use crate::repo::{CommitError, Repo};
use crate::signal::Received;
use crate::system::is_in_use;
use llmpatch::path::RepoPath;
use llmpatch::text::{Shown, SystemError, listed};
use llmpatch::tree::TreeError;

/// Why a change could not be made.
#[allow(missing_docs, reason = "the message says what the fields are")]
#[derive(Debug, thiserror::Error, strum::EnumProperty)]
#[non_exhaustive]
pub enum TransactionError {
    /// Another program holds the index lock.
    #[error("`{}` is held by {holder}", Shown::path(lock))]
    #[strum(props(kind = "locked"))]
    Locked { lock: PathBuf, holder: Holder },
    /// A signal asked to stop.
    #[error(transparent)]
    #[strum(props(kind = "signal"))]
    Interrupted(#[from] Received),
    /// Of a change that was interrupted before, something is left for a person to see to.
    #[error("{}", torn(recovered))]
    Torn { recovered: Vec<Recovered> },
    /// What is kept in the git directory isn't what we keep there.
    #[error(transparent)]
    #[strum(props(kind = "io"))]
    Unfit(#[from] Unfit),
    /// A path isn't what it was when the change was worked out.
    #[error("`{path}` was changed by another program meanwhile")]
    #[strum(props(
        kind = "stale",
        help = "another program writes to it; try again, and the change is worked out anew"
    ))]
    Changed { path: RepoPath },
    /// Another apply changed a path meanwhile, and the response was tried again on the result.
    #[error("another apply changed `{path}` meanwhile, and the response doesn't fit any more")]
    #[strum(props(kind = "stale", help = "show the model the file as it is now"))]
    Overtaken { path: RepoPath },
    /// Something appeared where a new file goes.
    #[error("`{path}` was created by another program meanwhile")]
    #[strum(props(
        kind = "file-exists",
        help = "another program made it; look at it, move it away or try again"
    ))]
    Appeared { path: RepoPath },
    /// What is to be taken back isn't what the last change made of it.
    #[error("{} changed since the last apply", if all.len() == 1 { "a path".to_owned() } else { format!("{} paths", all.len()) })]
    #[strum(props(kind = "stale"))]
    ChangedSince { all: Vec<TransactionError> },
    /// A file isn't what the last change made of it; `before` is the file that keeps what it was
    /// before.
    #[error("`{path}` changed since the last apply")]
    #[strum(props(kind = "stale"))]
    FileChanged {
        path: RepoPath,
        before: Option<PathBuf>,
    },
    /// A file that the last change made is gone.
    #[error("`{path}` was removed since the last apply")]
    #[strum(props(kind = "stale"))]
    FileGone {
        path: RepoPath,
        before: Option<PathBuf>,
    },
    /// Something is where a file is to come back.
    #[error("`{path}` was created since the last apply, and is in the way")]
    #[strum(props(
        kind = "stale",
        help = "move it away, then try again; or `git llmpatch undo --drop` forgets that apply, so that the one before it can be taken back"
    ))]
    InTheWay { path: RepoPath },
    /// An entry of the index isn't what the last change made of it.
    #[error("the index entry of `{path}` changed since the last apply")]
    #[strum(props(kind = "stale"))]
    EntryChanged { path: RepoPath },
    /// The old file itself, which an editor had still open, say.
    #[error(
        "what `{path}` was before the last apply isn't known any more: it was written to since"
    )]
    #[strum(props(
        kind = "stale",
        help = "look at the old file, and correct by hand what should be; then `git llmpatch undo --drop` forgets that apply, so that the one before it can be taken back"
    ))]
    OriginalChanged { path: RepoPath, kept: PathBuf },
    /// What was kept of the last change isn't what was worked out from it any more.
    #[error("another apply or undo was made meanwhile")]
    #[strum(props(
        kind = "stale",
        help = "see with `git llmpatch undo --list` which apply is the last now"
    ))]
    Superseded,
    /// What was kept of the last change makes no sense.
    #[error(
        "what was kept of the last apply, in `{}`, is damaged",
        Shown::path(directory)
    )]
    #[strum(props(
        kind = "io",
        help = "take the change back by hand, and remove that directory, so that what was applied before can be taken back"
    ))]
    Damaged { directory: PathBuf },
    /// What is kept is of an apply before the last apply, whose own couldn't be kept.
    #[error(
        "what undo needs of the last apply is still in `{}`, and couldn't be put in its place",
        Shown::path(directory)
    )]
    #[strum(props(
        kind = "io",
        help = "see to it that the directories there can be written to, then run it again"
    ))]
    Unkept { directory: PathBuf },
    /// A tree couldn't be read again, or isn't what it must be any more.
    #[error(transparent)]
    Tree(#[from] TreeError),
    /// A file goes where the directory is in which the command was started.
    #[error("`{path}` is the current directory, and a file goes there")]
    #[strum(props(
        kind = "file-exists",
        help = "run the command from the top of the work tree"
    ))]
    CurrentDirectory { path: RepoPath },
    /// Too many new directories are in each other for anybody to mean it.
    #[error("`{path}` and others are in too many new directories, one in the other")]
    #[strum(props(
        kind = "unsupported",
        help = "give the new files shorter paths, or apply some of them at a time"
    ))]
    TooDeep { path: RepoPath },
    /// There is no commit.
    #[error(transparent)]
    Commit(#[from] CommitError),
    /// The repository is in the middle of something, so HEAD doesn't go back from commits.
    #[error("{what} is in progress")]
    #[strum(props(kind = "repository"))]
    InProgress {
        what: &'static str,
        finish: &'static str,
    },
    /// A file is on another file system than the repository, so that a commit with hooks could not
    /// be undone safely.
    #[error("`{path}` is on another file system than the repository's git directory")]
    #[strum(props(
        kind = "repository",
        help = "apply the change with `--index`, then run `git commit`"
    ))]
    OtherFileSystem { path: RepoPath },
    /// The repository refused.
    #[error(transparent)]
    Repository(#[from] crate::repo::RepoError),
    /// There is no place for what a change needs beside the files.
    #[error(
        "can't keep a journal in `{}`: {}",
        Shown::path(directory),
        SystemError(source)
    )]
    NoJournal {
        directory: PathBuf,
        source: io::Error,
    },
    /// Another program has a file open, and the system lets nobody else change it meanwhile.
    #[error("`{}` is held open by another program", Shown(path))]
    #[strum(props(
        kind = "locked",
        help = "close it there, or end that program, then try again"
    ))]
    InUse { path: BString },
    /// The system refused.
    #[error("can't {doing} `{}`: {}", Shown(path), SystemError(source))]
    Io {
        doing: &'static str,
        path: BString,
        source: io::Error,
    },
}

/// A journal that can't be worked with, or isn't.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the journal `{}` {why}", Shown::path(directory))]
pub struct Unfit {
    /// Where it is.
    pub directory: PathBuf,
    /// Why not.
    pub why: Why,
}

/// Why nothing is done with a journal.
#[allow(missing_docs, reason = "the message says what the fields are")]
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Why {
    /// It isn't this user's.
    #[error("belongs to another user")]
    Foreign(Owner),
    /// It isn't this user's, though no other user makes one of this name.
    #[error("belongs to another user, and has the name of yours")]
    Misnamed,
    /// It isn't whole, or no journal.
    #[error("is damaged, or was not made by this program")]
    Broken,
    /// The system doesn't let us read it, perhaps only now.
    #[error("can't be read: {message}")]
    Unreadable { message: String },
    /// It is of a change that was made with another `GIT_INDEX_FILE`.
    #[error("is about another index than this one")]
    OtherIndex,
    /// Whether its run lives can't be seen from here.
    #[error(
        "is of a run on `{host}`, and from here it can't be seen whether that is still running"
    )]
    Elsewhere { host: String },
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
pub enum Unresolved {
    /// A journal, with which nothing was done.
    #[error(transparent)]
    Journal(Unfit),
    /// A journal that stays, since the system refused.
    #[error("the journal `{}` stays, so that recovery can be tried again", Shown::path(.0))]
    Again(PathBuf),
    /// The originals of files that somebody changed since.
    #[error("the original files are kept in `{}`", Shown::path(.0))]
    Kept(PathBuf),
    /// A lock that is in the way of the next commit, and that nothing proves to be ours.
    #[error("`{}` is in the way of the next commit, and nothing shows which program made it", Shown::path(.0))]
    Lock(PathBuf),
    /// The lock of another user's run, which may have left a journal that only that user can read.
    #[error("`{}` is of another user's run, and nothing shows that this still lives", Shown::path(.0))]
    LockOfAnother(PathBuf, Owner),
}

/// Returns in one line what is left of changes that were interrupted.
fn torn(recovered: &[Recovered]) -> &'static str {
    let is_left = recovered.iter().any(|one| one.how == How::Left);
    let is_torn = recovered.iter().any(|one| !one.attention.is_empty());
    match (is_torn, is_left) {
        (true, _) => "an apply was interrupted, and what it left can't be put back completely",
        (false, true) => "an apply was interrupted, and it is left as it is",
        (false, false) => "an apply was interrupted, and something that it left is in the way",
    }
}

impl std::fmt::Display for Recovered {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let origin = self.origin;
        match (self.how, self.attention.is_empty()) {
            (How::TakenBack, true) => write!(f, "an interrupted {origin} was taken back"),
            (How::TakenBack, false) => write!(f, "an interrupted {origin} was taken back in part"),
            (How::Finished, _) => {
                let because = match origin {
                    RunKind::Apply => "its commit was made",
                    RunKind::Undo => "HEAD had gone back",
                };
                write!(f, "an interrupted {origin} was finished, because {because}")
            }
            (How::Left, _) => write!(f, "an interrupted {origin} was left as it is"),
            (How::Complete, _) => write!(
                f,
                "an interrupted {origin} was complete, and its change is there; what it left behind was removed"
            ),
            (How::Tidied, _) => {
                write!(
                    f,
                    "what an interrupted {origin} left behind was removed; no file was changed"
                )
            }
        }
    }
}

/// Who may hold a lock.
#[allow(missing_docs, reason = "the message says what the fields are")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Holder {
    /// A run of this program that lives, or a commit that it began.
    Running,
    /// A run of this program that ended without tidying up, and whose it was.
    Gone(Owner),
    /// A run of this program, perhaps on another machine: whether it lives can't be seen from here.
    Elsewhere { host: String },
    /// Most likely a git command.
    Unknown,
}

impl std::fmt::Display for Holder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Holder::Running => f.write_str("another git-llmpatch, or a git commit that it started"),
            Holder::Gone(_) => f.write_str("a git-llmpatch that is gone"),
            Holder::Elsewhere { host } => {
                write!(
                    f,
                    "a git-llmpatch on `{}`, which may still run",
                    Shown(host.as_bytes())
                )
            }
            Holder::Unknown => {
                f.write_str("another program, most likely a git command or an editor")
            }
        }
    }
}

impl TransactionError {
    /// Returns the signal that asked to stop, if one did.
    pub fn signal(&self) -> Option<i32> {
        match self {
            TransactionError::Interrupted(Received(signal)) => Some(*signal),
            _ => None,
        }
    }

    /// Returns the path that changed since, or is in the way, where that is what it says.
    pub(super) fn since(&self) -> Option<&RepoPath> {
        match self {
            TransactionError::FileChanged { path, .. }
            | TransactionError::FileGone { path, .. }
            | TransactionError::InTheWay { path }
            | TransactionError::EntryChanged { path }
            | TransactionError::OriginalChanged { path, .. } => Some(path),
            _ => None,
        }
    }

    /// Returns the error of a repository in which no journal can be kept.
    pub(super) fn no_journal(repo: &Repo, source: io::Error) -> Self {
        TransactionError::NoJournal {
            directory: repo.git_dir().to_owned(),
            source,
        }
    }

    /// Makes the errors of calls on a path.
    pub(super) fn io<P: SystemPath + ?Sized>(
        doing: &'static str,
        path: &P,
    ) -> impl Fn(io::Error) -> Self + Copy {
        move |source| {
            let path = path_bytes(path.as_path());
            if is_in_use(&source) {
                TransactionError::InUse { path }
            } else {
                TransactionError::Io {
                    doing,
                    path,
                    source,
                }
            }
        }
    }
}

/// What is worth a word although the change was made.
#[allow(missing_docs, reason = "the message says what the fields are")]
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, strum::EnumProperty)]
#[non_exhaustive]
pub enum Warning {
    /// The file had more than one name; the others keep the old content.
    #[error("`{path}` had {others} other hard link{} the old content", if *others == 1 { ", which keeps" } else { "s, which keep" })]
    #[strum(props(kind = "hard-link"))]
    HardLink { path: RepoPath, others: u64 },
    /// The new file lacks rights of the old file, so that nobody may do more with it.
    #[error("`{path}` lost {}", lost_of(lost))]
    #[strum(props(kind = "rights", help = "restore by hand what it should have"))]
    Rights { path: RepoPath, lost: Vec<Lost> },
    /// Somebody who held the old file open wrote to it after it was replaced, or may have.
    #[error("`{path}` {}, is `{}`", written_late(unread), Shown(kept))]
    #[strum(props(
        kind = "written-late",
        help = "take from it what you need, then remove it"
    ))]
    WrittenLate {
        path: RepoPath,
        unread: Option<String>,
        kept: BString,
    },
    /// Something is left for a person to see to.
    #[error(transparent)]
    #[strum(props(kind = "leftover"))]
    Open(Unresolved),
    /// A file of ours could not be removed.
    #[error("`{}` is left over from this change", Shown(path))]
    #[strum(props(kind = "leftover", help = "remove it"))]
    Leftover { path: BString },
    /// The change is certain, and its journal could not be put in order.
    #[error("the journal `{}` could not be cleaned up: {reason}", Shown(path))]
    #[strum(props(
        kind = "leftover",
        help = "the next apply removes it, and so does `git llmpatch recover`"
    ))]
    Unsettled { path: BString, reason: String },
    /// The change was made, and what undo would need could not be kept.
    #[error("this change can't be taken back with `git llmpatch undo`: {reason}")]
    #[strum(props(kind = "no-undo"))]
    NoUndo { reason: String },
    /// The commit was made, and the index could not follow.
    #[error("the commit was made, but the index could not be brought up to date: {reason}")]
    #[strum(props(
        kind = "index-behind",
        help = "run `git llmpatch recover` to update the index to the new commit"
    ))]
    IndexBehind { reason: String },
    /// The commit isn't just what the response asks for.
    #[error("the commit doesn't hold just this change: a hook changed {}", listed(paths.iter().map(|path| format!("`{}`", Shown(path))), paths.len()))]
    #[strum(props(kind = "hook-changed", help = "look at it with `git show`"))]
    HookChanged { paths: Vec<BString> },
    /// A path is left in a merge, as it was asked for.
    #[error("`{path}` is in conflict with what has changed since the base")]
    #[strum(props(
        kind = "in-conflict",
        help = "resolve it, as with `git mergetool`, then `git add` it; `git llmpatch undo` takes the whole change back"
    ))]
    InConflict { path: RepoPath },
    /// A hook that ran after the commit moved HEAD back.
    #[error("the commit was made, but a hook moved HEAD back from it")]
    #[strum(props(kind = "hook-changed", help = "`git reflog` shows the commit"))]
    CommitTakenBack,
}

fn lost_of(lost: &[Lost]) -> String {
    lost.iter().map(name).collect::<Vec<_>>().join("; ")
}

fn name(lost: &Lost) -> &str {
    match lost {
        Lost::Owner => "its owner",
        Lost::Group => "its group, and what only that could do",
        Lost::AccessList => "its access list, and what only that allowed",
        Lost::Attributes => "extended attributes",
        Lost::SetId => "its set-id bits",
    }
}

fn written_late(unread: &Option<String>) -> String {
    match unread {
        None => "was written to while it was being replaced; the old file, with what was written"
            .to_owned(),
        Some(reason) => {
            format!(
                "may have been written to while it was being replaced; the old file, \
                     which can't be read ({reason})"
            )
        }
    }
}
