//! Why lines that a patch says are in a file aren't: finds the place that comes nearest, and what
//! is there already.
//!
//! Everything here is for messages. It begins only when something has no place, and stops when
//! [`Effort`] is spent.

use std::cell::OnceCell;

use bstr::{BString, ByteSlice as _};

use super::applied::is_framed;
use super::place::texts;
use super::place_error::{After, Closest, PlaceError, Places, Reason};
use crate::patch::{Hunk, HunkLine, Mark};
use crate::search::{Bounds, Effort, Ends, Fuzz, Gap, Near, Nearness, Needle, first, is_telling};
use crate::text::{LineNo, Lines, Located, Span, Text, looks_elided};

/// A file and all that is looked for in it.
pub(super) struct Nearest<'f, 'p> {
    lines: Lines<'f>,
    /// All lines that this edit of the file looks for, or would leave.
    sought: Vec<&'p [u8]>,
    ends: Ends,
    /// What is compared of a hunk's line.
    text: for<'h> fn(&'h HunkLine<'_>) -> &'h [u8],
    effort: &'f Effort,
    nearness: OnceCell<Option<Nearness<'f, 'p>>>,
}

impl<'f, 'p> Nearest<'f, 'p> {
    /// Prepares for the hunks of a section.
    pub(super) fn of_hunks(
        lines: Lines<'f>,
        hunks: &'p [Hunk<'_>],
        text: for<'h> fn(&'h HunkLine<'_>) -> &'h [u8],
        effort: &'f Effort,
    ) -> Self {
        let locators = hunks
            .iter()
            .flat_map(|hunk| &hunk.locators)
            .map(|text| &text[..]);
        let sought = locators
            .chain(hunks.iter().flat_map(|hunk| &hunk.lines).map(text))
            .collect();
        Self {
            lines,
            sought,
            ends: Ends::Whole,
            text,
            effort,
            nearness: OnceCell::new(),
        }
    }

    /// Prepares for a text, which may begin and end within lines, or for whole lines.
    pub(super) fn of_text(
        lines: Lines<'f>,
        find: &'p [Text<'_>],
        ends: Ends,
        effort: &'f Effort,
    ) -> Self {
        Self {
            sought: texts(find),
            ends,
            ..Self::of_hunks(lines, &[], |line| &line.text, effort)
        }
    }

    /// Returns why the old lines of a hunk are nowhere, and points at the line that shows it best.
    /// `from` is the first line at which they might have been.
    pub(super) fn of_hunk(
        &self,
        hunk: &Hunk<'_>,
        from: usize,
        after: After,
    ) -> Located<PlaceError> {
        let texts = hunk
            .old()
            .map(|line| ((self.text)(line), line.text.span))
            .collect();
        let wanted = SoughtLines {
            texts,
            from,
            span: hunk.span,
        };
        let near = self.near(&wanted);
        if let Some(at) = self.applied(hunk, from)
            && is_made(near.as_ref(), at, hunk.new_lines().map(self.text))
        {
            return Located::new(
                wanted.first(),
                PlaceError::Applied {
                    at: LineNo::from_index(at),
                },
            );
        }
        self.reason(&wanted, near)
            .map(|reason| PlaceError::NotFound { after, reason })
    }

    /// Returns why a text is nowhere.
    pub(super) fn of_find(
        &self,
        find: &[Text<'_>],
        put: &[Text<'_>],
        span: Option<Span>,
    ) -> Located<PlaceError> {
        let wanted = SoughtLines {
            texts: find.iter().map(|line| (&line[..], line.span)).collect(),
            from: 0,
            span,
        };
        let near = self.near(&wanted);
        if put.iter().any(|line| is_telling(line)) && self.effort.spend(self.lines.bytes().len()) {
            let put = texts(put);
            let bounds = if self.ends == Ends::Whole {
                Bounds::LINES
            } else {
                Bounds::default()
            };
            let needle = Needle::text(&put, bounds);
            // What is only a part of the old text is there whether or not the rest is, and half a
            // word by chance.
            let is_part =
                memchr::memmem::find(&texts(find).join(&b'\n'), &put.join(&b'\n')).is_some();
            if let Some(range) = first(&self.lines, &needle)
                && !is_part
                && crate::search::cuts_word(&self.lines, &range).is_none()
            {
                let at = self.lines.index_at(range.start);
                if is_made(near.as_ref(), at, put.iter().copied()) {
                    return Located::new(
                        span,
                        PlaceError::Applied {
                            at: LineNo::from_index(at),
                        },
                    );
                }
            }
        }
        self.reason(&wanted, near)
            .map(|reason| PlaceError::NotFound {
                after: After(None),
                reason,
            })
    }

    /// Finds the line that a context line may mean.
    pub(super) fn of_locator(&self, locator: &Text<'_>, from: usize) -> Option<Located<Closest>> {
        let wanted = SoughtLines {
            texts: vec![(&locator[..], locator.span)],
            from,
            span: locator.span,
        };
        Some(self.closest(&wanted, self.near(&wanted)?))
    }

    fn nearness(&self) -> Option<&Nearness<'f, 'p>> {
        self.nearness
            .get_or_init(|| {
                Nearness::new(self.lines.clone(), self.sought.iter().copied(), self.effort)
            })
            .as_ref()
    }

    fn near(&self, wanted: &SoughtLines<'_>) -> Option<Near> {
        let texts: Vec<&[u8]> = wanted.texts.iter().map(|(text, _)| *text).collect();
        self.nearness()?
            .find(&texts, self.ends, wanted.from, self.effort)
    }

    /// Returns where a single line is; `None` if that would be too much for a message.
    fn places(&self, text: &[u8]) -> Option<Places> {
        let lines = self.nearness()?.places(text, self.effort)?;
        Some(Places::new(lines.iter().copied().take(SHOWN), lines.len()))
    }

    fn reason(&self, wanted: &SoughtLines<'_>, near: Option<Near>) -> Located<Reason> {
        if let Some(near) = near.filter(|near| near.gap.is_some()) {
            return self
                .closest(wanted, near)
                .map(|closest| Reason::Near(Box::new(closest)));
        }
        let SoughtLines { texts, span, .. } = wanted;
        for (text, of_line) in texts.iter().take(SHOWN_ABSENT) {
            match self.places(text) {
                Some(places) if places.count > 0 => {}
                Some(_) => return Located::new(of_line.or(*span), Reason::NoSuchLine),
                None => return Located::new(wanted.first(), Reason::NotTogether(Vec::new())),
            }
        }
        let places = texts
            .iter()
            .take(SHOWN)
            .filter_map(|(text, _)| self.places(text));
        let lines = places
            .filter_map(|places| places.lines.first().copied())
            .collect();
        let reason = if texts.len() > 1 {
            Reason::NotTogether(lines)
        } else {
            Reason::NoSuchLine
        };
        Located::new(wanted.first(), reason)
    }

    fn closest(&self, wanted: &SoughtLines<'_>, near: Near) -> Located<Closest> {
        let SoughtLines { texts, from, span } = wanted;
        let gap = near.gap.unwrap_or(Gap::Other {
            wanted: 0,
            line: near.start,
            alike: 100,
        });
        let (text, of_line) = texts[gap.wanted()];
        let line = gap.line().min(self.lines.len().saturating_sub(1));
        let is_left_out = matches!(gap, Gap::LeftOut { .. }) && !looks_elided(text);
        let line = self.unfolded(text, line).unwrap_or(line);
        let is_part =
            self.ends == Ends::Part && (gap.wanted() == 0 || gap.wanted() + 1 == texts.len());
        let closest = Closest {
            level: self.level(texts, &near),
            of: texts.len(),
            text: BString::from(text),
            span: of_line,
            is_part,
            line,
            from: *from,
            elsewhere: if is_left_out { None } else { self.places(text) }.unwrap_or_default(),
            near,
        };
        Located::new(of_line.or(*span), closest)
    }

    /// Returns the tightest level at which all lines are the same, one by one.
    fn level(&self, wanted: &[(&[u8], Option<Span>)], near: &Near) -> Option<Fuzz> {
        let is_worth_it =
            matches!(near.gap, Some(Gap::Other { .. })) && near.end - near.start == wanted.len();
        let size = || self.lines.raw(near.start..near.end).len();
        if !is_worth_it || !self.effort.spend(Fuzz::LEVELS.len() * size()) {
            return None;
        }
        let lines = || (near.start..near.end).map(|at| self.lines.text(at));
        let is_same = |level: Fuzz| {
            lines()
                .zip(wanted)
                .all(|(line, (text, _))| level.form(line) == level.form(text))
        };
        Fuzz::LEVELS.into_iter().find(|&level| is_same(level))
    }

    /// Returns the line, near another, that a text begins with whose line ends are written out as
    /// `\n`.
    fn unfolded(&self, text: &[u8], line: usize) -> Option<usize> {
        let first = text
            .split_str("\\n")
            .next()
            .filter(|first| first.len() < text.len() && is_telling(first))?;
        let around = line.saturating_sub(8)..(line + 9).min(self.lines.len());
        around
            .into_iter()
            .find(|&at| self.lines.text(at).trim_ascii() == first.trim_ascii())
    }

    /// Returns where a hunk's new lines are, if they say enough to be sure that it is meant.
    fn applied(&self, hunk: &Hunk<'_>, from: usize) -> Option<usize> {
        let adds = hunk.lines.iter().filter(|line| line.mark == Mark::Added);
        let is_sure = match adds.clone().next() {
            Some(_) => adds.clone().any(|line| is_telling((self.text)(line))),
            None => {
                is_framed(hunk)
                    && hunk
                        .new_lines()
                        .filter(|line| is_telling((self.text)(line)))
                        .count()
                        > 1
            }
        };
        if !is_sure {
            return None;
        }
        let run: Vec<&[u8]> = hunk.new_lines().map(self.text).collect();
        self.nearness()?.run(&run, from, self.effort)
    }
}

/// Lines that are looked for.
struct SoughtLines<'w> {
    /// Each, and where it is in the response.
    texts: Vec<(&'w [u8], Option<Span>)>,
    /// The first line of the file at which they might have been.
    from: usize,
    /// Where all of them are in the response.
    span: Option<Span>,
}

impl SoughtLines<'_> {
    /// Returns where the first of them is in the response.
    fn first(&self) -> Option<Span> {
        self.texts.iter().find_map(|(_, span)| *span).or(self.span)
    }
}

/// How many places of one line are listed.
const SHOWN: usize = 5;
/// How many lines of a hunk are looked up to find a line that the file hasn't.
const SHOWN_ABSENT: usize = 1000;

/// Returns whether the new lines that are in the file from line `at` on have been made of the lines
/// nearest to the old lines, rather than being there by chance while the old lines are elsewhere,
/// misspelt.
fn is_made<'l>(
    near: Option<&Near>,
    at: usize,
    new: impl Iterator<Item = &'l [u8]> + Clone,
) -> bool {
    let is_alone = new.clone().filter(|line| is_telling(line)).count() < 2;
    // One line is often found in other places; of several, only look-alikes of the old ones cast
    // doubt.
    let alike = if is_alone { 70 } else { 99 };
    near.is_none_or(|near| {
        let is_other = near.alike >= alike && matches!(near.gap, Some(Gap::Other { .. }));
        !is_other || (at..at + new.clone().count()).contains(&near.start)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Nothing is claimed of lines that nobody looked for.
    #[test]
    fn without_effort_left_nothing_is_said_of_the_file() {
        let lines = Lines::new(b"one\ntwo\nthree\n");
        let effort = Effort::new(0);
        let find = ["two", "one"].map(|line| Text {
            bytes: line.as_bytes().into(),
            span: None,
        });
        let error =
            Nearest::of_text(lines, &find, Ends::Whole, &effort).of_find(&find, &find, None);
        assert_eq!(
            error.value,
            PlaceError::NotFound {
                after: After(None),
                reason: Reason::NotTogether(Vec::new())
            }
        );
    }
}
