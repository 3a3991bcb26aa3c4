//! Instructions for a model, so that it answers in a format that this program reads. Every example
//! in them is applied by a test.

use bstr::ByteSlice as _;
use clap::Args;

use super::conclude;
use super::error::{CliError, Failure, failed};
use super::exit::Exit;
use super::flow::{self, Printed, Session};
use super::options::{Reading, Verbosity, format_among};
use super::output;
use super::show;
use crate::repo::{differ, history};
use llmpatch::patch::{Format, Unrepresentable};
use llmpatch::report::{Diagnostic, Report};
use llmpatch::respond::{Look, Response};
use llmpatch::text::Shown;

/// Print instructions that make a model respond in a format
#[derive(Debug, Args)]
#[command(override_usage = "git llmpatch prompt [--example=<commit>] [<format>]")]
#[command(after_help = "Put what it prints before the question, or into the system prompt.")]
pub(super) struct Prompt {
    /// The format
    #[arg(
        value_name = "format",
        default_value = "envelope",
        hide_default_value = false
    )]
    #[arg(value_parser = format_among(&[Format::Envelope, Format::Opx, Format::Blocks, Format::Tool]))]
    format: Format,
    /// Add an example from this repository: a commit, written as a response
    #[arg(long, value_name = "commit")]
    example: Option<String>,
}

impl Prompt {
    /// Runs the command.
    pub(super) fn run(&self) -> Exit {
        let text = match self.format {
            Format::Opx => include_str!("prompt/opx.md"),
            Format::Blocks => include_str!("prompt/blocks.md"),
            Format::Tool => include_str!("prompt/tool.md"),
            Format::Envelope | Format::Unified | Format::Files => {
                include_str!("prompt/envelope.md")
            }
        };
        let Some(named) = &self.example else {
            return conclude::said(output::print_as_is(text.as_bytes()));
        };
        flow::run(
            &Reading::default(),
            &Verbosity::default().of_reading(),
            Vec::new(),
            |session| {
                let example = example(session, named, self.format)?;
                Ok((
                    Report::default(),
                    Printed::Text([text.as_bytes(), &example].concat()),
                ))
            },
        )
    }
}

/// Writes a commit as an example.
///
/// # Errors
/// If it isn't one commit, or the format can't say it.
fn example(session: &Session, named: &str, format: Format) -> Result<Vec<u8>, Failure> {
    let commit = match &history::commits(&session.repo, named, false)?[..] {
        [commit] if commit.parents.len() <= 1 => commit.clone(),
        [merge] => {
            return Err(CliError::Merge(differ::abbreviated(&session.repo, &merge.id)).into());
        }
        _ => return Err(CliError::Several(named.to_owned()).into()),
    };
    let written = show::written(session, &commit, format, Look::default())?;
    let Some(Response { text: patch, .. }) =
        written.map_err(|errors| failed(diagnostics(errors)))?
    else {
        return Err(CliError::NoFiles(named.to_owned()).into());
    };
    let subject = commit
        .message
        .trim_start()
        .lines()
        .next()
        .unwrap_or_default();
    let lead = format!(
        "\nAn example from this repository, for “{}”:\n\n",
        Shown(subject)
    );
    let fence = "`".repeat(longest_fence(&patch).max(2) + 1);
    Ok([
        lead.as_bytes(),
        fence.as_bytes(),
        b"\n",
        &patch,
        fence.as_bytes(),
        b"\n",
    ]
    .concat())
}

fn diagnostics(errors: Vec<Unrepresentable>) -> Vec<Diagnostic> {
    errors.iter().map(Diagnostic::from).collect()
}

/// Returns how many backticks are in a row anywhere.
fn longest_fence(text: &[u8]) -> usize {
    text.split(|&byte| byte != b'`')
        .map(<[u8]>::len)
        .max()
        .unwrap_or_default()
}
