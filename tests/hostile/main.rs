//! Responses and repositories that try to get out, to hang or to exhaust: nothing outside is
//! written, nothing hangs, memory stays bounded, nothing panics.
//!
//! `cargo test --test hostile` takes sizes and counts that a debug build does in seconds. In full:
//! `HOSTILE=all CARGO_PROFILE_RELEASE_STRIP=debuginfo cargo test --release --test hostile -- --test-threads=1`.
//!
//! Linux only: what is tried is limited and watched by `timeout`, `ulimit`, `unshare`, GNU find and
//! `/proc`.

#![cfg(target_os = "linux")]
#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot be set up has failed"
)]

mod bounded;
mod commands;
mod depths;
mod growth;
mod journals;
mod races;
mod sizes;
mod special;
mod spellings;
#[path = "../support/mod.rs"]
mod support;
mod temporaries;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use assert_fs::fixture::ChildPath;
use assert_fs::prelude::*;
use support::{OnDisk, Repo};

/// Returns whether the full sizes and counts are asked for.
fn in_full() -> bool {
    std::env::var_os("HOSTILE").is_some_and(|how| how == "all")
}

/// Chooses between the size or count that every run takes and the full one.
fn scaled(short: usize, full: usize) -> usize {
    if in_full() { full } else { short }
}

/// A repository and everything around it that a response might reach for.
struct Fortress {
    repo: Repo,
    outside: ChildPath,
    before: State,
}

/// What mustn't change: files beside the work tree, and in it and git's directory what a refused
/// response could have touched.
#[derive(Debug, PartialEq, Eq)]
struct State {
    around: BTreeMap<PathBuf, OnDisk>,
    inside: BTreeMap<PathBuf, OnDisk>,
    git: BTreeMap<PathBuf, OnDisk>,
}

impl State {
    fn of(repo: &Repo) -> Self {
        Self {
            inside: repo.files(),
            ..Self::around(repo)
        }
    }

    /// Leaves out what is in the work tree, which may be changing under our eyes.
    fn around(repo: &Repo) -> Self {
        let top = repo.path().parent().unwrap();
        let mut around = BTreeMap::new();
        for entry in std::fs::read_dir(top)
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .filter(|path| path != repo.path())
        {
            for (path, file) in support::files(&entry) {
                around.insert(entry.join(path), file);
            }
        }
        Self {
            around,
            inside: BTreeMap::new(),
            git: support::files(&repo.child(".git")),
        }
    }
}

impl Fortress {
    /// Makes the repository of the tests here: a plain file, one in directories, a nested
    /// repository, and beside its work tree a directory with files of the same names.
    fn new() -> Self {
        let repo = Repo::with(&[
            ("a.txt", "old\n"),
            ("dir/a.txt", "old\n"),
            ("dir/deep/a.txt", "old\n"),
        ]);
        let outside = ChildPath::new(repo.path().with_file_name("outside"));
        for path in ["a.txt", "deep/a.txt"] {
            outside.child(path).write_str("old\n").unwrap();
        }
        repo.child("nested/a.txt").write_str("old\n").unwrap();
        let nested = repo.child("nested");
        support::run(
            support::isolated(std::process::Command::new("git"), &nested).args(["init", "-q"]),
            b"",
        )
        .succeeded();
        let before = State::of(&repo);
        Self {
            repo,
            outside,
            before,
        }
    }

    /// Takes what is there now for what mustn't change.
    fn settle(&mut self) {
        self.before = State::of(&self.repo);
    }

    fn path(&self) -> &Path {
        self.repo.path()
    }

    /// Demands that nothing changed, anywhere.
    #[track_caller]
    fn is_as_before(&self, said: &str) {
        assert_eq!(State::of(&self.repo), self.before, "{said}");
    }
}
