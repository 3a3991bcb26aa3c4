//! What garbage collection leaves of what a command names: all of it, for as long as it is kept.
//!
//! The worst moment is that in which objects are there and nothing names them yet, so a hook has git
//! collect all garbage whenever a reference is about to change.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Command, Stdio};

use assert_fs::prelude::*;
use serde_json::{Value, json};

use super::support::{Repo, Run, isolated, run};
use super::{repo, update};

/// Collects all that nothing names, however new it is.
const COLLECT: &str = "git repack -adq && git prune --expire=now";

/// A command that names objects: its arguments, and how many responses it is given, as lines of JSON
/// or as files, or none.
type Naming = (&'static [&'static str], Given);

#[derive(Clone, Copy, PartialEq, Eq)]
enum Given {
    Nothing,
    Response,
    Files,
    Lines,
}

const NAMING: &[Naming] = &[
    (&["apply", "-q", "--onto=HEAD"], Given::Response),
    (&["apply", "-q", "--onto=HEAD", "--commit"], Given::Response),
    (
        &["apply", "-q", "--onto=HEAD", "--commit", "--branch=new"],
        Given::Response,
    ),
    (
        &["apply", "-q", "--onto=HEAD", "--commit", "--each"],
        Given::Files,
    ),
    (
        &[
            "apply",
            "-q",
            "--onto=HEAD",
            "--commit",
            "--each",
            "--branch=new",
        ],
        Given::Files,
    ),
    (&["snapshot"], Given::Nothing),
    (&["snapshot", "--untracked"], Given::Nothing),
    (&["batch", "--onto=HEAD"], Given::Lines),
    (&["batch", "--onto=HEAD", "--commit"], Given::Lines),
];

/// Makes the repository, with a work tree that differs from HEAD.
fn scene() -> Repo {
    let repo = repo();
    repo.child("a.txt")
        .write_str("one\nchanged\nthree\n")
        .unwrap();
    repo.child("new.txt").write_str("new\n").unwrap();
    repo
}

/// Runs a command, of which each response is another one by this number.
fn named_by(repo: &Repo, (args, given): Naming, number: usize) -> Vec<String> {
    let response = |nth: usize| update("src/b.txt", "b", &format!("{number} {nth}"));
    let mut args = args.to_vec();
    let input = match given {
        Given::Nothing => {
            let text = format!("one\nchanged {number}\nthree\n");
            repo.child("a.txt").write_str(&text).unwrap();
            String::new()
        }
        Given::Response => response(0),
        Given::Files => {
            let other = update("src/c.txt", "c", &number.to_string());
            for (name, text) in [(".git/one", response(0)), (".git/two", other)] {
                repo.child(name).write_str(&text).unwrap();
            }
            args.extend([".git/one", ".git/two"]);
            String::new()
        }
        Given::Lines => (0..20)
            .map(|nth| format!("{}\n", json!({"response": response(nth)})))
            .collect(),
    };
    let run = repo.run(&args, input).succeeded();
    let named = names(&run, given);
    assert!(!named.is_empty(), "{args:?}");
    named
}

fn names(run: &Run, given: Given) -> Vec<String> {
    let words = run.stdout.split_whitespace().map(str::to_owned);
    if given != Given::Lines {
        return words.collect();
    }
    let lines = run.stdout.lines();
    let lines = lines.map(|line| serde_json::from_str::<Value>(line).unwrap());
    let names = lines.flat_map(|line| {
        assert_eq!(line["errors"], json!([]));
        ["tree", "commit"].map(|key| line[key].as_str().map(str::to_owned))
    });
    names.flatten().collect()
}

/// Demands that objects, and all that they name, are there.
#[track_caller]
fn are_there(repo: &Repo, named: &[String]) {
    let asked: String = named.iter().map(|id| format!("{id}\n")).collect();
    let walk = ["rev-list", "--objects", "--quiet", "--stdin"];
    repo.git_with_input(&walk, asked.as_bytes());
    assert_eq!(repo.git(&["fsck", "--strict", "--no-dangling"]), "");
}

fn in_shell(repo: &Repo, script: &str) {
    repo.script(".git/script", &format!("#!/bin/sh\n{script}\n"));
    let mut command = isolated(Command::new(repo.child(".git/script").path()), repo.path());
    run(&mut command, b"").succeeded();
}

fn references(repo: &Repo) -> Vec<String> {
    let listed = repo.git(&["for-each-ref", "--format=%(refname)", "refs/llmpatch"]);
    listed.lines().map(str::to_owned).collect()
}

/// Returns the files among the packs that have one of these endings.
fn packed(repo: &Repo, ending: &str) -> usize {
    let packs = fs::read_dir(repo.child(".git/objects/pack")).unwrap();
    let names = packs.map(|file| file.unwrap().file_name().into_string().unwrap());
    names.filter(|name| name.ends_with(ending)).count()
}

#[test]
fn what_is_named_is_there_whenever_garbage_is_collected() {
    for naming in NAMING {
        let (args, _) = naming;
        let repo = scene();
        repo.script(
            ".git/hooks/reference-transaction",
            &format!(
                "#!/bin/sh\n[ \"$1\" = prepared ] && [ -z \"$COLLECTING\" ] || exit 0\n\
                 COLLECTING=1; export COLLECTING; {COLLECT} && echo >>\"$GIT_DIR/collected\"\n"
            ),
        );
        let named = named_by(&repo, *naming, 1);
        assert!(repo.child(".git/collected").exists(), "{args:?}");
        are_there(&repo, &named);
        // The reference alone keeps it now.
        assert_eq!(packed(&repo, ".keep"), 0, "{args:?}");
        assert!(packed(&repo, ".pack") > 1, "{args:?}");
        in_shell(
            &repo,
            &format!("export COLLECTING=1; git gc -q --prune=now; {COLLECT}"),
        );
        assert_eq!(packed(&repo, ".pack"), 1, "{args:?}");
        are_there(&repo, &named);
    }
}

/// One reference a run, however many results there are, and one a result of one response.
#[test]
fn without_its_reference_a_result_is_collected() {
    for naming in NAMING {
        let (args, _) = naming;
        let repo = scene();
        let named = named_by(&repo, *naming, 1);
        let kept = references(&repo);
        if args.last() == Some(&"--branch=new") {
            assert_eq!(kept, [""; 0], "{args:?}");
            continue;
        }
        assert_eq!(kept.len(), 1, "{args:?}");
        repo.git(&["update-ref", "-d", &kept[0]]);
        in_shell(&repo, COLLECT);
        let asked: String = named.iter().map(|id| format!("{id}\n")).collect();
        let said = repo.git_with_input(&["cat-file", "--batch-check"], asked.as_bytes());
        assert!(
            said.lines().all(|line| line.ends_with(" missing")),
            "{args:?} {said}"
        );
    }
}

/// The results of all lines are kept by one reference, also where each is written at once.
#[test]
fn a_run_that_goes_on_has_one_reference() {
    for args in [
        &["batch", "--onto=HEAD"][..],
        &["batch", "--onto=HEAD", "--commit"],
    ] {
        let repo = repo();
        let mut command = repo.command();
        command
            .args(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut input = child.stdin.take().unwrap();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        let mut named = Vec::new();
        for number in 0..4 {
            let response = update("src/b.txt", "b", &number.to_string());
            writeln!(input, "{}", json!({"response": response})).unwrap();
            let mut line = String::new();
            output.read_line(&mut line).unwrap();
            let line: Value = serde_json::from_str(&line).unwrap();
            for key in ["tree", "commit"] {
                named.extend(line[key].as_str().map(str::to_owned));
            }
            assert_eq!(references(&repo).len(), 1, "{args:?}");
            in_shell(&repo, COLLECT);
            are_there(&repo, &named);
        }
        drop(input);
        assert!(child.wait().unwrap().success());
    }
}

#[test]
fn results_go_when_they_expire_and_the_same_one_is_kept_once() {
    let repo = repo();
    let head = repo.git(&["rev-parse", "HEAD"]);
    let naming = NAMING[0];
    for name in [
        "results/1000000000/old",
        "snapshots/1000000000/old",
        "results/theirs",
    ] {
        let name = format!("refs/llmpatch/{name}");
        repo.git(&["update-ref", &name, head.trim()]);
    }
    let made = named_by(&repo, naming, 1);
    let own = format!("refs/llmpatch/results/1000000001/{}", made[0]);
    repo.git(&["update-ref", &own, &made[0]]);
    repo.git(&["config", "llmpatch.snapshotExpire", "never"]);
    assert_eq!(named_by(&repo, naming, 1), made);
    let other = named_by(&repo, naming, 2);
    let kept = references(&repo);
    assert!(
        kept[0].ends_with(&made[0]) || kept[1].ends_with(&made[0]),
        "{kept:?}"
    );
    assert!(
        kept[0].ends_with(&other[0]) || kept[1].ends_with(&other[0]),
        "{kept:?}"
    );
    assert_eq!(kept[2..], ["refs/llmpatch/results/theirs"]);
}

#[test]
fn what_a_dead_run_kept_goes_and_what_others_keep_stays() {
    let repo = repo();
    named_by(&repo, NAMING[0], 1);
    let file = |name: &str| repo.child(format!(".git/objects/pack/pack-{name}.keep"));
    let ours = "git-llmpatch keeps this pack until a reference names what is in it\n";
    for (name, text) in [
        ("dead", ours),
        ("living", ours),
        ("theirs", "mine\n"),
        ("empty", ""),
    ] {
        file(name).write_str(text).unwrap();
    }
    let living = fs::File::open(file("living")).unwrap();
    living.lock().unwrap();
    named_by(&repo, NAMING[0], 2);
    let left = ["dead", "living", "theirs", "empty"].map(|name| file(name).exists());
    assert_eq!(left, [false, true, true, true]);
}

/// As after a push: where nobody else has git look after a repository, packs don't pile up.
#[test]
fn git_collects_garbage_where_there_are_many_packs() {
    for (settings, collects) in [
        (&["gc.autoDetach=false", "gc.autoPackLimit=3"][..], true),
        (&["gc.autoDetach=false", "gc.autoPackLimit=0"], false),
        (
            &[
                "gc.autoDetach=false",
                "gc.autoPackLimit=3",
                "maintenance.auto=false",
            ],
            false,
        ),
        (
            &["gc.autoDetach=false", "gc.autoPackLimit=3", "gc.auto=0"],
            false,
        ),
    ] {
        let repo = repo();
        for setting in settings {
            let (key, value) = setting.split_once('=').unwrap();
            repo.git(&["config", key, value]);
        }
        let mut named = Vec::new();
        for number in 0..6 {
            named.extend(named_by(&repo, NAMING[0], number));
        }
        assert_eq!(packed(&repo, ".pack") <= 4, collects, "{settings:?}");
        are_there(&repo, &named);
    }
}
