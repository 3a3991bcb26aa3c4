//! One line of the input, and the answer to it.

use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, Sender};

use serde::Deserialize;
use serde_json::Value;

use super::{Answers, Task};
use crate::cli::base::{About, Base};
use crate::cli::commit::Commit;
use crate::cli::error::{CliError, Failure};
use crate::cli::flow::Session;
use crate::cli::options::{Reading, Verbosity};
use crate::cli::responses::{self, ResponseOrigin};
use crate::repo::Repo;
use crate::transaction::{Candidate, Candidates, Committed};
use llmpatch::report::Report;
use llmpatch::text::SourceId;
use llmpatch::tree::Tree;

/// What is asked.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Question {
    id: Value,
    response: Option<String>,
    file: Option<PathBuf>,
    base: Option<String>,
}

/// What a line of the input or of the output is about, whatever else is in it.
#[derive(Deserialize)]
pub(super) struct Named {
    pub(super) id: Value,
    pub(super) onto: Option<String>,
}

/// What is written of a line, and what must be stored first.
pub(super) struct Answer {
    pub(super) text: String,
    pub(super) candidate: Option<Candidate>,
}

/// What a thread needs to know.
pub(super) struct Job {
    pub(super) reading: Reading,
    pub(super) onto: String,
    pub(super) commits: bool,
}

impl Job {
    /// Works out lines until there are no more, or nobody wants an answer.
    pub(super) fn work(&self, waiting: &Mutex<Receiver<Task>>, done: &Sender<Answers>) {
        if let Err(failure) = self.try_work(waiting, done) {
            let _ = done.send(Err(failure));
        }
    }

    fn try_work(
        &self,
        waiting: &Mutex<Receiver<Task>>,
        done: &Sender<Answers>,
    ) -> Result<(), Failure> {
        // Programs and models are told, and nobody at a terminal.
        let verbosity = Verbosity {
            json: true,
            feedback: true,
            quiet: true,
            ..Verbosity::default()
        };
        let mut session =
            Session::open(&self.reading, &verbosity).map_err(|(failure, _)| failure)?;
        let repo = Repo::open()?;
        let tree = repo.revision_tree(&self.onto)?;
        let revision = repo.revision(&self.onto)?;
        let mut candidates = Candidates::new(&repo, &revision, self.commits)?;
        let about = session.about.clone();
        let next = || waiting.lock().ok()?.recv().ok();
        while let Some((number, line)) = next() {
            let asked: Result<Question, _> = serde_json::from_slice(&line);
            let id = asked
                .as_ref()
                .map_or_else(|_| Named::of(&line), |line| line.id.clone());
            let made = asked
                .map_err(|error| {
                    CliError::NoLine {
                        error: error.to_string(),
                    }
                    .into()
                })
                .and_then(|line| {
                    session.about = line
                        .base
                        .clone()
                        .map_or_else(|| about.clone(), About::Asked);
                    self.make(&session, &tree, &mut candidates, &line)
                });
            let (report, candidate) = match made {
                Ok((report, candidate)) => (report, Some(candidate)),
                Err(report) => (report.into_report(), None),
            };
            let mut text = report.json_answer(&id, &self.onto);
            text.push('\n');
            if done.send(Ok((number, Answer { text, candidate }))).is_err() {
                break;
            }
        }
        Ok(())
    }

    /// Works out one response.
    fn make(
        &self,
        session: &Session,
        tree: &dyn Tree,
        candidates: &mut Candidates<'_>,
        line: &Question,
    ) -> Result<(Report, Candidate), Failure> {
        let source = match (&line.response, &line.file) {
            (Some(text), None) => responses::source(
                SourceId(0),
                "response".to_owned(),
                Some(text.as_bytes().to_vec()),
            )?,
            (None, Some(path)) => ResponseOrigin::File(path.clone()).source(0)?,
            _ => return Err(CliError::NoResponse.into()),
        };
        let sources = [source];
        let base = Base::Revision(self.onto.clone());
        let worked = session.work_out(&sources, &base, tree)?;
        let mail = if self.commits {
            session.mail(&worked)?
        } else {
            None
        };
        let made = candidates.make(&worked.changes, || {
            Commit::default().request_for(&worked, None, mail)
        });
        let mut report = Report::checked(Vec::new(), worked.warnings);
        let candidate = made.map_err(Failure::from)?;
        report.tree = Some(candidate.tree.clone());
        report.commit = candidate.commit.clone().map(|id| Committed {
            short_id: id.clone(),
            id,
            ..Committed::default()
        });
        Ok((report, candidate))
    }
}

impl Named {
    /// Returns what a line is about that can't be read as one.
    pub(super) fn of(line: &[u8]) -> Value {
        serde_json::from_slice(line).map_or(Value::Null, |named: Named| named.id)
    }
}
