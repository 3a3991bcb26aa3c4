//! Breaking a drawn line that a terminal has no room for: between words, and never between
//! backticks, so that a path, a command or a line of a file can still be copied and searched for as
//! it is.

use unicode_width::UnicodeWidthChar as _;

/// Breaks one drawn line, colours and all, so that it fits `width` where words allow; what follows
/// a break is indented by `indent` spaces. Nothing before the byte `from` is broken.
pub(super) fn wrap(line: &str, width: usize, indent: usize, from: usize) -> String {
    let mut out = String::with_capacity(line.len() + 16);
    let mut used = 0;
    // Nothing but spaces is on the line so far.
    let mut is_fresh = true;
    for (index, word) in words(line, from).enumerate() {
        let wide = columns(word);
        if index > 0 && used + 1 + wide > width && !is_fresh {
            out.push('\n');
            out.extend(std::iter::repeat_n(' ', indent));
            used = indent;
            is_fresh = true;
        } else if index > 0 {
            out.push(' ');
            used += 1;
        }
        out.push_str(word);
        used += wide;
        is_fresh &= word.trim_ascii().is_empty();
    }
    out
}

/// Splits at each space behind `from` that isn't between two backticks.
fn words(line: &str, from: usize) -> impl Iterator<Item = &str> {
    let mut rest = Some(0);
    let mut open = false;
    std::iter::from_fn(move || {
        let start = rest?;
        for (at, c) in line[start..].char_indices().map(|(at, c)| (start + at, c)) {
            match c {
                '`' => open = !open && line[at + 1..].contains('`'),
                ' ' if !open && at >= from => {
                    rest = Some(at + 1);
                    return Some(&line[start..at]);
                }
                _ => {}
            }
        }
        rest = None;
        Some(&line[start..])
    })
}

/// Counts the columns of a text; the sequences of the drawing crate have none.
fn columns(text: &str) -> usize {
    let mut in_sequence = false;
    let mut columns = 0;
    for c in text.chars() {
        match c {
            '\x1b' => in_sequence = true,
            'm' if in_sequence => in_sequence = false,
            _ if in_sequence => {}
            _ => columns += c.width().unwrap_or(0),
        }
    }
    columns
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_broken_between_words() {
        for (line, width, broken) in [
            ("note: a b c", 20, "note: a b c"),
            ("note: all of them", 12, "note: all of\n  them"),
            (
                "error: `a b c d e` is one",
                12,
                "error:\n  `a b c d e`\n  is one",
            ),
            ("error: it` s odd", 10, "error: it`\n  s odd"),
            (
                "a_word_without_end and more",
                10,
                "a_word_without_end\n  and more",
            ),
            ("名前 名前 名前", 9, "名前 名前\n  名前"),
            (
                "\x1b[1m\x1b[91merror\x1b[0m: it is",
                12,
                "\x1b[1m\x1b[91merror\x1b[0m: it is",
            ),
            ("", 5, ""),
        ] {
            assert_eq!(wrap(line, width, 2, 0), broken, "{line:?} at {width}");
        }
        assert_eq!(wrap("  |   ^^ one two", 12, 4, 8), "  |   ^^ one\n    two");
    }

    proptest::proptest! {
        #[test]
        fn nothing_is_lost_and_what_can_fit_does(line in "[a-c` é]{0,60}", width in 0_usize..30, from in 0_usize..9) {
            let broken = wrap(&line, width, 2, from.min(line.len()));
            proptest::prop_assert_eq!(broken.replace("\n  ", " "), line);
            for part in broken.lines().filter(|part| columns(part) > width) {
                let part = part.strip_prefix("  ").unwrap_or(part);
                proptest::prop_assert!(words(part, from).filter(|word| !word.trim_ascii().is_empty()).count() < 2 || part.contains('`'), "{}", part);
            }
        }
    }
}
