//! `git llmpatch recover`, and what every apply does of it before anything else.

use std::fmt::Write as _;

use clap::Args;

use super::conclude;
use super::config;
use super::error::Failure;
use super::exit::Exit;
use super::flow::Session;
use super::options::{Json, Verbosity};
use super::output;
use super::progress::ProgressMeter;
use crate::repo::Repo;
use crate::transaction::{self, Asked, How, Recovered, TransactionError};
use llmpatch::path::RepoPath;
use llmpatch::progress::Stage;
use llmpatch::report::{Diagnostic, Report, State, Status};
use llmpatch::text::Shown;

/// Finish or take back an apply or undo that was interrupted
///
/// An apply that was killed is taken back, file by file: what it wrote goes, what was there comes
/// back, and what somebody changed since is left alone and named. Where its commit was already
/// made, the index is brought up to date with it. The next apply or undo does all this too.
#[derive(Debug, Args)]
#[command(override_usage = "git llmpatch recover [<options>]")]
pub(super) struct Recover {
    /// Recover even if it may still be running on another machine: you know that it isn't
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    verbosity: Verbosity,
    #[command(flatten)]
    json: Json,
}

impl Recover {
    /// Runs the command, and prints how it went.
    pub(super) fn run(&self) -> Exit {
        if let Some(exit) = conclude::schema(&self.json) {
            return exit;
        }
        let verbosity = self.json.verbosity(&self.verbosity);
        let mut style = config::style(&verbosity, None);
        let done = Repo::open().map_err(Failure::from).and_then(|repo| {
            style = config::style(&verbosity, Some(repo.config()));
            let meter = ProgressMeter::new(&verbosity);
            let work = meter.begin(Stage::Waiting, 0);
            let asked = if self.force { Asked::Force } else { Asked::Yes };
            transaction::recover(&repo, asked, work.progress()).map_err(failed)
        });
        let report = done.map_or_else(Failure::into_report, |recovered| {
            reported(&recovered, &verbosity)
        });
        conclude::conclude(&report, &verbosity, style)
    }
}

/// Prints what became of interrupted changes, and returns the report of it.
fn reported(recovered: &[Recovered], verbosity: &Verbosity) -> Report {
    let mut report = torn(recovered).map_or_else(|| done_with(recovered), Failure::into_report);
    if verbosity.json {
        report.warnings = recovered.iter().map(noticed).collect();
    } else if !verbosity.quiet {
        let printed = output::print(told(recovered, verbosity.verbose).as_bytes());
        report
            .errors
            .extend(printed.err().map(|error| Diagnostic::from(&error)));
    }
    report
}

fn done_with(recovered: &[Recovered]) -> Report {
    let did = |how| recovered.iter().any(|one| one.how == how);
    let state = match (did(How::Finished), did(How::TakenBack)) {
        (true, _) => State::Changed,
        (false, true) => State::PutBack,
        (false, false) => State::NothingChanged,
    };
    Report {
        status: Status::Recovered,
        state,
        ..Report::default()
    }
}

/// Tells what became of an interrupted change, and names its paths.
pub(super) fn noticed(recovered: &Recovered) -> Diagnostic {
    let mut said = Diagnostic::from(recovered);
    said.notes
        .splice(..0, recovered.paths.iter().map(|path| format!("`{path}`")));
    said
}

/// Recovers before a change; what became of it is told whatever becomes of that.
///
/// # Errors
/// If not everything could be put back, or something of an earlier run still lives.
pub(super) fn first(session: &Session) -> Result<(), Failure> {
    let work = session.meter.begin(Stage::Waiting, 0);
    let recovered =
        transaction::recover(&session.repo, Asked::No, work.progress()).map_err(failed)?;
    drop(work);
    let torn = torn(&recovered);
    session.note(recovered);
    if let Some(torn) = torn {
        return Err(torn);
    }
    session.note_recovered();
    Ok(())
}

fn failed(error: TransactionError) -> Failure {
    let signal = error.signal();
    let mut failure = Failure::from(error);
    failure.signal = signal;
    failure
}

/// Makes the report of what is left for a person to see to; `None` if nothing is.
fn torn(recovered: &[Recovered]) -> Option<Failure> {
    let open: Vec<_> = recovered
        .iter()
        .filter(|one| !one.open.is_empty())
        .cloned()
        .collect();
    (!open.is_empty()).then(|| {
        let error = TransactionError::Torn { recovered: open };
        let paths = attention(&error);
        let state = State::left(paths, done_with(recovered).state);
        Failure::new(Report::failed_with(
            state,
            vec![Diagnostic::from(&error)],
            Vec::new(),
        ))
    })
}

/// Returns the paths that aren't what they were before an interrupted change.
pub(super) fn attention(error: &TransactionError) -> Vec<RepoPath> {
    match error {
        TransactionError::Torn { recovered } => recovered
            .iter()
            .flat_map(|one| one.attention.iter().cloned())
            .collect(),
        _ => Vec::new(),
    }
}

/// How many paths are listed unasked.
const LISTED: usize = 20;

fn told(recovered: &[Recovered], is_verbose: bool) -> String {
    let mut out = String::new();
    for one in recovered.iter().filter(|one| one.how != How::Left) {
        let _ = writeln!(out, "{}", one);
        if is_verbose || one.paths.len() <= LISTED {
            out.extend(one.paths.iter().map(|path| format!("  {path}\n")));
        } else {
            let _ = writeln!(out, "  {} paths (-v lists them)", one.paths.len());
        }
        out.extend(
            one.notes
                .iter()
                .map(|note| format!("{}\n", Shown(note.as_bytes()))),
        );
    }
    if recovered.is_empty() {
        out.push_str("nothing to recover\n");
    }
    out
}
