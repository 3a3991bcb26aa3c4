//! Interrupt, terminate, hang up: while a change is being made they only raise a flag, and the
//! change is taken back.
//!
//! How a process takes signals is one thing for all of it, so this is the one place with something
//! global. Outside of a change a signal does what it always does. One that was ignored when we were
//! started (`nohup`) stays ignored.

use std::fs::File;
use std::io::Read as _;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use bstr::ByteSlice as _;
use signal_hook::consts::{SIGCHLD, SIGHUP, SIGINT, SIGTERM};

use super::error::TransactionError;

struct Flags {
    /// How many hold signals back.
    holders: AtomicUsize,
    /// Whether a signal acts as it always does.
    passes: Arc<AtomicBool>,
    /// Whether an interrupt does.
    interrupt_passes: Arc<AtomicBool>,
    /// The signal that came; 0 for none.
    came: Arc<AtomicUsize>,
}

static FLAGS: OnceLock<Flags> = OnceLock::new();

/// The signals that were ignored when this process was started, one a bit. Nothing here ever
/// ignores one.
static IGNORED: OnceLock<u64> = OnceLock::new();

/// Holds signals back. Dropping it lets them act again; the one that came is no longer asked for
/// then.
#[derive(Debug)]
pub(super) struct HeldBack(());

impl HeldBack {
    /// Begins to hold them back.
    pub(super) fn begin() -> Self {
        let flags = FLAGS.get_or_init(install);
        if flags.holders.fetch_add(1, Ordering::SeqCst) == 0 {
            flags.came.store(0, Ordering::SeqCst);
        }
        flags.passes.store(false, Ordering::SeqCst);
        flags.interrupt_passes.store(false, Ordering::SeqCst);
        Self(())
    }
}

impl Drop for HeldBack {
    fn drop(&mut self) {
        if let Some(flags) = FLAGS
            .get()
            .filter(|flags| flags.holders.fetch_sub(1, Ordering::SeqCst) == 1)
        {
            flags.passes.store(true, Ordering::SeqCst);
            flags.interrupt_passes.store(true, Ordering::SeqCst);
        }
    }
}

/// Leaves interrupts to a child that has the terminal, such as a pager: if we died of one, the
/// child would be left with the terminal in disarray. Dropping it lets them act again. Not for
/// while a change is made.
#[derive(Debug)]
pub struct LeftToChild(());

impl LeftToChild {
    /// Begins to leave them.
    pub fn begin() -> Self {
        FLAGS
            .get_or_init(install)
            .interrupt_passes
            .store(false, Ordering::SeqCst);
        Self(())
    }
}

impl Drop for LeftToChild {
    fn drop(&mut self) {
        if let Some(flags) = FLAGS.get() {
            flags.interrupt_passes.store(true, Ordering::SeqCst);
        }
    }
}

/// Fails if a signal asks to stop.
pub(super) fn check() -> Result<(), TransactionError> {
    pending().map_or(Ok(()), |signal| {
        Err(TransactionError::Interrupted { signal })
    })
}

/// Returns the signal that came since they are held back.
pub(super) fn pending() -> Option<i32> {
    let came = FLAGS.get()?.came.load(Ordering::SeqCst);
    i32::try_from(came).ok().filter(|came| *came != 0)
}

/// Makes the system keep how children ended until they are waited for. It doesn't where we were
/// started by a program that ignores what becomes of its own.
pub fn wait_for_children() {
    if is_ignored(SIGCHLD) {
        // Caught, it isn't ignored, and children don't inherit that.
        let _ = signal_hook::flag::register(SIGCHLD, Arc::default());
    }
}

/// Dies of a signal, as if it had never been held back.
pub fn die_of(signal: i32) {
    let _ = signal_hook::low_level::emulate_default_handler(signal);
}

fn install() -> Flags {
    let passing = || Arc::new(AtomicBool::new(true));
    let flags = Flags {
        holders: AtomicUsize::new(0),
        passes: passing(),
        interrupt_passes: passing(),
        came: Arc::new(AtomicUsize::new(0)),
    };
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        if is_ignored(signal) {
            continue;
        }
        // A signal that can't be caught ends us as it always did; recovery then does the rest.
        let passes = if signal == SIGINT {
            &flags.interrupt_passes
        } else {
            &flags.passes
        };
        let _ = signal_hook::flag::register_conditional_default(signal, Arc::clone(passes));
        let _ = signal_hook::flag::register_usize(signal, Arc::clone(&flags.came), signal as usize);
    }
    flags
}

/// Returns whether a signal was ignored when this process was started.
fn is_ignored(signal: i32) -> bool {
    IGNORED.get_or_init(|| ignored().unwrap_or_default()) >> (signal - 1) & 1 == 1
}

fn ignored() -> Option<u64> {
    // A file that says that it is empty is read piece by piece unless there is room for all of it.
    let mut status = Vec::with_capacity(4 << 10);
    File::open("/proc/self/status")
        .ok()?
        .take(1 << 20)
        .read_to_end(&mut status)
        .ok()?;
    let mask = status
        .lines()
        .find_map(|line| line.strip_prefix(b"SigIgn:"))?;
    u64::from_str_radix(mask.trim_ascii().to_str().ok()?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_holds_signals_back_within_another_does_not_let_them_go() {
        let passes = || FLAGS.get().unwrap().passes.load(Ordering::SeqCst);
        let outer = HeldBack::begin();
        drop(HeldBack::begin());
        assert!(!passes());
        drop(outer);
    }
}
