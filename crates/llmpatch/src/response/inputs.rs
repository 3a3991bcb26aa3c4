//! Scripts in a response, and the heredocs that commands get as their input.

use std::ops::Range;

use bstr::ByteSlice as _;

use super::command::{self, WorkingDir};
use super::commands::{SHELL, ScriptStart};
use super::embedded::{self, Holder};
use super::error::{Hiding, Nearly, Warning};
use super::literal::{self, Language};
use super::prose_line;
use super::reasoning;
use super::walk::Walk;
use crate::format::fence::Fence;
use crate::format::{self, Block, files};
use crate::text;
use crate::text::Row;

impl<'a> Walk<'a, '_> {
    /// Reads the script that a line begins: a program or shell commands in a fence, or a command that
    /// has a patch as its input.
    pub(super) fn script(&mut self, row: Row<'a>) -> Option<usize> {
        let around = self.around.fence().map(|(fence, _)| fence);
        let opens = Fence::read(row.text)
            .filter(|_| around.is_none_or(|around| !around.is_closed_by(row.text)));
        let Some((fence, info)) = opens else {
            return self.input(row);
        };
        let start = self.source.start_of(row.number.next());
        let mut rows = self.source.rows(row.number.next());
        // A fence around others is no script.
        let stop = rows.find(|row| Fence::read(row.text).is_some());
        if stop.is_some_and(|row| !fence.is_closed_by(row.text)) {
            return self.input(row);
        }
        let body = start..stop.map_or(self.source.bytes().len(), |close| close.start());
        // JSON has strings, too; it says itself what they are.
        if begins_json(&self.source.bytes()[body.clone()]) {
            return self.input(row);
        }
        let name = info.fields().next().unwrap_or_default();
        let language = literal::language(&name.to_str_lossy());
        let (blocks, end) = match language {
            // One that isn't closed may reach into what is no program.
            Some(_) if stop.is_none() => return self.input(row),
            Some(language) => (self.program(body.clone(), language), body.end),
            None => self.commands_in(body),
        };
        if blocks.is_empty() {
            return self.input(row);
        }
        self.prose(row);
        self.is_begun = true;
        for block in blocks {
            self.push(block);
        }
        self.commands.begin(end, WorkingDir::default());
        Some(end)
    }

    /// Reads a fence as commands, and returns where they end; nothing of a fence that holds other
    /// patches, too.
    fn commands_in(&self, body: Range<usize>) -> (Vec<Block<'static>>, usize) {
        let Script { blocks, end, .. } = self.scripts(body.clone(), &WorkingDir::default());
        let is_other =
            |row: &Row<'_>| row.text.contains_str("<!--") || files::begins_patch(self.source, *row);
        let is_mixed = blocks.iter().any(|block| self.is_in_json(block))
            || self
                .row_beside(&blocks, body.start..end, is_other)
                .is_some();
        (if is_mixed { Vec::new() } else { blocks }, end)
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

    /// Reads a script in the response, which begins at a place. It ends at the latest before a
    /// closing mark of reasoning that is in none of its patches.
    fn scripts(&self, range: Range<usize>, place: &WorkingDir) -> Script {
        let script = self.script_in(range.clone(), place);
        let is_mark = |row: &Row<'_>| reasoning::closing(row.text).is_some();
        // A text that a mark is in, and drafts before it, goes beyond what was meant.
        let ends_early = script.blocks.iter().any(has_draft);
        let beside = if ends_early { &[] } else { &script.blocks[..] };
        let mark = self.row_beside(beside, range.clone(), is_mark);
        match mark {
            Some(row) if row.start() >= range.start => {
                self.script_in(range.start..row.start(), place)
            }
            _ => script,
        }
    }

    fn script_in(&self, range: Range<usize>, place: &WorkingDir) -> Script {
        let mut place = place.clone();
        let blocks = self.embedded(range.clone(), |text, setting| {
            embedded::read(text, &mut place, setting)
        });
        let end = range.end;
        Script { blocks, end, place }
    }

    /// Reads a program in a fence.
    fn program(&self, range: Range<usize>, language: Language) -> Vec<Block<'static>> {
        let blocks = self.embedded(range.clone(), |text, setting| {
            embedded::program(text, Holder::Fence(language), setting)
        });
        // Where the program isn't read, a closing mark in it may end a draft.
        let is_refused = blocks.iter().any(|block| !block.errors.is_empty());
        let beside = if is_refused { &[] } else { &blocks[..] };
        let is_mark = |row: &Row<'_>| reasoning::closing(row.text).is_some();
        let begins_patch = |row: &Row<'_>| files::begins_patch(self.source, *row);
        let is_mixed = self.row_beside(beside, range.clone(), is_mark).is_some()
            || self.row_beside(&blocks, range, begins_patch).is_some();
        if is_mixed { Vec::new() } else { blocks }
    }

    /// Reads the patches in a range of the response.
    fn embedded(
        &self,
        range: Range<usize>,
        read: impl FnOnce(&str, embedded::Setting<'_>) -> Vec<Block<'static>>,
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
            directory: "",
            place: &span,
        };
        read(text, setting)
    }

    /// Reads a command whose input is a patch: a heredoc, outside of a script that is read whole.
    /// The commands above and right behind it are read with it, and what closes them below.
    fn input(&mut self, row: Row<'a>) -> Option<usize> {
        let first = self.heredoc(row)?;
        let end = self.heredocs_from(first.end);
        let start = row.start() + prose_line::prompt(row.text);
        let script = self.script_around(start, &first, end);
        if script.blocks.is_empty() {
            let is_patch = first.begins || self.draft(first.body.clone()).is_some();
            if is_patch {
                self.is_begun = true;
                self.prose.note_nearly(row.span, Nearly::Input);
            } else if prose_line::writes_file(row.text) && !self.prose.is_hidden() {
                self.prose.note_nearly(row.span, Nearly::Written);
            }
            self.pass_heredoc(start, first.end);
            return is_patch.then_some(first.end);
        }
        self.is_begun = true;
        for block in script.blocks {
            self.push(block);
        }
        self.commands.begin(script.end, script.place);
        Some(script.end)
    }

    /// Returns the offset behind the heredocs that follow one which ends at an offset, as far as an
    /// empty line.
    fn heredocs_from(&mut self, end: usize) -> usize {
        if end <= self.commands.heredocs {
            return self.commands.heredocs;
        }
        self.commands.heredocs = end;
        let mut number = self.source.line_from(end);
        while let Some(row) = self.source.row(number)
            && !text::is_blank(row.text)
            && Fence::read(row.text).is_none()
            && !files::begins_patch(self.source, row)
        {
            number = number.next();
            if let Some(next) = self.heredoc(row) {
                self.commands.heredocs = next.end;
                number = self.source.line_from(next.end);
            }
        }
        self.commands.heredocs
    }

    /// Reads the script around a command that begins at an offset and gets a text. It goes as far as
    /// `end` or else the end of that text, or to what closes there what it opens.
    fn script_around(&mut self, command: usize, heredoc: &Heredoc, end: usize) -> Script {
        let commands = &self.commands;
        let starts = commands.starts(self.source, command, &mut self.patience);
        for start in &starts {
            for end in [end, heredoc.end] {
                if let Some(range) = self.closed(start, end) {
                    let script = self.scripts(range, &start.place);
                    let holds = |block: &Block<'_>| block.range.end > heredoc.body.start;
                    if script.blocks.iter().any(holds) {
                        return script;
                    }
                }
            }
        }
        let alone = starts.into_iter().next_back().unwrap_or_default();
        self.scripts(command..heredoc.end, &alone.place)
    }

    /// Returns the range of a script that a shell could run, from a place where it may begin to an
    /// offset, or to the line below that closes what it opens.
    fn closed(&mut self, start: &ScriptStart, end: usize) -> Option<Range<usize>> {
        let mut end = end;
        while self.patience.is_left() {
            self.patience.spend(SHELL * (end - start.offset));
            let script = self.source.bytes()[start.offset..end].to_str().ok()?;
            if command::follow(&start.place, script).1 {
                return Some(start.offset..end);
            }
            end = self.close_below(end)?;
        }
        None
    }

    /// Returns the offset behind the first line from an offset on that may close what a command
    /// opens, if nothing but commands is before it.
    fn close_below(&mut self, at: usize) -> Option<usize> {
        let mut number = self.source.line_from(at);
        while let Some(row) = self.source.row(number)
            && self.patience.is_left()
            && Fence::read(row.text).is_none()
            && !files::begins_patch(self.source, row)
        {
            self.patience.spend(row.text.len());
            number = number.next();
            if prose_line::closes_command(row.text) {
                return Some(self.source.start_of(number));
            }
            if let Some(heredoc) = self.heredoc(row) {
                number = self.source.line_from(heredoc.end);
            }
        }
        None
    }

    /// Returns the heredoc that a line begins. A heredoc that never ends counts only if a patch is
    /// first in it.
    fn heredoc(&mut self, row: Row<'a>) -> Option<Heredoc> {
        let behind = prose_line::behind_heredoc_sign(row.text)?;
        let word = prose_line::delimiter(&row.text[behind..])?;
        let next = self.source.row(row.number.next())?;
        let begins = embedded::begins_patch(next.text);
        let is_known = || self.unended.contains(word) || !self.patience.is_left();
        if row.text[..behind].ends_with(b"<<<") || !begins && is_known() {
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

/// A script in a response.
struct Script {
    blocks: Vec<Block<'static>>,
    /// The offset behind it.
    end: usize,
    /// Where the shell is behind it.
    place: WorkingDir,
}

/// Returns whether a text is JSON, and no test or group of a shell: `[ -d s ]`, `{ cd s; }`.
fn begins_json(text: &[u8]) -> bool {
    let (Some(bracket), rest) = (text.trim_ascii_start().first(), text.trim_ascii_start()) else {
        return false;
    };
    let rest = &rest[1..];
    match bracket {
        b'{' => rest.trim_ascii_start().starts_with(b"\""),
        b'[' => {
            rest.starts_with(b"\"")
                || rest.starts_with(b"\n")
                || rest.trim_ascii_start().starts_with(b"{")
        }
        _ => false,
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
