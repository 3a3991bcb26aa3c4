//! [`ChangeSet`] → suggestions of a review: which lines of a pull request's head are replaced, and
//! by which.
//!
//! What can be suggested is limited by what GitHub takes and commits, which `docs/reviews.md` lists
//! with the sources: lines that the pull request's diff shows, in one of its hunks.

use std::collections::HashMap;
use std::ops::Range;
use std::slice;

use bstr::{BString, ByteSlice as _};

use super::hunks::{Side, hunk};
use super::{Blob, Pair, bytes, contents, pair_up};
use crate::compare::{Compare, CompareError, Region, Renames};
use crate::patch::{FileEdit, Hunk, Mark, Operation, Patch, Position, Unrepresentable, What};
use crate::path::RepoPath;
use crate::plan::ChangeSet;
use crate::text::{LineNo, Shown};

/// A change as suggestions.
pub struct Suggestions<'c> {
    /// The file and the lines that a suggestion replaces, then those that it suggests.
    pub hunks: Vec<(&'c RepoPath, Hunk<'c>)>,
    /// Every file of which no suggestion can say what becomes of it.
    pub unrepresentable: Vec<Unrepresentable>,
    /// What can't be suggested, or is but can't be committed on the site.
    pub limited: Vec<Limited>,
}

/// Lines of a file for which a review can't do all.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{} for {} of `{}`: {limit}",
    limit.effect(),
    crate::text::lines(.lines, .lines.len()),
    Shown(path)
)]
pub struct Limited {
    /// The file.
    pub path: BString,
    /// The first and the last line of each run, in the pull request's head.
    pub lines: Vec<(LineNo, LineNo)>,
    /// What is the matter.
    pub limit: Limit,
    /// What the pull request's diff shows of the file.
    pub shown: Vec<(LineNo, LineNo)>,
}

/// What limits suggestions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::Display)]
pub enum Limit {
    /// The pull request doesn't touch the file.
    #[strum(to_string = "the pull request doesn't change the file")]
    File,
    /// The file isn't what it is in the pull request's head, so that lines have other numbers.
    #[strum(to_string = "the file isn't as the pull request's last commit has it")]
    State,
    /// The lines, or the place of new lines, aren't all in one hunk of the pull request.
    #[strum(to_string = "that isn't in one hunk of the pull request's diff")]
    Lines,
    /// A comment can't be that long.
    #[strum(to_string = "the comment would be longer than 65,536 characters")]
    Length,
    /// Lines of the base are shown between them. The suggestion can be posted nevertheless.
    #[strum(to_string = "the pull request removes lines between these")]
    Removed,
}

impl Limit {
    fn effect(self) -> &'static str {
        match self {
            Limit::Removed => "GitHub won't commit the suggestion",
            _ => "no suggestion can be posted",
        }
    }
}

/// Derives suggestions, given the diff that the pull request shows: see [`super::unified`].
///
/// # Errors
/// If contents can't be compared.
pub fn suggestions<'c>(
    changes: &'c ChangeSet,
    pull_request: &Patch<'_>,
    compare: &dyn Compare,
) -> Result<Suggestions<'c>, CompareError> {
    let shown: HashMap<&[u8], &FileEdit<'_>> = pull_request
        .edits
        .iter()
        .map(|edit| (&edit.destination().unwrap_or(&edit.path)[..], edit))
        .collect();
    let mut unrepresentable = Vec::new();
    let mut limited = Vec::new();
    let mut hunks = Vec::new();
    for pair in pair_up(changes, compare, Renames::default())? {
        let [_, path] = pair.paths();
        if let Some(what) = hindrance(&pair) {
            unrepresentable.push(Unrepresentable {
                path: path.as_bstr().into(),
                format: "a review",
                what,
            });
            continue;
        }
        let shown = shown_of(&pair, shown.get(path.as_bytes()).copied(), compare)?;
        let regions = pair.regions(compare)?;
        let contents = contents(pair);
        let sides = contents.each_ref().map(Side::of);
        let known = limited.len();
        for region in with_lines(regions, &shown, sides[0].count()) {
            let limit = shown.limit(&region.old);
            if let Some(limit) = limit {
                let mut of_lines = Limited::of(path.as_bstr().into(), &region.old, limit);
                let mut of_file = limited[known..].iter_mut();
                match of_file.find(|known: &&mut Limited| known.limit == limit) {
                    Some(known) => known.lines.append(&mut of_lines.lines),
                    None => {
                        of_lines.shown = shown.runs();
                        limited.push(of_lines);
                    }
                }
            }
            if limit.is_none_or(|limit| limit == Limit::Removed) {
                let hunk = hunk(&sides, slice::from_ref(&region), &region, b"");
                hunks.push((path, hunk));
            }
        }
    }
    Ok(Suggestions {
        hunks,
        unrepresentable,
        limited,
    })
}

impl Limited {
    /// Names a run of lines, from 0, that is limited.
    pub fn of(path: BString, lines: &Range<usize>, limit: Limit) -> Self {
        Self {
            path,
            lines: vec![run(lines)],
            limit,
            shown: Vec::new(),
        }
    }
}

fn run(lines: &Range<usize>) -> (LineNo, LineNo) {
    let last = lines.end.saturating_sub(1).max(lines.start);
    (LineNo::from_index(lines.start), LineNo::from_index(last))
}

/// Returns what of a file's change no suggestion can say.
fn hindrance(pair: &Pair<'_>) -> Option<What> {
    let (old, new) = match (&pair.old, &pair.new) {
        (Some(old), Some(new)) => (old, new),
        (None, _) => return Some(What::New),
        (_, None) => return Some(What::Deletion),
    };
    let both = |is: fn(&Blob<'_>) -> bool| is(old) && is(new);
    let ends = [old, new].map(|side| side.content.ends_with(b"\n"));
    match () {
        () if old.path != new.path => Some(What::Rename),
        () if old.mode != new.mode => Some(What::Mode),
        () if old.path.as_bytes().to_str().is_err() => Some(What::Name),
        () if pair.is_binary() || !both(|blob| !blob.content.contains(&0)) => Some(What::Binary),
        () if !both(|blob| blob.content.to_str().is_ok()) => Some(What::Utf8),
        () if !both(ends_alike) || has_cr(old) != has_cr(new) => Some(What::LineEnds),
        // The site keeps what the last line was.
        () if both(|blob| !blob.content.is_empty()) && ends[0] != ends[1] => {
            Some(What::FinalNewline)
        }
        () => None,
    }
}

fn has_cr(blob: &Blob<'_>) -> bool {
    blob.content.contains(&b'\r')
}

/// Returns whether all lines end with LF, or all with CRLF, and no CR is anywhere else: what the
/// site commits has CRLF throughout where a line has.
fn ends_alike(blob: &Blob<'_>) -> bool {
    let count = |of: &[u8]| blob.content.find_iter(of).count();
    !has_cr(blob) || count(b"\r") == count(b"\r\n") && count(b"\n") == count(b"\r\n")
}

/// What the pull request's diff shows of a file.
struct InDiff<'p> {
    hunks: &'p [Hunk<'p>],
    /// Why it shows nothing that could be commented on.
    limit: Option<Limit>,
}

fn shown_of<'p>(
    pair: &Pair<'_>,
    edit: Option<&'p FileEdit<'p>>,
    compare: &dyn Compare,
) -> Result<InDiff<'p>, CompareError> {
    let of_file = edit.and_then(|edit| match &edit.operation {
        Operation::Update { hunks, .. } => Some((edit, &hunks[..])),
        _ => None,
    });
    let Some((edit, hunks)) = of_file else {
        let limit = Some(Limit::File);
        return Ok(InDiff { hunks: &[], limit });
    };
    let id = compare.abbreviate(&compare.id(Some(bytes(&pair.old)))?)?;
    let ids = edit.header.as_ref().and_then(|header| header.ids.as_ref());
    let is_other = ids.is_some_and(|(_, new)| *new != id);
    Ok(InDiff {
        hunks: if is_other { &[] } else { hunks },
        limit: is_other.then_some(Limit::State),
    })
}

impl InDiff<'_> {
    fn hunk(&self, lines: &Range<usize>) -> Option<&Hunk<'_>> {
        let holds = |hunk: &&Hunk<'_>| {
            let shown = shown(hunk);
            shown.start <= lines.start && lines.end <= shown.end && !lines.is_empty()
        };
        self.hunks.iter().find(holds)
    }

    /// Returns what limits a suggestion for these lines.
    fn limit(&self, lines: &Range<usize>) -> Option<Limit> {
        let Some(hunk) = self.hunk(lines) else {
            return Some(self.limit.unwrap_or(Limit::Lines));
        };
        let mut next = shown(hunk).start;
        for line in &hunk.lines {
            if line.mark != Mark::Removed {
                next += 1;
            } else if lines.start < next && next < lines.end {
                return Some(Limit::Removed);
            }
        }
        None
    }

    fn runs(&self) -> Vec<(LineNo, LineNo)> {
        let shown = self.hunks.iter().map(shown);
        let some = shown.filter(|lines| !lines.is_empty());
        some.map(|lines| run(&lines)).collect()
    }
}

/// Returns the lines of the head that a hunk shows, from 0.
fn shown(hunk: &Hunk<'_>) -> Range<usize> {
    hunk.position.as_ref().map_or(0..0, Position::now)
}

/// Gives new lines a neighbour that they replace together with, the line above if it is shown, since a
/// comment is about lines; and joins what then is about the same line.
fn with_lines(regions: Vec<Region>, shown: &InDiff<'_>, count: usize) -> Vec<Region> {
    let mut all: Vec<Region> = Vec::with_capacity(regions.len());
    for Region { mut old, mut new } in regions {
        if old.is_empty() {
            let at = old.start;
            let above = at.checked_sub(1).map(|above| above..at);
            let below = (at < count).then(|| at..at + 1);
            let mut both = [above, below].into_iter().flatten();
            let shown = both.clone().find(|line| shown.hunk(line).is_some());
            if let Some(line) = shown.or_else(|| both.next()) {
                new = new.start - (at - line.start)..new.end + (line.end - at);
                old = line;
            }
        }
        match all.last_mut().filter(|last| old.start < last.old.end) {
            Some(last) => (last.old.end, last.new.end) = (old.end, new.end),
            None => all.push(Region { old, new }),
        }
    }
    all
}
