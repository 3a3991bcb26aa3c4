//! What the text of a result says of its call: that it failed, was refused, or was never made.

use super::members::is_of_results;
use crate::text::digits;

/// Returns whether the text of a result says, where it begins, that its call failed or was refused.
/// Behind that may be anything, such as lines of the file.
pub(super) fn says_undone(text: &str) -> bool {
    const SAID: &[&str] = &[
        "<tool_use_error>",
        "doesn't want to proceed with this tool use",
        "doesn't want to take this action",
        "request interrupted by user",
        "verification failed",
        "user rejected",
        "user denied",
        "user declined",
        "rejected by user",
        "denied by user",
        "canceled by user",
        "cancelled by user",
        "no replacement was performed",
        "string to replace not found",
        "has not been read yet",
        "could not find",
        "no match found",
        "permission to use",
        "unable to apply diff",
        "has been modified since read",
        "chose to skip",
        "did not allow",
        "not approved",
        "an error occurred",
        "file not found",
        "command not found",
        "is not a valid tool",
        "provide a valid path",
    ];
    let text = behind_label(text.trim_start());
    let small = |line: &str| line.chars().take(400).collect::<String>().to_lowercase();
    // Gemini's shell tells the command first, with all its lines.
    if text.starts_with("Command: ") {
        let code = text.lines().rfind(|line| line.starts_with("Exit Code:"));
        return code.is_some_and(|line| is_of_failure(&small(line)));
    }
    let mut lines = text.lines().take(5).map(small);
    let first = lines.next().unwrap_or_default();
    let first = first.replace("the user", "user");
    // A picture, a bracket or bold text may be before the word.
    let word = first.trim_start_matches(|c: char| !c.is_ascii() || "<[(*".contains(c));
    let word = word.trim_start();
    // OpenHands tells at the end how its command ended.
    let mut ends = text.lines().rev().take(4).map(small);
    ["error", "errors", "failed"]
        .iter()
        .any(|said| begins_with(word, said))
        || tells_failure(&first)
        || SAID.iter().any(|said| first.contains(said))
        || is_of_failure(&first)
        || lines.any(|line| is_of_failure(&line))
        || ends.any(|line| line.starts_with('[') && is_of_failure(&line))
}

/// Returns the text of a result without the line above it that only names it, as `OBSERVATION:`.
fn behind_label(text: &str) -> &str {
    let Some((line, rest)) = text.split_once('\n') else {
        return text;
    };
    match line.trim_end().strip_suffix(':') {
        Some(name) if is_of_results(name) && name.split_whitespace().count() < 5 => {
            rest.trim_start()
        }
        _ => text,
    }
}

/// Returns whether a text begins with a word, rather than with a path or a name that begins so.
fn begins_with(text: &str, word: &str) -> bool {
    text.strip_prefix(word).is_some_and(|rest| {
        let goes_on = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '/' | '\\' | '.');
        let is_end = |rest: &str| rest.is_empty() || rest.starts_with(char::is_whitespace);
        !rest.starts_with(goes_on) || rest.strip_prefix('.').is_some_and(is_end)
    })
}

/// Returns whether the first words of a line say that something failed or was refused, as in
/// `script failed` and `unsupported call: x`. The words before name no file and no finished work.
fn tells_failure(line: &str) -> bool {
    const UNMET: &[&str] = &["unsupported", "invalid", "unknown"];
    const FAILED: &[&str] = &[
        "failed",
        "rejected",
        "denied",
        "declined",
        "refused",
        "blocked",
        "aborted",
        "cancelled",
        "canceled",
    ];
    let (clause, has_colon) = line
        .split_once(':')
        .map_or((line, false), |(clause, _)| (clause, true));
    let words = clause.split_whitespace();
    let words: Vec<_> = words
        .map(|word| word.trim_matches(|c| "[]()*`'\".,;!".contains(c)))
        .collect();
    let is_said = |(index, word): (usize, &&str)| {
        let is_error = has_colon && index + 1 == words.len() && word.ends_with("error");
        is_error || FAILED.contains(word) || index == 0 && UNMET.contains(word)
    };
    let said = words.iter().take(4).enumerate().position(is_said);
    said.is_some_and(|said| {
        words[..said].iter().all(|word| {
            let is_name = word.chars().all(|c| c.is_alphabetic() || c == '_');
            is_name && *word != "no" && !word.ends_with("ed")
        })
    })
}

/// Returns whether one of the first lines of a result says that a command failed, or a call.
fn is_of_failure(line: &str) -> bool {
    let line = line.replace(": ", ":");
    // A line of a file, as a tool shows it, has a number first.
    let is_said = |lead: &str| {
        let before = line.split_once(lead).map_or("", |(before, _)| before);
        let is_word = |c: char| c.is_alphabetic() || c.is_whitespace() || "[(*<`'\"{:,".contains(c);
        before.chars().all(is_word)
    };
    line.starts_with("aborted")
        || line.starts_with("<error_details>")
        || line.contains(" failed -- saving rejects")
        || [
            "exit code:",
            "exit code ",
            "exited with code ",
            "\"exit_code\":",
            "<returncode>",
        ]
        .iter()
        .any(|lead| is_said(lead) && is_failing_code(&line, lead))
}

/// Returns whether a text says by itself that a call in the text before it wasn't carried out, in
/// the words of Cline and its kin.
pub(super) fn denies(text: &str) -> bool {
    let text = text.trim_start();
    let is_of_tool = text.starts_with("Tool [") && text.contains("] was not executed");
    is_of_tool
        || ["The user denied this operation", "Skipping tool ["]
            .iter()
            .any(|lead| text.starts_with(lead))
}

/// Returns whether a number other than 0 is behind some words.
fn is_failing_code(text: &str, lead: &str) -> bool {
    text.split_once(lead).is_some_and(|(_, rest)| {
        let rest = rest.trim_start();
        let digits = digits(rest.as_bytes());
        rest.starts_with('-') || digits > 0 && rest[..digits].bytes().any(|digit| digit != b'0')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_says_first_that_its_call_failed() {
        for (text, want) in [
            ("Script failed\nWall time 0.1 seconds\nOutput:\n", true),
            ("Script error:\npatch rejected by user", true),
            ("unsupported custom tool call: apply_patch", true),
            ("unsupported call: apply_patch", true),
            (
                "Command blocked by PreToolUse hook: frozen. Command: x",
                true,
            ),
            ("execution error: Sandbox(Denied)", true),
            ("exec_command failed for `x`: CreateProcess", true),
            ("invalid patch: no hunks", true),
            ("This action was rejected due to unacceptable risk.", true),
            ("[Tool use was cancelled]", true),
            ("OBSERVATION:\nNo replacement was performed.", true),
            ("EXECUTION RESULT of [edit]:\nERROR:\nno such text", true),
            ("FileNotFoundError: [Errno 2] a.txt", true),
            ("<error>no such file</error>", true),
            ("❌ Error: no such file", true),
            ("The user chose to skip the tool call", true),
            ("Tool execution was not approved.", true),
            ("<returncode>1</returncode>\n<output>\n</output>", true),
            ("<returncode>0</returncode>\n<output>\n</output>", false),
            (
                "1\n2\n3\n4\n5\n[The command completed with exit code 1.]\n[Current directory: /]",
                true,
            ),
            (
                "patching file a.txt\n1 out of 1 hunk FAILED -- saving rejects to file a.txt.rej",
                true,
            ),
            ("Error-codes.md has been updated", false),
            ("Script completed\nOutput:\nScript failed", false),
            ("[main 1a2b3c4] Fix failed login", false),
            ("1a2b3c4 Drop invalid error: x", false),
            ("Updated the blocked list", false),
            ("Edited error.rs: an error", false),
            ("No tests failed", false),
            ("Edited. The result of `cat -n`:\n1\tuser denied", false),
            ("12 passed, 0 failed", false),
            ("Applying: Fix failed login", false),
        ] {
            assert_eq!(says_undone(text), want, "{text}");
        }
    }
}
