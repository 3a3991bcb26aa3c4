//! How long applying takes, beside `git apply`, GNU `patch` and nothing but reading and writing:
//! `cargo bench`.
//!
//! Each scenario is a change of some files, written as an envelope, as OPX and as a unified diff.
//! All ways to make it run in turn, in another order each round, each from the same state, and the
//! medians of their times are compared within that one run: machines differ, and so do hours. It
//! fails if a change isn't made, or not made alike, and never for taking long: a figure is for
//! people to look at. Only `check --staged` has a bound, in instructions, where valgrind counts
//! them.
//!
//! `cargo bench -- [--short] [--flush] [--rounds=N] [--only=NAME] [--markdown] [--picture=FILE]`
//!
//! `--short` takes small files and one round, so that this can be tried wherever tests run.
//! `--flush` has ours wait for the disk, which is its default and which the others never do.
//! `--only=D` runs one scenario. `--markdown` prints a table as in `.github/COMPARISON.md`.
//! `--only=growth` measures how time grows with sizes, which `--picture` draws.

mod batch;
mod growth;
#[path = "../support/mod.rs"]
mod support;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use self::support::callgrind;
use self::support::scenario::{Scenario, git};

struct Options {
    rounds: usize,
    only: Option<String>,
    is_short: bool,
    is_flushed: bool,
    is_markdown: bool,
    picture: Option<PathBuf>,
}

impl Options {
    fn read() -> Self {
        let arguments: Vec<String> = std::env::args().collect();
        let has = |name: &str| arguments.iter().any(|argument| argument == name);
        let value = |name: &str| {
            arguments
                .iter()
                .find_map(|argument| argument.strip_prefix(name))
                .map(str::to_owned)
        };
        let is_short = has("--short");
        let rounds = value("--rounds=")
            .and_then(|rounds| rounds.parse().ok())
            .unwrap_or(if is_short { 1 } else { 10 });
        let (is_flushed, is_markdown) = (has("--flush"), has("--markdown"));
        let picture =
            value("--picture=").map(|path| Path::new(env!("CARGO_MANIFEST_DIR")).join(path));
        Options {
            rounds,
            only: value("--only="),
            is_short,
            is_flushed,
            is_markdown,
            picture,
        }
    }
}

/// A way to make a change, and what it took.
struct Way {
    name: String,
    program: String,
    arguments: Vec<String>,
    /// Whether it reads the change from its standard input.
    input: Option<PathBuf>,
    times: Vec<Duration>,
    /// The most memory that it used, in KiB.
    memory: u64,
}

impl Way {
    fn new(name: &str, program: &str, arguments: &[&str]) -> Self {
        let arguments = arguments.iter().map(|&argument| argument.into()).collect();
        Way {
            name: name.into(),
            program: program.into(),
            arguments,
            input: None,
            times: Vec::new(),
            memory: 0,
        }
    }

    fn median(&self) -> f64 {
        median(self.times.clone())
    }

    fn run(&mut self, top: &Path) {
        let input = self.input.as_ref().map_or(Stdio::null(), |path| {
            fs::File::open(path).expect("it is there").into()
        });
        let mut command = Command::new(&self.program);
        command
            .args(&self.arguments)
            .current_dir(top)
            .stdin(input)
            .stdout(Stdio::null());
        let started = Instant::now();
        let status = command.status();
        self.times.push(started.elapsed());
        assert!(
            status.as_ref().is_ok_and(|status| status.success()),
            "{} ends with {status:?}",
            self.name
        );
    }

    /// Runs it once more and watches how much memory it takes, which would disturb its time.
    fn weigh(&mut self, top: &Path) {
        let input = self.input.as_ref().map_or(Stdio::null(), |path| {
            fs::File::open(path).expect("it is there").into()
        });
        let mut command = Command::new(&self.program);
        let child = command
            .args(&self.arguments)
            .current_dir(top)
            .stdin(input)
            .stdout(Stdio::null())
            .spawn();
        let mut child = child.expect("it has been started before");
        let status = format!("/proc/{}/status", child.id());
        while let Ok(None) = child.try_wait() {
            let status = fs::read_to_string(&status).unwrap_or_default();
            let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
            let peak = peak
                .and_then(|peak| peak.trim().trim_end_matches(" kB").parse().ok())
                .unwrap_or(0);
            self.memory = self.memory.max(peak);
        }
    }
}

fn main() {
    let options = Options::read();
    if !options.is_markdown {
        println!(
            "{:34}{:>18}{:>12}{:>9}{:>9}{:>9}{:>10}",
            "", "", "median ms", "/ git", "/ patch", "/ floor", "peak MiB"
        );
    }
    for scenario in Scenario::all(options.is_short) {
        if options
            .only
            .as_deref()
            .is_none_or(|only| scenario.name.starts_with(only))
        {
            measure(&scenario, &options);
        }
    }
    if options
        .only
        .as_deref()
        .is_none_or(|only| "staged".starts_with(only))
    {
        staged(&options);
    }
    if options
        .only
        .as_deref()
        .is_none_or(|only| "batch".starts_with(only))
    {
        batch::measure(options.is_short);
    }
    if options
        .only
        .as_deref()
        .is_none_or(|only| "growth".starts_with(only))
    {
        growth::measure(options.is_short, options.picture.as_deref());
    }
}

/// Returns the median in milliseconds.
fn median(mut times: Vec<Duration>) -> f64 {
    times.sort();
    times[times.len() / 2].as_secs_f64() * 1000.0
}

/// Runs every way to make a change, in turn, and prints how long each took.
fn measure(scenario: &Scenario, options: &Options) {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    let top = directory.path().join("top");
    scenario.build(directory.path());
    if !options.is_flushed {
        git(&top, &["config", "llmpatch.fsync", "false"]);
    }
    let mut ways = ways(scenario, directory.path());
    let count = ways.len();
    let mut ends: Vec<Vec<u8>> = Vec::new();
    let mut floors = Vec::new();
    for round in 0..options.rounds {
        // Each is the first of a round once: what one leaves in the system's caches is as good as
        // another's.
        let (last, first) = ways.split_at_mut(round % count);
        for way in first.iter_mut().chain(last) {
            scenario.reset(&top);
            way.run(&top);
            if round == 0 {
                ends.push(scenario.fingerprint(&top));
                scenario.reset(&top);
                way.weigh(&top);
            }
        }
        scenario.reset(&top);
        floors.push(scenario.floor(&top));
    }
    let names: Vec<_> = ways.iter().map(|way| &way.name).collect();
    assert!(
        ends.windows(2).all(|pair| pair[0] == pair[1]),
        "{}: {names:?} end differently",
        scenario.name
    );
    print(scenario, &ways, median(floors), options);
}

fn ways(scenario: &Scenario, directory: &Path) -> Vec<Way> {
    let ours = env!("CARGO_BIN_EXE_git-llmpatch");
    let diff = directory.join("change.diff");
    let index: &[&str] = if scenario.is_staged {
        &["--index"]
    } else {
        &[]
    };
    let mut ways = vec![Way::new(
        "git apply",
        "git",
        &[&["apply"], index, &["../change.diff"]].concat(),
    )];
    if !scenario.is_staged
        && Command::new("patch")
            .arg("--version")
            .stdout(Stdio::null())
            .status()
            .is_ok()
    {
        let mut way = Way::new("patch", "patch", &["-s", "-p1"]);
        way.input = Some(diff);
        ways.push(way);
    }
    for format in ["diff", "envelope", "opx"] {
        let response = format!("../change.{format}");
        ways.push(Way::new(
            &format!("ours, {format}"),
            ours,
            &[&["apply", "-q"], index, &[&response]].concat(),
        ));
    }
    ways
}

fn print(scenario: &Scenario, ways: &[Way], floor: f64, options: &Options) {
    let median_of = |name: &str| ways.iter().find(|way| way.name == name).map(Way::median);
    let ratio =
        |time: f64, to: Option<f64>| to.map_or("–".into(), |to| format!("{:.2}", time / to));
    if options.is_markdown {
        // A line of a table as in `.github/COMPARISON.md`.
        let git = &ways[0];
        let others = ["patch", "ours, diff", "ours, envelope", "ours, opx"];
        let ratios = others.map(|name| {
            median_of(name).map_or("–".into(), |time| ratio(time, Some(git.median())))
        });
        let most = ways
            .iter()
            .filter(|way| way.name.starts_with("ours"))
            .map(|way| way.memory)
            .max()
            .unwrap_or(0);
        let (name, time, ratios) = (&scenario.name, git.median(), ratios.join(" | "));
        println!(
            "| {name} | {time:.1} | {ratios} | {} | {} |",
            git.memory >> 10,
            most >> 10
        );
        return;
    }
    for way in ways {
        let time = way.median();
        let (git, patch) = (
            ratio(time, median_of("git apply")),
            ratio(time, median_of("patch")),
        );
        let (floor, peak) = (ratio(time, Some(floor)), way.memory as f64 / 1024.0);
        let (name, way) = (&scenario.name, &way.name);
        println!("{name:34}{way:>18}{time:>12.2}{git:>9}{patch:>9}{floor:>9}{peak:>10.0}");
    }
}

/// What a hook may cost, its children included. Instructions are much the same on all machines.
const MOST_INSTRUCTIONS: u64 = 60_000_000;

/// What a hook costs where no response is staged: nothing, and one of many files.
fn staged(options: &Options) {
    let scale = if options.is_short { 10 } else { 1 };
    for (files, is_one_staged) in [(1000, false), (5000, true)] {
        let scenario = Scenario::small_change("", files / scale);
        let directory = tempfile::tempdir().expect("a temporary directory can be made");
        scenario.build(directory.path());
        let top = directory.path().join("top");
        if is_one_staged {
            fs::write(top.join("src/a.txt"), "changed\n").expect("a file can be written");
            git(&top, &["add", "."]);
        }
        let mut ways = [
            Way::new(
                "git diff --cached",
                "git",
                &["diff", "--cached", "--name-only"],
            ),
            Way::new(
                "check --staged",
                env!("CARGO_BIN_EXE_git-llmpatch"),
                &["check", "--staged"],
            ),
        ];
        for _ in 0..options.rounds {
            ways.iter_mut().for_each(|way| way.run(&top));
        }
        let git = ways[0].median();
        let name = format!(
            "staged: {} of {} files",
            u8::from(is_one_staged),
            files / scale
        );
        for way in &ways {
            println!(
                "{name:34}{:>18}{:>12.2}{:>9.2}",
                way.name,
                way.median(),
                way.median() / git
            );
            let count = callgrind::count(directory.path(), &way.program, &way.arguments);
            if let Some(count) = count {
                assert!(count.status.success(), "{} ends otherwise", way.name);
                let millions = count.instructions as f64 / 1e6;
                println!(
                    "{:34}{:>18}{millions:>12.2} million instructions, children included",
                    "", way.name
                );
                assert!(
                    count.instructions <= MOST_INSTRUCTIONS,
                    "{} takes {millions} million instructions",
                    way.name
                );
            }
        }
    }
}
