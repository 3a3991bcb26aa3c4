//! The closest miss: where a file has lines that are most like some that it doesn't have. For
//! messages; nothing is ever applied for being near.
//!
//! The file is read once for all lines that anything is sought for, and the line numbers of each
//! are written down. A run of lines that has no place then lets each of its lines, the rarest
//! first, vote for how far the run is shifted, and only the few best shifts are looked at line by
//! line. Where no line of a run helps, the file is read once more, for the words of the sought
//! lines that it doesn't have and pairs of them, which vote likewise. All of this is counted in
//! [`Effort`], so that the time is bounded whatever the file and the response look like.

use std::cell::{Cell, OnceCell};
use std::collections::{HashMap, HashSet};

use super::align::{Alignment, Ends, align, beside};
use super::fuzz::Fuzz;
use super::many::ByWord;
use super::plain::{Key, keys};
use super::sieve::{Sieve, TextSieve};
use crate::text::Lines;
use crate::threads;

/// How much may still be done for the sake of messages: bytes read, and votes and lines looked at
/// as if they were bytes.
#[derive(Debug)]
pub(crate) struct Effort {
    left: Cell<u64>,
}

impl Effort {
    /// Enough to go through a file of 64 MiB a few times: seconds.
    pub(crate) const PLENTY: u64 = 320 << 20;

    pub(crate) fn new(amount: u64) -> Self {
        Self {
            left: Cell::new(amount),
        }
    }

    /// Takes some of what is left; returns whether there was enough.
    pub(crate) fn spend(&self, amount: usize) -> bool {
        let left = self.left.get().checked_sub(amount as u64);
        self.left.set(left.unwrap_or(0));
        left.is_some()
    }

    /// Does work that may take at most `most` of the effort left.
    fn within<T>(&self, most: usize, work: impl FnOnce(&Effort) -> T) -> T {
        let most = self.left.get().min(most as u64);
        let share = Self::new(most);
        let done = work(&share);
        self.left.set(self.left.get() - most + share.left.get());
        done
    }
}

impl Default for Effort {
    fn default() -> Self {
        Self::new(Self::PLENTY)
    }
}

/// Where a file has the lines that are sought, and their words.
#[derive(Debug)]
pub(crate) struct LineIndex<'f, 'p> {
    lines: Lines<'f>,
    /// All lines of which places are sought, without the whitespace around them, and where the file
    /// has them so.
    texts: HashMap<&'p [u8], KeyLines>,
    /// Where it has lines of nothing but whitespace.
    empty: KeyLines,
    /// The words of the sought lines that the file hasn't, made when no line of a run helps; `None`
    /// if that would be too much for a message.
    words: OnceCell<Option<ByWord<Key, KeyLines>>>,
}

/// Lines, from 0, in which something is.
#[derive(Clone, Debug, Default)]
struct KeyLines {
    /// The first of them.
    lines: Vec<u32>,
    count: usize,
}

impl KeyLines {
    fn add(&mut self, line: u32, most: usize) {
        if self.lines.last() != Some(&line) {
            self.count += 1;
            if self.lines.len() < most {
                self.lines.push(line);
            }
        }
    }

    /// Adds what was found behind.
    fn append(&mut self, behind: KeyLines, most: usize) {
        self.count += behind.count;
        self.lines
            .extend(behind.lines.into_iter().take(most - self.lines.len()));
    }
}

impl<'f, 'p> LineIndex<'f, 'p> {
    /// How many lines are written down that have the same text.
    const KEPT: usize = 1 << 16;
    /// How many lines are recorded of a word, and vote: a word in more lines says little.
    const VOTING: usize = 256;
    /// How many votes are counted for a run of lines.
    const VOTES: usize = 1 << 15;
    /// How many lines of a run may vote.
    const VOTERS: usize = 256;
    /// How much is done at most, beside comparing a run once, to find it at a level of fuzz.
    const LEVEL: usize = 1 << 18;
    /// How many shifts are looked at line by line.
    const TRIED: usize = 12;
    /// How alike, in percent, a place must be to be worth telling.
    const CLOSE: u8 = 45;
    /// How alike, in percent, a place that lines voted for must be for words not to be asked.
    const SURE: u8 = 60;

    /// Reads a file with an eye to these lines. Returns `None` where that would be too much for a
    /// message.
    pub(crate) fn new(
        lines: Lines<'f>,
        sought: impl IntoIterator<Item = &'p [u8]>,
        effort: &Effort,
    ) -> Option<Self> {
        if !effort.spend(lines.bytes().len()) || u32::try_from(lines.len()).is_err() {
            return None;
        }
        let mut texts: HashMap<&[u8], KeyLines> = HashMap::new();
        texts.extend(
            sought
                .into_iter()
                .map(|line| (line.trim_ascii(), KeyLines::default())),
        );
        let seen = TextSieve::new(texts.keys().copied());
        let mut empty = KeyLines::default();
        for (at, line) in (0..).zip(lines.iter()) {
            let text = line.text.trim_ascii();
            if text.is_empty() {
                empty.add(at, Self::KEPT);
            } else if seen.may_have(text)
                && let Some(found) = texts.get_mut(text)
            {
                found.add(at, Self::KEPT);
            }
        }
        Some(Self {
            lines,
            texts,
            empty,
            words: OnceCell::new(),
        })
    }

    pub(crate) fn lines(&self) -> &Lines<'f> {
        &self.lines
    }

    fn found(&self, line: &[u8]) -> Option<&KeyLines> {
        let text = line.trim_ascii();
        if text.is_empty() {
            Some(&self.empty)
        } else {
            self.texts.get(text)
        }
    }

    /// Returns the lines, from 0, that equal a sought line to the byte; `None` if that would be too
    /// much for a message.
    pub(crate) fn places(&self, line: &[u8], effort: &Effort) -> Option<Vec<usize>> {
        let lines = self.found(line).map_or(&[][..], |found| &found.lines);
        effort.spend(lines.len()).then(|| {
            lines
                .iter()
                .map(|&at| at as usize)
                .filter(|at| self.lines.text(*at) == line)
                .collect()
        })
    }

    /// Returns the first line at or after `from` with which a run of sought lines begins, or else
    /// the first of all; `None` also if that would be too much for a message.
    pub(crate) fn run(&self, run: &[&[u8]], from: usize, effort: &Effort) -> Option<usize> {
        let rarest = self.rarest(run, 0)?;
        self.run_by(rarest, run, from, effort, |nth, text| text == run[nth])
    }

    /// Returns the line of a run that is in the fewest lines of the file, but in at least `least`.
    fn rarest(&self, run: &[&[u8]], least: usize) -> Option<usize> {
        let count = |nth: &usize| self.found(run[*nth]).map_or(0, |found| found.count);
        (0..run.len())
            .filter(|nth| count(nth) >= least)
            .min_by_key(count)
    }

    /// Returns the place of a run, with lines compared by `is_same`; `rarest` is the line of the
    /// run that is looked up.
    fn run_by(
        &self,
        rarest: usize,
        run: &[&[u8]],
        from: usize,
        effort: &Effort,
        is_same: impl Fn(usize, &[u8]) -> bool,
    ) -> Option<usize> {
        let mut first = None;
        for &at in &self.found(run[rarest])?.lines {
            let Some(start) = (at as usize).checked_sub(rarest) else {
                continue;
            };
            let same = (0..run.len())
                .zip(start..self.lines.len())
                .take_while(|&(nth, at)| is_same(nth, self.lines.text(at)));
            // In a file that repeats itself, a run may be nearly everywhere.
            let same = same.count();
            if !effort.spend(16 * (same + 1)) {
                return None;
            }
            if same == run.len() {
                first.get_or_insert(start);
                if start >= from {
                    return Some(start);
                }
            }
        }
        first
    }

    /// Finds the place that is most like a run of sought lines: a place that has all of them at a
    /// level of fuzz; of several, the first at or after line `from`, else the first. `None` if no
    /// place is enough like it to be worth telling.
    pub(crate) fn find(
        &self,
        wanted: &[&[u8]],
        ends: Ends,
        from: usize,
        effort: &Effort,
    ) -> Option<Alignment> {
        if let Some(start) = self.at_a_level(wanted, from, effort) {
            return Some(beside(&self.lines, wanted, start, ends));
        }
        let by_lines = self.best(wanted, ends, from, &ByWord::default(), effort);
        if by_lines
            .as_ref()
            .is_some_and(|near| near.alike >= Self::SURE && near.telling > 0)
        {
            return by_lines;
        }
        let best = match self.words.get_or_init(|| self.words(effort)) {
            Some(words) => self.best(wanted, ends, from, words, effort),
            None => by_lines,
        };
        best.filter(|best| {
            best.alike >= Self::CLOSE
                || best.telling > 0
                || (best.agree > 0 && best.alike >= Self::CLOSE / 2)
        })
    }

    /// Returns where a run begins at the loosest level of fuzz, if that isn't too much.
    fn at_a_level(&self, wanted: &[&[u8]], from: usize, effort: &Effort) -> Option<usize> {
        let rarest = self.rarest(wanted, 1)?;
        let once: usize = wanted.iter().map(|line| 16 + line.len()).sum();
        if !effort.spend(once) {
            return None;
        }
        let forms: Vec<_> = wanted.iter().map(|line| Fuzz::Unicode.form(line)).collect();
        effort.within(Self::LEVEL + once, |share| {
            self.run_by(rarest, wanted, from, share, |nth, text| {
                share.spend(text.len()) && Fuzz::Unicode.form(text) == forms[nth]
            })
        })
    }

    /// Reads the file with an eye to the words of the sought lines that it hasn't.
    fn words(&self, effort: &Effort) -> Option<ByWord<Key, KeyLines>> {
        if !effort.spend(self.lines.bytes().len()) {
            return None;
        }
        let mut sought: ByWord<Key, KeyLines> = ByWord::default();
        let mut seen = Sieve::new(1 << 17);
        for (text, _) in self.texts.iter().filter(|(_, found)| found.count == 0) {
            keys(text, |key, _| {
                seen.add(key.0);
                sought.entry(key).or_default();
                true
            });
        }
        let parts = threads::parts(self.lines.bytes().len());
        let lines = &self.lines;
        let share = self.lines.len().div_ceil(parts);
        let found = threads::share(parts, |part| {
            let mut words = sought.clone();
            for at in (part * share..lines.len()).take(share) {
                keys(lines.text(at), |key, _| {
                    let found = if seen.may_have(key.0) {
                        words.get_mut(&key)
                    } else {
                        None
                    };
                    let is_known = found.is_some();
                    found
                        .into_iter()
                        .for_each(|found| found.add(at as u32, Self::VOTING));
                    is_known
                });
            }
            words
        });
        found.into_iter().reduce(|mut all, behind| {
            behind
                .into_iter()
                .for_each(|(key, found)| all.entry(key).or_default().append(found, Self::VOTING));
            all
        })
    }

    fn best(
        &self,
        wanted: &[&[u8]],
        ends: Ends,
        from: usize,
        words: &ByWord<Key, KeyLines>,
        effort: &Effort,
    ) -> Option<Alignment> {
        let mut best: Option<Alignment> = None;
        for start in self.likely(wanted, words, effort) {
            if start >= self.lines.len() || !effort.spend(64 * wanted.len().min(Self::VOTERS)) {
                continue;
            }
            let near = align(&self.lines, wanted, start, ends);
            let rank = |near: &Alignment| {
                (
                    near.alike,
                    near.start >= from,
                    std::cmp::Reverse(near.start),
                )
            };
            if best.as_ref().is_none_or(|best| rank(&near) > rank(best)) {
                best = Some(near);
            }
        }
        best
    }

    /// Returns the lines at which the run may begin, the likeliest first.
    fn likely<'n>(
        &'n self,
        wanted: &[&[u8]],
        words: &'n ByWord<Key, KeyLines>,
        effort: &Effort,
    ) -> Vec<usize> {
        let mut voters = Vec::new();
        let step = wanted.len().div_ceil(Self::VOTERS).max(1);
        for (index, line) in wanted.iter().enumerate().step_by(step) {
            let mut vote = |found: Option<&'n KeyLines>, weight: u32| {
                let found = found.filter(|found| found.count > 0);
                voters.extend(found.map(|found| (found.count, index as i64, weight, found)));
                true
            };
            let text = line.trim_ascii();
            vote(
                self.texts.get(text),
                if text.len() > 3 { 1 << 16 } else { 1 << 9 },
            );
            keys(line, |key, weight| vote(words.get(&key), weight));
        }
        voters.sort_by_key(|&(count, index, ..)| (count, index));
        let mut votes: HashMap<i64, u64> = HashMap::new();
        let mut counted = 0;
        for (count, index, weight, found) in voters {
            let voting = &found.lines[..found.lines.len().min(Self::VOTING)];
            counted += voting.len();
            if counted > Self::VOTES || !effort.spend(voting.len()) {
                break;
            }
            for &at in voting {
                *votes.entry(i64::from(at) - index).or_default() +=
                    (u64::from(weight) << 24) / count as u64;
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
        for start in ranked
            .into_iter()
            .map(|(_, shift)| usize::try_from(shift).unwrap_or(0))
        {
            if starts.len() < Self::TRIED && !starts.contains(&start) {
                starts.push(start);
            }
        }
        starts
    }
}

/// Returns whether a file has all of these lines somewhere, in the forms that lines have at a level.
pub(crate) fn has_all(lines: &Lines<'_>, wanted: &[&[u8]], level: Fuzz) -> bool {
    let mut wanted: HashSet<_> = wanted.iter().map(|line| level.form(line)).collect();
    let seen = TextSieve::new(wanted.iter().map(|form| &form[..]));
    for line in lines.iter() {
        let form = level.form(line.text);
        if seen.may_have(&form) && wanted.remove(&form) && wanted.is_empty() {
            break;
        }
    }
    wanted.is_empty()
}

#[cfg(test)]
mod tests;
