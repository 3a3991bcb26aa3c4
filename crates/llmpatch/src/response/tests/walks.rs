//! Both walks, over all cases: what they read is the same, but for what a rule explains.

use std::collections::BTreeSet;

use crate::format::{Options, Parsed};
use crate::response::{parse, parse_parts};
use crate::text::{Source, SourceId};

/// Why the walks differ in a case: the rule, and the cases.
const DIFFERENCES: &[(&str, &[&str])] = &[
    (
        "no patch is found in a mark that is in no table, and a special token of a chat is refused beside one (roles)",
        &[
            "blocks/a-draft-in-the-reasoning-that-aider-keeps",
            "roles/a-draft-behind-start-thinking-is-not-read",
            "roles/a-draft-between-the-marks-of-a-thought-is-not-read",
            "roles/a-draft-between-triangles-is-not-read",
            "roles/a-draft-in-the-channel-of-a-thought-is-not-read",
            "roles/a-draft-that-a-page-folds-is-not-read",
            "roles/a-query-of-a-user-in-tags-is-not-read",
            "roles/a-thought-that-can-be-folded-is-not-read",
            "roles/a-turn-of-a-human-behind-the-answer-is-not-read",
            "roles/a-turn-of-a-user-between-marks-is-not-read",
            "roles/a-turn-of-a-user-in-headers-is-not-read",
            "roles/a-turn-of-a-user-in-words-is-not-read",
            "roles/a-turn-of-a-user-under-a-heading-is-not-read",
            "roles/a-turn-right-behind-the-mark-of-another-is-not-read",
            "roles/a-turn-that-the-next-ends-is-not-read",
            "roles/an-answer-on-the-line-of-its-speaker-counts",
            "roles/an-instruction-in-brackets-is-not-read",
            "roles/an-observation-of-an-agent-is-not-read",
            "roles/results-between-the-marks-of-models-are-not-read",
            "roles/what-a-tool-returned-in-tags-is-not-read",
            "tool/a-call-between-marks-beside-a-patch",
        ],
    ),
    (
        "a mark counts outside of fences",
        &[
            "blocks/a-draft-with-an-open-fence-hides-no-path",
            "roles/a-lone-closing-mark-leaves-the-fence-of-a-draft",
        ],
    ),
    (
        "a channel other than `analysis` and `final` is none",
        &["roles/a-call-in-a-channel-of-its-own"],
    ),
    (
        "a tool call in tags is refused beside a patch, and around one",
        &[
            "blocks/a-function-call/function-call-around-an-envelope-is-prose",
            "blocks/a-function-call/invoke-around-an-envelope-is-prose",
            "commands/a-call-in-tags-with-its-directory",
            "commands/a-call-in-tags-with-its-directory-behind-the-patch",
            "commands/a-directory-of-another-call-in-tags-is-none-of-the-patch",
            "tool/a-call-in-tags-beside-a-patch",
            "tool/an-invocation-in-tags-beside-a-patch",
        ],
    ),
];

/// Returns what is compared: the edits, or that there is something wrong.
fn read(parsed: &Parsed<'_>) -> String {
    if !parsed.errors.is_empty() {
        return "refused".to_owned();
    }
    let edits = parsed.patch.edits.iter();
    let edits: Vec<_> = edits.map(|edit| (&edit.path, &edit.operation)).collect();
    format!("{edits:?}")
}

#[test]
fn both_walks_read_the_same() {
    let mut differ = BTreeSet::new();
    for case in llmpatch_cases::all() {
        let before = case.before();
        let is_file = |path: &[u8]| {
            let path = std::str::from_utf8(path);
            path.is_ok_and(|path| before.contains_key(path))
        };
        let options = Options {
            is_file: Some(&is_file),
            ..Options::default()
        };
        let source = Source::new(SourceId(0), "r", case.response()).unwrap();
        let [old, new] = [parse(&source, &options), parse_parts(&source, &options)];
        if read(&old) != read(&new) {
            differ.insert(case.name);
        }
    }
    let explained = DIFFERENCES.iter().flat_map(|(_, names)| *names);
    let explained: BTreeSet<_> = explained.map(|name| (*name).to_owned()).collect();
    let [more, less] = [differ.difference(&explained), explained.difference(&differ)];
    let [more, less]: [Vec<_>; 2] = [more.collect(), less.collect()];
    assert_eq!([more, less], [Vec::<&String>::new(), Vec::new()]);
}
