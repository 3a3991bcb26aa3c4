//! Repositories that are out of the ordinary: what is said of them must be true, and help.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;

use assert_fs::TempDir;
use assert_fs::prelude::*;

use super::support::{self, OnDisk, Repo, Run, isolated, program, run, some, symlink};
use super::{envelope, repo, update};

#[test]
fn a_tracked_file_that_is_not_in_the_work_tree_is_called_that() {
    let repo = repo();
    std::fs::remove_file(repo.child("a.txt")).unwrap();
    let run = repo.run(&["apply"], update("a.txt", "two", "2")).ended(1);
    assert!(
        run.stderr
            .contains("`a.txt` isn't in the work tree, though git tracks it\n"),
        "{}",
        run.stderr
    );
    assert!(!run.stderr.contains("did you mean"), "{}", run.stderr);

    // `git restore` of what is only intended to be added would empty it.
    repo.child("ita.txt").write_str("two\n").unwrap();
    repo.git(&["add", "-N", "ita.txt"]);
    let run = repo
        .run(&["apply", "--cached"], update("ita.txt", "two", "2"))
        .ended(1);
    let said = "`ita.txt` isn't in the index, though the work tree has it\n";
    assert!(
        run.stderr.contains(said) && !run.stderr.contains("restore"),
        "{}",
        run.stderr
    );
}

#[test]
fn lines_are_counted_where_a_filter_driver_keeps_what_git_would_store_unknown() {
    let repo = filtered();
    repo.git(&["config", "filter.rot.clean", "false"]);
    repo.git(&["config", "filter.rot.required", "true"]);
    let run = repo
        .run(&["apply"], update("a.txt", "two", "2\n+2.5"))
        .succeeded();
    assert_eq!(
        run.stdout,
        "M a.txt\n 1 file changed, 2 insertions(+), 1 deletion(-)\n"
    );
}

#[test]
fn a_change_of_the_work_tree_alone_takes_no_index_that_libgit2_reads() {
    let base = || {
        Repo::with(&[
            ("keep/a.txt", "two\n"),
            ("drop/.gitattributes", "*.txt eol=crlf\n"),
            ("drop/b.txt", "b\n"),
        ])
    };
    let split = base();
    split.git(&["update-index", "--split-index"]);
    split.git(&["rm", "-q", "-r", "--cached", "drop"]);
    split.git(&["reset", "-q"]);
    let sparse = base();
    sparse.git(&["sparse-checkout", "set", "--cone", "--sparse-index", "keep"]);
    assert!(sparse.git(&["ls-files", "--sparse"]).contains("drop/\n"));
    for repo in [split, sparse] {
        let index = repo.read(".git/index");
        let sections = "*** Update File: keep/a.txt\n-two\n+2\n*** Add File: new/c.txt\n+c\n*** Add File: drop/d.txt\n+d\n";
        repo.run(&["check"], envelope(sections)).succeeded();
        let run = repo
            .run(&["apply", "--diff", "--apply"], envelope(sections))
            .succeeded();
        assert!(
            run.stdout.contains("+++ b/drop/d.txt\n@@ -0,0 +1 @@\n+d\n"),
            "{}",
            run.stdout
        );
        assert_eq!(
            repo.read("drop/d.txt"),
            b"d\r\n",
            "the rules that are left out of the work tree count"
        );
        repo.run(&["undo"], "").succeeded();
        assert_eq!(repo.read(".git/index"), index, "nobody wrote the index");
        assert_eq!(repo.git(&["status", "--porcelain"]), "");
    }
}

/// Makes a directory that is in no repository, and returns it with one beside it for what is kept
/// elsewhere.
fn outside(files: &[(&str, &str)]) -> (TempDir, PathBuf) {
    let place = TempDir::new().unwrap();
    for (path, content) in files {
        place.child("top").child(path).write_str(content).unwrap();
    }
    let state = place.child("state").to_path_buf();
    (place, state)
}

fn run_outside(place: &TempDir, program: &str, args: &[&str], input: &str) -> Run {
    let mut command = isolated(Command::new(program), &place.child("top"));
    command
        .args(args)
        .env("XDG_STATE_HOME", place.child("state").path());
    run(&mut command, input.as_bytes())
}

#[test]
fn where_there_is_no_repository_files_are_changed_as_git_apply_changes_them() {
    let files = [
        ("a.txt", "one\ntwo\n"),
        ("src/b.txt", "b\n"),
        ("gone/c.txt", "c\n"),
        ("d.txt", "d\n"),
    ];
    let sections = "*** Update File: a.txt\n@@\n-two\n+2\n*** Delete File: gone/c.txt\n*** Add File: new/n.txt\n+n\n\
        *** Update File: d.txt\n*** Move to: src/d.txt\n@@\n-d\n+D\n";
    let ((ours, state), (git, _)) = (outside(&files), outside(&files));
    let before = support::files(&ours);
    let ask = |args: &[&str], input: &str| run_outside(&ours, program(), args, input);
    ask(&["check"], &envelope(sections)).succeeded();
    let diff = ask(&["diff"], &envelope(sections)).succeeded().stdout;
    assert!(!state.exists(), "who only looks makes nothing");
    run_outside(&git, "git", &["apply"], &diff).succeeded();
    ask(&["apply"], &envelope(sections)).succeeded();
    assert_eq!(
        support::files(&ours.child("top")),
        support::files(&git.child("top"))
    );
    for target in ["--index", "--cached", "--commit"] {
        let run = ask(&["apply", target], &envelope("*** Add File: x\n+x\n")).ended(3);
        assert!(
            run.stderr.contains("is not inside a git repository"),
            "{target} {}",
            run.stderr
        );
    }
    ask(&["undo"], "").succeeded();
    let mut after = support::files(&ours);
    after.retain(|path, _| path.starts_with("top"));
    assert_eq!(after, before);
    let run = ask(&["apply"], &update("b.txt", "b", "2")).ended(1);
    assert!(
        run.stderr
            .contains("is not inside a git repository, so paths count from there"),
        "{}",
        run.stderr
    );
}

#[test]
fn where_there_is_no_repository_no_index_is_asked() {
    let (place, _) = outside(&[("a.txt", "one\r\ntwo\r\nthree\r\n")]);
    let ask = |args: &[&str], input: &str| run_outside(&place, program(), args, input).succeeded();
    let top = place.child("top");
    top.child("empty").create_dir_all().unwrap();
    // A path below an empty directory, and below one that a file names as a submodule.
    ask(&["apply"], &envelope("*** Add File: empty/x\n+x\n"));
    top.child(".gitmodules")
        .write_str("[submodule \"s\"]\n\tpath = s\n\turl = x\n")
        .unwrap();
    ask(&["apply"], &envelope("*** Add File: s/x\n+x\n"));

    // Where git only guesses that a file is text, it looks at the blob in the index.
    top.child(".gitattributes")
        .write_str("* text=auto\n")
        .unwrap();
    let response = update("a.txt", "two", "2");
    let changed = " 1 file changed, 1 insertion(+), 1 deletion(-)\n";
    for args in [
        &["diff"][..],
        &["apply", "--stat"],
        &["apply", "--numstat"],
        &["apply", "--summary"],
        &["diff", "--name-only"],
    ] {
        ask(args, &response);
    }
    let checked = ask(&["check", "--json"], &response).stdout;
    assert!(
        checked.contains("\"added\":1,\"removed\":1,\"old_oid\":\""),
        "{checked}"
    );
    let diff = ask(&["diff"], &response).stdout;
    assert!(diff.contains("\n-two\n+2\n"), "{diff}");
    let applied = ask(&["apply"], &response).stdout;
    assert_eq!(applied, format!("M a.txt\n{changed}"));
    top.child("a.txt").assert("one\r\n2\r\nthree\r\n");
    ask(&["apply"], &envelope("*** Add File: new.txt\n+new\n"));
}

#[test]
fn where_there_is_no_repository_a_crash_is_taken_back_too() {
    if Command::new("strace").arg("-V").output().is_err() {
        assert!(std::env::var_os("FAULTS").is_none(), "strace is needed");
        return eprintln!("outside of a repository: SKIPPED, since there is no strace");
    }
    let (place, state) = outside(&[("a.txt", "one\n"), ("b.txt", "b\n")]);
    let files = support::files(&place.child("top"));
    let sections = "*** Update File: a.txt\n@@\n-one\n+1\n*** Update File: b.txt\n@@\n-b\n+2\n";
    for point in 1..60 {
        let trace = ["-f", "-o", "/dev/null", "-e", "trace=renameat2", "-e"];
        let inject = format!("inject=renameat2:signal=KILL:when={point}");
        let args = [&trace[..], &[&inject, program(), "apply"]].concat();
        let run = run_outside(&place, "strace", &args, &envelope(sections));
        if run.status == 0 {
            assert!(point > 2, "nothing was killed");
            return;
        }
        run_outside(&place, program(), &["recover"], "").succeeded();
        assert_eq!(support::files(&place.child("top")), files, "{point}");
        assert!(state.exists());
    }
    panic!("it was never done");
}

#[test]
fn what_a_journal_needs_is_named() {
    let (place, state) = outside(&[("a.txt", "one\n")]);
    std::fs::write(&state, "in the way").unwrap();
    let run = run_outside(&place, program(), &["apply"], &update("a.txt", "one", "1")).ended(3);
    assert!(
        run.stderr.contains("can't keep a journal in `") && run.stderr.contains("XDG_STATE_HOME"),
        "{}",
        run.stderr
    );
}

/// Returns what git says of a repository, and what is on disk.
fn all_of(repo: &Repo) -> (Vec<String>, BTreeMap<PathBuf, OnDisk>) {
    let told = [
        &["status", "--porcelain=v2"][..],
        &["ls-files", "-s", "-v"],
        &["rev-parse", "HEAD^{tree}"],
    ];
    (
        told.iter().map(|args| repo.git(args)).collect(),
        repo.files(),
    )
}

#[test]
fn what_sparse_checkout_leaves_out_is_changed_as_git_changes_it() {
    let base = Repo::with(&[
        ("keep/a.txt", "a\n"),
        ("drop/b.txt", "1\n2\n3\n"),
        ("drop/c.txt", "c\n"),
        ("t.txt", "t\n"),
    ]);
    let changes = [
        "diff --git a/drop/b.txt b/drop/b.txt\n--- a/drop/b.txt\n+++ b/drop/b.txt\n@@ -1,3 +1,3 @@\n 1\n-2\n+x\n 3\n",
        "diff --git a/drop/b.txt b/drop/b.txt\ndeleted file mode 100644\n--- a/drop/b.txt\n+++ /dev/null\n@@ -1,3 +0,0 @@\n-1\n-2\n-3\n",
        "diff --git a/drop/n.txt b/drop/n.txt\nnew file mode 100644\n--- /dev/null\n+++ b/drop/n.txt\n@@ -0,0 +1 @@\n+n\n",
        "diff --git a/drop/b.txt b/keep/b.txt\nrename from drop/b.txt\nrename to keep/b.txt\n",
        "diff --git a/keep/a.txt b/drop/a.txt\nrename from keep/a.txt\nrename to drop/a.txt\n",
        "diff --git a/drop/b.txt b/drop/b.txt\nold mode 100644\nnew mode 100755\n",
    ];
    for checkout in [
        &["--cone", "keep"][..],
        &["--no-cone", "keep", "/t.txt"],
        &["--cone", "--sparse-index", "keep"],
    ] {
        let sparse = base.copied();
        sparse.git(&["update-index", "--refresh"]);
        sparse.git(&[&["sparse-checkout", "set"], checkout].concat());
        let all = changes
            .iter()
            .flat_map(|change| ["--index", "--cached", "--commit"].map(|to| (change, to)));
        for (change, target) in some(all, 5) {
            let (git, ours) = (sparse.copied(), sparse.copied());
            git.git(&["update-index", "--refresh"]);
            let before = all_of(&ours);
            let to = if target == "--commit" {
                "--index"
            } else {
                target
            };
            git.git_with_input(&["apply", to], change.as_bytes());
            if target == "--commit" {
                git.git(&["commit", "-q", "-m", "x"]);
            }
            ours.run(&["apply", "--check", target], *change).succeeded();
            ours.run(&["apply", target], *change).succeeded();
            assert_eq!(
                all_of(&ours),
                all_of(&git),
                "{checkout:?} {target} {change}"
            );
            ours.git(&["fsck", "--strict"]);
            if target != "--commit" {
                ours.run(&["undo"], "").succeeded();
                assert_eq!(all_of(&ours), before, "{checkout:?} {target} {change}");
            }
        }
    }
}

#[test]
fn a_file_that_git_is_told_to_skip_is_changed_where_it_is_as_the_index_has_it() {
    let (ours, git) = (repo(), repo());
    for repo in [&ours, &git] {
        repo.git(&["update-index", "--skip-worktree", "src/b.txt"]);
    }
    ours.run(&["apply", "--index"], update("src/b.txt", "b", "2"))
        .succeeded();
    git.git_with_input(
        &["apply", "--index"],
        b"--- a/src/b.txt\n+++ b/src/b.txt\n@@ -1 +1 @@\n-b\n+2\n",
    );
    assert_eq!(all_of(&ours), all_of(&git));

    ours.git(&["update-index", "--skip-worktree", "src/b.txt"]);
    ours.child("src/b.txt").write_str("mine\n").unwrap();
    let run = ours
        .run(&["apply", "--index"], update("src/b.txt", "mine", "3"))
        .ended(1);
    assert!(
        run.stderr.contains("(skip-worktree)") && !run.stderr.contains("sparse"),
        "{}",
        run.stderr
    );
    assert!(
        run.stderr
            .contains("help: run `git update-index --no-skip-worktree <path>` first, "),
        "{}",
        run.stderr
    );
}

#[test]
fn nobody_is_told_to_leave_out_an_option_that_was_not_given() {
    let repo = repo();
    repo.child(".gitattributes")
        .write_str("*.rc working-tree-encoding=ascii\n")
        .unwrap();
    let run = repo
        .run(&["apply"], envelope("*** Add File: new.rc\n+ä\n"))
        .ended(3);
    assert!(
        run.stderr.contains("is encoded on disk") && !run.stderr.contains("--index"),
        "{}",
        run.stderr
    );
    assert!(
        run.stderr.contains("help: make this change by hand"),
        "{}",
        run.stderr
    );
}

#[test]
fn what_the_system_says_is_said_in_words() {
    let repo = repo();
    let run = repo.run(&["apply", "src"], "").ended(3);
    assert!(
        run.stderr
            .starts_with("error[io]: can't read `src`: Is a directory\nhelp: name the files in it"),
        "{}",
        run.stderr
    );
    repo.child(".gitattributes")
        .write_str("*.u16 working-tree-encoding=UTF-16\n")
        .unwrap();
    let mut command = repo.command();
    command
        .env("TMPDIR", repo.child("none").path())
        .env("TMP", repo.child("none").path())
        .arg("apply");
    let run = super::support::run(
        &mut command,
        envelope("*** Add File: a.u16\n+a\n").as_bytes(),
    )
    .ended(3);
    assert!(
        run.stderr.contains("help: set `TMPDIR`") && !run.stderr.contains("owns"),
        "{}",
        run.stderr
    );
    let run = repo.run(&["apply", "none"], "").ended(3);
    assert!(
        run.stderr.starts_with("error[io]: can't read `none`: ")
            && (cfg!(windows) || run.stderr.contains(": No such file or directory\n")),
        "{}",
        run.stderr
    );
}

#[test]
fn what_a_partial_clone_has_yet_to_fetch_is_fetched_as_git_fetches_it() {
    support::needs(support::Need::Shell);
    let origin = Repo::with(&[
        ("a.txt", "one\n"),
        ("b.txt", "two\n"),
        ("d/c.txt", "three\n"),
    ]);
    origin.child("new.txt").write_str("new\n").unwrap();
    origin.commit("more");
    origin.git(&["config", "uploadpack.allowFilter", "true"]);
    origin.git(&["config", "uploadpack.allowAnySHA1InWant", "true"]);
    let clone_without = |what: &str| {
        let clone = Repo::empty();
        let url = format!("file://{}", origin.path().display());
        clone.git(&["remote", "add", "origin", &url]);
        clone.git(&[
            "fetch",
            "-q",
            &format!("--filter={what}"),
            "origin",
            "HEAD:refs/heads/here",
        ]);
        clone.git(&["sparse-checkout", "set", "--no-cone", "/a.txt"]);
        clone.git(&["checkout", "-q", "here"]);
        clone
    };
    let clone = || clone_without("blob:none");
    let missing = |repo: &Repo| {
        let ids = repo.git(&["rev-list", "--objects", "--missing=print", "HEAD"]);
        ids.lines().filter(|line| line.starts_with('?')).count()
    };
    let (b, diff) = (
        update("b.txt", "two", "2"),
        "--- a/b.txt\n+++ b/b.txt\n@@ -1 +1 @@\n-two\n+2\n",
    );
    for mode in ["--cached", "--index", "--commit"] {
        let (ours, git) = (clone(), clone());
        assert_eq!(missing(&ours), 3);
        // Where nothing is missing, nothing is fetched.
        let untouched = clone();
        untouched
            .run(&["apply", mode], update("a.txt", "one", "1"))
            .succeeded();
        assert_eq!(
            (
                missing(&untouched),
                untouched.git(&["cat-file", "-p", ":a.txt"])
            ),
            (3, "1\n".to_owned())
        );
        ours.run(&["apply", mode], &b).succeeded();
        let how = if mode == "--cached" { mode } else { "--index" };
        git.git_with_input(&["apply", how], diff.as_bytes());
        assert_eq!(
            ours.git(&["ls-files", "-s", "-v"]),
            git.git(&["ls-files", "-s", "-v"]),
            "{mode}"
        );
        assert_eq!(ours.files(), git.files(), "{mode}");
        assert_eq!(
            missing(&ours),
            if mode == "--commit" { 2 } else { missing(&git) },
            "{mode}"
        );
    }
    clone_without("tree:0")
        .run(&["check", "--onto=HEAD~1"], update("a.txt", "one", "1"))
        .succeeded();
    let (offline, away) = (clone(), origin.path().with_file_name("away"));
    offline.git(&[
        "remote",
        "set-url",
        "origin",
        &format!("file://{}", away.display()),
    ]);
    let before = (offline.git(&["ls-files", "-s", "-v"]), offline.files());
    for args in [
        ["check", "--cached"],
        ["apply", "--cached"],
        ["apply", "--index"],
        ["apply", "--commit"],
    ] {
        let run = offline.run(&args, &b).ended(3);
        let said = "error[repository]: `b.txt` can't be read: object f719efd430d52bcfc8566a43b2eb655688d38871 is missing, and git can't fetch it: fatal: ";
        assert!(run.stderr.starts_with(said), "{}", run.stderr);
        assert_eq!(
            (offline.git(&["ls-files", "-s", "-v"]), offline.files()),
            before
        );
    }
    offline
        .run(&["apply", "--commit"], update("a.txt", "one", "1"))
        .succeeded();
    assert_eq!(missing(&offline), 3);
}

#[test]
fn a_missing_object_is_not_laid_to_a_partial_clone() {
    let repo = repo();
    let id = repo.git(&["rev-parse", ":a.txt"]);
    let (directory, name) = id.trim_end().split_at(2);
    repo.remove(format!(".git/objects/{directory}/{name}"));
    let run = repo
        .run(&["check", "--cached"], update("a.txt", "two", "2"))
        .ended(3);
    assert!(run.stderr.contains("is missing\n"), "{}", run.stderr);
    assert!(run.stderr.contains("git fsck"), "{}", run.stderr);
}

#[test]
fn hard_links_are_counted_in_the_right_number() {
    support::needs(support::Need::Links);
    for (links, want) in [
        (1, "1 other hard link, which keeps the old"),
        (2, "2 other hard links, which keep the old"),
    ] {
        let repo = repo();
        for link in 0..links {
            std::fs::hard_link(repo.child("a.txt"), repo.child(format!("link{link}"))).unwrap();
        }
        let run = repo
            .run(&["apply"], update("a.txt", "two", "2"))
            .succeeded();
        assert!(run.stderr.contains(want), "{}", run.stderr);
    }
}

#[test]
fn an_absolute_path_may_lead_through_links_above_the_work_tree() {
    let repo = repo();
    let above = repo.path().parent().unwrap();
    let link = |to: &str, name: &str| symlink(to, above.join(name));
    // As `/tmp` on macOS; and links inside the work tree, or into it, that are none above it.
    link(".", "linked");
    link("work", "other");
    link("work/src", "inside");
    link("missing", "broken");
    symlink(".", repo.child("self"));
    symlink("src", repo.child("aside"));
    let above = above.to_str().unwrap();
    for (path, status) in [
        (format!("{above}/work/a.txt"), 0),
        (format!("{above}/linked/work/a.txt"), 0),
        (format!("file://{above}/linked/linked/other/a.txt"), 0),
        (format!("{above}/linked/./none/../work/a.txt"), 0),
        (format!("{above}/other/self/a.txt"), 1),
        (format!("{above}/other/aside/b.txt"), 1),
        (format!("{above}/other/.git/config"), 1),
        (format!("{above}/inside/b.txt"), 1),
        (format!("{above}/linked/a.txt"), 1),
        (format!("{above}/broken/a.txt"), 1),
        (format!("{above}/other/../work.txt"), 1),
    ] {
        let run = support::run(
            repo.command().arg("check"),
            update(&path, "two", "2").as_bytes(),
        )
        .ended(status);
        let prefix = if status == 0 {
            ""
        } else {
            "error[unsafe-path]"
        };
        assert!(run.stderr.starts_with(prefix), "{path}: {}", run.stderr);
    }
}

/// Makes a repository in which every text file has a filter driver.
fn filtered() -> Repo {
    let repo = repo();
    repo.git(&["config", "filter.rot.clean", "tr a-z b-za"]);
    repo.git(&["config", "filter.rot.smudge", "tr b-za a-z"]);
    repo.child(".gitattributes")
        .write_str("*.txt filter=rot\n")
        .unwrap();
    repo.git(&["add", "--renormalize", "."]);
    repo.commit("filter");
    repo
}

#[test]
fn what_looks_like_a_git_directory_in_a_work_tree_is_not_taken_for_one() {
    support::needs(support::Need::Shell);
    let repo = repo();
    repo.git(&["clone", "-q", "--bare", ".", "sub/data"]);
    let inside = |of: &str, global: &str| {
        let mut command = isolated(Command::new(program()), &repo.child(of));
        command
            .args(["check", "--onto=HEAD"])
            .env("GIT_CONFIG_GLOBAL", repo.child("../").join(global));
        run(&mut command, update("a.txt", "two", "2").as_bytes())
    };
    let run = inside("sub/data", "none").ended(3);
    assert!(
        run.stderr
            .contains("looks like a git repository and is part of the work tree of another"),
        "{}",
        run.stderr
    );
    // Elsewhere it is one, unless git wouldn't take it either.
    std::fs::rename(repo.child("sub/data"), repo.child("../data")).unwrap();
    inside("../data", "none").succeeded();
    repo.child("../explicit")
        .write_str("[safe]\n\tbareRepository = explicit\n")
        .unwrap();
    let run = inside("../data", "explicit").ended(3);
    assert!(run.stderr.contains("bareRepository"), "{}", run.stderr);
    inside(".", "explicit").succeeded();
    inside("sub", "explicit").succeeded();
}

#[test]
fn a_commit_is_made_in_the_repository_that_was_opened() {
    let (repo, other) = (repo(), self::repo());
    repo.git(&["config", "core.worktree", other.path().to_str().unwrap()]);
    let run = run(
        repo.command().args(["apply", "--commit", "-m", "x"]),
        update("a.txt", "two", "2").as_bytes(),
    )
    .succeeded();
    assert_eq!(
        other.git(&["log", "--format=%s"]),
        "base\n",
        "{}",
        run.stdout
    );
    assert_eq!(repo.git(&["log", "--format=%s"]), "x\nbase\n");
    assert_eq!(repo.git(&["show", "HEAD:a.txt"]), "one\n2\nthree\n");
    assert_eq!(repo.git(&["status", "--porcelain"]), "");
}

#[test]
fn a_replaced_head_keeps_what_it_was_replaced_for() {
    let repo = repo();
    repo.child("src/b.txt").write_str("replaced\n").unwrap();
    repo.git(&["add", "-A"]);
    let tree = repo.git(&["write-tree"]);
    let commit = repo.git(&["commit-tree", tree.trim(), "-m", "base"]);
    repo.git(&["replace", "HEAD", commit.trim()]);
    assert_eq!(repo.git(&["status", "--porcelain"]), "");
    repo.run(
        &["apply", "--commit", "-m", "x"],
        update("a.txt", "two", "2"),
    )
    .succeeded();
    assert_eq!(
        repo.git(&["diff", "--name-only", "HEAD^", "HEAD"]),
        "a.txt\n"
    );
    assert_eq!(repo.git(&["status", "--porcelain"]), "");
}

/// A replaced commit has other parents, another message and other files; what is named by way of it
/// is named as git does.
#[test]
fn a_history_with_replaced_objects_is_shown_as_git_shows_it() {
    let plain = |diff: &str| {
        let lines = diff.lines().filter(|line| !line.starts_with("index "));
        lines.collect::<Vec<_>>().join("\n")
    };
    for what in [
        "HEAD~2",
        "HEAD^",
        "HEAD",
        "HEAD^^{tree}",
        "HEAD^:src",
        "HEAD:src/b.txt",
    ] {
        let repo = repo();
        for (name, content) in [
            ("src/d.txt", "d\n"),
            ("src/b.txt", "three\nlines\n"),
            ("a.txt", "one\n2\n3\n"),
        ] {
            repo.child(name).write_str(content).unwrap();
            repo.commit(name);
        }
        let id = repo.git(&["rev-parse", what]);
        let kind = repo.git(&["cat-file", "-t", what]);
        let renamed = |tree: &str| {
            let tree = repo.git(&["cat-file", "-p", tree]);
            let tree = tree.replace("a.txt", "0.txt").replace("b.txt", "e.txt");
            repo.git_with_input(&["mktree"], tree.as_bytes())
        };
        let by = match kind.trim() {
            "tree" => renamed(what),
            "blob" => repo.git_with_input(&["hash-object", "-w", "--stdin"], b"other\nlines\n"),
            _ => {
                let tree = renamed("HEAD^{tree}");
                let args = ["commit-tree", tree.trim(), "-p", "HEAD~3", "-m", "replaced"];
                repo.git(&args)
            }
        };
        repo.git(&["tag", "-a", "-m", "a tag", "named", "HEAD"]);
        repo.git(&["replace", id.trim(), by.trim()]);
        let with_parents = repo.git(&["rev-list", "--min-parents=1", "HEAD"]);
        for commit in ["HEAD", "HEAD^", "named", "named^"] {
            let id = repo.git(&["rev-parse", &format!("{commit}^{{commit}}")]);
            if !with_parents.contains(&id) {
                continue;
            }
            let shown = repo.run(&["show", commit], "").succeeded().stdout;
            let parent = repo.git(&["rev-parse", &format!("{commit}^")]);
            let onto = format!("--onto={}", parent.trim());
            let ours = repo.run(&["diff", &onto], &*shown).succeeded().stdout;
            let by_git = repo.git(&["diff", &format!("{commit}^"), &format!("{commit}^{{}}")]);
            assert_eq!(plain(&ours), plain(&by_git), "{what}: {commit}");
            assert_eq!(
                shown.lines().next(),
                repo.git(&["log", "-1", "--format=%s", commit])
                    .lines()
                    .next(),
                "{what}: {commit}"
            );
            for args in [&["check", &onto][..], &["convert", "--to=opx", &onto]] {
                repo.run(args, &*shown).succeeded();
            }
        }
        let shown = repo.run(&["show", "HEAD~1..named"], "").succeeded().stdout;
        let ids = |line: &str| line.strip_prefix("commit ").map(str::to_owned);
        let by_git = repo.git(&["rev-list", "--reverse", "HEAD~1..named"]);
        assert_eq!(
            shown.lines().filter_map(ids).collect::<Vec<_>>(),
            by_git.lines().collect::<Vec<_>>(),
            "{what}"
        );
    }
}

#[test]
fn replaced_files_and_directories_are_what_they_were_replaced_for() {
    let diff = "--- a/src/b.txt\n+++ b/src/b.txt\n@@ -1,2 +1,2 @@\n-other\n+ours\n lines\n";
    for what in ["HEAD:src/b.txt", "HEAD:src", "HEAD^{tree}", "HEAD"] {
        for variable in ["", "GIT_NO_REPLACE_OBJECTS"] {
            let base = repo();
            let id = base.git(&["rev-parse", what]);
            base.child("src/b.txt").write_str("other\nlines\n").unwrap();
            base.child("src/d.txt").write_str("d\n").unwrap();
            base.commit("other");
            base.git(&["replace", id.trim(), base.git(&["rev-parse", what]).trim()]);
            base.git(&["reset", "-q", "--soft", "HEAD^"]);
            base.git(&["rm", "-q", "-r", "--cached", "."]);
            base.git(&["read-tree", "HEAD"]);
            base.git(&["checkout-index", "-q", "-f", "-a"]);
            base.git(&["clean", "-q", "-f", "-d"]);
            let (ours, git) = (base.copied(), base.copied());
            let run_in = |repo: &Repo, program: &str, args: &[&str], input: &str| {
                let mut command = isolated(Command::new(program), repo.path());
                if !variable.is_empty() {
                    command.env(variable, "1");
                }
                run(command.args(args), input.as_bytes())
            };
            let by_git = run_in(&git, "git", &["apply", "--cached"], diff);
            let by_us = run_in(&ours, program(), &["apply", "--cached"], diff);
            assert_eq!(
                by_us.status, by_git.status,
                "{what}: {}{}",
                by_git.stderr, by_us.stderr
            );
            let seen = |repo: &Repo| {
                ["ls-files -s", "write-tree", "status --porcelain"]
                    .map(|args| repo.git(&args.split(' ').collect::<Vec<_>>()))
            };
            assert_eq!(seen(&ours), seen(&git), "{what} {variable}");
            if by_git.status != 0 || !variable.is_empty() || what == "HEAD:src/b.txt" {
                continue;
            }
            for repo in [&ours, &git] {
                repo.git(&["reset", "-q"]);
            }
            run_in(&git, "git", &["apply", "--index"], diff).succeeded();
            run_in(&git, "git", &["commit", "-q", "-m", "x"], "").succeeded();
            run_in(&ours, program(), &["apply", "--commit", "-m", "x"], diff).succeeded();
            assert_eq!(seen(&ours), seen(&git), "{what} {variable}");
        }
    }
}

#[test]
fn who_only_looks_runs_no_program_of_the_repository() {
    let repo = repo();
    repo.script(".git/monitor", "#!/bin/sh\ntouch .git/ran\nexit 1\n");
    repo.git(&["config", "core.fsmonitor", ".git/monitor"]);
    repo.run(&["check", "--staged"], "").succeeded();
    assert!(!repo.child(".git/ran").exists());
}

#[test]
fn what_its_user_may_not_look_at_is_no_setting_and_no_rule() {
    let base = || {
        let repo = repo();
        repo.child("../home/.config/git").create_dir_all().unwrap();
        for at in [repo.child(".."), repo.child("."), repo.child("../home")] {
            support::system::set_mode(&at, 0o777);
        }
        repo
    };
    for closed in [
        "../home",
        "../home/.config",
        "../home/.config/git",
        "../home/.gitconfig",
        "../home/.config/git/attributes",
        ".gitattributes",
        "src/.gitattributes",
    ] {
        let repo = base();
        if !repo.child(closed).exists() {
            repo.child(closed).write_str("*.txt text\n").unwrap();
        }
        let mut own = support::unix("chown");
        own.args(["-R", "12345"]).arg(repo.path());
        if !own.status().unwrap().success() {
            return eprintln!("skipped: only root can act for another user");
        }
        repo.chmod(closed, 0);
        let of_root = repo.child(closed);
        let _ = support::unix("chown").arg("0").arg(of_root.path()).status();
        let response = update("a.txt", "two", "2");
        for args in [&["check"][..], &["check", "--cached"]] {
            let home = repo.child("../home").path().display().to_string();
            let mut command = isolated(support::unix("setpriv"), repo.path());
            command.args(["--reuid=12345", "--regid=777", "--clear-groups"]);
            command.arg(program()).args(args);
            command.env("HOME", home);
            command.env_remove("GIT_CONFIG_GLOBAL");
            let mut run = run(&mut command, response.as_bytes());
            if run.stderr.contains("setpriv: failed to execute") {
                return eprintln!("skipped: another user can't reach {}", program());
            }
            if closed == "../home" && run.status == 3 {
                assert!(run.stderr.contains("set `HOME` to your own directory"));
                command.env("GIT_CONFIG_GLOBAL", "/dev/null");
                run = support::run(&mut command, response.as_bytes());
            }
            assert_eq!(run.status, 0, "{closed}: {}", run.stderr);
        }
    }
}

#[test]
fn a_file_that_git_takes_for_a_symbolic_link_is_no_file() {
    let repo = repo();
    let blob = repo.git_with_input(&["hash-object", "-w", "--stdin"], b"a.txt");
    let entry = format!("120000,{},link", blob.trim());
    repo.git(&["update-index", "--add", "--cacheinfo", &entry]);
    repo.git(&["commit", "-qm", "link"]);
    repo.git(&["config", "core.symlinks", "false"]);
    repo.git(&["checkout", "-q", "."]);
    let (link, file) = (
        update("link", "a.txt", "/etc/passwd"),
        update("a.txt", "two", "2"),
    );
    for is_there in [true, false] {
        for args in [
            &["check"][..],
            &["apply"],
            &["apply", "--index"],
            &["apply", "--commit", "-m", "x"],
            &["apply", "--cached"],
        ] {
            let run = repo.run(args, &link).ended(1);
            assert!(
                run.stderr
                    .starts_with("error[unsafe-path]: `link` is a symbolic link"),
                "{is_there} {args:?} {}",
                run.stderr
            );
        }
        assert_eq!(repo.child("link").exists(), is_there);
        let _ = std::fs::remove_file(repo.child("link"));
    }
    let added = envelope("*** Add File: link\n+/etc/passwd\n");
    repo.run(&["apply"], added).ended(1);
    repo.run(&["apply", "--index"], &file).succeeded();
    // What isn't tracked is a file, whatever it holds.
    repo.run(&["apply"], envelope("*** Add File: new\n+a.txt\n"))
        .succeeded();
    repo.run(&["apply"], update("new", "a.txt", "b"))
        .succeeded();
}

/// git's search for a repository ends at such a file, with an error.
#[test]
fn a_git_file_that_leads_nowhere_is_not_passed_over() {
    let outer = repo();
    outer.git(&["config", "llmpatch.protect", "a.txt"]);
    outer.git(&["worktree", "add", "-q", "../linked"]);
    let moved = outer.child("../moved");
    std::fs::rename(outer.child(".git"), moved.path()).unwrap();
    let in_linked = |program: &str, directory: &str, args: &[&str]| {
        let at = outer.child(format!("../linked/{directory}"));
        let mut command = isolated(Command::new(program), at.path());
        run(command.args(args), update("a.txt", "two", "2").as_bytes())
    };
    let commands: [&[&str]; 7] = [
        &["apply"],
        &["check"],
        &["diff"],
        &["undo"],
        &["recover"],
        &["snapshot"],
        &["apply", "--index"],
    ];
    let file = outer.child("../linked/.git");
    let leads = std::fs::read_to_string(file.path()).unwrap();
    for said in [&leads[..], "gitdir: nowhere\n", "", "something\n"] {
        file.write_str(said).unwrap();
        for directory in [".", "src"] {
            assert_eq!(in_linked("git", directory, &["status"]).status, 128);
            for args in commands {
                let run = in_linked(program(), directory, args).ended(3);
                let named = format!("linked/.git` says `{}`", said.trim_end());
                let stderr = run.stderr.replace('\\', "/");
                assert!(
                    stderr.contains(&named)
                        && stderr.contains("leads to no git repository")
                        && stderr.contains("git worktree repair"),
                    "{args:?} {stderr}"
                );
            }
        }
    }
    // Nor is the repository taken that is around it.
    std::fs::rename(moved.path(), outer.child(".git")).unwrap();
    outer.child("in/a.txt").write_str("two\n").unwrap();
    outer
        .child("in/.git")
        .write_str("gitdir: nowhere\n")
        .unwrap();
    let mut command = isolated(Command::new(program()), &outer.path().join("in"));
    let refused = run(
        command.arg("check"),
        update("src/b.txt", "b", "B").as_bytes(),
    )
    .ended(3);
    let stderr = refused.stderr.replace('\\', "/");
    assert!(stderr.contains("in/.git`"), "{stderr}");
    // One that leads somewhere does, and so does the one above the place where git stops.
    file.write_str(&leads).unwrap();
    for directory in [".", "src"] {
        let run = in_linked(program(), directory, &["check"]).ended(1);
        assert!(run.stderr.starts_with("error[protected]"), "{}", run.stderr);
    }
    file.write_str("gitdir: nowhere\n").unwrap();
    let src = outer.child("../linked/src");
    let mut command = isolated(Command::new(program()), src.path());
    command
        .env("GIT_CEILING_DIRECTORIES", src.path().parent().unwrap())
        .arg("check");
    run(&mut command, update("b.txt", "b", "B").as_bytes()).succeeded();
}

/// Runs our program as another user of some groups; `None` where that can't be.
pub(super) fn as_user(
    repo: &Repo,
    user: u32,
    groups: &str,
    args: &[&str],
    input: &str,
) -> Option<Run> {
    if !support::system::is_root() {
        eprintln!("skipped: only root can act for another user");
        return None;
    }
    let mut command = isolated(support::unix("setpriv"), repo.path());
    command.args([
        &format!("--reuid={user}"),
        "--regid=777",
        &format!("--groups={groups}"),
    ]);
    // Another user may reach neither the directory of temporary files nor that of programs.
    let (copy, mut probe) = (
        repo.child("../git-llmpatch"),
        isolated(support::unix("setpriv"), repo.path()),
    );
    if !copy.exists() {
        // What is open for writing here may be open in what another test begins to run, and couldn't be run.
        let copied = support::unix("cp").arg(program()).arg(copy.path()).status();
        assert!(copied.unwrap().success());
    }
    if !probe
        .args(command.get_args())
        .args(["test", "-x"])
        .arg(copy.path())
        .status()
        .unwrap()
        .success()
    {
        eprintln!(
            "skipped: another user can't reach {}",
            repo.path().display()
        );
        return None;
    }
    command.arg(copy.path()).args(args);
    command
        .env("GIT_CONFIG_COUNT", "1")
        .env("GIT_CONFIG_KEY_0", "safe.directory")
        .env("GIT_CONFIG_VALUE_0", "*");
    let global = repo.child("../global");
    std::fs::write(&global, "[safe]\n\tdirectory = *\n").unwrap();
    command
        .env("GIT_CONFIG_GLOBAL", global.path())
        .env("HOME", repo.child("..").path());
    Some(run(&mut command, input.as_bytes()))
}

pub(super) fn give(repo: &Repo, user: u32, group: u32, mode: &str) {
    let top = repo.path();
    let above = top.parent().unwrap();
    let did = |name: &str, args: &[&str]| {
        assert!(
            support::unix(name)
                .args(args)
                .arg(above)
                .status()
                .unwrap()
                .success()
        )
    };
    did("chown", &["-R", &format!("{user}:{group}")]);
    did("chmod", &["-R", mode]);
}

#[test]
fn another_owners_repository_is_trusted_where_git_trusts_it() {
    if !support::system::is_root() {
        eprintln!("skipped: only root can give away a repository");
        return;
    }
    let repo = repo();
    give(&repo, 12_345, 777, "u+rwX");
    let top = repo.path().display().to_string();
    let above = repo.path().parent().unwrap().display().to_string();
    symlink(repo.path(), repo.child("../link"));
    let global = repo.child("../global");
    let directory = |value: &str| format!("[safe]\n\tdirectory = {value}\n");
    let mut verdicts = Vec::new();
    for (config, variables) in [
        (String::new(), vec![]),
        (directory(&top), vec![]),
        (directory(&format!("{top}/")), vec![]),
        (directory(&format!("{above}/*")), vec![]),
        (directory(&format!("{above}/w*")), vec![]),
        (directory(&format!("{above}/link")), vec![]),
        (directory("~/work"), vec![("HOME", above.as_str())]),
        (directory("*"), vec![]),
        (directory("*") + &directory(""), vec![]),
        (directory("."), vec![]),
        (String::new(), vec![("SUDO_UID", "12345")]),
        (String::new(), vec![("SUDO_UID", "12346")]),
        (String::new(), vec![("GIT_DIR", ".git")]),
        (
            String::new(),
            vec![("GIT_CONFIG_PARAMETERS", "'safe.directory'='*'")],
        ),
        (
            String::new(),
            vec![
                ("GIT_CONFIG_COUNT", "1"),
                ("GIT_CONFIG_KEY_0", "safe.directory"),
                ("GIT_CONFIG_VALUE_0", &top),
            ],
        ),
    ] {
        std::fs::write(&global, &config).unwrap();
        let with = |program: &str, args: &[&str], input: &str| {
            let mut command = isolated(Command::new(program), repo.path());
            command
                .args(args)
                .env("GIT_CONFIG_GLOBAL", global.path())
                .envs(variables.iter().copied());
            run(&mut command, input.as_bytes())
        };
        let git = with("git", &["status"], "").status == 0;
        for args in [
            &["check"][..],
            &["check", "--cached"],
            &["apply", "--index", "--check"],
        ] {
            let ours = with(program(), args, &update("a.txt", "two", "2"));
            assert_eq!(
                ours.status,
                if git { 0 } else { 3 },
                "{config} {variables:?} {args:?}: {}",
                ours.stderr
            );
            assert!(
                git || ours.stderr.contains("safe.directory"),
                "{}",
                ours.stderr
            );
        }
        verdicts.push(git);
    }
    assert!(verdicts.contains(&true) && verdicts.contains(&false));
}

#[test]
fn what_a_file_allows_is_never_more_afterwards() {
    let response = update("a.txt", "two", "2");
    let repo = repo();
    give(&repo, 12_345, 777, "u+rwX");
    support::system::give_to_group(&repo.child("a.txt"), 888);
    repo.chmod("a.txt", 0o6754);
    // Who isn't in the file's group can't give it to that; nobody may do more for that.
    let Some(run) = as_user(&repo, 12_345, "777", &["apply"], &response) else {
        return;
    };
    assert!(
        run.status == 0 && run.stderr.contains("[rights]"),
        "{}{}",
        run.stdout,
        run.stderr
    );
    assert!(
        run.stderr.contains("its set-id bits") && run.stderr.contains("its group"),
        "{}",
        run.stderr
    );
    assert_eq!(repo.mode("a.txt") & 0o7777, 0o744, "{}", run.stderr);
    as_user(&repo, 12_345, "777", &["undo"], "")
        .unwrap()
        .succeeded();
    // Who is can.
    support::system::give_to_group(&repo.child("a.txt"), 888);
    repo.chmod("a.txt", 0o660);
    let run = as_user(&repo, 12_345, "777,888", &["apply"], &response)
        .unwrap()
        .succeeded();
    assert_eq!(run.stderr, "");
    let rights = (
        repo.mode("a.txt"),
        support::system::group(&repo.child("a.txt")),
    );
    assert_eq!(rights, (0o660, 888));
}

#[test]
#[cfg(target_os = "linux")]
fn access_lists_and_attributes_are_kept() {
    use rustix::fs::{XattrFlags, getxattr, setxattr};
    let repo = repo();
    let file = repo.child("a.txt");
    // user::rw-, user:12345:r--, group::---, mask::r--, other::---, as the kernel keeps it.
    let entries: [(u16, u16, u32); 5] = [
        (1, 6, u32::MAX),
        (2, 4, 12_345),
        (4, 0, u32::MAX),
        (0x10, 4, u32::MAX),
        (0x20, 0, u32::MAX),
    ];
    let mut list = 2_u32.to_le_bytes().to_vec();
    for (tag, bits, id) in entries {
        list.extend(
            [
                &tag.to_le_bytes()[..],
                &bits.to_le_bytes(),
                &id.to_le_bytes(),
            ]
            .concat(),
        );
    }
    for (name, value) in [
        ("user.mine", &b"mine"[..]),
        ("system.posix_acl_access", &list),
    ] {
        if setxattr(file.path(), name, value, XattrFlags::empty()).is_err() {
            eprintln!("skipped: no {name} to be had here");
            return;
        }
    }
    let mode = repo.mode("a.txt");
    let run = repo
        .run(&["apply"], update("a.txt", "two", "2"))
        .succeeded();
    assert_eq!((run.stderr.as_str(), repo.mode("a.txt")), ("", mode));
    for (name, value) in [
        ("user.mine", &b"mine"[..]),
        ("system.posix_acl_access", &list),
    ] {
        let mut buffer = [0; 256];
        let length = getxattr(file.path(), name, &mut buffer[..]).unwrap();
        assert_eq!(&buffer[..length], value, "{name}");
    }
}

#[test]
#[cfg(target_os = "macos")]
fn access_lists_and_attributes_are_kept() {
    let repo = repo();
    let ran = |words: &[&str]| {
        let output = Command::new(words[0])
            .args(&words[1..])
            .current_dir(repo.path())
            .output()
            .unwrap();
        assert!(output.status.success(), "{words:?} {output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    let entries = || {
        let listed = ran(&["ls", "-le", "a.txt"]);
        let entries = listed.lines().skip(1).map(str::to_owned);
        entries.collect::<Vec<_>>()
    };
    ran(&["xattr", "-w", "user.mine", "mine", "a.txt"]);
    ran(&["chmod", "+a", "everyone allow read,readattr", "a.txt"]);
    let list = entries();
    assert_eq!(list.len(), 1, "{list:?}");
    // Longer than attributes are on Linux.
    let fork = repo.path().join("a.txt/..namedfork/rsrc");
    std::fs::write(&fork, [7; 100_000]).unwrap();
    let run = repo
        .run(&["apply"], update("a.txt", "two", "2"))
        .succeeded();
    assert_eq!((run.stderr.as_str(), entries()), ("", list));
    assert_eq!(ran(&["xattr", "-p", "user.mine", "a.txt"]), "mine\n");
    assert!(std::fs::read(&fork).unwrap() == [7; 100_000]);

    // What new files inherit isn't for a file that had no list.
    ran(&["chmod", "-N", "a.txt"]);
    ran(&["chmod", "+a", "everyone allow read,file_inherit", "."]);
    let run = repo.run(&["apply"], update("a.txt", "2", "3")).succeeded();
    assert_eq!((run.stderr.as_str(), entries()), ("", vec![]));
}

#[test]
fn a_shared_repository_works_for_every_member() {
    let repo = repo();
    repo.git(&["config", "core.sharedRepository", "group"]);
    give(&repo, 12_345, 777, "g+rwX");
    assert!(
        support::unix("sh")
            .args(["-c", "find . -type d -exec chmod g+s {} +"])
            .current_dir(repo.path())
            .status()
            .unwrap()
            .success()
    );
    for (number, user) in [12_345, 12_346, 12_345, 12_346, 12_347]
        .into_iter()
        .enumerate()
    {
        let response = envelope(&format!(
            "*** Add File: new-{number}.txt\n+number {number}\n"
        ));
        for args in [
            &["apply", "--index"][..],
            &["undo"],
            &["apply", "--commit", "-m", "x"],
        ] {
            let Some(run) = as_user(&repo, user, "777", args, &response) else {
                return;
            };
            assert_eq!(
                run.status, 0,
                "{user} {args:?} {}{}",
                run.stdout, run.stderr
            );
            // The next member may have something to put into the same directory.
            let narrow = [
                "-type",
                "d",
                "!",
                "-perm",
                "-g=w",
                "-not",
                "-path",
                "*/llmpatch-*",
            ];
            let found = support::unix("find")
                .arg(".git")
                .args(narrow)
                .current_dir(repo.path())
                .output()
                .unwrap();
            assert_eq!(
                String::from_utf8_lossy(&found.stdout),
                "",
                "{user} {args:?}"
            );
        }
    }
}
