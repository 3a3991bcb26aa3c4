//! The lines of a response as a unified diff has them: which sections start at, and what none of a hunk can be.

use super::parse::Around;
use super::{header, names};
use crate::text::{LineNo, Row, Source};

/// The lines of a response, and what is around the diff in it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rows<'a, 'o> {
    pub(super) source: &'a Source,
    pub(super) around: Around<'o>,
}

impl<'a> Rows<'a, '_> {
    /// Returns the line at an index, from 0.
    pub(super) fn get(&self, index: usize) -> Option<Row<'a>> {
        self.source.row(LineNo::from_index(index))
    }

    pub(super) fn starts_with(&self, index: usize, prefix: &[u8]) -> bool {
        self.get(index).is_some_and(|row| row.text.starts_with(prefix))
    }

    /// Returns whether a section starts at a line: `diff --git` and two names, or `--- `, `+++ ` and `@@ -`.
    pub(super) fn starts_section(&self, index: usize) -> bool {
        if self.starts_with(index, b"--- ") {
            return self.starts_with(index + 1, b"+++ ") && self.starts_with(index + 2, b"@@ -");
        }
        let names = self.get(index).and_then(|row| row.text.strip_prefix(b"diff --git "));
        names.is_some_and(|names| names::split(names).is_some() || header::continues(self.get(index + 1)))
    }

    /// Returns whether no line of a hunk can be here, unless it was counted: the response ends, or something else begins.
    pub(super) fn stops(&self, index: usize) -> bool {
        let Some(row) = self.get(index) else { return true };
        let text = row.text;
        match text.first() {
            None | Some(b' ' | b'+' | b'\\') => false,
            Some(b'-') => {
                self.starts_section(index)
                    || self.is_signature(index)
                    || self.is_cut_header(index)
                    || self.around.commented && text == b"-->"
            }
            Some(b'@') => text == b"@@" || text.starts_with(b"@@ "),
            Some(b'`' | b'~') => text.starts_with(b"```") || text.starts_with(b"~~~"),
            _ => {
                const STARTS: [&[u8]; 6] =
                    [b"diff -", b"Index: ", b"Only in ", b"*** Begin Patch", b"<edit ", b"<opx>"];
                STARTS.iter().any(|start| text.starts_with(start))
                    || names_commit(text)
                    || self.around.heredoc.is_some_and(|delimiter| delimiter == text)
            }
        }
    }

    /// Returns whether nothing but empty lines is left of the response.
    pub(super) fn is_end(&self, index: usize) -> bool {
        (index..).map_while(|index| self.get(index)).all(|row| row.text.is_empty())
    }

    /// Returns whether names of a section are all that is left of the response.
    fn is_cut_header(&self, index: usize) -> bool {
        self.starts_with(index, b"--- ") && self.starts_with(index + 1, b"+++ ") && self.get(index + 2).is_none()
    }

    /// Returns whether a line is the `-- ` with which mail ends, and git's version behind it.
    fn is_signature(&self, index: usize) -> bool {
        let is_dashes = |row: Row<'_>| matches!(row.text, b"-- " | b"--");
        let is_version = |row: Row<'_>| {
            row.text.first().is_some_and(u8::is_ascii_digit) && row.text.contains(&b'.') && row.text.len() < 40
        };
        self.get(index).is_some_and(is_dashes)
            && self.get(index + 1).is_some_and(is_version)
            && self.get(index + 2).is_none_or(|row| row.text.is_empty() || self.stops(index + 2))
    }
}

/// Returns whether a line begins a mail or a commit as `git log` shows it.
pub(in crate::format) fn names_commit(text: &[u8]) -> bool {
    let id = text.strip_prefix(b"From ").or_else(|| text.strip_prefix(b"commit "));
    id.is_some_and(|id| id.iter().take_while(|byte| byte.is_ascii_hexdigit()).count() >= 7)
}
