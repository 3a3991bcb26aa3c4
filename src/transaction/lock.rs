//! Who may change a repository: git's own `index.lock`, taken in a way that proves whose it is, and
//! a turn for recovery.
//!
//! A stamp is written into the run's journal, locked with the kernel (`flock`), and then linked to
//! the lock's name; so the lock names its run from the first instant, and who asks the kernel
//! learns whether that run lives, in whatever container: the lock on the stamp ends with the last
//! process that has it, which is ours, or the shell that waits for our `git commit`. The lock file
//! is never renamed over the index, and never removed unless it is provably ours: the same file as
//! the stamp that was linked, or one whose stamp is that of a run which the kernel says is dead.
//!
//! The kernel can't speak for other machines. What was written over a network, or is looked at over
//! one, and isn't locked, may be of a run that lives: that is said, and nothing is done.
//!
//! The turn is a lock on the git directory itself (`flock`), held while journals are recovered and
//! while the lock of the index is tried once. Nobody waits for either while holding the other.

use std::ffi::OsString;
use std::fs::{File, TryLockError};
use std::hash::{BuildHasher as _, Hasher as _};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::error::{Holder, TransactionError};
use super::journal::Journal;
use super::publish::is_missing;
use super::recover::{Asked, Owner};
use super::sealed::{self, Sealed};
use crate::dir::clock::is_remote;
use crate::dir::write::step;
use crate::repo::{Repo, links, references};
use crate::signal;
use crate::system::{
    LOCKS_ARE_STRICT, LOCKS_DIRECTORIES, despite_passing_fault, host, identity, identity_at,
    is_kept_locked, is_no_file, owner, refusing_links, user, wants_writable,
};
use llmpatch::progress::{Progress, Stage};
use llmpatch::text::Shown;

/// Returns how long to wait for a lock that another program holds; `None` for ever.
///
/// `llmpatch.lockTimeout` says it as git's own lock timeouts do: in milliseconds, 0 to try once,
/// negative to wait for ever. One second without it, since an editor's background `git status`
/// holds the lock for milliseconds.
fn patience(milliseconds: Option<i64>) -> Option<Duration> {
    u64::try_from(milliseconds.unwrap_or(1000))
        .ok()
        .map(Duration::from_millis)
}

/// The lock on the index, held. Dropping it removes the lock file, unless somebody replaced it.
#[derive(Debug)]
pub(super) struct IndexLock {
    path: PathBuf,
    /// The stamp, whose lock is to outlive the journal: who ends isn't dead.
    stamp: File,
    /// The lock file, where it isn't the stamp by another name.
    file: Option<File>,
    /// Whether it stays, for a change that is neither made nor taken back.
    stays: bool,
}

/// Returns the lock of a repository's index.
pub(super) fn index_lock(repo: &Repo) -> PathBuf {
    with_suffix(repo.index_path(), ".lock")
}

impl IndexLock {
    /// Tries to take the lock of the index for a run; says who holds it if that can't be.
    ///
    /// # Errors
    /// If the directory can't be written to.
    pub(super) fn attempt(
        repo: &Repo,
        journal: &Journal,
    ) -> Result<Result<Self, Holder>, TransactionError> {
        let path = index_lock(repo);
        let io = TransactionError::io("take the lock", &path);
        let stamp = File::from(journal.lend().map_err(io)?);
        let linked = step("link the lock").and_then(|()| journal.link_stamp(&path));
        let file = match linked {
            // The two are one file from now on.
            Ok(()) => Ok(None),
            Err(error) if has_no_hard_links(&error) => {
                Self::attempt_without_links(&path, journal).map(Some)
            }
            Err(error) => Err(error),
        };
        match file {
            Ok(file) => Ok(Ok(Self {
                path,
                stamp,
                file,
                stays: false,
            })),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                Ok(Err(Holder::of(repo, &path)))
            }
            Err(error) => Err(io(error)),
        }
    }

    /// Tries once where the file system knows no hard links; the lock is then empty for an instant.
    fn attempt_without_links(path: &Path, journal: &Journal) -> io::Result<File> {
        let mut file = File::options()
            .read(true)
            .write(true)
            .create_new(true)
            .open(path)?;
        if let Err(error) = file.write_all(&journal.own_stamp()) {
            // The file was made a moment ago by an exclusive create, so it is ours.
            let _ = std::fs::remove_file(path);
            return Err(error);
        }
        Ok(file)
    }

    /// Keeps the lock file when this is dropped, so that others stay out of what isn't finished.
    pub(super) fn leave(&mut self) {
        self.stays = true;
    }
}

/// Returns whether a path still names a file that is open.
fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    let ours = identity(file)?;
    match identity_at(path) {
        Ok(there) => Ok(ours.number == there.number),
        Err(error) if is_missing(&error) => Ok(false),
        Err(error) => Err(error),
    }
}

impl Drop for IndexLock {
    fn drop(&mut self) {
        if self.stays {
            return;
        }
        let file = self.file.as_ref().unwrap_or(&self.stamp);
        // Where this can't be done the next run finds the lock's run dead, and does it.
        let _ = despite_passing_fault(|| {
            if is_at(file, &self.path)? {
                std::fs::remove_file(&self.path)?;
            }
            io::Result::Ok(())
        });
        // A child that is being started at this instant may have a handle, too, until it has become
        // another program.
        let _ = self.stamp.unlock();
    }
}

/// Keeps others from recovering at the same time. It ends with this process, whatever becomes of
/// it.
pub(super) struct Turn(File);

impl Drop for Turn {
    fn drop(&mut self) {
        // As with the lock: a child that is being started may have a handle, too.
        let _ = self.0.unlock();
    }
}

impl Turn {
    /// Waits for the turn.
    ///
    /// `locked` if it isn't to be had when patience ends, `io` if the file system has no locks.
    pub(super) fn take(repo: &Repo, wait: &mut Wait) -> Result<Self, TransactionError> {
        let io = TransactionError::io("lock", repo.git_dir());
        let mut held = if LOCKS_DIRECTORIES {
            File::open(repo.git_dir())
        } else {
            Self::file(repo)
        }
        .map_err(io)?;
        let mut is_directory = LOCKS_DIRECTORIES;
        while let Err(error) = held.try_lock() {
            match error {
                // NFS locks only what can be written to.
                TryLockError::Error(error)
                    if wants_writable(&error) && std::mem::take(&mut is_directory) =>
                {
                    held = Self::file(repo).map_err(io)?;
                }
                TryLockError::WouldBlock => wait.once(&index_lock(repo), || Holder::Running)?,
                TryLockError::Error(error) => return Err(io(error)),
            }
        }
        Ok(Self(held))
    }

    /// Opens a file in place of the directory. It stays: who removes one takes it from under
    /// another.
    fn file(repo: &Repo) -> io::Result<File> {
        let mut options = File::options();
        options.write(true).create(true).truncate(false);
        refusing_links(&mut options).open(repo.git_dir().join("llmpatch.turn"))
    }
}

/// Waits until nobody holds a lock without which there is no commit: that of HEAD, and of its
/// branch.
///
/// # Errors
/// `locked` if one is still held when patience ends.
pub(super) fn await_head(repo: &Repo, progress: &Progress) -> Result<(), TransactionError> {
    let mut wait = Wait::new(repo, progress)?;
    while let Some(lock) = references::head_locks(repo).into_iter().next() {
        wait.once(&lock, || Holder::Unknown)?;
    }
    Ok(())
}

/// Waits for something, longer each time, until patience ends.
pub(super) struct Wait {
    started: Instant,
    pause: Duration,
    patience: Option<Duration>,
    progress: Progress,
    is_said: bool,
    /// How often in a row it was held by a process that is gone.
    gone: u32,
}

/// How long it is before it is said what is waited for.
const UNSAID: Duration = Duration::from_secs(1);

impl Wait {
    pub(super) fn new(repo: &Repo, progress: &Progress) -> Result<Self, TransactionError> {
        progress.enter(Stage::Waiting, 0);
        let patience = patience(repo.config().int("llmpatch.lockTimeout")?);
        let progress = progress.clone();
        let pause = Duration::from_millis(1);
        Ok(Self {
            started: Instant::now(),
            pause,
            patience,
            progress,
            is_said: false,
            gone: 0,
        })
    }

    /// Waits a moment.
    ///
    /// # Errors
    /// `locked` if patience is at its end, or if nobody can be waited for; if a signal asks to
    /// stop.
    pub(super) fn once(
        &mut self,
        lock: &Path,
        holder: impl Fn() -> Holder,
    ) -> Result<(), TransactionError> {
        signal::check()?;
        let waited = self.started.elapsed();
        // Who isn't there at that moment, since the machine is busy, says it before the end.
        let is_long = self.patience.is_none_or(|limit| limit > UNSAID);
        if !self.is_said && is_long && waited > UNSAID {
            self.is_said = true;
            self.progress
                .tell_holder(&Shown(&path_bytes(lock)), &holder());
        }
        let left = self
            .patience
            .map_or(Duration::MAX, |limit| limit.saturating_sub(waited));
        // One that has just ended was still tidying up. What stays of the dead isn't waited for.
        self.gone = if matches!(holder(), Holder::Gone(_)) {
            self.gone + 1
        } else {
            0
        };
        if left.is_zero() || self.gone > 3 {
            return Err(TransactionError::Locked {
                lock: lock.to_owned(),
                holder: holder(),
            });
        }
        std::thread::sleep(self.pause.min(left));
        self.pause = (self.pause * 2).min(Duration::from_millis(50));
        Ok(())
    }
}

fn has_no_hard_links(error: &io::Error) -> bool {
    // Another file system than the journal's, where the index was put elsewhere (`GIT_INDEX_FILE`),
    // is no better than none.
    matches!(
        error.kind(),
        io::ErrorKind::PermissionDenied
            | io::ErrorKind::Unsupported
            | io::ErrorKind::TooManyLinks
            | io::ErrorKind::CrossesDevices
    )
}

pub(super) fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name: OsString = path.into();
    name.push(suffix);
    name.into()
}

pub(super) fn path_bytes(path: &Path) -> bstr::BString {
    use crate::system::OsStrExt as _;
    path.as_os_str().as_bytes().into()
}

/// Returns a number that no other run uses.
pub(super) fn nonce() -> u64 {
    // The standard library seeds this from the system's randomness.
    std::hash::RandomState::new().build_hasher().finish()
}

/// What says of a lock or a journal which run it belongs to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Stamp {
    /// The run's number, as its journal is called.
    run: String,
    /// The machine, for people.
    pub(super) host: String,
    /// The index that the run is about.
    pub(super) index: String,
    /// Whether other machines may see it otherwise than its own does.
    is_remote: bool,
}

/// Whether a run lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Life {
    /// It does.
    Alive,
    /// It doesn't, for certain.
    Dead,
    /// It can't be seen from here.
    Unknown,
}

impl Sealed for Stamp {
    const TITLE: &str = "git-llmpatch holds this lock";
}

impl Stamp {
    const MOST: u64 = 16 << 10;

    /// Makes the stamp of a new run, to be written to a file.
    pub(super) fn own(run: u64, repo: &Repo, file: &File) -> Self {
        Self {
            run: format!("{run:016x}"),
            host: host(),
            index: index_name(repo),
            is_remote: is_remote(file),
        }
    }

    /// Returns the number of its run.
    pub(super) fn run(&self) -> Option<u64> {
        u64::from_str_radix(&self.run, 16).ok()
    }

    /// Reads the stamp of a lock, and keeps it open; `None` if there is none, or it isn't whole, or
    /// isn't ours to read.
    ///
    /// # Errors
    /// If it can't be read.
    pub(super) fn find(lock: &Path) -> io::Result<Option<(Self, File)>> {
        let is_not_ours = |error: &io::Error| {
            let kinds = [io::ErrorKind::NotFound, io::ErrorKind::PermissionDenied];
            kinds.contains(&error.kind()) || is_no_file(error)
        };
        match refusing_links(File::options().read(true)).open(lock) {
            Err(error) if is_not_ours(&error) => Ok(None),
            file => match Self::read_from(file?) {
                Err(error) if is_kept_locked(&error) => Ok(None),
                read => read,
            },
        }
    }

    /// Reads the stamp of a lock; `None` also if it can't be read.
    pub(super) fn read(lock: &Path) -> Option<(Self, File)> {
        Self::find(lock).ok()?
    }

    /// Reads one from a file that is open.
    ///
    /// # Errors
    /// If it can't be read.
    pub(super) fn read_from(file: File) -> io::Result<Option<(Self, File)>> {
        let mut bytes = Vec::with_capacity(512);
        if file.metadata()?.is_file() {
            (&file).take(Self::MOST).read_to_end(&mut bytes)?;
        }
        Ok(Self::parse(&bytes).map(|stamp| (stamp, file)))
    }

    /// Writes it to a file.
    pub(super) fn write(&self, mut file: &File) -> io::Result<()> {
        file.write_all(&self.to_bytes())
    }

    /// Asks the kernel whether the run lives that has its stamp in this file.
    pub(super) fn life(&self, file: &File) -> Life {
        match file.try_lock_shared() {
            Err(TryLockError::WouldBlock) => Life::Alive,
            Ok(()) => {
                let _ = file.unlock();
                if self.is_remote || is_remote(file) {
                    Life::Unknown
                } else {
                    Life::Dead
                }
            }
            Err(TryLockError::Error(_)) => Life::Unknown,
        }
    }
}

/// Returns whether the kernel knows that a run which lives holds a file locked.
pub(super) fn is_held(file: &File) -> bool {
    let tried = file.try_lock_shared();
    if tried.is_ok() {
        let _ = file.unlock();
    }
    matches!(tried, Err(TryLockError::WouldBlock))
}

/// Returns whether a run of ours that lives has a lock whose stamp can't be read for that.
fn is_held_strictly(lock: &Path) -> bool {
    LOCKS_ARE_STRICT
        && refusing_links(File::options().read(true))
            .open(lock)
            .is_ok_and(|file| is_held(&file))
}

/// Returns whether a run of ours has a lock.
pub(super) fn is_ours(lock: &Path) -> bool {
    Stamp::read(lock).is_some() || is_held_strictly(lock)
}

impl Holder {
    /// Finds out who holds a lock.
    pub(super) fn of(repo: &Repo, lock: &Path) -> Self {
        if is_held_strictly(lock) {
            return Holder::Running;
        }
        let Some((stamp, file)) = Stamp::read(lock) else {
            return Holder::Unknown;
        };
        // Where there are no hard links, only the journal's is locked.
        let its = Journal::all(repo)
            .into_iter()
            .flatten()
            .find(|journal| Some(journal.run()) == stamp.run());
        let (stamp, file) = its
            .and_then(|journal| journal.stamp().ok()?)
            .unwrap_or((stamp, file));
        let is_still_its = || Stamp::read(lock).is_some_and(|(now, _)| now.run() == stamp.run());
        match stamp.life(&file) {
            Life::Alive => Holder::Running,
            // It ended in this instant, and has taken its lock with it.
            Life::Dead if !is_still_its() => Holder::Running,
            Life::Dead => owner(&file).map_or(Holder::Unknown, |owner| Holder::Gone(Owner(owner))),
            Life::Unknown => Holder::Elsewhere { host: stamp.host },
        }
    }
}

/// Returns what tells the index in use from others, wherever the repository is.
pub(super) fn index_name(repo: &Repo) -> String {
    let index = repo.index_path();
    match index.strip_prefix(links::real_git_dir(repo)) {
        Ok(inside) => inside.to_string_lossy().into_owned(),
        Err(_) => format!("elsewhere {}", sealed::digest(&path_bytes(index))),
    }
}

/// Removes a lock if it is provably one of ours whose run is dead: this run's, or one whose journal
/// is gone. Returns whether it did.
///
/// If it can't be removed, or be read, unless its owner keeps others from reading it.
pub(super) fn remove_dead_lock(
    repo: &Repo,
    run: Option<&Journal>,
    asked: Asked,
) -> io::Result<bool> {
    let path = index_lock(repo);
    let Some((stamp, file)) = Stamp::find(&path)? else {
        return Ok(false);
    };
    let is_its = match run {
        Some(run) => stamp.run() == Some(run.run()),
        None => {
            // One that can't be opened may be its.
            let all: Result<Vec<_>, _> = Journal::all(repo).into_iter().collect();
            all.map_err(io::Error::other)?
                .iter()
                .all(|journal| Some(journal.run()) != stamp.run())
        }
    };
    let is_own = owner(&file)? == user();
    // That the run itself is dead was seen before it was recovered.
    let is_dead = run.is_some()
        || matches!(
            (stamp.life(&file), asked),
            (Life::Dead, _) | (Life::Unknown, Asked::Force)
        );
    // It may have lived when it was read, and have let go meanwhile: then the lock that is there
    // now is git's.
    if is_its && is_own && is_dead && is_at(&file, &path)? {
        step("remove a dead lock")?;
        return match std::fs::remove_file(path) {
            Err(error) if is_missing(&error) => Ok(false),
            removed => removed.map(|()| true),
        };
    }
    Ok(false)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::repo::testing::Sample;

    #[test]
    fn settings_are_read_as_git_reads_its_own() {
        let millis = |count| Some(Duration::from_millis(count));
        for (setting, want) in [
            (None, millis(1000)),
            (Some(0), millis(0)),
            (Some(250), millis(250)),
            (Some(-1), None),
        ] {
            assert_eq!(patience(setting), want, "{setting:?}");
        }
    }

    #[test]
    fn a_lock_is_exclusive_and_says_whether_its_run_lives() {
        let sample = Sample::new();
        let repo = sample.open();
        let path = index_lock(&repo);
        let journal = Journal::make(&repo).unwrap();
        let mut lock = IndexLock::attempt(&repo, &journal).unwrap().unwrap();
        assert_eq!(
            IndexLock::attempt(&repo, &journal).unwrap().err(),
            Some(Holder::Running)
        );
        lock.leave();
        drop(lock);
        journal.keep();
        drop(journal);
        // A child that another test starts has it, too, until it runs its program.
        let is_gone = (0..1000).any(|_| {
            std::thread::sleep(Duration::from_millis(1));
            matches!(Holder::of(&repo, &path), Holder::Gone(_))
        });
        assert!(is_gone);
        // What another machine may hold, the kernel can't speak for.
        let (mut stamp, _) = Stamp::read(&path).unwrap();
        stamp.is_remote = true;
        stamp.write(&File::create(&path).unwrap()).unwrap();
        assert_eq!(
            Holder::of(&repo, &path),
            Holder::Elsewhere {
                host: stamp.host.clone()
            }
        );
        // But that one lives is seen.
        let held = File::open(&path).unwrap();
        held.try_lock().unwrap();
        assert_eq!(Holder::of(&repo, &path), Holder::Running);
    }

    #[test]
    fn what_others_put_there_stays() {
        let sample = Sample::new();
        let repo = sample.open();
        let path = index_lock(&repo);
        let journal = Journal::make(&repo).unwrap();
        let lock = IndexLock::attempt(&repo, &journal).unwrap().unwrap();
        std::fs::remove_file(&path).unwrap();
        std::fs::write(&path, "").unwrap();
        drop(lock);
        assert!(path.exists());
        assert_eq!(
            IndexLock::attempt(&repo, &journal).unwrap().err(),
            Some(Holder::Unknown)
        );
    }
}
