//! What systems do differently, apart from directories (`dir`): names as bytes, locks, who we are,
//! children, signals, the terminal.
//!
//! `unix.rs` and `windows.rs` have the same functions, and nothing outside of this room and of
//! `dir` asks which system it is.

#[cfg(unix)]
mod children;
#[cfg(unix)]
mod commit_barrier;
#[cfg(windows)]
mod job;
#[cfg(unix)]
mod keys;
#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

use std::ffi::OsStr;
use std::iter;
use std::path::Path;
use std::process::Command;

use bstr::{BString, ByteSlice as _};

#[cfg(unix)]
pub(crate) use self::{children::*, commit_barrier::*, keys::*, unix::*};
#[cfg(windows)]
pub(crate) use self::{job::*, windows::*};

/// What tells a file from any other, and whether it was written to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Identity {
    /// The device, and the number of the file there.
    pub(crate) number: (u64, u64),
    pub(crate) size: u64,
    pub(crate) modified: (i64, i64),
}

/// Writes a word as a shell reads it.
pub(crate) fn shell_quoted(word: &[u8]) -> BString {
    [b"'", &word.replace("'", "'\\''")[..], b"'"]
        .concat()
        .into()
}

/// Has a command look for programs in a directory before all others.
pub(crate) fn prepend_path(command: &mut Command, directory: &Path) {
    let set = command.get_envs().find(|(name, _)| *name == "PATH");
    let set = set.and_then(|(_, path)| path.map(OsStr::to_owned));
    let Some(path) = set.or_else(|| std::env::var_os("PATH")) else {
        return;
    };
    let rest = std::env::split_paths(&path);
    // A directory that can't be written down there is in no list either.
    if let Ok(path) = std::env::join_paths(iter::once(directory.to_owned()).chain(rest)) {
        command.env("PATH", path);
    }
}

/// Does something, and does it once more if it fails, where there is no way back any more: a fault
/// that is gone at the next call is to leave nothing half done.
///
/// Systems have such faults: on a network file system a handle is stale once another machine has
/// replaced a directory (`ESTALE`), and calls of a soft mount fail while its server starts (`EIO`,
/// `ETIMEDOUT`); and another program can use up all open files, memory or processes for a moment
/// (`ENFILE`, `ENOMEM`, `EAGAIN`).
pub(crate) fn despite_passing_fault<T, E>(
    mut action: impl FnMut() -> Result<T, E>,
) -> Result<T, E> {
    action().or_else(|_| action())
}

/// Counts a step, and ends there if it is the one that the environment names.
#[cfg(feature = "steps")]
pub(crate) fn step() {
    use std::sync::atomic::{AtomicUsize, Ordering};

    static STEPS: AtomicUsize = AtomicUsize::new(0);
    let named = std::env::var("GIT_LLMPATCH_STEP").ok();
    let nth = STEPS.fetch_add(1, Ordering::SeqCst) + 1;
    if named.and_then(|named| named.parse().ok()) == Some(nth) {
        std::process::exit(77);
    }
}

/// Returns how many columns the terminal has that a stream is; `None` if it is none.
pub(crate) fn columns(stream: impl AsStream) -> Option<usize> {
    let (width, _) = terminal_size::terminal_size_of(stream)?;
    Some(usize::from(width.0))
}
