use clap::Args;

use super::commit::Commit;
use super::details;
use super::error::CliError;
use super::exit::Exit;
use super::flow::{self, Base, Failure, Session, Worked, stop};
use super::options::{FeedbackOptions, Json, Reading, Responses, Verbosity};
use super::output;
use super::preview::{self, Preview};
use super::recover;
use super::responses::{self, Origin};
use super::review::Review;
use crate::diagnose::Diagnose;
use crate::message;
use crate::plan::choose::Names;
use crate::plan::{ChangeSet, PlanId};
use crate::progress::Stage;
use crate::repo;
use crate::report::{CommitReport, Detail, Diagnostic, FileReport, LineCount, Report, State, Status, merge};
use crate::text::Source;
use crate::transaction::{self, Target};

/// Work out the whole change, then make it: all or nothing
#[derive(Debug, Args)]
#[command(override_usage = "git llmpatch apply [<options>] [<response>...]")]
#[command(after_help = "Several responses are one change, in order.")]
pub(super) struct Apply {
    #[command(flatten)]
    responses: Responses,
    /// Change the index as well as the work tree; both must agree
    #[arg(long, conflicts_with = "cached")]
    index: bool,
    /// Change the index only
    #[arg(long)]
    cached: bool,
    /// Change index and work tree, and commit exactly this change
    #[arg(long, conflicts_with = "cached")]
    commit: bool,
    /// Let new files show in git diff, though their content isn't staged
    #[arg(short = 'N', long, conflicts_with_all = ["index", "cached", "commit"])]
    intent_to_add: bool,
    /// Show the change and ask at the terminal how much of it to make
    #[arg(short, long)]
    interactive: bool,
    /// Make the change only if it is the one that a preview or check --json called so, to the byte
    #[arg(long, value_name = "plan", help_heading = "Guarding")]
    expect: Option<PlanId>,
    #[command(flatten)]
    preview: Preview,
    #[command(flatten)]
    committing: Commit,
    #[command(flatten)]
    reading: Reading,
    #[command(flatten)]
    talk: Verbosity,
    #[command(flatten)]
    json: Json,
    #[command(flatten)]
    answering: FeedbackOptions,
}

impl Apply {
    /// Does it, and prints how it went.
    ///
    /// # Errors
    /// If options don't go together.
    pub(super) fn run(&self) -> Result<Exit, clap::Error> {
        if let Some(exit) = self.json.schema() {
            return Ok(exit);
        }
        self.responses.check("apply")?;
        if let (false, Some(option)) = (self.commit, self.committing.any()) {
            return Err(super::usage("apply", &format!("the option '{option}' requires '--commit'")));
        }
        if self.committing.is_empty_message() {
            return Err(super::usage(
                "apply",
                "the commit message is empty; without '-m' it is made from the response's notes",
            ));
        }
        if let Some(message) = self.preview.lacks() {
            return Err(super::usage("apply", message));
        }
        let reads_stdin = Origin::all(&self.responses.paths).contains(&Origin::Stdin);
        if reads_stdin && self.committing.reads_stdin() {
            return Err(super::usage("apply", "standard input can't be both the response and the message"));
        }
        let review = self.review()?;
        let talk = self.json.talk(&self.talk);
        let responses = Origin::names(&self.responses.paths);
        let session = match Session::try_open(&self.reading, &talk) {
            Ok(session) => session.answering(&self.answering),
            Err((report, style)) => return Ok(flow::conclude(&report.about(responses), &talk, style)),
        };
        Ok(match self.apply(&session, review.as_ref()) {
            Ok((report, asked_for)) if self.preview.prints() => {
                flow::finish_with_diff(&session, report.about(responses), &asked_for)
            }
            Ok((report, asked_for)) => flow::finish(&session, report.about(responses), &asked_for),
            Err(report) => session.conclude(&report.about(responses)),
        })
    }

    /// Prepares to ask, if that is wanted.
    fn review(&self) -> Result<Option<Review>, clap::Error> {
        if !self.interactive {
            return Ok(None);
        }
        if !self.preview.applies() {
            return Err(super::usage("apply", "the option '--interactive' beside a preview requires '--apply'"));
        }
        let deed = match (self.commit, self.index, self.cached) {
            (true, ..) => "Apply and commit",
            (_, true, _) => "Apply and stage",
            (.., true) => "Stage",
            _ => "Apply",
        };
        // What is expected is all of a change.
        let opened = Review::open(deed, self.expect.is_some());
        let error = "the option '--interactive' requires a terminal to ask at";
        opened.map(Some).map_err(|_| super::usage("apply", error))
    }

    fn base(&self) -> Base {
        match (self.commit, self.index, self.cached) {
            (true, ..) => Base::Agreeing(repo::Against::IndexAndHead),
            (_, true, _) => Base::Agreeing(repo::Against::Index),
            (.., true) => Base::Index,
            _ => Base::WorkTree,
        }
    }

    /// Refuses a change that isn't the expected one. It is told all the same, so that it can be looked at.
    fn compare(
        &self,
        expected: PlanId,
        session: &Session,
        worked: &Worked<'_>,
        sources: &[Source],
    ) -> Result<(), Failure> {
        let found = worked.changes.id();
        if found == expected {
            return Ok(());
        }
        let mut report = stop(CliError::Unexpected { found, files: FileReport::list(&worked.changes, |_| None) });
        report.warnings.clone_from(&worked.warnings);
        if session.talk.json {
            report.detail = details::of_change(worked, sources, None);
            report.files = details::files(session, &self.base(), worked, sources, None);
        }
        Err(report)
    }

    /// Applies, or only works out, and returns the report and what to print on standard output.
    fn apply(&self, session: &Session, review: Option<&Review>) -> Result<(Report, Vec<u8>), Failure> {
        let message = self.committing.message().map_err(stop)?;
        let sources = responses::read(&self.responses.paths)?;
        let base = self.base();
        // What an earlier run left half done is no state to work anything out from.
        if self.preview.applies() {
            recover::first(session)?;
        }
        let tree = base.tree(&session.repo)?;
        let mut worked = session.work_out(&sources, &base, &*tree)?;
        let is_json = session.talk.json;
        if let Some(expected) = self.expect {
            self.compare(expected, session, &worked, &sources)?;
        }
        if let Some(review) = review {
            let names = if tree.ignores_case() { Names::CaseBlind } else { Names::Exact };
            review.choose(session, &base, names, &mut worked)?;
        }
        let printed = match self.preview.prints() && !is_json {
            true => Some(self.preview.print(session, &base, &worked.changes)?),
            false => None,
        };
        let (detail, files) = match is_json {
            true => {
                let diffs = self.preview.diff.then(|| preview::diffs(session, &base, &worked.changes)).transpose()?;
                let detail = details::of_change(&worked, &sources, message.as_ref());
                (detail, details::files(session, &base, &worked, &sources, diffs))
            }
            false => {
                let is_silent = self.talk.quiet || printed.is_some() || !self.preview.applies();
                let counted = || preview::counted(session, &base, &worked.changes);
                let mut counts = if is_silent { Default::default() } else { counted() };
                (Detail::default(), FileReport::list(&worked.changes, |path| counts.remove(path.as_bytes())))
            }
        };
        if self.preview.is_asked_for() && !self.talk.quiet && !is_json {
            // On standard error, since what is previewed is often read by a program.
            output::complain(&details::plan_line(&worked.changes));
        }
        let target = match (self.commit, self.index, self.cached) {
            (true, ..) => {
                let message = message.unwrap_or_else(|| message::compose(&worked.patches, &worked.changes));
                Target::Commit(self.committing.request(message))
            }
            (_, true, _) => Target::IndexAndWorkTree,
            (.., true) => Target::Index,
            _ => Target::WorkTree { intent_to_add: self.intent_to_add },
        };
        if !self.preview.applies() {
            // The exit status is to be as if it had been applied; a diff alone shows only what would become of the files.
            if self.preview.check
                && !worked.changes.is_empty()
                && let Err(error) = transaction::foresee(&session.repo, &target)
            {
                return Err(failed(State::NothingChanged, &error, error.signal(), worked.warnings, (files, detail)));
            }
            let report = Report { detail, ..Report::checked(files, worked.warnings) };
            return Ok((report, printed.unwrap_or_default()));
        }

        let report = match worked.changes.is_empty() {
            // Only where that was allowed: there is nothing to make, and nothing to commit.
            true => {
                let checked = Report::checked(files, worked.warnings);
                let mut report = Report { status: Status::Applied, detail, ..checked };
                if self.commit {
                    report.warnings.push(Diagnostic::new(&CliError::NoCommit, None, &[]));
                }
                report
            }
            false => publish(session, &worked.changes, worked.warnings, target, files, detail)?,
        };
        let asked_for = match printed {
            Some(printed) => printed,
            None if self.talk.quiet => Vec::new(),
            None => report.done().into_bytes(),
        };
        Ok((report, asked_for))
    }
}

/// Makes the change. Prints nothing: what a child says of its own accord aside, all is quiet until it is over.
///
/// # Errors
/// If it wasn't made; everything was put back then, unless the report says otherwise.
pub(super) fn publish(
    session: &Session,
    changes: &ChangeSet,
    mut warnings: Vec<Diagnostic>,
    target: Target,
    files: Vec<FileReport>,
    detail: Detail,
) -> Result<Report, Failure> {
    let work = session.works.begin(Stage::Waiting, 0);
    let mut recovered = Vec::new();
    let begun = transaction::begin(&session.repo, changes, target, work.progress().clone(), &mut recovered);
    session.note(recovered);
    let prepared = match begun {
        Ok(prepared) => prepared,
        Err(error) => {
            let paths = recover::attention(&error);
            let state = if paths.is_empty() { State::NothingChanged } else { State::Attention(paths) };
            return Err(failed(state, &error, error.signal(), warnings, (files, detail)));
        }
    };
    let published = prepared.publish();
    drop(work);
    let done = match published {
        Ok(done) => done,
        Err(undone) => {
            let attention = undone.attention.clone();
            let state = if attention.is_empty() { State::PutBack } else { State::Attention(attention) };
            return Err(failed(state, &undone, undone.error.signal(), warnings, (files, detail)));
        }
    };
    warnings.extend(done.warnings.iter().map(|warning| Diagnostic::new(warning, None, &[])));
    let commit = done.commit.map(|made| CommitReport {
        full: made.id,
        id: made.short_id,
        tree: made.tree,
        branch: made.branch.map(|branch| branch.to_string()),
        subject: made.summary.to_string(),
        root: made.root,
        extent: made.extent.map(|of| (of.files, LineCount { added: of.added, removed: of.removed })),
    });
    Ok(Report {
        status: Status::Applied,
        state: State::Changed,
        files,
        warnings: merge(warnings),
        errors: Vec::new(),
        commit,
        feedback: None,
        signal: None,
        detail,
    })
}

/// Says why a change isn't made, and what it would have been.
fn failed(
    state: State,
    error: &dyn Diagnose,
    signal: Option<i32>,
    warnings: Vec<Diagnostic>,
    (files, detail): (Vec<FileReport>, Detail),
) -> Failure {
    let report = Report::failed_with(state, vec![Diagnostic::new(error, None, &[])], warnings);
    Box::new(Report { signal, files, detail, ..report })
}
