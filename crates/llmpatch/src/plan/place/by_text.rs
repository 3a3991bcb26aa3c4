//! The policy of texts that take the place of others, as in an OPX `patch`: the only match, or the
//! match that is asked for; or, as in a tool call, byte for byte, once or as often as it says; and
//! of whole lines, as in a search/replace block, of which several may be told apart by a line
//! number.
//!
//! The text is searched as a substring of the whole file, line ends aside. Newlines of the put take
//! the terminators of the lines that they replace, in order; further newlines take the terminator
//! of the line before. The file ends with a newline afterwards if it did before, unless the put
//! itself ends the file with an empty line, which is warned of.
//!
//! Where the format's description is silent: `last` is the rightmost match, overlapping or not; the
//! retry without blank lines at the edges drops them from find and put alike, and is off under
//! [`Rules::strict`]. The levels of [`Rules::fuzz`] come after that retry, and each tries the find
//! as written and then without these lines before the next level. At a level the find's lines are
//! whole lines of the file, so a find that begins or ends in mid-line is found by none.

use std::collections::HashSet;
use std::ops::Range;

use super::super::duplicates::SHOWN;
use super::super::fuzz::{Block, Levels};
use super::super::nearest::Nearest;
use super::super::place_error::{After, Ambiguity, CANDIDATES, Part, PlaceError, Places, Reason};
use super::super::placement::Match;
use super::super::warning::{Placing, Warning};
use super::put::{Put, TouchedLines};
use super::{Outcome, Task, follows_from, texts};
use crate::patch::{Occurrence, Substitution, Times, Written};
use crate::plan::Rules;
use crate::search::{Bounds, Document, Effort, Ends, Matches, Needle, first};
use crate::text::{LineNo, Lines, Located, Span, Text};

/// Returns the needles that a substitution looks for.
pub(super) fn needles(edit: &Substitution<'_>) -> Vec<Needle> {
    let (core, bounds) = core(edit, &edit.find);
    let core = (core.len() < edit.find.len()).then(|| needle(edit, core, bounds));
    let written = edit
        .written
        .as_ref()
        .map(|written| needle(edit, &written.find, Bounds::LINES));
    std::iter::once(needle(edit, &edit.find, edge(edit)))
        .chain(core)
        .chain(written)
        .collect()
}

/// Returns what part of the edit has a place.
pub(super) fn part(edit: &Substitution<'_>) -> Part {
    match edit.occurrence {
        Occurrence::Lines(_) => Part::Search,
        Occurrence::Text(_) => Part::Text,
        _ => Part::Find,
    }
}

fn is_literal(edit: &Substitution<'_>) -> bool {
    part(edit) == Part::Text
}

fn edge(edit: &Substitution<'_>) -> Bounds {
    if part(edit) == Part::Search {
        Bounds::LINES
    } else {
        Bounds::default()
    }
}

/// Returns the lines of a side that must be there: in OPX, blank lines at the edges need not.
fn core<'e, 't>(edit: &Substitution<'_>, lines: &'e [Text<'t>]) -> (&'e [Text<'t>], Bounds) {
    if part(edit) == Part::Find {
        without_blank_edges(lines)
    } else {
        (lines, edge(edit))
    }
}

fn needle(edit: &Substitution<'_>, find: &[Text<'_>], bounds: Bounds) -> Needle {
    if is_literal(edit) {
        Needle::bytes(&texts(find))
    } else {
        Needle::text(&texts(find), bounds)
    }
}

/// Finds the place of a substitution in a file as it is now, and says what comes there.
pub(super) fn place(
    task: Task<'_>,
    edit: &Substitution<'_>,
    lost: &mut HashSet<Vec<u8>>,
) -> Outcome {
    let error = match found(task, edit) {
        Ok(outcome) => return outcome,
        Err(error) => error,
    };
    let follows = follows_from(&error.value, edit.find.iter().map(|line| &line[..]), lost);
    lost.extend(edit.put.iter().map(|line| line.to_vec()));
    let errors = if follows {
        Vec::new()
    } else {
        vec![(0, error)]
    };
    Outcome {
        errors,
        ..Outcome::default()
    }
}

fn found(task: Task<'_>, edit: &Substitution<'_>) -> Result<Outcome, Located<PlaceError>> {
    let Task {
        path,
        file: document,
        rules,
        effort,
        ..
    } = task;
    let span = edit.find.iter().find_map(|line| line.span);
    if let Some(edit) = as_written(document, edit) {
        return found(task, &edit);
    }
    let warnings: Vec<_> = edit
        .written
        .iter()
        .map(|_| Located::new(span, Warning::Unescaped { path: path.clone() }))
        .collect();
    let (core, bounds) = core(edit, &edit.find);
    let sought = SoughtText {
        edit,
        core,
        bounds,
        span,
    };
    let found = match sought.exactly(document, rules)? {
        Some(found) => found,
        None => {
            let lines = document.lines();
            let found = sought.at_a_level(&lines, task)?;
            found.ok_or_else(|| sought.place_error(&lines, effort))?
        }
    };
    done(task, &sought, found, warnings)
}

/// Puts the new text at each place.
fn done(
    task: Task<'_>,
    sought: &SoughtText<'_, '_>,
    found: TextPlaces,
    mut warnings: Vec<Located<Warning>>,
) -> Result<Outcome, Located<PlaceError>> {
    let SoughtText {
        edit, core, span, ..
    } = *sought;
    let TextPlaces {
        ranges,
        is_core,
        how,
        fitted,
        warning,
    } = found;
    let Task {
        path,
        file: document,
        ..
    } = task;
    warnings.extend(warning.map(|how| task.warning(part(edit), how.span, how.value)));
    let mut find = &edit.find[..];
    let mut put = &edit.put[..];
    if is_core {
        (find, put) = (core, without_blank_edges(put).0);
        let at = LineNo::from_index(document.line(ranges[0].start));
        warnings.push(Located::new(
            span,
            Warning::BlankEdges {
                path: path.clone(),
                at,
            },
        ));
    }
    let mut done = Outcome {
        whole: true,
        warnings,
        ..Outcome::default()
    };
    let put = Put {
        lines: put,
        fitted: fitted.as_deref(),
        how,
        span,
        is_idle: find == put,
        is_literal: is_literal(edit),
    };
    // One of them is what the response brings.
    let more = put.lines.iter().map(|line| line.len() + 1).sum::<usize>();
    if !task.growth.add(more.saturating_mul(ranges.len() - 1)) {
        let count = ranges.len();
        return Err(Located::new(span, PlaceError::TooMuch { count }));
    }
    let mut ranges = ranges.into_iter().peekable();
    let mut again = Vec::new();
    // Lines with many places are read once.
    while let Some(first) = ranges.peek() {
        let around = TouchedLines::new(document, first);
        let lines = around.lines();
        let mut is_first = true;
        while let Some(range) = ranges.next_if(|range| around.are_of(document, range)) {
            again.push(done.put(task, range, (&around, &lines, is_first), &put));
            is_first = false;
        }
    }
    let first = again.iter().flatten().next();
    let how = first.map(|line| task.warning(part(edit), span, Placing::Again(*line)));
    done.warnings.extend(how);
    done.again = first.copied().filter(|_| !again.contains(&None));
    if put.is_idle {
        done.warnings
            .push(Located::new(span, Warning::NoChange { path: path.clone() }));
    }
    Ok(done)
}

/// Returns an edit as it was written, backslashes before markers included, if the file has its
/// lines so.
fn as_written<'t>(document: &Document, edit: &Substitution<'t>) -> Option<Substitution<'t>> {
    let Written { find, put } = Written::clone(edit.written.as_ref()?);
    let is_there = document
        .matches(&needle(edit, &find, Bounds::LINES))
        .first()
        .is_some();
    is_there.then_some(Substitution {
        find,
        put,
        occurrence: edit.occurrence,
        written: None,
    })
}

/// Says of the last match that it isn't the last as occurrences are counted, if so.
fn overlap(document: &Document, matches: &Matches<'_>, last: &Range<usize>) -> Option<Placing> {
    let (counted, number) = matches.last_apart(last)?;
    let line = |range: &Range<usize>| LineNo::from_index(document.line(range.start));
    Some(Placing::Overlapping {
        at: line(last),
        counted: line(&counted),
        number,
    })
}

/// Where a text was found, and what that took.
struct TextPlaces {
    /// At least one, in order.
    ranges: Vec<Range<usize>>,
    /// Whether the blank lines at the edges of find and put are left out.
    is_core: bool,
    how: Match,
    /// The put as the file needs it; `None` for as it is.
    fitted: Option<Vec<Vec<u8>>>,
    /// What is to be told, and of which line of the find.
    warning: Option<Located<Placing>>,
}

impl TextPlaces {
    fn new(ranges: Vec<Range<usize>>, how: Match) -> Self {
        Self {
            ranges,
            is_core: false,
            how,
            fitted: None,
            warning: None,
        }
    }
}

/// A text to find.
struct SoughtText<'e, 't> {
    edit: &'e Substitution<'t>,
    /// The text without blank lines at its edges, and what must hold there then.
    core: &'e [Text<'t>],
    bounds: Bounds,
    /// Where it is in the response.
    span: Option<Span>,
}

impl SoughtText<'_, '_> {
    /// Finds the text as it is, or else without blank lines at its edges.
    fn exactly(
        &self,
        document: &Document,
        rules: &Rules,
    ) -> Result<Option<TextPlaces>, Located<PlaceError>> {
        if let Occurrence::Lines(number) = self.edit.occurrence {
            return self.numbered(document, number, rules);
        }
        if let Occurrence::Text(times) = self.edit.occurrence {
            let ranges = self.times(document, times)?;
            return Ok((!ranges.is_empty()).then(|| TextPlaces::new(ranges, Match::Exact)));
        }
        let whole = self.search(document, &self.edit.find, Bounds::default())?;
        if whole.is_some() {
            return Ok(whole);
        }
        if rules.strict || self.core.len() == self.edit.find.len() {
            return Ok(None);
        }
        let core = self.search(document, self.core, self.bounds)?;
        Ok(core.map(|places| TextPlaces {
            is_core: true,
            how: Match::BlankEdges,
            ..places
        }))
    }

    /// Finds the lines of the text as whole lines of the file at the tightest level that has them:
    /// as they are, or else without blank lines at the edges. There must be a single candidate,
    /// whatever the occurrence.
    fn at_a_level(
        &self,
        lines: &Lines<'_>,
        task: Task<'_>,
    ) -> Result<Option<TextPlaces>, Located<PlaceError>> {
        let Self {
            edit, core, span, ..
        } = *self;
        let Task { rules, growth, .. } = task;
        let put_core = self::core(edit, &edit.put).0;
        let levels = Levels::new(lines.clone(), [&edit.find[..], core].map(texts), rules);
        for level in levels.iter() {
            for (find, put, is_core) in [
                (&edit.find[..], &edit.put[..], false),
                (core, put_core, true),
            ] {
                let old = texts(find);
                let run = level.run(old.iter().copied());
                let Some(at) = run.first() else { continue };
                if run.count() > 1 {
                    let places = Places::new(run.iter(), run.count());
                    return Err(Located::new(span, level.ambiguous(places)));
                }
                let block = Block {
                    old: 0..old.len(),
                    new: put.iter().collect(),
                };
                let all: Vec<_> = find.iter().collect();
                let fitted = level.fit(lines, at, &all, &[block], span, growth)?;
                let last = at + old.len() - 1;
                let range = lines.start(at)..lines.start(last) + lines.text(last).len();
                let (fitted, warning) = (Some(fitted.lines), Some(fitted.warning));
                return Ok(Some(TextPlaces {
                    is_core,
                    fitted,
                    warning,
                    ..TextPlaces::new(vec![range], level.how())
                }));
            }
        }
        Ok(None)
    }

    /// Finds the match that is meant; `None` if the text isn't there at all.
    fn search(
        &self,
        document: &Document,
        find: &[Text<'_>],
        bounds: Bounds,
    ) -> Result<Option<TextPlaces>, Located<PlaceError>> {
        let matches = document.matches(&needle(self.edit, find, bounds));
        let Some(range) = self.chosen(document, &matches)? else {
            return Ok(None);
        };
        let warning = match self.edit.occurrence {
            Occurrence::Last => overlap(document, &matches, &range),
            _ => None,
        };
        Ok(Some(TextPlaces {
            warning: warning.map(|how| Located::new(self.span, how)),
            ..TextPlaces::new(vec![range], Match::Exact)
        }))
    }

    /// Chooses the match that is meant.
    fn chosen(
        &self,
        document: &Document,
        matches: &Matches<'_>,
    ) -> Result<Option<Range<usize>>, Located<PlaceError>> {
        match self.edit.occurrence {
            Occurrence::First => Ok(matches.first()),
            Occurrence::Last => Ok(matches.last()),
            Occurrence::Nth(wanted) => match matches.nth(wanted) {
                Ok(range) => Ok(Some(range)),
                Err(0) => Ok(None),
                Err(count) => {
                    let places = places(document, apart(matches), count);
                    let error = PlaceError::OutOfRange { wanted, places };
                    Err(Located::new(self.span, error))
                }
            },
            _ => match (matches.first(), matches.only()) {
                (None, _) => Ok(None),
                (_, Some(only)) => Ok(Some(only)),
                _ => Err(Located::new(
                    self.span,
                    Ambiguity::Find(places(document, matches.iter(), matches.count())).into(),
                )),
            },
        }
    }

    /// Finds all places of a text that is to be there so often; none if it isn't there at all.
    fn times(
        &self,
        document: &Document,
        times: Times,
    ) -> Result<Vec<Range<usize>>, Located<PlaceError>> {
        let matches = document.matches(&needle(self.edit, &self.edit.find, Bounds::default()));
        let all: Vec<_> = matches.iter().collect();
        let error = match times {
            _ if all.len() < 2 && times == Times::Once || all.is_empty() => return Ok(all),
            Times::Once => Ambiguity::Find(places(document, matches.iter(), all.len())).into(),
            Times::Exactly(wanted) if all.len() != wanted.get() => PlaceError::Times {
                wanted,
                places: places(document, matches.iter(), all.len()),
            },
            _ => match all.windows(2).find(|pair| pair[1].start < pair[0].end) {
                None => return Ok(all),
                Some(pair) => PlaceError::Overlapping {
                    at: LineNo::from_index(document.line(pair[0].start)),
                },
            },
        };
        Err(Located::new(self.span, error))
    }

    /// Finds the only place of whole lines, or of several places the place at the line at which
    /// they are said to begin.
    fn numbered(
        &self,
        document: &Document,
        number: Option<LineNo>,
        rules: &Rules,
    ) -> Result<Option<TextPlaces>, Located<PlaceError>> {
        let matches = document.matches(&needle(self.edit, &self.edit.find, Bounds::LINES));
        let start = number.and_then(|number| document.start_of_base(number.index()));
        let numbered = start.and_then(|start| {
            matches
                .iter_from(start)
                .next()
                .filter(|range| range.start == start)
        });
        let (range, how, warning) = match (matches.count(), numbered, number) {
            (0, ..) => return Ok(None),
            (1, None, Some(claimed)) => {
                let range = matches.first();
                let at = LineNo::from_index(
                    range.as_ref().map_or(0, |range| document.line(range.start)),
                );
                let is_far = at.index().abs_diff(claimed.index()) > document.growth();
                let how = Placing::Moved {
                    claimed,
                    at,
                    is_far,
                };
                (range, Match::Moved, Some(how))
            }
            (1, ..) => (matches.first(), Match::Exact, None),
            (count, Some(range), _) if !rules.strict && !rules.unique => {
                let chosen = LineNo::from_index(document.line(range.start));
                let others: Vec<_> = lines(document, matches.iter(), SHOWN + 1)
                    .into_iter()
                    .filter(|line| *line != chosen)
                    .take(SHOWN)
                    .collect();
                let how = Placing::duplicates(document, chosen, others, count - 1);
                (Some(range), Match::Exact, Some(how))
            }
            (count, ..) => {
                let places = places(document, matches.iter(), count);
                return Err(Located::new(
                    self.span,
                    Ambiguity::Lines {
                        places,
                        claimed: number,
                    }
                    .into(),
                ));
            }
        };
        let warning = warning.map(|how| Located::new(self.span, how));
        Ok(range.map(|range| TextPlaces {
            warning,
            ..TextPlaces::new(vec![range], how)
        }))
    }

    fn place_error(&self, lines: &Lines<'_>, effort: &Effort) -> Located<PlaceError> {
        let Self {
            edit, core, span, ..
        } = *self;
        let not_found = |reason| {
            Located::new(
                span,
                PlaceError::NotFound {
                    after: After(None),
                    reason,
                },
            )
        };
        let core = if is_literal(edit) {
            without_blank_edges(&edit.find).0
        } else {
            core
        };
        if lines.is_empty() {
            return not_found(Reason::EmptyFile);
        }
        // Empty lines at the edges are no reason why the rest isn't there.
        if core.len() < edit.find.len()
            && let Some(range) = first(lines, &Needle::text(&texts(core), Bounds::default()))
        {
            return not_found(Reason::Edges(LineNo::from_index(
                lines.index_at(range.start),
            )));
        }
        let ends = if part(edit) == Part::Search {
            Ends::Whole
        } else {
            Ends::Part
        };
        Nearest::of_text(lines.clone(), core, ends, effort).of_find(core, &edit.put, span)
    }
}

/// Returns the matches that occurrences are counted by, from the start without overlaps.
fn apart(matches: &Matches<'_>) -> impl Iterator<Item = Range<usize>> {
    let mut end = 0;
    matches.iter().filter(move |range| {
        let is_apart = range.start >= end;
        end = if is_apart { range.end } else { end };
        is_apart
    })
}

/// Lists the lines in which matches begin.
fn places(
    document: &Document,
    matches: impl Iterator<Item = Range<usize>>,
    count: usize,
) -> Places {
    let lines = lines(document, matches, CANDIDATES);
    let in_lines = if lines.len() < CANDIDATES {
        lines.len()
    } else {
        count
    };
    Places {
        lines,
        count,
        in_lines,
    }
}

/// Returns the first `most` lines in which matches begin.
fn lines(
    document: &Document,
    matches: impl Iterator<Item = Range<usize>>,
    most: usize,
) -> Vec<LineNo> {
    let mut lines = Vec::new();
    for range in matches {
        let line = LineNo::from_index(document.line(range.start));
        if lines.last() != Some(&line) {
            lines.push(line);
        }
        if lines.len() == most {
            break;
        }
    }
    lines
}

fn without_blank_edges<'e, 't>(lines: &'e [Text<'t>]) -> (&'e [Text<'t>], Bounds) {
    let is_blank = |line: &Text<'_>| line.trim_ascii().is_empty();
    let start = lines.iter().take_while(|line| is_blank(line)).count();
    let end = lines.len()
        - lines[start..]
            .iter()
            .rev()
            .take_while(|line| is_blank(line))
            .count();
    (
        &lines[start..end],
        Bounds {
            start_at_line: start > 0,
            end_at_line: end < lines.len(),
        },
    )
}
