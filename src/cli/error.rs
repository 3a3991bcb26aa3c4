//! What only the command line finds wrong, and its failures where it meets files and streams.

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::ops::{Deref, DerefMut};

use bstr::BString;

use crate::transaction::{Interrupted, RunKind, Whose};
use llmpatch::kind::Kind;
use llmpatch::leftover::Leftover;
use llmpatch::patch::Format;
use llmpatch::path::PathError;
use llmpatch::pathspec::PathspecError;
use llmpatch::plan::PlanId;
use llmpatch::report::{Diagnose, Diagnostic, FileReport, Report, State};
use llmpatch::text::{self, Shown, SystemError};

/// A failure; boxed, since a report is long and failures are rare.
#[derive(Clone, Debug)]
pub(super) struct Failure(Box<Report>);

impl Deref for Failure {
    type Target = Report;

    fn deref(&self) -> &Report {
        &self.0
    }
}

impl DerefMut for Failure {
    fn deref_mut(&mut self) -> &mut Report {
        &mut self.0
    }
}

impl Failure {
    /// Makes a failure of its report.
    pub(super) fn new(report: Report) -> Self {
        Self(Box::new(report))
    }

    /// Returns the report.
    pub(super) fn into_report(self) -> Report {
        *self.0
    }
}

/// Makes a report of a single error that is about no place in a response, before anything was
/// changed.
impl<E: Diagnose> From<E> for Failure {
    fn from(error: E) -> Self {
        failed(vec![Diagnostic::from(&error)])
    }
}

/// Makes a report of errors before anything was changed.
pub(super) fn failed(errors: Vec<Diagnostic>) -> Failure {
    Failure::new(Report::failed_with(
        State::NothingChanged,
        errors,
        Vec::new(),
    ))
}

/// Why a command does nothing, or less than was asked for.
#[derive(Debug, thiserror::Error, strum::EnumProperty)]
pub(super) enum CliError {
    /// The change isn't what `--expect` names.
    #[error(
        "the change isn't the one that was expected: the response, the options or the files have changed since"
    )]
    #[strum(props(
        kind = "stale",
        help = "look at the change again, with `git llmpatch check --json` or a preview, then expect the plan that it names"
    ))]
    Unexpected {
        found: PlanId,
        files: Vec<FileReport>,
    },
    /// A response that changes nothing, and was to be committed.
    #[error("nothing changes, so no commit is made")]
    #[strum(props(kind = "no-change"))]
    NoCommit,
    #[error("nothing of the change was chosen")]
    #[strum(props(kind = "declined"))]
    Declined,
    #[error("there is nothing to undo")]
    #[strum(props(kind = "nothing-to-undo"))]
    NothingToUndo,
    #[error("the last apply made the {what}, {why}")]
    #[strum(props(kind = "stale"))]
    UndoOfCommits {
        what: String,
        why: Committed,
        id: String,
        /// Where HEAD was before several.
        before: Option<String>,
        /// Whether HEAD is there, and can be reset.
        is_head: bool,
    },
    #[error("the last apply made the commit {id}, which isn't in the history of HEAD any more")]
    #[strum(props(
        kind = "stale",
        help = "`git llmpatch undo --drop` forgets it; then the apply before it is the last"
    ))]
    UndoOfGone { id: String },
    /// What an interrupted run may have left half changed was to be read.
    #[error("an {} was interrupted, and files that are read here may be half changed", .0.origin)]
    #[strum(props(kind = "locked"))]
    HalfDone(Interrupted),
    #[error("an {origin} was interrupted, and other files may be half changed")]
    #[strum(props(kind = "interrupted"))]
    HalfDoneElsewhere { origin: RunKind },
    #[error("commit {0} is a merge, which a response can't express")]
    #[strum(props(
        kind = "inexpressible",
        help = "`git llmpatch show --first-parent` writes its changes from its first parent"
    ))]
    Merge(String),
    #[error("commit {0} changes no file, and is left out")]
    #[strum(props(kind = "no-change"))]
    EmptyCommit(String),
    #[error("`{}` changes no file, so there is nothing to write", Shown(.0.as_bytes()))]
    #[strum(props(kind = "inexpressible"))]
    NoFiles(String),
    /// A range, where one commit is wanted.
    #[error("`{}` doesn't name one commit", Shown(.0.as_bytes()))]
    #[strum(props(
        kind = "usage",
        help = "name one commit; `git log --no-merges --oneline` lists some"
    ))]
    Several(String),
    #[error("`{}` isn't in the index", Shown(path))]
    #[strum(props(
        kind = "usage",
        help = "stage it, or check the file as it is, without --staged"
    ))]
    NotStaged { path: BString },
    #[error("`{}` is unmerged, so there isn't one response to check", Shown(path))]
    #[strum(props(kind = "stale", help = "finish its merge and stage it"))]
    UnmergedResponse { path: BString },
    #[error("`{}` is a symbolic link, not a response", Shown(path))]
    #[strum(props(
        kind = "unsafe-path",
        help = "stage the response itself, or set the attribute `-llmpatch` for this path"
    ))]
    StagedLink { path: BString },
    #[error("`{}` is a submodule, not a response", Shown(path))]
    #[strum(props(
        kind = "unsafe-path",
        help = "stage the response itself, or set the attribute `-llmpatch` for this path"
    ))]
    StagedSubmodule { path: BString },
    /// Markers that aren't told one by one.
    #[error("from here on, {count} more lines like these")]
    MoreMarkers { first: Leftover, count: usize },
    /// A guard that can't be understood guards nothing, so nothing goes on.
    #[error(
        "`{key}` is set to `{}`, which isn't a pathspec: {error}",
        Shown(value)
    )]
    #[strum(props(kind = "usage"))]
    NoPathspec {
        key: &'static str,
        value: BString,
        error: PathspecError,
    },
    /// An author that the response names.
    #[error("the commit's author is `{}`, as the mail says", Shown(author))]
    #[strum(props(kind = "mail-author", help = "`--author` names another, or yourself"))]
    MailAuthor { author: BString },
    /// Mails that are commits of their own.
    #[error("`{}` is a series of mails, each a commit of its own", Shown(name.as_bytes()))]
    #[strum(props(
        kind = "usage",
        help = "add --each to make a commit of each mail, or leave out --commit"
    ))]
    Series { name: String },
    /// Edits that `--include` or `--exclude` leaves out.
    #[error("the edits of {paths} are left out, as --include and --exclude say")]
    #[strum(props(kind = "left-out"))]
    LeftOut { paths: String },
    /// They leave out all edits.
    #[error("--include and --exclude leave nothing of the response")]
    #[strum(props(
        kind = "unchanged",
        help = "name files that it changes; a renamed file by both its paths"
    ))]
    NothingLeft,
    /// An option that isn't for patches of the response's format.
    #[error("`{option}` has no effect: it isn't for the format {format}")]
    UnusedOption {
        option: &'static str,
        format: Format,
        formats: &'static [Format],
    },
    /// The output of a `batch` that is still running.
    #[error("another `git llmpatch batch` writes to {name}")]
    #[strum(props(
        kind = "locked",
        help = "wait until it is done, or write to another file"
    ))]
    InUse { name: String },
    /// An output of `batch` that would be written over.
    #[error("{name} is there already")]
    #[strum(props(
        kind = "usage",
        help = "name another file; --resume goes on with what an earlier run wrote"
    ))]
    OutputExists { name: String },
    /// An output of `batch` that comes from another commit or tree.
    #[error("line {line} of {name} was made from another revision than {onto}")]
    #[strum(props(
        kind = "usage",
        help = "name the same revision with --onto, or another file"
    ))]
    OtherOnto {
        line: usize,
        name: String,
        onto: String,
    },
    /// An output of `batch` that the same command didn't write, and what shows that.
    #[error("{0}")]
    #[strum(props(
        kind = "usage",
        help = "resume with the input and the options of the run that wrote it, or name another file"
    ))]
    OtherRun(String),
    /// A line of the input of `batch` that isn't one.
    #[error("the line isn't what `batch` reads: {error}")]
    #[strum(props(
        kind = "parse",
        help = "write it like this: {\"id\": 1, \"response\": \"…\"}, or {\"id\": 1, \"file\": \"response.txt\", \"base\": \"HEAD~1\"}"
    ))]
    NoLine { error: String },
    #[error("the line must have either a `response` or a `file`")]
    #[strum(props(
        kind = "parse",
        help = "write it like this: {\"id\": 1, \"response\": \"…\"}, or {\"id\": 1, \"file\": \"response.txt\", \"base\": \"HEAD~1\"}"
    ))]
    NoResponse,
    #[error(
        "the responses are based on {} and on {}, but a change has only one base",
        Shown(first),
        Shown(second)
    )]
    #[strum(props(
        kind = "parse",
        help = "apply one after the other, or name one base for all with --base=<rev>"
    ))]
    TwoBases { first: BString, second: BString },
    /// What a response says that it is about.
    #[error("the response is based on `{}`, which names no commit or tree here", Shown(rev.as_bytes()))]
    #[strum(props(
        kind = "stale",
        help = "fetch it, name another with --base=<rev>, or use the files as they are now with --no-base"
    ))]
    UnknownBase { rev: String },
    /// Review comments that were written for several commits, with their ids.
    #[error("the comments are about several commits, but a change has only one base")]
    #[strum(props(
        kind = "parse",
        help = "make those of one commit at a time, each by --only=<id>, or name one base for all with --base=<rev>"
    ))]
    SeveralCommits {
        commits: BTreeMap<String, Vec<String>>,
    },
    #[error("no review comment says for which commit it was written, as --base=auto needs it")]
    #[strum(props(
        kind = "usage",
        help = "name the commit or tree with --base=<rev>; a base that a response itself names needs no option"
    ))]
    NoCommentedCommit,
    #[error(
        "nothing says which commit or tree the response is based on, so there is nothing to merge"
    )]
    #[strum(props(
        kind = "usage",
        help = "name the commit or tree with --base=<rev>, or leave --3way out"
    ))]
    NoBase,
    #[error("{origin} can't be used: {error}")]
    Root {
        origin: &'static str,
        error: PathError,
    },
    #[error("--directory can't be used: {0}")]
    Directory(PathError),
}

/// Why commits aren't taken back.
#[derive(Debug, strum::Display)]
pub(super) enum Committed {
    /// There are others on top.
    #[strum(to_string = "and there are other commits on top of it")]
    Below,
    /// A remote-tracking branch has it.
    #[strum(to_string = "which {0} has already, so others may have it")]
    OnRemote(String),
    /// HEAD has nothing to go back to.
    #[strum(to_string = "which is the first commit")]
    First,
    /// A hook added to it, or the run that made it was interrupted.
    #[strum(to_string = "and what taking it back needs wasn't kept")]
    Unkept,
}

impl Diagnose for CliError {
    fn diagnostic(&self) -> Diagnostic {
        let of = Diagnostic::fixed(Kind::Io, self);
        match self {
            CliError::Unexpected { found, files } => {
                of.note(format!("the plan would now be {found}:\n{}", listed(files)))
            }
            CliError::SeveralCommits { commits } => of.notes(commits.iter().map(of_commit)),
            CliError::NothingToUndo => {
                of.note("the last ten applies in this work tree can be taken back, each once")
            }
            CliError::UndoOfCommits {
                why,
                id,
                before,
                is_head,
                ..
            } => {
                let (revert, reset) = match before {
                    None => (
                        format!("`git revert {id}` makes a commit that takes it back"),
                        "HEAD^",
                    ),
                    Some(before) => (
                        format!("`git revert {before}..{id}` makes commits that take them back"),
                        &before[..],
                    ),
                };
                of.help(match (why, is_head) {
                    (Committed::Unkept, true) => format!(
                        "{revert}; `git reset --keep {reset}` goes back, if nobody has it yet; what is staged beside it is unstaged then"
                    ),
                    _ => revert,
                })
            }
            CliError::HalfDone(Interrupted { whose, .. }) => of.help(match whose {
                Whose::Own => RECOVER.into(),
                Whose::Another(owner) => owner.help(),
            }),
            CliError::HalfDoneElsewhere { .. } => of.help(RECOVER),
            CliError::NotStaged { path } => of.path(path),
            CliError::UnmergedResponse { path } => of.path(path),
            CliError::StagedLink { path } | CliError::StagedSubmodule { path } => of.path(path),
            CliError::MoreMarkers { first, .. } => first.diagnostic(),
            CliError::NoPathspec { key, .. } => of.help(format!(
                "correct it; `git config --show-origin --get-all {key}` says where it is set"
            )),
            CliError::UnusedOption { formats, .. } => {
                let formats: Vec<_> = formats.iter().map(ToString::to_string).collect();
                let formats = text::sentence(&formats);
                Diagnostic::new(Kind::UnusedOption)
                    .help(format!("leave it out; it is for {formats}"))
            }
            CliError::Root { error, .. } => of_user(error),
            CliError::Directory(error) => of_user(error)
                .help("name a directory of this work tree, from its top, or leave the option out"),
            _ => of,
        }
    }
}

/// Explains a path that the user gave, and no response.
fn of_user(error: &PathError) -> Diagnostic {
    let Diagnostic { notes, help, .. } = error.diagnostic();
    Diagnostic {
        notes,
        help,
        ..Diagnostic::new(Kind::Usage)
    }
}

const RECOVER: &str = "run `git llmpatch recover`; the next apply does so, too";

/// Says which comments were written for a commit.
fn of_commit((commit, ids): (&String, &Vec<String>)) -> String {
    let s = if ids.len() == 1 { "" } else { "s" };
    let ids = text::listed(ids.iter().map(|id| Shown(id.as_bytes())), ids.len());
    format!("{}: comment{s} {ids}", Shown(commit.as_bytes()))
}

/// Lists the first of many files.
fn listed(files: &[FileReport]) -> String {
    const SHOWN: usize = 10;
    let mut lines: Vec<_> = files
        .iter()
        .take(SHOWN)
        .map(|file| format!("  {file}"))
        .collect();
    match files.len().saturating_sub(SHOWN) {
        0 => {}
        more => lines.push(format!("  and {more} more")),
    }
    lines.join("\n")
}

/// A failure of something that only the command line does: what was attempted, and what the system
/// said.
#[derive(Debug)]
pub(super) struct IoError {
    error: anyhow::Error,
    file: NamedFile,
}

/// What a file is for that an argument names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NamedFile {
    Input,
    Output,
}

impl IoError {
    /// Makes the error of a file, or of its directory, that was to be written.
    pub(super) fn of_output(error: impl Into<anyhow::Error>) -> Self {
        Self {
            error: error.into(),
            file: NamedFile::Output,
        }
    }
}

impl<E: Into<anyhow::Error>> From<E> for IoError {
    fn from(error: E) -> Self {
        Self {
            error: error.into(),
            file: NamedFile::Input,
        }
    }
}

impl fmt::Display for IoError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (depth, cause) in self.error.chain().enumerate() {
            let colon = if depth == 0 { "" } else { ": " };
            match cause.downcast_ref::<io::Error>() {
                Some(said) => write!(f, "{colon}{}", SystemError(said))?,
                None => write!(f, "{colon}{cause}")?,
            }
        }
        Ok(())
    }
}

impl Diagnose for IoError {
    fn diagnostic(&self) -> Diagnostic {
        let of = Diagnostic::new(Kind::Io);
        let Some(said) = self.error.downcast_ref::<io::Error>() else {
            return of;
        };
        match (said.kind(), self.file) {
            (io::ErrorKind::NotFound, NamedFile::Input) => {
                of.help("name a file that is there, or `-` for standard input")
            }
            (io::ErrorKind::IsADirectory, NamedFile::Input) => {
                of.help("name the files in it, or `-` for standard input")
            }
            (io::ErrorKind::NotFound, NamedFile::Output) => {
                of.help("make its directory first, or name a file in another")
            }
            (io::ErrorKind::IsADirectory, NamedFile::Output) => {
                of.help("name a file, such as one in this directory")
            }
            _ => of,
        }
    }
}
