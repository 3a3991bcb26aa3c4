//! A file that a message shows: lines of it, and places in it.

use std::ops::Range;

use crate::path::RepoPath;
use crate::plan::{FileAsFound, Quote};
use crate::report::{Passage, Place};
use crate::text::{LineNo, Lines};
use crate::tree::Content;

/// A file that a message shows.
pub(super) struct File<'f> {
    path: &'f RepoPath,
    pub(super) lines: Lines<'f>,
    /// Whether it is so only since earlier edits of the response.
    is_left: bool,
}

impl<'f> File<'f> {
    pub(super) fn new(path: &'f RepoPath, content: &'f Content, is_left: bool) -> Self {
        Self {
            path,
            lines: content.lines(),
            is_left,
        }
    }

    pub(super) fn seen(path: &'f RepoPath, seen: &'f FileAsFound) -> Self {
        Self::new(path, &seen.content, seen.is_left)
    }

    pub(super) fn place(&self, index: usize, caption: &str, label: &str) -> Place {
        place(self.path, &Quote::new(&self.lines, index), caption, label)
    }

    /// Shows the lines around some ranges; where there are none, the whole file if it is small.
    pub(super) fn passages(&self, ranges: impl IntoIterator<Item = Range<usize>>) -> Vec<Passage> {
        let passages = Passage::around(
            self.path.as_bstr(),
            &self.lines,
            ranges.into_iter().collect(),
        );
        passages
            .into_iter()
            .map(|passage| Passage {
                is_left: self.is_left,
                ..passage
            })
            .collect()
    }

    /// Shows the first few of several places; what tells them apart is under which line each is.
    pub(super) fn rivals(&self, all: &[LineNo], caption: &str) -> Vec<Place> {
        let lines = all
            .iter()
            .map(|line| line.index())
            .filter(|&index| index < self.lines.len());
        let quotes: Vec<_> = lines
            .take(Quote::DRAWN)
            .map(|index| Quote::with_heading(&self.lines, index))
            .collect();
        if all.len() > 1 {
            rivals(self.path, &quotes, caption, |_| "")
                .into_iter()
                .collect()
        } else {
            Vec::new()
        }
    }
}

/// Shows a line of a file.
pub(super) fn place(path: &RepoPath, line: &Quote, caption: &str, label: &str) -> Place {
    Place::new(path.as_bstr(), caption, line.clone().labelled(label))
}

/// Shows several lines of a file that look alike.
pub(super) fn rivals(
    path: &RepoPath,
    lines: &[Quote],
    caption: &str,
    label: impl Fn(LineNo) -> &'static str,
) -> Option<Place> {
    let (first, others) = lines.split_first()?;
    let more = others
        .iter()
        .map(|line| line.clone().labelled(label(line.line)));
    Some(Place {
        more: more.collect(),
        ..place(path, first, caption, label(first.line))
    })
}
