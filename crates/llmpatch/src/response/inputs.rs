//! Scripts in a response, and the heredocs that commands get as their input.

use std::ops::Range;

use bstr::ByteSlice as _;

use super::error::{Error, Hiding, Nearly, Warning};
use super::prose_line;
use super::walk::Walk;
use super::{command, embedded, reasoning};
use crate::format::fence::Fence;
use crate::format::{self, Block, files};
use crate::text;
use crate::text::Row;

impl<'a> Walk<'a, '_> {
    /// Reads the script that a line begins: a program or shell commands in a fence or as the whole
    /// response, or a command that has a patch as its input.
    pub(super) fn script(&mut self, row: Row<'a>) -> Option<usize> {
        let around = self.around.fence().map(|(fence, _)| fence);
        let is_fenced = around.is_some();
        let opens = Fence::read(row.text)
            .map(|(fence, _)| fence)
            .filter(|_| around.is_none_or(|around| !around.is_closed_by(row.text)));
        let body = match opens {
            Some(fence) => {
                let start = self.source.start_of(row.number.next());
                let mut rows = self.source.rows(row.number.next());
                // A fence around others is no script.
                let stop = rows.find(|row| Fence::read(row.text).is_some());
                if stop.is_some_and(|row| !fence.is_closed_by(row.text)) {
                    return self.input(row);
                }
                start..stop.map_or(self.source.bytes().len(), |close| close.start())
            }
            None if !self.is_begun && !is_fenced && is_program(row.text) => {
                row.start()..self.source.bytes().len()
            }
            None => return self.input(row),
        };
        // JSON has strings, too; it says itself what they are.
        let first = self.source.bytes()[body.clone()].trim_ascii_start().first();
        if first.is_some_and(|byte| b"{[".contains(byte)) {
            return self.input(row);
        }
        let (blocks, end) = self.scripts(body.clone(), &command::WorkingDir::default());
        let body = body.start..end;
        let is_other =
            |row: &Row<'_>| row.text.contains_str("<!--") || files::begins_patch(self.source, *row);
        if blocks.is_empty()
            || blocks.iter().any(|block| self.is_in_json(block))
            || self.row_beside(&blocks, body.clone(), is_other).is_some()
        {
            return self.input(row);
        }
        if opens.is_some() {
            self.prose(row);
        }
        self.is_begun = true;
        for block in blocks {
            self.push(block);
        }
        Some(body.end)
    }

    /// Returns whether a patch begins in a line of JSON below a line of something else. JSON says
    /// itself what its strings are.
    fn is_in_json(&self, block: &Block<'_>) -> bool {
        let row = self.source.row(self.source.line_at(block.range.start));
        let text = row.map_or(&b""[..], |row| row.text.trim_ascii_start());
        text.starts_with(b"{\"") || text.starts_with(b"[{")
    }

    /// Returns the first line of a range that is as asked for and in none of some patches.
    fn row_beside(
        &self,
        blocks: &[Block<'_>],
        range: Range<usize>,
        is_asked: impl Fn(&Row<'a>) -> bool,
    ) -> Option<Row<'a>> {
        let mut ahead = blocks.iter().peekable();
        let rows = self.source.rows(self.source.line_at(range.start));
        let mut rows = rows.take_while(|row| row.start() < range.end);
        rows.find(|row| {
            while ahead
                .next_if(|block| block.range.end <= row.start())
                .is_some()
            {}
            let is_in = ahead
                .peek()
                .is_some_and(|block| block.range.contains(&row.start()));
            !is_in && is_asked(row)
        })
    }

    /// Returns the patches that a script in the response applies, and where the script ends: at the
    /// latest before a closing mark of reasoning that is in none of them.
    fn scripts(
        &self,
        range: Range<usize>,
        place: &command::WorkingDir,
    ) -> (Vec<Block<'static>>, usize) {
        let blocks = self.script_blocks(range.clone(), place);
        let is_mark = |row: &Row<'_>| reasoning::closing(row.text).is_some();
        // A text that a mark is in, and drafts before it, goes beyond what was meant.
        let ends_early = blocks.iter().any(has_draft);
        let beside = if ends_early { &[] } else { &blocks[..] };
        let mark = self.row_beside(beside, range.clone(), is_mark);
        match mark {
            Some(row) if row.start() >= range.start => {
                let range = range.start..row.start();
                (self.script_blocks(range.clone(), place), range.end)
            }
            _ => (blocks, range.end),
        }
    }

    fn script_blocks(
        &self,
        range: Range<usize>,
        place: &command::WorkingDir,
    ) -> Vec<Block<'static>> {
        let Ok(text) = self.source.bytes()[range.clone()].to_str() else {
            return Vec::new();
        };
        let source = self.source;
        let span =
            |inner: Range<usize>| source.span(range.start + inner.start..range.start + inner.end);
        let setting = embedded::Setting {
            id: source.id(),
            name: source.name(),
            options: *self.options,
            directory: place.directory.as_deref().unwrap_or_default(),
            place: &span,
        };
        let mut blocks = embedded::read(text, setting);
        if let Err(doubt) = &*place.directory {
            let refuse = |block| embedded::refuse(block, Error::Command(doubt.clone()));
            blocks.iter_mut().for_each(refuse);
        }
        blocks
    }

    /// Reads a command whose input is a patch: a heredoc, outside of a script that is read whole.
    /// The lines right before it that change the directory are read with it, and so are the
    /// commands right behind it.
    fn input(&mut self, row: Row<'a>) -> Option<usize> {
        let first = self.heredoc(row)?;
        let mut end = first.end;
        let mut number = self.source.line_at(end);
        while let Some(row) = self.source.row(number)
            && !text::is_blank(row.text)
            && Fence::read(row.text).is_none()
        {
            number = number.next();
            if let Some(next) = self.heredoc(row) {
                end = next.end;
                number = self.source.line_at(end).max(number);
            }
        }
        let start = row.start() + prose_line::prompt(row.text);
        let (blocks, stop) = self.scripts(start..end, &self.place);
        if blocks.is_empty() && !first.begins && self.draft(first.body.clone()).is_none() {
            if prose_line::writes_file(row.text) && !self.prose.is_hidden() {
                self.prose.note_nearly(row.span, Nearly::Written);
            }
            return None;
        }
        self.is_begun = true;
        if blocks.is_empty() {
            self.prose.note_nearly(row.span, Nearly::Input);
            return Some(first.end);
        }
        for block in blocks {
            self.push(block);
        }
        Some(stop)
    }

    /// Returns the heredoc that a line begins. A heredoc that never ends counts only if a patch is
    /// first in it.
    fn heredoc(&mut self, row: Row<'a>) -> Option<Heredoc> {
        let at = row.text.rfind(b"<<")?;
        let word = prose_line::delimiter(&row.text[at + 2..])?;
        let next = self.source.row(row.number.next())?;
        let begins = embedded::begins_patch(next.text);
        let is_known = || self.unended.contains(word) || !self.patience.is_left();
        if row.text[..at].ends_with(b"<") || !begins && is_known() {
            return None;
        }
        let mut rows = self.source.rows(next.number);
        let close = rows.find(|row| ends_heredoc(row.text, word));
        if !begins {
            let end = close.map_or(self.source.bytes().len(), |close| close.start());
            // It is read as a patch, which takes longer than a look for its end.
            self.patience.spend(8 * (end - next.start()));
        }
        if close.is_none() {
            self.unended.insert(word.to_vec());
        }
        if close.is_none() && !begins {
            return None;
        }
        let last = close.map_or(self.source.bytes().len(), |close| close.start());
        Some(Heredoc {
            begins,
            body: next.start()..last,
            end: close.map_or(last, |close| self.source.start_of(close.number.next())),
        })
    }
}

/// The text that a command in a response gets.
struct Heredoc {
    /// Whether a patch is first in it.
    begins: bool,
    body: Range<usize>,
    /// The offset behind the line that ends it.
    end: usize,
}

/// Returns whether a line begins with the word that ends a heredoc.
fn ends_heredoc(line: &[u8], word: &[u8]) -> bool {
    let rest = line.trim_start().strip_prefix(word);
    rest.is_some_and(|rest| !rest.first().is_some_and(u8::is_ascii_alphanumeric))
}

/// Returns whether a patch has others in it that a closing mark makes drafts of.
fn has_draft(block: &Block<'_>) -> bool {
    block.warnings.iter().any(|warning| {
        matches!(
            &warning.value,
            format::Warning::Response(Warning::Hidden {
                by: Hiding::Unopened(_),
                ..
            })
        )
    })
}

/// Returns whether a line looks like the first of a program.
fn is_program(line: &[u8]) -> bool {
    const WORDS: [&str; 11] = [
        "const ",
        "let ",
        "var ",
        "await ",
        "import ",
        "from ",
        "async ",
        "//",
        "#!",
        "apply_patch(",
        "tools.",
    ];
    WORDS.iter().any(|word| line.starts_with(word.as_bytes()))
}
