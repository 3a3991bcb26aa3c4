//! The words in which faults and warnings tell numbers, lines and states.

use super::fault::{Absence, Presence};
use super::guard::Barrier;
use super::miss::Because;
use crate::explain::FilePlace;
use crate::matching::{Needle, Relaxation, Side, Tolerance};
use crate::path::RepoPath;
use crate::text::LineNo;
use crate::tree::Obstacle;

pub(super) fn hunk(number: usize) -> String {
    if number == 0 { "find".into() } else { format!("hunk {number}") }
}

pub(super) fn behind(after: Option<LineNo>) -> String {
    after.map_or_else(|| "of the file".into(), |line| format!("after line {line}"))
}

/// Counts lines: `1 line`, `3 lines`.
pub(super) fn lines_of(count: usize, line: &str) -> String {
    format!("{count} {line}{}", if count == 1 { "" } else { "s" })
}

pub(super) fn times(count: usize) -> String {
    match count {
        1 => "once".into(),
        2 => "twice".into(),
        n => format!("{n} times"),
    }
}

/// Lists the lines in which matches begin. Texts that are found may begin in one line several times; it is named once.
pub(super) fn places_of(places: &[LineNo], count: usize, because: Because) -> String {
    let all = because == Because::Find && places.len() < Needle::LISTED;
    let lines = if all { places.len() } else { count };
    format!("line{} {}", if lines == 1 { "" } else { "s" }, listed(places, lines))
}

/// Lists line numbers: five at most, and how many more there are.
pub(super) fn listed(places: &[LineNo], count: usize) -> String {
    let shown: Vec<_> = places.iter().take(5).map(LineNo::to_string).collect();
    match count.saturating_sub(shown.len()) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

pub(super) fn addition(after: Option<LineNo>, others: &[LineNo], count: usize) -> String {
    let Some(line) = after else { return "after the last line of the file".into() };
    match count {
        0 => format!("right after its context line {line}"),
        _ => format!("right after its context line {line}; the same line stands also on {}", listed(others, count)),
    }
}

pub(super) fn past(after: usize, lines: usize) -> String {
    match lines {
        lines if lines < after => format!("and the file has {lines}"),
        _ => "and says that no newline follows them, though lines do".into(),
    }
}

pub(super) fn below(line: usize) -> String {
    if line == 0 { "at the top of the file".into() } else { format!("after line {line}") }
}

pub(super) fn barred(barrier: &Barrier) -> String {
    match barrier {
        Barrier::Limit { limit, origin } => format!("is outside of {} ({})", specs(limit), origin.name()),
        Barrier::Protected { by } => format!("is protected by {} (llmpatch.protect)", specs(by)),
    }
}

/// Lists pathspecs: five at most, and how many more there are.
fn specs(all: &[String]) -> String {
    let shown: Vec<_> = all.iter().take(5).map(|spec| format!("`{spec}`")).collect();
    match all.len().saturating_sub(shown.len()) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

pub(super) fn absence(why: &Absence) -> String {
    match why {
        Absence::Never(_) => "doesn't exist".into(),
        Absence::Tracked => "isn't in the work tree, though git tracks it".into(),
        Absence::BelowFile(file) => format!("can't exist, since `{file}` is a file"),
        Absence::Deleted => "was deleted by an earlier edit of this response".into(),
        Absence::Moved(to) => format!("was moved to `{to}` by an earlier edit of this response"),
    }
}

pub(super) fn presence(what: &Presence) -> String {
    match what {
        Presence::File | Presence::Target => "exists already".into(),
        Presence::Folder(holds) => format!("is a folder that holds `{holds}`"),
        Presence::FileAbove(file) => format!("can't be made, since `{file}` is a file"),
        Presence::Twin(twin) => format!("differs from `{twin}` only in case"),
    }
}

pub(super) fn unfit(at: &Option<RepoPath>, what: Option<Obstacle>) -> String {
    let what = match what {
        None => "a folder",
        Some(Obstacle::Link) => "a symbolic link",
        Some(Obstacle::Repository) => "a submodule or a repository of its own",
        Some(Obstacle::Special) => "neither a file nor a folder",
    };
    match at {
        None => format!("is {what}"),
        Some(ancestor) => format!("can't be used, since `{ancestor}` is {what}"),
    }
}

pub(super) fn difference(line: &Option<FilePlace>) -> &'static str {
    match line {
        Some(_) => "its content differs from the `-` lines",
        None => "it holds fewer lines than the section shows",
    }
}

pub(super) fn files(paths: &[RepoPath]) -> String {
    let shown: Vec<_> = paths.iter().take(5).map(|path| format!("`{path}`")).collect();
    let verb = if paths.len() == 1 { "is" } else { "are" };
    match paths.len().saturating_sub(shown.len()) {
        0 => format!("{} {verb}", shown.join(", ")),
        more => format!("{} and {more} more {verb}", shown.join(", ")),
    }
}

pub(super) fn relaxation(how: Relaxation) -> String {
    let how = match how {
        Relaxation::SurroundingBlanks => "equals it but for blanks around it",
        Relaxation::Prefix => "starts with it",
        Relaxation::Contained => "contains it",
        Relaxation::Level(level) => return format!("equals it but for {}", aside(level)),
    };
    how.into()
}

pub(super) fn cut(how: Side) -> &'static str {
    match how {
        Side::Start => "begins",
        Side::End => "ends",
        Side::Both => "begins and ends",
    }
}

/// Says what lines may differ in at a level.
pub(super) fn aside(level: Tolerance) -> String {
    let what = match level {
        Tolerance::Exact => return "nothing".into(),
        Tolerance::Trailing => "blanks at line ends",
        Tolerance::Indent => "indentation and blanks at line ends",
        Tolerance::Unicode => "typographic characters and blanks",
    };
    format!("{what} (--fuzz={level})")
}

pub(super) fn unindentable(unshiftable: bool) -> &'static str {
    if unshiftable {
        "and an added line lacks the blanks by which the file is indented less"
    } else {
        "which differs from line to line, so that nothing says how its added lines are to be indented"
    }
}

pub(super) fn at_level(because: Because) -> String {
    if let Because::Level(level) = because { format!(" but for {}", aside(level)) } else { String::new() }
}
