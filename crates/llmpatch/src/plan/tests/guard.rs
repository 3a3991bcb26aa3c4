use super::*;
use crate::pathspec::{Defaults, Pathspec, Pathspecs};

fn specs(written: &[&str]) -> Pathspecs {
    written
        .iter()
        .map(|spec| Pathspec::new(spec.as_bytes(), Defaults::default()).unwrap())
        .collect()
}

fn guarded(limit: &[&str], protected: &[&str]) -> Rules {
    let limit = (!limit.is_empty()).then(|| (specs(limit), Origin::Option));
    Rules {
        guard: Guard {
            limit,
            protected: specs(protected),
        },
        overwrite: true,
        ..Rules::default()
    }
}

fn tree() -> MemoryTree {
    MemoryTree::new()
        .with("a", "1\n")
        .with("src/b", "1\n")
        .with("src/gen/c", "1\n")
        .with(".github/w.yml", "1\n")
}

#[test]
fn what_is_outside_or_protected_is_not_touched() {
    let to = |path, to| {
        edit(
            path,
            Operation::Update {
                to: Some(text(to)),
                hunks: hunks("-1\n+2"),
            },
        )
    };
    let whole = |path| {
        edit(
            path,
            Operation::Replace {
                lines: vec![text("2")],
            },
        )
    };
    for (rule, limit, protected, edits, want) in [
        (
            "inside",
            &["src"][..],
            &[][..],
            vec![update("src/b", "-1\n+2"), create("src/new", "x")],
            &[][..],
        ),
        ("no guard", &[], &[], vec![update("a", "-1\n+2")], &[]),
        (
            "an update",
            &["src"],
            &[],
            vec![update("a", "-1\n+2"), update("src/b", "-1\n+2")],
            &["a"],
        ),
        (
            "a new file",
            &["src"],
            &[],
            vec![create("srcs/x", "x")],
            &["srcs/x"],
        ),
        ("a deletion", &["src"], &[], vec![delete("a")], &["a"]),
        ("a replacement", &["src"], &[], vec![whole("a")], &["a"]),
        (
            "a substitution",
            &["src"],
            &[],
            vec![put("a", "1", Some("2"), Occurrence::Only)],
            &["a"],
        ),
        (
            "a move out",
            &["src"],
            &[],
            vec![relocate("src/b", "b")],
            &["b"],
        ),
        (
            "a move in",
            &["src"],
            &[],
            vec![relocate("a", "src/a")],
            &["a"],
        ),
        (
            "a move of no part of it",
            &["src"],
            &[],
            vec![to("a", "b")],
            &["a", "b"],
        ),
        (
            "an exception",
            &["src", ":!src/gen"],
            &[],
            vec![update("src/gen/c", "-1\n+2")],
            &["src/gen/c"],
        ),
        (
            "protected",
            &[],
            &[".github"],
            vec![update(".github/w.yml", "-1\n+2")],
            &[".github/w.yml"],
        ),
        (
            "protected within the limit",
            &["."],
            &["src/gen"],
            vec![delete("src/gen/c")],
            &["src/gen/c"],
        ),
        (
            "made beside",
            &[],
            &[".github"],
            vec![create(".github2", "x")],
            &[],
        ),
        (
            "a file for a directory",
            &[],
            &["src"],
            vec![delete("src/b"), delete("src/gen/c"), create("src", "x")],
            &["src/b", "src/gen/c", "src"],
        ),
        (
            "a directory for a file",
            &[],
            &["a"],
            vec![delete("a"), create("a/b", "x")],
            &["a", "a/b"],
        ),
        (
            "once each",
            &["src"],
            &["a"],
            vec![update("a", "-1\n+2"), delete("a"), relocate("src/b", "a")],
            &["a"],
        ),
        (
            "there and back",
            &["src"],
            &[],
            vec![relocate("src/b", "b"), relocate("b", "src/b")],
            &["b"],
        ),
        (
            "nothing comes of it",
            &["src"],
            &[],
            vec![update("a", " 1"), create("new", "x"), delete("new")],
            &["a", "new"],
        ),
        (
            "not there",
            &["src"],
            &[],
            vec![update("none", "-1\n+2")],
            &["none"],
        ),
    ] {
        let named = match run(&tree(), edits, &guarded(limit, protected)) {
            Ok(_) => Vec::new(),
            Err(refusal) => refusal
                .errors
                .iter()
                .map(|error| match &error.value {
                    Error::Guarded(
                        Barrier::Limit { path, .. } | Barrier::Protected { path, .. },
                    ) => path.to_string(),
                    other => panic!("{rule}: {other}"),
                })
                .collect(),
        };
        assert_eq!(named, want, "{rule}");
    }
}

#[test]
fn where_case_is_ignored_no_other_case_gets_around_it() {
    for (limit, protected, path, want) in [
        (&[][..], &[".github"][..], ".GitHub/x.yml", true),
        (&[], &["*.[Yy]ml"], "x.YML", true),
        (&["src"], &[], "SRC/x", false),
        (&["src", ":!src/Gen"], &[], "src/gEN/x", true),
    ] {
        for (tree, is_folded) in [(tree(), false), (tree().ignoring_case(), true)] {
            let done = run(&tree, vec![create(path, "x")], &guarded(limit, protected));
            let is_refused = done.is_err_and(|refusal| {
                refusal
                    .errors
                    .iter()
                    .any(|error| error.value.kind() == Kind::Protected)
            });
            // Where case counts, none of these is the path that is meant.
            let is_outside = !limit.is_empty() && limit.len() == 1;
            assert_eq!(
                is_refused,
                if is_folded { want } else { is_outside },
                "{path} by {limit:?} {protected:?}"
            );
        }
    }
}

#[test]
fn it_joins_what_else_is_wrong_and_shows_nothing_of_the_file() {
    let edits = vec![
        update("a", "-secret?\n+2"),
        update("src/b", "-none\n+2"),
        update("gone", "-1\n+2"),
    ];
    let refusal = run(&tree(), edits, &guarded(&[], &["a"])).unwrap_err();
    let kinds: Vec<_> = refusal
        .errors
        .iter()
        .map(|error| error.value.kind())
        .collect();
    assert_eq!(
        kinds,
        [Kind::Protected, Kind::LinesNotFound, Kind::FileMissing]
    );
    let error = &refusal.errors[0].value;
    assert_eq!(
        error.to_string(),
        "`a` is protected by `a` (llmpatch.protect)"
    );
    let of = error.diagnostic();
    assert!(of.passages.is_empty() && of.places.is_empty());
}

#[test]
fn the_message_names_the_pathspecs_and_who_set_them() {
    let said = |rules: &Rules| {
        run(&tree(), vec![update("a", "-1\n+2")], rules)
            .unwrap_err()
            .errors[0]
            .value
            .to_string()
    };
    assert_eq!(
        said(&guarded(&["src", ":!src/gen"], &[])),
        "`a` is outside of `src`, `:!src/gen` (--limit)"
    );
    let mut rules = guarded(&["b", "c", "d", "e", "f", "g", "h"], &[]);
    assert_eq!(
        said(&rules),
        "`a` is outside of `b`, `c`, `d`, `e`, `f` and 2 more (--limit)"
    );
    rules.guard.limit = Some((specs(&["src"]), Origin::Setting));
    assert_eq!(said(&rules), "`a` is outside of `src` (llmpatch.limit)");
    assert_eq!(
        said(&guarded(&[], &[":!src"])),
        "`a` is protected by `:!src` (llmpatch.protect)"
    );
    assert_eq!(
        said(&guarded(&[], &["docs", "?"])),
        "`a` is protected by `?` (llmpatch.protect)"
    );
}
