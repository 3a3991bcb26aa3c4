//! The action that checks a pull request, run as GitHub's runner does in a checkout of the pull
//! request merged into its base.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use assert_fs::TempDir;
use assert_fs::prelude::*;

use crate::support::{self, Repo, Run, isolated, run};

const GOOD: &str = "*** Begin Patch\n*** Update File: a.py\n-one\n+two\n*** End Patch\n";

/// Where the action is.
fn action() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(".github/actions/check")
}

/// Commits files on top of a base that has `a.py`, and runs the action.
fn checked(files: &[(&str, &str)], event: &str, base: &str) -> (Repo, Run) {
    checked_with(
        files,
        &[
            ("PATH", &support::path()),
            ("GITHUB_EVENT_NAME", event.as_ref()),
            ("AGAINST", base.as_ref()),
        ],
    )
}

/// The same, with the variables of a runner.
fn checked_with(files: &[(&str, &str)], environment: &[(&str, &OsStr)]) -> (Repo, Run) {
    let repo = Repo::with(&[("a.py", "one\n")]);
    for (name, content) in files {
        repo.child(name).write_str(content).unwrap();
    }
    repo.commit("pull request");
    let mut command = isolated(support::unix("bash"), repo.path());
    command
        .arg(action().join("run"))
        .env("GITHUB_ACTION_PATH", action());
    let run = run(command.envs(environment.iter().copied()), b"");
    assert_eq!(
        repo.git(&["status", "--porcelain"]),
        "",
        "the checkout stays as it is"
    );
    assert_eq!(repo.git(&["worktree", "list"]).lines().count(), 1);
    (repo, run)
}

#[test]
fn a_response_that_applies_passes() {
    let (_, run) = checked(&[("answers/1.llmpatch", GOOD)], "pull_request", "HEAD^1");
    run.ended(0);
}

#[test]
fn what_is_wrong_is_said_where_it_is() {
    let bad = GOOD.replace("-one", "-::error::three");
    let files = [
        ("1.llmpatch", &bad[..]),
        ("notes.md", "Here:\n*** Begin Patch\n"),
    ];
    let (_, run) = checked(&files, "pull_request", "HEAD^1");
    assert_eq!(run.status, 1, "{}", run.stderr);
    let said: Vec<_> = run.stdout.lines().collect();
    let [matcher, stop, .., resume] = said[..] else {
        panic!("{said:?}")
    };
    assert!(
        matcher.starts_with("::add-matcher::") && stop.starts_with("::stop-commands::"),
        "{said:?}"
    );
    // Nothing in between is a command to the runner.
    assert_eq!(
        format!("::{}::", stop.strip_prefix("::stop-commands::").unwrap()),
        resume
    );
    assert!(
        run.stdout.contains("\n1.llmpatch:3:1: lines-not-found: "),
        "{}",
        run.stdout
    );
    assert!(
        run.stdout.contains("\nnotes.md:2:1: markers: "),
        "{}",
        run.stdout
    );
}

#[test]
fn it_refuses_to_run_with_rights_or_without_a_base() {
    for (event, base, want) in [
        ("pull_request_target", "HEAD^1", "pull_request_target"),
        ("pull_request", "HEAD~9", "fetch-depth"),
    ] {
        let (_, run) = checked(&[("1.llmpatch", GOOD)], event, base);
        assert_eq!(run.status, 1);
        assert!(
            run.stdout.starts_with("::error::") && run.stdout.contains(want),
            "{}",
            run.stdout
        );
    }
}

/// rustup looks for a toolchain, and cargo for its configuration, in the directory that they are
/// started in and above; what they find may name any program.
#[test]
fn the_program_is_built_where_the_pull_request_has_no_say() {
    let runner = TempDir::new().unwrap();
    let install = format!(
        "pwd >\"$RUNNER_TEMP/where\"; mkdir -p \"$RUNNER_TEMP/git-llmpatch/bin\"; ln -s '{}' \"$RUNNER_TEMP/git-llmpatch/bin/git-llmpatch\"",
        support::program()
    );
    for (cargo, status) in [(&install[..], 0), ("exit 7", 7)] {
        let programs = support::programs(&[
            "base64", "bash", "git", "head", "ln", "mkdir", "mktemp", "sh", "tr",
        ])
        .unwrap();
        let script = programs.child("cargo");
        support::system::write_script(script.path(), &format!("#!/bin/sh\n{cargo}\n"));
        let files = [
            ("answers/1.llmpatch", GOOD),
            ("rust-toolchain.toml", "[toolchain]\npath = \"theirs\"\n"),
        ];
        let (_, run) = checked_with(
            &files,
            &[
                ("PATH", programs.path().as_os_str()),
                ("RUNNER_TEMP", runner.path().as_os_str()),
                ("AGAINST", "HEAD^1".as_ref()),
            ],
        );
        run.ended(status);
    }
    let started = fs::read_to_string(runner.child("where")).unwrap();
    assert_eq!(
        Path::new(started.trim_end()),
        Path::new(env!("CARGO_MANIFEST_DIR"))
    );
}
