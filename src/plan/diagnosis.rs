//! Why lines that a patch says are in a file aren't: finds the place that comes nearest, and says what is otherwise there.
//!
//! Everything here is for messages. It begins only when something has no place, and stops when [`Effort`] is spent.

use std::cell::OnceCell;
use std::ops::Range;

use bstr::ByteSlice as _;

use super::closest::{Closest, Divergence};
use super::difference::Difference;
use super::elision;
use super::fault::place;
use super::miss::Reason;
use crate::explain::{FilePlace, Nearest};
use crate::matching::{Effort, Ends, Gap, Haystack, Near, Nearness, Tolerance};
use crate::patch::{Hunk, Mark};
use crate::path::RepoPath;
use crate::text::{LineNo, Lines, Located, Span, Text};

/// A file and all that is looked for in it.
pub(super) struct Diagnosis<'f, 'p> {
    path: &'f RepoPath,
    lines: &'f Lines<'f>,
    /// All lines that this edit of the file looks for.
    sought: Vec<&'p [u8]>,
    /// All lines that it would leave.
    made: Vec<&'p [u8]>,
    ends: Ends,
    /// Whether lines may be found at a level.
    has_levels: bool,
    effort: &'f Effort,
    nearness: OnceCell<Option<Nearness<'f>>>,
    results: OnceCell<Option<Haystack<'f>>>,
}

impl<'f, 'p> Diagnosis<'f, 'p> {
    /// Prepares for the hunks of a section.
    pub(super) fn of_hunks(
        path: &'f RepoPath,
        lines: &'f Lines<'f>,
        hunks: &'p [Hunk<'_>],
        effort: &'f Effort,
    ) -> Self {
        let locators = hunks.iter().flat_map(|hunk| &hunk.locators).map(|text| &text[..]);
        let sought = locators.chain(hunks.iter().flat_map(Hunk::old).map(|line| &line.text[..])).collect();
        let made = hunks.iter().flat_map(Hunk::new_lines).map(|line| &line.text[..]).collect();
        Self::new(path, lines, sought, made, Ends::Whole, effort)
    }

    /// Prepares for a text that may begin and end within lines.
    pub(super) fn of_text(
        path: &'f RepoPath,
        lines: &'f Lines<'f>,
        find: &'p [Text<'_>],
        put: &'p [Text<'_>],
        effort: &'f Effort,
    ) -> Self {
        let texts = |side: &'p [Text<'_>]| side.iter().map(|line| &line[..]).collect();
        Self::new(path, lines, texts(find), texts(put), Ends::Part, effort)
    }

    fn new(
        path: &'f RepoPath,
        lines: &'f Lines<'f>,
        sought: Vec<&'p [u8]>,
        made: Vec<&'p [u8]>,
        ends: Ends,
        effort: &'f Effort,
    ) -> Self {
        let (nearness, results) = (OnceCell::new(), OnceCell::new());
        Self { path, lines, sought, made, ends, has_levels: true, effort, nearness, results }
    }

    /// Says nothing of levels: this format has none.
    pub(super) fn without_levels(self) -> Self {
        Self { has_levels: false, ..self }
    }

    /// Says why the old lines of a hunk stand nowhere, and points at the line that shows it best. `from` is the first line at
    /// which they might have stood, and `stands` knows where single lines do.
    pub(super) fn of_hunk(&self, hunk: &Hunk<'_>, from: usize, stands: &Haystack<'_>) -> Located<Reason> {
        let wanted: Vec<&Text<'_>> = hunk.old().map(|line| &line.text).collect();
        let near = self.near(&wanted, from);
        if let Some(at) = self.applied(hunk, from)
            && near.as_ref().is_none_or(|near| !is_look_alike(near) || is_within(near, at, hunk.new_lines().count()))
        {
            let place = place(self.path, self.lines, at, "the new lines stand here already", "from here on");
            let span = wanted.iter().find_map(|text| text.span);
            return Located::new(span.or(hunk.span), Reason::Applied { place });
        }
        let places = |text: &[u8]| {
            let run = stands.run([text]);
            let places = stands.places(&run);
            Stands { lines: places.iter().take(SHOWN).map(LineNo::from_index).collect(), count: places.count() }
        };
        self.reason(&wanted, near, from, hunk.span, places)
    }

    /// Says why a text stands nowhere.
    pub(super) fn of_find(&self, find: &[Text<'_>], put: &[Text<'_>], span: Option<Span>) -> Located<Reason> {
        let wanted: Vec<&Text<'_>> = find.iter().collect();
        let near = self.near(&wanted, 0);
        if put.iter().any(|line| is_telling(line)) && self.effort.spend(self.lines.bytes().len()) {
            let texts: Vec<&[u8]> = put.iter().map(|line| &line[..]).collect();
            let bounds = crate::matching::Bounds::default();
            if let Some(range) = crate::matching::Needle::new(&texts, bounds).first(self.lines) {
                let at = self.lines.index_at(range.start);
                let is_made = near.as_ref().is_none_or(|near| !is_look_alike(near) || is_within(near, at, put.len()));
                if is_made {
                    let place = place(self.path, self.lines, at, "the new text stands here already", "from here on");
                    return Located::new(span, Reason::Applied { place });
                }
            }
        }
        let places = |text: &[u8]| {
            let mut stands = Stands::default();
            if self.effort.spend(self.lines.bytes().len()) {
                for at in (0..self.lines.len()).filter(|&at| self.lines.text(at) == text) {
                    stands.count += 1;
                    if stands.lines.len() < SHOWN {
                        stands.lines.push(LineNo::from_index(at));
                    }
                }
            }
            stands
        };
        self.reason(&wanted, near, 0, span, places)
    }

    /// Finds the line that a context line may mean.
    pub(super) fn of_locator(&self, locator: &Text<'_>, from: usize) -> Option<Located<Closest>> {
        let near = self.near(&[locator], from)?;
        Some(self.closest(&[locator], &near, from, locator.span, |_| Stands::default()))
    }

    fn near(&self, wanted: &[&Text<'_>], from: usize) -> Option<Near> {
        let nearness =
            self.nearness.get_or_init(|| Nearness::new(self.lines, self.sought.iter().copied(), self.effort));
        let texts: Vec<&[u8]> = wanted.iter().map(|text| &text[..]).collect();
        nearness.as_ref()?.find(&texts, self.ends, from, self.effort)
    }

    fn reason(
        &self,
        wanted: &[&Text<'_>],
        near: Option<Near>,
        from: usize,
        span: Option<Span>,
        stands: impl Fn(&[u8]) -> Stands,
    ) -> Located<Reason> {
        if let Some(near) = near.filter(|near| near.gap.is_some()) {
            return self.closest(wanted, &near, from, span, stands).map(|closest| Reason::Near(Box::new(closest)));
        }
        let first = wanted.iter().find_map(|text| text.span).or(span);
        for text in wanted.iter().take(SHOWN_ABSENT) {
            if stands(text).count == 0 {
                return Located::new(text.span.or(span), Reason::NoSuchLine);
            }
        }
        let lines = wanted.iter().take(SHOWN).filter_map(|text| stands(text).lines.first().copied()).collect();
        Located::new(first, if wanted.len() > 1 { Reason::NotTogether { lines } } else { Reason::NoSuchLine })
    }

    fn closest(
        &self,
        wanted: &[&Text<'_>],
        near: &Near,
        from: usize,
        span: Option<Span>,
        stands: impl Fn(&[u8]) -> Stands,
    ) -> Located<Closest> {
        let gap = near.gap.unwrap_or(Gap::Other { wanted: 0, line: near.start, alike: 100 });
        let text = wanted[gap.wanted()];
        let line = gap.line().min(self.lines.len().saturating_sub(1));
        let line = self.unfolded(text, line).unwrap_or(line);
        let is_part = self.ends == Ends::Part && (gap.wanted() == 0 || gap.wanted() + 1 == wanted.len());
        let (how, in_patch, in_file) = match gap {
            _ if elision::looks_elided(text) => (Divergence::Elided, None, None),
            Gap::Other { alike, .. } => {
                let difference = Difference::of(text, self.lines.text(line), alike, is_part);
                let (in_patch, in_file) = (difference.patch.clone(), difference.file.clone());
                (Divergence::Differs(difference), Some(in_patch), Some(in_file))
            }
            Gap::LeftOut { count, .. } => (Divergence::LeftOut(count), None, None),
            Gap::Invented { count, .. } => {
                (Divergence::Invented { count, at_end: gap.line() >= self.lines.len() }, None, None)
            }
        };
        let (agree, of, start) = (near.agree, wanted.len(), LineNo::from_index(near.start));
        let stands = if matches!(how, Divergence::LeftOut(_)) { Stands::default() } else { stands(text) };
        let mut place = place(self.path, self.lines, line, &caption(near, of, line, from), how.label_of_file());
        if let Some(mark) = in_file {
            mark_in(&mut place, self.lines.text(line), mark);
        }
        let nearest = Nearest::new(start, place.line, self.lines.text(line));
        let region = near.start..near.end.max(near.start + 1).min(self.lines.len());
        let closest = Closest {
            place,
            nearest,
            agree,
            of,
            how,
            stands: stands.lines,
            count: stands.count,
            level: self.level(wanted, near),
            region,
        };
        let marked = in_patch.and_then(|mark| part(text, mark)).or(text.span).or(span);
        Located::new(marked, closest)
    }

    /// Returns the tightest level at which all lines are the same, one by one.
    fn level(&self, wanted: &[&Text<'_>], near: &Near) -> Option<Tolerance> {
        let is_worth_it = matches!(near.gap, Some(Gap::Other { .. })) && near.end - near.start == wanted.len();
        let size = || self.lines.raw(near.start..near.end).len();
        if !self.has_levels || !is_worth_it || !self.effort.spend(Tolerance::LEVELS.len() * size()) {
            return None;
        }
        let lines = || (near.start..near.end).map(|at| self.lines.text(at));
        let is_same = |level: Tolerance| lines().zip(wanted).all(|(line, text)| level.form(line) == level.form(text));
        Tolerance::LEVELS.into_iter().find(|&level| is_same(level))
    }

    /// Returns the line, near another, that a text begins with whose line ends are written out as `\n`.
    fn unfolded(&self, text: &[u8], line: usize) -> Option<usize> {
        let first = text.split_str("\\n").next().filter(|first| first.len() < text.len() && is_telling(first))?;
        let around = line.saturating_sub(8)..(line + 9).min(self.lines.len());
        around.into_iter().find(|&at| self.lines.text(at).trim_ascii() == first.trim_ascii())
    }

    /// Returns where a hunk's new lines stand, if they say enough to be sure that it is meant.
    fn applied(&self, hunk: &Hunk<'_>, from: usize) -> Option<usize> {
        let adds = hunk.lines.iter().filter(|line| line.mark == Mark::Added);
        let is_sure = match adds.clone().next() {
            Some(_) => adds.clone().any(|line| is_telling(&line.text)),
            None => {
                let mut marks = hunk.lines.iter().map(|line| line.mark);
                let is_framed = marks.next() == Some(Mark::Context) && marks.next_back() == Some(Mark::Context);
                is_framed && hunk.new_lines().filter(|line| is_telling(&line.text)).count() > 1
            }
        };
        if !is_sure {
            return None;
        }
        let results = self.results.get_or_init(|| {
            self.effort.spend(self.lines.bytes().len()).then(|| Haystack::new(self.lines, self.made.iter().copied()))
        });
        let results = results.as_ref()?;
        let run = results.run(hunk.new_lines().map(|line| &line.text[..]));
        results.first(&run, from).or_else(|| results.first(&run, 0))
    }
}

/// How many lines are named where one stands.
const SHOWN: usize = 5;
/// How many lines of a hunk are looked up to find one that the file hasn't.
const SHOWN_ABSENT: usize = 1000;

/// Where a line stands.
#[derive(Default)]
struct Stands {
    lines: Vec<LineNo>,
    count: usize,
}

fn is_telling(line: &[u8]) -> bool {
    line.iter().filter(|byte| !byte.is_ascii_whitespace()).count() > 3
}

/// Returns whether a place is what was meant but for characters that look the same.
fn is_look_alike(near: &Near) -> bool {
    near.alike >= 99 && matches!(near.gap, Some(Gap::Other { .. }))
}

/// Returns whether a place lies in so many lines from `at` on: what was meant there has been made of it.
fn is_within(near: &Near, at: usize, count: usize) -> bool {
    (at..at + count).contains(&near.start)
}

fn caption(near: &Near, of: usize, line: usize, from: usize) -> String {
    let before = if near.start < from { ", though before the previous hunk" } else { "" };
    let start = if near.start == line { String::new() } else { format!(" from line {} on", near.start + 1) };
    match of {
        1 => format!("closest line{before}"),
        _ if near.agree == 0 => format!("closest place{start}{before}"),
        _ if near.agree == of => format!("closest place{start}{before}, all {of} lines are there, with others between"),
        _ => format!("closest place{start}{before}, {} of {of} lines agree", near.agree),
    }
}

fn mark_in(place: &mut FilePlace, text: &[u8], mark: Range<usize>) {
    let before = &text[..mark.start.min(text.len()).min(1 << 16)];
    place.column = before.chars().count() + 1;
    place.excerpt = crate::text::Excerpt::new(text, mark);
}

/// Returns the place in the response of a part of a text.
fn part(text: &Text<'_>, range: Range<usize>) -> Option<Span> {
    let span = text.span?;
    // The span of a hunk's line begins with its prefix.
    let prefix = ((span.end - span.start) as usize).checked_sub(text.len()).filter(|&prefix| prefix <= 1)?;
    let at = |offset: usize| span.start + (prefix + offset) as u32;
    Some(Span { start: at(range.start), end: at(range.end), ..span })
}
