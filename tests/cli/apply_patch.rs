//! The program under the name `apply_patch`, as agents start it.

use std::process::Command;

use assert_fs::prelude::*;

use crate::support::{self, Repo, Run};

/// Starts the program by another name, in a directory of a repository; returns its status, and what
/// it printed on both streams.
fn apply_patch(
    repo: &Repo,
    directory: &str,
    arguments: &[&str],
    input: &str,
) -> (i32, String, String) {
    let link = repo.path().parent().unwrap().join("apply_patch");
    let link = link.with_extension(std::env::consts::EXE_EXTENSION);
    if !link.exists() {
        support::system::install(&link);
    }
    let mut command = support::isolated(Command::new(link), &repo.path().join(directory));
    let Run {
        status,
        stdout,
        stderr,
        ..
    } = support::run(command.args(arguments), input.as_bytes());
    (status, stdout, stderr)
}

const PATCH: &str = "*** Begin Patch\n*** Add File: new/n.txt\n+n\n*** Update File: a.txt\n@@\n-one\n+two\n*** Delete File: gone\n\
                     *** Update File: old\n*** Move to: moved\n@@\n-x\n+y\n*** End Patch\n";

const SAID: &str = "Success. Updated the following files:\nA new/n.txt\nM a.txt\nM moved\nD gone\n";

fn repo(prefix: &str) -> Repo {
    let names = ["a.txt", "gone", "old"].map(|name| format!("{prefix}{name}"));
    Repo::with(&[(&names[0], "one\n"), (&names[1], "g\n"), (&names[2], "x\n")])
}

#[test]
fn the_patch_is_the_argument_or_standard_input() {
    for is_argument in [true, false] {
        let repo = repo("");
        let (arguments, input) = if is_argument {
            (vec![PATCH], "")
        } else {
            (vec![], PATCH)
        };
        assert_eq!(
            apply_patch(&repo, "", &arguments, input),
            (0, SAID.into(), String::new())
        );
        repo.child("a.txt").assert("two\n");
        repo.child("moved").assert("y\n");
        repo.run(&["undo"], "").succeeded();
        repo.child("a.txt").assert("one\n");
    }
}

#[test]
fn paths_count_from_where_the_agent_is() {
    let repo = repo("sub/dir/");
    assert_eq!(
        apply_patch(&repo, "sub/dir", &[PATCH], ""),
        (0, SAID.into(), String::new())
    );
    repo.child("sub/dir/a.txt").assert("two\n");
}

#[test]
fn a_refusal_changes_nothing_and_is_status_one() {
    let repo = repo("");
    let before = repo.files();
    let (status, stdout, stderr) = apply_patch(&repo, "", &[&PATCH.replace("-one", "-three")], "");
    assert_eq!((status, stdout), (1, String::new()));
    assert!(stderr.starts_with("error[lines-not-found]"), "{stderr}");
    assert_eq!(repo.files(), before);
    let outside = PATCH.replace("a.txt", "../a.txt");
    assert_eq!(apply_patch(&repo, "", &[&outside], "").0, 1);
    repo.child(".git/index.lock").touch().unwrap();
    assert_eq!(apply_patch(&repo, "", &[PATCH], "").0, 1);
    assert_eq!(repo.files(), before);
}

#[test]
fn a_suggested_path_is_named_from_where_the_agent_is() {
    let repo = repo("");
    std::fs::create_dir_all(repo.child("deep/er")).unwrap();
    let elsewhere = PATCH.replace("a.txt", "/elsewhere/a.txt");
    let (_, _, stderr) = apply_patch(&repo, "deep/er", &[&elsewhere], "");
    assert!(
        stderr.contains("did you mean `../../a.txt`?")
            && stderr.contains("by its path from `deep/er`"),
        "{stderr}"
    );
}

#[test]
fn wrong_usage_is_status_two() {
    let repo = repo("");
    for (arguments, input) in [(vec![PATCH, PATCH], ""), (vec![""], ""), (vec![], " \n")] {
        let (status, stdout, stderr) = apply_patch(&repo, "", &arguments, input);
        assert_eq!((status, stdout), (2, String::new()));
        assert!(stderr.contains("Usage: apply_patch 'PATCH'"), "{stderr}");
    }
}

#[test]
fn it_is_installed_as_a_link_beside_other_programs_and_works() {
    support::needs(support::Need::Links);
    let (repo, home) = (repo(""), assert_fs::TempDir::new().unwrap());
    let install = || {
        let mut command = repo.command();
        support::run(
            command
                .args(["apply-patch", "--install"])
                .env("HOME", home.path()),
            b"",
        )
    };
    let (link, first) = (home.path().join(".local/bin/apply_patch"), install());
    assert_eq!(
        (first.status, first.stdout),
        (0, format!("{}\n", link.display()))
    );
    assert!(first.stderr.contains("export PATH="), "{}", first.stderr);
    let mut command = support::isolated(Command::new(&link), repo.path());
    assert_eq!(support::run(command.arg(PATCH), b"").stdout, SAID);
    assert_eq!(install().status, 0, "a link is replaced");
    std::fs::remove_file(&link).unwrap();
    std::fs::write(&link, "#!/bin/sh\n").unwrap();
    let second = install();
    assert_eq!(second.status, 3, "another program is not");
    assert!(
        second.stderr.contains("is another program"),
        "{}",
        second.stderr
    );
    assert_eq!(std::fs::read_to_string(&link).unwrap(), "#!/bin/sh\n");
}

#[test]
fn as_a_command_it_is_the_same() {
    let repo = repo("");
    assert_eq!(
        repo.run(&["apply-patch", PATCH], "").succeeded().stdout,
        SAID
    );
}

/// Who reads it can give no option of ours.
#[test]
fn what_helps_is_said_to_the_model() {
    let repo = Repo::with(&[
        ("sub/a.txt", "\tone\n"),
        ("sub/net/tcp.rs", "x\n"),
        ("b.txt", "x\ny\nx\ny\n"),
    ]);
    repo.git(&["config", "llmpatch.limit", "sub"]);
    let update = |path: &str, hunk: &str| {
        format!("*** Begin Patch\n*** Update File: {path}\n@@\n{hunk}*** End Patch\n")
    };
    for (directory, patch, said) in [
        ("sub", update("a.txt", "-    one\n+two\n"), "\nhelp: "),
        (
            "sub",
            update("tcp.rs", "-x\n+y\n"),
            "did you mean `sub/net/tcp.rs`? below `sub`, where paths begin here, it is `net/tcp.rs`",
        ),
        ("sub", update("../b.txt", "-x\n+z\n"), "help: "),
        (
            "",
            update("b.txt", "-x\n+z\n"),
            "help: leave this file out of the patch\n",
        ),
        (
            "sub",
            update("net/tcp.rs", "-x\n+x\n"),
            "help: if something else was meant, send a patch that does it",
        ),
        (
            "sub",
            "*** Begin Patch\n*** Add File: a.txt\n+x\n*** End Patch\n".to_owned(),
            "help: change its lines",
        ),
    ] {
        let (status, _, stderr) = apply_patch(&repo, directory, &[&patch], "");
        assert_eq!(status, 1, "{stderr}");
        assert!(stderr.contains(said), "{stderr}");
        let helps: String = stderr
            .lines()
            .filter(|line| line.starts_with("help: ") || line.starts_with("note: "))
            .collect();
        for option in [
            "--fuzz",
            "--directory",
            "--limit",
            "--feedback",
            "--allow-empty",
            "--overwrite",
            "`git ",
        ] {
            assert!(!helps.contains(option), "{stderr}");
        }
    }
}

#[test]
fn what_is_no_patch_is_answered_with_what_one_is() {
    let (status, _, stderr) = apply_patch(&repo(""), "", &["hi"], "");
    assert_eq!(status, 1);
    let said = "from a line `*** Begin Patch` to a line `*** End Patch`";
    assert!(stderr.contains(said), "{stderr}");
}
