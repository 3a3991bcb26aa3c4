//! `apply --each`: one commit a response, compared with `git rebase` and `git am`.

use std::fs;

use assert_fs::prelude::*;

use super::support::{Repo, Run};
use super::{onto, update};

/// Two branches from one commit: `topic` with commits of all kinds, and `main`, which changed other
/// lines since.
fn fork() -> Repo {
    let repo = onto::base();
    let text = |from: usize| {
        (from..from + 40)
            .map(|line| format!("line {line}\n"))
            .collect::<String>()
    };
    repo.child("long.md").write_str(&text(0)).unwrap();
    repo.child("other.md").write_str(&text(100)).unwrap();
    repo.git(&["add", "."]);
    repo.commit("before the fork");
    repo.git(&["checkout", "-qb", "topic"]);
    let change = |path: &str, from: &str, to: &str| {
        let old = repo.text(path);
        assert!(old.contains(from), "{path} {from}");
        repo.child(path)
            .write_str(&old.replacen(from, to, 1))
            .unwrap();
    };
    let commit = |message: &str| {
        repo.git(&["add", "-A"]);
        repo.git(&[
            "commit",
            "-q",
            "--author=Bo <bo@example.com>",
            "-m",
            message,
        ]);
    };
    change("long.md", "line 20\n", "line twenty\n");
    commit("Change a line");
    change("long.md", "line twenty\n", "line twenty\nand one more\n");
    change("other.md", "line 100\n", "");
    commit("Change it again: .. /a and another\n\nWith a body.");
    repo.git(&["mv", "other.md", "moved.md"]);
    change("moved.md", "line 130\n", "LINE 130\n");
    commit("Move a file");
    repo.child("new/deep.md").write_str("new\n").unwrap();
    fs::remove_file(repo.child("src/c.txt")).unwrap();
    commit("Add and remove");
    change("new/deep.md", "new\n", "newer\n");
    commit("Change what is new");
    repo.git(&["checkout", "-q", "main"]);
    change("long.md", "line 2\n", "line two\n");
    change("src/b.txt", "b", "B");
    commit("Elsewhere");
    repo
}

fn trees(repo: &Repo, range: &str) -> String {
    repo.git(&["log", "--reverse", "--format=%T", range])
}

fn each(repo: &Repo, args: &[&str], responses: &str) -> Run {
    let paths: Vec<_> = responses.lines().collect();
    let base = [
        "apply",
        "--each",
        "--commit",
        "--onto=main",
        "--branch=ours",
    ];
    repo.run(&[&base, args, &paths[..]].concat(), "")
}

#[test]
fn trees_are_those_of_a_rebase() {
    for format in ["envelope", "opx", "blocks", "tool"] {
        let repo = fork();
        let shown = repo.run(&["show", "-o", "out", "--to", format, "main..topic"], "");
        if shown.status == 1 {
            // Some formats can't say a move.
            assert!(
                shown.stderr.contains("inexpressible") && ["blocks", "tool"].contains(&format),
                "{}",
                shown.stderr
            );
            continue;
        }
        let names = "out/0001-Change-a-line.txt\nout/0002-Change-it-again-.-a-and-another.txt\nout/0003-Move-a-file.txt\nout/0004-Add-and-remove.txt\nout/0005-Change-what-is-new.txt\n";
        assert_eq!(shown.succeeded().stdout.replace('\\', "/"), names);
        let before = (
            repo.git(&["status", "--porcelain"]),
            repo.git(&["rev-parse", "HEAD"]),
        );
        let run = each(&repo, &[], names).succeeded();
        assert_eq!(
            run.stdout,
            repo.git(&["log", "--reverse", "--format=%H", "main..ours"])
        );
        assert_eq!(
            (
                repo.git(&["status", "--porcelain"]),
                repo.git(&["rev-parse", "HEAD"])
            ),
            before
        );
        repo.git(&["branch", "theirs", "topic"]);
        fs::remove_dir_all(repo.child("out")).unwrap();
        repo.git(&["rebase", "-q", "main", "theirs"]);
        assert_eq!(
            trees(&repo, "main..ours"),
            trees(&repo, "main..theirs"),
            "{format}"
        );
        if format == "opx" {
            let subjects = ["main..ours", "main..theirs"]
                .map(|range| repo.git(&["log", "--format=%s", range]));
            assert_eq!(subjects[0], subjects[1]);
        }
    }
}

#[test]
fn mails_are_the_commits_of_git_am() {
    let repo = fork();
    let mails = repo.git(&["format-patch", "-o", "out", "main..topic"]);
    each(&repo, &[], &mails).succeeded();
    repo.git(&["checkout", "-qb", "theirs"]);
    let paths: Vec<_> = mails.lines().collect();
    repo.git(&[&["am", "-q"], &paths[..]].concat());
    let said = ["main..ours", "main..theirs"]
        .map(|range| repo.git(&["log", "--format=%T %an <%ae> %aI %B", range]));
    assert_eq!(said[0], said[1]);
}

/// A mailbox is as many commits as it has mails, with or without a letter before them.
#[test]
fn a_series_of_mails_is_the_commits_of_git_am() {
    for letter in [&[][..], &["--cover-letter"]] {
        let repo = fork();
        repo.git(&["checkout", "-q", "topic"]);
        repo.git(&["mv", "moved.md", "again.md"]);
        repo.git(&["commit", "-qm", "Only move", "--author=Bo <bo@example.com>"]);
        repo.child("empty").write_str("").unwrap();
        repo.git(&["add", "empty"]);
        repo.git(&[
            "commit",
            "-qm",
            "Only an empty file",
            "--author=Bo <bo@example.com>",
        ]);
        repo.git(&["checkout", "-q", "main"]);
        let series = |options: &[&str]| {
            let args = [&["format-patch", "--stdout"], options, &["main..topic"]].concat();
            repo.git(&args)
        };
        let mails = series(letter);
        let run = repo.run(&["apply", "--commit"], &mails).ended(2);
        let said = "`<stdin>` is a series of mails, each a commit of its own";
        assert!(run.stderr.contains(said), "{}", run.stderr);
        repo.git(&["branch", "theirs"]);
        repo.run(&["apply", "--commit", "--each"], &mails)
            .succeeded();
        repo.git(&["checkout", "-q", "-b", "ours"]);
        repo.git(&["checkout", "-q", "theirs"]);
        repo.git_with_input(&["am", "-q"], series(&[]).as_bytes());
        let said =
            ["ours", "theirs"].map(|head| repo.git(&["log", "--format=%T %an <%ae> %aI %B", head]));
        assert_eq!(said[0], said[1]);
    }
}

#[test]
fn one_that_is_refused_refuses_all() {
    let repo = fork();
    repo.child("1.txt")
        .write_str(&update("src/b.txt", "B", "x"))
        .unwrap();
    repo.child("2.txt")
        .write_str(&update("src/b.txt", "x", "y"))
        .unwrap();
    repo.child("3.txt")
        .write_str(&update("src/b.txt", "x", "z"))
        .unwrap();
    let run = each(&repo, &[], "1.txt\n2.txt\n3.txt").ended(1);
    assert!(
        run.stderr.contains("--> 3.txt:4:1") && run.stdout.is_empty(),
        "{}",
        run.stderr
    );
    assert_eq!(repo.git(&["branch", "--list", "ours"]), "");
    let run = each(&repo, &["--json"], "1.txt\n2.txt").succeeded();
    let document: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(document["commits"].as_array().unwrap().len(), 2);
    assert_eq!(document["commits"][1], document["commit"]);
    assert_eq!(repo.git(&["rev-parse", "ours"]).trim(), document["commit"]);
    assert_eq!(repo.git(&["show", "ours:src/b.txt"]), "y\n");
    // The branch is ahead of main now.
    let run = each(&repo, &[], "1.txt").ended(1);
    assert!(run.stderr.starts_with("error[stale]"), "{}", run.stderr);
    repo.run(&["apply", "--each", "1.txt"], "").ended(2);
    // Nothing to commit is no commit.
    let run = repo.run(
        &[
            "apply",
            "--each",
            "--commit",
            "--onto=ours",
            "--allow-empty",
            "--branch=none",
            "4.txt",
        ],
        "",
    );
    assert_eq!(run.status, 3);
    repo.child("4.txt")
        .write_str(&update("src/b.txt", "y", "y"))
        .unwrap();
    let run = repo.run(
        &[
            "apply",
            "--each",
            "--commit",
            "--onto=ours",
            "--allow-empty",
            "--branch=none",
            "4.txt",
        ],
        "",
    );
    assert_eq!(
        (
            run.succeeded().stdout.as_str(),
            repo.git(&["branch", "--list", "none"]).as_str()
        ),
        ("", "")
    );
}

/// Where the branch is checked out, it comes to the last of them with index and files, or nothing
/// happens.
#[test]
fn the_branch_that_is_checked_out_comes_along() {
    for format in ["envelope", "opx"] {
        let repo = fork();
        let shown = repo
            .run(&["show", "-o", "../out", "--to", format, "main..topic"], "")
            .succeeded();
        let paths: Vec<_> = shown.stdout.lines().collect();
        repo.child("staged.txt").write_str("staged\n").unwrap();
        repo.git(&["add", "staged.txt"]);
        repo.child("a.txt").write_str("not staged\n").unwrap();
        let theirs = repo.copied();
        let before = repo.git(&["rev-parse", "HEAD"]);
        let run = repo
            .run(
                &[&["apply", "--each", "--commit", "--json"], &paths[..]].concat(),
                "",
            )
            .succeeded();
        let document: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
        let made: Vec<_> = document["commits"]
            .as_array()
            .unwrap()
            .iter()
            .map(|id| id.as_str().unwrap())
            .collect();
        let range = format!("{}..main", before.trim());
        assert_eq!(
            made.join("\n") + "\n",
            repo.git(&["log", "--reverse", "--format=%H", &range])
        );
        assert_eq!(document["commit"].as_str(), made.last().copied());
        assert!(
            repo.git(&["reflog", "-1", "main"])
                .contains("git-llmpatch: ")
        );
        theirs.git(&["stash", "-q", "--include-untracked"]);
        theirs.git(&["rebase", "-q", "main", "topic"]);
        assert_eq!(
            trees(&repo, &range),
            trees(&theirs, "main..topic"),
            "{format}"
        );
        assert_eq!(
            repo.git(&["status", "--porcelain"]),
            "A  staged.txt\n M a.txt\n"
                .replace("A  staged.txt\n M a.txt", " M a.txt\nA  staged.txt")
        );
        // Nothing but what was dirty before differs from the last of them.
        assert_eq!(
            repo.git(&["diff", "--name-only", "HEAD"]),
            "a.txt\nstaged.txt\n"
        );
        assert_eq!(repo.git(&["fsck", "--strict", "--no-dangling"]), "");
        let run = repo.run(&["undo"], "").succeeded();
        assert!(run.stdout.contains(" ago and commits "), "{}", run.stdout);
        assert_eq!(
            repo.git(&["status", "--porcelain"]),
            " M a.txt\nA  staged.txt\n"
        );
    }
    // One that is refused, and a file that isn't what HEAD has.
    let repo = fork();
    repo.child("1.txt")
        .write_str(&update("src/c.txt", "c", "x"))
        .unwrap();
    repo.child("2.txt")
        .write_str(&update("src/c.txt", "c", "y"))
        .unwrap();
    repo.child("3.txt")
        .write_str(&update("src/c.txt", "x", "y"))
        .unwrap();
    let before = (
        repo.files(),
        repo.git(&["rev-parse", "HEAD"]),
        repo.git(&["ls-files", "-s"]),
    );
    repo.run(&["apply", "--each", "--commit", "1.txt", "2.txt"], "")
        .ended(1);
    assert_eq!(
        (
            repo.files(),
            repo.git(&["rev-parse", "HEAD"]),
            repo.git(&["ls-files", "-s"])
        ),
        before
    );
    let script = "#!/bin/sh\ntest \"$1\" != prepared || exit 1\n";
    repo.script(".git/hooks/reference-transaction", script);
    repo.run(&["apply", "--each", "--commit", "1.txt", "3.txt"], "")
        .ended(3);
    assert_eq!(
        (
            repo.files(),
            repo.git(&["rev-parse", "HEAD"]),
            repo.git(&["ls-files", "-s"])
        ),
        before
    );
    fs::remove_file(repo.child(".git/hooks/reference-transaction")).unwrap();
    repo.run(&["apply", "--each", "--commit", "1.txt", "3.txt"], "")
        .succeeded();
    assert_eq!(
        repo.git(&["show", "HEAD:src/c.txt", "HEAD~1:src/c.txt"]),
        "y\nx\n"
    );
}
