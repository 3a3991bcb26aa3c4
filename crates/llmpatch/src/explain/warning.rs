//! What is said of what planning warns of.

use bstr::ByteSlice as _;

use super::file::{place, rivals};
use crate::path::RepoPath;
use crate::plan::{Part, Placing, Warning};
use crate::report::{Diagnose, Diagnostic};
use crate::text::{LineNo, plural, shell_word};

impl Diagnose for Warning {
    fn diagnostic(&self) -> Diagnostic {
        let of = Diagnostic {
            is_warning: true,
            ..Diagnostic::fixed(self.kind(), self)
        }
        .path(self.path());
        match self {
            Warning::Placed { path, part, how } => placed(of.stated(how), path, *part, how),
            Warning::InsideWord { path, line, .. } => {
                of.shows(place(path, line, "the text is found here", "inside a word"))
            }
            Warning::InsideIndentation { path, line } => {
                of.shows(place(path, line, "the text is found here", "indented more"))
            }
            Warning::PartialDeleteBody { first: at, .. } | Warning::EmptyLine { at, .. } => {
                Diagnostic {
                    line: Some(*at),
                    ..of
                }
            }
            Warning::Namesake { path, other } => {
                let directory = &other.as_bytes()[..other.as_bytes().len() - path.as_bytes().len()];
                of.help(format!(
                    "if the other is meant, run with --directory={}; with --directory= this isn't \
                     said",
                    shell_word(directory.trim_end_with(|c| c == '/'))
                ))
            }
            _ => of,
        }
    }
}

/// Says where a hunk or a find was placed, and where else it could have been.
fn placed(of: Diagnostic, path: &RepoPath, part: Part, how: &Placing) -> Diagnostic {
    match how {
        Placing::Relaxed { line, .. } => of.shows(place(
            path,
            line,
            "the line that is used",
            "used as the context line",
        )),
        Placing::OutsideContext { line, .. } => of.shows(place(
            path,
            line,
            "the line that is used",
            "in another block",
        )),
        Placing::Again(at) => Diagnostic {
            line: Some(*at),
            ..of
        },
        Placing::Fuzzy { line, .. } => of.shows(place(
            path,
            line,
            "the file has",
            "used for the line of the patch",
        )),
        Placing::Duplicates {
            chosen,
            others,
            lines,
        } => {
            let places = rivals(path, lines, "the lines are here", |line| {
                if line == *chosen { "changed" } else { "alike" }
            })
            .into_iter()
            .collect();
            among(Diagnostic { places, ..of }, *chosen, &others.lines).help(match part {
                Part::Search => {
                    "it is the line that the response names; if another is meant, give \
                         more lines around the change; --unique refuses such blocks"
                }
                _ => {
                    "if another is meant, give more lines around the change, or a context \
                         line after `@@`; --unique refuses such hunks"
                }
            })
        }
        Placing::AddedAfter { after, others } if others.count > 0 => {
            among(of, *after, &others.lines)
        }
        Placing::Moved {
            claimed,
            at,
            is_far,
        } => {
            let away = at.index().abs_diff(claimed.index());
            let label = format!("{away} line{} away from there", plural(away));
            Diagnostic {
                line: Some(*at),
                label: is_far.then_some(label),
                ..of
            }
        }
        Placing::Shifted { at, other } => among(of, *at, &[*other]),
        Placing::Restated(at)
        | Placing::Shared(at)
        | Placing::BlankDropped(at)
        | Placing::BlankEdges(at)
        | Placing::Behind { ahead: at, .. }
        | Placing::AddedAfter { after: at, .. }
        | Placing::AddedByNumber(at) => Diagnostic {
            line: Some(*at),
            ..of
        },
        Placing::Overlapping { at, number, .. } => Diagnostic {
            line: Some(*at),
            ..of
        }
        .help(format!(
            "if the other is meant, write `occurrence=\"{number}\"`, or give more text around \
             the change"
        )),
        Placing::Exact
        | Placing::Added
        | Placing::AddedAtEnd
        | Placing::AddedAtTop
        | Placing::Idle => of,
    }
}

fn among(of: Diagnostic, chosen: LineNo, others: &[LineNo]) -> Diagnostic {
    let mut candidates = [others, &[chosen]].concat();
    candidates.sort();
    Diagnostic {
        line: Some(chosen),
        candidates,
        ..of
    }
}
