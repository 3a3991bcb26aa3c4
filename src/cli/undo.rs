//! `git llmpatch undo`.

use clap::Args;

use super::apply;
use super::base::Base;
use super::details;
use super::error::{CliError, Failure, failed};
use super::exit::Exit;
use super::flow::{self, Printed, Session};
use super::options::{Json, Reading, Verbosity};
use super::output;
use super::recover;
use crate::progress::Stage;
use crate::report::{Diagnostic, Report, Status};
use crate::transaction::{self, Last, Target, TransactionError, Undoing};

/// Take back the last apply
///
/// Every file, directory and index entry that the last apply in this work tree changed becomes what it was before, byte for byte. If
/// one of them changed since, nothing is changed, and all of these are named. An apply with --commit is taken back with git
/// revert or git reset. There is one undo for each apply, and none for an undo: apply the response again.
#[derive(Debug, Args)]
#[command(override_usage = "git llmpatch undo [<options>]")]
pub(super) struct Undo {
    #[command(flatten)]
    talk: Verbosity,
    #[command(flatten)]
    json: Json,
}

impl Undo {
    /// Does it, and prints how it went.
    pub(super) fn run(&self) -> Exit {
        if let Some(exit) = flow::schema(&self.json) {
            return exit;
        }
        flow::run(&Reading::default(), &self.json.talk(&self.talk), Vec::new(), |session| {
            let report = self.undo(session)?;
            let printed = if self.talk.quiet { String::new() } else { report.done() };
            Ok((report, Printed::Text(printed.into())))
        })
    }

    fn undo(&self, session: &Session) -> Result<Report, Failure> {
        // What is half done is no state to take anything back from.
        recover::first(session)?;
        let work = session.works.begin(Stage::Planning, 0);
        let last = transaction::last(&session.repo, work.progress()).map_err(refused)?;
        drop(work);
        let Undoing { changes, reverse } = match last {
            Last::Change(undoing) => undoing,
            Last::Nothing => return Err(CliError::NothingToUndo.into()),
            Last::Commit { id, is_head } => return Err(CliError::UndoOfCommit { id, is_head }.into()),
        };
        if self.talk.verbose {
            let what = match (reverse.has_files(), reverse.has_entries()) {
                (true, true) => "the work tree and the index",
                (true, false) => "the work tree",
                _ => "the index",
            };
            output::complain(&format!("the last apply changed {what}\n"));
        }
        let base = if reverse.has_files() { Base::WorkTree } else { Base::Index };
        let mut report = Report::checked(Vec::new(), Vec::new());
        if session.talk.json {
            report.detail.plan = Some(changes.id());
            report.files = details::files_of(session, &base, &changes);
        } else {
            report.files = details::counted_files(session, &base, &changes, self.talk.quiet);
        }
        let report = apply::publish(session, &changes, Target::Undo(reverse), report)?;
        Ok(Report { status: Status::Undone, ..report })
    }
}

/// Makes the report of what can't be taken back, each path by itself.
fn refused(error: TransactionError) -> Failure {
    match error {
        TransactionError::ChangedSince { all } => failed(all.iter().map(Diagnostic::from).collect()),
        error => Failure::from(error),
    }
}
