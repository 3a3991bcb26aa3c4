//! Streams that are cut anywhere: never another change than that of the whole text.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::source;
use crate::format::Options;
use crate::response::parse;

const PATCHES: [&str; 3] = [
    "*** Begin Patch\n*** Update File: a.py\n@@\n-x = 1\n+x = 2\n+y = 3\n*** End Patch\n",
    "--- a/a.py\n+++ b/a.py\n@@ @@\n-x = 1\n+x = 2\n+y = 3\n@@ @@\n-z = 1\n+z = 2\n",
    "a.py\n```\n<<<<<<< SEARCH\nx = 1\n=======\nx = 2\ny = 3\n>>>>>>> REPLACE\n```\n",
];

/// Makes the message of a piece.
type Schema = fn(&str) -> Value;

const SCHEMAS: [Schema; 5] = [
    |text| json!({"message": {"role": "assistant", "content": text}, "done": false}),
    |text| json!({"response": text, "done": false}),
    |text| json!({"candidates": [{"content": {"role": "model", "parts": [{"text": text}]}}]}),
    |text| json!({"type": "message", "role": "assistant", "content": text, "delta": true}),
    |text| json!({"choices": [{"index": 0, "delta": {"content": text}}]}),
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(crate::testing::cases(256)))]

    #[test]
    fn pieces_are_the_whole_or_refused(
        patch in prop::sample::select(PATCHES.to_vec()),
        cuts in prop::collection::btree_set(1_usize..110, 1..6),
        is_event in any::<bool>(),
    ) {
        let ends = cuts.iter().copied().filter(|cut| *cut < patch.len()).chain([patch.len()]);
        let mut start = 0;
        let pieces: Vec<&str> = ends.map(|end| &patch[std::mem::replace(&mut start, end)..end]).collect();
        let whole = source(patch);
        let want = parse(&whole, &Options::default());
        for schema in SCHEMAS {
            let lead = if is_event { "data: " } else { "" };
            let text: String = pieces.iter().map(|piece| format!("{lead}{}\n\n", schema(piece))).collect();
            let log = source(&text);
            let got = parse(&log, &Options::default());
            let is_whole = got.patch.edits.len() == want.patch.edits.len()
                && got.patch.edits.iter().zip(&want.patch.edits).all(|(got, want)| got.operation == want.operation);
            prop_assert!(!got.errors.is_empty() || is_whole, "{}\n{:?}", text, got);
        }
    }
}
