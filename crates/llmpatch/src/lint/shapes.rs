//! What all added lines have in common, or what is in them in place of the characters that were
//! meant: the marks of a file that was shown, quoted or encoded on its way to the model or back.

use std::collections::HashSet;

use bstr::ByteSlice as _;

use super::Finding;
use super::touched::{Run, Touched};
use crate::text::{ENTITIES, Located, Text, line_number, number_mark};

/// Finds runs of which every line begins with a number, each higher than the number before, and at
/// least once by 1: others count what a program found.
pub(super) fn line_numbers(touched: &Touched<'_>) -> Vec<Located<Finding>> {
    let is_known = || touched.old().iter().any(|line| number(line.text).is_some());
    first_run(touched, Finding::LineNumbers, |run| {
        let mut lines = texts(run);
        let Some((first, sign)) = lines.next().and_then(|line| number(line)) else {
            return false;
        };
        let mut last = first;
        let mut has_next = false;
        for line in lines {
            match number(line) {
                Some((number, other)) if number > last && other == sign => {
                    has_next |= number == last + 1;
                    last = number;
                }
                _ => return false,
            }
        }
        has_next && !is_known()
    })
}

/// Finds runs of which every line begins with `+`, or with `+` or `-`.
pub(super) fn diff_prefixes(touched: &Touched<'_>) -> Vec<Located<Finding>> {
    let is_known = || touched.old().iter().any(|line| line.text.starts_with(b"+"));
    first_run(touched, Finding::DiffPrefixes, |run| {
        let all = !run.has_prefixes
            && texts(run).all(|line| match &line[..] {
                [sign @ (b'+' | b'-'), rest @ ..] => rest.first() != Some(sign),
                _ => false,
            });
        // AsciiDoc joins paragraphs by a `+` alone.
        all && texts(run).any(|line| line.starts_with(b"+") && line.len() > 1)
            && !is_known()
            && are_lines(touched, run)
    })
}

/// Finds the first added line with escapes in place of what they stand for, if it is much longer
/// than any other line of the file.
pub(super) fn escaped_text(touched: &Touched<'_>) -> Vec<Located<Finding>> {
    let found = touched.added().find_map(|line| Some((line, escape(line)?)));
    let found = found.filter(|(line, escape)| {
        let is_longer = |other: &[u8]| line.len() > 2 * other.len();
        // A new file has only its own lines.
        let is_new = touched.before.is_empty();
        let mut others = touched.added().filter(|other| is_new && other != line);
        !touched.before.contains_str(escape)
            && touched.old().iter().all(|old| is_longer(old.text))
            && others.all(|other| is_longer(other))
    });
    found
        .map(|(line, escape)| Located::new(line.span, Finding::Escaped(escape)))
        .into_iter()
        .collect()
}

/// Finds the first added line with an entity in place of a sign of code, in a file that has none.
pub(super) fn entities(touched: &Touched<'_>) -> Vec<Located<Finding>> {
    if is_markup(touched.path.as_bytes()) {
        return Vec::new();
    }
    let found = touched.first(|line| entity(line).map(Finding::Entity));
    let found = found.filter(|_| {
        !entities_of_code().any(|entity| touched.before.contains_str(entity))
            && !touched.added().any(|line| line.contains(&b'<'))
    });
    found.into_iter().collect()
}

/// Finds the first run of which something is true.
fn first_run(
    touched: &Touched<'_>,
    finding: Finding,
    is_found: impl Fn(&Run<'_>) -> bool,
) -> Vec<Located<Finding>> {
    let run = touched.runs.iter().find(|run| is_found(run));
    let first = run.and_then(|run| texts(run).next());
    first
        .map(|line| Located::new(line.span, finding))
        .into_iter()
        .collect()
}

/// Returns the lines of a run that aren't blank.
fn texts<'r>(run: &'r Run<'_>) -> impl Iterator<Item = &'r Text<'r>> {
    let is_text = |line: &&Text<'_>| !line.trim_ascii().is_empty();
    run.lines.iter().copied().filter(is_text)
}

/// Returns whether what an edit adds are whole lines of the file, rather than parts of them.
fn are_lines(touched: &Touched<'_>, run: &Run<'_>) -> bool {
    let lines = touched.after.lines();
    let all: HashSet<&[u8]> = lines.iter().map(|line| line.text).collect();
    texts(run).all(|line| all.contains(&line[..]))
}

/// Returns the number that a line begins with as lines of a file that is shown do, and the sign
/// behind it.
fn number(line: &[u8]) -> Option<(u32, &[u8])> {
    let (number, rest) = line_number(line.trim_ascii_start())?;
    let (sign, _) = number_mark(rest.trim_start_with(|c| c == ' '))?;
    Some((number, sign))
}

/// Returns the escape of a line end, if a line looks like a text of several lines as JSON writes
/// it: it has that escape twice, or once and an escaped quote, and nothing that JSON would escape.
/// Escapes in strings are code.
fn escape(line: &[u8]) -> Option<&'static str> {
    memchr::memchr(b'\\', line)?;
    let mut line_ends = 0;
    let mut quotes = 0;
    let mut string = None;
    let mut bytes = line.iter().copied().enumerate();
    while let Some((at, byte)) = bytes.next() {
        match byte {
            b'\\' => match bytes.next()?.1 {
                b'n' => line_ends += usize::from(string.is_none()),
                b'"' => quotes += usize::from(string.is_none()),
                b'r' | b't' | b'u' | b'\\' => {}
                _ => return None,
            },
            b'"' => return None,
            b'\'' if is_apostrophe(line, at) => {}
            b'\'' | b'`' if string.is_none() => string = Some(byte),
            _ if string == Some(byte) => string = None,
            _ => {}
        }
    }
    (line_ends > 1 || line_ends == 1 && quotes > 0).then_some("\\n")
}

/// Returns whether the `'` at an offset is an apostrophe in a word, and begins no string as it does
/// behind the letters of `b'…'` and `rb'…'`.
fn is_apostrophe(line: &[u8], at: usize) -> bool {
    let letters = line[..at]
        .iter()
        .rev()
        .take_while(|byte| byte.is_ascii_alphabetic());
    let is_prefix = letters.clone().count() <= 2
        && letters
            .clone()
            .all(|byte| b"bruf".contains(&byte.to_ascii_lowercase()));
    !is_prefix && line.get(at + 1).is_some_and(u8::is_ascii_alphabetic)
}

/// Returns the entities that stand for signs of code; an apostrophe is one of texts, too.
fn entities_of_code() -> impl Iterator<Item = &'static str> {
    let of_code = ENTITIES.into_iter().filter(|(_, sign)| *sign != "'");
    of_code.map(|(entity, _)| entity)
}

/// Returns the first entity of a line that is outside of strings.
fn entity(line: &[u8]) -> Option<&'static str> {
    let start = memchr::memchr(b'&', line)?;
    let quotes = line[..start].iter().filter(|byte| b"\"'`".contains(byte));
    if quotes.count() > 0 {
        return None;
    }
    entities_of_code().find(|entity| line[start..].starts_with_str(entity))
}

/// Returns whether entities are usual in a file, by its name.
fn is_markup(path: &[u8]) -> bool {
    const ENDINGS: &[&str] = &[
        "html", "htm", "xhtml", "xml", "svg", "vue", "md", "markdown", "mdx", "txt", "rst", "adoc",
    ];
    let name = path.rsplit(|&byte| byte == b'/').next().unwrap_or(path);
    let ending = name.rsplit(|&byte| byte == b'.').next().unwrap_or(name);
    !name.contains(&b'.')
        || ENDINGS
            .iter()
            .any(|known| ending.eq_ignore_ascii_case(known.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_escaped_text_is_told_from_code_with_escapes() {
        for (line, want) in [
            (r"import os\nimport sys\n", true),
            (r#"print(\"a\")\nx"#, true),
            (r"a = 'x'\nb = 'it\u2019s'\n", true),
            (r"it's one\ntwo\nthree", true),
            (r#"print("a\nb\n")"#, false),
            (r"print('a\nb\n')", false),
            (r"b'Location: /\r\n\r\n')", false),
            (r".expect(/^a<\/li>\nb\n$/)", false),
            (r"a\nb", false),
        ] {
            assert_eq!(escape(line.as_bytes()).is_some(), want, "{line}");
        }
    }

    #[test]
    fn numbers_of_lines_are_told_from_other_numbers() {
        for (line, want) in [
            ("     1\tfn main() {", Some(1)),
            ("12: x", Some(12)),
            ("7|", Some(7)),
            ("  3 | x", Some(3)),
            ("  10→}", Some(10)),
            ("1. one", None),
            ("12 apples", None),
            ("x1: y", None),
        ] {
            let got = number(line.as_bytes()).map(|(number, _)| number);
            assert_eq!(got, want, "{line}");
        }
    }

    #[test]
    fn entities_of_encoded_code_are_told_from_those_in_strings() {
        for (line, want) in [
            ("if a &lt; b {", Some("&lt;")),
            ("a &amp;&amp; b", Some("&amp;")),
            ("x = \"&lt;\"", None),
            ("&self", None),
        ] {
            assert_eq!(entity(line.as_bytes()), want, "{line}");
        }
    }
}
