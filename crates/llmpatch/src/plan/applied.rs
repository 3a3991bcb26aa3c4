//! A response that has been applied before: what it makes is in the files, and what it changes isn't.
//!
//! - The new lines of each hunk and find are in its file as whole lines, in a row, and not above the context
//!   that leads to them.
//! - The old lines of a hunk that removes some, or of a find, aren't.
//! - A file that is made is there, and one that is removed or moved away is gone.
//!
//! New lines may be there by chance, where a model is wrong about the old lines. So some must be telling,
//! or each must be certain: it puts lines in place of others or has context on both sides, is in the file
//! exactly once and at the hunk's number (or the file has no more than [`FEW`] lines, or what is put is
//! no short word), and no line that it removes is anywhere. A single one isn't, where another
//! line of the file is more like the old one.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use super::error::{Error, Missing};
use super::exchange::{Exchange, exchanges};
use super::place_error::{Part, PlaceError, Unplaced};
use super::planner::Planner;
use super::resolved::ResolvedEdit;
use super::section;
use crate::patch::{FileEdit, Hunk, Operation, Status};
use crate::path::RepoPath;
use crate::search::{Counterpart, Document, LineIndex, is_telling, is_version};
use crate::text::LineNo;
use crate::tree::{Content, Entry, File, Gone};

/// The hunks and finds of a response that has been applied before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Applied {
    /// How many there are.
    pub hunks: usize,
    /// Where the new lines of the first are, and the file, if that is certain.
    pub first: Option<(LineNo, Content)>,
}

/// The most hunks and finds that are looked for: each takes half a kilobyte, however short it is.
const MOST: usize = 20_000;
/// How many lines a file may have in which a short line isn't there by chance.
const FEW: usize = 50;
/// How alike, in percent, lines are of which the one is the other with a slip of the pen.
const SLIP: u8 = 95;

impl Planner<'_> {
    /// Returns the hunks of the response if it has been applied before: nothing is wrong with it
    /// but that what it looks for isn't there, and what it makes is.
    pub(super) fn applied(&self) -> Option<Applied> {
        if self.errors.is_empty() || !self.errors.iter().all(|error| is_absence(&error.value)) {
            return None;
        }
        let hunks = count_hunks(self.edits.iter().map(|of| of.edit));
        if hunks > MOST {
            return None;
        }
        let (whole, edits): (Vec<&ResolvedEdit<'_>>, Vec<_>) =
            self.edits.iter().partition(|of| is_whole(of.edit));
        if !whole.iter().all(|of| self.is_idle(of)) {
            return None;
        }
        let mut files: BTreeMap<&RepoPath, Vec<Exchange<'_>>> = BTreeMap::new();
        for of in &edits {
            let path = self.moved_to(of)?;
            if !self.has_mode(path, of.edit) {
                return None;
            }
            files.entry(path).or_default().extend(exchanges(of.edit)?);
        }
        let has_gone = self.errors.iter().any(|error| is_gone(&error.value));
        let is_enough = has_gone
            || whole.iter().any(|of| makes_telling_lines(of.edit))
            || files.values().flatten().any(Exchange::is_telling);
        let has_all = !files.is_empty() && files.values().all(|of| !of.is_empty());
        if !is_enough && !has_all {
            return None;
        }
        let mut made = Vec::new();
        for (path, exchanges) in files {
            made.extend(self.made(path, &exchanges, is_enough)?);
        }
        if self.misses().any(|of| self.is_misspelt(of, &made)) {
            return None;
        }
        let first = made.into_iter().next();
        Some(Applied {
            hunks,
            first: first.map(|made| (LineNo::from_index(made.rows.start), made.content)),
        })
    }

    /// Returns whether the new lines are there by chance, while the old ones are elsewhere, misspelt.
    fn is_misspelt(&self, of: &Unplaced, made: &[NewLines<'_>]) -> bool {
        let Counterpart::Near(near) = self.instead_of(of) else {
            return false;
        };
        let is_certain = made.iter().all(|made| made.is_certain);
        let is_version = made.iter().all(|made| made.is_version);
        // A single line is often found in other places.
        let telling: usize = made.iter().map(|made| made.telling).sum();
        if is_certain && is_version && telling > 1 && near.alike < SLIP {
            return false;
        }
        // A text that is put may well be in a line by which a misspelt find is meant.
        let is_text = matches!(of.part, Part::Find | Part::Text);
        let mut own = made.iter().filter(|made| *made.path == of.path);
        is_text && !is_certain || !own.any(|made| made.rows.contains(&near.line()))
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

    /// Returns the path at which what an edit makes is; none if the file that it moves is still there.
    fn moved_to<'r>(&self, of: &'r ResolvedEdit<'_>) -> Option<&'r RepoPath> {
        let path = of.path.as_ref().ok()?;
        let Some(to) = &of.to else {
            return Some(path);
        };
        let to = to.as_ref().ok()?;
        (to == path || self.overlay.before(path).is_none()).then_some(to)
    }

    /// Returns whether a file has the mode that an edit gives it.
    fn has_mode(&self, path: &RepoPath, edit: &FileEdit<'_>) -> bool {
        let given = edit.header.as_deref().and_then(section::given_mode);
        given.is_none_or(|given| {
            matches!(self.tree.read(path), Ok(Entry::File(file)) if file.mode.git() == given)
        })
    }

    /// Returns where the new lines of a file's exchanges are, if all are made. `is_enough` says that what
    /// the response makes isn't there by chance.
    fn made<'p>(
        &self,
        path: &'p RepoPath,
        exchanges: &[Exchange<'_>],
        is_enough: bool,
    ) -> Option<Vec<NewLines<'p>>> {
        let Ok(Entry::File(File { content, .. })) = self.tree.read(path) else {
            return None;
        };
        if !self.effort.spend(content.size()) {
            return None;
        }
        let needles = exchanges.iter().flat_map(Exchange::needles);
        let file = Document::new(content.clone(), needles);
        let is_small = file.line_count() <= FEW;
        let mut last = HashMap::new();
        for (index, exchange) in exchanges.iter().enumerate() {
            last.extend(exchange.removed.iter().map(|line| (*line, index)));
        }
        let mut all = Vec::new();
        for (index, exchange) in exchanges.iter().enumerate() {
            let certain = exchange.certain(&file, is_small);
            let likely = || exchange.at(&file).or_else(|| exchange.text_at(&file));
            let Some(at) = certain.or_else(|| is_enough.then(likely).flatten()) else {
                if is_enough && exchange.is_taken_on(index, &last) {
                    continue;
                }
                return None;
            };
            all.push(NewLines {
                path,
                rows: at..at + exchange.new.len().max(1),
                content: content.clone(),
                is_certain: certain.is_some(),
                is_version: is_version(&exchange.old.concat(), &exchange.new.concat()),
                telling: exchange.new.iter().filter(|line| is_telling(line)).count(),
            });
        }
        Some(all)
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

/// Where the new lines of an edit are.
struct NewLines<'p> {
    path: &'p RepoPath,
    rows: Range<usize>,
    content: Content,
    /// Whether they can be nowhere else.
    is_certain: bool,
    /// Whether they are the old lines in another version.
    is_version: bool,
    /// How many of them say more than a brace does.
    telling: usize,
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

/// Returns whether an edit makes a whole file that isn't there by chance.
fn makes_telling_lines(edit: &FileEdit<'_>) -> bool {
    match &edit.operation {
        Operation::Create { lines, .. } => lines.iter().any(|line| is_telling(line)),
        Operation::Update { hunks, .. } => {
            let mut added = hunks.iter().flat_map(Hunk::added);
            added.any(|line| is_telling(&line.text))
        }
        _ => false,
    }
}

fn removes(edit: &FileEdit<'_>) -> bool {
    let header = edit.header.as_deref();
    matches!(edit.operation, Operation::Delete { .. })
        || header.is_some_and(|header| header.status == Status::Deleted)
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

/// Returns whether a file that git knows is gone.
fn is_gone(error: &Error) -> bool {
    matches!(error, Error::Missing(_, Missing::Tracked { .. }))
}
