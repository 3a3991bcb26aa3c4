//! Programs of JavaScript and Python that hand patches to `apply_patch` as string literals.
//!
//! ```text
//! const patch = "*** Begin Patch\n*** Update File: a.txt\n-x\n+y\n*** End Patch";
//! await tools.apply_patch(patch);
//! ```
//!
//! A program is split into tokens and never run. It is read if every `apply_patch` in it is a call
//! with one literal, or with a name that is assigned a literal and occurs nowhere else; if each of
//! these calls is a statement, an argument or what is assigned; if every literal with a patch is
//! handed over so; and if no word in it may keep a statement from being reached. Whatever else the
//! program does is passed over.
//!
//! # Where the languages leave a choice
//! - Control characters and octal escapes aren't decoded, nor is `\N{…}` of Python.
//! - A raw string has no escapes. A formatted string isn't read.

mod escape;
#[cfg(test)]
mod tests;
mod tokens;

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use bstr::{BString, ByteSlice as _};

use crate::format::excerpt;
use crate::text::{Decoded, Shown, Splice};
use tokens::{MOST, QUOTES, Token, Tokens, is_word, quote};

/// The language of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Language {
    JavaScript,
    Python,
}

/// What fences, tools and members named `language` call the languages.
const LANGUAGES: [(Language, &[&str]); 2] = [
    (
        Language::JavaScript,
        &["exec", "javascript", "js", "mjs", "ts", "typescript"],
    ),
    (Language::Python, &["py", "python", "python3"]),
];

/// Words that may keep a statement from being reached, or the directory from being the program's.
const DECIDING: [&str; 27] = [
    "_exit", "abort", "and", "assert", "async", "case", "chdir", "class", "def", "do", "eval",
    "exit", "for", "function", "if", "kill", "lambda", "or", "quit", "raise", "return", "switch",
    "throw", "try", "while", "with", "yield",
];

/// Marks that may be before a call in its statement.
const PLAIN: [&str; 5] = ["(", ")", ",", ".", "="];

/// What a line of a literal begins with if there is a patch in the literal.
const STARTS: [&str; 6] = [
    "*** Begin Patch",
    "+++ ",
    "<<<<<<< SEARCH",
    "<edit ",
    "<opx>",
    "diff --git ",
];

/// A string literal that a program hands over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Literal {
    /// Where it is in the program, with its quotes and its prefix.
    pub(crate) range: Range<usize>,
    /// Where its text is.
    pub(crate) inner: Range<usize>,
    /// What takes the place of each escape in it, in order.
    pub(crate) splices: Vec<Splice>,
}

/// Why a program isn't read, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Unreadable {
    pub(crate) range: Range<usize>,
    pub(crate) why: Unclear,
}

/// What isn't clear about a program that hands over a patch.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unclear {
    #[error("`{}` can't be read", Shown(.0))]
    Syntax(BString),
    #[error("`{}` isn't understood", Shown(.0))]
    Code(BString),
    #[error("`{}` may decide what is applied", Shown(.0))]
    Decision(BString),
    #[error("`apply_patch` isn't called with one string, or with a name for one")]
    Call,
    #[error("its string isn't handed to `apply_patch` as it is")]
    Loose,
    #[error("it says something else in JavaScript than in Python")]
    Language,
}

/// Returns the language that a name stands for.
pub(crate) fn language(name: &str) -> Option<Language> {
    let name = name.to_ascii_lowercase();
    let mut rows = LANGUAGES.iter();
    let row = rows.find(|(_, names)| names.contains(&&name[..]));
    row.map(|(language, _)| *language)
}

/// What is known of a program.
pub(crate) struct Program {
    /// Whether there is a patch in a literal.
    pub(crate) has_patch: bool,
    /// The literals that it hands over, in order.
    pub(crate) handed: Result<Vec<Literal>, Unreadable>,
}

impl Program {
    /// Reads a program. If nobody says which language it is in, it must say the same in both, or be
    /// none in one.
    pub(crate) fn read(text: &str, language: Option<Language>) -> Self {
        let of = |language| {
            let (tokens, read) = Tokens::read(text, language);
            let patches = (0..tokens.all.len()).filter(|i| tokens.has_patch(*i));
            let patches: Vec<usize> = patches.collect();
            Self {
                has_patch: !patches.is_empty(),
                handed: read.and_then(|()| tokens.handed(&patches)),
            }
        };
        language.map_or_else(|| of(Language::JavaScript).agreed(of(Language::Python)), of)
    }

    fn agreed(self, other: Self) -> Self {
        let handed = match (self.handed, other.handed) {
            (Err(refusal), handed) | (handed, Err(refusal)) if refusal.is_syntax() => handed,
            (Ok(one), Ok(other)) if one != other => Err(Unreadable {
                range: one
                    .into_iter()
                    .chain(other)
                    .next()
                    .map_or(0..0, |literal| literal.range),
                why: Unclear::Language,
            }),
            (Ok(_), other) => other,
            (refused, _) => refused,
        };
        let has_patch = self.has_patch || other.has_patch;
        Self { has_patch, handed }
    }
}

impl Unreadable {
    fn of(token: Token<'_>, why: fn(BString) -> Unclear) -> Self {
        let range = token.start..token.start + token.text.len();
        let why = why(excerpt(
            token.text.lines().next().unwrap_or_default().as_bytes(),
        ));
        Self { range, why }
    }

    fn is_syntax(&self) -> bool {
        matches!(self.why, Unclear::Syntax(_))
    }
}

/// What a program hands over.
impl Tokens<'_> {
    /// Returns the literals that are handed over. `patches` are those with a patch.
    fn handed(&self, patches: &[usize]) -> Result<Vec<Literal>, Unreadable> {
        let refuse = |i: usize, why| Err(Unreadable::of(self.all[i], why));
        let tokens = 0..self.all.len();
        let mut uses: HashMap<&str, usize> = HashMap::new();
        for name in tokens.clone().filter(|i| self.is_use(*i)) {
            *uses.entry(self.text(name)).or_default() += 1;
        }
        let (mut start, mut names, mut handed) = (0, HashMap::new(), Vec::new());
        for i in tokens {
            if let Some(indentation) = self.all[i].begins {
                let first = self.all[0]
                    .begins
                    .filter(|_| self.language == Language::Python);
                if first.is_some_and(|first| first != indentation) {
                    return refuse(i, Unclear::Syntax);
                }
                start = i;
                names.extend(self.named(i).filter(|(name, _)| uses.get(name) == Some(&2)));
            }
            match self.text(i) {
                "apply_patch" => match self.call(start, i, &names) {
                    Some(literal) => handed.push(literal),
                    None => return refuse(i, |_| Unclear::Call),
                },
                _ if self.decides(i) => return refuse(i, Unclear::Decision),
                _ => continue,
            }
            start = i;
        }
        let known: HashSet<usize> = handed.iter().copied().collect();
        if let Some(loose) = patches.iter().find(|patch| !known.contains(*patch)) {
            return refuse(*loose, |_| Unclear::Loose);
        }
        let literals = handed.into_iter().map(|literal| self.decoded(literal));
        literals
            .map(|(literal, read)| read.map(|()| literal))
            .collect()
    }

    fn decides(&self, i: usize) -> bool {
        let is_arrow = self.text(i) == "=" && self.text(i + 1) == ">";
        is_arrow || DECIDING.contains(&self.text(i))
    }

    /// Returns whether a token is a variable that isn't only declared.
    fn is_use(&self, i: usize) -> bool {
        let before = self.text(i.wrapping_sub(1));
        let is_alone = self.begins(i + 1) || self.text(i + 1) == ";";
        self.text(i).starts_with(is_word)
            && before != "."
            && !(is_alone && ["let", "var"].contains(&before))
    }

    /// Returns the name to which a statement assigns a literal, if that is all that it does.
    fn named(&self, start: usize) -> Option<(&str, usize)> {
        let is_declared = ["const", "let", "var"].contains(&self.text(start));
        let name = start + usize::from(is_declared);
        let (literal, end) = self.value(name + 2)?;
        let is_all = self.begins(end) || self.text(end) == ";";
        (self.text(name + 1) == "=" && is_all).then_some((self.text(name), literal))
    }

    /// Returns the literal that a call of `apply_patch` is given, if the call is made.
    fn call(&self, start: usize, i: usize, names: &HashMap<&str, usize>) -> Option<usize> {
        let is_member = [2, 1].map(|back| self.text(i.wrapping_sub(back))) == ["tools", "."];
        let first = if is_member { i - 2 } else { i };
        let is_plain = |i: usize| {
            let text = self.text(i);
            text.starts_with(is_word) || self.is_literal(i) || PLAIN.contains(&text)
        };
        let before = self.text(first.wrapping_sub(1));
        let is_first = first == start || ["(", ",", "=", "await"].contains(&before);
        let is_made = is_first && (start..first).all(is_plain);
        let named = names.get(self.text(i + 2)).map(|literal| (*literal, i + 3));
        let (literal, end) = named.or_else(|| self.value(i + 2))?;
        let close = end + usize::from(self.text(end) == ",");
        let is_only = self.text(i + 1) == "(" && self.text(close) == ")";
        (is_made && is_only).then_some(literal)
    }

    /// Returns a literal that is a value by itself, and the token behind it.
    fn value(&self, i: usize) -> Option<(usize, usize)> {
        let tag = [0, 1, 2].map(|ahead| self.text(i + ahead));
        let is_raw = tag == ["String", ".", "raw"] && self.text(i + 3).starts_with('`');
        let literal = if is_raw { i + 3 } else { i };
        self.is_literal(literal).then_some((literal, literal + 1))
    }

    fn is_literal(&self, i: usize) -> bool {
        self.text(i).ends_with(QUOTES) && !self.text(i).starts_with('}')
    }

    fn has_patch(&self, i: usize) -> bool {
        let text = self.text(i);
        if !(text.contains(QUOTES) || text.len() > 1 && text.starts_with('}')) {
            return false;
        }
        let (literal, _) = self.decoded(i);
        let text = Decoded::new(self.program.as_bytes(), literal.inner, &literal.splices).text;
        let begins = |line: &[u8]| STARTS.iter().any(|start| line.starts_with_str(start));
        text.lines().any(|line| begins(line.trim_start()))
    }

    /// Decodes a literal up to what can't be decoded.
    fn decoded(&self, i: usize) -> (Literal, Result<(), Unreadable>) {
        let Token { text, start, .. } = self.all[i];
        let prefix = text.find(|c| !is_word(c)).unwrap_or_default();
        let quote = quote(&text[prefix..], self.language);
        let first = prefix + quote.len();
        let inner = text[first..].strip_suffix(quote).unwrap_or(&text[first..]);
        let is_raw = text[..prefix].contains(['r', 'R'])
            || text.starts_with('`') && self.text(i.wrapping_sub(1)) == "raw";
        let mut literal = Literal {
            range: start..start + text.len(),
            inner: start + first..start + first + inner.len(),
            splices: Vec::new(),
        };
        let mut at = literal.inner.start;
        while let Some(next) = self.program[at..literal.inner.end].find(['\\', '\r']) {
            at += next;
            let rest = &self.program[at..literal.inner.end];
            let decoded = match rest.as_bytes() {
                [b'\r', b'\n', ..] => Some((2, "\n".into())),
                [b'\r', ..] => Some((1, "\n".into())),
                _ if is_raw => Some((1, "\\".into())),
                _ => escape::decode(rest, self.language),
            };
            let Some((len, new)) = decoded.filter(|_| literal.splices.len() < MOST) else {
                let shown = rest.chars().take(2).map(char::len_utf8).sum();
                let token = Token {
                    text: &rest[..shown],
                    start: at,
                    ..self.all[i]
                };
                return (literal, Err(Unreadable::of(token, Unclear::Code)));
            };
            let (old, new) = (at..at + len, new.into_bytes());
            at += len;
            literal.splices.push(Splice { old, new });
        }
        (literal, Ok(()))
    }
}
