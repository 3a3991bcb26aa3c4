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

use super::error::{ChangedSince, TransactionError};
use super::journal::{Journal, plain};
use super::kept;
use super::manifest::{Held, Occupant, RecordedDirectory};
use super::recheck;
use super::record::{Entry, Kept, MadeChange, Record};
use super::staging::{Location, Staging};
use crate::dir::Dir;
use crate::dir::write::step;
use crate::repo::{IndexTree, NextIndex, Repo};
use llmpatch::path::RepoPath;
use llmpatch::plan::{Change, ChangeSet};
use llmpatch::progress::{Progress, Stage};
use llmpatch::tree::{self, File, Tree, TreeError};

/// What `undo` finds.
#[derive(Debug)]
pub enum Last {
    /// There was no change, or it was taken back.
    Nothing,
    /// A commit was made of it, so taking it back is git's affair.
    Commit {
        /// Its name, in full.
        id: String,
        /// Whether HEAD is still there, and has a parent to go back to.
        is_head: bool,
    },
    /// It can be taken back.
    Change(Undoing),
}

/// The last change the other way round.
#[derive(Debug)]
pub struct Undoing {
    /// What becomes of every path.
    pub changes: ChangeSet,
    /// What else is to be put back: the target for [`begin`](super::begin).
    pub reverse: Reverse,
}

/// What a change is to put back besides bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reverse {
    /// What tells the record from others.
    seal: String,
    /// Whether files of the work tree change.
    has_files: bool,
    entries: Vec<Entry>,
    /// Directories that are to go if nothing is left in them.
    pub(super) made: BTreeSet<RepoPath>,
    /// Directories that are to be there, with their permission bits, highest first.
    pub(super) removed: Vec<RecordedDirectory>,
}

impl Staging<'_> {
    /// Writes down what taking the change back will need.
    ///
    /// Where an original can't lie in the journal, since that is on another file system, a copy of
    /// it does.
    pub(super) fn record(&self, all: &ChangeSet, entries: Vec<Entry>) -> io::Result<()> {
        let mut made = MadeChange {
            entries,
            made: self.manifest.made.clone(),
            ..MadeChange::default()
        };
        made.removed = self.manifest.removed.clone();
        let renamed = all
            .iter()
            .filter_map(|change| Some((change.path.clone(), change.from.clone()?)));
        made.renamed = renamed.collect();
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
            });
        }
        kept::write(&self.journal, Record::Made(made))
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
    let made = match record {
        Record::Commit(id) => {
            let is_head = repo
                .commit_id(&id)
                .is_some_and(|id| repo.is_head_with_a_parent(id));
            return Ok(Last::Commit { id, is_head });
        }
        Record::Made(made) => made,
        // None is ever kept.
        Record::Undone(_) => return Ok(Last::Nothing),
    };
    let mut since = Vec::new();
    let mut changes = match made.files.is_empty() {
        true => Vec::new(),
        false => of_files(repo, &made, (&originals, &kept), &mut since, progress)?,
    };
    if !made.entries.is_empty() {
        let index = repo.index_tree()?;
        since.extend(differing(&index, &made.entries)?);
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
        made: made.into_iter().collect(),
        removed,
    };
    Ok(Last::Change(Undoing {
        changes: ChangeSet::new(changes),
        reverse,
    }))
}

/// Works out what becomes of the files, and names those that changed since.
fn of_files(
    repo: &Repo,
    made: &MadeChange,
    (originals, kept): (&Dir, &Path),
    since: &mut Vec<ChangedSince>,
    progress: &Progress,
) -> Result<Vec<Change>, TransactionError> {
    let tree = repo.work_tree()?;
    let goes: BTreeSet<_> = made
        .files
        .iter()
        .filter(|file| file.before.is_none())
        .map(|file| &file.path)
        .collect();
    let mut changes = Vec::new();
    progress.enter(Stage::Planning, made.files.len());
    for (
        number,
        Kept {
            path,
            before,
            after,
        },
    ) in made.files.iter().enumerate()
    {
        let old = before.as_ref().map(|(held, _)| held);
        let is_new = |held: &Held, now: &File| {
            // An undo also minds a mode that was changed since.
            held.bits == now.mode.bits
                && Occupant::judge(old, Some(held), now.content.kept(), now.mode) == Occupant::New
        };
        if number > 0 {
            progress.step();
        }
        let kept_as = || before.as_ref().map(|(_, name)| kept.join(name));
        let now = match (after, tree.read(path)?) {
            (Some(held), tree::Entry::File(now)) if is_new(held, &now) => Some(now),
            (Some(_), tree::Entry::Absent) => {
                since.push(ChangedSince::Gone {
                    path: path.clone(),
                    before: kept_as(),
                });
                None
            }
            (Some(_), _) => {
                since.push(ChangedSince::File {
                    path: path.clone(),
                    before: kept_as(),
                });
                None
            }
            (None, found) => {
                let way = in_the_way(&tree, path, found, &goes)?;
                since.extend(way.into_iter().map(|path| ChangedSince::Appeared { path }));
                None
            }
        };
        let then = match before {
            None => None,
            Some((held, name)) => {
                let file = originals
                    .read(&plain(name))
                    .map_err(TransactionError::io("read", &kept.join(name)))?;
                let Some((content, _)) = file.filter(|(content, _)| held.has(content)) else {
                    since.push(ChangedSince::Original {
                        path: path.clone(),
                        kept: kept.join(name),
                    });
                    continue;
                };
                let mode = tree::Mode {
                    executable: held.executable,
                    bits: held.bits,
                };
                Some(File { content, mode })
            }
        };
        changes.push(Change {
            path: path.clone(),
            before: now,
            after: then,
            from: None,
        });
    }
    Ok(changes)
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

/// Names the entries that changed since, and those in the place to which one comes back.
fn differing(index: &IndexTree<'_>, entries: &[Entry]) -> Result<Vec<ChangedSince>, TreeError> {
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
        let is_same = match (index.slot(path), after) {
            (Ok(Some(now)), Some(after)) => now.agrees(after),
            (Ok(now), after) => now.is_none() && after.is_none() && !unmerged,
            (Err(TreeError::Unmerged { .. }), _) => *unmerged,
            (Err(error), _) => return Err(error),
        };
        if !is_same {
            since.insert(path.clone());
        }
        if before.is_some() && after.is_none() {
            since.extend(
                index
                    .in_the_way(path)
                    .into_iter()
                    .filter(|way| !goes.contains(way)),
            );
        }
    }
    Ok(since
        .into_iter()
        .map(|path| ChangedSince::Entry { path })
        .collect())
}

fn of_entries(
    index: &IndexTree<'_>,
    entries: &[Entry],
    progress: &Progress,
) -> Result<Vec<Change>, TreeError> {
    progress.enter(Stage::Planning, entries.len());
    let change = |Entry {
                      path,
                      before,
                      after,
                      ..
                  }: &Entry| {
        let file = |slot: &Option<_>| -> Result<_, TreeError> {
            // What is only intended to be added has no content here.
            let slot = slot
                .as_ref()
                .filter(|slot: &&crate::repo::Slot| !slot.is_intended());
            slot.map(|slot| index.file(path, slot)).transpose()
        };
        let change = Change {
            path: path.clone(),
            before: file(after)?,
            after: file(before)?,
            from: None,
        };
        progress.step();
        Ok(change)
    };
    entries.iter().map(change).collect()
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
        // The lock is ours: no other run is about to keep what it did.
        let mut others = Journal::all(repo).into_iter().flatten();
        if let Some(unkept) = others.find(|journal| !matches!(journal.applied(), Ok(None))) {
            return Err(TransactionError::Unkept {
                directory: unkept.path(),
            });
        }
        if self.has_entries() {
            let since = differing(&repo.index_tree()?, &self.entries)?;
            if !since.is_empty() {
                return Err(TransactionError::ChangedSince { all: since });
            }
        }
        match self.has_files {
            true => recheck::still_holds(&repo.work_tree()?, changes, progress),
            false => Ok(()),
        }
    }

    /// Restores the entries of the index before in the next one.
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
    let slots = |index: &NextIndex| {
        changes
            .iter()
            .map(|change| index.slot(&change.path))
            .collect::<Vec<_>>()
    };
    let before = slots(next);
    change(next)?;
    let entries = changes.iter().zip(before.into_iter().zip(slots(next)));
    let entries = entries.map(|(change, (before, after))| {
        let path = change.path.clone();
        let unmerged = next.is_unmerged(&change.path);
        Entry {
            path,
            before,
            after,
            unmerged,
        }
    });
    Ok(entries
        .filter(|entry| entry.before != entry.after || entry.unmerged)
        .collect())
}
