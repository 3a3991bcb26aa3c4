//! `snapshot`: compared with what `git add` and `git write-tree` make in a copy of the index.

use std::fs;
use std::process::{Child, Command, Stdio};

use assert_fs::prelude::*;

use super::support::{self, Repo, Run, isolated, run, system};
use super::{repo, update};

/// Returns the tree that git makes of the work tree.
fn by_git(repo: &Repo, how: &str) -> String {
    let index = repo.path().with_extension("index");
    // With its time, by which git tells which files it has to read.
    system::copy(&repo.child(".git/index"), &index);
    let git = |args: &[&str]| {
        let mut command = isolated(Command::new("git"), repo.path());
        run(command.args(args).env("GIT_INDEX_FILE", &index), b"")
            .succeeded()
            .stdout
    };
    git(&["add", how]);
    let tree = git(&["write-tree"]);
    let _ = fs::remove_file(&index);
    tree
}

fn references(repo: &Repo) -> Vec<String> {
    let listed = repo.git(&[
        "for-each-ref",
        "--format=%(refname) %(objectname)",
        "refs/llmpatch",
    ]);
    listed.lines().map(str::to_owned).collect()
}

/// What git sees, without writing down in the index that it has looked.
fn state(repo: &Repo) -> String {
    repo.git(&["--no-optional-locks", "status", "--porcelain"])
}

type Scene = fn(&Repo);

/// States of a work tree.
const SCENES: &[(&str, Scene)] = &[
    ("clean", |_| {}),
    ("changed, deleted, new and ignored files", |repo| {
        repo.child("a.txt").write_str("other\n").unwrap();
        fs::remove_file(repo.child("src/b.txt")).unwrap();
        repo.child("new/file").write_str("x\n").unwrap();
        repo.child(".gitignore").write_str("*.log\n").unwrap();
        repo.child("x.log").write_str("x\n").unwrap();
    }),
    ("staged, and changed again", |repo| {
        repo.child("a.txt").write_str("staged\n").unwrap();
        repo.child("new").write_str("staged\n").unwrap();
        repo.git(&["add", "a.txt", "new"]);
        repo.child("a.txt").write_str("other\n").unwrap();
        repo.git(&["rm", "-q", "--cached", "src/c.txt"]);
        repo.child("meant").write_str("x\n").unwrap();
        repo.git(&["add", "-N", "meant"]);
    }),
    ("a change of as many bytes in the same second", |repo| {
        repo.child("a.txt").write_str("ONE\ntwo\nthree\n").unwrap();
        repo.git(&["add", "a.txt"]);
        repo.child("a.txt").write_str("one\nTWO\nthree\n").unwrap();
    }),
    ("modes, links and kinds", |repo| {
        repo.chmod("a.txt", 0o755);
        support::symlink("a.txt", repo.child("link"));
        repo.git(&["add", "link"]);
        fs::remove_dir_all(repo.child("src")).unwrap();
        repo.child("src").write_str("file\n").unwrap();
    }),
    ("filters and line ends", |repo| {
        repo.git(&["config", "filter.up.clean", "tr a-z A-Z"]);
        repo.child(".gitattributes")
            .write_str("a.txt filter=up\nsrc/* text eol=crlf\n")
            .unwrap();
        repo.child("a.txt").write_str("small\n").unwrap();
        repo.child("src/b.txt").write_str("x\r\n").unwrap();
    }),
    ("a module", |repo| {
        repo.git(&["init", "-q", "inner"]);
        repo.git(&["-C", "inner", "commit", "-q", "--allow-empty", "-m", "one"]);
        repo.git(&["-c", "advice.addEmbeddedRepo=false", "add", "inner"]);
        repo.git(&["-C", "inner", "commit", "-q", "--allow-empty", "-m", "two"]);
    }),
    ("a merge in progress", |repo| {
        repo.git(&["checkout", "-qb", "side"]);
        repo.child("a.txt").write_str("side\n").unwrap();
        repo.git(&["commit", "-qam", "side"]);
        repo.git(&["checkout", "-q", "main"]);
        repo.child("a.txt").write_str("main\n").unwrap();
        repo.git(&["commit", "-qam", "main"]);
        let mut merge = isolated(Command::new("git"), repo.path());
        run(merge.args(["merge", "side"]), b"").ended(1);
    }),
    ("a sparse checkout", |repo| {
        repo.git(&[
            "sparse-checkout",
            "set",
            "--cone",
            "--sparse-index",
            "nothing",
        ]);
        repo.child("a.txt").write_str("other\n").unwrap();
    }),
    ("a split index", |repo| {
        repo.git(&["update-index", "--split-index"]);
        repo.child("a.txt").write_str("other\n").unwrap();
        repo.git(&["add", "a.txt"]);
    }),
];

#[test]
fn a_snapshot_is_the_tree_that_git_would_make() {
    for (what, scene) in SCENES {
        let repo = repo();
        scene(&repo);
        for (args, how) in [
            (&["snapshot"][..], "-u"),
            (&["snapshot", "--untracked"], "-A"),
        ] {
            let want = by_git(&repo, how);
            let before = (repo.files(), repo.read(".git/index"), state(&repo));
            let run = repo.run(args, "").succeeded();
            assert_eq!(run.stdout, want, "{what} {how}: {}", run.stderr);
            assert_eq!(run.stderr, "", "{what}");
            assert_eq!(
                (repo.files(), repo.read(".git/index"), state(&repo)),
                before,
                "{what}"
            );
            assert!(references(&repo).iter().any(|line| line.ends_with(&format!(
                "/{} {}",
                want.trim(),
                want.trim()
            ))));
        }
        // It isn't left to the mercy of git gc.
        let kept = references(&repo);
        repo.git(&["gc", "-q", "--prune=now"]);
        assert_eq!(references(&repo), kept);
        for line in kept {
            repo.git(&["ls-tree", "-r", line.split(' ').nth(1).unwrap()]);
        }
        repo.git(&["fsck", "--strict"]);
    }
}

#[test]
fn from_a_directory_below_and_before_the_first_commit_it_is_all_of_it() {
    let below = repo();
    below.child("a.txt").write_str("other\n").unwrap();
    let mut command = isolated(
        Command::new(super::support::program()),
        below.child("src").path(),
    );
    assert_eq!(
        run(command.arg("snapshot"), b"").succeeded().stdout,
        by_git(&below, "-u")
    );
    let fresh = Repo::empty();
    fresh.child("a.txt").write_str("x\n").unwrap();
    let empty = fresh.run(&["snapshot"], "").succeeded().stdout;
    assert_eq!(empty, "4b825dc642cb6eb9a060e54bf8d69288fbee4904\n");
    let all = fresh
        .run(&["snapshot", "--untracked"], "")
        .succeeded()
        .stdout;
    assert_eq!(
        fresh.git(&["ls-tree", "--name-only", all.trim()]),
        "a.txt\n"
    );
}

#[test]
fn snapshots_go_when_they_expire_and_the_same_one_is_kept_once() {
    let repo = repo();
    let tree = repo.git(&["rev-parse", "HEAD^{tree}"]);
    let old = |days: u64| {
        let now = std::time::SystemTime::now()
            .duration_since(std::time::UNIX_EPOCH)
            .unwrap()
            .as_secs();
        format!("refs/llmpatch/snapshots/{}/{days}", now - days * 86_400)
    };
    let head = repo.git(&["rev-parse", "HEAD"]);
    for (setting, left) in [
        (None, 2),
        (Some("10.days.ago"), 1),
        (Some("never"), 3),
        (Some("now"), 0),
    ] {
        for line in references(&repo) {
            repo.git(&["update-ref", "-d", line.split(' ').next().unwrap()]);
        }
        let made: Vec<_> = [5, 13, 15].map(old).into();
        for name in &made {
            repo.git(&["update-ref", name, head.trim()]);
        }
        repo.git(&["update-ref", "refs/llmpatch/snapshots/theirs", head.trim()]);
        repo.git(&["update-ref", "refs/llmpatch/snapshots/1/same", tree.trim()]);
        if let Some(setting) = setting {
            repo.git(&["config", "llmpatch.snapshotExpire", setting]);
        }
        for _ in 0..2 {
            assert_eq!(repo.run(&["snapshot"], "").succeeded().stdout, tree);
        }
        let kept = references(&repo);
        assert_eq!(
            kept.iter()
                .filter(|line| made.iter().any(|name| line.starts_with(name)))
                .count(),
            left,
            "{setting:?}"
        );
        assert_eq!(
            kept.iter()
                .filter(|line| line.ends_with(tree.trim()))
                .count(),
            1,
            "{kept:?}"
        );
        assert!(
            kept.iter()
                .any(|line| line.starts_with("refs/llmpatch/snapshots/theirs "))
        );
    }
}

#[test]
fn many_at_once_keep_the_same_tree() {
    let repo = repo();
    repo.child("a.txt").write_str("changed\n").unwrap();
    let start = |_| {
        let mut command = repo.command();
        command.arg("snapshot");
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().unwrap()
    };
    for _ in 0..3 {
        let children: Vec<_> = (0..8).map(start).collect();
        let end = |child: Child| Run::of(child.wait_with_output().unwrap()).succeeded();
        let ends: Vec<_> = children.into_iter().map(end).collect();
        for run in &ends {
            assert_eq!((&run.stdout, &*run.stderr), (&ends[0].stdout, ""));
        }
        let end = format!(" {}", ends[0].stdout.trim());
        let kept = references(&repo);
        assert!(kept.iter().any(|kept| kept.ends_with(&end)), "{kept:?}");
    }
}

/// Whoever made it: what is removed is the reference, never what it leads to.
#[test]
fn a_symbolic_reference_is_removed_and_not_what_it_leads_to() {
    let repo = repo();
    let tree = repo.git(&["rev-parse", "HEAD^{tree}"]);
    repo.git(&["update-ref", "refs/tags/own", tree.trim()]);
    for (name, to) in [
        ("1/old", "refs/heads/main"),
        ("9999999999/same", "refs/tags/own"),
    ] {
        let name = format!("refs/llmpatch/snapshots/{name}");
        repo.git(&["symbolic-ref", &name, to]);
    }
    repo.run(&["snapshot"], "").succeeded();
    repo.git(&["rev-parse", "--verify", "main"]);
    repo.git(&["rev-parse", "--verify", "refs/tags/own"]);
    assert_eq!(references(&repo).len(), 1, "{:?}", references(&repo));
}

#[test]
fn what_can_not_be_kept_is_refused() {
    let repo = repo();
    repo.git(&["config", "llmpatch.snapshotExpire", "gibberish"]);
    let run = repo.run(&["snapshot"], "").ended(2);
    assert!(
        run.stderr.starts_with(
            "error[usage]: `llmpatch.snapshotExpire` is set to `gibberish`, which is not a date"
        ),
        "{}",
        run.stderr
    );
    assert!(references(&repo).is_empty() && run.stdout.is_empty());
    repo.git(&["config", "--unset", "llmpatch.snapshotExpire"]);
    repo.git(&["config", "core.bare", "true"]);
    let run = repo.run(&["snapshot"], "").ended(3);
    assert!(
        run.stderr
            .contains("is a bare repository and has no work tree"),
        "{}",
        run.stderr
    );
}

/// What a model was shown is what its answer is checked against.
#[test]
fn an_answer_can_be_applied_to_what_was_shown() {
    let repo = repo();
    repo.child("a.txt")
        .write_str("one\ntwo and a half\n")
        .unwrap();
    let base = repo.run(&["snapshot"], "").succeeded().stdout;
    repo.child("a.txt").write_str("nothing of it\n").unwrap();
    let tree = repo
        .run(
            &["apply", "--onto", base.trim()],
            update("a.txt", "two and a half", "3"),
        )
        .succeeded()
        .stdout;
    assert_eq!(
        repo.git(&["show", &format!("{}:a.txt", tree.trim())]),
        "one\n3\n"
    );
}
