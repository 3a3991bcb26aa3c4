//! A directory is a test: `tests/cases/FORMAT/NAME/` holds what is there before, the response, and what must come of it.
//!
//! - `before/`: the work tree, committed (left out: an empty one).
//! - `patch.txt`: the response. `args.txt`: further arguments, blank-separated. `config.txt`: settings, one `name=value` a line.
//! - `needs.txt`: what it needs and Windows hasn't got, as `support::Need` says it.
//! - `after/`: the work tree afterwards, every byte and executable bit; with `warnings.txt`, what was said on stderr.
//! - or `error.txt`: the exit status on its first line and what was said on stderr behind it. Nothing may have changed then.
//!
//! A case is also told to programs: its document (`--json`) keeps to the schema and tells the kinds that people are told.
//! A case that applies is also put to git: `git apply` of what `git llmpatch diff` prints must come to the same tree.
//! Both are tried of each eighth case; of all with `CASES=all`, and of those that a filter chooses.
//!
//! Expectations are renewed by `SNAPSHOTS=overwrite cargo test --test cases`; read them before you commit them.

#![allow(clippy::unwrap_used, reason = "a test that can't go on has failed")]

mod support;

use std::collections::BTreeMap;
use std::panic::catch_unwind;
use std::path::{Path, PathBuf};

use libtest_mimic::{Arguments, Failed, Trial};
use support::{Need, OnDisk, Repo, in_full, needs, snapshot};

/// What is tried of a case.
#[derive(Clone, Copy)]
struct Check {
    name: &'static str,
    run: fn(&Path) -> Result<(), Failed>,
    /// Of so many cases it is tried of one.
    turn: usize,
}

/// The responses of people come to what is expected.
const APPLY: Check = Check {
    name: "apply",
    run: applies,
    turn: 1,
};
const JSON: Check = Check {
    name: "json",
    run: is_told_to_programs,
    turn: 8,
};
const GIT_APPLY: Check = Check {
    name: "git-apply",
    run: agrees_with_git,
    turn: 8,
};

fn main() {
    let args = Arguments::from_args();
    let is_chosen = in_full() || args.filter.is_some();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let mut trials = Vec::new();
    for (number, case) in directories(&root)
        .iter()
        .flat_map(|of| directories(of))
        .enumerate()
    {
        let applies = !case.join("error.txt").exists();
        for check in [GIT_APPLY, JSON, APPLY]
            .into_iter()
            .skip(usize::from(!applies))
        {
            let is_left_out = !is_chosen && !number.is_multiple_of(check.turn);
            trials.push(trial(check, case.clone()).with_ignored_flag(is_left_out));
        }
    }
    libtest_mimic::run(&args, trials).exit();
}

fn trial(check: Check, case: PathBuf) -> Trial {
    let directory = format!("{}/{}", name(case.parent().unwrap()), name(&case));
    let name = format!("{} {directory}", check.name);
    Trial::test(name.clone(), move || {
        let ended = catch_unwind(|| {
            if let Ok(need) = std::fs::read_to_string(case.join("needs.txt")) {
                needs(need.trim_end().parse().expect("one of `Need`"));
            }
            (check.run)(&case)
        });
        let ended = ended.unwrap_or_else(|panic| Err(said(&*panic).into()));
        ended.map_err(|failed| repeated(&failed, &directory, &name))
    })
}

/// Adds to what failed where the case is and what repeats it.
fn repeated(failed: &Failed, directory: &str, name: &str) -> Failed {
    let message = failed.message().unwrap_or_default();
    let command = format!("cargo test --test cases -- --exact '{name}'");
    format!("{message}\n\ncase:   tests/cases/{directory}\nrepeat: {command}").into()
}

fn said(panic: &dyn std::any::Any) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or(panic.downcast_ref().copied())
        .unwrap_or("it panicked")
}

fn applies(case: &Path) -> Result<(), Failed> {
    let repo = repository(case);
    let before = repo.files();
    let run = repo.llmpatch("apply", &arguments(case), &response(case));
    let error = case.join("error.txt");
    if error.exists() {
        snapshot(format!("{}\n{}", run.status, run.stderr), &error);
        same(
            &before,
            &repo.files(),
            "a refused response must change nothing",
        )?;
        return if run.stdout.is_empty() {
            Ok(())
        } else {
            Err("a refusal prints nothing on stdout".into())
        };
    }
    if run.status != 0 {
        return Err(format!("exit status {}\n{}", run.status, run.stderr).into());
    }
    let warnings = case.join("warnings.txt");
    if warnings.exists() || !run.stderr.is_empty() {
        snapshot(run.stderr, &warnings);
    }
    same(
        &files(&case.join("after")),
        &repo.files(),
        "the tree afterwards",
    )
}

/// What people are told of a case, programs are told too, and what they approve of is what is applied.
fn is_told_to_programs(case: &Path) -> Result<(), Failed> {
    let repo = repository(case);
    let run = |more: &[String]| {
        let arguments = [&arguments(case)[..], more].concat();
        repo.llmpatch("apply", &arguments, &response(case))
    };
    let (check, json) = ("--check".to_owned(), "--json".to_owned());
    let told = run(std::slice::from_ref(&check));
    let checked = run(&[check, json.clone()]);
    let document = support::documents::document(&checked);
    if checked.status != told.status || !checked.stderr.is_empty() {
        return Err(format!(
            "exit status {}, {}\n{}",
            checked.status, told.status, checked.stderr
        )
        .into());
    }
    support::documents::agree(std::slice::from_ref(&document), &told, false);
    if checked.status != 0 {
        return Ok(());
    }
    let plan = document["plan"].as_str().unwrap_or_default();
    let applied = run(&[json, format!("--expect={plan}")]);
    let applied = support::documents::document(&applied.succeeded());
    for field in ["plan", "format", "message", "edits", "files"] {
        if applied[field] != document[field] {
            return Err(format!("{field}: {} {}", applied[field], document[field]).into());
        }
    }
    same(
        &files(&case.join("after")),
        &repo.files(),
        "the tree afterwards",
    )
}

fn agrees_with_git(case: &Path) -> Result<(), Failed> {
    let ours = repository(case);
    let theirs = repository(case);
    // git apply finds the new name there already, where both are one name.
    let (before, after) = (ours.files(), files(&case.join("after")));
    let is_renamed = |old: &PathBuf| {
        let mut new = after.keys();
        new.any(|new| new != old && new.as_os_str().eq_ignore_ascii_case(old))
    };
    if before.keys().any(is_renamed) {
        needs(Need::Cases);
    }
    let arguments = arguments(case);
    ours.llmpatch("apply", &arguments, &response(case))
        .succeeded();
    let diff = theirs
        .llmpatch("diff", &arguments, &response(case))
        .succeeded();
    if !diff.stdout_bytes.is_empty() {
        theirs.git_with_input(
            &["apply", "--check", "--index", "--whitespace=nowarn"],
            &diff.stdout_bytes,
        );
        theirs.git_with_input(
            &["apply", "--index", "--whitespace=nowarn"],
            &diff.stdout_bytes,
        );
    }
    same(&ours.files(), &theirs.files(), "git apply of our diff")
}

fn same(want: &Files, got: &Files, what: &str) -> Result<(), Failed> {
    if want == got {
        return Ok(());
    }
    let mut said = format!("{what}:\n");
    let paths: std::collections::BTreeSet<_> = want.keys().chain(got.keys()).collect();
    for path in paths
        .into_iter()
        .filter(|path| want.get(*path) != got.get(*path))
    {
        said += &format!("{}\n", path.display());
        said += &difference(want.get(path), got.get(path));
    }
    Err(said.into())
}

/// Returns the lines in which a file differs, with their ends.
fn difference(want: Option<&OnDisk>, got: Option<&OnDisk>) -> String {
    let lines = |file: Option<&OnDisk>| -> String {
        let Some(file) = file else {
            return "(no file)\n".to_owned();
        };
        let lines = file.bytes.split_inclusive(|&byte| byte == b'\n');
        let lines = lines.map(|line| format!("{}\n", line.escape_ascii()));
        lines.collect()
    };
    let (old, new) = (lines(want), lines(got));
    if old == new {
        return format!("  wanted {want:?}\n  got    {got:?}\n");
    }
    support::difference(&old, &new)
}

type Files = BTreeMap<PathBuf, OnDisk>;

fn files(directory: &Path) -> Files {
    support::files(directory)
}

fn repository(case: &Path) -> Repo {
    let repo = Repo::of_directory(&case.join("before"));
    for setting in std::fs::read_to_string(case.join("config.txt"))
        .unwrap_or_default()
        .lines()
    {
        let (name, value) = setting
            .split_once('=')
            .unwrap_or_else(|| panic!("{setting}: no `=`"));
        repo.git(&["config", "--add", name, value]);
    }
    repo
}

fn response(case: &Path) -> PathBuf {
    case.join("patch.txt")
}

fn arguments(case: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(case.join("args.txt")).unwrap_or_default();
    text.split_whitespace().map(str::to_owned).collect()
}

fn directories(root: &Path) -> Vec<PathBuf> {
    let mut found: Vec<_> = std::fs::read_dir(root)
        .unwrap_or_else(|err| panic!("{}: {err}", root.display()))
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_dir())
        .collect();
    found.sort();
    found
}

fn name(path: &Path) -> String {
    path.file_name().unwrap().to_string_lossy().into_owned()
}
