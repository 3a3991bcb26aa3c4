//! Work that several processors share. What it comes to is the same as if one did it all.

use std::panic::resume_unwind;
use std::thread::{self, Builder};

/// Less bytes than this are gone through before other threads have begun.
const WORTH_IT: usize = if cfg!(test) { 1 << 12 } else { 1 << 20 };
/// More parts than these wait for the memory more than for a processor.
const MOST: usize = 8;

/// Returns into how many parts work on `bytes` bytes is best divided.
pub fn parts(bytes: usize) -> usize {
    if bytes < WORTH_IT {
        1
    } else {
        thread::available_parallelism().map_or(1, |count| count.get().min(MOST))
    }
}

/// Does two tasks at once, if they are about enough bytes for it to be worth it; the second in this
/// thread.
pub fn beside<A: Send, B>(
    bytes: usize,
    one: impl Fn() -> A + Sync,
    two: impl FnOnce() -> B,
) -> (A, B) {
    if parts(bytes) == 1 {
        return (one(), two());
    }
    thread::scope(|scope| match Builder::new().spawn_scoped(scope, &one) {
        Ok(thread) => {
            let two = two();
            (
                thread.join().unwrap_or_else(|panic| resume_unwind(panic)),
                two,
            )
        }
        Err(_) => (one(), two()),
    })
}

/// Does the parts of a work at once, as far as the system has threads to give; returns what each
/// comes to, in order.
pub fn share<T: Send>(parts: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let work = &work;
    thread::scope(|scope| {
        let others: Vec<_> = (1..parts)
            .map(|part| Builder::new().spawn_scoped(scope, move || work(part)))
            .collect();
        let first = (parts > 0).then(|| work(0));
        let others = others
            .into_iter()
            .zip(1..)
            .map(|(thread, part)| match thread {
                Ok(thread) => thread.join().unwrap_or_else(|panic| resume_unwind(panic)),
                Err(_) => work(part),
            });
        first.into_iter().chain(others).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_things_come_to_the_same_at_once_as_one_after_the_other() {
        for bytes in [0, WORTH_IT - 1, WORTH_IT, usize::MAX] {
            assert_eq!(beside(bytes, || "one", || "two"), ("one", "two"));
        }
    }
}
