//! The commits that were made of a change, and HEAD, which goes back from them.

use super::error::TransactionError;
use super::last::Reverse;
use super::lock;
use super::record::CommittedChange;
use crate::repo::{CommitError, CommitRequest, Repo, RepoError, commit, differ, history, objects};
use llmpatch::progress::Progress;

/// What has become of the commits that were made of a change.
#[derive(Debug)]
pub struct MadeCommits {
    /// The whole id of the last.
    pub full: String,
    /// The same, as git abbreviates it.
    pub id: String,
    /// Where HEAD was before several.
    pub before: Option<String>,
    /// Whether the last is still in the history of HEAD.
    pub is_there: bool,
    /// Whether there are others on top of it there.
    pub is_below: bool,
    /// Whether HEAD is still there, and has a parent to go back to.
    pub is_head: bool,
    /// A remote-tracking branch that has it already, if HEAD is there.
    pub remote: Option<String>,
}

/// Where HEAD goes back to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Back {
    /// Where it is.
    from: git2::Oid,
    /// The commit before.
    pub(super) request: CommitRequest,
}

impl MadeCommits {
    /// Looks for a commit, or for several from HEAD as it was before, where HEAD is at `now`.
    ///
    /// # Errors
    /// If git can't say which branches have it.
    pub(super) fn of(
        repo: &Repo,
        now: Option<git2::Oid>,
        (id, before): (&str, Option<&str>),
    ) -> Result<Self, RepoError> {
        let oid = objects::whole_id(id);
        let is_there = now.is_some_and(|now| history::leads_to(repo, oid, now).unwrap_or(false));
        let is_parent = |before: &&str| {
            let both = oid.zip(objects::whole_id(before));
            both.is_some_and(|(id, before)| history::is_child(repo, id, before))
        };
        let before = before.filter(|before| !is_parent(before));
        let is_head = oid.is_some_and(|id| now == oid && history::has_one_parent(repo, id));
        let last = oid.filter(|_| is_head);
        let remote = last
            .map(|id| history::remote_branch_with(repo, id))
            .transpose()?;
        Ok(Self {
            full: id.to_owned(),
            id: differ::abbreviated(repo, id),
            before: before.map(|before| differ::abbreviated(repo, before)),
            is_there,
            is_below: is_there && now != oid,
            is_head,
            remote: remote.flatten(),
        })
    }

    /// Returns whether HEAD can go back to where it was before, and nobody else has them.
    pub(super) fn can_go_back(&self) -> bool {
        self.is_head && self.remote.is_none()
    }
}

impl Back {
    /// Returns where HEAD goes back to from commits, if they can be read.
    pub(super) fn of(committed: &CommittedChange) -> Option<Self> {
        let request = CommitRequest {
            ready: Some(committed.before.clone()),
            ..CommitRequest::default()
        };
        let from = objects::whole_id(&committed.id)?;
        Some(Self { from, request })
    }
}

impl Reverse {
    /// Returns where HEAD is, if it is to go back from there.
    pub(super) fn head(
        &self,
        repo: &Repo,
        progress: &Progress,
    ) -> Result<Option<git2::Oid>, TransactionError> {
        let Some(back) = &self.back else {
            return Ok(None);
        };
        commit::check_calm(repo).map_err(|error| match error {
            CommitError::InProgress { what, finish } => {
                TransactionError::InProgress { what, finish }
            }
            error => error.into(),
        })?;
        lock::await_head(repo, progress)?;
        let head = history::head(repo)?;
        if head == Some(back.from) {
            Ok(head)
        } else {
            Err(CommitError::HeadMoved.into())
        }
    }
}
