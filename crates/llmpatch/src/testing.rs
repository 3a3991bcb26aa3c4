//! How much is tried of what could be tried without end: a part, or all of it with `CASES=all`, as
//! `.ci/run` has it.

fn in_full() -> bool {
    std::env::var_os("CASES").is_some_and(|extent| extent == "all")
}

/// Returns with how many random inputs a law is tried.
pub(crate) fn cases(full: u32) -> u32 {
    if in_full() { full } else { full / 8 }
}

/// Returns how long a text is that must be read in linear time.
pub(crate) fn length(full: usize) -> usize {
    if in_full() { full } else { full / 32 }
}
