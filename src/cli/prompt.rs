//! Instructions for a model, so that it answers in a format that this program reads. Every example in them is applied by a test.

use bstr::{BString, ByteSlice as _};
use clap::{Args, ValueEnum};

use super::error::CliError;
use super::exit::Exit;
use super::flow::{Failure, Session, stop};
use super::install;
use super::options::{Reading, Verbosity};
use super::output;
use super::show;
use crate::patch;
use crate::report::{Diagnostic, Report, State};
use crate::respond::Response;
use crate::text::Shown;

/// Print instructions that make a model answer in a format
#[derive(Debug, Args)]
#[command(override_usage = "git llmpatch prompt [--example=<commit>] [<format>]")]
#[command(after_help = "Put what it prints before the question, or into the system prompt.")]
pub(super) struct Prompt {
    /// The format
    #[arg(value_name = "format", value_enum, default_value_t = Taught::Envelope, hide_default_value = false)]
    format: Taught,
    /// Add an example drawn from this repository: a commit as the answer that would have made it
    #[arg(long, value_name = "commit")]
    example: Option<String>,
}

/// The formats that a model can be taught.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Taught {
    /// `*** Begin Patch` … `*** End Patch`
    Envelope,
    /// `<edit file=… op=…>`
    Opx,
}

impl From<Taught> for patch::Format {
    fn from(taught: Taught) -> Self {
        match taught {
            Taught::Envelope => patch::Format::Envelope,
            Taught::Opx => patch::Format::Opx,
        }
    }
}

impl Taught {
    fn text(self) -> &'static str {
        match self {
            Taught::Envelope => include_str!("prompt/envelope.md"),
            Taught::Opx => include_str!("prompt/opx.md"),
        }
    }
}

impl Prompt {
    /// Does it.
    pub(super) fn run(&self) -> Exit {
        let text = self.format.text().as_bytes();
        let Some(named) = &self.example else { return install::said(output::print_as_is(text)) };
        let session = match Session::open(&Reading::default(), &Verbosity::default()) {
            Ok(session) => session,
            Err(exit) => return exit,
        };
        match example(&session, named, self.format) {
            Ok(example) => install::said(output::print(&[text, &example].concat())),
            Err(report) => session.conclude(&report),
        }
    }
}

/// Writes a commit as an example.
///
/// # Errors
/// If it isn't one commit, or the format can't say it.
fn example(session: &Session, named: &str, format: Taught) -> Result<Vec<u8>, Failure> {
    let refused = |errors| Box::new(Report::failed_with(State::NothingChanged, errors, Vec::new()));
    let odd = |error: CliError| refused(vec![Diagnostic::new(&error, None, &[])]);
    let commit = match &session.repo.commits(named, false).map_err(stop)?[..] {
        [commit] if commit.parents.len() <= 1 => commit.clone(),
        [merge] => return Err(odd(CliError::Merge(merge.id.clone()))),
        _ => return Err(odd(CliError::Several(named.to_owned()))),
    };
    let written = show::written(session, &commit, format.into(), None, BString::default())?;
    let Some(Response { text: patch, .. }) =
        written.map_err(|unsaid| refused(unsaid.iter().map(|unsaid| Diagnostic::new(unsaid, None, &[])).collect()))?
    else {
        return Err(odd(CliError::NoFiles(named.to_owned())));
    };
    let subject = commit.message.trim_start().lines().next().unwrap_or_default();
    let lead = format!("\nAn example from this repository, for “{}”:\n\n", Shown(subject));
    let fence = "`".repeat(longest_fence(&patch).max(2) + 1);
    Ok([lead.as_bytes(), fence.as_bytes(), b"\n", &patch, fence.as_bytes(), b"\n"].concat())
}

/// Returns how many backticks stand in a row anywhere.
fn longest_fence(text: &[u8]) -> usize {
    text.split(|&byte| byte != b'`').map(<[u8]>::len).max().unwrap_or_default()
}
