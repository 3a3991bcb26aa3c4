//! `--include`, `--exclude`, `--only`: which edits of a response are made.

use std::fs;

use assert_fs::prelude::*;

use super::repo;
use super::support::Repo;

const FILES: [&str; 6] = [
    "a.txt",
    "src/b.txt",
    "src/c.md",
    "src/deep/b.txt",
    "docs/a.txt",
    "Makefile",
];

/// Makes a repository with some files, and the diff that changes each.
fn scene() -> (Repo, String) {
    let repo = repo();
    for file in FILES {
        repo.child(file).write_str("old\n").unwrap();
    }
    repo.commit("files");
    for file in FILES {
        repo.child(file).write_str("new\n").unwrap();
    }
    let diff = repo.git(&["diff"]);
    repo.git(&["checkout", "-q", "."]);
    (repo, diff)
}

fn changed(repo: &Repo) -> String {
    repo.git(&["diff", "--name-only"])
}

/// What `git diff -- <pathspec>…` would show is what is made, and all else is named.
#[test]
fn pathspecs_choose_as_they_do_for_git() {
    for (options, pathspecs) in [
        (&["--include=src"][..], &["src"][..]),
        (&["--include=*.txt"], &["*.txt"]),
        (&["--include=src", "--include=a.txt"], &["src", "a.txt"]),
        (&["--exclude=src"], &[":!src"]),
        (
            &["--exclude=src/deep", "--exclude=*.md"],
            &[":!src/deep", ":!*.md"],
        ),
        (&["--include=src", "--exclude=*.md"], &["src", ":!*.md"]),
        (&["--include=:(glob)*.txt"], &[":(glob)*.txt"]),
        (&["--include=:!docs"], &[":!docs"]),
    ] {
        let (repo, diff) = scene();
        let run = repo
            .run(&[&["apply", "-q"], options].concat(), &diff)
            .succeeded();
        let made = changed(&repo);
        for file in FILES {
            repo.child(file).write_str("new\n").unwrap();
        }
        let want = [&["diff", "--name-only", "--"], pathspecs].concat();
        assert_eq!(made, repo.git(&want), "{options:?} {}", run.stderr);
    }
}

#[test]
fn what_is_left_out_is_named() {
    let (repo, diff) = scene();
    let run = repo
        .run(&["apply", "--exclude=src", "--exclude=Makefile"], &diff)
        .succeeded();
    let said =
        "warning: the edits of `Makefile`, `src/b.txt`, `src/c.md`, `src/deep/b.txt` are left out";
    assert!(run.stderr.starts_with(said), "{}", run.stderr);
    let run = repo.run(&["apply", "--include=none"], &diff).ended(1);
    assert!(run.stderr.contains("error[unchanged]"), "{}", run.stderr);
    repo.run(&["apply", "--include=none", "--allow-empty"], &diff)
        .succeeded();
    repo.run(&["apply", "--include="], &diff).ended(2);
    repo.run(&["apply", "--include=/a"], &diff).ended(2);
}

/// Plans and memories are outside of the work tree, and stop no session.
#[test]
fn an_absolute_path_is_compared_as_it_is_written() {
    let plan = "*** Begin Patch\n*** Add File: /home/me/plans/x.md\n+x\n*** Update File: a.txt\n@@\n-old\n+new\n*** End Patch\n";
    for (exclude, is_applied) in [
        ("/home/me/plans", true),
        ("/home/me/plans/", true),
        ("/home/me/plans/x.md", true),
        ("/home/me/pla", false),
        ("/home/me/plans/x", false),
    ] {
        let (repo, _) = scene();
        let option = format!("--exclude={exclude}");
        let run = repo.run(&["apply", &option], plan);
        assert_eq!(run.status == 0, is_applied, "{exclude} {}", run.stderr);
        assert_eq!(changed(&repo) == "a.txt\n", is_applied, "{exclude}");
    }
    let (repo, _) = scene();
    repo.run(&["apply", "--include=*"], plan).succeeded();
    assert_eq!(changed(&repo), "a.txt\n");
    assert!(!fs::exists("/home/me/plans/x.md").unwrap());
}

/// An edit that moves a file is made where both paths are chosen.
#[test]
fn a_move_has_two_paths() {
    let text = "*** Begin Patch\n*** Update File: a.txt\n*** Move to: src/a.txt\n@@\n-old\n+new\n*** End Patch\n";
    for (options, is_made) in [
        (&["--include=a.txt", "--include=src"][..], true),
        (&["--include=a.txt"], false),
        (&["--include=src"], false),
        (&["--exclude=src"], false),
        (&["--exclude=docs"], true),
    ] {
        let (repo, _) = scene();
        let run = repo.run(&[&["apply"], options].concat(), text);
        assert_eq!(run.status == 0, is_made, "{options:?} {}", run.stderr);
        assert_eq!(repo.child("src/a.txt").exists(), is_made, "{options:?}");
    }
}

/// Calls of a session and comments of a review are chosen by their ids.
#[test]
fn calls_and_comments_are_chosen_by_their_ids() {
    let call = |id: &str, path: &str| {
        format!(
            r#"{{"type":"tool_use","id":"{id}","name":"Edit","input":{{"file_path":"{path}","old_string":"old","new_string":"new"}}}}"#
        )
    };
    let calls = [call("a", "a.txt"), call("b", "src/b.txt")].join(",");
    let session = format!(r#"{{"role":"assistant","content":[{calls}]}}"#);
    let comment = |id: u32, path: &str| {
        format!(
            r#"{{"id":{id},"path":"{path}","line":1,"side":"RIGHT","diff_hunk":"@@ -0,0 +1 @@\n+old","body":"```suggestion\nnew\n```"}}"#
        )
    };
    let comments = format!("[{},{}]", comment(7, "a.txt"), comment(8, "docs/a.txt"));
    for (response, only, made) in [
        (&session, &["--only=b"][..], "src/b.txt\n"),
        (&session, &["--only=b", "--only=a"], "a.txt\nsrc/b.txt\n"),
        (&comments, &["--only=7"], "a.txt\n"),
        (&comments, &[], "a.txt\ndocs/a.txt\n"),
        (&session, &["--only=b", "--exclude=docs"], "src/b.txt\n"),
    ] {
        let (repo, _) = scene();
        let run = repo.run(&[&["apply"], only].concat(), response).succeeded();
        assert_eq!(changed(&repo), made, "{only:?}");
        let is_told = run.stderr.contains("[left-out]");
        assert_eq!(is_told, made.lines().count() < 2, "{}", run.stderr);
    }
    let (repo, diff) = scene();
    let run = repo.run(&["apply", "--only=c"], &session).ended(2);
    let said = "no call and no comment of the response has the id `c`";
    assert!(run.stderr.contains(said), "{}", run.stderr);
    let run = repo.run(&["apply", "--only=c"], &diff).ended(2);
    assert!(run.stderr.contains(said), "{}", run.stderr);
    let listed = repo.run(&["check", "-v"], &session).succeeded();
    assert!(
        listed.stderr.contains("call 2 (b) Edit src/b.txt"),
        "{}",
        listed.stderr
    );
    assert_eq!(changed(&repo), "");
}
