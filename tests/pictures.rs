//! The README's pictures are what a terminal shows.
//!
//! `SNAPSHOTS=overwrite cargo test --test pictures` draws them anew, into `.github/pictures`.

#![allow(clippy::unwrap_used, reason = "a test that can't go on has failed")]

mod support;
#[path = "support/terminal.rs"]
mod terminal;

use std::fs;
use std::path::Path;
use std::process::Command;

use anstyle_svg::{Term, WIN10_CONSOLE};
use support::Repo;
use terminal::Terminal;

fn here(path: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// Makes a repository with the demonstration's program and the answer about it.
fn todo() -> (Repo, String) {
    let read = |name: &str| fs::read_to_string(here("tests/demo").join(name)).unwrap();
    let repo = Repo::with(&[("todo.py", &read("todo.py"))]);
    (repo, read("answer.md").replace("tests/demo/", ""))
}

/// Types commands at a shell, with what is typed at their questions, and compares what is seen with a picture.
fn draw(name: &str, repo: &Repo, commands: &[&str], answers: &[(&str, &str)]) {
    let bin = Path::new(support::program()).parent().unwrap();
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
    let typed: String = commands
        .iter()
        .map(|typed| format!("printf '\\033[32m$\\033[m \\033[1m%s\\033[m\\n' '{typed}'; {typed}\n"))
        .collect();
    let mut shell = support::isolated(Command::new("bash"), repo.path());
    shell.env("PATH", path).env("TERM", "xterm").env("GIT_PAGER", "cat");
    shell.env_remove("NO_COLOR").args(["-c", &typed]);
    let mut terminal = Terminal::start(&shell);
    for (question, answer) in answers {
        terminal.wait_for(question);
        terminal.send(answer);
    }
    terminal.end();
    let shown = terminal.shown().replace("\r\n", "\n");
    let picture = Term::new().palette(WIN10_CONSOLE).min_width_px(840).render_svg(shown.trim_end());
    let file = here(".github/pictures").join(name);
    if std::env::var_os("SNAPSHOTS").is_some_and(|action| action == "overwrite") {
        fs::write(&file, &picture).unwrap();
    }
    let drawn = fs::read_to_string(&file).unwrap_or_default();
    assert_eq!(drawn, picture, "{name} is stale: SNAPSHOTS=overwrite cargo test --test pictures");
}

#[test]
fn an_apply() {
    let (repo, answer) = todo();
    repo.write("answer.md", answer);
    draw("apply.svg", &repo, &["git llmpatch apply answer.md", "git diff --stat"], &[]);
}

#[test]
fn a_refusal() {
    let (repo, answer) = todo();
    repo.write("answer.md", answer.replace("-        print(item)", "-        print( item )"));
    draw("refusal.svg", &repo, &["git llmpatch apply answer.md", "git status --short --untracked-files=no"], &[]);
}

#[test]
fn a_review() {
    let repo = Repo::with(&[("greet.py", "def greet(name):\n    print(\"Hello \" + name)\n")]);
    let answer = "*** Begin Patch\n*** Update File: greet.py\n@@ def greet(name):\n-    print(\"Hello \" + name)\n\
        +    print(f\"Hello, {name}!\")\n*** Add File: NOTES.md\n+# Notes\n+I made the greeting friendlier.\n*** End Patch\n";
    repo.write("answer.md", answer);
    let answers = [("]? ", "f\n"), ("(1/2)", ""), ("]? ", "n\n"), ("(2/2)", ""), ("]? ", "y\n")];
    draw("review.svg", &repo, &["git llmpatch apply -i answer.md"], &answers);
    assert_eq!(repo.git(&["status", "--porcelain"]), " M greet.py\n?? answer.md\n");
}
