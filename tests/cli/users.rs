//! A repository in which several users work without sharing it, as root and a user do in a
//! container, or who runs `sudo git llmpatch` once.

use super::repositories::{as_user, give};
use super::support::{self, Repo, US};
use super::{repo, update};

const USER: u32 = 12_345;

/// Opens all but the directories of journals to everybody.
fn open(repo: &Repo) {
    let script = "find .. -name 'llmpatch*' -prune -o -exec chmod a+rwX {} +";
    let mut opened = support::isolated(support::unix("sh"), repo.path());
    assert!(opened.args(["-c", script]).status().unwrap().success());
}

#[test]
fn what_is_kept_for_undo_of_one_user_stops_no_other_user() {
    if !support::system::is_root() {
        return eprintln!("skipped: only root can act for another user");
    }
    let repo = repo();
    repo.run(&["apply"], update("a.txt", "two", "2"))
        .succeeded();
    open(&repo);
    let (response, other) = (update("a.txt", "2", "II"), update("src/b.txt", "b", "B"));
    for (args, status) in [
        (&["check"][..], 0),
        (&["diff"], 0),
        (&["apply", "--diff"], 0),
        (&["convert", "--to=unified"], 0),
        (&["snapshot"], 0),
        (&["recover"], 0),
        (&["undo", "--list"], 0),
        (&["undo"], 1),
        (&["apply"], 0),
        (&["undo"], 0),
        (&["apply"], 0),
    ] {
        let Some(run) = as_user(&repo, USER, "777", args, &response) else {
            return;
        };
        assert_eq!(run.status, status, "{args:?} {}{}", run.stdout, run.stderr);
        assert!(
            !run.stderr.contains("interrupted"),
            "{args:?} {}",
            run.stderr
        );
    }
    // Neither does what that user's directory holds stop the first, who takes back only the own
    // changes.
    repo.run(&["apply"], &other).succeeded();
    for _ in 0..2 {
        let run = repo.run(&["undo"], "");
        match run.status {
            0 => assert_eq!(repo.text("src/b.txt"), "b\n"),
            _ => assert!(run.stderr.contains("changed since"), "{}", run.stderr),
        }
    }
    assert_eq!(repo.text("a.txt"), "one\nII\nthree\n");
    // Once the first user's is gone, what was kept since is still found.
    std::fs::remove_dir_all(repo.path().join(".git/llmpatch")).unwrap();
    let undo = |repo| as_user(repo, USER, "777", &["undo"], "").unwrap();
    as_user(&repo, USER, "777", &["apply"], &other)
        .unwrap()
        .succeeded();
    undo(&repo).succeeded();
    undo(&repo).succeeded();
    assert_eq!(repo.text("a.txt"), "one\n2\nthree\n");
    undo(&repo).ended(1);
}

/// Leaves an apply half-way.
fn interrupt(repo: &Repo, applies: impl FnOnce()) {
    repo.script(
        ".git/hooks/pre-commit",
        &format!("#!/bin/sh\n{US}\nkill -KILL $us\nexit 1\n"),
    );
    open(repo);
    applies();
    while super::recover::is_in_use(repo) {
        std::thread::yield_now();
    }
    repo.remove(".git/hooks/pre-commit");
    assert_eq!(repo.text("a.txt"), "one\n2\nthree\n");
}

#[test]
#[cfg(target_os = "linux")]
fn what_another_user_left_half_changed_is_neither_read_nor_written() {
    if !support::system::is_root() {
        return eprintln!("skipped: only root can act for another user");
    }
    let response = update("a.txt", "two", "2");
    let commit = ["apply", "--commit", "-m", "x"];
    let of_root = repo();
    interrupt(&of_root, || {
        drop(support::run(
            of_root.command().args(commit),
            response.as_bytes(),
        ));
    });
    let of_user = repo();
    give(&of_user, USER, 777, "u+rwX");
    let safe = of_user.path().parent().unwrap().join("safe");
    std::fs::write(&safe, "[safe]\n\tdirectory = *\n").unwrap();
    let mut can_act = true;
    interrupt(&of_user, || {
        can_act = as_user(&of_user, USER, "777", &commit, &response).is_some();
    });
    if !can_act {
        return;
    }
    let as_root = |repo: &Repo, args: &[&str], input: &str| {
        let mut command = repo.command();
        command.env("GIT_CONFIG_GLOBAL", &safe).args(args);
        support::run(&mut command, input.as_bytes())
    };
    let as_the_other = |repo: &Repo, args: &[&str], input: &str| {
        if repo.path() == of_root.path() {
            as_user(repo, USER, "777", args, input).unwrap()
        } else {
            as_root(repo, args, input)
        }
    };
    for repo in [&of_root, &of_user] {
        for (args, said) in [
            (&["check"][..], "an apply was interrupted"),
            (&["diff"], "an apply was interrupted"),
            (&["snapshot"], "an apply was interrupted"),
            (&["apply"], ""),
            (&["recover"], "another user"),
            (&["recover", "--force"], "another user"),
        ] {
            let run = as_the_other(repo, args, &response);
            assert_eq!(run.status, 3, "{args:?} {}{}", run.stdout, run.stderr);
            assert!(run.stderr.contains(said), "{args:?} {}", run.stderr);
            let user = if repo.path() == of_root.path() {
                "root"
            } else {
                "'#12345'"
            };
            let command = format!("root can do that with `sudo -H -u {user} git llmpatch recover`");
            assert!(run.stderr.contains(&command), "{args:?} {}", run.stderr);
        }
    }
    // Root sees the journal, even where somebody removed its lock.
    std::fs::remove_file(of_user.path().join(".git/index.lock")).unwrap();
    for args in ["check", "apply", "recover"] {
        let run = as_root(&of_user, &[args], &response).ended(3);
        let command = "sudo -H -u '#12345' git llmpatch recover";
        assert!(run.stderr.contains(command), "{args} {}", run.stderr);
    }
    // Its owner recovers it, and all goes on.
    of_root.run(&["recover"], "").succeeded();
    as_user(&of_user, USER, "777", &["recover"], "")
        .unwrap()
        .succeeded();
    for repo in [&of_root, &of_user] {
        assert_eq!(repo.text("a.txt"), "one\ntwo\nthree\n");
        as_the_other(repo, &["apply"], &response).succeeded();
    }
}
