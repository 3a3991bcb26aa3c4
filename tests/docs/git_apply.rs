//! What the page on `git apply` shows happens: git says what its headings say, and the program what
//! is printed below. `SNAPSHOTS=overwrite cargo test --test docs git_apply` prints it anew.

use std::fs;
use std::process::Command;

use assert_fs::prelude::*;

use crate::here;
use crate::support::{self, Repo};

const PAGE: &str = "docs/git-apply-fails.md";

/// A fence of the page: what its opener says, and what is in it.
struct Fence<'p> {
    opener: &'p str,
    text: &'p str,
}

/// Returns what is in the fences of a text that aren't in another.
fn fences(text: &str) -> Vec<Fence<'_>> {
    let mut all = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find("\n```") {
        let (opener, below) = rest[at + 1..].split_once('\n').unwrap();
        let ticks = &opener[..opener.len() - opener.trim_start_matches('`').len()];
        let (text, behind) = below.split_once(&format!("{ticks}\n")).unwrap();
        all.push(Fence { opener, text });
        rest = behind;
    }
    all
}

#[test]
fn its_headings_are_what_git_says_and_what_is_below_is_what_we_say() {
    let page = fs::read_to_string(here(PAGE)).unwrap();
    let (intro, rest) = page.split_once("\n## ").unwrap();
    let file = fences(intro)
        .into_iter()
        .find(|fence| fence.opener == "```python");
    let file = file.unwrap().text;
    let mut renewed = intro.to_owned();
    let mut tried = 0;
    for section in rest.split("\n## ") {
        let heading = section.lines().next().unwrap();
        let repo = Repo::empty();
        repo.child("net.py").write_str(file).unwrap();
        repo.commit("base");
        let all = fences(section);
        let is_response =
            |fence: &&Fence<'_>| fence.opener.ends_with("diff") || fence.opener == "```text";
        if let Some(example) = all.iter().find(is_response) {
            repo.child("response.txt").write_str(example.text).unwrap();
        }
        if let Some(said) = heading.strip_prefix("error: ") {
            let git = bash(&repo, "git apply response.txt");
            assert!(git.contains(said), "{heading}: {git}");
            tried += 1;
        }
        let mut section = section.to_owned();
        for console in all.iter().filter(|fence| fence.opener == "```console") {
            let mut shown = String::new();
            for line in console.text.lines().filter(|line| line.starts_with("$ ")) {
                shown += &format!("{line}\n{}", bash(&repo, &line[2..]));
            }
            let fenced = |text: &str| format!("```console\n{text}```\n");
            section = section.replace(&fenced(console.text), &fenced(&shown));
        }
        renewed += &format!("\n## {section}");
    }
    assert_eq!(tried, 6);
    support::snapshot(renewed, &here(PAGE));
}

/// Returns all that a command prints.
fn bash(repo: &Repo, command: &str) -> String {
    let mut bash = support::isolated(Command::new("bash"), repo.path());
    bash.env("PATH", support::path()).args(["-c", command]);
    let run = support::run(&mut bash, b"");
    run.stdout + &run.stderr
}
