use clap::Args;

use super::exit::Exit;
use super::flow::{self, Base, Session, stop};
use super::options::{Against, Reading, Responses, Talk};
use super::responses::Origin;
use crate::report::{FileReport, Report};
use crate::tree::Tree;

/// Find out whether responses would apply, and write nothing
#[derive(Debug, Args)]
#[command(override_usage = "git llmpatch check [<options>] [<response>...]")]
#[command(after_help = "Each response is looked at by itself; the exit status is that of the worst.")]
pub(super) struct Check {
    #[command(flatten)]
    responses: Responses,
    #[command(flatten)]
    against: Against,
    #[command(flatten)]
    reading: Reading,
    #[command(flatten)]
    talk: Talk,
}

impl Check {
    /// Does it, and prints how it went.
    ///
    /// # Errors
    /// If options don't go together.
    pub(super) fn run(&self) -> Result<Exit, clap::Error> {
        self.responses.check("check")?;
        let session = match Session::open(&self.reading, &self.talk) {
            Ok(session) => session,
            Err(exit) => return Ok(exit),
        };
        let base = Base::of(&self.against);
        let tree = match base.tree(&session.repo) {
            Ok(tree) => tree,
            Err(report) => return Ok(session.conclude(&report)),
        };
        let origins = Origin::all(&self.responses.paths);
        let check = |origin| match self.check(&session, &base, &*tree, origin) {
            Ok((report, line)) => flow::finish(&session, report, line.as_bytes()),
            Err(report) => session.conclude(&report),
        };
        Ok(origins.iter().map(check).max().unwrap_or_default())
    }

    /// Looks at one response, and makes the line that says that it is good.
    fn check(
        &self,
        session: &Session,
        base: &Base,
        tree: &dyn Tree,
        origin: &Origin,
    ) -> Result<(Report, String), flow::Stop> {
        let source = [origin.source(0).map_err(stop)?];
        let worked = session.work_out(&source, base, tree)?;
        let files = FileReport::list(&worked.changes, |_| None);
        let mut line = String::new();
        if !self.talk.quiet {
            let count = files.len();
            line = format!("{}: ok, {count} file{}\n", origin.name(), if count == 1 { "" } else { "s" });
            if self.talk.verbose {
                line.extend(files.iter().map(|file| format!("  {file}\n")));
            }
        }
        Ok((Report::checked(files, worked.warnings), line))
    }
}
