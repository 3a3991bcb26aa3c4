use std::process::Command;

use assert_fs::prelude::*;

use super::recover::is_in_use;
use super::support::documents::document;
use super::support::{Repo, US, isolated, path};
use super::{envelope, opx, repo, support, update};

#[test]
fn a_commit_is_announced_and_holds_exactly_the_change() {
    let repo = repo();
    repo.child("src/b.txt").write_str("staged\n").unwrap();
    repo.git(&["add", "src/b.txt"]);
    let run = repo
        .run(&["apply", "--commit"], update("a.txt", "two", "2"))
        .succeeded();
    let id = repo.git(&["rev-parse", "--short", "HEAD"]);
    let want = format!(
        "M a.txt\n[main {}] Update a.txt\n 1 file changed, 1 insertion(+), 1 deletion(-)\n",
        id.trim()
    );
    assert_eq!(run.stdout, want);
    assert_eq!(
        repo.git(&["show", "--format=", "--name-status"]),
        "M\ta.txt\n"
    );
    assert_eq!(
        repo.git(&["diff", "--cached", "--name-only"]),
        "src/b.txt\n"
    );
}

#[test]
fn messages_come_from_options_else_from_notes_else_from_what_is_done() {
    let two = [
        opx("a.txt", "# Count in digits", "two", "2"),
        opx("src/b.txt", "Shout", "b", "B"),
    ]
    .concat();
    let one = opx("a.txt", "Count &lt;in&gt;\n    digits", "two", "2");
    let plain = envelope("*** Update File: a.txt\n@@\n-two\n+2\n*** Delete File: src/b.txt\n");
    for (args, response, want) in [
        (&[][..], &one, "Count <in> digits\n"),
        (
            &[],
            &two,
            "Apply 2 edits to 2 files\n\n- a.txt: # Count in digits\n- src/b.txt: Shout\n",
        ),
        (
            &[],
            &opx("a.txt", "#1 is fixed", "two", "2"),
            "#1 is fixed\n",
        ),
        (&[], &plain, "Update a.txt, delete src/b.txt\n"),
        (
            &["-m", "First", "-m", "Second\nline"],
            &one,
            "First\n\nSecond\nline\n",
        ),
        (&["-m", "-dash"], &one, "-dash\n"),
        (&["-F", "message"], &one, "From a file\n"),
        (
            &["-m", "x", "-s"],
            &one,
            "x\n\nSigned-off-by: Carl Committer <carl@example.com>\n",
        ),
        (
            &["-m", "x", "--trailer", "Why: not"],
            &one,
            "x\n\nWhy: not\n",
        ),
        (&["-m", "", "--trailer", "Why: not"], &one, "Why: not\n"),
    ] {
        let repo = repo();
        repo.child("message").write_str("From a file\n").unwrap();
        let args = [&["apply", "--commit"], args].concat();
        repo.run(&args, response).succeeded();
        assert_eq!(
            repo.git(&["log", "-1", "--format=%B"]).trim_end(),
            want.trim_end(),
            "{args:?}"
        );
    }
}

#[test]
fn authors_and_dates_are_as_given() {
    let repo = repo();
    let args = [
        "apply",
        "--commit",
        "--author",
        "Bo <bo@example.com>",
        "--date",
        "2020-02-02T02:02:02Z",
    ];
    repo.run(&args, update("a.txt", "two", "2")).succeeded();
    assert_eq!(
        repo.git(&["log", "-1", "--format=%an %ae %as %cn"]),
        "Bo bo@example.com 2020-02-02 Carl Committer\n"
    );
}

#[test]
fn authors_dates_and_editors_that_are_none_are_refused_before_anything_is_touched() {
    let repo = repo();
    let seen = || {
        (
            repo.files(),
            repo.git(&["log", "--all", "--format=%an %at"]),
            repo.child(".git/COMMIT_EDITMSG").exists(),
        )
    };
    let before = seen();
    // Whoever looks at the directory sees that it was not touched even for a moment.
    let inode = || support::system::inode(&repo.child("a.txt"));
    let file = inode();
    for (args, said) in [
        (
            ["--author", "nobody at all"],
            "`nobody at all` isn't an author that git accepts",
        ),
        (["--author", "A <b"], "`A <b` isn't an author"),
        (["--author", "a@b>"], "`a@b>` isn't an author"),
        (["--author", "<a@b>"], "`<a@b>` isn't an author"),
        (["--author", "["], "`[` isn't an author"),
        (
            ["--date", "gibberish"],
            "`gibberish` isn't a date that git accepts",
        ),
        (["--date", ""], "`` isn't a date"),
        (["--date", "never"], "`never` isn't a date"),
        (["--date", "all"], "`all` isn't a date"),
    ] {
        let args = [&["apply", "--commit"][..], &args].concat();
        let run = repo.run(&args, update("a.txt", "two", "2")).ended(2);
        assert!(
            run.stderr.starts_with(&format!("error[usage]: {said}")),
            "{}",
            run.stderr
        );
        assert!(
            run.stderr.ends_with("nothing was changed\n") && run.stderr.contains("help: "),
            "{}",
            run.stderr
        );
        assert_eq!((seen(), inode()), (before.clone(), file), "{args:?}");
    }
    let mut command = repo.command();
    command
        .args(["apply", "--commit", "--edit"])
        .env("TERM", "dumb");
    let run = support::run(&mut command, update("a.txt", "two", "2").as_bytes()).ended(3);
    assert!(
        run.stderr
            .starts_with("error[repository]: git knows no editor for the commit message"),
        "{}",
        run.stderr
    );
    assert_eq!((seen(), inode()), (before, file));
}

#[test]
fn authors_and_dates_are_what_git_takes_them_for() {
    let repo = repo();
    for (author, date, want) in [
        // Somebody in this history, by a pattern.
        (
            "^ANN a",
            "@86400 +0000",
            "Ann Author <ann@example.com> 1970-01-02",
        ),
        (
            "Bo<bo@example.com>",
            "2001-02-03 04:05:06",
            "Bo <bo@example.com> 2001-02-03",
        ),
        (
            "Bo <>",
            "Sat, 03 Feb 2001 04:05:06 +0000",
            "Bo <> 2001-02-03",
        ),
        ("example.com>", "2001-02-03", ""),
    ] {
        let old = repo.text("a.txt");
        let last = old.lines().next().unwrap().to_owned();
        let args = ["apply", "--commit", "--author", author, "--date", date];
        let run = repo.run(&args, update("a.txt", &last, &format!("{last}+")));
        if want.is_empty() {
            run.ended(2);
            continue;
        }
        run.succeeded();
        assert_eq!(
            repo.git(&["log", "-1", "--format=%an <%ae> %as"]),
            format!("{want}\n")
        );
    }
    repo.run(
        &["apply", "--commit", "--date", "yesterday"],
        update("src/b.txt", "b", "B"),
    )
    .succeeded();
}

#[test]
fn a_check_foresees_that_the_repository_takes_no_commit() {
    for (args, merges, said) in [
        (
            &["--author", "nobody at all"][..],
            false,
            "error[usage]: `nobody at all`",
        ),
        (&[], true, "error[repository]: a merge is in progress\n"),
    ] {
        let repo = repo();
        if merges {
            repo.child(".git/MERGE_HEAD")
                .write_str(&repo.git(&["rev-parse", "HEAD"]))
                .unwrap();
        }
        for preview in [&[][..], &["--check"]] {
            let run = repo
                .run(
                    &[&["apply", "--commit"], args, preview].concat(),
                    update("a.txt", "two", "2"),
                )
                .ended(if merges { 3 } else { 2 });
            assert!(run.stderr.contains(said), "{preview:?} {}", run.stderr);
        }
        let diff = [&["apply", "--commit", "--diff"], args].concat();
        repo.run(&diff, update("a.txt", "two", "2")).succeeded();
    }
}

#[test]
fn a_hook_that_says_no_has_everything_put_back() {
    let repo = repo();
    repo.script(
        ".git/hooks/pre-commit",
        "#!/bin/sh\necho no such luck >&2\nexit 7\n",
    );
    let before = repo.files();
    let run = repo
        .run(&["apply", "--commit"], update("a.txt", "two", "2"))
        .ended(3);
    assert!(run.stderr.contains("\nerror[hook]: "), "{}", run.stderr);
    assert!(run.stderr.contains("no such luck"), "{}", run.stderr);
    assert!(run.stderr.contains(" was "), "{}", run.stderr);
    assert_eq!(repo.files(), before);
    assert_eq!(repo.git(&["status", "--porcelain"]), "");
    repo.run(
        &["apply", "--commit", "--no-verify"],
        update("a.txt", "two", "2"),
    )
    .succeeded();
}

/// As with git, what is counted is what the commit holds.
#[test]
fn what_a_hook_changed_is_said_and_counted() {
    for (script, paths, sum) in [
        (
            "sed -i.was s/2/2.0/ a.txt; rm a.txt.was; git add a.txt",
            Some("`a.txt`"),
            " 1 file changed, 1 insertion(+), 1 deletion(-)\n",
        ),
        (
            "echo more >>a.txt; echo x >x; git add a.txt x",
            Some("`a.txt`, `x`"),
            " 2 files changed, 3 insertions(+), 1 deletion(-)\n",
        ),
        (
            "git rm -q --cached src/b.txt",
            Some("`src/b.txt`"),
            " 2 files changed, 1 insertion(+), 2 deletions(-)\n",
        ),
        (
            "git mv src/b.txt b.txt",
            Some("`b.txt`, `src/b.txt`"),
            " 2 files changed, 1 insertion(+), 1 deletion(-)\n",
        ),
        (
            "echo unstaged >>src/c.txt",
            None,
            " 1 file changed, 1 insertion(+), 1 deletion(-)\n",
        ),
        (
            "true",
            None,
            " 1 file changed, 1 insertion(+), 1 deletion(-)\n",
        ),
    ] {
        let repo = repo();
        repo.script(".git/hooks/pre-commit", &format!("#!/bin/sh\n{script}\n"));
        let run = repo
            .run(&["apply", "--commit"], update("a.txt", "two", "2"))
            .succeeded();
        let said = "warning: the commit doesn't hold just this change: a hook changed ";
        let want = paths.map(|paths| format!("{said}{paths} [hook-changed]\n"));
        assert_eq!(
            run.stderr.split_inclusive('\n').next(),
            want.as_deref(),
            "{script}: {}",
            run.stderr
        );
        assert!(run.stdout.ends_with(sum), "{script}: {}", run.stdout);
        assert_eq!(
            repo.git(&["show", "--shortstat", "--format="]),
            sum,
            "{script}"
        );
    }
    let repo = repo();
    repo.script(".git/hooks/pre-commit", "#!/bin/sh\necho x >x; git add x\n");
    let run = repo
        .run(
            &["apply", "--commit", "--json"],
            update("a.txt", "two", "2"),
        )
        .succeeded();
    assert!(
        run.stdout.contains(r#""kind":"hook-changed""#),
        "{}",
        run.stdout
    );
    assert!(run.stdout.contains("a hook changed `x`"), "{}", run.stdout);
}

#[test]
fn a_reference_that_somebody_holds_is_locked_and_named() {
    for name in ["refs/heads/main.lock", "HEAD.lock"] {
        let repo = repo();
        repo.git(&["config", "llmpatch.lockTimeout", "0"]);
        let before = repo.files();
        for (hook, state) in [
            ("", "nothing was changed\n"),
            ("pre-commit", "everything was put back\n"),
        ] {
            if hook.is_empty() {
                repo.child(format!(".git/{name}")).write_str("").unwrap();
            } else {
                std::fs::remove_file(repo.child(".git").join(name)).unwrap();
                repo.script(
                    ".git/hooks/pre-commit",
                    &format!("#!/bin/sh\n: >.git/{name}\n"),
                );
            }
            let run = repo
                .run(&["apply", "--commit"], update("a.txt", "two", "2"))
                .ended(3);
            assert!(
                run.stderr.contains("error[locked]: `"),
                "{hook} {}",
                run.stderr
            );
            assert!(
                run.stderr
                    .contains(&format!("/.git/{name}` is held by another program")),
                "{}",
                run.stderr
            );
            assert!(run.stderr.ends_with(state), "{hook} {}", run.stderr);
            assert!(
                repo.child(format!(".git/{name}")).exists(),
                "it isn't ours to remove"
            );
            assert_eq!(repo.files(), before);
            assert_eq!(repo.git(&["log", "--format=%s"]), "base\n");
        }
        // Nobody else is kept out by it.
        repo.run(&["apply", "--index"], update("a.txt", "two", "2"))
            .succeeded();
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_lock_that_came_while_a_dead_commit_ran_is_named_and_left() {
    for name in ["refs/heads/main.lock", "HEAD.lock", "packed-refs.lock"] {
        let repo = repo();
        let before = repo.files();
        // Whoever made it may live where nobody sees it from here.
        repo.script(
            ".git/hooks/pre-commit",
            &format!("#!/bin/sh\n{US}\n: >.git/{name}\nkill -KILL $us\nexit 1\n"),
        );
        repo.child("../response")
            .write_str(&update("a.txt", "two", "2"))
            .unwrap();
        let output = repo
            .command()
            .args(["apply", "--commit", "../response"])
            .output()
            .unwrap();
        assert_eq!(output.status.code(), None);
        while is_in_use(&repo) {
            std::thread::yield_now();
        }
        let run = repo.run(&["recover"], "");
        assert!(
            repo.child(".git").join(name).exists(),
            "{name}: it isn't ours to remove"
        );
        let said = run.stdout + &run.stderr;
        assert!(
            run.status == 3 && said.contains(&format!("/.git/{name}`")),
            "{name}: {} {said}",
            run.status
        );
        assert_eq!(repo.files(), before, "{name}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_commit_needs_no_proc() {
    let repo = repo();
    repo.child("../response")
        .write_str(&update("a.txt", "two", "2"))
        .unwrap();
    let ours = repo.command();
    let inside = |script: &str| {
        let mut command = support::unix("unshare");
        command
            .args([
                "-rm",
                "sh",
                "-c",
                &format!("mount -t tmpfs none /proc && {script}"),
            ])
            .arg(ours.get_program());
        ours.get_envs()
            .for_each(|(name, value)| _ = command.env(name, value.unwrap_or_default()));
        command.current_dir(repo.path());
        command
    };
    if !inside("test ! -e /proc/self")
        .output()
        .is_ok_and(|output| output.status.success())
    {
        eprintln!("SKIPPED: no name space can be made here");
        return;
    }
    let mut apply = inside("exec \"$0\" apply --commit -m x ../response");
    support::run(&mut apply, b"").succeeded();
    assert_eq!(repo.git(&["log", "--format=%s"]), "x\nbase\n");
    assert_eq!(repo.git(&["status", "--porcelain"]), "");
}

#[test]
fn a_message_of_signatures_only_is_one_that_git_takes_for_empty() {
    let repo = repo();
    repo.child("message")
        .write_str("\nSigned-off-by: A <a@example.org>\n")
        .unwrap();
    let before = repo.files();
    for more in [&[][..], &["--check"]] {
        let args = [&["apply", "--commit", "-F", "message"], more].concat();
        let run = repo.run(&args, update("a.txt", "two", "2")).ended(2);
        assert!(
            run.stderr
                .contains("error[usage]: the commit message is empty\n"),
            "{}",
            run.stderr
        );
    }
    assert_eq!(repo.files(), before);

    // Unless it is told to take messages as they are.
    repo.git(&["config", "commit.cleanup", "verbatim"]);
    repo.run(
        &["apply", "--commit", "-F", "message"],
        update("a.txt", "two", "2"),
    )
    .succeeded();
    assert_eq!(
        repo.git(&["log", "-1", "--format=%B"]).trim(),
        "Signed-off-by: A <a@example.org>"
    );
}

/// Nothing that only we know is named, by git or by a shell.
#[test]
fn an_editor_that_fails_is_named_as_the_user_knows_it() {
    let editors = [
        "false",
        "exec false",
        "no-such-editor",
        "kill -9 $$; true",
        "it='s'; exit 5;",
        "sh -c 'kill -INT $$'",
    ];
    // Windows has no signals.
    let can_be = |editor: &&str| cfg!(unix) || !editor.contains("kill");
    for editor in editors.into_iter().filter(can_be) {
        let repo = repo();
        let before = repo.files();
        let mut command = repo.command();
        command
            .args(["apply", "--commit", "-e", "-m", "x"])
            .env("GIT_EDITOR", editor);
        let run = support::run(&mut command, update("a.txt", "two", "2").as_bytes()).ended(3);
        let want =
            format!("error[io]: the editor `{editor}` failed, so there is no commit\nhelp: ");
        assert!(run.stderr.contains(&want), "{}", run.stderr);
        assert!(!run.stderr.contains("eval"), "{}", run.stderr);
        assert!(!run.stderr.contains("LLMPATCH"), "{}", run.stderr);
        assert!(
            run.stderr.ends_with("everything was put back\n"),
            "{}",
            run.stderr
        );
        assert_eq!(repo.files(), before);
        assert_eq!(repo.git(&["status", "--porcelain"]), "");
    }
}

/// So git is told to make no commit: nothing failed that might work later.
#[test]
fn a_message_that_is_left_empty_declines_the_commit() {
    support::needs(support::Need::Shell);
    let repo = repo();
    let before = repo.files();
    let mut command = repo.command();
    command
        .args(["apply", "--commit", "-e", "-m", "x"])
        .env("GIT_EDITOR", ": >");
    let run = support::run(&mut command, update("a.txt", "two", "2").as_bytes()).ended(1);
    assert!(
        run.stderr.ends_with("\neverything was put back\n") && !run.stderr.contains("error["),
        "{}",
        run.stderr
    );
    assert_eq!(repo.files(), before);
    command.args(["--json"]);
    let run = support::run(&mut command, update("a.txt", "two", "2").as_bytes()).ended(1);
    let document = document(&run);
    assert_eq!(document["errors"][0]["kind"], "declined");
    assert_eq!(document["state"], "put-back");
}

#[test]
fn a_message_that_a_hook_refuses_is_kept_and_named() {
    for (hook, is_kept) in [
        ("pre-commit", false),
        ("prepare-commit-msg", true),
        ("commit-msg", true),
    ] {
        let repo = repo();
        repo.script(&format!(".git/hooks/{hook}"), "#!/bin/sh\nexit 1\n");
        let mut command = repo.command();
        command
            .args(["apply", "--commit", "-e"])
            .env("GIT_EDITOR", "echo typed >");
        let run = support::run(&mut command, update("a.txt", "two", "2").as_bytes()).ended(3);
        assert!(
            run.stderr.contains(&format!(
                "error[hook]: the {hook} hook refused the commit (exit status 1)"
            )),
            "{}",
            run.stderr
        );
        assert!(
            run.stderr.ends_with("everything was put back\n"),
            "{}",
            run.stderr
        );
        let said = run
            .stderr
            .split_once("note: the commit message is kept in `")
            .map(|(_, rest)| rest);
        assert_eq!(said.is_some(), is_kept, "{}", run.stderr);
        if let Some(kept) = said.and_then(|rest| rest.split('`').next()) {
            let want = if hook == "commit-msg" {
                "typed\n"
            } else {
                "Update a.txt\n"
            };
            assert!(
                std::fs::read_to_string(kept).unwrap().starts_with(want),
                "{hook}"
            );
        }
    }
}

#[test]
fn a_commit_that_was_made_on_somebody_elses_is_taken_back() {
    support::needs(support::Need::Programs);
    let repo = repo();
    let which = support::run(support::unix("sh").args(["-c", "command -v git"]), b"")
        .succeeded()
        .stdout;
    let git = which.trim();
    // Somebody's `git commit`, begun before ours, ends when ours was started and hasn't looked at
    // HEAD yet.
    let another = format!(
        "export GIT_INDEX_FILE=$PWD/../index; {git} read-tree HEAD; blob=$(echo theirs | {git} hash-object -w --stdin)
        {git} update-index --cacheinfo 100644,$blob,src/b.txt
        {git} update-ref HEAD $({git} commit-tree $({git} write-tree) -p HEAD -m theirs)"
    );
    let script = format!("#!/bin/sh\ntest \"$1\" = commit && ({another})\nexec {git} \"$@\"\n");
    repo.script("../bin/git", &script);
    for editor in ["--edit", "--no-verify"] {
        let mut command = repo.command();
        let path = format!(
            "{}/../bin:{}",
            repo.path().display(),
            std::env::var("PATH").unwrap()
        );
        command
            .env("PATH", path)
            .env("GIT_EDITOR", "true")
            .args(["apply", "--commit", "-m", "ours", editor]);
        let run = support::run(&mut command, update("a.txt", "two", "2").as_bytes()).ended(3);
        assert!(
            run.stderr
                .contains("error[locked]: `HEAD` was moved by another program"),
            "{}",
            run.stderr
        );
        assert_eq!(repo.git(&["log", "-1", "--format=%s", "HEAD"]), "theirs\n");
        assert_eq!(repo.git(&["show", "HEAD:src/b.txt"]), "theirs\n");
        repo.child("a.txt").assert("one\ntwo\nthree\n");
        assert_eq!(repo.git(&["diff", "--name-only"]), "");
    }
}

/// Makes a repository with three commits, each of a file of its own.
fn history() -> Repo {
    let repo = repo();
    for name in ["x", "y", "z"] {
        repo.child(name).write_str(&format!("{name}\n")).unwrap();
        repo.commit(name);
    }
    repo
}

/// Compares what git says of two repositories, times and all that hangs on them aside.
#[track_caller]
fn compare(ours: &Repo, git: &Repo) {
    for args in [
        &["log", "--format=%T %s %an"][..],
        &["status", "--porcelain=v2", "--branch"],
        &["fsck", "--no-dangling"],
    ] {
        let said = |repo: &Repo| {
            repo.git(args)
                .lines()
                .filter(|line| !line.contains("branch.oid"))
                .collect::<String>()
        };
        assert_eq!(said(ours), said(git), "{args:?}");
    }
}

#[test]
fn a_rebase_that_stands_between_commits_takes_one_as_git_commit_makes_it() {
    support::needs(support::Need::Shell);
    let base = history();
    let rebase = |repo: &Repo, run: &str, end: &str| {
        let mut command = isolated(Command::new("git"), repo.path());
        command.env("PATH", path()).env(
            "GIT_SEQUENCE_EDITOR",
            format!("sed -i.was '1s/^pick/{run}/'"),
        );
        support::run(command.args(["rebase", "-i", end]), b"").succeeded();
    };
    let (ours, git) = (base.copied(), base.copied());
    for repo in [&ours, &git] {
        rebase(repo, "edit", "HEAD~2");
    }
    ours.run(
        &["apply", "--commit", "-m", "in between"],
        update("a.txt", "two", "zwei"),
    )
    .succeeded();
    git.child("a.txt").write_str("one\nzwei\nthree\n").unwrap();
    git.git(&["commit", "-q", "-a", "-m", "in between"]);
    compare(&ours, &git);
    for repo in [&ours, &git] {
        repo.git(&["rebase", "--continue"]);
    }
    compare(&ours, &git);

    // Each commit that is rebased is followed by one of ours. A line without words may be added again.
    let (ours, git) = (base.copied(), base.copied());
    ours.child("../answer")
        .write_str(&envelope("*** Update File: a.txt\n@@\n+==\n one\n"))
        .unwrap();
    for (repo, run) in [
        (&ours, "git llmpatch apply -q --commit -m more ../answer"),
        (
            &git,
            "(echo ==; cat a.txt) >was && cat was >a.txt && rm was && git commit -q -a -m more",
        ),
    ] {
        let mut command = isolated(Command::new("git"), repo.path());
        support::run(
            command
                .env("PATH", path())
                .args(["rebase", "-q", "-x", run, "HEAD~2"]),
            b"",
        )
        .succeeded();
    }
    compare(&ours, &git);
    assert_eq!(
        ours.git(&["log", "--format=%s", "-4"]),
        "more\nz\nmore\ny\n"
    );
}

#[test]
fn what_waits_for_a_commit_is_left_to_git_and_the_way_out_is_named() {
    let base = history();
    base.git(&["checkout", "-q", "-b", "side", "HEAD~1"]);
    base.child("a.txt")
        .write_str("one\nother\nthree\n")
        .unwrap();
    base.commit("side");
    base.git(&["checkout", "-q", "main"]);
    base.child("a.txt").write_str("one\nmain\nthree\n").unwrap();
    base.commit("main");
    for (args, what) in [
        (&["merge", "side"][..], "merge"),
        (&["cherry-pick", "side"], "cherry-pick"),
        (&["revert", "--no-edit", "HEAD~1", "--no-commit"], "revert"),
        (&["rebase", "side"], "rebase"),
    ] {
        let ours = base.copied();
        support::run(isolated(Command::new("git"), ours.path()).args(args), b"");
        let before = (ours.files(), ours.git(&["status", "--porcelain=v2"]));
        let run = ours
            .run(&["apply", "--commit"], update("src/b.txt", "b", "B"))
            .ended(3);
        assert!(
            run.stderr
                .contains(&format!("`git {what} --continue` or `git {what} --abort`")),
            "{}",
            run.stderr
        );
        assert_eq!(
            (ours.files(), ours.git(&["status", "--porcelain=v2"])),
            before,
            "{what}"
        );
    }
}

#[test]
fn what_a_hook_does_after_the_commit_stays() {
    for hook in [
        "test -f .git/once || { touch .git/once; git commit -q --allow-empty -m more; }",
        "test -f .git/once || { touch .git/once; git commit -q --amend -m amended; }",
        "test -f .git/once || { touch .git/once; echo h > h; git add h; git commit -q -m h; }",
        "echo h > h; git add h",
        "echo h >> a.txt; git add a.txt",
        "git reset -q --hard HEAD~1",
        "git rm -q src/c.txt",
    ] {
        let (ours, git) = (repo(), repo());
        for repo in [&ours, &git] {
            repo.child("staged").write_str("s\n").unwrap();
            repo.script(".git/hooks/post-commit", &format!("#!/bin/sh\n{hook}\n"));
        }
        ours.run(
            &["apply", "--commit", "-m", "x"],
            update("a.txt", "two", "zwei"),
        );
        git.child("a.txt").write_str("one\nzwei\nthree\n").unwrap();
        git.git(&["commit", "-q", "-a", "-m", "x"]);
        assert_eq!(ours.files(), git.files(), "{hook}");
        compare(&ours, &git);
        ours.run(&["recover"], "").succeeded();
        compare(&ours, &git);
    }
}

#[test]
fn a_hook_that_takes_the_commit_back_leaves_the_change() {
    for hook in [
        "git reset -q --soft HEAD~1",
        "git reset -q HEAD~1",
        "git reset -q --soft HEAD~1; git stash -q; git stash pop -q",
    ] {
        let (ours, git) = (repo(), repo());
        for repo in [&ours, &git] {
            repo.script(".git/hooks/post-commit", &format!("#!/bin/sh\n{hook}\n"));
        }
        git.child("a.txt").write_str("one\nzwei\nthree\n").unwrap();
        git.git(&["commit", "-q", "-m", "x", "a.txt"]);
        let run = ours
            .run(
                &["apply", "--commit", "-m", "x"],
                update("a.txt", "two", "zwei"),
            )
            .succeeded();
        assert!(
            run.stderr.contains("a hook moved HEAD back from it"),
            "{}",
            run.stderr
        );
        compare(&ours, &git);
        assert_eq!(ours.files(), git.files(), "{hook}");
        assert!(!ours.child(".git/index.lock").exists());
    }
}

#[test]
fn a_mail_is_committed_as_its_author_wrote_it() {
    let repo = Repo::with(&[("a.txt", "one\n"), ("b.txt", "b\n")]);
    for (name, message, extra) in [
        ("plain", "Say two", ""),
        (
            "body",
            "Größer, und\nin zwei Zeilen\n\nBecause one isn't enough.\n\nReviewed-by: B <b@example.org>",
            "--signoff",
        ),
        ("subject", "[x] Remove: it", ""),
    ] {
        repo.git(&["checkout", "-q", "-b", name, "main"]);
        repo.child("a.txt")
            .write_str(&format!("two {name}\n"))
            .unwrap();
        repo.git(&[
            "commit",
            "-qam",
            message,
            "--author=Ä U Thor <au@example.org>",
            "--date=2020-02-03T04:05:06+0700",
        ]);
        let extra = Some(extra).filter(|extra| !extra.is_empty());
        let mail = repo.git(&[&["format-patch", "--stdout", "-1"], extra.as_slice()].concat());
        repo.git(&["checkout", "-q", "-b", &format!("{name}-am"), "main"]);
        repo.git_with_input(&["am", "-q"], mail.as_bytes());
        repo.git(&["checkout", "-q", "-b", &format!("{name}-ours"), "main"]);
        let json = repo.run(&["apply", "--commit", "--check", "--json"], &mail);
        let json: serde_json::Value = serde_json::from_str(&json.succeeded().stdout).unwrap();
        assert_eq!(json["author"], "Ä U Thor <au@example.org>");
        let run = repo.run(&["apply", "--commit"], &mail).succeeded();
        let warning =
            "warning: the commit's author is `Ä U Thor <au@example.org>`, as the mail says";
        assert!(run.stderr.starts_with(warning), "{}", run.stderr);
        let said = |branch: &str| repo.git(&["log", "-1", "--format=%an <%ae> %ad%n%B%T", branch]);
        assert_eq!(
            said(&format!("{name}-ours")),
            said(&format!("{name}-am")),
            "{name}"
        );
    }
    // What is asked for on the command line is taken instead.
    let mail = repo.git(&["format-patch", "--stdout", "-1", "plain"]);
    repo.git(&["checkout", "-q", "-b", "other", "main"]);
    let args = [
        "apply",
        "--commit",
        "-m",
        "Mine",
        "--author=C <c@example.org>",
    ];
    let run = repo.run(&args, &mail).succeeded();
    assert_eq!(run.stderr, "");
    assert_eq!(repo.git(&["log", "-1", "--format=%an %s"]), "C Mine\n");
}

/// What is made of a response is UTF-8, and no commit calls it anything else.
#[test]
fn a_message_is_in_the_encoding_that_its_commit_names() {
    support::needs(support::Need::Shell);
    let mail = "From 0123456789012345678901234567890123456789 Mon Sep 17 00:00:00 2001\nFrom: J\u{f6}rg <j@example.com>\nDate: Thu, 1 Jan 2026 00:00:00 +0000\nSubject: [PATCH] gr\u{fc}n\n\nwhy\n---\n--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n";
    let noted = super::opx("a.txt", "gr\u{fc}n", "two", "2");
    let line = serde_json::json!({"id": 1, "response": mail}).to_string();
    let raw = |repo: &Repo, id: &str| {
        let mut git = isolated(std::process::Command::new("git"), repo.path());
        let output = git.args(["cat-file", "commit", id]).output().unwrap();
        output.stdout
    };
    let has = |bytes: &[u8], part: &[u8]| bytes.windows(part.len()).any(|found| found == part);
    for response in [mail, &noted] {
        for args in [
            &["apply", "--commit"][..],
            &["apply", "--onto=HEAD", "--commit"],
            &["apply", "--onto=HEAD", "--commit", "-S"],
            &["apply", "--each", "--commit"],
            &["batch", "--onto=HEAD", "--commit"],
        ] {
            let repo = repo();
            repo.script(
                ".git/sign",
                "#!/bin/sh\ncat >/dev/null\necho signed\necho '[GNUPG:] SIG_CREATED ' >&2\n",
            );
            repo.git(&["config", "gpg.program", ".git/sign"]);
            repo.git(&["config", "i18n.commitEncoding", "ISO-8859-1"]);
            let is_batch = args[0] == "batch";
            let input = if is_batch { &line } else { response };
            let run = repo.run(args, input).succeeded();
            let id = match (is_batch, args.contains(&"--onto=HEAD")) {
                (true, _) => {
                    let answer: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
                    answer["commit"].as_str().unwrap().to_owned()
                }
                (false, true) => run.stdout.trim().to_owned(),
                (false, false) => "HEAD".to_owned(),
            };
            let commit = raw(&repo, &id);
            assert!(
                has(&commit, "gr\u{fc}n".as_bytes()) && !has(&commit, b"\nencoding "),
                "{args:?} {}",
                String::from_utf8_lossy(&commit)
            );
        }
    }
    // A user's own message is taken as git takes it.
    let repo = repo();
    repo.git(&["config", "i18n.commitEncoding", "ISO-8859-1"]);
    repo.child("message").write_binary(b"gr\xfcn\n").unwrap();
    repo.run(
        &["apply", "--commit", "-F", "message"],
        update("a.txt", "two", "2"),
    )
    .succeeded();
    let commit = raw(&repo, "HEAD");
    assert!(has(&commit, b"gr\xfcn") && has(&commit, b"\nencoding ISO-8859-1\n"));
}

/// Whoever suggests lines in a review is an author of them, as git reads trailers.
#[test]
fn reviewers_are_authors_of_what_they_suggest() {
    let comment = |line: u32, login: &str, old: &str| {
        format!(
            r#"{{"id":{line},"path":"a.txt","line":{line},"side":"RIGHT","user":{{"login":"{login}","id":7}},"diff_hunk":"@@ -0,0 +{line} @@\n+{old}","body":"```suggestion\n{line}\n```"}}"#
        )
    };
    let repo = Repo::with(&[("a.txt", "one\ntwo\nthree\n")]);
    let comments = [
        comment(1, "ann", "one"),
        comment(2, "bo[bot]", "two"),
        comment(3, "ann", "three"),
    ];
    let response = format!("[{}]", comments.join(",\n"));
    repo.run(&["apply", "--commit"], &response).succeeded();
    assert_eq!(repo.read("a.txt"), b"1\n2\n3\n");
    let format = "--format=%s|%(trailers:key=Co-authored-by,valueonly)";
    assert_eq!(
        repo.git(&["log", "-1", format]).trim_end(),
        "Update a.txt|ann <7+ann@users.noreply.github.com>\nbo[bot] <7+bo[bot]@users.noreply.github.com>"
    );
}
