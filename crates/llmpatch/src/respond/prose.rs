//! Prose that can be before a patch: whatever a commit message says, none of it is read as a patch,
//! as a part of a patch, or as the rest of a lost patch.

use bstr::ByteSlice as _;

use crate::format::Options;
use crate::response;
use crate::text::{Source, SourceId};

/// How many lines are looked at one by one; longer texts are quoted as a whole where anything of
/// them is in doubt.
const LINES: usize = 2000;

/// Patches between which prose must mean nothing.
const PATCHES: [[&str; 3]; 3] = [
    [
        "*** Begin Patch\n*** Delete File: a\n*** End Patch\n",
        "*** Begin Patch\n*** Delete File: b\n*** End Patch\n",
        "*** Begin Patch\n*** Delete File: c\n*** End Patch\n",
    ],
    [
        "<edit file=\"a\" op=\"remove\"/>\n",
        "<edit file=\"b\" op=\"remove\"/>\n",
        "<edit file=\"c\" op=\"remove\"/>\n",
    ],
    [
        "a.x\n<<<<<<< SEARCH\n=======\n>>>>>>> REPLACE\n",
        "b.x\n<<<<<<< SEARCH\n=======\n>>>>>>> REPLACE\n",
        "c.x\n<<<<<<< SEARCH\n=======\n>>>>>>> REPLACE\n",
    ],
];

/// Makes prose of any text: lines that could be taken for something else are quoted with `| `,
/// bytes that aren't UTF-8 are replaced. It ends with an empty line; an empty text stays empty.
pub fn prose(text: &[u8]) -> Vec<u8> {
    let text = text.to_str_lossy().replace('\0', "\u{fffd}");
    let lines: Vec<&str> = text
        .trim_end()
        .lines()
        .skip_while(|line| line.trim().is_empty())
        .collect();
    if lines.is_empty() {
        return Vec::new();
    }
    let plain = joined(lines.iter().map(|line| line.trim_end().to_owned()));
    if is_nothing(&plain) {
        return plain;
    }
    if lines.len() <= LINES {
        let some = joined(lines.iter().map(|line| {
            let plain = line.trim_end().to_owned();
            if is_nothing(&joined([plain.clone()].into_iter())) {
                plain
            } else {
                quoted(line)
            }
        }));
        if is_nothing(&some) {
            return some;
        }
    }
    joined(lines.iter().map(|line| quoted(line)))
}

fn joined(lines: impl Iterator<Item = String>) -> Vec<u8> {
    let mut text = lines.collect::<Vec<_>>().join("\n");
    text.push_str("\n\n");
    text.into_bytes()
}

// Other signs are prose, so entities of the usual kind would only make it hard to read.
fn quoted(line: &str) -> String {
    format!(
        "| {}",
        line.trim_end()
            .replace('<', "&lt;")
            .replace("-->", "--&gt;")
    )
}

fn is_nothing(prose: &[u8]) -> bool {
    prose
        .lines()
        .all(|line| response::stated_base(line).is_none())
        && PATCHES
            .iter()
            .all(|patches| is_nothing_between(prose, patches))
}

fn is_nothing_between(prose: &[u8], [first, between, last]: &[&str; 3]) -> bool {
    let before = format!("{first}\n");
    let behind = format!("{between}-->\n{last}");
    let text = [before.as_bytes(), prose, behind.as_bytes()].concat();
    let Some(source) = Source::new(SourceId(0), "", text) else {
        return false;
    };
    let options = Options {
        strict: true,
        ..Options::default()
    };
    let parsed = response::parse(&source, &options);
    parsed.errors.is_empty() && parsed.warnings.is_empty() && parsed.patch.edits.len() == 3
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_looks_like_a_part_of_a_patch_is_quoted() {
        for (text, want) in [
            ("", ""),
            ("\n \n", ""),
            ("Fix it\n\nMore of it.\n", "Fix it\n\nMore of it.\n\n"),
            (
                "a\n*** Begin Patch\n  *** End Patch",
                "a\n| *** Begin Patch\n|   *** End Patch\n\n",
            ),
            ("*** Add File: x", "| *** Add File: x\n\n"),
            ("- *** Begin Patch", "| - *** Begin Patch\n\n"),
            (
                "see <edit file=\"x\" op=\"new\">",
                "| see &lt;edit file=\"x\" op=\"new\">\n\n",
            ),
            (
                "see `<edit file=\"x\" op=\"new\">`",
                "see `<edit file=\"x\" op=\"new\">`\n\n",
            ),
            ("</put>\n>>>\nx", "| &lt;/put>\n| >>>\nx\n\n"),
            ("a <!-- b", "| a &lt;!-- b\n\n"),
            ("<think>\nb", "| &lt;think>\nb\n\n"),
            (
                "a <<<<<<< SEARCH\n>>>>>>> REPLACE",
                "a <<<<<<< SEARCH\n| >>>>>>> REPLACE\n\n",
            ),
            ("<apply_diff>", "| &lt;apply_diff>\n\n"),
        ] {
            assert_eq!(prose(text.as_bytes()).as_bstr(), want, "{text:?}");
            assert!(
                text.trim().is_empty() || is_nothing(&prose(text.as_bytes())),
                "{text:?}"
            );
        }
    }

    proptest::proptest! {
        #![proptest_config(proptest::prelude::ProptestConfig::with_cases(crate::testing::cases(256)))]

        #[test]
        fn it_means_nothing(
            lines in proptest::collection::vec(proptest::sample::select(&[
                "*** Begin Patch", "*** End Patch", "+x", "@@", "*** Update File: a", "<edit file=\"a\" op=\"patch\">", "<opx>",
                "</edit>", "<find>", "<<<", ">>>", "</find>", "<!--", "-->", "<think>", "</think>", "```", "--- a/x", "+++ b/x", "@@ -1 +1 @@", "`",
                "diff --git a/x b/x", "text", "", " ", "* *** Begin Patch", "\u{feff}", "{\"patch\": \"*** Begin Patch\\n\"}", "<<<<<<< SEARCH", "=======",
                ">>>>>>> REPLACE", "<<<<<<< a", ">>>>>>> b", "<apply_diff>", "<path>", "src/a.x",
            ][..]), 0..8),
            joint in proptest::sample::select(&["\n", "\r\n", " ", "\n  "][..]),
        ) {
            let prose = prose(lines.join(joint).as_bytes());
            proptest::prop_assert!(prose.is_empty() || is_nothing(&prose), "{}", prose.as_bstr());
        }
    }
}
