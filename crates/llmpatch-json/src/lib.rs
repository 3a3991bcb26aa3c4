//! The library `llmpatch` for callers in other languages: one request as JSON in, one reply as JSON
//! out. The README says what they look like.
//!
//! Nothing is decided here: a request becomes the arguments of `llmpatch::apply`, and its result
//! becomes the document that the program prints. Of git, it knows only how a blob is named.

#![warn(clippy::print_stdout, clippy::print_stderr)]

mod asking;
mod blobs;
mod message;
mod object;
mod reply;
mod request;
mod settings;

use std::fmt::Display;

use llmpatch::apply::{TooLong, work_out};
use llmpatch::report::{Diagnostic, Report, State};
use llmpatch::text::{Source, SourceId};
use serde::Serialize;

use self::message::Message;
use self::reply::{Reply, report_of};
use self::request::Request;

/// Answers a request with a reply, each as JSON.
pub fn apply(request: &[u8]) -> String {
    let request = Request::read(request).map_err(misused);
    let reply = request.and_then(answer);
    let reply = reply.unwrap_or_else(|misused| misused);
    serde_json::to_string(&reply).unwrap_or_default()
}

/// Makes the reply to a request that is wrong.
fn misused(why: impl Display) -> Reply {
    Reply::Misused(why.to_string())
}

/// Works out the reply to a request.
///
/// # Errors
/// If the request is wrong.
fn answer(request: Request) -> Result<Reply, Reply> {
    let tree = request.tree;
    let options = request.options.options().map_err(misused)?;
    let name = request.options.name().to_owned();
    let source = Source::new(SourceId(0), name.clone(), request.response);
    let sources = source.as_slice();
    let (report, changed) = if sources.is_empty() {
        let errors = vec![Diagnostic::from(&TooLong)];
        let report = Report::failed_with(State::NothingChanged, errors, Vec::new());
        (report, Vec::new())
    } else {
        let planned = work_out(sources, &tree, &options);
        report_of(planned, sources, &options.resolver, request.options.diff)
    };
    let wanted = tree.wanted();
    if !wanted.is_empty() {
        return Ok(Reply::Wanted(wanted));
    }
    let messages = request.messages.then(|| Message::all(&report));
    let document = report.about(vec![name]).json();
    Reply::answered(document, changed, messages).map_err(misused)
}

/// A text, or, where bytes are no text, the bytes in Base64.
#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
enum Encoded {
    Text(String),
    Bytes(String),
}

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_asked_for_until_all_are_known() {
        let response = "*** Begin Patch\\n*** Update File: a/b\\n-old\\n+new\\n*** End Patch\\n";
        for (files, want) in [
            ("", r#"{"wanted":["a/b"]}"#),
            (r#""a/b": null"#, r#"{"wanted":["a"]}"#),
            (
                r#""a/b": {"text": "old\n"}"#,
                r#""changed":[{"path":"a/b","text":"new\n","executable":false}]}"#,
            ),
            (
                r#""a/b": {"bytes": "/wpvbGQK"}"#,
                r#""changed":[{"path":"a/b","bytes":"/wpuZXcK","executable":false}]}"#,
            ),
            (r#""a/b": {"link": true}"#, r#""changed":[]}"#),
            (r#""a/b": null, "a": null"#, r#""changed":[]}"#),
            (r#""../a": null"#, r#"{"misused":"#),
        ] {
            let request = format!(
                r#"{{"response": {{"text": "{response}"}}, "files": {{{files}}}, "asks": true}}"#
            );
            let reply = apply(request.as_bytes());
            assert!(reply.contains(want), "{files}: {reply}");
        }
    }

    #[test]
    fn messages_have_the_marks_of_the_terminal_and_none_of_its_advice() {
        let response = r"*** Begin Patch\n*** Update File: a\n-\told one\n+new\n*** End Patch\n";
        let of = |more| {
            let request = format!(
                r#"{{"response": {{"text": "{response}"}}, "files": {{"a": {{"text": "\told  one\n"}}}}{more}}}"#
            );
            apply(request.as_bytes())
        };
        let reply: serde_json::Value = serde_json::from_str(&of(r#", "messages": true"#)).unwrap();
        let message = &reply["messages"][0];
        assert_eq!(message["kind"], "lines-not-found");
        assert_eq!(
            reply["document"]["errors"][0]["message"],
            message["headline"]
        );
        let places = message["places"].as_array().unwrap();
        let marks = places.iter().map(|place| &place["lines"][0]);
        let parts = marks.map(|line| line["parts"].clone());
        let want = serde_json::json!([["-\told ", "", "one"], ["\told ", " ", "one"]]);
        assert_eq!(parts.collect::<serde_json::Value>(), want);
        let hint = reply["document"]["errors"][0]["hint"].to_string();
        assert!(hint.contains("--feedback"), "{hint}");
        assert!(!message.to_string().contains("--"), "{message}");
        assert!(!of("").contains("messages"));
    }

    #[test]
    fn what_is_no_request_is_named() {
        for (part, value, said) in [
            (
                "response",
                "5",
                "the response: a number is there, where an object belongs",
            ),
            (
                "response",
                "null",
                "the response: null is there, where an object belongs",
            ),
            (
                "response",
                "\"x\"",
                "the response: a string is there, where an object belongs",
            ),
            (
                "response",
                "[\"x\"]",
                "the response: an array is there, where an object belongs",
            ),
            (
                "response",
                "{}",
                "the response has neither `text` nor `bytes`",
            ),
            (
                "response",
                r#"{"text": null}"#,
                "the response has neither `text` nor `bytes`",
            ),
            (
                "response",
                r#"{"link": true}"#,
                "the response has neither `text` nor `bytes`",
            ),
            (
                "response",
                r#"{"text": "a \ud800"}"#,
                "the response: an escape such as `\\ud83d` is only half of a character",
            ),
            (
                "files",
                "[]",
                "the files: an array is there, where an object belongs",
            ),
            (
                "files",
                "null",
                "the files: null is there, where an object belongs",
            ),
            (
                "files",
                "-1",
                "the files: a number is there, where an object belongs",
            ),
            (
                "files",
                r#"{"../a": null}"#,
                "`../a` has an empty part, a `.` or a `..`",
            ),
            (
                "files",
                r#"{"a\udcff": null}"#,
                "the files: an escape such as `\\ud83d` is only half of a character",
            ),
            (
                "files",
                r#"{"a": null, "b": null, "a": {"text": ""}}"#,
                "`a` is there twice",
            ),
            (
                "files",
                r#"{"a": "text"}"#,
                "`a`: a string is there, where an object belongs",
            ),
            (
                "files",
                r#"{"a": false}"#,
                "`a`: a boolean is there, where an object belongs",
            ),
            (
                "files",
                r#"{"a": ["text"]}"#,
                "`a`: an array is there, where an object belongs",
            ),
            (
                "files",
                r#"{"a": {}}"#,
                "`a` has neither `text` nor `bytes`",
            ),
            (
                "files",
                r#"{"a": {"executable": true}}"#,
                "`a` has neither `text` nor `bytes`",
            ),
            (
                "files",
                r#"{"a": {"text": "", "bytes": ""}}"#,
                "`a` has both `text` and `bytes`",
            ),
            (
                "files",
                r#"{"a": {"bytes": "-"}}"#,
                "`a`: `bytes` aren't Base64: Invalid symbol 45, offset 0.",
            ),
            (
                "files",
                r#"{"a": {"text": 5}}"#,
                "`a`: invalid type: integer `5`, expected a string",
            ),
            (
                "files",
                r#"{"a": {"text": "", "executable": 64}}"#,
                "`a`: invalid type: integer `64`, expected a boolean",
            ),
            (
                "files",
                r#"{"a": {"content": ""}}"#,
                "`a`: unknown field `content`, expected one of `text`, `bytes`, `executable`, `link`",
            ),
            (
                "files",
                r#"{"a": {"text": "one\n\udc00\ntwo\n"}}"#,
                "`a`: an escape such as `\\ud83d` is only half of a character",
            ),
            (
                "options",
                "null",
                "the options: null is there, where an object belongs",
            ),
            (
                "options",
                "[]",
                "the options: an array is there, where an object belongs",
            ),
            (
                "options",
                r#"{"limit": "a"}"#,
                "the option `limit` takes an array of strings, and a string is there",
            ),
            (
                "options",
                r#"{"limit": ["a", 1]}"#,
                "the option `limit` takes an array of strings, and not all in it are strings",
            ),
            (
                "options",
                r#"{"strip": -1}"#,
                "the option `strip` takes a whole number, and -1 is there",
            ),
            (
                "options",
                r#"{"strict": null}"#,
                "the option `strict` takes a boolean, and null is there",
            ),
            (
                "options",
                r#"{"unique": true, "unique": false}"#,
                "the option `unique` is there twice",
            ),
            (
                "options",
                r#"{"rootIs": []}"#,
                "there is no option `rootIs`, but name, format, file, strip, recount, directory, top, root_is, roots, strict, unique, fuzz, \
                 overwrite, allow_empty, limit, protect, lints, ignore_case, windows, diff",
            ),
            (
                "options",
                r#"{"limit": ["\ud800"]}"#,
                "the option `limit`: an escape such as `\\ud83d` is only half of a character",
            ),
            (
                "other",
                "1",
                "the request: unknown field `other`, expected one of `response`, `files`, `asks`, `options`, `camel`, `messages`",
            ),
        ] {
            let parts = [("response", r#"{"text": ""}"#), ("files", "{}")];
            let others = parts.iter().filter(|(name, _)| *name != part);
            let mut request = format!(r#""{part}": {value}"#);
            for (name, value) in others {
                request += &format!(r#", "{name}": {value}"#);
            }
            let reply = apply(format!("{{{request}}}").as_bytes());
            let want = serde_json::json!({"misused": said}).to_string();
            assert_eq!(reply, want, "{request}");
        }
    }

    #[test]
    fn a_name_that_no_file_can_have_is_refused() {
        for (name, on_windows, kind) in [
            ("caf\\377", false, Some("repository")),
            ("./c:/x", false, None),
            ("./c:/x", true, Some("unsupported")),
            ("d/nul", true, Some("unsupported")),
            ("a ", true, Some("unsupported")),
            ("d/a.txt", true, None),
        ] {
            let diff = format!("--- /dev/null\n+++ \"b/{name}\"\n@@ -0,0 +1 @@\n+x\n");
            let options = serde_json::json!({"windows": on_windows});
            let request =
                serde_json::json!({"response": {"text": diff}, "files": {}, "options": options});
            let reply = apply(request.to_string().as_bytes());
            let kind = kind.map(|kind| format!(r#""errors":[{{"kind":"{kind}""#));
            let is_refused = kind.is_some();
            let says_so = kind.is_none_or(|kind| reply.contains(&kind));
            assert!(says_so, "{name}: {reply}");
            assert_eq!(reply.ends_with(r#","changed":[]}"#), is_refused, "{name}");
        }
    }
}
