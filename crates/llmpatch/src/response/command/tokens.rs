//! A script as a shell reads it: words, operators, heredocs.

use std::ops::Range;

use super::DEEPEST;
use super::word::{InlineText, Word, expanded_in, expansion};
use crate::text::{is_name, is_word};

/// A part of a script.
#[derive(Debug)]
pub(super) enum ShellToken {
    Word(Word),
    /// A heredoc or a here-string.
    Stdin(InlineText),
    /// The output goes to a file.
    Writes,
    /// An operator or a newline.
    Operator(&'static str),
    /// From here on the script can't be read.
    Unclear(Range<usize>),
}

/// The operators that aren't redirections. An operator is before its own beginning.
const OPERATORS: &[&str] = &["&&", "&", "||", "|&", "|", ";;", ";", "(", ")", "\n"];
const REDIRECTIONS: &[&str] = &[
    "<<<", "<<-", "<<", "<>", "<&", "<", "&>>", "&>", ">>", ">|", ">&", ">",
];

/// A heredoc whose text is behind the line that is being read.
struct Pending {
    /// The number of its token.
    token: usize,
    delimiter: String,
    /// Whether the shell expands nothing in it.
    is_literal: bool,
    /// Whether tabs at the start of lines are dropped.
    tabs: bool,
}

/// Reads a script into tokens.
pub(super) struct Reader<'s> {
    script: &'s str,
    at: usize,
    /// How many substitutions are open.
    pub(super) depth: usize,
}

impl<'s> Reader<'s> {
    pub(super) fn new(script: &'s str) -> Self {
        Self {
            script,
            at: 0,
            depth: 0,
        }
    }

    /// Returns what isn't read yet.
    fn rest(&self) -> &[u8] {
        &self.script.as_bytes()[self.at..]
    }

    fn starts_with(&self, what: &str) -> bool {
        self.rest().starts_with(what.as_bytes())
    }

    /// Reads all tokens, or the tokens up to the parenthesis that closes a substitution.
    pub(super) fn tokens(&mut self, inside: bool) -> Vec<ShellToken> {
        let mut tokens = Vec::new();
        let mut pending = Vec::new();
        let mut open = 0_usize;
        loop {
            self.whitespace();
            let start = self.at;
            let starts = |what: &&&str| self.starts_with(what);
            let substitution = self.starts_with("<(") || self.starts_with(">(");
            let read = if self.rest().is_empty() {
                if inside { None } else { break }
            } else if let Some(operator) = REDIRECTIONS.iter().find(starts)
                && !substitution
            {
                self.at += operator.len();
                self.redirection(operator, &mut tokens, &mut pending)
            } else if let Some(operator) = OPERATORS.iter().find(starts) {
                self.at += operator.len();
                match *operator {
                    "(" => open += 1,
                    ")" if open == 0 && inside => break,
                    ")" => open = open.saturating_sub(1),
                    "\n" => self.heredocs(&mut tokens, &mut pending),
                    _ => {}
                }
                tokens.push(ShellToken::Operator(operator));
                Some(())
            } else {
                self.word()
                    .and_then(|word| self.descriptor(word, &mut tokens))
            };
            if read.is_none() {
                let quoted = self.script[start..].starts_with(['\'', '"']);
                let start = start + usize::from(quoted);
                tokens.push(ShellToken::Unclear(start..self.script.len()));
                break;
            }
        }
        tokens
    }

    /// Passes over whitespace, joined lines and a comment.
    fn whitespace(&mut self) {
        loop {
            match self.rest() {
                [b' ' | b'\t' | b'\r', ..] => self.at += 1,
                [b'\\', b'\n', ..] => self.at += 2,
                [b'\\', b'\r', b'\n', ..] => self.at += 3,
                [b'#', ..] => {
                    self.at += memchr::memchr(b'\n', self.rest()).unwrap_or(self.rest().len())
                }
                _ => return,
            }
        }
    }

    /// Keeps a word, unless it is the number of a descriptor before a redirection: `2>file`.
    fn descriptor(&mut self, word: Word, tokens: &mut Vec<ShellToken>) -> Option<()> {
        let is_number = word.bare && word.text.bytes().all(|byte| byte.is_ascii_digit());
        let redirection = matches!(self.rest(), [b'<' | b'>', ..]);
        if !is_number || !redirection {
            tokens.push(ShellToken::Word(word));
        } else if word.text != "1" && self.starts_with(">") {
            // What isn't the output may go anywhere.
            self.at += self
                .rest()
                .iter()
                .take_while(|byte| b">&|".contains(byte))
                .count();
            self.whitespace();
            self.word()?;
        }
        Some(())
    }

    /// Reads what is behind a redirection's operator; `None` if it can't be read.
    fn redirection(
        &mut self,
        operator: &str,
        tokens: &mut Vec<ShellToken>,
        pending: &mut Vec<Pending>,
    ) -> Option<()> {
        // A comment of HTML is no shell's.
        if operator == "<" && self.starts_with("!--") {
            return None;
        }
        self.whitespace();
        let word = self
            .word()
            .filter(|word| !word.bare || !word.text.is_empty())?;
        match operator {
            "<<" | "<<-" => {
                pending.push(Pending {
                    token: tokens.len(),
                    is_literal: !word.bare,
                    delimiter: word.text,
                    tabs: operator == "<<-",
                });
                tokens.push(ShellToken::Stdin(InlineText::default()));
            }
            "<<<" => tokens.extend(word.body().map(ShellToken::Stdin)),
            _ if operator.contains('>') && word.text != "/dev/stdout" => {
                tokens.push(ShellToken::Writes);
            }
            _ => {}
        }
        Some(())
    }

    /// Reads the texts of the heredocs of the line that has ended.
    fn heredocs(&mut self, tokens: &mut [ShellToken], pending: &mut Vec<Pending>) {
        for heredoc in pending.drain(..) {
            let start = self.at;
            let mut end = None;
            let mut tabs = false;
            while end.is_none() && !self.rest().is_empty() {
                let rest = &self.script[self.at..];
                let line = rest.split_inclusive('\n').next().unwrap_or(rest);
                let text = line.trim_end_matches(['\n', '\r']);
                let bare = text.trim_start_matches('\t');
                if heredoc.delimiter == if heredoc.tabs { bare } else { text } {
                    end = Some(self.at);
                } else {
                    tabs |= heredoc.tabs && bare.len() != text.len();
                }
                self.at += line.len();
            }
            if let Some(ShellToken::Stdin(body)) = tokens.get_mut(heredoc.token) {
                body.range = start..end.unwrap_or(self.at);
                let text = &self.script[body.range.clone()];
                let expanded = expanded_in(text).filter(|_| !heredoc.is_literal);
                body.expanded = expanded.map(str::to_owned);
                body.trouble = tabs.then(|| expansion("<<-"));
            }
        }
    }

    /// Reads a word; `None` if something in it never closes. It is empty where no word is.
    fn word(&mut self) -> Option<Word> {
        let start = self.at;
        let mut word = Word {
            bare: true,
            is_quoted: true,
            ..Word::default()
        };
        loop {
            let from = self.at;
            match self.rest() {
                [b'<' | b'>', b'(', ..] => self.expand(&mut word)?,
                _ if self.is_apostrophe(&word) => return None,
                [] | [b' ' | b'\t' | b'\r' | b'\n', ..] => break,
                [b';' | b'&' | b'|' | b'(' | b')' | b'<' | b'>', ..] => break,
                [b'\'', ..] => {
                    let length = memchr::memchr(b'\'', &self.rest()[1..])?;
                    word.bare = false;
                    self.at += 1;
                    word.drop(from..self.at);
                    self.at += length;
                    word.text.push_str(&self.script[from + 1..self.at]);
                    word.drop(self.at..self.at + 1);
                    self.at += 1;
                }
                [b'$', b'\'', ..] => {
                    self.at += 1;
                    self.until(b'\'')?;
                    self.expanded(from, &mut word);
                    word.bare = false;
                }
                [b'$', b'"', ..] => {
                    word.drop(from..from + 1);
                    self.at += 1;
                }
                [b'"', ..] => {
                    word.bare = false;
                    self.double(&mut word)?;
                }
                [b'\\', ..] => {
                    self.escape(&mut word);
                    word.bare = false;
                }
                [b'$' | b'`', ..] => self.expand(&mut word)?,
                [b'~', ..] if from == start => self.special(&mut word),
                [b'*' | b'?' | b'[', ..] => self.special(&mut word),
                [b'{', next, ..] if !next.is_ascii_whitespace() => self.special(&mut word),
                _ => {
                    word.is_quoted = false;
                    self.literal(b" \t\r\n;&|()<>'\"\\$`*?[{", &mut word);
                }
            }
        }
        word.range = start..self.at;
        Some(word)
    }

    /// Returns whether a quote is next that only prose has: it would open or close a string of several
    /// lines in the middle of a word, and not the value of an option.
    fn is_apostrophe(&self, word: &Word) -> bool {
        let [quote @ (b'\'' | b'"' | b'`'), inner @ ..] = self.rest() else {
            return false;
        };
        let is_word = |byte: Option<&u8>| byte.is_some_and(|byte| is_word(*byte));
        let before = self.script.as_bytes()[..self.at].last();
        let before = before.filter(|_| !word.text.starts_with('-'));
        let close = memchr::memchr(*quote, inner).unwrap_or(inner.len());
        let has_lines = memchr::memchr(b'\n', &inner[..close]).is_some();
        has_lines && (is_word(before) || is_word(inner.get(close + 1)))
    }

    /// Reads what is in double quotes.
    fn double(&mut self, word: &mut Word) -> Option<()> {
        word.drop(self.at..self.at + 1);
        self.at += 1;
        loop {
            match self.rest() {
                [] => return None,
                [b'"', ..] => break,
                [b'\\', b'$' | b'`' | b'"' | b'\\' | b'\n', ..] => self.escape(word),
                [b'$' | b'`', ..] => self.expand(word)?,
                _ => self.literal(b"\"\\$`", word),
            }
        }
        word.drop(self.at..self.at + 1);
        self.at += 1;
        Some(())
    }

    /// Reads a character, and what follows up to any of some bytes.
    fn literal(&mut self, ends: &[u8], word: &mut Word) {
        let rest = &self.script[self.at..];
        let first = rest.chars().next().map_or(0, char::len_utf8);
        let mut more = rest.bytes().skip(first);
        let length = more.position(|byte| ends.contains(&byte));
        let length = length.map_or(rest.len(), |length| first + length);
        word.text.push_str(&rest[..length]);
        self.at += length;
    }

    /// Reads a backslash and what it takes literally.
    fn escape(&mut self, word: &mut Word) {
        let from = self.at;
        self.at += 1;
        word.drop(from..self.at);
        if let Some(next) = self.script[self.at..].chars().next() {
            let start = self.at;
            self.at += next.len_utf8();
            if next == '\n' {
                word.drop(start..self.at);
            } else {
                word.text.push(next);
            }
        }
    }

    /// Reads a character that may stand for names of files.
    fn special(&mut self, word: &mut Word) {
        self.at += 1;
        self.expanded(self.at - 1, word);
    }

    /// Keeps what was read from `from` on as an expansion.
    fn expanded(&self, from: usize, word: &mut Word) {
        let text = &self.script[from..self.at];
        let place = word.text.len()..word.text.len() + text.len();
        word.text.push_str(text);
        word.expansions.push(place);
    }

    /// Passes over a character and what follows, to a closing byte without a backslash before it.
    fn until(&mut self, close: u8) -> Option<()> {
        loop {
            self.at += 1;
            match self.rest() {
                [] => return None,
                [b'\\', _, ..] => self.at += 1,
                [byte, ..] if *byte == close => break,
                _ => {}
            }
        }
        self.at += 1;
        Some(())
    }

    /// Reads a variable or a substitution; a `$` before anything else is itself.
    fn expand(&mut self, word: &mut Word) -> Option<()> {
        let from = self.at;
        match self.rest() {
            [b'$', b'(', b'(', ..] => self.arithmetic()?,
            [b'$' | b'<' | b'>', b'(', ..] => {
                self.at += 2;
                self.depth += 1;
                if self.depth > DEEPEST {
                    return None;
                }
                let tokens = self.tokens(true);
                self.depth -= 1;
                if let Some(ShellToken::Unclear(_)) = tokens.last() {
                    return None;
                }
                word.heredoc = word.heredoc.take().or_else(|| printed(tokens));
            }
            [b'$', b'{', ..] => self.until(b'}')?,
            [b'`', ..] => self.until(b'`')?,
            [b'$', byte, ..] if is_name(*byte) => {
                let name = self.rest()[1..].iter().take_while(|byte| is_name(**byte));
                self.at += 1 + name.count();
            }
            [b'$', b'?' | b'!' | b'@' | b'*' | b'#' | b'-' | b'$', ..] => self.at += 2,
            _ => {
                word.text.push('$');
                self.at += 1;
                return Some(());
            }
        }
        self.expanded(from, word);
        Some(())
    }

    /// Reads `$((…))`.
    fn arithmetic(&mut self) -> Option<()> {
        let mut open = 0_usize;
        let end = self.rest().iter().position(|byte| {
            open += usize::from(*byte == b'(');
            open -= usize::from(*byte == b')');
            *byte == b')' && open == 0
        })?;
        self.at += end + 1;
        Some(())
    }
}

/// Returns the heredoc that a substitution of nothing but `cat` prints.
fn printed(tokens: Vec<ShellToken>) -> Option<InlineText> {
    let mut tokens = tokens.into_iter();
    match (tokens.next(), tokens.next()) {
        (Some(ShellToken::Word(word)), Some(ShellToken::Stdin(body))) if word.text == "cat" => {
            tokens
                .all(|token| matches!(token, ShellToken::Operator("\n")))
                .then_some(body)
        }
        _ => None,
    }
}
