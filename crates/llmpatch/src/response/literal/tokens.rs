//! A program as tokens: words, marks and string literals, comments left out.
//!
//! Where a character has two meanings that only a whole parser could tell apart, the program isn't
//! read: a `/` that may divide or begin a regular expression, an f-string with its braces.

use super::{Language, Unclear, Unreadable};

/// A word, a character of punctuation, a literal, or a part of a template beside `${…}`.
#[derive(Clone, Copy)]
pub(super) struct Token<'p> {
    pub(super) text: &'p str,
    pub(super) start: usize,
    /// How far a statement is indented that begins with it, in no bracket.
    pub(super) begins: Option<usize>,
}

/// A program as tokens.
pub(super) struct Tokens<'p> {
    pub(super) program: &'p str,
    pub(super) language: Language,
    pub(super) all: Vec<Token<'p>>,
    at: usize,
    /// Where the line begins, if no token of it has been read.
    line: Option<usize>,
    /// How far the line is indented.
    indentation: usize,
    /// The tokens that open brackets and `${`, as far as they are open.
    open: Vec<usize>,
}

/// The most tokens of a program, and escapes of a literal: each takes more space than it is long.
pub(super) const MOST: usize = 1 << 22;

/// Prefixes of Python's literals that are read, in lower case.
const PREFIXES: [&str; 3] = ["", "r", "u"];

/// What begins a literal, if its language has it.
pub(super) const QUOTES: [char; 3] = ['"', '\'', '`'];

/// Ends of lines.
const ENDS: [char; 4] = ['\n', '\r', '\u{2028}', '\u{2029}'];

impl<'p> Tokens<'p> {
    /// Reads a program. What can't be read is passed over, too.
    pub(super) fn read(program: &'p str, language: Language) -> (Self, Result<(), Unreadable>) {
        let mut tokens = Self {
            program,
            language,
            all: Vec::new(),
            at: 0,
            line: Some(0),
            indentation: 0,
            open: Vec::new(),
        };
        let read = tokens.read_all();
        (tokens, read)
    }

    /// Returns a token as it is written; nothing where there is none.
    pub(super) fn text(&self, i: usize) -> &'p str {
        self.all.get(i).map_or("", |token| token.text)
    }

    /// Returns whether a statement begins here, or the program ends.
    pub(super) fn begins(&self, i: usize) -> bool {
        self.all.get(i).is_none_or(|token| token.begins.is_some())
    }

    fn is_python(&self) -> bool {
        self.language == Language::Python
    }

    /// Reads all tokens, and returns the first thing that can't be read.
    fn read_all(&mut self) -> Result<(), Unreadable> {
        let mut read = Ok(());
        while self.at < self.program.len() {
            let rest = &self.program[self.at..];
            match self.space(rest) {
                _ if self.all.len() > MOST => {
                    return Err(Unreadable::of(self.all[MOST], Unclear::Code));
                }
                Some(len) => {
                    self.at += len;
                    if rest[..len].contains(['\n', '\r']) {
                        self.line = Some(self.at);
                    }
                }
                None => read = read.and(self.token(rest)),
            }
        }
        let open = self.open.pop().map(|open| self.all[open]);
        read.and(open.map_or(Ok(()), |open| Err(Unreadable::of(open, Unclear::Syntax))))
    }

    /// Returns how long the whitespace or the comment is that a text begins with.
    fn space(&self, rest: &str) -> Option<usize> {
        let is_python = self.is_python();
        match rest.as_bytes() {
            [b' ' | b'\t' | b'\n' | b'\r', ..] => Some(1),
            [b'#', ..] if is_python => Some(line(rest).len()),
            [b'/', b'/', ..] if !is_python => Some(line(rest).len()),
            [b'/', b'*', ..] if !is_python => Some(rest[2..].find("*/")? + 4),
            _ => None,
        }
    }

    fn token(&mut self, rest: &'p str) -> Result<(), Unreadable> {
        let is_python = self.is_python();
        let first = rest.chars().next().unwrap_or_default();
        let word = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
        let is_quote = rest[word..].starts_with(['"', '\'']) && (is_python || word == 0);
        if is_quote || first == '`' && !is_python {
            return self.literal(rest, word);
        }
        let opened = self.open.last().map_or("", |open| self.text(*open));
        if first == '}' && opened.ends_with("${") {
            self.open.pop();
            return self.literal(rest, 0);
        }
        // A comment that is never closed is all that is left.
        let is_open = !is_python && rest.starts_with("/*");
        let len = if is_open {
            rest.len()
        } else {
            word.max(first.len_utf8())
        };
        let token = self.push(&rest[..len]);
        let is_foreign = is_open
            || if is_python { "`$?" } else { "#" }.contains(first)
            || ")]}".contains(first) && !closes(opened, first);
        if is_foreign {
            return Err(Unreadable::of(token, Unclear::Syntax));
        }
        let is_doubt = match first {
            '/' if !is_python => {
                let next = rest[1..].find(|c| c == '/' || ENDS.contains(&c));
                next.is_some_and(|next| rest[1 + next..].starts_with('/'))
            }
            '<' | '-' => rest.starts_with("<!--") || rest.starts_with("-->"),
            _ => !first.is_ascii() || first == '\\',
        };
        if is_doubt {
            return Err(Unreadable::of(token, Unclear::Code));
        }
        match first {
            '(' | '[' | '{' => self.open.push(self.all.len() - 1),
            ')' | ']' | '}' => drop(self.open.pop()),
            _ => {}
        }
        Ok(())
    }

    fn push(&mut self, text: &'p str) -> Token<'p> {
        let line = self.line.take();
        self.indentation = line.map_or(self.indentation, |line| self.at - line);
        let last = self.all.last().map_or(";", |last| last.text);
        let is_value = last.ends_with(|c| is_word(c) || ")]}\"'`".contains(c));
        let goes_on = !text.starts_with(is_word) || ["in", "instanceof"].contains(&text);
        let ends = self.is_python() || is_value && !goes_on;
        let begins = self.open.is_empty() && (last == ";" || line.is_some() && ends);
        let token = Token {
            text,
            start: self.at,
            begins: begins.then_some(self.indentation),
        };
        self.at += text.len();
        self.all.push(token);
        token
    }

    /// Reads a literal behind its prefix, or a template from the end of a `${…}` on.
    fn literal(&mut self, rest: &'p str, prefix: usize) -> Result<(), Unreadable> {
        let quote = quote(&rest[prefix..], self.language).replace('}', "`");
        let is_long = quote.len() > 1 || quote == "`";
        let (mut at, bytes) = (prefix + quote.len(), rest.as_bytes());
        while let Some(byte) = bytes.get(at) {
            match byte {
                b'\\' if bytes[at..].starts_with(b"\\\r\n") => at += 3,
                b'\\' => at += 2,
                b'\n' | b'\r' if !is_long => break,
                b'$' if quote == "`" && bytes.get(at + 1) == Some(&b'{') => {
                    self.push(&rest[..at + 2]);
                    self.open.push(self.all.len() - 1);
                    return Ok(());
                }
                _ if bytes[at..].starts_with(quote.as_bytes()) => {
                    let token = self.push(&rest[..at + quote.len()]);
                    let is_known = PREFIXES.contains(&&rest[..prefix].to_ascii_lowercase()[..]);
                    let doubt = || Err(Unreadable::of(token, Unclear::Code));
                    return if is_known { Ok(()) } else { doubt() };
                }
                _ => at += 1,
            }
        }
        let token = self.push(&rest[..at.min(rest.len())]);
        Err(Unreadable::of(token, Unclear::Syntax))
    }
}

/// Returns the quote that a literal begins with.
pub(super) fn quote(literal: &str, language: Language) -> &str {
    let is_long = literal.starts_with("\"\"\"") || literal.starts_with("'''");
    &literal[..if is_long && language == Language::Python {
        3
    } else {
        1
    }]
}

fn line(rest: &str) -> &str {
    rest.split(ENDS).next().unwrap_or(rest)
}

pub(super) fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '$'
}

fn closes(open: &str, close: char) -> bool {
    matches!((open, close), ("(", ')') | ("[", ']') | ("{", '}'))
}
