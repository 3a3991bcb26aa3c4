//! The searches as their descriptions put them, without a thought for speed. The real ones must agree with them.

/// `seekSequence` of the envelope's line matching, to the letter; `None` is its -1.
pub(super) fn seek_sequence(lines: &[&[u8]], pattern: &[&[u8]], start: usize) -> Option<usize> {
    if pattern.is_empty() {
        return None;
    }
    (start..(lines.len() + 1).saturating_sub(pattern.len()))
        .find(|&i| (0..pattern.len()).all(|j| lines[i + j] == pattern[j]))
}
