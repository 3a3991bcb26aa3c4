//! Headings of written conversations: `## User`, `**Assistant**`, `_**User (10:15)**_`. Programs
//! that export a conversation mark each turn so.

use bstr::ByteSlice as _;

use crate::text::trim;

/// Who a person is called, and who a model, where a program writes down what they say.
const PEOPLE: [&str; 3] = ["user", "human", "you"];
const MODELS: [&str; 6] = [
    "assistant",
    "claude",
    "chatgpt",
    "copilot",
    "cursor",
    "gemini",
];

/// A heading that names a speaker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Heading<'a> {
    /// What makes it a heading: `## `, `**`. The turns of a conversation are all marked alike.
    pub(super) marks: &'a [u8],
    pub(super) is_of_model: bool,
}

/// Reads a line that names a speaker and says nothing else, but for a remark in parentheses.
pub(super) fn read(line: &[u8]) -> Option<Heading<'_>> {
    let line = trim(line);
    let text = line.trim_start_with(|c| matches!(c, '#' | '*' | '_' | ' '));
    let marks = &line[..line.len() - text.len()];
    // A picture may be before the name.
    let text = text.trim_start_with(|c| !c.is_ascii());
    let text = trim(text.trim_end_with(|c| matches!(c, '*' | '_' | ':')));
    let name = match text.split_once_str("(") {
        Some((name, remark)) if ends_with_first(remark, b')') => trim(name),
        _ => text,
    };
    let is_one_of = |names: &[&str]| {
        let mut names = names.iter();
        names.any(|known| name.eq_ignore_ascii_case(known.as_bytes()))
    };
    let is_of_model = is_one_of(&MODELS);
    (!trim(marks).is_empty() && (is_of_model || is_one_of(&PEOPLE)))
        .then_some(Heading { marks, is_of_model })
}

/// Returns whether a byte is the last of a text and nowhere else in it.
fn ends_with_first(text: &[u8], byte: u8) -> bool {
    text.find_byte(byte)
        .is_some_and(|first| first + 1 == text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_name_speakers() {
        for (line, want) in [
            ("## User", Some(("## ", false))),
            ("  ### HUMAN:", Some(("### ", false))),
            ("## 👤 User", Some(("## ", false))),
            ("**You**", Some(("**", false))),
            ("_**User (2025-06-01 10:15)**_", Some(("_**", false))),
            ("## Assistant (Build · 12.3s)", Some(("## ", true))),
            ("**Cursor**", Some(("**", true))),
            ("User", None),
            ("## Users", None),
            ("## User model", None),
            ("## User (a) b", None),
            ("* ", None),
            ("## (", None),
        ] {
            let got = read(line.as_bytes());
            let want = want.map(|(marks, is_of_model)| Heading {
                marks: marks.as_bytes(),
                is_of_model,
            });
            assert_eq!(got, want, "{line}");
        }
    }
}
