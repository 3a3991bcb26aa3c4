//! What is said, as a reader sees it: at 80 columns and at 40, plain and in colour.
//!
//! What a response comes to is said in the cases, at one width. Here is what they don't show: what the
//! system and the program's own state come to, long messages where it is narrow, and, in files that
//! begin with `scene-`, what files and terminals can do to a message. Escapes are shown as `␛`.
//! `SNAPSHOTS=overwrite cargo test --test messages` renews the files; read them as a stranger would at
//! night.

#![cfg_attr(
    not(target_os = "linux"),
    allow(
        unused_imports,
        dead_code,
        reason = "what only Linux shows is left out elsewhere"
    )
)]
#![allow(clippy::unwrap_used, reason = "a test that can't go on has failed")]

mod drawing;
mod repair;
#[path = "../support/mod.rs"]
mod support;
#[path = "../support/terminal.rs"]
mod terminal;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use assert_fs::prelude::*;
use git_llmpatch::dir::Lost;
use git_llmpatch::repo;
use git_llmpatch::report::human::{Style, draw};
use git_llmpatch::transaction::{Holder, TransactionError, Warning};
use llmpatch::kind::Kind;
use llmpatch::leftover::Leftover;
use llmpatch::patch::{Format, Unrepresentable, What};
use llmpatch::path::RepoPath;
use llmpatch::pathspec::{Defaults, Pathspec};
use llmpatch::plan::{
    self,
    derive::{Limit, Limited, Replaced},
};
use llmpatch::report::{Diagnose, Diagnostic};
use llmpatch::text::LineNo;
use llmpatch::tree::{Entry, File, MemoryTree, Mode};
use llmpatch::{Options, apply};
use llmpatch_cases::Files;
use support::snapshot;

/// Kinds that are seen best where it is narrow, and a case of each: several places, a long sentence, a warning.
const NARROW: &[(Kind, &str)] = &[
    (Kind::Ambiguous, "shapes/numbers-and-two-places"),
    (Kind::Conflict, "shapes/two-edits-of-one-line"),
    (Kind::Duplicates, "shapes/lines-that-stand-twice"),
];

/// Kinds whose words are made in rooms that a test from outside can't enter: a program on a
/// terminal says them below, or in `tests/at_a_terminal`.
const ELSEWHERE: &[Kind] = &[
    Kind::Interrupted,
    Kind::Recovered,
    Kind::NothingToUndo,
    Kind::Declined,
    Kind::Signal,
    Kind::UnusedOption,
    Kind::LeftOut,
    Kind::MailAuthor,
];

#[test]
fn every_kind_is_shown() {
    let mut shown: BTreeSet<String> = ELSEWHERE.iter().map(|kind| kind.code().into()).collect();
    for case in llmpatch_cases::all() {
        shown.extend(case.expected().said.lines().filter_map(kind_of));
    }
    for said in of_the_system() {
        let one = Diagnostic::located(&*said, None, &[]);
        show(one.kind.code(), std::slice::from_ref(&one));
        shown.insert(one.kind.code().into());
    }
    let missing = Kind::ALL.iter().filter(|kind| !shown.contains(kind.code()));
    let missing: Vec<_> = missing.collect();
    assert!(
        missing.is_empty(),
        "no message of the kinds {missing:?} is shown"
    );
}

/// Returns the kind that a headline names.
fn kind_of(line: &str) -> Option<String> {
    let of_error = line
        .strip_prefix("error[")
        .and_then(|rest| rest.split_once(']'));
    let of_warning = || {
        line.strip_prefix("warning: ")?
            .strip_suffix(']')?
            .rsplit_once('[')
    };
    let code = of_error.map(|(code, _)| code);
    code.or_else(|| Some(of_warning()?.1)).map(str::to_owned)
}

#[test]
fn what_is_long_is_shown_where_it_is_narrow() {
    for (kind, case) in NARROW {
        let case = llmpatch_cases::named(case);
        let response = String::from_utf8(case.response()).unwrap();
        let mut all = said(&response, tree(case.before()), plan::Rules::default());
        all.retain(|one| one.kind == *kind);
        show(kind.code(), &all);
    }
    show("protected", &protected());
}

#[test]
fn what_files_and_terminals_do_to_a_message() {
    let long = format!(
        "let table = [{}];",
        (0..200)
            .map(|n| n.to_string())
            .collect::<Vec<_>>()
            .join(", ")
    );
    let other = long.replace(" 150,", " 999,");
    let scenes: &[(&str, Vec<u8>, String)] = &[
        (
            "tabs",
            b"if a {\n\t\tx :=\t1\n}\n".to_vec(),
            hunk("if a {", "\t\tx :=\t2"),
        ),
        (
            "wide",
            "名前 = \"太郎\"\n年齢 = 20\n".into(),
            hunk("名前 = \"太郎\"", "年齢 = 30"),
        ),
        (
            "combining",
            "a\nle cafe\u{301} noir\n".into(),
            hunk("a", "le caf\u{e9} noir"),
        ),
        (
            "long-line",
            format!("start\n{long}\n").into_bytes(),
            hunk("start", &other),
        ),
        (
            "crlf",
            b"one\r\ntwo three\r\n".to_vec(),
            hunk("one", "two four"),
        ),
        (
            "carriage-return",
            b"one\ntwo\r\r\n".to_vec(),
            hunk("one", "two"),
        ),
        (
            "not-utf-8",
            b"# caf\xe9 au lait\nprice = 3\n".to_vec(),
            hunk("# café au lait", "price = 3"),
        ),
        (
            "control",
            b"\x1b[31mred\x1b[0m = 1\nx = 2\n".to_vec(),
            hunk("red = 1", "x = 2"),
        ),
        (
            "bidi",
            "x = \"a\u{202e}b\"\ny = 2\n".into(),
            hunk("x = \"ab\"", "y = 2"),
        ),
    ];
    for (name, file, response) in scenes {
        let all = said(
            response,
            MemoryTree::new().with("a.txt", file.clone()),
            plan::Rules::default(),
        );
        show(&format!("scene-{name}"), &all);
    }
}

fn hunk(first: &str, second: &str) -> String {
    format!(
        "*** Begin Patch\n*** Update File: a.txt\n@@\n {first}\n-{second}\n+changed\n*** End Patch\n"
    )
}

/// Returns a tree in memory of files.
fn tree(files: Files) -> MemoryTree {
    let mut tree = MemoryTree::new();
    for (path, file) in files {
        let mode = Mode {
            executable: file.executable,
            bits: None,
        };
        let content = file.bytes.into();
        tree = tree.with_entry(&path, Entry::File(File { content, mode }));
    }
    tree
}

fn said(response: &str, tree: MemoryTree, rules: plan::Rules) -> Vec<Diagnostic> {
    let options = Options {
        rules,
        ..Options::default()
    };
    match apply("answer.txt", response, &tree, &options) {
        Ok(applied) => applied.warnings,
        Err(refusal) => [refusal.errors, refusal.warnings].concat(),
    }
}

/// What a guard says of the files that a response may not touch: by an option, a setting, and what
/// is protected.
fn protected() -> Vec<Diagnostic> {
    let spec = |spec: &str| Pathspec::new(spec.as_bytes(), Defaults::default()).unwrap();
    let limits = [
        (
            vec![spec("src"), spec("tests"), spec(":!src/generated")],
            plan::Origin::Option,
        ),
        (vec![spec("src")], plan::Origin::Setting),
    ];
    let response = "*** Begin Patch\n*** Add File: docs/guide.md\n+x\n*** Add File: .github/workflows/ci.yml\n+x\n*** End Patch\n";
    let guarded = limits.map(|(limit, origin)| {
        let protected = [spec("*.lock"), spec(".github/workflows")]
            .into_iter()
            .collect();
        let guard = plan::Guard {
            limit: Some((limit.into_iter().collect(), origin)),
            protected,
        };
        let rules = plan::Rules {
            guard,
            ..plan::Rules::default()
        };
        said(response, MemoryTree::new(), rules)
    });
    let [by_option, mut by_setting] = guarded;
    by_setting.truncate(1);
    [by_option, by_setting].concat()
}

fn of_the_system() -> Vec<Box<dyn Diagnose>> {
    let path = || RepoPath::new(b"src/net.rs").unwrap();
    let full = || std::io::Error::from(std::io::ErrorKind::StorageFull);
    vec![
        Box::new(TransactionError::Locked {
            lock: ".git/index.lock".into(),
            holder: Holder::Unknown,
        }),
        Box::new(TransactionError::Commit(repo::CommitError::Hook {
            name: Some("pre-commit".into()),
            status: Some(1),
            kept: None,
        })),
        Box::new(TransactionError::Commit(repo::CommitError::Identity {
            said: "Please tell me who you are.".into(),
        })),
        Box::new(TransactionError::OtherFileSystem { path: path() }),
        Box::new(TransactionError::Io {
            doing: "replace",
            path: "src/net.rs".into(),
            source: full(),
        }),
        Box::new(repo::RepoError::NoRevision {
            rev: "nosuch".into(),
        }),
        Box::new(plan::Warning::IdDiffers {
            path: path(),
            file: "1a2b3c4".into(),
            patch: "5d6e7f8".into(),
        }),
        Box::new(plan::Warning::Namesake {
            path: path(),
            other: RepoPath::new(b"pkg/src/net.rs").unwrap(),
        }),
        Box::new(plan::Warning::ModeDiffers {
            path: path(),
            file: 0o100_644,
            patch: 0o100_755,
        }),
        Box::new(Warning::HardLink {
            path: path(),
            others: 1,
        }),
        Box::new(Warning::Rights {
            path: path(),
            lost: vec![Lost::Group, Lost::SetId],
        }),
        Box::new(Warning::WrittenLate {
            path: path(),
            unread: None,
            kept: ".git/llmpatch/1/src/net.rs".into(),
        }),
        Box::new(Warning::Leftover {
            path: ".git/llmpatch/1".into(),
        }),
        Box::new(Warning::NoUndo {
            reason: full().to_string(),
        }),
        Box::new(Leftover {
            path: "src/net.rs".into(),
            line: LineNo::FIRST,
            marker: "*** Begin Patch",
        }),
        Box::new(Unrepresentable {
            path: "bin/run".into(),
            format: Format::Envelope.the(),
            what: What::Mode,
        }),
        Box::new(Replaced {
            path: "src/net.rs".into(),
        }),
        Box::new(Limited {
            path: "src/net.rs".into(),
            lines: vec![(LineNo::FIRST, LineNo::FIRST)],
            limit: Limit::Lines,
            shown: vec![(LineNo::from_index(16), LineNo::from_index(22))],
        }),
        Box::new(Warning::IndexBehind {
            reason: "the index is locked".into(),
        }),
        Box::new(Warning::InConflict { path: path() }),
        Box::new(Warning::HookChanged {
            paths: vec!["src/net.rs".into(), "Cargo.lock".into()],
        }),
    ]
}

/// Makes the repository of a scene.
type Make = dyn Fn() -> support::Repo;

/// What only the program itself says, on a terminal as wide as it is told.
#[test]
#[cfg(target_os = "linux")]
fn what_the_program_says_of_what_was_before() {
    let interrupted = || {
        let repo = support::Repo::with(&[("a.txt", "one\ntwo\n"), ("b.txt", "one\n")]);
        repo.child("../a.answer")
            .write_str(&hunk("one", "two"))
            .unwrap();
        repo.child("../b.answer")
            .write_str(
                &hunk("one", "one")
                    .replace("a.txt", "b.txt")
                    .replace(" one\n", ""),
            )
            .unwrap();
        repo.script(
            ".git/hooks/pre-commit",
            &format!("#!/bin/sh\n{}\nkill -KILL $us\nexit 1\n", support::US),
        );
        let killed = repo
            .command()
            .args(["apply", "--commit", "../a.answer"])
            .output()
            .unwrap();
        assert_eq!(killed.status.code(), None);
        // git lives on for a moment, and what it does isn't over until then.
        while is_in_use(&repo) {
            std::thread::yield_now();
        }
        repo
    };
    let fresh = || support::Repo::with(&[("a.txt", "one\n")]);
    let committed = || {
        let repo = support::Repo::with(&[("a.txt", "one\ntwo\n")]);
        repo.child("../a.answer")
            .write_str(&hunk("one", "two"))
            .unwrap();
        repo.run(&["apply", "--commit", "../a.answer"], "")
            .succeeded();
        repo.git(&["update-ref", "refs/remotes/origin/main", "HEAD"]);
        repo
    };
    let find = || {
        let repo = support::Repo::with(&[("a.txt", "one\n")]);
        let find = "<edit file=\"a.txt\" op=\"patch\"><find>\n<<<\none\n>>>\n</find><put>\n<<<\ntwo\n>>>\n</put></edit>\n";
        repo.child("../a.answer").write_str(find).unwrap();
        repo
    };
    let mail = || {
        let repo = support::Repo::with(&[("a.txt", "one\n")]);
        let mail = "From: Bo <bo@example.com>\nDate: Thu, 1 Jan 2026 00:00:00 +0000\nSubject: [PATCH] Say two\n\n---\n--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+two\n";
        repo.child("../a.answer").write_str(mail).unwrap();
        repo
    };
    let scenes: &[(&str, &Make, &[&[&str]])] = &[
        (
            "mail-author",
            &mail,
            &[&["apply", "--commit", "../a.answer"]],
        ),
        (
            "unused-option",
            &find,
            &[&["check", "--unique", "../a.answer"]],
        ),
        (
            "left-out",
            &find,
            &[&["check", "--exclude=a.txt", "../a.answer"]],
        ),
        (
            "interrupted",
            &interrupted,
            &[&["check", "../b.answer"], &["check", "../a.answer"]],
        ),
        ("recovered", &interrupted, &[&["apply", "../b.answer"]]),
        ("nothing-to-undo", &fresh, &[&["undo"]]),
        ("commits-that-stay", &committed, &[&["undo"]]),
    ];
    for (name, repo, commands) in scenes {
        let mut out = String::new();
        for color in ["never", "always"] {
            for columns in ["80", "40"] {
                let repo = repo();
                let how = if color == "always" { ", in colour" } else { "" };
                out += &format!("--- {columns} columns{how}\n\n");
                for arguments in *commands {
                    out += &on_a_terminal(&repo, arguments, color, columns);
                }
                out.push('\n');
            }
        }
        snapshot(
            out,
            &Path::new(env!("CARGO_MANIFEST_DIR"))
                .join("tests/messages")
                .join(format!("{name}.txt")),
        );
    }
}

/// Returns whether a process stands in a repository.
fn is_in_use(repo: &support::Repo) -> bool {
    let processes = fs::read_dir("/proc").unwrap();
    let mut directories =
        processes.filter_map(|process| fs::read_link(process.ok()?.path().join("cwd")).ok());
    directories.any(|directory| directory.starts_with(repo.path()))
}

/// Runs the program on a terminal, and returns what it said on standard error. What has another
/// name each time has one here.
fn on_a_terminal(repo: &support::Repo, arguments: &[&str], color: &str, columns: &str) -> String {
    let ours = repo.command();
    let mut command = std::process::Command::new("sh");
    command
        .args(["-c", "\"$@\" >/dev/null", "sh"])
        .arg(ours.get_program())
        .args(arguments);
    command
        .arg(format!("--color={color}"))
        .current_dir(repo.path());
    command.envs(
        ours.get_envs()
            .filter_map(|(name, value)| Some((name, value?))),
    );
    command
        .env("PATH", std::env::var("PATH").unwrap())
        .env("TERM", "xterm")
        .env("COLUMNS", columns);
    let mut terminal = terminal::Terminal::start(&command);
    terminal.end();
    let head = repo.git(&["rev-parse", "--short", "HEAD"]);
    let said = terminal.shown().replace("\r\n", "\n").replace('\x1b', "␛");
    // As long as it is, so that lines break where they break.
    said.replace(head.trim(), &"0123456789"[..head.trim().len()])
}

fn show(name: &str, all: &[Diagnostic]) {
    let mut out = String::new();
    for colored in [false, true] {
        for width in [80, 40] {
            let how = if colored { ", in colour" } else { "" };
            out += &format!("--- {width} columns{how}\n\n");
            for one in all {
                out += &draw(
                    one,
                    Style {
                        colored,
                        width,
                        is_terminal: true,
                        ..Style::PLAIN
                    },
                )
                .replace('\x1b', "␛");
            }
            out.push('\n');
        }
    }
    let file = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/messages")
        .join(format!("{name}.txt"));
    snapshot(out, &file);
}
