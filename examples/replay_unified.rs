//! Applies what `git show` prints of the commits of a repository to their parents, and compares the
//! trees with git's.
//!
//! `cargo run --release --example replay_unified -- REPOSITORY [COMMITS]` reads the repository and
//! writes nothing anywhere. Each commit that has one parent is read in several ways of printing it.
//! Paths that the diff can't say (binary files, links, submodules) are left out and counted.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use git_llmpatch::repo::{Repo, RevisionTree};
use llmpatch::format::Options;
use llmpatch::path::{RepoPath, Resolver};
use llmpatch::plan::{self, Rules};
use llmpatch::report::Diagnose as _;
use llmpatch::response;
use llmpatch::text::{Source, SourceId};
use llmpatch::tree::{Entry, Tree as _};

/// How commits are printed.
const WAYS: &[&[&str]] = &[&["-M"], &["--no-renames", "-U0"], &["-M", "-C", "-U1"]];

fn main() -> ExitCode {
    let mut args = std::env::args().skip(1);
    let Some(directory) = args.next().map(PathBuf::from) else {
        eprintln!("which repository?");
        return ExitCode::from(2);
    };
    let commits = args
        .next()
        .and_then(|count| count.parse().ok())
        .unwrap_or(500_usize);
    match replay(&directory, commits) {
        Ok(wrong) => ExitCode::from(u8::from(wrong > 0)),
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}

type Wrong = Box<dyn std::error::Error>;

fn replay(directory: &Path, commits: usize) -> Result<usize, Wrong> {
    let repo = Repo::open_at(directory)?;
    let count = format!("--max-count={commits}");
    let listed = git(
        directory,
        &[
            "rev-list",
            "--max-parents=1",
            "--min-parents=1",
            &count,
            "HEAD",
        ],
    )?;
    let (mut done, mut wrong) = (0, 0);
    let mut left_out: BTreeMap<String, usize> = BTreeMap::new();
    for commit in String::from_utf8(listed)?.lines() {
        for way in WAYS {
            let shown = git(
                directory,
                &[
                    &["show", "--no-ext-diff", "--no-textconv", "-p"],
                    *way,
                    &[commit],
                ]
                .concat(),
            )?;
            match check(&repo, commit, shown) {
                Ok(()) => done += 1,
                Err(Outcome::LeftOut(why)) => *left_out.entry(why).or_default() += 1,
                Err(Outcome::Wrong(why)) => {
                    println!("{commit} {way:?}: {why}");
                    wrong += 1;
                }
            }
        }
    }
    println!("{done} diffs made their commit's files, {wrong} didn't");
    left_out
        .iter()
        .for_each(|(why, count)| println!("{count} left out: {why}"));
    Ok(wrong)
}

enum Outcome {
    LeftOut(String),
    Wrong(String),
}

impl<E: std::error::Error> From<E> for Outcome {
    fn from(error: E) -> Self {
        Outcome::Wrong(error.to_string())
    }
}

/// Plans a commit's diff on its parent, and compares every path that it names with the commit.
fn check(repo: &Repo, commit: &str, shown: Vec<u8>) -> Result<(), Outcome> {
    // Its message may hold anything; what it shows begins at its first section.
    let start = if shown.starts_with(b"diff --git ") {
        Some(0)
    } else {
        find(&shown, b"\ndiff --git ").map(|at| at + 1)
    };
    let Some(start) = start else {
        return Err(Outcome::LeftOut("no change".into()));
    };
    let Some(source) = Source::new(SourceId(0), commit, shown[start..].to_vec()) else {
        return Err(Outcome::LeftOut("too long".into()));
    };
    let parsed = response::parse(
        &source,
        &Options {
            strict: true,
            ..Options::default()
        },
    );
    if let Some(fault) = parsed.errors.first() {
        let why = fault.value.to_string();
        let known = fault.value.diagnostic().kind.code() == "unsupported" || why.contains("NUL");
        return Err(if known {
            Outcome::LeftOut(fault.value.diagnostic().kind.code().into())
        } else {
            Outcome::Wrong(why)
        });
    }
    if let Some(warning) = parsed.warnings.first() {
        return Err(Outcome::Wrong(format!("warning: {}", warning.value)));
    }
    let (before, after) = (
        RevisionTree::new(repo, &format!("{commit}^"))?,
        RevisionTree::new(repo, commit)?,
    );
    let plan = plan::plan(
        std::slice::from_ref(&parsed.patch),
        &before,
        &Resolver::default(),
        &Rules::default(),
    );
    let plan = match plan {
        Ok(plan) => plan,
        Err(refusal) => {
            let why: Vec<_> = refusal
                .errors
                .iter()
                .map(|error| error.value.to_string())
                .collect();
            return Err(Outcome::Wrong(why.join("; ")));
        }
    };
    if let Some(warning) = plan
        .warnings
        .iter()
        .find(|warning| warning.value.diagnostic().kind.code() != "addition-place")
    {
        return Err(Outcome::Wrong(format!("warning: {}", warning.value)));
    }
    for change in &plan.changes {
        let wanted = match after.read(&change.path)? {
            Entry::File(file) => Some(file),
            _ => None,
        };
        if change.after != wanted {
            return Err(Outcome::Wrong(format!(
                "`{}` is something else afterwards",
                change.path
            )));
        }
    }
    let named = git(
        repo.git_dir(),
        &[
            "diff-tree",
            "-r",
            "-z",
            "--no-renames",
            "--name-only",
            &format!("{commit}^"),
            commit,
        ],
    )
    .map_err(|error| Outcome::Wrong(error.to_string()))?;
    for name in named
        .split(|&byte| byte == 0)
        .filter(|name| !name.is_empty())
    {
        if plan.changes.get(&RepoPath::new(name)?).is_none() {
            return Err(Outcome::Wrong(format!(
                "`{}` isn't changed",
                name.escape_ascii()
            )));
        }
    }
    Ok(())
}

fn find(text: &[u8], what: &[u8]) -> Option<usize> {
    text.windows(what.len()).position(|window| window == what)
}

fn git(directory: &Path, args: &[&str]) -> Result<Vec<u8>, Wrong> {
    let output = Command::new("git")
        .arg("-C")
        .arg(directory)
        .args(args)
        .output()?;
    if output.status.success() {
        Ok(output.stdout)
    } else {
        Err(String::from_utf8_lossy(&output.stderr).into())
    }
}
