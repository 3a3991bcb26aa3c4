//! The hunks of a unified diff + old bytes → new bytes: where each stands, by its number or else by its lines.
//!
//! The number in a hunk's header is where to look first; it refers to the file as it was before the section, so a hunk may
//! stand before an earlier one, if only they don't overlap. Where its old lines aren't there, the one place behind the hunk
//! before it is taken, with a warning; none or several are an error.
//!
//! Where the contract is silent:
//! - Lines are compared without terminators, so that a diff with LF fits a file with CRLF. But a last line without newline
//!   is one on both sides or on neither.
//! - A hunk whose old lines are in the file to the byte, terminators and byte order mark included, is taken at its word: its
//!   new lines end as they are written. In any other, they end as the lines around them do.
//! - In a hunk without old lines, lines end as they are written if any line of the section is written with CR, and else as the
//!   lines around them.
//! - `--unique` refuses a hunk whose old lines stand elsewhere too, also if they stand where its number says: it asks for
//!   hunks that can't be mistaken, and models' numbers often are. `--strict` refuses what would be moved, and hunks that go by
//!   their number alone.
//! - Lines added behind a last line without newline give it one, with a warning.

use std::collections::{BTreeMap, HashSet};
use std::ops::Range;

use super::diagnosis::Diagnosis;
use super::fault::place;
use super::miss::{Because, Miss, Reason};
use super::placement::{Match, Stood};
use super::rewrite::{Rewritten, follows_from};
use super::splice::terminator;
use super::warning::Warning;
use super::{ENOUGH, Rules, elision};
use crate::explain::CANDIDATES;
use crate::matching::{Effort, Haystack, Places, Run};
use crate::patch::{Hunk, HunkLine, Mark};
use crate::path::RepoPath;
use crate::text::{Ending, LineNo, Lines, Located, Span, Text};

/// How many places are looked at one by one.
const FEW: usize = 32;

/// Applies the hunks of one section to a file.
///
/// `lost` holds lines that earlier failed edits of this file would have added; those of this one's failures are put to it.
pub(super) fn rewrite(
    path: &RepoPath,
    before: &[u8],
    hunks: &[Hunk<'_>],
    rules: &Rules,
    lost: &mut HashSet<Vec<u8>>,
    effort: &Effort,
) -> Rewritten {
    let lines = Lines::new(before);
    let shows_cr = hunks.iter().flat_map(|hunk| &hunk.lines).any(|line| text(line).len() < line.text.len());
    let stripped: Vec<_>;
    let plain = match shows_cr {
        true => {
            stripped = hunks.iter().map(plain).collect();
            &stripped[..]
        }
        false => hunks,
    };
    let first = hunks.iter().filter_map(|hunk| without_mark(hunk.old().next()?));
    let haystack = Haystack::new(&lines, hunks.iter().flat_map(Hunk::old).map(text).chain(first));
    let mut placer = Placer {
        path,
        lines: &lines,
        haystack: &haystack,
        rules,
        cursor: 0,
        taken: BTreeMap::new(),
        diagnosis: Diagnosis::of_hunks(path, &lines, plain, effort).without_levels(),
        warnings: Vec::new(),
    };
    let (mut placed, mut misses, mut whole) = (Vec::new(), Vec::new(), true);
    for (index, hunk) in hunks.iter().enumerate() {
        match placer.place(index + 1, hunk, &plain[index]) {
            Ok(found) => placed.push(found),
            Err(miss) => {
                whole = false;
                if !follows_from(&miss.value, hunk.old().map(text), lost) {
                    misses.push((index + 1, miss));
                    if misses.len() >= ENOUGH {
                        break;
                    }
                }
                lost.extend(hunk.lines.iter().filter(|line| line.mark == Mark::Added).map(|line| text(line).to_vec()));
            }
        }
    }
    let mut warnings = placer.warnings;
    // Stable, so that two insertions at one place stay in the order of their hunks.
    placed.sort_by_key(|placed| (placed.range.start, placed.range.end));
    let stood = stood(&placed);
    let mut made = Made::new(&lines, shows_cr);
    for placed in &placed {
        if is_idle(placed.hunk) {
            let warning = Warning::NoChange { path: path.clone(), number: placed.number };
            warnings.push(Located::new(placed.hunk.span, warning));
            continue;
        }
        made.put(placed);
        if let Some(span) = elision::among(&placed.hunk.lines.iter().collect::<Vec<_>>()) {
            warnings.push(Located::new(span, Warning::Elision { path: path.clone() }));
        }
    }
    if placed.iter().all(|placed| is_idle(placed.hunk)) {
        // That is said once, of the whole section.
        warnings.retain(|warning| !matches!(warning.value, Warning::NoChange { .. }));
    }
    let (bytes, closed) = made.finish();
    if closed {
        let span = hunks.first().and_then(|hunk| hunk.span);
        warnings.push(Located::new(span, Warning::NewlineAdded { path: path.clone() }));
    }
    Rewritten { bytes, misses, whole, stood, warnings }
}

/// Returns what a new file holds: its lines as they are written.
pub(super) fn whole(hunks: &[Hunk<'_>]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for line in hunks.iter().flat_map(Hunk::new_lines) {
        bytes.extend_from_slice(&line.text);
        bytes.extend_from_slice(if line.unterminated { b"" } else { b"\n" });
    }
    bytes
}

/// Returns the text of a line, without the CR that is its terminator's.
fn text<'h>(line: &'h HunkLine<'_>) -> &'h [u8] {
    match line.text.strip_suffix(b"\r") {
        Some(text) if !line.unterminated => text,
        _ => &line.text,
    }
}

/// Makes a hunk whose lines are texts without terminators.
fn plain<'h>(hunk: &'h Hunk<'_>) -> Hunk<'h> {
    let line = |line: &'h HunkLine<'_>| {
        let text = Text { bytes: text(line).into(), span: line.text.span };
        HunkLine { mark: line.mark, text, unterminated: line.unterminated }
    };
    let lines = hunk.lines.iter().map(line).collect();
    Hunk { lines, position: hunk.position.clone(), span: hunk.span, ..Hunk::default() }
}

/// Returns the text of a line behind the byte order mark that it starts with.
fn without_mark<'h>(line: &'h HunkLine<'_>) -> Option<&'h [u8]> {
    text(line).strip_prefix(Lines::BOM)
}

fn is_idle(hunk: &Hunk<'_>) -> bool {
    let ends = |line: &HunkLine<'_>| (line.text.to_vec(), line.unterminated);
    hunk.lines.iter().all(|line| line.mark == Mark::Context) || hunk.old().map(ends).eq(hunk.new_lines().map(ends))
}

/// A hunk and the lines of the file that it takes the place of.
struct Placed<'h, 'p> {
    number: usize,
    hunk: &'h Hunk<'p>,
    range: Range<usize>,
    how: Match,
    /// Whether the old lines are in the file to the byte.
    is_exact: bool,
    /// Whether the first old line has a byte order mark that is none of the line's.
    is_marked: bool,
}

/// Says where hunks, given by their place in the file, stand before and afterwards.
fn stood(placed: &[Placed<'_, '_>]) -> Vec<Stood> {
    let (mut old_end, mut new_end) = (0, 0);
    let mut stood: Vec<_> = placed
        .iter()
        .map(|Placed { number, hunk, range, how, .. }| {
            let start = new_end + (range.start - old_end);
            (old_end, new_end) = (range.end, start + hunk.new_lines().count());
            Stood { number: *number, span: hunk.span, old: range.clone(), new: start..new_end, how: *how }
        })
        .collect();
    stood.sort_by_key(|stood| stood.number);
    stood
}

struct Placer<'f, 'h> {
    path: &'f RepoPath,
    lines: &'f Lines<'f>,
    haystack: &'f Haystack<'f>,
    rules: &'f Rules,
    /// Behind the last line of the hunk before.
    cursor: usize,
    /// The lines that hunks take the place of, by their first. Where lines are only added there are none, and no hunk may
    /// reach across.
    taken: BTreeMap<usize, usize>,
    diagnosis: Diagnosis<'f, 'h>,
    warnings: Vec<Located<Warning>>,
}

impl Placer<'_, '_> {
    /// Finds the place of a hunk, which is also given without the CRs that are its lines' terminators.
    fn place<'h, 'p>(
        &mut self,
        number: usize,
        hunk: &'h Hunk<'p>,
        plain: &Hunk<'_>,
    ) -> Result<Placed<'h, 'p>, Located<Miss>> {
        let claimed = hunk.position.as_ref().map_or(0, |position| position.old_start as usize);
        let count = hunk.old().count();
        let (range, how, is_marked) = if count == 0 {
            let at = self.add(number, hunk, claimed)?;
            (at..at, Match::Addition, false)
        } else {
            let (at, how, is_marked) = self.seek(number, hunk, plain, claimed.saturating_sub(1))?;
            (at..at + count, how, is_marked)
        };
        self.cursor = range.end;
        self.take(range.clone());
        let is_exact = count > 0 && hunk.old().zip(range.clone()).all(|(line, at)| is_same(self.lines, at, line));
        Ok(Placed { number, hunk, range, how, is_exact, is_marked })
    }

    /// Finds the place of old lines: the line, how it was found, and whether a byte order mark was looked through.
    fn seek(
        &mut self,
        number: usize,
        hunk: &Hunk<'_>,
        plain: &Hunk<'_>,
        claimed: usize,
    ) -> Result<(usize, Match, bool), Located<Miss>> {
        let count = hunk.old().count();
        let run = self.haystack.run(hunk.old().map(text));
        let allowed = self.allowed(hunk, count);
        let stands = |at: usize| allowed.contains(&at) && self.is_free(at..at + count);
        if self.haystack.stands_at(&run, claimed) && stands(claimed) {
            if self.rules.unique {
                let (count, places) = self.candidates(self.haystack.places(&run), count, allowed);
                if count > 1 {
                    return Err(many(hunk, places, count, Because::Unique));
                }
            }
            return Ok((claimed, Match::Exact, false));
        }
        if claimed == 0
            && let Some(first) = hunk.old().next().and_then(without_mark)
            && stands(0)
        {
            let marked = self.haystack.run(std::iter::once(first).chain(hunk.old().skip(1).map(text)));
            if self.haystack.stands_at(&marked, 0) {
                return Ok((0, Match::Exact, true));
            }
        }
        let behind = allowed.start.max(self.cursor)..allowed.end;
        let (found, places) = self.candidates(self.haystack.places(&run), count, behind);
        match (found, places.first()) {
            (1, Some(&at)) if !self.rules.strict => {
                let (claimed, line) = (LineNo::from_index(claimed), LineNo::from_index(at));
                let warning = Warning::Moved { path: self.path.clone(), number, claimed, at: line };
                self.warnings.push(Located::new(hunk.span, warning));
                Ok((at, Match::Moved, false))
            }
            (0 | 1, _) => Err(self.miss(plain, &run, claimed)),
            (many_of, _) => Err(many(hunk, places, many_of, Because::Moved)),
        }
    }

    /// Returns where a hunk may start for the sake of the newline at the end of the file, which both sides must agree on.
    fn allowed(&self, hunk: &Hunk<'_>, count: usize) -> Range<usize> {
        let Some(last) = self.lines.len().checked_sub(count) else { return 0..0 };
        let is_open = !self.lines.is_empty() && self.lines.get(self.lines.len() - 1).ending == Ending::None;
        let old_is_open = hunk.old().next_back().is_some_and(|line| line.unterminated);
        let new_is_open = hunk.new_lines().next_back().is_some_and(|line| line.unterminated);
        match (old_is_open, is_open) {
            (true, false) => 0..0,
            (true, true) => last..last + 1,
            (false, true) if new_is_open => 0..0,
            (false, true) => 0..last,
            (false, false) if new_is_open => last..last + 1,
            (false, false) => 0..last + 1,
        }
    }

    /// Counts the places in a range that no hunk has taken a line of, and returns the first few.
    fn candidates(&self, places: &Places, count: usize, within: Range<usize>) -> (usize, Vec<usize>) {
        if within.is_empty() {
            return (0, Vec::new());
        }
        // Where there are few places, many hunks needn't be gone through.
        if places.count_from(within.start) - places.count_from(within.end) <= FEW {
            let inside = places.iter_from(within.start).take_while(|at| within.contains(at));
            let free: Vec<_> = inside.filter(|&at| self.is_free(at..at + count)).collect();
            return (free.len(), free.into_iter().take(CANDIDATES).collect());
        }
        let (mut total, mut shown) = (0, Vec::new());
        let mut free = within.start;
        let before = self.taken.range(..=free).next_back();
        let taken = before.into_iter().chain(self.taken.range(free + 1..)).map(|(start, end)| (*start, *end));
        for (start, end) in taken.chain([(usize::MAX, usize::MAX)]) {
            let gap = free..start.saturating_add(1).saturating_sub(count).min(within.end);
            if gap.start < gap.end {
                total += places.count_from(gap.start) - places.count_from(gap.end);
                let inside = places.iter_from(gap.start).take_while(|at| gap.contains(at));
                shown.extend(inside.take(CANDIDATES - shown.len()));
            }
            free = free.max(end);
            if free >= within.end {
                break;
            }
        }
        (total, shown)
    }

    /// Returns whether no hunk has taken any of these lines or added lines between them, or, for none, whether it is inside
    /// of no hunk.
    fn is_free(&self, range: Range<usize>) -> bool {
        let before = self.taken.range(..range.start).next_back();
        let clear = before.is_none_or(|(_, &end)| end <= range.start);
        clear && (range.is_empty() || self.taken.range(range.clone()).all(|(_, &end)| end == range.start))
    }

    fn take(&mut self, range: Range<usize>) {
        let end = self.taken.entry(range.start).or_insert(range.end);
        *end = range.end.max(*end);
    }

    /// Places a hunk that has added lines only: by its number, which names the line before them.
    fn add(&mut self, number: usize, hunk: &Hunk<'_>, at: usize) -> Result<usize, Located<Miss>> {
        let len = self.lines.len();
        // A header that was recounted may still name the first line that it believed to be old.
        if len == 0 {
            return Ok(0);
        }
        let miss = |miss| Err(Located::new(hunk.span, miss));
        if self.rules.strict {
            return miss(Miss::NumberOnly);
        }
        if at > len || at < len && hunk.new_lines().next_back().is_some_and(|line| line.unterminated) {
            return miss(Miss::NoSuchPlace { after: at, lines: len });
        }
        if !self.is_free(at..at) {
            return miss(Miss::Overlap);
        }
        let warning = Warning::AddedByNumber { path: self.path.clone(), number, after: at };
        self.warnings.push(Located::new(hunk.span, warning));
        Ok(at)
    }

    /// Says why the old lines of a hunk have no place, and points at the line that shows it best.
    fn miss(&self, hunk: &Hunk<'_>, run: &Run, claimed: usize) -> Located<Miss> {
        let after = self.cursor.checked_sub(1).map(LineNo::from_index);
        let lines = |reason| Miss::Lines { after, reason };
        let first = hunk.old().find_map(|line| line.text.span).or(hunk.span);
        if self.lines.is_empty() {
            return Located::new(first, Miss::Lines { after: None, reason: Reason::EmptyFile });
        }
        if let Some(at) = self.haystack.first(run, self.cursor).or_else(|| self.haystack.first(run, 0)) {
            let count = hunk.old().count();
            let last = at + count - 1;
            if !self.allowed(hunk, count).contains(&at) {
                let place = place(self.path, self.lines, last, "the lines stand here", "where they end");
                let has = self.lines.get(self.lines.len() - 1).ending != Ending::None;
                let span = hunk.old().next_back().and_then(|line| line.text.span).or(first);
                return Located::new(span, lines(Reason::Newline { place, has }));
            }
            if !self.is_free(at..at + count) {
                let place = place(self.path, self.lines, at, "the lines stand here", "an earlier hunk has lines here");
                return Located::new(first, lines(Reason::Shared { place }));
            }
            let label = if self.rules.strict {
                "not where the hunk's number says"
            } else {
                "before what earlier hunks have reached"
            };
            let place = place(self.path, self.lines, at, "the lines stand here", label);
            let reason = match self.rules.strict && at >= self.cursor {
                true => Reason::Unnumbered { place, claimed: LineNo::from_index(claimed) },
                false => Reason::Earlier { place, context: None },
            };
            return Located::new(first, lines(reason));
        }
        self.diagnosis.of_hunk(hunk, self.cursor, self.haystack).map(lines)
    }
}

fn many(hunk: &Hunk<'_>, places: Vec<usize>, count: usize, because: Because) -> Located<Miss> {
    let span: Option<Span> = hunk.old().find_map(|line| line.text.span).or(hunk.span);
    let places = places.into_iter().map(LineNo::from_index).collect();
    Located::new(span, Miss::Many { places, count, because })
}

/// Returns whether a line of the file is an old line to the byte.
fn is_same(lines: &Lines<'_>, at: usize, line: &HunkLine<'_>) -> bool {
    let raw = with_mark(lines, at);
    let (raw, is_open) = raw.strip_suffix(b"\n").map_or((raw, true), |raw| (raw, false));
    *raw == *line.text && is_open == line.unterminated
}

/// Returns all bytes of a line, the byte order mark of the first included.
fn with_mark<'f>(lines: &Lines<'f>, at: usize) -> &'f [u8] {
    let start = if at == 0 { 0 } else { lines.start(at) };
    &lines.bytes()[start..lines.start(at + 1)]
}

/// A file in the making.
struct Made<'f> {
    lines: &'f Lines<'f>,
    out: Vec<u8>,
    /// The first old line that has been neither taken over nor left out.
    next: usize,
    /// Whether the section shows which lines end in CRLF.
    shows_cr: bool,
    /// Whether a line had no newline and got one.
    closed: bool,
}

impl<'f> Made<'f> {
    fn new(lines: &'f Lines<'f>, shows_cr: bool) -> Self {
        let mut out = Vec::with_capacity(lines.bytes().len() + 256);
        out.extend_from_slice(lines.bom());
        Self { lines, out, next: 0, shows_cr, closed: false }
    }

    fn put(&mut self, placed: &Placed<'_, '_>) {
        self.keep_to(placed.range.start);
        // Behind lines that another hunk adds at the top, a byte order mark would no longer be one.
        let has_mark = self.next == 0 && !self.lines.bom().is_empty();
        let stays_first = !has_mark || self.out.len() == self.lines.bom().len();
        if placed.is_exact && stays_first {
            if has_mark {
                // The byte order mark is part of what is replaced.
                self.out.clear();
            }
            for line in &placed.hunk.lines {
                match line.mark {
                    Mark::Context => self.out.extend_from_slice(with_mark(self.lines, self.next)),
                    Mark::Removed => {}
                    Mark::Added => self.add(&line.text, if line.unterminated { b"" } else { b"\n" }),
                }
                self.next += usize::from(line.mark != Mark::Added);
            }
            return;
        }
        let mut is_first = placed.is_marked || placed.is_exact && has_mark;
        for block in placed.hunk.lines.chunk_by(|a, b| a.mark != Mark::Context && b.mark != Mark::Context) {
            if block[0].mark == Mark::Context {
                self.keep_to(self.next + 1);
                is_first = false;
                continue;
            }
            let start = self.next;
            let removed = block.iter().filter(|line| line.mark == Mark::Removed).count();
            self.next += removed;
            for (index, line) in block.iter().filter(|line| line.mark == Mark::Added).enumerate() {
                let plain = if is_first { without_mark(line).unwrap_or(text(line)) } else { text(line) };
                is_first = false;
                let ending = match line.unterminated {
                    true => Ending::None,
                    false if self.shows_cr && placed.range.is_empty() => match text(line).len() < line.text.len() {
                        true => Ending::CrLf,
                        false => Ending::Lf,
                    },
                    false => self.ending((index < removed).then(|| start + index)),
                };
                self.add(plain, ending.as_bytes());
            }
        }
    }

    /// Returns how a new line ends: as the one that it replaces, the one before it, the one after it, or most.
    fn ending(&self, replaced: Option<usize>) -> Ending {
        let of = |at: usize| terminator(self.lines.get(at).ending);
        let before = match &self.out[..] {
            [.., b'\r', b'\n'] => Some(Ending::CrLf),
            [.., b'\n'] => Some(Ending::Lf),
            // An unterminated last line goes by the one before it.
            _ => self.next.checked_sub(2).and_then(of),
        };
        let after = || (self.next < self.lines.len()).then(|| of(self.next)).flatten();
        replaced.and_then(of).or(before).or_else(after).unwrap_or_else(|| self.lines.majority())
    }

    fn add(&mut self, text: &[u8], ending: &[u8]) {
        if self.out.len() > self.lines.bom().len() && self.out.last() != Some(&b'\n') {
            self.out.extend_from_slice(self.ending(None).as_bytes());
            self.closed = true;
        }
        self.out.extend_from_slice(text);
        self.out.extend_from_slice(ending);
    }

    fn keep_to(&mut self, index: usize) {
        if index > self.next {
            self.out.extend_from_slice(self.lines.raw(self.next..index));
            self.next = index;
        }
    }

    fn finish(mut self) -> (Vec<u8>, bool) {
        self.keep_to(self.lines.len());
        (self.out, self.closed)
    }
}
