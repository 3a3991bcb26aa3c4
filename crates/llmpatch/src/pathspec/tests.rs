use super::*;

fn list(specs: &[&str]) -> Pathspecs {
    specs
        .iter()
        .map(|spec| Pathspec::new(spec.as_bytes(), Defaults::default()).unwrap())
        .collect()
}

#[test]
fn a_list_means_what_one_matches_and_none_excludes() {
    for (specs, path, want) in [
        (&[][..], "a", false),
        (&["."], "a", true),
        (&["src"], "src", true),
        (&["src"], "src/a/b", true),
        (&["src"], "src2/a", false),
        (&["src/"], "src", false),
        (&["src/"], "src/a", true),
        (&["./src//x/../y"], "src/y", true),
        (&["*.md"], "docs/a.md", true),
        (&[":(glob)*.md"], "docs/a.md", false),
        (&[":(glob)**/*.md"], "a.md", true),
        (&[":(literal)*.md"], "*.md", true),
        (&["pages/[id].tsx"], "pages/[id].tsx", true),
        (&["pages/[id].tsx"], "pages/i.tsx", true),
        (&["src", ":!src/gen"], "src/gen/a", false),
        (&["src", ":(exclude)src/gen"], "src/a", true),
        (&[":!src"], "docs/a", true),
        (&[":^src"], "src/a", false),
        (&[":(top,icase)README*"], "readme.md", true),
        (&[":/docs"], "docs/a", true),
        (&["::docs"], "docs/a", true),
    ] {
        assert_eq!(
            list(specs).matches(path.as_bytes(), Case::Counts),
            want,
            "{specs:?} on {path}"
        );
    }
}

#[test]
fn where_case_is_ignored_every_spec_ignores_it() {
    for (spec, path) in [
        (".github", ".GitHub/x"),
        ("*.MD", "a.md"),
        ("[M]akefile", "makefile"),
        (":(glob)Src/*", "sRC/a"),
        ("é", "é"),
    ] {
        assert!(
            list(&[spec]).matches(path.as_bytes(), Case::Ignored),
            "{spec} on {path}"
        );
    }
    assert!(!list(&[".", ":!Secret"]).matches(b"sEcret/x", Case::Ignored));
    assert!(!list(&[".github"]).matches(b".GitHub/x", Case::Counts));
}

#[test]
fn the_spec_that_matches_is_known() {
    let specs = list(&["docs", ":!docs/x", "docs/a"]);
    let matching = specs
        .matching(b"docs/a", Case::Counts)
        .map(|one| one.written().to_string());
    assert_eq!(matching.as_deref(), Some("docs"));
    assert_eq!(list(&[":!docs"]).matching(b"src", Case::Counts), None);
}

#[test]
fn what_git_refuses_is_refused() {
    for (spec, want) in [
        ("", PathspecError::Empty),
        (":(icase", PathspecError::Unclosed),
        (":(nocase)a", PathspecError::UnknownWord("nocase".into())),
        (":_a", PathspecError::UnknownSign(b'_')),
        (":(attr:a)b", PathspecError::Unsupported("attr")),
        (":(prefix:0)b", PathspecError::Unsupported("prefix")),
        (":(glob,literal)a", PathspecError::Incompatible),
        ("../a", PathspecError::Outside),
        ("a/../..", PathspecError::Outside),
        ("/a", PathspecError::Absolute),
    ] {
        assert_eq!(
            Pathspec::new(spec.as_bytes(), Defaults::default()),
            Err(want),
            "{spec}"
        );
    }
}
