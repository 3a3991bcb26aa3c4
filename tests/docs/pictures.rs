//! The README's pictures are what a terminal shows.
//!
//! `SNAPSHOTS=overwrite cargo test --test docs pictures` draws them anew, into `.github/pictures`.

use std::fs;
use std::process::Command;

use anstyle_svg::{Palette, Term, WIN10_CONSOLE};
use assert_fs::prelude::*;

use crate::here;
use crate::support::{self, Repo};
use crate::terminal::Terminal;

/// Makes a repository with the demonstration's program and the answer about it.
fn todo() -> (Repo, String) {
    let read = |name: &str| fs::read_to_string(here("tests/demo").join(name)).unwrap();
    let repo = Repo::with(&[("todo.py", &read("todo.py"))]);
    (repo, read("response.md").replace("tests/demo/", ""))
}

/// Makes the dark colours that a black background swallows, red and blue, the bright ones.
fn readable(mut palette: Palette) -> Palette {
    for dark in [1, 4] {
        palette.0[dark] = palette.0[dark + 8];
    }
    palette
}

/// Types commands at a shell, with what is typed at their questions, and compares what is seen with
/// a picture.
fn draw(name: &str, repo: &Repo, commands: &[&str], answers: &[(&str, &str)]) {
    let typed: String = commands
        .iter()
        .map(|typed| {
            format!("printf '\\033[32m$\\033[m \\033[1m%s\\033[m\\n' '{typed}'; {typed}\n")
        })
        .collect();
    let mut shell = support::isolated(Command::new("bash"), repo.path());
    shell
        .env("PATH", support::path())
        .env("TERM", "xterm")
        .env("GIT_PAGER", "cat");
    shell.env_remove("NO_COLOR").args(["-c", &typed]);
    let mut terminal = Terminal::start(&shell);
    for (question, answer) in answers {
        terminal.wait_for(question);
        terminal.send(answer);
    }
    terminal.end();
    let shown = terminal.shown().replace("\r\n", "\n");
    let picture = Term::new()
        .palette(readable(WIN10_CONSOLE))
        .min_width_px(840)
        .render_svg(shown.trim_end());
    support::snapshot(picture, &here(".github/pictures").join(name));
}

#[test]
fn an_apply() {
    let (repo, answer) = todo();
    repo.child("response.md").write_str(&answer).unwrap();
    draw(
        "apply.svg",
        &repo,
        &["git llmpatch apply response.md", "git diff --stat"],
        &[],
    );
}

#[test]
fn a_refusal() {
    let (repo, answer) = todo();
    repo.child("response.md")
        .write_str(&answer.replace("-        print(item)", "-        print( item )"))
        .unwrap();
    draw(
        "refusal.svg",
        &repo,
        &[
            "git llmpatch apply response.md",
            "git status --short --untracked-files=no",
        ],
        &[],
    );
}

#[test]
fn a_review() {
    let repo = Repo::with(&[(
        "greet.py",
        "def greet(name):\n    print(\"Hello \" + name)\n",
    )]);
    let answer = "*** Begin Patch\n*** Update File: greet.py\n@@ def greet(name):\n-    print(\"Hello \" + name)\n\
        +    print(f\"Hello, {name}!\")\n*** Add File: NOTES.md\n+# Notes\n+I made the greeting friendlier.\n*** End Patch\n";
    repo.child("response.md").write_str(answer).unwrap();
    let answers = [
        ("]? ", "f\n"),
        ("(1/2)", ""),
        ("]? ", "n\n"),
        ("(2/2)", ""),
        ("]? ", "y\n"),
    ];
    draw(
        "review.svg",
        &repo,
        &["git llmpatch apply -i response.md"],
        &answers,
    );
    assert_eq!(
        repo.git(&["status", "--porcelain"]),
        " M greet.py\n?? response.md\n"
    );
}
