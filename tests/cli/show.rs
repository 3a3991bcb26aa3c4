use assert_fs::prelude::*;

use super::repo;
use super::support::{self, Repo, isolated, program, run, symlink};

/// A repository with a commit of every kind of change that both formats can say.
fn history() -> Repo {
    let many: String = (0..40).map(|line| format!("line {line}\n")).collect();
    let repo = Repo::with(&[
        ("a.txt", "one\ntwo\nthree\n"),
        ("old.txt", &many),
        ("gone.txt", "x\n"),
        ("sub", "file\n"),
    ]);
    repo.child("a.txt").write_str("one\n2\nthree\n").unwrap();
    repo.git(&["mv", "old.txt", "new.txt"]);
    repo.child("new.txt")
        .write_str(&many.replace("line 7\n", "line seven\n"))
        .unwrap();
    repo.git(&["rm", "-q", "gone.txt", "sub"]);
    repo.child("sub/file.txt")
        .write_str("\n*** End Patch\n\n")
        .unwrap();
    repo.commit("Count in digits\n\nAnd more:\n*** Begin Patch\n</edit>\n");
    repo
}

#[test]
fn a_commit_applied_to_its_parent_is_the_commit() {
    for to in ["envelope", "opx"] {
        let repo = history();
        let run = repo
            .run(&["show", &format!("--to={to}"), "HEAD"], "")
            .succeeded();
        // Which is the one that is meant without a name, as for git.
        assert_eq!(
            repo.run(&["show", &format!("--to={to}")], "")
                .succeeded()
                .stdout,
            run.stdout
        );
        assert_eq!(run.stderr, "", "{to}");
        assert_eq!(
            run.stdout.matches("old.txt").count(),
            1,
            "a rename is one: {}",
            run.stdout
        );
        let tree = repo.git(&["rev-parse", "HEAD^{tree}"]);
        repo.git(&["reset", "-q", "--hard", "HEAD^"]);
        repo.run(&["apply", "--commit"], &run.stdout).succeeded();
        assert_eq!(repo.git(&["rev-parse", "HEAD^{tree}"]), tree, "{to}");
        if to == "opx" {
            assert_eq!(repo.git(&["log", "-1", "--format=%s"]), "Count in digits\n");
        } else {
            assert!(
                run.stdout
                    .starts_with("Count in digits\n\nAnd more:\n| *** Begin Patch\n"),
                "{}",
                run.stdout
            );
        }
    }
}

#[test]
fn a_range_is_written_the_oldest_first_and_comes_to_its_sum() {
    for to in ["--to=envelope", "--to=opx"] {
        let repo = history();
        repo.git(&["commit", "-q", "--allow-empty", "-m", "Nothing"]);
        repo.child("a.txt").write_str("one\n2\n3\n").unwrap();
        repo.commit("Count on");
        let run = repo.run(&["show", to, "HEAD~3..HEAD"], "").succeeded();
        let places: Vec<_> = ["HEAD~2", "HEAD"]
            .iter()
            .map(|rev| {
                run.stdout
                    .find(&format!("commit {}", repo.git(&["rev-parse", rev])))
                    .unwrap()
            })
            .collect();
        assert!(places.is_sorted());
        assert!(
            run.stderr.contains("changes no file, and is left out"),
            "{}",
            run.stderr
        );
        let tree = repo.git(&["rev-parse", "HEAD^{tree}"]);
        repo.git(&["reset", "-q", "--hard", "HEAD~3"]);
        repo.run(&["apply", "--index"], &run.stdout).succeeded();
        assert_eq!(repo.git(&["write-tree"]), tree);
    }
}

#[test]
fn a_root_commit_is_written_and_an_empty_one_is_not() {
    let repo = Repo::with(&[("a.txt", "one\n")]);
    let run = repo.run(&["show", "--to=envelope", "HEAD"], "").succeeded();
    assert_eq!(
        run.stdout,
        "base\n\n*** Begin Patch\n*** Add File: a.txt\n+one\n*** End Patch\n"
    );
    repo.git(&["commit", "-q", "--allow-empty", "-m", "Nothing"]);
    let run = repo.run(&["show", "--to=envelope", "HEAD"], "").ended(1);
    assert_eq!(
        run.stderr,
        "error[inexpressible]: `HEAD` changes no file, so there is nothing to write\n"
    );
}

#[test]
fn a_merge_is_refused_unless_the_first_parent_is_asked_for() {
    let repo = Repo::with(&[("a.txt", "one\n")]);
    repo.git(&["checkout", "-qb", "side"]);
    repo.child("b.txt").write_str("b\n").unwrap();
    repo.commit("side");
    repo.git(&["checkout", "-q", "main"]);
    repo.child("c.txt").write_str("c\n").unwrap();
    repo.commit("main");
    repo.git(&["merge", "-q", "--no-edit", "side"]);
    for named in ["HEAD", "HEAD~2..HEAD"] {
        let run = repo.run(&["show", "--to=opx", named], "").ended(1);
        assert!(
            run.stderr.contains("is a merge") && run.stderr.contains("--first-parent"),
            "{}",
            run.stderr
        );
        assert_eq!(run.stdout, "");
    }
    let run = repo
        .run(&["show", "--to=opx", "--first-parent", "HEAD"], "")
        .succeeded();
    assert!(
        run.stdout.contains("b.txt") && !run.stdout.contains("c.txt"),
        "{}",
        run.stdout
    );
}

#[test]
fn what_cannot_be_said_is_told_of_every_file() {
    let repo = Repo::with(&[
        ("a.sh", "one\n"),
        ("b.bin", "x\n"),
        ("c.txt", "c\n"),
        ("fine.txt", "one\n"),
    ]);
    repo.child("fence.txt")
        .write_str("```\ncode\n```\n")
        .unwrap();
    repo.chmod("a.sh", 0o755);
    repo.child("b.bin").write_binary(b"a\0b\n").unwrap();
    repo.child("c.txt").write_str("c").unwrap();
    repo.script("new.sh", "new\n");
    symlink("c.txt", repo.child("link"));
    repo.child("fine.txt").write_str("1\n").unwrap();
    repo.commit("odd");
    for (to, says) in [
        ("envelope", "an envelope"),
        ("opx", "OPX"),
        ("blocks", "search/replace blocks"),
        ("tool", "tool calls"),
    ] {
        let run = repo
            .run(&["show", &format!("--to={to}"), "HEAD"], "")
            .ended(1);
        assert_eq!(run.stdout, "");
        let lines: String = [
            ("a.sh", "its executable bit changes"),
            ("b.bin", "it is binary"),
            ("c.txt", "it ends without a newline"),
            (
                "fence.txt",
                "all of it is in a Markdown fence, which would be taken for one around the file",
            ),
            ("link", "it is a symbolic link"),
            ("new.sh", "it is new and executable"),
        ]
        .iter()
        .filter(|(path, _)| to != "tool" || *path != "c.txt")
        .map(|(path, why)| {
            format!("error[inexpressible]: {says} can't express this change of `{path}`: {why}\n")
        })
        .collect();
        let count = lines.lines().count();
        assert_eq!(
            run.stderr,
            format!(
                "{lines}help: `git format-patch` and `git show` can express everything that git can\n{count} errors\n"
            )
        );
    }
}

#[test]
fn no_such_commit_is_not_the_response_s_fault() {
    let run = Repo::with(&[("a.txt", "one\n")])
        .run(&["show", "--to=opx", "nowhere"], "")
        .ended(2);
    assert!(
        run.stderr.contains("`nowhere` names no commit here"),
        "{}",
        run.stderr
    );
}

#[test]
fn a_mode_that_git_no_longer_writes_is_read_as_the_one_that_it_means() {
    for (mode, to) in [("100600", "opx"), ("100664", "opx"), ("100775", "envelope")] {
        let repo = Repo::with(&[("a", "one\n")]);
        repo.child("b").write_str("two\n").unwrap();
        let blob = repo.git(&["hash-object", "-w", "b"]);
        let id: Vec<u8> = (0..20)
            .map(|at| u8::from_str_radix(&blob[2 * at..2 * at + 2], 16).unwrap())
            .collect();
        let tree = [mode.as_bytes(), b" a\0", &id[..]].concat();
        let tree = repo.git_with_input(
            &["hash-object", "-t", "tree", "-w", "--stdin", "--literally"],
            &tree,
        );
        let commit = repo.git(&["commit-tree", "-p", "HEAD", "-m", "odd", tree.trim()]);
        let run = repo.run(&["show", &format!("--to={to}"), commit.trim()], "");
        match mode {
            "100775" => assert!(run.ended(1).stderr.contains("executable"), "{mode}"),
            _ => assert!(run.succeeded().stdout.contains("two"), "{mode}"),
        }
    }
}

/// The note is about the files that are named, and about no warning.
#[test]
fn that_messages_are_lost_is_said_last() {
    let repo = repo();
    for (name, message) in [("new.txt", "one"), ("", "empty"), ("newer.txt", "two")] {
        match name {
            "" => drop(repo.git(&["commit", "-q", "--allow-empty", "-m", message])),
            name => {
                repo.child(name).write_str("new\n").unwrap();
                repo.commit(message);
            }
        }
    }
    let mut shell = isolated(support::unix("sh"), repo.path());
    let line = "\"$0\" show -o ../out HEAD~3..HEAD 2>&1";
    let run = run(shell.args(["-c", line, program()]), b"").succeeded();
    let firsts: Vec<_> = run
        .stdout
        .lines()
        .map(|line| line[..7].to_owned())
        .collect();
    assert_eq!(
        firsts,
        ["../out/", "../out/", "warning", "note: t"],
        "{}",
        run.stdout
    );
}
