//! The looser rules for the text after `@@`, for when no line of the file equals it.
//!
//! The one line at or after the cursor that equals it but for blanks around it is meant, or else the one that starts with it
//! after its indentation, or else the one that contains it. Several lines under the first rule that any line satisfies: none
//! is meant. Blanks are spaces and tabs.

use std::cell::OnceCell;
use std::collections::HashMap;

use aho_corasick::Anchored;
use aho_corasick::automaton::Automaton as _;
use aho_corasick::nfa::contiguous::NFA;

use super::places::Places;
use crate::text::Lines;

/// By which rule a line was taken for the one that a locator means, tightest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Relaxation {
    /// It equals the locator but for blanks around them.
    SurroundingBlanks,
    /// After its indentation it starts with the locator.
    Prefix,
    /// It contains the locator.
    Contained,
}

/// What the looser rules say of a locator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Loose {
    /// This line is meant.
    One {
        /// Its index, from 0.
        at: usize,
        /// Why it is.
        how: Relaxation,
    },
    /// Any of several lines may be meant.
    Many {
        /// The rule that they satisfy.
        how: Relaxation,
        /// The indices, from 0, of the first few.
        places: Vec<usize>,
        /// How many there are at or after the cursor.
        count: usize,
    },
    /// No line at or after the cursor has anything of it.
    None,
}

/// All locators of a file's section. The file is read for all of them together when the first needs it, which is rare.
#[derive(Debug)]
pub struct Locators<'f> {
    lines: &'f Lines<'f>,
    /// Without the blanks around them, each once.
    texts: HashMap<Box<[u8]>, usize>,
    found: OnceCell<Vec<Found>>,
}

/// The lines that have a locator, each under the tightest rule it satisfies.
#[derive(Clone, Debug, Default)]
struct Found {
    equal: Places,
    starting: Places,
    containing: Places,
}

impl<'f> Locators<'f> {
    /// How many places of several are named.
    pub const SHOWN: usize = 8;

    /// Takes all texts that may be asked for.
    pub fn new<'p>(lines: &'f Lines<'f>, texts: impl IntoIterator<Item = &'p [u8]>) -> Self {
        let mut distinct = HashMap::new();
        for text in texts {
            let next = distinct.len();
            distinct.entry(Box::from(trimmed(text))).or_insert(next);
        }
        Self { lines, texts: distinct, found: OnceCell::new() }
    }

    /// Returns which line at or after `from` a locator means, given that no line of the file equals it.
    ///
    /// A text of nothing but blanks is in every line; it only ever means a blank line. A text that wasn't announced makes
    /// this read the file again.
    pub fn relaxed(&self, text: &[u8], from: usize) -> Loose {
        let Some(&number) = self.texts.get(trimmed(text)) else {
            return Locators::new(self.lines, [text]).relaxed(text, from);
        };
        let found = &self.found.get_or_init(|| self.read())[number];
        let rules = [
            (Relaxation::SurroundingBlanks, &found.equal),
            (Relaxation::Prefix, &found.starting),
            (Relaxation::Contained, &found.containing),
        ];
        for (how, places) in rules {
            match places.count_from(from) {
                0 => {}
                1 => return places.at_or_after(from).map_or(Loose::None, |at| Loose::One { at, how }),
                count => {
                    return Loose::Many { how, places: places.iter_from(from).take(Self::SHOWN).collect(), count };
                }
            }
        }
        Loose::None
    }

    fn read(&self) -> Vec<Found> {
        let mut found = vec![Found::default(); self.texts.len()];
        if let Some(&blank) = self.texts.get(&b""[..]) {
            found[blank].equal = (0..self.lines.len()).filter(|&at| trimmed(self.lines.text(at)).is_empty()).collect();
        }
        // A text longer than every line is in none, and could make the automaton huge.
        let longest = self.lines.iter().map(|line| line.text.len()).max().unwrap_or(0);
        let sought: Vec<(&[u8], usize)> = self
            .texts
            .iter()
            .map(|(text, &number)| (&text[..], number))
            .filter(|(text, _)| !text.is_empty() && text.len() <= longest)
            .collect();
        if sought.is_empty() {
            return found;
        }
        let automaton = NFA::builder().prefilter(false).build(sought.iter().map(|(text, _)| text));
        // Texts of gigabytes don't fit an automaton. To find none of them is safe: the hunk is refused.
        let Ok(automaton) = automaton else { return found };
        let Ok(start) = automaton.start_state(Anchored::No) else { return found };

        // The line, from 1, in which each text was found last: a text's first match in a line says all.
        let mut seen_in = vec![0; sought.len()];
        for (at, line) in self.lines.iter().enumerate() {
            let line = trimmed(line.text);
            let mut state = start;
            for (end, &byte) in (1..).zip(line) {
                state = automaton.next_state(Anchored::No, state, byte);
                if !(automaton.is_special(state) && automaton.is_match(state)) {
                    continue;
                }
                // Longest first, and each a suffix of the one before: where one was seen, so were those that follow.
                // Without this, texts that nest (`a`, `aa`, `aaa`, …) would cost their number at every byte.
                for nth in 0..automaton.match_len(state) {
                    let which = automaton.match_pattern(state, nth).as_usize();
                    if seen_in[which] == at + 1 {
                        break;
                    }
                    seen_in[which] = at + 1;
                    let (text, number) = sought[which];
                    match (end == text.len(), end == line.len()) {
                        (true, true) => found[number].equal.push(at),
                        (true, false) => found[number].starting.push(at),
                        (false, _) => found[number].containing.push(at),
                    }
                }
            }
        }
        found
    }
}

fn trimmed(text: &[u8]) -> &[u8] {
    let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t');
    let start = text.iter().take_while(|byte| is_blank(byte)).count();
    let end = text.iter().rev().take_while(|byte| is_blank(byte)).count();
    text.get(start..text.len() - end).unwrap_or_default()
}

#[cfg(test)]
#[path = "locator_tests.rs"]
mod tests;
