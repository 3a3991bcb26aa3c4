//! A change that an apply has made in the work tree is staged or committed by the same response
//! afterwards, and only if it is exactly there.

use crate::support::{Repo, Run};

const RESPONSE: &str = "*** Begin Patch\n*** Update File: a.txt\n one\n+1.5\n*** Update File: old.txt\n*** Move to: new.txt\n-x\n+y\n*** Delete File: gone.txt\n*** Add File: dir/added.txt\n+new\n*** End Patch\n";

fn repo() -> Repo {
    Repo::with(&[
        ("a.txt", "one\ntwo\n"),
        ("old.txt", "x\n"),
        ("gone.txt", "gone\n"),
        ("other.txt", "other\n"),
    ])
}

/// Demands that the last commit holds the change and the index follows.
fn is_committed(repo: &Repo) {
    assert_eq!(repo.git(&["status", "--porcelain"]), "");
    let files = repo.git(&["show", "--name-status", "--no-renames", "--format="]);
    assert_eq!(
        files,
        "M\ta.txt\nA\tdir/added.txt\nD\tgone.txt\nA\tnew.txt\nD\told.txt\n"
    );
    assert_eq!(repo.git(&["show", "HEAD:a.txt"]), "one\n1.5\ntwo\n");
    assert_eq!(repo.git(&["rev-list", "--count", "HEAD"]), "2\n");
}

#[test]
fn what_was_applied_is_staged_and_committed() {
    for steps in [
        &["-q", "--index", "--commit"][..],
        &["-q", "--commit"],
        &["-N", "--index", "--commit"],
        &["-N", "--commit"],
        &["--index", "--commit"],
        &["--cached", "-q", "--commit"],
    ] {
        let repo = repo();
        for step in steps {
            let before = repo.files();
            if let "--index" | "--commit" = *step {
                repo.run(&["apply", "--check", step], RESPONSE).succeeded();
            }
            let run = repo.run(&["apply", step], RESPONSE);
            assert_eq!(run.status, 0, "{steps:?} {step}: {}", run.stderr);
            if step != &steps[0] && *step != "-q" {
                assert_eq!(repo.files(), before, "{steps:?} {step}");
            }
            if *step == "--index" {
                assert_eq!(
                    repo.git(&["diff", "--name-only"]),
                    "",
                    "{steps:?} {}",
                    run.stdout
                );
            }
        }
        is_committed(&repo);
    }
}

/// What somebody does in the repository.
type Edit = fn(&Repo);

#[test]
fn only_what_is_exactly_there_is_staged_or_committed() {
    let refused = |repo: &Repo, option: &str, why: &str| {
        let state = |repo: &Repo| {
            let staged = repo.git(&["ls-files", "-s"]);
            (repo.files(), staged, repo.git(&["rev-parse", "HEAD"]))
        };
        let before = state(repo);
        let run: Run = repo.run(&["apply", option], RESPONSE).ended(1);
        assert!(run.stderr.contains("nothing was changed"), "{why}");
        assert_eq!(state(repo), before, "{option} {why}");
    };
    let edits: [(&str, Edit); 6] = [
        ("a file has more", |repo| {
            std::fs::write(repo.child("a.txt"), "one\n1.5\ntwo\nthree\n").unwrap();
        }),
        ("a new file has less", |repo| {
            std::fs::write(repo.child("dir/added.txt"), "").unwrap();
        }),
        ("a file is back", |repo| {
            std::fs::write(repo.child("gone.txt"), "gone\n").unwrap();
        }),
        ("a new file is gone", |repo| repo.remove("new.txt")),
        ("something else is staged", |repo| {
            repo.stage("a.txt", "100644", "one\nTWO\n");
        }),
        ("a file may be executed", |repo| {
            repo.chmod("a.txt", 0o755);
        }),
    ];
    for (why, edit) in edits {
        for option in ["--index", "--commit"] {
            let repo = repo();
            repo.run(&["apply"], RESPONSE).succeeded();
            edit(&repo);
            refused(&repo, option, why);
        }
    }
    // What is committed is never committed again, and HEAD must be what the response is about.
    let repo = repo();
    repo.run(&["apply", "--commit"], RESPONSE).succeeded();
    for option in ["--index", "--commit"] {
        refused(&repo, option, "it is committed");
    }
}

#[test]
fn other_changes_are_left_alone() {
    let repo = repo();
    repo.stage("staged.txt", "100644", "staged\n");
    std::fs::write(repo.child("other.txt"), "mine\n").unwrap();
    repo.run(&["apply"], RESPONSE).succeeded();
    repo.run(&["apply", "--index"], RESPONSE).succeeded();
    repo.run(&["apply", "--commit"], RESPONSE).succeeded();
    assert_eq!(
        repo.git(&["status", "--porcelain"]),
        " M other.txt\nAD staged.txt\n"
    );
}

/// Files are compared as `git add` would store them.
#[test]
fn line_ends_are_as_git_add_stores_them() {
    for option in ["--index", "--commit"] {
        let repo = Repo::with(&[
            (".gitattributes", "*.txt text eol=crlf\n"),
            ("a.txt", "one\ntwo\n"),
        ]);
        repo.remove("a.txt");
        repo.git(&["checkout", "a.txt"]);
        let response = "*** Begin Patch\n*** Update File: a.txt\n-one\n+1\n*** Add File: n.txt\n+n\n*** End Patch\n";
        repo.run(&["apply"], response).succeeded();
        assert_eq!(repo.text("a.txt"), "1\r\ntwo\r\n");
        repo.run(&["apply", option], response).succeeded();
        assert_eq!(repo.git(&["cat-file", "-p", ":a.txt"]), "1\ntwo\n");
        assert_eq!(repo.git(&["diff", "--name-only"]), "");
        assert_eq!(repo.text("a.txt"), "1\r\ntwo\r\n");
    }
}

#[test]
fn hooks_have_their_say() {
    let repo = repo();
    repo.run(&["apply"], RESPONSE).succeeded();
    let before = (repo.files(), repo.git(&["ls-files", "-s"]));
    repo.script(".git/hooks/pre-commit", "#!/bin/sh\nexit 7\n");
    let run = repo.run(&["apply", "--commit"], RESPONSE).ended(3);
    assert!(run.stderr.contains("error[hook]"), "{}", run.stderr);
    assert_eq!((repo.files(), repo.git(&["ls-files", "-s"])), before);
    repo.script(
        ".git/hooks/pre-commit",
        "#!/bin/sh\ngit diff --cached --quiet -- other.txt && test $(git diff --cached --name-only | wc -l) = 5\n",
    );
    repo.run(&["apply", "--commit"], RESPONSE).succeeded();
    is_committed(&repo);
    // A hook that formats what is committed.
    let repo = self::repo();
    repo.run(&["apply"], RESPONSE).succeeded();
    repo.script(
        ".git/hooks/pre-commit",
        "#!/bin/sh\necho formatted >dir/added.txt; git add dir/added.txt\n",
    );
    let run = repo.run(&["apply", "--commit"], RESPONSE).succeeded();
    assert!(run.stderr.contains("[hook-changed]"), "{}", run.stderr);
    assert_eq!(repo.git(&["show", "HEAD:dir/added.txt"]), "formatted\n");
    assert_eq!(repo.git(&["status", "--porcelain"]), "");
}
