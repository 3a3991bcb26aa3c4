use std::collections::BTreeMap;

use bstr::BString;
use clap::Args;
use clap::builder::{PossibleValue, TypedValueParser};

use super::base::Base;
use super::error::Failure;
use super::exit::Exit;
use super::flow::{self, Printed, Session, Worked};
use super::options::{Against, Reading, Responses, Verbosity, count, format_value, one_of};
use super::preview::Preview;
use super::responses;
use crate::repo::{Differ, Side, differ, history};
use llmpatch::compare::Options;
use llmpatch::patch::{Format, Unrepresentable};
use llmpatch::path::RepoPath;
use llmpatch::plan::derive;
use llmpatch::progress::Stage;
use llmpatch::report::{Diagnostic, FileReport, Report, State};
use llmpatch::respond::{self, Look, Notes, PullRequest, Review};
use llmpatch::tree::Tree;

/// Print the change in another format
#[derive(Debug, Args)]
#[command(override_usage = "git llmpatch convert --to=<format> [<options>] [<response>...]")]
#[command(
    after_help = "Several responses are one change, in order. What is printed makes the same change of \
         the same files, exactly; what a format can't express is an error that names every \
         such file.\n\n'git llmpatch help convert' has all options."
)]
pub(super) struct Convert {
    #[command(flatten)]
    responses: Responses,
    /// The format to print
    #[arg(long, value_name = "format", value_parser = target(), requires_if("review", "pr_base"))]
    to: Target,
    /// With --to=review, the branch that the pull request is to be merged into: suggestions can be
    /// posted for lines that its diff shows
    #[arg(long, value_name = "rev")]
    pr_base: Option<String>,
    #[command(flatten)]
    context: Context,
    #[command(flatten)]
    against: Against,
    #[command(flatten)]
    reading: Reading,
    #[command(flatten)]
    verbosity: Verbosity,
}

/// What a change is printed as.
#[derive(Clone, Copy, Debug)]
enum Target {
    Format(Format),
    /// A review on GitHub.
    Review,
}

/// Parses what a change is printed as.
fn target() -> impl TypedValueParser<Value = Target> {
    const ALL: &[Target] = &[
        Target::Format(Format::Unified),
        Target::Format(Format::Envelope),
        Target::Format(Format::Opx),
        Target::Format(Format::Blocks),
        Target::Format(Format::Tool),
        Target::Review,
    ];
    one_of(ALL, |target| match target {
        Target::Format(format) => format_value(format),
        Target::Review => PossibleValue::new("review")
            .help("The JSON of a review on GitHub whose suggestions are the change"),
    })
}

/// How many unchanged lines are shown.
#[derive(Clone, Copy, Debug, Default, Args)]
pub(super) struct Context {
    /// Show this many unchanged lines around each change, if that is enough to find it (otherwise
    /// as diff.context; in OPX as few as it takes)
    #[arg(short = 'U', long = "unified", value_name = "n", value_parser = count::<u32>)]
    pub(super) lines: Option<u32>,
}

impl Convert {
    /// Runs the command, and prints how it went.
    ///
    /// # Errors
    /// If options don't go together.
    pub(super) fn run(&self) -> Result<Exit, clap::Error> {
        self.responses.check("convert")?;
        let conflict = match (self.to, &self.pr_base, self.context.lines) {
            (Target::Format(_), Some(_), _) => Some("--pr-base is only for --to=review"),
            (Target::Review, _, Some(_)) => Some("-U is not for --to=review"),
            _ => None,
        };
        if let Some(conflict) = conflict {
            return Err(super::usage("convert", conflict));
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
        let tree = base.tree(&session.repo)?;
        let mut worked = session.work_out(&sources, &base, &*tree)?;
        let printed = match self.to {
            Target::Format(Format::Unified) => Printed::Diff(
                Preview::diff(self.context.lines).print(session, &base, &worked.changes)?,
            ),
            _ if worked.changes.is_empty() => Printed::Response(Vec::new()),
            Target::Format(to) => {
                Printed::Response(self.respond(session, to, &mut worked, &*tree)?)
            }
            Target::Review => {
                let into = self.pr_base.as_deref().unwrap_or("HEAD");
                Printed::Response(review(session, into, &mut worked)?)
            }
        };
        let files = FileReport::list(&worked.changes, |_| None);
        Ok((Report::checked(files, worked.warnings), printed))
    }

    fn respond(
        &self,
        session: &Session,
        format: Format,
        worked: &mut Worked<'_>,
        tree: &dyn Tree,
    ) -> Result<Vec<u8>, Failure> {
        let look = Look {
            options: differ::options(&session.repo)?,
            context: self.context.lines,
            prose: BString::default(),
            base: None,
            notes: notes(session, worked),
        };
        // Contents are compared as they are in the files: that is what the response is about.
        let differ = Differ::new(&session.repo, Side::Blobs)?;
        let work = session.meter.begin(Stage::Comparing, 0);
        let outcome = respond::respond(
            format,
            &worked.changes,
            tree,
            &differ,
            &look,
            Vec::new(),
            work.progress(),
        )?;
        let response = outcome.map_err(|unrepresentable| {
            refused(
                &unrepresentable,
                "`--to=unified` can express everything that git can",
                worked,
            )
        })?;
        worked
            .warnings
            .extend(response.replaced.iter().map(Diagnostic::from));
        Ok(response.text)
    }
}

/// Writes the change as a review of the pull request that merges the commit it is a change of into
/// another.
fn review(session: &Session, into: &str, worked: &mut Worked<'_>) -> Result<Vec<u8>, Failure> {
    let work = session.meter.begin(Stage::Comparing, 0);
    let head = worked.base.tip();
    let (head, touched) = history::pull_request(&session.repo, into, head, work.progress())?;
    // What a diff can't say isn't shown as lines.
    let (shown, _) = respond::change_of(touched, Format::Unified);
    let blobs = Differ::new(&session.repo, Side::Blobs)?;
    let diff = derive::unified(&shown, &blobs, &Options::default())?;
    let pull_request = PullRequest {
        head: &head,
        diff: &diff,
    };
    let differ = Differ::new(&session.repo, worked.base.side())?;
    let notes = respond::line_notes(&worked.patches, &worked.placements, session.resolver());
    let reviewed = respond::review(&worked.changes, pull_request, &differ, &notes)?;
    drop(work);
    let Review { text, limited } = reviewed.map_err(|unrepresentable| {
        refused(
            &unrepresentable,
            "suggestions replace lines of files: `--exclude=<path>` leaves a file out; \
             `--to=unified` can express everything that git can",
            worked,
        )
    })?;
    let mut limited: Vec<_> = limited.iter().map(Diagnostic::from).collect();
    if session.is_strict() || text.is_empty() {
        for error in &mut limited {
            error.is_warning = false;
        }
        let warnings = worked.warnings.clone();
        let report = Report::failed_with(State::NothingChanged, limited, warnings);
        if !report.errors.is_empty() {
            return Err(Failure::new(report));
        }
    } else {
        worked.warnings.append(&mut limited);
    }
    Ok(text)
}

/// Reports what can't be expressed, and once what helps, which is true of all.
fn refused(unrepresentable: &[Unrepresentable], help: &str, worked: &Worked<'_>) -> Failure {
    let mut errors: Vec<_> = unrepresentable.iter().map(Diagnostic::from).collect();
    if let Some(last) = errors.last_mut() {
        last.help = Some(help.to_owned());
    }
    let warnings = worked.warnings.clone();
    Failure::new(Report::failed_with(State::NothingChanged, errors, warnings))
}

/// Collects what the authors of edits noted, by file.
fn notes(session: &Session, worked: &Worked<'_>) -> Notes {
    let mut notes: BTreeMap<RepoPath, Vec<BString>> = BTreeMap::new();
    for edit in worked.patches.iter().flat_map(|patch| &patch.edits) {
        let (Some(why), Some(path)) = (&edit.why, session.resolve(edit)) else {
            continue;
        };
        let notes = notes.entry(path).or_default();
        let note = BString::from(&why[..]);
        if !notes.contains(&note) {
            notes.push(note);
        }
    }
    if notes.is_empty() {
        Notes::None
    } else {
        Notes::Each(notes)
    }
}
