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
//! [`Rules::strict`](super::super::Rules::strict). The levels of
//! [`Rules::fuzz`](super::super::Rules::fuzz) come after that retry, and each tries the find as
//! written and then without these lines before the next level. At a level the find's lines are
//! whole lines of the file, so a find that begins or ends in mid-line is found by none. A newline
//! at the start or the end of a text that is meant byte for byte is no line of its own then: it
//! ends the line before the others, or the last of them, and the file must have it.

use std::collections::HashSet;

use super::super::place_error::{Part, PlaceError};
use super::super::warning::{Placing, Warning};
use super::put::Put;
use super::sought_text::{
    SoughtText, TextPlaces, core, edge, is_literal, needle, without_blank_edges,
};
use super::{Outcome, Task, follows_from};
use crate::patch::{Occurrence, Substitution, Written};
use crate::search::{Bounds, Document, Needle};
use crate::text::{LineNo, Located};

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
    let (following, errors) = [(0, error)].into_iter().partition(|_| follows);
    Outcome {
        errors,
        following,
        ..Outcome::default()
    }
}

fn found(task: Task<'_>, edit: &Substitution<'_>) -> Result<Outcome, Located<PlaceError>> {
    let Task {
        path,
        file: document,
        rules,
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
            found.ok_or_else(|| sought.place_error(&lines))?
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
    } = found;
    let Task {
        path,
        file: document,
        ..
    } = task;
    let mut ways = vec![how];
    let mut find = &edit.find[..];
    let mut put = &edit.put[..];
    if is_core {
        (find, put) = (core, without_blank_edges(put).0);
        let at = LineNo::from_index(document.line(ranges[0].start));
        ways.push(Located::new(span, Placing::BlankEdges(at)));
    }
    let how = Placing::loosest(&ways);
    warnings.extend(task.warnings(part(edit), ways));
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
    let again = done.put_all(task, ranges, &put);
    let first = again.iter().flatten().next();
    let said = first.map(|line| Located::new(span, Placing::Again(*line)));
    done.warnings.extend(task.warnings(part(edit), said));
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
