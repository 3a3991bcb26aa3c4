//! `--each`: a commit of each response, and of each mail of a series.

use super::{Apply, author_warning};
use crate::cli::base::Base;
use crate::cli::error::{CliError, Failure};
use crate::cli::flow::{Printed, Session, Worked};
use crate::cli::responses;
use crate::repo::{CommitError, Revision, history};
use crate::report::human;
use crate::store::{self, Onto, UnnamedCommits};
use llmpatch::report::{Diagnostic, Report, State, Status};
use llmpatch::text::Source;

impl Apply {
    /// Checks that no response is to be one commit which is a series of several.
    pub(super) fn one_commit(&self, sources: &[Source]) -> Result<(), CliError> {
        if !self.commit || self.each {
            return Ok(());
        }
        let mut sources = sources.iter();
        match sources.find(|source| !responses::series(source).is_empty()) {
            Some(source) => Err(CliError::Series {
                name: source.name().to_owned(),
            }),
            None => Ok(()),
        }
    }

    /// Makes a commit of each response, and moves the branch to the last commit. Until then nothing
    /// names any of them, so that a response that is refused refuses all.
    pub(super) fn each(
        &self,
        session: &Session,
        onto: Revision,
    ) -> Result<(Report, Printed), Failure> {
        let sources = responses::read(&self.responses.paths)?;
        let mut commits = UnnamedCommits::default();
        let mut all = self.commits(session, &sources, onto, &mut commits)?;
        match &all.commit {
            None => all.warnings.push(Diagnostic::from(&CliError::NoCommit)),
            Some(last) => store::name(&session.repo, self.branch.as_deref(), onto, &last.id)?,
        }
        drop(commits);
        let printed = human::stored(&all).into();
        Ok((all, printed))
    }

    /// With --each, makes one commit of each response, for HEAD to be moved to the last.
    pub(super) fn commits_for_head(
        &self,
        session: &Session,
        worked: &Worked<'_>,
    ) -> Result<UnnamedCommits, Failure> {
        let mut commits = UnnamedCommits::default();
        if !self.each || worked.changes.is_empty() {
            return Ok(commits);
        }
        if history::head(&session.repo)?.is_none() {
            return Err(CommitError::Unborn.into());
        }
        let head = Revision::find(&session.repo, "HEAD")?;
        self.commits(session, worked.sources, head, &mut commits)?;
        Ok(commits)
    }

    /// Makes a commit of each response, which nothing names yet.
    fn commits(
        &self,
        session: &Session,
        sources: &[Source],
        onto: Revision,
        commits: &mut UnnamedCommits,
    ) -> Result<Report, Failure> {
        let given = self.committing.message()?;
        let commit = Some(self.committing.request("x".into(), None));
        let mut on = Onto {
            revision: onto,
            commit,
            branch: self.branch.clone(),
        };
        on.check(&session.repo)?;
        on.branch = None;
        let mut all = Report {
            status: Status::Applied,
            state: State::Changed,
            ..Report::default()
        };
        let series: Vec<_> = sources.iter().map(responses::series).collect();
        let parts = sources
            .iter()
            .zip(&series)
            .flat_map(|(source, mails)| match &mails[..] {
                [] => std::slice::from_ref(source),
                mails => mails,
            });
        for source in parts {
            let base = Base::Revision(on.revision.to_string());
            let tree = base.tree(&session.repo)?;
            let worked = session.work_out(std::slice::from_ref(source), &base, &*tree)?;
            all.warnings.extend(worked.warnings.iter().cloned());
            if worked.changes.is_empty() {
                continue;
            }
            let mail = session.mail(&worked)?;
            let author = self.committing.author_of(mail.as_ref());
            all.warnings.extend(author_warning(author.as_ref()));
            on.commit = Some(self.committing.request_for(&worked, given.clone(), mail));
            let made = commits.add(&session.repo, &worked.changes, &on)?;
            if let Some(commit) = made.commit {
                on.revision = Revision::find(&session.repo, &commit.id)?;
                all.commit = Some(commit);
            }
            all.tree = Some(made.tree);
        }
        all.commits.clone_from(&commits.ids);
        Ok(all)
    }
}
