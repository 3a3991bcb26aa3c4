//! Who commits, who wrote it and when: asked of git before anything is written, so that what it
//! won't take costs nothing.
//!
//! git has no command that judges `--author` and `--date` and does nothing else. So it is asked for
//! the parts: for an identity of that name and address, for a commit whose author the pattern
//! finds, and for a date as a setting may hold one.

use std::ffi::{OsStr, OsString};

use bstr::{BString, ByteSlice as _};

use super::{CommitError, CommitRequest, with};
use crate::repo::Repo;
use crate::repo::git::{Command, Git, Output, check_version, run};
use crate::system::OsStrExt as _;

/// What a date in a setting may be and a date of a commit may not.
const NO_DATES: [&str; 3] = ["never", "all", "false"];

/// Checks that git would know who commits, and would take the author and the date that it is
/// given.
///
/// # Errors
/// `identity` with git's own words; that git is missing or too old.
pub(super) fn check(repo: &Repo, request: &CommitRequest) -> Result<(), CommitError> {
    check_version()?;
    let git = Git::new(repo);
    match &request.author {
        Some(author) => check_author(&git, author)?,
        None => check_person(&git, "GIT_AUTHOR_IDENT", "GIT_AUTHOR_DATE")?,
    }
    check_person(&git, "GIT_COMMITTER_IDENT", "GIT_COMMITTER_DATE")?;
    if let Some(date) = &request.date {
        let default = [OsStr::new("--default"), date].map(OsStr::to_owned);
        let mut command = git.command(["config", "--type=expiry-date"]);
        let output = ask(command
            .args(default)
            .args(["--get", "llmpatch.no-such-date"]))?;
        if NO_DATES.iter().any(|word| date == word) || output.status.code() == Some(128) {
            return Err(CommitError::Date {
                date: date.as_bytes().into(),
            });
        }
    }
    Ok(())
}

fn ask(command: &mut Command) -> Result<Output, crate::repo::RepoError> {
    run(command, b"")
}

/// Checks that git knows a person, and takes the date that a variable may hold.
fn check_person(git: &Git, ident: &str, variable: &'static str) -> Result<(), CommitError> {
    let output = ask(&mut git.command(["var", ident]))?;
    if output.status.success() {
        return Ok(());
    }
    if let Some(date) = std::env::var_os(variable)
        && ask(git.command(["var", ident]).env_remove(variable))?
            .status
            .success()
    {
        let date = date.as_bytes().into();
        return Err(CommitError::DateVariable { variable, date });
    }
    Err(CommitError::Identity {
        said: output.stderr,
    })
}

fn check_author(git: &Git, author: &OsString) -> Result<(), CommitError> {
    let (name, address) = author_of(git, author)?;
    let mut command = git.command(["var", "GIT_AUTHOR_IDENT"]);
    for (variable, value) in [("GIT_AUTHOR_NAME", name), ("GIT_AUTHOR_EMAIL", address)] {
        command.env(variable, OsStr::from_bytes(&value));
    }
    let output = run(&mut command, b"")?;
    if output.status.success() {
        Ok(())
    } else {
        Err(no_author(author, output.stderr))
    }
}

/// Returns name and address of an author, who is given by both, or, where no `>` is in it, by a
/// pattern that some commit's author fits.
///
/// # Errors
/// [`CommitError::Author`] if it is neither.
pub(super) fn author_of(git: &Git, author: &OsString) -> Result<(BString, BString), CommitError> {
    let both =
        |(name, address): (&[u8], &[u8])| (name.trim_ascii().into(), address.trim_ascii().into());
    if author.as_bytes().contains(&b'>') {
        let parts = author
            .as_bytes()
            .split_once_str("<")
            .and_then(|(name, rest)| Some((name, rest.split_once_str(">")?.0)));
        return parts
            .map(both)
            .ok_or_else(|| no_author(author, BString::default()));
    }
    let look = [
        "log",
        "--use-mailmap",
        "--all",
        "-i",
        "-1",
        "--format=%aN%x00%aE",
        "--no-show-signature",
    ];
    let output = run(git.command(look).arg(with("--author=", author)), b"")?;
    match output.stdout.split_once_str("\0") {
        Some(found) if output.status.success() => Ok(both(found)),
        _ => Err(no_author(author, output.stderr)),
    }
}

fn no_author(author: &OsString, said: BString) -> CommitError {
    CommitError::Author {
        author: author.as_bytes().into(),
        said,
    }
}
