//! The lines of a response as a unified diff has them: with the CR that may be content, and what none of them can be.

use super::parse::Around;
use crate::text::{LineNo, Lines, Source, Span};

/// A line of the response.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row<'a> {
    /// All of it but the LF.
    raw: &'a [u8],
    /// Whether there is an LF.
    pub(super) terminated: bool,
    /// Where it starts in the response.
    pub(super) start: usize,
}

impl<'a> Row<'a> {
    /// Returns the line without LF or CRLF.
    pub(super) fn text(self) -> &'a [u8] {
        if self.has_cr() { &self.raw[..self.raw.len() - 1] } else { self.raw }
    }

    /// Returns the line without LF.
    pub(super) fn raw(self) -> &'a [u8] {
        self.raw
    }

    /// Returns whether it ends in CRLF.
    pub(super) fn has_cr(self) -> bool {
        self.terminated && self.raw.ends_with(b"\r")
    }

    /// Returns the line behind its first `len` bytes, and where that starts.
    pub(super) fn behind(self, len: usize) -> (&'a [u8], usize) {
        (&self.text()[len..], self.start + len)
    }

    pub(super) fn span(self, source: &Source) -> Span {
        source.span(self.start..self.start + self.text().len())
    }
}

/// The lines of a response, and what is around the diff in it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rows<'a, 'o> {
    pub(super) source: &'a Source,
    pub(super) around: Around<'o>,
}

impl<'a> Rows<'a, '_> {
    /// Returns the line at an index, from 0.
    pub(super) fn get(&self, index: usize) -> Option<Row<'a>> {
        row(self.source, index)
    }

    pub(super) fn starts_with(&self, index: usize, prefix: &[u8]) -> bool {
        self.get(index).is_some_and(|row| row.text().starts_with(prefix))
    }

    /// Returns whether a section starts at a line.
    pub(super) fn starts_section(&self, index: usize) -> bool {
        starts_section(self.source, index)
    }

    /// Returns whether no line of a hunk can be here, unless it was counted: the response ends, or something else begins.
    pub(super) fn stops(&self, index: usize) -> bool {
        let Some(row) = self.get(index) else { return true };
        let text = row.text();
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
        (index..).map_while(|index| self.get(index)).all(|row| row.text().is_empty())
    }

    /// Returns whether names of a section are all that is left of the response.
    fn is_cut_header(&self, index: usize) -> bool {
        self.starts_with(index, b"--- ") && self.starts_with(index + 1, b"+++ ") && self.get(index + 2).is_none()
    }

    /// Returns whether a line is the `-- ` with which mail ends, and git's version behind it.
    fn is_signature(&self, index: usize) -> bool {
        let is_dashes = |row: Row<'_>| matches!(row.text(), b"-- " | b"--");
        let is_version = |row: Row<'_>| {
            row.text().first().is_some_and(u8::is_ascii_digit) && row.text().contains(&b'.') && row.text().len() < 40
        };
        self.get(index).is_some_and(is_dashes)
            && self.get(index + 1).is_some_and(is_version)
            && self.get(index + 2).is_none_or(|row| row.text().is_empty() || self.stops(index + 2))
    }
}

/// Returns the line at an index, from 0, without a byte order mark.
fn row(source: &Source, index: usize) -> Option<Row<'_>> {
    let start = source.line_start(LineNo::from_index(index))?;
    let end = source.line_start(LineNo::from_index(index + 1)).unwrap_or(source.bytes().len());
    let whole = &source.bytes()[start..end];
    let bom = if start == 0 && whole.starts_with(Lines::BOM) { Lines::BOM.len() } else { 0 };
    let whole = &whole[bom..];
    let raw = whole.strip_suffix(b"\n").unwrap_or(whole);
    Some(Row { raw, terminated: raw.len() < whole.len(), start: start + bom })
}

/// Returns whether a section starts at a line: `diff --git` and two names, or `--- `, `+++ ` and `@@ -`.
pub(super) fn starts_section(source: &Source, index: usize) -> bool {
    let starts = |index, prefix: &[u8]| row(source, index).is_some_and(|row| row.text().starts_with(prefix));
    if starts(index, b"--- ") {
        return starts(index + 1, b"+++ ") && starts(index + 2, b"@@ -");
    }
    let Some(names) = row(source, index).and_then(|row| row.text().strip_prefix(b"diff --git ")) else { return false };
    super::names::split(names).is_some() || super::header::continues(row(source, index + 1).map(Row::text))
}

/// Returns whether a line begins a mail or a commit as `git log` shows it.
pub(in crate::format) fn names_commit(text: &[u8]) -> bool {
    let id = text.strip_prefix(b"From ").or_else(|| text.strip_prefix(b"commit "));
    id.is_some_and(|id| id.iter().take_while(|byte| byte.is_ascii_hexdigit()).count() >= 7)
}
