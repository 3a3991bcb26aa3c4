use clap::Args;

use super::base::Base;
use super::details;
use super::error::Failure;
use super::exit::Exit;
use super::flow::{self, Printed, Session};
use super::options::{Against, Reading, Responses, Verbosity};
use super::output;
use super::preview::{Forms, Preview};
use super::responses;
use llmpatch::report::{FileReport, Report};

/// Print the change as a diff that git apply accepts
#[derive(Debug, Args)]
#[command(override_usage = "git llmpatch diff [<options>] [<response>...]")]
#[command(
    after_help = "Several responses are one change, in order.\n\n'git llmpatch help diff' has all options."
)]
pub(super) struct Diff {
    #[command(flatten)]
    responses: Responses,
    #[command(flatten)]
    forms: Forms,
    #[command(flatten)]
    against: Against,
    #[command(flatten)]
    reading: Reading,
    #[command(flatten)]
    verbosity: Verbosity,
}

impl Diff {
    /// Runs the command, and prints how it went.
    ///
    /// # Errors
    /// If options don't go together.
    pub(super) fn run(&self) -> Result<Exit, clap::Error> {
        self.responses.check("diff")?;
        if let Some(message) = self.forms.lacks() {
            return Err(super::usage("diff", message));
        }
        Ok(flow::run(
            &self.reading,
            &self.verbosity.of_reading(),
            Vec::new(),
            |session| self.print(session),
        ))
    }

    fn print(&self, session: &Session) -> Result<(Report, Printed), Failure> {
        let sources = responses::read(&self.responses.paths)?;
        let base = Base::of(&self.against);
        let worked = session.work_out(&sources, &base, &*base.tree(&session.repo)?)?;
        let diff = Preview::of(&self.forms).print(session, &base, &worked.changes)?;
        if self.verbosity.verbose {
            output::complain(&details::plan_line(&worked.changes));
        }
        let files = FileReport::list(&worked.changes, |_| None);
        Ok((Report::checked(files, worked.warnings), Printed::Diff(diff)))
    }
}
