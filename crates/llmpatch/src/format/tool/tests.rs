//! Where decoded text is in the response, and how much of what isn't JSON is a call.

use proptest::prelude::*;

use super::json::JsonText;
use crate::format::Options;
use crate::patch::{Format, Operation};
use crate::response;
use crate::text::{Source, SourceId};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(crate::testing::cases(256)))]

    #[test]
    fn every_character_of_a_string_is_where_it_is_written(text in "[a\\n\"\\\\é😀/\t]{0,12}", twice: bool) {
        let once = serde_json::to_string(&text).unwrap();
        let written = if twice { serde_json::to_string(&once).unwrap() } else { once };
        let whole = format!("[{written}]");
        let document = JsonText::new(&whole, 0);
        let mut string = document.value().unwrap().items()[0].string().unwrap();
        if twice {
            string = string.value().unwrap().string().unwrap();
        }
        prop_assert_eq!(string.text(), &text);
        let mut end = if twice { 4 } else { 2 };
        for (at, character) in text.char_indices() {
            let range = string.range(at..at + character.len_utf8());
            prop_assert_eq!(range.start, end);
            let of_one = serde_json::to_string(&character.to_string()).unwrap();
            let inner = &of_one[1..of_one.len() - 1];
            let again = serde_json::to_string(inner).unwrap();
            let inner = if twice { &again[1..again.len() - 1] } else { inner };
            prop_assert_eq!(&whole[range.clone()], inner);
            end = range.end;
        }
    }

    #[test]
    fn a_call_that_is_cut_anywhere_is_refused(cut in 1..120usize, pretty: bool) {
        let call = serde_json::json!({"path": "a", "old_string": "x\ny", "new_string": "é", "replace_all": true});
        let call = if pretty { serde_json::to_string_pretty(&call).unwrap() } else { call.to_string() };
        let cut = (1..=cut.min(call.len() - 1)).rev().find(|&at| call.is_char_boundary(at)).unwrap();
        let source = Source::new(SourceId(0), "a", call[..cut].into()).unwrap();
        let read = response::parse(&source, &Options::default());
        prop_assert!(!read.errors.is_empty());
    }
}

#[test]
fn patches_in_strings_are_what_they_are_and_where_they_are() {
    let text = r#"{"type":"custom_tool_call","name":"apply_patch","input":"*** Begin Patch\n*** Delete File: a\n*** End Patch"}"#;
    let source = Source::new(SourceId(0), "a", text.into()).unwrap();
    let read = response::parse(&source, &Options::default());
    assert_eq!(read.patch.format, Format::Envelope);
    let [edit] = &read.patch.edits[..] else {
        panic!("{read:?}")
    };
    assert_eq!(edit.operation, Operation::Delete { expected: None });
    let span = edit.path.span.unwrap();
    assert_eq!(&text[span.start as usize..span.end as usize], "a");
    assert_eq!(
        text[..span.start as usize].rfind("Delete File: "),
        Some(span.start as usize - "Delete File: ".len())
    );
}

/// A number that isn't one is told by what is behind it: the LF, or the CR before that.
#[test]
fn what_ends_a_line_is_wrong_in_that_line() {
    let call = r#"{"path":"f","old_string":"a","new_string":"#;
    for end in ["\n", "\r\n"] {
        let response = format!("{call}-{end}{call}\"b\"}}{end}");
        let source = Source::new(SourceId(0), "a", response.into()).unwrap();
        let read = response::parse(&source, &Options::default());
        assert_eq!(
            (read.errors.len(), read.patch.edits.len()),
            (1, 1),
            "{end:?}"
        );
    }
}

#[test]
fn reading_takes_time_in_proportion_to_the_length() {
    let call = r#"{"path":"a","old_string":"x","new_string":"y"}"#;
    let patch = r#""*** Begin Patch\n*** Delete File: a\n*** End Patch\n","#;
    // Each of these is quadratic for a reader that looks ahead or back from every one of them.
    for (head, unit, tail) in [
        ("", "{\"\n", ""),
        ("", " {\"\n", ""),
        ("", "[\n", ""),
        ("", "[", "\n"),
        ("", "[{\"a\":\n", ""),
        ("", "{\"a\":1,\n", ""),
        ("\n", "\"x\",\n", ""),
        ("", "{}\n", ""),
        ("", "<tool_call>{\n", ""),
        (
            "[",
            "{\"path\":\"a\",\"old_string\":\"x\",\"new_string\":\"y\"},",
            "1]\n",
        ),
        ("", &format!("{call}\n"), ""),
        ("", &format!("[{call}\n"), ""),
        ("[", patch, "1]\n"),
        ("[", &format!("{call},{patch}"), "1]\n"),
        ("[", "{\"name\":\"e\",\"arguments\":{}},", "1]\n"),
        (
            "{\"path\":\"a\",\"old_string\":\"x\",\"new_string\":\"y\"",
            ",\"k\":1",
            "}\n",
        ),
        (
            "{\"path\":\"a\",\"edits\":[",
            "{\"old_string\":\"x\",\"new_string\":\"y\"},",
            "{}]}\n",
        ),
        ("{\"path\":\"a\",\"content\":\"", "\\n", "\"}\n"),
        ("\"", "\\u00e4\\n", "\"\n"),
        (
            "",
            &format!("{{\"role\":\"assistant\",\"content\":[{patch}1]}}\n"),
            "",
        ),
        (
            "{\"messages\":[",
            &format!("{{\"role\":\"assistant\",\"content\":[{patch}1]}},"),
            "1]}\n",
        ),
        (
            "",
            &format!("{{\"role\":\"tool\",\"content\":{patch}\"x\":1}}\n"),
            "",
        ),
        (
            "",
            "{\"role\":\"assistant\",\"tool_calls\":[{\"function\":{\"name\":\"e\",\"arguments\":{}}}]}\n",
            "",
        ),
        ("{\"a\":", "{\"a\":", "1"),
        ("{\"a\":[", patch, "1]}\n"),
    ] {
        let text = [
            head,
            &unit.repeat(crate::testing::length(300_000) / unit.len()),
            tail,
        ]
        .concat();
        let source = Source::new(SourceId(0), "a", text.into()).unwrap();
        response::parse(&source, &Options::default());
    }
}
