//! New files, and files that are given anew as a whole.

use super::error::Error;
use super::overlay::Found;
use super::planner::{Done, Failed, Named, Planner};
use super::section;
use super::suggest::{self, Names};
use super::warning::Warning;
use crate::patch::Format;
use crate::path::{RepoPath, unlikely};
use crate::text::{Ending, Lines, Text};
use crate::tree::{Content, File, Mode};

impl Planner<'_> {
    /// Puts a new file at a path, unless it is given whole under a path by which a tracked file is
    /// probably meant. A path that begins with `./` means what it says.
    pub(super) fn create_as_meant(
        &mut self,
        at: Named<'_, '_>,
        lines: &[Text<'_>],
        ends_open: bool,
    ) -> Done {
        let is_checked =
            self.edits[self.number].format == Format::Files && !at.written.starts_with(b"./");
        if is_checked && matches!(self.overlay.obstacle(at.path), Ok(None)) {
            let names = self.names.get_or_init(|| Names::new(self.tree.tracked()));
            let directory = self.resolver.directory();
            if let Some(meant) = names.meant_by_new(at.path, directory) {
                let missing = suggest::not_new(meant, at.path, directory);
                return self.fail(at.span, Error::Missing(at.path.clone(), missing));
            }
        }
        self.create(at, joined(lines, ends_open), None)
    }

    /// Puts a new file at a path, executable if a header says so.
    pub(super) fn create(&mut self, at: Named<'_, '_>, bytes: Vec<u8>, mode: Option<u32>) -> Done {
        let there = self.overlay.obstacle(at.path);
        let there = self.room(at, there)?;
        let bytes = match self.overlay.predecessor(at.path) {
            Some(old) => like(&old.content, bytes),
            None => bytes,
        };
        let content = self.tree.check_out(at.path, bytes).map_err(Error::from);
        let content = self.read(content, at.span)?;
        self.put_new(at, there, content.into(), mode)
    }

    /// Puts a new file with a content at a path.
    pub(super) fn create_of(
        &mut self,
        at: Named<'_, '_>,
        content: Content,
        mode: Option<u32>,
    ) -> Done {
        let there = self.overlay.obstacle(at.path);
        let there = self.room(at, there)?;
        self.put_new(at, there, content, mode)
    }

    fn put_new(
        &mut self,
        at: Named<'_, '_>,
        there: Option<File>,
        content: Content,
        mode: Option<u32>,
    ) -> Done {
        let mode = section::with_mode(self.mode_of_new(at.path, there.as_ref()), mode);
        let file = self.newcomer(at, there, File { content, mode }, false)?;
        self.overlay.put(at.path, file);
        Ok(())
    }

    /// Returns the mode of a file that is given anew, but for what its header says: that of the file which
    /// it replaces. A diff that deletes a file and makes another says of both what they are.
    fn mode_of_new(&self, path: &RepoPath, there: Option<&File>) -> Mode {
        if let Some(there) = there {
            return there.mode;
        }
        let is_said = self.edits[self.number].edit.header.is_some();
        let deleted = self.overlay.predecessor(path).filter(|_| !is_said);
        let mode = deleted.map(|deleted| deleted.mode);
        mode.filter(|mode| !mode.is_link()).unwrap_or(Mode::PLAIN)
    }

    pub(super) fn replace(
        &mut self,
        at: Named<'_, '_>,
        lines: &[Text<'_>],
        ends_open: bool,
    ) -> Done {
        let Named { path, span, .. } = at;
        let file = self.base(path, span)?;
        let content: Content = like(&file.content, joined(lines, ends_open)).into();
        if content == file.content {
            self.warn(span, Warning::NoChange { path: path.clone() });
        }
        self.overlay.put(
            path,
            File {
                content,
                mode: file.mode,
            },
        );
        Ok(())
    }

    /// Returns the file at the path of a new file; an error if what is there, or the path, allows
    /// no file.
    pub(super) fn room(
        &mut self,
        Named {
            path,
            written,
            span,
        }: Named<'_, '_>,
        there: Found<Option<File>>,
    ) -> Result<Option<File>, Failed> {
        let there = self.read(there, span)?;
        // What is in front of it (`--directory`) isn't of the response.
        let is_whole = path.as_bytes().ends_with(written);
        let name = if is_whole { written } else { path.as_bytes() };
        match unlikely(name) {
            Some(error) if there.is_none() => self.fail(
                span,
                Error::Path {
                    written: written[..].into(),
                    error,
                    meant: None,
                    directory: Default::default(),
                    session: None,
                },
            ),
            _ => Ok(there),
        }
    }

    /// Returns the file that a path gets: the new file, or the file that is there if git would take
    /// both for the same.
    pub(super) fn newcomer(
        &mut self,
        Named { path, span, .. }: Named<'_, '_>,
        there: Option<File>,
        file: File,
        is_target: bool,
    ) -> Result<File, Failed> {
        // Without a header, nothing is said of modes.
        let is_mode_said = self.edits[self.number].edit.header.is_some();
        match there {
            Some(there)
                if there.content == file.content
                    && (!is_mode_said || there.mode.executable == file.mode.executable)
                    && there.mode.is_link() == file.mode.is_link() =>
            {
                self.warn(span, Warning::AlreadyThere { path: path.clone() });
                Ok(there)
            }
            Some(there)
                if !self.rules.overwrite
                    && (is_target
                        || !self.rules.knows_base && !self.is_of_session(path, &there)) =>
            {
                self.fail(span, self.occupied(path, there.content, &file, is_target))
            }
            _ => Ok(file),
        }
    }
}

impl Planner<'_> {
    /// Returns whether a call may write a file anew: this response made the file, or it is what the
    /// session says that the call found.
    fn is_of_session(&self, path: &RepoPath, there: &File) -> bool {
        let record = self.edits[self.number].edit.record.as_ref();
        record.is_some_and(|record| {
            let is_found = record
                .before
                .as_ref()
                .is_some_and(|before| there.content[..] == before[..]);
            is_found || self.overlay.in_tree(path).is_none()
        })
    }
}

/// Joins lines, each terminated by LF; if the text ends open, the last line isn't terminated.
fn joined(lines: &[Text<'_>], ends_open: bool) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(lines.iter().map(|line| line.len() + 1).sum());
    for line in lines {
        bytes.extend_from_slice(line);
        bytes.push(b'\n');
    }
    bytes.truncate(bytes.len() - usize::from(ends_open));
    bytes
}

/// Gives what replaces all of a text its byte order mark and the terminator that most of its lines
/// have. A text without a terminator has none to give.
fn like(old: &Content, new: Vec<u8>) -> Vec<u8> {
    if old.is_binary() {
        return new;
    }
    let lines = old.lines();
    let majority = lines.bytes().contains(&b'\n').then(|| lines.majority());
    let mut bytes = Vec::with_capacity(new.len());
    if !new.starts_with(Lines::BOM) {
        bytes.extend_from_slice(lines.bom());
    }
    for line in Lines::within(&new).iter() {
        bytes.extend_from_slice(line.text);
        let ending = match line.ending {
            Ending::None => Ending::None,
            ending => majority.unwrap_or(ending),
        };
        bytes.extend_from_slice(ending.as_bytes());
    }
    bytes
}
