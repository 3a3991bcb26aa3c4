//! `batch`: each candidate is compared with what `apply --onto` makes of it alone, and what is
//! written with what git reads.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Command, Stdio};
use std::time::Duration;

use assert_fs::prelude::*;
use serde_json::{Value, json};

use super::onto::{base, changes};
use super::support::{Repo, Run, isolated, run, some};
use super::{envelope, update};

fn line(id: impl Into<Value>, response: &str) -> String {
    format!("{}\n", json!({"id": id.into(), "response": response}))
}

fn answers(run: &Run) -> Vec<Value> {
    run.stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// Removes all results, and what keeps them.
fn forget(repo: &Repo) {
    let names = repo.git(&["for-each-ref", "--format=%(refname)", "refs/llmpatch"]);
    for name in names.lines() {
        repo.git(&["update-ref", "-d", name]);
    }
    repo.git(&["repack", "-adq"]);
    repo.git(&["prune", "--expire=now"]);
}

/// Runs it at a time that doesn't pass.
fn batch(repo: &Repo, args: &[&str], input: &str) -> Run {
    let mut command = repo.command();
    command
        .arg("batch")
        .args(args)
        .env("GIT_AUTHOR_DATE", "2026-01-01T12:00:00+0100");
    run(
        command.env("GIT_COMMITTER_DATE", "2026-01-02T12:00:00+0100"),
        input.as_bytes(),
    )
}

fn alone(repo: &Repo, args: &[&str], response: &str) -> Run {
    let mut command = repo.command();
    command
        .args(["apply", "-q"])
        .args(args)
        .env("GIT_AUTHOR_DATE", "2026-01-01T12:00:00+0100");
    run(
        command.env("GIT_COMMITTER_DATE", "2026-01-02T12:00:00+0100"),
        response.as_bytes(),
    )
}

fn is_sound(repo: &Repo) {
    assert_eq!(
        repo.git(&["fsck", "--strict", "--full", "--no-dangling"]),
        ""
    );
    let packs = fs::read_dir(repo.child(".git/objects/pack")).unwrap();
    for pack in packs.map(|pack| pack.unwrap().path()) {
        if pack.extension().is_some_and(|kind| kind == "idx") {
            repo.git(&["verify-pack", &pack.display().to_string()]);
        }
        assert!(
            !pack
                .file_name()
                .unwrap()
                .to_string_lossy()
                .starts_with("tmp"),
            "{}",
            pack.display()
        );
    }
}

#[test]
fn each_is_what_apply_makes_of_it_alone() {
    let repo = base();
    let mut changes: Vec<_> = changes()
        .into_iter()
        .map(|(_, response)| response)
        .collect();
    changes
        .push("<edit file=\"a.txt\" op=\"replace\" why=\"  # Say  more  \"><put>\n<<<\nx\n>>>\n</put></edit>\n".into());
    changes.push("From 0123456789012345678901234567890123456789 Mon Sep 17 00:00:00 2001\nFrom: Bo <bo@example.com>\nDate: Thu, 1 Jan 2026 00:00:00 +0000\nSubject: [PATCH] Say\n\nwhy\n---\n--- a/src/b.txt\n+++ b/src/b.txt\n@@ -1 +1 @@\n-b\n+B\n".into());
    // One makes of a file what another one makes another of.
    changes.push(update("src/b.txt", "b", "c"));
    changes.push(update("src/c.txt", "c", "b"));
    let input: String = changes
        .iter()
        .enumerate()
        .map(|(id, response)| line(id, response))
        .collect();
    let settings = [
        "core.bare=false",
        "commit.cleanup=verbatim",
        "i18n.commitEncoding=latin1",
    ];
    for setting in some(settings, 3) {
        let (key, value) = setting.split_once('=').unwrap();
        repo.git(&["config", key, value]);
        for (kind, args) in [
            ("tree", &["--onto=HEAD"][..]),
            ("commit", &["--onto=HEAD", "--commit"]),
        ] {
            let run = batch(&repo, args, &input).succeeded();
            let answers = answers(&run);
            is_sound(&repo);
            assert_eq!(answers.len(), changes.len(), "{}", run.stderr);
            for (id, (answer, response)) in answers.iter().zip(&changes).enumerate() {
                assert_eq!(answer["id"], id);
                assert_eq!(answer["errors"], json!([]), "{response}");
                let alone = alone(&repo, args, response).succeeded();
                assert_eq!(
                    answer[kind].as_str(),
                    Some(alone.stdout.trim()),
                    "{setting} {response}"
                );
            }
        }
    }
}

/// As with apply: what is accepted though it changes nothing is no failure, and is in no commit.
#[test]
fn a_response_that_changes_nothing_makes_no_commit() {
    let repo = base();
    let same = line(1, &update("a.txt", "two", "two"));
    let run = batch(&repo, &["--onto=HEAD", "--commit", "--allow-empty"], &same).succeeded();
    let answer = &answers(&run)[0];
    assert_eq!(
        answer["tree"],
        repo.git(&["rev-parse", "HEAD^{tree}"]).trim()
    );
    assert_eq!(
        (&answer["commit"], &answer["errors"]),
        (&json!(null), &json!([]))
    );
}

#[test]
fn a_bad_line_is_one() {
    let repo = base();
    repo.child("response.txt")
        .write_str(&update("src/b.txt", "b", "B"))
        .unwrap();
    let good = update("src/b.txt", "b", "B");
    let input = [
        &line("good", &good),
        "{\"id\": 1, \"file\": \"response.txt\"}\n",
        "\n",
        "no JSON\n",
        "{\"id\": [2], \"response\": \"x\", \"bsae\": \"HEAD\"}\n",
        "{\"id\": null}\n",
        "{\"id\": 3, \"response\": \"x\", \"file\": \"y\"}\n",
        "{\"id\": 4, \"file\": \"missing\"}\n",
        "{\"id\": 5, \"response\": \"No patch at all.\"}\n",
        &line(6, &update("src/b.txt", "nothing like it", "B")),
        "{\"id\": 7, \"response\": 8}\n",
        "\u{feff}\u{0}\n",
        &format!("{}", json!({"id": {"a": "\u{1b}[2J"}, "response": good})),
    ];
    let run = batch(&repo, &["--onto=HEAD"], &input.concat()).succeeded();
    assert!(!run.stdout.contains('\u{1b}'), "{}", run.stdout);
    assert!(!run.stdout.contains(" at line "), "{}", run.stdout);
    let answers = answers(&run);
    let tree = answers[0]["tree"].clone();
    let kinds: Vec<_> = answers
        .iter()
        .map(|answer| (answer["id"].clone(), answer["errors"][0]["kind"].clone()))
        .collect();
    let want = [
        (json!("good"), json!(null)),
        (json!(1), json!(null)),
        (json!(null), json!("parse")),
        (json!([2]), json!("parse")),
        (json!(null), json!("parse")),
        (json!(3), json!("parse")),
        (json!(4), json!("io")),
        (json!(5), json!("parse")),
        (json!(6), json!("lines-not-found")),
        (json!(7), json!("parse")),
        (json!(null), json!("parse")),
        (json!({"a": "\u{1b}[2J"}), json!(null)),
    ];
    assert_eq!(kinds, want, "{}", run.stdout);
    for answer in &answers {
        assert_eq!(
            answer["tree"],
            if answer["errors"] == json!([]) {
                tree.clone()
            } else {
                Value::Null
            }
        );
    }
    assert!(
        answers[8]["feedback"]
            .as_str()
            .unwrap()
            .contains("nothing like it"),
        "{}",
        run.stdout
    );
}

#[test]
fn what_can_not_be_begun_is_refused_at_once() {
    let repo = base();
    repo.child("out").write_str("{\"id\": 1}\n").unwrap();
    for (args, status, says) in [
        (&["--onto=nothing"][..], 2, "nothing"),
        (&["--onto=HEAD^{tree}", "--commit"], 2, "commit"),
        (&["--onto=HEAD", "-o", "out"], 2, "--resume"),
        (
            &["--onto=HEAD", "-o", "out", "--resume"],
            2,
            "isn't a line that batch writes",
        ),
        (&["--onto=HEAD", "missing"], 3, "missing"),
        (&["--onto=HEAD", "--resume"], 2, "--output"),
        (&["--onto=HEAD", "--bundle=x"], 2, "--output"),
        (&[], 2, "--onto"),
        (&["--onto=HEAD", "-j0"], 2, "0"),
    ] {
        let run = batch(&repo, args, &line(1, &update("src/b.txt", "b", "B"))).ended(status);
        assert!(run.stderr.contains(says), "{args:?}: {}", run.stderr);
        assert_eq!(run.stdout, "");
    }
    assert_eq!(repo.text("out"), "{\"id\": 1}\n");
}

#[test]
fn a_response_may_be_about_another_base() {
    let repo = base();
    let old = repo.git(&["rev-parse", "HEAD"]);
    repo.child("src/b.txt").write_str("newer\n").unwrap();
    repo.git(&["commit", "-qam", "newer"]);
    let ask = |path: &str, from: &str| {
        format!(
            "{}\n",
            json!({"id": path, "response": update(path, from, "B"), "base": old.trim()})
        )
    };
    let input = [
        ask("src/b.txt", "b"),
        ask("src/c.txt", "c"),
        line("now", &update("src/b.txt", "newer", "B")),
    ]
    .concat();
    let answers = answers(&batch(&repo, &["--onto=HEAD"], &input).succeeded());
    assert_eq!(answers[0]["errors"][0]["kind"], "stale");
    assert_eq!(
        [&answers[1]["errors"], &answers[2]["errors"]],
        [&json!([]), &json!([])]
    );
}

/// Many changes of a few files: lines that move, come and go, at the ends and in the middle.
fn many(repo: &Repo, count: usize) -> Vec<(usize, String)> {
    let mut lines = Vec::new();
    let wide = |line: usize| format!("line {line} {}", "x".repeat(line % 300));
    for file in 0..4 {
        let text: String = (0..600)
            .map(|line| format!("{file} {}\n", wide(line)))
            .collect();
        repo.child(format!("many/{file}.txt"))
            .write_str(&text)
            .unwrap();
    }
    repo.git(&["add", "."]);
    repo.git(&["commit", "-qm", "many"]);
    for id in 0..count {
        let mut patch = String::new();
        for part in 0..3 {
            let (file, at) = ((id + part) % 4, (id * 37 + part * 101) % 598);
            let new = format!("new {} {}", id / 3, "y".repeat(id * 13 % 400));
            patch += &format!(
                "*** Update File: many/{file}.txt\n@@\n {file} {}\n",
                wide(at)
            );
            patch += match id % 3 {
                0 => format!("-{file} {}\n+{new}\n", wide(at + 1)),
                1 => format!("-{file} {}\n", wide(at + 1)),
                _ => format!("+{new}\n"),
            }
            .as_str();
        }
        if id % 5 == 0 {
            patch += &format!("*** Add File: new/{id}/x\n+{id}\n");
        }
        lines.push((id, envelope(&patch)));
    }
    lines
}

#[test]
fn packs_hold_what_git_reads() {
    let repo = base();
    let changes = many(&repo, 120);
    let input: String = changes
        .iter()
        .map(|(id, response)| line(*id, response))
        .collect();
    let run = batch(&repo, &["--onto=HEAD", "-j3"], &input).succeeded();
    is_sound(&repo);
    for (answer, (_, response)) in answers(&run).iter().zip(&changes).step_by(7) {
        assert_eq!(
            answer["tree"].as_str(),
            Some(
                alone(&repo, &["--onto=HEAD"], response)
                    .succeeded()
                    .stdout
                    .trim()
            )
        );
    }
    // The second time as well, though all of it is there, and with one thread as with several.
    assert_eq!(
        batch(&repo, &["--onto=HEAD", "-j1"], &input)
            .succeeded()
            .stdout,
        run.stdout
    );
    is_sound(&repo);
}

#[test]
fn who_is_stopped_goes_on() {
    let repo = base();
    let changes = many(&repo, 60);
    let input: String = changes
        .iter()
        .map(|(id, response)| line(*id, response))
        .collect();
    repo.child("in").write_str(&input).unwrap();
    let args = ["--onto=HEAD", "--commit", "-o", "out", "in"];
    batch(&repo, &args, "").succeeded();
    let whole = repo.text("out");
    let ends: Vec<_> = whole.match_indices('\n').map(|(at, _)| at + 1).collect();
    for len in [
        0,
        1,
        ends[0] - 1,
        ends[0],
        ends[0] + 1,
        ends[30] + 7,
        ends[58],
        ends[59],
    ] {
        fs::write(repo.child("out"), &whole[..len]).unwrap();
        batch(&repo, &[&["--resume"], &args[..]].concat(), "").succeeded();
        assert_eq!(repo.text("out"), whole, "{len}");
    }
    // Trees where commits were made, and the other way round.
    let args = ["--onto=HEAD", "--resume", "-o", "out", "in"];
    let run = batch(&repo, &args, "").ended(2);
    assert!(run.stderr.contains("line 1 of `out` has a commit"));
    assert_eq!(repo.text("out"), whole);
    let args = ["--onto=HEAD", "-o", "trees", "in"];
    batch(&repo, &args, "").succeeded();
    let args = ["--onto=HEAD", "--commit", "--resume", "-o", "trees", "in"];
    let run = batch(&repo, &args, "").ended(2);
    assert!(run.stderr.contains("line 1 of `trees` has no commit"));
    let args = ["--onto=HEAD", "--commit", "-o", "out", "in"];
    // Another input, and a shorter one.
    for (input, says) in [
        (
            input.replacen("\"id\":3,", "\"id\":333,", 1),
            "is about 3, where the input has 333",
        ),
        (line(0, ""), "more lines than the input"),
    ] {
        repo.child("in").write_str(&input).unwrap();
        let run = batch(&repo, &[&["--resume"], &args[..]].concat(), "").ended(2);
        assert!(run.stderr.contains(says), "{}", run.stderr);
        assert_eq!(repo.text("out"), whole);
    }
}

/// However it is killed: what is answered is there, and what is there in the end is what would be
/// without.
#[test]
fn who_is_killed_goes_on() {
    let repo = base();
    let lines: Vec<_> = many(&repo, 90)
        .iter()
        .map(|(id, response)| line(*id, response))
        .collect();
    let whole = batch(&repo, &["--onto=HEAD"], &lines.concat())
        .succeeded()
        .stdout;
    forget(&repo);
    let answered = || {
        fs::read_to_string(repo.child("out"))
            .unwrap_or_default()
            .matches('\n')
            .count()
    };
    for killed_after in [Some(0), Some(10), Some(10), Some(35), Some(60), None] {
        let mut command = repo.command();
        command
            .args(["batch", "--onto=HEAD", "-o", "out", "--resume"])
            .stdin(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut input = child.stdin.take().unwrap();
        for (part, sent) in lines.chunks(10).zip((10..).step_by(10)) {
            input.write_all(part.concat().as_bytes()).unwrap();
            // It is killed somewhere in its work at the next ones.
            if killed_after.is_some_and(|killed_after| sent > killed_after) {
                break;
            }
            while answered() < sent {
                std::thread::sleep(Duration::from_millis(2));
            }
        }
        if let Some(lines) = killed_after {
            std::thread::sleep(Duration::from_millis(lines as u64));
            child.kill().unwrap();
        }
        drop(input);
        assert_eq!(child.wait().unwrap().success(), killed_after.is_none());
        let text = fs::read_to_string(repo.child("out")).unwrap_or_default();
        assert!(whole.starts_with(&text), "{text}");
        for answer in text
            .lines()
            .filter_map(|line| serde_json::from_str::<Value>(line).ok())
            .step_by(9)
        {
            repo.git(&["ls-tree", "-r", answer["tree"].as_str().unwrap()]);
        }
    }
    assert_eq!(repo.text("out"), whole);
    assert_eq!(
        repo.git(&["fsck", "--strict", "--full", "--no-dangling"]),
        ""
    );
}

#[test]
fn an_answer_comes_before_the_next_question() {
    let repo = base();
    let mut command = repo.command();
    command
        .args(["batch", "--onto=HEAD"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let (mut input, mut output) = (
        child.stdin.take().unwrap(),
        BufReader::new(child.stdout.take().unwrap()),
    );
    for (id, to) in ["x", "y", "z"].into_iter().enumerate() {
        input
            .write_all(line(id, &update("src/b.txt", "b", to)).as_bytes())
            .unwrap();
        let mut answer = String::new();
        output.read_line(&mut answer).unwrap();
        let answer: Value = serde_json::from_str(&answer).unwrap();
        assert_eq!(answer["id"], id);
        assert_eq!(
            repo.git(&[
                "show",
                &format!("{}:src/b.txt", answer["tree"].as_str().unwrap())
            ]),
            format!("{to}\n")
        );
    }
    drop(input);
    let mut rest = String::new();
    output.read_to_string(&mut rest).unwrap();
    assert_eq!((rest.as_str(), child.wait().unwrap().code()), ("", Some(0)));
    // Nor is anybody kept who has heard enough.
    let mut command = repo.command();
    command
        .args(["batch", "--onto=HEAD"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    drop(child.stdout.take());
    let mut input = child.stdin.take().unwrap();
    input
        .write_all(line(1, &update("src/b.txt", "b", "x")).as_bytes())
        .unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn a_bundle_brings_all_of_it_to_another_clone() {
    super::support::needs(super::support::Need::Shell);
    for format in ["sha1", "sha256"] {
        let repo = Repo::empty();
        fs::remove_dir_all(repo.child(".git")).unwrap();
        let mut init = isolated(Command::new("git"), repo.path());
        run(
            init.args([
                "init",
                "-q",
                "-b",
                "main",
                &format!("--object-format={format}"),
            ]),
            b"",
        )
        .succeeded();
        let changes = many(&repo, 20);
        let mut input: String = changes
            .iter()
            .map(|(id, response)| line(*id, response))
            .collect();
        input += &line("refused", &update("many/0.txt", "nothing", "x"));
        let other = Repo::empty();
        fs::remove_dir_all(other.child(".git")).unwrap();
        other.git(&[
            "clone",
            "-q",
            "--bare",
            &repo.path().display().to_string(),
            ".git",
        ]);
        for (what, args) in [("tree", &[][..]), ("commit", &["--commit"])] {
            let (out, bundle) = (format!("{what}.out"), format!("{what}.bundle"));
            let own = ["--onto=HEAD", "-o", &out, "--bundle", &bundle];
            batch(&repo, &[&own, args].concat(), &input).succeeded();
            repo.git(&["bundle", "verify", "-q", &bundle]);
            // What the other has is left out.
            let pack = repo.read(&bundle);
            let pack = &pack[pack.windows(4).position(|word| word == b"PACK").unwrap()..];
            let ids = repo.git(&["bundle", "list-heads", &bundle]);
            let ids: String = ids
                .lines()
                .map(|line| format!("{}\n", line.split(' ').next().unwrap()))
                .collect();
            let new = repo.git_with_input(
                &["rev-list", "--objects", "--stdin"],
                (ids + "^HEAD^{tree}\n^HEAD\n").as_bytes(),
            );
            assert_eq!(
                u32::from_be_bytes(pack[8..12].try_into().unwrap()) as usize,
                new.lines().count(),
                "{what}"
            );
            other.git(&[
                "fetch",
                "-q",
                &repo.child(&bundle).display().to_string(),
                "refs/llmpatch/*:refs/llmpatch/*",
            ]);
            let made = repo.text(&out);
            let made: Vec<Value> = made
                .lines()
                .map(|line| serde_json::from_str(line).unwrap())
                .collect();
            for answer in &made[..20] {
                let id = answer[what].as_str().unwrap();
                assert_eq!(
                    other.git(&["ls-tree", "-r", id]),
                    repo.git(&["ls-tree", "-r", id]),
                    "{format} {what}"
                );
            }
            assert_eq!(made[20][what], Value::Null);
        }
        assert_eq!(
            other.git(&["fsck", "--strict", "--full", "--no-dangling"]),
            ""
        );
        is_sound(&repo);
    }
}

#[test]
fn commits_are_signed_where_git_is_told_to() {
    let repo = base();
    repo.script(
        "sign",
        "#!/bin/sh\ncat >/dev/null\necho signed\necho '[GNUPG:] SIG_CREATED ' >&2\n",
    );
    repo.git(&[
        "config",
        "gpg.program",
        &repo.child("sign").display().to_string(),
    ]);
    repo.git(&["config", "commit.gpgSign", "true"]);
    let response = update("src/b.txt", "b", "B");
    let answers =
        answers(&batch(&repo, &["--onto=HEAD", "--commit"], &line(1, &response)).succeeded());
    let commit = repo.git(&["cat-file", "commit", answers[0]["commit"].as_str().unwrap()]);
    assert!(commit.contains("gpgsig signed"), "{commit}");
    assert_eq!(
        answers[0]["commit"].as_str(),
        Some(
            alone(&repo, &["--onto=HEAD", "--commit"], &response)
                .succeeded()
                .stdout
                .trim()
        )
    );
}
