//! What the README shows works as it says.

use std::fs;
use std::process::Command;

use assert_fs::prelude::*;

use crate::here;
use crate::support::{self, Repo};
use crate::terminal::Terminal;

fn text(path: &str) -> String {
    fs::read_to_string(here(path)).unwrap()
}

/// Returns what the README says under a heading.
fn section(heading: &str) -> String {
    let readme = text("README.md");
    let section = readme
        .split(&format!("\n## {heading}\n"))
        .nth(1)
        .and_then(|rest| rest.split("\n## ").next());
    section
        .unwrap_or_else(|| panic!("there is no section `{heading}`"))
        .to_owned()
}

/// Returns the lines to type in a section.
fn typed(heading: &str) -> Vec<String> {
    section(heading)
        .lines()
        .filter_map(|line| line.strip_prefix("$ "))
        .map(str::to_owned)
        .collect()
}

fn with_demo() -> Repo {
    let repo = Repo::empty();
    repo.child("tests/demo/todo.py")
        .write_str(&text("tests/demo/todo.py"))
        .unwrap();
    repo.child("tests/demo/response.md")
        .write_str(&text("tests/demo/response.md"))
        .unwrap();
    repo.child("response.txt")
        .write_str(&text("tests/demo/response.md"))
        .unwrap();
    repo.commit("base");
    repo
}

#[test]
fn every_command_shown_does_what_it_says() {
    let commands = typed("Use");
    assert!(commands.len() >= 6, "{commands:?}");
    for command in commands {
        // Without a comment and what it is piped into or from.
        let command = &command[command.find("git llmpatch").unwrap()..];
        let command = command.split(['#', '|']).next().unwrap().trim();
        let repo = with_demo();
        let arguments: Vec<_> = command.split_whitespace().skip(2).collect();
        if arguments[0] == "undo" {
            repo.run(&["apply"], text("tests/demo/response.md"))
                .succeeded();
        }
        if arguments.contains(&"-i") {
            say_yes(&repo, &arguments);
        } else {
            repo.run(&arguments, text("tests/demo/response.md"))
                .succeeded();
        }
        let wanted = match arguments[0] {
            "check" | "diff" | "convert" | "show" | "undo" => "",
            "apply" if command.contains("--index") => {
                "A  tests/demo/README.md\nM  tests/demo/todo.py\n"
            }
            "apply" if command.contains("--commit") => "",
            "apply" => " M tests/demo/todo.py\n?? tests/demo/README.md\n",
            other => panic!("{other} is shown and not known here"),
        };
        assert_eq!(repo.git(&["status", "--porcelain"]), wanted, "{command}");
        let commits = if command.contains("--commit") {
            "2\n"
        } else {
            "1\n"
        };
        assert_eq!(
            repo.git(&["rev-list", "--count", "HEAD"]),
            commits,
            "{command}"
        );
    }
}

/// One after the other, as somebody who reads it types it.
#[test]
fn the_commands_shown_work_from_top_to_bottom() {
    let repo = with_demo();
    repo.script("bin/pbpaste", "#!/bin/sh\ncat response.txt\n");
    repo.script("bin/less", "#!/bin/sh\ncat\n");
    let here = repo.child("bin");
    let paths = std::env::split_paths(&support::path()).collect::<Vec<_>>();
    let path = std::env::join_paths([here.to_path_buf()].into_iter().chain(paths)).unwrap();
    for command in typed("Use") {
        if command.contains("apply -i") {
            say_yes(&repo, &["apply", "-i", "response.txt"]);
            continue;
        }
        let mut bash = support::isolated(Command::new("bash"), repo.path());
        bash.env("PATH", &path)
            .args(["-o", "pipefail", "-c", &command]);
        let run = support::run(&mut bash, b"");
        assert_eq!(run.status, 0, "{command}: {}{}", run.stdout, run.stderr);
    }
    assert_eq!(repo.git(&["status", "--porcelain"]), "?? bin/\n");
    let files = repo.git(&["show", "--name-only", "--format="]);
    assert_eq!(files, "tests/demo/README.md\ntests/demo/todo.py\n");
}

/// Runs what asks at a terminal, and wants all of it.
fn say_yes(repo: &Repo, arguments: &[&str]) {
    let mut command = repo.command();
    command
        .args(arguments)
        .env("PATH", std::env::var_os("PATH").unwrap())
        .env("GIT_PAGER", "cat");
    let mut terminal = Terminal::start(&command);
    terminal.wait_for("]? ");
    terminal.send("y\n");
    assert!(terminal.end().success(), "{}", terminal.shown());
}

/// All of it but the installation, which `.ci/run` does, too.
#[test]
fn what_is_to_be_tried_shows_a_change_and_takes_it_back() {
    let commands = typed("Try it");
    let [tried, tests] = &commands[..] else {
        panic!("{commands:?}")
    };
    assert_eq!(tests, "cargo test");
    let shown = tried
        .strip_prefix("cargo install --locked --path . && ")
        .unwrap();
    let repo = with_demo();
    let mut bash = support::isolated(Command::new("bash"), repo.path());
    bash.env("PATH", support::path()).args(["-c", shown]);
    let run = support::run(&mut bash, b"").succeeded();
    assert!(
        run.stdout.contains("\n+def save(items):\n"),
        "{}",
        run.stdout
    );
    assert!(!run.stderr.contains("warning"), "{}", run.stderr);
    assert_eq!(repo.git(&["status", "--porcelain"]), "");
}

#[test]
fn every_option_shown_is_one() {
    let readme = text("README.md");
    let table = readme.lines().filter(|line| line.starts_with("| `-"));
    let help = Repo::empty().run(&["help", "apply"], "");
    let help = help.succeeded().stdout;
    for option in table.flat_map(|line| {
        line.split('|')
            .nth(1)
            .unwrap()
            .split('`')
            .skip(1)
            .step_by(2)
    }) {
        let name = option.split(['=', ' ']).next().unwrap();
        assert!(help.contains(name), "{name}");
    }
}

/// Every row of the table of near misses, at every level. `·` stands for a space and `→` for a tab
/// there.
#[test]
fn near_misses_are_let_in_by_the_levels_that_say_so() {
    let page = text("docs/git-apply-fails.md");
    let rows: Vec<Vec<&str>> = page
        .lines()
        .filter(|line| line.starts_with("| `"))
        .map(|line| line.trim_matches('|').split('|').map(str::trim).collect())
        .collect();
    assert!(rows.len() >= 9, "{rows:?}");
    let repo = Repo::empty();
    for row in rows {
        let [file, patch, what, levels @ ..] = &row[..] else {
            panic!("{row:?}")
        };
        assert_eq!(levels.len(), 3, "{row:?}");
        let plain = |cell: &str| cell.trim_matches('`').replace('·', " ").replace('→', "\t");
        repo.child("a.txt")
            .write_str(&format!("{}\nend\n", plain(file)))
            .unwrap();
        let answer = format!(
            "*** Begin Patch\n*** Update File: a.txt\n {}\n-end\n+END\n*** End Patch\n",
            plain(patch)
        );
        assert_ne!(repo.run(&["check"], &answer).status, 0, "{what}: no miss");
        for (level, wanted) in ["trailing", "indent", "unicode"].iter().zip(levels) {
            let status = repo
                .run(&["check", &format!("--fuzz={level}")], &answer)
                .status;
            assert_eq!(status == 0, *wanted == "yes", "{what} at {level}");
        }
    }
}
