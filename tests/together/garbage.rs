//! Commands that name objects, while git collects garbage without end beside them, each in one of the
//! ways that users have: every object that is named is there, with all that it names.
//!
//! `GARBAGE=200` says how often each of them is run beside each way.

use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};

use assert_fs::prelude::*;
use serde_json::{Value, json};

use crate::support::{Repo, in_full, isolated, run, some};

/// Ways to collect garbage, the newest too where git lets it go.
const WAYS: &[&str] = &[
    "git repack -adq && git prune --expire=now",
    "git gc -q --prune=now",
    "git repack -Adq",
    "git prune --expire=now",
    "git gc -q",
    "git maintenance run --quiet --task=gc --task=loose-objects --task=incremental-repack \
     --task=pack-refs --task=commit-graph",
    "git repack -dq --geometric=2 --write-midx && git multi-pack-index expire --no-progress",
];

const NAMING: &[&[&str]] = &[
    &["batch", "--onto=HEAD"],
    &["batch", "--onto=HEAD", "--commit"],
    &["apply", "-q", "--onto=HEAD"],
    &["apply", "-q", "--onto=HEAD", "--commit"],
    &["apply", "-q", "--onto=HEAD", "--commit", "--each"],
    &["apply", "-q", "--onto=HEAD", "--commit", "--branch=new"],
    &["snapshot"],
];

/// How many responses a batch has.
const LINES: usize = 20;

fn rounds() -> usize {
    let asked = std::env::var("GARBAGE").ok();
    let asked = asked.and_then(|rounds| rounds.parse().ok());
    asked.unwrap_or(if in_full() { 5 } else { 1 })
}

/// Changes a file of its own, in a way that no round repeats.
fn response(round: usize, nth: usize) -> String {
    format!(
        "*** Begin Patch\n*** Update File: {nth}/a.txt\n@@\n-old\n+{round} {nth}\n*** End Patch\n"
    )
}

fn repository() -> Repo {
    let repo = Repo::empty();
    for nth in 0..LINES {
        for name in ["a.txt", "b.txt"] {
            let path = format!("{nth}/{name}");
            repo.child(path).write_str("old\n").unwrap();
        }
    }
    repo.commit("base");
    repo.git(&["config", "maintenance.auto", "false"]);
    repo.git(&["config", "llmpatch.fsync", "false"]);
    repo
}

/// Runs a command and returns what it names.
fn named_by(repo: &Repo, args: &[&str], round: usize) -> Vec<String> {
    let mut args = args.to_vec();
    let mut input = response(round, 0);
    if args[0] == "batch" {
        let line = |nth| format!("{}\n", json!({"response": response(round, nth)}));
        input = (0..LINES).map(line).collect();
    } else if args[0] == "snapshot" {
        let text = format!("round {round}\n");
        repo.child("0/a.txt").write_str(&text).unwrap();
    } else if args.contains(&"--each") {
        for (nth, name) in [(0, "../one"), (1, "../two")] {
            repo.child(name).write_str(&response(round, nth)).unwrap();
            args.push(name);
        }
    } else if args.contains(&"--branch=new") {
        let new = run(
            isolated(Command::new("git"), repo.path()).args(["branch", "-qD", "new"]),
            b"",
        );
        assert!([0, 1].contains(&new.status), "{}", new.stderr);
    }
    let run = run(repo.command().args(&args), input.as_bytes());
    assert_eq!(run.status, 0, "{args:?}: {}", run.stderr);
    if args[0] != "batch" {
        return run.stdout.split_whitespace().map(str::to_owned).collect();
    }
    let lines = run.stdout.lines();
    let lines = lines.map(|line| serde_json::from_str::<Value>(line).unwrap());
    let names = lines.flat_map(|line| {
        assert_eq!(line["errors"], json!([]), "{args:?}");
        ["tree", "commit"].map(|key| line[key].as_str().map(str::to_owned))
    });
    names.flatten().collect()
}

fn are_there(repo: &Repo, named: &[String], what: &str) {
    let asked: String = named.iter().map(|id| format!("{id}\n")).collect();
    let mut walk = isolated(Command::new("git"), repo.path());
    walk.args(["rev-list", "--objects", "--quiet", "--stdin"]);
    let run = run(&mut walk, asked.as_bytes());
    assert_eq!(run.status, 0, "{what}: {}", run.stderr);
}

#[test]
fn what_is_named_is_there_while_garbage_is_collected() {
    for way in some(WAYS.iter().copied(), 3) {
        let repo = repository();
        let is_over = AtomicBool::new(false);
        let collect = || {
            let mut times = 0;
            while !is_over.load(Ordering::SeqCst) {
                let mut shell = isolated(Command::new("sh"), repo.path());
                // It fails where an object goes that git has just seen: that is between its commands.
                run(shell.args(["-c", way]), b"");
                times += 1;
            }
            times
        };
        std::thread::scope(|scope| {
            let collector = scope.spawn(collect);
            let namer = scope.spawn(|| {
                let mut all = Vec::new();
                for (round, args) in
                    (0..rounds()).flat_map(|round| NAMING.iter().map(move |args| (round, args)))
                {
                    let named = named_by(&repo, args, round);
                    are_there(&repo, &named, way);
                    if !args.contains(&"--branch=new") {
                        all.extend(named);
                    }
                }
                all
            });
            let all = namer.join();
            is_over.store(true, Ordering::SeqCst);
            println!("{way}: {} times", collector.join().unwrap());
            are_there(&repo, &all.unwrap(), way);
        });
        let packs = std::fs::read_dir(repo.child(".git/objects/pack")).unwrap();
        let names = packs.map(|file| file.unwrap().file_name().into_string().unwrap());
        let left: Vec<_> = names
            .filter(|name| name.ends_with(".keep") || name.starts_with("tmp_"))
            .collect();
        assert_eq!(left, [""; 0], "{way}");
    }
}
