//! What is before a closing mark of reasoning that nothing opened is a draft, whatever its format
//! is and whichever fence is around it.

use proptest::prelude::*;
use proptest::sample::select;

use super::source;
use crate::format::Options;
use crate::response::parse;

/// Patches of a file in all formats that say by themselves that they are patches.
const PATCHES: [&str; 9] = [
    "*** Begin Patch\n*** Update File: FILE\n@@\n-x\n+y\n*** End Patch\n",
    "<edit file=\"FILE\" op=\"patch\">\n<find>\n<<<\nx\n>>>\n</find>\n<put>\n<<<\n```\ny\n```\n>>>\n</put>\n</edit>\n",
    "<edit file=\"FILE\" op=\"remove\"/>\n",
    "--- a/FILE\n+++ b/FILE\n@@ -1,3 +1,3 @@\n a\n-x\n+y\n b\n",
    "diff --git a/FILE b/FILE\n--- a/FILE\n+++ b/FILE\n@@ -1 +1 @@\n-x\n+y\n",
    "FILE\n<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\n",
    "{\"name\": \"str_replace\", \"input\": {\"path\": \"FILE\", \"old_str\": \"x\", \"new_str\": \"y\"}}\n",
    "apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: FILE\n@@\n-x\n+y\n*** End Patch\nEOF\n",
    "const patch = \"*** Begin Patch\\n*** Update File: FILE\\n@@\\n-x\\n+y\\n*** End Patch\";\nawait tools.apply_patch(patch);\n",
];

const MARKS: [&str; 5] = [
    "</think>",
    "</seed:think>",
    "</thinking>",
    "[/THINK]",
    "<|channel|>final<|message|>",
];

const FENCES: [(&str, &str); 8] = [
    ("", ""),
    ("```\n", "```\n"),
    ("```diff\n", "```\n"),
    ("```bash\n", "```\n"),
    ("```js\n", "```\n"),
    ("~~~\n", "~~~\n"),
    ("````markdown\n", "````\n"),
    ("<source>\n", "</source>\n"),
];

/// Where on a line a mark can be: what is before it, and what is behind.
const PLACES: [(&str, &str); 5] = [
    ("", "\n\n"),
    ("No, wrong. ", "\n"),
    ("", "So it is:\n\n"),
    ("* ", "\n\n```\nx = 1\n```\n\n"),
    ("```\nx = 1\n```\n", "\n"),
];

fn read(text: &str) -> (Vec<String>, bool) {
    let source = source(text);
    let parsed = parse(&source, &Options::default());
    let edits = parsed.patch.edits.iter();
    let paths = edits.map(|edit| String::from_utf8_lossy(&edit.path).into_owned());
    (paths.collect(), parsed.errors.is_empty())
}

proptest! {
    #[test]
    fn what_is_before_a_lone_mark_is_never_read(
        drafts in proptest::collection::vec((select(&PATCHES[..]), select(&FENCES[..]), any::<bool>()), 1..3),
        mark in select(&MARKS[..]),
        (before, behind) in select(&PLACES[..]),
        is_glued in any::<bool>(),
        answer in select(&PATCHES[..]),
        (open, close) in select(&FENCES[..]),
    ) {
        let mut text = String::from("Perhaps so:\n\n");
        for (draft, (open, close), is_closed) in &drafts {
            let close = if *is_closed { close } else { "" };
            text += &format!("{open}{}{close}", draft.replace("FILE", "draft.txt"));
        }
        // A mark at the end of a diff's line may be content, and one within a line is text.
        let is_diff = drafts.iter().any(|(draft, ..)| draft.contains("\n+++ "));
        let is_glued = is_glued && !is_diff && before.is_empty() && behind.starts_with('\n');
        if is_glued {
            text.pop();
        }
        text += &[before, mark, behind, open, &answer.replace("FILE", "answer.txt"), close].concat();
        // Behind a fence that never closes, a mark may be in the next one, where it is text.
        let is_open = drafts.iter().any(|(_, (open, _), is_closed)| !is_closed && !open.is_empty());
        let (paths, is_sound) = read(&text);
        let is_wrong = |path: &String| path != "answer.txt";
        prop_assert!(!is_sound || is_open || paths.len() == 1 && !paths.iter().any(is_wrong), "{paths:?} of {text}");
        // A program is read in a fence of its language.
        let is_read = !answer.starts_with("const") || open == "```js\n";
        prop_assert!(is_sound || is_glued || is_open || !is_read, "refused: {text}");
    }

    #[test]
    fn a_mark_in_a_patch_is_content(
        mark in select(&MARKS[..]),
        patch in select(&PATCHES[..]),
        (open, close) in select(&FENCES[..]),
    ) {
        let before = PATCHES[0].replace("FILE", "before.txt");
        let patch = patch.replace("FILE", "answer.txt");
        let marked = patch.replace("y\n", &format!("y {mark}\n"));
        for text in [&marked, &patch.replace("\"y\"", &format!("\"{mark}\""))] {
            let (paths, is_sound) = read(&[open, text, close].concat());
            prop_assert!(!is_sound || paths == ["answer.txt"], "{paths:?} of {text}");
        }
        // A fence in which there is nothing but a mark is text.
        let shown = format!("{before}\nIt ends so:\n\n```\n{mark}\n```\n\nAnd:\n\n{}", PATCHES[0].replace("FILE", "answer.txt"));
        prop_assert_eq!(read(&shown), (vec!["before.txt".to_owned(), "answer.txt".to_owned()], true));
    }
}
