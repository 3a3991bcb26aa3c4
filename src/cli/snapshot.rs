use clap::Args;

use super::error::{CliError, Failure};
use super::exit::Exit;
use super::flow::{self, Printed, Session};
use super::options::{Reading, Verbosity};
use crate::report::human;
use crate::{store, transaction};
use llmpatch::report::{Report, State, Status};

/// Store the work tree's present files as a tree, and print its id
///
/// Changed files are stored as git add would store them; neither the index nor the work tree is
/// changed. A model that is shown these files writes its response about this tree, whatever happens
/// to the files meanwhile.
#[derive(Debug, Args)]
#[command(override_usage = "git llmpatch snapshot [--untracked]")]
pub(super) struct Snapshot {
    /// Include untracked files, but not ignored ones
    #[arg(long)]
    untracked: bool,
}

impl Snapshot {
    /// Runs the command, and prints how it went.
    pub(super) fn run(&self) -> Exit {
        flow::run(
            &Reading::default(),
            &Verbosity::default(),
            Vec::new(),
            |session| self.keep(session),
        )
    }

    fn keep(&self, session: &Session) -> Result<(Report, Printed), Failure> {
        if let Some(interrupted) = transaction::interrupted(&session.repo) {
            return Err(CliError::HalfDone(interrupted).into());
        }
        let tree = Some(store::snapshot(&session.repo, self.untracked)?);
        let report = Report {
            status: Status::Applied,
            state: State::Changed,
            tree,
            ..Report::default()
        };
        let printed = human::stored(&report).into();
        Ok((report, printed))
    }
}
