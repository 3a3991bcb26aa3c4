//! What happened, as a value that people, programs and exit status read alike, and what people and
//! programs see of it.
//!
//! It knows what the other rooms' values look like and asks them for nothing more. Whatever comes
//! from a response or a file is escaped here once more before it is drawn, so that no message can
//! reach a terminal raw.

mod call;
mod committed;
mod detail;
mod diagnostic;
pub mod feedback;
mod fine;
pub mod json;
mod lines;

pub use committed::{Committed, Extent};
pub use detail::{CallReport, Detail, EditOperation, EditReport, HunkReport, PartReport};
pub use diagnostic::{Diagnose, Diagnostic, merge};
pub use lines::{Nearest, Passage, Place};

use bstr::BString;
use serde::Serialize;

use crate::compare::{Compare, DiffSide};
use crate::kind::Blame;
use crate::path::RepoPath;
pub use crate::plan::FileOperation;
use crate::plan::{Change, ChangeSet};
use crate::tree::File;

/// What became of a response, or of several that are one change.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Report {
    /// What was done.
    pub status: Status,
    /// What it leaves behind.
    #[serde(flatten, serialize_with = "json::state")]
    pub state: State,
    /// The signal that ended it, once everything was put back.
    pub signal: Option<i32>,
    /// What only programs are told; nothing where none listens.
    #[serde(flatten)]
    pub detail: Detail,
    /// The files that changed, or would; by path. None where it failed before they were known.
    pub files: Vec<FileReport>,
    /// What was noticed, each once.
    pub warnings: Vec<Diagnostic>,
    /// Why it failed, each once; none if it didn't.
    pub errors: Vec<Diagnostic>,
    /// The failure as a message to the author of the response, where that was asked for and there
    /// is something to mend.
    pub feedback: Option<String>,
    /// The commit that was made.
    #[serde(serialize_with = "json::commit")]
    pub commit: Option<Committed>,
    /// The paths that are left in conflict.
    #[serde(serialize_with = "json::paths")]
    pub conflicts: Vec<RepoPath>,
    /// The names of all commits that were made, where several were asked for, in order.
    pub commits: Vec<String>,
    /// The id of the tree that was written: the commit's tree, or a tree that no commit was made
    /// of. `None` if it can't be read.
    pub tree: Option<String>,
    /// The changes that undo could take back, the newest first, where they were asked for, or the one
    /// that was forgotten.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub earlier: Option<Vec<EarlierReport>>,
}

/// A change that undo could take back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct EarlierReport {
    /// When it was made, in seconds since 1970.
    pub time: i64,
    /// The commit that was made of it; then it is for git to take back.
    pub commit: Option<String>,
    /// Whether that isn't in the history of HEAD any more.
    #[serde(rename = "gone")]
    pub is_gone: bool,
    /// The files that it changed, by path.
    pub files: Vec<EarlierFile>,
    /// The paths that changed since, so that it can't be taken back.
    #[serde(serialize_with = "json::paths")]
    pub since: Vec<RepoPath>,
}

/// A file that an earlier change changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct EarlierFile {
    /// The path.
    #[serde(flatten, serialize_with = "json::path")]
    pub path: RepoPath,
    /// What was done to it.
    pub operation: FileOperation,
}

/// What a run did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// It made the change.
    Applied,
    /// It took a change back.
    Undone,
    /// It computed the change, and that was all that was asked for.
    #[default]
    Checked,
    /// It listed what can be taken back.
    Listed,
    /// It forgot a change that could have been taken back.
    Forgotten,
    /// It finished or took back what was interrupted; perhaps there was nothing.
    Recovered,
    /// It did not do what was asked for.
    Failed,
}

/// What a run leaves behind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum State {
    /// Everything is as it was, and always was.
    #[default]
    NothingChanged,
    /// The whole change is made.
    Changed,
    /// Something had been changed, and was put back.
    PutBack,
    /// These paths could not be put back.
    Attention(Vec<RepoPath>),
}

/// What becomes of one file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FileReport {
    /// The path; for a rename, the new path.
    #[serde(flatten, serialize_with = "json::path")]
    pub path: RepoPath,
    /// What is done to it.
    pub operation: FileOperation,
    /// The old path of a rename.
    #[serde(flatten, serialize_with = "json::from")]
    pub from: Option<RepoPath>,
    /// Where the hunks that made it what it is are; only programs are told.
    pub hunks: Vec<HunkReport>,
    /// How many lines come; `None` for a binary file, or where it wasn't counted.
    pub added: Option<usize>,
    /// How many lines go.
    pub removed: Option<usize>,
    /// The name of the blob that git stored before, where that can be known; only programs are
    /// told.
    pub old_oid: Option<String>,
    /// The name of the blob that git would store.
    pub new_oid: Option<String>,
    /// The mode before, as git has it.
    pub old_mode: Option<String>,
    /// The mode afterwards.
    pub new_mode: Option<String>,
    /// The diff, if it was asked for.
    #[serde(
        flatten,
        serialize_with = "json::diff",
        skip_serializing_if = "Option::is_none"
    )]
    pub diff: Option<BString>,
}

/// How many lines come and go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LineCount {
    /// New lines.
    pub added: usize,
    /// Lines that are gone.
    pub removed: usize,
}

impl Report {
    /// Makes the report of a failure.
    pub fn failed_with(state: State, errors: Vec<Diagnostic>, warnings: Vec<Diagnostic>) -> Self {
        Self {
            status: Status::Failed,
            state,
            errors,
            warnings,
            ..Self::default()
        }
    }

    /// Makes the report of a change that was worked out and not made.
    pub fn checked(files: Vec<FileReport>, warnings: Vec<Diagnostic>) -> Self {
        Self {
            files,
            warnings,
            ..Self::default()
        }
    }

    /// Says which responses it is about.
    #[must_use]
    pub fn about(mut self, responses: Vec<String>) -> Self {
        self.detail.responses = responses;
        self
    }

    /// Returns whom the failure is laid at: the system if any error is its, else the command line;
    /// `None` if there is no error.
    pub fn blame(&self) -> Option<Blame> {
        let is_laid_at =
            |blame: &Blame| self.errors.iter().any(|error| error.kind.blame() == *blame);
        let others = [Blame::System, Blame::Usage].into_iter().find(is_laid_at);
        others.or((!self.errors.is_empty()).then_some(Blame::Response))
    }
}

impl State {
    /// Returns the state where these paths could not be put back, or else another.
    pub fn left(paths: Vec<RepoPath>, otherwise: State) -> Self {
        if paths.is_empty() {
            otherwise
        } else {
            State::Attention(paths)
        }
    }
}

impl FileReport {
    /// Lists the files of a change by path, with how many lines come and go at each path; a rename
    /// is one line, at its new path, with what goes at the old path.
    pub fn list(
        changes: &ChangeSet,
        mut lines: impl FnMut(&RepoPath) -> Option<LineCount>,
    ) -> Vec<FileReport> {
        let counted = changes.files().map(|change| {
            let paths = std::iter::once(&change.path).chain(&change.from);
            Self::of(change, paths.filter_map(&mut lines).reduce(sum))
        });
        counted.collect()
    }

    fn of(change: &Change, lines: Option<LineCount>) -> Self {
        Self {
            path: change.path.clone(),
            operation: change.operation(),
            from: change.from.clone(),
            hunks: Vec::new(),
            added: lines.map(|lines| lines.added),
            removed: lines.map(|lines| lines.removed),
            old_oid: None,
            new_oid: None,
            old_mode: None,
            new_mode: None,
            diff: None,
        }
    }

    /// Fills in the modes before and afterwards, and the ids of the blobs where somebody knows what
    /// git would store.
    pub fn tell_states(&mut self, changes: &ChangeSet, compare: Option<&dyn Compare>) {
        let origin = self.from.as_ref().unwrap_or(&self.path);
        let before = changes.get(origin).and_then(|one| one.before.as_ref());
        let after = changes.get(&self.path).and_then(|one| one.after.as_ref());
        self.old_oid = stored_id(compare, origin, before, DiffSide::Before);
        let side = DiffSide::After(self.from.as_ref());
        self.new_oid = stored_id(compare, &self.path, after, side);
        let mode = |file: &File| format!("{:06o}", file.mode.git());
        self.old_mode = before.map(mode);
        self.new_mode = after.map(mode);
    }
}

/// Returns the id of the blob that git would store.
fn stored_id(
    compare: Option<&dyn Compare>,
    path: &RepoPath,
    file: Option<&File>,
    side: DiffSide<'_>,
) -> Option<String> {
    let compare = compare?;
    let stored = compare.stored(path, &file?.content, side).ok()?;
    compare.id(Some(&stored)).ok()
}

fn sum(a: LineCount, b: LineCount) -> LineCount {
    LineCount {
        added: a.added + b.added,
        removed: a.removed + b.removed,
    }
}

impl std::fmt::Display for State {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            State::NothingChanged => f.write_str("nothing was changed"),
            State::Changed => f.write_str("everything was changed as asked"),
            State::PutBack => f.write_str("everything was put back"),
            State::Attention(paths) => {
                f.write_str("these paths need attention:")?;
                paths.iter().try_for_each(|path| write!(f, "\n  {path}"))
            }
        }
    }
}

impl std::fmt::Display for FileReport {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.from {
            Some(from) => write!(f, "{} {from} -> {}", self.operation.letter(), self.path),
            None => write!(f, "{} {}", self.operation.letter(), self.path),
        }
    }
}
