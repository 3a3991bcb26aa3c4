//! The places in a file of a text to find.

use std::ops::Range;

use super::super::fuzz::{Block, Levels};
use super::super::nearest::Nearest;
use super::super::place_error::{After, Ambiguity, CANDIDATES, Part, PlaceError, Places, Reason};
use super::super::warning::Placing;
use super::by_text::part;
use super::candidates::FIRST;
use super::{Task, texts};
use crate::patch::{Occurrence, Substitution, Times};
use crate::plan::Rules;
use crate::search::{Bounds, Document, Effort, Ends, Matches, Needle, first};
use crate::text::{LineNo, Lines, Located, Span, Text};

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
        if let Occurrence::Lines(number) = self.edit.occurrence {
            return self.numbered(document, number, rules);
        }
        if let Occurrence::Text(times) = self.edit.occurrence {
            let ranges = self.times(document, times)?;
            let places = TextPlaces::new(ranges, None, Placing::Exact);
            return Ok(Some(places).filter(|places| !places.ranges.is_empty()));
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
                return Ok(Some(TextPlaces {
                    ranges: vec![range],
                    is_core,
                    how: fitted.warning,
                    fitted: Some(fitted.lines),
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
        let overlap = match self.edit.occurrence {
            Occurrence::Last => overlap(document, &matches, &range),
            _ => None,
        };
        let how = overlap.unwrap_or(Placing::Exact);
        Ok(Some(TextPlaces::new(vec![range], self.span, how)))
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
        let (range, how) = match (matches.count(), numbered, number) {
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
                (range, how)
            }
            (1, ..) => (matches.first(), Placing::Exact),
            (count, Some(range), _) if !rules.strict && !rules.unique => {
                let chosen = LineNo::from_index(document.line(range.start));
                let lines = matches.iter().map(|range| document.line(range.start));
                let places = Places::new(lines.take(FIRST), count);
                let how = Placing::duplicates(document, chosen, places.others(chosen));
                (Some(range), how)
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
        Ok(range.map(|range| TextPlaces::new(vec![range], self.span, how)))
    }

    pub(super) fn place_error(&self, lines: &Lines<'_>, effort: &Effort) -> Located<PlaceError> {
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
pub(super) fn apart(matches: &Matches<'_>) -> impl Iterator<Item = Range<usize>> {
    let mut end = 0;
    matches.iter().filter(move |range| {
        let is_apart = range.start >= end;
        end = if is_apart { range.end } else { end };
        is_apart
    })
}

/// Lists the lines in which matches begin.
pub(super) fn places(
    document: &Document,
    matches: impl Iterator<Item = Range<usize>>,
    count: usize,
) -> Places {
    let mut lines = Vec::new();
    for range in matches {
        let line = LineNo::from_index(document.line(range.start));
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
pub(super) fn overlap(
    document: &Document,
    matches: &Matches<'_>,
    last: &Range<usize>,
) -> Option<Placing> {
    let (counted, number) = matches.last_apart(last)?;
    let line = |range: &Range<usize>| LineNo::from_index(document.line(range.start));
    Some(Placing::Overlapping {
        at: line(last),
        counted: line(&counted),
        number,
    })
}
