//! The action that checks a pull request, run as GitHub's runner does in a checkout of the pull
//! request merged into its base.

use assert_fs::prelude::*;

use crate::support::{self, Repo, Run, isolated, run};

const GOOD: &str = "*** Begin Patch\n*** Update File: a.py\n-one\n+two\n*** End Patch\n";

/// Commits files on top of a base that has `a.py`, and runs the action.
fn checked(files: &[(&str, &str)], event: &str, base: &str) -> (Repo, Run) {
    let repo = Repo::with(&[("a.py", "one\n")]);
    for (name, content) in files {
        repo.child(name).write_str(content).unwrap();
    }
    repo.commit("pull request");
    let action = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(".github/actions/check");
    let mut command = isolated(support::unix("bash"), repo.path());
    command
        .arg(action.join("run"))
        .env("GITHUB_ACTION_PATH", &action)
        .env("PATH", support::path());
    let run = run(
        command.env("GITHUB_EVENT_NAME", event).env("AGAINST", base),
        b"",
    );
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
