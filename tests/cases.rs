//! Cases of `tests/cases`, applied by the program in a real repository. `crates/llmpatch/tests/cases.rs` tries all of them in memory;
//! `.github/CONTRIBUTING.md` says how they are written.
//!
//! - The program comes to what the case says: its exit status, its words, and every byte and executable bit of the work tree. A refusal
//!   changes nothing.
//! - Programs are told, too: the document (`--json`) keeps to the schema and tells the kinds that people are told.
//! - git agrees: `git apply` of what `git llmpatch diff` prints comes to the same tree.
//!
//! This is tried of each case with a section `git`, and of each sixteenth of the others; of all with `CASES=all`, and of those that a
//! filter chooses. `SNAPSHOTS=overwrite` writes what comes of a case into it.

#![allow(clippy::unwrap_used, reason = "a test that can't go on has failed")]

mod support;

use std::panic::catch_unwind;

use libtest_mimic::{Arguments, Failed, Trial};
use llmpatch_cases::{CaseOutcome, Files, TestCase};
use support::{Need, Repo, in_full, needs};

/// Of so many cases that aren't of git, one is tried.
const TURN: usize = 16;

/// What is tried of a case.
type Check = fn(&TestCase) -> Result<(), Failed>;

fn main() {
    let args = Arguments::from_args();
    let is_chosen = in_full() || args.filter.is_some();
    let mut trials = Vec::new();
    for (number, case) in llmpatch_cases::all().into_iter().enumerate() {
        let is_left_out = !is_chosen && !case.is_of_git() && !number.is_multiple_of(TURN);
        let checks: [(_, Check); 3] = [
            ("git-apply", agrees_with_git),
            ("json", is_told_to_programs),
            ("apply", applies),
        ];
        let applies = case.expected().status == 0;
        for (name, check) in checks.into_iter().skip(usize::from(!applies)) {
            let name = format!("{name} {}", case.name);
            trials.push(trial(name, check, case.clone()).with_ignored_flag(is_left_out));
        }
    }
    libtest_mimic::run(&args, trials).exit();
}

fn trial(name: String, check: Check, case: TestCase) -> Trial {
    Trial::test(name.clone(), move || {
        let ended = catch_unwind(|| {
            if let Some(need) = case.needs() {
                needs(need.parse().expect("one of `Need`"));
            }
            check(&case)
        });
        let ended = ended.unwrap_or_else(|panic| Err(said(&*panic).into()));
        let command = format!("cargo test --test cases -- --exact '{name}'");
        ended.map_err(|why| {
            case.failed(why.message().unwrap_or_default(), &command)
                .into()
        })
    })
}

fn said(panic: &dyn std::any::Any) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or(panic.downcast_ref().copied())
        .unwrap_or("it panicked")
}

fn applies(case: &TestCase) -> Result<(), Failed> {
    let repo = repository(case);
    let before = files(&repo);
    let run = repo.llmpatch("apply", &case.arguments(), &case.response());
    if run.status != 0 {
        same(
            &before,
            &files(&repo),
            "a refused response must change nothing",
        )?;
        if !run.stdout.is_empty() {
            return Err("a refusal prints nothing on stdout".into());
        }
    }
    let outcome = CaseOutcome {
        status: run.status,
        said: run.stderr,
        files: files(&repo),
        feedback: None,
    };
    Ok(case.compare(&outcome)?)
}

/// What people are told of a case, programs are told too, and what they approve of is what is applied.
fn is_told_to_programs(case: &TestCase) -> Result<(), Failed> {
    let repo = repository(case);
    let run = |more: &[String]| {
        let arguments = [&case.arguments()[..], more].concat();
        repo.llmpatch("apply", &arguments, &case.response())
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
    same(&case.expected().files, &files(&repo), "the tree afterwards")
}

fn agrees_with_git(case: &TestCase) -> Result<(), Failed> {
    let ours = repository(case);
    let theirs = repository(case);
    // git apply finds the new name there already, where both are one name.
    let (before, after) = (case.before(), case.expected().files);
    let is_renamed = |old: &String| {
        let mut new = after.keys();
        new.any(|new| new != old && new.eq_ignore_ascii_case(old))
    };
    if before.keys().any(is_renamed) {
        needs(Need::Cases);
    }
    let arguments = case.arguments();
    ours.llmpatch("apply", &arguments, &case.response())
        .succeeded();
    let diff = theirs
        .llmpatch("diff", &arguments, &case.response())
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
    same(&files(&ours), &files(&theirs), "git apply of our diff")
}

fn same(want: &Files, got: &Files, what: &str) -> Result<(), Failed> {
    let difference = llmpatch_cases::difference(want, got);
    difference.map_or(Ok(()), |difference| {
        Err(format!("{what}:\n{difference}").into())
    })
}

/// Returns the files of a repository, as cases have them.
fn files(repo: &Repo) -> Files {
    let named = repo.files().into_iter().map(|(path, file)| {
        let path = path
            .to_string_lossy()
            .replace(std::path::MAIN_SEPARATOR, "/");
        (path, file)
    });
    named.collect()
}

fn repository(case: &TestCase) -> Repo {
    let repo = Repo::of_case(case);
    for (name, value) in case.settings() {
        repo.git(&["config", "--add", &name, &value]);
    }
    repo
}
