//! The hooks of `.pre-commit-hooks.yaml`, run by the real pre-commit in a real repository, for each
//! way of committing: git gives the hook another index file each time.
//!
//! pre-commit is looked for in PATH, or is what `PRE_COMMIT` names; then it is an error if it isn't
//! there, as in `.ci/run`. The id that builds the program takes minutes and the network, so it is
//! tried where `PRE_COMMIT_RUST` is set, without optimization; and the id that takes a wheel where
//! `PRE_COMMIT_WHEELS` is a directory with one, as `.packages/try wheel` has it.

use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use assert_fs::TempDir;
use assert_fs::prelude::*;

use crate::support::{self, Repo, Run, isolated, run};

const MARKERS: &str = "*** Begin Patch\n*** End Patch\n";

/// Returns the program to run, if there is one.
fn pre_commit() -> Option<OsString> {
    let named = std::env::var_os("PRE_COMMIT").filter(|name| !name.is_empty());
    let program = named.clone().unwrap_or_else(|| "pre-commit".into());
    let answers = Command::new(&program)
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    let is_there = answers.is_ok_and(|status| status.success());
    assert!(
        is_there || named.is_none(),
        "PRE_COMMIT names no pre-commit: {}",
        program.display()
    );
    if !is_there {
        eprintln!("no pre-commit (pip install pre-commit): its hooks aren't tried");
    }
    is_there.then_some(program)
}

/// A repository that uses one of our hooks.
struct User {
    repo: Repo,
    /// Where pre-commit keeps what it clones and builds.
    home: TempDir,
    environment: Vec<(OsString, OsString)>,
    pre_commit: OsString,
}

impl User {
    /// Makes one that takes the hook from a repository with our files.
    fn of(
        hook: &str,
        ours: &Repo,
        environment: Vec<(OsString, OsString)>,
        pre_commit: OsString,
    ) -> Self {
        let repo = Repo::with(&[("a.txt", "one\ntwo\n"), ("b.txt", "b\n"), ("c.txt", "c\n")]);
        let rev = ours.git(&["rev-parse", "HEAD"]);
        let config = format!(
            "repos:\n  - repo: {}\n    rev: {}\n    hooks:\n      - id: {hook}\n",
            ours.path().display(),
            rev.trim()
        );
        repo.child(".pre-commit-config.yaml")
            .write_str(&config)
            .unwrap();
        repo.commit("config");
        let user = Self {
            repo,
            home: TempDir::new().unwrap(),
            environment,
            pre_commit,
        };
        let mut install = user.command(user.pre_commit.clone());
        run(install.args(["install", "--install-hooks"]), b"").ended(0);
        user
    }

    fn command(&self, program: OsString) -> Command {
        let mut command = isolated(Command::new(program), self.repo.path());
        command
            .env("PRE_COMMIT_HOME", self.home.path())
            .envs(self.environment.iter().cloned());
        command
    }

    fn commit(&self, args: &[&str]) -> Run {
        run(
            self.command("git".into())
                .args(["commit", "-m", "x"])
                .args(args),
            b"",
        )
    }

    /// Commits in every way what must be refused and what must not.
    fn commits_in_every_way(&self) {
        let repo = &self.repo;
        let start = repo.git(&["rev-parse", "HEAD"]);
        for (args, seen) in [
            (&[][..], &["a.txt"][..]),
            (&["-a"], &["a.txt", "b.txt"]),
            (&["c.txt"], &["c.txt"]),
        ] {
            repo.child("a.txt")
                .write_str(&format!("one\ntwo\n{MARKERS}"))
                .unwrap();
            repo.git(&["add", "a.txt"]);
            repo.child("b.txt").write_str(MARKERS).unwrap();
            if args == ["c.txt"] {
                repo.child("c.txt").write_str(MARKERS).unwrap();
            }
            let refused = self.commit(args).ended(1);
            for path in ["a.txt", "b.txt", "c.txt"] {
                let told = refused.stderr.contains(&format!("{path}:1:1: markers: "))
                    || refused.stderr.contains(&format!("{path}:3:1: markers: "));
                assert_eq!(
                    told,
                    seen.contains(&path),
                    "{args:?} {path}\n{}",
                    refused.stderr
                );
            }
            assert_eq!(repo.git(&["rev-parse", "HEAD"]), start);
            // What isn't staged was out of the way meanwhile, and is back.
            repo.child("b.txt").assert(MARKERS);

            for path in ["a.txt", "b.txt", "c.txt"] {
                repo.child(path)
                    .write_str(&format!("fine {args:?}\n"))
                    .unwrap();
            }
            repo.child("answer.opx")
                .write_str("<edit file=\"a.txt\" op=\"remove\"/>\n")
                .unwrap();
            repo.git(&["add", "a.txt", "answer.opx"]);
            let passed = self.commit(args).ended(0);
            assert!(
                passed.stderr.contains("git llmpatch check --staged"),
                "{}",
                passed.stderr
            );
            assert!(passed.stderr.contains("Passed"), "{}", passed.stderr);
            repo.git(&["reset", "-q", "--hard", start.trim()]);
        }
        // A response that doesn't apply.
        repo.child("answer.opx")
            .write_str("<edit file=\"none.txt\" op=\"remove\"/>\n")
            .unwrap();
        repo.git(&["add", "answer.opx"]);
        let refused = self.commit(&[]).ended(1);
        assert!(
            refused.stderr.contains("answer.opx:1:13: file-missing: "),
            "{}",
            refused.stderr
        );
    }
}

/// As git-llmpatch-check(1) says of its examples: a hook of one's own, and the line for lefthook and husky.
#[test]
fn where_the_program_is_not_installed_nothing_is_committed() {
    let page = fs::read_to_string(root().join("man/git-llmpatch-check.md")).unwrap();
    for (begins, ends) in [("\n#!/bin/sh\n", "\n```"), ("run: git llmpatch", "\n")] {
        let at = page.find(begins).unwrap();
        let shown = page[at..].strip_prefix("run: ").unwrap_or(&page[at + 1..]);
        let hook = &shown[..shown.find(ends).unwrap()];
        for (programs, status) in [(&["git", "sh"][..], 1), (&["git", "git-llmpatch", "sh"], 0)] {
            let programs = support::programs(programs).unwrap();
            let repo = Repo::with(&[("a.txt", "one\n")]);
            repo.script(".git/hooks/pre-commit", &format!("#!/bin/sh\n{hook}\n"));
            let mut commit = isolated(Command::new("git"), repo.path());
            commit.env("PATH", programs.path());
            let ended = run(commit.args(["commit", "--allow-empty", "-m", "x"]), b"").ended(status);
            let told = ended.stderr.contains("'llmpatch' is not a git command");
            assert_eq!(told, status == 1, "{}", ended.stderr);
        }
    }
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn the_installed_program_is_run_by_pre_commit() {
    let Some(pre_commit) = pre_commit() else {
        return;
    };
    let ours = Repo::empty();
    ours.child(".pre-commit-hooks.yaml")
        .write_file(&root().join(".pre-commit-hooks.yaml"))
        .unwrap();
    ours.commit("hooks");
    User::of(
        "git-llmpatch-system",
        &ours,
        vec![("PATH".into(), support::path())],
        pre_commit,
    )
    .commits_in_every_way();
}

#[test]
fn pre_commit_installs_the_program_from_a_wheel() {
    let Some(wheels) = std::env::var_os("PRE_COMMIT_WHEELS") else {
        eprintln!("PRE_COMMIT_WHEELS names no directory: the hook that takes a wheel isn't tried");
        return;
    };
    let Some(pre_commit) = pre_commit() else {
        return;
    };
    let ours = Repo::empty();
    for name in [".pre-commit-hooks.yaml", "pyproject.toml"] {
        ours.child(name).write_file(&root().join(name)).unwrap();
    }
    ours.commit("hooks");
    // There is no cargo, and no program but that of the wheel. setuptools comes from the network.
    let path = std::env::var_os("PATH").unwrap();
    let path = std::env::split_paths(&path).filter(|at| {
        !["cargo", "git-llmpatch"]
            .iter()
            .any(|name| at.join(name).exists())
    });
    let path = std::env::join_paths(path).unwrap();
    let home = TempDir::new().unwrap();
    let environment = vec![
        ("PATH".into(), path),
        ("PIP_FIND_LINKS".into(), wheels),
        ("HOME".into(), home.path().into()),
    ];
    User::of("git-llmpatch-wheel", &ours, environment, pre_commit).commits_in_every_way();
}

#[test]
fn pre_commit_builds_and_runs_the_program() {
    if std::env::var_os("PRE_COMMIT_RUST").is_none() {
        eprintln!("PRE_COMMIT_RUST isn't set: the hook that builds the program isn't tried");
        return;
    }
    let Some(pre_commit) = pre_commit() else {
        return;
    };
    // What is in the work tree, committed or not, since pre-commit clones.
    let ours = Repo::empty();
    let listed = Command::new("git")
        .args(["ls-files", "-z", "-co", "--exclude-standard"])
        .current_dir(root())
        .output();
    for name in String::from_utf8_lossy(&listed.unwrap().stdout)
        .split('\0')
        .filter(|name| !name.starts_with("tests/cases/"))
    {
        if let Ok(bytes) = fs::read(root().join(name)) {
            ours.child(name).write_binary(&bytes).unwrap();
        }
    }
    ours.commit("ours");
    // Where the toolchain and the network are; and as quick as it gets: nobody runs it for long, and
    // what it is built of is kept for the next time.
    let is_of_git = |name: &OsString| name.to_string_lossy().starts_with("GIT_");
    let mut environment: Vec<_> = std::env::vars_os()
        .filter(|(name, _)| !is_of_git(name))
        .collect();
    let kept = root().join("target/pre-commit");
    environment.extend([
        ("CARGO_TARGET_DIR".into(), kept.into_os_string()),
        ("CARGO_PROFILE_RELEASE_OPT_LEVEL".into(), "0".into()),
        ("CARGO_PROFILE_RELEASE_LTO".into(), "off".into()),
        ("CARGO_PROFILE_RELEASE_CODEGEN_UNITS".into(), "16".into()),
    ]);
    User::of("git-llmpatch", &ours, environment, pre_commit).commits_in_every_way();
}
