//! `apply --onto`: what comes of it is compared with `git apply --cached`, `git write-tree` and
//! `git commit-tree`.

use std::fs;
use std::path::Path;

use assert_fs::prelude::*;

use super::support::{Need, Repo, Run, documents, isolated, needs, run, some};
use super::{envelope, repo, update};

/// Changes of all kinds; what git is given is what `git llmpatch diff` prints of them.
pub(super) fn changes() -> Vec<(&'static str, String)> {
    vec![
        ("a line", update("a.txt", "two", "2")),
        ("a file that loses all lines", envelope("*** Update File: src/b.txt\n@@\n-b\n")),
        ("a new file", envelope("*** Add File: new/deep/er.txt\n+x\n")),
        ("a directory that goes", envelope("*** Delete File: src/b.txt\n*** Delete File: src/c.txt\n")),
        ("a file where a directory was", {
            envelope("*** Delete File: src/b.txt\n*** Delete File: src/c.txt\n*** Add File: src\n+file\n")
        }),
        ("a directory where a file was", envelope("*** Delete File: a.txt\n*** Add File: a.txt/b\n+x\n")),
        ("a rename", envelope("*** Update File: src/b.txt\n*** Move to: lib/b.txt\n@@\n-b\n+B\n")),
        ("a swap", "diff --git a/src/b.txt b/src/c.txt\nrename from src/b.txt\nrename to src/c.txt\ndiff --git a/src/c.txt b/src/b.txt\nrename from src/c.txt\nrename to src/b.txt\n".into()),
        ("a mode", "diff --git a/src/b.txt b/src/b.txt\nold mode 100644\nnew mode 100755\n".into()),
        ("names that are hard to sort", envelope("*** Add File: src.txt\n+x\n*** Add File: src-x/y\n+x\n*** Add File: src0\n+x\n")),
        ("line ends", envelope("*** Add File: crlf.txt\n+x\r\n*** Update File: old.txt\n@@\n-x\n+y\n")),
    ]
}

/// The repository that they are made of, with what is nobody's business beside it.
pub(super) fn base() -> Repo {
    let repo = repo();
    // Each apply makes a pack, and of more than fifty git would make one while they are read.
    repo.git(&["config", "maintenance.auto", "false"]);
    repo.child(".gitattributes")
        .write_str("*.txt text=auto eol=crlf\n")
        .unwrap();
    repo.child("old.txt").write_str("x\n").unwrap();
    repo.git(&["add", "."]);
    repo.stage("bin/run", "100755", "#!/bin/sh\n");
    repo.stage("bin/link", "120000", "a.txt");
    repo.git(&["checkout", "-q", "--", "bin"]);
    let commit = repo.git(&["rev-parse", "HEAD"]);
    repo.git(&[
        "update-index",
        "--add",
        "--cacheinfo",
        &format!("160000,{},module", commit.trim()),
    ]);
    repo.git(&["commit", "-qm", "more"]);
    repo
}

/// Returns the tree that git makes of a revision by a diff.
fn by_git(repo: &Repo, rev: &str, diff: &[u8]) -> String {
    let index = repo.path().with_extension("index");
    let git = |args: &[&str], input: &[u8]| {
        let mut command = isolated(std::process::Command::new("git"), repo.path());
        run(command.args(args).env("GIT_INDEX_FILE", &index), input)
            .succeeded()
            .stdout
    };
    git(&["read-tree", rev], b"");
    git(&["apply", "--cached", "-"], diff);
    let tree = git(&["write-tree"], b"");
    fs::remove_file(&index).unwrap();
    tree
}

fn is_sound(repo: &Repo) {
    // A module's commit is in another repository.
    let said = repo.git(&["fsck", "--strict", "--no-dangling"]);
    assert_eq!(said, "");
}

/// What a change in the object database alone leaves as it is.
fn seen(
    repo: &Repo,
) -> (
    impl PartialEq + std::fmt::Debug + use<>,
    Vec<u8>,
    String,
    Vec<String>,
) {
    let own = fs::read_dir(repo.child(".git"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut own: Vec<_> = own.collect();
    own.sort();
    (
        repo.files(),
        repo.read(".git/index"),
        // What keeps results from garbage collection is told of elsewhere.
        repo.git(&["for-each-ref", "refs/heads", "refs/tags"]),
        own,
    )
}

#[test]
fn trees_are_those_that_git_makes() {
    for (what, response) in changes() {
        let repo = base();
        let diff = repo
            .run(&["diff", "--onto=HEAD"], &response)
            .succeeded()
            .stdout;
        // Neither index nor work tree, nor what is left of an apply, has a say.
        repo.child("a.txt").write_str("other\n").unwrap();
        repo.child("src.txt").write_str("in the way\n").unwrap();
        repo.git(&["rm", "-q", "--cached", "src/b.txt"]);
        let before = seen(&repo);
        let run = repo
            .run(&["apply", "--onto=HEAD", "-q"], &response)
            .succeeded();
        assert_eq!(seen(&repo), before, "{what}");
        assert_eq!(
            run.stdout,
            by_git(&repo, "HEAD", diff.as_bytes()),
            "{what}: {}",
            run.stderr
        );
        is_sound(&repo);
        // Of a tree, and of a path in a commit.
        let tree = repo.git(&["rev-parse", "HEAD^{tree}"]);
        let again = repo
            .run(&["apply", "--onto", tree.trim()], &response)
            .succeeded();
        assert_eq!(again.stdout, run.stdout, "{what}");
    }
    let repo = base();
    let gone = envelope("*** Delete File: b.txt\n*** Delete File: c.txt\n");
    let empty = repo
        .run(&["apply", "--onto=HEAD:src"], gone)
        .succeeded()
        .stdout;
    assert_eq!(empty, "4b825dc642cb6eb9a060e54bf8d69288fbee4904\n");
}

#[test]
fn every_kind_of_repository_serves() {
    needs(Need::Shell);
    let origin = base();
    let url = format!("file://{}", origin.path().display());
    origin.git(&["config", "uploadpack.allowFilter", "true"]);
    origin.git(&["config", "uploadpack.allowAnySHA1InWant", "true"]);
    let response = update("src/b.txt", "b", "B");
    let diff = origin
        .run(&["diff", "--onto=HEAD"], &response)
        .succeeded()
        .stdout;
    for how in [
        &["clone", "-q", "--bare"][..],
        &["clone", "-q", "--bare", "--filter=blob:none"],
        &["clone", "-q", "--bare", "--filter=tree:0"],
        &["clone", "-q", "--sparse"],
        &["clone", "-q", "--bare", "--shared"],
    ] {
        let inner = Repo::empty();
        fs::remove_dir_all(inner.child(".git")).unwrap();
        inner.git(&[how, &[&url, "."]].concat());
        let run = inner.run(&["apply", "--onto=HEAD"], &response).succeeded();
        assert_eq!(
            run.stdout,
            by_git(&inner, "HEAD", diff.as_bytes()),
            "{how:?}"
        );
        let run = inner
            .run(
                &["apply", "--onto=HEAD", "--commit", "--branch=topic"],
                &response,
            )
            .succeeded();
        assert_eq!(inner.git(&["rev-parse", "topic"]), run.stdout, "{how:?}");
        assert_eq!(
            inner.git(&["rev-parse", "topic^"]),
            inner.git(&["rev-parse", "HEAD"]),
            "{how:?}"
        );
    }
    for format in ["--object-format=sha256", "--ref-format=reftable"] {
        let repo = Repo::empty();
        fs::remove_dir_all(repo.child(".git")).unwrap();
        let mut init = isolated(std::process::Command::new("git"), repo.path());
        let made = run(init.args(["init", "-q", "-b", "main", format]), b"");
        if made.status != 0 {
            continue;
        }
        repo.child("src/b.txt").write_str("b\n").unwrap();
        repo.git(&["add", "."]);
        repo.commit("base");
        let run = repo.run(&["apply", "--onto=HEAD"], &response).succeeded();
        assert_eq!(
            run.stdout,
            by_git(&repo, "HEAD", diff.as_bytes()),
            "{format}"
        );
        let run = repo
            .run(
                &["apply", "--onto=main", "--commit", "--branch=topic"],
                &response,
            )
            .succeeded();
        assert_eq!(repo.git(&["rev-parse", "topic"]), run.stdout, "{format}");
        repo.run(
            &["apply", "--onto=topic", "--commit", "--branch=topic"],
            update("src/b.txt", "B", "b"),
        )
        .succeeded();
        assert_eq!(
            repo.git(&["rev-parse", "topic~2"]),
            repo.git(&["rev-parse", "main"]),
            "{format}"
        );
        is_sound(&repo);
    }
}

/// Runs ours and git's with the same clock.
fn at_noon(repo: &Repo, mut command: std::process::Command, args: &[&str], input: &str) -> Run {
    let _ = repo;
    command
        .args(args)
        .env("GIT_AUTHOR_DATE", "2026-01-01T12:00:00+0100");
    run(
        command.env("GIT_COMMITTER_DATE", "2026-01-02T12:00:00 +0100"),
        input.as_bytes(),
    )
}

#[test]
fn commits_are_those_of_commit_tree_and_no_hook_runs() {
    let repo = base();
    for hook in [
        "pre-commit",
        "prepare-commit-msg",
        "commit-msg",
        "post-commit",
    ] {
        repo.script(&format!(".git/hooks/{hook}"), "#!/bin/sh\nexit 1\n");
    }
    let tree = repo
        .run(&["apply", "--onto=HEAD~1"], update("a.txt", "two", "2"))
        .succeeded()
        .stdout;
    let before = seen(&repo);
    let args = ["apply", "--onto=HEAD~1", "--commit", "-m", "Say 2"];
    let ours = at_noon(&repo, repo.command(), &args, &update("a.txt", "two", "2")).succeeded();
    assert_eq!(seen(&repo), before);
    let git = isolated(std::process::Command::new("git"), repo.path());
    let args = ["commit-tree", tree.trim(), "-p", "HEAD~1", "-m", "Say 2"];
    assert_eq!(
        at_noon(&repo, git, &args, "").succeeded().stdout,
        ours.stdout
    );
    is_sound(&repo);
}

#[test]
fn trailers_are_a_message_unless_none_is_added() {
    let repo = base();
    let args = "apply --onto=HEAD --commit --trailer=Why:not -m";
    let args: Vec<_> = args.split(' ').chain([""]).collect();
    let response = update("a.txt", "two", "2");
    let id = repo.run(&args, &response).succeeded().stdout;
    let said = repo.git(&["log", "-1", "--format=%B", id.trim()]);
    assert_eq!(said.trim_end(), "Why: not");
    repo.git(&["config", "trailer.ifMissing", "doNothing"]);
    let run = repo.run(&args, &response).ended(2);
    assert!(
        run.stderr.contains("the commit message is empty"),
        "{}",
        run.stderr
    );
}

/// Whatever `git commit` makes of the options, it is the same commit.
#[test]
fn commits_say_what_git_commit_makes_them_say() {
    let sign = "#!/bin/sh\ncat >/dev/null\nprintf 'signed by %s\\n' \"$*\"\necho '[GNUPG:] SIG_CREATED ' >&2\n";
    let tail =
        "Subject  \n\n\n# no comment\ntext\n\n\n\nmore  \n\nReviewed-by: A <a@example.org>\n";
    let committer = "x\n\nSigned-off-by: Carl Committer <carl@example.com>\n";
    let options = [
        &["-m", "one", "-m", "two\nlines"][..],
        &["-m", tail],
        &["-m", tail, "-s"],
        &["-m", committer, "-s"],
        &[
            "-m",
            "x",
            "-s",
            "--trailer",
            "Why: not",
            "--trailer=Why: not",
        ],
        &["-m", tail, "--trailer", "Why: not"],
        &["-m", "x", "--author", "Bo <bo@example.com>"],
        &[
            "-m",
            "x",
            "--author",
            "^ANN a",
            "--date",
            "2020-02-02T02:02:02Z",
        ],
        &["-m", "x", "--date", "@86400 +0330"],
        &["-m", "x", "--date", "Sat, 03 Feb 2001 04:05:06 +0000"],
        &["-m", "x", "--date", "3 Feb 2001 noon"],
        &["-m", "x", "-S"],
        &["-m", "x", "--gpg-sign=key"],
    ];
    let settings = [
        "core.bare=false",
        "commit.cleanup=verbatim",
        "commit.gpgSign=true",
        "i18n.commitEncoding=latin1",
        "trailer.ifMissing=doNothing",
    ];
    let all = options
        .into_iter()
        .flat_map(|args| settings.map(|setting| (args, setting)));
    for (args, setting) in some(all, 5) {
        let repo = base();
        repo.script("sign", sign);
        repo.git(&[
            "config",
            "gpg.program",
            &repo.child("sign").display().to_string(),
        ]);
        let (key, value) = setting.split_once('=').unwrap();
        repo.git(&["config", key, value]);
        let tree = repo
            .run(&["apply", "--onto=HEAD"], update("a.txt", "two", "2"))
            .succeeded()
            .stdout;
        let ours = [&["apply", "--onto=HEAD", "--commit"], args].concat();
        let ours = at_noon(&repo, repo.command(), &ours, &update("a.txt", "two", "2"))
            .succeeded()
            .stdout;
        repo.git(&["read-tree", tree.trim()]);
        let cleanup: &[&str] = if value == "verbatim" {
            &[]
        } else {
            &["--cleanup=whitespace"]
        };
        let git = isolated(std::process::Command::new("git"), repo.path());
        at_noon(&repo, git, &[&["commit", "-q"], cleanup, args].concat(), "").succeeded();
        let both = [ours.trim(), "HEAD"].map(|id| repo.git(&["cat-file", "commit", id]));
        assert_eq!(both[0], both[1], "{args:?} {setting}");
    }
    let repo = base();
    let mail = format!(
        "From 0123456789012345678901234567890123456789 Mon Sep 17 00:00:00 2001\nFrom: Eve <eve@example.org>\nDate: Sat, 3 Feb 2001 04:05:06 +0000\nSubject: [PATCH] Count\n\nIn digits.\n---\n{}--\n2.47.3\n",
        repo.run(&["diff", "--onto=HEAD"], update("a.txt", "two", "2"))
            .succeeded()
            .stdout
    );
    let id = repo
        .run(&["apply", "--onto=HEAD", "--commit"], mail)
        .succeeded()
        .stdout;
    let said = repo.git(&["log", "-1", "--format=%an %as %s|%b", id.trim()]);
    assert_eq!(said, "Eve 2001-02-03 Count|In digits.\n\n");
}

#[test]
fn a_branch_is_made_or_goes_forward_and_its_reflog_says_so() {
    let repo = base();
    let apply = |rev: &str, old: &str, new: &str| {
        repo.run(
            &[
                "apply",
                "--onto",
                rev,
                "--commit",
                "-m",
                new,
                "--branch=topic/x",
            ],
            update("a.txt", old, new),
        )
    };
    let first = apply("HEAD", "two", "2").succeeded().stdout;
    assert_eq!(repo.git(&["rev-parse", "topic/x"]), first);
    let second = apply("topic/x", "2", "II").succeeded().stdout;
    assert_eq!(
        repo.git(&["rev-parse", "topic/x", "topic/x~1"]),
        format!("{second}{first}")
    );
    // Forward over commits that it hadn't.
    repo.git(&["branch", "-f", "topic/x", "HEAD"]);
    let third = apply(second.trim(), "II", "zwei").succeeded().stdout;
    assert_eq!(repo.git(&["rev-parse", "topic/x"]), third);
    let log = repo.git(&["log", "-g", "--format=%gs", "topic/x"]);
    assert_eq!(
        log,
        "git-llmpatch: zwei\nbranch: Reset to HEAD\ngit-llmpatch: II\ngit-llmpatch: 2\n"
    );
    // What would lose commits, or leave files behind, is refused, and so is a look ahead.
    repo.git(&["worktree", "add", "-q", "-b", "side", "../side"]);
    for (args, said) in [
        (
            ["--onto=HEAD", "--branch=topic/x"],
            "error[stale]: the branch `topic/x` has commits that the new one isn't based on\n",
        ),
        (
            ["--onto=HEAD", "--branch=main"],
            "error[repository]: the branch `main` is checked out in `",
        ),
        (
            ["--onto=HEAD", "--branch=side"],
            "error[repository]: the branch `side` is checked out in `",
        ),
    ] {
        let before = seen(&repo);
        for more in [&[][..], &["--check"], &["--json"]] {
            let args = [&["apply", "--commit"], &args[..], more].concat();
            let run = repo.run(&args, update("a.txt", "two", "2"));
            if more == ["--json"] {
                assert_eq!(documents::document(&run)["state"], "nothing-changed");
            } else {
                assert!(run.stderr.contains(said), "{args:?} {}", run.stderr);
                // A check was to change nothing.
                let is_told = run.stderr.ends_with("nothing was changed\n");
                assert!(
                    is_told == more.is_empty() && run.stdout.is_empty(),
                    "{}",
                    run.stderr
                );
            }
            assert_ne!(run.status, 0);
        }
        assert_eq!(seen(&repo), before);
    }
    // So is one that is being rebased or bisected anywhere, also by another name.
    let side = repo.child("../side");
    let refused = |branch: &str, said: &str| {
        let branch = format!("--branch={branch}");
        let args = ["apply", "--onto=HEAD", "--commit", &branch];
        let run = repo.run(&args, update("a.txt", "two", "2")).ended(3);
        // git names a directory with slashes, on Windows too.
        let said = said.replace('\\', "/");
        assert!(run.stderr.contains(&said), "{branch}: {}", run.stderr);
    };
    repo.git(&["symbolic-ref", "refs/heads/alias", "refs/heads/main"]);
    refused("alias", "the branch `alias` is checked out in `");
    needs(Need::Shell);
    let there = |args: &[&str]| {
        let mut git = isolated(std::process::Command::new("git"), side.path());
        run(
            git.env("GIT_SEQUENCE_EDITOR", "echo break >").args(args),
            b"",
        );
    };
    there(&["commit", "-q", "--allow-empty", "-mx"]);
    there(&["rebase", "-q", "-i", "HEAD~1"]);
    refused(
        "side",
        "the branch `side` is being rebased or bisected in `",
    );
    there(&["rebase", "--abort"]);
    needs(Need::Scripts);
    there(&["bisect", "start"]);
    there(&["bisect", "bad"]);
    there(&["bisect", "good", "HEAD~1"]);
    there(&["checkout", "-q", "--detach"]);
    refused(
        "side",
        "the branch `side` is being rebased or bisected in `",
    );
    there(&["bisect", "reset"]);
    // In a bare repository HEAD's branch has no files.
    let bare = Repo::empty();
    fs::remove_dir_all(bare.child(".git")).unwrap();
    bare.git(&[
        "clone",
        "-q",
        "--bare",
        &repo.path().display().to_string(),
        ".",
    ]);
    let id = bare
        .run(
            &["apply", "--onto=main", "--commit", "--branch=main"],
            update("a.txt", "two", "2"),
        )
        .succeeded();
    assert_eq!(bare.git(&["rev-parse", "HEAD"]), id.stdout);
}

/// A branch that another program moves in the last moment stays where that put it.
#[test]
fn the_old_place_of_a_branch_is_checked_when_it_moves() {
    let repo = base();
    repo.git(&["branch", "topic", "HEAD~1"]);
    let hook = "#!/bin/sh\n[ \"$1\" = preparing ] || [ \"$1\" = prepared ] || exit 0\n[ -e .git/once ] && exit 0\n: >.git/once\nexit 1\n";
    repo.script(".git/hooks/reference-transaction", hook);
    // A hook that says no, and nothing else moved.
    let args = ["apply", "--onto=HEAD", "--commit", "--branch=topic"];
    let run = repo.run(&args, update("a.txt", "two", "2")).ended(3);
    assert!(
        run.stderr
            .starts_with("error[hook]: the reference-transaction hook refused"),
        "{}",
        run.stderr
    );
    fs::remove_file(repo.child(".git/hooks/reference-transaction")).unwrap();
    // The commit is signed after the branch was looked at, by who moves it.
    let here = repo.path().display();
    let sign = format!(
        "#!/bin/sh\ncat >/dev/null\ngit -C '{here}' branch -f topic HEAD\necho s\necho '[GNUPG:] SIG_CREATED ' >&2\n"
    );
    repo.script("sign", &sign);
    repo.git(&[
        "config",
        "gpg.program",
        &repo.child("sign").display().to_string(),
    ]);
    let run = repo
        .run(&[&args[..], &["-S"]].concat(), update("a.txt", "two", "2"))
        .ended(3);
    assert!(
        run.stderr
            .starts_with("error[locked]: the branch `topic` was moved by another program\n"),
        "{}",
        run.stderr
    );
    assert_eq!(
        repo.git(&["rev-parse", "topic"]),
        repo.git(&["rev-parse", "HEAD"])
    );
    is_sound(&repo);
}

#[test]
fn what_can_not_be_is_refused() {
    let repo = base();
    for (args, said) in [
        (
            &["--onto=HEAD^{tree}", "--commit"][..],
            "is a tree, and the parent of a commit must be a commit\n",
        ),
        (
            &["--onto=nowhere"],
            "error[usage]: `nowhere` names no commit here\n",
        ),
        (
            &["--onto=HEAD", "--commit", "--author=nobody"],
            "error[usage]: `nobody` isn't an author",
        ),
        (
            &["--onto=HEAD", "--commit", "-S"],
            "error[io]: git commit-tree: ",
        ),
    ] {
        repo.git(&["config", "gpg.program", "false"]);
        let before = seen(&repo);
        let run = repo
            .run(&[&["apply"], args].concat(), update("a.txt", "two", "2"))
            .ended(if args.contains(&"-S") { 3 } else { 2 });
        assert!(run.stderr.contains(said), "{args:?} {}", run.stderr);
        assert!(
            run.stderr.ends_with("nothing was changed\n") && run.stdout.is_empty(),
            "{}",
            run.stderr
        );
        assert_eq!(seen(&repo), before);
    }
    let run = repo
        .run(&["apply", "--onto=HEAD"], update("bin/link", "a.txt", "b"))
        .ended(1);
    assert!(
        run.stderr.contains("`bin/link` is a symbolic link"),
        "{}",
        run.stderr
    );
    let run = repo
        .run(&["apply", "--onto=HEAD"], update("a.txt", "zwei", "2"))
        .ended(1);
    assert!(
        run.stderr.contains("error[lines-not-found]"),
        "{}",
        run.stderr
    );
    for (args, said) in [
        (&["--onto=HEAD", "--cached"][..], "--cached"),
        (&["--onto=HEAD", "--index"], "--index"),
        (&["--onto=HEAD", "--commit", "--edit"], "--edit"),
        (&["--onto=HEAD", "--diff", "--apply"], "--apply"),
        (&["--onto=HEAD", "--branch=x"], "--commit"),
        (&["--commit", "--branch=x"], "--onto"),
        (&["--onto=HEAD", "--commit", "--branch=-x"], "'-x'"),
        (&["--onto=HEAD", "--commit", "--branch=a..b"], "'a..b'"),
        (&["--onto=HEAD", "--commit", "--branch=HEAD"], "'HEAD'"),
    ] {
        let run = repo
            .run(&[&["apply"], args].concat(), update("a.txt", "two", "2"))
            .ended(2);
        assert!(run.stderr.contains(said), "{args:?} {}", run.stderr);
    }
}

#[test]
fn programs_are_told_tree_and_commit_and_nothing_is_made_of_nothing() {
    let repo = base();
    let run = repo
        .run(
            &["apply", "--onto=HEAD", "--json"],
            update("a.txt", "two", "2"),
        )
        .succeeded();
    let told = documents::document(&run);
    let tree = repo
        .run(&["apply", "--onto=HEAD"], update("a.txt", "two", "2"))
        .succeeded()
        .stdout;
    assert_eq!(
        (&told["status"], &told["state"], &told["commit"]),
        (&"applied".into(), &"changed".into(), &().into())
    );
    assert_eq!(told["tree"], tree.trim());
    let run = repo
        .run(
            &["apply", "--onto=HEAD", "--commit", "--json"],
            update("a.txt", "two", "2"),
        )
        .succeeded();
    let told = documents::document(&run);
    assert_eq!(told["tree"], tree.trim());
    assert_eq!(
        repo.git(&[
            "rev-parse",
            &format!("{}^{{tree}}", told["commit"].as_str().unwrap())
        ]),
        tree
    );
    let same = update("a.txt", "two", "two");
    let run = repo
        .run(
            &[
                "apply",
                "--onto=HEAD",
                "--commit",
                "--branch=x",
                "--allow-empty",
            ],
            &same,
        )
        .succeeded();
    assert_eq!(run.stdout, "");
    assert!(
        run.stderr
            .contains("warning: nothing changes, so no commit is made"),
        "{}",
        run.stderr
    );
    assert!(!Path::new(&repo.child(".git/refs/heads/x").display().to_string()).exists());
    let diff = repo
        .run(
            &["apply", "--onto=HEAD", "--diff", "-q"],
            update("a.txt", "two", "2"),
        )
        .succeeded()
        .stdout;
    assert_eq!(
        diff,
        repo.run(&["diff", "--onto=HEAD"], update("a.txt", "two", "2"))
            .succeeded()
            .stdout
    );
}

/// What keeps git from moving a branch, or from keeping a snapshot, is told as what it is.
#[test]
fn what_keeps_a_reference_from_changing_is_named() {
    let response = update("a.txt", "two", "2");
    let branch = |repo: &Repo, name: &str| {
        let named = format!("--branch={name}");
        let args = ["apply", "--onto=HEAD", "--commit", "-m", "x", &named];
        repo.run(&args, &response).ended(3).stderr
    };
    let repo = repo();
    repo.git(&["branch", "d/e"]);
    for (name, other) in [("d", "d/e"), ("d/e/f", "d/e")] {
        let said = branch(&repo, name);
        let headline = format!(
            "error[repository]: there can't be both `refs/heads/{name}` and `refs/heads/{other}`\n"
        );
        assert!(
            said.starts_with(&headline) && said.contains("help: name another branch"),
            "{said}"
        );
    }
    let lock = ".git/refs/heads/zz.lock";
    repo.child(lock).write_str("").unwrap();
    let said = branch(&repo, "zz");
    assert!(
        said.starts_with("error[locked]: `")
            && said.contains("refs/heads/zz.lock` is held by another program")
            && said.contains("help: wait until no git command runs"),
        "{said}"
    );
    repo.remove(lock);
    needs(Need::Shell);
    repo.script(
        ".git/hooks/reference-transaction",
        "#!/bin/sh\necho not today >&2\nexit 1\n",
    );
    let snapshot = repo.run(&["snapshot"], "").ended(3).stderr;
    for said in [branch(&repo, "zz"), snapshot] {
        assert!(
            said.starts_with(
                "error[hook]: the reference-transaction hook refused to change `refs/"
            ) && said.contains("note: not today\n")
                && !said.contains("\\n"),
            "{said}"
        );
    }
}
