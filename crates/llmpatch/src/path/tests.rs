use super::*;
use crate::report::Diagnose as _;

/// What a resolved path is called in these tables: the path, or `!` and the error's name.
fn told(result: Result<RepoPath, PathError>) -> String {
    match result {
        Ok(path) => path.to_string(),
        Err(error) => {
            let of = error.diagnostic();
            assert!(of.help.is_some() && of.label.is_some(), "{error:?}");
            let name = format!("{error:?}");
            format!("!{}", name.split(' ').next().unwrap())
        }
    }
}

fn resolver() -> Resolver {
    Resolver::within(["/w/given".into(), "/real/top".into()])
        .with_root(b"API", b"services/api")
        .with_root(b"dots.in.Name", b"/real/top/d")
        .with_root(b"whole", b"")
        .with_root(b"out", b"../other")
        .with_root(b"far", b"/elsewhere")
        .without(RepoPath::new(b"bare/repo.db").unwrap())
}

#[test]
fn a_repo_path_is_as_git_writes_it() {
    for (path, want) in [
        (&b"a"[..], "a"),
        (b"a/b.c/ d ", "a/b.c/ d "),
        (b"\xff/\n", r"\377/\n"),
        (b"~a", "~a"),
        (br"a\b", r"a\b"),
        (b"", "!Empty"),
        (b"/a", "!NotNormal"),
        (b"a/", "!NotNormal"),
        (b"a//b", "!NotNormal"),
        (b"./a", "!NotNormal"),
        (b"a/../b", "!NotNormal"),
        (b"..", "!NotNormal"),
        (b"a\0b", "!Nul"),
    ] {
        assert_eq!(told(RepoPath::new(path)), want, "{:?}", BStr::new(path));
    }
}

#[test]
fn a_path_for_the_system_has_the_same_bytes() {
    let persian = "می\u{200c}خواهم.txt";
    for (path, is_on_windows) in [
        ("a/b.c", true),
        (persian, true),
        ("\u{202e}gpj.a", true),
        ("a b/'", true),
        ("a\tb", false),
        ("a\"b", false),
        ("a/b ", false),
        ("a\\b", false),
    ] {
        let got = RepoPath::new(path.as_bytes()).unwrap();
        let got = got.to_path().ok().and_then(Path::to_str);
        let want = Some(path).filter(|_| is_on_windows || !cfg!(windows));
        assert_eq!(got, want, "{path:?}");
    }
    let latin = RepoPath::new(b"caf\xe9").unwrap();
    let got = latin
        .to_path()
        .map(|path| path.as_os_str().as_encoded_bytes());
    assert_eq!(got.ok(), cfg!(unix).then_some(&b"caf\xe9"[..]));
}

#[test]
fn windows_takes_some_names_for_something_else() {
    for (name, want) in [
        (&b"a.txt"[..], true),
        ("Ünï.txt".as_bytes(), true),
        (b".a", true),
        (b"comma", true),
        (b"com10", true),
        (b"", false),
        (b"a.", false),
        (b"a ", false),
        (b"a:b", false),
        (b"c:", false),
        (b"a/b", false),
        (br"a\b", false),
        (b"a?", false),
        (b"a\x1f", false),
        (b"NUL", false),
        (b"nul.txt", false),
        (b"nul .txt", false),
        (b"Com1", false),
        ("lpt²".as_bytes(), false),
        (b"conin$", false),
        (b"caf\xe9", false),
    ] {
        assert_eq!(is_windows_name(name), want, "{:?}", BStr::new(name));
    }
    for (path, why) in [
        ("src/a.txt", None),
        ("src/aux.c", Some("`aux` is a device")),
        ("docs./a", Some("`docs.` ends in a dot")),
        ("a ", Some("`a ` ends in a space")),
        ("d/a:b", Some("`a:b` has a `:`")),
        ("a\x01", Some("`a\\001` has a control character")),
    ] {
        let path = RepoPath::new(path.as_bytes()).unwrap();
        assert_eq!(windows_fault(&path).as_deref(), why);
    }
}

#[test]
fn a_name_is_checked_when_it_joins_a_directory() {
    let directory = RepoPath::new(b"a/b").unwrap();
    for (name, want) in [
        (&b"c"[..], "a/b/c"),
        (b"c/d", "a/b/c/d"),
        (b"", "!Empty"),
        (b"..", "!NotNormal"),
        (b"c//d", "!NotNormal"),
        (b".GIT", "!DotGit"),
        (b"git~1", "!DotGit"),
        ("\u{200c}.git".as_bytes(), "!DotGit"),
        (b"a\0", "!Nul"),
    ] {
        assert_eq!(told(directory.join(name)), want, "{:?}", BStr::new(name));
    }
    assert_eq!(
        directory.directory_of_len(1),
        Some(RepoPath::new(b"a").unwrap())
    );
    assert_eq!(
        [0, 2, 3, 9].map(|len| directory.directory_of_len(len)),
        [None, None, None, None]
    );
}

#[test]
fn git_is_refused_under_all_its_names() {
    let refused: &[&[u8]] = &[
        b".git",
        b".GIT",
        b".Git",
        b".git ",
        b".git.",
        b".git. . ",
        b".git::$INDEX_ALLOCATION",
        b".git:x",
        b".git ..:",
        b"git~1",
        b"GIT~1",
        b"git~1.",
        b"git~1:stream",
        ".g\u{200c}it".as_bytes(),
        "\u{feff}.git".as_bytes(),
        ".GI\u{206a}T\u{200d}".as_bytes(),
        b".git\xff",
        b"\xe2\x80\x8c.git\xe2\x80\x8d\xff",
    ];
    for name in refused {
        for (before, after) in [
            ("", ""),
            ("", "/config"),
            ("a/", ""),
            ("a/", "/hooks/x"),
            (r"a\", r"\x"),
            (r"a/b\", ""),
        ] {
            let path = [before.as_bytes(), name, after.as_bytes()].concat();
            assert_eq!(
                told(RepoPath::new(&path)),
                "!DotGit",
                "{:?}",
                BStr::new(&path)
            );
            assert_eq!(
                told(Resolver::default().resolve(None, &path)),
                "!DotGit",
                "{:?}",
                BStr::new(&path)
            );
        }
    }
    let allowed: &[&[u8]] = &[
        b".gitignore",
        b".gitmodules",
        b".gitattributes",
        b".github/x",
        b"git",
        b"x.git",
        b"git~2",
        b".git-x",
        b"..git",
        b".git x",
    ];
    for path in allowed {
        assert_eq!(told(RepoPath::new(path)), Shown(path).to_string());
    }
}

#[test]
fn paths_are_resolved_by_their_spelling() {
    for (written, want) in [
        ("a/b", "a/b"),
        ("./a", "a"),
        ("././/a", "a"),
        ("a//b/./c", "a/b/c"),
        ("a/../b", "b"),
        ("a/b/../../c", "c"),
        (" a ", " a "),
        ("a~", "a~"),
        ("a/~b", "a/~b"),
        ("C:x", "C:x"),
        ("file:x", "file:x"),
        ("a:b", "a:b"),
        ("..a/b..", "..a/b.."),
        ("", "!Empty"),
        ("a\0", "!Nul"),
        ("..", "!Escapes"),
        ("../a", "!Escapes"),
        ("a/../../a", "!Escapes"),
        ("../top/a", "!Escapes"),
        ("~", "!Home"),
        ("~/a", "!Home"),
        ("~user/a", "!Home"),
        ("./~/a", "!Home"),
        ("a/", "!Directory"),
        ("a/.", "!Directory"),
        ("a/b/..", "!Directory"),
        (".", "!Directory"),
        ("./", "!Directory"),
        ("a/..", "!Directory"),
        (".git/../a", "!DotGit"),
        ("/", "!Outside"),
        ("//", "!Outside"),
        ("/etc/passwd", "!Outside"),
        (r"C:\x", "!Outside"),
        ("c:/x", "!Outside"),
        (r"\\server\share\x", "!Outside"),
        ("https://example.org/a", "!Url"),
        ("vscode://file/w/given/a", "!Url"),
        ("bare/repo.db", "!DotGit"),
        ("bare/repo.db/hooks/x", "!DotGit"),
        ("bare/REPO.db/config", "!DotGit"),
        ("bare/repo.dbx", "bare/repo.dbx"),
    ] {
        assert_eq!(
            told(resolver().resolve(None, written.as_bytes())),
            want,
            "{written:?}"
        );
    }
}

#[test]
fn absolute_paths_and_uris_must_lie_inside() {
    for (written, want) in [
        ("/w/given/a/b", "a/b"),
        ("/real/top/a", "a"),
        ("//real/./top//a", "a"),
        ("/real/x/../top/a", "a"),
        ("/../real/top/a", "a"),
        ("/real/top/a/../b", "b"),
        ("/real/top/../top/a", "a"),
        ("/real/top/~a", "~a"),
        ("/real/top/../a", "!Outside"),
        ("/real/topper/a", "!Outside"),
        ("/real/to", "!Outside"),
        ("/REAL/top/a", "!Outside"),
        ("/real/top", "!Directory"),
        ("/real/top/", "!Directory"),
        ("/real/top/a/", "!Directory"),
        ("/real/top/.git/config", "!DotGit"),
        ("/real/top/bare/repo.db/x", "!DotGit"),
        ("file:///real/top/a", "a"),
        ("FILE:///real/top/a", "a"),
        ("file://localhost/real/top/a", "a"),
        ("file:/real/top/a", "a"),
        ("file:///real/top/a%20b%ff", r"a b\377"),
        ("file:///real/top%2Fa", "a"),
        ("file:///real/top/%2e%2e/x", "!Outside"),
        ("file:///real/top/%2egit/x", "!DotGit"),
        ("file:///etc/passwd", "!Outside"),
        ("file:///C:/x", "!Outside"),
        ("file://host/real/top/a", "!UriHost"),
        ("file://real", "!UriHost"),
        ("file://", "!UriEmpty"),
        ("file:///real/top/a%2", "!UriEscape"),
        ("file:///real/top/a%zz", "!UriEscape"),
        ("file:///real/top/a%+1", "!UriEscape"),
        ("file:///real/top/a#L3", "!UriQuery"),
        ("file:///real/top/a%00", "!Nul"),
        ("file:///real/top/a/", "!Directory"),
    ] {
        assert_eq!(
            told(resolver().resolve(None, written.as_bytes())),
            want,
            "{written:?}"
        );
    }
    assert_eq!(told(Resolver::default().resolve(None, b"/a")), "!Outside");
}

#[test]
fn a_directory_that_the_model_saw_is_the_work_tree() {
    for (directory, written, want) in [
        ("/testbed", "/testbed/src/a", "src/a"),
        ("/testbed", "file:///testbed/a", "a"),
        ("/testbed", "/testbeds/a", "!Outside"),
        (r"C:\Users\me\p", r"C:\Users\me\p\src\a.py", "src/a.py"),
        (r"C:\Users\me\p", r"c:/Users/me/p/src/a.py", "src/a.py"),
        (r"C:/Users/me/p/", r"C:\Users\me\p\a.py", "a.py"),
        (r"C:\Users\me\p", "file:///C:/Users/me/p/a.py", "a.py"),
        (r"C:\Users\me\p", r"C:\Users\me\p\..\q\a.py", "!Outside"),
        (r"C:\Users\me\p", r"C:\Users\me\p\.git\config", "!DotGit"),
        (r"C:\Users\me\p", r"D:\Users\me\p\a.py", "!Outside"),
        (r"C:\Users\me\p", "/Users/me/p/a.py", "!Outside"),
        (r"\\host\share\p", r"\\host\share\p\a.py", "a.py"),
        (r"\\host\share\p", "/host/share/p/a.py", "!Outside"),
        ("/host/share", r"\\host\share\a.py", "!Outside"),
    ] {
        let resolver = resolver().with_alias(directory.as_bytes()).unwrap();
        assert_eq!(
            told(resolver.resolve(None, written.as_bytes())),
            want,
            "{written:?} below {directory:?}"
        );
    }
    for directory in ["", "testbed", "./testbed", "C:", "C:testbed", r"\testbed"] {
        assert!(
            resolver().with_alias(directory.as_bytes()).is_err(),
            "{directory:?}"
        );
    }
}

#[test]
fn a_directory_goes_before_relative_paths_only() {
    for (directory, written, want) in [
        ("sub", "a", "sub/a"),
        ("sub/", "./a", "sub/a"),
        ("./sub//deep/", "a", "sub/deep/a"),
        ("/real/top/sub", "a", "sub/a"),
        (".", "a", "a"),
        ("sub", "../a", "a"),
        ("sub", "../../a", "!Escapes"),
        ("sub", "/real/top/a", "a"),
        ("sub", "~a", "!Home"),
        ("sub", ".", "!Directory"),
    ] {
        let resolver = resolver().with_directory(directory.as_bytes()).unwrap();
        assert_eq!(
            told(resolver.resolve(None, written.as_bytes())),
            want,
            "{written:?} in {directory:?}"
        );
    }
    for directory in ["", "..", "../x", "/etc", ".git", "~/x", "a\0"] {
        assert!(
            resolver().with_directory(directory.as_bytes()).is_err(),
            "{directory:?}"
        );
    }
}

#[test]
fn a_root_is_the_work_tree_or_mapped() {
    let resolver = resolver().with_directory(b"sub").unwrap();
    for (root, written, want) in [
        ("given", "a", "sub/a"),
        ("top", "a", "sub/a"),
        ("api", "a", "services/api/a"),
        ("API", "a", "services/api/a"),
        ("api", "../a", "services/a"),
        ("api", "../../../a", "!Escapes"),
        ("api", "/real/top/a", "a"),
        ("dots.in.name", "a", "d/a"),
        ("Dots.in.name", "a", "!UnknownRoot"),
        ("whole", "a", "a"),
        ("Top", "a", "!UnknownRoot"),
        ("", "a", "!UnknownRoot"),
        ("other", "a", "!UnknownRoot"),
        ("other", "/real/top/a", "!UnknownRoot"),
        ("out", "a", "!RootOutside"),
        ("far", "a", "!RootOutside"),
    ] {
        assert_eq!(
            told(resolver.resolve(Some(root.as_bytes()), written.as_bytes())),
            want,
            "{written:?} in {root:?}"
        );
    }
    let error = resolver.resolve(Some(b"other"), b"a").unwrap_err();
    assert_eq!(
        error.to_string(),
        "root `other` isn't this work tree, which is `given`"
    );
    assert_eq!(
        told(Resolver::default().resolve(Some(b"x"), b"a")),
        "!RootWithoutTree"
    );
}

#[test]
fn messages_show_paths_escaped() {
    let error = Resolver::default().resolve(None, b"/\x1b[31m").unwrap_err();
    assert_eq!(error.to_string(), r"`/\033[31m` isn't in this work tree");
}

proptest::proptest! {
    /// Whatever the bytes, what comes out is a path that is accepted again, unchanged and relative.
    #[test]
    fn what_is_resolved_is_safe(written in "[./~a\\\\:%gitGT~1 \u{200c}]{0,24}") {
        if let Ok(path) = resolver().resolve(None, written.as_bytes()) {
            proptest::prop_assert_eq!(RepoPath::new(path.as_bytes()), Ok(path.clone()));
            proptest::prop_assert!(!path.parts().any(|part| part.eq_ignore_ascii_case(b".git") || part == b".."));
        }
    }
}

#[test]
fn no_name_is_longer_than_a_file_system_takes() {
    for (path, is_fine) in [
        ("a".repeat(255), true),
        ("a".repeat(256), false),
        (format!("b/{}/c", "a".repeat(256)), false),
        ("a/".repeat(2047) + "a", true),
        ("a/".repeat(2048) + "a", false),
    ] {
        assert_eq!(
            Resolver::default().resolve(None, path.as_bytes()).is_ok(),
            is_fine,
            "{}",
            path.len()
        );
    }
}

#[test]
fn a_letter_and_its_accent_become_one_character_where_git_does_so() {
    for (written, composes, want) in [
        ("cafe\u{301}/a.txt", true, "caf\u{e9}/a.txt"),
        ("cafe\u{301}/a.txt", false, "cafe\u{301}/a.txt"),
        ("caf\u{e9}/a.txt", true, "caf\u{e9}/a.txt"),
    ] {
        let path = Resolver::default()
            .composing(composes)
            .resolve(None, written.as_bytes())
            .unwrap();
        assert_eq!(path.as_bytes(), want.as_bytes(), "{written}");
    }
}

#[test]
fn a_backslash_is_between_names_only_where_that_is_said() {
    for (written, there) in [
        (r"src\net.py", Some("src/net.py")),
        (r".\src\..\net.py", Some("net.py")),
        (r"src/a\net.py", Some("src/a/net.py")),
        (r"..\net.py", None),
        (r"src\.git\config", None),
        (r"src\", None),
        (r"\\host\net.py", None),
    ] {
        let resolved = |has| {
            let resolver = Resolver::default().with_backslashes(has);
            let path = resolver.resolve(None, written.as_bytes());
            path.ok().map(|path| path.to_string())
        };
        assert_eq!(resolved(true).as_deref(), there, "{written}");
        let as_it_is = resolved(false);
        assert!(
            as_it_is.is_none()
                || as_it_is
                    == RepoPath::new(written.as_bytes())
                        .ok()
                        .map(|path| path.to_string()),
            "{written}: {as_it_is:?}"
        );
    }
}
