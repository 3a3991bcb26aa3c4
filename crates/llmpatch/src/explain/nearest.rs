//! What a file has instead of lines that a hunk or a find looks for: the new lines, because the
//! change is made already, or lines that are nearly the same.
//!
//! It is looked for when it is told, and no longer than [`Effort`] allows.

use std::cell::OnceCell;
use std::collections::HashMap;

use super::closest::Closest;
use crate::plan::{PlaceError, Places, Unplaced};
use crate::search::{Alignment, Counterpart, Effort, Fuzz, Gap, LineIndex, Sought, is_telling};
use crate::text::{LineNo, Lines, Text, looks_elided};
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
    NoSuchLine(Option<&'s Text<'static>>),
    /// Each of the lines, but not in this order one after the other: where the first few are; none
    /// if nobody looked.
    NotTogether(Vec<LineNo>),
    /// Nothing at all.
    EmptyFile,
}

/// The files in which hunks and finds have no place.
pub(super) struct SearchedFiles<'s> {
    /// The files by where their bytes are.
    files: HashMap<*const u8, SearchedFile<'s>>,
}

impl<'s> SearchedFiles<'s> {
    /// Prepares for all that has no place; a file is read when it is needed.
    pub(super) fn new(all: impl Iterator<Item = &'s Unplaced>, effort: &'s Effort) -> Self {
        let mut files = HashMap::new();
        for of in all.flat_map(|of| std::iter::once(of).chain(of.before.as_deref())) {
            let content = &of.seen.content;
            let file = files.entry(content.as_ptr());
            let file = file.or_insert_with(|| SearchedFile::new(content, effort));
            file.sought
                .extend(sought(&of.error).into_iter().flat_map(Sought::lines));
        }
        Self { files }
    }

    /// Finds what a file has instead of what has no place in it, if anything is to be looked for.
    pub(super) fn instead_of(&self, of: &'s Unplaced) -> Option<Reason<'s>> {
        let file = self.files.get(&of.seen.content.as_ptr())?;
        let sought = sought(&of.error)?;
        let is_context = matches!(of.error, PlaceError::Context { .. });
        if of.seen.content.is_empty() && !is_context {
            return Some(Reason::EmptyFile);
        }
        let found = file
            .index()
            .map(|index| index.instead_of(sought, file.effort));
        match found {
            Some(Counterpart::New(at)) => Some(Reason::New(LineNo::from_index(at))),
            Some(Counterpart::Near(near)) => {
                Some(Reason::Near(file.closest(sought, near, of.at_level)))
            }
            _ if is_context => None,
            _ => Some(file.apart(sought)),
        }
    }
}

/// A file, and the lines that it hasn't.
struct SearchedFile<'s> {
    lines: Lines<'s>,
    sought: Vec<&'s [u8]>,
    effort: &'s Effort,
    index: OnceCell<Option<LineIndex<'s, 's>>>,
}

impl<'s> SearchedFile<'s> {
    fn new(content: &'s Content, effort: &'s Effort) -> Self {
        Self {
            lines: content.lines(),
            sought: Vec::new(),
            effort,
            index: OnceCell::new(),
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
    fn apart(&self, sought: &'s Sought) -> Reason<'s> {
        for line in sought.old.iter().take(SHOWN_ABSENT) {
            match self.places(line) {
                Some(places) if places.count > 0 => {}
                Some(_) => return Reason::NoSuchLine(Some(line)),
                None => return Reason::NotTogether(Vec::new()),
            }
        }
        if sought.old.len() < 2 {
            return Reason::NoSuchLine(sought.old.first());
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
    use crate::path::RepoPath;
    use crate::plan::{After, FileAsFound, Part};
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
        let of = Unplaced {
            path: RepoPath::new(b"a").unwrap(),
            part: Part::Find,
            error: PlaceError::NotFound {
                after: After(None),
                sought: Box::new(sought),
            },
            seen: FileAsFound {
                content: "one\ntwo\nthree\n".into(),
                is_left: false,
            },
            len: 2,
            at_level: None,
            before: None,
        };
        let effort = Effort::new(0);
        let reason = SearchedFiles::new(std::iter::once(&of), &effort).instead_of(&of);
        assert!(matches!(reason, Some(Reason::NotTogether(lines)) if lines.is_empty()));
    }
}
