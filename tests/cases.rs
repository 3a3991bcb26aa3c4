//! A directory is a test: `tests/cases/FORMAT/NAME/` holds what is there before, the response, and what must come of it.
//!
//! - `before/`: the work tree, committed (left out: an empty one).
//! - `patch.txt`: the response. `args.txt`: further arguments, blank-separated. `config.txt`: settings, one `name=value` a line.
//! - `after/`: the work tree afterwards, every byte and executable bit; with `warnings.txt`, what was said on stderr.
//! - or `error.txt`: the exit status on its first line and what was said on stderr behind it. Nothing may have changed then.
//!
//! Every case is also told to programs: its document (`--json`) keeps to the schema and tells the kinds that people are told.
//! Every case that applies is also put to git: `git apply` of what `git llmpatch diff` prints must come to the same tree.
//! Expectations are renewed by `SNAPSHOTS=overwrite cargo test --test cases`; read them before you commit them.

#![allow(clippy::unwrap_used, reason = "a test that can't go on has failed")]

mod support;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use libtest_mimic::{Arguments, Failed, Trial};
use support::{Repo, snapshot};

fn main() {
    let args = Arguments::from_args();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let mut trials = Vec::new();
    for format in directories(&root) {
        for case in directories(&format) {
            let name = format!("{}/{}", name(&format), name(&case));
            if !case.join("error.txt").exists() {
                let case = case.clone();
                trials.push(Trial::test(format!("git-apply {name}"), move || {
                    agrees_with_git(&case)
                }));
            }
            let documented = case.clone();
            trials.push(Trial::test(format!("json {name}"), move || {
                is_told_to_programs(&documented)
            }));
            trials.push(Trial::test(format!("apply {name}"), move || applies(&case)));
        }
    }
    libtest_mimic::run(&args, trials).exit();
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
        said += &format!(
            "  {}\n    wanted {:?}\n    got    {:?}\n",
            path.display(),
            want.get(path),
            got.get(path)
        );
    }
    Err(said.into())
}

type Files = BTreeMap<PathBuf, support::OnDisk>;

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
