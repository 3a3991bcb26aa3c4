//! A response that has been applied before: it has no place in the files as they are, and can be
//! taken back from them.
//!
//! New lines may be there by chance, where a model is wrong about the old lines. So what can be
//! taken back must be telling: more than [`CHANCE`] bytes of new lines, or a file that git knows
//! and that is gone. A response of less counts only if each of its hunks and finds is certain:
//! - it puts lines in place of others, or has context on both sides of what it changes; an addition
//!   at the edge of its context could be anywhere;
//! - its new lines are in the file as whole lines, in a row, exactly once, and hold a letter or a
//!   digit;
//! - no removed line is anywhere in the file, save the lines that it puts back;
//! - the new lines are at the hunk's number, or the file has no more than [`FEW`] lines, or, in
//!   OPX, which has no numbers, they are more than [`SHORT`] bytes: in a long file any short line
//!   is found.

use std::collections::HashSet;

use super::Rules;
use super::error::{Error, Missing};
use super::place_error::{Part, PlaceError, Unplaced};
use super::placement::Placement;
use super::planner::Planner;
use super::resolved::{ResolvedEdit, resolved};
use super::section;
use crate::patch::{
    FileEdit, Format, Header, Hunk, HunkLine, Mark, Occurrence, Operation, Patch, Position, Status,
    Substitution, Times,
};
use crate::search::{Counterpart, Document, Effort, LineIndex};
use crate::text::{LineNo, Lines, Located, Text};
use crate::tree::{Content, Gone};

/// The hunks and finds of a response that has been applied before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Applied {
    /// How many there are.
    pub hunks: usize,
    /// Where the new lines of the first are, and the file, if that is certain.
    pub first: Option<(LineNo, Content)>,
}

/// How many bytes of new lines may be there by chance.
const CHANCE: usize = 3;
/// How many bytes of whole lines that OPX puts may be there by chance in a long file.
const SHORT: usize = 8;
/// How many lines a file may have in which a short line isn't there by chance.
const FEW: usize = 50;

impl Planner<'_> {
    /// Returns the hunks of the response if it has been applied before: nothing is wrong with it
    /// but that what it looks for isn't there, and all of it can be taken back from the files as
    /// they are.
    ///
    /// Only here a whole response is planned a second time, the other way round: `--allow-empty`
    /// makes a success of what is found out, and no search for single lines could find it out. Of
    /// edits of one file each leaves what the next finds, files that are moved or gone have no
    /// lines to look for, and an addition is placed behind its context again.
    pub(super) fn applied(&self) -> Option<Applied> {
        if self.errors.is_empty() || !self.errors.iter().all(|error| is_absence(&error.value)) {
            return None;
        }
        let (whole, edits): (Vec<&ResolvedEdit<'_>>, Vec<_>) =
            self.edits.iter().rev().partition(|of| is_whole(of.edit));
        let is_certain = !edits.is_empty() && edits.iter().all(|edit| self.is_certain(edit));
        if !is_certain && self.evidence() <= CHANCE || !whole.iter().all(|edit| self.is_idle(edit))
        {
            return None;
        }
        let edits = edits
            .into_iter()
            .map(|of| reversed(of.edit, is_certain))
            .collect::<Option<_>>()?;
        let back = self.taken_back(edits)?;
        let found: Vec<_> = self.misses().map(|of| (of, self.instead_of(of))).collect();
        // A text that is put may well be in a line by which a misspelt find is meant, unless it is
        // all of that line.
        let is_misspelt = |(of, found): &(&Unplaced, Counterpart)| {
            matches!(of.part, Part::Find | Part::Text) && matches!(found, Counterpart::Near(_))
        };
        if !is_certain && found.iter().any(is_misspelt) {
            return None;
        }
        let is_found_made = |(of, found): &(&Unplaced, Counterpart)| match found {
            // By chance the new lines may be there while the old ones are elsewhere, misspelt.
            Counterpart::Near(near) => back.iter().any(|placed| {
                let rows = placed.old.start..placed.old.start + placed.old.count.max(1);
                placed.path == of.path && rows.contains(&(near.line() + 1))
            }),
            _ => true,
        };
        // Texts of that length aren't there by chance.
        let is_long = |of: &ResolvedEdit<'_>| matches!(&of.edit.operation, Operation::Substitute(edit) if is_long(edit));
        let is_made =
            is_certain && self.edits.iter().all(is_long) || found.iter().all(is_found_made);
        let first = found.iter().find_map(|(of, found)| match found {
            Counterpart::New(at) if !of.seen.is_left => {
                Some((LineNo::from_index(*at), of.seen.content.clone()))
            }
            _ => None,
        });
        is_made.then(|| Applied {
            hunks: count_hunks(self.edits.iter().map(|of| of.edit)),
            first,
        })
    }

    /// Returns where the hunks of edits would be placed that take the response back, if all have a
    /// place.
    fn taken_back(&self, edits: Vec<FileEdit<'_>>) -> Option<Vec<Placement>> {
        let patches = [Patch {
            format: Format::Envelope,
            edits,
        }];
        let rules = Rules {
            strict: false,
            unique: false,
            overwrite: false,
            ..self.rules.clone()
        };
        let edits = resolved(&patches, self.resolver);
        let mut back = Planner::new(edits, self.tree, self.resolver, &rules);
        (back.effort, back.enough) = (Effort::new(0), 1);
        back.edit_all();
        back.errors.is_empty().then_some(back.placements)
    }

    /// Returns what has no place.
    fn misses(&self) -> impl Iterator<Item = &Unplaced> {
        self.errors.iter().filter_map(|error| match &error.value {
            Error::Place(unplaced) => Some(&**unplaced),
            _ => None,
        })
    }

    /// Finds what a file has instead of what isn't there.
    fn instead_of(&self, of: &Unplaced) -> Counterpart {
        let PlaceError::NotFound { sought, .. } = &of.error else {
            return Counterpart::Nothing;
        };
        let lines = of.seen.content.lines();
        LineIndex::new(lines, sought.lines(), &self.effort).map_or(Counterpart::Nothing, |index| {
            index.instead_of(sought, &self.effort)
        })
    }

    /// Returns the hunks of the response if all that it does is to add lines that are there already.
    pub(super) fn repeated(&self) -> Option<Applied> {
        let is_in_place = |edit: &FileEdit<'_>| {
            edit.destination().is_none() && edit.header.as_deref().is_none_or(section::is_in_place)
        };
        let is_all = self.errors.is_empty()
            && !self.does_more
            && self.edits.iter().all(|of| {
                if is_whole(of.edit) {
                    self.is_idle(of)
                } else {
                    is_in_place(of.edit)
                }
            });
        let first = self.again.clone().filter(|_| is_all)?;
        Some(Applied {
            hunks: count_hunks(self.edits.iter().map(|of| of.edit)),
            first: Some(first),
        })
    }

    /// Returns how much of what the response makes is there if it can be taken back, in bytes of
    /// lines that tell anything.
    fn evidence(&self) -> usize {
        let of_edit = |of: &ResolvedEdit<'_>| match &of.edit.operation {
            Operation::Update { hunks, .. } => hunks.iter().map(telling).sum(),
            Operation::Substitute(edit) => edit.put.iter().map(size).sum(),
            Operation::Create { lines, .. } => lines.iter().map(size).sum(),
            _ => 0,
        };
        // Nor is it chance that a file which git knows is gone.
        let is_gone = |error: &&Located<Error>| {
            matches!(error.value, Error::Missing(_, Missing::Tracked { .. }))
        };
        let gone = self.errors.iter().filter(is_gone).count();
        self.edits.iter().map(of_edit).sum::<usize>() + gone * (CHANCE + 1)
    }

    /// Returns whether what an edit makes is in its file, where it would be, and what it changes
    /// isn't.
    fn is_certain(&self, of: &ResolvedEdit<'_>) -> bool {
        let path = of.to.as_ref().unwrap_or(&of.path).as_ref();
        let Some(content) = path.ok().and_then(|path| self.overlay.in_tree(path)) else {
            return false;
        };
        let lines = content.lines();
        match &of.edit.operation {
            Operation::Update { hunks, .. } => hunks.iter().all(|hunk| {
                let marks = || hunk.lines.iter().map(|line| line.mark);
                let has = |mark| marks().any(|of_line| of_line == mark);
                let is_framed = is_framed(hunk) && !marks().all(|mark| mark == Mark::Context);
                let removed = hunk
                    .lines
                    .iter()
                    .filter(|line| line.mark == Mark::Removed)
                    .map(|line| &line.text);
                let number = hunk
                    .position
                    .as_ref()
                    .map(|position| position.new_start as usize);
                let place = || self.made(&lines, removed, hunk.new_lines().map(|line| &line.text));
                (is_framed || (has(Mark::Removed) && has(Mark::Added)))
                    && (lines.len() <= FEW || number.is_some())
                    && place().is_some_and(|at| lines.len() <= FEW || number == Some(at + 1))
            }),
            Operation::Substitute(edit) => {
                (is_long(edit) || lines.len() <= FEW)
                    && self
                        .made(&lines, edit.find.iter(), edit.put.iter())
                        .is_some()
            }
            _ => false,
        }
    }

    /// Returns the only place of new lines in a file that holds none of the removed lines.
    fn made<'t>(
        &self,
        lines: &Lines<'_>,
        removed: impl Iterator<Item = &'t Text<'t>> + Clone,
        new: impl Iterator<Item = &'t Text<'t>> + Clone,
    ) -> Option<usize> {
        let texts = || new.clone().map(|line| &line[..]);
        if !self.effort.spend(lines.bytes().len())
            || !texts().flatten().any(u8::is_ascii_alphanumeric)
        {
            return None;
        }
        let put: HashSet<_> = texts().collect();
        let gone = || {
            removed
                .clone()
                .map(|line| &line[..])
                .filter(|line| !put.contains(line))
        };
        let runs =
            std::iter::once(texts().collect::<Vec<_>>()).chain(gone().map(|line| vec![line]));
        let file = Document::of_lines(lines, runs);
        let is_gone = gone().all(|line| file.run([line]).first().is_none());
        file.run(texts()).only().filter(|_| is_gone)
    }

    /// Returns whether an edit of a whole file leaves all as it is: what it makes is there, and what
    /// it removes isn't.
    fn is_idle(&self, of: &ResolvedEdit<'_>) -> bool {
        of.path.as_ref().is_ok_and(|path| {
            self.overlay.changed().all(|changed| changed != path)
                && self.overlay.before(path).is_some() != removes(of.edit)
        })
    }
}

/// Counts the hunks and finds of edits; of files that come or go as a whole there are none.
pub(crate) fn count_hunks<'e>(edits: impl Iterator<Item = &'e FileEdit<'e>>) -> usize {
    let count = |edit: &FileEdit<'_>| match &edit.operation {
        Operation::Update { hunks, .. } => hunks.len(),
        Operation::Substitute(_) => 1,
        _ => 0,
    };
    edits.filter(|edit| !is_whole(edit)).map(count).sum()
}

/// Returns whether what is put isn't in a file by chance.
fn is_long(edit: &Substitution<'_>) -> bool {
    edit.put.iter().map(size).sum::<usize>() > SHORT
}

/// Returns how long a line is, whitespace aside; nothing if it is a mere brace.
fn size(text: &Text<'_>) -> usize {
    let size = text
        .iter()
        .filter(|byte| !byte.is_ascii_whitespace())
        .count();
    if size > 1 { size } else { 0 }
}

/// Returns whether a hunk of several lines has context on both sides.
pub(super) fn is_framed(hunk: &Hunk<'_>) -> bool {
    let ends = [hunk.lines.first(), hunk.lines.last()];
    hunk.lines.len() > 1
        && ends
            .into_iter()
            .flatten()
            .all(|line| line.mark == Mark::Context)
}

/// Returns the size of the lines of a hunk that are in a row once it is applied, and aren't before.
fn telling(hunk: &Hunk<'_>) -> usize {
    let is_cut = is_framed(hunk) && hunk.lines.iter().any(|line| line.mark == Mark::Removed);
    let mut added = hunk.added();
    let kept = || {
        hunk.new_lines()
            .filter(|line| line.mark == Mark::Context && size(&line.text) > CHANCE)
    };
    match added.next() {
        Some(first)
            if size(&first.text) + added.map(|line| size(&line.text)).sum::<usize>() == 0 =>
        {
            0
        }
        None if !is_cut || kept().count() < 2 => 0,
        _ => hunk.new_lines().map(|line| size(&line.text)).sum(),
    }
}

/// Returns whether an edit makes, replaces or removes a whole file.
fn is_whole(edit: &FileEdit<'_>) -> bool {
    match &edit.operation {
        Operation::Create { .. } | Operation::Replace { .. } | Operation::Delete { .. } => true,
        Operation::Update { .. } => edit
            .header
            .as_ref()
            .is_some_and(|header| matches!(header.status, Status::Added | Status::Deleted)),
        _ => false,
    }
}

fn removes(edit: &FileEdit<'_>) -> bool {
    let header = edit.header.as_deref();
    matches!(edit.operation, Operation::Delete { .. })
        || header.is_some_and(|header| header.status == Status::Deleted)
}

/// Returns the edit that undoes an edit that moves a file or changes lines. `puts_lines` says that
/// a text that is put is known to be whole lines.
fn reversed<'e>(edit: &'e FileEdit<'_>, puts_lines: bool) -> Option<FileEdit<'e>> {
    let to = edit.destination().map(|_| edit.path.clone());
    let operation = match &edit.operation {
        Operation::Move { .. } => Operation::Update {
            to,
            hunks: Vec::new(),
        },
        Operation::Update { hunks, .. } => Operation::Update {
            to,
            hunks: hunks.iter().map(hunk).collect::<Option<_>>()?,
        },
        Operation::Substitute(Substitution { find, put, .. }) if puts_lines => {
            let line = |mark| {
                move |text: &Text<'e>| HunkLine {
                    mark,
                    text: text.clone(),
                    unterminated: false,
                }
            };
            let lines = put
                .iter()
                .map(line(Mark::Removed))
                .chain(find.iter().map(line(Mark::Added)))
                .collect();
            Operation::Update {
                to,
                hunks: vec![Hunk {
                    lines,
                    ..Hunk::default()
                }],
            }
        }
        Operation::Substitute(Substitution {
            find,
            put,
            occurrence,
            ..
        }) if !put.is_empty() => {
            let (find, put) = (put.clone(), find.clone());
            let occurrence = match occurrence {
                Occurrence::Lines(_) => Occurrence::Lines(None),
                // A part of a line is there by chance unless it is long.
                Occurrence::Text(Times::Once) if find.iter().map(size).sum::<usize>() > SHORT => {
                    *occurrence
                }
                Occurrence::Text(_) => return None,
                _ => Occurrence::Only,
            };
            Operation::Substitute(Substitution {
                find,
                put,
                occurrence,
                written: None,
            })
        }
        _ => return None,
    };
    let header = match edit.header.as_deref() {
        Some(
            Header {
                binary: Some(_), ..
            }
            | Header {
                status: Status::Copied,
                ..
            },
        ) => return None,
        Some(header) => {
            let old_mode = header.new_mode;
            let new_mode = header.old_mode;
            Some(Box::new(Header {
                old_mode,
                new_mode,
                ids: None,
                similarity: None,
                ..header.clone()
            }))
        }
        None => None,
    };
    let path = edit.destination().unwrap_or(&edit.path).clone();
    Some(FileEdit {
        path,
        root: edit.root.clone(),
        operation,
        header,
        why: None,
        span: None,
        record: None,
        depth: None,
    })
}

/// Returns the hunk that does the contrary, if there are lines by which its place can be found.
fn hunk<'e>(hunk: &'e Hunk<'_>) -> Option<Hunk<'e>> {
    hunk.new_lines().next()?;
    let line = |line: &'e HunkLine<'_>| HunkLine {
        mark: match line.mark {
            Mark::Context => Mark::Context,
            Mark::Removed => Mark::Added,
            Mark::Added => Mark::Removed,
        },
        ..line.clone()
    };
    let position = hunk.position.as_ref().map(|position| Position {
        old_start: position.new_start,
        old_lines: position.new_lines,
        new_start: position.old_start,
        new_lines: position.old_lines,
        heading: Vec::new(),
    });
    let lines = hunk.lines.iter().map(line).collect();
    Some(Hunk {
        lines,
        position,
        end_of_file: hunk.end_of_file,
        ..Hunk::default()
    })
}

/// Returns whether something is looked for and isn't there, which is so of what has been done
/// before.
fn is_absence(error: &Error) -> bool {
    match error {
        Error::Place(unplaced) => {
            unplaced.error.is_nowhere() || unplaced.error.is_earlier().is_some()
        }
        // One that is named much like another is misspelled.
        Error::Missing(_, Missing::Never(suggestion)) => suggestion.meant.is_none(),
        Error::Missing(_, Missing::Tracked { gone, .. }) => {
            matches!(gone, Gone::Deleted | Gone::Unstaged)
        }
        _ => false,
    }
}
