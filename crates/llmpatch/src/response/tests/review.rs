//! Suggestions in review comments come to what they are: lines in the place of others.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use crate::{MemoryTree, Options, apply};

const LINES: [&str; 5] = ["}", "", "a", "  a", "b\\\""];

/// Makes the comment that suggests lines in the place of those from `first` to `last`, from 1.
fn comment(file: &[&str], first: usize, last: usize, new: &[&str]) -> String {
    let shown: Vec<_> = file[..last].iter().map(|line| format!("+{line}")).collect();
    let new: String = new.iter().map(|line| format!("{line}\r\n")).collect();
    serde_json::json!({
        "id": first,
        "path": "f",
        "start_line": (first < last).then_some(first),
        "line": last,
        "side": "RIGHT",
        "diff_hunk": format!("@@ -0,0 +1,{} @@\n{}", file.len(), shown.join("\n")),
        "body": format!("Better:\r\n```suggestion\r\n{new}```\r\n"),
    })
    .to_string()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(crate::testing::cases(256)))]

    #[test]
    fn suggestions_are_made_where_they_are_made_on_the_site(
        file in vec(select(&LINES[..]), 1..30),
        parts in vec((1..4usize, any::<bool>(), vec(select(&["n", "}", ""][..]), 0..3)), 1..8),
        is_turned in any::<bool>(),
        is_open in any::<bool>(),
    ) {
        let mut is_open = is_open;
        let (mut comments, mut want, mut from) = (Vec::new(), Vec::new(), 0);
        for (count, is_suggested, new) in parts {
            let to = (from + count).min(file.len());
            if is_suggested && to > from && new[..] != file[from..to] {
                // The line above the end has one.
                is_open &= to < file.len() || !new.is_empty();
                comments.push(comment(&file, from + 1, to, &new));
                want.extend(new);
            } else {
                want.extend(&file[from..to]);
            }
            from = to;
        }
        want.extend(&file[from..]);
        if is_turned {
            comments.reverse();
        }
        prop_assume!(!comments.is_empty() && want != file);
        // A line that is empty and has no end is none.
        is_open &= [file.last(), want.last()].iter().all(|last| last.is_some_and(|last| !last.is_empty()));
        let text = |lines: &[&str]| {
            let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
            if is_open { text.trim_end_matches('\n').to_owned() } else { text }
        };
        let files = MemoryTree::new().with("f", text(&file).as_str());
        let response = format!("[{}]", comments.join(",\n"));
        let applied = apply("comments.json", &response[..], &files, &Options::default());
        let applied = applied.map_err(|refusal| TestCaseError::fail(refusal.to_string()))?;
        let changed = applied.changes.iter().next().and_then(|change| change.after.as_ref());
        let changed = changed.map(|file| String::from_utf8_lossy(&file.content).into_owned());
        prop_assert_eq!(changed, Some(text(&want)));
    }
}
