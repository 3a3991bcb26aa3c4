//! The fuzz targets in their short form: over the responses in `tests/cases`, and over what some
//! mishaps make of each.
//!
//! The mishaps are the same in every run, and those of one response hardly depend on which others
//! there are, so that a new case doesn't try the laws on thousands of other texts. Each target has a
//! share of the responses; with `MISHAPS` it has all of them, and so many mishaps of each, every
//! number others:
//! `MISHAPS=60 cargo test --release --test fuzz_smoke`. `cargo fuzz` (see `fuzz/README.md`) looks
//! further and needs more time.

#![allow(clippy::unwrap_used, reason = "a test that can't go on has failed")]

mod laws;

use std::collections::BTreeMap;

use git2::{ObjectType, Oid};
use libtest_mimic::{Arguments, Failed, Trial};
use llmpatch_cases::TestCase;

/// Of so many responses a target has one, unless it has all.
const SHARE: usize = 24;

fn main() {
    let args = Arguments::from_args();
    // How many each response meets for each target.
    let asked = std::env::var("MISHAPS");
    let mishaps: u64 = asked
        .as_ref()
        .map_or(1, |count| count.parse().expect("MISHAPS is a number"));
    let share = if asked.is_ok() { 1 } else { SHARE };
    let seeds: &'static Seeds = Box::leak(Box::new(seeds()));
    let markers: &'static [Vec<u8>] = markers().leak();
    let trials = laws::TARGETS
        .iter()
        .enumerate()
        .map(|(turn, (name, target))| {
            Trial::test(*name, move || {
                for (id, seed) in seeds.iter().skip(turn % share).step_by(share) {
                    let mut dice = Dice(number(*id) ^ mishaps.wrapping_sub(1));
                    attempt(name, *target, seed)?;
                    for _ in 0..mishaps {
                        attempt(name, *target, &dice.mishap(seed, seeds, markers))?;
                    }
                }
                Ok(())
            })
        });
    libtest_mimic::run(&args, trials.collect()).exit();
}

/// Tries a target; says of which bytes it panics.
fn attempt(name: &str, target: fn(&[u8]), bytes: &[u8]) -> Result<(), Failed> {
    let is_kept = std::panic::catch_unwind(|| target(bytes)).is_ok();
    is_kept.then_some(()).ok_or_else(|| {
        let bytes = bytes.escape_ascii();
        format!("the law is said above; {name} breaks it with \"{bytes}\"").into()
    })
}

/// Responses by their blobs' ids.
type Seeds = BTreeMap<Oid, Vec<u8>>;

/// Every response of the cases as it stands, and behind each file that it meets.
fn seeds() -> Seeds {
    let id = |text: &Vec<u8>| Oid::hash_object(ObjectType::Blob, text).unwrap();
    let cases = llmpatch_cases::all();
    let texts = cases.iter().flat_map(TestCase::seeds);
    texts.map(|text| (id(&text), text)).collect()
}

/// The first eight bytes of an id, as a number.
fn number(id: Oid) -> u64 {
    u64::from_be_bytes(*id.as_bytes().first_chunk().unwrap())
}

/// The words of the fuzzers' dictionary.
fn markers() -> Vec<Vec<u8>> {
    let dictionary = include_str!("../fuzz/markers.dict");
    let quoted = |line: &str| {
        Some(
            line.strip_prefix('"')?
                .strip_suffix('"')?
                .replace("\\\"", "\"")
                .replace("\\\\", "\\"),
        )
    };
    let words: Vec<_> = dictionary
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .collect();
    words
        .iter()
        .map(|line| {
            quoted(line)
                .unwrap_or_else(|| panic!("no word: {line}"))
                .into_bytes()
        })
        .collect()
}

/// Chance that is the same every time (xorshift).
struct Dice(u64);

impl Dice {
    fn draw(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, sides: usize) -> usize {
        (self.draw() % sides.max(1) as u64) as usize
    }

    /// Returns one of the responses: the first whose id isn't below one that is drawn.
    fn other<'s>(&mut self, others: &'s Seeds) -> &'s [u8] {
        let mut drawn = [0; 20];
        drawn[..8].copy_from_slice(&self.draw().to_be_bytes());
        let drawn = Oid::from_bytes(&drawn).unwrap();
        let above = others.range(drawn..).next();
        above.or_else(|| others.first_key_value()).unwrap().1
    }

    /// Does something to a response that happens to responses: lines lost, doubled, swapped, cut,
    /// joined, strayed into.
    fn mishap(&mut self, seed: &[u8], others: &Seeds, markers: &[Vec<u8>]) -> Vec<u8> {
        let mut lines: Vec<Vec<u8>> = seed
            .split_inclusive(|&byte| byte == b'\n')
            .map(<[u8]>::to_vec)
            .collect();
        for _ in 0..=self.below(3) {
            if lines.is_empty() {
                lines.push(Vec::new());
            }
            let (at, other) = (self.below(lines.len()), self.below(lines.len()));
            match self.below(9) {
                0 => drop(lines.remove(at)),
                1 => lines.insert(other, lines[at].clone()),
                2 => lines.swap(at, other),
                3 => lines.truncate(at),
                4 => lines.insert(
                    at,
                    [&markers[self.below(markers.len())][..], b"\n"].concat(),
                ),
                5 => {
                    let within = self.below(lines[at].len() + 1);
                    let marker = &markers[self.below(markers.len())];
                    lines[at].splice(within..within, marker.iter().copied());
                }
                6 => {
                    let within = self.below(lines[at].len());
                    if let Some(byte) = lines[at].get_mut(within) {
                        *byte = [
                            0, b' ', b'\r', b'\n', b'+', b'-', b'*', b'<', b'>', 0xff, 0x80,
                        ][self.below(11)];
                    }
                }
                7 => drop(lines[at].pop()),
                _ => {
                    let other = self.other(others);
                    lines.insert(at, other[self.below(other.len())..].to_vec());
                }
            }
        }
        lines.concat()
    }
}
