//! `--base`: planned as on the tree that a response is about, and refused where that isn't what is there now.

use std::fs;

use assert_fs::prelude::*;

use super::support::{Repo, documents, run};
use super::{envelope, onto, repo, update};

/// Without drift a base changes nothing of what an apply does.
#[test]
fn where_nothing_changed_since_it_is_as_without() {
    for (what, response) in onto::changes() {
        for args in [&[][..], &["--index"], &["--cached"], &["--commit", "-m", "x"], &["--onto=HEAD"]] {
            let with = onto::base();
            let without = with.copied();
            let run = with.run(&[&["apply", "--base=HEAD"], args].concat(), &response);
            let bare = without.run(&[&["apply"], args].concat(), &response);
            assert_eq!((run.status, &run.stderr), (bare.status, &bare.stderr), "{what} {args:?}");
            assert_eq!(with.files(), without.files(), "{what} {args:?}");
            let seen = |repo: &Repo| [repo.git(&["ls-files", "-s"]), repo.git(&["status", "--porcelain"])];
            assert_eq!(seen(&with), seen(&without), "{what} {args:?}");
        }
    }
}

/// The lines are in the file once more since, earlier: without a base they are found in the wrong place.
fn doubled() -> Repo {
    let repo = Repo::with(&[("a.txt", "x\nreturn 1;\n}\n"), ("b.txt", "b\n")]);
    repo.child("a.txt").write_str("y\nreturn 1;\n}\nx\nreturn 1;\n}\n").unwrap();
    repo.git(&["commit", "-qam", "Say it earlier, too"]);
    repo
}

#[test]
fn a_file_that_changed_since_is_stale_and_it_is_said_how_and_by_whom() {
    let response = update("a.txt", "return 1;", "return 2;");
    for args in [
        &["apply"][..],
        &["apply", "--index"],
        &["apply", "--cached"],
        &["apply", "--commit"],
        &["apply", "--onto=HEAD"],
        &["check"],
        &["check", "--cached"],
        &["check", "--onto=HEAD"],
        &["diff"],
        &["convert", "--to=opx"],
    ] {
        let repo = doubled();
        let before = (repo.files(), repo.git(&["ls-files", "-s"]), repo.git(&["log", "--all", "--format=%h"]));
        let run = repo.run(&[args, &["--base=HEAD~1"]].concat(), &response).ended(1);
        let id = repo.git(&["rev-parse", "--short", "HEAD"]);
        assert!(run.stderr.starts_with("error[stale]: `a.txt` has changed since the base\n"), "{}", run.stderr);
        assert!(run.stderr.contains("note: it differs in lines 1 to 3\n"), "{}", run.stderr);
        let by = format!("note: changed by {} (Ann Author): Say it earlier, too\n", id.trim());
        assert!(run.stderr.contains(&by), "{}", run.stderr);
        assert!(run.stderr.ends_with("nothing was changed\n") && run.stdout.is_empty(), "{}", run.stderr);
        let after = (repo.files(), repo.git(&["ls-files", "-s"]), repo.git(&["log", "--all", "--format=%h"]));
        assert_eq!(after, before, "{args:?}");
    }
    let repo = doubled();
    let mut command = repo.command();
    let run = run(command.args(["apply", "--base=HEAD~1", "--feedback"]), response.as_bytes()).ended(1);
    assert!(run.stdout.contains("`a.txt` has changed since the base"), "{}", run.stdout);
    assert!(run.stdout.contains("y\nreturn 1;\n}\nx\n"), "{}", run.stdout);
    assert!(run.stdout.contains("make the change for what it is now"), "{}", run.stdout);
    // What hasn't changed is simply changed.
    repo.run(&["apply", "--base=HEAD~1"], update("b.txt", "b", "B")).succeeded();
    assert_eq!(repo.text("b.txt"), "B\n");
}

#[test]
fn lines_are_looked_for_in_the_base() {
    let repo = doubled();
    let run = repo.run(&["check", "--base=HEAD~1"], update("a.txt", "y", "z")).ended(1);
    assert!(run.stderr.starts_with("error[lines-not-found]"), "{}", run.stderr);
    let run = repo.run(&["check", "--base=HEAD~1"], update("c.txt", "y", "z")).ended(1);
    assert!(run.stderr.starts_with("error[file-missing]"), "{}", run.stderr);
}

#[test]
fn files_that_come_go_or_become_another_kind_are_stale() {
    let add = envelope("*** Add File: new.txt\n+x\n");
    let delete = envelope("*** Delete File: src/b.txt\n");
    for (scene, response, said) in [
        (
            (|repo| repo.child("new.txt").write_str("y\n").unwrap()) as fn(&Repo),
            &add,
            "`new.txt` has come since the base",
        ),
        (|repo| fs::create_dir(repo.child("new.txt")).unwrap(), &add, "`new.txt` has come since the base"),
        (|repo| fs::remove_file(repo.child("src/b.txt")).unwrap(), &delete, "`src/b.txt` is gone since the base"),
        (
            |repo| {
                fs::remove_dir_all(repo.child("src")).unwrap();
                repo.child("src").write_str("x\n").unwrap();
            },
            &delete,
            "`src/b.txt` is gone since the base",
        ),
        (|repo| repo.chmod("src/b.txt", 0o755), &delete, "`src/b.txt` has changed since the base"),
        (
            |repo| repo.child("src/b.txt").write_binary(b"\0\x01").unwrap(),
            &delete,
            "`src/b.txt` has changed since the base",
        ),
    ] {
        let repo = repo();
        scene(&repo);
        let before = repo.files();
        let run = repo.run(&["apply", "--base=HEAD"], response).ended(1);
        assert!(run.stderr.starts_with(&format!("error[stale]: {said}\n")), "{}", run.stderr);
        assert_eq!(repo.files(), before);
    }
    // All of them in one run.
    let repo = repo();
    repo.child("a.txt").write_str("zero\none\ntwo\nthree\n").unwrap();
    repo.child("src/b.txt").write_str("b\nmore\n").unwrap();
    let two = envelope(
        "*** Update File: a.txt\n@@\n-two\n+2\n*** Update File: src/b.txt\n@@\n-b\n+B\n*** Update File: src/c.txt\n@@\n-c\n+C\n",
    );
    let run = repo.run(&["check", "--base=HEAD", "--json"], two);
    let told = documents::document(&run);
    let stale: Vec<_> = told["errors"].as_array().unwrap().iter().map(|error| error["path"].clone()).collect();
    assert_eq!(
        (stale, documents::kinds(&told, "errors")),
        (vec!["a.txt".into(), "src/b.txt".into()], vec!["stale".to_owned(); 2])
    );
}

#[test]
fn what_a_checkout_converts_is_the_same_file() {
    let repo = repo();
    repo.child(".gitattributes").write_str("a.txt text eol=crlf\n").unwrap();
    repo.git(&["add", "."]);
    repo.git(&["commit", "-qm", "rules"]);
    fs::remove_file(repo.child("a.txt")).unwrap();
    repo.git(&["checkout", "-q", "a.txt"]);
    assert_eq!(repo.text("a.txt"), "one\r\ntwo\r\nthree\r\n");
    repo.run(&["apply", "--base=HEAD"], update("a.txt", "two", "2")).succeeded();
    assert_eq!(repo.text("a.txt"), "one\r\n2\r\nthree\r\n");
    let run = repo.run(&["apply", "--base=HEAD"], update("a.txt", "three", "3")).ended(1);
    assert!(run.stderr.contains("note: it differs in line 2\n"), "{}", run.stderr);
    let unmoded = super::repo();
    unmoded.git(&["config", "core.fileMode", "false"]);
    unmoded.chmod("a.txt", 0o755);
    unmoded.run(&["apply", "--base=HEAD"], update("a.txt", "two", "2")).succeeded();
}

#[test]
fn snapshots_are_bases_and_a_setting_names_one() {
    let repo = repo();
    repo.child("a.txt").write_str("one\ntwo and a half\n").unwrap();
    let base = repo.run(&["snapshot"], "").succeeded().stdout;
    repo.git(&["config", "llmpatch.base", base.trim()]);
    repo.run(&["check"], update("a.txt", "two and a half", "3")).succeeded();
    repo.child("a.txt").write_str("zero\none\ntwo and a half\n").unwrap();
    let run = repo.run(&["apply"], update("a.txt", "two and a half", "3")).ended(1);
    assert!(
        run.stderr.contains("note: it differs in line 1\n") && !run.stderr.contains("changed by"),
        "{}",
        run.stderr
    );
    repo.run(&["check", "--no-base"], update("a.txt", "two and a half", "3")).succeeded();
    let run = repo.run(&["check", "--base=HEAD"], update("a.txt", "two", "2")).ended(1);
    assert!(run.stderr.contains("`a.txt` has changed since the base"), "{}", run.stderr);
    repo.run(&["apply", "--no-base"], update("a.txt", "two and a half", "3")).succeeded();
    // Who needs no base isn't kept by one that is none.
    repo.git(&["config", "llmpatch.base", "--upload-pack=x"]);
    let run = repo.run(&["check"], update("a.txt", "3", "4")).ended(3);
    assert!(run.stderr.contains("`--upload-pack=x` names no commit here"), "{}", run.stderr);
    repo.run(&["undo"], "").succeeded();
}
