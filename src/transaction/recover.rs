//! What becomes of a change whose run died: it is taken back, or, where its commit was made, finished.
//!
//! Only of the dead: a run counts as one while its process or the `git commit` that it started lives, and of what can't be
//! seen from here nothing is touched. Two that recover at once wait for each other, by a lock that ends with its process. The
//! dead run's own `index.lock` keeps git out meanwhile, and goes last.
//!
//! All of it can be stopped anywhere and done again.

use std::fs::File;
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, flock};

use super::bystanders;
use super::fault::{Fault, Holder};
use super::flush::Flush;
use super::journal::{Journal, Litter, home, runs};
use super::last;
use super::lock::{IndexLock, Patience, Stamp, Wait, path_bytes, with_suffix};
use super::manifest::{Deed, Expected, Manifest};
use super::owner::Life;
use super::record::Record;
use super::signal::{self, HeldBack};
use super::undo::{Remains, Undo};
use crate::dir::Dir;
use crate::dir::write::step;
use crate::path::RepoPath;
use crate::progress::{Progress, Stage};
use crate::repo::{NextIndex, Repo};
use crate::text::Shown;

/// What became of one interrupted change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recovered {
    /// What was interrupted.
    pub deed: Deed,
    /// Which way it went.
    pub how: How,
    /// The paths that it was about.
    pub paths: Vec<RepoPath>,
    /// Those that aren't what they were, since somebody changed them meanwhile or the system said no.
    pub attention: Vec<RepoPath>,
    /// Further facts, one sentence each.
    pub notes: Vec<String>,
}

/// Which way an interrupted change went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// It was taken back.
    TakenBack,
    /// It was finished, for its commit was made.
    Finished,
    /// Nothing of it had been visible, or all of it; what it left lying about was removed.
    Tidied,
}

/// A change that was interrupted and has yet to be recovered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interrupted {
    /// What was interrupted.
    pub deed: Deed,
    /// The paths that it was about; some may hold the old state and some the new one. None where the journal can't be read.
    pub paths: Vec<RepoPath>,
}

/// Says whether a change was interrupted in this work tree, and changes nothing.
pub fn interrupted(repo: &Repo) -> Option<Interrupted> {
    let mut found: Option<Interrupted> = None;
    for run in runs(repo.git_dir()) {
        let Ok(journal) = Journal::open(&run) else { continue };
        let Some(manifest) = journal.manifest() else { continue };
        if journal.life().0 == Life::Dead {
            let deed = manifest.as_ref().map_or(Deed::Apply, |manifest| manifest.deed);
            let found = found.get_or_insert(Interrupted { deed, paths: Vec::new() });
            found.paths.extend(manifest.iter().flat_map(Manifest::paths).cloned());
        }
    }
    found
}

/// Finishes or takes back every interrupted change of this work tree.
///
/// # Errors
/// `locked` while something of it lives, `io` if a journal can't be read.
pub fn recover(repo: &Repo, progress: &Progress) -> Result<Vec<Recovered>, Fault> {
    let lock = with_suffix(&repo.index_path(), ".lock");
    let is_stale = Stamp::read(&lock).is_some_and(|stamp| matches!(stamp.holder(), Holder::Gone { .. }));
    if runs(repo.git_dir()).is_empty() && !is_stale {
        if step("remove the folder of journals").is_ok() {
            // If there is one, and nothing in it: a run died between making it and using it, or after emptying it.
            let _ = std::fs::remove_dir(home(repo.git_dir()));
        }
        return Ok(Vec::new());
    }
    let held = HeldBack::begin();
    let recovered = all(repo, None, progress);
    match signal::pending() {
        Some(signal) => Err(Fault::Interrupted { signal }),
        None => {
            drop(held);
            recovered
        }
    }
}

/// Recovers what is found once the lock is ours.
pub(super) fn under(repo: &Repo, lock: &IndexLock, progress: &Progress) -> Result<(), Fault> {
    let is_dead = |run: &PathBuf| Journal::open(run).is_ok_and(|journal| journal.life().0 == Life::Dead);
    if runs(repo.git_dir()).iter().any(is_dead) { undisturbed(all(repo, Some(lock), progress)?) } else { Ok(()) }
}

/// Refuses to go on where not all could be put back.
pub(super) fn undisturbed(recovered: Vec<Recovered>) -> Result<(), Fault> {
    let paths: Vec<_> = recovered.iter().flat_map(|one| one.attention.clone()).collect();
    let notes: Vec<_> = recovered.into_iter().flat_map(|one| one.notes).collect();
    if paths.is_empty() { Ok(()) } else { Err(Fault::Torn { paths, notes }) }
}

fn all(repo: &Repo, lock: Option<&IndexLock>, progress: &Progress) -> Result<Vec<Recovered>, Fault> {
    let patience = Patience::from_setting(repo.config().int("llmpatch.lockTimeout")?);
    progress.enter(Stage::Waiting, 0);
    let _alone = alone(repo, patience)?;
    let mut recovered = Vec::new();
    for run in runs(repo.git_dir()) {
        // What is gone meanwhile was somebody's that lived.
        let Ok(journal) = Journal::open(&run) else { continue };
        if !is_dead(repo, &journal, patience)? {
            continue;
        }
        let flush = Flush::from_config(repo.config())?;
        recovered.push(Recovery { repo, journal: &journal, flush, progress }.run(lock, patience)?);
    }
    remove_dead_lock(&with_suffix(&repo.index_path(), ".lock"), None);
    let _ = std::fs::remove_dir(home(repo.git_dir()));
    Ok(recovered)
}

/// Keeps others from recovering at the same time. The lock ends with this process, whatever becomes of it.
fn alone(repo: &Repo, patience: Patience) -> Result<File, Fault> {
    let io = |source| Fault::Io { doing: "lock", path: path_bytes(repo.git_dir()), source };
    let folder = File::open(repo.git_dir()).map_err(io)?;
    let mut wait = Wait::new(patience);
    while let Err(errno) = flock(&folder, FlockOperation::NonBlockingLockExclusive) {
        if errno != rustix::io::Errno::WOULDBLOCK {
            return Err(io(errno.into()));
        }
        if !wait.once()? {
            return Err(Fault::Locked { lock: repo.git_dir().to_owned(), holder: Holder::Unknown });
        }
    }
    Ok(folder)
}

/// Says whether a run is dead; waits for the commit of one that is dead itself.
fn is_dead(repo: &Repo, journal: &Journal, patience: Patience) -> Result<bool, Fault> {
    let mut wait = Wait::new(patience);
    loop {
        let (life, pid) = journal.life();
        match life {
            Life::Dead => return Ok(true),
            Life::Alive if journal.child().is_some_and(|child| child.pid == pid) => {
                if !wait.once()? {
                    let lock = with_suffix(&repo.index_path(), ".lock");
                    return Err(Fault::Locked { lock, holder: Holder::Running { pid } });
                }
            }
            _ => return Ok(false),
        }
    }
}

/// Removes a lock if it is provably one of ours whose run is dead: this run's, or one whose journal is gone.
fn remove_dead_lock(path: &Path, run: Option<&Path>) {
    let Some(stamp) = Stamp::read(path) else { return };
    let is_its = match run {
        Some(run) => stamp.journal == run,
        None => !stamp.journal.exists(),
    };
    if is_its && stamp.owner.life() == Life::Dead && step("remove a dead lock").is_ok() {
        // If it stays, whoever wants it next finds it dead again.
        let _ = std::fs::remove_file(path);
    }
}

struct Recovery<'r> {
    repo: &'r Repo,
    journal: &'r Journal,
    flush: Flush,
    progress: &'r Progress,
}

impl Recovery<'_> {
    fn run(&self, ours: Option<&IndexLock>, patience: Patience) -> Result<Recovered, Fault> {
        let litter = self.journal.litter();
        let (paths, attention, notes) = (Vec::new(), Vec::new(), Vec::new());
        let mut done = Recovered { deed: Deed::Apply, how: How::Tidied, paths, attention, notes };
        match self.journal.manifest() {
            None => {}
            Some(None) => {
                let path = path_bytes(self.journal.path());
                let source = std::io::Error::other("its manifest is damaged");
                return Err(Fault::Io { doing: "read the journal", path, source });
            }
            Some(Some(manifest)) => {
                let _lock = self.lock(&manifest, ours, patience)?;
                done.paths = manifest.paths().cloned().collect();
                done.deed = manifest.deed;
                if self.is_committed(&manifest)? {
                    done.how = How::Finished;
                    if self.finish(&manifest, &mut done) == Left::Manifest {
                        return Ok(done);
                    }
                } else {
                    done.how = How::TakenBack;
                    if self.take_back(&manifest, &mut done)? == Left::Manifest {
                        return Ok(done);
                    }
                }
                done.notes.extend(remove_ref_locks(self.repo, self.journal, &manifest));
            }
        }
        self.tidy(&litter);
        let mut is_certain = done.how == How::Finished;
        if let Some(manifest) = self.journal.applied() {
            done.deed = manifest.deed;
            is_certain = true;
            self.remove_emptied_folders(&manifest);
        }
        for lock in litter.iter().filter_map(|one| if let Litter::Lock(path) = one { Some(path) } else { None }) {
            remove_dead_lock(lock, Some(self.journal.path()));
        }
        if !is_certain {
            self.journal.let_go();
        } else if let Err(fault) = last::keep(self.journal) {
            // It stays, so that this can be tried again.
            done.notes.push(format!("what undo needs could not be kept: {fault}"));
        }
        Ok(done)
    }

    /// Makes sure that git is kept out: by the dead run's lock if it is still there, else by one of our own.
    fn lock(
        &self,
        manifest: &Manifest,
        ours: Option<&IndexLock>,
        patience: Patience,
    ) -> Result<Option<(IndexLock, Journal)>, Fault> {
        let path = with_suffix(&manifest.index, ".lock");
        let is_dead_runs = Stamp::read(&path).is_some_and(|stamp| stamp.journal == self.journal.path());
        if ours.is_some_and(|lock| lock.is_at(&path)) || is_dead_runs {
            return Ok(None);
        }
        let (journal, stamp) = Journal::make(self.repo.git_dir())?;
        let lock = IndexLock::take(&manifest.index, patience, &journal, &stamp)?;
        Ok(Some((lock, journal)))
    }

    /// Says whether the commit was made: then HEAD isn't what it was.
    fn is_committed(&self, manifest: &Manifest) -> Result<bool, Fault> {
        let Some(Expected { head, tree }) = &manifest.commit else { return Ok(false) };
        let now = self.repo.head_commit()?;
        if now.map(|id| id.to_string()) == *head {
            return Ok(false);
        }
        let is_expected = match now {
            Some(id) => self.repo.tree_of(id)?.to_string() == *tree,
            None => false,
        };
        Ok(is_expected || self.journal.child().is_some())
    }

    fn finish(&self, manifest: &Manifest, done: &mut Recovered) -> Left {
        if let Err(fault) = self.follow(manifest, done) {
            done.notes.push(format!("the index could not follow the new commit: {fault}"));
            done.notes.push("the journal stays, so that recovery can be tried again".to_owned());
            done.attention = done.paths.clone();
            return Left::Manifest;
        }
        if let Ok(Some(id)) = self.repo.head_commit() {
            // Without it undo knows less, that is all.
            let _ = last::write(self.journal, &Record::Commit(id.to_string()));
        }
        self.progress.enter(Stage::Flushing, 0);
        let _ = self.flush.everything_around(&[self.repo.git_dir()]);
        let decided = self.journal.decide();
        if let Err(fault) = decided.and_then(|()| self.flush.folders(&[self.journal.path()])) {
            done.notes.push(format!("the journal could not be ended: {fault}"));
        }
        Left::Nothing
    }

    /// Lets the index follow the commit.
    fn follow(&self, manifest: &Manifest, done: &mut Recovered) -> Result<(), Fault> {
        let Some(Expected { head, tree }) = &manifest.commit else { return Ok(()) };
        let Some(now) = self.repo.head_commit()? else { return Ok(()) };
        done.notes.push(format!("the commit {now} was made"));
        let beside = super::beside(&manifest.index, self.journal);
        if self.repo.tree_of(now)?.to_string() == *tree {
            // The index for just this change was on the disk before the commit was begun, so no room is needed to go on.
            match std::fs::rename(&beside, &manifest.index) {
                Err(fault) if fault.kind() != std::io::ErrorKind::NotFound => {
                    return Err(Fault::Io { doing: "replace", path: path_bytes(&manifest.index), source: fault });
                }
                Ok(()) => return Ok(()),
                Err(_) if self.journal.is_index_new(&manifest.index) => return Ok(()),
                Err(_) => {}
            }
        } else {
            done.notes
                .push("it doesn't hold just this change: a hook added to it, or somebody made another".to_owned());
        }
        let before = head.as_deref().and_then(|head| self.repo.commit_id(head));
        let _ = std::fs::remove_file(&beside);
        let mut next = NextIndex::copy(self.repo, &manifest.index, beside)?;
        next.follow(before, now, &self.journal.path_of("index"))?;
        next.write(self.repo)?;
        next.install(&manifest.index)?;
        Ok(())
    }

    fn take_back(&self, manifest: &Manifest, done: &mut Recovered) -> Result<Left, Fault> {
        let mut remains = Remains::default();
        if manifest.with_index
            && let Err(fault) = self.journal.restore_index(&manifest.index)
        {
            let path = path_bytes(&manifest.index);
            return Err(Fault::Io { doing: "put back", path, source: fault });
        }
        if !manifest.touched.is_empty() {
            let top = path_bytes(&manifest.top);
            let dir = Dir::open(&manifest.top).map_err(|source| Fault::Io { doing: "open", path: top, source })?;
            remains = Undo { dir: &dir, journal: self.journal, manifest, progress: self.progress }.run();
        }
        done.attention = remains.paths();
        if !remains.failed.is_empty() {
            done.notes.extend(remains.failed.iter().map(|(path, fault)| format!("`{path}`: {fault}")));
            done.notes.push("the journal stays, so that recovery can be tried again".to_owned());
            return Ok(Left::Manifest);
        }
        let mut folders = vec![self.repo.git_dir()];
        if !manifest.touched.is_empty() {
            folders.push(&manifest.top);
        }
        self.progress.enter(Stage::Flushing, 0);
        // Should the power go before this is on the disk, the manifest is there and it is done again.
        let _ = self.flush.everything_around(&folders);
        let io = |source| Fault::Io { doing: "end the journal", path: path_bytes(self.journal.path()), source };
        if remains.theirs.is_empty() {
            self.journal.forget(self.flush).map_err(io)?;
            return Ok(Left::Nothing);
        }
        let litter = self.journal.litter();
        let kept = self.journal.put_away().map_err(io)?;
        done.notes.push(format!("their originals are kept in `{}`", Shown(&path_bytes(&kept))));
        // One that had to stay beside its place, on another file system, isn't litter.
        let theirs = manifest.touched.iter().filter(|touched| remains.theirs.contains(&touched.path));
        let spared: Vec<_> = theirs.flat_map(|touched| touched.stage.iter().chain(&touched.aside)).collect();
        let is_litter = |one: &Litter| !matches!(one, Litter::Tree(path) if spared.contains(&path));
        let litter: Vec<_> = litter.into_iter().filter(is_litter).collect();
        self.tidy(&litter);
        for lock in litter.iter().filter_map(|one| if let Litter::Lock(path) = one { Some(path) } else { None }) {
            remove_dead_lock(lock, Some(self.journal.path()));
        }
        Ok(Left::Manifest)
    }

    /// Removes what a run left outside its journal. No original is among it: the manifest is gone.
    fn tidy(&self, litter: &[Litter]) {
        let top = litter.iter().find_map(|one| if let Litter::Top(top) = one { Some(top) } else { None });
        let dir = top.and_then(|top| Dir::open(top).ok());
        self.progress.enter(Stage::Tidying, litter.len());
        for one in litter {
            // What stays is in nobody's way; nothing else can be done about it.
            let _ = match (one, &dir) {
                (Litter::Tree(path), Some(dir)) => dir.remove_file(path),
                (Litter::File(path), _) => std::fs::remove_file(path),
                _ => Ok(()),
            };
            self.progress.step();
        }
    }

    /// Removes the folders that a certain change has emptied. Where originals had to stay beside their places, that comes last.
    fn remove_emptied_folders(&self, manifest: &Manifest) {
        let Ok(dir) = Dir::open(&manifest.top) else { return };
        for (folder, _) in manifest.removed.iter().rev() {
            // One that isn't empty stays, and so does one that can't go: an empty folder is nothing to fail for.
            let _ = dir.remove_folder(folder);
        }
    }
}

/// Removes the locks on HEAD and its branch that a dead commit of this run left: those that hold that commit, and those that
/// were made since it was started, if nobody else is at work here. Returns the others, in sentences.
pub(super) fn remove_ref_locks(repo: &Repo, journal: &Journal, manifest: &Manifest) -> Vec<String> {
    let (Some(expected), Some(since)) = (&manifest.commit, journal.child_since()) else { return Vec::new() };
    if journal.child().is_some_and(|child| child.life() != Life::Dead) {
        return Vec::new();
    }
    let mut left = Vec::new();
    for lock in repo.commit_locks() {
        let text = std::fs::read_to_string(&lock).unwrap_or_default();
        let is_its = || repo.is_commit_of(text.trim(), expected.head.as_deref(), &expected.tree);
        let is_since = || std::fs::metadata(&lock).and_then(|meta| meta.modified()).is_ok_and(|at| at >= since);
        // What the dead one had started, a hook say, may take a moment to end.
        let is_alone = || (0..20).any(|_| !bystanders::any(repo.git_dir(), repo.top().ok()) || pause());
        if is_its() || (is_since() && is_alone()) {
            let _ = std::fs::remove_file(&lock);
        } else {
            let lock = path_bytes(&lock);
            left.push(format!(
                "`{}` is in the way of the next commit; if no git command runs here, remove it",
                Shown(&lock)
            ));
        }
    }
    left
}

/// Waits a moment; there is no more to it, so it says no.
fn pause() -> bool {
    std::thread::sleep(std::time::Duration::from_millis(50));
    false
}

/// What a change that was taken back leaves behind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Left {
    /// Nothing that anybody needs.
    Nothing,
    /// The journal, to try again, or with what somebody may want.
    Manifest,
}
