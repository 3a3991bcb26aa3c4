//! Why lines that a patch says are in a file aren't: finds the place that comes nearest, and what is there already.
//!
//! Everything here is for messages. It begins only when something has no place, and stops when [`Effort`] is spent.

use std::cell::OnceCell;

use bstr::{BString, ByteSlice as _};

use super::elision;
use super::numbering::{line_number, part_of};
use super::place_error::{After, Closest, PlaceError, Places, Reason};
use crate::patch::{Hunk, Mark};
use crate::search::{Bounds, Effort, Ends, Fuzz, Gap, Haystack, Near, Nearness, Needle, View};
use crate::text::{LineNo, Lines, Located, Span, Text};

/// A file and all that is looked for in it.
pub(super) struct Nearest<'f, 'p> {
    lines: Lines<'f>,
    /// All lines that this edit of the file looks for.
    sought: Vec<&'p [u8]>,
    /// All lines that it would leave.
    made: Vec<Vec<&'p [u8]>>,
    ends: Ends,
    /// Whether lines may be found at a level.
    has_levels: bool,
    effort: &'f Effort,
    nearness: OnceCell<Option<Nearness<'f>>>,
    results: OnceCell<Option<Haystack<'static>>>,
}

impl<'f, 'p> Nearest<'f, 'p> {
    /// Prepares for the hunks of a section.
    pub(super) fn of_hunks(lines: Lines<'f>, hunks: &'p [Hunk<'_>], effort: &'f Effort) -> Self {
        let locators = hunks.iter().flat_map(|hunk| &hunk.locators).map(|text| &text[..]);
        let sought = locators.chain(hunks.iter().flat_map(Hunk::old).map(|line| &line.text[..])).collect();
        let made = hunks.iter().map(|hunk| hunk.new_lines().map(|line| &line.text[..]).collect()).collect();
        Self::new(lines, (sought, made), Ends::Whole, effort)
    }

    /// Prepares for a text that may begin and end within lines.
    pub(super) fn of_text(lines: Lines<'f>, find: &'p [Text<'_>], put: &'p [Text<'_>], effort: &'f Effort) -> Self {
        let texts = |side: &'p [Text<'_>]| side.iter().map(|line| &line[..]).collect();
        Self::new(lines, (texts(find), vec![texts(put)]), Ends::Part, effort)
    }

    fn new(
        lines: Lines<'f>,
        (sought, made): (Vec<&'p [u8]>, Vec<Vec<&'p [u8]>>),
        ends: Ends,
        effort: &'f Effort,
    ) -> Self {
        let (nearness, results) = (OnceCell::new(), OnceCell::new());
        Self { lines, sought, made, ends, has_levels: true, effort, nearness, results }
    }

    /// Says nothing of levels: this format has none.
    pub(super) fn without_levels(self) -> Self {
        Self { has_levels: false, ..self }
    }

    /// Says why the old lines of a hunk are nowhere, and points at the line that shows it best. `from` is the first line at
    /// which they might have been, and `haystack` knows where single lines are.
    pub(super) fn of_hunk(
        &self,
        hunk: &Hunk<'_>,
        from: usize,
        haystack: &Haystack<'_>,
        after: After,
    ) -> Located<PlaceError> {
        let wanted: Vec<&Text<'_>> = hunk.old().map(|line| &line.text).collect();
        let near = self.near(&wanted, from);
        if let Some(at) = self.applied(hunk, from)
            && is_made(near.as_ref(), at, hunk.new_lines().map(|line| &line.text[..]))
        {
            let span = wanted.iter().find_map(|text| text.span);
            return Located::new(span.or(hunk.span), PlaceError::Applied { at: LineNo::from_index(at) });
        }
        let places = |text: &[u8]| {
            let run = haystack.run([text]);
            Places::new(run.iter().take(SHOWN), run.count())
        };
        self.reason(&wanted, near, from, hunk.span, places).map(|reason| PlaceError::NotFound { after, reason })
    }

    /// Says why a text is nowhere.
    pub(super) fn of_find(&self, find: &[Text<'_>], put: &[Text<'_>], span: Option<Span>) -> Located<PlaceError> {
        let wanted: Vec<&Text<'_>> = find.iter().collect();
        let near = self.near(&wanted, 0);
        if put.iter().any(|line| is_telling(line)) && self.effort.spend(self.lines.bytes().len()) {
            let texts: Vec<&[u8]> = put.iter().map(|line| &line[..]).collect();
            let needle = Needle::text(&texts, Bounds::default());
            let view = View::new(&self.lines);
            let joined = |texts: &[&[u8]]| texts.join(&b'\n');
            let sought: Vec<&[u8]> = find.iter().map(|line| &line[..]).collect();
            // What is only a part of the old text is there whether or not the rest is, and half a word by chance.
            let is_part = memchr::memmem::find(&joined(&sought), &joined(&texts)).is_some();
            if let Some(range) = view.first(&needle)
                && !is_part
                && crate::search::cuts_word(&self.lines, &range).is_none()
            {
                let at = self.lines.index_at(range.start);
                if is_made(near.as_ref(), at, texts.iter().copied()) {
                    return Located::new(span, PlaceError::Applied { at: LineNo::from_index(at) });
                }
            }
        }
        let places = |text: &[u8]| {
            let is_affordable = self.effort.spend(self.lines.bytes().len());
            let all = || (0..self.lines.len()).filter(|&at| is_affordable && self.lines.text(at) == text);
            Places::new(all().take(SHOWN), all().count())
        };
        let reason = self.reason(&wanted, near, 0, span, places);
        reason.map(|reason| PlaceError::NotFound { after: After(None), reason })
    }

    /// Finds the line that a context line may mean.
    pub(super) fn of_locator(&self, locator: &Text<'_>, from: usize) -> Option<Located<Closest>> {
        let near = self.near(&[locator], from)?;
        Some(self.closest(&[locator], near, from, locator.span, |_| Places::default()))
    }

    fn near(&self, wanted: &[&Text<'_>], from: usize) -> Option<Near> {
        let nearness =
            self.nearness.get_or_init(|| Nearness::new(self.lines.clone(), self.sought.iter().copied(), self.effort));
        let texts: Vec<&[u8]> = wanted.iter().map(|text| &text[..]).collect();
        nearness.as_ref()?.find(&texts, self.ends, from, self.effort)
    }

    fn reason(
        &self,
        wanted: &[&Text<'_>],
        near: Option<Near>,
        from: usize,
        span: Option<Span>,
        places: impl Fn(&[u8]) -> Places,
    ) -> Located<Reason> {
        if let Some(near) = near.filter(|near| near.gap.is_some()) {
            return self.closest(wanted, near, from, span, places).map(|closest| Reason::Near(Box::new(closest)));
        }
        let first = wanted.iter().find_map(|text| text.span).or(span);
        for text in wanted.iter().take(SHOWN_ABSENT) {
            if places(text).count == 0 {
                return Located::new(text.span.or(span), Reason::NoSuchLine);
            }
        }
        let lines = wanted.iter().take(SHOWN).filter_map(|text| places(text).lines.first().copied()).collect();
        Located::new(first, if wanted.len() > 1 { Reason::NotTogether(lines) } else { Reason::NoSuchLine })
    }

    fn closest(
        &self,
        wanted: &[&Text<'_>],
        near: Near,
        from: usize,
        span: Option<Span>,
        places: impl Fn(&[u8]) -> Places,
    ) -> Located<Closest> {
        let gap = near.gap.unwrap_or(Gap::Other { wanted: 0, line: near.start, alike: 100 });
        let text = wanted[gap.wanted()];
        let line = gap.line().min(self.lines.len().saturating_sub(1));
        let is_left_out = matches!(gap, Gap::LeftOut { .. }) && !elision::looks_elided(text);
        let line = self.unfolded(text, line).unwrap_or(line);
        let is_part = self.ends == Ends::Part && (gap.wanted() == 0 || gap.wanted() + 1 == wanted.len());
        let closest = Closest {
            is_numbered: matches!(gap, Gap::Other { .. }) && self.is_numbered(text, line, is_part),
            level: self.level(wanted, &near),
            of: wanted.len(),
            text: BString::from(&text[..]),
            span: text.span,
            is_part,
            line,
            from,
            elsewhere: if is_left_out { Places::default() } else { places(text) },
            near,
        };
        Located::new(text.span.or(span), closest)
    }

    /// Returns whether a text is a line of the file, or a part of it, with a line number before it.
    fn is_numbered(&self, text: &[u8], line: usize, is_part: bool) -> bool {
        let line = self.lines.text(line);
        let window = if is_part { part_of(text, line) } else { None }.unwrap_or(0..line.len());
        !elision::looks_elided(text) && line_number(text, &line[window]).is_some()
    }

    /// Returns the tightest level at which all lines are the same, one by one.
    fn level(&self, wanted: &[&Text<'_>], near: &Near) -> Option<Fuzz> {
        let is_worth_it = matches!(near.gap, Some(Gap::Other { .. })) && near.end - near.start == wanted.len();
        let size = || self.lines.raw(near.start..near.end).len();
        if !self.has_levels || !is_worth_it || !self.effort.spend(Fuzz::LEVELS.len() * size()) {
            return None;
        }
        let lines = || (near.start..near.end).map(|at| self.lines.text(at));
        let is_same = |level: Fuzz| lines().zip(wanted).all(|(line, text)| level.form(line) == level.form(text));
        Fuzz::LEVELS.into_iter().find(|&level| is_same(level))
    }

    /// Returns the line, near another, that a text begins with whose line ends are written out as `\n`.
    fn unfolded(&self, text: &[u8], line: usize) -> Option<usize> {
        let first = text.split_str("\\n").next().filter(|first| first.len() < text.len() && is_telling(first))?;
        let around = line.saturating_sub(8)..(line + 9).min(self.lines.len());
        around.into_iter().find(|&at| self.lines.text(at).trim_ascii() == first.trim_ascii())
    }

    /// Returns where a hunk's new lines are, if they say enough to be sure that it is meant.
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
            self.effort
                .spend(self.lines.bytes().len())
                .then(|| Haystack::new(&self.lines, self.made.iter().map(|run| run.iter().copied())))
        });
        let results = results.as_ref()?;
        let run = results.run(hunk.new_lines().map(|line| &line.text[..]));
        run.at_or_after(from).or_else(|| run.first())
    }
}

/// How many places of one line are listed.
const SHOWN: usize = 5;
/// How many lines of a hunk are looked up to find one that the file hasn't.
const SHOWN_ABSENT: usize = 1000;

fn is_telling(line: &[u8]) -> bool {
    line.iter().filter(|byte| !byte.is_ascii_whitespace()).count() > 3
}

/// Returns whether the new lines that are in the file from line `at` on have been made of what comes nearest to the old ones,
/// rather than being there by chance while the old ones are elsewhere, misspelt.
fn is_made<'l>(near: Option<&Near>, at: usize, new: impl Iterator<Item = &'l [u8]> + Clone) -> bool {
    let is_alone = new.clone().filter(|line| is_telling(line)).count() < 2;
    // One line is often found in other places; of several, only look-alikes of the old ones cast doubt.
    let alike = if is_alone { 70 } else { 99 };
    near.is_none_or(|near| {
        let is_other = near.alike >= alike && matches!(near.gap, Some(Gap::Other { .. }));
        !is_other || (at..at + new.clone().count()).contains(&near.start)
    })
}
