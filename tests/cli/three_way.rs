//! `--3way`: a response that was worked out on its base is merged with what is there now, as git
//! merges.

use assert_fs::prelude::*;

use super::support::{Repo, in_full, isolated, run, some};
use super::{envelope, update};

const BASE: &str = "--base=HEAD~1";

/// Makes numbered lines, some of them others.
fn lines(others: &[usize], word: &str) -> String {
    (0..14)
        .map(|n| {
            if others.contains(&n) {
                format!("{word} {n}\n")
            } else {
                format!("line {n}\n")
            }
        })
        .collect()
}

/// Makes a repository with a file as it was in a first commit, and as it is in a second.
fn history(was: &str, now: &str) -> Repo {
    let repo = Repo::with(&[("a.txt", was), ("b.txt", "b\n"), ("d/d.txt", "d\n")]);
    repo.child("a.txt").write_str(now).unwrap();
    repo.commit("now");
    repo
}

/// Whatever lines the two sides change: the same result as `git merge-file`, and a refusal where it
/// finds a conflict.
#[test]
fn files_are_merged_as_git_merge_file_merges_them() {
    let (mut clean, mut conflicts) = (0, 0);
    let base = lines(&[], "");
    let sides = [&[0][..], &[5], &[6, 7], &[13], &[0, 13], &[]];
    let all = sides.into_iter().flat_map(|here| {
        let of = move |there| ["same", "other"].map(|word| (here, there, word));
        [0, 4, 5, 6, 8, 12, 13].into_iter().flat_map(of)
    });
    for (here, there, word) in some(all, 5) {
        let repo = history(&base, &lines(here, "same"));
        let want = lines(&[there], word);
        for (name, text) in [
            ("base", &base),
            ("here", &lines(here, "same")),
            ("there", &want),
        ] {
            repo.child(format!("../{name}")).write_str(text).unwrap();
        }
        let mut command = isolated(std::process::Command::new("git"), repo.path());
        let merged = run(
            command.args(["merge-file", "-p", "../here", "../base", "../there"]),
            b"",
        );
        let response = update(
            "a.txt",
            &format!("line {there}"),
            &format!("{word} {there}"),
        );
        let ours = repo.run(&["apply", "--3way", BASE, "--allow-empty"], &response);
        let told = format!("{here:?} {there} {word}: {}", ours.stderr);
        if merged.status == 0 {
            assert_eq!(
                (ours.status, repo.text("a.txt")),
                (0, merged.stdout),
                "{told}"
            );
            clean += 1;
        } else {
            assert_eq!(
                (ours.status, repo.text("a.txt")),
                (1, lines(here, "same")),
                "{told}"
            );
            assert!(
                told.contains(
                    "error[stale]: `a.txt` can't be merged: the same lines were changed here"
                ),
                "{told}"
            );
            assert!(
                told.contains("<<<<<<< here") && told.contains(">>>>>>> response"),
                "{told}"
            );
            conflicts += 1;
        }
    }
    let least = if in_full() { (40, 10) } else { (8, 2) };
    assert!(
        clean > least.0 && conflicts > least.1,
        "{clean} clean, {conflicts} conflicts"
    );
}

/// Commits that come of it are those of `git cherry-pick`.
#[test]
fn trees_are_those_of_cherry_pick() {
    let sections = [
        "*** Update File: a.txt\n@@\n-line 8\n+eight\n",
        "*** Update File: a.txt\n*** Move to: d/moved.txt\n@@\n-line 8\n+eight\n",
        "*** Add File: n/n.txt\n+n\n*** Update File: a.txt\n@@\n-line 12\n+twelve\n",
        "*** Delete File: b.txt\n*** Add File: b.txt/in.txt\n+in\n",
        "*** Delete File: d/d.txt\n*** Add File: d\n+d\n",
        "*** Delete File: b.txt\n*** Update File: a.txt\n@@\n line 9\n+more\n",
    ];
    let targets = [&["--commit", "-mx"][..], &["--index"], &["--cached"]];
    let all = sections
        .into_iter()
        .flat_map(|section| targets.map(|target| (section, target)));
    for (section, target) in some(all, 5) {
        let repo = history(&lines(&[], ""), &lines(&[1, 2], "now"));
        let response = envelope(section);
        repo.git(&["checkout", "-q", "-b", "picked", "HEAD~1"]);
        repo.run(&["apply", "--commit", "-mx"], &response)
            .succeeded();
        repo.git(&["checkout", "-q", "main"]);
        repo.run(&[&["apply", "-3", BASE], target].concat(), &response)
            .succeeded();
        let ours = repo.git(&["write-tree"]);
        repo.git(&["reset", "-q", "--hard", "main"]);
        if target[0] == "--commit" {
            repo.git(&["reset", "-q", "--hard", "HEAD~1"]);
        }
        repo.git(&["cherry-pick", "picked"]);
        assert_eq!(ours, repo.git(&["write-tree"]), "{section} {target:?}");
    }
}

#[test]
fn what_one_side_removes_and_the_other_changes_is_in_conflict() {
    let repo = history("one\ntwo\n", "one\nzwei\n");
    repo.git(&["rm", "-q", "b.txt"]);
    repo.child("n.txt").write_str("n\n").unwrap();
    let before = repo.files();
    for (section, why) in [
        (
            "*** Delete File: a.txt\n",
            "the response removes it, but it was changed since the base",
        ),
        (
            "*** Update File: b.txt\n@@\n-b\n+B\n",
            "the response changes it, but it was removed since the base",
        ),
        (
            "*** Add File: n.txt\n+m\n",
            "the response adds it, but it was added since the base with other content",
        ),
    ] {
        let said = repo
            .run(&["apply", "-3", BASE], envelope(section))
            .ended(1)
            .stderr;
        assert!(
            said.starts_with("error[stale]: ") && said.contains(why),
            "{said}"
        );
        assert!(
            said.ends_with("nothing was changed\n") && repo.files() == before,
            "{said}"
        );
    }
    // Both did the same.
    let both = envelope("*** Delete File: b.txt\n*** Add File: n.txt\n+n\n");
    repo.run(&["apply", "-3", BASE, "--allow-empty"], &both)
        .succeeded();
    assert_eq!(repo.files(), before);
}

#[test]
fn line_ends_modes_and_attributes_are_heeded() {
    let repo = history(&lines(&[], ""), &lines(&[1], "now"));
    repo.child(".gitattributes")
        .write_str("a.txt text eol=crlf\n")
        .unwrap();
    let crlf = |text: String| text.replace('\n', "\r\n");
    repo.child("a.txt")
        .write_str(&crlf(lines(&[1], "now")))
        .unwrap();
    repo.chmod("a.txt", 0o755);
    let response = update("a.txt", "line 9", "nine");
    repo.run(&["apply", "-3", BASE], &response).succeeded();
    assert_eq!(
        repo.text("a.txt"),
        crlf(lines(&[1], "now")).replace("line 9", "nine")
    );
    assert_eq!(repo.mode("a.txt"), 0o755);
    repo.run(&["undo"], "").succeeded();
    assert_eq!(repo.text("a.txt"), crlf(lines(&[1], "now")));
    for (attribute, status, said) in [
        ("merge=union", 0, ""),
        ("-merge", 1, "the attribute `merge` or"),
        ("merge=binary", 1, "the attribute `merge` or"),
        // Nobody configured it.
        ("merge=ours", 0, ""),
    ] {
        repo.child(".gitattributes")
            .write_str(&format!("a.txt {attribute}\n"))
            .unwrap();
        repo.child("a.txt").write_str(&lines(&[1], "now")).unwrap();
        let run = repo.run(&["check", "-3", BASE], &response).ended(status);
        assert!(run.stderr.contains(said), "{attribute}: {}", run.stderr);
    }
}

/// What `merge.default` names is used where no attribute says anything.
#[test]
fn the_default_driver_is_obeyed() {
    super::support::needs(super::support::Need::Shell);
    let response = update("a.txt", "line 3", "there");
    for (attribute, default, status) in [
        ("", "own", 0),
        ("", "union", 0),
        ("", "binary", 1),
        ("", "nobodys", 1),
        ("a.txt merge\n", "own", 1),
        ("a.txt merge=text\n", "own", 1),
        ("a.txt -merge\n", "own", 1),
        ("a.txt merge=own\n", "binary", 0),
    ] {
        let repo = history(&lines(&[], ""), &lines(&[3], "now"));
        repo.git(&["config", "merge.default", default]);
        repo.git(&["config", "merge.own.driver", "cat %B >%A"]);
        repo.child(".git/info/attributes")
            .write_str(attribute)
            .unwrap();
        repo.git(&["checkout", "-q", "-b", "picked", "HEAD~1"]);
        repo.run(&["apply", "--commit", "-mx"], &response)
            .succeeded();
        repo.git(&["checkout", "-q", "main"]);
        let theirs = repo.copied();
        let mut git = isolated(std::process::Command::new("git"), theirs.path());
        run(git.args(["cherry-pick", "-n", "picked"]), b"").ended(status);
        let ours = repo.run(&["apply", "-3", BASE], &response).ended(status);
        if status == 0 {
            assert_eq!(repo.text("a.txt"), theirs.text("a.txt"), "{}", ours.stderr);
        }
    }
}

#[test]
fn drivers_merge_as_git_has_them_merge() {
    super::support::needs(super::support::Need::Shell);
    let response = update("a.txt", "line 3", "there");
    for (driver, status) in [
        ("git merge-file --union %A %O %B", 0),
        ("cat %B >%A", 0),
        ("printf '%%s %%s' %P %L >%A; echo >>%A; exit 1", 1),
        ("exit 1", 1),
    ] {
        let repo = history(&lines(&[], ""), &lines(&[3], "now"));
        repo.git(&["config", "merge.own.driver", driver]);
        repo.child(".git/info/attributes")
            .write_str("a.txt merge=own conflict-marker-size=9\n")
            .unwrap();
        repo.git(&["checkout", "-q", "-b", "picked", "HEAD~1"]);
        repo.run(&["apply", "--commit", "-mx"], &response)
            .succeeded();
        repo.git(&["checkout", "-q", "main"]);
        let theirs = repo.copied();
        let mut git = isolated(std::process::Command::new("git"), theirs.path());
        run(git.args(["cherry-pick", "-n", "picked"]), b"").ended(status);
        let ours = repo.run(
            &["apply", "-3", BASE, "--conflicts=markers", "--allow-empty"],
            &response,
        );
        assert_eq!(
            ours.status,
            if status == 0 { 0 } else { 4 },
            "{driver}: {}",
            ours.stderr
        );
        assert_eq!(repo.files(), theirs.files(), "{driver}");
        assert_eq!(
            repo.git(&["ls-files", "-s"]),
            theirs.git(&["ls-files", "-s"]),
            "{driver}"
        );
    }
}

/// Where all files are new, nothing has to be merged; git takes such a diff with `-3`, too.
#[test]
fn what_only_adds_files_needs_no_base() {
    let diff =
        "diff --git a/n b/n\nnew file mode 100644\n--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+n\n";
    let added = envelope("*** Add File: n\n+n\n");
    for response in [diff, &added] {
        let repo = Repo::with(&[("a.txt", "a\n")]);
        repo.run(&["apply", "-3"], response).succeeded();
        assert_eq!(repo.text("n"), "n\n");
        repo.child("n").write_str("other\n").unwrap();
        let refused = repo.run(&["apply", "-3"], response).ended(1);
        assert!(refused.stderr.contains("error[file-exists]"));
    }
}

#[test]
fn what_was_made_since_the_base_is_told_as_that() {
    let repo = history("one\ntwo\n", "one\n2\n");
    let made = update("a.txt", "two", "2");
    for args in [&["apply"][..], &["apply", "--commit"], &["check"]] {
        let run = repo.run(&[args, &[BASE, "-3"]].concat(), &made).ended(1);
        assert!(
            run.stderr.starts_with(
                "error[unchanged]: nothing to do: `a.txt` is already as the patch wants it\n"
            ),
            "{}",
            run.stderr
        );
    }
    let run = repo.run(&["apply", BASE, "-3", "--allow-empty"], &made);
    assert_eq!(run.succeeded().stdout, " 0 files changed\n");

    // What conflicts is shown line by line, at its edit.
    let other = update("a.txt", "two", "zwei");
    let run = repo.run(&["apply", BASE, "-3"], &other).ended(1);
    assert!(run.stderr.contains("\n --> <stdin>:2:1"), "{}", run.stderr);
    let told = repo
        .run(&["apply", BASE, "-3", "--feedback"], &other)
        .ended(1);
    let sides =
        "\nThe two sides are:\n\n```\n<<<<<<< here\n2\n=======\nzwei\n>>>>>>> response\n```\n";
    assert!(told.stdout.contains(sides), "{}", told.stdout);
}

#[test]
fn a_file_that_is_only_in_the_work_tree_is_told_where_the_index_counts() {
    let repo = history("one\n", "1\n");
    repo.child("new.txt").write_str("u\n").unwrap();
    let run = repo
        .run(&["apply", "--cached"], update("new.txt", "u", "U"))
        .ended(1);
    let want = "error[file-missing]: `new.txt` isn't in the index, though the work tree has it\n";
    assert!(run.stderr.starts_with(want), "{}", run.stderr);
    repo.git(&["add", "new.txt"]);
    repo.run(&["apply", "--cached"], update("new.txt", "u", "U"))
        .succeeded();
}
