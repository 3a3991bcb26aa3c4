//! Commits, made by git itself: only it runs hooks, signs, knows who commits, and writes what a
//! reflog should say.
//!
//! Its index is a private one that holds HEAD plus the change and nothing else, so hooks see
//! exactly that, and what a hook adds lands in the commit. The repository's own index isn't touched
//! here.
//!
//! *The message* is taken as it is but for whitespace at line ends and empty lines around it
//! (`--cleanup=whitespace`), so that a line that begins with `#` survives. With `--edit` everything
//! below a scissors line is dropped instead, which is where git then puts its comments.
//! `commit.cleanup=verbatim` is left alone.
//!
//! *Who stopped it:* git tells of each hook that it starts and of its exit status in its own trace
//! (`GIT_TRACE2_EVENT`), so a hook that refused is told from every other failure without guessing
//! from words. Where the user traces there already, the last resort is that git ended with status
//! 1, as it does after a hook, rather than with 128. What git and its hooks say goes straight to
//! the terminal.

mod error;
mod identity;
mod many;
mod outcome;
mod plumbing;
mod trace;

use std::ffi::{OsStr, OsString};
use std::io::Write as _;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use bstr::{BString, ByteSlice as _};
use git2::{Oid, RepositoryState};

pub use self::error::CommitError;
pub(crate) use self::many::Committer;
use self::trace::{Refusal, Trace};
use super::commit_barrier::CommitBarrier;
use super::git::{ChildWatch, Git, checked};
use super::hooks::names_repository;
use super::objects::{printed_id, whole_id};
use super::{Repo, RepoError};
use crate::dir::write::step;
use crate::temporary;
use llmpatch::report::Committed;

/// What a commit is to say and how it is to be made; the names are those of `git commit`'s own
/// options.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CommitRequest {
    /// The message.
    pub message: BString,
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

/// A message written down.
#[derive(Debug)]
pub(crate) struct Draft {
    /// The file that it is in.
    message: PathBuf,
    /// The command of the editor, as git would start it, if somebody edits it.
    editor: Option<OsString>,
}

impl Repo {
    /// Checks that the repository isn't in the middle of something. A bisection is no obstacle, nor
    /// is a rebase that is between two commits (at an `edit`, in what `-x` runs): git commits there
    /// too.
    ///
    /// # Errors
    /// `unsupported`, with the commands that end it.
    pub(crate) fn check_calm(&self) -> Result<(), CommitError> {
        self.check_objects()?;
        let (what, finish) = match self.state()? {
            RepositoryState::Clean | RepositoryState::Bisect => return Ok(()),
            RepositoryState::RebaseInteractive | RepositoryState::RebaseMerge
                if self.is_between_picks()? =>
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
    fn is_between_picks(&self) -> Result<bool, RepoError> {
        let is_there = |name: &&str| {
            self.git_dir().join(name).exists() || !matches!(self.reference(name), Ok(None))
        };
        let is_at_one = [
            "CHERRY_PICK_HEAD",
            "MERGE_HEAD",
            "REVERT_HEAD",
            "SQUASH_MSG",
        ]
        .iter()
        .any(is_there);
        Ok(!is_at_one && !self.index()?.has_conflicts())
    }

    /// Checks what git would refuse of a request, whatever the change is.
    ///
    /// # Errors
    /// `unsupported` for an empty message, `identity`, or if the configuration can't be read.
    pub(crate) fn check_request(&self, request: &CommitRequest) -> Result<(), CommitError> {
        self.check_message(request)?;
        self.check_identity(request)
    }

    /// Checks that git wouldn't take the message for empty, as it does where there are signatures
    /// only.
    ///
    /// # Errors
    /// `unsupported`, or if the configuration can't be read.
    fn check_message(&self, request: &CommitRequest) -> Result<(), CommitError> {
        let mut lines = request.message.lines();
        let says_nothing =
            lines.all(|line| line.starts_with(b"Signed-off-by: ") || line.trim_ascii().is_empty());
        match says_nothing
            && !request.edit
            && (request.message.is_empty() || !self.keeps_messages()?)
        {
            true => Err(CommitError::EmptyMessage),
            false => Ok(()),
        }
    }

    /// Returns whether git is told to leave messages alone.
    fn keeps_messages(&self) -> Result<bool, RepoError> {
        let mode = self.config().string("commit.cleanup")?;
        Ok(mode.is_some_and(|mode| mode.eq_ignore_ascii_case(b"verbatim")))
    }

    /// Returns the commit that HEAD names; `None` on a branch without commits.
    ///
    /// # Errors
    /// If HEAD can't be read.
    pub(crate) fn head_commit(&self) -> Result<Option<Oid>, RepoError> {
        self.reference("HEAD")
            .map_err(|error| RepoError::git("HEAD", error))
    }

    /// Returns the tree of a commit, or of the one that replaces it for git (`git replace`).
    ///
    /// # Errors
    /// If the commit can't be read.
    pub(crate) fn tree_of(&self, commit: Oid) -> Result<Oid, RepoError> {
        let is_on = std::env::var_os("GIT_NO_REPLACE_OBJECTS").is_none()
            && self.config().bool("core.useReplaceRefs")?.unwrap_or(true);
        let replaced = |id: &Oid| {
            self.reference(&format!("refs/replace/{id}"))
                .ok()?
                .filter(|_| is_on)
        };
        // git follows as many.
        let commit = std::iter::successors(Some(commit), replaced)
            .take(6)
            .last()
            .unwrap_or(commit);
        let commit = self
            .git2()
            .find_commit(commit)
            .map_err(|error| RepoError::git("a commit", error))?;
        Ok(commit.tree_id())
    }

    /// Returns the commit of that name in full; `None` if it isn't one.
    pub(crate) fn commit_id(&self, name: &str) -> Option<Oid> {
        whole_id(name)
    }

    /// Returns the commit that was made on another (`None`: on none), of those that led to a third;
    /// `None` if they don't.
    ///
    /// # Errors
    /// If a commit can't be read.
    pub(crate) fn made_on(&self, before: Option<Oid>, now: Oid) -> Result<Option<Oid>, RepoError> {
        let mut at = now;
        // More than these don't come while somebody looks away.
        for _ in 0..1000 {
            let commit = self
                .git2()
                .find_commit(at)
                .map_err(|error| RepoError::git("a commit", error))?;
            match commit.parent_ids().next() {
                _ if Some(at) == before => return Ok(None),
                parent if parent == before => return Ok(Some(at)),
                None => return Ok(None),
                Some(parent) => at = parent,
            }
        }
        Ok(None)
    }

    /// Returns whether HEAD names this commit, and it has a parent.
    pub(crate) fn is_head_with_a_parent(&self, id: Oid) -> bool {
        let is_head = self.head_commit().is_ok_and(|head| head == Some(id));
        is_head
            && self
                .git2()
                .find_commit(id)
                .is_ok_and(|commit| commit.parent_count() == 1)
    }

    /// Returns the lock files of HEAD and of the branch that it names, as far as they are there:
    /// while somebody holds one, there is no commit.
    pub(crate) fn head_locks(&self) -> Vec<PathBuf> {
        locks(self.files_of_head())
    }

    /// Returns the lock files that a commit makes beside that of the index, as far as they are
    /// there: of HEAD, of the branch that it names, and of what git removes afterwards (AUTO_MERGE,
    /// also from the packed references).
    pub(crate) fn commit_locks(&self) -> Vec<PathBuf> {
        let removed = [
            self.git_dir().join("AUTO_MERGE"),
            self.common_dir().join("packed-refs"),
        ];
        self.head_locks()
            .into_iter()
            .chain(locks(removed))
            .collect()
    }

    /// Returns whether this names a commit of that tree with that parent.
    pub(crate) fn is_commit_of(&self, name: &str, parent: Option<&str>, tree: &str) -> bool {
        let commit = whole_id(name).and_then(|id| self.git2().find_commit(id).ok());
        commit.is_some_and(|commit| {
            let parents: Vec<String> = commit.parent_ids().map(|id| id.to_string()).collect();
            parents.iter().map(String::as_str).eq(parent) && commit.tree_id().to_string() == tree
        })
    }

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
    /// Returns HEAD as it is then, and what the index holds then: hooks that run last may have
    /// moved the one, back too, and staged in the other.
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
        let barrier = CommitBarrier::new()?;
        let ready = request.ready.as_deref().and_then(whole_id);
        let arguments = self.arguments(request, draft, ready.zip(before))?;
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
        // The error may be temporary. Where it isn't, to take anything back might be to take it
        // away from under a commit.
        let now = self
            .head_commit()
            .or_else(|_| self.head_commit())
            .map_err(CommitError::InDoubt)?;
        let is_ready = now
            .map(|now| self.leads_to(ready, now))
            .transpose()
            .map_err(CommitError::InDoubt)?;
        match now {
            Some(now) if is_ready == Some(true) => {
                Ok((now, self.tree_in(index).unwrap_or(expected)))
            }
            Some(now) if Some(now) != before && ready.is_some() => Err(CommitError::HeadMoved),
            Some(now) if Some(now) != before => {
                let left = self
                    .tree_in(index)
                    .or_else(|_| self.tree_in(index))
                    .unwrap_or(expected);
                let id = self.confirm_commit(before, now, [expected, left], status.success())?;
                Ok((id, left))
            }
            Some(now) if status.success() && trace.has_committed() => {
                Ok((now, self.tree_in(index).unwrap_or(expected)))
            }
            _ if status.success() => Err(CommitError::NoCommit { status: None }),
            _ => Err(match trace.refusal() {
                Some(Refusal { hook, status }) => {
                    // The others run before git puts the message together.
                    let kept = [&b"prepare-commit-msg"[..], b"commit-msg"].contains(&&hook[..]);
                    let kept = kept.then(|| self.git_dir().join("COMMIT_EDITMSG"));
                    CommitError::Hook {
                        name: Some(hook),
                        status: Some(status),
                        kept,
                    }
                }
                None if !trace.is_ours()
                    && request.verify
                    && status.code() == Some(1)
                    && !request.edit =>
                {
                    CommitError::Hook {
                        name: None,
                        status: status.code(),
                        kept: None,
                    }
                }
                // The shell that waits for git says so if a signal ended it.
                None => CommitError::NoCommit {
                    status: status.code().filter(|code| *code <= 128),
                },
            }),
        }
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
        let subject = self.describe_commit(ready).summary;
        let reason = [b"git-llmpatch: ", &subject[..]].concat();
        let before = before.to_string();
        let ready = ready.to_string();
        let words = [
            "update-ref".into(),
            "-m".into(),
            OsStr::from_bytes(&reason).to_owned(),
            "HEAD".into(),
        ];
        Ok(words
            .into_iter()
            .chain([ready.into(), before.into()])
            .collect())
    }

    /// Returns whether a commit is another one, or was made on it.
    ///
    /// # Errors
    /// If a commit can't be read.
    pub(crate) fn leads_to(&self, id: Option<Oid>, now: Oid) -> Result<bool, RepoError> {
        let Some(id) = id.filter(|id| *id != now) else {
            return Ok(id.is_some());
        };
        self.git2()
            .graph_descendant_of(now, id)
            .map_err(|error| RepoError::git("a commit", error))
    }

    /// Makes sure that HEAD was moved by a commit of just what the index holds, made on the commit
    /// that it was made for.
    ///
    /// One that was made on another takes that one back, so it is itself taken back, unless there
    /// are more on top of it.
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

    /// Finds the commit of one of these trees among those that came, and says what it was made on.
    fn descent(
        &self,
        before: Option<Oid>,
        now: Oid,
        trees: [Oid; 2],
    ) -> Result<Descent, git2::Error> {
        let mut at = now;
        let mut astray = None;
        // More than these don't come in the time that a commit takes.
        for _ in 0..1000 {
            let commit = self.git2().find_commit(at)?;
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
        let mut arguments: Vec<OsString> = vec!["commit".into(), "--quiet".into()];
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

    /// Describes a commit that was just made. What can't be read of it is left out: it was made all
    /// the same.
    pub(crate) fn describe_commit(&self, id: Oid) -> Committed {
        let full = id.to_string();
        let branch = self
            .branch()
            .map(|name| name.strip_prefix(b"refs/heads/").unwrap_or(&name).into());
        let commit = self.git2().find_commit(id).ok();
        let short = commit.as_ref().and_then(|commit| {
            Some(
                commit
                    .as_object()
                    .short_id()
                    .ok()?
                    .as_str()
                    .ok()?
                    .to_owned(),
            )
        });
        Committed {
            short_id: short.unwrap_or_else(|| full[..7].to_owned()),
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
}

fn locks(of: impl IntoIterator<Item = PathBuf>) -> Vec<PathBuf> {
    let locks = of.into_iter().map(|mut name| {
        name.as_mut_os_string().push(".lock");
        name
    });
    locks.filter(|lock| lock.exists()).collect()
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

/// What a new commit was made on.
enum Descent {
    /// On what it was for.
    Right,
    /// On another, and it is the last one.
    Astray { parent: Oid },
    /// It isn't there, or further down.
    Unknown,
}
