//! Every kind of error and warning as a reader sees it: at 80 columns and at 40, plain and in
//! colour.
//!
//! Each has a file beside this one, where escapes are shown as `␛`; those that begin with `scene-`
//! show what files and terminals can do to a message. `SNAPSHOTS=overwrite cargo test --test
//! messages` renews them; read them as a stranger would at night.

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
use llmpatch::lint::Lints;
use llmpatch::patch::{Format, Unrepresentable, What};
use llmpatch::path::{RepoPath, Resolver};
use llmpatch::pathspec::{Defaults, Pathspec};
use llmpatch::plan::derive::Replaced;
use llmpatch::report::Diagnose;
use llmpatch::report::{Diagnostic, merge};
use llmpatch::text::{LineNo, Source, SourceId};
use llmpatch::tree::MemoryTree;
use llmpatch::{format, plan};
use support::snapshot;

/// The case in which something of a kind is said.
const CASES: &[(Kind, &str)] = &[
    (Kind::Parse, "shapes/a-line-without-a-prefix"),
    (
        Kind::ContextNotFound,
        "shapes/a-context-line-that-isnt-there",
    ),
    (Kind::LinesNotFound, "shapes/another-value"),
    (Kind::Ambiguous, "shapes/numbers-and-two-places"),
    (Kind::Occurrence, "shapes/an-occurrence-too-far"),
    (Kind::FileMissing, "shapes/a-directory-left-out"),
    (Kind::FileExists, "shapes/adding-a-file-that-exists"),
    (Kind::UnsafePath, "shapes/a-path-outside"),
    (Kind::Binary, "shapes/a-binary-file"),
    (Kind::Stale, "shapes/a-delete-body-that-differs"),
    (Kind::Unchanged, "shapes/everything-is-there-already"),
    (
        Kind::ProseEdit,
        "opx/an-edit-in-mid-line/of-prose-is-ignored-with-a-warning",
    ),
    (
        Kind::CommentedPatch,
        "roles/an-envelope-in-a-comment-is-not-read",
    ),
    (
        Kind::QuotedPatch,
        "roles/a-quoted-envelope-beside-another-is-not-read",
    ),
    (
        Kind::NearPatch,
        "unified/a-hunk-behind-an-envelope-is-ignored",
    ),
    (
        Kind::UnknownPlace,
        "sessions/a-call-at-an-unknown-place-beside-a-real-one",
    ),
    (
        Kind::UndoneCall,
        "roles/a-tool-message-of-error-undoes-its-call",
    ),
    (Kind::DraftPatch, "shapes/a-draft-in-reasoning"),
    (Kind::RepeatedPatch, "shapes/a-patch-given-twice"),
    (
        Kind::RepeatedEdit,
        "opx/an-edit-that-repeats/counts-twice-with-a-warning",
    ),
    (
        Kind::StrayMarker,
        "envelope/an-end-before-the-first-begin-is-a-warning",
    ),
    (
        Kind::SkippedFormat,
        "answers/format-opx-skips-an-envelope-with-a-warning",
    ),
    (Kind::DecoratedMarker, "shapes/stars-behind-a-marker"),
    (Kind::BlankInBody, "shapes/blank-line-without-its-plus"),
    (
        Kind::LocatorSpacing,
        "envelope/a-context-line/right-behind-its-marker-is-a-warning",
    ),
    (Kind::LocatorNumbers, "shapes/unified-hunk-header"),
    (Kind::LocatorRelaxed, "shapes/partial-context"),
    (
        Kind::OutsideContext,
        "envelope/a-context-line/in-another-block-is-warned-of",
    ),
    (Kind::NoNewlineMark, "shapes/no-newline-mark"),
    (Kind::LastPlus, "tool/a-bare-plus-at-the-end-is-the-newline"),
    (Kind::Fuzzy, "shapes/spaces-for-a-tab"),
    (Kind::Restated, "shapes/restated-context"),
    (Kind::BlankDropped, "shapes/blank-line-at-the-end-of-a-hunk"),
    (Kind::Duplicates, "shapes/lines-that-stand-twice"),
    (Kind::AdditionPlace, "shapes/added-lines-only"),
    (
        Kind::AlreadyThere,
        "envelope/lines-there-already/lines-that-are-there-already-are-warned-of",
    ),
    (Kind::NewlineAdded, "shapes/a-file-without-a-final-newline"),
    (Kind::Elision, "shapes/left-out-code-of-a-whole-file"),
    (Kind::Conflict, "shapes/two-edits-of-one-line"),
    (
        Kind::ConflictMarkers,
        "envelope/lint-conflict-markers/is-told",
    ),
    (Kind::PatchMarkers, "envelope/lint-patch-markers"),
    (
        Kind::HiddenCharacters,
        "envelope/lint-hidden-characters/is-told",
    ),
    (Kind::ToolSyntax, "envelope/lint-tool-syntax/is-told"),
    (Kind::LineNumbers, "envelope/lint-line-numbers/is-told"),
    (Kind::DiffPrefixes, "blocks/lint-diff-prefixes"),
    (Kind::EscapedText, "envelope/lint-escaped-text"),
    (Kind::Entities, "envelope/lint-entities"),
    (
        Kind::Encoding,
        "envelope/a-line-in-utf-8/in-a-file-of-shift-jis-is-refused",
    ),
    (Kind::Executes, "envelope/lint-executes/is-told"),
    (Kind::NoChange, "shapes/a-hunk-that-changes-nothing"),
    (
        Kind::PartialDeleteBody,
        "shapes/a-delete-body-that-is-a-part",
    ),
    (
        Kind::IndentedPayload,
        "opx/a-payload-that-shares-its-markers-indentation-is-literal-with-a-warning",
    ),
    (
        Kind::TypographicQuotes,
        "shapes/curly-quotes-around-attributes",
    ),
    (
        Kind::UnknownMarkup,
        "shapes/an-attribute-that-means-nothing",
    ),
    (
        Kind::StrayText,
        "opx/text-between-edits-in-a-wrapper-is-a-warning",
    ),
    (Kind::BlankEdges, "shapes/blank-lines-around-a-find"),
    (
        Kind::EscapedMarker,
        "blocks/an-escaped-divider-in-replace-loses-its-backslash",
    ),
    (
        Kind::Divider,
        "blocks/a-divider/of-several-dividers-the-one-as-long-as-the-first-line",
    ),
    (
        Kind::ProseConflict,
        "blocks/a-whole-conflict/whole-conflict-in-prose-is-a-warning",
    ),
    (Kind::SkippedCall, "tool/a-call-of-no-file-is-skipped"),
    (
        Kind::NamelessFence,
        "files/a-fence-without-a-path-is-left-out",
    ),
    (
        Kind::JsonPatch,
        "tool/a-patch-in-an-object-that-is-no-call-counts",
    ),
    (
        Kind::FinalNewline,
        "tool/a-new-file-without-final-newline-keeps-it-so",
    ),
    (Kind::EmptyLine, "tool/an-empty-line-is-left-with-a-warning"),
    (
        Kind::FilledEmpty,
        "blocks/an-empty-search/fills-an-empty-file",
    ),
    (Kind::InsideWord, "shapes/a-find-inside-a-word"),
    (
        Kind::Overlap,
        "opx/a-last-occurrence/overlaps-the-last-counted-is-told",
    ),
    (
        Kind::HunkMoved,
        "unified/a-moved-hunk/is-found-and-warned-of",
    ),
    (
        Kind::Recounted,
        "unified/wrong-counts/are-recounted-with-a-warning",
    ),
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
    Kind::MailAuthor,
];

#[test]
fn every_kind_is_shown() {
    let mut shown: BTreeSet<&str> = ELSEWHERE.iter().map(|kind| kind.code()).collect();
    for (kind, case) in CASES {
        let all = case_of(case);
        let of_kind: Vec<_> = all.into_iter().filter(|one| one.kind == *kind).collect();
        assert!(
            !of_kind.is_empty(),
            "{case} says nothing of the kind {kind}"
        );
        show(kind.code(), &of_kind);
        shown.insert(kind.code());
    }
    show("protected", &protected());
    shown.insert("protected");
    for said in of_the_system() {
        let one = Diagnostic::located(&*said, None, &[]);
        show(one.kind.code(), std::slice::from_ref(&one));
        shown.insert(one.kind.code());
    }
    let all: BTreeSet<&str> = Kind::ALL.iter().map(|kind| kind.code()).collect();
    let missing: Vec<_> = all.difference(&shown).collect();
    assert!(
        missing.is_empty(),
        "no message of the kinds {missing:?} is shown"
    );
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
            &Options::default(),
        );
        show(&format!("scene-{name}"), &all);
    }
}

fn hunk(first: &str, second: &str) -> String {
    format!(
        "*** Begin Patch\n*** Update File: a.txt\n@@\n {first}\n-{second}\n+changed\n*** End Patch\n"
    )
}

#[derive(Default)]
struct Options {
    format: format::Options<'static>,
    rules: plan::Rules,
}

fn case_of(case: &str) -> Vec<Diagnostic> {
    let case = llmpatch_cases::named(case);
    let mut tree = MemoryTree::new();
    for (path, file) in case.before() {
        tree = tree.with(&path, file.bytes);
    }
    let mut options = Options::default();
    match &case.arguments().join(" ")[..] {
        "" => {}
        "--format=opx" => options.format.format = Some(llmpatch::patch::Format::Opx),
        "--format=files" => options.format.format = Some(llmpatch::patch::Format::Files),
        other => panic!("{}: {other}", case.name),
    }
    if case.name.ends_with("spaces-for-a-tab") {
        options.rules.fuzz = llmpatch::Fuzz::Indent;
    }
    let response = String::from_utf8(case.response()).unwrap();
    said(&response, tree, &options)
}

fn said(response: &str, tree: MemoryTree, options: &Options) -> Vec<Diagnostic> {
    let source = Source::new(SourceId(0), "answer.txt", response.into()).unwrap();
    let sources = std::slice::from_ref(&source);
    let parsed = format::parse(&source, &options.format);
    let mut all = Diagnostic::all(&parsed.errors, sources);
    all.extend(Diagnostic::all(&parsed.warnings, sources));
    let patches = [parsed.patch];
    let resolver = Resolver::default();
    let changes = match plan::plan(&patches, &tree, &resolver, &options.rules) {
        Ok(plan) => {
            all.extend(Diagnostic::all(&plan.warnings, sources));
            plan.changes
        }
        Err(refusal) => {
            all.extend(Diagnostic::all(&refusal.errors, sources));
            all.extend(Diagnostic::all(&refusal.warnings, sources));
            refusal.changes
        }
    };
    let found = Lints::default().find(&patches, &resolver, &changes);
    all.extend(Diagnostic::all(&found, sources));
    merge(all)
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
        said(
            response,
            MemoryTree::new(),
            &Options {
                rules,
                ..Options::default()
            },
        )
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
            format: Format::Envelope,
            what: What::Mode,
        }),
        Box::new(Replaced {
            path: "src/net.rs".into(),
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
            "interrupted",
            &interrupted,
            &[&["check", "../b.answer"], &["check", "../a.answer"]],
        ),
        ("recovered", &interrupted, &[&["apply", "../b.answer"]]),
        ("nothing-to-undo", &fresh, &[&["undo"]]),
        ("nothing-to-undo-of-a-commit", &committed, &[&["undo"]]),
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
