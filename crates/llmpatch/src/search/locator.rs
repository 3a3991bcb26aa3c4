//! The looser rules for the text after `@@`, for when no line of the file equals it.
//!
//! The locator means the only line at or after the cursor that equals it apart from whitespace
//! around it, or else the only line that starts with it after the line's indentation, or else the
//! only line that contains it. If several lines satisfy the first rule that any line satisfies, it
//! means none. Whitespace is spaces and tabs.

use std::cell::OnceCell;
use std::collections::HashMap;

use aho_corasick::Anchored;
use aho_corasick::automaton::Automaton as _;
use aho_corasick::nfa::contiguous::NFA;

use super::Fuzz;
use super::places::Places;
use crate::text::{Lines, trim_spaces};

/// The rule by which a line was taken for the line that a locator means, tightest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, thiserror::Error)]
pub enum Relaxation {
    /// It equals the locator but for whitespace around it.
    #[error("equals it apart from whitespace around it")]
    SurroundingSpace,
    /// After its indentation it starts with the locator.
    #[error("starts with it")]
    Prefix,
    /// It contains the locator.
    #[error("contains it")]
    Contained,
    /// It is the same at a level.
    #[error("equals it apart from {} (--fuzz={_0})", _0.allows())]
    Level(Fuzz),
}

/// What the looser rules say of a locator. Lines are numbered from 0.
#[allow(missing_docs, reason = "the text above each says what the fields are")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Loose {
    /// This line is meant, by this rule.
    One { at: usize, how: Relaxation },
    /// This many lines satisfy the rule at or after the cursor; `places` lists the first few.
    Many {
        how: Relaxation,
        places: Vec<usize>,
        count: usize,
    },
    /// No line at or after the cursor has anything of it.
    None,
}

/// All locators of a file's section. The file is read for all of them together when the first needs
/// it, which is rare.
#[derive(Debug)]
pub(crate) struct Locators<'f> {
    lines: Lines<'f>,
    /// Without the whitespace around them, each once.
    texts: HashMap<Box<[u8]>, usize>,
    found: OnceCell<Vec<RelaxedPlaces>>,
}

/// The lines that have a locator, each under the tightest rule it satisfies.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct RelaxedPlaces {
    equal: Places,
    starting: Places,
    containing: Places,
}

impl Loose {
    /// How many places of several are listed.
    pub(crate) const LISTED: usize = 10_000;

    /// Returns which of several places is meant, if any is.
    pub(crate) fn of(
        how: Relaxation,
        count: usize,
        mut places: impl Iterator<Item = usize>,
    ) -> Self {
        match count {
            0 => Loose::None,
            1 => places
                .next()
                .map_or(Loose::None, |at| Loose::One { at, how }),
            _ => Loose::Many {
                how,
                places: places.take(Self::LISTED).collect(),
                count,
            },
        }
    }
}

impl<'f> Locators<'f> {
    /// How many entries the lists of an automaton may have; each takes a dozen bytes.
    const ROOM: usize = 1 << 24;

    /// Takes all texts that may be asked for.
    pub(crate) fn new<'p>(lines: Lines<'f>, texts: impl IntoIterator<Item = &'p [u8]>) -> Self {
        let mut distinct = HashMap::new();
        for text in texts {
            let next = distinct.len();
            distinct.entry(Box::from(trim_spaces(text))).or_insert(next);
        }
        Self {
            lines,
            texts: distinct,
            found: OnceCell::new(),
        }
    }

    /// Returns which line at or after `from` a locator means, given that no line of the file equals
    /// it.
    ///
    /// A text of nothing but whitespace is in every line; it only ever means a blank line. A text
    /// that wasn't announced makes this read the file again.
    pub(crate) fn relaxed(&self, text: &[u8], from: usize) -> Loose {
        let Some(&number) = self.texts.get(trim_spaces(text)) else {
            return Locators::new(self.lines.clone(), [text]).relaxed(text, from);
        };
        let found = &self.found.get_or_init(|| self.read(Self::ROOM))[number];
        let rules = [
            (Relaxation::SurroundingSpace, &found.equal),
            (Relaxation::Prefix, &found.starting),
            (Relaxation::Contained, &found.containing),
        ];
        let rules = rules.into_iter();
        let mut said = rules
            .map(|(how, places)| Loose::of(how, places.count_from(from), places.iter_from(from)));
        said.find(|loose| *loose != Loose::None)
            .unwrap_or(Loose::None)
    }

    /// Reads the file once for all texts, or a few times if an automaton for all of them could take
    /// more than `room`.
    fn read(&self, room: usize) -> Vec<RelaxedPlaces> {
        let mut found = vec![RelaxedPlaces::default(); self.texts.len()];
        if let Some(&blank) = self.texts.get(&b""[..]) {
            found[blank].equal = (0..self.lines.len())
                .filter(|&at| trim_spaces(self.lines.text(at)).is_empty())
                .collect();
        }
        // A text longer than every line is in none.
        let longest = self
            .lines
            .iter()
            .map(|line| line.text.len())
            .max()
            .unwrap_or(0);
        let mut sought: Vec<SoughtLocator<'_>> = self
            .texts
            .iter()
            .map(|(text, &number)| SoughtLocator { text, number })
            .filter(|sought| !sought.text.is_empty() && sought.text.len() <= longest)
            .collect();
        sought.sort_by_key(|sought| sought.text.len());
        let mut rest = &sought[..];
        while !rest.is_empty() {
            let (group, others) = rest.split_at(fitting(rest, room));
            self.search(group, &mut found);
            rest = others;
        }
        found
    }

    fn search(&self, group: &[SoughtLocator<'_>], found: &mut [RelaxedPlaces]) {
        let automaton = NFA::builder()
            .prefilter(false)
            .build(group.iter().map(|sought| sought.text));
        // A text of gigabytes doesn't fit an automaton. Not to find it is safe: its hunk is
        // refused.
        let Ok(automaton) = automaton else { return };
        let Ok(start) = automaton.start_state(Anchored::No) else {
            return;
        };

        // The line, from 1, in which each text was found last: a text's first match in a line says
        // all.
        let mut seen_in = vec![0; group.len()];
        for (at, line) in self.lines.iter().enumerate() {
            let line = trim_spaces(line.text);
            let mut state = start;
            for (end, &byte) in (1..).zip(line) {
                state = automaton.next_state(Anchored::No, state, byte);
                if !(automaton.is_special(state) && automaton.is_match(state)) {
                    continue;
                }
                // Longest first, and each a suffix of the one before: where one was seen, so were
                // those that follow. Without this, texts that nest (`a`, `aa`, `aaa`, …) would cost
                // their number at every byte.
                for nth in 0..automaton.match_len(state) {
                    let which = automaton.match_pattern(state, nth).as_usize();
                    if seen_in[which] == at + 1 {
                        break;
                    }
                    seen_in[which] = at + 1;
                    let SoughtLocator { text, number } = group[which];
                    match (end == text.len(), end == line.len()) {
                        (true, true) => found[number].equal.push(at),
                        (true, false) => found[number].starting.push(at),
                        (false, _) => found[number].containing.push(at),
                    }
                }
            }
        }
    }
}

/// A text without whitespace around it, and its number.
#[derive(Clone, Copy, Debug)]
struct SoughtLocator<'t> {
    text: &'t [u8],
    number: usize,
}

/// Returns how many of the texts, sorted by length, one automaton may look for: at least one.
///
/// It has a state for each of their bytes, and each state lists the texts that end there, at most
/// one of each length. A hostile response could make that product huge (`a`, `aa`, … beside
/// `xaaa…`, `yaaa…`, …).
fn fitting(sought: &[SoughtLocator<'_>], room: usize) -> usize {
    let mut states = 0_usize;
    let mut lengths = 0;
    let mut latest = 0;
    let fits = |sought: &&SoughtLocator<'_>| {
        let length = sought.text.len();
        states += length;
        lengths += usize::from(length != latest);
        latest = length;
        states.saturating_mul(lengths) <= room
    };
    sought.iter().take_while(fits).count().max(1)
}

#[cfg(test)]
mod tests;
