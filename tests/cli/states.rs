//! Every attribute and setting by which git treats bytes otherwise, in each of its states, beside
//! what git makes of it.

use assert_fs::prelude::*;

use super::support::{Repo, isolated, run, some};

/// Attributes, each with the values that mean something, and one that doesn't.
const ATTRIBUTES: [(&str, &[&str]); 9] = [
    ("text", &["auto", "input"]),
    ("crlf", &["auto", "input"]),
    ("eol", &["lf", "crlf"]),
    ("ident", &[]),
    ("filter", &["rot"]),
    ("working-tree-encoding", &["UTF-16LE", "utf8", "UTF-8"]),
    ("diff", &["rot"]),
    ("merge", &["union", "binary"]),
    ("binary", &[]),
];

const SETTINGS: [(&str, &[&str]); 5] = [
    ("core.autocrlf", &["input"]),
    ("core.eol", &["lf", "crlf", "native"]),
    ("core.safecrlf", &["warn"]),
    ("core.filemode", &[]),
    ("core.symlinks", &[]),
];

const FILE: &str = "one\ntwo\nthree\nfour\nfive\n$Id$\n";

const DIFF: &str = "--- a/a.txt\n+++ b/a.txt\n@@ -1,5 +1,5 @@\n one\n-two\n+zwei\n three\n four\n five\n\
    --- /dev/null\n+++ b/new.txt\n@@ -0,0 +1,2 @@\n+new $Id$\n+lines\n";

/// Makes a repository in which attributes and settings are as these lines say; `None` if git doesn't
/// work in it.
fn scene(rules: &str, settings: &str) -> Option<Repo> {
    let repo = Repo::with(&[("a.txt", FILE)]);
    let config = repo.text(".git/config");
    let drivers = "[filter \"rot\"]\n\tclean = tr a-m n-z\n\tsmudge = tr n-z a-m\n";
    repo.child(".gitattributes").write_str(rules).unwrap();
    repo.child(".git/config")
        .write_str(&[&config, drivers, settings].concat())
        .unwrap();
    let git = |args: &[&str]| {
        let mut git = isolated(std::process::Command::new("git"), repo.path());
        run(git.args(args), b"").status == 0
    };
    // What a checkout writes, if git does at all.
    std::fs::remove_file(repo.child("a.txt")).unwrap();
    if !git(&["checkout", "-q", "a.txt"]) {
        repo.child("a.txt").write_str(FILE).unwrap();
    }
    git(&["cat-file", "-e", "HEAD:a.txt"]).then_some(repo)
}

/// Applies the same by git and by us, to a copy each, and compares what comes of it.
#[track_caller]
fn compare(what: &str, repo: &Repo) {
    let targets: [&[&str]; 3] = [&["--index"], &["--cached"], &[]];
    // Which one is tried is different for each, unless all are.
    let first = what.len() % targets.len();
    for target in some(targets.iter().cycle().skip(first).take(3), 3) {
        let (ours, gits) = (repo.copied(), repo.copied());
        let args = [&["apply"], *target].concat();
        let by_git = [&["update-index", "-q", "--refresh"], &args[..]].map(|args| {
            let mut git = isolated(std::process::Command::new("git"), gits.path());
            run(git.args(args), DIFF.as_bytes())
        });
        let by_git = &by_git[1];
        let by_us = ours.run(&args, DIFF);
        assert_eq!(
            (by_us.status == 0, made(&ours)),
            (by_git.status == 0, made(&gits)),
            "{what} {target:?}: {}{}",
            by_git.stderr,
            by_us.stderr
        );
    }
}

/// Returns what is on disk and in the index. Keywords of old lines are left as they are, which is
/// what the response is about; git writes them anew.
fn made(repo: &Repo) -> (String, String) {
    let files: Vec<_> = repo.files().into_iter().collect();
    let files = format!("{files:?}");
    let (before, rest) = files.split_once("five").unwrap_or((&files, ""));
    let rest = rest.split_once(", (").map_or("", |(_, rest)| rest);
    (format!("{before} {rest}"), repo.git(&["ls-files", "-s"]))
}

#[test]
fn every_state_of_an_attribute_is_what_it_is_for_git() {
    super::support::needs(super::support::Need::Encodings);
    for (name, values) in ATTRIBUTES {
        let plain = [name.to_owned(), format!("-{name}"), format!("!{name}")];
        let worded = values.iter().chain(&["", "nonsense"]);
        let worded = worded.map(|value| format!("{name}={value}"));
        for state in plain.into_iter().chain(worded) {
            let rule = format!("*.txt {state}\n");
            let repo = scene(&rule, "").unwrap();
            match &state[..] {
                // In the index, a file is to us what a checkout would write, and to git what it
                // stores.
                "filter=rot" => {}
                // git says three errors, and goes on.
                "working-tree-encoding=nonsense" => {
                    repo.run(&["apply"], DIFF).ended(3);
                }
                _ => compare(&state, &repo),
            }
        }
    }
}

#[test]
fn every_state_of_a_setting_is_what_it_is_for_git() {
    for (key, values) in SETTINGS {
        let (section, name) = key.split_once('.').unwrap();
        let worded = values
            .iter()
            .chain(&["true", "false", "0", "1", "", "nonsense"]);
        let worded = worded.map(|value| format!("{name} = {value}"));
        for state in [name.to_owned()].into_iter().chain(worded) {
            let settings = format!("[{section}]\n\t{state}\n");
            for rule in some(["*.txt text=auto\n", ""], 2) {
                match scene(rule, &settings) {
                    Some(repo) => compare(&format!("{key}: {state} {rule}"), &repo),
                    None => assert!(state.ends_with("nonsense"), "{key}: {state}"),
                }
            }
        }
    }
}
