//! What the README shows works as it says.

#![allow(clippy::unwrap_used, reason = "a test that can't go on has failed")]

mod support;
#[path = "support/terminal.rs"]
mod terminal;

use std::fs;
use std::path::Path;

use support::Repo;
use terminal::Terminal;

fn here(path: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap()
}

/// The commands that the README shows, without prompt, comment and what they are piped into or from.
fn commands() -> Vec<String> {
    let readme = here("README.md");
    let shown = readme.lines().filter_map(|line| line.strip_prefix("$ "));
    let bare = |line: &str| line.split('#').next().unwrap_or_default().trim().to_owned();
    shown
        .map(bare)
        .filter_map(|line| Some(line[line.find("git llmpatch")?..].split('|').next()?.trim().to_owned()))
        .collect()
}

fn with_demo() -> Repo {
    let repo = Repo::empty();
    repo.write("tests/demo/todo.py", here("tests/demo/todo.py"));
    repo.write("answer.txt", here("tests/demo/answer.md"));
    repo.commit("base");
    repo
}

#[test]
fn every_command_shown_does_what_it_says() {
    let commands = commands();
    assert!(commands.len() >= 6, "{commands:?}");
    let is_of_answers = |command: &&String| !command.ends_with(" -h") && !command.contains("--install");
    for command in commands.iter().filter(is_of_answers) {
        let repo = with_demo();
        let arguments: Vec<_> = command.split_whitespace().skip(2).collect();
        if arguments[0] == "undo" {
            repo.run(&["apply"], here("tests/demo/answer.md")).succeeded();
        }
        if arguments.contains(&"-i") {
            say_yes(&repo, &arguments);
        } else {
            repo.run(&arguments, here("tests/demo/answer.md")).succeeded();
        }
        let wanted = match arguments[0] {
            "check" | "diff" | "convert" | "show" | "undo" => "",
            "apply" if command.contains("--index") => "A  tests/demo/README.md\nM  tests/demo/todo.py\n",
            "apply" if command.contains("--commit") => "",
            "apply" => " M tests/demo/todo.py\n?? tests/demo/README.md\n",
            other => panic!("{other} is shown and not known here"),
        };
        assert_eq!(repo.git(&["status", "--porcelain"]), wanted, "{command}");
        let commits = if command.contains("--commit") { "2\n" } else { "1\n" };
        assert_eq!(repo.git(&["rev-list", "--count", "HEAD"]), commits, "{command}");
    }
}

/// Runs what asks at a terminal, and wants all of it.
fn say_yes(repo: &Repo, arguments: &[&str]) {
    let mut command = repo.command();
    command.args(arguments).env("PATH", std::env::var_os("PATH").unwrap()).env("GIT_PAGER", "cat");
    let mut terminal = Terminal::start(&command);
    terminal.wait_for("]? ");
    terminal.send("y\n");
    assert!(terminal.end().success(), "{}", terminal.shown());
}

#[test]
fn the_answer_to_try_applies_without_a_warning() {
    let repo = with_demo();
    let run = repo.run(&["apply", "answer.txt"], "").succeeded();
    assert_eq!(run.stderr, "");
    assert!(repo.text("tests/demo/todo.py").contains("def save(items):"));
    assert!(repo.text("tests/demo/README.md").starts_with("# todo\n"));
}

#[test]
fn every_option_shown_is_one() {
    let readme = here("README.md");
    let table = readme.lines().filter(|line| line.starts_with("| `-"));
    let help = Repo::empty().run(&["apply", "-h"], "").succeeded().stdout;
    for option in table.flat_map(|line| line.split('|').nth(1).unwrap().split('`').skip(1).step_by(2)) {
        let name = option.split(['=', ' ']).next().unwrap();
        assert!(help.contains(name), "{name}");
    }
}

/// Every row of the table of near misses, at every level. `·` stands for a space and `→` for a tab there.
#[test]
fn near_misses_are_let_in_by_the_levels_that_say_so() {
    let readme = here("README.md");
    let section = readme.split("## Near misses").nth(1).and_then(|rest| rest.split("\n## ").next()).unwrap();
    let rows: Vec<Vec<&str>> = section
        .lines()
        .filter(|line| line.starts_with("| `"))
        .map(|line| line.trim_matches('|').split('|').map(str::trim).collect())
        .collect();
    assert!(rows.len() >= 9, "{rows:?}");
    let repo = Repo::empty();
    for row in rows {
        let [file, patch, what, levels @ ..] = &row[..] else { panic!("{row:?}") };
        assert_eq!(levels.len(), 3, "{row:?}");
        let plain = |cell: &str| cell.trim_matches('`').replace('·', " ").replace('→', "\t");
        repo.write("a.txt", format!("{}\nend\n", plain(file)));
        let answer = format!("*** Begin Patch\n*** Update File: a.txt\n {}\n-end\n+END\n*** End Patch\n", plain(patch));
        assert_ne!(repo.run(&["check"], &answer).status, 0, "{what}: no miss");
        for (level, wanted) in ["trailing", "indent", "unicode"].iter().zip(levels) {
            let status = repo.run(&["check", &format!("--fuzz={level}")], &answer).status;
            assert_eq!(status == 0, *wanted == "yes", "{what} at {level}");
        }
    }
}
