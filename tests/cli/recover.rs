//! What becomes of an apply that is killed or interrupted half-way. A hook does it, at a moment
//! that is the same every time.

use std::process::Command;

use assert_fs::prelude::*;

use super::support::{self, Repo, US, isolated, system};
use super::{envelope, repo, update};

fn hook(repo: &Repo, script: &str) {
    hook_named(repo, "pre-commit", script);
}

fn hook_named(repo: &Repo, name: &str, script: &str) {
    let path = format!(".git/hooks/{name}");
    repo.script(&path, &format!("#!/bin/sh\n{US}\n{script}\n"));
}

/// Runs a commit in which a hook gets hold of us, and returns the signal that it died of.
#[cfg(unix)]
fn died_of(repo: &Repo, response: &str) -> Option<i32> {
    repo.child("../response").write_str(response).unwrap();
    let output = repo
        .command()
        .args(["apply", "--commit", "../response"])
        .output()
        .unwrap();
    // As long as git lives, what it does isn't over.
    while is_in_use(repo) {
        std::thread::yield_now();
    }
    std::os::unix::process::ExitStatusExt::signal(&output.status)
}

/// Returns whether a process stands in the repository.
pub(super) fn is_in_use(repo: &Repo) -> bool {
    let Ok(processes) = std::fs::read_dir("/proc") else {
        return false;
    };
    let directories =
        processes.filter_map(|process| std::fs::read_link(process.ok()?.path().join("cwd")).ok());
    directories
        .into_iter()
        .any(|directory| directory.starts_with(repo.path()))
}

pub(super) fn tidy(repo: &Repo) {
    let names = std::fs::read_dir(repo.child(".git"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name());
    let litter: Vec<_> = names
        .filter(|name| name.to_string_lossy().contains("llmpatch-"))
        .collect();
    // But for what undo will need.
    let kept = std::fs::read_dir(repo.child(".git/llmpatch"))
        .into_iter()
        .flatten();
    let litter: Vec<_> = kept
        .map(|entry| entry.unwrap().file_name())
        .filter(|name| !name.to_string_lossy().starts_with("undo-"))
        .chain(litter)
        .collect();
    assert!(
        litter.is_empty() && !repo.child(".git/index.lock").exists(),
        "{litter:?}"
    );
}

#[test]
fn nothing_to_recover_is_said() {
    let repo = repo();
    assert_eq!(
        repo.run(&["recover"], "").succeeded().stdout,
        "nothing to recover\n"
    );
    assert_eq!(repo.run(&["recover", "-q"], "").succeeded().stdout, "");
}

/// What isn't read for want of descriptors may be anything, and isn't to be removed.
#[test]
#[cfg(target_os = "linux")]
fn a_journal_that_can_not_be_read_is_not_called_damaged() {
    let repo = repo();
    let before = repo.files();
    hook(&repo, "kill -KILL $us\nexit 1");
    assert_eq!(died_of(&repo, &update("a.txt", "two", "2")), Some(9));
    let half = repo.files();
    for limit in 4..32 {
        let mut command = isolated(support::unix("sh"), repo.path());
        command
            .args(["-c", "ulimit -n \"$1\"; exec \"$0\" recover"])
            .arg(support::program())
            .arg(limit.to_string());
        let run = support::run(&mut command, b"");
        assert!(
            !run.stderr.contains("damaged") && !run.stderr.contains("remove it"),
            "{limit}: {}",
            run.stderr
        );
        if run.status == 0 {
            assert!(limit > 4, "four descriptors are enough");
            assert_eq!(repo.files(), before);
            // With a few more, nothing is left lying about.
            repo.run(&["recover"], "").succeeded();
            return tidy(&repo);
        }
        assert!(
            [&half, &before].contains(&&repo.files()),
            "{limit}: {}",
            run.stderr
        );
    }
    panic!("it is never recovered");
}

#[test]
#[cfg(target_os = "linux")]
fn a_killed_apply_is_taken_back_whole() {
    let response = envelope(
        "*** Update File: a.txt\n@@\n-two\n+2\n*** Delete File: src/b.txt\n*** Add File: new/d\n+d\n",
    );
    let repo = repo();
    let before = repo.files();
    hook(&repo, "kill -KILL $us\nexit 1");
    assert_eq!(died_of(&repo, &response), Some(9));
    assert_ne!(repo.files(), before);
    // What only reads says so, and refuses what may be half changed.
    let other = update("src/c.txt", "c", "C");
    let run = repo.run(&["check"], &other).succeeded();
    assert!(
        run.stderr.contains("an apply was interrupted"),
        "{}",
        run.stderr
    );
    for command in ["check", "diff"] {
        let run = repo.run(&[command], update("a.txt", "two", "3")).ended(3);
        assert!(
            run.stderr.contains("git llmpatch recover"),
            "{}",
            run.stderr
        );
    }
    // What is staged is no other matter. The lock is still there, so git is given another index.
    for (path, status) in [("src/c.txt", 0), ("a.txt", 3)] {
        system::copy(&repo.child(".git/index"), &repo.child(".git/other"));
        let blob = repo.git_with_input(&["hash-object", "-w", "--stdin"], b"staged");
        let mut git = isolated(Command::new("git"), repo.path());
        let entry = format!("100644,{},{path}", blob.trim());
        git.args(["update-index", "--cacheinfo", &entry])
            .env("GIT_INDEX_FILE", ".git/other");
        support::run(&mut git, b"").ended(0);
        let mut check = repo.command();
        let run = support::run(
            check
                .args(["check", "--staged"])
                .env("GIT_INDEX_FILE", ".git/other"),
            b"",
        )
        .ended(status);
        assert!(
            run.stderr.contains("an apply was interrupted"),
            "{path} {}",
            run.stderr
        );
    }
    let run = repo.run(&["recover"], "").succeeded();
    assert_eq!(
        run.stdout,
        "an interrupted apply was taken back\n  a.txt\n  new/d\n  src/b.txt\n"
    );
    assert_eq!(repo.files(), before);
    assert_eq!(repo.git(&["status", "--porcelain"]), "");
    tidy(&repo);
}

#[test]
#[cfg(target_os = "linux")]
fn the_next_apply_recovers_first() {
    let repo = repo();
    hook(&repo, "kill -KILL $us\nexit 1");
    assert_eq!(died_of(&repo, &update("a.txt", "two", "2")), Some(9));
    let run = repo
        .run(&["apply"], update("a.txt", "two", "zwei"))
        .succeeded();
    assert!(
        run.stderr.contains("an interrupted apply was taken back"),
        "{}",
        run.stderr
    );
    repo.child("a.txt").assert("one\nzwei\nthree\n");
    tidy(&repo);
}

#[test]
#[cfg(target_os = "linux")]
fn a_commit_that_was_made_is_followed() {
    let repo = repo();
    // git has read the message by then: without one it makes no commit.
    hook_named(&repo, "commit-msg", "kill -KILL $us\nexit 0");
    assert_eq!(died_of(&repo, &update("a.txt", "two", "2")), Some(9));
    let run = repo.run(&["recover"], "").succeeded();
    assert!(
        run.stdout.starts_with("an interrupted apply was finished"),
        "{}",
        run.stdout
    );
    assert_eq!(repo.git(&["show", "HEAD:a.txt"]), "one\n2\nthree\n");
    assert_eq!(repo.git(&["status", "--porcelain"]), "");
    tidy(&repo);
}

/// A commit that was made and can't be read right now is no commit that wasn't made.
#[test]
#[cfg(target_os = "linux")]
fn a_commit_that_can_not_be_read_is_not_forgotten() {
    let repo = repo();
    hook_named(&repo, "commit-msg", "kill -KILL $us\nexit 0");
    assert_eq!(died_of(&repo, &update("a.txt", "two", "2")), Some(9));
    let id = repo.git(&["rev-parse", "HEAD"]);
    let object = repo.child(format!(".git/objects/{}/{}", &id[..2], id[2..].trim()));
    let away = repo.child(".git/away");
    std::fs::rename(&object, &away).unwrap();
    for command in [&["recover"][..], &["apply", "../response"]] {
        let run = repo.run(command, "").ended(3);
        assert!(run.stderr.contains("can't read a commit"), "{}", run.stderr);
        repo.child("a.txt").assert("one\n2\nthree\n");
    }
    std::fs::rename(&away, &object).unwrap();
    let run = repo.run(&["recover"], "").succeeded();
    assert!(
        run.stdout.starts_with("an interrupted apply was finished"),
        "{}",
        run.stdout
    );
    assert_eq!(repo.git(&["status", "--porcelain"]), "");
    tidy(&repo);
}

#[test]
#[cfg(target_os = "linux")]
fn what_somebody_typed_since_stays() {
    let repo = repo();
    hook(&repo, "kill -KILL $us\nexit 1");
    assert_eq!(died_of(&repo, &update("a.txt", "two", "2")), Some(9));
    repo.child("a.txt").write_str("typed\n").unwrap();
    let run = repo.run(&["recover"], "").ended(3);
    assert!(
        run.stderr
            .ends_with("these paths need attention:\n  a.txt\n"),
        "{}",
        run.stderr
    );
    assert!(run.stderr.contains(".git/llmpatch/kept-"), "{}", run.stderr);
    assert!(
        run.stderr
            .contains("help: look at the paths below, take what you need from the original files"),
        "{}",
        run.stderr
    );
    assert!(
        !run.stderr.contains("git llmpatch recover"),
        "{}",
        run.stderr
    );
    repo.child("a.txt").assert("typed\n");
    assert_eq!(
        repo.run(&["recover"], "").succeeded().stdout,
        "nothing to recover\n"
    );
    repo.run(&["apply"], update("src/c.txt", "c", "C"))
        .succeeded();
}

#[test]
#[cfg(target_os = "linux")]
fn where_originals_are_is_told_once() {
    for args in [&["apply"][..], &["undo"]] {
        let repo = repo();
        hook(&repo, "kill -KILL $us\nexit 1");
        assert_eq!(died_of(&repo, &update("a.txt", "two", "2")), Some(9));
        repo.child("a.txt").write_str("typed\n").unwrap();
        let run = repo.run(args, update("src/c.txt", "c", "C")).ended(3);
        assert_eq!(
            run.stderr.matches(".git/llmpatch/kept-").count(),
            1,
            "{args:?} {}",
            run.stderr
        );
        assert!(
            run.stderr.contains("was taken back in part"),
            "{args:?} {}",
            run.stderr
        );
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_program_is_told_the_same() {
    use serde_json::json;

    use super::support::documents::{document, kinds};
    for (typed, status, want) in [
        (false, 0, json!(["recovered", "put-back", []])),
        (true, 3, json!(["failed", "attention", [{"path": "a.txt"}]])),
    ] {
        let repo = repo();
        hook(&repo, "kill -KILL $us\nexit 1");
        assert_eq!(died_of(&repo, &update("a.txt", "two", "2")), Some(9));
        let got = document(
            &repo
                .run(&["check", "--json"], update("a.txt", "two", "3"))
                .ended(3),
        );
        assert_eq!(kinds(&got, "errors"), ["locked"]);
        if typed {
            repo.child("a.txt").write_str("typed\n").unwrap();
        }
        let got = document(&repo.run(&["recover", "--json"], "").ended(status));
        assert_eq!(json!([got["status"], got["state"], got["attention"]]), want);
        if !typed {
            assert_eq!(kinds(&got, "warnings"), ["recovered"]);
            assert_eq!(got["warnings"][0]["notes"][0], "`a.txt`");
        }
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_signal_undoes_everything_and_is_died_of() {
    for (name, number) in [("INT", 2), ("TERM", 15), ("HUP", 1)] {
        for twice in ["", "kill -TERM $us"] {
            let repo = repo();
            let before = repo.files();
            hook(&repo, &format!("kill -{name} $us\n{twice}\nexec sleep 60"));
            let signal = died_of(&repo, &update("a.txt", "two", "2"));
            assert!(
                signal == Some(number) || !twice.is_empty() && signal == Some(15),
                "{name} {signal:?}"
            );
            assert_eq!(repo.files(), before, "{name}");
            assert_eq!(repo.git(&["status", "--porcelain"]), "", "{name}");
            tidy(&repo);
        }
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_recovery_is_said_whatever_becomes_of_what_began_with_it() {
    use super::support::documents::{document, kinds};
    for (args, input, status) in [
        (&["undo"][..], String::new(), 1),
        (&["apply"], update("a.txt", "nowhere", "x"), 1),
    ] {
        for json in [false, true] {
            let repo = repo();
            hook(&repo, "kill -KILL $us\nexit 1");
            assert_eq!(died_of(&repo, &update("a.txt", "two", "2")), Some(9));
            let mut all = args.to_vec();
            all.extend(json.then_some("--json"));
            let run = repo.run(&all, &input).ended(status);
            if json {
                let got = document(&run);
                assert_eq!(kinds(&got, "warnings")[0], "recovered", "{args:?} {got}");
            } else {
                assert!(
                    run.stderr
                        .starts_with("warning: an interrupted apply was taken back"),
                    "{}",
                    run.stderr
                );
                assert!(
                    run.stderr.ends_with("\nnothing else was changed\n"),
                    "{}",
                    run.stderr
                );
            }
            repo.child("a.txt").assert("one\ntwo\nthree\n");
        }
    }
}

#[test]
#[cfg(target_os = "linux")]
fn many_paths_are_counted_and_listed_on_demand() {
    let files: Vec<_> = (0..300)
        .map(|number| format!("*** Add File: many/{number}\n+x\n"))
        .collect();
    for (args, want) in [
        (&["recover"][..], "\n  300 paths (-v lists them)\n"),
        (&["recover", "-v"], "\n  many/299\n"),
    ] {
        let repo = repo();
        hook(&repo, "kill -KILL $us\nexit 1");
        assert_eq!(died_of(&repo, &envelope(&files.concat())), Some(9));
        let run = repo.run(args, "").succeeded();
        assert!(
            run.stdout.contains(want) && run.stdout.lines().count() > 1,
            "{}",
            run.stdout
        );
        assert!(!repo.child("many").exists());
    }
}

#[test]
#[cfg(target_os = "linux")]
fn waiting_is_said_with_who_is_waited_for() {
    let repo = repo();
    repo.child(".git/index.lock").write_str("").unwrap();
    repo.git(&["config", "llmpatch.lockTimeout", "1500"]);
    let run = repo.run(&["apply"], update("a.txt", "two", "2")).ended(3);
    let mut lines = run.stderr.lines();
    let first = lines.next().unwrap();
    assert!(
        first.starts_with("waiting for `")
            && first.ends_with("most likely a git command or an editor"),
        "{first}"
    );
    assert!(
        lines.next().unwrap().starts_with("error[locked]: "),
        "{}",
        run.stderr
    );
    // What is dead and can't be removed isn't waited for.
    let repo = self::repo();
    repo.git(&["config", "llmpatch.lockTimeout", "-1"]);
    hook(&repo, "kill -KILL $us\nexit 1");
    assert_eq!(died_of(&repo, &update("a.txt", "two", "2")), Some(9));
    let run = repo
        .run(&["apply"], update("a.txt", "two", "zwei"))
        .succeeded();
    assert!(!run.stderr.contains("waiting"), "{}", run.stderr);
}

/// A lock of a run that died and whose journal is gone keeps git out: that it went is said.
#[test]
#[cfg(target_os = "linux")]
fn a_lock_that_was_removed_is_named() {
    let repo = repo();
    hook(&repo, "kill -KILL $us\nexit 1");
    assert_eq!(died_of(&repo, &update("a.txt", "two", "2")), Some(9));
    std::fs::remove_dir_all(repo.child(".git/llmpatch")).unwrap();
    let run = repo.run(&["recover"], "").succeeded();
    assert!(
        run.stdout.contains("index.lock` was removed\n"),
        "{}",
        run.stdout
    );
    assert!(!repo.child(".git/index.lock").exists());
}

/// What was prepared beside the files of a run that died is in sight until then.
#[test]
#[cfg(target_os = "linux")]
fn files_that_were_prepared_are_named_when_they_go() {
    for command in ["recover", "apply"] {
        let repo = repo();
        hook(&repo, "kill -KILL $us\nexit 1");
        assert_eq!(died_of(&repo, &update("a.txt", "two", "2")), Some(9));
        // As if it had been killed while it prepared: no file was changed yet.
        let run = std::fs::read_dir(repo.child(".git/llmpatch")).unwrap();
        let run = run.map(|entry| entry.unwrap().path());
        let run = run
            .filter(|path| path.join("manifest").exists())
            .collect::<Vec<_>>();
        let number = run[0].file_name().unwrap().to_str().unwrap();
        let number = number.trim_start_matches("run-").to_owned();
        std::fs::rename(run[0].join("manifest"), run[0].join("draft")).unwrap();
        repo.child("a.txt").write_str("one\ntwo\nthree\n").unwrap();
        let prepared = format!(".llmpatch-{number}-0.new");
        repo.child(&prepared).write_str("one\n2\n").unwrap();
        let run = repo
            .run(&[command], update("src/c.txt", "c", "C"))
            .succeeded();
        let said = run.stdout + &run.stderr;
        assert!(
            said.contains("what an interrupted apply left behind was removed; no file was changed")
                && said.contains(&format!("it had prepared `{prepared}`")),
            "{said}"
        );
        assert!(!repo.child(&prepared).exists());
        tidy(&repo);
    }
}
