//! Interrupt, terminate, hang up: they remove what is only for this run, and end it. While a change
//! is being made they only raise a flag, and the change is taken back.
//!
//! How a process takes signals is one thing for all of it, so this is the one place with something
//! global. Until something is to be removed or taken back, a signal does what it always does. One
//! that was ignored when we were started (`nohup`) stays ignored.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread;
use std::time::Duration;

use crate::system::{self, SIGNALS};

pub(crate) use crate::system::{die_of, wait_for_children};

/// A signal that asks to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("interrupted by signal {0}")]
pub struct Received(pub(crate) i32);

#[derive(Default)]
struct Flags {
    /// How many hold signals back.
    holders: AtomicUsize,
    /// Whether interrupts are left to a child.
    is_left: AtomicBool,
    /// Which of [`SIGNALS`] came.
    came: [Arc<AtomicBool>; SIGNALS.len()],
}

static FLAGS: OnceLock<Flags> = OnceLock::new();

/// What goes before a signal ends the process. Locked while something of it is made, so that nothing
/// stays of which nobody knows yet.
static TEMPORARIES: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// Holds signals back. Dropping it lets them act again; what came is no longer asked for then.
#[derive(Debug)]
pub(crate) struct HeldBack(());

impl HeldBack {
    /// Begins to hold them back.
    pub(crate) fn begin() -> Self {
        let flags = flags();
        // A signal that is already ending the process ends it before anything is changed.
        let _ended = temporaries();
        flags.holders.fetch_add(1, Ordering::SeqCst);
        Self(())
    }
}

impl Drop for HeldBack {
    fn drop(&mut self) {
        let flags = flags();
        if flags.holders.load(Ordering::SeqCst) == 1 {
            flags.came.iter().for_each(forget);
        }
        flags.holders.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Leaves interrupts to a child that has the terminal, such as a pager: if we died of an interrupt,
/// the child would be left with the terminal in disarray. Dropping it lets them act again. Not for
/// while a change is made.
#[derive(Debug)]
pub(crate) struct LeftToChild(());

impl LeftToChild {
    /// Begins to leave them.
    pub(crate) fn begin() -> Self {
        flags().is_left.store(true, Ordering::SeqCst);
        Self(())
    }
}

impl Drop for LeftToChild {
    fn drop(&mut self) {
        forget(&flags().came[0]);
        flags().is_left.store(false, Ordering::SeqCst);
    }
}

/// Something that goes before a signal ends the process, until this is dropped.
#[derive(Debug)]
pub(crate) struct Listed(PathBuf);

impl Drop for Listed {
    fn drop(&mut self) {
        temporaries().remove(&self.0);
    }
}

/// Makes something that goes before a signal ends the process.
///
/// If it can't be made.
pub(crate) fn listed<T: AsRef<Path>>(
    make: impl FnOnce() -> io::Result<T>,
) -> io::Result<(T, Listed)> {
    flags();
    let mut temporaries = temporaries();
    let made = make()?;
    let path = made.as_ref().to_owned();
    temporaries.insert(path.clone());
    Ok((made, Listed(path)))
}

/// Fails if a signal asks to stop.
pub(crate) fn check() -> Result<(), Received> {
    pending().map_or(Ok(()), Err)
}

/// Returns the signal that came since they are held back.
pub(crate) fn pending() -> Option<Received> {
    came(FLAGS.get()?).next()
}

fn came(flags: &Flags) -> impl Iterator<Item = Received> {
    let each = SIGNALS.iter().zip(&flags.came);
    each.filter(|(_, came)| came.load(Ordering::SeqCst))
        .map(|(signal, _)| Received(*signal))
}

fn forget(came: &Arc<AtomicBool>) {
    came.store(false, Ordering::SeqCst);
}

fn temporaries() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    TEMPORARIES.lock().unwrap_or_else(PoisonError::into_inner)
}

fn flags() -> &'static Flags {
    FLAGS.get_or_init(|| {
        let flags = Flags::default();
        // Where it can't be done a signal ends us as it always did, and recovery does the rest.
        let _ = system::on_signals(&flags.came, act);
        flags
    })
}

/// Does what the signals ask for that came.
fn act() {
    let flags = FLAGS.wait();
    let acts = |signal| signal != SIGNALS[0] || !flags.is_left.load(Ordering::SeqCst);
    let Some(Received(signal)) = came(flags).find(|Received(signal)| acts(*signal)) else {
        return;
    };
    // Held to the end, so that nothing is made and no change begins any more.
    let temporaries = temporaries();
    if flags.holders.load(Ordering::SeqCst) == 0 {
        temporaries.iter().for_each(|path| remove(path));
        die_of(signal);
    }
}

/// Removes what a child may still be writing to.
fn remove(path: &Path) {
    for _ in 0..100 {
        let _ = fs::remove_dir_all(path).or_else(|_| fs::remove_file(path));
        if path.symlink_metadata().is_err() {
            break;
        }
        thread::sleep(Duration::from_millis(5));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_holds_signals_back_within_another_does_not_let_them_go() {
        let are_held = || flags().holders.load(Ordering::SeqCst) > 0;
        let outer = HeldBack::begin();
        drop(HeldBack::begin());
        assert!(are_held());
        drop(outer);
    }
}
