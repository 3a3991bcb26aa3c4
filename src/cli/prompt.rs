//! Instructions for a model, so that it answers in a format that this program reads. Every example in them is applied by a test.

use clap::{Args, ValueEnum};

use super::exit::Exit;
use super::install;
use super::output;

/// Print instructions that make a model answer in a format
#[derive(Debug, Args)]
#[command(override_usage = "git llmpatch prompt [<format>]")]
#[command(after_help = "Put what it prints before the question, or into the system prompt.")]
pub(super) struct Prompt {
    /// The format
    #[arg(value_name = "format", value_enum, default_value_t = Taught::Envelope, hide_default_value = false)]
    format: Taught,
}

/// The formats that a model can be taught.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Taught {
    /// `*** Begin Patch` … `*** End Patch`
    Envelope,
    /// `<edit file=… op=…>`
    Opx,
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
        install::said(output::print_as_is(self.format.text().as_bytes()))
    }
}
