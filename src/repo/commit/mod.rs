//! Commits, made by git itself: only it runs hooks, signs, knows who commits, and writes what a
//! reflog should say.
//!
//! Its index is private and holds HEAD plus the change and nothing else, so hooks see exactly that,
//! and what a hook adds lands in the commit. The repository's own index isn't touched here.
//!
//! *The message* is taken as it is but for whitespace at line ends and empty lines around it
//! (`--cleanup=whitespace`), so that a line that begins with `#` survives. With `--edit` everything
//! below a scissors line is dropped instead, which is where git then puts its comments.
//! `commit.cleanup=verbatim` is left alone.
//!
//! *Who stopped it:* git tells of each hook that it starts and of its exit status in its own trace
//! (`GIT_TRACE2_EVENT`), so a hook that refused is told from every other failure without guessing
//! from words. Where the user traces there already, the last resort is that git ended with status
//! 1, as git ends after a hook, rather than with 128. What git and its hooks say goes straight to
//! the terminal.

mod error;
mod identity;
mod many;
mod outcome;
mod plumbing;
mod porcelain;
mod trace;

use std::ffi::{OsStr, OsString};

use bstr::{BString, ByteSlice as _};
use git2::{Oid, RepositoryState};

pub use self::error::CommitError;
pub(crate) use self::many::Committer;
pub(crate) use self::outcome::{extent, paths_between};
pub(crate) use self::plumbing::make;
pub(crate) use self::porcelain::Draft;
pub(super) use self::trace::Trace;
use super::{Repo, RepoError, differ, history, references};
use crate::repo::index;
use llmpatch::report::Committed;

/// What a commit is to say and how it is to be made; the names are the options of `git commit`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CommitRequest {
    /// The message.
    pub message: BString,
    /// What the bytes of the message are.
    pub encoding: MessageEncoding,
    /// Whether the user edits it first.
    pub edit: bool,
    /// Whether a `Signed-off-by` is added.
    pub signoff: bool,
    /// Trailers to add, such as `Reviewed-by: A <a@example.org>`.
    pub trailers: Vec<OsString>,
    /// Who wrote the change, if it isn't who commits.
    pub author: Option<OsString>,
    /// When.
    pub date: Option<OsString>,
    /// Whether it is signed.
    pub sign: Sign,
    /// Whether the hooks that may say no are run.
    pub verify: bool,
    /// The commit in the object database, by its full name, that HEAD comes to instead: all else is
    /// of no account then.
    pub ready: Option<String>,
}

/// Which encoding a message is in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MessageEncoding {
    /// The encoding of `i18n.commitEncoding`: a user's message is taken as git takes it.
    #[default]
    Configured,
    /// UTF-8, as what is made of a response is, whatever is configured.
    Utf8,
}

/// Whether a commit is signed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Sign {
    /// As `commit.gpgSign` says.
    #[default]
    Default,
    /// Yes, with this key or the committer's own.
    Yes(Option<OsString>),
    /// No.
    No,
}

/// Checks that the repository isn't in the middle of something. A bisection is no obstacle, nor
/// is a rebase that is between two commits (at an `edit`, in what `-x` runs): git commits there
/// too.
///
/// # Errors
/// `unsupported`, with the commands that end it.
pub(crate) fn check_calm(repo: &Repo) -> Result<(), CommitError> {
    repo.check_objects()?;
    let (what, finish) = match state(repo)? {
        RepositoryState::Clean | RepositoryState::Bisect => return Ok(()),
        RepositoryState::RebaseInteractive | RepositoryState::RebaseMerge
            if is_between_picks(repo)? =>
        {
            return Ok(());
        }
        RepositoryState::Merge => ("a merge", "`git merge --continue` or `git merge --abort`"),
        RepositoryState::Revert | RepositoryState::RevertSequence => (
            "a revert",
            "`git revert --continue` or `git revert --abort`",
        ),
        RepositoryState::CherryPick | RepositoryState::CherryPickSequence => (
            "a cherry-pick",
            "`git cherry-pick --continue` or `git cherry-pick --abort`",
        ),
        RepositoryState::Rebase
        | RepositoryState::RebaseInteractive
        | RepositoryState::RebaseMerge => (
            "a rebase",
            "`git rebase --continue` or `git rebase --abort`",
        ),
        RepositoryState::ApplyMailbox | RepositoryState::ApplyMailboxOrRebase => {
            ("`git am`", "`git am --continue` or `git am --abort`")
        }
    };
    Err(CommitError::InProgress { what, finish })
}

/// Returns whether a rebase waits for nobody to finish a commit: then `git commit` makes one of
/// its own.
fn is_between_picks(repo: &Repo) -> Result<bool, RepoError> {
    let of_commits = [
        "CHERRY_PICK_HEAD",
        "MERGE_HEAD",
        "REVERT_HEAD",
        "SQUASH_MSG",
    ];
    let is_at_one = of_commits.iter().any(|name| {
        repo.git_dir().join(name).exists() || !matches!(references::find(repo, name), Ok(None))
    });
    Ok(!is_at_one && !index::read(repo)?.has_conflicts())
}

/// Checks what git would refuse of a request, whatever the change is.
///
/// # Errors
/// `unsupported` for an empty message, `identity`, or if the configuration can't be read.
pub(crate) fn check_request(repo: &Repo, request: &CommitRequest) -> Result<(), CommitError> {
    if request.ready.is_some() {
        return Ok(());
    }
    check_message(repo, request)?;
    identity::check(repo, request)
}

/// Checks that git wouldn't take the message for empty, as git takes signatures only. Other trailers
/// are a message.
///
/// # Errors
/// `unsupported`, or if the configuration can't be read.
fn check_message(repo: &Repo, request: &CommitRequest) -> Result<(), CommitError> {
    let trailers = request.trailers.iter().map(|line| line.as_encoded_bytes());
    let mut lines = request.message.lines().chain(trailers.clone());
    let says_nothing =
        lines.all(|line| line.starts_with(b"Signed-off-by: ") || line.trim_ascii().is_empty());
    let is_empty = request.message.is_empty() && trailers.len() == 0;
    if says_nothing && !request.edit && (is_empty || !keeps_messages(repo)?) {
        Err(CommitError::EmptyMessage)
    } else {
        Ok(())
    }
}

/// Returns whether git is told to leave messages alone.
fn keeps_messages(repo: &Repo) -> Result<bool, RepoError> {
    let mode = repo.config.string("commit.cleanup")?;
    Ok(mode.is_some_and(|mode| mode.eq_ignore_ascii_case(b"verbatim")))
}

/// Returns the encoding that commits are to have (`i18n.commitEncoding`), if it isn't UTF-8.
fn message_encoding(repo: &Repo) -> Result<Option<BString>, RepoError> {
    let name = repo.config.string("i18n.commitEncoding")?;
    let is_utf8 = |name: &BString| {
        let word = name.to_ascii_lowercase();
        [&b""[..], b"utf-8", b"utf8"].contains(&&word[..])
    };
    Ok(name.filter(|name| !is_utf8(name)))
}

/// Returns the arguments before git's command that keep it from calling a message by another
/// encoding than its own.
fn encoding_arguments(repo: &Repo, encoding: MessageEncoding) -> Result<Vec<OsString>, RepoError> {
    let is_other = encoding == MessageEncoding::Utf8 && message_encoding(repo)?.is_some();
    let setting: &[&str] = if is_other {
        &["-c", "i18n.commitEncoding=UTF-8"]
    } else {
        &[]
    };
    Ok(setting.iter().map(OsString::from).collect())
}

/// Describes a commit that was just made. What can't be read of it is left out: it was made all
/// the same.
pub(crate) fn describe(repo: &Repo, id: Oid) -> Committed {
    let full = id.to_string();
    let branch = references::current_branch(repo)
        .map(|name| name.strip_prefix(b"refs/heads/").unwrap_or(&name).into());
    let commit = history::find(repo, id).ok();
    Committed {
        short_id: differ::abbreviated(repo, &full),
        id: full,
        tree: commit.as_ref().map(|commit| commit.tree_id().to_string()),
        branch,
        summary: commit
            .as_ref()
            .and_then(|commit| commit.message_bytes().lines().next())
            .unwrap_or_default()
            .into(),
        root: commit
            .as_ref()
            .is_some_and(|commit| commit.parent_count() == 0),
        extent: None,
    }
}

/// Returns the option that has git sign a commit, or not.
fn sign_argument(sign: &Sign) -> Option<OsString> {
    match sign {
        Sign::Default => None,
        Sign::Yes(None) => Some("--gpg-sign".into()),
        Sign::Yes(Some(key)) => Some(with("--gpg-sign=", key)),
        Sign::No => Some("--no-gpg-sign".into()),
    }
}

/// Returns an option with its value.
fn with(option: &str, value: &OsStr) -> OsString {
    let mut argument = OsString::from(option);
    argument.push(value);
    argument
}

/// Returns in the middle of what the repository is.
///
/// # Errors
/// If that can't be told.
fn state(repo: &Repo) -> Result<RepositoryState, RepoError> {
    let state = repo.git.state();
    let is_calm = matches!(state, RepositoryState::Clean | RepositoryState::Bisect);
    if !is_calm || repo.standin.is_none() {
        return Ok(state);
    }
    // With reftable these aren't files.
    for (name, state) in [
        ("REVERT_HEAD", RepositoryState::Revert),
        ("CHERRY_PICK_HEAD", RepositoryState::CherryPick),
    ] {
        if references::find(repo, name)
            .map_err(RepoError::git("HEAD"))?
            .is_some()
        {
            return Ok(state);
        }
    }
    Ok(state)
}
