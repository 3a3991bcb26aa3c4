//! The fuzz targets in their short form: over the responses in `tests/cases`, and over what some
//! mishaps make of each.
//!
//! The mishaps are the same in every run. Each target has a share of the responses; with `MISHAPS`
//! it has all of them, and so many mishaps of each, every number others:
//! `MISHAPS=60 cargo test --release --test fuzz_smoke`. `cargo fuzz` (see `fuzz/README.md`) looks
//! further and needs more time.

#![allow(clippy::unwrap_used, reason = "a test that can't go on has failed")]

mod laws;

use libtest_mimic::{Arguments, Failed, Trial};
use llmpatch_cases::Case;

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
    let seeds: &'static [Vec<u8>] = seeds().leak();
    let markers: &'static [Vec<u8>] = markers().leak();
    let trials = laws::TARGETS
        .iter()
        .enumerate()
        .map(|(turn, (name, target))| {
            Trial::test(*name, move || {
                let mut dice = Dice(0x9e37_79b9_7f4a_7c15 ^ mishaps.wrapping_sub(1));
                for seed in seeds.iter().skip(turn % share).step_by(share) {
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

/// Every response of the cases as it stands, and behind each file that it meets.
fn seeds() -> Vec<Vec<u8>> {
    llmpatch_cases::all().iter().flat_map(Case::seeds).collect()
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
    fn below(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % sides.max(1) as u64) as usize
    }

    /// Does something to a response that happens to responses: lines lost, doubled, swapped, cut,
    /// joined, strayed into.
    fn mishap(&mut self, seed: &[u8], others: &[Vec<u8>], markers: &[Vec<u8>]) -> Vec<u8> {
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
                    let other = &others[self.below(others.len())];
                    lines.insert(at, other[self.below(other.len())..].to_vec());
                }
            }
        }
        lines.concat()
    }
}
