//! A file as it is compared.

use std::ops::Range;

use memchr::{memchr, memmem};

use super::needle::Needle;
use crate::text::Lines;

/// A file, or a part of it, as needles are looked for in it: with LF for CRLF, and without the byte
/// order mark. A CR that no LF follows is an ordinary byte, so no match begins or ends between CR
/// and LF.
#[derive(Debug, Default)]
pub(super) struct View {
    /// The offset in the file at which it begins.
    start: usize,
    /// The text, where it isn't the file's.
    text: Option<Vec<u8>>,
    /// The offsets in the text of the LFs before which a CR was dropped.
    dropped: Vec<usize>,
}

impl View {
    /// Makes the view of the bytes that begin at an offset of a file.
    pub(super) fn new(bytes: &[u8], start: usize) -> Self {
        let mut text = Vec::new();
        let mut dropped = Vec::new();
        let mut copied = 0;
        // Most have no CR at all, which is seen sooner than that they have no CRLF.
        let from = memchr(b'\r', bytes).unwrap_or(bytes.len());
        for cr in memmem::find_iter(&bytes[from..], b"\r\n").map(|cr| from + cr) {
            if dropped.is_empty() {
                text.reserve(bytes.len());
            }
            text.extend_from_slice(&bytes[copied..cr]);
            dropped.push(text.len());
            copied = cr + 1;
        }
        text.extend_from_slice(if dropped.is_empty() {
            b""
        } else {
            &bytes[copied..]
        });
        Self {
            start,
            text: (!dropped.is_empty()).then_some(text),
            dropped,
        }
    }

    /// Returns the text that needles are looked for in, given the bytes that it is of.
    pub(super) fn text<'v>(&'v self, bytes: &'v [u8]) -> &'v [u8] {
        self.text.as_deref().unwrap_or(bytes)
    }

    /// Returns the first offset of the view that is this one of the file or one behind it.
    pub(super) fn first_at(&self, offset: usize) -> usize {
        let in_text = offset.saturating_sub(self.start);
        // The view offset is less by the CRs dropped before it.
        in_text
            - partition(self.dropped.len(), |nth| {
                self.dropped[nth] + nth + 1 < in_text
            })
    }

    /// Returns the range of the file that corresponds to a range of the view. An end at a line end
    /// is before the CR.
    pub(super) fn original(&self, range: Range<usize>) -> Range<usize> {
        let offset = |at: usize| self.start + at + self.dropped.partition_point(|&lf| lf < at);
        offset(range.start)..offset(range.end)
    }
}

/// Returns the first match of a needle in a file.
pub(crate) fn first(lines: &Lines<'_>, needle: &Needle) -> Option<Range<usize>> {
    let start = lines.bom().len();
    let bytes = &lines.bytes()[start..];
    let view = View::new(bytes, start);
    needle
        .first(view.text(bytes), 0)
        .map(|at| view.original(needle.range(at)))
}

/// Returns the first of `0..len` for which something doesn't hold; it holds for none behind that.
fn partition(len: usize, holds: impl Fn(usize) -> bool) -> usize {
    let mut low = 0;
    let mut high = len;
    while low < high {
        let middle = low + (high - low) / 2;
        if holds(middle) {
            low = middle + 1
        } else {
            high = middle
        }
    }
    low
}
