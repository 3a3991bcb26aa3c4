//! What holds of every command: it writes only where `.github/SECURITY.md` says it may, prints
//! nothing that a terminal obeys, leaves nothing of its own, and ends within bounds. A command that
//! isn't in the tables fails.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use assert_fs::prelude::*;
use serde_json::json;

use crate::State;
use crate::bounded::{patiently, within};
use crate::support::{OnDisk, Repo, isolated, program, run};
use crate::temporaries::{is_nobody_elses, open_to_all, scene};

/// What a command is given on standard input.
#[derive(Clone, Copy, PartialEq)]
enum Input {
    /// A response.
    Response,
    /// A line of JSON with a response in it.
    Lines,
    Nothing,
}

/// Each command, as it does most.
const RUNS: &[(&[&str], Input)] = &[
    (&["apply", "--index", "--overwrite"], Input::Response),
    (&["apply", "--commit", "-mx"], Input::Response),
    (&["check", "--feedback"], Input::Response),
    (&["diff"], Input::Response),
    (&["convert", "--to=opx"], Input::Response),
    (&["show", "HEAD"], Input::Nothing),
    (&["snapshot", "--untracked"], Input::Nothing),
    (&["batch", "--onto=HEAD", "--commit"], Input::Lines),
    (&["undo"], Input::Nothing),
    (&["recover"], Input::Nothing),
    (&["apply-patch"], Input::Response),
    (&["prompt", "--example=HEAD"], Input::Nothing),
    (&["man", "apply"], Input::Nothing),
    (&["man", "--install"], Input::Nothing),
    (&["help", "apply"], Input::Nothing),
    (&["completions", "bash"], Input::Nothing),
    (&["completions", "--install", "bash"], Input::Nothing),
];

/// What the page calls a place, and what is there: beside the work tree, in it, and in git's
/// directory.
const PLACES: &[(&str, &[&str])] = &[
    ("the work tree", &["inside/"]),
    ("the index", &["git/index"]),
    ("objects", &["git/objects/"]),
    (
        "a branch",
        &[
            "git/HEAD",
            "git/refs/heads/",
            "git/logs/",
            "git/COMMIT_EDITMSG",
            "git/ORIG_HEAD",
        ],
    ),
    ("snapshots", &["git/refs/llmpatch/snapshots/"]),
    ("results", &["git/refs/llmpatch/results/"]),
    ("the journal", &["git/llmpatch"]),
    ("your home", &["around/home/"]),
];

/// Returns what the page says that a command may write.
fn may_write(command: &str) -> Vec<&'static str> {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join(".github/SECURITY.md");
    let page = std::fs::read_to_string(page).unwrap();
    let named = format!("| `{command}` | ");
    let mut rows = page.lines().filter_map(|line| line.strip_prefix(&named));
    let row = rows
        .next()
        .unwrap_or_else(|| panic!("no row for {command}"));
    assert_eq!(rows.next(), None, "{command}");
    let cell = row.split(" | ").next().unwrap();
    let places = PLACES.iter().filter(|(name, _)| cell.contains(name));
    places
        .flat_map(|(_, prefixes)| prefixes.iter().copied())
        .collect()
}

/// Returns all that is there, by where it is.
fn everything(repo: &Repo) -> BTreeMap<String, OnDisk> {
    let State {
        around,
        inside,
        git,
    } = State::of(repo);
    let top = repo.path().parent().unwrap().to_owned();
    let named = [("around", around), ("inside", inside), ("git", git)];
    let files = named.into_iter().flat_map(|(name, files)| {
        let top = top.clone();
        files.into_iter().map(move |(path, file)| {
            let path = path.strip_prefix(&top).map(Path::to_owned).unwrap_or(path);
            (format!("{name}/{}", path.display()), file)
        })
    });
    files.collect()
}

/// Returns the input of a run, of a response.
fn given(input: Input, response: &str) -> Vec<u8> {
    match input {
        Input::Response => response.into(),
        Input::Lines => format!("{}\n", json!({"id": 1, "response": response})).into(),
        Input::Nothing => Vec::new(),
    }
}

/// Makes a repository with a home of its own beside it, and with links that lead out.
fn fortress() -> Repo {
    let repo = Repo::with(&[("a.txt", "old\n"), ("dir/a.txt", "old\n")]);
    for path in ["../outside/a.txt", "../home/.profile"] {
        repo.child(path).write_str("old\n").unwrap();
    }
    for (to, at) in [("../outside", "link"), ("../outside/a.txt", "link.txt")] {
        std::os::unix::fs::symlink(to, repo.child(at)).unwrap();
    }
    repo.commit("links");
    repo
}

fn command(repo: &Repo, args: &[&str]) -> Command {
    let mut command = repo.command();
    let path = |name: &str| repo.path().with_file_name(name);
    command
        .args(args)
        .env("HOME", path("home"))
        .env_remove("XDG_DATA_HOME")
        .env_remove("XDG_CONFIG_HOME")
        .env_remove("BASH_COMPLETION_USER_DIR");
    command
}

#[test]
fn every_command_is_attacked() {
    let help = run(
        isolated(Command::new(program()), Path::new("/")).arg("-h"),
        b"",
    );
    let listed = help
        .stdout
        .lines()
        .skip_while(|line| *line != "Commands:")
        .skip(1);
    let commands: BTreeSet<_> = listed
        .take_while(|line| !line.is_empty())
        .map(|line| line.split_whitespace().next().unwrap())
        .collect();
    assert!(commands.len() > 10, "{commands:?}");
    let attacked: BTreeSet<_> = RUNS.iter().map(|(args, _)| args[0]).collect();
    assert_eq!(attacked, commands);
    commands
        .into_iter()
        .for_each(|command| drop(may_write(command)));
}

#[test]
fn every_command_writes_only_what_it_may() {
    let add = |path: &str| format!("*** Add File: {path}\n+new\n");
    let evil = [
        "../outside/a.txt",
        "link/a.txt",
        "link.txt",
        ".git/config",
        ".git/hooks/x",
    ];
    let evil = evil.iter().map(|path| add(path)).collect::<String>();
    let good = format!("*** Update File: a.txt\n-old\n+new\n{}", add("n.txt"));
    for (args, input) in RUNS {
        let allowed = may_write(args[0]);
        for body in [&evil, &format!("{good}{evil}"), &good] {
            let repo = fortress();
            let before = everything(&repo);
            let response = format!("*** Begin Patch\n{body}*** End Patch\n");
            let ended = run(&mut command(&repo, args), &given(*input, &response));
            let after = everything(&repo);
            let paths: BTreeSet<_> = before.keys().chain(after.keys()).collect();
            for path in paths {
                let is_allowed = allowed.iter().any(|prefix| path.starts_with(prefix));
                let is_same = before.get(path) == after.get(path);
                assert!(
                    is_same || is_allowed,
                    "{args:?} wrote {path}: {}",
                    ended.stderr
                );
            }
            for path in ["inside/link.txt", "git/config", "around/outside/a.txt"] {
                assert_eq!(before.get(path), after.get(path), "{args:?} {path}");
            }
        }
    }
}

#[test]
fn no_command_says_what_a_terminal_obeys() {
    let evil = "\u{1b}[31m\u{1b}]0;x\u{7}\u{9b}2J\u{202e}\u{2066}\u{8}\u{85}x";
    let responses = [
        format!("*** Begin Patch\n*** Update File: {evil}\n@@ {evil}\n-{evil}\n+{evil}\n*** End Patch\n"),
        format!("*** Begin Patch\n*** Update File: a.txt\n@@ {evil}\n-{evil}\n+x\n*** End Patch\n"),
        format!("<edit file=\"{evil}\" op=\"{evil}\"><find>\n<<<\n{evil}\n>>>\n</find></edit>\n"),
        format!("--- a/{evil}\n+++ b/{evil}\n@@ -1 +1 @@\n-{evil}\n+{evil}\n"),
        format!("{evil}\n<<<<<<< SEARCH\n{evil}\n=======\n{evil}\n>>>>>>> REPLACE\n"),
        json!({"name": "Edit", "input": {"file_path": evil, "old_string": evil, "new_string": "x"}})
            .to_string(),
    ];
    let repo = fortress();
    repo.child(format!("{evil}.txt")).write_str(evil).unwrap();
    repo.commit(evil);
    for (args, input) in RUNS {
        for response in &responses {
            let ended = run(&mut command(&repo, args), &given(*input, response));
            let obeyed = |c: char| {
                c.is_control() && c != '\n' && c != '\t'
                    || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
            };
            let found = ended.stderr.find(obeyed);
            assert_eq!(found, None, "{args:?}: {:?}", ended.stderr);
        }
    }
}

#[test]
fn no_command_leaves_or_shows_anything_of_its_own() {
    let repo = scene("files");
    let response = "*** Begin Patch\n*** Update File: b.up\n-old\n+new\n*** End Patch\n";
    for (args, input) in RUNS {
        let mut command = open_to_all(&repo, args);
        command.env("HOME", repo.path().with_file_name("home"));
        run(&mut command, &given(*input, response));
        is_nobody_elses(&repo, &format!("{args:?}"));
    }
}

#[test]
fn every_command_ends_within_bounds() {
    let repo = fortress();
    for (args, input) in RUNS.iter().filter(|(_, input)| *input != Input::Nothing) {
        for part in [
            "<edit ",
            "*** Begin Patch\n",
            "@@ -1 +1 @@\n",
            "{\"a\":[",
            "<<<<<<< SEARCH\n",
        ] {
            let response = part.repeat((256 << 10) / part.len());
            let ended = within(800, repo.path(), args, &given(*input, &response));
            let said = &ended.stderr[..ended.stderr.len().min(2000)];
            assert!(
                [0, 1, 3].contains(&ended.status),
                "{args:?} {part:?}: {said}"
            );
            assert!(ended.stderr.len() < 1 << 20, "{args:?} {part:?}");
        }
    }
    for (args, _) in RUNS.iter().filter(|(_, input)| *input == Input::Nothing) {
        patiently(command(&repo, args), b"");
    }
}
