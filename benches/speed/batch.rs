//! Many candidates on one commit: ours beside a work tree, `git apply` and `git commit` for each,
//! and beside what git needs to merge as many pairs of them, which is the least that making a tree
//! by its hands takes.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use crate::support::scenario::git;

/// How many files one candidate changes.
const CHANGED: usize = 3;
const LINES: usize = 120;

fn line(file: usize, line: usize) -> String {
    format!(
        "line {line} of {file}: {}\n",
        (line * 7919 + file * 31) % 10007
    )
}

/// Returns the path of a file, and where in it a candidate changes which line.
fn changes(candidate: usize, files: usize) -> impl Iterator<Item = (String, usize, usize)> {
    (0..CHANGED).map(move |part| {
        let file = (candidate * 17 + part * files / CHANGED + candidate / files) % files;
        (
            path(file),
            file,
            5 + (candidate * 13 + part * 29) % (LINES - 10),
        )
    })
}

fn path(file: usize) -> String {
    format!("src/d{}/f{}.txt", file / 100, file % 100)
}

fn envelope(candidate: usize, files: usize) -> String {
    let mut patch = "*** Begin Patch\n".to_owned();
    for (path, file, at) in changes(candidate, files) {
        let _ = write!(
            patch,
            "*** Update File: {path}\n@@\n {}",
            line(file, at - 1)
        );
        let _ = write!(
            patch,
            "-{}+changed by {candidate}\n {}",
            line(file, at),
            line(file, at + 1)
        );
    }
    patch + "*** End Patch\n"
}

fn diff(candidate: usize, files: usize) -> String {
    let mut diff = String::new();
    for (path, file, at) in changes(candidate, files) {
        let _ = write!(
            diff,
            "--- a/{path}\n+++ b/{path}\n@@ -{at},3 +{at},3 @@\n {}",
            line(file, at - 1)
        );
        let _ = write!(
            diff,
            "-{}+changed by {candidate}\n {}",
            line(file, at),
            line(file, at + 1)
        );
    }
    diff
}

/// Runs a command to its end and returns how many candidates it did in a second.
fn rate(candidates: usize, command: &mut Command) -> f64 {
    let started = Instant::now();
    let status = command.status().expect("it can be started");
    assert!(status.success(), "{command:?} ends with {status:?}");
    candidates as f64 / started.elapsed().as_secs_f64()
}

/// Measures all of it and prints a line for each way.
pub(crate) fn measure(is_short: bool) {
    let (files, candidates, by_hand) = if is_short {
        (200, 60, 3)
    } else {
        (5000, 10_000, 100)
    };
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    let top = directory.path().join("top");
    for file in 0..files {
        let path = top.join(path(file));
        fs::create_dir_all(path.parent().unwrap_or(&top)).expect("a directory can be made");
        fs::write(
            path,
            (0..LINES).map(|at| line(file, at)).collect::<String>(),
        )
        .expect("a file can be written");
    }
    git(&top, &["init", "-q", "."]);
    git(&top, &["config", "user.name", "A"]);
    git(&top, &["config", "user.email", "a@example.org"]);
    git(&top, &["add", "."]);
    git(&top, &["commit", "-q", "-m", "base"]);
    git(&top, &["gc", "-q"]);
    let write = |name: &str, text: String| {
        fs::write(directory.path().join(name), text).expect("a file can be written")
    };
    let lines = |count: usize| -> String {
        let escaped = |id: usize| envelope(id, files).replace('\n', "\\n");
        (0..count)
            .map(|id| format!("{{\"id\": {id}, \"response\": \"{}\"}}\n", escaped(id)))
            .collect()
    };
    write("all", lines(candidates));
    write("some", lines(candidates / 10));
    let ours = |input: &str, output: &str, jobs: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_git-llmpatch"));
        command
            .args([
                "batch",
                "--onto=HEAD",
                "--commit",
                "-o",
                output,
                "-j",
                jobs,
                input,
            ])
            .current_dir(&top);
        command
    };
    let cores = std::thread::available_parallelism()
        .map_or(1, usize::from)
        .to_string();
    let mut rates = Vec::new();
    for (name, input, count, jobs) in [
        ("batch, a tenth, one core", "../some", candidates / 10, "1"),
        ("batch, one core", "../all", candidates, "1"),
        ("batch, all cores", "../all", candidates, &cores[..]),
    ] {
        let output = format!("../out-{}", rates.len());
        rates.push((name, rate(count, &mut ours(input, &output, jobs))));
    }
    let commits = commits(&directory.path().join("out-1"));
    assert_eq!(commits.len(), candidates);
    // A work tree for each, in the same order.
    let started = Instant::now();
    for (id, ours) in commits.iter().enumerate().take(by_hand) {
        let tree = directory.path().join("work").display().to_string();
        git(&top, &["worktree", "add", "-q", "--detach", &tree, "HEAD"]);
        write("diff", diff(id, files));
        git(Path::new(&tree), &["apply", "../diff"]);
        git(Path::new(&tree), &["commit", "-q", "-a", "-m", "candidate"]);
        let made = git(Path::new(&tree), &["rev-parse", "HEAD^{tree}"]);
        assert_eq!(
            made,
            git(&top, &["rev-parse", &format!("{ours}^{{tree}}")]),
            "candidate {id}"
        );
        git(&top, &["worktree", "remove", "--force", &tree]);
    }
    rates.push((
        "worktree, apply, commit",
        by_hand as f64 / started.elapsed().as_secs_f64(),
    ));
    let pairs: String = commits
        .windows(2)
        .map(|pair| format!("{} {}\n", pair[0], pair[1]))
        .collect();
    write("pairs", pairs);
    let input = File::open(directory.path().join("pairs")).expect("it is there");
    let mut merge = Command::new("git");
    merge
        .args(["merge-tree", "--write-tree", "--stdin"])
        .current_dir(&top)
        .stdin(input)
        .stdout(Stdio::null());
    rates.push(("merge-tree --stdin", rate(candidates - 1, &mut merge)));
    let by_hand = rates[3].1;
    for (way, rate) in rates {
        println!(
            "{:34}{way:>26}{rate:>12.0} a second{:>9.1} × by hand",
            "batch",
            rate / by_hand
        );
    }
}

fn commits(output: &Path) -> Vec<String> {
    let text = fs::read_to_string(output).expect("it is there");
    let commit = |line: &str| {
        Some(
            line.split_once("\"commit\":\"")?
                .1
                .split('"')
                .next()?
                .to_owned(),
        )
    };
    text.lines().filter_map(commit).collect()
}
