//! What reaches standard output and standard error, and what becomes of a run that can't write to
//! them.

use std::fs::File;
use std::io::Write as _;
use std::process::Stdio;

use assert_fs::prelude::*;

use super::{envelope, repo, update};

#[test]
fn a_closed_pipe_is_no_error() {
    for (args, response, status) in [
        (&["apply"][..], update("a.txt", "two", "2"), 0),
        (&["diff"], update("a.txt", "two", "2"), 0),
        (&["check"], update("a.txt", "two", "2"), 0),
        (&["apply"], update("a.txt", "four", "4"), 1),
        (&["apply", "-v"], update("a.txt", "two", "2"), 0),
    ] {
        let repo = repo();
        let mut command = repo.command();
        command
            .args(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        // It waits for the response, so that both are closed before it can write.
        drop((child.stdout.take(), child.stderr.take()));
        child
            .stdin
            .take()
            .unwrap()
            .write_all(response.as_bytes())
            .unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(status), "{args:?}");
        if args == ["apply"] && status == 0 {
            repo.child("a.txt").assert("one\n2\nthree\n");
        }
    }
    for args in [
        &["--help"][..],
        &["apply", "-h"],
        &["--version"],
        &["nonsense"],
    ] {
        let mut child = repo()
            .command()
            .args(args)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop((child.stdout.take(), child.stderr.take()));
        let status = child.wait().unwrap().code();
        assert_eq!(
            status,
            Some(if args == ["nonsense"] { 2 } else { 0 }),
            "{args:?}"
        );
    }
}

#[test]
#[cfg(target_os = "linux")]
fn output_that_can_not_be_written_is_an_error() {
    let repo = repo();
    repo.child("answer")
        .write_str(&update("a.txt", "two", "2"))
        .unwrap();
    for command in ["diff", "check", "apply"] {
        let full = File::options().write(true).open("/dev/full").unwrap();
        let output = repo
            .command()
            .args([command, "answer"])
            .stdout(full)
            .stderr(Stdio::piped())
            .output()
            .unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(3), "{command} {stderr}");
        assert!(
            stderr.starts_with("error[io]: can't write standard output: "),
            "{command} {stderr}"
        );
        let state = if command == "apply" {
            "everything was changed as asked\n"
        } else {
            "\n"
        };
        assert!(stderr.ends_with(state), "{command} {stderr}");
    }
}

#[test]
fn nothing_from_a_response_or_a_file_reaches_a_terminal_raw() {
    let hostile = "\u{1b}]0;pwned\u{7}\u{1b}[2J\u{9b}31m\u{202e}\u{2066}x\r";
    for response in [
        update(&format!("{hostile}.txt"), "a", "b"),
        update("../\u{1b}[2J", "a", "b"),
        update("a.txt", hostile, "b"),
        update("hostile.txt", "one", "b"),
        envelope(&format!("*** {hostile} File: a.txt\n")),
        envelope(&format!("*** Update File: a.txt\n@@ {hostile}\n-one\n+1\n")),
        envelope(&format!("*** Add File: {hostile}\n+x\n")),
        format!(
            "<edit file=\"{hostile}\" op=\"{hostile}\" {hostile}=\"x\">\n<{hostile}>\n</edit>\n"
        ),
        format!("{hostile}\n"),
    ] {
        for command in [
            &["apply", "--color=never"][..],
            &["check", "-v"],
            &["apply", "--check", "--stat", "--summary"],
        ] {
            let repo = repo();
            repo.child("hostile.txt")
                .write_str(&format!("{hostile}\none {hostile}\n"))
                .unwrap();
            let run = repo.run(command, &response);
            for text in [&run.stdout, &run.stderr] {
                let raw = text
                    .chars()
                    .find(|&c| (c.is_control() && c != '\n') || "\u{202e}\u{2066}".contains(c));
                assert_eq!(raw, None, "{command:?} {response:?}: {text}");
            }
        }
    }
}

#[test]
fn colours_are_for_terminals_unless_told_otherwise() {
    for (config, args, is_coloured) in [
        (None, &[][..], false),
        (None, &["--color=always"], true),
        (None, &["--color"], true),
        (Some("always"), &[], true),
        (Some("always"), &["--color=never"], false),
        (Some("true"), &[], false),
    ] {
        let repo = repo();
        if let Some(config) = config {
            repo.git(&["config", "color.ui", config]);
        }
        let run = repo
            .run(&[&["apply"], args].concat(), update("a.txt", "four", "4"))
            .ended(1);
        assert_eq!(
            run.stderr.contains('\u{1b}'),
            is_coloured,
            "{config:?} {args:?} {}",
            run.stderr
        );
    }
}

#[test]
fn messages_fit_the_width_there_is() {
    let repo = repo();
    let response = update("a.txt", &"four ".repeat(100), "4");
    for columns in ["40", "80", "200"] {
        let mut command = repo.command();
        let run = super::support::run(
            command.env("COLUMNS", columns).arg("apply"),
            response.as_bytes(),
        )
        .ended(1);
        let width = columns.parse::<usize>().unwrap();
        // What is said under the mark is never cut, so the narrowest terminal may wrap it.
        let drawn = run
            .stderr
            .lines()
            .filter(|line| line.contains(" | ") && (width > 60 || !line.contains('^')));
        let widest = drawn
            .map(|line| line.chars().count())
            .max()
            .unwrap_or_default();
        assert!(widest <= width, "{columns}: {}", run.stderr);
    }
}
