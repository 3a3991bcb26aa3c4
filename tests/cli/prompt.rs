//! `prompt`: short, and every example in it applies.

use assert_fs::prelude::*;

use crate::support::{Repo, symlink};

/// Returns the fenced blocks of a text.
fn blocks(text: &str) -> Vec<String> {
    text.split("```\n")
        .skip(1)
        .step_by(2)
        .map(str::to_owned)
        .collect()
}

#[test]
fn every_example_applies_without_a_warning() {
    for (format, count) in [("envelope", 3), ("opx", 3), ("blocks", 2), ("tool", 1)] {
        let printed = Repo::empty()
            .run(&["prompt", format], "")
            .succeeded()
            .stdout;
        assert!(
            printed.lines().count() < 60,
            "{format}: {} lines",
            printed.lines().count()
        );
        let blocks = blocks(&printed);
        let (before, patches) = blocks.split_first().unwrap();
        assert_eq!(patches.len(), count, "{format}");
        for patch in patches {
            let repo = Repo::with(&[("src/greet.py", before)]);
            repo.git(&["config", "llmpatch.unique", "true"]);
            repo.git(&["config", "llmpatch.strict", "true"]);
            // What is taught is the bare format.
            let run = repo
                .run(&["apply"], format!("So:\n```\n{patch}```\n"))
                .succeeded();
            assert_eq!(run.stderr, "", "{format}:\n{patch}");
        }
        // And all of them show each thing that the format can do.
        let all = patches.concat();
        let operations: &[&str] = match format {
            "blocks" => &["SEARCH\n=======", "=======\n>>>>>>> REPLACE"],
            "tool" => &[
                "\"old_string\"",
                "\"content\"",
                "\"move_to\"",
                "delete_file",
            ],
            "opx" => &[
                "\"new\"",
                "\"patch\"",
                "\"replace\"",
                "\"remove\"",
                "\"move\"",
            ],
            _ => &[
                "*** Add File",
                "*** Update File",
                "*** Delete File",
                "*** Move to",
            ],
        };
        operations
            .iter()
            .for_each(|operation| assert!(all.contains(operation), "{format}: {operation}"));
    }
}

#[test]
fn the_envelope_is_what_is_taught_unless_said() {
    let repo = Repo::empty();
    assert_eq!(
        repo.run(&["prompt"], "").succeeded().stdout,
        repo.run(&["prompt", "envelope"], "").succeeded().stdout
    );
}

/// Returns what stands in the last fence of a text.
fn last_block(text: &str) -> String {
    let lines: Vec<_> = text.lines().collect();
    let fence = lines.last().unwrap();
    assert!(
        fence.len() >= 3 && fence.bytes().all(|byte| byte == b'`'),
        "{text}"
    );
    let start = lines[..lines.len() - 1]
        .iter()
        .rposition(|line| line == fence)
        .unwrap();
    lines[start + 1..lines.len() - 1]
        .iter()
        .map(|line| format!("{line}\n"))
        .collect()
}

#[test]
fn an_example_is_drawn_from_a_commit_and_makes_it() {
    let repo = Repo::with(&[
        ("a.rs", "fn a() {}\nfn b() {}\n"),
        ("old.md", "1\n2\n3\n"),
        ("gone", "x\n"),
    ]);
    repo.child("a.rs")
        .write_str("fn a() {}\nfn c() {}\n")
        .unwrap();
    repo.child("new.md")
        .write_str("# Fences\n````\n```\nx\n```\n````\n")
        .unwrap();
    repo.git(&["mv", "old.md", "moved.md"]);
    repo.git(&["rm", "-q", "gone"]);
    repo.commit("Say c,\n\nnot b");
    repo.git(&["tag", "second"]);
    repo.child("a.rs").write_str("fn d() {}\n").unwrap();
    repo.commit("Later");
    for (format, tagged) in [
        ("envelope", "second"),
        ("opx", "second"),
        ("opx", "second~"),
        ("envelope", "HEAD"),
        ("blocks", "HEAD"),
        ("tool", "second"),
    ] {
        let plain = repo.run(&["prompt", format], "").succeeded().stdout;
        let printed = repo
            .run(&["prompt", format, &format!("--example={tagged}")], "")
            .succeeded()
            .stdout;
        let example = printed.strip_prefix(&plain).unwrap();
        assert!(
            example.starts_with("\nAn example from this repository, for “"),
            "{example}"
        );
        let patch = last_block(&printed);
        let shown = repo
            .run(&["show", &format!("--to={format}"), tagged], "")
            .succeeded()
            .stdout;
        assert!(shown.ends_with(&patch), "{shown}");
        // It applies to what was before, and makes the commit's tree of it.
        match tagged {
            "second~" => repo.git(&["read-tree", "--empty"]),
            _ => repo.git(&["read-tree", &format!("{tagged}~")]),
        };
        repo.run(&["apply", "--cached", "--strict", "--unique"], &patch)
            .succeeded();
        assert_eq!(
            repo.git(&["write-tree"]),
            repo.git(&["rev-parse", &format!("{tagged}^{{tree}}")]),
            "{format} {tagged}"
        );
    }
}

#[test]
fn what_is_no_example_is_refused() {
    let repo = Repo::with(&[("a", "a\n")]);
    repo.commit("empty");
    symlink("a", repo.child("link"));
    repo.commit("link");
    repo.git(&["checkout", "-q", "-b", "side", "HEAD~"]);
    repo.git(&["commit", "-q", "--allow-empty", "-m", "side"]);
    repo.git(&["merge", "-q", "-m", "merge", "main"]);
    for (named, status, said) in [
        ("main", 1, "link"),
        ("main~", 1, "changes no file"),
        ("side", 1, "is a merge"),
        ("main~2..main", 2, "doesn't name one commit"),
        ("nowhere", 2, "names no commit"),
    ] {
        let run = repo
            .run(&["prompt", &format!("--example={named}")], "")
            .ended(status);
        assert!(
            run.stdout.is_empty() && run.stderr.contains(said),
            "{named}: {}{}",
            run.stdout,
            run.stderr
        );
    }
    let nowhere = assert_fs::TempDir::new().unwrap();
    let mut command = crate::support::isolated(
        std::process::Command::new(crate::support::program()),
        nowhere.path(),
    );
    let run = crate::support::run(command.args(["prompt", "--example=HEAD"]), b"").ended(3);
    assert!(
        run.stderr.contains("is not inside a git repository"),
        "{}",
        run.stderr
    );
}
