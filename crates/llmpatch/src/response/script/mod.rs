//! Scripts of JavaScript or Python whose string literals hold patches.
//!
//! ```text
//! const patch = "*** Begin Patch\n*** Update File: a.txt\n-x\n+y\n*** End Patch";
//! await tools.apply_patch(patch);
//! ```
//!
//! A script is split into words, marks and string literals, and never run. A literal whose text
//! begins with a patch's first line is found wherever it is; its escapes are decoded once, by the
//! language's rules. What would need the script to be run has a trouble: values that are put into
//! the text, strings that are joined, methods that change them.
//!
//! # Where the languages leave a choice
//! - Octal escapes of JavaScript are forbidden in every literal, as they are in a module.
//! - A raw or a formatted string is never read, even if it is what it looks like.
//! - A line end in a literal of several lines is LF, in Python too.
//! - A literal that ends where no literal can end has a quote in it that should be escaped.

mod code;
mod escape;
mod flow;
#[cfg(test)]
mod tests;

use std::ops::Range;

use bstr::ByteSlice as _;

use crate::text::Splice;
use code::{Code, Draft, Kind};
use flow::Flow;

/// The language whose rules decode a string literal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Language {
    JavaScript,
    Python,
}

/// A string literal of a script that begins with a patch's first line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Literal {
    /// Where it is in the script, with its quotes and its prefix.
    pub(crate) range: Range<usize>,
    /// Where its text is, without quotes.
    pub(crate) inner: Range<usize>,
    /// What takes the place of each escape in it, by places in the script and in order. Bytes that
    /// no splice names stand for themselves.
    pub(crate) escapes: Vec<Splice>,
    /// Whether it is handed to a function whose name ends in `apply_patch` or `applyPatch`, itself
    /// or by the name of its variable.
    pub(crate) is_handed: bool,
    /// Whether it is a shell command in which a patch is.
    pub(crate) is_command: bool,
    /// The directory that is named beside it, where it is handed over; empty if none is.
    pub(crate) directory: String,
    /// Why its text can't be told without running the script.
    pub(crate) trouble: Option<Unreadable>,
}

/// Why the text of a literal can't be told without running its script.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unreadable {
    #[error("the script puts values into the patch's text, with `${{…}}`")]
    Interpolation,
    #[error("the script joins the patch's text with other text, or changes it")]
    Concatenation,
    #[error("the patch's text is in a raw, formatted, tagged or bytes string")]
    Raw,
    #[error("`{text}` in the patch's text isn't an escape of the script's language")]
    Escape { text: String },
    #[error("the script applies this patch only in some cases")]
    Condition,
    #[error("what the script does with it isn't clear")]
    Loose,
    #[error("the string with the patch's text is never closed")]
    Open,
    /// What follows the literal shows that a quote of its text closed it.
    #[error("a quote in the patch's text ends its string: it isn't escaped")]
    Quote,
}

/// What a patch's first line begins with.
const STARTS: [&str; 6] = [
    "*** Begin Patch",
    "diff --git ",
    "--- ",
    "<edit ",
    "<opx>",
    "<<<<<<< SEARCH",
];

/// Words that stand before a parenthesis and aren't called.
const KEYWORDS: &[&str] = &[
    "and", "assert", "async", "await", "case", "catch", "delete", "do", "elif", "else", "except",
    "for", "from", "function", "if", "in", "lambda", "not", "of", "or", "raise", "return",
    "switch", "throw", "typeof", "void", "while", "with", "yield",
];

/// Functions that leave a text as it is, but for space around it.
const KEEPING: &[&str] = &[
    "String",
    "str",
    "dedent",
    "trim",
    "trimStart",
    "trimEnd",
    "strip",
    "lstrip",
    "rstrip",
    "toString",
];

/// Functions that join texts.
const JOINING: &[&str] = &["join", "concat"];

/// Functions that change nothing outside of the script, beside [`KEEPING`] and [`JOINING`].
const HARMLESS: &[&str] = &[
    "text",
    "notify",
    "print",
    "log",
    "error",
    "warn",
    "info",
    "stringify",
    "dumps",
    "repr",
    "len",
    "require",
    "import",
    "all",
    "allSettled",
    "then",
    "map",
    "forEach",
    "push",
    "split",
    "replace",
    "replaceAll",
    "format",
    "includes",
    "Error",
    "exit",
];

/// Finds the literals of a script that begin with a patch's first line, whatever else it does.
pub(crate) fn literals(script: &str) -> Vec<Literal> {
    let mut flow = Flow::new(Code::read(script));
    flow.follow();
    let mut found: Vec<Literal> = Vec::new();
    let code = flow.code;
    let is_lost = (0..code.tokens.len()).any(|i| code.is_call(i) && code.callee(i) == "chdir");
    for (index, Draft { literal, text, .. }) in code.drafts.iter().enumerate() {
        let mut literal = literal.clone();
        let is_within = found
            .last()
            .is_some_and(|last| literal.range.start < last.range.end);
        let is_command = is_command(text);
        if is_within || !is_command && !literal_begins_patch(text) {
            continue;
        }
        if is_command {
            (literal.is_handed, literal.is_command) = (true, true);
            match code.directory(index) {
                Some(directory) => literal.directory = directory,
                None => drop(literal.trouble.get_or_insert(Unreadable::Loose)),
            }
        }
        if is_lost {
            literal.trouble.get_or_insert(Unreadable::Loose);
        }
        found.push(literal);
    }
    found
}

/// Returns whether a text calls anything, as a program does.
pub(crate) fn is_program(text: &str) -> bool {
    let code = Code::read(text);
    (0..code.tokens.len()).any(|i| code.is_call(i))
}

/// Returns whether a literal is a shell command that applies a patch in it.
fn is_command(text: &[u8]) -> bool {
    let has = |all: &[&str]| all.iter().any(|any| text.contains_str(any));
    has(&["apply_patch", "applypatch", "git apply"])
        && has(&["*** Begin Patch\n", "\n--- ", "\ndiff --git "])
        && !literal_begins_patch(text)
}

/// Returns whether a script does more than make patches, apply them and print.
pub(crate) fn does_more(script: &str) -> bool {
    let code = Code::read(script);
    (0..code.tokens.len()).any(|i| {
        let name = match code.kind(i) {
            Some(Kind::Mark(b'(')) => code.callee(i),
            Some(Kind::Text(index)) if code.drafts[index].is_tagged => code.word(i.wrapping_sub(1)),
            _ => return false,
        };
        let is_harmless = [KEEPING, JOINING, HARMLESS]
            .iter()
            .any(|names| names.contains(&name));
        !(name.is_empty() || name == "raw" || applies(name) || is_harmless)
    })
}

fn applies(name: &str) -> bool {
    name.ends_with("apply_patch") || name.ends_with("applyPatch")
}

/// Returns whether a literal begins with a patch's first line.
fn literal_begins_patch(text: &[u8]) -> bool {
    let text = text.trim_start();
    let is_begun = STARTS
        .iter()
        .any(|start| text.starts_with(start.as_bytes()));
    is_begun && (!text.starts_with(b"--- ") || text.contains_str("\n+++ "))
}

/// Guesses the language of a script by what is around the first patch in it.
fn language(script: &str) -> Language {
    let begins = STARTS.iter().filter_map(|start| {
        let mut places = script.match_indices(start).map(|(at, _)| at);
        places.find(|at| opening(script, *at).ends_with(['"', '\'', '`']))
    });
    let at = begins.min().unwrap_or(script.len());
    let head = opening(script, at);
    if head.ends_with("\"\"\"") || head.ends_with("'''") {
        return Language::Python;
    }
    let rest = script.get(at..).unwrap_or_default();
    let tail = rest
        .rsplit_once("*** End Patch")
        .map_or("", |(_, tail)| tail);
    let mut lines = head.lines().chain(tail.lines());
    lines
        .find_map(line_language)
        .unwrap_or(Language::JavaScript)
}

/// Returns what is before a place, without empty lines right before it.
fn opening(script: &str, at: usize) -> &str {
    let head = script.get(..at).unwrap_or_default();
    head.trim_end_matches(['\\', '\r', '\n'])
}

/// Returns the language that a line looks like.
fn line_language(line: &str) -> Option<Language> {
    let line = line.trim();
    let begins = |words: &[&str]| words.iter().any(|word| line.starts_with(word));
    let has = |texts: &[&str]| texts.iter().any(|text| line.contains(text));
    if begins(&["def ", "async def ", "#", "print("]) && !line.ends_with(';') {
        return Some(Language::Python);
    }
    let is_import = begins(&["import ", "from "]);
    if begins(&["const ", "let ", "var ", "//", "/*"])
        || has(&["await ", "=>", "`"])
        || line.ends_with(';')
        || (is_import && has(&["\"", "'"]))
    {
        return Some(Language::JavaScript);
    }
    is_import.then_some(Language::Python)
}
