//! The last changes of this work tree, kept so that `git llmpatch undo` can take them back, the
//! newest first.
//!
//! What is kept of them, and how, is said in [`kept`].
//!
//! Taking it back is a change like any other, the other way round, that goes through
//! [`begin`](super::begin). Nothing that is kept is trusted: the record is sealed, the old bytes
//! must have the hash that it says, and every path, file or entry of the index, must be what the
//! change made of it, or nothing at all is taken back.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::Path;

use super::error::TransactionError;
use super::journal::plain;
use super::kept;
use super::made_commits::{Back, MadeCommits};
use super::manifest::{Held, Occupant, RecordedDirectory};
use super::recheck;
use super::record::{Entry, Kept, MadeChange, Record};
use super::staging::{Location, Staging};
use crate::dir::Dir;
use crate::dir::write::step;
use crate::repo::{IndexTree, NextIndex, Repo, Slot, WorkTree, history};
use llmpatch::path::RepoPath;
use llmpatch::plan::{Change, ChangeSet};
use llmpatch::progress::{Progress, Stage};
use llmpatch::tree::{self, File, Tree, TreeError};

/// What `undo` finds.
#[derive(Debug)]
pub enum Last {
    /// There was no change, or it was taken back.
    Nothing,
    /// Commits were made of it that aren't where HEAD is, or that others may have, so taking them back
    /// is git's affair.
    Commits(MadeCommits),
    /// It can be taken back.
    Change(Box<Undoing>),
}

/// The last change the other way round.
#[derive(Debug)]
pub struct Undoing {
    /// When the change was made, in seconds since 1970.
    pub when: i64,
    /// What becomes of every path.
    pub changes: ChangeSet,
    /// What else is to be put back: the target for [`begin`](super::begin).
    pub reverse: Reverse,
    /// The commits from which HEAD goes back.
    pub commits: Option<MadeCommits>,
}

/// What a change is to put back besides bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reverse {
    /// What tells the record from others.
    seal: String,
    /// Whether files of the work tree change.
    has_files: bool,
    entries: Vec<Entry>,
    pub(super) back: Option<Back>,
    /// Directories that are to go if nothing is left in them.
    pub(super) made: BTreeSet<RepoPath>,
    /// Directories that are to be there, with their permission bits, highest first.
    pub(super) removed: Vec<RecordedDirectory>,
}

impl Staging<'_> {
    /// Writes down what taking the change back will need.
    pub(super) fn record(&self, all: &ChangeSet, entries: Vec<Entry>) -> io::Result<()> {
        kept::write(&self.journal, Record::Made(self.made(all, entries)?))
    }

    /// Returns what taking the change back will need.
    ///
    /// Where an original can't lie in the journal, since that is on another file system, a copy of
    /// it does.
    pub(super) fn made(&self, all: &ChangeSet, entries: Vec<Entry>) -> io::Result<MadeChange> {
        let renamed = all
            .iter()
            .filter_map(|change| Some((change.path.clone(), change.from.clone()?)));
        let mut made = MadeChange {
            files: Vec::new(),
            entries,
            renamed: renamed.collect(),
            made: self.manifest.made.clone(),
            removed: self.manifest.removed.clone(),
            roots: self.journal.roots.clone(),
        };
        for (number, (change, touched)) in
            self.changes.iter().zip(&self.manifest.touched).enumerate()
        {
            let before = match (&touched.before, change.on_disk()) {
                (Some(held), Some(file)) => Some((held.clone(), self.kept_name(number, file)?)),
                _ => None,
            };
            let after = touched.after.as_ref().zip(self.written.get(&number));
            let after = after.map(|(held, stat)| Held {
                executable: stat.is_executable(),
                bits: Some(stat.bits),
                ..held.clone()
            });
            made.files.push(Kept {
                path: change.path.clone(),
                before,
                after,
                depth: 0,
            });
        }
        Ok(made)
    }

    fn kept_name(&self, number: usize, file: &File) -> io::Result<String> {
        if let Some(Location::Journal(name)) = self
            .originals
            .get(&number)
            .map(|original| &original.location)
        {
            return Ok(name.as_bstr().to_string());
        }
        let name = format!("copy-{number}");
        step("copy an original")?;
        self.journal.dir().put(&plain(&name), file.content.kept())?;
        Ok(name)
    }
}

/// Reads what the last change was, and works out what would take it back.
///
/// # Errors
/// `stale` with every path that changed since, `io` if what was kept is damaged.
pub fn last(repo: &Repo, progress: &Progress) -> Result<Last, TransactionError> {
    let Some((record, originals, kept)) = kept::newest(repo)? else {
        return Ok(Last::Nothing);
    };
    let seal = record.seal();
    let head = || history::head(repo);
    let (made, commits, back) = match record {
        Record::Commit(id, before) => {
            let made = MadeCommits::of(repo, head()?, (&id, before.as_deref()))?;
            return Ok(Last::Commits(made));
        }
        Record::Committed(committed) => {
            let ids = (&committed.id[..], Some(&committed.before[..]));
            let made = MadeCommits::of(repo, head()?, ids)?;
            let Some(back) = Back::of(&committed).filter(|_| made.can_go_back()) else {
                return Ok(Last::Commits(made));
            };
            (committed.change, Some(made), Some(back))
        }
        Record::Made(made) => (made, None, None),
        // None is ever kept.
        Record::Undone(_) => return Ok(Last::Nothing),
    };
    let changes = reversed(repo, &made, (&originals, &kept), progress)?;
    let MadeChange {
        files,
        entries,
        made,
        mut removed,
        ..
    } = made;
    removed.sort_by_key(|directory| directory.path.parts().count());
    let reverse = Reverse {
        seal,
        has_files: !files.is_empty(),
        entries,
        back,
        made: made.into_iter().collect(),
        removed,
    };
    Ok(Last::Change(Box::new(Undoing {
        when: kept::when(&originals),
        changes,
        reverse,
        commits,
    })))
}

/// Works out what becomes of every path where a change is taken back.
fn reversed(
    repo: &Repo,
    made: &MadeChange,
    kept: (&Dir, &Path),
    progress: &Progress,
) -> Result<ChangeSet, TransactionError> {
    let mut since = Vec::new();
    let mut changes = if made.files.is_empty() {
        Vec::new()
    } else {
        of_files(&WorkTree::new(repo)?, made, kept, &mut since, progress)?
    };
    if !made.entries.is_empty() {
        let index = IndexTree::new(repo)?;
        since.extend(differing(&index, &made.entries, &BTreeMap::new())?);
        if made.files.is_empty() && since.is_empty() {
            changes = of_entries(&index, &made.entries, progress)?;
        }
    }
    if !since.is_empty() {
        return Err(TransactionError::ChangedSince { all: since });
    }
    let renamed: BTreeMap<_, _> = made.renamed.iter().map(|(new, old)| (old, new)).collect();
    for change in changes.iter_mut().filter(|change| change.before.is_none()) {
        change.from = renamed.get(&change.path).map(|new| (*new).clone());
    }
    Ok(ChangeSet::new(changes))
}

/// Works out what becomes of the files, and names the files that changed since.
pub(super) fn of_files(
    tree: &dyn Tree,
    made: &MadeChange,
    (originals, kept): (&Dir, &Path),
    since: &mut Vec<TransactionError>,
    progress: &Progress,
) -> Result<Vec<Change>, TransactionError> {
    let goes: BTreeSet<_> = made
        .files
        .iter()
        .filter(|file| file.before.is_none())
        .map(|file| &file.path)
        .collect();
    let mut changes = Vec::new();
    progress.enter(Stage::Planning, made.files.len());
    for (number, file) in made.files.iter().enumerate() {
        if number > 0 {
            progress.step();
        }
        let found = recheck::with_link(tree, &file.path, tree.read(&file.path)?)?;
        if is_back(file.before.as_ref().map(|(held, _)| held), &found) {
            continue;
        }
        changes.push(Change {
            path: file.path.clone(),
            before: present(tree, file, found, &goes, kept, since)?,
            after: original(file, originals, kept, since)?,
            from: None,
        });
    }
    Ok(changes)
}

/// Returns what the change made of a file, if that is still there; records what else is there.
fn present(
    tree: &dyn Tree,
    file: &Kept,
    found: tree::Entry,
    goes: &BTreeSet<&RepoPath>,
    kept: &Path,
    since: &mut Vec<TransactionError>,
) -> Result<Option<File>, TreeError> {
    let path = file.path.clone();
    let before = file.before.as_ref().map(|(_, name)| kept.join(name));
    match (&file.after, found) {
        (Some(held), tree::Entry::File(now)) if file.is_new(held, &now) => return Ok(Some(now)),
        (Some(_), tree::Entry::Absent) => since.push(TransactionError::FileGone { path, before }),
        (Some(_), _) => since.push(TransactionError::FileChanged { path, before }),
        (None, found) => {
            let way = in_the_way(tree, &path, found, goes)?;
            since.extend(
                way.into_iter()
                    .map(|path| TransactionError::InTheWay { path }),
            );
        }
    }
    Ok(None)
}

/// Returns what a file was before the change; records that its old bytes changed.
fn original(
    file: &Kept,
    originals: &Dir,
    kept: &Path,
    since: &mut Vec<TransactionError>,
) -> Result<Option<File>, TransactionError> {
    let Some((held, name)) = &file.before else {
        return Ok(None);
    };
    let found = originals
        .read_file_or_link(&plain(name))
        .map_err(TransactionError::io("read", &kept.join(name)))?;
    let Some((content, _)) = found.filter(|(content, _)| held.has(content)) else {
        since.push(TransactionError::OriginalChanged {
            path: file.path.clone(),
            kept: kept.join(name),
        });
        return Ok(None);
    };
    let mode = tree::Mode {
        executable: held.executable,
        bits: held.bits,
    };
    Ok(Some(File { content, mode }))
}

impl Kept {
    /// Returns whether a file is what the change made of it. An undo also minds a mode that was
    /// changed since.
    fn is_new(&self, held: &Held, now: &File) -> bool {
        let old = self.before.as_ref().map(|(held, _)| held);
        held.bits == now.mode.bits
            && Occupant::judge(old, Some(held), now.content.kept(), now.mode) == Occupant::New
    }
}

/// Returns whether a file is what it was before a change already. One that the change made and that
/// is gone may have been moved: that is told.
fn is_back(old: Option<&Held>, found: &tree::Entry) -> bool {
    let (Some(held), tree::Entry::File(now)) = (old, found) else {
        return false;
    };
    let has_mode = held.bits == now.mode.bits && held.executable == now.mode.executable;
    has_mode && held.has(now.content.kept())
}

/// Returns what is in the place to which a file comes back, unless it goes itself.
fn in_the_way(
    tree: &dyn Tree,
    path: &RepoPath,
    found: tree::Entry,
    goes: &BTreeSet<&RepoPath>,
) -> Result<Vec<RepoPath>, TreeError> {
    Ok(match found {
        tree::Entry::Absent => Vec::new(),
        tree::Entry::Beneath { ancestor, .. } if goes.contains(&ancestor) => Vec::new(),
        tree::Entry::Beneath { ancestor, .. } => vec![ancestor],
        tree::Entry::Directory => {
            let mut left = tree.leaves_below(path)?;
            left.retain(|leaf| !goes.contains(leaf));
            left.sort();
            left
        }
        tree::Entry::File(_) | tree::Entry::Other(_) => vec![path.clone()],
    })
}

/// Names the entries that changed since, and what is in the place to which an entry comes back, in
/// an index in which some slots are others.
pub(super) fn differing(
    index: &IndexTree<'_>,
    entries: &[Entry],
    others: &BTreeMap<RepoPath, Option<Slot>>,
) -> Result<Vec<TransactionError>, TreeError> {
    let goes: BTreeSet<_> = entries
        .iter()
        .filter(|entry| entry.before.is_none())
        .map(|entry| &entry.path)
        .collect();
    let mut since = BTreeSet::new();
    for Entry {
        path,
        before,
        after,
        unmerged,
    } in entries
    {
        let now = match others.get(path) {
            Some(slot) => Ok(*slot),
            None => index.slot(path),
        };
        let is_expected = match now {
            Err(TreeError::Unmerged { .. }) => *unmerged,
            Err(error) => return Err(error),
            Ok(now) if *unmerged => now.is_some() && are_same(now, *after),
            // An entry that is what it was before already is left so.
            Ok(now) => are_same(now, *before) || are_same(now, *after),
        };
        if !is_expected {
            since.insert(path.clone());
        }
        if before.is_some() && after.is_none() {
            since.extend(
                index
                    .in_the_way(path)
                    .into_iter()
                    .filter(|way| !goes.contains(way) && !others.contains_key(way)),
            );
        }
    }
    Ok(since
        .into_iter()
        .map(|path| TransactionError::EntryChanged { path })
        .collect())
}

fn are_same(one: Option<Slot>, other: Option<Slot>) -> bool {
    match (one, other) {
        (Some(one), Some(other)) => one.agrees(&other),
        (one, other) => one.is_none() && other.is_none(),
    }
}

fn of_entries(
    index: &IndexTree<'_>,
    entries: &[Entry],
    progress: &Progress,
) -> Result<Vec<Change>, TreeError> {
    progress.enter(Stage::Planning, entries.len());
    let mut changes = Vec::new();
    for entry in entries {
        changes.push(Change {
            path: entry.path.clone(),
            before: content_of(index, entry, entry.after)?,
            after: content_of(index, entry, entry.before)?,
            from: None,
        });
        progress.step();
    }
    Ok(changes)
}

/// Returns the file of an entry. What is only intended to be added has no content here.
fn content_of(
    index: &IndexTree<'_>,
    entry: &Entry,
    slot: Option<Slot>,
) -> Result<Option<File>, TreeError> {
    slot.filter(|slot| !slot.is_intended())
        .map(|slot| index.file(&entry.path, &slot))
        .transpose()
}

impl Reverse {
    /// Returns what is to be written down of it: what it takes back.
    pub(super) fn record(&self) -> Record {
        Record::Undone(self.seal.clone())
    }

    /// Returns whether files of the work tree change.
    pub fn has_files(&self) -> bool {
        self.has_files
    }

    /// Returns whether entries of the index change.
    pub fn has_entries(&self) -> bool {
        !self.entries.is_empty()
    }

    /// Returns the paths whose files are back already, so that only their entries change.
    pub(super) fn entries_alone(&self, changes: &ChangeSet) -> impl Iterator<Item = RepoPath> {
        let paths = self.entries.iter().map(|entry| &entry.path);
        paths.filter(|path| changes.get(path).is_none()).cloned()
    }

    /// Checks, under the lock, that all still is what it was worked out from.
    pub(super) fn still_holds(
        &self,
        repo: &Repo,
        changes: &ChangeSet,
        progress: &Progress,
    ) -> Result<(), TransactionError> {
        if kept::newest(repo)?.is_none_or(|(record, ..)| record.seal() != self.seal) {
            return Err(TransactionError::Superseded);
        }
        kept::all_are_kept(repo)?;
        if self.has_entries() {
            let since = differing(&IndexTree::new(repo)?, &self.entries, &BTreeMap::new())?;
            if !since.is_empty() {
                return Err(TransactionError::ChangedSince { all: since });
            }
        }
        if self.has_files {
            recheck::still_holds(&WorkTree::new(repo)?, changes, progress)
        } else {
            Ok(())
        }
    }

    /// Restores the entries of the old index in the next index.
    pub(super) fn restore(
        &self,
        next: &mut NextIndex,
        stats: &BTreeMap<&RepoPath, crate::dir::Stat>,
    ) -> Result<(), TransactionError> {
        // All that goes first: it may be in the way of what comes.
        for gone in [true, false] {
            for Entry { path, before, .. } in self
                .entries
                .iter()
                .filter(|entry| entry.before.is_none() == gone)
            {
                next.restore(path, before.as_ref(), stats.get(path))?;
            }
        }
        Ok(())
    }
}

/// Returns what an index says of the paths of a change.
pub(super) fn entries(
    changes: &ChangeSet,
    next: &mut NextIndex,
    change: impl FnOnce(&mut NextIndex) -> Result<(), TransactionError>,
) -> Result<Vec<Entry>, TransactionError> {
    let before: Vec<_> = changes
        .iter()
        .map(|change| next.slot(&change.path))
        .collect();
    change(next)?;
    let entries = changes.iter().zip(before).map(|(change, before)| Entry {
        path: change.path.clone(),
        before,
        after: next.slot(&change.path),
        unmerged: next.is_unmerged(&change.path),
    });
    Ok(entries
        .filter(|entry| entry.before != entry.after || entry.unmerged)
        .collect())
}
