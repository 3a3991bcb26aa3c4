//! Signals while a child of ours runs, children that outlive us, and editors that write late. Pipes
//! say when; nothing sleeps.

use std::fs::File;
use std::io::Write as _;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::process::{Child, Command, Stdio};

use assert_fs::prelude::*;
use rustix::process::{Pid, Signal, kill_process, kill_process_group};

use super::recover::{is_in_use, tidy};
use super::support::{Repo, US, await_sleep, isolated, make_pipe, program, run};
use super::{envelope, repo, update};

/// A script that says that it runs and waits until it may go on.
const HOLD: &str = "echo held >\"$HELD\"; read line <\"$GO\"";

/// Makes the pipes for [`HOLD`], and a hook.
fn holding(repo: &Repo, hook: &str, script: &str) {
    for pipe in ["held", "go"] {
        make_pipe(&repo.child("..").join(pipe));
    }
    repo.script(hook, &format!("#!/bin/sh\n{script}\n"));
}

/// Starts a commit in a process group of its own, and returns when the script holds.
fn start(repo: &Repo, args: &[&str], response: &str) -> Child {
    start_with(repo, args, response, |_| ())
}

fn start_with(
    repo: &Repo,
    args: &[&str],
    response: &str,
    more: impl FnOnce(&mut Command),
) -> Child {
    repo.child("../response").write_str(response).unwrap();
    let path = |name: &str| repo.child("..").join(name);
    let mut command = repo.command();
    command
        .args(["apply", "--commit"])
        .args(args)
        .arg("../response")
        .process_group(0);
    // A terminal, if there was one, would be the editor's; and pipes would be held open by whoever
    // outlives us.
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(File::create(path("stderr")).unwrap());
    command
        .env("HELD", path("held"))
        .env("GO", path("go"))
        .env("GIT_EDITOR", "../editor");
    more(&mut command);
    let child = command.spawn().unwrap();
    std::fs::read(path("held")).unwrap();
    child
}

fn go_on(repo: &Repo) {
    repo.child("../go").write_str("\n").unwrap();
}

/// Lets go on who may still hold: who ignores the signal that git dies of lives on.
#[cfg(target_os = "linux")]
fn let_go(repo: &Repo) {
    // With both ends, which Linux gives at once.
    let pipe = File::options()
        .read(true)
        .write(true)
        .open(repo.child("../go"));
    drop(pipe.unwrap());
}

#[test]
#[cfg(target_os = "linux")]
fn a_signal_twice_undoes_everything_whatever_runs() {
    let signals = [
        (Signal::INT, "INT"),
        (Signal::TERM, "TERM"),
        (Signal::HUP, "HUP"),
    ];
    for (hook, args) in [
        (".git/hooks/pre-commit", &["-m", "x"][..]),
        (".git/hooks/commit-msg", &["-m", "x"]),
        ("../editor", &["--edit"]),
    ] {
        for (signal, name) in signals {
            for is_group in [true, false] {
                for trap in [String::new(), format!("trap '' {name};")] {
                    // Whoever ignores to be told to end is killed, but only seconds later.
                    if !trap.is_empty() && signal == Signal::TERM {
                        continue;
                    }
                    let what = format!("{hook} {name} {is_group} {trap}");
                    let repo = repo();
                    let before = repo.files();
                    holding(&repo, hook, &format!("{trap} {HOLD}\nexit 1"));
                    let mut child = start(&repo, args, &update("a.txt", "two", "2"));
                    let pid = Pid::from_child(&child);
                    for _ in 0..2 {
                        if is_group {
                            kill_process_group(pid, signal)
                        } else {
                            kill_process(pid, signal)
                        }
                        .unwrap();
                    }
                    let status = child.wait().unwrap();
                    let said = std::fs::read_to_string(repo.child("../stderr")).unwrap();
                    assert_eq!(
                        status.signal(),
                        Some(signal.as_raw()),
                        "{what} {status} {said}"
                    );
                    assert_eq!(repo.files(), before, "{what}");
                    assert_eq!(repo.git(&["status", "--porcelain"]), "", "{what}");
                    assert_eq!(repo.git(&["log", "--format=%s"]), "base\n", "{what}");
                    tidy(&repo);
                    let_go(&repo);
                }
            }
        }
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_signal_undoes_everything_also_after_a_recovery_on_the_way() {
    let repo = repo();
    let before = repo.files();
    repo.git(&["config", "llmpatch.lockTimeout", "-1"]);
    holding(&repo, ".git/hooks/pre-commit", &format!("{HOLD}\nexit 1"));
    let mut first = start(&repo, &[], &update("a.txt", "two", "2"));
    repo.child("../second")
        .write_str(&update("src/c.txt", "c", "C"))
        .unwrap();
    let path = |name: &str| repo.child("..").join(name);
    let mut second = repo.command();
    second
        .args(["apply", "--commit", "../second"])
        .env("HELD", path("held"))
        .env("GO", path("go"));
    let mut second = second
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    // It waits for the first, which dies.
    await_sleep(&second);
    kill_process(Pid::from_child(&first), Signal::KILL).unwrap();
    first.wait().unwrap();
    go_on(&repo);
    std::fs::read(path("held")).unwrap();
    kill_process(Pid::from_child(&second), Signal::TERM).unwrap();
    assert_eq!(second.wait().unwrap().signal(), Some(Signal::TERM.as_raw()));
    assert_eq!(repo.files(), before);
    assert_eq!(repo.git(&["status", "--porcelain"]), "");
    tidy(&repo);
}

/// The signal comes when the first of our locks is taken, which is when none acts any more by itself.
#[test]
#[cfg(target_os = "linux")]
fn a_signal_keeps_an_apply_from_being_forgotten() {
    if Command::new("strace").arg("-V").output().is_err() {
        return eprintln!("skipped: there is no strace");
    }
    let repo = repo();
    repo.run(&["apply"], update("a.txt", "two", "2"))
        .succeeded();
    let mut command = isolated(Command::new("strace"), repo.path());
    command
        .args(["-o", "../trace", "-e", "trace=flock"])
        .args(["-e", "inject=flock:signal=INT:when=1", program()])
        .args(["undo", "--drop"]);
    let output = command.stdin(Stdio::null()).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.signal(), Some(2), "{} {said}", output.status);
    assert!(said.ends_with("nothing was changed\n"), "{said}");
    repo.run(&["undo"], "").succeeded();
    repo.child("a.txt").assert("one\ntwo\nthree\n");
}

#[test]
#[cfg(target_os = "linux")]
fn nobody_recovers_while_a_child_of_the_dead_lives() {
    let repo = repo();
    let before = repo.files();
    let script = format!("{US}\nkill -KILL $us\n{HOLD}\nexit 1");
    holding(&repo, ".git/hooks/pre-commit", &script);
    repo.git(&["config", "llmpatch.lockTimeout", "0"]);
    let mut child = start(&repo, &[], &update("a.txt", "two", "2"));
    assert_eq!(child.wait().unwrap().signal(), Some(9));
    let changed = repo.files();
    assert_ne!(changed, before);
    for (args, input) in [
        (&["recover"][..], String::new()),
        (&["apply"], update("src/c.txt", "c", "C")),
        (&["apply", "--cached"], update("src/c.txt", "c", "C")),
        (&["apply", "--commit"], update("src/c.txt", "c", "C")),
    ] {
        let run = repo.run(args, input).ended(3);
        assert!(
            run.stderr.starts_with("error[locked]: "),
            "{args:?} {}",
            run.stderr
        );
        assert!(
            run.stderr
                .contains("is held by another git-llmpatch, or a git commit that it started"),
            "{args:?} {}",
            run.stderr
        );
        assert_eq!(repo.files(), changed, "{args:?}");
    }
    // Who has patience waits for it.
    repo.git(&["config", "llmpatch.lockTimeout", "-1"]);
    go_on(&repo);
    repo.run(&["recover"], "").succeeded();
    assert_eq!(repo.files(), before);
    assert_eq!(repo.git(&["status", "--porcelain"]), "");
    tidy(&repo);
}

#[test]
#[cfg(target_os = "linux")]
fn an_editor_that_outlives_us_makes_no_commit() {
    // Some shell starts the editor; what one has for a word is its own affair.
    for editor in ["", "VARIABLE=x ", "exec "] {
        let repo = repo();
        let before = repo.files();
        holding(&repo, "../editor", &format!("echo edited >\"$1\"\n{HOLD}"));
        repo.git(&["config", "llmpatch.lockTimeout", "0"]);
        let mut child = start_with(
            &repo,
            &["--edit"],
            &update("a.txt", "two", "2"),
            |command| {
                command.env("GIT_EDITOR", format!("{editor}../editor"));
            },
        );
        kill_process(Pid::from_child(&child), Signal::KILL).unwrap();
        assert_eq!(child.wait().unwrap().signal(), Some(9));
        let run = repo.run(&["recover"], "").ended(3);
        assert!(run.stderr.starts_with("error[locked]: "), "{}", run.stderr);
        repo.git(&["config", "llmpatch.lockTimeout", "-1"]);
        go_on(&repo);
        repo.run(&["recover"], "").succeeded();
        assert_eq!(repo.git(&["log", "--format=%s"]), "base\n", "{editor}");
        assert_eq!(repo.files(), before, "{editor}");
        assert_eq!(repo.git(&["status", "--porcelain"]), "", "{editor}");
        tidy(&repo);
    }
}

#[test]
#[cfg(target_os = "linux")]
fn an_editor_does_not_start_when_we_are_dead() {
    let which = run(Command::new("sh").args(["-c", "command -v git"]), b"").succeeded();
    let git = which.stdout.trim();
    for (name, script) in [
        // As soon as there is a child, before it has been written down.
        (
            "../bin/git",
            format!(
                "test \"$1\" = commit && kill -KILL $(sed -n 's/^PPid:[^0-9]*//p' /proc/$PPID/status)\nexec {git} \"$@\""
            ),
        ),
        // When git is about to start the editor.
        (
            ".git/hooks/prepare-commit-msg",
            format!("{US}\nkill -KILL $us"),
        ),
    ] {
        let repo = repo();
        let before = repo.files();
        repo.script(name, &format!("#!/bin/sh\n{script}\n"));
        repo.child("../response")
            .write_str(&update("a.txt", "two", "2"))
            .unwrap();
        let mut command = repo.command();
        let path = format!(
            "{}/../bin:{}",
            repo.path().display(),
            std::env::var("PATH").unwrap()
        );
        command
            .args(["apply", "--commit", "-m", "x", "--edit", "../response"])
            .env("PATH", path);
        command
            .env("GIT_EDITOR", "touch ../started; true")
            .stdin(Stdio::null());
        assert_eq!(command.output().unwrap().status.signal(), Some(9));
        while is_in_use(&repo) {
            std::thread::yield_now();
        }
        assert!(!repo.child("../started").exists(), "{name}");
        repo.run(&["recover"], "").succeeded();
        assert_eq!(repo.git(&["log", "--format=%s"]), "base\n", "{name}");
        assert_eq!(repo.files(), before, "{name}");
        assert_eq!(repo.git(&["status", "--porcelain"]), "", "{name}");
        tidy(&repo);
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_commit_that_outlives_us_has_its_whole_message() {
    let which = run(Command::new("sh").args(["-c", "command -v git"]), b"").succeeded();
    let repo = repo();
    // As soon as it is git, it is alone.
    let script = format!(
        "test \"$1\" = commit && kill -KILL $(sed -n 's/^PPid:[^0-9]*//p' /proc/$PPID/status)\nexec {} \"$@\"",
        which.stdout.trim()
    );
    repo.script("../bin/git", &format!("#!/bin/sh\n{script}\n"));
    repo.child("../response")
        .write_str(&update("a.txt", "two", "2"))
        .unwrap();
    // More than a pipe holds.
    let message = format!("subject\n\n{}", "a line of the message\n".repeat(10_000));
    repo.child("../message").write_str(&message).unwrap();
    let path = format!(
        "{}/../bin:{}",
        repo.path().display(),
        std::env::var("PATH").unwrap()
    );
    let mut command = repo.command();
    command
        .args(["apply", "--commit", "-F", "../message", "../response"])
        .env("PATH", path);
    assert_eq!(
        command
            .stdin(Stdio::null())
            .output()
            .unwrap()
            .status
            .signal(),
        Some(9)
    );
    repo.git(&["config", "llmpatch.lockTimeout", "-1"]);
    repo.run(&["recover"], "").succeeded();
    assert_eq!(
        repo.git(&["log", "-1", "--format=%B"]).trim_end(),
        message.trim_end()
    );
    repo.child("a.txt").assert("one\n2\nthree\n");
    assert_eq!(repo.git(&["status", "--porcelain"]), "");
    tidy(&repo);
}

/// Returns a shell that ignores signals and becomes a command.
fn ignoring(signals: &str, command: &Command) -> Command {
    let script = format!("trap '' {signals}; exec \"$0\" \"$@\"");
    let mut shell = Command::new("bash");
    shell.args(["-c", &script]).arg(command.get_program());
    shell
        .args(command.get_args())
        .current_dir(command.get_current_dir().unwrap());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => shell.env(name, value),
            None => shell.env_remove(name),
        };
    }
    shell
}

#[test]
fn whoever_ignores_what_becomes_of_children_may_start_us() {
    let repo = repo();
    repo.script(
        ".git/hooks/pre-commit",
        "#!/bin/sh\ngit var GIT_AUTHOR_IDENT >.git/was-here\n",
    );
    repo.child("../response")
        .write_str(&update("a.txt", "two", "2"))
        .unwrap();
    let mut command = repo.command();
    command.args(["apply", "--commit", "-m", "x", "../response"]);
    run(&mut ignoring("CHLD", &command), b"").succeeded();
    assert_eq!(repo.git(&["log", "--format=%s"]), "x\nbase\n");
    assert_eq!(repo.git(&["status", "--porcelain"]), "");
    assert!(repo.child(".git/was-here").exists());
    tidy(&repo);
}

#[test]
#[cfg(target_os = "linux")]
fn hooks_and_editors_heed_the_signals_that_they_heed_where_git_starts_them() {
    // Of the signals that it ignores, the first sixteen, without the C library's own.
    const LOOK: &str =
        "#!/bin/sh\ngrep SigIgn: /proc/self/status | tail -c 5 >\"$SEEN/${0##*/}\"\n";
    let scripts = ["pre-commit", "commit-msg", "post-commit", "editor"];
    let seen = |program: &str, args: &[&str]| {
        let repo = repo();
        for name in scripts {
            repo.script(&format!(".git/hooks/{name}"), LOOK);
        }
        repo.child("../response")
            .write_str(&update("a.txt", "two", "2"))
            .unwrap();
        if program == "git" {
            repo.child("a.txt").write_str("one\n2\nthree\n").unwrap();
        }
        let mut command = isolated(Command::new(program), repo.path());
        command
            .args(args)
            .env("SEEN", repo.child("..").path())
            .env("GIT_EDITOR", ".git/hooks/editor");
        run(&mut ignoring("INT HUP", &command), b"").succeeded();
        scripts.map(|name| format!("{name} {}", repo.text(&format!("../{name}"))))
    };
    let ours = ["apply", "--commit", "-m", "x", "--edit", "../response"];
    assert_eq!(
        seen(program(), &ours),
        seen("git", &["commit", "-a", "-m", "x", "--edit"])
    );
}

#[test]
#[cfg(target_os = "linux")]
fn a_hook_that_ignores_to_be_told_to_end_is_killed_with_all_that_it_starts() {
    for hook in [".git/hooks/pre-commit", ".git/hooks/commit-msg"] {
        let repo = repo();
        let before = repo.files();
        // Each `sleep` ends when it is asked to, and another comes.
        holding(
            &repo,
            hook,
            "trap : TERM INT HUP\necho held >\"$HELD\"\nwhile :; do sleep 60 & wait; done",
        );
        let mut child = start(&repo, &["-m", "x"], &update("a.txt", "two", "2"));
        kill_process(Pid::from_child(&child), Signal::TERM).unwrap();
        assert_eq!(
            child.wait().unwrap().signal(),
            Some(Signal::TERM.as_raw()),
            "{hook}"
        );
        assert!(!is_in_use(&repo), "{hook} has left somebody behind");
        assert_eq!(repo.files(), before, "{hook}");
        assert_eq!(repo.git(&["log", "--format=%s"]), "base\n", "{hook}");
        assert_eq!(repo.git(&["status", "--porcelain"]), "", "{hook}");
        tidy(&repo);
    }
}

#[test]
fn what_an_editor_writes_late_into_the_old_file_is_not_lost() {
    for (end, want) in [
        ("exit 0", "one\n2\nthree\n"),
        ("exit 1", "one\ntwo\nthree\nlate\n"),
    ] {
        let repo = repo();
        holding(&repo, ".git/hooks/pre-commit", &format!("{HOLD}\n{end}"));
        let mut editor = File::options()
            .append(true)
            .open(repo.child("a.txt"))
            .unwrap();
        let response = envelope(
            "*** Update File: a.txt\n@@\n-two\n+2\n*** Delete File: src/b.txt\n*** Add File: d\n+d\n",
        );
        let mut child = start(&repo, &[], &response);
        editor.write_all(b"late\n").unwrap();
        go_on(&repo);
        let status = child.wait().unwrap();
        let said = std::fs::read_to_string(repo.child("../stderr")).unwrap();
        assert_eq!(
            status.code(),
            Some(if end == "exit 0" { 0 } else { 3 }),
            "{said}"
        );
        assert_eq!(repo.text("a.txt"), want, "{said}");
        assert_eq!(repo.child("src/b.txt").exists(), end == "exit 1");
        if end == "exit 0" {
            // It is named, and there.
            let (_, rest) = said
                .split_once("the old file, with what was written, is `")
                .unwrap_or_else(|| panic!("{said}"));
            let kept = rest.split('`').next().unwrap();
            assert_eq!(
                std::fs::read_to_string(kept).unwrap(),
                "one\ntwo\nthree\nlate\n"
            );
            repo.run(&["recover"], "").succeeded();
            repo.run(&["apply"], update("src/c.txt", "c", "C"))
                .succeeded();
            assert_eq!(
                std::fs::read_to_string(kept).unwrap(),
                "one\ntwo\nthree\nlate\n"
            );
        }
    }
}

#[test]
fn streams_that_are_closed_from_the_beginning_harm_nothing() {
    for args in [
        "apply",
        "apply --index",
        "apply --commit",
        "recover",
        "check",
    ] {
        let repo = repo();
        repo.child("../response")
            .write_str(&update("a.txt", "two", "2"))
            .unwrap();
        let response = if args == "recover" { "" } else { "../response" };
        let script = format!("exec \"$0\" {args} {response} <&- >&- 2>&-");
        let mut command = isolated(Command::new("sh"), repo.path());
        let status = command
            .args(["-c", &script, super::support::program()])
            .status()
            .unwrap();
        assert_eq!(status.code(), Some(0), "{args}");
        let want = if args.starts_with("apply") {
            "one\n2\nthree\n"
        } else {
            "one\ntwo\nthree\n"
        };
        assert_eq!(repo.text("a.txt"), want, "{args}");
        assert_eq!(
            repo.git(&["log", "--format=%s"]).lines().count(),
            if args.contains("commit") { 2 } else { 1 }
        );
    }
}
