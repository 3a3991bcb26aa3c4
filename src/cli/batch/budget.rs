//! How many bytes may wait: lines that are read and worked out, and answers that are worked out and
//! not written, since one before them is slow.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// How many bytes it is.
const MOST: usize = 32 << 20;
/// What a line takes besides its bytes.
const EACH: usize = 8 << 10;

/// What is left of them.
#[derive(Debug, Default)]
pub(super) struct Budget {
    used: Mutex<usize>,
    freed: Condvar,
}

impl Budget {
    /// Waits until not more than these bytes wait, then adds some for a line.
    pub(super) fn take(&self, len: usize) {
        let full = |used: &mut usize| *used >= MOST;
        let used = self.freed.wait_while(self.used(), full);
        *used.unwrap_or_else(PoisonError::into_inner) += len + EACH;
    }

    /// Makes other bytes wait in place of the bytes of a line.
    pub(super) fn change(&self, from: usize, to: usize) {
        let mut used = self.used();
        *used = (*used + to).saturating_sub(from);
        self.freed.notify_all();
    }

    /// Gives back the bytes of lines, which wait no more.
    pub(super) fn free(&self, len: usize, lines: usize) {
        self.change(len + lines * EACH, 0);
    }

    fn used(&self) -> MutexGuard<'_, usize> {
        self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
