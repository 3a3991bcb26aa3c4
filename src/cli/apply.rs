use std::os::unix::ffi::OsStrExt as _;

use clap::Args;

use super::commit::Commit;
use super::exit::Exit;
use super::flow::{self, Base, Session, Stop, Worked, stop};
use super::options::{Reading, Responses, Talk};
use super::preview::{self, Preview};
use super::recover;
use super::responses::{self, Origin};
use crate::explain::Explain;
use crate::kind::Kind;
use crate::message;
use crate::repo;
use crate::report::{CommitReport, Diagnostic, FileReport, Report, State, Status, merge};
use crate::text::Shown;
use crate::transaction::{self, Target, Undone};

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
    #[command(flatten)]
    preview: Preview,
    #[command(flatten)]
    committing: Commit,
    #[command(flatten)]
    reading: Reading,
    #[command(flatten)]
    talk: Talk,
}

impl Apply {
    /// Does it, and prints how it went.
    ///
    /// # Errors
    /// If options don't go together.
    pub(super) fn run(&self) -> Result<Exit, clap::Error> {
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
        let session = match Session::open(&self.reading, &self.talk) {
            Ok(session) => session,
            Err(exit) => return Ok(exit),
        };
        Ok(match self.apply(&session) {
            Ok((report, asked_for)) if self.preview.prints() => flow::finish_with_diff(&session, report, &asked_for),
            Ok((report, asked_for)) => flow::finish(&session, report, &asked_for),
            Err(report) => session.conclude(&report),
        })
    }

    fn base(&self) -> Base {
        match (self.commit, self.index, self.cached) {
            (true, ..) => Base::Agreeing(repo::Against::IndexAndHead),
            (_, true, _) => Base::Agreeing(repo::Against::Index),
            (.., true) => Base::Index,
            _ => Base::WorkTree,
        }
    }

    /// Applies, or only works out, and returns the report and what to print on standard output.
    fn apply(&self, session: &Session) -> Result<(Report, Vec<u8>), Stop> {
        let message = self.committing.message().map_err(stop)?;
        let sources = responses::read(&self.responses.paths)?;
        let base = self.base();
        // What an earlier run left half done is no state to work anything out from.
        let recovered = if self.preview.applies() { recover::first(session)? } else { Vec::new() };
        let mut worked = session.work_out(&sources, &base, &*base.tree(&session.repo)?)?;
        worked.warnings.splice(..0, recovered);
        let printed = match self.preview.prints() {
            true => Some(self.preview.print(session, &base, &worked.changes)?),
            false => None,
        };
        if !self.preview.applies() {
            let files = FileReport::list(&worked.changes, |_| None);
            return Ok((Report::checked(files, worked.warnings), printed.unwrap_or_default()));
        }
        let is_silent = self.talk.quiet || printed.is_some();
        let mut counts = if is_silent { Default::default() } else { preview::counted(session, &base, &worked.changes) };
        let files = FileReport::list(&worked.changes, |path| counts.remove(path.as_bytes()));

        let target = match (self.commit, self.index, self.cached) {
            (true, ..) => {
                let message = message.unwrap_or_else(|| message::compose(&worked.patches, &worked.changes));
                Target::Commit(self.committing.request(message))
            }
            (_, true, _) => Target::IndexAndWorkTree,
            (.., true) => Target::Index,
            _ => Target::WorkTree { intent_to_add: self.intent_to_add },
        };
        let report = match worked.changes.is_empty() {
            // Only where that was allowed: there is nothing to make, and nothing to commit.
            true => {
                let mut report = Report { status: Status::Applied, ..Report::checked(files, worked.warnings) };
                if self.commit {
                    report.warnings.push(Diagnostic::new(&NoCommit, None, &[]));
                }
                report
            }
            false => publish(session, worked, target, files)?,
        };
        let asked_for = match printed {
            Some(printed) => printed,
            None if self.talk.quiet => Vec::new(),
            None => report.done().into_bytes(),
        };
        Ok((report, asked_for))
    }
}

/// A response that changes nothing, and was to be committed.
#[derive(Debug, thiserror::Error)]
#[error("nothing changes, so no commit is made")]
struct NoCommit;

impl Explain for NoCommit {
    fn kind(&self) -> Kind {
        Kind::NoChange
    }
}

/// Makes the change. Prints nothing: what a child says of its own accord aside, all is quiet until it is over.
fn publish(session: &Session, worked: Worked<'_>, target: Target, files: Vec<FileReport>) -> Result<Report, Stop> {
    let Worked { changes, mut warnings, .. } = worked;
    let failed = |state, fault: &transaction::Fault, warnings| {
        let report = Report::failed_with(state, vec![Diagnostic::new(fault, None, &[])], warnings);
        Box::new(Report { signal: fault.signal(), ..report })
    };
    let prepared = match transaction::begin(&session.repo, &changes, target) {
        Ok(prepared) => prepared,
        Err(fault) => return Err(failed(State::NothingChanged, &fault, warnings)),
    };
    let done = match prepared.publish() {
        Ok(done) => done,
        Err(Undone { fault, attention, kept, is_torn }) => {
            let state = if attention.is_empty() { State::PutBack } else { State::Attention(attention) };
            let mut report = failed(state, &fault, warnings);
            let kept = kept.map(|folder| {
                format!("what could not be put back is kept in `{}`", Shown(folder.as_os_str().as_bytes()))
            });
            let kept = kept.or(is_torn.then(|| "run `git llmpatch recover` to try again".to_owned()));
            report.errors.iter_mut().for_each(|error| error.notes.extend(kept.clone()));
            return Err(report);
        }
    };
    warnings.extend(done.warnings.iter().map(|warning| Diagnostic::new(warning, None, &[])));
    let commit = done.commit.map(|made| CommitReport {
        id: made.short_id,
        branch: made.branch.map(|branch| branch.to_string()),
        subject: made.summary.to_string(),
        root: made.root,
    });
    Ok(Report {
        status: Status::Applied,
        state: State::Changed,
        files,
        warnings: merge(warnings),
        errors: Vec::new(),
        commit,
        signal: None,
    })
}
