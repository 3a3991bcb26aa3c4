//! One line of the input, and the answer to it.
//!
//! An id is repeated as it was written: a number of thirty digits stays one.

use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, Sender};

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;

use super::output::Output;
use super::{InputLine, Worked};
use crate::cli::apply::author_warning;
use crate::cli::base::{About, Base};
use crate::cli::commit::Commit;
use crate::cli::error::{CliError, Failure};
use crate::cli::flow::Session;
use crate::cli::options::{Reading, Verbosity};
use crate::cli::responses::{self, ResponseOrigin};
use crate::repo::{Repo, Revision, RevisionTree, history};
use crate::store::{Candidate, CandidateKind, Candidates};
use llmpatch::format::json_fault;
use llmpatch::report::{Committed, Report};
use llmpatch::text::{Shown, SourceId};
use llmpatch::tree::Tree;

/// What is asked.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Question {
    #[serde(rename = "id")]
    _id: Option<IgnoredAny>,
    response: Option<String>,
    file: Option<PathBuf>,
    base: Option<String>,
}

impl Question {
    fn read(line: &[u8]) -> Result<Self, CliError> {
        let first = line.trim_ascii_start().first();
        let is_json = || serde_json::from_slice::<IgnoredAny>(line).is_ok();
        let error = match first.filter(|first| **first != b'{' && is_json()) {
            Some(b'[') => "it is an array, not an object",
            Some(b'"') => "it is a string, not an object",
            Some(b't' | b'f' | b'n') => "it is a word, not an object",
            Some(_) => "it is a number, not an object",
            // What isn't JSON is told as that: what it would become is nobody's business.
            None => {
                return serde_json::from_slice::<IgnoredAny>(line)
                    .and_then(|_| serde_json::from_slice(line))
                    .map_err(|error| CliError::NoLine {
                        error: json_fault(&error),
                    });
            }
        };
        Err(CliError::NoLine {
            error: error.to_owned(),
        })
    }
}

/// The id of a line of the input that can't be read otherwise.
#[derive(Deserialize)]
struct Named<'l> {
    #[serde(borrow, default)]
    id: Option<&'l RawValue>,
}

/// Returns the id of a line of the input, if it has one.
pub(super) fn id(line: &[u8]) -> Option<&RawValue> {
    serde_json::from_slice(line).map_or(None, |named: Named<'_>| named.id)
}

/// What is written of a line, and what must be stored first.
pub(super) struct BatchAnswer {
    pub(super) text: String,
    pub(super) candidate: Option<Candidate>,
    /// How many bytes the line had.
    pub(super) asked: usize,
    /// What an earlier run says that it made of the line.
    pub(super) claim: Option<Claim>,
}

impl BatchAnswer {
    /// Returns how many bytes it has, with its objects.
    pub(super) fn weight(&self) -> usize {
        self.text.len() + self.candidate.as_ref().map_or(0, Candidate::weight)
    }

    /// Returns the name of what was made. What an earlier run says that it made must be that.
    ///
    /// # Errors
    /// If it isn't.
    pub(super) fn name(
        &self,
        repo: &Repo,
        onto: &Revision,
        output: &Output,
    ) -> Result<Option<String>, CliError> {
        let now = self.candidate.as_ref();
        let Some(Claim { at, tree, commit }) = &self.claim else {
            return Ok(now.map(|now| now.commit().unwrap_or_else(|| now.tree())));
        };
        let parent = onto.commit.map(|id| id.to_string());
        let is_made = now.is_some_and(|now| match commit {
            Some(id) => {
                now.commit().is_some()
                    && history::is_commit_of(repo, id, parent.as_deref(), &now.tree())
            }
            None => now.commit().is_none() && *tree == now.tree(),
        });
        let name = commit.as_ref().unwrap_or(tree);
        if is_made {
            Ok(Some(name.clone()))
        } else {
            Err(CliError::OtherRun(format!(
                "line {at} of {} names `{}`, which isn't what its response makes",
                output.name(),
                Shown(name.as_bytes())
            )))
        }
    }
}

/// The names of objects that a line of an output, which was there before, says were made.
pub(super) struct Claim {
    /// The number of the line, from 1.
    pub(super) at: usize,
    pub(super) tree: String,
    pub(super) commit: Option<String>,
}

/// What a thread needs to know.
pub(super) struct Job {
    pub(super) reading: Reading,
    pub(super) onto: String,
    pub(super) kind: CandidateKind,
}

impl Job {
    /// Works out lines until there are no more, or nobody wants an answer.
    pub(super) fn work(&self, waiting: &Mutex<Receiver<InputLine>>, done: &Sender<Worked>) {
        if let Err(failure) = self.try_work(waiting, done) {
            let _ = done.send(Err(failure));
        }
    }

    fn try_work(
        &self,
        waiting: &Mutex<Receiver<InputLine>>,
        done: &Sender<Worked>,
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
        let tree = RevisionTree::new(&repo, &self.onto)?;
        let revision = Revision::find(&repo, &self.onto)?;
        let mut candidates = Candidates::new(&repo, &revision, self.kind.clone());
        let about = session.about.clone();
        let next = || waiting.lock().ok()?.recv().ok();
        while let Some(InputLine {
            number,
            line,
            claim,
        }) = next()
        {
            let made = Question::read(&line)
                .map_err(Failure::from)
                .and_then(|line| {
                    session.about = line
                        .base
                        .clone()
                        .map_or_else(|| about.clone(), About::Asked);
                    self.make(&session, &tree, &mut candidates, &line)
                });
            let (report, candidate) = match made {
                Ok((report, candidate)) => (report, Some(candidate)),
                Err(failure) => (failure.into_report(), None),
            };
            let mut text = report.json_answer(id(&line), &self.onto);
            text.push('\n');
            let answer = BatchAnswer {
                text,
                candidate,
                asked: line.len(),
                claim,
            };
            if done.send(Ok((number, answer))).is_err() {
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
        let mail = if matches!(self.kind, CandidateKind::Commits { .. }) {
            session.mail(&worked)?
        } else {
            None
        };
        let author = Commit::default().author_of(mail.as_ref());
        let made = candidates.make(&worked.changes, || {
            Commit::default().request_for(&worked, None, mail)
        });
        let mut report = Report::checked(Vec::new(), worked.warnings);
        report.warnings.extend(author_warning(author.as_ref()));
        let candidate = made.map_err(Failure::from)?;
        report.tree = Some(candidate.tree());
        report.commit = candidate.commit().map(|id| Committed {
            short_id: id.clone(),
            id,
            ..Committed::default()
        });
        Ok((report, candidate))
    }
}
