//! The line that says how far a long work is. `GIT_PROGRESS_DELAY` has it shown at once; locks say
//! when to go on.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

use assert_fs::prelude::*;

use super::support::{OnDisk, PATIENCE, Repo, US, isolated, program};
use super::terminal::Terminal;

const RESPONSE: &str = "*** Begin Patch\n*** Update File: a.txt\n@@\n-two\n+2\n*** End Patch\n";

/// A repository whose index somebody holds.
fn held() -> Repo {
    let repo = Repo::with(&[("a.txt", "one\ntwo\nthree\n")]);
    repo.child("../answer").write_str(RESPONSE).unwrap();
    repo.git(&["config", "llmpatch.lockTimeout", "-1"]);
    repo.child(".git/index.lock").write_str("").unwrap();
    repo
}

fn start(repo: &Repo, line: &str, variables: &[(&str, &str)]) -> Terminal {
    Terminal::start(command(repo, line).envs(variables.iter().copied()))
}

fn command(repo: &Repo, line: &str) -> Command {
    let mut command = isolated(Command::new("sh"), repo.path());
    command.args(["-c", &line.replace("llm ", "\"$0\" "), program()]);
    command
        .env("PATH", std::env::var_os("PATH").unwrap())
        .env("GIT_PROGRESS_DELAY", "0");
    command
}

/// Returns what stands on the screen in the end.
fn screen(shown: &str) -> String {
    let mut lines = Vec::new();
    for line in shown.split("\r\n") {
        let mut cells: Vec<char> = Vec::new();
        for part in line.split('\r') {
            let part: Vec<char> = part.chars().collect();
            let kept = cells.split_off(part.len().min(cells.len()));
            cells = [part, kept].concat();
        }
        lines.push(cells.iter().collect::<String>().trim_end().to_owned());
    }
    lines.join("\n")
}

/// Waits until a run has come so far that it wants the lock.
fn wait_for_journal(repo: &Repo) {
    let until = Instant::now() + PATIENCE;
    let is_there =
        || std::fs::read_dir(repo.child(".git/llmpatch")).is_ok_and(|mut all| all.next().is_some());
    while !is_there() {
        assert!(Instant::now() < until, "nobody wants the lock");
        std::thread::yield_now();
    }
}

/// Waits until a run stands before the lock and says so. It also says so, for a moment, when it
/// sees whether there is anything to recover, before it has planned anything.
fn wait_at_lock(repo: &Repo, terminal: &mut Terminal) {
    wait_for_journal(repo);
    let until = Instant::now() + PATIENCE;
    let waits = |shown: &str| {
        screen(shown)
            .rsplit('\n')
            .next()
            .is_some_and(|line| line.starts_with("Waiting for the index lock"))
    };
    while !waits(&terminal.shown()) {
        assert!(Instant::now() < until, "{}", terminal.shown());
        std::thread::yield_now();
    }
    terminal.wait_for("\rWaiting for the index lock");
}

fn release(repo: &Repo) {
    std::fs::remove_file(repo.child(".git/index.lock")).unwrap();
}

#[test]
fn a_line_says_what_is_waited_for_and_goes_without_a_trace() {
    let repo = held();
    let mut terminal = start(&repo, "llm apply ../answer", &[]);
    wait_at_lock(&repo, &mut terminal);
    release(&repo);
    assert!(terminal.end().success());
    assert_eq!(
        screen(&terminal.shown()),
        "M a.txt\n 1 file changed, 1 insertion(+), 1 deletion(-)\n"
    );
}

#[test]
fn who_holds_the_lock_is_named_after_a_second() {
    let repo = held();
    let mut terminal = start(&repo, "llm apply ../answer", &[]);
    terminal.wait_for("Waiting for the index lock, which is held by another program, most likely");
    release(&repo);
    assert!(terminal.end().success());
    assert_eq!(
        screen(&terminal.shown()),
        "M a.txt\n 1 file changed, 1 insertion(+), 1 deletion(-)\n"
    );
}

#[test]
fn what_a_hook_says_is_not_written_over() {
    let repo = held();
    repo.script(
        ".git/hooks/pre-commit",
        "#!/bin/sh\nprintf 'the hook speaks, and at length\\n' >&2\n",
    );
    let mut terminal = start(&repo, "llm apply --commit -m x ../answer", &[]);
    wait_at_lock(&repo, &mut terminal);
    release(&repo);
    assert!(terminal.end().success());
    let screen = screen(&terminal.shown());
    assert!(
        screen.starts_with("the hook speaks, and at length\nM a.txt\n[main "),
        "{screen}"
    );
}

#[test]
fn nothing_is_shown_where_nobody_looks_or_nobody_wants_it() {
    for (line, variables) in [
        ("llm apply -q ../answer", &[][..]),
        ("llm apply ../answer 2>../err; cat ../err", &[]),
        ("llm apply ../answer", &[("GIT_PROGRESS_DELAY", "1000")]),
    ] {
        let repo = held();
        let mut terminal = start(&repo, line, variables);
        wait_for_journal(&repo);
        release(&repo);
        assert!(terminal.end().success());
        // A machine that takes a second over this is told what is waited for, in a line that stays,
        // where a screen can't be written over.
        let shown = terminal.shown();
        let may_be_told = |said: &&str| line.contains("2>") && said.starts_with("waiting for ");
        let shown: String = shown
            .split_inclusive('\n')
            .filter(|said| !may_be_told(said))
            .collect();
        let want = if line.contains("-q") {
            ""
        } else {
            "M a.txt\r\n 1 file changed, 1 insertion(+), 1 deletion(-)\r\n"
        };
        assert_eq!(shown, want, "{line}");
    }
}

#[test]
fn a_refusal_takes_the_line_away_first() {
    let repo = held();
    let mut terminal = start(&repo, "llm apply ../answer", &[]);
    wait_at_lock(&repo, &mut terminal);
    repo.child("a.txt").write_str("saved\n").unwrap();
    release(&repo);
    assert_eq!(terminal.end().code(), Some(1));
    assert!(
        screen(&terminal.shown()).starts_with("error[stale]: "),
        "{}",
        terminal.shown()
    );
}

#[test]
fn an_interrupt_takes_the_line_away_too() {
    let repo = held();
    let mut terminal = start(
        &repo,
        "trap : INT; stty noflsh; llm apply ../answer; echo ended $?",
        &[],
    );
    wait_at_lock(&repo, &mut terminal);
    terminal.send("\u{3}");
    assert!(terminal.end().success());
    let screen = screen(&terminal.shown());
    assert!(
        !screen.contains("Waiting") && screen.ends_with("ended 130\n"),
        "{screen}"
    );
    assert!(!repo.child(".git/llmpatch").exists() || repo.text("a.txt") == "one\ntwo\nthree\n");
}

/// The first number of files with which a work may take long enough to be seen at it.
const FEW: usize = 600;

/// Calls this with ever more things until it says that it saw what was to be seen: a fast machine
/// is done with few of them between two looks of the line.
fn with_ever_more(least: usize, saw: impl Fn(usize) -> bool) {
    assert!(
        [least, 3 * least, 9 * least, 27 * least]
            .into_iter()
            .any(saw),
        "it is never shown"
    );
}

/// Runs a line to its end, which must leave nothing on the screen, and returns whether something
/// was shown.
fn shows(repo: &Repo, line: &str, told: &str) -> bool {
    let mut terminal = start(repo, line, &[]);
    assert!(terminal.end().success(), "{line}: {}", terminal.shown());
    let shown = terminal.shown();
    assert_eq!(screen(&shown), "", "{line}: {shown}");
    shown.contains(told)
}

/// A repository of many files that its last commit changed, and a response that changes them again.
fn many(files: usize) -> Repo {
    let repo = Repo::with(&[]);
    let all = |text: &str| {
        (0..files).for_each(|n| {
            repo.child(format!("d{}/{n}.txt", n % 50))
                .write_str(&format!("{n}\n{text}\n"))
                .unwrap()
        })
    };
    all("old");
    repo.commit("old");
    all("new");
    repo.commit("new");
    let sections: String = (0..files)
        .map(|n| {
            format!(
                "*** Update File: d{}/{n}.txt\n@@\n {n}\n-new\n+newer\n",
                n % 50
            )
        })
        .collect();
    repo.child("../answer")
        .write_str(&format!("*** Begin Patch\n{sections}*** End Patch\n"))
        .unwrap();
    repo
}

#[test]
fn counts_are_told_beside_what_goes_into_a_pipe() {
    with_ever_more(FEW, |files| {
        let repo = many(files);
        let mut terminal = start(&repo, "llm apply --index ../answer | tail -n 1", &[]);
        assert!(terminal.end().success());
        let shown = terminal.shown();
        let want = format!(" {files} files changed, {files} insertions(+), {files} deletions(-)\n");
        assert_eq!(screen(&shown), want, "{shown}");
        shown.contains(&format!("/{files})"))
    });
}

#[test]
fn every_long_work_is_told_of_and_leaves_no_trace() {
    for (before, line, told) in [
        ("", "llm show --to=envelope HEAD >../out", "/FILES)"),
        (
            "",
            "llm show --to=opx HEAD~1..HEAD >../out",
            "Writing commits:   0% (0/1)",
        ),
        ("", "llm convert --to=opx ../answer >../out", "/FILES)"),
        ("", "llm prompt --example=HEAD >../out", "/FILES)"),
        ("", "llm apply --index ../answer >../out", "/FILES)"),
        (
            "llm apply --index ../answer",
            "llm check --staged >../out",
            "Checking what is staged",
        ),
        ("llm apply --index ../answer", "llm undo >../out", "/FILES)"),
    ] {
        with_ever_more(FEW, |files| {
            let repo = many(files);
            assert!(
                command(&repo, &format!("{before} >../before"))
                    .status()
                    .unwrap()
                    .success()
            );
            shows(&repo, line, &told.replace("FILES", &files.to_string()))
        });
    }
}

#[test]
fn staged_responses_are_one_work() {
    with_ever_more(40, |responses| {
        let repo = Repo::with(&[("a.txt", "one\ntwo\nthree\n")]);
        (0..responses).for_each(|n| {
            repo.child(format!("{n}.llmpatch"))
                .write_str(RESPONSE)
                .unwrap()
        });
        repo.git(&["add", "."]);
        let mut terminal = start(&repo, "llm check --staged", &[]);
        assert!(terminal.end().success());
        let shown = terminal.shown();
        assert!(!shown.contains("Reading"), "{shown}");
        assert_eq!(screen(&shown), "");
        shown.contains(&format!("/{responses})"))
    });
}

/// A repository in which a change was interrupted, and the files before that.
fn interrupted() -> (Repo, BTreeMap<PathBuf, OnDisk>) {
    let repo = many(FEW);
    repo.script(
        ".git/hooks/pre-commit",
        &format!("#!/bin/sh\n{US}\nkill -KILL $us\nexit 1\n"),
    );
    let before = repo.files();
    let killed = repo
        .command()
        .args(["apply", "--commit", "-m", "x", "../answer"])
        .output()
        .unwrap();
    assert!(!killed.status.success());
    assert_ne!(repo.files(), before);
    (repo, before)
}

#[test]
fn what_was_taken_back_is_told_before_a_question_and_once() {
    let (repo, before) = interrupted();
    let mut terminal = start(&repo, "llm apply -i ../answer", &[("GIT_PAGER", "cat")]);
    terminal.wait_for("Apply this change");
    terminal.send("n\n");
    terminal.end();
    let shown = screen(&terminal.shown());
    let (asked, since) = shown.split_once("Apply this change").unwrap();
    assert!(
        asked.contains("an interrupted apply was taken back"),
        "{shown}"
    );
    assert!(!since.contains("interrupted"), "{shown}");
    assert_eq!(repo.files(), before);
}

#[test]
fn a_recovery_that_waits_says_so() {
    let (repo, before) = interrupted();
    repo.git(&["config", "llmpatch.lockTimeout", "-1"]);
    let git_directory = File::open(repo.child(".git")).unwrap();
    rustix::fs::flock(&git_directory, rustix::fs::FlockOperation::LockExclusive).unwrap();
    let mut terminal = start(&repo, "llm recover | head -n 1", &[]);
    terminal.wait_for("\rWaiting for ");
    drop(git_directory);
    assert!(terminal.end().success());
    assert_eq!(
        screen(&terminal.shown()),
        "an interrupted apply was taken back\n"
    );
    assert_eq!(repo.files(), before);
}

#[test]
fn a_pager_has_the_screen_to_itself() {
    with_ever_more(FEW, |files| {
        let repo = many(files);
        let mut terminal = start(
            &repo,
            "llm show --to=envelope HEAD",
            &[("GIT_PAGER", "sed -e 's/^/paged: /'")],
        );
        assert!(terminal.end().success());
        let shown = terminal.shown();
        let (before, paged) = shown.split_at(shown.find("paged: ").unwrap());
        assert_eq!(screen(before), "", "{before}");
        let is_paged = |line: &str| line.starts_with("paged: ") && !line.contains('\r');
        assert!(paged.split_terminator("\r\n").all(is_paged), "{paged}");
        before.contains(&format!("/{files})"))
    });
}

#[test]
fn nothing_is_shown_while_a_question_stands() {
    let repo = held();
    let mut terminal = start(&repo, "llm apply -i ../answer", &[("GIT_PAGER", "cat")]);
    terminal.wait_for("Apply this change");
    let asked = terminal.shown();
    assert!(!screen(&asked).contains("ing "), "{asked}");
    terminal.send("y\n");
    terminal.wait_for("\rWaiting for the index lock");
    let shown = terminal.shown();
    let (_, since) = shown.split_once("Apply this change").unwrap();
    let (stood, _) = since.split_once("y\r\n").unwrap();
    assert!(!stood.contains("ing "), "{stood:?}");
    release(&repo);
    assert!(terminal.end().success());
}

#[test]
fn who_works_in_the_background_is_silent() {
    let repo = held();
    let mut terminal = start(
        &repo,
        "set -m; llm apply ../answer & wait $!; echo ended $?",
        &[],
    );
    wait_for_journal(&repo);
    release(&repo);
    assert!(terminal.end().success());
    let shown = terminal.shown();
    assert!(
        !shown.contains("Waiting") && shown.contains("\r\nended 0\r\n"),
        "{shown}"
    );
}

#[test]
fn a_second_goes_by_before_anything_is_shown() {
    let second = Duration::from_secs(1);
    let repo = held();
    repo.git(&["config", "llmpatch.lockTimeout", "60000"]);
    let begun = Instant::now();
    let mut terminal =
        Terminal::start(command(&repo, "llm apply ../answer").env_remove("GIT_PROGRESS_DELAY"));
    wait_at_lock(&repo, &mut terminal);
    assert!(begun.elapsed() >= second);
    release(&repo);
    assert!(terminal.end().success());

    let begun = Instant::now();
    let mut terminal =
        Terminal::start(command(&repo, "llm undo -v").env_remove("GIT_PROGRESS_DELAY"));
    assert!(terminal.end().success());
    // Who was slower than that may have been told of it.
    if begun.elapsed() < second {
        let shown = terminal.shown();
        let (said, done) = shown.split_once(" ago:\r\n").unwrap();
        let before = "the last apply changed the work tree\r\ntook back the apply of ";
        let age = said.strip_prefix(before);
        assert!(age.is_some_and(|age| !age.contains('\n')), "{shown}");
        assert_eq!(
            done,
            "M a.txt\r\n 1 file changed, 1 insertion(+), 1 deletion(-)\r\n"
        );
    }
}
