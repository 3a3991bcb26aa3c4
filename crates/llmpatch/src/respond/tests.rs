//! What is printed is read as what it was, whatever lines and paths hold.

use bstr::ByteSlice as _;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use super::{is_of_printing, print};
use crate::format::{Options, has_line_number};
use crate::kind::Kind;
use crate::patch::{
    FileEdit, Format, Hunk, HunkLine, Mark, Occurrence, Operation, Patch, Substitution,
    Unrepresentable, What,
};
use crate::report::Diagnose as _;
use crate::response::parse;
use crate::text::{Source, SourceId, Text};

const ODD: &[&[u8]] = &[
    b">>>",
    b"<<<",
    b" >>> ",
    b"</put>",
    b"</find>",
    b"</edit>",
    b"<put>",
    b"<find>",
    b"<put><<<",
    b">>></put>",
    b"<opx>",
    b"</opx>",
    b"<edit file=\"f\" op=\"new\">",
    b"<edit file=\"f\" op=\"remove\"/>",
    b"<why>",
    b"*** Begin Patch",
    b"*** End Patch",
    b"*** End of File",
    b"*** Add File: x",
    b"*** Move to: y",
    b"@@",
    b"@@ x",
    b"@@ -1 +1 @@",
    b"+a",
    b"-b",
    b" c",
    b"-- a/f",
    b"++ b/f",
    b"--- a/f",
    b"diff --git a/f b/f",
    b"",
    b" ",
    b"\t",
    b"\r",
    b"a\r",
    b"\ra",
    b"\xff",
    b"\xef\xbb\xbfa",
    b"&lt;",
    b"\\ No newline at end of file",
    b"```",
    b"<!--",
    b"-->",
    b"\0",
];

fn line() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        4 => select(vec!["a", "  b", "fn f() {", "}"]).prop_map(|line| line.as_bytes().to_vec()),
        3 => select(ODD).prop_map(<[u8]>::to_vec),
        1 => vec(any::<u8>(), 0..6).prop_map(|bytes| bytes.replace("\n", "")),
    ]
}

fn text() -> impl Strategy<Value = Text<'static>> {
    line().prop_map(Text::derived)
}

fn lines() -> impl Strategy<Value = Vec<Text<'static>>> {
    vec(text(), 0..6)
}

fn path() -> impl Strategy<Value = Text<'static>> {
    let odd: &[&[u8]] = &[
        b"a",
        b"src/b.rs",
        b"a b",
        b" a",
        b"a ",
        b"a ***",
        b"a\nb",
        b"a\r",
        b"\"<&>'",
        b"\xff",
        b"\xe2\x80\x9c",
        b"</edit>",
        b"&lt;",
        b"",
    ];
    select(odd).prop_map(Text::derived)
}

fn hunk() -> impl Strategy<Value = Hunk<'static>> {
    let mark = select(&[Mark::Context, Mark::Removed, Mark::Added][..]);
    let line = (mark, text()).prop_map(|(mark, text)| HunkLine {
        mark,
        text,
        unterminated: false,
    });
    (vec(text(), 0..3), vec(line, 0..6), any::<bool>()).prop_map(
        |(locators, lines, end_of_file)| Hunk {
            locators,
            lines,
            end_of_file,
            ..Hunk::default()
        },
    )
}

fn edit(
    operation: impl Strategy<Value = Operation<'static>>,
) -> impl Strategy<Value = FileEdit<'static>> {
    let why = proptest::option::weighted(
        0.2,
        lines()
            .prop_map(|lines| Text::derived(bstr::join("\n", lines.iter().map(|line| &line[..])))),
    );
    (
        path(),
        operation,
        proptest::option::weighted(0.1, path()),
        why,
    )
        .prop_map(|(path, operation, root, why)| FileEdit {
            path,
            root,
            operation,
            header: None,
            why,
            span: None,
            record: None,
            depth: None,
        })
}

fn in_an_envelope() -> impl Strategy<Value = Operation<'static>> {
    prop_oneof![
        lines().prop_map(|lines| Operation::Create {
            lines,
            fills_empty: false,
            ends_open: false
        }),
        proptest::option::of(lines()).prop_map(|expected| Operation::Delete { expected }),
        (proptest::option::weighted(0.2, path()), vec(hunk(), 0..3))
            .prop_map(|(to, hunks)| Operation::Update { to, hunks }),
    ]
}

fn in_opx() -> impl Strategy<Value = Operation<'static>> {
    let occurrence = select(
        &[
            Occurrence::Only,
            Occurrence::First,
            Occurrence::Last,
            Occurrence::Nth(std::num::NonZeroUsize::MIN),
        ][..],
    );
    prop_oneof![
        lines().prop_map(|lines| Operation::Create {
            lines,
            fills_empty: false,
            ends_open: false
        }),
        lines().prop_map(|lines| Operation::Replace { lines }),
        Just(Operation::Delete { expected: None }),
        path().prop_map(|to| Operation::Move { to }),
        (lines(), lines(), occurrence).prop_map(|(find, put, occurrence)| Operation::Substitute(
            Substitution {
                find,
                put,
                occurrence,
                written: None,
            }
        )),
    ]
}

/// Reads what was printed, alone and behind prose, and demands that it is the patch.
fn is_read(printed: &[u8], patch: &Patch<'_>) {
    for before in [&b""[..], b"Some prose:\n\n"] {
        let source = Source::new(SourceId(0), "", [before, printed].concat()).unwrap();
        for strict in [false, true] {
            let parsed = parse(
                &source,
                &Options {
                    strict,
                    ..Options::default()
                },
            );
            let is_plain = parsed.warnings.iter().all(|warning| {
                is_of_printing(&warning.value)
                    || warning.value.diagnostic().kind == Kind::RepeatedEdit
            });
            assert!(
                parsed.errors.is_empty() && is_plain,
                "{parsed:?}\n{}",
                printed.as_bstr()
            );
            assert_eq!(parsed.patch, *patch, "{}", printed.as_bstr());
        }
    }
}

fn whats(refused: &[Unrepresentable]) -> Vec<What> {
    refused.iter().map(|refused| refused.what).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: crate::testing::cases(1500), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn an_envelope_is_read_as_it_was(edits in vec(edit(in_an_envelope()), 1..4)) {
        let patch = Patch { format: Format::Envelope, edits };
        match print(&patch) {
            Ok(printed) => is_read(&printed, &patch),
            Err(refused) => {
                let is_odd = |edit: &FileEdit<'_>| match &edit.operation {
                    _ if edit.root.is_some() || edit.why.is_some() => true,
                    Operation::Create { lines, .. } => lines.first().is_some_and(|line| line.starts_with(b"++ ")),
                    Operation::Delete { expected } => expected.as_ref().is_some_and(|lines| lines.first().is_none_or(|line| line.starts_with(b"-- "))),
                    Operation::Update { to, hunks } => hunks.iter().any(|hunk| {
                        hunk.lines.is_empty() || hunk.locators.iter().any(|line| line.trim_ascii().is_empty() || line.starts_with(b"@@") || line.starts_with(b"-"))
                    }) || (to.is_none() && hunks.is_empty()),
                    _ => false,
                };
                let markup = whats(&refused).iter().filter(|what| **what == What::Markup).count();
                prop_assert!(patch.edits.iter().filter(|edit| is_odd(edit)).count() >= markup, "{refused:?} {patch:?}");
            }
        }
    }

    #[test]
    fn opx_is_read_as_it_was(edits in vec(edit(in_opx()), 1..4)) {
        let patch = Patch { format: Format::Opx, edits };
        match print(&patch) {
            Ok(printed) => is_read(&printed, &patch),
            Err(refused) => {
                let is_marked = |lines: &[Text<'_>]| lines.iter().any(|line| [&b">>>"[..], b"<<<", b"</", b"<p", b"<f", b"<e"].iter().any(|mark| line.contains_str(mark)));
                let is_odd = |edit: &FileEdit<'_>| edit.why.as_ref().is_some_and(|why| why.trim_ascii().is_empty()) || match &edit.operation {
                    Operation::Create { lines, .. } | Operation::Replace { lines } => is_marked(lines),
                    Operation::Substitute(Substitution { find, put, .. }) => is_marked(find) || is_marked(put),
                    _ => false,
                };
                let markup = whats(&refused).iter().filter(|what| **what == What::Markup).count();
                prop_assert!(patch.edits.iter().filter(|edit| is_odd(edit)).count() >= markup, "{refused:?} {patch:?}");
            }
        }
    }
}

#[test]
fn what_cannot_be_said_is_told_of_every_edit() {
    let edit = |path: &'static str, operation| FileEdit {
        path: Text::derived(path.as_bytes()),
        root: None,
        operation,
        header: None,
        why: None,
        span: None,
        record: None,
        depth: None,
    };
    let lines = |text: &'static str| {
        text.split('\n')
            .map(|line| Text::derived(line.as_bytes()))
            .collect::<Vec<_>>()
    };
    let substitution = |find| {
        Operation::Substitute(Substitution {
            find: lines(find),
            put: Vec::new(),
            occurrence: Occurrence::Only,
            written: None,
        })
    };
    let patch = |format, edits| Patch { format, edits };
    let edits = vec![
        edit(
            "a",
            Operation::Create {
                lines: lines("\nx"),
                fills_empty: false,
                ends_open: false,
            },
        ),
        edit(
            "b",
            Operation::Create {
                lines: lines("x"),
                fills_empty: false,
                ends_open: false,
            },
        ),
        edit("c", substitution(" \n")),
        edit(
            "d",
            Operation::Create {
                lines: lines("a\n>>>\n</put>"),
                fills_empty: false,
                ends_open: false,
            },
        ),
        edit(
            "e",
            Operation::Create {
                lines: lines("a\0"),
                fills_empty: false,
                ends_open: false,
            },
        ),
        edit(
            "f",
            Operation::Update {
                to: None,
                hunks: Vec::new(),
            },
        ),
    ];
    let refused = print(&patch(Format::Opx, edits)).unwrap_err();
    assert_eq!(
        whats(&refused),
        [
            What::BlankEdges,
            What::Misread,
            What::Markup,
            What::Binary,
            What::Misread
        ]
    );
    let edits = vec![
        edit("a ", Operation::Delete { expected: None }),
        edit("b", substitution("x")),
        edit(
            "c",
            Operation::Create {
                lines: lines("++ b/f"),
                fills_empty: false,
                ends_open: false,
            },
        ),
        edit(
            "d",
            Operation::Create {
                lines: lines("*** End Patch\n\n"),
                fills_empty: false,
                ends_open: false,
            },
        ),
    ];
    let refused = print(&patch(Format::Envelope, edits)).unwrap_err();
    assert_eq!(whats(&refused), [What::Path, What::Misread, What::Markup]);
}

#[test]
fn a_number_before_a_prefix_is_told_from_a_remark() {
    for (line, want) in [
        ("12 -old", true),
        ("12  same", true),
        ("12: -old", true),
        ("12:-old", true),
        ("12| +new", true),
        ("12 | +new", true),
        ("12\t-old", true),
        ("12→ same", true),
        ("12:", true),
        ("12", false),
        ("3 files changed", false),
        ("1. first", false),
        ("12:00 is noon", false),
        ("-12 -old", false),
        ("x", false),
        ("", false),
    ] {
        assert_eq!(has_line_number(line.as_bytes(), None), want, "{line:?}");
    }
}

#[test]
fn a_number_before_text_is_told_from_a_remark_by_the_next_line() {
    for (line, next, want) in [
        ("12 old", "13-gone", true),
        ("12-gone", "12+new", true),
        ("12 old", "14 same", false),
        ("12 old", " same", false),
        ("2 things", "-gone", false),
        ("1. first", "2. second", false),
    ] {
        assert_eq!(
            has_line_number(line.as_bytes(), Some(next.as_bytes())),
            want,
            "{line:?}, then {next:?}"
        );
    }
}
