//! Where a payload begins and ends, and what it holds.

use super::*;

/// Reads the payload of a new file, or says what is wrong.
fn payload(text: &str) -> String {
    let text =
        format!("<edit file=\"a\" op=\"patch\">\n<find>\n<<<\nf\n>>>\n</find>\n{text}\n</edit>\n");
    let block = read(&text);
    match (&block.errors[..], &block.edits[..]) {
        ([], [edit]) => said(edit)["a patch [f] ".len()..].to_owned(),
        _ => format!("! {}", errors_of(&block).join("; ")),
    }
}

#[test]
fn a_payload_is_what_stands_between_its_markers() {
    for (text, want) in [
        ("<put>\n<<<\n>>>\n</put>", "[]"),
        ("<put>\n<<<\n\n>>>\n</put>", "[]"),
        ("<put>\n<<<\n\n\n>>>\n</put>", "[|]"),
        ("<put>\n<<<\nx\n>>>\n</put>", "[x]"),
        ("<put>\n<<<\n\nx \n\n>>>\n</put>", "[|x |]"),
        ("<put>\r\n<<<\r\nx\r\ny\rz\r\n>>>\r\n</put>", "[x|y\rz]"),
        ("<put>\n\n \t\n  <<<\t \nx\n\t>>>  \n \n\n  </put>", "[x]"),
        ("<put><<<\nx\n>>></put>", "[x]"),
        ("<put> <<< \nx\n >>> </put >", "[x]"),
        ("<PUT>\n<<<\nx\n>>>\n</pUt>", "[x]"),
        (
            "<put>\n<<<\n&lt; &amp; <b> ]]> </b>\n>>>\n</put>",
            "[&lt; &amp; <b> ]]> </b>]",
        ),
    ] {
        assert_eq!(payload(text), want, "{text:?}");
    }
}

#[test]
fn an_empty_payload_and_one_blank_line_differ() {
    for (text, want) in [("<<<\n>>>", 0), ("<<<\n\n>>>", 1), ("<<<\n \n\n>>>", 2)] {
        let text = format!(
            "<edit file=\"a\" op=\"patch\"><find>\n<<<\nf\n>>>\n</find><put>\n{text}\n</put></edit>"
        );
        let block = read(&text);
        let Operation::Substitute(Substitution { put, .. }) = &block.edits[0].operation else {
            panic!("{text}")
        };
        assert_eq!(put.len(), want, "{text}");
    }
}

#[test]
fn blank_lines_at_the_edges_of_a_whole_file_are_dropped() {
    for (op, lines, want) in [
        ("new", "\n \n\tx\n\n y \n\t\n\n", "[\tx|| y ]"),
        ("replace", "\r\nx\r\n\r\n", "[x]"),
        ("new", "\n\n  \n", "[]"),
        ("new", "", "[]"),
        ("replace", "x\n", "[x]"),
    ] {
        let text = format!("<edit file=\"a\" op=\"{op}\"><put>\n<<<\n{lines}>>>\n</put></edit>");
        assert_eq!(edits(&text), [format!("a {op} {want}")], "{text:?}");
    }
}

#[test]
fn only_the_end_marker_before_the_closing_tag_ends_it() {
    for (content, want) in [
        // Python: prompts, a bare one at the end, one before a blank line.
        (">>> f(1)\n>>>\n2\n>>> ", "[>>> f(1)|>>>|2|>>> ]"),
        (">>>\n", "[>>>|]"),
        // A here-string, shifts, generics, a here-document's markers.
        (
            "cat <<< \"$x\"\na >>> b;\n<<<\ny\n>>>",
            "[cat <<< \"$x\"|a >>> b;|<<<|y|>>>]",
        ),
        // Merge conflicts.
        (
            "<<<<<<< HEAD\nx\n=======\ny\n>>>>>>> main",
            "[<<<<<<< HEAD|x|=======|y|>>>>>>> main]",
        ),
        // Tags of somebody else's, the format's own words.
        (
            "<edit>\n<find>x</find>\n</edit>",
            "[<edit>|<find>x</find>|</edit>]",
        ),
        (
            "return <Edit file={f} op=\"new\" />;\n<edit file=\"x\">",
            "[return <Edit file={f} op=\"new\" />;|<edit file=\"x\">]",
        ),
        (
            "*** Begin Patch\n*** End Patch",
            "[*** Begin Patch|*** End Patch]",
        ),
        // Closing tags without a marker, and markers with other tags behind them.
        ("<put>x\n</put>", "[<put>x|</put>]"),
        ("</put>", "[</put>]"),
        (
            "</find>\n>>>\n</find>\n>>>\n</edit>",
            "[</find>|>>>|</find>|>>>|</edit>]",
        ),
        ("x>>></put>\n>>> </puts>", "[x>>></put>|>>> </puts>]"),
        (">>>\n<br>\n</put>", "[>>>|<br>|</put>]"),
    ] {
        assert_eq!(
            payload(&format!("<put>\n<<<\n{content}\n>>>\n</put>")),
            want,
            "{content}"
        );
    }
}

#[test]
fn a_payload_may_quote_whole_edits() {
    for quoted in [
        "<edit file=\"b\" op=\"new\">\n<put>\n<<<\nx\n>>>\n</put>\n</edit>",
        "<opx><edit file=\"b\" op=\"new\"><put><<<\nx\n>>></put></edit></opx>",
        "<edit file=\"b\" op=\"patch\">\n  <find occurrence=\"first\">\n\n<<<\nx\n>>>\n\n</find>\n<PUT>\n<<<\n>>>\n</PUT>\n</edit>",
        "<edit file=\"b\" op=\"new\">\n<put>\n<<<\n<put>\n<<<\nx\n>>>\n</put>\n>>>\n</put>\n</edit>\n<edit file=\"c\" op=\"remove\"/>",
        // An example of what is wrong, in balance.
        "<edit file=\"b\" op=\"new\">\n<put>\nx\n</put>\n</edit>\n<edit file=\"c\" op=\"new\">\n<put>\nx\n</put>\n</edit>",
        "<edit file=\"b\" op=\"new\"><put>\nx\n</put></edit>\n<edit file=\"c\" op=\"remove\"/>",
    ] {
        let want = format!("[{}]", quoted.replace('\n', "|"));
        assert_eq!(
            payload(&format!("<put>\n<<<\n{quoted}\n>>>\n</put>")),
            want,
            "{quoted}"
        );
        let text = format!("<edit file=\"a\" op=\"new\"><put>\n<<<\n{quoted}\n>>>\n</put></edit>");
        assert_eq!(edits(&text), [format!("a new {want}")], "{quoted}");
    }
}

#[test]
fn a_payload_that_could_end_elsewhere_is_never_guessed() {
    let open =
        "! the text in `<put>` has no end: no `>>>` line followed by `</put>` in the edit of `a`";
    let stray = "! text between the elements: `more` in the edit of `a`";
    for (text, want) in [
        // A quoted beginning, and no quoted end.
        ("<put>\n<<<\n<put>\n<<<\n>>>\n</put>", open),
        ("<put>\n<<<\n<find>\n<<<\n>>>\n</put>", open),
        // A quoted end, and no quoted beginning.
        ("<put>\n<<<\nx\n>>>\n</put>\nmore\n>>>\n</put>", stray),
        // No marker, or no closing tag.
        ("<put>\n<<<\nx\n</put>", open),
        ("<put>\n<<<\nx\n>>>", open),
        ("<put>\n<<<\nx>>>\n</put>", open),
        ("<put>\n<<<\nx\n>>>\n</find>", open),
    ] {
        assert_eq!(payload(text), want, "{text}");
    }
}

#[test]
fn a_forgotten_end_and_a_forgotten_beginning_make_no_edit() {
    let second = "<edit file=\"b\" op=\"new\">\n<put>\ny\n>>>\n</put>\n</edit>";
    for first in [
        "<edit file=\"a\" op=\"new\">\n<put>\n<<<\nx\n</put>\n</edit>",
        "<edit file=\"a\" op=\"new\">\n<put>\n<<<\nx\n>>>\n</edit>",
        "<edit file=\"a\" op=\"new\"><put><<<\nx\n</put></edit>",
    ] {
        for gap in ["\n", "  ", "\n\n  "] {
            let text = format!("{first}{gap}{second}");
            let block = read(&text);
            assert_eq!(block.errors.len(), 1, "{text}");
            assert_eq!(block.edits[0].operation, Operation::Unreadable);
            assert_eq!(block.range.end, first.len() + gap.len(), "{text}");
        }
    }
}

#[test]
fn an_open_payload_says_what_may_be_the_reason() {
    for (text, want) in [
        (
            "<edit file=\"a\" op=\"new\">\n<put>\n<<<\nx\n</put>\n</edit>",
            "`</put>` on line 5 has no `>>>` line before it",
        ),
        (
            "<edit file=\"a\" op=\"new\">\n<put>\n<<<\nx\n>>>\n</edit>",
            "the `>>>` before line 6 is followed by `</edit>` instead of `</put>`",
        ),
        (
            "<edit file=\"a\" op=\"new\">\n<put>\n<<<\n<put>\n<<<\n>>>\n</put>",
            "the text quotes a `<put>` or `<find>`, and the first end after its `<<<` on line 5 belongs to that one",
        ),
        (
            "<edit file=\"a\" op=\"new\">\n<put>\n<<<\nx",
            "the response seems to be cut off",
        ),
    ] {
        let block = read(text);
        assert_eq!(block.errors.len(), 1, "{text}");
        assert_eq!(block.errors[0].value.diagnostic().notes, [want], "{text}");
        assert_eq!(block.range.end, text.len(), "{text}");
    }
}

#[test]
fn uniform_indentation_is_that_of_the_outermost_tag() {
    for (text, want) in [
        (
            "  <edit file=\"a\" op=\"new\">\n    <put>\n  <<<\n  x\n    y\n\n \n  >>>\n  </put>\n  </edit>",
            "a new [x|  y]",
        ),
        (
            "\t<edit file=\"a\" op=\"new\"><put><<<\n\tx\n\t\ty\n\t>>></put></edit>",
            "a new [x|\ty]",
        ),
        (
            "\u{feff}  <edit file=\"a\" op=\"new\"><put><<<\r\n  x\r\n  >>></put></edit>",
            "a new [x]",
        ),
        (
            "Here:\n  <opx>\n  <edit file=\"a\" op=\"new\"><put><<<\n  x\n  >>></put></edit>\n  </opx>",
            "a new [x]",
        ),
        // One line hasn't it: nothing is taken away.
        (
            "  <edit file=\"a\" op=\"new\"><put><<<\n  x\n y\n  >>></put></edit>",
            "a new [  x| y]",
        ),
        (
            "  <edit file=\"a\" op=\"new\"><put><<<\n  x\n>>></put></edit>",
            "a new [  x]",
        ),
        (
            "\t<edit file=\"a\" op=\"new\"><put><<<\n    x\n\t>>></put></edit>",
            "a new [    x]",
        ),
        // The wrapper is the outermost tag.
        (
            "<opx>\n  <edit file=\"a\" op=\"new\"><put><<<\n  x\n  >>></put></edit>\n</opx>",
            "a new [  x]",
        ),
        // A blank line keeps what it has beyond.
        (
            "  <edit file=\"a\" op=\"patch\"><find><<<\n  x\n    \n \n  >>></find>\n  <put><<<\n  >>></put></edit>",
            "a patch [x|  |] []",
        ),
    ] {
        assert_eq!(edits(text), [want], "{text}");
    }
    // Not the first on its line.
    let text = "  </p><edit file=\"a\" op=\"new\"><put><<<\n  x\n  >>></put></edit>";
    let source = source(text);
    let block = parse_block(&source, 6, false);
    assert_eq!(said(&block.edits[0]), "a new [  x]");
}

#[test]
fn a_payload_indented_as_its_marker_is_worth_a_warning() {
    let want = "every line of `<put>` is indented as its `<<<` is, and keeps that indentation in the edit of `a`";
    for (text, warns) in [
        (
            "<edit file=\"a\" op=\"new\">\n  <put>\n  <<<\n  x\n\n    y\n  >>>\n  </put>\n</edit>",
            true,
        ),
        (
            "<edit file=\"a\" op=\"new\">\n  <put>\n  <<<\n  x\ny\n  >>>\n  </put>\n</edit>",
            false,
        ),
        (
            "<edit file=\"a\" op=\"new\">\n  <put>\n<<<\n  x\n  >>>\n  </put>\n</edit>",
            false,
        ),
        (
            "<edit file=\"a\" op=\"new\">\n  <put>\n  <<<\n\n  >>>\n  </put>\n</edit>",
            false,
        ),
        (
            "  <edit file=\"a\" op=\"new\">\n  <put>\n  <<<\n  x\n  >>>\n  </put>\n  </edit>",
            false,
        ),
        (
            "  <edit file=\"a\" op=\"new\">\n  <put>\n    <<<\n    x\n  >>>\n  </put>\n  </edit>",
            true,
        ),
        (
            "  <edit file=\"a\" op=\"new\">\n  <put>\n  <<<\n  x\n  >>>\n  </put>\n</edit>",
            true,
        ),
    ] {
        assert_eq!(warnings(text), [want][..usize::from(warns)], "{text}");
    }
}
