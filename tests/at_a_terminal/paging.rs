//! Diffs and responses in a pager.

use assert_fs::prelude::*;

use super::support::Repo;
use super::terminal::Terminal;

const RESPONSE: &str =
    "*** Begin Patch\n*** Update File: a.txt\n@@\n-two\n+2\x1b]0;owned\x07\n*** End Patch\n";

fn repo() -> Repo {
    let repo = Repo::with(&[("a.txt", "one\ntwo\nthree\n")]);
    repo.child("answer.txt").write_str(RESPONSE).unwrap();
    repo
}

/// Runs it on a terminal with these settings, and returns what was shown.
fn shown(repo: &Repo, arguments: &[&str], variables: &[(&str, &str)]) -> String {
    let mut command = repo.command();
    command
        .args(arguments)
        .env("TERM", "xterm")
        .env("PATH", std::env::var_os("PATH").unwrap());
    command
        .env_remove("NO_COLOR")
        .envs(variables.iter().copied());
    let mut terminal = Terminal::start(&command);
    assert!(terminal.end().success(), "{}", terminal.shown());
    terminal.wait_for("\n");
    terminal.shown()
}

#[test]
fn a_diff_goes_through_the_pager_that_git_would_take() {
    let pager = |name: &str| format!("sed -e 's/^/{name}: /'; echo $LESS");
    let (by_variable, by_config, own) = (pager("variable"), pager("config"), pager("own"));
    let repo = repo();
    let shown = |variables: &[(&str, &str)]| shown(&repo, &["diff", "answer.txt"], variables);

    repo.git(&["config", "core.pager", &by_config]);
    let text = shown(&[("PAGER", "false")]);
    assert!(
        text.contains("config: \x1b[1mdiff --git a/a.txt b/a.txt\x1b[m\r\n"),
        "{text}"
    );
    assert!(text.contains("FRX"), "{text}");
    repo.git(&["config", "pager.llmpatch", &own]);
    assert!(shown(&[]).contains("own: "));
    assert!(shown(&[("GIT_PAGER", &by_variable)]).contains("variable: "));
    repo.git(&["config", "pager.llmpatch", "false"]);
    assert!(!shown(&[]).contains(": \x1b[1mdiff"));
}

#[test]
fn what_a_terminal_would_obey_is_shown_instead() {
    for variables in [
        &[("GIT_PAGER", "cat")][..],
        &[("GIT_PAGER", "cat; true")],
        &[("GIT_PAGER", ""), ("NO_COLOR", "1")],
    ] {
        let text = shown(&repo(), &["diff", "answer.txt"], variables);
        assert!(text.contains("2\\033]0;owned\\007"), "{text}");
        assert!(!text.contains("\x1b]0"), "{text}");
    }
    assert!(
        !shown(
            &repo(),
            &["diff", "answer.txt"],
            &[("GIT_PAGER", "cat"), ("NO_COLOR", "1")]
        )
        .contains('\x1b')
    );
}

#[test]
fn a_pager_that_isnt_there_hides_nothing() {
    let text = shown(
        &repo(),
        &["diff", "answer.txt"],
        &[("GIT_PAGER", "no-such-pager -x")],
    );
    assert!(text.contains("diff --git a/a.txt b/a.txt"), "{text}");
}

#[test]
fn a_pager_that_is_closed_early_is_no_error() {
    assert!(
        shown(
            &repo(),
            &["apply", "--diff", "answer.txt"],
            &[("GIT_PAGER", "head -n 1")]
        )
        .contains("diff --git")
    );
}
