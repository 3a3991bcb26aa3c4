//! Commits on HEAD, by `git commit`.

use std::ffi::{OsStr, OsString};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use git2::Oid;

use super::trace::{HookRefusal, Trace};
use super::{CommitError, CommitRequest, sign_argument, with};
use crate::dir::write::step;
use crate::repo::git::{ChildWatch, ExitStatus, Git, checked};
use crate::repo::hooks::names_repository;
use crate::repo::objects::{printed_id, whole_id};
use crate::repo::{Repo, RepoError};
use crate::system::{CommitBarrier, EDITOR_FAILED, OsStrExt as _, despite_passing_fault};
use crate::temporary;

/// A message written down.
#[derive(Debug)]
pub(crate) struct Draft {
    /// The file that it is in.
    message: PathBuf,
    /// The command of the editor, as git would start it, if somebody edits it.
    editor: Option<OsString>,
}

impl Repo {
    /// Writes down, in a directory of ours, what the commit is to say: nothing of it is left for
    /// when the files were looked at for the last time, and git has the whole of it also where we
    /// are dead by then.
    ///
    /// # Errors
    /// `unsupported` if it is to be edited and there is no editor, `io`.
    pub(crate) fn draft(
        &self,
        request: &CommitRequest,
        directory: &Path,
    ) -> Result<Draft, CommitError> {
        let editor = request
            .edit
            .then(|| Git::new(self).editor())
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
        Ok(Draft { message, editor })
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
        request: &CommitRequest,
        draft: &Draft,
        (before, expected): (Option<Oid>, Oid),
        index: &Path,
        directory: &Path,
        watch: &ChildWatch<'_>,
    ) -> Result<(Oid, Oid), CommitError> {
        if self.head_commit()? != before {
            return Err(CommitError::HeadMoved);
        }
        let git = Git::new(self);
        let barrier = CommitBarrier::new().map_err(RepoError::read("a pipe"))?;
        let ready = request.ready.as_deref().and_then(whole_id);
        let hidden = self.hold_last_hook(directory)?;
        let arguments = [hidden, self.arguments(request, draft, ready.zip(before))?].concat();
        let mut command =
            git.held_command(&barrier, watch.lock, draft.editor.as_deref(), arguments)?;
        if !names_repository() && self.is_found_from(self.top()?) {
            // Hooks inherit these, and one that works in other repositories too would be led
            // astray.
            command
                .env_remove("GIT_DIR")
                .env_remove("GIT_WORK_TREE")
                .current_dir(self.top()?);
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
        let now = despite_passing_fault(|| self.head_commit()).map_err(CommitError::InDoubt)?;
        let Some(now) = now else {
            return Err(self.no_commit(request, draft, &trace, status));
        };
        let is_ready = self.has_come_to(ready, before, now);
        let is_ready = is_ready.map_err(CommitError::InDoubt)?;
        let has_moved = Some(now) != before;
        if !is_ready && !has_moved {
            return Err(self.no_commit(request, draft, &trace, status));
        }
        if !is_ready && ready.is_some() {
            return Err(CommitError::HeadMoved);
        }
        let left = despite_passing_fault(|| self.tree_in(index)).unwrap_or(expected);
        if is_ready {
            return Ok((now, left));
        }
        let id = self.confirm_commit(before, now, [expected, left], status.success())?;
        Ok((id, left))
    }

    /// Returns why git made no commit: a hook refused, or something else is wrong.
    fn no_commit(
        &self,
        request: &CommitRequest,
        draft: &Draft,
        trace: &Trace,
        status: ExitStatus,
    ) -> CommitError {
        if status.success() {
            return CommitError::NoCommit { status: None };
        }
        if let Some(HookRefusal { hook, status }) = trace.refusal() {
            // The others run before git puts the message together.
            let kept = [&b"prepare-commit-msg"[..], b"commit-msg"].contains(&&hook[..]);
            return CommitError::Hook {
                name: Some(hook),
                status: Some(status),
                kept: kept.then(|| self.git_dir().join("COMMIT_EDITMSG")),
            };
        }
        let status = status.code();
        if let Some(editor) = &draft.editor
            && (trace.editor_failed() || status.is_some() && status == EDITOR_FAILED)
        {
            let editor = editor.as_bytes().into();
            return CommitError::EditorFailed { editor };
        }
        if !trace.is_ours() && request.verify && status == Some(1) && !request.edit {
            return CommitError::Hook {
                name: None,
                status,
                kept: None,
            };
        }
        if trace.is_ours() && request.edit && status == Some(1) {
            return CommitError::Emptied;
        }
        // The shell that waits for git says so if a signal ended it.
        let status = status.filter(|code| *code <= 128);
        CommitError::NoCommit { status }
    }

    /// Returns the arguments that have git commit, or, where there is a commit already, move HEAD
    /// and the branch that it names from where it was.
    fn arguments(
        &self,
        request: &CommitRequest,
        draft: &Draft,
        ready: Option<(Oid, Oid)>,
    ) -> Result<Vec<OsString>, RepoError> {
        let Some((ready, before)) = ready else {
            return Ok([
                self.commit_arguments(request)?,
                vec!["-F".into(), draft.message.clone().into()],
            ]
            .concat());
        };
        let (what, of) = if self.leads_to(Some(ready), before)? {
            ("git-llmpatch undo: ", before)
        } else {
            ("git-llmpatch: ", ready)
        };
        let reason = with(what, OsStr::from_bytes(&self.describe_commit(of).summary));
        let ids = [ready, before].map(|id| id.to_string().into());
        Ok([
            &["update-ref".into(), "-m".into(), reason, "HEAD".into()],
            &ids[..],
        ]
        .concat())
    }

    /// Makes sure that HEAD was moved by a commit of just what the index holds, made on the commit
    /// that it was made for.
    ///
    /// A commit that was made on another commit reverts that commit, so it is itself taken back,
    /// unless there are more on top of it.
    fn confirm_commit(
        &self,
        before: Option<Oid>,
        now: Oid,
        trees: [Oid; 2],
        is_said: bool,
    ) -> Result<Oid, CommitError> {
        match self.descent(before, now, trees) {
            Ok(Descent::Right) => Ok(now),
            Ok(Descent::Astray { parent }) if is_said => {
                let id = now;
                let parent = parent.to_string();
                let now = now.to_string();
                let reason =
                    "git-llmpatch: take back a commit that was made on another than it was for";
                step("move HEAD back").map_err(RepoError::write("HEAD"))?;
                // Only if it still is where we saw it; else there are more commits on top.
                match Git::new(self)
                    .output(["update-ref", "-m", reason, "HEAD", &parent, &now], b"")
                {
                    Ok(_) => Err(CommitError::HeadMoved),
                    Err(_) => Ok(self.head_commit()?.unwrap_or(id)),
                }
            }
            // A hook may have done with it what it liked.
            Ok(_) | Err(_) if is_said => Ok(now),
            _ => Err(CommitError::HeadMoved),
        }
    }

    fn tree_in(&self, index: &Path) -> Result<Oid, RepoError> {
        if let Some(tree) = self.index_at(index)?.0.tree() {
            return Ok(tree);
        }
        let git = Git::new(self);
        let said = checked(
            git.command(["write-tree"]).env("GIT_INDEX_FILE", index),
            "write-tree",
            b"",
        )?;
        printed_id("write-tree", said)
    }

    /// Finds a new commit with one of these trees, and says what it was made on.
    fn descent(
        &self,
        before: Option<Oid>,
        now: Oid,
        trees: [Oid; 2],
    ) -> Result<Descent, RepoError> {
        let mut at = now;
        let mut astray = None;
        // More than these don't come in the time that a commit takes.
        for _ in 0..1000 {
            let commit = self.find_commit(at)?;
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

    fn commit_arguments(&self, request: &CommitRequest) -> Result<Vec<OsString>, RepoError> {
        let mut arguments = self.encoding_arguments(request.encoding)?;
        arguments.extend(["commit".into(), "--quiet".into()]);
        if !self.keeps_messages()? {
            arguments.push(
                if request.edit {
                    "--cleanup=scissors"
                } else {
                    "--cleanup=whitespace"
                }
                .into(),
            );
        }
        if request.edit {
            arguments.push("--edit".into());
        }
        if !request.verify {
            arguments.push("--no-verify".into());
        }
        if request.signoff {
            arguments.push("--signoff".into());
        }
        arguments.extend(
            request
                .trailers
                .iter()
                .map(|trailer| with("--trailer=", trailer)),
        );
        arguments.extend(
            request
                .author
                .iter()
                .map(|author| with("--author=", author)),
        );
        arguments.extend(request.date.iter().map(|date| with("--date=", date)));
        arguments.extend(sign_argument(&request.sign));
        Ok(arguments)
    }
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
