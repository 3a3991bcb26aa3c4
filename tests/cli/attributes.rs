//! Attributes that differ between two paths, or that the response itself changes: what is staged,
//! and what is on disk, is what git alone comes to.
//!
//! What git comes to is built step by step: what `git mv` and `git add` leave stays if `git status`
//! sees no modification in it, even when every file is read anew. Else the files are checked out
//! anew, since git could not have left them so; and what even that doesn't settle, since the stored
//! form isn't that of the attributes, is added.

use assert_fs::prelude::*;

use super::support::{Repo, all_by_git, some};

/// Directories, and the attributes of the files in them.
const RULES: [(&str, &str); 7] = [
    ("none", ""),
    ("crlf", "eol=crlf"),
    ("lf", "eol=lf"),
    ("text", "text"),
    ("auto", "text=auto"),
    ("ident", "ident"),
    ("binary", "-text"),
];

const CONTENTS: [(&str, &str); 4] = [
    ("lf", "one\ntwo\n"),
    ("crlf", "one\r\ntwo\r\n"),
    ("mixed", "one\r\ntwo\n"),
    ("id", "one\n$Id: 12 $\ntwo\n"),
];

const SETTINGS: [&str; 3] = ["false", "true", "input"];

/// Makes a repository in which every directory has a file of each content for each directory, named
/// after both. Half of them were added before `core.autocrlf` was set.
fn scene(setting: &str) -> Repo {
    let repo = Repo::empty();
    repo.git(&["config", "core.safecrlf", "false"]);
    repo.git(&["config", "diff.renames", "false"]);
    let rules: String = RULES
        .iter()
        .map(|(name, rule)| format!("{name}/* {rule}\n"))
        .collect();
    repo.child(".gitattributes").write_str(&rules).unwrap();
    for time in ["early", "late"] {
        for (file, content) in files(time) {
            repo.child(&file).write_str(content).unwrap();
        }
        repo.commit(time);
        repo.git(&["config", "core.autocrlf", setting]);
    }
    repo
}

fn files(time: &str) -> Vec<(String, &'static str)> {
    let mut files = Vec::new();
    for (from, _) in RULES {
        for (to, _) in RULES {
            files.extend(
                CONTENTS
                    .map(|(name, content)| (format!("{from}/{from}-{to}-{time}-{name}"), content)),
            );
        }
    }
    files
}

/// Returns the paths that `git status` calls modified in the work tree when it trusts no time
/// stamp.
fn modified(repo: &Repo) -> Vec<String> {
    let all = repo.git(&["ls-files", "-z"]);
    for path in all
        .split_terminator('\0')
        .filter(|path| repo.child(path).exists())
    {
        let file = std::fs::File::options()
            .write(true)
            .open(repo.child(path))
            .unwrap();
        file.set_modified(std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000_000))
            .unwrap();
    }
    let status = repo.git(&["status", "--porcelain", "-z", "--no-renames"]);
    let status = status
        .split_terminator('\0')
        .filter(|entry| &entry[1..2] != " ");
    status.map(|entry| entry[3..].to_owned()).collect()
}

/// Does what the head of this file says.
fn settle(repo: &Repo) {
    let on_paths = |args: &[&str], paths: &[String]| {
        let input: String = paths.iter().map(|path| format!("{path}\0")).collect();
        repo.git_with_input(args, input.as_bytes());
    };
    let unsettled = modified(repo);
    on_paths(&["checkout-index", "-q", "-f", "-z", "--stdin"], &unsettled);
    let unsettled = modified(repo);
    on_paths(
        &["add", "--pathspec-from-file=-", "--pathspec-file-nul"],
        &unsettled,
    );
    assert_eq!(modified(repo), [""; 0], "git itself is satisfied");
}

/// Demands the same on disk and in the index.
#[track_caller]
fn compare(ours: &Repo, git: &Repo, what: &str) {
    let staged = |repo: &Repo| repo.git(&["ls-files", "-s"]);
    let (left, right) = (staged(ours), staged(git));
    let differing = left
        .lines()
        .zip(right.lines())
        .find(|(left, right)| left != right);
    assert!(
        left == right,
        "{what}: staged, ours and git's: {differing:?}"
    );
    let here = ours.files();
    for (path, file) in git.files() {
        assert_eq!(here.get(&path), Some(&file), "{what}: {}", path.display());
    }
    assert_eq!(
        ours.git(&["diff", "--cached"]),
        git.git(&["diff", "--cached"]),
        "{what}"
    );
    assert_eq!(modified(ours), [""; 0], "{what}: nothing is modified");
}

#[test]
fn what_is_renamed_between_attributes_is_what_git_mv_makes_of_it() {
    for setting in SETTINGS {
        let ours = scene(setting);
        let git = ours.copied();
        let mut response = String::new();
        for (from, _) in RULES {
            for (to, _) in RULES.iter().filter(|(to, _)| *to != from) {
                let names = CONTENTS
                    .iter()
                    .flat_map(|(name, _)| [format!("early-{name}"), format!("late-{name}")]);
                let names: Vec<_> = names.map(|name| format!("{from}-{to}-{name}")).collect();
                for name in &names {
                    response +=
                        &format!("*** Update File: {from}/{name}\n*** Move to: {to}/{name}\n");
                }
                let old: Vec<_> = names.iter().map(|name| format!("{from}/{name}")).collect();
                let old = old.iter().map(String::as_str);
                git.git(
                    &["mv"]
                        .into_iter()
                        .chain(old)
                        .chain([*to])
                        .collect::<Vec<_>>(),
                );
            }
        }
        settle(&git);
        let plain = ours.copied();
        let response = format!("*** Begin Patch\n{response}*** End Patch\n");
        let printed = ours
            .run(&["apply", "--index", "--diff", "--apply"], &response)
            .succeeded()
            .stdout;
        compare(&ours, &git, setting);
        assert!(
            printed == git.git(&["diff", "--cached", "--binary"]),
            "{setting}: the diff is git's"
        );
        plain.run(&["apply"], &response).succeeded();
        assert_eq!(plain.files(), git.files(), "{setting}: the work tree alone");
    }
}

/// What the response makes of the rules: the file that holds them, and its lines before and after.
const CHANGES: [(&str, &str, &str); 14] = [
    (".gitattributes", "", "*.txt text\n"),
    (".gitattributes", "", "*.txt eol=crlf\n"),
    (".gitattributes", "", "*.txt text=auto\n"),
    (".gitattributes", "", "*.txt text=auto eol=crlf\n"),
    (".gitattributes", "", "*.txt ident\n"),
    (".gitattributes", "*.txt eol=crlf\n", ""),
    (".gitattributes", "*.txt text=auto eol=crlf\n", ""),
    (".gitattributes", "*.txt ident\n", ""),
    (".gitattributes", "*.txt eol=crlf\n", "*.txt -text\n"),
    (
        ".gitattributes",
        "*.txt -text\n",
        "[attr]lines eol=crlf\n*.txt lines\n",
    ),
    ("d/.gitattributes", "", "*.txt eol=crlf\n"),
    ("d/.gitattributes", "*.txt eol=crlf\n", ""),
    ("d/.gitattributes", "*.txt text\n", "*.rs text\n"),
    ("d/e/.gitattributes", "", "*.txt eol=crlf\n"),
];

#[test]
fn rules_that_the_response_brings_are_in_force_for_its_files() {
    let all = SETTINGS
        .iter()
        .flat_map(|setting| CHANGES.map(|change| (setting, change)));
    for (setting, (rules, before, after)) in some(all, 5) {
        let ours = Repo::empty();
        ours.git(&["config", "core.safecrlf", "false"]);
        if !before.is_empty() {
            ours.child(rules).write_str(before).unwrap();
        }
        for (name, content) in CONTENTS {
            ours.child(format!("d/e/{name}.txt"))
                .write_str(content)
                .unwrap();
        }
        ours.commit("early");
        ours.git(&["config", "core.autocrlf", setting]);
        ours.child("d/late.txt")
            .write_str("one\r\ntwo\r\n")
            .unwrap();
        ours.commit("late");
        let git = ours.copied();
        let (what, mut response) = (
            format!("{rules}: {before:?} to {after:?} with {setting}"),
            String::new(),
        );
        let changed = CONTENTS.map(|(name, _)| format!("d/e/{name}.txt"));
        for path in changed.iter().map(String::as_str).chain(["d/late.txt"]) {
            let ending = if ours.text(path).contains("one\r\n") {
                "\r\n"
            } else {
                "\n"
            };
            git.child(path)
                .write_str(
                    &ours
                        .text(path)
                        .replacen("one", &format!("one{ending}more"), 1),
                )
                .unwrap();
            response += &format!("*** Update File: {path}\n one\n+more\n");
        }
        response += "*** Add File: d/e/new.txt\n+new\n+$Id$\n";
        git.child("d/e/new.txt").write_str("new\n$Id$\n").unwrap();
        git.git(&["add", "-A"]);
        // The rules are last in the response, and govern what is before them.
        match (before, after) {
            (_, "") => response += &format!("*** Delete File: {rules}\n"),
            ("", _) => {
                response += &format!(
                    "*** Add File: {rules}\n+{}\n",
                    after.trim_end().replace('\n', "\n+")
                )
            }
            _ => {
                let plus = after.trim_end().replace('\n', "\n+");
                response += &format!("*** Update File: {rules}\n-{before}+{plus}\n");
            }
        }
        std::fs::remove_file(git.path().join(rules)).ok();
        if !after.is_empty() {
            git.child(rules).write_str(after).unwrap();
        }
        git.git(&["add", "-A", rules]);
        // A new file is what a checkout writes.
        for new in ["d/e/new.txt", rules]
            .iter()
            .filter(|new| **new != rules || before.is_empty())
        {
            std::fs::remove_file(git.path().join(new)).unwrap();
            git.git(&["checkout-index", new]);
        }
        settle(&git);

        let response = format!("*** Begin Patch\n{response}*** End Patch\n");
        let (committed, plain) = (ours.copied(), ours.copied());
        let printed = ours
            .run(&["apply", "--index", "--diff", "--apply"], &response)
            .succeeded()
            .stdout;
        compare(&ours, &git, &what);
        assert!(
            printed == git.git(&["diff", "--cached"]),
            "{what}: the diff is git's"
        );
        plain.run(&["apply"], &response).succeeded();
        assert_eq!(plain.files(), git.files(), "{what}: the work tree alone");
        let plan = |args: &[&str]| committed.run(args, &response).succeeded().stderr;
        assert_eq!(
            plan(&["apply", "--check"]),
            plan(&["apply", "--index", "--check"]),
            "{what}"
        );
        committed.run(&["apply", "--commit"], &response).succeeded();
        assert_eq!(
            committed.git(&["rev-parse", "HEAD:"]).trim(),
            git.git(&["write-tree"]).trim(),
            "{what}"
        );
        assert_eq!(
            modified(&committed),
            [""; 0],
            "{what}: nothing is modified after the commit"
        );
        ours.run(&["undo"], "").succeeded();
        assert_eq!(
            ours.git(&["status", "--porcelain"]),
            "",
            "{what}: after undo"
        );
    }
}

#[test]
fn the_index_alone_is_changed_byte_for_byte_whatever_the_rules_become() {
    let repo = Repo::with(&[("a.txt", "one\r\ntwo\r\n")]);
    let git = repo.copied();
    let response = "*** Begin Patch\n*** Add File: .gitattributes\n+*.txt text\n*** Update File: a.txt\n-two\n+2\n*** End Patch\n";
    let diff = repo.run(&["diff", "--cached"], response).succeeded().stdout;
    git.git_with_input(&["apply", "--cached"], diff.as_bytes());
    repo.run(&["apply", "--cached"], response).succeeded();
    assert_eq!(repo.git(&["ls-files", "-s"]), git.git(&["ls-files", "-s"]));
}

#[test]
fn rules_that_cannot_be_followed_are_refused_before_they_are_there() {
    for (rule, what) in [
        (
            "filter=rot",
            "has a filter driver (filter=rot), and git can't store it",
        ),
        (
            "working-tree-encoding=ascii",
            "is encoded on disk (working-tree-encoding=ascii), which can't encode some of",
        ),
    ] {
        let repo = Repo::with(&[("a.txt", "öne\ntwo\n")]);
        repo.git(&["config", "filter.rot.clean", "false"]);
        repo.git(&["config", "filter.rot.required", "true"]);
        let sections = format!(
            "*** Update File: a.txt\n-two\n+2\n*** Add File: .gitattributes\n+*.txt {rule}\n"
        );
        let run = repo
            .run(
                &["apply", "--index"],
                format!("*** Begin Patch\n{sections}*** End Patch\n"),
            )
            .ended(3);
        assert!(
            run.stderr
                .contains(&format!("error[repository]: `a.txt` {what}")),
            "{}",
            run.stderr
        );
        assert_eq!(repo.git(&["status", "--porcelain"]), "");
    }
}

/// Who converts is a matter of speed: the whole command line is tried with each (`BACKEND=git`),
/// here every rule and content is.
#[test]
fn git_converts_everything_where_it_is_asked_to() {
    if all_by_git() {
        return;
    }
    for setting in SETTINGS {
        let base = scene(setting);
        let hunks = |time| -> String {
            let files = files(time);
            files
                .iter()
                .map(|(path, _)| format!("*** Update File: {path}\n@@\n-two\n+zwei\n"))
                .collect()
        };
        let results = ["auto", "libgit2", "git"].map(|backend| {
            let repo = base.copied();
            repo.git(&["config", "llmpatch.backend", backend]);
            let run = repo
                .run(
                    &["apply", "--index", "-v"],
                    super::envelope(&hunks("early")),
                )
                .succeeded();
            assert_eq!(
                run.stderr
                    .contains("is git's to convert (llmpatch.backend=git)"),
                backend == "git",
                "{}",
                run.stderr
            );
            repo.git(&["config", "--unset", "llmpatch.backend"]);
            (
                repo.git(&["ls-files", "-s"]),
                repo.git(&["status", "--porcelain"]),
                repo.files(),
            )
        });
        assert_eq!(results[0], results[1], "{setting}");
        assert_eq!(results[0], results[2], "{setting}");
    }
    let repo = scene("false");
    repo.git(&["config", "llmpatch.backend", "mine"]);
    let run = repo
        .run(&["check"], super::envelope("*** Add File: new\n+new\n"))
        .ended(2);
    assert!(
        run.stderr.contains("`llmpatch.backend`")
            && run.stderr.contains("`auto`, `libgit2` or `git`"),
        "{}",
        run.stderr
    );
}
