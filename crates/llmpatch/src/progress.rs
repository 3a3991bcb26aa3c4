//! How far a long work is, for whoever watches: numbers that are written and read without waiting,
//! and nothing that prints.
//!
//! The rooms that work write it and never ask whether somebody looks; between the first visible
//! change and the last nothing can go wrong here and nothing is waited for.

use std::fmt::Display;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};

/// How far a work is. Clones are of the same work.
#[derive(Clone, Debug, Default)]
pub struct Progress(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    /// All in one integer, so that nobody sees the count of a stage beside the total of another:
    /// four bits for the stage, 0 for none, then how much is done, then how much there is.
    state: AtomicU64,
    is_shown: AtomicBool,
    /// Who holds what is waited for, once that is told.
    holder: Mutex<String>,
    /// Reports at once what is waited for.
    voice: OnceLock<fn(&str)>,
}

/// What is being done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Responses are read as patches.
    Parsing = 1,
    /// Files are read, and the change is worked out.
    Planning,
    /// Old and new contents are compared.
    Comparing,
    /// Another process has the lock.
    Waiting,
    /// New contents are written beside their targets.
    Preparing,
    /// Blobs are written.
    Storing,
    /// Files get into their places.
    Writing,
    /// The disk is waited for.
    Flushing,
    /// Files are put back as they were.
    Restoring,
    /// What a run left lying about is removed.
    Tidying,
    /// It is found out what is staged, and whether markers are in it.
    Scanning,
    /// Responses are tried out one after the other.
    Checking,
    /// Commits are written as responses.
    Showing,
    /// What was written is read as any reader would.
    Proving,
}

impl Stage {
    /// All of them, by their numbers.
    const ALL: [Stage; 14] = {
        use Stage::*;
        [
            Parsing, Planning, Comparing, Waiting, Preparing, Storing, Writing, Flushing,
            Restoring, Tidying, Scanning, Checking, Showing, Proving,
        ]
    };
}

/// What a watcher sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StageCount {
    /// What is being done.
    pub stage: Stage,
    /// How many things of it are done.
    pub done: u64,
    /// How many there are; 0 if nobody knows.
    pub total: u64,
}

const COUNT_BITS: u32 = 30;
const MAX: u64 = (1 << COUNT_BITS) - 1;

impl Progress {
    /// Begins with a stage of `total` items; 0 if nobody knows.
    pub fn enter(&self, stage: Stage, total: usize) {
        let total = u64::try_from(total).unwrap_or(MAX).min(MAX);
        self.0
            .state
            .store((stage as u64) << (2 * COUNT_BITS) | total, Ordering::SeqCst);
    }

    /// One thing more is done.
    pub fn step(&self) {
        let state = self.0.state.load(Ordering::SeqCst);
        if state >> COUNT_BITS & MAX < MAX {
            self.0.state.fetch_add(1 << COUNT_BITS, Ordering::SeqCst);
        }
    }

    /// Nothing is being done that anybody should be told of: somebody else has the terminal from
    /// here on. Gives a watcher a moment to take away what it showed, if it did.
    pub fn rest(&self) {
        const MOMENT: Duration = Duration::from_millis(300);
        self.0.state.store(0, Ordering::SeqCst);
        let begun = Instant::now();
        while self.0.is_shown.load(Ordering::SeqCst) && begun.elapsed() < MOMENT {
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// Tells whoever waits which file is waited for, and who holds it.
    pub fn tell_holder(&self, lock: &dyn Display, holder: &dyn Display) {
        if let Some(voice) = self.0.voice.get() {
            voice(&format!(
                "waiting for `{lock}`, which is held by {holder}\n"
            ));
        }
        if let Ok(mut told) = self.0.holder.lock() {
            *told = holder.to_string();
        }
    }

    /// Returns who holds what is waited for, as far as that was told.
    pub fn holder(&self) -> Option<String> {
        self.0
            .holder
            .lock()
            .ok()
            .filter(|holder| !holder.is_empty())
            .map(|holder| holder.clone())
    }

    /// Sets who reports what is waited for.
    pub fn listen(&self, voice: fn(&str)) {
        let _ = self.0.voice.set(voice);
    }

    /// Returns how far it is, if anything is being done.
    pub fn seen(&self) -> Option<StageCount> {
        let state = self.0.state.load(Ordering::SeqCst);
        let number = state >> (2 * COUNT_BITS);
        let stage = Stage::ALL
            .into_iter()
            .find(|stage| *stage as u64 == number)?;
        Some(StageCount {
            stage,
            done: state >> COUNT_BITS & MAX,
            total: state & MAX,
        })
    }

    /// A watcher says whether something of this is on a screen, or is about to be.
    pub fn show(&self, is_shown: bool) {
        self.0.is_shown.store(is_shown, Ordering::SeqCst);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_seen() {
        let progress = Progress::default();
        assert_eq!(progress.seen(), None);
        for stage in Stage::ALL {
            for (total, want) in [(0, 0), (7, 7), (usize::MAX, MAX)] {
                progress.enter(stage, total);
                progress.clone().step();
                assert_eq!(
                    progress.seen(),
                    Some(StageCount {
                        stage,
                        done: 1,
                        total: want
                    })
                );
            }
        }
        progress.rest();
        assert_eq!(progress.seen(), None);
    }

    #[test]
    fn counts_never_run_over() {
        let progress = Progress::default();
        progress.0.state.store(
            (Stage::Writing as u64) << (2 * COUNT_BITS) | (MAX - 1) << COUNT_BITS,
            Ordering::SeqCst,
        );
        (0..3).for_each(|_| progress.step());
        assert_eq!(
            progress.seen(),
            Some(StageCount {
                stage: Stage::Writing,
                done: MAX,
                total: 0
            })
        );
    }

    #[test]
    fn nobody_waits_for_a_watcher_that_is_stuck() {
        let progress = Progress::default();
        progress.enter(Stage::Writing, 1);
        progress.show(true);
        progress.rest();
        assert_eq!(progress.seen(), None);
    }
}
