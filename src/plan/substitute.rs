//! A text in place of another: finds the text of an OPX `patch` and puts the new one there.
//!
//! The text is searched as a substring of the whole file, line ends aside. Newlines of the put take the terminators of the
//! lines that they replace, in order; further ones that of the line before. The file ends with a newline afterwards if it
//! did before, unless the put itself ends the file with an empty line, which is warned of.
//!
//! Where the format's description is silent: `last` is the rightmost match, overlapping or not; the retry without blank
//! lines at the edges drops them from find and put alike, and is off under [`Rules::strict`]. The levels of [`Rules::fuzz`] come
//! after that retry, and each tries the find as written and then without such lines before the next. At a level the find's
//! lines are whole lines of the file, so one that begins or ends in mid-line is found by none.

use std::ops::Range;

use super::diagnosis::Diagnosis;
use super::fault::place;
use super::loosely::{self, Block, Ill, Levels};
use super::miss::{Because, Miss, Reason};
use super::placement::{Match, Stood};
use super::splice::terminator;
use super::warning::Warning;
use super::{Rules, elision};
use crate::explain::CANDIDATES;
use crate::matching::{Bounds, Effort, Needle, Side, cuts_word};
use crate::patch::{Occurrence, Substitution};
use crate::path::RepoPath;
use crate::text::{Ending, LineNo, Lines, Located, Span, Text};

/// The new bytes and what was done to get there.
pub(super) struct Substituted {
    pub(super) bytes: Vec<u8>,
    pub(super) stood: Stood,
    pub(super) warnings: Vec<Located<Warning>>,
}

/// Applies a substitution to a file.
///
/// # Errors
/// Says why the text has no place.
pub(super) fn substitute(
    path: &RepoPath,
    before: &[u8],
    edit: &Substitution<'_>,
    rules: &Rules,
    effort: &Effort,
) -> Result<Substituted, Located<Miss>> {
    let lines = Lines::new(before);
    let mut warnings = Vec::new();
    let span = edit.find.iter().find_map(|line| line.span);
    let found = match exactly(&lines, edit, rules, span)? {
        Some(found) => found,
        None => match at_a_level(path, &lines, edit, rules, span, &mut warnings)? {
            Some(found) => found,
            None => return Err(miss(path, &lines, edit, span, effort)),
        },
    };
    let Found { range, edges, how, fitted } = found;
    let (mut find, mut put) = (&edit.find[..], &edit.put[..]);
    if edges == Edges::Dropped {
        (find, put) = (without_blank_edges(find).0, without_blank_edges(put).0);
        let at = LineNo::from_index(lines.index_at(range.start));
        warnings.push(Located::new(span, Warning::BlankEdges { path: path.clone(), at }));
    }
    let stood = stood(&lines, &range, put.len(), span, how);
    if let Some(how) = cuts_word(&lines, &range) {
        let index = lines.index_at(if how == Side::End { range.end } else { range.start });
        let place = place(path, &lines, index, "the text is found here", "inside a word");
        warnings.push(Located::new(span, Warning::InsideWord { path: path.clone(), how, place }));
    }
    if find == put {
        warnings.push(Located::new(span, Warning::NoChange { path: path.clone(), number: 0 }));
        return Ok(Substituted { bytes: before.to_vec(), stood, warnings });
    }
    if let Some(span) = elision::left_out(find.iter(), put.iter()) {
        warnings.push(Located::new(span, Warning::Elision { path: path.clone() }));
    }
    let bytes = match &fitted {
        Some(fitted) => splice(&lines, range, fitted),
        None => splice(&lines, range, put),
    };
    if bytes.ends_with(b"\n") && !before.ends_with(b"\n") {
        warnings.push(Located::new(span, Warning::NewlineAdded { path: path.clone() }));
    }
    Ok(Substituted { bytes, stood, warnings })
}

/// Where a text was found, and what that took.
struct Found {
    range: Range<usize>,
    edges: Edges,
    how: Match,
    /// The put as the file needs it; `None` for as it is.
    fitted: Option<Vec<Vec<u8>>>,
}

/// What became of the blank lines at the edges of find and put.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Edges {
    Kept,
    Dropped,
}

/// Finds the text as it is, or else without blank lines at its edges.
fn exactly(
    lines: &Lines<'_>,
    edit: &Substitution<'_>,
    rules: &Rules,
    span: Option<Span>,
) -> Result<Option<Found>, Located<Miss>> {
    let unbound = Bounds { start_at_line: false, end_at_line: false };
    if let Some(range) = search(lines, &edit.find, unbound, edit.occurrence, span)? {
        return Ok(Some(Found { range, edges: Edges::Kept, how: Match::Exact, fitted: None }));
    }
    let (core, bounds) = without_blank_edges(&edit.find);
    if rules.strict || core.len() == edit.find.len() {
        return Ok(None);
    }
    let range = search(lines, core, bounds, edit.occurrence, span)?;
    Ok(range.map(|range| Found { range, edges: Edges::Dropped, how: Match::BlankEdges, fitted: None }))
}

/// Finds the lines of the text as whole lines of the file at the tightest level that has them: as they are, or else without
/// blank ones at the edges. There must be one candidate, whatever the occurrence.
fn at_a_level(
    path: &RepoPath,
    lines: &Lines<'_>,
    edit: &Substitution<'_>,
    rules: &Rules,
    span: Option<Span>,
    warnings: &mut Vec<Located<Warning>>,
) -> Result<Option<Found>, Located<Miss>> {
    let (find_core, put_core) = (without_blank_edges(&edit.find).0, without_blank_edges(&edit.put).0);
    let levels = Levels::new(lines, edit.find.iter().map(|line| &line[..]), rules.level());
    for (level, haystack) in levels.iter() {
        for (find, put, edges) in [(&edit.find[..], &edit.put[..], Edges::Kept), (find_core, put_core, Edges::Dropped)]
        {
            let old: Vec<&[u8]> = find.iter().map(|line| &line[..]).collect();
            let run = haystack.run(old.iter().copied());
            let places = haystack.places(&run);
            let Some(at) = places.first() else { continue };
            if places.count() > 1 {
                let count = places.count();
                let places = places.iter().take(CANDIDATES).map(LineNo::from_index).collect();
                return Err(Located::new(span, Miss::Many { places, count, because: Because::Level(level) }));
            }
            let block = Block { old: 0..old.len(), new: put.iter().map(|line| &line[..]).collect() };
            let fitted = loosely::fit(lines, at, level, &old, &[block]).map_err(|ill| {
                let line = match ill {
                    Ill::Shifts(nth) => find.get(nth),
                    Ill::Unshiftable(nth) => put.get(nth),
                };
                Located::new(line.and_then(|line| line.span).or(span), loosely::miss(path, lines, at, ill))
            })?;
            let nth = old.iter().enumerate().position(|(nth, text)| *text != lines.text(at + nth)).unwrap_or(0);
            let warning = loosely::warning(path, lines, 0, level, at, nth);
            warnings.push(Located::new(find[nth].span.or(span), warning));
            let last = at + old.len() - 1;
            let range = lines.start(at)..lines.start(last) + lines.text(last).len();
            return Ok(Some(Found { range, edges, how: Match::at(level), fitted: Some(fitted) }));
        }
    }
    Ok(None)
}

/// Finds the match that is meant; `None` if the text isn't there at all.
fn search(
    lines: &Lines<'_>,
    find: &[Text<'_>],
    bounds: Bounds,
    occurrence: Occurrence,
    span: Option<Span>,
) -> Result<Option<Range<usize>>, Located<Miss>> {
    let texts: Vec<&[u8]> = find.iter().map(|line| &line[..]).collect();
    let needle = Needle::new(&texts, bounds);
    match occurrence {
        Occurrence::First => Ok(needle.first(lines)),
        Occurrence::Last => Ok(needle.last(lines)),
        Occurrence::Nth(wanted) => match needle.nth(lines, wanted) {
            Ok(range) => Ok(Some(range)),
            Err(0) => Ok(None),
            Err(count) => Err(Located::new(span, Miss::OutOfRange { wanted, count })),
        },
        Occurrence::Only => match needle.only(lines) {
            Ok(range) => Ok(Some(range)),
            Err(several) if several.count == 0 => Ok(None),
            Err(several) => {
                let places = several.lines.iter().copied().map(LineNo::from_index).collect();
                Err(Located::new(span, Miss::Many { places, count: several.count, because: Because::Find }))
            }
        },
    }
}

fn without_blank_edges<'e, 't>(lines: &'e [Text<'t>]) -> (&'e [Text<'t>], Bounds) {
    let is_blank = |line: &Text<'_>| line.trim_ascii().is_empty();
    let start = lines.iter().take_while(|line| is_blank(line)).count();
    let end = lines.len() - lines[start..].iter().rev().take_while(|line| is_blank(line)).count();
    (&lines[start..end], Bounds { start_at_line: start > 0, end_at_line: end < lines.len() })
}

fn miss(
    path: &RepoPath,
    lines: &Lines<'_>,
    edit: &Substitution<'_>,
    span: Option<Span>,
    effort: &Effort,
) -> Located<Miss> {
    let reason = match lines.is_empty() {
        true => Located::new(span, Reason::EmptyFile),
        false => {
            // Blank lines at the edges are no reason why the rest isn't there.
            let find = without_blank_edges(&edit.find).0;
            if find.len() < edit.find.len() {
                let texts: Vec<&[u8]> = find.iter().map(|line| &line[..]).collect();
                if let Some(range) = Needle::new(&texts, Bounds::default()).first(lines) {
                    let index = lines.index_at(range.start);
                    let caption = "the text is here, without blank lines around it";
                    let reason =
                        Reason::Edges { place: place(path, lines, index, caption, "in the middle of other text") };
                    return Located::new(span, Miss::Lines { after: None, reason });
                }
            }
            Diagnosis::of_text(path, lines, find, &edit.put, effort).of_find(find, &edit.put, span)
        }
    };
    reason.map(|reason| Miss::Lines { after: None, reason })
}

/// Says which lines a match touches, and which are there when `put` lines have taken its place.
fn stood(lines: &Lines<'_>, range: &Range<usize>, put: usize, span: Option<Span>, how: Match) -> Stood {
    let (first, last) = (lines.index_at(range.start), lines.index_at(range.end));
    // A match in the middle of a line leaves that line even if nothing is put there.
    let leaves_none = put == 0 && whole_lines(lines, range.clone(), last) != *range;
    let new = if leaves_none { 0 } else { put.max(1) };
    Stood { number: 0, span, old: first..last + 1, new: first..first + new, how }
}

fn splice(lines: &Lines<'_>, range: Range<usize>, put: &[impl std::ops::Deref<Target = [u8]>]) -> Vec<u8> {
    let bytes = lines.bytes();
    let (first, last) = (lines.index_at(range.start), lines.index_at(range.end));
    if put.is_empty() {
        let range = whole_lines(lines, range, last);
        return [&bytes[..range.start], &bytes[range.end..]].concat();
    }
    let mut out = Vec::with_capacity(bytes.len() + put.iter().map(|line| line.len() + 2).sum::<usize>());
    out.extend_from_slice(&bytes[..range.start]);
    let line_before = first.checked_sub(1).and_then(|line| terminator(lines.get(line).ending));
    let mut before = line_before;
    for (index, line) in put.iter().enumerate() {
        out.extend_from_slice(line);
        if index + 1 == put.len() {
            break;
        }
        let replaced = (first + index <= last).then(|| terminator(lines.get(first + index).ending)).flatten();
        let after = || (last + 1 < lines.len()).then(|| terminator(lines.get(last + 1).ending)).flatten();
        let ending = replaced.or(before).or_else(after).unwrap_or_else(|| lines.majority());
        out.extend_from_slice(ending.as_bytes());
        before = Some(ending);
    }
    out.extend_from_slice(&bytes[range.end..]);
    out
}

/// Widens a match that covers whole lines by their terminator: the one behind it, or, for a last line that has none, the one
/// before it, so that the file ends with or without a newline as it did.
fn whole_lines(lines: &Lines<'_>, range: Range<usize>, last: usize) -> Range<usize> {
    let line = lines.get(last);
    let text_end = lines.start(last) + line.text.len();
    let first = lines.index_at(range.start);
    if range.start != lines.start(first) || range.end != text_end {
        return range;
    }
    if line.ending != Ending::None {
        return range.start..text_end + line.ending.as_bytes().len();
    }
    let Some(before) = first.checked_sub(1) else { return range };
    range.start - lines.get(before).ending.as_bytes().len()..range.end
}
