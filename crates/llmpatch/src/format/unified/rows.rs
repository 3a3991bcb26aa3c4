//! The lines around a diff: what starts or ends in one of them.

use std::ops::Range;

use super::error::Error;
use super::header;
use super::line_kind::{LineKind, are_changes, is_item, kind};
use super::names::Naming;
use crate::format::fence::Fence;
use crate::format::{Options, unindented};
use crate::patch::Mark;
use crate::text::{LineNo, Located, Row, Source, Span};

/// What is around a diff in a response.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct HunkSurroundings<'o> {
    /// The Markdown fence that it is in.
    pub(crate) fence: Option<Fence>,
    /// Whether it is in an HTML comment that isn't closed yet.
    pub(crate) commented: bool,
    /// Whether the text ends where a mark closes it, rather than where the response was cut off.
    pub(crate) closed: bool,
    /// What closes the tag that it is in.
    pub(crate) tag: Option<&'o [u8]>,
    /// The whitespace before the fence that it is in, which every line of the diff has, too.
    pub(crate) indent: &'o [u8],
}

/// The lines of a response, and what is around the diff in it.
#[derive(Clone, Copy)]
pub(super) struct Rows<'a, 'o> {
    pub(super) source: &'a Source,
    pub(super) around: HunkSurroundings<'o>,
    pub(super) options: Options<'o>,
}

impl<'a, 'o> Rows<'a, 'o> {
    /// Returns how names in the diff come to paths.
    pub(super) fn naming(&self) -> Naming {
        Naming::new(&self.options)
    }

    /// Returns the line at an index, from 0, without the indentation of the diff.
    pub(super) fn get(&self, index: usize) -> Option<Row<'a>> {
        let row = self.source.row(LineNo::from_index(index))?;
        Some(unindented(row, self.around.indent).unwrap_or(row))
    }

    /// Returns the error of the first line in a range that lacks the indentation of the diff.
    pub(super) fn unindented(&self, range: Range<usize>) -> Option<Located<Error>> {
        if self.around.indent.is_empty() {
            return None;
        }
        let mut rows = range.map_while(|index| self.source.row(LineNo::from_index(index)));
        let row = rows.find(|row| unindented(*row, self.around.indent).is_none());
        row.map(|row| Located::new(row.span, Error::Unindented))
    }

    /// Returns the texts of the lines in a range, as far as there are lines.
    pub(super) fn texts(&self, range: Range<usize>) -> impl Iterator<Item = &'a [u8]> {
        range.map_while(|index| Some(self.get(index)?.text))
    }

    pub(super) fn starts_with(&self, index: usize, prefix: &[u8]) -> bool {
        self.get(index)
            .is_some_and(|row| row.text.starts_with(prefix))
    }

    /// Returns whether a section starts at a line: `diff --git` and two names, or `--- `, `+++ `
    /// and `@@`.
    pub(super) fn starts_section(&self, index: usize) -> bool {
        if self.starts_with(index, b"--- ") {
            return self.names_files(index) && self.starts_hunk(index + 2);
        }
        let names = self
            .get(index)
            .and_then(|row| row.text.strip_prefix(b"diff --git "));
        names.is_some_and(|names| {
            self.naming().split(names).is_some() || header::continues(self.get(index + 1))
        })
    }

    /// Returns whether a hunk's header may be at a line, with numbers or without.
    pub(super) fn starts_hunk(&self, index: usize) -> bool {
        self.get(index).is_some_and(|row| may_begin_hunk(row.text))
    }

    /// Returns whether no line of a hunk can be here, unless it was counted: the response ends, or
    /// something else begins.
    pub(super) fn stops(&self, index: usize) -> bool {
        let Some(row) = self.get(index) else {
            return true;
        };
        let text = row.text;
        match text.first() {
            None | Some(b' ' | b'+' | b'\\') => false,
            Some(b'-') => {
                self.starts_section(index)
                    || self.is_signature(index)
                    || self.is_cut_header(index)
                    || self.around.commented && text == b"-->"
            }
            Some(b'@') => self.starts_hunk(index),
            _ if Fence::begins(text) || self.closes_fence(index) => self.stops_at_fence(index),
            _ if starts_like(text, &BETWEEN) || names_commit(text) => !self.goes_on(index + 1),
            _ => starts_like(text, &OTHERS),
        }
    }

    /// Returns whether a line closes the fence around the diff.
    pub(super) fn closes_fence(&self, index: usize) -> bool {
        let row = self.get(index).filter(|row| !row.text.starts_with(b" "));
        let fence = self.around.fence;
        row.is_some_and(|row| fence.is_some_and(|fence| fence.is_closed_by(row.text)))
    }

    /// Returns whether a hunk ends at a line of a fence: the line closes the fence around the diff,
    /// or may have been meant to, or opens a fence around a patch. Else the line is of a file, and
    /// lacks its prefix.
    fn stops_at_fence(&self, index: usize) -> bool {
        let is_bare = self
            .texts(index..index + 1)
            .any(|text| Fence::read(text).is_some_and(|(_, info)| info.is_empty()));
        let is_last = || self.texts(index + 1..usize::MAX).all(<[u8]>::is_empty);
        let may_close = match self.around.fence {
            Some(_) => self.closes_fence(index) || is_bare && is_last(),
            None => is_bare,
        };
        let opens_patch = self.starts_section(index + 1)
            || self
                .texts(index + 1..index + 2)
                .any(|text| starts_like(text, &OTHERS));
        opens_patch || may_close && !self.goes_on(index + 1)
    }

    /// Returns whether lines of a hunk follow at once, and a change among them that isn't an item of
    /// a list.
    fn goes_on(&self, start: usize) -> bool {
        let of_hunk = |index: &usize| {
            let row = self.get(*index);
            let is_line = row.is_some_and(|row| matches!(kind(row), LineKind::Line(_)));
            is_line && !self.names_files(*index)
        };
        let lines = (start..).take_while(of_hunk);
        are_changes(lines.flat_map(|index| self.texts(index..index + 1)))
    }

    /// Returns whether a line and the next are `--- ` and `+++ `.
    pub(super) fn names_files(&self, index: usize) -> bool {
        self.starts_with(index, b"--- ") && self.starts_with(index + 1, b"+++ ")
    }

    /// Returns the line that shows that a header's hunk has no `@@` line, or has it elsewhere than
    /// right below the header; `end` is the line behind the header.
    pub(super) fn misplaced(&self, end: usize) -> Option<(usize, Row<'a>)> {
        let is_text = |index: &usize| self.get(*index).is_none_or(|row| !row.text.is_empty());
        let start = (end..).find(is_text)?;
        let is_prose = start > end && self.around.fence.is_none();
        let first = self.get(start)?;
        let is_header = first.text.trim_ascii_start().starts_with(b"@@ -");
        if self.starts_hunk(start) || is_header && !is_prose {
            return Some((start, first));
        }
        for index in start.. {
            let row = self.get(index)?;
            match kind(row) {
                LineKind::None => return None,
                LineKind::Line(Mark::Added | Mark::Removed) => {
                    if self.names_files(index) || self.stops(index) {
                        return None;
                    }
                    if !is_prose || !is_item(row.text) {
                        return Some((index, row));
                    }
                }
                _ => {}
            }
        }
        None
    }

    /// Returns the line behind a section's header, if names and hunks follow below it that no other
    /// `diff --git` begins.
    pub(super) fn unknown(&self, end: usize) -> Option<Span> {
        const NEAR: usize = 8;
        let near = (end..end + NEAR).take_while(|&index| !self.starts_with(index, b"diff "));
        let is_below = near.skip(1).any(|index| self.starts_section(index));
        self.get(end).filter(|_| is_below).map(|row| row.span)
    }

    /// Returns whether nothing but empty lines is left of the response.
    pub(super) fn is_end(&self, index: usize) -> bool {
        let mut rest = (index..).map_while(|index| self.get(index));
        !self.around.closed && rest.all(|row| row.text.is_empty())
    }

    /// Returns whether a fence is open around the diff, so that the end of the response cuts it off.
    pub(super) fn is_within(&self) -> bool {
        self.around.fence.is_some()
    }

    /// Returns whether what is around the diff says where it ends, so that no prose follows before that.
    pub(super) fn is_enclosed(&self) -> bool {
        self.is_within() || self.around.closed || self.around.tag.is_some()
    }

    /// Returns whether names of a section are all that is left of the response.
    fn is_cut_header(&self, index: usize) -> bool {
        self.names_files(index) && self.get(index + 2).is_none()
    }

    /// Returns whether a line is the `-- ` with which mail ends, and git's version behind it.
    fn is_signature(&self, index: usize) -> bool {
        self.get(index)
            .is_some_and(|row| matches!(row.text, b"-- " | b"--"))
            && self.get(index + 1).is_some_and(|row| {
                row.text.first().is_some_and(u8::is_ascii_digit)
                    && row.text.contains(&b'.')
                    && row.text.len() < 40
            })
            && self.get(index + 2).is_none_or(|row| {
                // Of many signatures in a row, each would ask for the next.
                let stops = || {
                    if row.text.starts_with(b"-") {
                        self.starts_section(index + 2)
                    } else {
                        self.stops(index + 2)
                    }
                };
                row.text.is_empty() || stops()
            })
    }
}

/// How many lines below a hunk's header its first change is at most. Lines that look like headers may
/// be context of one another.
const FARTHEST: usize = 200;

/// Returns whether a hunk's header is at a line, with numbers or without, and changes below it.
pub(crate) fn hunk_begins(source: &Source, line: LineNo) -> bool {
    let text = source.line(line).unwrap_or_default();
    let is_line = |row: &Row<'_>| matches!(kind(*row), LineKind::Line(_) | LineKind::Empty);
    let below = source.rows(line.next()).take(FARTHEST).take_while(is_line);
    let is_header = may_begin_hunk(text) || super::is_hunk_header(text.trim_ascii_start());
    is_header && are_changes(below.map(|row| row.text))
}

/// Returns whether a line may be a hunk's header, with numbers or without.
fn may_begin_hunk(text: &[u8]) -> bool {
    text == b"@@" || starts_like(text, &[b"@@ ", b"@@@ -"]) || is_glued(text)
}

/// What `diff` and version control write between the sections of a diff.
const BETWEEN: [&[u8]; 3] = [b"diff -", b"Index: ", b"Only in "];
/// What begins a patch of another format.
const OTHERS: [&[u8]; 3] = [b"*** Begin Patch", b"<edit ", b"<opx>"];

/// Returns whether a line is a hunk's header without a space behind its `@@`.
fn is_glued(text: &[u8]) -> bool {
    let number = text.strip_prefix(b"@@-").and_then(<[u8]>::first);
    number.is_some_and(u8::is_ascii_digit)
}

fn starts_like(text: &[u8], starts: &[&[u8]]) -> bool {
    starts.iter().any(|start| text.starts_with(start))
}

/// Returns whether a line begins a mail or a commit as `git log` shows it.
pub(crate) fn names_commit(text: &[u8]) -> bool {
    let id = text
        .strip_prefix(b"From ")
        .or_else(|| text.strip_prefix(b"commit "));
    id.is_some_and(|id| {
        id.iter()
            .take_while(|byte| byte.is_ascii_hexdigit())
            .count()
            >= 7
    })
}
