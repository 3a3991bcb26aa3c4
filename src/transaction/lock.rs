//! The mutex of a change: git's own `index.lock`, taken in a way that proves whose it is.
//!
//! A stamp is written to a file of its own and then linked to the lock's name, so that the lock names its owner from the
//! first instant. The lock file is never renamed over the index, and never removed unless it is provably ours: the same
//! inode as the descriptor that we have held open ever since.

use std::ffi::OsString;
use std::fmt;
use std::fs::File;
use std::hash::{BuildHasher as _, Hasher as _};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::process::{Pid, getpid, test_kill_process};

use super::fault::{Fault, Holder};
use crate::dir::write::step;

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
    /// Takes the lock of an index.
    ///
    /// # Errors
    /// `locked` if another program still holds it when patience ends, `io` if the folder can't be written to.
    pub(super) fn take(index: &Path, patience: Patience) -> Result<Self, Fault> {
        let path = with_suffix(index, ".lock");
        let io = |source| Fault::Io { doing: "take the lock", path: path_bytes(&path), source };
        let stamp = Stamp::own();
        let draft = with_suffix(index, &format!(".llmpatch-{:016x}", stamp.nonce));
        let started = Instant::now();
        let mut pause = Duration::from_millis(1);
        loop {
            match Self::attempt(&path, &draft, &stamp) {
                Ok(file) => return Ok(Self { path, file }),
                Err(source) if source.kind() != io::ErrorKind::AlreadyExists => return Err(io(source)),
                Err(_) => {}
            }
            if let Patience::For(limit) = patience {
                let left = limit.saturating_sub(started.elapsed());
                if left.is_zero() {
                    let holder = Stamp::read(&path).map_or(Holder::Unknown, |stamp| stamp.holder());
                    return Err(Fault::Locked { lock: path, holder });
                }
                pause = pause.min(left);
            }
            std::thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(50));
        }
    }

    /// Tries once. Whatever happens, the draft is gone afterwards.
    fn attempt(path: &Path, draft: &Path, stamp: &Stamp) -> io::Result<File> {
        step("create the lock's draft")?;
        let mut file = File::options().read(true).write(true).create_new(true).mode(0o666).open(draft)?;
        let draft = RemovedOnDrop(draft);
        let taken = write!(file, "{stamp}").and_then(|()| {
            step("link the lock")?;
            match std::fs::hard_link(draft.0, path) {
                Err(fault) if has_no_hard_links(&fault) => Err(io::ErrorKind::Unsupported.into()),
                result => result,
            }
        });
        match taken {
            Ok(()) => Ok(file),
            Err(fault) if fault.kind() == io::ErrorKind::Unsupported => Self::attempt_without_links(path, stamp),
            Err(fault) => Err(fault),
        }
    }

    /// Tries once where the file system knows no hard links; the lock is then empty for an instant.
    fn attempt_without_links(path: &Path, stamp: &Stamp) -> io::Result<File> {
        let mut file = File::options().read(true).write(true).create_new(true).mode(0o666).open(path)?;
        if let Err(fault) = write!(file, "{stamp}") {
            // The file was made a moment ago by an exclusive create, so it is ours.
            let _ = std::fs::remove_file(path);
            return Err(fault);
        }
        Ok(file)
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
        if self.is_held() {
            // Nothing useful can be done if this fails: the next run names the lock and says whose it was.
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

struct RemovedOnDrop<'p>(&'p Path);

impl Drop for RemovedOnDrop<'_> {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(self.0);
    }
}

fn has_no_hard_links(fault: &io::Error) -> bool {
    use rustix::io::Errno;
    [Errno::PERM, Errno::NOTSUP, Errno::OPNOTSUPP, Errno::NOSYS, Errno::MLINK]
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

/// Who took a lock: enough to tell whether it still lives, even after its number was given to another process.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Stamp {
    pid: i32,
    /// When the process started, in the kernel's own count; empty where the system doesn't say.
    start: String,
    /// Which boot of the machine that was; empty where the system doesn't say.
    boot: String,
    nonce: u64,
}

impl Stamp {
    const TITLE: &str = "git-llmpatch holds this lock";

    fn own() -> Self {
        let pid = getpid().as_raw_nonzero().get();
        Self { pid, start: start_of(pid), boot: boot(), nonce: nonce() }
    }

    fn read(path: &Path) -> Option<Self> {
        let mut text = String::new();
        File::open(path).ok()?.take(1024).read_to_string(&mut text).ok()?;
        Self::parse(&text)
    }

    fn parse(text: &str) -> Option<Self> {
        let mut lines = text.lines();
        (lines.next() == Some(Self::TITLE)).then_some(())?;
        let mut field = |name: &str| lines.next()?.strip_prefix(name)?.strip_prefix(' ').map(str::to_owned);
        let pid = field("pid")?.parse().ok()?;
        let (start, boot) = (field("start")?, field("boot")?);
        let nonce = u64::from_str_radix(&field("nonce")?, 16).ok()?;
        Some(Self { pid, start, boot, nonce })
    }

    fn is_alive(&self) -> bool {
        let exists =
            Pid::from_raw(self.pid).is_some_and(|pid| !matches!(test_kill_process(pid), Err(rustix::io::Errno::SRCH)));
        exists && self.boot == boot() && self.start == start_of(self.pid)
    }

    fn holder(&self) -> Holder {
        if self.is_alive() { Holder::Running { pid: self.pid } } else { Holder::Gone { pid: self.pid } }
    }
}

impl fmt::Display for Stamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { pid, start, boot, nonce } = self;
        writeln!(f, "{}\npid {pid}\nstart {start}\nboot {boot}\nnonce {nonce:016x}", Self::TITLE)
    }
}

/// Returns when a process started, as the kernel counts; empty where there is no such thing.
fn start_of(pid: i32) -> String {
    let stat = std::fs::read(format!("/proc/{pid}/stat")).unwrap_or_default();
    let stat = String::from_utf8_lossy(&stat);
    // The name in parentheses may hold anything, so fields count from the last one closed: the 22nd is the 20th after it.
    stat.rsplit(')').next().and_then(|rest| rest.split_whitespace().nth(19)).unwrap_or_default().to_owned()
}

fn boot() -> String {
    std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default().trim().to_owned()
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
        let lock = IndexLock::take(&index, brief()).unwrap();
        let refused = IndexLock::take(&index, brief()).unwrap_err();
        let Fault::Locked { holder: Holder::Running { pid }, .. } = refused else { panic!("{refused}") };
        assert_eq!(pid, getpid().as_raw_nonzero().get());
        drop(lock);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn what_others_put_there_stays() {
        let folder = tempfile::tempdir().unwrap();
        let index = folder.path().join("index");
        let path = folder.path().join("index.lock");
        let lock = IndexLock::take(&index, brief()).unwrap();
        std::fs::remove_file(&path).unwrap();
        std::fs::write(&path, "").unwrap();
        drop(lock);
        assert!(path.exists());
        let refused = IndexLock::take(&index, brief()).unwrap_err();
        assert!(matches!(refused, Fault::Locked { holder: Holder::Unknown, .. }), "{refused}");
    }

    #[test]
    fn a_dead_owner_is_told_from_a_living_one() {
        let own = Stamp::own();
        assert_eq!(Stamp::parse(&own.to_string()), Some(own.clone()));
        assert!(own.is_alive());
        if !own.start.is_empty() {
            assert!(!Stamp { start: "1".into(), ..own.clone() }.is_alive());
            assert!(!Stamp { boot: "another".into(), ..own }.is_alive());
        }
        assert_eq!(Stamp::parse("DIRC"), None);
    }
}
