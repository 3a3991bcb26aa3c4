use assert_fs::prelude::*;

use super::support::{Repo, symlink};
use super::{envelope, repo, update};

#[test]
fn it_prints_what_git_apply_takes_and_nothing_else() {
    let repo = repo();
    let response = envelope(
        "*** Update File: a.txt\n@@\n-two\n+2\n*** Add File: n.txt\n+n\n*** Delete File: src/b.txt\n",
    );
    let run = repo.run(&["diff"], &response).succeeded();
    assert!(
        run.stdout.starts_with("diff --git a/a.txt b/a.txt\n"),
        "{}",
        run.stdout
    );
    assert_eq!(run.stderr, "");
    assert_eq!(repo.git(&["status", "--porcelain"]), "");
    repo.git_with_input(&["apply"], run.stdout.as_bytes());
    repo.child("a.txt").assert("one\n2\nthree\n");
    assert!(repo.child("n.txt").exists() && !repo.child("src/b.txt").exists());
}

/// git prints a file that gives way to a link as deleted and new, also where the link has another name
/// and is to what the file says.
#[test]
fn a_file_that_becomes_a_link_is_deleted_and_new() {
    let repo = Repo::with(&[
        ("a.txt", "one\n"),
        ("src/b.txt", "b\n"),
        ("to", "src/b.txt"),
    ]);
    std::fs::remove_file(repo.child("a.txt")).unwrap();
    std::fs::remove_file(repo.child("to")).unwrap();
    symlink("src/b.txt", repo.child("a.txt"));
    symlink("src/b.txt", repo.child("link"));
    repo.git(&["add", "-A"]);
    let theirs = repo.git(&["diff", "--cached"]);
    repo.git(&["reset", "-q", "--hard"]);
    let run = repo.run(&["diff"], &theirs).succeeded();
    assert_eq!(
        (run.stdout.as_str(), run.stderr.as_str()),
        (&theirs[..], "")
    );
    repo.git_with_input(&["apply", "--check"], run.stdout.as_bytes());
    repo.run(&["apply", "--index"], &run.stdout).succeeded();
    assert_eq!(repo.git(&["diff", "HEAD"]), theirs);
}

#[test]
fn a_refusal_prints_no_diff() {
    let run = repo().run(&["diff"], update("a.txt", "four", "4")).ended(1);
    assert_eq!(run.stdout, "");
    assert!(
        run.stderr.starts_with("error[lines-not-found]: ")
            && !run.stderr.contains("nothing was changed")
    );
}

/// A heading that git cuts is cut between characters, as git cuts it.
#[test]
fn headings_are_those_of_git_diff() {
    for width in ["é", "漢", "😀"] {
        let line = |indent: usize| {
            format!(
                "{}{}\n{}",
                "x".repeat(indent),
                width.repeat(60),
                " 1\n".repeat(12)
            )
        };
        let files: Vec<(String, String)> = (1..5)
            .map(|indent| (format!("{indent}.txt"), line(indent)))
            .collect();
        let repo = Repo::with(
            &files
                .iter()
                .map(|(name, text)| (&**name, &**text))
                .collect::<Vec<_>>(),
        );
        let sections = files
            .iter()
            .map(|(name, _)| format!("*** Update File: {name}\n@@\n- 1\n+ 2\n*** End of File\n"));
        let response = envelope(&sections.collect::<String>());
        let ours = repo.run(&["diff"], &response).succeeded().stdout;
        repo.run(&["apply"], &response).succeeded();
        assert_eq!(ours, repo.git(&["diff"]));
    }
}

/// What `git diff` prints in place of a diff, ours does, byte for byte.
#[test]
fn other_forms_are_those_of_git_diff() {
    let repo = Repo::with(&[
        ("a.txt", "one\ntwo\n"),
        ("gone", "x\n"),
        ("old name", "1\n2\n3\n4\n5\n"),
        ("é", "x\n"),
    ]);
    let response = envelope(
        "*** Update File: a.txt\n@@\n-two\n+2\n*** Add File: new/n\n+n\n*** Delete File: gone\n\
         *** Update File: old name\n*** Move to: new name\n@@\n-5\n+6\n*** Update File: é\n@@\n-x\n+y\n",
    );
    let forms: &[&[&str]] = &[
        &["--stat"],
        &["--numstat"],
        &["--summary"],
        &["--name-only"],
        &["--numstat", "-z"],
        &["--name-only", "-z"],
        &["--stat", "--summary"],
        &["--name-only", "--stat"],
    ];
    let ours: Vec<_> = forms
        .iter()
        .map(|form| {
            repo.run(&[&["diff"], *form].concat(), &response)
                .succeeded()
                .stdout
        })
        .collect();
    repo.run(&["apply", "--index"], &response).succeeded();
    for (form, ours) in forms.iter().zip(ours) {
        assert_eq!(
            ours,
            repo.git(&[&["diff", "--cached"], *form].concat()),
            "{form:?}"
        );
    }
    repo.run(&["diff", "-z"], &response).ended(2);
}

/// What is coloured, and how, is what git would colour: as set, and by default.
#[test]
fn colours_are_those_of_git_diff() {
    let settings: &[&[(&str, &str)]] = &[
        &[],
        &[
            ("color.diff.new", "blue"),
            ("color.diff.meta", "yellow"),
            ("color.diff.context", "dim"),
        ],
    ];
    for settings in settings {
        let repo = Repo::with(&[
            ("a.txt", "fn f() {\n1\n2\n3\n4\n-- old\n6\n}\n"),
            ("b.txt", "b\n"),
        ]);
        settings
            .iter()
            .for_each(|(key, value)| drop(repo.git(&["config", key, value])));
        let response = envelope(
            "*** Update File: a.txt\n@@\n 4\n--- old\n+++ new \n+\t\n+\n 6\n*** Add File: c.txt\n+c\n*** Delete File: b.txt\n",
        );
        let painted = repo
            .run(&["diff", "--color=always"], &response)
            .succeeded()
            .stdout;
        repo.run(&["apply", "--index"], &response).succeeded();
        assert_eq!(painted, repo.git(&["diff", "--cached", "--color=always"]));
        assert!(painted.contains("\x1b["));
    }
}

#[test]
fn a_program_gets_no_colours_unless_it_asks() {
    let repo = repo();
    repo.git(&["config", "color.ui", "auto"]);
    let run = repo.run(&["diff"], update("a.txt", "two", "2")).succeeded();
    assert!(!run.stdout.contains('\x1b'));
    repo.git(&["config", "color.diff", "always"]);
    let run = repo.run(&["diff"], update("a.txt", "two", "2")).succeeded();
    assert!(run.stdout.contains('\x1b'));
    let run = repo
        .run(&["diff", "--color=never"], update("a.txt", "two", "2"))
        .succeeded();
    assert!(!run.stdout.contains('\x1b'));
}
