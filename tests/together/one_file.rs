//! Many at once to one file: whoever comes second is worked out again on what the first one left, so that
//! nobody is refused and nothing is lost.

use std::io::Write as _;
use std::process::Stdio;

use crate::support::{Repo, Run};

const LINES: usize = 40;

/// Returns the file before, in which each writer has a place of its own.
fn before() -> String {
    (0..LINES).map(|line| format!("line {line:02}\n")).collect()
}

/// Returns the file with the lines of these writers behind their places.
fn after(writers: usize) -> String {
    let line = |line: usize| {
        let own = if line < writers {
            format!("own {line:02}\n")
        } else {
            String::new()
        };
        format!("line {line:02}\n{own}")
    };
    (0..LINES).map(line).collect()
}

fn response(writer: usize) -> String {
    format!(
        "*** Begin Patch\n*** Update File: shared.txt\n@@\n line {writer:02}\n+own {writer:02}\n*** End Patch\n"
    )
}

fn repository() -> Repo {
    let repo = Repo::with(&[("shared.txt", &before())]);
    // However slow the machine is: what is tested is that nobody is refused for anything else.
    repo.git(&["config", "llmpatch.lockTimeout", "-1"]);
    repo.git(&["config", "llmpatch.fsync", "false"]);
    repo.git(&["config", "gc.auto", "0"]);
    repo.git(&["config", "maintenance.auto", "false"]);
    repo
}

/// Starts all of them, then lets all of them read their responses.
fn at_once(
    repo: &Repo,
    writers: usize,
    args: &[&str],
    response: impl Fn(usize) -> String,
) -> Vec<Run> {
    let start = |_| {
        let mut command = repo.command();
        command.args(args).stdin(Stdio::piped());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().unwrap()
    };
    let mut children: Vec<_> = (0..writers).map(start).collect();
    // Each waits for a response until all are there.
    for (writer, child) in children.iter_mut().enumerate() {
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(response(writer).as_bytes()).unwrap();
    }
    let end = |child: std::process::Child| Run::of(child.wait_with_output().unwrap());
    children.into_iter().map(end).collect()
}

#[test]
fn every_line_that_is_added_to_one_file_at_once_is_there() {
    for (writers, args) in [
        (8, &["apply"][..]),
        (8, &["apply", "-N"]),
        (8, &["apply", "--index"]),
        (8, &["apply", "--cached"]),
        (8, &["apply", "--commit", "-m", "own line"]),
        (8, &["apply", "--commit", "--each"]),
        (8, &["apply", "-3", "--base=HEAD"]),
        (8, &["apply", "--diff", "--apply"]),
        (8, &["apply-patch"]),
        (32, &["apply"]),
    ] {
        let repo = repository();
        for run in at_once(&repo, writers, args, response) {
            assert_eq!(run.status, 0, "{args:?}: {}", run.stderr);
        }
        let found = match args {
            [_, "--cached"] => repo.git(&["show", ":shared.txt"]),
            _ => repo.text("shared.txt"),
        };
        assert_eq!(found, after(writers), "{args:?}");
        if args.contains(&"--commit") {
            assert_eq!(repo.git(&["status", "--porcelain"]), "");
            let subjects = repo.git(&["log", "--format=%s"]);
            assert_eq!(subjects.lines().count(), writers + 1, "{subjects}");
        }
    }
}

/// Demands that one of eight is applied and the others are refused, each by one of these kinds.
fn one_of_eight(args: &[&str], response: &str, kinds: &[&str]) {
    let repo = repository();
    let runs = at_once(&repo, 8, args, |_| response.to_owned());
    let (done, refused): (Vec<_>, Vec<_>) = runs.into_iter().partition(|run| run.status == 0);
    assert_eq!(done.len(), 1, "{refused:?}");
    for run in refused {
        let known = kinds.iter().map(|kind| format!("error[{kind}]: "));
        assert_eq!(run.status, 1, "{}", run.stderr);
        assert!(
            known
                .into_iter()
                .any(|known| run.stderr.starts_with(&known)),
            "{}",
            run.stderr
        );
        assert!(
            run.stderr.ends_with("nothing was changed\n"),
            "{}",
            run.stderr
        );
    }
    assert_eq!(
        repo.text("shared.txt"),
        before().replace("line 07", "other")
    );
}

#[test]
fn what_does_not_fit_any_more_is_refused() {
    let response =
        "*** Begin Patch\n*** Update File: shared.txt\n@@\n-line 07\n+other\n*** End Patch\n";
    // Who begins when the line is gone already is told so.
    one_of_eight(&["apply"], response, &["stale", "lines-not-found"]);
    one_of_eight(&["apply", "--base=HEAD"], response, &["stale"]);
    let checked = repository().run(&["check", "--json"], response);
    let checked: serde_json::Value = serde_json::from_str(&checked.stdout).unwrap();
    let expected = format!("--expect={}", checked["plan"].as_str().unwrap());
    let kinds = ["stale", "lines-not-found"];
    one_of_eight(&["apply", &expected], response, &kinds);
}
