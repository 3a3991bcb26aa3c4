//! `git llmpatch recover`, and what every apply does of it before anything else.

use std::fmt;
use std::fmt::Write as _;

use clap::Args;

use super::config;
use super::exit::Exit;
use super::flow::{self, Session, Stop, stop};
use super::options::{Json, Talk};
use super::output;
use super::progress::Works;
use crate::explain::Explain;
use crate::kind::Kind;
use crate::progress::Stage;
use crate::repo::Repo;
use crate::report::{Diagnostic, Report, State, Status};
use crate::text::Shown;
use crate::transaction::{self, Deed, Fault, How, Recovered};

/// Finish or take back an apply or undo that was interrupted
///
/// An apply that was killed is taken back, file by file: what it wrote goes, what was there comes back, and what somebody
/// changed since is left alone and named. Where its commit was already made, the index is brought up to date with it. The next
/// apply or undo does all this too.
#[derive(Debug, Args)]
#[command(override_usage = "git llmpatch recover [<options>]")]
pub(super) struct Recover {
    #[command(flatten)]
    talk: Talk,
    #[command(flatten)]
    json: Json,
}

impl Recover {
    /// Does it, and prints how it went.
    pub(super) fn run(&self) -> Exit {
        if let Some(exit) = self.json.schema() {
            return exit;
        }
        let talk = self.json.talk(&self.talk);
        let mut style = config::style(&talk, None);
        let done = Repo::open().map_err(stop).and_then(|repo| {
            style = config::style(&talk, Some(repo.config()));
            let works = Works::new(&talk);
            let work = works.begin(Stage::Waiting, 0);
            transaction::recover(&repo, work.progress()).map_err(failed)
        });
        let report = match done {
            Ok(recovered) => {
                let mut report = done_with(&recovered);
                let printed = if talk.quiet || talk.json { String::new() } else { told(&recovered) };
                if talk.json {
                    report.warnings = noticed(&recovered);
                }
                if let Err(error) = output::print(printed.as_bytes()) {
                    report.errors.push(Diagnostic::new(&error, None, &[]));
                }
                if let Some(torn) = torn(recovered) {
                    report = *torn;
                }
                report
            }
            Err(report) => *report,
        };
        flow::conclude(&report, &talk, style)
    }
}

fn done_with(recovered: &[Recovered]) -> Report {
    let did = |how| recovered.iter().any(|one| one.how == how);
    let state = match (did(How::Finished), did(How::TakenBack)) {
        (true, _) => State::Changed,
        (false, true) => State::PutBack,
        (false, false) => State::NothingChanged,
    };
    Report { status: Status::Recovered, state, ..Report::checked(Vec::new(), Vec::new()) }
}

fn noticed(recovered: &[Recovered]) -> Vec<Diagnostic> {
    let said = |one: &Recovered| {
        let mut said = Diagnostic::new(&Noticed(one), None, &[]);
        said.notes.splice(..0, one.paths.iter().map(|path| format!("`{path}`")));
        said
    };
    recovered.iter().map(said).collect()
}

/// Recovers before an apply, and returns what is to be told of it.
///
/// # Errors
/// If not everything could be put back, or something of an earlier run still lives.
pub(super) fn first(session: &Session) -> Result<Vec<Diagnostic>, Stop> {
    let work = session.works.begin(Stage::Waiting, 0);
    let recovered = transaction::recover(&session.repo, work.progress()).map_err(failed)?;
    drop(work);
    let noticed = recovered.iter().filter(|one| one.how != How::Tidied).map(Noticed);
    let noticed: Vec<_> = noticed.map(|one| Diagnostic::new(&one, None, &[])).collect();
    match torn(recovered) {
        Some(report) => Err(report),
        None => Ok(noticed),
    }
}

fn failed(fault: Fault) -> Stop {
    let signal = fault.signal();
    Box::new(Report { signal, ..*stop(fault) })
}

/// Makes the report of what could not be put back; `None` if everything could.
fn torn(recovered: Vec<Recovered>) -> Option<Stop> {
    let paths: Vec<_> = recovered.iter().flat_map(|one| one.attention.clone()).collect();
    let notes = recovered.into_iter().filter(|one| !one.attention.is_empty()).flat_map(|one| one.notes).collect();
    (!paths.is_empty()).then(|| {
        let fault = Fault::Torn { paths: Vec::new(), notes };
        Box::new(Report::failed_with(State::Attention(paths), vec![Diagnostic::new(&fault, None, &[])], Vec::new()))
    })
}

fn told(recovered: &[Recovered]) -> String {
    let mut out = String::new();
    for one in recovered {
        let _ = writeln!(out, "{}", Noticed(one));
        out.extend(one.paths.iter().map(|path| format!("  {path}\n")));
        out.extend(one.notes.iter().map(|note| format!("{}\n", Shown(note.as_bytes()))));
    }
    if recovered.is_empty() {
        out.push_str("nothing to recover\n");
    }
    out
}

struct Noticed<'r>(&'r Recovered);

impl fmt::Display for Noticed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let deed = match self.0.deed {
            Deed::Apply => "apply",
            Deed::Undo => "undo",
        };
        match (self.0.how, self.0.attention.is_empty()) {
            (How::TakenBack, true) => write!(f, "an interrupted {deed} was taken back"),
            (How::TakenBack, false) => write!(f, "an interrupted {deed} was taken back in part"),
            (How::Finished, _) => write!(f, "an interrupted {deed} was finished, for its commit was made"),
            (How::Tidied, _) => {
                write!(f, "what an interrupted {deed} left lying about was removed; no file was touched")
            }
        }
    }
}

impl Explain for Noticed<'_> {
    fn kind(&self) -> Kind {
        Kind::Recovered
    }

    fn notes(&self) -> Vec<String> {
        self.0.notes.clone()
    }
}
