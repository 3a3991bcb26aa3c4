use super::marker::Family;
use super::marker::{Marker, is_cut, is_nearly_opener, opener, unescaped};
use super::path::{in_info, named};

#[test]
fn markers_are_told_from_what_looks_like_them() {
    for (line, want) in [
        ("<<<<<<< SEARCH", Some(Marker::Open(Family::Angles, 7))),
        ("<<<<< SEARCH>", Some(Marker::Open(Family::Angles, 5))),
        ("<<<<<<<<< SEARCH \t", Some(Marker::Open(Family::Angles, 9))),
        ("------- SEARCH", Some(Marker::Open(Family::Dashes, 7))),
        ("<<<< SEARCH", None),
        ("<<<<<<<<<< SEARCH", None),
        ("<<<<<<<SEARCH", None),
        (" <<<<<<< SEARCH", None),
        ("<<<<<<< search", Some(Marker::ConflictStart)),
        ("<<<<<<< HEAD", Some(Marker::ConflictStart)),
        ("<<<<<<<", Some(Marker::ConflictStart)),
        ("<<<<<< HEAD", None),
        ("=======", Some(Marker::Divider(7))),
        ("===== ", Some(Marker::Divider(5))),
        ("====", None),
        ("======= x", None),
        (">>>>>>> REPLACE", Some(Marker::End(Family::Angles, 15))),
        (
            ">>>>>>> REPLACE]]></content></diff>",
            Some(Marker::End(Family::Angles, 15)),
        ),
        (">>>>>>> REPLACE x", Some(Marker::ConflictEnd)),
        ("+++++++ REPLACE", Some(Marker::End(Family::Dashes, 15))),
        ("+++ REPLACE", None),
        (">>>>>>> main", Some(Marker::ConflictEnd)),
        (":start_line:1", Some(Marker::Number)),
        (":end_line: 1", Some(Marker::Number)),
        (":line:1", None),
        ("-------", Some(Marker::Rule)),
        ("--------", None),
        ("", None),
    ] {
        assert_eq!(Marker::read(line.as_bytes()), want, "{line}");
    }
}

#[test]
fn one_backslash_before_a_marker_goes() {
    for (line, want) in [
        ("\\=======", Some("=======")),
        ("\\\\=======", Some("\\=======")),
        ("\\<<<<<<< HEAD", Some("<<<<<<< HEAD")),
        ("\\x", None),
        ("=======", None),
        ("\\", None),
    ] {
        assert_eq!(
            unescaped(line.as_bytes()),
            want.map(str::as_bytes),
            "{line}"
        );
    }
}

#[test]
fn first_lines_and_what_is_nearly_one() {
    for (line, at, is_near) in [
        ("<<<<<<< SEARCH", Some(0), true),
        ("  <<<<<<< SEARCH", Some(2), true),
        ("<diff><content><![CDATA[ <<<<<<< SEARCH", Some(25), false),
        ("<b><<<<<<< SEARCH", None, false),
        ("<<< SEARCH", None, true),
        ("<<<<<<< search", None, true),
        ("<<<<<<< SEARCH a.py", None, true),
        ("<<<<<<<SEARCH", None, true),
        ("<<<<<<< search for it", None, false),
        ("<<<<<<< HEAD", None, false),
        ("--- SEARCH", None, true),
        ("--- SEARCH.md", None, false),
        ("--- Search", None, false),
        ("------- Search", None, true),
        ("----- search", None, true),
        ("------- search for it", None, false),
        ("------- Search -------", None, false),
        ("---------- search", None, false),
        ("<< SEARCH", None, false),
        ("<<<<<<< SEARCHES", None, false),
    ] {
        assert_eq!(
            (opener(line.as_bytes()), is_nearly_opener(line.as_bytes())),
            (at, is_near),
            "{line}"
        );
    }
    for (line, want) in [
        ("<<<<<<<", true),
        ("<<<<<<< SEAR", true),
        ("-------", false),
        ("------- S", true),
        ("<<<", false),
    ] {
        assert_eq!(is_cut(line.as_bytes()), want, "{line}");
    }
}

#[test]
fn a_path_line_holds_a_path_and_nothing_else() {
    let is_file = |path: &[u8]| path == b"my file.txt";
    for (line, is_near, want) in [
        ("src/a.py", false, Some("src/a.py")),
        ("a.py", false, Some("a.py")),
        ("### `src/a.py`", false, Some("src/a.py")),
        ("**`a.py`**:", false, Some("a.py")),
        ("**File:** a.py", false, Some("a.py")),
        ("File: `my other file`", true, Some("my other file")),
        ("1. **a.py**", false, Some("a.py")),
        ("2) path: src/a", false, Some("src/a")),
        ("* `a.py`:", false, Some("a.py")),
        ("\u{2022} a.py", false, Some("a.py")),
        ("__init__.py", false, Some("__init__.py")),
        ("src/[id]/page.tsx", false, Some("src/[id]/page.tsx")),
        ("my file.txt", false, Some("my file.txt")),
        ("my other.txt", false, None),
        ("Makefile", true, Some("Makefile")),
        ("Makefile", false, None),
        (".gitignore", true, Some(".gitignore")),
        (".gitignore", false, None),
        ("Makefile:", true, None),
        ("`Makefile`:", true, Some("Makefile")),
        ("File: Makefile", true, Some("Makefile")),
        ("Done.", true, None),
        ("https://example.org/a.py", true, None),
        ("---", true, None),
        ("...", true, None),
        ("<diff>", true, None),
        ("<code>python", true, None),
        ("*.swp", true, None),
        ("main()", true, None),
        ("app/(shop)/page.tsx", true, Some("app/(shop)/page.tsx")),
        ("in `a.py`", true, None),
        ("`a.py` and `b.py`", true, None),
        ("Change a.py:", true, None),
        ("", true, None),
    ] {
        let got = named(line.as_bytes(), is_near, is_file);
        assert_eq!(got, want.map(str::as_bytes), "{line} {is_near}");
    }
}

#[test]
fn a_fence_may_say_the_path() {
    for (info, want) in [
        ("python", &[][..]),
        ("src/a.py", &["src/a.py"]),
        ("py src/a.py", &["src/a.py"]),
        ("py:src/a.py", &["src/a.py"]),
        ("py title=\"src/a.py\" n=1.5", &["src/a.py"]),
        ("{.python file=a.py}", &["a.py"]),
        ("c++", &[]),
        ("path='a.py' b.py", &["a.py", "b.py"]),
        ("python title=\"my file.py\"", &["my file.py"]),
        ("python 'my file.py'", &["my file.py"]),
        ("python title=\"How to\" file=a.py", &["a.py"]),
        ("python title=\"a.py n=1", &["a.py"]),
        ("python:new.py", &["new.py"]),
        ("python:2.0", &[]),
        ("python 3.11", &[]),
        ("known.py", &["known.py"]),
        ("vb.net", &[]),
        ("vb.net new.vb", &["new.vb"]),
        ("text/x-python", &[]),
        ("application/vnd.ms-excel", &[]),
    ] {
        let got: Vec<_> = in_info(info.as_bytes(), |path| path == b"known.py").collect();
        assert_eq!(
            got,
            want.iter().map(|path| path.as_bytes()).collect::<Vec<_>>(),
            "{info}"
        );
    }
}
