use clap::Args;

use super::details;
use super::exit::Exit;
use super::flow::{self, Base, Session, stop};
use super::options::{Against, Answering, Json, Reading, Responses, Talk};
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
    #[command(flatten)]
    json: Json,
    #[command(flatten)]
    answering: Answering,
}

impl Check {
    /// Does it, and prints how it went.
    ///
    /// # Errors
    /// If options don't go together.
    pub(super) fn run(&self) -> Result<Exit, clap::Error> {
        if let Some(exit) = self.json.schema() {
            return Ok(exit);
        }
        self.responses.check("check")?;
        let talk = self.json.talk(&self.talk);
        let origins = Origin::all(&self.responses.paths);
        // What keeps all from being looked at is told a person once, and a program of each.
        let hindered = |report: &Report, style| match talk.json {
            true => {
                let one = |origin: &Origin| flow::conclude(&report.clone().about(vec![origin.name()]), &talk, style);
                origins.iter().map(one).max().unwrap_or_default()
            }
            false => flow::conclude(report, &talk, style),
        };
        let session = match Session::try_open(&self.reading, &talk) {
            Ok(session) => session.answering(&self.answering),
            Err((report, style)) => return Ok(hindered(&report, style)),
        };
        let base = Base::of(&self.against);
        let tree = match base.tree(&session.repo) {
            Ok(tree) => tree,
            Err(report) => return Ok(hindered(&report, session.style)),
        };
        let check = |origin: &Origin| match self.check(&session, &base, &*tree, origin) {
            Ok((report, line)) => flow::finish(&session, report.about(vec![origin.name()]), line.as_bytes()),
            Err(report) => session.conclude(&report.about(vec![origin.name()])),
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
        if session.talk.json {
            let detail = details::of_change(&worked, &source, None);
            let files = details::files(session, base, &worked, &source, None);
            return Ok((Report { detail, ..Report::checked(files, worked.warnings) }, String::new()));
        }
        let files = FileReport::list(&worked.changes, |_| None);
        let mut line = String::new();
        if !self.talk.quiet {
            let count = files.len();
            line = format!("{}: ok, {count} file{}\n", origin.name(), if count == 1 { "" } else { "s" });
            if self.talk.verbose {
                line.extend(files.iter().map(|file| format!("  {file}\n")));
                line += &format!("  {}", details::plan_line(&worked.changes));
            }
        }
        Ok((Report::checked(files, worked.warnings), line))
    }
}
