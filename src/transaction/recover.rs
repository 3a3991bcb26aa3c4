//! What becomes of a change whose run died: it is taken back, or, where its commit was made,
//! finished.
//!
//! Only of the dead: of what lives, or can't be seen from here, nothing is touched. Two that
//! recover at once take turns. The dead run's own `index.lock` keeps git out meanwhile, and goes
//! last.
//!
//! Where that lock is gone, or HEAD or the index moved on, somebody has decided what to do about
//! it: then a change that is about to be made leaves all as it is and names the journal, and only
//! who asks for recovery has it.
//!
//! All of it can be stopped anywhere and done again.

use std::io;

use super::committing::remove_ref_locks;
use super::error::{Holder, TransactionError, Unfit, Unresolved, Why};
use super::flush::Flush;
use super::home::Home;
use super::journal::{Journal, plain};
use super::kept;
use super::lock::{
    IndexLock, Life, Stamp, Turn, Wait, index_lock, index_name, remove_dead_lock, with_suffix,
};
use super::manifest::{Manifest, RunKind};
use super::news::IndexNews;
use super::publish::is_missing;
use super::record::Record;
use super::undo::{Remains, Undo};
use crate::repo::{NextIndex, Repo};
use crate::signal::{self, HeldBack};
use llmpatch::path::RepoPath;
use llmpatch::progress::{Progress, Stage};

/// What became of one interrupted change.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recovered {
    /// What was interrupted.
    pub origin: RunKind,
    /// Which way it went.
    pub how: How,
    /// The paths that it was about.
    pub paths: Vec<RepoPath>,
    /// Those that aren't what they were, since somebody changed them meanwhile or the system
    /// refused.
    pub attention: Vec<RepoPath>,
    /// Further facts, one sentence each.
    pub notes: Vec<String>,
    /// What is left for a person to see to.
    pub open: Vec<Unresolved>,
}

/// Which way an interrupted change went.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum How {
    /// It was taken back.
    TakenBack,
    /// It was finished, because its commit was made.
    Finished,
    /// Nothing of it had been visible, or all of it; what it left lying about was removed.
    #[default]
    Tidied,
    /// Nothing was done about it.
    Left,
}

/// Who wants a recovery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    /// Nobody: another change is to be made.
    No,
    /// A person.
    Yes,
    /// A person who says that what can't be seen from here lives nowhere any more.
    Force,
}

/// A change that was interrupted and has yet to be recovered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interrupted {
    /// What was interrupted.
    pub origin: RunKind,
    /// The paths that it was about; some may hold the old state and some the new one. None where
    /// the journal can't be read.
    pub paths: Vec<RepoPath>,
}

impl Recovered {
    fn left(unfit: Unfit) -> Self {
        Self {
            how: How::Left,
            open: vec![Unresolved::Journal(unfit)],
            ..Self::default()
        }
    }

    /// Returns that nothing was done with a journal, and what it is about as far as that can be
    /// read.
    fn left_of(journal: &Journal, why: Why) -> Self {
        let manifest = journal.manifest().ok().flatten().unwrap_or_default();
        let paths = manifest.paths().cloned().collect();
        Self {
            origin: manifest.origin,
            paths,
            ..Self::left(Unfit {
                directory: journal.path(),
                why,
            })
        }
    }
}

/// Returns what was interrupted in this work tree, and changes nothing. A run that lives isn't
/// counted: who asks may be its hook.
pub fn interrupted(repo: &Repo) -> Option<Interrupted> {
    let mut found: Option<Interrupted> = None;
    for journal in Journal::all(repo) {
        let manifest = match &journal {
            Ok(journal) if journal.life() == Ok(Some(Life::Alive)) => continue,
            Ok(journal) if !journal.is_unfinished() => continue,
            Ok(journal) => journal.manifest().ok().flatten(),
            Err(_) => None,
        };
        // Where one can't be read, any path may be half changed.
        let Some(manifest) = manifest else {
            return Some(Interrupted {
                origin: RunKind::Apply,
                paths: Vec::new(),
            });
        };
        let found = found.get_or_insert(Interrupted {
            origin: manifest.origin,
            paths: Vec::new(),
        });
        found.paths.extend(manifest.paths().cloned());
    }
    let is_anothers = || {
        let lock = index_lock(repo);
        Stamp::read(&lock).is_some()
            && matches!(
                Holder::of(repo, &lock),
                Holder::Gone | Holder::Elsewhere { .. }
            )
    };
    // Whoever shares the repository has journals that can't be looked at.
    found.or_else(|| {
        (repo.is_shared() && is_anothers()).then(|| Interrupted {
            origin: RunKind::Apply,
            paths: Vec::new(),
        })
    })
}

/// Finishes or takes back every interrupted change of this work tree.
///
/// # Errors
/// `locked` while something of it lives, `io` if a journal can't be worked with.
pub fn recover(
    repo: &Repo,
    asked: Asked,
    progress: &Progress,
) -> Result<Vec<Recovered>, TransactionError> {
    let held = HeldBack::begin();
    let news = IndexNews::of(repo, progress);
    let mut recovered = Vec::new();
    let outcome = in_turn(repo, asked, progress, &mut recovered, |_| Ok(Ok(())));
    signal::check()?;
    drop((news, held));
    outcome.map(|()| recovered)
}

/// Makes a journal and takes the lock for it, once all that died before is tidied up; says what
/// became of that.
pub(super) fn take(
    repo: &Repo,
    progress: &Progress,
    recovered: &mut Vec<Recovered>,
) -> Result<(Journal, IndexLock), TransactionError> {
    in_turn(repo, Asked::No, progress, recovered, |recovered| {
        if recovered.iter().any(|one| !one.open.is_empty()) {
            return Err(TransactionError::Torn {
                recovered: std::mem::take(recovered),
            });
        }
        let journal = Journal::make(repo)?;
        Ok(IndexLock::attempt(repo, &journal)?.map(|lock| (journal, lock)))
    })
}

/// Recovers what is dead, then does something, unless somebody is to be waited for.
fn in_turn<T>(
    repo: &Repo,
    asked: Asked,
    progress: &Progress,
    recovered: &mut Vec<Recovered>,
    act: impl Fn(&mut Vec<Recovered>) -> Result<Result<T, Holder>, TransactionError>,
) -> Result<T, TransactionError> {
    repo.make_own_directory()
        .map_err(|error| TransactionError::no_journal(repo, error))?;
    let mut wait = Wait::new(repo, progress)?;
    loop {
        let turn = Turn::take(repo, &mut wait)?;
        let holder = match all(repo, &turn, asked, recovered, progress)? {
            Some(holder) => holder,
            None => match act(recovered)? {
                Ok(done) => return Ok(done),
                Err(holder) => holder,
            },
        };
        drop(turn);
        wait.once(&index_lock(repo), || holder.clone())?;
    }
}

/// Recovers all that is dead; says what is to be waited for, if anything is.
fn all(
    repo: &Repo,
    _turn: &Turn,
    asked: Asked,
    recovered: &mut Vec<Recovered>,
    progress: &Progress,
) -> Result<Option<Holder>, TransactionError> {
    recovered.retain(|one| one.how != How::Left);
    let homes = Home::all(repo);
    for journal in Journal::within(&homes) {
        let journal = match journal {
            Ok(journal) => journal,
            Err(unfit) => {
                recovered.push(Recovered::left(unfit));
                continue;
            }
        };
        match journal.life() {
            _ if journal.is_gone() => {}
            // Of a run that lives, what it does is to be waited for, or a commit that it began and
            // that outlives it.
            Ok(Some(Life::Alive)) if journal.is_unfinished() => return Ok(Some(Holder::Running)),
            Ok(Some(Life::Alive)) => {}
            Ok(Some(Life::Unknown)) if asked != Asked::Force => {
                if journal.is_unfinished() {
                    let stamp = journal.stamp().ok().flatten();
                    let host = stamp.map(|(stamp, _)| stamp.host).unwrap_or_default();
                    recovered.push(Recovered::left_of(&journal, Why::Elsewhere { host }));
                }
            }
            Ok(_) => {
                let flush = Flush::from_config(repo.config())?;
                match (Recovery {
                    repo,
                    journal: &journal,
                    flush,
                    progress,
                })
                .run(asked)?
                {
                    Ok(done) => recovered.push(done),
                    Err(holder) => return Ok(Some(holder)),
                }
            }
            Err(why) => recovered.push(Recovered::left_of(&journal, why)),
        }
    }
    if remove_dead_lock(repo, None, asked).is_err()
        && recovered.iter().all(|one| one.open.is_empty())
    {
        recovered.push(Recovered {
            how: How::Left,
            open: vec![Unresolved::Lock(index_lock(repo))],
            ..Recovered::default()
        });
    }
    homes?.iter().for_each(|home| home.tidy());
    Ok(None)
}

/// Whether a commit was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CommitMade {
    No,
    Ours,
    /// It, or another's on the same one.
    Perhaps,
}

struct Recovery<'r> {
    repo: &'r Repo,
    journal: &'r Journal,
    flush: Flush,
    progress: &'r Progress,
}

impl Recovery<'_> {
    /// Recovers it; says who holds the lock without which nothing can be done, if somebody does.
    fn run(&self, asked: Asked) -> Result<Result<Recovered, Holder>, TransactionError> {
        let mut done = Recovered::default();
        let left = |why| Ok(Ok(Recovered::left_of(self.journal, why)));
        let (manifest, draft) = match self.read() {
            Ok(read) => read,
            Err(why) => return left(why),
        };
        if let Some(manifest) = &manifest {
            if !self.repo.may_all_be_touched(manifest.places())? {
                return left(Why::Broken);
            }
            let is_locked = self.is_locked();
            if asked == Asked::No
                && let Some(why) = self.decided(manifest, is_locked)?
            {
                return left(why);
            }
            let _lock = match is_locked {
                true => None,
                false => {
                    let journal = Journal::make(self.repo)?;
                    match IndexLock::attempt(self.repo, &journal)? {
                        Ok(lock) => Some((lock, journal)),
                        Err(holder) => return Ok(Err(holder)),
                    }
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
        listed: &Option<Manifest>,
        asked: Asked,
        done: &mut Recovered,
    ) -> Result<(), Why> {
        let applied = self.journal.applied()?;
        let applied =
            applied.filter(|of| self.repo.may_all_be_touched(of.places()).unwrap_or(false));
        let tidied = self.tidy(applied.iter().chain(listed), &[]);
        if let Some(manifest) = &applied {
            done.origin = manifest.origin;
            self.remove_emptied_directories(manifest);
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
        let head = self.repo.head_commit()?.map(|id| id.to_string());
        if head != manifest.head && self.made(manifest)? != CommitMade::Ours {
            return Ok(Some(Why::HeadMoved));
        }
        let path = self.repo.index_path();
        match manifest.with_index
            && self
                .journal
                .is_index_other(path)
                .map_err(TransactionError::io("read", path))?
        {
            true => Ok(Some(Why::IndexMoved)),
            false => Ok(None),
        }
    }

    /// Returns whether the commit was made: then one that was made on the old HEAD leads to the new
    /// one.
    fn made(&self, manifest: &Manifest) -> Result<CommitMade, TransactionError> {
        let (Some(tree), Some(now)) = (&manifest.tree, self.repo.head_commit()?) else {
            return Ok(CommitMade::No);
        };
        // Then no commit has to be read, not even one that went with the power.
        if manifest.head.as_deref() == Some(&now.to_string()[..]) {
            return Ok(CommitMade::No);
        }
        if let Some(commit) = &manifest.commit {
            let is_there = self.repo.leads_to(self.repo.commit_id(commit), now)?;
            return Ok(if is_there {
                CommitMade::Ours
            } else {
                CommitMade::No
            });
        }
        let before = match &manifest.head {
            Some(head) => match self.repo.commit_id(head) {
                Some(id) => Some(id),
                None => return Ok(CommitMade::No),
            },
            None => None,
        };
        let Some(first) = self.repo.made_on(before, now)? else {
            return Ok(CommitMade::No);
        };
        let is_expected = self.repo.tree_of(first)?.to_string() == *tree;
        // A hook may have added to it.
        Ok(
            match (
                is_expected || first == now && self.journal.has_begun(),
                self.journal.has_begun(),
            ) {
                (true, _) => CommitMade::Ours,
                (false, true) => CommitMade::Perhaps,
                (false, false) => CommitMade::No,
            },
        )
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
        if let Ok(Some(id)) = self.repo.head_commit() {
            // Without it undo knows less, that is all.
            let _ = kept::write(self.journal, Record::Commit(id.to_string()));
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
        let Some(now) = self.repo.head_commit()? else {
            return Ok(());
        };
        done.notes.push(format!("the commit {now} was made"));
        let index = self.repo.index_path();
        let beside = self.journal.beside(index);
        if self.repo.tree_of(now)?.to_string() == *tree {
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
        let before = manifest
            .head
            .as_deref()
            .and_then(|head| self.repo.commit_id(head));
        let before = before.map(|id| self.repo.tree_of(id)).transpose()?;
        let now = self.repo.tree_of(now)?;
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
        Ok(kept.is_none_or(|(kept, _)| self.repo.is_index(&kept)))
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
        let _ = self.tidy([manifest], &remains.theirs);
        let _ = remove_dead_lock(self.repo, Some(self.journal), Asked::No);
        Ok(false)
    }

    /// Removes what a run left outside its journal, except beside paths where an original may have
    /// had to stay. No other original is among it: the manifest is gone.
    ///
    /// # Errors
    /// If something can't be removed; the rest is.
    fn tidy<'m>(
        &self,
        manifests: impl IntoIterator<Item = &'m Manifest>,
        spared: &[RepoPath],
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
                note(dir.remove_file(&path));
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
