use assert_fs::prelude::*;

use super::support::Repo;
use super::{envelope, repo, update};

#[test]
fn each_response_is_looked_at_by_itself_and_the_worst_decides() {
    let repo = repo();
    repo.child("good")
        .write_str(&update("a.txt", "two", "2"))
        .unwrap();
    repo.child("other")
        .write_str(&envelope(
            "*** Update File: a.txt\n@@\n-two\n+zwei\n*** Add File: n\n+n\n",
        ))
        .unwrap();
    repo.child("bad")
        .write_str(&update("a.txt", "four", "4"))
        .unwrap();
    let before = repo.files();
    for (args, status, stdout) in [
        (&["good"][..], 0, "good: ok, 1 file\n"),
        (
            &["good", "other"],
            0,
            "good: ok, 1 file\nother: ok, 2 files\n",
        ),
        (&["bad", "good"], 1, "good: ok, 1 file\n"),
        (&["none", "bad", "good"], 3, "good: ok, 1 file\n"),
        (&["-q", "good"], 0, ""),
    ] {
        let run = repo.run(&[&["check"], args].concat(), "").ended(status);
        assert_eq!(run.stdout, stdout, "{args:?}");
        assert_eq!(
            run.stderr.contains(" --> bad:4:"),
            args.contains(&"bad"),
            "{args:?} {}",
            run.stderr
        );
    }
    assert_eq!(repo.files(), before);
    let run = repo.run(&["check", "-v", "other"], "").succeeded();
    assert!(
        run.stdout
            .starts_with("other: ok, 2 files\n  M a.txt\n  A n\n  plan "),
        "{}",
        run.stdout
    );
    assert!(
        repo.run(&["check"], update("a.txt", "two", "2"))
            .succeeded()
            .stdout
            .starts_with("<stdin>: ok")
    );
}

#[test]
fn it_reads_the_work_tree_the_index_or_a_commit() {
    let repo = repo();
    repo.child("a.txt").write_str("index\n").unwrap();
    repo.git(&["add", "a.txt"]);
    repo.child("a.txt").write_str("work tree\n").unwrap();
    for (old, args) in [
        ("work tree", &[][..]),
        ("index", &["--cached"]),
        ("two", &["--onto=HEAD"]),
        ("two", &["--onto", "main"]),
    ] {
        for command in ["check", "diff"] {
            let args = [&[command], args].concat();
            repo.run(&args, update("a.txt", old, "new")).succeeded();
            repo.run(&args, update("a.txt", "none", "new")).ended(1);
        }
    }
    let run = repo.run(&["check", "--onto=nowhere"], "");
    assert!(
        run.status != 0 && run.stderr.starts_with("error["),
        "{}",
        run.stderr
    );
}

#[test]
fn corrections_that_cannot_be_wrong_are_one_line() {
    let repo = Repo::with(&[
        ("a.txt", "one\ntwo\nthree\nfour\nfive\n"),
        ("b.txt", "x\nx\n"),
    ]);
    let diff = "```diff\n--- a/a.txt\n+++ b/a.txt\n@@ -1,9 +1,9 @@\n one\n-two\n+2\n+2\n@@ -5,9 +5,7 @@\n-four\n+4\n```\n";
    let run = repo.run(&["check"], diff).succeeded();
    let want =
        "warning: corrected 2 hunk headers, whose meaning is clear; `-v` shows each [recounted]\n";
    assert_eq!(run.stderr, want);
    let run = repo.run(&["check", "-v"], diff).succeeded();
    assert_eq!(
        (
            run.stderr.matches("[recounted]").count(),
            run.stderr.matches("[hunk-moved]").count()
        ),
        (2, 1)
    );
    let run = repo.run(&["check", "--json"], diff).succeeded();
    assert_eq!(run.stdout.matches("\"kind\":\"recounted\"").count(), 2);
    // One alone is no more than that.
    let run = repo
        .run(
            &["check"],
            diff.replace("1,9 +1,9", "1,2 +1,3")
                .replace("5,9 +5,7", "4,2 +4"),
        )
        .succeeded();
    assert!(
        run.stderr
            .starts_with("warning: hunk 2 of `a.txt` claims 2 old"),
        "{}",
        run.stderr
    );
    // One that moved by more than the others add is told by itself.
    let far = diff.replace("1,9 +1,9", "3,9 +3,9");
    let run = repo.run(&["check"], far).succeeded();
    assert_eq!(run.stderr.matches("[hunk-moved]").count(), 1);
    assert!(run.stderr.contains("2 lines away from there"));
    // What could be wrong is told of each place.
    let twice = envelope(
        "*** Update File: b.txt\n@@\n-x\n+y\n*** Update File: b.txt\n@@\n-x\n+z\n*** Update File: a.txt\n@@ -1 +1 @@\n-one\n+1\n@@ -3 +3 @@\n-three\n+3\n",
    );
    let run = repo.run(&["check"], twice).succeeded();
    assert_eq!(
        run.stderr.matches("[duplicates]").count(),
        1,
        "{}",
        run.stderr
    );
}

#[test]
fn help_that_repeats_is_given_once() {
    let repo = Repo::with(&[
        ("a.txt", "one\ntwo\n"),
        ("b.txt", "one\n"),
        ("c.txt", "one\n"),
    ]);
    let chunks =
        ["a.txt", "b.txt", "c.txt"].map(|path| format!("*** Update File: {path}\n@@\n-onse\n+1\n"));
    let run = repo.run(&["check"], envelope(&chunks.concat())).ended(1);
    assert_eq!(
        run.stderr
            .matches("help: old lines must be in the file byte for byte")
            .count(),
        1,
        "{}",
        run.stderr
    );
    let run = repo
        .run(&["check", "--json"], envelope(&chunks.concat()))
        .ended(1);
    assert_eq!(
        run.stdout
            .matches("\"hint\":\"old lines must be in the file byte for byte")
            .count(),
        3,
        "{}",
        run.stdout
    );
}
