//! Counts the bytes that reading looks at, so that tests can tell linear from quadratic without a
//! clock.

#[cfg(test)]
use std::cell::Cell;

#[cfg(test)]
thread_local! { static BYTES: Cell<usize> = const { Cell::new(0) } }

/// Notes that bytes were looked at. Outside of tests, nothing.
#[inline]
pub(super) fn add(bytes: usize) {
    #[cfg(test)]
    BYTES.set(BYTES.get() + bytes);
    #[cfg(not(test))]
    let _ = bytes;
}

/// Returns how many bytes are looked at while something runs.
#[cfg(test)]
pub(super) fn during(what: impl FnOnce()) -> usize {
    let before = BYTES.get();
    what();
    BYTES.get() - before
}
