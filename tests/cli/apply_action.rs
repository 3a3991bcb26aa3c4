//! The action that applies a response, run as GitHub's runner does in a checkout.

use std::fs;
use std::path::{Path, PathBuf};

use assert_fs::TempDir;
use assert_fs::prelude::*;

use super::support::{self, Repo, Run, isolated, run, system};

const GOOD: &str = "*** Begin Patch\n*** Update File: a.py\n-one\n+two\n*** End Patch\n";

/// Where the action is.
fn action() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(".github/actions/apply")
}

/// What a run of the action leaves.
struct Done {
    repo: Repo,
    run: Run,
    outputs: String,
    /// What `gh` was called with, and the comment.
    comment: Option<String>,
}

/// Runs the action on a response; other inputs than their defaults are given.
fn applied(response: &str, inputs: &[(&str, &str)]) -> Done {
    support::needs(support::Need::Shell);
    let repo = Repo::with(&[
        ("a.py", "one\n"),
        (".github/workflows/ci.yml", "on: push\n"),
    ]);
    let runner = TempDir::new().unwrap();
    let place = runner.child("git-llmpatch-artifact/response.md");
    place.write_str(response).unwrap();
    let bin = runner.child("bin/gh");
    fs::create_dir(runner.child("bin").path()).unwrap();
    let script = "#!/bin/sh\n{ echo \"$GH_TOKEN: $*\"; cat \"$5\"; } >\"$RUNNER_TEMP/comment\"\n";
    system::write_script(bin.path(), script);
    let path = std::env::split_paths(&support::path()).collect::<Vec<_>>();
    let path = std::iter::once(runner.child("bin").to_path_buf()).chain(path);
    let mut command = isolated(support::unix("bash"), repo.path());
    command
        .arg(action().join("run"))
        .env("PATH", std::env::join_paths(path).unwrap())
        .env("GITHUB_ACTION_PATH", action())
        .env("GITHUB_OUTPUT", runner.child("outputs").path())
        .env("RUNNER_TEMP", runner.path());
    let defaults = [
        ("RESPONSE", "response.md"),
        ("ARTIFACT", "response"),
        ("LIMIT", ""),
        ("PROTECT", ":preset:executes"),
        ("COMMIT", "false"),
        ("PULL_REQUEST", ""),
        ("GH_TOKEN", "secret"),
    ];
    let run = run(command.envs(defaults).envs(inputs.iter().copied()), b"");
    Done {
        repo,
        run,
        outputs: fs::read_to_string(runner.child("outputs")).unwrap_or_default(),
        comment: fs::read_to_string(runner.child("comment")).ok(),
    }
}

#[test]
fn a_response_is_applied_or_committed() {
    let done = applied(GOOD, &[]);
    done.run.ended(0);
    assert_eq!(done.repo.git(&["status", "--porcelain"]), " M a.py\n");
    assert_eq!(done.outputs, "outcome=applied\n");
    let done = applied(GOOD, &[("COMMIT", "true")]);
    done.run.ended(0);
    assert_eq!(done.repo.git(&["status", "--porcelain"]), "");
    let head = done.repo.git(&["rev-parse", "HEAD"]);
    assert_eq!(done.outputs, format!("outcome=applied\ncommit={head}"));
    assert_eq!(done.comment, None);
}

#[test]
fn what_is_refused_is_said_in_a_comment_that_calls_nobody() {
    let response = GOOD.replace("-one", "-~~~~ @everybody");
    let done = applied(&response, &[("PULL_REQUEST", "7")]);
    let run = done.run;
    assert_eq!(run.status, 1, "{}", run.stderr);
    assert!(done.outputs.starts_with("outcome=refused\nfeedback=/"));
    let comment = done.comment.unwrap();
    assert!(
        comment.starts_with("secret: pr comment 7 --body-file /"),
        "{comment}"
    );
    let fences: Vec<_> = comment
        .lines()
        .filter(|line| line.starts_with("~~~~~~~"))
        .collect();
    assert_eq!(fences, ["~~~~~~~"; 2], "{comment}");
    let inside = comment.split("~~~~~~~\n").nth(1).unwrap();
    assert!(inside.contains("-~~~~ @everybody"), "{comment}");
    // Nothing of the response is a command to the runner.
    let said: Vec<_> = run.stdout.lines().collect();
    let stop = said[0].strip_prefix("::stop-commands::").unwrap();
    assert_eq!(said.last(), Some(&&format!("::{stop}::")[..]));
    assert!(run.stdout.contains("@everybody"), "{}", run.stdout);
    assert_eq!(done.repo.git(&["status", "--porcelain"]), "");
    assert_eq!(applied(&response, &[]).comment, None);
}

#[test]
fn limits_and_what_is_protected_hold() {
    let workflow = "*** Begin Patch\n*** Update File: .github/workflows/ci.yml\n-on: push\n+on: pull_request_target\n*** End Patch\n";
    for (response, inputs, status) in [
        (workflow, &[][..], 1),
        (workflow, &[("PROTECT", "")], 0),
        (GOOD, &[("LIMIT", "src\ndocs")], 1),
        (GOOD, &[("LIMIT", "src\n*.py")], 0),
        (GOOD, &[("PROTECT", "src\na.py\n")], 1),
        // What is given is no code.
        (GOOD, &[("LIMIT", "$(touch ran)\n*.py")], 0),
        (GOOD, &[("PULL_REQUEST", "7; touch ran")], 2),
        (GOOD, &[("COMMIT", "$(touch ran)")], 2),
        (GOOD, &[("RESPONSE", "-")], 2),
        (GOOD, &[("RESPONSE", "--help"), ("ARTIFACT", "")], 2),
    ] {
        let done = applied(response, inputs);
        assert_eq!(
            done.run.status, status,
            "{inputs:?}: {}{}",
            done.run.stdout, done.run.stderr
        );
        let changed = done.repo.git(&["status", "--porcelain"]);
        assert_eq!(changed.is_empty(), status != 0, "{inputs:?}: {changed}");
        assert!(!changed.contains("ran"), "{inputs:?}");
    }
}
