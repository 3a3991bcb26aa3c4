//! What became of a call, by what its result says: in its members, or where its text begins.

use super::rows::{MatchedRows, at, is};
use super::schemas::Names;
use crate::format::tool::fields::Fields;
use crate::format::tool::json::{Is, JsonText, Value};
use crate::text::digits;

/// What became of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    Done,
    /// It failed, was refused, or was never carried out.
    Undone,
}

/// The members by which an object says that a call wasn't carried out.
const UNDONE: &[&str] = &[
    "is_error=true",
    "isError=true",
    "denied=true",
    "rejected=true",
    "cancelled=true",
    "interrupted=true",
    "success=false",
    "approved=false",
    "approve=false",
    "exit_code !exit_code=0",
    "exitCode !exitCode=0",
    "returncode !returncode=0",
    "error !error=|false|{}|[]",
    "status=error*|fail*|cancel*|denied*|decline*|reject*|abort*",
    "state=error*|fail*|cancel*|denied*|decline*|reject*|abort*",
    "decision=denied*|decline*|reject*|abort*",
    "observation=error*|user_rejected*",
    "kind=UserReject*|AgentError*",
];
/// Members in which a result says more.
const INSIDE: &[&str] = &[
    "content", "output", "text", "error", "result", "response", "run", "message", "metadata",
];
/// The words with which the text of a result begins that tells of a failure.
const FAILURES: &[&str] = &[
    "error",
    "failed",
    "failure",
    "could not",
    "cannot",
    "unable",
    "denied",
    "rejected",
    "skipped",
    "aborted",
];
/// Codex's own word that a patch was applied, whatever else its command did.
const APPLIED: &str = "Success. Updated the following files";
const DEEPEST: usize = 16;

/// Returns what an object says of what became of a call, by its own members and by these.
pub(super) fn outcome(rows: MatchedRows, fields: &Fields<'_>, says: Names) -> Option<Outcome> {
    let said = says.iter().filter_map(|path| at(fields, path));
    let said = said.map(|value| tells(rows, value, 0));
    worst(said.chain([own(fields)]))
}

/// Of what several members say, a failure counts; but that a patch was applied wins.
fn worst(said: impl Iterator<Item = Option<Outcome>>) -> Option<Outcome> {
    let said: Vec<_> = said.flatten().collect();
    let all = [Outcome::Done, Outcome::Undone];
    all.into_iter().find(|outcome| said.contains(outcome))
}

/// Returns what the members of an object say, but for what is inside of them.
pub(super) fn own(fields: &Fields<'_>) -> Option<Outcome> {
    let is_undone = UNDONE.iter().any(|pattern| is(pattern, fields));
    is_undone.then_some(Outcome::Undone)
}

fn tells(rows: MatchedRows, value: Value<'_>, depth: usize) -> Option<Outcome> {
    if depth > DEEPEST {
        return None;
    }
    match value.is() {
        Is::String => {
            let text = value.string().ok()?;
            text_tells(rows, text.text()).or_else(|| {
                let is_json = text.text().trim_start().starts_with('{');
                let inner = JsonText::new(text.text(), 0);
                is_json.then(|| tells(rows, inner.value().ok()?, depth + 1))?
            })
        }
        Is::Array => worst(
            value
                .items()
                .into_iter()
                .map(|item| tells(rows, item, depth + 1)),
        ),
        Is::Object => {
            let fields = Fields::of(value).ok()?;
            let inside = fields.iter().filter(|(name, _)| INSIDE.contains(name));
            let said: Vec<_> = inside
                .map(|(_, value)| tells(rows, value, depth + 1))
                .chain([own(&fields)])
                .collect();
            worst(said.into_iter())
        }
        _ => None,
    }
}

/// Returns what the text of a result says: the words that it begins with, or a line of its first or
/// last ones that a row knows.
pub(super) fn text_tells(rows: MatchedRows, text: &str) -> Option<Outcome> {
    const NEAR: usize = 8;
    let text = text.trim_start();
    let lines = || text.lines().take(NEAR);
    if lines().any(|line| line.starts_with(APPLIED)) {
        return Some(Outcome::Done);
    }
    let last = text.lines().rev().take(NEAR);
    let is_known = |line: &str| rows.failed().any(|lead| begins(line, lead));
    // A picture, a bracket or bold text may be before the word.
    let first = text.trim_start_matches(|c: char| !c.is_alphanumeric());
    let is_failure = FAILURES.iter().any(|word| is_first(word, first))
        || lines().take(2).any(is_known)
        || lines().chain(last).any(|line| {
            let mut codes = rows.failed().filter(|lead| lead.ends_with('#'));
            codes.any(|lead| begins(line, lead))
        });
    is_failure.then_some(Outcome::Undone)
}

/// Returns whether a line begins with some words, of which `#` stands for a number other than 0.
pub(super) fn begins(line: &str, lead: &str) -> bool {
    let Some(words) = lead.strip_suffix('#') else {
        return line.starts_with(lead);
    };
    line.strip_prefix(words).is_some_and(|rest| {
        let digits = digits(rest.as_bytes());
        rest.starts_with('-') || rest[..digits].bytes().any(|digit| digit != b'0')
    })
}

/// Returns whether a text begins with a word, in any case, rather than with a name that begins so.
fn is_first(word: &str, text: &str) -> bool {
    let (Some(start), Some(rest)) = (text.get(..word.len()), text.get(word.len()..)) else {
        return false;
    };
    let is_end =
        rest.is_empty() || rest.starts_with([':', '.', '!', '>', ']', '*', ' ', '\t', '\n', '\r']);
    let is_name = rest.starts_with('.') && rest[1..].starts_with(char::is_alphanumeric);
    start.eq_ignore_ascii_case(word) && is_end && !is_name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_says_first_that_its_call_failed() {
        let json = JsonText::new(
            r#"{"type":"function_call_output","role":"user","content":""}"#,
            0,
        );
        let rows = MatchedRows::of(&Fields::of(json.value().unwrap()).unwrap());
        for (text, want) in [
            ("Script failed\nWall time 0.1 seconds\nOutput:\n", true),
            ("Error: the text wasn't found", true),
            ("error", true),
            ("FAILED to match", true),
            ("Could not find it", true),
            ("aborted by user after 1.2s", true),
            ("Skipped: tool call was not executed", true),
            ("apply_patch verification failed: no such file", true),
            ("patch rejected by user", true),
            ("Exit code: 1\nWall time: 0 seconds\nOutput:\nno", true),
            ("Exit code: 0\nWall time: 0 seconds\nOutput:\nno", false),
            (
                "Exit code: 1\nOutput:\nSuccess. Updated the following files:\nM a",
                false,
            ),
            (
                "Wall time: 0.1 seconds\nProcess exited with code 2\nOutput:\n",
                true,
            ),
            (
                "<tool_use_error>File has not been read yet</tool_use_error>",
                true,
            ),
            ("String to replace not found in file.\nString: x", true),
            ("Permission to use Edit has been denied.", true),
            ("Error-codes.md has been updated", false),
            ("error.rs was edited", false),
            ("Errors are told now", false),
            ("The file was edited. The result:\n1\tuser denied", false),
            ("12 passed, 0 failed", false),
        ] {
            let outcome = text_tells(rows, text);
            assert_eq!(outcome == Some(Outcome::Undone), want, "{text}");
        }
    }
}
