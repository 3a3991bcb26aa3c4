//! Scripts in a response: what a fence holds, and in prose the text around a heredoc.

use std::collections::HashMap;
use std::ops::Range;

use bstr::ByteSlice as _;

use super::command::{Doubt, Form, names_move};
use super::embedded::{self, Holder, InScript, Setting};
use super::error::Error;
use super::literal::{self, Language};
use super::quotes::Quotes;
use super::{Block, marks, prose_line};
use crate::format::fence::Fence;
use crate::format::{Options, files, tool};
use crate::text::{self, LineNo, Row, Source};

/// The reader of scripts, from the top of a response to its end.
pub(super) struct Scripts<'a> {
    source: &'a Source,
    /// Where the text begins that is a script if any command in it is handed a patch: behind the last
    /// fence, patch or part that isn't read.
    start: usize,
    /// Up to where text was read as a script.
    read: usize,
    /// Whether text above it, from the last fence on, names a command that changes the directory.
    is_moved: bool,
    /// Where each word of a heredoc is last alone on a line.
    ends: Option<HashMap<&'a [u8], usize>>,
    /// The string in which the next line is.
    pub(super) quotes: Quotes,
    /// The last line that begins a heredoc, and where that ends.
    heredoc: (&'a [u8], usize),
}

/// What is around a line.
pub(super) struct ScriptAround<'o> {
    pub(super) options: Options<'o>,
    pub(super) fence: Option<Fence>,
}

impl<'a> Scripts<'a> {
    pub(super) fn new(source: &'a Source) -> Self {
        Self {
            source,
            start: 0,
            read: 0,
            is_moved: false,
            ends: None,
            quotes: Quotes::default(),
            heredoc: (b"", 0),
        }
    }

    /// Takes in a line that is neither a script nor another part.
    pub(super) fn line(&mut self, row: Row<'a>, is_code: bool, is_hidden: bool) {
        let next = self.source.start_of(row.number.next());
        self.quotes.line(row.text, is_code);
        if row.start() >= self.heredoc.1 {
            self.heredoc = (row.text, self.source.start_of(self.behind_heredocs(row)));
        }
        if is_hidden || ends_prose(row.text) {
            // Whether a comment ends isn't known yet, and so whether this is a command.
            self.pass(next, next);
        } else if Fence::is_at(row.text) {
            self.begin(next);
        }
    }

    /// Refuses a patch in a string of a script, and in a heredoc of a command that applies none.
    pub(super) fn refuse_held(&self, block: &mut Block<'_>) {
        let (command, end) = self.heredoc;
        if self.quotes.are_open() {
            embedded::refuse(block, Error::Command(Doubt::Quotes));
        } else if block.range.start < end {
            let word = command.fields().next().unwrap_or_default();
            let doubt = Doubt::Word(word.to_str_lossy().into_owned());
            embedded::refuse(block, Error::Command(doubt));
        }
    }

    /// Takes it that another text begins at an offset.
    pub(super) fn begin(&mut self, start: usize) {
        (self.start, self.is_moved) = (start, false);
    }

    /// Takes it that something else than commands is in a range.
    pub(super) fn pass(&mut self, start: usize, end: usize) {
        if self.start <= start {
            self.is_moved |= names_move(&self.source.bytes()[self.start..start]);
            self.start = end;
        }
    }

    /// Reads the script that a line begins, if it hands over a patch: in a fence, as the whole
    /// response, or around a command in prose. The end is an offset in the response.
    pub(super) fn read(&mut self, row: Row<'a>, around: &ScriptAround<'_>) -> Option<InScript> {
        if row.start() < self.read {
            return None;
        }
        let is_open = around
            .fence
            .is_none_or(|fence| !fence.is_closed_by(row.text));
        let opens = Fence::read(row.text).filter(|_| is_open);
        let mut form = Form::Script;
        let mut language = None;
        let range = match opens {
            Some((fence, info)) => {
                let name = info.fields().next().unwrap_or_default();
                language = literal::language(&name.to_str_lossy());
                let range = self.in_fence(row, fence, language.is_none())?;
                let text = self.source.bytes()[range.clone()].trim_ascii_start();
                if language.is_none() && embedded::begins_patch(text) {
                    // The commands behind the patch are read from there.
                    return None;
                }
                range
            }
            None if hands_over(row.text) => {
                let is_given = around.options.depth >= tool::DEEPEST_TEXT;
                form = if is_given { Form::Script } else { Form::Prose };
                self.in_prose(row)
            }
            None => return None,
        };
        let mut found = match language {
            Some(language) => self.program(range.clone(), language, around.options),
            None => {
                self.read = range.end;
                self.script(range.clone(), form, around.options)
            }
        };
        let last = self.source.line_at(range.start + found.end);
        found.end = self.source.start_of(last.next()).min(range.end);
        let is_found = !found.blocks.is_empty() || !found.trials.is_empty();
        if is_found {
            self.is_moved |= form == Form::Prose && self.moves(range.start..found.end);
            self.start = found.end;
        }
        is_found.then_some(found)
    }

    /// Hands a range of the response to a reader.
    fn within<T>(
        &self,
        range: Range<usize>,
        options: Options<'_>,
        read: impl FnOnce(&[u8], Setting<'_>) -> T,
    ) -> T {
        let source = self.source;
        let span = |at: Range<usize>| source.span(range.start + at.start..range.start + at.end);
        let setting = Setting {
            id: source.id(),
            name: source.name(),
            options,
            directory: "",
            place: &span,
        };
        read(&source.bytes()[range.clone()], setting)
    }

    /// Reads commands.
    fn script(&self, range: Range<usize>, form: Form, options: Options<'_>) -> InScript {
        // JSON has strings, too; it says itself what they are.
        if begins_json(&self.source.bytes()[range.clone()]) && !self.begins_patch(range.clone()) {
            return InScript::default();
        }
        let mut found = self.within(range, options, |text, setting| {
            embedded::read(text, form, setting)
        });
        if self.is_moved && form == Form::Prose {
            let blocks = found.blocks.iter_mut();
            let blocks = blocks.filter(|block| block.errors.is_empty());
            let doubt = Doubt::Word("cd".to_owned());
            blocks.for_each(|block| embedded::refuse(block, Error::Command(doubt.clone())));
        }
        found
    }

    /// Reads a program; nothing of one that has other patches in it, or a mark of reasoning.
    fn program(&self, range: Range<usize>, language: Language, options: Options<'_>) -> InScript {
        let blocks = self.within(range.clone(), options, |text, setting| {
            let text = text.to_str().ok()?;
            Some(embedded::program(text, Holder::Fence(language), setting))
        });
        let blocks = blocks.unwrap_or_default();
        let is_refused = blocks.iter().any(|block| !block.errors.is_empty());
        let mut ahead = blocks.iter().filter(|_| !is_refused).peekable();
        let rows = self.source.rows(self.source.line_at(range.start));
        let mut rows = rows.take_while(|row| row.start() < range.end);
        let is_mixed = rows.any(|row| {
            while ahead
                .next_if(|block| block.range.end <= row.start())
                .is_some()
            {}
            let is_in = ahead
                .peek()
                .is_some_and(|block| block.range.contains(&row.start()));
            let begins = files::begins_patch(self.source, row) && !is_refused;
            !is_in && (begins || marks::closing(row.text, false).is_some())
        });
        InScript {
            blocks: if is_mixed { Vec::new() } else { blocks },
            end: range.len(),
            ..InScript::default()
        }
    }

    /// Returns where the commands or the program are in a fence that a line opens. Commands may be in an
    /// open one, and end at a mark that ends a draft. A fence around others is neither.
    fn in_fence(&mut self, row: Row<'a>, fence: Fence, is_shell: bool) -> Option<Range<usize>> {
        let mut number = row.number.next();
        let start = self.source.start_of(number);
        while let Some(row) = self.source.row(number) {
            let is_mark = is_shell && marks::closing(row.text, false).is_some();
            if is_mark || Fence::read(row.text).is_some() || fence.is_closed_by(row.text) {
                let is_end = is_mark || fence.is_closed_by(row.text);
                return is_end.then_some(start..row.start());
            }
            number = self.behind_heredocs(row);
        }
        is_shell.then(|| start..self.source.bytes().len())
    }

    /// Returns whether a patch begins in a line of a range.
    fn begins_patch(&self, range: Range<usize>) -> bool {
        let rows = self.source.rows(self.source.line_at(range.start));
        let mut rows = rows.take_while(|row| row.start() < range.end);
        rows.any(|row| files::begins_patch(self.source, row))
    }

    /// Returns whether a range names a command that changes the directory, outside of heredocs.
    fn moves(&mut self, range: Range<usize>) -> bool {
        let mut number = self.source.line_at(range.start);
        let mut moves = false;
        while let Some(row) = self
            .source
            .row(number)
            .filter(|row| row.start() < range.end)
        {
            moves |= names_move(row.text);
            number = self.behind_heredocs(row);
        }
        moves
    }

    /// Returns where the text is in prose that a command is in.
    fn in_prose(&mut self, row: Row<'a>) -> Range<usize> {
        let mut number = self.behind_heredocs(row);
        while let Some(row) = self.source.row(number)
            && !Fence::is_at(row.text)
            && !files::begins_patch(self.source, row)
            && !ends_prose(row.text)
        {
            number = self.behind_heredocs(row);
        }
        self.start.min(row.start())..self.source.start_of(number)
    }

    /// Returns the line behind the heredocs that a line begins, or else the next line. A heredoc that
    /// never ends counts only if a patch is first in it.
    pub(super) fn behind_heredocs(&mut self, row: Row<'a>) -> LineNo {
        let mut next = row.number.next();
        for word in prose_line::heredocs(row.text) {
            let start = self.source.start_of(next);
            let is_end = |row: &Row<'_>| end_word(row.text) == word;
            let mut rows = self.source.rows(next);
            if self.last_end(word) >= start {
                next = rows.find(is_end).map_or(next, |last| last.number.next());
            } else if rows
                .next()
                .is_some_and(|row| files::begins_patch(self.source, row))
            {
                next = self.source.line_from(self.source.bytes().len());
            }
        }
        next
    }

    /// Returns where a word of a heredoc is last alone on a line; 0 if it never is.
    fn last_end(&mut self, word: &[u8]) -> usize {
        let rows = || self.source.rows(LineNo::FIRST);
        let ends = self.ends.get_or_insert_with(|| {
            let words = rows().flat_map(|row| prose_line::heredocs(row.text));
            let mut ends: HashMap<_, _> = words.map(|word| (word, 0)).collect();
            for row in rows() {
                if let Some(last) = ends.get_mut(end_word(row.text)) {
                    *last = row.start();
                }
            }
            ends
        });
        ends.get(word).copied().unwrap_or_default()
    }
}

/// Returns the word that a line is, if it ends a heredoc; behind it, a script may end that is in quotes.
fn end_word(line: &[u8]) -> &[u8] {
    text::trim(line).trim_end_with(|c| matches!(c, '\'' | '"'))
}

/// Returns whether a part that is no script begins or ends in a line. What a patch in quotes adds or keeps is
/// never first on its line.
fn ends_prose(line: &[u8]) -> bool {
    let opening = marks::opening(line).or_else(|| marks::token(line));
    opening.is_some_and(|mark| mark.start == 0)
        || ["<!--", "-->"]
            .iter()
            .any(|mark| line.starts_with_str(mark))
        || marks::closing(line, false).is_some()
}

/// Returns whether a line may hold a command that is handed a patch.
fn hands_over(line: &[u8]) -> bool {
    let signs = ["<<", "apply_patch", "applypatch"];
    signs.iter().any(|sign| line.contains_str(sign))
}

/// Returns whether a text is JSON.
fn begins_json(text: &[u8]) -> bool {
    let text = text.trim_ascii_start();
    let (bracket, rest) = text.split_at(text.len().min(1));
    match bracket {
        b"{" => rest.trim_ascii_start().starts_with(b"\""),
        b"[" => {
            rest.starts_with(b"\"")
                || rest.starts_with(b"\n")
                || rest.trim_ascii_start().starts_with(b"{")
        }
        _ => false,
    }
}
