//! Commits on any commit, by `git commit-tree`: without HEAD, an index or a hook, and with all else
//! that `git commit` would see to.

use std::ffi::{OsStr, OsString};

use bstr::{BString, ByteSlice as _};
use git2::{ObjectType, Oid};

use super::identity::author_of;
use super::many::stripped;
use super::{
    CommitError, CommitRequest, Sign, encoding_arguments, keeps_messages, sign_argument, with,
};
use crate::repo::git::{Git, checked, run};
use crate::repo::objects::printed_id;
use crate::repo::quarantine::Quarantine;
use crate::repo::{ObjectStore as _, Packing, Repo, RepoError};
use crate::system::OsStrExt as _;

/// Runs git to make the commit that a request makes of a tree and a parent, and adds it to the
/// objects that are ready, the tree among them.
///
/// # Errors
/// If git refuses, as where it can't sign.
pub(crate) fn make(
    repo: &Repo,
    request: &CommitRequest,
    tree: Oid,
    parent: Oid,
    objects: &mut Packing,
) -> Result<Oid, CommitError> {
    // git makes no commit of a tree that it doesn't find.
    let quarantine = Quarantine::new(repo)?;
    quarantine.add(objects.pack_of_all())?;
    let git = Git::new(repo);
    let message = finished_message(repo, &git, request)?;
    if message.is_empty() {
        return Err(CommitError::EmptyMessage);
    }
    let mut command = git.command(encoding_arguments(repo, request.encoding)?);
    command.args(["commit-tree", &tree.to_string(), "-p", &parent.to_string()]);
    let sign = match &request.sign {
        // It doesn't ask for the setting itself.
        Sign::Default if is_signed(repo)? => &Sign::Yes(None),
        sign => sign,
    };
    command.args(sign_argument(sign)).args(["-F", "-"]);
    if let Some(author) = &request.author {
        let (name, address) = author_of(&git, author)?;
        command.env("GIT_AUTHOR_NAME", OsStr::from_bytes(&name));
        command.env("GIT_AUTHOR_EMAIL", OsStr::from_bytes(&address));
    }
    if let Some(date) = &request.date {
        command.env("GIT_AUTHOR_DATE", exact_date(&git, date)?);
    }
    let said = checked(quarantine.hold(&mut command), "commit-tree", &message)?;
    let commit = quarantine.made(printed_id("commit-tree", said)?)?;
    Ok(objects.put(ObjectType::Commit, &commit.into(), None)?)
}

/// Returns whether commits are signed unless somebody says otherwise (`commit.gpgSign`).
pub(super) fn is_signed(repo: &Repo) -> Result<bool, RepoError> {
    Ok(repo.config.bool("commit.gpgSign")?.unwrap_or(false))
}

/// Returns a message as `git commit` leaves it: whitespace put right unless that is switched
/// off, and trailers added.
fn finished_message(repo: &Repo, git: &Git, request: &CommitRequest) -> Result<BString, RepoError> {
    let keeps = keeps_messages(repo)?;
    let cleaned = |message: &BString| {
        if keeps {
            message.clone()
        } else {
            stripped(message).into()
        }
    };
    let message = cleaned(&request.message);
    if !request.signoff && request.trailers.is_empty() {
        return Ok(message);
    }
    let mut command = git.command(["interpret-trailers", "--no-divider"]);
    if request.signoff {
        let said = git.output(["var", "GIT_COMMITTER_IDENT"], b"")?;
        let who = said.rsplit_once_str("> ").map_or(&said[..], |(who, _)| who);
        let who = [b"Signed-off-by: ", who, b">"].concat();
        command.args([
            "--where=end",
            "--if-exists=addIfDifferentNeighbor",
            "--if-missing=add",
        ]);
        command.arg(with("--trailer=", OsStr::from_bytes(&who)));
        command.args(["--no-where", "--no-if-exists", "--no-if-missing"]);
    }
    command.args(
        request
            .trailers
            .iter()
            .map(|trailer| with("--trailer=", trailer)),
    );
    // git separates trailers from the message, even where it then adds none.
    checked(&mut command, "interpret-trailers", &message).map(|message| cleaned(&message))
}

/// Returns a date as it can be in the environment, which knows no `yesterday`.
fn exact_date(git: &Git, date: &OsString) -> Result<OsString, RepoError> {
    let known = run(
        git.command(["var", "GIT_AUTHOR_IDENT"])
            .env("GIT_AUTHOR_DATE", date),
        b"",
    )?;
    if known.status.success() {
        return Ok(date.clone());
    }
    let said = checked(
        git.command(["rev-parse"]).arg(with("--since=", date)),
        "rev-parse",
        b"",
    )?;
    let seconds = said.trim().strip_prefix(b"--max-age=").unwrap_or_default();
    Ok(with("@", OsStr::from_bytes(seconds)))
}
