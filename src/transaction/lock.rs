//! The mutex of a change: git's own `index.lock`, taken in a way that proves whose it is.
//!
//! A stamp is written into the run's journal and then linked to the lock's name, so that the lock names its owner from the
//! first instant. The lock file is never renamed over the index, and never removed unless it is provably ours: the same
//! inode as the stamp that was linked, or one whose stamp names a run that is dead.

use std::ffi::OsString;
use std::fs::File;
use std::hash::{BuildHasher as _, Hasher as _};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::process::getpid;

use super::fault::{Fault, Holder};
use super::journal::{Journal, Litter};
use super::manifest::os;
use super::owner::{Life, Owner};
use super::signal;
use crate::dir::write::step;
use crate::repo::Repo;

/// How long to wait for a lock that another program holds.
///
/// `llmpatch.lockTimeout` says it as git's own lock timeouts do: in milliseconds, 0 to try once, negative to wait for ever.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Patience {
    /// Until so much time has passed.
    For(Duration),
    /// For ever.
    Endless,
}

impl Patience {
    /// Reads the setting; one second without it, since an editor's background `git status` holds the lock for milliseconds.
    pub(super) fn from_setting(milliseconds: Option<i64>) -> Self {
        match milliseconds {
            None => Patience::For(Duration::from_secs(1)),
            Some(time) => {
                u64::try_from(time).map_or(Patience::Endless, |time| Patience::For(Duration::from_millis(time)))
            }
        }
    }
}

/// The lock on the index, held. Dropping it removes the lock file, unless somebody replaced it.
#[derive(Debug)]
pub(super) struct IndexLock {
    path: PathBuf,
    file: File,
}

impl IndexLock {
    /// Takes the lock of an index for a run.
    ///
    /// # Errors
    /// `locked` if another program still holds it when patience ends, `io` if the folder can't be written to.
    pub(super) fn take(index: &Path, patience: Patience, journal: &Journal, stamp: &Stamp) -> Result<Self, Fault> {
        let path = with_suffix(index, ".lock");
        let io = |source| Fault::Io { doing: "take the lock", path: path_bytes(&path), source };
        journal.note(&[Litter::Lock(path.clone())])?;
        let mut wait = Wait::new(patience);
        loop {
            match Self::attempt(&path, journal, stamp) {
                Ok(file) => return Ok(Self { path, file }),
                Err(source) if source.kind() != io::ErrorKind::AlreadyExists => return Err(io(source)),
                Err(_) => {}
            }
            let holder = Stamp::read(&path).map_or(Holder::Unknown, |stamp| stamp.holder());
            if matches!(holder, Holder::Gone { .. }) || !wait.once()? {
                return Err(Fault::Locked { lock: path, holder });
            }
        }
    }

    /// Tries once.
    fn attempt(path: &Path, journal: &Journal, stamp: &Stamp) -> io::Result<File> {
        let own = journal.path_of("stamp");
        let file = File::open(&own)?;
        step("link the lock")?;
        match std::fs::hard_link(&own, path) {
            Ok(()) => Ok(file),
            Err(fault) if has_no_hard_links(&fault) => Self::attempt_without_links(path, stamp),
            Err(fault) => Err(fault),
        }
    }

    /// Tries once where the file system knows no hard links; the lock is then empty for an instant.
    fn attempt_without_links(path: &Path, stamp: &Stamp) -> io::Result<File> {
        let file = File::options().read(true).write(true).create_new(true).mode(0o666).open(path)?;
        if let Err(fault) = stamp.write(&file) {
            // The file was made a moment ago by an exclusive create, so it is ours.
            let _ = std::fs::remove_file(path);
            return Err(fault);
        }
        Ok(file)
    }

    /// Returns whether it is the lock of this name.
    pub(super) fn is_at(&self, path: &Path) -> bool {
        self.path == path
    }

    /// Returns whether the lock file still is the one that was taken.
    pub(super) fn is_held(&self) -> bool {
        let same =
            |ours: std::fs::Metadata, there: std::fs::Metadata| (ours.dev(), ours.ino()) == (there.dev(), there.ino());
        match (self.file.metadata(), std::fs::symlink_metadata(&self.path)) {
            (Ok(ours), Ok(there)) => same(ours, there),
            _ => false,
        }
    }
}

impl Drop for IndexLock {
    fn drop(&mut self) {
        // A fault may pass. Nothing more can be done if it doesn't: the next run finds the lock's owner dead, and removes it.
        for _ in 0..2 {
            if self.is_held() {
                let _ = std::fs::remove_file(&self.path);
            }
        }
    }
}

/// Waits until nobody holds a lock without which there is no commit: that of HEAD, and of its branch.
///
/// # Errors
/// `locked` if one is still held when patience ends.
pub(super) fn await_head(repo: &Repo, patience: Patience) -> Result<(), Fault> {
    let mut wait = Wait::new(patience);
    while let Some(lock) = repo.head_locks().into_iter().next() {
        if !wait.once()? {
            return Err(Fault::Locked { lock, holder: Holder::Unknown });
        }
    }
    Ok(())
}

/// Waits for something, longer each time, until patience ends.
pub(super) struct Wait {
    started: Instant,
    pause: Duration,
    patience: Patience,
}

impl Wait {
    pub(super) fn new(patience: Patience) -> Self {
        Self { started: Instant::now(), pause: Duration::from_millis(1), patience }
    }

    /// Waits a moment; says no if there was none left.
    ///
    /// # Errors
    /// If a signal asks to stop.
    pub(super) fn once(&mut self) -> Result<bool, Fault> {
        if let Some(signal) = signal::pending() {
            return Err(Fault::Interrupted { signal });
        }
        if let Patience::For(limit) = self.patience {
            let left = limit.saturating_sub(self.started.elapsed());
            if left.is_zero() {
                return Ok(false);
            }
            self.pause = self.pause.min(left);
        }
        std::thread::sleep(self.pause);
        self.pause = (self.pause * 2).min(Duration::from_millis(50));
        Ok(true)
    }
}

fn has_no_hard_links(fault: &io::Error) -> bool {
    use rustix::io::Errno;
    // Another file system than the journal's, where the index was put elsewhere (`GIT_INDEX_FILE`), is no better than none.
    [Errno::PERM, Errno::NOTSUP, Errno::OPNOTSUPP, Errno::NOSYS, Errno::MLINK, Errno::XDEV]
        .iter()
        .any(|errno| fault.raw_os_error() == Some(errno.raw_os_error()))
}

pub(super) fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name: OsString = path.into();
    name.push(suffix);
    name.into()
}

pub(super) fn path_bytes(path: &Path) -> bstr::BString {
    use std::os::unix::ffi::OsStrExt as _;
    path.as_os_str().as_bytes().into()
}

/// Returns a number that no other run uses.
pub(super) fn nonce() -> u64 {
    // The standard library seeds this from the system's randomness; the process and the time are added for good measure.
    let mut hasher = std::collections::hash_map::RandomState::new().build_hasher();
    hasher.write_i32(getpid().as_raw_nonzero().get());
    if let Ok(now) = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH) {
        hasher.write_u128(now.as_nanos());
    }
    hasher.finish()
}

/// Who took a lock, and where its journal is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Stamp {
    pub(super) owner: Owner,
    pub(super) journal: PathBuf,
}

impl Stamp {
    const TITLE: &str = "git-llmpatch holds this lock";
    const END: &str = "\nend\n";

    /// Makes the stamp of a new run.
    pub(super) fn own(home: &Path) -> Self {
        Self { owner: Owner::own(), journal: super::journal::new_folder(home) }
    }

    /// Reads one; `None` if there is none, or it isn't whole.
    pub(super) fn read(path: &Path) -> Option<Self> {
        let mut bytes = Vec::new();
        File::open(path).ok()?.take(16 << 10).read_to_end(&mut bytes).ok()?;
        Self::parse(&bytes)
    }

    fn parse(bytes: &[u8]) -> Option<Self> {
        use bstr::ByteSlice as _;
        let bytes = bytes.strip_suffix(Self::END.as_bytes())?;
        let (text, journal) = bytes.split_once_str("\njournal ")?;
        let text = std::str::from_utf8(text).ok()?;
        let mut lines = text.lines();
        (lines.next() == Some(Self::TITLE)).then_some(())?;
        Some(Self { owner: Owner::parse(&mut lines)?, journal: os(journal).into() })
    }

    fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = format!("{}\n{}journal ", Self::TITLE, self.owner).into_bytes();
        bytes.extend_from_slice(&path_bytes(&self.journal));
        bytes.extend_from_slice(Self::END.as_bytes());
        bytes
    }

    /// Writes it to a file.
    pub(super) fn write(&self, mut file: &File) -> io::Result<()> {
        file.write_all(&self.to_bytes())
    }

    /// Says who it names, and whether that process or its child lives.
    pub(super) fn holder(&self) -> Holder {
        let pid = self.owner.pid;
        let life = match self.owner.life() {
            Life::Dead => match Journal::open(&self.journal).ok().and_then(|journal| journal.child()) {
                Some(child) if child.life() != Life::Dead => return Holder::Running { pid: child.pid },
                _ => Life::Dead,
            },
            life => life,
        };
        match life {
            Life::Alive => Holder::Running { pid },
            Life::Dead => Holder::Gone { pid },
            Life::Unknown => Holder::Elsewhere { pid },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn brief() -> Patience {
        Patience::For(Duration::from_millis(5))
    }

    #[test]
    fn settings_are_read_as_git_reads_its_own() {
        for (setting, want) in [
            (None, Patience::For(Duration::from_secs(1))),
            (Some(0), Patience::For(Duration::ZERO)),
            (Some(250), Patience::For(Duration::from_millis(250))),
            (Some(-1), Patience::Endless),
        ] {
            assert_eq!(Patience::from_setting(setting), want, "{setting:?}");
        }
    }

    #[test]
    fn a_lock_is_exclusive_and_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let index = folder.path().join("index");
        let (journal, stamp) = Journal::make(folder.path()).unwrap();
        let lock = IndexLock::take(&index, brief(), &journal, &stamp).unwrap();
        let refused = IndexLock::take(&index, brief(), &journal, &stamp).unwrap_err();
        let Fault::Locked { holder: Holder::Running { pid }, .. } = refused else { panic!("{refused}") };
        assert_eq!(pid, getpid().as_raw_nonzero().get());
        drop(lock);
        drop(journal);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn what_others_put_there_stays() {
        let folder = tempfile::tempdir().unwrap();
        let index = folder.path().join("index");
        let path = folder.path().join("index.lock");
        let (journal, stamp) = Journal::make(folder.path()).unwrap();
        let lock = IndexLock::take(&index, brief(), &journal, &stamp).unwrap();
        std::fs::remove_file(&path).unwrap();
        std::fs::write(&path, "").unwrap();
        drop(lock);
        assert!(path.exists());
        let refused = IndexLock::take(&index, brief(), &journal, &stamp).unwrap_err();
        assert!(matches!(refused, Fault::Locked { holder: Holder::Unknown, .. }), "{refused}");
    }

    #[test]
    fn a_stamp_is_read_as_it_was_written_or_not_at_all() {
        let own = Stamp::own(Path::new("/a b/\nc"));
        let bytes = own.to_bytes();
        assert_eq!(Stamp::parse(&bytes), Some(own));
        for end in 0..bytes.len() {
            assert_eq!(Stamp::parse(&bytes[..end]), None);
        }
    }
}
