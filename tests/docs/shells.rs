//! The completion scripts, in the real shells on a real terminal: a line is typed, TAB pressed, and
//! the line as it then stands compared.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::mpsc;
use std::thread;

use assert_fs::prelude::*;

use crate::here;
use crate::support::{self, PATIENCE, Repo, program};
use crate::terminal::Terminal;

/// What is typed before TAB, and the line afterwards, blanks at its end aside.
const TYPED: &[(&str, &str)] = &[
    ("git llmpatch ap", "git llmpatch apply"),
    ("git-llmpatch ap", "git-llmpatch apply"),
    ("git llmpatch apply --ind", "git llmpatch apply --index"),
    ("git-llmpatch apply --ind", "git-llmpatch apply --index"),
    (
        "git llmpatch apply --format=op",
        "git llmpatch apply --format=opx",
    ),
    (
        "git-llmpatch check --format=op",
        "git-llmpatch check --format=opx",
    ),
    (
        "git llmpatch apply --directory=sr",
        "git llmpatch apply --directory=src/",
    ),
    ("git llmpatch apply resp", "git llmpatch apply response.md"),
    ("git-llmpatch apply resp", "git-llmpatch apply response.md"),
    (
        "git llmpatch check --onto=quite",
        "git llmpatch check --onto=quite-a-branch",
    ),
    (
        "git llmpatch check --onto quite",
        "git llmpatch check --onto quite-a-branch",
    ),
    (
        "git-llmpatch check --onto=quite",
        "git-llmpatch check --onto=quite-a-branch",
    ),
    (
        "git llmpatch completions zs",
        "git llmpatch completions zsh",
    ),
    (
        "git llmpatch prompt --example=quite",
        "git llmpatch prompt --example=quite-a-branch",
    ),
    (
        "git llmpatch show --to=opx quite",
        "git llmpatch show --to=opx quite-a-branch",
    ),
    (
        "git-llmpatch show quite",
        "git-llmpatch show quite-a-branch",
    ),
    (
        "git llmpatch show HEAD..quite",
        "git llmpatch show HEAD..quite-a-branch",
    ),
    ("git llmpatch apply --trail", "git llmpatch apply --trailer"),
    (
        "git llmpatch apply --file=resp",
        "git llmpatch apply --file=response.md",
    ),
    (
        "git-llmpatch apply -- resp",
        "git-llmpatch apply -- response.md",
    ),
    (
        "git llmpatch check with\\ a",
        "git llmpatch check with\\ a\\ space",
    ),
    ("git llmp", "git llmpatch"),
    ("git llmpatch man reco", "git llmpatch man recover"),
];

#[test]
fn shipped_scripts_are_up_to_date() {
    for (shell, name) in git_llmpatch::cli::SHIPPED {
        let printed = Command::new(program())
            .args(["completions", shell])
            .output()
            .unwrap();
        assert!(printed.status.success());
        support::snapshot(
            String::from_utf8(printed.stdout).unwrap(),
            &here("completions").join(name),
        );
    }
}

#[test]
fn every_shell_that_clap_knows_has_a_script() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let printed = Command::new(program())
            .args(["completions", shell])
            .output()
            .unwrap();
        assert!(
            printed.status.success() && printed.stdout.len() > 1000,
            "{shell}"
        );
    }
}

/// A home with the program on PATH, a repository to stand in, and a pipe that a shell writes its
/// line to.
struct Place {
    repo: Repo,
}

impl Place {
    fn new() -> Place {
        let repo = Repo::empty();
        repo.git(&["checkout", "-q", "-b", "quite-a-branch"]);
        repo.commit("x");
        repo.child("response.md").write_str("").unwrap();
        repo.child("src/a.txt").write_str("").unwrap();
        repo.child("with a space").write_str("").unwrap();
        let place = Place { repo };
        assert!(
            Command::new("mkfifo")
                .arg(place.path("line"))
                .status()
                .unwrap()
                .success()
        );
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.repo.path().parent().unwrap().join(name)
    }

    /// Makes a command that runs in the repository with this home and nothing of the developer's
    /// own.
    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.current_dir(self.repo.path()).env_clear();
        command.env("PATH", support::path());
        command
            .env("HOME", self.path(""))
            .env("TERM", "xterm")
            .env("LINE_PIPE", self.path("line"));
        command
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("LC_ALL", "C.UTF-8");
        command
    }

    fn install(&self, shell: &str) -> String {
        let done = self
            .command("git")
            .args(["llmpatch", "completions", "--install", shell])
            .output()
            .unwrap();
        assert!(
            done.status.success(),
            "{}",
            String::from_utf8_lossy(&done.stderr)
        );
        String::from_utf8(done.stderr).unwrap()
    }

    /// Types a line, and returns what the shell writes to the pipe. A shell that is slow to draw its prompt
    /// may lose what is typed meanwhile: then it is typed again.
    fn line(&self, terminal: &mut Terminal, typed: &str) -> String {
        let (sender, receiver) = mpsc::channel();
        let pipe = self.path("line");
        thread::spawn(move || sender.send(fs::read_to_string(pipe).unwrap()));
        for _ in 0..10 {
            terminal.send(&format!("{typed}\t\x18"));
            if let Ok(line) = receiver.recv_timeout(PATIENCE / 10) {
                return line;
            }
            terminal.send("\x15");
        }
        panic!("no line came; the terminal shows:\n{}", terminal.shown())
    }

    /// Types each line into a shell that writes its line to the pipe when it gets Ctrl-X, and
    /// forgets it when it gets Ctrl-U.
    fn try_all(&self, shell: &str, mut terminal: Terminal) {
        terminal.wait_for("READY>");
        let mut wrong = Vec::new();
        for (typed, wanted) in TYPED {
            let line = self.line(&mut terminal, typed);
            if line.trim_end() != *wanted {
                wrong.push(format!(
                    "{shell}: {typed:?} gives {:?}, not {wanted:?}",
                    line.trim_end()
                ));
            }
            terminal.send("\x15");
        }
        assert!(
            wrong.is_empty(),
            "{}\n{}",
            wrong.join("\n"),
            terminal.shown()
        );
    }
}

/// Returns whether a shell is there; where CI runs, it must be.
fn is_there(shell: &str) -> bool {
    let is_there = Command::new(shell).arg("--version").output().is_ok();
    assert!(
        is_there || std::env::var_os("CI").is_none(),
        "{shell} isn't installed"
    );
    if !is_there {
        eprintln!("{shell} isn't installed: its completions are not tested here");
    }
    is_there
}

#[test]
fn bash_completes() {
    let loader = "/usr/share/bash-completion/bash_completion";
    if !Path::new(loader).exists() {
        assert!(
            std::env::var_os("CI").is_none(),
            "bash-completion isn't installed"
        );
        eprintln!("bash-completion isn't installed: completion in bash is not tested here");
        return;
    }
    let place = Place::new();
    if place.path("").to_string_lossy().contains(' ') {
        eprintln!("bash-completion, up to 2.11, finds nothing of a home with a space in its name");
        return;
    }
    place.install("bash");
    let script = format!(
        ". {loader}\nbind -x '\"\\C-x\": printf %s \"$READLINE_LINE\" > \"$LINE_PIPE\"'\nbind 'set bell-style none'\nPS1='READY> '\n"
    );
    fs::write(place.path("rc"), script).unwrap();
    let mut bash = place.command("bash");
    bash.args(["--noprofile", "--rcfile"])
        .arg(place.path("rc"))
        .arg("-i");
    place.try_all("bash", Terminal::start(&bash));
}

/// Without bash-completion, with git's own script sourced first, as many set it up.
#[test]
fn bash_completes_without_a_loader() {
    let git = "/usr/share/bash-completion/completions/git";
    if !Path::new(git).exists() {
        return;
    }
    let place = Place::new();
    let script = format!(
        ". {git}\neval \"$(git llmpatch completions bash)\"\nbind -x '\"\\C-x\": printf %s \"$READLINE_LINE\" > \"$LINE_PIPE\"'\nPS1='READY> '\n"
    );
    fs::write(place.path("rc"), script).unwrap();
    let mut bash = place.command("bash");
    bash.args(["--noprofile", "--rcfile"])
        .arg(place.path("rc"))
        .arg("-i");
    place.try_all("bash", Terminal::start(&bash));
}

#[test]
fn zsh_completes() {
    if !is_there("zsh") {
        return;
    }
    let place = Place::new();
    let advice = place.install("zsh");
    let fpath = advice
        .lines()
        .find(|line| line.trim_start().starts_with("fpath="))
        .unwrap();
    let script = format!(
        "{fpath}\nautoload -U compinit && compinit -u -d ~/dump\nline() {{ printf %s \"$BUFFER\" > $LINE_PIPE }}\nzle -N line\n\
         bindkey -e\nbindkey -r '^X'\nbindkey '^X' line\nbindkey '^U' kill-whole-line\nsetopt NO_BEEP\nPS1='READY> '\n"
    );
    fs::write(place.path(".zshrc"), script).unwrap();
    let mut zsh = place.command("zsh");
    zsh.args(["-d", "-i"]);
    place.try_all("zsh", Terminal::start(&zsh));
}

#[test]
fn fish_completes() {
    if !is_there("fish") {
        return;
    }
    let place = Place::new();
    place.install("fish");
    let script = "function fish_prompt; echo -n 'READY> '; end\nfunction fish_greeting; end\nfunction line; commandline > $LINE_PIPE; end\n\
                  bind \\cx line\nbind \\cu 'commandline \"\"'\n";
    let directory = place.path(".config/fish");
    fs::create_dir_all(&directory).unwrap();
    fs::write(directory.join("config.fish"), script).unwrap();
    let mut fish = place.command("fish");
    fish.arg("-i");
    place.try_all("fish", Terminal::start(&fish));
}
