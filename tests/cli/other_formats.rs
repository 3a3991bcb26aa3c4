//! Repositories with SHA-256, and those that libgit2 doesn't open: with references in reftable, or
//! another extension.

use std::process::Command;

use assert_fs::prelude::*;

use super::support::{self, Repo, isolated};
use super::{envelope, update};

const SHA256: &str = "--object-format=sha256";
const REFTABLE: &str = "--ref-format=reftable";

/// Makes one again in this format, with two commits.
fn scene(format: &str) -> Repo {
    // Filters, and encodings that git converts.
    support::needs(support::Need::Shell);
    support::needs(support::Need::Encodings);
    support::needs(support::Need::NewGit);
    let repo = Repo::empty();
    std::fs::remove_dir_all(repo.child(".git")).unwrap();
    repo.git(&["init", "-q", "-b", "main", format]);
    repo.git(&["config", "filter.up.clean", "tr a-z A-Z"]);
    repo.git(&["config", "filter.up.smudge", "tr A-Z a-z"]);
    let rules = "*.u16 working-tree-encoding=UTF-16LE\n*.crlf eol=crlf\n*.up filter=up\n";
    for (path, content) in [
        (".gitattributes", rules),
        ("a.txt", "one\ntwo\n"),
        ("a.u16", "1\0\n\x002\0\n\0"),
        ("a.crlf", "one\r\ntwo\r\n"),
        ("a.up", "one\ntwo\n"),
        ("gone/a.txt", "x\n"),
    ] {
        repo.child(path).write_str(content).unwrap();
    }
    repo.commit("base");
    repo.git(&["commit", "-q", "--allow-empty", "-m", "empty"]);
    repo
}

fn response() -> String {
    let sections = "*** Update File: a.txt\n@@\n-two\n+zwei\n*** Update File: a.u16\n@@\n-2\n+3\n*** Update File: a.crlf\n\
        @@\n-two\n+zwei\n*** Update File: a.up\n@@\n-two\n+zwei\n*** Add File: new/n.crlf\n+neu\n*** Delete File: gone/a.txt\n";
    envelope(sections)
}

fn by_hand(repo: &Repo) {
    for (path, content) in [
        ("a.txt", "one\nzwei\n"),
        ("a.u16", "1\0\n\x003\0\n\0"),
        ("a.crlf", "one\r\nzwei\r\n"),
        ("a.up", "one\nzwei\n"),
        ("new/n.crlf", "neu\r\n"),
    ] {
        repo.child(path).write_str(content).unwrap();
    }
    std::fs::remove_dir_all(repo.child("gone")).unwrap();
}

#[track_caller]
fn compare(ours: &Repo, git: &Repo, what: &str) {
    assert_eq!(ours.files(), git.files(), "{what}");
    for args in [
        &["status", "--porcelain=v2"][..],
        &["ls-files", "-s", "-v"],
        &["fsck", "--no-dangling"],
    ] {
        assert_eq!(ours.git(args), git.git(args), "{what}");
    }
}

#[test]
fn the_work_tree_is_changed_and_changed_back() {
    for format in [SHA256, REFTABLE] {
        let base = scene(format);
        let (ours, git) = (base.copied(), base.copied());
        by_hand(&git);
        ours.run(&["check"], response()).succeeded();
        let diff = ours.run(&["diff"], response()).succeeded().stdout;
        git.git(&["add", "-A"]);
        assert_eq!(diff, git.git(&["diff", "--cached"]), "{format}");
        git.git(&["reset", "-q"]);
        let patched = base.copied();
        patched.git_with_input(&["apply", "-"], diff.as_bytes());
        compare(&patched, &git, "git apply");
        ours.run(&["apply"], response()).succeeded();
        compare(&ours, &git, format);
        let run = ours.run(&["apply"], update("a.txt", "two", "2")).ended(1);
        assert!(
            run.stderr.contains("error[lines-not-found]"),
            "{}",
            run.stderr
        );
        let run = ours
            .run(&["apply"], envelope("*** Delete File: a.tx\n"))
            .ended(1);
        assert!(run.stderr.contains("error[file-missing]"), "{}", run.stderr);
        let converted = base
            .run(&["convert", "--to=opx"], response())
            .succeeded()
            .stdout;
        ours.run(&["undo"], "").succeeded();
        compare(&ours, &base, format);
        ours.run(&["apply"], converted).succeeded();
        compare(&ours, &git, format);
    }
}

#[test]
fn what_is_staged_is_looked_at_before_the_first_commit_too() {
    support::needs(support::Need::NewGit);
    for format in [SHA256, REFTABLE] {
        let repo = Repo::empty();
        std::fs::remove_dir_all(repo.child(".git")).unwrap();
        repo.git(&["init", "-q", "-b", "main", format]);
        repo.child("a.txt").write_str("one\n").unwrap();
        repo.git(&["add", "a.txt"]);
        repo.run(&["check", "--staged"], "").succeeded();
        repo.child("a.txt").write_str("*** End Patch\n").unwrap();
        repo.git(&["add", "a.txt"]);
        let run = repo.run(&["check", "--staged"], "").ended(1);
        assert!(run.stdout.contains("a.txt"), "{format} {}", run.stdout);
    }
}

#[test]
fn a_submodule_is_told_from_a_directory() {
    let base = scene(SHA256);
    let id = base.git(&["rev-parse", "HEAD"]);
    base.git(&[
        "update-index",
        "--add",
        "--cacheinfo",
        &format!("160000,{},sub", id.trim()),
    ]);
    base.child("sub").create_dir_all().unwrap();
    let run = base
        .run(&["apply"], envelope("*** Add File: sub/x\n+x\n"))
        .ended(1);
    assert!(
        run.stderr.contains("error[unsafe-path]") && run.stderr.contains("a submodule"),
        "{}",
        run.stderr
    );
}

#[test]
fn what_needs_objects_is_refused_where_they_are_kept_in_another_way_and_nothing_changes() {
    support::needs(support::Need::NewGit);
    for args in [
        &["apply", "--index"][..],
        &["apply", "--cached"],
        &["apply", "--commit", "-m", "x"],
        &["apply", "--intent-to-add"],
        &["check", "--cached"],
        &["check", "--onto=HEAD"],
        &["check", "--staged"],
        &["show", "--to=opx", "HEAD"],
        &["show", "--to=opx", "HEAD~1..HEAD"],
    ] {
        let base = scene(SHA256);
        base.git(&["config", "extensions.compatObjectFormat", "sha1"]);
        let ours = base.copied();
        let run = ours.run(args, response()).ended(3);
        let said = "error[repository]: this repository uses an extension of the format";
        assert!(
            run.stderr.contains(said) && run.stderr.contains("change its work tree alone"),
            "{}",
            run.stderr
        );
        compare(&ours, &base, &args.join(" "));
    }
}

#[test]
fn the_index_is_changed_and_commits_are_shown() {
    for format in [SHA256, REFTABLE] {
        let base = scene(format);
        let git = base.copied();
        by_hand(&git);
        git.git(&["add", "-A"]);
        let diff = git.git(&["diff", "--cached"]);
        let patched = base.copied();
        patched.git(&["update-index", "-q", "--refresh"]);
        patched.git_with_input(&["apply", "--index", "-"], diff.as_bytes());
        compare(&patched, &git, "git apply");
        let ours = base.copied();
        assert_eq!(ours.run(&["diff"], response()).succeeded().stdout, diff);
        ours.run(&["apply", "--index"], response()).succeeded();
        compare(&ours, &git, "--index");
        ours.run(&["undo"], "").succeeded();
        compare(&ours, &base, "undo");
        ours.run(&["check", "--cached"], update("a.txt", "two", "zwei"))
            .succeeded();
        ours.run(&["apply", "--cached"], update("a.txt", "two", "zwei"))
            .succeeded();
        assert_eq!(ours.git(&["show", ":a.txt"]), "one\nzwei\n");
        git.git(&["commit", "-q", "-m", "x"]);
        git.git(&["branch", "side"]);
        let id = git.git(&["rev-parse", "HEAD"]);
        for named in ["HEAD", "side", "main~2..side", id.trim(), &id[..9]] {
            let shown = git
                .run(&["show", "--to=envelope", named], "")
                .succeeded()
                .stdout;
            let ours = base.copied();
            ours.run(&["apply", "--index"], shown).succeeded();
            assert_eq!(
                ours.git(&["write-tree"]),
                git.git(&["rev-parse", "HEAD^{tree}"]),
                "{named}"
            );
        }
        git.run(&["check", "--onto=side~1"], response()).succeeded();
        let run = git.run(&["check", "--onto=nobody"], response()).ended(2);
        assert!(
            run.stderr.contains("`nobody` names no commit here"),
            "{}",
            run.stderr
        );
    }
}

#[test]
fn a_commit_is_what_git_makes() {
    for format in [SHA256, REFTABLE] {
        let base = scene(format);
        base.child("other.txt")
            .write_str("staged before\n")
            .unwrap();
        base.git(&["add", "other.txt"]);
        let git = base.copied();
        by_hand(&git);
        git.git(&["add", "a.txt", "a.u16", "a.crlf", "a.up", "new", "gone"]);
        git.git(&[
            "commit", "-q", "-m", "x", "--only", "a.txt", "a.u16", "a.crlf", "a.up", "new", "gone",
        ]);
        let ours = base.copied();
        let run = ours
            .run(&["apply", "--commit", "-m", "x"], response())
            .succeeded();
        assert!(run.stdout.contains("[main "), "{}", run.stdout);
        compare(&ours, &git, format);
        for args in [
            &["log", "--format=%T %s", "-3"][..],
            &["reflog", "--format=%gs"],
            &["symbolic-ref", "HEAD"],
        ] {
            assert_eq!(ours.git(args), git.git(args), "{format}");
        }
        ours.run(&["undo"], "").succeeded();
        compare(&ours, &base, format);
        // The file that a hook adds is in the commit, and what a hook refuses is put back.
        let ours = base.copied();
        ours.script(
            ".git/hooks/pre-commit",
            "#!/bin/sh\necho h >hook.txt; git add hook.txt\n",
        );
        ours.run(&["apply", "--commit", "-m", "x"], response())
            .succeeded();
        assert_eq!(ours.git(&["show", "HEAD:hook.txt"]), "h\n");
        assert_eq!(ours.git(&["status", "--porcelain"]), "A  other.txt\n");
        let ours = base.copied();
        ours.script(".git/hooks/commit-msg", "#!/bin/sh\nexit 1\n");
        ours.run(&["apply", "--commit", "-m", "x"], response())
            .ended(3);
        compare(&ours, &base, "refused by a hook");
        // A branch without commits, and a HEAD on none.
        let ours = base.copied();
        ours.git(&["checkout", "-q", "--orphan", "new"]);
        ours.git(&["rm", "-rqf", "--cached", "."]);
        let made = envelope("*** Add File: first\n+1\n");
        ours.run(&["apply", "--commit", "-m", "x"], &made)
            .succeeded();
        assert_eq!(ours.git(&["ls-tree", "--name-only", "new"]), "first\n");
        let ours = base.copied();
        ours.git(&["checkout", "-q", "--detach"]);
        ours.run(&["apply", "--commit", "-m", "x"], &made)
            .succeeded();
        assert_eq!(
            ours.git(&["rev-parse", "HEAD~1"]),
            base.git(&["rev-parse", "main"])
        );
        // A linked work tree commits to its own branch; a pick that waits is for git to end.
        let ours = base.copied();
        ours.git(&["worktree", "add", "-q", "../linked"]);
        let linked = ours.child("../linked");
        let mut apply = isolated(Command::new(support::program()), &linked);
        support::run(
            apply.args(["apply", "--commit", "-m", "x"]),
            made.as_bytes(),
        )
        .succeeded();
        assert_eq!(
            ours.git(&["rev-parse", "linked~1", "HEAD"]),
            base.git(&["rev-parse", "main", "main"])
        );
        std::fs::write(linked.join("a.txt"), "three\n").unwrap();
        support::run(
            isolated(Command::new("git"), &linked).args(["commit", "-qam", "x"]),
            b"",
        )
        .succeeded();
        ours.child("a.txt").write_str("four\n").unwrap();
        ours.git(&["commit", "-qam", "x"]);
        support::run(
            isolated(Command::new("git"), ours.path()).args(["cherry-pick", "linked"]),
            b"",
        )
        .ended(1);
        let run = ours.run(&["apply", "--commit", "-m", "x"], &made).ended(3);
        assert!(
            run.stderr.contains("a cherry-pick is in progress"),
            "{}",
            run.stderr
        );
    }
}

#[test]
#[cfg(target_os = "linux")]
fn an_apply_that_is_killed_is_recovered() {
    let base = scene(SHA256);
    let after = base.copied();
    by_hand(&after);
    let is_there = Command::new("strace").arg("-V").output().is_ok();
    assert!(
        is_there || std::env::var_os("FAULTS").is_none(),
        "strace is needed"
    );
    if !is_there {
        return eprintln!("other formats: SKIPPED, since there is no strace");
    }
    let mut killed = 0;
    for nth in 1..30 {
        let ours = base.copied();
        ours.child("../response").write_str(&response()).unwrap();
        let mut command = isolated(Command::new("strace"), ours.path());
        command.args(["-qq", "-o", "/dev/null", "-e"]);
        command.arg(format!(
            "inject=rename,renameat,renameat2,unlinkat:signal=KILL:when={nth}"
        ));
        command.args([support::program(), "apply", "-q", "../response"]);
        killed += usize::from(support::run(&mut command, b"").status != 0);
        ours.run(&["recover"], "").succeeded();
        assert!(
            ours.files() == base.files() || ours.files() == after.files(),
            "{nth}: {:?}",
            ours.files()
        );
        super::recover::tidy(&ours);
    }
    assert!(killed > 5, "it was killed {killed} times");
}
