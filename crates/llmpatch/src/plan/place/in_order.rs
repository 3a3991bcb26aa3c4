//! The policy of the envelope: hunks are in the file's order, and the first match counts.
//!
//! The search is the plain search that the format is known for: each context line and each run of
//! old lines is looked for from the cursor on, the first match wins and the cursor moves past it.
//! What makes that bearable is here too: context lines that are only nearly right, old lines that
//! begin with their context line, a superfluous empty line at a hunk's end. Each of these is tried
//! only when the plain rule finds nothing, says so, and is off under
//! [`Rules::strict`](super::super::Rules::strict). Only when all of that finds nothing are the
//! levels of [`Rules::fuzz`](super::super::Rules::fuzz) tried, tightest first.
//!
//! Where the format's descriptions are silent:
//! - A hunk whose new lines are its old lines changes nothing; when no hunk changes anything, the
//!   file stays as it is, its missing final newline included.
//! - A hunk of context lines alone is an anchor. Where else it is doesn't matter: what follows it
//!   is looked for before it, too. One of nothing but blank lines says nothing, and moves nothing.
//! - After a hunk that fails, the cursor stays where it was, and a later hunk whose lines are
//!   missing only since the failed one didn't add them isn't reported.
//! - Under line numbers (`@@ -1,7 +1,8 @@`), old lines must be unique from the cursor on, after any
//!   context line.
//! - At a level, candidates are the places after the context line or at it; without a context line,
//!   the places at or after the cursor, and the places before it in lines that no hunk has
//!   replaced, which can't be used, and still make a place ambiguous. With `*** End of File` the
//!   end of the file is the only candidate.
//! - At each level a hunk is looked for as written, then without its trailing empty line, before
//!   the next level is tried. That line must be empty in the patch; whitespace doesn't make it one.
//! - A context line is looked for at a level only when nothing equals it or is like it by the rules
//!   that need no level.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::super::fuzz::Fitted;
use super::super::place_error::{After, Ambiguity, Earlier, PlaceError};
use super::super::splice::Last;
use super::super::warning::Placing;
use super::candidates::Untaken;
use super::hunk_search::HunkSearch;
use super::placed::{AddedLines, PlacedHunk, changed, made};
use super::run::{RunPlace, SoughtRun, old, trim};
use super::{Outcome, Policy, Task, first_old, no_place};
use crate::patch::{Hunk, HunkLine, Mark};
use crate::search::{Fuzz, IndentedBlock};
use crate::text::{LineNo, Located, Span, Text};

/// The first match behind the hunk before.
pub(super) const POLICY: Policy = Policy {
    place,
    is_numbered: false,
    text: |line| &line.text,
};

fn place(task: Task<'_>, hunks: &[Hunk<'_>], lost: &mut HashSet<Vec<u8>>) -> Outcome {
    let mut placer = OrderPlacer {
        task,
        search: &HunkSearch::new(task, hunks, POLICY.text),
        cursor: 0,
        placed: Vec::new(),
        untaken: Untaken::default(),
        opener: None,
        blocks: HashMap::new(),
        ways: Vec::new(),
    };
    let mut outcome = POLICY.each(task, hunks, lost, |number, hunk| {
        let cursor = placer.cursor;
        let done = placer.place(number, hunk);
        let ways = std::mem::take(&mut placer.ways);
        done.map(|()| ways).inspect_err(|_| placer.cursor = cursor)
    });
    let mut placed = placer.placed;
    // Stable, so that two insertions at one place stay in the order of their hunks.
    placed.sort_by_key(|placed| placed.range.start);
    let overlaps: Vec<_> = placed
        .windows(2)
        .filter(|pair| pair[0].range.end > pair[1].range.start)
        .map(|pair| {
            (
                pair[1].number,
                Located::new(pair[1].span, PlaceError::Overlap),
            )
        })
        .collect();
    if !overlaps.is_empty() {
        (placed, outcome.whole) = (Vec::new(), false);
        outcome.errors.extend(overlaps);
        outcome.errors.sort_by_key(|(number, _)| *number);
    }
    made(task, hunks, &placed, Last::Terminated, outcome)
}

pub(super) struct OrderPlacer<'f> {
    pub(super) task: Task<'f>,
    pub(super) search: &'f HunkSearch<'f>,
    /// Index of the first line at which the next hunk may begin.
    pub(super) cursor: usize,
    pub(super) placed: Vec<PlacedHunk<'f>>,
    pub(super) untaken: Untaken<'f>,
    /// The last context line of a hunk that has any.
    pub(super) opener: Option<(usize, &'f Text<'f>)>,
    /// The blocks that context lines open, by these.
    pub(super) blocks: HashMap<usize, IndentedBlock>,
    /// How the place of the present hunk is found.
    pub(super) ways: Vec<Located<Placing>>,
}

impl<'f> OrderPlacer<'f> {
    fn place(&mut self, number: usize, hunk: &'f Hunk<'f>) -> Result<(), Located<PlaceError>> {
        let wanted = self.seek_context(hunk)?;
        if hunk.old().next().is_none() {
            return self.add(number, wanted);
        }
        if hunk.is_blank() && hunk.is_anchor() && !self.task.rules.strict {
            return Ok(());
        }
        let found = self.seek_lines(wanted)?;
        if let Some(again) = wanted.again {
            self.check_again(hunk, again, Some(found.at))?;
        }
        let mut added = as_written(&found.lines);
        if let Some(level) = found.level {
            let Fitted { lines, warning } = self.search.fit(hunk, level, &found.lines, found.at)?;
            self.ways.push(warning);
            added = lines
                .into_iter()
                .map(|line| (Cow::Owned(line), None))
                .collect();
        } else if !hunk.end_of_file {
            self.look_for_duplicates(wanted, &found)?;
        }
        let range = found.at..found.at + found.run.len();
        self.cursor = range.end;
        self.note(&found);
        self.put(number, hunk, range, found.lines, added);
        Ok(())
    }

    fn put(
        &mut self,
        number: usize,
        hunk: &Hunk<'_>,
        range: Range<usize>,
        lines: Vec<&'f HunkLine<'f>>,
        added: AddedLines<'f>,
    ) {
        self.placed.push(PlacedHunk {
            number,
            span: hunk.span,
            range,
            how: Placing::loosest(&self.ways),
            lines,
            added,
            has_mark: false,
        });
    }

    /// Records which old lines a hunk removes, between which lines it adds lines, and where it
    /// leaves all of its old lines in a row.
    fn note(&mut self, RunPlace { at, lines, run, .. }: &RunPlace<'f>) {
        let changed: Vec<_> = changed(lines, *at).collect();
        let edges = [*at, at + run.len()];
        let is_kept = |lines: &Range<usize>| lines.is_empty() && edges.contains(&lines.start);
        // An anchor changes nothing, so its lines stay a candidate for the next hunk.
        if !changed.is_empty() && changed.iter().all(is_kept) {
            self.untaken.keep(old(lines).collect(), *at);
        }
        changed
            .into_iter()
            .for_each(|lines| self.untaken.take(lines));
    }

    /// Places a hunk that has added lines only.
    fn add(
        &mut self,
        number: usize,
        SoughtRun {
            hunk,
            context,
            again,
            ..
        }: SoughtRun<'f>,
    ) -> Result<(), Located<PlaceError>> {
        if let Some(again) = again {
            return Err(self.not_again(hunk, again));
        }
        let Task { file, rules, .. } = self.task;
        let end = file.line_count();
        if hunk.numbered && !hunk.end_of_file && end > 0 {
            return Err(Located::new(hunk.span, Ambiguity::Nowhere.into()));
        }
        let (at, way) = if let (Some(at), false) = (context, hunk.end_of_file) {
            let locator = &hunk.locators[hunk.locators.len() - 1];
            (at + 1, self.search.added_after(locator, at))
        } else if number > 1 {
            (end, Placing::AddedAtEnd)
        } else {
            (end, Placing::Added)
        };
        // The bare algorithm appends at the end whatever the context, and before a last line that
        // is blank.
        let has_blank = end > 0 && file.text(end - 1).is_empty();
        let bare = end - usize::from(has_blank);
        if rules.strict && at != bare {
            let [at, other] = [at, bare].map(LineNo::from_index);
            return Err(Located::new(
                hunk.span,
                Ambiguity::Added { at, other }.into(),
            ));
        }
        self.tell(hunk.span, way);
        let lines: Vec<_> = hunk.lines.iter().collect();
        let added = as_written(&lines);
        self.put(number, hunk, at..at, lines, added);
        Ok(())
    }

    /// Warns of, or under `unique` refuses, a hunk whose old lines are in other places as well.
    fn look_for_duplicates(
        &mut self,
        wanted: SoughtRun<'f>,
        found: &RunPlace<'f>,
    ) -> Result<(), Located<PlaceError>> {
        let SoughtRun { hunk, context, .. } = wanted;
        let RunPlace { lines, run, .. } = found;
        let may_be_elsewhere = hunk.is_anchor() && !self.task.rules.unique;
        if run.count() == 1 || may_be_elsewhere {
            return Ok(());
        }
        if let Some(outer) = context.filter(|outer| *outer != found.at) {
            self.check_inside(first_old(hunk), outer, found.at)?;
        }
        let lines: Vec<_> = old(lines).collect();
        let within = self.rivals(wanted, found);
        let places = self
            .untaken
            .first(Fuzz::Exact, lines.clone(), run, within.clone());
        if places.count == 1 {
            return Ok(());
        }
        if self.task.rules.unique {
            let places = self.untaken.all(&lines, run, within);
            return Err(no_place(hunk, Ambiguity::Unique(places)));
        }
        let chosen = LineNo::from_index(found.at);
        let how = Placing::duplicates(self.task.file, chosen, places.others(chosen));
        self.tell(first_old(hunk), how);
        Ok(())
    }

    /// Returns where other places of old lines would be as good: in the block of the context line,
    /// if they are in it.
    fn rivals(&mut self, wanted: SoughtRun<'f>, found: &RunPlace<'f>) -> Range<usize> {
        let Some(opener) = wanted.opener else {
            let from = if wanted.hunk.locators.is_empty() {
                0
            } else {
                found.at
            };
            return from..usize::MAX;
        };
        let other = found.run.at_or_after(found.at + 1);
        let is_decided = opener == found.at || self.is_inside(opener, found.at);
        match other {
            Some(other) if is_decided && !self.is_inside(opener, other) => found.at..found.at + 1,
            Some(_) if is_decided => found.at..self.block_end(opener),
            _ => found.at..usize::MAX,
        }
    }

    /// Returns why the old lines of a hunk have no place, and points at the line that shows it
    /// best.
    pub(super) fn place_error(
        &self,
        SoughtRun {
            hunk,
            context,
            again,
            ..
        }: SoughtRun<'_>,
    ) -> Located<PlaceError> {
        let run = self.search.run(hunk);
        // Of lines that are nowhere, the order of hunks doesn't matter.
        if let Some(again) = again
            && run.first().is_some()
        {
            return self.not_again(hunk, again);
        }
        let after = After(self.cursor.checked_sub(1).map(LineNo::from_index));
        let mut found = run.first();
        if hunk.end_of_file {
            let forward = run.at_or_after(self.cursor).or(found);
            found = self
                .task
                .file
                .line_count()
                .checked_sub(hunk.old().count())
                .filter(|&at| run.contains(at));
            if let (Some(at), None) = (forward, found) {
                let at = LineNo::from_index(at);
                let mark = "*** End of File";
                return no_place(hunk, PlaceError::NotAtEnd { at, mark });
            }
        }
        let at_context = context.filter(|&at| found.is_some() && run.contains(at));
        if let Some(index) = at_context.or(found) {
            let at = LineNo::from_index(index);
            let than = match context.map(LineNo::from_index) {
                Some(context) if context == at => Earlier::AtContext,
                Some(context) => Earlier::Context(context),
                None if index < self.cursor && index + hunk.old().count() > self.cursor => {
                    Earlier::Shared
                }
                None => Earlier::Previous,
            };
            return no_place(hunk, PlaceError::Earlier { after, at, than });
        }
        self.search.not_found(hunk, self.cursor)
    }

    pub(super) fn tell(&mut self, span: Option<Span>, how: Placing) {
        self.ways.push(Located::new(span, how));
    }
}

/// Returns the added lines of a hunk; their neighbours say how they end.
fn as_written<'h>(lines: &[&'h HunkLine<'_>]) -> AddedLines<'h> {
    let added = lines.iter().filter(|line| line.mark == Mark::Added);
    added
        .map(|line| (Cow::Borrowed(&line.text[..]), None))
        .collect()
}

/// Returns the runs of lines that a hunk may be looked for by.
pub(super) fn runs<'h>(hunk: &'h Hunk<'_>) -> impl Iterator<Item = Vec<&'h [u8]>> {
    let mut lines: Vec<_> = hunk.lines.iter().collect();
    let trimmed = trim(&mut lines).then(|| old(&lines).collect());
    hunk.locators
        .iter()
        .map(|text| vec![&text[..]])
        .chain(trimmed)
}
