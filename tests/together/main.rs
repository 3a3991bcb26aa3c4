//! Many at once: eight processes make forty changes, with `CASES=all` two hundred, to one repository
//! and its linked worktrees, each in a way of its own, ours among git's, while `git status` looks
//! on. Afterwards every single change is accounted for.
//!
//! A change is three files of its own: one edited, one added, one deleted. It is in, whole,
//! wherever it was said to be, or refused as `locked`, with a word on who holds the lock; nothing
//! else is said, and nothing else is found. How many are refused is the machine's affair, so
//! nothing here depends on time.
//!
//! Two things git doesn't promise, and they are kept out, seen with git 2.47: `git commit` reads
//! the index before it locks it, so it loses what anybody stages in between, `git add` too; and it
//! gives the lock back before it writes its message to `COMMIT_EDITMSG` and reads it again, so that
//! two commits may change messages. See [`Gates`].

#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot be set up has failed"
)]

mod garbage;
mod ledger;
mod one_file;
#[path = "../support/mod.rs"]
mod support;

use std::collections::BTreeSet;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, RwLock};

use assert_fs::prelude::*;
use ledger::{Change, Found, Side};
use support::{Repo, Run, in_full, isolated, program};

/// What a hook says when a `git commit` has read the index and locked it.
const LOCKED: &str = "the index is locked";

const WORKERS: usize = 8;

/// Returns how many changes each worker makes.
fn rounds() -> usize {
    if in_full() { 25 } else { 5 }
}

/// A way to make a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Plain,
    Index,
    Cached,
    Commit,
    /// `git add`.
    Add,
    /// `git commit -- PATHS`, which holds the lock to its end.
    CommitPaths,
    /// `git commit` of all that is staged, which gives the lock back before it moves HEAD.
    CommitStaged,
}

const WAYS: [Way; 7] = [
    Way::Plain,
    Way::Index,
    Way::Commit,
    Way::Cached,
    Way::Add,
    Way::CommitPaths,
    Way::CommitStaged,
];

/// What was said of a change.
struct Report {
    change: Change,
    way: Way,
    /// Where it was said to be now; where nothing was said, it may be on either side, but must be
    /// on one.
    tree: Side,
    index: Side,
    head: Option<Side>,
    /// The names by which commits of it were reported.
    commits: Vec<String>,
    refusals: usize,
}

/// What keeps git from losing things of its own accord. `message` is taken first.
#[derive(Default)]
struct Gates {
    /// Whoever changes the index goes through; a `git commit` closes it until it has the lock.
    index: RwLock<()>,
    /// Whoever commits under the lock goes through; a `git commit` that gives the lock back closes
    /// it.
    message: RwLock<()>,
}

/// A work tree.
struct Worktree {
    gates: Gates,
    top: PathBuf,
    git_directory: PathBuf,
    /// Whether somebody here commits all that is staged, whoever staged it.
    sweeps: bool,
}

fn repository() -> (Repo, Vec<Worktree>) {
    let repo = Repo::empty();
    for number in 0..WORKERS * rounds() {
        for (path, content) in Change(number).before() {
            repo.child(path).write_str(&content).unwrap();
        }
    }
    repo.commit("base");
    // It runs when git has read and locked the index; what it prints goes to standard error.
    repo.script(
        ".git/hooks/pre-commit",
        &format!("#!/bin/sh\ntest -z \"$TOGETHER\" || echo {LOCKED}\n"),
    );
    repo.git(&["config", "gc.auto", "0"]);
    repo.git(&["config", "maintenance.auto", "false"]);
    // Brief, so that some are refused.
    repo.git(&["config", "llmpatch.lockTimeout", "30"]);
    repo.git(&["config", "llmpatch.fsync", "false"]);
    let mut worktrees = vec![Worktree {
        gates: Gates::default(),
        top: repo.path().to_owned(),
        git_directory: repo.path().join(".git"),
        sweeps: true,
    }];
    for name in ["one", "two"] {
        let top = repo.path().parent().unwrap().join(name);
        repo.git(&["worktree", "add", "-q", "-b", name, top.to_str().unwrap()]);
        worktrees.push(Worktree {
            gates: Gates::default(),
            top,
            git_directory: repo.path().join(".git/worktrees").join(name),
            sweeps: false,
        });
    }
    (repo, worktrees)
}

#[test]
fn eight_processes_make_two_hundred_changes_and_each_is_accounted_for() {
    let (repo, worktrees) = repository();
    let (processes, reports) = (Mutex::new(BTreeSet::new()), Mutex::new(Vec::new()));
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let looker = scope.spawn(|| {
            let mut looks = 0;
            while !is_over.load(Ordering::SeqCst) {
                for worktree in &worktrees {
                    let run = run(
                        &worktree.top,
                        "git",
                        &["status", "--porcelain"],
                        &processes,
                        "",
                    );
                    assert_eq!(run.status, 0, "{}", run.stderr);
                    looks += 1;
                }
            }
            looks
        });
        let workers: Vec<_> = (0..WORKERS)
            .map(|worker| {
                // Four in the main work tree, two in each of the others.
                let home = [0, 0, 0, 0, 1, 1, 2, 2][worker];
                let (worktree, processes, reports) = (&worktrees[home], &processes, &reports);
                scope.spawn(move || {
                    for round in 0..rounds() {
                        let change = Change(worker * rounds() + round);
                        let mut way = WAYS[(worker * 3 + round) % WAYS.len()];
                        if way == Way::CommitStaged && !worktree.sweeps {
                            way = Way::Commit;
                        }
                        let report = make(worktree, change, way, processes);
                        reports.lock().unwrap().push((home, report));
                    }
                })
            })
            .collect();
        let ends: Vec<_> = workers
            .into_iter()
            .map(std::thread::ScopedJoinHandle::join)
            .collect();
        is_over.store(true, Ordering::SeqCst);
        let looks = looker.join().unwrap();
        for end in ends {
            end.unwrap();
        }
        println!("{looks} looks");
    });
    let reports = reports.into_inner().unwrap();
    assert_eq!(reports.len(), WORKERS * rounds());
    let refused = reports
        .iter()
        .filter(|(_, report)| report.tree == Side::Old && report.index == Side::Old)
        .count();
    let retries: usize = reports.iter().map(|(_, report)| report.refusals).sum();
    println!(
        "{} changes, {refused} refused, {retries} refusals in all",
        reports.len()
    );
    for (home, worktree) in worktrees.iter().enumerate() {
        let of = reports
            .iter()
            .filter(|(where_, _)| *where_ == home)
            .map(|(_, report)| report)
            .collect();
        account(worktree, of);
    }
    let fsck = repo.git(&["fsck", "--strict", "--no-dangling", "--no-progress"]);
    assert_eq!(fsck, "");
    assert_eq!(
        ledger::litter(&repo.path().join(".git")),
        Vec::<String>::new()
    );
}

#[test]
fn who_holds_the_lock_is_named_and_other_worktrees_are_free() {
    let (repo, worktrees) = repository();
    repo.git(&["config", "llmpatch.lockTimeout", "0"]);
    for pipe in ["held", "go"] {
        support::make_pipe(&repo.path().parent().unwrap().join(pipe));
    }
    repo.script(
        ".git/hooks/pre-commit",
        "#!/bin/sh\ntest -z \"$HOLD\" || { echo >../held; read line <../go; }\n",
    );
    let mut command = repo.command();
    command
        .args(["apply", "--commit", "-m", "first"])
        .env("HOLD", "1");
    let processes = Mutex::new(BTreeSet::new());
    let mut holder = start(command, &processes);
    holder
        .stdin
        .take()
        .unwrap()
        .write_all(Change(0).response().as_bytes())
        .unwrap();
    // Opening waits for the hook.
    std::fs::read(repo.path().parent().unwrap().join("held")).unwrap();
    let ours = [
        &["apply"][..],
        &["apply", "--index"],
        &["apply", "--cached"],
        &["apply", "--commit", "-m", "next"],
    ];
    for args in ours {
        let run = run(
            repo.path(),
            program(),
            args,
            &processes,
            &Change(1).response(),
        );
        demand_locked(&run, &worktrees[0]);
        assert!(
            run.stderr.contains("is held by another git-llmpatch"),
            "{}",
            run.stderr
        );
    }
    let add = run(repo.path(), "git", &["add", "-A"], &processes, "");
    assert!(!demand_known(&add));
    for (args, number) in ours.into_iter().zip(1..) {
        let run = run(
            &worktrees[1].top,
            program(),
            args,
            &processes,
            &Change(number).response(),
        );
        assert_eq!(run.status, 0, "{}", run.stderr);
    }
    std::fs::write(repo.path().parent().unwrap().join("go"), "\n").unwrap();
    let first = Run::of(holder.wait_with_output().unwrap());
    assert_eq!(first.status, 0, "{}", first.stderr);
    assert_eq!(repo.git(&["log", "--format=%s"]), "first\nbase\n");
    assert_eq!(repo.git(&["status", "--porcelain"]), "");
    assert_eq!(
        ledger::litter(&repo.path().join(".git")),
        Vec::<String>::new()
    );
}

/// Makes one change, and says where it must be now.
fn make(worktree: &Worktree, change: Change, way: Way, processes: &Mutex<BTreeSet<u32>>) -> Report {
    let head = if worktree.sweeps {
        None
    } else {
        Some(Side::Old)
    };
    let mut report = Report {
        change,
        way,
        tree: Side::Old,
        index: Side::Old,
        head: Some(Side::Old),
        commits: Vec::new(),
        refusals: 0,
    };
    let message = change.subject();
    let ours: Option<&[&str]> = match way {
        Way::Plain => Some(&["apply"]),
        Way::Index => Some(&["apply", "--index"]),
        Way::Cached => Some(&["apply", "--cached"]),
        Way::Commit => Some(&["apply", "--commit", "-m", &message]),
        Way::Add | Way::CommitPaths | Way::CommitStaged => None,
    };
    let Gates {
        index,
        message: messages,
    } = &worktree.gates;
    if let Some(args) = ours {
        let _message = (way == Way::Commit).then(|| messages.read().unwrap());
        let _index = (way != Way::Plain).then(|| index.read().unwrap());
        let run = run(
            &worktree.top,
            program(),
            args,
            processes,
            &change.response(),
        );
        if run.status != 0 {
            demand_locked(&run, worktree);
            report.refusals += 1;
            return report;
        }
        (report.tree, report.index, report.head) = match way {
            Way::Plain => (Side::New, Side::Old, Some(Side::Old)),
            Way::Index => (Side::New, Side::New, head),
            Way::Cached => (Side::Old, Side::New, head),
            _ => (Side::New, Side::New, Some(Side::New)),
        };
        if way == Way::Commit {
            report.commits.push(commit_name(&run.stdout, &message));
        }
        return report;
    }
    for (path, content) in change.after() {
        match content {
            Some(content) => std::fs::write(worktree.top.join(path), content).unwrap(),
            None => std::fs::remove_file(worktree.top.join(path)).unwrap(),
        }
    }
    report.tree = Side::New;
    let directory = change.directory();
    let add = ["add", "-A", "--", &directory];
    let commit: &[&str] = if way == Way::CommitPaths {
        &["commit", "-m", &message, "--", &directory]
    } else {
        &["commit", "-m", &message]
    };
    // git gives up at once where it finds a lock.
    let tries = if way == Way::Add { 1 } else { 100 };
    let mut refusals = 0;
    let is_staged = (0..tries).any(|_| {
        let _index = index.read().unwrap();
        let run = run(&worktree.top, "git", &add, processes, "");
        refusals += usize::from(run.status != 0);
        demand_known(&run)
    });
    report.refusals = refusals;
    if !is_staged {
        return report;
    }
    (report.index, report.head) = (Side::New, head);
    if way == Way::Add {
        return report;
    }
    for _ in 0..tries {
        let _shared = (way == Way::CommitPaths).then(|| messages.read().unwrap());
        let _alone = (way == Way::CommitStaged).then(|| messages.write().unwrap());
        let run = commit_by_git(worktree, commit, processes);
        if demand_known(&run) {
            report.commits.push(commit_name(&run.stdout, &message));
            report.head = Some(Side::New);
            break;
        }
        report.refusals += 1;
    }
    report
}

/// Runs `git commit`, and keeps others from the index until it has the lock, or has given up.
fn commit_by_git(worktree: &Worktree, args: &[&str], processes: &Mutex<BTreeSet<u32>>) -> Run {
    let mut gate = Some(worktree.gates.index.write().unwrap());
    let mut command = isolated(Command::new("git"), &worktree.top);
    command.args(args).env("TOGETHER", "1");
    let mut child = start(command, processes);
    let mut stderr = String::new();
    for line in BufReader::new(child.stderr.take().unwrap()).lines() {
        match line.unwrap() {
            line if line == LOCKED => drop(gate.take()),
            line => stderr += &(line + "\n"),
        }
    }
    drop(gate);
    let run = Run::of(child.wait_with_output().unwrap());
    Run { stderr, ..run }
}

/// Says whether git did it; if not, somebody else must have been at it, or have committed this with
/// the rest.
fn demand_known(run: &Run) -> bool {
    let known = [
        "index.lock': File exists",
        "cannot lock ref 'HEAD'",
        "nothing added to commit",
        "nothing to commit",
        "no changes added to commit",
    ];
    let said = format!("{}{}", run.stdout, run.stderr);
    assert!(
        run.status == 0 || known.iter().any(|words| said.contains(words)),
        "{run:?}"
    );
    run.status == 0
}

/// A refusal must be `locked`, name who holds the lock, and have changed nothing.
fn demand_locked(run: &Run, worktree: &Worktree) {
    let Run {
        status,
        stdout,
        stderr,
        ..
    } = run;
    assert_eq!((*status, stdout.as_str()), (3, ""), "{stderr}");
    let head = stderr.lines().next().unwrap_or_default();
    let lock = format!(
        "error[locked]: `{}` is held by ",
        worktree.git_directory.join("index.lock").display()
    );
    let holder = head
        .strip_prefix(&lock)
        .unwrap_or_else(|| panic!("{stderr}"));
    let known = [
        "another git-llmpatch, or a git commit that it started",
        "another program, most likely a git command or an editor",
    ];
    assert!(known.contains(&holder), "{stderr}");
    assert!(stderr.ends_with("nothing was changed\n"), "{stderr}");
}

/// Reads `[main abc1234] subject`.
fn commit_name(stdout: &str, subject: &str) -> String {
    let line = stdout
        .lines()
        .find(|line| line.starts_with('['))
        .unwrap_or_else(|| panic!("no commit in {stdout}"));
    let (place, said) = line[1..].split_once("] ").unwrap();
    assert_eq!(said, subject, "{stdout}");
    place.rsplit(' ').next().unwrap().to_owned()
}

fn run(
    top: &Path,
    program: &str,
    args: &[&str],
    processes: &Mutex<BTreeSet<u32>>,
    input: &str,
) -> Run {
    let mut command = isolated(Command::new(program), top);
    command.args(args);
    let mut child = start(command, processes);
    // Responses are shorter than a pipe is deep.
    child
        .stdin
        .take()
        .unwrap()
        .write_all(input.as_bytes())
        .unwrap();
    Run::of(child.wait_with_output().unwrap())
}

fn start(mut command: Command, processes: &Mutex<BTreeSet<u32>>) -> Child {
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    // Noted before anybody else can meet it and look it up here.
    let mut numbers = processes.lock().unwrap();
    let child = command.spawn().unwrap();
    numbers.insert(child.id());
    child
}

/// Compares what was said with what is there.
fn account(worktree: &Worktree, reports: Vec<&Report>) {
    let git = |args: &[&str]| {
        let output = isolated(Command::new("git"), &worktree.top)
            .args(args)
            .output()
            .unwrap();
        assert!(
            output.status.success(),
            "git {args:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        String::from_utf8(output.stdout).unwrap()
    };
    let found = Found::of(&worktree.top, &git);
    let mut wrong = Vec::new();
    let mut own = BTreeSet::new();
    for report in &reports {
        own.insert(report.change);
        let Report {
            change,
            way,
            tree,
            index,
            head,
            commits,
            ..
        } = report;
        for (place, want) in [
            ("tree", Some(*tree)),
            ("index", Some(*index)),
            ("head", *head),
        ] {
            match (found.side(place, *change), want) {
                (Ok(side), Some(want)) if side != want => {
                    wrong.push(format!(
                        "{way:?} {change:?}: {place} is {side:?}, and was said to be {want:?}"
                    ));
                }
                (Ok(_), _) => {}
                (Err(torn), _) => {
                    wrong.push(format!("{way:?} {change:?}: {place} is torn: {torn}"))
                }
            }
        }
        for name in commits {
            // What was short enough for one commit may by now begin the name of a tree, too.
            let full = git(&["rev-parse", &format!("{name}^{{commit}}")])
                .trim()
                .to_owned();
            let Some(made) = found.commits.iter().find(|made| made.name == full) else {
                wrong.push(format!("{way:?} {change:?}: {name} isn't on the branch"));
                continue;
            };
            // Who commits all that is staged may find that another has committed this with the
            // rest, and commit others' work.
            let is_right = *way == Way::CommitStaged || made.changes == BTreeSet::from([*change]);
            if made.subject != change.subject() || !is_right {
                wrong.push(format!("{way:?} {change:?}: {made:?}"));
            }
        }
    }
    let reported: usize = reports.iter().map(|report| report.commits.len()).sum();
    if reported != found.commits.len() {
        wrong.push(format!(
            "{reported} commits were reported and {} are there: {:?}",
            found.commits.len(),
            found.commits
        ));
    }
    // Other workers' changes belong elsewhere.
    for number in 0..WORKERS * rounds() {
        let change = Change(number);
        for place in ["tree", "index", "head"] {
            if !own.contains(&change) && !matches!(found.side(place, change), Ok(Side::Old)) {
                wrong.push(format!(
                    "{change:?}, of another worktree, is in the {place}"
                ));
            }
        }
    }
    wrong.extend(found.check(&git));
    assert!(
        wrong.is_empty(),
        "{}:\n{}",
        worktree.top.display(),
        wrong.join("\n")
    );
}
