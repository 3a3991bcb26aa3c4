//! Directories as deep as the system has them and deeper, names as long and longer.

use std::os::fd::OwnedFd;

use assert_fs::prelude::*;
use rustix::fs::{CWD, Mode, OFlags, mkdirat, openat};

use crate::Fortress;
use crate::support::Repo;

fn add(path: &str) -> String {
    format!("*** Begin Patch\n*** Add File: {path}\n+new\n*** End Patch\n")
}

fn update(path: &str) -> String {
    format!("*** Begin Patch\n*** Update File: {path}\n@@\n-new\n+newer\n*** End Patch\n")
}

#[test]
fn names_may_be_as_long_as_the_system_has_them() {
    for target in ["-q", "--index"] {
        let repo = Repo::with(&[("a.txt", "old\n")]);
        for path in [
            "n".repeat(255),
            format!("{0}/{0}", "d".repeat(255)),
            format!("{}é", "n".repeat(253)),
        ] {
            repo.run(&["apply", target], add(&path)).succeeded();
            repo.child(&path).assert("new\n");
            repo.run(&["apply", target], update(&path)).succeeded();
            repo.child(&path).assert("newer\n");
            let away = format!(
                "*** Begin Patch\n*** Update File: {path}\n*** Move to: {}\n*** End Patch\n",
                "m".repeat(255)
            );
            repo.run(&["apply", target], away).succeeded();
            let gone = format!(
                "*** Begin Patch\n*** Delete File: {}\n*** End Patch\n",
                "m".repeat(255)
            );
            repo.run(&["apply", target], gone).succeeded();
            assert_eq!(repo.files().len(), 1, "{:?}", repo.files().keys());
        }
    }
}

#[test]
fn a_path_may_leave_no_room_for_the_names_beside_it() {
    let repo = Repo::with(&[("a.txt", "old\n")]);
    let path = format!("{}a", format!("{}/", "d".repeat(254)).repeat(16));
    repo.run(&["apply"], add(&path)).succeeded();
    repo.run(&["apply"], update(&path)).succeeded();
    repo.run(&["undo"], "").succeeded();
    repo.run(&["check"], update(&path)).succeeded();
}

#[test]
fn longer_names_are_refused_before_anything_is_done() {
    let fortress = Fortress::new();
    let deep = "d/".repeat(2100);
    for path in [
        "n".repeat(256),
        format!("{}/a", "d".repeat(256)),
        format!("dir/{}", "é".repeat(128)),
        format!("{deep}a"),
    ] {
        for response in [add(&path), update(&path)] {
            let run = fortress.repo.run(&["apply"], response).ended(1);
            assert!(
                run.stderr.starts_with("error[unsafe-path]"),
                "{}",
                run.stderr
            );
            assert!(
                run.stderr.len() < 20_000,
                "nobody reads {} bytes",
                run.stderr.len()
            );
            fortress.is_as_before(&run.stderr);
        }
    }
}

#[test]
fn a_file_may_be_as_deep_as_a_path_can_say() {
    let repo = Repo::with(&[("a.txt", "old\n")]);
    let path = format!("{}a", "d/".repeat(2047));
    assert_eq!(path.len(), 4095);
    let run = repo.run(&["apply"], add(&path));
    assert!(
        [0, 1, 3].contains(&run.status),
        "{}{}",
        run.stdout,
        run.stderr
    );
    if run.status == 0 {
        repo.run(&["apply"], update(&path)).succeeded();
        repo.run(
            &["apply"],
            format!("*** Begin Patch\n*** Delete File: {path}\n*** End Patch\n"),
        )
        .succeeded();
    }
    assert!(
        !repo.child("d").exists(),
        "directories that were made for it go with it"
    );
}

/// The directories above are walked through once, not once for each file.
#[test]
fn a_deep_directory_may_hold_many_files() {
    let repo = Repo::with(&[("a.txt", "old\n")]);
    let deep = "d/".repeat(200);
    let files: String = (0..200)
        .map(|number| format!("*** Add File: {deep}{number}\n+new\n"))
        .collect();
    let before = repo.files();
    for target in ["-q", "-N"] {
        repo.run(
            &["apply", target],
            format!("*** Begin Patch\n{files}*** End Patch\n"),
        )
        .succeeded();
        repo.child(format!("{deep}199")).assert("new\n");
        repo.run(&["undo"], "").succeeded();
        assert!(
            !repo.child("d").exists(),
            "directories that were made for them go with them"
        );
        assert_eq!(repo.files(), before);
    }
}

/// Makes directories in each other, deeper than any path can say.
fn bottomless(repo: &Repo, depth: usize) {
    let flags = OFlags::DIRECTORY | OFlags::CLOEXEC;
    let mut directory: OwnedFd = openat(CWD, repo.path(), flags, Mode::empty()).unwrap();
    for _ in 0..depth {
        mkdirat(&directory, "deep", Mode::RWXU).unwrap();
        directory = openat(&directory, "deep", flags, Mode::empty()).unwrap();
    }
    drop(
        openat(
            &directory,
            "a.txt",
            OFlags::CREATE | OFlags::WRONLY | OFlags::CLOEXEC,
            Mode::RUSR,
        )
        .unwrap(),
    );
}

#[test]
fn directories_deeper_than_a_path_can_say_are_in_nobodys_way() {
    let repo = Repo::with(&[("a.txt", "new\n")]);
    bottomless(&repo, 2000);
    repo.run(&["apply"], update("a.txt")).succeeded();
    repo.run(&["apply"], add("deep/b.txt")).succeeded();
    // To put a file there, the directory would have to be looked through.
    for path in ["deep", "deep/deep"] {
        let run = repo.run(&["apply", "--overwrite"], add(path));
        assert!([1, 3].contains(&run.status), "{}{}", run.stdout, run.stderr);
        assert!(
            run.stderr.ends_with("nothing was changed\n"),
            "{}",
            run.stderr
        );
    }
}
