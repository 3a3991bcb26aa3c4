//! The recovery of one change whose run died. Which changes these are, and that nobody else is at
//! it, is up to [`recover`](mod@super::recover).

use std::io;

use super::committing::remove_ref_locks;
use super::error::{Holder, TransactionError, Unfit, Unresolved, Why};
use super::flush::Flush;
use super::journal::{Journal, plain};
use super::kept;
use super::lock::{IndexLock, Stamp, index_lock, index_name, remove_dead_lock, with_suffix};
use super::manifest::{Manifest, RunKind};
use super::publish::is_missing;
use super::record::Record;
use super::recover::{Asked, How, Recovered};
use super::undo::{Remains, Undo};
use crate::repo::{NextIndex, Repo, differ, history, index, links, objects};
use llmpatch::path::RepoPath;
use llmpatch::progress::{Progress, Stage};
use llmpatch::text::listed;

/// Whether a commit was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CommitMade {
    No,
    Ours,
    /// Ours, or another program's on the same parent.
    Perhaps,
}

pub(super) struct Recovery<'r> {
    pub(super) repo: &'r Repo,
    pub(super) journal: &'r Journal,
    pub(super) flush: Flush,
    pub(super) progress: &'r Progress,
}

impl Recovery<'_> {
    /// Recovers it; says who holds the lock without which nothing can be done, if somebody does.
    pub(super) fn run(&self, asked: Asked) -> Result<Result<Recovered, Holder>, TransactionError> {
        let mut done = Recovered::default();
        let left = |why| Ok(Ok(Recovered::left_of(self.journal, why)));
        let (manifest, draft) = match self.read() {
            Ok(read) => read,
            Err(why) => return left(why),
        };
        if let Some(manifest) = &manifest {
            if !links::may_all_be_touched(self.repo, manifest.places())? {
                return left(Why::Broken);
            }
            let is_locked = self.is_locked();
            if asked == Asked::No
                && let Some(why) = self.decided(manifest, is_locked)?
            {
                return left(why);
            }
            let _lock = if is_locked {
                None
            } else {
                let journal = Journal::make(self.repo)?;
                match IndexLock::attempt(self.repo, &journal)? {
                    Ok(lock) => Some((lock, journal)),
                    Err(holder) => return Ok(Err(holder)),
                }
            };
            done.origin = manifest.origin;
            done.paths = manifest.paths().cloned().collect();
            let is_over = if self.made(manifest)? != CommitMade::No {
                done.how = How::Finished;
                self.finish(manifest, &mut done)
            } else if !self.is_whole(manifest)? {
                return left(Why::Broken);
            } else {
                done.how = How::TakenBack;
                self.take_back(manifest, &mut done)?
            };
            done.open.extend(remove_ref_locks(self.repo, manifest));
            if !is_over {
                return Ok(Ok(done));
            }
        }
        if let Err(why) = self.tidy_up(&manifest.or(draft), asked, &mut done) {
            done.open.push(Unresolved::Journal(Unfit {
                directory: self.journal.path(),
                why,
            }));
        }
        Ok(Ok(done))
    }

    /// Reads the manifest of a change that isn't finished, and what was to be made.
    fn read(&self) -> Result<(Option<Manifest>, Option<Manifest>), Why> {
        match self.journal.stamp()? {
            Some((stamp, _)) if stamp.index != index_name(self.repo) => Err(Why::OtherIndex),
            _ => Ok((self.journal.manifest()?, self.journal.draft()?)),
        }
    }

    /// Removes what is left of a change that is certain, or that came to nothing.
    fn tidy_up(
        &self,
        draft: &Option<Manifest>,
        asked: Asked,
        done: &mut Recovered,
    ) -> Result<(), Why> {
        let applied = self.journal.applied()?;
        let applied =
            applied.filter(|of| links::may_all_be_touched(self.repo, of.places()).unwrap_or(false));
        let mut removed = Vec::new();
        let tidied = self.tidy(applied.iter().chain(draft), &[], &mut removed);
        if let Some(manifest) = &applied {
            done.origin = manifest.origin;
            if done.how == How::Tidied {
                done.how = How::Complete;
            }
            self.remove_emptied_directories(manifest);
        }
        // Until now `git status` has shown them.
        if done.how == How::Tidied && !removed.is_empty() {
            done.notes.push(format!(
                "it had prepared {}",
                listed(
                    removed.iter().map(|path| format!("`{path}`")),
                    removed.len()
                )
            ));
        }
        remove_dead_lock(self.repo, Some(self.journal), asked).map_err(|error| Why::of(&error))?;
        if applied.is_none() {
            match tidied {
                Ok(()) => self.journal.remove_on_drop(),
                // Its name is in the journal, which stays.
                Err(error) => done.notes.push(format!(
                    "a file that was prepared could not be removed: {error}"
                )),
            }
        } else if let Err(error) = kept::keep(self.journal) {
            // It stays, so that this can be tried again.
            done.notes
                .push(format!("what undo needs could not be kept: {error}"));
        }
        Ok(())
    }

    /// Returns whether the dead run's own lock keeps git out.
    fn is_locked(&self) -> bool {
        Stamp::read(&index_lock(self.repo))
            .is_some_and(|(stamp, _)| stamp.run() == Some(self.journal.run()))
    }

    /// Returns what shows that somebody has decided what becomes of this, if anything does.
    fn decided(
        &self,
        manifest: &Manifest,
        is_locked: bool,
    ) -> Result<Option<Why>, TransactionError> {
        if !is_locked {
            return Ok(Some(Why::Unlocked));
        }
        let head = history::head(self.repo)?.map(|id| id.to_string());
        if head != manifest.head && self.made(manifest)? != CommitMade::Ours {
            return Ok(Some(Why::HeadMoved));
        }
        let path = self.repo.index_path();
        if manifest.with_index
            && self
                .journal
                .is_index_other(path)
                .map_err(TransactionError::io("read", path))?
        {
            Ok(Some(Why::IndexMoved))
        } else {
            Ok(None)
        }
    }

    /// Returns whether the commit was made: then a commit that was made on the old HEAD leads to
    /// the new HEAD.
    fn made(&self, manifest: &Manifest) -> Result<CommitMade, TransactionError> {
        let (Some(tree), Some(now)) = (&manifest.tree, history::head(self.repo)?) else {
            return Ok(CommitMade::No);
        };
        // Then no commit has to be read, not even one that went with the power.
        if manifest.head.as_deref() == Some(&now.to_string()[..]) {
            return Ok(CommitMade::No);
        }
        if let Some(commit) = &manifest.commit {
            let before = manifest.head.as_deref().and_then(objects::whole_id);
            let commit = objects::whole_id(commit);
            return Ok(if history::has_come_to(self.repo, commit, before, now)? {
                CommitMade::Ours
            } else {
                CommitMade::No
            });
        }
        let before = match &manifest.head {
            Some(head) => match objects::whole_id(head) {
                Some(id) => Some(id),
                None => return Ok(CommitMade::No),
            },
            None => None,
        };
        let Some(first) = history::made_on(self.repo, before, now)? else {
            return Ok(CommitMade::No);
        };
        let is_expected = history::tree(self.repo, first)?.to_string() == *tree;
        let has_begun = self.journal.has_begun();
        // A hook may have added to it.
        Ok(if is_expected || first == now && has_begun {
            CommitMade::Ours
        } else if has_begun {
            CommitMade::Perhaps
        } else {
            CommitMade::No
        })
    }

    /// Finishes a change; says whether nothing of it is left to do.
    fn finish(&self, manifest: &Manifest, done: &mut Recovered) -> bool {
        if let Err(error) = self.follow(manifest, done) {
            done.notes.push(format!(
                "the index could not be updated to the new commit: {error}"
            ));
            done.open.push(Unresolved::Again(self.journal.path()));
            done.attention = done.paths.clone();
            return false;
        }
        if manifest.origin == RunKind::Apply
            && let Ok(Some(id)) = history::head(self.repo)
        {
            // Without it undo knows less, that is all.
            let record = Record::Commit(id.to_string(), manifest.head.clone());
            let _ = kept::write(self.journal, record);
        }
        let _ = self.flush.everything_of(self.repo, manifest, self.progress);
        let decided = self.journal.decide();
        if let Err(error) = decided.and_then(|()| self.flush.directories(&[self.journal.dir()])) {
            done.notes
                .push(format!("the journal could not be ended: {error}"));
        }
        true
    }

    /// Brings the index to what the commit holds.
    fn follow(&self, manifest: &Manifest, done: &mut Recovered) -> Result<(), TransactionError> {
        let Some(tree) = &manifest.tree else {
            return Ok(());
        };
        let Some(now) = history::head(self.repo)? else {
            return Ok(());
        };
        let id = differ::abbreviated(self.repo, &now.to_string());
        done.notes.push(match manifest.origin {
            RunKind::Apply => format!("the commit {id} was made"),
            RunKind::Undo => format!("HEAD went back to {id}"),
        });
        let index = self.repo.index_path();
        let beside = self.journal.beside(index);
        if history::tree(self.repo, now)?.to_string() == *tree {
            // The index for just this change was on the disk before the commit was begun, so no
            // room is needed to go on.
            match std::fs::rename(&beside, index) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                    return Err(TransactionError::io("replace", index)(error));
                }
                Ok(()) => return Ok(()),
                Err(_) if self.journal.is_index(index, "index.new").unwrap_or(false) => {
                    return Ok(());
                }
                Err(_) => {}
            }
        } else {
            done.notes.push(
                "it doesn't hold just this change: a hook added to it, or somebody made another"
                    .to_owned(),
            );
        }
        let before = manifest.head.as_deref().and_then(objects::whole_id);
        let before = before.map(|id| history::tree(self.repo, id)).transpose()?;
        let now = history::tree(self.repo, now)?;
        let _ = std::fs::remove_file(&beside);
        let mut next = NextIndex::copy(self.repo, index, beside)?;
        next.follow(before, now, &self.journal.path_of("index"))?;
        next.write()?;
        next.install(index)?;
        Ok(())
    }

    fn undo<'u>(&'u self, manifest: &'u Manifest) -> Result<Undo<'u>, TransactionError> {
        Ok(Undo {
            dir: self.repo.dir()?,
            journal: self.journal,
            manifest,
            progress: self.progress,
        })
    }

    /// Returns whether what is kept of a change is what was there before it.
    fn is_whole(&self, manifest: &Manifest) -> Result<bool, TransactionError> {
        let path = self.journal.path();
        let io = TransactionError::io("read", &path);
        if !manifest.touched.is_empty()
            && !self.undo(manifest)?.has_whole_originals().map_err(io)?
        {
            return Ok(false);
        }
        let index = self.repo.index_path();
        if !manifest.with_index || !self.journal.is_index(index, "index.new").map_err(io)? {
            return Ok(true);
        }
        let kept = self.journal.dir().read(&plain("index.old")).map_err(io)?;
        Ok(kept.is_none_or(|(kept, _)| index::is_one(self.repo, &kept)))
    }

    /// Takes a change back; says whether nothing of it is left to do.
    fn take_back(
        &self,
        manifest: &Manifest,
        done: &mut Recovered,
    ) -> Result<bool, TransactionError> {
        let mut remains = Remains::default();
        let index = self.repo.index_path();
        if manifest.with_index {
            self.journal
                .restore_index(index)
                .map_err(TransactionError::io("put back", index))?;
        }
        if !manifest.touched.is_empty() {
            remains = self.undo(manifest)?.run();
        }
        done.attention = remains.paths();
        if !remains.failed.is_empty() {
            done.notes.extend(
                remains
                    .failed
                    .iter()
                    .map(|(path, error)| format!("`{path}`: {error}")),
            );
            done.open.push(Unresolved::Again(self.journal.path()));
            return Ok(false);
        }
        // Should the power go before this is on the disk, the manifest is there and it is done
        // again.
        let _ = self.flush.everything_of(self.repo, manifest, self.progress);
        let path = self.journal.path();
        let io = TransactionError::io("end the journal", &path);
        let Some(kept) = self.journal.end(&remains.theirs, self.flush).map_err(io)? else {
            return Ok(true);
        };
        done.open.push(kept);
        // What can't be removed is in nobody's way, and who finds the lock next removes it.
        let _ = self.tidy([manifest], &remains.theirs, &mut Vec::new());
        let _ = remove_dead_lock(self.repo, Some(self.journal), Asked::No);
        Ok(false)
    }

    /// Removes what a run left outside its journal, except beside paths where an original may have
    /// had to stay. No other original is among it: the manifest is gone. Notes what it removed in
    /// the work tree.
    ///
    /// # Errors
    /// If something can't be removed; the rest is.
    fn tidy<'m>(
        &self,
        manifests: impl IntoIterator<Item = &'m Manifest>,
        spared: &[RepoPath],
        removed: &mut Vec<RepoPath>,
    ) -> io::Result<()> {
        let mut outcome = Ok(());
        let mut note = |removed: io::Result<()>| match removed {
            Err(error) if !is_missing(&error) => outcome = Err(error),
            _ => {}
        };
        let beside = self.journal.beside(self.repo.index_path());
        note(std::fs::remove_file(&beside));
        note(std::fs::remove_file(with_suffix(&beside, ".lock")));
        for manifest in manifests
            .into_iter()
            .filter(|manifest| !manifest.touched.is_empty())
        {
            let dir = match self.repo.dir() {
                Ok(dir) => dir,
                Err(error) => {
                    note(Err(io::Error::other(error.to_string())));
                    break;
                }
            };
            self.progress.enter(Stage::Tidying, manifest.touched.len());
            for path in manifest.temporaries(self.journal.run(), spared) {
                match dir.remove_file(&path) {
                    Ok(()) => removed.push(path),
                    refused => note(refused),
                }
                self.progress.step();
            }
        }
        outcome
    }

    /// Removes the directories that a certain change has emptied. Where originals had to stay
    /// beside their places, that comes last.
    fn remove_emptied_directories(&self, manifest: &Manifest) {
        let Ok(dir) = self.repo.dir() else { return };
        for directory in manifest.removed.iter().rev() {
            // One that isn't empty stays, and so does one that can't go: an empty directory is
            // nothing to fail for.
            let _ = dir.remove_directory(&directory.path);
        }
    }
}
