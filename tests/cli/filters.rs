//! Paths whose bytes git alone can convert: filter drivers, git-lfs, encodings. Every change is
//! also made by hand, with git and nothing else, and all that git can say of the two must be the
//! same.

use assert_fs::prelude::*;

use super::support::{Need, Repo, all_by_git, isolated, needs, run};
use super::{envelope, opx, update};

/// A process filter that stores capitals, and writes down that it was started and what it was asked
/// for.
const PROCESS: &str = r#"#!/usr/bin/perl
use strict;
binmode STDIN; binmode STDOUT; $| = 1;
sub note { open(my $log, '>>', "$0.log") or die; print $log "@_\n" }
sub get {
    read(STDIN, my $length, 4) == 4 or exit 0;
    my ($rest, $packet) = (hex($length) - 4, '');
    return undef if $rest < 0;
    while (length $packet < $rest) { read(STDIN, $packet, $rest - length $packet, length $packet) or exit 1 }
    return $packet;
}
sub all { my @all; while (defined(my $one = get())) { push @all, $one } @all }
sub put { printf("%04x%s", length($_) + 4, $_) for @_; print '0000' }
note('start');
all(); put("git-filter-server\n", "version=2\n");
all(); put("capability=clean\n", "capability=smudge\n");
while (1) {
    my $head = join '', all();
    my $data = join '', all();
    $head =~ /command=(\w+)\npathname=(.*)\n/;
    note("$1 $2");
    $data = $1 eq 'clean' ? uc $data : lc $data;
    put("status=success\n");
    put(unpack '(a65000)*', $data);
    print '0000';
}
"#;

const RULES: &str = "*.sed filter=sed\n*.proc filter=proc\n*.l1 working-tree-encoding=ISO-8859-1\n\
    *.u16 working-tree-encoding=UTF-16\n*.le working-tree-encoding=UTF-16LE eol=crlf\n\
    *.be working-tree-encoding=UTF-16BE\n*.sj working-tree-encoding=SHIFT-JIS\n\
    *.both filter=sed working-tree-encoding=UTF-16\n";

/// Makes a repository with drivers, one of which lies in its work tree, and rules for files that
/// have them.
fn empty() -> Repo {
    needs(Need::Perl);
    needs(Need::Encodings);
    let repo = Repo::empty();
    repo.script("tools/proc", PROCESS);
    repo.child(".gitignore").write_str("*.log\n").unwrap();
    repo.child(".gitattributes").write_str(RULES).unwrap();
    repo.git(&["config", "filter.proc.process", "tools/proc"]);
    repo.git(&["config", "filter.proc.required", "true"]);
    repo.git(&[
        "config",
        "filter.sed.clean",
        "sed -e 's/^key: .*/key: NONE/'",
    ]);
    repo.git(&[
        "config",
        "filter.sed.smudge",
        "sed -e 's/^key: NONE/key: 1234/'",
    ]);
    repo.git(&["config", "diff.renames", "false"]);
    repo.commit("rules");
    repo
}

/// The same with a file of each kind, which git has checked out.
fn scene() -> Repo {
    let repo = empty();
    for (path, text) in files() {
        write_as_git(&repo, path, text.as_bytes());
    }
    repo.commit("files");
    std::fs::remove_file(repo.child("tools/proc.log")).unwrap();
    repo
}

/// Paths and what users see in them.
fn files() -> [(&'static str, String); 9] {
    [
        ("a.sed", "one\nkey: 1234\ntwo\n".into()),
        ("a.proc", "one\ntwo\n".into()),
        ("d/b.proc", "one\nthree\n".into()),
        ("a.l1", "one\ngrün\n".into()),
        ("a.u16", "one\ngrün\n\u{1f600}\n".into()),
        ("a.le", "one\r\ngrün\r\n".into()),
        ("a.be", "one\ngrün".into()),
        ("a.sj", "one\n日本\n".into()),
        ("a.both", "one\nplain\n".into()),
    ]
}

/// Writes a file with this text as git writes it, by the rules of its path. It is staged too.
fn write_as_git(repo: &Repo, path: &str, text: &[u8]) {
    let stored = match path.rsplit_once('.').unwrap().1 {
        "proc" => text.to_ascii_uppercase(),
        "sed" => String::from_utf8(text.to_vec())
            .unwrap()
            .replace("1234", "NONE")
            .into_bytes(),
        "le" => String::from_utf8(text.to_vec())
            .unwrap()
            .replace("\r\n", "\n")
            .into_bytes(),
        _ => text.to_vec(),
    };
    let id = repo.git_with_input(&["hash-object", "-w", "--stdin", "--no-filters"], &stored);
    repo.git(&[
        "update-index",
        "--add",
        "--cacheinfo",
        &format!("100644,{},{path}", id.trim()),
    ]);
    repo.git(&["checkout-index", "-f", path]);
}

/// Demands that git can say the same of both.
#[track_caller]
fn compare(ours: &Repo, git: &Repo, what: &str) {
    for repo in [ours, git] {
        // What was touched at the same time as the index is looked into.
        repo.git(&["update-index", "-q", "--really-refresh"]);
    }
    let without_log = |repo: &Repo| {
        let mut files = repo.files();
        files.remove(std::path::Path::new("tools/proc.log"));
        files
    };
    assert_eq!(without_log(ours), without_log(git), "{what}: work trees");
    for args in [
        &["ls-files", "-s", "-v"][..],
        &["status", "--porcelain=v2", "--untracked-files=all"],
        &["fsck", "--strict", "--no-dangling"],
        &["rev-parse", "HEAD^{tree}"],
        &["diff", "HEAD"],
    ] {
        assert_eq!(ours.git(args), git.git(args), "{what}: git {args:?}");
    }
}

/// Makes the response that puts `zwei` in the place of every second line, adds a file of each kind
/// and removes one.
fn response() -> String {
    let mut sections = String::new();
    for (path, text) in files() {
        let mut lines = text.lines();
        let (first, second) = (lines.next().unwrap(), lines.next().unwrap());
        sections += &format!("*** Update File: {path}\n@@\n {first}\n-{second}\n+zwei\n");
        let ending = path.rsplit_once('.').unwrap().1;
        sections += &format!("*** Add File: new/n.{ending}\n+neu\n+letzte\n");
    }
    envelope(&sections)
}

/// Does the same by hand, so that the work tree has it and everything is staged.
fn by_hand(repo: &Repo) {
    for (path, text) in files() {
        let second = text.lines().nth(1).unwrap();
        // What an addition is made of ends with a newline.
        let ends = if text.ends_with('\n') { "" } else { "\n" };
        write_as_git(repo, path, (text.replace(second, "zwei") + ends).as_bytes());
        let (_, ending) = path.rsplit_once('.').unwrap();
        let new = if ending == "le" {
            "neu\r\nletzte\r\n"
        } else {
            "neu\nletzte\n"
        };
        write_as_git(repo, &format!("new/n.{ending}"), new.as_bytes());
    }
    repo.git(&["add", "-A"]);
}

#[test]
fn a_change_is_what_git_add_makes_of_it() {
    let base = scene();
    for target in ["", "--index", "--cached", "--commit"] {
        let (ours, git) = (base.copied(), base.copied());
        by_hand(&git);
        match target {
            "" => drop(git.git(&["reset", "-q"])),
            "--index" => {}
            "--commit" => drop(git.git(&["commit", "-q", "-m", "x"])),
            _ => {
                // An index that is put back would know of files what was true of others.
                let staged = git.git(&["write-tree"]);
                git.git(&["reset", "-q", "--hard"]);
                std::fs::remove_dir_all(git.child("new")).ok();
                git.git(&["read-tree", staged.trim()]);
            }
        }
        let args: Vec<_> = ["apply"]
            .into_iter()
            .chain((!target.is_empty()).then_some(target))
            .collect();
        let args = [
            &args[..],
            if target == "--commit" {
                &["-m", "x"]
            } else {
                &[]
            },
        ]
        .concat();
        ours.run(&args, response()).succeeded();
        let log = std::fs::read_to_string(ours.child("tools/proc.log")).unwrap_or_default();
        let starts = log.lines().filter(|line| *line == "start").count();
        // One more is of the `git commit`.
        let most = if target == "--commit" { 2 } else { 1 };
        assert!(starts <= most, "{target}: started {starts} times:\n{log}");
        compare(&ours, &git, target);
    }
}

/// Returns how often the filter process was started since the last look.
fn starts(repo: &Repo) -> usize {
    let log = repo.child("tools/proc.log");
    let said = std::fs::read_to_string(&log).unwrap_or_default();
    let _ = std::fs::remove_file(&log);
    said.lines().filter(|line| *line == "start").count()
}

#[test]
fn a_filter_process_is_started_no_more_often_than_by_git() {
    let base = scene();
    let by_git = base.copied();
    write_as_git(&by_git, "a.proc", b"one\nzwei\n");
    let diff = by_git.git(&["diff", "--cached"]);
    for (key, option) in [
        ("core.splitIndex", "--no-split-index"),
        ("core.splitIndex", "--split-index"),
        ("core.untrackedCache", "--untracked-cache"),
    ] {
        for commits in [false, true] {
            let (ours, git) = (base.copied(), base.copied());
            for repo in [&ours, &git] {
                repo.git(&["config", key, &(!option.starts_with("--no")).to_string()]);
                repo.git(&["update-index", option]);
                repo.git(&["update-index", "-q", "--really-refresh"]);
                starts(repo);
            }
            git.git_with_input(&["apply", "--index"], diff.as_bytes());
            let (args, most) = if commits {
                git.git(&["commit", "-qm", "x"]);
                (&["apply", "--commit", "-m", "x"][..], 2)
            } else {
                (&["apply", "--index"][..], 1)
            };
            ours.run(args, update("a.proc", "two", "zwei")).succeeded();
            // As each git does at most, for files as new as the index.
            for repo in [&ours, &git] {
                let starts = starts(repo);
                assert!(starts <= most, "{option} {commits}: {starts} starts");
            }
            compare(&ours, &git, option);
        }
    }
}

#[test]
fn what_is_taken_back_is_as_it_was() {
    let base = scene();
    for target in [
        &["apply"][..],
        &["apply", "--index"],
        &["apply", "--cached"],
    ] {
        let ours = base.copied();
        ours.run(target, response()).succeeded();
        ours.run(&["undo"], "").succeeded();
        compare(&ours, &base, &target.join(" "));
    }
}

#[test]
fn an_interrupted_change_is_taken_back_as_it_was() {
    let base = scene();
    let ours = base.copied();
    ours.script(".git/hooks/pre-commit", "#!/bin/sh\nexit 1\n");
    ours.run(&["apply", "--commit"], response()).ended(3);
    compare(&ours, &base, "a hook that says no");
}

#[test]
fn a_diff_is_gits_and_git_apply_takes_it() {
    let base = scene();
    let git = base.copied();
    by_hand(&git);
    for args in [
        &["diff"][..],
        &["diff", "--cached"],
        &["convert", "--to=unified"],
    ] {
        let ours = base.copied();
        ours.git(&["update-index", "-q", "--refresh"]);
        let diff = ours.run(args, response()).succeeded().stdout;
        assert_eq!(diff, git.git(&["diff", "--cached"]), "{args:?}");
        ours.git_with_input(&["apply", "--index", "-"], diff.as_bytes());
        compare(&ours, &git, "git apply");
    }
}

#[test]
fn what_is_shown_of_a_commit_is_what_users_see_and_makes_it_again() {
    let base = scene();
    let git = base.copied();
    by_hand(&git);
    git.git(&["commit", "-q", "-m", "x"]);
    for to in ["--to=envelope", "--to=opx"] {
        let shown = git.run(&["show", to, "HEAD"], "").succeeded().stdout;
        assert!(
            !shown.contains("NONE") && !shown.contains("ZWEI"),
            "{shown}"
        );
        if to == "--to=envelope" {
            assert!(
                shown.contains("key: 1234") && shown.contains("+zwei"),
                "{shown}"
            );
        }
        let ours = base.copied();
        ours.run(&["apply", "--commit", "-m", "x"], &shown)
            .succeeded();
        compare(&ours, &git, to);
    }
    let converted = base
        .run(&["convert", "--to=opx"], response())
        .succeeded()
        .stdout;
    let ours = base.copied();
    ours.run(&["apply", "--commit", "-m", "x"], converted)
        .succeeded();
    compare(&ours, &git, "convert");
}

#[test]
fn files_are_renamed_and_deleted_without_their_content() {
    let base = scene();
    for target in ["", "--index", "--cached", "--commit"] {
        let (ours, git) = (base.copied(), base.copied());
        let mut sections = String::new();
        for (number, (path, _)) in files().into_iter().enumerate() {
            if number % 2 == 0 {
                sections += &format!("*** Delete File: {path}\n");
                git.git(&[
                    "rm",
                    "-q",
                    if target == "--cached" {
                        "--cached"
                    } else {
                        "-f"
                    },
                    path,
                ]);
            } else {
                let ending = path.rsplit_once('.').unwrap().1;
                let to = format!("moved.{}.{ending}", number);
                sections += &format!("*** Update File: {path}\n*** Move to: {to}\n");
                git.git(&["mv", path, &to]);
                if target == "--cached" {
                    std::fs::rename(git.child(&to), git.child(path)).unwrap();
                }
            }
        }
        match target {
            "" => drop(git.git(&["reset", "-q"])),
            "--commit" => drop(git.git(&["commit", "-q", "-m", "x"])),
            _ => {}
        }
        let args: Vec<_> = ["apply"]
            .into_iter()
            .chain((!target.is_empty()).then_some(target))
            .collect();
        let args = [
            &args[..],
            if target == "--commit" {
                &["-m", "x"]
            } else {
                &[]
            },
        ]
        .concat();
        ours.run(&args, envelope(&sections)).succeeded();
        compare(&ours, &git, target);
    }
}

#[test]
fn rules_that_the_response_brings_are_in_force_for_its_files() {
    let base = scene();
    let new = ["*.txt filter=proc", "*.u working-tree-encoding=UTF-16"];
    let rules = format!(
        "*** Update File: .gitattributes\n@@\n+{}\n+{}\n *.sed filter=sed\n",
        new[0], new[1]
    );
    let response = envelope(&format!(
        "{rules}*** Add File: n.txt\n+neu\n*** Add File: n.u\n+neu\n"
    ));
    let git = base.copied();
    git.child(".gitattributes")
        .write_str(&format!("{}\n{RULES}", new.join("\n")))
        .unwrap();
    write_as_git(&git, "n.u", b"neu\n");
    git.child("n.txt").write_str("neu\n").unwrap();
    git.git(&["add", "-A"]);
    git.git(&["commit", "-q", "-m", "x"]);
    let ours = base.copied();
    ours.run(&["apply", "--commit", "-m", "x"], response)
        .succeeded();
    compare(&ours, &git, "new rules");
    assert_eq!(ours.git(&["show", "HEAD:n.txt"]), "NEU\n");
}

#[test]
fn what_can_not_be_converted_is_refused_and_nothing_changes() {
    let base = scene();
    let big = "*** Update File: a.be\n@@\n-one\n+ONE\n";
    // A file that isn't what its attribute says, or not as git would write it.
    for (path, bytes, says) in [
        (
            "a.u16",
            &b"one\n"[..],
            "doesn't hold what git would write so",
        ),
        (
            "a.u16",
            b"\xfe\xff\0o\0n\0e\0\n",
            "doesn't hold what git would write so",
        ),
        (
            "a.le",
            b"\xff\xfeo\0",
            "doesn't hold what git would write so",
        ),
        (
            "a.sj",
            b"one\n\xff\xff\n",
            "doesn't hold what git would write so",
        ),
    ] {
        for target in [&["apply"][..], &["check"], &["diff"]] {
            let ours = base.copied();
            ours.child(path).write_binary(bytes).unwrap();
            let before = ours.files();
            let run = ours
                .run(
                    target,
                    envelope(&format!("{big}*** Update File: {path}\n@@\n-one\n+two\n")),
                )
                .ended(3);
            assert!(run.stderr.contains(says), "{path}: {}", run.stderr);
            assert_eq!(ours.files(), before, "{path}");
            // Which doesn't keep anybody from removing it.
            ours.run(&["apply"], envelope(&format!("*** Delete File: {path}\n")))
                .succeeded();
        }
    }
    // A text that the encoding has no characters for.
    for target in [
        &["apply"][..],
        &["apply", "--index"],
        &["apply", "--cached"],
        &["check"],
    ] {
        let ours = base.copied();
        let run = ours.run(target, update("a.l1", "one", "日本")).ended(3);
        assert!(
            run.stderr
                .contains("`a.l1` is encoded on disk (working-tree-encoding=ISO-8859-1), which"),
            "{}",
            run.stderr
        );
        compare(&ours, &base, "no character");
    }
    // A driver that says no, and must not.
    let ours = base.copied();
    ours.git(&["config", "filter.sed.required", "true"]);
    ours.git(&["config", "filter.sed.clean", "false"]);
    let run = ours
        .run(&["apply", "--index"], update("a.sed", "one", "ONE"))
        .ended(3);
    assert!(
        run.stderr
            .contains("`a.sed` has a filter driver (filter=sed), and git can't store it"),
        "{}",
        run.stderr
    );
    // The work tree alone needs no driver.
    ours.run(&["apply"], update("a.sed", "one", "ONE"))
        .succeeded();
    assert_eq!(ours.text("a.sed"), "ONE\nkey: 1234\ntwo\n");
}

#[test]
fn who_wants_to_know_is_told_that_git_did_it() {
    let ours = scene();
    let run = ours
        .run(&["apply", "-v", "--index"], update("a.sed", "one", "ONE"))
        .succeeded();
    assert!(
        run.stderr
            .contains("git converts `a.sed`, which has a filter driver (filter=sed)\n"),
        "{}",
        run.stderr
    );
    let run = ours
        .run(&["check", "-v"], update("a.u16", "one", "ONE"))
        .succeeded();
    assert!(
        run.stderr
            .contains("git converts `a.u16`, which is encoded on disk"),
        "{}",
        run.stderr
    );
}

#[test]
fn the_work_tree_alone_starts_no_filter() {
    let ours = scene();
    ours.run(&["apply", "-q"], update("a.proc", "two", "zwei"))
        .succeeded();
    assert!(!ours.child("tools/proc.log").exists());
    assert_eq!(ours.text("a.proc"), "one\nzwei\n");
}

/// Makes a repository that has a file in git-lfs, which is there or, unless somebody insists,
/// isn't.
fn lfs() -> Option<Repo> {
    let repo = Repo::empty();
    let is_there = run(
        isolated(std::process::Command::new("git"), repo.path()).args(["lfs", "version"]),
        b"",
    )
    .status
        == 0;
    assert!(
        is_there || std::env::var_os("FAULTS").is_none(),
        "git-lfs is needed"
    );
    if !is_there {
        eprintln!("filters: git-lfs SKIPPED, since it isn't installed");
        return None;
    }
    repo.git(&["lfs", "install", "--local", "--skip-repo"]);
    repo.git(&["config", "diff.renames", "false"]);
    repo.child(".gitattributes")
        .write_str("*.dat filter=lfs diff=lfs merge=lfs -text\n")
        .unwrap();
    repo.child("a.dat").write_str("one\r\ntwo\n").unwrap();
    repo.child("b.dat").write_str("one\nthree\n").unwrap();
    repo.commit("base");
    Some(repo)
}

#[test]
fn files_in_lfs_are_changed_as_git_add_changes_them() {
    let Some(base) = lfs() else { return };
    let response = envelope(
        "*** Update File: a.dat\n@@\n-two\n+zwei\n*** Add File: n.dat\n+neu\n*** Update File: b.dat\n*** Move to: c.dat\n",
    );
    for target in ["--index", "--cached", "--commit"] {
        let (ours, git) = (base.copied(), base.copied());
        git.git(&["mv", "b.dat", "c.dat"]);
        git.child("a.dat").write_str("one\r\nzwei\n").unwrap();
        git.child("n.dat").write_str("neu\n").unwrap();
        git.git(&["add", "-A"]);
        if target == "--cached" {
            let staged = git.git(&["write-tree"]);
            git.git(&["reset", "-q", "--hard"]);
            git.git(&["read-tree", staged.trim()]);
        }
        let mut args = vec!["apply", target];
        if target == "--commit" {
            git.git(&["commit", "-q", "-m", "x"]);
            args.extend(["-m", "x"]);
        }
        ours.run(&args, &response).succeeded();
        compare(&ours, &git, target);
        ours.git(&["lfs", "fsck"]);
        let again = ours.copied();
        std::fs::remove_file(again.child("a.dat")).unwrap();
        again.git(&["checkout-index", "-f", "a.dat"]);
        assert_eq!(
            again.text("a.dat"),
            "one\r\nzwei\n",
            "{target}: what was stored is checked out"
        );
    }
    let ours = base.copied();
    ours.run(&["apply", "--commit", "-m", "x"], &response)
        .succeeded();
    let shown = ours
        .run(&["show", "--to=opx", "HEAD"], "")
        .succeeded()
        .stdout;
    let git = base.copied();
    git.run(&["apply", "--commit", "-m", "x"], shown)
        .succeeded();
    compare(&git, &ours, "shown");
}

#[test]
fn a_file_in_lfs_that_is_not_at_hand_is_refused_without_a_network() {
    let Some(base) = lfs() else { return };
    base.child("a.dat").write_str("one\nzwei\n").unwrap();
    base.commit("second");
    std::fs::remove_dir_all(base.child(".git/lfs/objects")).unwrap();
    // Nobody listens there, and whoever asks is seen.
    base.git(&["config", "lfs.url", "http://127.0.0.1:9/"]);
    let hint = "fetch the content first, with `git lfs pull`";
    let edit = opx("a.dat", "", "one", "ONE");
    for args in [
        &["apply", "--cached"][..],
        &["check", "--cached"],
        &["check", "--onto=HEAD"],
    ] {
        let run = base.copied().run(args, &edit).ended(3);
        assert!(
            run.stderr
                .contains("`a.dat` is only a pointer (filter=lfs), and its content isn't at hand"),
            "{}",
            run.stderr
        );
        assert!(run.stderr.contains(hint), "{}", run.stderr);
    }
    let run = base.run(&["show", "--to=envelope", "HEAD"], "").ended(3);
    assert!(
        run.stderr
            .contains("`a.dat` is only a pointer (filter=lfs)")
            && run.stderr.contains(hint),
        "{}",
        run.stderr
    );
    // In a work tree that has the pointers.
    let ours = base.copied();
    ours.git(&[
        "config",
        "filter.lfs.process",
        "git-lfs filter-process --skip",
    ]);
    ours.git(&["config", "filter.lfs.smudge", "git-lfs smudge --skip -- %f"]);
    std::fs::remove_file(ours.child("a.dat")).unwrap();
    ours.git(&["checkout", "-q", "a.dat"]);
    assert!(ours.text("a.dat").starts_with("version https://git-lfs"));
    let run = ours.run(&["apply"], &edit).ended(3);
    assert!(run.stderr.contains(hint), "{}", run.stderr);
    // Whoever moves or removes it needs no content.
    for target in ["--index", "--cached"] {
        let (ours, git) = (ours.copied(), ours.copied());
        ours.run(
            &["apply", target],
            "<edit file=\"a.dat\" op=\"move\"><to file=\"c.dat\"/></edit>\n<edit file=\"b.dat\" op=\"remove\"/>\n",
        )
        .succeeded();
        git.git(&["mv", "a.dat", "c.dat"]);
        git.git(&["rm", "-q", "-f", "b.dat"]);
        if target == "--index" {
            compare(&ours, &git, "moved");
        } else {
            assert_eq!(ours.git(&["ls-files", "-s"]), git.git(&["ls-files", "-s"]));
        }
    }
}

#[test]
fn rules_that_only_git_reads_right_are_in_force() {
    let base = Repo::empty();
    base.git(&["config", "filter.up.clean", "tr a-z A-Z"]);
    base.git(&["config", "filter.up.smudge", "tr A-Z a-z"]);
    base.child("note book.txt").write_str("one\n").unwrap();
    base.child("d/a.txt").write_str("one\n").unwrap();
    base.commit("base");
    std::fs::write(base.child(".git/elsewhere"), "*.txt filter=up\n").unwrap();
    let blob = base.git_with_input(&["hash-object", "-w", "--stdin"], b"*.txt filter=up\n");
    let tree = base.git_with_input(
        &["mktree"],
        format!("100644 blob {}\t.gitattributes\n", blob.trim()).as_bytes(),
    );
    let elsewhere = format!(
        "core.attributesFile={}",
        base.child(".git/elsewhere").path().display()
    );
    let (tree, attr_tree) = (tree.trim().to_owned(), format!("attr.tree={}", tree.trim()));
    for (rules, settings, source) in [
        ("\"note book.txt\" filter=up\n", &[][..], ""),
        ("[attr]loud filter=up\nd/a.txt loud\n", &[], ""),
        ("[attr]loud filter=up\nd/ loud\n", &[], ""),
        ("d/[a-b].txt filter=up\n*.txt -text\n", &[], ""),
        ("d/** text=auto filter=up # not a comment\n", &[], ""),
        (
            "*.txt filter=\n",
            &["-c", "core.attributesFile=/dev/null"],
            "",
        ),
        ("", &["-c", &elsewhere], ""),
        ("*.txt -filter\n", &["-c", &attr_tree], ""),
        ("*.txt -filter\n", &[], &tree),
    ] {
        let (ours, git) = (base.copied(), base.copied());
        for repo in [&ours, &git] {
            repo.child(".gitattributes").write_str(rules).unwrap();
            repo.git(&["add", ".gitattributes"]);
        }
        let mut command = isolated(std::process::Command::new("git"), git.path());
        command.args(settings).args(["add", "-A"]);
        let mut program = isolated(std::process::Command::new("git"), ours.path());
        program
            .env("PATH", super::support::path())
            .args(settings)
            .args(["llmpatch", "apply", "--index"]);
        if !source.is_empty() {
            command.env("GIT_ATTR_SOURCE", source);
            program.env("GIT_ATTR_SOURCE", source);
        }
        let paths = ["note book.txt", "d/a.txt"];
        let mut response = String::new();
        for path in paths {
            git.child(path).write_str("zwei\n").unwrap();
            response += &format!("*** Update File: {path}\n@@\n-one\n+zwei\n");
        }
        run(&mut command, b"").succeeded();
        // What is stored isn't what the rules would have of it.
        let refused = paths
            .iter()
            .any(|path| git.git(&["cat-file", "-p", &format!(":{path}")]) == "ZWEI\n");
        let run = run(&mut program, envelope(&response).as_bytes());
        if refused {
            assert!(
                run.status == 1 && run.stderr.contains("aren't staged"),
                "{rules}: {}",
                run.stderr
            );
        } else {
            assert_eq!(run.status, 0, "{rules}: {}", run.stderr);
            assert_eq!(
                ours.git(&["ls-files", "-s"]),
                git.git(&["ls-files", "-s"]),
                "{rules} {settings:?}"
            );
        }
        // A file that wasn't there can be stored in any case.
        let added = "*** Add File: d/b.txt\n+neu\n";
        git.child("d/b.txt").write_str("neu\n").unwrap();
        super::support::run(&mut command, b"").succeeded();
        let again = super::support::run(&mut program, envelope(added).as_bytes()).succeeded();
        let stored = |repo: &Repo| repo.git(&["ls-files", "-s", "d/b.txt"]);
        assert_eq!(
            stored(&ours),
            stored(&git),
            "{rules} {settings:?}: {}",
            again.stderr
        );
    }
}

#[test]
fn line_ends_that_git_add_refuses_are_refused() {
    let base = Repo::with(&[(".gitattributes", "*.txt text\n"), ("a.txt", "one\ntwo\n")]);
    base.git(&["config", "core.eol", "lf"]);
    base.child("a.txt").write_str("one\r\ntwo\r\n").unwrap();
    for (safe, status) in [("true", 3), ("warn", 0), ("false", 0)] {
        let ours = base.copied();
        ours.git(&["config", "core.safecrlf", safe]);
        let run = ours
            .run(&["apply", "--index"], update("a.txt", "two", "zwei"))
            .ended(status);
        if !all_by_git() {
            assert_eq!(
                run.stderr
                    .contains("`a.txt` has line ends that a checkout wouldn't bring back"),
                status == 3
            );
        }
        let git = base.copied();
        git.git(&["config", "core.safecrlf", safe]);
        let mut add = isolated(std::process::Command::new("git"), git.path());
        git.child("a.txt").write_str("one\r\nzwei\r\n").unwrap();
        assert_eq!(
            super::support::run(add.args(["add", "a.txt"]), b"").status == 0,
            status == 0,
            "{safe}"
        );
    }
}

#[test]
fn a_process_is_started_once_whichever_way_bytes_go() {
    let rules = "*** Update File: .gitattributes\n-*.sed filter=sed\n+*.sed filter=sed -text\n";
    for args in [
        &["apply", "--cached"][..],
        &["apply", "--index", "-3", "--base=HEAD"],
        &["apply", "--onto=HEAD"],
    ] {
        let repo = scene();
        let _ = std::fs::remove_file(repo.child("tools/proc.log"));
        let both = response().replace("*** Begin Patch\n", &format!("*** Begin Patch\n{rules}"));
        repo.run(args, both).succeeded();
        let log = repo.text("tools/proc.log");
        assert_eq!(log.matches("start").count(), 1, "{args:?}:\n{log}");
    }
}

#[test]
fn a_process_that_fails_is_taken_as_git_takes_it() {
    needs(Need::Perl);
    let diff = "--- a/a.proc\n+++ b/a.proc\n@@ -1,2 +1,2 @@\n one\n-two\n+zwei\n";
    for (what, old, new) in [
        (
            "error",
            "put(\"status=success\\n\");",
            "put(\"status=error\\n\"); next;",
        ),
        (
            "abort",
            "put(\"status=success\\n\");",
            "put(\"status=abort\\n\"); next;",
        ),
        (
            "error at the end",
            "print '0000';\n}\n",
            "put(\"status=error\\n\");\n}\n",
        ),
        ("end", "put(\"status=success\\n\");", "exit 3;"),
        (
            "other words",
            "put(\"status=success\\n\");",
            "print 'ffff';",
        ),
        ("nobody", "all(); put", "all(); exit 1; put"),
        ("version 3", "version=2", "version=3"),
        ("one way", "\"capability=clean\\n\", ", ""),
        (
            "no way",
            "\"capability=clean\\n\", \"capability=smudge\\n\"",
            "",
        ),
        ("all well", "note('start');", ""),
    ] {
        for required in ["true", "false"] {
            let base = Repo::with(&[("a.proc", "one\ntwo\n")]);
            assert!(PROCESS.contains(old), "{what}");
            base.script("tools/proc", &PROCESS.replacen(old, new, 1));
            base.child(".gitignore").write_str("/tools\n").unwrap();
            base.child(".gitattributes")
                .write_str("*.proc filter=proc\n")
                .unwrap();
            base.git(&["config", "filter.proc.process", "tools/proc"]);
            base.git(&["config", "filter.proc.clean", "tr a-z b-za"]);
            base.git(&["config", "filter.proc.required", required]);
            let mut add = isolated(std::process::Command::new("git"), base.path());
            run(add.args(["add", "--renormalize", "."]), b"");
            let (ours, git) = (base.copied(), base.copied());
            let mut add = isolated(std::process::Command::new("git"), git.path());
            git.child("a.proc").write_str("one\nzwei\n").unwrap();
            let by_git = run(add.args(["add", "a.proc"]), b"");
            let by_us = ours.run(&["apply", "--index"], diff);
            let staged = |repo: &Repo| repo.git(&["ls-files", "-s"]);
            assert_eq!(
                (by_us.status == 0, staged(&ours)),
                (by_git.status == 0, staged(&git)),
                "{what}, required={required}: {}{}",
                by_git.stderr,
                by_us.stderr
            );
        }
    }
}
