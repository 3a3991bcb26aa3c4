use std::cell::Cell;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use bstr::{BString, ByteSlice as _};
use clap::Args;

use super::convert::Context;
use super::error::{CliError, Failure, IoError};
use super::exit::Exit;
use super::flow::{self, Printed, Session};
use super::named_file;
use super::options::{Reading, Verbosity, format_among};
use super::output;
use crate::repo::{Commit, Differ, Repo, RevisionTree, Side, differ, history};
use crate::system::{OsStrExt as _, slashed};
use llmpatch::patch::{Format, Unrepresentable};
use llmpatch::plan::derive;
use llmpatch::progress::Stage;
use llmpatch::report::{Diagnose, Diagnostic, Report, State};
use llmpatch::respond::{self, Look, Notes, Response};
use llmpatch::text::Shown;
use llmpatch::tree::{MemoryTree, Tree};

/// Write commits as responses that make the same changes
#[derive(Debug, Args)]
#[command(override_usage = "git llmpatch show [--to=<format>] [<options>] [<commit>]")]
#[command(after_help = "\
A range A..B is written the oldest first, each after a line with its id; applied together, they are one change. \
The commit's message comes before an envelope; in OPX the subject is the note of every edit, so that \
'git llmpatch apply --commit' keeps it. A commit that changes no file is left out with a warning.")]
pub(super) struct Show {
    /// A commit, or a range A..B
    #[arg(value_name = "commit", default_value = "HEAD")]
    named: String,
    /// The format to print
    #[arg(long, value_name = "format", default_value = "envelope", value_parser = format_among(&[Format::Envelope, Format::Opx, Format::Blocks, Format::Tool]))]
    to: Format,
    /// Compare a merge with its first parent, and follow only first parents in a range
    #[arg(long)]
    first_parent: bool,
    /// Name the parent as the base: apply then refuses files that have changed since
    #[arg(long)]
    base: bool,
    /// Write each commit to a file of its own in this directory, and print the names
    #[arg(short, long, value_name = "dir", value_hint = clap::ValueHint::DirPath)]
    output_directory: Option<PathBuf>,
    #[command(flatten)]
    context: Context,
    #[command(flatten)]
    verbosity: Verbosity,
}

const LOST: &str = "note: the messages of these commits come before the patches, where `git \
                    llmpatch apply --each` doesn't look for them; with `--to=opx` the subjects are \
                    kept\n";

impl Show {
    /// Runs the command, and prints how it went.
    ///
    /// # Errors
    /// Never: whatever goes wrong is printed.
    pub(super) fn run(&self) -> Result<Exit, clap::Error> {
        let loses = Cell::new(false);
        let exit = flow::run(
            &Reading::default(),
            &self.verbosity.of_reading(),
            Vec::new(),
            |session| self.print(session, &loses),
        );
        if loses.get() && exit == Exit::Done {
            output::complain(LOST);
        }
        Ok(exit)
    }

    /// Writes the commits; it may lose the messages of several.
    fn print(&self, session: &Session, loses: &Cell<bool>) -> Result<(Report, Printed), Failure> {
        let commits = history::commits(&session.repo, &self.named, self.first_parent)?;
        let is_range = self.named.contains("..");
        let mut written = Vec::new();
        let mut warnings = Vec::new();
        let mut errors = Vec::new();
        let work = is_range.then(|| session.meter.begin(Stage::Showing, commits.len()));
        for (number, commit) in commits.iter().enumerate() {
            if let Some(work) = &work
                && number > 0
            {
                work.progress().step();
            }
            let id = || differ::abbreviated(&session.repo, &commit.id);
            if commit.parents.len() > 1 && !self.first_parent {
                errors.push(Diagnostic::from(&CliError::Merge(id())));
                continue;
            }
            let note = is_range.then(|| format!("in commit {}", id()));
            match self.response(session, commit, is_range && self.output_directory.is_none())? {
                Ok(Some(response)) => {
                    let name = file_name(written.len() + 1, &subject_and_body(&commit.message).0);
                    written.push((name, response.text));
                    warnings.extend(noted(&response.replaced, note));
                }
                Ok(None) => {
                    warnings.push(Diagnostic::from(&CliError::EmptyCommit(id())));
                }
                Err(unrepresentable) => errors.extend(noted(&unrepresentable, note)),
            }
        }
        // Once is enough: it is true of all.
        if let Some(last) = errors.last_mut().filter(|last| last.help.is_none()) {
            last.help = Some(
                "`git format-patch` and `git show` can express everything that git can".to_owned(),
            );
        }
        if written.is_empty() && errors.is_empty() {
            warnings.clear();
            errors.push(Diagnostic::from(&CliError::NoFiles(self.named.clone())));
        }
        if !errors.is_empty() {
            return Err(Failure::new(Report::failed_with(
                State::NothingChanged,
                errors,
                warnings,
            )));
        }
        let printed = self.give(&session.repo, &written, loses)?;
        Ok((Report::checked(Vec::new(), warnings), printed))
    }

    /// Writes the responses to files, or returns them to be printed.
    fn give(
        &self,
        repo: &Repo,
        responses: &[(String, Vec<u8>)],
        loses: &Cell<bool>,
    ) -> Result<Printed, IoError> {
        let Some(directory) = &self.output_directory else {
            let texts = responses.iter().map(|(_, text)| text);
            return Ok(Printed::Response(bstr::join("\n", texts)));
        };
        loses.set(responses.len() > 1 && self.to != Format::Opx && !self.verbosity.quiet);
        write(repo, directory, responses).map(Printed::Text)
    }

    /// Writes one commit, its message before it; nothing if it changes nothing.
    fn response(
        &self,
        session: &Session,
        commit: &Commit,
        is_range: bool,
    ) -> Result<Result<Option<Response>, Vec<Unrepresentable>>, Failure> {
        let format = self.to;
        let (subject, body) = subject_and_body(&commit.message);
        let mut prose = if is_range {
            format!("commit {}\n\n", commit.id).into_bytes()
        } else {
            Vec::new()
        };
        if format != Format::Opx {
            prose.extend_from_slice(&[&subject[..], b"\n\n"].concat());
        }
        prose.extend_from_slice(&body);
        let base = commit.parents.first().filter(|_| self.base);
        let look = Look {
            context: self.context.lines,
            prose: prose.into(),
            base: base.cloned(),
            ..Look::default()
        };
        written(session, commit, format, look)
    }
}

/// Reports errors, each with a note if there is one.
fn noted<E: Diagnose>(errors: &[E], note: Option<String>) -> impl Iterator<Item = Diagnostic> {
    errors.iter().map(move |error| {
        let mut diagnostic = Diagnostic::from(error);
        diagnostic.notes.extend(note.clone());
        diagnostic
    })
}

/// Writes responses to the files of their names, and returns the paths, one a line.
fn write(
    repo: &Repo,
    directory: &Path,
    responses: &[(String, Vec<u8>)],
) -> Result<Vec<u8>, IoError> {
    named_file::check(repo, directory)?;
    std::fs::create_dir_all(directory)
        .with_context(|| format!("can't make `{}`", shown(directory)))?;
    let mut paths = Vec::new();
    for (name, text) in responses {
        let path = directory.join(name);
        let written = named_file::create(repo, &path)?.write_all(text);
        written.with_context(|| format!("can't write `{}`", shown(&path)))?;
        paths.extend([&*slashed(path.as_os_str().as_bytes()), b"\n"].concat());
    }
    Ok(paths)
}

fn shown(path: &Path) -> String {
    Shown::path(path).to_string()
}

/// Makes the name of a file from a subject, as `git format-patch` does.
fn file_name(number: usize, subject: &BString) -> String {
    const LONGEST: usize = 52;
    let subject = subject.to_str_lossy();
    let words: Vec<_> = subject
        .split(|c| !is_kept(c))
        .filter(|word| !word.is_empty())
        .collect();
    let mut name = words.join("-").replace("..", ".");
    name.truncate(LONGEST);
    format!("{number:04}-{}.txt", name.trim_end_matches(['.', '-']))
}

fn is_kept(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '.' || c == '_'
}

/// Writes the change of a commit against its first parent as a response; `None` if nothing changes.
/// In OPX the commit's subject is the note of every edit.
///
/// # Errors
/// If the commit can't be read. A change that the format can't express is an `Err` inside the `Ok`.
pub(super) fn written(
    session: &Session,
    commit: &Commit,
    format: Format,
    look: Look,
) -> Result<Result<Option<Response>, Vec<Unrepresentable>>, Failure> {
    let work = session.meter.begin(Stage::Planning, 0);
    let touched = history::touched(&session.repo, commit, work.progress())?;
    let (changes, unrepresentable) = respond::change_of(touched, format);
    if changes.is_empty() && unrepresentable.is_empty() {
        return Ok(Ok(None));
    }
    let differ = Differ::new(&session.repo, Side::Blobs)?;
    let options = differ::options(&session.repo)?;
    work.progress().enter(Stage::Comparing, 0);
    let changes = derive::with_renames(&changes, &differ, &options)?;
    let tree: Box<dyn Tree> = match commit.parents.first() {
        Some(parent) => Box::new(RevisionTree::new(&session.repo, parent)?),
        None => Box::new(MemoryTree::new()),
    };
    let notes = match format {
        Format::Opx => Notes::One(subject_and_body(&commit.message).0),
        _ => Notes::None,
    };
    let look = Look {
        options,
        notes,
        ..look
    };
    let outcome = respond::respond(
        format,
        &changes,
        &*tree,
        &differ,
        &look,
        unrepresentable,
        work.progress(),
    )?;
    Ok(outcome.map(Some))
}

/// Takes a commit message apart as git does: the first paragraph, on one line, and the rest.
fn subject_and_body(message: &[u8]) -> (BString, BString) {
    let text = message.trim_start();
    let mut end = 0;
    for line in text.lines_with_terminator() {
        if line.trim().is_empty() {
            break;
        }
        end += line.len();
    }
    let (first, rest) = text.split_at(end);
    let words: Vec<&[u8]> = first.fields().collect();
    (bstr::join(" ", words).into(), rest.trim().into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_a_subject_and_a_body() {
        for (message, subject, body) in [
            ("", "", ""),
            ("\n\nA  b\n", "A b", ""),
            ("a\nb\n\nc\n\nd\n", "a b", "c\n\nd"),
            ("a\r\n\r\nb", "a", "b"),
        ] {
            let (got_subject, got_body) = subject_and_body(message.as_bytes());
            assert_eq!(
                (got_subject.as_bstr(), got_body.as_bstr()),
                (subject.into(), body.into()),
                "{message:?}"
            );
        }
    }
}
