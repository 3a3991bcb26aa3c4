//! Shell commands in prose, outside of a script that is read whole: where those run that apply
//! patches.
//!
//! The text above such a command is read as a script, if a shell could run it: all of it, or else
//! the lines right above. Where no shell could, for the prose between the commands, only those
//! commands count that change the directory.

use bstr::ByteSlice as _;

use super::command::{self, Doubt, WorkingDir};
use super::drafts::Patience;
use super::prose_line::{self, changes_directory, goes_on, names_move};
use super::walk::Walk;
use crate::format::fence::Fence;
use crate::text;
use crate::text::{Row, Source};

/// Reading a script takes as much longer than a look for a line.
pub(super) const SHELL: usize = 8;

/// The most lines of a command that stands in prose.
const MOST_LINES: usize = 64;

/// Where a script may begin, and where its first command runs.
#[derive(Clone, Default)]
pub(super) struct ScriptStart {
    pub(super) offset: usize,
    pub(super) place: WorkingDir,
}

/// What the commands above a line say of those below.
#[derive(Default)]
pub(super) struct Commands {
    /// Behind the last fence, patch or part that isn't read.
    text: ScriptStart,
    /// Behind the last blank line.
    paragraph: ScriptStart,
    /// Whether any line of the paragraph names a command that changes the directory.
    moves: bool,
    /// Up to where the lines are a heredoc's.
    heredoc: usize,
    /// Behind the last heredoc that is known to follow others without an empty line.
    pub(super) heredocs: usize,
}

impl Commands {
    /// Takes it that the text begins at an offset, where a shell is at a place.
    pub(super) fn begin(&mut self, offset: usize, place: WorkingDir) {
        self.text = ScriptStart { offset, place };
        self.begin_paragraph(self.text.clone());
    }

    fn begin_paragraph(&mut self, start: ScriptStart) {
        self.paragraph = start;
        self.moves = false;
    }

    /// Returns where the commands of the paragraph leave the shell at an offset.
    fn place_at(&self, source: &Source, end: usize, patience: &mut Patience) -> WorkingDir {
        match self.moves {
            true => self.follow(source, end, patience).0,
            false => self.paragraph.place.clone(),
        }
    }

    /// Returns where the commands of the paragraph leave the shell at an offset and, if one goes on
    /// there, where that begins.
    fn follow(
        &self,
        source: &Source,
        end: usize,
        patience: &mut Patience,
    ) -> (WorkingDir, Option<ScriptStart>) {
        let mut place = self.paragraph.place.clone();
        let begin = self.paragraph.offset;
        let rows = source.rows(source.line_at(begin));
        let rows: Vec<_> = rows
            .take_while(|row| row.start() < end)
            .map(|row| row.behind(begin.saturating_sub(row.start())))
            .collect();
        let mut first = 0;
        while let Some(row) = rows.get(first) {
            if !changes_directory(row.text) && !goes_on(row.text) {
                first += 1;
                continue;
            }
            let offset = row.start() + prose_line::prompt(row.text);
            let most = if patience.is_left() { MOST_LINES } else { 1 };
            let lines = &rows[first..rows.len().min(first + most)];
            let whole = lines.iter().enumerate().find_map(|(more, last)| {
                let end = source.start_of(last.number.next()).min(end);
                let script = source.bytes()[offset..end].to_str_lossy();
                patience.spend(SHELL * script.len());
                let (behind, is_whole) = command::follow(&place, &script);
                is_whole.then_some((more + 1, behind))
            });
            if let Some((count, behind)) = whole {
                place = behind;
                first += count;
                continue;
            }
            let open = ScriptStart {
                offset,
                place: place.clone(),
            };
            if lines.iter().any(|row| names_move(row.text)) {
                place.lose(Doubt::Unclear);
            }
            if first + lines.len() == rows.len() {
                return (place, Some(open));
            }
            first += 1;
        }
        (place, None)
    }

    /// Returns where a script may begin that goes as far as a command at an offset, the longest
    /// script first.
    pub(super) fn starts(
        &self,
        source: &Source,
        offset: usize,
        patience: &mut Patience,
    ) -> Vec<ScriptStart> {
        let (place, open) = self.follow(source, offset, patience);
        let mut starts = vec![self.text.clone(), self.paragraph.clone()];
        starts.extend(open);
        starts.retain(|start| start.offset < offset);
        starts.push(ScriptStart { offset, place });
        starts
    }
}

impl<'a> Walk<'a, '_> {
    /// Reads a line in which nothing but prose begins.
    pub(super) fn command(&mut self, row: Row<'a>) {
        let next = self.source.start_of(row.number.next());
        if self.prose.is_hidden() {
            self.pass(row.start(), next);
            // Whether the comment ends isn't known yet, and so whether this is a command.
            if names_move(row.text) {
                let mut place = WorkingDir::default();
                place.lose(Doubt::Unclear);
                self.commands.begin(next, place);
            }
            return;
        }
        let commands = &mut self.commands;
        if Fence::is_at(row.text) {
            commands.begin(next, WorkingDir::default());
        } else if text::is_blank(row.text) && row.start() >= commands.heredoc {
            let place = commands.place_at(self.source, row.start(), &mut self.patience);
            let offset = next;
            commands.begin_paragraph(ScriptStart { offset, place });
        } else if row.start() >= commands.heredoc {
            commands.moves |= names_move(row.text);
        }
    }

    /// Takes it that something else than commands is in a range. Commands behind it may have been
    /// followed before.
    pub(super) fn pass(&mut self, start: usize, end: usize) {
        let commands = &self.commands;
        if commands.text.offset <= start {
            let place = commands.place_at(self.source, start, &mut self.patience);
            self.commands.begin(end, place);
        }
    }

    /// Takes it that a command, which begins at an offset, gets a heredoc that ends at another and is
    /// no patch.
    pub(super) fn pass_heredoc(&mut self, command: usize, end: usize) {
        let commands = &self.commands;
        let (place, open) = commands.follow(self.source, command, &mut self.patience);
        let start = open.unwrap_or(ScriptStart {
            offset: command,
            place,
        });
        let script = self.source.bytes()[start.offset..end].to_str_lossy();
        let (mut place, is_whole) = command::follow(&start.place, &script);
        if !is_whole {
            place.lose(Doubt::Unclear);
        }
        let offset = end;
        self.commands.begin_paragraph(ScriptStart { offset, place });
        self.commands.heredoc = end;
    }
}
