//! The changes that undo would come to, each with what it would find there.
//!
//! A change is judged by what the work tree and the index would hold, and by where HEAD would be,
//! once the changes after it were taken back; one that can't be would be forgotten.

use std::collections::BTreeMap;

use super::error::TransactionError;
use super::kept::{self, Opened};
use super::last::{differing, of_files};
use super::made_commits::MadeCommits;
use super::record::{MadeChange, Record};
use crate::repo::{IndexTree, Repo, Slot, WorkTree, history, objects};
use llmpatch::path::RepoPath;
use llmpatch::plan::FileOperation;
use llmpatch::progress::Progress;
use llmpatch::report::EarlierFile;
use llmpatch::tree::{Entry, File, Tree, TreeError};

/// A change that undo would come to.
#[derive(Debug)]
pub struct Earlier {
    /// When it was made, in seconds since 1970.
    pub when: i64,
    /// The commits that were made of it.
    pub commits: Option<MadeCommits>,
    /// Whether git is to take these back.
    pub is_for_git: bool,
    /// The files that it changed, by path.
    pub files: Vec<EarlierFile>,
    /// The paths that changed since, or are in the way, in order, so that it can't be taken back.
    pub since: Vec<RepoPath>,
}

/// The changes that are kept, the newest first.
#[derive(Debug, Default)]
pub struct Listed {
    /// Those before the first that can't be read.
    pub earlier: Vec<Earlier>,
    /// Why that can't be read.
    pub end: Option<TransactionError>,
}

/// Lists the changes that are kept, the newest first, up to a change that can't be read.
///
/// # Errors
/// If the directory that they are in can't be read, or the work tree or the index can't.
pub fn earlier(repo: &Repo) -> Result<Listed, TransactionError> {
    let mut head = history::head(repo)?;
    let mut taken_back = TakenBack::default();
    let mut all = Listed::default();
    for opened in kept::all(repo)? {
        let opened = match opened {
            Ok(opened) => opened,
            Err(error) => {
                all.end = Some(error);
                break;
            }
        };
        let mut one = Earlier::of(repo, head, &opened)?;
        if let Some(made) = opened.0.made()
            && !one.is_for_git
        {
            one.since = taken_back.and(repo, made, &opened)?;
        }
        if let Record::Committed(committed) = &opened.0
            && !one.is_for_git
        {
            head = objects::whole_id(&committed.before);
        }
        all.earlier.push(one);
    }
    Ok(all)
}

/// What is back once changes were taken back.
#[derive(Default)]
struct TakenBack {
    files: BTreeMap<RepoPath, Option<File>>,
    slots: BTreeMap<RepoPath, Option<Slot>>,
}

impl TakenBack {
    /// Takes one more change back, unless paths changed since: these are returned.
    fn and(
        &mut self,
        repo: &Repo,
        made: &MadeChange,
        (_, originals, kept): &Opened,
    ) -> Result<Vec<RepoPath>, TransactionError> {
        let mut since = Vec::new();
        let mut changes = Vec::new();
        if !made.files.is_empty() {
            let tree = TreeBefore {
                now: &WorkTree::new(repo)?,
                files: &self.files,
            };
            let progress = Progress::default();
            changes = of_files(&tree, made, (originals, kept), &mut since, &progress)?;
        }
        if !made.entries.is_empty() {
            since.extend(differing(
                &IndexTree::new(repo)?,
                &made.entries,
                &self.slots,
            )?);
        }
        if since.is_empty() {
            let files = changes
                .into_iter()
                .map(|change| (change.path, change.after));
            self.files.extend(files);
            let slots = made.entries.iter();
            self.slots
                .extend(slots.map(|entry| (entry.path.clone(), entry.before)));
        }
        let mut since: Vec<_> = since
            .iter()
            .filter_map(|one| one.since().cloned())
            .collect();
        since.sort();
        since.dedup();
        Ok(since)
    }
}

/// The work tree as it was before some changes.
struct TreeBefore<'t> {
    now: &'t dyn Tree,
    /// The files that would be back, and the paths where none would be.
    files: &'t BTreeMap<RepoPath, Option<File>>,
}

impl TreeBefore<'_> {
    fn has(&self, path: &RepoPath) -> Option<bool> {
        self.files.get(path).map(Option::is_some)
    }
}

impl Tree for TreeBefore<'_> {
    fn below(&self) -> Option<&dyn Tree> {
        Some(self.now)
    }

    fn read(&self, path: &RepoPath) -> Result<Entry, TreeError> {
        if let Some(Some(file)) = self.files.get(path) {
            return Ok(Entry::File(file.clone()));
        }
        let above = path.ancestors().find(|above| self.has(above) == Some(true));
        if let Some(ancestor) = above {
            return Ok(Entry::Beneath {
                ancestor,
                what: None,
            });
        }
        let mut files = self.files.iter().filter(|(_, file)| file.is_some());
        if files.any(|(file, _)| file.is_below(path)) {
            return Ok(Entry::Directory);
        }
        Ok(match self.now.read(path)? {
            Entry::File(_) if self.has(path).is_some() => Entry::Absent,
            Entry::Beneath { ancestor, .. } if self.has(&ancestor).is_some() => Entry::Absent,
            // One that a change made goes with the last file in it.
            Entry::Directory if self.leaves_below(path)?.is_empty() => Entry::Absent,
            found => found,
        })
    }

    fn leaves_below(&self, directory: &RepoPath) -> Result<Vec<RepoPath>, TreeError> {
        let mut leaves = match self.now.read(directory)? {
            Entry::Directory => self.now.leaves_below(directory)?,
            _ => Vec::new(),
        };
        leaves.retain(|leaf| self.has(leaf).is_none());
        let back = self.files.iter().filter(|(_, file)| file.is_some());
        let back = back.filter(|(path, _)| path.is_below(directory));
        leaves.extend(back.map(|(path, _)| path.clone()));
        Ok(leaves)
    }
}

impl Earlier {
    /// Returns what a change was.
    ///
    /// # Errors
    /// If git can't say what became of its commits.
    pub(super) fn of(
        repo: &Repo,
        head: Option<git2::Oid>,
        (record, dir, _): &Opened,
    ) -> Result<Self, TransactionError> {
        let ids = match record {
            Record::Commit(id, before) => Some((&id[..], before.as_deref())),
            Record::Committed(made) => Some((&made.id[..], Some(&made.before[..]))),
            _ => None,
        };
        let commits = ids
            .map(|ids| MadeCommits::of(repo, head, ids))
            .transpose()?;
        let goes_back = commits.as_ref().is_some_and(MadeCommits::can_go_back);
        let made = record.made();
        let files = made.iter().flat_map(|made| &made.files);
        let files = files.map(|file| EarlierFile {
            path: file.path.clone(),
            operation: FileOperation::of(file.before.as_ref(), file.after.as_ref()),
        });
        let entries = made.iter().flat_map(|made| &made.entries);
        let entries = entries.map(|entry| EarlierFile {
            path: entry.path.clone(),
            operation: FileOperation::of(entry.before, entry.after),
        });
        let mut files: Vec<_> = files.chain(entries).collect();
        files.sort_by(|a, b| a.path.cmp(&b.path));
        files.dedup_by(|a, b| a.path == b.path);
        Ok(Self {
            when: kept::when(dir),
            is_for_git: commits.is_some() && !(goes_back && made.is_some()),
            commits,
            files,
            since: Vec::new(),
        })
    }
}
