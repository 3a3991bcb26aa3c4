//! Where a hunk with a number is, and what its lines become there.

use std::borrow::Cow;
use std::ops::Range;

use super::super::place_error::{Ambiguity, PlaceError};
use super::super::warning::Placing;
use super::by_number::NumberPlacer;
use super::placed::{AddedLines, PlacedHunk, blocks, changed, context_behind};
use crate::patch::{Hunk, HunkLine, Mark};
use crate::search::Document;
use crate::text::{Ending, LineNo, Lines, Located, Span};

/// Where a hunk goes.
pub(super) struct HunkPlace {
    pub(super) range: Range<usize>,
    /// How it was found, and of which line of the hunk that is told.
    pub(super) how: Located<Placing>,
    /// Whether the first old line has a byte order mark that is none of the line's.
    pub(super) is_marked: bool,
    /// The added lines as the file needs them, where a level found the old lines.
    pub(super) fitted: Option<Vec<Vec<u8>>>,
    /// What is to be told beside that.
    pub(super) more: Option<Located<Placing>>,
}

impl HunkPlace {
    pub(super) fn new(range: Range<usize>, span: Option<Span>, how: Placing) -> Self {
        Self {
            range,
            how: Located::new(span, how),
            is_marked: false,
            fitted: None,
            more: None,
        }
    }

    pub(super) fn exact(range: Range<usize>) -> Self {
        Self::new(range, None, Placing::Exact)
    }
}

impl NumberPlacer<'_> {
    /// Makes the lines of a hunk fit in at its place. Where no other hunk has put lines above it,
    /// it `is_top`.
    pub(super) fn fitted<'h>(
        &self,
        number: usize,
        hunk: &'h Hunk<'h>,
        found: HunkPlace,
        shows_cr: bool,
        is_top: bool,
    ) -> PlacedHunk<'h> {
        let HunkPlace {
            range,
            how,
            is_marked,
            fitted,
            ..
        } = found;
        let lines: Vec<_> = hunk.lines.iter().collect();
        let has_old = hunk.old().next().is_some();
        let is_exact = has_old
            && hunk
                .old()
                .zip(range.clone())
                .all(|(line, at)| is_same(self.task.file, at, line));
        let at_mark = range.start == 0 && self.task.file.bom() > 0;
        // Behind lines that another hunk adds at the top, a byte order mark would no longer be one.
        let is_literal = is_exact && (is_top || !at_mark);
        // An old line without newline says nothing of the others.
        let shows_end = if is_literal {
            shows_cr || hunk.old().any(|line| !line.unterminated)
        } else {
            shows_cr && range.is_empty()
        };
        let loses_mark = !is_literal && (is_marked || is_exact && at_mark);
        let added = lines.iter().filter(|line| line.mark == Mark::Added);
        let mut added: AddedLines<'_> = match fitted {
            Some(fitted) => added
                .zip(fitted)
                .map(|(line, text)| {
                    let ending = self.ending_at_level(hunk, line, range.end);
                    (Cow::Owned(text), ending)
                })
                .collect(),
            None => added
                .map(|line| (Cow::Borrowed(text(line)), ending(line, shows_end)))
                .collect(),
        };
        let first = blocks(&lines).next().filter(|_| loses_mark);
        let first = first.filter(|block| block[0].mark != Mark::Context);
        if let Some(line) =
            first.and_then(|block| block.iter().find(|line| line.mark == Mark::Added))
            && let Some(text) = without_mark(line)
        {
            added[0].0 = Cow::Borrowed(text);
        }
        PlacedHunk {
            number,
            span: hunk.span,
            range,
            how: how.value,
            added,
            lines,
            has_mark: is_literal && at_mark,
        }
    }

    /// Places a hunk that has added lines only: by its number, which names the line before them.
    pub(super) fn add(&self, hunk: &Hunk<'_>, at: usize) -> Result<HunkPlace, Located<PlaceError>> {
        let len = self.task.file.line_count();
        // A header that was recounted may still name the first line that it believed to be old.
        if self.task.file.is_empty() {
            return Ok(HunkPlace::new(0..0, None, Placing::Added));
        }
        let error = |error| Err(Located::new(hunk.span, error));
        if at > len {
            return error(PlaceError::PastEnd {
                after: at,
                lines: len,
            });
        }
        if at < len
            && hunk
                .new_lines()
                .next_back()
                .is_some_and(|line| line.unterminated)
        {
            return error(PlaceError::NotLast { after: at });
        }
        if !self.taken.is_free(at..at) {
            return error(PlaceError::Overlap);
        }
        if self.task.rules.strict {
            return error(Ambiguity::NumberOnly.into());
        }
        let Some(after) = at.checked_sub(1) else {
            return Ok(HunkPlace::new(at..at, hunk.span, Placing::AddedAtTop));
        };
        let how = Placing::AddedByNumber(LineNo::from_index(after));
        let more = self.told_shifted(after, |_| true);
        Ok(HunkPlace {
            more: more.map(|how| Located::new(hunk.span, how)),
            ..HunkPlace::new(at..at, hunk.span, how)
        })
    }

    /// Takes the place of a hunk.
    pub(super) fn take(&mut self, hunk: &Hunk<'_>, range: Range<usize>) {
        let lines: Vec<_> = hunk.lines.iter().collect();
        self.cursor = range.end;
        // A file that is only a byte order mark has a line to a hunk, and none to us.
        let core_end = range.end.saturating_sub(context_behind(hunk.lines.iter()));
        self.core_end = core_end.max(range.start);
        if !hunk.is_anchor() {
            self.cores.add(range.start..self.core_end);
        }
        changed(&lines, range.start).for_each(|lines| self.changed.add(lines));
        self.taken.add(range);
    }
}

/// Returns the text of a line, without the CR that is its terminator's.
pub(super) fn text<'h>(line: &'h HunkLine<'_>) -> &'h [u8] {
    match line.text.strip_suffix(b"\r") {
        Some(text) if !line.unterminated => text,
        _ => &line.text,
    }
}

/// Returns whether a line shows that it ends in CRLF.
pub(super) fn has_cr(line: &HunkLine<'_>) -> bool {
    text(line).len() < line.text.len()
}

/// Returns the text of a line behind the byte order mark that it starts with.
pub(super) fn without_mark<'h>(line: &'h HunkLine<'_>) -> Option<&'h [u8]> {
    text(line).strip_prefix(Lines::BOM)
}

/// Returns how an added line ends, if its neighbours don't say that.
fn ending(line: &HunkLine<'_>, shows_end: bool) -> Option<Ending> {
    if line.unterminated {
        Some(Ending::None)
    } else if !shows_end {
        None
    } else if has_cr(line) {
        Some(Ending::CrLf)
    } else {
        Some(Ending::Lf)
    }
}

/// Returns whether a line of the file is an old line to the byte, the byte order mark before the
/// first included.
pub(super) fn is_same(file: &Document, at: usize, line: &HunkLine<'_>) -> bool {
    let start = if at == 0 { 0 } else { file.start(at) };
    let raw = file.slice(start..file.start(at + 1));
    let (raw, is_open) = raw
        .strip_suffix(b"\n")
        .map_or((&raw[..], true), |raw| (raw, false));
    *raw == *line.text && is_open == line.unterminated
}
