//! The end of a run: what a report has to say is printed, and becomes an exit status.

use super::config;
use super::error::{Failure, IoError};
use super::exit::Exit;
use super::options::{Json, Verbosity};
use super::output;
use crate::report::human::{self, Style};
use llmpatch::report::{Diagnostic, Report, json};

/// Prints what a report has to say: for people, on standard error; for a program, the document on
/// standard output. Where that can't be written, standard error is told all the same.
pub(super) fn conclude(report: &Report, verbosity: &Verbosity, style: Style) -> Exit {
    if verbosity.json {
        let Err(error) = output::print(format!("{}\n", report.json()).as_bytes()) else {
            return Exit::of(report);
        };
        let mut report = report.clone();
        report.errors.push(Diagnostic::from(&error));
        output::complain(&human::complaints(&report, style));
        return Exit::of(&report);
    }
    if !verbosity.quiet || !report.errors.is_empty() {
        output::complain(&human::complaints(report, style));
    }
    Exit::of(report)
}

/// Prints the schema of documents, if that was asked for, and returns how the run ends.
pub(super) fn schema(json: &Json) -> Option<Exit> {
    json.is_schema()
        .then(|| said(output::print(json::SCHEMA.as_bytes())))
}

/// Prints what went wrong outside of any repository, and returns how the run ends.
pub(super) fn said(done: Result<(), IoError>) -> Exit {
    let Err(error) = done else { return Exit::Done };
    let verbosity = Verbosity::default();
    conclude(
        &Failure::from(error),
        &verbosity,
        config::style(&verbosity, None),
    )
}
