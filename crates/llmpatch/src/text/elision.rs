//! Tells lines that stand for code that isn't shown from other lines.
//!
//! A line is an elision if it is a comment (or bare dots or brackets) that says nothing but that
//! something is not shown. Prose that merely has these words in it isn't an elision, so the words
//! are judged together: without dots before them, all of a comment must be words of that kind, or
//! it must begin and end with them.

use super::starts_with_any_case;

/// What comments begin with. `*` goes on in one of several lines, and is a bullet too: it needs
/// dots.
const SIGNS: [&str; 19] = [
    "//", "/*", "#", "<!--", "{/*", "*", "--", ";", "%", "(*", "{-", "{#", "{{!", "<%", "@*", "'",
    "!", "rem ", "dnl ",
];

/// The [`SIGNS`] that begin with a letter.
const SPELLED: [&str; 2] = ["rem ", "dnl "];

/// A set of words, with a space between two.
struct Words(&'static str);

impl Words {
    fn has(&self, word: &str) -> bool {
        self.0.split(' ').any(|known| known == word)
    }
}

/// What may be left out.
const PARTS: Words = Words(
    "code file files function functions method methods class classes component components \
         import imports implementation implementations logic module script document page \
         style styles rules tests section sections definitions handlers content contents \
         source program properties fields routes configuration config declarations helpers \
         template markup query schema statements",
);
/// What says that something is there and isn't shown.
const OTHERS: Words = Words("rest remaining remainder existing previous other everything original");
/// What says that it stays.
const KEPT: Words = Words("unchanged omitted unmodified untouched elided brevity");
/// Words between the telling words.
const FILLERS: Words = Words(
    "the of is are as all your our my this that in for from to be it its and with here \
         goes go stay stays remain remains keep kept keeps leave left same before above below \
         else no not change changes changed shown needed more continues continue exactly \
         currently was were",
);

/// Returns whether a line is a comment that stands for code: three dots, or words such as “rest
/// unchanged”.
pub(crate) fn looks_elided(line: &[u8]) -> bool {
    const LONGEST: usize = 200;
    let text = std::str::from_utf8(line).unwrap_or_default().trim();
    if text.is_empty() || text.len() >= LONGEST || begins_with_other_word(text) {
        return false;
    }
    let text = text.to_lowercase();
    let sign = SIGNS.iter().find(|sign| text.starts_with(**sign)).copied();
    // What documentation shows in its examples is left out on purpose.
    if text.starts_with("///") || text.starts_with("//!") {
        return false;
    }
    let behind = &text[sign.map_or(0, str::len)..];
    let Some(first) = behind.find(char::is_alphanumeric) else {
        return is_only_dots(sign, behind);
    };
    let last = behind.rfind(char::is_alphanumeric).unwrap_or(first);
    let head = &behind[..first];
    let tail = behind[last..].trim_start_matches(char::is_alphanumeric);
    let middle = &behind[first..behind.len() - tail.len()];
    if !head.chars().chain(tail.chars()).all(is_decoration) {
        return false;
    }
    let words: Vec<&str> = middle
        .split(|c: char| !c.is_alphanumeric() && c != '\'')
        .filter(|w| !w.is_empty())
        .collect();
    let dots = (has_dots(head), has_dots(tail));
    let brackets = head.contains(['[', '(', '<', '{']) && tail.contains([']', ')', '>', '}']);
    match sign {
        Some("*" | "rem " | "dnl ") => dots.0 && says_left_out(&words, dots),
        // `#rest`, `--unchanged` and the like are names.
        Some("#" | "--" | ";" | "%" | "!" | "'")
            if dots == (false, false) && !head.starts_with([' ', '\t', '[', '(', '-']) =>
        {
            head.starts_with(['#', ';', '%']) && head.contains(' ') && says_left_out(&words, dots)
        }
        Some(_) => says_left_out(&words, dots),
        // `...rest` and `[...rest]` copy a value.
        None => {
            let apart = head.ends_with(' ') || !dots.0;
            (dots.0 || brackets)
                && apart
                && words.len() > 1
                && says_left_out(&words, (false, false))
        }
    }
}

/// Returns whether a line begins with a letter or a digit, and not with a word by which it is a
/// comment.
fn begins_with_other_word(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphanumeric())
        && !SPELLED
            .iter()
            .any(|word| starts_with_any_case(text.as_bytes(), word.as_bytes()))
}

/// Returns whether a word, among others, may say that something is left out.
fn tells(word: &str, words: &[&str]) -> bool {
    OTHERS.has(word)
        || KEPT.has(word)
        || matches!(word, "code" | "same" | "keep" | "truncated")
        || (word == "more" && words.iter().any(|word| PARTS.has(word)))
}

/// Returns whether words say that something is left out, with dots before or behind them or not.
fn says_left_out(words: &[&str], dots: (bool, bool)) -> bool {
    let any = |of: Words| words.iter().any(|word| of.has(word));
    let pair = |a: &str, b: &str| words.windows(2).any(|pair| pair == [a, b]);
    let others = any(OTHERS);
    if dots == (true, true)
        && words
            .iter()
            .any(|word| tells(word, words) || matches!(*word, "above" | "before"))
    {
        return true;
    }
    let opens = words
        .iter()
        .find(|word| tells(word, words) || !FILLERS.has(word))
        .is_some_and(|word| tells(word, words));
    if dots.0 && opens {
        return true;
    }
    let ends = [
        ["the", "same"],
        ["as", "before"],
        ["as", "is"],
        ["not", "shown"],
    ]
    .iter()
    .any(|end| words.ends_with(end));
    if others
        && opens
        && words.len() <= 10
        && (ends || words.last().is_some_and(|word| KEPT.has(word)))
    {
        return true;
    }
    if !words.iter().all(|word| {
        [PARTS, OTHERS, KEPT, FILLERS]
            .iter()
            .any(|known| known.has(word))
    }) {
        return false;
    }
    let goes_on = matches!(
        words.first(),
        Some(&("is" | "are" | "and" | "be" | "was" | "were" | "to"))
    );
    (any(KEPT) && (opens || any(PARTS)) && !goes_on)
        || (dots.1 && others && any(PARTS))
        || (any(Words("existing previous remaining original"))
            && any(if words.contains(&"keep") {
                PARTS
            } else {
                Words("code imports implementation logic")
            }))
        || ((pair("rest", "of") || pair("remainder", "of")) && any(PARTS))
        || (pair("as", "is") && any(PARTS))
        || matches!(words, ["same" | "as", "before"] | ["same", "as", "before"])
        || matches!(
            words,
            ["no", "change" | "changes", "here" | "below" | "above"]
        )
}

/// Returns whether what has no words is three dots, and nothing but what is around them.
fn is_only_dots(sign: Option<&str>, text: &str) -> bool {
    match sign {
        Some(sign) => {
            let few = text.matches('.').count() <= 6;
            sign != "*" && few && has_dots(text) && text.chars().all(is_decoration)
        }
        None => matches!(
            text,
            "..." | "…" | "[...]" | "(...)" | "<...>" | "[…]" | "(…)"
        ),
    }
}

fn has_dots(text: &str) -> bool {
    text.contains("...") || text.contains('…')
}

fn is_decoration(c: char) -> bool {
    c.is_whitespace() || "./…-–—=~*#;%<>!{}()[]:,_".contains(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_elisions_from_other_lines() {
        for line in [
            "    # rest unchanged",
            "# ... rest of the function ...",
            "<!-- ... -->",
            "/* rest of the code remains the same */",
            "...",
            "// …",
            "/* ... */",
            "{/* ... */}",
            "{/* ... existing JSX ... */}",
            "<!-- rest of file -->",
            "// (rest of the file stays as is)",
            "// [unchanged code]",
            "// unchanged",
            "// Same as before",
            "// existing imports...",
            "// Rest of the component...",
            "//... keep the other handlers as they are",
            "// (other methods remain unchanged)",
            "# The rest of the tests stay the same.",
            "# everything else stays the same",
            "/* remaining styles omitted for brevity */",
            "// your existing code here",
            "// Keep all existing methods",
            "# ... (previous code) ...",
            "(* ... rest of the module ... *)",
            "{- rest of the module unchanged -}",
            "{# ... existing content ... #}",
            "' ... existing code ...",
            "// no changes below",
            "REM ... rest of the script ...",
            "%% ... existing functions ...",
            ";; ... rest of the file ...",
            "-- rest of file unchanged",
            "-- rest of the query",
            "! ... existing code ...",
            " * ... existing methods ...",
            "[... rest of the file unchanged ...]",
            "[rest of file unchanged]",
            "... rest of the code ...",
            "<rest of the file unchanged>",
            "// ... more code ...",
            "// ... your code here ...",
            "# ----- existing code above unchanged -----",
        ] {
            assert!(looks_elided(line.as_bytes()), "{line:?}");
        }
        for line in [
            "// wait for the rest",
            "let rest = unchanged;",
            "# the existing code is slow",
            "// TODO...",
            "",
            "...rest",
            "...rest,",
            "[...rest]",
            "...existing.code",
            "#rest",
            "--unchanged",
            "'unchanged',",
            "\"rest of file\",",
            "// same as above",
            "/// ...",
            "//! unchanged",
            "/// the same function.",
            "// is unchanged.",
            "// and that is unchanged.",
            "# the remaining functions",
            "# no change needed",
            "* ...and more",
            " * @...: remaining arguments",
            "#..............................",
            "\"// ... existing code ...\"",
            "// Loop over the other ones...",
            "// other threads may hold it...",
            "// remaining bytes are padding",
            "// previous value",
            "// existing file",
            // What people write in examples.
            "// ...snip... //",
            "* unchanged",
            "- unchanged",
            "rest of the file unchanged",
            "The rest of the file is unchanged.",
            "# Code",
            "// the rest of the line",
            "# ================",
            "// ---------------",
            "*",
            "/*",
            " */",
            "#!/bin/sh",
            "fn rest(of: File) {}",
            ".. code::",
            "Some(..) => {}",
            "..",
            "(..)",
            "case ...:",
            "def f(): ...",
        ] {
            assert!(!looks_elided(line.as_bytes()), "{line:?}");
        }
    }
}
