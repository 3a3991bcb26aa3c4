//! A script as tokens, its string literals decoded.

use std::ops::Range;

use bstr::ByteSlice as _;

use super::escape::{javascript, python, shown};
use super::{KEYWORDS, Language, Literal, Unreadable, language};
use crate::format::tool::fields::DIRECTORY;
use crate::text::{self, Splice};

/// What a token is.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Kind {
    /// A name, a keyword or a number.
    Word,
    Mark(u8),
    /// A string literal, by the index of its draft.
    Text(usize),
}

pub(super) struct ScriptToken {
    pub(super) kind: Kind,
    range: Range<usize>,
    pub(super) begins_line: bool,
}

/// A string literal, whatever it begins with.
pub(super) struct Draft {
    pub(super) literal: Literal,
    /// What is decoded of it.
    pub(super) text: Vec<u8>,
    close: &'static str,
    pub(super) is_tagged: bool,
}

/// A `${` that is open in a template.
struct Hole {
    /// The template's draft.
    index: usize,
    /// How many braces are open in it.
    braces: usize,
}

/// A script as tokens.
pub(super) struct Code<'a> {
    script: &'a str,
    pub(super) language: Language,
    at: usize,
    begins_line: bool,
    pub(super) tokens: Vec<ScriptToken>,
    pub(super) drafts: Vec<Draft>,
    holes: Vec<Hole>,
}

impl<'a> Code<'a> {
    pub(super) fn read(script: &'a str) -> Self {
        let mut code = Self {
            script,
            language: language(script),
            at: 0,
            begins_line: true,
            tokens: Vec::new(),
            drafts: Vec::new(),
            holes: Vec::new(),
        };
        while let Some(byte) = code.byte(0) {
            code.step(byte);
        }
        for hole in &code.holes {
            let literal = &mut code.drafts[hole.index].literal;
            literal.range.end = script.len();
            literal.inner.end = script.len();
        }
        code
    }

    fn byte(&self, ahead: usize) -> Option<u8> {
        self.script.as_bytes().get(self.at + ahead).copied()
    }

    pub(super) fn kind(&self, i: usize) -> Option<Kind> {
        self.tokens.get(i).map(|token| token.kind)
    }

    pub(super) fn is_mark(&self, i: usize, marks: &[u8]) -> bool {
        matches!(self.kind(i), Some(Kind::Mark(mark)) if marks.contains(&mark))
    }

    /// Returns the word that a token is; of another token nothing.
    pub(super) fn word(&self, i: usize) -> &'a str {
        let word = self.tokens.get(i).filter(|token| token.kind == Kind::Word);
        word.and_then(|token| self.script.get(token.range.clone()))
            .unwrap_or_default()
    }

    /// Returns how many bytes are before a token on its line.
    pub(super) fn column(&self, i: usize) -> usize {
        let start = self.tokens.get(i).map_or(0, |token| token.range.start);
        let before = self.script.as_bytes().get(..start).unwrap_or_default();
        before.len() - before.rfind_byte(b'\n').map_or(0, |at| at + 1)
    }

    /// Returns whether a token is a parenthesis that calls something.
    pub(super) fn is_call(&self, i: usize) -> bool {
        self.is_mark(i, b"(") && !self.callee(i).is_empty()
    }

    /// Returns the last name of what is called by a parenthesis; nothing if it only groups.
    pub(super) fn callee(&self, open: usize) -> &'a str {
        let is_optional = self.is_mark(open.wrapping_sub(1), b".");
        let last = open.wrapping_sub(if is_optional { 3 } else { 1 });
        if let Some(Kind::Text(index)) = self.kind(last.wrapping_sub(1))
            && self.is_mark(last, b"]")
        {
            let inner = self.drafts[index].literal.inner.clone();
            return self.script.get(inner).unwrap_or_default();
        }
        let word = self.word(last);
        let before = self.word(last.wrapping_sub(1));
        let is_called =
            !KEYWORDS.contains(&word) && !["function", "def", "class"].contains(&before);
        if is_called { word } else { "" }
    }

    /// Returns the directory that is named beside a literal, in the same braces; nothing if another
    /// part of the script may name it.
    pub(super) fn directory(&self, index: usize) -> Option<String> {
        let at = self
            .tokens
            .iter()
            .position(|token| token.kind == Kind::Text(index))?;
        let mut depth = 0_usize;
        let first = (0..at).rev().find(|i| {
            depth += usize::from(self.is_mark(*i, b")]}"));
            let is_out = depth == 0 && self.is_mark(*i, b"([{");
            depth = depth.saturating_sub(usize::from(self.is_mark(*i, b"([{")));
            is_out
        });
        let is_named = || (0..self.tokens.len()).any(|i| DIRECTORY.contains(&self.name(i)));
        match self.directory_in(first.unwrap_or(0)) {
            Some(named) => named,
            None => (!is_named()).then(String::new),
        }
    }

    /// Returns the directory that is named in the braces that a token opens: nothing if none is, an
    /// inner nothing if nobody but the script knows which.
    pub(super) fn directory_in(&self, open: usize) -> Option<Option<String>> {
        let mut depth = 0_usize;
        for i in open..self.tokens.len() {
            depth += usize::from(self.is_mark(i, b"([{"));
            depth = depth.saturating_sub(usize::from(self.is_mark(i, b")]}")));
            if depth == 0 {
                break;
            }
            if depth > 1
                || !DIRECTORY.contains(&self.name(i))
                || self.is_mark(i.wrapping_sub(1), b":")
            {
                continue;
            }
            let value = match self.kind(i + 2) {
                Some(Kind::Text(value)) => &self.drafts[value],
                _ => return Some(None),
            };
            let is_plain = self.is_mark(i + 1, b":")
                && self.is_mark(i + 3, b",}")
                && value.literal.trouble.is_none();
            let text = String::from_utf8(value.text.clone()).ok();
            return Some(text.filter(|_| is_plain));
        }
        None
    }

    /// Returns the name that a token is, in quotes or not.
    fn name(&self, i: usize) -> &'a str {
        match self.kind(i) {
            Some(Kind::Text(index)) => {
                let inner = self.drafts[index].literal.inner.clone();
                self.script.get(inner).unwrap_or_default()
            }
            _ => self.word(i),
        }
    }

    fn step(&mut self, byte: u8) {
        let is_python = self.language == Language::Python;
        let is_slash = byte == b'/' && !is_python;
        match byte {
            b'\n' | b'\r' => {
                self.at += 1;
                self.begins_line = true;
            }
            b' ' | b'\t' | 0x0b | 0x0c => self.at += 1,
            b'#' if is_python => self.skip_line(),
            _ if is_slash && self.byte(1) == Some(b'/') => self.skip_line(),
            _ if is_slash && self.byte(1) == Some(b'*') => self.skip_comment(),
            _ if is_slash && self.expects_regex() => self.skip_regex(),
            b'"' => self.open(if is_python { "\"\"\"" } else { "\"" }, "\""),
            b'\'' => self.open(if is_python { "'''" } else { "'" }, "'"),
            b'`' if !is_python => self.open("`", "`"),
            b'{' | b'}' if !self.holes.is_empty() => self.brace(byte),
            _ if is_word(byte) => {
                let rest = &self.script.as_bytes()[self.at..];
                let len = rest.iter().take_while(|byte| is_word(**byte)).count();
                self.push(Kind::Word, len);
            }
            _ => self.push(Kind::Mark(byte), 1),
        }
    }

    fn push(&mut self, kind: Kind, len: usize) {
        let range = self.at..self.at + len;
        self.at = range.end;
        let begins_line = std::mem::take(&mut self.begins_line);
        self.tokens.push(ScriptToken {
            kind,
            range,
            begins_line,
        });
    }

    fn skip_line(&mut self) {
        let rest = &self.script.as_bytes()[self.at..];
        self.at += rest.find_byteset("\r\n").unwrap_or(rest.len());
    }

    fn skip_comment(&mut self) {
        let rest = self
            .script
            .as_bytes()
            .get(self.at + 2..)
            .unwrap_or_default();
        self.at += 2 + rest.find("*/").map_or(rest.len(), |len| len + 2);
    }

    fn expects_regex(&self) -> bool {
        let Some(last) = self.tokens.len().checked_sub(1) else {
            return true;
        };
        self.begins_line
            || self.is_mark(last, b"(,=:[!&|?{};")
            || KEYWORDS.contains(&self.word(last))
    }

    /// Skips a regular expression, or what is left of a line that doesn't close it.
    fn skip_regex(&mut self) {
        let mut is_in_class = false;
        self.at += 1;
        while let Some(byte) = self.byte(0) {
            match byte {
                b'\n' | b'\r' => return,
                b'\\' if !matches!(self.byte(1), None | Some(b'\n' | b'\r')) => self.at += 1,
                b'[' => is_in_class = true,
                b']' => is_in_class = false,
                b'/' if !is_in_class => return self.push(Kind::Mark(b'/'), 1),
                _ => {}
            }
            self.at += 1;
        }
    }

    /// Reads a brace in a template's `${`, which the last brace closes.
    fn brace(&mut self, byte: u8) {
        let Some(mut hole) = self.holes.pop() else {
            return;
        };
        if byte == b'}' && hole.braces == 0 {
            self.at += 1;
            return self.fill(hole.index);
        }
        hole.braces = if byte == b'{' {
            hole.braces + 1
        } else {
            hole.braces - 1
        };
        self.holes.push(hole);
        self.push(Kind::Mark(byte), 1);
    }

    /// Reads a literal. Its quote is the long quote, if the script has that here.
    fn open(&mut self, long: &'static str, short: &'static str) {
        let (script, at) = (self.script, self.at);
        let is_long = script.as_bytes()[at..].starts_with(long.as_bytes());
        let close = if is_long { long } else { short };
        let is_python = self.language == Language::Python;
        let before = self.tokens.pop_if(|token| {
            let word = script.get(token.range.clone()).unwrap_or_default();
            let is_prefix = word.len() <= 2 && word.bytes().all(|byte| b"rRbBuUfF".contains(&byte));
            is_python && token.kind == Kind::Word && token.range.end == at && is_prefix
        });
        let start = before.as_ref().map_or(at, |token| token.range.start);
        self.begins_line |= before.is_some_and(|token| token.begins_line);
        let prefix = script
            .get(start..at)
            .unwrap_or_default()
            .to_ascii_lowercase();
        let last = self.tokens.len().wrapping_sub(1);
        let tag = self.word(last);
        let is_tagged = close == "`"
            && (self.is_mark(last, b")]") || !tag.is_empty() && !KEYWORDS.contains(&tag));
        let is_foreign = prefix.contains(['b', 'f', 'r']) || is_tagged;
        let index = self.drafts.len();
        self.push(Kind::Text(index), close.len());
        self.drafts.push(Draft {
            literal: Literal {
                range: start..self.at,
                inner: self.at..self.at,
                escapes: Vec::new(),
                is_handed: false,
                is_command: false,
                directory: String::new(),
                trouble: is_foreign.then_some(Unreadable::Raw),
            },
            text: Vec::new(),
            close,
            is_tagged,
        });
        self.fill(index);
    }

    /// Reads a literal up to its quote, the next `${` or its end.
    fn fill(&mut self, index: usize) {
        let close = self.drafts[index].close;
        let is_template = close == "`";
        let is_long = is_template || close.len() > 1;
        while let Some(byte) = self.byte(0) {
            let rest = &self.script.as_bytes()[self.at..];
            if rest.starts_with(close.as_bytes()) {
                return self.end(index, close.len());
            }
            match byte {
                b'\\' => self.escape(index),
                b'\r' if is_long && self.byte(1) == Some(b'\n') => self.replace(index, 2, "\n"),
                b'\r' if is_long => self.replace(index, 1, "\n"),
                b'\r' | b'\n' if !is_long => break,
                b'$' if is_template && rest.starts_with(b"${") => {
                    self.blame(index, Unreadable::Interpolation);
                    self.holes.push(Hole { index, braces: 0 });
                    return self.end(index, 2);
                }
                _ => {
                    self.drafts[index].text.push(byte);
                    self.at += 1;
                }
            }
        }
        self.blame(index, Unreadable::Open);
        self.end(index, 0);
    }

    fn end(&mut self, index: usize, quote: usize) {
        let literal = &mut self.drafts[index].literal;
        literal.inner.end = self.at;
        self.at += quote;
        literal.range.end = self.at;
    }

    pub(super) fn blame(&mut self, index: usize, trouble: Unreadable) {
        self.drafts[index].literal.trouble.get_or_insert(trouble);
    }

    fn replace(&mut self, index: usize, len: usize, new: &str) {
        let old = self.at..self.at + len;
        self.at = old.end;
        let Draft { literal, text, .. } = &mut self.drafts[index];
        text.extend(new.bytes());
        if self.script.get(old.clone()) != Some(new) {
            let new = new.into();
            literal.escapes.push(Splice { old, new });
        }
    }

    fn escape(&mut self, index: usize) {
        let rest = self.script.get(self.at..).unwrap_or_default();
        let Some(letter) = rest.chars().nth(1) else {
            self.at = self.script.len();
            return;
        };
        let plain = rest.get(..1 + letter.len_utf8()).unwrap_or_default();
        let escape = match self.language {
            Language::JavaScript => javascript(rest, letter),
            Language::Python => python(rest, letter),
        };
        if let Some((len, new)) = escape {
            return self.replace(index, len, &new);
        }
        let text = shown(rest, letter).to_owned();
        self.blame(index, Unreadable::Escape { text });
        self.replace(index, plain.len(), plain);
    }
}

pub(super) fn is_word(byte: u8) -> bool {
    text::is_word(byte) || byte == b'$'
}
