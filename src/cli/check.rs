use clap::Args;

use super::base::Base;
use super::conclude;
use super::details;
use super::error::Failure;
use super::exit::Exit;
use super::flow::Session;
use super::options::{Against, FeedbackOptions, Json, Reading, Responses, Verbosity};
use super::output;
use super::responses::ResponseOrigin;
use super::staged;
use crate::report::human::Style;
use llmpatch::report::{FileReport, Report};
use llmpatch::text::Source;
use llmpatch::tree::Tree;

/// Check whether responses would apply, and write nothing
#[derive(Debug, Args)]
#[command(
    override_usage = "git llmpatch check [<options>] [<response>...]\n       git llmpatch check --staged \
         [<options>] [<path>...]"
)]
#[command(
    after_help = "Each response is checked by itself; the exit status is that of the worst. \
    With --staged, arguments are paths in the index that are responses.\n\n'git llmpatch help check' has all options."
)]
pub(super) struct Check {
    #[command(flatten)]
    responses: Responses,
    /// Look at what is staged: responses, and markers of patches in other files; print one line per
    /// finding
    #[arg(long, conflicts_with_all = ["cached", "onto"])]
    staged: bool,
    #[command(flatten)]
    against: Against,
    #[command(flatten)]
    reading: Reading,
    #[command(flatten)]
    verbosity: Verbosity,
    #[command(flatten)]
    json: Json,
    #[command(flatten)]
    feedback: FeedbackOptions,
}

impl Check {
    /// Runs the command, and prints how it went.
    ///
    /// # Errors
    /// If options don't go together.
    pub(super) fn run(&self) -> Result<Exit, clap::Error> {
        if let Some(exit) = conclude::schema(&self.json) {
            return Ok(exit);
        }
        self.responses.check("check")?;
        let verbosity = Verbosity {
            feedback: self.feedback.feedback,
            ..self.json.verbosity(&self.verbosity.of_reading())
        };
        if self.staged {
            return self.run_on_staged(&verbosity);
        }
        let origins = ResponseOrigin::all(&self.responses.paths);
        let hindered = |report, style| hindered(report, &origins, &verbosity, style);
        let session = match Session::open(&self.reading, &verbosity) {
            Ok(session) => session,
            Err((report, style)) => return Ok(hindered(&report, style)),
        };
        let base = Base::of(&self.against);
        let tree = match base.tree(&session.repo) {
            Ok(tree) => tree,
            Err(report) => return Ok(hindered(&report, session.style)),
        };
        let exits = origins.iter().map(|origin| {
            let checked = origin
                .source(0)
                .map_err(Failure::from)
                .and_then(|source| check(&session, &base, &*tree, &[source]));
            session.end(
                checked.map(|(report, line)| (report, line.into())),
                vec![origin.name()],
            )
        });
        let exits: Vec<_> = exits.collect();
        if exits.len() > 1 && !verbosity.quiet && !verbosity.json {
            output::complain(&summary(&exits));
        }
        Ok(exits.into_iter().max().unwrap_or_default())
    }

    fn run_on_staged(&self, verbosity: &Verbosity) -> Result<Exit, clap::Error> {
        if ResponseOrigin::all(&self.responses.paths).contains(&ResponseOrigin::Stdin)
            && !self.responses.paths.is_empty()
        {
            return Err(super::usage(
                "check",
                "standard input is never staged; name paths of the index",
            ));
        }
        Ok(match Session::open(&self.reading, verbosity) {
            Ok(session) => staged::check(&session, &self.responses.paths),
            Err((report, style)) => conclude::conclude(&report, verbosity, style),
        })
    }
}

/// Sums up what became of several responses.
fn summary(exits: &[Exit]) -> String {
    let good = exits.iter().filter(|exit| **exit == Exit::Done).count();
    format!(
        "{good} of {} responses can be applied, each by itself; `git llmpatch apply --check` checks \
         them as one change\n",
        exits.len()
    )
}

/// Looks at one response, and makes the lines that say that it is good.
///
/// # Errors
/// With all that keeps it from being applied.
pub(super) fn check(
    session: &Session,
    base: &Base,
    tree: &dyn Tree,
    source: &[Source; 1],
) -> Result<(Report, String), Failure> {
    let worked = session.work_out(source, base, tree)?;
    if session.verbosity.json {
        let files = details::files(session, &worked, None);
        let detail = details::of_change(&worked, None);
        return Ok((
            Report {
                detail,
                ..Report::checked(files, worked.warnings)
            },
            String::new(),
        ));
    }
    let files = FileReport::list(&worked.changes, |_| None);
    let mut line = String::new();
    if !session.verbosity.quiet {
        let count = files.len();
        line = format!(
            "{}: ok, {count} file{}\n",
            source[0].name(),
            if count == 1 { "" } else { "s" }
        );
        if session.verbosity.verbose {
            line.extend(files.iter().map(|file| format!("  {file}\n")));
            line += &format!("  {}", details::plan_line(&worked.changes));
        }
    }
    Ok((Report::checked(files, worked.warnings), line))
}

/// Tells what keeps all responses from being looked at: a person once, a program of each.
fn hindered(
    report: &Report,
    origins: &[ResponseOrigin],
    verbosity: &Verbosity,
    style: Style,
) -> Exit {
    if !verbosity.json {
        return conclude::conclude(report, verbosity, style);
    }
    let exits = origins.iter().map(|origin| {
        let report = report.clone().about(vec![origin.name()]);
        conclude::conclude(&report, verbosity, style)
    });
    exits.max().unwrap_or_default()
}
