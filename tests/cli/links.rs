//! New symbolic links of a diff: what they leave is compared with `git apply`, and undone again.

use std::fs;
use std::os::unix::fs::symlink;

use assert_fs::prelude::*;

use super::support::Repo;

/// A repository whose attributes change files, and a diff that adds lines, puts a link in the place
/// of a file and makes others.
fn scene() -> (Repo, String) {
    let attributes = "* text eol=crlf ident\n";
    let repo = Repo::with(&[
        (".gitattributes", attributes),
        ("d/f", "one\n"),
        ("d/g", "g\n"),
    ]);
    let top = repo.child("");
    fs::create_dir(top.join("e")).unwrap();
    for (target, path) in [
        ("f", "d/l"),
        ("d/$Id$", "top"),
        ("../d", "e/dir"),
        ("f", "d/g"),
    ] {
        let _ = fs::remove_file(top.join(path));
        symlink(target, top.join(path)).unwrap();
    }
    repo.child("d/f").write_str("one\ntwo\n").unwrap();
    repo.git(&["add", "-A"]);
    let diff = repo.git(&["diff", "--cached"]);
    reset(&repo);
    (repo, diff)
}

fn reset(repo: &Repo) {
    repo.git(&["reset", "-q", "--hard"]);
    repo.git(&["clean", "-fdq"]);
}

/// Returns what git says of index and work tree, and where links lead.
fn seen(repo: &Repo) -> String {
    let link = |path: &str| fs::read_link(repo.child(path)).ok();
    let links = ["d/l", "top", "e/dir", "d/g"].map(link);
    let status = repo.git(&["status", "--short", "-uall"]);
    format!("{status}{}{links:?}", repo.git(&["ls-files", "-s"]))
}

#[test]
fn links_are_made_as_git_makes_them_and_undone() {
    let (repo, diff) = scene();
    let before = seen(&repo);
    for option in [None, Some("--index"), Some("--cached")] {
        let args: Vec<_> = ["apply"].into_iter().chain(option).collect();
        repo.child(".git/diff").write_str(&diff).unwrap();
        repo.git(&[&args[..], &[".git/diff"]].concat());
        let theirs = seen(&repo);
        reset(&repo);
        repo.run(&args, &diff).succeeded();
        assert_eq!(seen(&repo), theirs, "{option:?}");
        repo.run(&["undo"], "").succeeded();
        assert_eq!(seen(&repo), before, "{option:?}");
    }
}

/// `git apply -N` drops the entries of other files (seen with 2.47).
#[test]
fn links_are_recorded_as_to_be_added() {
    let (repo, diff) = scene();
    let before = seen(&repo);
    repo.run(&["apply", "-N"], &diff).succeeded();
    let status = " M d/f\n T d/g\n A d/l\n A e/dir\n A top\n";
    assert!(seen(&repo).starts_with(status), "{}", seen(&repo));
    repo.run(&["undo"], "").succeeded();
    assert_eq!(seen(&repo), before);
}

#[test]
fn links_are_committed() {
    let (repo, diff) = scene();
    repo.run(&["apply", "--commit"], &diff).succeeded();
    assert_eq!(repo.git(&["status", "--short"]), "");
    let committed = repo.git(&["rev-parse", "HEAD^{tree}"]);
    let onto = repo.run(&["apply", "--onto=HEAD^"], &diff).succeeded();
    assert_eq!(onto.stdout, committed);
    repo.git(&["reset", "-q", "--hard", "HEAD^"]);
    // What was made in the work tree first is staged, and committed, as it is.
    repo.run(&["apply"], &diff).succeeded();
    repo.run(&["apply", "--index"], &diff).succeeded();
    assert_eq!(
        repo.git(&["write-tree"]).trim(),
        committed.trim(),
        "staged afterwards"
    );
    repo.run(&["apply", "--commit"], &diff).succeeded();
    assert_eq!(repo.git(&["rev-parse", "HEAD^{tree}"]), committed);
    assert_eq!(repo.git(&["status", "--short"]), "");
}

#[test]
fn a_link_that_was_changed_since_is_left_alone() {
    let (repo, diff) = scene();
    repo.run(&["apply"], &diff).succeeded();
    let link = repo.child("d/l");
    fs::remove_file(&link).unwrap();
    // A file of the same bytes is no link.
    link.write_str("f").unwrap();
    let refused = repo.run(&["undo"], "");
    assert!(
        refused.stderr.contains("error[stale]"),
        "{}",
        refused.stderr
    );
    assert_eq!(fs::read_to_string(&link).unwrap(), "f");
    let top = fs::read_link(repo.child("top")).unwrap();
    assert_eq!(top.to_str(), Some("d/$Id$"));
}

#[test]
fn where_git_makes_no_links_none_is_made() {
    let (repo, diff) = scene();
    repo.git(&["config", "core.symlinks", "false"]);
    let before = seen(&repo);
    let refused = repo.run(&["apply"], &diff);
    assert!(
        refused.stderr.contains("error[unsupported]"),
        "{}",
        refused.stderr
    );
    assert_eq!(seen(&repo), before);
}
