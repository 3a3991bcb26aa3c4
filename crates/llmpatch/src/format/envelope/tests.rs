use proptest::prelude::*;

use super::*;
use crate::format::Options;
use crate::patch::{FileEdit, Hunk, HunkLine, Mark, Operation};
use crate::report::Diagnose as _;
use crate::respond::is_of_printing;
use crate::response::Warning;
use crate::text::{LineNo, Source, SourceId, Text};

fn source(text: &[u8]) -> Source {
    Source::new(SourceId(0), "answer.txt", text.to_vec()).unwrap()
}

/// Reads an envelope of these lines and writes down what came of it: edits, then warnings, then
/// errors with their lines.
fn read_with(body: &str, options: &Options) -> String {
    let text = format!("*** Begin Patch\n{body}*** End Patch\n");
    read_whole(&text, options)
}

fn read_whole(text: &str, options: &Options) -> String {
    let source = source(text.as_bytes());
    let block = parse_block(&source, source.row(LineNo::FIRST).unwrap(), options);
    let mut out: Vec<String> = block.edits.iter().map(edit).collect();
    let line = |span: Option<crate::text::Span>| source.position(span.unwrap().start as usize).0;
    out.extend(
        block
            .warnings
            .iter()
            .map(|w| format!("warning {}: {}", line(w.span), w.value.diagnostic().kind)),
    );
    out.extend(
        block
            .errors
            .iter()
            .map(|f| format!("error {}: {}", line(f.span), f.value)),
    );
    out.join("\n")
}

fn read(body: &str) -> String {
    read_with(body, &Options::default())
}

fn strictly(body: &str) -> String {
    read_with(
        body,
        &Options {
            strict: true,
            ..Options::default()
        },
    )
}

fn edit(edit: &FileEdit<'_>) -> String {
    let show = |text: &Text<'_>| String::from_utf8_lossy(text).into_owned();
    let all = |lines: &[Text<'_>]| lines.iter().map(show).collect::<Vec<_>>().join("|");
    let path = show(&edit.path);
    match &edit.operation {
        Operation::Create { lines, .. } => format!("add {path} [{}]", all(lines)),
        Operation::Delete { expected: None } => format!("delete {path}"),
        Operation::Delete {
            expected: Some(lines),
        } => format!("delete {path} [{}]", all(lines)),
        Operation::Update { to, hunks } => {
            let to = to
                .as_ref()
                .map_or(String::new(), |to| format!(" -> {}", show(to)));
            format!(
                "update {path}{to}{}",
                hunks.iter().map(hunk).collect::<String>()
            )
        }
        Operation::Unreadable => format!("unreadable {path}"),
        other => format!("{other:?}"),
    }
}

fn hunk(hunk: &Hunk<'_>) -> String {
    let locators: String = hunk
        .locators
        .iter()
        .map(|text| format!("@{}@", String::from_utf8_lossy(text)))
        .collect();
    let lines: Vec<_> = hunk
        .lines
        .iter()
        .map(|line| {
            let mark = match line.mark {
                Mark::Context => ' ',
                Mark::Removed => '-',
                Mark::Added => '+',
            };
            format!("{mark}{}", String::from_utf8_lossy(&line.text))
        })
        .collect();
    let numbered = if hunk.numbered { "#" } else { "" };
    let end = if hunk.end_of_file { "$" } else { "" };
    format!(" {numbered}{locators}[{}]{end}", lines.join("|"))
}

macro_rules! table {
    ($name:ident: $($body:literal => $want:expr;)*) => {
        #[test]
        fn $name() {
            for (body, want) in [$(($body, $want)),*] {
                assert_eq!(read(body), want, "{body}");
            }
        }
    };
}

table! { added_files:
    "*** Add File: a\n+x\n+\n+ y\n" => "add a [x|| y]";
    "*** Add File: a\n" => "add a []";
    "*** Add File:  a b.txt \t\n+x\n" => "add a b.txt [x]";
    "*** Add File:a\n+*** End Patch\n" => "add a [*** End Patch]";
    // An empty line among or before the lines is content, behind the last it is nothing.
    "*** Add File: a\n\n+x\n\n\n+y\n\n\n" => "add a [|x|||y]\nwarning 3: blank-in-body";
    "*** Add File: a\n+x\n  \t\n" => "add a [x]";
    "*** Add File: a\n \n+x\n  \n+y\n" => "add a [|x||y]\nwarning 3: blank-in-body";
    "*** Add File: a\n+x\ny\nz\n+w\n" => "unreadable a\nerror 4: a line that can't be read in the section of `a`";
    "*** Add File: a\n-- comment\n" => "unreadable a\nerror 3: a line that can't be read in the section of `a`";
    "*** Add File: a\n@@\n+x\n" => "unreadable a\nerror 3: a line that can't be read in the section of `a`";
    "*** Add File: a\n+x\n*** End of File\n" => "unreadable a\nerror 4: `*** End of File` follows no hunk";
    "*** Add File: a\n--- /dev/null\n+++ b/a\n@@ -0,0 +1 @@\n+x\n" =>
        "unreadable a\nerror 3: headers of a unified diff in the section of `a`";
    "*** Add File: a\n*** Move to: b\n+x\n" =>
        "unreadable a\nerror 3: `*** Move to:` isn't on the line after an `*** Update File:`";
}

table! { deleted_files:
    "*** Delete File: a\n" => "delete a";
    "*** Delete File: a\n\n" => "delete a";
    "*** Delete File: a\n-x\n\n-y\n\n" => "delete a [x||y]\nwarning 4: blank-in-body";
    "*** Delete File: a\n \n-x\n" => "delete a [|x]\nwarning 3: blank-in-body";
    "*** Delete File: a\n--- comment\n" => "delete a [-- comment]";
    "*** Delete File: a\n+x\n" => "unreadable a\nerror 3: a line that can't be read in the section of `a`";
    "*** Delete File: a\n--- a/a\n+++ /dev/null\n-x\n" =>
        "unreadable a\nerror 3: headers of a unified diff in the section of `a`";
}

table! { chunks:
    "*** Update File: a\n@@\n x\n-y\n+z\n" => "update a [ x|-y|+z]";
    "*** Update File: a\n-y\n+z\n" => "update a [-y|+z]";
    "*** Update File: a\n@@ fn f()\n-y\n@@\n+z\n" => "update a @fn f()@[-y] [+z]";
    "*** Update File: a\n@@  def f():\n-y\n" => "update a @ def f():@[-y]";
    "*** Update File: a\n@@ class A\n@@ def f\n-y\n" => "update a @class A@@def f@[-y]";
    "*** Update File: a\n@@ \n-y\n" => "update a [-y]";
    "*** Update File: a\n@@f\n-y\n@@g\n-z\n" => "update a @f@[-y] @g@[-z]\nwarning 3: locator-spacing";
    "*** Update File: a\n@@ -1,7 +1,8 @@ name\n-y\n" => "update a #[-y]\nwarning 3: locator-numbers";
    "*** Update File: a\n@@ -1 +1 @@\n-y\n" => "update a #[-y]\nwarning 3: locator-numbers";
    "*** Update File: a\n@@ -1,x +1 @@\n-y\n" => "update a @-1,x +1 @@@[-y]";
    // Empty lines: context in a chunk, nothing before a marker and between header and first `@@`.
    "*** Update File: a\n\n\n@@\n-y\n\n+z\n\n\n" => "update a [-y| |+z]\nwarning 7: blank-in-body";
    "*** Update File: a\n@@\n-y\n\n@@\n-z\n \n" => "update a [-y| ] [-z| ]";
    "*** Update File: a\n\n-y\n" => "update a [ |-y]";
    "*** Update File: a\n@@\n-y\n\n*** End of File\n" => "update a [-y]$";
    "*** Update File: a\n@@\n-y\n*** End of File\n\n@@ x\n+z\n" => "update a [-y]$ @x@[+z]";
    "*** Update File: a\n@@\n-y\n*** End of File\n-x\n+z\n" =>
        "unreadable a\nerror 6: a line that can't be read in the section of `a`";
    "*** Update File: a\n*** End of File\n@@\n-y\n" => "unreadable a\nerror 3: `*** End of File` follows no hunk";
    "*** Update File: a\n@@\n-y\n\\ No newline at end of file\n+z\n\\ No newline at end of file\n" =>
        "update a [-y|+z]\nwarning 5: no-newline-mark";
    // Nothing to do.
    "*** Update File: a\n" => "unreadable a\nerror 2: `a` is to be updated, but no change follows";
    "*** Update File: a\n\n*** Delete File: b\n" =>
        "unreadable a\ndelete b\nerror 2: `a` is to be updated, but no change follows";
    "*** Update File: a\n@@ x\n\n*** Delete File: b\n" => "unreadable a\ndelete b\nerror 3: a hunk of `a` has no lines";
    "*** Update File: a\n@@\n*** End of File\n" => "unreadable a\nerror 3: a hunk of `a` has no lines";
    "*** Update File: a\n@@\n-x\n@@ y\n" => "unreadable a\nerror 5: a hunk of `a` has no lines";
    // Moves.
    "*** Update File: a\n*** Move to: b\n" => "update a -> b";
    "*** Update File: a\n*** Move to: b\n-x\n" => "update a -> b [-x]";
    "*** Update File: a\n*** Move to: b\nx\n" =>
        "unreadable a\nunreadable b\nerror 4: a line that can't be read in the section of `a`";
    "*** Update File: a\n@@\n-x\n*** Move to: b\n" =>
        "unreadable a\nerror 5: `*** Move to:` isn't on the line after an `*** Update File:`";
    "*** Move to: b\n" => "error 2: `*** Move to:` isn't on the line after an `*** Update File:`";
    // Unified headers, and a removed SQL comment that is none.
    "*** Update File: a\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-x\n+y\n" =>
        "unreadable a\nwarning 5: locator-numbers\nerror 3: headers of a unified diff in the section of `a`";
    "*** Update File: a\ndiff --git a/a b/a\nindex 1..2\n--- a/a\n+++ b/a\n@@\n-x\n" =>
        "unreadable a\nerror 3: headers of a unified diff in the section of `a`";
    "*** Update File: a\n--- comment\n" => "update a [--- comment]";
    "*** Update File: a\n@@\n--- a/x\n+++ b/x\n" => "update a [--- a/x|+++ b/x]";
    // All that is wrong is named, each once.
    "*** Update File: a\n@@\nx\n\ny\n+z\nw\n*** Delete File: b\n-1\n*** Add File: c\nq\n" =>
        "unreadable a\ndelete b [1]\nunreadable c\nerror 4: a line that can't be read in the section of `a`\n\
         error 8: a line that can't be read in the section of `a`\n\
         error 12: a line that can't be read in the section of `c`";
}

table! { markers:
    "*** Update File: a ***\n@@\n-x\n" => "update a [-x]\nwarning 2: decorated-marker";
    "\n  \n*** Delete File: a\n" => "delete a";
    "Here it is:\n*** Delete File: a\n" => "delete a\nerror 2: text before the first file header of a patch";
    // No line of a file can be meant there.
    "  *** Delete File: a\n" => "delete a\nwarning 2: decorated-marker";
    "*** Rename File: a -> b\n-x\n*** Delete File: c\n" =>
        "unreadable a\nunreadable b\ndelete c\nerror 2: unknown header `*** Rename File:`";
    "*** Update File: a\n@@\n-x\n*** Note: y\nz\n" => "unreadable a\nerror 5: unknown header `*** Note:`";
    "*** Delete File: a\n*** Begin Patch\n*** Begin Patch\n*** Delete File: b\n" =>
        "delete a\ndelete b\nerror 3: `*** Begin Patch` inside the patch that begins in line 1";
    "*** Add File: a\n+x\n*** End Patch ok?\n" => "add a [x]\nerror 4: `*** End Patch` is followed by `ok?` on its line";
}

#[test]
fn ends() {
    for (text, want) in [
        (
            "*** Begin Patch\n*** Delete File: a\n*** End Patch \r",
            "delete a",
        ),
        (
            "*** Begin Patch\r\n*** Add File: a\r\n+x\r\n+y\n*** End Patch\r\n",
            "add a [x|y]",
        ),
        (
            "*** Begin Patch\n*** Delete File: a\n",
            "unreadable a\nerror 1: a patch has no `*** End Patch`",
        ),
        (
            "*** Begin Patch\n*** Add File: a\n+x\n+}*** End Patch\n```\nDone.\n",
            "unreadable a\nerror 4: a patch has no `*** End Patch`",
        ),
        (
            "*** Begin Patch\n*** Update File: a\n@@\n-x\n *** End Patch\n\nDone.\n",
            "update a [-x]\nwarning 5: decorated-marker",
        ),
        (
            "*** Begin Patch\n*** Update File: a\n@@\n-x\n *** End Patch\n+y\n",
            "unreadable a\nerror 5: a patch has no `*** End Patch`",
        ),
        (
            "*** Begin Patch\n*** Update File: a\n@@\n ```\n-x\n```\n\nDone.\n",
            "unreadable a\nerror 1: a patch has no `*** End Patch`",
        ),
        (
            "\u{feff}*** Begin Patch\n*** Delete File: a\n*** End Patch",
            "delete a",
        ),
    ] {
        assert_eq!(read_whole(text, &Options::default()), want, "{text}");
    }
}

#[test]
fn indentation_is_uniform() {
    for (text, want) in [
        (
            "  *** Begin Patch\n  *** Update File: a\n  @@\n   x\n\n  -y\n  *** End Patch\n",
            "update a [ x| |-y]",
        ),
        (
            "\t*** Begin Patch\n\t*** Add File: a\n\t+x\n \n\t*** End Patch\n",
            "add a [x]",
        ),
        (
            "  *** Begin Patch\n*** Add File: a\n+x\n  *** Delete File: b\n*** End Patch\n",
            "unreadable a\ndelete b\nerror 2: a line is indented less than the `*** Begin Patch` of its patch",
        ),
    ] {
        assert_eq!(read_whole(text, &Options::default()), want, "{text}");
    }
}

#[test]
fn strict_refuses_whatever_warns() {
    for (body, want) in [
        (
            "*** Update File: a\n@@ -1,7 +1,8 @@\n-y\n",
            "update a @-1,7 +1,8 @@@[-y]",
        ),
        (
            "*** Add File: a\n+x\n\n+y\n",
            "unreadable a\nerror 4: an empty line of `a` has no `+` and is read as an empty line of the file",
        ),
        (
            "*** Update File: a\n@@x\n-y\n",
            "unreadable a\nerror 3: `@@` without a space after it in the section of `a`",
        ),
        (
            "*** Update File: a ***\n-y\n",
            "unreadable a\nerror 2: a marker with ` ***` after it",
        ),
        (
            "*** Update File: a\n-y\n\\ No newline at end of file\n",
            "unreadable a\nerror 4: `\\ No newline at end of file` in the section of `a` is ignored",
        ),
    ] {
        assert_eq!(strictly(body), want, "{body}");
    }
}

#[test]
fn every_habit_of_models_is_named_with_its_remedy() {
    for (body, want) in [
        (
            "*** Update File: a\n@@\nx\n",
            "one space before a line that stays",
        ),
        ("*** Update File: a\n@@\n\tx\n", "before the tab"),
        ("*** Update File: a\n@@\n\u{a0}x\n", "no-break space"),
        ("*** Update File: a\n@@\n\u{2212}x\n", "typographic minus"),
        ("*** Update File: a\n@@\n```\n-x\n", "fence"),
        ("*** Update File: a\n@@\n* x\n-y\n", "list"),
        (
            "*** Update File: a\n@@\n<<<<<<< SEARCH\n-y\n",
            "search-and-replace",
        ),
        (
            "*** Update File: a\n@@\n-y\n***End of File\n",
            "`*** End of File`",
        ),
        ("*** Add File: a\n-- comment\n", "`+-- …`"),
        ("*** Add File: a\nx\n", "`+` before every line"),
        ("*** Rename File: a -> b\n", "`*** Move to: <new path>`"),
        ("*** Create File: a\n", "write `*** Add File: <path>`"),
        ("*** Frob: a\n", "`*** Delete File: <path>`"),
        (
            "*** Update File: a\n--- a/a\n+++ b/a\n-x\n",
            "the path is in the file header already",
        ),
        ("*** Update File: a\n@@ x\n", "only says where to look"),
        ("***Update File: a\n", "write `*** Update File: <path>`"),
    ] {
        let text = format!("*** Begin Patch\n{body}*** End Patch\n");
        let source = source(text.as_bytes());
        let block = parse_block(
            &source,
            source.row(LineNo::FIRST).unwrap(),
            &Options::default(),
        );
        let help = block
            .errors
            .first()
            .and_then(|error| error.value.diagnostic().help)
            .unwrap_or_default();
        assert!(help.contains(want), "{body}{help}");
        for error in &block.errors {
            assert!(
                !error.value.to_string().ends_with('.') && error.value.diagnostic().help.is_some()
            );
        }
    }
}

#[test]
fn errors_of_a_section_are_bounded() {
    let body: String = "bad\n+good\n".repeat(1000);
    let text = format!("*** Begin Patch\n*** Update File: a\n@@\n{body}*** End Patch\n");
    let source = source(text.as_bytes());
    let block = parse_block(
        &source,
        source.row(LineNo::FIRST).unwrap(),
        &Options::default(),
    );
    assert_eq!(block.errors.len(), 21);
    assert_eq!(
        block.errors[20].value.to_string(),
        "980 further problems in the same section"
    );
}

/// Prints a patch as the plainest envelope that says it.
fn print(edits: &[FileEdit<'_>]) -> Vec<u8> {
    let mut out = b"*** Begin Patch\n".to_vec();
    let mut line = |start: &str, text: &[u8]| {
        out.extend_from_slice(start.as_bytes());
        out.extend_from_slice(text);
        out.push(b'\n');
    };
    for edit in edits {
        match &edit.operation {
            Operation::Create { lines, .. } => {
                line("*** Add File: ", &edit.path);
                lines.iter().for_each(|text| line("+", text));
                if let [_, .., last] = &lines[..]
                    && last.is_empty()
                {
                    line("+", b"");
                }
            }
            Operation::Delete { expected } => {
                line("*** Delete File: ", &edit.path);
                expected.iter().flatten().for_each(|text| line("-", text));
            }
            Operation::Update { to, hunks } => {
                line("*** Update File: ", &edit.path);
                to.iter().for_each(|to| line("*** Move to: ", to));
                for hunk in hunks {
                    hunk.locators.iter().for_each(|text| line("@@ ", text));
                    if hunk.locators.is_empty() {
                        line("@@", b"");
                    }
                    for one in &hunk.lines {
                        let start = match one.mark {
                            Mark::Context => " ",
                            Mark::Removed => "-",
                            Mark::Added => "+",
                        };
                        line(start, &one.text);
                    }
                    if hunk.end_of_file {
                        line("*** End of File", b"");
                    }
                }
            }
            other => panic!("{other:?}"),
        }
    }
    out.extend_from_slice(b"*** End Patch\n");
    out
}

fn text() -> impl Strategy<Value = Text<'static>> {
    // A CR at the end of a line is its terminator's; all other bytes are content.
    let bytes = prop_oneof![
        proptest::collection::vec(any::<u8>(), 0..12),
        "(@@|\\+|-| |\\*\\*\\* End Patch|\\*\\*\\* Add File: x|```|\\\\ No newline)[ a-z]{0,4}"
            .prop_map(String::into_bytes),
    ];
    bytes.prop_map(|bytes| {
        let mut bytes: Vec<u8> = bytes.into_iter().filter(|byte| *byte != b'\n').collect();
        while bytes.last() == Some(&b'\r') {
            bytes.pop();
        }
        Text::derived(bytes)
    })
}

fn path() -> impl Strategy<Value = Text<'static>> {
    "[a-z\"é]([a-z */é]{0,8}[a-z])?"
        .prop_filter("stars behind a path are decoration", |path| {
            !path.ends_with(" ***")
        })
        .prop_map(|path| Text::derived(path.into_bytes()))
}

fn locator() -> impl Strategy<Value = Text<'static>> {
    text().prop_filter("blank or numbers", |text| {
        !text.iter().all(|byte| matches!(byte, b' ' | b'\t' | b'\r')) && !text.starts_with(b"-")
    })
}

fn any_hunk() -> impl Strategy<Value = Hunk<'static>> {
    let mark = prop_oneof![Just(Mark::Context), Just(Mark::Removed), Just(Mark::Added)];
    let line = (mark, text()).prop_map(|(mark, text)| HunkLine {
        mark,
        text,
        unterminated: false,
    });
    (
        proptest::collection::vec(locator(), 0..3),
        proptest::collection::vec(line, 1..6),
        any::<bool>(),
    )
        .prop_map(|(locators, lines, end_of_file)| Hunk {
            locators,
            lines,
            end_of_file,
            ..Hunk::default()
        })
}

fn any_edit() -> impl Strategy<Value = FileEdit<'static>> {
    let lines = || proptest::collection::vec(text(), 0..5);
    let operation = prop_oneof![
        lines().prop_map(|lines| Operation::Create {
            lines,
            fills_empty: false,
            ends_open: false
        }),
        lines().prop_map(|lines| Operation::Delete {
            expected: Some(lines).filter(|lines| !lines.is_empty())
        }),
        (path(), proptest::collection::vec(any_hunk(), 0..4)).prop_map(|(to, hunks)| {
            Operation::Update {
                to: Some(to),
                hunks,
            }
        }),
        proptest::collection::vec(any_hunk(), 1..4)
            .prop_map(|hunks| Operation::Update { to: None, hunks }),
    ];
    (path(), operation).prop_map(|(path, operation)| FileEdit {
        path,
        root: None,
        operation,
        header: None,
        why: None,
        span: None,
        record: None,
        depth: None,
    })
}

/// A first deleted line that looks like the header of a diff is refused, so no printer writes it
/// there.
fn looks_like_a_diff(edit: &FileEdit<'_>) -> bool {
    let (sign, first) = match &edit.operation {
        Operation::Create { lines, .. } => (b'+', lines.first()),
        Operation::Delete { expected } => (b'-', expected.iter().flatten().next()),
        _ => return false,
    };
    first.is_some_and(|text| text.starts_with(&[sign, sign, b' ']))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(crate::testing::cases(256)))]

    #[test]
    fn what_is_printed_is_read_back(edits in proptest::collection::vec(any_edit(), 1..5)) {
        prop_assume!(!edits.iter().any(looks_like_a_diff));
        let printed = print(&edits);
        let source = source(&printed);
        let block = parse_block(&source, source.row(LineNo::FIRST).unwrap(), &Options { strict: true, ..Options::default() });
        prop_assert_eq!(&block.errors, &[], "{}", String::from_utf8_lossy(&printed));
        prop_assert!(block.warnings.iter().all(|warning| is_of_printing(&Warning::Format(warning.value.clone()))));
        prop_assert_eq!(block.edits, edits);
    }
}
