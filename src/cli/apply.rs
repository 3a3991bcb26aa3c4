mod each;

use crate::report::human;
use bstr::BString;
use clap::Args;

use super::base::Base;
use super::commit::Commit;
use super::conclude;
use super::details;
use super::error::{CliError, Failure};
use super::exit::Exit;
use super::flow::{self, Printed, Session, Worked};
use super::options::{FeedbackOptions, Json, Reading, Responses, Verbosity};
use super::output;
use super::preview::{self, Preview};
use super::publish::{self, Ready};
use super::recover;
use super::responses::{self, ResponseOrigin};
use super::review::Review;
use crate::repo::{Against, Revision, history, is_branch_name};
use crate::store::{self, Onto};
use crate::transaction::{self, CommitRequest, Target};
use llmpatch::pathspec::Case;
use llmpatch::plan::PlanId;
use llmpatch::report::{Diagnostic, FileReport, Report, State, Status};
use llmpatch::text::{self, Shown, Source};
use llmpatch::tree::Tree;

/// Work out the whole change, then make it: all or nothing
#[derive(Debug, Args)]
#[command(override_usage = "git llmpatch apply [<options>] [<response>...]")]
#[command(
    after_help = "Several responses are one change, in order.\n\n'git llmpatch help apply' has all options."
)]
pub(super) struct Apply {
    #[command(flatten)]
    responses: Responses,
    /// Change the index as well as the work tree; both must agree, or the work tree must have this
    /// change already
    #[arg(long, conflicts_with = "cached")]
    index: bool,
    /// Change the index only
    #[arg(long)]
    cached: bool,
    /// Change index and work tree, and commit exactly this change; one that is there already is
    /// committed as it is
    #[arg(long, conflicts_with = "cached")]
    commit: bool,
    /// With --3way, refuse conflicts, or write markers around them and make the rest of the change;
    /// implies --index
    #[arg(
        long,
        value_name = "how",
        value_enum,
        default_value = "refuse",
        requires_if("markers", "three_way"),
        hide_short_help = true
    )]
    conflicts: Conflicts,
    /// Apply to this commit or tree in the object database only: print the new tree, or with
    /// --commit the new commit
    #[arg(long, value_name = "rev", conflicts_with_all = ["index", "cached", "intent_to_add", "edit", "apply"])]
    onto: Option<String>,
    /// With --onto and --commit, create this branch at the new commit, or move it forward to it
    #[arg(long, value_name = "name", requires_all = ["onto", "commit"], hide_short_help = true)]
    branch: Option<String>,
    /// With --commit, make a commit of each response, and of each mail of a series, one on top of the
    /// other, instead of one of all
    #[arg(long, requires = "commit", conflicts_with_all = ["interactive", "expect", "check", "diff", "stat", "numstat", "summary", "name_only"], hide_short_help = true)]
    each: bool,
    /// Let new files show in git diff, though their content isn't staged
    #[arg(short = 'N', long, conflicts_with_all = ["index", "cached", "commit"], hide_short_help = true)]
    intent_to_add: bool,
    /// Show the change and ask at the terminal how much of it to make
    #[arg(short, long)]
    interactive: bool,
    /// Make the change only if it is, to the byte, the one that check --json or a preview named so
    #[arg(
        long,
        value_name = "plan",
        help_heading = "Guarding",
        hide_short_help = true
    )]
    expect: Option<PlanId>,
    #[command(flatten)]
    preview: Preview,
    #[command(flatten)]
    committing: Commit,
    #[command(flatten)]
    reading: Reading,
    #[command(flatten)]
    verbosity: Verbosity,
    #[command(flatten)]
    json: Json,
    #[command(flatten)]
    feedback: FeedbackOptions,
}

/// What becomes of what can't be merged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Conflicts {
    /// It is refused, and with it the whole change
    Refuse,
    /// It is left in the files, with markers, and in the index
    Markers,
}

impl Apply {
    /// Runs the command, and prints how it went.
    ///
    /// # Errors
    /// If options don't go together.
    pub(super) fn run(&self) -> Result<Exit, clap::Error> {
        if let Some(exit) = conclude::schema(&self.json) {
            return Ok(exit);
        }
        self.check_options()?;
        let review = self.review()?;
        let verbosity = Verbosity {
            feedback: self.feedback.feedback,
            only_reads: !self.preview.applies(),
            ..self.json.verbosity(&self.verbosity)
        };
        let responses = ResponseOrigin::names(&self.responses.paths);
        let reading = Reading {
            marks: self.leaves_conflicts(),
            ..self.reading.clone()
        };
        Ok(flow::run(&reading, &verbosity, responses, |session| {
            self.apply(session, review.as_ref())
        }))
    }

    fn leaves_conflicts(&self) -> bool {
        self.conflicts == Conflicts::Markers
    }

    fn check_options(&self) -> Result<(), clap::Error> {
        self.responses.check("apply")?;
        let usage = |message: &str| Err(super::usage("apply", message));
        if let (false, Some(option)) = (self.commit, self.committing.any()) {
            return usage(&format!("the option '{option}' requires '--commit'"));
        }
        let beside = self.beside_conflicts();
        if self.leaves_conflicts() && !beside.is_empty() {
            return usage(&format!(
                "the option '--conflicts=markers' cannot be used with {}: it changes the work tree \
                 and the index together",
                text::sentence(&beside)
            ));
        }
        if let Some(name) = self.branch.as_ref().filter(|name| !is_branch_name(name)) {
            return usage(&format!(
                "git takes no branch of the name '{}'",
                Shown(name.as_bytes())
            ));
        }
        if self.committing.is_empty_message() {
            return usage(
                "the commit message is empty; without '-m' it is made from the response's notes",
            );
        }
        if let Some(message) = self.preview.lacks() {
            return usage(message);
        }
        let reads_stdin =
            ResponseOrigin::all(&self.responses.paths).contains(&ResponseOrigin::Stdin);
        if reads_stdin && self.committing.reads_stdin() {
            return usage("standard input can't be both the response and the message");
        }
        if self.interactive && !self.preview.applies() {
            return usage("the option '--interactive' beside a preview requires '--apply'");
        }
        Ok(())
    }

    /// Returns the options that say of another place, or of no change at all.
    fn beside_conflicts(&self) -> Vec<String> {
        let options = [
            ("--commit", self.commit),
            ("--cached", self.cached),
            ("--onto", self.onto.is_some()),
            ("--intent-to-add", self.intent_to_add),
            ("--interactive", self.interactive),
        ];
        let given = options.into_iter().filter(|(_, is_given)| *is_given);
        let given = given.map(|(name, _)| name).chain(self.preview.given());
        given.map(|name| format!("'{name}'")).collect()
    }

    /// Prepares to ask, if that is wanted.
    fn review(&self) -> Result<Option<Review>, clap::Error> {
        if !self.interactive {
            return Ok(None);
        }
        // What is expected is all of a change.
        let opened = Review::open(self.destination().0, self.expect.is_some());
        let error = "the option '--interactive' requires a terminal to ask at";
        opened.map(Some).map_err(|_| super::usage("apply", error))
    }

    /// Returns the verb of the question, the base that the change is worked out on, and the target.
    /// The target is `None` with --commit, which needs a message first, and with --onto, which
    /// writes to the object database alone.
    fn destination(&self) -> (&'static str, Base, Option<Target>) {
        if let Some(rev) = &self.onto {
            return ("Store", Base::Revision(rev.clone()), None);
        }
        match (
            self.commit,
            self.index || self.leaves_conflicts(),
            self.cached,
        ) {
            (true, ..) => (
                "Apply and commit",
                Base::Agreeing(Against::IndexAndHead),
                None,
            ),
            (_, true, _) => (
                "Apply and stage",
                Base::Agreeing(Against::Index),
                Some(Target::IndexAndWorkTree),
            ),
            (.., true) => ("Stage", Base::Index, Some(Target::Index)),
            _ => (
                "Apply",
                Base::WorkTree,
                Some(Target::WorkTree {
                    intent_to_add: self.intent_to_add,
                }),
            ),
        }
    }

    /// Refuses a change that isn't the expected one. It is told all the same, so that it can be
    /// looked at.
    fn compare(&self, session: &Session, worked: &Worked<'_>) -> Result<(), Failure> {
        // The name takes a look at every byte.
        let Some(expected) = self.expect else {
            return Ok(());
        };
        let found = worked.changes.id();
        if found == expected {
            return Ok(());
        }
        let files = FileReport::list(&worked.changes, |_| None);
        let mut failure = Failure::from(CliError::Unexpected { found, files });
        failure.warnings.clone_from(&worked.warnings);
        if session.verbosity.json {
            failure.detail = details::of_change(worked, None);
            failure.files = details::files(session, worked, None);
        }
        Err(failure)
    }

    /// Applies, or only works out, and returns the report and what to print on standard output.
    fn apply(
        &self,
        session: &Session,
        review: Option<&Review>,
    ) -> Result<(Report, Printed), Failure> {
        let onto = self
            .onto
            .as_ref()
            .map(|rev| Revision::find(&session.repo, rev))
            .transpose()?;
        if let Some(onto) = onto
            && self.each
        {
            return self.each(session, onto);
        }
        let message = self.committing.message()?;
        let sources = responses::read(&self.responses.paths)?;
        self.one_commit(&sources)?;
        let (_, base, _) = self.destination();
        // A name may stand for something else by the time that the change is made.
        let base = onto.map_or(base, |revision| Base::Revision(revision.to_string()));
        let applies = self.preview.applies();
        // What an earlier run left half done is no state to work anything out from.
        if applies && onto.is_none() {
            recover::first(session)?;
        }
        let plan = || self.plan(session, &sources, &base, message.as_ref(), review);
        let ready = match onto {
            Some(onto) => self.store(session, onto, plan()?)?,
            None if !applies => self.look_ahead(session, plan()?)?,
            // What was shown is made, and nothing else.
            None if review.is_some() => match plan()? {
                ready if ready.changes.is_empty() => ready,
                ready => publish::publish(session, ready)?,
            },
            None => publish::make(session, plan)?,
        };
        if self.preview.is_asked_for() && self.verbosity.verbose && !session.verbosity.json {
            // On standard error, since what is previewed is often read by a program.
            output::complain(&details::plan_line(&ready.changes));
        }
        let mut report = ready.report;
        if applies && ready.changes.is_empty() {
            report.status = Status::Applied;
            let no_commit = self.commit.then(|| Diagnostic::from(&CliError::NoCommit));
            report.warnings.extend(no_commit);
        }
        let printed = match ready.preview {
            Some(preview) => Printed::Diff(preview),
            // Nobody takes the tree for the commit that wasn't made.
            None if applies && onto.is_some() && self.commit && ready.changes.is_empty() => {
                Printed::default()
            }
            None if applies && onto.is_some() => human::stored(&report).into(),
            None if applies && !self.verbosity.quiet => human::done(&report).into(),
            None => Printed::default(),
        };
        Ok((report, printed))
    }

    /// Works out the change, and asks how much of it is wanted.
    fn plan(
        &self,
        session: &Session,
        sources: &[Source],
        base: &Base,
        message: Option<&BString>,
        review: Option<&Review>,
    ) -> Result<Ready, Failure> {
        let mut tree = base.tree(&session.repo)?;
        let stored = self.stored_base(session);
        let mut is_made = false;
        let mut worked = match (session.work_out(sources, base, &*tree), &stored) {
            (Err(failure), Some(stored)) => {
                tree = stored.tree(&session.repo).map_err(|_| failure.clone())?;
                let made = made(session, sources, stored, &*tree).ok_or(failure)?;
                is_made = true;
                made
            }
            (worked, _) => worked?,
        };
        let base = worked.base;
        self.compare(session, &worked)?;
        let mail = if self.commit {
            session.mail(&worked)?
        } else {
            None
        };
        let told = message.or(mail.as_ref().map(|mail| &mail.message)).cloned();
        let author = self.committing.author_of(mail.as_ref());
        worked.warnings.extend(author_warning(author.as_ref()));
        if let Some(review) = review {
            review.choose(session, Case::of(tree.ignores_case()), &mut worked)?;
        }
        let prints = self.preview.prints() && !session.verbosity.json;
        let preview = prints
            .then(|| self.preview.print(session, base, &worked.changes))
            .transpose()?;
        let mut report = self.described(session, &mut worked, told.as_ref())?;
        report.detail.author = author;
        let commits = self.commits_for_head(session, &worked)?;
        let request = || CommitRequest {
            ready: commits.ids.last().cloned(),
            ..self.committing.request_for(&worked, message.cloned(), mail)
        };
        let target = match self.destination().2 {
            Some(_) if is_made => Target::Index,
            Some(target) => target,
            None if is_made => Target::CommitOfMade(request()),
            None => Target::Commit(request()),
        };
        Ok(Ready {
            changes: worked.changes,
            target,
            commits,
            report,
            preview,
        })
    }

    /// Returns what a response was worked out on whose change is in the work tree already, to be
    /// staged or committed now.
    fn stored_base(&self, session: &Session) -> Option<Base> {
        match self.destination().1 {
            _ if self.each || self.leaves_conflicts() => None,
            Base::Agreeing(Against::Index) => Some(Base::Index),
            Base::Agreeing(Against::IndexAndHead) => {
                let head = history::head(&session.repo).ok()??;
                Some(Base::Revision(head.to_string()))
            }
            _ => None,
        }
    }

    /// For --check, tries whether the change could be made; makes nothing.
    fn look_ahead(&self, session: &Session, ready: Ready) -> Result<Ready, Failure> {
        // The exit status is to be as if it had been applied; a diff alone shows only what would
        // become of the files.
        if self.preview.check && !ready.changes.is_empty() {
            transaction::check(&session.repo, &ready.target).map_err(|error| {
                publish::not_made(&ready.report, State::NothingChanged, &error, None)
            })?;
        }
        Ok(ready)
    }

    /// Makes a change in the object database alone, or only looks whether that could be done.
    fn store(
        &self,
        session: &Session,
        revision: Revision,
        mut ready: Ready,
    ) -> Result<Ready, Failure> {
        let commit = match &ready.target {
            Target::Commit(request) if self.commit && !ready.changes.is_empty() => {
                Some(request.clone())
            }
            _ => None,
        };
        let onto = Onto {
            revision,
            commit,
            branch: self.branch.clone(),
        };
        let report = &mut ready.report;
        if !self.preview.applies() {
            let checked = if self.preview.check {
                onto.check(&session.repo)
            } else {
                Ok(())
            };
            checked
                .map_err(|error| publish::not_made(report, State::NothingChanged, &error, None))?;
            return Ok(ready);
        }
        let stored = store::store(&session.repo, &ready.changes, &onto)
            .map_err(|error| publish::not_made(report, State::NothingChanged, &error, None))?;
        report.tree = Some(stored.tree);
        if !ready.changes.is_empty() {
            report.status = Status::Applied;
            report.state = State::Changed;
            report.commit = stored.commit;
        }
        Ok(ready)
    }

    /// Reports a change that isn't made yet, to a program with all that it is told.
    fn described(
        &self,
        session: &Session,
        worked: &mut Worked<'_>,
        message: Option<&BString>,
    ) -> Result<Report, Failure> {
        let warnings = std::mem::take(&mut worked.warnings);
        if !session.verbosity.json {
            let is_silent = self.verbosity.quiet
                || self.onto.is_some()
                || self.preview.prints()
                || !self.preview.applies();
            let files = details::counted_files(session, worked.base, &worked.changes, is_silent);
            return Ok(Report::checked(files, warnings));
        }
        let diffs = self
            .preview
            .diff
            .then(|| preview::diffs(session, worked.base, &worked.changes))
            .transpose()?;
        let files = details::files(session, worked, diffs);
        let detail = details::of_change(worked, message);
        Ok(Report {
            detail,
            ..Report::checked(files, warnings)
        })
    }
}

/// Works out what the responses make of what git has stored, if that is in the work tree already.
fn made<'s>(
    session: &Session,
    sources: &'s [Source],
    stored: &'s Base,
    tree: &dyn Tree,
) -> Option<Worked<'s>> {
    let worked = session.work_out(sources, stored, tree).ok()?;
    let is_made = !worked.changes.is_empty()
        && transaction::unmade(&session.repo, &worked.changes)
            .ok()?
            .is_none();
    is_made.then_some(worked)
}

/// Returns the warning that a mail names the author of the commit.
pub(super) fn author_warning(author: Option<&BString>) -> Option<Diagnostic> {
    let author = author?.clone();
    Some(Diagnostic::from(&CliError::MailAuthor { author }))
}
