//! What edits see of one another, what is in the way of files, and what is said of those that
//! aren't there.

use super::*;

/// What becomes of a tree of files named by letters: `path=content` of each, or the kinds of
/// errors.
fn tree_outcome(
    tree: MemoryTree,
    edits: Vec<FileEdit<'_>>,
    rules: &Rules,
) -> Result<Vec<String>, Vec<Kind>> {
    let plan = run(&tree, edits, rules).map_err(|refusal| {
        refusal
            .errors
            .iter()
            .map(|error| error.value.kind())
            .collect::<Vec<_>>()
    })?;
    let shown = plan.changes.iter().map(|change| {
        let after = change.after.as_ref().map_or("-".into(), |file| {
            String::from_utf8_lossy(&file.content).replace('\n', "|")
        });
        let from = change
            .from
            .as_ref()
            .map_or(String::new(), |from| format!(" from {from}"));
        format!("{}={after}{from}", change.path)
    });
    Ok(shown.collect())
}

#[test]
fn a_line_with_several_matches_is_named_once() {
    use Occurrence::Only;
    for (before, want) in [
        ("x x\n", "line 1"),
        ("x x\nx\n", "lines 1 and 2"),
        ("x\n\nx\n", "lines 1 and 3"),
    ] {
        let refused = run(
            &MemoryTree::new().with("f", before),
            vec![put("f", "x", Some("y"), Only)],
            &LENIENT,
        );
        let said = refused.unwrap_err().errors[0].value.to_string();
        assert!(said.ends_with(&format!("which is meant: {want}")), "{said}");
    }
}

#[test]
fn later_edits_see_what_earlier_ones_did() {
    let on_disk = Mode {
        executable: false,
        bits: Some(0o644),
    };
    let on_disk = Entry::File(File {
        content: b"4\n".to_vec().into(),
        mode: on_disk,
    });
    let tree = || {
        let tree = MemoryTree::new()
            .with("a", "1\n")
            .with("b", "2\n")
            .with("d/x", "3\n");
        tree.with_entry("m", on_disk.clone())
    };
    for (rule, edits, want) in [
        (
            "two sections of one file",
            vec![update("a", "@@\n-1\n+one"), update("a", "@@\n-one\n+uno")],
            Ok(&["a=uno|"][..]),
        ),
        (
            "an edit after a move",
            vec![relocate("a", "c"), update("c", "@@\n-1\n+one")],
            Ok(&["a=-", "c=one| from a"]),
        ),
        (
            "an edit of what was moved away",
            vec![relocate("a", "c"), update("a", "@@\n-1\n+one")],
            Err(&[Kind::FileMissing][..]),
        ),
        (
            "an edit of what was deleted",
            vec![delete("a"), delete("a")],
            Err(&[Kind::FileMissing]),
        ),
        (
            "delete, then add",
            vec![delete("a"), create("a", "new")],
            Ok(&["a=new|"]),
        ),
        (
            "add, then update",
            vec![create("n", "x"), update("n", "@@\n-x\n+y")],
            Ok(&["n=y|"]),
        ),
        (
            "add, then delete",
            vec![create("n", "x"), delete("n")],
            Err(&[Kind::Unchanged]),
        ),
        (
            "delete, then add the same",
            vec![delete("m"), create("m", "4")],
            Err(&[Kind::Unchanged]),
        ),
        (
            "a swap",
            vec![relocate("a", "t"), relocate("b", "a"), relocate("t", "b")],
            Ok(&["a=2|", "b=1|"]),
        ),
        (
            "a chain of moves",
            vec![relocate("a", "t"), relocate("t", "u")],
            Ok(&["a=-", "u=1| from a"]),
        ),
        (
            "a move onto itself",
            vec![relocate("a", "./a")],
            Err(&[Kind::Unchanged]),
        ),
        (
            "adding over a file",
            vec![create("a", "x")],
            Err(&[Kind::FileExists]),
        ),
        (
            "moving over a file",
            vec![relocate("a", "b")],
            Err(&[Kind::FileExists]),
        ),
        (
            "a file where a directory is",
            vec![create("d", "x")],
            Err(&[Kind::FileExists]),
        ),
        (
            "… once its files are gone",
            vec![delete("d/x"), create("d", "x")],
            Ok(&["d=x|", "d/x=-"]),
        ),
        (
            "a directory where a file is",
            vec![create("a/n", "x")],
            Err(&[Kind::FileExists]),
        ),
        (
            "… once it is gone",
            vec![delete("a"), create("a/n", "x")],
            Ok(&["a=-", "a/n=x|"]),
        ),
        (
            "a file into its own directory",
            vec![relocate("a", "a/n")],
            Ok(&["a=-", "a/n=1| from a"]),
        ),
        (
            "a new file below a new file",
            vec![create("n", "x"), create("n/m", "x")],
            Err(&[Kind::FileExists]),
        ),
        (
            "a new file above a new file",
            vec![create("n/m", "x"), create("n", "x")],
            Err(&[Kind::FileExists]),
        ),
        (
            "a directory as target",
            vec![update("d", "@@\n-1\n+2")],
            Err(&[Kind::UnsafePath]),
        ),
        (
            "a missing file, once",
            vec![
                update("q", "@@\n-1\n+2"),
                delete("q"),
                update("q", "@@\n+2"),
            ],
            Err(&[Kind::FileMissing]),
        ),
        (
            "below a file",
            vec![update("a/n", "@@\n-1\n+2")],
            Err(&[Kind::FileMissing]),
        ),
        (
            "moved, deleted, made anew",
            vec![delete("a"), create("a", "x"), relocate("a", "n")],
            Ok(&["a=-", "n=x|"]),
        ),
        (
            "all of it, or nothing",
            vec![update("a", "@@\n-1\n+one"), update("b", "@@\n-x\n+y")],
            Err(&[Kind::LinesNotFound]),
        ),
    ] {
        let want = want
            .map(|lines| lines.iter().map(|line| line.to_string()).collect())
            .map_err(|kinds| kinds.to_vec());
        assert_eq!(
            tree_outcome(tree(), edits, &Rules::default()),
            want,
            "{rule}"
        );
    }
}

#[test]
fn overwriting_is_asked_for() {
    let tree = || MemoryTree::new().with("a", "1\n").with("b", "2\n");
    let rules = Rules {
        overwrite: true,
        ..Rules::default()
    };
    assert_eq!(
        tree_outcome(tree(), vec![create("a", "x")], &rules),
        Ok(vec!["a=x|".into()])
    );
    assert_eq!(
        tree_outcome(tree(), vec![relocate("a", "b")], &rules),
        Ok(vec!["a=-".into(), "b=1|".into()])
    );
}

#[test]
fn a_namesake_where_the_run_is_is_told() {
    let tree = || {
        MemoryTree::new()
            .with("a", "1\n")
            .with("b", "1\n")
            .with("pkg/a", "1\n")
            .with("pkg/c", "1\n")
    };
    let rules = Rules {
        here: RepoPath::new(b"pkg").ok(),
        ..Rules::default()
    };
    let told = |edits| {
        let plan = run(&tree(), edits, &rules).unwrap();
        let told = plan.warnings.iter().map(|one| one.value.to_string());
        told.collect::<Vec<_>>()
    };
    let said = |path| {
        format!(
            "`{path}` is changed, and not `pkg/{path}`: paths count from the top of the work tree"
        )
    };
    assert_eq!(told(vec![delete("a")]), [said("a")]);
    assert_eq!(told(vec![delete("b")]), [""; 0]);
    assert_eq!(told(vec![create("c", "x")]), [said("c")]);
    assert_eq!(told(vec![relocate("b", "c")]), [said("c")]);
    // A response that goes by way of that directory counts from the top.
    assert_eq!(told(vec![delete("a"), delete("pkg/c")]), [""; 0]);
}

#[test]
fn the_same_content_is_no_obstacle() {
    let tree = || MemoryTree::new().with("a", "1\n").with("b", "1\n");
    let plan = run(
        &tree(),
        vec![create("a", "1"), delete("b")],
        &Rules::default(),
    )
    .unwrap();
    assert_eq!(
        plan.warnings
            .iter()
            .map(|warning| warning.value.kind())
            .collect::<Vec<_>>(),
        [Kind::NoChange]
    );
    assert_eq!(
        tree_outcome(tree(), vec![relocate("a", "b")], &Rules::default()),
        Ok(vec!["a=-".into()])
    );
}

#[test]
fn obstacles_are_refused() {
    let tree = || {
        MemoryTree::new()
            .with_entry("link", Entry::Other(Obstacle::Link))
            .with_entry("sub", Entry::Other(Obstacle::Repository))
            .with_entry("pipe", Entry::Other(Obstacle::Special))
            .with("bin", "a\0b\n")
            .with("a", "1\n")
    };
    let rules = Rules {
        overwrite: true,
        ..Rules::default()
    };
    for (edit, want) in [
        (update("link", "@@\n+x"), Kind::UnsafePath),
        (create("link", "x"), Kind::UnsafePath),
        (create("link/x", "x"), Kind::UnsafePath),
        (delete("sub"), Kind::UnsafePath),
        (create("sub/x", "x"), Kind::UnsafePath),
        (delete("pipe"), Kind::UnsafePath),
        (update("bin", "@@\n+x"), Kind::Binary),
        (put("bin", "a", Some("b"), Occurrence::Only), Kind::Binary),
        (create("`n`", "x"), Kind::UnsafePath),
        (create("n\\m", "x"), Kind::UnsafePath),
        (relocate("a", "\"n\""), Kind::UnsafePath),
        (create("../x", "x"), Kind::UnsafePath),
        (create(".git/config", "x"), Kind::UnsafePath),
    ] {
        let path = String::from_utf8_lossy(&edit.path).into_owned();
        assert_eq!(
            tree_outcome(tree(), vec![edit], &rules),
            Err(vec![want]),
            "{path}"
        );
    }
    assert_eq!(
        tree_outcome(tree(), vec![relocate("bin", "c")], &rules),
        Ok(vec!["bin=-".into(), "c=a\0b| from bin".into()])
    );
}

#[test]
fn names_that_differ_in_case_are_one_where_git_says_so() {
    let tree = || MemoryTree::new().with("Read", "1\n").ignoring_case();
    let rules = Rules::default();
    assert_eq!(
        tree_outcome(tree(), vec![create("read", "x")], &rules),
        Err(vec![Kind::FileExists])
    );
    assert_eq!(
        tree_outcome(tree(), vec![relocate("Read", "read")], &rules),
        Ok(vec!["Read=-".into(), "read=1| from Read".into()])
    );
    assert_eq!(
        tree_outcome(tree(), vec![create("n", "x"), create("N", "x")], &rules),
        Err(vec![Kind::FileExists])
    );
}

#[test]
fn lines_that_stand_where_they_are_not_looked_for_are_shown() {
    for (before, hunk, rules, label) in [
        (
            "a\nb\n",
            "@@\n-b\n+B\n@@\n-a\n+A",
            &LENIENT,
            "before what earlier hunks have reached",
        ),
        ("a\nb\n", "@@ a\n-a\n+A", &STRICT, "the context line itself"),
        (
            "a\nb\n",
            "@@ b\n-b\n+B\n$",
            &LENIENT,
            "the context line itself",
        ),
        (
            "a\nb\n",
            "@@ b\n-a\n-b\n+B\n$",
            &LENIENT,
            "before the context line",
        ),
        (
            "a\nb\n",
            "@@\n-a\n+A\n$",
            &LENIENT,
            "not at the end of the file",
        ),
        (
            "a\nb\n",
            "@@ a\n-a\n+A\n$",
            &LENIENT,
            "not at the end of the file",
        ),
    ] {
        let refusal = run(
            &MemoryTree::new().with("f", before),
            vec![update("f", hunk)],
            rules,
        )
        .unwrap_err();
        let places = refusal.errors[0].value.diagnostic().places;
        assert_eq!(
            places
                .iter()
                .map(|place| &place.first.label[..])
                .collect::<Vec<_>>(),
            [label],
            "{hunk}"
        );
    }
}

#[test]
fn a_delete_body_is_compared() {
    let body = |lines: &'static [&str]| {
        vec![edit(
            "f",
            Operation::Delete {
                expected: Some(lines.iter().map(|line| text(line)).collect()),
            },
        )]
    };
    let tree = || MemoryTree::new().with("f", "a\r\nb\r\nc");
    assert!(
        run(&tree(), body(&["a", "b", "c"]), &Rules::default())
            .unwrap()
            .warnings
            .is_empty()
    );
    let partly = run(&tree(), body(&["b", "c"]), &Rules::default()).unwrap();
    assert_eq!(partly.warnings[0].value.kind(), Kind::PartialDeleteBody);
    let strict = run(
        &tree(),
        body(&["b", "c"]),
        &Rules {
            strict: true,
            ..Rules::default()
        },
    )
    .unwrap_err();
    assert_eq!(strict.errors[0].value.kind(), Kind::Stale);
    let strict = run(
        &tree(),
        body(&["a", "b"]),
        &Rules {
            strict: true,
            ..Rules::default()
        },
    )
    .unwrap_err();
    assert_eq!(
        strict.errors[0].value.diagnostic().places[0]
            .first
            .line
            .get(),
        3
    );
    let refusal = run(&tree(), body(&["a", "x", "c"]), &Rules::default()).unwrap_err();
    assert_eq!(refusal.errors[0].value.kind(), Kind::Stale);
    assert_eq!(
        refusal.errors[0].value.diagnostic().places[0]
            .first
            .line
            .get(),
        2
    );
}

#[test]
fn a_path_that_must_be_meant_is_named() {
    let tree = MemoryTree::new()
        .with("src/net/tcp.rs", "1\n")
        .with("src/lib.rs", "")
        .with("doc/lib.md", "");
    for (written, meant) in [
        ("net/tcp.rs", Some("src/net/tcp.rs")),
        ("project/src/lib.rs", Some("src/lib.rs")),
        ("src/net/tpc.rs", Some("src/net/tcp.rs")),
        ("other/tcp.rs", Some("src/net/tcp.rs")),
        ("SRC/Net/TCP.rs", Some("src/net/tcp.rs")),
        ("nothing/like.it", None),
    ] {
        let refusal = run(&tree, vec![delete(written)], &Rules::default()).unwrap_err();
        let Error::Missing(_, Missing::Never(suggestion)) = &refusal.errors[0].value else {
            panic!("{written}")
        };
        assert_eq!(
            suggestion
                .meant
                .as_ref()
                .map(RepoPath::to_string)
                .as_deref(),
            meant,
            "{written}"
        );
    }
}

#[test]
fn a_tracked_file_that_is_gone_is_not_called_a_misspelling_of_itself() {
    let tree = MemoryTree::new()
        .with("src/net/tcp.rs", "b\n")
        .with_entry("src/lib.rs", Entry::Absent);
    let refusal = run(
        &tree,
        vec![delete("src/lib.rs"), delete("net/tcp.rs")],
        &Rules::default(),
    )
    .unwrap_err();
    let error = &refusal.errors[0].value;
    assert!(
        matches!(
            error,
            Error::Missing(_, Missing::Tracked { is_to_go: true, .. })
        ),
        "{error:?}"
    );
    let refusal = run(&tree, vec![delete("src/lib.rs")], &Rules::default()).unwrap_err();
    assert!(
        matches!(refusal.errors[0].value, Error::AlreadyApplied { .. }),
        "{:?}",
        refusal.errors[0].value
    );
}

#[test]
fn replacing_keeps_mark_and_line_ends() {
    let replace = |content: &'static str| {
        edit(
            "f",
            Operation::Replace {
                lines: content.lines().map(text).collect(),
            },
        )
    };
    assert_eq!(
        outcome("\u{feff}a\r\nb\r\n", replace("x\ny"), &LENIENT),
        Ok(("\u{feff}x\r\ny\r\n".into(), vec![]))
    );
    assert_eq!(
        outcome("a\n", replace(""), &LENIENT),
        Ok((String::new(), vec![]))
    );
    assert_eq!(
        outcome("a\n", replace("a"), &LENIENT),
        Ok(("a\n".into(), vec![Kind::NoChange]))
    );
}

#[test]
fn a_file_may_be_edited_as_often_as_a_response_likes() {
    let content = format!("a\n{}", "line\n".repeat(100_000));
    let there = ["-a\n+b", "-b\n+a"];
    let edits = (0..2001)
        .map(|index| update("a", there[index % 2]))
        .collect();
    let plan = run(
        &MemoryTree::new().with("a", content),
        edits,
        &Rules::default(),
    )
    .unwrap();
    let after = plan.changes.iter().next().unwrap().after.as_ref().unwrap();
    assert!(after.content.starts_with(b"b\nline\n"));
}
