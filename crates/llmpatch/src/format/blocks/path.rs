//! Which file a line names: a line that holds a path and little else, and what is behind the
//! backticks of a fence.

use bstr::{BString, ByteSlice as _};

use crate::format::Options;
use crate::text::{Row, Source, Text, digits, starts_with_any_case, trim, trim_start};

/// Returns the path that a line of a response names. `is_near` says that no blank line is between
/// it and what it names the file of.
pub(crate) fn above<'a>(line: Row<'a>, is_near: bool, options: &Options<'_>) -> Option<Text<'a>> {
    let path = named(line.text, is_near, |path| is_meant(path, options))?;
    let at = path.as_ptr().addr() - line.text.as_ptr().addr();
    Some(line.part(at..at + path.len()))
}

/// Returns the path of a whole file that a line above it names. A word that is no file yet counts
/// only in backticks or behind a label: a heading is a word, too.
pub(crate) fn of_file<'a>(
    source: &'a Source,
    line: &'a [u8],
    is_near: bool,
    options: &Options<'_>,
) -> Option<Text<'a>> {
    let around = bare(line, &ANNOUNCING);
    let is_marked = around.is_quoted || around.has_label;
    whole(source, &around, is_near, is_marked, options)
}

/// Returns the path of a whole file that its first line names in a comment. Backticks are usual in
/// comments, so that they tell nothing.
pub(crate) fn in_comment<'a>(
    source: &'a Source,
    line: &'a [u8],
    options: &Options<'_>,
) -> Option<Text<'a>> {
    let line = trim(line);
    let text = COMMENTS.iter().find_map(|(open, close)| {
        let text = line
            .strip_prefix(open.as_bytes())?
            .strip_suffix(close.as_bytes())?;
        text.starts_with(b" ").then_some(text)
    })?;
    let mut around = bare(text, &ANNOUNCING);
    around.is_announced = true;
    whole(source, &around, true, around.has_label, options)
}

/// Returns what may be the path of a whole file, if it is one.
fn whole<'a>(
    source: &'a Source,
    around: &Bare<'a>,
    is_near: bool,
    is_marked: bool,
    options: &Options<'_>,
) -> Option<Text<'a>> {
    let path = held(around, is_near, |path| is_meant(path, options))?;
    let is_path = !is_word(path) && !is_number(path);
    // Words behind `Create` and in comments may be anything.
    let is_told = is_path && (!around.is_announced || has_extension(path));
    let is_sure = is_marked || is_told || is_file(path, options);
    is_sure.then(|| Text::at(path, source.place(path)))
}

/// Returns the paths behind the backticks of a fence, given by what is there.
pub(crate) fn behind<'a>(
    source: &'a Source,
    info: &'a [u8],
    options: &Options<'_>,
) -> impl Iterator<Item = Text<'a>> {
    in_info(info, |path| is_file(path, options)).map(|path| Text::at(path, source.place(path)))
}

/// Returns the first word behind the backticks of a fence if it may be the name of a new file as
/// well as a language: `b.py`, `vb.net`.
pub(crate) fn or_language<'a>(source: &'a Source, info: &'a [u8]) -> Option<Text<'a>> {
    let word = words(info).next()?;
    let is_name = has_extension(word) && !is_number(word) && is_plausible(word);
    is_name.then(|| Text::at(word, source.place(word)))
}

fn is_file(path: &[u8], options: &Options<'_>) -> bool {
    options.is_file.is_some_and(|is_file| is_file(path))
}

/// Returns whether something is a file, or would be but for its backslashes: with them it names none
/// here, and which is meant can be told.
fn is_meant(path: &[u8], options: &Options<'_>) -> bool {
    is_file(path, options) || is_file(&path.replace(b"\\", b"/"), options)
}

/// Returns the first of several paths if all are the same; else the first, and the first that
/// differs.
pub(crate) fn agreed<'a>(all: &[Text<'a>]) -> Result<Option<Text<'a>>, [BString; 2]> {
    let plain = |path: &Text<'_>| path.strip_prefix(b"./").unwrap_or(path).to_vec();
    let Some(first) = all.first() else {
        return Ok(None);
    };
    match all.iter().find(|path| plain(path) != plain(first)) {
        Some(second) => Err([first, second].map(|path| path[..].into())),
        None => Ok(Some(first.clone())),
    }
}

/// Returns the path that a line holds, if it holds nothing else but what is put around one.
/// `is_near` says that no blank line is between it and what it names the file of, `is_file` whether
/// something is a file.
pub(crate) fn named(line: &[u8], is_near: bool, is_file: impl Fn(&[u8]) -> bool) -> Option<&[u8]> {
    held(&bare(line, &[]), is_near, is_file)
}

fn held<'a>(around: &Bare<'a>, is_near: bool, is_file: impl Fn(&[u8]) -> bool) -> Option<&'a [u8]> {
    let &Bare {
        path,
        is_quoted,
        has_colon,
        ..
    } = around;
    let has_blank = path.find_byteset(b" \t").is_some();
    let is_word = is_word(path);
    let ends_sentence = path.ends_with_str("…") || path.ends_with(b".");
    // A word before a colon introduces what follows, unless it is a file.
    let is_prose = has_blank || is_word && (has_colon || ends_sentence);
    let is_path =
        is_plausible(path) && (!is_word || is_near) && (!is_prose || is_quoted || is_file(path));
    is_path.then_some(path)
}

/// What may be a path, and what was put around it.
struct Bare<'a> {
    path: &'a [u8],
    /// Whether it is in backticks.
    is_quoted: bool,
    /// Whether a colon is behind it.
    has_colon: bool,
    /// Whether a label such as `File:` is before it.
    has_label: bool,
    /// Whether words such as `Create` are before it.
    is_announced: bool,
}

/// The labels before a path.
const LABELS: [&str; 3] = ["file:", "path:", "filename:"];
/// What else is before the path of a whole file.
const ANNOUNCING: [&str; 8] = [
    "filepath:",
    "new file:",
    "new file ",
    "create:",
    "create a ",
    "create the ",
    "create ",
    "file ",
];
/// What begins and ends a comment of one line.
const COMMENTS: [(&str, &str); 9] = [
    ("//", ""),
    ("#", ""),
    ("--", ""),
    (";", ""),
    ("%", ""),
    ("/*", "*/"),
    ("<!--", "-->"),
    ("(*", "*)"),
    ("{-", "-}"),
];

/// Takes away what is put around a path, and any of what may announce one.
fn bare<'a>(line: &'a [u8], announcing: &[&str]) -> Bare<'a> {
    let mut text = trim(line);
    let mut has_colon = false;
    let mut has_label = false;
    let mut is_announced = false;
    loop {
        let before = text.len();
        let fence = text.iter().take_while(|&&byte| byte == b'`').count();
        if fence > 0
            && text.len() > 2 * fence
            && text[text.len() - fence..].iter().all(|&byte| byte == b'`')
        {
            let inner = &text[fence..text.len() - fence];
            if !inner.contains(&b'`') {
                return Bare {
                    path: trim(inner),
                    is_quoted: true,
                    has_colon,
                    has_label,
                    is_announced,
                };
            }
        }
        text = without_bullet(text);
        text = text.strip_prefix(b"**").map_or(text, trim);
        text = text.strip_suffix(b"**").map_or(text, trim);
        for label in LABELS.iter().chain(announcing) {
            if starts_with_any_case(text, label.as_bytes()) {
                text = trim(&text[label.len()..]);
                let is_label = label.ends_with(':');
                (has_label, is_announced) = (has_label | is_label, is_announced | !is_label);
            }
        }
        if let Some(rest) = text.strip_suffix(b":") {
            (text, has_colon) = (trim(rest), true);
        }
        let unmarked = text.trim_end_with(|c| c == '#');
        if unmarked.ends_with(b" ") {
            text = trim(unmarked);
        }
        if text.len() == before {
            return Bare {
                path: text,
                is_quoted: false,
                has_colon,
                has_label,
                is_announced,
            };
        }
    }
}

/// Takes away `#`s, a bullet or a number in front of a text.
fn without_bullet(text: &[u8]) -> &[u8] {
    let marks = text.iter().take_while(|&&byte| byte == b'#').count();
    let digits = digits(text);
    let length = match text {
        _ if marks > 0 => marks,
        _ if digits > 0 && matches!(text.get(digits), Some(b'.' | b')')) => digits + 1,
        [b'-' | b'*' | b'+', ..] => 1,
        [0xe2, 0x80, 0xa2, ..] => 3,
        _ => return text,
    };
    let rest = &text[length..];
    if rest.starts_with(b" ") || rest.starts_with(b"\t") {
        trim_start(rest)
    } else {
        text
    }
}

/// Returns whether a text may be a path at all.
fn is_plausible(text: &[u8]) -> bool {
    let has_letter = text.iter().any(|&byte| crate::text::is_word(byte));
    let is_tag = text.starts_with(b"<") && text.contains(&b'>');
    let is_address = text.contains_str("://") && !text.starts_with(b"file://");
    let is_code = text.contains(&b'`') || text.contains(&b'*') || text.ends_with(b"()");
    has_letter && !is_tag && !is_address && !is_code
}

/// Returns whether a text has nothing by which a path can be told from a word.
fn is_word(text: &[u8]) -> bool {
    !text.contains(&b'/') && !has_inner_dot(text)
}

/// Returns whether a text is the number of a version or of a chapter: `2.0`, `v1.2`.
fn is_number(text: &[u8]) -> bool {
    let number = text.strip_prefix(b"v").unwrap_or(text);
    number
        .iter()
        .all(|byte| byte.is_ascii_digit() || *byte == b'.')
}

fn has_inner_dot(text: &[u8]) -> bool {
    text.iter().skip(1).rev().skip(1).any(|&byte| byte == b'.')
}

/// Returns whether a path ends with a dot and letters or digits.
fn has_extension(path: &[u8]) -> bool {
    path.rsplit_once_str(".").is_some_and(|(name, extension)| {
        let is_plain = extension.iter().all(u8::is_ascii_alphanumeric);
        !name.is_empty() && !extension.is_empty() && is_plain
    })
}

/// Returns the paths behind the backticks of a fence: `src/a.py`, `py src/a.py`, `py:src/a.py`,
/// `path=src/a.py`.
///
/// A first word alone is a language, such as `vb.net` or `text/x-python`, unless it is a file or
/// has a directory and an extension.
pub(crate) fn in_info(info: &[u8], is_file: impl Fn(&[u8]) -> bool) -> impl Iterator<Item = &[u8]> {
    words(info).enumerate().filter_map(move |(nth, word)| {
        let (path, is_sure) = match word.split_once_str("=") {
            Some((name, value)) => {
                ["path", "file", "filename", "title"]
                    .iter()
                    .find(|known| name.eq_ignore_ascii_case(known.as_bytes()))?;
                let path = unquoted(value);
                (path, !path.contains(&b' ') || has_extension(path))
            }
            None => {
                let word = unquoted(word);
                let behind = word.rsplit_once_str(":").map(|(_, path)| path);
                let path = Some(behind.unwrap_or(word)).filter(|path| !is_word(path))?;
                let is_alone = nth == 0 && behind.is_none();
                let is_told = !is_alone || path.contains(&b'/') && has_extension(path);
                (path, is_told && !is_number(path))
            }
        };
        (is_plausible(path) && (is_sure || is_file(path))).then_some(path)
    })
}

/// Splits what is behind the backticks of a fence into words. In quotes nothing separates words.
fn words(mut info: &[u8]) -> impl Iterator<Item = &[u8]> {
    std::iter::from_fn(move || {
        info = info.trim_start_with(|c| SEPARATORS.contains(c));
        let end = info.find_byteset(SEPARATORS).unwrap_or(info.len());
        let open = info[..end].find_byteset(QUOTES);
        let open = open.filter(|at| *at == 0 || info[at - 1] == b'=');
        let close = open.and_then(|at| Some(at + 2 + info[at + 1..].find_byte(info[at])?));
        let (word, rest) = info.split_at(close.unwrap_or(end));
        info = rest;
        (!word.is_empty()).then_some(word)
    })
}

/// What separates the words behind the backticks of a fence.
const SEPARATORS: &str = " \t{},";
const QUOTES: &str = "\"'";

fn unquoted(word: &[u8]) -> &[u8] {
    word.trim_with(|c| QUOTES.contains(c))
}

/// Returns whether a file is Markdown by its name.
pub(crate) fn is_markdown(path: &[u8]) -> bool {
    let name = path.to_ascii_lowercase();
    [".md", ".markdown", ".mdx", ".mdc", ".qmd", ".rmd"]
        .iter()
        .any(|ending| name.ends_with_str(ending))
}
