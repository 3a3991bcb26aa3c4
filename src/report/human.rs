//! A report as people read it: what was done on standard output, what went wrong on standard error.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt::Write as _;

use super::render::{self, MessagePart, Tone};
use super::wrap::wrap;
use llmpatch::format::unified;
use llmpatch::kind::Kind;
use llmpatch::report::{Diagnostic, Extent, FileReport, Place, Report, State};
use llmpatch::text::{Shown, lines, sentence};

/// How a stream wants its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    /// Whether to colour it.
    pub colored: bool,
    /// How many columns there are.
    pub width: usize,
    /// Whether somebody looks at it line by line: only then are sentences broken to fit, since in a
    /// file or a log they are searched for.
    pub is_terminal: bool,
    /// Whether each correction is told by itself, also where it can't have been wrong.
    pub tells_all: bool,
    /// Whether nothing was to be changed, so that it isn't told that nothing was.
    pub only_reads: bool,
    /// Whether a model reads it, who wrote the response and can give no options.
    pub to_model: bool,
}

impl Style {
    /// The width taken where there is no terminal to ask.
    pub const DEFAULT_WIDTH: usize = 140;
    /// No colour, the default width.
    pub const PLAIN: Style = Style {
        colored: false,
        width: Self::DEFAULT_WIDTH,
        is_terminal: false,
        tells_all: false,
        only_reads: false,
        to_model: false,
    };
}

/// How many places in files, and how many repetitions, are shown of a problem before the rest is
/// counted.
const SHOWN_PLACES: usize = 5;

/// Returns what was done: a line a file, the commit, and the sum.
pub fn done(report: &Report) -> String {
    let mut out = String::new();
    for file in &report.files {
        let _ = writeln!(out, "{file}");
    }
    if let Some(commit) = &report.commit {
        let place = match report.commits.len() {
            0 | 1 => String::new(),
            count => format!(" the last of {count} commits\n"),
        };
        let _ = write!(out, "{commit}\n{place}");
    }
    // As with git, the sum is that of the commit.
    let sum = |count: fn(&FileReport) -> Option<usize>| report.files.iter().filter_map(count).sum();
    let added = sum(|file| file.added);
    let removed = sum(|file| file.removed);
    let of_commit = report.commit.as_ref().and_then(|commit| commit.extent);
    let of = of_commit.unwrap_or(Extent {
        files: report.files.len(),
        added,
        removed,
    });
    out + &match of.files {
        0 => " 0 files changed\n".to_owned(),
        files => unified::total(files, of.added, of.removed),
    }
}

/// Returns what was written into the object database alone, for a program to read: the ids of the
/// commits, or of the tree if there is no commit.
pub fn stored(report: &Report) -> String {
    if !report.commits.is_empty() {
        return report.commits.iter().map(|id| format!("{id}\n")).collect();
    }
    let id = report
        .commit
        .as_ref()
        .map(|commit| &commit.id)
        .or(report.tree.as_ref());
    id.map_or_else(String::new, |id| format!("{id}\n"))
}

/// Returns the warnings, then the errors and the state that they leave; nothing if there is
/// neither. Who refused is told the state alone.
pub fn complaints(report: &Report, style: Style) -> String {
    let mut out = String::new();
    let all = calm(&report.warnings, &report.errors, style);
    let mut all = all.iter().peekable();
    while let Some(one) = all.next() {
        let drawn = draw(one, style);
        out += &drawn;
        // What is more than a headline is set off from what follows.
        if drawn.lines().nth(1).is_some() && all.peek().is_some() {
            out.push('\n');
        }
    }
    // What was interrupted before, and taken back first, is a change.
    let has_recovered = report
        .warnings
        .iter()
        .any(|warning| warning.kind == Kind::Recovered);
    let state = match &report.state {
        State::NothingChanged if has_recovered => Some("nothing else was changed".to_owned()),
        State::NothingChanged if style.only_reads => None,
        state => Some(state.to_string()),
    };
    let count = match report.errors.len() {
        0 | 1 => None,
        errors => Some(format!("{errors} errors")),
    };
    let last: Vec<_> = count.into_iter().chain(state).collect();
    if !report.errors.is_empty() && !last.is_empty() {
        out += &format!("{}\n", last.join("; "));
    }
    if style.is_terminal || style.tells_all {
        out += &further_reading(report, style);
    }
    out
}

/// Returns what prints the manual's explanation of the errors, in a line for all of them; nothing if there are
/// none.
fn further_reading(report: &Report, style: Style) -> String {
    let mut kinds: Vec<_> = report
        .errors
        .iter()
        .map(|error| error.kind)
        .filter(|&kind| kind != Kind::Declined)
        .collect();
    kinds.sort_unstable();
    kinds.dedup();
    if kinds.is_empty() {
        return String::new();
    }
    let commands: Vec<_> = kinds
        .iter()
        .map(|kind| format!("`git llmpatch help {}`", kind.code()))
        .collect();
    let line = format!("see {}", sentence(&commands));
    if style.is_terminal {
        wrap(&line, style.width, 2, 0) + "\n"
    } else {
        line + "\n"
    }
}

/// Returns warnings and errors as people are told of them, so that what needs a decision isn't lost
/// among what doesn't.
///
/// Corrections that can't have been wrong, such as a diff's counts, are one line a response;
/// whoever asks (`-v`), and every program (`--json`), is told each. Whatever could be wrong is
/// always told by itself. Help that several need is given once, behind the last of them; so is what
/// there is in place of missing files, and where a recovery left originals.
fn calm(warnings: &[Diagnostic], errors: &[Diagnostic], style: Style) -> Vec<Diagnostic> {
    let mut told: Vec<Diagnostic> = Vec::new();
    let mut summed = HashSet::new();
    for one in warnings {
        let corrections = if style.tells_all {
            Vec::new()
        } else {
            corrections_beside(one, warnings)
        };
        if corrections.len() < 2 {
            // Beside an error, what was no error is a line.
            let is_brief = !errors.is_empty() && !style.tells_all && is_of_place(one.kind);
            told.push(if is_brief {
                Diagnostic::bare(one.kind, one.is_warning, one.message.clone())
            } else {
                one.clone()
            });
        } else if summed.insert(response(one)) {
            told.push(Diagnostic::bare(
                one.kind,
                one.is_warning,
                sum(&corrections, style),
            ));
        }
    }
    told.extend(
        errors
            .iter()
            .filter(|error| error.kind != Kind::Declined)
            .cloned(),
    );
    if style.to_model {
        told.iter_mut()
            .for_each(|one| one.help = one.for_the_model());
    }
    let mut given = HashSet::new();
    for one in told.iter_mut().rev() {
        one.help = one.help.take().filter(|help| given.insert(help.clone()));
        let is_told_once = matches!(one.kind, Kind::FileMissing | Kind::Recovered);
        one.notes
            .retain(|note| given.insert(note.clone()) || !is_told_once);
    }
    told
}

/// Returns whether a warning says how an edit that is fine found its place.
fn is_of_place(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::AdditionPlace
            | Kind::BlankDropped
            | Kind::BlankEdges
            | Kind::Duplicates
            | Kind::Fuzzy
            | Kind::HunkMoved
            | Kind::InsideIndentation
            | Kind::InsideWord
            | Kind::LocatorRelaxed
            | Kind::OutsideContext
            | Kind::Overlap
            | Kind::Restated
    )
}

fn response(one: &Diagnostic) -> Option<&[u8]> {
    one.response.as_ref().map(|place| &place.file[..])
}

/// Returns all corrections of the response that a correction is of; none for anything else.
fn corrections_beside<'d>(one: &Diagnostic, all: &'d [Diagnostic]) -> Vec<&'d Diagnostic> {
    let is_beside =
        |other: &&Diagnostic| correction(other).is_some() && response(other) == response(one);
    if correction(one).is_some() {
        all.iter().filter(is_beside).collect()
    } else {
        Vec::new()
    }
}

/// Returns the words for a correction, and for several, where it can't have been wrong.
fn correction(one: &Diagnostic) -> Option<[&'static str; 2]> {
    one.response.as_ref()?;
    Some(match one.kind {
        // Lines that were taken in are labelled, and so is a hunk that moved farther than other
        // changes explain: whether that is right is for a reader to say.
        Kind::Recounted | Kind::HunkMoved if one.label.is_some() => return None,
        Kind::Recounted | Kind::HunkMoved => ["a hunk header", "# hunk headers"],
        Kind::LocatorNumbers => [
            "line numbers after `@@` in a section",
            "line numbers after `@@` in # sections",
        ],
        Kind::LocatorSpacing => [
            "`@@` without a space in a section",
            "`@@` without a space in # sections",
        ],
        Kind::DecoratedMarker => ["what was around a marker", "what was around # markers"],
        Kind::NoNewlineMark => [
            "a mark of no final newline in a section",
            "marks of no final newline in # sections",
        ],
        Kind::LastPlus => [
            "a bare `+` at the end of a file",
            "a bare `+` at the end of # files",
        ],
        Kind::TypographicQuotes => [
            "a tag with typographic quotes",
            "# tags with typographic quotes",
        ],
        _ => return None,
    })
}

/// Says in a line what was corrected.
fn sum(corrections: &[&Diagnostic], style: Style) -> String {
    let mut words: Vec<([&str; 2], HashSet<_>)> = Vec::new();
    for one in corrections {
        let (Some(named), Some(place)) = (correction(one), &one.response) else {
            continue;
        };
        match words.iter_mut().find(|(known, _)| *known == named) {
            Some((_, lines)) => drop(lines.insert(place.line())),
            None => words.push((named, HashSet::from([place.line()]))),
        }
    }
    let named = words
        .iter()
        .map(|([one, several], lines)| match lines.len() {
            1 => (*one).to_owned(),
            count => several.replace('#', &count.to_string()),
        });
    let all = sentence(&named.collect::<Vec<_>>());
    let how = if style.to_model {
        ""
    } else {
        "; `-v` shows each"
    };
    format!("corrected {all}, whose meaning is clear{how}")
}

/// Draws a diagnostic: headline and place in the response, places in files, notes, help. Ends with
/// a newline.
///
/// A warning's kind is behind its headline, so that a line begins with `warning: ` and can still be
/// searched for by kind.
pub fn draw(diagnostic: &Diagnostic, style: Style) -> String {
    let Diagnostic {
        kind,
        is_warning,
        message,
        response,
        also,
        cause,
        label,
        places,
        notes,
        help,
        ..
    } = diagnostic;
    let place = response
        .as_ref()
        .map(|place| labelled(place, label.as_deref()));
    let message = safe(message);
    let headline = if *is_warning {
        MessagePart::new(Tone::Warning, format!("{message} [{kind}]"))
    } else {
        MessagePart::new(Tone::Error, message).id(kind.code())
    };
    let note = |text: String| MessagePart::new(Tone::Note, text);
    let mut parts = vec![headline.at(place)];
    if !also.is_empty() {
        parts.push(note(the_same_is_true_of(also, response.as_ref())));
    }
    let cause = cause
        .as_ref()
        .map(|place| note("the earlier edit is here".to_owned()).at(Some(Cow::Borrowed(place))));
    parts.extend(cause);
    let shown = places.iter().take(SHOWN_PLACES);
    parts.extend(shown.map(|place| note(safe(&place.caption)).at(Some(Cow::Borrowed(place)))));
    if let Some(more @ 1..) = places.len().checked_sub(SHOWN_PLACES) {
        parts.push(note(format!("and {more} more places")));
    }
    parts.extend(notes.iter().map(|text| note(safe_lines(text))));
    let help = help
        .as_ref()
        .map(|help| MessagePart::new(Tone::Help, safe_lines(help)));
    parts.extend(help);
    render::draw(&parts, style)
}

/// Draws what may help the next time. Ends with a newline.
pub fn help(text: &str, style: Style) -> String {
    render::draw(&[MessagePart::new(Tone::Help, safe(text))], style)
}

/// Returns a place in a response with what is said below its mark.
fn labelled<'p>(place: &'p Place, label: Option<&str>) -> Cow<'p, Place> {
    let Some(label) = label else {
        return Cow::Borrowed(place);
    };
    Cow::Owned(Place {
        first: place.first.clone().labelled(label),
        ..place.clone()
    })
}

fn the_same_is_true_of(also: &[Place], first: Option<&Place>) -> String {
    let is_here = |place: &Place| first.is_some_and(|first| first.file == place.file);
    if also.iter().all(is_here) {
        let runs: Vec<_> = also
            .iter()
            .map(|place| (place.line(), place.last))
            .collect();
        return format!("the same is true of {}", lines(&runs, runs.len()));
    }
    let shown = also.iter().take(SHOWN_PLACES);
    let names = shown.map(|place| {
        if is_here(place) {
            place.lines()
        } else {
            format!("{}:{}", Shown(&place.file), place.line())
        }
    });
    let mut names: Vec<_> = names.collect();
    if also.len() > SHOWN_PLACES {
        names.push(format!("{} more places", also.len() - SHOWN_PLACES));
    }
    format!("the same is true of {}", sentence(&names))
}

/// Escapes what should have been escaped where the text was made: nothing raw may pass, whoever
/// forgot it.
pub(super) fn safe(text: &str) -> String {
    Shown(text.as_bytes()).to_string()
}

/// As [`safe`], but several lines may stay several lines: what a hook or git itself had to say.
fn safe_lines(text: &str) -> String {
    let text = text.trim_end();
    let lines: Vec<_> = text
        .lines()
        .map(|line| line.split('\t').map(safe).collect::<Vec<_>>().join("    "))
        .collect();
    lines.join("\n")
}
