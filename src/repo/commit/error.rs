//! Why there is no commit.

use std::path::PathBuf;

use bstr::BString;

use crate::repo::RepoError;
use llmpatch::text::Shown;

/// Why there is no commit.
#[allow(missing_docs, reason = "the message says what the fields are")]
#[derive(Debug, thiserror::Error, strum::EnumProperty)]
#[non_exhaustive]
pub enum CommitError {
    /// The repository is in the middle of something that a commit would disturb or complete.
    #[error("{what} is in progress")]
    #[strum(props(kind = "repository"))]
    InProgress {
        what: &'static str,
        finish: &'static str,
    },
    /// git knows no name and address to commit with.
    #[error("git knows no name and address to commit with")]
    #[strum(props(
        kind = "identity",
        help = "run `git config user.name <name>` and `git config user.email <address>`, then try again"
    ))]
    Identity { said: BString },
    /// git wouldn't take the author.
    #[error("`{}` isn't an author that git accepts", Shown(author))]
    #[strum(props(
        kind = "usage",
        help = "name somebody as in `--author=\"A <a@example.org>\"`, or by a part of the name of an author in this history"
    ))]
    Author { author: BString, said: BString },
    /// git wouldn't take the date.
    #[error("`{}` isn't a date that git accepts", Shown(date))]
    #[strum(props(
        kind = "usage",
        help = "give a date as for `git commit --date`, such as `2026-01-31T12:00:00+0100` or `yesterday`"
    ))]
    Date { date: BString },
    /// git wouldn't take a date that the environment has.
    #[error(
        "`{variable}` is `{}`, which isn't a date that git accepts",
        Shown(date)
    )]
    #[strum(props(
        kind = "usage",
        help = "set it to a date such as `2026-01-31T12:00:00+0100`, or unset it"
    ))]
    DateVariable {
        variable: &'static str,
        date: BString,
    },
    /// Commits are to be made one on the other, and there is none yet.
    #[error("there is no commit yet for the first of several to be made on")]
    #[strum(props(
        kind = "repository",
        help = "make the first commit of one response, without `--each`; then apply the others with `--each`"
    ))]
    Unborn,
    /// Another commit came while ours was being made, so that ours would have taken it back.
    #[error("`HEAD` was moved by another program, most likely a `git commit`")]
    #[strum(props(
        kind = "locked",
        help = "see with `git log` what it committed, then try again"
    ))]
    HeadMoved,
    /// The message is empty, and nobody is asked for another.
    #[error("the commit message is empty")]
    #[strum(props(
        kind = "usage",
        help = "give a message with `-m`, or write one with `--edit`"
    ))]
    EmptyMessage,
    /// Who was to edit the message left none, which is how git is told to make no commit.
    #[error("the commit message was left empty, so there is no commit")]
    #[strum(props(kind = "declined"))]
    Emptied,
    /// The message is to be edited, and there is nothing to do it with.
    #[error("git knows no editor for the commit message")]
    #[strum(props(
        kind = "repository",
        help = "run `git config core.editor <command>`, or give the message with `-m` and without `--edit`"
    ))]
    NoEditor,
    /// The editor failed, or was interrupted.
    #[error("the editor `{}` failed, so there is no commit", Shown(editor))]
    #[strum(props(
        kind = "io",
        help = "name another with `git config core.editor <command>`, or give the message with `-m` and without `--edit`"
    ))]
    EditorFailed { editor: BString },
    /// The tree of the new commit would be that of its parent.
    #[error("nothing to commit: what git stores stays the same")]
    #[strum(props(
        kind = "unchanged",
        help = "only line ends or permissions differ, which git doesn't store; apply it without `--commit`"
    ))]
    NothingToCommit,
    /// The commits that are ready hold something else than the change.
    #[error(
        "the responses together make another change than one after the other, so they can't become commits here"
    )]
    #[strum(props(
        kind = "repository",
        help = "make the commits with `--onto=HEAD --branch=<name>`, then switch to that branch"
    ))]
    OtherTree,
    /// A commit is to be made on a tree.
    #[error("{id} is a tree, and the parent of a commit must be a commit")]
    #[strum(props(
        kind = "usage",
        help = "name a commit with `--onto`, or leave `--commit` out"
    ))]
    NoParent { id: String },
    /// A branch that is to move has commits which it would lose.
    #[error("the branch `{}` has commits that the new one isn't based on", Shown(name.as_bytes()))]
    #[strum(props(kind = "stale"))]
    BranchAhead { name: String },
    /// A branch that is to move is checked out in a work tree, whose files would stay what they
    /// are.
    #[error("the branch `{}` is checked out in `{}`", Shown(name.as_bytes()), Shown(top))]
    #[strum(props(
        kind = "repository",
        help = "name another branch, or run `git llmpatch apply --commit` in that work tree"
    ))]
    BranchInUse { name: String, top: BString },
    /// A branch that is to move is being rebased or bisected in a work tree.
    #[error("the branch `{}` is being rebased or bisected in `{}`", Shown(name.as_bytes()), Shown(top))]
    #[strum(props(
        kind = "repository",
        help = "name another branch, or finish that first"
    ))]
    BranchBusy { name: String, top: BString },
    /// A branch was moved while its commit was made.
    #[error("the branch `{}` was moved by another program", Shown(name.as_bytes()))]
    #[strum(props(
        kind = "locked",
        help = "see with `git log` where it is now, then try again"
    ))]
    BranchMoved { name: String },
    /// A hook refused.
    #[error("the {}{}", refusal(name), exit_status(*status))]
    #[strum(props(kind = "hook"))]
    Hook {
        name: Option<BString>,
        status: Option<i32>,
        kept: Option<PathBuf>,
    },
    /// `git commit` made no commit, and it was no hook that stopped it.
    #[error("`git commit` made no commit{}", exit_status(*status))]
    #[strum(props(kind = "io", help = "see what git says above"))]
    NoCommit { status: Option<i32> },
    /// HEAD was to come to a commit that is there already, and it was no hook that stopped git.
    #[error("git didn't move `HEAD`{}", exit_status(*status))]
    #[strum(props(kind = "io", help = "see what git says above"))]
    NotMoved { status: Option<i32> },
    /// Whether git has ended, or what HEAD is now, can't be read: nobody knows whether it came to
    /// the commit.
    #[error("can't tell whether git moved `HEAD`: {0}")]
    #[strum(props(
        kind = "io",
        help = "run `git llmpatch recover` once git has ended and HEAD can be read: it finishes what was begun if HEAD was moved, and takes it back if not"
    ))]
    InDoubt(RepoError),
    /// The repository can't be read, or there is no git program.
    #[error(transparent)]
    Repository(#[from] RepoError),
}

fn refusal(name: &Option<BString>) -> String {
    match name {
        None => "repository's hook refused the commit".to_owned(),
        Some(name) if name == "reference-transaction" => {
            format!("{name} hook refused to move `HEAD`")
        }
        Some(name) => format!("{} hook refused the commit", Shown(name)),
    }
}

fn exit_status(status: Option<i32>) -> String {
    match status {
        None => String::new(),
        // So git says that it has run nothing.
        Some(..0) => " (it can't be started)".to_owned(),
        Some(status) => format!(" (exit status {status})"),
    }
}
