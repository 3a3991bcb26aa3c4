//! The places in a file of a text to find.

use std::ops::Range;

use super::super::fuzz::{Block, FileAtLevel, FileAtLevels};
use super::super::place_error::{After, Ambiguity, CANDIDATES, Part, PlaceError, Places};
use super::super::warning::Placing;
use super::by_text::part;
use super::candidates::{FIRST, Taken};
use super::{Task, texts};
use crate::patch::{Occurrence, Substitution, Times};
use crate::plan::Rules;
use crate::search::{Bounds, Document, Ends, Matches, Needle, Sought, first};
use crate::text::{Ending, LineNo, Lines, Located, Span, Text};

/// Where a text was found, and what that took.
pub(super) struct TextPlaces {
    /// At least one, in order.
    pub(super) ranges: Vec<Range<usize>>,
    /// Whether the blank lines at the edges of find and put are left out.
    pub(super) is_core: bool,
    /// How they were found, and of which line of the find that is told.
    pub(super) how: Located<Placing>,
    /// The put as the file needs it; `None` for as it is.
    pub(super) fitted: Option<Vec<Vec<u8>>>,
}

impl TextPlaces {
    fn new(ranges: Vec<Range<usize>>, span: Option<Span>, how: Placing) -> Self {
        Self {
            ranges,
            is_core: false,
            how: Located::new(span, how),
            fitted: None,
        }
    }
}

/// A text to find.
pub(super) struct SoughtText<'e, 't> {
    pub(super) edit: &'e Substitution<'t>,
    /// The text without blank lines at its edges, and what must hold there then.
    pub(super) core: &'e [Text<'t>],
    pub(super) bounds: Bounds,
    /// Where it is in the response.
    pub(super) span: Option<Span>,
}

impl SoughtText<'_, '_> {
    /// Finds the text as it is, or else without blank lines at its edges.
    pub(super) fn exactly(
        &self,
        document: &Document,
        rules: &Rules,
    ) -> Result<Option<TextPlaces>, Located<PlaceError>> {
        let edit = self.edit;
        let whole = document.matches(&needle(edit, &edit.find, edge(edit)));
        let whole = self.chosen(&whole, rules)?;
        if whole.is_some() || rules.strict || self.core.len() == edit.find.len() {
            return Ok(whole);
        }
        let core = document.matches(&needle(edit, self.core, self.bounds));
        Ok(self.chosen(&core, rules)?.map(|places| TextPlaces {
            is_core: true,
            ..places
        }))
    }

    /// Finds the lines of the text as whole lines of the file at the tightest level that has them:
    /// as they are, or else without blank lines at the edges. There must be a single candidate,
    /// whatever the occurrence.
    pub(super) fn at_a_level(
        &self,
        lines: &Lines<'_>,
        task: Task<'_>,
    ) -> Result<Option<TextPlaces>, Located<PlaceError>> {
        let Self { edit, core, .. } = *self;
        let put_core = self::core(edit, &edit.put).0;
        let ways = [
            (WholeLines::new(edit, &edit.find, &edit.put), false),
            (WholeLines::new(edit, core, put_core), true),
        ];
        let runs = ways.each_ref().map(|(whole, _)| texts(whole.find));
        let levels = FileAtLevels::new(lines.clone(), runs, task.rules);
        for level in levels.iter() {
            for (whole, is_core) in &ways {
                let places = whole.candidates(level, lines);
                let only = places.only();
                let only = only.map_err(|places| self.error(level.ambiguity(places).into()))?;
                let Some(at) = only else { continue };
                self.check_times(at)?;
                let block = Block {
                    old: whole.find.to_vec(),
                    new: whole.put.to_vec(),
                };
                let fitted = level.fit(lines, at, &[block], self.span, task.growth)?;
                return Ok(Some(TextPlaces {
                    ranges: vec![whole.range(lines, at)],
                    is_core: *is_core,
                    how: fitted.warning,
                    fitted: Some(whole.with_breaks(fitted.lines)),
                }));
            }
        }
        Ok(None)
    }

    /// Refuses a text with a single place if it is to be there more often.
    fn check_times(&self, at: usize) -> Result<(), Located<PlaceError>> {
        match self.edit.occurrence {
            Occurrence::Text(Times::Exactly(wanted)) if wanted.get() > 1 => {
                let places = Places::new([at], 1);
                Err(self.error(PlaceError::Times { wanted, places }))
            }
            _ => Ok(()),
        }
    }

    /// Chooses the places that are meant; `None` if the text isn't there at all.
    fn chosen(
        &self,
        matches: &Matches<'_>,
        rules: &Rules,
    ) -> Result<Option<TextPlaces>, Located<PlaceError>> {
        let Some(first) = matches.first() else {
            return Ok(None);
        };
        let all = || places(matches.lines(), matches.count());
        let (range, how) = match self.edit.occurrence {
            Occurrence::Lines(number) => self.numbered(matches, first, number, rules)?,
            Occurrence::Text(times) => return self.times(matches, times).map(Some),
            Occurrence::First => (first, Placing::Exact),
            Occurrence::Last => {
                let last = matches.last().unwrap_or(first);
                let how = overlap(matches, &last).unwrap_or(Placing::Exact);
                (last, how)
            }
            Occurrence::Nth(wanted) => match matches.nth(wanted) {
                Ok(range) => (range, Placing::Exact),
                Err(count) => {
                    let places = places(apart(matches), count);
                    return Err(self.error(PlaceError::OutOfRange { wanted, places }));
                }
            },
            _ if matches.only().is_some() => (first, Placing::Exact),
            _ => return Err(self.error(Ambiguity::Find(all()).into())),
        };
        Ok(Some(TextPlaces::new(vec![range], self.span, how)))
    }

    /// Chooses all places of a text that is to be there so often.
    fn times(
        &self,
        matches: &Matches<'_>,
        times: Times,
    ) -> Result<TextPlaces, Located<PlaceError>> {
        let all: Vec<_> = matches.iter().collect();
        let places = || places(matches.lines(), all.len());
        let overlap = || all.windows(2).find(|pair| pair[1].start < pair[0].end);
        let error = match times {
            Times::Once if all.len() > 1 => Ambiguity::Find(places()).into(),
            Times::Exactly(wanted) if all.len() != wanted.get() => PlaceError::Times {
                wanted,
                places: places(),
            },
            _ => match overlap() {
                None => return Ok(TextPlaces::new(all, None, Placing::Exact)),
                Some(pair) => PlaceError::Overlapping {
                    at: matches.line(&pair[0]),
                },
            },
        };
        Err(self.error(error))
    }

    /// Chooses the only place of whole lines, or of several places the place at the line at which
    /// they are said to begin.
    fn numbered(
        &self,
        matches: &Matches<'_>,
        first: Range<usize>,
        number: Option<LineNo>,
        rules: &Rules,
    ) -> Result<(Range<usize>, Placing), Located<PlaceError>> {
        let document = matches.document();
        let start = number.and_then(|number| document.start_of_base(number.index()));
        let numbered = start.and_then(|start| {
            let at = matches.iter_from(start).next();
            at.filter(|range| range.start == start)
        });
        match (matches.count(), numbered, number) {
            (1, None, Some(claimed)) => {
                let at = matches.line(&first);
                let is_far = at.index().abs_diff(claimed.index()) > document.growth();
                let how = Placing::Moved {
                    claimed,
                    at,
                    is_far,
                };
                Ok((first, how))
            }
            (1, ..) => Ok((first, Placing::Exact)),
            (count, Some(range), _) if !rules.strict && !rules.unique => {
                let chosen = matches.line(&range);
                let others = Places::new(matches.lines().take(FIRST), count).others(chosen);
                Ok((range, Placing::duplicates(document, chosen, others)))
            }
            (count, ..) => {
                let ambiguity = Ambiguity::Lines {
                    places: places(matches.lines(), count),
                    claimed: number,
                };
                Err(self.error(ambiguity.into()))
            }
        }
    }

    fn error(&self, error: PlaceError) -> Located<PlaceError> {
        Located::new(self.span, error)
    }

    /// Returns why the text has no place.
    pub(super) fn place_error(&self, lines: &Lines<'_>) -> Located<PlaceError> {
        let edit = self.edit;
        let (core, bounds) = if is_literal(edit) {
            without_blank_edges(&edit.find)
        } else {
            (self.core, Bounds::default())
        };
        // Empty lines at the edges are no reason why the rest isn't there.
        if core.len() < edit.find.len()
            && let Some(range) = first(lines, &Needle::text(&texts(core), bounds))
        {
            let at = LineNo::from_index(lines.index_at(range.start));
            let is_open = range.end == lines.bytes().len();
            let is_end = is_open && breaks(edit, &edit.find) == [false, true];
            return self.error(if is_end && core.len() + 1 == edit.find.len() {
                PlaceError::OpenEnd { at }
            } else {
                PlaceError::Edges { at }
            });
        }
        let ends = match part(edit) {
            Part::Search => Ends::Whole,
            _ => Ends::Part,
        };
        self.error(PlaceError::NotFound {
            after: After(None),
            sought: Box::new(Sought::of_find(core, &edit.put, ends)),
        })
    }
}

/// The lines of a text that a level compares with whole lines of the file, and the new lines that
/// take their place.
///
/// In a text that is meant byte for byte, an empty first line is the end of the line before, and an
/// empty last line is only the end of the line above it. Neither is a line to compare.
struct WholeLines<'e, 't> {
    find: &'e [Text<'t>],
    put: &'e [Text<'t>],
    /// Whether the text begins and ends with a line break.
    breaks: [bool; 2],
    /// Whether the new text does so, too.
    put_breaks: [bool; 2],
}

impl<'e, 't> WholeLines<'e, 't> {
    fn new(edit: &Substitution<'_>, find: &'e [Text<'t>], put: &'e [Text<'t>]) -> Self {
        let [found, new] = [find, put].map(|lines| breaks(edit, lines));
        let put_breaks = [found[0] && new[0], found[1] && new[1]];
        Self {
            find: without(find, found),
            put: without(put, put_breaks),
            breaks: found,
            put_breaks,
        }
    }

    /// Finds the candidates that have their line breaks.
    fn candidates(&self, level: &FileAtLevel, lines: &Lines<'_>) -> Places {
        let [before, behind] = self.breaks;
        let last = lines.len().checked_sub(1);
        let is_open = last.is_some_and(|last| lines.get(last).ending == Ending::None);
        let end = lines.len() + 1 - usize::from(behind && is_open);
        let run = level.run(texts(self.find));
        let within = usize::from(before)..end.saturating_sub(self.find.len());
        Taken::default().candidates(&run, within)
    }

    /// Returns the range of the file that the text has at a line.
    fn range(&self, lines: &Lines<'_>, at: usize) -> Range<usize> {
        let end = at + self.find.len();
        match self.breaks {
            [false, false] => lines.start(at)..text_end(lines, end - 1),
            [false, true] => lines.start(at)..lines.start(end),
            [true, false] => text_end(lines, at - 1)..text_end(lines, end - 1),
            [true, true] => text_end(lines, at - 1)..lines.start(end),
        }
    }

    /// Puts the line breaks around new lines that fit the file.
    fn with_breaks(&self, lines: Vec<Vec<u8>>) -> Vec<Vec<u8>> {
        let [before, behind] = self.put_breaks.map(|is_there| is_there.then(Vec::new));
        before.into_iter().chain(lines).chain(behind).collect()
    }
}

/// Returns whether the first and the last line of a text are only line breaks.
fn breaks(edit: &Substitution<'_>, lines: &[Text<'_>]) -> [bool; 2] {
    let is_split = is_literal(edit) && lines.len() > 1;
    [lines.first(), lines.last()].map(|line| is_split && line.is_some_and(|line| line.is_empty()))
}

/// Returns the offset at which the text of a line ends.
fn text_end(lines: &Lines<'_>, line: usize) -> usize {
    lines.start(line) + lines.text(line).len()
}

/// Returns lines without the first and the last, where these are only line breaks.
fn without<'e, 't>(lines: &'e [Text<'t>], [first, last]: [bool; 2]) -> &'e [Text<'t>] {
    &lines[usize::from(first)..lines.len() - usize::from(last)]
}

/// Returns the lines of the matches that occurrences are counted by, from the start without
/// overlaps.
fn apart(matches: &Matches<'_>) -> impl Iterator<Item = usize> {
    let mut end = 0;
    let apart = matches.iter().filter(move |range| {
        let is_apart = range.start >= end;
        end = if is_apart { range.end } else { end };
        is_apart
    });
    apart.map(move |range| matches.line(&range).index())
}

/// Lists the lines in which matches begin.
fn places(all: impl Iterator<Item = usize>, count: usize) -> Places {
    let mut lines = Vec::new();
    for line in all.map(LineNo::from_index) {
        if lines.last() != Some(&line) {
            lines.push(line);
        }
        if lines.len() == CANDIDATES {
            break;
        }
    }
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

pub(super) fn without_blank_edges<'e, 't>(lines: &'e [Text<'t>]) -> (&'e [Text<'t>], Bounds) {
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

/// Returns the lines of a side that must be there: in OPX, blank lines at the edges need not.
pub(super) fn core<'e, 't>(
    edit: &Substitution<'_>,
    lines: &'e [Text<'t>],
) -> (&'e [Text<'t>], Bounds) {
    if part(edit) == Part::Find {
        without_blank_edges(lines)
    } else {
        (lines, edge(edit))
    }
}

pub(super) fn needle(edit: &Substitution<'_>, find: &[Text<'_>], bounds: Bounds) -> Needle {
    if is_literal(edit) {
        Needle::bytes(&texts(find))
    } else {
        Needle::text(&texts(find), bounds)
    }
}

pub(super) fn is_literal(edit: &Substitution<'_>) -> bool {
    part(edit) == Part::Text
}

pub(super) fn edge(edit: &Substitution<'_>) -> Bounds {
    if part(edit) == Part::Search {
        Bounds::LINES
    } else {
        Bounds::default()
    }
}

/// Says of the last match that it isn't the last as occurrences are counted, if so.
fn overlap(matches: &Matches<'_>, last: &Range<usize>) -> Option<Placing> {
    let (counted, number) = matches.last_apart(last)?;
    Some(Placing::Overlapping {
        at: matches.line(last),
        counted: matches.line(&counted),
        number,
    })
}
