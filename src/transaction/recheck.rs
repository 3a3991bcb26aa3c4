//! Is every path still what the change was worked out from? Asked under the lock. A time stamp
//! answers only where it can't lie, see [`Moment`](crate::dir::clock::Moment); else the content
//! does.

use super::error::TransactionError;
use super::{Target, lock};
use crate::dir::Dir;
use crate::repo::{
    Against, AgreeingTree, IndexTree, MadeTree, Repo, RevisionTree, WorkTree, commit, history,
};
use llmpatch::path::RepoPath;
use llmpatch::plan::ChangeSet;
use llmpatch::progress::{Progress, Stage};
use llmpatch::tree::{Entry, File, Mode, Obstacle, Tree, TreeError};

/// Checks, under the lock, that all is what the change was worked out from; returns the parent of a
/// new commit.
pub(super) fn under_lock(
    repo: &Repo,
    changes: &ChangeSet,
    target: &Target,
    progress: &Progress,
) -> Result<Option<git2::Oid>, TransactionError> {
    // A change of the index alone, and what takes it back, needs no work tree.
    let _pass = repo.dir().ok().map(Dir::pass);
    match target {
        Target::WorkTree { .. } => still_holds(&WorkTree::new(repo)?, changes, progress)?,
        Target::Index => still_holds(&IndexTree::new(repo)?, changes, progress)?,
        Target::IndexAndWorkTree => {
            still_holds(&AgreeingTree::new(repo, Against::Index)?, changes, progress)?
        }
        Target::Commit(_) => {
            commit::check_calm(repo)?;
            lock::await_head(repo, progress)?;
            // Read once, before all that is compared with it: should it move, the commit is
            // refused.
            let head = history::head(repo)?;
            let tree = AgreeingTree::new(repo, Against::IndexAndHead)?;
            still_holds(&tree, changes, progress)?;
            return Ok(head);
        }
        Target::CommitOfMade(_) => {
            commit::check_calm(repo)?;
            lock::await_head(repo, progress)?;
            let head = history::head(repo)?;
            let before = head.map_or_else(|| "HEAD".to_owned(), |head| head.to_string());
            still_holds(&RevisionTree::new(repo, &before)?, changes, progress)?;
            return match unmade(repo, changes)? {
                Some(path) => Err(TransactionError::Changed { path: path.clone() }),
                None => Ok(head),
            };
        }
        Target::Undo(of) => {
            of.still_holds(repo, changes, progress)?;
            return of.head(repo, progress);
        }
    }
    Ok(None)
}

/// Returns the first path of a change of files as git stores them that isn't in the work tree what
/// the change makes of it, or of which the index has neither what was before nor that.
///
/// # Errors
/// If the work tree or the index can't be read.
pub fn unmade<'c>(
    repo: &Repo,
    changes: &'c ChangeSet,
) -> Result<Option<&'c RepoPath>, TransactionError> {
    let made = MadeTree::new(repo)?;
    for change in changes {
        let (before, after) = (change.before.as_ref(), change.after.as_ref());
        if !made.has(&change.path, before, after)? {
            return Ok(Some(&change.path));
        }
    }
    Ok(None)
}

/// Checks every path of a change against the place that it was planned for.
pub(super) fn still_holds(
    tree: &dyn Tree,
    changes: &ChangeSet,
    progress: &Progress,
) -> Result<(), TransactionError> {
    progress.enter(Stage::Planning, changes.len());
    for change in changes {
        let found = with_link(tree, &change.path, tree.read_kept(&change.path)?)?;
        match (&change.before, found) {
            (Some(before), Entry::File(now)) if is_same(before, &now) => {}
            (Some(_), _) => {
                return Err(TransactionError::Changed {
                    path: change.path.clone(),
                });
            }
            (None, Entry::Absent) => {}
            (
                None,
                Entry::Beneath {
                    ancestor,
                    what: None,
                },
            ) if changes.removes(&ancestor) => {}
            (None, Entry::Directory) => {
                if let Some(left) = tree
                    .leaves_below(&change.path)?
                    .into_iter()
                    .find(|leaf| !changes.removes(leaf))
                {
                    return Err(TransactionError::Appeared { path: left });
                }
            }
            (None, _) => {
                return Err(TransactionError::Appeared {
                    path: change.path.clone(),
                });
            }
        }
        tree.confirm(&change.path, change.before.as_ref())?;
        progress.step();
    }
    Ok(())
}

/// Returns what was found at a path; a symbolic link as a file that holds where it leads.
pub(super) fn with_link(
    tree: &dyn Tree,
    path: &RepoPath,
    found: Entry,
) -> Result<Entry, TreeError> {
    let link = match found {
        Entry::Other(Obstacle::Link) => tree.link(path)?,
        _ => None,
    };
    Ok(link.map_or(found, |content| {
        let mode = Mode::LINK;
        Entry::File(File { content, mode })
    }))
}

fn is_same(before: &File, now: &File) -> bool {
    let bits = before.mode.bits.is_none() || before.mode.bits == now.mode.bits;
    before.content.kept() == now.content.kept()
        && before.mode.executable == now.mode.executable
        && bits
}

#[cfg(test)]
mod tests {
    use super::*;
    use llmpatch::path::RepoPath;
    use llmpatch::plan::Change;
    use llmpatch::tree::MemoryTree;

    fn change(path: &str, before: Option<&str>, after: Option<&str>) -> Change {
        let file = |content: &str| File {
            content: content.into(),
            mode: Mode::PLAIN,
        };
        let path = RepoPath::new(path.as_bytes()).unwrap();
        Change {
            path,
            before: before.map(file),
            after: after.map(file),
            from: None,
        }
    }

    #[test]
    fn only_what_was_planned_on_passes() {
        let link = || MemoryTree::new().with_entry("a", Entry::Other(Obstacle::Link));
        let plain = |path: &str| MemoryTree::new().with(path, "1");
        for (tree, changes, want) in [
            (plain("a"), vec![change("a", Some("1"), Some("2"))], Ok(())),
            (
                plain("a"),
                vec![change("a", Some("0"), Some("2"))],
                Err("`a` was changed by another program meanwhile"),
            ),
            (
                plain("b"),
                vec![change("a", Some("1"), None)],
                Err("`a` was changed by another program meanwhile"),
            ),
            (
                link(),
                vec![change("a", Some("1"), None)],
                Err("`a` was changed by another program meanwhile"),
            ),
            (plain("b"), vec![change("a", None, Some("2"))], Ok(())),
            (
                plain("a"),
                vec![change("a", None, Some("2"))],
                Err("`a` was created by another program meanwhile"),
            ),
            (
                plain("a"),
                vec![change("a", Some("1"), None), change("a/b", None, Some("2"))],
                Ok(()),
            ),
            (
                plain("a"),
                vec![change("a/b", None, Some("2"))],
                Err("`a/b` was created by another program meanwhile"),
            ),
            (
                plain("a/b"),
                vec![change("a/b", Some("1"), None), change("a", None, Some("2"))],
                Ok(()),
            ),
            (
                plain("a/b"),
                vec![change("a", None, Some("2"))],
                Err("`a/b` was created by another program meanwhile"),
            ),
            (
                link(),
                vec![change("a/b", None, Some("2"))],
                Err("`a/b` was created by another program meanwhile"),
            ),
        ] {
            let got = still_holds(
                &tree,
                &ChangeSet::new(changes.clone()),
                &Progress::default(),
            )
            .map_err(|error| error.to_string());
            assert_eq!(got, want.map_err(str::to_owned), "{changes:?}");
        }
    }
}
