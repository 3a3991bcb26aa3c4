//! The closest miss: where a file has lines that are most like some that it doesn't have. For messages; nothing is ever
//! applied for being near.
//!
//! The file is read once for all lines that anything is sought for. What it has of their words, pairs of neighbouring words
//! and whole lines is written down with its line numbers. A run of lines that has no place then lets each of these, the rarest
//! first, vote for how far the run is shifted, and only the few best shifts are looked at line by line. All of this is counted
//! in [`Effort`], so that the time is bounded whatever the file and the response look like.

use std::cell::Cell;
use std::collections::HashMap;

use super::align::{Ends, Near, align};
use super::plain::{Key, keys};
use super::sieve::Sieve;
use crate::text::Lines;

/// How much may still be done for the sake of messages: bytes read, and votes and lines looked at as if they were bytes.
#[derive(Debug)]
pub struct Effort {
    left: Cell<u64>,
}

impl Effort {
    /// Enough to go through a file of 64 MiB a few times: seconds.
    pub const PLENTY: u64 = 320 << 20;

    /// Allows so much.
    pub fn new(amount: u64) -> Self {
        Self { left: Cell::new(amount) }
    }

    /// Takes some of what is left; returns whether there was enough.
    pub fn spend(&self, amount: usize) -> bool {
        let left = self.left.get().checked_sub(amount as u64);
        self.left.set(left.unwrap_or(0));
        left.is_some()
    }
}

impl Default for Effort {
    fn default() -> Self {
        Self::new(Self::PLENTY)
    }
}

/// Where a file has the words and lines that are sought.
#[derive(Debug)]
pub struct Nearness<'f> {
    lines: Lines<'f>,
    found: HashMap<Key, Found>,
}

/// Lines, from 0, in which something is.
#[derive(Debug, Default)]
struct Found {
    /// The first few.
    lines: Vec<u32>,
    count: u32,
}

impl<'f> Nearness<'f> {
    /// How many lines are written down of one word: one that is in more says little.
    const KEPT: usize = 256;
    /// How many votes are counted for one run of lines.
    const VOTES: usize = 1 << 15;
    /// How many lines of a run may vote.
    const VOTERS: usize = 256;
    /// How many shifts are looked at line by line.
    const TRIED: usize = 12;
    /// How alike, in percent, a place must be to be worth telling.
    const CLOSE: u8 = 45;

    /// Reads a file with an eye to these lines. Returns `None` where that would be too much for a message.
    pub fn new<'p>(lines: Lines<'f>, sought: impl IntoIterator<Item = &'p [u8]>, effort: &Effort) -> Option<Self> {
        if !effort.spend(lines.bytes().len()) || u32::try_from(lines.len()).is_err() {
            return None;
        }
        let mut found: HashMap<Key, Found> = HashMap::new();
        let mut seen = Sieve::new(1 << 17);
        for line in sought {
            keys(line, |key, _| {
                seen.add(key.0);
                found.entry(key).or_default();
            });
        }
        for (at, line) in (0..).zip(lines.iter()) {
            keys(line.text, |key, _| {
                if !seen.may_have(key.0) {
                    return;
                }
                let Some(found) = found.get_mut(&key) else { return };
                if found.lines.last() != Some(&at) {
                    found.count += 1;
                    if found.lines.len() < Self::KEPT {
                        found.lines.push(at);
                    }
                }
            });
        }
        Some(Self { lines, found })
    }

    /// Finds the place that is most like a run of lines; of several, the first at or after line `from`, else the first.
    /// `None` if nothing is enough like it to be worth telling.
    pub fn find(&self, wanted: &[&[u8]], ends: Ends, from: usize, effort: &Effort) -> Option<Near> {
        let mut best: Option<Near> = None;
        for start in self.likely(wanted, effort) {
            if start >= self.lines.len() || !effort.spend(64 * wanted.len().min(Self::VOTERS)) {
                continue;
            }
            let near = align(&self.lines, wanted, start, ends);
            let rank = |near: &Near| (near.alike, near.start >= from, std::cmp::Reverse(near.start));
            if best.as_ref().is_none_or(|best| rank(&near) > rank(best)) {
                best = Some(near);
            }
        }
        best.filter(|best| {
            best.alike >= Self::CLOSE || best.telling > 0 || (best.agree > 0 && best.alike >= Self::CLOSE / 2)
        })
    }

    /// Returns the lines at which the run may begin, the likeliest first.
    fn likely(&self, wanted: &[&[u8]], effort: &Effort) -> Vec<usize> {
        let mut voters = Vec::new();
        let step = wanted.len().div_ceil(Self::VOTERS).max(1);
        for (index, line) in wanted.iter().enumerate().step_by(step) {
            keys(line, |key, weight| {
                if let Some(found) = self.found.get(&key).filter(|found| found.count > 0) {
                    voters.push((found.count, index as i64, weight, found));
                }
            });
        }
        voters.sort_by_key(|&(count, index, ..)| (count, index));
        let mut votes: HashMap<i64, u64> = HashMap::new();
        let mut counted = 0;
        for (count, index, weight, found) in voters {
            counted += found.lines.len();
            if counted > Self::VOTES || !effort.spend(found.lines.len()) {
                break;
            }
            for &at in &found.lines {
                *votes.entry(i64::from(at) - index).or_default() += (u64::from(weight) << 24) / u64::from(count).max(1);
            }
        }
        // A line that was left out shifts all that follow it by one.
        let near = |shift: i64| votes.get(&shift).copied().unwrap_or_default();
        let mut ranked: Vec<_> = votes
            .iter()
            .map(|(&shift, &own)| {
                let around: u64 = (1..=3).map(|by| near(shift - by) + near(shift + by)).sum();
                (std::cmp::Reverse(2 * own + around), shift)
            })
            .collect();
        ranked.sort_unstable();
        let mut starts: Vec<_> = Vec::new();
        for start in ranked.into_iter().map(|(_, shift)| usize::try_from(shift).unwrap_or(0)) {
            if starts.len() < Self::TRIED && !starts.contains(&start) {
                starts.push(start);
            }
        }
        starts
    }
}

#[cfg(test)]
mod tests;
