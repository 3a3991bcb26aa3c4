//! Commits: which ones a name means, what they say, and what they touch.

use bstr::BString;
use git2::{DiffOptions, Oid, Sort};

use super::directories::Directories;
use super::objects::{TREE, leaf};
use super::{Repo, RepoError};
use llmpatch::path::RepoPath;
use llmpatch::progress::{Progress, Stage};
use llmpatch::tree::{Content, Entry, Withheld};

/// A commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Commit {
    /// Its whole id.
    pub id: String,
    /// Its message, as it is.
    pub message: BString,
    /// The ids of its parents.
    pub parents: Vec<String>,
}

/// A path that a commit touches, as git names it, and what is there in its first parent and in
/// itself.
pub type Touched = (BString, Entry, Entry);

impl Repo {
    /// Returns the commits that a name or a range (`A..B`) means, the oldest first; of a range,
    /// with `first_parent`, those that following first parents comes upon.
    ///
    /// # Errors
    /// If there is none of that name.
    pub fn commits(&self, named: &str, first_parent: bool) -> Result<Vec<Commit>, RepoError> {
        let unknown = |_| RepoError::NoRevision {
            rev: named.to_owned(),
        };
        if !named.contains("..") {
            let commit = self.object(named)?.peel_to_commit().map_err(unknown)?;
            return Ok(vec![described(&commit)]);
        }
        let mut walk = self
            .git
            .revwalk()
            .map_err(|error| RepoError::git("the history", error))?;
        self.push_range(&mut walk, named)?;
        if first_parent {
            walk.simplify_first_parent()
                .map_err(|error| RepoError::git("the history", error))?;
        }
        walk.set_sorting(Sort::TOPOLOGICAL | Sort::REVERSE)
            .map_err(|error| RepoError::git("the history", error))?;
        let commit = |id: Result<Oid, git2::Error>| Ok(described(&self.git.find_commit(id?)?));
        walk.map(commit)
            .collect::<Result<_, _>>()
            .map_err(|error| RepoError::git("the history", error))
    }

    /// Returns what a commit touches, by path; renames aren't looked for.
    ///
    /// # Errors
    /// If an object can't be read.
    pub fn touched(&self, commit: &Commit, progress: &Progress) -> Result<Vec<Touched>, RepoError> {
        let tree = |id: &str| {
            Oid::from_str_ext(id, self.git.object_format())
                .and_then(|id| self.git.find_commit(id)?.tree())
        };
        let new = tree(&commit.id).map_err(failed)?;
        let old = commit
            .parents
            .first()
            .map(|id| tree(id))
            .transpose()
            .map_err(failed)?;
        let mut options = DiffOptions::new();
        options.include_typechange(true);
        let diff = self
            .git
            .diff_tree_to_tree(old.as_ref(), Some(&new), Some(&mut options))
            .map_err(failed)?;
        let [old, new] = [old, Some(new)].map(|tree| Some(Directories::new(self, tree?.id())));
        let conversion = self.work_tree_conversion()?;
        let mut touched = Vec::with_capacity(diff.deltas().len());
        progress.enter(Stage::Planning, diff.deltas().len());
        for delta in diff.deltas() {
            let path = delta
                .new_file()
                .path_bytes()
                .or_else(|| delta.old_file().path_bytes())
                .unwrap_or_default();
            // A diff tells of modes too, but git2 panics on those that old trees hold.
            let side = |directories: Option<&Directories<'_>>| {
                let found = directories
                    .map(|directories| directories.entry(path))
                    .transpose()?;
                let there = found.flatten().filter(|(_, mode)| *mode != TREE);
                let Some((id, mode)) = there else {
                    return Ok(Entry::Absent);
                };
                // What can't be named is only to be told of.
                let name = RepoPath::new(path).or_else(|_| RepoPath::new(b"a file"));
                let name = name.map_err(|_| RepoError::Io {
                    what: path.into(),
                    source: std::io::Error::other("no name"),
                })?;
                leaf(self, &conversion, &name, id, mode).map_err(|error| RepoError::Io {
                    what: path.into(),
                    source: std::io::Error::other(error.to_string()),
                })
            };
            let before = side(old.as_ref())?;
            let after = side(new.as_ref())?;
            check_at_hand(path, &before, &after)?;
            touched.push((BString::from(path), before, after));
            progress.step();
        }
        Ok(touched)
    }
}

fn failed(error: git2::Error) -> RepoError {
    RepoError::git("a commit", error)
}

/// Checks that a change of a file can be told: both contents are at hand, or they are the same.
fn check_at_hand(path: &[u8], before: &Entry, after: &Entry) -> Result<(), RepoError> {
    let content = |entry: &Entry| match entry {
        Entry::File(file) => Some(file.content.clone()),
        _ => None,
    };
    let (before, Some(after)) = (content(before), content(after)) else {
        return Ok(());
    };
    if before
        .as_ref()
        .is_some_and(|before| before.kept() == after.kept())
    {
        return Ok(());
    }
    match [before, Some(after)]
        .iter()
        .flatten()
        .find_map(Content::why_withheld)
        .cloned()
    {
        Some(Withheld { what, by }) => Err(RepoError::Withheld {
            path: path.into(),
            what,
            by,
        }),
        None => Ok(()),
    }
}

fn described(commit: &git2::Commit<'_>) -> Commit {
    Commit {
        id: commit.id().to_string(),
        message: commit.message_raw_bytes().into(),
        parents: commit.parent_ids().map(|id| id.to_string()).collect(),
    }
}
