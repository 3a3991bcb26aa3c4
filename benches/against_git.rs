//! How long applying takes, beside `git apply` and GNU `patch` doing the same, and what a hook costs beside
//! `git diff --cached`: `cargo bench`.
//!
//! Prints the best of some runs and the ratio to git's. It fails if a change isn't made, or not made alike, and never for
//! being slow: machines differ, and a figure is for people to look at. Instructions are much the same everywhere; where
//! valgrind counts them, `check --staged` has a bound. `--short` takes small files and one run each, so that
//! this can be tried wherever tests run.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// A way to make the same change: a name, a program and its arguments.
type Way<'a> = (&'a str, &'a str, Vec<&'a str>);

fn main() {
    let short = std::env::args().any(|argument| argument == "--short");
    let (times, scale) = if short { (1, 64) } else { (5, 1) };
    println!("{:28}{:>22}{:>12}{:>10}{:>9}", "", "", "best", "to git", "times");

    small(if short { 1 } else { 50 });
    let lines = (64 << 20) / line(0).len() / scale;
    for hunks in [1, 1000 / scale] {
        let name = format!("{} MiB, hunks: {hunks}", 64 / scale);
        let changed: Vec<_> = (0..hunks).map(|hunk| lines / hunks * hunk + lines / hunks / 2).collect();
        large(&name, times, lines, &changed, 1);
    }
    let lines = 200_000 / scale;
    let changed: Vec<_> = (0..50).map(|hunk| lines / 50 * hunk + lines / 100).collect();
    let context = 500 / scale;
    large(&format!("{lines} lines, 50 hunks of {}", 2 * context + 1), times, lines, &changed, context);
    staged(if short { 1 } else { 50 }, 5000 / scale, !short);
}

/// The everyday case: a small change in a small repository, which costs what starting costs.
fn small(times: usize) {
    let folder = repository(&[("src/a.txt", 200), ("src/b.txt", 200), ("c.txt", 50)]);
    write_patches(folder.path(), "src/a.txt", 200, &[100], 3);
    let (our, git) = (ours(), vec!["apply", "--check", "../git.diff"]);
    compare(
        "small, --check",
        times,
        folder.path(),
        &[("git apply", "git", git), ("git-llmpatch", &our, vec!["apply", "--check", "../answer.txt"])],
    );
}

/// One big file, changed in lines of these indices, with so many lines of context on both sides.
fn large(name: &str, times: usize, lines: usize, changed: &[usize], context: usize) {
    let folder = repository(&[("big.txt", lines)]);
    write_patches(folder.path(), "big.txt", lines, changed, context);
    let our = ours();
    let mut ways: Vec<Way<'_>> = vec![
        ("git apply", "git", vec!["apply", "../git.diff"]),
        ("git-llmpatch", &our, vec!["apply", "-q", "../answer.txt"]),
    ];
    if Command::new("patch").arg("--version").stdout(Stdio::null()).status().is_ok() {
        ways.push(("patch", "patch", vec!["-s", "-p1", "-i", "../git.diff"]));
    }
    compare(name, times, folder.path(), &ways);
}

/// What a hook costs: one file of many is staged, and no response is.
fn staged(times: usize, files: usize, is_bounded: bool) {
    let names: Vec<_> = (0..files).map(|file| format!("src/part{:03}/file{file:05}.rs", file / 50)).collect();
    let folder = repository(&names.iter().map(|name| (&name[..], 20)).collect::<Vec<_>>());
    let top = folder.path().join("top");
    git(&top, &["-c", "user.name=A", "-c", "user.email=a@example.com", "commit", "-q", "-m", "base"]);
    fs::write(top.join(&names[files / 2]), "changed\n").expect("a file can be written");
    git(&top, &["add", "."]);
    let name = format!("{files} files, 1 staged");
    let our = ours();
    let mut gits = None;
    for (way, program, arguments) in [
        ("git diff --cached", "git", &["diff", "--cached", "--name-only"][..]),
        ("check --staged", &our, &["check", "--staged"]),
    ] {
        let mut best = Duration::MAX;
        for _ in 0..times {
            let started = Instant::now();
            let status = Command::new(program).args(arguments).current_dir(&top).stdout(Stdio::null()).status();
            best = best.min(started.elapsed());
            assert!(status.as_ref().is_ok_and(|status| status.success()), "{name}: {way} ends with {status:?}");
        }
        let ratio = best.as_secs_f64() / *gits.get_or_insert(best.as_secs_f64());
        println!("{name:28}{way:>22}{:>9.2} ms{ratio:>10.2}{times:>9}", best.as_secs_f64() * 1000.0);
        if let Some(count) = instructions(folder.path(), program, arguments) {
            println!("{:28}{way:>22}{:>9.1} M instructions, children included", "", count as f64 / 1e6);
            assert!(!is_bounded || count <= 60_000_000, "{name}: {way} takes {count} instructions");
        }
    }
}

/// Counts the instructions of a program and of all that it starts; nothing where there is no valgrind.
fn instructions(folder: &Path, program: &str, arguments: &[&str]) -> Option<u64> {
    let logs = tempfile::tempdir_in(folder).expect("a folder can be made");
    let mut valgrind = Command::new("valgrind");
    valgrind.args(["--tool=callgrind", "--callgrind-out-file=/dev/null", "--trace-children=yes"]);
    valgrind.arg(format!("--log-file={}/%p", logs.path().display())).arg(program).args(arguments);
    let status = valgrind.current_dir(folder.join("top")).stdout(Stdio::null()).status().ok()?;
    assert!(status.success(), "valgrind ends with {status:?}");
    let collected = |log: std::io::Result<fs::DirEntry>| {
        let log = fs::read_to_string(log.ok()?.path()).ok()?;
        log.rsplit_once("Collected : ")?.1.split_whitespace().next()?.parse::<u64>().ok()
    };
    Some(fs::read_dir(logs.path()).ok()?.filter_map(collected).sum())
}

/// Runs each way some times, from the same state, and checks that all of them end in the same one.
fn compare(name: &str, times: usize, folder: &Path, ways: &[Way<'_>]) {
    let top = folder.join("top");
    let mut ends = Vec::new();
    let mut gits = None;
    for (way, program, arguments) in ways {
        let mut best = Duration::MAX;
        for _ in 0..times {
            git(&top, &["checkout", "-q", "-f", "."]);
            let started = Instant::now();
            let status = Command::new(program).args(arguments).current_dir(&top).status();
            best = best.min(started.elapsed());
            assert!(status.as_ref().is_ok_and(|status| status.success()), "{name}: {way} ends with {status:?}");
        }
        ends.push(git(&top, &["diff", "--stat"]));
        let ratio = best.as_secs_f64() / *gits.get_or_insert(best.as_secs_f64());
        println!("{name:28}{way:>22}{:>9.2} ms{ratio:>10.2}{times:>9}", best.as_secs_f64() * 1000.0);
    }
    assert!(ends.windows(2).all(|pair| pair[0] == pair[1]), "{name}: the ways end differently: {ends:?}");
}

fn ours() -> String {
    env!("CARGO_BIN_EXE_git-llmpatch").to_owned()
}

fn line(index: usize) -> String {
    format!("    let value_{index:08} = compute(the, same, thing);\n")
}

/// Makes a repository `top` in a new folder, with files of so many lines.
fn repository(files: &[(&str, usize)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let top = folder.path().join("top");
    for (path, lines) in files {
        let path = top.join(path);
        fs::create_dir_all(path.parent().unwrap_or(&top)).expect("a folder can be made");
        fs::write(path, (0..*lines).map(line).collect::<String>()).expect("a file can be written");
    }
    git(&top, &["init", "-q"]);
    git(&top, &["add", "."]);
    folder
}

/// Writes the same change of a file as `answer.txt` for us and as `git.diff` for the others.
fn write_patches(folder: &Path, path: &str, lines: usize, changed: &[usize], context: usize) {
    let mut answer = format!("*** Begin Patch\n*** Update File: {path}\n");
    let mut diff = format!("--- a/{path}\n+++ b/{path}\n");
    for &at in changed {
        let (from, to) = (at.saturating_sub(context), (at + context + 1).min(lines));
        let before: String = (from..at).map(|index| format!(" {}", line(index))).collect();
        let after: String = (at + 1..to).map(|index| format!(" {}", line(index))).collect();
        let hunk = format!("{before}-{}+changed {at}\n{after}", line(at));
        answer += &format!("@@\n{hunk}");
        diff += &format!("@@ -{0},{1} +{0},{1} @@\n{hunk}", from + 1, to - from);
    }
    answer += "*** End Patch\n";
    fs::write(folder.join("answer.txt"), answer).expect("a file can be written");
    fs::write(folder.join("git.diff"), diff).expect("a file can be written");
}

/// Runs git with no configuration but the repository's, and returns what it prints.
fn git(top: &Path, arguments: &[&str]) -> String {
    let output = Command::new("git").args(arguments).current_dir(top).env("GIT_CONFIG_GLOBAL", "/dev/null").output();
    let output = output.expect("git can be started");
    assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}
