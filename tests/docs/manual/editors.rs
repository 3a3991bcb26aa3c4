//! What git-llmpatch-editors(7) says to type works in the editors: vim runs it, and Visual Studio
//! Code's task is run as a shell runs it.

use std::fs;
use std::process::Command as Program;

use assert_fs::prelude::*;

use super::{blocks, demonstration, directory};
use crate::support::{self, Repo, isolated};

fn shown(language: &str) -> Vec<String> {
    blocks(
        &fs::read_to_string(directory().join("git-llmpatch-editors.md")).unwrap(),
        language,
    )
}

/// Makes the demonstration's response one that is refused, and returns the line that is wrong.
fn refused(repo: &Repo) -> usize {
    let response = fs::read_to_string(repo.path().join("response.md")).unwrap();
    let wrong = response.replace("-    print(\"Hello \"", "-    print(\"Goodbye \"");
    repo.child("response.md").write_str(&wrong).unwrap();
    wrong
        .lines()
        .position(|line| line.contains("Goodbye"))
        .unwrap()
        + 1
}

/// Types commands in vim, which has the response open, and returns the text as it is afterwards;
/// nothing if there is no vim.
fn in_vim(repo: &Repo, typed: &str) -> Option<String> {
    let vim = ["vim", "vim.tiny"]
        .into_iter()
        .find(|vim| Program::new(vim).arg("--version").output().is_ok())?;
    let script = format!("{typed}:write! .git/text\n:quit!\n");
    repo.child(".git/typed").write_str(&script).unwrap();
    let mut command = isolated(Program::new(vim), repo.path());
    // Vim hands what it writes over by a file there, whose name it doesn't quote.
    command.env_remove("TMPDIR");
    command.env("PATH", support::path()).args([
        "-N",
        "-u",
        "NONE",
        "-es",
        "-S",
        ".git/typed",
        "response.md",
    ]);
    let run = support::run(&mut command, b"");
    Some(
        fs::read_to_string(repo.path().join(".git/text"))
            .unwrap_or_else(|_| panic!("{}{}", run.stdout, run.stderr)),
    )
}

#[test]
fn vim_applies_shows_and_jumps() {
    let [apply, diff, jump] = &shown("vim")[..] else {
        panic!("three blocks")
    };
    let repo = demonstration();
    let Some(text) = in_vim(&repo, apply) else {
        eprintln!("there is no vim here to type this in");
        return;
    };
    assert!(text.contains("*** Begin Patch"), "{text}");
    assert_eq!(
        repo.git(&["status", "--porcelain", "src"]),
        " M src/greet.py\n"
    );
    let repo = demonstration();
    let text = in_vim(&repo, diff).unwrap();
    assert!(
        text.starts_with("diff --git a/src/greet.py b/src/greet.py\n"),
        "{text}"
    );
    assert_eq!(repo.git(&["status", "--porcelain", "src"]), "");
    let repo = demonstration();
    let line = refused(&repo);
    let text = in_vim(
        &repo,
        &format!("{jump}:call setline(1, line('.') . ' ' . getqflist()[0].text)\n"),
    )
    .unwrap();
    assert!(
        text.starts_with(&format!("{line} hunk 1 of `src/greet.py` matches no lines")),
        "{text}"
    );
}

#[test]
fn the_tasks_of_visual_studio_code_run_and_their_problems_are_found() {
    let tasks: serde_json::Value = serde_json::from_str(&shown("json")[0]).unwrap();
    let run = |repo: &Repo, task: &serde_json::Value| {
        // The editor puts the file's name wherever it is asked for, whatever the name is.
        let file = repo.path().join("'\"$(>executed)`>executed`;response.md");
        fs::rename(repo.path().join("response.md"), &file).unwrap();
        let filled = |text: &serde_json::Value| {
            text.as_str()
                .unwrap()
                .replace("${file}", file.to_str().unwrap())
        };
        let mut shell = isolated(Program::new("bash"), repo.path());
        shell.env("PATH", support::path());
        for (name, value) in task["options"]["env"].as_object().into_iter().flatten() {
            shell.env(name, filled(value));
        }
        let said = support::run(shell.args(["-c", &filled(&task["command"])]), b"").stdout;
        assert!(!repo.path().join("executed").exists(), "{said}");
        fs::rename(file, repo.path().join("response.md")).unwrap();
        said
    };
    let [check, apply] = &tasks["tasks"].as_array().unwrap()[..] else {
        panic!("{tasks}")
    };
    let repo = demonstration();
    run(&repo, apply);
    assert_eq!(
        repo.git(&["status", "--porcelain", "src"]),
        " M src/greet.py\n"
    );
    let repo = demonstration();
    let line = refused(&repo);
    // The patterns mean the same to Python as to the editor.
    let matcher = "import json, re, sys\n\
        first, second = (re.compile(one['regexp']) for one in json.loads(sys.argv[1]))\n\
        said = sys.argv[2].splitlines()\n\
        for one, two in zip(said, said[1:]):\n\
        \x20   if first.match(one) and second.match(two): print(first.match(one)[2], *second.match(two).groups()[1:])\n";
    let patterns = check["problemMatcher"]["pattern"].to_string();
    let found = |repo: &Repo| {
        support::run(
            Program::new("python3").args(["-c", matcher, &patterns, &run(repo, check)]),
            b"",
        )
        .stdout
    };
    assert!(
        found(&repo).starts_with(&format!("lines-not-found {line} ")),
        "{}",
        found(&repo)
    );
    // A warning has its kind behind its text.
    let moved = "--- a/src/greet.py\n+++ b/src/greet.py\n@@ -9 +9 @@\n-def greet(name):\n+def greet(whom):\n";
    repo.child("response.md").write_str(moved).unwrap();
    assert!(found(&repo).starts_with("None 3 "), "{}", found(&repo));
}
