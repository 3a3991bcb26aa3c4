//! What a file has instead of lines that a hunk or a find looks for: the new lines, because the
//! change is made already, or lines that are nearly the same.
//!
//! It is looked for when it is told, and no longer than [`Effort`] allows.

use std::cell::OnceCell;

use super::closest::Closest;
use crate::plan::{PlaceError, Places};
use crate::search::{Alignment, Counterpart, Effort, Fuzz, Gap, LineIndex, Sought, is_telling};
use crate::text::{LineNo, Lines, Span, looks_elided};
use crate::tree::Content;

/// How many places of one line are listed.
const SHOWN: usize = 5;
/// How many lines of a hunk are looked up to find a line that the file hasn't.
const SHOWN_ABSENT: usize = 1000;

/// What a file has instead of the lines that an error says it hasn't.
pub(super) enum Reason<'s> {
    /// The new lines, from this line on.
    New(LineNo),
    /// Lines like them.
    Near(Closest<'s>),
    /// Nothing like them; this is the first line that is nowhere in the file.
    NoSuchLine(Option<Span>),
    /// Each of the lines, but not in this order one after the other: where the first few are; none
    /// if nobody looked.
    NotTogether(Vec<LineNo>),
    /// Nothing at all.
    EmptyFile,
}

/// An error, and what a file has instead of what it is about.
pub(super) struct InFile<'s> {
    pub(super) error: &'s PlaceError,
    pub(super) reason: Option<Reason<'s>>,
    /// The line of the file that a reader should look at.
    text: Option<&'s [u8]>,
}

impl InFile<'_> {
    /// Returns whether both say the same of the same line of a file in two states, wherever that
    /// line is.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        let is_same_reason = match (&self.reason, &other.reason) {
            (Some(Reason::Near(one)), Some(Reason::Near(other))) => one.is_like(other),
            (one, other) => {
                let kind = |reason: &Option<_>| reason.as_ref().map(std::mem::discriminant);
                kind(one) == kind(other)
            }
        };
        self.error.is_like(other.error) && is_same_reason && self.text == other.text
    }

    /// Takes the level of fuzz at which the lines would have a place from the same in another state
    /// of the file.
    pub(super) fn take_level(&mut self, other: &Self) {
        if let (Some(Reason::Near(one)), Some(Reason::Near(other))) =
            (&mut self.reason, &other.reason)
        {
            one.level = other.level;
        }
    }
}

/// A file, and the lines that errors say it hasn't.
pub(super) struct SearchedFile<'s> {
    lines: Lines<'s>,
    sought: Vec<&'s [u8]>,
    effort: &'s Effort,
    index: OnceCell<Option<LineIndex<'s, 's>>>,
}

impl<'s> SearchedFile<'s> {
    /// Prepares for what these errors look for; the file is read when it is needed.
    pub(super) fn new(
        content: &'s Content,
        errors: impl Iterator<Item = &'s PlaceError>,
        effort: &'s Effort,
    ) -> Self {
        Self {
            lines: content.lines(),
            sought: errors.filter_map(sought).flat_map(Sought::lines).collect(),
            effort,
            index: OnceCell::new(),
        }
    }

    /// Finds what the file has instead of what an error says it hasn't. `at_level` is where that has
    /// a place at which level of fuzz.
    pub(super) fn instead_of(
        &self,
        error: &'s PlaceError,
        at_level: Option<(LineNo, Fuzz)>,
    ) -> InFile<'s> {
        let reason = sought(error).and_then(|sought| self.reason(error, sought, at_level));
        let line = match &reason {
            Some(Reason::New(at)) => Some(at.index()),
            Some(Reason::Near(closest)) => Some(closest.line),
            _ => error.line(),
        };
        InFile {
            error,
            reason,
            text: line.map(|line| self.lines.text(line)),
        }
    }

    fn reason(
        &self,
        error: &PlaceError,
        sought: &'s Sought,
        at_level: Option<(LineNo, Fuzz)>,
    ) -> Option<Reason<'s>> {
        let is_context = matches!(error, PlaceError::Context { .. });
        if self.lines.bytes().is_empty() && !is_context {
            return Some(Reason::EmptyFile);
        }
        let found = self
            .index()
            .map(|index| index.instead_of(sought, self.effort));
        match found {
            Some(Counterpart::New(at)) => Some(Reason::New(LineNo::from_index(at))),
            Some(Counterpart::Near(near)) => {
                Some(Reason::Near(self.closest(sought, near, at_level)))
            }
            _ if is_context => None,
            _ => Some(self.apart(sought)),
        }
    }

    fn index(&self) -> Option<&LineIndex<'s, 's>> {
        self.index
            .get_or_init(|| {
                LineIndex::new(self.lines.clone(), self.sought.iter().copied(), self.effort)
            })
            .as_ref()
    }

    /// Returns where a single line is; `None` if that would be too much for a message.
    fn places(&self, text: &[u8]) -> Option<Places> {
        let lines = self.index()?.places(text, self.effort)?;
        Some(Places::new(lines.iter().copied().take(SHOWN), lines.len()))
    }

    /// Says of lines that aren't in a row where each is, or which is nowhere.
    fn apart(&self, sought: &Sought) -> Reason<'s> {
        for line in sought.old.iter().take(SHOWN_ABSENT) {
            match self.places(line) {
                Some(places) if places.count > 0 => {}
                Some(_) => return Reason::NoSuchLine(line.span),
                None => return Reason::NotTogether(Vec::new()),
            }
        }
        if sought.old.len() < 2 {
            return Reason::NoSuchLine(sought.old.first().and_then(|line| line.span));
        }
        let first = |line| self.places(line)?.lines.first().copied();
        let lines = sought.old.iter().take(SHOWN);
        Reason::NotTogether(lines.filter_map(|line| first(line)).collect())
    }

    fn closest(
        &self,
        sought: &'s Sought,
        near: Alignment,
        at_level: Option<(LineNo, Fuzz)>,
    ) -> Closest<'s> {
        let gap = near.gap();
        let text = &sought.old[gap.wanted()];
        let line = gap.line().min(self.lines.len().saturating_sub(1));
        let line = self.unfolded(text, line).unwrap_or(line);
        let is_left_out = matches!(gap, Gap::LeftOut { .. }) && !looks_elided(text);
        let is_at_level =
            matches!(gap, Gap::Other { .. }) && near.end - near.start == sought.old.len();
        let at_level = at_level.filter(|(at, _)| is_at_level && at.index() == near.start);
        Closest {
            sought,
            near,
            gap,
            text,
            line,
            elsewhere: if is_left_out { None } else { self.places(text) }.unwrap_or_default(),
            level: at_level.map(|(_, level)| level),
        }
    }

    /// Returns the line, near another, that a text begins with whose line ends are written out as
    /// `\n`.
    fn unfolded(&self, text: &[u8], line: usize) -> Option<usize> {
        let at = memchr::memmem::find(text, b"\\n")?;
        let first = text[..at].trim_ascii();
        let around = line.saturating_sub(8)..(line + 9).min(self.lines.len());
        is_telling(first).then(|| {
            around
                .into_iter()
                .find(|&at| self.lines.text(at).trim_ascii() == first)
        })?
    }
}

/// Returns the lines that an error says a file hasn't, if what is like them is worth looking for.
fn sought(error: &PlaceError) -> Option<&Sought> {
    match error {
        PlaceError::NotFound { sought, .. } => Some(sought),
        PlaceError::Context { sought, .. } => sought.as_deref(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::After;
    use crate::search::Ends;
    use crate::text::Text;

    /// Nothing is claimed of lines that nobody looked for.
    #[test]
    fn without_effort_left_nothing_is_said_of_the_file() {
        let old = ["two", "one"].map(|line| Text::derived(line.as_bytes()));
        let sought = Sought {
            old: old.to_vec(),
            new: old.to_vec(),
            ends: Ends::Whole,
            from: 0,
        };
        let error = PlaceError::NotFound {
            after: After(None),
            sought: Box::new(sought),
        };
        let content = Content::from("one\ntwo\nthree\n");
        let effort = Effort::new(0);
        let file = SearchedFile::new(&content, std::iter::once(&error), &effort);
        let reason = file.instead_of(&error, None).reason;
        assert!(matches!(reason, Some(Reason::NotTogether(lines)) if lines.is_empty()));
    }
}
