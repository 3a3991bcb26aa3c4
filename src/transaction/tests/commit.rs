//! Commits: what hooks see and do, what the index says afterwards, and what stops one.

use super::*;

fn commit(
    sample: &Sample,
    wanted: &[(&str, Option<&str>)],
    request: CommitRequest,
) -> Result<Done, Undone> {
    apply(sample, wanted, &Target::Commit(request))
}

fn hook(sample: &Sample, name: &str, script: &str) {
    let file = sample.top().join(".git/hooks").join(name);
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(&file, format!("#!/bin/sh\n{script}\n")).unwrap();
    std::fs::set_permissions(file, std::fs::Permissions::from_mode(0o755)).unwrap();
}

fn git(sample: &Sample, args: &[&str]) -> String {
    String::from_utf8(sample.git_args(args)).unwrap()
}

fn outside(sample: &Sample, name: &str) -> String {
    std::fs::read_to_string(sample.outside().join(name)).unwrap_or_default()
}

#[test]
fn hooks_see_the_change_and_nothing_else() {
    let sample = sample();
    hook(
        &sample,
        "pre-commit",
        "git diff --cached --name-status >../staged; ls -A . new/er >../there",
    );
    let done = commit(&sample, WANTED[1].1, request("change\n")).unwrap();
    assert_eq!(
        outside(&sample, "staged"),
        "M\ta\nD\tb\nD\tdeep/er/file\nA\tnew/er/file\nA\tnew/er/too\nM\tsecret\nM\ttool\n"
    );
    let there = outside(&sample, "there");
    assert!(
        there.contains("secret") && !there.contains("llmpatch"),
        "{there}"
    );
    let made = done.commit.unwrap();
    assert_eq!(git(&sample, &["rev-parse", "HEAD"]).trim(), made.id);
    assert_eq!(
        made.to_string(),
        format!(
            "[main {}] change",
            git(&sample, &["rev-parse", "--short", "HEAD"]).trim()
        )
    );
    assert_eq!(
        git(&sample, &["diff", "--cached", "--name-only"]),
        "staged\n"
    );
    assert_eq!(
        git(&sample, &["reflog", "-1", "--format=%gs"]),
        "commit: change\n"
    );
}

#[test]
fn what_a_hook_adds_is_committed() {
    let sample = sample();
    hook(
        &sample,
        "pre-commit",
        "echo formatted >>a; echo extra >extra; git add a extra; git rm -q --cached directory/only",
    );
    commit(&sample, WANTED[1].1, request("change\n")).unwrap();
    assert_eq!(git(&sample, &["show", "HEAD:a"]), "A\nformatted\n");
    assert_eq!(git(&sample, &["show", "HEAD:extra"]), "extra\n");
    assert_eq!(
        git(&sample, &["status", "--porcelain"]),
        " M dirty\nM  staged\n?? directory/\n"
    );
}

#[test]
fn a_hook_that_says_no_is_named_and_everything_is_put_back() {
    for name in ["pre-commit", "prepare-commit-msg", "commit-msg"] {
        let sample = sample();
        hook(&sample, name, "exit 3");
        hook(&sample, "post-commit", "exit 1");
        let before = seen(&sample);
        let undone = commit(&sample, WANTED[1].1, request("change\n")).unwrap_err();
        assert_eq!(
            undone.error.to_string(),
            format!("the {name} hook refused the commit (exit status 3)")
        );
        assert_eq!(undone.error.diagnostic().kind, Kind::Hook);
        assert_eq!((undone.attention, undone.open), (vec![], vec![]));
        assert_eq!(seen(&sample), before, "{name}");
        if name != "prepare-commit-msg" {
            let request = CommitRequest {
                verify: false,
                ..request("change\n")
            };
            commit(&sample, WANTED[1].1, request).unwrap();
        }
    }
}

#[test]
fn what_a_hook_that_said_no_wrote_stays_and_the_original_is_kept() {
    let sample = sample();
    hook(
        &sample,
        "pre-commit",
        "echo formatted >>a; rm secret; exit 1",
    );
    let undone = commit(&sample, WANTED[1].1, request("change\n")).unwrap_err();
    assert_eq!(undone.attention, [path("a")]);
    assert_eq!(
        std::fs::read(sample.top().join("a")).unwrap(),
        b"A\nformatted\n"
    );
    assert_eq!(std::fs::read(sample.top().join("secret")).unwrap(), b"s\n");
    let [Unresolved::Kept(kept)] = &undone.open[..] else {
        panic!("{undone}")
    };
    let kept = std::fs::read_dir(kept)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let kept: Vec<_> = kept
        .filter(|path| path.to_string_lossy().contains("original"))
        .collect();
    assert_eq!(kept.len(), 1);
    assert_eq!(std::fs::read(&kept[0]).unwrap(), b"a1\na2\n");
}

#[test]
fn messages_survive_what_git_would_take_for_comments() {
    for (edit, config) in [
        (false, "default"),
        (false, "strip"),
        (true, "default"),
        (true, "strip"),
    ] {
        let sample = sample()
            .then(&format!("config commit.cleanup {config}"))
            .then("config core.editor true");
        // git puts trailers before lines at the end that it would take for comments, so these
        // aren't at the end.
        let message = "#12: change\n\n# not a comment\nmore\n";
        let request = CommitRequest {
            edit,
            trailers: vec!["Helped-by: Me".into()],
            ..request(message)
        };
        let done = commit(&sample, WANTED[0].1, request).unwrap();
        let want = format!("{message}\nHelped-by: Me\n\n");
        assert_eq!(
            git(&sample, &["log", "-1", "--format=%B"]),
            want,
            "{edit} {config}"
        );
        assert_eq!(done.commit.unwrap().summary, "#12: change");
    }
}

#[test]
fn an_editor_that_gives_up_leaves_nothing_behind() {
    let sample = sample().then("config core.editor false");
    let before = seen(&sample);
    let undone = commit(
        &sample,
        WANTED[1].1,
        CommitRequest {
            edit: true,
            ..request("change\n")
        },
    )
    .unwrap_err();
    assert_eq!(undone.error.diagnostic().kind, Kind::Io, "{undone}");
    assert_eq!(seen(&sample), before);
}

#[test]
fn the_first_commit_and_one_on_no_branch() {
    let sample = configured(Sample::new());
    let done = commit(&sample, &[("a", Some("A\n"))], request("first\n")).unwrap();
    let first = done.commit.unwrap();
    assert!(
        first.root && first.to_string().starts_with("[main (root-commit) "),
        "{first}"
    );
    assert_eq!(git(&sample, &["status", "--porcelain"]), "");
    sample.git("checkout -q --detach");
    let done = commit(&sample, &[("a", Some("B\n"))], request("second\n")).unwrap();
    let second = done.commit.unwrap();
    assert!(
        second.branch.is_none() && second.to_string().starts_with("[detached HEAD "),
        "{second}"
    );
    assert_eq!(git(&sample, &["rev-parse", "HEAD^"]).trim(), first.id);
    assert_eq!(git(&sample, &["status", "--porcelain"]), "");
}

#[test]
fn what_stands_in_the_way_of_a_commit_is_said_before_anything_is_written() {
    let merging = |sample: &Sample| {
        let head = sample.git("rev-parse HEAD");
        std::fs::write(sample.top().join(".git/MERGE_HEAD"), head).unwrap();
    };
    let nobody = |sample: &Sample| {
        sample.git("config --unset user.name");
        sample.git("config user.useConfigOnly true");
    };
    let normalizing = |sample: &Sample| {
        sample.write(".git/info/attributes", "a text\n");
    };
    type Setup = fn(&Sample);
    let cases: [(Setup, &str, &str, Kind); 4] = [
        (merging, "A\n", "change\n", Kind::Repository),
        (nobody, "A\n", "change\n", Kind::Identity),
        (normalizing, "a1\r\na2\r\n", "change\n", Kind::Unchanged),
        (|_| {}, "A\n", " \n", Kind::Usage),
    ];
    for (set_up, after, message, kind) in cases {
        let sample = sample();
        set_up(&sample);
        let before = seen(&sample);
        let undone = commit(&sample, &[("a", Some(after))], request(message)).unwrap_err();
        assert_eq!(undone.error.diagnostic().kind, kind, "{undone}");
        assert!(undone.error.diagnostic().help.is_some(), "{undone}");
        assert_eq!(seen(&sample), before, "{undone}");
    }
}

#[test]
fn authors_dates_and_sign_offs_are_passed_on() {
    let sample = sample();
    let request = CommitRequest {
        author: Some("Other <other@example.org>".into()),
        date: Some("2001-02-03T04:05:06Z".into()),
        signoff: true,
        sign: Sign::No,
        ..request("change\n")
    };
    commit(&sample, WANTED[0].1, request).unwrap();
    let log = git(
        &sample,
        &[
            "log",
            "-1",
            "--format=%an %ad %cn%n%(trailers)",
            "--date=iso-strict",
        ],
    );
    assert!(log.starts_with("Other 2001-02-03T04:05:06"), "{log}");
    assert!(
        log.contains("Author\nSigned-off-by: Author <author@example.org>"),
        "{log}"
    );
}

#[test]
fn a_linked_work_tree_has_its_own_lock_index_and_store() {
    let sample = sample().then("worktree add -q ../linked -b linked");
    let top = sample.outside().join("linked");
    hook(
        &sample,
        "pre-commit",
        "test -z \"$(ls -A .git | grep llmpatch)\" && git rev-parse --git-dir >../where",
    );
    let repo = Repo::open_at(&top).unwrap();
    let target = Target::Commit(request("change\n"));
    let changes = changes(&*tree_of(&repo, &target), WANTED[1].1);
    let done = begin(
        &repo,
        &changes,
        target,
        Progress::default(),
        &mut Vec::new(),
    )
    .unwrap()
    .publish()
    .unwrap();
    assert_eq!(done.commit.unwrap().branch.unwrap(), "linked");
    let top = top.to_str().unwrap();
    assert_eq!(git(&sample, &["-C", top, "status", "--porcelain"]), "");
    assert!(outside(&sample, "where").contains("worktrees/linked"));
}

/// Commits something else, as a `git commit` does that gave the lock back already.
const ANOTHER: &str = "export GIT_INDEX_FILE=\"$PWD/../other-index\"; git read-tree HEAD
echo theirs | git update-index --add --cacheinfo \"100644,$(echo theirs | git hash-object -w --stdin),staged\"
git update-ref HEAD $(git commit-tree $(git write-tree) -p HEAD -m theirs)";

fn theirs(sample: &Sample) -> String {
    git(sample, &["log", "--format=%s"]) + &git(sample, &["show", "HEAD:staged"])
}

#[test]
fn a_commit_of_somebody_else_is_never_taken_for_ours() {
    let sample = sample();
    hook(&sample, "pre-commit", ANOTHER);
    let before = seen(&sample);
    let undone = commit(&sample, WANTED[1].1, request("change\n")).unwrap_err();
    assert_eq!(
        undone.error.to_string(),
        "`HEAD` was moved by another program, most likely a `git commit`"
    );
    assert_eq!(undone.error.diagnostic().kind, Kind::Locked, "{undone}");
    assert_eq!((undone.attention, undone.open), (vec![], vec![]));
    let after = seen(&sample);
    assert_eq!(
        (after.tree, after.index, after.git),
        (before.tree, before.index, before.git)
    );
    assert_eq!(theirs(&sample), "theirs\nsample\ntheirs\n");
}

#[test]
fn a_commit_of_somebody_else_is_never_taken_back() {
    let sample = sample();
    let repo = sample.open();
    let target = Target::Commit(request("change\n"));
    let changes = changes(&*tree_of(&repo, &target), WANTED[1].1);
    let prepared = begin(
        &repo,
        &changes,
        target,
        Progress::default(),
        &mut Vec::new(),
    )
    .unwrap();
    git(
        &sample,
        &["-c", &format!("alias.another=!{ANOTHER}"), "another"],
    );
    let undone = prepared.publish().unwrap_err();
    assert_eq!(undone.error.diagnostic().kind, Kind::Locked, "{undone}");
    assert_eq!(theirs(&sample), "theirs\nsample\ntheirs\n");
    assert_eq!(git(&sample, &["diff", "--name-only"]), "dirty\n");
}
