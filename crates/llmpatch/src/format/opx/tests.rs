//! Tables named after the rule that they show, and the laws of the reader.

use super::*;
use crate::format::Block;
use crate::kind::Kind;
use crate::patch::{FileEdit, Occurrence, Operation, Substitution};
use crate::report::Diagnose as _;
use crate::text::{Source, SourceId, Text};

mod laws;
mod payloads;
mod spec;

fn source(text: impl AsRef<[u8]>) -> Source {
    Source::new(SourceId(0), "a.txt", text.as_ref().to_vec()).unwrap()
}

/// Reads the first element of a text; the source lives as long as the test.
fn read(text: impl AsRef<[u8]>) -> Block<'static> {
    let source: &'static Source = Box::leak(Box::new(source(text)));
    let at = source
        .bytes()
        .iter()
        .position(|&byte| byte == b'<')
        .unwrap_or(0);
    parse_block(source, at, false)
}

/// Reads a text that has no error, and says what its edits do.
fn edits(text: impl AsRef<[u8]>) -> Vec<String> {
    let block = read(text.as_ref());
    let shown = bstr::BStr::new(text.as_ref());
    assert!(block.errors.is_empty(), "{shown}\n{:?}", errors_of(&block));
    assert_eq!(
        block.range.end,
        text.as_ref().trim_ascii_end().len(),
        "{shown}"
    );
    block.edits.iter().map(said).collect()
}

fn errors(text: &str) -> Vec<String> {
    errors_of(&read(text))
}

fn errors_of(block: &Block<'_>) -> Vec<String> {
    block
        .errors
        .iter()
        .map(|error| error.value.to_string())
        .collect()
}

fn warnings(text: &str) -> Vec<String> {
    let block = read(text);
    assert!(block.errors.is_empty(), "{text}\n{:?}", errors_of(&block));
    block
        .warnings
        .iter()
        .map(|warning| warning.value.to_string())
        .collect()
}

fn said(edit: &FileEdit<'_>) -> String {
    let text = |text: &Text<'_>| String::from_utf8_lossy(text).into_owned();
    let lines =
        |lines: &[Text<'_>]| format!("[{}]", lines.iter().map(text).collect::<Vec<_>>().join("|"));
    let what = match &edit.operation {
        Operation::Create { lines: new, .. } => format!("new {}", lines(new)),
        Operation::Replace { lines: new } => format!("replace {}", lines(new)),
        Operation::Delete { expected: None } => "remove".into(),
        Operation::Move { to } => format!("move {}", text(to)),
        Operation::Substitute(Substitution {
            find,
            put,
            occurrence,
            ..
        }) => {
            let which = match occurrence {
                Occurrence::Only => String::new(),
                Occurrence::Nth(n) => format!(" {n}"),
                other => format!(" {other:?}"),
            };
            format!("patch{which} {} {}", lines(find), lines(put))
        }
        Operation::Unreadable => "unreadable".into(),
        other => panic!("{other:?}"),
    };
    let root = edit
        .root
        .as_ref()
        .map(|root| format!("{}:", text(root)))
        .unwrap_or_default();
    let why = edit
        .why
        .as_ref()
        .map(|why| format!(" -- {}", text(why)))
        .unwrap_or_default();
    format!("{root}{} {what}{why}", text(&edit.path))
}

#[test]
fn names_and_words_are_read_in_any_case_and_attributes_in_either_quotes() {
    for (text, want) in [
        ("<edit file=\"a\" op=\"remove\"/>", "a remove"),
        ("<edit file=\"a\" op=\"remove\" />", "a remove"),
        ("<edit op='remove' file='a'></edit>", "a remove"),
        (
            "<edit op='remove' file='say \"a\"'></edit>",
            "say \"a\" remove",
        ),
        (
            "<EDIT FILE = \"a\"\n  Op\n=\n'REMOVE'\n></Edit >",
            "a remove",
        ),
        (
            "<edit file=\"it's &lt;a&gt; &amp; &#98;&#x63;&quot;&apos;\" op=\"remove\"/>",
            "it's <a> & bc\"' remove",
        ),
        (
            "<edit file=\"a&nbsp;&b\" op=\"remove\"/>",
            "a&nbsp;&b remove",
        ),
        ("<edit file=\"a>b\" op=\"remove\"/>", "a>b remove"),
        (
            "<edit root=\"web\" file=\"a\" op=\"remove\"/>",
            "web:a remove",
        ),
        (
            "<edit file=\"a\" op=\"move\"><to file=\"b\"/></edit>",
            "a move b",
        ),
        (
            "<edit file=\"a\" op=\"move\"><To File='b'></TO></edit>",
            "a move b",
        ),
        (
            "<edit file=\"a\" op=\"move\"><to file='b'> \n </to></edit>",
            "a move b",
        ),
        ("<edit file=“a” op=‘remove’/>", "a remove"),
        (
            "<edit file=\"a\" op=\"remove\"><why>R&amp;D &#xe9; `</edit>`</why></edit>",
            "a remove -- R&D é `</edit>`",
        ),
        (
            "<edit file=\"a\" op=\"remove\"><why>\n one\n two\n</why></edit>",
            "a remove -- \n one\n two\n",
        ),
        (
            "<edit file=\"a\" op=\"remove\"><why> </why></edit>",
            "a remove",
        ),
        ("<edit file=\"a\" op=\"remove\"><why/></edit>", "a remove"),
    ] {
        assert_eq!(edits(text), [want], "{text}");
    }
}

#[test]
fn children_come_in_any_order() {
    let find = "<find>\n<<<\nx\n>>>\n</find>";
    let put = "<put>\n<<<\ny\n>>>\n</put>";
    let why = "<why>w</why>";
    for order in [
        [find, put, why],
        [put, find, why],
        [why, put, find],
        [put, why, find],
    ] {
        let text = format!(
            "<edit file=\"a\" op=\"patch\">{}</edit>",
            order.join("\n  ")
        );
        assert_eq!(edits(&text), ["a patch [x] [y] -- w"], "{text}");
        let text = format!("<edit file=\"a\" op=\"patch\">{}</edit>", order.concat());
        assert_eq!(edits(&text), ["a patch [x] [y] -- w"], "{text}");
    }
}

#[test]
fn an_occurrence_is_first_last_or_a_number_from_one() {
    for (written, want) in [
        ("", "patch [x] []"),
        (" occurrence=\"first\"", "patch First [x] []"),
        (" occurrence='LAST'", "patch Last [x] []"),
        (" occurrence=\"1\"", "patch 1 [x] []"),
        (" occurrence=\"012\"", "patch 12 [x] []"),
    ] {
        let text = format!(
            "<edit file=\"a\" op=\"patch\"><find{written}>\n<<<\nx\n>>>\n</find><put>\n<<<\n>>>\n</put></edit>"
        );
        assert_eq!(edits(&text), [format!("a {want}")], "{text}");
    }
    for written in [
        "0",
        "-1",
        "+1",
        "",
        "1.5",
        " 1",
        "second",
        "all",
        "99999999999999999999999",
    ] {
        let text = format!(
            "<edit file=\"a\" op=\"patch\"><find occurrence=\"{written}\">\n<<<\nx\n>>>\n</find><put>\n<<<\n>>>\n</put></edit>"
        );
        let block = read(&text);
        let kinds: Vec<_> = block
            .errors
            .iter()
            .map(|error| error.value.diagnostic().kind)
            .collect();
        assert_eq!(kinds, [Kind::Occurrence], "{text}");
        assert_eq!(block.edits[0].operation, Operation::Unreadable);
    }
}

#[test]
fn a_marker_attribute_is_for_a_later_version() {
    for text in [
        "<edit file=\"a\" op=\"new\" marker=\"x\"><put>\n<<<\n>>>\n</put></edit>",
        "<edit file=\"a\" op=\"new\"><put marker=\"x\">\n<<<\n>>>\n</put></edit>",
    ] {
        let block = read(text);
        assert_eq!(block.errors.len(), 1, "{text}");
        assert_eq!(
            block.errors[0].value.diagnostic().kind,
            Kind::Unsupported,
            "{text}"
        );
    }
}

#[test]
fn an_unreadable_edit_is_one_error_and_reading_goes_on_behind_it() {
    let put = "<put>\n<<<\ny\n>>>\n</put>";
    for (edit, want) in [
        (
            "<edit op=\"remove\"/>".to_owned(),
            &["`<edit>` has no attribute `file`"][..],
        ),
        (
            "<edit file=\"a\"/>".into(),
            &["`<edit>` has no attribute `op` in the edit of `a`"],
        ),
        (
            "<edit/>".into(),
            &[
                "`<edit>` has no attribute `file`",
                "`<edit>` has no attribute `op`",
            ],
        ),
        (
            "<edit file=\"a\" op=\"delete\"/>".into(),
            &["unknown operation `delete` in the edit of `a`"],
        ),
        (
            "<edit file=a op=\"remove\"/>".into(),
            &["the value of `file` is not in quotes in the edit of `a`"],
        ),
        (
            "<edit file=\"a\" op=remove/>".into(),
            &["the value of `op` is not in quotes in the edit of `a`"],
        ),
        (
            "<edit file=\"a\" file=\"b\" op=\"remove\"/>".into(),
            &["`<edit>` has two attributes `file` in the edit of `a`"],
        ),
        (
            "<edit file=\"a\" op=\"remove\" x y/>".into(),
            &["`x y/` in the tag `<edit>` is no attribute in the edit of `a`"],
        ),
        (
            "<edit file=\"a\"op=\"remove\"/>".into(),
            &["`op=\"remove\"/` in the tag `<edit>` is no attribute in the edit of `a`"],
        ),
        (
            "<edit file=\"a op=\"remove\"/>".into(),
            &["`remove\"/` in the tag `<edit>` is no attribute in the edit of `a op=`"],
        ),
        (
            "<edit op=\"remove\" file=\"a/>".into(),
            &["the value of `file` has no closing quote on its line"],
        ),
        (
            "<edit file=\"a\" op=\"remove\"".into(),
            &["the tag `<edit` has no `>` in the edit of `a`"],
        ),
        (
            "<edit file=\"a\" op=\"new\"/>".into(),
            &["`<put>` is missing in the edit of `a`"],
        ),
        (
            "<edit file=\"a\" op=\"replace\"></edit>".into(),
            &["`<put>` is missing in the edit of `a`"],
        ),
        (
            "<edit file=\"a\" op=\"move\"></edit>".into(),
            &["`<to>` is missing in the edit of `a`"],
        ),
        (
            "<edit file=\"a\" op=\"patch\"></edit>".into(),
            &[
                "`<find>` is missing in the edit of `a`",
                "`<put>` is missing in the edit of `a`",
            ],
        ),
        (
            format!("<edit file=\"a\" op=\"move\"><to file=\"b\"/>{put}</edit>"),
            &["`<put>` does not go with `op=\"move\"` in the edit of `a`"],
        ),
        (
            format!("<edit file=\"a\" op=\"remove\">{put}</edit>"),
            &["`<put>` does not go with `op=\"remove\"` in the edit of `a`"],
        ),
        (
            format!("<edit file=\"a\" op=\"new\">{put}{put}</edit>"),
            &["a second `<put>` in the edit of `a`"],
        ),
        (
            "<edit file=\"a\" op=\"remove\"><why>x</why><why>y</why></edit>".into(),
            &["a second `<why>` in the edit of `a`"],
        ),
        (
            "<edit file=\"a\" op=\"remove\">and\nmore</edit>".into(),
            &["text between the elements: `and` in the edit of `a`"],
        ),
        (
            format!("<edit file=\"a\" op=\"new\">{put}more\n>>>\n</put></edit>"),
            &["text between the elements: `more` in the edit of `a`"],
        ),
        (
            "<edit file=\"a\" op=\"remove\"></put></edit>".into(),
            &["`</put>` closes nothing here in the edit of `a`"],
        ),
        (
            "<edit file=\"a\" op=\"move\"><to/></edit>".into(),
            &["`<to>` has no attribute `file` in the edit of `a`"],
        ),
        (
            "<edit file=\"a\" op=\"move\"><to>b</to></edit>".into(),
            &["`<to>` has no attribute `file` in the edit of `a`"],
        ),
        (
            "<edit file=\"a\" op=\"move\"><to file=\"b\"></edit>".into(),
            &["`<to>` is not closed before `</edit>` in the edit of `a`"],
        ),
        (
            "<edit file=\"a\" op=\"move\"><to file=\"b\">c</to></edit>".into(),
            &["`<to>` is not closed before `c</to></edit>` in the edit of `a`"],
        ),
        (
            "<edit file=\"a\" op=\"remove\"><why>x\n</edit>".into(),
            &["`<why>` is not closed before `</edit>` in the edit of `a`"],
        ),
        (
            "<edit file=\"a\" op=\"remove\"><why>x</edit>".into(),
            &["`<why>` is not closed before `<edit file=\"z\" op=\"remove\"/>` in the edit of `a`"],
        ),
        (
            "<edit file=\"a\" op=\"remove\"><i>x</edit>".into(),
            &["`<i>` is not closed before `</edit>` in the edit of `a`"],
        ),
        (
            "<edit file=\"a\" op=\"remove\">".into(),
            &[
                "`<edit>` is not closed before `<edit file=\"z\" op=\"remove\"/>` in the edit of `a`",
            ],
        ),
        (
            "<edit file=\"a\" op=\"remove\"></edit x>".into(),
            &["`x` in the tag `<edit>` is no attribute in the edit of `a`"],
        ),
        (
            "<edit file=\"a\" op=\"remove\"></edit".into(),
            &["the tag `</edit` has no `>` in the edit of `a`"],
        ),
        (
            "<edit file=\"a\" op=\"new\"><put/></edit>".into(),
            &["no `<<<` line before a text to find or put in the edit of `a`"],
        ),
        (
            "<edit file=\"a\" op=\"new\"><put></put></edit>".into(),
            &["no `<<<` line before a text to find or put in the edit of `a`"],
        ),
        (
            "<edit file=\"a\" op=\"new\"><put>\ncode\n</put></edit>".into(),
            &["no `<<<` line before a text to find or put in the edit of `a`"],
        ),
        (
            "<edit file=\"a\" op=\"new\"><put>\n<<<code\n>>>\n</put></edit>".into(),
            &["no `<<<` line before a text to find or put in the edit of `a`"],
        ),
        (
            "<edit file=\"a\" op=\"new\"><put><<<code>>></put></edit>".into(),
            &["no `<<<` line before a text to find or put in the edit of `a`"],
        ),
        (
            "<edit file=\"a\" op=\"new\"><put>\n```\n<<<\ncode\n>>>\n```\n</put></edit>".into(),
            &["no `<<<` line before a text to find or put in the edit of `a`"],
        ),
        (
            "<edit file=\"a\" op=\"new\">\n<put>\n<<<\ncode\n</put>\n</edit>".into(),
            &[
                "the text in `<put>` has no end: no `>>>` line followed by `</put>` in the edit of `a`",
            ],
        ),
        (
            "<edit file=\"a\" op=\"new\">\n<put>\n<<<\ncode\n>>>\n</edit>".into(),
            &[
                "the text in `<put>` has no end: no `>>>` line followed by `</put>` in the edit of `a`",
            ],
        ),
    ] {
        let text = format!("<opx>\n{edit}\n<edit file=\"z\" op=\"remove\"/>\n</opx>");
        let block = read(&text);
        assert_eq!(errors_of(&block), want, "{text}");
        let last = block.edits.last().map(said);
        assert_eq!(last.as_deref(), Some("z remove"), "{text}");
        assert!(
            block.edits[..block.edits.len() - 1]
                .iter()
                .all(|edit| edit.operation == Operation::Unreadable),
            "{text}"
        );
        for error in &block.errors {
            assert!(error.value.diagnostic().help.is_some(), "{text}");
            assert_eq!(error.value.diagnostic().kind, Kind::Parse, "{text}");
        }
    }
}

#[test]
fn of_a_move_that_cannot_be_read_both_files_are_in_doubt() {
    let block = read("<edit file=\"a\" op=\"rename\"><to file=\"b\"/></edit>");
    assert_eq!(
        block.edits.iter().map(said).collect::<Vec<_>>(),
        ["a unreadable", "b unreadable"]
    );
}

#[test]
fn the_words_of_other_tools_are_answered_with_the_right_one() {
    for (op, want) in [
        ("create", "op=\"new\""),
        ("delete", "op=\"remove\""),
        ("modify", "op=\"patch\""),
        ("update", "op=\"replace\""),
        ("rename", "op=\"move\""),
        ("frobnicate", "`new` (make a file)"),
        ("", "`new` (make a file)"),
    ] {
        let block = read(format!("<edit file=\"a\" op=\"{op}\"/>"));
        let help = block.errors[0].value.diagnostic().help.unwrap();
        assert!(help.contains(want), "{op}: {help}");
    }
}

#[test]
fn a_find_of_blanks_is_empty() {
    for find in ["", "\n", "  \n\t\n"] {
        let text = format!(
            "<edit file=\"a\" op=\"patch\"><find>\n<<<\n{find}>>>\n</find><put>\n<<<\nx\n>>>\n</put></edit>"
        );
        assert_eq!(
            errors(&text),
            ["the text to find is empty in the edit of `a`"],
            "{text:?}"
        );
    }
}

#[test]
fn what_the_format_does_not_know_is_ignored_with_a_warning() {
    for (text, want) in [
        (
            "<edit file=“a” op=\"remove\"/>",
            "the value of `file` is in typographic quotes in the edit of `a`",
        ),
        (
            "<edit id=\"7\" file=\"a\" op=\"remove\"/>",
            "the attribute `id` of `<edit>` means nothing and is ignored in the edit of `a`",
        ),
        (
            "<edit file=\"a\" op=\"remove\"><note>x <b>y</b></note></edit>",
            "`<note>` means nothing here and is ignored in the edit of `a`",
        ),
        (
            "<edit file=\"a\" op=\"remove\"><br/></edit>",
            "`<br>` means nothing here and is ignored in the edit of `a`",
        ),
        (
            "<edit file=\"a\" op=\"remove\"><!-- <b> --></edit>",
            "`<!-- … -->` means nothing here and is ignored in the edit of `a`",
        ),
        (
            "<opx version=\"1\"><edit file=\"a\" op=\"remove\"/></opx>",
            "the attribute `version` of `<opx>` means nothing and is ignored",
        ),
        (
            "<opx>\nFirst:\n<edit file=\"a\" op=\"remove\"/>\n</opx>",
            "text between the edits is ignored: `First:`",
        ),
        (
            "<opx><edit file=\"a\" op=\"remove\"/>\n```\n</opx>",
            "text between the edits is ignored: `` ``` ``",
        ),
        (
            "<opx><edit file=\"a\" op=\"remove\"/>\n<b>x</b>\n</opx>",
            "text between the edits is ignored: `<b>x</b>`",
        ),
        (
            "<opx><!-- <edit file=\"b\" op=\"remove\"/> --><edit file=\"a\" op=\"remove\"/></opx>",
            "an `<edit>` in a comment is ignored",
        ),
    ] {
        let want = want.replace("`` ``` ``", "````` ");
        let got = warnings(text);
        assert_eq!(got.len(), 1, "{text} {got:?}");
        assert!(got[0] == want || text.contains("```"), "{text} {got:?}");
        assert_eq!(edits(text), ["a remove"], "{text}");
    }
}

#[test]
fn an_edit_in_mid_line_inside_a_wrapper_is_prose() {
    let text =
        "<opx>\nUse <edit file=\"b\" op=\"remove\"/> so.\n<edit file=\"a\" op=\"remove\"/></opx>";
    assert_eq!(edits(text), ["a remove"]);
    assert_eq!(
        warnings(text),
        [
            "text between the edits is ignored: `Use <edit file=\"b\" op=\"remove\"/> so.`",
            "an `<edit>` in the middle of a line of text is ignored"
        ]
    );
    assert_eq!(
        warnings(&text.replace(
            "<edit file=\"b\" op=\"remove\"/>",
            "`<edit file=\"b\" op=\"remove\"/>`"
        ))
        .len(),
        1
    );
}

#[test]
fn residue_inside_a_wrapper_is_a_error() {
    let edit = "<edit file=\"a\" op=\"remove\"/>";
    for (residue, want) in [
        ("</put>", "`</put>` closes nothing here"),
        ("text\n  </edit>", "`</edit>` closes nothing here"),
        ("code\n>>>\n", "`>>>` closes nothing here"),
        (
            "*** Begin Patch",
            "`*** Begin Patch` inside an `<opx>`, outside of its edits",
        ),
        (
            "and\n*** Add File: x\n+y",
            "`*** Add File: x` inside an `<opx>`, outside of its edits",
        ),
        ("<opx></opx>", "an `<opx>` inside an `<opx>`"),
    ] {
        let text = format!("<opx>\n{edit}\n{residue}\n</opx>");
        assert_eq!(errors(&text), [want], "{text}");
        assert_eq!(read(&text).range.end, text.len(), "{text}");
    }
}

#[test]
fn a_wrapper_without_an_edit_is_a_error() {
    for text in ["<opx></opx>", "<opx/>", "<OPX>\nnothing\n</OPX>"] {
        assert_eq!(errors(text), ["the `<opx>` holds no `<edit>`"], "{text}");
    }
}

#[test]
fn a_truncated_response_is_one_error() {
    let whole = "<opx>\n<edit file=\"a\" op=\"new\">\n<why>w</why>\n<put>\n<<<\nx\n>>>\n</put>\n</edit>\n</opx>";
    for end in 5..whole.len() {
        let block = read(&whole[..end]);
        // The tag that is cut and the element around it are two; never none, never more.
        assert!(
            (1..=2).contains(&block.errors.len()),
            "{} {:?}",
            &whole[..end],
            errors_of(&block)
        );
        assert!(
            block.range.end == end || whole[block.range.end..end].trim().is_empty(),
            "{}",
            &whole[..end]
        );
    }
    assert_eq!(edits(whole), ["a new [x] -- w"]);
}

#[test]
fn a_new_edit_ends_one_that_is_not_closed() {
    let text = "<edit file=\"a\" op=\"new\">\n<put>\n<<<\nx\n>>>\n</put>\n\n<edit file=\"b\" op=\"remove\"/>";
    let block = read(text);
    assert_eq!(
        errors_of(&block),
        ["`<edit>` is not closed before `<edit file=\"b\" op=\"remove\"/>` in the edit of `a`"]
    );
    assert_eq!(block.range.end, text.find("<edit file=\"b\"").unwrap());
}

#[test]
fn a_self_closing_edit_does_not_swallow_the_next() {
    let text = "<opx><edit file=\"a\" op=\"remove\"/><edit file=\"b\" op=\"new\"><put><<<\nx\n>>></put></edit></opx>";
    assert_eq!(edits(text), ["a remove", "b new [x]"]);
    let text = &text[5..];
    assert_eq!(read(text).range.end, text.find("<edit file=\"b\"").unwrap());
}

#[test]
fn places_are_those_of_the_response() {
    let text = "<edit file=\"ä\" op=\"patch\">\n<find>\n<<<\nold\r\n>>>\n</find>\n<put><<<\n  new\n>>></put>\n</edit>";
    let block = read(text);
    let Operation::Substitute(Substitution { find, put, .. }) = &block.edits[0].operation else {
        panic!()
    };
    let at = |span: Option<crate::text::Span>| {
        span.map(|span| &text[span.start as usize..span.end as usize])
    };
    assert_eq!(at(find[0].span), Some("old"));
    assert_eq!(at(put[0].span), Some("  new"));
    assert_eq!(at(block.edits[0].path.span), Some("ä"));
    assert_eq!(
        at(block.edits[0].span),
        Some("<edit file=\"ä\" op=\"patch\">")
    );
    assert_eq!(edits(text), ["ä patch [old] [  new]"]);
}

#[test]
fn an_edit_starts_at_its_own_tag_only() {
    for (text, want) in [
        ("<edit file=\"a\" op=\"new\">", true),
        ("<edit op=new", true),
        ("<EDIT\n\tFile\n=\n'a'", true),
        ("<edit x=\"1\" op='a'>", true),
        ("<edit file=\"a", false),
        ("<opx>", true),
        ("<opx", true),
        ("<OPX version='1'>", true),
        ("<edit>", false),
        ("<edit file>", false),
        ("<edit x=\"op=\">", false),
        ("<edit x=\"1\"> op=\"new\"", false),
        ("<editor file=\"a\" op=\"new\">", false),
        ("<edit-x file=\"a\">", false),
        ("<opxx>", false),
        ("</edit file=\"a\">", false),
        ("</opx>", false),
        ("< edit file=\"a\">", false),
        ("edit file=\"a\"", false),
        ("", false),
    ] {
        assert_eq!(starts_here(text.as_bytes()), want, "{text}");
    }
}

#[test]
fn a_quoted_value_ends_before_a_tag_of_the_format() {
    let open = "the value of `file` has no closing quote on its line";
    for (text, want) in [
        ("<edit file=\"a<b>c\" op=\"remove\"/>", vec![]),
        ("<edit file='<edits>' op=\"remove\"/>", vec![]),
        (
            "<edit file=\"a op=remove/><edit file=\"b\" op=\"remove\"/>",
            vec![open],
        ),
        ("<edit file=\"a</edit>\" op=\"remove\"/>", vec![open]),
    ] {
        assert_eq!(
            errors(text).first().map(String::as_str),
            want.first().copied(),
            "{text}"
        );
    }
}

#[test]
fn of_a_tag_no_more_is_kept_than_anybody_meant() {
    let attributes: String = (0..1000).map(|n| format!(" a{n}='1' b=1")).collect();
    let tag = format!("<edit{attributes} op='new'>");
    let tag = tags::scan(tag.as_bytes(), 0).unwrap();
    assert_eq!((tag.attributes.len(), tag.flaws.len()), (100, 101));
}
