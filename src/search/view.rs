//! A file as it is compared.

use std::ops::Range;
use std::sync::Arc;

use memchr::memmem;

use super::needle::Needle;
use crate::text::Lines;

/// A file as needles are looked for in it: without its byte order mark, with LF for CRLF. A CR that no LF follows is an ordinary byte, so no match begins or ends between CR and LF.
#[derive(Clone, Debug)]
pub struct View<'f> {
    lines: Lines<'f>,
    text: Text,
}

/// What a view has beside the file itself.
#[derive(Clone, Debug)]
pub(super) struct Text(Arc<Parts>);

#[derive(Debug)]
struct Parts {
    /// The text, where it isn't the file's.
    text: Option<Vec<u8>>,
    map: Map,
}

/// How offsets of the view are offsets of the file.
#[derive(Debug)]
enum Map {
    /// Behind the byte order mark all is the same.
    Same,
    /// A CR was dropped before each of the LFs at these offsets of the view.
    Dropped(Vec<usize>),
}

impl<'f> View<'f> {
    /// Makes the view of a file.
    pub fn new(lines: &Lines<'f>) -> Self {
        let bytes = &lines.bytes()[lines.bom().len()..];
        let mut crlfs = memmem::find_iter(bytes, b"\r\n").peekable();
        if crlfs.peek().is_none() {
            return Self::with(lines, None, Map::Same);
        }
        let (mut text, mut dropped, mut copied) = (Vec::with_capacity(bytes.len()), Vec::new(), 0);
        for cr in crlfs {
            text.extend_from_slice(&bytes[copied..cr]);
            dropped.push(text.len());
            copied = cr + 1;
        }
        text.extend_from_slice(&bytes[copied..]);
        Self::with(lines, Some(text), Map::Dropped(dropped))
    }

    /// Makes the view in which a CR is a byte like any other.
    pub(super) fn plain(lines: &Lines<'f>) -> Self {
        Self::with(lines, None, Map::Same)
    }

    fn with(lines: &Lines<'f>, text: Option<Vec<u8>>, map: Map) -> Self {
        Self { lines: lines.clone(), text: Text(Arc::new(Parts { text, map })) }
    }

    /// Makes a view once more of what [`View::into_text`] returned for the same file.
    pub(super) fn of(lines: Lines<'f>, text: &Text) -> Self {
        Self { lines, text: text.clone() }
    }

    /// Returns what it has beside the file itself.
    pub(super) fn into_text(self) -> Text {
        self.text
    }

    /// Returns the text that needles are looked for in.
    pub fn text(&self) -> &[u8] {
        self.text.0.text.as_deref().unwrap_or(&self.lines.bytes()[self.lines.bom().len()..])
    }

    fn map(&self) -> &Map {
        &self.text.0.map
    }

    /// Returns the first match of a needle, as bytes of the file.
    pub fn first(&self, needle: &Needle) -> Option<Range<usize>> {
        needle.first(self.text(), 0).map(|at| self.original(needle.range(at)))
    }

    /// Returns the first offset of the view that is this one of the file or one behind it.
    pub(super) fn first_at(&self, offset: usize) -> usize {
        let in_text = offset.saturating_sub(self.lines.bom().len());
        match self.map() {
            // The view offset is less by the CRs dropped before it.
            Map::Dropped(dropped) => in_text - partition(dropped.len(), |nth| dropped[nth] + nth + 1 < in_text),
            _ => in_text,
        }
    }

    /// Returns what a range of the view is in the file. At a line end that is before the CR.
    pub fn original(&self, range: Range<usize>) -> Range<usize> {
        self.offset(range.start)..self.offset(range.end)
    }

    fn offset(&self, at: usize) -> usize {
        let bom = self.lines.bom().len();
        match self.map() {
            Map::Same => bom + at,
            Map::Dropped(dropped) => bom + at + dropped.partition_point(|&lf| lf < at),
        }
    }
}

/// Returns the first of `0..len` for which something doesn't hold; it holds for none behind that.
fn partition(len: usize, holds: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (0, len);
    while low < high {
        let middle = low + (high - low) / 2;
        if holds(middle) { low = middle + 1 } else { high = middle }
    }
    low
}
