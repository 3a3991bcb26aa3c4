mod drafts;
mod pieces;
mod review;
mod sessions;

use proptest::prelude::*;

use super::{Parsed, parse};
use crate::format::Options;
use crate::patch::Format;
use crate::report::Diagnose as _;
use crate::text::{Source, SourceId};

const ADD_A: &str = "*** Begin Patch\n*** Add File: a\n+x\n*** End Patch\n";
const ADD_B: &str = "*** Begin Patch\n*** Add File: b\n+x\n*** End Patch\n";
const EDIT_C: &str = "<edit file=\"c\" op=\"remove\"/>\n";

fn source(text: impl AsRef<[u8]>) -> Source {
    Source::new(SourceId(0), "answer.txt", text.as_ref().to_vec()).unwrap()
}

/// Reads a response and writes down what came of it: paths, then warnings, then errors, with their
/// lines.
fn read_with(text: impl AsRef<[u8]>, options: &Options) -> String {
    let source = source(text);
    let Parsed {
        patch,
        errors,
        warnings,
        ..
    } = parse(&source, options);
    let line = |span: Option<crate::text::Span>| {
        span.map_or(String::from("-"), |span| {
            source.position(span.start as usize).0.to_string()
        })
    };
    let mut out: Vec<String> = patch
        .edits
        .iter()
        .map(|edit| String::from_utf8_lossy(&edit.path).into_owned())
        .collect();
    out.extend(warnings.iter().map(|warning| {
        format!(
            "warning {}: {}",
            line(warning.span),
            warning.value.diagnostic().kind
        )
    }));
    out.extend(
        errors
            .iter()
            .map(|error| format!("error {}: {}", line(error.span), error.value)),
    );
    out.join("\n")
}

fn read(text: impl AsRef<[u8]>) -> String {
    read_with(text, &Options::default())
}

fn help(text: impl AsRef<[u8]>) -> String {
    let source = source(text);
    let parsed = parse(&source, &Options::default());
    parsed
        .errors
        .first()
        .and_then(|error| error.value.diagnostic().help)
        .unwrap_or_default()
}

#[test]
fn what_stands_around_a_patch_is_ignored() {
    for text in [
        ADD_A.to_string(),
        ADD_A.trim_end().to_string(),
        format!("Here you go:\n\n```\n{ADD_A}```\n\nLet me know!\n"),
        format!("```diff\n{ADD_A}```\n"),
        format!("`````text\n{ADD_A}`````"),
        format!("~~~patch\n{ADD_A}~~~\n"),
        format!("```bash\napply_patch <<'EOF'\n{ADD_A}EOF\n```\n"),
        format!("apply_patch << \"PATCH_END\"\n{ADD_A}PATCH_END\n"),
        format!("\u{feff}{ADD_A}"),
        ADD_A.replace('\n', "\r\n"),
        format!("Intro\r\n{}", ADD_A.replacen('\n', "\r\n", 2)),
        format!(
            "1. First:\n\n   ```\n   {}\n   ```\n2. Done\n",
            ADD_A.trim_end().replace('\n', "\n   ")
        ),
        format!("<thinking>\nThe `*** Begin Patch` line starts it.\n</thinking>\n{ADD_A}"),
        format!("---\ntitle: x\n---\n> quoted\n* bullet\n*** hr ***\n{ADD_A}\n***\n>>>\n</edit>\n"),
    ] {
        assert_eq!(read(&text), "a", "{text}");
    }
}

#[test]
fn several_patches_are_one_in_order() {
    assert_eq!(read(format!("{ADD_A}{ADD_B}")), "a\nb");
    assert_eq!(
        read(format!(
            "For example:\n```\n{ADD_B}```\nNow the other file:\n```\n{ADD_A}```\n"
        )),
        "b\na"
    );
}

#[test]
fn what_stands_inside_a_patch_starts_nothing() {
    let text = "*** Begin Patch\n*** Add File: a\n+*** Begin Patch\n+<edit file=\"x\" op=\"remove\"/>\n+<!--\n+```\n\
                +*** End Patch\n*** Update File: b\n@@\n *** Begin Patch\n *** End Patch\n-<edit file=\"x\" op=\"remove\"/>\n\
                *** End Patch\n";
    assert_eq!(read(text), "a\nb");
}

#[test]
fn residue_shows_that_something_was_lost() {
    let two = "`*** Update File: b` outside of `*** Begin Patch` … `*** End Patch`";
    for (text, want) in [
        // Headers outside.
        (
            "*** Update File: b\n@@\n-x\n*** End Patch\n".into(),
            format!("error 1: {two}"),
        ),
        (
            format!("{ADD_A}*** Update File: b\n*** Move to: c\n@@\n"),
            format!("a\nerror 5: {two}"),
        ),
        (
            format!("*** Begin Patch:\n*** Update File: b\n-x\n{ADD_A}"),
            format!("a\nerror 2: {two}"),
        ),
        (format!("  *** Update File: b\n{ADD_A}"), "a".into()),
        // End markers.
        (
            format!("{ADD_A}*** End Patch\n"),
            "a\nwarning 5: stray-marker".into(),
        ),
        (
            format!("*** End Patch\n{ADD_A}"),
            "a\nwarning 1: stray-marker".into(),
        ),
        (
            format!("*** End of File\n{ADD_A}*** End of File\n"),
            "a\nwarning 1: stray-marker\nwarning 6: stray-marker".into(),
        ),
        (
            format!("{ADD_A}\n*** End Patch\n"),
            "a\nerror 6: `*** End Patch` outside of a patch: the one before ended in line 4".into(),
        ),
        (
            format!("{ADD_A}+y\n  *** End Patch\n{ADD_B}"),
            "a\nb\nerror 6: `*** End Patch` outside of a patch: the one before ended in line 4"
                .into(),
        ),
        // Bullets and quotations.
        (
            format!("> {}", ADD_A.replace('\n', "\n> ")),
            "error 1: the response has no patch outside of lines quoted by `>`".into(),
        ),
        (format!("- {ADD_A}"), {
            let header = "`*** Add File: a` outside of `*** Begin Patch` … `*** End Patch`";
            format!("error 1: `*** Begin Patch` has `-` before it\nerror 2: {header}")
        }),
        (
            "1. *** Begin Patch\n".into(),
            "error 1: `*** Begin Patch` has `1.` before it".into(),
        ),
        (
            "+*** Begin Patch\n".into(),
            "error 1: `*** Begin Patch` has `+` before it".into(),
        ),
        (
            "* > <edit op=\"remove\" file=\"a\"/>\n".into(),
            "error 1: an `<edit>` has `* >` before it".into(),
        ),
        (format!("A *** Begin Patch is a line.\n{ADD_A}"), "a".into()),
    ] {
        assert_eq!(read(&text), want, "{text}");
    }
}

#[test]
fn comments_hide_patches_if_they_are_closed() {
    for (text, want) in [
        (
            format!("<!--\n{ADD_B}-->\n{ADD_A}"),
            "a\nwarning 2: commented-patch",
        ),
        (format!("<!-- {ADD_A}"), {
            "error 2: `*** Add File: a` outside of `*** Begin Patch` … `*** End Patch`"
        }),
        (format!("<!--\n{ADD_A}"), "a"),
        (format!("<!--\n{ADD_A}-->"), {
            "error 2: the response has no patch outside of HTML comments"
        }),
        (
            format!("Use `<!--` for it.\n{ADD_A}\nand `-->` after.\n"),
            "a",
        ),
        (
            format!("Use <!-- for it.\n{}", ADD_A.replace("+x", "+-->")),
            "a",
        ),
        (format!("```html\n<!-- open\n```\n{ADD_A}-->\n"), "a"),
        (format!("<!-- x --> y <!-- z -->\n{ADD_A}<!-- -->"), "a"),
        // What is in a comment has not been seen.
        (
            format!("<!--\n*** Update File: q\n{ADD_B}-->\n*** End Patch\n{ADD_A}"),
            { "a\nwarning 3: commented-patch\nwarning 8: stray-marker" },
        ),
    ] {
        assert_eq!(read(&text), want, "{text}");
    }
}

#[test]
fn reasoning_hides_patches_if_it_is_closed() {
    let edit = EDIT_C;
    for (text, want) in [
        (
            format!("<think>\n{ADD_B}</think>\n{ADD_A}"),
            "a\nwarning 2: draft-patch",
        ),
        (
            format!("<think>\n{edit}</think>\n{ADD_A}"),
            "a\nwarning 2: draft-patch",
        ),
        (
            format!("  <Thinking> \r\n{ADD_B}\t</THINKING>\r\n{ADD_A}"),
            "a\nwarning 2: draft-patch",
        ),
        (
            format!("<reasoning>\n<!--\n{ADD_B}</reasoning>\n{ADD_A}-->\n"),
            "a\nwarning 3: draft-patch",
        ),
        (
            format!("<scratchpad>\n```\n{ADD_B}\n</scratchpad>\n```\n{ADD_A}```\n"),
            "error 3: the response has no patch outside of what follows an unclosed `<scratchpad>`",
        ),
        (
            format!("<think>\n*** Update File: q\n- {ADD_B}</think>\n{ADD_A}"),
            "a",
        ),
        // What isn't closed hides all that follows.
        (
            format!("<think>\n{ADD_B}{ADD_A}"),
            "error 2: the response has no patch outside of what follows an unclosed `<think>`",
        ),
        // What closes what nothing opened hides all before it.
        (
            format!("{ADD_B}</think>\n{ADD_A}"),
            "a\nwarning 1: draft-patch",
        ),
        (
            format!("Now <think>\n{ADD_B}</think>\n{ADD_A}"),
            "a\nwarning 2: draft-patch",
        ),
        (
            format!("<think>\n{ADD_B}</think>.\n{ADD_A}"),
            "a\nwarning 2: draft-patch",
        ),
        (format!("<div>\n{ADD_B}</div>\n{ADD_A}"), "b\na"),
        (
            format!("```\n<think>\n```\n{ADD_B}</think>\n{ADD_A}"),
            "a\nwarning 4: draft-patch",
        ),
        // One in the other, and beside the other.
        (
            format!("<think>\n<think>\n{ADD_B}</think>\n{edit}</think>\n{ADD_A}"),
            { "a\nwarning 3: draft-patch\nwarning 8: draft-patch" },
        ),
        (
            format!("<think>\n<think>\n{ADD_B}</think>\n{ADD_A}"),
            "a\nwarning 3: draft-patch",
        ),
        (
            format!("<think>\n<reasoning>\n{ADD_B}</think>\n</reasoning>\n{ADD_A}"),
            "a\nwarning 3: draft-patch",
        ),
        (
            format!("<!--\n<think>\n{ADD_B}-->\n{ADD_A}"),
            "error 3: the response has no patch outside of what follows an unclosed `<think>`",
        ),
        (
            format!("Use <!-- so\n<think>\na --> b\n{ADD_B}</think>\n{ADD_A}"),
            "a\nwarning 4: draft-patch",
        ),
        // What is inside a patch starts nothing.
        (
            format!("{}</think>\n{ADD_A}", ADD_B.replace("+x", "+<think>")),
            "a\nwarning 1: draft-patch",
        ),
        (
            format!("<think>\n{}", ADD_B.replace("+x", "+x\n+</think>")),
            "warning 6: stray-marker\nerror 2: the response has no patch outside of `<think>` … `</think>`",
        ),
        (
            format!("<opx>\n<think>\n{edit}</think>\n</opx>\n"),
            "c\nwarning 2: stray-text\nwarning 4: stray-text",
        ),
        (format!("<think>\n{ADD_B}</think>\n"), {
            "error 2: the response has no patch outside of `<think>` … `</think>`"
        }),
    ] {
        assert_eq!(read(&text), want, "{text}");
    }
}

/// Returns a message with a call of an id.
fn called(id: &str) -> String {
    let input = r#"{"path": "a", "old_string": "x", "new_string": "y"}"#;
    let call = format!(r#"{{"type": "tool_use", "id": "{id}", "name": "Edit", "input": {input}}}"#);
    format!(r#"{{"role": "assistant", "content": [{call}]}}"#)
}

#[test]
fn a_patch_that_repeats_another_counts_once() {
    let edits = format!("{EDIT_C}<edit file=\"d\" op=\"remove\"/>\n");
    let diff = "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-x\n+y\n";
    let other = "--- a/g\n+++ b/g\n@@ -1 +1 @@\n-x\n+y\n";
    for (text, want) in [
        (format!("{ADD_A}{ADD_A}"), "a\nwarning 5: repeated-patch"),
        (
            format!(
                "Draft:\n{ADD_A}Final:\n{}",
                ADD_A.replace('\n', "\r\n").trim_end()
            ),
            "a\nwarning 7: repeated-patch",
        ),
        (
            format!("{ADD_A}{ADD_B}{ADD_A}"),
            "a\nb\nwarning 9: repeated-patch",
        ),
        (
            format!("<think>\n{ADD_A}</think>\n{ADD_A}"),
            "a\nwarning 2: draft-patch",
        ),
        (
            format!("<opx>\n{EDIT_C}</opx>\n<opx>\n{EDIT_C}</opx>\n"),
            "c\nwarning 4: repeated-patch",
        ),
        (
            format!("```\n{edits}```\nSo:\n```\n{edits}```\n"),
            "c\nd\nwarning 7: repeated-patch",
        ),
        (
            format!("{diff}{other}\nSo:\n\n{diff}{other}"),
            "f\ng\nwarning 14: repeated-patch",
        ),
        (
            format!("{diff}\nSo:\n\n{diff}"),
            "f\nwarning 9: repeated-patch",
        ),
        // A part of a patch counts as often as it is there.
        (
            format!("{EDIT_C}{EDIT_C}"),
            "c\nc\nwarning 2: repeated-edit",
        ),
        (
            format!("{EDIT_C}\n{}", EDIT_C.trim_end()),
            "c\nc\nwarning 3: repeated-edit",
        ),
        (
            format!("{edits}So:\n{EDIT_C}"),
            "c\nd\nc\nwarning 4: repeated-edit",
        ),
        (
            format!("<opx>\n{EDIT_C}</opx>\n{EDIT_C}"),
            "c\nc\nwarning 4: repeated-edit",
        ),
        (format!("{diff}{diff}"), "f\nf\nwarning 6: repeated-edit"),
        (
            ADD_A.replace("*** End", "*** Add File: a\n+x\n*** End"),
            "a\na\nwarning 4: repeated-edit",
        ),
        // Commits may repeat one another.
        (
            format!(
                "commit 0123456789\n\n{ADD_A}commit 0123456788\n\n{ADD_B}\ncommit 0123456787\n\n{ADD_A}"
            ),
            { "a\nb\na\nwarning 17: repeated-edit" },
        ),
        // Nearly the same is another.
        (format!("{ADD_A}{}", ADD_A.replace("+x", "+x ")), "a\na"),
        (
            format!(
                "{ADD_A}{}",
                ADD_A
                    .replace('\n', "\n ")
                    .replacen("***", " ***", 1)
                    .trim_end_matches(' ')
            ),
            "a\na\nwarning 6: repeated-edit",
        ),
        // What takes the patch back is no repetition.
        (
            format!("```sh\ngit apply <<'E'\n{diff}E\ngit apply -R <<'E'\n{diff}E\n```\n"),
            "error 9: `-R` takes the patch back",
        ),
        // Calls with ids count each by itself.
        (
            format!("{}\n{}\n", called("c1"), called("c2")),
            "a\na\nwarning 2: repeated-edit",
        ),
        (
            format!("{}\n{}\n", called("c1"), called("c1")),
            "a\nwarning 2: skipped-call",
        ),
        // A broken one is told of once.
        (
            "*** Begin Patch\n*** End Patch\n".repeat(2),
            "warning 3: repeated-patch\nerror 1: an envelope is empty",
        ),
    ] {
        assert_eq!(read(&text), want, "{text}");
    }
}

#[test]
fn a_message_that_breaks_off_is_an_error_beside_a_patch() {
    let text = serde_json::json!({"type": "message", "text": ADD_B}).to_string();
    for torn in [
        text.split_once("+x").map_or("", |(torn, _)| torn),
        r#"{"type": "tool_use", "na"#,
        r#"{"role": "assistant", "con"#,
        "<tool_call>\n{\"name\": \"edit\", \"argu",
    ] {
        let got = read(format!("{ADD_A}{torn}"));
        assert!(
            got.starts_with("a\nerror") && got.contains("breaks off"),
            "{torn}: {got}"
        );
    }
    let code = format!("{ADD_A}\n```js\nf({{\n{{ a: 1\n");
    assert_eq!(read(code), "a");
}

#[test]
fn an_edit_in_mid_line_is_prose() {
    for (text, want) in [
        (
            format!("Write `<edit file=\"x\" op=\"remove\"/>` to remove.\n{ADD_A}"),
            "a",
        ),
        (
            format!("Write ``a ` <edit file=\"x\" op=\"remove\"/>`` to remove.\n{ADD_A}"),
            "a",
        ),
        (
            format!("Write <edit file=\"x\" op=\"remove\"/> to remove.\n{ADD_A}"),
            "a\nwarning 1: prose-edit",
        ),
        (
            format!("Write ` <edit file=\"x\" op=\"remove\"/>\n{ADD_A}"),
            "a\nwarning 1: prose-edit",
        ),
        (
            format!("Hidden <!-- <edit file=\"x\" op=\"remove\"/> -->\n{ADD_A}"),
            "a\nwarning 1: commented-patch",
        ),
        ("Write <edit file=\"x\" op=\"remove\"/>\n".into(), {
            "warning 1: prose-edit\nerror 1: the response has no `<edit>` at the start of a line"
        }),
    ] {
        assert_eq!(read(&text), want, "{text}");
    }
}

#[test]
fn opx_is_found_and_delimited() {
    for (text, want) in [
        (EDIT_C.to_string(), "c"),
        (format!("Sure:\n```xml\n<opx>\n{EDIT_C}</opx>\n```\n"), "c"),
        (
            format!("{}{EDIT_C}", EDIT_C.trim_end()),
            "c\nc\nwarning 1: repeated-edit",
        ),
        (
            format!("<edit op='remove' file='d'></edit> {EDIT_C}"),
            "d\nc",
        ),
        (
            format!("{EDIT_C}\nText.\n  </put>\n"),
            "c\nerror 4: `</put>` outside of an `<edit>`",
        ),
        (
            format!("{EDIT_C}>>>\n"),
            "c\nerror 2: `>>>` outside of an `<edit>`",
        ),
        (
            format!("{}</EDIT >\n", EDIT_C.trim_end()),
            "c\nerror 1: `</EDIT >` outside of an `<edit>`",
        ),
        (format!("</edit>\n>>>\n{EDIT_C}"), "c"),
        (
            format!("<!--\n{EDIT_C}-->\n</edit>\n{ADD_A}"),
            "a\nwarning 2: commented-patch",
        ),
        (
            "<edit file=\"a\" op=\"new\">\n<put>\n<<<\n*** Begin Patch\n>>>\n</put>\n</edit>\n"
                .to_string(),
            "a",
        ),
    ] {
        assert_eq!(read(&text), want, "{text}");
    }
}

#[test]
fn two_formats_are_an_error_unless_one_is_asked_for() {
    let text = format!("{ADD_A}\n{EDIT_C}\n{ADD_B}");
    let asked = |format| {
        read_with(
            &text,
            &Options {
                format: Some(format),
                ..Options::default()
            },
        )
    };
    assert_eq!(
        read(&text),
        "a\nb\nerror 6: the response has patches in two formats, envelope and opx"
    );
    assert_eq!(asked(Format::Envelope), "a\nb\nwarning 6: skipped-format");
    assert_eq!(
        asked(Format::Opx),
        "c\nwarning 1: skipped-format\nwarning 8: skipped-format"
    );
    let only = read_with(
        ADD_A,
        &Options {
            format: Some(Format::Opx),
            ..Options::default()
        },
    );
    assert_eq!(
        only,
        "warning 1: skipped-format\nerror 1: the response has no patch in the format opx"
    );
    // An envelope that never ends has swallowed the edit.
    let swallowed = format!("*** Begin Patch\n*** Add File: a\n+x\n{EDIT_C}");
    let swallowed = read_with(
        swallowed,
        &Options {
            format: Some(Format::Opx),
            ..Options::default()
        },
    );
    assert!(
        swallowed.contains("error 1: a patch has no `*** End Patch`"),
        "{swallowed}"
    );
}

#[test]
fn nothing_to_apply_is_an_error_that_says_why() {
    let utf16 =
        |text: &str| -> Vec<u8> { text.encode_utf16().flat_map(u16::to_le_bytes).collect() };
    for (text, want, remedy) in [
        (Vec::new(), "error -: the response is empty", "standard input"),
        (b"\xef\xbb\xbf \n\n".to_vec(), "error -: the response is empty", "standard input"),
        (b"I can't do that.\n".to_vec(), "error -: the response has no patch", "ask the model"),
        (b"*** Begin Patch\n*** End Patch\n".to_vec(), "error 1: an envelope is empty", "ask for the patch again"),
        (
            b"1. Do:\n   diff --git a/a b/a\n   --- a/a\n   +++ b/a\n   @@ -1 +1 @@\n   -x\n   +y\n".to_vec(),
            "error 2: the response has no patch, only something like one: a unified diff doesn't begin at the start of its line",
            "take away what is before",
        ),
        (
            b"> --- a\n> +++ a\n> @@ -1 +1 @@\n> -x\n> +y\n".to_vec(),
            "error 1: the response has no patch outside of lines quoted by `>`",
            "take away the `>`",
        ),
        (
            br"Here: *** Begin Patch\n*** Delete File: a\n*** End Patch".to_vec(),
            r"error 1: the response has no patch, only something like one: the line ends of a patch are written out as `\n`",
            "a line of its own",
        ),
        (utf16(&format!("\u{feff}{ADD_A}")), "error 1: the response is in UTF-16", "iconv"),
        (utf16(ADD_A), "error 1: the response is in UTF-16", "-f UTF-16LE"),
        (utf16(&format!("Here:\n{ADD_A}")), "error 1: the response is in UTF-16", "-f UTF-16LE"),
        (ADD_A.encode_utf16().flat_map(u16::to_be_bytes).collect(), "error 1: the response is in UTF-16", "-f UTF-16BE"),
        (
            b"**Begin Patch**\nx\n".to_vec(),
            "error 1: the response has no patch, only something like one: `*** Begin Patch` isn't written as it must be",
            "on a line of its own",
        ),
        (
            b"*** Begin Patch\n*** Add File: a\n+x\0\n*** End Patch\n".to_vec(),
            "a\nerror 3: a NUL byte in an envelope",
            "take the NUL out",
        ),
    ] {
        let shown = String::from_utf8_lossy(&text).into_owned();
        assert_eq!(read(&text), want, "{shown}");
        assert!(help(&text).contains(remedy), "{shown}: {}", help(&text));
    }
    assert_eq!(read(format!("\0 NUL in prose\n{ADD_A}")), "a");
    assert_eq!(
        read(format!("{ADD_A}*** Begin Patch\n*** End Patch\n")),
        "a\nerror 5: an envelope is empty"
    );
}

/// The examples of the format's descriptions; fragments without Begin and End stand in an envelope
/// here.
#[test]
fn the_examples_of_the_descriptions_are_read() {
    for (body, edits) in [
        (
            "*** Add File: path/to/new/file.ts\n+line 1 of content\n+line 2 of content\n+line 3 of content\n",
            1,
        ),
        ("*** Delete File: path/to/remove.ts\n", 1),
        (
            "*** Update File: path/to/modify.ts\n@@ optional context line that exists in file\n-line to remove\n\
             +line to add\n line that stays (context)\n-another removal\n+replacement line\n",
            1,
        ),
        (
            "*** Update File: old/path/file.ts\n*** Move to: new/path/file.ts\n@@ function declaration\n\
             -old implementation\n+new implementation\n",
            1,
        ),
        (
            "*** Update File: a\n@@ last line of file\n+new line at end\n*** End of File\n",
            1,
        ),
        (
            "*** Add File: src/new.ts\n+export const NEW = true\n*** Update File: src/index.ts\n@@ import { OLD }\n\
             -import { OLD } from './old'\n+import { OLD } from './old'\n+import { NEW } from './new'\n\
             *** Delete File: src/deprecated.ts\n",
            3,
        ),
        (
            "*** Update File: example.ts\n@@ import { bar } from './bar'\n-import { bar } from './bar'\n\
             +import { bar } from './bar'\n+import { baz } from './baz'\n",
            1,
        ),
        (
            "*** Update File: example.ts\n@@ import { foo } from './foo'\n import { foo } from './foo'\n\
             -import { bar } from './bar'\n+import { bar } from './bar'\n+import { baz } from './baz'\n",
            1,
        ),
        (
            "*** Update File: src/main.rs\n@@\n // some context\n-let old_variable = 1;\n+let new_variable = 2;\n\
             \x20// more context\n",
            1,
        ),
        (
            "*** Add File: new_feature.rs\n+fn new_function() {\n+    // implementation\n+}\n",
            1,
        ),
        (
            "*** Delete File: old_config.toml\n-some_setting = \"old_value\"\n",
            1,
        ),
    ] {
        let text = format!("*** Begin Patch\n{body}*** End Patch\n");
        let source = source(&text);
        let parsed = parse(
            &source,
            &Options {
                strict: true,
                ..Options::default()
            },
        );
        assert_eq!(
            (
                parsed.patch.edits.len(),
                &parsed.errors[..],
                &parsed.warnings[..]
            ),
            (edits, &[][..], &[][..]),
            "{text}"
        );
    }
}

#[test]
fn reading_takes_time_in_proportion_to_the_length() {
    // Each of these is quadratic for a reader that looks ahead or back from every one of them.
    for (unit, tail) in [
        ("*** Begin Patch\n", ""),
        ("*** Begin Patch\n\n", "*** End Patch\n"),
        ("<!--\n", ""),
        ("<!-- ", "\n"),
        ("<!-- --> ", "\n"),
        ("` <edit file=\"x\" ", "\n"),
        ("<edit ", "\n"),
        ("x <edit ", "\n"),
        ("> ", "*** Begin Patch\n"),
        ("x <edit a='b\" c=\"", "\n"),
        ("*** Add File: x\n", ""),
        ("*** End Patch\n", ""),
        ("```\n~~~~\n", ""),
        ("\"*** Begin Patch\" ", "\n"),
        ("--- a\n+++ b\n", ""),
        ("<think>\n", ""),
        ("<think>\n<reasoning>\n</think>\n", ""),
        (
            "<think>\n",
            &format!(
                "{}{}",
                "*** Begin Patch\n*** End Patch\n".repeat(10_000),
                "</think>\n".repeat(100_000)
            ),
        ),
        (
            "<thought>\n*** Begin Patch\n*** End Patch\n</thought>\n",
            "",
        ),
    ] {
        let text = unit.repeat(crate::testing::length(1_000_000) / unit.len()) + tail;
        let source = source(&text);
        let parsed = parse(&source, &Options::default());
        assert!(!parsed.errors.is_empty(), "{unit:?}");
    }
    let backticks: String = (1..1400).map(|length| "`".repeat(length) + " ").collect();
    read(format!("{backticks} <edit\n"));
}

fn token() -> impl Strategy<Value = &'static str> {
    proptest::sample::select(vec![
        "*** Begin Patch\n",
        "*** End Patch\n",
        "*** End Patch",
        "*** End of File\n",
        "*** Add File: a\n",
        "*** Update File: b\n",
        "*** Delete File: c\n",
        "*** Move to: d\n",
        "*** Rename File: a -> b\n",
        "*** ",
        " ***",
        "\n",
        "\n\n",
        "\r\n",
        "@@\n",
        "@@ x\n",
        "@@ -1 +1 @@\n",
        "+x\n",
        "-x\n",
        " x\n",
        "x\n",
        "+",
        "-",
        " ",
        "\t",
        "  ",
        "```\n",
        "~~~\n",
        "`",
        "<!--",
        "-->",
        "<!-- ",
        "<think>\n",
        "</think>\n",
        "<Reasoning>\n",
        "</reasoning>\n",
        "\u{feff}",
        "\0",
        "\\ No newline at end of file\n",
        "--- a/x\n",
        "+++ b/x\n",
        "diff --git a/x b/x\n",
        "> ",
        "- ",
        "1. ",
        "<edit file=\"a\" op=\"remove\"/>",
        "<edit file=\"a\" op=\"new\">",
        "<edit ",
        "<opx>",
        "</opx>",
        "</edit>",
        "<put>\n<<<\n",
        ">>>\n</put>\n",
        "<find>\n<<<\n",
        ">>>\n</find>\n",
        "<why>",
        "</why>",
        "{\"a\":\"",
        "\\n",
        "EOF\n",
        "é",
        "\u{2028}",
    ])
}

/// Asks everything of everything that was read.
fn exercise(bytes: &[u8]) {
    let source = source(bytes);
    for format in [
        None,
        Some(Format::Envelope),
        Some(Format::Opx),
        Some(Format::Unified),
    ] {
        for strict in [false, true] {
            let parsed = parse(
                &source,
                &Options {
                    format,
                    strict,
                    ..Options::default()
                },
            );
            assert!(!parsed.patch.edits.is_empty() || !parsed.errors.is_empty());
            for (span, said) in parsed
                .errors
                .iter()
                .map(|error| (error.span, &error.value as &dyn crate::report::Diagnose))
            {
                assert!(!said.diagnostic().is_warning);
                assert!(
                    said.to_string().len() + said.diagnostic().help.map_or(0, |help| help.len())
                        > 0
                );
                assert!(
                    span.is_none_or(
                        |span| span.start <= span.end && span.end as usize <= bytes.len()
                    )
                );
            }
            for warning in &parsed.warnings {
                assert!(warning.value.diagnostic().kind.is_warning());
                let _ = warning.value.to_string();
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(crate::testing::cases(256)))]

    #[test]
    fn any_bytes_are_read_without_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        exercise(&bytes);
    }

    #[test]
    fn any_tokens_are_read_without_panic(tokens in proptest::collection::vec(token(), 0..40)) {
        exercise(tokens.concat().as_bytes());
    }
}

#[test]
fn an_answer_cut_in_the_first_words_of_another_patch_is_cut() {
    let patch = "*** Begin Patch\n*** Add File: a\n+x\n*** End Patch\n";
    for (tail, want) in [
        ("*** Begin Pat", true),
        ("*** B", true),
        ("  *** Begin", true),
        ("<edit", true),
        ("<edit fi", true),
        ("***", false),
        ("*** B\n", false),
        ("*** Bye", false),
        ("<editor", false),
        ("", false),
    ] {
        let text = format!("{patch}{tail}");
        let source = Source::new(SourceId(0), "answer.txt", text.into()).unwrap();
        let parsed = parse(&source, &Options::default());
        let is_cut = parsed.errors.iter().any(|error| {
            matches!(
                error.value,
                super::Error::NoPatch(super::NoPatch::CutStart { .. })
            )
        });
        assert_eq!(is_cut, want, "{tail:?}: {:?}", parsed.errors);
    }
}

#[test]
fn a_response_has_so_many_edits_at_most() {
    let told = |text: String| {
        let source = Source::new(SourceId(0), "answer.txt", text.into()).unwrap();
        let parsed = parse(&source, &Options::default());
        let said: Vec<_> = parsed
            .errors
            .iter()
            .map(|error| error.value.to_string())
            .collect();
        (parsed.patch.edits.len(), said)
    };
    let most = super::parts::MOST_EDITS;
    let too_many = vec![format!("the response has more than {most} edits")];
    let edit = "<edit file=\"a\" op=\"remove\"/>";
    assert_eq!(told(edit.repeat(most + 3)), (most, too_many.clone()));
    let envelope = format!(
        "*** Begin Patch\n{}*** End Patch\n",
        "*** Delete File: a\n".repeat(most + 1)
    );
    assert_eq!(told(envelope), (0, too_many));
}

#[test]
fn where_a_diff_ends_does_not_depend_on_how_strictly_it_is_read() {
    let text = "--- a/f\n+++ b/f\n@@ -1,5 +1,5 @@\n x\n\nProse.\n  <edit file=\"b\" op=\"new\">\n<put>\n<<<\n\
                *** Begin Patch\n*** Delete File: a\n*** End Patch\n";
    let source = Source::new(SourceId(0), "answer.txt", text.into()).unwrap();
    let unread = |strict| {
        let parsed = parse(
            &source,
            &Options {
                format: Some(Format::Envelope),
                strict,
                ..Options::default()
            },
        );
        parsed
            .errors
            .iter()
            .map(|error| error.value.to_string())
            .collect::<Vec<_>>()
    };
    assert_eq!(unread(true), unread(false));
    assert_eq!(unread(false).len(), 1);
}
