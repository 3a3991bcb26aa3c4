//! Notices added text that looks as if its author had left code out.

use crate::patch::{HunkLine, Mark};
use crate::text::{Span, Text};

/// Finds an added line that looks like an elision where more was removed than added.
pub(super) fn among(lines: &[&HunkLine<'_>]) -> Option<Span> {
    let side = |mark: Mark| lines.iter().filter(move |line| line.mark == mark).map(|line| &line.text);
    left_out(side(Mark::Removed), side(Mark::Added))
}

/// Finds a line of `added` that looks like an elision and isn't among `removed`, where `removed` is the longer text, in lines
/// or in bytes.
pub(super) fn left_out<'a, 't: 'a>(
    removed: impl Iterator<Item = &'a Text<'t>> + Clone,
    added: impl Iterator<Item = &'a Text<'t>> + Clone,
) -> Option<Span> {
    let size = |lines: &mut dyn Iterator<Item = &'a Text<'t>>| lines.map(|line| line.len() + 1).sum::<usize>();
    let is_longer =
        removed.clone().count() > added.clone().count() || size(&mut removed.clone()) > size(&mut added.clone());
    if !is_longer {
        return None;
    }
    let elided = added.clone().find(|line| looks_elided(line) && !removed.clone().any(|old| old == *line))?;
    elided.span
}

/// Returns whether a line is a comment that stands for code: three dots, or words such as “rest unchanged”.
pub(super) fn looks_elided(line: &[u8]) -> bool {
    const OPENERS: [&str; 8] = ["//", "#", "/*", "<!--", "--", ";", "%", "{/*"];
    let Ok(line) = std::str::from_utf8(line) else { return false };
    let line = line.trim();
    if matches!(line, "..." | "…" | "[...]" | "(...)") {
        return true;
    }
    let Some(opener) = OPENERS.iter().find(|opener| line.starts_with(**opener)) else { return false };
    let text =
        line[opener.len()..].trim_matches(|c: char| c.is_whitespace() || "/*#-;%<>!{}".contains(c)).to_lowercase();
    let dots = text.starts_with("...") || text.starts_with('…') || text.ends_with("...") || text.ends_with('…');
    let has = |words: &[&str]| words.iter().any(|word| text.contains(word));
    let code = [
        "code",
        "rest",
        "existing",
        "remaining",
        "previous",
        "same",
        "other",
        "unchanged",
        "omitted",
        "above",
        "before",
    ];
    let kept = ["unchanged", "omitted", "stays the same", "remains the same", "as before", "same as before"];
    (dots && (has(&code) || text.trim_matches(['.', '…', ' ']).is_empty()))
        || (text.len() < 80 && has(&kept) && has(&["rest", "existing", "remaining", "code", "other", "of the"]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_elisions_from_comments() {
        for (line, want) in [
            ("// ... existing code ...", true),
            ("    # rest unchanged", true),
            ("# ... rest of the function ...", true),
            ("<!-- ... -->", true),
            ("/* rest of the code remains the same */", true),
            ("...", true),
            ("// …", true),
            ("// wait for the rest", false),
            ("let rest = unchanged;", false),
            ("# the existing code is slow", false),
            ("// TODO...", false),
            ("", false),
        ] {
            assert_eq!(looks_elided(line.as_bytes()), want, "{line:?}");
        }
    }
}
