use super::*;
use crate::repo::Against;

/// What an agreeing tree says of a path: what it reads, and whether it may change.
fn agreed(repo: &Repo, against: Against, at: &str) -> String {
    let tree = AgreeingTree::new(repo, against).unwrap();
    let read = told(&tree, at);
    let before = match tree.read(&path(at)) {
        Ok(Entry::File(file)) => Some(file),
        Ok(Entry::Absent) => None,
        _ => return read,
    };
    match tree.confirm(&path(at), before.as_ref()) {
        Ok(()) => read,
        Err(error) => format!("{read} !{error}"),
    }
}

#[test]
fn index_and_work_tree_must_agree_on_what_changes() {
    let sample = Sample::new();
    for name in [
        "same", "touched", "edited", "staged", "deleted", "removed", "mode", "retyped", "d/x",
        "run", "ita-gone",
    ] {
        sample.write(name, "1");
    }
    sample.chmod("run", 0o755);
    let sample = sample.file(".gitignore", "ignored").committed();
    // Other times, same content.
    std::fs::remove_file(sample.top().join("touched")).unwrap();
    sample.write("touched", "1");
    sample.write("edited", "2");
    sample.write("staged", "2");
    std::fs::remove_file(sample.top().join("deleted")).unwrap();
    std::fs::remove_dir_all(sample.top().join("d")).unwrap();
    sample.git("rm -q --cached removed");
    std::fs::remove_file(sample.top().join("removed")).unwrap();
    sample.chmod("mode", 0o755);
    std::fs::remove_file(sample.top().join("retyped")).unwrap();
    symlink("same", sample.top().join("retyped")).unwrap();
    sample.write("fresh", "1");
    sample.git("add staged fresh");
    sample.write("untracked", "1");
    sample.write("ignored", "1");
    sample.write("intended", "1");
    sample.git("add -N intended");

    let repo = sample.open();
    let edited = "has changes in the work tree that aren't staged";
    let staged = "has staged changes that aren't committed";
    let untracked = "is in the work tree but not in the index";
    let missing = "is in the index but not in the work tree";
    for (at, by_index, by_head) in [
        ("same", "- 1", "- 1"),
        ("touched", "- 1", "- 1"),
        ("run", "x 1", "x 1"),
        ("edited", &format!("- 2 !`edited` {edited}"), "="),
        ("mode", &format!("x 1 !`mode` {edited}"), "="),
        ("staged", "- 2", &format!("- 2 !`staged` {staged}")),
        ("fresh", "- 1", &format!("- 1 !`fresh` {staged}")),
        ("removed", "Absent", &format!("Absent !`removed` {staged}")),
        ("deleted", &format!("- 1 !`deleted` {missing}"), "="),
        ("untracked", &format!("- 1 !`untracked` {untracked}"), "="),
        ("ignored", &format!("- 1 !`ignored` {untracked}"), "="),
        ("intended", &format!("- 1 !`intended` {untracked}"), "="),
        ("retyped", "Link", "="),
        ("d", "Directory", "="),
        ("d/x", &format!("- 1 !`d/x` {missing}"), "="),
        ("d/x/y", "in d/x", "="),
        ("none", "Absent", "Absent"),
        ("none/x", "Absent", "Absent"),
    ] {
        let by_head = if by_head == "=" { by_index } else { by_head };
        assert_eq!(agreed(&repo, Against::Index, at), by_index, "{at}");
        assert_eq!(agreed(&repo, Against::IndexAndHead, at), by_head, "{at}");
    }
    let tree = AgreeingTree::new(&repo, Against::Index).unwrap();
    assert_eq!(names(tree.leaves_below(&path("d")).unwrap()), ["d/x"]);
}

#[test]
fn the_bit_on_disk_may_mean_nothing() {
    let sample = Sample::new()
        .file("run", "1")
        .committed()
        .then("update-index --chmod=+x run")
        .then("config core.fileMode false");
    let repo = sample.open();
    assert_eq!(agreed(&repo, Against::Index, "run"), "x 1");
}

#[test]
fn line_ends_that_git_converts_are_no_difference() {
    let sample = Sample::new()
        .file(".gitattributes", "* text=auto eol=crlf\n")
        .file("a", "1\r\n2\r\n")
        .committed();
    let repo = sample.open();
    assert_eq!(agreed(&repo, Against::IndexAndHead, "a"), "- 1\r\n2\r\n");
    sample.write("a", "1\n2\n");
    assert_eq!(agreed(&repo, Against::Index, "a"), "- 1\n2\n");
    sample.write("a", "1\r\n3\r\n");
    assert!(agreed(&repo, Against::Index, "a").contains("aren't staged"));
    let tree = AgreeingTree::new(&repo, Against::Index).unwrap();
    assert_eq!(
        tree.check_out(&path("new"), b"x\n".to_vec()).unwrap(),
        b"x\r\n"
    );
}

#[test]
fn what_libgit2_would_get_wrong_is_asked_of_git() {
    let sample = Sample::new()
        .file(
            ".gitattributes",
            "*.big filter=store\n*.free filter=nobody\n*.u16 working-tree-encoding=UTF-16\n",
        )
        .file("a.big", "1")
        .file("a.free", "1")
        .committed();
    for at in ["a.big", "new.big"] {
        assert!(
            !agreed(&sample.open(), Against::Index, at).contains('!'),
            "a driver that isn't set up is none"
        );
    }
    for (clean, want) in [
        ("cat", "- 1"),
        (
            "tr 1 2",
            "- 1 !`a.big` has changes in the work tree that aren't staged",
        ),
        ("tr 0 2", "- 1"),
    ] {
        sample.git_args(&["config", "filter.store.clean", clean]);
        let repo = sample.open();
        for (at, want) in [
            ("a.big", want),
            ("new.big", "Absent"),
            ("a.free", "- 1"),
            ("new.u16", "Absent"),
        ] {
            assert_eq!(agreed(&repo, Against::Index, at), want, "{clean}");
        }
    }
}

#[test]
fn sparse_paths_agree_and_unmerged_ones_are_refused() {
    let sample = Sample::new()
        .file("keep/x", "1")
        .file("drop/x", "1")
        .committed();
    sample.git("sparse-checkout set --no-cone /keep/");
    let repo = sample.open();
    assert_eq!(agreed(&repo, Against::Index, "keep/x"), "- 1");
    assert_eq!(agreed(&repo, Against::IndexAndHead, "drop/x"), "- 1");

    let sample = Sample::new()
        .file("x", "base")
        .committed()
        .then("checkout -q -b side");
    let sample = sample
        .file("x", "side")
        .committed()
        .then("checkout -q main")
        .file("x", "main")
        .committed();
    let merged = sample.git_command().args(["merge", "-q", "side"]).output();
    assert_eq!(merged.unwrap().status.code(), Some(1));
    assert_eq!(
        agreed(&sample.open(), Against::Index, "x"),
        "!`x` is unmerged"
    );
}

#[test]
fn before_the_first_commit_nothing_is_committed() {
    let sample = Sample::new().file("a", "1").then("add a");
    let repo = sample.open();
    assert_eq!(agreed(&repo, Against::Index, "a"), "- 1");
    assert_eq!(
        agreed(&repo, Against::IndexAndHead, "a"),
        "- 1 !`a` has staged changes that aren't committed"
    );
    assert_eq!(agreed(&repo, Against::IndexAndHead, "b"), "Absent");
}

#[test]
fn what_only_the_commit_has_stands_in_the_way_of_a_commit() {
    let sample = Sample::new()
        .file("file", "1")
        .file("d/x", "1")
        .file("d/y", "1")
        .file("e/x", "1")
        .committed();
    sample.git("rm -q -r file d/x d/y e/x");
    sample.write("d/z", "1");
    let repo = sample.open();
    let staged = "has staged changes that aren't committed";
    for (at, by_index, by_head) in [
        ("file/x", "Absent", format!("Absent !`file/x` {staged}")),
        ("e", "Absent", format!("Absent !`e` {staged}")),
        ("e/x", "Absent", format!("Absent !`e/x` {staged}")),
        ("e/y", "Absent", "Absent".to_owned()),
        ("d", "Directory", "Directory".to_owned()),
    ] {
        assert_eq!(agreed(&repo, Against::Index, at), by_index, "{at}");
        assert_eq!(agreed(&repo, Against::IndexAndHead, at), by_head, "{at}");
    }
    sample.git("reset -q --hard");
    let repo = sample.open();
    let tree = AgreeingTree::new(&repo, Against::IndexAndHead).unwrap();
    // `delete d/x, delete d/y, add d` and `delete file, add file/x` are asked of the new paths as
    // of the old.
    assert!(tree.confirm(&path("d"), None).is_ok() && tree.confirm(&path("file/x"), None).is_ok());
}
