//! A script as words and signs. A word is plain, or quoted in parts; nothing of it is expanded.

use std::mem;
use std::ops::Range;

use bstr::ByteSlice as _;

use super::{CommandRefusal, Doubt, names_move};
use crate::text::{self, Decoded};

/// A word of a script, or the text of a heredoc.
#[derive(Debug, Default)]
pub(super) struct Word {
    /// Its place in the script, quotes included.
    pub(super) range: Range<usize>,
    /// What the shell makes of it.
    pub(super) decoded: Decoded,
    is_quoted: bool,
}

/// What a script is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ShellToken {
    Word,
    Heredoc,
    /// A redirection of output.
    Output,
    And,
    Pipe,
    Semicolon,
    Line,
    End,
}

/// The signs that are read; all that is written together is one sign.
const SIGNS: [(&[u8], ShellToken); 8] = [
    (b"&&", ShellToken::And),
    (b"|", ShellToken::Pipe),
    (b";", ShellToken::Semicolon),
    (b"<<", ShellToken::Heredoc),
    (b">", ShellToken::Output),
    (b">>", ShellToken::Output),
    (b">&", ShellToken::Output),
    (b"&>", ShellToken::Output),
];

/// What an argument begins with that is the text of a heredoc.
const PRINTED: &[u8] = b"\"$(cat <<";

/// Reads a script from its start to its end.
#[derive(Default)]
pub(super) struct Reader<'s> {
    script: &'s [u8],
    at: usize,
    /// Where what was read last begins.
    pub(super) start: usize,
    /// The word or the heredoc that was read last.
    pub(super) word: Word,
    line_start: usize,
    /// Where the line with the signs of heredocs ends, and where their texts end.
    heredocs: Option<(usize, usize)>,
}

impl<'s> Reader<'s> {
    pub(super) fn new(script: &'s [u8]) -> Self {
        let reader = Self::default();
        Self { script, ..reader }
    }

    fn rest(&self) -> &'s [u8] {
        &self.script[self.at..]
    }

    /// Returns how many bytes are next of which each is as asked for.
    fn run(&self, is_asked: impl Fn(&u8) -> bool) -> usize {
        let rest = self.rest();
        let end = rest.iter().position(|byte| !is_asked(byte));
        end.unwrap_or(rest.len())
    }

    /// Refuses what was read last, with what is glued to it.
    pub(super) fn refuse<T>(&mut self) -> Result<T, CommandRefusal> {
        self.at = (self.start + 1).min(self.script.len());
        let end = self.at + self.run(|byte| !b" \t\r\n;\"'".contains(byte));
        Err(CommandRefusal::of_word(self.script, self.start..end))
    }

    /// Refuses what begins in a range and never ends.
    fn refuse_open<T>(&self, at: Range<usize>) -> Result<T, CommandRefusal> {
        let text = self.script[at.clone()].to_str_lossy();
        let doubt = Doubt::Open(text.into_owned());
        Err(CommandRefusal { at, doubt })
    }

    /// Passes over lines of prose.
    pub(super) fn sentences(&mut self) {
        while is_sentence(&self.rest()[..self.run(is_of_line)]) {
            self.at += self.run(is_of_line);
            self.line();
        }
    }

    /// Reads what is next. Behind a heredoc's sign, its line ends before all else does.
    pub(super) fn next(&mut self) -> Result<ShellToken, CommandRefusal> {
        let token = self.token()?;
        let is_operator = matches!(token, ShellToken::And | ShellToken::Pipe);
        while is_operator && self.rest().starts_with(b"\n") {
            self.line();
            self.space();
        }
        match self.heredocs {
            _ if is_operator && self.rest().is_empty() => self.refuse(),
            Some((line_end, _)) if self.at > line_end => self.refuse(),
            _ => Ok(token),
        }
    }

    fn token(&mut self) -> Result<ShellToken, CommandRefusal> {
        self.space();
        self.start = self.at;
        if matches!(self.rest(), [b'1' | b'2', b'>', ..]) {
            self.at += 1;
        }
        let sign = &self.rest()[..self.run(|byte| b"|&;()<>".contains(byte))];
        if let Some((_, token)) = SIGNS.iter().find(|(known, _)| *known == sign) {
            self.at += sign.len();
            if *token == ShellToken::Heredoc {
                self.heredoc()?;
            }
            self.space();
            return Ok(*token);
        }
        match self.rest() {
            [] => return Ok(ShellToken::End),
            [b'\n', ..] => {
                self.line();
                return Ok(ShellToken::Line);
            }
            _ => self.word = self.read_word()?,
        }
        match self.rest() {
            _ if self.word.range.is_empty() => self.refuse(),
            [] | [b' ' | b'\t' | b'\r' | b'\n' | b';' | b'&' | b'|', ..] => Ok(ShellToken::Word),
            _ => self.refuse(),
        }
    }

    /// Ends a line, and passes over the texts of its heredocs.
    fn line(&mut self) {
        self.at = self.heredocs.take().map_or(self.at + 1, |(_, end)| end);
        self.at = self.at.min(self.script.len());
        self.line_start = self.at;
    }

    /// Passes over whitespace and a comment.
    fn space(&mut self) {
        while let [b' ' | b'\t' | b'#', ..] | [b'\r', b'\n', ..] = self.rest() {
            self.at += if self.rest()[0] == b'#' {
                self.run(is_of_line)
            } else {
                1
            };
        }
    }

    /// Reads a word; it is empty where no word is.
    fn read_word(&mut self) -> Result<Word, CommandRefusal> {
        if self.rest().starts_with(PRINTED) {
            return self.printed();
        }
        let start = self.at;
        let mut word = Word::default();
        let mut quote = None;
        loop {
            let at = self.at;
            // How many bytes are left out, and how many behind them are text.
            let (left_out, kept) = match (quote, self.rest()) {
                (Some((_, open)), [byte, ..]) if *byte == open => {
                    quote = None;
                    (1, 0)
                }
                (None, [open @ (b'\'' | b'"'), ..]) => {
                    quote = Some((at, *open));
                    (1, 0)
                }
                (Some((_, b'\'')), _) => (0, self.run(|byte| *byte != b'\'')),
                (Some(_), [b'\\', b'"' | b'\\' | b'$' | b'`', ..]) => (1, 1),
                (Some(_), [b'\\', next, ..]) if !next.is_ascii_control() => (0, 1),
                (Some(_), _) => (0, self.run(|byte| !b"\"\\$`".contains(byte))),
                (None, [b'\\', next, ..]) if !next.is_ascii_control() => (1, 1),
                (None, [b'~' | b'#', ..]) if at == start => (0, 0),
                (None, _) => (0, self.run(is_plain)),
            };
            word.add(self.script, at + left_out..at + left_out + kept);
            word.is_quoted |= left_out > 0;
            self.at += left_out + kept;
            if self.at == at {
                break;
            }
        }
        match quote {
            Some((open, _)) if self.rest().is_empty() => self.refuse_open(open..open + 1),
            Some(_) => {
                self.start = self.at;
                self.refuse()
            }
            None => Ok(word.at(start..self.at)),
        }
    }

    /// Reads `"$(cat <<'EOF'`, the text of the heredoc, and `)"`: the word is that text.
    fn printed(&mut self) -> Result<Word, CommandRefusal> {
        let start = self.at;
        let is_second = self.heredocs.is_some();
        self.at += PRINTED.len();
        self.heredoc()?;
        self.space();
        if is_second
            || self
                .heredocs
                .is_none_or(|(line_end, _)| self.at != line_end)
        {
            return self.refuse();
        }
        self.line();
        self.at += self.run(u8::is_ascii_whitespace);
        if !self.rest().starts_with(b")\"") {
            return self.refuse();
        }
        self.at += 2;
        Ok(mem::take(&mut self.word).at(start..self.at))
    }

    /// Reads the delimiter of a heredoc, and its text.
    fn heredoc(&mut self) -> Result<(), CommandRefusal> {
        self.space();
        let delimiter = self.read_word()?;
        if delimiter.range.is_empty() || delimiter.decoded.text.starts_with(b"-") {
            return self.refuse();
        }
        let (line_end, start) = self.heredocs.unwrap_or_else(|| {
            let line_end = self.at + self.run(is_of_line);
            (line_end, line_end + 1)
        });
        let line = &self.script[self.line_start..];
        let indentation = &line[..text::indentation(line)];
        let texts = self.script.get(start..).unwrap_or_default();
        let word = &delimiter.decoded.text[..];
        let mut end = start;
        let last = texts.lines_with_terminator().find(|line| {
            let text = line.trim_end_with(|end| matches!(end, '\r' | '\n'));
            let is_last = text == word || text.strip_prefix(indentation) == Some(word);
            end += if is_last { 0 } else { line.len() };
            is_last
        });
        let Some(last) = last else {
            return self.refuse_open(delimiter.range);
        };
        self.heredocs = Some((line_end, end + last.len()));
        if !delimiter.is_quoted && self.script[start..end].find_byteset("$`\\").is_some() {
            let doubt = Doubt::Unquoted(word.to_str_lossy().into_owned());
            let at = delimiter.range;
            return Err(CommandRefusal { at, doubt });
        }
        let mut word = Word::default();
        word.add(self.script, start..end);
        let range = delimiter.range;
        self.word = Word {
            range,
            ..word.at(start..end)
        };
        Ok(())
    }
}

impl Word {
    /// Adds a part of the script as it is.
    fn add(&mut self, script: &[u8], part: Range<usize>) {
        if !part.is_empty() {
            self.decoded
                .places
                .note(self.decoded.text.len(), part.start);
            self.decoded.text.extend_from_slice(&script[part]);
        }
    }

    fn at(mut self, range: Range<usize>) -> Self {
        self.decoded.places.note(self.decoded.text.len(), range.end);
        Self { range, ..self }
    }
}

fn is_of_line(byte: &u8) -> bool {
    *byte != b'\n'
}

/// Returns whether a byte is itself for every shell, wherever in a word it is.
fn is_plain(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || *byte >= 0x80 || b"%+,-./:=@^_#~".contains(byte)
}

/// Returns whether a line of prose is no command, since it begins as a sentence does. Not if it names
/// a command that changes the directory, begins a heredoc, or goes on in the next line.
fn is_sentence(line: &[u8]) -> bool {
    let text = line.trim();
    let first = text.split_once_str(" ").map_or(text, |(first, _)| first);
    let is_begun = match first {
        b"-" | b"*" | b"+" | b">" => first.len() < text.len(),
        [b'A'..=b'Z' | b'0'..=b'9' | 0x80.., ..] => !first.contains(&b'='),
        _ => first.starts_with(b"|"),
    };
    let goes_on = text.ends_with(b"\\") || text.ends_with(b"&") || text.ends_with(b"||");
    is_begun && !goes_on && !text.contains_str("<<") && !names_move(text)
}
