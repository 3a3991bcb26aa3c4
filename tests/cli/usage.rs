use super::support;
use super::{repo, update};
use assert_fs::prelude::*;

#[test]
fn what_makes_no_sense_ends_in_status_2_and_says_why() {
    let repo = repo();
    for (args, want) in [
        (
            &["apply", "-m", "x"][..],
            "the option '-m' requires '--commit'",
        ),
        (
            &["apply", "--commit", "-m", " "],
            "the commit message is empty",
        ),
        (&["apply", "-F", "x"], "the option '-F' requires '--commit'"),
        (
            &["apply", "--edit"],
            "the option '--edit' requires '--commit'",
        ),
        (
            &["apply", "-s"],
            "the option '--signoff' requires '--commit'",
        ),
        (
            &["apply", "--trailer", "a: b"],
            "the option '--trailer' requires '--commit'",
        ),
        (
            &["apply", "--author=x"],
            "the option '--author' requires '--commit'",
        ),
        (
            &["apply", "--date=x"],
            "the option '--date' requires '--commit'",
        ),
        (&["apply", "-S"], "the option '-S' requires '--commit'"),
        (
            &["apply", "--gpg-sign=x"],
            "the option '--gpg-sign' requires '--commit'",
        ),
        (
            &["apply", "--no-gpg-sign"],
            "the option '--no-gpg-sign' requires '--commit'",
        ),
        (
            &["apply", "--index", "--no-verify"],
            "the option '--no-verify' requires '--commit'",
        ),
        (&["apply", "-z"], "the option '-z' requires '--numstat'"),
        (&["apply", "--commit", "--cached"], "'--commit'"),
        (&["apply", "--index", "--cached"], "'--cached'"),
        (&["apply", "-N", "--index"], "'--intent-to-add'"),
        (&["apply", "-N", "--cached"], "'--intent-to-add'"),
        (&["apply", "-N", "--commit"], "'--intent-to-add'"),
        (&["apply", "--commit", "-m", "x", "-F", "y"], "'-F <file>'"),
        (&["apply", "--commit", "-F", "-"], "standard input"),
        (
            &["apply", "-", "x", "-"],
            "standard input can be read only once",
        ),
        (&["check", "-", "-"], "standard input can be read only once"),
        (&["diff", "-", "-"], "standard input can be read only once"),
        (&["apply", "-q", "-v"], "'--verbose'"),
        (&["apply", "--format=nonsense"], "'--format <format>'"),
        (&["apply", "--strict", "--fuzz=indent"], "'--strict'"),
        (&["check", "--fuzz=unicode", "--strict"], "'--strict'"),
        (&["apply", "--fuzz=much"], "'--fuzz <level>'"),
        (&["apply", "--nonsense"], "'--nonsense'"),
        (&["check", "--index"], "'--index'"),
        (&["diff", "--cached", "--onto=HEAD"], "'--onto <rev>'"),
        (&["nonsense"], "'nonsense'"),
    ] {
        let run = repo.run(args, "").ended(2);
        let first = run.stderr.lines().next().unwrap_or_default();
        assert!(
            first.starts_with("error: ") && first.contains(want),
            "{args:?} {}",
            run.stderr
        );
        assert_eq!(run.stdout, "", "{args:?}");
        // Git would look for a manual page.
        assert!(!run.stderr.contains("--help"), "{args:?} {}", run.stderr);
    }
}

#[test]
fn an_option_that_does_not_exist_is_no_response() {
    let repo = repo();
    for option in ["--force", "--nonsense", "-X", "--cache"] {
        let run = repo.run(&["apply", option], "").ended(2);
        assert!(
            !run.stderr.contains("as a value") && !run.stderr.contains("\n\n\n"),
            "{option} {}",
            run.stderr
        );
        assert_eq!(
            run.stderr.contains("tip: "),
            option == "--cache",
            "{option} {}",
            run.stderr
        );
    }
}

#[test]
fn help_is_no_error_but_saying_nothing_is() {
    let repo = repo();
    for (args, status, on_stdout) in [
        (&["--help"][..], 0, true),
        (&["-h"], 0, true),
        (&["--version"], 0, true),
        (&["apply", "--help"], 0, true),
        (&["check", "-h"], 0, true),
        (&["diff", "-h"], 0, true),
        (&[], 2, false),
    ] {
        let run = repo.run(args, "").ended(status);
        assert_eq!(
            (run.stdout.is_empty(), run.stderr.is_empty()),
            (!on_stdout, on_stdout),
            "{args:?}"
        );
    }
    for (asked, page) in [
        (&["apply", "--help"][..], "apply"),
        (&["--help"], "git-llmpatch"),
    ] {
        assert_eq!(
            repo.run(asked, "").stdout,
            repo.run(&["help", page], "").stdout,
            "{asked:?}"
        );
    }
    assert_eq!(
        repo.run(&["--version"], "").stdout,
        format!("git-llmpatch {}\n", env!("CARGO_PKG_VERSION"))
    );
}

/// No line is broken but between words, and none is wider than the terminal where its words aren't.
#[test]
fn help_wraps_at_words_at_any_width() {
    let repo = repo();
    for width in [30, 40, 60, 80, 100, 200] {
        for args in [
            &["-h"][..],
            &["apply", "-h"],
            &["show", "-h"],
            &["check", "-h"],
            &["man", "-h"],
            &["completions", "-h"],
        ] {
            let text = |width: usize| {
                let run = support::run(
                    repo.command().args(args).env("COLUMNS", width.to_string()),
                    b"",
                );
                run.succeeded().stdout
            };
            let words = |text: &str| {
                text.split_whitespace()
                    .map(str::to_owned)
                    .collect::<Vec<_>>()
            };
            let narrow = text(width);
            assert_eq!(words(&narrow), words(&text(100)), "{args:?} {width}");
            let paragraphs = narrow.trim_end().rsplit("\n\n").next().unwrap().to_owned();
            let lines: Vec<_> = paragraphs
                .lines()
                .filter(|line| !line.starts_with(' '))
                .collect();
            for pair in lines.windows(2) {
                let next = pair[1].split(' ').next().unwrap();
                assert!(
                    pair[0].len() + 1 + next.len() > width.min(100),
                    "{args:?} {width}: a line could be longer\n{narrow}"
                );
            }
        }
    }
}

/// What people reach for; the manual, which is named, has the rest.
#[test]
fn help_is_short() {
    let repo = repo();
    for command in ["apply", "check", "diff", "convert", "batch"] {
        let help = repo.run(&[command, "-h"], "").succeeded().stdout;
        let is_option = |line: &&str| ["  -", "      --"].iter().any(|at| line.starts_with(at));
        let count = help.lines().filter(is_option).count();
        assert!((10..=22).contains(&count), "{count}\n{help}");
        let end = format!("'git llmpatch help {command}' has all options.\n");
        assert!(help.ends_with(&end), "{help}");
        let page = repo.run(&["man", command], "").succeeded().stdout;
        assert!(page.contains(r"\-\-allow\-empty"), "{command}");
    }
}

#[test]
fn the_last_of_two_opposites_wins() {
    let repo = repo();
    for args in [
        &["--strict", "--no-strict"][..],
        &["--unique", "--no-unique"],
        &["--color=always", "--color=never"],
        &["--strict", "--no-strict", "--fuzz=indent"],
        &["--fuzz=indent", "--no-fuzz", "--strict"],
        &["--fuzz=indent", "--fuzz=trailing"],
    ] {
        repo.run(
            &[&["check"], args].concat(),
            super::update("a.txt", "two", "2"),
        )
        .succeeded();
    }
}

/// What git's own options are for has its way here, and it is said.
#[test]
fn options_of_git_apply_are_answered() {
    let repo = repo();
    for (option, way) in [
        ("-R", "undo"),
        ("--staged", "--cached"),
        ("--reverse", "undo"),
        ("--reject", "apply -i"),
        ("--whitespace=fix", "git apply --whitespace"),
        ("-C1", "--fuzz"),
        ("--ignore-whitespace", "--fuzz"),
        ("--unidiff-zero", "without an option"),
        ("--amend", "apply with '--index', then 'git commit --amend'"),
    ] {
        let run = repo.run(&["apply", option], "").ended(2);
        assert!(
            run.stderr.contains("tip: ") && run.stderr.contains(way),
            "{option}: {}",
            run.stderr
        );
    }
}

/// git's own spellings of what is git's own.
#[test]
fn directories_are_taken_off_and_lines_recounted_as_git_is_asked_to() {
    let repo = repo();
    let diff = "--- x/y/a.txt\n+++ x/y/a.txt\n@@ -1,9 +1,9 @@\n one\n-two\n+2\n";
    for args in [
        &["check", "-p2", "--recount"][..],
        &["check", "-p", "2", "--recount"],
        &["diff", "--recount", "-p2"],
        &["apply", "-p2", "--recount"],
    ] {
        repo.run(args, diff).succeeded();
    }
    for number in ["-px", "-p-1", "-p="] {
        repo.run(&["check", number], diff).ended(2);
    }
}

#[test]
pub(super) fn help_has_a_section_of_each_kind() {
    let repo = repo();
    for kind in llmpatch::kind::Kind::ALL {
        let said = repo.run(&["help", kind.code()], "").succeeded().stdout;
        let lines: Vec<_> = said.lines().collect();
        assert_eq!(lines.first(), Some(&kind.code()), "{said}");
        assert!(lines.len() >= 2, "{said}");
        assert_eq!(
            lines
                .iter()
                .filter(|line| !line.is_empty() && !line.starts_with(' '))
                .count(),
            1,
            "{said}"
        );
    }
    repo.run(&["help", "no-such-kind"], "").ended(2);
}

/// What is no command but a file is taken for a response that somebody wants to apply.
#[test]
pub(super) fn a_file_in_the_place_of_a_command_is_suggested_to_apply() {
    let repo = repo();
    let response = update("a.txt", "two", "2");
    for (name, word) in [("r.txt", "r.txt"), ("a response", "'a response'")] {
        repo.child(name).write_str(&response).unwrap();
        let run = repo.run(&[name], "").ended(2);
        let tip = format!("tip: `git llmpatch apply {word}` applies it\n");
        assert!(run.stderr.contains(&tip), "{}", run.stderr);
    }
    let run = repo.run(&["no.txt"], "").ended(2);
    assert!(!run.stderr.contains("tip: "), "{}", run.stderr);
    repo.run(&["apply", "r.txt"], "").succeeded();
}

#[test]
fn help_shows_a_page_by_man_or_else_as_text() {
    let repo = repo();
    let run = repo.run(&["help", "apply"], "").succeeded();
    assert!(run.stdout.contains("--intent-to-add"), "{}", run.stdout);
    for (args, what) in [
        (&["help", "apply"][..], "Work out the whole change"),
        (&["help"], "Apply the patches"),
        (&["help", "troubleshooting"], "What responses look like"),
    ] {
        let without = support::run(repo.command().args(args).env("PATH", ""), b"").succeeded();
        let name = without.stdout.lines().nth(1).unwrap();
        assert!(name.contains(what), "{}", without.stdout);
        assert!(
            without.stdout.contains("\nDESCRIPTION\n    "),
            "{}",
            without.stdout
        );
    }
    repo.run(&["help", "nothing"], "").ended(2);
}

#[test]
fn what_was_given_is_shown_without_what_a_terminal_obeys() {
    let repo = repo();
    let odd = "x\u{9b}31m\u{202e}\r\n\u{7f}\u{1b}[2J\t\u{200b}é";
    for args in [
        &["{}"][..],
        &["apply", "--{}"],
        &["apply", "-{}"],
        &["apply", "--fuzz={}"],
        &["apply", "--format={}"],
        &["apply", "--expect={}"],
        &["apply", "--limit=:({})"],
        &["apply", "--conflicts={}"],
        &["apply", "--onto=HEAD", "--commit", "--branch={}"],
        &["apply", "--quiet={}"],
        &["convert", "--to={}"],
        &["batch", "--onto=HEAD", "-j{}"],
        &["snapshot", "{}"],
        &["prompt", "{}"],
        &["completions", "{}"],
    ] {
        let args: Vec<_> = args.iter().map(|arg| arg.replace("{}", odd)).collect();
        let args: Vec<_> = args.iter().map(String::as_str).collect();
        let run = repo.run(&args, "").ended(2);
        let is_odd = |c: &char| *c != '\n' && !llmpatch::text::Shown::is_harmless(*c);
        let found: Vec<_> = run.stderr.chars().filter(is_odd).collect();
        assert!(found.is_empty(), "{args:?}: {found:?}");
        // Of letters in a row only the first is no option.
        let is_short = args[1..].iter().any(|arg| arg.starts_with("-x"));
        assert!(is_short || run.stderr.contains("é"), "{}", run.stderr);
    }
}

/// What the command line or a setting names and isn't there is no fault of the system: it won't
/// work later. A program is told by a document, as of every failure.
#[test]
fn words_of_the_user_have_a_kind_of_their_own() {
    let repo = repo();
    repo.child("out").write_str("mine\n").unwrap();
    repo.child("empty").write_str("\n").unwrap();
    let response = super::update("a.txt", "two", "2");
    for args in [
        &["apply", "--base=nosuch"][..],
        &["apply", "--onto=nosuch"],
        &["apply", "--commit", "--author=nobody"],
        &["apply", "--commit", "--date=never"],
        &["apply", "--commit", "-F", "empty"],
        &["apply", "--onto=HEAD^{tree}", "--commit"],
        &["check", "--onto=nosuch"],
        &["show", "nosuch"],
        &["show", "nosuch..HEAD"],
        &["prompt", "--example=nosuch"],
        &["batch", "--onto=nosuch"],
        &["batch", "--onto=HEAD", "-o", "out"],
    ] {
        let run = repo.run(args, &response).ended(2);
        assert!(
            run.stderr.starts_with("error[usage]: "),
            "{args:?} {}",
            run.stderr
        );
        if ["apply", "check"].contains(&args[0]) {
            let run = repo
                .run(&[args, &["--json", "--feedback"]].concat(), &response)
                .ended(2);
            let document: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
            assert_eq!(document["errors"][0]["kind"], "usage", "{args:?}");
            assert!(document["feedback"].is_null(), "{args:?}");
        }
    }
    assert_eq!(repo.text("out"), "mine\n");
    assert_eq!(repo.git(&["status", "--porcelain"]), "?? empty\n?? out\n");
    let lines = "[1\n{\"id\": 1\n7\n{\"response\": 3}\n";
    let run = repo.run(&["batch", "--onto=HEAD"], lines).succeeded();
    assert!(!run.stdout.contains("struct"), "{}", run.stdout);
}

/// What is advised can be done, with the command that advises it.
#[test]
fn advice_is_about_what_was_asked_for() {
    support::needs(support::Need::Shell);
    let response = super::update("a.txt", "two", "2");
    let refused = |repo: &support::Repo, args: &[&str], variables: &[(&str, &str)]| {
        let mut command = repo.command();
        command.args(args).envs(variables.iter().copied());
        let run = support::run(&mut command, response.as_bytes());
        assert!(run.status >= 2, "{args:?} {}{}", run.stdout, run.stderr);
        run.stderr
    };
    let repo = repo();
    repo.child("lines").write_str("").unwrap();
    let bare = repo.path().with_file_name("bare.git");
    repo.git(&["clone", "-q", "--bare", ".", bare.to_str().unwrap()]);
    let dated = [("GIT_COMMITTER_DATE", "garbage")];
    for (args, variables, want, other) in [
        (
            &["batch", "--onto=HEAD", "-o", "nowhere/x", "lines"][..],
            &[][..],
            "help: make its directory first",
            "standard input",
        ),
        (
            &["batch", "--onto=HEAD", "-o", "src", "lines"],
            &[],
            "error[io]: can't write `src`",
            "standard input",
        ),
        (
            &["apply", "--commit", "-m", "x"],
            &dated,
            "error[usage]: `GIT_COMMITTER_DATE` is `garbage`, which isn't a date",
            "user.name",
        ),
    ] {
        let said = refused(&repo, args, variables);
        assert!(said.contains(want), "{args:?} {said}");
        assert!(!said.contains(other), "{args:?} {said}");
    }
    for command in ["undo", "snapshot"] {
        let mut ours = repo.command();
        let run = support::run(ours.current_dir(&bare).arg(command), b"");
        let is_advised = run
            .stderr
            .contains("help: run it in a work tree of this repository");
        assert!(
            (is_advised || command == "undo") && !run.stderr.contains("or use `--cached`"),
            "{command} {}",
            run.stderr
        );
    }
    let unborn = support::Repo::empty();
    let added = super::envelope("*** Add File: a.txt\n+x\n");
    let run = unborn.run(&["apply", "--each", "--commit"], added).ended(3);
    assert!(
        run.stderr
            .starts_with("error[repository]: there is no commit yet")
            && run
                .stderr
                .contains("help: make the first commit of one response"),
        "{}",
        run.stderr
    );
    let broken = super::repo();
    broken.child(".git/config").write_str("[core\n").unwrap();
    let said = refused(&broken, &["check"], &[]);
    assert!(said.contains("help: correct that file"), "{said}");
}

#[test]
fn without_a_repository_the_missing_home_is_named() {
    let place = assert_fs::TempDir::new().unwrap();
    let mut command = support::isolated(std::process::Command::new(support::program()), &place);
    command.arg("apply").env_remove("HOME");
    #[cfg(windows)]
    command.env_remove("USERPROFILE");
    let run = support::run(&mut command, b"x").ended(3);
    assert!(
        run.stderr.contains("neither XDG_STATE_HOME nor HOME says")
            && run.stderr.contains("help: set `XDG_STATE_HOME`"),
        "{}",
        run.stderr
    );
}
