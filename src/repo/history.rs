//! Commits: which commits a name means, what they say, and what they touch.

use bstr::BString;
use git2::{ErrorCode, Oid};

use super::directories::Directories;
use super::objects::{TREE, leaf};
use super::{Conversion, Repo, RepoError};
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
    /// with `first_parent`, only the first parents.
    ///
    /// # Errors
    /// If there is none of that name.
    pub fn commits(&self, named: &str, first_parent: bool) -> Result<Vec<Commit>, RepoError> {
        if !named.contains("..") {
            let commit = self.revision(named)?.commit;
            let commit = commit.ok_or_else(|| RepoError::no_revision(named))?;
            return Ok(vec![self.described(commit)?]);
        }
        self.ids_in_range(named, first_parent)?
            .into_iter()
            .map(|id| self.described(id))
            .collect()
    }

    /// Returns what a commit touches, by path; renames aren't looked for.
    ///
    /// # Errors
    /// If an object can't be read.
    pub fn touched(&self, commit: &Commit, progress: &Progress) -> Result<Vec<Touched>, RepoError> {
        let parent = commit.parents.first();
        self.differing(parent.map(String::as_str), &commit.id, progress)
    }

    /// Returns the id of the last commit of a pull request, and what it shows: what was changed since
    /// the commit at which its branch parted from another.
    ///
    /// # Errors
    /// If a name isn't that of a commit, if the two have no commit in common, or if an object can't
    /// be read.
    pub fn pull_request(
        &self,
        base: &str,
        head: &str,
        progress: &Progress,
    ) -> Result<(String, Vec<Touched>), RepoError> {
        let [one, other] = [base, head].map(|named| {
            let commit = self.revision(named)?.commit;
            commit.ok_or_else(|| RepoError::no_revision(named))
        });
        let (one, other) = (one?, other?);
        let parted = match self.git.merge_base(one, other) {
            Ok(parted) => parted.to_string(),
            Err(error) if error.code() == ErrorCode::NotFound => {
                let [base, head] = [base, head].map(str::to_owned);
                return Err(RepoError::Unrelated { base, head });
            }
            Err(error) => return Err(RepoError::git("a merge base")(error)),
        };
        let head = other.to_string();
        let touched = self.differing(Some(&parted), &head, progress)?;
        Ok((head, touched))
    }

    /// Returns what differs between a commit and an earlier one, or none, by path.
    fn differing(
        &self,
        old: Option<&str>,
        new: &str,
        progress: &Progress,
    ) -> Result<Vec<Touched>, RepoError> {
        let new = self.directories_of(new)?;
        let old = old.map(|id| self.directories_of(id)).transpose()?;
        let paths = new.differing_from(old.as_ref().map(Directories::top))?;
        let conversion = self.work_tree_conversion()?;
        let mut touched = Vec::with_capacity(paths.len());
        progress.enter(Stage::Planning, paths.len());
        for path in paths {
            let before = self.file_in(&conversion, old.as_ref(), &path)?;
            let after = self.file_in(&conversion, Some(&new), &path)?;
            check_at_hand(&path, &before, &after)?;
            touched.push((path, before, after));
            progress.step();
        }
        Ok(touched)
    }

    fn directories_of(&self, commit: &str) -> Result<Directories<'_>, RepoError> {
        let id = Oid::from_str_ext(commit, self.git.object_format())
            .map_err(RepoError::git("a commit"))?;
        Ok(Directories::new(self, self.tree_of(id)?))
    }

    fn described(&self, id: Oid) -> Result<Commit, RepoError> {
        let commit = self.find_commit(id)?;
        Ok(Commit {
            id: id.to_string(),
            message: commit.message_raw_bytes().into(),
            parents: commit.parent_ids().map(|id| id.to_string()).collect(),
        })
    }

    /// Returns the file at a path of a tree.
    fn file_in(
        &self,
        conversion: &Conversion<'_>,
        tree: Option<&Directories<'_>>,
        path: &[u8],
    ) -> Result<Entry, RepoError> {
        let found = tree.map(|tree| tree.entry(path)).transpose()?;
        let Some((id, mode)) = found.flatten().filter(|(_, mode)| *mode != TREE) else {
            return Ok(Entry::Absent);
        };
        // What can't be named is only to be told of.
        let name = RepoPath::new(path).or_else(|_| RepoPath::new(b"a file"));
        name.map_err(|error| error.to_string())
            .and_then(|name| {
                leaf(self, conversion, &name, id, mode).map_err(|error| error.to_string())
            })
            .map_err(|error| RepoError::read(path)(std::io::Error::other(error)))
    }
}

/// Checks that a change of a file can be told: both contents are at hand, or they are the same.
fn check_at_hand(path: &[u8], before: &Entry, after: &Entry) -> Result<(), RepoError> {
    let [before, after] = [before, after].map(|entry| match entry {
        Entry::File(file) => Some(&file.content),
        _ => None,
    });
    if after.is_none() || before.map(Content::kept) == after.map(Content::kept) {
        return Ok(());
    }
    match [before, after]
        .into_iter()
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
