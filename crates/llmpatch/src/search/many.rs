//! Finds many needles at once.
//!
//! Whatever is at least fifteen bytes long covers eight neighbouring bytes whose offset in the text
//! is a multiple of eight. So, of each long needle, the eight-byte words at eight neighbouring
//! offsets are known, and the text is read at every eighth byte: one look-up finds which needles
//! may be there, and a comparison says which are. The words are taken at places in a needle where
//! they are rare in a sample of the text, so that what the lines of a file have in common costs
//! nothing. Shorter needles are found by an automaton.

use std::cell::RefCell;
use std::cmp::Reverse;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::ops::Range;

use aho_corasick::{AhoCorasick, Match, MatchKind};

use super::needle::Needle;
use super::places::Places;
use super::sieve::Sieve;
use crate::text::spread;
use crate::threads;

/// The bytes of a word, and how far apart words are read.
const WORD: usize = 8;
/// The length of a needle that is sure to cover a word.
const SHORTEST: usize = 2 * WORD - 1;
/// A needle shorter than this whose words many other needles share is found by the automaton, as
/// long as these needles have no more than [`MOST`] bytes in all.
const LONGEST: usize = 256;
const MOST: usize = 1 << 20;
/// How many needles have a word, on the average, before that is so.
const COMMON: usize = if cfg!(test) { 2 } else { 64 };
/// How many words of the text are counted.
const SAMPLE: usize = 1 << 15;
/// The most comparisons with a needle, in bytes, for each byte of the text.
const PATIENCE: usize = 4;

/// Some needles, ready to be found together.
pub(super) struct Many {
    needles: Vec<Needle>,
    /// The number of each, by its hash.
    numbers: ByWord<u64, usize>,
    words: Words,
    /// The automaton of the shorter needles, their numbers, and the length of the longest.
    short: Option<(AhoCorasick, Vec<usize>, usize)>,
    /// How many bytes were compared with each needle, while a text is read; nothing between two.
    spent: RefCell<Vec<usize>>,
}

impl Many {
    /// Prepares needles, by what is rare in a text; `None` if one is sought once, or none, since
    /// that is found sooner by itself.
    pub(super) fn new(text: &[u8], sought: impl IntoIterator<Item = Needle>) -> Option<Self> {
        let mut numbers = ByWord::default();
        let mut needles = Vec::<Needle>::new();
        for needle in sought
            .into_iter()
            .filter(|needle| !needle.matched().is_empty())
        {
            // Should two have the same hash, the second is sought by itself.
            if let Entry::Vacant(free) = numbers.entry(numbers.hasher().hash_one(&needle)) {
                free.insert(needles.len());
                needles.push(needle);
            }
        }
        if needles.len() < 2 {
            return None;
        }
        let is_below = |len| {
            let needles = &needles;
            move |number: &usize| needles[*number].matched().len() < len
        };
        let (mut short, long): (Vec<usize>, Vec<usize>) =
            (0..needles.len()).partition(is_below(SHORTEST));
        let mut words = Words::new(text, &needles, &long);
        if words.are_common() {
            let (middling, long) = long.into_iter().partition(is_below(LONGEST));
            let middling: Vec<usize> = middling;
            let size = middling
                .iter()
                .map(|number| needles[*number].literal().len());
            if size.sum::<usize>() <= MOST {
                short.extend(middling);
                words = Words::new(text, &needles, &long);
            }
        }
        let literals = || short.iter().map(|&number| needles[number].literal());
        // So many short needles have no automaton only if they are too long together, which they
        // aren't.
        let automaton = || {
            AhoCorasick::builder()
                .match_kind(MatchKind::Standard)
                .build(literals())
                .ok()
        };
        let automaton = if short.is_empty() { None } else { automaton() };
        let reach = literals().map(<[u8]>::len).max().unwrap_or(0);
        let short = automaton.map(|automaton| (automaton, short, reach));
        let spent = RefCell::new(vec![0; needles.len()]);
        Some(Self {
            needles,
            numbers,
            words,
            short,
            spent,
        })
    }

    /// Returns the number of a needle.
    pub(super) fn number(&self, needle: &Needle) -> Option<usize> {
        let number = *self.numbers.get(&self.numbers.hasher().hash_one(needle))?;
        (self.needles[number] == *needle).then_some(number)
    }

    /// Returns the needles; the first has the number 0.
    pub(super) fn needles(&self) -> &[Needle] {
        &self.needles
    }

    /// Returns the places of each needle; `None` for a needle that would take too long together
    /// with others.
    pub(super) fn places(&self, text: &[u8]) -> Vec<Option<Places>> {
        self.places_in(text, threads::parts(text.len()))
    }

    /// Returns the places, looked for in `parts` parts of the text at once.
    fn places_in(&self, text: &[u8], parts: usize) -> Vec<Option<Places>> {
        let each = text.len().div_ceil(parts).next_multiple_of(WORD);
        let words = &self.words;
        let needles = &self.needles;
        let found = threads::share(parts, |nth| {
            let mut places = vec![Places::default(); needles.len()];
            let mut spent = vec![0; needles.len()];
            let [start, end] = [nth, nth + 1].map(|nth| (nth * each).min(text.len()));
            let hard = words.scan(text, start..end, needles, &mut spent, |number, at| {
                places[number].push(at)
            });
            (places, hard)
        });
        let mut places = vec![Some(Places::default()); needles.len()];
        let mut push = |number: usize, at: usize| {
            if let Some(places) = &mut places[number] {
                places.push(at);
            }
        };
        for (number, found) in found.iter().flat_map(|(found, _)| found.iter().enumerate()) {
            found.iter().for_each(|at| push(number, at));
        }
        self.scan_short(text, push);
        found
            .iter()
            .flat_map(|(_, hard)| hard)
            .for_each(|&number| places[number] = None);
        places
    }

    /// Calls `found` with every match and its needle's number; a needle's matches are in order.
    /// Returns the needles that would take too long this way, since the text repeats what they say;
    /// not all of their matches have been found.
    pub(super) fn scan(&self, text: &[u8], mut found: impl FnMut(usize, usize)) -> Vec<usize> {
        self.scan_short(text, &mut found);
        self.words.scan(
            text,
            0..text.len(),
            &self.needles,
            &mut self.spent.borrow_mut(),
            found,
        )
    }

    fn scan_short(&self, text: &[u8], mut found: impl FnMut(usize, usize)) {
        if let Some((automaton, short, reach)) = &self.short {
            let number = |matched: &Match| short[matched.pattern().as_usize()];
            // The start and the end of a text are as good as an LF; only matches with that one are
            // sought at these edges.
            let reach = text.len().min(*reach);
            let is_all = reach == text.len();
            let rest = text.len() - reach;
            let start = [b"\n", &text[..reach], newline_if(is_all)].concat();
            let end = [newline_if(is_all), &text[rest..], b"\n"].concat();
            let at = |matched: &Match, offset: usize, added: bool| {
                let needle = &self.needles[number(matched)];
                let at =
                    (offset + matched.start() + needle.before()).checked_sub(usize::from(added));
                at.filter(|&at| needle.is_at(text, at))
                    .map(|at| (number(matched), at))
            };
            let starting = automaton
                .find_overlapping_iter(&start)
                .filter(|matched| matched.start() == 0);
            starting
                .filter_map(|matched| at(&matched, 0, true))
                .for_each(|(number, at)| found(number, at));
            for matched in automaton.find_overlapping_iter(text) {
                found(
                    number(&matched),
                    matched.start() + self.needles[number(&matched)].before(),
                );
            }
            let ending =
                |matched: &Match| matched.end() == end.len() && !(is_all && matched.start() == 0);
            let ending = automaton.find_overlapping_iter(&end).filter(ending);
            ending
                .filter_map(|matched| at(&matched, rest, is_all))
                .for_each(|(number, at)| found(number, at));
        }
    }
}

fn newline_if(is_there: bool) -> &'static [u8] {
    if is_there { &b"\n"[..] } else { b"" }
}

/// A map by words, or by hashes of them.
pub(super) type ByWord<K, V> = HashMap<K, V, Spread>;

/// The words of the needles that have some.
struct Words {
    /// Tells of most words of the text that they are in no needle.
    sieve: Sieve,
    /// The words in order: the word, the offset in its needle, the farthest first, and the needle's
    /// number.
    all: Vec<(u64, Reverse<u32>, u32)>,
    /// Where each begins in these.
    first: ByWord<u64, u32>,
    /// Of each needle, by its number, the offset of its rarest word, which is compared first.
    rarest: Vec<usize>,
}

impl Words {
    fn new(text: &[u8], needles: &[Needle], long: &[usize]) -> Self {
        let counts = if long.is_empty() {
            Counts::default()
        } else {
            Counts::of(text)
        };
        let count = long.len() * WORD;
        let mut words = Words {
            sieve: Sieve::new((count * 16).max(1 << 10)),
            all: Vec::with_capacity(count),
            first: ByWord::with_capacity_and_hasher(count, Spread::default()),
            rarest: vec![0; needles.len()],
        };
        for &number in long {
            let matched = needles[number].matched();
            let (window, rarest) = counts.rarest(matched);
            words.rarest[number] = rarest;
            for offset in window..window + WORD {
                let word = word(matched, offset);
                words.sieve.add(spread(word));
                words
                    .all
                    .push((word, Reverse(offset as u32), number as u32));
            }
        }
        // One needle may have the same word at several offsets.
        words.all.sort_unstable();
        for (nth, (word, ..)) in words.all.iter().enumerate() {
            words.first.entry(*word).or_insert(nth as u32);
        }
        words
    }

    /// Returns whether a word hardly says which needle is there, as in a text of few symbols.
    fn are_common(&self) -> bool {
        self.all.len() > self.first.len().saturating_mul(COMMON)
    }

    /// Finds what covers a word of the text in a range that begins with one.
    fn scan(
        &self,
        text: &[u8],
        range: Range<usize>,
        needles: &[Needle],
        spent: &mut [usize],
        mut found: impl FnMut(usize, usize),
    ) -> Vec<usize> {
        if self.all.is_empty() {
            return Vec::new();
        }
        let budget = range.len().saturating_mul(PATIENCE) + (1 << 12);
        let mut compared = Vec::new();
        for (begin, chunk) in range
            .clone()
            .step_by(WORD)
            .zip(text[range].chunks_exact(WORD))
        {
            let here = from_bytes(chunk);
            if !self.sieve.may_have(spread(here)) {
                continue;
            }
            let first = self
                .first
                .get(&here)
                .map_or(self.all.len(), |first| *first as usize);
            for &(_, Reverse(offset), number) in self.all[first..]
                .iter()
                .take_while(|(word, ..)| *word == here)
            {
                let number = number as usize;
                let at = begin.checked_sub(offset as usize);
                let (Some(at), true) = (at, spent[number] <= budget) else {
                    continue;
                };
                let needle = &needles[number];
                let rarest = self.rarest[number];
                let is_likely = text.get(at + rarest..at + rarest + WORD)
                    == needle.matched().get(rarest..rarest + WORD);
                let cost = if is_likely {
                    needle.matched().len()
                } else {
                    WORD
                };
                if spent[number] == 0 {
                    compared.push(number);
                }
                spent[number] += cost;
                #[cfg(test)]
                super::kmp::work::add(cost);
                if is_likely && needle.is_at(text, at) {
                    found(number, at);
                }
            }
        }
        compared.retain(|&number| std::mem::take(&mut spent[number]) > budget);
        compared
    }
}

/// How often words occur in a sample of a text, by a part of their hash.
#[derive(Default)]
struct Counts {
    counts: Vec<u16>,
    /// How many bits of the hash.
    bits: u32,
    /// The highest sum of counts of eight words at which rarer words aren't looked for: words with
    /// the same parts count about half of it.
    few: u32,
}

impl Counts {
    fn of(text: &[u8]) -> Self {
        let step = (text.len() / SAMPLE).max(WORD);
        // With room to spare, so that what is nowhere in the sample counts nothing.
        let bits = ((text.len() / step + 1).ilog2() + 3).clamp(8, 14);
        let few = 2 * WORD as u32 * ((text.len() / step) >> bits) as u32;
        let mut counts = Self {
            counts: vec![0; 1 << bits],
            bits,
            few,
        };
        let mut at = 0;
        let mut nth = 0;
        while at + WORD <= text.len() {
            let place = counts.place(word(text, at));
            let count = &mut counts.counts[place];
            *count = count.saturating_add(1);
            // As uneven as can be, so that it isn't always the same part of lines that are equally
            // long.
            let jitter = ((u128::from(spread(nth)) * step as u128) >> 64) as usize;
            (at, nth) = (at + step / 2 + jitter + 1, nth + 1);
        }
        counts
    }

    fn place(&self, word: u64) -> usize {
        (spread(word) >> (64 - self.bits)) as usize
    }

    /// Returns the offset in a needle from which on eight words are rare together, and that of a
    /// rare word.
    fn rarest(&self, matched: &[u8]) -> (usize, usize) {
        let mut latest = [0; WORD];
        let mut sum = 0;
        let mut best = (u32::MAX, 0);
        let mut rarest = (u32::MAX, 0);
        for (offset, word) in matched.windows(WORD).enumerate() {
            let count = u32::from(self.counts[self.place(from_bytes(word))]);
            sum = sum + count - std::mem::replace(&mut latest[offset % WORD], count);
            if count < rarest.0 {
                rarest = (count, offset);
            }
            if offset + 1 >= WORD && sum < best.0 {
                best = (sum, offset + 1 - WORD);
            }
            if best.0 <= self.few {
                break;
            }
        }
        (best.1, rarest.1)
    }
}

fn word(bytes: &[u8], at: usize) -> u64 {
    from_bytes(&bytes[at..at + WORD])
}

fn from_bytes(word: &[u8]) -> u64 {
    u64::from_ne_bytes(word.try_into().expect("they are as many as a word has"))
}

/// Makes hashes that depend on a random number, so that no response can make words collide.
#[derive(Clone)]
pub(super) struct Spread(u64);

impl Default for Spread {
    fn default() -> Self {
        Self(RandomState::new().build_hasher().finish())
    }
}

impl BuildHasher for Spread {
    type Hasher = WordHasher;

    fn build_hasher(&self) -> WordHasher {
        WordHasher(self.0)
    }
}

/// Words are spread by multiplication, several times as fast as by the hash that maps have for
/// anything.
pub(super) struct WordHasher(u64);

impl Hasher for WordHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        let words = bytes.chunks_exact(WORD);
        words
            .remainder()
            .iter()
            .for_each(|byte| self.write_u64(u64::from(*byte)));
        words.for_each(|word| self.write_u64(from_bytes(word)));
    }

    fn write_u64(&mut self, word: u64) {
        let spread = u128::from(self.0 ^ word) * 0x9e37_79b9_7f4a_7c15;
        self.0 = spread as u64 ^ (spread >> 64) as u64;
    }
}
