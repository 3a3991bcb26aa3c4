//! What is said only once where a report has a lot to say, so that what needs a decision isn't lost among what doesn't.
//!
//! Corrections that can't have been wrong, such as a diff's counts, are one line a response; whoever asks (`-v`), and every
//! program (`--json`), is told each. Whatever could be wrong is always told by itself. Help that several need is given once,
//! behind the last of them; so is what there is in place of missing files, and where a recovery left originals.

use std::collections::HashSet;

use super::Diagnostic;
use crate::kind::Kind;
use crate::text::sentence;

/// Returns warnings and errors as people are told of them.
pub(super) fn calm(warnings: &[Diagnostic], errors: &[Diagnostic], tells_all: bool) -> Vec<Diagnostic> {
    let mut told: Vec<Diagnostic> = Vec::new();
    let mut summed = HashSet::new();
    for one in warnings {
        let corrections = if tells_all { Vec::new() } else { corrections_beside(one, warnings) };
        if corrections.len() < 2 {
            told.push(one.clone());
        } else if summed.insert(response(one)) {
            told.push(Diagnostic::bare(one.kind, one.is_warning, sum(&corrections)));
        }
    }
    told.extend(errors.iter().filter(|error| error.kind != Kind::Declined).cloned());
    let mut given = HashSet::new();
    for one in told.iter_mut().rev() {
        one.help = one.help.take().filter(|help| given.insert(help.clone()));
        let is_told_once = matches!(one.kind, Kind::FileMissing | Kind::Recovered);
        one.notes.retain(|note| given.insert(note.clone()) || !is_told_once);
    }
    told
}

fn response(one: &Diagnostic) -> Option<&str> {
    one.response.as_ref().map(|place| &place.file[..])
}

/// Returns all corrections of the response that a correction is of; none for anything else.
fn corrections_beside<'d>(one: &Diagnostic, all: &'d [Diagnostic]) -> Vec<&'d Diagnostic> {
    let is_beside = |other: &&Diagnostic| correction(other).is_some() && response(other) == response(one);
    if correction(one).is_some() { all.iter().filter(is_beside).collect() } else { Vec::new() }
}

/// Returns what was corrected, of one and of several, where that can't have been wrong.
fn correction(one: &Diagnostic) -> Option<[&'static str; 2]> {
    one.response.as_ref()?;
    Some(match one.kind {
        // Lines that were taken in are labelled, and whether they belong there is for a reader to say.
        Kind::Recounted if one.label.is_some() => return None,
        Kind::Recounted | Kind::HunkMoved => ["a hunk header", "# hunk headers"],
        Kind::LocatorNumbers => ["line numbers after `@@` in a section", "line numbers after `@@` in # sections"],
        Kind::LocatorSpacing => ["`@@` without a space in a section", "`@@` without a space in # sections"],
        Kind::DecoratedMarker => ["stars behind a marker", "stars behind markers"],
        Kind::NoNewlineMark => ["a mark of no final newline in a section", "marks of no final newline in # sections"],
        Kind::TypographicQuotes => ["a tag with typographic quotes", "# tags with typographic quotes"],
        _ => return None,
    })
}

/// Says in a line what was corrected.
fn sum(corrections: &[&Diagnostic]) -> String {
    let mut words: Vec<([&str; 2], HashSet<_>)> = Vec::new();
    for one in corrections {
        let (Some(named), Some(place)) = (correction(one), &one.response) else { continue };
        match words.iter_mut().find(|(known, _)| *known == named) {
            Some((_, lines)) => drop(lines.insert(place.line)),
            None => words.push((named, HashSet::from([place.line]))),
        }
    }
    let named = |([one, several], lines): &([&str; 2], HashSet<_>)| match lines.len() {
        1 => (*one).to_owned(),
        count => several.replace('#', &count.to_string()),
    };
    let all = sentence(&words.iter().map(named).collect::<Vec<_>>());
    format!("corrected {all}, which leaves nothing in doubt; `-v` shows each")
}
