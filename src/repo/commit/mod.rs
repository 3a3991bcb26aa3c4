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
use std::path::PathBuf;

use bstr::{BString, ByteSlice as _};
use git2::{Oid, RepositoryState};

pub use self::error::CommitError;
pub(crate) use self::many::Committer;
pub(crate) use self::porcelain::Draft;
pub(super) use self::trace::Trace;
use super::git::{Git, run};
use super::objects::whole_id;
use super::{Repo, RepoError, Side};
use crate::repo::replacements;
use llmpatch::compare::Compare as _;
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
        let of_commits = [
            "CHERRY_PICK_HEAD",
            "MERGE_HEAD",
            "REVERT_HEAD",
            "SQUASH_MSG",
        ];
        let is_at_one = of_commits.iter().any(|name| {
            self.git_dir().join(name).exists() || !matches!(self.reference(name), Ok(None))
        });
        Ok(!is_at_one && !self.index()?.has_conflicts())
    }

    /// Checks what git would refuse of a request, whatever the change is.
    ///
    /// # Errors
    /// `unsupported` for an empty message, `identity`, or if the configuration can't be read.
    pub(crate) fn check_request(&self, request: &CommitRequest) -> Result<(), CommitError> {
        if request.ready.is_some() {
            return Ok(());
        }
        self.check_message(request)?;
        self.check_identity(request)
    }

    /// Checks that git wouldn't take the message for empty, as git takes signatures only.
    ///
    /// # Errors
    /// `unsupported`, or if the configuration can't be read.
    fn check_message(&self, request: &CommitRequest) -> Result<(), CommitError> {
        let mut lines = request.message.lines();
        let says_nothing =
            lines.all(|line| line.starts_with(b"Signed-off-by: ") || line.trim_ascii().is_empty());
        if says_nothing
            && !request.edit
            && (request.message.is_empty() || !self.keeps_messages()?)
        {
            Err(CommitError::EmptyMessage)
        } else {
            Ok(())
        }
    }

    /// Returns whether git is told to leave messages alone.
    fn keeps_messages(&self) -> Result<bool, RepoError> {
        let mode = self.config().string("commit.cleanup")?;
        Ok(mode.is_some_and(|mode| mode.eq_ignore_ascii_case(b"verbatim")))
    }

    /// Returns the encoding that commits are to have (`i18n.commitEncoding`), if it isn't UTF-8.
    fn commit_encoding(&self) -> Result<Option<BString>, RepoError> {
        let name = self.config().string("i18n.commitEncoding")?;
        let is_utf8 = |name: &BString| {
            let word = name.to_ascii_lowercase();
            [&b""[..], b"utf-8", b"utf8"].contains(&&word[..])
        };
        Ok(name.filter(|name| !is_utf8(name)))
    }

    /// Returns the arguments before git's command that keep it from calling a message by another
    /// encoding than its own.
    fn encoding_arguments(&self, encoding: MessageEncoding) -> Result<Vec<OsString>, RepoError> {
        let is_other = encoding == MessageEncoding::Utf8 && self.commit_encoding()?.is_some();
        let setting: &[&str] = if is_other {
            &["-c", "i18n.commitEncoding=UTF-8"]
        } else {
            &[]
        };
        Ok(setting.iter().map(OsString::from).collect())
    }

    /// Returns the commit that HEAD names; `None` on a branch without commits.
    ///
    /// # Errors
    /// If HEAD can't be read.
    pub(crate) fn head_commit(&self) -> Result<Option<Oid>, RepoError> {
        self.reference("HEAD").map_err(RepoError::git("HEAD"))
    }

    /// Returns the tree of a commit, or of its replacement (`git replace`).
    ///
    /// # Errors
    /// If the commit can't be read.
    pub(crate) fn tree_of(&self, commit: Oid) -> Result<Oid, RepoError> {
        Ok(self.find_commit(commit)?.tree_id())
    }

    /// Returns a commit, or its replacement: its id is that of the replacement then.
    ///
    /// # Errors
    /// If it can't be read.
    pub(super) fn find_commit(&self, id: Oid) -> Result<git2::Commit<'_>, RepoError> {
        let stored = replacements::follow(self, id)?;
        let commit = self.git2().find_commit(stored);
        commit.map_err(RepoError::git("a commit"))
    }

    /// Returns whether a commit is another, or one that led to it.
    ///
    /// # Errors
    /// If git can't tell.
    pub(super) fn is_ancestor(&self, id: Oid, of: Oid) -> Result<bool, RepoError> {
        let args = [
            "merge-base",
            "--is-ancestor",
            &id.to_string(),
            &of.to_string(),
        ];
        let said = run(&mut Git::new(self).command(args), b"")?;
        match said.status.code() {
            Some(0) => Ok(true),
            Some(1) => Ok(false),
            _ => Err(RepoError::Child {
                command: "merge-base".into(),
                message: said.stderr.trim().into(),
            }),
        }
    }

    /// Parses the full id of a commit; `None` if the text is no full id. Whether there is such a
    /// commit isn't looked up.
    pub(crate) fn commit_id(&self, name: &str) -> Option<Oid> {
        whole_id(name)
    }

    /// Returns the commit that was made on `before` (`None`: the first commit) and led to `now`;
    /// `None` if there is none.
    ///
    /// # Errors
    /// If a commit can't be read.
    pub(crate) fn made_on(&self, before: Option<Oid>, now: Oid) -> Result<Option<Oid>, RepoError> {
        let mut at = now;
        // More than these don't come while somebody looks away.
        for _ in 0..1000 {
            let commit = self.find_commit(at)?;
            match commit.parent_ids().next() {
                _ if Some(at) == before => return Ok(None),
                parent if parent == before => return Ok(Some(at)),
                None => return Ok(None),
                Some(parent) => at = parent,
            }
        }
        Ok(None)
    }

    /// Returns whether `now` is the commit `id`, or was made on it.
    ///
    /// # Errors
    /// If a commit can't be read.
    pub(crate) fn leads_to(&self, id: Option<Oid>, now: Oid) -> Result<bool, RepoError> {
        match id {
            Some(id) if id != now => self.is_ancestor(id, now),
            id => Ok(id.is_some()),
        }
    }

    /// Returns whether HEAD, which was at a commit, has come to another, or to one made on it.
    pub(crate) fn has_come_to(
        &self,
        id: Option<Oid>,
        before: Option<Oid>,
        now: Oid,
    ) -> Result<bool, RepoError> {
        // git isn't asked what can be seen.
        if before == Some(now) || id == Some(now) {
            return Ok(before != Some(now));
        }
        // What is made on where HEAD was leads there, and to all below.
        let is_back = match before {
            Some(at) => self.leads_to(id, at)? && self.leads_to(before, now)?,
            None => false,
        };
        Ok(!is_back && self.leads_to(id, now)?)
    }

    /// Returns a remote-tracking branch that has a commit, by its short name.
    ///
    /// # Errors
    /// If git can't say.
    pub(crate) fn remote_branch_with(&self, id: Oid) -> Result<Option<String>, RepoError> {
        let contains = format!("--contains={id}");
        let arguments = [
            "for-each-ref",
            "--count=1",
            "--format=%(refname:short)",
            &contains,
            "refs/remotes",
        ];
        let said = Git::new(self).output(arguments, b"")?;
        let name = said.lines().next();
        Ok(name.map(|name| name.to_str_lossy().into_owned()))
    }

    /// Returns whether a commit was made on another.
    pub(crate) fn is_child(&self, id: Oid, of: Oid) -> bool {
        self.find_commit(id)
            .is_ok_and(|commit| commit.parent_ids().any(|parent| parent == of))
    }

    /// Returns whether a commit has a parent, and is no merge.
    pub(crate) fn has_one_parent(&self, id: Oid) -> bool {
        let commit = self.find_commit(id);
        commit.is_ok_and(|commit| commit.parent_count() == 1)
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
        let commit = whole_id(name).and_then(|id| self.find_commit(id).ok());
        commit.is_some_and(|commit| {
            let parents: Vec<String> = commit.parent_ids().map(|id| id.to_string()).collect();
            parents.iter().map(String::as_str).eq(parent) && commit.tree_id().to_string() == tree
        })
    }

    /// Abbreviates an id as git does; in full where that can't be told.
    pub fn abbreviated(&self, id: &str) -> String {
        let differ = self.differ(Side::Blobs).ok();
        let short = differ.and_then(|differ| differ.abbreviate(id).ok());
        short.unwrap_or_else(|| id.to_owned())
    }

    /// Describes a commit that was just made. What can't be read of it is left out: it was made all
    /// the same.
    pub(crate) fn describe_commit(&self, id: Oid) -> Committed {
        let full = id.to_string();
        let branch = self
            .branch()
            .map(|name| name.strip_prefix(b"refs/heads/").unwrap_or(&name).into());
        let commit = self.find_commit(id).ok();
        Committed {
            short_id: self.abbreviated(&full),
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
