//! Marks that belong to what is around a file: to a conflict, a patch, a tool.

use bstr::ByteSlice as _;

use super::Finding;
use super::touched::Touched;
use crate::format::fence::{is_fenced, may_begin_with_fence};
use crate::text::{Lines, Located};

/// Finds the first marker of a conflict.
pub(super) fn conflicts(touched: &Touched<'_>) -> Vec<Located<Finding>> {
    let found = touched.first(|line| is_conflict_marker(line).then_some(Finding::ConflictMarker));
    found.into_iter().collect()
}

/// Finds the first marker of a patch.
pub(super) fn patches(touched: &Touched<'_>) -> Vec<Located<Finding>> {
    let found = touched.first(|line| is_patch_marker(line).then_some(Finding::PatchMarker));
    found.into_iter().collect()
}

/// Finds the first mark of a tool, and a fence around all of the file.
pub(super) fn tools(touched: &Touched<'_>) -> Vec<Located<Finding>> {
    let mark = touched.first(tool_mark).filter(|mark| {
        let opener = opener(mark.value);
        opener.is_none_or(|opener| !touched.after.contains_str(opener))
    });
    let mark = mark.map(|mark| mark.map(Finding::ToolMark));
    let mark = mark.or_else(|| line_of_block(touched));
    let path = touched.path.as_bytes();
    let is_fenced = |lines: Lines<'_>| is_fenced(path, lines.iter().map(|line| line.text));
    // As all that an edit gives for a file, it is refused when that is read.
    let is_hunks = touched.runs.iter().all(|run| !run.is_whole) && !touched.runs.is_empty();
    let is_new = is_hunks
        && may_begin_with_fence(&touched.after)
        && is_fenced(touched.after.lines())
        && !is_fenced(touched.old());
    let fence = is_new.then(|| {
        let first = touched.added().find(|line| !line.trim_ascii().is_empty());
        Located::new(first.and_then(|line| line.span), Finding::Fenced)
    });
    mark.into_iter().chain(fence).collect()
}

/// Returns whether a line is a marker of a conflict: seven equal signs, alone or with a name behind
/// them. `=======` isn't taken for a marker, since headings are underlined so, too.
fn is_conflict_marker(line: &[u8]) -> bool {
    [b"<<<<<<<", b"|||||||", b">>>>>>>"].iter().any(|marker| {
        let rest = line.strip_prefix(&marker[..]);
        rest.is_some_and(|rest| {
            rest.is_empty() || (rest.starts_with(b" ") && !rest.trim_ascii().is_empty())
        })
    })
}

fn is_patch_marker(line: &[u8]) -> bool {
    const WHOLE: [&[u8]; 5] = [
        b"*** Begin Patch",
        b"*** End Patch",
        b"*** End of File",
        b"<opx>",
        b"</opx>",
    ];
    const HEADERS: [&[u8]; 4] = [
        b"*** Add File: ",
        b"*** Update File: ",
        b"*** Delete File: ",
        b"*** Move to: ",
    ];
    WHOLE.contains(&line.trim_ascii_end()) || HEADERS.iter().any(|header| line.starts_with(header))
}

/// Marks that close a part of a call or a message, each with what opens it: a file that has both
/// means them.
const CLOSING: [(&str, &str); 12] = [
    ("</content>", "<content"),
    ("</invoke>", "<invoke"),
    ("</parameter>", "<parameter"),
    ("</function_calls>", "<function_calls"),
    ("</tool_call>", "<tool_call"),
    ("</write_to_file>", "<write_to_file"),
    ("<|im_end|>", "<|im_start|>"),
    ("<|eot_id|>", "<|start_header_id|>"),
    ("<|endoftext|>", "<|startoftext|>"),
    ("<|end|>", "<|assistant|>"),
    ("<end_of_turn>", "<start_of_turn>"),
    ("<｜end▁of▁sentence｜>", "<｜begin▁of▁sentence｜>"),
];

/// What tools put in place of text that they don't show.
const SHORTENED: [&str; 4] = [
    "... [truncated]",
    "...[truncated]",
    "… [truncated]",
    "[original content here]",
];

fn opener(mark: &str) -> Option<&'static str> {
    CLOSING
        .iter()
        .find(|(closing, _)| *closing == mark)
        .map(|(_, opener)| *opener)
}

/// Returns the mark of a tool that a line ends with, or that it is.
fn tool_mark(line: &[u8]) -> Option<&'static str> {
    let line = line.trim_ascii();
    // All of them end with one of these.
    let (b'>' | b']') = *line.last()? else {
        return None;
    };
    let closing = CLOSING.iter().map(|(closing, _)| *closing);
    let found = closing
        .chain(SHORTENED)
        .find(|mark| line.ends_with_str(mark));
    let is_view = line.starts_with(b"[Showing lines ") && line.ends_with(b"]");
    found.or_else(|| is_view.then_some("[Showing lines …]"))
}

/// Finds the line number of a search/replace block, behind the block's first line.
fn line_of_block(touched: &Touched<'_>) -> Option<Located<Finding>> {
    const NUMBER: &str = ":start_line:";
    let mut pairs = touched.runs.iter().flat_map(|run| run.lines.windows(2));
    let is_search = |line: &[u8]| line.starts_with(b"<<<<<") && line.ends_with(b"SEARCH");
    let found = pairs.find(|pair| is_search(pair[0]) && pair[1].starts_with_str(NUMBER))?;
    Some(Located::new(found[1].span, Finding::ToolMark(NUMBER)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markers_are_told_from_what_looks_like_them() {
        for (line, conflict, patch) in [
            ("<<<<<<< HEAD", true, false),
            (">>>>>>> theirs", true, false),
            ("|||||||", true, false),
            ("=======", false, false),
            ("<<<<<<<<", false, false),
            ("<<<<<<<x", false, false),
            (" <<<<<<< HEAD", false, false),
            ("*** Begin Patch", false, true),
            ("*** End Patch  ", false, true),
            ("*** Update File: a", false, true),
            (" *** End Patch", false, false),
            ("*** note", false, false),
        ] {
            assert_eq!(is_conflict_marker(line.as_bytes()), conflict, "{line}");
            assert_eq!(is_patch_marker(line.as_bytes()), patch, "{line}");
        }
    }

    #[test]
    fn marks_of_tools_are_told_from_what_looks_like_them() {
        for (line, want) in [
            ("</content>", Some("</content>")),
            ("}</content>", Some("</content>")),
            ("  </invoke>  ", Some("</invoke>")),
            ("<|im_end|>", Some("<|im_end|>")),
            ("four<|end|>", Some("<|end|>")),
            ("<end_of_turn>", Some("<end_of_turn>")),
            ("}<｜end▁of▁sentence｜>", Some("<｜end▁of▁sentence｜>")),
            ("[Showing lines 1-20 of 300]", Some("[Showing lines …]")),
            ("let x = ... [truncated]", Some("... [truncated]")),
            (
                "// [original content here]",
                Some("[original content here]"),
            ),
            ("\"</content>\"", None),
            ("</contents>", None),
            ("a[0]", None),
            (":start_line:1", None),
            ("\"... [truncated]\"", None),
        ] {
            assert_eq!(tool_mark(line.as_bytes()), want, "{line}");
        }
    }
}
