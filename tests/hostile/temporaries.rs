//! Other users of the machine: what a run keeps for itself meanwhile is nobody else's to read,
//! whatever the umask, and nothing of it stays, also where a signal ends the run.

use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::Command;

use assert_fs::prelude::*;
use rustix::process::Signal;

use crate::support::{Repo, US, isolated, program, run};

/// Writes down the modes of all that is in the directory for temporary files.
const LOOK: &str = "find \"$TMPDIR\" -mindepth 1 -printf '%y %m %P\\n' >>\"$SEEN\"";

/// A response for which git is asked to merge, to convert and to read a mail.
const RESPONSE: &str = "From 0123456789012345678901234567890123456789 Mon Sep 17 00:00:00 2001\n\
    From: Ann <ann@example.com>\nDate: Mon, 1 Jan 2024 00:00:00 +0000\nSubject: [PATCH] change\n\n\
    Why.\n---\ndiff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n\
    +there\n three\ndiff --git a/b.up b/b.up\n--- a/b.up\n+++ b/b.up\n@@ -1 +1 @@\n-old\n+new\n";

/// Makes a repository with a driver for merges and one for conversions, which look around, as does
/// the git that is found first; `reftable` is what only git can read.
pub(crate) fn scene(references: &str) -> Repo {
    let repo = Repo::empty();
    let git = repo.child("../git").path().to_owned();
    let init = ["init", "-q", "-b", "main", "--ref-format", references];
    std::fs::remove_dir_all(repo.child(".git")).unwrap();
    repo.git(&init);
    let rules = "a.txt merge=own\n*.up filter=up\n";
    for (path, text) in [
        (".gitattributes", rules),
        ("a.txt", "one\ntwo\nthree\n"),
        ("b.up", "old\n"),
    ] {
        repo.child(path).write_str(text).unwrap();
    }
    // Kills us, and goes on when we are gone.
    let kill = format!(
        "if [ -n \"$SIGNAL\" ]; then {US}; kill -s $SIGNAL $us; while kill -0 $us; do :; done; fi"
    );
    let drive = format!("{LOOK}; {kill}; git merge-file --ours %A %O %B");
    repo.git(&["config", "merge.own.driver", &drive]);
    repo.git(&["config", "filter.up.clean", &format!("{LOOK}; tr a-z A-Z")]);
    repo.git(&["config", "filter.up.smudge", &format!("{LOOK}; tr A-Z a-z")]);
    repo.commit("base");
    repo.child("a.txt").write_str("one\nhere\nthree\n").unwrap();
    repo.commit("here");
    std::fs::create_dir_all(git.join("tmp")).unwrap();
    let real = run(Command::new("sh").args(["-c", "command -v git"]), b"").stdout;
    repo.script(
        "../git/git",
        &format!("#!/bin/sh\n{LOOK}\nexec {} \"$@\"\n", real.trim()),
    );
    repo
}

/// Returns our program with a umask that forbids nobody anything.
pub(crate) fn open_to_all(repo: &Repo, args: &[&str]) -> Command {
    let mut command = isolated(Command::new("sh"), repo.path());
    let place = repo.child("../git");
    let path = std::env::var("PATH").unwrap();
    command
        .args(["-c", "umask 0; exec \"$0\" \"$@\"", program()])
        .args(args)
        .env("PATH", format!("{}:{path}", place.display()))
        .env("TMPDIR", place.join("tmp"))
        .env("SEEN", place.join("seen"));
    command
}

/// Demands that what was seen is nobody else's, that something was, and that nothing is left.
fn is_private(repo: &Repo, what: &str) {
    assert!(is_nobody_elses(repo, what), "{what} made nothing");
}

/// Demands that what was seen is nobody else's, and that nothing is left. Returns whether something
/// was seen.
pub(crate) fn is_nobody_elses(repo: &Repo, what: &str) -> bool {
    let place = repo.child("../git");
    let seen = std::fs::read_to_string(place.child("seen")).unwrap_or_default();
    for line in seen.lines() {
        let mut words = line.split(' ');
        let [kind, mode, path] = [(); 3].map(|()| words.next().unwrap());
        // What git makes in a directory of ours goes by the umask; nobody else gets there.
        let is_gits = ["/objects/", "/.git", "/index"]
            .iter()
            .any(|at| path.contains(at));
        let is_own = matches!((kind, mode), ("d", "700") | ("f", "600") | ("l", "777"));
        assert!(is_own || is_gits, "{what}: {line}");
    }
    let _ = std::fs::remove_file(place.child("seen"));
    is_empty(&place.join("tmp"), what);
    !seen.is_empty()
}

fn is_empty(directory: &Path, what: &str) {
    let left: Vec<_> = std::fs::read_dir(directory).unwrap().flatten().collect();
    assert!(left.is_empty(), "{what} left {left:?}");
}

#[test]
fn nobody_else_can_read_what_a_run_keeps_for_itself() {
    for references in ["files", "reftable"] {
        let repo = scene(references);
        // Of one that is split git makes a whole one for us.
        repo.git(&["update-index", "--split-index"]);
        for args in [
            &["check", "-3", "--base=HEAD~1"][..],
            &["diff", "-3", "--base=HEAD~1"],
            &["apply", "-3", "--base=HEAD~1", "--commit"],
            &["snapshot", "--untracked"],
        ] {
            let ended = run(&mut open_to_all(&repo, args), RESPONSE.as_bytes());
            assert!([0, 1].contains(&ended.status), "{args:?}: {}", ended.stderr);
            is_private(&repo, &format!("{references} {args:?}"));
        }
    }
}

#[test]
fn nothing_stays_where_a_signal_ends_a_run() {
    for (signal, name) in [
        (Signal::INT, "INT"),
        (Signal::TERM, "TERM"),
        (Signal::HUP, "HUP"),
    ] {
        for args in [&["check"][..], &["apply", "--index"]] {
            let repo = scene("files");
            let mut command = open_to_all(&repo, args);
            command.args(["-3", "--base=HEAD~1"]).env("SIGNAL", name);
            std::fs::write(repo.child("../response"), RESPONSE).unwrap();
            let response = std::fs::File::open(repo.child("../response")).unwrap();
            let ended = command.stdin(response).output().unwrap();
            let said = String::from_utf8_lossy(&ended.stderr);
            assert_eq!(
                ended.status.signal(),
                Some(signal.as_raw()),
                "{args:?}: {said}"
            );
            is_private(&repo, &format!("{name} {args:?}"));
        }
    }
}
