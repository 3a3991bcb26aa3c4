//! What holds of every text.

use std::num::NonZeroUsize;

use proptest::prelude::*;

use super::*;

/// Reads every element of a text as a scan of a whole answer would, and checks what holds of each.
fn read_all(bytes: &[u8]) -> usize {
    let source = source(bytes);
    let mut at = 0;
    let mut count = 0;
    while let Some(found) = bytes[at..].iter().position(|&byte| byte == b'<') {
        at += found;
        if !starts_here(&bytes[at..]) {
            at += 1;
            continue;
        }
        let block = parse_block(&source, at, false);
        assert!(block.range.end > at && block.range.end <= bytes.len());
        assert!(!block.edits.is_empty() || !block.errors.is_empty());
        let unreadable = block
            .edits
            .iter()
            .any(|edit| edit.operation == Operation::Unreadable);
        assert!(!unreadable || !block.errors.is_empty());
        for error in &block.errors {
            let span = error.span.unwrap();
            assert!(span.start <= span.end && span.end as usize <= bytes.len());
            assert!(!error.value.to_string().is_empty() && error.value.diagnostic().help.is_some());
        }
        (at, count) = (block.range.end, count + 1);
    }
    count
}

const TOKENS: &[&str] = &[
    "<opx>",
    "</opx>",
    "<edit file=\"a\" op=\"new\">",
    "<edit file=\"a\" op=\"patch\">",
    "<edit file='a' op='remove'/>",
    "<edit file=\"a\" op=\"move\">",
    "</edit>",
    "<edit>",
    "<edit ",
    "<put>",
    "</put>",
    "<find>",
    "</find>",
    "<find occurrence=\"2\">",
    "<why>",
    "</why>",
    "<to file=\"b\"/>",
    "<to file=\"b\">",
    "</to>",
    "<<<",
    ">>>",
    "\n",
    "\n",
    "\n",
    "\r\n",
    " ",
    "  ",
    "x",
    "file=\"",
    "op=",
    "\"",
    "'",
    "“",
    "”",
    "<!--",
    "-->",
    "<b>",
    "</b>",
    "&lt;",
    "`",
    "<",
    ">",
    "/",
    "\0",
    "*** Begin Patch\n",
    "<put>\n<<<\n",
    "\n>>>\n</put>\n",
    "<find>\n<<<\n",
    "\n>>>\n</find>\n",
];

fn line() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "[ \ta-z<>&;=\"/é-]{0,12}",
        1 => prop::sample::select(vec![
            "", ">>>", ">>> f()", "<<<", "<put>", "</put>", "<find>", "</find>", "</edit>", "<edit file=\"q\">", "&lt;", "  >>>",
            "cat <<<", "*** End Patch", "<opx>", "</opx>", "<<<<<<< a", ">>>>>>> b", "```",
        ])
        .prop_map(str::to_owned),
    ]
}

fn quoted() -> impl Strategy<Value = Vec<String>> {
    let content = prop::collection::vec("[ a-z<>]{0,6}", 0..3);
    (prop::sample::select(vec!["put", "find"]), content).prop_map(|(name, content)| {
        let content: Vec<_> = content
            .into_iter()
            .filter(|line| line.trim() != ">>>")
            .collect();
        [
            vec![format!("  <{name}>"), "<<<".into()],
            content,
            vec![">>>".into(), format!("</{name}>")],
        ]
        .concat()
    })
}

/// Lines that a payload can hold by the rules: markers and tags of the format where they can't be
/// taken for its own.
fn lines() -> impl Strategy<Value = Vec<String>> {
    let piece = prop_oneof![4 => line().prop_map(|line| vec![line]), 1 => quoted()];
    prop::collection::vec(piece, 0..6)
        .prop_map(|pieces| pieces.concat())
        .prop_filter("holds what would end it", |lines| {
            let full: Vec<_> = lines
                .iter()
                .map(|line| line.trim_matches([' ', '\t']))
                .filter(|line| !line.is_empty())
                .collect();
            // Balanced pairs stand; a loose marker must not meet a loose tag.
            let mut depth = 0i32;
            for (index, line) in full.iter().enumerate() {
                let next = full.get(index + 1).copied().unwrap_or_default();
                let opens =
                    next.ends_with("<<<") && (line.ends_with("put>") || line.ends_with("find>"));
                depth += i32::from(opens && !line.contains('/'));
                let closes =
                    line.starts_with(">>>") && (next.starts_with("</") || line.contains("</"));
                depth -= i32::from(closes);
                if !(0..=1).contains(&depth) || line.ends_with(">>><<<") || line.ends_with("><<<") {
                    return false;
                }
            }
            // The last line's loose tag would be counted with the marker that ends the payload.
            depth == 0
        })
}

fn edit() -> impl Strategy<Value = FileEdit<'static>> {
    let owned = |lines: Vec<String>| {
        lines
            .into_iter()
            .map(|line| Text::derived(line.into_bytes()))
            .collect::<Vec<_>>()
    };
    let whole = move |lines: Vec<String>| {
        let full = |line: &String| !line.trim_matches([' ', '\t']).is_empty();
        let first = lines.iter().position(full).unwrap_or(lines.len());
        let last = lines.iter().rposition(full).map_or(first, |last| last + 1);
        owned(lines[first..last].to_vec())
    };
    let occurrence = prop_oneof![
        Just(Occurrence::Only),
        Just(Occurrence::First),
        Just(Occurrence::Last),
        (1usize..9).prop_map(|n| Occurrence::Nth(NonZeroUsize::new(n).unwrap())),
    ];
    let find = lines().prop_filter("empty", |lines| {
        lines.iter().any(|line| !line.trim().is_empty())
    });
    let operation = prop_oneof![
        lines().prop_map(move |lines| Operation::Create {
            lines: whole(lines),
            fills_empty: false,
            ends_open: false
        }),
        lines().prop_map(move |lines| Operation::Replace {
            lines: whole(lines)
        }),
        Just(Operation::Delete { expected: None }),
        "[^\0\r\n]{1,9}".prop_map(|to| Operation::Move {
            to: Text::derived(to.into_bytes())
        }),
        (find, lines(), occurrence).prop_map(move |(find, put, occurrence)| {
            Operation::Substitute(Substitution {
                find: owned(find),
                put: owned(put),
                occurrence,
                written: None,
            })
        }),
    ];
    let text = |pattern| {
        prop::option::of(pattern)
            .prop_map(|text: Option<String>| text.map(|t| Text::derived(t.into_bytes())))
    };
    (
        "[^\0\r\n]{1,9}",
        text("[a-z<&\"]{0,5}"),
        operation,
        text("[ -~]{0,20}[a-z&<]"),
    )
        .prop_map(|(path, root, operation, why)| FileEdit {
            path: Text::derived(path.into_bytes()),
            root,
            operation,
            header: None,
            why,
            span: None,
            record: None,
            depth: None,
        })
}

/// A printer that knows no more than the rules.
fn print(edit: &FileEdit<'_>) -> Vec<u8> {
    let text = |text: &Text<'_>| String::from_utf8(text.to_vec()).unwrap();
    let escaped = |value: &Text<'_>| {
        text(value)
            .replace('&', "&amp;")
            .replace('<', "&lt;")
            .replace('"', "&quot;")
    };
    let payload = |tag: &str, name: &str, lines: &[Text<'_>]| {
        let lines: String = lines.iter().map(|line| text(line) + "\n").collect();
        format!("  <{tag}>\n<<<\n{lines}>>>\n  </{name}>\n")
    };
    let (op, body) = match &edit.operation {
        Operation::Create { lines, .. } => ("new", payload("put", "put", lines)),
        Operation::Replace { lines } => ("replace", payload("put", "put", lines)),
        Operation::Delete { .. } => ("remove", String::new()),
        Operation::Move { to } => ("move", format!("  <to file=\"{}\"/>\n", escaped(to))),
        Operation::Substitute(Substitution {
            find,
            put,
            occurrence,
            ..
        }) => {
            let tag = match occurrence {
                Occurrence::Only | Occurrence::Lines(_) | Occurrence::Text(_) => "find".to_owned(),
                Occurrence::First => "find occurrence=\"first\"".into(),
                Occurrence::Last => "find occurrence=\"last\"".into(),
                Occurrence::Nth(n) => format!("find occurrence=\"{n}\""),
            };
            (
                "patch",
                payload(&tag, "find", find) + &payload("put", "put", put),
            )
        }
        other => panic!("{other:?}"),
    };
    let root = edit
        .root
        .as_ref()
        .map(|root| format!(" root=\"{}\"", escaped(root)))
        .unwrap_or_default();
    let why = edit
        .why
        .as_ref()
        .map(|why| format!("  <why>{}</why>\n", escaped(why)))
        .unwrap_or_default();
    format!(
        "<edit file=\"{}\" op=\"{op}\"{root}>\n{why}{body}</edit>\n",
        escaped(&edit.path)
    )
    .into_bytes()
}

proptest! {
    #[test]
    fn reading_never_panics(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        read_all(&bytes);
    }

    #[test]
    fn reading_never_panics_on_pieces_of_the_format(tokens in prop::collection::vec(prop::sample::select(TOKENS), 0..60)) {
        read_all(tokens.concat().as_bytes());
    }

    #[test]
    fn what_is_printed_is_read_back(edits in prop::collection::vec(edit(), 1..4)) {
        let text = [b"<opx>\n".to_vec(), edits.iter().flat_map(print).collect(), b"</opx>\n".to_vec()].concat();
        let source = source(&text);
        let block = parse_block(&source, 0, false);
        prop_assert!(block.errors.is_empty(), "{:?}\n{}", errors_of(&block), bstr::BStr::new(&text));
        prop_assert_eq!(block.edits, edits, "{}", bstr::BStr::new(&text));
    }

    #[test]
    fn a_cut_response_is_a_error(edit in edit(), cut in 1usize..200) {
        let text = print(&edit);
        let text = text.trim_ascii_end();
        let text = &text[..text.len() - cut.min(text.len() - 1)];
        if starts_here(text) {
            let source = source(text);
            let block = parse_block(&source, 0, false);
            prop_assert!(!block.errors.is_empty(), "{}", bstr::BStr::new(text));
        }
    }
}

#[test]
fn time_is_linear_in_the_length() {
    // A byte is looked at by so many hands at most; one look back or ahead for each place would
    // make that thousands.
    const LOOKS: usize = 40;
    const TIMES: usize = 2_000;
    let edit = "<edit file=\"a\" op=\"new\">";
    for (head, again, tail) in [
        (edit, "<put>", ""),
        (edit, "<put></put>", ""),
        (edit, "<put>\n<<<\n", ""),
        (edit, "<put><<<\n", ""),
        (edit, "</put>", ""),
        (edit, "<why>", ""),
        (edit, "<why></why>", ""),
        (edit, "<x>", ""),
        (edit, "<x></x>", ""),
        (edit, "<to file=\"\">x", ""),
        (edit, "<!--", ""),
        (edit, "<!-- <put/>", "-->"),
        (edit, "<!-- --", "</edit>"),
        (edit, "text ", ""),
        ("<edit file=\"a\" op=\"new\"><put>\n<<<\n", ">>>\n", ""),
        (
            "<edit file=\"a\" op=\"new\"><put>\n<<<\n",
            ">>>\n\n\n\n",
            "",
        ),
        (
            "<edit file=\"a\" op=\"new\"><put>\n<<<\n",
            "<put>\n<<<\n",
            "",
        ),
        ("<edit file=\"a\" op=\"new\"><put>\n<<<\n", "> <<<\n", ""),
        ("<edit file=\"a\" op=\"new\"><put>\n<<<\n", "<put> ", ""),
        (
            "<edit file=\"a\" op=\"new\"><put>\n<<<\n",
            "<edit a='1'\n",
            "",
        ),
        (
            "<edit file=\"a\" op=\"new\"><put>\n<<<\n</put>\n",
            "<edit a='1'\n",
            "",
        ),
        ("<edit file=\"a\" op=\"new\"><put>\n<<<\n", "\n", ""),
        ("<edit ", "file=\"a\" ", ""),
        ("<edit ", "a=b ", "op=\"new\">"),
        ("<edit ", "a=\"", ""),
        ("<edit ", "a=“", ""),
        ("", "<edit file=\"a\" op=\"new\"><why>x</edit>", ""),
        ("", "<edit file=\"a\" op=\"new\"><!--</edit>", ""),
        (
            "",
            "<edit file=\"a\" op=\"new\"><put>\n<<<\nx\n</put>\n</edit>\n",
            "",
        ),
        ("", "<edit file=\"a\" op=\"remove\"/>", ""),
        ("  ", "<edit file=\"a\" op=\"remove\"/>", ""),
        ("", "<edit file=\"a", ""),
        ("", "<edit file=“a\"", ""),
        ("", "<edit file=\"a\" op=\"new\">\n", ""),
        ("", "<opx>", ""),
        ("", "<opx><!-- </opx>", ""),
        ("<opx>", "<!--\n", "</opx>"),
        ("<opx>", "<!-- ", "-->"),
        ("<opx>", "<edit><why></edit>", ""),
        ("<opx>", "x <edit file=\"a\"> ", "</opx>"),
        ("<opx>", "</edit>\n", "</opx>"),
        ("<opx>", "<b>", "</opx>"),
        // Quotes that make every tag reach to the end of the line.
        ("", "x <edit a='b\" c=\"", ""),
        ("<opx>", "x <edit a='b\" c=\"", ""),
        ("<edit file='a' op='new'><why>", "x <edit a='b\" c=\"", ""),
        ("<edit file='a' op='new'>", "<x a='b\" c=\"", ""),
        (
            "<edit file='a' op='new'><to file='b'>",
            "<x a='b\" c=\"",
            "",
        ),
        (
            "<edit file='a' op='new'><put>\n<<<\n",
            "<put a='b\" c=\"",
            "",
        ),
        (
            "<edit file='a' op='new'><put>\n<<<\n</put>\n<a>",
            "<edit file='b\" op=\"",
            "",
        ),
        ("<edit file='a' op='new'>", "</find a='b\" c=\"", ""),
        ("<opx>", "</find a='b\" c=\"\n", ""),
        ("<edit file='a' op='new'>", "<why a=“b\" c=\"", ""),
        (
            "<edit file='a' op='new'><put>\n<<<\n",
            "<put><<<\n</put>   \n\n\n",
            "",
        ),
    ] {
        let text = [head, &again.repeat(TIMES), tail].concat();
        let looks = super::super::work::during(|| {
            read_all(text.as_bytes());
        });
        assert!(
            looks < LOOKS * text.len(),
            "{head}{again}…{tail}: {} looks at a byte",
            looks / text.len()
        );
    }
}
