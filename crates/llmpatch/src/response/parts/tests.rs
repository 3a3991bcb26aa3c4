use proptest::prelude::*;

use super::*;
use crate::format::Options;
use crate::response::session::Session;
use crate::text::{Source, SourceId};

fn source(text: &str) -> Source {
    Source::new(SourceId(0), "r", text.into()).unwrap()
}

/// Returns the parts of a response, a line each: how deep, what, its first line and the line behind it.
fn outline(text: &str) -> String {
    let source = source(text);
    let parts = delimit(&source, &Options::default(), &mut Session::default());
    let mut lines = String::new();
    for (index, part) in parts.all.iter().enumerate() {
        let depth = std::iter::successors(part.within, |&at| parts.all[at].within).count();
        let what = match &part.what {
            What::Fence => "fence",
            What::Comment { .. } => "comment",
            What::Marked { .. } => "marked",
            What::LoneMark(_) => "lone mark",
            What::FencedMark(_) => "fenced mark",
            What::Chat(_) => "chat",
            What::Refused(_) => "refused",
            What::Quotation(_) => "quotation",
            What::Patch(_) => "patch",
            What::Unread(..) => "unread",
            What::Loss(..) => "loss",
            What::Nearly(NoPatch::Near(_)) => "near",
            What::Nearly(_) => "nearly",
            What::Told(_) => "told",
        };
        let [first, last] =
            [part.range.start, part.range.end.saturating_sub(1)].map(|at| source.line_at(at).get());
        let role = parts.role(index).0;
        lines += &format!("{}{what} {first}-{last} {role:?}\n", "  ".repeat(depth));
    }
    lines
}

const PATCH: &str = "*** Begin Patch\n*** Delete File: a\n*** End Patch\n";

#[test]
fn a_response_is_a_tree() {
    for (text, want) in [
        (format!("Hi\n{PATCH}"), "patch 2-4 Answer\n"),
        (
            format!("```\n{PATCH}```\n"),
            "fence 1-5 Answer\n  patch 2-4 Answer\n",
        ),
        (
            format!("```\napply_patch <<'E'\n{PATCH}E\n```\n"),
            "fence 1-7 Answer\n  patch 3-5 Answer\n",
        ),
        (
            "Run\ngit apply --check <<'E'\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-x\n+y\nE\n".to_owned(),
            "nearly 2-2 Answer\n",
        ),
        (
            format!("<think>\n{PATCH}</think>\n{PATCH}"),
            "marked 1-5 Draft\npatch 6-8 Answer\n",
        ),
        (
            format!("{PATCH}</think>\n{PATCH}"),
            "patch 1-3 Draft\nlone mark 4-4 Answer\npatch 5-7 Answer\n",
        ),
        (
            format!("<!--\n{PATCH}-->\n{PATCH}"),
            "comment 1-5 Quotation\n  patch 2-4 Quotation\npatch 6-8 Answer\n",
        ),
        (
            format!("<!-- todo\n{PATCH}"),
            "comment 1-4 Answer\n  patch 2-4 Answer\n",
        ),
        (
            format!("````md\n```diff\n{PATCH}```\n````\n"),
            "fence 1-7 Answer\n  fence 2-6 Answer\n    patch 3-5 Answer\n",
        ),
        (
            format!("<tool_result>\n{PATCH}</tool_result>\n"),
            "marked 1-5 Result\n",
        ),
        ("> *** Begin Patch\n".into(), "quotation 1-1 Quotation\n"),
    ] {
        assert_eq!(outline(&text), want, "{text}");
    }
}

/// What responses are nested of.
const PIECES: [&str; 16] = [
    "<think>\n",
    "</think>\n",
    "```\n",
    "````diff\n",
    "<!--\n",
    "-->\n",
    "<tool_result>\n",
    "</tool_result>\n",
    "> *** Begin Patch\n",
    "text\n",
    "<|channel|>analysis\n",
    "*** Begin Patch\n*** Delete File: a\n*** End Patch\n",
    "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\n",
    "<edit file=\"a\" op=\"remove\"/>\n",
    "a.py\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n",
    "{\"path\": \"a\", \"old_string\": \"b\", \"new_string\": \"c\"}\n",
];

proptest! {
    /// However parts are nested, each line is looked at a fixed number of times.
    #[test]
    fn the_walk_is_linear(pieces in prop::collection::vec(prop::sample::select(&PIECES[..]), 0..200)) {
        let text = pieces.concat();
        let source = source(&text);
        let parts = delimit(&source, &Options::default(), &mut Session::default());
        prop_assert!(parts.steps <= 2 * source.line_count() + 1, "{} of {}", parts.steps, source.line_count());
    }

    /// Parts are in each other, or behind each other.
    #[test]
    fn parts_are_nested(pieces in prop::collection::vec(prop::sample::select(&PIECES[..]), 0..40)) {
        let text = pieces.concat();
        let source = source(&text);
        let parts = delimit(&source, &Options::default(), &mut Session::default());
        for (index, part) in parts.all.iter().enumerate() {
            prop_assert!(part.within.is_none_or(|within| within < index));
            prop_assert!(part.range.start <= part.range.end && part.range.end <= text.len());
        }
    }
}
