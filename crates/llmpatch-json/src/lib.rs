//! The library `llmpatch` for callers in other languages: one request as JSON in, one reply as JSON
//! out. The README says what they look like.
//!
//! Nothing is decided here: a request becomes the arguments of `llmpatch::apply`, and its result
//! becomes the document that the program prints. Of git, it knows only how a blob is named.

#![warn(clippy::print_stdout, clippy::print_stderr)]

mod asking;
mod blobs;
mod reply;
mod request;

use std::fmt::Display;

use llmpatch::apply::{TooLong, work_out};
use llmpatch::report::{Diagnostic, Report, State};
use llmpatch::text::{Source, SourceId};
use serde::Serialize;

use self::reply::{Reply, report_of};
use self::request::Request;

/// Answers a request with a reply, each as JSON.
pub fn apply(request: &[u8]) -> String {
    let request = serde_json::from_slice::<Request>(request);
    let reply = request.map_err(misused).and_then(answer);
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
    let response = request.response.content().map_err(misused)?;
    let tree = request.tree().map_err(misused)?;
    let options = request.options.read().map_err(misused)?;
    let name = request.options.name().to_owned();
    let source = Source::new(SourceId(0), name.clone(), response);
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
    let document = report.about(vec![name]).json();
    Reply::answered(document, changed).map_err(misused)
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
}
