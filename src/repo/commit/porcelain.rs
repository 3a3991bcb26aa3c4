//! Commits on HEAD, by `git commit`.

use std::ffi::{OsStr, OsString};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use git2::Oid;

use super::trace::{HookRefusal, Trace};
use super::{
    CommitError, CommitRequest, describe, encoding_arguments, keeps_messages, sign_argument, with,
};
use crate::dir::write::step;
use crate::repo::git::{ChildWatch, ExitStatus, Git, checked};
use crate::repo::hooks::names_repository;
use crate::repo::objects::{printed_id, whole_id};
use crate::repo::{Repo, RepoError, history, hooks, index};
use crate::system::{CommitBarrier, EDITOR_FAILED, OsStrExt as _, despite_passing_fault};
use crate::temporary;

/// A message written down.
#[derive(Debug)]
pub(crate) struct Draft<'r> {
    repo: &'r Repo,
    request: CommitRequest,
    /// The file that it is in.
    message: PathBuf,
    /// The command of the editor, as git would start it, if somebody edits it.
    editor: Option<OsString>,
}

impl<'r> Draft<'r> {
    /// Writes down, in a directory of ours, what the commit is to say: nothing of it is left for
    /// when the files were looked at for the last time, and git has the whole of it also where we
    /// are dead by then.
    ///
    /// # Errors
    /// `unsupported` if it is to be edited and there is no editor, `io`.
    pub(crate) fn write(
        repo: &'r Repo,
        request: &CommitRequest,
        directory: &Path,
    ) -> Result<Self, CommitError> {
        let editor = request
            .edit
            .then(|| Git::new(repo).editor())
            .transpose()
            .map_err(|error| match error {
                RepoError::Child { .. } => CommitError::NoEditor,
                error => error.into(),
            })?;
        let message = directory.join("message");
        let written = step("write the message")
            .and_then(|()| temporary::create(&message, 0o600))
            .and_then(|mut file| file.write_all(&request.message));
        written.map_err(RepoError::write(&message))?;
        Ok(Self {
            repo,
            request: request.clone(),
            message,
            editor,
        })
    }

    /// Runs git to commit what an index holds, which is one commit and a change to it. `directory`
    /// is ours, for files that go with it.
    ///
    /// Whether there is a commit is judged by HEAD, not by an exit status: git also fails after it
    /// moved HEAD. And HEAD may have been moved by somebody else: a `git commit` gives the lock on
    /// the index back before it moves HEAD.
    ///
    /// Returns HEAD as it is then, and what the index holds then: hooks may have staged in it.
    ///
    /// # Errors
    /// If there is no commit of ours, and then nothing but the private index changed.
    pub(crate) fn commit(
        &self,
        (before, expected): (Option<Oid>, Oid),
        index: &Path,
        directory: &Path,
        watch: &ChildWatch<'_>,
    ) -> Result<(Oid, Oid), CommitError> {
        if history::head(self.repo)? != before {
            return Err(CommitError::HeadMoved);
        }
        let git = Git::new(self.repo);
        let barrier = CommitBarrier::new().map_err(RepoError::read("a pipe"))?;
        let ready = self.request.ready.as_deref().and_then(whole_id);
        let hidden = hooks::hold_last(self.repo, directory)?;
        let arguments = [hidden, self.arguments(ready.zip(before))?].concat();
        let mut command =
            git.held_command(&barrier, watch.lock, self.editor.as_deref(), arguments)?;
        if !names_repository() && self.repo.is_found_from(self.repo.top()?) {
            // Hooks inherit these, and one that works in other repositories too would be led
            // astray.
            command
                .env_remove("GIT_DIR")
                .env_remove("GIT_WORK_TREE")
                .current_dir(self.repo.top()?);
        }
        command.env("GIT_INDEX_FILE", index);
        let trace = Trace::begin(directory, &mut command);
        step("start git commit").map_err(RepoError::write(index))?;
        let status = git
            .attach(&mut command, barrier, watch)
            .map_err(|error| match error {
                RepoError::NoGit { .. } => error.into(),
                error => CommitError::InDoubt(error),
            })?;
        // Where that can't be told, to take anything back might be to take it away from under a
        // commit.
        let now =
            despite_passing_fault(|| history::head(self.repo)).map_err(CommitError::InDoubt)?;
        let Some(now) = now else {
            return Err(self.no_commit(&trace, status));
        };
        let is_ready = history::has_come_to(self.repo, ready, before, now);
        let is_ready = is_ready.map_err(CommitError::InDoubt)?;
        let has_moved = Some(now) != before;
        if !is_ready && !has_moved {
            return Err(self.no_commit(&trace, status));
        }
        if !is_ready && ready.is_some() {
            return Err(CommitError::HeadMoved);
        }
        let left = despite_passing_fault(|| tree_in(self.repo, index)).unwrap_or(expected);
        if is_ready {
            return Ok((now, left));
        }
        let id = confirm(self.repo, before, now, [expected, left], status.success())?;
        Ok((id, left))
    }

    /// Returns why HEAD is where it was: a hook refused, or something else is wrong.
    fn no_commit(&self, trace: &Trace, status: ExitStatus) -> CommitError {
        let is_ready = self.request.ready.is_some();
        if status.success() {
            return no_move(is_ready, None);
        }
        if let Some(HookRefusal { hook, status }) = trace.refusal() {
            // The others run before git puts the message together.
            let kept = [&b"prepare-commit-msg"[..], b"commit-msg"].contains(&&hook[..]);
            return CommitError::Hook {
                name: Some(hook),
                status: Some(status),
                kept: kept.then(|| self.repo.git_dir().join("COMMIT_EDITMSG")),
            };
        }
        let status = status.code();
        // The shell that waits for git says so if a signal ended it.
        let own = status.filter(|code| *code <= 128);
        if is_ready {
            return no_move(is_ready, own);
        }
        if let Some(editor) = &self.editor
            && (trace.editor_failed() || status.is_some() && status == EDITOR_FAILED)
        {
            let editor = editor.as_bytes().into();
            return CommitError::EditorFailed { editor };
        }
        if !trace.is_ours() && self.request.verify && status == Some(1) && !self.request.edit {
            return CommitError::Hook {
                name: None,
                status,
                kept: None,
            };
        }
        if trace.is_ours() && self.request.edit && status == Some(1) {
            return CommitError::Emptied;
        }
        no_move(is_ready, own)
    }

    /// Returns the arguments that have git commit, or, where there is a commit already, move HEAD
    /// and the branch that it names from where it was.
    fn arguments(&self, ready: Option<(Oid, Oid)>) -> Result<Vec<OsString>, RepoError> {
        let Some((ready, before)) = ready else {
            return Ok([
                self.commit_arguments()?,
                vec!["-F".into(), self.message.clone().into()],
            ]
            .concat());
        };
        let (what, of) = if history::leads_to(self.repo, Some(ready), before)? {
            ("git-llmpatch undo: ", before)
        } else {
            ("git-llmpatch: ", ready)
        };
        let reason = with(what, OsStr::from_bytes(&describe(self.repo, of).summary));
        let ids = [ready, before].map(|id| id.to_string().into());
        Ok([
            &["update-ref".into(), "-m".into(), reason, "HEAD".into()],
            &ids[..],
        ]
        .concat())
    }

    fn commit_arguments(&self) -> Result<Vec<OsString>, RepoError> {
        let mut arguments = encoding_arguments(self.repo, self.request.encoding)?;
        arguments.extend(["commit".into(), "--quiet".into()]);
        if !keeps_messages(self.repo)? {
            arguments.push(
                if self.request.edit {
                    "--cleanup=scissors"
                } else {
                    "--cleanup=whitespace"
                }
                .into(),
            );
        }
        if self.request.edit {
            arguments.push("--edit".into());
        }
        if !self.request.verify {
            arguments.push("--no-verify".into());
        }
        if self.request.signoff {
            arguments.push("--signoff".into());
        }
        arguments.extend(
            self.request
                .trailers
                .iter()
                .map(|trailer| with("--trailer=", trailer)),
        );
        arguments.extend(
            self.request
                .author
                .iter()
                .map(|author| with("--author=", author)),
        );
        arguments.extend(self.request.date.iter().map(|date| with("--date=", date)));
        arguments.extend(sign_argument(&self.request.sign));
        Ok(arguments)
    }
}

/// Returns the error of a HEAD that git left where it was: no commit was made, or it was there
/// already.
fn no_move(is_ready: bool, status: Option<i32>) -> CommitError {
    if is_ready {
        CommitError::NotMoved { status }
    } else {
        CommitError::NoCommit { status }
    }
}

/// Makes sure that HEAD was moved by a commit of just what the index holds, made on the commit
/// that it was made for.
///
/// A commit that was made on another commit reverts that commit, so it is itself taken back,
/// unless there are more on top of it.
fn confirm(
    repo: &Repo,
    before: Option<Oid>,
    now: Oid,
    trees: [Oid; 2],
    is_said: bool,
) -> Result<Oid, CommitError> {
    match descent(repo, before, now, trees) {
        Ok(Descent::Right) => Ok(now),
        Ok(Descent::Astray { parent }) if is_said => {
            let id = now;
            let parent = parent.to_string();
            let now = now.to_string();
            let reason =
                "git-llmpatch: take back a commit that was made on another than it was for";
            step("move HEAD back").map_err(RepoError::write("HEAD"))?;
            // Only if it still is where we saw it; else there are more commits on top.
            match Git::new(repo).output(["update-ref", "-m", reason, "HEAD", &parent, &now], b"") {
                Ok(_) => Err(CommitError::HeadMoved),
                Err(_) => Ok(history::head(repo)?.unwrap_or(id)),
            }
        }
        // A hook may have done with it what it liked.
        Ok(_) | Err(_) if is_said => Ok(now),
        _ => Err(CommitError::HeadMoved),
    }
}

fn tree_in(repo: &Repo, index: &Path) -> Result<Oid, RepoError> {
    if let Some(tree) = index::read_at(repo, index)?.0.tree() {
        return Ok(tree);
    }
    let git = Git::new(repo);
    let said = checked(
        git.command(["write-tree"]).env("GIT_INDEX_FILE", index),
        "write-tree",
        b"",
    )?;
    printed_id("write-tree", said)
}

/// Finds a new commit with one of these trees, and says what it was made on.
fn descent(
    repo: &Repo,
    before: Option<Oid>,
    now: Oid,
    trees: [Oid; 2],
) -> Result<Descent, RepoError> {
    let mut at = now;
    let mut astray = None;
    // More than these don't come in the time that a commit takes.
    for _ in 0..1000 {
        let commit = history::find(repo, at)?;
        let parent = commit.parent_ids().next();
        let is_one = trees.contains(&commit.tree_id());
        if is_one && parent == before {
            return Ok(Descent::Right);
        }
        // A hook may also have made it on ours.
        astray = astray.or(parent.filter(|_| is_one && at == now));
        match parent {
            Some(parent) if Some(parent) != before => at = parent,
            _ => break,
        }
    }
    Ok(astray.map_or(Descent::Unknown, |parent| Descent::Astray { parent }))
}

/// What a new commit was made on.
enum Descent {
    /// On what it was for.
    Right,
    /// It was made on another commit, and is the last commit.
    Astray { parent: Oid },
    /// It isn't there, or further down.
    Unknown,
}
