//! What systems do differently, apart from directories (`dir`): names as bytes, locks, who we are,
//! children, signals, the terminal.
//!
//! `unix.rs` and `windows.rs` have the same functions, and nothing outside of this room and of
//! `dir` asks which system it is.

#[cfg(unix)]
mod children;
#[cfg(unix)]
mod keys;
#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(windows)]
pub(crate) use self::windows::*;
#[cfg(unix)]
pub(crate) use self::{children::*, keys::*, unix::*};

/// What tells a file from any other, and whether it was written to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Identity {
    /// The device, and the number of the file there.
    pub(crate) number: (u64, u64),
    pub(crate) size: u64,
    pub(crate) modified: (i64, i64),
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
