//! One hunk: where its lines end, and whether they are what its header says.

use super::error::{Error, Warning};
use super::hunk_header::{HunkHeader, numbers};
use super::hunk_lines::{Body, Extent};
use super::parse::SectionPart;
use super::rows::Rows;
use super::word_diff::is_word_diff;
use crate::patch::{Hunk, Mark, Position};
use crate::text::{Ending, Located, Row};

/// What was read of a hunk.
pub(super) struct HunkRead<'a> {
    pub(super) hunk: Hunk<'a>,
    /// The line behind it.
    pub(super) end: usize,
    /// Whether its lines can't be read, so that its end may be elsewhere.
    pub(super) is_lost: bool,
    pub(super) errors: Vec<Located<Error>>,
    pub(super) warnings: Vec<Located<Warning>>,
}

/// Reads the hunk whose header is at a line.
pub(super) fn read<'a>(
    rows: &Rows<'a, '_>,
    at: usize,
    section: SectionPart<'_>,
) -> Result<HunkRead<'a>, Located<Error>> {
    let header = HunkHeader::read(rows, at)?;
    let span = header.row.span;
    let is_new = section.is_new || header.is_of_nothing();
    let mut body = Body {
        rows,
        crlf: header.row.ending == Ending::CrLf,
        blank: if is_new { Mark::Added } else { Mark::Context },
        claimed: header.claimed,
        found: [0, 0],
        is_filled: None,
        lines: Vec::new(),
        errors: Vec::new(),
    };
    let extent = body.take(at + 1);
    body.check_marks();
    let found = body.found;
    let mut errors = std::mem::take(&mut body.errors);
    let texts = rows.texts(at + 1..extent.end);
    if is_word_diff(&body.lines, texts, !errors.is_empty() || !extent.fits) {
        errors = vec![Located::new(span, Error::WordDiff)];
    }
    let trouble = body.trouble(&header, &extent, (is_new, found), section.number);
    // What only contradicts its header ends where it ends.
    let is_whole = matches!(
        trouble,
        None | Some(Error::Miscounted { .. } | Error::NoNumbers | Error::NoOld { .. })
    );
    let mut is_lost = !errors.is_empty() || !is_whole;
    let trouble = trouble.filter(|_| errors.is_empty());
    errors.extend(trouble.map(|error| Located::new(span, error)));
    let mut warnings = if errors.is_empty() {
        body.warnings(&header, &extent, found, section)
    } else {
        Vec::new()
    };
    if let Some(row) = extent.left_out {
        if rows.is_enclosed() && !extent.closes_fence {
            is_lost = true;
            let number = section.number;
            errors.push(Located::new(row.span, Error::LeftOut { number }));
        } else {
            warnings.push(Located::new(row.span, left_out(&extent, section)));
        }
    }
    let position = header.position.map(|position| Position {
        old_lines: found[0],
        new_lines: found[1],
        ..position
    });
    let hunk = Hunk {
        locators: header.locator.into_iter().collect(),
        lines: body.lines,
        position,
        span: Some(span),
        ..Hunk::default()
    };
    Ok(HunkRead {
        hunk,
        end: extent.end,
        is_lost,
        errors,
        warnings,
    })
}

/// Returns the warning of lines that look like lines of the hunk and are left out.
fn left_out(extent: &Extent<'_>, section: SectionPart<'_>) -> Warning {
    let (path, number) = (section.path.clone(), section.number);
    if extent.is_list {
        Warning::List { path, number }
    } else if extent.closes_fence {
        Warning::BehindFence { path, number }
    } else {
        Warning::LeftOut { path, number }
    }
}

/// Returns whether the response, if it ends here, ends in a fence or within a line.
fn is_open(rows: &Rows<'_, '_>, end: usize) -> bool {
    let last = end.checked_sub(1).and_then(|last| rows.get(last));
    rows.is_within() || last.is_some_and(|row| row.ending == Ending::None)
}

impl<'a> Body<'a, '_, '_> {
    /// Returns what is wrong with a hunk whose lines can be read.
    fn trouble(
        &self,
        header: &HunkHeader<'_>,
        extent: &Extent<'_>,
        (is_new, found): (bool, [u32; 2]),
        number: usize,
    ) -> Option<Error> {
        let rows = self.rows;
        let Some(claimed) = header.claimed else {
            let is_cut = !rows.options.recount && rows.is_within() && rows.is_end(extent.end);
            return match self.lines.is_empty() {
                _ if header.is_bare && rows.options.strict => Some(Error::NoNumbers),
                _ if is_cut => Some(Error::Uncounted),
                true => Some(Error::NoLines),
                false => self.claims_old(header, found, is_new),
            };
        };
        // A line that contradicts the counts shows that they are wrong, unless the response is cut
        // off in any case.
        let falls_short = found[0] < claimed[0] || found[1] < claimed[1];
        let is_end =
            rows.is_end(extent.counted) || rows.is_end(extent.end) && is_open(rows, extent.end);
        if falls_short && is_end {
            return Some(Error::CutHunk { claimed, found });
        }
        if self.lines.is_empty() {
            return Some(Error::NoLines);
        }
        let miscounted = Error::Miscounted {
            number,
            claimed,
            found,
        };
        self.claims_old(header, found, is_new)
            .or_else(|| (found != claimed && rows.options.strict).then_some(miscounted))
    }

    /// Returns the error of a header that claims old lines over a hunk that shows none.
    fn claims_old(&self, header: &HunkHeader<'_>, found: [u32; 2], is_new: bool) -> Option<Error> {
        let claimed = numbers(header.row.text).map_or(0, |position| position.old_lines);
        (claimed > 0 && found[0] == 0 && !is_new).then_some(Error::NoOld { claimed })
    }

    /// Returns what was guessed of a hunk.
    fn warnings(
        &self,
        header: &HunkHeader<'_>,
        extent: &Extent<'_>,
        found: [u32; 2],
        section: SectionPart<'_>,
    ) -> Vec<Located<Warning>> {
        let (path, number) = (section.path.clone(), section.number);
        let span = header.row.span;
        let mut warnings = Vec::new();
        if let Some(claimed) = header.claimed.filter(|claimed| *claimed != found) {
            let taken = self.lines.len().saturating_sub(extent.own);
            let first = self.rows.get(extent.counted).filter(|_| taken > 0);
            let warning = Warning::Recounted {
                path: path.clone(),
                number,
                claimed,
                found,
                taken,
            };
            warnings.push(Located::new(first.map_or(span, |row| row.span), warning));
        }
        if header.is_beyond {
            let path = path.clone();
            warnings.push(Located::new(span, Warning::Beyond { path, number }));
        }
        if let Some(row) = self.is_filled {
            let path = path.clone();
            warnings.push(Located::new(row.span, Warning::Blank { path }));
        }
        if let Some(row) = self.unended(extent.end) {
            warnings.push(Located::new(row.span, Warning::Unended { path, number }));
        }
        warnings
    }

    /// Returns the last line, if it may go on: it is an added one, which no file confirms, and the
    /// response ends in it, and in a fence.
    fn unended(&self, end: usize) -> Option<Row<'a>> {
        let is_added = self
            .lines
            .last()
            .is_some_and(|line| line.mark == Mark::Added && !line.unterminated);
        let last = end.checked_sub(1).and_then(|last| self.rows.get(last));
        last.filter(|row| is_added && self.rows.is_within() && row.ending == Ending::None)
    }
}
