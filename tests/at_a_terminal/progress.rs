//! The line that says how far a long work is. `GIT_PROGRESS_DELAY` has it shown at once; locks and filters say when to go on.

use std::process::Command;
use std::time::{Duration, Instant};

use super::support::{Repo, isolated, program};
use super::terminal::Terminal;

const RESPONSE: &str = "*** Begin Patch\n*** Update File: a.txt\n@@\n-two\n+2\n*** End Patch\n";

/// A repository whose index somebody holds.
fn held() -> Repo {
    let repo = Repo::with(&[("a.txt", "one\ntwo\nthree\n")]);
    repo.write("../answer", RESPONSE);
    repo.git(&["config", "llmpatch.lockTimeout", "-1"]);
    repo.write(".git/index.lock", "");
    repo
}

fn start(repo: &Repo, line: &str, variables: &[(&str, &str)]) -> Terminal {
    let mut command = isolated(Command::new("sh"), repo.path());
    command.args(["-c", &line.replace("llm ", "\"$0\" "), program()]);
    command.env("PATH", std::env::var_os("PATH").unwrap()).env("GIT_PROGRESS_DELAY", "0");
    command.envs(variables.iter().copied());
    Terminal::start(&command)
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
    let until = Instant::now() + Duration::from_secs(60);
    let is_there = || std::fs::read_dir(repo.path().join(".git/llmpatch")).is_ok_and(|mut all| all.next().is_some());
    while !is_there() {
        assert!(Instant::now() < until, "nobody wants the lock");
        std::thread::yield_now();
    }
}

fn release(repo: &Repo) {
    std::fs::remove_file(repo.path().join(".git/index.lock")).unwrap();
}

#[test]
fn a_line_says_what_is_waited_for_and_goes_without_a_trace() {
    let repo = held();
    let mut terminal = start(&repo, "llm apply ../answer", &[]);
    terminal.wait_for("\rWaiting for the index lock");
    release(&repo);
    assert!(terminal.end().success());
    assert_eq!(screen(&terminal.shown()), "M a.txt\n 1 file changed, 1 insertion(+), 1 deletion(-)\n");
}

#[test]
fn what_a_hook_says_is_not_written_over() {
    let repo = held();
    repo.write(".git/hooks/pre-commit", "#!/bin/sh\nprintf 'the hook speaks, and at length\\n' >&2\n");
    repo.chmod(".git/hooks/pre-commit", 0o755);
    let mut terminal = start(&repo, "llm apply --commit -m x ../answer", &[]);
    terminal.wait_for("\rWaiting for the index lock");
    release(&repo);
    assert!(terminal.end().success());
    let screen = screen(&terminal.shown());
    assert!(screen.starts_with("the hook speaks, and at length\nM a.txt\n[main "), "{screen}");
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
        let shown = terminal.shown();
        let want =
            if line.contains("-q") { "" } else { "M a.txt\r\n 1 file changed, 1 insertion(+), 1 deletion(-)\r\n" };
        assert_eq!(shown, want, "{line}");
    }
}

#[test]
fn a_refusal_takes_the_line_away_first() {
    let repo = held();
    let mut terminal = start(&repo, "llm apply ../answer", &[]);
    terminal.wait_for("\rWaiting for the index lock");
    repo.write("a.txt", "saved\n");
    release(&repo);
    assert_eq!(terminal.end().code(), Some(1));
    assert!(screen(&terminal.shown()).starts_with("error[stale]: "), "{}", terminal.shown());
}

#[test]
fn an_interrupt_takes_the_line_away_too() {
    let repo = held();
    let mut terminal = start(&repo, "trap : INT; stty noflsh; llm apply ../answer; echo ended $?", &[]);
    terminal.wait_for("\rWaiting for the index lock");
    terminal.send("\u{3}");
    assert!(terminal.end().success());
    let screen = screen(&terminal.shown());
    assert!(!screen.contains("Waiting") && screen.ends_with("ended 130\n"), "{screen}");
    assert!(!repo.path().join(".git/llmpatch").exists() || repo.text("a.txt") == "one\ntwo\nthree\n");
}

#[test]
fn counts_are_told_where_they_are_known() {
    const FILES: usize = 1000;
    let repo = Repo::with(&[]);
    let sections: String = (0..FILES).map(|n| format!("*** Add File: d{}/{n}.txt\n+{n}\n", n % 50)).collect();
    repo.write("../answer", format!("*** Begin Patch\n{sections}*** End Patch\n"));
    let mut terminal = start(&repo, "llm apply --index ../answer | tail -n 1", &[]);
    terminal.wait_for(&format!("/{FILES})"));
    assert!(terminal.end().success());
    assert_eq!(screen(&terminal.shown()), format!(" {FILES} files changed, {FILES} insertions(+)\n"));
}
