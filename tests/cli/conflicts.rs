//! `apply -3 --conflicts=markers`: what it leaves is compared with `git apply -3` and `git
//! cherry-pick`.

use assert_fs::prelude::*;

use super::support::{Need, Repo, isolated, needs, run, some};
use super::{envelope, update};

const BASE: &str = "--base=HEAD~1";

fn lines(changed: &[(usize, &str)]) -> String {
    let line = |at: usize| {
        changed
            .iter()
            .find(|(line, _)| *line == at)
            .map_or(format!("line {at}"), |(_, to)| (*to).into())
    };
    (0..14).map(|at| line(at) + "\n").collect()
}

/// A first commit that responses are about, and a second one that changed the same files; `picked`
/// is what a response makes of the first.
fn fork(response: &str, settings: &[&str]) -> Repo {
    let repo = Repo::with(&[
        ("a.txt", &lines(&[])),
        ("b.txt", "b\n"),
        ("c.txt", "c\n"),
        ("gone.txt", "gone\n"),
    ]);
    repo.git(&["checkout", "-qb", "picked"]);
    repo.run(&["apply", "--commit", "-mpicked"], response)
        .succeeded();
    repo.git(&["checkout", "-q", "main"]);
    repo.child("a.txt")
        .write_str(&lines(&[(3, "here"), (9, "also here")]))
        .unwrap();
    repo.child("b.txt").write_str("here\n").unwrap();
    repo.child("new.txt").write_str("new here\n").unwrap();
    repo.git(&["rm", "-q", "gone.txt"]);
    repo.git(&["add", "."]);
    repo.commit("now");
    for setting in settings {
        let (key, value) = setting.split_once('=').unwrap();
        repo.git(&["config", key, value]);
    }
    repo
}

/// What the index and the work tree hold.
fn seen(repo: &Repo) -> [String; 2] {
    let files = repo
        .files()
        .into_iter()
        .map(|(path, file)| format!("{} {file:?}\n", path.display()))
        .collect();
    [repo.git(&["ls-files", "-s"]), files]
}

fn marked(repo: &Repo, response: &str) -> super::support::Run {
    repo.run(&["apply", "-3", "--conflicts=markers", BASE], response)
}

#[test]
fn lines_in_conflict_are_left_as_git_apply_leaves_them() {
    let texts = [
        update("a.txt", "line 3", "there"),
        envelope(
            "*** Update File: a.txt\n@@\n-line 3\n+there\n@@\n-line 12\n+clean\n*** Update File: c.txt\n@@\n-c\n+C\n",
        ),
        envelope(
            "*** Update File: a.txt\n@@\n line 2\n-line 3\n+there\n@@\n-line 9\n line 10\n*** Update File: b.txt\n@@\n-b\n+there\n",
        ),
    ];
    let styles = [
        &[][..],
        &["merge.conflictStyle=diff3"],
        &["merge.conflictStyle=zdiff3"],
    ];
    let sizes = ["", "a.txt conflict-marker-size=12\n"];
    let all = texts.iter().flat_map(|response| {
        let of = move |settings| sizes.map(|attributes| (response, settings, attributes));
        styles.into_iter().flat_map(of)
    });
    for (response, settings, attributes) in some(all, 5) {
        let repo = fork(response, settings);
        if !attributes.is_empty() {
            repo.child(".git/info/attributes")
                .write_str(attributes)
                .unwrap();
        }
        let theirs = repo.copied();
        theirs.git(&["update-index", "--refresh"]);
        let diff = theirs.git(&["diff", "--full-index", "main~1", "picked"]);
        let mut git = isolated(std::process::Command::new("git"), theirs.path());
        run(git.args(["apply", "-3"]), diff.as_bytes()).ended(1);
        let before = seen(&repo);
        let ours = marked(&repo, response).ended(4);
        assert_eq!(
            seen(&repo),
            seen(&theirs),
            "{response} {settings:?} {attributes}"
        );
        let status = [&repo, &theirs].map(|repo| repo.git(&["status", "--porcelain"]));
        assert_eq!(status[0], status[1]);
        assert!(ours.stderr.contains("[in-conflict]"), "{}", ours.stderr);
        // All of it can be taken back.
        repo.run(&["undo"], "").succeeded();
        assert_eq!(seen(&repo), before);
        assert_eq!(repo.git(&["status", "--porcelain"]), "");
        repo.git(&["fsck", "--strict"]);
    }
}

#[test]
fn other_conflicts_are_left_as_cherry_pick_leaves_them() {
    for section in [
        "*** Delete File: a.txt\n",
        "*** Update File: gone.txt\n@@\n-gone\n+there\n",
        "*** Add File: new.txt\n+new there\n",
        "*** Update File: c.txt\n@@\n-c\n+C\n*** Add File: d/new.txt\n+d\n*** Delete File: b.txt\n",
    ] {
        let response = envelope(section);
        let repo = fork(&response, &[]);
        let theirs = repo.copied();
        let mut git = isolated(std::process::Command::new("git"), theirs.path());
        run(git.args(["cherry-pick", "picked"]), b"").ended(1);
        let before = seen(&repo);
        marked(&repo, &response).ended(4);
        let mut both = [seen(&repo), seen(&theirs)];
        // Of who it is says each in its own words.
        for side in &mut both {
            side[1] = side[1]
                .replace(">>>>>>> theirs", ">>>>>>> x")
                .replace("<<<<<<< ours", "<<<<<<< HEAD");
            let end = side[1]
                .split(">>>>>>> ")
                .nth(1)
                .and_then(|rest| rest.split("\\n").next())
                .map(str::to_owned);
            if let Some(end) = end {
                side[1] = side[1].replace(&end, "x");
            }
        }
        assert_eq!(both[0], both[1], "{section}");
        repo.run(&["undo"], "").succeeded();
        assert_eq!(seen(&repo), before, "{section}");
    }
}

#[test]
fn git_resolves_it_and_undo_minds_that() {
    let response = update("a.txt", "line 3", "there");
    let repo = fork(&response, &[]);
    marked(&repo, &response).ended(4);
    // Another change is refused meanwhile.
    let run = repo
        .run(&["apply", "--index"], update("a.txt", "line 0", "x"))
        .ended(1);
    assert!(
        run.stderr.starts_with("error[stale]: `a.txt` is unmerged"),
        "{}",
        run.stderr
    );
    repo.git(&["checkout", "--theirs", "a.txt"]);
    assert_eq!(repo.text("a.txt"), lines(&[(3, "there")]));
    repo.git(&["checkout", "--merge", "a.txt"]);
    assert!(
        repo.text("a.txt")
            .contains("<<<<<<< ours\nhere\n=======\nthere\n>>>>>>> theirs\n"),
        "{}",
        repo.text("a.txt")
    );
    repo.git(&["checkout", "--ours", "a.txt"]);
    repo.git(&["add", "a.txt"]);
    let run = repo.run(&["undo"], "").ended(1);
    assert!(run.stderr.starts_with("error[stale]"), "{}", run.stderr);
    needs(Need::Scripts);
    let repo = fork(&response, &[]);
    marked(&repo, &response).ended(4);
    repo.script("tool", "#!/bin/sh\ngit show :3:a.txt >\"$1\"\n");
    repo.git(&["config", "mergetool.own.cmd", "./tool \"$MERGED\""]);
    repo.git(&["config", "mergetool.own.trustExitCode", "true"]);
    repo.git(&["mergetool", "--tool=own", "--no-prompt"]);
    assert_eq!(repo.git(&["ls-files", "-u"]), "");
    assert_eq!(repo.text("a.txt"), lines(&[(3, "there")]));
}

#[test]
fn what_can_be_merged_needs_no_markers() {
    let response = update("a.txt", "line 12", "there");
    let repo = fork(&response, &[]);
    marked(&repo, &response).succeeded();
    assert_eq!(repo.git(&["status", "--porcelain"]), "M  a.txt\n");
    assert_eq!(
        repo.text("a.txt"),
        lines(&[(3, "here"), (9, "also here"), (12, "there")])
    );
}

#[test]
fn elsewhere_conflicts_are_refused() {
    let response = update("a.txt", "line 3", "there");
    let repo = fork(&response, &[]);
    let before = seen(&repo);
    for args in [
        &["--commit"][..],
        &["--cached"],
        &["--onto=HEAD"],
        &["--check"],
        &["--diff"],
        &["-N"],
    ] {
        repo.run(
            &[&["apply", "-3", "--conflicts=markers", BASE], args].concat(),
            &response,
        )
        .ended(2);
    }
    repo.run(&["apply", "--conflicts=markers"], &response)
        .ended(2);
    repo.run(&["apply", "-3", "--conflicts=refuse", BASE], &response)
        .ended(1);
    // What isn't a file can't be in conflict as one, and a file that was changed isn't written
    // over.
    repo.child("a.txt").write_str("changed\n").unwrap();
    marked(&repo, &response).ended(1);
    repo.git(&["checkout", "a.txt"]);
    assert_eq!(seen(&repo), before);
    let run = repo
        .run(
            &["apply", "-3", "--conflicts=markers", BASE, "--json"],
            &response,
        )
        .ended(4);
    let document: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(document["conflicts"][0]["path"], "a.txt");
    assert_eq!(
        [&document["status"], &document["state"]],
        ["applied", "changed"]
    );
}

/// What a diff's `index` line names is its base, without anything else that says so.
#[test]
fn diffs_are_merged_as_git_apply_merges_them() {
    for section in [
        "*** Update File: a.txt\n@@\n-line 3\n+there\n",
        "*** Update File: a.txt\n@@\n-line 2\n+clean\n@@\n-line 12\n+clean\n",
        "*** Update File: a.txt\n@@\n-line 0\n+clean\n*** Update File: b.txt\n@@\n-b\n+there\n*** Update File: c.txt\n@@\n-c\n+C\n",
        "*** Update File: c.txt\n@@\n-c\n+C\n*** Add File: d/new.txt\n+d\n",
    ] {
        for abbreviated in ["--full-index", "--abbrev=7"] {
            let repo = fork(&envelope(section), &[]);
            let theirs = repo.copied();
            theirs.git(&["update-index", "--refresh"]);
            let diff = theirs.git(&["diff", "--binary", abbreviated, "main~1", "picked"]);
            let mut git = isolated(std::process::Command::new("git"), theirs.path());
            let by_git = run(git.args(["apply", "-3"]), diff.as_bytes());
            let ours = repo.run(&["apply", "-3", "--conflicts=markers"], &diff);
            assert_eq!(
                ours.status,
                if by_git.status == 0 { 0 } else { 4 },
                "{diff}{}{}",
                ours.stderr,
                by_git.stderr
            );
            assert_eq!(seen(&repo), seen(&theirs), "{diff}");
        }
    }
    // Where the blob isn't here, nothing is known to merge with.
    let repo = fork(&update("a.txt", "line 3", "there"), &[]);
    let diff = repo
        .git(&["diff", "main~1", "picked"])
        .replacen("index ", "index 0badbad", 1);
    let run = repo.run(&["apply", "-3"], &diff).ended(2);
    assert!(
        run.stderr
            .contains("nothing says which commit or tree the response is based on"),
        "{}",
        run.stderr
    );
}
