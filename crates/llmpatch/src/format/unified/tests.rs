use crate::format::Options;
use crate::patch::{Format, Mark, Operation, Patch, Position, Status};
use crate::report::Diagnose as _;
use crate::response::parse;
use crate::text::{Shown, Source, SourceId, Text};

fn source(text: impl Into<Vec<u8>>) -> Source {
    Source::new(SourceId(0), "answer.txt", text.into()).unwrap()
}

/// Says what was read: edits, then warnings, then errors, a line each.
fn read(text: impl Into<Vec<u8>>) -> String {
    read_with(text, &Options::default())
}

fn read_with(text: impl Into<Vec<u8>>, options: &Options) -> String {
    let source = source(text);
    let parsed = parse(&source, options);
    let line = |span: Option<crate::text::Span>| {
        span.map_or("-".to_owned(), |span| {
            source.line_at(span.start as usize).to_string()
        })
    };
    let mut said = edits(&parsed.patch);
    said.extend(
        parsed
            .warnings
            .iter()
            .map(|warning| format!("warning {}: {}", line(warning.span), warning.value)),
    );
    said.extend(parsed.errors.iter().map(|error| {
        format!(
            "{} {}: {}",
            error.value.diagnostic().kind,
            line(error.span),
            error.value
        )
    }));
    said.join("\n")
}

fn edits(patch: &Patch<'_>) -> Vec<String> {
    let shown = |edit: &crate::patch::FileEdit<'_>| {
        let Operation::Update { to, hunks } = &edit.operation else {
            return format!("? {}", Shown(&edit.path));
        };
        let header = edit.header.as_ref().unwrap();
        let status = match header.status {
            Status::Modified => "M",
            Status::Added => "A",
            Status::Deleted => "D",
            Status::Renamed => "R",
            Status::Copied => "C",
        };
        let mut said = format!("{status} {}", Shown(&edit.path));
        if let Some(to) = to {
            said += &format!(" -> {}", Shown(to));
        }
        if let (Some(old), Some(new)) = (header.old_mode, header.new_mode)
            && old != new
        {
            said += &format!(" {old:o}-{new:o}");
        }
        for hunk in hunks {
            let at = |at: &Position| {
                let counts = (at.old_lines, at.new_lines);
                format!(
                    "{},{}+{},{}",
                    at.old_start, counts.0, at.new_start, counts.1
                )
            };
            let named = |text: &Text<'_>| format!("`{}`", Shown(text));
            said += " @";
            said += &hunk.position.as_ref().map(at).unwrap_or_default();
            said += &hunk.locators.iter().map(named).collect::<String>();
            said += ":";
            for line in &hunk.lines {
                said.push(match line.mark {
                    Mark::Context => ' ',
                    Mark::Removed => '-',
                    Mark::Added => '+',
                });
                said += &Shown(&line.text).to_string();
                said += if line.unterminated { "$" } else { "" };
            }
        }
        said
    };
    patch.edits.iter().map(shown).collect()
}

const X: &str = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n";

#[test]
fn names_come_to_one_path() {
    let pair = |old: &str, new: &str| read(format!("--- {old}\n+++ {new}\n@@ -1 +1 @@\n-a\n+b\n"));
    for (old, new, want) in [
        ("a/x", "b/x", "x"),
        ("i/x", "w/x", "x"),
        ("c/x", "w/x", "x"),
        ("b/x", "a/x", "x"),
        ("x", "x", "x"),
        ("a/x", "a/x", "a/x"),
        ("b/x", "b/x", "b/x"),
        ("z/x", "z/x", "z/x"),
        (
            "a/x\t2024-01-01 10:00:00.000 +0000",
            "b/x\t2024-01-01 10:00:00.000 +0000",
            "x",
        ),
        ("a/d e/x \t", "b/d e/x \t", "d e/x "),
        ("a/x ", "b/x ", "x "),
        (r#""a/\303\244\t\"""#, r#""b/\303\244\t\"""#, "ä\\t\""),
        (r#""a/x""#, "b/x", "x"),
        ("./x", "x", "x"),
        ("././a/x", "./b/x", "x"),
        ("a/", "a/", "a/"),
        ("x.orig", "x", "x"),
        ("x", "x~", "x"),
        ("a/x.bak", "b/x", "x"),
        ("d/x", "d/x.orig", "d/x"),
    ] {
        assert_eq!(
            pair(old, new),
            format!("M {want} @1,1+1,1:-a+b"),
            "{old} {new}"
        );
    }
    for (old, new) in [
        ("a/x", "b/y"),
        ("x", "y"),
        ("z/x", "y/x"),
        ("a/x", "x"),
        ("x.old", "x"),
        ("original/x", "modified/x"),
    ] {
        assert!(
            pair(old, new).contains("parse 1: the section names two files"),
            "{old} {new}"
        );
    }
    for (old, new) in [("\"a/x", "b/x"), ("\"a/x\"y", "b/x"), ("\"a/\\8\"", "b/x")] {
        assert!(
            pair(old, new).contains("parse 1: a name in quotes"),
            "{old} {new}"
        );
    }
    for (old, new, want) in [
        ("/dev/null", "b/x", "A x"),
        ("/dev/null ", "b/x", "A x"),
        ("/dev/null", "w/x", "A x"),
        ("/dev/null", "a/x", "A a/x"),
        ("/dev/null", "x", "A x"),
    ] {
        assert_eq!(
            read(format!("--- {old}\n+++ {new}\n@@ -0,0 +1 @@\n+b\n")),
            format!("{want} @0,0+1,1:+b")
        );
        let want = want.replace("A a/x", "D x").replace(
            "A x",
            if new == "b/x" || new == "w/x" {
                "D N"
            } else {
                "D x"
            },
        );
        let want = want.replace('N', new);
        assert_eq!(
            read(format!("--- {new}\n+++ {old}\n@@ -1 +0,0 @@\n-b\n")),
            format!("{want} @1,1+0,0:-b")
        );
    }
}

#[test]
fn headers_say_what_becomes_of_a_file() {
    for (text, want) in [
        (
            "diff --git a/x b/x\nold mode 100644\nnew mode 100755\n",
            "M x 100644-100755",
        ),
        (
            "diff --git a/x b/x\nnew file mode 100644\nindex 0000000..e69de29\n",
            "A x",
        ),
        (
            "diff --git a/x b/x\ndeleted file mode 100644\nindex e69de29..0000000\n",
            "D x",
        ),
        (
            "diff --git a/x y b/x y\nold mode 100644\nnew mode 100755\n",
            "M x y 100644-100755",
        ),
        (
            "diff --git \"a/\\303\\244\" \"b/\\303\\244\"\nold mode 100644\nnew mode 100755\n",
            "M ä 100644-100755",
        ),
        (
            "diff --git x x\nold mode 100644\nnew mode 100755\n",
            "M x 100644-100755",
        ),
        (
            "diff --git a/x b/y\nsimilarity index 100%\nrename from x\nrename to y\n",
            "R x -> y",
        ),
        (
            "diff --git a/x b/y\nsimilarity index 100%\ncopy from x\ncopy to y\n",
            "C x -> y",
        ),
        (
            "diff --git a/x b/x\n@@ -1 +1 @@\n-a\n+b\n",
            "M x @1,1+1,1:-a+b",
        ),
        (
            "diff --git a/x b/x\nindex 1..2 100644\n--- a/x\n+++ a/x\n@@ -1 +1 @@\n-a\n+b\n",
            "M x @1,1+1,1:-a+b",
        ),
        (
            "diff --git a/x b/x\nindex 1..2 100644\n",
            "? x\nparse 1: this section changes nothing",
        ),
        (
            "diff --git a/x b/x\nindex 1..2 100644\nsimilarity 9%\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n",
            "? x\nM x @1,1+1,1:-a+b\nparse 3: a line between `diff --git` and `---`",
        ),
        (
            "diff --git a/x b/x\nold mode 100644\nnew mode 100755\n--- a/x\n+++ b/x\n x\n-y\n+Y\n",
            "? x\nparse 7: a hunk has no `@@` line before its lines",
        ),
        (
            "diff --git a/x b/x\nnew file mode 100644\n+a\n",
            "? x\nparse 3: a hunk has no `@@` line before its lines",
        ),
        (
            "diff --git a/x b/x\nnew file mode 100644\n--- /dev/null\n+++ b/x\n\n+a\n",
            "? x\nparse 6: a hunk has no `@@` line before its lines",
        ),
        (
            "diff --git a/x b/x\nnew file mode 100644\n--- /dev/null\n+++ b/x\n@@-0,0 +1 @@\n+a\n",
            "? x\nparse 5: the line numbers of a hunk's header can't be read",
        ),
        (
            "diff --git a/x b/y\nrename from x\n",
            "? x\nparse 1: the header of a rename or copy doesn't give both names",
        ),
        (
            "diff --git a/x b/y\nrename from x\nrename to z\n",
            "? x\n? z\nparse 1: the header of `z` also names `b/y`",
        ),
        (
            "diff --git a/x b/x\ndeleted file mode 120000\n",
            "? x\nunsupported 2: mode 120000",
        ),
        (
            "diff --git a/x b/x\nnew file mode rw\n",
            "? x\nparse 2: `rw` isn't a file mode",
        ),
        (
            "diff --git a/x b/x\nindex 1..2\nGIT binary patch\nliteral 1\nIcmZPo000310RR91\n\nliteral 0\nHcmV?d00001\n\n",
            { "? x\nparse 1: the header of a binary patch" },
        ),
        (
            "diff --git a/x b/x\nindex 1..2\nGIT binary patch\nliteral 1\nIc${Nk\n\n",
            { "? x\nparse 5: a line of a binary patch can't be read" },
        ),
        (
            "diff --git a/x b/x\nindex 1111111111111111111111111111111111111111..2222222222222222222222222222222222222222\nGIT binary patch\nliteral 1\nIcmZPo000310RR91\n\nliteral 0HcmV?d00001\n\n",
            { "? x\nparse 7: a line of a binary patch can't be read" },
        ),
        (
            "diff --git a/x b/x\nindex 1..2\nBinary files a/x and b/x differ\n",
            "? x\nunsupported 1: `x` is a binary",
        ),
        (
            "diff --git a/x b/x\nnew file mode 100644\n--- a/x\n+++ b/x\n@@ -0,0 +1 @@\n+b\n",
            "? x\nparse 1: the header con",
        ),
        (
            "--- /dev/null\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n",
            "? x\nparse 4: the file is new, but the hunk",
        ),
        (
            "--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+b\n@@ -0,0 +2 @@\n+c\n",
            "? x\nparse 5: the file is new, but it has",
        ),
        (
            "diff --git is a command\n",
            "parse -: the response has no patch",
        ),
    ] {
        let got = read(text);
        assert!(got.starts_with(want), "{text}\n{got}");
    }
}

#[test]
fn counts_end_a_hunk_and_are_corrected() {
    let hunk = |rest: &str| read(format!("--- a/x\n+++ b/x\n{rest}"));
    for (rest, want) in [
        // Exact: what looks like headers is content.
        (
            "@@ -1,2 +1,2 @@\n--- a/y\n-x\n+++ b/y\n+@@ -1 +1 @@\n",
            "M x @1,2+1,2:--- a/y-x+++ b/y+@@ -1 +1 @@",
        ),
        ("@@ -1,2 +1,2 @@ fn\n a\n-b\n+c\n", "M x @1,2+1,2: a-b+c"),
        ("@@ -1,3 +1,3 @@\n a\n\n-b\n+c\n", "M x @1,3+1,3: a -b+c"),
        ("@@ -1,2 +1,2 @@\n-b\n+c\n\n", "M x @1,2+1,2:-b+c "),
        // Complete, whatever follows.
        ("@@ -1 +1 @@\n-b\n+c\n\n- d\n+ e\n", "M x @1,1+1,1:-b+c"),
        ("@@ -1 +1 @@\n-b\n+c\n\n---\n", "M x @1,1+1,1:-b+c"),
        ("@@ -1 +1 @@\n-b\n+c\n \n", "M x @1,1+1,1:-b+c"),
        (
            "@@ -1 +1 @@\n-b\n+c\n-- \nA signature\n",
            "M x @1,1+1,1:-b+c",
        ),
        (
            "@@ -1 +1 @@\n-b\n+c\n\n+d\n",
            "M x @1,1+1,1:-b+c\nwarning 7: hunk 1 of `x` is complete by its counts",
        ),
        (
            "@@ -1 +1 @@\n-b\n+c\nd\n+e\n",
            "M x @1,1+1,1:-b+c\nwarning 7: hunk 1 of `x` is complete by its counts",
        ),
        // More follows at once.
        (
            "@@ -1 +1 @@\n-b\n+c\n+d\n",
            "M x @1,1+1,2:-b+c+d\nwarning 6: hunk 1 of `x` claims 1 old and 1 new line, but",
        ),
        (
            "@@ -1 +1 @@\n-b\n+c\n+d\n \n",
            "M x @1,1+1,2:-b+c+d\nwarning 6: hunk 1",
        ),
        (
            "@@ -1 +1 @@\n-b\n+c\n d\n",
            "M x @1,2+1,2:-b+c d\nwarning 6: hunk 1",
        ),
        (
            "@@ -1 +1 @@\n-b\n+c\n- d\n+e\n\n f\n",
            "M x @1,4+1,4:-b+c- d+e  f\nwarning 6: hunk 1",
        ),
        (
            "@@ -1,2 +1 @@\n-b\n c\n\\ No newline at end of file\n- d\n",
            "M x @1,2+1,1:-b c$",
        ),
        (
            "@@ -1 +1 @@\n-b\n+c\n+d\n\\ No newline at end of file\n+ e\n",
            "M x @1,1+1,2:-b+c+d$\nwarning 6: hunk 1",
        ),
        (
            "@@ -1 +1 @@\n-b\n+c\n-- \n+d\n",
            "M x @1,2+1,2:-b+c-- +d\nwarning 6: hunk 1",
        ),
        // Too few and too many.
        ("@@ -1,9 +1,9 @@\n a\n-b\n+c\n\nx\n", {
            "M x @1,2+1,2: a-b+c\nwarning 3: hunk 1 of `x` claims 9 old and 9 new lines"
        }),
        (
            "@@ -1,9 +1 @@\n-b\n+c\n+d\n\n",
            "M x @1,1+1,2:-b+c+d\nwarning 6: hunk 1",
        ),
        (
            "@@ -1,2 +1 @@\n-b\n+c\n+d\n f\n\nx\n",
            "M x @1,2+1,3:-b+c+d f\nwarning 6: hunk 1",
        ),
        (
            "@@ -1,9 +1,9 @@\n-b\n+c\n@@ -20 +20 @@\n-d\n+e\n",
            "M x @1,1+1,1:-b+c @20,1+20,1:-d+e\nwarning 3: hunk 1",
        ),
        (
            "@@ -1,9 +1,9 @@\n-b\n+c\n--- a/y\n+++ b/y\n@@ -1 +1 @@\n-d\n+e\n",
            { "M x @1,1+1,1:-b+c\nM y @1,1+1,1:-d+e\nwarning 3: hunk 1" },
        ),
        (
            "@@ -1,9 +1,9 @@\n-b\n+c\n\nThat is all.\n",
            "M x @1,1+1,1:-b+c\nwarning 3: hunk 1",
        ),
        ("@@ -1 +1 @@\n-b\n+c\nThat is all.\n", "M x @1,1+1,1:-b+c"),
        (
            "@@ -1 +1 @@\n-b\n+c\n\nThat is all:\n- this\n",
            "M x @1,1+1,1:-b+c",
        ),
        ("@@ -1 +1 @@\n-b\n+c\n-- \n2.47.3\n\n", "M x @1,1+1,1:-b+c"),
        (
            "@@ -1,3 +1,3 @@\n-b\n+c\n-- \n2.47.3\n\n",
            "M x @1,1+1,1:-b+c\nwarning 3: hunk 1",
        ),
        (
            "@@ -1 +1 @@\n-b\n+c\n\n@@ -5 +5 @@\n-b\n+c\n",
            "M x @1,1+1,1:-b+c @5,1+5,1:-b+c",
        ),
        // What nobody can tell.
        (
            "@@ -1,9 +1,9 @@\n-b\n+c\nd\n",
            "? x\nparse 6: a line of a hunk has no prefix",
        ),
        (
            "@@ -1,9 +1,9 @@\n-b\n+c\n\nd\n+e\n",
            "? x\nparse 7: a line of a hunk has no prefix",
        ),
        (
            "@@\n-b\n+c\n```bash\n+d\n```\n",
            "? x\nparse 6: a line of a hunk is a Markdown fence",
        ),
        (
            "@@\n-b\n+c\n```\n+d\n",
            "? x\nparse 6: a line of a hunk is a Markdown fence",
        ),
        (
            "@@\n-b\n+c\nOnly in a: d\n+e\n",
            "? x\nparse 6: a line of a hunk has no prefix",
        ),
        (
            "@@\n-b\n+c\n\nThat is:\n- all\n+ of it\n",
            "? x\nparse 7: a line of a hunk has no prefix",
        ),
        ("@@-1 +1 @@\n-b\n+c\n", {
            "? x\nparse 3: the line numbers of a hunk's header can't be read"
        }),
        (
            "@@ -1,2 +1,2 @@\n-b\n+c",
            "? x\nparse 3: the response ends in the middle of a hunk",
        ),
        (
            "@@ -1,2 +1,2 @@\n-b\n+c\n",
            "? x\nparse 3: the response ends in the middle of a hunk",
        ),
        (
            "@@ -1,9 +1 @@\n-b\n+c\n+d",
            "? x\nparse 3: the response ends in the middle of a hunk",
        ),
        (
            "@@ -1 +1 @@\n",
            "? x\nparse 3: the response ends in the middle of a hunk",
        ),
        (
            "@@ -1 +1 @@\n@@ -5 +5 @@\n-b\n+c\n",
            "? x\nparse 3: a hunk has no lines",
        ),
        (
            "@@ -x +1\n-a\n",
            "? x\nparse 3: the line numbers of a hunk's header can't be read",
        ),
        (
            "@@@ -1 -1 +1 @@@\n--a\n",
            "? x\nparse 3: the diff of a merge against all its parents can't be applied",
        ),
        (
            "@@ -3,2 +3,3 @@\n+b\n+c\n+d\n+e\n\nx\n",
            "? x\nparse 3: the hunk's header claims 2 old lines, and the hunk only adds lines",
        ),
        // Without numbers.
        ("@@ -x +1 @@\n-a\n", "M x @:-a"),
        ("@@ -1 +1 @@\n-b\n+c\n@@\n-d\n+e\n", {
            "M x @1,1+1,1:-b+c @:-d+e"
        }),
        ("@@ ... @@\n a\n\n-b\n\nThat is all.\n", "M x @: a -b"),
        ("@@ … @@ fn a()\n-b\n", "M x @`fn a()`:-b"),
        ("@@\n-b\n\nThat is:\n- all\n- of it\n", "M x @:-b"),
        ("@@\n-b\n```\n- this\n", "M x @:-b"),
        ("@@\n-b\n\n```sh\nls -r x\n```\n", "M x @:-b"),
        (
            "@@\n-b\n\n```diff\n-a\n```\n",
            "M x @:-b\nwarning 7: a hunk names no file",
        ),
        ("@@  class K: @@ \n-b\n", "M x @` class K:`:-b"),
        ("@@ class K:\n-b\n@@ }\n+c\n", "M x @`class K:`:-b @`}`:+c"),
        (
            "@@ -99999999999 +1 @@\n-b\n+c\n",
            "M x @:-b+c\nwarning 3: hunk 1 of `x` has a line number that no file has",
        ),
    ] {
        let got = hunk(rest);
        let ends = got.len() == want.len() || want.contains('\n') && !want.ends_with("+e");
        assert!(got.starts_with(want) && ends, "{rest}\n{got}");
    }
    let strict = Options {
        strict: true,
        ..Options::default()
    };
    let text = "--- a/x\n+++ b/x\n@@ -1,9 +1,9 @@\n a\n-b\n+c\n\nx\n";
    assert!(
        read_with(text, &strict)
            .contains("parse 3: hunk 1 claims 9 old and 9 new lines, and has 2 old and 2 new")
    );
}

#[test]
fn newline_marks_and_line_ends() {
    let hunk = |rest: &str| read(format!("--- a/x\n+++ b/x\n{rest}"));
    for (rest, want) in [
        (
            "@@ -1 +1 @@\n-b\n\\ No newline at end of file\n+c\n\\ Kein Zeilenumbruch\n",
            "M x @1,1+1,1:-b$+c$",
        ),
        (
            "@@ -1,2 +1 @@\n-b\n c\n\\ No newline at end of file\n",
            "M x @1,2+1,1:-b c$",
        ),
        (
            "@@ -1,2 +1 @@\n b\n\\ No newline at end of file\n-c\n",
            "? x\nparse 4: `\\ No newline at end of file` comes after",
        ),
        (
            "@@ -1 +1 @@\n\\ No newline at end of file\n-b\n+c\n",
            "? x\nparse 4: `\\ No newline at end of file` follows no",
        ),
        ("@@ -1 +1 @@\n-b\r\n+c\n", "M x @1,1+1,1:-b\\r+c"),
        ("@@ -1 +1 @@\r\n-b\r\n+c\r\n", "M x @1,1+1,1:-b+c"),
    ] {
        assert!(hunk(rest).starts_with(want), "{rest}\n{}", hunk(rest));
    }
    assert_eq!(read(X.replace('\n', "\r\n")), read(X));
    assert_eq!(read(format!("\u{feff}{X}")), read(X));
}

#[test]
fn diffs_are_found_where_they_start_a_line() {
    let x = "M x @1,1+1,1:-a+b";
    let mail = format!(
        "From 0123456789012345678901234567890123456789 Mon Sep 17 00:00:00 2001\nFrom: A <a@x>\nSubject: [PATCH] s\n\n---\n x | 2 +-\n\
         1 file changed\n\ndiff --git a/x b/x\nindex 1..2 100644\n{X}-- \n2.47.3\n\n"
    );
    for (text, want) in [
        (format!("Here:\n\n```diff\n{X}```\nDone: it is\n+ good\n- bad\n"), x.to_owned()),
        (format!("Index: x\n=====\n{X}Index: y\n=====\n{}", X.replace("/x", "/y")), format!("{x}\nM y @1,1+1,1:-a+b")),
        (mail.clone(), x.to_owned()),
        // In a series, a commit may make again what one between took back.
        (
            format!("{mail}{mail}"),
            format!("{x}\n{x}\nwarning 27: this edit of `x` repeats the one in line 9: both are applied"),
        ),
        (format!("git apply <<'EOF'\n{}EOF\n", X.replace("1 +1", "1,4 +1,4")), {
            format!(
                "{x}\nwarning 4: hunk 1 of `x` claims 4 old and 4 new lines, but has 1 old and 1 new line; the lines that it has are used"
            )
        }),
        (
            "@@ -1 +1 @@\n-a\n+b\n".to_owned(),
            "parse 1: a hunk without `--- ` and `+++ ` or `diff --git` before it".into(),
        ),
        (format!("> {}", X.trim_end().replace('\n', "\n> ")), {
            "parse 1: the response has no patch outside of lines quoted by `>`".into()
        }),
        (format!("{X}--- a/y\n+++ b/y\n"), format!("{x}\nparse 7: the response ends in the middle of `+++ b/y`")),
        (format!("{X}diff --g"), format!("{x}\nparse 6: the response ends in the middle of `diff --g`")),
        (format!("```diff\n{}", X.replace("1 +1", "1,4 +1,4")), {
            "? x\nparse 4: the response ends in the middle of a hunk, which claims 4 old and 4 new lines and has 1 old and 1 new line".into()
        }),
        (format!("{X}Binary files a/p and b/p differ\n"), {
            format!("{x}\nunsupported 6: the patch shows no lines: Binary files a/p and b/p differ")
        }),
        (format!("{X}diff --cc y\n@@@ -1,2 -1,2 +1,2 @@@\n"), {
            format!("{x}\nparse 7: the diff of a merge against all its parents can't be applied")
        }),
        (format!("*** Begin Patch\n*** Delete File: z\n*** End Patch\n{X}"), {
            "? z\nparse 4: the response has patches in two formats, envelope and unified".into()
        }),
        (
            format!("*** Begin Patch\n*** Add File: z\n+{}*** End Patch\n", X.trim_end().replace('\n', "\n+") + "\n"),
            "? z".into(),
        ),
        (format!("<!--\n{X}-->\n{}", X.replace("/x", "/y")), {
            "M y @1,1+1,1:-a+b\nwarning 2: a unified diff in an HTML comment is ignored".into()
        }),
        (
            "--- a/p\n+++ b/p\n@@ -0,0 +1,3 @@\n+*** Begin Patch\n+<edit file=\"a\" op=\"remove\"/>\n *** End Patch\n"
                .to_owned(),
            {
                "M p @0,1+1,3:+*** Begin Patch+<edit file=\"a\" op=\"remove\"/> *** End Patch\nwarning 6: hunk 1 of `p` claims 0 old \
             and 3 new lines, but has 1 old and 3 new lines; the lines that it has are used"
                .into()
            },
        ),
        (r#"{"diff": "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n"}"#.to_owned(), {
            "M x @1,1+1,1:-a+b".into()
        }),
    ] {
        assert_eq!(read(text.as_str()), want, "{text}");
    }
    let envelope = Options {
        format: Some(Format::Envelope),
        ..Options::default()
    };
    let both = format!("{X}*** Begin Patch\n*** Delete File: z\n*** End Patch\n");
    assert_eq!(read_with(both.as_str(), &envelope), {
        "? z\nwarning 1: a unified diff is ignored: the format asked for is envelope"
    });
    let unified = Options {
        format: Some(Format::Unified),
        ..Options::default()
    };
    assert_eq!(read_with(both.as_str(), &unified), {
        format!("{x}\nwarning 6: an envelope is ignored: the format asked for is unified")
    });
}

#[test]
fn reading_takes_time_in_proportion_to_the_length() {
    for (unit, tail) in [
        ("--- a\n+++ b\n@@ -1 +1 @@\n-a\n+b\n", ""),
        ("--- a\n+++ b\n@@ -9 +9 @@\n-a\n+b\n\n\n", "x\n"),
        ("@@ -1 +1 @@\n-a\n+b\n", ""),
        ("diff --git a b\n", ""),
        ("diff --git \"a b \"\n", ""),
        ("diff --git a/x b/x\n@@ -1 +1 @@\n-a\nx\n", ""),
        ("diff --git a/x b/x\nold mode 100644\nnew mode 100755\n", ""),
        ("--- a\n+++ b\n@@ -1 +1 @@\n-a\n+b\nprose\n", ""),
        ("<<E\n", ""),
        ("--- a\n+++ b\n@@ @@\n-a\n```x\n", ""),
        ("--- a\n+++ b\n\n", ""),
        ("  @@ -1 +1 @@\n", ""),
        ("@@ x\n y\n", ""),
        ("-- \n1.0\n", ""),
        ("```\n-- \n1.0\n", ""),
        ("Index: x\n- x\n", ""),
    ] {
        let units = unit.repeat(crate::testing::length(200_000) / unit.len()) + tail;
        for text in [format!("--- a\n+++ b\n@@ @@\n-a\n{units}"), units] {
            let source = source(text.into_bytes());
            let _ = parse(&source, &Options::default());
        }
    }
}
