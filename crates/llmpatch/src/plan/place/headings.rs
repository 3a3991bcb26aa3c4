//! The headings behind the numbers of hunks: lines of the file above what the hunks change.

use std::collections::{HashMap, HashSet};

use crate::patch::Hunk;
use crate::text::Lines;

/// Where the headings of hunks are in a file.
pub(super) struct Headings(HashMap<Vec<u8>, usize>);

impl Headings {
    /// How much of a heading is compared: git shows the first 80 bytes of a line, its indentation
    /// among them.
    const LEN: usize = 64;
    /// How many lines above a hunk are looked at before others.
    pub(super) const NEAR: usize = 256;

    pub(super) fn new(lines: &Lines<'_>, hunks: &[Hunk<'_>]) -> Self {
        let wanted: HashSet<&[u8]> = hunks.iter().filter_map(Self::of).collect();
        let mut first = HashMap::new();
        if !wanted.is_empty() {
            for (index, line) in lines.iter().enumerate() {
                let key = Self::key(line.text);
                if wanted.contains(key) {
                    first.entry(key.to_vec()).or_insert(index);
                }
            }
        }
        Self(first)
    }

    /// Returns the first line of the file that is a hunk's heading.
    pub(super) fn first(&self, hunk: &Hunk<'_>) -> Option<usize> {
        self.0.get(Self::of(hunk)?).copied()
    }

    pub(super) fn of<'h>(hunk: &'h Hunk<'_>) -> Option<&'h [u8]> {
        hunk.position
            .as_ref()
            .map(|position| Self::key(&position.heading))
            .filter(|key| !key.is_empty())
    }

    pub(super) fn key(line: &[u8]) -> &[u8] {
        let line = line.trim_ascii();
        line[..line.len().min(Self::LEN)].trim_ascii_end()
    }
}
