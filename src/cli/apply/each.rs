//! `apply --each`: responses that are one commit each, on one another.

use super::Apply;
use crate::cli::base::Base;
use crate::cli::error::{CliError, Failure};
use crate::cli::flow::{Printed, Session, Worked};
use crate::cli::responses;
use crate::message;
use crate::repo::Revision;
use crate::report::{CommitReport, Diagnostic, Report, State, Status};
use crate::text::Source;
use crate::transaction::{self, Onto};

impl Apply {
    /// Makes a commit of each response, and has the branch come to the last one. Until then nothing names any of them, so that one
    /// response that is refused refuses all.
    pub(super) fn each(&self, session: &Session, onto: Revision) -> Result<(Report, Printed), Failure> {
        let sources = responses::read(&self.responses.paths)?;
        let mut all = self.commits(session, &sources, onto)?;
        match (&all.commit, &self.branch) {
            (None, _) => all.warnings.push(Diagnostic::from(&CliError::NoCommit)),
            (Some(last), Some(branch)) => transaction::name(&session.repo, branch, onto, &last.full)?,
            (Some(_), None) => {}
        }
        let printed = Printed::Text(all.stored().into());
        Ok((all, printed))
    }

    /// Makes the commits that HEAD is to come to, if each response is to be one.
    pub(super) fn ready(&self, session: &Session, worked: &Worked<'_>) -> Result<Vec<String>, Failure> {
        if !self.each || worked.changes.is_empty() {
            return Ok(Vec::new());
        }
        Ok(self.commits(session, worked.sources, session.repo.revision("HEAD")?)?.commits)
    }

    /// Makes a commit of each response, which nothing names yet.
    pub(super) fn commits(&self, session: &Session, sources: &[Source], onto: Revision) -> Result<Report, Failure> {
        let given = self.committing.message()?;
        let commit = Some(self.committing.request("x".into(), None));
        let mut on = Onto { revision: onto, commit, branch: self.branch.clone() };
        on.foresee(&session.repo)?;
        on.branch = None;
        let mut all =
            Report { status: Status::Applied, state: State::Changed, ..Report::checked(Vec::new(), Vec::new()) };
        for source in sources {
            let base = Base::Revision(on.revision.to_string());
            let tree = base.tree(&session.repo)?;
            let worked = session.work_out(std::slice::from_ref(source), &base, &*tree)?;
            all.warnings.extend(worked.warnings.iter().cloned());
            if worked.changes.is_empty() {
                continue;
            }
            let mail = session.mail(&worked)?;
            let message = given.clone().or_else(|| mail.as_ref().map(|mail| mail.message.clone()));
            let message = message.unwrap_or_else(|| message::compose(&worked.patches, &worked.changes));
            on.commit = Some(self.committing.request(message, mail.and_then(|mail| mail.author)));
            let made = transaction::store(&session.repo, &worked.changes, &on)?;
            if let Some(commit) = made.commit {
                on.revision = session.repo.revision(&commit.id)?;
                all.commits.push(commit.id.clone());
                all.commit = Some(CommitReport::from(commit));
            }
            all.tree = Some(made.tree);
        }
        Ok(all)
    }
}
